//! The work of a check before it is made: how often a part of a schema would be asked about a part of a value.

use serde_json::{Map, Value};

use super::parts::{self, Elsewhere, Place};

/// The deepest nesting of a check: so many parts of a schema within each other. Each takes some of the stack.
const DEEPEST: usize = 384;
/// Bytes of a text that count as one step.
const BYTES: usize = 64;

/// A check that takes more than its bound.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooMuch;

impl From<Elsewhere> for TooMuch {
    fn from(_: Elsewhere) -> Self {
        Self
    }
}

/// The size of a value in steps: one for each value in it, and more for long texts.
pub(super) fn size(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(size).sum::<usize>(),
        Value::Object(map) => {
            1 + map.iter().map(|(name, item)| name.len() / BYTES + size(item)).sum::<usize>()
        }
        Value::String(text) => 1 + text.len() / BYTES,
        _ => 1,
    }
}

/// Counts the steps of a check at their worst: every alternative is tried.
///
/// # Errors
///
/// [`TooMuch`] if they are more than `most`, or nested too deep.
pub(super) fn steps(root: &Value, value: &Value, most: usize) -> Result<usize, TooMuch> {
    let mut walk = Walk { root, left: most };
    walk.visit(root, value, 0)?;
    Ok(most - walk.left)
}

struct Walk<'a> {
    root: &'a Value,
    left: usize,
}

impl<'a> Walk<'a> {
    fn visit(&mut self, part: &'a Value, value: &Value, depth: usize) -> Result<(), TooMuch> {
        self.take(1)?;
        let Value::Object(schema) = part else { return Ok(()) };
        if depth > DEEPEST {
            return Err(TooMuch);
        }
        self.take(own(schema, value))?;
        for _ in 0..parts::rounds(schema) {
            parts::each(self.root, schema, &mut |place, part| {
                self.at(place, part, value, depth + 1)
            })?;
        }
        Ok(())
    }

    fn at(
        &mut self,
        place: Place<'a>,
        part: &'a Value,
        value: &Value,
        depth: usize,
    ) -> Result<(), TooMuch> {
        match (place, value) {
            (Place::Here, _) => self.visit(part, value, depth),
            (Place::Field(name), Value::Object(map)) => {
                map.get(name).map_or(Ok(()), |field| self.visit(part, field, depth))
            }
            (Place::Fields, Value::Object(map)) => {
                map.values().try_for_each(|field| self.visit(part, field, depth))
            }
            // A name is a text: no part of its schema goes further into it.
            (Place::Names, Value::Object(map)) => map
                .keys()
                .try_for_each(|name| self.visit(part, &Value::String(name.clone()), depth)),
            (Place::Item(index), Value::Array(items)) => {
                items.get(index).map_or(Ok(()), |item| self.visit(part, item, depth))
            }
            (Place::Items, Value::Array(items)) => {
                items.iter().try_for_each(|item| self.visit(part, item, depth))
            }
            _ => Ok(()),
        }
    }

    fn take(&mut self, steps: usize) -> Result<(), TooMuch> {
        self.left = self.left.checked_sub(steps).ok_or(TooMuch)?;
        Ok(())
    }
}

/// The steps of a schema's own keywords, beyond one.
fn own(schema: &Map<String, Value>, value: &Value) -> usize {
    let listed = schema.get("enum").and_then(Value::as_array).map_or(0, Vec::len);
    match value {
        Value::String(text) if schema.contains_key("pattern") => listed + text.len() / BYTES,
        Value::Array(_) | Value::Object(_) if schema.contains_key("uniqueItems") => {
            listed + size(value)
        }
        _ => listed,
    }
}

//! The size of a schema before anything is compiled: its bytes and depth as it is written, and its parts as they
//! are once every reference is followed.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::parts::{self, Elsewhere, Place};

/// The largest schema, in bytes of JSON. The largest of the servers that the packs were made from has 40 KB.
pub(super) const MOST_BYTES: usize = 512 * 1024;
/// The deepest nesting of a schema, written or reached through references.
const DEEPEST: usize = 64;
/// The most parts once every reference is followed; a value of an `enum` counts as one. Ten alternatives that
/// refer to ten others are at this after five steps.
const MOST_PARTS: usize = 100_000;
/// The most patterns: each is compiled to at most [`super::PATTERN_BYTES`].
const MOST_PATTERNS: usize = 64;
/// The longest pattern, in bytes.
const LONGEST_PATTERN: usize = 2_000;

/// The size of a schema that may be compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Size {
    /// Its parts once every reference is followed, as far as it does not refer to itself.
    pub(super) parts: usize,
    /// True if it refers to itself: how often a part is asked then depends on the value.
    pub(super) recursive: bool,
}

/// Measures a schema.
///
/// # Errors
///
/// The bound that it breaks, in words that follow "the schema".
pub(super) fn measure(root: &Value) -> Result<Size, String> {
    if depth(root, 2 * DEEPEST) > 2 * DEEPEST {
        return Err(format!("is nested more than {} deep", 2 * DEEPEST));
    }
    if bytes(root) > MOST_BYTES {
        return Err(format!("is longer than {MOST_BYTES} bytes"));
    }
    let mut walk = Walk {
        root,
        known: HashMap::new(),
        open: HashSet::new(),
        recursive: false,
        patterns: HashSet::new(),
    };
    let parts = walk.parts(root, 0)?;
    let mut endless = Endless { root, done: HashSet::new(), open: HashSet::new() };
    let visited: Vec<&Value> = walk.known.values().map(|(part, _)| *part).collect();
    visited.into_iter().try_for_each(|part| endless.look(part))?;
    Ok(Size { parts, recursive: walk.recursive })
}

/// A part as a key: where it stands in memory, since the document is borrowed all the while.
fn key(part: &Value) -> usize {
    std::ptr::from_ref(part).addr()
}

/// The reason why a schema cannot be measured.
struct Refused(String);

impl From<Elsewhere> for Refused {
    fn from(_: Elsewhere) -> Self {
        Self("refers to another document, or to a part that there is not".to_owned())
    }
}

struct Walk<'a> {
    root: &'a Value,
    /// The parts that were counted, each with its count.
    known: HashMap<usize, (&'a Value, usize)>,
    /// The parts that are being counted.
    open: HashSet<usize>,
    recursive: bool,
    patterns: HashSet<&'a str>,
}

impl<'a> Walk<'a> {
    fn parts(&mut self, part: &'a Value, depth: usize) -> Result<usize, String> {
        let Value::Object(schema) = part else { return Ok(1) };
        if let Some((_, count)) = self.known.get(&key(part)) {
            return Ok(*count);
        }
        if depth > DEEPEST {
            return Err(format!("is nested more than {DEEPEST} deep, its references followed"));
        }
        if depth > 0 && schema.get("$id").is_some_and(Value::is_string) {
            return Err("holds another document with an `$id` of its own".to_owned());
        }
        if !self.open.insert(key(part)) {
            self.recursive = true;
            return Ok(1);
        }
        self.patterns(schema)?;
        let mut below = 0_usize;
        parts::each(self.root, schema, &mut |_, part| {
            below = below.saturating_add(self.parts(part, depth + 1).map_err(Refused)?);
            if below > MOST_PARTS { Err(too_many()) } else { Ok(()) }
        })
        .map_err(|Refused(why)| why)?;
        let listed = ["enum", "examples"].iter().filter_map(|key| schema.get(*key)?.as_array());
        let own = 1 + listed.map(Vec::len).sum::<usize>();
        let count = below.saturating_mul(parts::rounds(schema)).saturating_add(own);
        if count > MOST_PARTS {
            return Err(too_many().0);
        }
        self.open.remove(&key(part));
        self.known.insert(key(part), (part, count));
        Ok(count)
    }

    fn patterns(&mut self, schema: &'a Map<String, Value>) -> Result<(), String> {
        let own = schema.get("pattern").and_then(Value::as_str);
        let of_names = schema.get("patternProperties").and_then(Value::as_object);
        let of_names = of_names.into_iter().flat_map(|map| map.keys().map(String::as_str));
        self.patterns.extend(own.into_iter().chain(of_names));
        if self.patterns.len() > MOST_PATTERNS {
            return Err(format!("has more than {MOST_PATTERNS} patterns"));
        }
        if self.patterns.iter().any(|pattern| pattern.len() > LONGEST_PATTERN) {
            return Err(format!("has a pattern of more than {LONGEST_PATTERN} bytes"));
        }
        Ok(())
    }
}

fn too_many() -> Refused {
    Refused(format!("has more than {MOST_PARTS} parts, its references followed"))
}

/// Looks for parts that lead back to themselves without a step into the value: no check of them would end.
struct Endless<'a> {
    root: &'a Value,
    done: HashSet<usize>,
    open: HashSet<usize>,
}

impl<'a> Endless<'a> {
    /// The nesting is bounded: [`Walk`] went the same ways.
    fn look(&mut self, part: &'a Value) -> Result<(), String> {
        let Value::Object(schema) = part else { return Ok(()) };
        if self.done.contains(&key(part)) {
            return Ok(());
        }
        if !self.open.insert(key(part)) {
            return Err("refers to itself without end".to_owned());
        }
        parts::each(self.root, schema, &mut |place, part| match place {
            Place::Here => self.look(part).map_err(Refused),
            _ => Ok(()),
        })
        .map_err(|Refused(why)| why)?;
        self.open.remove(&key(part));
        self.done.insert(key(part));
        Ok(())
    }
}

/// The nesting of a value, as far as `most` and one more.
pub(super) fn depth(value: &Value, most: usize) -> usize {
    let below = |part: &Value| if most == 0 { 0 } else { depth(part, most - 1) };
    match value {
        Value::Array(items) => 1 + items.iter().map(below).max().unwrap_or(0),
        Value::Object(map) => 1 + map.values().map(below).max().unwrap_or(0),
        _ => 0,
    }
}

/// About the size of a value as JSON, in bytes.
fn bytes(value: &Value) -> usize {
    match value {
        Value::Array(items) => 2 + items.iter().map(|item| 1 + bytes(item)).sum::<usize>(),
        Value::Object(map) => {
            2 + map.iter().map(|(name, item)| name.len() + 4 + bytes(item)).sum::<usize>()
        }
        Value::String(text) => text.len() + 2,
        _ => 8,
    }
}

//! The size of a schema before anything is compiled: its bytes and depth as it is written, and its parts as they
//! are once every reference is followed.

use std::collections::{HashMap, HashSet};

use jsonschema::Draft;
use serde_json::{Map, Value};

use super::draft_of;
use super::parts::{self, Elsewhere, Place};

/// The largest schema, in bytes of JSON. The largest of the servers that the packs were made from has 40 KB.
pub(super) const MOST_BYTES: usize = 512 * 1024;
/// The deepest nesting of a schema, written or reached through references.
const DEEPEST: usize = 64;
/// The most parts once every reference is followed; a value of an `enum` counts as one. Ten alternatives that
/// refer to ten others are at this after five steps.
const MOST_PARTS: usize = 100_000;
/// The most patterns: each is compiled to at most [`super::PATTERN_BYTES`].
pub(super) const MOST_PATTERNS: usize = 32;
/// The longest pattern, in bytes.
pub(super) const LONGEST_PATTERN: usize = 2_000;

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
    bounded(root)?;
    let mut walk = Walk::new(root);
    let parts = walk.parts(root, 0)?;
    match walk.circle() {
        Some(_) => Err("refers to itself without end".to_owned()),
        None => Ok(Size { parts, recursive: walk.recursive }),
    }
}

/// The part whose reference leads back to itself without a step into the value: no check of it would end.
pub(super) fn circle(root: &Value) -> Option<&Map<String, Value>> {
    let mut walk = Walk::new(root);
    walk.parts(root, 0).ok()?;
    walk.circle()
}

/// Checks the size of a schema as it is written.
///
/// # Errors
///
/// As [`measure`].
pub(super) fn bounded(root: &Value) -> Result<(), String> {
    if depth(root, 2 * DEEPEST) > 2 * DEEPEST {
        return Err(format!("is nested more than {} deep", 2 * DEEPEST));
    }
    if bytes(root) > MOST_BYTES {
        return Err(format!("is longer than {MOST_BYTES} bytes"));
    }
    Ok(())
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
    draft: Draft,
    /// The counts of the parts that were counted.
    known: HashMap<usize, usize>,
    /// These parts, in the order in which they were counted.
    counted: Vec<&'a Value>,
    /// The parts that are being counted.
    open: HashSet<usize>,
    recursive: bool,
    patterns: HashSet<&'a str>,
}

impl<'a> Walk<'a> {
    fn new(root: &'a Value) -> Self {
        let (open, patterns) = (HashSet::new(), HashSet::new());
        Self {
            root,
            draft: draft_of(root),
            known: HashMap::new(),
            counted: Vec::new(),
            open,
            recursive: false,
            patterns,
        }
    }

    /// The part among those that were counted that refers to itself without end.
    fn circle(&self) -> Option<&'a Map<String, Value>> {
        let mut endless = Endless { root: self.root, done: HashSet::new(), open: HashSet::new() };
        self.counted.iter().find_map(|part| endless.look(part))
    }

    fn parts(&mut self, part: &'a Value, depth: usize) -> Result<usize, String> {
        let Value::Object(schema) = part else { return Ok(1) };
        if let Some(count) = self.known.get(&key(part)) {
            return Ok(*count);
        }
        if depth > DEEPEST {
            return Err(format!("is nested more than {DEEPEST} deep, its references followed"));
        }
        if let Some(name) = parts::own_name(schema, self.draft).filter(|_| depth > 0) {
            return Err(format!("holds another document with an `{name}` of its own"));
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
        self.known.insert(key(part), count);
        self.counted.push(part);
        Ok(count)
    }

    fn patterns(&mut self, schema: &'a Map<String, Value>) -> Result<(), String> {
        self.patterns.extend(patterns_of(schema).map(|(_, pattern)| pattern));
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

/// The patterns of a schema itself, each with its keyword.
pub(super) fn patterns_of(
    schema: &Map<String, Value>,
) -> impl Iterator<Item = (&'static str, &str)> {
    let own = schema.get("pattern").and_then(Value::as_str);
    let of_names = schema.get("patternProperties").and_then(Value::as_object);
    let of_names = of_names.into_iter().flat_map(|map| map.keys().map(String::as_str));
    let of_names = of_names.map(|pattern| ("patternProperties", pattern));
    own.map(|pattern| ("pattern", pattern)).into_iter().chain(of_names)
}

/// Looks for parts that lead back to themselves without a step into the value: no check of them would end.
struct Endless<'a> {
    root: &'a Value,
    done: HashSet<usize>,
    open: HashSet<usize>,
}

impl<'a> Endless<'a> {
    /// Returns the part whose reference closes a circle. The nesting is bounded: [`Walk`] went the same ways.
    fn look(&mut self, part: &'a Value) -> Option<&'a Map<String, Value>> {
        let Value::Object(schema) = part else { return None };
        if self.done.contains(&key(part)) {
            return None;
        }
        self.open.insert(key(part));
        let mut found = None;
        // No reference leads elsewhere: `Walk` has refused it.
        let _ = parts::each(self.root, schema, &mut |place, part| {
            if found.is_none() && place == Place::Here {
                let closes = self.open.contains(&key(part));
                found = if closes { Some(schema) } else { self.look(part) };
            }
            Ok::<(), Elsewhere>(())
        });
        self.open.remove(&key(part));
        self.done.insert(key(part));
        found
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

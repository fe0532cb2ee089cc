//! A YAML file with the place of every node, so that each fault can be shown at its place.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use serde_saphyr::Spanned;

/// A fault of a file, at a place, with advice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The file in the pack.
    pub file: String,
    /// From 1; 0 where the fault is of the whole file.
    pub line: u64,
    /// From 1.
    pub column: u64,
    /// The description of the fault.
    pub message: String,
    /// Advice on how to mend it.
    pub hint: Option<String>,
}

impl Fault {
    /// A fault of a whole file.
    pub(crate) fn whole(file: &str, message: impl Into<String>) -> Self {
        Self { file: file.to_owned(), line: 0, column: 0, message: message.into(), hint: None }
    }

    /// The same fault with advice.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if self.line > 0 {
            write!(f, ":{}:{}", self.line, self.column)?;
        }
        write!(f, ": {}", self.message)?;
        match &self.hint {
            Some(hint) => write!(f, "\n  hint: {hint}"),
            None => Ok(()),
        }
    }
}

/// The deepest nesting of a file: schemas of tools may be 128 deep, and stand in a few lists and objects.
const DEEPEST: usize = 144;

/// A parsed file: its data, and the place of every node by its JSON pointer.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    file: String,
    pub(crate) value: Value,
    places: BTreeMap<String, (u64, u64)>,
}

impl Source {
    /// Parses a YAML file; a syntax error is the one fault that hides all others.
    pub(crate) fn parse(file: &str, text: &str) -> Result<Source, Fault> {
        let options =
            serde_saphyr::options! { budget: serde_saphyr::budget! { max_depth: DEEPEST } };
        let node: Spanned<Node> =
            serde_saphyr::from_str_with_options(text, options).map_err(|error| {
                let place = error.location().map(|l| (l.line(), l.column()));
                let (line, column) = place.unwrap_or_default();
                let message = error.without_snippet().to_string();
                let message = message.lines().next().unwrap_or("the file is not YAML").to_owned();
                Fault { file: file.to_owned(), line, column, message, hint: None }
            })?;
        let mut places = BTreeMap::new();
        let value = flatten(node, "", &mut places);
        Ok(Source { file: file.to_owned(), value, places })
    }

    /// A fault at the node that `pointer` names, or at the nearest one around it.
    pub(crate) fn fault(&self, pointer: &str, message: impl Into<String>) -> Fault {
        let mut at = pointer;
        let (line, column) = loop {
            if let Some(place) = self.places.get(at) {
                break *place;
            }
            match at.rfind('/') {
                Some(end) => at = &at[..end],
                None => break (1, 1),
            }
        };
        Fault { file: self.file.clone(), line, column, message: message.into(), hint: None }
    }
}

/// Any YAML node; keys keep their own place.
enum Node {
    Scalar(Value),
    List(Vec<Spanned<Node>>),
    Map(Vec<(Spanned<String>, Spanned<Node>)>),
}

fn flatten(node: Spanned<Node>, pointer: &str, places: &mut BTreeMap<String, (u64, u64)>) -> Value {
    let at = (node.referenced.line(), node.referenced.column());
    places.entry(pointer.to_owned()).or_insert(at);
    match node.value {
        Node::Scalar(value) => value,
        Node::List(items) => items
            .into_iter()
            .enumerate()
            .map(|(index, item)| flatten(item, &format!("{pointer}/{index}"), places))
            .collect(),
        Node::Map(pairs) => {
            let mut map = Map::new();
            for (key, item) in pairs {
                let escaped = key.value.replace('~', "~0").replace('/', "~1");
                let child = format!("{pointer}/{escaped}");
                let at = (key.referenced.line(), key.referenced.column());
                places.insert(child.clone(), at);
                map.insert(key.value, flatten(item, &child, places));
            }
            Value::Object(map)
        }
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a scalar, a list or a map")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Scalar(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Node, E> {
        Ok(Node::Scalar(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Node, E> {
        Ok(Node::Scalar(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Node, E> {
        Ok(Node::Scalar(value.into()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Node, E> {
        Ok(Node::Scalar(value.into()))
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Scalar(Value::Null))
    }

    fn visit_none<E>(self) -> Result<Node, E> {
        Ok(Node::Scalar(Value::Null))
    }

    fn visit_some<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        Node::deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Node, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element()? {
            items.push(item);
        }
        Ok(Node::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Node, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = access.next_entry()? {
            pairs.push(pair);
        }
        Ok(Node::Map(pairs))
    }
}

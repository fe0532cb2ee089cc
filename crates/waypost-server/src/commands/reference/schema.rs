//! Sections of a reference page from a JSON Schema: one for each object, with its keys in a table.

use std::collections::BTreeMap;

use serde_json::Value as Json;

/// The language in which the keys are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Notation {
    Toml,
    Yaml,
}

/// The shape of a value.
#[derive(Debug)]
enum Shape<'a> {
    /// An object with known keys, and the name of its definition.
    Object(Option<&'a str>, &'a Json),
    /// Values of one shape by name.
    Table(Box<Shape<'a>>),
    List(Box<Shape<'a>>),
    /// One of these words, each with its meaning.
    Words(Vec<(&'a str, &'a str)>),
    OneOf(Vec<Shape<'a>>),
    Plain(&'static str),
}

/// Returns the sections of all objects in a schema, each behind the one that first names it.
pub(super) fn sections(schema: &Json, notation: Notation) -> String {
    let mut writer = Writer { root: schema, notation, paths: BTreeMap::new(), text: String::new() };
    writer.section("", schema);
    writer.text
}

struct Writer<'a> {
    root: &'a Json,
    notation: Notation,
    /// The path at which each definition has its section.
    paths: BTreeMap<&'a str, String>,
    text: String,
}

impl<'a> Writer<'a> {
    fn section(&mut self, path: &str, schema: &'a Json) {
        let heading = if path.is_empty() { "The top".to_owned() } else { self.written(path) };
        self.text.push_str(&format!("\n## {heading}\n\n"));
        let about = description(schema);
        if !about.is_empty() {
            self.text.push_str(&format!("{about}\n\n"));
        }
        self.text.push_str("| key | value | default | meaning |\n|---|---|---|---|\n");
        let keys = schema.get("properties").and_then(Json::as_object);
        let mut inner = Vec::new();
        for (key, value) in keys.into_iter().flatten() {
            let shape = self.shape(value);
            self.place(&join(path, key), &shape, &mut inner);
            let mut row = format!("| `{key}` | {} ", self.kind(&shape, false));
            row.push_str(&format!("| {} ", self.default(schema, key, value)));
            row.push_str(&format!("| {} |\n", meaning(value, &shape)));
            self.text.push_str(&row);
        }
        for (path, schema) in inner {
            self.section(&path, schema);
        }
    }

    /// Gives each object of a shape that has no section yet its path.
    fn place(&mut self, path: &str, shape: &Shape<'a>, inner: &mut Vec<(String, &'a Json)>) {
        match shape {
            Shape::Object(Some(name), _) if self.paths.contains_key(name) => {}
            Shape::Object(name, schema) => {
                if let Some(name) = name {
                    self.paths.insert(name, path.to_owned());
                }
                inner.push((path.to_owned(), schema));
            }
            Shape::Table(of) => self.place(&join(path, "NAME"), of, inner),
            Shape::List(of) => self.place(&format!("{path}[]"), of, inner),
            Shape::OneOf(shapes) => shapes.iter().for_each(|of| self.place(path, of, inner)),
            Shape::Words(_) | Shape::Plain(_) => {}
        }
    }

    fn shape(&self, schema: &'a Json) -> Shape<'a> {
        if let Some(name) = schema.get("$ref").and_then(Json::as_str) {
            let name = name.trim_start_matches("#/$defs/");
            let found = self.root.get("$defs").and_then(|defs| defs.get(name));
            return match found.map(|schema| self.shape(schema)) {
                Some(Shape::Object(_, schema)) => Shape::Object(Some(name), schema),
                Some(shape) => shape,
                None => Shape::Plain("any value"),
            };
        }
        if schema.get("properties").is_some() {
            return Shape::Object(None, schema);
        }
        let several = schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Json::as_array);
        if let Some(several) = several {
            return self.one_of(several);
        }
        if let Some(word) = schema.get("const").and_then(Json::as_str) {
            return Shape::Words(vec![(word, text(schema))]);
        }
        if let Some(words) = schema.get("enum").and_then(Json::as_array) {
            return Shape::Words(
                words.iter().filter_map(|word| Some((word.as_str()?, ""))).collect(),
            );
        }
        if let Some(items) = schema.get("items") {
            return Shape::List(Box::new(self.shape(items)));
        }
        if let Some(of) = schema.get("additionalProperties").filter(|of| of.is_object()) {
            return Shape::Table(Box::new(self.shape(of)));
        }
        plain(schema)
    }

    /// Returns several shapes as one; words of one enumeration become one shape, and `null` none.
    fn one_of(&self, several: &'a [Json]) -> Shape<'a> {
        let is_null = |schema: &&Json| schema.get("type").and_then(Json::as_str) == Some("null");
        let (mut words, mut shapes) = (Vec::new(), Vec::new());
        for schema in several.iter().filter(|schema| !is_null(schema)) {
            match self.shape(schema) {
                Shape::Words(more) => words.extend(more),
                shape => shapes.push(shape),
            }
        }
        if !words.is_empty() {
            shapes.insert(0, Shape::Words(words));
        }
        match shapes.len() {
            1 => shapes.remove(0),
            _ => Shape::OneOf(shapes),
        }
    }

    /// Describes the values of a shape in words.
    fn kind(&self, shape: &Shape<'a>, plural: bool) -> String {
        match shape {
            Shape::Object(Some(name), _) if self.paths.contains_key(name) => {
                let heading = self.written(&self.paths[name]);
                format!("[{heading}](#{})", anchor(&heading))
            }
            Shape::Object(..) => if plural { "tables" } else { "table" }.to_owned(),
            Shape::Table(of) if plural => format!("tables of {}", self.kind(of, true)),
            Shape::Table(of) => format!("table of {}", self.kind(of, true)),
            Shape::List(of) if plural => format!("lists of {}", self.kind(of, true)),
            Shape::List(of) => format!("list of {}", self.kind(of, true)),
            Shape::Words(words) => {
                let words: Vec<String> =
                    words.iter().map(|(word, _)| format!("`{word}`")).collect();
                words.join(", ")
            }
            Shape::OneOf(shapes) => {
                let kinds: Vec<String> =
                    shapes.iter().map(|shape| self.kind(shape, plural)).collect();
                kinds.join(", or ")
            }
            Shape::Plain(name @ ("any value" | "`true` or `false`")) => (*name).to_owned(),
            Shape::Plain(name) if plural => format!("{name}s"),
            Shape::Plain(name) => (*name).to_owned(),
        }
    }

    fn default(&self, schema: &Json, key: &str, value: &Json) -> String {
        let required = schema.get("required").and_then(Json::as_array);
        if required.is_some_and(|keys| keys.iter().any(|required| required == key)) {
            return "required".to_owned();
        }
        match value.get("default") {
            Some(Json::Array(items)) if items.is_empty() => "–".to_owned(),
            Some(Json::String(text)) if text.is_empty() => "–".to_owned(),
            Some(Json::String(text)) if self.notation == Notation::Yaml => format!("`{text}`"),
            None | Some(Json::Null | Json::Object(_)) => "–".to_owned(),
            Some(default) => format!("`{}`", default.to_string().replace("\",\"", "\", \"")),
        }
    }

    /// A path as it is written in a file.
    fn written(&self, path: &str) -> String {
        match self.notation {
            Notation::Toml => format!("`[{path}]`"),
            Notation::Yaml => format!("`{path}`"),
        }
    }
}

fn plain(schema: &Json) -> Shape<'static> {
    let name = match schema.get("type") {
        Some(Json::Array(types)) => {
            types.iter().find_map(|name| name.as_str().filter(|n| *n != "null"))
        }
        Some(Json::String(name)) => Some(name.as_str()),
        _ => None,
    };
    Shape::Plain(match name {
        Some("boolean") => "`true` or `false`",
        Some("integer") => "whole number",
        Some("number") => "number",
        Some("string") => "text",
        Some("object") => "table",
        _ => "any value",
    })
}

fn meaning(value: &Json, shape: &Shape<'_>) -> String {
    let mut text = description(value);
    if let Shape::Words(words) = innermost(shape) {
        for (word, meaning) in words.iter().filter(|(_, meaning)| !meaning.is_empty()) {
            text.push_str(&format!("<br>`{word}`: {}", super::cell(meaning)));
        }
    }
    text
}

fn innermost<'s, 'a>(shape: &'s Shape<'a>) -> &'s Shape<'a> {
    match shape {
        Shape::Table(of) | Shape::List(of) => innermost(of),
        shape => shape,
    }
}

fn text(schema: &Json) -> &str {
    schema.get("description").and_then(Json::as_str).unwrap_or_default()
}

/// The description for users: without the requirement that a number comes from.
fn description(schema: &Json) -> String {
    let text = super::cell(text(schema));
    text.split("Source: ").next().unwrap_or_default().trim_end().to_owned()
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

/// The anchor of a heading, as GitHub makes it.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ' '));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

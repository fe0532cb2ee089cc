//! Reads the schema of an argument with its references and alternatives settled: what types it takes,
//! which values it lists, and what it says of itself in words. Everything is bounded, as schemas of
//! other people's servers may refer to themselves.

use std::collections::HashSet;

use serde_json::Value as Json;
use waypost_core::schema::Schema;

/// The types that an argument takes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Types {
    /// Text.
    pub(crate) string: bool,
    /// Any number.
    pub(crate) number: bool,
    /// Whole numbers.
    pub(crate) integer: bool,
    /// Yes or no.
    pub(crate) boolean: bool,
    /// A list.
    pub(crate) array: bool,
    /// An object.
    pub(crate) object: bool,
}

impl Types {
    /// Returns whether it says nothing, since it names no type or nearly all.
    fn is_any(self) -> bool {
        let all = [self.string, self.numeric(), self.boolean, self.array, self.object];
        let named = all.iter().filter(|named| **named).count();
        named == 0 || named >= MANY
    }

    /// Returns whether it takes numbers of any sort.
    pub(crate) fn numeric(self) -> bool {
        self.number || self.integer
    }

    fn add(&mut self, name: &str) {
        match name {
            "string" => self.string = true,
            "number" | "float" => self.number = true,
            "integer" => self.integer = true,
            "boolean" => self.boolean = true,
            "array" => self.array = true,
            "object" => self.object = true,
            _ => {}
        }
    }

    fn or(self, other: Self) -> Self {
        Self {
            string: self.string || other.string,
            number: self.number || other.number,
            integer: self.integer || other.integer,
            boolean: self.boolean || other.boolean,
            array: self.array || other.array,
            object: self.object || other.object,
        }
    }
}

/// The types that say as little as none.
const MANY: usize = 4;

/// The schema of an argument as far as values can be matched to it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Shape {
    /// The types. What takes anything is said as a number or as text.
    pub(crate) types: Types,
    /// True if it takes anything.
    pub(crate) takes_any: bool,
    /// The format of its text: `date`, `uri`.
    pub(crate) format: Option<String>,
    /// The pattern of its text.
    pub(crate) pattern: Option<String>,
    /// Its title and description, in lower case.
    pub(crate) description: String,
    /// The description as it is written.
    pub(crate) prose: String,
    /// Values that it gives as examples.
    pub(crate) examples: Vec<Json>,
    /// Values that it lists, null left out.
    pub(crate) listed: Vec<Json>,
    /// The names for people that it gives to values.
    pub(crate) titles: Vec<(Json, String)>,
    /// The shape of the items of a list.
    pub(crate) items: Option<Box<Shape>>,
    /// The numbers of items that a list may have.
    pub(crate) counts: (usize, Option<usize>),
    /// The fields of an object, with what each takes.
    pub(crate) fields: Vec<(String, Shape)>,
    /// The fields that an object must have.
    pub(crate) required: Vec<String>,
}

/// The most references that are followed one behind the other.
const MOST_REFERENCES: usize = 8;
/// The most alternatives that are looked at.
const MOST_ALTERNATIVES: usize = 8;
/// The most parts that are looked at for one argument: alternatives of alternatives are many.
const MOST_PARTS: usize = 1_000;
/// The most fields of an object that are looked at.
const MOST_FIELDS: usize = 24;
/// The depth to which objects and lists are looked into: the items of a list of objects have fields.
const DEPTH: usize = 2;
/// The longest description that is looked at, in bytes.
const LONGEST: usize = 2_000;

impl Shape {
    /// Reads `schema`, a part of `root`.
    pub(crate) fn read(root: &Json, schema: &Json) -> Self {
        let mut shape = Reader { root, left: MOST_PARTS }.read(schema, DEPTH);
        if shape.types.is_any() {
            shape.types = Types { string: true, number: true, ..Types::default() };
            shape.takes_any = true;
        }
        shape
    }

    /// Returns whether its text is an instant.
    pub(crate) fn takes_instants(&self) -> bool {
        self.format.as_deref() == Some("date-time")
    }
}

/// A walk over the parts of a schema.
struct Reader<'a> {
    root: &'a Json,
    /// The number of parts that may still be looked at.
    left: usize,
}

impl Reader<'_> {
    fn read(&mut self, schema: &Json, depth: usize) -> Shape {
        let mut shape = self.own(schema, depth);
        // A reference may have words of its own beside it.
        let mut at = schema;
        for _ in 0..MOST_REFERENCES {
            let Some(target) = Schema::referred(self.root, at) else { break };
            shape = merged(shape, self.own(target, depth));
            at = target;
        }
        shape
    }

    fn own(&mut self, schema: &Json, depth: usize) -> Shape {
        if self.left == 0 {
            return Shape::default();
        }
        self.left -= 1;
        let text = |key: &str| schema.get(key).and_then(Json::as_str);
        let prose = [text("title"), text("description")].into_iter().flatten();
        let prose = bounded(&prose.collect::<Vec<_>>().join(". "));
        let mut shape = Shape {
            types: types(schema),
            format: text("format").map(str::to_lowercase),
            pattern: text("pattern").map(str::to_owned),
            description: prose.to_lowercase(),
            prose,
            examples: list(schema, "examples"),
            listed: listed(schema),
            titles: titles(schema),
            counts: (count(schema, "minItems").unwrap_or(0), count(schema, "maxItems")),
            ..Shape::default()
        };
        if depth > 0 {
            let items = schema.get("items").filter(|items| items.is_object());
            shape.items = items.map(|items| Box::new(self.read(items, depth - 1)));
            let fields = schema.get("properties").and_then(Json::as_object);
            let fields = fields.into_iter().flatten().take(MOST_FIELDS);
            shape.fields =
                fields.map(|(name, field)| (name.clone(), self.read(field, depth - 1))).collect();
            let required = list(schema, "required").into_iter();
            shape.required = required.filter_map(|name| Some(name.as_str()?.to_owned())).collect();
        }
        for key in ["anyOf", "oneOf", "allOf"] {
            let branches = schema.get(key).and_then(Json::as_array);
            let branches = branches.into_iter().flatten().take(MOST_ALTERNATIVES);
            for branch in branches.filter(|branch| !is_null(branch)) {
                shape = merged(shape, self.read(branch, depth));
            }
        }
        shape
    }
}

/// Two schemas of one argument together: what the first leaves open, the second says.
fn merged(first: Shape, second: Shape) -> Shape {
    let joined = |one: String, two: String| match (one.is_empty(), two.is_empty()) {
        (true, _) => two,
        (_, true) => one,
        _ => bounded(&format!("{one}. {two}")),
    };
    let longer = |mut one: Vec<Json>, two: Vec<Json>| {
        if one.is_empty() || two.is_empty() {
            one.extend(two);
            return one;
        }
        let mut known: HashSet<String> = one.iter().map(Json::to_string).collect();
        one.extend(two.into_iter().filter(|value| known.insert(value.to_string())));
        one
    };
    let open = first.types == Types::default() || second.types == Types::default();
    let alike = first.types == second.types;
    // The format of one alternative is not that of another.
    let (format, pattern) = if open || alike {
        (first.format.or(second.format), first.pattern.or(second.pattern))
    } else {
        (None, None)
    };
    Shape {
        types: first.types.or(second.types),
        takes_any: false,
        format,
        pattern,
        description: joined(first.description, second.description),
        prose: joined(first.prose, second.prose),
        examples: longer(first.examples, second.examples),
        listed: longer(first.listed, second.listed),
        titles: first.titles.into_iter().chain(second.titles).collect(),
        items: first.items.or(second.items),
        counts: (first.counts.0.max(second.counts.0), first.counts.1.or(second.counts.1)),
        fields: if first.fields.is_empty() { second.fields } else { first.fields },
        required: if first.required.is_empty() { second.required } else { first.required },
    }
}

fn types(schema: &Json) -> Types {
    let mut types = Types::default();
    match schema.get("type") {
        Some(Json::String(name)) => types.add(name),
        Some(Json::Array(names)) => {
            names.iter().filter_map(Json::as_str).for_each(|name| types.add(name));
        }
        _ => {
            types.array = schema.get("items").is_some();
            types.object = schema.get("properties").is_some();
            listed(schema).iter().for_each(|value| types.add(type_of(value)));
        }
    }
    types
}

fn type_of(value: &Json) -> &'static str {
    match value {
        Json::String(_) => "string",
        Json::Number(number) if number.is_f64() => "number",
        Json::Number(_) => "integer",
        Json::Bool(_) => "boolean",
        Json::Array(_) => "array",
        Json::Object(_) => "object",
        Json::Null => "null",
    }
}

/// The names that a schema gives to its values: the title of a constant, or a list beside that of the values.
fn titles(schema: &Json) -> Vec<(Json, String)> {
    let title = schema.get("title").and_then(Json::as_str).map(str::to_owned);
    let constant = schema.get("const").cloned().zip(title);
    let names = ["enumNames", "x-enumNames", "x-enum-varnames"];
    let names = names.iter().map(|key| list(schema, key)).find(|names| !names.is_empty());
    let values = list(schema, "enum").into_iter().zip(names.unwrap_or_default());
    let named = values.filter_map(|(value, name)| Some((value, name.as_str()?.to_owned())));
    constant.into_iter().chain(named).collect()
}

fn listed(schema: &Json) -> Vec<Json> {
    let constant = schema.get("const").cloned();
    let mut listed = list(schema, "enum");
    listed.extend(constant);
    listed.retain(|value| !value.is_null());
    listed
}

fn is_null(schema: &Json) -> bool {
    schema.get("type").is_some_and(|name| name == "null")
}

fn list(schema: &Json, key: &str) -> Vec<Json> {
    schema.get(key).and_then(Json::as_array).cloned().unwrap_or_default()
}

fn count(schema: &Json, key: &str) -> Option<usize> {
    schema.get(key)?.as_u64().and_then(|count| usize::try_from(count).ok())
}

/// The beginning of a text, cut at a character.
fn bounded(text: &str) -> String {
    let end = (0..=LONGEST.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    text[..end.unwrap_or(0)].to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shape(schema: &Json) -> Shape {
        Shape::read(schema, schema)
    }

    #[test]
    fn a_nullable_type_is_the_type() {
        let anyof = json!({ "anyOf": [{ "type": "string", "format": "date" }, { "type": "null" }],
            "description": "The Day" });
        let read = shape(&anyof);
        assert!(read.types.string && !read.types.numeric());
        assert_eq!(read.format.as_deref(), Some("date"));
        assert_eq!(read.description, "the day");
        let listed = shape(&json!({ "type": ["integer", "null"] }));
        assert!(listed.types.integer && !listed.types.string);
    }

    #[test]
    fn alternatives_of_several_types_have_no_format_of_one() {
        let read = shape(&json!({ "oneOf": [
            { "type": "string", "format": "date" }, { "type": "integer" }] }));
        assert!(read.types.string && read.types.integer);
        assert_eq!(read.format, None);
        let consts = shape(&json!({ "oneOf": [{ "const": "a" }, { "const": "b" }] }));
        assert_eq!(consts.listed, [json!("a"), json!("b")]);
    }

    #[test]
    fn references_that_go_in_circles_end() {
        let root = json!({
            "properties": { "node": { "$ref": "#/$defs/node" } },
            "$defs": { "node": { "type": "object", "properties": {
                "next": { "$ref": "#/$defs/node" }, "name": { "type": "string" } } },
                "a": { "$ref": "#/$defs/b" }, "b": { "$ref": "#/$defs/a" } },
        });
        let node = Shape::read(&root, &root["properties"]["node"]);
        assert!(node.types.object);
        assert_eq!(node.fields.iter().map(|(name, _)| name).collect::<Vec<_>>(), ["next", "name"]);
        let any = shape(&json!({}));
        assert_eq!(Shape::read(&root, &root["$defs"]["a"]), any);
        let own = json!({ "$ref": "#" });
        assert_eq!(Shape::read(&own, &own), any);
        let own = json!({ "anyOf": [{ "$ref": "#" }, { "$ref": "#" }] });
        assert_eq!(Shape::read(&own, &own), any);
    }

    #[test]
    fn what_says_no_type_or_nearly_all_is_said_as_a_number_or_as_text() {
        let any = Types { string: true, number: true, ..Types::default() };
        let many = json!({ "type": ["string", "number", "boolean", "array", "null"] });
        for schema in
            [json!({}), json!({ "type": "any" }), json!({ "not": { "type": "string" } }), many]
        {
            assert_eq!(shape(&schema).types, any, "{schema}");
        }
        let two = shape(&json!({ "type": ["string", "array"] })).types;
        assert_eq!(two, Types { string: true, array: true, ..Types::default() });
        let numbers = shape(&json!({ "enum": [1, 7, 30] })).types;
        assert_eq!(numbers, Types { integer: true, ..Types::default() });
    }

    #[test]
    fn alternatives_may_lie_in_alternatives() {
        let mut schema = json!({ "type": "integer" });
        (0..30).for_each(|_| schema = json!({ "anyOf": [schema] }));
        assert!(shape(&schema).types.integer);
    }

    #[test]
    fn values_have_names_for_people() {
        let named = [(json!("r"), "Red".to_owned()), (json!("g"), "Green".to_owned())];
        for schema in [
            json!({ "oneOf": [{ "const": "r", "title": "Red" }, { "const": "g", "title": "Green" }] }),
            json!({ "enum": ["r", "g"], "enumNames": ["Red", "Green"] }),
        ] {
            assert_eq!(shape(&schema).titles, named, "{schema}");
        }
    }

    #[test]
    fn anything_may_stand_for_a_schema() {
        for odd in [json!(true), json!(null), json!([]), json!({ "type": 3, "enum": "x" })] {
            assert_eq!(shape(&odd), shape(&json!({})));
        }
    }
}

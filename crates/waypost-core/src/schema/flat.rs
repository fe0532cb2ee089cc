//! Reads the fields of an object however its schema nests them: behind a reference, in parts that all hold (`allOf`), or in
//! alternatives (`anyOf`, `oneOf`). It says which fields there are; whether a value fits is for [`Schema`](super::Schema).

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::{keywords, parts, work};

/// The deepest nesting of parts that is read.
const DEEPEST: usize = 16;
/// The most that is read, in values of JSON: parts and fields, each as often as a part leads to it.
const MOST_READ: usize = 200_000;
/// The most places at which a field is taken out.
const MOST_PLACES: usize = 10_000;
/// The most names in the `required` of a part that are read.
const MOST_REQUIRED: usize = 1000;
/// The most schemas of one field that count as alternatives.
const MOST_ALTERNATIVES: usize = 8;
/// The keywords under which an object has fields beside its `properties`.
const NESTING: [&str; 9] =
    ["$ref", "allOf", "anyOf", "oneOf", "if", "then", "else", "dependentSchemas", "dependencies"];
/// The keywords that say something of an object as a whole.
const WHOLE: [&str; 22] = [
    "$dynamicRef",
    "$recursiveRef",
    "$ref",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "else",
    "enum",
    "if",
    "maxProperties",
    "minProperties",
    "not",
    "oneOf",
    "patternProperties",
    "propertyNames",
    "required",
    "then",
    "unevaluatedProperties",
];

/// The fields of an object, as if its schema were flat.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FlatSchema {
    /// The fields with their schemas, in the order in which they are written. References in them lead within the document.
    pub properties: Map<String, Value>,
    /// The fields that are always required.
    pub required: Vec<String>,
    /// True if the object takes fields that are not among these.
    pub is_open: bool,
}

impl FlatSchema {
    /// Reads a schema. One that is none has no fields.
    pub fn read(schema: &Value) -> Self {
        let (open, named) = (HashSet::new(), Vec::new());
        let mut reader = Reader { root: schema, open, named, left: MOST_READ };
        let mut flat = reader.part(schema, 0);
        // A field that a part requires and that nothing describes is a field.
        for name in reader.named {
            flat.properties.entry(name).or_insert_with(|| json!({}));
        }
        flat
    }

    /// Returns whether the schema of an object names fields elsewhere than in its `properties`.
    pub fn is_nested(schema: &Value) -> bool {
        NESTING.iter().any(|keyword| schema.get(keyword).is_some())
    }

    /// The schema that looks at every field alone, whatever the others are. `schema` is the one that was read: references lead
    /// to its parts.
    #[must_use]
    pub fn each_alone(&self, schema: &Value) -> Value {
        let mut alone = schema.clone();
        if let Some(map) = alone.as_object_mut() {
            WHOLE.iter().for_each(|keyword| drop(map.shift_remove(*keyword)));
            map.insert("properties".to_owned(), Value::Object(self.properties.clone()));
        }
        alone
    }

    /// Takes a field out of a schema, wherever it names it.
    pub fn without(schema: &mut Value, name: &str) {
        let mut places = Vec::new();
        below(schema, schema, "", &mut places);
        for place in places {
            let Some(part) = schema.pointer_mut(&place) else { continue };
            if let Some(properties) = part.get_mut("properties").and_then(Value::as_object_mut) {
                properties.shift_remove(name);
            }
            // In draft 4 an empty list is no list of names.
            if let Some(required) = part.get_mut("required").and_then(Value::as_array_mut) {
                required.retain(|required| required != name);
                if required.is_empty() {
                    part.as_object_mut().and_then(|part| part.shift_remove("required"));
                }
            }
            for keyword in ["dependentRequired", "dependencies"] {
                let Some(all) = part.get_mut(keyword).and_then(Value::as_object_mut) else {
                    continue;
                };
                all.retain(|field, needs| {
                    let Value::Array(needs) = needs else { return true };
                    needs.retain(|needed| needed != name);
                    field != name && !needs.is_empty()
                });
            }
        }
    }

    /// Adds what holds as well; what is there already counts more.
    fn and(&mut self, other: Self) {
        for (name, schema) in other.properties {
            match self.properties.get_mut(&name) {
                Some(Value::Object(own)) => {
                    let more = if let Value::Object(more) = schema { more } else { Map::new() };
                    more.into_iter().for_each(|(key, value)| {
                        own.entry(key).or_insert(value);
                    });
                }
                Some(own) if own == &Value::Bool(true) => *own = schema,
                Some(_) => {}
                None => {
                    self.properties.insert(name, schema);
                }
            }
        }
        for name in other.required {
            if !self.required.contains(&name) {
                self.required.push(name);
            }
        }
        self.is_open |= other.is_open;
    }

    /// Adds what alternatives say, one of which holds. A field that not all of them name stays as it is, because another one
    /// takes any value of it.
    fn and_one_of(&mut self, alternatives: Vec<Self>) {
        let is_in_all =
            |name: &str| alternatives.iter().all(|one| one.properties.contains_key(name));
        let named = alternatives.iter().flat_map(|one| one.properties.keys());
        let own = named.filter(|name| self.properties.contains_key(*name) && !is_in_all(name));
        let own: Vec<String> = own.cloned().collect();
        let mut either = Self::either(alternatives);
        own.iter().for_each(|name| drop(either.properties.shift_remove(name)));
        self.and(either);
    }

    /// The fields of alternatives: required is what all of them require.
    fn either(alternatives: Vec<Self>) -> Self {
        let mut alternatives = alternatives.into_iter();
        let Some(mut all) = alternatives.next() else { return Self::default() };
        let mut several: Map<String, Value> = Map::new();
        for next in alternatives {
            all.required.retain(|name| next.required.contains(name));
            all.is_open |= next.is_open;
            for (name, schema) in next.properties {
                match all.properties.get(&name) {
                    None => drop(all.properties.insert(name, schema)),
                    Some(own) if *own == schema => {}
                    Some(own) => {
                        let known = several.entry(name).or_insert_with(|| json!([own]));
                        let Value::Array(known) = known else { continue };
                        if known.len() > MOST_ALTERNATIVES || known.contains(&schema) {
                            continue;
                        }
                        // Further ones are not listed, and not refused.
                        let is_last = known.len() == MOST_ALTERNATIVES;
                        known.push(if is_last { json!({}) } else { schema });
                    }
                }
            }
        }
        for (name, schemas) in several {
            all.properties.insert(name, json!({ "anyOf": schemas }));
        }
        all
    }
}

/// A walk over the parts of a schema that look at the same object.
struct Reader<'a> {
    root: &'a Value,
    /// The parts that are being read: one that refers to itself is read once.
    open: HashSet<usize>,
    /// The fields that a part requires.
    named: Vec<&'a str>,
    /// The number of parts and fields that may still be read.
    left: usize,
}

impl<'a> Reader<'a> {
    fn part(&mut self, part: &'a Value, depth: usize) -> FlatSchema {
        let Value::Object(schema) = part else { return FlatSchema::default() };
        let key = std::ptr::from_ref(part).addr();
        if depth > DEEPEST || self.left == 0 {
            return FlatSchema { is_open: true, ..FlatSchema::default() };
        }
        self.left -= 1;
        if !self.open.insert(key) {
            return FlatSchema::default();
        }
        let mut flat = self.own(schema);
        if let Some(target) = schema.get("$ref").and_then(|to| parts::target(self.root, to)) {
            flat.and(self.part(target, depth + 1));
        }
        for part in list(schema, "allOf") {
            flat.and(self.part(part, depth + 1));
        }
        for keyword in ["anyOf", "oneOf"] {
            let parts = list(schema, keyword).iter();
            let read: Vec<FlatSchema> = parts.map(|part| self.part(part, depth + 1)).collect();
            flat.and_one_of(read);
        }
        // What holds under a condition may be said, and is not always required.
        let under = ["then", "else"].map(|keyword| schema.get(keyword));
        if under.iter().any(Option::is_some) {
            let read = under.map(|part| part.map(|part| self.part(part, depth + 1)));
            flat.and_one_of(read.map(Option::unwrap_or_default).into());
        }
        let by_field = ["dependentSchemas", "dependencies"].into_iter();
        let by_field = by_field.filter_map(|keyword| schema.get(keyword)?.as_object());
        for part in by_field.flat_map(Map::values) {
            let read = self.part(part, depth + 1);
            flat.and_one_of(vec![read, FlatSchema::default()]);
        }
        self.open.remove(&key);
        flat
    }

    /// The fields that a part names itself.
    fn own(&mut self, schema: &'a Map<String, Value>) -> FlatSchema {
        let fields = schema.get("properties").and_then(Value::as_object);
        let mut properties = Map::new();
        for (name, field) in fields.into_iter().flatten() {
            // A copy may be much larger than what is written: a reference leads to one field many times.
            self.left = self.left.saturating_sub(work::size(field));
            if self.left == 0 {
                break;
            }
            properties.insert(name.clone(), field.clone());
        }
        let required = list(schema, "required").iter().filter_map(Value::as_str);
        let required: Vec<&str> = required.take(self.left.min(MOST_REQUIRED)).collect();
        self.left -= required.len();
        self.named.extend(&required);
        let takes_others =
            |keyword: &str| schema.get(keyword).is_some_and(|others| *others != Value::Bool(false));
        let opening = ["additionalProperties", "unevaluatedProperties", "patternProperties"];
        FlatSchema {
            properties,
            required: required.into_iter().map(str::to_owned).collect(),
            is_open: self.left == 0 || opening.into_iter().any(takes_others),
        }
    }
}

/// The places of the parts that look at the same object as the whole, each once.
fn below(root: &Value, part: &Value, place: &str, places: &mut Vec<String>) {
    let Value::Object(schema) = part else { return };
    if places.len() > MOST_PLACES || places.iter().any(|known| known == place) {
        return;
    }
    places.push(place.to_owned());
    for keyword in ["allOf", "anyOf", "oneOf"] {
        for (index, part) in list(schema, keyword).iter().enumerate() {
            below(root, part, &format!("{place}/{keyword}/{index}"), places);
        }
    }
    for keyword in ["if", "then", "else"] {
        if let Some(part) = schema.get(keyword) {
            below(root, part, &format!("{place}/{keyword}"), places);
        }
    }
    for keyword in ["dependentSchemas", "dependencies"] {
        let parts = schema.get(keyword).and_then(Value::as_object);
        for (name, part) in parts.into_iter().flatten() {
            below(root, part, &keywords::step(&format!("{place}/{keyword}"), name), places);
        }
    }
    if let Some(to) = schema.get("$ref")
        && let Some(part) = parts::target(root, to)
        && let Some(pointer) = parts::pointer(to)
        && root.pointer(&pointer).is_some_and(|found| std::ptr::eq(found, part))
    {
        below(root, part, &pointer, places);
    }
}

fn list<'a>(schema: &'a Map<String, Value>, keyword: &str) -> &'a [Value] {
    schema.get(keyword).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{Check, Schema};

    /// The names of the fields of a schema, those that are required with a star.
    fn names(schema: &Value) -> Vec<String> {
        let flat = FlatSchema::read(schema);
        let mark = |name: &String| if flat.required.contains(name) { "*" } else { "" };
        flat.properties.keys().map(|name| format!("{name}{}", mark(name))).collect()
    }

    #[test]
    fn fields_are_found_however_they_are_nested() {
        let field = |name: &str| json!({ "properties": { name: { "type": "string" } } });
        let needed = |name: &str| json!({ "properties": { name: { "type": "string" } }, "required": [name] });
        for (schema, expected) in [
            (json!({ "type": "object" }), vec![]),
            (json!({ "anyOf": [needed("a"), needed("b")] }), vec!["a", "b"]),
            (
                json!({ "oneOf": [needed("a"), { "allOf": [needed("a"), field("b")] }] }),
                vec!["a*", "b"],
            ),
            (json!({ "allOf": [needed("a"), field("b")] }), vec!["a*", "b"]),
            (json!({ "$ref": "#/$defs/A", "$defs": { "A": needed("a") } }), vec!["a*"]),
            (
                json!({ "$ref": "#/definitions/A", "definitions": { "A": { "$ref": "#/definitions/B" },
                "B": needed("a") } }),
                vec!["a*"],
            ),
            (
                json!({ "$ref": "#/$defs/A", "$defs": { "A": { "$ref": "#/$defs/A", "required": ["x"] } } }),
                vec!["x*"],
            ),
            (
                json!({ "properties": { "a": {} }, "if": field("a"), "then": needed("b") }),
                vec!["a", "b"],
            ),
            (json!({ "dependencies": { "a": ["b"], "b": needed("c") } }), vec!["c"]),
            (json!({ "anyOf": [{ "required": ["a"] }, { "required": ["b"] }] }), vec!["a", "b"]),
            (json!([1]), vec![]),
        ] {
            assert_eq!(names(&schema), expected, "{schema}");
        }
    }

    #[test]
    fn alternatives_of_one_field_are_alternatives_of_its_schema() {
        let of = |kind: &str, name: &str| json!({ "properties": { "kind": { "const": kind }, name: {} }, "required": ["kind", name] });
        let schema = json!({ "properties": { "kind": { "type": "string" } }, "oneOf": [of("a", "x"), of("b", "y")] });
        let flat = FlatSchema::read(&schema);
        assert_eq!(
            flat.properties["kind"],
            json!({ "type": "string", "anyOf": [{ "const": "a" }, { "const": "b" }] })
        );
        assert_eq!(flat.required, ["kind"]);
        let alone = Schema::compile(&flat.each_alone(&schema)).unwrap();
        assert_eq!(alone.check(&json!({ "kind": "a" })), Check::Fits);
        assert_ne!(alone.check(&json!({ "kind": "c" })), Check::Fits);
    }

    #[test]
    fn what_holds_in_one_alternative_or_under_a_condition_refuses_nothing_elsewhere() {
        let fits = |schema: &Value, value: Value| {
            let alone = FlatSchema::read(schema).each_alone(schema);
            Schema::compile(&alone).unwrap().check(&value) == Check::Fits
        };
        let kinds: Vec<Value> =
            (0..12).map(|kind| json!({ "properties": { "kind": { "const": kind } } })).collect();
        let many = json!({ "oneOf": kinds });
        assert!((0..12).all(|kind| fits(&many, json!({ "kind": kind }))));
        let small = json!({ "properties": { "n": { "maximum": 5 } }, "required": ["n"] });
        let either = json!({ "properties": { "n": { "type": "integer" } }, "anyOf": [small, { "required": ["m"] }] });
        assert!(fits(&either, json!({ "n": 10 })) && !fits(&either, json!({ "n": "x" })));
        let code = |pattern: &str| json!({ "properties": { "code": { "pattern": pattern } }, "required": ["code"] });
        let mut by_land = json!({ "properties": { "code": { "type": "string" }, "land": {} },
            "if": { "properties": { "land": { "const": "US" } } }, "then": code("^[0-9]+$"), "else": code("^[A-Z]+$") });
        assert!(!fits(&by_land, json!({ "code": "K1" })) && fits(&by_land, json!({ "code": "K" })));
        assert_eq!(FlatSchema::read(&by_land).required, ["code"]);
        by_land.as_object_mut().unwrap().remove("else");
        assert!(fits(&by_land, json!({ "code": "K1" })));
        assert!(FlatSchema::read(&by_land).required.is_empty());
        let dependent = json!({ "properties": { "a": {} }, "dependentSchemas": { "b": { "properties": { "a": false } } } });
        assert!(fits(&dependent, json!({ "a": 1 })));
    }

    #[test]
    fn much_that_is_read_many_times_is_read_as_far_as_the_bound() {
        let field = json!({ "default": vec![0; 10_000] });
        let parts = vec![json!({ "$ref": "#/$defs/A" }); 4000];
        let schema = json!({ "anyOf": parts, "$defs": { "A": { "properties": { "a": field } } } });
        let flat = FlatSchema::read(&schema);
        assert!(flat.is_open && flat.properties.contains_key("a"));
    }

    #[test]
    fn what_needs_a_field_that_is_taken_out_needs_it_no_more() {
        let old = "http://json-schema.org/draft-04/schema#";
        let mut schema = json!({ "$schema": old, "properties": { "a": {}, "b": {} }, "required": ["a"],
            "dependencies": { "b": ["a"], "c": { "properties": { "a": {} } } } });
        FlatSchema::without(&mut schema, "a");
        let expected = json!({ "$schema": old, "properties": { "b": {} }, "dependencies": { "c": { "properties": {} } } });
        assert_eq!(schema, expected);
        Schema::compile(&schema).unwrap();
    }

    #[test]
    fn a_schema_says_whether_it_takes_others() {
        let is_open = |schema: Value| FlatSchema::read(&schema).is_open;
        assert!(!is_open(
            json!({ "additionalProperties": false, "anyOf": [{ "properties": {} }] })
        ));
        assert!(is_open(json!({ "allOf": [{ "additionalProperties": true }] })));
        assert!(is_open(json!({ "anyOf": [{}, { "patternProperties": { "^x": {} } }] })));
    }

    #[test]
    fn a_field_is_taken_out_wherever_it_is_named() {
        let part = json!({ "properties": { "a": {}, "b": {} }, "required": ["a", "b"] });
        for schema in [
            part.clone(),
            json!({ "allOf": [part], "oneOf": [{ "required": ["a"] }, part] }),
            json!({ "$ref": "#/$defs/A", "$defs": { "A": part } }),
        ] {
            let mut own = schema.clone();
            FlatSchema::without(&mut own, "a");
            assert_eq!(names(&own).iter().filter(|name| name.starts_with('a')).count(), 0, "{own}");
            assert!(names(&own).iter().any(|name| name.starts_with('b')), "{own}");
        }
    }

    #[test]
    fn a_schema_that_unfolds_is_read_within_its_bounds() {
        let next = |level: usize| json!({ "$ref": format!("#/$defs/l{level}") });
        let mut defs: Map<String, Value> = (0..12)
            .map(|level| {
                (
                    format!("l{level}"),
                    json!({ "anyOf": vec![next(level + 1); 4], "properties": { "a": {} } }),
                )
            })
            .collect();
        defs.insert("l12".to_owned(), json!({ "properties": { "z": {} } }));
        let flat = FlatSchema::read(&json!({ "$ref": "#/$defs/l0", "$defs": defs }));
        assert!(flat.is_open && flat.properties.contains_key("a"));
    }
}

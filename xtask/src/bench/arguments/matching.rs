//! Compares a call with the accepted ones as BFCL does (its abstract syntax tree checker for
//! Python): lists of accepted values, `""` for an argument that may be left out, strings without
//! case, blanks and some punctuation, an integer where a float is expected.

use std::fmt;

use serde_json::{Map, Value};

use super::row::Function;

/// The reason why a call is not one of the accepted ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mismatch {
    pub(super) kind: Fault,
    /// The difference, for people.
    pub(super) detail: String,
}

/// The kind of a mismatch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fault {
    /// Another function, or not one call.
    Tool,
    /// An argument has a value that is not accepted.
    Value,
    /// An argument has a value though the answer has none for it.
    Invented,
    /// An argument has no value though the answer wants one.
    LeftOut,
}

impl Fault {
    pub(super) const ALL: [Fault; 4] = [Fault::Tool, Fault::Value, Fault::Invented, Fault::LeftOut];

    pub(super) fn name(self) -> &'static str {
        match self {
            Fault::Tool => "another tool",
            Fault::Value => "a wrong value",
            Fault::Invented => "a value not asked for",
            Fault::LeftOut => "a value left out",
        }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind.name(), self.detail)
    }
}

fn mismatch(kind: Fault, detail: impl Into<String>) -> Mismatch {
    Mismatch { kind, detail: detail.into() }
}

/// Compares the arguments of a call of `function` with the accepted values of each.
///
/// # Errors
///
/// The first difference.
pub(super) fn call(
    function: &Function,
    given: &Map<String, Value>,
    accepted: &Map<String, Value>,
) -> Result<(), Mismatch> {
    let properties = function.parameters.get("properties").and_then(Value::as_object);
    let required = function.parameters.get("required").and_then(Value::as_array);
    for name in required.into_iter().flatten().filter_map(Value::as_str) {
        if !given.contains_key(name) {
            return Err(mismatch(Fault::LeftOut, format!("`{name}`, which is required")));
        }
    }
    for (name, value) in given {
        let schema = properties.and_then(|properties| properties.get(name));
        let (Some(schema), Some(accepted)) = (schema, accepted.get(name).and_then(Value::as_array))
        else {
            return Err(mismatch(Fault::Invented, format!("`{name}` is {value}")));
        };
        if !argument(schema, value, accepted) {
            let wanted = Value::Array(accepted.clone());
            // Nothing but an omission is accepted.
            let kind =
                if accepted.iter().all(is_omission) { Fault::Invented } else { Fault::Value };
            return Err(mismatch(kind, format!("`{name}` is {value}, accepted are {wanted}")));
        }
    }
    let left_out = accepted.iter().find(|(name, accepted)| {
        let may_be_left_out = accepted.as_array().is_some_and(|all| all.iter().any(is_omission));
        !given.contains_key(*name) && !may_be_left_out
    });
    match left_out {
        Some((name, wanted)) => {
            Err(mismatch(Fault::LeftOut, format!("`{name}`, accepted are {wanted}")))
        }
        None => Ok(()),
    }
}

/// Returns whether an accepted value says that the argument may be left out.
fn is_omission(accepted: &Value) -> bool {
    accepted.as_str() == Some("")
}

/// The types of Python, as the checker tells them apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Type {
    String,
    Integer,
    Float,
    Boolean,
    List,
    Dictionary,
    None,
}

impl Type {
    fn of(value: &Value) -> Self {
        match value {
            Value::String(_) => Type::String,
            Value::Bool(_) => Type::Boolean,
            Value::Array(_) => Type::List,
            Value::Object(_) => Type::Dictionary,
            Value::Null => Type::None,
            Value::Number(number) if number.is_f64() => Type::Float,
            Value::Number(_) => Type::Integer,
        }
    }

    /// The type that BFCL's dialect names; `any` is a string to its checker.
    fn named(schema: &Value) -> Self {
        match schema.get("type").and_then(Value::as_str).unwrap_or_default() {
            "integer" => Type::Integer,
            "float" => Type::Float,
            "boolean" => Type::Boolean,
            "array" | "tuple" => Type::List,
            "dict" => Type::Dictionary,
            _ => Type::String,
        }
    }
}

/// Returns whether a value is one of the accepted ones of an argument.
fn argument(schema: &Value, value: &Value, accepted: &[Value]) -> bool {
    let expected = Type::named(schema);
    let items = match (expected, schema.get("items")) {
        (Type::List, Some(items)) => Some(Type::named(items)),
        _ => None,
    };
    let value = match (expected, value.as_i64()) {
        (Type::Float, Some(whole)) => &Value::from(whole as f64),
        _ => value,
    };
    match fits(value, accepted, expected, items) {
        None => false,
        Some(Role::Variable) => accepted.iter().any(|accepted| equal(value, accepted)),
        Some(Role::Value) => match (value, items) {
            (Value::Object(map), _) => accepted.iter().any(|accepted| dictionary(map, accepted)),
            (Value::Array(list), Some(Type::Dictionary)) => {
                accepted.iter().any(|accepted| dictionaries(list, accepted))
            }
            (Value::Array(list), _) => accepted.iter().any(|accepted| elements(list, accepted)),
            (Value::String(text), _) => {
                let text = standard(text);
                accepted.iter().filter_map(Value::as_str).any(|other| standard(other) == text)
            }
            _ => accepted.iter().any(|accepted| equal(value, accepted)),
        },
    }
}

/// The form in which a value of the right type is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// By the rules of its type.
    Value,
    /// As it is: the answer has another type than the schema, so that it names something.
    Variable,
}

/// Returns how a value is to be compared, if its type fits the schema or the accepted values.
fn fits(value: &Value, accepted: &[Value], expected: Type, items: Option<Type>) -> Option<Role> {
    let answered = accepted.iter().find(|accepted| !is_omission(accepted)).map(Type::of);
    let role = match answered {
        Some(answered) if answered != expected => Role::Variable,
        _ => Role::Value,
    };
    if Type::of(value) == expected {
        let Some(items) = items else { return Some(role) };
        let inner = |accepted: &Value| match (value, accepted) {
            (Value::Array(values), Value::Array(accepted)) => {
                values.iter().all(|value| fits(value, accepted, items, None).is_some())
            }
            _ => true,
        };
        if accepted.iter().any(inner) {
            return Some(role);
        }
    }
    (answered == Some(Type::of(value))).then_some(Role::Variable)
}

/// A dictionary against one accepted dictionary, which has a list of accepted values for each key.
fn dictionary(given: &Map<String, Value>, accepted: &Value) -> bool {
    let Value::Object(accepted) = accepted else { return false };
    let known = given.iter().all(|(key, value)| {
        let accepted = accepted.get(key).and_then(Value::as_array);
        accepted.is_some_and(|accepted| accepted.iter().any(|accepted| alike(value, accepted)))
    });
    let complete = accepted.iter().all(|(key, accepted)| {
        let may_be_left_out = accepted.as_array().is_some_and(|all| all.iter().any(is_omission));
        given.contains_key(key) || may_be_left_out
    });
    known && complete
}

/// A list of dictionaries against one accepted list, in order.
fn dictionaries(given: &[Value], accepted: &Value) -> bool {
    let Value::Array(accepted) = accepted else { return false };
    given.len() == accepted.len()
        && given.iter().zip(accepted).all(|(given, accepted)| match given {
            Value::Object(map) => dictionary(map, accepted),
            _ => false,
        })
}

/// A list against one accepted list, in order; an omission is the empty list.
fn elements(given: &[Value], accepted: &Value) -> bool {
    match accepted {
        Value::Array(accepted) => {
            given.len() == accepted.len()
                && given.iter().zip(accepted).all(|(given, accepted)| alike(given, accepted))
        }
        other => is_omission(other) && given.is_empty(),
    }
}

/// Compares elements: strings in their standard form, everything else as it is.
fn alike(given: &Value, accepted: &Value) -> bool {
    match (given, accepted) {
        (Value::String(given), Value::String(accepted)) => standard(given) == standard(accepted),
        _ => equal(given, accepted),
    }
}

/// Equality as Python has it: 5 and 5.0 are equal.
fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            a.as_f64().zip(b.as_f64()).is_some_and(|(a, b)| (a - b).abs() <= 0.0)
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| equal(a, b)))
        }
        _ => a == b,
    }
}

/// A string without case, blanks and the punctuation that BFCL leaves out; quotation marks alike.
fn standard(text: &str) -> String {
    let kept = text.chars().filter(|c| !" ,./-_*^".contains(*c));
    kept.collect::<String>().to_lowercase().replace('\'', "\"")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[expect(clippy::needless_pass_by_value, reason = "a schema that is written where it is used")]
    fn check(properties: Value, given: Value, accepted: Value) -> Option<Fault> {
        let function = Function {
            name: "f".to_owned(),
            description: String::new(),
            parameters: json!({ "type": "dict", "properties": properties, "required": ["a"] }),
        };
        let map = |value: Value| value.as_object().cloned().unwrap_or_default();
        call(&function, &map(given), &map(accepted)).err().map(|mismatch| mismatch.kind)
    }

    #[test]
    fn strings_are_compared_without_case_blanks_and_punctuation() {
        let text = json!({ "a": { "type": "string" } });
        let accepted = json!({ "a": ["New York, NY", "NYC"] });
        assert_eq!(check(text.clone(), json!({ "a": "new york NY" }), accepted.clone()), None);
        assert_eq!(check(text.clone(), json!({ "a": "York" }), accepted), Some(Fault::Value));
        let marks = json!({ "a": ["it's"] });
        assert_eq!(check(text, json!({ "a": "IT\"S" }), marks), None);
    }

    #[test]
    fn a_whole_number_is_a_float_but_a_float_is_no_integer() {
        let float = json!({ "a": { "type": "float" } });
        assert_eq!(check(float, json!({ "a": 5 }), json!({ "a": [5.0] })), None);
        let integer = json!({ "a": { "type": "integer" } });
        let given = json!({ "a": 5.5 });
        assert_eq!(check(integer.clone(), given, json!({ "a": [5] })), Some(Fault::Value));
        assert_eq!(check(integer, json!({ "a": "5" }), json!({ "a": [5] })), Some(Fault::Value));
    }

    #[test]
    fn an_omission_makes_an_argument_optional() {
        let two = json!({ "a": { "type": "integer" }, "b": { "type": "string" } });
        let optional = json!({ "a": [1], "b": ["x", ""] });
        assert_eq!(check(two.clone(), json!({ "a": 1 }), optional), None);
        let needed = json!({ "a": [1], "b": ["x"] });
        assert_eq!(check(two.clone(), json!({ "a": 1 }), needed.clone()), Some(Fault::LeftOut));
        assert_eq!(check(two.clone(), json!({ "b": "x" }), needed), Some(Fault::LeftOut));
        let none = json!({ "a": [1], "b": [""] });
        let given = json!({ "a": 1, "b": "x" });
        assert_eq!(check(two.clone(), given.clone(), none), Some(Fault::Invented));
        assert_eq!(check(two, given, json!({ "a": [1] })), Some(Fault::Invented));
    }

    #[test]
    fn lists_keep_their_order_and_dictionaries_accept_by_key() {
        let list = json!({ "a": { "type": "array", "items": { "type": "string" } } });
        let accepted = json!({ "a": [["Red", "blue"]] });
        assert_eq!(check(list.clone(), json!({ "a": ["red", "Blue"] }), accepted.clone()), None);
        let turned = json!({ "a": ["blue", "red"] });
        assert_eq!(check(list, turned, accepted), Some(Fault::Value));
        let dict = json!({ "a": { "type": "dict" } });
        let accepted = json!({ "a": [{ "x": [1, 2], "y": ["q", ""] }] });
        assert_eq!(check(dict.clone(), json!({ "a": { "x": 2 } }), accepted.clone()), None);
        let unknown = json!({ "a": { "x": 2, "z": 1 } });
        assert_eq!(check(dict, unknown, accepted.clone()), Some(Fault::Value));
        let many = json!({ "a": { "type": "array", "items": { "type": "dict" } } });
        let accepted = json!({ "a": [[{ "x": [1] }, { "x": [2] }]] });
        let given = json!({ "a": [{ "x": 1 }, { "x": 2 }] });
        assert_eq!(check(many, given, accepted), None);
    }

    #[test]
    fn a_name_where_the_schema_has_another_type_is_compared_as_it_is() {
        let list = json!({ "a": { "type": "array", "items": { "type": "integer" } } });
        let accepted = json!({ "a": ["data_list"] });
        assert_eq!(check(list.clone(), json!({ "a": "data_list" }), accepted.clone()), None);
        assert_eq!(check(list, json!({ "a": "Data list" }), accepted), Some(Fault::Value));
    }
}

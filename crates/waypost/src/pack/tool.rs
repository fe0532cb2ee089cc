//! A tool with its compiled schema, which answers questions about its arguments.

use serde_json::Value;
use waypost_core::records::decision::Call;
use waypost_text::extract::Kind;

use super::spec::{Annotation, ToolSpec};

/// A tool with its compiled schema.
#[derive(Debug)]
pub struct Tool {
    /// The tool as the pack declares it.
    pub spec: ToolSpec,
    validator: jsonschema::Validator,
}

/// A reason why arguments are not valid for a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArgumentFault {
    /// The argument, or nothing if the fault is of all of them.
    pub argument: String,
    /// True if the only fault is that a required argument is missing.
    pub missing: bool,
    /// The validator's words, for logs.
    pub detail: String,
}

impl Tool {
    /// A tool of which the schema compiles.
    pub(super) fn new(spec: ToolSpec) -> Result<Self, String> {
        let validator =
            jsonschema::draft202012::new(&spec.schema).map_err(|error| error.to_string())?;
        Ok(Self { spec, validator })
    }

    /// Returns the faults of `arguments`; empty if they are valid for the tool.
    pub fn faults(&self, arguments: &Value) -> Vec<ArgumentFault> {
        use jsonschema::error::ValidationErrorKind;
        let faults = self.validator.iter_errors(arguments).map(|error| {
            let path = error.instance_path().as_str().trim_start_matches('/').to_owned();
            let missing = matches!(error.kind(), ValidationErrorKind::Required { .. });
            ArgumentFault {
                argument: path.split('/').next().unwrap_or_default().to_owned(),
                missing: missing && path.is_empty(),
                detail: error.to_string(),
            }
        });
        faults.collect()
    }

    /// The names of its arguments, in the order of the schema.
    pub fn arguments(&self) -> impl Iterator<Item = &str> {
        let properties = self.spec.schema.get("properties").and_then(Value::as_object);
        properties.into_iter().flat_map(|map| map.keys().map(String::as_str))
    }

    /// Returns whether the schema requires the argument.
    pub fn requires(&self, argument: &str) -> bool {
        let required = self.spec.schema.get("required").and_then(Value::as_array);
        required.is_some_and(|names| names.iter().any(|name| name == argument))
    }

    /// The pack's annotation of an argument.
    pub fn annotation(&self, argument: &str) -> Option<&Annotation> {
        self.spec.arguments.get(argument)
    }

    /// The kinds of value that its arguments take.
    pub(super) fn kinds(&self) -> impl Iterator<Item = Kind> {
        self.spec.arguments.values().filter_map(|annotation| annotation.kind)
    }

    /// The schema of an argument.
    pub fn property(&self, argument: &str) -> Option<&Value> {
        self.spec.schema.get("properties")?.get(argument)
    }

    /// Returns whether the argument takes a list.
    pub fn is_list(&self, argument: &str) -> bool {
        self.property(argument).is_some_and(|schema| is_type(schema, "array"))
    }

    /// Returns whether the argument takes a number.
    pub fn is_number(&self, argument: &str) -> bool {
        self.property(argument)
            .is_some_and(|schema| is_type(schema, "number") || is_type(schema, "integer"))
    }

    /// Returns whether the argument takes the user's own words: a string without listed values, a
    /// format or a pattern.
    pub fn is_free_text(&self, argument: &str) -> bool {
        self.property(argument).is_some_and(|schema| {
            is_type(schema, "string")
                && ["enum", "format", "pattern"].iter().all(|key| schema.get(key).is_none())
        })
    }

    /// The values that the schema lists for an argument, or for the items of its list, in the order
    /// in which they are shown.
    pub fn listed(&self, argument: &str) -> &[Value] {
        let Some(schema) = self.property(argument) else { return &[] };
        let listed = schema.get("enum").or_else(|| schema.get("items")?.get("enum"));
        listed.and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// Returns whether the schema lists this value for the argument.
    pub fn lists(&self, argument: &str, value: &str) -> bool {
        self.listed(argument).iter().any(|listed| listed == value)
    }

    /// Returns whether the argument, taken alone, accepts this value.
    pub fn accepts(&self, argument: &str, value: &Value) -> bool {
        let alone = Value::Object([(argument.to_owned(), value.clone())].into_iter().collect());
        self.faults(&alone).iter().all(|fault| fault.argument != argument)
    }

    /// The value that an alias stands for, or the value itself.
    pub fn canonical(&self, argument: &str, value: &Value) -> Value {
        let aliases = self.annotation(argument).map(|annotation| &annotation.aliases);
        let named = value.as_str().and_then(|word| aliases?.get(word));
        named.map_or_else(|| value.clone(), |canonical| canonical.as_str().into())
    }

    /// The first argument that a call does not have, in the order of the schema.
    pub fn first_open<'a>(&'a self, call: Option<&Call>) -> Option<&'a str> {
        self.arguments().find(|name| call.is_none_or(|call| !call.arguments.contains_key(*name)))
    }
}

/// Returns whether a schema names this type, alone or among others.
fn is_type(schema: &Value, name: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(only)) => only == name,
        Some(Value::Array(several)) => several.iter().any(|one| one == name),
        _ => false,
    }
}

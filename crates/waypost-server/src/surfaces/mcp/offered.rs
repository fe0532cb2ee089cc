//! The tools that the surface offers: their names, what they say of themselves, and their schemas.

use std::sync::{Arc, LazyLock};

use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Map, Value as Json, json};
use waypost::pack::did_you_mean;
use waypost::records::answer::Answer;
use waypost::records::decision::Decision;
use waypost::records::request::{Context, shorten};
use waypost::schema;
use waypost::{Error, Result};

/// The most tools that one call of `tools_search` finds.
pub(super) const MAX_FOUND: u64 = 20;
/// The number of tools that it finds where the client does not say.
pub(super) const FOUND: u64 = 5;
/// The most tools that one call of `tools_describe` describes.
pub(super) const MAX_DESCRIBED: usize = 10;

/// The longest example of a hint, in characters.
const EXAMPLE: usize = 80;

/// A tool of the surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Offered {
    /// Decides, executes and answers. Source: S0-12.
    Answer,
    /// Only decides.
    Route,
    /// Finds the pack's tools by what they say of themselves.
    Search,
    /// Gives the schemas of some of them.
    Describe,
    /// Makes one call that the client declares.
    Call,
}

use Offered::{Answer as A, Call, Describe, Route, Search};

impl Offered {
    /// All of them, in the order in which they are listed.
    pub(super) const ALL: [Self; 5] = [A, Route, Search, Describe, Call];

    /// The name that is listed. Several clients reject names with a dot.
    pub(super) fn name(self) -> &'static str {
        match self {
            A => "router_answer",
            Route => "router_route",
            Search => "tools_search",
            Describe => "tools_describe",
            Call => "tools_call",
        }
    }

    /// The name of earlier versions, which can still be called.
    fn alias(self) -> Option<&'static str> {
        match self {
            A => Some("router.answer"),
            Route => Some("router.route"),
            Search | Describe | Call => None,
        }
    }

    /// The tool of a name, or what may have been meant.
    pub(super) fn of(name: &str) -> std::result::Result<Self, String> {
        let mut all = Self::ALL.into_iter();
        all.find(|tool| tool.name() == name || tool.alias() == Some(name)).ok_or_else(|| {
            let name = shorten(name, 60);
            let known = did_you_mean(&name, Self::ALL.iter().map(|tool| tool.name()));
            format!("there is no tool `{name}`; {known}")
        })
    }

    pub(super) fn description(self) -> &'static str {
        match self {
            A => {
                "Answers a question in one pass: decides whether a tool, an explanation or code is \
                 wanted, fills and checks the tool's arguments, runs it, and says the result in the \
                 user's language. Asks one question back when something is missing."
            }
            Route => {
                "Decides only: which route, which tool with which arguments, how sure, and where \
                 every value came from. Runs nothing and remembers nothing."
            }
            Search => {
                "Finds the tools that fit a task, best first, in any words: names and summaries \
                 only, or none if nothing fits. Look here first; `tools_describe` gives the \
                 schemas."
            }
            Describe => {
                "Gives the full schemas of tools by name, with what they do to the world and what \
                 has to be done before."
            }
            Call => {
                "Calls one tool by name, with arguments as its schema wants them. A call that \
                 changes something asks first: show the user the question, and after a yes call \
                 again with the same name, arguments and session, and `approved`."
            }
        }
    }

    fn output_schema(self) -> Json {
        let mut schema = match self {
            A | Call => schemars::schema_for!(Answer).to_value(),
            Route => schemars::schema_for!(Decision).to_value(),
            Search => listing(&["name", "server", "summary", "score"]),
            Describe => listing(&["name", "server", "description", "hints", "schema"]),
        };
        drop_number_formats(&mut schema);
        schema
    }

    /// What the client may assume of it. The effects of `router_answer` depend on the question, those of
    /// `tools_call` on the tool.
    fn annotations(self) -> Option<ToolAnnotations> {
        let reads = matches!(self, Route | Search | Describe);
        reads.then(|| ToolAnnotations::new().read_only(true).idempotent(true))
    }

    /// The arguments of the tool; `packs` are those that its caller may ask. Source: S0-14 and R0.1.
    fn input_schema(self, packs: &[&str]) -> Json {
        let (required, mut properties) = match self {
            A => (json!(["text"]), asking()),
            Route => {
                let mut properties = asking();
                properties["route"] = json!({
                    "type": "string",
                    "description": "Declare the route; no classifier is asked",
                });
                (json!(["text"]), properties)
            }
            Search => (json!(["query"]), searching()),
            Describe => (json!(["names"]), describing()),
            Call => (json!(["name"]), calling()),
        };
        properties["pack"] = json!({
            "type": "string",
            "description": "Which pack is asked, where there are several; the first without it",
        });
        if packs.len() > 1 {
            properties["pack"]["enum"] = json!(packs);
        }
        json!({
            "type": "object",
            "additionalProperties": false,
            "required": required,
            "properties": properties,
        })
    }

    /// Other names of arguments, such as those of earlier versions, each with the one that is listed.
    fn other_names(self) -> &'static [(&'static str, &'static str)] {
        match self {
            A | Route => &[("query", "text"), ("query_time", "now")],
            Search => &[("text", "query")],
            Describe | Call => &[],
        }
    }

    /// The listed name of an argument.
    fn listed(self, name: &str) -> &str {
        let other = self.other_names().iter().find(|(other, _)| *other == name);
        other.map_or(name, |(_, listed)| *listed)
    }

    /// Changes the arguments of a call to what they mean: `null` is not given, and `5.0` is 5. Those of the tool that
    /// `tools_call` calls are the router's to read.
    pub(super) fn as_meant(self, given: &mut Map<String, Json>) {
        static CONTEXT: LazyLock<Json> =
            LazyLock::new(|| schemars::schema_for!(Context).to_value());
        given.retain(|_, value| !value.is_null());
        if let Some(context) = given.get_mut("context") {
            schema::as_meant(&CONTEXT, context);
        }
        let mut all = Json::Object(std::mem::take(given));
        schema::as_meant(&self.input_schema(&[]), &mut all);
        if let Json::Object(meant) = all {
            *given = meant;
        }
    }

    /// Checks the arguments of a call; rmcp does not check them against the schema that it publishes.
    ///
    /// # Errors
    ///
    /// `INVALID_ARGUMENT` for the first that is not known or has another type, or for a required one
    /// that is missing or empty. Its hint shows how one is given, with the words of `example`, if there are any.
    pub(super) fn check(
        self,
        given: &Map<String, Json>,
        example: impl FnOnce() -> Option<String>,
    ) -> Result<()> {
        let schema = self.input_schema(&[]);
        let known = schema["properties"].as_object().cloned().unwrap_or_default();
        let names = || known.keys().map(String::as_str);
        if let Some(name) = given.keys().find(|name| !known.contains_key(self.listed(name))) {
            let message = format!("`{}` has no argument `{}`", self.name(), shorten(name, 40));
            let hint = match name.as_str() {
                "flags" => {
                    "the program that calls sends them in `_meta`: {\"waypost\": {\"flags\": {}}}"
                        .to_owned()
                }
                name => did_you_mean(name, names()),
            };
            return Err(Error::invalid(message).with_hint(hint));
        }
        for (name, value) in given {
            let Some(wanted) = known[self.listed(name)]["type"].as_str() else { continue };
            if !fits(wanted, value) {
                let kind = kind(wanted);
                let message =
                    format!("`{name}` is `{}`, not {kind}", shorten(&value.to_string(), 40));
                let hint = format!("give `{name}` as {kind}");
                return Err(Error::invalid(message).with_hint(hint));
            }
        }
        let required = self.required();
        // An empty query asks for all tools.
        let empty = |value: &Json| *value == json!([]) || *value == json!("") && self != Search;
        let says = given.iter().any(|(name, value)| self.listed(name) == required && !empty(value));
        // Whoever takes a choice says nothing beside it.
        let takes = matches!(self, A | Route) && given.contains_key("choice");
        if !says && !takes {
            let message = format!("there is no `{required}`");
            return Err(Error::invalid(message).with_hint(self.how(example())));
        }
        Ok(())
    }

    /// The argument that it cannot do without.
    fn required(self) -> &'static str {
        match self {
            A | Route => "text",
            Search => "query",
            Describe => "names",
            Call => "name",
        }
    }

    /// How that argument is given, with words that the pack knows.
    fn how(self, example: Option<String>) -> String {
        let example = example.map_or_else(|| "…".to_owned(), |text| shorten(&text, EXAMPLE));
        let such =
            |what: &str| format!("{what}, such as {}", json!({ (self.required()): example }));
        match self {
            A | Route => such("give what the user wrote"),
            Search => such("say what is to be done"),
            Describe => {
                "give names that `tools_search` found, such as {\"names\": [\"…\"]}".to_owned()
            }
            Call => "give a name that `tools_search` found, such as {\"name\": \"…\"}".to_owned(),
        }
    }
}

/// A kind of value in words.
fn kind(wanted: &str) -> &'static str {
    match wanted {
        "boolean" => "true or false",
        "integer" => "a whole number that is not negative",
        "array" => "a list of strings",
        "object" => "an object",
        _ => "a string",
    }
}

fn fits(wanted: &str, value: &Json) -> bool {
    match wanted {
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64(),
        "array" => value.as_array().is_some_and(|items| items.iter().all(Json::is_string)),
        "object" => value.is_object(),
        _ => value.is_string(),
    }
}

/// The tools as they are listed to a caller who may ask these packs.
pub(super) fn list(packs: &[&str]) -> Vec<Tool> {
    let object = |schema: Json| Arc::new(schema.as_object().cloned().unwrap_or_default());
    let tool = |own: Offered| {
        let tool = Tool::new(own.name(), own.description(), object(own.input_schema(packs)))
            .with_raw_output_schema(object(own.output_schema()));
        match own.annotations() {
            Some(annotations) => tool.with_annotations(annotations),
            None => tool,
        }
    };
    Offered::ALL.into_iter().map(tool).collect()
}

/// Takes out the formats by which the types of Rust's numbers are named: JSON Schema knows none of
/// them, and some clients refuse a schema with a format that they do not know.
fn drop_number_formats(schema: &mut Json) {
    match schema {
        Json::Object(fields) => {
            fields.retain(|name, value| name != "format" || !is_number_format(value));
            fields.values_mut().for_each(drop_number_formats);
        }
        Json::Array(items) => items.iter_mut().for_each(drop_number_formats),
        _ => {}
    }
}

fn is_number_format(value: &Json) -> bool {
    let kinds = ["uint", "int", "float", "double"];
    value.as_str().is_some_and(|format| kinds.iter().any(|kind| format.starts_with(kind)))
}

/// The shape of a list of tools that have these fields.
fn listing(fields: &[&str]) -> Json {
    let of = |field: &&str| {
        let schema = match *field {
            "score" => json!({ "type": "number" }),
            "hints" | "schema" => json!({ "type": "object" }),
            _ => json!({ "type": "string" }),
        };
        ((*field).to_owned(), schema)
    };
    let mut properties: Map<String, Json> = fields.iter().map(of).collect();
    properties.insert("access".to_owned(), json!({ "type": "string" }));
    let tool = json!({ "type": "object", "required": fields, "properties": properties });
    json!({
        "type": "object",
        "required": ["tools"],
        "properties": { "tools": { "type": "array", "items": tool } },
    })
}

fn asking() -> Json {
    json!({
        "text": {
            "type": "string",
            "minLength": 1,
            "description": "What the user wrote, line breaks included",
        },
        "debug": debug(),
        "tz": {
            "type": "string",
            "description": "The user's zone, such as Asia/Taipei; the pack's without it",
        },
        "now": {
            "type": "string",
            "format": "date-time",
            "description": "The instant of the question; this moment without it",
        },
        "session": {
            "type": "string",
            "description": "Whose conversation this is; without it only an open question is remembered",
        },
        "language": {
            "type": "string",
            "description": "A hint such as zh-TW; the text decides without it",
        },
        "context": {
            "type": "object",
            "description": "What happened before, as the caller knows it: history, options, last_calls",
        },
        "choice": {
            "description": "The value of the choice that the user took, as the question gave it",
        },
    })
}

fn searching() -> Json {
    json!({
        "query": {
            "type": "string",
            "description": "What is to be done; an empty query lists all tools",
        },
        "limit": {
            "type": "integer",
            "minimum": 1,
            "maximum": MAX_FOUND,
            "description": format!(
                "The most tools that are found: {FOUND} without it, and all for an empty query"
            ),
        },
    })
}

fn describing() -> Json {
    json!({
        "names": {
            "type": "array",
            "items": { "type": "string" },
            "minItems": 1,
            "maxItems": MAX_DESCRIBED,
            "description": "The tools, by name",
        },
    })
}

fn calling() -> Json {
    json!({
        "name": { "type": "string", "minLength": 1, "description": "The tool" },
        "arguments": {
            "type": "object",
            "default": {},
            "description": "Its arguments, as its schema wants them",
        },
        "session": {
            "type": "string",
            "description": "Whose conversation this is; without it only an approval is remembered",
        },
        "approved": {
            "type": "boolean",
            "default": false,
            "description": "Whether the user was shown the question about this call and said yes",
        },
        "language": {
            "type": "string",
            "description": "The language of questions and results, such as zh-TW",
        },
        "debug": debug(),
    })
}

fn debug() -> Json {
    json!({
        "type": "boolean",
        "default": false,
        "description": "Whether raw.trace tells timings and tries",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listed_names_have_no_dots_and_the_dotted_ones_can_be_called() {
        let listed = list(&[]);
        assert!(listed.iter().all(|tool| !tool.name.contains('.')));
        assert_eq!(listed.len(), Offered::ALL.len());
        assert_eq!(Offered::of("router.answer"), Ok(A));
        assert_eq!(Offered::of("router_route"), Ok(Route));
        let told = Offered::of("tool_search").unwrap_err();
        assert_eq!(told, "there is no tool `tool_search`; did you mean `tools_search`?");
    }

    #[test]
    fn arguments_are_checked_before_anything_is_read() {
        for (tool, given, told) in [
            (A, json!({}), "there is no `text`"),
            (A, json!({ "query": "" }), "there is no `text`"),
            (A, json!({ "text": "x", "query": 5 }), "`query` is `5`, not a string"),
            (
                Route,
                json!({ "text": "x", "query_tim": "y" }),
                "`router_route` has no argument `query_tim`",
            ),
            (A, json!({ "text": "x", "context": [] }), "`context` is `[]`, not an object"),
            (Search, json!({}), "there is no `query`"),
            (
                Describe,
                json!({ "names": ["x"], "text": "y" }),
                "`tools_describe` has no argument `text`",
            ),
            (
                Search,
                json!({ "query": "x", "limit": "5" }),
                "`limit` is `\"5\"`, not a whole number that is not negative",
            ),
            (Describe, json!({ "names": [] }), "there is no `names`"),
            (Describe, json!({ "names": [5] }), "`names` is `[5]`, not a list of strings"),
            (Call, json!({ "tool": "x" }), "`tools_call` has no argument `tool`"),
            (Call, json!({ "name": "x", "arguments": 5 }), "`arguments` is `5`, not an object"),
            (A, json!({ "query": "x", "route": "y" }), "`router_answer` has no argument `route`"),
            (A, json!({ "text": "x", "flags": {} }), "`router_answer` has no argument `flags`"),
        ] {
            let error = tool.check(given.as_object().unwrap(), || None).unwrap_err();
            assert_eq!(error.message(), told);
        }
        for (tool, given) in [
            (A, json!({ "text": "x", "now": "2025-11-06", "pack": "p" })),
            (A, json!({ "query": "x", "query_time": "2025-11-06" })),
            (Route, json!({ "choice": { "route": "help" } })),
            (Search, json!({ "text": "x" })),
            (Call, json!({ "name": "x" })),
        ] {
            assert_eq!(tool.check(given.as_object().unwrap(), || None), Ok(()), "{given}");
        }
    }

    #[test]
    fn what_is_missing_is_shown_in_words_of_the_pack() {
        for (tool, how) in [
            (A, r#"give what the user wrote, such as {"text":"list my notes"}"#),
            (Search, r#"say what is to be done, such as {"query":"list my notes"}"#),
        ] {
            let error = tool.check(&Map::new(), || Some("list my notes".to_owned())).unwrap_err();
            assert_eq!(error.hint(), Some(how));
        }
        let long = A.check(&Map::new(), || Some("x".repeat(500))).unwrap_err();
        assert!(long.hint().unwrap().len() < 200, "{long:?}");
    }

    #[test]
    fn null_is_as_if_not_given_and_a_whole_number_is_whole() {
        for (tool, given, meant) in [
            (
                A,
                json!({ "text": "x", "session": null, "language": null, "choice": null }),
                json!({ "text": "x" }),
            ),
            (
                Call,
                json!({ "name": "x", "arguments": null, "approved": null }),
                json!({ "name": "x" }),
            ),
            (
                Call,
                json!({ "name": "x", "arguments": { "a": null } }),
                json!({ "name": "x", "arguments": { "a": null } }),
            ),
            (Search, json!({ "query": "x", "limit": 5.0 }), json!({ "query": "x", "limit": 5 })),
            (
                A,
                json!({ "text": "x", "context": { "history": null, "last_calls": [{ "tool": "t", "arguments": null }] } }),
                json!({ "text": "x", "context": { "last_calls": [{ "tool": "t" }] } }),
            ),
            // What is taken is what was shown, null or not.
            (Route, json!({ "choice": { "a": null } }), json!({ "choice": { "a": null } })),
        ] {
            let mut own = given.as_object().cloned().unwrap();
            tool.as_meant(&mut own);
            assert_eq!(Json::Object(own.clone()), meant, "{given}");
            assert_eq!(tool.check(&own, || None), Ok(()), "{given}");
        }
        let mut nothing = json!({ "text": null }).as_object().cloned().unwrap();
        A.as_meant(&mut nothing);
        assert_eq!(A.check(&nothing, || None).unwrap_err().message(), "there is no `text`");
    }

    #[test]
    fn the_packs_that_may_be_asked_are_listed_where_there_are_several() {
        let packs = |packs: &[&str]| {
            let listed = list(packs);
            let pack = |tool: &Tool| tool.input_schema["properties"]["pack"]["enum"].clone();
            listed.iter().map(pack).collect::<Vec<_>>()
        };
        assert!(packs(&["ocean"]).iter().all(Json::is_null));
        assert!(packs(&["ocean", "fin"]).iter().all(|names| *names == json!(["ocean", "fin"])));
    }

    #[test]
    fn no_listed_schema_has_a_format_of_numbers() {
        let mut schema = json!({
            "properties": { "format": { "type": "string", "format": "date-time" } },
            "items": [{ "type": "integer", "format": "uint32" }, { "format": "double" }],
        });
        drop_number_formats(&mut schema);
        let expected = json!({
            "properties": { "format": { "type": "string", "format": "date-time" } },
            "items": [{ "type": "integer" }, {}],
        });
        assert_eq!(schema, expected);
        for tool in list(&[]) {
            let schemas = json!(tool).to_string();
            for kind in ["uint", "int32", "int64", "float", "double"] {
                assert!(!schemas.contains(&format!("\"format\":\"{kind}")), "{schemas}");
            }
        }
    }
}

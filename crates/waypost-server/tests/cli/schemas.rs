//! Schemas of tool servers as they are out there: nested, of an older draft, or with a slip in them. The tool stays, and its
//! arguments are seen like any other's.

use serde_json::{Value as Json, json};

use crate::odd_servers::server;
use crate::support::{Home, McpClient};

/// A server of tools that read and say what they were given.
fn echoing(home: &Home, tools: &[(&str, &str, Json)]) -> String {
    let tools: Vec<Json> = tools
        .iter()
        .map(|(name, description, schema)| {
            json!({ "name": name, "description": description, "inputSchema": schema,
                "annotations": { "readOnlyHint": true } })
        })
        .collect();
    home.write("tools.json", &json!(tools).to_string());
    server(
        home,
        r#"
TOOLS = json.load(open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "tools.json")))
def call(name, arguments):
    return f"{name} got {json.dumps(arguments, sort_keys=True)}"
"#,
    )
}

/// The call of an answer: its tool, and its arguments.
fn called(answer: &Json) -> (Json, Json) {
    let call = &answer["raw"]["plan"]["calls"][0];
    (call["tool"].clone(), call["arguments"].clone())
}

fn one_of_two() -> Json {
    json!({ "type": "object", "anyOf": [
        { "properties": { "id": { "type": "integer" } }, "required": ["id"] },
        { "properties": { "name": { "type": "string" } }, "required": ["name"] } ] })
}

fn referred(keyword: &str) -> Json {
    let sensor = json!({ "type": "object", "required": ["sensor"],
        "properties": { "sensor": { "type": "string", "enum": ["north", "south"] } } });
    json!({ "$ref": format!("#/{keyword}/Request"), keyword: {
        "Request": { "$ref": format!("#/{keyword}/Reading") }, "Reading": sensor } })
}

#[test]
fn arguments_are_seen_however_a_schema_nests_them() {
    let parts = json!({ "allOf": [
        { "properties": { "city": { "type": "string" } }, "required": ["city"] },
        { "properties": { "days": { "type": "integer" } } } ] });
    let exclusive = json!({ "type": "object", "oneOf": one_of_two()["anyOf"] });
    let within = json!({ "type": "object", "allOf": [{ "$ref": "#/$defs/Paged" }, { "anyOf": [
        { "properties": { "shelf": { "type": "integer" } } }] }],
        "$defs": { "Paged": { "properties": { "limit": { "type": "integer" } } } } });
    for (name, description, schema, text, expected) in [
        ("get_item", "Get an item", one_of_two(), "get the item with id 7", json!({ "id": 7 })),
        ("get_item", "Get an item", exclusive, "get the item with id 7", json!({ "id": 7 })),
        (
            "read_sensor",
            "Read a sensor",
            referred("$defs"),
            "read the north sensor",
            json!({ "sensor": "north" }),
        ),
        (
            "read_sensor",
            "Read a sensor",
            referred("definitions"),
            "read the south sensor",
            json!({ "sensor": "south" }),
        ),
        (
            "get_weather",
            "Get the weather of a city",
            parts,
            "get the weather of Paris for 3 days",
            json!({ "city": "Paris", "days": 3 }),
        ),
        (
            "list_books",
            "List the books",
            within,
            "list the books with shelf 4 and limit 20",
            json!({ "limit": 20, "shelf": 4 }),
        ),
    ] {
        let home = Home::new();
        let server = echoing(&home, &[(name, description, schema.clone())]);
        let answer = home.envelope(&["--mcp", &server, text]);
        assert_eq!(called(&answer), (json!(name), expected), "{schema}: {answer}");
        assert_eq!(answer["mode"], "tool", "{answer}");
    }
}

#[test]
fn one_of_two_arguments_is_asked_for_and_taken() {
    let beside = json!({ "type": "object",
        "properties": { "number": { "type": "integer" }, "subject": { "type": "string" } },
        "anyOf": [{ "required": ["number"] }, { "required": ["subject"] }] });
    let least = json!({ "type": "object", "minProperties": 1,
        "properties": { "number": { "type": "integer" }, "subject": { "type": "string" } } });
    for schema in [beside, least] {
        one_of_two_is_taken(&("find_ticket", "Find a ticket", schema));
    }
}

fn one_of_two_is_taken(tool: &(&str, &str, Json)) {
    for (answer, expected) in [
        ("the number is 42", json!({ "number": 42 })),
        ("42", json!({ "number": 42 })),
        ("the subject is rope", json!({ "subject": "rope" })),
        ("rope and sail", json!({ "subject": "rope and sail" })),
    ] {
        let home = Home::new();
        let server = echoing(&home, std::slice::from_ref(tool));
        let asked = home.envelope(&["--session", "s", "--mcp", &server, "find a ticket"]);
        let text = asked["text"].as_str().unwrap();
        assert_eq!(asked["mode"], "clarify", "{asked}");
        assert!(text.contains("number") && text.contains("subject"), "{text}");
        let taken = home.envelope(&["--session", "s", "--mcp", &server, answer]);
        assert_eq!(called(&taken), (json!("find_ticket"), expected), "{answer}: {taken}");
        assert_eq!(taken["mode"], "tool", "{taken}");
    }
}

#[test]
fn a_declared_call_is_held_to_the_alternatives() {
    let home = Home::new();
    let server = echoing(&home, &[("get_item", "Get an item", one_of_two())]);
    let mut client = McpClient::start(&home, &["--mcp", &server]);
    let mut call = |arguments: Json| {
        let reply =
            client.call("tools_call", &json!({ "name": "get_item", "arguments": arguments }));
        reply["result"].clone()
    };
    let made = call(json!({ "id": 7 }));
    assert_eq!(made["structuredContent"]["mode"], "tool", "{made}");
    let asked = call(json!({}));
    let text = asked["structuredContent"]["text"].as_str().unwrap_or_default();
    assert!(text.contains("id") && text.contains("name"), "{asked}");
    for (arguments, words) in [
        (json!({ "id": "x" }), "does not take `\"x\"` as `id`"),
        (json!({ "id": 7, "colour": "red" }), "has no argument `colour`"),
    ] {
        let refused = call(arguments);
        assert!(refused.to_string().contains(&words.replace('"', "\\\"")), "{refused}");
    }
    assert_eq!(client.leave(), 0);
}

/// Schemas with one slip, where it is, and its keyword.
fn slips() -> Vec<(Json, &'static str, &'static str)> {
    let value = |own: Json| json!({ "type": "object", "properties": { "value": own } });
    let text = |own: Json| {
        let mut schema = json!({ "type": "string" });
        schema.as_object_mut().unwrap().extend(own.as_object().unwrap().clone());
        value(schema)
    };
    vec![
        (json!({ "type": "object", "properties": [] }), "the top", "properties"),
        (json!({ "type": "object", "properties": null }), "the top", "properties"),
        (json!({ "type": "object", "required": null }), "the top", "required"),
        (
            json!({ "type": "object", "additionalProperties": null }),
            "the top",
            "additionalProperties",
        ),
        (text(json!({ "description": null })), "/properties/value", "description"),
        (text(json!({ "title": 5 })), "/properties/value", "title"),
        (text(json!({ "pattern": "^(\\p{L}{1,900}){1,900}$" })), "/properties/value", "pattern"),
        (text(json!({ "pattern": "^[\\p{L}\\p{N}]{1,99999}$" })), "/properties/value", "pattern"),
        (value(json!({ "$ref": "#/$defs/nowhere" })), "/properties/value", "$ref"),
    ]
}

#[test]
fn a_slip_in_a_schema_is_told_and_its_tool_serves() {
    let home = Home::new();
    let tools: Vec<(String, Json)> = slips()
        .into_iter()
        .enumerate()
        .map(|(number, (schema, ..))| (format!("read_gauge_{number}"), schema))
        .collect();
    let tools: Vec<(&str, &str, Json)> = tools
        .iter()
        .map(|(name, schema)| (name.as_str(), "Read a gauge", schema.clone()))
        .collect();
    let server = echoing(&home, &tools);
    let run = home.run(&["tools", "--json", "--mcp", &server]);
    assert_eq!(run.ended(0).json()["tools"].as_array().unwrap().len(), tools.len(), "{run:?}");
    for (number, (_, place, keyword)) in slips().into_iter().enumerate() {
        let is_told = |line: &str| {
            [format!("`read_gauge_{number}`"), format!("`{keyword}`"), place.to_owned()]
                .iter()
                .all(|word| line.contains(word.as_str()))
        };
        assert!(run.stderr.lines().any(is_told), "{number}: {}", run.stderr);
    }
}

#[test]
fn a_tool_of_an_older_draft_is_read_by_it() {
    let home = Home::new();
    let bound = json!({ "$schema": "http://json-schema.org/draft-04/schema#", "type": "object", "required": ["n"],
        "properties": { "n": { "type": "integer", "minimum": 0, "exclusiveMinimum": true } } });
    let pair = json!({ "$schema": "http://json-schema.org/draft-07/schema#", "type": "object",
        "properties": { "pair": { "type": "array", "items": [{ "type": "string" }, { "type": "integer" }] } } });
    let server = echoing(
        &home,
        &[("draw_cards", "Draw n cards", bound), ("read_pairs", "Read the pairs", pair)],
    );
    let run = home.run(&["tools", "--json", "--mcp", &server]);
    assert!(!run.stderr.contains("warning"), "{}", run.stderr);
    assert_eq!(run.json()["tools"].as_array().unwrap().len(), 2);
    let answer = home.envelope(&["--mcp", &server, "draw cards with n 5"]);
    assert_eq!(called(&answer), (json!("draw_cards"), json!({ "n": 5 })), "{answer}");
    let refused = home.envelope(&["--mcp", &server, "draw cards with n 0"]);
    assert_eq!(refused["mode"], "clarify", "{refused}");
}

#[test]
fn a_pack_of_odd_schemas_is_made_and_held_to_what_was_accepted() {
    let home = Home::new();
    let slip = json!({ "type": "object", "required": ["value", "value"], "title": 5,
        "properties": { "value": { "type": "integer", "description": null } } });
    let server = echoing(
        &home,
        &[("read_gauge", "Read a gauge", slip), ("get_item", "Get an item", one_of_two())],
    );
    let folder = home.path("pack").to_string_lossy().into_owned();
    let run = home.run(&["init", "--mcp", &server, &folder]);
    assert!(run.ended(0).stderr.contains("passed over: `read_gauge`"), "{run:?}");
    // What was accepted is what the server says, slips and all.
    let doctor = home.run(&["doctor", "--pack", &folder]);
    assert!(
        !doctor.stdout.contains("quarantine") && !doctor.stdout.contains("differ"),
        "{doctor:?}"
    );
    let answer = home.envelope(&["--pack", &folder, "read the gauge with value 3"]);
    assert_eq!(called(&answer), (json!("read_gauge"), json!({ "value": 3 })), "{answer}");
    let answer = home.envelope(&["--pack", &folder, "get the item with id 7"]);
    assert_eq!(called(&answer), (json!("get_item"), json!({ "id": 7 })), "{answer}");
    assert!(answer["text"].as_str().unwrap().contains("get_item got"), "{answer}");
    let again = home.run(&["init", "--update", "--mcp", &server, &folder]);
    again.ended(0);
}

//! What fills which argument, as data: the schemas of tools as public servers declare them, a text,
//! and the call that is made of it.

mod dealt;
mod denied;
mod foreign;
mod kinds;
mod labelled;
mod likely;
mod proposed;
mod right;
mod roles;
mod sides;
mod storm;
mod unknown;
mod unread;

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};
use waypost_core::records::request::Request;

use super::{DraftCall, Filled, fill};
use crate::pack::Pack;
use crate::understand::{Turn, ingest};

/// A pack of one tool with this schema, and these annotations of its arguments.
fn pack(schema: &Json, annotations: &Json) -> Pack {
    pack_of(schema, annotations, None)
}

/// The same with a gazetteer of places.
fn pack_of(schema: &Json, annotations: &Json, places: Option<&Json>) -> Pack {
    let gazetteers = places.map(|_| json!([{ "name": "place", "file": "places.yaml" }]));
    let spec = json!({
        "name": "one",
        "summary": "One tool.",
        "format": 1,
        "languages": ["en", "zh-TW", "zh-CN", "vi", "es"],
        "tz": "Etc/UTC",
        "routes": [{ "name": "tool", "handler": "tool", "summary": "The tool." }],
        "fallback": "tool",
        "servers": [{ "name": "one", "demo": "ocean" }],
        "gazetteers": gazetteers.unwrap_or_else(|| json!([])),
        "tools": [{
            "name": "tool",
            "server": "one",
            "summary": "One tool.",
            "schema": schema,
            "arguments": annotations,
        }],
    });
    let example = json!({ "text": "do it", "lang": "en", "route": "tool", "tools": ["tool"] });
    // JSON is YAML.
    let files = [
        ("pack.yaml".to_owned(), spec.to_string()),
        ("examples.jsonl".to_owned(), example.to_string()),
    ];
    let places = places.map(|places| ("places.yaml".to_owned(), places.to_string()));
    let files: BTreeMap<String, String> = files.into_iter().chain(places).collect();
    Pack::load(&files).unwrap_or_else(|faults| panic!("{faults:?}"))
}

/// A tool for the sea at a place on a day, of some places.
fn sea() -> Tried {
    let schema = json!({
        "type": "object",
        "required": ["bbox"],
        "properties": {
            "bbox": { "type": "array", "minItems": 4, "maxItems": 4, "items": { "type": "number" } },
            "date": { "type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$" },
            "depth": { "type": "integer", "default": 5 },
        },
    });
    let annotations = json!({
        "bbox": { "kind": "bbox", "around": 0.5 },
        "date": { "kind": "date", "default": "today", "bias": "past" },
        "depth": { "cues": ["depth", "deep", "水深", "độ sâu", "profundidad"], "default": 5 },
    });
    let town = |names: &[&str], west: f64| json!({ "names": names, "point": [west, 1.0], "box": [west, 0.0, west + 1.0, 2.0] });
    let places = json!({ "entries": {
        "hualien": town(&["Hualien", "花蓮", "花莲"], 10.0),
        "keelung": town(&["Keelung", "基隆"], 20.0),
        "hue": town(&["Huế"], 30.0),
        "da_nang": town(&["Đà Nẵng"], 40.0),
        "lima": town(&["Lima"], 50.0),
        "arequipa": town(&["Arequipa"], 60.0),
    }});
    Tried { pack: pack_of(&schema, &annotations, Some(&places)), context: json!({}) }
}

/// A tool and what is said to it.
struct Tried {
    pack: Pack,
    context: Json,
}

#[expect(clippy::needless_pass_by_value, reason = "a schema that is written where it is used")]
fn tool(properties: Json, required: &[&str]) -> Tried {
    let schema = json!({ "type": "object", "properties": properties, "required": required });
    Tried { pack: pack(&schema, &json!({})), context: json!({}) }
}

impl Tried {
    fn annotated(self, annotations: &Json) -> Self {
        let schema = self.pack.tools[0].spec.schema.clone();
        Self { pack: pack(&schema, annotations), ..self }
    }

    /// The argument was just asked for.
    fn asked(mut self, argument: &str) -> Self {
        self.context = json!({ "active_tool": "tool", "active_argument": argument });
        self
    }

    fn fill(&self, text: &str) -> Filled {
        self.with(text, |turn| {
            let draft = DraftCall { tool: "tool".to_owned(), ..DraftCall::default() };
            fill(turn, &draft).unwrap_or_default()
        })
    }

    fn with<T>(&self, text: &str, look: impl FnOnce(&Turn<'_>) -> T) -> T {
        let request = json!({
            "text": text, "now": "2025-11-06T09:00:00Z", "context": self.context,
        });
        let request: Request = serde_json::from_value(request).unwrap();
        let turn = ingest(&self.pack, &request, request.context.clone()).unwrap();
        look(&turn)
    }

    /// Checks the arguments of the one call that a text makes.
    #[track_caller]
    fn gives(&self, text: &str, arguments: &Json) -> &Self {
        let filled = self.fill(text);
        let got: Vec<Json> =
            filled.calls.iter().map(|call| Json::Object(call.arguments.clone())).collect();
        assert_eq!(got, std::slice::from_ref(arguments), "{text}");
        self
    }

    /// Checks what is asked about an argument: the values that are offered.
    #[track_caller]
    fn asks(&self, text: &str, argument: &str, offered: &Json) -> &Self {
        let filled = self.fill(text);
        let gap = filled.gaps.iter().find(|gap| gap.argument == argument);
        let values: Option<Vec<Json>> =
            gap.map(|gap| gap.choices.iter().map(|choice| choice.value.clone()).collect());
        assert_eq!(values.map(Json::Array), Some(offered.clone()), "{text} {:?}", filled.calls);
        assert!(!filled.calls[0].arguments.contains_key(argument), "{text}");
        self
    }

    /// Checks the words that no argument explains.
    #[track_caller]
    fn leaves(&self, text: &str, words: &[&str]) -> &Self {
        let left = self.with(text, |turn| {
            let draft = DraftCall { tool: "tool".to_owned(), ..DraftCall::default() };
            let filled = fill(turn, &draft).unwrap_or_default();
            let words = filled.leftover.iter().map(|span| turn.said.text.slice(*span).to_owned());
            words.collect::<Vec<_>>()
        });
        assert_eq!(left, words, "{text}");
        self
    }
}

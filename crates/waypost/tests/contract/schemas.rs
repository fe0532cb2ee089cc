//! What a model is asked to reply is within OpenAI's strict mode, whatever the pack: a server that holds to it would
//! refuse the rest.

use std::sync::Arc;

use serde_json::{Value as Json, json};
use tokio_util::sync::CancellationToken;
use waypost::pack::spec::Selection;
use waypost::pack::{Files, OUT_OF_SCOPE, Pack};
use waypost::student::heads::train_student;
use waypost_learning::Bundle;
use waypost_testing::{Shipped, strict_faults};

use super::cases::{request, runtime};
use super::parts::{Trained, trained, world};

/// The number of texts of a pack that a model is asked about, or a few more.
const ASKED: usize = 24;
/// The most names that a model chooses among.
const MOST: usize = 64;

/// Things that a large pack explains, each on a route of its own.
const THINGS: [&str; 20] = [
    "anchor", "bridge", "candle", "drum", "engine", "fountain", "glacier", "harbor", "island",
    "jacket", "kettle", "ladder", "mirror", "needle", "oven", "pillow", "quarry", "ribbon",
    "saddle", "tunnel",
];

fn learn(files: &Files) -> Trained {
    let pack = Pack::load(files).unwrap();
    let bundle = train_student(&pack, None, &mut |_| {}).unwrap();
    Trained { pack: Arc::new(pack), bundle: Arc::new(bundle) }
}

/// The packs that are shipped.
fn shipped() -> Vec<Trained> {
    let trained = |shipped: Shipped| {
        let pack = Pack::load(&shipped.files).unwrap();
        let bundle = Bundle::from_bytes(&shipped.student).unwrap();
        Trained { pack: Arc::new(pack), bundle: Arc::new(bundle) }
    };
    Shipped::all().into_iter().map(trained).collect()
}

/// A pack with more routes than a model is given to choose among.
fn large() -> Trained {
    let route = |name: &&str| {
        format!(
            "  - {{ name: {name}, handler: explain, summary: The user asks about a {name}. }}\n"
        )
    };
    let routes: String = THINGS.iter().map(route).collect();
    let yaml = format!(
        "name: large\nsummary: Explains things.\nformat: 1\nlanguages: [en]\ntz: Etc/UTC\n\
         fallback: anchor\nroutes:\n{routes}"
    );
    let example = |text: String, route: &str| {
        format!("{}\n", json!({ "text": text, "lang": "en", "route": route }))
    };
    let texts = |name: &&str| {
        let texts = ["what is a NAME", "explain the NAME to me", "how is a NAME made"];
        texts.map(|text| example(text.replace("NAME", name), name)).concat()
    };
    let examples: String = THINGS.iter().map(texts).collect();
    learn(&[("pack.yaml".to_owned(), yaml), ("examples.jsonl".to_owned(), examples)].into())
}

/// What a model is asked to reply about texts of a pack: the name of each schema, and the schema.
fn asked(trained: &Trained) -> Vec<(String, Json)> {
    let (world, runtime, cancel) = (world(trained, &["llm"]), runtime(), CancellationToken::new());
    let examples = &trained.pack.examples;
    let mut schemas = Vec::new();
    for example in examples.iter().step_by((examples.len() / ASKED).max(1)) {
        runtime.block_on(world.router.route(&request(&example.text), &cancel)).unwrap();
        let (prompts, _) = world.main.take();
        // Where each tool is judged by itself, each is a question of its own.
        let each = trained.pack.spec.selection == Selection::PerTool;
        assert!(prompts.len() == 1 || each, "{}: {}", trained.pack.id, example.text);
        schemas.extend(prompts.into_iter().map(|prompt| prompt.schema.unwrap()));
    }
    schemas
}

/// Returns whether a schema may be called so.
fn is_name(name: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
    (1..=64).contains(&name.len()) && name.chars().all(allowed)
}

#[test]
fn a_model_is_asked_for_nothing_beyond_strict_mode() {
    let packs = shipped();
    assert!(packs.len() >= 3, "{}", packs.len());
    for trained in packs.into_iter().chain([trained(&[]), large()]) {
        let pack = &trained.pack;
        for (name, schema) in asked(&trained) {
            assert!(is_name(&name), "{}: {name}", pack.id);
            assert_eq!(strict_faults(&schema), [""; 0], "{}: {schema}", pack.id);
            if name == "interpretation" {
                // It asks for values of one tool, not for a route.
                continue;
            }
            if pack.spec.selection == Selection::PerTool {
                assert_eq!(schema["properties"]["needed"]["type"], "boolean", "{}", pack.id);
                continue;
            }
            let decision = &schema["properties"]["decision"];
            let one = if decision["type"] == "array" { &decision["items"] } else { decision };
            let names = one["enum"].as_array().unwrap();
            assert!((2..=MOST).contains(&names.len()), "{}: {schema}", pack.id);
            assert!(names.contains(&json!(OUT_OF_SCOPE)), "{}: {schema}", pack.id);
            let known = |name: &Json| is_known(pack, name.as_str().unwrap());
            assert!(names.iter().all(known), "{}: {schema}", pack.id);
        }
    }
}

/// Returns whether a pack serves something of this name: a route, a tool, or a family of tools.
fn is_known(pack: &Pack, name: &str) -> bool {
    let is_tool = |tool: &waypost::pack::Tool| {
        tool.spec.name == name || tool.spec.family.as_deref() == Some(name)
    };
    name == OUT_OF_SCOPE || pack.route(name).is_some() || pack.tools.iter().any(is_tool)
}

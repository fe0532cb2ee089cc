//! Requirements that no other test is about: what the packs promise as data, and what holds for
//! every case at once.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};
use waypost_testing::Script;

#[cfg(unix)]
use crate::serve::Serving;
use crate::support::{Home, NOW, UNSURE};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn pack(name: &str) -> Json {
    let text = fs::read_to_string(root().join("packs").join(name).join("pack.yaml")).unwrap();
    serde_saphyr::from_str(&text).unwrap()
}

fn items<'a>(value: &'a Json, key: &str) -> Vec<&'a Json> {
    value[key].as_array().into_iter().flatten().collect()
}

/// Returns the decisions for all records, in their order.
fn decide(pack: &str, records: &[Json]) -> Vec<Json> {
    let lines: Vec<String> = records.iter().map(Json::to_string).collect();
    let args = ["route", "--pack", pack, "--now", NOW, "--jsonl"];
    let run = Home::new().run_with(&args, lines.join("\n").as_bytes());
    run.ended(0).records()
}

#[test]
fn s1_10_s1_18_one_catalog_has_values_ranges_required_arguments_and_defaults() {
    let run = Home::new().run(&["tools", "--pack", "malaria", "--json"]);
    let catalog = run.ended(0).json();
    let tool = |name: &str| {
        let found = items(&catalog, "tools").into_iter().find(|tool| tool["name"] == name);
        found.unwrap_or_else(|| panic!("there is no {name}")).clone()
    };
    let step = &tool("run_tpr_step")["schema"]["properties"];
    assert_eq!(step["facility_level"]["enum"], json!(["primary", "secondary", "tertiary", "all"]));
    assert_eq!(step["age_group"]["enum"], json!(["u5", "o5", "pw", "all"]));
    assert_eq!(step["test_method"]["enum"], json!(["rdt", "microscopy", "both"]));
    let many = &tool("analyze_data")["schema"]["properties"]["N"];
    assert!(many["minimum"].is_number() && many["maximum"].is_number(), "{many}");
    let required = |tool: &Json| items(tool, "arguments").iter().any(|a| a["required"] == true);
    assert!(items(&catalog, "tools").into_iter().any(required));
    // The same file says what an argument is where nothing was said, and shows examples of it.
    let spec = pack("malaria");
    let step = &spec["tools"][0]["arguments"]["facility_level"];
    assert_eq!(step["skip"], "all");
    assert!(items(step, "shots").len() >= 3);
}

#[test]
fn s1_11_examples_of_arguments_are_few_and_repeat_no_word_of_the_lists() {
    let spec = pack("malaria");
    let mut seen = 0;
    for tool in items(&spec, "tools") {
        for (name, argument) in tool["arguments"].as_object().into_iter().flatten() {
            let shots = items(argument, "shots");
            assert!(shots.len() <= 6, "{name} has {} examples", shots.len());
            for shot in shots {
                let (text, value) = (shot["text"].as_str().unwrap(), shot["value"].as_str());
                let words = value.map(|value| items(&argument["values"][value], "words"));
                let listed = words.into_iter().flatten().any(|word| word == text);
                assert!(!listed, "{name}: `{text}` only repeats a word of the list");
                seen += 1;
            }
        }
    }
    assert!(seen >= 20, "{seen} examples");
}

#[test]
fn s1_26_a_map_has_its_variable_and_its_method() {
    let open = json!({ "flags": { "tpr_complete": true, "risk_complete": true } });
    for (text, tool, arguments) in [
        ("map of rainfall", "create_variable_distribution", json!({ "map_variable": "rainfall" })),
        ("vulnerability map with pca", "create_vulnerability_map", json!({ "method": "pca" })),
    ] {
        let decision = decide("malaria", &[json!({ "text": text, "context": open })]).remove(0);
        let call = &decision["calls"][0];
        assert_eq!((&call["tool"], &call["arguments"]), (&json!(tool), &arguments), "{decision}");
    }
}

#[test]
fn s1_28_every_argument_of_the_workflow_has_at_least_eight_phrasings() {
    let text = fs::read_to_string(root().join("packs/malaria/cases.jsonl")).unwrap();
    let mut phrasings: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
    for line in text.lines() {
        let case: Json = serde_json::from_str(line).unwrap();
        let expect = &case["expect"];
        // One call has its arguments alone, several have a list of them.
        let arguments = match &expect["arguments"] {
            Json::Array(each) => each.clone(),
            one => vec![one.clone()],
        };
        for (tool, arguments) in items(expect, "tools").into_iter().zip(&arguments) {
            for name in arguments.as_object().into_iter().flat_map(|own| own.keys()) {
                let argument = (tool.as_str().unwrap().to_owned(), name.clone());
                phrasings.entry(argument).or_default().insert(case["text"].to_string());
            }
        }
    }
    for tool in items(&pack("malaria"), "tools") {
        for name in tool["schema"]["properties"].as_object().unwrap().keys() {
            // Nobody says the columns of a map: they are those of the analysis before it.
            if tool["arguments"][name]["text"] == "never" {
                continue;
            }
            let argument = (tool["name"].as_str().unwrap().to_owned(), name.clone());
            let count = phrasings.get(&argument).map_or(0, BTreeSet::len);
            assert!(count >= 8, "{argument:?} has {count} phrasings");
        }
    }
}

#[test]
fn s1_27_s1_44_whatever_is_said_only_what_a_schema_takes_is_run() {
    let spec = pack("malaria");
    let text = fs::read_to_string(root().join("packs/malaria/cases.jsonl")).unwrap();
    let cases: Vec<Json> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let decisions = decide("malaria", &cases);
    assert_eq!(cases.len(), decisions.len());
    let (mut routed, mut routes, mut gated, mut asked) = (0, 0, 0, 0);
    for (case, decision) in cases.iter().zip(&decisions) {
        let expect = &case["expect"];
        if expect["route"].is_string() {
            routes += 1;
            routed += usize::from(expect["route"] == decision["route"]);
        }
        asked += usize::from(expect["decision"] == "run" && decision["decision"] == "clarify");
        if expect["reason"].as_str().is_some_and(|reason| reason.starts_with("gate:")) {
            gated += 1;
            assert_ne!(decision["decision"], "run", "{case} ran past a gate");
        }
        if decision["decision"] != "run" {
            continue;
        }
        for call in items(decision, "calls") {
            let tool = items(&spec, "tools").into_iter().find(|tool| tool["name"] == call["tool"]);
            let schema = &tool.unwrap()["schema"];
            let valid = jsonschema::is_valid(schema, &call["arguments"]);
            assert!(valid, "{}: {call}", case["text"]);
            // Every value has a receipt: nothing came from nowhere.
            let arguments = call["arguments"].as_object().unwrap();
            assert!(arguments.keys().all(|name| call["evidence"][name].is_object()), "{call}");
        }
    }
    assert!(gated >= 50, "{gated} cases at a gate");
    assert!(routed * 100 >= routes * 95, "{routed} of {routes} routes are right");
    assert!(asked * 10 <= cases.len(), "{asked} of {} are asked needlessly", cases.len());
}

/// The most questions that a task is walked through.
#[cfg(unix)]
const MOST_QUESTIONS: usize = 6;

#[cfg(unix)]
#[test]
fn s1_44_the_median_task_takes_one_question_at_most() {
    let home = Home::new();
    let serving = Serving::start(&home, &["--pack", "malaria"]);
    let text = fs::read_to_string(root().join("packs/malaria/cases.jsonl")).unwrap();
    let cases = text.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
    // Only what begins a conversation: no question is open, and every gate is closed.
    let begins = |case: &Json| {
        let context = &case["context"];
        let is_first = context["active_tool"].is_null() && context["last_calls"].is_null();
        is_first && case["expect"]["decision"] != "refuse"
    };
    let tasks: Vec<Json> = cases.filter(begins).step_by(4).collect();
    for (number, task) in tasks.iter().enumerate() {
        let mut said = json!({ "text": task["text"] });
        for _ in 0..=MOST_QUESTIONS {
            said["now"] = json!(NOW);
            said["session"] = json!(format!("task{number}"));
            let answer = serving.site.json("POST", "/v1/answer", &said);
            let choice = &answer["choices"][0];
            if answer["mode"] != "clarify" || choice.is_null() {
                break;
            }
            said = json!({ "text": choice["label"], "choice": choice["value"] });
        }
    }
    assert_eq!(serving.signal("-TERM").0, 0);
    let figures = home.run(&["events", "stats", "--json"]).json();
    let turns = |action: &str| figures["actions"][action].as_u64().unwrap();
    assert!(turns("run") * 10 >= tasks.len() as u64 * 9, "of {} tasks: {figures}", tasks.len());
    assert!(turns("clarify") >= 20, "some tasks are asked about: {figures}");
    assert!(figures["clarifications_per_task"].as_u64().unwrap() <= 1, "{figures}");
}

#[test]
fn s1_35_s1_37_no_name_and_no_word_of_a_pack_stands_in_the_code() {
    let mut words: Vec<String> = Vec::new();
    for name in ["ocean", "malaria", "platform"] {
        for tool in items(&pack(name), "tools") {
            words.push(tool["name"].as_str().unwrap().to_owned());
            for (_, argument) in tool["arguments"].as_object().into_iter().flatten() {
                for (_, value) in argument["values"].as_object().into_iter().flatten() {
                    let listed = items(value, "words").into_iter().filter_map(Json::as_str);
                    words.extend(listed.filter(|word| word.contains(' ')).map(str::to_owned));
                }
            }
        }
    }
    assert!(words.len() > 100, "{} words", words.len());
    let mut files = 0;
    for folder in ["crates/waypost/src", "crates/waypost-backends/src"] {
        sources(&root().join(folder), &mut |path, text| {
            files += 1;
            for word in &words {
                let literal = format!("\"{word}\"");
                assert!(!text.contains(&literal), "{}: {literal}", path.display());
            }
        });
    }
    assert!(files > 100, "{files} files");
}

/// Visits every source file under a folder but those of tests, without comments and the tests at
/// its end.
fn sources(folder: &Path, each: &mut dyn FnMut(&Path, &str)) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            sources(&path, each);
        } else if name.ends_with(".rs") && name != "tests.rs" {
            let text = fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            let said = |line: &&str| !line.trim_start().starts_with("//");
            each(&path, &code.lines().filter(said).collect::<Vec<_>>().join("\n"));
        }
    }
}

#[test]
fn s1_39_every_field_of_a_choice_event_is_documented() {
    let home = Home::new();
    home.ask(&["--session", "s", "昨天台灣海峽海溫多少？"]).ended(0);
    let events = home.run(&["events", "export", "--type", "choice_event"]).records();
    assert_eq!(events.len(), 1, "{events:?}");
    let document = fs::read_to_string(root().join("docs/EVENTS.md")).unwrap();
    for field in events[0].as_object().unwrap().keys() {
        assert!(document.contains(&format!("`{field}`")), "`{field}` is not in docs/EVENTS.md");
    }
}

#[test]
fn s1_40_every_intent_of_the_workflow_has_its_work_and_what_it_requires() {
    // The intent, what is said, what is done when the way is open, and the gate before that.
    let intents = [
        ("tpr", "run TPR for primary facilities", "run_tpr_step", None),
        ("risk", "run the risk analysis now", "run_malaria_risk_analysis", Some("tpr_complete")),
        ("itn", "distribute 65k nets", "run_itn_planning", Some("risk_complete")),
        ("map_variable", "map of rainfall", "create_variable_distribution", None),
        (
            "map_vulnerability",
            "vulnerability map",
            "create_vulnerability_map",
            Some("risk_complete"),
        ),
        ("data_analysis", "average rainfall by ward", "analyze_data", None),
        ("concept_help", "what does o5 mean", "explain", None),
        ("off_domain", "whats the weather tomorrow", "out_of_scope", None),
    ];
    let open = json!({ "flags": { "tpr_complete": true, "risk_complete": true } });
    let free: Vec<Json> =
        intents.iter().map(|intent| json!({ "text": intent.1, "context": open })).collect();
    let bare: Vec<Json> = intents.iter().map(|intent| json!({ "text": intent.1 })).collect();
    let decisions = decide("malaria", &[free, bare].concat());
    let (free, bare) = decisions.split_at(intents.len());
    for (index, (intent, _, work, gate)) in intents.iter().enumerate() {
        let (free, bare) = (&free[index], &bare[index]);
        let done = free["calls"][0]["tool"].as_str().or(free["route"].as_str());
        assert_eq!(done, Some(*work), "{intent}: {free}");
        assert!(free["confidence"].is_number() && free["rationale"].is_string(), "{free}");
        if let Some(flag) = gate {
            assert_eq!(bare["decision"], "clarify", "{intent}: {bare}");
            assert_eq!(bare["reason"], format!("gate:{flag}"), "{intent}: {bare}");
        } else {
            assert_eq!(bare["decision"], free["decision"], "{intent}: {bare}");
        }
    }
}

#[test]
fn s4_24_s4_27_rules_come_first_then_the_student_and_a_model_only_after_both() {
    let reply =
        json!({ "decision": "tool", "confidence": 0.8, "tool": { "name": "ghrsst.bbox_mean" } });
    let cases = [
        // A choice that was shown is a rule's; no student is asked about a number.
        ("2", "rules", 0, false),
        ("昨天台灣海峽海溫多少？", "linear", 0, false),
        ("昨天台灣海峽海溫多少？", "llm", 1, true),
    ];
    for (text, layer, calls, unsure) in cases {
        // A script fails the test when it is asked once more, or once less, than it has replies.
        let script = if calls == 0 { Script::new() } else { Script::new().reply(&reply) }.start();
        let home = Home::new().model(&script);
        let pack = if unsure { home.pack(&[UNSURE]) } else { "ocean".to_owned() };
        let asked = json!({
            "active_tool": "ghrsst.bbox_mean",
            "active_argument": "bbox",
            "options": [
                { "label": "Taiwan", "value": "taiwan_nearby" },
                { "label": "Taiwan Strait", "value": "taiwan_strait" },
            ],
        });
        let context = if layer == "rules" { asked } else { json!({}) };
        let record = json!({ "text": text, "now": NOW, "context": context });
        let args = ["route", "--pack", &pack, "--jsonl"];
        let run = home.run_with(&args, record.to_string().as_bytes());
        let decision = run.ended(0).records().remove(0);
        assert_eq!((&decision["layer"], &decision["llm_calls"]), (&json!(layer), &json!(calls)));
        script.finish();
    }
}

//! `waypost doctor`: it reports what is there, says what to do about what is not, and changes
//! nothing by looking.

use serde_json::{Map, Value as Json, json};
use waypost_testing::{Fault, Script};

use crate::support::{Home, server};

/// The findings of a run by what they are about.
fn finding<'a>(report: &'a Json, what: &str) -> &'a Json {
    let mut found = report["checks"].as_array().unwrap().iter().filter(|f| f["what"] == what);
    found.next().unwrap_or_else(|| panic!("nothing is said of `{what}`: {report}"))
}

fn examined(home: &Home, status: i32) -> Json {
    let run = home.run(&["doctor", "--json"]);
    assert_eq!(run.status, status, "{run:?}");
    run.json()
}

#[test]
fn a_fresh_home_is_well_and_stays_as_it_is() {
    let home = Home::new();
    let report = examined(&home, 0);
    for finding in report["checks"].as_array().unwrap() {
        assert_eq!(finding["state"], "ok", "{finding}");
    }
    let says = |what: &str| finding(&report, what)["says"].as_str().unwrap().to_owned();
    assert!(says("program").contains(env!("CARGO_PKG_VERSION")));
    assert!(says("home").contains("can be written"), "{}", says("home"));
    assert!(says("configuration").contains("the environment sets WAYPOST_HOME"));
    assert!(says("store").contains("none yet"));
    assert!(says("student").contains("right, calibration error"));
    assert!(
        says("server ocean").contains("has 4 of the pack's 4 tools"),
        "{}",
        says("server ocean")
    );
    assert!(says("models").contains("none is configured"));
    assert_eq!(home.files(), Vec::<String>::new());

    home.ask(&["--session", "s", "tides at Keelung"]).ended(0);
    let report = examined(&home, 0);
    let store = finding(&report, "store")["says"].as_str().unwrap();
    assert!(store.contains("opens, schema 5"), "{store}");
}

#[test]
fn what_cannot_be_reached_is_told_with_what_to_do_and_no_key() {
    let nobody = Script::new().fault(Fault::Refuse).start();
    let home = Home::with_config(&server(&["/nowhere/at/all"]))
        .model(&nobody)
        .set("WAYPOST_MAIN_KEY", "sk-hush");
    home.write("waypost.db", "this is no database, however long it is to be one, and never was");
    let report = examined(&home, 4);
    for what in ["server ocean", "model main", "store"] {
        let finding = finding(&report, what);
        assert_eq!(finding["state"], "fail", "{finding}");
        assert!(finding["hint"].is_string(), "{finding}");
    }
    let plain = home.run(&["doctor"]);
    plain.ended(4);
    assert!(
        plain.stdout.contains("fail  server ocean") && plain.stdout.contains("WAYPOST_MAIN_KEY")
    );
    assert!(!format!("{report}{}{}", plain.stdout, plain.stderr).contains("sk-hush"));
    nobody.finish();
}

#[test]
fn a_model_is_looked_for_and_not_asked() {
    let script = Script::new().start();
    let report = examined(&Home::new().model(&script), 0);
    let says = finding(&report, "model main")["says"].as_str().unwrap().to_owned();
    assert!(says.starts_with("`scripted` is listed, "), "{says}");
    let home = Home::new().model(&script).set("WAYPOST_MAIN_MODEL", "scriptd");
    let report = examined(&home, 0);
    let missing = finding(&report, "model main");
    assert_eq!(missing["state"], "warn");
    assert!(missing["hint"].as_str().unwrap().contains("did you mean `scripted`?"), "{missing}");
    script.finish();
}

#[test]
fn a_faulty_file_is_a_finding_and_the_rest_is_examined() {
    let home = Home::with_config("[modles.main]\nurl = \"x\"\n");
    let report = examined(&home, 4);
    let fault = finding(&report, "configuration");
    assert!(fault["says"].as_str().unwrap().contains("waypost.toml:1:"), "{fault}");
    assert_eq!(finding(&report, "pack")["state"], "ok");

    let home = Home::new();
    let pack = home.pack(&[("fallback: explain", "falback: explain")]);
    let run = home.run(&["doctor", "--pack", &pack]);
    run.ended(4);
    assert!(run.stdout.contains("unknown key `falback`"), "{run:?}");
}

#[test]
fn a_server_without_a_tool_of_the_pack_is_told() {
    let home = Home::new();
    let pack = home.pack(&[("name: tide.forecast", "name: tide.prediction")]);
    let examples = std::path::Path::new(&pack).join("examples.jsonl");
    let text = std::fs::read_to_string(&examples).unwrap();
    std::fs::write(&examples, text.replace("tide.forecast", "tide.prediction")).unwrap();
    let run = home.run(&["doctor", "--json", "--pack", &pack]);
    assert_eq!(run.status, 4, "{run:?}");
    let report = run.json();
    let says = finding(&report, "server ocean")["says"].as_str().unwrap();
    assert!(says.contains("3 of the pack's 4 tools; not tide.prediction"), "{says}");
}

/// A model that says the first name of a list, and reads nothing.
fn guess(asked: &Json) -> String {
    let properties = &asked["response_format"]["json_schema"]["schema"]["properties"];
    let names = properties.as_object().unwrap().keys();
    let mut reply: Map<String, Json> = names.map(|name| (name.clone(), Json::Null)).collect();
    if let Some(decision) = reply.get_mut("decision") {
        *decision = properties["decision"]["enum"][0].clone();
    }
    Json::Object(reply).to_string()
}

/// A model that chooses as the cases of the pack expect, and reads no arguments.
fn knows(asked: &Json) -> String {
    if asked["response_format"]["json_schema"]["name"] != "decision" {
        return guess(asked);
    }
    let said = asked["messages"].as_array().unwrap().last().unwrap()["content"].as_str().unwrap();
    let cases = include_str!("../../../../packs/ocean/cases.jsonl").lines();
    let mut cases = cases.map(|line| serde_json::from_str::<Json>(line).unwrap());
    let expected =
        cases.find(|case| case["text"].as_str().is_some_and(|text| said.ends_with(text)));
    let expected = expected.map(|case| case["expect"].clone()).unwrap_or_default();
    let tool = expected["tools"].get(0).or(expected.get("route"));
    json!({ "decision": tool.cloned().unwrap_or(json!("out_of_scope")) }).to_string()
}

/// What `doctor --models` says of a model's worth on `ocean`, and what is kept of it.
fn measured(answers: fn(&Json) -> String) -> (Json, Json) {
    let script = Script::new().answering(answers).start();
    let home = Home::new().model(&script);
    let report = home.run(&["doctor", "--models", "--json", "--pack", "ocean"]).json();
    assert_eq!(finding(&report, "model format")["state"], "ok", "{report}");
    let kept = std::fs::read_to_string(home.path("models.json")).unwrap();
    let kept: Json = serde_json::from_str(&kept).unwrap();
    let own = kept.as_object().unwrap().values().next().unwrap()["packs"]["ocean"].clone();
    (finding(&report, "model worth").clone(), own)
}

#[test]
fn a_model_that_guesses_is_in_shadow_and_a_good_one_decides() {
    let (says, kept) = measured(guess);
    assert_eq!(says["state"], "warn", "{says}");
    assert!(says["hint"].as_str().unwrap().contains("stays in shadow"), "{says}");
    let right = |kept: &Json| {
        let choosing = &kept["worths"]["choosing"];
        (choosing["asked"].as_u64().unwrap(), choosing["right"].as_u64().unwrap())
    };
    let (asked, guessed) = right(&kept);
    assert!(asked == 40 && guessed < 20, "{kept}");
    let (says, kept) = measured(knows);
    assert_eq!(says["state"], "ok", "{says}");
    let (asked, known) = right(&kept);
    assert!(asked == 40 && known > 35, "{kept}");
}

//! The requirements of the ocean pack's seed, one a test, seen in decision records.

use serde_json::{Value as Json, json};

use waypost_testing::Script;

use crate::support::{Home, root};

/// Returns the only call that is decided for a text.
#[track_caller]
fn call(text: &str) -> Json {
    let decision = Home::new().decision(&[text]);
    assert_eq!(decision["decision"], "run", "{text}: {decision}");
    assert_eq!(decision["calls"].as_array().unwrap().len(), 1, "{text}: {decision}");
    decision["calls"][0].clone()
}

#[track_caller]
fn arguments(text: &str) -> Json {
    call(text)["arguments"].clone()
}

/// Returns the reason of the question that a text leads to instead of a run.
#[track_caller]
fn asked(text: &str) -> Json {
    let decision = Home::new().decision(&[text]);
    assert_eq!(decision["decision"], "clarify", "{text}: {decision}");
    decision["reason"].clone()
}

#[test]
fn s0_5_s0_20_slots_are_filled_before_anything_runs() {
    let arguments = arguments("前天花蓮外海 121.7E,24.0N 海溫");
    assert_eq!(arguments["longitude"], 121.7);
    assert_eq!(arguments["latitude"], 24.0);
    assert_eq!(arguments["date"], "2025-11-04");
    // Half past midnight in Taipei is the afternoon of the day before in London.
    let home = Home::new();
    let record = |tz: &str| {
        let request = json!({ "text": "SST around Taiwan today", "now": "2025-11-06T00:30:00+08:00", "tz": tz });
        let run = home.run_with(&["route", "--jsonl"], format!("{request}\n").as_bytes());
        run.records()[0]["calls"][0]["arguments"]["date"].clone()
    };
    assert_eq!(record("Asia/Taipei"), "2025-11-06");
    assert_eq!(record("Europe/London"), "2025-11-05");
}

#[test]
fn s0_19_arguments_are_those_of_the_schema_alone() {
    let known = ["longitude", "latitude", "date", "fields", "method"];
    for text in ["SST at 121.5E 25N today", "海溫 lon=121.5 lat=25.0 昨天"] {
        let arguments = arguments(text);
        let names: Vec<&String> = arguments.as_object().unwrap().keys().collect();
        assert!(names.iter().all(|name| known.contains(&name.as_str())), "{names:?}");
    }
}

#[test]
fn s0_25_s0_32_a_place_by_name_is_its_box() {
    for (text, area) in [
        ("SST around Taiwan today", json!([118.0, 20.0, 123.5, 26.5])),
        ("夏威夷群島今天海溫", json!([-162.5, 18.5, -153.5, 23.0])),
        ("台灣海峽今天海溫", json!([118.0, 21.5, 121.5, 26.0])),
    ] {
        let call = call(text);
        assert_eq!(call["arguments"]["bbox"], area, "{text}");
        assert!(call["evidence"]["bbox"]["by"].as_str().unwrap().starts_with("gazetteer place"));
    }
}

#[test]
fn s0_11_s0_22_s0_27_s0_28_the_model_sees_the_words_the_choices_and_a_few_examples() {
    let script = Script::new().reply(json!({ "decision": "explain" })).start();
    let home = Home::with_config("[cascade]\nlayers = [\"llm\"]\n").model(&script);
    home.decision(&["台灣海峽昨天海溫"]);
    let request = script.requests()[0].clone();
    script.finish();
    let messages = request["messages"].as_array().unwrap();
    let words = |message: &Json| message["content"].as_str().unwrap().to_owned();
    let schema = &request["response_format"]["json_schema"]["schema"];
    let names = schema["properties"]["decision"]["enum"].as_array().unwrap();
    let shots = messages.iter().filter(|message| message["role"] == "assistant");
    let shots: Vec<Json> =
        shots.map(|shot| serde_json::from_str::<Json>(&words(shot)).unwrap()).collect();
    assert!((3..=6).contains(&shots.len()), "{shots:?}");
    assert!(shots.iter().all(|shot| names.contains(&shot["decision"])), "{shots:?}");
    for name in names {
        let line = format!("- {}: ", name.as_str().unwrap());
        assert!(words(&messages[0]).contains(&line), "{line}: {messages:?}");
    }
    assert_eq!(words(messages.last().unwrap()), "台灣海峽昨天海溫");
}

#[test]
fn s0_29_s0_34_what_is_not_said_is_the_default_and_says_so() {
    let call = call("台灣周遭海溫多少");
    assert_eq!(call["arguments"]["date"], "2025-11-06");
    assert_eq!(call["arguments"]["fields"], json!(["sst", "sst_anomaly"]));
    for name in ["date", "fields"] {
        assert_eq!(call["evidence"][name]["source"], "default", "{call}");
    }
}

#[test]
fn s0_31_corners_are_sorted_and_a_box_has_an_area() {
    for text in ["SST for bbox 123,25,118,20 today", "[118,25,123,20] 今天海溫"] {
        assert_eq!(arguments(text)["bbox"], json!([118.0, 20.0, 123.0, 25.0]), "{text}");
    }
    for text in ["SST for bbox 118,20,118,25 today", "SST for bbox 118,20,123,95 today"] {
        assert_eq!(asked(text), "gate:values", "{text}");
    }
}

#[test]
fn a_box_with_its_edges_swapped_is_asked_about_with_the_one_between_them() {
    let home = Home::new();
    let ask = |text: &str| home.envelope(&["--session", "swapped", text]);
    let asked = ask("SST for bbox 123,20,118,25 today");
    assert_eq!(asked["raw"]["plan"]["reason"], "gate:values", "{asked}");
    assert_eq!(asked["choices"][0]["value"], json!([118.0, 20.0, 123.0, 25.0]), "{asked}");
    let done = ask("yes");
    let call = &done["raw"]["plan"]["calls"][0];
    assert_eq!(call["arguments"]["bbox"], json!([118.0, 20.0, 123.0, 25.0]), "{done}");
}

#[test]
fn what_cannot_be_read_is_asked_about_and_no_default_stands_for_it() {
    for (text, words) in [
        ("sst Hualien 9999999-01-01", "“9999999-01-01”"),
        ("花蓮 9999999-01-01 海溫", "「9999999-01-01」"),
        ("temperatura del mar en Cádiz el 45 de noviembre", "«45 de noviembre»"),
    ] {
        let answer = Home::new().envelope(&[text]);
        assert_eq!(answer["raw"]["plan"]["reason"], "gate:completeness", "{answer}");
        let question = answer["raw"]["plan"]["question"]["text"].as_str().unwrap();
        assert!(question.contains(words), "{answer}");
    }
}

#[test]
fn what_is_denied_is_not_looked_up() {
    for text in ["sst not off Hualien, off Keelung", "不是花蓮，是基隆的海溫"] {
        assert_eq!(arguments(text)["bbox"], json!([121.6, 25.1, 122.2, 25.6]), "{text}");
    }
    assert_eq!(asked("sst off Hualien, not today"), "gate:completeness");
}

#[test]
fn s0_33_s0_52_a_point_is_on_the_earth() {
    for (text, hint) in [
        ("SST at 121E 95N today", "latitude goes from -90 to 90"),
        ("海溫 lon=190 lat=20 今天", "經度須在 -180 到 180 之間"),
    ] {
        let decision = Home::new().decision(&[text]);
        assert_eq!(decision["decision"], "clarify", "{decision}");
        assert_eq!(decision["reason"], "gate:values", "{decision}");
        let said = decision["question"]["text"].as_str().unwrap();
        assert!(said.contains(hint) && !said.contains('\n'), "{said}");
    }
}

#[test]
fn s0_52_a_box_that_cannot_be_gets_one_line_that_says_why() {
    for (text, hint) in [
        ("SST in bbox [118, 20, 200, 30] yesterday", "longitude goes from -180 to 180"),
        ("SST in bbox [118, 120, 122, 130] yesterday", "latitude goes from -90 to 90"),
        ("SST in bbox [118, 20, 118, 20] yesterday", "has no area"),
        ("SST in bbox [122, 20, 118, 25] yesterday", "the west edge is east of the east edge"),
    ] {
        let decision = Home::new().decision(&[text]);
        assert_eq!(decision["decision"], "clarify", "{decision}");
        assert_eq!(decision["reason"], "gate:values", "{decision}");
        let said = decision["question"]["text"].as_str().unwrap();
        assert!(said.contains(hint) && !said.contains('\n'), "{said}");
    }
}

#[test]
fn s0_53_a_range_of_days_is_a_series_with_its_ends_included() {
    let call = call("台灣海峽 2025-10-01 到 2025-10-05 最高海溫");
    assert_eq!(call["tool"], "ghrsst.bbox_mean_timeseries");
    let arguments = &call["arguments"];
    assert_eq!(arguments["start"], "2025-10-01");
    assert_eq!(arguments["end"], "2025-10-05");
    assert_eq!(arguments["stat"], "max");
    for (text, start, end) in [
        ("Taiwan Strait SST this week", "2025-11-03", "2025-11-06"),
        ("台灣海峽最近三天海溫", "2025-11-03", "2025-11-05"),
        ("Taiwan Strait SST this month", "2025-11-01", "2025-11-06"),
    ] {
        let found = self::arguments(text);
        assert_eq!((&found["start"], &found["end"]), (&json!(start), &json!(end)), "{text}");
    }
}

#[test]
fn s0_54_names_of_towns_and_seas_are_resolved() {
    for (text, tool) in [
        ("今天台北日出日落", "tide.forecast"),
        ("巴士海峽今天海溫", "ghrsst.bbox_mean"),
        ("temperatura del mar en el Mediterráneo hoy", "ghrsst.bbox_mean"),
    ] {
        assert_eq!(call(text)["tool"], tool, "{text}");
    }
}

#[test]
fn s0_16_s0_55_s0_57_the_whole_way_names_the_tool_and_the_units() {
    let answer = Home::new().envelope(&["--debug", "SST around Taiwan today"]);
    assert_eq!(answer["mode"], "tool");
    assert_eq!(answer["source"], "ghrsst.bbox_mean");
    assert!(answer["text"].as_str().unwrap().contains("°C"), "{answer}");
    assert_eq!(answer["raw"]["tool_result"]["date"], "2025-11-05");
    assert_eq!(answer["raw"]["trace"]["events"][0]["relaxed"], json!(["date -1d"]));
    assert_eq!(
        answer["raw"]["plan"]["tool"]["arguments"]["bbox"],
        json!([118.0, 20.0, 123.5, 26.5])
    );
}

#[test]
fn s0_38_plan_always_result_if_any_trace_on_request() {
    let home = Home::new();
    let explained = home.envelope(&["What is GHRSST?"]);
    assert!(explained["raw"]["plan"].is_object());
    assert!(
        explained["raw"].get("tool_result").is_none() && explained["raw"].get("trace").is_none()
    );
    let looked_up = home.envelope(&["--debug", "SST around Taiwan today"]);
    assert!(looked_up["raw"]["tool_result"].is_object() && looked_up["raw"]["trace"].is_object());
}

#[test]
fn each_of_several_questions_has_its_own_place_and_day() {
    let decision = Home::new().decision(&["SST at 121E 25N today and tides at Keelung tomorrow"]);
    let [sea, tide] = decision["calls"].as_array().unwrap().as_slice() else {
        panic!("two questions are two calls: {decision}");
    };
    assert_eq!(sea["arguments"]["longitude"], 121.0);
    assert_eq!(sea["arguments"]["date"], "2025-11-06");
    assert_eq!(tide["evidence"]["longitude"]["text"], "Keelung");
    assert_eq!(tide["arguments"]["date"], "2025-11-07");
    assert!(decision.get("unserved").is_none(), "{decision}");
    // What is said once is shared.
    let decision = Home::new().decision(&["SST and tides at Keelung tomorrow"]);
    let calls = decision["calls"].as_array().unwrap();
    let places = calls.iter().flat_map(|call| call["evidence"].as_object().unwrap().values());
    assert!(places.filter(|evidence| evidence["text"] == "Keelung").count() >= calls.len());
}

#[test]
fn an_explanation_beside_a_tool_is_answered_too() {
    for (text, part) in [
        ("what is GHRSST and SST around Taiwan today", "what is GHRSST"),
        ("什麼是GHRSST還有明天基隆潮汐", "什麼是GHRSST"),
        ("qué es GHRSST y mareas en Keelung mañana", "qué es GHRSST"),
    ] {
        let answer = Home::new().envelope(&[text]);
        let plan = &answer["raw"]["plan"];
        assert_eq!(plan["route"], "tool", "{plan}");
        assert_eq!(plan["unserved"], json!([{ "text": part, "reason": "explain" }]), "{plan}");
        let lines = answer["text"].as_str().unwrap();
        assert!(lines.contains("2025-11-0") && lines.contains("[1]"), "{lines}");
    }
}

#[test]
fn the_half_that_nothing_serves_is_named() {
    let text = "SST around Taiwan yesterday and book me a flight to Tokyo";
    let answer = Home::new().envelope(&[text]);
    let plan = &answer["raw"]["plan"];
    assert_eq!(plan["decision"], "mcp", "{plan}");
    assert_eq!(plan["calls"][0]["tool"], "ghrsst.bbox_mean");
    let left = json!([{ "text": "book me a flight to Tokyo", "reason": "out_of_scope" }]);
    assert_eq!(plan["unserved"], left);
    let lines = answer["text"].as_str().unwrap();
    assert!(lines.contains("°C") && lines.ends_with("Not answered: “book me a flight to Tokyo”."));
    // What merely tells something asks for nothing.
    let decision =
        Home::new().decision(&["I'm going fishing tomorrow, what is the tide at Keelung?"]);
    assert!(decision.get("unserved").is_none(), "{decision}");
}

#[test]
fn a_clause_that_chooses_a_part_of_the_answer_is_no_question_for_the_documents() {
    let home = Home::new();
    for text in [
        "SST at Keelung today, only anomaly",
        "sea temperature at Hualien today, just the anomaly",
        "基隆今天海溫，只要距平",
    ] {
        let answer = home.envelope(&[text]);
        let said = answer["text"].as_str().unwrap();
        assert_eq!(said.lines().count(), 1, "{text}: {said}");
    }
    // What is asked about the part beside it is asked.
    let answer = home.envelope(&["SST at Keelung today, and what is an anomaly?"]);
    assert!(answer["text"].as_str().unwrap().lines().count() > 1, "{answer}");
}

/// What the model is sent where it alone decides about a text.
fn prompted(text: &str) -> Json {
    let script = Script::new().reply(json!({ "decision": "explain" })).start();
    let home = Home::with_config("[cascade]\nlayers = [\"llm\"]\n").model(&script);
    home.decision(&[text]);
    let request = script.requests()[0].clone();
    script.finish();
    request
}

#[test]
fn s0_7_a_reply_that_names_a_tool_and_no_arguments_runs_it_with_those_of_the_words() {
    for reply in [
        json!({ "decision": "sst" }),
        json!({ "decision": "tool", "tool": { "name": "ghrsst.bbox_mean" } }),
    ] {
        // There is one reply: a second question would fail.
        let script = Script::new().reply(&reply).start();
        let home = Home::with_config("[cascade]\nlayers = [\"llm\"]\n").model(&script);
        let answer = home.envelope(&["台灣海峽昨天海溫"]);
        let plan = &answer["raw"]["plan"];
        assert_eq!((&plan["layer"], &plan["llm_calls"]), (&json!("llm"), &json!(1)), "{answer}");
        let [call] = plan["calls"].as_array().unwrap().as_slice() else {
            panic!("one question is one call: {answer}");
        };
        assert_eq!(call["tool"], "ghrsst.bbox_mean", "{answer}");
        assert_eq!(call["arguments"]["bbox"], json!([118.0, 21.5, 121.5, 26.0]), "{answer}");
        assert_eq!(call["arguments"]["date"], "2025-11-05", "{answer}");
        assert_eq!(answer["mode"], "tool", "{answer}");
        assert_eq!(answer["raw"]["tool_result"]["date"], "2025-11-05", "{answer}");
        script.finish();
    }
}

#[test]
fn s0_26_tools_and_places_are_bounded_and_no_list_of_places_is_in_the_prompt() {
    let read = |name: &str| -> Json {
        let text = std::fs::read_to_string(root().join("packs/ocean").join(name)).unwrap();
        serde_saphyr::from_str(&text).unwrap()
    };
    let tools = read("pack.yaml")["tools"].as_array().unwrap().len();
    assert!((1..=6).contains(&tools), "{tools} tools");
    let gazetteer = read("places.yaml");
    let places = gazetteer["entries"].as_object().unwrap();
    assert!((1..=600).contains(&places.len()), "{} places", places.len());
    let request = prompted("海溫多少");
    let instructions = request["messages"][0]["content"].as_str().unwrap();
    let is_named = |place: &&Json| {
        let names = place["names"].as_array().into_iter().flatten();
        names.filter_map(Json::as_str).any(|name| instructions.contains(name))
    };
    // The example of a tool may name a place.
    let named = places.values().filter(is_named).count();
    assert!(named <= 2 * tools, "{named} places: {instructions}");
    let body = request.to_string();
    for key in places.keys().filter(|key| key.contains('_')) {
        assert!(!body.contains(key.as_str()), "{key}: {body}");
    }
}

/// The examples that the model is shown before a text, each with its choice; the nearest last.
fn shots(text: &str) -> Vec<(String, String)> {
    let request = prompted(text);
    let messages = request["messages"].as_array().unwrap().iter();
    let words: Vec<&str> = messages.map(|message| message["content"].as_str().unwrap()).collect();
    // They stand between the instructions and the text.
    let pairs = words[1..words.len() - 1].chunks(2);
    let shot = |pair: &[&str]| {
        let reply: Json = serde_json::from_str(pair[1]).unwrap();
        (pair[0].to_owned(), reply["decision"].as_str().unwrap().to_owned())
    };
    pairs.map(shot).collect()
}

#[test]
fn s0_27_the_examples_that_are_nearest_are_shown_the_nearest_last() {
    for (text, choice) in [
        ("What is GHRSST?", "explain"),
        ("how warm is the sea off Hualien today?", "sst"),
        ("plot SST with python", "code"),
    ] {
        let shots = shots(text);
        assert_eq!(shots.last(), Some(&(text.to_owned(), choice.to_owned())), "{shots:?}");
    }
    // Where a tool, an explanation and a program are all near, each is shown.
    let shots = shots("explain how to get the sea temperature with Python");
    assert_eq!(shots.len(), 6, "{shots:?}");
    for choice in ["sst", "explain", "code"] {
        let own = shots.iter().filter(|(_, own)| own == choice).count();
        assert!((1..=3).contains(&own), "{choice}: {shots:?}");
    }
}

//! `waypost tools`: the catalog for people, for programs, and what fits a text.

use serde_json::{Value as Json, json};

use crate::support::{Home, root};

#[test]
fn the_catalog_fits_a_terminal() {
    let run = Home::new().run(&["tools"]);
    run.ended(0);
    assert!(run.stdout.lines().all(|line| line.chars().count() <= 80), "{}", run.stdout);
    for words in [
        "ghrsst.point_value  read, ",
        "  longitude*, latitude*, date, fields, method\n",
        "\n4 tools: about ",
        "tokens as summaries",
        "(* required",
    ] {
        assert!(run.stdout.contains(words), "{words}: {}", run.stdout);
    }
}

#[test]
fn s0_24_s2_7_the_catalog_for_programs_has_both_levels_and_their_costs() {
    let catalog = Home::new().run(&["tools", "--json"]).json();
    let tools = catalog["tools"].as_array().unwrap();
    assert_eq!(tools.len(), 4);
    let sum: u64 = tools.iter().map(|tool| tool["tokens"]["schema"].as_u64().unwrap()).sum();
    assert_eq!(catalog["tokens"]["schema"], sum);
    for tool in tools {
        assert!(tool["name"].is_string() && tool["summary"].is_string(), "{tool}");
        assert!(tool["schema"]["properties"].is_object(), "{tool}");
        assert!(tool["tokens"]["summary"].as_u64() < tool["tokens"]["schema"].as_u64(), "{tool}");
        let required =
            tool["arguments"].as_array().unwrap().iter().filter(|a| a["required"] == true);
        assert_eq!(required.count(), tool["schema"]["required"].as_array().unwrap().len());
    }
}

#[test]
fn a_search_ranks_in_every_language() {
    let home = Home::new();
    for (text, best) in [
        ("潮汐", "tide.forecast"),
        ("tides at Keelung", "tide.forecast"),
        ("timeseries", "ghrsst.bbox_mean_timeseries"),
        ("mareas en Keelung", "tide.forecast"),
    ] {
        let run = home.run(&["tools", "search", text]);
        run.ended(0);
        assert!(run.stdout.starts_with(best), "{text}: {}", run.stdout);
        let json = home.run(&["tools", "--json", "search", text]).json();
        assert_eq!(json["tools"][0]["name"], best, "{text}");
    }
    let sst = home.run(&["tools", "search", "海溫"]);
    assert!(sst.stdout.starts_with("ghrsst."), "{sst:?}");
}

#[test]
fn options_behind_the_words_are_options() {
    let home = Home::new();
    let run = home.run(&["tools", "search", "risk", "map", "--pack", "malaria", "--json"]);
    let found = run.ended(0).json();
    assert_eq!(found["tools"][0]["name"], "create_vulnerability_map", "{found}");
    let run = home.run(&["tools", "search", "--", "tides", "--pack"]);
    assert!(run.ended(0).stdout.starts_with("tide.forecast"), "{run:?}");
}

#[test]
fn a_search_trains_once_and_keeps_what_it_trained() {
    let home = Home::untrained();
    // The packs in the program come trained.
    let pack = root().join("examples/packs/minimal").to_string_lossy().into_owned();
    let search = ["tools", "search", "--pack", &pack, "tides"];
    home.run(&search).ended(0);
    let kept = home.students();
    assert_eq!(kept.len(), 1);
    let used = || std::fs::metadata(&kept[0]).unwrap().modified().unwrap();
    let before = used();
    home.run(&search).ended(0);
    assert_eq!(home.students(), kept);
    assert!(used() > before, "the second one reads it");
}

#[test]
fn a_search_without_a_result_is_done_with_a_note() {
    let run = Home::new().run(&["tools", "search", "zebra"]);
    run.ended(0).told(&["no tool fits"]);
    assert_eq!(run.stdout, "");
}

#[test]
fn a_search_for_nothing_is_a_wrong_use() {
    let home = Home::new();
    home.run(&["tools", "search"]).ended(2).told(&["nothing to search for", "hint: "]);
    home.run(&["tools", "find", "x"]).ended(2).told(&["has no `find`", "hint: "]);
    home.run(&["tools", "serch", "x"]).ended(2).told(&["did you mean `search`?"]);
}

#[test]
fn a_search_finds_nothing_for_what_no_tool_does_though_a_common_word_is_shared() {
    let home = Home::new();
    for (pack, texts) in [
        ("malaria", ["order a pizza", "the", "book a flight"]),
        ("finance", ["order a pizza", "xyzzy", "what is the capital of Peru"]),
        ("ocean", ["set an alarm for seven", "訂一張機票", "send an email to the team"]),
        ("accelerator", ["turn on the kitchen lights", "the", "buy shoes"]),
    ] {
        for text in texts {
            let found = home.run(&["tools", "--pack", pack, "--json", "search", text]).json();
            assert_eq!(found["tools"], json!([]), "{pack}: {text}");
        }
    }
    for (pack, text, best) in [
        ("malaria", "temperature on a map", "create_variable_distribution"),
        ("malaria", "plan the nets", "run_itn_planning"),
        ("finance", "the price of Apple", "getStockPrice"),
        ("accelerator", "set QF1 to 120 A", "channel_write"),
    ] {
        let found = home.run(&["tools", "--pack", pack, "--json", "search", text]).json();
        let names: Vec<&Json> =
            found["tools"].as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
        assert!(names.iter().take(3).any(|name| *name == best), "{pack}: {text}: {names:?}");
        let score = found["tools"][0]["score"].as_f64().unwrap();
        assert!((0.2..=1.0).contains(&score), "{pack}: {text}: {score}");
    }
}

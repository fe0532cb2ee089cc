//! `waypost lint`: findings with their place, and the exit status that follows from them.

use serde_json::Value as Json;

use crate::support::Home;

const SHORT: (&str, &str) =
    ("summary: Daily sea surface temperature and its anomaly at one point.", "summary: SST.");
const NEVER_ASKED: (&str, &str) = ("  max_calls: 6\n", "  max_calls: 6\n  ask: 0.7\n");

/// The findings of a check.
fn of<'a>(report: &'a Json, check: &str) -> Vec<&'a Json> {
    report["findings"].as_array().unwrap().iter().filter(|f| f["check"] == check).collect()
}

#[test]
fn errors_fail_and_warnings_do_only_where_it_is_strict() {
    let home = Home::new();
    let warned = home.pack(&[SHORT]);
    let run = home.run(&["lint", "--json", "--pack", &warned]);
    run.ended(0);
    let report = run.json();
    assert_eq!(report["errors"], 0, "{report}");
    let summary = of(&report, "summary")[0];
    assert_eq!((&summary["level"], &summary["file"]), (&"warning".into(), &"pack.yaml".into()));
    assert!(summary["message"].as_str().unwrap().contains("`SST.`"), "{summary}");
    // Routes that students confuse are reported with the texts.
    for finding in of(&report, "confusable") {
        let texts = finding["texts"].as_array().unwrap();
        assert!(texts.len() >= 3 && texts.iter().all(|text| text["line"].as_u64() > Some(0)));
    }
    home.run(&["lint", "--strict", "--pack", &warned]).ended(1);

    let failed = home.pack(&[NEVER_ASKED]);
    let run = home.run(&["lint", "--pack", &failed]);
    run.ended(1);
    let text = std::fs::read_to_string(home.path("pack/pack.yaml")).unwrap();
    let line = text.lines().position(|line| line == "  ask: 0.7").unwrap() + 1;
    let told = format!("pack.yaml:{line}: error [threshold-never-matters]: ");
    assert!(run.stdout.contains(&told) && run.stdout.contains("  hint: "), "{run:?}");
    assert!(run.stdout.trim_end().ends_with("warnings"), "{run:?}");
}

#[test]
fn what_loading_refuses_stays_a_fault_of_loading() {
    let home = Home::new();
    let pack = home.pack(&[("fallback: explain", "fallback: explian")]);
    home.run(&["lint", "--pack", &pack]).ended(2).told(&["pack.yaml:", "did you mean `explain`?"]);
}

//! Conversations of keys are found by the names that their users gave. The audit and the log of requests name the key.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value as Json, json};

use crate::serve::Serving;
use crate::support::{Home, NOW};

const JSON: (&str, &str) = ("content-type", "application/json");

/// Makes a key, and returns its id and the header that sends it.
fn key(home: &Home, name: &str) -> (String, String) {
    let run = home.run(&["keys", "add", name]);
    let secret = run.ended(0).stdout.trim();
    (secret.split('_').nth(1).unwrap().to_owned(), format!("Bearer {secret}"))
}

/// Asks in the conversation `ana` of a key.
fn answer(serving: &Serving, bearer: &str, text: &str) -> Json {
    let body = json!({ "text": text, "now": NOW, "session": "ana", "pack": "ocean" }).to_string();
    let headers = [JSON, ("authorization", bearer), ("x-request-id", "r1")];
    let (status, body) = serving.site.ask("POST", "/v1/answer", &headers, &body);
    assert_eq!(status, 200, "{body}");
    serde_json::from_str(&body).unwrap()
}

/// The names by which the conversations of these events are kept.
fn kept(home: &Home, args: &[&str]) -> BTreeSet<String> {
    let run = home.run(&[&["events"], args].concat());
    let records = run.ended(0).records();
    records.iter().map(|record| record["session_id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn conversations_are_found_and_forgotten_by_the_name_that_their_users_gave() {
    let home = Home::new();
    let ((page, first), (phone, second)) = (key(&home, "web page"), key(&home, "phone"));
    let serving = Serving::start(&home, &[]);
    for bearer in [&first, &second] {
        assert_eq!(answer(&serving, bearer, "tide")["mode"], "clarify");
    }
    serving.signal("-TERM");
    // What was asked before the second pack was there is still open.
    let serving = Serving::start(&home, &["--pack", "ocean", "--pack", "malaria"]);
    let settled = answer(&serving, &first, "Keelung");
    assert_eq!(settled["source"], "tide.forecast", "{settled}");
    serving.signal("-TERM");
    home.envelope(&["--session", "ana", "tide"]);
    home.envelope(&["--session", "team/ana", "tide"]);

    let of = |id: &str| format!("@{id}/ana");
    let all = BTreeSet::from([of(&page), of(&phone), "ana".to_owned()]);
    assert_eq!(kept(&home, &["--json", "--limit", "1000", "--session", "ana"]), all);
    assert_eq!(kept(&home, &["export", "--session", "ana"]), all);
    assert_eq!(kept(&home, &["export", "--session", &of(&page)]), [of(&page)].into());

    home.run(&["forget", "ana"]).ended(2).told(&["cannot be taken back", "--yes"]);
    let gone = home.run(&["forget", "ana", "--yes"]);
    let gone = &gone.ended(0).stdout;
    for title in [
        "`ana`:",
        &format!("`ana` of the key `web page` ({page}):"),
        &format!("`ana` of the key `phone` ({phone}):"),
    ] {
        assert!(gone.contains(&format!("removed what was kept of {title} its memory")), "{gone}");
    }
    assert_eq!(home.run(&["forget", "ana"]).ended(0).stdout, "nothing is kept of `ana`\n");
    assert_eq!(kept(&home, &["export"]), ["team/ana".to_owned()].into());
}

#[test]
fn what_is_kept_of_keys_is_for_its_owner_and_names_them() {
    let home = Home::untrained();
    for file in ["audit.jsonl", "keys.lock"] {
        home.write(file, "");
        fs::set_permissions(home.path(file), fs::Permissions::from_mode(0o644)).unwrap();
    }
    let (id, _) = key(&home, "web page");
    home.run(&["keys", "rotate", &id]).ended(0);
    home.run(&["keys", "revoke", &id]).ended(0);
    for file in ["audit.jsonl", "keys.lock"] {
        let mode = fs::metadata(home.path(file)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{file}");
    }
    let audit = fs::read_to_string(home.path("audit.jsonl")).unwrap();
    assert_eq!(audit.lines().count(), 3, "{audit}");
    for line in audit.lines() {
        let line: Json = serde_json::from_str(line).unwrap();
        assert_eq!((&line["key"], &line["key_name"]), (&json!(id), &json!("web page")), "{line}");
    }
}

#[test]
fn a_turn_is_one_line_of_the_log_without_a_word_of_its_user() {
    let home = Home::new().set("RUST_LOG", "waypost=info").set("WAYPOST_LOG", "json");
    let ((_, first), (old, revoked)) = (key(&home, "web page"), key(&home, "old page"));
    home.run(&["keys", "revoke", &old]).ended(0);
    let serving = Serving::start(&home, &[]);
    let answers: Vec<Json> = (10..25)
        .map(|n| answer(&serving, &first, &format!("tides at Keelung on the {n}th")))
        .collect();
    let refused = [JSON, ("authorization", revoked.as_str())];
    assert_eq!(serving.site.ask("POST", "/v1/answer", &refused, r#"{"text":"tide"}"#).0, 401);
    let (_, log) = serving.signal("-TERM");
    let lines: Vec<Json> = log.iter().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let turns: Vec<&Json> = lines.iter().filter(|line| line["message"] == "turn").collect();
    assert_eq!(turns.len(), answers.len(), "every turn, however many: {log:?}");
    for (turn, answer) in turns.iter().zip(&answers) {
        for (field, value) in [
            ("level", &json!("INFO")),
            ("session", &json!("ana")),
            ("key", &json!("web page")),
            ("pack", &json!("ocean")),
            ("decision", &answer["id"]),
            ("mode", &json!("tool")),
            ("tool", &json!("tide.forecast")),
        ] {
            assert_eq!(&turn[field], value, "{field}: {turn}");
        }
        assert!(turn["took_ms"].is_u64(), "{turn}");
        assert_eq!(turn["span"]["id"], "r1", "{turn}");
    }
    let is_refusal = |line: &&Json| line["message"].to_string().contains("a request was refused");
    let warned = lines.iter().find(is_refusal).expect("a warning");
    assert_eq!(warned["level"], "WARN");
    assert_eq!((&warned["key"], &warned["key_name"]), (&json!(old), &json!("old page")));
    assert!(!log.join("\n").contains("Keelung"), "{log:?}");
}

#[test]
fn a_tool_that_fails_is_a_warning() {
    let home = Home::with_fault("error:UNAVAILABLE");
    let (_, bearer) = key(&home, "web page");
    let serving = Serving::start(&home, &[]);
    let failed = answer(&serving, &bearer, "What is the SST near Hawaii today?");
    assert_eq!(failed["mode"], "error", "{failed}");
    let (_, log) = serving.signal("-TERM");
    let warned = log.iter().find(|line| line.contains("a tool failed")).expect("a warning");
    let decision = format!("decision={}", failed["id"]);
    for part in ["WARN", "tool=\"ghrsst.", "codes=\"UNAVAILABLE", "pack=\"ocean\"", &decision] {
        assert!(warned.contains(part), "{part}: {warned}");
    }
    assert!(!log.join("\n").contains("Hawaii"), "{log:?}");
}

//! Texts from outside that steer a terminal, hide words or forge lines: whoever wrote them, and
//! whichever command prints them, none reaches the terminal as it is.

use std::fs;

use serde_json::json;
use waypost_testing::Script;

use crate::support::{Home, NOW, Run};

/// Writes to the clipboard, clears the screen, takes another title, rings, goes back over what was
/// said, turns the direction around, hides, and begins a line that looks like an event.
const HOSTILE: &str = "\u{1b}]52;c;ZXZpbA==\u{7}\u{1b}[2J\u{9b}31m\u{1b}]0;mine\u{1b}\\\r\u{8}\u{8}\
    \u{202e}liw\u{2066}pay\u{200b}pal\u{e0041}\n2025-01-01T00:00:00Z s9 router_event  “forged”";
/// Finds again what was said, where standard output is JSON.
const QUESTION: &str = "海溫多少";

/// Fails the test where a run printed what steers a terminal.
#[track_caller]
fn clean(run: &Run) {
    for text in [&run.stdout, &run.stderr] {
        let found = text.chars().find(|c| steers(*c));
        assert!(found.is_none(), "{found:?} in {text:?}");
    }
}

fn steers(c: char) -> bool {
    c.is_control() && c != '\n'
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200b}' | '\u{e0041}')
}

/// The hostile text with a question that leads to an answer.
fn asked() -> String {
    format!("{QUESTION} {HOSTILE}")
}

/// A home with a conversation that is hostile in its name and in its words, and the id of one of its
/// decisions.
fn remembered() -> (Home, String) {
    let home = Home::new();
    let run = home.ask(&["--session", HOSTILE, &asked()]);
    clean(&run);
    assert!(!run.stdout.is_empty(), "{run:?}");
    let events = home.run(&["events", "--type", "router_event", "--json"]);
    clean(&events);
    let id = events.records()[0]["decision_id"].as_str().unwrap().to_owned();
    assert_eq!(events.records()[0]["session_id"], HOSTILE, "JSON is the same data");
    (home, id)
}

#[test]
fn events_are_lines_that_no_text_forges() {
    let (home, id) = remembered();
    let listed = home.run(&["events"]);
    clean(&listed);
    assert!(
        listed.stdout.contains("␛]52;c;") && listed.stdout.contains("␊2025-01-0"),
        "{listed:?}"
    );
    assert!(!listed.stdout.lines().any(|line| line.starts_with("2025-01-01")), "{listed:?}");
    for args in [
        &["events", "stats"][..],
        &["events", "triage"],
        &["events", "compare"],
        &["events", "export"],
        &["events", "--session", HOSTILE],
        &["events", "--type", HOSTILE],
        &["replay"],
        &["replay", "--with", "ocean", "--since", "2025-01-01"],
        &["replay", HOSTILE],
        &["feedback", &id, "--wrong", "--route", "explain"],
        &["feedback", &id, "--wrong", "--route", HOSTILE],
        &["feedback", HOSTILE, "--right"],
        &["events", "triage", "--json"],
        &["students"],
        &["forget", HOSTILE, "--yes"],
    ] {
        clean(&home.run(args));
    }
}

#[test]
fn what_is_said_of_a_hostile_text_is_clean() {
    let home = Home::new();
    let (text, folder) = (asked(), home.path(HOSTILE).to_string_lossy().into_owned());
    for args in [
        &["why", "--now", NOW, &text][..],
        &["why", "--now", NOW, "--json", &text],
        &["route", "--now", NOW, &text],
        &["parse", "--now", NOW, &text],
        &["parse", "--now", NOW, "--json", &text],
        &["tools", "search", &text],
        &["tools", HOSTILE],
        &["ask", "--now", HOSTILE, &text],
        &["ask", "--pack", HOSTILE, &text],
        &["ask", "--route", HOSTILE, &text],
        &["ask", "--now", NOW, "--debug", &text],
        &["ask", "--now", NOW, "--json", &text],
        &["eval", &folder],
        &["lint", "--pack", &folder],
        &["doctor", "--pack", &folder],
        &["encoder", "remove", HOSTILE],
        &["--config", &folder, "tools"],
        &["demo", HOSTILE],
    ] {
        clean(&home.run(args));
    }
    let lines = format!("{}\nnot json {}\n", json!({ "text": text }), HOSTILE.replace('\n', ""));
    clean(&home.run_with(&["route", "--jsonl"], lines.as_bytes()));
    clean(&home.run_with(&["parse", "--jsonl"], lines.as_bytes()));
}

#[test]
fn a_report_of_hostile_cases_is_clean() {
    let home = Home::new();
    let case = json!({ "text": asked(), "expect": { "route": HOSTILE, "decision": "run" } });
    home.write("cases.jsonl", &format!("{case}\n"));
    let (cases, page) = (home.path("cases.jsonl"), home.path("report.html"));
    let (cases, page) = (cases.to_str().unwrap(), page.to_str().unwrap());
    clean(&home.run(&["eval", "--wrong", "--report", page, cases]));
    let report = fs::read_to_string(page).unwrap();
    assert!(report.contains("⟨U+202E⟩"));
    assert!(!report.chars().any(|c| steers(c) && c != '\t'), "{report}");
}

#[test]
fn a_hostile_pack_is_shown_clean() {
    let home = Home::new();
    let evil = json!(format!("Tides {HOSTILE}")).to_string();
    let pack = home.pack(&[("summary: Daily sea surface", &format!("summary: {evil} #"))]);
    for args in [
        &["tools", "--pack", &pack][..],
        &["tools", "--pack", &pack, "--json"],
        &["lint", "--pack", &pack],
        &["doctor", "--pack", &pack],
        &["eval", "--pack", &pack],
    ] {
        clean(&home.run(args));
    }
    clean(&home.run_with(&["chat", "--pack", &pack], b"/tools\n"));
}

#[test]
fn a_hostile_model_is_read_on_the_terminal_as_it_wrote() {
    let layers = "[cascade]\nlayers = [\"declared\", \"rules\", \"llm\"]\n";
    let question = "GHRSST 是什麼？";
    // The model cannot decide, so the pack's fallback has it write.
    let script = Script::new().reply("{}").reply(HOSTILE).reply("{}").reply(HOSTILE).start();
    let home = Home::with_config(layers).model(&script);
    let run = home.ask(&[question]);
    clean(&run);
    assert!(run.stdout.contains("␛]52;c;ZXZpbA==␇␛[2J"), "{run:?}");
    // The pieces of a stream are cut wherever the model cut them.
    let run =
        home.run_with(&["chat", "--session", HOSTILE], format!("{question}\n/why\n").as_bytes());
    clean(&run);
    assert!(run.stdout.contains("␛]52;c;ZXZpbA==␇␛[2J"), "{run:?}");
    script.finish();
    // Greeted with what was said before.
    clean(&home.run_with(&["chat", "--session", HOSTILE], b"/flags\n/choices\n"));
}

/// A tool server whose results, faults and log are hostile.
#[cfg(unix)]
fn hostile_server(home: &Home) -> String {
    let said = json!(HOSTILE).to_string();
    let reply = |result: &str| {
        format!("printf '%s\\n' '{{\"jsonrpc\":\"2.0\",\"id\":'\"$id\"',\"result\":{result}}}'")
    };
    let hello = reply(
        "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{}},\
         \"serverInfo\":{\"name\":\"x\",\"version\":\"1\"}}",
    );
    let tools = reply(
        "{\"tools\":[{\"name\":\"ghrsst.bbox_mean\",\"inputSchema\":{\"type\":\"object\"},\
         \"annotations\":{\"readOnlyHint\":true}}]}",
    );
    let failed =
        reply(&format!("{{\"isError\":true,\"content\":[{{\"type\":\"text\",\"text\":{said}}}]}}"));
    let script = format!(
        "printf '\\033]0;log\\007\\n' >&2\n\
         while IFS= read -r line; do\n\
         id=$(printf '%s' \"$line\" | sed -n 's/.*\"id\":\\([0-9]*\\).*/\\1/p')\n\
         case \"$line\" in\n\
         *'\"initialize\"'*) {hello};;\n\
         *'\"tools/list\"'*) {tools};;\n\
         *'\"tools/call\"'*) {failed};;\n\
         esac\ndone\n"
    );
    home.write("server.sh", &script);
    home.path("server.sh").to_string_lossy().into_owned()
}

#[cfg(unix)]
#[test]
fn a_hostile_tool_server_says_only_what_can_be_printed() {
    let home = Home::new();
    let server = hostile_server(&home);
    home.write("waypost.toml", &crate::support::server(&["/bin/sh", &server]));
    let question = "現在台灣周遭海溫多少？";
    for args in [&["--debug", question][..], &["--json", question]] {
        let run = home.ask(args);
        clean(&run);
        assert!(run.stdout.contains("mine"), "its words are told: {run:?}");
    }
    let run = home.run_with(&["chat", "--debug"], format!("{question}\n").as_bytes());
    clean(&run);
    clean(&home.run(&["events"]));
    clean(&home.run(&["doctor"]));
}

#[cfg(unix)]
#[test]
fn an_unread_stderr_holds_nothing_up() {
    use std::process::Stdio;
    let home = Home::new();
    // A pipe that is full before the program writes its first word, and that nobody empties.
    let (reader, mut writer) = std::io::pipe().unwrap();
    fill(&mut writer);
    let mut command = home.command(&["ask", "--now", NOW, "現在台灣周遭海溫多少？"]);
    command.env("RUST_LOG", "debug").stdin(Stdio::null()).stdout(Stdio::piped());
    command.stderr(Stdio::from(writer));
    let output = command.spawn().unwrap().wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("2025-11-05：台灣周遭"));
    drop(reader);
}

/// Fills a pipe to its last byte.
#[cfg(unix)]
fn fill(writer: &mut std::io::PipeWriter) {
    use std::io::Write;

    use rustix::fs::{OFlags, fcntl_setfl};
    fcntl_setfl(&*writer, OFlags::NONBLOCK).unwrap();
    for size in [4096, 1] {
        while writer.write(&vec![b'.'; size]).is_ok() {}
    }
    fcntl_setfl(&*writer, OFlags::empty()).unwrap();
}

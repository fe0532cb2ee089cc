//! `waypost chat` with its lines piped in.

use waypost_testing::Script;

use crate::support::{Home, Run};

fn chat(home: &Home, args: &[&str], lines: &[&str]) -> Run {
    let input = lines.join("\n") + "\n";
    home.run_with(&[&["chat"], args].concat(), input.as_bytes())
}

#[test]
fn the_banner_stands_beside_the_data() {
    let run = chat(&Home::new(), &[], &["2025-11-05 台灣周遭海溫"]);
    run.ended(0).told(&["sea surface temperature", "/exit or Ctrl-D"]);
    assert_eq!(run.stdout.lines().count(), 1, "the text comes once: {run:?}");
    assert!(run.stdout.starts_with("2025-11-05：台灣周遭海溫約 "), "{run:?}");
}

#[test]
fn follow_ups_and_choices_work() {
    let lines = ["2025-11-05 台灣海峽海溫", "那2025-11-03呢", "潮汐", "基隆"];
    let run = chat(&Home::new(), &[], &lines);
    run.ended(0);
    assert!(run.stdout.contains("\n2025-11-03："), "{run:?}");
    assert!(run.stdout.contains("  1. "), "{run:?}");
    assert!(run.stdout.lines().last().unwrap().contains("基隆"), "{run:?}");
}

#[test]
fn a_choice_is_taken_by_its_number() {
    let run = chat(&Home::new(), &[], &["海溫多少", "2"]);
    run.ended(0);
    assert!(run.stdout.lines().last().unwrap().contains("台灣海峽海溫約"), "{run:?}");
}

#[test]
fn an_answer_is_printed_as_it_comes_and_once() {
    let script = Script::new().reply("GHRSST 是一個計畫 [1]。").start();
    let run = chat(&Home::new().model(&script), &[], &["GHRSST 是什麼？"]);
    run.ended(0);
    assert!(run.stdout.starts_with("GHRSST 是一個計畫 [1]。\n\n來源:\n[1] "), "{run:?}");
    assert_eq!(run.stdout.matches("一個計畫").count(), 1, "{run:?}");
}

#[test]
fn a_session_is_continued_by_name() {
    let home = Home::new();
    chat(&home, &["--session", "trip"], &["2025-11-05 台灣海峽海溫"]).ended(0);
    let run = chat(&home, &["--session", "trip"], &["那2025-11-03呢"]);
    assert!(run.stdout.starts_with("2025-11-03："), "{run:?}");
    let fresh = chat(&home, &[], &["那2025-11-03呢"]);
    assert!(!fresh.stdout.contains("°C"), "R0.4: another conversation knows nothing: {fresh:?}");
}

#[test]
fn new_forgets_what_was_said() {
    let run = chat(&Home::new(), &[], &["2025-11-05 台灣海峽海溫", "/new", "那2025-11-03呢"]);
    run.ended(0).told(&["a new conversation begins"]);
    assert_eq!(run.stdout.matches("°C").count(), 2, "value and anomaly, once: {run:?}");
}

#[test]
fn commands_help_and_lead() {
    let run =
        chat(&Home::new(), &[], &["/help", "/tools", "/tols", "/debug:maybe", "/exit", "海溫"]);
    run.ended(0).told(&[
        "there is no command `/tols`",
        "did you mean `/tools`?",
        "`/debug:maybe` is not what `/debug` takes",
    ]);
    assert!(run.stdout.contains("/new     forget this conversation"), "{run:?}");
    assert!(run.stdout.contains("ghrsst.bbox_mean_timeseries"), "{run:?}");
    assert!(!run.stdout.contains("哪個地點"), "nothing is read after /exit: {run:?}");
}

#[test]
fn s0_3_debug_shows_layer_and_evidence_only_when_on() {
    let question = "2025-11-05 台灣周遭海溫";
    let run = chat(&Home::new(), &[], &[question, "/debug:on", question, "/debug:off", question]);
    run.ended(0);
    assert_eq!(run.stdout.matches("decided ").count(), 1, "{run:?}");
    for shown in ["run tool", " linear ", "← span “2025-11-05” (", "answered", " ms to decide"]
    {
        assert!(run.stdout.contains(shown), "`{shown}` is missing: {run:?}");
    }
    let row = run.stdout.lines().find(|line| line.starts_with("    date ")).unwrap();
    assert!(row.contains("\"2025-11-05\"  "), "{row}");
    assert!(!run.stdout.contains('\u{1b}'), "no color in a pipe: {run:?}");
}

#[test]
fn why_tells_of_the_last_decision_in_full_also_of_a_question() {
    let run = chat(&Home::new(), &[], &["/why", "海溫多少", "/why"]);
    run.ended(0).told(&["nothing has been decided yet"]);
    for shown in ["gate closed", "completeness", "asks for ", "\n  pack ", "\n  student "] {
        assert!(run.stdout.contains(shown), "`{shown}` is missing: {run:?}");
    }
}

#[test]
fn the_open_question_is_shown_again_until_it_is_answered() {
    let run = chat(&Home::new(), &[], &["/choices", "海溫多少", "/choices", "2", "/choices"]);
    run.ended(0);
    assert_eq!(run.stderr.matches("no question is open").count(), 2, "{run:?}");
    let asked = run.stdout.lines().next().unwrap();
    assert_eq!(run.stdout.matches(asked).count(), 2, "{run:?}");
    assert_eq!(run.stdout.matches("\n  2. ").count(), 2, "{run:?}");
}

#[test]
fn shortcuts_say_their_words() {
    let home = Home::new();
    for (command, word) in
        [("/back", "back"), ("/skip", "skip"), ("/cancel", "cancel"), ("/status", "status")]
    {
        chat(&home, &["--session", word], &[command]).ended(0);
        let told = format!("`{word}` goes on after “{word}”.");
        chat(&home, &["--session", word], &[]).ended(0).told(&[&told]);
    }
}

#[test]
fn flags_show_what_is_remembered() {
    let run = chat(&Home::new(), &[], &["/flags", "2025-11-05 台灣海峽海溫", "/flags"]);
    run.ended(0).told(&["no flag is set and nothing was called yet"]);
    for shown in ["\n  call ", "ghrsst.bbox_mean", "\"2025-11-05\"", "“2025-11-05 台灣海峽海溫”"]
    {
        assert!(run.stdout.contains(shown), "`{shown}` is missing: {run:?}");
    }
}

#[test]
fn a_conversation_that_goes_on_says_what_it_remembers() {
    let home = Home::new();
    let first = chat(&home, &["--session", "trip"], &["2025-11-05 台灣海峽海溫", "海溫多少"]);
    first.told(&["`trip` is a new conversation."]);
    let run = chat(&home, &["--session", "trip"], &["/choices", "2"]);
    let question = run.stdout.lines().next().unwrap();
    assert!(first.stdout.contains(question), "in its own words: {first:?} {run:?}");
    run.ended(0).told(&[
        "`trip` goes on after “海溫多少”.",
        "ghrsst.bbox_mean",
        question,
        "\n  2. ",
    ]);
    assert!(run.stdout.lines().last().unwrap().contains("台灣海峽海溫約"), "{run:?}");
}

#[test]
fn after_new_a_named_conversation_begins_again_under_its_name() {
    let home = Home::new();
    chat(&home, &["--session", "trip"], &["海溫多少", "/new", "潮汐"]).ended(0);
    let run = chat(&home, &["--session", "trip"], &["/choices"]);
    run.ended(0).told(&["`trip` goes on after “潮汐”."]);
    assert!(run.stdout.contains("  1. "), "{run:?}");
}

#[test]
fn a_question_survives_a_kill() {
    use std::io::{BufRead, BufReader, Write};
    use std::process::Stdio;

    let home = Home::new();
    let mut command = home.command(&["chat", "--session", "trip"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    writeln!(child.stdin.as_mut().unwrap(), "海溫多少").unwrap();
    let mut said = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    while !line.contains("  1. ") {
        line.clear();
        assert_ne!(said.read_line(&mut line).unwrap(), 0, "the program left");
    }
    // A kill that cannot be caught: nothing can be written any more.
    child.kill().unwrap();
    child.wait().unwrap();
    let run = chat(&home, &["--session", "trip"], &["2"]);
    run.ended(0).told(&["  1. ", "  2. "]);
    assert!(run.stdout.contains("台灣海峽海溫約"), "{run:?}");
}

#[test]
fn a_bad_line_does_not_end_the_conversation() {
    let mut input = b"\xff\xfe\n".to_vec();
    input.extend("x".repeat(70_000).as_bytes());
    input.extend("\n\n2025-11-05 台灣周遭海溫\n".as_bytes());
    let run = Home::new().run_with(&["chat"], &input);
    run.ended(0).told(&["not UTF-8", "the limit is 65536"]);
    assert!(run.stdout.starts_with("2025-11-05："), "{run:?}");
}

#[cfg(unix)]
#[test]
fn an_interrupt_stops_the_answer_and_not_the_program() {
    use std::io::{BufRead, BufReader, Read, Write};
    use std::process::{Command, Stdio};

    let home = Home::with_fault("hang");
    let mut command = home.command(&["chat", "--debug"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    writeln!(stdin, "2025-11-05 台灣周遭海溫").unwrap();
    // The server's log says that it was called; only then is there something to stop.
    let mut line = String::new();
    while !line.contains("hang") {
        line.clear();
        assert_ne!(stderr.read_line(&mut line).unwrap(), 0, "the program left");
    }
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    while !line.contains("stopped") {
        line.clear();
        assert_ne!(stderr.read_line(&mut line).unwrap(), 0, "the program left");
    }
    writeln!(stdin, "/help").unwrap();
    drop(stdin);
    let mut said = String::new();
    child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(said.contains("/exit"), "{said}");
    assert!(child.wait().unwrap().success());
}

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
    assert!(run.stdout.contains("/new    forget this conversation"), "{run:?}");
    assert!(run.stdout.contains("ghrsst.bbox_mean_timeseries"), "{run:?}");
    assert!(!run.stdout.contains("哪個地點"), "nothing is read after /exit: {run:?}");
}

#[test]
fn s0_3_debug_shows_layer_and_evidence_only_when_on() {
    let question = "2025-11-05 台灣周遭海溫";
    let run = chat(&Home::new(), &[], &[question, "/debug:on", question, "/debug:off", question]);
    run.ended(0);
    assert_eq!(run.stdout.matches("[linear ").count(), 1, "{run:?}");
    assert!(run.stdout.contains("date = \"2025-11-05\"  ← span “2025-11-05”"), "{run:?}");
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

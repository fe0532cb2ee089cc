//! Plans outlive their process: one that is killed in the middle goes on from its last finished step, or is given up; and a
//! client that leaves stops what runs for it, down to the tool server.

use std::fs;
use std::io::Write;
use std::net::TcpStream;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use crate::serve::Serving;
use crate::support::{Home, WAYPOST, named_server};

/// A time longer than anything here takes.
const DEADLINE: Duration = Duration::from_secs(90);
const AT: &str = "2026-03-18T10:00:00+08:00";
const PLOT: &str = "plot the beam current over the last 2 hours";

/// A home whose simulated machine takes `fault` for each call, and notes it in its journal.
fn home(fault: &str) -> Home {
    let home = Home::new();
    let journal = home.path("journal").display().to_string();
    let demo = [WAYPOST, "demo", "accelerator", "--now", AT, "--journal", &journal];
    home.write(
        "waypost.toml",
        &named_server("accelerator", &[&demo[..], &["--fault", fault]].concat()),
    );
    home
}

/// The lines of the journal that begin with `what`: the tools, in that order.
fn noted(home: &Home, what: &str) -> Vec<String> {
    let journal = fs::read_to_string(home.path("journal")).unwrap_or_default();
    let lines = journal.lines().filter_map(|line| line.strip_prefix(what));
    lines.filter_map(|line| Some(line.split_whitespace().next()?.to_owned())).collect()
}

/// Asks, and kills the program when the machine has begun with `tool`.
fn killed_in(home: &Home, session: &str, tool: &str) {
    let before = noted(home, "begin").iter().filter(|own| *own == tool).count();
    let args = ["ask", "--pack", "accelerator", "--now", AT, "--session", session, PLOT];
    let mut command = home.command(&args);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    while noted(home, "begin").iter().filter(|own| *own == tool).count() == before {
        assert!(child.try_wait().unwrap().is_none(), "it ended before {tool} began");
        std::thread::yield_now();
    }
    // On Unix this is SIGKILL: no destructor runs.
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Waits until something is so; no longer than anything here takes.
fn until(is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < DEADLINE, "it did not come to be");
        std::thread::yield_now();
    }
}

fn listed(home: &Home, args: &[&str]) -> Vec<Json> {
    let run = home.run(&[&["runs", "--json"], args].concat());
    run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn s3_29_a_plan_goes_on_from_its_last_finished_step_after_its_process_was_killed() {
    let home = home("delay:300");
    assert!(home.run(&["runs"]).ended(0).stderr.contains("no run was cut short"));
    killed_in(&home, "ana", "archiver_retrieval");
    let runs = listed(&home, &[]);
    let finished: Vec<&str> = runs[0]["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| step["tool"].as_str().unwrap())
        .collect();
    assert_eq!(
        (runs.len(), finished),
        (1, vec!["channel_finding", "time_range_parsing"]),
        "{runs:?}"
    );
    let id = runs[0]["id"].as_str().unwrap();
    let shown = home.run(&["runs", "show", id]).ended(0).stdout.clone();
    assert!(shown.contains("cut short, 2 of 4 steps") && shown.contains("-  python"), "{shown}");

    let answer = home.run(&["runs", "resume", id, "--json"]).ended(0).json();
    let plan = &answer["raw"]["plan"];
    assert_eq!((&plan["resumes"], &plan["layer"]), (&json!(id), &json!("declared")), "{answer}");
    let text = answer["text"].as_str().unwrap();
    assert!(text.contains("RING:BEAM:CURRENT: ") && text.contains("mean "), "{answer}");
    let begun = noted(&home, "begin");
    let count = |tool: &str| begun.iter().filter(|own| *own == tool).count();
    assert_eq!(
        ["channel_finding", "time_range_parsing", "archiver_retrieval", "python"].map(count),
        [1, 1, 2, 1],
        "what had ended is not done again"
    );
    assert_eq!(listed(&home, &[]), [json!(null); 0]);
    let all = listed(&home, &["--all"]);
    assert_eq!((&all[0]["end"], all[0]["steps"].as_array().unwrap().len()), (&json!("done"), 4));
    let again = home.run(&["runs", "resume", id]);
    assert!(again.status != 0 && again.stderr.contains("has ended"), "{again:?}");
    let unknown = home.run(&["runs", "show", "nothing"]);
    assert!(unknown.stderr.contains("`waypost runs --all` lists them"), "{unknown:?}");
}

#[test]
fn the_conversation_is_told_what_was_cut_short_and_gives_it_up_or_goes_on() {
    let home = home("delay:300");
    let ask = |text: &str| {
        let args = ["ask", "--pack", "accelerator", "--now", AT, "--session", "ben", text];
        home.run(&args).stdout
    };
    killed_in(&home, "ben", "archiver_retrieval");
    let told = ask("你好");
    assert!(told.contains(PLOT) && told.contains("/resume"), "{told}");
    assert!(!ask("你好").contains("/resume"), "once");
    let resumed = ask("/resume");
    assert!(!resumed.contains("cut short"), "{resumed}");
    assert_eq!(noted(&home, "begin").iter().filter(|tool| *tool == "python").count(), 1);
    killed_in(&home, "ben", "python");
    assert!(ask("/abandon").contains("Given up"));
    assert!(ask("/resume").contains("nothing that was cut short"));
    assert_eq!(listed(&home, &["--all", "--session", "ben"])[0]["end"], "abandoned");
}

#[test]
fn a_client_that_leaves_its_stream_stops_the_step_at_the_tool_server() {
    let home = home("delay:60000");
    let serving = Serving::start(&home, &["--pack", "accelerator"]);
    let body = json!({ "text": PLOT, "now": AT, "session": "eva" }).to_string();
    let mut client = TcpStream::connect(serving.site.address()).unwrap();
    let request = format!(
        "POST /v1/answer HTTP/1.1\r\nhost: {}\r\naccept: text/event-stream\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        serving.site.address(),
        body.len()
    );
    client.write_all(request.as_bytes()).unwrap();
    until(|| noted(&home, "begin").len() == 2);
    drop(client);
    until(|| noted(&home, "cancel").len() == 2);
    assert!(noted(&home, "end").is_empty());
}

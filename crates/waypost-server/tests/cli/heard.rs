//! What a user says is heard: words of navigation reach the tools while nothing is under way, a word on a decision changes the next
//! one, and what a gate held back is offered once it is open.

use serde_json::Value as Json;

use crate::odd_servers::server;
use crate::support::{Home, NOW};

/// Tools with the names and words of public servers; each answers with its name.
const TOOLS: &str = r#"
def call(name, arguments):
    return "called " + name
region = {"type": "object", "properties": {"region": {"type": "string", "enum": ["north", "south"]}}, "required": ["region"]}
TOOLS = [
    tool("git_status", "Shows the working tree status"),
    tool("git_branch", "List Git branches"),
    tool("git_log", "Shows the commit logs"),
    tool("go_back", "Goes back to the previous page in the browser."),
    tool("cancel_order", "Cancel the order of the shop."),
    tool("show_region", "Shows a region of the map.", inputSchema=region),
]
"#;

#[test]
fn words_of_navigation_are_requests_while_nothing_is_under_way() {
    let home = Home::new();
    let server = server(&home, TOOLS);
    for (text, tool) in
        [("status", "git_status"), ("what's the status?", "git_status"), ("go back", "go_back")]
    {
        let run = home.run(&["ask", "--mcp", &server, text]);
        assert_eq!(run.ended(0).stdout.trim(), format!("called {tool}"), "{text}");
    }
    // Who cancels wants nothing done, whatever a tool is called.
    for text in ["quit", "cancel"] {
        let run = home.run(&["ask", "--mcp", &server, text]);
        assert!(run.ended(0).stdout.starts_with("Stopped."), "{run:?}");
    }
}

#[test]
fn words_of_navigation_steer_what_is_under_way() {
    let home = Home::new();
    let server = server(&home, TOOLS);
    for word in ["cancel", "stop"] {
        let input = format!("show a region of the map\n{word}\n");
        let run = home.run_with(&["chat", "--mcp", &server], input.as_bytes());
        let said = &run.ended(0).stdout;
        assert!(said.contains("Stopped.") && !said.contains("called"), "{word}: {said}");
    }
}

/// Asks in a session, and returns the id of the decision.
fn asked(home: &Home, server: &str, session: &str, text: &str) -> String {
    let run = home.run(&["ask", "--json", "--session", session, "--mcp", server, text]);
    run.json()["id"].as_str().unwrap().to_owned()
}

#[test]
fn a_word_on_a_decision_changes_the_next_question() {
    let home = Home::new();
    let server = server(&home, TOOLS);
    let text = "which branches are there";
    // After another question, too, it is no follow-up.
    asked(&home, &server, "s", "show the commit logs");
    let id = asked(&home, &server, "s", text);
    let nowhere = home.run(&["feedback", &id, "--wrong", "--tool", "git_log"]);
    nowhere.ended(4).told(&["the pack `odd`, which is not in this program", "--mcp"]);
    let run = home.run(&["feedback", &id, "--wrong", "--mcp", &server]);
    assert!(run.ended(0).stdout.contains("once what was right is said"), "{run:?}");
    let right = ["feedback", &id, "--wrong", "--tool", "git_log", "--mcp", &server];
    let noted = format!("noted: “{text}” is tool with git_log");
    assert_eq!(home.run(&right).ended(0).stdout.trim(), noted);
    let run = home.run(&["ask", "--mcp", &server, text]);
    assert_eq!(run.ended(0).stdout.trim(), "called git_log");
}

#[test]
fn what_is_said_to_be_out_of_scope_is_refused_the_next_time() {
    let home = Home::new();
    let server = server(&home, TOOLS);
    let text = "list the branches of the oak";
    let run = home.run(&["ask", "--mcp", &server, text]);
    assert_eq!(run.ended(0).stdout.trim(), "called git_branch");
    let id = asked(&home, &server, "s", text);
    let run = home.run(&["feedback", &id, "--wrong", "--route", "out_of_scope", "--mcp", &server]);
    assert_eq!(run.ended(0).stdout.trim(), format!("noted: “{text}” is out_of_scope"));
    let run = home.run(&["ask", "--mcp", &server, text]);
    assert!(!run.stdout.contains("called"), "{run:?}");
    let run = home.run(&["ask", "--mcp", &server, "list the branches"]);
    assert_eq!(run.ended(0).stdout.trim(), "called git_branch");
}

#[test]
fn feedback_says_if_it_waits_for_a_training() {
    let home = Home::new();
    let id = home.envelope(&["台灣海峽今天海溫"])["id"].as_str().unwrap().to_owned();
    let run = home.run(&["feedback", &id, "--right"]);
    let noted = "noted for the next training: “台灣海峽今天海溫” is tool with ";
    assert!(run.ended(0).stdout.starts_with(noted), "{run:?}");
}

/// An edit of the ocean pack after which the mean of the sea waits for a forecast of the tides.
const GATED: [(&str, &str); 2] = [
    (
        "  - name: tide.forecast\n    server: ocean\n",
        "  - name: tide.forecast\n    server: ocean\n    sets: [tide_done]\n",
    ),
    (
        "  - name: ghrsst.bbox_mean\n    server: ocean\n",
        "  - name: ghrsst.bbox_mean\n    server: ocean\n    requires: [tide_done]\n",
    ),
];

/// A turn of a conversation with the gated pack: what is said, and the record of the decision.
fn turn(home: &Home, pack: &str, text: &str) -> (String, Json) {
    let args = ["ask", "--json", "--now", NOW, "--pack", pack, "--session", "s", text];
    let answer = home.run(&args).json();
    (answer["text"].as_str().unwrap().to_owned(), answer["raw"]["plan"].clone())
}

#[test]
fn what_a_gate_held_back_is_offered_when_it_opens() {
    let home = Home::new();
    let pack = home.pack(&GATED);
    let turn = |text: &str| turn(&home, &pack, text);
    let offer = "“SST around Taiwan today” can be done now. Shall I?";
    assert_eq!(turn("SST around Taiwan today").1["reason"], "gate:tide_done");
    let (said, opened) = turn("tides at Keelung today");
    assert!(said.ends_with(offer), "{said}");
    assert_eq!(opened["calls"][0]["tool"], "tide.forecast", "{opened}");
    let (said, done) = turn("yes");
    assert_eq!(done["outcome"], "run", "{done}");
    assert_eq!(done["calls"][0]["tool"], "ghrsst.bbox_mean", "{done}");
    assert!(!said.contains("Shall I?"), "{said}");
    // It is offered once.
    assert!(!turn("tides at Keelung today").0.contains("Shall I?"));
}

#[test]
fn what_a_gate_held_back_and_the_user_gives_up_is_not_offered() {
    let home = Home::new();
    let pack = home.pack(&GATED);
    let turn = |text: &str| turn(&home, &pack, text);
    turn("SST around Taiwan today");
    assert_eq!(turn("cancel").1["reason"], "steer:stopped");
    assert!(!turn("tides at Keelung today").0.contains("Shall I?"));
}

#[test]
fn a_write_that_a_gate_held_back_still_waits_for_its_approval() {
    let home = Home::new();
    let [sets, (from, requires)] = GATED;
    let writes = format!("{requires}    access: write\n");
    let pack = home.pack(&[sets, (from, &writes)]);
    let turn = |text: &str| turn(&home, &pack, text);
    assert_eq!(turn("SST around Taiwan today").1["reason"], "gate:tide_done");
    assert!(turn("tides at Keelung today").0.ends_with("Shall I?"));
    assert_eq!(turn("yes").1["reason"], "gate:approval");
    assert_eq!(turn("yes").1["outcome"], "run");
}

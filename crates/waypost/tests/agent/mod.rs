//! The agent: what people, programs and servers see of a turn, for each strategy, each guard and each budget.

mod parts;
mod same;

use parts::{Play, golden, play, trained};
use waypost::Code;

const ONE: &str = "what does Acme cost";
const TWO: &str = "compare the price of Acme and Bolt";
const THREE: &str = "quotes of Acme, Bolt and Cork";
const SIX: &str = "quotes of Acme, Bolt, Cork, Dune, Echo and Fern";
const SEVEN: &str = "quotes of Acme, Bolt, Cork, Dune, Echo, Fern and Gale";
const FOUND: &str = "Bolt is dearer: it stands at 225, Acme at 125.";

/// Plays a turn and compares it with its golden file.
fn check(name: &str, edits: &[(&str, &str)], one: &Play<'_>) -> parts::Played {
    let played = play(&trained(edits), one);
    golden(name, &played.trace);
    played
}

#[test]
fn s2_19_one_call_needs_no_model() {
    let played =
        check("direct", &[], &Play { text: ONE, replies: &["not asked"], ..Play::default() });
    assert!(played.prompts.is_empty());
}

#[test]
fn s2_21_several_calls_stand_side_by_side_without_a_model() {
    let played = check("beside", &[], &Play { text: TWO, ..Play::default() });
    assert!(played.answer.unwrap().text.contains("| 125"));
}

#[test]
fn s2_18_s2_19_s2_33_a_direct_turn_ends_with_the_models_words() {
    let played =
        check("direct_model", &[], &Play { text: TWO, replies: &[FOUND], ..Play::default() });
    assert!(played.answer.unwrap().text.starts_with(FOUND));
    assert_eq!(played.prompts.len(), 1);
}

#[test]
fn s2_19_s2_33_an_iterative_turn_calls_what_it_still_needs() {
    let calls = r#"<calls>[{"tool": "rivals", "arguments": {"symbol": "ACME"}}]</calls>"#;
    let replies = [calls, "Acme's rivals are BOLT and CORK. Cork is the dearest at 325."];
    let edits = [("max_calls: 10", "max_calls: 10, more_tools: 8")];
    let played =
        check("iterative", &edits, &Play { text: THREE, replies: &replies, ..Play::default() });
    assert_eq!(played.prompts.len(), 2);
}

#[test]
fn s2_19_s2_33_a_parallel_turn_plans_its_calls() {
    let replies = ["Gale is the dearest at 725."];
    check("parallel", &[], &Play { text: SEVEN, replies: &replies, ..Play::default() });
}

#[test]
fn s2_3_s2_20_only_the_schemas_of_the_chosen_tools_reach_the_model() {
    let one = Play { text: THREE, replies: &["Cork is the dearest at 325."], ..Play::default() };
    let played = play(&trained(&[]), &one);
    let prompt = &played.prompts[0].messages[0].content;
    let shown: Vec<&str> = prompt.lines().filter(|line| line.contains("\"parameters\":")).collect();
    assert_eq!(shown.len(), 1, "{prompt}");
    assert!(shown[0].contains("\"name\":\"quote\""), "{prompt}");
    assert_eq!(played.called, ["quote"; 3]);
}

#[test]
fn a_model_that_repeats_itself_is_stopped() {
    let again = r#"{"tool": "quote", "arguments": {"symbol": "ACME"}}"#;
    let replies = [again, again];
    let played = check("repeats", &[], &Play { text: THREE, replies: &replies, ..Play::default() });
    assert_eq!(played.prompts.len(), 2);
}

#[test]
fn a_tool_that_is_not_there_is_named() {
    let invents = r#"{"tool": "crystal_ball", "arguments": {}}"#;
    let replies = [invents, "Cork is the dearest at 325."];
    check("unknown_tool", &[], &Play { text: THREE, replies: &replies, ..Play::default() });
}

#[test]
fn a_model_that_calls_nothing_that_may_be_called_is_stopped() {
    let invents = r#"{"tool": "crystal_ball", "arguments": {}}"#;
    let replies = [invents, invents];
    check("no_progress", &[], &Play { text: THREE, replies: &replies, ..Play::default() });
}

#[test]
fn a_value_that_nothing_bears_out_does_not_run() {
    let guesses = r#"{"tool": "quote", "arguments": {"symbol": "ZETA"}}"#;
    let replies = [guesses, "I do not know."];
    check("ungrounded", &[], &Play { text: THREE, replies: &replies, ..Play::default() });
}

#[test]
fn a_value_of_a_result_is_a_receipt() {
    let asks = r#"{"tool": "quote", "arguments": {"symbol": "CORK"}}"#;
    let replies = [asks, "Cork stands at 325."];
    let edits = [(
        "agent: { max_calls: 10 }",
        "agent: { model_from: 1, turns: { direct: 3 }, more_tools: 9 }",
    )];
    let text = "who are the rivals of Acme";
    check("receipt", &edits, &Play { text, replies: &replies, ..Play::default() });
}

#[test]
fn the_user_id_is_the_servers_own() {
    let fills = r#"{"tool": "notes", "arguments": {"symbol": "ACME", "user_id": "ben"}}"#;
    let replies = [fills, "You noted: buy low."];
    let edits = [("agent: { max_calls: 10 }", "agent: { model_from: 1, turns: { direct: 3 } }")];
    let text = "my notes on Acme";
    let played = check("user_id", &edits, &Play { text, replies: &replies, ..Play::default() });
    let prompts: String = played
        .prompts
        .iter()
        .flat_map(|prompt| &prompt.messages)
        .map(|message| message.content.as_str())
        .collect();
    assert!(!prompts.contains("user_id"), "{prompts}");
}

#[test]
fn a_call_that_changes_something_is_not_the_models_to_make() {
    let buys = r#"{"tool": "order", "arguments": {"symbol": "ACME"}}"#;
    let replies = [buys, "I bought nothing."];
    let edits = [("agent: { max_calls: 10 }", "agent: { more_tools: 9 }")];
    let text = "compare the price of Acme and Bolt, and who competes with Acme";
    check("approval", &edits, &Play { text, replies: &replies, ..Play::default() });
}

#[test]
fn the_word_of_a_platform_is_no_approval_of_what_a_model_comes_up_with() {
    let buys = r#"{"tool": "order", "arguments": {"symbol": "ACME"}}"#;
    let replies = [buys, "I bought nothing."];
    let edits = [("agent: { max_calls: 10 }", "agent: { more_tools: 9 }")];
    let text = "compare the price of Acme and Bolt, and who competes with Acme";
    let one = Play { text, replies: &replies, vouched: true, ..Play::default() };
    let played = play(&trained(&edits), &one);
    assert!(!played.called.is_empty() && !played.called.contains(&"order".to_owned()));
    assert_eq!(played.prompts.len(), 2, "{}", played.trace);
}

#[test]
fn figures_that_were_not_given_are_not_told() {
    let replies = ["Bolt is dearer: it stands at 999. Acme stands at 125."];
    let played = check("figures", &[], &Play { text: TWO, replies: &replies, ..Play::default() });
    assert!(!played.answer.unwrap().text.contains("999"));
}

#[test]
fn a_server_that_dies_in_the_middle_leaves_what_it_gave() {
    let replies = ["Acme stands at 125; of the others nothing is known."];
    let one = Play { text: THREE, replies: &replies, dies_after: 1, ..Play::default() };
    check("dead_server", &[("policy: {", "policy: { max_tries: 1,")], &one);
}

#[test]
fn s2_41_a_model_that_dies_leaves_the_results() {
    let calls = r#"<calls>[{"tool": "quote", "arguments": {"symbol": "ACME"}}]</calls>"#;
    check("dead_model", &[], &Play { text: THREE, replies: &[calls], ..Play::default() });
}

#[test]
fn s2_41_a_model_that_dies_leaves_all_results_of_a_complex_question() {
    let calls = r#"<calls>[{"tool": "quote", "arguments": {"symbol": "ACME"}}]</calls>"#;
    let played = play(&trained(&[]), &Play { text: SIX, replies: &[calls], ..Play::default() });
    assert!(played.trace.starts_with("decided   parallel "), "{}", played.trace);
    assert!(played.trace.contains("degraded  [\"model:UNAVAILABLE\"]"), "{}", played.trace);
    assert_eq!(played.prompts.len(), 2, "it was asked once more after its words: {}", played.trace);
    assert_eq!(played.called, ["quote"; 6]);
    let text = played.answer.unwrap().text;
    for told in ["ACME 125.", "BOLT 225.", "CORK 325.", "DUNE 425.", "ECHO 525.", "FERN 625."] {
        assert!(text.contains(told), "`{told}` is missing: {text}");
    }
}

#[test]
fn a_cancelled_turn_calls_nothing_more() {
    let one =
        Play { text: SEVEN, replies: &["not asked"], stops_after: Some(2), ..Play::default() };
    let played = check("cancelled", &[], &one);
    assert_eq!(played.answer.unwrap_err().code(), Code::Cancelled);
    assert!(played.prompts.is_empty());
}

#[test]
fn each_budget_ends_the_work() {
    let next =
        |symbol: &str| format!(r#"{{"tool": "rivals", "arguments": {{"symbol": "{symbol}"}}}}"#);
    let calls: Vec<String> = ["ACME", "BOLT", "CORK"].iter().map(|symbol| next(symbol)).collect();
    let calls: Vec<&str> = calls.iter().map(String::as_str).collect();
    let budgets = [
        ("turns", "turns: { iterative: 3 }, more_tools: 9", 2, 0.0),
        ("calls", "max_calls: 4, more_tools: 9", 2, 0.0),
        ("time", "time_ms: 0, more_tools: 9", 0, 0.0),
        ("tokens", "tokens: 900, more_tools: 9", 2, 0.0),
        ("money", "cost: 0.01, more_tools: 9", 1, 0.02),
    ];
    for (name, agent, asked, cost) in budgets {
        let edit = format!("agent: {{ {agent} }}");
        let edits = [("agent: { max_calls: 10 }", edit.as_str())];
        let one = Play { text: THREE, replies: &calls, cost, ..Play::default() };
        let played = check(&format!("budget_{name}"), &edits, &one);
        assert_eq!(played.prompts.len(), asked, "{name}: {}", played.trace);
    }
}

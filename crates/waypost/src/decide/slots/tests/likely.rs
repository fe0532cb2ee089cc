//! What is likely meant for arguments of which no pack says how people speak of them, where plainer signs leave them open.

use serde_json::{Value as Json, json};

use super::{Tried, tool};

/// A tool that looks for something in one of several cabinets.
fn search() -> Tried {
    let properties = json!({
        "cabinet": { "type": "string", "description": "Name of the cabinet" },
        "query": { "type": "string", "description": "What to search for" },
    });
    tool(properties, &["cabinet", "query"])
}

fn queries(tried: &Tried, text: &str) -> Option<Json> {
    tried.fill(text).calls[0].arguments.get("query").cloned()
}

#[test]
fn a_quotation_that_is_looked_for_is_not_the_name_of_where() {
    for (text, query) in [
        ("在櫃子裡搜尋「柿子乾」", "柿子乾"),
        ("search for 'dried persimmons' please", "dried persimmons"),
    ] {
        assert_eq!(queries(&search(), text), Some(json!(query)), "{text}");
    }
}

#[test]
fn what_a_pack_says_of_an_argument_is_all_that_counts() {
    let text = "在櫃子裡搜尋「柿子乾」";
    let annotated = search().annotated(&json!({ "query": { "text": "never" } }));
    assert_eq!(queries(&annotated, text), None);
}

#[test]
fn an_answer_to_a_question_is_no_value_of_other_arguments() {
    let filled = search().asked("cabinet").fill("north wall");
    let arguments = &filled.calls[0].arguments;
    assert_eq!(json!(arguments), json!({ "cabinet": "north wall" }));
}

//! What is left of replies, whole and in pieces of any size.

use super::*;

const S: &str = r#"{"decision":"sst"}"#;
const T: &str = r#"{"decision":"tide.forecast"}"#;

fn whole(text: &str, reader: Reader) -> String {
    strip(text, &Arc::default(), reader, false)
}

/// Checks what a person reads, whole and in pieces, whatever is known of the model.
#[track_caller]
fn check(text: &str, said: &str) {
    assert_eq!(whole(text, Reader::Person).trim(), said, "whole: {text}");
    let characters: Vec<char> = text.chars().collect();
    for size in 1..=characters.len() {
        let mut filter = Filter::new(&Arc::default(), Reader::Person);
        let mut shown = String::new();
        for piece in characters.chunks(size) {
            shown.push_str(&filter.push(&piece.iter().collect::<String>()));
        }
        shown.push_str(&filter.finish(false));
        assert_eq!(shown.trim(), said, "pieces of {size}: {text}");
    }
}

/// Checks that a trace with another decision, `§`, is not read by a program, which reads `¶`.
#[track_caller]
fn decides(text: &str) {
    let text = text.replace('§', S).replace('¶', T);
    for reader in [Reader::Program, Reader::Agent] {
        let left = whole(&text, reader);
        assert!(left.contains(T) && !left.contains(S), "{text}: {left}");
    }
}

#[test]
fn no_notation_of_reasoning_decides() {
    let names = [
        "think",
        "thinking",
        "reasoning",
        "thought",
        "analysis",
        "scratchpad",
        "seed:think",
        "reflection",
    ];
    for name in names.iter().flat_map(|name| [(*name).to_owned(), name.to_uppercase()]) {
        decides(&format!("<{name}>maybe §</{name}>¶"));
        decides(&format!("<{name}>\n§\n</{name}>\n\nSo:\n¶"));
    }
    decides("[THINK]§[/THINK]¶");
    decides("<|START_THINKING|>§<|END_THINKING|><|START_RESPONSE|>¶<|END_RESPONSE|>");
    decides(
        "<|channel|>analysis<|message|>§<|end|><|start|>assistant<|channel|>final<|message|>¶<|return|>",
    );
    decides("<|channel>thought\n§<channel|>¶");
    decides("<|begin_of_thought|>§<|end_of_thought|><|begin_of_solution|>¶<|end_of_solution|>");
    decides("◁think▷§◁/think▷¶");
    decides("<details type=\"reasoning\">§</details>¶");
}

#[test]
fn blocks_that_are_nested_repeated_unclosed_or_in_a_fence_decide_nothing() {
    decides("<think>§</think> hm <think>§</think>¶");
    decides("<think>a <think>§</think> b §</think>¶");
    decides("<think>a <reasoning>§</reasoning> b §</think>¶");
    decides("<think>§</thinking>¶");
    decides("<think>the user writes <think> §</think>¶");
    decides("```\n<think>§</think>\n```\n¶");
    decides("```json\n<think>§</think>\n¶\n```");
    decides("```thinking\n§\n```\n¶");
    decides("maybe §</think>¶");
    decides("¶<think>or §</think>");
    assert_eq!(whole(&format!("<think>{S}"), Reader::Program), "");
    let quoted = r#"{"query":"<think>x</think>"}"#;
    assert_eq!(whole(quoted, Reader::Program), quoted);
    assert_eq!(whole(&format!("Sure: {quoted}"), Reader::Program), format!("Sure: {quoted}"));
}

#[test]
fn no_notation_of_reasoning_is_shown() {
    check("hello", "hello");
    check("<think>\nhm 想\n</think>\n\n{\"a\":1}", "{\"a\":1}");
    check("<think></think>a<think>b</think>", "a");
    check("<think>a</think><THINK>b</THINK>c", "c");
    check("[THINK]a[/THINK]A tide is water.", "A tide is water.");
    check(
        "<|START_THINKING|>a<|END_THINKING|><|START_RESPONSE|>A tide.<|END_RESPONSE|>",
        "A tide.",
    );
    check("<think>a</think>\n<answer>A tide.</answer>", "A tide.");
    check("```\n<think>a</think>\n```\nA tide.", "A tide.");
    check("A tide.\n<think>more?</think>\nIt is water.", "A tide.\nIt is water.");
    check("<think>cut off in the middle", "");
    check("<th", "<th");
    check("", "");
}

#[test]
fn what_a_template_opened_is_reasoning_up_to_its_end() {
    check("PLAN</think>\nA tide is water.", "A tide is water.");
    check("PLAN </think> A tide is water.", "A tide is water.");
    check("so the answer is\n</thinking>\nfour", "four");
    check("Say `x`.\nThen [/THINK]\nfour", "four");
    check("</think>four", "four");
}

#[test]
fn an_answer_about_the_tags_stays() {
    for text in [
        "Write it so:\n```\n<think>\nplan\n</think>\nfour\n```\nThat is all.",
        "```xml\n<think>plan</think>\n<answer>four</answer>\n```",
        "```\n<think>\n```\nopens the block.",
        "```\n<think>plan</think>\n```",
        "The mark that opens the block is\n<think>, and it stands alone.",
        "The model writes `<think>` first and `</think>` last.",
        "End it with </think> and go on.",
        "Use the tags <think> and </think> for it.",
        "[1] says: a < b, [a link](x), <b>bold</b>, [THINK",
        "{\"tag\":\"</think>\"}",
        "[{\"tag\":\"<think>\"}]",
    ] {
        check(text, text);
    }
}

/// What is shown at once of a reply that has no end yet.
fn at_once(habit: &Arc<Habit>, piece: &str) -> String {
    Filter::new(habit, Reader::Person).push(piece)
}

#[test]
fn a_model_is_shown_as_it_speaks_once_its_replies_were_seen_to_be_plain() {
    let habit = Arc::new(Habit::default());
    assert_eq!(at_once(&habit, "A tide"), "", "the end of a block may come");
    strip(T, &habit, Reader::Program, false);
    strip("cut", &habit, Reader::Person, true);
    assert_eq!(at_once(&habit, "A tide"), "", "neither says how it writes to people");
    strip("A tide is water.", &habit, Reader::Person, false);
    assert_eq!(at_once(&habit, "A tide"), "A tide");
    assert_eq!(at_once(&habit, "<think>a</think>A tide"), "A tide");
    strip("PLAN</think>A tide is water.", &habit, Reader::Person, false);
    strip("A tide is water.", &habit, Reader::Person, false);
    assert_eq!(at_once(&habit, "A tide"), "", "it may be a plan again");
    assert_eq!(strip("PLAN, which is long", &habit, Reader::Person, true), "");
}

#[test]
fn blanks_and_marks_without_end_are_read_through() {
    let mut filter = Filter::new(&Arc::default(), Reader::Person);
    assert!((0..10_000).all(|_| filter.push(" ").is_empty()));
    filter.push("x");
    assert_eq!(filter.finish(false).trim(), "x");
    let many = "<".repeat(1_000_000);
    assert_eq!(whole(&many, Reader::Person), many);
    assert_eq!(whole(&"<think>".repeat(100_000), Reader::Program), "");
}

//! Finds the parts of a tool's answer that the words ask for: the answer shows these, and gates may
//! depend on them.

use std::collections::BTreeSet;

use waypost_core::records::decision::{By, Call, Source};
use waypost_core::text_match::find_word;
use waypost_text::text::Text;

use crate::pack::spec::ToolSpec;
use crate::understand::Turn;

/// The parts that an answer shows: those that the words ask for, or else those of the turn that
/// this one follows; all of them if none is named.
pub(crate) fn shown(tool: &ToolSpec, turn: &Turn<'_>) -> BTreeSet<String> {
    let asked = first_named(tool, [Some(&turn.said.text), before(tool, turn).as_ref()]);
    asked.unwrap_or_else(|| tool.views.keys().cloned().collect())
}

/// The parts that a call is about, as far as words name any: those of this turn, of the request
/// that a question interrupted, or of the call that it takes something over from.
pub(crate) fn asked(tool: &ToolSpec, turn: &Turn<'_>, call: &Call) -> BTreeSet<String> {
    let interrupted = turn.context.active_tool.as_ref().filter(|active| **active == tool.name);
    let interrupted = interrupted.and(turn.context.asked.as_deref()).map(Text::new);
    // What a flag keeps of another analysis goes on with no call.
    let of_flag = |by: &By| matches!(by, By::Memory(of) if turn.pack.tool(of).is_none());
    let follows = call
        .evidence
        .values()
        .any(|evidence| evidence.source == Source::Memory && !of_flag(&evidence.by));
    let before = if follows { before(tool, turn) } else { None };
    let texts = [Some(&turn.said.text), interrupted.as_ref(), before.as_ref()];
    first_named(tool, texts).unwrap_or_default()
}

/// The words of the last call, if it was of this tool.
fn before(tool: &ToolSpec, turn: &Turn<'_>) -> Option<Text> {
    let past = turn.context.last_calls.last().filter(|past| past.tool == tool.name)?;
    past.text.as_deref().map(Text::new)
}

/// The parts named by the first text that names any.
fn first_named<const N: usize>(
    tool: &ToolSpec,
    texts: [Option<&Text>; N],
) -> Option<BTreeSet<String>> {
    let named = texts.into_iter().flatten().map(|text| named(tool, text.normalized()));
    named.into_iter().find(|views| !views.is_empty())
}

fn named(tool: &ToolSpec, text: &str) -> BTreeSet<String> {
    let asked = |words: &Vec<String>| {
        words.iter().any(|word| find_word(text, &word.to_lowercase()).is_some())
    };
    tool.views.iter().filter(|(_, words)| asked(words)).map(|(view, _)| view.clone()).collect()
}

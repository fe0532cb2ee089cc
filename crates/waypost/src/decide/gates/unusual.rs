//! A possible but unusual value is asked about once: five million nets may be meant, or a slip.

use serde_json::{Value as Json, json};
use waypost_core::records::decision::{Call, GateName, Source};
use waypost_core::records::request::Choice;

use super::bounds::shown;
use super::{Check, Closed};
use crate::pack::messages::{Ask, Sentence, readable};

pub(super) fn closed(proposal: &Check<'_>) -> Option<Closed> {
    let ask = proposal.calls.iter().find_map(|call| {
        call.arguments.iter().find_map(|(name, value)| question(proposal, call, name, value))
    })?;
    Some(Closed::asking(GateName::Values, ask))
}

fn question(proposal: &Check<'_>, call: &Call, name: &str, value: &Json) -> Option<Ask> {
    let tool = proposal.pack().tool(&call.tool)?;
    let [least, most] = tool.annotation(name)?.soft?;
    let with_unit = tool.annotation(name).is_some_and(|note| note.unit.is_some());
    let is_said = call.evidence.get(name).and_then(|receipt| receipt.text.as_deref());
    // "0.5%" is no share of one.
    let has_unit = with_unit && is_said.is_some_and(|text| text.contains(is_of_unit));
    if has_unit
        || is_settled(proposal, call, name, value)
        || (least..=most).contains(&value.as_f64()?)
    {
        return None;
    }
    let language = proposal.turn.said.language;
    let sentence = Sentence::new("unusual_value")
        .with("what", proposal.pack().argument_label(tool, name, language))
        .with("value", shown(proposal, value))
        .with("least", readable(least, language))
        .with("most", readable(most, language));
    let yes = Sentence::new("yes_value").with("value", shown(proposal, value));
    let choices = vec![
        Choice {
            label: proposal.messages.say(language, &yes),
            value: json!({ "tool": call.tool, "arguments": call.arguments }),
        },
        Choice { label: proposal.say("no"), value: json!({ "cancel": true }) },
    ];
    let tool = Some(call.tool.clone());
    Some(Ask { choices, tool, argument: Some(name.to_owned()), ..Ask::plain(sentence) })
}

fn is_of_unit(c: char) -> bool {
    !(c.is_numeric() || c.is_whitespace() || matches!(c, '.' | ','))
}

/// Returns whether a value needs no question. A value that was chosen among shown ones, assumed, or
/// used in a call that ran is no slip. One that was asked about and never confirmed is remembered,
/// but not settled.
fn is_settled(proposal: &Check<'_>, call: &Call, name: &str, value: &Json) -> bool {
    let context = &proposal.turn.context;
    let ran = || {
        let believed = proposal.turn.request.trusted || context.remembered;
        believed && context.last_calls.iter().any(|past| past.arguments.get(name) == Some(value))
    };
    match call.evidence.get(name).map(|receipt| receipt.source) {
        Some(Source::Option | Source::Default) | None => true,
        Some(Source::Memory) => ran(),
        Some(Source::Span | Source::Llm | Source::Caller) => false,
    }
}

//! The given values must be possible: real days, positions on the Earth, the tool's schema.

use jiff::civil::Date;
use serde_json::Value as Json;
use waypost_core::records::decision::{Call, GateName};
use waypost_core::records::request::Choice;
use waypost_text::extract::{Kind, Value};

use super::{Closed, Proposal, bounds};
use crate::pack::Tool;
use crate::pack::messages::{Ask, Sentence};
use crate::pack::spec::Part;

pub(super) fn closed(proposal: &Proposal<'_>) -> Option<Closed> {
    // A conversation may mention February 30th; a tool cannot look it up.
    let tool = proposal.calls.first().map(|call| call.tool.as_str());
    let tool = tool.or_else(|| proposal.gaps.first().map(|gap| gap.tool.as_str()))?;
    let tool = proposal.pack().tool(tool)?;
    let impossible = proposal
        .faults
        .first()
        .map(|(sentence, value)| asking(tool, argument_of(tool, value), sentence.clone()));
    let ask =
        impossible.or_else(|| proposal.calls.iter().find_map(|call| invalid(proposal, call)))?;
    Some(Closed::asking(GateName::Values, ask))
}

fn asking(tool: &Tool, argument: Option<String>, sentence: Sentence) -> Ask {
    Ask { tool: Some(tool.spec.name.clone()), argument, ..Ask::plain(sentence) }
}

/// The argument that a value of this kind would have filled.
fn argument_of(tool: &Tool, value: &Value) -> Option<String> {
    let fits = |kind: Kind| match value.kind {
        Kind::Point | Kind::Bbox => matches!(kind, Kind::Point | Kind::Bbox),
        Kind::Date | Kind::Range | Kind::Datetime => matches!(kind, Kind::Date | Kind::Range),
        other => kind == other,
    };
    let mut arguments = tool.arguments();
    let fitting = arguments.find(|name| {
        tool.spec.arguments.get(*name).and_then(|annotation| annotation.kind).is_some_and(fits)
    });
    fitting.map(str::to_owned)
}

/// The first argument that the schema of its tool or the calendar refuses. A missing argument is
/// another gate's.
fn invalid(proposal: &Proposal<'_>, call: &Call) -> Option<Ask> {
    let tool = proposal.pack().tool(&call.tool)?;
    let faults = tool.faults(&Json::Object(call.arguments.clone()));
    let Some(fault) = faults.into_iter().find(|fault| !fault.missing) else {
        let (argument, sentence) = impossible(tool, call)?;
        return Some(asking(tool, Some(argument), sentence));
    };
    let Some(value) = call.arguments.get(&fault.argument) else {
        // The schema refuses the arguments together, and says so only in words for logs.
        let sentence = Sentence::new("invalid_value")
            .with("what", tool.spec.name.clone())
            .with("value", bounds::shown(proposal, &Json::Object(call.arguments.clone())));
        return Some(asking(tool, None, sentence));
    };
    let sentence = bounds::sentence(proposal, tool, &fault.argument, value);
    let choices = choices(proposal, tool, &fault.argument);
    Some(Ask { choices, ..asking(tool, Some(fault.argument), sentence) })
}

/// The values that the schema lists, as choices.
fn choices(proposal: &Proposal<'_>, tool: &Tool, argument: &str) -> Vec<Choice> {
    let pack = proposal.pack();
    let (listed, language) = (tool.listed(argument), proposal.turn.language);
    let mut choices = pack.value_choices(tool, argument, listed, language);
    choices.truncate(pack.spec.policy.max_choices);
    if tool.is_list(argument) {
        choices.iter_mut().for_each(|choice| choice.value = Json::Array(vec![choice.value.take()]));
    }
    choices
}

/// Returns the first fault that a schema cannot express (a day that does not exist, an end before
/// its start, a box without area) as the argument and the sentence for it.
fn impossible(tool: &Tool, call: &Call) -> Option<(String, Sentence)> {
    let mut start: Option<Date> = None;
    for name in tool.arguments() {
        let (Some(annotation), Some(value)) = (tool.annotation(name), call.arguments.get(name))
        else {
            continue;
        };
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let day = text.parse::<Date>().ok();
        let fault = match (annotation.kind, annotation.part) {
            (Some(Kind::Date | Kind::Range), _) if day.is_none() => Some(("no_such_date", text)),
            (Some(Kind::Range), Some(Part::Start)) => {
                start = day;
                None
            }
            (Some(Kind::Range), _) => start
                .zip(day)
                .filter(|(start, end)| start > end)
                .map(|(start, end)| ("range_reversed", format!("{start} – {end}"))),
            (Some(Kind::Bbox), _) if !has_area(value) => Some(("empty_box", text)),
            _ => None,
        };
        if let Some((sentence, text)) = fault {
            return Some((name.to_owned(), Sentence::new(sentence).with("text", text)));
        }
    }
    None
}

fn has_area(value: &Json) -> bool {
    let numbers: Vec<f64> =
        value.as_array().into_iter().flatten().filter_map(Json::as_f64).collect();
    matches!(numbers[..], [west, south, east, north] if west < east && south < north)
}

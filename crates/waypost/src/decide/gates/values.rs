//! The given values must be possible: real days, positions on the Earth, the tool's schema.

use jiff::Timestamp;
use jiff::civil::Date;
use serde_json::{Value as Json, json};
use waypost_core::records::decision::{Call, GateName};
use waypost_core::records::request::Choice;
use waypost_text::extract::{Kind, Reading, Value};

use super::{Check, Closed, bounds};
use crate::pack::Tool;
use crate::pack::messages::{Ask, Sentence};
use crate::pack::spec::Part;
use crate::pack::suggest::words_of;

pub(super) fn closed(proposal: &Check<'_>) -> Option<Closed> {
    // A conversation may mention February 30th; a tool cannot look it up.
    let tool = proposal.calls.first().map(|call| call.tool.as_str());
    let tool = tool.or_else(|| proposal.gaps.first().map(|gap| gap.tool.as_str()))?;
    let tool = proposal.pack().tool(tool)?;
    let all: Vec<&Tool> =
        proposal.calls.iter().filter_map(|call| proposal.pack().tool(&call.tool)).collect();
    // Numbers that look like a day that never was are none where nothing takes a day.
    let is_taken = |value: &Value| {
        let mut others = all.iter().flat_map(|own| proposal.pack().family(own));
        all.is_empty() || others.any(|own| argument_of(own, value).is_some())
    };
    let mut faults = proposal.faults.iter().filter(|(_, value)| is_taken(value));
    let impossible = faults.next().map(|(sentence, value)| {
        // A box that cannot be is asked about for the tool of the family that takes one.
        let takes =
            |tool: &&Tool| tool.annotations().any(|(_, note)| note.kind == Some(value.kind));
        let mut family = proposal.pack().family(tool);
        let tool = if takes(&tool) { tool } else { family.find(takes).unwrap_or(tool) };
        let argument = argument_of(tool, value);
        let choices = argument.as_deref().map(|name| readings(tool, name, value));
        let choices = choices.unwrap_or_default();
        Ask { choices, ..asking(tool, argument, sentence.clone()) }
    });
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

/// The other readings of a value that cannot be, as choices: of a box with its edges swapped the one
/// between them.
fn readings(tool: &Tool, argument: &str, value: &Value) -> Vec<Choice> {
    let is_box = tool.annotation(argument).is_some_and(|note| note.kind == Some(Kind::Bbox));
    let boxes = value.alternatives.iter().filter_map(|reading| match reading {
        Reading::Bbox(sides) if is_box => Some(sides),
        _ => None,
    });
    let choice = |sides: &[f64; 4]| Choice {
        label: sides.map(|side| side.to_string()).join(", "),
        value: json!(sides),
    };
    boxes.map(choice).collect()
}

/// The first argument that the schema of its tool or the calendar refuses. A missing argument is
/// another gate's.
fn invalid(proposal: &Check<'_>, call: &Call) -> Option<Ask> {
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
fn choices(proposal: &Check<'_>, tool: &Tool, argument: &str) -> Vec<Choice> {
    let pack = proposal.pack();
    let (listed, language) = (tool.listed(argument), proposal.turn.said.language);
    let mut choices = pack.value_choices(tool, argument, listed, language);
    choices.truncate(pack.spec.policy.max_choices);
    if tool.is_list(argument) {
        choices.iter_mut().for_each(|choice| choice.value = Json::Array(vec![choice.value.take()]));
    }
    choices
}

/// Returns the first fault that a schema cannot express (a day that does not exist, an end before
/// its start, a box whose edges are swapped or that has no area) as the argument and the sentence for it.
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
            (Some(Kind::Bbox), _) => box_fault(value).map(|fault| (fault, text)),
            _ => None,
        };
        if let Some((sentence, text)) = fault {
            return Some((name.to_owned(), Sentence::new(sentence).with("text", text)));
        }
    }
    let (name, text) = reversed(tool, call)?;
    Some((name, Sentence::new("range_reversed").with("text", text)))
}

/// The sentence for a box that is none: its west edge lies east of its east edge, or it has no area.
fn box_fault(value: &Json) -> Option<&'static str> {
    let numbers: Vec<f64> =
        value.as_array().into_iter().flatten().filter_map(Json::as_f64).collect();
    match numbers[..] {
        [west, south, east, north] if west < east && south < north => None,
        [west, _, east, _] if west > east => Some("box_reversed"),
        _ => Some("empty_box"),
    }
}

/// Words of the names of arguments for the two ends of a stretch of time. Others, such as "from", may be
/// for what is moved, to an earlier day too.
const STARTS: [&str; 4] = ["start", "starts", "begin", "beginning"];
const ENDS: [&str; 3] = ["end", "ends", "ending"];

/// Returns the second of two arguments for the ends of a stretch of time whose values are in the wrong
/// order, with both: the start and the end of a tool that nobody described but its server.
fn reversed(tool: &Tool, call: &Call) -> Option<(String, String)> {
    let timely = |name: &&str| {
        let note = tool.annotation(name);
        note.is_some_and(|note| {
            note.part.is_none() && matches!(note.kind, Some(Kind::Date | Kind::Datetime))
        })
    };
    let names: Vec<&str> = tool.arguments().filter(timely).collect();
    let side = |words: &[&str]| {
        let mut ends = names.iter().copied().filter(|name| {
            let own = words_of(name);
            own.iter().any(|word| words.contains(&word.as_str()))
        });
        let (only, more) = (ends.next()?, ends.next());
        let text = call.arguments.get(only)?.as_str()?;
        more.is_none().then_some((only, text))
    };
    let ((_, start), (name, end)) = (side(&STARTS)?, side(&ENDS)?);
    is_before(end, start).then(|| (name.to_owned(), format!("{start} – {end}")))
}

/// Returns whether one day, or one instant, lies before another; `false` where they cannot be compared.
fn is_before(one: &str, other: &str) -> bool {
    let days = (one.parse::<Date>(), other.parse::<Date>());
    let instants = (one.parse::<Timestamp>(), other.parse::<Timestamp>());
    match (instants, days) {
        ((Ok(one), Ok(other)), _) => one < other,
        (_, (Ok(one), Ok(other))) => one < other,
        _ => false,
    }
}

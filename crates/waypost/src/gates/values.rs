//! What was given must be possible: real days, positions on the Earth, the tool's schema.

use jiff::civil::Date;
use serde_json::Value as Json;

use super::{Closed, Proposal};
use crate::decision::{Call, Outcome};
use crate::extract::{Kind, Value};
use crate::messages::{Ask, Sentence};
use crate::pack::Tool;
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
    Some(Closed { outcome: Outcome::Clarify, reason: "gate:values".to_owned(), ask })
}

fn asking(tool: &Tool, argument: Option<String>, sentence: Sentence) -> Ask {
    Ask { sentence, choices: Vec::new(), tool: Some(tool.spec.name.clone()), argument }
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

/// The first argument that the schema of its tool or the calendar refuses. What is missing is
/// another gate's.
fn invalid(proposal: &Proposal<'_>, call: &Call) -> Option<Ask> {
    let tool = proposal.pack().tool(&call.tool)?;
    let faults = tool.faults(&Json::Object(call.arguments.clone()));
    let fault = faults.into_iter().find(|fault| !fault.missing).map(|fault| fault.argument);
    let argument = fault.or_else(|| impossible(tool, call))?;
    let value = call.arguments.get(&argument).map(Json::to_string).unwrap_or_default();
    let sentence = Sentence::new("invalid_value").with("fault", format!("{argument} {value}"));
    Some(asking(tool, Some(argument), sentence))
}

/// What a schema cannot say: days that do not exist, ends before starts, boxes without area.
fn impossible(tool: &Tool, call: &Call) -> Option<String> {
    let mut start: Option<Date> = None;
    for name in tool.arguments() {
        let (Some(annotation), Some(value)) =
            (tool.spec.arguments.get(name), call.arguments.get(name))
        else {
            continue;
        };
        let day = || value.as_str().and_then(|text| text.parse::<Date>().ok());
        let possible = match (annotation.kind, annotation.part) {
            (Some(Kind::Date), _) => day().is_some(),
            (Some(Kind::Range), Some(Part::Start)) => {
                start = day();
                start.is_some()
            }
            (Some(Kind::Range), _) => {
                day().is_some_and(|end| start.is_none_or(|start| start <= end))
            }
            (Some(Kind::Bbox), _) => has_area(value),
            _ => true,
        };
        if !possible {
            return Some(name.to_owned());
        }
    }
    None
}

fn has_area(value: &Json) -> bool {
    let numbers: Vec<f64> =
        value.as_array().into_iter().flatten().filter_map(Json::as_f64).collect();
    matches!(numbers[..], [west, south, east, north] if west < east && south < north)
}

//! Plans the test of a condition: the one call that reads what it speaks of, and the numbers that it may show.
//!
//! A test is planned only where every word of the condition is read: one thing that one tool of the pack reads, and one bound.
//! What is left over may change what is meant, and then the condition is shown as not tested. Nothing is called here.

use serde_json::{Map, Value as Json, json};
use waypost_core::records::decision::{By, Call, Decision, Evidence, GateName, Reason};
use waypost_core::records::request::Tested;
use waypost_text::extract::{ConditionBound, Interval};
use waypost_text::units;

use super::gates::{self, Approved, Check};
use crate::pack::Tool;
use crate::pack::messages::Messages;
use crate::pack::spec::{Access, ReadsSpec};
use crate::understand::Turn;
use crate::understand::told::bounded;

/// The planned test of a condition.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Test {
    condition: String,
    call: Call,
    what: String,
    /// The numbers, in the unit of the thing.
    bound: ConditionBound,
    unit: Option<String>,
    at: String,
}

/// The test of the condition under which the writes of a decision are asked for; `None` where nothing waits for an approval or
/// has one, or where the condition cannot be tested.
pub(crate) fn test(turn: &Turn<'_>, decision: &Decision, runs: bool) -> Option<Test> {
    let waits = decision.reason == Some(Reason::Gate(GateName::Approval));
    let is_bound = |call: &Call| {
        turn.access(&call.tool) != Access::Read && !gates::conditions(turn, call).is_empty()
    };
    if !(runs || waits) || !decision.calls.iter().any(is_bound) {
        return None;
    }
    let mut conditions = turn.all_conditions();
    conditions.dedup();
    let [condition] = <[String; 1]>::try_from(conditions).ok()?;
    let readers = turn.pack.tools.iter().filter_map(|tool| Some((tool, tool.spec.reads.as_ref()?)));
    let mut tests = readers.filter_map(|(tool, reads)| of_tool(turn, &condition, tool, reads));
    let test = tests.next()?;
    tests.next().is_none().then_some(test)
}

/// The test of a condition by a tool that reads one thing.
fn of_tool(turn: &Turn<'_>, condition: &str, tool: &Tool, reads: &ReadsSpec) -> Option<Test> {
    let name = &tool.spec.name;
    if turn.permits.gone.contains(name) || turn.access(name) != Access::Read {
        return None;
    }
    // A condition of an earlier turn is in the language of that one.
    let is_own = !turn.own_conditions().is_empty();
    let before = turn.context.language.filter(|_| !is_own);
    let language = before.unwrap_or(turn.said.language);
    let gazetteer = tool.annotation(&reads.of)?.gazetteer.as_deref()?;
    let read = bounded(turn.pack, condition, language, gazetteer)?;
    let unit = read.unit.as_deref();
    let bound = ConditionBound { interval: converted(&read.bound, unit)?, ..read.bound };
    let arguments = Map::from_iter([(reads.of.clone(), json!(read.key))]);
    if !tool.faults(&Json::Object(arguments.clone())).is_empty() {
        return None;
    }
    let evidence = Evidence::span(read.words.as_str(), By::Gazetteer(gazetteer.to_owned()));
    let evidence = [(reads.of.clone(), evidence)].into();
    Some(Test {
        condition: condition.to_owned(),
        call: Call { tool: name.clone(), arguments, evidence },
        what: read.key,
        bound,
        unit: read.unit,
        at: reads.at.clone(),
    })
}

/// The numbers of a bound in the unit of the thing; without a unit they are in that one.
fn converted(bound: &ConditionBound, unit: Option<&str>) -> Option<Interval> {
    let convert = |value: f64| match (bound.unit, unit) {
        (None, _) => Some(value),
        (Some(from), Some(to)) if from == to => Some(value),
        (Some(from), Some(to)) => units::convert(value, from, to),
        (Some(_), None) => None,
    };
    let end = |value: Option<f64>| match value {
        Some(value) => convert(value).map(Some),
        None => Some(None),
    };
    let Interval { low, high, .. } = bound.interval;
    Some(Interval { low: end(low)?, high: end(high)?, ..bound.interval })
}

impl Test {
    /// The reading, as the gates let it through: no yes is needed to look, but the tool has to be the caller's and its workflow as
    /// far.
    pub(crate) fn approved(
        &self,
        turn: &Turn<'_>,
        decision: &Decision,
        messages: &Messages,
    ) -> Option<Approved> {
        let route = turn.pack.route(&decision.route)?;
        let calls = std::slice::from_ref(&self.call);
        // It is a part of the question, and no step of the plan.
        gates::check(&Check::settled(turn, route, calls, messages)).ok()
    }

    /// Compares the number in a result with the condition; `None` if there is no number, or not this one alone.
    pub(crate) fn compared(&self, result: &Json) -> Option<Tested> {
        let value = number(result, &self.at)?;
        let Interval { low, low_included, high, high_included } = self.bound.interval;
        let above = low.is_none_or(|low| value > low || low_included && value == low);
        let below = high.is_none_or(|high| value < high || high_included && value == high);
        Some(Tested {
            condition: self.condition.clone(),
            tool: self.call.tool.clone(),
            arguments: self.call.arguments.clone(),
            what: self.what.clone(),
            bound: json!([low, low_included, high, high_included, self.bound.fails]),
            value,
            unit: self.unit.clone(),
            holds: (above && below) != self.bound.fails,
        })
    }
}

/// The number at a JSON pointer. A list on the way has one item: of several, nobody says which is meant.
fn number(result: &Json, at: &str) -> Option<f64> {
    let mut place = result;
    for step in at.split('/').skip(1) {
        place = match place {
            Json::Array(items) if items.len() == 1 => items.get(step.parse::<usize>().ok()?)?,
            Json::Object(fields) => fields.get(&step.replace("~1", "/").replace("~0", "~"))?,
            _ => return None,
        };
    }
    place.as_f64().filter(|value| value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_read_where_it_stands_alone_and_nowhere_else() {
        let at = "/values/0/value";
        for (result, wanted) in [
            (json!({ "values": [{ "value": 4.5 }] }), Some(4.5)),
            (json!({ "values": [{ "value": 4.5 }, { "value": 7 }] }), None),
            (json!({ "values": [] }), None),
            (json!({ "values": [{ "value": "4.5" }] }), None),
            (json!({ "values": [{ "value": null }] }), None),
            (json!({ "value": 4.5 }), None),
        ] {
            assert_eq!(number(&result, at), wanted, "{result}");
        }
    }
}

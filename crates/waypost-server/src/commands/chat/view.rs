//! Shows what lies behind an answer, for people: who decided and how sure, each argument with its
//! source, what else it could have been, which gate closed, and what ran.

use serde::Serialize;
use serde_json::{Map, Value as Json};
use waypost::records::answer::Answer;
use waypost::records::decision::{Decision, Evidence};
use waypost::records::event::{Event, Status};
use waypost::records::request::shorten;

use super::columns::Row;

/// The detail in which values are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Detail {
    /// Long values shortened.
    Short,
    /// Everything, and what a replay needs.
    Full,
}

impl Detail {
    /// Returns the longest value that is shown, in characters; full detail has an end too.
    fn longest(self) -> usize {
        match self {
            Detail::Short => 40,
            Detail::Full => 4_000,
        }
    }
}

/// The rows of a decision, and of its answer where there is one.
pub(super) fn rows(decision: &Decision, answer: Option<&Answer>, detail: Detail) -> Vec<Row> {
    let mut rows = decided(decision, detail);
    rows.extend(decision.alternatives.iter().map(|other| {
        let what = [Some(other.route.as_str()), other.tool.as_deref()];
        let what: Vec<&str> = what.into_iter().flatten().collect();
        Row::new("or", &what.join(" "), &format!("{:.3}", other.confidence))
    }));
    rows.extend(closed(decision));
    rows.extend(decision.assumptions.iter().map(|assumed| Row::new("assumed", assumed, "")));
    if let Some(answer) = answer {
        rows.extend(done(decision, answer));
    } else {
        rows.extend(decision.degraded.iter().map(|name| Row::new("degraded", name, "")));
    }
    if detail == Detail::Full {
        rows.push(Row::new("id", &decision.id, ""));
        rows.push(Row::new("pack", &decision.pack, ""));
        rows.push(Row::new("student", &decision.bundle, ""));
    }
    rows
}

/// The rows of a call: the tool, then its arguments, each with where it came from.
pub(super) fn call<'a>(
    label: &str,
    tool: &str,
    arguments: &Map<String, Json>,
    evidence: impl Fn(&str) -> Option<&'a Evidence>,
    detail: Detail,
) -> Vec<Row> {
    let mut rows = vec![Row::new(label, tool, "")];
    for (name, value) in arguments {
        let from = evidence(name).map(|evidence| {
            let words = evidence.text.as_ref();
            let words = words.map(|text| format!(" “{}”", shorten(text, detail.longest())));
            let source = name_of(&evidence.source);
            format!("← {source}{} ({})", words.unwrap_or_default(), evidence.by)
        });
        let value = shorten(&value.to_string(), detail.longest());
        rows.push(Row::new(&format!("  {name}"), &value, &from.unwrap_or_default()));
    }
    rows
}

fn decided(decision: &Decision, detail: Detail) -> Vec<Row> {
    let what = format!("{} {}", name_of(&decision.decision), decision.route);
    let sure = format!("{} {:.3}", decision.layer.name(), decision.confidence);
    let mut rows = vec![Row::new("decided", &what, &sure)];
    if !decision.rationale.is_empty() {
        let longest = detail.longest() * 2;
        rows.push(Row::new("because", &shorten(&decision.rationale, longest), ""));
    }
    for drafted in &decision.calls {
        let evidence = |name: &str| drafted.evidence.get(name);
        rows.extend(call("call", &drafted.tool, &drafted.arguments, evidence, detail));
    }
    rows
}

/// The gate that closed, and what it asks for.
fn closed(decision: &Decision) -> Option<Row> {
    let reason = decision.reason.as_ref()?;
    let about = decision.question.as_ref().map(|question| {
        let about = [question.argument.as_deref(), question.tool.as_deref()];
        about.into_iter().flatten().collect::<Vec<_>>().join(" of ")
    });
    let about = about.filter(|about| !about.is_empty());
    let asks = about.map(|about| format!("asks for {about}")).unwrap_or_default();
    Some(match reason.gate() {
        Some(gate) => Row::new("gate closed", gate, &asks),
        None => Row::new("reason", &reason.to_string(), &asks),
    })
}

/// Returns the rows of what happened after the decision.
fn done(decision: &Decision, answer: &Answer) -> Vec<Row> {
    let degraded = answer.raw.plan["degraded"].as_array().into_iter().flatten();
    let degraded = degraded.filter_map(Json::as_str);
    let mut rows: Vec<Row> = degraded.map(|name| Row::new("degraded", name, "")).collect();
    let trace = answer.raw.trace.clone().unwrap_or_default();
    let events: Vec<Event> = serde_json::from_value(trace["events"].clone()).unwrap_or_default();
    rows.extend(events.iter().filter_map(ran));
    let code = answer.error.as_ref().map(|error| error.code.to_string());
    let code = code.map(|code| format!(", {code}")).unwrap_or_default();
    rows.push(Row::new("answered", &format!("{}{code}", answer.mode), &answer.source));
    if let (Some(total), Some(decide)) =
        (trace["t_total_ms"].as_f64(), trace["t_classify_ms"].as_f64())
    {
        let models = match decision.llm_calls {
            0 => "no model call".to_owned(),
            1 => "1 model call".to_owned(),
            calls => format!("{calls} model calls"),
        };
        rows.push(Row::new(
            "took",
            &format!("{total:.1} ms"),
            &format!("{decide:.1} ms to decide, {models}"),
        ));
    }
    rows
}

/// A tool that ran: how long, how often it was tried, and what was relaxed on the way.
fn ran(event: &Event) -> Option<Row> {
    let Event::ToolEvent { tool, status, tool_latency_ms, tries, relaxed, errors, .. } = event
    else {
        return None;
    };
    let mut said = vec![format!("{tool_latency_ms:.1} ms")];
    if *tries > 1 {
        said.push(format!("{tries} tries"));
    }
    said.extend(errors.iter().map(|code| format!("after {code}")));
    said.extend(relaxed.iter().map(|what| format!("relaxed {what}")));
    let label = match status {
        Status::Success => "ran",
        Status::Error => "failed",
    };
    Some(Row::new(label, tool, &said.join(", ")))
}

/// The name of a variant in records.
fn name_of(value: &impl Serialize) -> String {
    let value = serde_json::to_value(value).unwrap_or_default();
    value.as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::output::plain;

    use super::super::columns::lines;
    use super::*;

    fn decision(change: &Json) -> Decision {
        let mut record = json!({
            "id": "d1", "pack": "ocean@1f2e", "bundle": "b7", "decision": "run", "route": "tool",
            "calls": [{
                "tool": "ghrsst.bbox_mean",
                "arguments": { "bbox": [118.0, 21.5, 121.5, 26.0], "date": "2025-11-06",
                    "fields": ["sst", "sst_anomaly", "sea_ice_fraction", "mask"] },
                "evidence": {
                    "bbox": { "source": "span", "text": "台灣\n海峽", "by": "gazetteer" },
                    "date": { "source": "span", "text": "today", "by": "typed" },
                    "fields": { "source": "default", "by": "default" }
                }
            }],
            "confidence": 0.987_654, "layer": "linear",
            "alternatives": [{ "route": "tool", "tool": "tide.forecast", "confidence": 0.01 },
                { "route": "explain", "confidence": 0.002 }],
            "selected": [], "rationale": "nearest example: sst today", "retrieval": false,
            "model_slot": null, "complexity": "simple", "strategy": "direct", "llm_calls": 0,
            "degraded": [], "language": "en"
        });
        for (key, value) in change.as_object().unwrap() {
            record[key] = value.clone();
        }
        serde_json::from_value(record).unwrap()
    }

    fn answer() -> Answer {
        serde_json::from_value(json!({
            "mode": "tool", "text": "26 °C", "source": "ghrsst.bbox_mean", "confidence": 0.99,
            "raw": {
                "plan": { "degraded": ["store:UNAVAILABLE"] },
                "trace": { "t_classify_ms": 0.4, "t_total_ms": 14.25, "events": [{
                    "type": "tool_event", "tool": "ghrsst.bbox_mean", "arguments": {},
                    "status": "success", "tool_latency_ms": 12.0, "tries": 2, "relaxed": ["date -1d"],
                    "errors": ["NOT_FOUND"]
                }] }
            },
            "id": "d1"
        }))
        .unwrap()
    }

    #[test]
    fn an_answer_is_shown_with_its_evidence_and_its_course() {
        let shown = lines(&rows(&decision(&json!({})), Some(&answer()), Detail::Short), &plain);
        let expected = "  \
  decided   run tool                                   linear 0.988
  because   nearest example: sst today
  call      ghrsst.bbox_mean
    bbox    [118.0,21.5,121.5,26.0]                    ← span “台灣␊海峽” (gazetteer)
    date    \"2025-11-06\"                               ← span “today” (typed)
    fields  [\"sst\",\"sst_anomaly\",\"sea_ice_fraction\",…  ← default (default)
  or        tool tide.forecast                         0.010
  or        explain                                    0.002
  degraded  store:UNAVAILABLE
  ran       ghrsst.bbox_mean                           12.0 ms, 2 tries, after NOT_FOUND, relaxed date -1d
  answered  tool                                       ghrsst.bbox_mean
  took      14.2 ms                                    0.4 ms to decide, no model call";
        assert_eq!(shown.as_str(), expected, "\n{}\n", shown.as_str());
    }

    #[test]
    fn a_closed_gate_is_shown_with_what_it_asks_for() {
        let decision = decision(&json!({
            "decision": "clarify", "calls": [], "alternatives": [], "rationale": "",
            "reason": "gate:completeness", "degraded": ["llm:DEADLINE_EXCEEDED"],
            "question": { "text": "Where?", "choices": [], "tool": "tide.forecast",
                "argument": "longitude" }
        }));
        let shown = lines(&rows(&decision, None, Detail::Full), &plain);
        let expected = "  \
  decided      clarify tool  linear 0.988
  gate closed  completeness  asks for longitude of tide.forecast
  degraded     llm:DEADLINE_EXCEEDED
  id           d1
  pack         ocean@1f2e
  student      b7";
        assert_eq!(shown.as_str(), expected, "\n{}\n", shown.as_str());
    }

    #[test]
    fn in_full_nothing_is_shortened() {
        let shown = lines(&rows(&decision(&json!({})), None, Detail::Full), &plain);
        let shown = shown.as_str();
        assert!(shown.contains("\"sea_ice_fraction\",\"mask\"]"), "{shown}");
    }
}

//! Figures of many turns, counted event by event in bounded memory.

use std::collections::BTreeMap;

use serde::Serialize;
use waypost_core::records::decision::{LayerName, Outcome};
use waypost_core::records::event::{Event, ModelCall, Record, Routed, Status, ToolTokens};
use waypost_core::records::slot::Slot;
use waypost_core::records::usage::Usage;

use crate::observe::convergence::{Stage, Week, Weeks, stage};

/// The most names that one count tells apart; later names are counted as [`OTHER`].
const MAX_NAMES: usize = 200;
/// The name of all names that came too late.
const OTHER: &str = "other";
/// The most conversations with an open question that are followed at once; more are not.
const MAX_OPEN: usize = 10_000;

/// The number of times that each name came up.
pub type Count = BTreeMap<String, u64>;

/// Counts turns; [`Statistics::figures`] returns the figures.
#[derive(Debug, Default)]
pub struct Statistics {
    figures: Figures,
    classification: Latencies,
    tool: Latencies,
    total: Latencies,
    weeks: Weeks,
    /// The model calls by slot, model and route.
    calls: BTreeMap<(Slot, String, String), Calls>,
    /// Clarifications in a row of the conversations that were last asked something.
    open: BTreeMap<String, u64>,
    /// The number of tasks by how many clarifications they took.
    clarifications: BTreeMap<u64, u64>,
}

/// The figures of some turns.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Figures {
    /// The number of turns.
    pub turns: u64,
    /// The instant of the first of them, RFC 3339.
    pub first: Option<String>,
    /// The instant of the last of them.
    pub last: Option<String>,
    /// Turns by the layer that decided.
    pub layers: Count,
    /// Turns by what happened next.
    pub actions: Count,
    /// Turns by route.
    pub routes: Count,
    /// The share of turns that asked back.
    pub clarify_rate: Option<f64>,
    /// The median number of questions that a task took before something ran. Source: S1-44.
    pub clarifications_per_task: Option<u64>,
    /// Questions that asked the same as the question just before.
    pub repeated_questions: u64,
    /// Turns before which choices were shown, and how many of them took one.
    pub choices: ChoiceStatistics,
    /// Calls by how their arguments were matched.
    pub matched_by: Count,
    /// Questions and refusals by the gate that was closed, or by their reason.
    pub gates: Count,
    /// Model calls for decisions, those for shadows included.
    pub llm_calls: u64,
    /// The same for each turn.
    pub llm_calls_per_turn: Option<f64>,
    /// The tokens of all model calls, those that write answers included, by slot, model and route.
    pub usage: Vec<RouteUsage>,
    /// The share of turns that a model decided. Source: S4-25.
    pub model_share: Option<f64>,
    /// The stage that this share has reached on the way from the model to the student.
    pub stage: Option<Stage>,
    /// The same share week by week, the oldest first.
    pub weeks: Vec<Week>,
    /// The model's answers about turns that the student had decided.
    pub audits: Audits,
    /// Alarms that traffic has changed, by what has changed most.
    pub drift: Count,
    /// Tool calls.
    pub tools: Tools,
    /// The time that deciding took.
    pub classification_latency_ms: Option<Percentiles>,
    /// The time that tool calls took.
    pub tool_latency_ms: Option<Percentiles>,
    /// The time that whole turns took.
    pub total_latency_ms: Option<Percentiles>,
    /// Rules of the routing contract that were broken, or seem to be.
    pub contract: Count,
    /// Parts of requests that callers sent and that were not used.
    pub dropped: Count,
    /// Parts that did not work as configured.
    pub degraded: Count,
}

/// The model calls for a route that one model of a slot was asked.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RouteUsage {
    /// The slot.
    pub slot: Slot,
    /// The model.
    pub model: String,
    /// The route.
    pub route: String,
    /// The number of calls.
    pub calls: u64,
    /// Those whose tokens are not known: they failed, were given up, or the server does not count.
    pub uncounted: u64,
    /// The tokens of the others.
    #[serde(flatten)]
    pub tokens: Usage,
    /// The tokens by which the calls were told of tools, estimated, and those that all schemas of the
    /// pack would have taken.
    pub tools: ToolTokens,
    /// The money for them, where the price is known: whoever knows prices fills it in.
    pub cost: Option<f64>,
}

/// Some model calls.
#[derive(Debug, Clone, Copy, Default)]
struct Calls {
    all: u64,
    uncounted: u64,
    tokens: Usage,
    tools: ToolTokens,
}

/// Counts of the choices shown and taken.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ChoiceStatistics {
    /// Turns that could have taken a choice.
    pub shown: u64,
    /// Those that did.
    pub taken: u64,
    /// The share of those turns in which one was taken.
    pub acceptance_rate: Option<f64>,
}

/// Counts of how often a model agrees with the student where nobody asked it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Audits {
    /// Turns that a model was asked about afterwards.
    pub asked: u64,
    /// Those where it said the same route and tools.
    pub agreed: u64,
    /// The share of the turns asked about in which it agreed.
    pub agreement: Option<f64>,
}

/// Counts of how tool calls ended.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Tools {
    /// All of them.
    pub calls: u64,
    /// Those that failed in the end.
    pub failed: u64,
    /// Tries that failed, by code.
    pub errors: Count,
}

/// The values that 50, 95 and 99 of 100 stay below, within 1%.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Percentiles {
    /// The number of measurements.
    pub count: u64,
    /// The median.
    pub p50: f64,
    /// 95 of 100 stay below.
    pub p95: f64,
    /// 99 of 100 stay below.
    pub p99: f64,
}

impl Statistics {
    /// Counts an event.
    pub fn add(&mut self, record: &Record) {
        match &record.event {
            Event::RouterEvent(routed) => self.routed(record, routed),
            Event::ChoiceEvent { matched_by, .. } => {
                count(&mut self.figures.matched_by, matched_by);
            }
            Event::ChoiceOutcome { taken, .. } => {
                self.figures.choices.shown += 1;
                self.figures.choices.taken += u64::from(*taken);
            }
            Event::ShadowEvent(shadowed) => {
                self.figures.llm_calls += u64::from(shadowed.llm_calls);
            }
            Event::AuditEvent(audited) => {
                self.figures.audits.asked += 1;
                self.figures.audits.agreed += u64::from(audited.agrees);
            }
            Event::DriftEvent(drifted) => count(&mut self.figures.drift, &drifted.signal),
            Event::ModelEvent(call) => self.called(call),
            Event::ToolEvent { status, tool_latency_ms, errors, .. } => {
                let tools = &mut self.figures.tools;
                tools.calls += 1;
                tools.failed += u64::from(*status == Status::Error);
                for code in errors {
                    count(&mut tools.errors, &code.to_string());
                }
                self.tool.add(*tool_latency_ms);
            }
            // Its call was counted in its own turn, or is lost.
            Event::WriteEvent { .. } | Event::AgentEvent(_) | Event::PlanEvent(_) => {}
            Event::AnswerEvent { t_total_ms, .. } => self.total.add(*t_total_ms),
            Event::Degraded { what, .. } => count(&mut self.figures.degraded, what),
            Event::ContractEvent { rule, .. } => count(&mut self.figures.contract, rule.name()),
            Event::Dropped { what, .. } => count(&mut self.figures.dropped, what),
        }
    }

    fn routed(&mut self, record: &Record, routed: &Routed) {
        let figures = &mut self.figures;
        figures.turns += 1;
        // Requests may be older than those before them: a replay says its own instant.
        if figures.first.as_ref().is_none_or(|first| record.at < *first) {
            figures.first = Some(record.at.clone());
        }
        if figures.last.as_ref().is_none_or(|last| record.at > *last) {
            figures.last = Some(record.at.clone());
        }
        count(&mut figures.layers, routed.layer.name());
        self.weeks.add(&record.at, routed.layer);
        count(&mut figures.actions, routed.action.name());
        count(&mut figures.routes, &routed.intent);
        if let Some(gate) = routed.gating.get("closed").and_then(serde_json::Value::as_str) {
            count(&mut figures.gates, gate);
        }
        figures.repeated_questions += u64::from(routed.repeated);
        figures.llm_calls += u64::from(routed.llm_calls);
        self.classification.add(routed.classification_latency_ms);
        self.task(record.session_id.as_deref(), routed.action);
    }

    /// Counts a model call with those that it belongs to; what comes too late belongs together.
    fn called(&mut self, call: &ModelCall) {
        let key = |model: &str, route: &str| (call.slot, model.to_owned(), route.to_owned());
        let own = key(&call.model, &call.route);
        let known = self.calls.len() < MAX_NAMES || self.calls.contains_key(&own);
        let calls = self.calls.entry(if known { own } else { key(OTHER, OTHER) }).or_default();
        calls.all += 1;
        calls.tools += call.tools.unwrap_or_default();
        match call.usage {
            Some(tokens) => calls.tokens += tokens,
            None => calls.uncounted += 1,
        }
    }

    /// A task ends when something runs; the questions before it in the conversation are its own.
    fn task(&mut self, session: Option<&str>, action: Outcome) {
        match (action, session) {
            (Outcome::Run, session) => {
                let asked = session.and_then(|session| self.open.remove(session)).unwrap_or(0);
                *self.clarifications.entry(asked.min(MAX_NAMES as u64)).or_default() += 1;
            }
            (Outcome::Clarify, Some(session)) => {
                if let Some(asked) = self.open.get_mut(session) {
                    *asked += 1;
                } else if self.open.len() < MAX_OPEN {
                    self.open.insert(session.to_owned(), 1);
                }
            }
            _ => {}
        }
    }

    /// The model calls so far, without their cost.
    fn usage(&self) -> Vec<RouteUsage> {
        let usage = self.calls.iter().map(|((slot, model, route), calls)| RouteUsage {
            slot: *slot,
            model: model.clone(),
            route: route.clone(),
            calls: calls.all,
            uncounted: calls.uncounted,
            tokens: calls.tokens,
            tools: calls.tools,
            cost: None,
        });
        usage.collect()
    }

    /// The figures of the turns so far.
    pub fn figures(&self) -> Figures {
        let mut figures = self.figures.clone();
        let share = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
        let clarified = figures.actions.get(Outcome::Clarify.name()).copied().unwrap_or(0);
        figures.clarify_rate = share(clarified, figures.turns);
        figures.choices.acceptance_rate = share(figures.choices.taken, figures.choices.shown);
        figures.audits.agreement = share(figures.audits.agreed, figures.audits.asked);
        figures.llm_calls_per_turn = share(figures.llm_calls, figures.turns);
        figures.usage = self.usage();
        let by_model = figures.layers.get(LayerName::Llm.name()).copied().unwrap_or(0);
        figures.model_share = share(by_model, figures.turns);
        figures.stage = figures.model_share.map(stage);
        figures.weeks = self.weeks.list();
        figures.clarifications_per_task = median(&self.clarifications);
        figures.classification_latency_ms = self.classification.percentiles();
        figures.tool_latency_ms = self.tool.percentiles();
        figures.total_latency_ms = self.total.percentiles();
        figures
    }
}

fn count(counts: &mut Count, name: &str) {
    let known = counts.len() < MAX_NAMES || counts.contains_key(name);
    *counts.entry(if known { name } else { OTHER }.to_owned()).or_default() += 1;
}

fn median(counts: &BTreeMap<u64, u64>) -> Option<u64> {
    let all: u64 = counts.values().sum();
    let mut seen = 0;
    counts.iter().find_map(|(value, times)| {
        seen += times;
        (seen * 2 >= all).then_some(*value)
    })
}

/// The ratio of neighboring steps: a figure is off by at most half of it.
const STEP: f64 = 1.02;
/// A microsecond: shorter times are not told apart.
const SMALLEST_MS: f64 = 0.001;
/// A day is within the last step.
const STEPS: usize = 1280;

/// Durations by their size, in steps of 2%: as much memory for a million as for one.
#[derive(Debug, Default)]
struct Latencies {
    steps: BTreeMap<u16, u64>,
    count: u64,
}

impl Latencies {
    fn add(&mut self, milliseconds: f64) {
        if !milliseconds.is_finite() {
            return;
        }
        let size = (milliseconds.max(SMALLEST_MS) / SMALLEST_MS).ln() / STEP.ln();
        let step = size.round().min((STEPS - 1) as f64) as u16;
        *self.steps.entry(step).or_default() += 1;
        self.count += 1;
    }

    fn percentiles(&self) -> Option<Percentiles> {
        Some(Percentiles {
            count: self.count,
            p50: self.below(0.5)?,
            p95: self.below(0.95)?,
            p99: self.below(0.99)?,
        })
    }

    /// The value that the given share of all stays below, by the nearest rank.
    fn below(&self, share: f64) -> Option<f64> {
        let rank = (self.count as f64 * share).ceil().max(1.0) as u64;
        let mut seen = 0;
        let step = self.steps.iter().find_map(|(step, times)| {
            seen += times;
            (seen >= rank).then_some(*step)
        })?;
        let value = SMALLEST_MS * STEP.powi(i32::from(step));
        Some((value * 1000.0).round() / 1000.0)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A record as it would be read from a store.
    fn record(session: &str, event: &serde_json::Value) -> Record {
        let mut record = json!({
            "decision_id": "d", "session_id": session, "pack": "p", "at": "2025-11-06T08:00:00Z",
        });
        for (key, value) in event.as_object().unwrap() {
            record[key] = value.clone();
        }
        serde_json::from_value(record).unwrap()
    }

    fn routed(session: &str, action: &str, closed: Option<&str>, ms: f64) -> Record {
        let decision = json!({
            "id": "d", "pack": "p@1", "bundle": "b", "decision": action, "route": "tool",
            "calls": [], "confidence": 1.0, "layer": "linear", "alternatives": [],
            "selected": [], "rationale": "", "retrieval": false, "model_slot": null,
            "complexity": "simple", "strategy": "direct", "llm_calls": 0, "degraded": [],
            "language": "en",
        });
        record(
            session,
            &json!({
                "type": "router_event", "text": "x", "intent": "tool", "action": action,
                "layer": "linear", "confidence": 1.0, "entities": [],
                "gating": {"closed": closed, "requires_tpr_complete": true},
                "reasoning_summary": "", "classification_latency_ms": ms, "llm_calls": 1,
                "repeated": action == "clarify", "degraded": [],
                "flags": {"tpr_complete": false}, "tpr_complete": false, "decision": decision,
            }),
        )
    }

    #[test]
    fn s1_20_rates_and_latencies_are_those_of_the_events() {
        let mut statistics = Statistics::default();
        for n in 1..=100 {
            statistics.add(&routed("a", "run", None, f64::from(n)));
        }
        statistics.add(&routed("b", "clarify", Some("gate:tpr_complete"), 1.0));
        statistics.add(&routed("b", "clarify", Some("gate:tpr_complete"), 1.0));
        statistics.add(&routed("b", "run", None, 1.0));
        for taken in [true, true, false] {
            let event = json!({"type": "choice_outcome", "shown": 3, "taken": taken});
            statistics.add(&record("b", &event));
        }
        let figures = statistics.figures();
        assert_eq!((figures.turns, figures.repeated_questions), (103, 2));
        assert_eq!(figures.gates, Count::from([("gate:tpr_complete".to_owned(), 2)]));
        assert_eq!(figures.clarify_rate, Some(2.0 / 103.0));
        assert_eq!(figures.choices.acceptance_rate, Some(2.0 / 3.0));
        assert_eq!(figures.llm_calls_per_turn, Some(1.0));
        assert_eq!(figures.clarifications_per_task, Some(0));
        assert_eq!(statistics.clarifications, BTreeMap::from([(0, 100), (2, 1)]));
        let latency = figures.classification_latency_ms.unwrap();
        for (found, exact) in [(latency.p50, 49.0), (latency.p95, 95.0), (latency.p99, 99.0)] {
            assert!((found / exact - 1.0).abs() < 0.011, "{found} is not {exact}");
        }
        assert_eq!(figures.tool_latency_ms, None);
    }

    /// A call of the model `m`, and its tokens where they were counted.
    fn called(slot: &str, route: &str, tokens: Option<(u64, u64, u64)>) -> Record {
        let mut event = json!({
            "type": "model_event", "slot": slot, "model": "m", "purpose": "write", "route": route,
            "model_latency_ms": 1.0, "tools": { "sent": 50, "all": 1000 },
        });
        if let Some((prompt, cached, reply)) = tokens {
            event["usage"] = json!({ "prompt": prompt, "cached": cached, "reply": reply });
        }
        record("s", &event)
    }

    #[test]
    fn tokens_are_added_up_by_slot_and_route() {
        let mut statistics = Statistics::default();
        for call in [
            called("main", "explain", Some((100, 60, 20))),
            called("main", "explain", Some((10, 0, 2))),
            called("main", "explain", None),
            called("light", "talk", Some((7, 0, 3))),
        ] {
            statistics.add(&call);
        }
        let figures = statistics.figures();
        let [main, light] = figures.usage.as_slice() else { panic!("{:?}", figures.usage) };
        assert_eq!(
            (main.slot, main.route.as_str(), main.model.as_str()),
            (Slot::Main, "explain", "m")
        );
        assert_eq!((main.calls, main.uncounted, main.cost), (3, 1, None));
        assert_eq!(main.tools, ToolTokens { sent: 150, all: 3000 });
        assert_eq!(main.tokens, Usage { prompt: 110, cached: 60, reply: 22 });
        assert_eq!((light.slot, light.calls, light.tokens.reply), (Slot::Light, 1, 3));
        assert_eq!(figures.llm_calls, 0, "only calls for decisions are counted there");
        // Tokens stand beside the other fields.
        let written = serde_json::to_value(light).unwrap();
        assert_eq!((&written["prompt"], &written["cost"]), (&json!(7), &json!(null)));
    }

    #[test]
    fn a_record_reads_back_as_it_was_written() {
        let written = routed("a", "run", None, 1.0);
        let text = serde_json::to_string(&written).unwrap();
        assert!(text.contains("\"tpr_complete\":false") && text.matches("\"type\"").count() == 1);
        assert_eq!(serde_json::from_str::<Record>(&text).unwrap(), written);
    }

    #[test]
    fn memory_does_not_grow_with_the_events() {
        let mut statistics = Statistics::default();
        for n in 0..3 * MAX_OPEN {
            let session = format!("s{n}");
            statistics.add(&routed(&session, "clarify", Some(&session), n as f64));
        }
        assert_eq!(statistics.open.len(), MAX_OPEN);
        assert_eq!(statistics.figures().gates.len(), MAX_NAMES + 1);
        assert!(statistics.classification.steps.len() < STEPS);
        for n in 0..2 * MAX_NAMES {
            statistics.add(&called("main", &n.to_string(), Some((1, 0, 1))));
        }
        assert_eq!(statistics.calls.len(), MAX_NAMES + 1);
        let mut latencies = Latencies::default();
        latencies.add(f64::INFINITY);
        assert_eq!(latencies.percentiles(), None, "what cannot be measured is not");
    }
}

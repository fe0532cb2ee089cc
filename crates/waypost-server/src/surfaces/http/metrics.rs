//! Figures for Prometheus: what was asked, decided and run since the start, in bounded memory.

#[cfg(feature = "otlp")]
mod series;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use waypost::ports::model::Slot;
use waypost::records::decision::{LayerName, Outcome};
use waypost::records::event::{Event, ModelCall, Record, Status};

use crate::config::Price;

/// Requests by path and status.
pub(super) const REQUESTS: &str = "waypost_http_requests_total";
/// Requests that met a full server.
pub(super) const REJECTED: &str = "waypost_turns_rejected_total";
/// Times that packs were read again.
const RELOADS: &str = "waypost_reloads_total";
/// Students that were put in service.
const SWAPS: &str = "waypost_bundle_swaps_total";
/// Tokens of tools in requests that were passed on, by whether they were left out.
pub(super) const PRUNED_TOKENS: &str = "waypost_pruned_tool_tokens_total";
/// Requests that were passed on to a model.
pub(super) const PRUNED: &str = "waypost_forwarded_total";
/// Requests for a model that a pack answered.
pub(super) const SPARED: &str = "waypost_spared_total";
const TURNS: &str = "waypost_turns_total";
const LLM_CALLS: &str = "waypost_llm_calls_total";
const LLM_TOKENS: &str = "waypost_llm_tokens_total";
const TOOL_TOKENS: &str = "waypost_llm_tool_tokens_total";
const LLM_COST: &str = "waypost_llm_cost_total";
const AGENT_TURNS: &str = "waypost_agent_turns_total";
const AGENT_STOPS: &str = "waypost_agent_stops_total";
const PLAN_STOPS: &str = "waypost_plan_stops_total";
const TOOL_CALLS: &str = "waypost_tool_calls_total";
const WRITES: &str = "waypost_writes_interrupted_total";
const AUDITS: &str = "waypost_audits_total";
const DRIFT: &str = "waypost_drift_alarms_total";
const CONTRACT: &str = "waypost_contract_violations_total";
const DROPPED: &str = "waypost_dropped_total";
const DEGRADED: &str = "waypost_degraded_total";

/// Every counter, with its help.
const COUNTERS: &[(&str, &str)] = &[
    (REQUESTS, "Requests by path and status."),
    (REJECTED, "Requests that were refused because the server was full."),
    (TURNS, "Turns by the layer that decided and by what happened next."),
    (LLM_CALLS, "Model calls for decisions, those for shadows included."),
    (
        LLM_TOKENS,
        "Tokens of all model calls by slot, route and kind; the cached are some of the prompt.",
    ),
    (
        TOOL_TOKENS,
        "Estimated tokens by which models were told of tools, and of all schemas of the pack, by slot and kind.",
    ),
    (LLM_COST, "Money for all model calls by slot and route, where prices are configured."),
    (AGENT_TURNS, "Turns of the agent in which a model took part."),
    (AGENT_STOPS, "Works of the agent that a budget or a guard ended, by which."),
    (PLAN_STOPS, "Plans that a failure or a limit ended, by which."),
    (TOOL_CALLS, "Tool calls by how they ended."),
    (WRITES, "Writes whose answer did not come, by how they ended."),
    (AUDITS, "Turns that a model was asked about afterwards, by whether it agrees."),
    (DRIFT, "Times that traffic was no longer what it was, by signal."),
    (CONTRACT, "Rules of the routing contract that were broken, or seem to be."),
    (PRUNED, "Requests that were passed on to a model."),
    (
        PRUNED_TOKENS,
        "Estimated tokens of tools in requests that were passed on, by whether they were kept.",
    ),
    (SPARED, "Requests for a model that a pack answered without it."),
    (DROPPED, "What callers sent and was not used."),
    (DEGRADED, "What did not work as configured."),
    (RELOADS, "How often packs were read again, by whether they were taken."),
    (SWAPS, "How often another student was put in service."),
];

/// The time that requests took until their answer began.
pub(super) const REQUEST_SECONDS: &str = "waypost_http_request_duration_seconds";
const DECIDE_SECONDS: &str = "waypost_decision_duration_seconds";
const TURN_SECONDS: &str = "waypost_turn_duration_seconds";

/// Every histogram, with its help.
const HISTOGRAMS: &[(&str, &str)] = &[
    (REQUEST_SECONDS, "How long requests took until the answer began."),
    (DECIDE_SECONDS, "How long deciding took."),
    (TURN_SECONDS, "How long whole turns took."),
];

/// The upper ends of the buckets of a histogram, in seconds: from a student's decision to a turn at
/// its limit.
const BUCKETS: [f64; 15] = [
    0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0,
    60.0,
];

/// The most sets of labels that one counter tells apart; later ones are counted as [`OTHER`]. Tokens have
/// six for each route, of which packs have up to 150.
const MAX_SERIES: usize = 1_000;
const OTHER: &str = "other=\"true\"";

/// Figures since the start.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    state: Mutex<State>,
    /// The prices of the models by slot.
    prices: BTreeMap<Slot, Price>,
}

#[derive(Debug, Default)]
struct State {
    /// The counts by counter, then by labels as they are written.
    counters: BTreeMap<&'static str, BTreeMap<String, f64>>,
    histograms: BTreeMap<&'static str, Histogram>,
}

#[derive(Debug, Default)]
struct Histogram {
    /// The number of durations in each bucket, and at the end the number of those in none.
    buckets: [u64; BUCKETS.len() + 1],
    seconds: f64,
}

impl Metrics {
    /// Figures that count what models cost by these prices.
    pub(crate) fn priced(prices: BTreeMap<Slot, Price>) -> Self {
        Self { prices, ..Self::default() }
    }

    /// Counts one more with these labels.
    pub(super) fn add(&self, counter: &'static str, labels: &[(&str, &str)]) {
        self.add_many(counter, labels, 1.0);
    }

    fn add_many(&self, counter: &'static str, labels: &[(&str, &str)], count: f64) {
        let mut state = self.state();
        let series = state.counters.entry(counter).or_default();
        let key = written(labels);
        let known = series.len() < MAX_SERIES || series.contains_key(&key);
        *series.entry(if known { key } else { OTHER.to_owned() }).or_default() += count;
    }

    /// Counts a duration.
    pub(super) fn took(&self, histogram: &'static str, duration: Duration) {
        let seconds = duration.as_secs_f64();
        let mut state = self.state();
        let histogram = state.histograms.entry(histogram).or_default();
        let bucket = BUCKETS.iter().position(|end| seconds <= *end).unwrap_or(BUCKETS.len());
        histogram.buckets[bucket] += 1;
        histogram.seconds += seconds;
    }

    /// Counts that a pack was read again.
    pub(crate) fn reloaded(&self, taken: bool) {
        self.add(RELOADS, &[("taken", if taken { "true" } else { "false" })]);
    }

    /// Counts a request that was passed on, with the tokens of its tools that were kept and left out.
    pub(super) fn pruned(&self, tokens: &[(&str, usize)]) {
        self.add(PRUNED, &[]);
        for (kind, count) in tokens {
            self.add_many(PRUNED_TOKENS, &[("kind", kind)], *count as f64);
        }
    }

    /// Counts that another student was put in service.
    pub(crate) fn swapped(&self) {
        self.add(SWAPS, &[]);
    }

    /// Counts a decision that no event tells of.
    pub(super) fn decided(&self, layer: LayerName, action: Outcome, llm_calls: u32) {
        self.add(TURNS, &[("layer", layer.name()), ("decision", action.name())]);
        self.add_many(LLM_CALLS, &[], llm_calls.into());
    }

    /// Counts the time of a decision that no event tells of.
    pub(super) fn decided_within(&self, duration: Duration) {
        self.took(DECIDE_SECONDS, duration);
    }

    /// Counts what an event tells.
    pub(super) fn count(&self, record: &Record) {
        match &record.event {
            Event::RouterEvent(routed) => {
                self.decided(routed.layer, routed.action, routed.llm_calls);
                self.took(DECIDE_SECONDS, milliseconds(routed.classification_latency_ms));
            }
            Event::ShadowEvent(shadowed) => {
                self.add_many(LLM_CALLS, &[], shadowed.llm_calls.into());
            }
            Event::AuditEvent(audited) => {
                let agrees = if audited.agrees { "true" } else { "false" };
                self.add(AUDITS, &[("agrees", agrees)]);
            }
            Event::DriftEvent(drifted) => self.add(DRIFT, &[("signal", &drifted.signal)]),
            Event::ModelEvent(call) => self.called(call),
            Event::ToolEvent { tool, status, .. } => {
                let status = if *status == Status::Success { "success" } else { "error" };
                self.add(TOOL_CALLS, &[("tool", tool), ("status", status)]);
            }
            Event::WriteEvent { end, .. } => self.add(WRITES, &[("end", end.name())]),
            Event::AnswerEvent { t_total_ms, .. } => {
                self.took(TURN_SECONDS, milliseconds(*t_total_ms));
            }
            Event::ContractEvent { rule, .. } => self.add(CONTRACT, &[("rule", rule.name())]),
            Event::Dropped { what, .. } => self.add(DROPPED, &[("what", what)]),
            Event::Degraded { what, .. } => self.add(DEGRADED, &[("what", what)]),
            Event::AgentEvent(run) => {
                self.add_many(AGENT_TURNS, &[], f64::from(run.turns));
                if let Some(stopped) = &run.stopped {
                    self.add(AGENT_STOPS, &[("by", stopped)]);
                }
            }
            Event::PlanEvent(run) => {
                if let Some(stopped) = &run.stopped {
                    self.add(PLAN_STOPS, &[("by", stopped)]);
                }
            }
            Event::ChoiceEvent { .. } | Event::ChoiceOutcome { .. } => {}
        }
    }

    /// Counts the tokens of a model call, and what they cost.
    fn called(&self, call: &ModelCall) {
        if let Some(told) = call.tools {
            for (kind, tokens) in [("sent", told.sent), ("all", told.all)] {
                let of = [("slot", call.slot.name()), ("kind", kind)];
                self.add_many(TOOL_TOKENS, &of, tokens as f64);
            }
        }
        let Some(usage) = call.usage else { return };
        let of = [("slot", call.slot.name()), ("route", call.route.as_str())];
        for (kind, tokens) in
            [("prompt", usage.prompt), ("cached", usage.cached), ("reply", usage.reply)]
        {
            self.add_many(LLM_TOKENS, &[of[0], of[1], ("kind", kind)], tokens as f64);
        }
        if let Some(price) = self.prices.get(&call.slot) {
            self.add_many(LLM_COST, &of, price.of(usage));
        }
    }

    /// Returns everything in the text format of Prometheus; `gauges` are the figures of the moment,
    /// with help and labels.
    pub(super) fn text(&self, gauges: &[Gauge<'_>]) -> String {
        let state = self.state();
        let mut text = String::new();
        for (name, help) in COUNTERS {
            family(&mut text, name, help, "counter");
            match state.counters.get(name) {
                Some(series) => {
                    for (labels, count) in series {
                        sample(&mut text, name, labels, *count);
                    }
                }
                // A counter that is there from the start can be told from one that is missing.
                None if is_plain(name) => sample(&mut text, name, "", 0.0),
                None => {}
            }
        }
        let nothing = Histogram::default();
        for (name, help) in HISTOGRAMS {
            family(&mut text, name, help, "histogram");
            state.histograms.get(name).unwrap_or(&nothing).write(&mut text, name);
        }
        let mut last = "";
        for gauge in gauges {
            if gauge.name != last {
                family(&mut text, gauge.name, gauge.help, gauge.kind);
            }
            last = gauge.name;
            sample(&mut text, gauge.name, &written(gauge.labels), gauge.value);
        }
        text
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A figure that is looked up when it is asked for.
#[derive(Debug)]
pub(super) struct Gauge<'a> {
    pub(super) name: &'a str,
    pub(super) help: &'a str,
    /// `gauge`, or `counter` where it only grows.
    pub(super) kind: &'a str,
    pub(super) labels: &'a [(&'a str, &'a str)],
    pub(super) value: f64,
}

impl Histogram {
    fn write(&self, text: &mut String, name: &str) {
        let mut below = 0;
        for (end, count) in BUCKETS.iter().zip(&self.buckets) {
            below += count;
            sample(text, &format!("{name}_bucket"), &format!("le=\"{end}\""), below as f64);
        }
        let all: u64 = self.buckets.iter().sum();
        sample(text, &format!("{name}_bucket"), "le=\"+Inf\"", all as f64);
        sample(text, &format!("{name}_sum"), "", self.seconds);
        sample(text, &format!("{name}_count"), "", all as f64);
    }
}

/// Returns whether a counter has no labels.
fn is_plain(name: &str) -> bool {
    [REJECTED, LLM_CALLS, SWAPS].contains(&name)
}

fn milliseconds(milliseconds: f64) -> Duration {
    Duration::try_from_secs_f64(milliseconds / 1e3).unwrap_or_default()
}

fn family(text: &mut String, name: &str, help: &str, kind: &str) {
    // Writing to a string does not fail.
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

fn sample(text: &mut String, name: &str, labels: &str, value: f64) {
    let _ = match labels {
        "" => writeln!(text, "{name} {value}"),
        labels => writeln!(text, "{name}{{{labels}}} {value}"),
    };
}

fn written(labels: &[(&str, &str)]) -> String {
    let escape =
        |value: &str| value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    let pairs = labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escape(value)));
    pairs.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn buckets_add_up_and_their_ends_belong_to_them() {
        let metrics = Metrics::default();
        for ms in [1, 2, 3, 100_000] {
            metrics.took(REQUEST_SECONDS, Duration::from_millis(ms));
        }
        let text = metrics.text(&[]);
        for line in [
            "# TYPE waypost_http_request_duration_seconds histogram",
            "waypost_http_request_duration_seconds_bucket{le=\"0.0005\"} 0",
            "waypost_http_request_duration_seconds_bucket{le=\"0.001\"} 1",
            "waypost_http_request_duration_seconds_bucket{le=\"0.005\"} 3",
            "waypost_http_request_duration_seconds_bucket{le=\"60\"} 3",
            "waypost_http_request_duration_seconds_bucket{le=\"+Inf\"} 4",
            "waypost_http_request_duration_seconds_sum 100.006",
            "waypost_http_request_duration_seconds_count 4",
            "waypost_turns_rejected_total 0",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}:\n{text}");
        }
    }

    fn called(slot: &str, usage: &serde_json::Value) -> Record {
        let record = json!({
            "decision_id": "d", "pack": "p", "at": "2025-11-06T08:00:00Z", "type": "model_event",
            "slot": slot, "model": "m", "purpose": "write", "route": "explain", "usage": usage,
            "model_latency_ms": 1.0, "tools": { "sent": 100, "all": 2000 },
        });
        serde_json::from_value(record).unwrap()
    }

    #[test]
    fn tokens_are_counted_and_cost_where_there_is_a_price() {
        let price: Price = toml::from_str("prompt = 2\ncached = 1\nreply = 4").unwrap();
        let metrics = Metrics::priced(BTreeMap::from([(Slot::Main, price)]));
        let usage = json!({ "prompt": 1_000_000, "cached": 500_000, "reply": 250_000 });
        for slot in ["main", "main", "light"] {
            metrics.count(&called(slot, &usage));
        }
        metrics.count(&called("main", &json!(null)));
        let text = metrics.text(&[]);
        for line in [
            "waypost_llm_tokens_total{slot=\"main\",route=\"explain\",kind=\"prompt\"} 2000000",
            "waypost_llm_tokens_total{slot=\"main\",route=\"explain\",kind=\"cached\"} 1000000",
            "waypost_llm_tokens_total{slot=\"main\",route=\"explain\",kind=\"reply\"} 500000",
            "waypost_llm_tokens_total{slot=\"light\",route=\"explain\",kind=\"reply\"} 250000",
            "waypost_llm_tool_tokens_total{slot=\"main\",kind=\"sent\"} 300",
            "waypost_llm_tool_tokens_total{slot=\"light\",kind=\"all\"} 2000",
            "waypost_llm_cost_total{slot=\"main\",route=\"explain\"} 5",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}:\n{text}");
        }
        assert!(!text.contains("waypost_llm_cost_total{slot=\"light\""), "{text}");
    }

    #[test]
    fn labels_are_escaped_and_bounded() {
        let metrics = Metrics::default();
        metrics.add(DROPPED, &[("what", "a \"b\"\\\n")]);
        let line = "waypost_dropped_total{what=\"a \\\"b\\\"\\\\\\n\"} 1\n";
        assert!(metrics.text(&[]).contains(line), "{}", metrics.text(&[]));
        for n in 0..2 * MAX_SERIES {
            metrics.add(DROPPED, &[("what", &n.to_string())]);
        }
        let text = metrics.text(&[]);
        let series = text.lines().filter(|line| line.starts_with(DROPPED)).count();
        assert_eq!(series, MAX_SERIES + 1);
        let others = format!("{DROPPED}{{other=\"true\"}} {}", MAX_SERIES + 1);
        assert!(text.contains(&others), "{text}");
    }
}

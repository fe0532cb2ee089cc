//! Tells OpenTelemetry of each turn: a trace of what was done, in the words of the conventions for generative AI, and the
//! figures of `/metrics`. Nothing of what people wrote is in it.
//!
//! Events come when a turn is over. How long each step took is known, and when it began is not: steps stand one behind another,
//! as far as the turn has room.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use opentelemetry::metrics::{Histogram, MeterProvider as _};
use opentelemetry::trace::{
    SpanBuilder, SpanKind, Status as SpanStatus, TraceContextExt, Tracer as _, TracerProvider as _,
};
use opentelemetry::{Context, KeyValue};
use opentelemetry_sdk::trace::SdkTracer;
use waypost::Result;
use waypost::ports::store::Store;
use waypost::records::event::{Event, ModelCall, Record, Routed, Status};
use waypost_backends::stores::{Behind, Inlet};
use waypost_backends::telemetry::{Telemetry, TelemetryConfig};

use crate::surfaces::http::Metrics;

/// A collector that is told of the work of a server.
#[derive(Debug)]
pub(crate) struct Collector(Telemetry);

impl Collector {
    /// Prepares to send; nothing is sent yet.
    ///
    /// # Errors
    ///
    /// `INVALID_ARGUMENT` for an address that is none.
    pub(crate) fn open(config: &TelemetryConfig) -> Result<Self> {
        Telemetry::open(config).map(Self)
    }

    /// Wraps a store, so that the collector is told of the events that go into it, and of the figures of `metrics`.
    pub(crate) fn watching(&self, store: Arc<dyn Store>, metrics: &Arc<Metrics>) -> Arc<dyn Store> {
        Arc::new(Behind::new(Traced::new(&self.0, metrics), store))
    }

    /// Sends what waits, and ends; at most for seconds.
    pub(crate) async fn shutdown(self) {
        let _ = tokio::task::spawn_blocking(move || self.0.shutdown()).await;
    }
}

/// Tells a collector of events, and lets all of them through.
#[derive(Debug)]
struct Traced {
    tracer: SdkTracer,
    /// Seconds of a turn, as `gen_ai.client.operation.duration`.
    durations: Histogram<f64>,
    /// Tokens of a model call, as `gen_ai.client.token.usage`.
    tokens: Histogram<u64>,
}

impl Traced {
    /// Speaks to a collector, which also gets the figures of `metrics` from now on.
    fn new(telemetry: &Telemetry, metrics: &Arc<Metrics>) -> Self {
        let meter = telemetry.metrics.meter("waypost");
        for (name, help) in Metrics::counters() {
            let metrics = Arc::clone(metrics);
            let observed = meter.f64_observable_counter(name.trim_end_matches("_total"));
            let observed = observed.with_description(help).with_callback(move |observer| {
                for (labels, count) in metrics.series(name) {
                    let labels = labels.into_iter().map(|(name, value)| KeyValue::new(name, value));
                    observer.observe(count, &labels.collect::<Vec<_>>());
                }
            });
            observed.build();
        }
        Self {
            tracer: telemetry.traces.tracer("waypost"),
            durations: meter
                .f64_histogram("gen_ai.client.operation.duration")
                .with_unit("s")
                .build(),
            tokens: meter.u64_histogram("gen_ai.client.token.usage").with_unit("{token}").build(),
        }
    }

    /// The trace of the events of one turn.
    fn turn(&self, records: &[&Record]) {
        let total = records.iter().find_map(|record| match &record.event {
            Event::AnswerEvent { t_total_ms, .. } => Some(milliseconds(*t_total_ms)),
            _ => None,
        });
        let (Some(total), Some(first)) = (total, records.first()) else { return };
        let end = SystemTime::now();
        let begin = end.checked_sub(total).unwrap_or(end);
        let mut attributes = vec![
            KeyValue::new("gen_ai.operation.name", "invoke_agent"),
            KeyValue::new("gen_ai.agent.name", first.pack.clone()),
            KeyValue::new("waypost.decision.id", first.decision_id.clone()),
        ];
        attributes
            .extend(first.session_id.clone().map(|id| KeyValue::new("gen_ai.conversation.id", id)));
        let mut status = SpanStatus::Unset;
        for record in records {
            match &record.event {
                Event::RouterEvent(routed) => attributes.extend(decided(routed)),
                Event::AnswerEvent { mode, code, .. } => {
                    attributes.push(KeyValue::new("waypost.mode", mode.clone()));
                    if let Some(code) = code {
                        attributes.push(KeyValue::new("error.type", code.name()));
                        status = SpanStatus::error(code.name());
                    }
                }
                _ => {}
            }
        }
        self.durations.record(total.as_secs_f64(), &attributes[..2]);
        let span = SpanBuilder::from_name(format!("invoke_agent {}", first.pack))
            .with_kind(SpanKind::Server)
            .with_start_time(begin)
            .with_attributes(attributes);
        let parent =
            Context::new().with_span(self.tracer.build_with_context(span, &Context::new()));
        let mut at = begin;
        for record in records {
            if let Some((span, took)) = self.step(record) {
                let until = (at + took).min(end);
                let span = span.with_start_time(at);
                opentelemetry::trace::Span::end_with_timestamp(
                    &mut self.tracer.build_with_context(span, &parent),
                    until,
                );
                at = until;
            }
        }
        parent.span().set_status(status);
        parent.span().end_with_timestamp(end);
    }

    /// The span of an event that took time of its own.
    fn step(&self, record: &Record) -> Option<(SpanBuilder, Duration)> {
        match &record.event {
            Event::RouterEvent(routed) => {
                let span = SpanBuilder::from_name("decide").with_attributes(decided(routed));
                Some((span, milliseconds(routed.classification_latency_ms)))
            }
            Event::ModelEvent(call) => {
                Some((self.called(call), milliseconds(call.model_latency_ms)))
            }
            Event::ToolEvent { tool, status, tool_latency_ms, tries, errors, .. } => {
                let mut attributes = vec![
                    KeyValue::new("gen_ai.operation.name", "execute_tool"),
                    KeyValue::new("gen_ai.tool.name", tool.clone()),
                    KeyValue::new("waypost.tries", i64::from(*tries)),
                ];
                let failed = (*status != Status::Success).then(|| errors.last()).flatten();
                attributes.extend(failed.map(|code| KeyValue::new("error.type", code.name())));
                let span = SpanBuilder::from_name(format!("execute_tool {tool}"))
                    .with_kind(SpanKind::Client)
                    .with_attributes(attributes)
                    .with_status(
                        failed.map_or(SpanStatus::Unset, |code| SpanStatus::error(code.name())),
                    );
                Some((span, milliseconds(*tool_latency_ms)))
            }
            _ => None,
        }
    }

    fn called(&self, call: &ModelCall) -> SpanBuilder {
        let mut attributes = vec![
            KeyValue::new("gen_ai.operation.name", "chat"),
            KeyValue::new("gen_ai.request.model", call.model.clone()),
            KeyValue::new("waypost.purpose", call.purpose.name()),
        ];
        if let Some(usage) = call.usage {
            for (kind, count) in [("input", usage.prompt), ("output", usage.reply)] {
                let mut of = attributes[..2].to_vec();
                of.push(KeyValue::new("gen_ai.token.type", kind));
                self.tokens.record(count, &of);
            }
            let count = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
            attributes.push(KeyValue::new("gen_ai.usage.input_tokens", count(usage.prompt)));
            attributes.push(KeyValue::new("gen_ai.usage.output_tokens", count(usage.reply)));
        }
        attributes.extend(call.code.map(|code| KeyValue::new("error.type", code.name())));
        SpanBuilder::from_name(format!("chat {}", call.model))
            .with_kind(SpanKind::Client)
            .with_attributes(attributes)
            .with_status(call.code.map_or(SpanStatus::Unset, |code| SpanStatus::error(code.name())))
    }
}

impl Inlet for Traced {
    fn events(&self, events: Vec<Record>) -> Vec<Record> {
        let mut rest: Vec<&Record> = events.iter().collect();
        while let Some(first) = rest.first() {
            let id = first.decision_id.clone();
            let (own, others): (Vec<&Record>, Vec<&Record>) =
                rest.into_iter().partition(|record| record.decision_id == id);
            self.turn(&own);
            rest = others;
        }
        events
    }
}

fn decided(routed: &Routed) -> Vec<KeyValue> {
    vec![
        KeyValue::new("waypost.decision", routed.action.name()),
        KeyValue::new("waypost.layer", routed.layer.name()),
        KeyValue::new("waypost.confidence", routed.confidence),
        KeyValue::new("waypost.route", routed.intent.clone()),
        KeyValue::new("waypost.llm_calls", i64::from(routed.llm_calls)),
    ]
}

fn milliseconds(count: f64) -> Duration {
    Duration::try_from_secs_f64(count.max(0.0) / 1000.0).unwrap_or_default()
}

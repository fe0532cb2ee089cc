//! Every event as it is stored, one file each.

use std::collections::BTreeMap;

use serde_json::json;
use waypost_core::Code;
use waypost_core::ports::model::{Slot, Usage};
use waypost_core::records::belief::Belief;
use waypost_core::records::decision::{LayerName, Outcome, Strategy};
use waypost_core::records::era::Era;
use waypost_core::records::event::{
    AgentRun, Asked, Audited, ContractRule, Drifted, Encoded, Event, ModelCall, Outline, PlanRun,
    Purpose, Recalled, Record, Replies, Routed, Said, Shadowed, Status, ToolTokens,
};
use waypost_core::records::request::{Context, Tested};
use waypost_core::records::write::WriteEnd;

use crate::golden::{Golden, object, written};
use crate::{decisions, requests};

/// The file of an event; an event without one does not compile.
fn file(event: &Event) -> &'static str {
    match event {
        Event::RouterEvent(_) => "router_event.json",
        Event::ChoiceEvent { .. } => "choice_event.json",
        Event::ChoiceOutcome { .. } => "choice_outcome.json",
        Event::ShadowEvent(_) => "shadow_event.json",
        Event::AuditEvent(_) => "audit_event.json",
        Event::DriftEvent(_) => "drift_event.json",
        Event::ModelEvent(_) => "model_event.json",
        Event::AgentEvent(_) => "agent_event.json",
        Event::PlanEvent(_) => "plan_event.json",
        Event::ToolEvent { .. } => "tool_event.json",
        Event::WriteEvent { .. } => "write_event.json",
        Event::AnswerEvent { .. } => "answer_event.json",
        Event::ContractEvent { .. } => "contract_event.json",
        Event::Dropped { .. } => "dropped.json",
        Event::Degraded { .. } => "degraded.json",
    }
}

/// An event of a turn in a conversation.
fn record(event: Event) -> Record {
    Record {
        decision_id: "0123456789abcdef".to_owned(),
        session_id: Some("s1".to_owned()),
        pack: "ocean".to_owned(),
        at: "2025-11-06T01:00:00Z".to_owned(),
        era: Era::default(),
        event,
    }
}

/// The golden file of an event: with all of its fields, and with those alone that are always there.
fn golden(types: &[&str], full: Event, minimal: Event) -> Golden {
    let name = file(&full);
    assert_eq!(name, file(&minimal));
    assert_eq!(name, format!("{}.json", full.name()), "a file is called as its event");
    let types = [&["Event", "Record"], types].concat();
    Golden::new(name, &types)
        .with("full", &record(full))
        .with("minimal", &Record { session_id: None, ..record(minimal) })
}

/// The golden files of this module, one an event.
pub(crate) fn goldens() -> Vec<Golden> {
    let goldens = vec![
        router_event(),
        choice_event(),
        choice_outcome(),
        shadow_event(),
        audit_event(),
        drift_event(),
        model_event(),
        agent_event(),
        plan_event(),
        tool_event(),
        write_event(),
        answer_event(),
        contract_event(),
        dropped(),
        degraded(),
    ];
    assert_eq!(goldens.len(), Event::TYPES.len(), "every type has a file, and is in `TYPES`");
    goldens
}

fn asked() -> Asked {
    Asked {
        tz: "Asia/Taipei".to_owned(),
        language: Some("en".to_owned()),
        route: Some("tool".to_owned()),
        call: Some(requests::call()),
        trusted: true,
        choice: Some(json!("hualien")),
        context: Context { extra: None, ..requests::context() },
        extra: true,
        remembered: true,
        repeated: true,
        conditions: vec!["if it is warm".to_owned()],
        tested: vec![Tested {
            condition: "if the sea is above 20 degrees".to_owned(),
            tool: "ghrsst.bbox_mean".to_owned(),
            arguments: object(json!({ "place": "hualien" })),
            what: "hualien".to_owned(),
            bound: json!([20.0, false, null, false, false]),
            value: 26.5,
            unit: Some("Cel".to_owned()),
            holds: true,
        }],
        off: vec!["layer.llm".to_owned()],
    }
}

fn replies() -> Replies {
    let arguments = object(json!({ "date": "2025-11-05" }));
    Replies {
        model: Some("qwen3:1.7b".to_owned()),
        belief: Some(Belief { choosing: 0.8, reading: 0.7, threshold: Some(0.65) }),
        said: Some(Said {
            to: "interpretation".to_owned(),
            prompt: "00112233445566aa".to_owned(),
            text: Some("{\"decision\":\"tool\"}".to_owned()),
            fault: Some(Code::DeadlineExceeded),
        }),
        also: vec![Said {
            to: "needed".to_owned(),
            prompt: "00112233445566bb".to_owned(),
            text: Some("{\"needed\":true}".to_owned()),
            fault: None,
        }],
        recalled: Some(Recalled {
            route: Some("tool".to_owned()),
            calls: vec![("ghrsst.bbox_mean".to_owned(), arguments)],
            confidence: 0.9,
            rationale: "it asks for a mean".to_owned(),
        }),
        encoder: Some(Encoded {
            id: "minilm@8899aabbccddeeff".to_owned(),
            kernel: "avx2".to_owned(),
            fault: Some(Code::Unavailable),
        }),
        lessons: BTreeMap::from([("ghrsst.bbox_mean".to_owned(), 4.5)]),
    }
}

fn router_event() -> Golden {
    let full = Routed {
        text: "how warm was the sea off Hualien yesterday".to_owned(),
        intent: "tool".to_owned(),
        action: Outcome::Run,
        layer: LayerName::Linear,
        confidence: 0.93,
        entities: vec![
            json!({ "tool": "ghrsst.bbox_mean", "arguments": { "date": "2025-11-05" } }),
        ],
        gating: object(json!({ "closed": "gate:tpr_complete", "requires_tpr_complete": true })),
        reasoning_summary: "nearest to `mean sea temperature`".to_owned(),
        classification_latency_ms: 0.25,
        llm_calls: 1,
        repeated: true,
        degraded: vec!["llm:UNAVAILABLE".to_owned()],
        flags: object(json!({ "tpr_complete": true })),
        decision: Box::new(decisions::full()),
        request: Some(Box::new(asked())),
        replies: Box::new(replies()),
        redacted: true,
        state: object(json!({ "tpr_complete": true })),
    };
    let minimal = Routed {
        text: "hello".to_owned(),
        intent: "conversational".to_owned(),
        action: Outcome::Run,
        layer: LayerName::Declared,
        confidence: 1.0,
        entities: Vec::new(),
        gating: object(json!({})),
        reasoning_summary: "the caller declared the route".to_owned(),
        classification_latency_ms: 0.1,
        llm_calls: 0,
        repeated: false,
        degraded: Vec::new(),
        flags: object(json!({})),
        decision: Box::new(decisions::minimal()),
        request: None,
        replies: Box::default(),
        redacted: false,
        state: object(json!({})),
    };
    let said = Said { to: "answer".to_owned(), prompt: "00".to_owned(), text: None, fault: None };
    let recalled = Recalled {
        route: None,
        calls: Vec::new(),
        confidence: 0.9,
        rationale: "nothing here serves it".to_owned(),
    };
    let encoded =
        Encoded { id: "minilm@8899aabbccddeeff".to_owned(), kernel: String::new(), fault: None };
    golden(
        &["Asked", "Belief", "Encoded", "Recalled", "Replies", "Routed", "Said", "Tested"],
        Event::RouterEvent(Box::new(full)),
        Event::RouterEvent(Box::new(minimal)),
    )
    .with("request, minimal", &Asked::default())
    .with("said, minimal", &said)
    .with("recalled, minimal", &recalled)
    .with("encoder, minimal", &encoded)
}

fn choice_event() -> Golden {
    let full = Event::ChoiceEvent {
        tool: "run_tpr_step".to_owned(),
        args: object(json!({ "facility_level": "primary", "age_group": "u5" })),
        confidence: 0.97,
        matched_by: written(json!("ordinal")),
        by: written(json!({ "age_group": "memory", "facility_level": "ordinal" })),
        user_text: "the first one".to_owned(),
    };
    let minimal = Event::ChoiceEvent {
        tool: "run_tpr_step".to_owned(),
        args: object(json!({})),
        confidence: 1.0,
        matched_by: written(json!("exact")),
        by: BTreeMap::new(),
        user_text: String::new(),
    };
    golden(&[], full, minimal)
}

fn choice_outcome() -> Golden {
    let full = Event::ChoiceOutcome {
        tool: Some("run_tpr_step".to_owned()),
        argument: Some("facility_level".to_owned()),
        shown: 4,
        taken: true,
        position: Some(1),
    };
    let minimal =
        Event::ChoiceOutcome { tool: None, argument: None, shown: 2, taken: false, position: None };
    golden(&[], full, minimal)
}

/// A decision as far as two of them are compared.
fn outline() -> Outline {
    Outline {
        decision: Outcome::Clarify,
        route: "tool".to_owned(),
        layer: LayerName::Llm,
        confidence: 0.8,
        calls: vec![json!({ "tool": "tide.forecast", "arguments": { "date": "2025-11-06" } })],
        reason: written(json!("gate:risk_complete")),
    }
}

fn least() -> Outline {
    Outline {
        decision: Outcome::Run,
        route: "explain".to_owned(),
        layer: LayerName::Linear,
        confidence: 0.7,
        calls: Vec::new(),
        reason: None,
    }
}

fn shadow_event() -> Golden {
    let shadowed = |standing: Outline, shadow: Outline, differs: &[&str], llm_calls: u32| {
        Event::ShadowEvent(Box::new(Shadowed {
            key: "layer.llm".to_owned(),
            text: "tides at Keelung".to_owned(),
            standing,
            shadow,
            differs: differs.iter().map(|&part| part.to_owned()).collect(),
            llm_calls,
        }))
    };
    let differs = ["decision", "route", "calls", "reason"];
    let full = shadowed(least(), outline(), &differs, 1);
    golden(&["Outline", "Shadowed"], full, shadowed(least(), least(), &[], 0))
}

fn audit_event() -> Golden {
    let audited = |standing: Outline, teacher: Outline, agrees: bool, model: Option<&str>| {
        let (text, model) = ("tides at Keelung".to_owned(), model.map(str::to_owned));
        Event::AuditEvent(Box::new(Audited { text, standing, teacher, agrees, model }))
    };
    let full = audited(least(), outline(), false, Some("qwen3:1.7b"));
    golden(&["Audited", "Outline"], full, audited(least(), least(), true, None))
}

fn drift_event() -> Golden {
    let full = Drifted {
        signal: "confidence".to_owned(),
        deviation: 6.5,
        threshold: 5.0,
        before: Some(0.91),
        now: Some(0.74),
        after: 120,
    };
    let minimal = Drifted { signal: "routes".to_owned(), before: None, now: None, ..full.clone() };
    golden(&["Drifted"], Event::DriftEvent(full), Event::DriftEvent(minimal))
}

fn model_event() -> Golden {
    let full = ModelCall {
        slot: Slot::Main,
        model: "qwen3:1.7b".to_owned(),
        purpose: Purpose::Write,
        route: "explain".to_owned(),
        usage: Some(Usage { prompt: 812, cached: 640, reply: 96 }),
        tools: Some(ToolTokens { sent: 180, all: 2400 }),
        model_latency_ms: 1250.5,
        code: Some(Code::DeadlineExceeded),
    };
    let minimal = ModelCall { usage: None, tools: None, code: None, ..full.clone() };
    golden(
        &["ModelCall", "ToolTokens", "Usage"],
        Event::ModelEvent(full),
        Event::ModelEvent(minimal),
    )
}

fn agent_event() -> Golden {
    let full = AgentRun {
        strategy: Strategy::Iterative,
        turns: 3,
        calls: 4,
        refused: vec!["getStockPrice:ungrounded".to_owned()],
        tokens: 2_345,
        cost: 0.0125,
        stopped: Some("turns".to_owned()),
    };
    let minimal = AgentRun { refused: Vec::new(), stopped: None, ..full.clone() };
    golden(&["AgentRun"], Event::AgentEvent(full), Event::AgentEvent(minimal))
}

fn plan_event() -> Golden {
    let full = PlanRun {
        happened: vec!["plan".to_owned(), "step 0".to_owned(), "retry 0".to_owned()],
        plans: 1,
        stopped: Some("step".to_owned()),
    };
    let minimal = PlanRun { stopped: None, ..full.clone() };
    golden(&["PlanRun"], Event::PlanEvent(full), Event::PlanEvent(minimal))
}

fn tool_event() -> Golden {
    let full = Event::ToolEvent {
        tool: "tide.forecast".to_owned(),
        arguments: object(json!({ "date": "2025-11-05", "tz": "Asia/Taipei" })),
        status: Status::Success,
        tool_latency_ms: 12.5,
        tries: 2,
        relaxed: vec!["date -1d".to_owned()],
        errors: vec![Code::NotFound],
    };
    let minimal = Event::ToolEvent {
        tool: "tide.forecast".to_owned(),
        arguments: object(json!({})),
        status: Status::Error,
        tool_latency_ms: 0.5,
        tries: 1,
        relaxed: Vec::new(),
        errors: Vec::new(),
    };
    golden(&["Status"], full, minimal)
}

fn write_event() -> Golden {
    let event = |arguments| Event::WriteEvent {
        tool: "note.add".to_owned(),
        arguments: object(arguments),
        approved_by: "fedcba9876543210".to_owned(),
        end: WriteEnd::Unknown,
    };
    golden(&["WriteEnd"], event(json!({ "text": "call Ana" })), event(json!({})))
}

fn answer_event() -> Golden {
    let answered = |mode: &str, code: Option<Code>| Event::AnswerEvent {
        mode: mode.to_owned(),
        t_total_ms: 21.5,
        code,
    };
    golden(&[], answered("error", Some(Code::Unavailable)), answered("tool", None))
}

fn contract_event() -> Golden {
    let broken =
        |rule: ContractRule, detail: &str| Event::ContractEvent { rule, detail: detail.to_owned() };
    let full = broken(ContractRule::Rc01, "a model was asked about the prefix `/code`");
    golden(&["ContractRule"], full, broken(ContractRule::Rc05, ""))
}

fn dropped() -> Golden {
    let dropped =
        |what: &str, why: &str| Event::Dropped { what: what.to_owned(), why: why.to_owned() };
    golden(&[], dropped("context.flags", "the caller is not trusted"), dropped("trusted", ""))
}

fn degraded() -> Golden {
    let degraded = |what: &str, code: Code, detail: &str| Event::Degraded {
        what: what.to_owned(),
        code,
        detail: detail.to_owned(),
    };
    let full = degraded("store:UNAVAILABLE", Code::Unavailable, "the disk is full");
    golden(&["Code"], full, degraded("llm:INTERNAL", Code::Internal, ""))
}

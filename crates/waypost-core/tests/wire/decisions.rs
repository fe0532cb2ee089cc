//! The golden files of decisions and labels.

use std::collections::BTreeMap;

use serde_json::json;
use waypost_core::ports::model::Slot;
use waypost_core::records::decision::{
    Alternative, Call, Complexity, Decision, Evidence, LayerName, Outcome, PlannedStep, Question,
    Strategy, Task, TaskBy, Unserved,
};
use waypost_core::records::era::Era;
use waypost_core::records::label::{Label, LabelKind, Verdict};
use waypost_core::records::request::Choice;
use waypost_text::language::Language;

use crate::golden::{Golden, object, written};

/// A call with evidence from every source.
fn call() -> Call {
    let receipts = json!({
        "bbox": { "source": "span", "text": "Hualien", "by": "gazetteer place hualien" },
        "date": { "source": "span", "text": "yesterday", "by": "en.date.relative" },
        "fields": { "source": "default", "by": "default" },
        "method": { "source": "option", "text": "2", "by": "ordinal" },
        "stat": { "source": "llm", "by": "llm" },
        "tz": { "source": "caller", "by": "request" },
        "unit": { "source": "memory", "by": "last call of ghrsst.point_value" },
    });
    let evidence: BTreeMap<String, Evidence> = written(receipts);
    for Evidence { source: _, text: _, by: _ } in evidence.values() {}
    Call {
        tool: "ghrsst.bbox_mean".to_owned(),
        arguments: object(json!({
            "bbox": [121.5, 23.5, 122.5, 24.5], "date": "2025-11-05", "fields": ["sst"],
            "method": "area", "stat": "mean", "tz": "Asia/Taipei", "unit": "celsius",
        })),
        evidence,
    }
}

pub(crate) fn question() -> Question {
    Question {
        text: "Which part of the sea?".to_owned(),
        choices: vec![
            Choice { label: "Hualien".to_owned(), value: json!("hualien") },
            Choice { label: "Taiwan Strait".to_owned(), value: json!([118.5, 22.0, 121.0, 26.0]) },
        ],
        tool: Some("ghrsst.bbox_mean".to_owned()),
        argument: Some("bbox".to_owned()),
        again: true,
        conditions: vec!["if it is warm".to_owned()],
    }
}

/// A decision with everything in it that one can have, which no real one has at once.
pub(crate) fn full() -> Decision {
    Decision {
        id: "0123456789abcdef".to_owned(),
        pack: "ocean@1f2e3d4c5b6a7988".to_owned(),
        bundle: "fedcba9876543210".to_owned(),
        decision: Outcome::Clarify,
        route: "tool".to_owned(),
        calls: vec![call()],
        confidence: 0.93,
        layer: LayerName::Linear,
        alternatives: vec![
            Alternative {
                route: "tool".to_owned(),
                tool: Some("ghrsst.point_value".to_owned()),
                confidence: 0.05,
            },
            Alternative { route: "explain".to_owned(), tool: None, confidence: 0.02 },
        ],
        selected: vec!["ghrsst.bbox_mean".to_owned(), "ghrsst.point_value".to_owned()],
        rationale: "nearest to `mean sea temperature off Hualien yesterday`".to_owned(),
        question: Some(question()),
        reason: written(json!("gate:tpr_complete")),
        retrieval: true,
        model_slot: Some(Slot::Main),
        complexity: Complexity::Simple,
        strategy: Strategy::Direct,
        llm_calls: 1,
        degraded: vec!["llm:UNAVAILABLE".to_owned(), "light:main".to_owned()],
        language: Language::En,
        subject: Some("how warm was the sea yesterday".to_owned()),
        reply: Some("Nothing is under way.".to_owned()),
        assumptions: vec!["the time zone Asia/Taipei".to_owned()],
        unserved: vec![Unserved {
            text: "what is an anomaly".to_owned(),
            reason: "explain".to_owned(),
        }],
        steps: vec![PlannedStep {
            context_key: "channel_read".to_owned(),
            capability: "channel_read".to_owned(),
            objective: "the beam current now".to_owned(),
            success_criteria: "channel_read gives channel_values".to_owned(),
            expected_output: vec!["channel_values".to_owned()],
            parameters: object(json!({ "channel": "RING:BEAM:CURRENT" })),
            inputs: [("channel_addresses".to_owned(), "channel_finding".to_owned())].into(),
            level: 1,
        }],
        switches: [("planning".to_owned(), "on".to_owned())].into(),
        options: [("verbose".to_owned(), "true".to_owned())].into(),
        task: Some(Task {
            text: "the beam current at 2025-11-06 09:00".to_owned(),
            depends_on_history: true,
            by: TaskBy::Words,
        }),
        resumes: Some("00112233445566ff".to_owned()),
    }
}

/// The least that a decision has.
pub(crate) fn minimal() -> Decision {
    Decision {
        id: "0123456789abcdef".to_owned(),
        pack: "platform@1f2e3d4c5b6a7988".to_owned(),
        bundle: "fedcba9876543210".to_owned(),
        decision: Outcome::Run,
        route: "conversational".to_owned(),
        calls: Vec::new(),
        confidence: 1.0,
        layer: LayerName::Declared,
        alternatives: Vec::new(),
        selected: Vec::new(),
        rationale: "the caller declared the route".to_owned(),
        question: None,
        reason: None,
        retrieval: false,
        model_slot: None,
        complexity: Complexity::Simple,
        strategy: Strategy::Direct,
        llm_calls: 0,
        degraded: Vec::new(),
        language: Language::ZhHant,
        subject: None,
        reply: None,
        assumptions: Vec::new(),
        unserved: Vec::new(),
        steps: Vec::new(),
        switches: BTreeMap::new(),
        options: BTreeMap::new(),
        task: None,
        resumes: None,
    }
}

/// The golden files of this module.
pub(crate) fn goldens() -> Vec<Golden> {
    vec![decision(), labels()]
}

fn decision() -> Golden {
    let types = [
        "Alternative",
        "Call",
        "Complexity",
        "Decision",
        "Evidence",
        "LayerName",
        "Outcome",
        "PlannedStep",
        "Question",
        "Source",
        "Strategy",
        "Task",
        "Unserved",
    ];
    Golden::new("decision.json", &types)
        .with("full", &full())
        .with("minimal", &minimal())
        .with("question, minimal", &Question::default())
}

fn label(verdict: Verdict) -> Label {
    Label {
        decision_id: "0123456789abcdef".to_owned(),
        session_id: Some("s1".to_owned()),
        owner: Some("00000001".to_owned()),
        pack: "ocean".to_owned(),
        at: "2025-11-06T01:00:00Z".to_owned(),
        kind: LabelKind::Feedback,
        text: "how warm was the sea off Hualien".to_owned(),
        language: "en".to_owned(),
        era: Era::default(),
        verdict,
    }
}

fn labels() -> Golden {
    let right =
        Verdict::Right { route: "tool".to_owned(), tools: vec!["ghrsst.bbox_mean".to_owned()] };
    match &right {
        Verdict::Right { .. } | Verdict::Wrong => {}
    }
    let wrong = Label { session_id: None, owner: None, ..label(Verdict::Wrong) };
    Golden::new("label.json", &["Label", "LabelKind", "Verdict"])
        .with("full", &label(right))
        .with("minimal", &wrong)
}

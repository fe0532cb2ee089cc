//! The golden file of sessions: what a store keeps of a conversation.

use std::collections::VecDeque;

use serde_json::json;
use waypost_core::records::request::{Choice, PastCall, Topic};
use waypost_core::records::session::{Blocked, Origin, Pending, Session};
use waypost_text::language::Language;

use crate::golden::{Golden, object};

fn origin() -> Origin {
    Origin {
        decision_id: "0123456789abcdef".to_owned(),
        text: "how warm was the sea yesterday".to_owned(),
        language: Language::En,
        route: "tool".to_owned(),
        tools: vec!["ghrsst.bbox_mean".to_owned()],
        taught: true,
    }
}

fn past() -> PastCall {
    PastCall {
        tool: "tide.forecast".to_owned(),
        arguments: object(json!({ "date": "2025-11-06", "tz": "Asia/Taipei" })),
        text: Some("tides at Keelung".to_owned()),
    }
}

fn full() -> Session {
    Session {
        pack: Some("ocean".to_owned()),
        language: Some(Language::En),
        flags: object(json!({ "tpr_complete": true })),
        pending: Some(Pending {
            tool: Some("ghrsst.bbox_mean".to_owned()),
            argument: Some("bbox".to_owned()),
            arguments: object(json!({ "date": "2025-11-05" })),
            options: vec![Choice { label: "Hualien".to_owned(), value: json!("hualien") }],
            text: "how warm was the sea yesterday".to_owned(),
            origin: Some(origin()),
            question: "Which part of the sea?".to_owned(),
            others: vec![past()],
            aside: 1,
            repeated: true,
            run: Some("00112233445566ff".to_owned()),
            conditions: vec!["if it is warm".to_owned()],
        }),
        blocked: Some(Blocked {
            flag: "tpr_complete".to_owned(),
            call: past(),
            conditions: vec!["if it is warm".to_owned()],
        }),
        history: VecDeque::from([Topic {
            route: "explain".to_owned(),
            topic: "what is an anomaly".to_owned(),
        }]),
        last_calls: VecDeque::from([past()]),
        answer: Some("The difference from the usual.".to_owned()),
        origin: Some(origin()),
        switches: [("planning".to_owned(), "on".to_owned())].into(),
        point: Some("89abcdef01234567".to_owned()),
        beside: vec![Session { pack: Some("finance".to_owned()), ..Session::default() }],
        left_out: vec!["answer".to_owned()],
        era: Default::default(),
    }
}

/// The least that a question leaves behind.
fn asked() -> Pending {
    Pending {
        tool: None,
        argument: None,
        arguments: object(json!({})),
        options: Vec::new(),
        text: String::new(),
        origin: None,
        question: String::new(),
        others: Vec::new(),
        aside: 0,
        repeated: false,
        run: None,
        conditions: Vec::new(),
    }
}

/// The golden file of a session.
pub(crate) fn golden() -> Golden {
    Golden::new("session.json", &["Blocked", "Origin", "Pending", "Session"])
        .with("full", &full())
        .with("minimal", &Session::default())
        .with("pending, minimal", &asked())
}

//! The golden file of requests.

use serde_json::json;
use waypost_core::records::access::Access;
use waypost_core::records::request::{
    Choice, Consent, Context, DeclaredCall, PastCall, Request, Topic,
};
use waypost_text::language::Language;

use crate::golden::{Golden, object};

/// A call of an earlier turn.
fn past() -> PastCall {
    PastCall {
        tool: "ghrsst.bbox_mean".to_owned(),
        arguments: object(json!({ "date": "2025-11-05" })),
        text: Some("sea temperature off Hualien yesterday".to_owned()),
    }
}

/// A context with all that a caller may say in it.
pub(crate) fn context() -> Context {
    Context {
        flags: object(json!({ "tpr_complete": true })),
        active_tool: Some("ghrsst.bbox_mean".to_owned()),
        active_argument: Some("bbox".to_owned()),
        // None of these is written: only a session's own memory says so.
        remembered: false,
        repeated: false,
        run: None,
        conditions: Vec::new(),
        tested: Vec::new(),
        active_arguments: object(json!({ "date": "2025-11-05" })),
        waiting: vec![past()],
        asked: Some("how warm was the sea yesterday".to_owned()),
        language: Some(Language::En),
        options: vec![
            Choice { label: "Taiwan Strait".to_owned(), value: json!([118.5, 22.0, 121.0, 26.0]) },
            Choice { label: "Hualien".to_owned(), value: json!("hualien") },
        ],
        history: vec![Topic {
            route: "explain".to_owned(),
            topic: "what is an anomaly".to_owned(),
        }],
        last_calls: vec![past()],
        answer: Some("2025-11-05: SST ≈ 26.4 °C.".to_owned()),
        hints: vec!["place".to_owned()],
        switches: [("planning".to_owned(), "on".to_owned())].into(),
        extra: Some("the page shows a map of Taiwan".to_owned()),
        access: [("note.add".to_owned(), Access::Write)].into(),
    }
}

/// A call that the caller declares.
pub(crate) fn call() -> DeclaredCall {
    DeclaredCall { tool: past().tool, arguments: past().arguments, approved: true }
}

fn full() -> Request {
    Request {
        text: "the second one, please".to_owned(),
        pack: Some("ocean".to_owned()),
        session: Some("s1".to_owned()),
        user: Some("ana".to_owned()),
        now: Some("2025-11-06T09:00:00+08:00".to_owned()),
        tz: Some("Asia/Taipei".to_owned()),
        language: Some("zh-TW".to_owned()),
        route: Some("tool".to_owned()),
        call: Some(call()),
        resume: Some("00112233445566ff".to_owned()),
        trusted: true,
        choice: Some(json!({ "place": "hualien" })),
        context: context(),
        // Not written: the parts that a surface took out become events.
        dropped: Vec::new(),
        // Nor which tools a key may use.
        tools: None,
        // Nor whose the caller is, how the user says yes, and by which name the request comes again.
        owner: None,
        owner_name: None,
        consent: Consent::Said,
        once: None,
        // Nor after which turn it comes.
        after: None,
        // Nor is what a surface adds so that an id cannot be worked out.
        salt: None,
    }
}

/// The golden file of a request.
pub(crate) fn golden() -> Golden {
    let types = ["Choice", "Context", "DeclaredCall", "PastCall", "Request", "Topic"];
    let bare = PastCall { text: None, ..past() };
    Golden::new("request.json", &types)
        .with("full", &full())
        .with("minimal", &Request::new("tides at Keelung"))
        .with("call of an earlier program", &bare)
}

#[test]
fn what_a_request_leaves_out_is_as_if_it_were_not_said() {
    let read: Request = serde_json::from_value(json!({ "text": "tides at Keelung" })).unwrap();
    assert_eq!(read, Request::new("tides at Keelung"));
}

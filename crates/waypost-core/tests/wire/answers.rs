//! The golden files of answers, and of the values that pass the ports on the way there.

use serde_json::json;
use waypost_core::Code;
use waypost_core::ports::model::{Message, Speaker};
use waypost_core::ports::retrieval::Passage;
use waypost_core::ports::tools::{Hints, Image, ToolDescription};
use waypost_core::records::answer::{Answer, AnswerFault, Raw};
use waypost_core::records::request::Choice;
use waypost_text::language::Language;

use crate::golden::Golden;

fn full() -> Answer {
    Answer {
        mode: "error".to_owned(),
        text: "The tool server does not answer.".to_owned(),
        source: "ghrsst.bbox_mean".to_owned(),
        confidence: 0.93,
        choices: vec![Choice { label: "Hualien".to_owned(), value: json!("hualien") }],
        images: vec![Image {
            mime: "image/svg+xml".to_owned(),
            title: "Sea surface temperature off Hualien".to_owned(),
            data: "PHN2Zy8+".to_owned(),
        }],
        error: Some(AnswerFault::new(
            Code::DeadlineExceeded,
            "the tool server does not answer",
            Some("ask again in a moment"),
        )),
        raw: Raw {
            plan: json!({ "decision": "mcp", "route": "tool" }),
            tool_result: Some(json!({ "sst": 26.4, "anomaly": -0.11 })),
            trace: Some(json!({ "tries": 2 })),
        },
        id: "0123456789abcdef".to_owned(),
    }
}

fn minimal() -> Answer {
    Answer {
        mode: "explain".to_owned(),
        text: "An anomaly is the difference from the usual.".to_owned(),
        source: "rag.explain".to_owned(),
        confidence: 1.0,
        choices: Vec::new(),
        images: Vec::new(),
        error: None,
        raw: Raw { plan: json!({ "route": "explain" }), tool_result: None, trace: None },
        id: "0123456789abcdef".to_owned(),
    }
}

/// The golden files of this module.
pub(crate) fn goldens() -> Vec<Golden> {
    vec![answer(), ports()]
}

fn answer() -> Golden {
    let fault = AnswerFault::new(Code::NotFound, "there are no data for 2025-11-06", None);
    Golden::new("answer.json", &["Answer", "AnswerFault", "Image", "Raw"])
        .with("full", &full())
        .with("minimal", &minimal())
        .with("fault, minimal", &fault)
}

fn ports() -> Golden {
    let message = Message { role: Speaker::System, content: "Answer in English.".to_owned() };
    let passage = Passage {
        document: "docs/sst.en.md".to_owned(),
        headings: vec!["Sea surface temperature".to_owned(), "Anomaly".to_owned()],
        language: Language::En,
        text: "The difference from the usual.".to_owned(),
        score: 1.25,
    };
    let tool = ToolDescription {
        name: "tide.forecast".to_owned(),
        description: "High and low water at one point on a day.".to_owned(),
        input_schema: json!({ "type": "object", "properties": { "date": { "type": "string" } } }),
        output_schema: Some(json!({ "type": "object" })),
        hints: Hints {
            read_only: Some(true),
            destructive: Some(false),
            idempotent: Some(true),
            open_world: Some(false),
        },
    };
    let bare = ToolDescription { output_schema: None, hints: Hints::default(), ..tool.clone() };
    Golden::new("ports.json", &["Hints", "Message", "Passage", "Speaker", "ToolDescription"])
        .with("message", &message)
        .with("passage", &passage)
        .with("tool, full", &tool)
        .with("tool, minimal", &bare)
}

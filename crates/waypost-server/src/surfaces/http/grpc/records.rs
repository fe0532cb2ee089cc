//! Messages as the records that they stand for, and records as the messages that stand for them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use prost::Message;
use prost_types::Struct;
use serde_json::{Map, Value as Json};
use waypost::Result;

use super::generated::answer_event::Data;
use super::generated::{
    Answer, AnswerEvent, Call, Choice, Decision, Fault, Image, Question, Request,
};
use super::values;

/// The longest answer that is sent whole, in bytes. Clients refuse messages over 4 MiB by default; the rest is
/// room for the event around the answer.
const MAX_ANSWER_BYTES: usize = 4 * 1024 * 1024 - 1024;

/// The record of a request.
///
/// # Errors
///
/// `INVALID_ARGUMENT` for a number that JSON has not.
pub(super) fn request(message: Request) -> Result<Json> {
    let mut record = Map::new();
    let texts = [
        ("text", message.text),
        ("session", message.session),
        ("pack", message.pack),
        ("tz", message.tz),
        ("now", message.now),
        ("language", message.language),
        ("route", message.query_type),
        ("user", message.user),
        ("resume", message.resume),
    ];
    for (name, text) in texts {
        if !text.is_empty() {
            record.insert(name.to_owned(), text.into());
        }
    }
    if message.trusted {
        record.insert("trusted".to_owned(), true.into());
    }
    if let Some(choice) = message.choice {
        record.insert("choice".to_owned(), values::into_json(choice)?);
    }
    if let Some(context) = message.context {
        record.insert("context".to_owned(), values::into_object(context)?.into());
    }
    if let Some(call) = message.call {
        let mut declared = Map::new();
        declared.insert("tool".to_owned(), call.tool.into());
        let arguments = values::into_object(call.arguments.unwrap_or_default())?;
        declared.insert("arguments".to_owned(), arguments.into());
        declared.insert("approved".to_owned(), call.approved.into());
        record.insert("call".to_owned(), declared.into());
    }
    Ok(record.into())
}

/// The message of a decision record, with the record.
pub(super) fn decision(record: &Json) -> Decision {
    Decision { record: Some(object(record)), ..decided(record) }
}

/// The message of an answer record; its pictures are in the message alone.
pub(super) fn answer(mut record: Json) -> Answer {
    let images = record.as_object_mut().and_then(|record| record.remove("images"));
    let answer = Answer {
        id: text(&record, "id"),
        mode: text(&record, "mode"),
        text: text(&record, "text"),
        source: text(&record, "source"),
        confidence: record["confidence"].as_f64().unwrap_or_default(),
        choices: choices(&record),
        images: images.iter().flat_map(items).filter_map(image).collect(),
        error: record.get("error").map(fault),
        decision: record.pointer("/raw/plan").map(decided),
        record: Some(object(&record)),
    };
    if answer.encoded_len() <= MAX_ANSWER_BYTES {
        return answer;
    }
    if let Some(raw) = record.get_mut("raw").and_then(Json::as_object_mut) {
        raw.remove("tool_result");
    }
    Answer { record: Some(object(&record)), ..answer }
}

/// The message of a fault: of an answer's, or of a problem.
pub(super) fn fault(record: &Json) -> Fault {
    let sentence = if record["message"].is_string() { "message" } else { "detail" };
    Fault {
        code: text(record, "code"),
        message: text(record, sentence),
        hint: text(record, "hint"),
        pointer: text(record, "pointer"),
    }
}

/// The message of an event of a stream, as server-sent events have its name and data.
pub(super) fn event(seq: u64, name: &str, data: Json) -> AnswerEvent {
    let data = match name {
        "token" => Some(Data::Token(text(&data, "text"))),
        "answer" => Some(Data::Answer(answer(data))),
        "error" => Some(Data::Error(fault(&data))),
        "done" => None,
        _ => Some(Data::Detail(object(&data))),
    };
    AnswerEvent { seq, r#type: name.to_owned(), data }
}

/// The fields of a decision. In the plan of an answer, the outcome stands under `outcome`, as `decision` is S0-17's there.
fn decided(record: &Json) -> Decision {
    let outcome = if record["outcome"].is_string() { "outcome" } else { "decision" };
    let call = |call: &Json| Call {
        tool: text(call, "tool"),
        arguments: Some(object(&call["arguments"])),
    };
    Decision {
        id: text(record, "id"),
        decision: text(record, outcome),
        route: text(record, "route"),
        confidence: record["confidence"].as_f64().unwrap_or_default(),
        layer: text(record, "layer"),
        rationale: text(record, "rationale"),
        calls: items(&record["calls"]).map(call).collect(),
        question: record.get("question").filter(|question| question.is_object()).map(question),
        reason: text(record, "reason"),
        pack: text(record, "pack"),
        bundle: text(record, "bundle"),
        language: text(record, "language"),
        record: None,
    }
}

fn question(record: &Json) -> Question {
    Question {
        text: text(record, "text"),
        choices: choices(record),
        tool: text(record, "tool"),
        argument: text(record, "argument"),
    }
}

fn choices(record: &Json) -> Vec<Choice> {
    let choice = |choice: &Json| Choice {
        label: text(choice, "label"),
        value: Some(values::of_json(&choice["value"])),
    };
    items(&record["choices"]).map(choice).collect()
}

/// A picture; none where its data is not base64.
fn image(record: &Json) -> Option<Image> {
    let data = STANDARD.decode(record["data"].as_str()?).ok()?;
    Some(Image { mime: text(record, "mime"), title: text(record, "title"), data })
}

fn text(record: &Json, field: &str) -> String {
    record[field].as_str().unwrap_or_default().to_owned()
}

fn items(list: &Json) -> std::slice::Iter<'_, Json> {
    list.as_array().map(Vec::as_slice).unwrap_or_default().iter()
}

fn object(record: &Json) -> Struct {
    record.as_object().map(values::of_object).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::generated::DeclaredCall;
    use super::*;

    #[test]
    fn a_request_is_the_record_with_its_fields_and_no_others() {
        let bare = Request { text: "hello".to_owned(), ..Request::default() };
        assert_eq!(request(bare.clone()).unwrap(), json!({ "text": "hello" }));
        let context = json!({ "options": [{ "label": "a", "value": { "n": 1 } }] });
        let call = DeclaredCall {
            tool: "tide.forecast".to_owned(),
            arguments: Some(values::of_object(json!({ "days": 3 }).as_object().unwrap())),
            approved: true,
        };
        let whole = Request {
            query_type: "chat".to_owned(),
            choice: Some(values::of_json(&json!({ "tpr": 5 }))),
            context: Some(values::of_object(context.as_object().unwrap())),
            trusted: true,
            call: Some(call),
            ..bare
        };
        let record = json!({
            "text": "hello",
            "route": "chat",
            "trusted": true,
            "choice": { "tpr": 5 },
            "context": context,
            "call": { "tool": "tide.forecast", "arguments": { "days": 3 }, "approved": true },
        });
        assert_eq!(request(whole).unwrap(), record);
        // The record is one that every surface reads.
        let read: waypost::records::request::Request = serde_json::from_value(record).unwrap();
        assert_eq!((read.route.as_deref(), read.trusted), (Some("chat"), true));
    }

    #[test]
    fn an_answer_has_its_fields_typed_and_its_pictures_once() {
        let record = json!({
            "mode": "clarify",
            "text": "Which one?",
            "source": "",
            "confidence": 0.75,
            "choices": [{ "label": "the first", "value": { "n": 1 } }],
            "images": [{ "mime": "image/png", "title": "t", "data": "iVBORw0KGgo=" }, { "data": "?" }],
            "error": { "code": "UNAVAILABLE", "message": "not now", "hint": "later" },
            "raw": { "plan": { "decision": "mcp", "outcome": "clarify", "route": "tool",
                "calls": [{ "tool": "t", "arguments": { "n": 1 }, "evidence": {} }],
                "question": { "text": "Which one?", "choices": [], "argument": "n" } } },
            "id": "0123",
        });
        let answer = answer(record);
        assert_eq!((answer.mode.as_str(), answer.confidence), ("clarify", 0.75));
        assert_eq!(answer.images.len(), 1);
        assert_eq!(answer.images[0].data, b"\x89PNG\r\n\x1a\n");
        assert_eq!(answer.choices[0].value, Some(values::of_json(&json!({ "n": 1 }))));
        assert_eq!(answer.error.as_ref().unwrap().message, "not now");
        let decision = answer.decision.as_ref().unwrap();
        assert_eq!((decision.decision.as_str(), decision.route.as_str()), ("clarify", "tool"));
        assert_eq!((decision.calls.len(), decision.record.as_ref()), (1, None));
        assert_eq!(decision.question.as_ref().unwrap().argument, "n");
        let record = values::into_object(answer.record.unwrap()).unwrap();
        assert!(record.contains_key("raw") && !record.contains_key("images"));
    }

    #[test]
    fn an_answer_that_clients_would_refuse_goes_without_the_result_of_its_tool() {
        let result = json!({ "rows": vec![1.5; 500_000] });
        let record = json!({ "text": "x", "raw": { "plan": {}, "tool_result": result } });
        let answer = answer(record);
        assert!(answer.encoded_len() <= MAX_ANSWER_BYTES);
        let record = values::into_object(answer.record.unwrap()).unwrap();
        assert_eq!(record["raw"], json!({ "plan": {} }));
    }

    #[test]
    fn every_event_has_the_data_of_its_kind() {
        let token = event(4, "token", json!({ "text": "some " }));
        assert_eq!(token.data, Some(Data::Token("some ".to_owned())));
        let problem = json!({ "code": "INVALID_ARGUMENT", "detail": "no", "pointer": "/now" });
        let Some(Data::Error(fault)) = event(5, "error", problem).data else { panic!() };
        assert_eq!((fault.message.as_str(), fault.pointer.as_str()), ("no", "/now"));
        assert_eq!(event(6, "done", json!({})).data, None);
        let tool = event(2, "tool", json!({ "tool": "t", "status": "started" }));
        assert!(matches!(tool.data, Some(Data::Detail(_))), "{tool:?}");
        assert_eq!((tool.seq, tool.r#type.as_str()), (2, "tool"));
    }
}

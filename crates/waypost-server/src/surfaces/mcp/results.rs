//! The results of calls: each fits the schema that its tool is listed with, errors too, as clients
//! hold them against it.

use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, ImageContent, MetaObject};
use serde::Serialize;
use serde_json::{Value as Json, json};
use waypost::ports::tools::Image;
use waypost::records::answer::{Answer, AnswerFault, Raw};
use waypost::{Code, Error, Result};

use super::offered::Offered;
use super::pictures::{Painter, SVG};
use crate::surfaces::numbered;

/// A result: the words, and the record for programs.
pub(super) fn result(text: String, record: &impl Serialize) -> Result<CallToolResult> {
    let record =
        serde_json::to_value(record).map_err(|error| Error::internal(error.to_string()))?;
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.structured_content = Some(record);
    Ok(result)
}

/// An answer: its words with numbered choices, its envelope, and its pictures. MCP has a place of its
/// own for pictures; their bytes are not for a model to read. Those of SVG become PNG and have their titles
/// in words, too.
pub(super) async fn answered(mut answer: Answer, painter: &Painter) -> Result<CallToolResult> {
    let images = std::mem::take(&mut answer.images);
    let mut result = result(numbered::text(&answer), &answer)?;
    let titles = images.iter().filter(|image| image.mime == SVG && !image.title.is_empty());
    let titles: Vec<String> = titles.map(|image| format!("picture: {}", image.title)).collect();
    result.content.extend(painter.as_png(images).await.into_iter().map(image));
    if !titles.is_empty() {
        result.content.push(ContentBlock::text(titles.join("\n")));
    }
    Ok(result)
}

fn image(image: Image) -> ContentBlock {
    let mut meta = MetaObject::new();
    meta.0.insert("title".to_owned(), Json::String(image.title));
    ContentBlock::Image(ImageContent::new(image.data, image.mime).with_meta(meta))
}

/// A request that cannot be served: one line for people, and for programs an envelope where the tool
/// is listed with one. What is listed with a record of its own has none for a failure.
pub(super) fn failed(tool: Offered, error: &Error) -> CallToolResult {
    let hint = error.hint().map(|hint| format!(" (hint: {hint})")).unwrap_or_default();
    let text = format!("{}: {}{hint}", error.code(), error.message());
    let mut result = CallToolResult::error(vec![ContentBlock::text(text)]);
    if matches!(tool, Offered::Answer | Offered::Call) {
        result.structured_content = serde_json::to_value(envelope(error)).ok();
    }
    result
}

/// The answer of mode `error` to a request that no turn was made of.
fn envelope(error: &Error) -> Answer {
    Answer {
        mode: "error".to_owned(),
        text: error.message().to_owned(),
        source: "router".to_owned(),
        confidence: 0.0,
        choices: Vec::new(),
        images: Vec::new(),
        error: Some(AnswerFault::new(error.code(), error.message(), error.hint())),
        raw: Raw { plan: json!({}), tool_result: None, trace: None },
        id: String::new(),
    }
}

/// The error of a call for which nobody waits.
pub(super) fn stopped() -> Error {
    Error::new(Code::Cancelled, "the request was stopped")
}

/// A fault of this program: its cause goes to the log, and a client sees none of it.
pub(super) fn inside(error: &Error) -> ErrorData {
    tracing::error!("a request failed inside: {}", error.detail().unwrap_or(error.message()));
    ErrorData::internal_error(error.message().to_owned(), None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(result: &CallToolResult) -> Vec<Json> {
        let content = json!(result.content);
        content.as_array().unwrap().iter().map(|block| block["text"].clone()).collect()
    }

    #[test]
    fn an_error_is_an_envelope_where_the_tool_answers_with_one() {
        let error = Error::invalid("there is no `text`").with_hint("give one");
        for tool in Offered::ALL {
            let result = failed(tool, &error);
            assert_eq!(result.is_error, Some(true));
            let line = "INVALID_ARGUMENT: there is no `text` (hint: give one)";
            assert_eq!(texts(&result), [json!(line)]);
            let answers = matches!(tool, Offered::Answer | Offered::Call);
            assert_eq!(result.structured_content.is_some(), answers, "{tool:?}");
            let Some(record) = result.structured_content else { continue };
            let answer: Answer = serde_json::from_value(record).unwrap();
            assert_eq!((answer.mode.as_str(), answer.id.as_str()), ("error", ""));
            assert_eq!(answer.error.unwrap().code, Code::InvalidArgument);
        }
    }

    #[tokio::test]
    async fn titles_stand_in_words_for_pictures_that_clients_may_not_show() {
        let picture = |mime: &str, title: &str| Image {
            mime: mime.to_owned(),
            title: title.to_owned(),
            data: "AAAA".to_owned(),
        };
        let images = vec![picture(SVG, "Risk"), picture("image/png", "Map"), picture(SVG, "")];
        let answer = Answer { images, ..envelope(&Error::invalid("x")) };
        let result = answered(answer, &Painter::default()).await.unwrap();
        assert_eq!(result.content.len(), 5);
        assert_eq!(texts(&result).last(), Some(&json!("picture: Risk")));
        assert!(result.structured_content.unwrap().get("images").is_none());
    }
}

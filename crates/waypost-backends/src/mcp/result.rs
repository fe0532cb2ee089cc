//! Turns the answers of a tool server into this crate's types.

use rmcp::model::{CallToolResult, ImageContent, Tool};
use serde_json::Value;
use waypost_core::Result;
use waypost_core::ports::tools::{Image, Images, ToolDescription, ToolResult};

use super::failure;
use crate::bounds::MAX_ANSWER_BYTES;

/// The longest title of a picture, in characters: one line of a terminal.
const MAX_TITLE: usize = 120;
/// The longest name of a kind of pictures, in characters; the longest that is registered has 42.
const MAX_MIME: usize = 64;

/// A tool as the router sees it.
pub(super) fn description(tool: Tool) -> ToolDescription {
    ToolDescription {
        name: tool.name.into_owned(),
        description: tool.description.unwrap_or_default().into_owned(),
        input_schema: Value::Object((*tool.input_schema).clone()),
        output_schema: tool.output_schema.map(|schema| Value::Object((*schema).clone())),
    }
}

/// Reads the answer of a tool: its object and its pictures.
pub(super) fn read(tool: &str, answer: CallToolResult) -> Result<ToolResult> {
    let images = images(&answer);
    Ok(ToolResult { value: value(tool, answer)?, images })
}

fn images(answer: &CallToolResult) -> Images {
    let mut images = Images::default();
    for content in answer.content.iter().filter_map(|block| block.as_image()) {
        match image(content) {
            Some(image) => images.push(image),
            None => images.drop_one(),
        }
    }
    images
}

/// Reads a picture with a title that is fit for one line; `None` if it does not say what kind it
/// is.
fn image(content: &ImageContent) -> Option<Image> {
    let mime = content.mime_type.to_ascii_lowercase();
    let kind = mime.strip_prefix("image/")?;
    let plain = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
    if kind.is_empty() || mime.len() > MAX_MIME || !kind.chars().all(plain) {
        return None;
    }
    let title = content.meta.as_ref().and_then(|meta| meta.0.get("title")?.as_str());
    let title = title.unwrap_or_default().chars().take(MAX_TITLE);
    let title = title.map(|c| if c.is_control() { ' ' } else { c }).collect();
    Some(Image { mime, title, data: content.data.clone() })
}

/// Reads the object of an answer: its structured content, or its one text read as JSON.
fn value(tool: &str, answer: CallToolResult) -> Result<Value> {
    let texts: Vec<&str> =
        answer.content.iter().filter_map(|block| Some(block.as_text()?.text.as_str())).collect();
    if answer.is_error == Some(true) {
        return Err(failure::reported(tool, answer.structured_content.as_ref(), &texts.join("\n")));
    }
    if let Some(structured @ Value::Object(_)) = answer.structured_content {
        return Ok(structured);
    }
    let [text] = texts.as_slice() else {
        return Err(failure::malformed(tool, &texts.join("\n")));
    };
    if text.len() > MAX_ANSWER_BYTES {
        return Err(failure::too_large(tool));
    }
    match serde_json::from_str(text) {
        Ok(object @ Value::Object(_)) => Ok(object),
        _ => Err(failure::malformed(tool, text)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn answer(images: &[Value]) -> Images {
        let content = json!({"content": images, "structuredContent": {"n": 1}});
        let answer = serde_json::from_value(content).unwrap();
        let result = read("t", answer).unwrap();
        assert_eq!(result.value, json!({"n": 1}));
        result.images
    }

    fn picture(mime: &str, title: &Value) -> Value {
        json!({"type": "image", "mimeType": mime, "data": "QUJD", "_meta": {"title": title}})
    }

    #[test]
    fn pictures_come_with_a_title_for_one_line() {
        let long = "x".repeat(1000);
        let images = answer(&[
            picture("IMAGE/svg+xml", &json!("Risk\n\u{1b}[31mmap")),
            picture("image/png", &json!(7)),
            picture("image/png", &json!(long)),
            json!({"type": "text", "text": "between"}),
            json!({"type": "image", "mimeType": "image/png", "data": ""}),
        ]);
        let kept: Vec<_> = images.kept().iter().map(|image| image.title.as_str()).collect();
        assert_eq!(kept, ["Risk  [31mmap", "", &long[..MAX_TITLE], ""]);
        assert_eq!((images.kept()[0].mime.as_str(), images.dropped()), ("image/svg+xml", 0));
        assert_eq!(images.kept()[0].data, "QUJD");
    }

    #[test]
    fn what_is_no_picture_or_too_much_is_counted() {
        let title = json!("t");
        let odd = ["text/html", "image/", "image/../../x", "image/a b", &"image/x".repeat(20)];
        let images = answer(&odd.map(|mime| picture(mime, &title)));
        assert_eq!((images.kept().len(), images.dropped()), (0, odd.len()));
        let many = vec![picture("image/png", &title); 11];
        let images = answer(&many);
        assert_eq!((images.kept().len(), images.dropped()), (8, 3));
    }
}

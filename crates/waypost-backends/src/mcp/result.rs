//! Turns the answer of a tool into a result, whatever the server sent: what is not as the protocol
//! says is kept as far as it can be shown, and named.

use serde_json::{Map, Value};
use waypost_core::Result;
use waypost_core::ports::tools::{Content, Image, Images, Link, Text, ToolResult};
use waypost_core::records::content::value_of;

use super::cut::{cut, size};
use super::{failure, line};
use crate::bounds::MAX_ANSWER_BYTES;

/// The longest title of a picture or name of a resource, in characters: one line of a terminal.
const MAX_TITLE: usize = 120;
/// The longest address of a resource, in characters.
const MAX_URI: usize = 500;
/// The longest name of a kind of media, in characters; the longest that is registered has 42.
const MAX_MIME: usize = 64;
/// The most pictures and sounds of a result that are looked at, and the most of its other parts.
const MAX_PARTS: usize = 200;
/// The most digits of a number in JSON that is surely read as it is written.
const MOST_DIGITS: usize = 19;

/// A result under way: its parts, and the room that is left for them.
#[derive(Debug)]
struct Reading {
    parts: Vec<Content>,
    images: Images,
    room: usize,
    left_out: usize,
    fault: Option<&'static str>,
}

/// Reads the answer of a tool.
///
/// # Errors
///
/// The tool's own failure, where the answer says that it failed.
pub(super) fn read(tool: &str, answer: Value) -> Result<ToolResult> {
    let mut answer = match answer {
        Value::Object(answer) => answer,
        // No result of the protocol at all: what came is its only part.
        other => Map::from_iter([("content".to_owned(), other)]),
    };
    let structured = answer.remove("structuredContent").filter(|value| !value.is_null());
    let failed = answer.get("isError").is_some_and(is_true);
    let content = answer.remove("content");
    let is_bare =
        content.as_ref().and_then(Value::as_array).map_or(content.is_none(), Vec::is_empty);
    let structured = structured.or_else(|| is_bare.then(|| rest(answer)).flatten());
    let mut reading = Reading {
        parts: Vec::new(),
        images: Images::default(),
        room: MAX_ANSWER_BYTES,
        left_out: 0,
        fault: None,
    };
    let content = content.unwrap_or_default();
    if failed {
        reading.all(content);
        return Err(failure::reported(tool, structured.as_ref(), &reading.words()));
    }
    let structured = structured.map(object).map(|value| reading.kept(value));
    reading.all(content);
    Ok(reading.result(structured))
}

/// What a result says beside the protocol, where it has none of its parts.
fn rest(mut answer: Map<String, Value>) -> Option<Value> {
    for key in ["_meta", "isError", "resultType"] {
        answer.shift_remove(key);
    }
    // The first revision of the protocol had another key.
    let old = (answer.len() == 1).then(|| answer.shift_remove("toolResult")).flatten();
    old.or_else(|| (!answer.is_empty()).then_some(Value::Object(answer)))
}

/// Returns whether a server says yes, as a word or as it should.
fn is_true(value: &Value) -> bool {
    *value == Value::Bool(true) || value.as_str() == Some("true")
}

/// A structured value as an object.
fn object(value: Value) -> Value {
    let key = match value {
        Value::Object(_) => return value,
        Value::Array(_) => "items",
        _ => "value",
    };
    Value::Object(Map::from_iter([(key.to_owned(), value)]))
}

impl Reading {
    fn all(&mut self, content: Value) {
        let blocks = match content {
            Value::Array(blocks) => blocks,
            Value::Null => return,
            other => {
                self.fault = Some("its content is no list");
                vec![other]
            }
        };
        // Many pictures push out no words.
        let (mut media, mut others) = (0, 0);
        for block in blocks {
            let kind = block.get("type").and_then(Value::as_str);
            let count =
                if matches!(kind, Some("image" | "audio")) { &mut media } else { &mut others };
            *count += 1;
            if *count > MAX_PARTS {
                self.left_out += size(&block);
                self.fault = Some("it has too many parts");
            } else {
                self.block(block);
            }
        }
    }

    fn block(&mut self, block: Value) {
        let mut block = match block {
            Value::Object(block) => block,
            Value::String(words) => {
                self.fault = Some("a part of it is no object");
                return self.text(words);
            }
            other => {
                self.fault = Some("a part of it is no object");
                return self.other("unknown", &other);
            }
        };
        let kind = block.get("type").and_then(Value::as_str).unwrap_or("unknown").to_owned();
        match kind.as_str() {
            "image" | "audio" => self.media(&kind, &mut block),
            "resource_link" => self.parts.push(Content::Link(link(&block))),
            "resource" => {
                let nested = block.shift_remove("resource");
                self.resource(nested.unwrap_or(Value::Object(block)));
            }
            _ => self.words_of(&kind, block),
        }
    }

    /// Keeps the words of a part that is none of the others, whatever it calls itself and them.
    fn words_of(&mut self, kind: &str, mut block: Map<String, Value>) {
        let key = ["text", "content", "value"].into_iter().find(|key| block.contains_key(*key));
        match (key, key.and_then(|key| block.shift_remove(key))) {
            (Some(_), Some(Value::String(words))) => self.text(words),
            (Some("text"), Some(other)) if kind == "text" => {
                self.fault = Some("a text of it is no string");
                self.text(other.to_string());
            }
            (key, value) => {
                block.extend(key.map(str::to_owned).zip(value));
                self.other(kind, &Value::Object(block));
            }
        }
    }

    /// Keeps words as far as there is room.
    fn bounded(&mut self, mut words: String) -> Text {
        let end = (0..=self.room.min(words.len())).rev().find(|end| words.is_char_boundary(*end));
        let end = end.unwrap_or_default();
        let rest = &words[end..];
        let left_out = rest.chars().count();
        self.left_out += rest.len();
        words.truncate(end);
        self.room -= words.len();
        Text { kept: words, left_out }
    }

    fn text(&mut self, words: String) {
        let text = self.bounded(words);
        self.parts.push(Content::Text(text));
    }

    fn media(&mut self, kind: &str, block: &mut Map<String, Value>) {
        let data = match block.remove("data") {
            Some(Value::String(data)) => data,
            _ => String::new(),
        };
        let mime = word(block, "mimeType", MAX_MIME).to_ascii_lowercase();
        let known = mime.split_once('/').is_some_and(|(first, rest)| {
            let plain = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
            first == kind && !rest.is_empty() && rest.chars().all(plain)
        });
        let mime = if known { mime } else { format!("{kind}/unknown") };
        self.parts.push(Content::Media { mime: mime.clone(), bytes: decoded(&data) });
        if kind != "image" {
            return;
        }
        if known {
            let title = block.get("_meta").and_then(|meta| meta.get("title")?.as_str());
            let title = line(title.unwrap_or_default(), MAX_TITLE);
            self.images.push(Image { mime, title, data });
        } else {
            self.images.drop_one();
        }
    }

    fn resource(&mut self, resource: Value) {
        let Value::Object(mut resource) = resource else {
            self.fault = Some("a resource of it is no object");
            return self.other("resource", &resource);
        };
        let text = match resource.remove("text") {
            Some(Value::String(words)) => Some(words),
            _ => None,
        };
        let blob = resource.get("blob").and_then(Value::as_str).map(decoded);
        let bytes = text.as_ref().map(String::len).or(blob);
        let link = Link { bytes, ..link(&resource) };
        let text = text.map(|words| self.bounded(words));
        self.parts.push(Content::Resource { link, text });
    }

    fn other(&mut self, kind: &str, block: &Value) {
        let kind = line(kind, MAX_MIME);
        self.parts.push(Content::Other { kind, bytes: size(block) });
    }

    /// The structured value as far as there is room.
    fn kept(&mut self, value: Value) -> Value {
        let (value, left_out) = cut(value, self.room);
        self.left_out += left_out;
        self.room -= size(&value).min(self.room);
        value
    }

    /// The words of all texts, those of resources too.
    fn words(&self) -> String {
        let texts = self.parts.iter().filter_map(|part| match part {
            Content::Text(text) | Content::Resource { text: Some(text), .. } => {
                Some(text.kept.as_str())
            }
            _ => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }

    /// The result. A text that is the structured value once more is dropped; one that is written
    /// for people stays, and is what they are shown.
    fn result(mut self, structured: Option<Value>) -> ToolResult {
        let structured = match structured {
            Some(value) => {
                self.parts.retain(|part| !matches!(part, Content::Text(text) if is_json(text)));
                Some(value)
            }
            None => self.only_json(),
        };
        let is_structured = structured.is_some();
        let value = structured.unwrap_or_else(|| value_of(&self.parts));
        ToolResult {
            value,
            structured: is_structured,
            parts: self.parts,
            images: self.images,
            fault: self.fault.map(str::to_owned),
            left_out: self.left_out,
        }
    }

    /// The object or list that the only text is, if it is one; it is then no text any more.
    fn only_json(&mut self) -> Option<Value> {
        let mut texts = self.parts.iter().enumerate().filter_map(|(index, part)| match part {
            Content::Text(text) if text.left_out == 0 => Some((index, text)),
            _ => None,
        });
        let (Some((index, text)), None) = (texts.next(), texts.next()) else { return None };
        let value: Value = serde_json::from_str(&text.kept).ok()?;
        let is_whole = !has_long_number(&text.kept);
        if !(is_whole && (value.is_object() || value.is_array())) {
            return None;
        }
        self.parts.remove(index);
        Some(object(value))
    }
}

/// Returns whether a text is JSON and nothing for people.
fn is_json(text: &Text) -> bool {
    let begins = text.kept.trim_start().starts_with(['{', '[']);
    begins
        && (text.left_out > 0 || serde_json::from_str::<serde::de::IgnoredAny>(&text.kept).is_ok())
}

/// Returns whether JSON has a number of so many digits that a number of this program cannot hold them all.
fn has_long_number(json: &str) -> bool {
    let (mut digits, mut in_text, mut escaped) = (0, false, false);
    json.bytes().any(|byte| {
        in_text ^= byte == b'"' && !escaped;
        escaped = in_text && byte == b'\\' && !escaped;
        digits = if byte.is_ascii_digit() && !in_text { digits + 1 } else { 0 };
        digits > MOST_DIGITS
    })
}

fn link(resource: &Map<String, Value>) -> Link {
    let name = word(resource, "title", MAX_TITLE);
    Link {
        uri: word(resource, "uri", MAX_URI),
        name: if name.is_empty() { word(resource, "name", MAX_TITLE) } else { name },
        mime: word(resource, "mimeType", MAX_MIME),
        bytes: resource.get("size").and_then(Value::as_u64).and_then(|size| size.try_into().ok()),
    }
}

/// A word of an object in one line; empty where there is none.
fn word(object: &Map<String, Value>, key: &str, longest: usize) -> String {
    line(object.get(key).and_then(Value::as_str).unwrap_or_default(), longest)
}

/// The number of bytes that base64 stands for.
fn decoded(data: &str) -> usize {
    data.trim_end_matches('=').len() * 3 / 4
}

#[cfg(test)]
mod tests;

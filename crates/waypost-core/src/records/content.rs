//! The parts of a tool's result beside its structured value, and how far a call is.

use serde_json::{Map, Value, json};

/// A part of a result.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// Words.
    Text(Text),
    /// A resource that can be fetched.
    Link(Link),
    /// A resource that came with the result.
    Resource {
        /// The resource.
        link: Link,
        /// Its words, where it holds words.
        text: Option<Text>,
    },
    /// A picture or a sound, of which only the kind and the size are kept here.
    Media {
        /// The media type, such as `audio/wav`.
        mime: String,
        /// The size in bytes.
        bytes: usize,
    },
    /// A part of a kind that is not known, of which only the kind and the size are kept.
    Other {
        /// The kind as the server names it.
        kind: String,
        /// The size in bytes of JSON.
        bytes: usize,
    },
}

/// Words of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Text {
    /// The words that are kept.
    pub kept: String,
    /// The number of characters after them that are not kept.
    pub left_out: usize,
}

/// A resource, as a result names it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Link {
    /// Its address.
    pub uri: String,
    /// Its title or name; empty where there is none.
    pub name: String,
    /// The media type; empty where it is not said.
    pub mime: String,
    /// The size in bytes, where it is known.
    pub bytes: Option<usize>,
}

impl Link {
    fn record(&self, kind: &str) -> Map<String, Value> {
        let mut record = Map::new();
        record.insert("type".to_owned(), json!(kind));
        record.insert("uri".to_owned(), json!(self.uri));
        for (key, value) in [("name", &self.name), ("mime", &self.mime)] {
            if !value.is_empty() {
                record.insert(key.to_owned(), json!(value));
            }
        }
        if let Some(bytes) = self.bytes {
            record.insert("bytes".to_owned(), json!(bytes));
        }
        record
    }
}

impl Content {
    /// The part for programs; media and unknown kinds without their bytes.
    pub fn record(&self) -> Value {
        match self {
            Content::Text(text) => json!({ "type": "text", "text": text.kept }),
            Content::Link(link) => Value::Object(link.record("resource_link")),
            Content::Resource { link, text } => {
                let mut record = link.record("resource");
                if let Some(text) = text {
                    record.insert("text".to_owned(), json!(text.kept));
                }
                Value::Object(record)
            }
            Content::Media { mime, bytes } => {
                let kind = mime.split('/').next().unwrap_or_default();
                json!({ "type": kind, "mime": mime, "bytes": bytes })
            }
            Content::Other { kind, bytes } => json!({ "type": kind, "bytes": bytes }),
        }
    }
}

/// The object that stands for a result without a structured value: its words under `text`, and its
/// other parts under `content`. Nothing where the result is empty.
pub fn value_of(parts: &[Content]) -> Value {
    let mut object = Map::new();
    let texts: Vec<&str> = parts
        .iter()
        .filter_map(|part| match part {
            Content::Text(text) => Some(text.kept.as_str()),
            _ => None,
        })
        .collect();
    if !texts.is_empty() {
        object.insert("text".to_owned(), json!(texts.join("\n")));
    }
    let others = parts.iter().filter(|part| !matches!(part, Content::Text(_)));
    let others: Vec<Value> = others.map(Content::record).collect();
    if !others.is_empty() {
        object.insert("content".to_owned(), Value::Array(others));
    }
    Value::Object(object)
}

/// How far a call is, as its tool says.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Progress {
    /// The part that is done; it grows from one report to the next.
    pub done: f64,
    /// The whole, where it is known.
    pub total: Option<f64>,
    /// The tool's words on what it does; empty where it has none.
    pub message: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_make_an_object() {
        let text = |kept: &str| Content::Text(Text { kept: kept.to_owned(), left_out: 0 });
        assert_eq!(value_of(&[]), json!({}));
        assert_eq!(value_of(&[text("a"), text("b")]), json!({ "text": "a\nb" }));
        let link = Link { uri: "file:///a".to_owned(), bytes: Some(3), ..Link::default() };
        let parts = [
            text("see"),
            Content::Link(link.clone()),
            Content::Resource { link, text: Some(Text { kept: "abc".to_owned(), left_out: 0 }) },
            Content::Media { mime: "audio/wav".to_owned(), bytes: 9 },
            Content::Other { kind: "hologram".to_owned(), bytes: 7 },
        ];
        assert_eq!(
            value_of(&parts),
            json!({ "text": "see", "content": [
                { "type": "resource_link", "uri": "file:///a", "bytes": 3 },
                { "type": "resource", "uri": "file:///a", "bytes": 3, "text": "abc" },
                { "type": "audio", "mime": "audio/wav", "bytes": 9 },
                { "type": "hologram", "bytes": 7 },
            ] })
        );
    }
}

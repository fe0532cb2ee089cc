//! A result as a person can read it where no template says how: text as text, an object as a short
//! list, a list of objects as a table, other parts by kind and size. Everything is bounded, and what
//! is left out is counted.

use std::fmt::Write as _;

use serde_json::{Map, Value as Json};
use waypost_core::ports::tools::{Content, Link, Text, ToolResult};
use waypost_core::printable;
use waypost_core::records::request::shorten;
use waypost_text::language::Language;

use super::table;
use crate::pack::messages::{Messages, Sentence, readable};

/// The most characters that are shown of a result: a few screens.
const MAX_CHARACTERS: usize = 4_000;
/// The most lines that are shown of a result.
const MAX_LINES: usize = 100;
/// The most entries of an object or a list, and the most parts of a result.
pub(super) const MAX_ENTRIES: usize = 20;
/// The longest value in a line of a list, in characters.
const MAX_VALUE: usize = 200;
/// The number of lists within lists; what lies deeper is shown as JSON.
const MAX_DEPTH: usize = 3;
/// The names under which servers and Waypost wrap a value that is no object.
const WRAPPERS: [&str; 4] = ["result", "text", "items", "value"];

/// The result for people; empty where there is nothing to show.
pub(super) fn shown(result: &ToolResult, messages: &Messages, language: Language) -> String {
    let plain = Plain { messages, language };
    let has_text = result.parts.iter().any(|part| matches!(part, Content::Text(_)));
    let mut blocks = Vec::new();
    if result.structured && !has_text {
        blocks.push(plain.value(&result.value));
    }
    // Many pictures push out no words, which the page bounds.
    let mut others = 0;
    for part in &result.parts {
        others += usize::from(!has_words(part));
        if has_words(part) || others <= MAX_ENTRIES {
            blocks.push(plain.part(part));
        }
    }
    if others > MAX_ENTRIES {
        blocks.push(plain.more("more_entries", others - MAX_ENTRIES));
    }
    blocks.retain(|block| !block.is_empty());
    let missing = result.parts.iter().map(missing).sum();
    let mut shown = plain.page(blocks.join("\n").trim_end(), missing);
    if result.left_out > 0 && missing == 0 {
        let more = plain.sentence("more_size", "size", &size(result.left_out));
        shown = [shown, more].join("\n").trim_start().to_owned();
    }
    shown
}

fn has_words(part: &Content) -> bool {
    matches!(part, Content::Text(_) | Content::Resource { text: Some(_), .. })
}

/// The number of characters of a part that were not kept.
fn missing(part: &Content) -> usize {
    match part {
        Content::Text(text) | Content::Resource { text: Some(text), .. } => text.left_out,
        _ => 0,
    }
}

/// Waypost's own words around a result.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plain<'a> {
    messages: &'a Messages,
    language: Language,
}

impl<'a> Plain<'a> {
    pub(super) fn new(messages: &'a Messages, language: Language) -> Self {
        Self { messages, language }
    }

    /// A number as people write it.
    pub(super) fn number(&self, number: f64) -> String {
        readable(number, self.language)
    }

    fn sentence(&self, name: &'static str, hole: &'static str, value: &str) -> String {
        self.messages.say(self.language, &Sentence::new(name).with(hole, value))
    }

    /// The line that counts what is left out.
    pub(super) fn more(&self, name: &'static str, count: usize) -> String {
        self.sentence(name, "count", &readable(count as f64, self.language))
    }

    /// As much of a text as has room on a page; `left_out` characters of it are missing already.
    fn page(&self, text: &str, left_out: usize) -> String {
        let by_characters = text.char_indices().nth(MAX_CHARACTERS).map(|(end, _)| end);
        let by_lines = text.match_indices('\n').nth(MAX_LINES - 1).map(|(end, _)| end);
        let end = by_characters.into_iter().chain(by_lines).min().unwrap_or(text.len());
        let (kept, rest) = text.split_at(end);
        match rest.chars().count() + left_out {
            0 => kept.to_owned(),
            more => format!("{}\n{}", kept.trim_end(), self.more("more_characters", more)),
        }
    }

    fn part(&self, part: &Content) -> String {
        let say = |name| self.messages.say(self.language, &Sentence::new(name));
        match part {
            Content::Text(text) => words(text),
            Content::Link(link) => format!("{}: {}", say("part_link"), described(link)),
            Content::Resource { link, text } => {
                let head = format!("{}: {}", say("part_resource"), described(link));
                match text.as_ref().map(words).filter(|text| !text.is_empty()) {
                    Some(text) => format!("{head}\n{text}"),
                    None => head,
                }
            }
            Content::Media { mime, bytes } => {
                let name = if mime.starts_with("audio/") { "part_audio" } else { "part_image" };
                format!("{}: {mime}, {}", say(name), size(*bytes))
            }
            Content::Other { kind, bytes } => {
                format!("{}: {}, {}", say("part_other"), plain(kind), size(*bytes))
            }
        }
    }

    /// A value: what is wrapped is taken out of its wrapper.
    fn value(&self, value: &Json) -> String {
        let wrapped = value
            .as_object()
            .filter(|object| object.len() == 1)
            .and_then(|object| WRAPPERS.iter().find_map(|name| object.get(*name)));
        let mut text = String::new();
        match wrapped.unwrap_or(value) {
            Json::Object(object) => self.object(object, 0, &mut text),
            Json::Array(items) => self.list(items, 0, &mut text),
            Json::String(words) => text = plain(words),
            other => text = scalar(other),
        }
        text.trim_end().to_owned()
    }

    fn object(&self, object: &Map<String, Json>, depth: usize, out: &mut String) {
        for (key, value) in object.iter().take(MAX_ENTRIES) {
            let key = shorten(&plain(key), MAX_VALUE);
            self.entry(&format!("{key}:"), value, depth, out);
        }
        self.rest(object.len(), depth, out);
    }

    fn list(&self, items: &[Json], depth: usize, out: &mut String) {
        if let Some(table) = table::of(items, self) {
            table.lines().for_each(|row| line(depth, row, out));
            return;
        }
        for item in items.iter().take(MAX_ENTRIES) {
            self.entry("-", item, depth, out);
        }
        self.rest(items.len(), depth, out);
    }

    /// One entry: on a line where it has room, else below its name.
    fn entry(&self, name: &str, value: &Json, depth: usize, out: &mut String) {
        let deeper = depth + 1 < MAX_DEPTH;
        match value {
            Json::Object(object) if deeper && !object.is_empty() => {
                line(depth, name, out);
                self.object(object, depth + 1, out);
            }
            Json::Array(items) if deeper && !is_short(items) => {
                line(depth, name, out);
                self.list(items, depth + 1, out);
            }
            Json::Array(items) if is_short(items) => {
                let items: Vec<String> = items.iter().map(scalar).collect();
                line(depth, &format!("{name} {}", items.join(", ")), out);
            }
            Json::String(words) if words.trim_end().contains('\n') => {
                line(depth, name, out);
                let words = plain(words);
                words.lines().take(MAX_ENTRIES).for_each(|words| line(depth + 1, words, out));
                let more: usize =
                    words.lines().skip(MAX_ENTRIES).map(|words| words.chars().count()).sum();
                if more > 0 {
                    line(depth + 1, &self.more("more_characters", more), out);
                }
            }
            other => line(depth, &format!("{name} {}", scalar(other)), out),
        }
    }

    /// The line for the entries behind the last one that is shown.
    fn rest(&self, entries: usize, depth: usize, out: &mut String) {
        if entries > MAX_ENTRIES {
            line(depth, &self.more("more_entries", entries - MAX_ENTRIES), out);
        }
    }
}

fn line(depth: usize, words: &str, out: &mut String) {
    let _ = writeln!(out, "{:indent$}{words}", "", indent = 2 * depth);
}

/// Returns whether a list has room on a line: few values, none of them a list or an object.
fn is_short(items: &[Json]) -> bool {
    items.len() <= MAX_ENTRIES / 2 && items.iter().all(|item| !item.is_object() && !item.is_array())
}

/// A value on one line, shortened; what is no scalar as JSON.
pub(super) fn scalar(value: &Json) -> String {
    match value {
        Json::Null => "–".to_owned(),
        Json::String(words) => shorten(&plain(words).replace('\n', " "), MAX_VALUE),
        other => shorten(&other.to_string(), MAX_VALUE),
    }
}

fn words(text: &Text) -> String {
    plain(&text.kept).trim_end().to_owned()
}

/// A text without what could steer a terminal.
fn plain(text: &str) -> String {
    printable::lines(text).into_owned()
}

/// A resource in one line: its name, its address, its kind and its size.
fn described(link: &Link) -> String {
    let size = link.bytes.map(size);
    let about = [Some(link.mime.clone()).filter(|mime| !mime.is_empty()), size];
    let about: Vec<String> = about.into_iter().flatten().collect();
    let mut text = match (link.name.is_empty(), link.uri.is_empty()) {
        (true, _) => link.uri.clone(),
        (false, true) => link.name.clone(),
        (false, false) => format!("{} <{}>", link.name, link.uri),
    };
    if !about.is_empty() {
        let _ = write!(text, " ({})", about.join(", "));
    }
    text
}

/// A number of bytes for people.
fn size(bytes: usize) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests;

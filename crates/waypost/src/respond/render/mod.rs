//! The words for what tools returned: one line from a pack's template, with units and the values that
//! were really used; without one, the result as a person can read it.

mod beside;
mod plain;
mod table;
mod words;

use minijinja::value::Serde;
use minijinja::{Value as Data, context};
use serde_json::Value as Json;
use waypost_core::error::{Error, Result};
use waypost_core::records::decision::Call;
use waypost_text::language::Language;

use crate::pack::localized;
use crate::pack::messages::Messages;
use crate::pack::template::{Engine, MOST_DATA};
use crate::understand::Turn;
use crate::understand::views;
pub(crate) use words::Words;

/// Renders what tools returned.
#[derive(Debug, Default)]
pub struct Renderer {
    engine: Engine,
}

/// A call, its result, and the place that it was about.
#[derive(Debug, Clone, Copy)]
pub struct Done<'a> {
    /// The call as it was decided.
    pub call: &'a Call,
    /// The tool's result.
    pub result: &'a Json,
    /// The place as it is written.
    pub place: &'a str,
}

/// The table of several results of one tool beside each other; `None` where there is nothing to compare.
pub(crate) fn beside(
    results: &[(&Call, &Json)],
    messages: &Messages,
    language: Language,
) -> Option<String> {
    beside::of(results, &plain::Plain::new(messages, language))
}

impl Renderer {
    /// Returns whether the template finds all that it names in a result that is words and no
    /// structure.
    pub(crate) fn fits(&self, turn: &Turn<'_>, call: &Call, result: &Json) -> bool {
        let tool = turn.pack.tool(&call.tool).map(|tool| &tool.spec);
        let template = tool.and_then(|tool| localized(&tool.answer, turn.said.language));
        let parsed = template.and_then(|text| self.engine.parse(text).ok());
        let names = parsed.map(|template| template.names(true)).unwrap_or_default();
        let mut named = names.iter().filter_map(|name| name.strip_prefix("result."));
        named.all(|path| path.split('.').next().is_some_and(|key| result.get(key).is_some()))
    }

    /// The one-line answer to a call, in the user's language; `None` for a tool without a template.
    ///
    /// # Errors
    ///
    /// `INTERNAL` if the template does not fit the result.
    pub fn line(&self, turn: &Turn<'_>, done: Done<'_>) -> Result<Option<String>> {
        let tool = turn.pack.tool(&done.call.tool).map(|tool| &tool.spec);
        let template = tool.and_then(|tool| localized(&tool.answer, turn.said.language));
        let (Some(tool), Some(template)) = (tool, template) else {
            return Ok(None);
        };
        let asked = done.call.arguments.get("date").and_then(Json::as_str);
        let used = done.result.get("date").and_then(Json::as_str);
        let data = context! {
            result => bounded(&tool.name, done.result)?,
            arguments => Serde(&done.call.arguments),
            place => done.place,
            views => Serde(views::shown(tool, turn)),
            moved => if asked == used { None } else { asked },
            today => used == Some(turn.now.date().to_string().as_str()),
        };
        self.filled(&tool.name, template, data).map(Some)
    }

    /// A template of a tool filled with a result alone, as somebody who writes one may try it.
    ///
    /// # Errors
    ///
    /// `INTERNAL`, with the tool's name, if the template does not fit the result, or breaks a bound.
    pub fn fill(&self, tool: &str, template: &str, result: &Json) -> Result<String> {
        self.filled(tool, template, context! { result => bounded(tool, result)? })
    }

    fn filled(&self, tool: &str, template: &str, data: Data) -> Result<String> {
        let said = self.engine.parse(template).and_then(|template| template.render(data));
        said.map_err(|error| Error::internal(format!("template of {tool}: {error}")))
    }
}

/// A result as templates see it; one that is too large for a line is told without a template.
fn bounded(tool: &str, result: &Json) -> Result<Data> {
    if fits_in(result, &mut { MOST_DATA }) {
        return Ok(Data::from(Serde(result)));
    }
    Err(Error::internal(format!("template of {tool}: the result is too large for it")))
}

/// Returns whether a value has room in `room` bytes, and takes them.
fn fits_in(value: &Json, room: &mut usize) -> bool {
    let own = match value {
        Json::String(text) => text.len(),
        Json::Object(fields) => fields.keys().map(String::len).sum(),
        _ => 0,
    };
    let Some(left) = room.checked_sub(own + 8) else { return false };
    *room = left;
    match value {
        Json::Array(items) => items.iter().all(|item| fits_in(item, room)),
        Json::Object(fields) => fields.values().all(|item| fits_in(item, room)),
        _ => true,
    }
}

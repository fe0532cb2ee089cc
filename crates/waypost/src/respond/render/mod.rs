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
use crate::pack::messages::{Messages, Sentence};
use crate::pack::template::{Engine, HOLE, MOST_DATA};
use crate::understand::Turn;
use crate::understand::views;
pub(crate) use words::Words;

/// The names of what templates of answers see.
pub(crate) const SEEN: [&str; 6] = ["result", "arguments", "place", "views", "moved", "today"];

/// Renders what tools returned.
#[derive(Debug)]
pub struct Renderer {
    engine: Engine,
}

impl Default for Renderer {
    fn default() -> Self {
        Self { engine: Engine::marking_holes() }
    }
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

    /// The one-line answer to a call, in the user's language, which names what the result lacks; `None` for a tool without a
    /// template.
    ///
    /// # Errors
    ///
    /// `INTERNAL` if the template does not fit the result.
    pub fn line(
        &self,
        turn: &Turn<'_>,
        messages: &Messages,
        done: Done<'_>,
    ) -> Result<Option<String>> {
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
        let said = self.filled(&tool.name, template, data)?;
        let lacks = self.lacking(template, done.result);
        if !said.contains(HOLE) || lacks.is_empty() {
            return Ok(Some(said.replace(HOLE, "")));
        }
        let sentence = Sentence::new("result_lacks").with("what", lacks.join(", "));
        let sentence = messages.say(turn.said.language, &sentence);
        Ok(Some(format!("{}\n{sentence}", said.replace(HOLE, "?"))))
    }

    /// The values of a result that a template names and that are not there, by their paths.
    fn lacking(&self, template: &str, result: &Json) -> Vec<String> {
        let names = self.engine.parse(template).map(|template| template.names(true));
        let paths = names.unwrap_or_default().into_iter();
        let paths = paths.filter_map(|name| name.strip_prefix("result.").map(str::to_owned));
        let is_there = |path: &String| {
            let mut keys = path.split('.');
            keys.try_fold(result, |value, key| value.get(key)).is_some()
        };
        let mut lacks: Vec<String> = paths.filter(|path| !is_there(path)).collect();
        lacks.sort_unstable();
        lacks
    }

    /// A template of a tool filled with a result alone, as somebody who writes one may try it.
    ///
    /// # Errors
    ///
    /// `INTERNAL`, with the tool's name, if the template does not fit the result, or breaks a bound.
    pub fn fill(&self, tool: &str, template: &str, result: &Json) -> Result<String> {
        let said = self.filled(tool, template, context! { result => bounded(tool, result)? })?;
        Ok(said.replace(HOLE, ""))
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

//! The template engine that packs' answers and Waypost's own sentences share.
//!
//! A template is words with holes, a few choices and lists. The engine counts its steps, but one step may
//! fill the memory: a text repeated, a width of a billion, a value doubled forty times. So a template says
//! only what cannot grow (`dialect`), calls only filters that are bounded (`filters`), sees data of a bounded
//! size, and writes to a page of a bounded length.

mod dialect;
mod filters;

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::io;
use std::sync::LazyLock;

use minijinja::{Environment, Value, escape_formatter};

/// The most steps that a template may take: a loop over a year of days is far below.
const FUEL: u64 = 200_000;

/// The largest data of a template, in bytes: eight channels of an archive over a day are less than half of it.
pub(crate) const MOST_DATA: usize = 1024 * 1024;
/// The longest text that a template writes, in bytes: sixteen times what is shown of a result.
const MOST_OUTPUT: usize = 64 * 1024;

/// The engine of templates. It has the filters and functions of `filters` and no others, takes the
/// statements and operators of `dialect` and no others, and writes so much and no more.
#[derive(Debug)]
pub(crate) struct Engine(Environment<'static>);

impl Default for Engine {
    fn default() -> Self {
        let mut engine = Environment::empty();
        engine.set_fuel(Some(FUEL));
        filters::install(&mut engine);
        Self(engine)
    }
}

/// Stands in a filled template for a value that the data lack, until somebody says so.
pub(crate) const HOLE: char = '\u{fffc}';

impl Engine {
    /// An engine that writes [`HOLE`] where a value is not there, instead of nothing.
    pub(crate) fn marking_holes() -> Self {
        let mut engine = Self::default();
        engine.0.set_formatter(|out, state, value| match value.is_undefined() {
            true => Ok(out.write_char(HOLE)?),
            false => escape_formatter(out, state, value),
        });
        engine
    }

    /// A template that can be filled.
    ///
    /// # Errors
    ///
    /// The reason in words: it cannot be parsed, or says what no template may say.
    pub(crate) fn parse<'a>(&'a self, text: &'a str) -> Result<Template<'a>, String> {
        dialect::check(text)?;
        let parsed = self.0.template_from_str(text).map_err(|error| {
            let what = error.detail().map_or_else(|| error.kind().to_string(), str::to_owned);
            let line = error.line().filter(|_| text.contains('\n'));
            let line = line.map(|line| format!(" (line {line} of the template)"));
            format!("{what}{}", line.unwrap_or_default())
        })?;
        Ok(Template(parsed))
    }
}

/// A template that can be filled.
pub(crate) struct Template<'a>(minijinja::Template<'a, 'a>);

impl Template<'_> {
    /// The names that it wants a value for; with the paths below them if `nested`.
    pub(crate) fn names(&self, nested: bool) -> HashSet<String> {
        self.0.undeclared_variables(nested)
    }

    /// Fills the template.
    ///
    /// # Errors
    ///
    /// The engine's reason, for logs.
    pub(crate) fn render(&self, data: Value) -> Result<String, String> {
        let mut page = Page(Vec::new());
        match self.0.render_captured_to(data, &mut page) {
            Ok(_) => String::from_utf8(page.0).map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// A page of [`MOST_OUTPUT`] bytes.
struct Page(Vec<u8>);

impl io::Write for Page {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MOST_OUTPUT {
            return Err(io::Error::other("the page is full"));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The filters that advice names: those of answers, then the usual ones of the engine.
pub(crate) const FILTERS: [&str; 29] = [
    "fixed",
    "signed",
    "clock",
    "abs",
    "capitalize",
    "default",
    "escape",
    "first",
    "float",
    "format",
    "groupby",
    "int",
    "items",
    "join",
    "last",
    "length",
    "lower",
    "map",
    "max",
    "min",
    "reject",
    "replace",
    "round",
    "select",
    "sort",
    "title",
    "trim",
    "unique",
    "upper",
];

/// Returns the reason why a template cannot be used, in a sentence.
pub(crate) fn fault(text: &str) -> Option<String> {
    /// Installing the filters takes longer than to parse a sentence, and a pack has hundreds.
    static ENGINE: LazyLock<Engine> = LazyLock::new(Engine::default);
    let what = ENGINE.parse(text).err()?;
    Some(format!("not a template: {what}"))
}

/// Returns the filters that a template names and that there are not, each once. The engine itself would
/// only tell when an answer is worded.
pub(crate) fn unknown_filters(text: &str) -> Vec<String> {
    let mut names = dialect::filters(text);
    names.sort();
    names.dedup();
    names.retain(|name| !filters::has(name));
    names
}

/// The names that templates want a value for, each with the language of its template.
pub(crate) fn holes(templates: &BTreeMap<String, String>) -> Vec<(String, String)> {
    names(templates, false)
}

/// The same; with the paths below the names if `nested`.
pub(crate) fn names(templates: &BTreeMap<String, String>, nested: bool) -> Vec<(String, String)> {
    let engine = Engine::default();
    let mut holes = Vec::new();
    for (tag, text) in templates {
        let Ok(template) = engine.parse(text) else { continue };
        let mut names: Vec<String> = template.names(nested).into_iter().collect();
        names.sort_unstable();
        holes.extend(names.into_iter().map(|name| (tag.clone(), name)));
    }
    holes
}

#[cfg(test)]
mod tests;

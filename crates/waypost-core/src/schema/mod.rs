//! JSON Schemas that other people wrote: bounded before they are compiled, and each check before it is made.
//!
//! A schema is a program: ten alternatives that refer to ten others, eight times, are asked a hundred million
//! times, and every one that does not fit keeps its reason. So nothing is compiled whose parts, all references
//! followed, are not few ([`Schema::compile`]), and no value is checked where the parts that look at it would be
//! many ([`Schema::check`]); both are counted, stop at their bound, and allocate next to nothing. References
//! lead within the document or are refused: nothing is fetched.
//!
//! [`adopt`] takes over a schema of which a keyword is faulty, and [`FlatSchema`] reads the fields of a nested one.

mod adopt;
mod flat;
mod keywords;
mod meant;
mod measure;
mod parts;
mod refer;
mod work;

use std::fmt::{self, Write};

pub use adopt::{Adopted, PassedOver, adopt};
pub use flat::FlatSchema;
pub use meant::{as_meant, numbers_as_meant};

use jsonschema::error::ValidationErrorKind;
use jsonschema::{Draft, PatternOptions, ValidationError, ValidationOptions, Validator};
use serde_json::Value;

/// The most memory of one compiled pattern, in bytes. `^.{1,2000}$` needs a quarter of it.
const PATTERN_BYTES: usize = 4 * 1024 * 1024;
/// The memory that the search for one pattern may take, in bytes.
const SEARCH_BYTES: usize = 256 * 1024;
/// The most steps backwards of one pattern that needs them.
const BACKTRACKS: usize = 20_000;

/// The most steps of a check: a tenth of a second at the very most.
const MOST_STEPS: usize = 1_000_000;
/// The most steps of a check that keeps reasons: each may keep one for every alternative that was tried.
const EXPLAINED_STEPS: usize = 20_000;
/// The most reasons of one check.
const MOST_REASONS: usize = 100;
/// The longest reason, in bytes: they quote the value.
const LONGEST_REASON: usize = 500;

/// A schema that may be used.
#[derive(Debug)]
pub struct Schema {
    root: Value,
    validator: Validator,
    size: measure::Size,
}

/// The reason why a value does not fit a schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    /// The JSON pointer of the part that does not fit; empty for the whole.
    pub path: String,
    /// The fields that are missing there, if that is the only fault: any of these sets would do.
    pub wants: Vec<Vec<String>>,
    /// The validator's words, for logs.
    pub detail: String,
}

/// The outcome of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Check {
    /// The value fits.
    Fits,
    /// The value does not fit, for these reasons, of which there is one at least.
    Misfits(Vec<Misfit>),
    /// The check would have taken more steps than any may.
    Unchecked,
}

impl Schema {
    /// Compiles a schema.
    ///
    /// # Errors
    ///
    /// The reason in a sentence: it breaks a bound, refers to another document, or is no schema.
    pub fn compile(schema: &Value) -> Result<Self, String> {
        let size = measure::measure(schema).map_err(|why| format!("the schema {why}"))?;
        let validator = options(draft_of(schema)).build(schema).map_err(|error| words(&error))?;
        Ok(Self { root: schema.clone(), validator, size })
    }

    /// Returns the part of a schema that its `$ref` leads to, within the document `root`.
    pub fn referred<'a>(root: &'a Value, schema: &Value) -> Option<&'a Value> {
        parts::target(root, schema.get("$ref")?)
    }

    /// Checks a value.
    pub fn check(&self, value: &Value) -> Check {
        let Some(steps) = self.steps(value) else { return Check::Unchecked };
        if steps > EXPLAINED_STEPS {
            if self.validator.is_valid(value) {
                return Check::Fits;
            }
            let detail = "it is too large to say where it does not fit".to_owned();
            return Check::Misfits(vec![Misfit { path: String::new(), wants: Vec::new(), detail }]);
        }
        let misfits: Vec<Misfit> =
            self.validator.iter_errors(value).take(MOST_REASONS).map(misfit).collect();
        if misfits.is_empty() { Check::Fits } else { Check::Misfits(misfits) }
    }

    /// The steps of a check; `None` if they are too many. Few parts and a small value need no walk.
    fn steps(&self, value: &Value) -> Option<usize> {
        let product = self.size.parts.saturating_mul(work::size(value));
        if !self.size.recursive && product <= EXPLAINED_STEPS {
            return Some(product);
        }
        work::steps(&self.root, value, MOST_STEPS).ok()
    }
}

/// The draft by which a schema is read: the one that it names, or else the newest.
fn draft_of(schema: &Value) -> Draft {
    const NAMES: [(&str, Draft); 4] = [
        ("draft-04", Draft::Draft4),
        ("draft-06", Draft::Draft6),
        ("draft-07", Draft::Draft7),
        ("2019-09", Draft::Draft201909),
    ];
    let own = schema.get("$schema").and_then(Value::as_str).unwrap_or_default();
    let named = NAMES.iter().find(|(name, _)| own.contains(name));
    named.map_or(Draft::Draft202012, |(_, draft)| *draft)
}

/// The bounds of a validator. No draft checks formats: they are hints of what fills an argument.
fn options(draft: Draft) -> ValidationOptions<'static> {
    let patterns = PatternOptions::fancy_regex()
        .size_limit(PATTERN_BYTES)
        .dfa_size_limit(SEARCH_BYTES)
        .backtrack_limit(BACKTRACKS);
    let options = jsonschema::options().with_draft(draft).should_validate_formats(false);
    options.offline().with_pattern_options(patterns)
}

#[expect(clippy::needless_pass_by_value, reason = "the shape of an iterator's function")]
fn misfit(error: ValidationError<'_>) -> Misfit {
    Misfit {
        path: error.instance_path().as_str().to_owned(),
        wants: wants(&error),
        detail: words(&error),
    }
}

/// The fields that are missing, if that is all that an error says: of alternatives, those of each that only lacks fields.
fn wants(error: &ValidationError<'_>) -> Vec<Vec<String>> {
    match error.kind() {
        ValidationErrorKind::Required { property } => {
            vec![property.as_str().map(str::to_owned).into_iter().collect()]
        }
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            let here = error.instance_path().as_str();
            context.iter().filter_map(|branch| lacks(branch, here)).collect()
        }
        _ => Vec::new(),
    }
}

/// The fields that an alternative lacks; `None` if it has another fault, or none.
fn lacks(branch: &[ValidationError<'_>], here: &str) -> Option<Vec<String>> {
    let mut all: Vec<String> = Vec::new();
    for error in branch {
        let first = wants(error).into_iter().next();
        let first = first.filter(|_| error.instance_path().as_str() == here)?;
        first.into_iter().for_each(|name| {
            if !all.contains(&name) {
                all.push(name);
            }
        });
    }
    (!all.is_empty()).then_some(all)
}

/// The beginning of an error's words.
fn words(error: &ValidationError<'_>) -> String {
    let mut beginning = Beginning(String::new());
    // It ends early where the words are long.
    let _ = write!(beginning, "{error}");
    beginning.0
}

/// A text that takes the first bytes and then no more.
struct Beginning(String);

impl Write for Beginning {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = LONGEST_REASON - self.0.len();
        let end = (0..=room.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
        self.0.push_str(&text[..end.unwrap_or(0)]);
        if text.len() > room { Err(fmt::Error) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests;

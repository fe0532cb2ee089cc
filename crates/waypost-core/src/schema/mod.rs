//! JSON Schemas that other people wrote: bounded before they are compiled, and each check before it is made.
//!
//! A schema is a program: ten alternatives that refer to ten others, eight times, are asked a hundred million
//! times, and every one that does not fit keeps its reason. So nothing is compiled whose parts, all references
//! followed, are not few ([`Schema::compile`]), and no value is checked where the parts that look at it would be
//! many ([`Schema::check`]); both are counted, stop at their bound, and allocate next to nothing. References
//! lead within the document or are refused: nothing is fetched.

mod measure;
mod parts;
mod work;

use std::fmt::{self, Write};

use jsonschema::error::ValidationErrorKind;
use jsonschema::{PatternOptions, ValidationError, Validator};
use serde_json::Value;

/// The most memory of one compiled pattern, in bytes. `^.{1,1000}$` needs half of it.
const PATTERN_BYTES: usize = 1024 * 1024;
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
    /// True if a field is missing there.
    pub missing: bool,
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
        let patterns = PatternOptions::fancy_regex()
            .size_limit(PATTERN_BYTES)
            .dfa_size_limit(SEARCH_BYTES)
            .backtrack_limit(BACKTRACKS);
        let options = jsonschema::draft202012::options().offline().with_pattern_options(patterns);
        let validator = options.build(schema).map_err(|error| words(&error))?;
        Ok(Self { root: schema.clone(), validator, size })
    }

    /// Checks a value.
    pub fn check(&self, value: &Value) -> Check {
        let Some(steps) = self.steps(value) else { return Check::Unchecked };
        if steps > EXPLAINED_STEPS {
            if self.validator.is_valid(value) {
                return Check::Fits;
            }
            let detail = "it is too large to say where it does not fit".to_owned();
            return Check::Misfits(vec![Misfit { path: String::new(), missing: false, detail }]);
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

#[expect(clippy::needless_pass_by_value, reason = "the shape of an iterator's function")]
fn misfit(error: ValidationError<'_>) -> Misfit {
    Misfit {
        path: error.instance_path().as_str().to_owned(),
        missing: matches!(error.kind(), ValidationErrorKind::Required { .. }),
        detail: words(&error),
    }
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

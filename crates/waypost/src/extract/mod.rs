//! Finds typed values in the user's words: dates, numbers, coordinates, names.
//!
//! Extractors only extract. They decide nothing about routes or arguments, read no clock (the
//! instant and the zone come with the request) and never look outside the text and the gazetteers.
//!
//! The text is cut into tokens; a table of all languages says what they mean (`lang`); each
//! extractor reads those meanings from every token on; of findings that overlap the longest stays.

mod bbox;
mod between;
mod calendar;
mod clauses;
mod cursor;
mod date;
mod degrees;
mod detect;
mod followup;
mod gazetteer;
mod lang;
mod number;
mod point;
mod range;
mod record;
mod relative;
mod resolve;
mod sentence;
mod small;
#[cfg(test)]
mod spec;
mod term;
mod time;
mod token;
mod trie;
mod value;

pub use clauses::joints;
pub use detect::detect;
pub use followup::{
    day_shifts, has_reference, is_elliptical, means_all, negates, references, residue,
};
pub use gazetteer::Gazetteer;
pub use record::{canonical, record};
pub use value::{Fault, Kind, Moment, Point, Reading, Relation, Value};

use cursor::Cursor;
use resolve::{Candidate, resolve};
use sentence::Sentence;

use crate::language::Language;
use crate::text::Text;

/// What readings depend on besides the words.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// The instant of the request, in the zone of the user.
    pub now: &'a jiff::Zoned,
    /// The main language of the text. English and Chinese words always count.
    pub language: Language,
    /// The names that entities are looked up in; earlier ones are likelier.
    pub gazetteers: &'a [Gazetteer],
}

/// Finds all values of `text` that do not overlap, in the order of the text.
///
/// # Example
///
/// ```
/// use waypost::extract::{self, Context};
/// use waypost::{language::Language, text::Text};
///
/// let now = "2025-11-06T09:00+08:00[Asia/Taipei]".parse()?;
/// let context = Context { now: &now, language: Language::ZhHant, gazetteers: &[] };
/// let values = extract::extract(&Text::new("昨天(121.5,25.0)海溫"), &context);
/// let found: Vec<String> = values.iter().map(|v| extract::canonical(&v.reading).to_string()).collect();
/// assert_eq!(found, [r#""2025-11-05""#, r#"{"longitude":121.5,"latitude":25}"#]);
/// # Ok::<(), jiff::Error>(())
/// ```
pub fn extract(text: &Text, context: &Context<'_>) -> Vec<Value> {
    let sentence = Sentence::new(text, context.language);
    let begins: Vec<bool> = (0..sentence.tokens.len()).map(|at| sentence.may_begin(at)).collect();
    let mut candidates = Vec::new();
    for extractor in extractors() {
        let mut at = 0;
        while at < sentence.tokens.len() {
            let mut cursor = Cursor::new(&sentence, context, at);
            let tried = begins[at] || extractor.name == NAMES;
            match tried.then(|| (extractor.find)(&mut cursor)).flatten() {
                Some(found) => {
                    candidates.push(Candidate { start: at, end: cursor.at, found });
                    at = cursor.at.max(at + 1);
                }
                None => at += 1,
            }
        }
    }
    resolve(&sentence, candidates)
}

/// The extractor that looks up names; all others only read words that the tables know.
const NAMES: &str = "entity";

/// One way to find values: tried at every token, it reads on from there.
#[derive(Debug)]
pub struct Extractor {
    /// What it looks for.
    pub name: &'static str,
    find: fn(&mut Cursor<'_>) -> Option<Found>,
}

/// All extractors. The order only settles ties; see `resolve` for what wins.
pub fn extractors() -> &'static [Extractor] {
    &[
        Extractor { name: "bbox", find: bbox::bbox },
        Extractor { name: "point", find: point::point },
        Extractor { name: "range.between", find: between::between },
        Extractor { name: "range.period", find: range::period },
        Extractor { name: "datetime", find: time::datetime },
        Extractor { name: "date", find: date::date },
        Extractor { name: "time", find: time::time },
        Extractor { name: "duration", find: small::duration },
        Extractor { name: NAMES, find: gazetteer::entity },
        Extractor { name: "percentage", find: number::percentage },
        Extractor { name: "ordinal", find: small::ordinal },
        Extractor { name: "quoted", find: small::quoted },
        Extractor { name: "number", find: number::number },
        Extractor { name: "boolean", find: small::boolean },
    ]
}

/// What a rule found: a value without its place.
#[derive(Debug)]
struct Found {
    kind: Kind,
    reading: Reading,
    alternatives: Vec<Reading>,
    rule: &'static str,
}

impl Found {
    fn new(kind: Kind, reading: Reading, rule: &'static str) -> Self {
        Self { kind, reading, alternatives: Vec::new(), rule }
    }

    /// Adds other readings, the likelier first.
    fn or(mut self, others: impl IntoIterator<Item = Reading>) -> Self {
        self.alternatives.extend(others);
        self
    }
}

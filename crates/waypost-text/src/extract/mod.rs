//! Finds typed values in the user's words: dates, numbers, coordinates, names.
//!
//! Extractors only extract. They decide nothing about routes or arguments, read no clock (the
//! instant and the zone come with the request) and never look outside the text and the gazetteers.
//!
//! The text is cut into tokens; a table of all languages says what they mean (`lang`); each
//! extractor reads those meanings from every token on; of findings that overlap the longest stays.

mod kind;
mod unit_code;
mod value;

mod grammar;
mod lang;

mod names;
mod places;
mod ranges;
mod temporal;
mod values;

mod dialogue;
mod request;
mod unread;

mod conventions;
mod detect;
mod record;

#[cfg(test)]
mod properties;
#[cfg(test)]
mod spec;

pub use conventions::{Conventions, Hours};
pub use detect::{Guess, detect, guess, may_be};
pub use dialogue::act::{act, selects};
pub use dialogue::clauses::{items, joints};
pub use dialogue::core::question;
pub use dialogue::correction::{Objection, objection};
pub use dialogue::done::beside_done;
pub use dialogue::exclusion::left_out;
pub use dialogue::followup::{
    day_shifts, goes_on, has_reference, is_elliptical, leans, means_all, negates, points_back,
    references, residue, same_periods,
};
pub use dialogue::operators::{Mark, operators};
pub use dialogue::pointing::{Pointer, Target, pointers};
pub use grammar::kinds::{ObjectClass, Operator, Relation, Role};
pub use grammar::rule::Rule;
pub use kind::{Kind, Kinds};
pub use names::zone::here;
pub use places::gazetteer::Gazetteer;
pub use places::mentions::{Mention, mentions};
pub use ranges::bounds::{Bounds, bounds};
pub use record::{canonical, record};
pub use request::condition::{ConditionBound, condition_bound, conditions};
pub use request::object::{Object, objects};
pub use request::role::{names_nothing, role, sought};
pub use unit_code::UnitCode;
pub use unread::{Unread, unknown_places, unread};
pub use value::{Fault, Interval, Moment, Point, Reading, Value};

use grammar::cursor::Cursor;
use grammar::lexicon::Lexicon;
use grammar::resolve::{Candidate, resolve};
pub(crate) use grammar::sentence::Readings;
use grammar::sentence::Sentence;
use grammar::term::Term;
pub(crate) use grammar::token::{is_han, plain};

use crate::language::Language;
use crate::text::Text;

/// The settings that readings depend on besides the words.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// The instant of the request, in the zone of the user.
    pub now: &'a jiff::Zoned,
    /// The main language of the text. English and Chinese words always count.
    pub language: Language,
    /// The names that entities are looked up in; earlier ones are likelier.
    pub gazetteers: &'a [Gazetteer],
    /// The conventions that decide what the words leave to habit.
    pub conventions: Conventions,
    /// The kinds that somebody has an argument for. Of those that are [`Kind::is_opt_in`] only
    /// these are looked for; all others always are.
    pub wanted: Kinds,
}

/// Finds all values of `text` that do not overlap, in the order of the text.
///
/// # Example
///
/// ```
/// use waypost_text::extract::{self, Context, Conventions, Kinds};
/// use waypost_text::{language::Language, text::Text};
///
/// let now = "2025-11-06T09:00+08:00[Asia/Taipei]".parse()?;
/// let context = Context { now: &now, language: Language::ZhHant, gazetteers: &[], conventions: Conventions::STANDARD, wanted: Kinds::NONE };
/// let values = extract::extract(&Text::new("昨天(121.5,25.0)海溫"), &context);
/// let found: Vec<String> = values.iter().map(|v| extract::canonical(&v.reading).to_string()).collect();
/// assert_eq!(found, [r#""2025-11-05""#, r#"{"longitude":121.5,"latitude":25}"#]);
/// # Ok::<(), jiff::Error>(())
/// ```
pub fn extract(text: &Text, context: &Context<'_>) -> Vec<Value> {
    find(text, context, extractors().iter(), false)
}

/// Returns whether a language has a word: among those of values and conversations, or the common ones.
///
/// A word that a language has is no name by its capital alone, where a sentence begins with it.
///
/// # Example
///
/// ```
/// use waypost_text::{extract::is_word, language::Language};
/// assert!(is_word("Find", Language::En));
/// assert!(!is_word("Lisbon", Language::En));
/// ```
pub fn is_word(word: &str, language: Language) -> bool {
    let text = Text::new(word);
    let sentence = Sentence::new(&text, language);
    let tokens = &sentence.tokens;
    tokens.len() > 0 && (0..tokens.len()).all(|at| Lexicon::knows_in(tokens.folded(at), language))
}

/// The words of all tables, without accents, and whether values or conversation in one of these languages have them.
pub fn table_words(languages: &[Language]) -> impl Iterator<Item = (&'static str, bool)> {
    Lexicon::words(languages)
}

/// Returns whether a word of the tables, without accents, is a day or a month by itself in a language: "tomorrow", "lunes".
///
/// # Example
///
/// ```
/// use waypost_text::{extract::is_date_word, language::Language};
/// assert!(is_date_word("monday", Language::En));
/// assert!(!is_date_word("monday", Language::Es) && !is_date_word("money", Language::En));
/// ```
pub fn is_date_word(word: &str, language: Language) -> bool {
    Lexicon::VALUES.word(word).any(|meaning| {
        let is_date = matches!(meaning.term(), Term::Weekday(_) | Term::Month(_) | Term::Day(_));
        is_date && meaning.tongue().languages.contains(language)
    })
}

/// Readers of stretches that may hold anything: what stands within is read on its own.
const HOLDERS: [&str; 3] = ["quoted", "url", NAMES];

/// Finds values as [`extract`] does, those within quotation marks and addresses of pages too.
pub(crate) fn typed(text: &Text, context: &Context<'_>) -> Vec<Value> {
    let inner = extractors().iter().filter(|extractor| !HOLDERS.contains(&extractor.name));
    find(text, context, inner, false)
}

/// Touches the tables of all languages, so that the first text does not have to wait for them. They
/// lie ready in the program, and nothing is built.
pub fn prepare() {
    Lexicon::knows("", None);
}

/// Finds the values of one kind that somebody asked for.
///
/// Booleans, numbers, ordinals, percentages, quotations, intervals and the kinds that are
/// [`Kind::is_opt_in`] are then looked for alone, so that every number counts, those of a date and
/// of an amount of money too, and every place, "next" among them; what may be of several kinds is
/// of this one. Intervals are found in no other way, as they would take in what other rules read:
/// the days of "from 2020 to 2024", and the number of "more than 50000 nets", which is all that an
/// argument wants. Likewise stretches of amounts, such as "between 3 and 5 kg", are only found among
/// quantities and money that somebody asked for. Free text is the objects of the request.
pub fn of_kind(text: &Text, context: &Context<'_>, kind: Kind) -> Vec<Value> {
    if kind == Kind::Text {
        return objects(text, context.language).into_iter().map(Object::into_value).collect();
    }
    let alone = match kind {
        Kind::Number => Extractor::new("number", values::number::number),
        Kind::Ordinal => Extractor::new("ordinal", values::ordinal::any),
        Kind::Percentage => Extractor::new("percentage", values::percentage::percentage),
        Kind::Boolean => Extractor::new("boolean", values::small::boolean_anywhere),
        Kind::Quoted => Extractor::new("quoted", values::small::quoted),
        Kind::Interval => Extractor::new("interval", ranges::interval::interval),
        kind if kind.is_opt_in() => {
            let own = extractors().iter().filter(|extractor| extractor.only == Some(kind));
            let context = Context { wanted: Kinds::NONE.with(kind), ..*context };
            return find(text, &context, own, true);
        }
        _ => {
            let stretches = [Extractor::new("interval.amount", ranges::amounts::amounts)];
            let amounts = matches!(kind, Kind::Quantity | Kind::Money);
            let more = stretches.iter().filter(|_| amounts);
            let mut values = find(text, context, extractors().iter().chain(more), amounts);
            values.retain(|value| value.kind == kind);
            return values;
        }
    };
    find(text, context, [&alone], true)
}

/// Tries the extractors where a value may begin, or `everywhere`.
fn find<'e>(
    text: &Text,
    context: &Context<'_>,
    extractors: impl IntoIterator<Item = &'e Extractor>,
    everywhere: bool,
) -> Vec<Value> {
    let extractors: Vec<&Extractor> = extractors.into_iter().collect();
    let sentence = Sentence::new(text, context.language);
    let Some(stated) = temporal::stated(&sentence, context) else {
        return values_of(&sentence, context, &extractors, everywhere);
    };
    // A new sentence, because the old one keeps times that were counted from the clock.
    let sentence = Sentence::new(text, context.language);
    let context = Context { now: &stated.now, ..*context };
    let found = candidates(&sentence, &context, &extractors, everywhere);
    let (stating, asked): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|one| one.start < stated.end && one.end > stated.start);
    let tells_day = |one: &Candidate| {
        matches!(one.found.kind, Kind::Date | Kind::Datetime | Kind::Range | Kind::Recurring)
    };
    // The day that was stated is asked for, if no other is.
    let is_all = !asked.iter().any(tells_day);
    let stating = stating.into_iter().filter(|one| is_all && !one.found.rule.is_relative());
    resolve(&sentence, asked.into_iter().chain(stating).collect())
}

fn values_of(
    sentence: &Sentence<'_>,
    context: &Context<'_>,
    extractors: &[&Extractor],
    everywhere: bool,
) -> Vec<Value> {
    resolve(sentence, candidates(sentence, context, extractors, everywhere))
}

/// What the extractors find, token by token, before the best of what overlaps is chosen.
fn candidates(
    sentence: &Sentence<'_>,
    context: &Context<'_>,
    extractors: &[&Extractor],
    everywhere: bool,
) -> Vec<Candidate> {
    let begins: Vec<bool> = (0..sentence.tokens.len()).map(|at| sentence.may_begin(at)).collect();
    let is_wanted = |extractor: &Extractor| match extractor.only {
        Some(kind) => context.wanted.has(kind),
        None => true,
    };
    // Of each: whether it reads any words, and the token that it reads on from.
    let wanted = extractors.iter().filter(|extractor| is_wanted(extractor));
    let mut tried: Vec<(&Extractor, bool, usize)> = wanted
        .map(|extractor| (*extractor, everywhere || extractor.reads_any_words(), 0))
        .collect();
    let mut candidates = Vec::new();
    // Token by token, as the extractors share what they read at one.
    for (at, begins) in begins.into_iter().enumerate() {
        if !sentence.meter.may_go_on() {
            break;
        }
        for (extractor, anywhere, next) in &mut tried {
            if *next > at || !(*anywhere || begins) {
                continue;
            }
            let mut cursor = Cursor::new(sentence, context, at);
            if let Some(found) = (extractor.find)(&mut cursor) {
                candidates.push(Candidate { start: at, end: cursor.at, found });
                *next = cursor.at;
            }
        }
    }
    candidates
}

/// The tokens of a statement of what day it is, as places in the normalized text; `None` without one.
fn stated_bytes(sentence: &Sentence<'_>, language: Language) -> Option<std::ops::Range<usize>> {
    let now = jiff::Timestamp::UNIX_EPOCH.to_zoned(jiff::tz::TimeZone::UTC);
    let context = Context {
        now: &now,
        language,
        gazetteers: &[],
        conventions: Conventions::STANDARD,
        wanted: Kinds::NONE,
    };
    let stated = temporal::stated(sentence, &context)?;
    let last = sentence.token(stated.end.checked_sub(1)?)?;
    Some(sentence.token(stated.start)?.start..last.end)
}

/// Returns whether the character at a byte belongs to a Chinese number or time of which more is there: the 十 of 十五
/// and of 十天, the 現 of 現在.
pub(crate) fn counts_or_tells_time(text: &Text, byte: usize) -> bool {
    let sentence = Sentence::new(text, Language::ZhHant);
    sentence.counts_or_tells_time(unread::token_at(&sentence, byte))
}

/// The extractor that looks up names.
const NAMES: &str = "entity";

/// Extractors that read any words; all others only those that the tables know.
const ANYWHERE: [&str; 3] = [NAMES, "email", "url"];

/// The units of measure that have a name in the tables.
pub(crate) fn measures() -> &'static [&'static grammar::units::Measure] {
    &lang::measures::ALL
}

/// The code of the unit of measure or of time that a phrase names as a whole.
pub(crate) fn named_unit(name: &str) -> Option<&'static str> {
    let text = Text::new(name);
    Language::ALL.into_iter().find_map(|language| {
        let sentence = Sentence::new(&text, language);
        let whole = sentence.senses(0).iter().filter(|sense| sense.end == sentence.tokens.len());
        whole.filter_map(|sense| sense.term.unit()).next()
    })
}

/// One way to find values: tried at every token, it reads on from there.
#[derive(Debug)]
pub struct Extractor {
    /// The name of the kind of value that it looks for.
    pub name: &'static str,
    find: fn(&mut Cursor<'_>) -> Option<Found>,
    /// The kind that it is tried for alone; `None` for an extractor that always is.
    only: Option<Kind>,
}

impl Extractor {
    /// One that is always tried.
    const fn new(name: &'static str, find: fn(&mut Cursor<'_>) -> Option<Found>) -> Self {
        Self { name, find, only: None }
    }

    /// One that is tried only where somebody has an argument of its kind.
    const fn wanted(kind: Kind, find: fn(&mut Cursor<'_>) -> Option<Found>) -> Self {
        Self { name: kind.name(), find, only: Some(kind) }
    }

    fn reads_any_words(&self) -> bool {
        self.only.is_some() || ANYWHERE.contains(&self.name)
    }
}

/// All extractors. The order only settles ties; see `resolve` for what wins.
pub fn extractors() -> &'static [Extractor] {
    const ALL: &[Extractor] = &[
        Extractor::new("bbox", places::bbox::bbox),
        Extractor::new("point", places::point::point),
        Extractor::new("recurring", temporal::recurring),
        Extractor::new("range.between", temporal::between),
        Extractor::new("range.side", temporal::side),
        Extractor::new("range.all_day", temporal::all_day),
        Extractor::new("time", temporal::time),
        Extractor::new("duration", temporal::duration),
        Extractor::new(NAMES, places::gazetteer::entity),
        Extractor::new("email", values::email::email),
        Extractor::new("url", values::url::url),
        Extractor::new("phone", values::phone::phone),
        Extractor::new("quantity", values::quantity::quantity),
        Extractor::new("money", values::money::money),
        Extractor::new("percentage", values::percentage::percentage),
        Extractor::new("ordinal", values::ordinal::ordinal),
        Extractor::new("ordinal.numbered", values::ordinal::numbered),
        Extractor::new("quoted", values::small::quoted),
        Extractor::new("number", values::number::number),
        Extractor::new("boolean", values::small::boolean),
        Extractor::wanted(Kind::Path, names::path::path),
        Extractor::wanted(Kind::Glob, names::glob::glob),
        Extractor::wanted(Kind::Glob, names::glob::of_type),
        Extractor::wanted(Kind::Revision, names::revision::revision),
        Extractor::wanted(Kind::Repository, names::repository::repository),
        Extractor::wanted(Kind::Identifier, names::identifier::identifier),
        Extractor::wanted(Kind::Ip, names::ip::ip),
        Extractor::wanted(Kind::Zone, names::zone::zone),
    ];
    ALL
}

/// A value that a rule found, without its place.
#[derive(Debug)]
struct Found {
    kind: Kind,
    reading: Reading,
    alternatives: Vec<Reading>,
    rule: Rule,
}

impl Found {
    fn new(kind: Kind, reading: Reading, rule: impl Into<Rule>) -> Self {
        Self { kind, reading, alternatives: Vec::new(), rule: rule.into() }
    }

    /// Adds other readings, the likelier first.
    fn or(mut self, others: impl IntoIterator<Item = Reading>) -> Self {
        self.alternatives.extend(others);
        self
    }
}

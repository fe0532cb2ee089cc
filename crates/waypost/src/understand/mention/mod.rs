//! Finds the values of a pack that the words name, and how each is meant: said, denied, or taken
//! back.
//!
//! "Not primary, secondary" names two values and says one. This module does not decide which
//! argument a value fills.

mod band;
mod tense;

use jiff::Zoned;
use waypost_text::extract::{self, Kind, Mark, Operator, Value};
use waypost_text::language::Language;
use waypost_text::text::{Span, Spans, Text};

use self::tense::Tense;
use crate::pack::Pack;

/// A span of the text that names values.
#[derive(Debug, Clone, PartialEq)]
pub struct Mention {
    /// Its place in the text.
    pub span: Span,
    /// The words.
    pub text: String,
    /// The values that it may name: for each, a vocabulary of the pack and a key of it.
    pub entries: Vec<(String, String)>,
    /// True if it is only nearly a name.
    pub typo: bool,
    /// True if its key is a code and no word: the ticker of a company.
    pub is_code: bool,
}

/// The way in which a thing that was named is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stance {
    /// It is.
    Said,
    /// It is not: "not primary", "anything but primary".
    Denied,
    /// It was, and was corrected: "primary, sorry, secondary".
    Withdrawn,
}

/// The content of a text beside its values.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Discourse {
    /// The words that say how others are meant, in the order of the text.
    pub marks: Vec<Mark>,
    /// The names of the pack's values, in the order of the text.
    pub mentions: Vec<Mention>,
    /// The names of values that are chosen by words such as "only" alone, in the order of the text.
    pub parts: Vec<Mention>,
    /// What is to be written, sent or named, where a tool takes such text: it asks for nothing.
    pub contents: Vec<Span>,
    /// The places of the values that stand beside the names, in the order of the text.
    values: Vec<Span>,
    /// What the pack calls places, where it knows some by name.
    pub(super) place: Option<&'static str>,
    /// The times that values speak of, now or the past, where the tools of a pack are judged by that.
    pub(super) tenses: Vec<(Span, Tense)>,
}

/// The most names of a text that are looked at, and the most words that say how they are meant: far
/// more than a person says at once. Each name is compared with the others.
const MOST_MENTIONS: usize = 48;
const MOST_MARKS: usize = 96;
/// The most values that may stand between a word of denial and another.
const MOST_VALUES: usize = 64;

/// The most words that may stand between "not" and what it denies: "not the primary ones".
const REACH: usize = 3;

/// No so many words have more characters: what stands farther apart is not counted word by word.
const LONGEST_REACH: usize = 120;

/// The usual name of a gazetteer of places.
const PLACE: &str = "place";

impl Discourse {
    /// The same with the times that the values speak of.
    pub(super) fn with_tenses(self, values: &[Value], now: &Zoned) -> Self {
        let tenses = values.iter().filter_map(|value| Some((value.span, Tense::of(value, now)?)));
        Self { tenses: tenses.collect(), ..self }
    }

    /// The word for the time that a value speaks of; empty where nothing is said of it.
    pub(super) fn tense(&self, span: Span) -> &'static str {
        let own = self.tenses.iter().find(|(of, _)| *of == span);
        own.map_or("", |(_, tense)| tense.name())
    }

    /// The same where nothing counts but what is to be written or sent.
    pub(super) fn contents_alone(&self) -> Self {
        Self { contents: self.contents.clone(), ..Self::default() }
    }

    /// Reads a text of which `values` are known. A value within a name belongs to the name ("under
    /// 5") and leaves `values`; a name within a longer value is none ("May" of a date).
    pub(crate) fn read(
        pack: &Pack,
        text: &Text,
        language: Language,
        asked: Option<&str>,
        values: &mut Vec<Value>,
    ) -> Self {
        let mut marks = extract::operators(text, language);
        marks.truncate(MOST_MARKS);
        let found = extract::mentions(text, language, &pack.vocabularies);
        let mut mentions: Vec<Mention> = found
            .into_iter()
            .map(|found| Mention {
                span: found.span,
                text: found.text,
                entries: found.entries,
                typo: found.typo || text.has_slip(found.span),
                is_code: false,
            })
            .collect();
        let order = |name: &str| pack.spec.gazetteers.iter().position(|own| own.name == name);
        for mention in &mut mentions {
            mention.entries.sort_by_key(|(name, _)| order(name));
            mention.is_code = mention.entries.first().is_some_and(|(name, _)| pack.has_codes(name));
        }
        add_symbols(pack, text, language, &mut mentions);
        let parts = mentions.extract_if(.., |mention| {
            mention.entries.iter().all(|(name, _)| pack.in_passing.contains(name))
        });
        let mut parts: Vec<Mention> = parts.collect();
        parts.truncate(MOST_MENTIONS);
        let holders = values.iter().filter(|value| holds(value)).map(|value| value.span);
        let holders = Spans::of(holders);
        mentions.retain(|mention| !holders.exceed(mention.span));
        mentions.truncate(MOST_MENTIONS);
        let counts =
            text.normalized().contains(char::is_numeric) || values.iter().any(is_countable);
        if !pack.bands.is_empty() && counts {
            add_bands(pack, text, language, asked, &mut mentions);
        }
        values.retain(|value| !mentions.iter().any(|mention| takes(mention, value)));
        let contents =
            if pack.wanted.has(Kind::Text) { contents(text, language, values) } else { Vec::new() };
        let place = pack.spec.gazetteers.iter().any(|own| own.name == PLACE).then_some(PLACE);
        // Yes and no name nothing.
        let named = values.iter().filter(|value| value.kind != Kind::Boolean);
        let named = named.map(|value| value.span).take(MOST_VALUES).collect();
        let mut discourse =
            Self { marks, mentions, parts, contents, values: named, place, tenses: Vec::new() };
        discourse.mentions.truncate(MOST_MENTIONS);
        discourse.drop_counts(text);
        discourse
    }

    /// "Both u5 and o5": a word that counts the list behind it says nothing of its own.
    fn drop_counts(&mut self, text: &Text) {
        let mut at = 0;
        while at + 2 < self.mentions.len() {
            let [count, first, second] = &self.mentions[at..at + 3] else { return };
            let counts = self.is_count(count)
                && is_bare(text, between(count.span, first.span))
                && !count.shares(first)
                && first.shares(second);
            if counts {
                self.mentions.remove(at);
            } else {
                at += 1;
            }
        }
    }

    fn is_count(&self, mention: &Mention) -> bool {
        let counts = |mark: &&Mark| mark.operator == Operator::Quantifier;
        // "Both methods" has a word of its own for what it counts.
        self.marks.iter().filter(counts).any(|mark| mark.span.contains(mention.span))
    }

    /// Returns how the words at `span` are meant.
    pub fn stance(&self, text: &Text, span: Span) -> Stance {
        if self.is_withdrawn(span) {
            return Stance::Withdrawn;
        }
        if self.is_denied(text, span) { Stance::Denied } else { Stance::Said }
    }

    /// Returns whether a correction behind this span names or counts something in its place.
    fn is_withdrawn(&self, span: Span) -> bool {
        let mut corrections =
            self.marks.iter().filter(|mark| mark.operator == Operator::Correction);
        let last = corrections.next_back();
        last.is_some_and(|mark| {
            let own = self.mentions.iter().find(|mention| mention.span == span);
            let restated = self.mentions.iter().any(|other| {
                other.span.start >= mark.span.end && own.is_none_or(|own| own.shares(other))
            });
            restated && span.end <= mark.span.start
        })
    }

    fn is_denied(&self, text: &Text, span: Span) -> bool {
        self.is_dropped(text, span) || self.is_denied_before(text, span)
    }

    /// Returns whether words right behind a span leave it out: "elevation left out", 溫度就不用了.
    pub fn is_dropped(&self, text: &Text, span: Span) -> bool {
        let drops = self.marks.iter().filter(|mark| mark.operator == Operator::Dropped);
        let mut behind = drops.filter(|mark| mark.span.start >= span.end);
        behind.next().is_some_and(|mark| {
            let gap = between(span, mark.span);
            is_bare(text, gap) && !self.names_within(gap)
        })
    }

    fn is_denied_before(&self, text: &Text, span: Span) -> bool {
        let before = self.marks.iter().rev().filter(|mark| mark.span.end <= span.start);
        let mut reached = span;
        for mark in before {
            let gap = between(mark.span, reached);
            match mark.operator {
                Operator::Not | Operator::Except => {
                    return gap.len() <= LONGEST_REACH
                        && words(text, gap) <= REACH
                        && (mark.operator == Operator::Except || !has_break(text, gap))
                        && !self.names_within(gap);
                }
                // "Not primary or secondary" denies both; a comma ends what is denied.
                Operator::Or | Operator::And => {
                    let Some(other) = self.named_before(mark.span) else { return false };
                    let joins = is_bare(text, between(other, mark.span))
                        && (is_word(text, mark.span) || self.excepts(other));
                    if !joins {
                        return false;
                    }
                    reached = other;
                }
                // "No tides, only the temperature" leaves that, and "not only" denies nothing.
                Operator::Only => return false,
                _ => {}
            }
        }
        false
    }

    /// Returns whether "except" stands somewhere before; commas may divide its list.
    fn excepts(&self, span: Span) -> bool {
        let mut before = self.marks.iter().filter(|mark| mark.span.end <= span.start);
        before.any(|mark| mark.operator == Operator::Except)
    }

    /// The places of all that the text names: the pack's values, and others.
    fn named(&self) -> impl Iterator<Item = Span> {
        let mentions = self.mentions.iter().chain(&self.parts);
        mentions.map(|mention| mention.span).chain(self.values.iter().copied())
    }

    fn names_within(&self, gap: Span) -> bool {
        self.named().any(|other| gap.contains(other))
    }

    fn named_before(&self, span: Span) -> Option<Span> {
        self.named().filter(|other| other.end <= span.start).max()
    }

    /// Returns whether `Or` stands between two spans.
    pub fn has_or(&self, first: Span, second: Span) -> bool {
        self.has(Operator::Or, between(first, second))
    }

    /// Returns whether an operator stands within a span.
    pub fn has(&self, operator: Operator, within: Span) -> bool {
        self.marks.iter().any(|mark| mark.operator == operator && within.contains(mark.span))
    }

    /// Returns whether an operator stands anywhere.
    pub fn says(&self, operator: Operator) -> bool {
        self.marks.iter().any(|mark| mark.operator == operator)
    }
}

impl Mention {
    /// The values of this vocabulary that it may name.
    pub fn key<'a>(&'a self, vocabulary: &'a str) -> impl Iterator<Item = &'a str> {
        let own = self.entries.iter().filter(move |(name, _)| name == vocabulary);
        own.map(|(_, key)| key.as_str())
    }

    /// Returns whether both may name values of one vocabulary.
    fn shares(&self, other: &Mention) -> bool {
        self.entries.iter().any(|(name, _)| other.entries.iter().any(|(own, _)| own == name))
    }
}

/// A quotation of so many words is what is to be written, whatever stands before it.
const LEAST_WORDS: usize = 3;

/// The words that are to be written or sent: the words behind "with the message", within quotation marks or not.
fn contents(text: &Text, language: Language, values: &[Value]) -> Vec<Span> {
    // "Tell me how it is" has an object too, which asks.
    let is_content = |object: &extract::Object| object.class == extract::ObjectClass::Message;
    let objects = extract::objects(text, language).into_iter();
    let quoted = values.iter().filter(|value| value.kind == Kind::Quoted);
    // A word or two in quotation marks are often part of the question.
    let long = quoted.filter(|value| words(text, value.span) >= LEAST_WORDS);
    let mut contents: Vec<Span> = objects.filter(is_content).map(|object| object.span).collect();
    contents.extend(long.map(|value| value.span));
    contents.sort();
    contents
}

fn is_countable(value: &Value) -> bool {
    !matches!(value.kind, Kind::Point | Kind::Bbox | Kind::Entity | Kind::Quoted | Kind::Boolean)
}

/// Keys that stand in the text as they are written, where no name does.
fn add_symbols(pack: &Pack, text: &Text, language: Language, mentions: &mut Vec<Mention>) {
    for (span, gazetteers) in pack.symbols.find(text, language) {
        if mentions.iter().any(|mention| mention.span.overlaps(span) && !mention.typo) {
            continue;
        }
        mentions.retain(|mention| !mention.span.overlaps(span));
        let words = text.slice(span).to_owned();
        let entries = gazetteers.iter().map(|name| (name.clone(), words.clone())).collect();
        mentions.push(Mention { span, text: words, entries, typo: false, is_code: true });
    }
    mentions.sort_by_key(|mention| mention.span);
}

/// Bands of numbers that are values: "five and older". Without a unit a band is one only where such a
/// value was asked for.
fn add_bands(
    pack: &Pack,
    text: &Text,
    language: Language,
    asked: Option<&str>,
    mentions: &mut Vec<Mention>,
) {
    for found in extract::bounds(text, language) {
        let fitting = pack.bands.iter().filter(|(vocabulary, _, band)| {
            let meant = found.unit.is_some() || asked == Some(vocabulary.as_str());
            meant && band::fits(&found, band)
        });
        let entries: Vec<_> = fitting.map(|(name, key, _)| (name.clone(), key.clone())).collect();
        if entries.is_empty() {
            continue;
        }
        let longer = |other: &Mention| {
            other.span.overlaps(found.span) && other.span.len() > found.span.len()
        };
        if mentions.iter().any(longer) {
            continue;
        }
        if mentions.len() >= 2 * MOST_MENTIONS {
            break;
        }
        mentions.retain(|other| !other.span.overlaps(found.span));
        let words = text.slice(found.span).to_owned();
        mentions.push(Mention {
            span: found.span,
            text: words,
            entries,
            typo: false,
            is_code: false,
        });
    }
    mentions.sort_by_key(|mention| mention.span);
}

/// Returns whether a name within a value is only a part of it.
fn holds(value: &Value) -> bool {
    !matches!(value.kind, Kind::Quoted | Kind::Boolean | Kind::Recurring)
}

/// Returns whether a value belongs to a name, or the name reaches into it. A time that is all of a name stays: "yesterday" is
/// a stretch for one tool and a day for another.
fn takes(mention: &Mention, value: &Value) -> bool {
    let is_time = matches!(value.kind, Kind::Date | Kind::Datetime | Kind::Range | Kind::Duration);
    let both = is_time && value.span == mention.span;
    value.span.overlaps(mention.span) && value.kind != Kind::Quoted && !both
}

/// The span between two others; empty where they touch or overlap.
fn between(first: Span, second: Span) -> Span {
    Span { start: first.end.min(second.start), end: second.start }
}

fn is_word(text: &Text, span: Span) -> bool {
    text.slice(span).chars().any(char::is_alphanumeric)
}

/// Returns whether at most one word and no punctuation stand here.
fn is_bare(text: &Text, span: Span) -> bool {
    span.len() <= LONGEST_REACH && words(text, span) <= 1 && !has_break(text, span)
}

fn has_break(text: &Text, span: Span) -> bool {
    text.slice(span).contains([',', ';', '.', '，', '。', '；', '、', ':', '!', '?'])
}

/// Counts the words of a span; two Han characters are about one.
fn words(text: &Text, span: Span) -> usize {
    let slice = text.slice(span);
    let han = slice.chars().filter(|c| waypost_core::text_match::is_han(*c)).count();
    let others = slice.split_whitespace().filter(|word| {
        word.chars().any(|c| c.is_alphanumeric() && !waypost_core::text_match::is_han(c))
    });
    han.div_ceil(2) + others.count()
}

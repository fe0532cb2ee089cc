//! The utterance: the user's own words, the values and names in them, and how each is meant.

use std::ops::Range;

use jiff::Zoned;
use waypost_learning::Input;
use waypost_text::effort::Budget;
use waypost_text::extract::{self, Kind, Objection, Reading, Unread, Value};
use waypost_text::language::Language;
use waypost_text::text::{Span, Text};

use super::commands::Commands;
use super::mask::{each_piece, mask_bytes};
use super::mention::{Discourse, Stance};
use super::told::Told;
use super::{left_out, read};
use crate::pack::Pack;

/// The most parts of a wish that are read: each is masked with all values of the text.
const MOST_WISHES: usize = 16;

/// The words of a user with all that was read in them.
#[derive(Debug, Clone)]
pub struct Utterance {
    /// The user's own words.
    pub text: Text,
    /// The commands at the start of the text, where the pack reads some.
    pub commands: Commands,
    /// True if injected instructions were removed from the text.
    pub had_orders: bool,
    /// The language that they are written in.
    pub language: Language,
    /// True if the pack does not have their language: its examples say nothing about such words.
    pub is_foreign: bool,
    /// The values that the extractors found.
    pub values: Vec<Value>,
    /// The stretches that look like values and that no extractor could read.
    pub unread: Vec<Unread>,
    /// The pack's values that the words name, and how each is meant.
    pub discourse: Discourse,
    /// The objection to how the turn before was understood, in any language of the pack.
    pub objection: Option<Objection>,
    /// The part that asks, where the rest only tells what led to it.
    pub core: Option<Span>,
    /// The parts that leave something out of what the rest asks for, in the order of the text.
    pub left_out: Vec<Span>,
    /// The bytes of the normalized text that ask.
    pub(super) asking: Vec<Range<usize>>,
    /// The parts that ask, with every value replaced by its kind.
    masked: String,
    /// The languages in which it may point back: its users mix those of a pack ("rephrase lo anterior").
    pub(super) languages: Vec<Language>,
    /// What else was found in it so far.
    pub(super) told: Told,
}

impl Utterance {
    /// Reads a text that stands alone, as an example of a pack does.
    pub(crate) fn alone(pack: &Pack, words: &str, language: Language, now: &Zoned) -> Self {
        let text = pack.text(words, language, Budget::of(words.len()));
        let (values, discourse) = read(pack, &text, language, None, now);
        Self::of(pack, text, language, false, values, discourse)
    }

    /// A text in which nothing was looked for.
    pub fn unparsed(text: Text, language: Language) -> Self {
        let whole = 0..text.normalized().len();
        Self {
            masked: text.normalized().to_owned(),
            asking: vec![whole],
            text,
            commands: Commands::default(),
            had_orders: false,
            language,
            is_foreign: false,
            values: Vec::new(),
            unread: Vec::new(),
            discourse: Discourse::default(),
            objection: None,
            core: None,
            left_out: Vec::new(),
            languages: vec![language],
            told: Told::default(),
        }
    }

    /// Reads what a text does with the values and names in it.
    pub(super) fn of(
        pack: &Pack,
        text: Text,
        language: Language,
        is_foreign: bool,
        values: Vec<Value>,
        discourse: Discourse,
    ) -> Self {
        let objection = objection(pack, &text, language);
        let core = core(&text, language, &values, &discourse);
        let left_out = left_out::find(&text, language, &values, &discourse);
        // Nobody asks for what no argument wants.
        let unread = match pack.tools.is_empty() {
            true => Vec::new(),
            false => unread(pack, &text, &values, language),
        };
        let languages = pack.languages.iter().copied().chain([language]).collect();
        let mut said = Self {
            is_foreign,
            values,
            unread,
            discourse,
            objection,
            core,
            left_out,
            languages,
            ..Self::unparsed(text, language)
        };
        said.asking = said.asking_in(pack);
        let masked: Vec<String> =
            said.asking.iter().map(|part| said.masked_bytes(part.clone())).collect();
        said.masked = masked.join(" ");
        said
    }

    /// The bytes of the normalized text that ask: all, or the wish of an objection. A wish that is
    /// nothing but a value, or points back, asks for nothing without the words around it.
    fn asking_in(&self, pack: &Pack) -> Vec<Range<usize>> {
        let wish = self.objection.iter().flat_map(|objection| &objection.wish);
        let parts: Vec<Range<usize>> = wish.map(|span| self.text.bytes(*span)).collect();
        let says = parts.iter().any(|part| self.has_words(part.clone()));
        if says && !self.wish_points_back(pack) {
            return parts.into_iter().flat_map(|part| self.without_left_out(part)).collect();
        }
        let whole = 0..self.text.normalized().len();
        let part = self.core.filter(|_| self.objection.is_none()).map(|core| self.text.bytes(core));
        self.without_left_out(part.unwrap_or(whole))
    }

    /// Returns whether reading the text was given up, so that its values are not all that it says.
    pub fn is_unread(&self) -> bool {
        self.text.is_unread()
    }

    /// The normalized text with every value replaced by its kind.
    ///
    /// The student sees this, so that an example with one place and day serves for all. Of an
    /// objection it sees only the wish: it would take the words that the user denies for the
    /// question.
    pub fn masked(&self) -> &str {
        &self.masked
    }

    /// The text that the student scores.
    pub(crate) fn input(&self) -> Input<'_> {
        Input { text: &self.masked, language: Some(self.language.tag()), vector: None }
    }

    /// The masked text of a part.
    pub(crate) fn masked_part(&self, part: Span) -> String {
        let parts = self.without_left_out(self.text.bytes(part)).into_iter();
        parts.map(|part| self.masked_bytes(part)).collect::<Vec<_>>().join(" ")
    }

    fn masked_bytes(&self, part: Range<usize>) -> String {
        mask_bytes(&self.text, &self.values, &self.discourse, part)
    }

    /// The words of a part of the text, or of all that asks, without its values: what is compared with what is written about
    /// tools. Names stay, since a tool may list them.
    pub(crate) fn wording(&self, part: Option<Span>) -> String {
        let parts = match part {
            Some(part) => self.without_left_out(self.text.bytes(part)),
            None => self.asking.clone(),
        };
        let nothing = self.discourse.contents_alone();
        let masked: Vec<String> = parts
            .into_iter()
            .map(|part| mask_bytes(&self.text, &self.values, &nothing, part))
            .collect();
        masked.join(" ")
    }

    /// Returns whether a part of the text holds a value or a name.
    pub(crate) fn names_within(&self, part: Span) -> bool {
        let names = self.discourse.mentions.iter().chain(&self.discourse.parts);
        let mut named =
            self.values.iter().map(|value| value.span).chain(names.map(|name| name.span));
        named.any(|span| part.contains(span))
    }

    /// Returns whether the wish of an objection is nothing but values and names.
    pub(crate) fn wishes_a_value(&self) -> bool {
        let wish = self.objection.iter().flat_map(|objection| &objection.wish);
        let mut parts = wish.map(|span| self.text.bytes(*span)).peekable();
        parts.peek().is_some() && parts.all(|part| !self.has_words(part))
    }

    /// Returns whether a word stands in a part of the text outside of values and names.
    pub(crate) fn has_words(&self, part: Range<usize>) -> bool {
        let mut found = false;
        each_piece(&self.text, &self.values, &self.discourse, part, |piece| {
            let bytes = piece.bytes.clone();
            let says = self.text.normalized()[bytes].contains(char::is_alphabetic);
            found |= piece.mask.is_none() && says;
        });
        found
    }

    /// Returns how the words at `span` are meant.
    pub fn stance(&self, span: Span) -> Stance {
        self.discourse.stance(&self.text, span)
    }

    /// Returns whether the wish of an objection points back itself: "I didn't ask why, is there one
    /// now?"
    pub(crate) fn wish_points_back(&self, pack: &Pack) -> bool {
        let mut wish = self.objection.iter().flat_map(|objection| &objection.wish);
        wish.any(|part| self.part_points_back(pack, *part))
    }

    /// Returns whether a word of a part, outside of its values, points back to what was said before that.
    pub(crate) fn part_points_back(&self, pack: &Pack, part: Span) -> bool {
        let text = Text::with_budget(self.text.slice(part), Budget::of(part.len()));
        let text = if self.is_foreign { text } else { pack.corrected(text, self.language) };
        let within = self.values.iter().filter(|value| part.contains(value.span));
        let moved =
            |span: Span| Span { start: span.start - part.start, end: span.end - part.start };
        let values: Vec<Value> =
            within.map(|value| Value { span: moved(value.span), ..value.clone() }).collect();
        self.languages.iter().any(|language| extract::points_back(&text, &values, *language))
    }

    /// A name as a value, for code that looks at the words around values.
    pub(crate) fn as_value(&self, span: Span) -> Value {
        let text = self.text.slice(span).to_owned();
        let reading = Reading::Text(text.clone());
        let rule = "words".into();
        Value { kind: Kind::Quoted, span, text, rule, reading, alternatives: Vec::new() }
    }
}

/// What looks like a value and was not read as one.
fn unread(pack: &Pack, text: &Text, values: &[Value], language: Language) -> Vec<Unread> {
    let mut unread = extract::unread(text, values, language);
    let mut dates = pack.unread_dates(text, language);
    dates.retain(|date| !values.iter().any(|value| value.span.overlaps(date.span)));
    unread.extend(dates);
    unread
}

/// Finds the objection in a text to how the turn before was understood. A user who mixes languages
/// may object in another one of the pack; English and Chinese words are read in any text.
fn objection(pack: &Pack, text: &Text, language: Language) -> Option<Objection> {
    let is_read = |other: Language| other == Language::En || other.is_chinese();
    let others = pack.languages.iter().copied();
    let others = others.filter(|other| *other != language && !is_read(*other));
    let mut languages = [language].into_iter().chain(others);
    let mut found = languages.find_map(|language| extract::objection(text, language))?;
    found.wish.truncate(MOST_WISHES);
    Some(found)
}

/// The part of a text that asks: the question of a story, or what stands beside something that was done. One that names
/// nothing and is short, or points to what was told, may only ask for help with that.
fn core(text: &Text, language: Language, values: &[Value], discourse: &Discourse) -> Option<Span> {
    /// The fewest letters by which a question says itself what it is about; Chinese ones count for three.
    const LEAST: usize = 48;
    /// The same beside what was done: there a step is named in a word or two.
    const LEAST_STEP: usize = 12;
    let question = extract::question(text).map(|core| (core, LEAST));
    let (core, least) =
        question.or_else(|| Some((extract::beside_done(text, language)?, LEAST_STEP)))?;
    let says = |value: &&Value| value.kind != Kind::Boolean && !value.rule.is_now();
    let values = values.iter().filter(says).map(|value| value.span);
    let mut named = values.chain(discourse.mentions.iter().map(|mention| mention.span));
    let words = Text::new(text.slice(core));
    let long =
        || words.original().chars().map(|c| c.len_utf8().clamp(1, 3)).sum::<usize>() >= least;
    let alone = || long() && !extract::points_back(&words, &[], language);
    (named.any(|span| core.contains(span)) || alone()).then_some(core)
}

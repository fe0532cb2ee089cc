//! The readings of the words that few turns need: how they begin, point, deny and join. What is asked for several
//! times is kept.

use std::sync::OnceLock;

use jiff::Zoned;
use waypost_text::effort::Budget;
use waypost_text::extract::{
    self, Bounds, ConditionBound, Gazetteer, Kind, Mention, Object, Operator, Pointer, Role,
    Unread, Value,
};
use waypost_text::language::Language;
use waypost_text::text::{Span, Text};

use super::Utterance;
use crate::pack::Pack;

/// The readings that were made so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Told {
    act: OnceLock<Option<Operator>>,
    negates: OnceLock<bool>,
    refers: OnceLock<bool>,
    points_back: OnceLock<bool>,
    is_bare: OnceLock<bool>,
    residue: OnceLock<String>,
    joints: OnceLock<Vec<Span>>,
    bounds: OnceLock<Vec<Bounds>>,
    objects: OnceLock<Vec<Object>>,
    unknown_places: OnceLock<Vec<Unread>>,
}

impl Utterance {
    /// What the whole text does in a conversation, by words that mean nothing else: "again", "back".
    pub(crate) fn act(&self) -> Option<Operator> {
        *self.told.act.get_or_init(|| extract::act(&self.text, self.language))
    }

    /// Returns whether a word says no.
    pub(crate) fn negates(&self) -> bool {
        *self.told.negates.get_or_init(|| extract::negates(&self.text, self.language))
    }

    /// Returns whether a word such as "there" or "it" stands for something that was said before.
    pub(crate) fn has_reference(&self) -> bool {
        *self.told.refers.get_or_init(|| extract::has_reference(&self.text, self.language))
    }

    /// The words that stand for something that was said before.
    pub(crate) fn references(&self) -> Vec<Span> {
        extract::references(&self.text, &self.values, self.language)
    }

    /// Returns whether the text needs what was said before, in any language of the pack.
    pub(crate) fn leans(&self) -> bool {
        let leans = |language: &Language| extract::leans(&self.text, &self.values, *language);
        self.points_back() && self.languages.iter().any(leans)
    }

    /// Returns whether a word points back to what was said before, in any language of the pack.
    pub(crate) fn points_back(&self) -> bool {
        let points =
            |language: &Language| extract::points_back(&self.text, &self.values, *language);
        *self.told.points_back.get_or_init(|| self.languages.iter().any(points))
    }

    /// Returns whether a word means all of what was said before.
    pub(crate) fn means_all(&self) -> bool {
        extract::means_all(&self.text, self.language)
    }

    /// The words that are no value and say something of their own.
    pub(crate) fn residue(&self) -> &str {
        let residue = || extract::residue(&self.text, &self.values, self.language);
        self.told.residue.get_or_init(residue)
    }

    /// Returns whether words of a part say something of their own.
    pub(crate) fn says_within(&self, part: Span) -> bool {
        let words = Text::new(self.text.slice(part));
        !extract::residue(&words, &[], self.language).is_empty()
    }

    /// Returns whether words of a part say something beside its values and these names.
    pub(crate) fn says_beside(&self, names: &[Span], part: Span) -> bool {
        let values = self.values.iter().map(|value| value.span);
        let mut known: Vec<Span> = values.chain(names.iter().copied()).collect();
        known.retain(|known| part.contains(*known));
        known.sort();
        let ends = known.iter().map(|known| known.start).chain([part.end]);
        let starts = std::iter::once(part.start).chain(known.iter().map(|known| known.end));
        starts.zip(ends).any(|(start, end)| start < end && self.says_within(Span { start, end }))
    }

    /// Returns whether the words are nothing but values and words that ask for the last answer with
    /// them: "and yesterday?".
    pub(crate) fn is_elliptical(&self) -> bool {
        !self.values.is_empty() && self.residue().is_empty()
    }

    /// The same where names count as values: "Keelung".
    pub(crate) fn is_bare(&self) -> bool {
        let names = self.discourse.mentions.iter().map(|mention| mention.span);
        *self.told.is_bare.get_or_init(|| self.is_elliptical_with(names))
    }

    /// The same where these spans count as values too.
    pub(crate) fn is_elliptical_with(&self, names: impl IntoIterator<Item = Span>) -> bool {
        let mut values = self.values.clone();
        values.extend(names.into_iter().map(|span| self.as_value(span)));
        values.sort_by_key(|value| value.span);
        extract::is_elliptical(&self.text, &values, self.language)
    }

    /// Returns whether nothing but words of choosing stands beside these spans.
    pub(crate) fn selects(&self, spans: &[Span]) -> bool {
        extract::selects(&self.text, spans, self.language)
    }

    /// The places of a list of so many items that the words point at; `names` are spans that name items.
    pub(crate) fn pointers(&self, names: &[Span], count: usize) -> Vec<Pointer> {
        extract::pointers(&self.text, &self.values, names, self.language, count)
    }

    /// The words and signs that join what stands before and behind them, in order.
    pub(crate) fn joints(&self) -> &[Span] {
        let joints = || extract::joints(&self.text, &self.values, self.language);
        self.told.joints.get_or_init(joints)
    }

    /// The stretches that numbers are bounded to: "between 3 and 5", "at most 10".
    pub(crate) fn bounds(&self) -> &[Bounds] {
        self.told.bounds.get_or_init(|| extract::bounds(&self.text, self.language))
    }

    /// The objects of the request: "cats" in "search for cats".
    pub(crate) fn objects(&self) -> &[Object] {
        self.told.objects.get_or_init(|| extract::objects(&self.text, self.language))
    }

    /// The words that say what is sought of a conversion: "what time".
    pub(crate) fn sought(&self) -> Vec<Span> {
        extract::sought(&self.text, self.language)
    }

    /// The words for where the user is.
    pub(crate) fn here(&self) -> Vec<Span> {
        extract::here(&self.text, self.language)
    }

    /// The role that the words beside a span give it.
    pub(crate) fn role(&self, span: Span) -> Option<Role> {
        extract::role(&self.text, span, self.language)
    }

    /// Returns whether a word only leads to a name, as "the" and "called" do.
    pub(crate) fn leads(&self, word: Span) -> bool {
        extract::names_nothing(&self.text, word, self.language)
    }

    /// Returns whether the language has a word.
    pub(crate) fn has_word(&self, word: &str) -> bool {
        extract::is_word(word, self.language)
    }

    /// The names right behind a word for where something lies that are no values: "near Gotham".
    pub(crate) fn unknown_places(&self) -> &[Unread] {
        let find = || extract::unknown_places(&self.text, &self.values, self.language);
        self.told.unknown_places.get_or_init(find)
    }

    /// The words that name values of some vocabularies.
    pub(crate) fn named(&self, vocabularies: &[Gazetteer]) -> Vec<Mention> {
        extract::mentions(&self.text, self.language, vocabularies)
    }

    /// The zones within the words of a time: the GMT of "7 pm GMT".
    pub(crate) fn zones_within(&self, time: &Value, now: &Zoned) -> Vec<Value> {
        let scope = extract::Context {
            now,
            language: self.language,
            gazetteers: &[],
            conventions: extract::Conventions::STANDARD,
            wanted: extract::Kinds::NONE,
        };
        let zones = extract::of_kind(&Text::new(&time.text), &scope, Kind::Zone).into_iter();
        let moved = |zone: Value| {
            let start = time.span.start + zone.span.start;
            Value { span: Span { start, end: time.span.start + zone.span.end }, ..zone }
        };
        zones.map(moved).collect()
    }
}

/// The words of any text that name values of some vocabularies.
pub(crate) fn named(words: &str, language: Language, vocabularies: &[Gazetteer]) -> Vec<Mention> {
    extract::mentions(&Text::new(words), language, vocabularies)
}

/// Returns whether any language has a word.
pub(crate) fn is_word(word: &str) -> bool {
    Language::ALL.iter().any(|language| extract::is_word(word, *language))
}

/// A condition that names one value of a vocabulary and bounds it.
#[derive(Debug)]
pub(crate) struct Bounded {
    /// The words that name it.
    pub(crate) words: String,
    /// The value.
    pub(crate) key: String,
    /// The unit of what is measured there.
    pub(crate) unit: Option<String>,
    /// The bound.
    pub(crate) bound: ConditionBound,
}

/// Reads a condition in the words of `language`: the one value of a gazetteer that it names, and its bound.
pub(crate) fn bounded(
    pack: &Pack,
    condition: &str,
    language: Language,
    gazetteer: &str,
) -> Option<Bounded> {
    let text = Text::with_budget(condition, Budget::of(condition.len()));
    let mut mentions = extract::mentions(&text, language, &pack.vocabularies);
    mentions.retain(|mention| mention.entries.iter().any(|(of, _)| of == gazetteer));
    let [mention] = mentions.as_slice() else { return None };
    let mut keys = mention.entries.iter().filter(|(of, _)| of == gazetteer);
    let (_, key) = keys.next()?;
    if mention.typo || keys.any(|(_, other)| other != key) {
        return None;
    }
    let unit = pack.entry(gazetteer, key)?.unit.clone();
    let bound = extract::condition_bound(&text, language, mention.span, unit.as_deref())?;
    let words = mention.text.clone();
    (!text.is_unread()).then(|| Bounded { words, key: key.clone(), unit, bound })
}

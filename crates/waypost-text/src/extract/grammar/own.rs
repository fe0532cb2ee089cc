//! The meanings that a word keeps in a text of one language, where other languages have the word too.

use crate::extract::lang::{Tongue, Vocabulary};
use crate::language::Language;

use super::lexicon::{Lexicon, Meaning};
use super::phrases::TokenId;
use super::sentence::Sense;
use super::term::Term;
use super::token::Tokens;

/// Takes out the "a" of another language where the text's own language has the word and goes on in its own words:
/// the "a" of "a semanas" is no article, but that of "a week" is one in a Spanish text as well.
pub(super) fn drop_strange_article(
    senses: &mut Vec<Sense>,
    begin: usize,
    habits: &Vocabulary,
    behind: &[TokenId],
    lexicon: Lexicon,
    is_own_word: impl FnOnce() -> bool,
) {
    let is_strange = |sense: &Sense| sense.term == Term::One && sense.tongue.name != habits.name;
    let Some(article) = senses[begin..].iter().find(|sense| is_strange(sense)).copied() else {
        return;
    };
    if habits.name.is_empty() || !is_own_word() {
        return;
    }
    let tongues = || {
        let phrases = lexicon.phrases(habits, behind);
        phrases.flat_map(|(_, meanings)| meanings).map(Meaning::tongue)
    };
    let goes_on = tongues().any(|tongue| tongue == article.tongue)
        && !tongues().any(|tongue| tongue.name == habits.name);
    if !goes_on {
        let mut at = 0;
        senses.retain(|sense| {
            at += 1;
            at <= begin || !is_strange(sense)
        });
    }
}

/// Puts the meanings of the language itself before those of words that are mixed in, and takes out what a word of
/// the language means elsewhere: the "no" of Portuguese refuses nothing. A sign of all languages stays, but
/// for a small word before another word: "um 3 am Montag" is no a.m.
pub(super) fn keep_own(
    senses: &mut Vec<Sense>,
    begin: usize,
    habits: &Vocabulary,
    index: usize,
    tokens: &Tokens<'_>,
    language: Language,
) {
    let is_own = |sense: &Sense| sense.tongue.name == habits.name;
    let word = tokens.folded(index);
    let is_small = Lexicon::is_small(word, language);
    let leads = is_small && Lexicon::knows_in(tokens.folded(index + 1), language);
    if is_small || Lexicon::knows_in(word, language) {
        let mut at = 0;
        senses.retain(|sense| {
            at += 1;
            let is_sign = sense.tongue == Tongue::COMMON && !leads;
            at <= begin || is_own(sense) || is_sign || sense.end > index + 1
        });
    }
    senses[begin..].sort_by_key(|sense| !is_own(sense));
}

/// Takes out the times that are only written in a longer word, which ends before `end`: the spring of "spring tide".
pub(super) fn drop_times(senses: &mut Vec<Sense>, begin: usize, end: usize) {
    let mut at = 0;
    senses.retain(|sense| {
        at += 1;
        at <= begin || sense.end > end || !names_time(sense.term)
    });
}

/// Returns whether a word of this meaning names a time by itself, or a unit of it.
fn names_time(term: Term) -> bool {
    matches!(
        term,
        Term::Day(_)
            | Term::DayPart(..)
            | Term::Now
            | Term::Part(_)
            | Term::ShortPart(_)
            | Term::DayParts(_)
            | Term::Weekday(_)
            | Term::ShortWeekday(_)
            | Term::Month(_)
            | Term::ShortMonth(_)
            | Term::Season(_)
            | Term::ShortSeason(_)
            | Term::Period(..)
            | Term::Unit(_)
    )
}

//! Tells an hour from a number that counts what stands behind it: um zwei Grad, à deux amis, 五點建議.

use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::lexicon::Lexicon;
use crate::extract::grammar::term::{Order, Term};
use crate::extract::grammar::token::Shape;
use crate::extract::lang::Tongue;
use crate::extract::values::number;

/// Returns whether a unit or the like follows, so that the number before it is no hour: Grad, euros, %.
pub(super) fn sees_counted(cursor: Cursor<'_>) -> bool {
    cursor.sees_any(|term| is_measure(term) || is_counted(term))
}

fn is_measure(term: Term) -> bool {
    matches!(term, Term::Measure(_) | Term::Sign(_))
}

fn is_counted(term: Term) -> bool {
    matches!(
        term,
        Term::Counter
            | Term::Unit(_)
            | Term::Degree
            | Term::Scale(_)
            | Term::Parts(_)
            | Term::Percent
            | Term::PerMille
            | Term::Currency(_)
            | Term::CurrencySign(_)
            | Term::Coin(_)
    )
}

/// Returns whether a number counts the noun behind it, although a word such as "um" or "a las" announces an hour. It
/// stands from `start` up to `end`.
pub(super) fn counts_noun(start: Cursor<'_>, end: Cursor<'_>) -> bool {
    let Some(tongue) = start.follows(|term| term == Term::AtHour) else { return false };
    let is_small = end.shape() == Some(Shape::Word)
        && Lexicon::is_small(end.sentence.tokens.folded(end.at), end.context.language);
    // The "nos" of "às oito nos vemos" is no knot. In German and Vietnamese small words differ from units by a capital
    // or by accents.
    let folds = !tongue.capital_nouns && !tongue.spells_accents;
    if is_small && folds && end.sees_any(is_measure) && !end.sees_any(is_counted) {
        return false;
    }
    if sees_counted(end) || end.sees_any(|term| matches!(term, Term::Ordinal(_))) {
        return true;
    }
    // The "zwei" of "um zwei Komma fünf Grad" is the beginning of a longer number.
    let mut ahead = start;
    if number::amount(&mut ahead).is_some() && ahead.at > end.at && sees_counted(ahead) {
        return true;
    }
    // Words that the tables know go on with the time or with the sentence, but for the mayores of "a las tres mayores".
    let is_told = end.sees_any(|term| !matches!(term, Term::Compare(_)));
    if end.shape() != Some(Shape::Word) || is_small || is_told {
        return false;
    }
    let is_article = start.sees(Term::One) && end.at == start.at + 1;
    is_article || is_noun(tongue, start, end)
}

/// Returns whether a word that no table knows is a noun, as far as the language shows it.
fn is_noun(tongue: Tongue, start: Cursor<'_>, end: Cursor<'_>) -> bool {
    let is_spelled = start.shape() == Some(Shape::Word);
    let is_capital = end.typed().starts_with(char::is_uppercase);
    if tongue.plurals.is_empty() {
        // The "hai" of "lúc hai người" counts something; "lúc" stands before digits where an hour is meant.
        return is_spelled && start.follows(|term| term == Term::At).is_some();
    }
    let is_plural = is_plural(tongue, end.sentence.tokens.folded(end.at));
    // "Um 8 Besprechung" tells an hour, "um 8 Punkte" none.
    if tongue.capital_nouns {
        is_capital && (is_spelled || is_plural)
    } else {
        !is_capital && is_plural
    }
}

/// Returns whether a word has an ending of the plural. "A las" and "às" announce hours, and no masculine noun follows
/// them: "a las ocho cenamos" has a verb.
fn is_plural(tongue: Tongue, word: &str) -> bool {
    /// The ending of masculine nouns, and of verbs in the first person.
    const MASCULINE: &str = "os";
    /// A word has so many letters before the ending.
    const STEM: usize = 2;
    let has = |ending: &str| word.len() >= ending.len() + STEM && word.ends_with(ending);
    !word.ends_with(MASCULINE) && tongue.plurals.iter().any(|(ending, _)| has(ending))
}

/// Returns whether 點 counts what is said rather than hours: 五點建議, 這三點, 有三點要說.
pub(super) fn counts_points(start: Cursor<'_>, end: Cursor<'_>) -> bool {
    if end.sees_any(|term| term == Term::CountedPoint) {
        return true;
    }
    // 有三點的船 and 有三點以前的船 tell an hour.
    let tells = |term| {
        matches!(
            term,
            Term::Of
                | Term::To
                | Term::About
                | Term::Ago
                | Term::Later
                | Term::Part(_)
                | Term::Order(Order::Before | Order::After)
                | Term::OrderBehind(_)
        )
    };
    start.follows(|term| term == Term::BeforePoints).is_some() && !end.sees_any(tells)
}

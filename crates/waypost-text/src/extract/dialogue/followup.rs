//! Elliptical follow-ups: turns that only name what changes (那昨天呢, "same but quarterly").

use crate::extract::grammar::lexicon::Lexicon;
use crate::extract::grammar::sentence::Sentence;
use crate::extract::grammar::term::{Operator, Term};
use crate::extract::grammar::token::Shape;
use crate::extract::kind::Kind;
use crate::extract::value::Value;
use crate::language::Language;
use crate::text::{Span, Spans, Text};

use super::operators::{Mark, operators};

/// Returns whether a turn is nothing but values and words that ask for the last answer with them.
pub fn is_elliptical(text: &Text, values: &[Value], language: Language) -> bool {
    !values.is_empty() && residue(text, values, language).is_empty()
}

/// Returns the rest of a text without its values, words of change and reference, particles and
/// punctuation; stretches are joined with a space.
pub fn residue(text: &Text, values: &[Value], language: Language) -> String {
    let sentence = Sentence::new(text, language);
    let mut rest: Vec<Span> = Vec::new();
    // No argument is filled with a rhythm: "quarterly" is rather the name of a choice.
    let filling = values.iter().filter(|value| value.kind != Kind::Recurring);
    let mut values = filling.map(|value| value.span).peekable();
    let mut at = 0;
    while let Some(token) = sentence.token(at) {
        let span = text.span(token.start, token.end);
        while values.next_if(|value| value.end <= span.start).is_some() {}
        if values.peek().is_some_and(|value| value.overlaps(span)) || token.shape == Shape::Symbol {
            at += 1;
        } else if let Some(end) = spoken_end(&sentence, at) {
            at = end;
        } else {
            push(&mut rest, span);
            at += 1;
        }
    }
    let words: Vec<&str> = rest.into_iter().map(|span| text.slice(span)).collect();
    words.join(" ")
}

/// Returns whether a text points back to something said before: 那裡, "same place", ahí.
pub fn has_reference(text: &Text, language: Language) -> bool {
    !references(text, &[], language).is_empty()
}

/// Returns whether a text may mean nothing alone, as a word outside of its values points back to
/// what was said before: "explain this again", esto, 剛才.
///
/// Unlike [`has_reference`], which is about places, days and repeated questions, this takes in
/// every word that may stand for something: its callers would rather see too much than too little.
///
/// # Example
///
/// ```
/// use waypost_text::extract::points_back;
/// use waypost_text::{language::Language, text::Text};
///
/// assert!(points_back(&Text::new("what does that function return?"), &[], Language::En));
/// assert!(!points_back(&Text::new("write a function that returns 1"), &[], Language::En));
/// ```
pub fn points_back(text: &Text, values: &[Value], language: Language) -> bool {
    let sentence = Sentence::read(text, language, Lexicon::REFERENCES);
    let taken = Spans::of(values.iter().map(|value| value.span));
    (0..sentence.tokens.len()).any(|at| {
        sentence.senses(at).iter().any(|sense| {
            let first = sentence.token(at).map_or(0, |token| token.start);
            let last = sentence.token(sense.end - 1).map_or(first, |token| token.end);
            let span = text.span(first, last);
            sense.term == Term::Reference && !taken.overlap(span)
        })
    })
}

/// Returns whether a text needs what was said before, as [`points_back`] has it, but for the "there" of "which branches are there",
/// which stands for no place.
///
/// # Example
///
/// ```
/// use waypost_text::extract::leans;
/// use waypost_text::{language::Language, text::Text};
///
/// assert!(leans(&Text::new("how warm is it there"), &[], Language::En));
/// assert!(!leans(&Text::new("which branches are there"), &[], Language::En));
/// ```
pub fn leans(text: &Text, values: &[Value], language: Language) -> bool {
    let sentence = Sentence::read(text, language, Lexicon::REFERENCES);
    let spoken = Sentence::new(text, language);
    let taken = Spans::of(values.iter().map(|value| value.span));
    let meant = Spans::of(references(text, values, language));
    (0..sentence.tokens.len()).any(|at| {
        let Some(first) = sentence.token(at) else { return false };
        sentence.senses(at).iter().filter(|sense| sense.term == Term::Reference).any(|sense| {
            let last = sentence.token(sense.end - 1).unwrap_or(first);
            let span = text.span(first.start, last.end);
            let mut known = spoken.senses(at).iter();
            let is_spoken = known.any(|own| own.term == Term::Reference && own.end == sense.end);
            // "Is there one" points with its last word.
            let stands_for =
                sense.end < sentence.tokens.len() && sentence.tokens.folded(sense.end) == "one";
            !taken.overlap(span) && (!is_spoken || stands_for || meant.overlap(span))
        })
    })
}

/// Returns whether a text says no to something: 不要, "not", nunca.
pub fn negates(text: &Text, language: Language) -> bool {
    let sentence = Sentence::new(text, language);
    let no = |at: usize| sentence.senses(at).iter().any(|sense| sense.term == Term::No);
    (0..sentence.tokens.len()).any(no)
}

/// Returns whether a text asks for all that was said before: 兩個都, "both".
pub fn means_all(text: &Text, language: Language) -> bool {
    let sentence = Sentence::new(text, language);
    let all = |at: usize| sentence.senses(at).iter().any(|sense| sense.term == Term::All);
    (0..sentence.tokens.len()).any(all)
}

/// The words that name a day by the day said before, outside of values, with how many days later
/// it is.
pub fn day_shifts(text: &Text, values: &[Value], language: Language) -> Vec<(Span, i32)> {
    phrases(text, values, language, |term| match term {
        Term::DayShift(days) => Some(days),
        _ => None,
    })
}

/// The words that stand for the stretch of time said before, outside of values: "the same period", 那段時間.
pub fn same_periods(text: &Text, values: &[Value], language: Language) -> Vec<Span> {
    let found = phrases(text, values, language, |term| (term == Term::SamePeriod).then_some(()));
    found.into_iter().map(|(span, ())| span).collect()
}

/// The phrases outside of values whose longest sense means something, in the order of the text.
fn phrases<T>(
    text: &Text,
    values: &[Value],
    language: Language,
    means: impl Fn(Term) -> Option<T>,
) -> Vec<(Span, T)> {
    let sentence = Sentence::new(text, language);
    let taken = Spans::of(values.iter().map(|value| value.span));
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(token) = sentence.token(at) {
        // The longest phrase counts: "the day before yesterday" needs no other day.
        let longest = sentence.senses(at).first();
        at = longest.map_or(at + 1, |sense| sense.end);
        let Some(meaning) = longest.and_then(|sense| means(sense.term)) else { continue };
        let last = sentence.token(at - 1).unwrap_or(token);
        let span = text.span(token.start, last.end);
        if !taken.cross(span) {
            found.push((span, meaning));
        }
    }
    found
}

/// The word with which a text goes on with what was said before, where it begins with one and asks no question of its own: "and",
/// "what about", 那.
pub fn goes_on(text: &Text, language: Language) -> Option<Span> {
    let sentence = Sentence::new(text, language);
    let is_sign = |at: &usize| sentence.shape(*at) == Some(Shape::Symbol);
    let first = (0..sentence.tokens.len()).find(|at| !is_sign(at))?;
    let sense = sentence.senses(first).iter().find(|sense| sense.term == Term::Change)?;
    let (start, end) = (sentence.token(first)?.start, sentence.token(sense.end - 1)?.end);
    let span = text.span(start, end);
    let asks = |mark: &Mark| mark.operator == Operator::Question && mark.span.start >= span.end;
    (!operators(text, language).iter().any(asks)).then_some(span)
}

/// The words that point back, outside of values, in the order of the text.
pub fn references(text: &Text, values: &[Value], language: Language) -> Vec<Span> {
    let sentence = Sentence::new(text, language);
    let taken = Spans::of(values.iter().map(|value| value.span));
    let mut found = Vec::new();
    let mut at = 0;
    // The longest phrase counts: 那裡 is a reference, 那 alone is not.
    while let Some(token) = sentence.token(at) {
        let Some(end) = pointer_end(&sentence, at) else {
            at = spoken_end(&sentence, at).unwrap_or(at + 1);
            continue;
        };
        let last = sentence.token(end - 1).unwrap_or(token);
        let span = text.span(token.start, last.end);
        // 再查一次 is one phrase, not the number 一.
        if !taken.cross(span) {
            found.push(span);
        }
        at = end;
    }
    found
}

/// The end of the words that point back from a token on: "there", "the same level as before".
fn pointer_end(sentence: &Sentence<'_>, at: usize) -> Option<usize> {
    let leads = |term| is_spoken(term) || matches!(term, Term::Same | Term::Former);
    let end = sentence.senses(at).iter().find(|sense| leads(sense.term))?.end;
    let means = |term: Term| {
        let mut senses = sentence.senses(at).iter();
        senses.any(|sense| sense.end == end && sense.term == term)
    };
    let next = |at: usize, term: Term| {
        let mut senses = sentence.senses(at).iter();
        senses.find(|sense| sense.term == term).map(|sense| sense.end)
    };
    if means(Term::Reference) {
        // The same day last year is a day of its own.
        let is_date = is_of_time(sentence, end - 1) && sentence.may_name_time(end);
        return (!is_date).then_some(end);
    }
    let named = next(end, Term::Noun).unwrap_or(end);
    let whole = next(named, Term::Reference).unwrap_or(named);
    if means(Term::Former) {
        let before = at.checked_sub(1).is_some_and(|before| is_of_time(sentence, before));
        return (!before && !is_of_time(sentence, end)).then_some(whole);
    }
    // Anything else that is the same was not said before: the same latitude.
    let is_whole = matches!(sentence.shape(end), None | Some(Shape::Symbol))
        || sentence.senses(end).iter().any(|sense| is_spoken(sense.term));
    (means(Term::Same) && (whole > end || is_whole)).then_some(whole)
}

/// Returns whether a token counts or is of the calendar: the previous month was not said before.
fn is_of_time(sentence: &Sentence<'_>, at: usize) -> bool {
    let counts = sentence.shape(at) == Some(Shape::Digits);
    counts
        || sentence.senses(at).iter().any(|sense| {
            matches!(
                sense.term,
                Term::Unit(_)
                    | Term::Month(_)
                    | Term::Weekday(_)
                    | Term::Day(_)
                    | Term::Weekend
                    | Term::Season(_)
                    | Term::ShortSeason(_)
                    | Term::Holiday(_)
                    | Term::Part(_)
                    | Term::Number(_)
                    | Term::YearMark
                    | Term::MonthMark
                    | Term::DayMark
            )
        })
}

/// The end of the longest phrase of conversation at a token.
fn spoken_end(sentence: &Sentence<'_>, at: usize) -> Option<usize> {
    if let Some(end) = pointer_end(sentence, at) {
        return Some(end);
    }
    let sense = sentence.senses(at).iter().find(|sense| is_spoken(sense.term))?;
    Some(sense.end)
}

fn is_spoken(term: Term) -> bool {
    matches!(term, Term::Change | Term::Reference | Term::Filler | Term::All)
}

/// Neighbours without anything between become one stretch.
fn push(rest: &mut Vec<Span>, span: Span) {
    match rest.last_mut() {
        Some(last) if last.end == span.start => last.end = span.end,
        _ => rest.push(span),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_may_begin_with_what_goes_on() {
        let begins = |words: &str, language| {
            let text = Text::new(words);
            goes_on(&text, language).map(|span| text.slice(span).to_owned())
        };
        for (words, language, first) in [
            ("and the tides?", Language::En, Some("and")),
            ("what about the water temperature?", Language::En, Some("what about")),
            ("那潮汐呢", Language::ZhHant, Some("那")),
            ("¿y las mareas?", Language::Es, Some("y")),
            ("the tides", Language::En, None),
            ("and why is it so warm?", Language::En, None),
        ] {
            assert_eq!(begins(words, language).as_deref(), first, "{words}");
        }
    }

    fn points(text: &str, language: Language) -> bool {
        points_back(&Text::new(text), &[], language)
    }

    #[test]
    fn s4_16_words_that_point_back_are_told_from_those_that_do_not() {
        use Language::{En, Es, Vi, ZhHans, ZhHant};
        for (language, text) in [
            (En, "explain this"),
            (En, "What does that function return?"),
            (Es, "Rephrase lo anterior"),
            (En, "and for lists?"),
            (En, "say it in other words"),
            (Es, "¿puedes explicar esto?"),
            (Es, "resume lo anterior"),
            (Es, "explica esta función"),
            (Es, "Explícalo otra vez"),
            (ZhHant, "這個函數是什麼"),
            (ZhHans, "用刚才的例子"),
            (Vi, "giải thích cái đó"),
        ] {
            assert!(points(text, language), "{text}");
        }
        for (language, text) in [
            (En, "write a function that returns a list"),
            (En, "You have a project usage percentage of 20%, provide a recommendation"),
            (En, "What is addVar in AVAP?"),
            (Es, "¿dónde está documentado getDateTime?"),
            (Es, "escribe una función que sume dos números"),
            (ZhHant, "海溫多少"),
            (Vi, "viết một hàm cộng hai số"),
        ] {
            assert!(!points(text, language), "{text}");
        }
    }
}

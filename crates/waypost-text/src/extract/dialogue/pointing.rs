//! Finds what words point at in a list that was shown, by its place: the second, b), the middle one, the last two,
//! the other one, both.
//!
//! It knows no names: those of the list are the caller's to find, who also says whether a place is denied.

use crate::extract::grammar::lexicon::Lexicon;
use crate::extract::grammar::sentence::Sentence;
use crate::extract::grammar::term::{Operator, Term};
use crate::extract::grammar::token::Shape;
use crate::extract::value::{Reading, Value};
use crate::language::Language;
use crate::text::{Span, Spans, Text};

/// Words that point into a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pointer {
    /// Their place in the text.
    pub span: Span,
    /// What they point at.
    pub target: Target,
}

/// The part of a list that words point at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// These, counted from zero.
    Places(Vec<usize>),
    /// Those that were not spoken of: "the other one".
    Rest,
    /// All of them.
    All,
}

/// The words that point into a list of `count` items, in the order of the text, outside of `names`.
///
/// # Example
///
/// ```
/// use waypost_text::extract::{Target, pointers};
/// use waypost_text::{language::Language, text::Text};
///
/// let text = Text::new("hmm, the middle one");
/// let found = pointers(&text, &[], &[], Language::En, 3);
/// assert_eq!(found[0].target, Target::Places(vec![1]));
/// assert_eq!(pointers(&Text::new("d)"), &[], &[], Language::En, 3), []);
/// ```
pub fn pointers(
    text: &Text,
    values: &[Value],
    names: &[Span],
    language: Language,
    count: usize,
) -> Vec<Pointer> {
    let sentence = Sentence::of_conversation(text, language);
    let named = Spans::of(names.iter().copied());
    let mut found: Vec<Pointer> = by_word(&sentence, count);
    found.retain(|pointer| !named.overlap(pointer.span));
    let spoken = Spans::of(found.iter().map(|pointer| pointer.span));
    let free = values.iter().filter(|value| !named.overlap(value.span));
    let free: Vec<&Value> = free.filter(|value| !spoken.exceed(value.span)).collect();
    let counted = by_value(text, &free, count);
    // "最後一個" is both a place and a word for one: the longer one counts.
    let read = Spans::of(counted.iter().map(|pointer| pointer.span));
    found.retain(|pointer| !read.overlap(pointer.span));
    found.extend(counted);
    found.sort_by_key(|pointer| pointer.span);
    found
}

/// Places by ordinals and numbers: the second, #3, the first two.
fn by_value(text: &Text, values: &[&Value], count: usize) -> Vec<Pointer> {
    let mut found = Vec::new();
    let mut values = values.iter().peekable();
    while let Some(value) = values.next() {
        let (place, is_ordinal) = match value.reading {
            Reading::Ordinal(place) => (place, true),
            Reading::Number(number) if number.fract() == 0.0 && number >= 1.0 => {
                (number as i64, false)
            }
            _ => continue,
        };
        let follows = |next: &&&&Value| {
            let gap = Span { start: value.span.end, end: next.span.start };
            gap.start <= gap.end && text.slice(gap).trim().is_empty()
        };
        let many = values.peek().filter(|_| is_ordinal && place.abs() == 1).filter(follows);
        let many = many.and_then(|next| match next.reading {
            Reading::Number(many) if many >= 1.0 && many <= count as f64 => {
                Some((many as usize, next.span.end))
            }
            _ => None,
        });
        let (places, end) = match many {
            Some((many, end)) if place > 0 => ((0..many).collect(), end),
            Some((many, end)) => ((count - many..count).collect(), end),
            None => match index(place, count) {
                Some(index) => (vec![index], value.span.end),
                None => continue,
            },
        };
        if many.is_some() {
            values.next();
        }
        let span = Span { start: value.span.start, end };
        found.push(Pointer { span, target: Target::Places(places) });
    }
    found
}

/// The index of a place that is counted from the first on, from the last on below zero, or in the middle.
fn index(place: i64, count: usize) -> Option<usize> {
    let index = match place {
        1.. => usize::try_from(place).ok()? - 1,
        0 if count % 2 == 1 => count / 2,
        0 => return None,
        _ => count.checked_sub(usize::try_from(place.unsigned_abs()).ok()?)?,
    };
    (index < count).then_some(index)
}

/// Places by words and letters: the top one, b, all of them.
fn by_word(sentence: &Sentence<'_>, count: usize) -> Vec<Pointer> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(token) = sentence.token(at) {
        let target = |term: Term| match term {
            Term::Place(place) => Some(Target::Places(vec![index(place, count)?])),
            Term::Rest => Some(Target::Rest),
            Term::All | Term::Operator(Operator::Quantifier) => Some(Target::All),
            _ => None,
        };
        let senses = sentence.senses(at).iter();
        let spoken = senses.filter_map(|sense| Some((sense.end, target(sense.term)?))).next();
        let lettered =
            || letter(sentence, at, count).map(|index| (at + 1, Target::Places(vec![index])));
        let Some((end, target)) = spoken.or_else(lettered) else {
            at = sentence.senses(at).first().map_or(at + 1, |sense| sense.end);
            continue;
        };
        let last = sentence.token(end - 1).unwrap_or(token);
        found.push(Pointer { span: sentence.text.span(token.start, last.end), target });
        at = end;
    }
    found
}

/// The letters that are words, or a yes or no, in some language.
const WORDS: &str = "aeiouny";

/// The index of an item by its letter: b, "option c", d). A letter that is a word needs a bracket, a word such as
/// "option" before it, or to be all that is said.
fn letter(sentence: &Sentence<'_>, at: usize, count: usize) -> Option<usize> {
    let tokens = &sentence.tokens;
    let [letter @ b'a'..=b'z'] = tokens.text(at).as_bytes() else { return None };
    let index = usize::from(letter - b'a');
    let behind = || tokens.glued(at + 1).then(|| tokens.text(at + 1));
    let closed =
        sentence.shape(at + 1).is_some() && behind().is_some_and(|sign| ").:".contains(sign));
    let clings = |at: usize| {
        let shape = sentence.shape(at);
        tokens.glued(at) && matches!(shape, Some(Shape::Word | Shape::Digits | Shape::Symbol))
    };
    let begins = at == 0 || !tokens.glued(at) || sentence.shape(at - 1) == Some(Shape::Han);
    let ends = sentence.shape(at + 1).is_none() || !clings(at + 1);
    let stands_apart = begins && ends;
    let is_word = WORDS.contains(tokens.text(at));
    let is_lone = at == 0 && !sentence.says_behind(1);
    let free = stands_apart && (is_lone || !is_word || is_named(sentence, at));
    (index < count && (closed || free)).then_some(index)
}

/// Returns whether a word stands before that says what choices are called: "option b", 選項b, "la letra e".
fn is_named(sentence: &Sentence<'_>, at: usize) -> bool {
    let Some(before) = at.checked_sub(1) else { return false };
    let mut meanings = Lexicon::VALUES.word(sentence.tokens.folded(before));
    meanings.any(|meaning| {
        matches!(meaning.term(), Term::OrdinalSign | Term::LoneOrdinalSign | Term::Noun)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::{Context, Conventions, Kinds, extract};

    /// What a text points at in a list of so many, each as its places, `rest` or `all`.
    fn read(words: &str, language: Language, count: usize) -> Vec<String> {
        let text = Text::new(words);
        let now = "2025-11-06T09:00+08:00[Asia/Taipei]".parse().unwrap();
        let context = Context {
            now: &now,
            language,
            gazetteers: &[],
            conventions: Conventions::STANDARD,
            wanted: Kinds::NONE,
        };
        let values = extract(&text, &context);
        let found = pointers(&text, &values, &[], language, count);
        let shown = found.into_iter().map(|pointer| match pointer.target {
            Target::Places(places) => {
                places.iter().map(usize::to_string).collect::<Vec<_>>().join("+")
            }
            Target::Rest => "rest".to_owned(),
            Target::All => "all".to_owned(),
        });
        shown.collect()
    }

    #[test]
    fn places_are_read_in_every_language() {
        use Language::{En, Es, Vi, ZhHans, ZhHant};
        for (language, words, places) in [
            (En, "the second one", vec!["1"]),
            (En, "number three, the biggest", vec!["2"]),
            (En, "second to last", vec!["2"]),
            (En, "the first two", vec!["0+1"]),
            (En, "the last two please", vec!["2+3"]),
            (En, "top one", vec!["0"]),
            (En, "the other one", vec!["rest"]),
            (En, "both of them", vec!["all"]),
            (En, "b", vec!["1"]),
            (En, "option c thanks", vec!["2"]),
            (En, "d)", vec!["3"]),
            (En, "the first and the fourth", vec!["0", "3"]),
            (En, "a hospital", vec![]),
            (En, "the fifth", vec![]),
            (Es, "la última, y apúrate", vec!["3"]),
            (Es, "el de arriba", vec!["0"]),
            (Es, "me valen las dos", vec!["all"]),
            (Es, "la letra b", vec!["1"]),
            (Vi, "cái đầu tiên", vec!["0"]),
            (Vi, "cai con lai", vec!["rest"]),
            (Vi, "cả hai", vec!["all"]),
            (ZhHant, "最後一個", vec!["3"]),
            (ZhHant, "我要另外那一個", vec!["rest"]),
            (ZhHant, "兩個都要", vec!["all"]),
            (ZhHans, "倒数第二个", vec!["2"]),
            (ZhHans, "选b", vec!["1"]),
        ] {
            assert_eq!(read(words, language, 4), places, "{words}");
        }
    }

    #[test]
    fn only_an_odd_list_has_a_middle() {
        assert_eq!(read("中間那個", Language::ZhHant, 3), ["1"]);
        assert_eq!(read("the middle one", Language::En, 4), Vec::<String>::new());
    }
}

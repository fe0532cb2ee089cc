//! Finds what a text leaves out of what it asks for: "no tides", "instead of the map", 不看潮汐.

use crate::extract::grammar::lexicon::Lexicon;
use crate::extract::grammar::sentence::Sentence;
use crate::extract::grammar::term::{Correction, Operator, Term};
use crate::extract::value::Value;
use crate::language::Language;
use crate::text::{Span, Spans, Text};

use super::correction::pauses;
use super::operators::{Phrase, Role, phrases};

/// The most stretches that are told: a text with more is a list.
const MOST: usize = 8;
/// The most phrases behind an "and" that a pause follows: "no tides and currents, please".
const SHORT: usize = 2;

/// The stretches of a text that leave something out, each with the words that say so, in order.
///
/// A clause that begins with a denial, or ends with a word such as "not needed", leaves out what it says, up to a value;
/// "instead of" and its like do so wherever they stand. A question that begins with a denial asks, and "not only" leaves nothing out.
///
/// # Example
///
/// ```
/// use waypost_text::extract::left_out;
/// use waypost_text::{language::Language, text::Text};
///
/// let text = Text::new("the water temperature, not the tides");
/// let found = left_out(&text, &[], Language::En);
/// assert_eq!(text.slice(found[0]), "not the tides");
/// assert!(left_out(&Text::new("the water is not warm"), &[], Language::En).is_empty());
/// ```
pub fn left_out(text: &Text, values: &[Value], language: Language) -> Vec<Span> {
    let sentence = Sentence::read(text, language, Lexicon::CORRECTIONS);
    let phrases: Vec<Phrase> = phrases(&sentence, &[]).collect();
    let values = Spans::of(values.iter().map(|value| value.span));
    let reading = Reading { sentence: &sentence, phrases: &phrases, values };
    let mut found = Vec::new();
    let (mut opens, mut at) = (true, 0);
    while at < phrases.len() && found.len() < MOST {
        if let Some(begin) = reading.dropped(at) {
            let (first, last) = (phrases[begin].span(&sentence), phrases[at].span(&sentence));
            found.push(Span { start: first.start, end: last.end });
            (opens, at) = (false, at + 1);
            continue;
        }
        let end = if reading.leaves_out(at, opens) { reading.end(at) } else { at };
        if end > at + 1 && !reading.asks(at, end) {
            let (first, last) = (phrases[at].span(&sentence), phrases[end - 1].span(&sentence));
            found.push(Span { start: first.start, end: last.end });
            (opens, at) = (false, end);
        } else {
            opens = reading.opens_behind(at, opens);
            at += 1;
        }
    }
    found
}

/// A text cut into phrases.
struct Reading<'a> {
    sentence: &'a Sentence<'a>,
    phrases: &'a [Phrase],
    values: Spans,
}

impl Reading<'_> {
    /// Returns whether a phrase leaves out what stands behind it; `opens` says whether its clause begins with it.
    fn leaves_out(&self, at: usize, opens: bool) -> bool {
        let phrase = &self.phrases[at];
        let is_only = |next: &Phrase| next.role == Role::Does(Operator::Only);
        let denies = match phrase.role {
            Role::Does(Operator::Except) => true,
            Role::Does(Operator::Not) => opens || phrase.correction == Some(Correction::Unwanted),
            _ => false,
        };
        denies && !self.phrases.get(at + 1).is_some_and(is_only)
    }

    /// The beginning of the clause that a phrase leaves out at its end: 潮汐不用查. A value in it is said of the rest as well.
    fn dropped(&self, at: usize) -> Option<usize> {
        let phrase = &self.phrases[at];
        let mut senses = self.sentence.senses(phrase.start).iter();
        let drops = phrase.role == Role::Does(Operator::Dropped)
            && senses.any(|sense| sense.end == phrase.end && sense.term == Term::Unneeded);
        if !drops {
            return None;
        }
        let begin = (0..at).rev().find(|before| self.is_end(*before)).map_or(0, |end| end + 1);
        (begin < at && !self.asks(begin, at + 1)).then_some(begin)
    }

    /// The end of what is left out from a phrase on.
    fn end(&self, at: usize) -> usize {
        let ends = |behind: &usize| self.is_end(*behind);
        let last = self.phrases.len();
        let end = (at + 1..last).find(ends).unwrap_or(last);
        let joins = self
            .phrases
            .get(end)
            .is_some_and(|phrase| phrase.role == Role::Does(Operator::And) && !phrase.is_sign);
        let further = (end + 1..last).find(ends).unwrap_or(last);
        let closes = self.phrases.get(further).is_none_or(|phrase| self.pauses(phrase));
        if joins && closes && further > end + 1 && further - end - 1 <= SHORT {
            further
        } else {
            end
        }
    }

    fn is_end(&self, at: usize) -> bool {
        let phrase = &self.phrases[at];
        let turns = matches!(phrase.correction, Some(Correction::But | Correction::Instead));
        let goes_on = matches!(
            phrase.role,
            Role::Does(Operator::And | Operator::Only | Operator::Correction)
        );
        turns || goes_on || self.pauses(phrase) || self.values.overlap(phrase.span(self.sentence))
    }

    /// Returns whether a clause may begin behind a phrase.
    fn opens_behind(&self, at: usize, opens: bool) -> bool {
        let phrase = &self.phrases[at];
        let adds = matches!(phrase.role, Role::Adds | Role::Does(Operator::Only)) && !phrase.points;
        let joins = phrase.role == Role::Does(Operator::And);
        self.pauses(phrase) || joins || opens && adds
    }

    /// Returns whether the stretch is a question.
    fn asks(&self, at: usize, end: usize) -> bool {
        let is_question = |phrase: &Phrase| phrase.role == Role::Does(Operator::Question);
        let sign = self.phrases.get(end).map(|phrase| self.sentence.tokens.text(phrase.start));
        matches!(sign, Some("?" | "？")) || self.phrases[at..end].iter().any(is_question)
    }

    fn pauses(&self, phrase: &Phrase) -> bool {
        pauses(self.sentence, phrase)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(words: &str, language: Language) -> Vec<String> {
        let text = Text::new(words);
        let found = left_out(&text, &[], language).into_iter();
        found.map(|span| text.slice(span).to_owned()).collect()
    }

    #[test]
    fn what_is_left_out_is_found() {
        use Language::{En, Es, Vi, ZhHans, ZhHant};
        for (words, language, out) in [
            ("only the temperature please, no tides, for Keelung", En, &["no tides"][..]),
            ("not the temperature but the tides", En, &["not the temperature"]),
            (
                "the balance sheet instead of the income statement",
                En,
                &["instead of the income statement"],
            ),
            ("just the reading and no plot", En, &["no plot"]),
            ("the news, no prices and charts", En, &["no prices and charts"]),
            ("不看潮汐，只看海溫", ZhHant, &["不看潮汐"]),
            ("不要资产负债表，给我现金流量表", ZhHans, &["不要资产负债表"]),
            ("sin mareas, solo la temperatura", Es, &["sin mareas"]),
            ("今天的海溫，潮汐不用查", ZhHant, &["潮汐不用查"]),
            ("the temperature, tides not needed", En, &["tides not needed"]),
            ("la temperatura, las mareas no hacen falta", Es, &["las mareas no hacen falta"]),
            ("la temperatura, no las mareas", Es, &["no las mareas"]),
            ("tin tức thôi, đừng lấy giá cổ phiếu", Vi, &["đừng lấy giá cổ phiếu"]),
        ] {
            assert_eq!(found(words, language), out, "{words}");
        }
    }

    #[test]
    fn what_is_denied_of_something_or_asked_is_not_left_out() {
        use Language::{En, Es, ZhHant};
        for (words, language) in [
            ("the water is not warm", En),
            ("not only the tides but also the temperature", En),
            ("don't you have the tides?", En),
            ("no, the tides", En),
            ("show the tides with outliers excluded, please", En),
            ("請把這個筆記刪掉，謝謝", ZhHant),
            ("¿no hay mareas?", Es),
            ("有沒有潮汐", ZhHant),
            ("是不是滿潮", ZhHant),
        ] {
            assert_eq!(found(words, language), Vec::<String>::new(), "{words}");
        }
    }
}

//! Finds what a text asks for beside what it says was done: "TPR is finished, so map the rainfall".

use super::operators::PAUSES;
use crate::extract::grammar::sentence::Sentence;
use crate::extract::grammar::term::Term;
use crate::extract::grammar::token::Shape;
use crate::language::Language;
use crate::text::{Span, Text};

/// How many words that say nothing may stand between what was done and what leads on.
const MOST_FILLERS: usize = 2;

/// The part of a text behind an opening that says that something was done, or before a close that says so with "now
/// that"; `None` where there is neither, or nothing else. A question about it opens nothing.
///
/// # Example
///
/// ```
/// use waypost_text::extract::beside_done;
/// use waypost_text::{language::Language, text::Text};
///
/// let text = Text::new("The survey is finished, so map the rainfall");
/// assert_eq!(text.slice(beside_done(&text, Language::En).unwrap()), " so map the rainfall");
/// assert!(beside_done(&Text::new("map the rainfall"), Language::En).is_none());
/// ```
pub fn beside_done(text: &Text, language: Language) -> Option<Span> {
    let sentence = Sentence::new(text, language);
    let length = sentence.tokens.len();
    if !(0..length).any(|at| means(&sentence, at, Term::Done)) {
        return None;
    }
    let mut start = opening(&sentence);
    // In Chinese the topic stands before 既然; elsewhere a clause opens with "now that".
    let closes = |at: &usize| {
        means(&sentence, *at, Term::Granted)
            && *at > start
            && sentence.shape(*at - 1) == Some(Shape::Word)
            && done_until(&sentence, *at) == Some(length)
    };
    if let Some(close) = (0..length).find(closes) {
        return part(&sentence, 0..close);
    }
    let leads = start;
    while let Some(end) = done_until(&sentence, start) {
        start = end;
    }
    if start > leads { part(&sentence, start..length) } else { None }
}

/// The first token behind a word or two that agree: "ok good,".
fn opening(sentence: &Sentence<'_>) -> usize {
    /// More tokens say something.
    const FEW: usize = 2;
    let pause = (0..sentence.tokens.len()).take(FEW + 1).find(|at| pauses(sentence, *at));
    let is_done = |pause: usize| (0..pause).any(|at| means(sentence, at, Term::Done));
    let agrees = means(sentence, 0, Term::Yes) || means(sentence, 0, Term::Filler);
    pause.filter(|pause| agrees && !is_done(*pause)).map_or(0, |pause| pause + 1)
}

/// The end of a clause from a token on that says that something was done, with the sign behind it.
fn done_until(sentence: &Sentence<'_>, start: usize) -> Option<usize> {
    let length = sentence.tokens.len();
    let pause = (start..length).find(|at| pauses(sentence, *at)).unwrap_or(length);
    let is_done = |at: &usize| means(sentence, *at, Term::Done);
    let done = (start..pause).find(is_done)?;
    let behind = end_of(sentence, done, Term::Done);
    if (start..done).any(|at| means(sentence, at, Term::Granted)) && behind < pause {
        return Some(behind);
    }
    if let Some(lead) = (behind..pause).find(|at| goes_on(sentence, *at)) {
        let between = (behind..lead).filter(|at| !means(sentence, *at, Term::Filler));
        // "Finished the survey, then": what was done may stand behind the word.
        if done == start || between.count() == 0 && lead - behind <= MOST_FILLERS {
            return Some(lead);
        }
    }
    let asks = pause < length && "?？".contains(sentence.tokens.text(pause));
    let ends = behind == pause || done == start;
    (ends && !asks).then_some((pause + 1).min(length))
}

/// Returns whether a word leads to what comes next: then, now, 那.
fn goes_on(sentence: &Sentence<'_>, at: usize) -> bool {
    means(sentence, at, Term::Joint) || means(sentence, at, Term::Change)
}

fn means(sentence: &Sentence<'_>, at: usize, term: Term) -> bool {
    sentence.senses(at).iter().any(|sense| sense.term == term)
}

fn end_of(sentence: &Sentence<'_>, at: usize, term: Term) -> usize {
    let senses = sentence.senses(at).iter().filter(|sense| sense.term == term);
    senses.map(|sense| sense.end).max().unwrap_or(at + 1)
}

fn pauses(sentence: &Sentence<'_>, at: usize) -> bool {
    let digits = |at: usize| sentence.shape(at) == Some(Shape::Digits);
    let within = at > 0 && digits(at - 1) && digits(at + 1);
    let sign = sentence.tokens.text(at);
    sentence.shape(at) == Some(Shape::Symbol)
        && !within
        && (PAUSES.contains(sign) || "?？".contains(sign))
}

/// The part of the text at some tokens, if it has words.
fn part(sentence: &Sentence<'_>, tokens: std::ops::Range<usize>) -> Option<Span> {
    let has_words = tokens.clone().any(|at| sentence.shape(at).is_some_and(|s| s != Shape::Symbol));
    let start = match tokens.start {
        0 => 0,
        start => sentence.token(start - 1)?.end,
    };
    let end = sentence.token(tokens.end.checked_sub(1)?)?.end;
    has_words.then(|| sentence.text.span(start, end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use Language::{En, Es, Vi, ZhHans, ZhHant};

    #[test]
    fn what_was_done_is_told_from_what_is_asked() {
        for (words, language, asked) in [
            ("ok good, positivity is done, so now map the rain", En, " so now map the rain"),
            ("Now that TPR is finished run the risk", En, " run the risk"),
            ("run the risk now that TPR is finished", En, "run the risk"),
            ("ok now that TPR is finished, run the risk", En, " run the risk"),
            ("TPR is done now map the rain", En, " now map the rain"),
            ("I've finished the survey, plan the nets", En, " plan the nets"),
            ("风险既然算完了，那给我画地图吧", ZhHans, "那给我画地图吧"),
            ("好，風險做完了，那就出地圖", ZhHant, "那就出地圖"),
            ("ya está el TPR, ahora el riesgo", Es, " ahora el riesgo"),
            ("Xong TPR rồi thì phân tích nguy cơ", Vi, " rồi thì phân tích nguy cơ"),
            ("Is TPR done? then map the rain", En, "none"),
            ("map the rain, and when it is done, the risk", En, "none"),
            ("TPR is done", En, "none"),
            ("好了", ZhHant, "none"),
            ("is it well done", En, "none"),
        ] {
            let text = Text::new(words);
            let found = beside_done(&text, language).map(|span| text.slice(span));
            assert_eq!(found.unwrap_or("none"), asked, "{words}");
        }
    }
}

//! The conditions under which something is asked for: "set it to 5 unless the pump runs".

use crate::extract::grammar::lexicon::Lexicon;
use crate::extract::grammar::sentence::Sentence;
use crate::extract::grammar::term::Term;
use crate::extract::grammar::token::Shape;
use crate::extract::value::Value;
use crate::language::Language;
use crate::text::{Span, Spans, Text};

/// The most conditions that are found in a text: nobody asks for one thing under more.
const MOST: usize = 8;

/// The conditions of a text, in order; each from the word that says it to the end of its clause, or from the
/// beginning of its clause to the word behind it (的話, なら).
///
/// A bound is none ("until 5 pm"), and neither is politeness ("if you can"). Where nothing parts a condition from
/// what is asked for, it takes in the rest of the text.
///
/// # Example
///
/// ```
/// use waypost_text::extract::conditions;
/// use waypost_text::{language::Language, text::Text};
///
/// let of = |text: &str| {
///     let text = Text::new(text);
///     conditions(&text, &[], Language::En).iter().map(|at| text.slice(*at).to_owned()).collect::<Vec<_>>()
/// };
/// assert_eq!(of("set it to 5 unless the pump runs"), ["unless the pump runs"]);
/// assert_eq!(of("if the pump stops, call me"), ["if the pump stops"]);
/// assert!(of("set it to 5 if you can").is_empty());
/// ```
pub fn conditions(text: &Text, values: &[Value], language: Language) -> Vec<Span> {
    let clause = Clauses {
        sentence: Sentence::read(text, language, Lexicon::ROLES),
        taken: Spans::of(values.iter().map(|value| value.span)),
    };
    let mut found: Vec<Span> = Vec::new();
    let (mut at, mut free) = (0, 0);
    while at < clause.sentence.tokens.len() && found.len() < MOST {
        let senses = clause.sentence.senses(at).iter();
        let mut senses = senses.filter(|sense| {
            matches!(sense.term, Term::Condition | Term::ConditionBehind | Term::Courtesy)
        });
        let Some(sense) = senses.next().filter(|sense| !clause.is_value(at, sense.end)) else {
            at += 1;
            continue;
        };
        let (first, end, said) = match sense.term {
            Term::Condition => {
                let end = clause.end(sense.end);
                (at, end, (sense.end, end))
            }
            Term::ConditionBehind => {
                let first = clause.beginning(free, at);
                (first, sense.end, (first, at))
            }
            _ => (at, sense.end, (at, at)),
        };
        if clause.says(said)
            && let (Some(first), Some(last)) =
                (clause.sentence.token(first), clause.sentence.token(end - 1))
        {
            found.push(text.span(first.start, last.end));
        }
        at = end.max(at + 1);
        free = at;
    }
    found
}

/// The clauses of a text, as its signs and some of its words part them.
struct Clauses<'a> {
    sentence: Sentence<'a>,
    /// The places of values: no sign in one parts anything, and no word in one says a condition.
    taken: Spans,
}

impl Clauses<'_> {
    /// The token behind the last of the clause that goes on at a token. A word such as 再 or "so" leads to what is asked for only
    /// behind something: 如果再下雨 is a condition.
    fn end(&self, from: usize) -> usize {
        let leads = |at: usize| self.has(at, Term::Consequence) && self.says((from, at));
        let parts = |at: &usize| self.is_sign(*at) || leads(*at);
        (from..self.sentence.tokens.len()).find(parts).unwrap_or(self.sentence.tokens.len())
    }

    /// The first token of the clause that ends before a token, from `least` on.
    fn beginning(&self, least: usize, before: usize) -> usize {
        (least..before).rev().find(|at| self.is_sign(*at)).map_or(least, |sign| sign + 1)
    }

    /// Returns whether a stretch of tokens has a word that is no part of a value.
    fn says(&self, (first, end): (usize, usize)) -> bool {
        (first..end).any(|at| {
            let token = self.sentence.token(at);
            let is_word =
                token.is_some_and(|token| matches!(token.shape, Shape::Word | Shape::Han));
            is_word && !self.is_value(at, at + 1)
        })
    }

    fn has(&self, at: usize, term: Term) -> bool {
        self.sentence.senses(at).iter().any(|sense| sense.term == term)
            && !self.is_value(at, at + 1)
    }

    fn is_sign(&self, at: usize) -> bool {
        let Some(token) = self.sentence.token(at) else { return false };
        let sign = &self.sentence.text.normalized()[token.start..token.end];
        matches!(sign, "," | ";" | "。" | "?" | "!" | "；" | "，" | "、" | "…" | "–" | "—" | ":")
            && !self.is_value(at, at + 1)
    }

    /// Returns whether a stretch of tokens overlaps a value.
    fn is_value(&self, first: usize, end: usize) -> bool {
        let ends = (self.sentence.token(first), self.sentence.token(end.saturating_sub(1)));
        let (Some(first), Some(last)) = ends else { return false };
        self.taken.overlap(self.sentence.text.span(first.start, last.end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, language: Language) -> Vec<String> {
        let text = Text::new(text);
        let found = conditions(&text, &[], language);
        found.iter().map(|span| text.slice(*span).to_owned()).collect()
    }

    #[test]
    fn a_condition_is_found_in_ten_languages_before_and_behind_what_is_asked_for() {
        use Language::{De, En, Es, Fr, Id, Ja, Pt, Vi, ZhHans, ZhHant};
        for (language, text, condition) in [
            (En, "raise it by 2 only if the pump is above 80", "only if the pump is above 80"),
            (En, "close the valve as long as nobody is inside", "as long as nobody is inside"),
            (En, "when the beam is back then open the shutter", "when the beam is back"),
            (En, "keep it closed until the crew has left", "until the crew has left"),
            (ZhHant, "若束流低於 10 才把它設成 118", "若束流低於 10"),
            (ZhHant, "束流太低的話，把閥門關上", "束流太低的話"),
            (ZhHans, "如果泵停了，就关掉阀门", "如果泵停了"),
            (ZhHans, "关掉阀门，除非有人在里面", "除非有人在里面"),
            (ZhHans, "如果再下雨就关掉阀门", "如果再下雨"),
            (De, "wenn so viel Wasser da ist, schließ das Ventil", "wenn so viel Wasser da ist"),
            (Es, "Si la bomba baja de 50, pon la válvula a 96", "Si la bomba baja de 50"),
            (Es, "abre la puerta siempre que no llueva", "siempre que no llueva"),
            (Vi, "nếu bơm dưới 300 thì đóng van lại", "nếu bơm dưới 300"),
            (Vi, "dong van lai tru khi co nguoi o trong", "tru khi co nguoi o trong"),
            (Fr, "ferme la vanne à moins que la pompe tourne", "à moins que la pompe tourne"),
            (
                Pt,
                "feche a válvula a menos que a bomba esteja ligada",
                "a menos que a bomba esteja ligada",
            ),
            (De, "Wenn die Pumpe steht, schließ das Ventil", "Wenn die Pumpe steht"),
            (De, "schließ das Ventil, es sei denn die Pumpe läuft", "es sei denn die Pumpe läuft"),
            (Ja, "ポンプが止まったら、バルブを閉めて", "ポンプが止まったら"),
            (Ja, "圧力が低い場合は、バルブを閉めて", "圧力が低い場合は"),
            (Id, "tutup katup kalau pompanya mati", "kalau pompanya mati"),
        ] {
            assert_eq!(of(text, language), [condition], "{text}");
        }
    }

    #[test]
    fn a_bound_or_politeness_is_no_condition() {
        use Language::{De, En, Es, Fr, Ja, Vi, ZhHans, ZhHant};
        for (language, text) in [
            (En, "book the room until 5"),
            (En, "close the valve if you can, please"),
            (En, "close the valve if possible"),
            (En, "set the valve to 5"),
            (Es, "si, cierra la válvula"),
            (Es, "cierra la válvula si puedes"),
            (Fr, "ferme la vanne, s'il te plaît"),
            (De, "schließ das Ventil, wenn möglich"),
            (ZhHant, "可以的話，把閥門關上"),
            (ZhHans, "方便的话关掉阀门"),
            (Ja, "できればバルブを閉めて"),
            (Vi, "nếu được thì đóng van lại"),
        ] {
            assert!(of(text, language).is_empty(), "{text}: {:?}", of(text, language));
        }
    }
}

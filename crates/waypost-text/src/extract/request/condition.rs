//! The conditions under which something is asked for: "set it to 5 unless the pump runs".

use crate::extract::grammar::lexicon::Lexicon;
use crate::extract::grammar::sentence::Sentence;
use crate::extract::grammar::term::Term;
use crate::extract::grammar::token::Shape;
use crate::extract::ranges::bounds::bounds;
use crate::extract::value::{Interval, Value};
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

/// The numbers that a condition speaks of, for the thing that it names.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConditionBound {
    /// The numbers.
    pub interval: Interval,
    /// True if the thing must not read one of them: "unless".
    pub fails: bool,
    /// The unit of the numbers in UCUM; `None` where none was said, or that of the thing.
    pub unit: Option<&'static str>,
}

/// Reads the words of one condition that compares the thing at `named` with a number, now. `unit` is how the thing's own unit is
/// written.
///
/// `None` unless every word is read: a word that is neither the name, nor the bound, nor one that says nothing more ("reads",
/// "the") may change what is meant, and so may a second bound or a word about another time ("until", "once").
///
/// # Example
///
/// ```
/// use waypost_text::extract::condition_bound;
/// use waypost_text::{language::Language, text::{Span, Text}};
///
/// let of = |text: &str| {
///     let start = text.find("QF2")?;
///     condition_bound(&Text::new(text), Language::En, Span { start, end: start + 3 }, Some("A"))
/// };
/// let above = of("unless QF2 is above 100 A").unwrap();
/// assert_eq!((above.interval.low, above.interval.low_included, above.fails), (Some(100.0), false, true));
/// assert_eq!(of("if QF2 is above 100 mA").unwrap().unit, Some("mA"));
/// assert_eq!(of("if QF2 was above 100 A"), None);
/// assert_eq!(of("until QF2 is above 100"), None);
/// ```
pub fn condition_bound(
    text: &Text,
    language: Language,
    named: Span,
    unit: Option<&str>,
) -> Option<ConditionBound> {
    let [bound] = <[_; 1]>::try_from(bounds(text, language)).ok()?;
    if bound.span.overlaps(named) {
        return None;
    }
    let sign = unit.filter(|_| bound.unit.is_none()).and_then(|unit| sign(text, bound.span, unit));
    let read = Spans::of([named, bound.span].into_iter().chain(sign));
    let sentence = Sentence::read(text, language, Lexicon::ROLES);
    let (mut at, mut fails) = (0, None);
    while let Some(token) = sentence.token(at) {
        let span = text.span(token.start, token.end);
        if read.hold(span) {
            at += 1;
            continue;
        }
        // A single letter behind a number may be a unit: the A of "above 5 A" is no article.
        let is_letter = span.len() == 1 && token.shape == Shape::Word;
        if read.overlap(span) || is_letter && bound.span.end <= span.start {
            return None;
        }
        let ends = |end: usize| at == 0 || end == sentence.tokens.len();
        let sense = sentence.senses(at).iter().find(|sense| match sense.term {
            Term::Holds | Term::Fails => ends(sense.end),
            Term::Measured => true,
            _ => false,
        })?;
        let last = sentence.token(sense.end.checked_sub(1)?)?;
        if read.overlap(text.span(token.start, last.end)) {
            return None;
        }
        match (sense.term, fails) {
            (Term::Measured, _) => {}
            (term, None) => fails = Some(term == Term::Fails),
            // 如果…的話
            (Term::Holds, Some(false)) => {}
            _ => return None,
        }
        at = sense.end;
    }
    Some(ConditionBound { interval: bound.interval, fails: fails?, unit: bound.unit })
}

/// The place of a unit right behind a bound, where it is written just so.
fn sign(text: &Text, bound: Span, unit: &str) -> Option<Span> {
    let behind: String = text.original().chars().skip(bound.end).collect();
    let free = behind.trim_start();
    let rest = free.strip_prefix(unit).filter(|_| !unit.is_empty())?;
    let start = bound.end + behind.chars().count() - free.chars().count();
    let closed = !rest.starts_with(char::is_alphanumeric);
    closed.then(|| Span { start, end: start + unit.chars().count() })
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

    #[test]
    fn a_condition_about_a_number_now_is_read_whole_or_not_at_all() {
        use Language::{De, En, Es, Fr, Id, Ja, Pt, Vi, ZhHans, ZhHant};
        let above = |low| (Some(low), None, false);
        let below = |high| (None, Some(high), false);
        let unless = |(low, high, _)| (low, high, true);
        for (language, text, name, wanted) in [
            (En, "if the loss monitor reads above 500", "loss monitor", Some(above(500.0))),
            (En, "only if the value of QF2 is below 90 A", "QF2", Some(below(90.0))),
            (En, "unless QF2 > 100", "QF2", Some(unless(above(100.0)))),
            (ZhHant, "如果束流損失高於 500", "束流損失", Some(above(500.0))),
            (ZhHant, "若束流損失讀數低於 500 的話", "束流損失", Some(below(500.0))),
            (ZhHans, "除非束流损失高于 100", "束流损失", Some(unless(above(100.0)))),
            (Vi, "nếu tổn hao chùm trên 500", "tổn hao chùm", Some(above(500.0))),
            (Vi, "trừ khi tổn hao chùm dưới 5", "tổn hao chùm", Some(unless(below(5.0)))),
            (Es, "si la pérdida de haz es mayor que 500", "pérdida de haz", Some(above(500.0))),
            (Es, "a menos que QF2 supera 100", "QF2", Some(unless(above(100.0)))),
            (Fr, "si QF2 dépasse 100", "QF2", Some(above(100.0))),
            (De, "wenn QF2 über 100 liegt", "QF2", Some(above(100.0))),
            (Pt, "se QF2 está acima de 100", "QF2", Some(above(100.0))),
            (Id, "jika QF2 di atas 100", "QF2", Some(above(100.0))),
            // Each of these says more than the number, or says it of another time.
            (En, "if the mean loss monitor reads above 500", "loss monitor", None),
            (En, "if QF2 was above 100", "QF2", None),
            (En, "if QF2 is no longer above 100", "QF2", None),
            (En, "if QF2 is above 100 for 5 minutes", "QF2", None),
            (En, "if QF2 is above 100 Q", "QF2", None),
            (En, "if QF2 is above 100 or below 20", "QF2", None),
            (En, "if QF2 drops below 100", "QF2", None),
            (En, "if QF2 stops", "QF2", None),
            (En, "even if QF2 is above 100", "QF2", None),
            (En, "when QF2 is above 100", "QF2", None),
            (En, "until QF2 is above 100", "QF2", None),
            (ZhHant, "如果只有 QF2 高於 100", "QF2", None),
            (ZhHant, "如果 QF2 不再高於 100", "QF2", None),
            (ZhHant, "一旦 QF2 高於 100", "QF2", None),
            (Vi, "khi QF2 trên 100", "QF2", None),
            (Es, "cuando QF2 supera 100", "QF2", None),
            (Ja, "QF2 が 100 になったら", "QF2", None),
        ] {
            let source = Text::new(text);
            let start = text.find(name).map(|at| text[..at].chars().count()).unwrap();
            let named = Span { start, end: start + name.chars().count() };
            let found = condition_bound(&source, language, named, Some("A"));
            let found = found.map(|own| (own.interval.low, own.interval.high, own.fails));
            assert_eq!(found, wanted, "{text}");
        }
    }
}

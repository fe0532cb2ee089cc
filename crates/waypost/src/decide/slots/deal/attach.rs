//! Tells the two sides of a conversion apart by what each stands beside: the side that a given value
//! stands with is the source ("9 am in Lima"), and the side that is asked about is the target ("what
//! time is it in Rome").
//!
//! Words that say a role outright ("from Lima to Rome") come first and are not looked at here.

use waypost_core::text_match::is_han;
use waypost_text::extract::{Kind, Role, Value};
use waypost_text::text::Span;

use crate::understand::Turn;

/// As far as an article and a preposition: "at", "it is in" is further.
const BESIDE: f64 = 1.5;
/// The distance that something else between two things adds.
const DIVIDED: f64 = 6.0;
/// The most places of one sort that are looked at.
const MOST: usize = 16;

/// A side of a conversion: where it is named, once or more, and the role that words give it outright.
pub(in crate::decide::slots) struct End {
    pub(in crate::decide::slots) spans: Vec<Span>,
    pub(in crate::decide::slots) role: Option<Role>,
}

/// The roles of the sides of a conversion, in their order; `None` where the words do not tell.
///
/// `kind` is the kind of both sides, and `values` are all that were said.
pub(in crate::decide::slots) fn roles(
    turn: &Turn<'_>,
    ends: &[End],
    kind: Kind,
    values: &[&Value],
) -> Vec<Option<Role>> {
    let said = |end: &End| end.role.filter(|role| matches!(role, Role::Source | Role::Target));
    let told: Vec<Option<Role>> = ends.iter().map(said).collect();
    let places = Places::read(turn, ends, kind, values);
    match (ends, &told[..]) {
        ([_, _], [Some(first), None]) => vec![Some(*first), Some(other_side(*first))],
        ([_, _], [None, Some(second)]) => vec![Some(other_side(*second)), Some(*second)],
        ([one, two], [None, None]) => places.pair(&one.spans, &two.spans),
        ([one], [None]) => vec![places.alone(&one.spans)],
        _ => told,
    }
}

fn other_side(role: Role) -> Role {
    if role == Role::Source { Role::Target } else { Role::Source }
}

/// The places in a text that a side may stand beside.
struct Places<'a> {
    turn: &'a Turn<'a>,
    /// The values that are given: a time, an amount.
    given: Vec<Span>,
    /// The words that ask for the other side's.
    sought: Vec<Span>,
    ends: Vec<Span>,
}

impl<'a> Places<'a> {
    fn read(turn: &'a Turn<'a>, ends: &[End], kind: Kind, values: &[&Value]) -> Self {
        let converted = [
            Kind::Time,
            Kind::Datetime,
            Kind::Number,
            Kind::Quantity,
            Kind::Money,
            Kind::Percentage,
        ];
        let given = values.iter().filter(|value| value.kind != kind);
        let given = given.filter(|value| converted.contains(&value.kind) && !value.rule.is_now());
        let ends: Vec<Span> = ends.iter().flat_map(|end| end.spans.clone()).collect();
        let sought = turn.said.sought().into_iter();
        let sought = sought.filter(|span| !values.iter().any(|value| value.span.overlaps(*span)));
        let given = given.map(|value| value.span).take(MOST).collect();
        Self { turn, given, sought: sought.take(MOST).collect(), ends }
    }

    /// The roles of two sides of which no word says one.
    fn pair(&self, one: &[Span], two: &[Span]) -> Vec<Option<Role>> {
        let given = [self.nearest(&self.given, one), self.nearest(&self.given, two)];
        let sought = [self.nearest(&self.sought, one), self.nearest(&self.sought, two)];
        let (source, target) = (Some(Role::Source), Some(Role::Target));
        let first = || vec![source, target];
        let second = || vec![target, source];
        if self.given.is_empty() {
            return vec![None, None];
        }
        if self.sought.is_empty() {
            return match (given[0] <= BESIDE, given[1] <= BESIDE) {
                (true, false) => first(),
                (false, true) => second(),
                // In Chinese the place stands before its time: 巴黎十點換算台北.
                (true, true) if self.turn.said.language.is_chinese() => {
                    let leads = |end: &[Span]| end.iter().all(|end| *end < self.given[0]);
                    match (leads(one), leads(two)) {
                        (true, false) => first(),
                        (false, true) => second(),
                        _ => vec![None, None],
                    }
                }
                _ => vec![None, None],
            };
        }
        // What stands with the given value alone, then what stands with the question alone.
        let is_given = |side: usize| given[side] <= BESIDE && sought[side] > BESIDE;
        let is_sought = |side: usize| sought[side] <= BESIDE && given[side] > BESIDE;
        match (is_given(0), is_given(1), is_sought(0), is_sought(1)) {
            (true, false, ..) | (false, false, false, true) => first(),
            (false, true, ..) | (false, false, true, false) => second(),
            _ => {
                let (forth, back) = (given[0] + sought[1], given[1] + sought[0]);
                match forth.total_cmp(&back) {
                    std::cmp::Ordering::Less => first(),
                    std::cmp::Ordering::Greater => second(),
                    std::cmp::Ordering::Equal => vec![None, None],
                }
            }
        }
    }

    /// The role of the only side that is named; the other is the usual one.
    fn alone(&self, end: &[Span]) -> Option<Role> {
        let (given, sought) = (self.nearest(&self.given, end), self.nearest(&self.sought, end));
        // "What is 3 pm in Tokyo" may mean either.
        let opens = |sought: &Span| self.given.iter().any(|given| sought.end <= given.start);
        let only_opens = self.sought.iter().all(opens) && self.sought.len() <= 1;
        let first = end.first().copied().unwrap_or(Span { start: 0, end: 0 });
        let leads = self.turn.said.role(first).is_some();
        let is_behind = self.given.iter().any(|given| given.end <= first.start);
        match (given <= BESIDE, sought <= BESIDE) {
            (true, false) if only_opens && leads && is_behind => None,
            (true, false) => Some(Role::Source),
            (false, true) => Some(Role::Target),
            _ => None,
        }
    }

    fn nearest(&self, places: &[Span], end: &[Span]) -> f64 {
        let pairs = places.iter().flat_map(|place| end.iter().map(|end| (*place, *end)));
        let distances = pairs.map(|(place, end)| self.distance(place, end));
        distances.fold(f64::INFINITY, f64::min)
    }

    /// Words between two places; what else is asked, given or named between them divides them.
    fn distance(&self, one: Span, two: Span) -> f64 {
        let (first, last) = if one.start <= two.start { (one, two) } else { (two, one) };
        let gap = Span { start: first.end.min(last.start), end: last.start };
        let all = self.given.iter().chain(&self.sought).chain(&self.ends);
        let between = all.filter(|span| **span != one && **span != two && gap.overlaps(**span));
        length(self.turn.said.text.slice(gap)) + DIVIDED * between.count() as f64
    }
}

/// The length of what stands between two things, in words: a pause is as long as two, and two Han
/// characters are one.
fn length(gap: &str) -> f64 {
    let han = gap.chars().filter(|c| is_han(*c)).count() as f64;
    let is_word = |word: &&str| word.chars().any(|c| c.is_alphanumeric() && !is_han(c));
    let words = gap.split_whitespace().filter(is_word).count() as f64;
    let is_pause = |c: &char| ",;:.?!，；：。？！、—–=".contains(*c);
    words + han / 2.0 + 2.0 * gap.chars().filter(is_pause).count() as f64
}

//! Amounts of money: $5.20, 20 euros con 50, 五块三毛, US$4.7 billion.

use crate::extract::Found;
use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::rule::rule;
use crate::extract::grammar::term::Term;
use crate::extract::grammar::token::Shape;
use crate::extract::grammar::units::Coin;
use crate::extract::kind::Kind;
use crate::extract::lang::measures as units;
use crate::extract::value::Reading;

use super::number;
use super::quantity::{self, Count, count, link, tidy, trailing};
use super::unit::sees_unit;

/// From so many pounds on they are money; fewer may be a weight.
const TOO_HEAVY: f64 = 100_000.0;

/// Finds an amount of money.
pub(crate) fn money(cursor: &mut Cursor<'_>) -> Option<Found> {
    if quantity::may_begin(*cursor) { read(cursor) } else { None }
}

/// Reads an amount of money, whatever stands before.
pub(crate) fn read(cursor: &mut Cursor<'_>) -> Option<Found> {
    let mut sum = cursor.first_of(&[signed, counted, coins])?;
    while let Some(smaller) = cursor.attempt(|cursor| smaller(cursor, &sum)) {
        sum.value += smaller.value;
        sum.step = smaller.step;
        sum.codes = common(sum.codes, smaller.codes);
    }
    let mut codes = sum.codes.to_vec();
    if let Some(own) = cursor.context.conventions.currency
        && let Some(at) = codes.iter().position(|code| *code == own)
    {
        codes[..=at].rotate_right(1);
    }
    let value = tidy(sum.value);
    let mut readings = codes.into_iter().map(|currency| Reading::Money { value, currency });
    let first = readings.next()?;
    let readings: Vec<Reading> = readings.collect();
    let others = sum.other.zip(sum.codes.first());
    let other = others.map(|(value, currency)| Reading::Money { value, currency });
    Some(Found::new(Kind::Money, first, rule(cursor.tongue, "money")).or(readings).or(other))
}

/// Reads one amount without smaller parts behind it, such as the end of a stretch: 20 dollars, $5.
pub(crate) fn single(cursor: &mut Cursor<'_>) -> Option<f64> {
    cursor.first_of(&[signed, counted]).map(|sum| tidy(sum.value))
}

/// Currencies in ISO 4217, the likeliest first.
type Codes = &'static [&'static str];

/// An amount so far.
#[derive(Debug, Clone, Copy)]
struct Sum {
    value: f64,
    other: Option<f64>,
    codes: Codes,
    /// The worth of the smallest part so far; only smaller ones may follow.
    step: f64,
}

impl Sum {
    fn new(count: &Count, codes: Codes) -> Self {
        let is_whole = count.value.fract() == 0.0;
        let step = if is_whole { 1.0 } else { 0.0 };
        Self { value: count.value, other: count.other, codes, step }
    }

    fn times(mut self, scale: f64) -> Self {
        self.value *= scale;
        self.other = self.other.map(|other| other * scale);
        self.step = 0.0;
        self
    }
}

/// Of two lists the shorter says more: "$ 10 US dollars" are not Australian.
fn common(one: Codes, two: Codes) -> Codes {
    let narrows = two.len() < one.len() && two.iter().all(|code| one.contains(code));
    if narrows { two } else { one }
}

/// Reads $5, EUR 20.0, us$ 4.7 billion, -$3.
fn signed(cursor: &mut Cursor<'_>) -> Option<Sum> {
    let minus = cursor.attempt(|cursor| {
        cursor.symbol("-−")?;
        cursor.is_glued().then_some(())
    });
    let codes = sign(cursor)?;
    let second = cursor.attempt(|cursor| if cursor.is_glued() { sign(cursor) } else { None });
    let codes = second.map_or(codes, |second| common(codes, second));
    cursor.attempt(|cursor| cursor.eat(Term::Is));
    let words = cursor.shape() == Some(Shape::Word);
    let count = count(cursor).filter(|count| !count.is_one || !words || count.value != 1.0)?;
    let mut sum = Sum::new(&count, codes);
    if let Some(scale) = cursor.attempt(money_scale) {
        sum = sum.times(scale);
    } else if count.value.abs() >= 1e6 {
        sum.step = 0.0;
    }
    let named = cursor.attempt(|cursor| {
        let word = cursor.shape() != Some(Shape::Symbol);
        cursor.take(currency).filter(|own| word && meets(own, codes))
    });
    if let Some(named) = named {
        sum.codes = common(codes, named);
    } else {
        sum.value += trailing(cursor);
    }
    if minus.is_some() {
        sum.value = -sum.value;
    }
    is_end(*cursor).then_some(sum)
}

fn meets(one: Codes, two: Codes) -> bool {
    one.iter().any(|code| two.contains(code))
}

/// Reads a sign before a number. The a of "a $5 bill" and of "pagar a $5" is no Australian dollar.
fn sign(cursor: &mut Cursor<'_>) -> Option<Codes> {
    let start = *cursor;
    // The s of "it's $5" is none of Singapore's.
    let apostrophe = start.back().is_some_and(|before| "'’".contains(before.character()));
    if apostrophe && start.is_glued() {
        return None;
    }
    let is_letter =
        start.shape() == Some(Shape::Word) && start.sentence.tokens.text(start.at).len() == 1;
    let is_article = is_letter || start.sees(Term::One);
    let senses = start.sentence.senses(start.at).iter();
    let found = senses.filter_map(|sense| match sense.term {
        Term::CurrencySign(codes) => Some((sense, codes)),
        _ => None,
    });
    let glued = |end: usize| (start.at + 1..end).all(|at| start.sentence.tokens.glued(at));
    let (sense, codes) = found.into_iter().find(|(sense, _)| !is_article || glued(sense.end))?;
    cursor.take(|term| (term == sense.term).then_some(()))?;
    cursor.at = sense.end;
    Some(codes)
}

/// Reads the m of $5m and the bn of £2 bn.
fn money_scale(cursor: &mut Cursor<'_>) -> Option<f64> {
    let is_long = cursor.sentence.tokens.text(cursor.at).len() > 1;
    if !cursor.is_glued() && !is_long {
        return None;
    }
    let scale = cursor.take(|term| match term {
        Term::MoneyScale(scale) => Some(scale),
        _ => None,
    })?;
    (!cursor.is_glued() || cursor.shape() != Some(Shape::Word)).then_some(scale)
}

fn currency(term: Term) -> Option<Codes> {
    match term {
        Term::Currency(codes) | Term::CurrencySign(codes) => Some(codes),
        _ => None,
    }
}

/// Reads 20 euros, ten US dollars, 8亿元, 75 USD million, 30 MUSD.
fn counted(cursor: &mut Cursor<'_>) -> Option<Sum> {
    let count = count(cursor)?;
    let scale = cursor.attempt(money_scale);
    link(cursor, &count);
    let start = *cursor;
    let (codes, millions) = behind(cursor, &count)?;
    let scale = scale.or(millions.then_some(1e6));
    let scale = scale.or_else(|| cursor.attempt(|cursor| scale_behind(cursor, start)));
    let mut sum = Sum::new(&count, codes);
    match scale {
        Some(scale) => sum = sum.times(scale),
        None => sum.value += trailing(cursor),
    }
    let is_weight = start.sees(Term::Measure(&units::POUND)) && sum.value < TOO_HEAVY;
    (!is_weight && is_end(*cursor)).then_some(sum)
}

/// Reads a currency behind a number, and whether it counts in millions.
fn behind(cursor: &mut Cursor<'_>, count: &Count) -> Option<(Codes, bool)> {
    let start = *cursor;
    let (codes, form) = cursor.take(|term| match term {
        Term::Currency(codes) => Some((codes, Form::Word)),
        Term::CurrencySign(codes) => Some((codes, Form::Sign)),
        Term::CurrencyCode(codes) => Some((codes, Form::Code)),
        Term::Millions(codes) => Some((codes, Form::Millions)),
        _ => None,
    })?;
    let fits = match form {
        Form::Word | Form::Millions => true,
        // The sign of "1 $10 bill" belongs to what is behind it.
        Form::Sign => {
            let symbol = start.shape() == Some(Shape::Symbol);
            let han = start.shape() == Some(Shape::Han);
            let digits = cursor.shape() == Some(Shape::Digits);
            let goes_on = digits && !han && (symbol || cursor.is_glued());
            cursor.attempt(|cursor| if cursor.is_glued() { cursor.symbol("$") } else { None });
            !goes_on && (!count.is_one || han)
        }
        Form::Code => is_upper(start, cursor.at),
    };
    (fits && is_end(*cursor)).then_some((codes, form == Form::Millions))
}

/// The form in which a currency was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Word,
    Sign,
    Code,
    Millions,
}

fn is_upper(start: Cursor<'_>, end: usize) -> bool {
    let Some(first) = start.sentence.token(start.at) else { return false };
    let Some(last) = end.checked_sub(1).and_then(|at| start.sentence.token(at)) else {
        return false;
    };
    let text = start.sentence.text;
    let typed = text.slice(text.span(first.start, last.end));
    !typed.chars().any(char::is_lowercase)
}

/// Reads the million of "75 USD million": behind a code only.
fn scale_behind(cursor: &mut Cursor<'_>, currency: Cursor<'_>) -> Option<f64> {
    let code = currency.sentence.senses(currency.at).iter();
    let mut code = code.filter(|sense| sense.end == cursor.at);
    code.find(|sense| matches!(sense.term, Term::CurrencySign(_)))?;
    if currency.shape() == Some(Shape::Han) {
        return None;
    }
    cursor.take(quantity::scale)
}

/// Reads 50 cents, 两毛, a dime; a dime without its "a" only if nothing else is said.
fn coins(cursor: &mut Cursor<'_>) -> Option<Sum> {
    let start = *cursor;
    let one = Count { value: 1.0, other: None, is_one: true };
    let counted = cursor.attempt(count);
    let count = counted.unwrap_or(one);
    link(cursor, &count);
    let coin = cursor.take(|term| match term {
        Term::Coin(coin) => Some(coin),
        _ => None,
    })?;
    if counted.is_none() && !(start.at == 0 && cursor.shape().is_none()) {
        return None;
    }
    let mut value = count.value * coin.worth;
    value += trailing(cursor) * coin.worth;
    let whole = Count { value, other: None, is_one: false };
    is_end(*cursor).then(|| Sum { step: coin.worth, ..Sum::new(&whole, coin.codes) })
}

/// Reads a smaller part of the amount: and 43 cents, con 50, 三毛, 43.
fn smaller(cursor: &mut Cursor<'_>, sum: &Sum) -> Option<Sum> {
    if sum.step == 0.0 || sum.value < 0.0 {
        return None;
    }
    let comma = cursor.attempt(|cursor| cursor.symbol(",")).is_some();
    let joined = !comma && cursor.attempt(joint).is_some();
    let coin = cursor.attempt(|cursor| some_coins(cursor, sum));
    match coin {
        Some(coin) => Some(coin),
        None if comma || sum.step < 1.0 => None,
        None => bare_cents(cursor, sum, joined),
    }
}

fn joint(cursor: &mut Cursor<'_>) -> Option<()> {
    cursor.take(|term| matches!(term, Term::And | Term::With).then_some(()))
}

fn some_coins(cursor: &mut Cursor<'_>, sum: &Sum) -> Option<Sum> {
    let count = count(cursor)?;
    let coin: &'static Coin = cursor.take(|term| match term {
        Term::Coin(coin) | Term::CoinSign(coin) => Some(coin),
        _ => None,
    })?;
    let small = coin.worth < sum.step && count.value * coin.worth < 1.0 && count.value > 0.0;
    let value = (count.value + trailing(cursor)) * coin.worth;
    let fits = small && is_end(*cursor);
    fits.then_some(Sum { value, other: None, codes: coin.codes, step: coin.worth })
}

/// Reads the cents of "15 dollars 50" and "one dollar and one", which nothing names.
fn bare_cents(cursor: &mut Cursor<'_>, sum: &Sum, joined: bool) -> Option<Sum> {
    if cursor.is_glued() {
        return None;
    }
    let digits = cursor.shape() == Some(Shape::Digits);
    let start = cursor.at;
    let value = number::count(cursor)?;
    let two_digits = !digits || cursor.sentence.tokens.text(start).len() == 2;
    let fits = if joined {
        (1.0..100.0).contains(&value) && is_clause_end(*cursor)
    } else {
        two_digits && (10.0..100.0).contains(&value) && !is_count(*cursor)
    };
    let fits = fits && value.fract() == 0.0 && cursor.is_closed(".,:/-");
    fits.then_some(Sum { value: value / 100.0, other: None, codes: sum.codes, step: 0.0 })
}

/// Returns whether nothing follows that the number before could count.
fn is_clause_end(cursor: Cursor<'_>) -> bool {
    match cursor.shape() {
        None => true,
        Some(Shape::Symbol) => cursor.peek_symbol() != Some('%') && !sees_unit(cursor),
        _ => cursor.sees(Term::And),
    }
}

/// Returns whether something follows that the number before counts.
fn is_count(mut cursor: Cursor<'_>) -> bool {
    sees_unit(cursor)
        || cursor
            .take(|term| match term {
                Term::Unit(_)
                | Term::Counter
                | Term::Percent
                | Term::OrdinalSuffix
                | Term::HourMark
                | Term::Scale(_) => Some(()),
                _ => None,
            })
            .is_some()
}

/// Returns whether the amount ends here: a letter behind it makes it a name.
fn is_end(end: Cursor<'_>) -> bool {
    if !end.is_glued() {
        return true;
    }
    let before = end.back().and_then(|before| before.shape());
    match end.shape() {
        Some(Shape::Word) => !matches!(before, Some(Shape::Word | Shape::Digits)),
        Some(Shape::Digits) => matches!(before, Some(Shape::Han | Shape::Symbol)),
        _ => true,
    }
}

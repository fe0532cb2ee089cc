//! Numbers in digits: 1,234.5, 1.234,5, 12,34,567, 40 000, .5, 1.3e6, 2 1/4.
//!
//! The language decides which of the two separators is the decimal one; where it leaves that open,
//! the other meaning is kept as a second reading.

use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::term::Term;
use crate::extract::grammar::token::Shape;
use crate::extract::values::unit::sees_unit;

/// The signs between the two numbers of a fraction; ½ is written with the second.
const SLASHES: &str = "/⁄";

/// The most groups of digits of a number; more are a table, and each of its groups would read all of it.
const MOST_GROUPS: usize = 12;

/// A number in digits, without its sign.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Figure {
    pub(crate) value: f64,
    /// The number if its separators mean something else.
    pub(crate) other: Option<f64>,
    /// True if it has neither separators nor a decimal part.
    pub(crate) is_whole: bool,
}

impl Figure {
    fn whole(digits: &str) -> Option<Self> {
        Some(Self { value: digits.parse().ok()?, other: None, is_whole: true })
    }

    fn decimal(whole: &str, fraction: &str) -> Option<Self> {
        let value = format!("{whole}.{fraction}").parse().ok()?;
        Some(Self { value, other: None, is_whole: false })
    }
}

/// Reads a number in digits in any of its forms.
pub(crate) fn figure(cursor: &mut Cursor<'_>) -> Option<Figure> {
    if let Some(figure) = cursor.attempt(bare_row) {
        return Some(figure);
    }
    let figure = cursor.first_of(&[mixed, fraction, spaced, indian, separated, bare, plain])?;
    let Some(power) = cursor.attempt(power) else { return Some(figure) };
    let value = match power {
        Power::Of(exponent) => figure.value.powf(exponent),
        Power::OfTen(exponent) => figure.value * 10f64.powf(exponent),
    };
    value.is_finite().then_some(Figure { value, other: None, is_whole: false })
}

/// Reads digits that nothing is written to and no digits follow, as most are.
fn bare_row(cursor: &mut Cursor<'_>) -> Option<Figure> {
    let digits = cursor.digits()?;
    let alone = match cursor.shape() {
        None | Some(Shape::Han) => true,
        Some(Shape::Digits) => false,
        _ => !cursor.is_glued(),
    };
    if alone { Figure::whole(digits) } else { None }
}

/// Reads 2 1/4.
fn mixed(cursor: &mut Cursor<'_>) -> Option<Figure> {
    let whole: f64 = cursor.digits().filter(|digits| digits.len() <= 6)?.parse().ok()?;
    if cursor.is_glued() {
        return None;
    }
    let part = fraction(cursor)?;
    Some(Figure { value: whole + part.value, ..part })
}

/// Reads 3/4; a further slash makes it a date or a path.
fn fraction(cursor: &mut Cursor<'_>) -> Option<Figure> {
    // 2009/2010 and 112/2108 are years, houses and files.
    let short = |digits: &&str| digits.len() <= 3;
    let above: f64 = cursor.digits().filter(short)?.parse().ok()?;
    cursor.glued_symbol(SLASHES)?;
    let below: f64 = cursor.glued_digits().filter(short)?.parse().ok()?;
    let alone = cursor.is_closed("/⁄.-:") || cursor.shape() == Some(Shape::Han);
    (alone && below != 0.0).then_some(Figure { value: above / below, other: None, is_whole: false })
}

/// Reads 1 234 567.89: groups of three with one space between.
fn spaced(cursor: &mut Cursor<'_>) -> Option<Figure> {
    let list = |at: &Cursor<'_>| at.shape() == Some(Shape::Digits) && !at.is_glued();
    let after_digits = cursor.back().is_some_and(|before| before.shape() == Some(Shape::Digits));
    let head = cursor.digits().filter(|head| head.len() <= 3 && !head.starts_with('0'))?;
    let mut digits = head.to_owned();
    for _ in 0..MOST_GROUPS {
        let next = cursor.attempt(|cursor| {
            let one_space = cursor.gap() == 1;
            cursor.digits().filter(|digits| one_space && digits.len() == 3)
        });
        let Some(three) = next else { break };
        digits.push_str(three);
    }
    if after_digits || digits.len() == head.len() || list(cursor) || !cursor.is_closed("-/⁄:") {
        return None;
    }
    decimals(cursor, &digits, ".,")
}

/// Reads 12,34,567: two digits between the commas, three behind the last.
fn indian(cursor: &mut Cursor<'_>) -> Option<Figure> {
    let head = cursor.digits().filter(|head| head.len() <= 2)?;
    let mut digits = head.to_owned();
    for _ in 0..MOST_GROUPS {
        let next = cursor.attempt(|cursor| {
            cursor.glued_symbol(",")?;
            cursor.glued_digits().filter(|digits| digits.len() == 2)
        });
        let Some(two) = next else { break };
        digits.push_str(two);
    }
    cursor.glued_symbol(",")?;
    let last = cursor.glued_digits().filter(|last| last.len() == 3)?;
    if digits.len() == head.len() {
        return None;
    }
    digits.push_str(last);
    decimals(cursor, &digits, ".").filter(|_| cursor.is_closed(",."))
}

/// Reads an optional decimal part behind `digits`.
fn decimals(cursor: &mut Cursor<'_>, digits: &str, points: &str) -> Option<Figure> {
    match cursor.attempt(|cursor| {
        cursor.glued_symbol(points)?;
        cursor.glued_digits()
    }) {
        Some(fraction) => Figure::decimal(digits, fraction),
        None => Figure::whole(digits),
    }
}

/// Reads 1,234.5 and 1.234,5, the one of the language first.
fn separated(cursor: &mut Cursor<'_>) -> Option<Figure> {
    let english = [(",", "."), (".", ",")];
    let [first, second] = english;
    let order = if cursor.habits().decimal_comma { [second, first] } else { english };
    let usual = order[0];
    let in_list =
        cursor.is_glued() && cursor.back().is_some_and(|before| before.peek_symbol() == Some(','));
    order.into_iter().find_map(|(group, point)| {
        cursor.attempt(|cursor| {
            let figure = grouped(cursor, group, point, cursor.habits().decimal_comma)?;
            let decimal_by_habit = (group, point) == usual;
            // The 26,31 of "22,24,26,31" are two numbers.
            (decimal_by_habit || !figure.is_whole && !in_list).then_some(figure)
        })
    })
}

/// Reads digits in groups of three, or with a decimal sign; not if the text goes on in another way.
fn grouped(cursor: &mut Cursor<'_>, group: &str, point: &str, open: bool) -> Option<Figure> {
    let head = cursor.digits()?;
    let mut digits = head.to_owned();
    let mut groups = 0;
    let mut greatest = head;
    if head.len() <= 3 && !head.starts_with('0') {
        while groups < MOST_GROUPS {
            let next = cursor.attempt(|cursor| {
                cursor.glued_symbol(group)?;
                cursor.glued_digits().filter(|digits| digits.len() == 3)
            });
            let Some(three) = next else { break };
            digits.push_str(three);
            groups += 1;
            greatest = greatest.max(three);
        }
    }
    let fraction = cursor.attempt(|cursor| {
        // The comma of Chinese sentences parts two numbers: 5，6月.
        let parts = cursor.typed() == "，";
        cursor.glued_symbol(point).filter(|_| !parts)?;
        cursor.glued_digits()
    });
    // 192.168.100.200 is the address of a machine.
    let is_address = group == "." && groups == 3 && head.len() == 3 && greatest < "256";
    // 118,200,12 is a list, and 1.2.3 a version.
    if is_address || !cursor.is_closed_but_letters(".,") {
        return None;
    }
    let whole: f64 = digits.parse().ok()?;
    let Some(fraction) = fraction else {
        let other = (groups == 1 && open).then_some(whole / 1000.0);
        return Some(Figure { value: whole, other, is_whole: groups == 0 });
    };
    let decimal = Figure::decimal(&digits, fraction)?;
    let may_group = open && groups == 0 && fraction.len() == 3 && head.len() <= 3;
    let other = (may_group && !head.starts_with('0'))
        .then(|| format!("{digits}{fraction}").parse().ok())
        .flatten();
    Some(Figure { other, ..decimal })
}

/// Reads .5, which leaves the zero out; the comma only where it is the decimal sign.
fn bare(cursor: &mut Cursor<'_>) -> Option<Figure> {
    let before = cursor.back();
    let after_dot = before.is_some_and(|before| matches!(before.peek_symbol(), Some('.' | ',')));
    let comma = before.is_none() || !cursor.is_glued() || before?.peek_symbol().is_some();
    let points = if cursor.habits().decimal_comma && comma { ".," } else { "." };
    if cursor.is_glued() && after_dot {
        return None;
    }
    cursor.symbol(points)?;
    let figure = Figure::decimal("0", cursor.glued_digits()?)?;
    cursor.is_closed_but_letters(".,").then_some(figure)
}

/// Reads the digits up to where something else begins: the 22 of `22,24,26`.
fn plain(cursor: &mut Cursor<'_>) -> Option<Figure> {
    let digits = cursor.digits()?;
    let figure = decimals(cursor, digits, ".")?;
    if !cursor.is_closed(".") && !figure.is_whole && cursor.peek_symbol().is_some() {
        return None;
    }
    Some(figure)
}

enum Power {
    Of(f64),
    OfTen(f64),
}

/// Reads ^23, e-4 or x10^6 right behind the digits.
fn power(cursor: &mut Cursor<'_>) -> Option<Power> {
    if cursor.glued_symbol("^").is_some() {
        return exponent(cursor).map(Power::Of);
    }
    if !cursor.is_glued() {
        return None;
    }
    match cursor.word()? {
        "e" => exponent(cursor).map(Power::OfTen),
        "x" => {
            cursor.glued_digits().filter(|ten| *ten == "10")?;
            cursor.glued_symbol("^")?;
            exponent(cursor).map(Power::OfTen)
        }
        _ => None,
    }
}

fn exponent(cursor: &mut Cursor<'_>) -> Option<f64> {
    let mut sign = 1.0;
    // Two signs take each other back; more are a typing error.
    for _ in 0..2 {
        match cursor.glued_symbol("-+−") {
            Some('+') => {}
            Some(_) => sign = -sign,
            None => break,
        }
    }
    let exponent: f64 = cursor.glued_digits()?.parse().ok()?;
    (cursor.is_closed(".") && exponent <= 400.0).then_some(sign * exponent)
}

/// Reads a sign that belongs to the digits behind it: none in `10-15`.
pub(crate) fn sign(cursor: &mut Cursor<'_>) -> f64 {
    let read = cursor.attempt(|cursor| {
        let after_number = cursor.is_glued()
            && cursor.back().is_some_and(|before| {
                matches!(before.shape(), Some(Shape::Digits | Shape::Word))
                    || matches!(before.peek_symbol(), Some('-' | '+' | '−'))
            });
        let starts = cursor.at == 0;
        let sign = cursor.symbol("-+−").filter(|_| !after_number)?;
        let figure = matches!(cursor.shape(), Some(Shape::Digits))
            || matches!(cursor.peek_symbol(), Some('.' | ','));
        // "- 1 4/5" is a number if there is nothing else; otherwise the line is one of a list.
        (figure && (cursor.is_glued() || starts && cursor.is_last_figure())).then_some(sign)
    });
    if matches!(read, Some('-' | '−')) { -1.0 } else { 1.0 }
}

/// Reads a plain decimal with a point and maybe a sign, as coordinates are written.
pub(crate) fn decimal(cursor: &mut Cursor<'_>) -> Option<f64> {
    let sign = sign(cursor);
    decimal_of(cursor, ".").map(|value| sign * value)
}

/// Reads a decimal without a sign, with one of `points` before its decimal part.
pub(crate) fn decimal_of(cursor: &mut Cursor<'_>, points: &str) -> Option<f64> {
    let whole = cursor.digits()?;
    let figure = decimals(cursor, whole, points)?;
    if !cursor.is_closed(".") && !figure.is_whole && cursor.peek_symbol().is_some() {
        return None;
    }
    Some(figure.value)
}

/// Reads a magnitude that is a letter: k, and M where it is written large.
///
/// The b of 1.2b is one in any case: it is no unit, and no item of a list has a decimal part.
pub(crate) fn letter_scale(cursor: &mut Cursor<'_>, money: bool, decimal: bool) -> Option<f64> {
    let glued = cursor.is_glued();
    let large = cursor.is_upper_case() || glued && decimal && !sees_unit(*cursor);
    let scale = cursor.take(|term| match term {
        Term::LetterScale(scale) if large || money => Some(scale),
        Term::MoneyScale(scale) if money => Some(scale),
        _ => None,
    })?;
    // "10 Mb" is cut into other words already; "I have 3 Gs" is not.
    (cursor.is_closed("") && (glued || cursor.shape().is_none() || !cursor.is_glued()))
        .then_some(scale)
}

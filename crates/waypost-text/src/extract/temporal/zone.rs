//! Time zones behind a time of day: Z, +08:00, GMT+2, EST.

use jiff::tz::Offset;

use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::lexicon::Lexicon;
use crate::extract::grammar::term::Term;

/// Reads Z, +08:00, -0500, GMT+2, EST, (UTC).
pub(super) fn zone(cursor: &mut Cursor<'_>, is_iso: bool) -> Option<Offset> {
    let open = cursor.attempt(|cursor| cursor.symbol("(")).is_some();
    // The -3 of "8am-3" is the end of a range.
    let is_range = !is_iso && cursor.peek_symbol().is_some_and(|sign| sign != '+');
    let zone = match cursor.attempt(named_zone) {
        Some(zone) => zone,
        None if is_range => offset(cursor).filter(|_| is_four_digits(*cursor))?,
        None => offset(cursor)?,
    };
    if open {
        cursor.symbol(")")?;
    }
    Some(zone)
}

/// Returns whether a token is a small word of the language and not written in capitals: the "ist" of "um 15 Uhr ist Flut" is a
/// verb.
pub(crate) fn is_lower_word(cursor: &Cursor<'_>) -> bool {
    let word = cursor.sentence.tokens.folded(cursor.at);
    let is_large = cursor.typed().chars().all(char::is_uppercase);
    !is_large && Lexicon::is_small(word, cursor.context.language)
}

fn named_zone(cursor: &mut Cursor<'_>) -> Option<Offset> {
    if cursor.is_glued() && cursor.sentence.tokens.text(cursor.at) == "z" {
        cursor.at += 1;
        return Some(Offset::UTC);
    }
    (!is_lower_word(cursor)).then_some(())?;
    let minutes = cursor.take(|term| match term {
        Term::Zone(minutes) => Some(i32::from(minutes)),
        _ => None,
    })?;
    if minutes == 0
        && let Some(shifted) = cursor.attempt(offset)
    {
        return Some(shifted);
    }
    Offset::from_seconds(minutes * 60).ok()
}

/// Returns whether the four digits of -0500 stand right before.
fn is_four_digits(cursor: Cursor<'_>) -> bool {
    let text = |cursor: Cursor<'_>| cursor.sentence.tokens.text(cursor.at).len();
    cursor.back().is_some_and(|before| text(before) == 4)
}

fn offset(cursor: &mut Cursor<'_>) -> Option<Offset> {
    let named = cursor.follows(|term| matches!(term, Term::Zone(_))).is_some();
    let sign = if cursor.glued_symbol("+-−")? == '+' { 1 } else { -1 };
    let digits = cursor.glued_digits()?;
    // 5:00-6:00 and 下午5點-7點 are ranges.
    if sign < 0 && !named && digits.len() == 1 || cursor.sees(Term::HourMark) {
        return None;
    }
    let minutes = cursor.attempt(|cursor| {
        cursor.glued_symbol(":")?;
        cursor.glued_digits()
    });
    let (hours, minutes) = match (digits.len(), minutes) {
        (4, None) => digits.split_at(2),
        (1 | 2, minutes) => (digits, minutes.unwrap_or("0")),
        _ => return None,
    };
    let seconds = hours.parse::<i32>().ok()? * 3600 + minutes.parse::<i32>().ok()? * 60;
    Offset::from_seconds(sign * seconds).ok()
}

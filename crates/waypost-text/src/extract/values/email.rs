//! E-mail addresses: ana.ruiz+news@mail.example.org, and spoken: ana at example dot org.
//!
//! A linear scan over the tokens: an address begins only where no other could have begun before.

use crate::extract::Found;
use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::rule::rule;
use crate::extract::grammar::term::Term;
use crate::extract::grammar::token::Shape;
use crate::extract::kind::Kind;
use crate::extract::value::Reading;

use super::url;

/// Neither part of an address has more tokens than this.
const LONGEST: usize = 64;

/// Nobody says more dots than this.
const MOST_SPOKEN_DOTS: usize = 4;

/// Signs that may stand in the part before the at sign.
const LOCAL_SIGNS: &str = "._%+-'";

/// Finds an e-mail address.
pub(crate) fn email(cursor: &mut Cursor<'_>) -> Option<Found> {
    if !url::begins_run(*cursor, "._%+-@/") {
        return None;
    }
    let start = *cursor;
    let (mut local, mut has_sign) = local(cursor)?;
    for _ in 0..MOST_SPOKEN_DOTS {
        let Some((more, _)) = cursor.attempt(spoken_dot) else { break };
        local = format!("{local}.{more}");
        has_sign = true;
    }
    let address = match cursor.glued_symbol("@") {
        Some(_) => {
            let end = written_domain(cursor)?;
            let first = start.sentence.token(start.at)?;
            let text = start.sentence.text;
            text.slice(text.span(first.start, end)).to_owned()
        }
        None => format!("{local}@{}", spoken_domain(cursor, start, has_sign)?),
    };
    let ends = !cursor.is_glued() || !matches!(cursor.shape(), Some(Shape::Word | Shape::Digits));
    let reading = Reading::Text(address);
    ends.then(|| Found::new(Kind::Email, reading, rule(cursor.tongue, "email")))
}

/// Reads the part before the at sign, and whether it has signs or digits.
fn local(cursor: &mut Cursor<'_>) -> Option<(String, bool)> {
    let start = cursor.at;
    let mut has_sign = false;
    let mut after_dot = true;
    while cursor.at - start < LONGEST && (cursor.at == start || cursor.is_glued()) {
        match cursor.shape() {
            Some(Shape::Word | Shape::Digits) => {
                has_sign |= cursor.shape() == Some(Shape::Digits);
                after_dot = false;
            }
            Some(Shape::Symbol) => {
                let Some(sign) = cursor.peek_symbol().filter(|c| LOCAL_SIGNS.contains(*c)) else {
                    break;
                };
                if sign == '.' && after_dot {
                    return None;
                }
                has_sign = true;
                after_dot = sign == '.';
            }
            _ => break,
        }
        cursor.at += 1;
    }
    let at_sign = cursor.is_glued() && cursor.peek_symbol() == Some('@');
    let spoken = |term| matches!(term, Term::SpokenAt | Term::SpokenDot);
    if cursor.at == start || after_dot || !(at_sign || cursor.sees_any(spoken)) {
        return None;
    }
    let text = (start..cursor.at).map(|at| cursor.sentence.tokens.text(at)).collect();
    Some((text, has_sign))
}

/// Reads the "dot b" of "a dot b at example dot org".
fn spoken_dot(cursor: &mut Cursor<'_>) -> Option<(String, bool)> {
    cursor.eat(Term::SpokenDot)?;
    local(cursor)
}

/// Reads a domain with a dot, or an address of a host in brackets; gives where it ends.
fn written_domain(cursor: &mut Cursor<'_>) -> Option<usize> {
    if !cursor.is_glued() {
        return None;
    }
    if cursor.symbol("[").is_some() {
        for part in 0..4 {
            if part > 0 {
                cursor.glued_symbol(".")?;
            }
            cursor.glued_digits().filter(|digits| digits.len() <= 3)?;
        }
        cursor.glued_symbol("]")?;
    } else {
        let host = url::host(cursor)?;
        host.top.filter(|top| host.labels > 1 && top.len() > 1)?;
    }
    Some(cursor.sentence.token(cursor.at.checked_sub(1)?)?.end)
}

/// Reads "at example.org" and "at example dot org". What is no known domain is a place.
fn spoken_domain(cursor: &mut Cursor<'_>, start: Cursor<'_>, has_sign: bool) -> Option<String> {
    cursor.eat(Term::SpokenAt)?;
    let mut domain = String::new();
    let mut labels = 0;
    let mut spoken = false;
    while labels < 6 {
        let token = cursor.at;
        cursor.word().or_else(|| cursor.digits())?;
        domain.push_str(cursor.sentence.tokens.text(token));
        while cursor.is_glued() && matches!(cursor.shape(), Some(Shape::Word | Shape::Digits)) {
            domain.push_str(cursor.sentence.tokens.text(cursor.at));
            cursor.at += 1;
        }
        labels += 1;
        let next = cursor.attempt(|cursor| {
            let is_spoken = cursor.glued_symbol(".").is_none();
            if is_spoken {
                cursor.eat(Term::SpokenDot)?;
            } else if !cursor.is_glued() {
                return None;
            }
            cursor.shape().filter(|shape| matches!(shape, Shape::Word | Shape::Digits))?;
            Some(is_spoken)
        });
        let Some(is_spoken) = next else { break };
        spoken |= is_spoken;
        domain.push('.');
    }
    let known = domain.rsplit('.').next().is_some_and(url::is_top_domain);
    let alone = start.at == 0 && cursor.shape().is_none();
    (labels > 1 && known && (spoken || has_sign || alone)).then_some(domain)
}

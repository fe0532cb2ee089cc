//! Phone numbers: +1 202-555-0121, (030) 1234 567, 138 0013 8000, tel. 5550134.
//!
//! Digits alone are a number. What makes a phone number is a country code, brackets, the groups in
//! which numbers are written, a leading zero, or a word before it that says so.

use crate::extract::Found;
use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::rule::rule;
use crate::extract::grammar::term::Term;
use crate::extract::grammar::token::Shape;
use crate::extract::kind::Kind;
use crate::extract::value::Reading;

/// The most digits of a number (ITU-T E.164), and the fewest that are dialled in full.
const MOST: usize = 15;
const FEWEST: usize = 7;

/// No number is written in more groups.
const MOST_GROUPS: usize = 8;

/// The number of tokens before a number in which a word may announce it.
const REACH: usize = 5;

/// Finds a phone number.
pub(crate) fn phone(cursor: &mut Cursor<'_>) -> Option<Found> {
    let start = *cursor;
    let bracket = matches!(start.peek_symbol(), Some('(' | '+'));
    if !bracket && start.shape() != Some(Shape::Digits) {
        return None;
    }
    let mut number = groups(cursor)?;
    if number.digits() < FEWEST - 1 {
        return None;
    }
    let announced = is_announced(start);
    let extended = cursor.attempt(extension).is_some();
    if !may_begin(start, &number, announced) || !ends(*cursor) || is_code(*cursor) {
        return None;
    }
    if number.separators.contains(&'/') && !announced {
        return None;
    }
    number.extended = extended;
    if !(announced && number.is_dialled() || number.has_shape()) {
        return None;
    }
    let first = start.sentence.token(start.at)?;
    let last = start.sentence.token(cursor.at.checked_sub(1)?)?;
    let text = start.sentence.text;
    let written = text.slice(text.span(first.start, last.end)).to_owned();
    Some(Found::new(Kind::Phone, Reading::Text(written), rule(cursor.tongue, "phone")))
}

/// Returns whether letters with digits follow: the D9 of "00 31 46 D9" says that all of it is a
/// code.
fn is_code(mut cursor: Cursor<'_>) -> bool {
    let letters = cursor.shape() == Some(Shape::Word);
    cursor.at += 1;
    letters && cursor.is_glued() && cursor.shape() == Some(Shape::Digits)
}

/// The digits of a number and how they are written.
#[derive(Debug, Default)]
struct Number<'a> {
    groups: Vec<&'a str>,
    /// The signs between the groups; a space for spaces alone.
    separators: Vec<char>,
    has_plus: bool,
    has_brackets: bool,
    extended: bool,
}

impl Number<'_> {
    fn digits(&self) -> usize {
        self.groups.iter().map(|group| group.len()).sum()
    }

    /// Returns whether the digits could be dialled, where words say that they are.
    fn is_dialled(&self) -> bool {
        let fewest = if self.groups.len() > 1 { FEWEST } else { FEWEST - 1 };
        (fewest..=MOST + 2).contains(&self.digits()) && !self.is_date()
    }

    /// Returns whether the way it is written says that it is a phone number.
    fn has_shape(&self) -> bool {
        let digits = self.digits();
        if self.has_plus {
            return (8..=MOST + 2).contains(&digits);
        }
        if self.has_brackets {
            return (8..=MOST).contains(&digits) && self.groups.iter().any(|group| group.len() > 2);
        }
        let lengths: Vec<usize> = self.groups.iter().map(|group| group.len()).collect();
        let zero = self.groups.first().is_some_and(|group| group.starts_with('0'));
        match lengths.as_slice() {
            _ if self.is_date() => false,
            [_] => self.is_mobile() || zero && (10..=MOST).contains(&digits),
            [3, 3, 4] | [1, 3, 3, 4] => self.is_uniform(),
            [3, 4, 4] if self.is_mobile() => true,
            [_, _] => zero && (9..=13).contains(&digits) && self.separators != ['.'],
            [.., last] => {
                let dashed = self.separators.contains(&'-') && !self.separators.contains(&'.');
                let long = (10..=MOST).contains(&digits);
                zero && (9..=MOST).contains(&digits) && self.is_uniform()
                    || dashed && long && *last == 4
            }
            [] => false,
        }
    }

    /// Mobile numbers of China have eleven digits and begin with 13 to 19.
    fn is_mobile(&self) -> bool {
        let mut digits = self.groups.iter().flat_map(|group| group.bytes());
        let (first, second) = (digits.next(), digits.next());
        self.digits() == 11
            && first == Some(b'1')
            && second.is_some_and(|second| (b'3'..=b'9').contains(&second))
    }

    fn is_uniform(&self) -> bool {
        self.separators.windows(2).all(|pair| pair[0] == pair[1]) || !self.separators.contains(&'.')
    }

    /// Returns whether the first groups are a day: 2025-11-06, 06.11.2025.
    fn is_date(&self) -> bool {
        let lengths: Vec<usize> = self.groups.iter().map(|group| group.len()).collect();
        let day = match lengths.as_slice() {
            [4, month, day, ..] => {
                *month <= 2 && *day <= 2 && self.groups[0].starts_with(['1', '2'])
            }
            [day, month, 4, ..] => *month <= 2 && *day <= 2,
            _ => false,
        };
        day && self.separators[0] == self.separators[1] && self.separators[0] != ' '
    }
}

/// Reads groups of digits with what may stand between them.
fn groups<'a>(cursor: &mut Cursor<'a>) -> Option<Number<'a>> {
    let mut number = Number::default();
    open(cursor, &mut number);
    let first = cursor.attempt(|cursor| group(cursor, &mut number))?;
    number.groups.push(first);
    while number.groups.len() < MOST_GROUPS {
        let mut ahead = *cursor;
        let Some(separator) = separator(&mut ahead, &mut number) else { break };
        let mut brackets = number.has_brackets;
        let next = group_in(&mut ahead, &mut brackets);
        let part_of_time = |next: &&str| separator == ' ' && next.len() <= 2;
        let Some(next) = next.filter(|next| is_open(ahead, part_of_time(next))) else { break };
        if number.digits() + next.len() > MOST + 2 {
            // A whole number may stand before another; the start of a card's number may not.
            if number.groups.len() > 1 || separator != ' ' {
                return None;
            }
            break;
        }
        number.has_brackets = brackets;
        number.separators.push(separator);
        number.groups.push(next);
        *cursor = ahead;
    }
    Some(number)
}

/// Reads what a number may begin with: +, (+.
fn open(cursor: &mut Cursor<'_>, number: &mut Number<'_>) {
    let plus = cursor.attempt(|cursor| {
        let bracket = cursor.symbol("(").is_some();
        cursor.symbol("+")?;
        if !cursor.is_glued() {
            return None;
        }
        Some(bracket)
    });
    let Some(bracket) = plus else { return };
    number.has_plus = true;
    if bracket {
        // The digits and the closing bracket are read as a group that was opened.
        number.has_brackets = true;
    }
}

fn group<'a>(cursor: &mut Cursor<'a>, number: &mut Number<'a>) -> Option<&'a str> {
    if number.has_plus && number.has_brackets {
        let digits = cursor.digits()?;
        cursor.symbol(")")?;
        return Some(digits);
    }
    group_in(cursor, &mut number.has_brackets)
}

/// Reads a group, maybe in brackets of its own.
fn group_in<'a>(cursor: &mut Cursor<'a>, brackets: &mut bool) -> Option<&'a str> {
    if cursor.symbol("(").is_some() {
        let digits = cursor.digits().filter(|digits| digits.len() <= 5)?;
        cursor.symbol(")")?;
        *brackets = true;
        return Some(digits);
    }
    cursor.digits()
}

/// Reads what stands between two groups; a space is given for nothing else.
fn separator(cursor: &mut Cursor<'_>, number: &mut Number<'_>) -> Option<char> {
    let spaced = !cursor.is_glued();
    if spaced && cursor.gap() > 4 {
        return None;
    }
    if let Some(sign) = cursor.symbol("-./‐–") {
        let after = !cursor.is_glued();
        // A full stop with a space behind it ends a sentence, and one with spaces around a line.
        if sign == '.' && (spaced || after) {
            return None;
        }
        return Some(if matches!(sign, '.' | '/') { sign } else { '-' });
    }
    let after_bracket = cursor.back().is_some_and(|before| before.peek_symbol() == Some(')'));
    let bracket = cursor.peek_symbol() == Some('(');
    let joined = spaced || after_bracket || bracket;
    let may_open = !bracket || number.groups.len() <= 2;
    (joined && may_open).then_some(' ')
}

/// Returns whether a group ends as one of a phone number does, not as a part of a time or a
/// decimal.
fn is_open(end: Cursor<'_>, is_short: bool) -> bool {
    if !end.is_glued() {
        return true;
    }
    match end.shape() {
        Some(Shape::Digits) => {
            end.back().is_some_and(|before| before.shape() == Some(Shape::Symbol))
        }
        Some(Shape::Word) => {
            let mut ahead = end;
            extension(&mut ahead).is_some()
        }
        Some(Shape::Symbol) => {
            let mut ahead = end;
            let stops = if is_short { ":,/" } else { ":," };
            ahead.symbol(stops).is_none() || ahead.glued_digits().is_none()
        }
        _ => true,
    }
}

/// Reads x123, ext. 123, 分機 123.
fn extension(cursor: &mut Cursor<'_>) -> Option<()> {
    cursor.eat(Term::Extension)?;
    cursor.attempt(|cursor| cursor.symbol(".:"));
    cursor.digits().filter(|digits| digits.len() <= 6).map(drop)
}

/// Returns whether a number may begin here: not within a name, a sum or a decimal.
fn may_begin(start: Cursor<'_>, number: &Number<'_>, announced: bool) -> bool {
    if !matches!(start.shape(), Some(Shape::Digits)) && !number.has_plus && !number.has_brackets {
        return false;
    }
    if start.back().is_some_and(|before| before.peek_symbol() == Some('#')) && start.is_glued() {
        return false;
    }
    let Some(before) = start.back() else { return true };
    if !start.is_glued() {
        // A number behind other digits goes on their row, unless they are a number of their own.
        let digits = before.shape() == Some(Shape::Digits);
        return !digits || before.sentence.tokens.text(before.at).len() >= 10;
    }
    match before.shape() {
        Some(Shape::Digits) => false,
        Some(Shape::Word) => number.has_plus && announced,
        Some(Shape::Symbol) => match before.peek_symbol() {
            Some('-') => {
                let behind = before.back().and_then(|word| word.shape());
                number.groups.len() > 2 && behind != Some(Shape::Digits)
            }
            Some(sign) => !"./+*=$€£¥_%)(".contains(sign) || sign == '(' && !number.has_plus,
            None => true,
        },
        _ => true,
    }
}

/// Returns whether the number ends here: nothing goes on that makes it a name, a sum or a decimal.
fn ends(end: Cursor<'_>) -> bool {
    if !end.is_glued() {
        return true;
    }
    match end.shape() {
        Some(Shape::Word | Shape::Digits) => false,
        Some(Shape::Symbol) => {
            let mut ahead = end;
            match ahead.symbol("-/=*+.:,%°") {
                None => true,
                Some('=' | '*' | '+' | '%' | '°') => false,
                Some('-') => {
                    !ahead.is_glued() || !matches!(ahead.shape(), Some(Shape::Digits | Shape::Word))
                }
                Some(_) => ahead.glued_digits().is_none(),
            }
        }
        _ => true,
    }
}

/// Returns whether words before the number say that it is one: "my phone number is", 電話：, @.
fn is_announced(start: Cursor<'_>) -> bool {
    let from = start.at.saturating_sub(REACH);
    let says = |term| matches!(term, Term::PhoneWord);
    (from..start.at).any(|at| {
        let mut senses = start.sentence.senses(at).iter();
        let word = senses.any(|sense| sense.end <= start.at && says(sense.term));
        word && (at + 1..start.at).all(|at| start.sentence.shape(at) != Some(Shape::Digits))
    }) || start.back().is_some_and(|before| before.peek_symbol() == Some('@'))
}

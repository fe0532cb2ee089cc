//! Chinese numerals: 二十三, 兩千五百, 十萬, 二〇二五.

use crate::extract::grammar::term::Term;
use crate::extract::grammar::token::{Shape, Tokens};

/// The language that a numeral is read in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Manner {
    /// 二百五 is 250, and 百 needs a digit before it.
    #[default]
    Chinese,
    /// 二百五 is 205, and 百 is one hundred.
    Japanese,
}

/// Reads the longest numeral that begins at a token, with the token after its last.
///
/// 兩三百 and 十七八 are two numerals in one.
pub(crate) fn numeral(tokens: &Tokens<'_>, from: usize, manner: Manner) -> Option<(Term, usize)> {
    if tokens.get(from)?.shape != Shape::Han {
        return None;
    }
    let mut state = Numeral { manner, ..Numeral::default() };
    // The numeral with the first of two digits, where `state` has the second.
    let mut lower: Option<Numeral> = None;
    let mut end = from;
    // A longer row of numerals than this is no number that anyone means.
    while end < from + LONGEST {
        let Some(c) = character(tokens, end) else { break };
        // The 两 of 三十两 is no digit but an ounce.
        let is_ounce = matches!(c, '兩' | '两') && end > from && !sees_unit(tokens, end + 1);
        if is_ounce {
            break;
        }
        if lower.is_none() && names_two(tokens, end) {
            let mut first = state;
            let second = character(tokens, end + 1);
            if !first.push(c) || !second.is_some_and(|second| state.push(second)) {
                break;
            }
            lower = Some(first);
            end += 2;
        } else if state.push(c) && lower.as_mut().is_none_or(|lower| lower.push(c)) {
            end += 1;
        } else {
            break;
        }
    }
    // 百 and 千 alone are magnitudes.
    let alone = manner == Manner::Japanese || !state.is_short || end - from > 1;
    let is_number = !state.is_vague && alone;
    let term = match lower {
        Some(lower) => Term::Either(lower.value(), state.value()),
        None => Term::Number(state.value()),
    };
    (end > from && is_number).then_some((term, end))
}

/// The most characters of a numeral.
const LONGEST: usize = 24;

fn character(tokens: &Tokens<'_>, at: usize) -> Option<char> {
    tokens.text(at).chars().next()
}

/// Returns whether two digits that follow each other stand alone, as 兩三 and 七八 do: one of them is meant.
/// 三五 means a few as well. In decimals (二三點五), degrees (北緯二三度) and years of an era all digits count.
fn names_two(tokens: &Tokens<'_>, at: usize) -> bool {
    let digit_at = |at: usize| character(tokens, at).and_then(digit);
    let (Some(first), Some(second)) = (digit_at(at), digit_at(at + 1)) else { return false };
    let fits = first >= 1.0 && (second == first + 1.0 || (first, second) == (3.0, 5.0));
    let before = at.checked_sub(1).and_then(|before| character(tokens, before));
    let in_row = before.and_then(digit).is_some() || digit_at(at + 2).is_some();
    // 黃金一兩 weighs an ounce; 一兩天 are one or two.
    let goes_on = tokens.get(at + 2).is_some_and(|next| next.shape == Shape::Han);
    let is_ounce = matches!(character(tokens, at + 1), Some('兩' | '两')) && !goes_on;
    if !fits || in_row || is_ounce {
        return false;
    }
    let counts = matches!(character(tokens, at), Some('兩' | '两'));
    let is_decimal =
        matches!(character(tokens, at + 2), Some('點' | '点')) && digit_at(at + 3).is_some();
    let told = matches!(before, Some('緯' | '纬' | '經' | '经' | '経' | '國' | '国'));
    counts || !is_decimal && !told
}

fn sees_unit(tokens: &Tokens<'_>, at: usize) -> bool {
    tokens.text(at).chars().next().and_then(unit).is_some_and(|unit| unit > 10.0)
}

#[derive(Debug, Clone, Copy, Default)]
struct Numeral {
    manner: Manner,
    /// Closed by 萬 or 億.
    total: f64,
    /// Closed by 十, 百 or 千.
    section: f64,
    /// Digits that no unit followed yet.
    digits: f64,
    has_digits: bool,
    /// The last unit, so that 二十 may be followed by a digit but not by 百.
    unit: f64,
    /// The last of 萬 and 億: in 四億五千萬 the second does not multiply the first.
    large: f64,
    /// True if a zero stands before the digits: 一百零五 is 105, and 一百五 is 150.
    has_zero: bool,
    /// True if it began with 百 or 千, as 千三 does: a digit must follow.
    is_short: bool,
    /// True if it names two numbers at once: 二三十.
    is_vague: bool,
    length: usize,
}

impl Numeral {
    /// Takes a character, or refuses one that cannot go on the numeral.
    fn push(&mut self, c: char) -> bool {
        let accepted = match (digit(c), unit(c), tens(c)) {
            (Some(digit), _, _) => self.push_digit(digit),
            (None, Some(unit), _) => self.push_unit(unit),
            (None, None, Some(tens)) => self.push_tens(tens),
            (None, None, None) => false,
        };
        self.length += usize::from(accepted);
        accepted
    }

    fn push_digit(&mut self, digit: f64) -> bool {
        // 二十三 ends after 三; 二〇二五 has no units and goes on; 一百零五 has a zero between.
        if self.has_digits && self.unit > 0.0 && self.digits != 0.0 {
            return false;
        }
        self.has_zero |= digit == 0.0;
        self.digits = self.digits * 10.0 + digit;
        self.has_digits = true;
        true
    }

    /// Takes 廿, two tens in one character.
    fn push_tens(&mut self, tens: f64) -> bool {
        let bare = !self.has_digits || self.digits == 0.0;
        if !bare || (self.section > 0.0 && self.unit <= 10.0) {
            return false;
        }
        self.section += tens;
        self.close(10.0);
        true
    }

    fn close(&mut self, unit: f64) {
        self.digits = 0.0;
        self.has_digits = false;
        self.has_zero = false;
        self.unit = unit;
    }

    fn push_unit(&mut self, unit: f64) -> bool {
        // 二三十 is two or three tens, and no number.
        if self.has_digits && self.digits >= 10.0 {
            self.is_vague = true;
            return false;
        }
        if unit >= 10_000.0 {
            let is_bare = self.is_short && self.length == 1 && self.manner == Manner::Chinese;
            if self.length == 0 || is_bare {
                return false;
            }
            // 百二萬 is 120 of them; the 四 of 六億四萬 is not short for anything.
            let digits = if self.section > 0.0 { self.last_digits() } else { self.digits };
            let section = self.section + digits;
            if unit < self.large {
                self.total += section * unit;
            } else {
                self.total = (self.total + section) * unit;
            }
            self.large = unit;
            self.section = 0.0;
        } else {
            // The 十 of 一百零十 and of 十五 stands for one ten.
            let bare = !self.has_digits || self.digits == 0.0;
            // Only 十 may stand bare, and units go down: 二十百 is none. 千三 is short for 一千三.
            if bare && unit > 10.0 {
                self.is_short = self.length == 0;
                // 千百 is 1100 in Japanese.
                if !self.is_short && (self.manner == Manner::Chinese || self.has_digits) {
                    return false;
                }
            }
            if bare && unit <= 10.0 && self.section > 0.0 && !self.has_digits {
                return false;
            }
            if self.section > 0.0 && unit >= self.unit {
                return false;
            }
            self.section += if bare { unit } else { self.digits * unit };
        }
        self.close(unit);
        true
    }

    fn value(&self) -> f64 {
        self.total + self.section + self.last_digits()
    }

    /// The digits at the end: the 五 of 二百五 is fifty.
    fn last_digits(&self) -> f64 {
        let shortens = self.manner == Manner::Chinese;
        let is_short = shortens && self.unit >= 100.0 && self.has_digits && !self.has_zero;
        if is_short { self.digits * self.unit / 10.0 } else { self.digits }
    }
}

fn digit(c: char) -> Option<f64> {
    let value = match c {
        '零' | '〇' => 0,
        '一' | '壹' | '幺' => 1,
        '二' | '兩' | '两' | '倆' | '俩' | '貳' | '贰' => 2,
        '三' | '叁' | '參' | '叄' => 3,
        '四' | '肆' => 4,
        '五' | '伍' => 5,
        '六' | '陸' | '陆' => 6,
        '七' | '柒' => 7,
        '八' | '捌' => 8,
        '九' | '玖' => 9,
        _ => return None,
    };
    Some(f64::from(value))
}

fn tens(c: char) -> Option<f64> {
    match c {
        '廿' => Some(20.0),
        '卅' => Some(30.0),
        '卌' => Some(40.0),
        _ => None,
    }
}

fn unit(c: char) -> Option<f64> {
    match c {
        '十' | '拾' => Some(10.0),
        '百' | '佰' => Some(100.0),
        '千' | '仟' => Some(1000.0),
        '萬' | '万' => Some(1e4),
        '億' | '亿' => Some(1e8),
        '兆' => Some(1e12),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numerals_are_read_whole() {
        for (text, value) in [
            ("三", 3.0),
            ("十", 10.0),
            ("二十三", 23.0),
            ("一百零五", 105.0),
            ("兩千五百", 2500.0),
            ("十萬", 100_000.0),
            ("三萬兩千", 32_000.0),
            ("一億", 1e8),
            ("二〇二五", 2025.0),
            ("二百五", 250.0),
            ("一萬三", 13_000.0),
            ("四億五千六百四十二萬零一十五", 456_420_015.0),
            ("兩萬億", 2e12),
            ("柒仟捌佰伍拾肆", 7854.0),
            ("一百零十万三千", 1_103_000.0),
            ("千三", 1300.0),
            ("五百卅四", 534.0),
            ("三兆二億四萬五千二", 3_000_200_045_200.0),
            ("百二萬", 1_200_000.0),
            ("廿", 20.0),
        ] {
            let tokens = Tokens::new(text);
            let read = numeral(&tokens, 0, Manner::Chinese);
            assert_eq!(read, Some((Term::Number(value), tokens.len())), "{text}");
        }
        assert_eq!(numeral(&Tokens::new("海"), 0, Manner::Chinese), None);
        assert_eq!(numeral(&Tokens::new("萬里"), 0, Manner::Chinese), None);
        assert_eq!(numeral(&Tokens::new("千萬"), 0, Manner::Chinese), None);
    }

    #[test]
    fn japanese_shortens_no_numeral() {
        for (text, value) in [
            ("百", 100.0),
            ("百五", 105.0),
            ("二百五", 205.0),
            ("千二百", 1200.0),
            ("千百", 1100.0),
        ] {
            let tokens = Tokens::new(text);
            let read = numeral(&tokens, 0, Manner::Japanese);
            assert_eq!(read, Some((Term::Number(value), tokens.len())), "{text}");
        }
    }

    #[test]
    fn two_digits_in_a_row_leave_the_number_open() {
        for (text, low, high) in [
            ("兩三", 2.0, 3.0),
            ("三五", 3.0, 5.0),
            ("十七八", 17.0, 18.0),
            ("二三十", 20.0, 30.0),
            ("一百七八十", 170.0, 180.0),
            ("兩三百萬", 2e6, 3e6),
        ] {
            let tokens = Tokens::new(text);
            let read = numeral(&tokens, 0, Manner::Chinese);
            assert_eq!(read, Some((Term::Either(low, high), tokens.len())), "{text}");
        }
        for text in ["二三點五", "一二三", "五八"] {
            let read = numeral(&Tokens::new(text), 0, Manner::Chinese);
            assert!(matches!(read, Some((Term::Number(_), _))), "{text}");
        }
    }
}

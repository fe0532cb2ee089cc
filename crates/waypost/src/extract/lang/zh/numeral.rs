//! Chinese numerals: 二十三, 兩千五百, 十萬, 二〇二五.

use crate::extract::token::{Shape, Tokens};

/// Reads the longest numeral that begins at a token, with the token after its last.
pub(in crate::extract) fn numeral(tokens: &Tokens<'_>, from: usize) -> Option<(f64, usize)> {
    if tokens.get(from)?.shape != Shape::Han {
        return None;
    }
    let mut state = Numeral::default();
    let mut end = from;
    // A longer row of numerals than this is no number that anyone means.
    for at in from..from + 24 {
        let Some(c) = tokens.text(at).chars().next() else { break };
        if !state.push(c) {
            break;
        }
        end = at + 1;
    }
    (end > from).then(|| (state.value(), end))
}

#[derive(Debug, Default)]
struct Numeral {
    /// Closed by 萬 or 億.
    total: f64,
    /// Closed by 十, 百 or 千.
    section: f64,
    /// Digits that no unit followed yet.
    digits: f64,
    has_digits: bool,
    /// The last unit, so that 二十 may be followed by a digit but not by 百.
    unit: f64,
    length: usize,
}

impl Numeral {
    /// Takes a character, or refuses one that cannot go on the numeral.
    fn push(&mut self, c: char) -> bool {
        let accepted = match (digit(c), unit(c)) {
            (Some(digit), _) => self.push_digit(digit),
            (None, Some(unit)) => self.push_unit(unit),
            (None, None) => false,
        };
        self.length += usize::from(accepted);
        accepted
    }

    fn push_digit(&mut self, digit: f64) -> bool {
        // 二十三 ends after 三; 二〇二五 has no units and goes on; 一百零五 has a zero between.
        if self.has_digits && self.unit > 0.0 && self.digits != 0.0 {
            return false;
        }
        self.digits = self.digits * 10.0 + digit;
        self.has_digits = true;
        true
    }

    fn push_unit(&mut self, unit: f64) -> bool {
        if unit >= 10_000.0 {
            if self.length == 0 {
                return false;
            }
            self.total = (self.total + self.section + self.digits) * unit;
            self.section = 0.0;
        } else {
            let bare = !self.has_digits;
            // Only 十 may begin a numeral, and units go down: 二十百 is none.
            if bare && (unit > 10.0 || (self.length > 0 && self.section > 0.0)) {
                return false;
            }
            if self.section > 0.0 && unit >= self.unit {
                return false;
            }
            self.section += if bare { unit } else { self.digits * unit };
        }
        self.digits = 0.0;
        self.has_digits = false;
        self.unit = unit;
        true
    }

    fn value(&self) -> f64 {
        // 兩千五 is 2500 in speech, but nobody types it for a value; it reads as 2005.
        self.total + self.section + self.digits
    }
}

fn digit(c: char) -> Option<f64> {
    let value = match c {
        '零' | '〇' => 0,
        '一' => 1,
        '二' | '兩' | '两' => 2,
        '三' => 3,
        '四' => 4,
        '五' => 5,
        '六' => 6,
        '七' => 7,
        '八' => 8,
        '九' => 9,
        _ => return None,
    };
    Some(f64::from(value))
}

fn unit(c: char) -> Option<f64> {
    match c {
        '十' => Some(10.0),
        '百' => Some(100.0),
        '千' => Some(1000.0),
        '萬' | '万' => Some(1e4),
        '億' | '亿' => Some(1e8),
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
        ] {
            let tokens = Tokens::new(text);
            assert_eq!(numeral(&tokens, 0), Some((value, tokens.len())), "{text}");
        }
        assert_eq!(numeral(&Tokens::new("海"), 0), None);
        assert_eq!(numeral(&Tokens::new("萬里"), 0), None);
    }
}

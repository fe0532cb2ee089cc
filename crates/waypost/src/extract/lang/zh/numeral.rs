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
    /// The last of 萬 and 億: in 四億五千萬 the second does not multiply the first.
    large: f64,
    /// Whether a zero stands before the digits: 一百零五 is 105, and 一百五 is 150.
    has_zero: bool,
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
        self.has_zero |= digit == 0.0;
        self.digits = self.digits * 10.0 + digit;
        self.has_digits = true;
        true
    }

    fn push_unit(&mut self, unit: f64) -> bool {
        if unit >= 10_000.0 {
            if self.length == 0 {
                return false;
            }
            let section = self.section + self.digits;
            if unit < self.large {
                self.total += section * unit;
            } else {
                self.total = (self.total + section) * unit;
            }
            self.large = unit;
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
        self.has_zero = false;
        self.unit = unit;
        true
    }

    fn value(&self) -> f64 {
        let is_short = self.unit >= 100.0 && self.has_digits && !self.has_zero;
        let digits = if is_short { self.digits * self.unit / 10.0 } else { self.digits };
        self.total + self.section + digits
    }
}

fn digit(c: char) -> Option<f64> {
    let value = match c {
        '零' | '〇' => 0,
        '一' | '壹' => 1,
        '二' | '兩' | '两' | '貳' | '贰' => 2,
        '三' | '叁' => 3,
        '四' | '肆' => 4,
        '五' | '伍' => 5,
        '六' | '陸' => 6,
        '七' | '柒' => 7,
        '八' | '捌' => 8,
        '九' | '玖' => 9,
        _ => return None,
    };
    Some(f64::from(value))
}

fn unit(c: char) -> Option<f64> {
    match c {
        '十' | '拾' => Some(10.0),
        '百' | '佰' => Some(100.0),
        '千' | '仟' => Some(1000.0),
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
            ("二百五", 250.0),
            ("一萬三", 13_000.0),
            ("四億五千六百四十二萬零一十五", 456_420_015.0),
            ("兩萬億", 2e12),
            ("柒仟捌佰伍拾肆", 7854.0),
        ] {
            let tokens = Tokens::new(text);
            assert_eq!(numeral(&tokens, 0), Some((value, tokens.len())), "{text}");
        }
        assert_eq!(numeral(&Tokens::new("海"), 0), None);
        assert_eq!(numeral(&Tokens::new("萬里"), 0), None);
    }
}

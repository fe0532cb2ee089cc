//! Numbers as people read them, with their thousands apart: 5,000,000 and not 5000000.

use waypost_text::language::Language;

/// From here on the digits tell a reader nothing.
const TOO_LARGE: f64 = 1e15;

/// A number as a language writes it.
pub(crate) fn readable(number: f64, language: Language) -> String {
    if !number.is_finite() || number.abs() >= TOO_LARGE {
        return format!("{number:e}");
    }
    let (thousands, decimal, from) = signs(language);
    let written = number.abs().to_string();
    let (whole, fraction) = match written.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (written.as_str(), None),
    };
    let mut text = String::from(if number < 0.0 { "-" } else { "" });
    for (at, digit) in whole.chars().enumerate() {
        let left = whole.len() - at;
        if at > 0 && left.is_multiple_of(3) && whole.len() >= from {
            text.push(thousands);
        }
        text.push(digit);
    }
    if let Some(fraction) = fraction {
        text.push(decimal);
        text.push_str(fraction);
    }
    text
}

/// Returns the sign between thousands, the sign before decimals, and the least number of digits for
/// which thousands are set apart.
fn signs(language: Language) -> (char, char, usize) {
    match language {
        // A narrow space: a point means thousands in Spain and decimals in Mexico.
        Language::Es => ('\u{202f}', ',', 5),
        Language::Fr => ('\u{202f}', ',', 4),
        Language::Vi | Language::Pt | Language::De | Language::Id => ('.', ',', 4),
        Language::En | Language::ZhHant | Language::ZhHans | Language::Ja => (',', '.', 4),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_stand_apart_as_the_language_writes_them() {
        let written = |number| Language::ALL.map(|language| readable(number, language)).join(" ");
        assert_eq!(readable(5_000_000.0, Language::En), "5,000,000");
        assert_eq!(readable(5_000_000.0, Language::Vi), "5.000.000");
        assert_eq!(readable(5_000_000.0, Language::Es), "5\u{202f}000\u{202f}000");
        assert_eq!(readable(1234.5, Language::Es), "1234,5");
        assert_eq!(readable(-1234.5, Language::En), "-1,234.5");
        assert_eq!(readable(999.0, Language::En), "999");
        assert_eq!(readable(1234.5, Language::Fr), "1\u{202f}234,5");
        assert_eq!(written(140.0), ["140"; Language::ALL.len()].join(" "));
        assert_eq!(readable(1e300, Language::En), "1e300");
    }
}

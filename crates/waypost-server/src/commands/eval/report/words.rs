//! Figures as people read them.

use waypost::learning::evaluate::Share;

/// A share in percent with one digit; what is neither all nor nothing never reads as such.
pub(super) fn percent(share: f64) -> String {
    let tenths = (share * 1000.0).round();
    match share {
        s if s > 0.0 && tenths < 1.0 => "<0.1%".to_owned(),
        s if s < 1.0 && tenths >= 1000.0 => ">99.9%".to_owned(),
        _ => format!("{:.1}%", tenths / 10.0),
    }
}

/// A share, or a dash of nothing.
pub(super) fn share(share: Share) -> String {
    if share.of == 0 { "–".to_owned() } else { percent(share.value()) }
}

/// An interval that no line break parts.
pub(super) fn between(low: f64, high: f64) -> String {
    format!("{}\u{2060}–\u{2060}{}", percent(low), percent(high))
}

/// A count with its thousands apart.
pub(super) fn count(n: usize) -> String {
    let digits = n.to_string();
    let mut spaced = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            spaced.push(',');
        }
        spaced.push(digit);
    }
    spaced
}

/// `1 case`, `2 cases`.
pub(super) fn several(n: usize, one: &str) -> String {
    format!("{} {one}{}", count(n), if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_never_claim_more_than_was_counted() {
        assert_eq!(percent(0.9996), ">99.9%");
        assert_eq!(percent(1.0), "100.0%");
        assert_eq!(percent(0.0001), "<0.1%");
        assert_eq!(percent(0.1234), "12.3%");
        assert_eq!(between(0.0, 0.5).replace('\u{2060}', ""), "0.0%–50.0%");
        assert_eq!(share(Share::new(0, 0)), "–");
        assert_eq!((count(999).as_str(), count(1_234_567).as_str()), ("999", "1,234,567"));
        assert_eq!((several(1, "case"), several(0, "case")), ("1 case".into(), "0 cases".into()));
    }
}

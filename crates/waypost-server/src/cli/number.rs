//! Reads the numbers of options, and says in words what is wrong with one.

use std::str::FromStr;

/// Reads a whole number.
///
/// # Errors
///
/// A sentence, for a text that is none or too large.
pub(super) fn whole<T: FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| "give a whole number, such as 3".to_owned())
}

/// Reads a share in percent.
///
/// # Errors
///
/// A sentence, for a text that is no number.
pub(super) fn percent(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.trim_end_matches('%').parse().ok();
    number
        .filter(|number| number.is_finite())
        .ok_or_else(|| "give a number, such as 97.5".to_owned())
}

/// Reads a whole number from `LEAST` to `MOST`, both included.
///
/// # Errors
///
/// A sentence that names both, for any other text.
pub(super) fn within<const LEAST: u32, const MOST: u32>(text: &str) -> Result<u32, String> {
    let number: Option<u32> = text.parse().ok();
    let number = number.filter(|number| (LEAST..=MOST).contains(number));
    number.ok_or_else(|| format!("give a whole number from {LEAST} to {MOST}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_such_number_is_told_in_words() {
        assert_eq!(whole::<u64>("12"), Ok(12));
        assert_eq!(whole::<u64>("x").unwrap_err(), "give a whole number, such as 3");
        assert_eq!(percent("97.5%"), Ok(97.5));
        assert!(percent("NaN").is_err() && percent("many").is_err());
        assert_eq!(within::<1, 200>("200"), Ok(200));
        assert_eq!(within::<1, 200>("0").unwrap_err(), "give a whole number from 1 to 200");
    }
}

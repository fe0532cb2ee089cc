//! Numbers as the sample servers give and show them.

/// Rounds to `places` decimals, without a negative zero.
pub(crate) fn round(value: f64, places: i32) -> f64 {
    let scale = 10_f64.powi(places);
    (value * scale).round() / scale + 0.0
}

/// A number for people: so many decimals, and a comma at every thousand.
pub(crate) fn shown(value: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.abs());
    let (whole, fraction) = text.split_at(text.find('.').unwrap_or(text.len()));
    let mut grouped = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    let is_zero = !text.contains(|digit: char| ('1'..='9').contains(&digit));
    let sign = if value < 0.0 && !is_zero { "−" } else { "" };
    format!("{sign}{grouped}{fraction}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_in_groups_of_three() {
        let cases = [
            (0.0, 0, "0"),
            (-0.04, 1, "0.0"),
            (999.6, 0, "1,000"),
            (1_234_567.891, 2, "1,234,567.89"),
            (-52_000.0, 0, "−52,000"),
        ];
        for (value, decimals, expected) in cases {
            assert_eq!(shown(value, decimals), expected);
        }
    }
}

//! Holds a model's words to the figures that it was given: a sentence with a number that stands in no result, in no call and
//! not in the request is left out.
//!
//! A figure may be rounded to the digits that are written, and scaled by the word or sign behind it: 3,456,000,000 is "3.46
//! billion". A figure that the model computed is none that it was given.

use std::collections::BTreeSet;

use serde_json::Value as Json;

/// Figures up to this one may count what is told: "both", "3 companies", the items of a list.
const COUNTS: f64 = 12.0;
/// The levels of a result in which figures are looked for.
const LEVELS: usize = 12;
/// The most figures that are kept.
const MOST: usize = 50_000;
/// What stands behind a figure and how many it stands for.
const SCALES: [(&str, f64); 24] = [
    ("thousand", 1e3),
    ("million", 1e6),
    ("billion", 1e9),
    ("trillion", 1e12),
    ("nghìn", 1e3),
    ("triệu", 1e6),
    ("tỷ", 1e9),
    ("tỉ", 1e9),
    ("mil", 1e3),
    ("millones", 1e6),
    ("萬億", 1e12),
    ("万亿", 1e12),
    ("兆", 1e12),
    ("萬", 1e4),
    ("万", 1e4),
    ("億", 1e8),
    ("亿", 1e8),
    ("千", 1e3),
    ("bn", 1e9),
    ("k", 1e3),
    ("m", 1e6),
    ("b", 1e9),
    ("t", 1e12),
    ("%", 1e-2),
];

/// The figures that were given.
#[derive(Debug, Default)]
pub(super) struct Figures {
    /// By their bits, so that they have an order.
    known: BTreeSet<Ordered>,
}

/// A finite number with an order.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Ordered(f64);

impl Eq for Ordered {}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ordered {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl Figures {
    /// Adds those of a result or of a call.
    pub(super) fn add(&mut self, json: &Json) {
        self.level(json, LEVELS);
    }

    fn level(&mut self, json: &Json, levels: usize) {
        if levels == 0 || self.known.len() >= MOST {
            return;
        }
        match json {
            Json::Number(number) => self.keep(number.as_f64().unwrap_or_default()),
            Json::String(text) => self.add_text(text),
            Json::Array(items) => {
                self.keep(items.len() as f64);
                items.iter().for_each(|item| self.level(item, levels - 1));
            }
            Json::Object(fields) => fields.iter().for_each(|(name, item)| {
                self.add_text(name);
                self.level(item, levels - 1);
            }),
            Json::Bool(_) | Json::Null => {}
        }
    }

    /// Adds those of a text: of the request, of a date.
    pub(super) fn add_text(&mut self, text: &str) {
        for Written { readings, scale } in written(text) {
            for (value, _) in readings {
                self.keep(value);
                self.keep(value * scale);
            }
        }
    }

    fn keep(&mut self, number: f64) {
        if number.is_finite() && self.known.len() < MOST {
            self.known.insert(Ordered(number.abs()));
        }
    }

    /// Returns whether every figure of a sentence was given.
    pub(super) fn bear(&self, sentence: &str) -> bool {
        written(sentence).all(|figure| self.bears(&figure))
    }

    fn bears(&self, figure: &Written) -> bool {
        let is_count = |value: f64| value.fract() == 0.0 && value <= COUNTS;
        if figure.scale >= 1.0 && figure.readings.iter().all(|(value, _)| is_count(*value)) {
            return figure.scale <= 1.0 || self.is_near(figure);
        }
        self.is_near(figure)
    }

    fn is_near(&self, figure: &Written) -> bool {
        // A share is told as 0.12 or as 12%, and results hold either.
        let scales = if figure.scale < 1.0 { [figure.scale, 1.0] } else { [figure.scale; 2] };
        let readings = figure.readings.iter();
        readings.flat_map(|reading| scales.map(|scale| (*reading, scale))).any(
            |((value, half), scale)| {
                let (value, slack) = (value * scale, half * scale * (1.0 + 1e-6) + value * 1e-12);
                let near = Ordered((value - slack).max(0.0))..=Ordered(value + slack);
                self.known.range(near).next().is_some()
            },
        )
    }
}

/// A figure as it is written.
#[derive(Debug, PartialEq)]
struct Written {
    /// What it may say, each with half of what its last digit counts: 3.456 is a little over three, or thousands.
    readings: Vec<(f64, f64)>,
    scale: f64,
}

/// The figures of a text. Digits within a word, such as a ticker's, are none.
fn written(text: &str) -> impl Iterator<Item = Written> {
    let mut rest = 0;
    std::iter::from_fn(move || {
        loop {
            let start = rest + text[rest..].find(|c: char| c.is_ascii_digit())?;
            let is_part = |c: char| c.is_ascii_digit() || matches!(c, ',' | '.');
            let end = start + text[start..].find(|c| !is_part(c)).unwrap_or(text.len() - start);
            rest = end;
            let is_word = |c: char| c.is_alphabetic() && c.is_ascii() || c == '_';
            if text[..start].ends_with(is_word) {
                continue;
            }
            let readings = readings(text[start..end].trim_end_matches([',', '.']));
            if !readings.is_empty() {
                return Some(Written { readings, scale: scale(&text[end..]) });
            }
        }
    })
}

/// What digits with marks may say, in the notation of either side of the Atlantic: the last mark is the decimal one, or all of
/// them group thousands.
fn readings(digits: &str) -> Vec<(f64, f64)> {
    let marks: Vec<usize> = digits.match_indices([',', '.']).map(|(at, _)| at).collect();
    let last = marks.last().copied();
    let behind = last.map_or(0, |at| digits.len() - at - 1);
    let same = last.is_some_and(|at| digits.matches(&digits[at..=at]).count() > 1);
    let groups = || number(digits, None);
    let decimal = || number(digits, last);
    let readings = match (last, same, behind) {
        (None, ..) | (_, true, _) => [groups(), None],
        (_, false, 3) => [decimal(), groups()],
        _ => [decimal(), None],
    };
    readings.into_iter().flatten().collect()
}

/// A number of which the mark at `decimal` is the decimal one, with half of what its last digit counts.
fn number(digits: &str, decimal: Option<usize>) -> Option<(f64, f64)> {
    let kept = digits.char_indices().filter(|(at, c)| c.is_ascii_digit() || Some(*at) == decimal);
    let plain: String = kept.map(|(_, c)| if c == ',' { '.' } else { c }).collect();
    let places = decimal.map_or(0, |at| digits.len() - at - 1).min(30);
    Some((plain.parse().ok()?, 0.5 * 10f64.powi(-i32::try_from(places).ok()?)))
}

/// What the word behind a figure multiplies it by.
fn scale(behind: &str) -> f64 {
    let behind = behind.strip_prefix(' ').unwrap_or(behind);
    let lower: String = behind.chars().take(12).flat_map(char::to_lowercase).collect();
    let found = SCALES.iter().find(|(word, _)| {
        let Some(rest) = lower.strip_prefix(word) else { return false };
        let is_letter = word.ends_with(|c: char| c.is_alphabetic() && !is_han(c));
        !is_letter || !rest.starts_with(|c: char| c.is_alphabetic() && !is_han(c))
    });
    found.map_or(1.0, |(_, times)| *times)
}

fn is_han(c: char) -> bool {
    waypost_core::text_match::is_han(c)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn given() -> Figures {
        let mut figures = Figures::default();
        figures.add(&json!({
            "symbol": "AAPL", "price": 231.456, "cap": 3_456_000_000_000_u64, "margin": 0.2431,
            "volume": 54_321_000, "as_of": "2025-11-06", "rows": [1, 2],
        }));
        figures.add_text("what about the past 30 days");
        figures
    }

    #[test]
    fn figures_that_were_given_may_be_rounded_and_scaled() {
        for sentence in [
            "Apple stands at 231.46 USD, 231 in short.",
            "It is worth 3.46 trillion, 3.5T or 3,456 billion.",
            "Vốn hóa 3.456 tỷ USD.",
            "市值 3.46 兆，成交量 5432 萬。",
            "The margin is 24.3%.",
            "On 2025-11-06, over 30 days.",
            "Both of the 2 rise; see Q4 and SP500.",
            "No figures at all.",
        ] {
            assert!(given().bear(sentence), "{sentence}");
        }
    }

    #[test]
    fn figures_that_were_not_given_are_found() {
        for sentence in [
            "Apple stands at 232.",
            "Apple stands at 231.5 billion.",
            "It rose by 15.2%.",
            "It was founded in 1976.",
            "It is worth 3.4 trillion.",
        ] {
            assert!(!given().bear(sentence), "{sentence}");
        }
    }
}

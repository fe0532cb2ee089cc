//! Units of measure and currencies by name: what `units.txt` and `currencies.txt` list.
//!
//! ```text
//! [length]
//! kilometer km 1e3
//! [currencies]
//! dollars USD CAD
//! [coins]
//! cent 0.01 dollars
//! ```
//!
//! A section is a dimension, unless it is one of the last two. A unit has its code in UCUM, and how
//! many of the first unit of its dimension it is: 0 where sums make no sense.

use super::file::{Fault, without_comment};
use crate::extract::grammar::units::{Coin, Measure};

/// Units of measure, currencies and coins by name. It lives as long as whoever reads it, which is
/// the build script or a test.
#[derive(Default)]
pub(crate) struct Inventory {
    pub(crate) measures: Vec<(&'static str, &'static Measure)>,
    currencies: Vec<(&'static str, &'static [&'static str])>,
    coins: Vec<(&'static str, &'static Coin)>,
}

impl Inventory {
    /// Adds what a file lists.
    ///
    /// # Errors
    ///
    /// The first [`Fault`] of the text.
    pub(crate) fn add(&mut self, text: &str) -> Result<(), Fault> {
        let mut section = "";
        for (at, line) in text.lines().enumerate() {
            let line = without_comment(line).trim();
            if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                section = leaked(name);
            } else if !line.is_empty() {
                let added = self.entry(section, line);
                added.map_err(|message| Fault::new(at + 1, message, "see the head of the file"))?;
            }
        }
        Ok(())
    }

    fn entry(&mut self, section: &'static str, line: &str) -> Result<(), String> {
        let mut words = line.split_whitespace();
        let name = leaked(words.next().unwrap_or_default());
        match section {
            "" => return Err("an entry stands before any section".to_owned()),
            "currencies" => {
                let codes: Result<Vec<_>, _> = words.map(currency).collect();
                self.currencies.push((name, Vec::leak(codes?)));
            }
            "coins" => {
                let worth = number(words.next())?;
                let codes: Vec<&str> = words.collect();
                let codes = match codes.as_slice() {
                    [list] if self.currencies(list).is_some() => {
                        self.currencies(list).unwrap_or_default()
                    }
                    codes => Vec::leak(
                        codes.iter().map(|code| currency(code)).collect::<Result<_, _>>()?,
                    ),
                };
                self.coins.push((name, Box::leak(Box::new(Coin { worth, codes }))));
            }
            dimension => {
                let code = leaked(words.next().ok_or("a code is missing")?);
                let factor = number(words.next())?;
                let measure = Measure { code, dimension, factor };
                self.measures.push((name, Box::leak(Box::new(measure))));
            }
        }
        Ok(())
    }

    pub(crate) fn measure(&self, name: &str) -> Option<&'static Measure> {
        named(&self.measures, name)
    }

    pub(crate) fn coin(&self, name: &str) -> Option<&'static Coin> {
        named(&self.coins, name)
    }

    /// The currencies of a list, the likeliest first.
    pub(crate) fn currencies(&self, name: &str) -> Option<&'static [&'static str]> {
        named(&self.currencies, name)
    }
}

fn named<T: Copy>(entries: &[(&'static str, T)], name: &str) -> Option<T> {
    entries.iter().find(|(known, _)| *known == name).map(|(_, entry)| *entry)
}

/// A code of ISO 4217, or a hyphen for an amount of no currency.
pub(crate) fn currency(word: &str) -> Result<&'static str, String> {
    match word {
        "-" => Ok(""),
        _ if word.len() == 3 && word.bytes().all(|byte| byte.is_ascii_uppercase()) => {
            Ok(leaked(word))
        }
        _ => Err(format!("`{word}` is no code of a currency and no list of them")),
    }
}

/// Reads `0.01`, `1e3` or `1/3`.
fn number(word: Option<&str>) -> Result<f64, String> {
    let word = word.ok_or("a number is missing")?;
    let parsed = match word.split_once('/') {
        Some((whole, parts)) => {
            whole.parse().and_then(|whole: f64| Ok(whole / parts.parse::<f64>()?))
        }
        None => word.parse(),
    };
    parsed.map_err(|_| format!("`{word}` is no number"))
}

fn leaked(word: &str) -> &'static str {
    Box::leak(Box::from(word))
}

//! Units of measure and currencies by name: what `units.txt` and `currencies.txt` list.
//!
//! ```text
//! [prefixes]
//! kilo k 1e3
//! [length]
//! meter m 1 pico..kilo
//! inch [in_i] 0.0254
//! [currencies]
//! dollars USD CAD
//! [coins]
//! cent 0.01 dollars
//! ```
//!
//! A section is a dimension, unless it is the first or one of the last two. A unit has its code in UCUM,
//! and how many of the first unit of its dimension it is: 0 where sums make no sense. The least and the
//! greatest prefix that it takes may follow, and the power of the prefix's factor: a square kilometer is
//! 1e3² square meters.

use super::file::{Fault, without_comment};
use crate::extract::grammar::units::{Coin, Measure};

/// Units of measure, currencies and coins by name. It lives as long as whoever reads it, which is
/// the build script or a test.
#[derive(Default)]
pub(crate) struct Inventory {
    pub(crate) measures: Vec<(&'static str, &'static Measure)>,
    currencies: Vec<(&'static str, &'static [&'static str])>,
    coins: Vec<(&'static str, &'static Coin)>,
    prefixes: Vec<Prefix>,
    multiples: Vec<(&'static str, Vec<Multiple>)>,
}

/// A decimal prefix.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Prefix {
    pub(crate) name: &'static str,
    /// What UCUM writes before the code of a unit.
    sign: &'static str,
    factor: f64,
}

/// A multiple of a unit of measure, both by name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Multiple {
    pub(crate) prefix: &'static str,
    pub(crate) unit: &'static str,
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
            "prefixes" => {
                let sign = leaked(words.next().ok_or("a sign is missing")?);
                let factor = number(words.next())?;
                self.prefixes.push(Prefix { name, sign, factor });
            }
            dimension => {
                let code = leaked(words.next().ok_or("a code is missing")?);
                let factor = number(words.next())?;
                let base = Measure { code, dimension, factor, base: code, multiple: 1.0 };
                self.measures.push((name, Box::leak(Box::new(base))));
                if let Some(range) = words.next() {
                    let power = words.next().map_or(Ok(1), str::parse);
                    let power = power.map_err(|_| "a power is no number")?;
                    let prefixes =
                        bounds(range).and_then(|(least, greatest)| self.span(least, greatest));
                    let prefixes =
                        prefixes.ok_or_else(|| format!("`{range}` are no two prefixes"))?;
                    self.multiply(name, base, &prefixes, power);
                }
            }
        }
        Ok(())
    }

    /// Adds the multiples of a unit.
    fn multiply(&mut self, name: &'static str, base: Measure, prefixes: &[Prefix], power: i32) {
        let mut multiples = Vec::new();
        for prefix in prefixes {
            // The kilometer of a square-kilometer is its last part.
            let (head, tail) = name.rsplit_once('-').filter(|_| power > 1).unwrap_or(("", name));
            let dash = if head.is_empty() { "" } else { "-" };
            let unit = leaked(&format!("{head}{dash}{}{tail}", prefix.name));
            let multiple = prefix.factor.powi(power);
            let code = leaked(&format!("{}{}", prefix.sign, base.code));
            let measure = Measure { code, factor: base.factor * multiple, multiple, ..base };
            self.measures.push((unit, Box::leak(Box::new(measure))));
            multiples.push(Multiple { prefix: prefix.name, unit });
        }
        self.multiples.push((name, multiples));
    }

    /// The prefixes from the least to the greatest.
    fn span(&self, least: &str, greatest: &str) -> Option<Vec<Prefix>> {
        let (least, greatest) = (self.prefix(least)?, self.prefix(greatest)?);
        let within = |prefix: &&Prefix| (least.factor..=greatest.factor).contains(&prefix.factor);
        Some(self.prefixes.iter().filter(within).copied().collect())
    }

    pub(crate) fn prefix(&self, name: &str) -> Option<&Prefix> {
        self.prefixes.iter().find(|prefix| prefix.name == name)
    }

    /// The names of the prefixes from the least to the greatest.
    pub(crate) fn between(&self, least: &str, greatest: &str) -> Option<Vec<&'static str>> {
        Some(self.span(least, greatest)?.iter().map(|prefix| prefix.name).collect())
    }

    /// The multiples of a unit that takes prefixes.
    pub(crate) fn multiples(&self, unit: &str) -> Option<&[Multiple]> {
        let entry = self.multiples.iter().find(|(known, _)| *known == unit)?;
        Some(&entry.1)
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

/// The two prefixes of `nano..kilo`.
pub(crate) fn bounds(range: &str) -> Option<(&str, &str)> {
    range.split_once("..")
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

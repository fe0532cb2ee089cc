//! Currencies: which one a thing is priced in, its worth in dollars, and how prices are rounded.

use serde_json::{Value, json};

use super::listing::Listing;
use crate::number::round;

/// The currency of each exchange that does not trade in US dollars, and about how many of it a
/// dollar buys.
const CURRENCIES: [(&str, &str, f64); 13] = [
    ("TWSE", "TWD", 31.0),
    ("HKEX", "HKD", 7.8),
    ("SSE", "CNY", 7.1),
    ("SZSE", "CNY", 7.1),
    ("HOSE", "VND", 26_300.0),
    ("HNX", "VND", 26_300.0),
    ("TSE", "JPY", 153.0),
    ("KRX", "KRW", 1_440.0),
    ("UPCOM", "VND", 26_300.0),
    ("TPEX", "TWD", 31.0),
    ("EPA", "EUR", 0.86),
    ("XETRA", "EUR", 0.86),
    ("SIX", "CHF", 0.8),
];

/// From here on a price has no decimals: nobody trades in parts of a dong, a yen or a won.
const WHOLE: f64 = 20_000.0;

pub(super) fn currency(listing: &Listing) -> &'static str {
    of(listing).0
}

/// An amount of the listing's currency in US dollars.
pub(super) fn dollars(listing: &Listing, amount: f64) -> f64 {
    amount / of(listing).1
}

fn of(listing: &Listing) -> (&'static str, f64) {
    let found = CURRENCIES.iter().find(|(exchange, ..)| *exchange == listing.exchange);
    found.map_or(("USD", 1.0), |(_, currency, rate)| (*currency, *rate))
}

/// A price as it is quoted: two decimals, none of a large one, four digits of one below 1.
pub(super) fn quoted(price: f64) -> f64 {
    round(price, decimals(price) as i32)
}

/// The decimals of a quoted price.
pub(super) fn decimals(price: f64) -> usize {
    let size = price.abs();
    if size >= WHOLE {
        0
    } else if size >= 1.0 || size == 0.0 {
        2
    } else {
        // The place of the first digit that is not zero, and three more.
        (3.0 - size.log10().floor()).clamp(2.0, 12.0) as usize
    }
}

/// An amount of money in whole units, rounded to thousands as accounts are.
pub(super) fn amount(value: f64) -> Value {
    json!((round(value / 1e3, 0) * 1e3) as i64)
}

/// A number of things.
pub(super) fn whole(value: f64) -> Value {
    json!(value.round() as i64)
}

/// A percentage or a ratio with two decimals.
pub(super) fn two(value: f64) -> Value {
    json!(round(value, 2))
}

/// `part` of `whole` in percent; 0 of nothing.
pub(super) fn percent(part: f64, whole: f64) -> f64 {
    if whole == 0.0 { 0.0 } else { part / whole * 100.0 }
}

/// The change from one value to another in percent; 0 from nothing.
pub(super) fn change(from: f64, to: f64) -> f64 {
    percent(to - from, from.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_quoted_by_their_size() {
        for (price, quote) in [
            (268.456, 268.46),
            (205_000.4, 205_000.0),
            (0.167_349, 0.1673),
            (0.000_009_412_3, 0.000_009_412),
            (0.0, 0.0),
        ] {
            assert!((quoted(price) - quote).abs() < 1e-12, "{price}: {}", quoted(price));
        }
        assert_eq!(amount(1_234_567.0), json!(1_235_000));
    }
}

//! Tells what a number counts: the unit that its name or its description says, money, or a share.

use super::{Facts, is_among, words_of};

/// Units as names and descriptions write them, with their UCUM codes.
const UNITS: [(&str, &[&str]); 27] = [
    ("km/h", &["km/h", "kmh", "kph", "kilometers per hour"]),
    ("[mi_i]/h", &["mph", "miles per hour"]),
    ("m/s", &["m/s", "mps", "meters per second", "metres per second"]),
    ("km", &["km", "kilometers", "kilometres", "kilometer", "kilometre"]),
    ("m", &["m", "meters", "metres", "meter", "metre"]),
    ("cm", &["cm", "centimeters", "centimetres", "centimeter"]),
    ("mm", &["mm", "millimeters", "millimetres", "millimeter"]),
    ("[mi_i]", &["mi", "miles", "mile"]),
    ("[ft_i]", &["ft", "feet", "foot"]),
    ("[in_i]", &["inches", "inch"]),
    ("kg", &["kg", "kgs", "kilograms", "kilogram"]),
    ("g", &["g", "grams", "gram"]),
    ("[lb_av]", &["lb", "lbs", "pounds", "pound"]),
    ("L", &["l", "liters", "litres", "liter"]),
    ("mL", &["ml", "milliliters", "millilitres"]),
    ("Cel", &["celsius", "centigrade"]),
    ("[degF]", &["fahrenheit"]),
    ("K", &["kelvin"]),
    ("ms", &["ms", "milliseconds", "millis"]),
    ("s", &["sec", "secs", "seconds"]),
    ("min", &["min", "mins", "minutes"]),
    ("h", &["hr", "hrs", "hours"]),
    ("d", &["days"]),
    ("wk", &["weeks"]),
    ("mo", &["months"]),
    ("a", &["years", "yrs"]),
    ("percent", &["percent", "percentage", "pct", "%"]),
];

/// The unit of a number: the last word of its name, or "in km", "(km)", "number of days" in its
/// description; what its words say it counts, where they say no unit.
pub(super) fn unit(facts: &Facts<'_>) -> Option<&'static str> {
    let last = facts.words.last().map(String::as_str);
    let alone = facts.words.len() == 1;
    // "min" at the end of a name is as likely the least value, and a letter alone is a variable.
    let named = last.filter(|last| *last != "min" && (!alone || PERIODS.contains(last)));
    // `miles_driven`: a unit may stand before what was done.
    let within = facts.words.iter().rev().filter(|word| word.len() >= TELLING_UNIT);
    let within = within.filter(|_| !alone).find_map(|word| unit_of(word));
    named.and_then(unit_of).or(within).or_else(|| described_unit(&facts.shape.description)).or_else(
        || {
            let percent = facts.says(&["percent", "%"]) && !facts.says(&["decimal"]);
            match (is_money(facts), is_share(facts)) {
                (_, true) if percent => Some("percent"),
                (_, true) if facts.shape.types.number => Some("1"),
                (true, false) => Some("money"),
                _ => None,
            }
        },
    )
}

/// The shortest unit that may stand within a name.
const TELLING_UNIT: usize = 5;

/// Units of time that an argument may be named for.
const PERIODS: [&str; 7] = ["seconds", "minutes", "hours", "days", "weeks", "months", "years"];

/// The most words of the name of a unit: "kilometers per hour".
const UNIT_WORDS: usize = 3;

/// The unit behind an "in", in brackets, or behind "number of".
fn described_unit(description: &str) -> Option<&'static str> {
    let pieces = description.split(['(', ')', ',', '.', ';', ':']);
    let mut whole = pieces.clone().filter_map(|piece| unit_of(piece.trim()));
    let behind = |word: &str, fits: fn(&str) -> bool| {
        let word = word.to_owned();
        pieces.clone().find_map(move |piece| {
            let padded = format!(" {piece} ");
            padded.match_indices(&word).find_map(|(at, _)| {
                let rest: Vec<&str> =
                    padded[at + word.len()..].split_whitespace().take(UNIT_WORDS).collect();
                let names = (1..=rest.len()).rev().map(|count| rest[..count].join(" "));
                names.filter(|name| fits(name)).find_map(|name| unit_of(&name))
            })
        })
    };
    let period = |name: &str| PERIODS.contains(&name);
    behind(" in ", |_| true).or_else(|| whole.next()).or_else(|| behind(" number of ", period))
}

/// The code of a unit; letters alone are units only where the table has them.
fn unit_of(word: &str) -> Option<&'static str> {
    /// Shorter words are articles and signs.
    const SHORTEST: usize = 4;
    let known = UNITS.iter().find(|(_, words)| words.contains(&word)).map(|(code, _)| *code);
    known.or_else(|| {
        let telling = word.chars().count() >= SHORTEST && word.is_ascii();
        if telling { waypost_text::units::code(word) } else { None }
    })
}

/// Words of amounts of money.
const MONEY: &str = "price cost costs income salary wage revenue budget payment deposit principal principle \
    investment loan balance equity dividend dividends fee rent expense expenses profit capital \
    money dollars usd debt asset assets liabilities invested contribution earnings";

/// Words of names that a word of money only tells apart: `investment_years`, `number_of_payments`.
const COUNTED: &str = "rate ratio number count year years period periods time term months days id frequency duration \
    percentage";

/// Returns whether a number is an amount of money.
fn is_money(facts: &Facts<'_>) -> bool {
    let counted = facts.words.iter().any(|word| is_among(COUNTED, word));
    let described = || {
        let mut words = facts.shape.description.split(|c: char| !c.is_alphanumeric());
        words.any(|word| is_among(MONEY, word))
    };
    let told = facts.words.iter().any(|word| is_among(MONEY, word));
    // `amount` and `value` are sums only where the description says so.
    let last = facts.words.last().map_or("", String::as_str);
    let general = ["amount", "value"].contains(&last);
    // An amount beside a currency is one.
    let exchanged = || facts.names.iter().any(|name| name.to_lowercase().contains("currency"));
    !counted && (told || general && (described() || exchanged()))
}

/// Returns whether a number is a share of a whole.
fn is_share(facts: &Facts<'_>) -> bool {
    const SHARES: [&str; 8] =
        ["rate", "probability", "ratio", "share", "fraction", "percentage", "discount", "yield"];
    let last = facts.words.last().map_or("", String::as_str);
    let of_return = facts.words.windows(2).any(|pair| pair[0] == "rate" && pair[1] == "of");
    let prob = facts.words.iter().any(|word| word == "prob" || word == "probability");
    SHARES.contains(&last) || of_return || prob
}

/// Returns whether an argument takes a year of the calendar: `year`, `start_year`, `year1`, but not
/// `compounds_per_year`.
pub(crate) fn is_year(name: &str) -> bool {
    let words = words_of(name);
    let is_number = |word: &String| word.chars().all(|c| c.is_ascii_digit());
    let last = words.iter().rfind(|word| !is_number(word));
    let first = words.first().is_some_and(|word| word == "year") && words.len() == 2;
    let per = words.iter().any(|word| word == "per");
    !per && (last.is_some_and(|word| word == "year")
        || first && words.last().is_some_and(is_number))
}

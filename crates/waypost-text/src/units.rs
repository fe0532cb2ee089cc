//! Units of measure: what their names mean, and amounts of one in another.
//!
//! Money is never converted: a rate is no constant.

use jiff::SpanFieldwise;

use crate::extract::{measures, named_unit};

/// Codes of UCUM without a prefix whose amounts do not add up in words, by how many of the first of their
/// group they are.
const SCALES: &[&[(&str, f64)]] = &[
    &[("W", 1.0), ("[HP]", 745.699_871_582_270_2)],
    &[("J", 1.0), ("cal", 4.184), ("W.h", 3600.0)],
    &[("Pa", 1.0), ("bar", 1e5), ("atm", 101_325.0), ("[psi]", 6_894.757_293_168_361)],
    &[("deg", 1.0), ("rad", 180.0 / std::f64::consts::PI), ("circ", 360.0)],
    // Months and years are those of the calendar on average, as UCUM has them.
    &[
        ("s", 1.0),
        ("ns", 1e-9),
        ("us", 1e-6),
        ("ms", 1e-3),
        ("min", 60.0),
        ("h", 3600.0),
        ("d", 86_400.0),
        ("wk", 604_800.0),
        ("mo", 2_629_800.0),
        ("a", 31_557_600.0),
    ],
];

/// Kelvin at zero degrees Celsius.
const ICE: f64 = 273.15;

/// Returns an amount of one unit in another; `None` for units that do not measure the same, and for
/// what is no unit.
///
/// Units are codes of UCUM, as quantities have them, or their names.
///
/// # Example
///
/// ```
/// use waypost_text::units::convert;
/// assert_eq!(convert(2.5, "km", "m"), Some(2500.0));
/// assert_eq!(convert(212.0, "[degF]", "celsius"), Some(100.0));
/// assert_eq!(convert(90.0, "minutes", "hours"), Some(1.5));
/// assert_eq!(convert(36.0, "km/h", "m/s"), Some(10.0));
/// assert_eq!(convert(1.0, "kg", "km"), None);
/// ```
pub fn convert(value: f64, from: &str, to: &str) -> Option<f64> {
    let (from, to) = (parts(from)?, parts(to)?);
    if from == to {
        return Some(value);
    }
    let (one, other) = match (from.1, to.1) {
        (None, None) => return single(value, from.0, to.0),
        (Some(one), Some(other)) => (one, other),
        _ => return None,
    };
    let found = value * ratio(from.0, to.0)? / ratio(one, other)?;
    found.is_finite().then(|| tidy(found))
}

/// The unit, and the one that it is for each of in a rate.
fn parts(unit: &str) -> Option<(&'static str, Option<&'static str>)> {
    let whole = match code(unit) {
        Some(KNOT) => return Some((code("[nmi_i]")?, Some("h"))),
        whole => whole,
    };
    match whole.unwrap_or(unit).split_once('/') {
        Some((unit, per)) => Some((code(unit)?, Some(code(per)?))),
        None => Some((whole?, None)),
    }
}

/// A nautical mile an hour.
const KNOT: &str = "[kn_i]";

/// An amount of a unit that is no rate in another.
fn single(value: f64, from: &'static str, to: &'static str) -> Option<f64> {
    if let (Some(kelvin), Some(converted)) = (kelvin(value, from), of_kelvin(value, from, to)) {
        return (kelvin >= 0.0).then_some(tidy(converted));
    }
    Some(tidy(value * ratio(from, to)?)).filter(|found| found.is_finite())
}

/// The number of the other unit that make one.
fn ratio(from: &'static str, to: &'static str) -> Option<f64> {
    if from == to {
        return Some(1.0);
    }
    let ((group, one), (other, two)) = (scale(from)?, scale(to)?);
    (group == other).then_some(one / two)
}

/// Returns a length of time in a unit; `None` for lengths that depend on the calendar, which months
/// and years do in days and hours, and for what is no unit of time.
///
/// # Example
///
/// ```
/// use jiff::ToSpan;
/// use waypost_text::units::duration;
/// assert_eq!(duration(&1.hour().minutes(30).fieldwise(), "min"), Some(90.0));
/// assert_eq!(duration(&2.years().fieldwise(), "mo"), Some(24.0));
/// assert_eq!(duration(&1.month().fieldwise(), "d"), None);
/// ```
pub fn duration(length: &SpanFieldwise, to: &str) -> Option<f64> {
    let span = &length.0;
    let months = f64::from(span.get_years()) * 12.0 + f64::from(span.get_months());
    if months != 0.0 {
        let rest = (*span).years(0).months(0);
        let whole = if rest.is_zero() { code(to) } else { None };
        return match whole? {
            "mo" => Some(months),
            "a" => Some(months / 12.0),
            _ => None,
        };
    }
    let parts = [
        (f64::from(span.get_weeks()), "wk"),
        (f64::from(span.get_days()), "d"),
        (f64::from(span.get_hours()), "h"),
        (span.get_minutes() as f64, "min"),
        (span.get_seconds() as f64, "s"),
        (span.get_milliseconds() as f64, "ms"),
        (span.get_microseconds() as f64, "us"),
        (span.get_nanoseconds() as f64, "ns"),
    ];
    let seconds: Option<f64> =
        parts.into_iter().map(|(count, unit)| convert(count, unit, "s")).sum();
    convert(seconds?, "s", to)
}

/// Returns the code of UCUM for a unit: a code itself, or a name in any language.
///
/// # Example
///
/// ```
/// use waypost_text::units::code;
/// assert_eq!(code("kilometers"), Some("km"));
/// assert_eq!(code("公斤"), Some("kg"));
/// assert_eq!(code("furlongs per fortnight"), None);
/// ```
pub fn code(unit: &str) -> Option<&'static str> {
    let own = SCALES.iter().flat_map(|group| group.iter().map(|(code, _)| *code));
    let mut codes = own.chain(measures().iter().map(|measure| measure.code));
    codes.find(|code| *code == unit).or_else(|| named_unit(unit))
}

/// The group of a unit, and how many of the group's first it is.
fn scale(code: &'static str) -> Option<(&'static str, f64)> {
    let own = |code: &str, multiple: f64| {
        SCALES.iter().find_map(|group| {
            let (first, _) = group.first()?;
            let (_, factor) = group.iter().find(|(known, _)| *known == code)?;
            Some((*first, factor * multiple))
        })
    };
    own(code, 1.0).or_else(|| {
        let measure = measures().iter().find(|known| known.code == code)?;
        if measure.factor > 0.0 {
            return Some((measure.dimension, measure.factor));
        }
        own(measure.base, measure.multiple).or_else(|| {
            // Prefixes alone tell kHz from Hz, where no other unit measures the same.
            let prefixed = measure.multiple != 1.0
                || measures()
                    .iter()
                    .any(|known| known.base == measure.code && known.multiple != 1.0);
            prefixed.then_some((measure.base, measure.multiple))
        })
    })
}

fn kelvin(value: f64, unit: &str) -> Option<f64> {
    match unit {
        "K" => Some(value),
        "Cel" => Some(value + ICE),
        "[degF]" => Some((value - 32.0) / 1.8 + ICE),
        _ => None,
    }
}

fn of_kelvin(value: f64, from: &str, to: &str) -> Option<f64> {
    let celsius = match from {
        "Cel" => value,
        "[degF]" => (value - 32.0) / 1.8,
        "K" => value - ICE,
        _ => return None,
    };
    match to {
        "Cel" => Some(celsius),
        "[degF]" => Some(celsius * 1.8 + 32.0),
        "K" => Some(celsius + ICE),
        _ => None,
    }
}

/// Drops what a sum of binary fractions leaves behind the twelfth figure.
fn tidy(value: f64) -> f64 {
    format!("{value:.11e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_converted_within_a_dimension() {
        for (value, from, to, expected) in [
            (5.0, "[mi_i]", "km", Some(8.04672)),
            (3.0, "feet", "m", Some(0.9144)),
            (100.0, "km/h", "m/s", Some(27.7777777778)),
            (60.0, "mph", "km/h", Some(96.56064)),
            (10.0, "knots", "km/h", Some(18.52)),
            (5.0, "kg/har", "g/m2", Some(0.5)),
            (5.0, "kg/har", "kg", None),
            (1.5, "MW", "kW", Some(1500.0)),
            (2.0, "kW.h", "MJ", Some(7.2)),
            (20.0, "mmol/L", "mol/m3", Some(20.0)),
            (5.0, "mSv", "uSv", Some(5000.0)),
            (32.0, "fahrenheit", "Cel", Some(0.0)),
            (-40.0, "Cel", "[degF]", Some(-40.0)),
            (0.0, "K", "Cel", Some(-273.15)),
            (-300.0, "Cel", "K", None),
            (2.0, "GBy", "MBy", Some(2000.0)),
            (8.0, "bit", "By", Some(1.0)),
            (1.0, "har", "m2", Some(10_000.0)),
            (1.0, "L", "mL", Some(1000.0)),
            (2.0, "公斤", "g", Some(2000.0)),
            (1.5, "horas", "min", Some(90.0)),
            (2.0, "wk", "d", Some(14.0)),
            (1.0, "a", "mo", Some(12.0)),
            (1.0, "USD", "EUR", None),
            (1.0, "kg", "s", None),
            (1.0, "", "kg", None),
        ] {
            assert_eq!(convert(value, from, to), expected, "{value} {from} in {to}");
        }
    }

    #[test]
    fn every_unit_is_one_of_itself() {
        for measure in measures() {
            assert_eq!(convert(2.0, measure.code, measure.code), Some(2.0), "{}", measure.code);
        }
    }
}

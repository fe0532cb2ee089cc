//! Finds the band of a pack that an interval of numbers means.

use waypost_text::extract::Bounds;

use crate::pack::spec::Band;

/// The most that the ends of a spoken interval may differ from those of the band: "0 to 4" and
/// "under 5" are one.
const SLACK: f64 = 1.0;

/// Returns whether an interval of numbers is this band: it lies within it and reaches to its ends.
pub(super) fn fits(found: &Bounds, band: &Band) -> bool {
    let Some(scale) = scale(found.unit, &band.unit) else { return false };
    let low = found.interval.low.map(|low| low * scale);
    let high = found.interval.high.map(|high| high * scale);
    begins(low, band.from) && ends(high, found.interval.high_included, band.to)
}

fn begins(low: Option<f64>, from: Option<f64>) -> bool {
    match (low, from) {
        (Some(low), Some(from)) => low >= from && low <= from + SLACK,
        // "0 to 4" begins where there is nothing less.
        (Some(low), None) => low <= SLACK,
        (None, from) => from.is_none_or(|from| from <= 0.0),
    }
}

fn ends(high: Option<f64>, included: bool, to: Option<f64>) -> bool {
    match (high, to) {
        (Some(high), Some(to)) => {
            let within = if included { high < to } else { high <= to };
            within && high >= to - SLACK
        }
        (None, None) => true,
        _ => false,
    }
}

/// Returns the factor that turns the words' unit into the band's; 1 where the words have no unit.
fn scale(said: Option<&str>, wanted: &str) -> Option<f64> {
    let years = |unit: &str| match unit {
        "a" => Some(1.0),
        "mo" => Some(1.0 / 12.0),
        "wk" => Some(7.0 / 365.25),
        "d" => Some(1.0 / 365.25),
        _ => None,
    };
    match said {
        None => Some(1.0),
        Some(said) if said == wanted => Some(1.0),
        Some(said) => Some(years(said)? / years(wanted)?),
    }
}

#[cfg(test)]
mod tests {
    use waypost_text::extract;
    use waypost_text::language::Language;
    use waypost_text::text::Text;

    use super::*;

    #[test]
    fn ages_are_bands_however_they_are_said() {
        let young = Band { from: None, to: Some(5.0), unit: "a".to_owned() };
        let older = Band { from: Some(5.0), to: None, unit: "a".to_owned() };
        for (text, language, is_young, is_older) in [
            ("less than five yrs old", Language::En, true, false),
            ("0-59 months", Language::En, true, false),
            ("5 years and above", Language::En, false, true),
            ("0-4歲", Language::ZhHant, true, false),
            ("5岁及以上", Language::ZhHans, false, true),
            ("menos de 5 años", Language::Es, true, false),
            ("5 to 15 years", Language::En, false, false),
            ("under 18 years", Language::En, false, false),
        ] {
            let found = extract::bounds(&Text::new(text), language);
            let any = |band| found.iter().any(|found| fits(found, band));
            assert_eq!((any(&young), any(&older)), (is_young, is_older), "{text}: {found:?}");
        }
    }
}

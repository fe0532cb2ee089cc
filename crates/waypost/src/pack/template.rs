//! The template engine that packs' answers and Waypost's own sentences share.

use std::collections::BTreeMap;

use minijinja::Environment;

/// The most steps that a template may take: a loop over a year of days is far below.
const FUEL: u64 = 200_000;

/// An engine with the filters that answers use: `fixed(n)`, `signed(n)`, `clock`.
pub(crate) fn engine<'a>() -> Environment<'a> {
    let mut engine = Environment::new();
    engine.set_fuel(Some(FUEL));
    engine.add_filter("fixed", fixed);
    engine.add_filter("signed", signed);
    engine.add_filter("clock", clock);
    engine
}

/// The templates that cannot be parsed, each as its language and its fault.
pub(crate) fn faults(templates: &BTreeMap<String, String>) -> Vec<(String, String)> {
    let engine = engine();
    let faults = templates.iter().filter_map(|(tag, text)| {
        let error = engine.template_from_str(text).err()?;
        Some((tag.clone(), error.to_string()))
    });
    faults.collect()
}

/// The names that templates want a value for, each with the language of its template.
pub(crate) fn holes(templates: &BTreeMap<String, String>) -> Vec<(String, String)> {
    let engine = engine();
    let mut holes = Vec::new();
    for (tag, text) in templates {
        let Ok(template) = engine.template_from_str(text) else { continue };
        let mut names: Vec<String> = template.undeclared_variables(false).into_iter().collect();
        names.sort_unstable();
        holes.extend(names.into_iter().map(|name| (tag.clone(), name)));
    }
    holes
}

/// A number with so many decimals.
fn fixed(value: f64, decimals: usize) -> String {
    format!("{value:.decimals$}")
}

/// A number with its sign, also where it is positive. Source: S0-37.
fn signed(value: f64, decimals: usize) -> String {
    format!("{value:+.decimals$}")
}

/// The hour and minute of an ISO 8601 instant as it is written, or a dash for none.
fn clock(value: &minijinja::Value) -> String {
    let time = value.as_str().and_then(|text| text.split_once('T')).map(|(_, time)| time);
    time.and_then(|time| time.get(..5)).unwrap_or("–").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn render(template: &str) -> String {
        engine().render_str(template, ()).unwrap_or_else(|error| error.to_string())
    }

    #[test]
    fn numbers_and_times_are_written_as_answers_want_them() {
        assert_eq!(render("{{ 26.449 | fixed(1) }}"), "26.4");
        assert_eq!(render("{{ 0.2134 | signed(2) }} {{ -1 | signed(1) }}"), "+0.21 -1.0");
        assert_eq!(render("{{ '2025-11-06T06:04:10+08:00' | clock }}"), "06:04");
        assert_eq!(render("{{ none | clock }}"), "–");
    }

    #[test]
    fn a_template_that_never_ends_runs_out_of_fuel() {
        let long =
            "{% for i in range(10000) %}{% for j in range(10000) %}x{% endfor %}{% endfor %}";
        assert!(engine().render_str(long, ()).is_err());
    }
}

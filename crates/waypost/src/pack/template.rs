//! The template engine that packs' answers and Waypost's own sentences share.

use std::collections::BTreeMap;

use minijinja::{Environment, ErrorKind};

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

/// The filters that advice names: those of answers, then the usual ones of the engine.
pub(crate) const FILTERS: [&str; 29] = [
    "fixed",
    "signed",
    "clock",
    "abs",
    "capitalize",
    "default",
    "escape",
    "first",
    "float",
    "format",
    "groupby",
    "int",
    "items",
    "join",
    "last",
    "length",
    "lower",
    "map",
    "max",
    "min",
    "reject",
    "replace",
    "round",
    "select",
    "sort",
    "title",
    "trim",
    "unique",
    "upper",
];

/// Returns the reason why a template cannot be parsed, in a sentence.
pub(crate) fn fault(text: &str) -> Option<String> {
    let error = engine().template_from_str(text).err()?;
    let what = error.detail().map_or_else(|| error.kind().to_string(), str::to_owned);
    let line = error.line().filter(|_| text.contains('\n'));
    let line = line.map(|line| format!(" (line {line} of the template)")).unwrap_or_default();
    Some(format!("not a template: {what}{line}"))
}

/// Returns the filters that a template names and that there are not, each once. The engine itself would
/// only tell when an answer is worded.
pub(crate) fn unknown_filters(text: &str) -> Vec<String> {
    let engine = engine();
    let is_unknown = |name: &String| {
        let expression = format!("1 | {name}");
        let tried = engine.compile_expression(&expression).and_then(|value| value.eval(()));
        tried.is_err_and(|error| error.kind() == ErrorKind::UnknownFilter)
    };
    let mut names = filters(text);
    names.sort();
    names.dedup();
    names.retain(is_unknown);
    names
}

/// The names behind `|` inside of the blocks of a template; what is in quotes is no code.
fn filters(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find("{{").into_iter().chain(rest.find("{%")).min() {
        let (open, close) = rest[start..].split_at(2);
        let close_at = close.find(if open == "{{" { "}}" } else { "%}" }).unwrap_or(close.len());
        let code = without_texts(&close[..close_at]);
        names.extend(code.split('|').skip(1).filter_map(named));
        rest = &close[close_at..];
    }
    names
}

/// Code without what is between its quotes.
fn without_texts(code: &str) -> String {
    let mut quote = None;
    let mut escaped = false;
    let mut left = String::new();
    for c in code.chars() {
        match quote {
            None if matches!(c, '\'' | '"') => quote = Some(c),
            None => left.push(c),
            Some(_) if escaped => escaped = false,
            Some(open) if c == open => quote = None,
            Some(_) => escaped = c == '\\',
        }
    }
    left
}

/// The name that a piece of code begins with.
fn named(code: &str) -> Option<String> {
    let code = code.trim_start();
    let end = code.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(code.len());
    Some(code[..end].to_owned()).filter(|name| !name.is_empty())
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
    fn every_filter_that_is_advised_is_there() {
        for name in FILTERS {
            assert_eq!(unknown_filters(&format!("{{{{ x | {name} }}}}")), Vec::<String>::new());
        }
    }

    #[test]
    fn a_filter_that_there_is_not_is_found_in_code_alone() {
        let text = "a | b {{ x | fixd(1) | upper }}{% if y|lenght > 1 %}|{{ 'z | no' | joinn(\" | \") }}{% endif %}";
        assert_eq!(unknown_filters(text), ["fixd", "joinn", "lenght"]);
        assert_eq!(unknown_filters("{{ open | fixd"), ["fixd"]);
    }

    #[test]
    fn a_template_that_cannot_be_parsed_is_told_in_words() {
        let told = fault("{% if x %}a").unwrap();
        assert!(told.starts_with("not a template: ") && !told.contains("<string>"), "{told}");
        assert_eq!(fault("{{ x }}"), None);
    }

    #[test]
    fn a_template_that_never_ends_runs_out_of_fuel() {
        let long =
            "{% for i in range(10000) %}{% for j in range(10000) %}x{% endfor %}{% endfor %}";
        assert!(engine().render_str(long, ()).is_err());
    }
}

//! Checks before a training that labelled texts can teach what their labels say: a route with one
//! text cannot be held out and measured, and two routes with the same texts cannot be told apart. Lists
//! the texts that have several routes, which teach nothing.

use std::collections::{BTreeMap, BTreeSet};

use waypost_core::{Error, Result};

use crate::train::Labelled;

/// The fewest different texts that a route can be learned from.
pub const FEWEST: usize = 2;

/// The number of texts that an error shows.
const SHOWN: usize = 2;

/// A text that examples give several routes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contradiction<'a> {
    /// The text, as the student sees it.
    pub text: &'a str,
    /// The indices of its examples, in their order.
    pub examples: Vec<usize>,
}

/// Returns the texts that have several routes, in the order in which they first come. They are left
/// out of a training, since nobody can say which of their routes is right.
///
/// # Example
///
/// ```
/// use waypost_learning::Labelled;
/// use waypost_learning::data::validation;
///
/// let example = |text: &str, route: &str| Labelled {
///     text: text.to_owned(),
///     language: None,
///     route: route.to_owned(),
///     tools: Vec::new(),
///     weight: 1.0,
/// };
/// let examples = [example("hello", "greet"), example("why", "explain"), example("hello", "explain")];
/// let found = validation::contradictions(&examples);
/// assert_eq!((found[0].text, found[0].examples.as_slice()), ("hello", &[0, 2][..]));
/// ```
pub fn contradictions(examples: &[Labelled]) -> Vec<Contradiction<'_>> {
    let mut texts: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, example) in examples.iter().enumerate() {
        texts.entry(example.text.trim()).or_default().push(index);
    }
    let several = |all: &Vec<usize>| {
        let first = all.first().map(|index| &examples[*index].route);
        all.iter().any(|index| Some(&examples[*index].route) != first)
    };
    let texts = texts.into_iter().filter(|(_, all)| several(all));
    let mut found: Vec<Contradiction<'_>> =
        texts.map(|(text, examples)| Contradiction { text, examples }).collect();
    found.sort_by_key(|contradiction| contradiction.examples.first().copied());
    found
}

/// Checks that every route has at least [`FEWEST`] texts of its own, values aside, and that no two
/// routes have the same texts.
///
/// # Errors
///
/// [`waypost_core::Code::InvalidArgument`] that names the route, or both.
///
/// # Example
///
/// ```
/// use waypost_learning::Labelled;
/// use waypost_learning::data::validation;
///
/// let example = |text: &str, route: &str| Labelled {
///     text: text.to_owned(),
///     language: None,
///     route: route.to_owned(),
///     tools: Vec::new(),
///     weight: 1.0,
/// };
/// let error = validation::check(&[example("hello", "greet"), example("hi", "greet"), example("x", "one")]);
/// assert_eq!(error.unwrap_err().message(), "the route `one` has one example: `x`");
/// ```
pub fn check(examples: &[Labelled]) -> Result<()> {
    let mut routes: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for example in examples {
        routes.entry(&example.route).or_default().insert(example.text.trim());
    }
    let mut seen: BTreeMap<&BTreeSet<&str>, &str> = BTreeMap::new();
    for (route, texts) in &routes {
        if let Some(other) = seen.insert(texts, route) {
            let shown: Vec<String> =
                texts.iter().take(SHOWN).map(|text| format!("`{text}`")).collect();
            let message = format!(
                "the routes `{other}` and `{route}` have the same examples: {}",
                shown.join(", ")
            );
            return Err(Error::invalid(message).with_hint("make one route of them"));
        }
    }
    let shared: BTreeSet<&str> =
        contradictions(examples).into_iter().map(|contradiction| contradiction.text).collect();
    let own = |texts: &BTreeSet<&str>| texts.difference(&shared).count();
    // A route alone is a constant and needs nothing to be told apart from.
    let few = routes.iter().find(|(_, texts)| own(texts) < FEWEST && routes.len() > 1);
    let Some((route, texts)) = few else { return Ok(()) };
    let hint = "give at least two that differ in more than their values, better ten";
    let text = texts.first().copied().unwrap_or_default();
    if texts.len() < FEWEST {
        return Err(Error::invalid(format!("the route `{route}` has one example: `{text}`"))
            .with_hint(hint));
    }
    let count = if own(texts) == 0 { "no example" } else { "one example" };
    let other = texts.intersection(&shared).next().copied().unwrap_or_default();
    let message =
        format!("the route `{route}` has {count} of its own: `{other}` has another route too");
    Err(Error::invalid(message).with_hint(hint))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn examples(rows: &[(&str, &str)]) -> Vec<Labelled> {
        let row = |(text, route): &(&str, &str)| Labelled {
            text: (*text).to_owned(),
            language: None,
            route: (*route).to_owned(),
            tools: Vec::new(),
            weight: 1.0,
        };
        rows.iter().map(row).collect()
    }

    #[test]
    fn every_example_of_a_text_with_several_routes_is_listed_in_order() {
        let rows =
            examples(&[("z", "a"), ("x", "a"), ("x", "a"), ("z ", "b"), ("y", "b"), ("z", "c")]);
        let found = contradictions(&rows);
        assert_eq!(found, [Contradiction { text: "z", examples: vec![0, 3, 5] }]);
    }

    #[test]
    fn a_route_needs_texts_that_no_other_has() {
        let told = |rows: &[(&str, &str)]| match check(&examples(rows)) {
            Ok(()) => String::new(),
            Err(error) => error.message().to_owned(),
        };
        let wide = [("p", "b"), ("q", "b"), ("r", "b"), ("s", "b")];
        let with = |own: &[(&'static str, &'static str)]| told(&[own, &wide[..]].concat());
        assert_eq!(with(&[("p", "a"), ("x", "a"), ("y", "a")]), "");
        assert_eq!(
            with(&[("p", "a"), ("q", "a")]),
            "the route `a` has no example of its own: `p` has another route too"
        );
        assert_eq!(
            with(&[("p", "a"), ("x", "a")]),
            "the route `a` has one example of its own: `p` has another route too"
        );
    }
}

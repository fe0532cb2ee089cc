//! Checks before a training that labelled texts can teach what their labels say: a route with one
//! text cannot be held out and measured, and two routes with the same texts cannot be told apart.

use std::collections::{BTreeMap, BTreeSet};

use waypost_core::{Error, Result};

use crate::train::Labelled;

/// The fewest different texts that a route can be learned from.
pub const FEWEST: usize = 2;

/// The number of texts that an error shows.
const SHOWN: usize = 2;

/// Checks that every route has at least [`FEWEST`] texts, values aside, and that no two routes have
/// the same texts.
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
    // A route alone is a constant and needs nothing to be told apart from.
    let few = routes.iter().find(|(_, texts)| texts.len() < FEWEST && routes.len() > 1);
    let Some((route, texts)) = few else { return Ok(()) };
    let text = texts.first().copied().unwrap_or_default();
    Err(Error::invalid(format!("the route `{route}` has one example: `{text}`"))
        .with_hint("give at least two that differ in more than their values, better ten"))
}

//! Computes the same figures for parts of the cases: a route, a language, a layer.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Share;

/// The outcome of one case, in the parts that slices count.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Seen<'a> {
    /// The right route, where it is known.
    pub label: Option<&'a str>,
    /// The route that was given.
    pub predicted: &'a str,
    /// True if everything came out as expected, not the route alone.
    pub right: bool,
    /// True if a question was asked.
    pub asked: bool,
    /// The confidence of the decision.
    pub confidence: f64,
}

/// A part of the cases.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Slice {
    /// The name of the route, language or layer.
    pub name: String,
    /// The share of cases that came out as expected.
    pub right: Share,
    /// The share of cases in which a question was asked.
    pub asked: Share,
    /// The mean confidence.
    pub confidence: f64,
}

/// A route.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RouteSlice {
    /// The cases that belong to it.
    pub slice: Slice,
    /// Of the cases given to it, those that belong to it.
    pub precision: Share,
    /// Of the cases that belong to it, those given to it.
    pub recall: Share,
}

/// Groups the cases by the name that `of` gives for the index of each; a case without one is left
/// out.
pub fn slices<'a>(cases: &'a [Seen<'a>], of: impl Fn(usize) -> Option<&'a str>) -> Vec<Slice> {
    let mut groups: BTreeMap<&str, Vec<&Seen<'_>>> = BTreeMap::new();
    for (index, case) in cases.iter().enumerate() {
        if let Some(name) = of(index) {
            groups.entry(name).or_default().push(case);
        }
    }
    groups.into_iter().map(|(name, cases)| slice(name, &cases)).collect()
}

/// Groups the cases by their right route, by name. A route that was given and belongs to no case
/// has a slice too.
pub fn by_route(cases: &[Seen<'_>]) -> Vec<RouteSlice> {
    let mut groups: BTreeMap<&str, (Vec<&Seen<'_>>, usize)> = BTreeMap::new();
    for case in cases {
        let Some(label) = case.label else { continue };
        groups.entry(label).or_default().0.push(case);
        groups.entry(case.predicted).or_default().1 += 1;
    }
    let route = |(name, (cases, given)): (&str, (Vec<&Seen<'_>>, usize))| {
        let hit = cases.iter().filter(|case| case.predicted == name).count();
        RouteSlice {
            slice: slice(name, &cases),
            precision: Share::new(hit, given),
            recall: Share::new(hit, cases.len()),
        }
    };
    groups.into_iter().map(route).collect()
}

fn slice(name: &str, cases: &[&Seen<'_>]) -> Slice {
    let count = |what: fn(&Seen<'_>) -> bool| {
        Share::new(cases.iter().filter(|case| what(case)).count(), cases.len())
    };
    let sum: f64 = cases.iter().map(|case| case.confidence).sum();
    Slice {
        name: name.to_owned(),
        right: count(|case| case.right),
        asked: count(|case| case.asked),
        confidence: sum / cases.len().max(1) as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen<'a>(label: &'a str, predicted: &'a str, right: bool, asked: bool) -> Seen<'a> {
        let confidence = if right { 0.9 } else { 0.5 };
        Seen { label: Some(label), predicted, right, asked, confidence }
    }

    #[test]
    fn routes_are_counted_by_hand() {
        let cases = [
            seen("a", "a", true, false),
            seen("a", "a", false, true),
            seen("a", "b", false, false),
            seen("b", "b", true, false),
            Seen { label: None, ..seen("", "b", true, false) },
            seen("b", "c", false, true),
        ];
        let routes = by_route(&cases);
        let names: Vec<&str> = routes.iter().map(|route| route.slice.name.as_str()).collect();
        assert_eq!(names, ["a", "b", "c"]);
        let counted = |share: Share| (share.part, share.of);
        let a = &routes[0];
        assert_eq!((counted(a.precision), counted(a.recall)), ((2, 2), (2, 3)));
        assert_eq!((counted(a.slice.right), counted(a.slice.asked)), ((1, 3), (1, 3)));
        assert!((a.slice.confidence - 1.9 / 3.0).abs() < 1e-12);
        // The row without a route counts nowhere, or b would have been given three times.
        assert_eq!(counted(routes[1].precision), (1, 2));
        assert_eq!((counted(routes[2].precision), routes[2].recall.of), ((0, 1), 0));
    }

    #[test]
    fn cases_are_grouped_by_what_is_said_of_them() {
        let cases = [seen("a", "a", true, false), seen("a", "b", false, false)];
        let languages = [Some("en"), None];
        let found = slices(&cases, |index| languages[index]);
        assert_eq!((found.len(), found[0].name.as_str(), found[0].right.of), (1, "en", 1));
    }
}

//! The confusion matrix: which route was taken for which.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::Row;

/// The number of times that each route was taken for each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Matrix {
    /// The routes, by name: those that were right and those that were given.
    pub routes: Vec<String>,
    /// By the route that was right, then by the one that was given.
    pub counts: Vec<Vec<usize>>,
}

/// A route that was taken for another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confused {
    /// The right one.
    pub label: String,
    /// The one that was given.
    pub predicted: String,
    /// The number of rows.
    pub n: usize,
    /// The number of all rows of the right route.
    pub of: usize,
}

/// Every route against every route; `None` if there are more than `most`. Rows that belong to no
/// route are left out.
pub fn matrix(rows: &[Row], most: usize) -> Option<Matrix> {
    let mut names: BTreeSet<&str> = BTreeSet::new();
    for (label, predicted) in labelled(rows) {
        names.extend([label, predicted]);
        if names.len() > most {
            return None;
        }
    }
    let at: BTreeMap<&str, usize> =
        names.iter().enumerate().map(|(at, name)| (*name, at)).collect();
    let mut counts = vec![vec![0; names.len()]; names.len()];
    for (label, predicted) in labelled(rows) {
        counts[at[label]][at[predicted]] += 1;
    }
    Some(Matrix { routes: names.into_iter().map(str::to_owned).collect(), counts })
}

/// The routes that were taken for others, most often first.
pub fn confused(rows: &[Row]) -> Vec<Confused> {
    let mut of: BTreeMap<&str, usize> = BTreeMap::new();
    let mut pairs: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for (label, predicted) in labelled(rows) {
        *of.entry(label).or_default() += 1;
        if label != predicted {
            *pairs.entry((label, predicted)).or_default() += 1;
        }
    }
    let pair = |((label, predicted), n): ((&str, &str), usize)| Confused {
        label: label.to_owned(),
        predicted: predicted.to_owned(),
        n,
        of: of[label],
    };
    let mut found: Vec<Confused> = pairs.into_iter().map(pair).collect();
    found.sort_by_key(|pair| std::cmp::Reverse(pair.n));
    found
}

fn labelled(rows: &[Row]) -> impl Iterator<Item = (&str, &str)> {
    rows.iter().filter_map(|row| Some((row.label.as_deref()?, row.predicted.as_str())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(pairs: &[(&str, &str)]) -> Vec<Row> {
        let row = |(label, predicted): &(&str, &str)| Row {
            label: Some((*label).to_owned()).filter(|label| !label.is_empty()),
            predicted: (*predicted).to_owned(),
            confidence: 0.5,
            in_scope: 1.0,
        };
        pairs.iter().map(row).collect()
    }

    #[test]
    fn every_row_with_a_route_is_counted_once() {
        let rows = rows(&[("a", "a"), ("a", "c"), ("b", "b"), ("a", "c"), ("b", "a"), ("", "b")]);
        let matrix = matrix(&rows, 3).unwrap();
        assert_eq!(matrix.routes, ["a", "b", "c"]);
        assert_eq!(matrix.counts, [[1, 0, 2], [1, 1, 0], [0, 0, 0]]);
        assert_eq!(super::matrix(&rows, 2), None);
        let found = confused(&rows);
        let pairs: Vec<(&str, &str, usize, usize)> =
            found.iter().map(|p| (p.label.as_str(), p.predicted.as_str(), p.n, p.of)).collect();
        assert_eq!(pairs, [("a", "c", 2, 3), ("b", "a", 1, 2)]);
    }

    #[test]
    fn without_rows_there_is_nothing_to_confuse() {
        assert_eq!(matrix(&[], 3).unwrap().routes.len(), 0);
        assert_eq!(confused(&[]), []);
    }
}

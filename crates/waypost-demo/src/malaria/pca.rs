//! The first principal component of a few columns, by power iteration.

use super::statistics::mean;

/// The number of power iterations: enough for nine columns, and always the same work.
const ITERATIONS: usize = 500;

/// A component.
#[derive(Debug)]
pub(super) struct Component {
    /// Each row's place along it.
    pub(super) scores: Vec<f64>,
    /// The loading of each column; the squares sum to 1.
    pub(super) loadings: Vec<f64>,
    /// Its share of the whole variance, from 0 to 1.
    pub(super) explained: f64,
}

/// The direction along which the standardized columns vary most. Its sign is the one that makes
/// the sum of the loadings positive, so that more along it is more of the columns.
pub(super) fn first_component(columns: &[Vec<f64>]) -> Component {
    let columns: Vec<Vec<f64>> = columns.iter().map(|column| standardized(column)).collect();
    let rows = columns.first().map_or(0, Vec::len);
    let correlation: Vec<Vec<f64>> = columns
        .iter()
        .map(|one| columns.iter().map(|other| dot(one, other) / rows.max(1) as f64).collect())
        .collect();
    let mut loadings = start(columns.len());
    for _ in 0..ITERATIONS {
        let next: Vec<f64> = correlation.iter().map(|row| dot(row, &loadings)).collect();
        let length = dot(&next, &next).sqrt();
        if length < f64::EPSILON {
            break;
        }
        loadings = next.into_iter().map(|value| value / length).collect();
    }
    if loadings.iter().sum::<f64>() < 0.0 {
        loadings.iter_mut().for_each(|loading| *loading = -*loading);
    }
    let along: Vec<f64> = correlation.iter().map(|row| dot(row, &loadings)).collect();
    let whole: f64 = (0..columns.len()).map(|index| correlation[index][index]).sum();
    let explained = if whole > 0.0 { dot(&along, &loadings) / whole } else { 0.0 };
    let score =
        |row: usize| columns.iter().zip(&loadings).map(|(column, by)| column[row] * by).sum();
    Component { scores: (0..rows).map(score).collect(), loadings, explained }
}

/// A direction to begin with. Its parts differ, so that it is not at right angles to a component
/// that sets one column against another.
fn start(count: usize) -> Vec<f64> {
    let start: Vec<f64> = (0..count).map(|index| 1.0 + index as f64 / 10.0).collect();
    let length = dot(&start, &start).sqrt();
    start.into_iter().map(|value| value / length).collect()
}

/// Mean 0 and variance 1; all zeros where nothing varies.
fn standardized(column: &[f64]) -> Vec<f64> {
    let mean = mean(column);
    let centered: Vec<f64> = column.iter().map(|value| value - mean).collect();
    let deviation = (dot(&centered, &centered) / column.len().max(1) as f64).sqrt();
    let by = if deviation > f64::EPSILON { deviation } else { f64::INFINITY };
    centered.into_iter().map(|value| value / by).collect()
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(got: f64, expected: f64) {
        assert!((got - expected).abs() < 1e-9, "{got} is not {expected}");
    }

    #[test]
    fn two_columns_have_a_component_that_can_be_worked_out_by_hand() {
        // Their correlation is r = 0.8, so the greatest eigenvalue is 1 + r over a trace of 2.
        let component = first_component(&[vec![1.0, 2.0, 3.0, 4.0], vec![2.0, 1.0, 4.0, 3.0]]);
        close(component.explained, (1.0 + 0.6) / 2.0);
        for loading in component.loadings {
            close(loading, 0.5_f64.sqrt());
        }
    }

    #[test]
    fn columns_against_each_other_and_columns_that_stand_still() {
        let opposite = first_component(&[vec![1.0, 2.0, 3.0], vec![3.0, 2.0, 1.0]]);
        close(opposite.explained, 1.0);
        close(opposite.loadings[0], -opposite.loadings[1]);
        let still = first_component(&[vec![5.0; 3]]);
        close(still.explained, 0.0);
        assert_eq!(still.scores, [0.0; 3]);
        assert!(first_component(&[]).scores.is_empty());
    }
}

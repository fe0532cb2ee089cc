//! Measures how well out-of-scope texts are told from those within scope.

use serde::{Deserialize, Serialize};

use super::{auroc, ratio};

/// Bins of the histogram, of equal width.
pub const BINS: usize = 20;

/// The probabilities of being within scope that both kinds of texts are given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scope {
    /// The number of texts within scope.
    pub inside: usize,
    /// The number of texts out of scope.
    pub outside: usize,
    /// The numbers of both with a probability in each bin, those within scope first.
    pub bins: Vec<(usize, usize)>,
    /// For growing thresholds: the share of texts inside that fall below, and of those outside.
    pub curve: Vec<(f64, f64)>,
    /// The area under the curve.
    pub auroc: f64,
}

/// Compares the probabilities of texts inside and outside; `None` unless there are both.
pub fn scope(inside: &[f32], outside: &[f32]) -> Option<Scope> {
    let auroc = auroc(inside, outside)?;
    let mut bins = vec![(0, 0); BINS];
    let bin = |p: f32| ((p * BINS as f32) as usize).min(BINS - 1);
    inside.iter().for_each(|p| bins[bin(*p)].0 += 1);
    outside.iter().for_each(|p| bins[bin(*p)].1 += 1);
    Some(Scope {
        inside: inside.len(),
        outside: outside.len(),
        bins,
        curve: curve(inside, outside),
        auroc,
    })
}

/// Points of the curve at most: more than can be told apart where it is drawn.
const POINTS: usize = 200;

fn curve(inside: &[f32], outside: &[f32]) -> Vec<(f64, f64)> {
    let mut all: Vec<(f32, bool)> = inside.iter().map(|p| (*p, true)).collect();
    all.extend(outside.iter().map(|p| (*p, false)));
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut lost, mut caught) = (0, 0);
    let mut points = vec![(0.0, 0.0)];
    let step = 1.0 / POINTS as f64;
    for tie in all.chunk_by(|a, b| a.0 == b.0) {
        let within = tie.iter().filter(|(_, inside)| *inside).count();
        lost += within;
        caught += tie.len() - within;
        let point = (ratio(lost, inside.len()), ratio(caught, outside.len()));
        let last = points.last().copied().unwrap_or_default();
        let ends = lost == inside.len() && caught == outside.len();
        if ends || point.0 - last.0 >= step || point.1 - last.1 >= step {
            points.push(point);
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_runs_from_nothing_to_everything() {
        let scope = scope(&[0.9, 0.8, 0.4], &[0.1, 0.4]).unwrap();
        assert_eq!((scope.inside, scope.outside), (3, 2));
        let third = 1.0 / 3.0;
        let points = [(0.0, 0.0), (0.0, 0.5), (third, 1.0), (2.0 * third, 1.0), (1.0, 1.0)];
        assert_eq!(scope.curve, points);
        // Five wins and one tie of six pairs.
        assert!((scope.auroc - 5.5 / 6.0).abs() < 1e-12);
        assert_eq!((scope.bins[18], scope.bins[8], scope.bins[2]), ((1, 0), (1, 1), (0, 1)));
        assert_eq!(super::scope(&[0.5], &[]), None);
    }

    #[test]
    fn many_points_are_thinned_and_keep_both_ends() {
        let inside: Vec<f32> = (0..5000).map(|i| 0.5 + i as f32 / 10_000.0).collect();
        let outside: Vec<f32> = (0..5000).map(|i| i as f32 / 10_000.0).collect();
        let curve = scope(&inside, &outside).unwrap().curve;
        assert!(curve.len() <= 2 * POINTS + 2, "{}", curve.len());
        assert_eq!((curve[0], curve[curve.len() - 1]), ((0.0, 0.0), (1.0, 1.0)));
    }
}

//! The principal directions of a set of vectors, along which they differ most.

use crate::random::Random;

/// Rows that are looked at, evenly taken: more change nothing that can be measured.
const ROWS: usize = 12_000;

/// Rounds of the subspace iteration; the leading directions settle within a few dozen.
const ROUNDS: usize = 60;

/// Orthogonal directions of length 1, and the mean that they start from.
pub(crate) struct Directions {
    mean: Vec<f32>,
    rows: Vec<Vec<f32>>,
}

impl Directions {
    /// Fits to `rows`, which are not empty and of the same length, no less than `count`.
    ///
    /// # Source
    ///
    /// Subspace iteration with the covariance: Golub and Van Loan, "Matrix Computations", 7.3.2.
    pub(crate) fn fit(rows: &[&[f32]], count: usize) -> Self {
        let step = rows.len().div_ceil(ROWS);
        let sample: Vec<&[f32]> = rows.iter().step_by(step).copied().collect();
        let mean = mean(&sample);
        let covariance = covariance(&sample, &mean);
        let mut random = Random::new(1);
        let mut directions: Vec<Vec<f32>> = (0..count)
            .map(|_| mean.iter().map(|_| random.below(2001) as f32 / 1000.0 - 1.0).collect())
            .collect();
        orthogonalize(&mut directions);
        for _ in 0..ROUNDS {
            for direction in &mut directions {
                *direction = covariance.iter().map(|row| dot(row, direction)).collect();
            }
            orthogonalize(&mut directions);
        }
        Self { mean, rows: directions }
    }

    /// Returns the coordinates of `vector` along each direction.
    pub(crate) fn project(&self, vector: &[f32]) -> Vec<f32> {
        let centered: Vec<f32> = vector.iter().zip(&self.mean).map(|(x, mean)| x - mean).collect();
        self.rows.iter().map(|direction| dot(direction, &centered)).collect()
    }
}

fn mean(rows: &[&[f32]]) -> Vec<f32> {
    let mut mean = vec![0.0f64; rows[0].len()];
    for row in rows {
        for (sum, x) in mean.iter_mut().zip(*row) {
            *sum += f64::from(*x) / rows.len() as f64;
        }
    }
    mean.into_iter().map(|x| x as f32).collect()
}

fn covariance(rows: &[&[f32]], mean: &[f32]) -> Vec<Vec<f32>> {
    let width = mean.len();
    let mut sums = vec![vec![0.0f32; width]; width];
    let mut centered = vec![0.0f32; width];
    for row in rows {
        for ((out, x), mean) in centered.iter_mut().zip(*row).zip(mean) {
            *out = x - mean;
        }
        for (sum, x) in sums.iter_mut().zip(&centered) {
            for (sum, y) in sum.iter_mut().zip(&centered) {
                *sum += x * y;
            }
        }
    }
    sums
}

/// Makes each direction orthogonal to those before it and of length 1.
fn orthogonalize(directions: &mut [Vec<f32>]) {
    for at in 0..directions.len() {
        let (before, rest) = directions.split_at_mut(at);
        let current = &mut rest[0];
        // Twice: once leaves a remainder where directions were nearly the same.
        for _ in 0..2 {
            for other in before.iter() {
                let along = dot(other, current);
                for (x, y) in current.iter_mut().zip(other) {
                    *x -= along * y;
                }
            }
        }
        let length = dot(current, current).sqrt();
        let scale = if length > f32::MIN_POSITIVE { 1.0 / length } else { 0.0 };
        current.iter_mut().for_each(|x| *x *= scale);
    }
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_direction_comes_first() {
        let rows: Vec<[f32; 3]> =
            (0..100).map(|i| [5.0 + (i % 7) as f32, (i % 5) as f32 * 0.1, 1.0]).collect();
        let rows: Vec<&[f32]> = rows.iter().map(<[f32; 3]>::as_slice).collect();
        let found = Directions::fit(&rows, 2);
        assert!(found.rows[0][0].abs() > 0.999, "{:?}", found.rows);
        assert!(found.rows[1][1].abs() > 0.999, "{:?}", found.rows);
        assert!(dot(&found.rows[0], &found.rows[1]).abs() < 1e-5);
    }
}

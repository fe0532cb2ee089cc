//! Statistics of a list of values.

/// The mean; 0 of nothing.
pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Least value, lower quartile, median, upper quartile and greatest value, between the sorted
/// values where a share falls between two of them; zeros of nothing.
pub(super) fn five_numbers(values: &[f64]) -> [f64; 5] {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    [0.0, 0.25, 0.5, 0.75, 1.0].map(|share| quantile(&sorted, share))
}

fn quantile(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return 0.0 };
    let place = share * last as f64;
    let below = (place.floor() as usize).min(last);
    let above = (below + 1).min(last);
    sorted[below] + (place - below as f64) * (sorted[above] - sorted[below])
}

/// The values from 0 for the least to 1 for the greatest; zeros where all are equal.
pub(super) fn normalized(values: &[f64]) -> Vec<f64> {
    let [least, .., greatest] = five_numbers(values);
    let stretch = greatest - least;
    let share = |value: &f64| if stretch > 0.0 { (value - least) / stretch } else { 0.0 };
    values.iter().map(share).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_five_numbers_of_a_list() {
        assert_eq!(five_numbers(&[4.0, 1.0, 3.0, 2.0]), [1.0, 1.75, 2.5, 3.25, 4.0]);
        assert_eq!(five_numbers(&[7.0]), [7.0; 5]);
        assert_eq!(five_numbers(&[]), [0.0; 5]);
        assert_eq!(mean(&[1.0, 2.0, 6.0]), 3.0);
        assert_eq!(normalized(&[2.0, 4.0, 3.0]), [0.0, 1.0, 0.5]);
        assert_eq!(normalized(&[2.0, 2.0]), [0.0, 0.0]);
    }
}

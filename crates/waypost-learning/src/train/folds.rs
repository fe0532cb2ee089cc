//! Parts the examples, and the routes, for cross-validation.

use super::order::shuffle;
use crate::random::Random;

/// A fold, below `folds`, for each of `labels`, of texts with these `marks`: each label is spread evenly.
pub(crate) fn stratified(
    labels: &[u32],
    marks: &[u64],
    classes: usize,
    folds: usize,
    seed: u64,
) -> Vec<u32> {
    let mut order: Vec<u32> = (0..labels.len() as u32).collect();
    shuffle(&mut order, Random::new(seed).next(), |at| marks[at as usize]);
    // Each label starts at another fold, so that labels with one example do not share the first.
    let mut next: Vec<usize> = (0..classes).collect();
    let mut assigned = vec![0; labels.len()];
    for at in order {
        let at = at as usize;
        let next = &mut next[labels[at] as usize];
        assigned[at] = (*next % folds) as u32;
        *next += 1;
    }
    assigned
}

/// A group, below `groups`, for each of `classes`.
pub(crate) fn groups(classes: usize, groups: usize, seed: u64) -> Vec<u32> {
    let mut order: Vec<usize> = (0..classes).collect();
    Random::new(seed).shuffle(&mut order);
    let mut assigned = vec![0; classes];
    for (place, class) in order.into_iter().enumerate() {
        assigned[class] = (place % groups) as u32;
    }
    assigned
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_label_is_spread_evenly() {
        let labels: Vec<u32> = (0..30).map(|i| i % 3).collect();
        let folds = stratified(&labels, &(0..30).collect::<Vec<_>>(), 3, 5, 7);
        for label in 0..3 {
            for fold in 0..5 {
                let of = |i: &usize| labels[*i] == label && folds[*i] == fold;
                assert_eq!((0..30).filter(of).count(), 2);
            }
        }
    }
}

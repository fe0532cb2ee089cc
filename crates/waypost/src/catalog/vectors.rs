//! Vectors of words and texts. Those that are compared by the thousand are held in sixteen bits, which every processor
//! multiplies eight at a time.

use waypost_learning::StaticTable;

/// The vector of a few words; empty where the table knows nothing of them or there is none.
pub(crate) fn vector(table: Option<&StaticTable>, words: &str) -> Vec<f32> {
    let mut vector = Vec::new();
    let Some(table) = table else { return vector };
    table.embed(words, &mut vector);
    if vector.iter().all(|x| *x == 0.0) {
        vector.clear();
    }
    vector
}

/// The weighted sum of vectors, of length 1; empty if there are none.
pub(crate) fn together<'a>(vectors: impl Iterator<Item = (f32, &'a [f32])>) -> Vec<f32> {
    let mut sum: Vec<f32> = Vec::new();
    for (weight, vector) in vectors.filter(|(_, vector)| !vector.is_empty()) {
        sum.resize(vector.len(), 0.0);
        sum.iter_mut().zip(vector).for_each(|(sum, x)| *sum += weight * x);
    }
    let length = dot(&sum, &sum).sqrt();
    if length > 0.0 {
        sum.iter_mut().for_each(|x| *x /= length);
    }
    sum
}

/// The scalar product; 0 where either is empty.
pub(crate) fn dot(one: &[f32], other: &[f32]) -> f32 {
    // Eight sums that do not wait for each other, so that the compiler uses the machine's vectors.
    let mut sums = [0.0f32; 8];
    let (ones, others) = (one.chunks_exact(8), other.chunks_exact(8));
    let tail: f32 = ones.remainder().iter().zip(others.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in ones.zip(others) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    sums.iter().sum::<f32>() + tail
}

/// The entry of a [`Short`] that stands for 1: the products of 512 of them fit a number of 32 bits.
const ONE: f32 = 2048.0;

/// A vector of length 1 or 0 in sixteen bits an entry.
pub(crate) type Short = [i16];

/// Adds a vector to a list of shorts, as `dimensions` entries; one of nothing is 0.
pub(crate) fn push_short(list: &mut Vec<i16>, vector: &[f32], dimensions: usize) {
    let end = list.len() + dimensions;
    list.extend(vector.iter().take(dimensions).map(|x| (x * ONE).round() as i16));
    list.resize(end, 0);
}

/// The cosine of two vectors of the same length, to three places.
pub(crate) fn cosine(one: &Short, other: &Short) -> f32 {
    let products = one.iter().zip(other).map(|(a, b)| i32::from(*a) * i32::from(*b));
    products.sum::<i32>() as f32 / (ONE * ONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalar_products_have_all_parts() {
        let one: Vec<f32> = (0..19u8).map(f32::from).collect();
        assert_eq!(dot(&one, &one), (0..19u16).map(|n| f32::from(n * n)).sum::<f32>());
        assert_eq!(dot(&one, &[]), 0.0);
    }

    #[test]
    fn shorts_keep_the_cosine() {
        let (one, other) = ([0.6, 0.8, 0.0], [0.0, 0.8, -0.6]);
        let mut list = Vec::new();
        push_short(&mut list, &one, 3);
        push_short(&mut list, &other, 3);
        push_short(&mut list, &[], 3);
        assert!((cosine(&list[..3], &list[3..6]) - 0.64).abs() < 1e-3);
        assert_eq!(cosine(&list[..3], &list[6..]), 0.0);
    }
}

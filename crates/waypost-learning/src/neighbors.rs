//! Finds the texts that are most like another one, among thousands, again and again.

use crate::features::{ByLanguage, FeatureConfig, Features, Scratch};

/// Texts as vectors of their words and characters, of three bytes an entry.
#[derive(Debug)]
pub struct Neighbors {
    features: Features,
    /// The buckets and values of all texts, one behind the other; a value of 255 is 1.
    buckets: Vec<u32>,
    values: Vec<u8>,
    /// Where the entries of each text end, and the length of its vector.
    ends: Vec<(usize, f32)>,
}

impl Neighbors {
    /// The vectors of `texts`, which are NFKC and lower case.
    pub fn new<'a>(texts: impl Iterator<Item = &'a str> + Clone) -> Self {
        let config = FeatureConfig::default();
        let all: Vec<&str> = texts.clone().collect();
        let features = Features::fit(config, None, ByLanguage::all(0.0), &all, 1);
        let (mut buckets, mut values, mut ends) = (Vec::new(), Vec::new(), Vec::new());
        let mut scratch = Scratch::default();
        for text in texts {
            features.extract(text, &mut scratch);
            for entry in scratch.entries() {
                buckets.push(entry.bucket);
                values.push((entry.value * 255.0).round().clamp(0.0, 255.0) as u8);
            }
            ends.push((buckets.len(), length(&scratch)));
        }
        Self { features, buckets, values, ends }
    }

    /// The texts by their index with their cosine (0 to 1), the most similar first; of equal ones the first.
    pub fn of(&self, text: &str) -> Vec<(usize, f32)> {
        let mut scratch = Scratch::default();
        self.features.extract(text, &mut scratch);
        let own = length(&scratch);
        let mut wanted = vec![0.0f32; self.features.config.buckets()];
        for entry in scratch.entries() {
            wanted[entry.bucket as usize] = entry.value;
        }
        let mut start = 0;
        let similar = self.ends.iter().enumerate().map(|(index, (end, length))| {
            let entries = self.buckets[start..*end].iter().zip(&self.values[start..*end]);
            start = *end;
            let product: f32 =
                entries.map(|(bucket, value)| wanted[*bucket as usize] * f32::from(*value)).sum();
            let lengths = (own * length).max(f32::MIN_POSITIVE);
            (index, (product / 255.0 / lengths).min(1.0))
        });
        let mut similar: Vec<(usize, f32)> = similar.collect();
        similar.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        similar
    }
}

fn length(scratch: &Scratch) -> f32 {
    scratch.entries().iter().map(|entry| entry.value * entry.value).sum::<f32>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_words_are_nearest() {
        let texts = ["how warm is the sea", "set an alarm", "how warm is it"];
        let neighbors = Neighbors::new(texts.into_iter());
        let found = neighbors.of("how warm is the sea");
        assert_eq!(found.iter().map(|(index, _)| *index).collect::<Vec<_>>(), [0, 2, 1]);
        assert!(found[0].1 > 0.99, "{found:?}");
        assert_eq!(neighbors.of("").len(), 3);
    }
}

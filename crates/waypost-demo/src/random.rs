//! Randomness that depends on its words alone, so that every run of the server tells the same.

/// The hash of some words: splitmix64 (Steele et al. 2014), chained.
pub(crate) fn hash(words: &[u64]) -> u64 {
    words.iter().fold(0, |hash, word| {
        let mut z = (hash ^ word).wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    })
}

/// The word that stands for a text: FNV-1a.
pub(crate) fn key(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// A value from 0 up to 1, each as likely.
pub(crate) fn uniform(words: &[u64]) -> f64 {
    // The upper 53 bits fill an f64's mantissa.
    (hash(words) >> 11) as f64 / (1_u64 << 53) as f64
}

/// A value between two bounds, each as likely.
pub(crate) fn between(low: f64, high: f64, words: &[u64]) -> f64 {
    low + (high - low) * uniform(words)
}

/// A value of mean 0 and deviation 1, near the normal distribution: the sum of four uniform ones.
pub(crate) fn normal(words: &[u64]) -> f64 {
    let bits = hash(words);
    let part = |shift: u32| f64::from((bits >> shift) as u16) / 65_536.0;
    (part(0) + part(16) + part(32) + part(48) - 2.0) * 3.0_f64.sqrt()
}

/// One of some things.
pub(crate) fn pick<const N: usize, T: Copy>(things: &[T; N], words: &[u64]) -> T {
    const { assert!(N > 0, "there must be something to pick") };
    things[(hash(words) % N as u64) as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_spread_as_their_names_say() {
        let many = 20_000;
        let values: Vec<f64> = (0..many).map(|word| normal(&[7, word])).collect();
        let mean = values.iter().sum::<f64>() / many as f64;
        let variance = values.iter().map(|value| value * value).sum::<f64>() / many as f64;
        assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.03, "{mean} {variance}");
        assert!((0..many).all(|word| (0.0..1.0).contains(&uniform(&[word]))));
        assert_eq!(hash(&[1, 2]), hash(&[1, 2]));
        assert_ne!(hash(&[1, 2]), hash(&[2, 1]));
        assert_ne!(key("AAPL"), key("AAPl"));
    }
}

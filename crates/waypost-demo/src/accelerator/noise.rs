//! Randomness that depends on its words alone, so that an instant always reads the same.

/// The hash of some words: splitmix64 (Steele et al. 2014), chained.
fn hash(words: &[u64]) -> u64 {
    words.iter().fold(0, |hash, word| {
        let mut z = (hash ^ word).wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    })
}

/// The word that stands for a text: FNV-1a.
pub(super) fn key(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// A value from 0 up to 1, each as likely.
pub(super) fn uniform(words: &[u64]) -> f64 {
    // The upper 53 bits fill an f64's mantissa.
    (hash(words) >> 11) as f64 / (1_u64 << 53) as f64
}

/// A value of mean 0 and deviation 1, near the normal distribution: the sum of four uniform ones.
pub(super) fn normal(words: &[u64]) -> f64 {
    let bits = hash(words);
    let part = |shift: u32| f64::from((bits >> shift) as u16) / 65_536.0;
    (part(0) + part(16) + part(32) + part(48) - 2.0) * 3.0_f64.sqrt()
}

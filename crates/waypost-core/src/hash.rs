//! Small hashes that are the same on every machine: for identities, not for secrets.

/// FNV-1a over 64 bits.
///
/// # Source
///
/// Fowler, Noll, Vo, "The FNV Non-Cryptographic Hash Algorithm", draft-eastlake-fnv.
#[derive(Debug, Clone, Copy)]
pub struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    /// Takes in bytes.
    pub fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        }
    }

    /// The hash so far.
    pub fn value(self) -> u64 {
        self.0
    }

    /// The hash so far as twelve hexadecimal digits.
    pub fn hex(self) -> String {
        format!("{:012x}", self.0 >> 16)
    }
}

/// The finalizer of MurmurHash3 with the constants of SplitMix64: every input bit reaches every
/// output bit.
pub fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

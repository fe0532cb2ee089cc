//! A checksum that tells one set of weights from another; not meant against forgery.

const PRIME: u64 = 0x9e37_79b9_7f4a_7c15;

/// Bytes that were seen, as one number.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Checksum(u64);

impl Checksum {
    pub(crate) fn new() -> Self {
        Self(PRIME)
    }

    /// Takes in more bytes, and how many there were.
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        let words = bytes.chunks_exact(8);
        let mut rest = [0; 8];
        rest[..words.remainder().len()].copy_from_slice(words.remainder());
        let words = words.map(|word| {
            let mut array = [0; 8];
            array.copy_from_slice(word);
            array
        });
        for word in words.chain([rest, (bytes.len() as u64).to_le_bytes()]) {
            let mixed = (self.0 ^ u64::from_le_bytes(word)).wrapping_mul(PRIME);
            self.0 = mixed ^ (mixed >> 32);
        }
    }

    /// As 16 hexadecimal digits.
    pub(crate) fn text(self) -> String {
        format!("{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(parts: &[&[u8]]) -> String {
        let mut checksum = Checksum::new();
        parts.iter().for_each(|part| checksum.add(part));
        checksum.text()
    }

    #[test]
    fn any_other_bytes_have_another_checksum() {
        let texts: [&[&[u8]]; 7] =
            [&[], &[b""], &[b"a"], &[b"a\0"], &[b"a", b""], &[b"12345678"], &[b"12345679"]];
        let mut sums: Vec<String> = texts.iter().map(|parts| of(parts)).collect();
        assert_eq!(of(&[b"12345678"]), sums[5]);
        sums.sort();
        sums.dedup();
        assert_eq!(sums.len(), texts.len());
    }
}

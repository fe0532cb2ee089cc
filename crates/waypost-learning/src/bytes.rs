//! Reads stored files: nothing is allocated by a length that the bytes do not cover.

use waypost_core::hash::mix;
use waypost_core::{Error, Result};

/// A 64-bit hash against damage and for names, not against forgers.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    let mut hash = mix(bytes.len() as u64);
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash = mix(hash.rotate_left(29) ^ u64::from_le_bytes(word));
    }
    hash
}

/// Writes a number, seven bits a byte, the lowest first: most counts take one byte.
pub(crate) fn write_count(mut number: u32, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// The unread rest of a file, with the words for an error when it is damaged.
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
    what: &'static str,
    hint: &'static str,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8], what: &'static str, hint: &'static str) -> Self {
        Self { rest: bytes, what, hint }
    }

    pub(crate) fn damaged(&self, how: &str) -> Error {
        Error::invalid(format!("the {} is damaged: {how}", self.what)).with_hint(self.hint)
    }

    /// Reads the bytes that every file of its kind starts with.
    pub(crate) fn expect(&mut self, magic: &[u8; 8]) -> Result<()> {
        if self.array::<8>()? == *magic {
            Ok(())
        } else {
            let message = format!("it does not start as a {} does", self.what);
            Err(self.damaged(&message))
        }
    }

    pub(crate) fn version(&mut self, wanted: u32) -> Result<()> {
        let version = u32::from_le_bytes(self.array()?);
        if version == wanted {
            return Ok(());
        }
        let message = format!("the {} has version `{version}`, not `{wanted}`", self.what);
        Err(Error::invalid(message).with_hint("make it again with this program"))
    }

    /// Reads the checksum and compares it with that of everything after it.
    pub(crate) fn checksum(&mut self) -> Result<()> {
        let sum = u64::from_le_bytes(self.array()?);
        if checksum(self.rest) == sum {
            Ok(())
        } else {
            Err(self.damaged("its checksum does not agree"))
        }
    }

    pub(crate) fn json<T: serde::de::DeserializeOwned>(&mut self, length: usize) -> Result<T> {
        serde_json::from_slice(self.take(length)?)
            .map_err(|error| self.damaged("its head cannot be read").with_detail(error.to_string()))
    }

    pub(crate) fn end(&self) -> Result<()> {
        if self.rest.is_empty() { Ok(()) } else { Err(self.damaged("bytes are left over")) }
    }

    /// Fails if fewer than `length` bytes are left.
    pub(crate) fn holds(&self, length: usize) -> Result<()> {
        if self.rest.len() >= length { Ok(()) } else { Err(self.damaged("it ends too early")) }
    }

    pub(crate) fn take(&mut self, length: usize) -> Result<&'a [u8]> {
        let (taken, rest) =
            self.rest.split_at_checked(length).ok_or_else(|| self.damaged("it ends too early"))?;
        self.rest = rest;
        Ok(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let (taken, rest) =
            self.rest.split_first_chunk().ok_or_else(|| self.damaged("it ends too early"))?;
        self.rest = rest;
        Ok(*taken)
    }

    pub(crate) fn floats(&mut self, count: usize) -> Result<Vec<f32>> {
        let bytes = self.take(count.saturating_mul(4))?;
        let read = |chunk: &[u8]| f32::from_le_bytes([chunk[0], chunk[1], chunk[2], chunk[3]]);
        let numbers: Vec<f32> = bytes.chunks_exact(4).map(read).collect();
        if numbers.iter().all(|n| n.is_finite()) {
            Ok(numbers)
        } else {
            Err(self.damaged("a number is not finite"))
        }
    }

    /// Reads a number as [`write_count`] writes it.
    pub(crate) fn count(&mut self) -> Result<u32> {
        let mut number = 0u64;
        for shift in (0..35).step_by(7) {
            let [byte] = self.array()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return u32::try_from(number).map_err(|_| self.damaged("a number is too large"));
            }
        }
        Err(self.damaged("a number is too long"))
    }

    pub(crate) fn words(&mut self, count: usize) -> Result<Vec<u64>> {
        (0..count).map(|_| Ok(u64::from_le_bytes(self.array()?))).collect()
    }
}

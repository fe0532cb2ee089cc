//! The byte format of a bundle: a fixed header, the head as JSON, then plain arrays.
//!
//! Nothing is allocated by a length that the bytes do not cover, and nothing is used before the
//! checksum agrees. Numbers are little-endian.

use super::bundle::{Bundle, Head, VERSION};
use super::calibrate::Temperature;
use super::features::{Features, Known};
use super::linear::LANES;
use super::tokens::mix;
use crate::{Error, Result};

const MAGIC: &[u8; 8] = b"waypost\n";

/// Magic, version, length of the head, checksum of what follows.
const HEADER: usize = 8 + 4 + 4 + 8;

pub(crate) fn encode(bundle: &Bundle) -> Vec<u8> {
    // A head of strings and finite numbers cannot fail to become JSON.
    let head = serde_json::to_vec(&bundle.head).unwrap_or_default();
    let mut body = head.clone();
    for number in [&bundle.features.idf, &bundle.scales, &bundle.biases].into_iter().flatten() {
        body.extend(number.to_le_bytes());
    }
    for word in &bundle.features.known.0 {
        body.extend(word.to_le_bytes());
    }
    body.extend(bundle.weights.iter().map(|w| w.cast_unsigned()));
    let mut bytes = Vec::with_capacity(HEADER + body.len());
    bytes.extend(MAGIC);
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend((head.len() as u32).to_le_bytes());
    bytes.extend(checksum(&body).to_le_bytes());
    bytes.extend(body);
    bytes
}

pub(crate) fn decode(bytes: &[u8]) -> Result<Bundle> {
    let mut reader = Reader(bytes);
    if reader.array::<8>()? != *MAGIC {
        return Err(damaged("it does not start as a bundle does"));
    }
    let version = u32::from_le_bytes(reader.array()?);
    if version != VERSION {
        return Err(Error::invalid(format!("the bundle has version `{version}`, not `{VERSION}`"))
            .with_hint("train it again with this program"));
    }
    let head_length = u32::from_le_bytes(reader.array()?);
    let sum = u64::from_le_bytes(reader.array()?);
    if checksum(reader.0) != sum {
        return Err(damaged("its checksum does not agree"));
    }
    let head: Head = serde_json::from_slice(reader.take(head_length as usize)?)
        .map_err(|error| damaged("its head cannot be read").with_detail(error.to_string()))?;
    let classes = check(&head)?;
    let buckets = head.config.buckets();
    let stride = classes.next_multiple_of(LANES);
    let idf = reader.floats(buckets)?;
    let scales = reader.floats(classes)?;
    let biases = reader.floats(classes)?;
    let known = reader.words(Known::LENGTH)?;
    let length = buckets.checked_mul(stride).ok_or_else(|| damaged("it is too large"))?;
    let weights = reader.take(length)?.iter().map(|b| b.cast_signed()).collect();
    if !reader.0.is_empty() {
        return Err(damaged("bytes are left over"));
    }
    let features = Features { config: head.config, idf, known: Known(known) };
    Ok(Bundle::assemble(head, features, weights, scales, biases))
}

/// Checks what scoring relies on; returns the number of classes.
fn check(head: &Head) -> Result<usize> {
    let platts_fit = head.tool_calibrators.len() == head.tools.len()
        && head
            .tool_calibrators
            .iter()
            .all(|p| p.weights.len() == 1 && p.weights[0].is_finite() && p.bias.is_finite());
    let Temperature { sharpness, slope, offset } = head.temperature;
    let sound = head.config.is_valid()
        && !head.routes.is_empty()
        && platts_fit
        && head.detector.is_valid()
        && sharpness.is_finite()
        && sharpness > 0.0
        && slope.is_finite()
        && slope >= 0.0
        && offset.is_finite();
    if sound {
        Ok(head.routes.len() + head.tools.len())
    } else {
        Err(damaged("its head is unsound"))
    }
}

fn damaged(how: &str) -> Error {
    Error::invalid(format!("the bundle is damaged: {how}")).with_hint("train it again or roll back")
}

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

/// What is left to read.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8]> {
        let (taken, rest) =
            self.0.split_at_checked(length).ok_or_else(|| damaged("it ends too early"))?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let (taken, rest) =
            self.0.split_first_chunk().ok_or_else(|| damaged("it ends too early"))?;
        self.0 = rest;
        Ok(*taken)
    }

    fn floats(&mut self, count: usize) -> Result<Vec<f32>> {
        let bytes = self.take(count.saturating_mul(4))?;
        let read = |chunk: &[u8]| f32::from_le_bytes([chunk[0], chunk[1], chunk[2], chunk[3]]);
        let numbers: Vec<f32> = bytes.chunks_exact(4).map(read).collect();
        if numbers.iter().all(|n| n.is_finite()) {
            Ok(numbers)
        } else {
            Err(damaged("a number is not finite"))
        }
    }

    fn words(&mut self, count: usize) -> Result<Vec<u64>> {
        (0..count).map(|_| Ok(u64::from_le_bytes(self.array()?))).collect()
    }
}

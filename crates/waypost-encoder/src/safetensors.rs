//! Reads a file of tensors: eight bytes with the length of a header, the header as JSON, the numbers.
//!
//! Nothing that the header says is believed before it was compared with the length of the file.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::checksum::Checksum;
use crate::error::{Error, Kind, Result};
use crate::folder;

/// The file's name in a folder.
pub(crate) const NAME: &str = "model.safetensors";
/// The longest header: a file of 1,000 tensors has 100 kB.
const MAX_HEADER_BYTES: u64 = 16 << 20;
const AGAIN: &str = "download it again";

/// The format of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dtype {
    F32,
    F16,
    Bf16,
}

impl Dtype {
    fn find(name: &str) -> Option<Self> {
        match name {
            "F32" => Some(Dtype::F32),
            "F16" => Some(Dtype::F16),
            "BF16" => Some(Dtype::Bf16),
            _ => None,
        }
    }

    /// Returns the size of one number, in bytes.
    pub(crate) fn bytes(self) -> usize {
        if self == Dtype::F32 { 4 } else { 2 }
    }

    /// Turns whole numbers of bytes into floats.
    pub(crate) fn decode(self, bytes: &[u8], into: &mut [f32]) {
        match self {
            Dtype::F32 => {
                for (value, bytes) in into.iter_mut().zip(bytes.chunks_exact(4)) {
                    *value = f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
                }
            }
            Dtype::F16 => {
                for (value, bytes) in into.iter_mut().zip(bytes.chunks_exact(2)) {
                    *value = half(u16::from_le_bytes([bytes[0], bytes[1]]));
                }
            }
            Dtype::Bf16 => {
                for (value, bytes) in into.iter_mut().zip(bytes.chunks_exact(2)) {
                    *value = f32::from_bits(u32::from_le_bytes([0, 0, bytes[0], bytes[1]]));
                }
            }
        }
    }
}

/// A float of 16 bits (IEEE 754 binary16).
fn half(bits: u16) -> f32 {
    let sign = u32::from(bits & 0x8000) << 16;
    let exponent = u32::from(bits >> 10) & 0x1f;
    let fraction = u32::from(bits & 0x3ff);
    match exponent {
        // 2^-24 is the least that there is; all of these are whole multiples of it.
        0 => f32::from_bits(sign | (fraction as f32 * 2.0_f32.powi(-24)).to_bits()),
        0x1f => f32::from_bits(sign | 0x7f80_0000 | (fraction << 13)),
        _ => f32::from_bits(sign | ((exponent + 112) << 23) | (fraction << 13)),
    }
}

/// A tensor as the header describes it.
#[derive(Debug, Deserialize)]
struct Entry {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: (u64, u64),
}

/// An open file, and where in it each tensor is.
#[derive(Debug)]
pub(crate) struct SafeTensors {
    file: File,
    entries: HashMap<String, Entry>,
    /// The offset at which the numbers begin.
    data: u64,
    /// The prefix of every name, such as `bert.`.
    prefix: String,
    checksum: Checksum,
}

impl SafeTensors {
    /// Opens the file of a folder and checks its header.
    pub(crate) fn open(folder: &Path) -> Result<Self> {
        let mut file = File::open(folder.join(NAME)).map_err(|error| missing(folder, &error))?;
        let length = file.metadata().map_err(|error| folder::unreadable(NAME, &error))?.len();
        let mut size = [0; 8];
        read(&mut file, &mut size)?;
        let size = u64::from_le_bytes(size);
        let data = size.saturating_add(8);
        if size > MAX_HEADER_BYTES {
            let message = format!("`{NAME}` begins with a header of {size} bytes");
            let hint = format!("at most {MAX_HEADER_BYTES} are read; is it a safetensors file?");
            return Err(Error::invalid(message).hint(hint));
        }
        if data > length {
            return Err(cut_off(length, data));
        }
        let mut header = vec![0; usize::try_from(size).unwrap_or_default()];
        read(&mut file, &mut header)?;
        let mut header: Map<String, Value> = folder::json(NAME, &header)?;
        header.remove("__metadata__");
        let mut entries = HashMap::new();
        for (name, value) in header {
            let entry: Entry = serde_json::from_value(value).map_err(|error| {
                Error::invalid(format!("`{NAME}` describes `{name}` badly: {error}")).hint(AGAIN)
            })?;
            if entry.data_offsets.0 > entry.data_offsets.1 {
                let message = format!("`{NAME}` says that `{name}` ends before it begins");
                return Err(Error::invalid(message).hint(AGAIN));
            }
            entries.insert(name, entry);
        }
        let end = entries.values().map(|entry| entry.data_offsets.1).max().unwrap_or_default();
        if data.saturating_add(end) > length {
            return Err(cut_off(length, data.saturating_add(end)));
        }
        Ok(Self { file, entries, data, prefix: String::new(), checksum: Checksum::new() })
    }

    /// Finds the prefix of the names: programs save a model alone, or as a part of a larger one.
    pub(crate) fn find_prefix(&mut self, known: &str) {
        let ends = |name: &&String| name.ends_with(known);
        // The shortest, so that it does not depend on the order of a map.
        let shortest = self.entries.keys().filter(ends).min_by_key(|name| (name.len(), *name));
        if let Some(name) = shortest {
            self.prefix = name[..name.len() - known.len()].to_owned();
        }
    }

    /// Returns whether there is a tensor of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.entries.contains_key(&format!("{}{name}", self.prefix))
    }

    /// The bytes of a tensor, which has to have this shape.
    pub(crate) fn bytes(&mut self, name: &str, shape: &[usize]) -> Result<(Dtype, Vec<u8>)> {
        let name = format!("{}{name}", self.prefix);
        let Some(entry) = self.entries.get(&name) else {
            let message = format!("`{NAME}` has no tensor `{name}`");
            let hint = "config.json speaks of it; are both files of the same model?";
            return Err(Error::new(Kind::NotFound, message).hint(hint));
        };
        if entry.shape != shape {
            let message = format!(
                "the tensor `{name}` has the shape {:?}, and {shape:?} is expected",
                entry.shape
            );
            let hint = "config.json and model.safetensors are of different models";
            return Err(Error::invalid(message).hint(hint));
        }
        let dtype = Dtype::find(&entry.dtype).ok_or_else(|| {
            let message = format!("the tensor `{name}` holds numbers of type `{}`", entry.dtype);
            Error::unsupported(message).hint("known: F32, F16, BF16")
        })?;
        let bytes = shape.iter().try_fold(dtype.bytes(), |bytes, size| bytes.checked_mul(*size));
        let (begin, end) = entry.data_offsets;
        // Both ends lie inside the file, so this is no more memory than the file has bytes.
        let bytes = bytes.filter(|bytes| *bytes as u64 == end - begin).ok_or_else(|| {
            let message = format!("the tensor `{name}` has {} bytes for {shape:?}", end - begin);
            Error::invalid(message).hint(AGAIN)
        })?;
        let mut buffer = vec![0; bytes];
        self.file
            .seek(SeekFrom::Start(self.data + begin))
            .map_err(|error| folder::unreadable(NAME, &error))?;
        read(&mut self.file, &mut buffer)?;
        self.checksum.add(&buffer);
        Ok((dtype, buffer))
    }

    /// The numbers of a tensor, which has to have this shape.
    pub(crate) fn floats(&mut self, name: &str, shape: &[usize]) -> Result<Vec<f32>> {
        let (dtype, bytes) = self.bytes(name, shape)?;
        let mut values = vec![0.0; bytes.len() / dtype.bytes()];
        dtype.decode(&bytes, &mut values);
        finite(&format!("{}{name}", self.prefix), &values)?;
        Ok(values)
    }

    /// The checksum of all that was read.
    pub(crate) fn checksum(&self) -> Checksum {
        self.checksum
    }
}

/// Refuses numbers that are not finite: they would make every vector useless, and nobody would see
/// why.
pub(crate) fn finite(name: &str, values: &[f32]) -> Result<()> {
    match values.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(at) => {
            let message = format!("the tensor `{name}` holds `{}` at {at}", values[at]);
            Err(Error::invalid(message).hint(AGAIN))
        }
    }
}

fn missing(folder: &Path, error: &std::io::Error) -> Error {
    let fault = folder::unreadable(NAME, error);
    if folder.join("model.safetensors.index.json").exists() {
        return fault.hint("the model is in several files; save it as one");
    }
    if folder.join("pytorch_model.bin").exists() {
        return fault.hint(
            "pytorch_model.bin is not read; `save_pretrained(…, safe_serialization=True)` of the \
             transformers library writes model.safetensors",
        );
    }
    fault.hint("an encoder is config.json, tokenizer.json and model.safetensors")
}

fn read(file: &mut File, into: &mut [u8]) -> Result<()> {
    file.read_exact(into).map_err(|error| match error.kind() {
        std::io::ErrorKind::UnexpectedEof => {
            Error::invalid(format!("`{NAME}` is cut off")).hint(AGAIN)
        }
        _ => folder::unreadable(NAME, &error),
    })
}

fn cut_off(length: u64, expected: u64) -> Error {
    let message = format!("`{NAME}` is cut off: it has {length} bytes, and should have {expected}");
    Error::invalid(message).hint(AGAIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_of_16_bits_are_read_exactly() {
        let cases = [
            (0x0000, 0.0),
            (0x8000, -0.0),
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x3555, 0.333_251_95),
            (0x7bff, 65_504.0),
            (0x0001, 5.960_464_5e-8),
            (0x83ff, -6.097_555e-5),
        ];
        for (bits, expected) in cases {
            assert_eq!(half(bits).to_bits(), f32::to_bits(expected), "{bits:#x}");
        }
        assert!(half(0x7c00).is_infinite() && half(0x7c01).is_nan());
        let mut value = [0.0];
        Dtype::Bf16.decode(&[0x40, 0x40], &mut value);
        assert_eq!(value, [3.0]);
    }
}

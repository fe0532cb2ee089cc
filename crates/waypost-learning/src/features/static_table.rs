//! A static table: a vector for each piece of a word, whose weighted sum stands for a text.
//!
//! It knows of words that no example has ("flat" is near "level") and costs microseconds. It is
//! distilled from a sentence encoder ([`crate::train::distill`]); the one that is compiled in comes from
//! all-MiniLM-L6-v2. Bytes: a fixed header, the head as JSON, the pieces, then plain arrays.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use serde::{Deserialize, Serialize};
use waypost_core::Result;
use waypost_text::text::folded;

use crate::bytes::{Reader, checksum};
use crate::features::wordpiece::{Cut, Pieces};

/// Version of the byte format.
const VERSION: u32 = 1;

const MAGIC: &[u8; 8] = b"wpvector";

/// The most dimensions and pieces that a table may declare.
const MAX_DIMENSIONS: usize = 4096;
const MAX_PIECES: usize = 1 << 20;

/// The table that every build holds; `waypost encoder distill --built-in` writes it.
static BUILT_IN: LazyLock<Option<Arc<StaticTable>>> =
    LazyLock::new(|| StaticTable::read(include_bytes!("table.bin")).map(Arc::new).ok());

/// The description of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Head {
    /// The encoder that it was made from.
    pub source: String,
    /// The way words are cut into pieces.
    pub cut: Cut,
    /// Numbers of a vector.
    pub dimensions: usize,
    /// The number of pieces.
    pub pieces: usize,
}

/// Vectors of the pieces of words.
#[derive(Debug, Clone, PartialEq)]
pub struct StaticTable {
    head: Head,
    pieces: Pieces,
    /// The value of a step of 1 for each piece, its weight in a text included.
    scales: Vec<f32>,
    /// [`Head::dimensions`] numbers a piece.
    rows: Cow<'static, [u8]>,
    id: String,
}

/// A piece and its vector, as a distiller hands them over.
pub(crate) struct Piece {
    /// The characters, with the mark of its vocabulary.
    pub(crate) text: String,
    /// Its likelihood, as a logarithm; only a table cut by likelihood keeps it.
    pub(crate) score: f32,
    pub(crate) vector: Vec<f32>,
}

impl StaticTable {
    /// The table that is compiled in; `None` only in a build whose table is damaged, which a test
    /// rules out.
    pub fn built_in() -> Option<Arc<Self>> {
        BUILT_IN.clone()
    }

    /// A table of `pieces`, all of the same length above 0.
    pub(crate) fn new(source: &str, cut: Cut, pieces: Vec<Piece>) -> Self {
        let dimensions = pieces.first().map_or(0, |piece| piece.vector.len());
        let head = Head { source: source.to_owned(), cut, dimensions, pieces: pieces.len() };
        let mut scales = Vec::with_capacity(pieces.len());
        let mut rows = Vec::with_capacity(pieces.len() * dimensions);
        for piece in &pieces {
            let largest = piece.vector.iter().fold(0.0f32, |a, b| a.max(b.abs()));
            let scale = short((largest / 127.0).max(f32::MIN_POSITIVE));
            scales.push(scale);
            let byte = |number: &f32| ((number / scale).round().clamp(-127.0, 127.0) as i8) as u8;
            rows.extend(piece.vector.iter().map(byte));
        }
        let known = pieces.into_iter().map(|piece| (piece.text, piece.score)).collect();
        Self::assemble(head, Pieces::new(cut, known), scales, Cow::Owned(rows))
    }

    fn assemble(head: Head, pieces: Pieces, scales: Vec<f32>, rows: Cow<'static, [u8]>) -> Self {
        let id = format!("{}:{:016x}", head.source, checksum(&rows));
        Self { head, pieces, scales, rows, id }
    }

    /// The source and a hash of the content.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The description of the table.
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// Numbers of a vector.
    pub fn dimensions(&self) -> usize {
        self.head.dimensions
    }

    /// Returns whether it has a word as a whole, in lower case and with accents or without: such a word is a usual one.
    pub fn has_word(&self, word: &str) -> bool {
        if word.is_ascii() {
            self.pieces.has_word(word)
        } else {
            self.pieces.has_word(&folded(word))
        }
    }

    /// Overwrites `out` with the vector of `text`, which is NFKC and lower case: of length 1, or 0
    /// if nothing of the text is known. Placeholders (`‹place›`) are left out.
    pub fn embed(&self, text: &str, out: &mut Vec<f32>) {
        out.clear();
        out.resize(self.head.dimensions, 0.0);
        self.pieces.each(text, |piece, _| self.add(piece, out));
        let length = length(out);
        if length > 0.0 {
            out.iter_mut().for_each(|x| *x /= length);
        }
    }

    fn add(&self, piece: u32, sum: &mut [f32]) {
        let start = piece as usize * self.head.dimensions;
        let scale = self.scales[piece as usize];
        let row = &self.rows[start..start + self.head.dimensions];
        for (sum, byte) in sum.iter_mut().zip(row) {
            *sum += scale * f32::from(byte.cast_signed());
        }
    }

    /// Returns what each word adds to the vector of `text`, with its bytes; together they are the
    /// vector.
    pub(crate) fn words(&self, text: &str) -> Vec<(Range<usize>, Vec<f32>)> {
        let mut words: Vec<(Range<usize>, Vec<f32>)> = Vec::new();
        let mut sum = vec![0.0; self.head.dimensions];
        self.pieces.each(text, |piece, bytes| {
            if words.last().is_none_or(|(last, _)| *last != bytes) {
                words.push((bytes, vec![0.0; self.head.dimensions]));
            }
            if let Some((_, vector)) = words.last_mut() {
                self.add(piece, vector);
            }
            self.add(piece, &mut sum);
        });
        let length = length(&sum).max(f32::MIN_POSITIVE);
        words.iter_mut().flat_map(|(_, vector)| vector).for_each(|x| *x /= length);
        words
    }

    /// The bytes that a bundle must carry to have this table: none for the one that is compiled in.
    pub(crate) fn carried(&self) -> Vec<u8> {
        match Self::built_in() {
            Some(own) if own.id == self.id => Vec::new(),
            _ => self.to_bytes(),
        }
    }

    /// The table as bytes, the same for the same table.
    pub fn to_bytes(&self) -> Vec<u8> {
        // A head of a string and numbers cannot fail to become JSON.
        let head = serde_json::to_vec(&self.head).unwrap_or_default();
        let mut body = head.clone();
        for (text, _) in self.pieces.known() {
            body.push(text.len() as u8);
            body.extend(text.as_bytes());
        }
        if self.head.cut == Cut::Likeliest {
            let scores = self.pieces.known().iter().map(|(_, score)| score.to_le_bytes());
            body.extend(scores.flatten());
        }
        body.extend(self.scales.iter().flat_map(|s| ((s.to_bits() >> 16) as u16).to_le_bytes()));
        body.extend_from_slice(&self.rows);
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((head.len() as u32).to_le_bytes());
        bytes.extend(checksum(&body).to_le_bytes());
        bytes.extend(body);
        bytes
    }

    /// The table in `bytes`.
    ///
    /// # Errors
    ///
    /// [`waypost_core::Code::InvalidArgument`] for bytes that are no table, are damaged, or are of another
    /// version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let table = Self::decode(bytes)?;
        let rows = Cow::Owned(bytes[bytes.len() - table.1..].to_vec());
        Ok(table.0.finish(rows))
    }

    /// Like [`Self::from_bytes`], without a copy of the vectors.
    fn read(bytes: &'static [u8]) -> Result<Self> {
        let table = Self::decode(bytes)?;
        Ok(table.0.finish(Cow::Borrowed(&bytes[bytes.len() - table.1..])))
    }

    /// Everything but the vectors, and how many bytes of those follow.
    fn decode(bytes: &[u8]) -> Result<(Parts, usize)> {
        let mut reader = Reader::new(bytes, "static table", "distill it again");
        reader.expect(MAGIC)?;
        reader.version(VERSION)?;
        let length = u32::from_le_bytes(reader.array()?);
        reader.checksum()?;
        let head: Head = reader.json(length as usize)?;
        let sound = (1..=MAX_DIMENSIONS).contains(&head.dimensions)
            && (1..=MAX_PIECES).contains(&head.pieces);
        if !sound {
            return Err(reader.damaged("its head is unsound"));
        }
        let mut known = Vec::new();
        for _ in 0..head.pieces {
            let [length] = reader.array()?;
            let text = std::str::from_utf8(reader.take(usize::from(length))?)
                .map_err(|_| reader.damaged("a piece is no text"))?;
            known.push((text.to_owned(), 0.0));
        }
        if head.cut == Cut::Likeliest {
            for ((_, score), read) in known.iter_mut().zip(reader.floats(head.pieces)?) {
                *score = read;
            }
        }
        let mut scales = Vec::with_capacity(head.pieces);
        for _ in 0..head.pieces {
            let scale = f32::from_bits(u32::from(u16::from_le_bytes(reader.array()?)) << 16);
            scales.push(scale);
        }
        if !scales.iter().all(|scale| scale.is_finite()) {
            return Err(reader.damaged("a number is not finite"));
        }
        let length = head.pieces * head.dimensions;
        reader.take(length)?;
        reader.end()?;
        let pieces = Pieces::new(head.cut, known);
        Ok((Parts { head, pieces, scales }, length))
    }
}

/// A table without its vectors.
struct Parts {
    head: Head,
    pieces: Pieces,
    scales: Vec<f32>,
}

impl Parts {
    fn finish(self, rows: Cow<'static, [u8]>) -> StaticTable {
        StaticTable::assemble(self.head, self.pieces, self.scales, rows)
    }
}

fn length(vector: &[f32]) -> f32 {
    vector.iter().map(|x| x * x).sum::<f32>().sqrt()
}

/// The number with the upper 16 bits alone, rounded up: two bytes a scale are enough.
fn short(number: f32) -> f32 {
    f32::from_bits(number.to_bits().saturating_add(0xffff) & 0xffff_0000)
}

//! Makes a static table from a sentence encoder: its own vectors of the pieces of words, turned to
//! their main directions, each weighted by how rare its piece is.
//!
//! On the validation rows of CLINC150, BANKING77 and HWU64, at ten examples a route beside n-grams,
//! 128 directions were as good as all 384, and better where they differed; weighting by the
//! logarithm of the rank is 0.3 points better than not weighting.

use waypost_core::{Error, Result};

use super::pca::Directions;
use crate::features::static_table::{Piece, StaticTable};
use crate::features::wordpiece::Cut;

/// A vocabulary as an encoder has it.
#[derive(Debug, Clone, PartialEq)]
pub struct Vocabulary {
    /// The encoder's name.
    pub source: String,
    /// The way its words are cut.
    pub cut: Cut,
    /// The pieces with the marks of the vocabulary, the most frequent first.
    pub pieces: Vec<String>,
    /// For a table cut by likelihood: how likely each piece is, as a logarithm; else empty.
    pub scores: Vec<f32>,
    /// The vectors, one after the other, of the same length each.
    pub vectors: Vec<f32>,
}

/// The part of a vocabulary that goes into a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Numbers of a vector; no more than the encoder has.
    pub dimensions: usize,
    /// True if pieces with other than ASCII characters are left out.
    pub ascii: bool,
}

impl Size {
    /// The size that is compiled in: below 4 MB for an English vocabulary of 30,000 pieces.
    pub const BUILT_IN: Self = Self { dimensions: 128, ascii: true };
}

/// Pieces longer than this, in bytes, do not go into a table.
const MAX_BYTES: usize = 255;

/// Makes a table.
///
/// # Errors
///
/// [`waypost_core::Code::InvalidArgument`] if the lengths do not agree, a number is not finite, or nothing
/// is left of the vocabulary.
pub fn distill(vocabulary: &Vocabulary, size: Size) -> Result<StaticTable> {
    let width = width(vocabulary)?;
    let kept: Vec<usize> = (0..vocabulary.pieces.len())
        .filter(|place| is_kept(&vocabulary.pieces[*place], size))
        .collect();
    if kept.is_empty() {
        return Err(Error::invalid("no piece of the vocabulary can go into a table"));
    }
    let row = |place: usize| &vocabulary.vectors[place * width..][..width];
    let rows: Vec<&[f32]> = kept.iter().map(|place| row(*place)).collect();
    let directions = Directions::fit(&rows, size.dimensions.min(width));
    let pieces = kept
        .iter()
        .map(|place| {
            let weight = (1.0 + *place as f32).ln();
            let mut vector = directions.project(row(*place));
            vector.iter_mut().for_each(|number| *number *= weight);
            let score = vocabulary.scores.get(*place).copied().unwrap_or_default();
            Piece { text: vocabulary.pieces[*place].clone(), score, vector }
        })
        .collect();
    Ok(StaticTable::new(&vocabulary.source, vocabulary.cut, pieces))
}

fn width(vocabulary: &Vocabulary) -> Result<usize> {
    let count = vocabulary.pieces.len();
    let scores_fit = match vocabulary.cut {
        Cut::Longest => vocabulary.scores.is_empty(),
        Cut::Likeliest => vocabulary.scores.len() == count,
    };
    let width = vocabulary.vectors.len() / count.max(1);
    if count == 0 || width == 0 || width * count != vocabulary.vectors.len() || !scores_fit {
        return Err(Error::invalid("the vocabulary and its vectors do not fit together"));
    }
    if !vocabulary.vectors.iter().all(|number| number.is_finite()) {
        return Err(Error::invalid("a vector of the vocabulary holds what is no number"));
    }
    Ok(width)
}

/// Returns whether a piece can stand in a text: names in brackets are marks for the encoder alone.
fn is_kept(piece: &str, size: Size) -> bool {
    let is_mark = piece.len() > 2
        && ((piece.starts_with('[') && piece.ends_with(']'))
            || (piece.starts_with('<') && piece.ends_with('>')));
    let fits = !piece.is_empty() && piece.len() <= MAX_BYTES;
    fits && !is_mark && (!size.ascii || piece.is_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two groups of words that are near each other, in the first two of eight numbers.
    fn vocabulary() -> Vocabulary {
        let pieces = ["[CLS]", "rain", "snow", "bank", "money", "é"].map(str::to_owned).to_vec();
        let angles = [0.0f32, 0.1, 0.2, 1.5, 1.6, 0.0];
        let vectors =
            angles.iter().flat_map(|a| [a.cos(), a.sin(), 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]).collect();
        Vocabulary { source: "tiny".to_owned(), cut: Cut::Longest, pieces, scores: vec![], vectors }
    }

    fn dot(table: &StaticTable, a: &str, b: &str) -> f32 {
        let (mut x, mut y) = (Vec::new(), Vec::new());
        table.embed(a, &mut x);
        table.embed(b, &mut y);
        x.iter().zip(&y).map(|(x, y)| x * y).sum()
    }

    #[test]
    fn words_that_were_near_stay_near() {
        let table = distill(&vocabulary(), Size { dimensions: 2, ascii: true }).unwrap();
        assert_eq!((table.head().pieces, table.dimensions()), (4, 2));
        assert!(dot(&table, "rain", "snow") > 0.9);
        assert!(dot(&table, "rain", "bank") < 0.5);
        assert!((dot(&table, "rain bank", "bank rain") - 1.0).abs() < 1e-5);
        assert_eq!(dot(&table, "unknown", "rain"), 0.0);
    }

    #[test]
    fn a_table_goes_to_bytes_and_back_and_damage_is_seen() {
        let table = distill(&vocabulary(), Size { dimensions: 3, ascii: false }).unwrap();
        let bytes = table.to_bytes();
        assert_eq!(StaticTable::from_bytes(&bytes).unwrap(), table);
        for end in 0..bytes.len() {
            assert!(StaticTable::from_bytes(&bytes[..end]).is_err(), "cut at {end}");
        }
        for place in (0..bytes.len()).step_by(7) {
            let mut damaged = bytes.clone();
            damaged[place] ^= 0x10;
            assert!(StaticTable::from_bytes(&damaged).is_err(), "damaged at {place}");
        }
    }

    #[test]
    fn vocabularies_that_do_not_fit_are_refused() {
        let mut short = vocabulary();
        short.vectors.pop();
        assert!(distill(&short, Size::BUILT_IN).is_err());
        let mut broken = vocabulary();
        broken.vectors[3] = f32::NAN;
        assert!(distill(&broken, Size::BUILT_IN).is_err());
    }

    #[test]
    fn the_table_that_is_compiled_in_is_sound_and_small() {
        let table = StaticTable::built_in().unwrap();
        assert!(table.to_bytes().len() <= 4_000_000);
        assert!(dot(&table, "flight", "airplane") > dot(&table, "flight", "potato"));
    }
}

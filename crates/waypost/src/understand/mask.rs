//! What the student sees of a text: values and names are replaced by words for what they are.

use std::ops::Range;

use waypost_text::extract::{Kind, Operator, Reading, Value};
use waypost_text::text::{Span, Text};

use super::Turn;
use super::mention::Discourse;

/// Replaces every value of the normalized text by a word for its kind, and every name of one of the
/// pack's values by its vocabulary; what is to be written or sent is one piece, whatever it says.
pub fn mask(text: &Text, values: &[Value], discourse: &Discourse) -> String {
    mask_bytes(text, values, discourse, 0..text.normalized().len())
}

pub(super) fn mask_bytes(
    text: &Text,
    values: &[Value],
    discourse: &Discourse,
    part: Range<usize>,
) -> String {
    let mut masked = String::with_capacity(part.len() + 16);
    each_piece(text, values, discourse, part, |piece| piece.write(text, &mut masked));
    masked
}

/// A piece of a masked text: words as they are, or the words for a value.
pub(super) struct Piece<'a> {
    /// The bytes of the normalized text that it stands for.
    pub(super) bytes: Range<usize>,
    /// The words for them: the kind, and the key where it is a name; `None` for words as they are.
    pub(super) mask: Option<(&'a str, &'a str)>,
}

impl Piece<'_> {
    pub(super) fn write(&self, text: &Text, masked: &mut String) {
        let Some((word, key)) = self.mask else {
            masked.push_str(&text.normalized()[self.bytes.clone()]);
            return;
        };
        masked.push_str(" ‹");
        masked.push_str(word);
        masked.push_str("› ");
        if !key.is_empty() {
            masked.push('‹');
            masked.push_str(key);
            masked.push_str("› ");
        }
    }
}

/// Words that are masked.
struct Word<'a> {
    pub(super) bytes: Range<usize>,
    word: &'a str,
    key: &'a str,
    /// One of several things of a sort that a list may name.
    listed: bool,
}

/// The masked words of a part of a text, in its order; a list of names is as one name: how many a user asks about says nothing of
/// what is asked.
fn masked_words<'a>(
    text: &Text,
    values: &'a [Value],
    discourse: &'a Discourse,
    part: &Range<usize>,
) -> Vec<Word<'a>> {
    // Of words that are a name and a value, the student sees the name.
    let is_name = |span| discourse.mentions.iter().any(|mention| mention.span == span);
    let of_values =
        values.iter().filter(|value| value.kind == Kind::Quoted || !is_name(value.span));
    let of_values = of_values.filter_map(|value| {
        // Coordinates say where, as the name of a place does; which of both a tool takes is for its arguments.
        let place = discourse.place.filter(|_| value.kind == Kind::Point);
        let word = place.or_else(|| mask_word(value))?;
        Some((value.span, word, discourse.tense(value.span), false))
    });
    let of_mentions = discourse.mentions.iter().filter_map(|mention| {
        let (vocabulary, key) = mention.entries.first()?;
        // Which code it is says nothing either.
        let key = if mention.is_code { "" } else { key.as_str() };
        Some((mention.span, vocabulary.as_str(), key, mention.is_code))
    });
    let contents = discourse.contents.iter().map(|span| (*span, Kind::Text.name(), "", false));
    let mut found: Vec<(Span, &str, &str, bool)> =
        of_values.chain(of_mentions).chain(contents).collect();
    // A content holds what begins with it.
    // Contents are in the order of the text.
    let is_content = |span: &Span| discourse.contents.binary_search(span).is_ok();
    found.sort_by_cached_key(|(span, ..)| (span.start, !is_content(span), span.end));
    let mut words: Vec<Word<'a>> = Vec::new();
    for (span, word, key, listed) in found {
        let bytes = text.bytes(span);
        let at = words.last().map_or(part.start, |last| last.bytes.end);
        if bytes.start < at || bytes.end > part.end {
            continue;
        }
        if let Some(last) = words.last_mut()
            && listed
            && last.listed
            && last.word == word
            && is_joint(text, discourse, last.bytes.end..bytes.start)
        {
            last.bytes.end = bytes.end;
            continue;
        }
        words.push(Word { bytes, word, key, listed });
    }
    words
}

/// Returns whether nothing but signs of a list and an "and" stand here.
fn is_joint(text: &Text, discourse: &Discourse, gap: Range<usize>) -> bool {
    let is_sign =
        |c: char| c.is_whitespace() || matches!(c, ',' | '、' | '&' | '+' | '/' | '(' | ')');
    let words = |bytes: Range<usize>| text.normalized()[bytes].trim_matches(is_sign).is_empty();
    let mut joints = discourse.marks.iter().filter(|mark| mark.operator == Operator::And);
    let joint = joints.find_map(|mark| {
        Some(text.bytes(mark.span)).filter(|b| gap.start <= b.start && b.end <= gap.end)
    });
    match joint {
        Some(joint) => words(gap.start..joint.start) && words(joint.end..gap.end),
        None => words(gap),
    }
}

pub(super) fn each_piece<'a>(
    text: &Text,
    values: &'a [Value],
    discourse: &'a Discourse,
    part: Range<usize>,
    mut emit: impl FnMut(Piece<'a>),
) {
    let mut at = part.start;
    for Word { bytes, word, key, .. } in masked_words(text, values, discourse, &part) {
        emit(Piece { bytes: at..bytes.start, mask: None });
        at = bytes.end;
        emit(Piece { bytes, mask: Some((word, key)) });
    }
    emit(Piece { bytes: at..part.end, mask: None });
}

/// A masked text with the way back to the user's words.
#[derive(Debug, Clone)]
pub(crate) struct Masked {
    /// The text that the student sees.
    pub(crate) text: String,
    pieces: Vec<MaskedPiece>,
}

/// A piece of a masked text.
#[derive(Debug, Clone)]
struct MaskedPiece {
    /// The byte of the masked text at which it begins.
    start: usize,
    /// The bytes of the normalized text that it stands for.
    pub(super) bytes: Range<usize>,
    /// True if it has the very same letters.
    verbatim: bool,
}

impl Masked {
    /// Masks a turn as the student sees it.
    pub(crate) fn of(turn: &Turn<'_>) -> Self {
        let mut masked = Self { text: String::new(), pieces: Vec::new() };
        for part in turn.said.asking.iter().cloned() {
            if !masked.text.is_empty() {
                let (start, bytes) = (masked.text.len(), part.start..part.start);
                masked.pieces.push(MaskedPiece { start, bytes, verbatim: false });
                masked.text.push(' ');
            }
            each_piece(&turn.said.text, &turn.said.values, &turn.said.discourse, part, |piece| {
                let (start, bytes) = (masked.text.len(), piece.bytes.clone());
                masked.pieces.push(MaskedPiece { start, bytes, verbatim: piece.mask.is_none() });
                piece.write(&turn.said.text, &mut masked.text);
            });
        }
        masked
    }

    /// The span of the user's text behind bytes of the masked one.
    pub(crate) fn origin(&self, text: &Text, bytes: Range<usize>) -> Span {
        let start = self.locate(bytes.start).map_or(0, |(piece, within)| match piece.verbatim {
            true => piece.bytes.start + within,
            false => piece.bytes.start,
        });
        // The last byte says in which piece the end lies.
        let last = bytes.end.saturating_sub(1);
        let end = self.locate(last).map_or(0, |(piece, within)| match piece.verbatim {
            true => piece.bytes.start + within + 1,
            false => piece.bytes.end,
        });
        text.span(start, end)
    }

    /// The piece that holds a byte, and how far into it the byte is.
    fn locate(&self, byte: usize) -> Option<(&MaskedPiece, usize)> {
        let after = self.pieces.partition_point(|piece| piece.start <= byte);
        let piece = self.pieces.get(after.checked_sub(1)?)?;
        Some((piece, byte - piece.start))
    }
}

fn mask_word(value: &Value) -> Option<&str> {
    match (&value.reading, value.kind) {
        (Reading::Entity { gazetteer, .. }, _) => Some(gazetteer),
        (_, Kind::Datetime) => Some(Kind::Date.name()),
        (_, Kind::Percentage | Kind::Quantity | Kind::Money) => Some(Kind::Number.name()),
        // These are often part of the question: "yes", "first", a quoted term.
        (_, Kind::Ordinal | Kind::Boolean | Kind::Quoted | Kind::Entity) => None,
        (_, kind) => Some(kind.name()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_masked_text_leads_back_to_the_words() {
        let text = Text::new("Tides in KEELUNG，Tomorrow");
        let piece = |start, bytes, verbatim| MaskedPiece { start, bytes, verbatim };
        let pieces = vec![piece(0, 0..9, true), piece(9, 9..16, false), piece(20, 16..26, true)];
        let masked = Masked { text: "tides in  ‹place› ,tomorrow".to_owned(), pieces };
        let shown = |bytes: Range<usize>| text.slice(masked.origin(&text, bytes)).to_owned();
        assert_eq!(shown(0..5), "Tides");
        assert_eq!(shown(10..19), "KEELUNG");
        assert_eq!(shown(6..19), "in KEELUNG");
    }
}

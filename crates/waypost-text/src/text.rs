//! The user's words, normalized for matching, with the way back to what was typed.
//!
//! Matching works on [`Text::normalized`] (NFKC, so that １２１．５Ｅ reads as 121.5E, and lower
//! case); everything that is reported to the outside uses positions in the original, counted in
//! characters.

use serde::{Deserialize, Serialize};
use unicode_normalization::char::canonical_combining_class;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

use crate::effort::{Budget, Effort};
use crate::extract::{Readings, counts_or_tells_time, is_han, plain};
use crate::spelling::{Care, Case, Speller};

/// A half-open stretch of a text, in characters of the original.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
pub struct Span {
    /// The first character.
    pub start: usize,
    /// The character after the last.
    pub end: usize,
}

impl Span {
    /// Returns whether the two share a character.
    pub fn overlaps(self, other: Span) -> bool {
        self.start < other.end && other.start < self.end
    }

    /// Returns whether `other` lies within this span.
    pub fn contains(self, other: Span) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// The number of characters that it covers.
    pub fn len(self) -> usize {
        self.end - self.start
    }

    /// Returns whether it covers nothing.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }
}

/// Spans in the order of the text, so that those around a stretch are found by bisection: a text of
/// many values is asked about each of its words.
///
/// # Example
///
/// ```
/// use waypost_text::text::{Span, Spans};
///
/// let spans = Spans::of([Span { start: 4, end: 7 }, Span { start: 0, end: 2 }]);
/// assert!(spans.overlap(Span { start: 6, end: 9 }));
/// assert!(!spans.overlap(Span { start: 2, end: 4 }));
/// assert!(spans.cross(Span { start: 5, end: 9 }) && !spans.cross(Span { start: 3, end: 8 }));
/// ```
#[derive(Debug, Clone, Default)]
pub struct Spans {
    /// By their first character.
    spans: Vec<Span>,
    /// For each, the greatest end of it and those before it.
    reach: Vec<usize>,
}

impl Spans {
    /// Puts spans in order; they may overlap.
    pub fn of(spans: impl IntoIterator<Item = Span>) -> Self {
        let mut spans: Vec<Span> = spans.into_iter().collect();
        spans.sort_unstable();
        let mut end = 0;
        let reach = spans.iter().map(|span| {
            end = end.max(span.end);
            end
        });
        let reach = reach.collect();
        Self { spans, reach }
    }

    /// Returns whether one of them shares a character with `span`.
    pub fn overlap(&self, span: Span) -> bool {
        self.reach_before(span.end) > span.start
    }

    /// Returns whether `span` lies within one of them, or is one of them.
    pub fn hold(&self, span: Span) -> bool {
        self.reach_before(span.start + 1) >= span.end
    }

    /// Returns whether `span` is only a part of one of them.
    pub fn exceed(&self, span: Span) -> bool {
        let first = self.spans.partition_point(|own| own.start < span.start);
        let mut beside = self.spans[first..].iter().take_while(|own| own.start == span.start);
        self.reach_before(span.start) >= span.end && span.end > 0
            || beside.any(|own| own.end > span.end)
    }

    /// Returns whether one of them shares a character with `span` and lies not within it.
    pub fn cross(&self, span: Span) -> bool {
        let first = self.spans.partition_point(|own| own.start < span.start);
        let inner = self.spans[first..].iter().take_while(|own| own.start < span.end);
        self.reach_before(span.start) > span.start
            || inner.into_iter().any(|own| own.end > span.end)
    }

    /// The greatest end of those that begin before a character.
    fn reach_before(&self, character: usize) -> usize {
        let count = self.spans.partition_point(|own| own.start < character);
        count.checked_sub(1).map_or(0, |last| self.reach[last])
    }
}

/// A text as typed and as matched.
#[derive(Debug, Clone)]
pub struct Text {
    original: String,
    normalized: String,
    /// For each byte of `normalized`, and one past its end: the character of the original that it
    /// came from. Identity (and empty) for the common case of ASCII, which normalizes to itself.
    origins: Vec<u32>,
    /// For each character of the original, and one past its end: its byte offset. Empty for ASCII.
    offsets: Vec<u32>,
    /// The words that are read as others, in the order of the text.
    slips: Vec<Span>,
    /// The readings that the rules have made of it so far.
    readings: Readings,
    /// The steps that they took.
    effort: Effort,
}

impl Text {
    /// Normalizes `original`: compatibility composition, lower case, control characters as spaces.
    ///
    /// # Example
    ///
    /// ```
    /// let text = waypost_text::text::Text::new("１２１．５Ｅ");
    /// assert_eq!(text.normalized(), "121.5e");
    /// assert_eq!(text.slice(text.span(0, 6)), "１２１．５Ｅ");
    /// ```
    pub fn new(original: &str) -> Self {
        Self::with_budget(original, Budget::of(original.len()))
    }

    /// Normalizes `original` as [`Text::new`] does, for readings that may take other than the usual
    /// number of steps.
    pub fn with_budget(original: &str, budget: Budget) -> Self {
        let effort = Effort::new(budget);
        if original.is_ascii() {
            let normalized = original
                .chars()
                .map(|c| if c.is_ascii_control() { ' ' } else { c.to_ascii_lowercase() })
                .collect();
            return Self {
                original: original.to_owned(),
                normalized,
                origins: Vec::new(),
                offsets: Vec::new(),
                slips: Vec::new(),
                readings: Readings::default(),
                effort,
            };
        }
        let mut normalized = String::with_capacity(original.len());
        let mut origins = Vec::with_capacity(original.len() + 1);
        let mut offsets: Vec<u32> = Vec::with_capacity(original.len() / 2);
        let mut piece = String::new();
        let mut piece_start = 0;
        let mut count = 0;
        for (offset, c) in original.char_indices() {
            offsets.push(narrow(offset));
            // A combining mark belongs to the character before it and may compose with it.
            if canonical_combining_class(c) == 0 && !piece.is_empty() {
                flush(&mut piece, piece_start, &mut normalized, &mut origins);
                piece_start = count;
            }
            piece.push(c);
            count += 1;
        }
        flush(&mut piece, piece_start, &mut normalized, &mut origins);
        offsets.push(narrow(original.len()));
        origins.push(narrow(count));
        let (original, readings) = (original.to_owned(), Readings::default());
        Self { original, normalized, origins, offsets, slips: Vec::new(), readings, effort }
    }

    /// The same text, in whose normalized form words that nobody knows are the ones that were meant. `is_word` says
    /// of further words that they are none that slipped.
    ///
    /// # Example
    ///
    /// ```
    /// use waypost_text::spelling::{Care, Speller, Used};
    /// use waypost_text::text::Text;
    ///
    /// let speller = Speller::new([Used { word: "yesterday", count: 9, is_name: false }]);
    /// let text = Text::new("SST yesteday?").corrected(&speller, Care::Usual, |_| false);
    /// assert_eq!(text.normalized(), "sst yesterday?");
    /// assert_eq!(text.slice(text.span(4, 13)), "yesteday");
    /// ```
    #[must_use]
    pub fn corrected(
        mut self,
        speller: &Speller,
        care: Care,
        is_word: impl Fn(&str) -> bool,
    ) -> Self {
        let mut found = speller.slips(&self.normalized, care, is_word, |bytes| case(&self, bytes));
        // A name must not take a character from the date behind it: 高雄市 the 十 of 高雄十五日.
        found.retain(|(bytes, _)| {
            !self.normalized[bytes.start..].starts_with(is_han)
                || !counts_or_tells_time(&self, bytes.start)
        });
        if found.is_empty() {
            return self;
        }
        let mut normalized = String::with_capacity(self.normalized.len() + 8);
        let mut origins = Vec::with_capacity(self.normalized.len() + 9);
        let mut slips = Vec::with_capacity(found.len());
        let mut done = 0;
        for (bytes, meant) in found {
            let span = self.span(bytes.start, bytes.end);
            self.copy(done..bytes.start, &mut normalized, &mut origins);
            normalized.push_str(meant);
            let (last, letters) = (meant.len() - 1, span.len() - 1);
            origins.extend((0..=last).map(|at| narrow(span.start + at * letters / last.max(1))));
            slips.push(span);
            done = bytes.end;
        }
        self.copy(done..self.normalized.len(), &mut normalized, &mut origins);
        origins.push(self.origins.last().copied().unwrap_or(narrow(self.normalized.len())));
        if self.offsets.is_empty() {
            self.offsets = (0..=self.original.len()).map(narrow).collect();
        }
        Self { normalized, origins, slips, readings: Readings::default(), ..self }
    }

    /// Copies bytes of the normalized text with the characters that they came from.
    fn copy(&self, bytes: std::ops::Range<usize>, normalized: &mut String, origins: &mut Vec<u32>) {
        normalized.push_str(&self.normalized[bytes.clone()]);
        match self.origins.get(bytes.clone()) {
            Some(own) => origins.extend(own),
            None => origins.extend(bytes.map(narrow)),
        }
    }

    /// Returns whether a word at `span` is read as another.
    pub fn has_slip(&self, span: Span) -> bool {
        let next = self.slips.partition_point(|slip| slip.end <= span.start);
        self.slips.get(next).is_some_and(|slip| slip.overlaps(span))
    }

    pub(crate) fn effort(&self) -> &Effort {
        &self.effort
    }

    /// Returns whether reading it was given up: it would have taken more steps than its budget has.
    /// What was found in it is then not all that it says.
    pub fn is_unread(&self) -> bool {
        self.effort.is_exhausted()
    }

    /// The steps that reading it has taken so far.
    pub fn steps(&self) -> u64 {
        self.effort.taken()
    }

    pub(crate) fn readings(&self) -> &Readings {
        &self.readings
    }

    /// The text as it was typed.
    pub fn original(&self) -> &str {
        &self.original
    }

    /// The text that the rules match: in NFKC and lower case.
    pub fn normalized(&self) -> &str {
        &self.normalized
    }

    /// The stretch of the original behind the bytes `start..end` of the normalized text.
    ///
    /// Offsets past the end are taken as the end.
    pub fn span(&self, start: usize, end: usize) -> Span {
        if self.origins.is_empty() {
            let length = self.normalized.len();
            return Span { start: start.min(length), end: end.min(length) };
        }
        let last = self.origins.len() - 1;
        let first = self.origins[start.min(last)] as usize;
        // The end is one past the character that the last byte came from: several normalized
        // characters may come from one (㎞), which then belongs to the span as a whole.
        let end = match end.min(last) {
            0 => first,
            end if end <= start => first,
            end => self.origins[end - 1] as usize + 1,
        };
        let mut end = end.max(first);
        while end < self.offsets.len() - 1 && self.is_mark(end) {
            end += 1;
        }
        Span { start: first, end }
    }

    fn is_mark(&self, character: usize) -> bool {
        let start = self.offsets[character] as usize;
        self.original[start..].chars().next().is_some_and(|c| canonical_combining_class(c) != 0)
    }

    /// The bytes of the normalized text that came from `span`.
    pub fn bytes(&self, span: Span) -> std::ops::Range<usize> {
        if self.origins.is_empty() {
            let length = self.normalized.len();
            return span.start.min(length)..span.end.min(length);
        }
        // Origins never decrease, so that both ends are found by bisection.
        let bytes = &self.origins[..self.normalized.len()];
        let start = bytes.partition_point(|&origin| (origin as usize) < span.start);
        let end = bytes.partition_point(|&origin| (origin as usize) < span.end);
        start..end.max(start)
    }

    /// The words of the original within `span`.
    pub fn slice(&self, span: Span) -> &str {
        if self.offsets.is_empty() {
            let end = span.end.min(self.original.len());
            return self.original.get(span.start.min(end)..end).unwrap_or_default();
        }
        let last = self.offsets.len() - 1;
        let start = self.offsets[span.start.min(last)] as usize;
        let end = self.offsets[span.end.min(last)] as usize;
        self.original.get(start..end).unwrap_or_default()
    }
}

/// Longer words in capitals are shouted.
const LONGEST_ABBREVIATION: usize = 5;

/// How a word of a text may have slipped, by its capitals.
fn case(text: &Text, bytes: &std::ops::Range<usize>) -> Case {
    let typed = text.slice(text.span(bytes.start, bytes.end));
    let capitals = typed.chars().filter(|c| c.is_uppercase()).count();
    let begins = typed.starts_with(char::is_uppercase);
    let shouted = capitals > LONGEST_ABBREVIATION && capitals == typed.chars().count();
    // An abbreviation, or a name of code.
    if capitals > usize::from(begins) && !shouted {
        return Case::Exact;
    }
    let is_first = !text.normalized()[..bytes.start].contains(char::is_alphanumeric);
    if begins && !shouted && !is_first { Case::Name } else { Case::Word }
}

/// Words without accents, and Chinese ones in simplified characters as far as the tables know them: for those who
/// compare how something is said, not what it is written with. `text` is in lower case.
///
/// # Example
///
/// ```
/// use waypost_text::text::folded;
/// assert_eq!(folded("đúng rồi, así"), "dung roi, asi");
/// ```
pub fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    let bare = text.nfd().filter(|c| canonical_combining_class(*c) == 0);
    let bare: String = bare.map(plain).collect();
    // Most texts with accents are Latin ones, and composing is slow.
    if bare.is_ascii() { bare } else { bare.nfc().collect() }
}

fn flush(piece: &mut String, origin: usize, normalized: &mut String, origins: &mut Vec<u32>) {
    let is_ascii = piece.starts_with(|c: char| c.is_ascii());
    // Nearly all pieces are one character that is composed already, and composing is slow.
    match is_nfkc_quick(piece.chars()) {
        IsNormalized::Yes => append(piece.chars(), is_ascii, origin, normalized, origins),
        _ => append(piece.nfkc(), is_ascii, origin, normalized, origins),
    }
    piece.clear();
}

fn append(
    composed: impl Iterator<Item = char> + Clone,
    is_ascii: bool,
    origin: usize,
    normalized: &mut String,
    origins: &mut Vec<u32>,
) {
    // 2½ becomes "2 1⁄2", as without the space it would be twenty-one halves.
    let is_part = |c: char| c.is_ascii_digit();
    let parts = !is_ascii && composed.clone().any(|c| c == '\u{2044}');
    if parts && normalized.ends_with(is_part) {
        normalized.push(' ');
        origins.push(narrow(origin));
    }
    for c in composed.flat_map(char::to_lowercase) {
        let c = if c.is_control() { ' ' } else { c };
        normalized.push(c);
        origins.extend(std::iter::repeat_n(narrow(origin), c.len_utf8()));
    }
}

/// Positions are 32 bits: a text is bounded far below 4 GB long before it comes here.
fn narrow(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spelling::Used;

    fn back(original: &str, part: &str) -> String {
        let text = Text::new(original);
        let start = text
            .normalized()
            .find(part)
            .unwrap_or_else(|| panic!("`{part}` is not in `{}`", text.normalized()));
        text.slice(text.span(start, start + part.len())).to_owned()
    }

    #[test]
    fn every_part_leads_back_to_what_was_typed() {
        assert_eq!(back("海溫 １２１．５Ｅ，24N", "121.5e"), "１２１．５Ｅ");
        assert_eq!(back("Cafe\u{301} NOW", "café"), "Cafe\u{301}");
        assert_eq!(back("5㎞ away", "km"), "㎞");
        assert_eq!(back("2½ cups", "2 1\u{2044}2"), "2½");
        assert_eq!(back("plain ASCII", "ascii"), "ASCII");
        assert_eq!(back("花蓮外海", "外海"), "外海");
    }

    #[test]
    fn a_slip_leads_back_to_what_was_typed() {
        let words = ["yesterday", "temperature", "mañana"];
        let speller =
            Speller::new(words.map(|word| Used { word, count: 9, is_name: word == "temperature" }));
        let read = |typed: &str| Text::new(typed).corrected(&speller, Care::Usual, |_| false);
        for (typed, normalized) in [
            ("yesteday, 花蓮 temprature", "yesterday, 花蓮 temperature"),
            ("the Temprature of Yesteday", "the temperature of yesteday"),
            (
                "my_yesteday a.yesteday yesteday() yesteday@x.org",
                "my_yesteday a.yesteday yesteday() yesteday@x.org",
            ),
            ("mañanna", "mañana"),
            ("YESTEDAY", "yesterday"),
            ("yesteDay", "yesteday"),
        ] {
            assert_eq!(read(typed).normalized(), normalized);
        }
        let text = read("was yesteday warm, 花蓮?");
        let at = text.normalized().find("yesterday").unwrap();
        let span = text.span(at, at + "yesterday".len());
        assert_eq!((text.slice(span), text.bytes(span)), ("yesteday", at..at + 9));
        assert!(text.has_slip(span) && !text.has_slip(Span { start: 0, end: 3 }));
        let at = text.normalized().find("花蓮").unwrap();
        assert_eq!(text.slice(text.span(at, at + "花蓮".len())), "花蓮");
    }

    #[test]
    fn a_name_takes_no_character_from_a_number_or_a_time() {
        let names = ["高雄市", "花蓮縣", "澎湖縣", "嘉義市", "基隆港"];
        let speller = Speller::new(names.map(|word| Used { word, count: 9, is_name: true }));
        for (typed, normalized) in [
            ("高雄十五日滿潮", "高雄十五日滿潮"),
            ("高雄十天內的浪高", "高雄十天內的浪高"),
            ("嘉义十一月十二日", "嘉義十一月十二日"),
            ("花蓮現在的海溫", "花蓮現在的海溫"),
            ("澎胡現在的風浪", "澎湖現在的風浪"),
            ("明天基龍港的浪", "明天基隆港的浪"),
        ] {
            let text = Text::new(typed).corrected(&speller, Care::Much, |_| false);
            assert_eq!(text.normalized(), normalized);
        }
    }

    #[test]
    fn control_characters_become_spaces() {
        assert_eq!(Text::new("a\0b").normalized(), "a b");
        assert_eq!(Text::new("海\0溫").normalized(), "海 溫");
    }
}

//! Cuts a text into words, Chinese characters and marks, and finds the stretches of them that may be a value.

use waypost_core::text_match::is_han;
use waypost_text::text::Span;

use super::words::sense;

/// The most pieces of a text that are looked at.
const MOST_PIECES: usize = 240;
/// The most stretches of a text that are looked at.
const MOST_STRETCHES: usize = 2_500;
/// The longest stretch that does not go on to the end of the text, in words; two Chinese characters are one.
const LONGEST: usize = 14;
/// The marks that open a quotation, each with the one that closes it.
const QUOTES: [(char, char); 9] = [
    ('"', '"'),
    ('“', '”'),
    ('「', '」'),
    ('『', '』'),
    ('‘', '’'),
    ('\'', '\''),
    ('`', '`'),
    ('«', '»'),
    ('《', '》'),
];

/// The sort of a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    /// A word between spaces, with the signs that codes, paths and addresses have in them.
    Word,
    /// A Chinese character.
    Han,
    /// A mark.
    Mark,
}

/// A word, a Chinese character or a mark.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    pub(super) span: Span,
    pub(super) text: String,
    /// The same in small letters.
    pub(super) lower: String,
    pub(super) sort: Sort,
    /// True if nothing stands between it and the piece before.
    is_glued: bool,
}

/// Pieces from the first to the last, both among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stretch {
    pub(super) first: usize,
    pub(super) last: usize,
    /// True if it is all that stands between quotation marks.
    pub(super) is_quoted: bool,
}

/// A text in pieces.
#[derive(Debug)]
pub(super) struct Pieces {
    pub(super) pieces: Vec<Piece>,
    pub(super) stretches: Vec<Stretch>,
    /// The number of its quotations.
    pub(super) quotations: usize,
}

impl Pieces {
    pub(super) fn of(text: &str) -> Self {
        let pieces = cut(text);
        let quotations = quotations(&pieces);
        let stretches = stretches(&pieces, &quotations);
        Self { pieces, stretches, quotations: quotations.len() }
    }

    /// The place of a stretch in the text.
    pub(super) fn span(&self, stretch: Stretch) -> Span {
        let Pieces { pieces, .. } = self;
        Span { start: pieces[stretch.first].span.start, end: pieces[stretch.last].span.end }
    }
}

/// Signs that stand within words, and those with which a word may begin.
fn is_sign(c: char) -> bool {
    "_-/.'’:@#+~&*%$=\\^|<>".contains(c)
}

fn opens_word(c: char, next: Option<char>) -> bool {
    "#@~/.-_*$".contains(c) && next.is_some_and(|c| c.is_alphanumeric() || "/.*_-".contains(c))
}

fn cut(text: &str) -> Vec<Piece> {
    let characters: Vec<char> = text.chars().collect();
    let mut pieces: Vec<Piece> = Vec::new();
    let mut at = 0;
    while at < characters.len() && pieces.len() < MOST_PIECES {
        let c = characters[at];
        if c.is_whitespace() {
            at += 1;
            continue;
        }
        let is_word =
            !is_han(c) && (c.is_alphanumeric() || opens_word(c, characters.get(at + 1).copied()));
        let end = if is_word { word_end(&characters, at) } else { at + 1 };
        let sort = match (is_word, is_han(c)) {
            (true, _) => Sort::Word,
            (_, true) => Sort::Han,
            _ => Sort::Mark,
        };
        let own: String = characters[at..end].iter().collect();
        let is_glued = pieces.last().is_some_and(|before| before.span.end == at);
        let lower = own.to_lowercase();
        pieces.push(Piece { span: Span { start: at, end }, text: own, lower, sort, is_glued });
        // The 's of "Ana's board" is no word.
        let is_genitive = is_word
            && characters.get(end).is_some_and(|c| matches!(c, '\'' | '’'))
            && characters.get(end + 1) == Some(&'s')
            && characters.get(end + 2).is_none_or(|c| !c.is_alphanumeric());
        at = if is_genitive { end + 2 } else { end };
    }
    pieces
}

fn word_end(characters: &[char], start: usize) -> usize {
    let is_part = |c: &char| !is_han(*c) && (c.is_alphanumeric() || is_sign(*c));
    let mut end = start + characters[start..].iter().take_while(|c| is_part(c)).count().max(1);
    while end > start + 1 && ".:'’*|<>=".contains(characters[end - 1]) {
        end -= 1;
    }
    let ends_so = |end: usize| end >= 2 && characters[end - 1] == 's';
    let is_genitive = ends_so(end) && matches!(characters[end - 2], '\'' | '’') && end - start > 2;
    if is_genitive { end - 2 } else { end }
}

/// The first and the last piece of what stands between quotation marks.
fn quotations(pieces: &[Piece]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < pieces.len() {
        let mark = pieces[at].text.chars().next().filter(|_| pieces[at].sort == Sort::Mark);
        let closing = QUOTES.iter().find(|(open, _)| Some(*open) == mark);
        let end = closing.and_then(|(_, close)| {
            let behind = pieces.iter().enumerate().skip(at + 1);
            let is_end =
                |piece: &Piece| piece.text.chars().eq([*close]) && piece.sort == Sort::Mark;
            behind.filter(|(_, piece)| is_end(piece)).map(|(at, _)| at).next()
        });
        match end {
            Some(end) if end > at + 1 => {
                found.push((at + 1, end - 1));
                at = end + 1;
            }
            _ => at += 1,
        }
    }
    found
}

/// The stretches that may be a value: a quotation is whole or left out, no word is cut, and none ends with a word that leads to
/// another one.
fn stretches(pieces: &[Piece], quotations: &[(usize, usize)]) -> Vec<Stretch> {
    let quotation = |at: usize| {
        quotations.iter().copied().find(|(first, last)| (first - 1..=last + 1).contains(&at))
    };
    let mut found = Vec::new();
    for (first, piece) in pieces.iter().enumerate() {
        if piece.sort == Sort::Mark || goes_on(pieces, first) {
            continue;
        }
        if let Some((start, last)) = quotation(first) {
            if start == first {
                found.push(Stretch { first, last, is_quoted: true });
            }
            continue;
        }
        let mut halves = 0;
        for (last, piece) in pieces.iter().enumerate().skip(first) {
            halves += match piece.sort {
                Sort::Word => 2,
                Sort::Han => 1,
                Sort::Mark => 0,
            };
            let is_long = halves > 2 * LONGEST && last + 1 != pieces.len();
            let is_cut = last + 1 < pieces.len() && goes_on(pieces, last + 1);
            let closes = quotation(last).is_some_and(|(_, end)| end + 1 == last);
            let ends = match piece.sort {
                Sort::Mark => closes || [")", "）", "!", "！", "?", "？"].contains(&&*piece.text),
                Sort::Word => quotation(last).is_none() && !sense(Some(&piece.lower)).leads(),
                Sort::Han => quotation(last).is_none(),
            };
            if !is_long && !is_cut && ends {
                found.push(Stretch { first, last, is_quoted: false });
            }
            if found.len() >= MOST_STRETCHES {
                return found;
            }
        }
    }
    found
}

/// Returns whether a piece goes on with the word before it: the ".md" of 裝修.md.
fn goes_on(pieces: &[Piece], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).map(|before| &pieces[before]) else { return false };
    let piece = &pieces[at];
    piece.is_glued
        && before.sort != Sort::Mark
        && piece.sort != Sort::Mark
        && (piece.text.starts_with(['.', '/', '_', '-'])
            || before.sort == Sort::Word && before.text.ends_with(['/', '_', '-', '.']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        let pieces = Pieces::of(text);
        let span = |stretch| pieces.span(stretch);
        let slice = |span: Span| text.chars().skip(span.start).take(span.len()).collect();
        pieces.stretches.iter().map(|stretch| slice(span(*stretch))).collect()
    }

    #[test]
    fn words_keep_their_signs_and_quotations_are_whole() {
        assert_eq!(texts("read ./a-b.md."), ["read", "read ./a-b.md", "./a-b.md"]);
        assert_eq!(texts("say \"it is late\""), ["say", "say \"it is late\"", "it is late"]);
        assert_eq!(texts("Ana's board"), ["Ana", "Ana's board", "board"]);
    }

    #[test]
    fn a_file_is_not_cut_where_letters_change() {
        let texts = texts("讀 合同.docx");
        assert!(texts.contains(&"合同.docx".to_owned()), "{texts:?}");
        assert!(!texts.contains(&".docx".to_owned()) && !texts.contains(&"合同".to_owned()));
    }

    #[test]
    fn a_long_text_has_a_bounded_number_of_stretches() {
        let long = "one 二 ".repeat(5_000);
        assert!(Pieces::of(&long).stretches.len() <= MOST_STRETCHES);
    }
}

//! Turns text that came from outside into text that can be printed: on a terminal, in one line of a
//! log or a table, on a page.
//!
//! Answers of models, results of tools, names of sessions and files, and words of users may hold
//! characters that steer a terminal, that hide words, or that show them in another order. Such a
//! character is not left out, so that nobody reads a text as if it had not been there: a control
//! character of ASCII becomes its picture (`␛`), any other the replacement character `\u{FFFD}`. As every
//! character is judged by itself and the one before, a sequence that is cut in two is harmless as well.
//!
//! | medium | function | a newline |
//! |---|---|---|
//! | a terminal | [`lines`], [`Stream`] | stays |
//! | a line of a log or a table | [`line()`] | is shown as `␊` |
//! | a page | [`page`] | stays; what cannot be printed is shown by its number |
//! | JSON | [`json`] | stays; what cannot be printed is escaped, so the data are the same |
//!
//! What scripts and emoji need stays: joiners between letters that join, one variation selector
//! a character, the tags of flags, and the marks of direction that embed nothing.
//!
//! # Example
//!
//! ```
//! use waypost_core::printable;
//!
//! assert_eq!(printable::line("26 °C\u{1b}[2J\nforged"), "26 °C␛[2J␊forged");
//! assert_eq!(printable::lines("a\r\nb\tc\u{7}"), "a\nb\tc␇");
//! ```

use std::borrow::Cow;
use std::fmt::Write as _;

/// Stands for a character that has no picture.
const REPLACED: char = char::REPLACEMENT_CHARACTER;
/// Keeps a line of a page from being broken at a place.
const JOINS_WORDS: char = '\u{2060}';
/// The flag that tags may follow, which say of what region it is.
const FLAG: char = '\u{1f3f4}';
/// The most tags of a flag: a region, a subdivision and the end.
const MAX_TAGS: u8 = 8;

/// Returns text for a terminal, which may have several lines: newlines and tabs stay.
pub fn lines(text: &str) -> Cow<'_, str> {
    clean(text, Newlines::Kept)
}

/// Returns text for one line of a log, a table or a list: a newline is shown, a tab is a space.
pub fn line(text: &str) -> Cow<'_, str> {
    clean(text, Newlines::Shown)
}

/// Returns a page in which what cannot be printed is shown by its number: `⟨U+202E⟩`. Markup and text
/// were told apart before. Word joiners stay, since a page breaks lines by itself.
pub fn page(text: &str) -> Cow<'_, str> {
    let stays = |c: char| matches!(c, '\n' | '\t' | JOINS_WORDS) || is_plain(c);
    if text.chars().all(stays) {
        return Cow::Borrowed(text);
    }
    let mut judge = Judge::default();
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if judge.shown(c, Newlines::Kept) == c || c == JOINS_WORDS {
            out.push(c);
        } else {
            // Writing to a string cannot fail.
            let _ = write!(out, "\u{27e8}U+{:04X}\u{27e9}", u32::from(c));
        }
    }
    Cow::Owned(out)
}

/// Returns a JSON document that means the same, in which characters that cannot be printed are
/// escaped. In JSON they stand in strings alone.
pub fn json(text: &str) -> Cow<'_, str> {
    if text.chars().all(|c| c == '\n' || is_plain(c)) {
        return Cow::Borrowed(text);
    }
    let mut judge = Judge::default();
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if judge.shown(c, Newlines::Kept) == c {
            out.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            // Writing to a string cannot fail.
            let _ = write!(out, "\\u{unit:04x}");
        }
    }
    Cow::Owned(out)
}

/// Text for a terminal that comes in pieces, cut anywhere.
#[derive(Debug, Clone, Default)]
pub struct Stream {
    judge: Judge,
    /// True if a carriage return waits for what comes next.
    returned: bool,
}

impl Stream {
    /// Returns what can be printed of the text so far with this piece.
    pub fn push(&mut self, piece: &str) -> String {
        let mut out = String::with_capacity(piece.len());
        self.take(piece, Newlines::Kept, &mut out);
        out
    }

    /// Returns what waited for a next piece.
    pub fn end(&mut self) -> &'static str {
        if std::mem::take(&mut self.returned) { "␍" } else { "" }
    }

    fn take(&mut self, piece: &str, newlines: Newlines, out: &mut String) {
        for c in piece.chars() {
            // Before a newline it belongs to the end of the line.
            if std::mem::take(&mut self.returned) && c != '\n' {
                out.push('␍');
            }
            match c {
                '\r' => self.returned = true,
                c => out.push(self.judge.shown(c, newlines)),
            }
        }
    }
}

/// The treatment of newlines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Newlines {
    Kept,
    Shown,
}

fn clean(text: &str, newlines: Newlines) -> Cow<'_, str> {
    let stays = |c: char| is_plain(c) || newlines == Newlines::Kept && matches!(c, '\n' | '\t');
    if text.chars().all(stays) {
        return Cow::Borrowed(text);
    }
    let mut stream = Stream::default();
    let mut out = String::with_capacity(text.len());
    stream.take(text, newlines, &mut out);
    out.push_str(stream.end());
    Cow::Owned(out)
}

/// Returns whether a character is printed whatever stands before it.
fn is_plain(c: char) -> bool {
    matches!(c, ' '..='~') || c > '\u{9f}' && !is_hidden(c)
}

/// Judges characters one after the other.
#[derive(Debug, Clone, Default)]
struct Judge {
    /// The character before, where it was printed.
    before: Option<char>,
    /// The number of tags behind the last flag.
    tags: u8,
}

impl Judge {
    /// Returns what is printed in place of a character.
    fn shown(&mut self, c: char, newlines: Newlines) -> char {
        let shown = match c {
            '\n' | '\t' if newlines == Newlines::Kept => c,
            '\t' => ' ',
            // The pictures stand in the order of the characters.
            '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)).unwrap_or(REPLACED),
            '\u{7f}' => '␡',
            '\u{80}'..='\u{9f}' => REPLACED,
            c if is_hidden(c) && !self.is_needed(c) => REPLACED,
            c => c,
        };
        self.tags = if is_tag(shown) { self.tags.saturating_add(1) } else { 0 };
        self.before = (shown == c).then_some(c);
        shown
    }

    /// Returns whether a hidden character belongs to the one before it.
    fn is_needed(&self, c: char) -> bool {
        let Some(before) = self.before else { return false };
        let visible = !before.is_whitespace() && !is_hidden(before);
        match c {
            // Letters of scripts that join, and emoji, of which a selector may be the last part.
            '\u{200c}' | '\u{200d}' => !before.is_ascii() && (visible || before == '\u{fe0f}'),
            '\u{fe00}'..='\u{fe0f}' | '\u{180b}'..='\u{180d}' => visible,
            '\u{e0100}'..='\u{e01ef}' => visible && !before.is_ascii(),
            c if is_tag(c) => self.tags < MAX_TAGS && (before == FLAG || is_tag(before)),
            _ => false,
        }
    }
}

fn is_tag(c: char) -> bool {
    matches!(c, '\u{e0020}'..='\u{e007f}')
}

/// Returns whether a character takes no place by itself, or changes the order or the place of others.
fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180e}' | '\u{200b}'..='\u{200d}'
        // Separators of lines; embeddings, overrides and isolates; joiners and operators.
        | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{fdd0}'..='\u{fdef}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff9}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts that steer a terminal, forge a line, or show words that are not there.
    const HOSTILE: &[(&str, &str)] = &[
        ("\u{1b}]52;c;ZXZpbA==\u{7}", "␛]52;c;ZXZpbA==␇"),
        ("\u{1b}[2J\u{1b}[H", "␛[2J␛[H"),
        ("\u{9b}31m", "\u{fffd}31m"),
        ("\u{1b}]0;title\u{1b}\\", "␛]0;title␛\\"),
        ("safe\rrm -rf", "safe␍rm -rf"),
        ("yes\u{8}\u{8}\u{8}no", "yes␈␈␈no"),
        ("a\u{7f}b\0c", "a␡b␀c"),
        ("\u{202e}txt.exe\u{202c}", "\u{fffd}txt.exe\u{fffd}"),
        ("\u{2066}a\u{2069}", "\u{fffd}a\u{fffd}"),
        ("pay\u{200b}pal", "pay\u{fffd}pal"),
        ("pay\u{200d}pal", "pay\u{fffd}pal"),
        ("a\u{e0041}\u{e0042}", "a\u{fffd}\u{fffd}"),
        ("é\u{fe0f}\u{fe01}\u{fe02}", "é\u{fe0f}\u{fffd}\u{fffd}"),
        ("\u{feff}x\u{2028}y\u{85}z", "\u{fffd}x\u{fffd}y\u{fffd}z"),
    ];

    #[test]
    fn what_steers_or_hides_is_shown_on_every_medium() {
        for (text, shown) in HOSTILE {
            assert_eq!((lines(text), line(text)), ((*shown).into(), (*shown).into()), "{text:?}");
            let page = page(text);
            assert_eq!(lines(&page), page, "{text:?}");
        }
    }

    #[test]
    fn what_people_write_stays() {
        for text in [
            "plain ASCII, with ~ and `",
            "花蓮外海 màn chống muỗi ¿dónde? 26 °C → 27 °C",
            "👩‍👩‍👧 ❤️‍🔥 1️⃣ 👍🏽",
            "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
            "می\u{200c}خواهم क्\u{200d}ष 葛\u{e0100}",
            "\u{200f}עברית\u{200e} soft\u{ad}hyphen",
        ] {
            assert_eq!((lines(text), line(text)), (text.into(), text.into()));
        }
        assert!(matches!(lines("two\nlines\tand a tab"), Cow::Borrowed(_)));
    }

    #[test]
    fn a_page_shows_numbers() {
        assert_eq!(page("a\u{202e}\r\nb\u{2060}c"), "a⟨U+202E⟩⟨U+000D⟩\nb\u{2060}c");
        assert!(matches!(page("<p>花\n\u{2060}</p>"), Cow::Borrowed(_)));
    }

    #[test]
    fn newlines_stay_in_texts_and_are_seen_in_a_line() {
        assert_eq!(lines("a\r\nb\n\tc\r"), "a\nb\n\tc␍");
        assert_eq!(line("a\r\nb\n\tc\r"), "a␊b␊ c␍");
    }

    #[test]
    fn a_text_that_is_cut_anywhere_is_printed_the_same() {
        let texts = HOSTILE.iter().map(|(text, _)| *text).chain(["a\r\nb", "👩‍👩‍👧\r"]);
        for text in texts {
            let (whole, characters) = (lines(text), text.char_indices());
            for (at, _) in characters {
                let mut stream = Stream::default();
                let mut printed = stream.push(&text[..at]);
                printed.push_str(&stream.push(&text[at..]));
                printed.push_str(stream.end());
                assert_eq!(printed, whole, "{text:?} cut at {at}");
            }
        }
    }

    #[test]
    fn json_is_escaped_and_means_the_same() {
        for (text, _) in HOSTILE {
            let written = serde_json::to_string_pretty(&[text]).unwrap();
            let printed = json(&written);
            assert_eq!(lines(&printed), printed, "{text:?}");
            let read: Vec<String> = serde_json::from_str(&printed).unwrap();
            assert_eq!(read, [*text]);
        }
        assert_eq!(json("[\n  \"花\"\n]"), "[\n  \"花\"\n]");
    }
}

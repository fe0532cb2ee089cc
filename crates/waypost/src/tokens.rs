//! Says how many tokens a text takes in a prompt. It is the one place that counts: an estimate that is the same
//! for every model.
//!
//! Words are counted by their letters, numbers by their digits, and marks by their runs, since tokenizers of
//! current models keep common words whole and merge `":{"`: a token for every four letters, or the pieces of the
//! student's own vocabulary, count the marks of a schema one by one.
//!
//! # Example
//!
//! ```
//! assert_eq!(waypost::tokens::count("the tide at Keelung"), 4);
//! assert_eq!(waypost::tokens::count(r#"{"type":"object"}"#), 5);
//! assert_eq!(waypost::tokens::count("海溫"), 2);
//! ```

/// The letters of the longest word that is one token.
const LETTERS: usize = 8;
/// The digits that are one token.
const DIGITS: usize = 3;
/// The marks that are one token where they stand together.
const MARKS: usize = 4;

/// What a character adds to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Letter,
    Digit,
    Mark,
    /// A character that is a token by itself: a Han character, a kana, an emoji.
    Whole,
    /// A break of a line, or a space behind another.
    Gap,
    /// A space between words, and the underscore of an identifier, which go with the word behind them.
    Joint,
}

/// Estimates the number of tokens of a text.
pub fn count(text: &str) -> usize {
    let (mut tokens, mut run, mut last) = (0, 0, Kind::Joint);
    for c in text.chars() {
        let kind = kind(c, last);
        if kind != last {
            tokens += of_run(last, run);
            run = 0;
        }
        run += 1;
        last = kind;
    }
    tokens + of_run(last, run)
}

fn of_run(kind: Kind, length: usize) -> usize {
    match kind {
        Kind::Letter => length.div_ceil(LETTERS),
        Kind::Digit => length.div_ceil(DIGITS),
        Kind::Mark => length.div_ceil(MARKS),
        Kind::Whole => length,
        Kind::Gap => usize::from(length > 0),
        Kind::Joint => 0,
    }
}

fn kind(c: char, last: Kind) -> Kind {
    match c {
        '\u{2e80}'..='\u{ffff}' | '\u{1f000}'.. => Kind::Whole,
        '\n' => Kind::Gap,
        c if c.is_whitespace() => match last {
            Kind::Gap | Kind::Joint => Kind::Gap,
            _ => Kind::Joint,
        },
        '_' => Kind::Joint,
        c if c.is_alphabetic() => Kind::Letter,
        c if c.is_numeric() => Kind::Digit,
        _ => Kind::Mark,
    }
}

#[cfg(test)]
mod tests {
    use super::count;

    #[test]
    fn words_numbers_marks_and_characters_are_counted_by_their_kind() {
        for (text, tokens) in [
            ("", 0),
            ("tide", 1),
            ("tide_forecast", 2),
            ("internationalization", 3),
            ("the sea, today", 4),
            ("2025-11-06", 6),
            ("海溫", 2),
            ("海溫 SST", 3),
            ("a\n    b", 3),
            (r#"{"name":{"type":"string"}}"#, 7),
        ] {
            assert_eq!(count(text), tokens, "{text}");
        }
    }

    #[test]
    fn more_text_never_takes_fewer_tokens() {
        let text = r#"tide.forecast: {"date": "2025-11-06", 海溫 "x__y":  [1, 2.5]}"#;
        let ends = text.char_indices().map(|(at, _)| at);
        let counts: Vec<usize> = ends.map(|end| count(&text[..end])).collect();
        assert!(counts.windows(2).all(|pair| pair[0] <= pair[1]), "{counts:?}");
    }
}

//! Finds words in normalized text: at word boundaries where a script has words, anywhere in Han.

/// Returns where `word` stands in `text` as a word of its own, in bytes. Both are normalized.
pub fn find_word(text: &str, word: &str) -> Option<usize> {
    if word.is_empty() {
        return None;
    }
    text.match_indices(word).map(|(at, _)| at).find(|&at| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        let inner = |edge: Option<char>, own: Option<char>| {
            matches!((edge, own), (Some(a), Some(b)) if is_latin_word(a) && is_latin_word(b))
        };
        !inner(before, word.chars().next()) && !inner(after, word.chars().next_back())
    })
}

fn is_latin_word(c: char) -> bool {
    c.is_alphanumeric() && !is_han(c)
}

/// Returns whether a character is Han.
pub fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3134f}')
}

/// The unsigned decimal numbers in a text, as written.
pub fn numbers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_digit() || c == '.'))
        .map(|part| part.trim_matches('.'))
        .filter(|part| !part.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_found_inside_a_word() {
        assert_eq!(find_word("do you know", "now"), None);
        assert_eq!(find_word("right now!", "now"), Some(6));
        assert_eq!(find_word("台灣平均海溫", "平均"), Some(6));
        assert_eq!(find_word("max平均", "平均"), Some(3));
    }
}

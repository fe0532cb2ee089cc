//! Cuts texts and identifiers into words: `getUserInfo`, `get_user_info` and "get user info" are the same three.

use waypost_core::text_match::is_han;

/// The words of a text in Latin or other letters that stand between spaces and signs, in lower case. Chinese is left out.
pub(crate) fn latin(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric() || is_han(c))
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}

/// The stretches of Chinese characters of a text.
pub(crate) fn han(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !is_han(c)).filter(|stretch| !stretch.is_empty())
}

/// An identifier as words between spaces: `HTTPGetUser2` is "http get user 2".
pub(crate) fn spelled(name: &str) -> String {
    let mut spelled = String::with_capacity(name.len() + 8);
    let characters: Vec<char> = name.chars().collect();
    for (at, c) in characters.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| characters[before]);
        let after = characters.get(at + 1);
        let turns = before.is_some_and(|before| {
            before.is_lowercase() && c.is_uppercase()
                || before.is_uppercase()
                    && c.is_uppercase()
                    && after.is_some_and(|c| c.is_lowercase())
                || before.is_ascii_digit() != c.is_ascii_digit()
        });
        if turns {
            spelled.push(' ');
        }
        if c.is_alphanumeric() {
            spelled.extend(c.to_lowercase());
        } else {
            spelled.push(' ');
        }
    }
    spelled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_words() {
        for (name, wanted) in [
            ("getUserInfo", "get user info"),
            ("git_diff_staged", "git diff staged"),
            ("HTTPGet", "http get"),
            ("notes.search-v2", "notes search v 2"),
        ] {
            let words: Vec<String> = latin(&spelled(name)).collect();
            assert_eq!(words.join(" "), wanted);
        }
    }
}

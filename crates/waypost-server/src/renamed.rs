//! The spellings of the release before: they work for one more release, and a note says what to
//! write now.

use std::ffi::OsString;

/// A command's old name and its new one.
const COMMANDS: [(&str, &str); 1] = [("models", "students")];
/// An option's old name and its new one.
const OPTIONS: [(&str, &str); 1] = [("--model", "--student")];

/// Returns a sentence for each old spelling among the words behind the program's name.
pub(crate) fn notes(words: impl IntoIterator<Item = OsString>) -> Vec<String> {
    let words = words.into_iter().map(|word| word.to_string_lossy().into_owned());
    // The words after `--` are a text.
    let words: Vec<String> = words.take_while(|word| word != "--").collect();
    let mut notes = Vec::new();
    for (old, new) in COMMANDS {
        if command(&words) == Some(old) {
            notes.push(renamed(old, new));
        }
    }
    for (old, new) in OPTIONS {
        let is_old = |word: &String| word.split('=').next() == Some(old);
        if words.iter().any(is_old) {
            notes.push(renamed(old, new));
        }
    }
    notes
}

/// The first word that is neither an option nor the file of `--config`.
fn command(words: &[String]) -> Option<&str> {
    let before = std::iter::once("").chain(words.iter().map(String::as_str));
    let mut pairs = before.zip(words);
    let (_, command) =
        pairs.find(|(before, word)| !word.starts_with('-') && *before != "--config")?;
    Some(command)
}

fn renamed(old: &str, new: &str) -> String {
    format!("`{old}` is called `{new}` now; the next release knows the new name only")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(line: &str) -> Vec<String> {
        notes(line.split(' ').map(OsString::from))
    }

    #[test]
    fn an_old_spelling_is_told_with_the_new_one() {
        let models = "`models` is called `students` now; the next release knows the new name only";
        assert_eq!(told("models --json"), [models]);
        assert_eq!(told("--config waypost.toml models"), [models]);
        let option =
            "`--model` is called `--student` now; the next release knows the new name only";
        assert_eq!(told("route --model=a.bundle hello"), [option]);
    }

    #[test]
    fn words_of_a_text_are_no_spellings() {
        assert!(told("ask which models do you know").is_empty());
        assert!(told("ask -- --model").is_empty());
        assert!(told("students").is_empty());
    }
}

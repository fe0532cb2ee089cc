//! Completes what is typed: commands with their values and, while a question waits, its choices.

use waypost::records::request::Choice;

use super::slash::COMMANDS;

/// The most words before the cursor that may belong to a choice; labels are a few words long.
const WORDS_BACK: usize = 8;

/// Something that fits what was typed.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Offer {
    /// The place in the line where it begins, in bytes; it goes up to the cursor.
    pub(super) start: usize,
    pub(super) word: String,
    pub(super) help: String,
}

/// Returns what fits a line up to the cursor.
pub(super) fn offers(line: &str, cursor: usize, choices: &[Choice]) -> Vec<Offer> {
    let typed = line.get(..cursor).unwrap_or(line);
    if typed.starts_with('/') {
        return commands(typed);
    }
    if typed.trim().is_empty() {
        let all = fitting(choices, "", typed.len());
        return if all.is_empty() && typed.is_empty() { commands("") } else { all };
    }
    // The longest part that begins a choice: "the north east" before "east".
    let found = word_starts(typed)
        .map(|start| fitting(choices, &typed[start..], start))
        .find(|found| !found.is_empty());
    found.unwrap_or_default()
}

/// Returns what the first offer adds to a line, where it goes on exactly as typed.
pub(super) fn hint(line: &str, choices: &[Choice]) -> Option<String> {
    if line.trim().is_empty() {
        return None;
    }
    let rest = |offer: Offer| {
        let rest = offer.word.strip_prefix(&line[offer.start..])?;
        (!rest.is_empty()).then(|| rest.to_owned())
    };
    offers(line, line.len(), choices).into_iter().find_map(rest)
}

/// Commands by their beginning; values once the name is whole.
fn commands(typed: &str) -> Vec<Offer> {
    let offer = |word: String, help: &str| Offer { start: 0, word, help: help.to_owned() };
    let mut offers = Vec::new();
    for slash in COMMANDS {
        if slash.name.starts_with(typed) {
            offers.push(offer(slash.name.to_owned(), slash.help));
        }
        if typed.starts_with(slash.name) {
            let values = slash.values.iter().map(|value| format!("{}:{value}", slash.name));
            offers.extend(
                values.filter(|whole| whole.starts_with(typed)).map(|whole| offer(whole, "")),
            );
        }
    }
    offers
}

/// Returns the choices that begin like this, by their label or by the value that they stand for.
fn fitting(choices: &[Choice], begin: &str, start: usize) -> Vec<Offer> {
    let begin = begin.to_lowercase();
    let mut offers: Vec<Offer> = Vec::new();
    for choice in choices {
        let value = choice.value.as_str().filter(|value| *value != choice.label);
        let names = [(Some(choice.label.as_str()), ""), (value, choice.label.as_str())];
        for (name, help) in names {
            let Some(name) = name.filter(|name| name.to_lowercase().starts_with(&begin)) else {
                continue;
            };
            // With nothing typed, what people read is enough.
            if !begin.is_empty() || help.is_empty() {
                offers.push(Offer { start, word: name.to_owned(), help: help.to_owned() });
            }
        }
    }
    offers
}

/// Returns the places where the last words begin, leftmost first.
fn word_starts(typed: &str) -> impl Iterator<Item = usize> {
    let mut starts = Vec::new();
    let mut after_space = true;
    for (at, c) in typed.char_indices() {
        if after_space && !c.is_whitespace() {
            starts.push(at);
        }
        after_space = c.is_whitespace();
    }
    let skipped = starts.len().saturating_sub(WORDS_BACK);
    starts.into_iter().skip(skipped)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn choices() -> Vec<Choice> {
        let choice = |label: &str, value| Choice { label: label.to_owned(), value };
        vec![
            choice("Taiwan Strait", json!("taiwan_strait")),
            choice("台灣周遭", json!("taiwan")),
            choice("Everywhere", json!({ "all": true })),
            choice("rdt", json!("rdt")),
        ]
    }

    fn words(line: &str) -> String {
        let offers = offers(line, line.len(), &choices());
        let words: Vec<String> =
            offers.iter().map(|offer| format!("{}+{}", &line[..offer.start], offer.word)).collect();
        words.join(", ")
    }

    #[test]
    fn commands_are_offered_by_their_beginning_and_values_behind_a_whole_name() {
        assert_eq!(words("/he"), "+/help");
        assert_eq!(words("/de"), "+/debug");
        assert_eq!(words("/debug"), "+/debug, +/debug:on, +/debug:off");
        assert_eq!(words("/debug:of"), "+/debug:off");
        assert_eq!(words("/help:"), "");
        assert_eq!(words("/nothing"), "");
        assert_eq!(words("/new question"), "");
        assert_eq!(offers("", 0, &[]).len(), COMMANDS.len());
    }

    #[test]
    fn choices_are_offered_by_label_and_by_value() {
        assert_eq!(words(""), "+Taiwan Strait, +台灣周遭, +Everywhere, +rdt");
        assert_eq!(words("tai"), "+Taiwan Strait, +taiwan_strait, +taiwan");
        assert_eq!(words("台"), "+台灣周遭");
        assert_eq!(words("EVERY"), "+Everywhere");
        assert_eq!(words("let us take the taiwan s"), "let us take the +Taiwan Strait");
        assert_eq!(words("rdt"), "+rdt");
        assert_eq!(words("tai "), "");
        assert_eq!(
            offers("rx", 1, &choices())[0].word,
            "rdt",
            "what is behind the cursor is not read"
        );
        assert_eq!(offers("海", 1, &choices()), [], "a cursor within a character");
    }

    #[test]
    fn a_hint_goes_on_as_typed() {
        let hint = |line: &str| hint(line, &choices());
        assert_eq!(hint("/he").as_deref(), Some("lp"));
        assert_eq!(hint("Taiwan").as_deref(), Some(" Strait"));
        assert_eq!(hint("TAI"), None);
        assert_eq!(hint("/help"), None);
        assert_eq!(hint(""), None);
    }
}

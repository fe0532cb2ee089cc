//! Decides the one sentence that stands for a tool wherever all tools are shown.

use waypost_core::text_match::is_han;

use crate::catalog::spelled;

/// The most tokens of a summary, estimated.
const MOST_TOKENS: usize = 60;
/// The letters of an alphabet that make a token in the estimate, rather too few than too many.
const LETTERS_PER_TOKEN: usize = 4;
/// The fewest characters at which a clause says anything.
const SHORTEST: usize = 20;
/// Endings after which a full stop ends no sentence.
const ABBREVIATIONS: [&str; 6] = ["e.g", "i.e", "etc", "vs", "incl", "approx"];

/// The first sentence of a description, cut at a sentence or clause end within 60 tokens; the name of the tool
/// where there is no description.
pub fn summary(description: &str, name: &str) -> String {
    let line = one_line(description);
    let sentence = sentence(&line).trim();
    if sentence.is_empty() {
        return spelled(name).split_whitespace().collect::<Vec<_>>().join(" ");
    }
    if tokens(sentence) <= MOST_TOKENS {
        return sentence.to_owned();
    }
    let short = longest_within(sentence);
    let clause = short.char_indices().rev().find(|(at, c)| {
        matches!(c, ',' | ';' | ':' | '(' | '，' | '；' | '：' | '（' | '–' | '—')
            && *at >= SHORTEST
    });
    let end = clause.map(|(at, _)| at).or_else(|| short.rfind(' ')).unwrap_or(short.len());
    short[..end].trim().to_owned()
}

/// A text without what makes paragraphs, headings and lists of it, and without what could steer a terminal.
fn one_line(text: &str) -> String {
    let paragraphs = text.split("\n\n").map(|paragraph| {
        let lines =
            paragraph.lines().map(|line| line.trim().trim_start_matches(['#', '*', '-', '>']));
        let words: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
        words.join(" ")
    });
    let first = paragraphs.into_iter().find(|paragraph| !paragraph.is_empty()).unwrap_or_default();
    first.chars().filter(|c| !c.is_control()).collect()
}

/// The first sentence of a line.
pub(super) fn sentence(line: &str) -> &str {
    let end = line.char_indices().find_map(|(at, c)| {
        let (before, after) = (&line[..at], &line[at + c.len_utf8()..]);
        let is_end = match c {
            '。' | '！' | '？' => true,
            '.' | '!' | '?' => after.is_empty() || after.starts_with(' '),
            _ => false,
        };
        let word = before.rsplit([' ', '(']).next().unwrap_or_default().to_lowercase();
        (is_end && at > 0 && !ABBREVIATIONS.contains(&word.as_str())).then_some(at + c.len_utf8())
    });
    &line[..end.unwrap_or(line.len())]
}

/// The longest beginning that is within the limit.
fn longest_within(text: &str) -> &str {
    let (mut letters, mut han) = (0_usize, 0_usize);
    for (at, c) in text.char_indices() {
        if is_han(c) {
            han += 1;
        } else {
            letters += 1;
        }
        if han + letters.div_ceil(LETTERS_PER_TOKEN) > MOST_TOKENS {
            return &text[..at];
        }
    }
    text
}

fn tokens(text: &str) -> usize {
    let han = text.chars().filter(|c| is_han(*c)).count();
    han + (text.chars().count() - han).div_ceil(LETTERS_PER_TOKEN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_is_the_first_sentence() {
        for (description, name, wanted) in [
            ("Reads a file. Then more.", "x", "Reads a file."),
            ("# Search\nFinds notes, e.g. by tag. More.", "x", "Search Finds notes, e.g. by tag."),
            ("读取文件。更多", "x", "读取文件。"),
            ("Version 1.2 of it", "x", "Version 1.2 of it"),
            ("\n\n", "git_logAll", "git log all"),
        ] {
            assert_eq!(summary(description, name), wanted);
        }
    }

    #[test]
    fn a_long_one_ends_with_a_clause() {
        let long = format!("Reads a file from the disk, {}", "and then something more ".repeat(20));
        assert_eq!(summary(&long, "x"), "Reads a file from the disk");
        let words = "word ".repeat(100);
        let short = summary(&words, "x");
        assert!(tokens(&short) <= MOST_TOKENS && short.ends_with("word"), "{short}");
    }
}

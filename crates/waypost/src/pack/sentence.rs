//! Decides the one sentence that stands for a tool wherever all tools are shown.

use waypost_text::extract::detect;
use waypost_text::language::Language;
use waypost_text::text::Text;

use super::summary::MOST_TOKENS;
use crate::catalog::spelled;
use crate::tokens;

/// The fewest characters at which a clause says anything.
const SHORTEST: usize = 20;
/// More characters than a token has where words are.
const CHARACTERS_PER_TOKEN: usize = 9;
/// Endings after which a full stop ends no sentence.
const ABBREVIATIONS: [&str; 6] = ["e.g", "i.e", "etc", "vs", "incl", "approx"];

/// The first sentence of a description, cut at a sentence or clause end within 60 tokens; the name of the tool
/// where there is no description.
pub(crate) fn one_sentence(description: &str, name: &str) -> String {
    let line = one_line(description);
    let sentence = sentence(&line).trim();
    if sentence.is_empty() {
        return spelled(name).split_whitespace().collect::<Vec<_>>().join(" ");
    }
    shortened(sentence, MOST_TOKENS).to_owned()
}

/// A text cut at the end of a clause or of a word within a number of tokens.
pub(crate) fn shortened(text: &str, most: usize) -> &str {
    if tokens::count(text) <= most {
        return text;
    }
    let starts: Vec<usize> =
        text.char_indices().map(|(at, _)| at).take(most * CHARACTERS_PER_TOKEN).collect();
    let fit = starts.partition_point(|at| tokens::count(&text[..*at]) <= most);
    let short = &text[..starts[fit.saturating_sub(1)]];
    let clause = short.char_indices().rev().find(|(at, c)| {
        matches!(c, ',' | ';' | ':' | '(' | '，' | '；' | '：' | '（' | '–' | '—')
            && *at >= SHORTEST
    });
    let end = clause.map(|(at, _)| at).or_else(|| short.rfind(' ')).unwrap_or(short.len());
    short[..end].trim()
}

/// A text without what makes paragraphs, headings and lists of it, and without what could steer a terminal.
pub(crate) fn one_line(text: &str) -> String {
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
pub(crate) fn sentence(line: &str) -> &str {
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

/// Returns whether a text may be shown to users of a language: it is in that language, or cannot be told from it.
pub(crate) fn is_in(text: &str, language: Language) -> bool {
    let foreign = |c: char| c.is_alphabetic() && !c.is_ascii();
    if language == Language::En && !text.contains(foreign) {
        return true;
    }
    let detected = detect(&Text::new(text), &Language::ALL);
    detected.is_some_and(|own| own == language || own.is_chinese() && language.is_chinese())
}

/// Returns whether a name is in the script of a language.
pub(super) fn fits(name: &str, language: Language) -> bool {
    let han = name.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
    if !language.is_chinese() {
        return !han;
    }
    let detected = detect(&Text::new(name), &Language::ALL);
    han && detected == Some(language)
}

/// A name of a program in words: `repo_path` and `repoPath` are "repo path".
pub(crate) fn spelled_out(name: &str) -> String {
    let turns = |pair: (char, char)| pair.0.is_lowercase() && pair.1.is_uppercase();
    match name.chars().zip(name.chars().skip(1)).any(turns) {
        true => spelled(name).split_whitespace().collect::<Vec<_>>().join(" "),
        false => name.replace(['_', '-'], " "),
    }
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
            assert_eq!(one_sentence(description, name), wanted);
        }
    }

    #[test]
    fn a_name_is_spelled_out_and_a_foreign_sentence_is_told() {
        for (name, words) in [("repo_path", "repo path"), ("repoPath", "repo path"), ("to", "to")] {
            assert_eq!(spelled_out(name), words);
        }
        assert!(is_in("Places an order.", Language::En));
        assert!(!is_in("Places an order.", Language::ZhHant));
        assert!(is_in("下一張訂單。", Language::ZhHans));
        assert!(!is_in("下一張訂單。", Language::En));
    }

    #[test]
    fn a_long_one_ends_with_a_clause() {
        let long = format!("Reads a file from the disk, {}", "and then something more ".repeat(20));
        assert_eq!(one_sentence(&long, "x"), "Reads a file from the disk");
        let words = "word ".repeat(100);
        let short = one_sentence(&words, "x");
        assert!(tokens::count(&short) <= MOST_TOKENS && short.ends_with("word"), "{short}");
    }
}

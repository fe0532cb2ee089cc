//! Finds the values of an enumeration that stand only in the prose of a description: "one of: a, b,
//! c", "'asc' or 'desc'". Values that a description gives as examples are no enumeration.

/// The longest value, in characters: more is a sentence.
const LONGEST: usize = 32;
/// The most values: more are a catalog.
const MOST: usize = 24;

/// From so many words between commas on they are examples one by one, and no name with commas in it.
const SEVERAL: usize = 3;

/// Words that open a list of all values.
const OPENINGS: [&str; 16] = [
    "one of",
    "either",
    "allowed values",
    "possible values",
    "valid values",
    "accepted values",
    "supported values",
    "available values",
    "values are",
    "options",
    "choices",
    "can be",
    "may be",
    "must be",
    "should be",
    "whether",
];

/// Words that open a list of some values.
const EXAMPLES: [&str; 8] =
    ["e.g", "eg.", "for example", "for instance", "such as", "like", "example", "i.e"];

/// Words that stand between an opening and the list.
const BETWEEN: [&str; 9] =
    ["is", "are", "include", "includes", "of", "the", "following", "a", "an"];

/// The values that a description lists; empty unless there are two at least.
pub(super) fn listed(description: &str) -> Vec<String> {
    let mut values: Vec<String> = Vec::new();
    let lists = |sentence: &&str| {
        let lower = sentence.to_lowercase();
        !FORMS.iter().any(|form| lower.contains(form))
    };
    for sentence in sentences(description).filter(lists) {
        let found = quoted(sentence);
        let found = if found.len() >= 2 { found } else { opened(sentence) };
        let found = if found.len() >= 2 { found } else { divided(sentence) };
        for value in found {
            if !values.contains(&value) && values.len() < MOST {
                values.push(value);
            }
        }
    }
    values
}

/// The values that a description gives as examples: those in quotation marks behind "such as", or else
/// what stands between "e.g." and the end of its part.
pub(crate) fn examples(description: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for sentence in sentences(description) {
        let lower = sentence.to_lowercase();
        if lower.len() != sentence.len() {
            continue;
        }
        let places = EXAMPLES.iter().filter(|word| **word != "like" && **word != "i.e");
        let at = places.filter_map(|word| Some(lower.find(word)? + word.len())).min();
        let Some(rest) = at.and_then(|at| sentence.get(at..)) else { continue };
        let rest = rest.strip_prefix("s:").or_else(|| rest.strip_prefix("s ")).unwrap_or(rest);
        let rest = rest.trim_start_matches(['.', ',', ':', ' ']);
        let quoted: Vec<String> = marked(rest).into_iter().map(|(_, _, value)| value).collect();
        let own = if quoted.is_empty() { stated(rest) } else { quoted };
        for value in own {
            if !found.contains(&value) && found.len() < MOST {
                found.push(value);
            }
        }
    }
    found
}

/// Examples without quotation marks: "New York, NY", or "pods, deployments, services, etc.".
fn stated(rest: &str) -> Vec<String> {
    let end = rest.find([')', ';', '.', '\n']).unwrap_or(rest.len());
    let rest = &rest[..end];
    let words: Vec<&str> =
        rest.split(", ").map(|word| word.trim_start_matches("or ").trim()).collect();
    let is_plain =
        |word: &&str| is_word(word) && word.starts_with(|c: char| c.is_ascii_lowercase());
    if words.len() >= SEVERAL && words.iter().all(is_plain) {
        return words.into_iter().filter(|word| *word != "etc").map(str::to_owned).collect();
    }
    let own = rest.split(" or ").next().unwrap_or(rest).trim();
    // "Boston, MA, you should write it so": an example is of capitals.
    let mut parts = own.split(", ");
    let first = parts.next().unwrap_or_default();
    let second = parts.next().filter(|part| part.chars().next().is_some_and(char::is_uppercase));
    let ends = parts.next().is_none_or(|part| part.starts_with(char::is_lowercase));
    let code = |part: &&str| part.chars().count() <= 3 && part.chars().all(char::is_alphabetic);
    let pair = second.filter(code).filter(|_| ends);
    let value = match pair {
        Some(second) => format!("{first}, {second}"),
        None => first.to_owned(),
    };
    if is_value(&value) { vec![value] } else { Vec::new() }
}

/// Words of a sentence that says how a value is written, rather than which values there are.
const FORMS: [&str; 4] = ["in the format", "format of", "in the form", "formatted"];

/// The sentences of a text; a period within a word ends none.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let ends = |piece: &str| piece.ends_with(". ") || piece.ends_with(['\n', ';']);
    let mut start = 0;
    let mut pieces = Vec::new();
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        let abbreviates = text[start..end].to_lowercase();
        let abbreviates =
            ["e.g. ", "i.e. ", "etc. "].iter().any(|short| abbreviates.ends_with(short));
        if ends(&text[start..end]) && !abbreviates {
            pieces.push(&text[start..end]);
            start = end;
        }
    }
    pieces.push(&text[start..]);
    pieces.into_iter()
}

/// Values in quotation marks that an "or", a comma or a bar joins: "'asc' or 'desc'".
fn quoted(sentence: &str) -> Vec<String> {
    let lower = sentence.to_lowercase();
    let mut found: Vec<String> = Vec::new();
    let mut last = 0;
    for (start, end, value) in marked(sentence) {
        let before = lower.get(last.min(start)..start).unwrap_or_default();
        // "... Default is 'asc'" names no further one.
        let gives =
            gives_example(before) || before.contains("default") || before.contains("if not");
        if gives && found.is_empty() {
            return Vec::new();
        }
        if gives {
            break;
        }
        last = end;
        if !found.contains(&value) {
            found.push(value);
        }
    }
    let joined = [" or ", ",", "|", "/", " and "].iter().any(|word| lower.contains(word));
    if joined { found } else { Vec::new() }
}

/// The short values in quotation marks, each with its place.
fn marked(sentence: &str) -> Vec<(usize, usize, String)> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(open) = sentence[from..].find(['\'', '"', '`', '‘', '“']).map(|at| from + at)
    {
        let Some(mark) = sentence[open..].chars().next() else { break };
        let inside = open + mark.len_utf8();
        let close = match mark {
            '‘' => '’',
            '“' => '”',
            own => own,
        };
        let apostrophe = sentence[..open].chars().next_back().is_some_and(char::is_alphanumeric);
        let Some(end) =
            sentence[inside..].find(close).map(|at| inside + at).filter(|_| !apostrophe)
        else {
            from = inside;
            continue;
        };
        let value = &sentence[inside..end];
        from = end + close.len_utf8();
        if is_value(value) {
            found.push((open, from, value.to_owned()));
        }
    }
    found
}

/// A list behind words that open one: "one of: a, b, c".
fn opened(sentence: &str) -> Vec<String> {
    let lower = sentence.to_lowercase();
    // Positions in both are the same only where lower case keeps the length.
    if lower.len() != sentence.len() {
        return Vec::new();
    }
    for opening in OPENINGS {
        let Some(at) = waypost_core::text_match::find_word(&lower, opening) else { continue };
        if gives_example(&lower[..at]) {
            continue;
        }
        let list = sentence[at + opening.len()..].trim_start_matches([':', ' ', '(', '[', '{']);
        let list = skip_words(list);
        let list = &list[..list.find([')', ']', '}', '.', ';', '\n', '(']).unwrap_or(list.len())];
        let found = items(list);
        if found.len() >= 2 {
            return found;
        }
    }
    Vec::new()
}

/// A list in brackets: "(asc/desc)", "(a|b|c)".
fn divided(sentence: &str) -> Vec<String> {
    let Some(open) = sentence.find('(') else { return Vec::new() };
    let Some(close) = sentence[open..].find(')') else { return Vec::new() };
    let inner = &sentence[open + 1..open + close];
    if gives_example(&inner.to_lowercase()) || !inner.contains(['/', '|']) {
        return Vec::new();
    }
    let parts: Vec<&str> = inner.split(['/', '|']).map(str::trim).collect();
    let words = |part: &&str| is_word(part) && part.chars().any(char::is_lowercase);
    if parts.iter().all(words) {
        parts.into_iter().map(str::to_owned).collect()
    } else {
        Vec::new()
    }
}

fn skip_words(mut list: &str) -> &str {
    for _ in 0..BETWEEN.len() {
        let word = list.split([' ', ':']).next().unwrap_or_default();
        if !BETWEEN.contains(&word.to_lowercase().as_str()) {
            break;
        }
        list = list[word.len()..].trim_start_matches([' ', ':', '(', '[']);
    }
    list
}

/// The items of a list of single words; none if one is not.
fn items(list: &str) -> Vec<String> {
    let list = list.replace(", or ", ", ").replace(", and ", ", ");
    let parts = list.split([',', '|', '/']).flat_map(|part| part.split(" or "));
    let parts = parts.flat_map(|part| part.split(" and "));
    let parts: Vec<&str> = parts.map(|part| part.trim().trim_matches(['\'', '"', '`'])).collect();
    if parts.iter().all(|part| is_word(part)) {
        parts.into_iter().map(str::to_owned).collect()
    } else {
        Vec::new()
    }
}

fn gives_example(before: &str) -> bool {
    EXAMPLES.iter().any(|word| before.contains(word))
}

fn is_value(text: &str) -> bool {
    let words = text.split_whitespace().count();
    (1..=3).contains(&words) && text.chars().count() <= LONGEST && text.trim() == text
}

fn is_word(text: &str) -> bool {
    !text.is_empty()
        && text.chars().count() <= LONGEST
        && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '+' | '.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_all_values_are_found() {
        for (text, values) in [
            ("Sort order: one of: asc, desc", vec!["asc", "desc"]),
            ("'asc' or 'desc'. Default is 'asc'.", vec!["asc", "desc"]),
            ("The mode, either fast, slow, or exact.", vec!["fast", "slow", "exact"]),
            (
                "Whether to list local branches ('local'), remote branches ('remote') or all \
                 branches('all').",
                vec!["local", "remote", "all"],
            ),
            ("Unit of the answer (celsius/fahrenheit)", vec!["celsius", "fahrenheit"]),
            ("Allowed values are: low | medium | high", vec!["low", "medium", "high"]),
            ("Options: \"walking\", \"driving\"", vec!["walking", "driving"]),
        ] {
            assert_eq!(listed(text), values, "{text}");
        }
    }

    #[test]
    fn examples_and_prose_list_nothing() {
        for text in [
            "IANA name (e.g., 'Asia/Tokyo', 'Europe/London'). Use 'UTC' as local zone",
            "The user's name or the user's mail",
            "Such as 'a' or 'b'",
            "May be empty, or a long sentence of words",
            "A path (absolute)",
            "The format (YYYY/MM)",
            "",
        ] {
            assert_eq!(listed(text), Vec::<String>::new(), "{text}");
        }
    }
}

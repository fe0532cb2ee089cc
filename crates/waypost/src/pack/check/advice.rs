//! Advice for words that are not known: the one place that says "did you mean". It does not say what is
//! known.

use rapidfuzz::distance::damerau_levenshtein;
use serde_json::Value;

/// The most names that advice lists.
const LISTED: usize = 12;
/// The fewest letters of a word that may stand for a longer one that begins with it.
const BEGINNING: usize = 3;
/// The depth to which the alternatives of a schema are followed.
const DEPTH: usize = 8;

/// Advice for a word that is not known: the nearest one that is, or all of them.
pub fn did_you_mean<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> String {
    let near = by_distance(word, known);
    match near.first() {
        None => "remove it".to_owned(),
        Some(best) if is_near(word, *best) => format!("did you mean `{}`?", best.1),
        Some(_) => {
            let names: Vec<&str> = near.iter().take(LISTED).map(|(_, name)| *name).collect();
            format!("known here: {}", names.join(", "))
        }
    }
}

/// Returns the known word that is most like one that is not known, if any of them is near.
pub fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let best = *by_distance(word, known).first()?;
    is_near(word, best).then_some(best.1)
}

/// The known words, the nearest first; of those that are equally far, one that begins with the word.
fn by_distance<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Vec<(usize, &'a str)> {
    let distance = |candidate: &'a str| {
        let distance = damerau_levenshtein::distance(word.chars(), candidate.chars());
        (if is_beginning(word, candidate) { distance.min(1) } else { distance }, candidate)
    };
    let mut near: Vec<(usize, &str)> = known.map(distance).collect();
    near.sort_unstable();
    near
}

/// A third of the letters may differ; further away a suggestion misleads.
fn is_near(word: &str, (distance, _): (usize, &str)) -> bool {
    distance * 3 <= word.chars().count().max(3)
}

/// Returns whether a word is the beginning of another, as `lang` is of `language`.
fn is_beginning(word: &str, candidate: &str) -> bool {
    word.chars().count() >= BEGINNING && candidate.starts_with(word)
}

/// Returns a sentence of a parser for people, without the names of types, and advice where it is about
/// a name that is not known.
///
/// # Example
///
/// ```
/// use waypost::pack::plain;
///
/// let (says, hint) = plain("unknown field `modle`, expected one of `url`, `model`");
/// assert_eq!((says.as_str(), hint.as_deref()), ("unknown field `modle`", Some("did you mean `model`?")));
/// assert_eq!(plain("invalid type: string \"x\", expected u64").0, "invalid type: string \"x\", expected a whole number");
/// ```
pub fn plain(sentence: &str) -> (String, Option<String>) {
    let is_unknown =
        sentence.starts_with("unknown field `") || sentence.starts_with("unknown variant `");
    if let Some((says, known)) = sentence.split_once("`, ").filter(|_| is_unknown) {
        let word = says.split('`').nth(1).unwrap_or_default();
        let known: Vec<&str> = known.split('`').skip(1).step_by(2).collect();
        return (format!("{says}`"), Some(did_you_mean(word, known.into_iter())));
    }
    if sentence.starts_with("data did not match any variant") {
        return ("it has none of the forms that are known here".to_owned(), None);
    }
    let Some((given, wanted)) = sentence.rsplit_once("expected ") else {
        return (sentence.to_owned(), None);
    };
    (format!("{given}expected {}", kind(wanted)), None)
}

/// The kind of a value as people name it.
fn kind(wanted: &str) -> &str {
    let first = wanted.split_whitespace().next().unwrap_or_default();
    match first {
        "u8" | "u16" | "u32" | "u64" | "u128" | "usize" => "a whole number",
        "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => "a whole number",
        "f32" | "f64" => "a number",
        "struct" => "an object",
        _ if wanted.starts_with("a map") || wanted.starts_with("internally tagged") => "an object",
        _ if wanted.starts_with("a sequence") => "a list",
        _ => wanted,
    }
}

/// The node that a `$ref` points at.
pub(super) fn referenced<'a>(schema: &'a Value, node: &Value) -> &'a Value {
    let target = node.get("$ref").and_then(Value::as_str).unwrap_or_default();
    schema.pointer(target.trim_start_matches('#')).unwrap_or(&Value::Null)
}

/// The words that a node of a schema lists as its values, through `$ref`s and alternatives; a node may
/// be the list itself.
pub(super) fn values<'a>(schema: &'a Value, node: &'a Value) -> Vec<&'a str> {
    let mut found = Vec::new();
    collect(schema, node, DEPTH, &mut found);
    found
}

fn collect<'a>(schema: &'a Value, node: &'a Value, depth: usize, found: &mut Vec<&'a str>) {
    let Some(depth) = depth.checked_sub(1) else { return };
    match node {
        Value::String(word) => found.push(word),
        Value::Array(items) => items.iter().for_each(|item| collect(schema, item, depth, found)),
        Value::Object(map) => {
            found.extend(map.get("const").and_then(Value::as_str));
            for key in ["enum", "oneOf", "anyOf"] {
                map.get(key).into_iter().for_each(|list| collect(schema, list, depth, found));
            }
            if map.contains_key("$ref") {
                collect(schema, referenced(schema, node), depth, found);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_meant_and_a_beginning_counts_as_near() {
        let of = |word: &str, known: &[&'static str]| nearest(word, known.iter().copied());
        assert_eq!(of("modle", &["url", "model"]), Some("model"));
        assert_eq!(of("lang", &["language", "text"]), Some("language"));
        assert_eq!(of("id", &["tz", "now"]), None);
        assert_eq!(of("xyzzy", &[]), None);
        let list = did_you_mean("xyzzy", ["url", "model"].into_iter());
        assert!(list.starts_with("known here: ") && list.contains("model"), "{list}");
    }

    #[test]
    fn what_a_parser_says_has_no_names_of_types() {
        for (says, told) in [
            ("invalid type: map, expected a string", "invalid type: map, expected a string"),
            (
                "invalid type: integer `3`, expected struct Context",
                "invalid type: integer `3`, expected an object",
            ),
            (
                "invalid type: string \"a\", expected a sequence",
                "invalid type: string \"a\", expected a list",
            ),
            (
                "data did not match any variant of untagged enum Setting",
                "it has none of the forms that are known here",
            ),
            ("missing field `text`", "missing field `text`"),
        ] {
            assert_eq!(plain(says), (told.to_owned(), None));
        }
        let (says, hint) = plain("unknown variant `liner`, expected `rules` or `linear`");
        assert_eq!(says, "unknown variant `liner`");
        assert_eq!(hint.as_deref(), Some("did you mean `linear`?"));
        assert_eq!(plain("unknown field `a`, there are no fields").1.as_deref(), Some("remove it"));
    }
}

//! How the description of an argument writes its values: "San Francisco, CA", "track:Song", a code.

use serde_json::{Value as Json, json};

use crate::pack::Tool;
use crate::pack::prose;

/// Signs that a value has to have where all examples have them.
const SIGNS: [char; 7] = [',', ':', '/', '_', '@', '#', '='];

/// Words of a description that ask for two names with a comma between them.
const PAIRS: [&str; 6] = [
    "city and state",
    "city, state",
    "city and country",
    "city, country",
    "city/state",
    "town, country",
];

/// Words of a description that ask for a code.
const CODES: [&str; 6] = ["iso 3166", "iso 639", "iso 4217", "iata", "abbreviat", "letter code"];

/// Returns a name as the argument writes it: as it was said, or completed as the description itself has
/// it ("New York" where that shows "New York, NY"). `None` where it is not written as the description
/// wants it.
pub(super) fn written(tool: &Tool, argument: &str, said: &str) -> Option<Json> {
    let shape = tool.shape(argument)?;
    if tool.is_annotated(argument) {
        return Some(json!(said));
    }
    if CODES.iter().any(|word| shape.description.contains(word)) && !is_code(said) {
        return None;
    }
    let examples = prose::examples(&shape.prose);
    let completed = examples.iter().find(|example| {
        let behind = example.get(said.len()..).filter(|_| {
            example.get(..said.len()).is_some_and(|start| start.eq_ignore_ascii_case(said))
        });
        let tail = behind.and_then(|rest| rest.strip_prefix(", "));
        tail.is_some_and(|tail| tail.chars().all(|c| c.is_alphabetic() || " .".contains(c)))
    });
    if let Some(example) = completed {
        return Some(json!(example));
    }
    let pairs = PAIRS.iter().any(|words| shape.description.contains(words));
    let misses = |sign: char| {
        let all = !examples.is_empty() && examples.iter().all(|example| example.contains(sign));
        !said.contains(sign) && (all || sign == ',' && pairs)
    };
    (!SIGNS.into_iter().any(misses)).then(|| json!(said))
}

/// Returns whether a name looks like a code: short, and of capitals and digits alone.
fn is_code(said: &str) -> bool {
    const LONGEST: usize = 4;
    said.len() <= LONGEST && said.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit())
}

//! Finds texts of which no word is known: "asdfghjkl", "5550137426". The student would take each for what its letters
//! resemble.

use waypost_core::records::decision::LayerName;
use waypost_text::extract::{Kind, Mark, Value};

use super::{Aim, Proposal};
use crate::understand::{Turn, told};

/// The most words of a text that can be noise.
const FEW_WORDS: usize = 2;

/// Asks for other words where a word or two are in no table and no example, or nothing but an address or a number
/// is there, and nothing is open that they could go on with. Days and places ask for something by themselves.
pub(super) fn rephrase(turn: &Turn<'_>) -> Option<Proposal> {
    let context = &turn.context;
    let begins = context.last_calls.is_empty()
        && context.options.is_empty()
        && context.active_tool.is_none()
        && !turn.is_settled();
    let named = &turn.said.discourse;
    let is_plain = |value: &Value| {
        matches!(
            value.kind,
            Kind::Number
                | Kind::Phone
                | Kind::Email
                | Kind::Url
                | Kind::Identifier
                | Kind::Revision
        )
    };
    // The stroke of an address means no "or".
    let is_within =
        |mark: &Mark| turn.said.values.iter().any(|value| value.span.contains(mark.span));
    let says_nothing = begins
        && !turn.said.is_foreign
        && named.mentions.is_empty()
        && named.parts.is_empty()
        && named.marks.iter().all(is_within)
        && turn.said.values.iter().all(is_plain);
    if !says_nothing {
        return None;
    }
    if is_id(turn.said.text.original()) {
        return Some(Proposal::sure(
            LayerName::Linear,
            Aim::Unclear("rephrase"),
            "it is an id alone",
        ));
    }
    let words: Vec<&str> = crate::pack::words(turn.said.masked()).take(FEW_WORDS + 1).collect();
    let is_unknown =
        |word: &&str| word.is_ascii() && !turn.pack.knows(word) && !told::is_word(word);
    let nothing = match words.is_empty() {
        // Shorter words than are counted say something: "hi".
        true => {
            !turn.said.values.is_empty()
                && !turn.said.has_words(0..turn.said.text.normalized().len())
        }
        false => words.len() <= FEW_WORDS && words.iter().all(is_unknown),
    };
    let aim = Aim::Unclear("rephrase");
    nothing.then(|| Proposal::sure(LayerName::Linear, aim, "no word of the text is known"))
}

/// Returns whether a text is one row of letters, digits and hyphens, long and with many digits: `3f2a9c1e-77b0-4d11`.
fn is_id(text: &str) -> bool {
    /// A shorter one may be a name, and one with fewer digits words.
    const LEAST: usize = 12;
    const LEAST_DIGITS: f64 = 0.33;
    let text = text.trim();
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let digits = text.chars().filter(char::is_ascii_digit).count();
    text.len() >= LEAST
        && digits as f64 >= LEAST_DIGITS * text.len() as f64
        && text.chars().all(is_part)
}

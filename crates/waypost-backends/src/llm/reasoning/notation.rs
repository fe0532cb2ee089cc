//! The marks with which models and chat templates set their reasoning apart: `<think>`, `[THINK]`, `<|START_THINKING|>`,
//! `<|channel|>`. A mark is known by its shape and by the words in its name, because every family of models has its own.

/// The longest mark that is read, in bytes, with its attributes.
const LONGEST: usize = 96;
/// Parts of words that speak of reasoning wherever they occur in a name.
const STRONG: [&str; 4] = ["think", "thought", "reason", "scratchpad"];
/// Whole words that may be other things as well: they count at the beginning of a reply alone.
const WEAK: [&str; 15] = [
    "analysis",
    "brainstorm",
    "commentary",
    "cot",
    "deliberation",
    "draft",
    "inner",
    "internal",
    "monologue",
    "plan",
    "planning",
    "rationale",
    "reflect",
    "reflection",
    "scratch",
];
/// Whole words of marks around the answer itself.
const ANSWERS: [&str; 7] = ["answer", "final", "output", "reply", "response", "result", "solution"];
/// The names that count between square brackets, which stand around links and headings as well: those that models are
/// trained on.
const BRACKETED: [&str; 4] = ["think", "thinking", "thought", "reasoning"];
/// Words of marks that end something.
const ENDS: [&str; 4] = ["call", "end", "return", "stop"];

/// What is read at a place of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Read {
    /// No mark.
    No,
    /// The beginning of what may become one.
    Partial,
    /// A mark.
    Whole(Mark),
}

/// The kind of a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// It begins or ends reasoning; `sure` if its name means nothing else.
    Trace { sure: bool },
    /// It begins or ends the answer.
    Answer,
    /// A token of a chat template, which is no word of an answer.
    Control,
    /// A tag of something else.
    Other,
}

/// A mark of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) kind: Kind,
    /// Its name in lower case, without what says that it begins or ends.
    pub(super) name: String,
    /// True if it ends what another one began.
    pub(super) ends: bool,
    /// Its length in bytes.
    pub(super) length: usize,
}

impl Mark {
    /// Returns whether one of the words of its name is this.
    pub(super) fn has(&self, word: &str) -> bool {
        words(&self.name).any(|own| own == word)
    }

    /// Returns whether it begins reasoning, and cannot mean anything else.
    pub(super) fn surely_begins_trace(&self) -> bool {
        self.kind == Kind::Trace { sure: true } && !self.ends
    }
}

/// Returns whether a character may begin a mark.
pub(super) fn may_begin(c: char) -> bool {
    closing(c).is_some()
}

/// Returns whether a word speaks of reasoning.
pub(super) fn names_trace(word: &str) -> bool {
    let word = word.to_lowercase();
    STRONG.iter().any(|part| word.contains(part))
}

/// Reads the mark that a text begins with.
pub(super) fn read(text: &str) -> Read {
    let mut characters = text.char_indices();
    let Some((_, opening)) = characters.next() else { return Read::Partial };
    let Some(closing) = closing(opening) else { return Read::No };
    let inner = opening.len_utf8();
    for (at, c) in characters {
        if c == closing {
            return of_body(opening, &text[inner..at], at + c.len_utf8());
        }
        if at > LONGEST || !belongs(opening, c, at == inner) {
            return Read::No;
        }
    }
    Read::Partial
}

fn closing(opening: char) -> Option<char> {
    match opening {
        '<' => Some('>'),
        '[' => Some(']'),
        '◁' => Some('▷'),
        _ => None,
    }
}

/// Returns whether a character may be part of a mark. Square brackets stand around much else: there only a name is read.
fn belongs(opening: char, c: char, is_first: bool) -> bool {
    match (opening, is_first) {
        ('[', true) => c.is_ascii_alphabetic() || c == '/',
        ('[', false) => c.is_ascii_alphabetic() || matches!(c, '_' | '-' | ' '),
        (_, true) => c.is_alphabetic() || matches!(c, '/' | '|' | '｜'),
        (_, false) => c.is_alphanumeric() || "_:-/|｜▁ =\"'.".contains(c),
    }
}

/// The mark with this between its brackets.
fn of_body(opening: char, body: &str, length: usize) -> Read {
    let body = body.to_lowercase();
    let is_control = body.starts_with(['|', '｜']) || body.ends_with(['|', '｜']);
    let bare = body.trim_matches(['|', '｜']).trim();
    if opening == '[' && !BRACKETED.contains(&bare.trim_start_matches('/')) {
        return Read::No;
    }
    let ends = bare.starts_with('/')
        || is_control && !body.starts_with(['|', '｜'])
        || words(bare).any(|word| ENDS.contains(&word));
    let first = bare.trim_start_matches('/').split_whitespace().next().unwrap_or_default();
    // A block that folds away says in an attribute what is in it.
    let name = if first == "details" && names_trace(bare) { bare } else { first };
    let sure = names_trace(name);
    let any = |list: &[&str]| words(name).any(|word| list.contains(&word));
    let kind = if sure || !is_control && any(&WEAK) {
        Kind::Trace { sure }
    } else if any(&ANSWERS) {
        Kind::Answer
    } else if is_control {
        Kind::Control
    } else {
        Kind::Other
    };
    Read::Whole(Mark { kind, name: first.to_owned(), ends, length })
}

fn words(name: &str) -> impl Iterator<Item = &str> {
    name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(text: &str) -> Option<(Kind, bool)> {
        match read(text) {
            Read::Whole(mark) => Some((mark.kind, mark.ends)),
            Read::No | Read::Partial => None,
        }
    }

    #[test]
    fn a_mark_is_known_by_its_name() {
        let trace = |sure| Kind::Trace { sure };
        for (text, wanted) in [
            ("<think>", (trace(true), false)),
            ("</THINK>", (trace(true), true)),
            ("<seed:think>", (trace(true), false)),
            ("<antThinking>", (trace(true), false)),
            ("[THINK]", (trace(true), false)),
            ("[/think]", (trace(true), true)),
            ("<|START_THINKING|>", (trace(true), false)),
            ("<|end_of_thought|>", (trace(true), true)),
            ("◁/think▷", (trace(true), true)),
            ("<details type=\"reasoning\">", (trace(true), false)),
            ("<analysis>", (trace(false), false)),
            ("<|START_RESPONSE|>", (Kind::Answer, false)),
            ("</answer>", (Kind::Answer, true)),
            ("<|im_end|>", (Kind::Control, true)),
            ("<|channel|>", (Kind::Control, false)),
            ("<channel|>", (Kind::Control, true)),
            ("</details>", (Kind::Other, true)),
            ("<calls>", (Kind::Other, false)),
        ] {
            assert_eq!(kind(text), Some(wanted), "{text}");
        }
        for text in [
            "<",
            "< think>",
            "<3",
            "[1]",
            "[{}]",
            "[analysis]",
            "[a link](x)",
            "a<b",
            "<th",
            "[Thinkers](x)",
        ] {
            assert_eq!(kind(text), None, "{text}");
        }
        assert_eq!(read("<thin"), Read::Partial);
        assert_eq!(read(&format!("<{}", "a".repeat(500))), Read::No);
    }
}

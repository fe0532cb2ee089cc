//! Decides how people may ask for a tool: by its own first sentence as a wish, or by its name.

use std::collections::{HashMap, HashSet};

use waypost_text::language::Language;

use crate::catalog::{phrasings, spelled};
use crate::pack::sentence;

/// The most words of a sentence that is a wish; longer ones nobody says.
const LONGEST_WISH: usize = 14;

/// The lexicon for writing.
#[derive(Debug)]
pub(super) struct Phrases {
    /// The English verbs, in lower case.
    verbs: HashSet<String>,
}

/// The name of a tool in words: what it does, and to what.
#[derive(Debug)]
pub(super) struct Named {
    /// The verb, where the name has one.
    pub(super) verb: Option<String>,
    /// The rest.
    pub(super) object: String,
}

impl Phrases {
    /// Reads the lexicon.
    pub(super) fn read() -> Self {
        let concepts = phrasings();
        let mut places: HashMap<String, (usize, usize)> = HashMap::new();
        for (number, concept) in concepts.iter().enumerate() {
            for (place, phrase) in concept.words(Language::En).iter().enumerate() {
                let known = places.entry(phrase.to_lowercase()).or_insert((place, number));
                *known = (*known).min((place, number));
            }
        }
        // A word is what it is in the concept in which it stands first.
        let verbs = places.into_iter().filter(|(_, (_, number))| concepts[*number].is_verb());
        Self { verbs: verbs.map(|(phrase, _)| phrase).collect() }
    }

    fn is_verb(&self, word: &str) -> bool {
        self.verbs.contains(word)
    }

    /// The first sentence of a description as a wish: "Shows the commit logs" is "show the commit logs".
    pub(super) fn wish(&self, description: &str) -> Option<String> {
        let line: String =
            description.lines().find(|line| !line.trim().is_empty())?.trim().to_owned();
        let sentence = sentence(&line).trim_end_matches(['.', '!', '?', '。']);
        let clause = sentence.split([',', ';', ':', '(']).next().unwrap_or_default().trim();
        let (first, rest) = clause.split_once(' ')?;
        let verb = base(&first.to_lowercase());
        let is_wish = self.is_verb(&verb) && clause.split_whitespace().count() <= LONGEST_WISH;
        (is_wish && clause.is_ascii()).then(|| format!("{verb} {rest}"))
    }

    /// The name of a tool in words, the name of its server left out.
    pub(super) fn named(&self, tool: &str, server: &str) -> Named {
        let own = spelled(server);
        let own: Vec<&str> = own.split_whitespace().collect();
        let name = spelled(tool);
        let mut words: Vec<&str> = name.split_whitespace().collect();
        if words.len() > 1 && own.contains(&words[0]) {
            words.remove(0);
        }
        match words.split_first() {
            Some((verb, object)) if !object.is_empty() && self.is_verb(verb) => {
                Named { verb: Some((*verb).to_owned()), object: object.join(" ") }
            }
            _ => Named { verb: None, object: words.join(" ") },
        }
    }
}

/// The base of a verb in the third person: "shows" is "show", "copies" is "copy".
fn base(verb: &str) -> String {
    let strip = |end: &str| verb.strip_suffix(end);
    if let Some(stem) = strip("ies").filter(|stem| stem.len() > 1) {
        return format!("{stem}y");
    }
    for end in ["ches", "shes", "sses", "xes", "zzes", "oes"] {
        if verb.ends_with(end) {
            return strip("es").unwrap_or(verb).to_owned();
        }
    }
    match strip("s") {
        Some(stem) if !stem.ends_with('s') && stem.len() > 1 => stem.to_owned(),
        _ => verb.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_is_a_wish() {
        let phrases = Phrases::read();
        for (description, wish) in [
            ("Shows the commit logs", Some("show the commit logs")),
            ("Searches notes, by tag.", Some("search notes")),
            ("Create a file. Or not.", Some("create a file")),
            ("The commits", None),
            ("", None),
        ] {
            assert_eq!(phrases.wish(description).as_deref(), wish, "{description}");
        }
    }

    #[test]
    fn a_name_is_a_verb_and_what_it_is_done_to() {
        let phrases = Phrases::read();
        let named = phrases.named("git_create_branch", "git");
        assert_eq!((named.verb.as_deref(), named.object.as_str()), (Some("create"), "branch"));
        assert_eq!(phrases.named("git_log", "git").object, "log");
    }
}

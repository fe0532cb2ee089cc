//! Decides how people may ask for a tool: by its own first sentence as a wish, by its name, and by words that mean the
//! same, in the languages of the lexicon.

use std::collections::HashMap;

use waypost_text::language::Language;

use crate::catalog::{Phrasing, phrasings, spelled};
use crate::pack::sentence;

/// The most words of a phrase of the lexicon that a name is searched for.
const LONGEST: usize = 3;
/// The most words of a sentence that is a wish; longer ones nobody says.
const LONGEST_WISH: usize = 14;
/// The most other words for a verb.
const SYNONYMS: usize = 2;

/// The lexicon for writing.
#[derive(Debug)]
pub(super) struct Phrases {
    concepts: Vec<Phrasing>,
    /// The concept of each English phrase: the one in which it stands first.
    by_phrase: HashMap<String, usize>,
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
        let by_phrase = places.into_iter().map(|(phrase, (_, number))| (phrase, number)).collect();
        Self { concepts, by_phrase }
    }

    fn concept(&self, phrase: &str) -> Option<&Phrasing> {
        self.by_phrase.get(phrase).map(|number| &self.concepts[*number])
    }

    fn is_verb(&self, word: &str) -> bool {
        self.concept(word).is_some_and(Phrasing::is_verb)
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

    /// The same wish with other words for its verb.
    pub(super) fn others(&self, wish: &str) -> Vec<String> {
        let Some((verb, rest)) = wish.split_once(' ') else { return Vec::new() };
        let Some(concept) = self.concept(verb) else { return Vec::new() };
        let others = concept.words(Language::En).iter();
        let others = others.filter(|word| word.as_str() != verb && !word.contains(' '));
        others.take(SYNONYMS).map(|word| format!("{word} {rest}")).collect()
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

    /// A name in the words of another language: verb and object. `None` where a word of it is not known, or it names nothing
    /// that something is done to; `shows` says what is done where the name does not.
    pub(super) fn translated(
        &self,
        named: &Named,
        shows: bool,
        language: Language,
    ) -> Option<(String, String)> {
        let first = |phrase: &str| Some(self.concept(phrase)?.words(language).first()?.clone());
        let verb = named.verb.as_deref().or(shows.then_some("show"))?;
        if named.verb.is_none() && self.is_verb(&named.object) {
            return None;
        }
        let verb = first(verb)?;
        let words: Vec<&str> = named.object.split_whitespace().collect();
        let mut object = Vec::new();
        let mut at = 0;
        while at < words.len() {
            let longest = LONGEST.min(words.len() - at);
            let (length, word) = (1..=longest)
                .rev()
                .find_map(|length| Some((length, first(&words[at..at + length].join(" "))?)))?;
            object.push(word);
            at += length;
        }
        let gap = if language.is_chinese() { "" } else { " " };
        Some((verb, object.join(gap)))
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
        assert!(!phrases.others("create a file").is_empty());
    }

    #[test]
    fn a_name_is_a_verb_and_what_it_is_done_to() {
        let phrases = Phrases::read();
        let named = phrases.named("git_create_branch", "git");
        assert_eq!((named.verb.as_deref(), named.object.as_str()), (Some("create"), "branch"));
        let (verb, object) = phrases.translated(&named, false, Language::ZhHant).unwrap();
        assert!(!verb.is_empty() && object == "分支", "{verb}{object}");
        assert_eq!(phrases.named("git_log", "git").object, "log");
        let commit = phrases.named("git_commit", "git");
        assert_eq!(phrases.translated(&commit, false, Language::ZhHant), None);
    }
}

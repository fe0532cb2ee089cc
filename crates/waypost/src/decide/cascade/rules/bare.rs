//! The value in an answer to an open question, without the words that lead to it: "call it hotfix", "the base is app12", "the
//! "red" one".

use waypost_core::text_match::is_han;
use waypost_text::extract::{Kind, ObjectClass, Reading, Value};
use waypost_text::text::Span;

use crate::pack::Tool;
use crate::pack::suggest::words_of;
use crate::understand::Turn;

/// The marks of quotations.
const MARKS: [char; 11] = ['"', '\'', '“', '”', '‘', '’', '「', '」', '«', '»', '`'];
/// More words beside a quotation or a code may say something themselves.
const MOST_BESIDE: usize = 4;
/// The most Chinese characters beside a quotation or a code: "放在「客戶名單」那個表".
const MOST_HAN_BESIDE: usize = 6;
/// The shortest code, in characters: "F1" may be anything.
const SHORTEST_CODE: usize = 5;
/// Words that stand between what is asked for and what it is.
const COPULAS: [&str; 13] =
    ["is", "are", "it's", "its", "it’s", "es", "son", "est", "c'est", "ist", "é", "là", "adalah"];
/// Words that stand before those, or beside a name: "it should be", "the red one".
const OPENING: [&str; 13] = [
    "it", "that", "this", "should", "be", "one", "with", "call", "called", "named", "name", "use",
    "please",
];
/// Words of the names of arguments that take codes.
const CODES: [&str; 7] = ["id", "ids", "key", "uuid", "sha", "hash", "number"];

/// An answer, and the argument that was asked for.
struct Answer<'a> {
    turn: &'a Turn<'a>,
    tool: &'a Tool,
    argument: &'a str,
    kind: Option<Kind>,
}

/// Returns whether an argument takes a name or a code, and no sentence.
pub(super) fn is_name(tool: &Tool, argument: &str) -> bool {
    let kind = tool.annotation(argument).and_then(|note| note.kind);
    kind.is_some_and(|kind| !matches!(kind, Kind::Text | Kind::Quoted))
        || takes_codes(tool, argument)
}

fn takes_codes(tool: &Tool, argument: &str) -> bool {
    let kind = tool.annotation(argument).and_then(|note| note.kind);
    let names = tool.words(argument);
    kind == Some(Kind::Identifier)
        || names.last().is_some_and(|last| CODES.contains(&last.as_str()))
}

/// The value in the words that answer the question for an argument.
pub(super) fn value<'a>(
    turn: &'a Turn<'a>,
    tool: &'a Tool,
    argument: &'a str,
    words: &'a str,
) -> &'a str {
    let kind = tool.annotation(argument).and_then(|note| note.kind);
    let answer = Answer { turn, tool, argument, kind };
    let coded = || answer.coded(words).filter(|_| takes_codes(tool, argument));
    if let Some(value) = answer.quoted(words).or_else(coded) {
        return value;
    }
    if matches!(kind, Some(Kind::Text | Kind::Quoted)) {
        return words;
    }
    let words = answer.behind_copula(words);
    // What is of no kind may be a sentence, whose first words are its own.
    let last = words.split_whitespace().next_back();
    let is_name = kind.is_some()
        || turn.said.objects().iter().any(|object| object.class == ObjectClass::Name)
        || last.is_some_and(|word| answer.is_kind(word));
    if is_name { answer.named(words) } else { words }
}

impl<'a> Answer<'a> {
    /// The only quotation, if all words beside it lead to it.
    fn quoted(&self, words: &'a str) -> Option<&'a str> {
        let is_quoted = |value: &&Value| value.kind == Kind::Quoted;
        let mut values = self.turn.said.values.iter().filter(is_quoted);
        let value = values.next().filter(|_| values.next().is_none())?;
        let Reading::Text(inner) = &value.reading else { return None };
        let at = words.find(inner.as_str())?;
        let after = at + inner.len();
        let is_led_to = self.lead(&words[..at], words) && self.lead(&words[after..], words);
        (is_led_to && !inner.trim().is_empty()).then_some(&words[at..after])
    }

    /// The only code, if all words beside it lead to it.
    fn coded(&self, words: &'a str) -> Option<&'a str> {
        let parts = words.split(|c: char| c.is_whitespace() || is_han(c) || "，。、".contains(c));
        let bare = parts.map(|part| part.trim_matches([',', '.', ';', ':', '!', '?', '(', ')']));
        let is_code = |part: &&str| {
            part.chars().count() >= SHORTEST_CODE
                && part.contains(|c: char| c.is_ascii_digit() || "_/@:".contains(c))
        };
        let mut codes = bare.filter(is_code);
        let code = codes.next().filter(|_| codes.next().is_none())?;
        let at = words.find(code)?;
        let after = &words[at + code.len()..];
        (self.lead(&words[..at], words) && self.lead(after, words)).then_some(code)
    }

    /// Returns whether all words of a part of the answer only lead to what stands beside them.
    fn lead(&self, part: &str, words: &str) -> bool {
        let is_sign = |c: char| MARKS.contains(&c) || ",.:;!?，。：！？、".contains(c);
        let start = part.as_ptr() as usize - words.as_ptr() as usize;
        let han = part.chars().filter(|c| is_han(*c)).count();
        let tokens = part.split(|c: char| c.is_whitespace() || is_han(c));
        let tokens =
            tokens.map(|token| token.trim_matches(is_sign)).filter(|token| !token.is_empty());
        let tokens: Vec<&str> = tokens.collect();
        let leads = |token: &&str| {
            let at = start + (token.as_ptr() as usize - part.as_ptr() as usize);
            self.leads(words, at, token) || COPULAS.contains(&token.to_lowercase().as_str())
        };
        tokens.len() <= MOST_BESIDE && han <= MOST_HAN_BESIDE && tokens.iter().all(leads)
    }

    /// Returns whether a word, so many bytes behind the start of the answer, says nothing itself.
    fn leads(&self, words: &str, at: usize, word: &str) -> bool {
        let original = self.turn.said.text.original();
        let offset = original.find(words).map_or(0, |start| original[..start].chars().count());
        let start = offset + words[..at].chars().count();
        let span = Span { start, end: start + word.chars().count() };
        self.turn.said.leads(span)
            || OPENING.contains(&word.to_lowercase().as_str())
            || self.is_kind(word)
    }

    /// The words behind "it is", if all before them leads there.
    fn behind_copula(&self, words: &'a str) -> &'a str {
        let mut at = 0;
        for word in words.split_inclusive(char::is_whitespace).take(MOST_BESIDE + 1) {
            let bare = word.trim();
            // "Son Heung-min" begins with a name.
            let is_copula = bare.to_lowercase() == bare || bare.contains(['\'', '’']);
            if is_copula && COPULAS.contains(&bare.to_lowercase().as_str()) {
                let rest = words[at + word.len()..].trim();
                return if rest.is_empty() { words } else { rest };
            }
            if !self.leads(words, at, bare) {
                return words;
            }
            at += word.len();
        }
        words
    }

    /// Returns whether a word says what an argument is: a word of its name or of its description.
    fn is_kind(&self, word: &str) -> bool {
        /// A shorter word of a description is an article or a preposition.
        const SHORTEST: usize = 4;
        let word = word.to_lowercase();
        let described =
            self.tool.property(self.argument).and_then(|own| own["description"].as_str());
        let described = words_of(described.unwrap_or_default());
        // A message may begin with any word.
        let is_text = matches!(self.kind, Some(Kind::Text | Kind::Quoted));
        !is_text && word.chars().count() >= SHORTEST && described.contains(&word)
            || self.tool.words(self.argument).contains(&word)
    }

    /// The name in an answer to a question for one: "call it hotfix", "the reports folder", "reports" in quotation marks.
    fn named(&self, words: &'a str) -> &'a str {
        let words = words.trim_matches(MARKS).trim();
        let objects = self.turn.said.objects();
        let mut names = objects.iter().filter(|own| own.class == ObjectClass::Name);
        if let (Some(object), None) = (names.next(), names.next())
            && let Some(at) = words.find(&object.text)
        {
            return &words[at..at + object.text.len()];
        }
        // "The Jungle Book" and "Visual Studio Code" are names as a whole.
        let is_small = |word: &str| word.to_lowercase() == word;
        let (mut start, mut end) = (0, words.len());
        while let Some(space) = words[..end].rfind(char::is_whitespace)
            && let word = words[space..end].trim_start()
            && is_small(word)
            && self.leads(words, end - word.len(), word)
        {
            end = words[..space].trim_end().len();
        }
        let is_described = end < words.len();
        while let Some(word) = words[start..end].find(char::is_whitespace)
            && let rest = words[start + word..end].trim_start()
            && let first = &words[start..start + word]
            && (is_described || is_small(first) || rest.starts_with(char::is_lowercase))
            && self.leads(words, start, first)
        {
            start = end - rest.len();
        }
        &words[start..end]
    }
}

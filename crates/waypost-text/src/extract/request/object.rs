//! The objects of a request: "cats" in "search for cats", "buy milk" in "a note saying buy milk".

use crate::extract::grammar::lexicon::Lexicon;
use crate::extract::grammar::sentence::Sentence;
use crate::extract::grammar::term::{ObjectClass, Role, Term};
use crate::extract::grammar::token::Shape;
use crate::extract::kind::Kind;
use crate::extract::value::{Reading, Value};
use crate::extract::values::small::QUOTES;
use crate::language::Language;
use crate::text::{Span, Text};

/// The most objects of one request.
const MOST: usize = 16;

/// The addressee between a teller and its joiner is no longer than this, in tokens.
const LONGEST_ADDRESSEE: usize = 6;

/// No object is longer than this, in tokens.
const LONGEST: usize = 2000;

/// Signs that end a sentence.
const STOPS: &str = ".!?。;";

/// Signs at the end of an object that belong to the sentence.
const AFTER: &str = ".,;:!?。、";

/// The object of a request, or a part of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object {
    /// The class of the words that it begins behind.
    pub class: ObjectClass,
    /// Those words.
    pub opener: Span,
    /// Its place in the text; without the marks where it is quoted.
    pub span: Span,
    /// Its words as they were typed.
    pub text: String,
    /// The words of roles within it, in order: it may end before any of them, where what follows is
    /// a value of its own ("notes" of "notes in the folder work"). A quotation has none.
    pub breaks: Vec<Span>,
}

impl Object {
    /// The object as a value of the kind of free text.
    pub(crate) fn into_value(self) -> Value {
        let reading = Reading::Text(self.text.clone());
        let (kind, rule) = (Kind::Text, self.class.name().into());
        Value { kind, span: self.span, text: self.text, rule, reading, alternatives: Vec::new() }
    }
}

impl ObjectClass {
    /// The name in specifications.
    pub fn name(self) -> &'static str {
        match self {
            ObjectClass::Search => "search",
            ObjectClass::Say => "say",
            ObjectClass::Name => "name",
            ObjectClass::Message => "message",
            ObjectClass::Act => "act",
            ObjectClass::Into => "into",
        }
    }

    /// Returns whether anything may stand in it: words of a request within it open nothing.
    fn is_free(self) -> bool {
        matches!(self, ObjectClass::Search | ObjectClass::Say | ObjectClass::Message)
    }
}

/// Returns the objects of a request, in the order of the text; none overlap.
///
/// An act or a search is read where a request may begin: at the start of a clause, or behind words
/// such as "please" and 幫我. What is said goes on to the end of its sentence, a name to the next
/// word that says what something is for.
///
/// # Example
///
/// ```
/// use waypost_text::extract::{ObjectClass, objects};
/// use waypost_text::{language::Language, text::Text};
///
/// let text = Text::new("Create a note titled Groceries saying buy milk and eggs");
/// let found = objects(&text, Language::En);
/// let shown: Vec<(ObjectClass, &str)> =
///     found.iter().map(|object| (object.class, object.text.as_str())).collect();
/// assert_eq!(shown, [
///     (ObjectClass::Act, "a note"),
///     (ObjectClass::Name, "Groceries"),
///     (ObjectClass::Say, "buy milk and eggs"),
/// ]);
/// ```
pub fn objects(text: &Text, language: Language) -> Vec<Object> {
    let sentence = Sentence::read(text, language, Lexicon::ROLES);
    let reader = Reader { text, sentence: &sentence };
    let mut found: Vec<Object> = Vec::new();
    let (mut at, mut leads) = (0, true);
    while at < sentence.tokens.len() && found.len() < MOST {
        match reader.opener(at, leads) {
            Some(opener) => {
                let end = reader.object(&opener, &mut found);
                // What an object ends before may open the next one.
                (at, leads) = (end.max(opener.end), false);
            }
            None => {
                let lead = reader.means(at, Term::Lead);
                leads = lead.is_some() || reader.is_sign(at, ",:、") || reader.is_stop(at);
                at = lead.unwrap_or(at + 1);
            }
        }
    }
    found
}

/// Words that an object begins behind.
struct Opener {
    class: ObjectClass,
    start: usize,
    end: usize,
}

struct Reader<'a> {
    text: &'a Text,
    sentence: &'a Sentence<'a>,
}

impl Reader<'_> {
    /// The end of a phrase at a token with a meaning.
    fn means(&self, at: usize, term: Term) -> Option<usize> {
        self.sentence.senses(at).iter().find(|sense| sense.term == term).map(|sense| sense.end)
    }

    /// Reads the words that an object begins behind; `leads` where a request may begin.
    fn opener(&self, start: usize, leads: bool) -> Option<Opener> {
        for sense in self.sentence.senses(start) {
            let opener = |class, end| Some(Opener { class, start, end });
            match sense.term {
                Term::Object(ObjectClass::Act | ObjectClass::Search) if !leads => {}
                Term::Object(class) => {
                    let colon = usize::from(self.is_sign(sense.end, ":="));
                    return opener(class, sense.end + colon);
                }
                Term::Teller if leads => {
                    return opener(ObjectClass::Say, self.told(sense.end));
                }
                _ => {}
            }
        }
        None
    }

    /// Passes over whom something is told: "Bob that", 小明說.
    fn told(&self, at: usize) -> usize {
        let joiner = (at..at + LONGEST_ADDRESSEE).find_map(|at| self.means(at, Term::Joiner));
        joiner.unwrap_or(at)
    }

    /// Reads the object behind an opener, and what becomes of it; returns where they end.
    fn object(&self, opener: &Opener, found: &mut Vec<Object>) -> usize {
        if let Some((start, end, after)) = self.quoted(opener.end) {
            self.push(found, opener, start, end, Vec::new());
            return self.target(opener, after, found);
        }
        let (end, breaks) = self.stretch(opener);
        self.push(found, opener, opener.end, self.trimmed(opener.end, end), breaks);
        self.target(opener, end, found)
    }

    /// Reads what an act makes of its object: the B of "rename A to B".
    fn target(&self, act: &Opener, at: usize, found: &mut Vec<Object>) -> usize {
        if act.class != ObjectClass::Act {
            return at;
        }
        match self.means(at, Term::Role(Role::Target)) {
            Some(end) => {
                let into = Opener { class: ObjectClass::Into, start: at, end };
                self.object(&into, found)
            }
            None => at,
        }
    }

    fn push(
        &self,
        found: &mut Vec<Object>,
        opener: &Opener,
        start: usize,
        end: usize,
        breaks: Vec<usize>,
    ) {
        let (Some(span), Some(words)) =
            (self.span(start, end), self.span(opener.start, opener.end))
        else {
            return;
        };
        let text = self.text.slice(span).to_owned();
        let inside = breaks.into_iter().filter(|at| *at > start && *at < end);
        let breaks = inside.filter_map(|at| self.span(at, self.role_end(at)?)).collect();
        found.push(Object { class: opener.class, opener: words, span, text, breaks });
    }

    fn span(&self, start: usize, end: usize) -> Option<Span> {
        let last = end.checked_sub(1).filter(|last| *last >= start)?;
        let (first, last) = (self.sentence.token(start)?, self.sentence.token(last)?);
        Some(self.text.span(first.start, last.end))
    }

    /// Reads a whole quotation: its first token, its end, and the token behind its marks.
    fn quoted(&self, at: usize) -> Option<(usize, usize, usize)> {
        let sign = self.sign(at)?;
        let (_, close) = *QUOTES.iter().find(|(open, _)| *open == sign)?;
        let inner = |end: &usize| {
            let glued = self.sentence.tokens.glued(end + 1);
            let goes_on = glued && self.sentence.shape(end + 1) == Some(Shape::Word);
            self.sign(*end) == Some(close) && !goes_on
        };
        let end = (at + 1..at + LONGEST)
            .take_while(|at| self.sentence.token(*at).is_some())
            .find(inner)?;
        (end > at + 1).then_some((at + 1, end, end + 1))
    }

    /// Reads up to where an object ends, and notes the words of roles on the way.
    fn stretch(&self, opener: &Opener) -> (usize, Vec<usize>) {
        let mut breaks = Vec::new();
        let mut at = opener.end;
        let limit = self.sentence.tokens.len().min(at + LONGEST);
        while at < limit {
            let is_first = at == opener.end;
            if self.is_stop(at) || self.ends(opener, at, is_first) {
                break;
            }
            if let Some(end) = self.role_end(at).filter(|_| !is_first) {
                breaks.push(at);
                at = end;
            } else {
                at += 1;
            }
        }
        (at, breaks)
    }

    /// Returns whether an object of a class ends before a token. Its first word may be one that ends
    /// others, but none that opens another object.
    fn ends(&self, opener: &Opener, at: usize, is_first: bool) -> bool {
        let class = opener.class;
        let opens = |fits: fn(ObjectClass) -> bool| {
            let mut senses = self.sentence.senses(at).iter();
            senses.any(|sense| matches!(sense.term, Term::Object(class) if fits(class)))
        };
        if class.is_free() {
            let is_other = |class| matches!(class, ObjectClass::Say | ObjectClass::Message);
            let ends = || opens(is_other) || self.goes_on(at);
            return class == ObjectClass::Search && !is_first && ends();
        }
        let strong = |class| !matches!(class, ObjectClass::Act | ObjectClass::Search);
        if opens(strong) {
            return true;
        }
        let is_end = class == ObjectClass::Name && self.means(at, Term::ObjectEnd).is_some();
        let is_pause = self.is_sign(at, ",、") && self.is_apart(at + 1);
        !is_first && (is_end || is_pause || self.goes_on(at) || self.role_end(at).is_some())
    }

    /// Returns whether another request follows a token: ", then open", "and delete".
    fn goes_on(&self, at: usize) -> bool {
        let sign = at + usize::from(self.is_sign(at, ",、"));
        let Some(lead) = self.means(sign, Term::Lead) else { return false };
        let next = self.means(lead, Term::Lead).unwrap_or(lead);
        let mut senses = self.sentence.senses(next).iter();
        senses.any(|sense| {
            matches!(
                sense.term,
                Term::Object(ObjectClass::Act | ObjectClass::Search) | Term::Teller
            )
        })
    }

    /// The end of a word of a role at a token.
    fn role_end(&self, at: usize) -> Option<usize> {
        let mut senses = self.sentence.senses(at).iter();
        let role = senses.find(|sense| matches!(sense.term, Term::Role(_)))?;
        Some(role.end)
    }

    /// The end of an object without politeness and the signs of the sentence.
    fn trimmed(&self, start: usize, end: usize) -> usize {
        /// The longest phrase of politeness, in tokens.
        const REACH: usize = 6;
        let mut end = end;
        loop {
            let tail = (end.saturating_sub(REACH).max(start + 1)..end)
                .find(|at| self.means(*at, Term::Tail) == Some(end));
            let sign = end.checked_sub(1).filter(|at| *at > start && self.is_sign(*at, AFTER));
            match tail.or(sign) {
                Some(at) => end = at,
                None => return end,
            }
        }
    }

    fn sign(&self, at: usize) -> Option<char> {
        let is_symbol = self.sentence.shape(at) == Some(Shape::Symbol);
        self.sentence.tokens.text(at).chars().next().filter(|_| is_symbol)
    }

    fn is_sign(&self, at: usize, set: &str) -> bool {
        self.sign(at).is_some_and(|sign| set.contains(sign))
    }

    /// Returns whether a sentence ends at a token: the stop of `a.py` ends none.
    fn is_stop(&self, at: usize) -> bool {
        self.is_sign(at, STOPS) && self.is_apart(at + 1)
    }

    /// Returns whether a token does not go on with the sign before it: Chinese has no spaces there.
    fn is_apart(&self, at: usize) -> bool {
        !self.sentence.tokens.glued(at) || self.sentence.shape(at) == Some(Shape::Han)
    }
}

//! The role of a value in a request, as the words beside it say: "from Berlin to Tokyo".

use crate::extract::grammar::lexicon::Lexicon;
use crate::extract::grammar::sentence::{Sense, Sentence};
use crate::extract::grammar::term::{ObjectClass, Role, Term};
use crate::extract::grammar::token::Shape;
use crate::extract::names::zone::here;
use crate::language::Language;
use crate::text::{Span, Spans, Text};

/// No more words than this stand between a word of a role and its value.
const MOST_BETWEEN: usize = 5;

/// Signs that may stand between a word of a role and its value.
const OPENING: &str = "\"'`“‘「『«‹([:=";

/// Signs that may stand between a value and the word of its role.
const CLOSING: &str = "\"'`”’」』»›)]";

impl Role {
    /// All of them.
    pub const ALL: [Role; 10] = [
        Role::Source,
        Role::Target,
        Role::Container,
        Role::Name,
        Role::Content,
        Role::Form,
        Role::Purpose,
        Role::Topic,
        Role::Means,
        Role::Object,
    ];

    /// The name in specifications.
    pub fn name(self) -> &'static str {
        match self {
            Role::Source => "source",
            Role::Target => "target",
            Role::Container => "container",
            Role::Name => "name",
            Role::Content => "content",
            Role::Form => "form",
            Role::Purpose => "purpose",
            Role::Topic => "topic",
            Role::Means => "means",
            Role::Object => "object",
        }
    }
}

/// Returns the role of the value at `span`, if a word beside it says one.
///
/// A word of a role stands right before the value, or with articles and nouns between them that say
/// what it is ("from the branch `dev`"), or behind it (資料夾裡). Without one, what stands right
/// behind the verb of a request is its object.
///
/// # Example
///
/// ```
/// use waypost_text::extract::{Role, role};
/// use waypost_text::{language::Language, text::{Span, Text}};
///
/// let text = Text::new("flights from Berlin to Tokyo");
/// assert_eq!(role(&text, Span { start: 13, end: 19 }, Language::En), Some(Role::Source));
/// assert_eq!(role(&text, Span { start: 23, end: 28 }, Language::En), Some(Role::Target));
/// ```
pub fn role(text: &Text, span: Span, language: Language) -> Option<Role> {
    let sentence = Sentence::read(text, language, Lexicon::ROLES);
    let bytes = text.bytes(span);
    let first = first_of(&sentence, |_, end| end > bytes.start);
    let end = first_of(&sentence, |start, _| start >= bytes.end);
    before(&sentence, first).or_else(|| behind(&sentence, end))
}

/// Returns where a text asks for a value: 幾點, "what time".
///
/// # Example
///
/// ```
/// use waypost_text::extract::sought;
/// use waypost_text::{language::Language, text::{Span, Text}};
///
/// let text = Text::new("9:00 in Rome, what time in Lima");
/// assert_eq!(sought(&text, Language::En), [Span { start: 14, end: 23 }]);
/// ```
pub fn sought(text: &Text, language: Language) -> Vec<Span> {
    meaning(text, language, Lexicon::ROLES, |term| term == Term::Sought)
}

/// Returns whether a word only leads to what a request is about, or says what it is: "the", "new",
/// 分支, "here". Such a word is no name by itself.
pub fn names_nothing(text: &Text, span: Span, language: Language) -> bool {
    text.readings().leads(language, || leads(text, language)).hold(span)
}

/// The words of a text that name nothing themselves.
fn leads(text: &Text, language: Language) -> Spans {
    let lead = |term| {
        matches!(term, Term::Determiner | Term::Role(_) | Term::Lead | Term::Tail | Term::Object(_))
    };
    let leads = meaning(text, language, Lexicon::ROLES, lead);
    Spans::of(leads.into_iter().chain(here(text, language)))
}

/// The phrases of a text that have a meaning, the longest of those that begin together.
pub(in crate::extract) fn meaning(
    text: &Text,
    language: Language,
    lexicon: Lexicon,
    is_meant: impl Fn(Term) -> bool,
) -> Vec<Span> {
    let sentence = Sentence::read(text, language, lexicon);
    let mut found = Vec::new();
    let mut at = 0;
    while at < sentence.tokens.len() {
        let sense = sentence.senses(at).iter().find(|sense| is_meant(sense.term));
        let last = sense.and_then(|sense| sentence.token(sense.end.checked_sub(1)?));
        match (sense, sentence.token(at), last) {
            (Some(sense), Some(first), Some(last)) => {
                found.push(text.span(first.start, last.end));
                at = sense.end.max(at + 1);
            }
            _ => at += 1,
        }
    }
    found
}

/// The first token of which the place, in bytes, is far enough behind; the end if there is none.
fn first_of(sentence: &Sentence<'_>, is_behind: impl Fn(usize, usize) -> bool) -> usize {
    let (mut low, mut high) = (0, sentence.tokens.len());
    while low < high {
        let middle = usize::midpoint(low, high);
        match sentence.token(middle) {
            Some(token) if !is_behind(token.start, token.end) => low = middle + 1,
            _ => high = middle,
        }
    }
    low
}

/// The role that the words before a token give to what begins there.
fn before(sentence: &Sentence<'_>, first: usize) -> Option<Role> {
    let mut at = first;
    for _ in 0..=MOST_BETWEEN {
        if let Some((_, role)) = longest(sentence, at, role_of) {
            return Some(role);
        }
        let sign = at.checked_sub(1).filter(|sign| is_sign(sentence, *sign, OPENING));
        let word = || longest(sentence, at, |term| (term == Term::Determiner).then_some(()));
        at = sign.or_else(|| word().map(|(start, ())| start))?;
    }
    None
}

/// The longest phrase of some meaning that ends right before a token, with the token it begins at.
fn longest<T>(
    sentence: &Sentence<'_>,
    at: usize,
    pick: impl Fn(Term) -> Option<T>,
) -> Option<(usize, T)> {
    /// The longest phrase that is looked for, in tokens.
    const REACH: usize = 8;
    (at.saturating_sub(REACH)..at).find_map(|start| {
        let ending = |sense: &&Sense| sense.end == at;
        let mut senses = sentence.senses(start).iter().filter(ending);
        senses.find_map(|sense| Some((start, pick(sense.term)?)))
    })
}

fn role_of(term: Term) -> Option<Role> {
    match term {
        Term::Role(role) => Some(role),
        Term::Object(ObjectClass::Act) => Some(Role::Object),
        Term::Object(ObjectClass::Into) => Some(Role::Target),
        Term::Object(ObjectClass::Name) => Some(Role::Name),
        Term::Object(ObjectClass::Say | ObjectClass::Message) => Some(Role::Content),
        _ => None,
    }
}

/// The role that the words behind a value give to it.
fn behind(sentence: &Sentence<'_>, end: usize) -> Option<Role> {
    let at = if is_sign(sentence, end, CLOSING) { end + 1 } else { end };
    sentence.senses(at).iter().find_map(|sense| match sense.term {
        Term::RoleBehind(role) => Some(role),
        _ => None,
    })
}

fn is_sign(sentence: &Sentence<'_>, at: usize, set: &str) -> bool {
    let text = sentence.tokens.text(at);
    sentence.shape(at) == Some(Shape::Symbol) && text.chars().all(|sign| set.contains(sign))
}

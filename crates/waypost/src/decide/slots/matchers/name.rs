//! Names for arguments that take text of no kind that extractors know: a city, a person, a title.
//!
//! A name has a right to be there by its quotation marks, by a word of the argument beside it, or, where
//! the argument is one for names, by its capitals. Other words never fill such an argument.

use serde_json::{Value as Json, json};
use waypost_core::records::decision::{By, Evidence};
use waypost_core::text_match::is_han;
use waypost_text::extract::{Kind, ObjectClass, Role};
use waypost_text::text::Span;

use super::{FilledValue, Match, Wanted};
use crate::decide::slots::deal::names;
use crate::decide::slots::phrase::{Chosen, Phrase, is_joined};
use crate::decide::slots::{fit, phrase, roles};
use crate::pack::Tool;
use crate::pack::prose;
use crate::pack::suggest::is_among;

/// The most words of an answer that is a name.
const MOST_WORDS: usize = 5;
/// The most tags that are read.
const MOST_TAGS: usize = 16;

pub(in crate::decide::slots) fn find(wanted: &Wanted<'_>) -> Option<Match> {
    if !is_open_name(wanted, wanted.name) {
        return None;
    }
    if let Some(named) = wanted.named.and_then(|named| named.get(wanted.name)) {
        return Some(named.clone());
    }
    if wanted.tool.is_list(wanted.name) {
        let quoted = phrase::quoted(wanted);
        let tagged = tagged(wanted);
        if !tagged.is_empty() {
            return listed(wanted, &tagged);
        }
        let named = || match phrase::enumerated(wanted) {
            words if words.is_empty() => capitals(wanted),
            words => words,
        };
        let names = if quoted.is_empty() { named() } else { quoted };
        let joined = names.windows(2).all(|pair| {
            let gap = Span { start: pair[0].span.end, end: pair[1].span.start };
            pair[0].span.end <= pair[1].span.start && is_joined(wanted.turn, gap)
        });
        return if names.is_empty() || !joined { None } else { listed(wanted, &names) };
    }
    match chosen(wanted) {
        Chosen::None => None,
        Chosen::One(phrase) => found(wanted, &phrase),
        Chosen::Unsure(phrases) => {
            let values: Vec<Json> = phrases.iter().map(|phrase| json!(phrase.words)).collect();
            Some(Match::Unsure(values))
        }
    }
}

/// The name that fills the argument, by the surest sign that there is.
fn chosen(wanted: &Wanted<'_>) -> Chosen {
    if let [only] = &phrase::beside(wanted)[..]
        && !names::is_code(wanted.tool, wanted.name)
    {
        return Chosen::One(only.clone());
    }
    // Names of no kind were shared out together.
    if let Some(kind) = wanted.annotation.kind {
        let of_kind = |name: &str| wanted.tool.annotation(name).and_then(|note| note.kind);
        let rivals = wanted.tool.arguments().filter(|name| {
            *name == wanted.name || is_open_name(wanted, name) && of_kind(name) == Some(kind)
        });
        let rivals: Vec<&str> = rivals.collect();
        let named = phrase::objects(wanted, &[ObjectClass::Name, ObjectClass::Into]);
        let short = |phrase: &Phrase| phrase.words.split_whitespace().count() <= MOST_WORDS;
        let role = roles::of_argument(wanted.tool, wanted.name, &rivals);
        // "Go to X": where nothing else can be meant, what is gone to is what is named.
        let alone = (rivals.len() == 1).then_some(Role::Target);
        let by_role = role.filter(|role| *role != Role::Object).or(alone);
        // An identifier is one word.
        let one = |phrase: &Phrase| {
            kind != Kind::Identifier || !phrase.words.contains(char::is_whitespace)
        };
        let signs: [Vec<Phrase>; 4] = [
            phrase::quoted(wanted).into_iter().filter(one).collect(),
            by_role.map(|role| phrase::in_role(wanted, role)).unwrap_or_default(),
            named.into_iter().filter(short).collect(),
            phrase::acted_on(wanted),
        ];
        for phrases in signs {
            match phrase::choose(wanted, phrases, &rivals) {
                Chosen::None => {}
                chosen => return chosen,
            }
        }
    }
    phrase::answer(wanted, MOST_WORDS).map_or(Chosen::None, Chosen::One)
}

/// The words behind a number sign, for an argument of tags or labels: "add #urgent and #work".
fn tagged(wanted: &Wanted<'_>) -> Vec<Phrase> {
    const TAGS: &str = "tag tags label labels hashtag hashtags topic topics";
    if !wanted.tool.words(wanted.name).iter().any(|word| is_among(TAGS, word)) {
        return Vec::new();
    }
    let text = wanted.turn.said.text.original();
    let pieces = text.split('#').skip(1).zip(text.match_indices('#')).take(MOST_TAGS);
    let tags = pieces.filter_map(|(piece, (mark, _))| {
        let is_part = |c: char| {
            (c.is_alphanumeric() || matches!(c, '-' | '_' | '/'))
                && !matches!(c, '和' | '與' | '与' | '及')
        };
        let before = text[..mark].chars().next_back();
        let is_fresh =
            before.is_none_or(|c| c.is_whitespace() || is_han(c) || "(,，、".contains(c));
        let length = piece.chars().take_while(|c| is_part(*c)).count();
        let at = text[..mark].chars().count() + 1;
        let span = Span { start: at, end: at + length };
        let words: String = piece.chars().take(length).collect();
        (is_fresh && words.chars().any(char::is_alphabetic) && phrase::is_free(wanted, span))
            .then_some(Phrase { span, words })
    });
    tags.collect()
}

/// Names by their capitals, for a list of what has them.
fn capitals(wanted: &Wanted<'_>) -> Vec<Phrase> {
    let fits = is_for_names(wanted.tool, wanted.name) && wanted.annotation.kind.is_none();
    // Commas join the items of a list, not the parts of a name.
    let fits = fits && wanted.tool.requires(wanted.name);
    let names = if fits { phrase::capitalized(wanted) } else { Vec::new() };
    names.into_iter().flat_map(|name| apart(&name)).collect()
}

/// The names of "Ada, Bob" one by one.
fn apart(name: &Phrase) -> Vec<Phrase> {
    let mut start = name.span.start;
    let parts = name.words.split(", ").map(|words| {
        let span = Span { start, end: start + words.chars().count() };
        start = span.end + 2;
        Phrase::new(span, words)
    });
    parts.collect()
}

/// Returns whether an argument takes text of no kind that extractors know as it is written.
pub(in crate::decide::slots) fn is_open_name(wanted: &Wanted<'_>, name: &str) -> bool {
    let note = wanted.tool.annotation(name);
    let plain = note.is_some_and(|note| {
        let kinds = [Kind::Identifier, Kind::Revision, Kind::Repository];
        note.gazetteer.is_none() && note.kind.is_none_or(|kind| kinds.contains(&kind))
    });
    let shape = fit::item(wanted.tool, name);
    let text = shape
        .is_some_and(|shape| shape.types.string && (shape.takes_any || !shape.types.numeric()));
    plain && text && wanted.tool.listed(name).is_empty()
}

/// Words of arguments whose values have capitals.
const NAMED: &str = "city location place country region state town address destination origin departure arrival \
    airport station venue name author artist actor director player team person user customer \
    company brand manufacturer organization movie film book song album game show product stock \
    restaurant hotel museum park league club language nationality county province district nation \
    continent university college school court landmark monument building mountain river planet \
    species religion deity discovery event war battle treaty act law painting artwork sculpture \
    composer musician singer band actress president scientist inventor owner maker seller store \
    shop brewery bank airline publisher tournament championship platform character series festival \
    topic model instrument";

/// Returns whether the values of an argument have capitals: its name says so, its description asks for
/// the name of something, or its examples have them.
pub(in crate::decide::slots) fn is_for_names(tool: &Tool, name: &str) -> bool {
    let named = tool.words(name).iter().any(|word| is_among(NAMED, word));
    let shape = || tool.shape(name);
    let described = || shape().is_some_and(|shape| shape.description.contains("name of the"));
    let shown = || {
        let examples = shape().map(|shape| prose::examples(&shape.prose)).unwrap_or_default();
        let proper = |example: &String| example.chars().next().is_some_and(char::is_uppercase);
        !examples.is_empty() && examples.iter().all(proper)
    };
    named || described() || shown()
}

fn found(wanted: &Wanted<'_>, phrase: &Phrase) -> Option<Match> {
    let value = json!(phrase.words);
    wanted.tool.accepts(wanted.name, &value).then(|| {
        let evidence = Evidence::span(phrase.words.clone(), By::Text);
        Match::Found(FilledValue { value, evidence, spans: vec![phrase.span] })
    })
}

fn listed(wanted: &Wanted<'_>, phrases: &[Phrase]) -> Option<Match> {
    let value = Json::Array(phrases.iter().map(|phrase| json!(phrase.words)).collect());
    if !wanted.tool.accepts(wanted.name, &value) {
        return None;
    }
    let spans: Vec<_> = phrases.iter().map(|phrase| phrase.span).collect();
    let start = spans.iter().map(|span| span.start).min()?;
    let end = spans.iter().map(|span| span.end).max()?;
    let words = wanted.turn.said.text.slice(waypost_text::text::Span { start, end });
    let evidence = Evidence::span(words, By::Text);
    Some(Match::Found(FilledValue { value, evidence, spans }))
}

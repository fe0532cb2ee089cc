//! Values that the words name: columns of the data, companies, the values of an enumeration, by the words that a pack has for them.

use serde_json::{Value as Json, json};
use waypost_core::records::decision::{By, Evidence};
use waypost_core::text_match::find_word;
use waypost_text::text::Span;

use super::operator::is_only;
use super::{FilledValue, Match, Wanted};
use crate::decide::slots::scope;
use crate::pack::Tool;
use crate::understand::mention::{Mention, Stance};

/// Values that are names of something: columns of the data, companies.
pub(in crate::decide::slots) fn gazetteer(wanted: &Wanted<'_>) -> Option<Match> {
    let gazetteer = wanted.annotation.gazetteer.clone()?;
    read(wanted, By::Gazetteer(gazetteer), |mention| !mention.typo)
}

/// Values of an enumeration, by the words that a pack gives for them.
pub(in crate::decide::slots) fn words(wanted: &Wanted<'_>) -> Option<Match> {
    if wanted.annotation.gazetteer.is_some() {
        return None;
    }
    read(wanted, By::Words, |mention| !mention.typo)
}

/// Values that are nearly named: a slip of the finger.
pub(in crate::decide::slots) fn fuzzy(wanted: &Wanted<'_>) -> Option<Match> {
    let vocabulary = vocabulary(wanted.tool, wanted.name);
    let mut slips = wanted.turn.said.discourse.mentions.iter().filter(|mention| mention.typo);
    slips.find(|mention| mention.key(vocabulary).next().is_some())?;
    // Beside a slip exact names count too: "primary or secndary" names two.
    read(wanted, By::Fuzzy, |_| true)
}

/// Reads the value of an argument out of the names that stand in the words.
///
/// `counts` says which names are looked at: exact ones, or those with a slip of the finger too. `by`
/// is the matcher that answers for them.
fn read(wanted: &Wanted<'_>, by: By, counts: impl Fn(&Mention) -> bool) -> Option<Match> {
    let named = named(wanted, counts);
    let mut said = with(&named, Stance::Said);
    // "Any but tertiary" does not name the values that include the tertiary ones.
    let denied = with(&named, Stance::Denied);
    said.retain(|name| !denied.iter().any(|denied| holds(wanted, name.key, denied.key)));
    // "I never understood PCA, just the composite one": the one that is wanted alone is the one.
    let only: Vec<_> =
        said.iter().copied().filter(|name| is_only(wanted.turn, name.mention.span)).collect();
    if !only.is_empty() && !wanted.tool.is_list(wanted.name) {
        said = only;
    }
    match distinct(&said).as_slice() {
        [] => left_over(wanted, &named, by),
        [only] => Some(found(wanted, only, said.first()?.mention, by)),
        several => Some(join(wanted, several, &said, by)),
    }
}

/// A name that stands for a value of the argument.
struct Named<'a> {
    mention: &'a Mention,
    key: &'a str,
    stance: Stance,
}

fn named<'a>(wanted: &Wanted<'a>, counts: impl Fn(&Mention) -> bool) -> Vec<Named<'a>> {
    let turn = wanted.turn;
    let here = |mention: &&Mention| scope::is_named(wanted.draft, mention.span);
    let vocabulary = vocabulary(wanted.tool, wanted.name);
    let lists = |key: &&str| wanted.tool.lists(wanted.name, key);
    let mentions = turn.said.discourse.mentions.iter().filter(|mention| counts(mention));
    // "P/E and news of Apple": what is asked about may stand beside the last wish only.
    let is_shared = wanted.annotation.each
        && !mentions
            .clone()
            .filter(here)
            .any(|mention| mention.key(vocabulary).any(|key| lists(&key)));
    let mentions = mentions.filter(|mention| is_shared || here(mention));
    let own = wanted.each.filter(|each| each.argument == wanted.name);
    let named = mentions.filter_map(|mention| {
        let key = mention.key(vocabulary).find(lists)?;
        if is_of_another(wanted, mention, vocabulary) {
            return None;
        }
        if own.is_some_and(|each| each.key != key) {
            return None;
        }
        // The article of "a sequence" is not the value A.
        if key.chars().all(char::is_alphabetic)
            && key.chars().count() == 1
            && mention.text.chars().count() == 1
            && mention.text != key
        {
            return None;
        }
        (owner(wanted, mention) == Some(wanted.name)).then(|| Named {
            mention,
            key,
            stance: turn.said.stance(mention.span),
        })
    });
    named.collect()
}

/// Returns whether a name is first one of what another tool of the family takes: ETH is the coin before it is the fund.
fn is_of_another(wanted: &Wanted<'_>, mention: &Mention, vocabulary: &str) -> bool {
    let mut before = mention.entries.iter().take_while(|(name, _)| name != vocabulary);
    before.any(|(name, _)| {
        let mut others = wanted.turn.pack.family(wanted.tool);
        others.any(|other| each_vocabulary(other) == Some(name))
    })
}

/// The vocabulary of the argument of which each value makes a call of its own.
pub(in crate::decide::slots) fn each_vocabulary(tool: &Tool) -> Option<&str> {
    let (name, _) = tool.annotations().find(|(name, note)| note.each && !tool.is_list(name))?;
    Some(vocabulary(tool, name))
}

/// The values of an argument that the words name and do not deny, each once, in the order of the words.
pub(in crate::decide::slots) fn said<'a>(wanted: &Wanted<'a>) -> Vec<&'a str> {
    let named = named(wanted, |mention| !mention.typo);
    distinct(&with(&named, Stance::Said))
}

/// Returns the name of the vocabulary that holds the names of an argument's values.
pub(in crate::decide::slots) fn vocabulary<'a>(tool: &'a Tool, argument: &'a str) -> &'a str {
    let gazetteer = tool.annotation(argument).and_then(|note| note.gazetteer.as_deref());
    gazetteer.unwrap_or(argument)
}

/// The argument that a name fills, where several could take it ("all"): the one that was asked for,
/// the one whose cue stands beside it, or the only one that nothing else names.
fn owner<'a>(wanted: &Wanted<'a>, mention: &Mention) -> Option<&'a str> {
    let tool = wanted.tool;
    let takes = |name: &&str| {
        let mut keys = mention.key(vocabulary(tool, name));
        keys.any(|key| tool.lists(name, key))
    };
    let takers: Vec<&str> = tool.arguments().filter(takes).collect();
    if let [only] = takers[..] {
        return Some(only);
    }
    let asked = wanted.turn.asked().filter(|(active, _)| active.spec.name == tool.spec.name);
    if let Some((_, name)) = asked
        && let Some(own) = takers.iter().find(|taker| **taker == name)
    {
        return Some(own);
    }
    let cued: Vec<&str> =
        takers.iter().copied().filter(|taker| is_cued(wanted, taker, mention.span)).collect();
    if let [only] = cued[..] {
        return Some(only);
    }
    let named_elsewhere = |taker: &&str| {
        let others =
            wanted.turn.said.discourse.mentions.iter().filter(|other| other.span != mention.span);
        let mut keys = others.flat_map(|other| other.key(vocabulary(tool, taker)));
        keys.any(|key| tool.lists(taker, key))
    };
    let free: Vec<&str> = takers.iter().copied().filter(|taker| !named_elsewhere(taker)).collect();
    match free[..] {
        [only] => Some(only),
        _ => None,
    }
}

/// Returns whether a cue of the argument stands near a name: "both tests", "tất cả các tuổi".
fn is_cued(wanted: &Wanted<'_>, argument: &str, span: Span) -> bool {
    /// The reach of an article and an adjective, in characters.
    const NEAR: usize = 16;
    let turn = wanted.turn;
    let around = Span { start: span.start.saturating_sub(NEAR), end: span.end + NEAR };
    let bytes = turn.said.text.bytes(around);
    let Some(slice) = turn.said.text.normalized().get(bytes) else { return false };
    wanted.tool.cues(argument).iter().any(|cue| find_word(slice, cue).is_some())
}

fn with<'a, 'n>(named: &'n [Named<'a>], stance: Stance) -> Vec<&'n Named<'a>> {
    named.iter().filter(|name| name.stance == stance).collect()
}

fn distinct<'a>(named: &[&Named<'a>]) -> Vec<&'a str> {
    let mut keys: Vec<&str> = Vec::new();
    for name in named {
        if !keys.contains(&name.key) {
            keys.push(name.key);
        }
    }
    keys
}

/// Several values were named: one that means exactly these, a list where the argument takes one,
/// or a question.
fn join(wanted: &Wanted<'_>, keys: &[&str], said: &[&Named<'_>], by: By) -> Match {
    let Some(first) = said.first().map(|name| name.mention) else {
        return Match::Unsure(Vec::new());
    };
    let spans = || said.windows(2).map(|pair| (pair[0].mention.span, pair[1].mention.span));
    let either = spans().any(|(one, two)| wanted.turn.said.discourse.has_or(one, two));
    if wanted.tool.is_list(wanted.name) && !either {
        let words = said.iter().map(|name| name.mention.text.as_str()).collect::<Vec<_>>();
        let evidence = Evidence::span(words.join(", "), by);
        let spans = said.iter().map(|name| name.mention.span).collect();
        return Match::Found(FilledValue { value: json!(keys), evidence, spans });
    }
    let whole = if either { None } else { whole_of(wanted, keys).or_else(|| wider(wanted, keys)) };
    match whole {
        Some(whole) => found(wanted, whole, first, by),
        None => Match::Unsure(keys.iter().map(|key| json!(key)).collect()),
    }
}

/// The value that means exactly these together; it may itself be one of them.
fn whole_of<'a>(wanted: &Wanted<'a>, keys: &[&str]) -> Option<&'a str> {
    let values = wanted.annotation.values.iter().filter(|(_, naming)| !naming.of.is_empty());
    let mut whole = values.filter(|(value, naming)| {
        let parts = keys.iter().filter(|key| *key != value);
        naming.of.iter().all(|part| keys.contains(&part.as_str()))
            && parts.clone().all(|key| naming.of.iter().any(|part| part == key))
    });
    whole.next().map(|(value, _)| value.as_str())
}

/// Returns the part, if a whole and one part of it are named ("all primary facilities"); the whole,
/// if it and several parts are ("kids, adults, all of them").
fn wider<'a>(wanted: &Wanted<'a>, keys: &[&'a str]) -> Option<&'a str> {
    let whole = keys.iter().copied().find(|key| {
        let mut others = keys.iter().filter(|other| *other != key);
        others.all(|other| holds(wanted, key, other))
    })?;
    let parts: Vec<&str> = keys.iter().copied().filter(|key| *key != whole).collect();
    match parts[..] {
        [only] => Some(only),
        _ => Some(whole),
    }
}

/// Returns whether the value `whole` includes the value `part`.
fn holds(wanted: &Wanted<'_>, whole: &str, part: &str) -> bool {
    let naming = wanted.annotation.values.get(whole);
    naming.is_some_and(|naming| naming.of.iter().any(|one| one == part))
}

/// Handles a text that only denies values: one value left is taken, several are asked about.
fn left_over(wanted: &Wanted<'_>, named: &[Named<'_>], by: By) -> Option<Match> {
    let denied = with(named, Stance::Denied);
    let first = denied.first()?;
    let is_out =
        |value: &str| denied.iter().any(|name| name.key == value || holds(wanted, value, name.key));
    let listed = wanted.tool.listed(wanted.name).iter().filter_map(Json::as_str);
    let left: Vec<&str> = listed.filter(|value| !is_out(value)).collect();
    match left[..] {
        [] => None,
        [only] => Some(found(wanted, only, first.mention, by)),
        // A list may be anything but this.
        _ if wanted.tool.is_list(wanted.name) => {
            let evidence = Evidence::span(first.mention.text.clone(), by);
            let spans = vec![first.mention.span];
            Some(Match::Found(FilledValue { value: json!(left), evidence, spans }))
        }
        _ => Some(Match::Unsure(left.into_iter().map(|value| json!(value)).collect())),
    }
}

fn found(wanted: &Wanted<'_>, key: &str, mention: &Mention, by: By) -> Match {
    let value = if wanted.tool.is_list(wanted.name) { json!([key]) } else { json!(key) };
    let evidence = Evidence::span(mention.text.clone(), by);
    Match::Found(FilledValue { value, evidence, spans: vec![mention.span] })
}

/// The words that point back near a cue of the argument: "the previous nets".
pub(in crate::decide::slots) fn pointing<'a>(wanted: &Wanted<'a>) -> Option<&'a str> {
    let turn = wanted.turn;
    let pointers = turn.said.references();
    let alone = turn
        .asked()
        .is_some_and(|(tool, name)| tool.spec.name == wanted.tool.spec.name && name == wanted.name);
    let near = pointers.iter().find(|span| alone || is_cued(wanted, wanted.name, **span))?;
    Some(turn.said.text.slice(*near))
}

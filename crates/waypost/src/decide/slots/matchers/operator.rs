//! Lists that words change rather than name: only this, without that, that too.
//!
//! The list that is changed is that of the earlier call, where the turn changes it, or the default of an argument
//! of which a value is named in passing. "Add rainfall" and "without rainfall" name the same value: what is done
//! with it is told by the words of denial beside it, by "only", and by the act that the whole text is.

use serde_json::{Value as Json, json};
use waypost_core::records::decision::{By, Evidence};
use waypost_text::extract::Operator;
use waypost_text::text::Span;

use super::named::vocabulary;
use super::{FilledValue, Match, Wanted};
use crate::decide::slots::scope;
use crate::understand::Turn;
use crate::understand::act::Act;
use crate::understand::mention::{Mention, Stance};

/// The change that words make to a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    Add,
    Remove,
    Only,
}

pub(in crate::decide::slots) fn find(wanted: &Wanted<'_>) -> Option<Match> {
    let &Wanted { turn, draft, tool, name, annotation, .. } = wanted;
    let spoken = spoken(wanted);
    if !tool.is_list(name) || spoken.is_empty() {
        return None;
    }
    let in_passing = annotation.is_in_passing();
    let past = draft.memory.as_ref().and_then(|past| past.arguments.get(name)?.as_array());
    let default = annotation.default.as_ref().filter(|_| in_passing);
    let base = past.or_else(|| default.and_then(Json::as_array))?;
    let said = with(&spoken, Stance::Said);
    let denied = with(&spoken, Stance::Denied);
    let is_generic = |key: &&str| annotation.values.get(*key).is_some_and(|naming| naming.generic);
    let change = match change(turn, past.is_some(), &spoken, in_passing) {
        // "Drop the anomaly, I only need the rest": nothing is named that would be alone.
        Some(Change::Only) if said.is_empty() => Change::Remove,
        Some(change) => change,
        // What is denied is taken out; what is said beside it is there already, or is named as ever.
        None if !denied.is_empty() && (said.is_empty() || in_passing) => Change::Remove,
        // "The anomaly off Hualien" names what is wanted, "the sea temperature" what it is all about.
        None if in_passing && said.iter().any(|key| !is_generic(key)) => Change::Only,
        None => return None,
    };
    let is = |keys: &[&str], value: &Json| value.as_str().is_some_and(|own| keys.contains(&own));
    let listed = tool.listed(name);
    let value: Vec<Json> = match change {
        Change::Add => {
            let more = listed.iter().filter(|value| is(&said, value) && !base.contains(value));
            base.iter().chain(more).filter(|value| !is(&denied, value)).cloned().collect()
        }
        Change::Remove if denied.is_empty() => {
            base.iter().filter(|value| !is(&said, value)).cloned().collect()
        }
        Change::Remove => base.iter().filter(|value| !is(&denied, value)).cloned().collect(),
        Change::Only => {
            // "The temperature is not needed, only the anomaly": what stands beside "only" is all.
            let alone = spoken.iter().filter(|one| is_only(turn, one.mention.span));
            let alone: Vec<&str> = alone.map(|one| one.key).collect();
            let meant: Vec<&str> = alone.iter().copied().filter(|key| said.contains(key)).collect();
            let kept = [meant, alone].into_iter().find(|keys| !keys.is_empty()).unwrap_or(said);
            listed.iter().filter(|value| is(&kept, value)).cloned().collect()
        }
    };
    if value.is_empty() {
        return None;
    }
    let words: Vec<&str> = spoken.iter().map(|one| one.mention.text.as_str()).collect();
    let evidence = Evidence::span(words.join(", "), By::Words);
    let spans = spoken.iter().map(|one| one.mention.span).collect();
    Some(Match::Found(FilledValue { value: json!(value), evidence, spans }))
}

/// A value that the words speak of.
struct Spoken<'a> {
    mention: &'a Mention,
    key: &'a str,
    stance: Stance,
}

fn spoken<'a>(wanted: &Wanted<'a>) -> Vec<Spoken<'a>> {
    let turn = wanted.turn;
    let discourse = &turn.said.discourse;
    let in_passing = wanted.annotation.is_in_passing();
    let mentions = if in_passing { &discourse.parts } else { &discourse.mentions };
    let own = vocabulary(wanted.tool, wanted.name);
    let here = |mention: &&Mention| scope::is_named(wanted.draft, mention.span);
    let spoken = mentions.iter().filter(here).filter_map(|mention| {
        let key = mention.key(own).find(|key| wanted.tool.lists(wanted.name, key))?;
        Some(Spoken { mention, key, stance: turn.said.stance(mention.span) })
    });
    spoken.collect()
}

fn with<'a>(spoken: &[Spoken<'a>], stance: Stance) -> Vec<&'a str> {
    spoken.iter().filter(|one| one.stance == stance).map(|one| one.key).collect()
}

/// The change that is meant: by a word such as "only" beside a value, or by what the text does with the last call.
fn change(
    turn: &Turn<'_>,
    follows: bool,
    spoken: &[Spoken<'_>],
    in_passing: bool,
) -> Option<Change> {
    if in_passing && spoken.iter().any(|one| is_only(turn, one.mention.span)) {
        return Some(Change::Only);
    }
    if !follows {
        return None;
    }
    let acts = turn.acts();
    let shares = [
        (acts.share(Act::Add), Some(Change::Add)),
        (acts.any(&[Act::Remove, Act::Except]), Some(Change::Remove)),
        (acts.share(Act::Only), Some(Change::Only)),
        (acts.any(&[Act::Replace, Act::Select, Act::Prefer, Act::Request]), None),
    ];
    shares.into_iter().max_by(|one, other| one.0.total_cmp(&other.0))?.1
}

/// Returns whether "only" stands beside a span: "just the anomaly", 只取距平, "anomaly only".
pub(in crate::decide::slots) fn is_only(turn: &Turn<'_>, span: Span) -> bool {
    /// An article.
    const REACH: usize = 1;
    turn.said.discourse.marks.iter().filter(|mark| mark.operator == Operator::Only).any(|mark| {
        let before = mark.span.end <= span.start;
        let gap = if before {
            Span { start: mark.span.end, end: span.start }
        } else {
            Span { start: span.end, end: mark.span.start }
        };
        let words = || turn.said.text.slice(gap).split_whitespace().count();
        let pauses = || turn.said.text.slice(gap).contains([',', '，', ';', '；', '。', '.']);
        mark.span.contains(span)
            || gap.start <= gap.end
                && gap.len() <= 12
                && !pauses()
                && words() <= if before { REACH } else { 0 }
    })
}

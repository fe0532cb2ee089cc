//! A thing is set only to what it may be set to, and only while nothing locks it.

use serde_json::Value as Json;
use waypost_core::records::decision::{Call, GateName};
use waypost_core::records::request::shorten;

use super::{Check, Closed, bounds};
use crate::pack::messages::{Ask, Sentence, readable};
use crate::pack::spec::{EntrySpec, Settable};

/// The longest unknown key that is repeated, in characters.
const KEY_CHARACTERS: usize = 60;

pub(super) fn closed(proposal: &Check<'_>) -> Option<Closed> {
    let sentence = proposal.calls.iter().find_map(|call| fault(proposal, call))?;
    Some(Closed::asking(GateName::Limits, Ask::plain(sentence)))
}

/// Says why a call may not set what it sets; `None` where it may, or sets nothing that is known.
fn fault(proposal: &Check<'_>, call: &Call) -> Option<Sentence> {
    let tool = proposal.pack().tool(&call.tool)?;
    let limits = tool.spec.limits.as_ref()?;
    let gazetteer = tool.annotation(&limits.of)?.gazetteer.as_ref()?;
    let key = call.arguments.get(&limits.of)?.as_str()?;
    // What nobody knows has no limits, and is not set.
    let Some(entry) = proposal.pack().entry(gazetteer, key) else {
        return Some(Sentence::new("not_settable").with("what", shorten(key, KEY_CHARACTERS)));
    };
    let about = |sentence| Sentence::new(sentence).with("what", named(key, entry));
    let Some(settable) = &entry.settable else { return Some(about("not_settable")) };
    if let Some(flag) = settable.locked_by.as_ref().filter(|flag| proposal.flag(flag)) {
        let language = proposal.turn.said.language;
        let flag = proposal.pack().flag_label(flag, language);
        return Some(about("interlocked").with("flag", flag));
    }
    let values = limits.values.iter().map(|name| (name, settable.clone()));
    let changes = limits.changes.iter().map(|name| (name, of_change(settable)));
    values.chain(changes).find_map(|(name, settable)| {
        let value = call.arguments.get(name)?;
        let sentence = outside(proposal, &settable, value)?;
        Some(sentence.with("what", named(key, entry)).with("value", bounds::shown(proposal, value)))
    })
}

/// The limits of a change, wherever the thing stands now: no change is larger than all that it may be set to. Whoever makes it
/// knows where it stands, and holds it to its own limits.
fn of_change(settable: &Settable) -> Settable {
    let most = settable.most.zip(settable.least).map(|(most, least)| most - least);
    Settable { least: Some(0.0), most, words: Vec::new(), ..settable.clone() }
}

/// A thing as people call it, with its key.
fn named(key: &str, entry: &EntrySpec) -> String {
    let unit = entry.unit.as_ref().map(|unit| format!(", {unit}")).unwrap_or_default();
    match entry.names.first() {
        Some(name) => format!("{name} ({key}{unit})"),
        None => key.to_owned(),
    }
}

/// The sentence for a value that a thing may not be set to, without the thing and the value.
fn outside(proposal: &Check<'_>, settable: &Settable, value: &Json) -> Option<Sentence> {
    let said = |bound: f64| readable(bound, proposal.turn.said.language);
    if let Some(number) = value.as_f64() {
        let least = settable.least.filter(|least| number < *least);
        let most = settable.most.filter(|most| number > *most);
        return match (settable.least, settable.most) {
            _ if !number.is_finite() => Some(Sentence::new("invalid_value")),
            (None, None) => Some(words(settable)),
            (Some(from), Some(to)) => least.or(most).map(|_| {
                Sentence::new("must_be_between").with("least", said(from)).with("most", said(to))
            }),
            (Some(_), None) => {
                least.map(|least| Sentence::new("must_be_at_least").with("least", said(least)))
            }
            (None, Some(_)) => {
                most.map(|most| Sentence::new("must_be_at_most").with("most", said(most)))
            }
        };
    }
    let word = value.as_str()?;
    let known = settable.words.iter().any(|known| known.eq_ignore_ascii_case(word));
    (!known).then(|| words(settable))
}

fn words(settable: &Settable) -> Sentence {
    match settable.words.is_empty() {
        true => Sentence::new("invalid_value"),
        false => Sentence::new("must_be_one_of").with("values", settable.words.join(", ")),
    }
}

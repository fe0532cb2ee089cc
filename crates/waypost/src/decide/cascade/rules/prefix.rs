//! Registered prefixes: the platform marks its own prompts by their first words. Source: S4-14.

use waypost_core::records::decision::LayerName;
use waypost_core::records::event::Event;

use super::super::{Aim, Proposal};
use crate::pack::spec::PrefixMatch;
use crate::pack::{Prefix, squeeze};
use crate::understand::Turn;

/// A registered prefix that stands where it decides, whatever else is said or open: the contract has
/// nothing above it.
pub(super) fn prefixed(turn: &Turn<'_>) -> Option<Proposal> {
    let prefix = deciding(turn)?;
    let rationale = format!("it begins with the registered prefix `{}`", prefix.spec.text);
    Some(Proposal::sure(LayerName::Rules, Aim::Route(prefix.spec.route.clone()), rationale))
}

/// The prefix that decides a turn.
pub(crate) fn deciding<'a>(turn: &'a Turn<'_>) -> Option<&'a Prefix> {
    match seen(turn)? {
        Seen::Deciding(prefix) => Some(prefix),
        Seen::Ignored(..) => None,
    }
}

/// Reports a prefix that stands where it decides nothing: it may be an attempt.
pub(crate) fn ignored(turn: &Turn<'_>) -> Option<Event> {
    let Seen::Ignored(prefix, why) = seen(turn)? else { return None };
    let what = format!("prefix `{}`", prefix.spec.text);
    Some(Event::Dropped { what, why: why.to_owned() })
}

enum Seen<'a> {
    Deciding(&'a Prefix),
    Ignored(&'a Prefix, &'static str),
}

fn seen<'a>(turn: &'a Turn<'_>) -> Option<Seen<'a>> {
    if turn.pack.prefixes.is_empty() {
        return None;
    }
    let text = squeeze(turn.said.text.original());
    let places =
        turn.pack.prefixes.iter().filter_map(|prefix| Some((prefix.place(&text)?, prefix)));
    // Those at the start have one route; the first of the others stands for all.
    let (place, prefix) = places.min_by_key(|(place, _)| *place)?;
    let anywhere = turn.pack.spec.policy.prefix_match == PrefixMatch::Contains;
    Some(match (place, turn.request.trusted) {
        _ if anywhere => Seen::Deciding(prefix),
        (0, true) => Seen::Deciding(prefix),
        (0, false) => Seen::Ignored(prefix, "the caller is not trusted"),
        _ => Seen::Ignored(prefix, "it does not stand at the start"),
    })
}

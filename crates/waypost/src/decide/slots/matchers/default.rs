//! The pack's default, where nothing was said, or else the only value that a required argument takes.

use waypost_core::records::decision::{By, Evidence, Source};
use waypost_text::extract::{Kind, Role};

use super::{FilledValue, Match, Wanted};
use crate::decide::slots::phrase;
use crate::pack::spec::{FlagDefault, ValueWord};

pub(in crate::decide::slots) fn find(wanted: &Wanted<'_>) -> Option<Match> {
    let of_flags = &wanted.annotation.default_if;
    if let Some(kept) = of_flags.iter().find_map(|known| kept(wanted, known)) {
        return Some(Match::Found(kept));
    }
    let given = of_flags.iter().filter(|known| wanted.turn.flag(&known.flag));
    let by_flag = given.filter_map(|known| known.value.as_ref()).next();
    let default = by_flag.or(wanted.annotation.default.as_ref());
    let only = || wanted.tool.only(wanted.name).filter(|_| wanted.tool.requires(wanted.name));
    let default = default.or_else(only)?;
    // "What time is it in Atlantis" does not ask for the time here.
    if ValueWord::of(default) == Some(ValueWord::RequestZone) && names_elsewhere(wanted) {
        return None;
    }
    let value = ValueWord::meant(default, &wanted.turn.now);
    Some(Match::Found(FilledValue::new(value, Evidence::new(Source::Default, By::Default))))
}

/// What a flag keeps of the result of another call: the method of the last analysis.
fn kept(wanted: &Wanted<'_>, known: &FlagDefault) -> Option<FilledValue> {
    let value = wanted.turn.context.flags.get(&known.flag).filter(|_| known.value.is_none())?;
    let evidence = Evidence::new(Source::Memory, By::Memory(known.flag.clone()));
    let fits = wanted.tool.accepts(wanted.name, value);
    fits.then(|| FilledValue::new(value.clone(), evidence))
}

/// Returns whether the words name a place that no table and no example knows.
fn names_elsewhere(wanted: &Wanted<'_>) -> bool {
    let places = phrase::in_role(wanted, Role::Container);
    let is_known = |word: &str| wanted.turn.pack.knows(&word.to_lowercase());
    wanted.annotation.kind == Some(Kind::Zone) && places.iter().any(|place| !is_known(&place.words))
}

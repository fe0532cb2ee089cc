//! Shares the names of a text out to the arguments that take text of no kind that extractors know: by
//! the words of an argument in them or beside them, by their roles, as places, and by what is left.
//!
//! A name has a right to be there by its quotation marks or its capitals. Nothing is guessed: names
//! that may fill several arguments are offered.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};
use waypost_core::records::decision::{By, Evidence};
use waypost_core::text_match::find_word;
use waypost_text::extract::{Kind, ObjectClass, Role};
use waypost_text::text::Span;

use super::features::{Feature, Features, TOLD};
use super::{Alone, Board, Dealt, Group, Offer, Slot, Weighed};
use crate::decide::slots::matchers::{FilledValue, Match, Wanted, name};
use crate::decide::slots::phrase::Phrase;
use crate::decide::slots::{cues, notation, phrase, roles, scope};
use crate::pack::Tool;
use crate::pack::suggest::is_among;

/// The names of a turn, by the argument that they are for.
pub(in crate::decide::slots) type Named = BTreeMap<String, Match>;

/// The most arguments that names are shared out to.
const MOST_SLOTS: usize = 16;
/// The most words of a name that stands behind "named".
const MOST_WORDS: usize = 5;
/// A name that was said.
struct Item {
    phrase: Phrase,
    role: Option<Role>,
    /// True if it stands in quotation marks, or behind "named".
    marked: bool,
    /// True if the tool speaks of it itself: the NFL of a tool for players of the NFL.
    known: bool,
    /// True if it was read as a value of time: a name only beside a word of the argument.
    stretch: bool,
    /// Its number among two places that a comma joins, the narrower one first.
    part: Option<usize>,
}

/// The arguments that take names, as the names see them.
struct Takers<'a> {
    slots: Vec<Slot<'a>>,
    /// The width of the places that each takes.
    places: Vec<Option<usize>>,
}

/// Deals the names out, each at most once.
pub(in crate::decide::slots) fn deal(wanted: &Wanted<'_>) -> Named {
    let read = |board: &Board<'_>, items: &[Item]| {
        let dealt = board.slots.iter().zip(&board.given);
        let dealt = dealt.filter_map(|(slot, given)| {
            let matched = match given.as_ref()? {
                Dealt::Found(own, _) => found(wanted, slot.name, &items[*own.first()?].phrase),
                Dealt::Unsure(forms) if slot.required => Match::Unsure(forms.clone()),
                Dealt::Unsure(_) => return None,
            };
            Some((slot.name.to_owned(), matched))
        });
        dealt.collect()
    };
    with_board(wanted, read).unwrap_or_default()
}

/// What speaks for every name as that of every argument that may take it.
pub(in crate::decide::slots) fn weigh(wanted: &Wanted<'_>) -> Vec<Weighed> {
    let read =
        |board: &Board<'_>, items: &[Item]| board.weighed(|item| items[item].phrase.words.clone());
    with_board(wanted, read).unwrap_or_default()
}

/// Reads a board on which the names of a turn were dealt; `None` if there are none, or nothing takes one.
fn with_board<T>(wanted: &Wanted<'_>, read: impl FnOnce(&Board<'_>, &[Item]) -> T) -> Option<T> {
    let takers = takers(wanted);
    if takers.slots.is_empty() {
        return None;
    }
    let mut items = items(wanted);
    split_places(wanted, &takers, &mut items);
    if items.is_empty() {
        return None;
    }
    let spans: Vec<Span> = items.iter().map(|item| item.phrase.span).collect();
    let mut offers = Vec::new();
    for item in items.iter().enumerate() {
        for slot in 0..takers.slots.len() {
            offers.extend(offer(wanted, item, slot, &takers, &spans));
        }
    }
    let given = vec![None; takers.slots.len()];
    let Wanted { turn, tool, .. } = *wanted;
    let board = Board::new(turn, tool, &takers.slots, &spans, offers, given).deal();
    Some(read(&board, &items))
}

/// The arguments that are open for names.
fn takers<'a>(wanted: &Wanted<'a>) -> Takers<'a> {
    let tool = wanted.tool;
    let open = tool.arguments().filter(|argument| {
        let kind = tool.annotation(argument).and_then(|note| note.kind);
        kind.is_none()
            && name::is_open_name(wanted, argument)
            && !tool.is_list(argument)
            && !wanted.draft.given.contains_key(*argument)
            && wanted.dealt.is_none_or(|dealt| !dealt.contains_key(*argument))
    });
    let names: Vec<&str> = open.take(MOST_SLOTS).collect();
    let slot = |name: &&'a str| Slot {
        name,
        group: Group::Name,
        role: roles::of_argument(tool, name, &names),
        list: false,
        required: tool.requires(name),
    };
    let places = names.iter().map(|name| place_rank(tool, name)).collect();
    Takers { slots: names.iter().map(slot).collect(), places }
}

/// Words of the names of arguments for what is written for machines: capitals say nothing there.
const CODES: &str = "command code script sql expression function formula equation regex currency";

pub(in crate::decide::slots) fn is_code(tool: &Tool, name: &str) -> bool {
    tool.words(name).iter().any(|word| is_among(CODES, word))
}

/// Returns whether a word is written for machines: AB-123.
fn is_identifier(word: &str) -> bool {
    word.contains(|c: char| c.is_ascii_digit())
        && word.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_')
}

/// The names in the words, in their order: quotations, what is called so, and capitals.
fn items(wanted: &Wanted<'_>) -> Vec<Item> {
    let named = phrase::objects(wanted, &[ObjectClass::Name, ObjectClass::Into]);
    let short = |phrase: &Phrase| phrase.words.split_whitespace().count() <= MOST_WORDS;
    let marked = phrase::quoted(wanted).into_iter().chain(named.into_iter().filter(short));
    let mut items: Vec<Item> = Vec::new();
    let all = marked.map(|phrase| (phrase, true));
    for (phrase, marked) in all.chain(phrase::capitalized(wanted).into_iter().map(|p| (p, false))) {
        if items.iter().any(|item| item.phrase.span.overlaps(phrase.span)) {
            continue;
        }
        let role = roles::of_value(wanted.turn, phrase.span);
        let known = !marked && is_own(wanted.tool, &phrase.words);
        items.push(Item { phrase, role, marked, known, stretch: false, part: None });
    }
    // "The 2019-2020 season": what was read as a value may be a name for an argument beside it.
    let taken = |span: Span| wanted.used.iter().any(|used| used.overlaps(span));
    let stretches = scope::values(wanted.turn, wanted.draft).into_iter();
    let stretches = stretches.filter(|value| value.kind == Kind::Range && !taken(value.span));
    for value in stretches {
        let phrase = Phrase::new(value.span, &value.text);
        if items.iter().all(|item| !item.phrase.span.overlaps(value.span)) {
            items.push(Item {
                phrase,
                role: None,
                marked: false,
                known: true,
                stretch: true,
                part: None,
            });
        }
    }
    items.sort_by_key(|item| item.phrase.span.start);
    items
}

/// Returns whether a tool speaks of a name in its own words.
fn is_own(tool: &Tool, words: &str) -> bool {
    let name = tool.spec.name.replace(['_', '-', '.'], " ");
    let own = format!("{name} {}", tool.spec.summary).to_lowercase();
    find_word(&own, &words.to_lowercase()).is_some()
}

/// Words of the names of arguments for places, the narrower ones first.
const PLACES: [&[&str]; 6] = [
    &["address", "street", "venue", "neighborhood"],
    &["district", "area"],
    &["city", "town", "location", "place", "destination", "origin", "airport", "station"],
    &["county"],
    &["state", "province", "region"],
    &["country", "nation"],
];

/// The width of the places that an argument takes; `None` where it takes none.
fn place_rank(tool: &Tool, name: &str) -> Option<usize> {
    let words = tool.words(name);
    PLACES.iter().position(|known| words.iter().any(|word| known.contains(&word.as_str())))
}

/// "Sydney, Australia" is a city and a country where a tool takes both apart.
fn split_places(wanted: &Wanted<'_>, takers: &Takers<'_>, items: &mut Vec<Item>) {
    let mut ranks: Vec<usize> = takers.places.iter().copied().flatten().collect();
    let count = ranks.len();
    ranks.sort_unstable();
    ranks.dedup();
    if ranks.len() < 2 || ranks.len() != count {
        return;
    }
    let mut split: Vec<Item> = Vec::new();
    for item in items.drain(..) {
        let Some((inner, outer)) = item.phrase.words.split_once(", ").filter(|_| !item.marked)
        else {
            split.push(item);
            continue;
        };
        let start = item.phrase.span.start;
        let middle = start + inner.chars().count();
        let first = Span { start, end: middle };
        let second = Span { start: middle + 2, end: item.phrase.span.end };
        for (part, (span, words)) in [(first, inner), (second, outer)].into_iter().enumerate() {
            let known = is_own(wanted.tool, words);
            let phrase = Phrase::new(span, words);
            split.push(Item {
                phrase,
                role: item.role,
                marked: false,
                known,
                stretch: false,
                part: Some(part),
            });
        }
    }
    *items = split;
}

/// A name as the value of an argument, with what speaks for it; `None` where the words deny it.
fn offer(
    wanted: &Wanted<'_>,
    (item, said): (usize, &Item),
    slot: usize,
    takers: &Takers<'_>,
    spans: &[Span],
) -> Option<Offer> {
    let (tool, own, place) = (wanted.tool, &takers.slots[slot], takers.places[slot]);
    let by_role = roles::agreement(said.role, own.role)?;
    let placed = said.role == Some(Role::Container) && !said.marked;
    let ranks = || takers.places.iter().copied().flatten();
    let places = ranks().count();
    if placed && places > 0 && place.is_none() {
        return None;
    }
    let words = said.phrase.words.to_lowercase();
    let several = words.split_whitespace().count() > 1;
    // A word of the argument that is a part of the name: "Louvre Museum".
    let inside = several && tool.cues(own.name).iter().any(|cue| find_word(&words, cue).is_some());
    let near = cues::nearest(wanted.turn, tool, own.name, said.phrase.span, spans);
    if is_code(tool, own.name) && !(near >= TOLD && (said.marked || is_identifier(&words))) {
        return None;
    }
    let widest = match said.part {
        Some(0) => ranks().min(),
        Some(_) => ranks().max(),
        None => None,
    };
    let features = Features::default()
        .with(Feature::Role, by_role / roles::SAME)
        .with_if(Feature::Inside, inside)
        .with(Feature::Cue, if inside { 0.0 } else { near / cues::CUED })
        // A place says nothing of which place it is where there are several.
        .with_if(Feature::Place, placed && places == 1)
        .with_if(Feature::Part, places == 2 && place.is_some() && place == widest);
    let digits = said.phrase.words.starts_with(|c: char| c.is_ascii_digit());
    let proper = || name::is_for_names(tool, own.name) && !digits;
    let may = own.required && !said.stretch && (said.marked || proper());
    Some(Offer {
        item,
        slot,
        features,
        form: json!(said.phrase.words),
        alone: if may { Alone::Yes } else { Alone::No },
        in_order: !said.known && own.required,
        class: if said.marked { 2 } else { u8::from(!said.known) },
    })
}

/// A name as the argument writes it; where it is not written so, whether it is meant is asked.
fn found(wanted: &Wanted<'_>, argument: &str, phrase: &Phrase) -> Match {
    let value: Option<Json> = notation::written(wanted.tool, argument, &phrase.words);
    match value.filter(|value| wanted.tool.accepts(argument, value)) {
        Some(value) => {
            let evidence = Evidence::span(phrase.words.clone(), By::Text);
            Match::Found(FilledValue { value, evidence, spans: vec![phrase.span] })
        }
        None => Match::Unsure(vec![json!(phrase.words)]),
    }
}

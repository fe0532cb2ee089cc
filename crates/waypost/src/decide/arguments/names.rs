//! Shares the names of a text out to the arguments that take text of no kind that extractors know: by
//! the words of an argument in them or beside them, by their roles, as places, and by what is left.
//!
//! A name has a right to be there by its quotation marks or its capitals. Nothing is guessed: names
//! that may fill several arguments are offered.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};
use waypost_core::records::decision::{By, Evidence};
use waypost_core::text_match::find_word;
use waypost_text::extract::{Kind, ObjectClass, Operator, Role};
use waypost_text::text::Span;

use super::amount::is_joined;
use super::assign::is_serial;
use super::phrase::{self, Phrase};
use super::{FilledValue, Match, Wanted, cues, name, notation, roles, scope};
use crate::pack::Tool;
use crate::pack::suggest::words_of;

/// The names of a turn, by the argument that they are for.
pub(super) type Named = BTreeMap<String, Match>;

/// The most arguments that names are shared out to.
const MOST_SLOTS: usize = 16;
/// The most words of a name that stands behind "named".
const MOST_WORDS: usize = 5;
/// The least score at which words speak for an argument.
const TOLD: f64 = 1.0;
/// A word of the argument that is a part of the name: "Louvre Museum".
const INSIDE: f64 = 3.0;
/// The score of a place: words behind an "in" name one.
const PLACED: f64 = 2.0;

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

/// An argument that takes a name.
struct Slot<'a> {
    name: &'a str,
    role: Option<Role>,
    required: bool,
    /// True if its values have capitals.
    proper: bool,
    place: Option<usize>,
}

/// Shares the names out, each at most once.
pub(super) fn share(wanted: &Wanted<'_>) -> Named {
    let slots = slots(wanted);
    let mut items = items(wanted);
    if slots.is_empty() || items.is_empty() {
        return Named::new();
    }
    split_places(wanted, &slots, &mut items);
    let spans: Vec<Span> = items.iter().map(|item| item.phrase.span).collect();
    let scores: Vec<Vec<Option<f64>>> = items
        .iter()
        .map(|item| slots.iter().map(|slot| score(wanted, item, slot, &slots, &spans)).collect())
        .collect();
    let mut board = Board { slots: &slots, items: &items, scores, of: vec![None; slots.len()] };
    board.told();
    board.in_order(wanted);
    board.rest();
    board.named(wanted)
}

/// The arguments that are open for names.
fn slots<'a>(wanted: &Wanted<'a>) -> Vec<Slot<'a>> {
    let tool = wanted.tool;
    let open = tool.arguments().filter(|argument| {
        let kind = tool.annotation(argument).and_then(|note| note.kind);
        kind.is_none()
            && name::is_open_name(wanted, argument)
            && !tool.is_list(argument)
            && !wanted.draft.given.contains_key(*argument)
            && !wanted.numbers.contains_key(*argument)
    });
    let names: Vec<&str> = open.take(MOST_SLOTS).collect();
    let slot = |name: &&'a str| Slot {
        name,
        role: roles::of_argument(tool, name, &names),
        required: tool.requires(name),
        proper: name::is_for_names(tool, name),
        place: place_rank(name),
    };
    names.iter().map(slot).collect()
}

/// Words of the names of arguments for what is written for machines: capitals say nothing there.
const CODES: [&str; 10] = [
    "command",
    "code",
    "script",
    "sql",
    "expression",
    "function",
    "formula",
    "equation",
    "regex",
    "currency",
];

pub(super) fn is_code(name: &str) -> bool {
    words_of(name).iter().any(|word| CODES.contains(&word.as_str()))
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
fn place_rank(name: &str) -> Option<usize> {
    let words = words_of(name);
    PLACES.iter().position(|known| words.iter().any(|word| known.contains(&word.as_str())))
}

/// "Sydney, Australia" is a city and a country where a tool takes both apart.
fn split_places(wanted: &Wanted<'_>, slots: &[Slot<'_>], items: &mut Vec<Item>) {
    let mut ranks: Vec<usize> = slots.iter().filter_map(|slot| slot.place).collect();
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

/// Scores how well a name suits an argument; `None` where the words deny it.
fn score(
    wanted: &Wanted<'_>,
    item: &Item,
    slot: &Slot<'_>,
    slots: &[Slot<'_>],
    spans: &[Span],
) -> Option<f64> {
    let by_role = roles::agreement(item.role, slot.role)?;
    let placed = item.role == Some(Role::Container) && !item.marked;
    let places = slots.iter().filter(|slot| slot.place.is_some()).count();
    if placed && places > 0 && slot.place.is_none() {
        return None;
    }
    let words = item.phrase.words.to_lowercase();
    let several = words.split_whitespace().count() > 1;
    let inside =
        several && cues::cues(wanted.tool, slot.name).any(|cue| find_word(&words, &cue).is_some());
    let near = cues::nearest(wanted.turn, wanted.tool, slot.name, item.phrase.span, spans);
    if is_code(slot.name) && !(near >= TOLD && (item.marked || is_identifier(&words))) {
        return None;
    }
    let by_inside = if inside { INSIDE } else { 0.0 };
    // A place says nothing of which place it is where there are several.
    let by_place = if placed && places == 1 { PLACED } else { 0.0 };
    let ranks = || slots.iter().filter_map(|slot| slot.place);
    let by_part = match item.part {
        Some(part) if places == 2 => {
            let own = if part == 0 { ranks().min() } else { ranks().max() };
            if slot.place.is_some() && slot.place == own { PLACED } else { 0.0 }
        }
        _ => 0.0,
    };
    Some(by_role + near.max(by_inside) + by_place + by_part)
}

/// The state of the sharing so far.
struct Board<'a> {
    slots: &'a [Slot<'a>],
    items: &'a [Item],
    scores: Vec<Vec<Option<f64>>>,
    /// The items of each argument.
    of: Vec<Option<Given>>,
}

/// The names that an argument was given.
#[derive(Clone)]
enum Given {
    One(usize),
    Unsure(Vec<usize>),
}

impl Board<'_> {
    fn is_used(&self, item: usize) -> bool {
        self.of.iter().any(|given| matches!(given, Some(Given::One(own)) if *own == item))
    }

    fn free_items(&self) -> Vec<usize> {
        (0..self.items.len()).filter(|item| !self.is_used(*item)).collect()
    }

    fn free_slots(&self) -> Vec<usize> {
        (0..self.slots.len()).filter(|slot| self.of[*slot].is_none()).collect()
    }

    /// Gives the names for which words speak, the surest first; a tie gives none.
    fn told(&mut self) {
        for _ in 0..self.slots.len() {
            let items = self.free_items();
            let slots = self.free_slots();
            let pairs = items.iter().flat_map(|item| slots.iter().map(move |slot| (*item, *slot)));
            let told = pairs.filter_map(|(item, slot)| {
                Some((self.scores[item][slot].filter(|score| *score >= TOLD)?, item, slot))
            });
            let mut told: Vec<(f64, usize, usize)> = told.collect();
            told.sort_by(|a, b| b.0.total_cmp(&a.0));
            let clear = told.iter().find(|(score, item, slot)| {
                !told.iter().any(|(other, other_item, other_slot)| {
                    (other_item == item) != (other_slot == slot) && other >= score
                })
            });
            let Some(&(_, item, slot)) = clear else { break };
            self.of[slot] = Some(Given::One(item));
        }
    }

    /// Names that an "and" joins go to two arguments of a pair, or of a series, in the order of both.
    fn in_order(&mut self, wanted: &Wanted<'_>) {
        let slots: Vec<usize> =
            self.free_slots().into_iter().filter(|slot| self.slots[*slot].required).collect();
        let names: Vec<&str> = slots.iter().map(|slot| self.slots[*slot].name).collect();
        let roles: Vec<Option<Role>> = slots.iter().map(|slot| self.slots[*slot].role).collect();
        let pair = roles == [Some(Role::Source), Some(Role::Target)];
        let items: Vec<usize> =
            self.free_items().into_iter().filter(|item| !self.items[*item].known).collect();
        let joined = items.windows(2).all(|pair| {
            let (one, two) = (&self.items[pair[0]].phrase, &self.items[pair[1]].phrase);
            let gap = Span { start: one.span.end, end: two.span.start };
            one.span.end <= two.span.start
                && is_joined(wanted.turn, gap)
                && wanted.turn.said.discourse.has(Operator::And, gap)
        });
        let same = slots.len() > 1 && items.len() == slots.len();
        let fits = items.iter().zip(&slots).all(|(item, slot)| self.scores[*item][*slot].is_some());
        if same && fits && (pair && joined || is_serial(&names)) {
            for (item, slot) in items.into_iter().zip(slots) {
                self.of[slot] = Some(Given::One(item));
            }
        }
    }

    /// Gives what no word claims: one name to the one argument that needs it. What is left between
    /// several is asked about.
    fn rest(&mut self) {
        let may = |board: &Self, item: usize, slot: usize| {
            let (own, of) = (&board.items[item], &board.slots[slot]);
            let digits = own.phrase.words.starts_with(|c: char| c.is_ascii_digit());
            of.required
                && !own.stretch
                && (own.marked || of.proper && !digits)
                && board.scores[item][slot].is_some()
        };
        for _ in 0..self.slots.len() {
            let free = self.free_items();
            let fitting = |board: &Self, slot: usize| {
                let all = free.iter().copied().filter(|item| may(board, *item, slot));
                let all: Vec<usize> = all.collect();
                let marked: Vec<usize> =
                    all.iter().copied().filter(|item| board.items[*item].marked).collect();
                let telling: Vec<usize> =
                    all.iter().copied().filter(|item| !board.items[*item].known).collect();
                let first = if marked.is_empty() { telling } else { marked };
                if first.is_empty() { all } else { first }
            };
            let slots = self.free_slots();
            let open: Vec<(usize, Vec<usize>)> =
                slots.iter().map(|slot| (*slot, fitting(self, *slot))).collect();
            let only = open.iter().find(|(slot, items)| {
                let [item] = items[..] else { return false };
                !open.iter().any(|(other, items)| other != slot && items.contains(&item))
            });
            let Some((slot, items)) = only else {
                for (slot, items) in open.into_iter().filter(|(_, items)| !items.is_empty()) {
                    self.of[slot] = Some(Given::Unsure(items));
                }
                return;
            };
            self.of[*slot] = Some(Given::One(items[0]));
        }
    }

    fn named(&self, wanted: &Wanted<'_>) -> Named {
        let mut named = Named::new();
        for (slot, given) in self.slots.iter().zip(&self.of) {
            let words = |item: &usize| json!(self.items[*item].phrase.words);
            let matched = match given {
                None => continue,
                Some(Given::One(item)) => found(wanted, slot.name, &self.items[*item].phrase),
                Some(Given::Unsure(items)) if slot.required => {
                    Match::Unsure(items.iter().map(words).collect())
                }
                Some(Given::Unsure(_)) => continue,
            };
            named.insert(slot.name.to_owned(), matched);
        }
        named
    }
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

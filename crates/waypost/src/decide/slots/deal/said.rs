//! Deals the values and numbers of a turn out to the arguments of a tool that take them.

use std::collections::BTreeMap;

use serde_json::Value as Json;
use waypost_core::records::decision::{By, Evidence};
use waypost_core::text_match::is_han;
use waypost_text::extract::{Kind, Reading, Role, Value};
use waypost_text::text::Span;

use super::amount::{Counted, Edge};
use super::features::{Feature, Features, TOLD};
use super::number::Numbers;
use super::{
    Alone, Board, Dealt, Group, Offer, Slot, Weighed, amount, attach, bounds, list, number,
};
use crate::decide::slots::matchers::{FilledValue, Match};
use crate::decide::slots::{DraftCall, compose, cues, fit, phrase, roles, scope};
use crate::pack::Tool;
use crate::pack::spec::ValueWord;
use crate::pack::suggest::words_of;
use crate::understand::Turn;
use crate::understand::mention::Stance;

/// The values that fill arguments, by argument.
pub(in crate::decide::slots) type Values = BTreeMap<String, Match>;

/// The most values that are dealt, and the most arguments.
const MOST_ITEMS: usize = 32;
const MOST_SLOTS: usize = 32;
/// The most values of a sort that are added.
const MOST_ADDED: usize = 16;

/// A value that was said.
#[derive(Debug)]
pub(in crate::decide::slots) struct Item<'a> {
    pub(in crate::decide::slots) value: &'a Value,
    pub(in crate::decide::slots) role: Option<Role>,
    /// True if it is to be left out.
    pub(in crate::decide::slots) denied: bool,
    /// The number that it is, where it is one.
    pub(in crate::decide::slots) counted: Option<Counted>,
}

/// Deals the values of a turn out to the arguments of a tool, each at most once.
pub(in crate::decide::slots) fn deal(turn: &Turn<'_>, draft: &DraftCall, tool: &Tool) -> Values {
    let read = |board: &Board<'_>, items: &[Item<'_>]| {
        let dealt = board.slots.iter().zip(&board.given);
        let dealt = dealt.filter_map(|(slot, given)| {
            let matched = matched(turn, tool, slot, given.as_ref()?, items);
            Some((slot.name.to_owned(), matched))
        });
        let mut assigned: Values = dealt.collect();
        composed(board, items, &mut assigned);
        assigned
    };
    with_board(turn, draft, tool, read).unwrap_or_default()
}

/// What speaks for every value as that of every argument that may take it.
pub(in crate::decide::slots) fn weigh(
    turn: &Turn<'_>,
    draft: &DraftCall,
    tool: &Tool,
) -> Vec<Weighed> {
    let read = |board: &Board<'_>, items: &[Item<'_>]| {
        board.weighed(|item| items[item].value.text.clone())
    };
    with_board(turn, draft, tool, read).unwrap_or_default()
}

/// Reads a board on which the values of a turn were dealt; `None` if the tool takes none.
fn with_board<T>(
    turn: &Turn<'_>,
    draft: &DraftCall,
    tool: &Tool,
    read: impl FnOnce(&Board<'_>, &[Item<'_>]) -> T,
) -> Option<T> {
    let slots = slots(tool, draft);
    if slots.is_empty() {
        return None;
    }
    let said = scope::values(turn, draft);
    let mut added = own_zone(turn, draft, &slots);
    added.extend(zones_within(turn, &said, &slots));
    let codes = codes(turn, draft, tool, &slots);
    let mut values: Vec<&Value> = said.into_iter().chain(&added).chain(&codes).collect();
    values.sort_by_key(|value| value.span);
    let mut items = items(turn, draft, &values);
    if items.is_empty() {
        return None;
    }
    attached(turn, &slots, &mut items, &values);
    let numbers = Numbers { codes: &codes, ..numbers(turn, draft, tool, &slots, &items) };
    let mut given: Vec<Option<Dealt>> = vec![None; slots.len()];
    list::give_runs(&numbers, &slots, &items, &mut given);
    bounds::scale(turn, &mut items);
    bounds::give(&numbers, &slots, &mut items, &mut given);
    bounds::ask_of_ranges(&numbers, &slots, &items, &mut given);
    let offers = offers(&numbers, &slots, &items);
    let spans: Vec<Span> = items.iter().map(|item| item.value.span).collect();
    let board = Board::new(turn, tool, &slots, &spans, offers, given).deal();
    Some(read(&board, &items))
}

/// Returns whether a value of one kind may fill an argument of another that is dealt here.
pub(in crate::decide::slots) fn is_for(own: Kind, wanted: Kind) -> bool {
    is_shared(wanted) && (own == wanted || own == Kind::Datetime && wanted == Kind::Time)
}

/// Returns whether values of a kind are dealt by their kind, not bound for the whole call nor counted.
fn is_shared(kind: Kind) -> bool {
    use Kind::{Bbox, Boolean, Date, Datetime, Number, Point, Range, Text};
    !matches!(kind, Point | Bbox | Range | Number | Text | Boolean | Date | Datetime)
}

/// The arguments that take a value which is not bound for the whole call.
fn slots<'a>(tool: &'a Tool, draft: &DraftCall) -> Vec<Slot<'a>> {
    let several =
        |kind: Kind| tool.annotations().filter(|(_, note)| note.kind == Some(kind)).count() > 1;
    let (several_days, several_instants) = (several(Kind::Date), several(Kind::Datetime));
    let group = |name: &str| {
        if number::takes(tool, name) {
            return Some(Group::Number);
        }
        let kind = tool.annotation(name)?.kind?;
        let is_shared = match kind {
            Kind::Date => several_days || tool.is_list(name),
            Kind::Datetime => several_instants || tool.is_list(name),
            kind => is_shared(kind),
        };
        is_shared.then_some(Group::Of(kind))
    };
    let open = tool.arguments().filter(|name| !draft.given.contains_key(*name));
    let open = open.filter_map(|name| Some((name, group(name)?)));
    let open: Vec<(&str, Group)> = open.take(MOST_SLOTS).collect();
    let slot = |&(name, group): &(&'a str, Group)| {
        let alike = open.iter().filter(|(_, other)| *other == group);
        let alike: Vec<&str> = alike.map(|(name, _)| *name).collect();
        let role = match group {
            Group::Number => roles::by_name(tool, name),
            _ => roles::of_argument(tool, name, &alike),
        };
        Slot { name, group, role, list: tool.is_list(name), required: tool.requires(name) }
    };
    open.iter().map(slot).collect()
}

fn items<'a>(turn: &'a Turn<'_>, draft: &DraftCall, values: &[&'a Value]) -> Vec<Item<'a>> {
    let item = |value: &'a Value, denied: bool, counted: Option<Counted>| Item {
        value,
        role: roles::of_value(turn, value.span),
        denied,
        counted,
    };
    let said = values.iter().flat_map(|value| {
        let counted = amount::counted(turn, value);
        let counted = counted.into_iter().map(Some);
        let mut all: Vec<Option<Counted>> = counted.collect();
        if all.is_empty() {
            all.push(None);
        }
        all.into_iter().map(move |counted| item(value, false, counted))
    });
    let denied = scope::denied(turn, draft).into_iter().take(MOST_ADDED);
    let denied = denied.map(|value| item(value, true, None));
    said.take(MOST_ITEMS).chain(denied).collect()
}

fn numbers<'a>(
    turn: &'a Turn<'a>,
    draft: &'a DraftCall,
    tool: &'a Tool,
    slots: &[Slot<'a>],
    items: &[Item<'_>],
) -> Numbers<'a> {
    let names = slots.iter().filter(|slot| slot.group == Group::Number && !slot.list);
    let names: Vec<&str> = names.map(|slot| slot.name).collect();
    // An amount is a number only for an argument that counts it.
    let counts = |item: &&Item<'_>| {
        item.counted.is_some_and(|counted| {
            let fits = |name: &&str| amount::fit(tool, name, item.value, counted).is_some();
            counted.bare || names.iter().any(fits)
        })
    };
    let spans = items.iter().filter(counts).map(|item| item.value.span).collect();
    Numbers { turn, draft, tool, names, spans, codes: &[] }
}

/// Every value with every argument that may take it; a role that the words deny is none.
fn offers(numbers: &Numbers<'_>, slots: &[Slot<'_>], items: &[Item<'_>]) -> Vec<Offer> {
    let spans: Vec<Span> = items.iter().map(|item| item.value.span).collect();
    let mut offers = Vec::new();
    for item in items.iter().enumerate() {
        for slot in slots.iter().enumerate() {
            offers.extend(match (slot.1.group, slot.1.list) {
                (Group::Number, false) => numbers.offer(item, slot),
                (Group::Number, true) => list::offer(item, slot),
                _ => offer(numbers, item, slot, slots, &spans),
            });
        }
    }
    offers
}

/// A value as that of an argument of a kind, with what speaks for it.
fn offer(
    numbers: &Numbers<'_>,
    (index, item): (usize, &Item<'_>),
    (place, slot): (usize, &Slot<'_>),
    slots: &[Slot<'_>],
    spans: &[Span],
) -> Option<Offer> {
    let &Numbers { turn, tool, .. } = numbers;
    let by_role = roles::agreement(item.role, slot.role)?;
    let is_side = item.counted.is_some_and(|counted| counted.edge.is_some());
    if is_side || is_contested(item, slot, slots) || item.denied && !roles::denies(tool, slot.name)
    {
        return None;
    }
    let identifies = slot.group == Group::Of(Kind::Identifier);
    // A number in a code is a part of it.
    let within = |code: &Value| code.span.contains(item.value.span) && code.span != item.value.span;
    if identifies && numbers.codes.iter().any(within) {
        return None;
    }
    let form = fit::fit(turn, tool, slot.name, item.value)?;
    let placed = identifies && is_placed(turn, (tool, slot.name), index, spans);
    let by_cue = cues::nearest(turn, tool, slot.name, item.value.span, spans);
    let by_cue = if placed { by_cue.max(cues::CUED) } else { by_cue };
    let usual = has_usual(turn, tool, slot, item, slots);
    let features = Features::default()
        .with(Feature::Role, by_role / roles::SAME)
        .with(Feature::Cue, by_cue / cues::CUED)
        .with_if(Feature::Asked, turn.asks_for(tool, slot.name))
        .with_if(Feature::Denied, item.denied);
    // A quotation is an identifier by its looks, or by the words beside it.
    let is_code = item.value.rule.name() == CODE;
    let vague = identifies && item.value.kind != Kind::Identifier;
    let is_told = features.told() >= TOLD;
    let looks = || slot.required && looks_like_id(&item.value.text);
    if (vague && !item.denied && !is_told && !looks()) || is_code && !is_told && !slot.required {
        return None;
    }
    // What a thing is done in is the place that is usually not said.
    let placed = usual && item.role == Some(Role::Container);
    let features = features.with(Feature::Place, if placed { 0.5 } else { 0.0 });
    if usual && features.told() < TOLD {
        return None;
    }
    let features = features.with_if(Feature::Kind, item.value.kind == slot_kind(slot));
    let alone = if is_code && !is_told { Alone::Asked } else { Alone::Yes };
    let class = 0;
    Some(Offer { item: index, slot: place, features, form, alone, in_order: true, class })
}

/// The rule of words that are written as codes.
const CODE: &str = "identifier.code";

/// Returns whether a value stands right behind a noun of the tool, or is joined to one that does: "tag photos a-1 and b-2".
fn is_placed(turn: &Turn<'_>, (tool, name): (&Tool, &str), index: usize, spans: &[Span]) -> bool {
    let mut first = spans[index];
    let mut joined = false;
    for before in spans[..index].iter().rev() {
        if before.end > first.start {
            first = if before.contains(first) { *before } else { first };
            continue;
        }
        if !phrase::is_joined(turn, Span { start: before.end, end: first.start }) {
            break;
        }
        (first, joined) = (*before, true);
    }
    let own = spans[index];
    let next = spans[index + 1..].iter().find(|next| next.start >= own.end);
    let gap = next.map(|next| Span { start: own.end, end: next.start });
    joined |= gap.is_some_and(|gap| phrase::is_joined(turn, gap));
    let before = turn.said.text.slice(Span { start: 0, end: first.start }).trim_end();
    let before = before.trim_end_matches(['#', ':', '(', '"', '\'']).trim_end();
    let noun = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let stem = |word: &str| word.to_lowercase().trim_end_matches('s').to_owned();
    let is_own = |words: &str| words_of(words).iter().any(|word| stem(word) == stem(noun));
    let han = || {
        let tail: String =
            before.chars().rev().take(2).collect::<Vec<_>>().into_iter().rev().collect();
        tail.chars().count() == 2 && tail.chars().all(is_han) && tool.spec.summary.contains(&tail)
    };
    // Several that are joined are a list of what the tool takes, whatever noun leads them.
    joined && tool.is_list(name)
        || noun.chars().count() > 1
            && (is_own(&tool.spec.name) || is_own(&tool.spec.summary) || han())
}

fn slot_kind(slot: &Slot<'_>) -> Kind {
    match slot.group {
        Group::Of(kind) => kind,
        Group::Number => Kind::Number,
        Group::Name => Kind::Text,
    }
}

/// Returns whether what a verb is about is said of another argument: "make a branch X from Y".
fn is_contested(item: &Item<'_>, slot: &Slot<'_>, slots: &[Slot<'_>]) -> bool {
    let mut alike = slots.iter().filter(|other| other.group == slot.group);
    item.role == Some(Role::Object)
        && slot.role != item.role
        && alike.any(|other| other.role == item.role)
}

/// Returns whether the pack has a usual value for an argument, which only words that speak for it
/// replace: the value may be meant for another argument, or is of another kind.
fn has_usual(
    turn: &Turn<'_>,
    tool: &Tool,
    slot: &Slot<'_>,
    item: &Item<'_>,
    slots: &[Slot<'_>],
) -> bool {
    let default = tool.annotation(slot.name).and_then(|note| note.default.as_ref());
    let is_fixed = default.is_some_and(|value| ValueWord::of(value).is_none());
    let is_rival = |other: &Slot<'_>| {
        let part = compose::notation(tool, other.name);
        let part = part.is_some_and(|notation| notation.second == slot_kind(slot));
        let fits = || fit::fit(turn, tool, other.name, item.value).is_some();
        other.name != slot.name && (other.group == slot.group || part || fits())
    };
    let others = || slots.iter().filter(|other| other.group != Group::Number);
    is_fixed && (item.value.kind != slot_kind(slot) || others().any(is_rival))
}

/// Returns whether words have the looks of an identifier: one word with a digit or a sign in it.
fn looks_like_id(words: &str) -> bool {
    let bare = words.trim_matches(|c: char| !c.is_alphanumeric());
    !bare.contains(char::is_whitespace)
        && bare.contains(|c: char| c.is_ascii_digit() || matches!(c, '_' | '-'))
}

/// What an argument was given, as the answer of a matcher.
fn matched(
    turn: &Turn<'_>,
    tool: &Tool,
    slot: &Slot<'_>,
    given: &Dealt,
    items: &[Item<'_>],
) -> Match {
    match given {
        Dealt::Unsure(forms) => Match::Unsure(forms.clone()),
        Dealt::Found(own, Json::Array(forms)) if slot.list => {
            let values: Vec<&Value> = own.iter().map(|item| items[*item].value).collect();
            list::whole(turn, tool, slot, &values, forms.clone(), items.len() >= MOST_ITEMS)
        }
        Dealt::Found(own, form) => match own.first().map(|item| &items[*item]) {
            Some(item) => one(turn, tool, slot, item, form),
            None => Match::Unsure(vec![form.clone()]),
        },
    }
}

fn one(turn: &Turn<'_>, tool: &Tool, slot: &Slot<'_>, item: &Item<'_>, form: &Json) -> Match {
    let value = item.value;
    // A country of several zones is no zone yet.
    let others = value.alternatives.iter().filter(|_| slot.group == Group::Of(Kind::Zone));
    let others = others.filter_map(|reading| {
        let value = Value { reading: reading.clone(), ..value.clone() };
        fit::fit(turn, tool, slot.name, &value)
    });
    let others: Vec<Json> = others.collect();
    if !others.is_empty() {
        return Match::Unsure([vec![form.clone()], others].concat());
    }
    let number = slot.group == Group::Number;
    let by = if number { By::Typed(value.rule) } else { By::Rule(value.rule) };
    // Both sides of a stretch of years stand in the same words, and the zone that an instant is said with may be an argument of its own.
    let side = item.counted.and_then(|counted| counted.edge);
    let shared = match number {
        true => matches!(side, Some(Edge::First | Edge::Last)),
        false => value.kind == Kind::Datetime,
    };
    let spans = if shared { Vec::new() } else { vec![value.span] };
    let evidence = Evidence::span(value.text.clone(), by);
    Match::Found(FilledValue { value: form.clone(), evidence, spans })
}

/// Values that are written of two take the second from what is left: a commit, and a file in it.
fn composed(board: &Board<'_>, items: &[Item<'_>], assigned: &mut Values) {
    let mut used = board.used.clone();
    for slot in board.slots {
        let Some(notation) = compose::notation(board.tool, slot.name) else { continue };
        let Some(Match::Found(found)) = assigned.get(slot.name) else { continue };
        let (Some(first), [span]) = (found.value.as_str(), &found.spans[..]) else { continue };
        let mut left = (0..items.len()).filter(|index| !used[*index]).filter_map(|index| {
            let value = items[index].value;
            match &value.reading {
                Reading::Text(path) if value.kind == notation.second => {
                    Some((index, path.as_str(), value.span))
                }
                _ => None,
            }
        });
        let (Some((index, path, place)), None) = (left.next(), left.next()) else { continue };
        let parts = [(first, *span), (path, place)];
        let joined = compose::joined(board.turn, board.tool, slot.name, notation, parts);
        if let Some(joined) = joined.filter(|_| slot.group == Group::Of(notation.first)) {
            used[index] = true;
            assigned.insert(slot.name.to_owned(), joined);
        }
    }
}

/// The words that are written as codes are ("a-1", "usr:9", "x19") and are no value of another kind, where a tool takes identifiers.
fn codes(turn: &Turn<'_>, draft: &DraftCall, tool: &Tool, slots: &[Slot<'_>]) -> Vec<Value> {
    let takers = slots.iter().filter(|slot| slot.group == Group::Of(Kind::Identifier));
    let takers: Vec<&Slot<'_>> = takers.collect();
    if takers.is_empty() {
        return Vec::new();
    }
    // "id:9" names the argument first.
    let leads = |word: &str| {
        let word = word.to_lowercase();
        takers.iter().any(|slot| slot.name == word || tool.cues(slot.name).contains(&word))
    };
    let is_other = |span: Span| {
        let mut values = turn.said.values.iter().filter(|value| value.span.overlaps(span));
        values.any(|value| match value.kind {
            Kind::Identifier => value.span == span,
            Kind::Number | Kind::Ordinal => false,
            _ => true,
        })
    };
    let codes = phrase::codes(turn).into_iter().map(|(span, word)| match word.split_once(':') {
        Some((name, rest)) if leads(name) => {
            (Span { start: span.start + name.chars().count() + 1, ..span }, rest)
        }
        _ => (span, word),
    });
    // "limit:5" is about another argument.
    let elsewhere = |word: &str| {
        let name = word.split_once(':').map(|(name, _)| name.to_lowercase());
        name.is_some_and(|name| tool.arguments().any(|own| own == name))
    };
    let codes = codes.filter(|(span, word)| {
        let here = scope::takes(draft, *span) && turn.said.stance(*span) == Stance::Said;
        here && is_written_as_code(word) && !elsewhere(word) && !is_other(*span)
    });
    let value = |(span, word)| text_value(Kind::Identifier, span, word, CODE, word);
    codes.map(value).take(MOST_ITEMS).collect()
}

/// A value that no extractor found.
fn text_value(kind: Kind, span: Span, words: &str, rule: &'static str, reading: &str) -> Value {
    let reading = Reading::Text(reading.to_owned());
    let text = words.to_owned();
    Value { kind, span, text, rule: rule.into(), reading, alternatives: Vec::new() }
}

/// Returns whether a word has a letter, and a digit or a sign that only codes have in them. "25th" and "5km" count.
fn is_written_as_code(word: &str) -> bool {
    let has = |is: fn(char) -> bool| word.chars().any(is);
    let behind = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let counts = behind.len() < word.len() && behind.chars().all(char::is_alphabetic);
    !counts
        && has(|c| c.is_ascii_alphabetic())
        && has(|c| c.is_ascii_digit() || matches!(c, ':' | '_' | '#'))
}

/// The zone of whoever asks, where words name it ("here") and a tool has two sides to convert between.
fn own_zone(turn: &Turn<'_>, draft: &DraftCall, slots: &[Slot<'_>]) -> Vec<Value> {
    let zones =
        slots.iter().filter(|slot| slot.group == Group::Of(Kind::Zone) && slot.role.is_some());
    let Some(name) = turn.now.time_zone().iana_name().filter(|_| zones.count() > 1) else {
        return Vec::new();
    };
    let here = turn.said.here().into_iter();
    let here = here.filter(|span| scope::is_here(draft, *span)).take(MOST_ADDED);
    let words = |span: Span| turn.said.text.slice(span);
    here.map(|span| text_value(Kind::Zone, span, words(span), "zone.here", name)).collect()
}

/// The zones that times are said with ("7 pm GMT"), where a tool takes both apart.
fn zones_within(turn: &Turn<'_>, said: &[&Value], slots: &[Slot<'_>]) -> Vec<Value> {
    let takes = |kind: Kind| slots.iter().any(|slot| slot.group == Group::Of(kind));
    if !takes(Kind::Zone) || !takes(Kind::Time) {
        return Vec::new();
    }
    let instants = said.iter().filter(|value| value.kind == Kind::Datetime);
    let zones = instants.flat_map(|instant| turn.said.zones_within(instant, &turn.now));
    zones.take(MOST_ADDED).collect()
}

/// Gives the sides of a conversion the roles that what stands beside them tells.
fn attached(turn: &Turn<'_>, slots: &[Slot<'_>], items: &mut [Item<'_>], values: &[&Value]) {
    let sides = |role: Role| {
        slots.iter().find(|slot| slot.role == Some(role) && slot.group != Group::Number)
    };
    let (Some(source), Some(target)) = (sides(Role::Source), sides(Role::Target)) else { return };
    if source.group != target.group {
        return;
    }
    let kind = slot_kind(source);
    let mut ends: Vec<&mut Item<'_>> =
        items.iter_mut().filter(|item| item.value.kind == kind).collect();
    ends.sort_by_key(|item| item.value.span);
    // What is named twice is one side.
    let mut sides: Vec<(Reading, attach::End)> = Vec::new();
    for item in &ends {
        let reading = &item.value.reading;
        match sides.iter_mut().find(|(known, _)| known == reading) {
            Some((_, side)) => side.spans.push(item.value.span),
            None => {
                let side = attach::End { spans: vec![item.value.span], role: item.role };
                sides.push((reading.clone(), side));
            }
        }
    }
    let (readings, sides): (Vec<Reading>, Vec<attach::End>) = sides.into_iter().unzip();
    let told = attach::roles(turn, &sides, kind, values);
    for item in ends {
        let side = readings.iter().position(|reading| *reading == item.value.reading);
        let role = side.and_then(|side| told.get(side).copied().flatten());
        item.role = role.or(item.role);
    }
}

//! Gives the values of a turn to the arguments that take their kind: by the roles that the words
//! around them give them, by the words of the argument that stand near, and by what is left.
//!
//! Nothing is guessed: where two values may fill an argument, or two arguments take a value, and
//! the words do not tell, all of them are offered.

use std::collections::BTreeMap;

use serde_json::Value as Json;
use waypost_core::records::decision::{By, Evidence};
use waypost_text::extract::{Kind, Reading, Role, Value};
use waypost_text::text::Span;

use super::{DraftCall, FilledValue, Match, attach, compose, cues, fit, phrase, roles, scope};
use crate::pack::Tool;
use crate::pack::spec::ValueWord;
use crate::understand::Turn;
use crate::understand::mention::Stance;

/// The values that fill arguments of their kind, by argument.
pub(super) type Assigned = BTreeMap<String, Match>;

/// The most values of one kind that are shared out.
const MOST_ITEMS: usize = 16;
/// The most arguments of one kind that values are shared out to.
const MOST_SLOTS: usize = 16;

/// The very argument that was asked for.
const ASKED: f64 = 3.0;
/// A value that is to be left out, for an argument of what is left out.
const DENIED: f64 = 3.0;
/// A value of the very kind, rather than one that may stand for it.
const EXACT: f64 = 0.5;
/// The least score at which words speak for an argument.
const TOLD: f64 = 1.0;

/// A value that was said.
struct Item<'a> {
    value: &'a Value,
    role: Option<Role>,
    /// True if it is to be left out.
    denied: bool,
}

impl<'a> Item<'a> {
    fn of(turn: &Turn<'_>, value: &'a Value, denied: bool) -> Self {
        Self { value, role: roles::of_value(turn, value.span), denied }
    }
}

/// An argument that takes values of some kind.
struct Slot<'a> {
    name: &'a str,
    kind: Kind,
    role: Option<Role>,
    list: bool,
}

/// A value and an argument that it may fill.
struct Pair {
    item: usize,
    slot: usize,
    score: f64,
    form: Json,
}

/// Shares the values of a turn out to the arguments of a tool, each at most once.
pub(super) fn assign(turn: &Turn<'_>, draft: &DraftCall, tool: &Tool) -> Assigned {
    let slots = slots(tool, draft);
    if slots.is_empty() {
        return Assigned::new();
    }
    let own = own_zone(turn, draft, &slots);
    let mut said = scope::values(turn, draft);
    let within = zones_within(turn, &said, &slots);
    let codes = codes(turn, draft, tool, &slots);
    // A number in a code is a part of it.
    said.retain(|value| !codes.iter().any(|code| code.span.contains(value.span)));
    let mut values: Vec<&Value> = said.into_iter().chain(&own).chain(&within).collect();
    values.extend(&codes);
    values.sort_by_key(|value| value.span);
    let said = values.iter().take(MOST_ITEMS);
    let mut items: Vec<Item<'_>> = said.map(|value| Item::of(turn, value, false)).collect();
    let denied = scope::denied(turn, draft).into_iter();
    items.extend(denied.take(MOST_ITEMS).map(|value| Item::of(turn, value, true)));
    attached(turn, &slots, &mut items, &values);
    let pairs = pairs(turn, tool, &items, &slots);
    let mut board = Board::new(turn, tool, &items, &slots, &pairs);
    board.told();
    board.serial();
    board.rest();
    board.lists();
    board.composed();
    board.assigned
}

/// The words that are written as codes are ("a-1", "usr:9", "x19") and are no value of another kind, where a tool takes identifiers.
fn codes(turn: &Turn<'_>, draft: &DraftCall, tool: &Tool, slots: &[Slot<'_>]) -> Vec<Value> {
    let takers: Vec<&Slot<'_>> =
        slots.iter().filter(|slot| slot.kind == Kind::Identifier).collect();
    if takers.is_empty() {
        return Vec::new();
    }
    // "id:9" names the argument first.
    let leads = |word: &str| {
        let word = word.to_lowercase();
        takers.iter().any(|slot| slot.name == word || cues::cues(tool, slot.name).any(|c| c == word))
    };
    let is_other = |span: Span| {
        let mut values = turn.said.values.iter().filter(|value| value.span.overlaps(span));
        values.any(|value| !matches!(value.kind, Kind::Number | Kind::Ordinal | Kind::Identifier))
    };
    let codes = phrase::codes(turn).into_iter().map(|(span, word)| match word.split_once(':') {
        Some((name, rest)) if leads(name) => {
            (Span { start: span.start + name.chars().count() + 1, ..span }, rest)
        }
        _ => (span, word),
    });
    let codes = codes.filter(|(span, word)| {
        let here = scope::takes(draft, *span) && turn.said.stance(*span) == Stance::Said;
        here && is_written_as_code(word) && !is_other(*span)
    });
    let value = |(span, word): (Span, &str)| Value {
        kind: Kind::Identifier,
        span,
        text: word.to_owned(),
        rule: "identifier.code".into(),
        reading: Reading::Text(word.to_owned()),
        alternatives: Vec::new(),
    };
    codes.map(value).take(MOST_ITEMS).collect()
}

/// Returns whether a word has a letter, and a digit or a sign that only codes have in them. "25th" and "5km" count.
fn is_written_as_code(word: &str) -> bool {
    let has = |is: fn(char) -> bool| word.chars().any(is);
    let behind = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let counts = behind.len() < word.len() && behind.chars().all(char::is_alphabetic);
    !counts
        && has(|c| c.is_ascii_alphabetic()) && has(|c| c.is_ascii_digit() || matches!(c, ':' | '_' | '#'))
}

/// The zone of whoever asks, where words name it ("here") and a tool has two sides to convert between.
fn own_zone(turn: &Turn<'_>, draft: &DraftCall, slots: &[Slot<'_>]) -> Vec<Value> {
    let zones = slots.iter().filter(|slot| slot.kind == Kind::Zone && slot.role.is_some());
    let Some(name) = turn.now.time_zone().iana_name().filter(|_| zones.count() > 1) else {
        return Vec::new();
    };
    let here = turn.said.here().into_iter();
    let here = here.filter(|span| scope::is_here(draft, *span)).take(MOST_ITEMS);
    let value = |span: Span| Value {
        kind: Kind::Zone,
        span,
        text: turn.said.text.slice(span).to_owned(),
        rule: "zone.here".into(),
        reading: Reading::Text(name.to_owned()),
        alternatives: Vec::new(),
    };
    here.map(value).collect()
}

/// The zones that times are said with ("7 pm GMT"), where a tool takes both apart.
fn zones_within(turn: &Turn<'_>, said: &[&Value], slots: &[Slot<'_>]) -> Vec<Value> {
    let takes = |kind: Kind| slots.iter().any(|slot| slot.kind == kind);
    if !takes(Kind::Zone) || !takes(Kind::Time) {
        return Vec::new();
    }
    let instants = said.iter().filter(|value| value.kind == Kind::Datetime);
    let zones = instants.flat_map(|instant| turn.said.zones_within(instant, &turn.now));
    zones.take(MOST_ITEMS).collect()
}

/// Gives the sides of a conversion the roles that what stands beside them tells.
fn attached(turn: &Turn<'_>, slots: &[Slot<'_>], items: &mut [Item<'_>], values: &[&Value]) {
    let sides = |role: Role| slots.iter().find(|slot| slot.role == Some(role));
    let (Some(source), Some(target)) = (sides(Role::Source), sides(Role::Target)) else { return };
    if source.kind != target.kind {
        return;
    }
    let mut ends: Vec<&mut Item<'_>> =
        items.iter_mut().filter(|item| item.value.kind == source.kind).collect();
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
    let told = attach::roles(turn, &sides, source.kind, values);
    for item in ends {
        let side = readings.iter().position(|reading| *reading == item.value.reading);
        let role = side.and_then(|side| told.get(side).copied().flatten());
        item.role = role.or(item.role);
    }
}

/// Returns whether a value of one kind may fill an argument of another that is shared out here.
pub(super) fn is_for(own: Kind, wanted: Kind) -> bool {
    is_shared(wanted) && (own == wanted || own == Kind::Datetime && wanted == Kind::Time)
}

/// Returns whether values of a kind are shared out here, not bound for the whole call nor counted.
pub(super) fn is_shared(kind: Kind) -> bool {
    use Kind::{Bbox, Boolean, Date, Datetime, Number, Point, Range, Text};
    !matches!(kind, Point | Bbox | Range | Number | Text | Boolean | Date | Datetime)
}

/// The arguments that take a value of a kind which is neither bound for the whole call nor counted.
fn slots<'a>(tool: &'a Tool, draft: &DraftCall) -> Vec<Slot<'a>> {
    let days = tool.annotations().filter(|(_, note)| note.kind == Some(Kind::Date));
    let several_days = days.count() > 1;
    let instants = tool.annotations().filter(|(_, note)| note.kind == Some(Kind::Datetime));
    let several_instants = instants.count() > 1;
    let shared = tool.annotations().filter_map(|(name, note)| {
        let kind = note.kind?;
        let is_shared = match kind {
            Kind::Date => several_days || tool.is_list(name),
            Kind::Datetime => several_instants || tool.is_list(name),
            kind => is_shared(kind),
        };
        (is_shared && !draft.given.contains_key(name)).then_some((name, kind))
    });
    let shared: Vec<(&str, Kind)> = shared.take(MOST_SLOTS).collect();
    let slot = |&(name, kind): &(&'a str, Kind)| {
        let others: Vec<&str> =
            shared.iter().filter(|(_, other)| *other == kind).map(|(name, _)| *name).collect();
        let role = roles::of_argument(tool, name, &others);
        Slot { name, kind, role, list: tool.is_list(name) }
    };
    shared.iter().map(slot).collect()
}

/// Every value with every argument that may take it; a role that the words deny is none.
fn pairs(turn: &Turn<'_>, tool: &Tool, items: &[Item<'_>], slots: &[Slot<'_>]) -> Vec<Pair> {
    let spans: Vec<Span> = items.iter().map(|item| item.value.span).collect();
    let mut pairs = Vec::new();
    for (index, item) in items.iter().enumerate() {
        for (slot_index, slot) in slots.iter().enumerate() {
            let Some(by_role) = roles::agreement(item.role, slot.role) else { continue };
            let denies = roles::denies(slot.name);
            if is_contested(item, slot, slots) || item.denied && !denies {
                continue;
            }
            let Some(form) = fit::fit(turn, tool, slot.name, item.value) else { continue };
            let by_cue = cues::nearest(turn, tool, slot.name, item.value.span, &spans);
            let asked = turn.asks_for(tool, slot.name);
            let by_question = if asked { ASKED } else { 0.0 };
            let by_denial = if item.denied { DENIED } else { 0.0 };
            let usual = has_usual(turn, tool, slot, item, slots);
            // What a thing is done in is the place that is usually not said.
            let by_place = if usual && item.role == Some(Role::Container) { TOLD } else { 0.0 };
            let told = by_role + by_cue + by_question + by_denial + by_place;
            if usual && told < TOLD {
                continue;
            }
            let exact = if item.value.kind == slot.kind { EXACT } else { 0.0 };
            // A quotation is an identifier by its looks, or by the words beside it.
            let vague = item.value.kind != slot.kind && slot.kind == Kind::Identifier;
            let is_told = by_role + by_cue + by_question >= TOLD;
            if vague && !is_told && (!looks_like_id(&item.value.text) || !tool.requires(slot.name))
            {
                continue;
            }
            let score = told + exact;
            pairs.push(Pair { item: index, slot: slot_index, score, form });
        }
    }
    pairs.sort_by(|a, b| b.score.total_cmp(&a.score));
    pairs
}

/// Returns whether what a verb is about is said of another argument: "make a branch X from Y".
fn is_contested(item: &Item<'_>, slot: &Slot<'_>, slots: &[Slot<'_>]) -> bool {
    let mut alike = slots.iter().filter(|other| other.kind == slot.kind);
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
        let part = part.is_some_and(|notation| notation.second == slot.kind);
        let fits = || fit::fit(turn, tool, other.name, item.value).is_some();
        other.name != slot.name && (other.kind == slot.kind || part || fits())
    };
    is_fixed && (item.value.kind != slot.kind || slots.iter().any(is_rival))
}

/// Returns whether words have the looks of an identifier: one word with a digit or a sign in it.
fn looks_like_id(words: &str) -> bool {
    let bare = words.trim_matches(|c: char| !c.is_alphanumeric());
    !bare.contains(char::is_whitespace)
        && bare.contains(|c: char| c.is_ascii_digit() || matches!(c, '_' | '-'))
}

/// The state of the sharing so far.
struct Board<'a> {
    turn: &'a Turn<'a>,
    tool: &'a Tool,
    items: &'a [Item<'a>],
    slots: &'a [Slot<'a>],
    pairs: &'a [Pair],
    used: Vec<bool>,
    assigned: Assigned,
}

impl<'a> Board<'a> {
    fn new(
        turn: &'a Turn<'a>,
        tool: &'a Tool,
        items: &'a [Item<'a>],
        slots: &'a [Slot<'a>],
        pairs: &'a [Pair],
    ) -> Self {
        let used = vec![false; items.len()];
        Self { turn, tool, items, slots, pairs, used, assigned: Assigned::new() }
    }

    fn is_open(&self, slot: usize) -> bool {
        !self.assigned.contains_key(self.slots[slot].name)
    }

    /// The pairs that are still possible.
    fn open(&self) -> impl Iterator<Item = &'a Pair> + '_ {
        self.pairs.iter().filter(|pair| !self.used[pair.item] && self.is_open(pair.slot))
    }

    fn give(&mut self, pair: &Pair) {
        let (slot, item) = (&self.slots[pair.slot], &self.items[pair.item]);
        self.used[pair.item] = true;
        // A country of several zones is no zone yet.
        let others = item.value.alternatives.iter().filter(|_| slot.kind == Kind::Zone);
        let others: Vec<Json> = others
            .filter_map(|reading| {
                let value = Value { reading: reading.clone(), ..item.value.clone() };
                fit::fit(self.turn, self.tool, slot.name, &value)
            })
            .collect();
        let found = if others.is_empty() {
            found(item.value, pair.form.clone())
        } else {
            Match::Unsure([vec![pair.form.clone()], others].concat())
        };
        self.assigned.insert(slot.name.to_owned(), found);
    }

    /// Gives the values for which words speak to their arguments.
    fn told(&mut self) {
        let told: Vec<&Pair> = self.pairs.iter().filter(|pair| pair.score >= TOLD).collect();
        for pair in told {
            let list = self.slots[pair.slot].list;
            if !self.used[pair.item] && self.is_open(pair.slot) && !list {
                match self.rival(pair) {
                    Some(other) => self.ask(pair.slot, &[pair.item, other]),
                    None => self.give(pair),
                }
            }
        }
    }

    /// Another value that an "or" offers for the same argument.
    fn rival(&self, pair: &Pair) -> Option<usize> {
        let own = self.items[pair.item].value.span;
        let others = self.open().filter(|other| other.slot == pair.slot && other.item != pair.item);
        let mut others = others.map(|other| other.item);
        others.find(|other| {
            let other = self.items[*other].value.span;
            self.turn.said.discourse.has_or(own.min(other), own.max(other))
        })
    }

    /// Arguments that are told apart by their place alone (`a` and `b`, `file1` and `file2`) take their
    /// values in the order of the words.
    fn serial(&mut self) {
        let slots: Vec<usize> = (0..self.slots.len())
            .filter(|slot| self.is_open(*slot) && !self.slots[*slot].list)
            .collect();
        let names: Vec<&str> = slots.iter().map(|slot| self.slots[*slot].name).collect();
        if slots.len() < 2 || !is_serial(&names) {
            return;
        }
        let fits = |item: usize, slot: usize| {
            self.pairs.iter().position(|pair| pair.item == item && pair.slot == slot)
        };
        let items: Vec<usize> = (0..self.items.len())
            .filter(|item| !self.used[*item] && fits(*item, slots[0]).is_some())
            .collect();
        if items.len() != slots.len() {
            return;
        }
        let given: Vec<usize> =
            items.iter().zip(&slots).filter_map(|(item, slot)| fits(*item, *slot)).collect();
        for index in given {
            let pairs = self.pairs;
            self.give(&pairs[index]);
        }
    }

    /// Gives what no word claims: one value to the one argument that can take it.
    fn rest(&mut self) {
        let slots: Vec<usize> = (0..self.slots.len()).collect();
        for _ in &slots {
            let Some((slot, item)) = self.only() else { break };
            let pairs = self.pairs;
            let pair = pairs.iter().find(|pair| pair.slot == slot && pair.item == item);
            let Some(pair) = pair else { break };
            self.give(pair);
        }
        for slot in slots {
            let items: Vec<usize> =
                self.open().filter(|pair| pair.slot == slot).map(|pair| pair.item).collect();
            let list = self.slots[slot].list;
            if !list && !items.is_empty() && self.tool.requires(self.slots[slot].name) {
                self.ask_all(slot, &items);
            }
        }
    }

    /// A value and an argument that are the only ones for each other; of several arguments, the only
    /// one that is required.
    fn only(&self) -> Option<(usize, usize)> {
        (0..self.items.len()).filter(|item| !self.used[*item]).find_map(|item| {
            let open: Vec<&Pair> = self.open().filter(|pair| pair.item == item).collect();
            let best = open.iter().map(|pair| pair.score).fold(0.0, f64::max);
            let takers = open.iter().filter(|pair| pair.score >= best);
            let takers: Vec<usize> = takers.map(|pair| pair.slot).collect();
            let required = takers.iter().copied();
            let required: Vec<usize> =
                required.filter(|slot| self.tool.requires(self.slots[*slot].name)).collect();
            let taker = match (&takers[..], &required[..]) {
                ([only], _) | (_, [only]) => *only,
                _ => return None,
            };
            let rivals = self.open().filter(|pair| pair.slot == taker && pair.item != item);
            let rivals = rivals.filter(|pair| pair.score >= best).count();
            (rivals == 0 && !self.slots[taker].list).then_some((taker, item))
        })
    }

    fn ask(&mut self, slot: usize, items: &[usize]) {
        self.ask_all(slot, items);
        items.iter().for_each(|item| self.used[*item] = true);
    }

    fn ask_all(&mut self, slot: usize, items: &[usize]) {
        let mut items = items.to_vec();
        items.sort_unstable();
        let forms = items.iter().filter_map(|item| {
            let pair = self.pairs.iter().find(|pair| pair.item == *item && pair.slot == slot)?;
            Some(pair.form.clone())
        });
        let mut forms: Vec<Json> = forms.collect();
        forms.dedup();
        self.assigned.insert(self.slots[slot].name.to_owned(), Match::Unsure(forms));
    }

    /// Values that are written of two take the second from what is left: a commit, and a file in it.
    fn composed(&mut self) {
        for slot in self.slots {
            let Some(notation) = compose::notation(self.tool, slot.name) else { continue };
            let Some(Match::Found(found)) = self.assigned.get(slot.name) else { continue };
            let (Some(first), [span]) = (found.value.as_str(), &found.spans[..]) else { continue };
            let free = |index: &usize| !self.used[*index];
            let mut left = (0..self.items.len()).filter(free).filter_map(|index| {
                let value = self.items[index].value;
                match &value.reading {
                    Reading::Text(path) if value.kind == notation.second => {
                        Some((index, path.as_str(), value.span))
                    }
                    _ => None,
                }
            });
            let (Some((index, path, place)), None) = (left.next(), left.next()) else { continue };
            let parts = [(first, *span), (path, place)];
            let joined = compose::joined(self.turn, self.tool, slot.name, notation, parts);
            if let Some(joined) = joined.filter(|_| slot.kind == notation.first) {
                self.used[index] = true;
                self.assigned.insert(slot.name.to_owned(), joined);
            }
        }
    }

    /// Lists take all values that are left, in the order of the words.
    fn lists(&mut self) {
        let lists = (0..self.slots.len()).filter(|slot| self.slots[*slot].list);
        let lists: Vec<usize> = lists.filter(|slot| self.is_open(*slot)).collect();
        for slot in &lists {
            let pairs: Vec<&Pair> = {
                let mut pairs: Vec<&Pair> = self.open().filter(|pair| pair.slot == *slot).collect();
                let is_best = |pair: &&Pair| {
                    let others = self.open().filter(|other| other.item == pair.item);
                    others.fold(f64::MIN, |best, other| best.max(other.score)) <= pair.score
                };
                pairs.retain(is_best);
                pairs
            };
            let mut pairs = pairs;
            pairs.sort_by_key(|pair| pair.item);
            if pairs.is_empty() {
                continue;
            }
            let values: Vec<&Value> =
                pairs.iter().map(|pair| self.items[pair.item].value).collect();
            let forms: Vec<Json> = pairs.iter().map(|pair| pair.form.clone()).collect();
            if !self.tool.accepts(self.slots[*slot].name, &Json::Array(forms.clone())) {
                continue;
            }
            pairs.iter().for_each(|pair| self.used[pair.item] = true);
            let list = self.whole_list(*slot, &values, forms);
            self.assigned.insert(self.slots[*slot].name.to_owned(), list);
        }
    }
}

impl Board<'_> {
    /// A list with the words that commas and "and" join to its values: those that no language has are items too ("17 and zeta"), and of
    /// others nobody knows.
    fn whole_list(&self, slot: usize, values: &[&Value], mut forms: Vec<Json>) -> Match {
        let slot = &self.slots[slot];
        let mut spans: Vec<Span> = values.iter().map(|value| value.span).collect();
        let mut unsure = false;
        if slot.kind == Kind::Identifier {
            for word in phrase::joined(self.turn, &spans) {
                let is_known = self.turn.said.has_word(word.text);
                unsure |= is_known && word.is_last;
                let form = Json::from(word.text);
                if !is_known && self.tool.accepts_item(slot.name, &form) {
                    let at = spans.iter().filter(|span| **span < word.span).count();
                    spans.insert(at, word.span);
                    forms.insert(at, form);
                }
            }
        }
        match unsure {
            true => Match::Unsure(vec![Json::Array(forms)]),
            false => all(self.turn, values, spans, forms),
        }
    }
}

/// Returns whether names differ by a number or a letter that says their place and by nothing else.
pub(super) fn is_serial(names: &[&str]) -> bool {
    let stem =
        |name: &str| name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_').to_owned();
    let letters = names.iter().all(|name| name.chars().count() == 1);
    let numbered = names.iter().all(|name| name.ends_with(|c: char| c.is_ascii_digit()));
    let same = names.windows(2).all(|pair| stem(pair[0]) == stem(pair[1]));
    let ordinal = ["first", "second", "third", "fourth"];
    let placed = names.iter().zip(ordinal).all(|(name, place)| name.contains(place))
        && names.len() <= ordinal.len();
    letters && letters_follow(names) || numbered && same || placed
}

/// Returns whether letters stand in the order of the alphabet, each next to the last: a b c, x y.
fn letters_follow(names: &[&str]) -> bool {
    let code = |name: &str| name.chars().next().map_or(0, |c| c.to_ascii_lowercase() as u32);
    names.windows(2).all(|pair| code(pair[1]) == code(pair[0]) + 1)
}

fn found(value: &Value, form: Json) -> Match {
    let evidence = Evidence::span(value.text.clone(), By::Rule(value.rule));
    // The zone that an instant is said with may be an argument of its own.
    let spans = if value.kind == Kind::Datetime { Vec::new() } else { vec![value.span] };
    Match::Found(FilledValue { value: form, evidence, spans })
}

/// Several values as one list; the receipt holds the words from the first to the last.
pub(super) fn all(
    turn: &Turn<'_>,
    values: &[&Value],
    spans: Vec<Span>,
    forms: Vec<Json>,
) -> Match {
    let start = spans.iter().map(|span| span.start).min().unwrap_or_default();
    let end = spans.iter().map(|span| span.end).max().unwrap_or_default();
    let words = turn.said.text.slice(Span { start, end });
    let by = values.first().map_or(By::Words, |value| By::Rule(value.rule));
    let evidence = Evidence::span(words, by);
    Match::Found(FilledValue { value: Json::Array(forms), evidence, spans })
}

//! The one assignment: gives what was said to the arguments that may take it, each at most once.
//!
//! The surest come first: values that words give to an argument, then the arguments of a series in the order of the words, then what is
//! left, where one value and one argument are the only ones for each other, then lists. Chance breaks no tie: a tie is a question.

pub(super) mod amount;
mod attach;
mod bounds;
pub(super) mod features;
mod list;
pub(super) mod names;
pub(super) mod number;
pub(super) mod said;

use serde_json::Value as Json;
use waypost_text::extract::{Kind, Operator, Role};
use waypost_text::text::Span;

use self::features::{Features, TOLD};
use super::phrase::is_joined;
use crate::pack::Tool;
use crate::understand::Turn;

/// What is dealt out together: arguments of one group are told apart by their places and roles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::decide::slots) enum Group {
    /// Numbers.
    Number,
    /// Values of a kind that extractors know.
    Of(Kind),
    /// Names of no kind.
    Name,
}

/// An argument that is open.
#[derive(Debug, Clone, Copy)]
pub(in crate::decide::slots) struct Slot<'a> {
    pub(in crate::decide::slots) name: &'a str,
    pub(in crate::decide::slots) group: Group,
    pub(in crate::decide::slots) role: Option<Role>,
    pub(in crate::decide::slots) list: bool,
    pub(in crate::decide::slots) required: bool,
}

/// When a value may fill an argument for which no words speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::decide::slots) enum Alone {
    /// Never.
    No,
    /// Never, but it is offered where the argument is asked for.
    Asked,
    /// If no other value of the text fills anything.
    Solitary,
    /// If it is the only one for the only argument.
    Yes,
}

/// A value that may fill an argument.
#[derive(Debug, Clone)]
pub(in crate::decide::slots) struct Offer {
    /// The places of the value and the argument.
    pub(in crate::decide::slots) item: usize,
    pub(in crate::decide::slots) slot: usize,
    pub(in crate::decide::slots) features: Features,
    /// The value as the argument takes it.
    pub(in crate::decide::slots) form: Json,
    pub(in crate::decide::slots) alone: Alone,
    /// True if it may take its turn in a series.
    pub(in crate::decide::slots) in_order: bool,
    /// How far it is one: what is marked as a value comes before what only looks like one.
    pub(in crate::decide::slots) class: u8,
}

/// What an argument was given.
#[derive(Debug, Clone)]
pub(in crate::decide::slots) enum Dealt {
    /// This value, of these items.
    Found(Vec<usize>, Json),
    /// One of these, and the words do not say which.
    Unsure(Vec<Json>),
}

/// What speaks for a value as that of an argument, for who asks why.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Weighed {
    /// The argument.
    pub(crate) argument: String,
    /// The value as the argument takes it, and the words that say it.
    pub(crate) value: Json,
    pub(crate) text: String,
    /// What speaks for it.
    pub(crate) features: Features,
}

/// The state of the dealing so far.
pub(in crate::decide::slots) struct Board<'a> {
    pub(in crate::decide::slots) turn: &'a Turn<'a>,
    pub(in crate::decide::slots) tool: &'a Tool,
    pub(in crate::decide::slots) slots: &'a [Slot<'a>],
    /// The places of the items in the text, in their order.
    pub(in crate::decide::slots) spans: &'a [Span],
    offers: Vec<Offer>,
    pub(in crate::decide::slots) used: Vec<bool>,
    pub(in crate::decide::slots) given: Vec<Option<Dealt>>,
}

impl<'a> Board<'a> {
    /// A board on which some arguments have been given their values.
    pub(in crate::decide::slots) fn new(
        turn: &'a Turn<'a>,
        tool: &'a Tool,
        slots: &'a [Slot<'a>],
        spans: &'a [Span],
        mut offers: Vec<Offer>,
        given: Vec<Option<Dealt>>,
    ) -> Self {
        offers.sort_by(|a, b| b.features.score().total_cmp(&a.features.score()));
        let mut used = vec![false; spans.len()];
        for one in given.iter().flatten() {
            if let Dealt::Found(items, _) = one {
                items.iter().for_each(|item| used[*item] = true);
            }
        }
        Self { turn, tool, slots, spans, offers, used, given }
    }

    /// Deals all that can be dealt.
    pub(in crate::decide::slots) fn deal(mut self) -> Self {
        self.told();
        self.in_order();
        self.alone();
        self.ask_either();
        self.ask_told();
        self.ask_open();
        self.lists();
        self
    }

    /// All offers, the surest first; `text` gives the words of an item.
    pub(super) fn weighed(&self, text: impl Fn(usize) -> String) -> Vec<Weighed> {
        let weighed = self.offers.iter().map(|offer| Weighed {
            argument: self.slots[offer.slot].name.to_owned(),
            value: offer.form.clone(),
            text: text(offer.item),
            features: offer.features,
        });
        weighed.collect()
    }

    fn is_free(&self, offer: &Offer) -> bool {
        !self.used[offer.item] && self.given[offer.slot].is_none()
    }

    /// The offers that are still possible, the surest first.
    fn open(&self) -> impl Iterator<Item = &Offer> {
        self.offers.iter().filter(|offer| self.is_free(offer))
    }

    /// The same for arguments that take one value.
    fn single(&self) -> impl Iterator<Item = &Offer> {
        self.open().filter(|offer| !self.slots[offer.slot].list)
    }

    fn give(&mut self, item: usize, slot: usize) {
        if let Some(form) = self.form(item, slot).cloned() {
            self.used[item] = true;
            self.given[slot] = Some(Dealt::Found(vec![item], form));
        }
    }

    fn form(&self, item: usize, slot: usize) -> Option<&Json> {
        let mut offers = self.offers.iter();
        let own = offers.find(|offer| offer.item == item && offer.slot == slot)?;
        Some(&own.form)
    }

    /// Asks which of several values an argument is to have; one that is said several times it simply has.
    fn ask(&mut self, slot: usize, items: &[usize]) {
        let mut items = items.to_vec();
        items.sort_unstable();
        let mut forms: Vec<Json> = Vec::new();
        for form in items.iter().filter_map(|item| self.form(*item, slot)) {
            if !forms.contains(form) {
                forms.push(form.clone());
            }
        }
        match (&forms[..], &items[..]) {
            ([], _) | (_, []) => {}
            ([_], [first, _, ..]) => self.give(*first, slot),
            _ => self.given[slot] = Some(Dealt::Unsure(forms)),
        }
    }

    /// Gives the values for which words speak to their arguments, the surest first. What tied may be clear when others are given.
    fn told(&mut self) {
        for _ in 0..self.slots.len() {
            let before = self.open_slots();
            self.give_told();
            if self.open_slots() == before {
                return;
            }
        }
    }

    fn open_slots(&self) -> usize {
        self.given.iter().filter(|given| given.is_none()).count()
    }

    fn give_told(&mut self) {
        for index in 0..self.offers.len() {
            let offer = &self.offers[index];
            let (item, score) = (offer.item, offer.features.score());
            let is_told = offer.features.told() >= TOLD;
            if !is_told || !self.is_free(offer) || self.slots[offer.slot].list {
                continue;
            }
            let Some(slot) = self.meant(offer) else { continue };
            // What is said twice is one value.
            let is_tie = |other: &Offer| {
                let score = is_same(other.features.score(), score);
                other.slot == slot && other.item != item && score && other.form != offer.form
            };
            if self.single().any(is_tie) {
                continue;
            }
            match self.either(item, slot) {
                Some(other) => {
                    self.ask(slot, &[item, other]);
                    self.used[item] = true;
                    self.used[other] = true;
                }
                None => self.give(item, slot),
            }
        }
    }

    /// The argument that is meant, where words speak for several alike: the only one that is needed, or the first that a pack
    /// describes.
    fn meant(&self, offer: &Offer) -> Option<usize> {
        let score = offer.features.score();
        let alike = self
            .single()
            .filter(|other| other.item == offer.item && is_same(other.features.score(), score));
        let alike: Vec<usize> = alike.map(|other| other.slot).collect();
        let needed = alike.iter().copied().filter(|slot| self.slots[*slot].required);
        let needed: Vec<usize> = needed.collect();
        let described = |slot: &usize| {
            let slot = &self.slots[*slot];
            slot.group != Group::Name && self.tool.is_annotated(slot.name)
        };
        match (&alike[..], &needed[..]) {
            ([only], _) | (_, [only]) => Some(*only),
            _ => alike.iter().any(described).then_some(offer.slot),
        }
    }

    /// Another value that an "or" offers for the same argument, or the other end of a range: "200 to 300 thousand nets".
    fn either(&self, item: usize, slot: usize) -> Option<usize> {
        let others = self.open().filter(|other| other.slot == slot && other.item != item);
        let mut others = others.map(|other| other.item);
        others.find(|other| self.has_or(item, *other) || self.are_ends(item, *other))
    }

    /// Returns whether two items are the ends of one range of numbers.
    fn are_ends(&self, one: usize, other: usize) -> bool {
        let ends = [self.spans[one], self.spans[other]];
        let mut stretches = self.turn.said.bounds().iter();
        stretches.any(|stretch| ends.iter().all(|end| end.overlaps(stretch.span)))
    }

    /// Returns whether an "or" joins two items: no other stands between them.
    fn has_or(&self, one: usize, other: usize) -> bool {
        let (one, other) = (self.spans[one], self.spans[other]);
        let (first, second) = (one.min(other), one.max(other));
        let gap = Span { start: first.end, end: second.start.max(first.end) };
        let divided = self.spans.iter().any(|span| gap.overlaps(*span));
        !divided && self.turn.said.discourse.has_or(first, second)
    }

    /// Arguments that are told apart by their place alone (`a` and `b`, `file1` and `file2`) take their values in the order of the
    /// words, and so do a source and a target whose values an "and" joins.
    fn in_order(&mut self) {
        let mut groups: Vec<Group> = Vec::new();
        for slot in self.slots {
            if !groups.contains(&slot.group) {
                groups.push(slot.group);
            }
        }
        for group in groups {
            let open = (0..self.slots.len()).filter(|slot| {
                self.given[*slot].is_none()
                    && !self.slots[*slot].list
                    && self.slots[*slot].group == group
            });
            let open: Vec<usize> = open.collect();
            let needed = open.iter().copied().filter(|slot| self.slots[*slot].required);
            let needed: Vec<usize> = needed.collect();
            let all = if matches!(group, Group::Of(_)) { open } else { Vec::new() };
            let series = [needed, all].into_iter().find_map(|slots| self.series(&slots, group));
            for (item, slot) in series.into_iter().flatten() {
                self.give(item, slot);
            }
        }
    }

    /// The values of a series of arguments, in the order of both.
    fn series(&self, slots: &[usize], group: Group) -> Option<Vec<(usize, usize)>> {
        let names: Vec<&str> = slots.iter().map(|slot| self.slots[*slot].name).collect();
        if slots.len() < 2 {
            return None;
        }
        let fits = |item: usize| {
            let offers = |slot: &usize| {
                let own =
                    |offer: &&Offer| offer.item == item && offer.slot == *slot && offer.in_order;
                self.open().find(own).is_some()
            };
            slots.iter().all(offers)
        };
        let mut items: Vec<usize> = (0..self.spans.len()).filter(|item| fits(*item)).collect();
        // "The two sides, 4 and 5": a word counts what the digits are.
        if items.len() > slots.len() && group == Group::Number {
            let digits = |item: &usize| {
                self.turn.said.text.slice(self.spans[*item]).contains(|c: char| c.is_ascii_digit())
            };
            items.retain(digits);
        }
        let roles: Vec<Option<Role>> = slots.iter().map(|slot| self.slots[*slot].role).collect();
        // "Between 300 and 400": the first is the start, and the second the end.
        let is_pair = || {
            let joined = |pair: &[usize]| {
                let (one, two) = (self.spans[pair[0]], self.spans[pair[1]]);
                let gap = Span { start: one.end, end: two.start.max(one.end) };
                is_joined(self.turn, gap) && self.turn.said.discourse.has(Operator::And, gap)
            };
            roles == [Some(Role::Source), Some(Role::Target)]
                && !matches!(group, Group::Of(_))
                && items.windows(2).all(joined)
        };
        let ordered = items.len() == slots.len() && (is_serial(&names) || is_pair());
        ordered.then(|| items.into_iter().zip(slots.iter().copied()).collect())
    }

    /// Gives what no word claims: one value to the one argument that can take it.
    fn alone(&mut self) {
        for _ in 0..self.slots.len() {
            let Some((item, slot)) = self.only() else { return };
            self.give(item, slot);
        }
    }

    /// The offers that count where no words speak: those of items that are no other side of an "or" that was taken.
    fn quiet(&self) -> impl Iterator<Item = &Offer> {
        let first = !self.used.contains(&true);
        let least = if first { Alone::Solitary } else { Alone::Yes };
        self.single().filter(move |offer| offer.alone >= least && !self.is_other_side(offer))
    }

    /// Returns whether an "or" joins an item to one that was taken and could have been this.
    fn is_other_side(&self, offer: &Offer) -> bool {
        let mut taken = self.offers.iter().filter(|other| {
            self.used[other.item] && other.slot == offer.slot && other.item != offer.item
        });
        taken.any(|other| self.has_or(other.item, offer.item))
    }

    /// A value and an argument that are the only ones for each other; of several arguments, the only one that is needed.
    fn only(&self) -> Option<(usize, usize)> {
        let quiet: Vec<&Offer> = self.quiet().collect();
        let of = |item: usize| quiet.iter().copied().filter(move |offer| offer.item == item);
        (0..self.spans.len()).filter(|item| !self.used[*item]).find_map(|item| {
            let best = of(item).map(|offer| self.rank(offer)).max_by(|a, b| total(*a, *b))?;
            let takers = of(item).filter(|offer| total(self.rank(offer), best).is_ge());
            let takers: Vec<&Offer> = takers.collect();
            let needed = takers.iter().copied().filter(|offer| self.slots[offer.slot].required);
            let needed: Vec<&Offer> = needed.collect();
            let taker = match (&takers[..], &needed[..]) {
                ([only], _) | (_, [only]) => *only,
                _ => return None,
            };
            // Only one argument takes 0.5 where the others take whole numbers: a rival that another can take as well goes there.
            let is_number = self.slots[taker.slot].group == Group::Number;
            let is_pinned = is_number && of(item).nth(1).is_none();
            let elsewhere =
                |rival: &Offer| is_pinned && of(rival.item).any(|other| other.slot != rival.slot);
            let is_weaker = |other: &Offer| total(self.rank(other), self.rank(taker)).is_lt();
            let mut rivals =
                quiet.iter().filter(|other| other.slot == taker.slot && other.item != item);
            let clear = rivals.all(|other| is_weaker(other) || elsewhere(other));
            clear.then_some((item, taker.slot))
        })
    }

    /// How sure an offer is for which no words speak: names differ by their class alone, as a word far away tells nothing.
    fn rank(&self, offer: &Offer) -> (Alone, u8, f64) {
        let is_name = self.slots[offer.slot].group == Group::Name;
        let score = if is_name { 0.0 } else { offer.features.score() };
        (offer.alone, offer.class, score)
    }

    /// An argument that has one side of an "or", or could have either, is asked about with both.
    fn ask_either(&mut self) {
        for slot in (0..self.slots.len()).filter(|slot| !self.slots[*slot].list) {
            let own = match &self.given[slot] {
                Some(Dealt::Found(items, _)) => items.clone(),
                Some(Dealt::Unsure(_)) => continue,
                None => self.free_for(slot).collect(),
            };
            let both = own.into_iter().find_map(|own| {
                let mut others = self.free_for(slot).filter(|other| *other != own);
                let is_other = |other: &usize| self.form(*other, slot) != self.form(own, slot);
                Some([own, others.find(|other| is_other(other) && self.has_or(own, *other))?])
            });
            if let Some(both) = both {
                self.ask(slot, &both);
            }
        }
    }

    /// The items that nothing took and that an argument could take.
    fn free_for(&self, slot: usize) -> impl Iterator<Item = usize> + '_ {
        let may = |offer: &&Offer| offer.alone > Alone::Asked || offer.features.told() >= TOLD;
        let own = self.offers.iter().filter(move |offer| offer.slot == slot).filter(may);
        own.map(|offer| offer.item).filter(|item| !self.used[*item])
    }

    /// An argument for which words speak for several values is asked about with those. What stands before the one that it has was
    /// only on the way to it.
    fn ask_told(&mut self) {
        for slot in (0..self.slots.len()).filter(|slot| !self.slots[*slot].list) {
            let own = match &self.given[slot] {
                None => None,
                Some(Dealt::Found(items, form)) => Some((items.clone(), form.clone())),
                Some(Dealt::Unsure(_)) => continue,
            };
            let told = self.offers.iter().filter(|offer| {
                let told = offer.slot == slot && offer.features.told() >= TOLD;
                let other = own.as_ref().is_none_or(|(items, form)| {
                    let later = items.iter().all(|own| self.spans[*own] < self.spans[offer.item]);
                    later && offer.form != *form
                });
                told && other && !self.used[offer.item]
            });
            let mut items: Vec<usize> = told.map(|offer| offer.item).collect();
            match own {
                Some((own, _)) if !items.is_empty() => items.extend(own),
                None if items.len() > 1 => {}
                _ => continue,
            }
            self.ask(slot, &items);
        }
    }

    /// An argument that is needed and that several values may be meant for is asked about with all of them.
    fn ask_open(&mut self) {
        for slot in 0..self.slots.len() {
            if self.slots[slot].list || !self.slots[slot].required || self.given[slot].is_some() {
                continue;
            }
            let fitting = self.open().filter(|offer| {
                offer.slot == slot && (offer.alone > Alone::No || offer.features.told() >= TOLD)
            });
            let fitting: Vec<(u8, usize)> =
                fitting.map(|offer| (offer.class, offer.item)).collect();
            let best = fitting.iter().map(|(class, _)| *class).max();
            let items = fitting.iter().filter(|(class, _)| Some(*class) == best);
            let items: Vec<usize> = items.map(|(_, item)| *item).collect();
            self.ask(slot, &items);
        }
    }

    /// Lists take all values that are left and fit no other argument better, in the order of the words. Several lists of numbers have
    /// none left to chance.
    fn lists(&mut self) {
        let numbers =
            |slot: usize| self.slots[slot].list && self.slots[slot].group == Group::Number;
        let several = (0..self.slots.len()).filter(|slot| numbers(*slot)).count() > 1;
        for slot in (0..self.slots.len()).filter(|slot| self.slots[*slot].list) {
            if self.given[slot].is_some() || several && numbers(slot) {
                continue;
            }
            let is_best = |offer: &&Offer| {
                let mut others = self.open().filter(|other| {
                    let told = other.features.told() >= TOLD;
                    let may = other.alone > Alone::Asked || told;
                    other.item == offer.item && other.slot != slot && may
                });
                others.all(|other| other.features.score() <= offer.features.score())
            };
            let fits = |offer: &&Offer| offer.slot == slot && offer.alone > Alone::Asked;
            let fitting = self.open().filter(fits).filter(is_best);
            let mut fitting: Vec<(usize, Json)> =
                fitting.map(|offer| (offer.item, offer.form.clone())).collect();
            fitting.sort_by_key(|(item, _)| *item);
            let (items, forms): (Vec<usize>, Vec<Json>) = fitting.into_iter().unzip();
            let list = Json::Array(forms);
            if items.is_empty() || !self.tool.accepts(self.slots[slot].name, &list) {
                continue;
            }
            items.iter().for_each(|item| self.used[*item] = true);
            self.given[slot] = Some(Dealt::Found(items, list));
        }
    }
}

/// The order of two ranks.
fn total(one: (Alone, u8, f64), other: (Alone, u8, f64)) -> std::cmp::Ordering {
    (one.0, one.1).cmp(&(other.0, other.1)).then(one.2.total_cmp(&other.2))
}

fn is_same(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-9
}

/// Returns whether names differ by a number or a letter that says their place and by nothing else.
pub(in crate::decide::slots) fn is_serial(names: &[&str]) -> bool {
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

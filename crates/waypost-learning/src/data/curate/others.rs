//! Measures what everybody else says of a text: how similar it is to the examples of each route,
//! and to what models said of it in other sessions.
//!
//! Labels of people take no part, so that many who lie together do not bear each other out. The sum
//! of a route's texts stands for it, and before the texts of a session are looked at, its own are
//! taken out.
//!
//! # Source
//!
//! Rocchio 1971, "Relevance feedback in information retrieval", for the sums; Cohen 1960, "A
//! coefficient of agreement for nominal scales", for the agreement beyond chance.

use std::collections::BTreeMap;

use super::statements::{Aim, Who};
use super::{Group, Limits};
use crate::features::{ByLanguage, Entry, FeatureConfig, Features, Scratch};
use crate::train::Labelled;

/// Routes, with their tools, that are told apart, the most frequent ones.
const MOST_AIMS: usize = 1024;

/// The weight of a text that a model gave its route, beside an example.
const WEAK: f32 = 0.5;

/// The fewest texts from which agreement can be told.
const ENOUGH: usize = 30;

/// A text as the others see it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct View {
    /// The aim whose texts are nearest, if any is near at all.
    pub(super) nearest: Option<usize>,
    /// Its own aim, where it is one of those told apart.
    own: Option<usize>,
    /// The similarity to its own aim, as a share of the similarity to the nearest.
    pub(super) share: f64,
    /// The probability that a random label would be taken for plausible.
    chance: f64,
    /// True if others said anything of its own aim.
    known: bool,
}

/// The sums of the texts of each aim.
pub(super) struct Others {
    /// The aim of each group, where it is one of those told apart.
    aims: Vec<Option<usize>>,
    vectors: Vec<Vec<Entry>>,
    sums: Sums,
    /// Examples of each aim.
    examples: Vec<usize>,
    /// The share of each aim in the labels of models.
    shares: Vec<f64>,
}

impl Others {
    pub(super) fn new(groups: &[Group<'_>], examples: &[Labelled]) -> Self {
        let of_examples: Vec<Aim<'_>> =
            examples.iter().map(|e| Aim::new(&e.route, &e.tools)).collect();
        let places = places(groups, &of_examples);
        let aims: Vec<Option<usize>> =
            groups.iter().map(|group| places.get(&group.first.aim).copied()).collect();
        let texts = groups.iter().map(|group| group.first.seen.as_str());
        let known = examples.iter().map(|example| example.text.as_str());
        let config = FeatureConfig::default();
        let all: Vec<&str> = texts.clone().chain(known.clone()).collect();
        let features = Features::fit(config, None, ByLanguage::all(0.0), &all, 1);
        let mut scratch = Scratch::default();
        let mut vector = |text: &str| {
            features.extract(text, &mut scratch);
            scratch.entries().to_vec()
        };
        let mut sums = Sums::new(config.buckets(), places.len());
        let mut counts = vec![0; places.len()];
        for (text, aim) in known.zip(&of_examples) {
            if let Some(aim) = places.get(aim) {
                sums.add(&vector(text), *aim, 1.0);
                counts[*aim] += 1;
            }
        }
        let vectors: Vec<Vec<Entry>> = texts.map(vector).collect();
        let mut shares = vec![0.0; places.len()];
        for (at, group) in groups.iter().enumerate() {
            let Some(aim) = aims[at].filter(|_| group.is_weak()) else { continue };
            sums.add(&vectors[at], aim, WEAK);
            shares[aim] += 1.0;
        }
        let total = shares.iter().sum::<f64>().max(1.0);
        shares.iter_mut().for_each(|share| *share /= total);
        Self { aims, vectors, sums, examples: counts, shares }
    }

    /// Returns how the others see each of `groups`.
    pub(super) fn views(&mut self, groups: &[Group<'_>], plausible: f64) -> Vec<View> {
        let mut together: BTreeMap<Who<'_>, Vec<usize>> = BTreeMap::new();
        let mut alone = Vec::new();
        for (at, group) in groups.iter().enumerate() {
            match group.backers.first_key_value() {
                Some((who, _)) if group.backers.len() == 1 => {
                    together.entry(*who).or_default().push(at);
                }
                _ => alone.push(vec![at]),
            }
        }
        let mut views = vec![View::default(); groups.len()];
        for own in together.into_values().chain(alone) {
            self.weigh(groups, &own, -WEAK);
            for at in &own {
                views[*at] = self.view(*at, plausible);
            }
            self.weigh(groups, &own, WEAK);
        }
        views
    }

    fn weigh(&mut self, groups: &[Group<'_>], own: &[usize], weight: f32) {
        for at in own {
            if let Some(aim) = self.aims[*at].filter(|_| groups[*at].is_weak()) {
                self.sums.add(&self.vectors[*at], aim, weight);
            }
        }
    }

    fn view(&mut self, at: usize, plausible: f64) -> View {
        let near = self.sums.nearness(&self.vectors[at]);
        let nearest = (0..near.len()).max_by(|a, b| near[*a].total_cmp(&near[*b]).then(b.cmp(a)));
        let Some(nearest) = nearest.filter(|nearest| near[*nearest] > 0.0) else {
            return View::default();
        };
        let floor = plausible * near[nearest];
        let plausible = near.iter().zip(&self.shares).filter(|(near, _)| **near >= floor);
        View {
            nearest: Some(nearest),
            own: self.aims[at],
            share: self.aims[at].map_or(0.0, |own| near[own] / near[nearest]),
            chance: plausible.map(|(_, share)| share).sum(),
            known: self.aims[at].is_some_and(|own| self.sums.texts[own] > 0),
        }
    }

    /// Returns how many statements of people against the others each aim has room for.
    pub(super) fn room(&self, groups: &[Group<'_>], views: &[View], limits: &Limits) -> Room {
        let mut texts = self.examples.clone();
        for (group, view) in groups.iter().zip(views) {
            if let Some(nearest) = view.nearest.filter(|_| group.is_weak()) {
                texts[nearest] += 1;
            }
        }
        let room = |texts: &usize| ((limits.against * *texts as f64) as usize).max(1);
        let room: Vec<usize> = texts.iter().map(room).collect();
        Room { from: room.clone(), to: room }
    }
}

/// The aims that are told apart: those with the most texts.
fn places<'a>(groups: &[Group<'a>], examples: &[Aim<'a>]) -> BTreeMap<Aim<'a>, usize> {
    let mut counts: BTreeMap<&Aim<'a>, usize> = BTreeMap::new();
    for aim in groups.iter().map(|group| &group.first.aim).chain(examples) {
        *counts.entry(aim).or_default() += 1;
    }
    let mut aims: Vec<(&Aim<'a>, usize)> = counts.into_iter().collect();
    aims.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    aims.truncate(MOST_AIMS);
    aims.into_iter().enumerate().map(|(place, (aim, _))| (aim.clone(), place)).collect()
}

/// The room that is left to take texts from each aim, and to give texts to it.
pub(super) struct Room {
    from: Vec<usize>,
    to: Vec<usize>,
}

impl Room {
    /// Takes a place and returns whether there was one; a text of which nobody else says anything
    /// needs none.
    pub(super) fn take(&mut self, view: &View) -> bool {
        let Some(from) = view.nearest else { return true };
        let to = view.own.unwrap_or(from);
        let has = self.from[from] > 0 && self.to[to] > 0;
        if has {
            self.from[from] -= 1;
            self.to[to] -= 1;
        }
        has
    }
}

/// Returns how far the models agree with the examples and each other beyond chance.
pub(super) fn agreement(groups: &[Group<'_>], views: &[View], plausible: f64) -> Option<f64> {
    let judged = groups.iter().zip(views).filter(|(group, view)| group.is_weak() && view.known);
    let (mut total, mut agreed, mut chance) = (0usize, 0.0, 0.0);
    for (_, view) in judged {
        total += 1;
        agreed += f64::from(u8::from(view.share >= plausible));
        chance += view.chance;
    }
    if total < ENOUGH {
        return None;
    }
    let (agreed, chance) = (agreed / total as f64, chance / total as f64);
    Some((agreed - chance) / (1.0 - chance).max(f64::MIN_POSITIVE))
}

/// Sums of vectors by aim, and their lengths.
struct Sums {
    stride: usize,
    /// A row of one number an aim for each bucket.
    rows: Vec<f32>,
    squares: Vec<f64>,
    /// The number of texts in each sum: the values in an empty one are rounding errors.
    texts: Vec<usize>,
    near: Vec<f32>,
}

impl Sums {
    fn new(buckets: usize, aims: usize) -> Self {
        Self {
            stride: aims,
            rows: vec![0.0; buckets * aims],
            squares: vec![0.0; aims],
            texts: vec![0; aims],
            near: vec![0.0; aims],
        }
    }

    /// Adds a text, or takes it out where `weight` is below 0.
    fn add(&mut self, vector: &[Entry], aim: usize, weight: f32) {
        for entry in vector {
            let cell = &mut self.rows[entry.bucket as usize * self.stride + aim];
            let before = f64::from(*cell);
            *cell += weight * entry.value;
            self.squares[aim] += f64::from(*cell) * f64::from(*cell) - before * before;
        }
        let texts = &mut self.texts[aim];
        *texts = if weight < 0.0 { texts.saturating_sub(1) } else { *texts + 1 };
    }

    /// The cosine of the angle between `vector` and each sum, times the length of `vector`; 0 for an
    /// empty sum.
    fn nearness(&mut self, vector: &[Entry]) -> Vec<f64> {
        self.near.fill(0.0);
        for entry in vector {
            let row = &self.rows[entry.bucket as usize * self.stride..][..self.stride];
            for (near, x) in self.near.iter_mut().zip(row) {
                *near += entry.value * x;
            }
        }
        let sums = self.near.iter().zip(&self.squares).zip(&self.texts);
        let cosine = |((near, square), texts): ((&f32, &f64), &usize)| {
            if *texts == 0 || *square <= 0.0 { 0.0 } else { f64::from(*near) / square.sqrt() }
        };
        sums.map(cosine).collect()
    }
}

//! Keeps a bounded number of decisions, which are found by their question or by one that was typed
//! a little differently.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp, Zoned, civil::Date};
use waypost_core::hash::Fnv;
use waypost_core::similarity::Shingles;

use super::super::Proposal;
use super::question::Question;
use super::slip;
use crate::pack::Pack;

/// The number of bands of a MinHash signature, and of minima in a band: texts that share half of
/// their shingles share a band in 99 of 100 cases.
const BANDS: usize = 16;
const ROWS: usize = 2;
/// The most questions of one band that are compared; any others in it are ignored.
const MOST_LIKE: usize = 16;

/// A decision, with everything that says whether it may be used again.
#[derive(Debug)]
struct Kept {
    question: Question,
    proposal: Proposal,
    bands: [u64; BANDS],
    /// The instant of the request.
    at: Timestamp,
    /// The day that it is good for, where it depends on the day.
    day: Option<Date>,
    /// The last use, counted in uses.
    used: u64,
}

/// Decisions by their question.
#[derive(Debug)]
pub(super) struct Shelf {
    entries: usize,
    ttl: SignedDuration,
    kept: HashMap<u64, Kept>,
    by_question: HashMap<Question, u64>,
    by_band: HashMap<u64, Vec<u64>>,
    by_use: BTreeMap<u64, u64>,
    uses: u64,
}

impl Shelf {
    pub(super) fn new(entries: usize, ttl: Duration) -> Self {
        Self {
            entries,
            ttl: SignedDuration::try_from(ttl).unwrap_or(SignedDuration::MAX),
            kept: HashMap::new(),
            by_question: HashMap::new(),
            by_band: HashMap::new(),
            by_use: BTreeMap::new(),
            uses: 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.kept.len()
    }

    pub(super) fn clear(&mut self) {
        *self = Self { entries: self.entries, ttl: self.ttl, ..Self::new(0, Duration::ZERO) };
    }

    /// Finds the decision for this question, or for one that differs from it by slips alone.
    pub(super) fn find(
        &mut self,
        question: &Question,
        now: &Zoned,
        pack: &Pack,
    ) -> Option<Proposal> {
        let id = match self.by_question.get(question) {
            Some(id) => *id,
            None => self.find_like(question, pack)?,
        };
        let kept = self.kept.get(&id)?;
        let age = now.timestamp().duration_since(kept.at);
        // A request from before the decision is a replay, to which the decision was not known.
        let is_fresh = !age.is_negative() && age <= self.ttl;
        if !is_fresh || kept.day.is_some_and(|day| day != now.date()) {
            return None;
        }
        let proposal = kept.proposal.clone();
        self.use_now(id);
        Some(proposal)
    }

    fn find_like(&self, question: &Question, pack: &Pack) -> Option<u64> {
        let words: Vec<&str> = question.words().collect();
        let is_same = |id: &u64| {
            self.kept.get(id).is_some_and(|kept| {
                kept.question.is_beside(question) && {
                    let own: Vec<&str> = kept.question.words().collect();
                    slip::are_same(&own, &words, |word| pack.knows(word))
                }
            })
        };
        let like = bands(question).into_iter().filter_map(|band| self.by_band.get(&band)).flatten();
        like.copied().find(is_same)
    }

    /// Keeps a decision, in the place of the one for the same question.
    pub(super) fn put(
        &mut self,
        question: Question,
        proposal: Proposal,
        now: &Zoned,
        of_day: bool,
    ) {
        if self.entries == 0 {
            return;
        }
        if let Some(id) = self.by_question.get(&question).copied() {
            self.remove(id);
        }
        while self.kept.len() >= self.entries {
            let Some((_, id)) = self.by_use.first_key_value() else { return };
            self.remove(*id);
        }
        self.uses += 1;
        let id = self.uses;
        let bands = bands(&question);
        for band in bands {
            let like = self.by_band.entry(band).or_default();
            if like.len() < MOST_LIKE && !like.contains(&id) {
                like.push(id);
            }
        }
        self.by_question.insert(question.clone(), id);
        self.by_use.insert(id, id);
        let day = of_day.then(|| now.date());
        let kept = Kept { question, proposal, bands, at: now.timestamp(), day, used: id };
        self.kept.insert(id, kept);
    }

    fn use_now(&mut self, id: u64) {
        self.uses += 1;
        if let Some(kept) = self.kept.get_mut(&id) {
            self.by_use.remove(&kept.used);
            kept.used = self.uses;
            self.by_use.insert(self.uses, id);
        }
    }

    fn remove(&mut self, id: u64) {
        let Some(kept) = self.kept.remove(&id) else { return };
        self.by_question.remove(&kept.question);
        self.by_use.remove(&kept.used);
        for band in kept.bands {
            if let Some(like) = self.by_band.get_mut(&band) {
                like.retain(|other| *other != id);
                if like.is_empty() {
                    self.by_band.remove(&band);
                }
            }
        }
    }
}

/// Returns the bands of a question's signature. Everything but the words is hashed whole into every
/// band, so that questions of other values never share one.
fn bands(question: &Question) -> [u64; BANDS] {
    let (setting, entities, text) = question.parts();
    let mut base = Fnv::default();
    base.write(setting.as_bytes());
    for entity in entities {
        base.write(&[0]);
        base.write(entity.as_bytes());
    }
    let letters: Vec<char> = text.chars().filter(|c| c.is_alphanumeric()).collect();
    let minima = Shingles::of(&letters).bands::<BANDS, ROWS>();
    std::array::from_fn(|band| {
        let mut hash = base;
        hash.write(&[band as u8]);
        for row in minima[band] {
            hash.write(&row.to_le_bytes());
        }
        hash.value()
    })
}

//! The tokens of configured models that callers spend in a day. Like requests they are given back evenly over it. Each
//! process counts for itself, and anew when it starts.

use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::Key;

const DAY: f64 = 24.0 * 60.0 * 60.0;
/// The most callers whose tokens are counted: as many as there may be keys, and as many with tokens of another service.
const MAX_CALLERS: usize = 20_000;
/// Who has spent all waits for this part of a day's tokens, because a single one is of no use.
const WORTH_IT: f64 = 0.01;

/// What all callers have spent.
#[derive(Debug, Default)]
pub(crate) struct Quotas(Mutex<BTreeMap<String, Spent>>);

/// What one caller has spent.
#[derive(Debug, Clone, Copy)]
struct Spent {
    /// Tokens that were not given back yet. An answer may have had more than were left.
    tokens: f64,
    /// The instant at which it was so.
    at: Instant,
    most: f64,
}

impl Spent {
    fn at(self, now: Instant) -> Self {
        let back = self.most * now.saturating_duration_since(self.at).as_secs_f64() / DAY;
        Self { tokens: (self.tokens - back).max(0.0), at: now, ..self }
    }
}

/// The tokens of one request: as many as it may have cost are taken until it is known what it has.
#[derive(Debug)]
pub(crate) struct Quota {
    quotas: Arc<Quotas>,
    caller: String,
    most: f64,
    taken: f64,
    /// The tokens that were left before.
    pub(crate) left: u64,
}

impl Quotas {
    /// Takes `wanted` tokens of a key's, or all that are left; nothing where nothing bounds them.
    ///
    /// # Errors
    ///
    /// If none is left, the time after which it is worth to ask again.
    pub(crate) fn take(
        self: &Arc<Self>,
        key: &Key,
        wanted: u64,
        now: Instant,
    ) -> Result<Option<Quota>, Duration> {
        let Some(most) = key.tokens_per_day.map(NonZeroU64::get) else { return Ok(None) };
        let most = most as f64;
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        make_room(&mut all, &key.id, now);
        let fresh = Spent { tokens: 0.0, at: now, most };
        let spent = all.entry(key.id.clone()).or_insert(fresh);
        *spent = Spent { most, ..spent.at(now) };
        let left = most - spent.tokens;
        if left < 1.0 {
            let needed = (most * WORTH_IT).max(1.0) - left;
            return Err(Duration::try_from_secs_f64(needed * DAY / most).unwrap_or(Duration::MAX));
        }
        let taken = (wanted as f64).min(left);
        spent.tokens += taken;
        let (quotas, caller) = (Arc::clone(self), key.id.clone());
        Ok(Some(Quota { quotas, caller, most, taken, left: left as u64 }))
    }
}

/// Makes room for a caller: those go who owe nothing, else the one who owes the least.
fn make_room(all: &mut BTreeMap<String, Spent>, caller: &str, now: Instant) {
    if all.len() < MAX_CALLERS || all.contains_key(caller) {
        return;
    }
    all.retain(|_, spent| spent.at(now).tokens > 0.0);
    if all.len() < MAX_CALLERS {
        return;
    }
    let least = all.iter().min_by(|(_, a), (_, b)| a.tokens.total_cmp(&b.tokens));
    if let Some(least) = least.map(|(caller, _)| caller.clone()) {
        all.remove(&least);
    }
}

impl Quota {
    /// Counts what the request has cost in place of what was taken for it.
    pub(crate) fn settle(self, tokens: u64) {
        let mut all = self.quotas.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let fresh = Spent { tokens: self.taken, at: now, most: self.most };
        let spent = all.entry(self.caller).or_insert(fresh);
        spent.tokens = (spent.tokens + tokens as f64 - self.taken).max(0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{KeyFile, NewKey};
    use super::*;

    fn key(most: u64) -> Key {
        let new = NewKey { tokens_per_day: NonZeroU64::new(most), ..NewKey::named("page") };
        KeyFile::default().add(new, jiff::Timestamp::UNIX_EPOCH).unwrap().0
    }

    #[test]
    fn what_was_taken_is_not_there_for_a_request_beside_and_comes_back_over_the_day() {
        let (quotas, key, now) = (Arc::new(Quotas::default()), key(1000), Instant::now());
        let first = quotas.take(&key, 700, now).unwrap().unwrap();
        let second = quotas.take(&key, 700, now).unwrap().unwrap();
        assert_eq!((first.left, second.left), (1000, 300));
        let wait = quotas.take(&key, 1, now).unwrap_err();
        assert_eq!(wait.as_secs(), 864, "a hundredth of a day");
        first.settle(100);
        assert_eq!(quotas.take(&key, 0, now).unwrap().unwrap().left, 600);
        let later = now + Duration::from_secs(60 * 60);
        assert_eq!(quotas.take(&key, 0, later).unwrap().unwrap().left, 641);
        let tomorrow = now + Duration::from_secs(48 * 60 * 60);
        assert_eq!(quotas.take(&key, 0, tomorrow).unwrap().unwrap().left, 1000);
        drop(second);
    }

    #[test]
    fn an_answer_that_had_more_than_was_left_is_paid_back_before_the_next() {
        let (quotas, key, now) = (Arc::new(Quotas::default()), key(1000), Instant::now());
        quotas.take(&key, 10, now).unwrap().unwrap().settle(2000);
        let wait = quotas.take(&key, 1, now + Duration::from_secs(1)).unwrap_err();
        assert!(wait > Duration::from_secs(24 * 60 * 60), "{wait:?}");
        let none = Key { tokens_per_day: None, ..key };
        assert!(quotas.take(&none, 1, now).unwrap().is_none(), "nothing bounds it");
    }

    #[test]
    fn more_callers_than_are_counted_forget_the_one_who_owes_the_least() {
        let now = Instant::now();
        let owes = |tokens| Spent { tokens, at: now, most: 1e9 };
        let mut all: BTreeMap<String, Spent> =
            (0..MAX_CALLERS).map(|n| (n.to_string(), owes(n as f64 + 1.0))).collect();
        make_room(&mut all, "7", now);
        assert_eq!(all.len(), MAX_CALLERS, "it is one of them");
        make_room(&mut all, "new", now);
        assert!(all.len() == MAX_CALLERS - 1 && !all.contains_key("0"));
        all.insert("fresh".to_owned(), owes(0.0));
        make_room(&mut all, "new", now);
        assert!(all.len() == MAX_CALLERS - 1 && !all.contains_key("fresh"));
    }
}

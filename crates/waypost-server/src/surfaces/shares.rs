//! Shares by key of what a server has a limit of: turns at work, requests, long bodies, forms. However much one key
//! asks for, there is room for the next.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use waypost::{Error, Result};

/// A limit that the keys of a server share.
///
/// A key takes one more only while more are free than it holds. So one key has at most half of all (rounded up), each
/// further one that takes what it gets has at most half of the rest, and a key that holds nothing gets one as long as any
/// is free. If all take again and again, they end with equal shares. Callers without a key are one owner and may take all,
/// because a server that has keys serves no one without.
///
/// # Source
///
/// Choudhury and Hahne 1998, "Dynamic queue length thresholds for shared-memory packet switches", with α = 1.
#[derive(Debug, Clone)]
pub(super) struct Shares(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    free: Arc<Semaphore>,
    limit: usize,
    /// How many each key holds; none that holds nothing.
    held: Mutex<HashMap<Arc<str>, usize>>,
    /// Tells keys that wait of each that is free again.
    freed: Notify,
}

/// One of what is shared; it is free again when dropped.
#[derive(Debug)]
pub(super) struct Share {
    shares: Shares,
    permit: Option<OwnedSemaphorePermit>,
    owner: Option<Arc<str>>,
}

impl Shares {
    /// So many, all free.
    pub(super) fn new(limit: usize) -> Self {
        let limit = limit.min(Semaphore::MAX_PERMITS);
        let free = Arc::new(Semaphore::new(limit));
        Self(Arc::new(Inner { free, limit, held: Mutex::default(), freed: Notify::new() }))
    }

    /// How many there are.
    pub(super) fn limit(&self) -> usize {
        self.0.limit
    }

    /// How many are held.
    pub(super) fn held(&self) -> usize {
        self.0.limit.saturating_sub(self.0.free.available_permits())
    }

    /// Returns whether an owner (the id of a key) may take one more now.
    pub(super) fn has_room(&self, owner: Option<&str>) -> bool {
        self.room(&self.by_key(), owner)
    }

    /// Takes one, if its owner may.
    pub(super) fn take(&self, owner: Option<&str>) -> Option<Share> {
        let mut held = self.by_key();
        if !self.room(&held, owner) {
            return None;
        }
        let permit = Arc::clone(&self.0.free).try_acquire_owned().ok()?;
        let owner: Option<Arc<str>> = owner.map(Arc::from);
        if let Some(owner) = &owner {
            *held.entry(Arc::clone(owner)).or_default() += 1;
        }
        Some(Share { shares: self.clone(), permit: Some(permit), owner })
    }

    /// Waits until its owner may take one. Callers without a key get theirs in the order of asking.
    pub(super) async fn wait(&self, owner: Option<&str>) -> Result<Share> {
        let Some(owner) = owner else {
            let permit = Arc::clone(&self.0.free).acquire_owned().await;
            let permit = permit.map_err(|error| Error::internal(error.to_string()))?;
            return Ok(Share { shares: self.clone(), permit: Some(permit), owner: None });
        };
        loop {
            let mut freed = std::pin::pin!(self.0.freed.notified());
            // What is freed between the look and the wait is heard of, too.
            freed.as_mut().enable();
            if let Some(share) = self.take(Some(owner)) {
                return Ok(share);
            }
            freed.await;
        }
    }

    /// Waits until none is held.
    pub(super) async fn ended(&self) {
        let all = u32::try_from(self.0.limit).unwrap_or(u32::MAX);
        let _ = self.0.free.acquire_many(all).await;
    }

    /// The error of an owner who gets none of them; `what` they are, in the plural.
    pub(super) fn refusal(&self, what: &str) -> Error {
        let limit = self.0.limit;
        let message = match self.held() < limit {
            true => format!("this key has its share of the {limit} {what} at once"),
            false => format!("the server works on {limit} {what}, the limit"),
        };
        Error::unavailable(message).with_hint("ask again in a second")
    }

    fn room(&self, held: &HashMap<Arc<str>, usize>, owner: Option<&str>) -> bool {
        let own = owner.and_then(|owner| held.get(owner)).copied().unwrap_or_default();
        self.0.free.available_permits() > own
    }

    fn by_key(&self) -> MutexGuard<'_, HashMap<Arc<str>, usize>> {
        self.0.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        if let Some(owner) = &self.owner {
            let mut held = self.shares.by_key();
            let left = held.get(owner).map_or(0, |count| count.saturating_sub(1));
            match left {
                0 => held.remove(owner),
                _ => held.insert(Arc::clone(owner), left),
            };
        }
        self.permit = None;
        self.shares.0.freed.notify_waiters();
    }
}

/// The owner who has the most of a number of things, and so makes room for one more; each is named once for each of them.
pub(super) fn fullest<'a>(owners: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    owners.for_each(|owner| *counts.entry(owner).or_default() += 1);
    counts.into_iter().max_by_key(|(_, count)| *count).map(|(owner, _)| owner)
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    /// As many as an owner gets.
    fn all(shares: &Shares, owner: Option<&str>) -> Vec<Share> {
        std::iter::from_fn(|| shares.take(owner)).collect()
    }

    #[test]
    fn one_key_has_at_most_half_and_each_next_one_half_of_the_rest() {
        let shares = Shares::new(64);
        let taken: Vec<Vec<Share>> = ["a", "b", "c", "d", "e", "f", "g"]
            .iter()
            .map(|owner| {
                assert!(shares.has_room(Some(*owner)), "{owner}");
                all(&shares, Some(*owner))
            })
            .collect();
        let counts: Vec<usize> = taken.iter().map(Vec::len).collect();
        assert_eq!(counts, [32, 16, 8, 4, 2, 1, 1]);
        assert!(shares.take(Some("h")).is_none() && shares.take(None).is_none());
        drop(taken);
        assert_eq!(shares.held(), 0);
        assert!(shares.by_key().is_empty(), "nothing is kept of a key that holds nothing");
    }

    #[test]
    fn callers_without_a_key_may_take_all_and_the_smallest_limit_serves_one() {
        for limit in [1, 2, 3] {
            let shares = Shares::new(limit);
            assert_eq!(all(&shares, None).len(), limit);
            assert_eq!(all(&shares, Some("a")).len(), limit.div_ceil(2));
        }
    }

    #[test]
    fn keys_that_take_again_and_again_end_with_equal_shares() {
        let shares = Shares::new(60);
        let mut held = [all(&shares, Some("a")), all(&shares, Some("b"))];
        for _ in 0..60 {
            for (owner, held) in ["a", "b"].iter().zip(&mut held) {
                held.pop();
                held.extend(all(&shares, Some(*owner)));
            }
        }
        assert!(held[0].len().abs_diff(held[1].len()) <= 1, "{:?}", held.map(|held| held.len()));
    }

    #[tokio::test]
    async fn who_waits_gets_one_when_its_owner_may_have_it() {
        let shares = Shares::new(2);
        let (own, other) = (shares.take(Some("a")).unwrap(), shares.take(None).unwrap());
        let mut waits = Box::pin(shares.wait(Some("a")));
        assert!(waits.as_mut().now_or_never().is_none());
        // One is free, and the key holds one: the last is for others.
        drop(other);
        assert!(waits.as_mut().now_or_never().is_none());
        drop(own);
        assert!(waits.as_mut().now_or_never().is_some());
        assert_eq!(shares.held(), 0);
    }

    #[test]
    fn whoever_has_the_most_makes_room() {
        assert_eq!(fullest(["a", "b", "b", "c"].into_iter()), Some("b"));
        assert_eq!(fullest(std::iter::empty()), None);
    }
}

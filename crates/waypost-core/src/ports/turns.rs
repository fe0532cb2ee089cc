//! One turn at a time in a conversation, in the order of asking.
//!
//! [`Turns`] keeps this order within a process. A store that several processes share keeps it among
//! them, too, and uses this for the requests of its own process.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Semaphore;

use crate::error::{Code, Error, Result};

/// The most requests that have or want the turn of one conversation. People send one after the other;
/// more come from a client that repeats itself.
pub const MAX_TURNS: usize = 16;

/// The turn of a conversation: while it lives nobody else has one. Dropping it ends the turn.
#[must_use = "the turn ends when this is dropped"]
pub struct TurnPermit(#[expect(dead_code, reason = "it is held, not read")] Box<dyn Send + Sync>);

impl TurnPermit {
    /// A permit that holds `held` for as long as it lives.
    pub fn holding(held: impl Send + Sync + 'static) -> Self {
        Self(Box::new(held))
    }
}

impl fmt::Debug for TurnPermit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TurnPermit")
    }
}

/// The conversations of which somebody has or wants the turn.
#[derive(Debug, Clone, Default)]
pub struct Turns(Arc<Mutex<BTreeMap<String, Queue>>>);

/// Those who have or want the turn of one conversation.
#[derive(Debug)]
struct Queue {
    /// One permit, given in the order of asking.
    turn: Arc<Semaphore>,
    members: usize,
}

/// A place in the queue of a conversation; it is given up when dropped.
#[derive(Debug)]
struct Place {
    turns: Turns,
    session: String,
}

impl Turns {
    /// Waits until nobody before has the turn of a conversation. Whoever stops waiting leaves the queue.
    ///
    /// # Errors
    ///
    /// `RESOURCE_EXHAUSTED` if [`MAX_TURNS`] requests have or want it already.
    pub async fn take(&self, session: &str) -> Result<TurnPermit> {
        let (place, turn) = self.queue(session)?;
        let permit = turn.acquire_owned().await.map_err(|e| Error::internal(e.to_string()))?;
        // The permit goes first, so that the queue lasts as long as somebody is in it.
        Ok(TurnPermit::holding((permit, place)))
    }

    fn queue(&self, session: &str) -> Result<(Place, Arc<Semaphore>)> {
        let mut queues = self.lock();
        let new = || Queue { turn: Arc::new(Semaphore::new(1)), members: 0 };
        let queue = queues.entry(session.to_owned()).or_insert_with(new);
        if queue.members >= MAX_TURNS {
            return Err(Error::new(
                Code::ResourceExhausted,
                "too many requests of this conversation wait",
            )
            .with_hint("send the next one when those before it are answered"));
        }
        queue.members += 1;
        let place = Place { turns: self.clone(), session: session.to_owned() };
        Ok((place, Arc::clone(&queue.turn)))
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Queue>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut queues = self.turns.lock();
        let Some(queue) = queues.get_mut(&self.session) else { return };
        queue.members -= 1;
        if queue.members == 0 {
            queues.remove(&self.session);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use futures_util::future::join_all;

    use super::*;

    #[tokio::test]
    async fn a_conversation_has_one_turn_at_a_time_in_the_order_of_asking() {
        let (turns, order) = (Turns::default(), Mutex::new(Vec::new()));
        let turn = async |n: usize| {
            let _turn = turns.take("ana").await.unwrap();
            order.lock().unwrap().push((n, "begins"));
            tokio::task::yield_now().await;
            order.lock().unwrap().push((n, "ends"));
        };
        join_all((0..MAX_TURNS).map(turn)).await;
        let wanted: Vec<_> = (0..MAX_TURNS).flat_map(|n| [(n, "begins"), (n, "ends")]).collect();
        assert_eq!(*order.lock().unwrap(), wanted);
        assert!(turns.lock().is_empty(), "nothing is kept of a conversation that rests");
    }

    #[tokio::test]
    async fn conversations_do_not_wait_for_each_other_and_queues_are_bounded() {
        let turns = Turns::default();
        let _ana = turns.take("ana").await.unwrap();
        let _ben = turns.take("ben").await.unwrap();
        let mut waiting: Vec<_> = (1..MAX_TURNS).map(|_| Box::pin(turns.take("ana"))).collect();
        for one in &mut waiting {
            assert!(one.as_mut().now_or_never().is_none());
        }
        let error = turns.take("ana").await.unwrap_err();
        assert_eq!(error.code(), Code::ResourceExhausted);
        // Those who leave make room.
        waiting.clear();
        assert!(turns.take("ana").now_or_never().is_none());
    }
}

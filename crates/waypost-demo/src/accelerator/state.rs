//! What a server remembers from call to call: the settings of the ring, notes, what was gathered.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::machine::Settings;
use super::shelf::Shelf;
use crate::finance::Memory;
use crate::pack::Context;

/// The most users whose notes are kept, and conversations whose lines are.
const MOST_OWNERS: usize = 1000;

/// The most notes that are kept of a user.
const MOST_NOTES: usize = 100;

/// The most lines that are kept of a conversation.
const MOST_GATHERED: usize = 20;

/// All that one server remembers.
#[derive(Debug)]
pub(super) struct State {
    pub(super) settings: Settings,
    pub(super) notes: Shelf,
    pub(super) gathered: Shelf,
}

impl Default for State {
    fn default() -> Self {
        Self {
            settings: Settings::default(),
            notes: Shelf::new(MOST_OWNERS, MOST_NOTES),
            gathered: Shelf::new(MOST_OWNERS, MOST_GATHERED),
        }
    }
}

/// The servers of this process, each by the memory that its calls share.
static SERVERS: Mutex<Vec<(Weak<Memory>, Arc<State>)>> = Mutex::new(Vec::new());

/// The state of the server that a call came to. A server is told by its memory, which a [`Weak`]
/// keeps from being taken for that of a later one; the state of one that ended goes with it.
pub(super) fn of(context: &Context) -> Arc<State> {
    // A call that broke off has left a whole list: each change is a single step.
    let mut servers = SERVERS.lock().unwrap_or_else(PoisonError::into_inner);
    servers.retain(|(memory, _)| memory.strong_count() > 0);
    let own = Arc::as_ptr(&context.memory);
    if let Some((_, state)) = servers.iter().find(|(memory, _)| memory.as_ptr() == own) {
        return Arc::clone(state);
    }
    let state = Arc::new(State::default());
    servers.push((Arc::downgrade(&context.memory), Arc::clone(&state)));
    state
}

//! A line that moves while somebody waits: on a terminal only, and only after a moment.
//!
//! It is drawn by hand, since a progress bar fills the line to its end: the `^C` that a terminal
//! echoes would then begin a line of its own, and the wrong one would be cleared.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};
use waypost::records::request::shorten;

use super::columns::clean;
use crate::output;

/// The time before it appears: a shorter wait needs no sign that something happens, since people
/// feel it as at once.
const QUIET: Duration = Duration::from_millis(300);
/// The time between two of its moves.
const TICK: Duration = Duration::from_millis(100);
/// The longest text that it shows, in characters: a line that breaks could not be drawn over.
const WIDEST: usize = 60;
const FRAMES: [char; 8] = ['⠋', '⠙', '⠸', '⠴', '⠦', '⠧', '⠇', '⠏'];

/// The line, shown or not yet.
#[derive(Debug)]
pub(super) struct Spinner {
    began: Instant,
    /// The instant at which it is drawn next; none where nobody looks.
    due: Option<Instant>,
    says: String,
    drawn: usize,
}

impl Spinner {
    /// A line that appears later, if `wanted`.
    pub(super) fn new(wanted: bool) -> Self {
        let began = Instant::now();
        Self { began, due: wanted.then(|| began + QUIET), says: String::new(), drawn: 0 }
    }

    /// Waits until it is time to draw it.
    pub(super) async fn due(&self) {
        match self.due {
            Some(due) => sleep_until(due).await,
            None => std::future::pending().await,
        }
    }

    pub(super) fn draw(&mut self) {
        let frame = FRAMES[self.drawn % FRAMES.len()];
        output::overwrite(format!("{frame} {} {}s", self.says, self.began.elapsed().as_secs()));
        self.drawn += 1;
        self.due = Some(Instant::now() + TICK);
    }

    /// Sets what it says is waited for, from the next drawing on.
    pub(super) fn say(&mut self, what: &str) {
        self.says = shorten(&clean(what), WIDEST);
    }

    /// Takes the line away for good: words follow, and it would be drawn over them.
    pub(super) fn stop(&mut self) {
        self.due = None;
        if std::mem::take(&mut self.drawn) > 0 {
            output::overwrite("");
        }
    }
}

//! Puts the tools of servers in service that did not answer when their pack was made, once they answer. They are tried beside the
//! turns, with pauses that double up to a bound, and at each turn, because a turn may want them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tracing::warn;
use waypost::pack::spec::ServerSpec;
use waypost::respond::execution::Servers;

use super::{Origin, configured};
use crate::assemble::AssemblyOptions;
use crate::config::Config;
use crate::surfaces::{Absent, Hosted, PackSlot};
use crate::{mcp_servers, output};

/// The first pause between two tries.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// The longest pause: a server that came back is noticed within a minute, also where nobody asks.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// The shortest pause between two tries, which turns wait for.
const MOMENT: Duration = Duration::from_millis(250);
/// The longest try: whoever is asked ends it before.
const LONGEST_TRY: Duration = Duration::from_secs(600);
/// The longest that a turn waits for a server that did not answer before.
const ANSWERS: Duration = Duration::from_secs(1);
/// The longest that a turn waits for the tools of a server that answers: its pack may train.
const SERVES: Duration = Duration::from_secs(10);

/// The servers of a pack that did not answer.
#[derive(Debug)]
pub(super) struct Returning {
    origin: Origin,
    /// The place of the pack among those of the origin.
    at: usize,
    config: Config,
    hosted: Weak<Hosted>,
    /// The threads of turns, on which packs live.
    threads: Handle,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    absent: Vec<ServerSpec>,
    /// The servers of the pack that run.
    live: Servers,
    /// The tries in a row at which none answered.
    failures: u32,
    /// The end of the latest try.
    latest: Option<Instant>,
    /// The try under way, and when it began.
    under_way: Option<(Instant, watch::Receiver<Stage>)>,
}

/// A try that somebody may wait for.
#[derive(Debug)]
enum Try {
    /// It was begun for this purpose.
    Own(watch::Receiver<Stage>),
    /// It had begun before, perhaps before a server came back.
    Joined(watch::Receiver<Stage>),
}

/// How far a try is, for those who wait for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Asked,
    Answered,
    Ended,
}

impl Returning {
    /// Tries the servers from now on that are absent from a pack in service.
    pub(super) fn start(
        origin: &Origin,
        at: usize,
        (config, hosted): (&Config, &Arc<Hosted>),
        (absent, live): (Vec<ServerSpec>, Servers),
    ) {
        if absent.is_empty() {
            return;
        }
        let state = State { absent, live, failures: 0, latest: None, under_way: None };
        let returning = Arc::new(Self {
            origin: origin.clone(),
            at,
            config: config.clone(),
            hosted: Arc::downgrade(hosted),
            threads: Handle::current(),
            state: Mutex::new(state),
        });
        // The pack holds it: one that is made anew has another, or none.
        let held = Arc::downgrade(&returning);
        if let Some(pack) = hosted.slots().get(at).and_then(PackSlot::pack) {
            pack.misses(Some(returning));
        }
        tokio::spawn(async move {
            while let Some(pause) = held.upgrade().and_then(|own| own.pause()) {
                tokio::time::sleep(pause).await;
                if let Some(Try::Own(mut stage) | Try::Joined(mut stage)) =
                    held.upgrade().and_then(|own| own.begin())
                {
                    reached(&mut stage, Stage::Ended).await;
                }
            }
        });
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The pause until the next try; `None` once all are there.
    fn pause(&self) -> Option<Duration> {
        let state = self.state();
        let doubled =
            FIRST_PAUSE.saturating_mul(1_u32.checked_shl(state.failures).unwrap_or(u32::MAX));
        (!state.absent.is_empty()).then(|| doubled.min(LONGEST_PAUSE))
    }

    /// Begins a try, or joins one that began a moment ago; `None` if nothing is absent, or the try under way takes long, because
    /// then it waits for a server that hangs.
    fn begin(self: &Arc<Self>) -> Option<Try> {
        let mut state = self.state();
        if state.absent.is_empty() {
            return None;
        }
        if let Some((began, stage)) = &state.under_way {
            return (began.elapsed() < ANSWERS).then(|| Try::Joined(stage.clone()));
        }
        let (sender, stage) = watch::channel(Stage::Asked);
        state.under_way = Some((Instant::now(), stage.clone()));
        let (own, threads, absent) = (Arc::clone(self), self.threads.clone(), state.absent.clone());
        // A pack may train, for which the threads of turns do not wait.
        self.threads.spawn_blocking(move || threads.block_on(own.try_all(absent, sender)));
        Some(Try::Own(stage))
    }

    /// The time until the next try may begin.
    fn moment(&self) -> Duration {
        let latest = self.state().latest;
        latest.map_or(Duration::ZERO, |latest| MOMENT.saturating_sub(latest.elapsed()))
    }

    async fn try_all(self: Arc<Self>, absent: Vec<ServerSpec>, stage: watch::Sender<Stage>) {
        let options = AssemblyOptions::default();
        let config = configured(&self.origin.sources[self.at], &self.config);
        let (config, options) = (config.as_ref(), &options);
        let ask = |spec| async move { (spec, mcp_servers::listed(spec, config, options).await) };
        let mut asked: FuturesUnordered<_> = absent.iter().map(ask).collect();
        let mut back = Servers::new();
        // One that answers does not wait for one that hangs, which is tried again.
        let until = |back: &Servers| if back.is_empty() { LONGEST_TRY } else { MOMENT };
        while let Ok(Some((spec, answer))) = tokio::time::timeout(until(&back), asked.next()).await
        {
            if let Ok((server, _)) = answer {
                back.insert(spec.name.clone(), server);
            }
        }
        drop(asked);
        let is_any = !back.is_empty();
        if is_any {
            let _ = stage.send(Stage::Answered);
            self.serve(back).await;
        }
        let mut state = self.state();
        state.failures = if is_any { 0 } else { state.failures.saturating_add(1) };
        state.latest = Some(Instant::now());
        state.under_way = None;
        drop(state);
        let _ = stage.send(Stage::Ended);
    }

    /// Puts the pack in service with the tools of servers that are back. Those that were there keep their names.
    async fn serve(self: &Arc<Self>, back: Servers) {
        let Some(hosted) = self.hosted.upgrade() else { return };
        let Some(pack) = hosted.slots().get(self.at).and_then(PackSlot::pack) else { return };
        let names: Vec<String> = back.keys().map(|name| format!("`{name}`")).collect();
        let names = names.join(", ");
        let live: Servers = self.state().live.clone().into_iter().chain(back).collect();
        let source = &self.origin.sources[self.at];
        match self.origin.rejoined(source, &self.config, live, pack.router().pack()).await {
            Ok(made) => {
                let is_any = !made.absent.is_empty();
                let absent = is_any.then(|| Arc::clone(self) as Arc<dyn Absent>);
                if !pack.rejoin(self.as_ref(), made.router, absent) {
                    return;
                }
                output::note(format!("the pack `{}` serves the tools of {names} now", pack.name()));
                let mut state = self.state();
                (state.absent, state.live) = (made.absent, made.live);
            }
            Err(failure) => {
                let why = failure.error().message();
                warn!("{names} answer, and their tools cannot be served: {why}");
            }
        }
    }
}

/// Waits until a try has come so far.
async fn reached(stage: &mut watch::Receiver<Stage>, wanted: Stage) {
    let _ = stage.wait_for(|stage| *stage == wanted || *stage == Stage::Ended).await;
}

#[async_trait]
impl Absent for Returning {
    async fn met(self: Arc<Self>) {
        // A try that was joined may have begun too early; the next one has not.
        for _ in 0..2 {
            tokio::time::sleep(self.moment()).await;
            let (mut stage, is_own) = match self.begin() {
                Some(Try::Own(stage)) => (stage, true),
                Some(Try::Joined(stage)) => (stage, false),
                None => return,
            };
            let answer = tokio::time::timeout(ANSWERS, reached(&mut stage, Stage::Answered)).await;
            if answer.is_ok() {
                let _ = tokio::time::timeout(SERVES, reached(&mut stage, Stage::Ended)).await;
            }
            if is_own || answer.is_err() {
                return;
            }
        }
    }
}

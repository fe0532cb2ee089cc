//! `waypost replay`: decisions that were written down, made again: as they were, or as another pack
//! or student would make them.

mod again;
mod bench;
mod changes;
mod with;

use indicatif::ProgressBar;
use jiff::Timestamp;
use waypost::ports::store::{Filter, Store};
use waypost::records::event::Record;
use waypost::{Code, Error};
use waypost_backends::stores::SqliteStore;

use super::events::when;
use crate::cli::ReplayArgs;
use crate::config::Config;
use crate::failure::Failure;
use crate::{assemble, output, progress};

/// The number of events in memory at once.
const PAGE: usize = 200;
/// The most characters of a text or a value that a line shows.
const SHOWN: usize = 60;
/// The time that `--with` looks back where nothing else is said.
const LAST_WEEK: &str = "7d";

pub(super) async fn run(args: &ReplayArgs, config: &Config) -> Result<u8, Failure> {
    match &args.with {
        None => again::run(args, config).await,
        Some(other) => with::run(args, other, config).await,
    }
}

/// The recorded decisions that the arguments name, a page at a time.
struct Recorded {
    store: Option<SqliteStore>,
    filter: Filter,
    from: Option<u64>,
    /// The number of events that can no longer be read.
    unreadable: u64,
    bar: ProgressBar,
}

impl Recorded {
    /// Opens those that the arguments name; `pack` is the name of their pack, `since` stands in for
    /// `--since` where it is not given.
    async fn open(
        args: &ReplayArgs,
        config: &Config,
        pack: Option<String>,
        since: Option<&str>,
    ) -> Result<Self, Failure> {
        let now = instant(args.now.as_deref())?;
        let since = args.since.as_deref().or(since);
        let since = since.map(|since| when::since(since, now)).transpose();
        let filter = Filter {
            called: args.session.clone(),
            kind: Some("router_event".to_owned()),
            pack,
            since: since.map_err(Failure::usage)?,
            decision: args.decision.clone(),
            ..Filter::default()
        };
        let store = assemble::kept(config).await?;
        if store.is_none() {
            output::note(format!("there are no events in `{}`", config.home.display()));
        }
        let from = store.is_some().then_some(0);
        Ok(Self { store, filter, from, unreadable: 0, bar: progress::count("replaying") })
    }

    /// The next of them, oldest first; `None` where there are no more.
    async fn next(&mut self) -> Result<Option<Vec<Record>>, Failure> {
        let (Some(store), Some(from)) = (&self.store, self.from) else {
            self.bar.finish_and_clear();
            return Ok(None);
        };
        let page = store.page(&self.filter, from, PAGE).await?;
        self.unreadable += page.unreadable;
        self.from = page.next;
        Ok(Some(page.records))
    }

    /// Notes that one of them is done.
    fn advance(&self) {
        self.bar.inc(1);
    }
}

/// The instant that `--since` counts back from.
fn instant(now: Option<&str>) -> Result<Timestamp, Failure> {
    let Some(text) = now else { return Ok(Timestamp::now()) };
    text.parse().map_err(|_| {
        let error = Error::invalid(format!("`{text}` is no instant"))
            .with_hint("write RFC 3339, such as `2025-11-06T09:00:00+08:00`");
        Failure::usage(error)
    })
}

/// The failure of a decision that was named and is not there.
fn unknown(id: &str) -> Failure {
    let error = Error::new(Code::NotFound, format!("there is no decision `{id}`"))
        .with_hint("`waypost events --type router_event --json` shows them with their ids");
    Failure::from(error)
}

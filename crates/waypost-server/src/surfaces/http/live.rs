//! `GET /v1/events`: the events of all turns as they happen, for those who run the server.
//!
//! The latest are held, so that a client that was away goes on where it was. One that reads too slowly is told how many it
//! missed; nobody waits for it. What is held of a conversation that was forgotten since, by whatever process, is given to nobody.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::{Extension, State};
use axum::http::HeaderMap;
use axum::response::Response;
use axum::response::sse::Event;
use futures_util::Stream;
use futures_util::stream::unfold;
use serde::Deserialize;
use serde_json::json;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use waypost::ports::store::{Filter, Store};
use waypost::records::event::Record;
use waypost_backends::stores::{Inlet, Redacting};

use super::Served;
use super::endpoints::streamed;
use super::problem::Problem;
use super::query::Query;
use crate::keys::Scope;
use crate::surfaces::caller::Caller;

/// The most events that are held.
const HELD: usize = 2_048;
/// The most events that are handed to a client at once.
const BATCH: usize = 64;

/// The latest events of a process, and who waits for more.
#[derive(Debug)]
pub(crate) struct Live {
    held: Mutex<VecDeque<(u64, Arc<Record>)>>,
    newest: watch::Sender<u64>,
    /// Tells the numbers of this process from those of the one before.
    epoch: i64,
    redacts: bool,
}

impl Live {
    /// Holds nothing yet; takes what is personal out of events, if they are kept so.
    pub(crate) fn new(redacts: bool) -> Arc<Self> {
        Arc::new(Self {
            held: Mutex::default(),
            newest: watch::Sender::new(0),
            epoch: jiff::Timestamp::now().as_millisecond(),
            redacts,
        })
    }

    fn take(&self, records: &[Record]) {
        let records = match self.redacts {
            true => Redacting.events(records.to_vec()),
            false => records.to_vec(),
        };
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let mut number = *self.newest.borrow();
        for record in records {
            number += 1;
            held.push_back((number, Arc::new(record)));
        }
        while held.len() > HELD {
            held.pop_front();
        }
        drop(held);
        self.newest.send_replace(number);
    }

    /// The events after a number, at most [`BATCH`], and how many of those between are not held any more.
    fn after(&self, number: u64) -> (Vec<(u64, Arc<Record>)>, u64) {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let first = held.front().map_or(*self.newest.borrow() + 1, |(first, _)| *first);
        let missed = first.saturating_sub(number + 1);
        let from = held.partition_point(|(own, _)| *own <= number);
        (held.iter().skip(from).take(BATCH).cloned().collect(), missed)
    }

    /// An event as it is sent.
    fn event(&self, number: u64, record: &Record) -> Event {
        let mut data = json!(record);
        data["seq"] = json!(number);
        let id = format!("{}-{number}", self.epoch);
        Event::default().id(id).event(record.event.name()).data(data.to_string())
    }

    /// The number after which a client goes on: that of the last event that it saw, if it is of this process; else the newest.
    fn begin(&self, seen: Option<&str>) -> u64 {
        let newest = *self.newest.borrow();
        let Some((epoch, number)) = seen.and_then(|id| id.split_once('-')) else { return newest };
        match (epoch.parse::<i64>(), number.parse::<u64>()) {
            (Ok(epoch), Ok(number)) if epoch == self.epoch => number.min(newest),
            // Of a process before this one: all that this one has.
            (Ok(_), Ok(_)) => 0,
            _ => newest,
        }
    }
}

/// Lets all events through, and holds the latest.
#[derive(Debug)]
pub(crate) struct Watched(pub(crate) Arc<Live>);

impl Inlet for Watched {
    fn events(&self, events: Vec<Record>) -> Vec<Record> {
        self.0.take(&events);
        events
    }
}

/// The events that a client wants.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Wanted {
    pack: Option<String>,
    session: Option<String>,
    decision: Option<String>,
    r#type: Option<String>,
}

pub(super) async fn events(
    State(served): State<Arc<Served>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Problem> {
    caller.needs(Scope::Admin).map_err(|error| Problem::from(&error))?;
    let seen = headers.get("last-event-id").and_then(|value| value.to_str().ok());
    let filter = Filter {
        called: wanted.session,
        decision: wanted.decision,
        kind: wanted.r#type,
        pack: wanted.pack,
        ..Filter::default()
    };
    let (from, live) = (served.live.begin(seen), Arc::clone(&served.live));
    let (stop, store) = (served.stop.clone(), Arc::clone(&served.store));
    // A key that is revoked while a stream is open sees nothing more.
    let may_go_on = move |caller: &Caller| match caller.key() {
        Some(key) => served.keys.still_has(key),
        None => !served.keys.are_needed(),
    };
    Ok(streamed(stream((live, store), filter, caller, from, (stop, may_go_on))))
}

/// The events after a number, until the server stops or the caller is not let in any more.
fn stream(
    (live, store): (Arc<Live>, Arc<dyn Store>),
    filter: Filter,
    caller: Caller,
    from: u64,
    (stop, may_go_on): (CancellationToken, impl Fn(&Caller) -> bool + Send + 'static),
) -> impl Stream<Item = Result<Event, Infallible>> + Send + 'static {
    let newest = live.newest.subscribe();
    let state = (live, store, filter, caller, from, stop, may_go_on, newest, VecDeque::new());
    unfold(state, |mut state| async move {
        let (live, store, filter, caller, at, stop, may_go_on, newest, waiting) = &mut state;
        loop {
            let next: Option<(u64, Arc<Record>)> = waiting.pop_front();
            if let Some((_, record)) = &next
                && is_forgotten(store.as_ref(), record).await
            {
                continue;
            }
            if !may_go_on(caller) {
                return None;
            }
            if let Some((number, record)) = next {
                return Some((Ok(live.event(number, &record)), state));
            }
            let (found, missed) = live.after(*at);
            let any = !found.is_empty();
            *at += missed;
            for (number, record) in found {
                *at = number;
                if caller.may_ask(&record.pack) && filter.takes(&record) {
                    waiting.push_back((number, record));
                }
            }
            if missed > 0 {
                let missed = json!({ "events": missed }).to_string();
                return Some((Ok(Event::default().event("missed").data(missed)), state));
            }
            if any {
                continue;
            }
            tokio::select! {
                () = stop.cancelled() => return None,
                changed = newest.wait_for(|newest| newest > at) => {
                    if changed.is_err() {
                        return None;
                    }
                }
            }
        }
    })
}

/// Returns whether the conversation of an event was forgotten since its turn began. A store that cannot be
/// asked cannot have been told to forget either.
async fn is_forgotten(store: &dyn Store, record: &Record) -> bool {
    let Some(session) = &record.session_id else { return false };
    store.was_forgotten(session, record.era).await.unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use waypost::records::era::Era;
    use waypost::records::event::Event as Told;
    use waypost_backends::stores::{Behind, MemoryStore};

    use super::*;

    fn record(n: u64) -> Record {
        Record {
            decision_id: format!("d{n}"),
            session_id: None,
            pack: "ocean".to_owned(),
            at: "2025-11-06T09:00:00Z".to_owned(),
            era: Era::default(),
            event: Told::Dropped { what: "trusted".to_owned(), why: "a test".to_owned() },
        }
    }

    #[tokio::test]
    async fn a_stream_ends_where_its_caller_is_not_let_in_any_more() {
        use futures_util::StreamExt as _;
        let live = Live::new(false);
        let valid = Arc::new(std::sync::atomic::AtomicBool::new(true));
        let still = Arc::clone(&valid);
        let may_go_on = move |_: &Caller| still.load(std::sync::atomic::Ordering::SeqCst);
        let stop = CancellationToken::new();
        let own = Arc::clone(&live);
        let of = (own, Arc::new(MemoryStore::new()) as Arc<dyn Store>);
        let events = stream(of, Filter::default(), Caller::own(), 0, (stop, may_go_on));
        let mut events = std::pin::pin!(events);
        live.take(&[record(1), record(2)]);
        assert!(events.next().await.is_some());
        valid.store(false, std::sync::atomic::Ordering::SeqCst);
        assert!(events.next().await.is_none(), "also what was ready to be sent");
    }

    #[tokio::test]
    async fn what_was_forgotten_is_in_no_stream_and_what_was_said_since_is() {
        use futures_util::StreamExt as _;
        use futures_util::future::FutureExt as _;
        let (live, kept) = (Live::new(false), Arc::new(MemoryStore::new()));
        let store: Arc<dyn Store> = Arc::new(Behind::new(Watched(Arc::clone(&live)), kept.clone()));
        let said = |n: u64, session: &str, era: Era| {
            store.append(vec![Record { session_id: Some(session.to_owned()), era, ..record(n) }]);
        };
        let before = store.era().await.unwrap();
        for n in [1, 2] {
            said(n, "gone", before);
        }
        said(3, "stays", before);
        let stop = (CancellationToken::new(), |_: &Caller| true);
        let of = (Arc::clone(&live), Arc::clone(&store));
        let mut events = std::pin::pin!(stream(of, Filter::default(), Caller::own(), 0, stop));
        let mut next = async || format!("{:?}", events.next().await);
        assert!(next().await.contains("d1"));
        // In another process, while an event of it is ready to be sent.
        kept.forget("gone").await.unwrap();
        assert!(next().await.contains("d3"));
        // What a turn of before says late, and a conversation that begins anew.
        said(4, "gone", before);
        said(5, "gone", store.era().await.unwrap());
        assert!(next().await.contains("d5"));
        assert!(next().now_or_never().is_none());
    }

    #[test]
    fn a_client_goes_on_where_it_was_and_is_told_what_it_missed() {
        let live = Live::new(false);
        let records: Vec<Record> = (0..HELD as u64 + 100).map(record).collect();
        live.take(&records);
        let (found, missed) = live.after(0);
        assert_eq!((missed, found[0].0, found.len()), (100, 101, BATCH));
        let (found, missed) = live.after(HELD as u64 + 99);
        assert_eq!((missed, found.len()), (0, 1));
        let epoch = live.epoch;
        for (seen, from) in [
            (None, HELD as u64 + 100),
            (Some(format!("{epoch}-7")), 7),
            (Some(format!("{epoch}-999999")), HELD as u64 + 100),
            (Some("1-7".to_owned()), 0),
            (Some("nonsense".to_owned()), HELD as u64 + 100),
        ] {
            assert_eq!(live.begin(seen.as_deref()), from, "{seen:?}");
        }
    }
}

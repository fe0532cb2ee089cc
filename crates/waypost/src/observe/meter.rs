//! Meters model calls: notes of each which model was asked, how long it took, and the tokens that its
//! server counted.
//!
//! A call is noted when it ends, and also where it is given up in the middle; its tokens are not known
//! then. A call that is not made, since the same was asked in the same turn, is not noted.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use futures_util::StreamExt;
use tokio_util::sync::CancellationToken;
use waypost_core::error::Result;
use waypost_core::ports::clock::Clock;
use waypost_core::ports::model::{Model, Piece, Pieces, Prompt, Reply, Slot, Usage};
use waypost_core::records::event::{Event, ModelCall, Purpose, ToolTokens};

use crate::observe::events::schema_name;
use crate::pack::Pack;
use crate::respond::execution::milliseconds;

/// The kind of reply that holds the arguments of one tool, as `decide::cascade::interpret` calls it.
const READING: &str = "interpretation";

/// The model calls of some work.
#[derive(Debug, Clone)]
pub(crate) struct Meter {
    clock: Arc<dyn Clock>,
    /// The tokens of the schemas of all tools of the pack.
    all: u64,
    calls: Arc<Mutex<Vec<ModelCall>>>,
}

impl Meter {
    pub(crate) fn new(clock: &Arc<dyn Clock>, pack: &Pack) -> Self {
        let all = pack.tool_tokens() as u64;
        Self { clock: Arc::clone(clock), all, calls: Arc::default() }
    }

    /// The model of a slot, its calls noted here.
    pub(crate) fn model<'a>(&'a self, slot: Slot, inner: &'a dyn Model) -> MeteredModel<'a> {
        MeteredModel { meter: self, slot, inner }
    }

    /// Takes the calls that were noted so far, as the events of a route.
    pub(crate) fn take(&self, route: &str, purpose: Purpose) -> Vec<Event> {
        let calls = std::mem::take(&mut *self.calls());
        let event = |call: ModelCall| {
            let reads = call.purpose == Purpose::Read && purpose == Purpose::Decide;
            let purpose = if reads { Purpose::Read } else { purpose };
            Event::ModelEvent(ModelCall { purpose, route: route.to_owned(), ..call })
        };
        calls.into_iter().map(event).collect()
    }

    fn calls(&self) -> MutexGuard<'_, Vec<ModelCall>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A model whose calls are noted.
#[derive(Debug)]
pub(crate) struct MeteredModel<'a> {
    meter: &'a Meter,
    slot: Slot,
    inner: &'a dyn Model,
}

impl MeteredModel<'_> {
    fn begin(&self, prompt: &Prompt) -> Running {
        let purpose = match schema_name(prompt) {
            READING => Purpose::Read,
            _ => Purpose::Decide,
        };
        let call = ModelCall {
            slot: self.slot,
            model: self.inner.name().to_owned(),
            purpose,
            route: String::new(),
            usage: None,
            tools: (prompt.tool_tokens > 0)
                .then(|| ToolTokens { sent: u64::from(prompt.tool_tokens), all: self.meter.all }),
            model_latency_ms: 0.0,
            code: None,
        };
        Running { meter: self.meter.clone(), started: self.meter.clock.elapsed(), call }
    }
}

/// A call under way, which is noted when this is dropped.
struct Running {
    meter: Meter,
    started: Duration,
    call: ModelCall,
}

impl Running {
    /// Takes in what a piece of the reply says of the call.
    fn hear(&mut self, piece: &Result<Piece>) {
        match piece {
            Ok(Piece::Words(_) | Piece::Cut(_)) => {}
            Ok(Piece::Usage(usage)) => self.call.usage = Some(*usage),
            Err(error) => self.call.code = Some(error.code()),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let took = self.meter.clock.elapsed().saturating_sub(self.started);
        let call = ModelCall { model_latency_ms: milliseconds(took), ..self.call.clone() };
        self.meter.calls().push(call);
    }
}

#[async_trait]
impl Model for MeteredModel<'_> {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn cost(&self, usage: Usage) -> f64 {
        self.inner.cost(usage)
    }

    async fn complete(&self, prompt: &Prompt, cancel: &CancellationToken) -> Result<Reply> {
        let mut running = self.begin(prompt);
        let reply = self.inner.complete(prompt, cancel).await;
        match &reply {
            Ok(reply) => running.call.usage = reply.usage,
            Err(error) => running.call.code = Some(error.code()),
        }
        reply
    }

    async fn stream(&self, prompt: &Prompt, cancel: &CancellationToken) -> Result<Pieces> {
        let mut running = self.begin(prompt);
        match self.inner.stream(prompt, cancel).await {
            Ok(pieces) => Ok(pieces.inspect(move |piece| running.hear(piece)).boxed()),
            Err(error) => {
                running.call.code = Some(error.code());
                Err(error)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::stream;
    use waypost_core::error::{Code, Error};
    use waypost_core::ports::model::Usage;
    use waypost_testing::StillClock;

    use super::*;

    const USAGE: Usage = Usage { prompt: 9, cached: 3, reply: 2 };

    /// Replies to a decision, streams words and their tokens, and fails where nothing may be said.
    #[derive(Debug)]
    struct Counting;

    #[async_trait]
    impl Model for Counting {
        fn name(&self) -> &'static str {
            "counting"
        }

        async fn complete(&self, prompt: &Prompt, _: &CancellationToken) -> Result<Reply> {
            if prompt.max_tokens == 0 {
                return Err(Error::unavailable("nothing may be said"));
            }
            Ok(Reply { text: "yes".to_owned(), usage: Some(USAGE), truncated: false })
        }

        async fn stream(&self, _: &Prompt, _: &CancellationToken) -> Result<Pieces> {
            let pieces = [Ok(Piece::from("some ")), Ok(Piece::from("words"))];
            let usage = [Ok(Piece::Usage(USAGE))];
            Ok(stream::iter(pieces.into_iter().chain(usage)).boxed())
        }
    }

    fn pack() -> Pack {
        Pack::listed("made-up", &[]).expect("a pack without faults")
    }

    fn prompt(to: Option<&str>, max_tokens: u32) -> Prompt {
        Prompt {
            messages: Vec::new(),
            schema: to.map(|name| (name.to_owned(), serde_json::Value::Null)),
            tool_tokens: if to.is_some() { 7 } else { 0 },
            max_tokens,
            temperature: 0.0,
            timeout: Duration::from_secs(1),
        }
    }

    /// What was noted for a purpose: the purpose of each call, whether it was counted, its code.
    fn noted(meter: &Meter, purpose: Purpose) -> Vec<(Purpose, bool, Option<Code>)> {
        let events = meter.take("help", purpose).into_iter().map(|event| match event {
            Event::ModelEvent(call) => {
                assert_eq!((call.slot, call.route.as_str()), (Slot::Light, "help"));
                assert_eq!(call.model, "counting");
                let told = call.tools.map(|tools| tools.sent);
                assert!(told.is_none_or(|sent| sent == 7));
                assert_eq!(told.is_some(), matches!(purpose, Purpose::Decide | Purpose::Shadow));
                assert!(call.usage.is_none_or(|usage| usage == USAGE));
                (call.purpose, call.usage.is_some(), call.code)
            }
            other => panic!("{other:?}"),
        });
        events.collect()
    }

    #[tokio::test]
    async fn every_call_is_noted_once_with_its_purpose() {
        let clock: Arc<dyn Clock> = Arc::new(StillClock);
        let (meter, cancel) = (Meter::new(&clock, &pack()), CancellationToken::new());
        let model = meter.model(Slot::Light, &Counting);
        for to in ["decision", READING] {
            model.complete(&prompt(Some(to), 9), &cancel).await.unwrap();
        }
        let both = [(Purpose::Decide, true, None), (Purpose::Read, true, None)];
        assert_eq!(noted(&meter, Purpose::Decide), both);
        assert!(noted(&meter, Purpose::Decide).is_empty(), "they were taken");

        model.complete(&prompt(Some(READING), 9), &cancel).await.unwrap();
        assert_eq!(noted(&meter, Purpose::Shadow), [(Purpose::Shadow, true, None)]);

        model.complete(&prompt(None, 0), &cancel).await.unwrap_err();
        let failed = [(Purpose::Audit, false, Some(Code::Unavailable))];
        assert_eq!(noted(&meter, Purpose::Audit), failed);
    }

    #[tokio::test]
    async fn a_stream_is_noted_when_it_is_over_and_when_nobody_listens_any_more() {
        let clock: Arc<dyn Clock> = Arc::new(StillClock);
        let (meter, cancel) = (Meter::new(&clock, &pack()), CancellationToken::new());
        let model = meter.model(Slot::Light, &Counting);
        let mut pieces = model.stream(&prompt(None, 9), &cancel).await.unwrap();
        assert!(noted(&meter, Purpose::Write).is_empty(), "it goes on");
        while pieces.next().await.is_some() {}
        drop(pieces);
        assert_eq!(noted(&meter, Purpose::Write), [(Purpose::Write, true, None)]);

        let mut pieces = model.stream(&prompt(None, 9), &cancel).await.unwrap();
        pieces.next().await.unwrap().unwrap();
        drop(pieces);
        assert_eq!(noted(&meter, Purpose::Write), [(Purpose::Write, false, None)]);
    }
}

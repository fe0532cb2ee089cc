//! Another student is put in service while a turn runs: the turn ends with the one it began with.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use futures_util::stream::{self, StreamExt};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use waypost::learning::Bundle;
use waypost::pack::Pack;
use waypost::ports::model::{Model, Piece, Pieces, Prompt, Reply, Slot};
use waypost::records::event::Event;
use waypost::records::rollout::{Key, Rollout, Setting};
use waypost::router::{AnswerOptions, Parts, Router};
use waypost::student::in_service::InService;
use waypost::{Code, Result};
use waypost_testing::StillClock;

use super::cases::{request, runtime};
use super::parts::{Counting, Kept, Trained, trained};

/// A model that puts a student in service whenever it is asked.
#[derive(Debug)]
struct Meddling {
    service: InService,
    pack: Arc<Pack>,
    next: Arc<Bundle>,
}

#[async_trait]
impl Model for Meddling {
    fn name(&self) -> &'static str {
        "meddling"
    }

    async fn complete(&self, _: &Prompt, _: &CancellationToken) -> Result<Reply> {
        self.service.swap(&self.pack, Arc::clone(&self.next))?;
        let text = r#"{"decision":"retrieval","confidence":0.9,"rationale":"so it is"}"#;
        Ok(Reply { text: text.to_owned(), usage: None, truncated: false })
    }

    async fn stream(&self, _: &Prompt, _: &CancellationToken) -> Result<Pieces> {
        Ok(stream::iter([Ok(Piece::from("an answer"))]).boxed())
    }
}

/// The help desk before and after a change of its summary: two students that are told apart.
fn two() -> (Trained, Arc<Bundle>) {
    let summary = "summary: Answers questions about a language, writes";
    let after = trained(&[(summary, "summary: Answers questions on a language, writes")]);
    let before = trained(&[]);
    assert_ne!(before.bundle.id(), after.bundle.id());
    (before, after.bundle)
}

/// A router that always asks the model, and what it emits.
fn meddled(before: &Trained, next: &Arc<Bundle>) -> (Router, Arc<Kept>) {
    let (pack, next) = (Arc::clone(&before.pack), Arc::clone(next));
    let service = InService::from(Arc::clone(&before.bundle));
    let model = Meddling { service: service.clone(), pack: Arc::clone(&pack), next };
    let off = Key::find("layer.linear").map(|key| (key, Setting::Off));
    let store = Arc::new(Kept::default());
    let router = Router::new(Parts {
        pack,
        bundle: service,
        models: BTreeMap::from([(Slot::Main, Arc::new(model) as Arc<dyn Model>)]),
        servers: BTreeMap::new(),
        encoder: None,
        retriever: Arc::new(Counting::default()),
        store: Arc::<Kept>::clone(&store),
        clock: Arc::new(StillClock),
        rollout: Rollout::new(&BTreeMap::new(), &off.into_iter().collect()).unwrap(),
        recall: None,
    });
    (router, store)
}

#[test]
fn a_turn_ends_with_the_student_that_it_began_with() {
    let (before, after) = two();
    let (router, store) = meddled(&before, &after);
    let (runtime, cancel) = (runtime(), CancellationToken::new());
    let (out, _pieces) = mpsc::channel(64);
    let answer = || {
        let request = request("what does addVar do");
        let answer = router.answer(&request, AnswerOptions::default(), &out, &cancel);
        runtime.block_on(answer).unwrap().raw.plan["bundle"].clone()
    };
    assert_eq!(answer(), before.bundle.id(), "it was put in service while this turn ran");
    assert_eq!(answer(), after.id());
    let routed = |event: Event| match event {
        Event::RouterEvent(routed) => Some(routed.decision.bundle),
        _ => None,
    };
    let emitted: Vec<String> = store.take().into_iter().filter_map(routed).collect();
    assert_eq!(emitted, [before.bundle.id(), after.id()]);
    let (before_id, after_id) = (before.bundle.id(), after.id());
    for decide in ["route", "why"] {
        router.swap(Arc::clone(&before.bundle)).unwrap();
        let request = request("what does addParam do");
        let decision = match decide {
            "why" => runtime.block_on(router.why(&request, &cancel)).unwrap().decision,
            _ => runtime.block_on(router.route(&request, &cancel)).unwrap(),
        };
        assert_eq!(decision.bundle, before_id, "{decide}");
        assert_eq!(router.bundle().id(), after_id, "{decide}");
    }
}

#[test]
fn a_student_of_another_pack_is_not_put_in_service() {
    let (before, after) = two();
    let (router, _) = meddled(&before, &after);
    let other = trained(&[("name: helpdesk", "name: frontdesk")]);
    let error = router.swap(other.bundle).map(|_| ()).unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
    assert!(error.message().contains("`frontdesk`") && error.hint().is_some(), "{error}");
    assert_eq!(router.bundle().id(), before.bundle.id());
    let out_of_service = router.swap(Arc::clone(&after)).unwrap();
    assert_eq!(out_of_service.id(), before.bundle.id());
}

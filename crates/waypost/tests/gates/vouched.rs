//! The word of a platform is about the call that its request declares, or that waits. It vouches for nothing that words are read
//! as, whoever reads them and in whatever turn, and for nothing that an earlier request asked for.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use async_trait::async_trait;
use serde_json::{Value as Json, json};
use tokio_util::sync::CancellationToken;
use waypost::decide::cascade::{Recall, Worth, Worths};
use waypost::ports::model::{Model, Pieces, Prompt, Reply, Slot};
use waypost::ports::store::Store;
use waypost::records::request::Request;
use waypost::records::session::Session;
use waypost::router::{AnswerOptions, Parts, Router};
use waypost::{Code, Error, Result};
use waypost_testing::OneSession;

use super::parts::{Land, Trained, parts, trained};

/// A model that always wants the same tool.
#[derive(Debug)]
struct Wants(&'static str);

#[async_trait]
impl Model for Wants {
    fn name(&self) -> &'static str {
        "wants"
    }

    async fn complete(&self, _: &Prompt, _: &CancellationToken) -> Result<Reply> {
        let reply = json!({
            "decision": "tool",
            "confidence": 1.0,
            "tool": { "name": self.0, "arguments": {} },
        });
        Ok(Reply { text: reply.to_string(), usage: None, truncated: false })
    }

    async fn stream(&self, _: &Prompt, _: &CancellationToken) -> Result<Pieces> {
        Err(Error::new(Code::InvalidArgument, "it only decides"))
    }
}

/// Words that only a model makes anything of.
const MUMBLED: &str = "qwxz kjhg vbnm";

fn pack() -> Trained {
    static PACK: LazyLock<Trained> = LazyLock::new(trained);
    PACK.clone()
}

/// Two programs over one store: one with a model that wants something, whose decisions are kept, and one without.
struct Programs {
    with_model: Router,
    plain: Router,
    land: Arc<Land>,
    store: Arc<OneSession>,
}

impl Programs {
    fn new(wants: &'static str) -> Self {
        let (land, store) = (Land::new(1), Arc::new(OneSession::default()));
        let own = || parts(&pack(), Arc::<Land>::clone(&land), Arc::<OneSession>::clone(&store));
        let model: Arc<dyn Model> = Arc::new(Wants(wants));
        let recall = Some(Arc::new(Recall::of(&pack().pack.spec.policy)));
        let models = BTreeMap::from([(Slot::Main, model)]);
        let always = Worth { asked: 1_000_000, right: 1_000_000 };
        let with_model = Router::new(Parts { models, recall, ..own() });
        let with_model =
            with_model.believing(Worths { choosing: always, reading: always }.belief(None));
        Self { with_model, plain: Router::new(own()), land, store }
    }

    fn made(&self) -> Vec<String> {
        self.land.take().into_iter().map(|call| call.tool).collect()
    }
}

async fn answer(router: &Router, request: &Request) -> Json {
    let (out, _) = tokio::sync::mpsc::channel(1);
    let never = CancellationToken::new();
    router.answer(request, AnswerOptions::default(), &out, &never).await.unwrap().raw.plan
}

/// A request of a platform that is believed.
fn request(text: &str) -> Request {
    let now = Some("2025-11-06T09:00:00Z".to_owned());
    Request { session: Some("s".to_owned()), now, trusted: true, ..Request::new(text) }
}

/// One in which it says that its user approved the write.
fn vouched(text: &str) -> Request {
    let mut vouched = request(text);
    vouched.context.flags.insert("approval".to_owned(), json!(true));
    vouched
}

#[tokio::test]
async fn what_a_model_said_before_of_the_same_words_is_still_the_models() {
    for tool in ["purge", "note"] {
        let programs = Programs::new(tool);
        // Without a conversation nothing is remembered but what the model decided.
        let mumbled = Request { session: None, ..vouched(MUMBLED) };
        for layer in ["llm", "recall"] {
            let plan = answer(&programs.with_model, &mumbled).await;
            let found = (&plan["outcome"], &plan["layer"]);
            assert_eq!(found, (&json!("clarify"), &json!(layer)), "{tool}: {plan}");
            assert!(programs.made().is_empty(), "{tool}, {layer}: {plan}");
        }
    }
}

#[tokio::test]
async fn what_words_are_read_as_is_shown_before_a_platform_vouches_for_it() {
    for words in ["leave a note for the team", "leave a note"] {
        let programs = Programs::new("note");
        let mut plan = answer(&programs.plain, &vouched(words)).await;
        if plan["question"]["argument"] == "audience" {
            plan = answer(&programs.plain, &vouched("team")).await;
        }
        assert_eq!(plan["reason"], "gate:approval", "{words}: {plan}");
        assert!(programs.made().is_empty(), "{words}: {plan}");
        // Now it was shown, and the same words with the platform's yes are about it.
        let plan = answer(&programs.plain, &vouched("leave a note for the team")).await;
        assert_eq!(programs.made(), ["note"], "{words}: {plan}");
    }
}

#[tokio::test]
async fn what_an_earlier_request_asked_for_beside_is_not_of_this_one() {
    let programs = Programs::new("note");
    let session: Session = serde_json::from_value(json!({
        "pack": "workflow",
        "pending": {
            "tool": "survey",
            "argument": "region",
            "arguments": {},
            "options": [{ "label": "north", "value": "north" }],
            "text": "survey a region and leave a note for the team",
            "question": "Which region?",
            "others": [{ "tool": "note", "arguments": { "audience": "team" } }],
        },
    }))
    .unwrap();
    programs.store.save_session("s", &session).await.unwrap();
    let plan = answer(&programs.plain, &vouched("north")).await;
    assert_eq!(plan["reason"], "gate:approval", "{plan}");
    assert_eq!(plan["question"]["tool"], "note", "{plan}");
    assert!(programs.made().is_empty(), "{plan}");
    let plan = answer(&programs.plain, &request("yes")).await;
    assert!(programs.made().contains(&"note".to_owned()), "{plan}");
}

#[tokio::test]
async fn a_declared_yes_to_nothing_is_none_whoever_vouches_for_it() {
    let programs = Programs::new("note");
    let declared = |approved: bool| {
        let call = json!({
            "tool": "note", "arguments": { "audience": "team" }, "approved": approved,
        });
        Request { call: serde_json::from_value(call).unwrap(), ..vouched("") }
    };
    let plan = answer(&programs.plain, &declared(true)).await;
    assert_eq!(plan["outcome"], "rephrase", "{plan}");
    assert!(programs.made().is_empty());
    let plan = answer(&programs.plain, &declared(false)).await;
    assert_eq!(programs.made(), ["note"], "{plan}");
}

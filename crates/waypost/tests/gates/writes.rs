//! An approved call is made once, whoever says yes how often, and what was cut short is told.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use futures_util::FutureExt;
use futures_util::future::join_all;
use serde_json::{Map, Value as Json, json};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use waypost::ports::clock::Clock;
use waypost::ports::store::Store;
use waypost::ports::tools::{ToolDescription, ToolResult, ToolServer};
use waypost::records::answer::Answer;
use waypost::records::request::Request;
use waypost::router::{AnswerOptions, Parts, Router};
use waypost::{Code, Error, Result};
use waypost_testing::OneSession;

use super::parts::{Trained, parts, readers, trained, trained_with};

/// A tool server whose calls last until they are let go.
#[derive(Debug)]
struct Desk {
    began: Semaphore,
    go: Semaphore,
    made: Mutex<Vec<(String, Map<String, Json>)>>,
    /// The failure of every call, if they fail.
    fails: Option<Error>,
}

impl Desk {
    fn new(fails: Option<Error>) -> Arc<Self> {
        let (began, go) = (Semaphore::new(0), Semaphore::new(0));
        Arc::new(Self { began, go, made: Mutex::default(), fails })
    }

    /// A desk that lets every call go at once.
    fn open() -> Arc<Self> {
        let desk = Self::new(None);
        desk.go.add_permits(1000);
        desk
    }

    /// Waits until a call has begun.
    async fn begun(&self) {
        self.began.acquire().await.unwrap().forget();
    }

    fn made(&self) -> usize {
        self.made.lock().unwrap().len()
    }
}

#[async_trait]
impl ToolServer for Desk {
    async fn list(&self, _: &CancellationToken) -> Result<Vec<ToolDescription>> {
        Ok(readers())
    }

    async fn call(
        &self,
        tool: &str,
        arguments: &Map<String, Json>,
        cancel: &CancellationToken,
    ) -> Result<ToolResult> {
        self.made.lock().unwrap().push((tool.to_owned(), arguments.clone()));
        self.began.add_permits(1);
        tokio::select! {
            go = self.go.acquire() => go.unwrap().forget(),
            () = cancel.cancelled() => return Err(Error::new(Code::Cancelled, "stopped")),
        }
        match &self.fails {
            Some(error) => Err(error.clone()),
            None => Ok(ToolResult::from(json!({ "status": "complete" }))),
        }
    }
}

/// A clock of which all waits are over as soon as somebody lets them be.
#[derive(Debug)]
struct Hurried(Semaphore);

#[async_trait]
impl Clock for Hurried {
    fn elapsed(&self) -> Duration {
        Duration::ZERO
    }

    async fn sleep(&self, _: Duration) {
        let _ = self.0.acquire().await;
    }
}

/// A router of which a call waits for approval, and what it works with.
struct Scene {
    router: Router,
    desk: Arc<Desk>,
    store: Arc<OneSession>,
}

impl Scene {
    fn new(desk: &Arc<Desk>) -> Self {
        Self::with(desk, |parts| parts)
    }

    fn with(desk: &Arc<Desk>, change: impl FnOnce(Parts) -> Parts) -> Self {
        Self::of(&pack(), desk, change)
    }

    fn of(pack: &Trained, desk: &Arc<Desk>, change: impl FnOnce(Parts) -> Parts) -> Self {
        let store = Arc::new(OneSession::default());
        let server = Arc::<Desk>::clone(desk);
        let parts = parts(pack, server, Arc::<OneSession>::clone(&store));
        Self { router: Router::new(change(parts)), desk: Arc::clone(desk), store }
    }

    async fn answer(&self, request: &Request, cancel: &CancellationToken) -> Result<Answer> {
        let (out, _) = tokio::sync::mpsc::channel(1);
        self.router.answer(request, AnswerOptions::default(), &out, cancel).await
    }

    async fn say(&self, text: &str) -> Answer {
        self.answer(&request(text), &CancellationToken::new()).await.unwrap()
    }

    /// Asks for a note, which waits for a yes.
    async fn asked(&self) -> Answer {
        let asked = self.say("leave a note for the team").await;
        assert_eq!(asked.raw.plan["reason"], "gate:approval", "{}", asked.raw.plan);
        asked
    }
}

/// The pack with its student, trained once.
fn pack() -> Trained {
    static PACK: std::sync::LazyLock<Trained> = std::sync::LazyLock::new(trained);
    PACK.clone()
}

fn request(text: &str) -> Request {
    let mut request = Request::new(text);
    request.session = Some("s".to_owned());
    request.now = Some("2025-11-06T09:00:00Z".to_owned());
    request
}

#[tokio::test]
async fn of_many_at_once_one_yes_counts() {
    for _ in 0..50 {
        let scene = Scene::new(&Desk::open());
        let asked = scene.asked().await;
        let mut click = request("");
        click.choice = Some(asked.choices[0].value.clone());
        let never = CancellationToken::new();
        let (yes, click) = (request("yes"), click);
        let all = (0..8).map(|n| scene.answer(if n % 2 == 0 { &yes } else { &click }, &never));
        let answers = join_all(all).await;
        let ran = |answer: &&Result<Answer>| {
            answer.as_ref().is_ok_and(|answer| {
                !answer.raw.plan["calls"].as_array().unwrap().is_empty()
                    && answer.raw.plan["outcome"] == "run"
            })
        };
        assert_eq!(answers.iter().filter(ran).count(), 1);
        assert_eq!(scene.desk.made(), 1);
    }
}

#[tokio::test]
async fn a_second_click_asks_for_nothing_that_a_later_yes_would_approve() {
    let scene = Scene::new(&Desk::open());
    let asked = scene.asked().await;
    let mut click = request("");
    click.choice = Some(asked.choices[0].value.clone());
    let never = CancellationToken::new();
    assert_eq!(scene.answer(&click, &never).await.unwrap().raw.plan["outcome"], "run");
    let again = scene.answer(&click, &never).await.unwrap();
    assert_eq!(again.text, "Nothing is waiting for an answer. What would you like?");
    assert_ne!(scene.say("yes").await.raw.plan["outcome"], "run");
    assert_eq!(scene.desk.made(), 1);
}

#[tokio::test]
async fn a_no_during_another_turn_is_heard_after_it() {
    let scene = Scene::new(&Desk::new(None));
    scene.asked().await;
    let never = CancellationToken::new();
    let (yes, no) = (request("yes"), request("no"));
    let both = async { tokio::join!(scene.answer(&yes, &never), scene.answer(&no, &never)) };
    let release = async {
        scene.desk.begun().await;
        scene.desk.go.add_permits(1);
    };
    let ((yes, no), ()) = tokio::join!(both, release);
    assert_eq!(yes.unwrap().raw.plan["outcome"], "run");
    // The call has been made by then: the no finds nothing to stop.
    assert_ne!(no.unwrap().raw.plan["outcome"], "run");
    assert_eq!(scene.desk.made(), 1);
}

#[tokio::test]
async fn a_write_that_has_begun_is_finished_and_told_though_its_client_leaves() {
    let scene = Scene::new(&Desk::new(None));
    scene.asked().await;
    let client = CancellationToken::new();
    let yes = request("yes");
    let leave = async {
        scene.desk.begun().await;
        client.cancel();
        // Whoever would stop with the client has the chance.
        tokio::task::yield_now().await;
        scene.desk.go.add_permits(1);
    };
    let (answer, ()) = tokio::join!(scene.answer(&yes, &client), leave);
    assert_eq!(answer.unwrap().raw.plan["outcome"], "run");
    let next = scene.say("yes").await;
    assert_eq!(
        next.text.lines().next(),
        Some("Since your last answer: note (audience: team) was done."),
        "{}",
        next.text
    );
    assert_eq!(scene.desk.made(), 1);
    // It is told once.
    assert!(!scene.say("yes").await.text.contains("Since"));
}

#[tokio::test]
async fn nothing_begins_once_the_client_has_left() {
    let scene = Scene::new(&Desk::open());
    scene.asked().await;
    let left = CancellationToken::new();
    left.cancel();
    let stopped = scene.answer(&request("yes"), &left).await.unwrap_err();
    assert_eq!(stopped.code(), Code::Cancelled);
    assert_eq!(scene.desk.made(), 0);
    // The question is still open.
    assert_eq!(scene.say("yes").await.raw.plan["outcome"], "run");
    assert_eq!(scene.desk.made(), 1);
}

#[tokio::test]
async fn a_write_that_was_cut_off_is_told_and_not_repeated() {
    let scene = Scene::new(&Desk::new(None));
    scene.asked().await;
    let never = CancellationToken::new();
    let yes = request("yes");
    {
        // As when the process ends: the answer is dropped in the middle of the call.
        let mut answer = Box::pin(scene.answer(&yes, &never));
        let cut = async { scene.desk.begun().await };
        tokio::select! {
            _ = &mut answer => panic!("the call has not ended"),
            () = cut => {}
        }
    }
    scene.desk.go.add_permits(10);
    let next = scene.say("yes").await;
    let first = next.text.lines().next().unwrap();
    assert!(
        first.starts_with("Since your last answer: note (audience: team) was begun"),
        "{first}"
    );
    assert_eq!(scene.desk.made(), 1, "it is not called again");
    // Asked for anew and approved anew it runs.
    scene.asked().await;
    assert_eq!(scene.say("yes").await.raw.plan["outcome"], "run");
    assert_eq!(scene.desk.made(), 2);
}

#[tokio::test]
async fn a_yes_whose_session_could_not_be_saved_is_spent_all_the_same() {
    let scene = Scene::new(&Desk::open());
    scene.asked().await;
    let before = scene.store.session("s").await.unwrap();
    assert_eq!(scene.say("yes").await.raw.plan["outcome"], "run");
    // The memory of before, as if the disk had been full.
    scene.store.save_session("s", &before).await.unwrap();
    let again = scene.say("yes").await;
    assert_eq!(again.error.as_ref().map(|error| error.code), Some(Code::FailedPrecondition));
    assert!(again.text.contains("this approval was used once already"), "{}", again.text);
    assert_eq!(scene.desk.made(), 1);
}

#[tokio::test]
async fn a_write_that_does_not_answer_in_time_may_have_been_done() {
    let clock = Arc::new(Hurried(Semaphore::new(0)));
    let hurried = Arc::clone(&clock);
    let scene = Scene::with(&Desk::new(None), |parts| Parts { clock: hurried, ..parts });
    scene.asked().await;
    let (yes, never) = (request("yes"), CancellationToken::new());
    let late = async {
        scene.desk.begun().await;
        clock.0.add_permits(1000);
    };
    let (answer, ()) = tokio::join!(scene.answer(&yes, &never), late);
    let answer = answer.unwrap();
    assert_eq!(
        answer.text,
        "It is not certain whether “note” has done its work; check before you ask for it again."
    );
    assert_eq!(answer.error.unwrap().message, answer.text);
    assert!(!scene.say("yes").await.text.contains("Since"), "it was told");
    assert_eq!(scene.desk.made(), 1);
}

#[tokio::test]
async fn a_tool_that_says_that_it_failed_is_not_told_as_unknown() {
    let failed = Error::new(Code::Internal, "x").with_words("the board is full");
    let desk = Desk::new(Some(failed));
    desk.go.add_permits(9);
    let scene = Scene::new(&desk);
    scene.asked().await;
    assert_eq!(scene.say("yes").await.text, "“note” failed. The server says: “the board is full”");
    assert!(scene.store.untold("s").await.unwrap().is_empty());
}

#[tokio::test]
async fn a_tool_that_knows_calls_by_a_key_gets_one_that_nobody_says() {
    let keyed = trained_with(|text| {
        let from = "        loud: { type: boolean }\n    arguments:\n";
        assert!(text.contains(from), "the pack has another form now");
        let schema = "        loud: { type: boolean }\n        key: { type: string }\n";
        let note = "    arguments:\n      key: { idempotency_key: true }\n";
        text.replace(from, &format!("{schema}{note}")).replace("[title]", "[title, key]")
    });
    let scene = Scene::of(&keyed, &Desk::open(), |parts| parts);
    let mut publish = request("");
    publish.choice = Some(json!({ "tool": "publish", "arguments": { "title": "Soil" } }));
    let never = CancellationToken::new();
    let asked = scene.answer(&publish, &never).await.unwrap();
    assert_eq!(asked.raw.plan["reason"], "gate:approval", "{}", asked.raw.plan);
    assert!(!asked.text.contains("key"), "{}", asked.text);
    let done = scene.say("yes").await;
    let wanted = json!({ "title": "Soil" });
    assert_eq!(done.raw.plan["calls"][0]["arguments"], wanted, "{}", done.raw.plan);
    scene.answer(&publish, &never).await.unwrap();
    scene.say("yes").await;
    let made = scene.desk.made.lock().unwrap().clone();
    let keys: Vec<&str> = made.iter().map(|(_, given)| given["key"].as_str().unwrap()).collect();
    // The key is the approval: each has its own.
    assert_eq!(keys[0], asked.id);
    assert!(keys.len() == 2 && keys[0] != keys[1], "{keys:?}");
}

/// A request that declares its write.
fn declared() -> Request {
    let call = json!({ "tool": "note", "arguments": { "audience": "team" } });
    Request { call: Some(serde_json::from_value(call).unwrap()), ..request("") }
}

#[tokio::test]
async fn a_request_that_is_sent_again_by_its_name_writes_once() {
    let scene = Scene::new(&Desk::open());
    let never = CancellationToken::new();
    let vouched = |name: &str, salt: u64| {
        let mut vouched = declared();
        (vouched.trusted, vouched.session) = (true, None);
        vouched.context.flags.insert("approval".to_owned(), json!(true));
        (vouched.once, vouched.salt) = (Some(name.to_owned()), Some(salt));
        vouched
    };
    // However often, and in whatever turn.
    for salt in 0..4 {
        let answer = scene.answer(&vouched("once-1", salt), &never).await.unwrap();
        assert_eq!(scene.desk.made(), 1, "{}", answer.text);
        let again = answer.text.contains("this approval was used once already");
        assert_eq!(again, salt > 0, "{}", answer.text);
    }
    scene.answer(&vouched("once-2", 9), &never).await.unwrap();
    assert_eq!(scene.desk.made(), 2);
}

#[tokio::test]
async fn a_name_is_spent_however_its_write_was_approved() {
    let never = CancellationToken::new();
    // What waited is written on the word of the platform, or by a yes. Sent again, the request is shown as a new one, and its
    // name approves nothing more.
    for first in ["leave a note for the team", "yes"] {
        let scene = Scene::new(&Desk::open());
        scene.asked().await;
        let named = |text: &str, salt: u64| {
            let mut named = request(text);
            (named.trusted, named.once) = (true, Some("once-1".to_owned()));
            named.salt = Some(salt);
            named.context.flags.insert("approval".to_owned(), json!(true));
            named
        };
        scene.answer(&named(first, 0), &never).await.unwrap();
        assert_eq!(scene.desk.made(), 1, "{first}");
        let mut last = String::new();
        for salt in 1..3 {
            let again = named("leave a note for the team", salt);
            last = scene.answer(&again, &never).await.unwrap().text;
            assert_eq!(scene.desk.made(), 1, "{first}: {last}");
        }
        assert!(last.contains("this approval was used once already"), "{first}: {last}");
        // It is told of as one write.
        assert!(scene.store.untold("s").await.unwrap().is_empty(), "{first}");
    }
}

#[tokio::test]
async fn of_many_declared_approvals_at_once_one_counts() {
    for _ in 0..20 {
        let scene = Scene::new(&Desk::open());
        let asked = scene.asked().await;
        let mut call = asked.choices[0].value.clone();
        call["approved"] = json!(true);
        let call = serde_json::from_value(call).unwrap();
        let (declared, yes) = (Request { call: Some(call), ..request("") }, request("yes"));
        let never = CancellationToken::new();
        let all = (0..8).map(|n| scene.answer(if n % 4 == 0 { &yes } else { &declared }, &never));
        join_all(all).await;
        assert_eq!(scene.desk.made(), 1);
    }
}

#[tokio::test]
async fn nothing_is_changed_where_it_cannot_be_recorded() {
    let scene = Scene::with(&Desk::open(), |parts| Parts { store: Arc::new(Forgetful), ..parts });
    let mut vouched = declared();
    vouched.trusted = true;
    vouched.context.flags.insert("approval".to_owned(), json!(true));
    let answer = scene.answer(&vouched, &CancellationToken::new()).await.unwrap();
    assert!(
        answer.text.starts_with("“note” was not run: what changes something"),
        "{}",
        answer.text
    );
    assert_eq!(scene.desk.made(), 0);
}

/// A store that keeps nothing, not even the record of writes.
#[derive(Debug)]
struct Forgetful;

#[async_trait]
impl Store for Forgetful {
    async fn turn(&self, session: &str) -> Result<waypost::ports::turns::TurnPermit> {
        waypost::ports::turns::Turns::default().take(session).await
    }

    async fn session(&self, _: &str) -> Result<waypost::records::session::Session> {
        Ok(waypost::records::session::Session::default())
    }

    async fn save_session(&self, _: &str, _: &waypost::records::session::Session) -> Result<()> {
        Ok(())
    }

    fn append(&self, _: Vec<waypost::records::event::Record>) {}

    async fn flush(&self) -> Result<()> {
        Ok(())
    }

    async fn events(
        &self,
        _: &waypost::ports::store::Filter,
        _: usize,
    ) -> Result<Vec<waypost::records::event::Record>> {
        Ok(Vec::new())
    }

    async fn page(
        &self,
        _: &waypost::ports::store::Filter,
        _: u64,
        _: usize,
    ) -> Result<waypost::ports::store::Page> {
        Ok(waypost::ports::store::Page { records: Vec::new(), next: None, unreadable: 0 })
    }

    async fn forget(&self, _: &str) -> Result<waypost::ports::store::Forgotten> {
        Ok(waypost::ports::store::Forgotten::default())
    }
}

#[tokio::test]
async fn flags_that_tools_set_beside_other_turns_are_kept() {
    let scene = Scene::new(&Desk::new(None));
    let (survey, talk) = (request("survey the north, shallow"), request("what does depth mean"));
    let never = CancellationToken::new();
    let both = async { tokio::join!(scene.answer(&survey, &never), scene.answer(&talk, &never)) };
    let release = async {
        scene.desk.begun().await;
        scene.desk.go.add_permits(1);
    };
    let ((surveyed, _), ()) = tokio::join!(both, release);
    assert_eq!(surveyed.unwrap().raw.plan["outcome"], "run");
    let session = scene.store.session("s").await.unwrap();
    assert_eq!(session.flags.get("survey_done"), Some(&json!(true)));
    assert_eq!(session.history.len(), 2);
}

#[tokio::test]
async fn whoever_waits_for_a_turn_may_leave() {
    let scene = Scene::new(&Desk::new(None));
    let (survey, talk) = (request("survey the north, shallow"), request("what does depth mean"));
    let never = CancellationToken::new();
    let mut first = Box::pin(scene.answer(&survey, &never));
    tokio::select! {
        _ = &mut first => panic!("it lasts until it is let go"),
        () = scene.desk.begun() => {}
    }
    let leaves = CancellationToken::new();
    let mut second = Box::pin(scene.answer(&talk, &leaves));
    assert!(second.as_mut().now_or_never().is_none());
    leaves.cancel();
    assert_eq!(second.await.unwrap_err().code(), Code::Cancelled);
    scene.desk.go.add_permits(1);
    assert_eq!(first.await.unwrap().raw.plan["outcome"], "run");
}

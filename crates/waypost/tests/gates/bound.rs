//! A yes is for the question that it answers, and for all that this question showed: in its pack, at its time, by its
//! owner, and under the condition that was said.

use std::sync::{Arc, LazyLock};

use serde_json::{Value as Json, json};
use tokio_util::sync::CancellationToken;
use waypost::records::request::Request;
use waypost::router::{AnswerOptions, Router};
use waypost_testing::OneSession;

use super::parts::{self, Land, Trained, parts, trained};

/// A conversation that several routers may serve, one after the other.
#[derive(Default)]
struct Talk {
    store: Arc<OneSession>,
}

struct Served {
    router: Router,
    land: Arc<Land>,
}

fn own() -> Trained {
    static PACK: LazyLock<Trained> = LazyLock::new(trained);
    PACK.clone()
}

fn edited(from: &str, to: &str) -> Trained {
    own().serving(parts::edited(|text| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    }))
}

impl Talk {
    fn served(&self, pack: &Trained) -> Served {
        let land = Land::new(1);
        let server = Arc::<Land>::clone(&land);
        let router = Router::new(parts(pack, server, Arc::<OneSession>::clone(&self.store)));
        Served { router, land }
    }
}

fn request(text: &str) -> Request {
    let mut request = Request::new(text);
    request.session = Some("s".to_owned());
    request.now = Some("2025-11-06T09:00:00Z".to_owned());
    request
}

impl Served {
    async fn answer(&self, request: &Request) -> Json {
        let (out, _) = tokio::sync::mpsc::channel(1);
        let never = CancellationToken::new();
        let answer = self.router.answer(request, AnswerOptions::default(), &out, &never).await;
        answer.unwrap().raw.plan
    }

    async fn say(&self, text: &str) -> Json {
        self.answer(&request(text)).await
    }

    fn made(&self) -> usize {
        self.land.take().len()
    }
}

const NOTE: &str = "leave a note for the team";

#[tokio::test]
async fn what_is_open_in_one_pack_is_nothing_in_another() {
    let other = edited("name: workflow", "name: works");
    for yes in ["yes", "1", "the first one", "ok"] {
        let talk = Talk::default();
        let asked = talk.served(&own()).say(NOTE).await;
        assert_eq!(asked["reason"], "gate:approval", "{asked}");
        let served = talk.served(&other);
        let said = served.say(yes).await;
        assert_eq!(served.made(), 0, "{said}");
        assert_ne!(said["reason"], "gate:approval", "nothing is waiting: {said}");
        // What the first asked is not answered later by what was said to the second.
        let served = talk.served(&own());
        assert_eq!((served.say(yes).await["route"] == "tool", served.made()), (false, 0));
    }
}

#[tokio::test]
async fn flags_and_calls_of_one_pack_are_none_of_another() {
    let talk = Talk::default();
    let served = talk.served(&own());
    served.land.tell(json!({ "status": "complete" }));
    served.say("survey the north").await;
    assert_eq!(served.made(), 1);
    let served = talk.served(&edited("name: workflow", "name: works"));
    let mut analysis = request("");
    analysis.choice = Some(json!({ "tool": "analysis" }));
    let gated = served.answer(&analysis).await;
    assert_eq!(gated["reason"], "gate:survey_done", "{gated}");
}

#[tokio::test]
async fn a_tool_that_is_another_by_the_time_of_the_yes_is_asked_about_anew() {
    for (from, to) in [
        ("Leaves a note for somebody.", "Leaves a note for everybody."),
        ("command: [land]", "command: [sea]"),
        ("access: write", "access: destructive"),
        ("audience: { enum: [team, public] }", "audience: { enum: [public, team] }"),
        // Somebody's name goes over the wire now, which no question shows.
        (
            "        audience: { enum: [team, public] }\n    arguments:\n",
            "        audience: { enum: [team, public] }\n        who: { type: string }\n    \
             arguments:\n      who: { inject: user }\n",
        ),
    ] {
        let talk = Talk::default();
        talk.served(&own()).say(NOTE).await;
        let served = talk.served(&edited(from, to));
        let mut yes = request("yes");
        yes.trusted = true;
        let asked = served.answer(&yes).await;
        assert_eq!(
            (&asked["reason"], served.made()),
            (&json!("gate:approval"), 0),
            "{to}: {asked}"
        );
        served.answer(&yes).await;
        assert_eq!(served.made(), 1, "it was shown now");
    }
}

#[tokio::test]
async fn a_yes_that_comes_late_or_from_somebody_else_is_asked_about_anew() {
    let late = Request { now: Some("2025-11-06T10:30:00Z".to_owned()), ..request("yes") };
    let others = Request { owner: Some("another".into()), ..request("yes") };
    let users = Request { user: Some("bob".to_owned()), trusted: true, ..request("yes") };
    for yes in [late, others, users] {
        let served = Talk::default().served(&own());
        served.say(NOTE).await;
        let asked = served.answer(&yes).await;
        assert_eq!((&asked["reason"], served.made()), (&json!("gate:approval"), 0), "{asked}");
        let done = served.answer(&yes).await;
        assert_eq!((&done["outcome"], served.made()), (&json!("run"), 1), "{done}");
    }
}

#[tokio::test]
async fn a_yes_that_is_quoted_or_asked_back_is_none() {
    for words in ["\"yes\"", "yes?", "> yes", "“yes”", "「好」", "¿sí?", "`yes`"] {
        let served = Talk::default().served(&own());
        served.say(NOTE).await;
        let said = served.say(words).await;
        assert_eq!(served.made(), 0, "{words}: {said}");
        // The question is open as before.
        served.say("yes").await;
        assert_eq!(served.made(), 1, "{words}");
    }
}

#[tokio::test]
async fn a_no_closes_the_question_and_the_yes_to_it_opens_no_other() {
    let served = Talk::default().served(&own());
    let first = served.say(NOTE).await["question"]["choices"][0]["value"].clone();
    served.say("no").await;
    served.say(NOTE).await;
    let mut old = request("");
    old.choice = Some(first);
    let asked = served.answer(&old).await;
    assert_eq!((&asked["reason"], served.made()), (&json!("gate:approval"), 0), "{asked}");
}

/// The question for the approval of a note that is asked for under a condition.
async fn asked_under(served: &Served, text: &str, condition: &str) {
    let mut asked = served.say(text).await;
    if asked["reason"] == "gate:confidence" {
        // It is asked first which tool is meant.
        let mut click = request("");
        click.choice = Some(asked["question"]["choices"][0]["value"].clone());
        asked = served.answer(&click).await;
    }
    assert_eq!(asked["reason"], "gate:approval", "{text}: {asked}");
    let shown = asked["question"]["text"].as_str().unwrap();
    let line = shown.lines().find(|line| line.contains(condition));
    assert!(line.is_some_and(|line| line != text), "{text}: {shown}");
    assert_eq!(asked["question"]["conditions"], json!([condition]), "{asked}");
}

#[tokio::test]
async fn a_condition_is_shown_as_not_tested_however_the_question_came_about() {
    for (text, condition) in [
        ("leave a note for the team if it rains", "if it rains"),
        ("unless the gate is open, leave a note for the team", "unless the gate is open"),
        (
            "leave a note for the team as long as 3 people are there",
            "as long as 3 people are there",
        ),
        ("如果下雨，請留備註給 team", "如果下雨"),
        ("nếu trời mưa thì để lại ghi chú team", "nếu trời mưa"),
        ("deja una nota team si llueve", "si llueve"),
    ] {
        let served = Talk::default().served(&own());
        asked_under(&served, text, condition).await;
        let vouched = Request { trusted: true, ..request(text) };
        let mut vouched = vouched;
        vouched.context.flags.insert("approval".to_owned(), json!(true));
        let served = Talk::default().served(&own());
        let asked = served.answer(&vouched).await;
        assert_eq!((&asked["outcome"], served.made()), (&json!("clarify"), 0), "{asked}");
    }
    // What is asked for in between does not lose it.
    let served = Talk::default().served(&own());
    let open = served.say("leave a note if it rains").await;
    assert_eq!(open["reason"], "gate:completeness", "{open}");
    asked_under(&served, "team", "if it rains").await;
    served.say("yes").await;
    assert_eq!(served.made(), 1, "it was approved as it was shown");
}

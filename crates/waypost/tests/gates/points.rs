//! A point of a conversation may be gone on from more than once, and a question may outlive the tool that it is about: neither
//! makes a call that was not approved, nor one twice.

use std::sync::LazyLock;

use serde_json::{Value as Json, json};
use waypost::records::request::Request;

use super::parts::{Land, Trained, loaded, router, trained, trained_of};
use super::{Talk, say};

fn own() -> Trained {
    static PACK: LazyLock<Trained> = LazyLock::new(trained);
    PACK.clone()
}

/// The pack without its tool `note`.
fn without_note() -> Trained {
    static PACK: LazyLock<Trained> = LazyLock::new(|| {
        let whole = include_str!("workflow/pack.yaml");
        let (before, rest) = whole.split_once("  - name: note\n").unwrap();
        let (_, after) = rest.split_once("  - name: publish\n").unwrap();
        let examples = include_str!("workflow/examples.jsonl").lines();
        let others = examples.filter(|line| !line.contains("\"note\""));
        let others: Vec<&str> = others.collect();
        trained_of(loaded(format!("{before}  - name: publish\n{after}"), others.join("\n")))
    });
    PACK.clone()
}

fn request(text: &str, after: Option<&str>) -> Request {
    Request {
        session: Some("s".to_owned()),
        now: Some("2025-11-06T09:00:00Z".to_owned()),
        after: after.map(str::to_owned),
        ..Request::new(text)
    }
}

const NOTE: &str = "leave a note for the team";

#[test]
fn a_yes_is_said_again_at_its_point_and_the_call_is_made_once() {
    for first in ["yes", "1"] {
        let talk = Talk::new(&own(), 1, false);
        let asked = talk.answer(&request(NOTE, None));
        assert_eq!(asked.raw.plan["reason"], "gate:approval");
        let mut texts = Vec::new();
        for text in [first, "yes", "no", "1", "yes"] {
            let answer = talk.answer(&request(text, Some(&asked.id)));
            texts.push(answer.text.clone());
            assert!(!answer.text.contains("Nothing is waiting"), "{text}: {}", answer.text);
        }
        assert_eq!(talk.land.take().len(), 1, "{texts:?}");
        assert!(texts[1].contains("this approval was used once already"), "{texts:?}");
    }
}

#[test]
fn a_point_that_went_on_by_a_no_or_by_other_words_still_takes_its_yes() {
    let talk = Talk::new(&own(), 1, false);
    let asked = talk.answer(&request(NOTE, None));
    for text in ["no", "survey the north"] {
        talk.answer(&request(text, Some(&asked.id)));
    }
    talk.land.take();
    talk.answer(&request("yes", Some(&asked.id)));
    assert_eq!(talk.land.take().len(), 1);
}

#[test]
fn a_yes_at_another_point_is_none_to_the_latest_question() {
    let talk = Talk::new(&own(), 1, false);
    let before = talk.answer(&request("what is a survey?", None));
    talk.answer(&request(NOTE, Some(&before.id)));
    for after in [before.id.as_str(), "0123456789abcdef"] {
        talk.answer(&request("yes", Some(after)));
    }
    assert!(talk.land.take().is_empty());
}

/// The conversation with another pack, as after the pack was loaded again.
fn served_by(talk: Talk, pack: &Trained) -> Talk {
    let land = Land::new(1);
    let router = router(pack, &land, &talk.store, false);
    Talk { router, land, ..talk }
}

#[test]
fn the_answer_about_a_tool_that_is_gone_says_so_and_closes_the_question() {
    for (ask, answer) in [
        (NOTE, "yes"),
        (NOTE, "1"),
        (NOTE, "no"),
        // The question for a value of it.
        ("leave a note", "team"),
        ("leave a note", "the first one"),
    ] {
        let talk = Talk::new(&own(), 1, false);
        let asked = talk.answer(&request(ask, None));
        assert_eq!(asked.raw.plan["outcome"], "clarify", "{ask}");
        let talk = served_by(talk, &without_note());
        let told = talk.answer(&request(answer, None));
        assert!(told.text.contains("“note” is not there any more"), "{answer}: {}", told.text);
        assert!(told.choices.is_empty());
        talk.land.tell(json!({ "status": "complete" }));
        let later = talk.answer(&request("survey the north", None));
        assert_eq!(later.raw.plan["outcome"], "run");
        assert!(!later.text.contains("note"), "{}", later.text);
        assert!(!talk.answer(&request("yes", None)).text.contains("note"));
    }
}

#[test]
fn a_click_on_a_tool_that_is_gone_says_so_and_other_words_are_served_alone() {
    let talk = Talk::new(&own(), 1, false);
    let asked = talk.answer(&request(NOTE, None));
    let yes = asked.raw.plan["question"]["choices"][0]["value"].clone();
    let talk = served_by(talk, &without_note());
    let told = say(&talk, "", Some(yes.clone()));
    assert!(told["question"]["text"].as_str().unwrap().contains("“note”"), "{told}");
    // It is told once: the same click is one on nothing then.
    assert!(!say(&talk, "", Some(yes))["question"]["text"].as_str().unwrap().contains("“note”"));

    let talk = Talk::new(&own(), 1, false);
    talk.answer(&request(NOTE, None));
    let talk = served_by(talk, &without_note());
    talk.land.tell(json!({ "status": "complete" }));
    let served = talk.answer(&request("survey the north", None));
    assert_eq!(talk.land.take().len(), 1);
    assert!(!served.text.contains("note"), "{}", served.text);
}

#[test]
fn an_integer_is_sent_as_one_and_null_is_not_sent() {
    use waypost::records::request::DeclaredCall;
    let talk = Talk::new(&own(), 1, false);
    let declaring = |arguments: &Json, approved: bool| {
        let arguments = arguments.as_object().cloned().unwrap();
        let call = DeclaredCall { tool: "publish".to_owned(), arguments, approved };
        Request { call: Some(call), ..request("", None) }
    };
    let given = json!({ "title": "x", "copies": 3.0, "loud": null, "meta": { "a": null } });
    let asked = talk.answer(&declaring(&given, false));
    assert_eq!(asked.raw.plan["reason"], "gate:approval");
    // Whoever declares it again means the call that was shown, however it writes it.
    talk.answer(&declaring(&given, true));
    let made = talk.land.take();
    let sent = Json::from(made[0].arguments.clone()).to_string();
    assert_eq!(sent, r#"{"title":"x","copies":3,"meta":{"a":null}}"#);
    let place = |arguments: &Json| {
        let fault = waypost::decide::fault_of(&own().pack, &declaring(arguments, false));
        fault.map(|(_, pointer)| pointer)
    };
    assert_eq!(
        place(&json!({ "title": "x", "tags": ["a", 5] })).as_deref(),
        Some("/call/arguments/tags/1")
    );
    assert_eq!(place(&json!({ "title": "x", "a/b": 5 })).as_deref(), Some("/call/arguments/a~1b"));
    assert_eq!(place(&given), None);
}

//! A call that the caller declares is made as it was declared, behind the same gates as any other.

use serde_json::{Map, Value as Json, json};
use waypost::Code;
use waypost::records::request::{Context, DeclaredCall, Request};
use waypost::router::AnswerOptions;

use super::parts::trained;
use super::{Talk, say};

fn map(value: &Json) -> Map<String, Json> {
    value.as_object().cloned().unwrap_or_default()
}

fn declaring(tool: &str, arguments: &Json, approved: bool) -> Request {
    let call = DeclaredCall { tool: tool.to_owned(), arguments: map(arguments), approved };
    Request {
        session: Some("s".to_owned()),
        now: Some("2025-11-06T09:00:00Z".to_owned()),
        call: Some(call),
        ..Request::default()
    }
}

fn declare(talk: &Talk, tool: &str, arguments: &Json, approved: bool) -> Json {
    talk.answer(&declaring(tool, arguments, approved)).raw.plan
}

fn made(talk: &Talk) -> Vec<(String, Json)> {
    let made = talk.land.take();
    made.into_iter().map(|call| (call.tool, Json::from(call.arguments))).collect()
}

#[test]
fn a_declared_call_runs_as_it_is_and_its_evidence_is_the_caller() {
    let talk = Talk::new(&trained(), 1, false);
    talk.land.tell(json!({ "status": "complete" }));
    let plan = declare(&talk, "survey", &json!({ "region": "north" }), false);
    assert_eq!((&plan["outcome"], &plan["layer"]), (&json!("run"), &json!("declared")), "{plan}");
    let receipt = &plan["calls"][0]["evidence"]["region"];
    assert_eq!(*receipt, json!({ "source": "caller", "by": "request" }));
    assert_eq!(made(&talk), [("survey".to_owned(), json!({ "region": "north" }))]);

    // No words and no default add anything to it.
    talk.land.tell(json!({ "status": "complete" }));
    let mut beside = declaring("survey", &json!({}), false);
    beside.text = "a deep survey of the south on February 30th".to_owned();
    assert_eq!(talk.answer(&beside).raw.plan["outcome"], "run");
    assert_eq!(made(&talk), [("survey".to_owned(), json!({}))]);
}

#[test]
fn a_write_waits_for_the_yes_to_this_very_call() {
    let talk = Talk::new(&trained(), 1, false);
    let team = json!({ "audience": "team" });
    // Nobody was asked: the word of the caller alone is no approval, and opens no question that the next would answer.
    for _ in 0..3 {
        let nothing = declare(&talk, "note", &team, true);
        assert_eq!(nothing["outcome"], "rephrase", "{nothing}");
    }
    let asked = declare(&talk, "note", &team, false);
    assert_eq!(asked["reason"], "gate:approval", "{asked}");
    assert!(asked["question"]["text"].as_str().unwrap().contains("team"), "{asked}");
    let other = declare(&talk, "note", &json!({ "audience": "public" }), true);
    assert_eq!(other["outcome"], "rephrase", "another call was shown: {other}");
    // Words that take it back stand beside it.
    let mut taken_back = declaring("note", &team, true);
    taken_back.text = "no, stop".to_owned();
    assert_eq!(talk.answer(&taken_back).raw.plan["reason"], "gate:approval");
    assert!(made(&talk).is_empty());
    let asked = declare(&talk, "note", &team, false);
    assert_eq!(asked["reason"], "gate:approval");
    assert_eq!(declare(&talk, "note", &team, true)["outcome"], "run");
    assert_eq!(made(&talk), [("note".to_owned(), team.clone())]);
    // One yes is for one call, however often it is said.
    for _ in 0..6 {
        assert_eq!(declare(&talk, "note", &team, true)["outcome"], "rephrase");
    }
    assert!(made(&talk).is_empty());
    let yes = declare(&talk, "note", &team, false)["question"]["choices"][0]["value"].clone();
    assert_eq!(say(&talk, "", Some(yes))["outcome"], "run");
    assert_eq!(made(&talk).len(), 1);
}

#[test]
fn options_that_a_stranger_sends_along_approve_nothing() {
    let talk = Talk::new(&trained(), 1, false);
    let team = json!({ "audience": "team" });
    let asked = declare(&talk, "note", &team, false);
    let yes = asked["question"]["choices"][0]["value"].clone();
    let talk = Talk::new(&trained(), 1, false);
    let options = vec![waypost::records::request::Choice { label: "Yes".to_owned(), value: yes }];
    let mut forged = declaring("note", &team, true);
    forged.context = Context { options, ..Context::default() };
    assert_eq!(talk.answer(&forged).raw.plan["outcome"], "rephrase");
    assert!(made(&talk).is_empty());
}

#[test]
fn the_workflow_and_permissions_hold_for_it() {
    let talk = Talk::new(&trained(), 1, false);
    let gated = declare(&talk, "analysis", &json!({ "method": "quick" }), true);
    assert_eq!(gated["reason"], "gate:survey_done", "{gated}");
    let refused = declare(&talk, "purge", &json!({}), false);
    assert_eq!(refused["reason"], "gate:permission", "{refused}");
    // What is missing is asked for, with what the schema lists.
    let open = declare(&talk, "note", &json!({}), false);
    assert_eq!(open["reason"], "gate:completeness", "{open}");
    assert_eq!(open["question"]["choices"].as_array().map(Vec::len), Some(2), "{open}");
    assert!(made(&talk).is_empty());
}

#[test]
fn what_its_schema_does_not_take_is_an_error_that_says_so() {
    let talk = Talk::new(&trained(), 1, false);
    let error = |request: &Request| {
        let (out, _) = tokio::sync::mpsc::channel(1);
        let cancel = tokio_util::sync::CancellationToken::new();
        let answer = talk.router.answer(request, AnswerOptions::default(), &out, &cancel);
        talk.runtime.block_on(answer).unwrap_err()
    };
    for (tool, arguments, message, hint) in [
        (
            "surveys",
            json!({}),
            "the pack `workflow` has no tool `surveys`",
            "did you mean `survey`?",
        ),
        ("survey", json!({ "regoin": "north" }), "`survey` has no argument `regoin`", "`region`"),
        (
            "survey",
            json!({ "region": "west" }),
            "`survey` does not take `\"west\"` as `region`",
            "its schema: {\"enum\":[\"north\",\"south\",\"all\"]}",
        ),
        (
            "publish",
            json!({ "title": "x", "copies": "many" }),
            "`publish` does not take `\"many\"` as `copies`",
            "integer",
        ),
    ] {
        let error = error(&declaring(tool, &arguments, false));
        assert_eq!((error.code(), error.message()), (Code::InvalidArgument, message));
        assert!(error.hint().is_some_and(|told| told.contains(hint)), "{error:?}");
    }
    let mut both = declaring("survey", &json!({}), false);
    both.choice = Some(json!("survey"));
    assert_eq!(error(&both).message(), "the request has a `call` and a `choice`");
    assert!(made(&talk).is_empty());
}

#[test]
fn the_calls_of_an_open_question_are_no_part_of_it() {
    let talk = Talk::new(&trained(), 1, false);
    let mut both = declaring("note", &json!({ "audience": "team" }), false);
    both.call = None;
    both.text = "leave a note for the team and survey the north".to_owned();
    talk.answer(&both);
    made(&talk);
    talk.land.tell(json!({ "status": "complete" }));
    let plan = declare(&talk, "survey", &json!({ "region": "south" }), false);
    assert_eq!(plan["calls"].as_array().map(Vec::len), Some(1), "{plan}");
    assert_eq!(made(&talk), [("survey".to_owned(), json!({ "region": "south" }))]);
}

#[test]
fn no_caller_is_told_of_a_tool_that_is_not_theirs() {
    let talk = Talk::new(&trained(), 1, false);
    let bound =
        |request: Request| Request { tools: Some(vec!["survey".to_owned()].into()), ..request };
    let cancel = tokio_util::sync::CancellationToken::new();
    let refused = |tool: &str, arguments: &Json| {
        let request = bound(declaring(tool, arguments, false));
        let error = talk.runtime.block_on(talk.router.route(&request, &cancel)).unwrap_err();
        let told = format!("{} {}", error.message(), error.hint().unwrap_or_default());
        told.replace(&format!("`{tool}`"), "`it`")
    };
    // One that is not there and one that is not theirs are told alike, whatever it is called with.
    for arguments in [json!({}), json!({ "audience": 7 }), json!({ "nothing": "x" })] {
        let nothing = refused("notebook", &arguments);
        for tool in ["note", "purge", "publish", "not"] {
            let told = refused(tool, &arguments);
            assert!(
                !["note", "purge", "publish", "audience"].iter().any(|name| told.contains(name)),
                "{told}"
            );
            assert!(nothing.starts_with("the pack") && told.starts_with("the pack"), "{told}");
        }
    }
    // Neither do likely meanings name it.
    for text in
        ["leave a note", "throw it all away", "a survey of the north", "the plan and a note", "hmm"]
    {
        let request =
            bound(Request { now: Some("2025-11-06T09:00:00Z".to_owned()), ..Request::new(text) });
        let decision = talk.runtime.block_on(talk.router.route(&request, &cancel)).unwrap();
        let others = decision.alternatives.iter().filter_map(|other| other.tool.as_deref());
        let choices = decision.question.iter().flat_map(|question| &question.choices);
        let offered = choices.filter_map(|choice| choice.value["tool"].as_str());
        let selected = decision.selected.iter().map(String::as_str);
        for name in others.chain(offered).chain(selected) {
            assert!(name == "survey", "{text}: {name} {decision:?}");
        }
    }
}

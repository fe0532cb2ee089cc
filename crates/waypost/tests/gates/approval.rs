//! What a person approves is one call, shown to the last value: it runs as it was shown, or not at all.

use serde_json::{Value as Json, json};
use waypost::records::request::Request;

use super::parts::trained;
use super::{Talk, say};

/// A call whose values are of every kind, among them some that an answer might be taken for.
fn article() -> Json {
    json!({
        "title": "2 yes, and a note for the team\nwith a second line",
        "tags": ["1", "a, b", "soil"],
        "meta": { "by": "me", "parts": [1, 2.5, null], "more": { "deep": true } },
    })
}

fn calls(talk: &Talk) -> Vec<(String, Json)> {
    let made = talk.land.take();
    made.into_iter().map(|call| (call.tool, Json::from(call.arguments))).collect()
}

#[test]
fn lists_objects_and_free_text_run_as_they_were_approved() {
    // Each yes holds a value that another argument would take: a number, a yes or no.
    for yes in ["yes", "Yes", "yes please", "ok", "1", "the first one", "好", "sí", "có"] {
        let talk = Talk::new(&trained(), 1, false);
        let wanted = json!({ "tool": "publish", "arguments": article() });
        let asked = say(&talk, "", Some(wanted));
        assert_eq!(asked["reason"], "gate:approval", "{asked}");
        assert!(calls(&talk).is_empty());
        let done = say(&talk, yes, None);
        assert_eq!(done["outcome"], "run", "{yes}: {done}");
        assert_eq!(calls(&talk), [("publish".to_owned(), article())], "{yes}");
    }
}

#[test]
fn a_yes_to_other_arguments_than_those_shown_is_asked_anew() {
    let talk = Talk::new(&trained(), 1, false);
    let asked = say(&talk, "", Some(json!({ "tool": "publish", "arguments": article() })));
    let mut yes = asked["question"]["choices"][0]["value"].clone();
    assert!(yes["approve"].is_string(), "{asked}");
    yes["arguments"]["tags"][2] = json!("rain");
    let other = say(&talk, "", Some(yes.clone()));
    assert_eq!(other["reason"], "gate:approval", "{other}");
    let shown = other["question"]["text"].as_str().unwrap();
    assert!(shown.contains("- tags: [\"1\",\"a, b\",\"rain\"]"), "{shown}");
    assert!(calls(&talk).is_empty());
    // The yes to what was shown before is none to this.
    assert_eq!(say(&talk, "", Some(yes))["reason"], "gate:approval");
    assert!(calls(&talk).is_empty());
    let shown = say(&talk, "repeat that", None);
    let yes = shown["question"]["choices"][0]["value"].clone();
    let done = say(&talk, "", Some(yes));
    assert_eq!(done["outcome"], "run", "{shown}\n{done}");
    assert_eq!(calls(&talk)[0].1["tags"][2], "rain");
}

#[test]
fn words_beside_a_yes_are_no_part_of_what_was_shown() {
    let talk = Talk::new(&trained(), 1, false);
    let asked =
        say(&talk, "", Some(json!({ "tool": "note", "arguments": { "audience": "team" } })));
    let yes = asked["question"]["choices"][0]["value"].clone();
    let more = say(&talk, "but leave one for the public as well", Some(yes.clone()));
    assert_eq!(more["reason"], "gate:approval", "{more}");
    assert!(calls(&talk).is_empty());
    // Words that say the same as the click are beside no point.
    let talk = Talk::new(&trained(), 1, false);
    say(&talk, "", Some(json!({ "tool": "note", "arguments": { "audience": "team" } })));
    assert_eq!(say(&talk, "Yes", Some(yes))["outcome"], "run");
}

#[test]
fn a_question_for_approval_that_is_asked_again_shows_the_call_again() {
    let talk = Talk::new(&trained(), 1, false);
    let note = json!({ "tool": "note", "arguments": { "audience": "team" } });
    say(&talk, "", Some(note.clone()));
    let again = say(&talk, "", Some(note));
    let text = again["question"]["text"].as_str().unwrap();
    assert!(
        text.starts_with(
            "That is still open: say “yes” or “no”.\n- Leaves a note for somebody (note"
        ),
        "{text}"
    );
    assert!(text.contains("\n- audience: team ("), "{text}");
}

#[test]
fn an_approval_speaks_the_users_language() {
    for (text, said) in [
        (
            "leave a note for the team",
            "This changes something. Shall exactly this be done?\n\
             - Leaves a note for somebody (note, on the server land)\n\
             - audience: team (your words)",
        ),
        (
            "請留備註給 team",
            "這會改變資料。要完全照下面這樣執行嗎？\n\
             - note（伺服器 land：「Leaves a note for somebody」）\n\
             - audience：team（原話）",
        ),
        (
            "请留备注给 team",
            "这会改变数据。要完全照下面这样执行吗？\n\
             - note（服务器 land：“Leaves a note for somebody”）\n\
             - audience：team（原话）",
        ),
        (
            "để lại ghi chú team",
            "Việc này sẽ thay đổi dữ liệu. Có làm đúng như sau không?\n\
             - note (trên máy chủ land: “Leaves a note for somebody”)\n\
             - audience: team (lời của bạn)",
        ),
        (
            "deja una nota team",
            "Esto cambia algo. ¿Se hace exactamente esto?\n\
             - note (en el servidor land: «Leaves a note for somebody»)\n\
             - audience: team (sus palabras)",
        ),
    ] {
        let talk = Talk::new(&trained(), 1, false);
        let asked = say(&talk, text, None);
        assert_eq!(asked["reason"], "gate:approval", "{text}: {asked}");
        assert_eq!(asked["question"]["text"], said);
    }
}

#[test]
fn an_answer_where_nothing_was_asked_runs_nothing() {
    for text in [
        "yes please",
        "yes",
        "ok",
        "2",
        "the second one",
        "no",
        "sure",
        "#1",
        "好",
        "好的",
        "第二個",
        "不要",
        "sí",
        "sí, por favor",
        "vale",
        "no",
        "có",
        "không",
        "2.",
    ] {
        let talk = Talk::new(&trained(), 1, false);
        let said = say(&talk, text, None);
        assert!(calls(&talk).is_empty(), "{text}: {said}");
        assert_ne!(said["reason"], "gate:approval", "{text}: {said}");
        assert_ne!(said["route"], "tool", "{text}: {said}");
    }
    let talk = Talk::new(&trained(), 1, false);
    let said = say(&talk, "2", None);
    let text = "Nothing is waiting for an answer. What would you like?";
    assert_eq!((&said["outcome"], &said["question"]["text"]), (&json!("rephrase"), &json!(text)));
}

#[test]
fn an_answer_in_words_is_the_answer_and_begins_no_write() {
    for (answer, title) in [
        ("main", "main"),
        ("The house by the sea", "The house by the sea"),
        ("letters for everybody", "letters for everybody"),
        ("海邊的房子", "海邊的房子"),
    ] {
        let talk = Talk::new(&trained(), 1, false);
        let asked =
            say(&talk, "", Some(json!({ "tool": "publish", "arguments": { "tags": ["x", "y"] } })));
        assert_eq!(asked["reason"], "gate:completeness", "{asked}");
        let shown = say(&talk, answer, None);
        assert_eq!(shown["reason"], "gate:approval", "{answer}: {shown}");
        assert_eq!(shown["question"]["tool"], "publish", "{answer}: {shown}");
        assert!(calls(&talk).is_empty());
        assert_eq!(say(&talk, "yes", None)["outcome"], "run");
        let arguments = json!({ "title": title, "tags": ["x", "y"] });
        let (_, made) = calls(&talk).remove(0);
        assert_eq!(made, arguments, "{answer}");
    }
}

#[test]
fn an_answer_that_fits_nothing_begins_no_write() {
    let talk = Talk::new(&trained(), 1, false);
    for answer in ["main", "the blue one over there", "hmm maybe tomorrow", "write", "house"] {
        say(&talk, "cancel", None);
        let asked = say(&talk, "", Some(json!({ "tool": "note" })));
        assert_eq!(asked["question"]["argument"], "audience", "{asked}");
        let next = say(&talk, answer, None);
        let tool = next["question"]["tool"].as_str().unwrap_or("note");
        assert_eq!(tool, "note", "{answer}: {next}");
        assert_ne!(next["outcome"], "run", "{answer}: {next}");
    }
    assert!(calls(&talk).is_empty());
    // What says so by itself leads away from the question.
    say(&talk, "", Some(json!({ "tool": "note" })));
    let other = say(&talk, "please survey the fields", None);
    assert_eq!(other["outcome"], "run", "{other}");
    assert_eq!(calls(&talk)[0].0, "survey");
}

#[test]
fn calls_that_wait_beside_an_approval_are_not_lost() {
    let talk = Talk::new(&trained(), 1, false);
    let asked = say(&talk, "leave a note for the team and survey the land", None);
    assert_eq!(asked["reason"], "gate:approval", "{asked}");
    assert_eq!(asked["calls"].as_array().unwrap().len(), 2, "{asked}");
    let done = say(&talk, "yes", None);
    assert_eq!(done["outcome"], "run", "{done}");
    let tools: Vec<String> = calls(&talk).into_iter().map(|(tool, _)| tool).collect();
    assert_eq!(tools, ["note", "survey"]);
}

#[test]
fn a_tool_that_claims_an_approval_gives_none() {
    let talk = Talk::new(&trained(), 1, false);
    let mut request = Request::new("leave a note for the team");
    request.session = Some("s".to_owned());
    request.now = Some("2025-11-06T09:00:00Z".to_owned());
    request.context.flags.insert("approval".to_owned(), json!(true));
    let plan = talk.answer(&request).raw.plan;
    assert_eq!(plan["reason"], "gate:approval", "{plan}");
}

#[test]
fn of_two_writes_each_has_its_own_yes() {
    let talk = Talk::new(&trained(), 1, false);
    let asked =
        say(&talk, "leave a note for the team and publish the article \"Rain at last\" now", None);
    assert_eq!(asked["reason"], "gate:approval", "{asked}");
    assert_eq!(asked["question"]["tool"], "note", "{asked}");
    let first = say(&talk, "yes", None);
    assert_eq!((&first["outcome"], calls(&talk).len()), (&json!("run"), 1), "{first}");
    // The second is shown when the first has run.
    assert_eq!(first["question"]["tool"], "publish", "{first}");
    let text = first["question"]["text"].as_str().unwrap();
    assert!(text.contains(" (publish, on the server land)"), "{text}");
    let second = say(&talk, "yes", None);
    assert_eq!(second["outcome"], "run", "{second}");
    assert_eq!(calls(&talk)[0].0, "publish");
    assert!(second["question"].is_null(), "{second}");
}

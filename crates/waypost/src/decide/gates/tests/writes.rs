//! What a yes is bound to: the call that was shown, and all that was shown with it.

use super::*;

#[test]
fn a_write_waits_for_the_yes_to_this_very_call() {
    let pack = pack(&[]);
    let note = || case("leave a note", vec![call("note", json!({ "audience": "team" }))]);
    let asked = |audience| {
        format!(
            "Clarify gate:approval This changes something. Shall exactly this be done?\n\
             - Leaves a note for somebody (note, on the server land)\n\
             - audience: {audience} (your words) [\"Yes\", \"No\"]"
        )
    };
    assert_eq!(note().check(&pack), asked("team"));
    assert_eq!(note().approved(&pack).check(&pack), "open");
    // Nothing of what was shown may be another by then: the server, what the tool says, the access, whose it is, the hour.
    for (from, to) in [
        ("Leaves a note for somebody.", "Leaves a note for everybody."),
        ("command: [land]", "command: [sea]"),
        ("audience: { enum: [team", "audience: { description: Who reads it, enum: [team"),
        ("name: workflow", "name: works"),
    ] {
        let other = self::pack(&[(from, to)]);
        assert!(note().approved(&pack).check(&other).starts_with("Clarify gate:approval"), "{to}");
    }
    let mut late = note().approved(&pack);
    late.request["now"] = json!("2025-11-06T10:00:00Z");
    assert_eq!(late.check(&pack), "open");
    late.request["now"] = json!("2025-11-06T10:00:01Z");
    assert!(late.check(&pack).starts_with("Clarify gate:approval"));
    let mut later = note().approved(&pack);
    later.request["trusted"] = json!(true);
    later.request["user"] = json!("bob");
    assert!(later.check(&pack).starts_with("Clarify gate:approval"));
    let mut other = note().approved(&pack);
    other.calls[0].arguments.insert("audience".to_owned(), json!("public"));
    assert_eq!(other.check(&pack), asked("public"));
    // A look-up beside it needs no word, a second write does, even the same one over again.
    let mut more = note().approved(&pack);
    more.calls.push(call("survey", json!({})));
    assert_eq!(more.check(&pack), "open");
    for audience in ["team", "public"] {
        let mut two = note().approved(&pack);
        two.calls.push(call("note", json!({ "audience": audience })));
        assert_eq!(two.check(&pack), asked(audience));
    }
}

#[test]
fn a_platform_vouches_for_the_call_that_waits_and_for_no_other() {
    let pack = pack(&[]);
    let arguments = json!({ "audience": "team" });
    let note = |shown: Json| {
        let asked = case("leave a note", vec![call("note", shown)]);
        let context = json!({
            "flags": { "approval": true },
            "options": [{ "label": "Yes", "value": asked.values(&pack)[0] }],
        });
        case("leave a note", vec![call("note", arguments.clone())]).context(context)
    };
    assert_eq!(note(arguments.clone()).check(&pack), "open");
    assert!(
        note(json!({ "audience": "public" })).check(&pack).starts_with("Clarify gate:approval")
    );
    let two = vec![call("note", arguments.clone()), call("note", json!({ "audience": "public" }))];
    let two = case("leave two notes", two).flags(&["approval"]);
    assert!(two.declaring().check(&pack).starts_with("Clarify gate:approval"));
    // Where nobody was asked, it vouches for the call that its request declares, and never for what words are read as.
    let own = || case("leave a note", vec![call("note", arguments.clone())]).flags(&["approval"]);
    assert_eq!(own().declaring().check(&pack), "open");
    assert!(own().check(&pack).starts_with("Clarify gate:approval"));
    let mut more = own().declaring();
    more.calls[0].arguments.insert("audience".to_owned(), json!("public"));
    assert!(more.check(&pack).starts_with("Clarify gate:approval"));
}

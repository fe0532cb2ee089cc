//! A write with a name that nobody knows is about that name: neither a family nor all of them stand for it.

use serde_json::{Value as Json, json};
use waypost_core::records::access::Access;

use super::{Tried, tool};

/// A tool that sets magnets, one by one or all of a kind.
fn magnets() -> Tried {
    let values = json!({
        "Q1": { "words": ["Q1", "quad Q1"] },
        "Q2": { "words": ["Q2", "quad Q2"] },
        "quads": { "words": ["quad", "quads", "四極磁鐵", "四极磁铁", "tứ cực", "cuadrupolo"], "of": ["Q1", "Q2"] },
        "bend": { "words": ["bend", "dipole"] },
    });
    let properties = json!({
        "magnet": { "type": "string", "enum": ["Q1", "Q2", "quads", "bend"] },
        "current": { "type": "number" },
    });
    let annotations = json!({ "magnet": { "values": values }, "current": { "kind": "number" } });
    tool(properties, &["magnet", "current"]).annotated(&annotations).writing()
}

impl Tried {
    /// The tool changes something.
    fn writing(mut self) -> Self {
        self.pack.tools[0].spec.access = Some(Access::Write);
        self
    }

    /// The word that the first question says nobody knows.
    fn unknown(&self, text: &str) -> Option<String> {
        let gaps = self.fill(text).gaps;
        let gap = gaps.iter().find(|gap| gap.sentence.name == "unread_name")?;
        gap.sentence.with.get("text").cloned()
    }
}

#[test]
fn a_member_that_nobody_knows_is_asked_about_and_its_family_does_not_stand_for_it() {
    let one = json!(["Q1", "Q2", "bend"]);
    for (text, word) in [
        ("set the quad Q7 to 3", "Q7"),
        ("set the Q7 quad to 3", "Q7"),
        // Beside a magnet it is no quarter of the year.
        ("set the quad Q4 to 3", "Q4"),
        ("set quad #Q7 to 3", "Q7"),
        ("set Q7 to 3", "Q7"),
        ("把四極磁鐵 Q7 設為 3", "Q7"),
        ("把四极磁铁Q7设为3", "Q7"),
        ("đặt tứ cực Q7 thành 3", "Q7"),
        ("dat tu cuc Q7 thanh 3", "Q7"),
        ("pon el cuadrupolo Q7 a 3", "Q7"),
    ] {
        assert_eq!(magnets().unknown(text).as_deref(), Some(word), "{text}");
        magnets().asks(text, "magnet", &one);
    }
}

#[test]
fn a_name_that_is_known_is_taken_with_its_family_where_that_is_said() {
    let of = |magnet: &str| json!({ "magnet": magnet, "current": 3.0 });
    let as_integer = |magnet: &str| json!({ "magnet": magnet, "current": 3 });
    for (text, magnet) in [
        ("set the quad Q1 to 3", "Q1"),
        ("set all quads to 3", "quads"),
        ("set the quads to 3 A", "quads"),
        ("把四極磁鐵設為 3", "quads"),
        ("set the bend to 3 at 9am", "bend"),
    ] {
        assert_eq!(magnets().unknown(text), None, "{text}");
        let filled = magnets().fill(text);
        let got = Json::Object(filled.calls[0].arguments.clone());
        assert!(got == of(magnet) || got == as_integer(magnet), "{text}: {got}");
    }
}

#[test]
fn a_word_beside_the_one_for_the_argument_is_its_name() {
    let properties = json!({
        "folder": { "type": "string", "enum": ["inbox", "sent", "all"], "description": "The folder" },
    });
    let mails = || tool(properties.clone(), &["folder"]).writing();
    for text in ["archive the folder zebra", "archive the zebra folder", "archive folder Zebra now"]
    {
        let word = mails().unknown(text).unwrap_or_default();
        assert_eq!(word.to_lowercase(), "zebra", "{text}");
        mails().asks(text, "folder", &json!(["inbox", "sent"]));
    }
    // Nobody said a name: everything is offered.
    mails().asks("archive my mails", "folder", &json!(["inbox", "sent", "all"]));
    mails().gives("archive the sent folder", &json!({ "folder": "sent" }));
}

#[test]
fn what_narrows_a_write_is_asked_about_and_not_left_out() {
    let properties =
        json!({ "project": { "type": "string", "description": "Only those of this project" } });
    let notes = || tool(properties.clone(), &[]).writing();
    for (text, name) in [
        ("delete the notes of project zebra", "zebra"),
        ("delete the notes of the zebra project", "zebra"),
        ("delete the notes of zb-9", "zb-9"),
        ("delete all notes of project zb9", "zb9"),
    ] {
        let filled = notes().fill(text);
        let given = filled.calls[0].arguments.get("project");
        let offered = filled.gaps.iter().flat_map(|gap| gap.choices.iter());
        let offered: Vec<&Json> = offered.map(|choice| &choice.value).collect();
        assert!(given == Some(&json!(name)) || offered == [&json!(name)], "{text}: {filled:?}");
    }
    notes().gives("delete the notes", &json!({}));
    notes().gives("please delete the notes now", &json!({}));
}

#[test]
fn a_look_up_may_be_wider_than_what_was_said() {
    let mut reads = magnets();
    reads.pack.tools[0].spec.access = Some(Access::Read);
    assert_eq!(reads.unknown("show the quad Q7 at 3"), None);
}

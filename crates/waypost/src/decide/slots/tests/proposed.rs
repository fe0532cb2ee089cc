//! A value that a model proposes runs only if something else bears it out.

use serde_json::{Value as Json, json};
use waypost_core::records::decision::Source;
use waypost_core::records::request::PastCall;

use super::super::{DraftCall, Filled, fill};
use super::{Tried, sea, tool};

impl Tried {
    fn proposing(&self, text: &str, proposed: &Json, memory: Option<&Json>) -> Filled {
        self.with(text, |turn| {
            let memory = memory.map(|arguments| PastCall {
                tool: "tool".to_owned(),
                arguments: arguments.as_object().cloned().unwrap_or_default(),
                text: None,
            });
            let draft = DraftCall {
                tool: "tool".to_owned(),
                proposed: proposed.as_object().cloned().unwrap_or_default(),
                memory,
                ..DraftCall::default()
            };
            fill(turn, &draft).unwrap_or_default()
        })
    }

    /// Checks that a proposal is taken, with the words that bear it out.
    #[track_caller]
    fn takes(&self, text: &str, proposed: &Json, words: &str) -> &Self {
        let filled = self.proposing(text, proposed, None);
        let (name, value) = proposed.as_object().unwrap().iter().next().unwrap();
        let call = &filled.calls[0];
        assert_eq!(call.arguments.get(name), Some(value), "{text} {:?}", filled.gaps);
        assert_eq!(call.evidence[name].text.as_deref(), Some(words), "{text}");
        assert_eq!(filled.gaps, [], "{text}");
        self
    }

    /// Checks that a proposal is not taken, and is the first choice of the question.
    #[track_caller]
    fn offers(&self, text: &str, proposed: &Json) -> &Self {
        let filled = self.proposing(text, proposed, None);
        let name = proposed.as_object().unwrap().keys().next().unwrap();
        assert!(!filled.calls[0].arguments.contains_key(name), "{text} {:?}", filled.calls);
        let gap = filled.gaps.first().unwrap_or_else(|| panic!("{text}: no question"));
        assert_eq!((&gap.argument, &gap.choices[0].value), (name, proposed), "{text}");
        self
    }

    /// Checks that a proposal is neither taken nor offered.
    #[track_caller]
    fn drops(&self, text: &str, proposed: &Json) -> &Self {
        let filled = self.proposing(text, proposed, None);
        let (name, value) = proposed.as_object().unwrap().iter().next().unwrap();
        assert_ne!(filled.calls[0].arguments.get(name), Some(value), "{text}");
        let offered = |gap: &super::super::Gap| gap.choices.iter().any(|c| c.value == *proposed);
        assert!(!filled.gaps.iter().any(offered), "{text} {:?}", filled.gaps);
        self
    }
}

fn topics() -> Tried {
    let topic = json!({ "enum": ["emissions", "prices", "volumes"] });
    tool(json!({ "topic": topic }), &["topic"]).annotated(
        &json!({ "topic": { "values": { "prices": { "words": ["how dear", "價格"] } } } }),
    )
}

#[test]
fn a_listed_value_needs_a_word_as_any_other_does() {
    topics()
        .offers("greenhouse stuff", &json!({ "topic": "emissions" }))
        .offers("溫室的東西", &json!({ "topic": "emissions" }))
        .takes("something about the emissions", &json!({ "topic": "emissions" }), "emissions")
        .takes("how dear was it", &json!({ "topic": "prices" }), "how dear")
        .takes("價格", &json!({ "topic": "prices" }), "價格")
        .drops("not the emissions", &json!({ "topic": "emissions" }));
}

#[test]
fn the_question_shows_the_value_first_and_the_others_behind_it() {
    let filled = topics().proposing("greenhouse stuff", &json!({ "topic": "volumes" }), None);
    let [gap] = &filled.gaps[..] else { panic!("{:?}", filled.gaps) };
    let shown: Vec<&Json> = gap.choices.iter().map(|choice| &choice.value).collect();
    assert_eq!(shown, [&json!({ "topic": "volumes" }), &json!("emissions"), &json!("prices")]);
    assert_eq!(gap.sentence.with["value"], "volumes");
}

#[test]
fn each_kind_of_value_needs_its_own_words() {
    let one = |schema: Json| tool(json!({ "value": schema }), &["value"]);
    let value = |value: Json| json!({ "value": value });
    one(json!({ "type": "boolean" })).offers("the usual way", &value(json!(true)));
    one(json!({ "type": "integer" }))
        .offers("as many as ever", &value(json!(5)))
        .offers("on 2025-11-05", &value(json!(11)))
        .takes("level half a dozen or so", &value(json!(6)), "half a dozen");
    one(json!({ "type": "string" }))
        .offers("the harbor of the painters", &value(json!("Honfleur")))
        .takes("put Honfleur there", &value(json!("Honfleur")), "Honfleur")
        .drops("anything but Honfleur", &value(json!("Honfleur")));
    one(json!({ "type": "string", "format": "date" }))
        .offers("the day of the big storm", &value(json!("2025-08-13")))
        .offers("as on the day of the 31 storms", &value(json!("2025-08-13")))
        .takes("yesterday", &value(json!("2025-11-05")), "yesterday");
    one(json!({ "type": "array", "items": { "enum": ["a1", "b2", "c3"] } }))
        .offers("the good ones", &value(json!(["a1"])))
        .takes("a1", &value(json!(["a1"])), "a1");
    let fields = json!({ "name": { "type": "string" }, "size": { "type": "integer" } });
    one(json!({ "type": "object", "properties": fields }))
        .offers("the usual", &value(json!({ "name": "blue", "size": 4 })))
        .offers("blue", &value(json!({ "name": "blue", "size": 4 })));
    one(json!({ "type": "string" })).drops("the usual", &value(json!("")));
}

#[test]
fn a_place_must_be_said() {
    sea()
        .offers("where the marble comes from", &json!({ "bbox": [10.0, 0.0, 11.0, 2.0] }))
        .offers("where the marble comes from", &json!({ "bbox": "hualien" }))
        .drops("not Hualien", &json!({ "bbox": "hualien" }));
    let filled = sea().proposing("Hualien", &json!({ "bbox": "hualien" }), None);
    assert_eq!(filled.calls[0].arguments["bbox"], json!([10.0, 0.0, 11.0, 2.0]));
}

#[test]
fn neither_a_default_nor_memory_stands_for_what_a_model_read() {
    sea().offers("Hualien when the typhoon came", &json!({ "date": "2025-08-13" }));
    let topic = json!({ "topic": "prices" });
    let filled =
        topics().proposing("greenhouse stuff", &json!({ "topic": "emissions" }), Some(&topic));
    assert_eq!(filled.gaps[0].choices[0].value, json!({ "topic": "emissions" }));
    // The same as before, or as ever, is no question.
    let filled = topics().proposing("once more", &topic, Some(&topic));
    assert_eq!(
        (filled.calls[0].arguments["topic"].clone(), filled.gaps.len()),
        (json!("prices"), 0)
    );
    assert_eq!(filled.calls[0].evidence["topic"].source, Source::Memory);
    let filled = sea().proposing("Hualien", &json!({ "date": "2025-11-06", "depth": 5 }), None);
    assert_eq!(filled.gaps, []);
}

#[test]
fn what_the_words_say_outranks_what_a_model_read() {
    let filled = topics().proposing("how dear was it", &json!({ "topic": "emissions" }), None);
    assert_eq!(
        (filled.calls[0].arguments["topic"].clone(), filled.gaps.len()),
        (json!("prices"), 0)
    );
}

#[test]
fn an_option_that_was_shown_for_the_argument_bears_its_value_out() {
    let mut asked = topics().asked("topic");
    asked.context["options"] = json!([{ "label": "Emissions", "value": "emissions" }]);
    let filled = asked.proposing("greenhouse stuff", &json!({ "topic": "emissions" }), None);
    assert_eq!(
        (filled.calls[0].arguments["topic"].clone(), filled.gaps.len()),
        (json!("emissions"), 0)
    );
    // One that was not shown is proposed.
    asked.offers("greenhouse stuff", &json!({ "topic": "volumes" }));
}

//! The gates hold what an embedder adds as well: its layers propose, and its matchers show the words.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Value as Json, json};
use waypost::Result;
use waypost::decide::cascade::{Aim, DecisionDependencies, Layer, Proposal, Step};
use waypost::decide::slots::{DraftCall, Given};
use waypost::pack::Tool;
use waypost::records::answer::Answer;
use waypost::records::decision::{Evidence, LayerName, Source};
use waypost::records::request::{PastCall, Request};
use waypost::text::Span;
use waypost::understand::Turn;
use waypost::understand::matcher::{Found, Matcher};

use super::Talk;
use super::parts::trained;

/// A layer that proposes the same whatever is said, and claims a higher rank than it has.
#[derive(Debug, Clone)]
struct Wants(Proposal);

impl Wants {
    fn call(call: DraftCall) -> Self {
        let aim = Aim::Route("tool".to_owned());
        Self(Proposal {
            calls: vec![call],
            ..Proposal::sure(LayerName::Declared, aim, "own: wants it")
        })
    }

    fn tool(tool: &str) -> Self {
        Self::call(DraftCall { tool: tool.to_owned(), exact: true, ..DraftCall::default() })
    }
}

#[async_trait]
impl Layer for Wants {
    fn name(&self) -> LayerName {
        LayerName::Declared
    }

    async fn decide(
        &self,
        _: &Turn<'_>,
        _: &DecisionDependencies<'_>,
        _: Option<&Proposal>,
    ) -> Result<Step> {
        Ok(Step::Decided(self.0.clone()))
    }
}

/// Finds a value in the first word of whatever is said, or in words that are not there.
#[derive(Debug)]
struct Finds(&'static str, Json, Span);

impl Matcher for Finds {
    fn name(&self) -> &'static str {
        "option"
    }

    fn find(&self, _: &Turn<'_>, _: &Tool, argument: &str) -> Option<Found> {
        (argument == self.0).then(|| Found { value: self.1.clone(), span: self.2 })
    }
}

fn talk(layer: Wants, matchers: Vec<Arc<dyn Matcher>>) -> Talk {
    let talk = Talk::new(&trained(), 1, false);
    let router = talk.router.with_layers(vec![Arc::new(layer)]).with_matchers(matchers);
    Talk { router, ..talk }
}

fn answer(talk: &Talk, text: &str, trusted: bool) -> Answer {
    let now = Some("2025-11-06T09:00:00Z".to_owned());
    talk.answer(&Request { now, trusted, ..Request::new(text) })
}

#[test]
fn an_own_layer_that_wants_something_destroyed_is_stopped() {
    for (trusted, outcome, reason) in
        [(true, "clarify", "gate:approval"), (false, "refuse", "gate:permission")]
    {
        let talk = talk(Wants::tool("purge"), Vec::new());
        let plan = answer(&talk, "tidy up a little", trusted).raw.plan;
        assert_eq!(
            (&plan["outcome"], &plan["reason"]),
            (&json!(outcome), &json!(reason)),
            "{plan}"
        );
        assert_eq!(plan["layer"], "rules", "{plan}");
        assert!(talk.land.take().is_empty());
    }
}

#[test]
fn an_own_layer_cannot_speak_for_the_user() {
    let wants = Wants::tool("purge");
    let past = PastCall { tool: "purge".to_owned(), arguments: serde_json::Map::new(), text: None };
    let approved = Wants(Proposal { approved: Some(past), ..wants.0.clone() });
    let certain = Wants(Proposal { confidence: f64::NAN, ..wants.0.clone() });
    let evidence = Evidence::new(Source::Option, "option");
    let given = Given { value: json!("team"), evidence };
    let chosen = Wants::call(DraftCall {
        tool: "note".to_owned(),
        given: [("audience".to_owned(), given)].into(),
        ..DraftCall::default()
    });
    for wants in [approved, certain, chosen, Wants::tool("nothing")] {
        let talk = talk(wants, Vec::new());
        let plan = answer(&talk, "tidy up a little", true).raw.plan;
        assert_eq!(plan["degraded"], json!(["rules:INVALID_ARGUMENT"]), "{plan}");
        assert_ne!(plan["layer"], "rules", "the turn goes on without it: {plan}");
        assert!(talk.land.take().iter().all(|call| call.tool != "purge" && call.tool != "note"));
    }
}

#[test]
fn what_an_own_matcher_finds_is_what_words_say_and_passes_the_gates() {
    let first = Span { start: 0, end: 4 };
    let found = |value: Json, span| -> Vec<Arc<dyn Matcher>> {
        vec![Arc::new(Finds("audience", value, span))]
    };
    let talked = talk(Wants::tool("note"), found(json!("team"), first));
    let plan = answer(&talked, "tell them", true).raw.plan;
    assert_eq!(plan["reason"], "gate:approval", "{plan}");
    let receipt = &plan["calls"][0]["evidence"]["audience"];
    assert_eq!(*receipt, json!({ "source": "span", "text": "tell", "by": "own option" }));
    // What the schema refuses is asked about, and words that nobody said say nothing.
    let nowhere = Span { start: 90, end: 99 };
    for (value, span, reason, held) in [
        (json!("everybody"), first, "gate:values", json!({ "audience": "everybody" })),
        (json!("team"), nowhere, "gate:completeness", json!({})),
    ] {
        let talked = talk(Wants::tool("note"), found(value, span));
        let plan = answer(&talked, "tell them", true).raw.plan;
        assert_eq!(plan["reason"], reason, "{plan}");
        assert_eq!(plan["calls"][0]["arguments"], held, "{plan}");
        assert!(talked.land.take().is_empty());
    }
}

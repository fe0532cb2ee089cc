//! Every gate as data: a request, the calls that it would make, and the question instead.

mod writes;

use std::cell::LazyCell;
use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};
use waypost_core::records::decision::{Call, Evidence, Source};
use waypost_core::records::request::{Choice, PastCall, Request};
use waypost_text::text::Span;

use super::{Check, check};
use crate::decide::slots::Gap;
use crate::pack::Pack;
use crate::pack::messages::{Messages, Sentence};
use crate::understand::ingest;

/// The pack of the tests of the gates, with some of its text replaced.
fn pack(edits: &[(&str, &str)]) -> Pack {
    let mut text = include_str!("../../../tests/gates/workflow/pack.yaml").to_owned();
    for (from, to) in edits {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    let examples = include_str!("../../../tests/gates/workflow/examples.jsonl").to_owned();
    let files = [("pack.yaml".to_owned(), text), ("examples.jsonl".to_owned(), examples)];
    Pack::load(&BTreeMap::from(files)).unwrap()
}

/// The parts that the gates are shown beside the pack.
struct Case {
    request: Json,
    calls: Vec<Call>,
    gaps: Vec<Gap>,
    leftover: Vec<Span>,
    confidence: f64,
    approved: Option<PastCall>,
    meanings: Vec<Choice>,
}

fn case(text: &str, calls: Vec<Call>) -> Case {
    let request = json!({ "text": text, "now": "2025-11-06T09:00:00Z" });
    let (gaps, meanings) = (Vec::new(), Vec::new());
    Case { request, calls, gaps, leftover: Vec::new(), confidence: 1.0, approved: None, meanings }
}

impl Case {
    fn context(mut self, context: Json) -> Self {
        self.request["context"] = context;
        self
    }

    fn flags(self, flags: &[&str]) -> Self {
        let flags: Map<String, Json> =
            flags.iter().map(|flag| ((*flag).to_owned(), json!(true))).collect();
        self.context(json!({ "flags": flags }))
    }

    /// The same where the request declares its first call.
    fn declaring(mut self) -> Self {
        let Call { tool, arguments, .. } = &self.calls[0];
        self.request["call"] = json!({ "tool": tool, "arguments": arguments });
        self
    }

    fn trusted(mut self) -> Self {
        self.request["trusted"] = json!(true);
        self
    }

    fn confidence(mut self, confidence: f64, meanings: &[&str]) -> Self {
        let choice = |name: &&str| Choice { label: (*name).to_owned(), value: json!(name) };
        self.meanings = meanings.iter().map(choice).collect();
        self.confidence = confidence;
        self
    }

    /// The words that fill nothing.
    fn leaving(mut self, words: &str) -> Self {
        let text = self.request["text"].as_str().unwrap();
        let start = text.find(words).unwrap();
        self.leftover = vec![Span { start, end: start + words.len() }];
        self
    }

    /// The same once the user was shown its call, and says yes.
    fn approved(mut self, pack: &Pack) -> Self {
        let yes = self.values(pack).swap_remove(0);
        self.request["context"]["options"] = json!([{ "label": "Yes", "value": yes }]);
        let call = &self.calls[0];
        let arguments = call.arguments.clone();
        self.approved = Some(PastCall { tool: call.tool.clone(), arguments, text: None });
        self
    }

    /// `open`, or what happens instead: outcome, reason, sentence, and the choices.
    fn check(&self, pack: &Pack) -> String {
        let request: Request = serde_json::from_value(self.request.clone()).unwrap();
        let turn = ingest(pack, &request, request.context.clone()).unwrap();
        let messages = Messages::default();
        let proposal = Check {
            gaps: &self.gaps,
            leftover: &self.leftover,
            confidence: self.confidence,
            approved: self.approved.as_ref(),
            planned: false,
            meanings: LazyCell::new(Box::new(|| self.meanings.clone())),
            ..Check::settled(&turn, pack.route("tool").unwrap(), &self.calls, &messages)
        };
        match check(&proposal) {
            Ok(approved) => {
                assert_eq!(approved.calls(), self.calls);
                "open".to_owned()
            }
            Err(closed) => {
                let question = messages.ask(turn.said.language, &closed.ask);
                let choices = question.choices.iter().map(|choice| &choice.label);
                let labels: Vec<&String> = choices.collect();
                format!("{:?} {} {} {labels:?}", closed.outcome, closed.reason, question.text)
            }
        }
    }

    /// The values of the choices that are offered.
    fn values(&self, pack: &Pack) -> Vec<Json> {
        let request: Request = serde_json::from_value(self.request.clone()).unwrap();
        let turn = ingest(pack, &request, request.context.clone()).unwrap();
        let messages = Messages::default();
        let proposal = Check {
            gaps: &self.gaps,
            leftover: &self.leftover,
            confidence: self.confidence,
            planned: false,
            ..Check::settled(&turn, pack.route("tool").unwrap(), &self.calls, &messages)
        };
        let closed = check(&proposal).unwrap_err();
        closed.ask.choices.into_iter().map(|choice| choice.value).collect()
    }
}

/// A call whose arguments were all read from the words.
#[expect(clippy::needless_pass_by_value, reason = "the tables of cases read better")]
fn call(tool: &str, arguments: Json) -> Call {
    call_by(tool, &arguments, Source::Span)
}

fn call_by(tool: &str, arguments: &Json, source: Source) -> Call {
    let arguments = arguments.as_object().cloned().unwrap_or_default();
    let evidence = arguments.keys().map(|name| (name.clone(), Evidence::new(source, "test")));
    Call { tool: tool.to_owned(), evidence: evidence.collect(), arguments }
}

const ALL_DONE: [&str; 2] = ["survey_done", "analysis_done"];

#[test]
fn an_end_before_its_start_is_named_for_a_tool_that_nobody_described() {
    let count = "count: { type: integer, minimum: 1, maximum: 200 }";
    let day = "{ type: string, format: date }";
    let days =
        |start: &str, end: &str| format!("{count}\n        {start}: {day}\n        {end}: {day}");
    let of = |names: [&str; 2], values: [&str; 2]| {
        let arguments = json!({ "column": "rain", names[0]: values[0], names[1]: values[1] });
        let pack = pack(&[(count, &days(names[0], names[1]))]);
        case("report on rain", vec![call("report", arguments)]).check(&pack)
    };
    let (early, late) = ("2025-11-01", "2025-11-05");
    assert_eq!(
        of(["start_date", "end_date"], [late, early]),
        "Clarify gate:values In “2025-11-05 – 2025-11-01” the end is before the start. \
         Which days do you mean? []"
    );
    assert_eq!(of(["start_date", "end_date"], [early, late]), "open");
    // What is moved may move to an earlier day.
    assert_eq!(of(["old_date", "new_date"], [late, early]), "open");
}

#[test]
fn s1_41_a_gate_is_a_fork_with_the_choices_that_lead_on() {
    let pack = pack(&[]);
    let analysis = || case("run the analysis", vec![call("analysis", json!({}))]);
    assert_eq!(
        analysis().check(&pack),
        "Clarify gate:survey_done The survey has to be finished first. \
         [\"Finish the survey with defaults\", \"Continue the survey at region\"]"
    );
    assert_eq!(analysis().flags(&["survey_done"]).check(&pack), "open");
    // The flag of the last step is missing, but the first step leads on.
    let plan = || case("make a plan", vec![call("plan", json!({}))]);
    assert_eq!(
        plan().check(&pack),
        "Clarify gate:analysis_done The survey has to be finished first. \
         [\"Finish the survey with defaults\", \"Continue the survey at region\"]"
    );
    assert_eq!(
        plan().flags(&["survey_done"]).check(&pack),
        "Clarify gate:analysis_done Something has to be done first: the analysis. \
         [\"Analyzes what the survey found.\"]"
    );
    assert_eq!(plan().flags(&ALL_DONE).check(&pack), "open");
    // Only `true` counts as set, and no other flag takes its place.
    let text = json!({ "flags": { "analysis_done": "true", "approval": true } });
    assert!(plan().context(text).check(&pack).starts_with("Clarify gate:analysis_done"));
}

#[test]
fn a_fork_speaks_the_users_language() {
    let case = case("quiero el análisis", vec![call("analysis", json!({}))]);
    assert_eq!(
        case.check(&pack(&[])),
        "Clarify gate:survey_done Antes hay que terminar el estudio. \
         [\"Terminar el estudio\", \"Seguir con región\"]"
    );
}

#[test]
fn a_choice_of_a_fork_takes_over_what_is_known() {
    let pack = pack(&[]);
    let analysis = || case("run the analysis", vec![call("analysis", json!({}))]);
    let last = json!({ "last_calls": [
        { "tool": "survey", "arguments": { "depth": "deep" } },
        { "tool": "survey", "arguments": { "region": "north", "junk": 1 } },
        { "tool": "report", "arguments": { "column": "rain" } },
    ] });
    let after_one_step = analysis().context(last.clone());
    assert!(after_one_step.check(&pack).contains("Continue the survey at depth"));
    assert_eq!(
        after_one_step.values(&pack),
        [
            json!({ "tool": "survey", "arguments": { "region": "north", "depth": "shallow" } }),
            json!({ "tool": "survey", "arguments": { "region": "north" } }),
        ]
    );
    let mut asked = last;
    asked["active_tool"] = json!("survey");
    asked["active_arguments"] = json!({ "depth": "deep" });
    assert!(analysis().context(asked.clone()).check(&pack).contains("at region"));
    // If no step is open, none can be named.
    asked["active_arguments"] = json!({ "depth": "deep", "region": "south" });
    let whole = analysis().context(asked);
    assert!(whole.check(&pack).ends_with("[\"Finish the survey with defaults\"]"));
}

#[test]
fn gates_in_a_circle_lead_to_their_own_choices() {
    let circle = ("ask: { en: The survey", "after: [analysis_done]\n    ask: { en: The survey");
    let pack = pack(&[circle]);
    let case = case("make a plan", vec![call("plan", json!({}))]);
    assert!(case.check(&pack).starts_with("Clarify gate:analysis_done Something has to be done"));
}

#[test]
fn a_requirement_may_hang_on_a_view_and_on_arguments() {
    let pack = pack(&[]);
    let report = |text: &str, arguments: Json| case(text, vec![call("report", arguments)]);
    assert_eq!(report("make a report", json!({})).check(&pack), "open");
    let ranking = report("give me the ranking", json!({ "count": 10 }));
    assert!(ranking.check(&pack).starts_with("Clarify gate:analysis_done"));
    assert_eq!(report("ranking by rain", json!({ "column": "rain" })).check(&pack), "open");
    // The pack's own default was not given by anybody.
    let default = call_by("report", &json!({ "column": "rain" }), Source::Default);
    let assumed = case("give me the ranking", vec![default]);
    assert!(assumed.check(&pack).starts_with("Clarify gate:analysis_done"));
    // An answer is about the request that the question interrupted, a follow-up about its call.
    let asked = json!({ "active_tool": "report", "asked": "give me the ranking" });
    let answer = report("20", json!({ "count": 20 }));
    assert!(answer.context(asked).check(&pack).starts_with("Clarify gate:analysis_done"));
    let past = json!({ "last_calls": [
        { "tool": "report", "arguments": { "count": 5 }, "text": "ranking of fields" },
    ] });
    let again = call_by("report", &json!({ "count": 5 }), Source::Memory);
    let again = case("again", vec![again]).context(past.clone());
    assert!(again.check(&pack).starts_with("Clarify gate:analysis_done"));
    assert_eq!(report("make a report", json!({})).context(past).check(&pack), "open");
    let with = ("view: ranking, without: column", "with: column");
    let pack = self::pack(&[with]);
    assert_eq!(report("give me the ranking", json!({})).check(&pack), "open");
    let given = report("report on rain", json!({ "column": "rain" }));
    assert!(given.check(&pack).starts_with("Clarify gate:analysis_done"));
}

#[test]
fn values_that_cannot_be_are_named_with_what_may_be() {
    let pack = pack(&[("kind: number, soft", "unit: percent, soft")]);
    let plan =
        |arguments: Json| case("make a plan", vec![call("plan", arguments)]).flags(&ALL_DONE);
    for (arguments, said) in [
        (
            json!({ "budget": 200_000_000 }),
            "total budget is 200,000,000; it must be 0 to 100,000,000. What should it be? []",
        ),
        (json!({ "budget": -5 }), "total budget is -5; it must be 0 to 100,000,000."),
        (json!({ "budget": 1000.5 }), "total budget is 1,000.5; it must be a whole number."),
        (json!({ "budget": "many" }), "total budget cannot be many. What should it be? []"),
        (json!({ "share": 0 }), "share is 0; it must be more than 0."),
        (json!({ "share": 140 }), "share is 140; it must be 100 or less."),
    ] {
        let found = plan(arguments).check(&pack);
        assert!(found.starts_with(&format!("Clarify gate:values {said}")), "{found}");
    }
    let survey = case("survey it", vec![call("survey", json!({ "region": "west" }))]);
    assert_eq!(
        survey.check(&pack),
        "Clarify gate:values region cannot be west. What should it be? \
         [\"north\", \"south\", \"all\"]"
    );
}

#[test]
fn a_day_that_cannot_be_and_a_range_that_ends_before_it_starts_are_named() {
    let pack = pack(&[
        (
            "        region: { enum: [north, south, all] }\n",
            "        region: { enum: [north, south, all] }\n        from: { type: string }\n        \
         to: { type: string }\n",
        ),
        (
            "    arguments:\n      region:\n",
            "    arguments:\n      from: { kind: range, part: start }\n      \
         to: { kind: range, part: end }\n      region:\n",
        ),
    ]);
    let survey = |from: &str, to: &str| {
        case("survey", vec![call("survey", json!({ "from": from, "to": to }))]).check(&pack)
    };
    assert_eq!(survey("2025-11-01", "2025-11-01"), "open");
    assert!(survey("2025-11-02", "2025-11-01").contains("2025-11-02 – 2025-11-01"));
    assert!(survey("2025-11-02", "2025-02-30").contains("no such date: “2025-02-30”"));
}

#[test]
fn an_unusual_value_is_asked_about_once() {
    let pack = pack(&[]);
    let plan = |source| {
        let call = call_by("plan", &json!({ "budget": 5_000_000 }), source);
        case("make a plan", vec![call]).flags(&ALL_DONE)
    };
    let asked = plan(Source::Span);
    assert_eq!(
        asked.check(&pack),
        "Clarify gate:values total budget is 5,000,000; usually it is 100 to 1,000,000. \
         Is 5,000,000 right? [\"Yes, 5,000,000\", \"No\"]"
    );
    assert_eq!(
        asked.values(&pack),
        [
            json!({ "tool": "plan", "arguments": { "budget": 5_000_000 } }),
            json!({ "cancel": true })
        ]
    );
    assert!(plan(Source::Llm).check(&pack).starts_with("Clarify gate:values"));
    for settled in [Source::Option, Source::Default] {
        assert_eq!(plan(settled).check(&pack), "open", "{settled:?}");
    }
    // Remembered from a question that nobody said yes to: it never ran.
    assert!(plan(Source::Memory).check(&pack).starts_with("Clarify gate:values"));
    // A call that may not run at all is not asked about.
    let early = case("make a plan", plan(Source::Span).calls);
    assert!(early.check(&pack).starts_with("Clarify gate:analysis_done"));
}

#[test]
fn a_write_is_put_to_the_user_when_it_is_whole_and_sure() {
    let pack = pack(&[]);
    let note = |confidence| {
        let calls = vec![call("note", json!({ "audience": "team" }))];
        case("leave a note", calls).confidence(confidence, &["one", "other"])
    };
    // Between the threshold for reading and that for writing it is asked which tool is meant.
    let which = "Clarify gate:confidence What would you like? [\"one\", \"other\"]";
    assert_eq!(note(0.79).check(&pack), which);
    assert!(note(0.09).check(&pack).starts_with("Rephrase gate:confidence"));
    assert!(note(0.8).check(&pack).starts_with("Clarify gate:approval"));
    let mut open = note(1.0);
    open.calls[0].arguments.clear();
    open.gaps = vec![Gap {
        tool: "note".to_owned(),
        argument: "audience".to_owned(),
        sentence: Sentence::new("missing").with("what", "audience"),
        choices: Vec::new(),
    }];
    assert_eq!(open.check(&pack), "Clarify gate:completeness What should audience be? []");
    // The pack may want more or less, for all of them or for one.
    let policy = self::pack(&[("fallback: explain", "fallback: explain\npolicy: { write: 0.95 }")]);
    assert_eq!(note(0.9).check(&policy), which);
    let own = self::pack(&[(
        "    access: write\n    schema:\n      type: object\n      \
         additionalProperties: false\n      required: [audience]",
        "    access: write\n    run: 0.5\n    schema:\n      type: object\n      \
         additionalProperties: false\n      required: [audience]",
    )]);
    assert!(note(0.6).check(&own).starts_with("Clarify gate:approval"));
}

#[test]
fn what_is_approved_is_shown_to_the_last_value_with_where_it_came_from() {
    let pack = pack(&[]);
    let arguments = json!({
        "copies": 5, "title": "5", "tags": ["soil", "rain"], "meta": { "by": "me" }, "loud": true,
    });
    let mut call = call_by("publish", &arguments, Source::Default);
    let mut from = |name: &str, evidence| call.evidence.insert(name.to_owned(), evidence);
    from("title", Evidence::span("5", "text"));
    from("tags", Evidence::span("soil and\nrain", "typed"));
    from("meta", Evidence::new(Source::Llm, "llm"));
    from("copies", Evidence::new(Source::Memory, "memory publish"));
    assert_eq!(
        case("publish it", vec![call]).check(&pack),
        "Clarify gate:approval This changes something. Shall exactly this be done?\n\
         - Publishes an article (publish, on the server land)\n\
         - title: \"5\" (your words “5”)\n\
         - tags: soil, rain (your words “soil and\\u{a}rain”)\n\
         - meta: {\"by\":\"me\"} (a language model’s reading)\n\
         - copies: 5 (from before)\n\
         - loud: true (default) [\"Yes\", \"No\"]"
    );
}

#[test]
fn what_was_said_and_fills_nothing_is_shown_and_no_platform_vouches_for_it() {
    let pack = pack(&[]);
    let note = || vec![call("note", json!({ "audience": "team" }))];
    let vouched = || {
        let told = case("a note for the team, gate 12", note()).trusted().flags(&["approval"]);
        told.declaring()
    };
    assert_eq!(vouched().check(&pack), "open");
    let asked = vouched().leaving("12").check(&pack);
    assert!(asked.starts_with("Clarify gate:approval"), "{asked}");
    assert!(asked.contains("\n- not used: “12” ["), "{asked}");
    // The user saw the line, and says yes to the call as it is.
    assert_eq!(vouched().leaving("12").approved(&pack).check(&pack), "open");
}

#[test]
fn what_is_destroyed_is_named() {
    let pack = pack(&[]);
    let said = |text: &str, tool: &str, arguments: Json| {
        let case = case(text, vec![call(tool, arguments)]).trusted().check(&pack);
        case.rsplit_once('\n').unwrap().1.to_owned()
    };
    let old = || json!({ "house": "the old mill", "at_night": true });
    assert_eq!(
        said("demolish it", "demolish", old()),
        "The house the old mill and all that stands in it. [\"Yes\", \"No\"]"
    );
    assert_eq!(
        said("quiero derribar la casa", "demolish", old()),
        "La casa the old mill y todo lo que hay en ella. [\"Sí\", \"No\"]"
    );
    assert_eq!(
        said("purge it", "purge", json!({})),
        "It names nothing in particular: all that it reaches may be lost for good. [\"Yes\", \"No\"]"
    );
    // Without a sentence of the pack, the values say it.
    let plain = self::pack(&[("    loss:\n", "    answer:\n")]);
    let calls = vec![call("demolish", old())];
    let asked = case("demolish it", calls).trusted().check(&plain);
    assert!(asked.ends_with("Lost for good: the old mill [\"Yes\", \"No\"]"), "{asked}");
}

#[test]
fn only_a_trusted_caller_destroys_and_only_with_a_yes() {
    let pack = pack(&[]);
    let purge = || case("purge everything", vec![call("purge", json!({}))]);
    let refused = "Refuse gate:permission “purge” may not be used from here. []";
    assert_eq!(purge().check(&pack), refused);
    let mut not_trusted = purge().trusted().approved(&pack);
    not_trusted.request["trusted"] = json!(false);
    assert_eq!(not_trusted.check(&pack), refused);
    assert!(purge().trusted().check(&pack).starts_with("Clarify gate:approval"));
    assert_eq!(purge().trusted().approved(&pack).check(&pack), "open");
}

#[test]
fn the_first_missing_argument_is_the_one_question() {
    let gap = |argument: &str| Gap {
        tool: "survey".to_owned(),
        argument: argument.to_owned(),
        sentence: Sentence::new("missing").with("what", argument),
        choices: Vec::new(),
    };
    let mut case = case("survey", vec![call("survey", json!({}))]);
    case.gaps = vec![gap("region"), gap("depth")];
    assert_eq!(case.check(&pack(&[])), "Clarify gate:completeness What should region be? []");
}

#[test]
fn s1_8_confidence_runs_asks_or_rephrases() {
    let pack = pack(&[]);
    let survey = |confidence, meanings: &[&str]| {
        let calls = vec![call("survey", json!({}))];
        case("survey", calls).confidence(confidence, meanings).check(&pack)
    };
    let two = ["one", "other"];
    assert_eq!(survey(0.7, &two), "open");
    let asked = "Clarify gate:confidence What would you like? [\"one\", \"other\"]";
    assert_eq!(survey(0.69, &two), asked);
    assert_eq!(survey(0.4, &two), asked);
    let only = "Clarify gate:confidence Is this what you mean: one? [\"one\"]";
    assert_eq!(survey(0.5, &two[..1]), only);
    let rephrase =
        "Rephrase gate:confidence That was not understood. Please say it in other words. []";
    assert_eq!(survey(0.39, &two), rephrase);
    assert_eq!(survey(0.5, &[]), rephrase);
    // A tool that costs more to run in vain needs more confidence.
    let plan = |confidence| {
        let calls = vec![call("plan", json!({})), call("survey", json!({}))];
        case("plan", calls).flags(&ALL_DONE).confidence(confidence, &two).check(&pack)
    };
    assert_eq!(plan(0.75), asked);
    assert_eq!(plan(0.8), "open");
}

#[test]
fn a_turn_makes_only_so_many_calls() {
    let pack = pack(&[]);
    let calls = |count| vec![call("survey", json!({})); count];
    assert_eq!(case("survey", calls(6)).check(&pack), "open");
    assert!(case("survey", calls(7)).check(&pack).starts_with("Clarify gate:budget"));
}

//! A model that sees the summaries of all tools and names a set: the prompt as it is sent, and what comes of replies that are
//! right, wrong, or name what nobody knows.
//!
//! `spec/prompts/finance.txt` is the prompt; `WAYPOST_UPDATE_PROMPTS=1` writes it anew.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]
#![expect(clippy::print_stdout, reason = "the figures stand in the documents")]
#![expect(clippy::disallowed_methods, reason = "the texts are read from files")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::json;
use tokio_util::sync::CancellationToken;
use waypost::ports::model::{Model, Pieces, Prompt, Reply, Slot};
use waypost::records::belief::Belief;
use waypost::records::decision::{Complexity, Decision, LayerName, Outcome, Strategy};
use waypost::records::request::Request;
use waypost::records::rollout::{Key, Rollout, Setting};
use waypost::router::Router;
use waypost::{Code, Error, Result, tokens};
use waypost_learning::{Bundle, Scratch};
use waypost_testing::Shipped;

use crate::noise::{root, router_of};

/// What a model replies to a text.
type Says = Box<dyn Fn(&str) -> Option<String> + Send + Sync>;

struct Scripted {
    says: Says,
    prompts: Mutex<Vec<Prompt>>,
}

impl std::fmt::Debug for Scripted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Scripted")
    }
}

#[async_trait]
impl Model for Scripted {
    fn name(&self) -> &'static str {
        "scripted"
    }

    async fn complete(&self, prompt: &Prompt, _: &CancellationToken) -> Result<Reply> {
        self.prompts.lock().unwrap().push(prompt.clone());
        // It chooses and reads no argument.
        let chooses = prompt.schema.as_ref().is_some_and(|(name, _)| name == "decision");
        let text = prompt.messages.last().map_or("", |message| message.content.as_str());
        let text = (self.says)(text).filter(|_| chooses);
        let text = text.ok_or_else(|| Error::new(Code::Unavailable, "it says nothing"))?;
        Ok(Reply { text, usage: None, truncated: false })
    }

    async fn stream(&self, _: &Prompt, _: &CancellationToken) -> Result<Pieces> {
        Err(Error::new(Code::Unavailable, "it writes nothing"))
    }
}

/// A case of the pack `finance` whose tools are known.
#[derive(Debug, Deserialize)]
struct Case {
    text: String,
    now: String,
    expect: Expect,
    #[serde(default)]
    context: Option<serde_json::Value>,
}

#[derive(Debug, Deserialize)]
struct Expect {
    #[serde(default)]
    tools: BTreeSet<String>,
}

/// The cases of the pack `finance` that begin something and ask for a tool, with the lists of wishes.
fn cases() -> Vec<(String, String, BTreeSet<String>)> {
    let cases = std::fs::read_to_string(root().join("packs/finance/cases.jsonl")).unwrap();
    let cases = cases.lines().map(|line| serde_json::from_str::<Case>(line).unwrap());
    let cases = cases.filter(|case| case.context.is_none() && !case.expect.tools.is_empty());
    let cases = cases.map(|case| (case.text, case.now, case.expect.tools));
    let lists = std::fs::read_to_string(root().join("spec/lists/made.jsonl")).unwrap();
    let lists = lists.lines().map(|line| {
        let list: serde_json::Value = serde_json::from_str(line).unwrap();
        let tools = serde_json::from_value(list["tools"].clone()).unwrap();
        (list["text"].as_str().unwrap().to_owned(), NOW.to_owned(), tools)
    });
    cases.chain(lists).collect()
}

const NOW: &str = "2025-11-06T09:00:00+08:00";

/// The router of the pack `finance` with a model that says this, without some layers.
fn router(says: Says, off: &[&str], belief: Belief) -> (Router, Arc<Scripted>) {
    router_for("finance", says, off, belief)
}

fn router_for(pack: &str, says: Says, off: &[&str], belief: Belief) -> (Router, Arc<Scripted>) {
    let model = Arc::new(Scripted { says, prompts: Mutex::default() });
    let off = off.iter().map(|name| (Key::find(name).unwrap(), Setting::Off)).collect();
    let rollout = Rollout::new(&BTreeMap::new(), &off).unwrap();
    let own: Arc<dyn Model> = Arc::<Scripted>::clone(&model);
    let router = router_of(pack, BTreeMap::from([(Slot::Main, own)]), rollout);
    (router.believing(belief), model)
}

async fn decide(router: &Router, text: &str, now: &str) -> Decision {
    let mut request = Request::new(text.to_owned());
    request.now = Some(now.to_owned());
    router.route(&request, &CancellationToken::new()).await.unwrap()
}

fn reply(names: &[&str]) -> String {
    json!({ "decision": names, "complexity": "simple", "strategy": "direct" }).to_string()
}

/// What is called for each case, and whether it runs: the right tools and no others, or not.
async fn called(router: &Router) -> Vec<(bool, bool)> {
    let mut ends = Vec::new();
    for (text, now, tools) in &cases() {
        let decision = decide(router, text, now).await;
        let called: BTreeSet<String> =
            decision.calls.iter().map(|call| call.tool.clone()).collect();
        let runs = decision.decision == Outcome::Run && !called.is_empty();
        ends.push((called == *tools, runs));
        if called != *tools && std::env::var_os("WAYPOST_SHOW").is_some() {
            println!("{text} | {tools:?} | {called:?} | {:?}", decision.layer);
        }
    }
    ends
}

/// The share of cases that end so, in percent.
fn share(ends: &[(bool, bool)], is: impl Fn(bool, bool) -> bool) -> f64 {
    let own = ends.iter().filter(|(right, runs)| is(*right, *runs)).count();
    100.0 * own as f64 / ends.len() as f64
}

/// The share of cases of which all tools and no others are called, or would be after a question.
async fn right(router: &Router) -> f64 {
    share(&called(router).await, |right, _| right)
}

fn always_right() -> Says {
    let known: BTreeMap<String, BTreeSet<String>> =
        cases().into_iter().map(|(text, _, tools)| (text, tools)).collect();
    Box::new(move |text| {
        let tools = known.iter().find(|(own, _)| text.ends_with(own.as_str()))?.1;
        Some(reply(&tools.iter().map(String::as_str).collect::<Vec<_>>()))
    })
}

/// The prompt that asks a pack's model to choose, as it stands in its golden file.
async fn prompt(pack: &str, text: &str) -> (String, Router) {
    let says: Says = Box::new(|_| Some(reply(&["out_of_scope"])));
    let (router, model) = router_for(pack, says, &["layer.linear"], Belief::default());
    decide(&router, text, NOW).await;
    let prompts = model.prompts.lock().unwrap();
    let messages = prompts[0].messages.iter().map(|message| message.content.as_str());
    let prompt = messages.collect::<Vec<_>>().join("\n---\n");
    let file = root().join("spec/prompts").join(format!("{pack}.txt"));
    if std::env::var_os("WAYPOST_UPDATE_PROMPTS").is_some() {
        std::fs::write(&file, format!("{prompt}\n")).unwrap();
    }
    assert_eq!(format!("{prompt}\n"), std::fs::read_to_string(&file).unwrap());
    drop(prompts);
    (prompt, router)
}

#[tokio::test]
async fn s2_3_s2_4_s2_10_s2_16_a_model_sees_the_summary_of_every_tool_and_the_query() {
    let text = "where does Tesla stand";
    let (prompt, router) = prompt("finance", text).await;
    for tool in &router.pack().tools {
        assert!(prompt.contains(&format!("\n- {}: ", tool.spec.name)), "{}", tool.spec.name);
    }
    assert_eq!(router.pack().tools.len(), 38);
    assert!(prompt.ends_with(text), "{prompt}");
    assert!(tokens::count(&prompt) as f64 <= 0.55 * router.pack().tool_tokens() as f64);
}

#[tokio::test]
async fn s0_23_the_prompt_has_each_tool_with_its_arguments() {
    let (prompt, router) = prompt("ocean", "how warm is it off Hualien").await;
    for tool in &router.pack().tools {
        assert!(prompt.contains(&tool.spec.name), "{}", tool.spec.name);
        for argument in tool.arguments().filter(|argument| tool.requires(argument)) {
            assert!(prompt.contains(argument), "{} {argument}", tool.spec.name);
        }
    }
}

/// What the first level says of every tool of the pack `finance`. Source: S2-5, S2-6.
#[test]
fn s2_5_s2_9_each_summary_says_what_a_tool_can_do_is_used_for_and_returns() {
    let router = router_of("finance", BTreeMap::new(), Rollout::default());
    let first = router.pack().summaries();
    let categories: BTreeSet<&str> = first.iter().map(|own| own.category.as_str()).collect();
    assert!((6..=12).contains(&categories.len()), "{categories:?}");
    for own in first {
        let name = &own.name;
        let told = own.capabilities.iter().filter(|text| !text.starts_with("takes "));
        assert!((3..=5).contains(&told.count()), "{name}: {:?}", own.capabilities);
        assert!(own.returns.as_ref().is_some_and(|text| text.starts_with("Returns ")), "{name}");
        let words = own.typical_use.as_ref().map_or(0, |text| text.split_whitespace().count());
        assert!(words >= 4, "{name}: {:?}", own.typical_use);
        assert!(own.tokens() <= 55, "{name}: {}", own.tokens());
    }
    assert!(std::ptr::eq(first, router.pack().summaries()), "they are made once");
}

#[tokio::test]
async fn s2_12_s2_13_a_set_that_a_model_names_is_called_with_its_complexity_and_strategy() {
    let says: Says = Box::new(|_| {
        let names = ["getStockPrice", "getCashFlow", "made_up"];
        Some(
            json!({ "decision": names, "complexity": "complex", "strategy": "parallel" })
                .to_string(),
        )
    });
    let (router, _) = router(says, &["layer.linear"], Belief::default());
    let decision = decide(&router, "how does Tesla stand, in two figures", NOW).await;
    let called: Vec<&str> = decision.calls.iter().map(|call| call.tool.as_str()).collect();
    assert_eq!(called, ["getStockPrice", "getCashFlow"]);
    assert_eq!((decision.layer, decision.llm_calls), (LayerName::Llm, 1));
    assert_eq!((decision.complexity, decision.strategy), (Complexity::Complex, Strategy::Parallel));
    assert_eq!(decision.selected, called);
    // A model cannot make the work less than it is.
    let few: Says = Box::new(|_| Some(reply(&["getStockPrice", "getCashFlow", "assessRisk"])));
    let (router, _) = self::router(few, &["layer.linear"], Belief::default());
    let decision = decide(&router, "how does Tesla stand, in three figures", NOW).await;
    assert_eq!((decision.complexity, decision.strategy), (Complexity::Medium, Strategy::Iterative));
}

/// A model that chooses alone and is right decides right, and one that is asked only where the student is unsure is no worse.
#[tokio::test]
async fn s2_1_s2_2_a_model_that_is_always_right_selects_the_right_tools() {
    let (alone, _) = router(always_right(), &["layer.linear", "layer.recall"], Belief::default());
    let share = right(&alone).await;
    println!("a right model alone: {share:.1}% of sets");
    assert!(share >= 99.0, "{share}");
    let without = right(&router_of("finance", BTreeMap::new(), Rollout::default())).await;
    let (with, _) = router(always_right(), &[], Belief::default());
    let share = right(&with).await;
    println!("no model: {without:.1}%, a right model where the student is unsure: {share:.1}%");
    assert!(share >= without, "{share} {without}");
}

/// What runs without a model runs with one that is wrong, and no more runs wrong. A reply without a known name leads to the pack's
/// fallback where the student is unsure (S0-36).
#[tokio::test]
async fn s2_17_a_model_that_names_a_wrong_or_unknown_tool_is_no_worse_than_none() {
    let without = called(&router_of("finance", BTreeMap::new(), Rollout::default())).await;
    // As far as it is believed once it was measured.
    let measured = Belief { choosing: 0.18, ..Belief::default() };
    for said in [reply(&["think"]), reply(&["made_up"]), "no JSON at all".to_owned()] {
        let says: Says = Box::new({
            let said = said.clone();
            move |_| Some(said.clone())
        });
        let (router, _) = router(says, &[], measured);
        let with = called(&router).await;
        let runs = |ends: &[(bool, bool)], wanted: bool| {
            share(ends, |right, runs| runs && right == wanted)
        };
        let [right, wrong] = [true, false].map(|wanted| runs(&with, wanted));
        let [own_right, own_wrong] = [true, false].map(|wanted| runs(&without, wanted));
        println!(
            "{said}: {right:.1}% run right, {wrong:.1}% wrong; without a model {own_right:.1}% and {own_wrong:.1}%"
        );
        assert!(right >= own_right && wrong <= own_wrong, "{said}");
    }
}

/// Five schemas beside the summaries are what a turn takes at most. Source: S2-11.
#[tokio::test]
async fn s2_11_the_summaries_of_all_tools_take_two_thousand_tokens_and_with_five_schemas_three() {
    let (prompt, router) = prompt("finance", "where does Tesla stand").await;
    let tools = &router.pack().tools;
    let is_summary =
        |line: &&str| tools.iter().any(|tool| line.starts_with(&format!("- {}: ", tool.spec.name)));
    let lines: Vec<&str> = prompt.lines().filter(is_summary).collect();
    assert_eq!((lines.len(), tools.len()), (38, 38));
    let summaries: usize = lines.iter().map(|line| tokens::count(line)).sum();
    assert!(summaries <= 2_000, "{summaries}");
    let all = summaries + router.pack().tool_tokens() * 5 / tools.len();
    assert!(all <= 3_000, "{all}");
}

/// Every tool has a head of the student, its own or its family's, every head has a score, and each tool is what some case asks
/// for and gets. Source: S2-31.
#[tokio::test]
async fn s2_31_every_tool_of_finance_gets_a_score_and_can_be_chosen() {
    let router = router_of("finance", BTreeMap::new(), Rollout::default());
    let student = Bundle::from_bytes(&Shipped::named("finance").student).unwrap();
    let scores = student.score("how does ‹company› stand", &mut Scratch::default());
    assert_eq!(scores.tools.len(), student.tools().len());
    assert!(scores.tools.iter().all(|score| *score > 0.0 && *score < 1.0), "{scores:?}");
    for tool in &router.pack().tools {
        let family = tool.spec.family.as_ref().filter(|_| !tool.spec.own_head);
        assert!(student.tools().contains(family.unwrap_or(&tool.spec.name)), "{}", tool.spec.name);
    }
    let mut chosen: BTreeSet<String> = BTreeSet::new();
    for (text, now, tools) in cases() {
        let decision = decide(&router, &text, &now).await;
        let called: BTreeSet<String> =
            decision.calls.iter().map(|call| call.tool.clone()).collect();
        if called == tools {
            chosen.extend(called);
        }
    }
    let names = router.pack().tools.iter().map(|tool| tool.spec.name.as_str());
    let never: Vec<&str> = names.filter(|name| !chosen.contains(*name)).collect();
    // A note of a model to itself is nothing that a user asks for.
    assert_eq!(never, ["think"]);
}

/// What the pack says of a capability, and the examples that are near: of both kinds in each. Source: S3-12.
#[tokio::test]
async fn s3_12_examples_that_say_yes_and_that_say_no_are_in_the_prompt_of_each_capability() {
    let says: Says = Box::new(|_| None);
    let (router, model) = router_for("accelerator", says, &["layer.linear"], Belief::default());
    // The student knows none of these words, so that the model is asked about all.
    decide(&router, "kindly glance at whatever hangs on the wall over yonder", NOW).await;
    let prompts = std::mem::take(&mut *model.prompts.lock().unwrap());
    let mut guides = 0;
    for tool in &router.pack().tools {
        let name = &tool.spec.name;
        let about = format!("The tool `{name}`: ");
        let judges = |prompt: &&Prompt| prompt.messages[0].content.contains(&about);
        let prompt = prompts.iter().find(judges).unwrap();
        for said in [r#"{"needed":true}"#, r#"{"needed":false}"#] {
            assert!(
                prompt.messages.iter().any(|message| message.content == said),
                "{name}: {said}"
            );
        }
        let Some(guide) = &tool.spec.guide else { continue };
        guides += 1;
        for needed in [true, false] {
            assert!(guide.examples.iter().any(|example| example.needed == needed), "{name}");
        }
        for example in &guide.examples {
            let said = if example.needed { "needed" } else { "not needed" };
            let line = format!("\"{}\": {said}, {}", example.text, example.because);
            assert!(prompt.messages[0].content.contains(&line), "{name}: {line}");
        }
    }
    assert!(guides >= 4, "{guides}");
}

//! A model writes the steps and the task of a plan. A plan that cannot run, and words that nobody said, count for nothing.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use serde_json::json;
use tokio_util::sync::CancellationToken;
use waypost::ports::model::{Model, Pieces, Prompt, Reply, Slot};
use waypost::records::answer::{Answer, Part};
use waypost::records::decision::{Decision, TaskBy};
use waypost::records::request::Request;
use waypost::router::{AnswerOptions, Router};
use waypost::{Code, Error, Result};

use super::lab::Lab;
use super::{Scenario, parts_of};

const WISHES: &str = "read the left dial and look at the sky";

/// A model that says the same to each kind of prompt, and notes the kinds.
#[derive(Debug)]
struct Author {
    says: BTreeMap<&'static str, String>,
    asked: Mutex<Vec<String>>,
}

impl Author {
    fn saying(kind: &'static str, says: &impl ToString) -> Arc<Self> {
        let says = BTreeMap::from([(kind, says.to_string())]);
        Arc::new(Self { says, asked: Mutex::default() })
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[async_trait]
impl Model for Author {
    fn name(&self) -> &'static str {
        "author"
    }

    async fn complete(&self, prompt: &Prompt, _: &CancellationToken) -> Result<Reply> {
        let kind = prompt.schema.as_ref().map(|(kind, _)| kind.clone()).unwrap_or_default();
        let said = self.says.get(kind.as_str()).cloned();
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).push(kind);
        let text = said.ok_or_else(|| Error::new(Code::Unavailable, "it is away"))?;
        Ok(Reply { text, usage: None, truncated: false })
    }

    async fn stream(&self, _: &Prompt, _: &CancellationToken) -> Result<Pieces> {
        Err(Error::new(Code::Unavailable, "it only writes plans"))
    }
}

/// A conversation over the laboratory with a model that writes what the pack leaves to it.
struct Conversation {
    router: Router,
    lab: Arc<Lab>,
    runtime: tokio::runtime::Runtime,
    turns: u32,
}

impl Conversation {
    fn with(author: &Arc<Author>, plans: &str) -> Self {
        let edit = |yaml: String| yaml.replace("plans: {", &format!("plans: {{ {plans},"));
        let (mut parts, lab, _) = parts_of("plan_first", &Scenario::default(), edit);
        let model: Arc<dyn Model> = Arc::<Author>::clone(author);
        parts.models.insert(Slot::Main, model);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        let runtime = runtime.expect("a runtime");
        Self { router: Router::new(parts), lab, runtime, turns: 0 }
    }

    fn says(&mut self, text: &str) -> (Decision, Answer) {
        let mut request = Request::new(text);
        request.now = Some(format!("2026-03-12T09:{:02}:00Z", self.turns));
        request.session = Some("ana".to_owned());
        self.turns += 1;
        self.runtime.block_on(async {
            let (out, mut pieces) = tokio::sync::mpsc::channel(1_000);
            let cancel = CancellationToken::new();
            let answer =
                self.router.answer(&request, AnswerOptions::default(), &out, &cancel).await;
            drop(out);
            let mut last = None;
            while let Some(part) = pieces.recv().await {
                if let Part::Decided(decision) = part {
                    last = Some(*decision);
                }
            }
            (last.expect("a decision"), answer.expect("an answer"))
        })
    }

    /// The tools that were called since the last look, in order.
    fn reached(&self) -> Vec<String> {
        let calls = self.lab.take().into_iter();
        calls.filter_map(|call| Some(call.split_whitespace().next()?.to_owned())).collect()
    }
}

fn levels(decision: &Decision) -> Vec<(usize, &str)> {
    decision.steps.iter().map(|step| (step.level, step.context_key.as_str())).collect()
}

fn step(key: &str, inputs: &[&str]) -> serde_json::Value {
    json!({ "context_key": key, "objective": format!("the purpose of {key}"), "success_criteria": "", "inputs": inputs })
}

#[test]
fn s3_15_a_model_may_have_steps_wait_for_each_other() {
    let plan =
        json!({ "steps": [step("find", &[]), step("read", &["find"]), step("sky", &["read"])] });
    let author = Author::saying("plan", &plan);
    let mut conversation = Conversation::with(&author, "steps: model");
    let (decision, _) = conversation.says(WISHES);
    let wanted = [(0, "find"), (1, "read"), (2, "sky"), (3, "respond")];
    assert_eq!(levels(&decision), wanted, "{:?}", decision.degraded);
    assert_eq!(decision.steps[1].objective, "the purpose of read");
    assert_eq!(decision.steps[1].parameters, decision.calls[2].arguments, "of the words");
    assert_eq!(decision.llm_calls, 1);
    assert_eq!(conversation.reached(), ["find", "read", "sky"]);
    // One step needs no plan, and no model.
    let (decision, _) = conversation.says("how is the sky");
    assert_eq!((decision.llm_calls, author.asked().len()), (0, 1));
}

#[test]
fn s3_15_s3_25_the_plan_that_was_shown_is_the_one_that_runs() {
    let plan =
        json!({ "steps": [step("find", &[]), step("read", &["find"]), step("sky", &["read"])] });
    let author = Author::saying("plan", &plan);
    let mut conversation = Conversation::with(&author, "steps: model");
    conversation.says("/planning:on");
    let (_, answer) = conversation.says(WISHES);
    let text = &answer.text;
    assert!(text.contains("1. find: dial D:1\n2. read: dial D:1\n3. sky"), "{text}");
    assert_eq!(conversation.reached(), [""; 0]);
    let (decision, _) = conversation.says("yes");
    assert_eq!(levels(&decision), [(0, "find"), (1, "read"), (2, "sky"), (3, "respond")]);
    assert_eq!(conversation.reached(), ["find", "read", "sky"]);
    assert_eq!(author.asked(), ["plan"], "what was approved is not planned again");
}

#[test]
fn s3_15_a_plan_that_cannot_run_counts_for_nothing() {
    for (plan, why) in [
        (json!({ "steps": [step("find", &[]), step("read", &["find"])] }), "one is left out"),
        (
            json!({ "steps": [step("read", &["find"]), step("find", &[]), step("sky", &[])] }),
            "order",
        ),
        (
            json!({ "steps": [step("sky", &["turn"]), step("find", &[]), step("read", &[])] }),
            "input",
        ),
        (
            json!({ "steps": [step("find", &[]), step("turn", &[]), step("read", &[]), step("sky", &[])] }),
            "one that was not decided",
        ),
        (
            json!({ "steps": [step("sky", &[]), step("sky", &[]), step("find", &[]), step("read", &[])] }),
            "twice",
        ),
        (json!({ "steps": [] }), "none"),
        (json!("do as you like"), "no plan"),
    ] {
        let author = Author::saying("plan", &plan);
        let mut conversation = Conversation::with(&author, "steps: model");
        let (decision, _) = conversation.says(WISHES);
        let wanted = [(0, "sky"), (0, "find"), (1, "read"), (2, "respond")];
        assert_eq!(levels(&decision), wanted, "{why}");
        assert_eq!(decision.degraded, ["llm:UNAVAILABLE"], "{why}");
        assert_eq!(conversation.reached(), ["sky", "find", "read"], "{why}");
    }
}

#[test]
fn s3_3_a_model_writes_the_task_that_points_back_and_invents_no_number() {
    for (says, by, task) in [
        ("read the left dial again", TaskBy::Model, "read the left dial again"),
        ("read the left dial 77 times", TaskBy::Words, "read it again"),
        ("", TaskBy::Words, "read it again"),
    ] {
        let author = Author::saying("task", &json!({ "task": says }));
        let mut conversation = Conversation::with(&author, "task: model");
        let (first, _) = conversation.says("read the left dial");
        assert_eq!((first.llm_calls, author.asked().len()), (0, 0), "nothing points back");
        let (decision, _) = conversation.says("read it again");
        let written = decision.task.expect("a task");
        assert_eq!((written.by, written.text.as_str()), (by, task), "{says}");
        assert_eq!(decision.calls[0].arguments, first.calls[0].arguments, "the words decide");
        assert_eq!(decision.degraded.is_empty(), by == TaskBy::Model, "{says}");
    }
}

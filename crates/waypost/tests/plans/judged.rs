//! A model that judges each tool by itself: side by side, within its bound, and a judgement that fails is the student's again.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;
use waypost::ports::model::{Model, Pieces, Prompt, Reply, Slot};
use waypost::records::answer::{Answer, Part};
use waypost::records::decision::{Decision, LayerName};
use waypost::records::request::Request;
use waypost::router::{AnswerOptions, Router};
use waypost::{Code, Error, Result};

use super::{Scenario, parts};

/// Words that the student cannot be sure of.
const TEXT: &str = "kindly glance at whatever hangs on the wall over yonder";

/// A model that says of each tool what it is told to, and notes what it was asked.
#[derive(Debug, Default)]
struct Judge {
    /// Its words by tool: `true`, `false`, or anything else as it is; nothing is a fault.
    says: BTreeMap<&'static str, &'static str>,
    prompts: Mutex<Vec<String>>,
    at_once: AtomicUsize,
    most_at_once: AtomicUsize,
}

impl Judge {
    fn saying(says: &[(&'static str, &'static str)]) -> Self {
        Self { says: says.iter().copied().collect(), ..Self::default() }
    }

    fn prompts(&self) -> Vec<String> {
        self.prompts.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[async_trait]
impl Model for Judge {
    fn name(&self) -> &'static str {
        "judge"
    }

    async fn complete(&self, prompt: &Prompt, _: &CancellationToken) -> Result<Reply> {
        let now = self.at_once.fetch_add(1, Ordering::SeqCst) + 1;
        self.most_at_once.fetch_max(now, Ordering::SeqCst);
        for _ in 0..3 {
            tokio::task::yield_now().await;
        }
        self.at_once.fetch_sub(1, Ordering::SeqCst);
        let system = prompt.messages[0].content.clone();
        let about = |tool: &&&str| system.contains(&format!("The tool `{tool}`"));
        let said = self.says.keys().find(about).map(|tool| self.says[tool]);
        self.prompts.lock().unwrap_or_else(PoisonError::into_inner).push(system);
        let said = said.ok_or_else(|| Error::new(Code::Unavailable, "it is away"))?;
        let text = match said {
            "true" | "false" => format!("{{\"needed\": {said}}}"),
            other => other.to_owned(),
        };
        Ok(Reply { text, usage: None, truncated: false })
    }

    async fn stream(&self, _: &Prompt, _: &CancellationToken) -> Result<Pieces> {
        Err(Error::new(Code::Unavailable, "it only judges"))
    }
}

const TOOLS: [&str; 7] = ["find", "period", "read", "history", "chart", "sky", "turn"];

/// Every tool is not needed, but for these.
fn but(others: &[(&'static str, &'static str)]) -> Vec<(&'static str, &'static str)> {
    let all = TOOLS.iter().map(|tool| (*tool, "false"));
    all.filter(|(tool, _)| others.iter().all(|(other, _)| other != tool))
        .chain(others.iter().copied().filter(|(_, says)| *says != "fault"))
        .collect()
}

fn answered(judge: &Arc<Judge>, text: &str, faults: &[(&str, &[&str])]) -> (Decision, Answer) {
    let faults = faults.iter().map(|(tool, codes)| {
        ((*tool).to_owned(), codes.iter().map(|code| (*code).to_owned()).collect())
    });
    let scenario = Scenario { faults: faults.collect(), modest: true, ..Scenario::default() };
    let (mut parts, ..) = parts("plan_first", &scenario);
    let model: Arc<dyn Model> = Arc::<Judge>::clone(judge);
    parts.models.insert(Slot::Main, model);
    let router = Router::new(parts);
    let mut request = Request::new(text);
    request.now = Some("2026-03-12T09:00:00Z".to_owned());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    runtime.expect("a runtime").block_on(async {
        let (out, mut pieces) = tokio::sync::mpsc::channel(1_000);
        let cancel = CancellationToken::new();
        let answer = router.answer(&request, AnswerOptions::default(), &out, &cancel).await;
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

#[test]
fn s3_3_s3_6_s3_7_s3_12_each_tool_is_judged_beside_the_others_at_most_five_at_once() {
    let judge = Arc::new(Judge::saying(&but(&[("sky", "true"), ("chart", "true")])));
    let (decision, _) = answered(&judge, TEXT, &[]);
    assert_eq!(decision.layer, LayerName::Llm, "{decision:?}");
    assert_eq!(decision.tools(), ["chart", "sky"], "{}", decision.rationale);
    assert_eq!(decision.llm_calls as usize, judge.prompts().len());
    assert!(judge.prompts().len() > 5, "{}", judge.prompts().len());
    assert_eq!(judge.most_at_once.load(Ordering::SeqCst), 5);
    let prompts = judge.prompts();
    let sky = prompts.iter().find(|prompt| prompt.contains("The tool `sky`")).expect("a prompt");
    assert!(sky.contains("\"what time is it\": not needed, a clock is inside"), "{sky}");
    assert!(decision.degraded.is_empty(), "{:?}", decision.degraded);
}

#[test]
fn s3_8_s3_23_a_judgement_that_fails_is_named_and_costs_no_other() {
    for (says, code) in [("fault", "llm:UNAVAILABLE"), ("maybe", "llm:UNAVAILABLE")] {
        let judge = Arc::new(Judge::saying(&but(&[("sky", "true"), ("read", says)])));
        let (decision, _) = answered(&judge, TEXT, &[]);
        assert_eq!(decision.tools(), ["sky"], "{}", decision.rationale);
        assert_eq!(decision.degraded, [code]);
        let told = &decision.rationale;
        assert!(told.contains("read: UNAVAILABLE") && told.contains("sky: yes"), "{told}");
    }
    // Without any judgement the student's word stands, and what failed is named.
    let judge = Arc::new(Judge::default());
    let (decision, _) = answered(&judge, TEXT, &[]);
    assert_eq!(decision.degraded, ["llm:UNAVAILABLE"], "{decision:?}");
}

#[test]
fn s3_4_s3_24_a_tool_that_says_it_is_the_wrong_one_is_named_when_the_others_are_judged_again() {
    let judge = Arc::new(Judge::saying(&but(&[("sky", "true"), ("chart", "true")])));
    let (decision, answer) = answered(&judge, TEXT, &[("sky", &["UNIMPLEMENTED"])]);
    assert_eq!(decision.tools(), ["chart"], "{}", decision.rationale);
    let told = "Tried already, and said that it is the wrong tool: sky";
    assert!(judge.prompts().iter().any(|prompt| prompt.contains(told)));
    assert_eq!(answer.mode, "tool", "{answer:?}");
}

//! The memory of one conversation between turns. Bounded, explicit, never shared.

mod blocked;
mod named;
mod points;
mod within;

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use waypost_text::language::Language;

use crate::records::approval::Approval;
use crate::records::decision::{
    Decision, LayerName, Outcome, Question, Reason, Steer, TurnOutcome,
};
use crate::records::era::Era;
use crate::records::request::{Choice, Context, PastCall, Topic, shorten};

pub use blocked::Blocked;
pub use named::{is_called, of_key, parts};

/// The number of turns of intent history that are kept; the model sees the last six of them.
pub const MAX_TOPICS: usize = 20;
/// The number of calls that are kept for references such as "again".
pub const MAX_PAST_CALLS: usize = 8;
/// The longest topic of a text, in characters. Source: S4-7.
pub const TOPIC_CHARACTERS: usize = 60;

/// The longest part of the last answer that is kept, in characters: a small model reads it again.
pub const ANSWER_CHARACTERS: usize = 4000;

/// A turn whose words say by themselves what is asked, and its decision: a later statement about it
/// can be learned from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The decision.
    pub decision_id: String,
    /// The text of the user.
    pub text: String,
    /// The language of the text.
    pub language: Language,
    /// The route.
    pub route: String,
    /// The tools of its calls, each once.
    pub tools: Vec<String>,
    /// True if a model decided it, and nothing failed on the way.
    pub taught: bool,
}

impl Origin {
    /// A turn that was just decided.
    pub fn of(text: &str, decision: &Decision) -> Self {
        Self {
            decision_id: decision.id.clone(),
            text: text.to_owned(),
            language: decision.language,
            route: decision.route.clone(),
            tools: decision.tools(),
            taught: decision.layer == LayerName::Llm && decision.degraded.is_empty(),
        }
    }

    /// The same turn once its work is done: nothing may have failed in the work either.
    fn once_done(self, outcome: &TurnOutcome) -> Self {
        Self { taught: self.taught && outcome.degraded.is_empty(), ..self }
    }
}

/// The relation of the words of a turn to those of the turns before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bearing {
    /// They say by themselves what is asked.
    Alone,
    /// They say that something else was meant before, and what.
    Restates,
    /// They say only that something else was meant before.
    Rejects,
    /// They say something only with what was said or shown before.
    Leans,
}

/// The question that waits for an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pending {
    /// The tool that it is about.
    pub tool: Option<String>,
    /// The argument that it asks for.
    pub argument: Option<String>,
    /// The known arguments of the call.
    pub arguments: Map<String, Value>,
    /// The choices that were shown, in order.
    pub options: Vec<Choice>,
    /// The text of the user.
    #[serde(default)]
    pub text: String,
    /// The turn that the question goes back to, where its words stand alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// The question, so that it can be asked again.
    #[serde(default)]
    pub question: String,
    /// The other calls of that turn, which wait for the answer too.
    #[serde(default)]
    pub others: Vec<PastCall>,
    /// The number of turns since then that were about something else.
    #[serde(default)]
    pub aside: u8,
    /// True if it was asked before and no answer was understood.
    #[serde(default)]
    pub repeated: bool,
    /// The run of an earlier turn that goes on with the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// The conditions under which something was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<String>,
}

/// The number of turns about something else that a question outlives.
const MAX_ASIDE: u8 = 3;

/// The memory of one conversation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Session {
    /// The name of the pack that it is with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pack: Option<String>,
    /// The language of the last turn.
    pub language: Option<Language>,
    /// State of the workflow, set by tools' results.
    pub flags: Map<String, Value>,
    /// The question that waits for an answer.
    pub pending: Option<Pending>,
    /// The call that a flag of the workflow holds back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocked: Option<Blocked>,
    /// Routes and topics of earlier turns, oldest first.
    pub history: VecDeque<Topic>,
    /// The latest calls, oldest first.
    pub last_calls: VecDeque<PastCall>,
    /// The last answer, apart from small talk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// The turn that a correction would be about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// The switches that commands set, by the names of the commands.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub switches: BTreeMap<String, String>,
    /// The id of the decision after which the memory is as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub point: Option<String>,
    /// The memories after earlier points and with other packs, the one that was used longest ago first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<Session>,
    /// The names of the parts that were left out, as the memory would have been too large.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// The era in which it was read.
    #[serde(skip)]
    pub era: Era,
}

impl Session {
    /// Remembers a turn: the text, the decision, the calls, and the outcome.
    pub fn remember(
        &mut self,
        text: &str,
        bearing: Bearing,
        decision: &Decision,
        outcome: &TurnOutcome,
    ) {
        self.origin = match bearing {
            Bearing::Alone => Some(Origin::of(text, decision).once_done(outcome)),
            // A second correction is still about the turn before.
            Bearing::Restates | Bearing::Rejects => self.origin.take(),
            Bearing::Leans => None,
        };
        let topic: String = text.chars().take(TOPIC_CHARACTERS).collect();
        push_bounded(&mut self.history, Topic { route: decision.route.clone(), topic }, MAX_TOPICS);
        self.pending = self.pending_after(text, decision, outcome);
        self.blocked = Blocked::after(self.blocked.take(), text, decision, outcome);
        self.pack = decision.pack.split('@').next().map(str::to_owned);
        self.point = Some(decision.id.clone());
        self.language = Some(decision.language);
        self.switches.extend(decision.switches.clone());
        if decision.decision == Outcome::Run && !decision.calls.is_empty() {
            self.last_calls.clear();
            for call in &decision.calls {
                push_bounded(
                    &mut self.last_calls,
                    PastCall {
                        tool: call.tool.clone(),
                        arguments: call.arguments.clone(),
                        text: Some(text.to_owned()),
                    },
                    MAX_PAST_CALLS,
                );
            }
        }
    }

    /// Closes the open question if it asked for one of these approvals, which are spent.
    pub fn close_spent(&mut self, spent: &[&str]) {
        let is_spent = |choice: &Choice| {
            Approval::of(&choice.value).is_some_and(|own| spent.contains(&own.question.as_str()))
        };
        if self.pending.as_ref().is_some_and(|pending| pending.options.iter().any(is_spent)) {
            self.pending = None;
        }
    }

    /// Closes the open question if it is about a tool that is not there any more: no answer to it could be served.
    pub fn close_without(&mut self, is_there: impl Fn(&str) -> bool) {
        let asked = |pending: &Pending| {
            asked_tools(pending.tool.as_deref(), &pending.options).any(|tool| !is_there(tool))
        };
        if self.pending.as_ref().is_some_and(asked) {
            self.pending = None;
        }
    }

    /// Remembers an answer, so that it can be said again, shorter or in other words.
    pub fn answered(&mut self, text: &str) {
        self.answer = Some(shorten(text, ANSWER_CHARACTERS));
    }

    /// The turn that a question goes back to: the one that asks, or the one whose question it
    /// answered.
    fn origin_of(&self, decision: &Decision) -> Option<Origin> {
        let answers = decision.layer == LayerName::Rules;
        let before = self.pending.as_ref().filter(|_| answers);
        let own = self.origin.clone().filter(|own| own.decision_id == decision.id);
        own.or_else(|| before.and_then(|pending| pending.origin.clone()))
    }

    /// The question that waits after a turn: its own, or the one of before where the turn was about
    /// something else.
    fn pending_after(
        &self,
        text: &str,
        decision: &Decision,
        outcome: &TurnOutcome,
    ) -> Option<Pending> {
        if let Some(question) = outcome.question(decision).filter(|question| question.awaits()) {
            // What a gate held back is offered beside other words, which asked for something else.
            let offered = self.blocked.as_ref().filter(|own| own.is_offered(outcome));
            return Some(Pending {
                tool: question.tool.clone(),
                argument: question.argument.clone(),
                arguments: match offered {
                    Some(own) => own.call.arguments.clone(),
                    None => known(decision, question),
                },
                options: question.choices.clone(),
                text: offered.and_then(|own| own.call.text.as_deref()).unwrap_or(text).to_owned(),
                origin: self.origin_of(decision).filter(|_| offered.is_none()),
                question: question.text.clone(),
                others: self.others(text, decision, question),
                repeated: question.again,
                aside: 0,
                run: decision.resumes.clone(),
                conditions: question.conditions.clone(),
            });
        }
        let before = self.pending.as_ref().filter(|pending| pending.aside < MAX_ASIDE)?;
        // A rule answers, or follows what was said; another tool of the family may have run for it.
        let settled = decision.calls.iter().any(|call| Some(&call.tool) == before.tool.as_ref())
            || decision.layer == LayerName::Rules && !decision.calls.is_empty();
        let stopped = decision.reason == Some(Reason::Steer(Steer::Stopped));
        (!settled && !stopped).then(|| Pending { aside: before.aside + 1, ..before.clone() })
    }

    /// The calls that a question is not about: they are made when it is answered. Where it goes on
    /// with what waited before, those that still do.
    fn others(&self, text: &str, decision: &Decision, question: &Question) -> Vec<PastCall> {
        let Some(yes) = approval(question).filter(|_| decision.decision == Outcome::Run) else {
            return others(text, decision, question);
        };
        let asked = |past: &PastCall| {
            yes["tool"] == *past.tool && yes["arguments"].as_object() == Some(&past.arguments)
        };
        let made = |past: &PastCall| {
            let mut calls = decision.calls.iter();
            calls.any(|call| call.tool == past.tool && call.arguments == past.arguments)
        };
        let waited = self.pending.iter().flat_map(|pending| &pending.others);
        waited.filter(|past| !asked(past) && !made(past)).cloned().collect()
    }

    /// Lays this memory under the caller's context: the caller's values win.
    pub fn context(&self, given: &Context, trusted: bool) -> Context {
        let mut context = given.clone();
        if !trusted {
            context.flags = self.flags.clone();
        } else {
            for (flag, value) in &self.flags {
                context.flags.entry(flag.clone()).or_insert_with(|| value.clone());
            }
        }
        context.language = context.language.or(self.language);
        for (name, value) in &self.switches {
            context.switches.entry(name.clone()).or_insert_with(|| value.clone());
        }
        if context.answer.is_none() {
            context.answer.clone_from(&self.answer);
        }
        if context.history.is_empty() {
            context.history = self.history.iter().cloned().collect();
        }
        if context.last_calls.is_empty() && !self.last_calls.is_empty() {
            context.remembered = context.options.is_empty();
            context.last_calls = self.last_calls.iter().cloned().collect();
        }
        let is_open = |pending: &Pending| {
            self.blocked.as_ref().is_some_and(|own| own.is_open(pending, &context.flags))
        };
        // If a platform has set the flag meanwhile, the ways to set it are no longer a question.
        if let Some(pending) = self.pending.as_ref().filter(|pending| !is_open(pending))
            && context.options.is_empty()
            && context.active_tool.is_none()
        {
            context.options = pending.options.clone();
            context.active_tool = pending.tool.clone();
            context.active_argument = pending.argument.clone();
            context.remembered = true;
            context.active_arguments = pending.arguments.clone();
            context.asked = Some(pending.text.clone());
            context.waiting = pending.others.clone();
            context.repeated = pending.repeated;
            context.run = pending.run.clone();
            context.conditions = pending.conditions.clone();
        }
        context
    }
}

/// The tools that a question waits for: the one that it asks about, and those of the calls that its yes approves. Choices
/// between tools are none of them, because each of the others still answers.
pub fn asked_tools<'a>(
    tool: Option<&'a str>,
    options: &'a [Choice],
) -> impl Iterator<Item = &'a str> {
    let approves = |value: &&Value| value.get("approve").is_some();
    let called = options.iter().map(|choice| &choice.value).filter(approves);
    let steps = options.iter().filter_map(|choice| choice.value.get("plan")?.as_array()).flatten();
    let named = called.chain(steps).filter_map(|value| value.get("tool")?.as_str());
    tool.into_iter().chain(named)
}

/// The yes of a question for approval: the call that it approves.
fn approval(question: &Question) -> Option<&Value> {
    let yes = |choice: &&Choice| Approval::of(&choice.value).is_some();
    question.choices.iter().find(yes).map(|choice| &choice.value)
}

/// The known arguments of the call that a question is about.
fn known(decision: &Decision, question: &Question) -> Map<String, Value> {
    if let Some(shown) = approval(question).and_then(|yes| yes.get("arguments")?.as_object()) {
        return shown.clone();
    }
    let about = decision.calls.iter().find(|call| Some(&call.tool) == question.tool.as_ref());
    about.or(decision.calls.first()).map(|call| call.arguments.clone()).unwrap_or_default()
}

/// The calls of a turn that a question is not about: they are made when it is answered.
fn others(text: &str, decision: &Decision, question: &Question) -> Vec<PastCall> {
    let shown = approval(question).and_then(|yes| yes.get("arguments"));
    let about = decision.calls.iter().position(|call| {
        Some(&call.tool) == question.tool.as_ref()
            && shown.is_none_or(|shown| shown.as_object() == Some(&call.arguments))
    });
    let waits = question.argument.is_some() || shown.is_some();
    let Some(about) = about.filter(|_| waits) else { return Vec::new() };
    let others = decision.calls.iter().enumerate().filter(|(index, _)| *index != about);
    let past = others.map(|(_, call)| PastCall {
        tool: call.tool.clone(),
        arguments: call.arguments.clone(),
        text: Some(text.to_owned()),
    });
    past.take(MAX_PAST_CALLS).collect()
}

fn push_bounded<T>(queue: &mut VecDeque<T>, item: T, limit: usize) {
    while queue.len() >= limit {
        queue.pop_front();
    }
    queue.push_back(item);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn decision(route: &str) -> Decision {
        serde_json::from_value(json!({
            "id": "1", "pack": "p", "bundle": "b", "decision": "run", "route": route, "calls": [],
            "confidence": 1.0, "layer": "rules", "alternatives": [], "selected": [],
            "rationale": "", "retrieval": false, "model_slot": null, "complexity": "simple",
            "strategy": "direct", "llm_calls": 0, "degraded": [], "language": "en",
        }))
        .unwrap()
    }

    #[test]
    fn s4_8_history_is_kept_with_the_session_and_comes_back_as_it_was_stored() {
        let (mut session, none) = (Session::default(), TurnOutcome::default());
        session.remember("what is addVar", Bearing::Alone, &decision("retrieval"), &none);
        session.remember(
            &"and a loop ".repeat(20),
            Bearing::Alone,
            &decision("code_generation"),
            &none,
        );
        let stored = serde_json::to_string(&session).unwrap();
        let read: Session = serde_json::from_str(&stored).unwrap();
        let history = read.context(&Context::default(), false).history;
        let routes: Vec<&str> = history.iter().map(|topic| topic.route.as_str()).collect();
        assert_eq!(routes, ["retrieval", "code_generation"]);
        assert_eq!(history[0].topic, "what is addVar");
        assert_eq!(history[1].topic.chars().count(), TOPIC_CHARACTERS);
        // Another session knows nothing of it, and a long one does not grow without end.
        assert!(Session::default().context(&Context::default(), false).history.is_empty());
        for _ in 0..10 * MAX_TOPICS {
            session.remember("more", Bearing::Alone, &decision("retrieval"), &none);
        }
        assert_eq!(session.history.len(), MAX_TOPICS);
    }
    #[test]
    fn the_question_of_the_next_step_waits_and_what_failed_teaches_nothing() {
        let question = |text: &str, argument: &str| Question {
            text: text.to_owned(),
            argument: Some(argument.to_owned()),
            ..Question::default()
        };
        let taught = Decision { layer: LayerName::Llm, ..decision("tool") };
        let asked = |decision: &Decision, outcome: &TurnOutcome| {
            let mut session = Session::default();
            session.remember("the nets", Bearing::Alone, decision, outcome);
            let taught = session.origin.is_some_and(|origin| origin.taught);
            (session.pending.and_then(|pending| pending.argument), taught)
        };
        let none = TurnOutcome::default();
        assert_eq!(asked(&taught, &none), (None, true));
        let next = Some(question("which method?", "method"));
        let step = TurnOutcome { next, ..none.clone() };
        assert_eq!(asked(&taught, &step), (Some("method".to_owned()), true));
        // A question of the decision gives way to the next step's, and stays where there is none.
        let asks = Decision { question: Some(question("how many?", "nets")), ..taught.clone() };
        assert_eq!(asked(&asks, &none), (Some("nets".to_owned()), true));
        assert_eq!(asked(&asks, &step), (Some("method".to_owned()), true));
        let failed = TurnOutcome { degraded: vec!["model:UNAVAILABLE".to_owned()], ..none };
        assert_eq!(asked(&taught, &failed), (None, false));
    }
}

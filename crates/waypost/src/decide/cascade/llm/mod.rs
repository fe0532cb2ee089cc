//! The teacher: one model call for what the cheaper layers left open.
//!
//! The model chooses names of a list; what it says of its own confidence counts for nothing. It is believed as far as it
//! has been right on the pack ([`Worth`]), and weighed with what the student said ([`vote`]). Its reply is data: one that is
//! not usable is a failure of this layer, and the cascade falls back on the opinions of the layers before. There is never a
//! second call, but where each tool is judged by itself (`each`): there every one of them is a question, and all are asked at once.

mod choices;
mod each;
mod probe;
mod prompt;
mod reply;
mod set;
mod shots;
mod vote;
mod worth;

use async_trait::async_trait;
pub(crate) use each::NEEDED_REPLY;
pub use probe::{probes, reply_fault};
pub(crate) use prompt::shown_history;
pub use shots::Teaching;
use waypost_core::error::Result;
use waypost_core::ports::model::Model;
use waypost_core::records::decision::{Alternative, LayerName, round};
use waypost_core::records::request::PastCall;
pub use worth::{Worth, Worths};

use self::choices::Choice;
use self::reply::Said;
use super::catalog::Senses;
use super::interpret::{Interpretation, interpret};
use super::{Aim, DecisionDependencies, Layer, Proposal, Step};
use crate::decide::slots::DraftCall;
use crate::pack::spec::{HandlerName, Selection};
use crate::pack::{Pack, Tool};
use crate::understand::Turn;

#[derive(Debug)]
pub(super) struct Llm;

/// The likeliest tools that a model may be shown where there are too many to show all.
const LIKELIEST: usize = 48;
/// The most other possibilities that are reported.
const ALTERNATIVES: usize = 4;
/// Possibilities below this probability are noise.
const WORTH_NAMING: f64 = 0.02;

#[async_trait]
impl Layer for Llm {
    fn name(&self) -> LayerName {
        LayerName::Llm
    }

    async fn decide(
        &self,
        turn: &Turn<'_>,
        dependencies: &DecisionDependencies<'_>,
        opinion: Option<&Proposal>,
    ) -> Result<Step> {
        let Some(model) = dependencies.model else { return Ok(Step::Abstained(None)) };
        // Inside a step the question is the meaning of the answer, not the choice of a tool
        // (S1-34).
        if let Some(tool) = turn.active_tool() {
            let worth = dependencies.belief.reading;
            let wanted = wanted(turn, tool);
            return Ok(match interpret(turn, tool, &wanted, model, dependencies.cancel).await {
                Ok(reading) => inside(turn, tool, reading, worth),
                Err(error) => Step::Failed(error),
            });
        }
        let step = match turn.pack.spec.selection {
            Selection::PerTool => each::judge(turn, dependencies, model).await,
            Selection::Student | Selection::Catalog => {
                choose(turn, dependencies, model, opinion).await
            }
        };
        Ok(step.unwrap_or_else(Step::Failed))
    }
}

/// Has the model choose, and weighs its choice.
async fn choose(
    turn: &Turn<'_>,
    dependencies: &DecisionDependencies<'_>,
    model: &dyn Model,
    opinion: Option<&Proposal>,
) -> Result<Step> {
    let pack = turn.pack;
    let believed = opinion.map(|proposal| believed(pack, proposal)).unwrap_or_default();
    let shots = dependencies.teaching.shots(pack, turn.said.masked());
    let nearest = shots.iter().rev().map(|shot| shot.choice.as_str());
    let wanted = believed.iter().map(|(name, _)| name.as_str()).chain(nearest);
    let likeliest = match pack.spec.selection {
        Selection::Student | Selection::PerTool => Vec::new(),
        Selection::Catalog => {
            // Without the encoder the words say which tools are shown.
            let senses = Senses::of_student(dependencies.bundle);
            let senses = senses.with(turn, dependencies.encoder).await.unwrap_or_default();
            super::catalog::likeliest(turn, &senses, LIKELIEST)
        }
    };
    let choices = choices::within_budget(choices::all(pack), wanted.chain(likeliest));
    // A model hears of no tool that the caller may not use, or that cannot serve this turn.
    let choices = choices
        .into_iter()
        .filter(|choice| choice.tool.as_ref().is_none_or(|tool| is_open(turn, tool)));
    let choices: Vec<choices::Choice> = choices.collect();
    let prompt = prompt::prompt(turn, &choices, &shots);
    let reply = model.complete(&prompt, dependencies.cancel).await?;
    let said = reply::read(pack, &reply.text)?;
    if choices::names_set(pack) && said.choice.tool.is_some() && said.arguments.is_empty() {
        let said = said.among(&choices)?;
        return set::weigh(turn, dependencies, opinion, said, choices.len()).await;
    }
    Ok(weigh(pack, choices, &believed, opinion, said, dependencies.belief.choosing))
}

/// Returns whether a tool may serve a turn: the caller may use it, it is there, and it did not say that it is the wrong one.
fn is_open(turn: &Turn<'_>, tool: &str) -> bool {
    let is_wrong = turn.permits.failed.iter().any(|wrong| wrong.name == tool);
    turn.request.may_use(tool) && !is_wrong && !turn.permits.gone.contains(tool)
}

/// What the layers before believe, by the names of choices, likeliest first. A proposal that proposes nothing believes nothing:
/// what it offers are possibilities, whose numbers are no probabilities of one among them.
fn believed(pack: &Pack, opinion: &Proposal) -> Vec<(String, f64)> {
    let Some(own) = choices::name_of(pack, opinion) else { return Vec::new() };
    let own = [(own, opinion.confidence)];
    let others = opinion.alternatives.iter();
    let others = others.map(|other| (choices::of_alternative(pack, other), other.confidence));
    let mut believed: Vec<(String, f64)> = Vec::new();
    for (name, share) in own.into_iter().chain(others) {
        if believed.iter().all(|(known, _)| *known != name) {
            believed.push((name, share));
        }
    }
    believed
}

/// The likeliest choice, once the model has said its own.
fn weigh(
    pack: &Pack,
    mut choices: Vec<Choice>,
    believed: &[(String, f64)],
    opinion: Option<&Proposal>,
    said: Said,
    worth: f64,
) -> Step {
    if !choices.contains(&said.choice) {
        choices.retain(|choice| choice.name != said.choice.name);
        choices.push(said.choice.clone());
    }
    let shares = vote::together(&choices, believed, &said.choice.name, worth);
    let mut ranked: Vec<(&Choice, f64)> = choices.iter().zip(shares).collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
    let Some((best, confidence)) = ranked.first().copied() else { return Step::Abstained(None) };
    let alternatives = alternatives(&ranked);
    let own =
        opinion.filter(|proposal| choices::name_of(pack, proposal).as_ref() == Some(&best.name));
    if best.name != said.choice.name {
        // What nobody proposed is no opinion: what stood before stands.
        let stands = own.cloned();
        let stands = stands.map(|own| Proposal { confidence, alternatives, fault: None, ..own });
        return Step::Abstained(stands);
    }
    let rationale = format!("the model chose `{}`", best.name);
    let agrees = own.filter(|proposal| said.arguments.is_empty() && !proposal.calls.is_empty());
    let proposal = match agrees {
        Some(proposal) => proposal.clone(),
        None => of_said(said),
    };
    let layer = LayerName::Llm;
    // A fault is of the layer that it befell, and was noted there.
    let fault = None;
    Step::Decided(Proposal {
        confidence,
        alternatives,
        rationale,
        layer,
        fault,
        floor: 0.0,
        ..proposal
    })
}

/// What a model's choice proposes.
fn of_said(said: Said) -> Proposal {
    let Said { choice, arguments, effort, .. } = said;
    let aim = choice.route.map_or(Aim::OutOfScope, Aim::Route);
    let mut proposal = Proposal { effort, ..Proposal::sure(LayerName::Llm, aim, "") };
    proposal.calls.extend(choice.tool.map(|tool| DraftCall {
        tool,
        proposed: arguments,
        ..DraftCall::default()
    }));
    proposal
}

/// The possibilities behind the likeliest.
fn alternatives(ranked: &[(&Choice, f64)]) -> Vec<Alternative> {
    let named = ranked.iter().skip(1).filter(|(_, share)| *share >= WORTH_NAMING);
    let alternative = |(choice, share): &(&Choice, f64)| Alternative {
        route: choice.route.clone().unwrap_or_else(|| choice.name.clone()),
        tool: choice.tool.clone(),
        confidence: round(*share),
    };
    named.map(alternative).take(ALTERNATIVES).collect()
}

/// What an answer inside a step may say: the argument that was asked for, and what else is missing; where all is known, any.
fn wanted<'a>(turn: &'a Turn<'_>, tool: &'a Tool) -> Vec<&'a str> {
    let asked = turn.asked().map(|(_, name)| name);
    let mut wanted: Vec<&str> = asked.into_iter().collect();
    let known = &turn.context.active_arguments;
    let (mut missing, others): (Vec<&str>, Vec<&str>) = tool
        .arguments()
        .filter(|name| asked != Some(*name))
        .partition(|name| tool.requires(name) && !known.contains_key(*name));
    wanted.append(&mut missing);
    if wanted.is_empty() { others } else { wanted }
}

/// Turns a model's reading of an answer inside a step into a decision; if the text is about
/// something else, this layer abstains and the opinion of the layers before stands.
fn inside(turn: &Turn<'_>, tool: &Tool, reading: Interpretation, worth: f64) -> Step {
    let route = turn.pack.spec.routes.iter().find(|route| route.handler == HandlerName::Tool);
    let Some(route) = route.filter(|_| reading.about) else { return Step::Abstained(None) };
    let aim = Aim::Route(route.name.clone());
    let names: Vec<&str> = reading.arguments.keys().map(String::as_str).collect();
    let mut proposal =
        Proposal::sure(LayerName::Llm, aim, format!("the model read {}", names.join(", ")));
    proposal.confidence = worth;
    let known = turn.context.active_arguments.clone();
    let memory = Some(PastCall { tool: tool.spec.name.clone(), arguments: known, text: None });
    proposal.calls.push(DraftCall {
        tool: tool.spec.name.clone(),
        proposed: reading.arguments,
        memory,
        ..DraftCall::default()
    });
    Step::Decided(proposal)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use waypost_core::error::Error;
    use waypost_core::ports::tools::{Hints, ToolDescription};
    use waypost_core::records::access::Access;

    use super::*;

    /// A pack of the tools `tide` and `moon`.
    fn pack() -> Pack {
        let tools = ["tide", "moon"].map(|name| {
            let tool = ToolDescription {
                name: name.to_owned(),
                description: format!("Says the {name}."),
                input_schema: json!({ "type": "object" }),
                output_schema: None,
                hints: Hints::default(),
            };
            (tool, Access::Read)
        });
        Pack::listed("sky", &tools).expect("a pack without faults")
    }

    /// What comes of it where a model of this worth says `moon`.
    fn moon(opinion: &Proposal, worth: f64) -> Step {
        let pack = pack();
        let said = reply::read(&pack, r#"{"decision": "moon"}"#).expect("a decision");
        let believed = believed(&pack, opinion);
        weigh(&pack, choices::all(&pack), &believed, Some(opinion), said, worth)
    }

    fn other(tool: &str, confidence: f64) -> Alternative {
        Alternative { route: "tool".to_owned(), tool: Some(tool.to_owned()), confidence }
    }

    fn tide(confidence: f64) -> Proposal {
        let call = DraftCall { tool: "tide".to_owned(), ..DraftCall::default() };
        let own = Proposal::sure(LayerName::Linear, Aim::Route("tool".to_owned()), "");
        Proposal { calls: vec![call], confidence, alternatives: vec![other("moon", 0.1)], ..own }
    }

    /// An offer of tools has numbers that are no probabilities: each is of its tool alone.
    #[test]
    fn where_nobody_proposed_anything_the_model_chooses() {
        let unclear = Proposal::sure(LayerName::Linear, Aim::Unclear("foreign"), "");
        let alternatives = vec![other("tide", 0.9), other("moon", 0.0)];
        let Step::Decided(proposal) = moon(&Proposal { alternatives, ..unclear }, 0.9) else {
            panic!("a decision");
        };
        assert_eq!((proposal.calls[0].tool.as_str(), proposal.layer), ("moon", LayerName::Llm));
    }

    #[test]
    fn a_model_that_is_outvoted_leaves_what_stood_and_no_choice_of_its_own() {
        let fault = Some(Error::unavailable("no encoder"));
        let Step::Abstained(Some(proposal)) = moon(&Proposal { fault, ..tide(0.8) }, 0.4) else {
            panic!("an opinion");
        };
        assert_eq!((proposal.calls[0].tool.as_str(), proposal.layer), ("tide", LayerName::Linear));
        assert!(proposal.fault.is_none(), "a fault of the student is none of the model");
        let Step::Decided(proposal) = moon(&tide(0.5), 0.9) else { panic!("a decision") };
        assert_eq!(proposal.calls[0].tool, "moon");
    }

    #[test]
    fn a_model_worse_than_chance_leaves_nothing() {
        let unclear = Proposal::sure(LayerName::Linear, Aim::Unclear("foreign"), "");
        assert!(matches!(moon(&unclear, 0.1), Step::Abstained(None)));
    }
}

//! A layer of one's own: what this program knows by an exact rule decides before the student, and
//! passes every gate like any other proposal.
//!
//! `cargo run -p waypost-examples --bin own_layer`
#![expect(clippy::print_stdout, reason = "it is a program that prints")]

use std::sync::Arc;

use async_trait::async_trait;
use waypost::Result;
use waypost::decide::cascade::{Aim, DecisionDependencies, Layer, Proposal, Step};
use waypost::decide::slots::DraftCall;
use waypost::records::decision::LayerName;
use waypost::router::Router;
use waypost::understand::Turn;
use waypost_examples::{ask, parts};

/// The codes on the doors of the library: who types one wants to know when that branch is open.
#[derive(Debug)]
struct DoorCodes;

impl DoorCodes {
    fn is_code(word: &str) -> bool {
        let digits = word.strip_prefix("door-");
        digits.is_some_and(|digits| digits.len() == 3 && digits.chars().all(char::is_numeric))
    }
}

#[async_trait]
impl Layer for DoorCodes {
    // Records know the layers of the library; one of an embedder decides as a rule.
    fn name(&self) -> LayerName {
        LayerName::Rules
    }

    async fn decide(
        &self,
        turn: &Turn<'_>,
        _: &DecisionDependencies<'_>,
        _: Option<&Proposal>,
    ) -> Result<Step> {
        if !turn.said.text.normalized().split_whitespace().any(Self::is_code) {
            // Not sure is not a guess: the next layer is asked.
            return Ok(Step::Abstained(None));
        }
        let call = DraftCall { tool: "hours".to_owned(), ..DraftCall::default() };
        let aim = Aim::Route("tool".to_owned());
        let proposal = Proposal::sure(LayerName::Rules, aim, "door codes: it names a door");
        Ok(Step::Decided(Proposal { calls: vec![call], ..proposal }))
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let router = Router::new(parts().await?).with_layers(vec![Arc::new(DoorCodes)]);
    // It names the tool; what the tool needs is still asked for.
    for text in ["door-214", "harbor", "thank you, that helps"] {
        let answer = ask(&router, "ada", text).await?;
        let plan = &answer.raw.plan;
        println!("> {text}\n{} ({}: {})", answer.text, plan["layer"], plan["rationale"]);
    }
    Ok(())
}

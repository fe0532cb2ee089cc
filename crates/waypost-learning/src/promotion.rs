//! Says whether a challenger may serve: only if no route got worse beside the champion on the same
//! questions, and enough questions were asked to show it.

use serde::{Deserialize, Serialize};
use waypost_core::error::{Code, Error, Result};

use crate::evaluate::compare::{self, Comparison, ComparisonRules, Counts};

/// The result of comparing a challenger with the champion of its time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Examined {
    /// Cases of the pack that were asked.
    pub of_pack: usize,
    /// Texts that were asked, whose right answer is a label and that nobody learned from.
    pub of_labels: usize,
    /// The comparison on both.
    pub held_out: Comparison,
    /// The same questions as they are decided: wrong where a student decides alone and wrongly,
    /// right where it decides rightly or asks.
    pub alone: Alone,
    /// The comparison on the pack's examples, where it has no cases: both learned from them, so
    /// that they can only speak against the challenger.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learned: Option<Comparison>,
    /// The comparison on labels of sessions that teach nothing, also where nobody else bears them
    /// out: it can only speak against the challenger. `None` where there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed: Option<Comparison>,
}

/// The decisions that two students make without asking, on the same questions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Alone {
    /// Questions, with how many of them the champion and the challenger do not decide wrongly.
    pub counts: Counts,
    /// The number of questions that the champion decides.
    pub champion: usize,
    /// The number of questions that the challenger decides.
    pub challenger: usize,
}

impl Examined {
    /// Returns `Ok` if the challenger may serve.
    ///
    /// # Errors
    ///
    /// `FAILED_PRECONDITION` with what got worse and by how much, or with how many questions are
    /// missing to show that nothing did.
    pub fn allows(&self) -> Result<()> {
        let compared = [
            ("held-out questions", Some(&self.held_out)),
            ("replayed turns", self.replayed.as_ref()),
            ("the pack's examples", self.learned.as_ref()),
        ];
        for (what, comparison) in compared {
            let Some(comparison) = comparison else { continue };
            if let compare::ComparisonVerdict::Worse { routes } = &comparison.verdict {
                return Err(refused(&worse_by(what, comparison, routes)));
            }
        }
        let Counts { n, champion, challenger, p_worse, .. } = self.alone.counts;
        if p_worse <= ComparisonRules::default().significance {
            let (more, before) = (n - challenger, n - champion);
            return Err(refused(&format!(
                "alone it decides {more} of {n} held-out questions wrongly instead of {before}"
            )));
        }
        match self.held_out.verdict {
            compare::ComparisonVerdict::Unproven { wanted } => {
                let n = self.held_out.overall.n;
                Err(refused(&format!(
                    "Too few test questions to compare ({n} of about {wanted}). Add cases, or promote with `--force`."
                )))
            }
            _ => Ok(()),
        }
    }
}

fn refused(why: &str) -> Error {
    Error::new(Code::FailedPrecondition, why.to_owned())
}

/// Says in a sentence where the challenger is worse and by how much.
fn worse_by(what: &str, comparison: &Comparison, routes: &[String]) -> String {
    let counted = |name: &str, counts: &compare::Counts| {
        let (n, champion, challenger) = (counts.n, counts.champion, counts.challenger);
        format!("{name} {challenger} of {n} right instead of {champion}")
    };
    let of_routes: Vec<String> = routes
        .iter()
        .filter_map(|route| Some(counted(&format!("`{route}`"), comparison.routes.get(route)?)))
        .collect();
    let parts = match of_routes.is_empty() {
        true => counted("all", &comparison.overall),
        false => of_routes.join(", "),
    };
    format!("it is worse on {what}: {parts}")
}

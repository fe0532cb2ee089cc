//! Shows which routes and tools are confused: students classify the examples that they did not see.

use std::collections::BTreeSet;

use waypost_core::Result;

use crate::features::Scratch;
use crate::train::folds::stratified;
use crate::train::order::mark;
use crate::train::{Labelled, TrainOptions, train};

/// Parts of the examples; each is classified by a student that was trained on the others.
const PARTS: usize = 4;

/// An example as a student that did not see it classified it.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldOut {
    /// Its index among the examples that were given.
    pub index: usize,
    /// The route that it was taken for.
    pub route: String,
    /// The tool that it was likeliest taken for; `None` where there are no tools.
    pub tool: Option<String>,
}

/// Classifies every example with a student that was trained on the others; `progress` is told how
/// many students of how many are trained. Repeated texts stay together, so that no student has seen
/// a text that it classifies.
///
/// # Errors
///
/// As [`train`].
pub fn held_out(
    examples: &[Labelled],
    seed: u64,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Vec<HeldOut>> {
    let (parts, distinct) = parts(examples, seed);
    let mut taken = Vec::new();
    if distinct < 2 {
        return Ok(taken);
    }
    // Only the order of the classes is used: calibration gets as little time as it can.
    let options = TrainOptions { seed, folds: 2, scope_groups: 0, ..TrainOptions::default() };
    let mut scratch = Scratch::default();
    for part in 0..PARTS {
        let others: Vec<Labelled> = examples
            .iter()
            .zip(&parts)
            .filter(|(_, own)| **own as usize != part)
            .map(|(example, _)| example.clone())
            .collect();
        let bundle = train(&others, &options, None, &mut |_| {})?;
        let own = parts.iter().enumerate().filter(|(_, own)| **own as usize == part);
        for (index, _) in own {
            let scores = bundle.score(&*examples[index].text, &mut scratch);
            let Some((route, _)) = scores.best() else { continue };
            let tool = scores.tools.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
            taken.push(HeldOut {
                index,
                route: bundle.routes()[route].clone(),
                tool: tool.map(|(tool, _)| bundle.tools()[tool].clone()),
            });
        }
        progress(part + 1, PARTS);
    }
    taken.sort_by_key(|held| held.index);
    Ok(taken)
}

/// A part for each example, the same for equal texts, and how many different texts there are.
fn parts(examples: &[Labelled], seed: u64) -> (Vec<u32>, usize) {
    let routes: BTreeSet<&str> = examples.iter().map(|example| example.route.as_str()).collect();
    let routes: Vec<&str> = routes.into_iter().collect();
    let mut texts: Vec<(&str, &str)> =
        examples.iter().map(|example| (example.text.as_str(), example.route.as_str())).collect();
    texts.sort_unstable();
    texts.dedup_by_key(|(text, _)| *text);
    let label = |route: &str| routes.binary_search(&route).unwrap_or_default() as u32;
    let labels: Vec<u32> = texts.iter().map(|(_, route)| label(route)).collect();
    let marks: Vec<u64> = texts.iter().map(|(text, _)| mark(text)).collect();
    let of_text = stratified(&labels, &marks, routes.len(), PARTS, seed);
    let part = |example: &Labelled| {
        let at = texts.binary_search_by_key(&example.text.as_str(), |(text, _)| text);
        at.map_or(0, |at| of_text[at])
    };
    (examples.iter().map(part).collect(), texts.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(text: &str, route: &str) -> Labelled {
        Labelled {
            text: text.to_owned(),
            language: None,
            route: route.to_owned(),
            tools: if route == "tool" { vec!["timer".to_owned()] } else { Vec::new() },
            weight: 1.0,
        }
    }

    #[test]
    fn every_example_is_taken_once_by_a_student_that_did_not_see_it() {
        let mut examples = Vec::new();
        for end in ["now", "please", "for me", "again", "today", "then", "at once", "soon"] {
            examples.push(example(&format!("set the timer {end}"), "tool"));
            examples.push(example(&format!("why is bread brown {end}"), "explain"));
        }
        // Only a student that saw this example can know where it belongs.
        examples.push(example("xyzzy plugh", "explain"));
        examples.push(example("xyzzy plugh", "explain"));
        let mut steps = Vec::new();
        let taken = held_out(&examples, 0, &mut |done, all| steps.push((done, all))).unwrap();
        let order: Vec<usize> = taken.iter().map(|held| held.index).collect();
        assert_eq!(order, (0..examples.len()).collect::<Vec<_>>());
        assert!(taken[..16].iter().all(|held| held.route == examples[held.index].route));
        assert_eq!(taken[0].tool.as_deref(), Some("timer"));
        assert_eq!(taken[16].route, taken[17].route);
        assert_eq!(steps.last(), Some(&(PARTS, PARTS)));
    }

    #[test]
    fn one_text_alone_is_taken_by_nobody() {
        assert_eq!(held_out(&[example("a", "tool")], 0, &mut |_, _| {}).unwrap(), []);
    }
}

//! Everyday requests, by which a student learns what its pack is not for.
//!
//! A pack shows what lies near its world and outside of it; nobody can list what lies far. Of the requests here those
//! teach that a student without them is not sure to be the pack's own: a pack about payroll is asked about payroll.

use waypost_core::Result;
use waypost_learning::{Labelled, OUT_OF_SCOPE, Scratch, TrainOptions, in_halves, train};
use waypost_text::language::Language;

use crate::everyday::requests;

/// How many there may be for each example of the pack.
const MOST: f64 = 0.5;
/// The weight of one beside an example of the pack.
const WEIGHT: f32 = 0.5;
/// A request that a student without it takes for its pack's own, and is so sure of it, is left out.
const OWN: f32 = 0.9;

/// A request beside the examples of a pack.
#[derive(Debug, PartialEq)]
pub(crate) struct Beside {
    pub(crate) language: Language,
    /// The request as it teaches: masked.
    pub(crate) row: Labelled,
}

/// The requests, as `read` sees them, that teach a pack of these examples what it is not for; none where the examples
/// show nothing that is out of scope.
///
/// # Errors
///
/// As [`train`].
pub(crate) fn beside(
    examples: &[Labelled],
    languages: &[Language],
    read: impl Fn(&str, Language) -> String + Sync,
) -> Result<Vec<Beside>> {
    if !examples.iter().any(|example| example.route == OUT_OF_SCOPE) {
        return Ok(Vec::new());
    }
    // Only the likeliest class is used: calibration gets as little time as it can.
    let options = TrainOptions {
        folds: 2,
        scope_groups: 0,
        spelling: false,
        table: None,
        ..TrainOptions::default()
    };
    let bundle = train(examples, &options, None, &mut |_| {})?;
    let outside = bundle.routes().iter().position(|route| route == OUT_OF_SCOPE);
    let mut scratch = Scratch::default();
    let mut is_own = |masked: &str| {
        let scores = bundle.score(masked, &mut scratch);
        scores.best().is_some_and(|(best, share)| Some(best) != outside && share >= OWN)
    };
    let most = (examples.len() as f64 * MOST) as usize;
    let step = requests(languages).count().div_ceil(most.max(1)).max(1);
    let chosen: Vec<(Language, &str)> = requests(languages).step_by(step).collect();
    let beside = |(language, text): &(Language, &str)| Beside {
        language: *language,
        row: row(read(text, *language), *language),
    };
    let mut beside =
        in_halves(&chosen, options.threads, |chosen| chosen.iter().map(beside).collect());
    beside.retain(|beside| !is_own(&beside.row.text));
    Ok(beside)
}

/// A masked request as it teaches.
fn row(text: String, language: Language) -> Labelled {
    let language = Some(language.tag().to_owned());
    Labelled { text, language, route: OUT_OF_SCOPE.to_owned(), tools: Vec::new(), weight: WEIGHT }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_the_packs_own_teaches_nothing() {
        let own = ["{} on {}", "show {} of {}", "list {} since {}", "how much {} for {}"];
        let things = ["payslip", "salary", "overtime", "leave", "bonus", "tax form"];
        let days = ["march", "last month", "the quarter", "2024"];
        let mut examples = Vec::new();
        for pattern in own {
            for (thing, day) in things.iter().flat_map(|one| days.map(|day| (one, day))) {
                let text = pattern.replacen("{}", thing, 1).replacen("{}", day, 1);
                let label = |text: &str, route: &str| Labelled {
                    route: route.to_owned(),
                    weight: 1.0,
                    ..row(text.to_owned(), Language::En)
                };
                examples.push(label(&text, "payroll"));
                examples
                    .push(label(&format!("bake a {day} cake with {thing} on it"), OUT_OF_SCOPE));
            }
        }
        let read = |text: &str, _| text.to_lowercase();
        let kept = beside(&examples, &[Language::En], read).unwrap();
        assert!(kept.len() > 20, "{}", kept.len());
        assert!(kept.len() < 96, "{}", kept.len());
        let inside: Vec<_> = examples.iter().filter(|e| e.route == "payroll").cloned().collect();
        assert_eq!(beside(&inside, &[Language::En], read).unwrap(), []);
    }
}

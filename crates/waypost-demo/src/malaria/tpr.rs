//! Test positivity: positive tests over all tests of what was selected.

use serde_json::{Map, Value, json};

use super::columns::{COLUMNS, TPR};
use super::table::{Tests, rate, sums};
use super::{NAMED, caption, map, named, ranked, reply, table};
use crate::number::round;
use crate::pack::{Context, Failure, Reply};

/// The arguments that select tests, in the order in which they are asked for.
const SELECTABLE: [&str; 3] = ["facility_level", "age_group", "test_method"];

/// The values of an argument that leave nothing out.
const EVERYTHING: [&str; 2] = ["all", "both"];

pub(super) fn run_tpr_step(
    arguments: &Map<String, Value>,
    context: &Context,
) -> Result<Reply, Failure> {
    let table = table(context)?;
    let given = SELECTABLE.map(|name| arguments.get(name).and_then(Value::as_str));
    let selected = |tests: &&Tests| fits(tests, given);
    let rates: Vec<Option<f64>> =
        table.wards.iter().map(|ward| rate(ward.tests.iter().filter(selected))).collect();
    let all = || table.wards.iter().flat_map(|ward| &ward.tests).filter(selected);
    let (tested, positive) = sums(all());
    let Some(total) = rate(all()) else {
        let message = "no tests of this kind were done".to_owned();
        return Err(Failure { code: "NOT_FOUND", message });
    };
    let ranking = ranked(&rates);
    let highest = ranking.iter().take(NAMED);
    let next = SELECTABLE.iter().zip(given).find(|(_, value)| value.is_none());
    let selection: Map<String, Value> = SELECTABLE
        .iter()
        .zip(given)
        .filter_map(|(name, value)| Some(((*name).to_owned(), json!(value?))))
        .collect();
    let result = json!({
        "status": if next.is_some() { "in_progress" } else { "complete" },
        "selection": selection,
        "next": next.map(|(name, _)| name),
        "tested": tested,
        "positive": positive,
        "tpr_percent": round(total, 1),
        "wards_count": ranking.len(),
        "highest": highest
            .map(|(ward, rate)| named(&table, *ward, "tpr_percent", round(*rate, 1)))
            .collect::<Vec<_>>(),
    });
    let pictures = match next {
        Some(_) => Vec::new(),
        None => {
            let caption = caption(title(given), &COLUMNS[TPR]);
            vec![map(&table, caption, "no tests", &rates)]
        }
    };
    Ok(reply(result, pictures))
}

fn fits(tests: &Tests, given: [Option<&str>; 3]) -> bool {
    let fits = |(kind, given): (&str, Option<&str>)| given.is_none_or(|given| covers(given, kind));
    tests.kind.into_iter().zip(given).all(fits)
}

fn covers(given: &str, kind: &str) -> bool {
    EVERYTHING.contains(&given) || given == kind
}

fn title(given: [Option<&str>; 3]) -> String {
    let narrowed = given.into_iter().flatten().filter(|value| !EVERYTHING.contains(value));
    let words: Vec<&str> = std::iter::once("Test positivity rate").chain(narrowed).collect();
    words.join(", ")
}

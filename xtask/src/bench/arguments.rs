//! `cargo xtask bench arguments`: BFCL's single calls from the schemas alone, with no language model
//! and no pack, by its own rules of what is right.
//!
//! A row is a question and the functions of its catalog. They become a pack as a server's list does
//! (`Pack::listed`), the tool is chosen by the tools' own words, and the decision is
//! compared with the accepted call. Nothing is executed and nothing is trained but once.
//!
//! A third of the rows, by a hash of their ids, is there to be looked at; only these does `--wrong`
//! show. The figures of the others are those that count.

mod matching;
pub(super) mod row;
mod table;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use tokio_util::sync::CancellationToken;

use waypost::learning::Bundle;
use waypost::pack::Pack;
use waypost::records::decision::{Decision, Outcome};
use waypost::records::request::Request;
use waypost::student::heads::train_student;

use self::matching::Fault;
use self::row::Row;
use self::table::{Part, Tally};
use super::samples;

/// The sets of BFCL whose rows want exactly one call of a function with Python's types.
const SETS: [&str; 3] = ["simple_python", "multiple", "live_simple"];
/// The instant of every question: the rows name no other.
const NOW: &str = "2025-11-06T09:00:00Z";
/// The name of the server that would list the functions.
const SERVER: &str = "bfcl";

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    super::known(arguments, &["--json"], &["--data", "--only", "--wrong"])?;
    let data = super::option(arguments, "--data")
        .map_or_else(|| crate::root().join("../shared/data"), PathBuf::from);
    let wrong = super::option(arguments, "--wrong").map(str::parse::<usize>).transpose();
    let wrong = wrong.context("`--wrong` wants a number")?.unwrap_or_default();
    let only = super::option(arguments, "--only");
    let sets: Vec<&str> =
        SETS.into_iter().filter(|set| only.is_none_or(|only| only == *set)).collect();
    if sets.is_empty() {
        bail!("there is no such set: choose one of {}", SETS.join(", "));
    }
    let mut tally = Tally::default();
    let mut shown = Vec::new();
    for set in sets {
        measure(&data, set, &mut tally, &mut shown)?;
    }
    if super::flag(arguments, "--json") {
        super::print(&serde_json::to_string_pretty(&tally.json())?);
    } else {
        super::print(tally.table().trim_end());
    }
    shown.iter().take(wrong).for_each(|line| super::print(line));
    Ok(())
}

/// Decides and judges the rows of a set; adds to `shown` what is not right and may be looked at.
fn measure(data: &Path, set: &str, tally: &mut Tally, shown: &mut Vec<String>) -> Result<()> {
    let rows = row::read(data, set)?;
    // Its layer decides before any student, so that one student serves for all rows.
    let mut student: Option<Bundle> = None;
    for row in rows {
        let pack = listed(&row)?;
        let bundle = match &student {
            Some(bundle) => bundle.clone(),
            None => student.insert(train_student(&pack, None, &mut |_| {})?).clone(),
        };
        let decision = decide(pack, bundle, &row.text)?;
        let judged = judge(&row, &decision);
        let part = if row.is_for_development() { Part::Development } else { Part::HeldOut };
        tally.add(set, part, &judged, names_tool(&row, &decision));
        if part == Part::Development && judged != Judged::Right {
            shown.push(described(&row, &decision, &judged));
        }
    }
    Ok(())
}

fn listed(row: &Row) -> Result<Pack> {
    Pack::listed(SERVER, &row.tools()).map_err(|faults| {
        let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
        anyhow::anyhow!("the functions of `{}` make no pack:\n{}", row.id, faults.join("\n"))
    })
}

fn decide(pack: Pack, bundle: Bundle, text: &str) -> Result<Decision> {
    let router = samples::router(pack, bundle);
    let mut request = Request::new(text);
    request.now = Some(NOW.to_owned());
    let cancel = CancellationToken::new();
    Ok(samples::at_once(router.route(&request, &cancel))??)
}

/// The worth of a decision.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Judged {
    /// The accepted call would run.
    Right,
    /// Something is asked instead.
    Asked,
    /// Nothing is asked and nothing would run.
    Refused,
    /// A call would run that is not accepted.
    Wrong(matching::Mismatch),
}

/// Returns whether the decision is about the accepted function, whatever comes of it.
fn names_tool(row: &Row, decision: &Decision) -> bool {
    let wanted = row.answer.first().and_then(|answer| answer.keys().next());
    wanted.is_some() && decision.calls.first().map(|call| &call.tool) == wanted
}

fn judge(row: &Row, decision: &Decision) -> Judged {
    match decision.decision {
        Outcome::Clarify | Outcome::Rephrase => return Judged::Asked,
        Outcome::Refuse => return Judged::Refused,
        Outcome::Run if decision.calls.is_empty() => return Judged::Refused,
        Outcome::Run => {}
    }
    let wrong = |detail: String| Judged::Wrong(matching::Mismatch { kind: Fault::Tool, detail });
    let (Some((wanted, accepted)), [call]) =
        (row.answer.first().and_then(|answer| answer.iter().next()), decision.calls.as_slice())
    else {
        return wrong(format!("{} calls", decision.calls.len()));
    };
    let function = row.functions.iter().find(|function| function.name == *wanted);
    let (Some(function), Some(accepted)) = (function, accepted.as_object()) else {
        return wrong(format!("`{wanted}`, which the row does not list, is accepted"));
    };
    if call.tool != *wanted {
        return wrong(format!("`{}` instead of `{wanted}`", call.tool));
    }
    match matching::call(function, &call.arguments, accepted) {
        Ok(()) => Judged::Right,
        Err(mismatch) => Judged::Wrong(mismatch),
    }
}

/// A row that was not decided rightly, with the reason.
fn described(row: &Row, decision: &Decision, judged: &Judged) -> String {
    let accepted: Vec<String> =
        row.answer.iter().map(|answer| serde_json::json!(answer).to_string()).collect();
    let came = match judged {
        Judged::Right => "right".to_owned(),
        Judged::Wrong(mismatch) => mismatch.to_string(),
        Judged::Asked | Judged::Refused => {
            let question = decision.question.as_ref();
            let asked = question.map(|question| question.text.as_str()).unwrap_or_default();
            format!("{}: {asked}", decision.decision.name())
        }
    };
    let calls: Vec<String> = decision
        .calls
        .iter()
        .map(|call| format!("{} {}", call.tool, serde_json::json!(call.arguments)))
        .collect();
    let wanted = row.answer.first().and_then(|answer| answer.keys().next());
    let function = row.functions.iter().find(|function| Some(&function.name) == wanted);
    format!(
        "\n{} {}\n  {came}\n  came: {}\n  accepted: {}\n{}",
        row.id,
        row.text.trim(),
        calls.join("; "),
        accepted.join("; "),
        function.map(schema).unwrap_or_default()
    )
}

/// The arguments of a function, one in a line, the required ones with a star.
fn schema(function: &row::Function) -> String {
    let required = &function.parameters["required"];
    let is_required = |name: &str| {
        required.as_array().is_some_and(|names| names.iter().any(|other| other == name))
    };
    let properties = function.parameters["properties"].as_object();
    let lines = properties.into_iter().flatten().map(|(name, schema)| {
        let star = if is_required(name) { "*" } else { "" };
        format!("  {name}{star} {schema}\n")
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn row(text: &str) -> Row {
        serde_json::from_value(json!({
            "id": "made_up_1",
            "text": text,
            "functions": [{
                "name": "area.of_triangle",
                "description": "The area of a triangle.",
                "parameters": {
                    "type": "dict",
                    "required": ["base"],
                    "properties": { "base": { "type": "integer", "description": "The base." } },
                },
            }],
            "answer": [{ "area.of_triangle": { "base": [10] } }],
        }))
        .unwrap()
    }

    fn judged(text: &str) -> Judged {
        let row = row(text);
        let pack = listed(&row).unwrap();
        let bundle = train_student(&pack, None, &mut |_| {}).unwrap();
        judge(&row, &decide(pack, bundle, text).unwrap())
    }

    #[test]
    fn a_call_is_judged_by_what_would_run() {
        assert_eq!(judged("the area of a triangle with a base of 10"), Judged::Right);
        assert_eq!(judged("the area of a triangle, please"), Judged::Asked);
        let wrong = judged("the area of a triangle with a base of 12");
        assert!(matches!(wrong, Judged::Wrong(mismatch) if mismatch.kind == Fault::Value));
    }

    #[test]
    fn about_a_third_of_the_rows_is_for_development() {
        let ids = (0..300).map(|number| Row { id: format!("simple_python_{number}"), ..row("") });
        let count = ids.filter(Row::is_for_development).count();
        assert!((80..120).contains(&count), "{count}");
    }
}

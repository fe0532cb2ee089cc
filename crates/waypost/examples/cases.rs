//! Decides the cases of a pack without a server, for those who change how the pack decides.
//!
//! `cargo run -p waypost --example cases -- packs/ocean packs/ocean/cases.jsonl [TAG]` prints the
//! cases that come out wrong and how many are right, by language and by tag.

#![expect(clippy::print_stdout, reason = "its output is what it is for")]
#![expect(clippy::disallowed_methods, reason = "a program reads its arguments and files")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value as Json;
use tokio_util::sync::CancellationToken;
use waypost::pack::{Files, Pack};
use waypost::records::request::Request;
use waypost::records::rollout::Rollout;
use waypost::router::{Parts, Router};
use waypost_testing::{EmptyShelf, OneSession, StillClock};

fn files(root: &Path, folder: &Path, into: &mut Files) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files(root, &path, into)?;
        } else if let Ok(name) = path.strip_prefix(root) {
            into.insert(name.to_string_lossy().replace('\\', "/"), fs::read_to_string(&path)?);
        }
    }
    Ok(())
}

/// Returns the differences from what a case expects; empty if it is right.
fn differences(expect: &Json, decision: &Json) -> Vec<String> {
    let mut wrong = Vec::new();
    for key in ["decision", "route", "reason"] {
        if let Some(wanted) = expect.get(key).filter(|wanted| Some(*wanted) != decision.get(key)) {
            wrong.push(format!("{key} {} instead of {wanted}", decision[key]));
        }
    }
    let calls = decision["calls"].as_array().cloned().unwrap_or_default();
    if let Some(wanted) = expect.get("tools") {
        let tools = Json::from(calls.iter().map(|call| call["tool"].clone()).collect::<Vec<_>>());
        if tools != *wanted && decision["decision"] == "run" {
            wrong.push(format!("tools {tools} instead of {wanted}"));
        }
    }
    if let Some(Json::Object(wanted)) = expect.get("arguments") {
        let got = calls.first().map(|call| call["arguments"].clone()).unwrap_or_default();
        let differ =
            |(name, value): (&String, &Json)| !got.get(name).is_some_and(|got| same(got, value));
        if wanted.iter().any(differ)
            || (wanted.is_empty()
                && got
                    .as_object()
                    .is_some_and(|map| !map.is_empty() && decision["decision"] == "run"))
        {
            wrong.push(format!("arguments {got} instead of {}", expect["arguments"]));
        }
    }
    wrong
}

/// 18 and 18.0 are the same.
fn same(got: &Json, wanted: &Json) -> bool {
    match (got, wanted) {
        (Json::Array(got), Json::Array(wanted)) => {
            got.len() == wanted.len()
                && got.iter().zip(wanted).all(|(got, wanted)| same(got, wanted))
        }
        _ => match (got.as_f64(), wanted.as_f64()) {
            (Some(got), Some(wanted)) => (got - wanted).abs() < 1e-9,
            _ => got == wanted,
        },
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(pack), Some(cases)) = (arguments.next(), arguments.next()) else {
        return Err("usage: cases PACK-FOLDER CASES.jsonl [TAG]".into());
    };
    let only = arguments.next();
    let mut read = Files::new();
    files(Path::new(&pack), Path::new(&pack), &mut read)?;
    let pack = Pack::load(&read)
        .map_err(|faults| faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))?;
    let bundle = waypost::student::heads::train_student(&pack, None, &mut |_| {})?;
    let router = Router::new(Parts {
        pack: Arc::new(pack),
        bundle: Arc::new(bundle).into(),
        models: BTreeMap::new(),
        servers: BTreeMap::new(),
        encoder: None,
        retriever: Arc::new(EmptyShelf),
        store: Arc::new(OneSession::default()),
        clock: Arc::new(StillClock),
        rollout: Rollout::default(),
        recall: None,
    });
    let mut counts: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for line in fs::read_to_string(&cases)?.lines().filter(|line| !line.trim().is_empty()) {
        let case: Json = serde_json::from_str(line)?;
        let tags: Vec<&str> =
            case["tags"].as_array().into_iter().flatten().filter_map(Json::as_str).collect();
        if only.as_ref().is_some_and(|only| !tags.contains(&only.as_str())) {
            continue;
        }
        let mut request: Request = serde_json::from_str(line)?;
        request.trusted = true;
        request.now.get_or_insert_with(|| "2025-11-06T09:00:00+08:00".to_owned());
        let decision = router.route(&request, &CancellationToken::new()).await?;
        let decision = serde_json::to_value(&decision)?;
        let wrong = differences(&case["expect"], &decision);
        for tag in tags.iter().copied().chain(["all"]) {
            let count = counts.entry(tag.to_owned()).or_default();
            count.1 += 1;
            count.0 += usize::from(wrong.is_empty());
        }
        if !wrong.is_empty() {
            let asked = case["context"]["active_argument"].as_str().unwrap_or_default();
            println!(
                "[{} {:.2} {}] {} <{asked}> {}\n    {} {}",
                decision["layer"].as_str().unwrap_or_default(),
                decision["confidence"].as_f64().unwrap_or_default(),
                decision["rationale"].as_str().unwrap_or_default(),
                request.text,
                tags.join(","),
                wrong.join("; "),
                decision["reason"].as_str().unwrap_or_default(),
            );
        }
    }
    for (tag, (right, all)) in counts {
        println!("{tag}: {right} of {all} ({:.1}%)", 100.0 * right as f64 / all as f64);
    }
    Ok(())
}

//! Checks the examples: too few, in too few languages, none that says what a tool is not for, and
//! the same text under two routes.

use std::collections::{BTreeMap, BTreeSet};

use waypost_learning::data::validation::FEWEST;

use super::{Finding, Level, Linted};
use crate::pack::OUT_OF_SCOPE;
use crate::pack::spec::Selection;

/// Fewer different texts than this teach a route little.
pub(super) const FEW: usize = 10;
/// Fewer different texts than this teach a tool little.
const FEW_OF_TOOL: usize = 5;
/// The number of texts that a finding shows.
const SHOWN: usize = 3;

pub(super) fn check(linted: &Linted<'_>) -> Vec<Finding> {
    let mut findings = same_text(linted);
    findings.extend(few(linted));
    findings.extend(negatives(linted));
    findings.extend(languages(linted));
    findings
}

/// The examples of each text as the student sees it.
fn by_text<'a>(linted: &'a Linted<'_>) -> BTreeMap<&'a str, Vec<usize>> {
    let mut texts: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, example) in linted.labelled.iter().enumerate() {
        texts.entry(example.text.trim()).or_default().push(index);
    }
    texts
}

fn same_text(linted: &Linted<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (text, all) in by_text(linted) {
        let first = all[0];
        let own = &linted.labelled[first];
        let other =
            |differs: &dyn Fn(usize) -> bool| all.iter().copied().find(|index| differs(*index));
        let by_route = other(&|index| linted.labelled[index].route != own.route);
        let by_tools = other(&|index| linted.labelled[index].tools != own.tools);
        let (index, kind) = match (by_route, by_tools) {
            (Some(index), _) => (index, "routes"),
            (None, Some(index)) => (index, "sets of tools"),
            (None, None) => continue,
        };
        let [a, b] = [first, index].map(|index| {
            let example = &linted.labelled[index];
            format!("{} {}", example.route, example.tools.join(", ")).trim().to_owned()
        });
        let message = format!(
            "`{}` and `{}` (line {}) are the same to the student (`{}`) and have two {kind}: `{a}` \
             and `{b}`",
            linted.pack.examples[first].text,
            linted.pack.examples[index].text,
            linted.line(index),
            text.split_whitespace().collect::<Vec<_>>().join(" "),
        );
        let why = "values are masked: what differs in nothing else cannot be told apart";
        let hint = "keep the one that is right, or add the words that make the difference";
        let finding = linted.example(Level::Warning, "same-text", Some(first), message);
        findings.push(Finding { texts: linted.texts(&all), ..finding.because(why, hint) });
    }
    findings
}

fn few(linted: &Linted<'_>) -> Vec<Finding> {
    let distinct = |wanted: &dyn Fn(usize) -> bool| {
        let own = (0..linted.labelled.len()).filter(|index| wanted(*index));
        own.map(|index| linted.labelled[index].text.trim()).collect::<BTreeSet<_>>().len()
    };
    let mut findings = Vec::new();
    // What is written about the tools chooses them until people have said enough.
    if linted.pack.spec.selection == Selection::Catalog {
        return findings;
    }
    for (index, route) in linted.pack.spec.routes.iter().enumerate() {
        let count = distinct(&|index| linted.labelled[index].route == route.name);
        if count < FEW {
            let level = if count < FEWEST { Level::Error } else { Level::Warning };
            let message = format!("the route `{}` has {}", route.name, examples(count));
            let why = "the student cannot learn a route from so few, nor can it be measured";
            let hint = format!("write at least {FEW} that differ in more than their values");
            let at = format!("/routes/{index}");
            findings.push(linted.at(level, "few-examples", &at, message).because(why, hint));
        }
    }
    for (index, tool) in linted.pack.spec.tools.iter().enumerate() {
        let Some(head) = crate::student::heads::head_of(linted.pack, &tool.name) else { continue };
        let count = distinct(&|index| linted.labelled[index].tools.contains(&head));
        if count < FEW_OF_TOOL {
            let level = if count == 0 { Level::Error } else { Level::Warning };
            let message = format!("the tool `{}` has {}", tool.name, examples(count));
            let why = "only a model could choose a tool that the student does not know";
            let hint = format!("write at least {FEW_OF_TOOL} texts that ask for it");
            let at = format!("/tools/{index}");
            findings.push(linted.at(level, "few-examples", &at, message).because(why, hint));
        }
    }
    findings
}

fn examples(count: usize) -> String {
    match count {
        0 => "no example".to_owned(),
        1 => "one example".to_owned(),
        count => format!("{count} examples"),
    }
}

/// Finds a pack with too few texts that are out of scope, and tools without a text that is not
/// theirs.
fn negatives(linted: &Linted<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    if linted.pack.spec.selection == Selection::Catalog {
        return findings;
    }
    let outside = linted.labelled.iter().filter(|example| example.route == OUT_OF_SCOPE).count();
    if outside < FEW {
        let message = format!("of what is out of scope the pack has {}", examples(outside));
        let why = "what nobody serves here is then told only by how unlike it is to all the rest";
        let hint = format!(
            "add at least {FEW} texts that are near and not served, with the route `{OUT_OF_SCOPE}`"
        );
        findings
            .push(linted.example(Level::Warning, "no-negatives", None, message).because(why, hint));
    }
    let heads: BTreeSet<&String> =
        linted.labelled.iter().flat_map(|example| &example.tools).collect();
    for (index, tool) in linted.pack.spec.tools.iter().enumerate() {
        let Some(head) = crate::student::heads::head_of(linted.pack, &tool.name) else { continue };
        let own = |name: &String| {
            crate::student::heads::head_of(linted.pack, name).as_ref() == Some(&head)
        };
        let named = linted.pack.examples.iter().any(|example| example.not.iter().any(own));
        // If several tools have examples, those of the others say what this one is not for.
        if !named && heads.len() < 2 && heads.contains(&head) {
            let message = format!("no example says what the tool `{}` is not for", tool.name);
            let why = "the student then takes everything on the route for it";
            let hint = format!("add texts that come near it, with `\"not\": [\"{}\"]`", tool.name);
            let at = format!("/tools/{index}");
            findings
                .push(linted.at(Level::Warning, "no-negatives", &at, message).because(why, hint));
        }
    }
    findings
}

fn languages(linted: &Linted<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, language) in linted.pack.languages.iter().enumerate() {
        let has = |route: &str| {
            let own = |e: &&crate::pack::Example| e.route == route && e.lang == *language;
            linted.pack.examples.iter().any(|example| own(&example))
        };
        let routes = linted.pack.spec.routes.iter().map(|route| route.name.as_str());
        let missing: Vec<&str> = routes.clone().filter(|route| !has(route)).collect();
        if missing.is_empty() {
            continue;
        }
        let tag = language.tag();
        let message = if missing.len() == routes.count() {
            format!("no example is in `{tag}`, a language of the pack")
        } else {
            format!("no example in `{tag}` has the route `{}`", missing.join("`, `"))
        };
        let why = "the student knows only words that it has seen";
        let at = format!("/languages/{index}");
        findings.push(
            linted
                .at(Level::Warning, "language-without-examples", &at, message)
                .because(why, format!("add examples in `{tag}`, or leave the language out")),
        );
    }
    findings
}

/// The first texts of a list, as a finding shows them.
pub(super) fn shown(linted: &Linted<'_>, indices: &[usize]) -> String {
    let texts = indices.iter().take(SHOWN).map(|index| {
        format!("`{}` (line {})", linted.pack.examples[*index].text, linted.line(*index))
    });
    let mut list = texts.collect::<Vec<_>>().join(", ");
    if indices.len() > SHOWN {
        list.push_str(&format!(" and {} more", indices.len() - SHOWN));
    }
    list
}

//! The order of the library's modules: a module uses only those before it in the flow.

use super::Fault;
use super::purity::LIBRARY;
use super::source::{Token, paths, shipped, test_files, tokens};
use super::tree::Tree;

/// The modules of the library, each after all that it uses. A new module takes its place here.
const ORDER: &[&str] = &[
    // Words and values.
    "error",
    "hash",
    "likeness",
    "template",
    "matching",
    // What the outside offers, as traits and records.
    "clock",
    "encoder",
    "model",
    "warm",
    "retrieval",
    "tools",
    "request",
    "decision",
    "rollout",
    "event",
    "convergence",
    "counters",
    "session",
    "label",
    "store",
    // What is known beforehand.
    "pack",
    "place",
    "memory",
    "mention",
    "learning",
    "triage",
    "messages",
    // A turn, stage by stage.
    "turn",
    "views",
    "student",
    "reload",
    "challenge",
    "service",
    "arguments",
    "progress",
    "cascade",
    "gates",
    "question",
    "decide",
    "shadow",
    "why",
    "lint",
    "execution",
    "contract",
    "drift_monitor",
    "observe",
    "labels",
    "feedback",
    "replay",
    "audit",
    "render",
    "answer",
    "handlers",
    "dialogue",
    "envelope",
    "router",
];

/// Every module stands in [`ORDER`] and uses only modules before it.
pub(crate) fn module_order(tree: &Tree) -> Vec<Fault> {
    check(tree, ORDER)
}

fn check(tree: &Tree, order: &[&str]) -> Vec<Fault> {
    let rank = |module: &str| order.iter().position(|known| *known == module);
    let tests = test_files(tree);
    let mut faults = membership(tree, order);
    for (name, text) in tree.ending(".rs").filter(|(name, _)| name.starts_with(LIBRARY)) {
        let own = module_path(name);
        let Some(own_rank) = own.first().and_then(|module| rank(module)) else { continue };
        if tests.contains(name) {
            continue;
        }
        for path in paths(&shipped(text)) {
            let Some(used) = target(&own, &path.parts) else { continue };
            if rank(used).is_some_and(|rank| rank > own_rank) {
                let message = format!("`{}` uses `{used}`, which comes later in the flow", own[0]);
                faults.push(Fault::new(name, path.line, message));
            }
        }
    }
    faults
}

/// Faults where the modules of `lib.rs` and the order are not the same.
fn membership(tree: &Tree, order: &[&str]) -> Vec<Fault> {
    let lib = format!("{LIBRARY}lib.rs");
    let declared = declared(tree.text(&lib).unwrap_or_default());
    let missing = declared.iter().filter(|(_, module)| !order.contains(&module.as_str()));
    let mut faults: Vec<Fault> = missing
        .map(|(line, module)| {
            let message =
                format!("`{module}` has no place in the order of modules (ORDER in tidy)");
            Fault::new(&lib, *line, message)
        })
        .collect();
    for module in order {
        if !declared.iter().any(|(_, known)| known == module) {
            let message = format!("`{module}` has a place in the order but is no module");
            faults.push(Fault::new(&lib, 0, message));
        }
    }
    faults
}

/// The modules that a file declares in files of their own, tests left out.
pub(crate) fn declared(text: &str) -> Vec<(usize, String)> {
    let code = shipped(text);
    let tokens = tokens(&code);
    let found = tokens.windows(3).filter_map(|window| match window {
        [(line, Token::Word("mod")), (_, Token::Word(name)), (_, Token::Mark(';'))] => {
            Some((*line, (*name).to_owned()))
        }
        _ => None,
    });
    found.collect()
}

/// `…/src/extract/lang/mod.rs` is `[extract, lang]`.
fn module_path(name: &str) -> Vec<&str> {
    let inner = name.trim_start_matches(LIBRARY).trim_end_matches(".rs");
    let mut parts: Vec<&str> = inner.split('/').collect();
    if matches!(parts.last(), Some(&("mod" | "lib"))) {
        parts.pop();
    }
    parts
}

/// The module of the library that a path leads to, from a file of module `own`.
fn target<'a>(own: &[&'a str], path: &[&'a str]) -> Option<&'a str> {
    match path.first() {
        Some(&"crate") => path.get(1).copied(),
        Some(&"super") => {
            let ups = path.iter().take_while(|part| **part == "super").count();
            let above = own.len().checked_sub(ups)?;
            if above == 0 { path.get(ups).copied() } else { own.first().copied() }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_use_of_a_later_module_is_found() {
        let tree = Tree::of(&[
            ("crates/waypost/src/lib.rs", "pub mod a;\nmod b;\nmod c;\n"),
            ("crates/waypost/src/a.rs", "use crate::{b, Error};\nuse super::c::X;\n"),
            (
                "crates/waypost/src/b/mod.rs",
                "use crate::a;\n#[cfg(test)]\nmod t { use crate::c; }\n",
            ),
            ("crates/waypost/src/b/d.rs", "use super::e;\nuse super::super::c::Y;\n"),
        ]);
        let found: Vec<String> =
            check(&tree, &["a", "b", "gone"]).iter().map(ToString::to_string).collect();
        assert_eq!(
            found,
            [
                "crates/waypost/src/lib.rs:3: `c` has no place in the order of modules (ORDER in tidy)",
                "crates/waypost/src/lib.rs: `gone` has a place in the order but is no module",
                "crates/waypost/src/a.rs:1: `a` uses `b`, which comes later in the flow",
            ]
        );
        let later = check(&tree, &["a", "b", "c"]);
        assert_eq!(later.len(), 3, "{later:?}");
    }
}

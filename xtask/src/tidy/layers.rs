//! The order of modules: each uses only those before it in its crate, and a part of a module only
//! the parts before it.

use super::Fault;
use super::source::{Token, paths, shipped, test_files, tokens};
use super::tree::Tree;

/// A file that declares modules, and these in the order in which they may use each other.
struct Order {
    /// The file, such as `crates/waypost/src/lib.rs`.
    file: &'static str,
    /// The modules, each after all that it uses.
    modules: &'static [&'static str],
}

/// Every crate and module with an order. A new module takes its place here.
const ORDERS: &[Order] = &[
    Order {
        file: "crates/waypost/src/lib.rs",
        modules: &[
            "everyday",
            "catalog",
            "tokens",
            "pack",
            "arguments",
            "understand",
            "prune",
            "student",
            "decide",
            "respond",
            "observe",
            "feedback",
            "lint",
            "bootstrap",
            "router",
        ],
    },
    Order {
        file: "crates/waypost/src/decide/mod.rs",
        modules: &[
            "slots",
            "proposal",
            "cascade",
            "providers",
            "task",
            "steps",
            "filling",
            "planner",
            "gates",
            "conditions",
            "search",
            "further",
            "progress",
            "clarify",
            "switches",
            "verdict",
            "record",
        ],
    },
    Order {
        file: "crates/waypost/src/respond/mod.rs",
        modules: &["execution", "render", "handlers", "dialogue", "envelope"],
    },
    Order {
        file: "crates/waypost-core/src/lib.rs",
        modules: &[
            "error",
            "hash",
            "markdown",
            "printable",
            "similarity",
            "text_match",
            "schema",
            "records",
            "ports",
        ],
    },
    Order {
        file: "crates/waypost-learning/src/lib.rs",
        modules: &[
            "bytes",
            "parallel",
            "random",
            "features",
            "neighbors",
            "calibrate",
            "version",
            "evaluate",
            "train",
            "promotion",
            "data",
            "drift",
        ],
    },
];

/// Every module stands in the order of its parent and uses only modules before it.
pub(crate) fn module_order(tree: &Tree) -> Vec<Fault> {
    ORDERS.iter().flat_map(|order| check(tree, order)).collect()
}

fn check(tree: &Tree, order: &Order) -> Vec<Fault> {
    let rank = |module: &str| order.modules.iter().position(|known| *known == module);
    let (source, parent) = house(order.file);
    let folder = folder(order.file);
    let tests = test_files(tree);
    let mut faults = membership(tree, order);
    for (name, text) in tree.ending(".rs").filter(|(name, _)| name.starts_with(folder)) {
        let own = module_path(name, source);
        let Some(own_rank) = own.get(parent.len()).and_then(|module| rank(module)) else {
            continue;
        };
        if tests.contains(name) {
            continue;
        }
        for path in paths(&shipped(text)) {
            let Some(used) = target(&own, &path.parts) else { continue };
            let Some(used) = used.strip_prefix(parent.as_slice()).and_then(<[_]>::first) else {
                continue;
            };
            if rank(used).is_some_and(|rank| rank > own_rank) {
                let own = own[parent.len()];
                let message = format!("`{own}` uses `{used}`, which comes later in the flow");
                faults.push(Fault::new(name, path.line, message));
            }
        }
    }
    faults
}

/// The `src` folder of a file's crate, and the path of the module that the file is.
fn house(file: &str) -> (&str, Vec<&str>) {
    let source = file.find("/src/").map_or("", |at| &file[..at + "/src/".len()]);
    (source, module_path(file, source))
}

/// The folder that holds the modules of a `lib.rs` or `mod.rs`.
fn folder(file: &str) -> &str {
    file.rfind('/').map_or("", |at| &file[..=at])
}

/// Faults where the modules of a file and their order are not the same.
fn membership(tree: &Tree, order: &Order) -> Vec<Fault> {
    let declared = declared(tree.text(order.file).unwrap_or_default());
    let missing = declared.iter().filter(|(_, module)| !order.modules.contains(&module.as_str()));
    let mut faults: Vec<Fault> = missing
        .map(|(line, module)| {
            let message =
                format!("`{module}` has no place in the order of modules (ORDERS in tidy)");
            Fault::new(order.file, *line, message)
        })
        .collect();
    for module in order.modules {
        if !declared.iter().any(|(_, known)| known == module) {
            let message = format!("`{module}` has a place in the order but is no module");
            faults.push(Fault::new(order.file, 0, message));
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

/// `…/src/decide/gates/mod.rs` is `[decide, gates]`.
fn module_path<'a>(name: &'a str, source: &str) -> Vec<&'a str> {
    let inner = name.strip_prefix(source).unwrap_or(name).trim_end_matches(".rs");
    let mut parts: Vec<&str> = inner.split('/').collect();
    if matches!(parts.last(), Some(&("mod" | "lib"))) {
        parts.pop();
    }
    parts
}

/// The module and what lies in it that a path leads to, from a file of module `own`; `None` for a
/// path that does not begin at the crate or above the file.
fn target<'a>(own: &[&'a str], path: &[&'a str]) -> Option<Vec<&'a str>> {
    match path.first() {
        Some(&"crate") => Some(path[1..].to_vec()),
        Some(&"super") => {
            let ups = path.iter().take_while(|part| **part == "super").count();
            let above = own.len().checked_sub(ups)?;
            Some(own[..above].iter().chain(&path[ups..]).copied().collect())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(tree: &Tree, file: &'static str, modules: &'static [&'static str]) -> Vec<String> {
        check(tree, &Order { file, modules }).iter().map(ToString::to_string).collect()
    }

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
        assert_eq!(
            found(&tree, "crates/waypost/src/lib.rs", &["a", "b", "gone"]),
            [
                "crates/waypost/src/lib.rs:3: `c` has no place in the order of modules (ORDERS in tidy)",
                "crates/waypost/src/lib.rs: `gone` has a place in the order but is no module",
                "crates/waypost/src/a.rs:1: `a` uses `b`, which comes later in the flow",
            ]
        );
        let later = found(&tree, "crates/waypost/src/lib.rs", &["a", "b", "c"]);
        assert_eq!(later.len(), 3, "{later:?}");
    }

    #[test]
    fn the_parts_of_a_room_have_an_order_of_their_own() {
        let tree = Tree::of(&[
            ("crates/waypost/src/a/mod.rs", "mod b;\nmod c;\n"),
            ("crates/waypost/src/a/b.rs", "use super::c::X;\nuse crate::a::c;\nuse crate::c;\n"),
            ("crates/waypost/src/a/c.rs", "use super::b;\n"),
        ]);
        assert_eq!(
            found(&tree, "crates/waypost/src/a/mod.rs", &["b", "c"]),
            [
                "crates/waypost/src/a/b.rs:1: `b` uses `c`, which comes later in the flow",
                "crates/waypost/src/a/b.rs:2: `b` uses `c`, which comes later in the flow",
            ]
        );
    }
}

//! Rules for what the library must not do, and for the only places that may do certain things.

use super::Fault;
use super::source::{self, Token, shipped, test_files};
use super::tree::Tree;

/// The crates that the library is made of.
const PURE: [&str; 4] =
    ["crates/waypost-text/", "crates/waypost-core/", "crates/waypost-learning/", "crates/waypost/"];

/// The library opens no socket and no file and reads neither clock nor environment.
///
/// Clippy sees to it: it takes the `clippy.toml` that is nearest to a manifest, and reads no second
/// one. So each crate of the library has the whole list of what it must not do, with the settings of
/// the root before it, and no shipped code lifts it.
pub(crate) fn purity(tree: &Tree) -> Vec<Fault> {
    let mut faults = Vec::new();
    let everyones = tree.text("clippy.toml").unwrap_or_default();
    let first = tree.text(&format!("{}clippy.toml", PURE[0])).unwrap_or_default();
    for name in PURE.map(|folder| format!("{folder}clippy.toml")) {
        let mut fault = |message: String| faults.push(Fault::new(&name, 0, message));
        let Some(text) = tree.text(&name) else {
            fault("a crate of the library needs its list of what it must not do".to_owned());
            continue;
        };
        if text != first {
            fault(format!("is not the same as `{}clippy.toml`", PURE[0]));
        }
        if !text.starts_with(everyones) {
            fault("does not begin with the settings of `clippy.toml` in the root".to_owned());
        }
        for list in ["disallowed-methods", "disallowed-types"] {
            if !text.lines().any(|line| line.starts_with(list)) {
                fault(format!("has no `{list}`"));
            }
        }
    }
    faults.extend(lifted(tree));
    faults
}

/// Finds the places where shipped code of the library lifts the rules of its `clippy.toml`.
fn lifted(tree: &Tree) -> Vec<Fault> {
    let tests = test_files(tree);
    let pure = |name: &str| PURE.iter().any(|f| name.starts_with(&format!("{f}src/")));
    let mut faults = Vec::new();
    for (name, text) in tree.ending(".rs").filter(|(name, _)| pure(name)) {
        if tests.contains(name) {
            continue;
        }
        for (line, token) in source::tokens(&shipped(text)) {
            if let Token::Word(word @ ("disallowed_methods" | "disallowed_types")) = token {
                faults.push(Fault::new(name, line, format!("`{word}` is for tests and examples")));
            }
        }
    }
    faults
}

/// Only the router emits events; stages return what happened.
pub(crate) fn events_from_router(tree: &Tree) -> Vec<Fault> {
    const ROUTER: &str = "crates/waypost/src/router/";
    const STORES: &str = "crates/waypost-backends/src/stores/";
    let call = |tokens: &[(usize, Token<'_>)], at: usize| {
        let word = |offset: usize| match tokens.get(at.checked_sub(offset)?) {
            Some((_, Token::Word(word))) => Some(*word),
            _ => None,
        };
        // `store.append(…)`, `store().append(…)`, `Store::append(…)`
        matches!(word(2), Some("store" | "Store")) || matches!(word(4), Some("store"))
    };
    elsewhere(tree, &[ROUTER, STORES], "append", call, "only the router appends to a store")
}

/// A user's words are read in `understand` alone: what comes after looks at what was found there.
pub(crate) fn read_once(tree: &Tree) -> Vec<Fault> {
    const AFTER: [&str; 6] = ["decide", "respond", "observe", "feedback", "router", "prune"];
    /// These write a value down, and read nothing.
    const WRITERS: [&str; 2] = ["canonical", "record"];
    let tests = test_files(tree);
    let is_after = |name: &str| {
        let module =
            name.strip_prefix("crates/waypost/src/").and_then(|rest| rest.split('/').next());
        module.is_some_and(|module| AFTER.contains(&module))
    };
    let is_function = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_lowercase())
            && word != "self"
            && !WRITERS.contains(&word)
    };
    let mut faults = Vec::new();
    for (name, text) in tree.ending(".rs").filter(|(name, _)| is_after(name)) {
        if tests.contains(name) {
            continue;
        }
        for path in source::paths(&shipped(text)) {
            let pair = path.parts.windows(2).find(|pair| pair[0] == "extract");
            if let Some([_, word]) = pair
                && is_function(word)
            {
                let message = format!("`extract::{word}` reads words: `understand` alone does");
                faults.push(Fault::new(name, path.line, message));
            }
        }
    }
    faults
}

/// Each stage of a turn is entered from one file. Texts that are no turn (examples, earlier requests) are read where they are used.
pub(crate) fn entered_once(tree: &Tree) -> Vec<Fault> {
    const STAGES: [(&str, &str, &[&str]); 6] = [
        (
            "understand",
            "ingest",
            &["router/", "feedback/", "lint/", "student/", "decide/cascade/llm/probe.rs"],
        ),
        ("decide", "propose", &["router/answer.rs"]),
        ("decide", "conclude", &["router/answer.rs"]),
        ("cascade", "cascade", &["decide/mod.rs"]),
        ("filling", "fill", &["decide/mod.rs"]),
        ("planner", "steps", &["decide/mod.rs"]),
    ];
    let tests = test_files(tree);
    let mut faults = Vec::new();
    for (name, text) in tree.ending(".rs").filter(|(name, _)| !tests.contains(*name)) {
        let Some(file) = name.strip_prefix("crates/waypost/src/") else { continue };
        let code = shipped(text);
        let paths = source::paths(&code);
        for (module, stage, from) in STAGES {
            let enters = |path: &&source::Path<'_>| path.parts.ends_with(&[module, stage]);
            let may = usize::from(from.iter().any(|from| file.starts_with(from)));
            for path in paths.iter().filter(enters).skip(may) {
                let message =
                    format!("`{module}::{stage}` is entered here too: once a turn is enough");
                faults.push(Fault::new(name, path.line, message));
            }
        }
    }
    faults
}

/// Nothing runs ungated: the gates alone make what execution takes.
pub(crate) fn approved_by_gates(tree: &Tree) -> Vec<Fault> {
    let made = |tokens: &[(usize, Token<'_>)], at: usize| {
        let declared = match tokens.get(at.wrapping_sub(1)) {
            Some((_, Token::Word(word))) => ["struct", "impl", "for"].contains(word),
            // `-> Approved {` is a function's type, `=> Approved {` makes one.
            Some((_, Token::Mark('>'))) => {
                matches!(tokens.get(at.wrapping_sub(2)), Some((_, Token::Mark('-'))))
            }
            _ => false,
        };
        !declared && matches!(tokens.get(at + 1), Some((_, Token::Mark('{'))))
    };
    let message = "only `gates/mod.rs` makes an `Approved`";
    elsewhere(tree, &["crates/waypost/src/decide/gates/mod.rs"], "Approved", made, message)
}

/// Finds the places where `word` is used as `is` says, outside the files that may.
fn elsewhere(
    tree: &Tree,
    allowed: &[&str],
    word: &str,
    is: impl Fn(&[(usize, Token<'_>)], usize) -> bool,
    message: &str,
) -> Vec<Fault> {
    let tests = test_files(tree);
    let mut faults = Vec::new();
    for (name, text) in tree.ending(".rs").filter(|(name, _)| name.starts_with("crates/")) {
        if tests.contains(name) || allowed.iter().any(|prefix| name.starts_with(prefix)) {
            continue;
        }
        let code = shipped(text);
        let tokens = source::tokens(&code);
        for (at, (line, token)) in tokens.iter().enumerate() {
            if *token == Token::Word(word) && is(&tokens, at) {
                faults.push(Fault::new(name, *line, message));
            }
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_that_reads_words_is_found_behind_understand() {
        let code = "use waypost_text::extract::{self, Kind, mentions};\n\
                    fn f() { extract::residue(); extract::canonical(); extract::Kinds::NONE; }\n";
        let tree = Tree::of(&[
            ("crates/waypost/src/decide/a.rs", code),
            ("crates/waypost/src/understand/a.rs", code),
        ]);
        let found: Vec<String> = read_once(&tree).iter().map(Fault::to_string).collect();
        assert_eq!(
            found,
            [
                "crates/waypost/src/decide/a.rs:1: `extract::mentions` reads words: `understand` alone does",
                "crates/waypost/src/decide/a.rs:2: `extract::residue` reads words: `understand` alone does",
            ]
        );
    }

    #[test]
    fn a_stage_that_is_entered_from_two_places_is_found() {
        let twice = "fn f() { filling::fill(); filling::fill(); }\n";
        let tree = Tree::of(&[
            ("crates/waypost/src/decide/mod.rs", twice),
            ("crates/waypost/src/respond/a.rs", "use crate::understand::{Turn, ingest};\n"),
            ("crates/waypost/src/router/mod.rs", "use crate::understand::{Turn, ingest};\n"),
        ]);
        let found: Vec<String> = entered_once(&tree).iter().map(Fault::to_string).collect();
        assert_eq!(
            found,
            [
                "crates/waypost/src/decide/mod.rs:1: `filling::fill` is entered here too: once a turn is enough",
                "crates/waypost/src/respond/a.rs:1: `understand::ingest` is entered here too: once a turn is enough",
            ]
        );
    }

    fn lines(faults: &[Fault]) -> Vec<usize> {
        faults.iter().map(|fault| fault.line).collect()
    }

    #[test]
    fn each_crate_of_the_library_has_the_whole_list() {
        let list = "a = 1\ndisallowed-methods = []\ndisallowed-types = []\n";
        let short = "a = 1\ndisallowed-methods = []\n";
        let tree = |of_text: &str, of_library: &str| {
            Tree::of(&[
                ("clippy.toml", "a = 1\n"),
                ("crates/waypost-text/clippy.toml", of_text),
                ("crates/waypost-core/clippy.toml", list),
                ("crates/waypost-learning/clippy.toml", list),
                ("crates/waypost/clippy.toml", of_library),
            ])
        };
        assert_eq!(purity(&tree(list, list)), []);
        assert_eq!(purity(&tree(list, short)).len(), 2);
        assert_eq!(purity(&tree(&list[6..], list)).len(), 4);
        assert_eq!(purity(&Tree::default()).len(), 4);
    }

    #[test]
    fn only_tests_lift_the_list() {
        let text = "// disallowed_types\n#[allow(clippy::disallowed_methods)]\nfn a() {}\n\
                    #[cfg(test)]\n#[allow(clippy::disallowed_types)]\nmod tests {}\n";
        let tree = Tree::of(&[("crates/waypost/src/a.rs", text), ("crates/b/src/a.rs", text)]);
        assert_eq!(lines(&lifted(&tree)), [2]);
    }

    #[test]
    fn only_the_router_appends_events() {
        let text = "self.parts.store.append(x);\nself.store().append(x);\nlist.append(&mut y);\n";
        let tree = Tree::of(&[
            ("crates/waypost/src/router/mod.rs", text),
            ("crates/waypost/src/a.rs", text),
            ("crates/waypost-backends/src/stores/sqlite.rs", text),
        ]);
        assert_eq!(lines(&events_from_router(&tree)), [1, 2]);
    }

    #[test]
    fn only_the_gates_approve() {
        let text = "pub struct Approved {\n}\nimpl Approved {\nfn a() -> Approved {\n\
                    Approved { calls }\n}\n}\nmatch b { _ => Approved { calls } }\n";
        let tree = Tree::of(&[("crates/waypost/src/a.rs", text)]);
        assert_eq!(lines(&approved_by_gates(&tree)), [5, 8]);
    }
}

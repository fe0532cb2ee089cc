//! What the library must not do, and who alone may do what it does.

use super::Fault;
use super::source::{self, Token, paths, shipped, test_files};
use super::tree::Tree;

/// The crates that the library is made of.
const PURE: [&str; 4] = [
    "crates/waypost-text/src/",
    "crates/waypost-core/src/",
    "crates/waypost-learning/src/",
    "crates/waypost/src/",
];

/// What the library may not touch, and what to use instead.
const FORBIDDEN: &[(&[&str], &str)] = &[
    (&["std", "fs"], "files come as values, from the crate that reads them"),
    (&["std", "net"], "sockets belong to the backends"),
    (&["std", "env"], "the environment is read by the program"),
    (&["std", "process"], "processes belong to the backends"),
    (&["std", "thread", "sleep"], "waits belong to `Clock`"),
    (&["time", "Instant"], "durations are measured by `Clock`"),
    (&["time", "SystemTime"], "the instant comes with the request"),
    (&["Zoned", "now"], "the instant comes with the request"),
    (&["Timestamp", "now"], "the instant comes with the request"),
    (&["TimeZone", "system"], "the zone comes with the request or the pack"),
    (&["tokio", "fs"], "files come as values, from the crate that reads them"),
    (&["tokio", "net"], "sockets belong to the backends"),
    (&["tokio", "process"], "processes belong to the backends"),
    (&["tokio", "time"], "waits belong to `Clock`"),
    (&["reqwest"], "sockets belong to the backends"),
    (&["sqlx"], "stores belong to the backends"),
    (&["rmcp"], "tool servers belong to the backends"),
];

/// The library opens no socket and no file and reads neither clock nor environment.
pub(crate) fn purity(tree: &Tree) -> Vec<Fault> {
    let tests = test_files(tree);
    let mut faults = Vec::new();
    let pure = |name: &str| PURE.iter().any(|folder| name.starts_with(folder));
    for (name, text) in tree.ending(".rs").filter(|(name, _)| pure(name)) {
        if tests.contains(name) {
            continue;
        }
        for path in paths(&shipped(text)) {
            for (forbidden, instead) in FORBIDDEN {
                if path.parts.windows(forbidden.len()).any(|window| window == *forbidden) {
                    let message = format!("`{}` in the library: {instead}", forbidden.join("::"));
                    faults.push(Fault::new(name, path.line, message));
                }
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

/// Where `word` is used as `is` says, outside the files that may.
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

    fn lines(faults: &[Fault]) -> Vec<usize> {
        faults.iter().map(|fault| fault.line).collect()
    }

    #[test]
    fn the_library_is_kept_pure_and_its_tests_are_not() {
        let text = "use std::{fs, fmt};\nlet a = jiff::Zoned::now();\nlet b = Moment::Instant(c);\n\
                    // std::net\nlet d = env!(\"X\");\nuse tokio::sync::mpsc;\n\
                    #[cfg(test)]\nmod tests { use std::net; }\n";
        let tree = Tree::of(&[("crates/waypost/src/a.rs", text), ("crates/other/src/a.rs", text)]);
        assert_eq!(lines(&purity(&tree)), [1, 2]);
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

//! Finds documents that nobody looks up, and routes that look up nothing.

use super::{Finding, Level, Linted};

pub(super) fn check(linted: &Linted<'_>) -> Vec<Finding> {
    let pack = linted.pack;
    let retrieves = || pack.spec.routes.iter().any(|route| route.retrieval);
    let mut findings = Vec::new();
    if !pack.documents.is_empty() && !retrieves() {
        let message =
            format!("the pack has {} documents, and no route looks any up", pack.documents.len());
        let why = "nothing of them ever reaches an answer";
        findings.push(
            linted
                .at(Level::Error, "documents", "/routes", message)
                .because(why, "set `retrieval: true` on the route that answers from them"),
        );
    }
    for (index, route) in pack.spec.routes.iter().enumerate() {
        if route.retrieval && pack.documents.is_empty() {
            let message =
                format!("the route `{}` looks up documents, and there are none", route.name);
            let why = "its answers come from a model alone, or not at all";
            let at = format!("/routes/{index}/retrieval");
            findings.push(
                linted
                    .at(Level::Warning, "documents", &at, message)
                    .because(why, "add `docs/NAME.LANGUAGE.md`, or leave `retrieval` out"),
            );
        }
    }
    for (index, language) in pack.languages.iter().enumerate() {
        let close = |other: waypost_text::language::Language| {
            other == *language || other.is_chinese() && language.is_chinese()
        };
        let has = pack.documents.iter().any(|document| close(document.language));
        if retrieves() && !pack.documents.is_empty() && !has {
            let message = format!("no document is in `{}`, a language of the pack", language.tag());
            let why = "the words of a question are then looked up in another language";
            let at = format!("/languages/{index}");
            findings.push(
                linted
                    .at(Level::Warning, "documents", &at, message)
                    .because(why, format!("add `docs/NAME.{}.md`", language.tag())),
            );
        }
    }
    findings
}

//! The numbers of what a pack holds, said in the same words wherever they are said.

use std::collections::BTreeSet;

use waypost::learning::{Labelled, OUT_OF_SCOPE};
use waypost::pack::Pack;

/// The numbers that a student is trained from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Routes; what is out of scope is none.
    pub(crate) routes: usize,
    /// Tools.
    pub(crate) tools: usize,
    /// Examples, repeated ones among them.
    pub(crate) examples: usize,
}

impl Counts {
    /// Those of a pack.
    pub(crate) fn of_pack(pack: &Pack) -> Self {
        let (routes, tools) = (pack.spec.routes.len(), pack.spec.tools.len());
        Self { routes, tools, examples: pack.examples.len() }
    }

    /// Those of plain labeled texts.
    pub(crate) fn of_examples(examples: &[Labelled]) -> Self {
        let routes = examples.iter().map(|example| example.route.as_str());
        let routes: BTreeSet<&str> = routes.filter(|route| *route != OUT_OF_SCOPE).collect();
        Self { routes: routes.len(), tools: 0, examples: examples.len() }
    }

    /// The numbers in words.
    pub(crate) fn line(&self) -> String {
        let Self { routes, tools, examples } = self;
        format!("{routes} routes, {tools} tools, {examples} examples")
    }
}

//! Adds the tools that provide what those of a proposal need, and orders all. Source: S3-33.

use super::cascade::Proposal;
use crate::decide::slots::DraftCall;
use crate::pack::{Pack, Tool};
use crate::understand::Turn;

/// The proposal with the calls of the tools that provide what its calls need, each before the first that needs it.
///
/// A result of an earlier turn provides nothing: it may be of another time or another thing. What is settled before
/// any word is read stays as it is.
pub(super) fn complete(turn: &Turn<'_>, proposal: &mut Proposal) {
    if turn.is_settled() {
        return;
    }
    let mut at = 0;
    // Every round adds a tool that its section did not have, so there are no more rounds than tools for each section.
    while let Some(call) = proposal.calls.get(at) {
        at += 1;
        let Some(tool) = turn.pack.tool(&call.tool) else { continue };
        for need in &tool.spec.needs {
            let needing = &proposal.calls[at - 1];
            let mut beside = proposal.calls.iter().filter(|other| other.section == needing.section);
            let provided = beside.any(|other| provides(turn.pack, &other.tool, need));
            let mut tools = turn.pack.tools.iter();
            let provider = tools.find(|tool| tool.spec.provides.contains(need));
            let Some(provider) = provider.filter(|_| !provided) else { continue };
            proposal.rationale +=
                &format!("; {} needs the {need} of {}", tool.spec.name, provider.spec.name);
            // What is settled of a call is settled of what it needs: the words of a yes name no channel.
            let mut given = needing.given.clone();
            given.retain(|name, _| provider.arguments().any(|own| own == name));
            proposal.calls.push(DraftCall {
                tool: provider.spec.name.clone(),
                given,
                clause: needing.clause,
                section: needing.section.clone(),
                told: needing.told.clone(),
                memory: needing.memory.clone(),
                consumed: needing.consumed.clone(),
                exact: true,
                ..DraftCall::default()
            });
        }
    }
    let ranks = ranks(turn.pack, &proposal.calls);
    let mut ranked: Vec<(usize, DraftCall)> =
        ranks.into_iter().zip(std::mem::take(&mut proposal.calls)).collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    proposal.calls = ranked.into_iter().map(|(_, call)| call).collect();
}

/// Returns whether the result of a tool gives something.
pub(super) fn provides(pack: &Pack, tool: &str, need: &str) -> bool {
    pack.tool(tool).is_some_and(|tool| tool.spec.provides.iter().any(|own| own == need))
}

/// The number of calls in a row that must come before each one: 0 for one that needs nothing of the others.
fn ranks(pack: &Pack, calls: &[DraftCall]) -> Vec<usize> {
    let tools: Vec<&str> = calls.iter().map(|call| call.tool.as_str()).collect();
    levels(pack, &tools)
}

/// The things that a tool takes of others where they are called: those that it needs, that fill its arguments, and that it comes
/// after.
pub(crate) fn wants(tool: &Tool) -> impl Iterator<Item = &String> {
    let filled = tool.provided().iter().flat_map(|(_, from)| from);
    tool.spec.needs.iter().chain(&tool.spec.after).chain(filled)
}

/// The level of each of some tools: 0 where it needs nothing that another of them provides, else one more than the highest that
/// provides it. Tools that need each other in a circle end on the last level that they reach.
pub(crate) fn levels(pack: &Pack, tools: &[&str]) -> Vec<usize> {
    let mut levels = vec![0; tools.len()];
    for _ in 0..tools.len() {
        let before = levels.clone();
        for (at, tool) in tools.iter().enumerate() {
            let wants = pack.tool(tool).into_iter().flat_map(wants);
            let own = wants.flat_map(|need| {
                let others = tools.iter().zip(&before);
                others.filter(|(other, _)| *other != tool && provides(pack, other, need))
            });
            levels[at] = own.map(|(_, level)| level + 1).max().unwrap_or(0);
        }
        if levels == before {
            break;
        }
    }
    levels
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::pack::Files;

    /// A pack whose tools need each other in a row, and two that need each other in a circle.
    pub(in crate::decide) fn pack() -> Pack {
        let head = "name: p\nsummary: A test.\nformat: 1\nlanguages: [en]\ntz: UTC\nfallback: tool\nplans: {}\n\
                    servers: [{ name: s, command: [s] }]\n\
                    routes: [{ name: tool, handler: tool, summary: It. }]\ntools:\n";
        let tool = |(name, needs, provides): (&str, &str, &str)| {
            format!(
                "  - {{ name: {name}, server: s, access: read, summary: It., needs: [{needs}], \
                 provides: [{provides}], schema: {{ type: object, additionalProperties: false }} }}\n"
            )
        };
        let tools = [
            ("find", "", "place"),
            ("get", "place", "data"),
            ("draw", "data", "picture"),
            ("hen", "egg", "chicken"),
            ("egg", "chicken", "egg"),
        ];
        let yaml = format!("{head}{}", tools.map(tool).concat());
        let examples = "{\"text\": \"draw it\", \"lang\": \"en\", \"route\": \"tool\", \"tools\": [\"draw\"]}\n";
        let files = [("pack.yaml", yaml), ("examples.jsonl", examples.to_owned())];
        let files = files.map(|(name, text)| (name.to_owned(), text));
        Pack::load(&Files::from(files)).unwrap()
    }

    #[test]
    fn s3_33_levels_follow_what_tools_need_and_a_circle_ends() {
        let pack = pack();
        for (tools, wanted) in [
            (&["draw", "find", "get"][..], &[2, 0, 1][..]),
            (&["draw", "find"], &[0, 0]),
            (&["find", "find", "get"], &[0, 0, 1]),
            (&[], &[]),
        ] {
            assert_eq!(levels(&pack, tools), wanted, "{tools:?}");
        }
        assert_eq!(levels(&pack, &["hen", "egg"]).len(), 2);
    }

    #[test]
    fn s3_33_what_is_needed_comes_along_and_what_that_needs_too() {
        let pack = pack();
        for (own, wanted) in [
            ("draw", &["find", "get", "draw"][..]),
            ("get", &["find", "get"]),
            ("find", &["find"]),
            // A circle adds each of its tools once.
            ("hen", &["hen", "egg"]),
        ] {
            let mut tools: Vec<String> = with_providers(&pack, own);
            tools.sort();
            let mut wanted = wanted.to_vec();
            wanted.sort_unstable();
            assert_eq!(tools, wanted, "{own}");
        }
    }

    fn with_providers(pack: &Pack, own: &str) -> Vec<String> {
        let request = waypost_core::records::request::Request {
            now: Some("2026-03-12T09:00:00Z".to_owned()),
            ..waypost_core::records::request::Request::new("it")
        };
        let turn = crate::understand::ingest(pack, &request, request.context.clone()).unwrap();
        let layer = waypost_core::records::decision::LayerName::Linear;
        let aim = crate::decide::cascade::Aim::Route("tool".to_owned());
        let mut proposal = Proposal::sure(layer, aim, "");
        proposal.calls.push(DraftCall { tool: own.to_owned(), ..DraftCall::default() });
        complete(&turn, &mut proposal);
        proposal.calls.into_iter().map(|call| call.tool).collect()
    }
}

//! The questions about a tool's arguments: what a model proposed, what could not be read, and what is
//! missing.

pub(crate) mod question;
pub(super) mod unknown;
mod unread;
pub(in crate::decide::slots) mod unsaid;

use serde_json::{Map, Value as Json};
use waypost_core::records::decision::Call;
use waypost_text::text::Span;

use super::matchers::llm;
use super::{DraftCall, Filled, Gap, bind};
use crate::pack::Tool;
use crate::understand::Turn;

/// Adds the questions that are left when the matchers are done, and opens the arguments that they are about.
pub(in crate::decide::slots) fn add(
    turn: &Turn<'_>,
    draft: &DraftCall,
    tool: &Tool,
    filled: &mut Filled,
    used: &[Span],
    unusable: &[bind::Bound],
) {
    let proposed = llm::proposals(turn, draft, tool, &filled.calls);
    proposed.keys().for_each(|name| reopen(&mut filled.calls, name));
    let unread = unread::ask(turn, draft, tool, &filled.calls, used);
    let unread = unread.or_else(|| unknown::ask(turn, draft, tool, &filled.calls, used));
    if let Some(gap) = unread {
        let alike = alike(tool, &gap.argument);
        alike.iter().for_each(|name| reopen(&mut filled.calls, name));
        filled.gaps.retain(|gap| !alike.contains(&gap.argument.as_str()));
        filled.gaps.push(gap);
    }
    let mut missing = missing(turn, tool, &filled.calls, unusable, &proposed);
    // What is asked about with its choices is not asked for once more.
    missing.retain(|gap| {
        let mut known = filled.gaps.iter();
        known.all(|known| !alike(tool, &known.argument).contains(&gap.argument.as_str()))
    });
    filled.gaps.extend(missing);
}

fn missing(
    turn: &Turn<'_>,
    tool: &Tool,
    calls: &[Call],
    unusable: &[bind::Bound],
    proposed: &Map<String, Json>,
) -> Vec<Gap> {
    let has = |name: &str| calls.iter().any(|call| call.arguments.contains_key(name));
    let mut gaps: Vec<Gap> = llm::confirmation(turn, tool, proposed).into_iter().collect();
    for name in tool.arguments().filter(|name| tool.requires(name)) {
        if has(name) || proposed.contains_key(name) {
            continue;
        }
        let gap = question::open(turn, tool, name, unusable);
        // Longitude and latitude are one question.
        if !gaps.iter().any(|known| known.sentence == gap.sentence) {
            gaps.push(gap);
        }
    }
    let call = calls.first().map(|call| &call.arguments);
    let either = call.map(|given| either(turn, tool, given, proposed)).unwrap_or_default();
    gaps.extend(either);
    gaps
}

/// The questions for what a schema requires in alternatives, or under a condition: of a list of sets of arguments, one set.
pub(in crate::decide) fn either(
    turn: &Turn<'_>,
    tool: &Tool,
    given: &Map<String, Json>,
    proposed: &Map<String, Json>,
) -> Vec<Gap> {
    let is_asked = |name: &String| tool.requires(name) || proposed.contains_key(name);
    let mut wanted = tool.wants(given);
    wanted.retain(|sets| !sets.iter().any(|set| set.iter().all(is_asked)));
    wanted.iter().map(|sets| question::either(turn, tool, sets)).collect()
}

/// The arguments that are parts of one value with this one, itself among them: a longitude and a latitude,
/// a start and an end.
fn alike<'a>(tool: &'a Tool, name: &'a str) -> Vec<&'a str> {
    let kind = |name: &str| {
        let note = tool.annotation(name).filter(|note| note.part.is_some());
        note.and_then(|note| note.kind)
    };
    let own = kind(name);
    let parts =
        tool.arguments().filter(|other| *other != name && own.is_some() && kind(other) == own);
    std::iter::once(name).chain(parts).collect()
}

/// Opens an argument that was filled: it is asked about, and no call has it meanwhile.
pub(in crate::decide::slots) fn reopen(calls: &mut [Call], name: &str) {
    for call in calls {
        call.arguments.shift_remove(name);
        call.evidence.remove(name);
    }
}

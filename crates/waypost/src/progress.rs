//! Where things stand: what of the workflow is done, and what is known of the step under way.

use crate::arguments::question;
use crate::messages::{Messages, Sentence};
use crate::pack::localized;
use crate::turn::Turn;

/// A word on where things stand, in the user's language.
pub(crate) fn status(turn: &Turn<'_>, messages: &Messages) -> String {
    let say = |name, hole, items: Vec<String>| {
        let sentence = Sentence::new(name).with(hole, items.join(", "));
        (!items.is_empty()).then(|| messages.say(turn.language, &sentence))
    };
    let (done, open): (Vec<_>, Vec<_>) =
        turn.pack.spec.gates.iter().partition(|gate| turn.flag(&gate.flag));
    let labels = |gates: Vec<&crate::pack::spec::GateSpec>| -> Vec<String> {
        let label = |gate: &&crate::pack::spec::GateSpec| {
            let own = localized(&gate.label, turn.language);
            own.map_or_else(|| gate.flag.replace('_', " "), str::to_owned)
        };
        gates.iter().map(label).collect()
    };
    let sentences = [
        say("status_done", "flags", labels(done)),
        say("status_open", "flags", labels(open)),
        say("status_known", "values", known(turn)),
    ];
    let said: Vec<String> = sentences.into_iter().flatten().collect();
    if said.is_empty() {
        return messages.say(turn.language, &Sentence::new("status_none"));
    }
    said.join(" ")
}

/// What is known of the call under way: "facility level: Primary".
fn known(turn: &Turn<'_>) -> Vec<String> {
    let Some(tool) = turn.active_tool() else { return Vec::new() };
    let known = turn.context.active_arguments.iter().map(|(name, value)| {
        let label = question::label(turn, tool, name);
        let value = value.as_str().map_or_else(
            || value.to_string(),
            |word| turn.pack.value_label(tool, name, word, turn.language),
        );
        format!("{label}: {value}")
    });
    known.collect()
}

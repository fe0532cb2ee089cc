//! Reports the state of the workflow: its flags, and the known arguments of the step under way.

use crate::pack::messages::{Messages, Sentence};
use crate::pack::spec::GateSpec;
use crate::understand::Turn;

/// Says the state of the workflow in the user's language.
pub(crate) fn status(turn: &Turn<'_>, messages: &Messages) -> String {
    let say = |name, hole, items: Vec<String>| {
        let sentence = Sentence::new(name).with(hole, items.join(", "));
        (!items.is_empty()).then(|| messages.say(turn.said.language, &sentence))
    };
    let (done, open): (Vec<_>, Vec<_>) =
        turn.pack.spec.gates.iter().partition(|gate| turn.flag(&gate.flag));
    let labels = |gates: Vec<&GateSpec>| -> Vec<String> {
        gates.iter().map(|gate| turn.pack.flag_label(&gate.flag, turn.said.language)).collect()
    };
    let sentences = [
        say("status_done", "flags", labels(done)),
        say("status_open", "flags", labels(open)),
        say("status_known", "values", known(turn)),
    ];
    let said: Vec<String> = sentences.into_iter().flatten().collect();
    if said.is_empty() {
        return messages.say(turn.said.language, &Sentence::new("status_none"));
    }
    said.join(" ")
}

/// Lists the known arguments of the call under way: "facility level: Primary".
fn known(turn: &Turn<'_>) -> Vec<String> {
    let Some(tool) = turn.active_tool() else { return Vec::new() };
    let known = turn.context.active_arguments.iter().map(|(name, value)| {
        let label = turn.pack.argument_label(tool, name, turn.said.language);
        let value = turn.pack.value_label(tool, name, value, turn.said.language);
        format!("{label}: {value}")
    });
    known.collect()
}

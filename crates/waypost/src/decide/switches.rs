//! The switches that the commands of a text set, and the words for them.

use std::collections::BTreeMap;

use waypost_core::records::request::shorten;

use crate::pack::Tool;
use crate::pack::messages::{Messages, Sentence};
use crate::understand::commands::usage;
use crate::understand::{EarlierRun, Turn};

/// The longest part of an earlier request that is repeated, in characters.
pub(crate) const TEXT_CHARACTERS: usize = 80;

/// The switches that a turn sets for those after it; `chat` is the tool that is talked to, or `off`.
pub(super) fn of(turn: &Turn<'_>) -> BTreeMap<String, String> {
    let mut switches = turn.said.commands.switches();
    // Approval of what changes something is no word of a chat to give up.
    switches.retain(|name, value| !(name == "approval" && value == "off"));
    for (name, value) in &turn.said.commands.known {
        match (*name, value) {
            ("chat", Some(name)) if chats(turn, name).is_some() => {
                switches.insert("chat".to_owned(), name.clone());
            }
            ("exit", _) => {
                switches.insert("chat".to_owned(), "off".to_owned());
            }
            _ => {}
        }
    }
    switches
}

/// The tool that a user may talk to alone, by its name.
fn chats<'a>(turn: &'a Turn<'_>, name: &str) -> Option<&'a Tool> {
    turn.pack.tool(name).filter(|tool| tool.spec.direct_chat)
}

/// Says what the commands of a text did, a line each.
pub(super) fn told(turn: &Turn<'_>, messages: &Messages) -> String {
    let say = |sentence: &Sentence| messages.say(turn.said.language, sentence);
    let mut lines: Vec<String> = turn
        .said
        .commands
        .known
        .iter()
        .map(|(name, value)| say(&line(turn, name, value.as_deref())))
        .collect();
    lines.extend(
        turn.said
            .commands
            .options
            .keys()
            .map(|name| say(&Sentence::new("command_option").with("command", format!("/{name}")))),
    );
    lines.extend(turn.said.commands.faulty.iter().map(|command| {
        let all: Vec<String> = usage().collect();
        let sentence = Sentence::new("command_unread").with("command", command.clone());
        say(&sentence.with("commands", all.join(" ")))
    }));
    lines.join("\n")
}

/// The sentence for a command.
fn line(turn: &Turn<'_>, name: &str, value: Option<&str>) -> Sentence {
    let all = || {
        let chats = turn.pack.tools.iter().filter(|tool| tool.spec.direct_chat);
        chats.map(|tool| tool.spec.name.as_str()).collect::<Vec<_>>().join(", ")
    };
    match (name, value) {
        ("approval", Some("off")) => Sentence::new("approval_stays"),
        ("chat", Some(tool)) if chats(turn, tool).is_some() => {
            Sentence::new("chat_with").with("tool", tool)
        }
        ("chat", Some(tool)) => {
            Sentence::new("chat_without").with("tool", tool).with("tools", all())
        }
        ("chat", None) => Sentence::new("chat_list").with("tools", all()),
        ("exit", _) => match turn.direct_chat() {
            Some(tool) => Sentence::new("chat_left").with("tool", tool.spec.name.clone()),
            None => Sentence::new("chat_none"),
        },
        ("resume" | "abandon", _) => match &turn.run {
            Some(EarlierRun::Abandoned(run)) => Sentence::new("run_abandoned")
                .with("text", shorten(&run.request.text, TEXT_CHARACTERS)),
            _ => Sentence::new("run_none"),
        },
        ("help", _) => {
            Sentence::new("commands").with("commands", usage().collect::<Vec<_>>().join(" "))
        }
        (_, Some(value)) => Sentence::new("switched").with("name", name).with("value", value),
        (_, None) => {
            let now = turn.context.switches.iter().map(|(name, value)| format!("/{name}:{value}"));
            let now = now.collect::<Vec<_>>().join(" ");
            Sentence::new("switches")
                .with("switches", if now.is_empty() { "-".to_owned() } else { now })
        }
    }
}

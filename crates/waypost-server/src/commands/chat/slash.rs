//! The commands that can be typed beside questions: one table, from which help, completion and
//! reading follow.

use waypost::Error;
use waypost::pack::did_you_mean;
use waypost::records::request::shorten;

/// The longest part of a typed text that a fault repeats, in characters.
const SHOWN: usize = 40;

/// A command that begins with a slash.
#[derive(Debug)]
pub(super) struct Slash {
    pub(super) name: &'static str,
    /// The values that may stand behind a colon.
    pub(super) values: &'static [&'static str],
    pub(super) help: &'static str,
    does: Action,
}

/// The action of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    Help,
    Choices,
    /// Sends these words as a turn; the engine knows what they mean.
    Say(&'static str),
    Why,
    /// Says of the last decision that it was right, or was not.
    Judge(bool),
    Flags,
    Debug,
    Tools,
    New,
    Exit,
}

/// The command that takes the name of a route behind it, and no question.
pub(super) const WRONG: &str = "/wrong";

/// Every command, in the order in which help shows them.
pub(super) const COMMANDS: &[Slash] = &[
    plain("/help", "what can be typed here", Action::Help),
    plain("/choices", "show the open question and its choices again", Action::Choices),
    plain("/back", "go back a step: the same as saying `back`", Action::Say("back")),
    plain("/skip", "leave the question out: the same as `skip`", Action::Say("skip")),
    plain("/cancel", "give up what was begun: the same as `cancel`", Action::Say("cancel")),
    plain("/status", "how far we are: the same as `status`", Action::Say("status")),
    plain("/why", "what lies behind the last answer, in full", Action::Why),
    plain("/right", "the last decision was right", Action::Judge(true)),
    plain(WRONG, "it was wrong; /wrong ROUTE says which it would have been", Action::Judge(false)),
    plain("/flags", "what this conversation remembers", Action::Flags),
    Slash {
        name: "/debug",
        values: &["on", "off"],
        help: "show what lies behind every answer; /debug:on, /debug:off",
        does: Action::Debug,
    },
    plain("/tools", "what can be called", Action::Tools),
    plain("/new", "forget this conversation and start over", Action::New),
    plain("/exit", "leave; so does Ctrl-D", Action::Exit),
];

const fn plain(name: &'static str, help: &'static str, does: Action) -> Slash {
    Slash { name, values: &[], help, does }
}

/// Returns whether a line that begins with a slash is a command or was meant for one, and not a path: `/srv/notes.md`.
pub(super) fn is_command(line: &str) -> bool {
    let name = line.split([' ', '\t', ':']).next().unwrap_or_default();
    name.strip_prefix('/').is_some_and(|name| !name.contains(['/', '.', '\\', '~']))
}

/// Reads a command as it was typed: what it does, and the value behind its colon.
pub(super) fn read(typed: &str) -> Result<(Action, Option<&str>), Error> {
    let (name, value) = match typed.split_once(':') {
        Some((name, value)) => (name, Some(value)),
        None => (typed, None),
    };
    let Some(slash) = COMMANDS.iter().find(|slash| slash.name == name) else {
        let known = COMMANDS.iter().map(|slash| slash.name);
        let error = Error::invalid(format!("there is no command `{}`", shorten(name, SHOWN)));
        return Err(error.with_hint(format!("{} /help lists them", did_you_mean(name, known))));
    };
    if value.is_some_and(|value| !slash.values.contains(&value)) {
        let message = format!("`{}` is not what `{name}` takes", shorten(typed, SHOWN));
        return Err(Error::invalid(message).with_hint("see /help"));
    }
    Ok((slash.does, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_read_with_its_value() {
        assert_eq!(read("/debug").unwrap(), (Action::Debug, None));
        assert_eq!(read("/debug:off").unwrap(), (Action::Debug, Some("off")));
        assert_eq!(read("/back").unwrap(), (Action::Say("back"), None));
        for (line, wanted) in [
            ("/help", true),
            ("/hepl", true),
            ("/debug:on what is it", true),
            ("/debug:on.", true),
            ("/", true),
            ("/srv/me/files", false),
            ("/notes.md and more", false),
            ("notes", false),
        ] {
            assert_eq!(is_command(line), wanted, "{line}");
        }
        for wrong in ["/debug:", "/debug:maybe", "/help:on", "/", "/Help", "/helpme"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}

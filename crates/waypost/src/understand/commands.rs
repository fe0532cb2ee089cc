//! Commands at the start of a text: `/caps:off /verbose show me the current`. What follows them is the request.
//!
//! Only a pack that reads commands has any, and only at the start: a command in the middle of a text may be a quotation. A command
//! switches something of the conversation, or is an option of this turn alone. None of them opens a gate. Source: S3-10, S3-20.

use std::collections::BTreeMap;

/// The most commands of a text; what follows them is words.
const MOST: usize = 20;
/// The longest name or value of a command, in bytes.
const LONGEST: usize = 64;

/// The effect of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Switches something of the conversation to one of these values; the first is what a bare command means.
    Switch(&'static [&'static str]),
    /// Enters or lists capabilities to talk to alone.
    Chat,
    /// Leaves that again.
    Exit,
    /// Goes on with work that was cut short, or gives it up; a value is its id.
    Run,
    /// Tells something.
    Tell,
}

/// The commands, each with its other names.
const COMMANDS: [(&str, &[&str], Effect); 13] = [
    ("task", &[], Effect::Switch(&["on", "off"])),
    ("caps", &["capabilities"], Effect::Switch(&["on", "off"])),
    ("planning", &[], Effect::Switch(&["on", "off"])),
    ("approval", &[], Effect::Switch(&["on", "off", "selective"])),
    ("chat", &[], Effect::Chat),
    ("exit", &["quit", "bye", "q"], Effect::Exit),
    ("resume", &[], Effect::Run),
    ("abandon", &[], Effect::Run),
    ("help", &["h", "?"], Effect::Tell),
    ("clear", &["cls", "c"], Effect::Tell),
    ("config", &[], Effect::Tell),
    ("status", &[], Effect::Tell),
    ("logs", &[], Effect::Tell),
];

/// The commands of a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Commands {
    /// Those that Waypost knows, in their order, by their first names; a switch has its value.
    pub known: Vec<(&'static str, Option<String>)>,
    /// All others: options of this turn alone. One without a value is `true`.
    pub options: BTreeMap<String, String>,
    /// Known ones with a value that they do not take.
    pub faulty: Vec<String>,
}

impl Commands {
    /// Returns whether the text has any.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty() && self.options.is_empty() && self.faulty.is_empty()
    }

    /// The value of a command, where the text has it: none for one that stands alone.
    pub(crate) fn value_of(&self, name: &str) -> Option<Option<&str>> {
        let mut own = self.known.iter().rev().filter(|(known, _)| *known == name);
        own.next().map(|(_, value)| value.as_deref())
    }

    /// The switches that it sets, the last one of a name.
    pub(crate) fn switches(&self) -> BTreeMap<String, String> {
        let switches = self.known.iter().filter_map(|(name, value)| {
            let value = value.clone()?;
            matches!(effect(name), Some(Effect::Switch(_))).then(|| ((*name).to_owned(), value))
        });
        switches.collect()
    }
}

/// The effect of a known command.
pub(crate) fn effect(name: &str) -> Option<Effect> {
    COMMANDS.iter().find(|(known, ..)| *known == name).map(|(.., effect)| *effect)
}

/// The names of the commands, with what each takes.
pub(crate) fn usage() -> impl Iterator<Item = String> {
    COMMANDS.iter().map(|(name, _, effect)| match effect {
        Effect::Switch(values) => format!("/{name}:{}", values.join("|")),
        Effect::Chat => format!("/{name}:NAME"),
        Effect::Exit | Effect::Run | Effect::Tell => format!("/{name}"),
    })
}

/// Reads the commands at the start of a text, and returns them with the number of bytes that they take.
pub(crate) fn read(text: &str) -> (Commands, usize) {
    let mut commands = Commands::default();
    let mut end = 0;
    for _ in 0..MOST {
        let rest = &text[end..];
        let blank = rest.len() - rest.trim_start().len();
        let Some(word) = rest[blank..].split_whitespace().next() else { break };
        let Some((name, value)) = parts(word) else { break };
        end += blank + word.len();
        commands.take(name, value);
    }
    // Blanks behind the last one belong to nothing.
    (commands, end)
}

/// The name and the value of a word that is a command: `/caps:off`.
fn parts(word: &str) -> Option<(&str, Option<&str>)> {
    let body = word.strip_prefix('/').or_else(|| word.strip_prefix('／'))?;
    let (name, value) = match body.split_once([':', '：']) {
        Some((name, value)) => (name, Some(value)),
        None => (body, None),
    };
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '?');
    let fits = !name.is_empty() && name.len() <= LONGEST && name.chars().all(is_name);
    let valued = value.is_none_or(|value| !value.is_empty() && value.len() <= LONGEST);
    (fits && valued).then_some((name, value))
}

impl Commands {
    fn take(&mut self, name: &str, value: Option<&str>) {
        let lower = name.to_lowercase();
        let is_named = |(known, others, _): &&(&str, &[&str], Effect)| {
            *known == lower || others.contains(&lower.as_str())
        };
        let Some((known, _, effect)) = COMMANDS.iter().find(is_named) else {
            self.options.insert(name.to_owned(), value.unwrap_or("true").to_owned());
            return;
        };
        match (effect, value) {
            (Effect::Switch(values), value) => {
                let said = value.map_or(values[0].to_owned(), |value| switched(value).to_owned());
                match values.contains(&said.as_str()) {
                    true => self.known.push((known, Some(said))),
                    false => self.faulty.push(format!("/{known}:{said}")),
                }
            }
            (Effect::Chat | Effect::Run, value) => {
                self.known.push((known, value.map(str::to_owned)));
            }
            (Effect::Exit | Effect::Tell, None) => self.known.push((known, None)),
            (Effect::Exit | Effect::Tell, Some(value)) => {
                self.faulty.push(format!("/{known}:{value}"));
            }
        }
    }
}

/// A value of a switch by its usual name.
fn switched(value: &str) -> String {
    match value.to_lowercase().as_str() {
        "on" | "enabled" | "true" => "on".to_owned(),
        "off" | "disabled" | "false" => "off".to_owned(),
        other => other.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_stand_at_the_start_and_the_rest_is_the_request() {
        for (text, known, options, rest) in [
            (
                "/task:off /caps:off What's the current beam status?",
                vec![("task", Some("off")), ("caps", Some("off"))],
                vec![],
                "What's the current beam status?",
            ),
            ("/verbose", vec![], vec![("verbose", "true")], ""),
            (
                "/beam:diagnostic /verbose /format:json",
                vec![],
                vec![("beam", "diagnostic"), ("format", "json"), ("verbose", "true")],
                "",
            ),
            (
                "/help /custom:value test message",
                vec![("help", None)],
                vec![("custom", "value")],
                "test message",
            ),
            ("／planning：enabled 讀電流", vec![("planning", Some("on"))], vec![], "讀電流"),
            ("/capabilities:false", vec![("caps", Some("off"))], vec![], ""),
            ("/approval:selective", vec![("approval", Some("selective"))], vec![], ""),
            ("what is /caps:off for", vec![], vec![], "what is /caps:off for"),
            ("/usr/bin/python is missing", vec![], vec![], "/usr/bin/python is missing"),
            ("5 / 3", vec![], vec![], "5 / 3"),
        ] {
            let (commands, end) = read(text);
            let known: Vec<_> =
                known.into_iter().map(|(name, value)| (name, value.map(str::to_owned))).collect();
            assert_eq!(commands.known, known, "{text}");
            let options: BTreeMap<String, String> =
                options.into_iter().map(|(a, b)| (a.to_owned(), b.to_owned())).collect();
            assert_eq!(commands.options, options, "{text}");
            assert_eq!(text[end..].trim(), rest, "{text}");
            assert!(commands.faulty.is_empty(), "{text}");
        }
        assert_eq!(read("/planning:maybe").0.faulty, ["/planning:maybe"]);
        assert_eq!(read(&"/a ".repeat(100)).1, 3 * MOST - 1, "bounded");
    }
}

//! The script of a server: what it does, request by request.

use std::collections::VecDeque;
use std::fmt::Display;
use std::time::Duration;

use serde_json::Value;

use crate::server::Scripted;

/// Something that goes wrong.
#[derive(Debug, Clone, PartialEq)]
pub enum Fault {
    /// Nothing listens at the address. It is a script of its own.
    Refuse,
    /// The step after this one comes late.
    Delay(Duration),
    /// The connection ends in the middle of a reply.
    DropMidBody,
    /// These words of a reply come, and then the connection ends.
    BreaksOff(String),
    /// The reply ends with these words at the limit of its length.
    Length(String),
    /// An HTTP status other than 200, such as 429 or 500.
    Status(u16),
    /// The same with a body of the server's own, such as `{"error": "model not found"}`.
    StatusWith(u16, String),
    /// The model stops in the middle of its JSON: the reply says so with `finish_reason: length`.
    TruncatedJson,
    /// The model chats around the JSON that it was asked for.
    ProseAroundJson(String),
    /// The server answers with an HTML page.
    NotJson,
    /// The server sends words for as long as somebody listens.
    Endless,
    /// All words of the stream come, and then the connection stays open and silent.
    NeverDone(String),
}

/// The answer to one request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Answer {
    /// A whole reply with these words.
    Reply(String),
    /// A reply that is cut off at the limit of tokens.
    Truncated(String),
    /// A status and a body.
    Status(u16, String),
    /// The beginning of a reply.
    Dropped(String),
    /// A reply without end.
    Endless,
    /// A stream that has all its words, and no end.
    NeverDone(String),
}

/// The step of one request: its answer, and how late it comes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Step {
    pub(crate) delay: Duration,
    pub(crate) answer: Answer,
}

/// The replies and faults of a server, in order.
#[derive(Debug, Default)]
pub struct Script {
    pub(crate) steps: VecDeque<Step>,
    pub(crate) refuses: bool,
    pub(crate) answers: Option<fn(&Value) -> String>,
    delay: Duration,
}

impl Script {
    /// An empty script: the server must not be asked at all.
    pub fn new() -> Self {
        Self::default()
    }

    /// Replies with these words; they may be JSON.
    #[must_use]
    pub fn reply(self, words: impl Display) -> Self {
        self.step(Answer::Reply(format!("{words}")))
    }

    /// Replies to every request behind the script with what this says to its body.
    #[must_use]
    pub fn answering(self, answers: fn(&Value) -> String) -> Self {
        Self { answers: Some(answers), ..self }
    }

    /// Adds a fault.
    #[must_use]
    pub fn fault(mut self, fault: Fault) -> Self {
        match fault {
            Fault::Refuse => self.refuses = true,
            Fault::Delay(delay) => self.delay = delay,
            Fault::Endless => return self.step(Answer::Endless),
            Fault::NeverDone(words) => return self.step(Answer::NeverDone(words)),
            Fault::DropMidBody => return self.step(Answer::Dropped("half of".to_owned())),
            Fault::BreaksOff(words) => return self.step(Answer::Dropped(words)),
            Fault::Length(words) => return self.step(Answer::Truncated(words)),
            Fault::Status(status) => return self.fault(Fault::StatusWith(status, String::new())),
            Fault::StatusWith(status, body) => return self.step(Answer::Status(status, body)),
            Fault::TruncatedJson => {
                return self.step(Answer::Truncated(r#"{"route":"pla"#.to_owned()));
            }
            Fault::ProseAroundJson(json) => {
                return self
                    .reply(format!("Sure! Here it is:\n```json\n{json}\n```\nAnything else?"));
            }
            Fault::NotJson => {
                return self.step(Answer::Status(200, "<html>welcome</html>".to_owned()));
            }
        }
        self
    }

    /// Starts the server on a free port.
    ///
    /// # Panics
    ///
    /// If [`Fault::Refuse`] is not the whole script, or this machine has no free port.
    pub fn start(self) -> Scripted {
        assert!(!self.refuses || self.steps.is_empty(), "`Fault::Refuse` is a script of its own");
        Scripted::start(self)
    }

    fn step(mut self, answer: Answer) -> Self {
        let delay = std::mem::take(&mut self.delay);
        self.steps.push_back(Step { delay, answer });
        self
    }
}

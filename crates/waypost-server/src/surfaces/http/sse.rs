//! An answer as it comes, as server-sent events: the phases in the shape of S2-24, then the words,
//! the choices and the answer.

use std::collections::VecDeque;

use axum::response::sse::Event;
use futures_util::stream::{Stream, unfold};
use serde_json::{Value as Json, json};
use tokio::sync::mpsc::Receiver;
use waypost::Result;
use waypost::records::answer::{Answer, Part, Phase};
use waypost::records::decision::Decision;

use super::Begun;
use super::problem::Problem;

/// Writes a turn as the events of a protocol.
pub(super) trait Writer: Send + 'static {
    /// The events with which a stream begins.
    fn begin(&mut self) -> Vec<Event>;
    /// The events of a part of the work; none, for what the protocol has no word for.
    fn part(&mut self, part: Part) -> Vec<Event>;
    /// The last events of a stream.
    fn end(&mut self, answer: Result<Answer>) -> Vec<Event>;
}

/// The state of a stream: the parts that are still to come.
struct Streamed<W> {
    pieces: Receiver<Part>,
    turn: Option<Begun<Answer>>,
    writer: W,
    waiting: VecDeque<Event>,
    /// True once a client that fell silent was sent a comment.
    tried: bool,
}

/// The events of a turn, as `writer` has them.
pub(super) fn events<W: Writer>(
    turn: Begun<Answer>,
    pieces: Receiver<Part>,
    mut writer: W,
) -> impl Stream<Item = std::result::Result<Event, std::convert::Infallible>> + Send {
    let waiting = writer.begin().into();
    let streamed = Streamed { pieces, turn: Some(turn), writer, waiting, tried: false };
    unfold(streamed, |mut streamed| async {
        let event = streamed.next().await?;
        Some((Ok(event), streamed))
    })
}

impl<W: Writer> Streamed<W> {
    async fn next(&mut self) -> Option<Event> {
        if let Some(event) = self.waiting.pop_front() {
            return Some(event);
        }
        let Self { pieces, turn, writer, waiting, tried } = self;
        let client = &turn.as_ref()?.client;
        loop {
            tokio::select! {
                biased;
                part = pieces.recv() => {
                    let Some(part) = part else { break };
                    waiting.extend(writer.part(part));
                    if let Some(event) = waiting.pop_front() {
                        return Some(event);
                    }
                }
                () = client.silent(), if !*tried => {
                    *tried = true;
                    // A comment, which a client that is gone refuses.
                    return Some(Event::default().comment(""));
                }
            }
        }
        let answer = self.turn.take()?.end().await;
        self.waiting.extend(self.writer.end(answer));
        self.waiting.pop_front()
    }
}

/// An event of Waypost's own stream: its name, and what it carries.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Frame {
    pub(super) name: &'static str,
    pub(super) data: Json,
}

/// Waypost's own stream; `problem` tells a client why a turn failed.
pub(super) struct Own<F> {
    problem: F,
    sent: u64,
}

impl<F> Own<F> {
    pub(super) fn new(problem: F) -> Self {
        Self { problem, sent: 0 }
    }

    /// Every event has its number twice: as its id, for clients that come back, and in its data.
    fn event(&mut self, frame: &Frame) -> Event {
        self.sent += 1;
        let data = json!({ "type": frame.name, "seq": self.sent, "data": frame.data });
        Event::default().event(frame.name).id(self.sent.to_string()).data(data.to_string())
    }
}

impl<F: Fn(&waypost::Error) -> Problem + Send + 'static> Writer for Own<F> {
    fn begin(&mut self) -> Vec<Event> {
        vec![self.event(&begun())]
    }

    fn part(&mut self, part: Part) -> Vec<Event> {
        frame(part).map(|frame| self.event(&frame)).into_iter().collect()
    }

    fn end(&mut self, answer: Result<Answer>) -> Vec<Event> {
        last(answer, &self.problem).iter().map(|frame| self.event(frame)).collect()
    }
}

/// A sentence between the words before it and those that follow.
pub(super) fn apart(sentence: &str) -> String {
    format!("\n\n{sentence}\n\n")
}

/// A phase of routing. Source: S2-24.
fn reasoning(phase: &str, action: &str, content: &str, metadata: Json) -> Frame {
    let mut data = json!({ "phase": phase, "action": action, "content": content });
    if !metadata.is_null() {
        data["metadata"] = metadata;
    }
    Frame { name: "reasoning", data }
}

pub(super) fn begun() -> Frame {
    reasoning("tool_routing", "start", "Deciding", Json::Null)
}

fn decided(decision: &Decision) -> Frame {
    let tools = &decision.selected;
    let content = match tools.len() {
        0 => format!("Selected the route {}", decision.route),
        1 => format!("Selected 1 tool: {}", tools[0]),
        count => format!("Selected {count} tools: {}", tools.join(", ")),
    };
    let metadata = json!({
        "selected_tools": tools,
        "complexity": decision.complexity,
        "strategy": decision.strategy,
        "decision": decision.decision,
        "route": decision.route,
        "layer": decision.layer,
        "confidence": decision.confidence,
        "bundle": decision.bundle,
        "id": decision.id,
    });
    reasoning("tool_routing", "decision", &content, metadata)
}

/// Returns a part of the work as an event; none where nothing was looked up.
pub(super) fn frame(part: Part) -> Option<Frame> {
    let (name, data) = match part {
        Part::Decided(decision) => return Some(decided(&decision)),
        Part::Prepared { passages: 0 } => return None,
        Part::Prepared { passages } => {
            let content = match passages {
                1 => "Found 1 passage".to_owned(),
                count => format!("Found {count} passages"),
            };
            let metadata = json!({ "passages": passages });
            return Some(reasoning("preparation", "done", &content, metadata));
        }
        Part::Phase(Phase { phase, action, content }) => {
            return Some(reasoning(phase, action, &content, Json::Null));
        }
        Part::ToolStarted { tool } => ("tool", json!({ "tool": tool, "status": "started" })),
        Part::ToolProgress { tool, progress } => {
            let mut data = json!({ "tool": tool, "status": "progress", "done": progress.done });
            if let Some(total) = progress.total {
                data["total"] = json!(total);
            }
            if !progress.message.is_empty() {
                data["message"] = json!(progress.message);
            }
            ("tool", data)
        }
        Part::ToolDone { tool, code: None } => {
            ("tool", json!({ "tool": tool, "status": "success" }))
        }
        Part::ToolDone { tool, code: Some(code) } => {
            ("tool", json!({ "tool": tool, "status": "error", "code": code }))
        }
        Part::Token(text) => ("token", json!({ "text": text })),
        // Clients join the words; the event `answer` has those that count.
        Part::Withdrawn(sentence) => ("token", json!({ "text": apart(&sentence) })),
    };
    Some(Frame { name, data })
}

/// Returns the last events of a stream: `done` says that nothing was cut off.
pub(super) fn last(
    answer: Result<Answer>,
    problem: impl Fn(&waypost::Error) -> Problem,
) -> Vec<Frame> {
    let mut frames = Vec::new();
    match answer {
        Ok(answer) => {
            if !answer.choices.is_empty() {
                frames.push(Frame { name: "choices", data: json!({ "choices": answer.choices }) });
            }
            frames.push(Frame { name: "answer", data: json!(answer) });
        }
        Err(error) => frames.push(Frame { name: "error", data: problem(&error).record() }),
    }
    frames.push(Frame { name: "done", data: json!({}) });
    frames
}

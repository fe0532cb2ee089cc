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

/// An event: its name, and what it carries.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Frame {
    name: &'static str,
    data: Json,
}

/// The state of a stream: the parts that are still to come.
struct Streamed<F> {
    pieces: Receiver<Part>,
    turn: Option<Begun<Answer>>,
    problem: F,
    waiting: VecDeque<Frame>,
    sent: u64,
    /// True once a client that fell silent was sent a comment.
    tried: bool,
}

/// The next of a stream.
enum Next {
    Frame(Frame),
    /// A comment, which a client that is gone refuses.
    Comment,
}

/// The events of a turn; `problem` tells a client why it failed.
pub(super) fn events<F>(
    turn: Begun<Answer>,
    pieces: Receiver<Part>,
    problem: F,
) -> impl Stream<Item = std::result::Result<Event, std::convert::Infallible>> + Send
where
    F: Fn(&waypost::Error) -> Problem + Send + 'static,
{
    let waiting = VecDeque::from([begun()]);
    let streamed = Streamed { pieces, turn: Some(turn), problem, waiting, sent: 0, tried: false };
    unfold(streamed, |mut streamed| async {
        let event = match streamed.next().await? {
            Next::Frame(frame) => {
                streamed.sent += 1;
                event(&frame, streamed.sent)
            }
            Next::Comment => Event::default().comment(""),
        };
        Some((Ok(event), streamed))
    })
}

impl<F: Fn(&waypost::Error) -> Problem> Streamed<F> {
    async fn next(&mut self) -> Option<Next> {
        if let Some(frame) = self.waiting.pop_front() {
            return Some(Next::Frame(frame));
        }
        let Self { pieces, turn, tried, .. } = self;
        let client = &turn.as_ref()?.client;
        loop {
            tokio::select! {
                biased;
                part = pieces.recv() => {
                    let Some(part) = part else { break };
                    if let Some(frame) = frame(part) {
                        return Some(Next::Frame(frame));
                    }
                }
                () = client.silent(), if !*tried => {
                    *tried = true;
                    return Some(Next::Comment);
                }
            }
        }
        let answer = self.turn.take()?.end().await;
        self.waiting.extend(last(answer, &self.problem));
        self.waiting.pop_front().map(Next::Frame)
    }
}

/// Every event has its number twice: as its id, for clients that come back, and in its data.
fn event(frame: &Frame, number: u64) -> Event {
    let data = json!({ "type": frame.name, "seq": number, "data": frame.data });
    Event::default().event(frame.name).id(number.to_string()).data(data.to_string())
}

/// A phase of routing. Source: S2-24.
fn reasoning(phase: &str, action: &str, content: &str, metadata: Json) -> Frame {
    let mut data = json!({ "phase": phase, "action": action, "content": content });
    if !metadata.is_null() {
        data["metadata"] = metadata;
    }
    Frame { name: "reasoning", data }
}

fn begun() -> Frame {
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
fn frame(part: Part) -> Option<Frame> {
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
    };
    Some(Frame { name, data })
}

/// Returns the last events of a stream: `done` says that nothing was cut off.
fn last(answer: Result<Answer>, problem: impl Fn(&waypost::Error) -> Problem) -> Vec<Frame> {
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

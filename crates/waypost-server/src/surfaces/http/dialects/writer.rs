//! Writes a turn as the stream of a protocol: its words as they come, and at the end what was not said yet.

use axum::response::sse::Event;
use waypost::Result;
use waypost::records::answer::{Answer, Part};

use super::super::problem::Problem;
use super::super::sse;
use super::{Dialect, Head, Said};

pub(super) struct Writer<F> {
    dialect: &'static dyn Dialect,
    head: Head,
    /// The words that were sent.
    sent: String,
    /// Takes the whole answer, once it is there.
    ended: Option<F>,
}

impl<F: FnOnce(&Head, &Said) + Send + 'static> Writer<F> {
    pub(super) fn new(dialect: &'static dyn Dialect, head: Head, ended: F) -> Self {
        Self { dialect, head, sent: String::new(), ended: Some(ended) }
    }
}

impl<F: FnOnce(&Head, &Said) + Send + 'static> sse::Writer for Writer<F> {
    fn begin(&mut self) -> Vec<Event> {
        self.dialect.begin(&self.head)
    }

    fn part(&mut self, part: Part) -> Vec<Event> {
        let Part::Token(words) = part else { return Vec::new() };
        self.sent.push_str(&words);
        self.dialect.words(&self.head, &words)
    }

    fn end(&mut self, answer: Result<Answer>) -> Vec<Event> {
        let mut said = match answer {
            Ok(answer) => Said::of(answer),
            Err(error) => return self.dialect.broken(&Problem::from(&error)),
        };
        let mut events = Vec::new();
        let rest = match said.content.strip_prefix(self.sent.as_str()) {
            Some(rest) => rest.to_owned(),
            // What was taken back while it was being said, such as words of a model that broke off.
            None => format!("\n\n{}", said.content),
        };
        if !rest.is_empty() {
            events.extend(self.dialect.words(&self.head, &rest));
        }
        // What the client has, which it sends back with its next request.
        said.content = std::mem::take(&mut self.sent) + &rest;
        events.extend(self.dialect.end(&self.head, &said));
        if let Some(ended) = self.ended.take() {
            ended(&self.head, &said);
        }
        events
    }
}

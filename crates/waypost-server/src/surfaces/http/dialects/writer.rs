//! Writes a turn as the stream of a protocol: its words as they come, and at the end what was not said yet.

use axum::response::sse::Event;
use serde_json::json;
use waypost::records::answer::{Answer, Part};
use waypost::{Error, Result};

use super::super::problem::Problem;
use super::super::sse;
use super::{Dialect, Head, Piece, Said};

pub(super) struct Writer<F, P> {
    dialect: &'static dyn Dialect,
    head: Head,
    /// The words that were sent and taken back, with the sentence that says so.
    withdrawn: String,
    /// The words that were sent since.
    sent: String,
    /// The number of the next event.
    number: u64,
    /// Takes the whole answer, once it is there.
    ended: Option<F>,
    /// Says why a turn failed.
    problem: P,
}

impl<F, P> Writer<F, P> {
    pub(super) fn new(dialect: &'static dyn Dialect, head: Head, ended: F, problem: P) -> Self {
        Self {
            dialect,
            head,
            withdrawn: String::new(),
            sent: String::new(),
            number: 0,
            ended: Some(ended),
            problem,
        }
    }

    /// Pieces as events, numbered where the protocol wants that.
    fn events(&mut self, pieces: Vec<Piece>) -> Vec<Event> {
        let field = self.dialect.number();
        let numbered = pieces.into_iter().map(|mut piece| {
            if let (Some(field), Piece::Named(_, data) | Piece::Plain(data)) = (field, &mut piece) {
                data[field] = json!(self.number);
                self.number += 1;
            }
            piece.event()
        });
        numbered.collect()
    }
}

impl<F, P> sse::Writer for Writer<F, P>
where
    F: FnOnce(&Head, &Said) + Send + 'static,
    P: Fn(&Error) -> Problem + Send + 'static,
{
    fn begin(&mut self) -> Vec<Event> {
        let pieces = self.dialect.begin(&self.head);
        self.events(pieces)
    }

    fn part(&mut self, part: Part) -> Vec<Event> {
        let words = match part {
            Part::Token(words) => {
                self.sent.push_str(&words);
                words
            }
            Part::Withdrawn(sentence) => {
                let words = sse::apart(&sentence);
                self.withdrawn += &(std::mem::take(&mut self.sent) + &words);
                words
            }
            _ => return Vec::new(),
        };
        let pieces = self.dialect.words(&self.head, &words);
        self.events(pieces)
    }

    fn end(&mut self, answer: Result<Answer>) -> Vec<Event> {
        let mut said = match answer {
            Ok(answer) => Said::of(answer),
            Err(error) => {
                let pieces = self.dialect.broken(&(self.problem)(&error));
                return self.events(pieces);
            }
        };
        let mut pieces = Vec::new();
        let rest = match said.content.strip_prefix(self.sent.as_str()) {
            Some(rest) => rest.to_owned(),
            // What was said so far is not the answer, such as where the turn took too long.
            None => format!("\n\n{}", said.content),
        };
        if !rest.is_empty() {
            pieces.extend(self.dialect.words(&self.head, &rest));
        }
        // The client has this, and sends it back with its next request.
        said.content = std::mem::take(&mut self.withdrawn) + &self.sent + &rest;
        pieces.extend(self.dialect.end(&self.head, &said));
        if let Some(ended) = self.ended.take() {
            ended(&self.head, &said);
        }
        self.events(pieces)
    }
}

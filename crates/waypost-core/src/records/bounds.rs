//! The bounds of a request in bytes and counts: the one check that stands before every surface.
//!
//! The text has its own, [`MAX_TEXT_BYTES`], and is refused where it is read. What is checked here is
//! copied into sessions, events and prompts, so a field without a bound would cost its size many times.

use std::io::{self, Write};

use serde::Serialize;

use super::request::{Context, MAX_TEXT_BYTES, Request};
use crate::error::{Error, Result};

/// The longest name, in bytes: of a conversation, a zone, a language, a route, a tool or a decision.
pub const MAX_NAME_BYTES: usize = 256;
/// The largest choice, in bytes of JSON: a call whose arguments hold the longest text.
pub const MAX_CHOICE_BYTES: usize = MAX_TEXT_BYTES + 16 * 1024;
/// The largest declared call, in bytes of JSON: that of a choice, which approves it later.
pub const MAX_CALL_BYTES: usize = MAX_CHOICE_BYTES - 1024;
/// The largest context, in bytes of JSON: several times the longest text, for code and earlier calls.
pub const MAX_CONTEXT_BYTES: usize = 4 * MAX_TEXT_BYTES;
/// The most entries of each list of a context: nobody reads more options or remembers more calls. The
/// history has the bound of the whole: callers send all they have, and the latest lines are read.
pub const MAX_ITEMS: usize = 256;

/// A field of a request that is beyond its bound.
#[derive(Debug, Clone, PartialEq)]
pub struct Excess {
    /// Its place, as a JSON pointer.
    pub pointer: &'static str,
    /// The error that says so.
    pub error: Error,
}

impl Request {
    /// Returns the first field that is beyond its bound.
    pub fn excess(&self) -> Option<Excess> {
        let names = [
            ("/pack", &self.pack),
            ("/session", &self.session),
            ("/user", &self.user),
            ("/now", &self.now),
            ("/tz", &self.tz),
            ("/language", &self.language),
            ("/route", &self.route),
            ("/resume", &self.resume),
        ];
        let names = names.into_iter().filter_map(|(at, name)| Some((at, name.as_deref()?)));
        let mut names = names.chain(self.call.iter().map(|call| ("/call/tool", &*call.tool)));
        let name = names.find_map(|(pointer, given)| {
            let field = pointer.trim_start_matches('/').replace('/', ".");
            let error = name(&field, given).err()?;
            Some(Excess { pointer, error })
        });
        name.or_else(|| {
            let choice = self.choice.as_ref()?;
            too_large(
                "/choice",
                choice,
                MAX_CHOICE_BYTES,
                "send the value of a choice as it was given",
            )
        })
        .or_else(|| {
            let call = self.call.as_ref()?;
            too_large("/call", call, MAX_CALL_BYTES, "give long material as a file")
        })
        .or_else(|| too_many(&self.context))
        .or_else(|| {
            too_large("/context", &self.context, MAX_CONTEXT_BYTES, "send less of the conversation")
        })
    }

    /// Checks that every field is within its bound; the text is checked where it is read.
    ///
    /// # Errors
    ///
    /// `INVALID_ARGUMENT` for the first field that is not.
    pub fn check(&self) -> Result<()> {
        self.excess().map_or(Ok(()), |excess| Err(excess.error))
    }
}

/// Checks a name: at most [`MAX_NAME_BYTES`]; `what` says of what it is one.
///
/// # Errors
///
/// `INVALID_ARGUMENT` if it is longer.
pub fn name(what: &str, given: &str) -> Result<()> {
    if given.len() <= MAX_NAME_BYTES {
        return Ok(());
    }
    let message = format!("`{what}` has more than {MAX_NAME_BYTES} bytes, the limit");
    Err(Error::invalid(message).with_hint("give a shorter name"))
}

/// Returns the first list of a context that has too many entries.
fn too_many(context: &Context) -> Option<Excess> {
    let counts = [
        ("/context/flags", context.flags.len()),
        ("/context/active_arguments", context.active_arguments.len()),
        ("/context/waiting", context.waiting.len()),
        ("/context/options", context.options.len()),
        ("/context/last_calls", context.last_calls.len()),
        ("/context/hints", context.hints.len()),
        ("/context/access", context.access.len()),
    ];
    let (pointer, _) = counts.into_iter().find(|(_, count)| *count > MAX_ITEMS)?;
    let field = pointer.trim_start_matches('/').replace('/', ".");
    let message = format!("`{field}` has more than {MAX_ITEMS} entries, the limit");
    Some(Excess { pointer, error: Error::invalid(message).with_hint("send only the latest") })
}

fn too_large(
    pointer: &'static str,
    value: &impl Serialize,
    limit: usize,
    hint: &str,
) -> Option<Excess> {
    if fits(value, limit) {
        return None;
    }
    let field = pointer.trim_start_matches('/');
    let message = format!("`{field}` has more than {limit} bytes, the limit");
    Some(Excess { pointer, error: Error::invalid(message).with_hint(hint) })
}

/// Returns whether a value takes at most `limit` bytes of JSON; a larger one is not written out.
pub fn fits(value: &impl Serialize, limit: usize) -> bool {
    serde_json::to_writer(Room { left: limit }, value).is_ok()
}

/// A writer that keeps nothing, and fails where more is written than there is room for.
struct Room {
    left: usize,
}

impl Write for Room {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.left.checked_sub(bytes.len()) {
            Some(left) => self.left = left,
            None => return Err(io::ErrorKind::FileTooLarge.into()),
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::records::request::{Choice, DeclaredCall};

    fn refused(request: &Request) -> Option<&'static str> {
        request.excess().map(|excess| excess.pointer)
    }

    #[test]
    fn every_field_has_a_bound_and_what_fills_it_is_taken() {
        let long = |bytes: usize| Some("x".repeat(bytes));
        let text = |bytes: usize| Some(Value::String("x".repeat(bytes - 2)));
        let options = |count: usize| {
            let option = Choice { label: "a".to_owned(), value: Value::Null };
            Context { options: vec![option; count], ..Context::default() }
        };
        let extra = |bytes: usize| Context { extra: long(bytes), ..Context::default() };
        let call = |name: usize, bytes: usize| DeclaredCall {
            tool: "x".repeat(name),
            arguments: [("a".to_owned(), Value::String("x".repeat(bytes)))].into_iter().collect(),
            approved: false,
        };
        let request = Request::default;
        for (pointer, over, within) in [
            (
                "/session",
                Request { session: long(MAX_NAME_BYTES + 1), ..request() },
                Request { session: long(MAX_NAME_BYTES), ..request() },
            ),
            (
                "/tz",
                Request { tz: long(MAX_NAME_BYTES + 1), ..request() },
                Request { tz: long(MAX_NAME_BYTES), ..request() },
            ),
            (
                "/choice",
                Request { choice: text(MAX_CHOICE_BYTES + 1), ..request() },
                Request { choice: text(MAX_CHOICE_BYTES), ..request() },
            ),
            (
                "/call/tool",
                Request { call: Some(call(MAX_NAME_BYTES + 1, 1)), ..request() },
                Request { call: Some(call(MAX_NAME_BYTES, 1)), ..request() },
            ),
            (
                "/call",
                Request { call: Some(call(1, MAX_CALL_BYTES)), ..request() },
                Request { call: Some(call(1, MAX_CALL_BYTES - 64)), ..request() },
            ),
            (
                "/context/options",
                Request { context: options(MAX_ITEMS + 1), ..request() },
                Request { context: options(MAX_ITEMS), ..request() },
            ),
            (
                "/context",
                Request { context: extra(MAX_CONTEXT_BYTES), ..request() },
                Request { context: extra(MAX_CONTEXT_BYTES - 1024), ..request() },
            ),
        ] {
            assert_eq!((refused(&over), refused(&within)), (Some(pointer), None));
        }
    }

    #[test]
    fn many_small_values_count_as_the_bytes_they_take() {
        let choice = Some(json!(vec![0; MAX_CHOICE_BYTES]));
        let error = Request { choice, ..Request::default() }.check().unwrap_err();
        assert_eq!(error.message(), "`choice` has more than 81920 bytes, the limit");
    }
}

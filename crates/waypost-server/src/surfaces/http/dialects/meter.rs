//! Counts the tokens of an answer that is passed back, against the quota of its caller. A server reports them in the `usage` of
//! its protocol; of one that does not they are estimated by bytes.

use std::sync::Arc;
use std::time::Instant;

use serde_json::{Value, json};
use waypost::{Code, Error};

use super::super::problem::Problem;
use crate::keys::{Quota, Quotas};
use crate::surfaces::caller::Caller;

/// The fields in which a request bounds its answer in tokens.
const BOUNDS: [&str; 3] = ["max_tokens", "max_completion_tokens", "max_output_tokens"];
/// The fields that want several answers at once.
const CHOICES: [&str; 2] = ["n", "best_of"];
/// The tokens that an answer is taken to have until it has come, where its request does not bound it.
const PRESUMED: u64 = 4_096;
/// The bytes of a token, where nobody counts.
const BYTES: u64 = 4;
/// The fields of a `usage`: all tokens, those that were read in each protocol, and those that were written.
const REPORTED: [&str; 7] = [
    "total_tokens",
    "prompt_tokens",
    "input_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "completion_tokens",
    "output_tokens",
];
/// The bytes at the end of a piece that are read again with the next: more than a field and its number have.
const TAIL: usize = 96;
/// The most digits of a number of tokens.
const DIGITS: usize = 12;

/// The tokens of a request that is passed on. If it is dropped before its answer came, it has cost what was taken for it.
#[derive(Debug)]
pub(super) struct Meter {
    quota: Option<Quota>,
    /// Bytes that were sent and that came back.
    sent: u64,
    came: u64,
    ended: bool,
    report: Report,
}

impl Meter {
    /// Takes the tokens that a request may cost, and lowers what it lets its answer have to those that are left. `None` where
    /// nothing bounds the caller.
    ///
    /// # Errors
    ///
    /// 429 if none are left.
    pub(super) fn begin(
        quotas: &Arc<Quotas>,
        caller: &Caller,
        body: &mut Value,
    ) -> Result<Option<Self>, Problem> {
        let Some(key) = caller.key().filter(|key| key.tokens_per_day.is_some()) else {
            return Ok(None);
        };
        let sent = body.to_string().len() as u64;
        let choices = CHOICES.iter().filter_map(|field| body[*field].as_f64()).fold(1.0, f64::max);
        let bounds = BOUNDS.iter().filter_map(|field| body[*field].as_f64());
        let answer = bounds.filter(|most| *most > 0.0).fold(None, |most: Option<f64>, bound| {
            Some(most.map_or(bound, |most| most.max(bound)))
        });
        let answer = (answer.unwrap_or(PRESUMED as f64) * choices) as u64;
        let wanted = sent.div_ceil(BYTES).saturating_add(answer);
        let taken = quotas.take(key, wanted, Instant::now()).map_err(|wait| {
            let error = Error::new(
                Code::ResourceExhausted,
                "this key has spent its tokens of models",
            )
            .with_hint(
                "ask again after the time that `Retry-After` says, or ask a pack: `waypost/PACK`",
            );
            Problem::from(&error).after(wait)
        })?;
        let Some(quota) = taken else { return Ok(None) };
        let each = ((quota.left as f64 / choices) as u64).max(1);
        for field in BOUNDS {
            // A number below 0 bounds nothing for some servers.
            if body[field].as_f64().is_some_and(|most| !(0.0..=each as f64).contains(&most)) {
                body[field] = json!(each);
            }
        }
        let report = Report::default();
        Ok(Some(Self { quota: Some(quota), sent, came: 0, ended: false, report }))
    }

    /// Gives back what was taken for a request that was not answered.
    pub(super) fn give_back(mut self) {
        if let Some(quota) = self.quota.take() {
            quota.settle(0);
        }
    }

    /// Reads a piece of the answer.
    pub(super) fn read(&mut self, piece: &[u8]) {
        self.came += piece.len() as u64;
        self.report.read(piece);
    }

    /// Notes that the answer came to its end.
    pub(super) fn ended(&mut self) {
        self.ended = true;
    }

    /// The tokens of the request and its answer.
    fn tokens(&self) -> u64 {
        let estimated = self.sent.div_ceil(BYTES) + self.came.div_ceil(BYTES);
        match (self.report.tokens(), self.ended) {
            (Some(reported), true) => reported,
            // A stream reports all that it wrote at its end, so that leaving before would cost less.
            (Some(reported), false) => reported.max(estimated),
            (None, _) => estimated,
        }
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        let tokens = self.tokens();
        let answered = self.ended || self.came > 0;
        if let Some(quota) = self.quota.take().filter(|_| answered) {
            quota.settle(tokens);
        }
    }
}

/// The greatest number of each field that was reported: a stream reports more and more of the same. Nothing is kept of the
/// answer but its last bytes.
#[derive(Debug, Default)]
struct Report {
    most: [u64; REPORTED.len()],
    tail: Vec<u8>,
}

impl Report {
    fn read(&mut self, piece: &[u8]) {
        self.tail.extend_from_slice(piece);
        // A quote within a text of JSON has a backslash before it, so that what a model writes is no field here.
        let mut parts = self.tail.split(|byte| *byte == b'"');
        // The first part is the end of something: of `cache_read_input_tokens`, for example.
        parts.next();
        let mut before: &[u8] = &[];
        for part in parts {
            let field = REPORTED.iter().position(|field| field.as_bytes() == before);
            if let (Some(field), Some(number)) = (field, number(part)) {
                self.most[field] = self.most[field].max(number);
            }
            before = part;
        }
        let read = self.tail.len().saturating_sub(TAIL);
        self.tail.drain(..read);
    }

    /// All tokens; `None` if nothing was reported.
    fn tokens(&self) -> Option<u64> {
        let [total, prompt, input, created, cached, completion, output] = self.most;
        // Anthropic's `input_tokens` are without those of its cache.
        let sum = prompt.max(input + created + cached) + completion.max(output);
        Some(total.max(sum)).filter(|tokens| *tokens > 0)
    }
}

/// The number after a field.
fn number(after: &[u8]) -> Option<u64> {
    let digits = after.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
    let digits = digits.iter().take(DIGITS).take_while(|byte| byte.is_ascii_digit());
    digits.fold(None, |number, digit| Some(number.unwrap_or(0) * 10 + u64::from(digit - b'0')))
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;

    use super::*;
    use crate::keys::{Key, Scope};
    use crate::surfaces::caller::tests::of_key;

    fn caller(most: u64) -> Caller {
        let key = of_key("00000001", &[Scope::Ask], &[], &[]).key().cloned().unwrap();
        Caller::with_key(Arc::new(Key { tokens_per_day: NonZeroU64::new(most), ..key }))
    }

    /// The tokens that are left.
    fn left(quotas: &Arc<Quotas>, caller: &Caller) -> u64 {
        let taken = quotas.take(caller.key().unwrap(), 0, Instant::now());
        taken.unwrap().map(|quota| quota.left).unwrap()
    }

    /// The tokens that an answer in pieces reports.
    fn reported(answer: &str, piece: usize) -> Option<u64> {
        let mut report = Report::default();
        answer.as_bytes().chunks(piece).for_each(|piece| report.read(piece));
        report.tokens()
    }

    #[test]
    fn the_tokens_that_a_server_reports_are_read_in_every_protocol_however_they_are_cut() {
        let chat = r#"{"choices":[],"usage":{"prompt_tokens": 12,"completion_tokens":30, "total_tokens" : 42, "prompt_tokens_details":{"cached_tokens":900}}}"#;
        let messages = "event: message_start\ndata: {\"message\":{\"usage\":{\"input_tokens\":7,\"cache_read_input_tokens\":100,\"output_tokens\":1}}}\n\nevent: message_delta\ndata: {\"usage\":{\"output_tokens\":25}}\n\n";
        let said = r#"{"content":"\"total_tokens\": 9999, total_tokens\":7","usage":null}"#;
        for (answer, tokens) in [(chat, Some(42)), (messages, Some(132)), (said, None)] {
            for piece in [1, 7, 64, answer.len()] {
                assert_eq!(reported(answer, piece), tokens, "{answer} in pieces of {piece}");
            }
        }
        assert_eq!(reported(&"x".repeat(100_000), 5_000), None);
    }

    #[test]
    fn a_request_lets_its_answer_have_what_is_left_and_no_more() {
        for (fields, lowered) in [
            (json!({ "max_tokens": 100_000 }), json!({ "max_tokens": 1000 })),
            (json!({ "max_completion_tokens": 1e9 }), json!({ "max_completion_tokens": 1000 })),
            (json!({ "max_output_tokens": -1 }), json!({ "max_output_tokens": 1000 })),
            (json!({ "max_tokens": 5000, "n": 4 }), json!({ "max_tokens": 250, "n": 4 })),
            (json!({ "max_tokens": 20 }), json!({ "max_tokens": 20 })),
            (json!({ "messages": [] }), json!({ "messages": [] })),
        ] {
            let mut body = fields.clone();
            let quotas = Arc::default();
            Meter::begin(&quotas, &caller(1000), &mut body).unwrap().unwrap().give_back();
            assert_eq!(body, lowered, "{fields}");
            assert_eq!(left(&quotas, &caller(1000)), 1000);
        }
        let mut body = json!({ "max_tokens": 100_000 });
        assert!(Meter::begin(&Arc::default(), &Caller::local(), &mut body).unwrap().is_none());
        assert_eq!(body["max_tokens"], 100_000, "nothing bounds it");
    }

    #[test]
    fn an_answer_costs_what_is_reported_and_without_a_report_a_quarter_of_its_bytes() {
        let body = json!({ "max_tokens": 500 });
        let sent = body.to_string().len().div_ceil(4) as u64;
        let after = |answer: &str, ended: bool| {
            let (quotas, caller) = (Arc::default(), caller(10_000));
            let mut meter = Meter::begin(&quotas, &caller, &mut body.clone()).unwrap().unwrap();
            assert_eq!(left(&quotas, &caller), 10_000 - sent - 500, "taken until it is known");
            if !answer.is_empty() {
                meter.read(answer.as_bytes());
            }
            if ended {
                meter.ended();
            }
            drop(meter);
            10_000 - left(&quotas, &caller)
        };
        let reports = "{\"usage\":{\"total_tokens\":42}}";
        assert_eq!(after(reports, true), 42);
        assert_eq!(after(&"x".repeat(401), true), sent + 101);
        assert_eq!(after("", false), sent + 500, "nobody waited for it");
        let left_early = format!("{{\"usage\":{{\"output_tokens\":1}}}}{}", "x".repeat(4000));
        assert!(after(&left_early, false) > 1000, "leaving before the end costs no less");
    }
}

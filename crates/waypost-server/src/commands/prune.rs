//! `waypost prune --check`: which tools that answers called the proxy would have left out of their requests.

use std::collections::HashSet;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, BufRead, BufReader};

use serde_json::{Map, Value as Json};
use waypost::Error;
use waypost::prune::{self, Called, Keep, Pruned};

use crate::cli::PruneArgs;
use crate::failure::Failure;
use crate::output;
use crate::surfaces::http::answered_chat;

const HINT: &str =
    "write the body of a request, or {\"request\": BODY, \"response\": ANSWER}, on one line";

/// The findings about a log.
#[derive(Debug, Default)]
struct Findings {
    /// The calls of tools that their conversations had not used before.
    calls: usize,
    missed: usize,
    /// The estimated tokens of the tools in the requests before these calls, and of those that would have been left.
    tokens: usize,
    tokens_kept: usize,
}

pub(super) fn run(args: &PruneArgs) -> Result<u8, Failure> {
    let path = args.check.display();
    let unreadable = |place: &str, error: &io::Error| {
        Failure::usage(Error::invalid(format!("cannot read `{path}{place}`: {error}")))
    };
    let file = File::open(&args.check).map_err(|error| unreadable("", &error))?;
    let default = Keep::default();
    let keep = Keep { least: args.keep.unwrap_or(default.least), ..default };
    let (mut findings, mut seen) = (Findings::default(), HashSet::new());
    for (index, line) in BufReader::new(file).lines().enumerate() {
        let number = index + 1;
        let line = line.map_err(|error| unreadable(&format!(":{number}"), &error))?;
        if line.trim().is_empty() {
            continue;
        }
        let logged: Map<String, Json> = serde_json::from_str(&line).map_err(|error| {
            let error = Error::invalid(format!("{path}:{number}: {}", super::unread(&error).0));
            Failure::usage(error.with_hint(HINT))
        })?;
        for Called { request, tools } in prune::called(&conversation(logged)) {
            let mut hasher = DefaultHasher::new();
            (request["messages"].to_string(), request["tools"].to_string(), &tools)
                .hash(&mut hasher);
            // Later requests of a conversation repeat its calls.
            if seen.insert(hasher.finish()) {
                findings.add(number, &tools, &prune::tools(&request, &keep))?;
            }
        }
    }
    if findings.calls == 0 {
        output::note("no answer in the log calls a tool that its request offers");
    }
    findings.show()?;
    Ok(u8::from(findings.missed > 0))
}

/// A line of the log as a chat request whose conversation ends with its answer.
fn conversation(mut logged: Map<String, Json>) -> Json {
    let answer = logged.remove("response").unwrap_or_default();
    let body = logged.remove("request").unwrap_or_else(|| Json::Object(logged));
    answered_chat(body, &answer)
}

impl Findings {
    /// Adds the calls after a request, and tells which of their tools it would have lacked.
    fn add(&mut self, line: usize, tools: &[String], pruned: &Pruned) -> Result<(), Failure> {
        self.calls += tools.len();
        self.tokens_kept += pruned.tokens_kept;
        self.tokens += pruned.tokens_kept + pruned.tokens_dropped;
        let left = pruned.request["tools"].as_array().map_or(0, Vec::len);
        let of = left + pruned.dropped.len();
        for tool in tools.iter().filter(|tool| pruned.dropped.contains(tool)) {
            self.missed += 1;
            output::line(format!(
                "line {line}: `{tool}` is not among the {left} of {of} tools left"
            ))?;
        }
        Ok(())
    }

    fn show(&self) -> Result<(), Failure> {
        let left = self.calls - self.missed;
        let share = |part: usize, of: usize| 100.0 * part as f64 / of.max(1) as f64;
        output::line(format!(
            "{left} of {} called tools left ({:.1}%), with {} of {} tokens ({:.1}%)",
            self.calls,
            share(left, self.calls),
            self.tokens_kept,
            self.tokens,
            share(self.tokens_kept, self.tokens),
        ))
    }
}

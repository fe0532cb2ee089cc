//! `waypost route`: decides only. With `--jsonl` one process decides thousands of requests.

use std::io::{BufRead, Read};

use serde_json::{Value as Json, json};
use tokio_util::sync::CancellationToken;
use waypost::ports::store::Store;
use waypost::records::decision::Decision;
use waypost::records::request::{Context, MAX_TEXT_BYTES, Request};
use waypost::records::session::Session;
use waypost::router::Router;
use waypost::{Error, Result as Outcome};

use crate::assemble::{self, AssemblyOptions};
use crate::cli::{RequestArgs, RouteArgs};
use crate::config::Config;
use crate::failure::{Failure, USAGE};
use crate::{output, sources};

/// The longest line that is read, in bytes: a text at its limit, escaped, with its context.
const MAX_LINE_BYTES: u64 = 8 * MAX_TEXT_BYTES as u64;

pub(super) async fn run(args: &RouteArgs, config: &Config) -> Result<u8, Failure> {
    let options =
        AssemblyOptions { bundle: args.request.student.file.clone(), ..AssemblyOptions::default() };
    let sourced = sources::load(&args.request.source, config, &options).await?;
    let options = AssemblyOptions { live: sourced.live, ..options };
    // A text that cannot be read is refused before anything is trained or kept.
    let text = (!args.jsonl).then(|| super::text(&args.text)).transpose()?;
    let router = assemble::router(sourced.pack, config, &options).await?;
    let cancel = CancellationToken::new();
    let Some(text) = text else {
        return lines(&router, &args.request, &cancel).await;
    };
    let mut request = super::request(&args.request, text);
    if let Some(name) = &args.session {
        request.context = remembered(name, &router.pack().spec.name, &request, config).await?;
        request.session = Some(name.clone());
    }
    let decision = router.route(&request, &cancel).await?;
    output::json_pretty(&decision)?;
    Ok(0)
}

/// What a conversation remembers, laid under the context of a request; nothing is written back.
async fn remembered(
    name: &str,
    pack: &str,
    request: &Request,
    config: &Config,
) -> Result<Context, Failure> {
    let session = match assemble::kept(config).await? {
        Some(store) => store.session(name).await?.for_turn(pack, None),
        None => Session::default(),
    };
    Ok(session.context(&request.context, request.trusted))
}

/// Prints one record a line, in order. A line that cannot be read gives an error record in its
/// place and the status of a wrong use in the end; the others are decided all the same.
async fn lines(
    router: &Router,
    args: &RequestArgs,
    cancel: &CancellationToken,
) -> Result<u8, Failure> {
    let mut input = std::io::stdin().lock();
    let mut status = 0;
    let mut number = 0u64;
    loop {
        let mut line = Vec::new();
        number += 1;
        if input.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line)? == 0 {
            return Ok(status);
        }
        if line.len() as u64 == MAX_LINE_BYTES && !line.ends_with(b"\n") {
            input.skip_until(b'\n')?;
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        match decide(router, args, &line, cancel).await {
            Ok(record) => output::json_line(&record)?,
            Err(error) => {
                status = USAGE;
                output::json_line(&error_record(number, &error))?;
            }
        }
    }
}

async fn decide(
    router: &Router,
    args: &RequestArgs,
    line: &[u8],
    cancel: &CancellationToken,
) -> Outcome<Decision> {
    let text = std::str::from_utf8(line).map_err(|error| {
        Error::invalid(format!("byte {} of the line is not UTF-8", error.valid_up_to()))
    })?;
    let mut request: Request = super::record(text, "a request record")?;
    let given = super::request(args, String::new());
    request.now = request.now.or(given.now);
    request.tz = request.tz.or(given.tz);
    request.language = request.language.or(given.language);
    request.route = request.route.or(given.route);
    for (flag, value) in given.context.flags {
        request.context.flags.entry(flag).or_insert(value);
    }
    router.route(&request, cancel).await
}

fn error_record(line: u64, error: &Error) -> Json {
    json!({
        "error": { "code": error.code(), "message": error.message(), "hint": error.hint() },
        "line": line,
    })
}

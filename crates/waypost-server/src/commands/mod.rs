//! One file a command: what it reads, what it does, what it prints.

mod accept;
mod ask;
mod chat;
mod comparison;
mod demo;
mod doctor;
#[cfg_attr(not(feature = "encoder"), path = "encoder/without.rs")]
mod encoder;
mod eval;
mod events;
mod feedback;
mod forget;
mod init;
mod keys;
mod lint;
mod mcp;
mod parse;
mod pictures;
mod plan;
mod promote;
mod prune;
mod reads;
mod reference;
mod replay;
#[cfg_attr(not(unix), path = "resident/without.rs")]
mod resident;
mod rollback;
mod route;
mod runs;
mod schema;
mod serve;
mod students;
mod tools;
mod train;
mod why;

use std::fs;
use std::io::{IsTerminal, Read};
use std::path::Path;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json};
use tokio_util::sync::CancellationToken;
use waypost::Error;
use waypost::pack::{Pack, plain};
use waypost::ports::store::Store;
use waypost::records::request::{Context, MAX_TEXT_BYTES, Request};
use waypost::router::Router;
use waypost_backends::students::Unreadable;

use crate::assemble::{self, AssemblyOptions};
use crate::cli::{Cli, Command, RequestArgs};
use crate::config::Config;
use crate::failure::Failure;
use crate::learning::automatic;
use crate::learning::following::{self, Followed};
use crate::output;

/// Runs the command and returns its exit status.
pub(crate) async fn run(cli: Cli) -> Result<u8, Failure> {
    let names_servers = !cli.command.mcp().is_empty();
    let config = || configured(cli.config.as_deref(), names_servers);
    match cli.command {
        Command::Ask(args) => ask::run(args, cli.config.as_deref(), config).await,
        Command::Route(args) => route::run(&args, &config()?).await,
        Command::Plan(args) => plan::run(&args, &config()?).await,
        Command::Why(args) => why::run(&args, &config()?).await,
        Command::Parse(args) => parse::run(&args),
        Command::Chat(args) => chat::run(&args, &config()?).await,
        Command::Mcp(args) => mcp::run(&args, &config()?).await,
        Command::Serve(args) => serve::run(&args, cli.config.as_deref(), &config()?).await,
        Command::Tools(args) => tools::run(&args, &config()?).await,
        Command::Train(args) => train::run(&args, &config()?).await,
        Command::Students(args) => students::run(&args, &config()?).await,
        Command::Promote(args) => promote::run(&args, &config()?),
        Command::Rollback(args) => rollback::run(&args, &config()?),
        Command::Eval(args) => eval::run(&args, &config()?).await,
        Command::Lint(args) => lint::run(&args, &config()?).await,
        Command::Doctor(args) => doctor::run(&args, cli.config.clone(), config()).await,
        Command::Encoder(command) => encoder::run(&command, &config()?).await,
        Command::Events(args) => events::run(&args, &config()?).await,
        Command::Runs(args) => runs::run(&args, &config()?).await,
        Command::Replay(args) => replay::run(&args, &config()?).await,
        Command::Prune(args) => prune::run(&args),
        Command::Feedback(args) => feedback::run(&args, &config()?).await,
        Command::Forget(args) => forget::run(&args, &config()?).await,
        Command::Schema => schema::run(),
        Command::Reference(args) => reference::run(&args),
        Command::Demo(args) => demo::run(args).await,
        Command::KeepReady(args) => resident::run(&args).await,
        Command::Keys(args) => keys::run(&args, &config()?),
        Command::Init(args) => init::run(&args, cli.config.as_deref()).await,
    }
}

/// The configuration of a command.
fn configured(path: Option<&Path>, names_servers: bool) -> Result<Config, Failure> {
    let mut config = Config::load(path)?;
    // What was named on the command line is not what the configuration may replace.
    if names_servers {
        config.servers.clear();
    }
    Ok(config)
}

/// The instant of a request that names none.
fn now() -> String {
    jiff::Timestamp::now().to_string()
}

/// Says which versions cannot be read; the others are used.
fn tell_unreadable(versions: &[Unreadable]) {
    for Unreadable { error, .. } in versions {
        let hint = error.hint().map(|hint| format!(" (hint: {hint})")).unwrap_or_default();
        output::note(format!("{}{hint}", error.message()));
    }
}

/// A request from the command line, whose caller is trusted.
fn request(args: &RequestArgs, text: String) -> Request {
    let flags: Map<String, Json> =
        args.flags.iter().map(|flag| (flag.clone(), Json::Bool(true))).collect();
    Request {
        now: Some(args.now.clone().unwrap_or_else(now)),
        tz: args.tz.clone(),
        language: args.lang.clone(),
        route: args.route.clone(),
        trusted: true,
        context: Context { flags, ..Context::default() },
        ..Request::new(text)
    }
}

/// The text of a command: its words, or standard input.
fn text(words: &[String]) -> Result<String, Failure> {
    if !words.is_empty() {
        return Ok(words.join(" "));
    }
    if std::io::stdin().is_terminal() {
        let error = Error::invalid("there is no text").with_hint("write it behind the command");
        return Err(Failure::usage(error));
    }
    let mut bytes = Vec::new();
    // One byte more than is taken, so that a longer text is seen to be longer.
    std::io::stdin().lock().take(MAX_TEXT_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > MAX_TEXT_BYTES {
        let message = format!("the text is longer than {MAX_TEXT_BYTES} bytes, the limit");
        let hint = "ask a shorter question, or give long material as a file";
        return Err(Failure::usage(Error::invalid(message).with_hint(hint)));
    }
    String::from_utf8(bytes).map(|text| text.trim_end_matches(['\r', '\n']).to_owned()).map_err(
        |error| {
            let at = error.utf8_error().valid_up_to();
            let message = format!("standard input is not UTF-8: byte {at} is not a character");
            Failure::usage(Error::invalid(message).with_hint("convert it to UTF-8 first"))
        },
    )
}

/// A line of JSON lines as a record, which is an object: serde takes a list for one as well.
fn record<T: DeserializeOwned>(line: &str, what: &str) -> waypost::Result<T> {
    let unread = |error: serde_json::Error| {
        let (says, hint) = unread(&error);
        let hint = hint.unwrap_or_else(|| "write {\"text\": \"…\"} on one line".to_owned());
        Error::invalid(format!("the line is not {what}: {says}")).with_hint(hint)
    };
    let object: Map<String, Json> = serde_json::from_str(line).map_err(unread)?;
    serde_json::from_value(Json::Object(object)).map_err(unread)
}

/// The lines of a file, one JSON object each; `hint` says what to write there.
fn lines<T: DeserializeOwned>(file: &Path, hint: &str) -> Result<Vec<T>, Failure> {
    let text = fs::read_to_string(file).map_err(|error| {
        Failure::usage(Error::invalid(format!("cannot read `{}`: {error}", file.display())))
    })?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let read = lines.map(|(index, line)| {
        serde_json::from_str(line).map_err(|error| {
            let (says, advice) = unread(&error);
            let message = format!("{}:{}: {says}", file.display(), index + 1);
            Failure::usage(Error::invalid(message).with_hint(advice.as_deref().unwrap_or(hint)))
        })
    });
    read.collect()
}

/// The words of a parser on one line, for people: its own line number is always 1.
fn unread(error: &serde_json::Error) -> (String, Option<String>) {
    let says = error.to_string();
    plain(says.split(" at line ").next().unwrap_or(&says))
}

/// A router for many turns, and its store: beside the turns it wakes its models, audits its student,
/// follows what is promoted, and trains where the configuration wants it.
async fn lasting(
    name: Option<&str>,
    pack: Pack,
    config: &Config,
    options: &AssemblyOptions,
) -> Result<(Arc<Router>, Arc<dyn Store>), Failure> {
    let store = assemble::store(config).await;
    let followed = Followed::new(&pack, config, options);
    let router = assemble::router_over(pack, config, options, Arc::clone(&store)).await?;
    let router = Arc::new(router);
    assemble::warm(&router, config);
    assemble::audit(&router);
    following::start(&router, followed, || {});
    // Only a pack of files is read anew, to learn from traffic.
    if let Some(name) = name {
        automatic::start(name, config, Arc::clone(&store));
    }
    Ok((router, store))
}

/// Fires when the user presses Ctrl-C, so that upstream work is stopped and not merely forgotten.
fn cancel_on_interrupt() -> CancellationToken {
    let token = CancellationToken::new();
    let fired = token.clone();
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            fired.cancel();
        }
    });
    token
}

//! The command line: what can be typed, with its help. Nothing is done here.

mod ask;
pub(crate) mod encoder;
mod events;
mod feedback;
mod init;
mod keys;
mod number;
mod prune;
mod runs;
mod source;

use std::path::PathBuf;

use clap::builder::ArgPredicate;
use clap::{Args, Parser, Subcommand};
use serde::{Deserialize, Serialize};

use init::INIT_HELP;
use keys::KEYS_HELP;
use prune::PRUNE_HELP;
use runs::RUNS_HELP;
use source::TOOLS_HELP;

use crate::features::VERSION;

pub(crate) use ask::{AskArgs, KeepReadyArgs};
pub(crate) use encoder::EncoderCommand;
pub(crate) use feedback::FeedbackArgs;
pub(crate) use init::InitArgs;
pub(crate) use keys::{
    KeysAddArgs, KeysArgs, KeysCommand, KeysListArgs, KeysRevokeArgs, KeysRotateArgs,
};
pub(crate) use prune::PruneArgs;
pub(crate) use runs::{
    RunsAbandonArgs, RunsArgs, RunsCommand, RunsListArgs, RunsResumeArgs, RunsShowArgs,
};
pub(crate) use source::SourceArgs;

pub(crate) use events::{
    EventsArgs, EventsCommand, EventsCompareArgs, EventsExportArgs, EventsFilterArgs,
    EventsListArgs, EventsOfArgs, EventsStatsArgs, EventsTriageArgs,
};

/// Decides what should happen with what a user wrote, and does it.
#[derive(Debug, Parser)]
#[command(name = "waypost", version, long_version = VERSION.as_str(), arg_required_else_help = true)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Cli {
    /// The configuration, instead of waypost.toml in $WAYPOST_HOME
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const AFTER_HELP: &str = "\
Examples:
  waypost ask '現在台灣周遭海溫多少？'
  waypost ask --json 'tides at Keelung tomorrow'
  waypost route --jsonl < requests.jsonl
  waypost parse --lang es 'del 1 al 5 de noviembre'

Exit status: 0 done, 2 wrong use or configuration, 3 refused or not understood,
4 upstream unavailable, 1 anything else.
Environment: WAYPOST_HOME, WAYPOST_MAIN_URL, WAYPOST_MAIN_MODEL, WAYPOST_MAIN_KEY, WAYPOST_ENCODER,
WAYPOST_LIGHT_URL, WAYPOST_LIGHT_MODEL, WAYPOST_LIGHT_KEY, NO_COLOR, RUST_LOG; all of them are in
docs/reference/environment.md.";

const CHAT_HELP: &str = "\
On a terminal: Tab completes commands and the choices of an open question, the arrows and Ctrl-R
bring back earlier lines, Alt-Enter begins a new line, Ctrl-C clears the line or stops the answer
and twice on an empty line leaves, Ctrl-D leaves. Lines are kept in $WAYPOST_HOME/history, the latest 1000;
a line that begins with a space is not.
Elsewhere lines are read as they come: waypost chat < questions.txt
Type /help for the commands, such as /choices, /why and /flags.";

const SERVE_HELP: &str = "\
POST /v1/route and /v1/answer take {\"text\": \"…\", \"pack\": \"…\"}, POST /v1/chat/completions is OpenAI's with the
model waypost/PACK, /mcp speaks MCP; POST /v1/feedback says whether a decision was right; GET /v1/students,
/metrics, /healthz and /readyz show its state. /openapi.json lists them all, docs/HTTP.md explains them.
After Ctrl-C or SIGTERM, running turns have 10 seconds to finish ([limits] grace_seconds); a second one
does not wait. The program ends at most 4 seconds after that, whatever its turns do.";

const MCP_HELP: &str = "\
When its input ends, running calls have 10 seconds to finish ([limits] grace_seconds); the program ends at
most 4 seconds after that. A line that is no JSON, or longer than 1 MiB, is answered with the error -32700.";

const REPLAY_HELP: &str = "\
No model is asked and nothing is written: a model's reply is in the record.
Exit status: 1 if a decision with the same pack and student differs; with --strict also if one was
left out, such as for a version that cannot be read.
  waypost replay --since 24h
  waypost replay --with ocean.bundle        what a new student would change of last week's turns
  waypost replay --with packs/ocean --json  what an edited pack would";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Answer a question
    Ask(AskArgs),
    /// Decide only, and print the decision record
    Route(RouteArgs),
    /// Decide only, and show the steps that would run
    Plan(PlanArgs),
    /// Decide only, and show what lies behind the decision
    Why(WhyArgs),
    /// Show the dates, numbers, coordinates and names in a text
    Parse(ParseArgs),
    /// Talk: one question after another
    #[command(after_help = CHAT_HELP)]
    Chat(ChatArgs),
    /// Serve answers, decisions and a catalog of tools over MCP on standard input and output
    #[command(after_help = MCP_HELP)]
    Mcp(SourceArgs),
    /// Serve decisions and answers over HTTP
    #[command(after_help = SERVE_HELP)]
    Serve(ServeArgs),
    /// Show the keys of callers; make, rotate and revoke them
    #[command(after_help = KEYS_HELP)]
    Keys(KeysArgs),
    /// Make a pack of the tools of any MCP servers
    #[command(after_help = INIT_HELP)]
    Init(InitArgs),
    /// Show what can be called, with token counts
    #[command(after_help = TOOLS_HELP)]
    Tools(ToolsArgs),
    /// Train a student and report how good it is
    Train(TrainArgs),
    /// Show the versions of a pack's student, and which of them serves
    #[command(alias = "models")]
    Students(StudentsArgs),
    /// Put a version of a pack's student in service
    Promote(PromoteArgs),
    /// Put back the version that served before
    Rollback(RollbackArgs),
    /// Measure a pack or a student on labeled cases
    Eval(EvalArgs),
    /// Find what makes a pack route badly: confusable routes, thresholds that never matter, …
    Lint(LintArgs),
    /// Check the surroundings: home, store, pack, tool servers, models, …
    Doctor(DoctorArgs),
    /// Add, list and remove sentence encoders
    #[command(subcommand)]
    Encoder(EncoderCommand),
    /// Show the events of earlier turns: list, stats, compare, export, triage
    Events(EventsArgs),
    /// Show the plans that were cut short, go on with one, or give it up
    #[command(after_help = RUNS_HELP)]
    Runs(RunsArgs),
    /// Make recorded decisions again, as they were or with another pack or student
    #[command(after_help = REPLAY_HELP)]
    Replay(ReplayArgs),
    /// Check what the proxy would have left out of recorded requests for a model
    #[command(after_help = PRUNE_HELP)]
    Prune(PruneArgs),
    /// Say whether a decision was right, for students to learn from
    Feedback(FeedbackArgs),
    /// Remove everything that is kept about a conversation
    Forget(ForgetArgs),
    /// Print the JSON Schema of pack.yaml, for editors
    Schema,
    /// Write the reference pages of docs/reference into a folder
    #[command(hide = true)]
    Reference(ReferenceArgs),
    /// Run a pack's sample MCP server (synthetic data)
    Demo(DemoArgs),
    /// Keep the tool servers of `ask --mcp` ready for further questions
    #[command(hide = true)]
    KeepReady(KeepReadyArgs),
}

/// The pack where none is named.
pub(crate) const DEFAULT_PACK: &str = "ocean";

/// Which pack.
#[derive(Debug, Clone, Args, Serialize, Deserialize)]
pub(crate) struct PackArgs {
    /// The pack: a name, or a folder that holds a pack.yaml
    #[arg(long, default_value = DEFAULT_PACK, value_name = "NAME|FOLDER")]
    pub(crate) pack: String,
}

/// Which student.
#[derive(Debug, Clone, Default, Args, Serialize, Deserialize)]
pub(crate) struct StudentArgs {
    /// A stored bundle (`train --out`) instead of the student in service
    #[arg(long = "student", alias = "model", value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
}

/// A request on the command line.
#[derive(Debug, Clone, Args, Serialize, Deserialize)]
pub(crate) struct RequestArgs {
    #[command(flatten)]
    pub(crate) source: SourceArgs,
    #[command(flatten)]
    pub(crate) student: StudentArgs,
    /// The instant of the question, RFC 3339 or a date; now by default
    #[arg(long, value_name = "INSTANT")]
    pub(crate) now: Option<String>,
    /// Your time zone; the pack's by default
    #[arg(long, value_name = "ZONE")]
    pub(crate) tz: Option<String>,
    /// The language: en, zh-TW, zh-CN, vi, es, fr, pt, de, ja or id; by default the text decides
    #[arg(long, value_name = "TAG")]
    pub(crate) lang: Option<String>,
    /// Declare the route; no classifier is asked
    #[arg(long, value_name = "ROUTE")]
    pub(crate) route: Option<String>,
    /// Set a flag of the workflow (repeatable)
    #[arg(long = "set", value_name = "FLAG")]
    pub(crate) flags: Vec<String>,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct PlanArgs {
    #[command(flatten)]
    pub(crate) request: RequestArgs,
    /// Print the steps as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Draw them into this file as SVG, too
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
    /// The request
    #[arg(value_name = "TEXT", required = true)]
    pub(crate) text: Vec<String>,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct RouteArgs {
    #[command(flatten)]
    pub(crate) request: RequestArgs,
    /// Print the record as JSON, which is its only form
    #[arg(long)]
    pub(crate) json: bool,
    /// Decide as this conversation stands; nothing of it is changed
    #[arg(long, value_name = "NAME", conflicts_with = "jsonl")]
    pub(crate) session: Option<String>,
    /// Read one request record a line from standard input
    #[arg(long, conflicts_with = "text")]
    pub(crate) jsonl: bool,
    /// The question; standard input by default
    #[arg(value_name = "TEXT", allow_negative_numbers = true)]
    pub(crate) text: Vec<String>,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct WhyArgs {
    #[command(flatten)]
    pub(crate) request: RequestArgs,
    /// Print everything as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// The question; standard input by default
    #[arg(value_name = "TEXT", allow_negative_numbers = true)]
    pub(crate) text: Vec<String>,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct ParseArgs {
    #[command(flatten)]
    pub(crate) pack: PackArgs,
    /// The language of the text; by default the text decides
    #[arg(long, value_name = "TAG")]
    pub(crate) lang: Option<String>,
    /// The instant that relative dates count from; now by default
    #[arg(long, value_name = "INSTANT")]
    pub(crate) now: Option<String>,
    /// Your time zone; the pack's by default
    #[arg(long, value_name = "ZONE")]
    pub(crate) tz: Option<String>,
    /// Show only this kind: date, range, number, point, bbox, entity, …
    #[arg(long, value_name = "KIND")]
    pub(crate) kind: Option<String>,
    /// Print JSON instead of the readable view
    #[arg(long)]
    pub(crate) json: bool,
    /// Read {text, language?, now?, tz?, kind?} a line from standard input
    #[arg(long, conflicts_with = "text")]
    pub(crate) jsonl: bool,
    /// The text; standard input by default
    #[arg(value_name = "TEXT", allow_negative_numbers = true)]
    pub(crate) text: Vec<String>,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct ChatArgs {
    #[command(flatten)]
    pub(crate) source: SourceArgs,
    #[command(flatten)]
    pub(crate) student: StudentArgs,
    /// Show the decision behind every answer
    #[arg(long)]
    pub(crate) debug: bool,
    /// Continue the conversation of this name, or begin it
    #[arg(long, value_name = "NAME")]
    pub(crate) session: Option<String>,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct ServeArgs {
    /// A pack: a name, or a folder that holds a pack.yaml (repeatable; the first is asked where none is named)
    #[arg(long = "pack", default_value = DEFAULT_PACK, value_name = "NAME|FOLDER")]
    #[arg(default_value_if("mcp", ArgPredicate::IsPresent, None))]
    pub(crate) packs: Vec<String>,
    /// The tools of an MCP server: a command in quotation marks, or a URL (repeatable); together one more pack, the last
    #[arg(long, value_name = "[NAME=]COMMAND|URL")]
    pub(crate) mcp: Vec<String>,
    /// An environment variable that the servers of --mcp get as well, besides the usual ones (repeatable)
    #[arg(long, value_name = "NAME", requires = "mcp")]
    pub(crate) env: Vec<String>,
    #[command(flatten)]
    pub(crate) student: StudentArgs,
    /// The address to listen on (port 0: a free one); one that other machines reach needs keys
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    pub(crate) listen: std::net::SocketAddr,
    /// A name by which other machines ask, such as way.example.com (repeatable)
    #[arg(long = "host", value_name = "NAME")]
    pub(crate) hosts: Vec<String>,
    /// The server's certificates in a PEM file, its own first; read again when it changes
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// Its private key in a PEM file
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,
    /// Pass requests for a model on with all their tools, and only count what would be left out
    #[arg(long)]
    pub(crate) dry_run: bool,
}

impl ServeArgs {
    /// The sources of its tools: one for each pack, and one for all servers that were named.
    pub(crate) fn sources(&self) -> Vec<SourceArgs> {
        let of = |pack: &str| SourceArgs {
            pack: PackArgs { pack: pack.to_owned() },
            mcp: Vec::new(),
            env: Vec::new(),
        };
        let mcp =
            || SourceArgs { mcp: self.mcp.clone(), env: self.env.clone(), ..of(DEFAULT_PACK) };
        let packs = self.packs.iter().map(|pack| of(pack));
        packs.chain((!self.mcp.is_empty()).then(mcp)).collect()
    }
}

#[derive(Debug, Clone, Args)]
pub(crate) struct ToolsArgs {
    #[command(flatten)]
    pub(crate) source: SourceArgs,
    /// Print the catalog as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// `search TEXT` ranks the tools that fit a text; `accept [NAME…]` accepts what servers say now; `reads NAME…` remembers
    /// that tools only read
    #[arg(value_name = "search TEXT|accept NAME|reads NAME", allow_negative_numbers = true)]
    pub(crate) search: Vec<String>,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct TrainArgs {
    #[command(flatten)]
    pub(crate) pack: PackArgs,
    /// Train on {text, label} lines instead of a pack
    #[arg(long, value_name = "FILE")]
    pub(crate) examples: Option<PathBuf>,
    /// Refuse examples that contradict each other, instead of leaving them out with a warning
    #[arg(long)]
    pub(crate) strict: bool,
    /// Write the bundle to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Keep it as a version, for `waypost promote`
    #[arg(long, conflicts_with = "examples")]
    pub(crate) save: bool,
    /// Learn from the labels of the traffic too, and keep the result as a version
    #[arg(long, conflicts_with_all = ["examples", "seed"])]
    pub(crate) labels: bool,
    /// The seed for the order of the examples
    #[arg(long, default_value_t = 0, value_parser = number::whole::<u64>)]
    pub(crate) seed: u64,
    /// Print the report as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct StudentsArgs {
    #[command(flatten)]
    pub(crate) pack: PackArgs,
    /// Print the versions with their cards as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Show this version alone, with its comparison to the champion
    #[arg(value_name = "VERSION", value_parser = number::whole::<u64>)]
    pub(crate) version: Option<u64>,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct PromoteArgs {
    #[command(flatten)]
    pub(crate) pack: PackArgs,
    /// Promote it even if the comparison says that it is worse; needs --because
    #[arg(long, requires = "because")]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) by: ByArgs,
    /// Print the version with its card as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// The number of the version; the newest challenger by default
    #[arg(value_name = "VERSION", value_parser = number::whole::<u64>)]
    pub(crate) version: Option<u64>,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct RollbackArgs {
    #[command(flatten)]
    pub(crate) pack: PackArgs,
    #[command(flatten)]
    pub(crate) by: ByArgs,
    /// Print the version that then serves as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Who changes what serves, and why.
#[derive(Debug, Clone, Args)]
pub(crate) struct ByArgs {
    /// Who does it; user@host by default
    #[arg(long, value_name = "NAME")]
    pub(crate) by: Option<String>,
    /// The reason, which is kept
    #[arg(long, value_name = "TEXT")]
    pub(crate) because: Option<String>,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct LintArgs {
    #[command(flatten)]
    pub(crate) source: SourceArgs,
    /// Print the findings as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Fail on warnings too
    #[arg(long)]
    pub(crate) strict: bool,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct DoctorArgs {
    #[command(flatten)]
    pub(crate) source: SourceArgs,
    /// Measure the model that decides on some 40 of the pack's cases, and keep how often it was right
    #[arg(long)]
    pub(crate) models: bool,
    /// Print the findings as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Fail on warnings too
    #[arg(long)]
    pub(crate) strict: bool,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct EvalArgs {
    #[command(flatten)]
    pub(crate) pack: PackArgs,
    #[command(flatten)]
    pub(crate) student: StudentArgs,
    /// Print the figures as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Show every case that was wrong
    #[arg(long)]
    pub(crate) wrong: bool,
    /// Show of each tool how often it was called where it was expected, and what was called instead
    #[arg(long, conflicts_with = "json")]
    pub(crate) tools: bool,
    /// Let so many percent of the letters of each text slip: other keys, letters left out, doubled, swapped
    #[arg(long, value_name = "PERCENT", value_parser = number::percent)]
    pub(crate) slips: Option<f64>,
    /// Write a page with figures, tables and the worst errors: one HTML file that needs no network
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,
    /// The {text, label} lines that a student of plain texts learned from: the report shows the
    /// nearest of them beside each error
    #[arg(long, value_name = "FILE", requires = "report")]
    pub(crate) examples: Option<PathBuf>,
    /// Fail if fewer percent are right
    #[arg(long, value_name = "PERCENT", value_parser = number::percent)]
    pub(crate) min_accuracy: Option<f64>,
    /// Fail if more percent are asked needlessly
    #[arg(long, value_name = "PERCENT", value_parser = number::percent)]
    pub(crate) max_asked: Option<f64>,
    /// The cases, one JSON object a line
    #[arg(value_name = "CASES.jsonl")]
    pub(crate) cases: PathBuf,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct ReplayArgs {
    /// Only this decision
    #[arg(value_name = "DECISION_ID")]
    pub(crate) decision: Option<String>,
    /// Decide with this instead: a bundle, a version, or a pack's name or folder
    #[arg(long, value_name = "BUNDLE|VERSION|PACK")]
    pub(crate) with: Option<String>,
    /// Only those of this conversation
    #[arg(long, value_name = "NAME")]
    pub(crate) session: Option<String>,
    /// Only those of the last 7d, 24h or 30m, or since a date or instant; with --with 7d
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// The instant that --since counts back from; now by default
    #[arg(long, value_name = "INSTANT")]
    pub(crate) now: Option<String>,
    /// Only those of this pack: a name, or a folder that holds a pack.yaml
    #[arg(long, value_name = "NAME|FOLDER")]
    pub(crate) pack: Option<String>,
    /// The most differing decisions to show
    #[arg(long, value_name = "NUMBER", default_value_t = 10, value_parser = number::within::<0, 1_000>)]
    pub(crate) limit: u32,
    /// Print everything as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Fail if decisions had to be left out too
    #[arg(long)]
    pub(crate) strict: bool,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct ForgetArgs {
    /// The conversation, by the name that its user gave it: with keys, those of all keys
    #[arg(value_name = "SESSION")]
    pub(crate) session: String,
    /// Do not ask for confirmation
    #[arg(long)]
    pub(crate) yes: bool,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct DemoArgs {
    /// The pack whose sample server runs
    #[arg(value_name = "PACK")]
    pub(crate) pack: String,
    /// Serve streamable HTTP at this address instead of standard input and output
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) http: Option<std::net::SocketAddr>,
    /// Go wrong on purpose: delay:MS, steps:MS, error:CODE, third:CODE, crash, garbage, garbage-result, not-found, hang
    #[arg(long, value_name = "FAULT")]
    pub(crate) fault: Option<waypost_demo::Fault>,
    /// Append a line to this file when a call begins, and when it ends or is cancelled
    #[arg(long, value_name = "FILE")]
    pub(crate) journal: Option<PathBuf>,
    /// The instant before which the data end; now by default
    #[arg(long, value_name = "INSTANT")]
    pub(crate) now: Option<String>,
    /// The zone in which a day begins
    #[arg(long, value_name = "ZONE", default_value = "Asia/Taipei")]
    pub(crate) tz: String,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct ReferenceArgs {
    /// The folder; it must be there
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: PathBuf,
}

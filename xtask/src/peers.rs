//! The packs with real models behind a real llama.cpp server, beside the packs without and with a model that is always right:
//! `cargo xtask peers llm`.
//!
//! The server and the models are given: no package has both, and the models are not the project's to ship. Each model is
//! measured by `waypost doctor --models` as a user would, and then decides as that has found. What was asked and answered
//! stays in `target/peers`.

mod agent;
mod clients;
mod oracle;
mod relay;
mod worth;

use std::fmt::Write as _;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use waypost::decide::cascade::Worth;

use self::oracle::Oracle;
use self::relay::{Answers, Exchange, Relay, Upstream};
use crate::bench::samples;
use crate::{cargo, root, say};

const PACKS: [&str; 3] = ["ocean", "malaria", "platform"];
/// The longest that a server takes to load its model.
const READY: Duration = Duration::from_secs(60);

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let [what, rest @ ..] = arguments else {
        bail!(
            "name what to run: `llm` or `agent`, each with [llama-server model.gguf...], `worth`, or `clients`"
        );
    };
    match what.as_str() {
        "agent" => return agent::run(rest),
        "clients" => return clients::run(rest),
        _ => build(&["--release"])?,
    }
    match what.as_str() {
        "llm" => models(rest),
        "worth" => worth::run(),
        _ => bail!(
            "there is `llm` and `agent`, each with [PROGRAM MODEL.gguf...], `worth`, and `clients`"
        ),
    }
}

/// Builds the program with all features and these options.
fn build(options: &[&str]) -> Result<()> {
    // The whole workspace, as for the tests: what is built for these need not be built again.
    let arguments = ["build", "--quiet", "--workspace", "--bins", "--features", "full"];
    if !cargo().args(arguments).args(options).status()?.success() {
        bail!("the program does not build");
    }
    Ok(())
}

/// The packs with no model, with one that is always right, and with those behind a server.
fn models(given: &[String]) -> Result<()> {
    say(
        "| pack | model | chose right | decides | right | asked | ran wrong | calls | tokens | of these cached | ms |",
    );
    say("|---|---|---|---|---|---|---|---|---|---|---|");
    for pack in PACKS {
        row(pack, "none", &Subject::new(pack, None)?)?;
        let files = samples::folder_files(&root().join("packs").join(pack))?;
        let known = std::fs::read_to_string(root().join(cases(pack)))?;
        let oracle = Arc::new(Oracle::of(&samples::load(&files)?, &known)?);
        row(pack, "always right", &Subject::new(pack, Some(oracle))?)?;
    }
    if let [program, models @ ..] = given {
        for model in models {
            let model = Path::new(model.as_str());
            let name = model.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let server = Server::start(Path::new(program.as_str()), model)?;
            for pack in PACKS {
                row(pack, &name, &Subject::new(pack, Some(Arc::new(Upstream(server.port))))?)?;
            }
        }
    }
    Ok(())
}

fn cases(pack: &str) -> String {
    format!("packs/{pack}/cases.jsonl")
}

/// Measures a model on a pack and prints what came of it.
fn row(pack: &str, model: &str, subject: &Subject) -> Result<()> {
    let (worth, decides) = subject.measured()?;
    let worth = match worth.asked {
        0 => String::new(),
        asked => format!("{} of {asked}", worth.right),
    };
    let mut said = subject.taken();
    // Here each text is asked about for the first time.
    let cost = cost(&said);
    let figures = printed(&mut subject.command(&["eval", "--pack", pack, "--json", &cases(pack)]))?;
    let percent = |name: &str| 100.0 * figures[name].as_f64().unwrap_or(f64::NAN);
    let deciding = subject.taken();
    say(&format!(
        "| `{pack}` | {model} | {worth} | {decides} | {:.1} | {:.1} | {:.1} | {} | {cost} |",
        percent("accuracy"),
        percent("asked"),
        percent("wrong_run"),
        deciding.len(),
    ));
    said.extend(deciding);
    record(pack, model, &said)
}

/// What one call that chooses took: tokens of the prompt (the most of one), the share of these that the server had in its
/// cache, and milliseconds.
fn cost(said: &[Exchange]) -> String {
    let chooses = said.iter().filter(|exchange| schema_name(exchange) == "decision");
    let mut asked: Vec<&Exchange> = Vec::new();
    for exchange in chooses {
        if asked.iter().all(|other| other.asked["messages"] != exchange.asked["messages"]) {
            asked.push(exchange);
        }
    }
    let tokens: Vec<(u64, u64)> =
        asked.iter().filter_map(|exchange| tokens(&exchange.answer)).collect();
    let Some(most) = tokens.iter().map(|own| own.0).max() else { return "| | ".to_owned() };
    let (prompt, cached) = tokens.iter().fold((0, 0), |sum, own| (sum.0 + own.0, sum.1 + own.1));
    let count = tokens.len() as f64;
    let took: f64 = asked.iter().map(|exchange| exchange.took.as_secs_f64()).sum();
    format!(
        "{:.0} ({most}) | {:.0}% | {:.0}",
        prompt as f64 / count,
        100.0 * cached as f64 / prompt.max(1) as f64,
        1e3 * took / count
    )
}

fn schema_name(exchange: &Exchange) -> &str {
    exchange.asked["response_format"]["json_schema"]["name"].as_str().unwrap_or_default()
}

/// The tokens of a prompt, and those of them that were cached.
fn tokens(answer: &Value) -> Option<(u64, u64)> {
    let prompt = answer["usage"]["prompt_tokens"].as_u64()?;
    let told = answer["usage"]["prompt_tokens_details"]["cached_tokens"].as_u64();
    Some((prompt, told.or(answer["timings"]["cache_n"].as_u64()).unwrap_or_default()))
}

/// Keeps what was asked and answered.
fn record(pack: &str, model: &str, said: &[Exchange]) -> Result<()> {
    let folder = target().join("peers");
    std::fs::create_dir_all(&folder)?;
    let mut lines = String::new();
    for Exchange { asked, answer, took } in said {
        let line = json!({
            "messages": asked["messages"],
            "reply": answer["choices"][0]["message"]["content"],
            "usage": answer["usage"],
            "ms": took.as_millis(),
        });
        let _ = writeln!(lines, "{line}");
    }
    let name = format!("{pack}-{}.jsonl", model.replace(' ', "-"));
    Ok(std::fs::write(folder.join(name), lines)?)
}

fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// A pack in a home of its own, with or without a model.
struct Subject {
    program: PathBuf,
    pack: String,
    home: PathBuf,
    model: Option<Relay>,
}

impl Subject {
    fn new(pack: &str, answers: Option<Arc<dyn Answers>>) -> Result<Self> {
        let model = answers.map(Relay::start).transpose()?;
        let name = Path::new(pack).file_name().unwrap_or_default().to_string_lossy();
        let home =
            std::env::temp_dir().join(format!("waypost-peers-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&home)?;
        let program = target().join("release/waypost");
        Ok(Self { program, pack: pack.to_owned(), home, model })
    }

    /// The same with the program as it is built for tests, which is there sooner.
    fn built_for_tests(mut self) -> Self {
        self.program = target().join("debug/waypost");
        self
    }

    fn taken(&self) -> Vec<Exchange> {
        self.model.as_ref().map(Relay::taken).unwrap_or_default()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(arguments).env("WAYPOST_HOME", &self.home).current_dir(root());
        if let Some(model) = &self.model {
            let url = format!("http://127.0.0.1:{}", model.port);
            command.env("WAYPOST_MAIN_URL", url).env("WAYPOST_MAIN_MODEL", "model");
        }
        command
    }

    /// How often the model chose right, and whether it decides.
    fn measured(&self) -> Result<(Worth, &'static str)> {
        if self.model.is_none() {
            return Ok((Worth::default(), ""));
        }
        let findings =
            printed(&mut self.command(&["doctor", "--models", "--json", "--pack", &self.pack]))?;
        let known = std::fs::read(self.home.join("models.json")).unwrap_or_default();
        let known: Value = serde_json::from_slice(&known).unwrap_or_default();
        let checks = findings["checks"].as_array().cloned().unwrap_or_default();
        let state = checks.iter().find(|check| check["what"] == "model worth");
        let decides = state.is_some_and(|state| state["state"] == "ok");
        Ok((worth::kept(&known), if decides { "yes" } else { "in shadow" }))
    }
}

fn printed(command: &mut Command) -> Result<Value> {
    let output =
        command.stderr(Stdio::inherit()).output().context("the program could not be run")?;
    serde_json::from_slice(&output.stdout).context("the program printed no JSON")
}

impl Drop for Subject {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.home);
    }
}

/// A llama.cpp server that ends with this value.
struct Server {
    child: Child,
    port: u16,
}

impl Server {
    fn start(program: &Path, model: &Path) -> Result<Self> {
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let mut command = Command::new(program);
        command.arg("-m").arg(model).args(["--host", "127.0.0.1", "--port", &port.to_string()]);
        command
            .args(["-c", "4096", "-np", "1", "-t", "2"])
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let server =
            Self { child: command.spawn().context("the server could not be started")?, port };
        let started = Instant::now();
        while !server.is_ready() {
            if started.elapsed() > READY {
                bail!("the server was not ready within {} s", READY.as_secs());
            }
            std::thread::sleep(Duration::from_millis(200));
        }
        Ok(server)
    }

    fn is_ready(&self) -> bool {
        let Ok(mut stream) = TcpStream::connect(("127.0.0.1", self.port)) else { return false };
        let asked = stream.write_all(b"GET /health HTTP/1.0\r\nHost: localhost\r\n\r\n");
        let mut reply = String::new();
        asked.is_ok() && stream.read_to_string(&mut reply).is_ok() && reply.contains(" 200 ")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

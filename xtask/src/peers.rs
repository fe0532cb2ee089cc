//! The packs with real models behind a real llama.cpp server, beside the packs without: `cargo xtask peers llm`.
//!
//! The server and the models are given: no package has both, and the models are not the project's to ship. Each model is
//! measured by `waypost doctor --models` as a user would, and then decides as that has found.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::{cargo, root, say};

const PACKS: [&str; 3] = ["ocean", "malaria", "platform"];
/// The longest that a server takes to load its model.
const READY: Duration = Duration::from_secs(60);

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let shows_wrong = arguments.iter().any(|argument| argument == "--wrong");
    let given: Vec<&String> =
        arguments.iter().filter(|argument| !argument.starts_with("--")).collect();
    let [what, program, models @ ..] = given.as_slice() else {
        bail!("name what to run, the server and its models: `llm llama-server model.gguf`");
    };
    if *what != "llm" || models.is_empty() {
        bail!("there is `llm PROGRAM MODEL.gguf...`");
    }
    let status =
        cargo().args(["build", "--quiet", "--release", "-p", "waypost-server"]).status()?;
    if !status.success() {
        bail!("the program does not build");
    }
    say("| pack | model | worth | serves | right | asked | ran wrong |");
    say("|---|---|---|---|---|---|---|");
    for pack in PACKS {
        row(pack, "none", &Subject::new(pack, None)?, shows_wrong)?;
    }
    for model in models {
        let model = Path::new(model.as_str());
        let name = model.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let server = Server::start(Path::new(program.as_str()), model)?;
        for pack in PACKS {
            row(pack, &name, &Subject::new(pack, Some(&server))?, shows_wrong)?;
        }
    }
    Ok(())
}

fn row(pack: &str, model: &str, subject: &Subject, shows_wrong: bool) -> Result<()> {
    let worth = subject.measured()?;
    let figures = subject.evaluated(shows_wrong)?;
    let percent = |name: &str| 100.0 * figures[name].as_f64().unwrap_or(f64::NAN);
    say(&format!(
        "| `{pack}` | {model} | {} | {} | {:.1} | {:.1} | {:.1} |",
        worth.0,
        worth.1,
        percent("accuracy"),
        percent("asked"),
        percent("wrong_run"),
    ));
    Ok(())
}

/// A pack in a home of its own, with or without a model.
struct Subject {
    pack: String,
    home: PathBuf,
    model: Option<String>,
}

impl Subject {
    fn new(pack: &str, server: Option<&Server>) -> Result<Self> {
        let model = server.map(|server| format!("http://127.0.0.1:{}", server.port));
        let home =
            std::env::temp_dir().join(format!("waypost-peers-{}-{pack}", std::process::id()));
        std::fs::create_dir_all(&home)?;
        Ok(Self { pack: pack.to_owned(), home, model })
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let target = std::env::var_os("CARGO_TARGET_DIR")
            .map_or_else(|| root().join("target"), PathBuf::from);
        let mut command = Command::new(target.join("release/waypost"));
        command.args(arguments).env("WAYPOST_HOME", &self.home).current_dir(root());
        if let Some(url) = &self.model {
            command.env("WAYPOST_MAIN_URL", url).env("WAYPOST_MAIN_MODEL", "model");
        }
        command
    }

    /// How often the model chose right, and whether it serves.
    fn measured(&self) -> Result<(String, &'static str)> {
        if self.model.is_none() {
            return Ok(("".to_owned(), ""));
        }
        let pack = ["doctor", "--models", "--json", "--pack", &self.pack];
        let findings = json(&mut self.command(&pack))?;
        let known: Value = serde_json::from_slice(
            &std::fs::read(self.home.join("models.json")).unwrap_or_default(),
        )
        .unwrap_or_default();
        let worth = known.as_object().and_then(|models| models.values().next());
        let worth = worth.map_or(Value::Null, |packs| packs[&self.pack]["worth"].clone());
        let checks = findings["checks"].as_array().cloned().unwrap_or_default();
        let state = checks.iter().find(|check| check["what"] == "model worth");
        let serves = state.is_some_and(|state| state["state"] == "ok");
        let words = format!("{} of {}", worth["right"], worth["asked"]);
        Ok((words, if serves { "yes" } else { "in shadow" }))
    }

    fn evaluated(&self, shows_wrong: bool) -> Result<Value> {
        let cases = format!("packs/{}/cases.jsonl", self.pack);
        if shows_wrong {
            self.command(&["eval", "--pack", &self.pack, "--wrong", &cases]).status()?;
        }
        json(&mut self.command(&["eval", "--pack", &self.pack, "--json", &cases]))
    }
}

fn json(command: &mut Command) -> Result<Value> {
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

//! The program, run over the servers of the cases in each of the ways in which it is asked.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Map, Value as Json, json};

use crate::case::Try;
use crate::judge::Outcome;

/// The longest time that a turn may take; what takes longer hangs.
const HANGS: Duration = Duration::from_secs(5);
/// A time longer than any start takes while everything else starts, too.
pub(crate) const START: Duration = Duration::from_secs(90);

/// The servers of a program, as its arguments name them, and the folder that is its home.
#[derive(Debug, Clone)]
pub(crate) struct Setup {
    pub(crate) home: std::path::PathBuf,
    pub(crate) mcp: Vec<String>,
}

impl Setup {
    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_waypost"));
        command.args(args).env_clear().env("WAYPOST_HOME", &self.home);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// The same command with all servers.
    fn over(&self, args: &[&str]) -> Command {
        let mut command = self.command(args);
        self.mcp.iter().for_each(|server| {
            command.args(["--mcp", server]);
        });
        command
    }

    /// Decides these texts in one process; a record for each.
    pub(crate) fn route(&self, texts: &[String]) -> Result<Vec<Json>, String> {
        let lines: String =
            texts.iter().map(|text| format!("{}\n", json!({ "text": text }))).collect();
        let said = finish(self.over(&["route", "--jsonl"]), &lines)?;
        Ok(said.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
    }

    /// Answers one text as people have it answered.
    pub(crate) fn ask(&self, text: &str) -> Result<Json, String> {
        let said = finish(self.over(&["ask", "--json", text]), "")?;
        serde_json::from_str(&said).map_err(|error| format!("{error}: {said}"))
    }

    /// The names of the tools of a pack that is made of the servers.
    pub(crate) fn init(&self) -> Result<Vec<String>, String> {
        let pack = self.home.join("pack").to_string_lossy().into_owned();
        finish(self.over(&["init", &pack]), "")?;
        let catalog = finish(self.command(&["tools", "--json", "--pack", &pack]), "")?;
        let catalog: Json = serde_json::from_str(&catalog).map_err(|error| error.to_string())?;
        Ok(names(&catalog["tools"]))
    }
}

fn names(tools: &Json) -> Vec<String> {
    let tools = tools.as_array().into_iter().flatten();
    tools.filter_map(|tool| Some(tool["name"].as_str()?.to_owned())).collect()
}

/// Runs a command to its end; returns what it says, or what went wrong.
fn finish(mut command: Command, input: &str) -> Result<String, String> {
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    thread::spawn(move || stdin.write_all(input.as_bytes()));
    let (done, wait) = channel();
    let pid = child.id();
    thread::spawn(move || done.send(child.wait_with_output()));
    let Ok(output) = wait.recv_timeout(START) else { return Err(format!("process {pid} hangs")) };
    let output = output.unwrap();
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match output.status.code() {
        Some(0..=4) if !output.stdout.is_empty() || output.status.success() => {
            Ok(said(&output.stdout))
        }
        status => Err(format!("status {status:?}: {}", said(&output.stderr))),
    }
}

/// A way of asking.
pub(crate) trait Surface: Sync {
    /// Its name in the table.
    fn name(&self) -> &'static str;

    /// Whether it takes this try; `in_dialogue` says that the case has a question that is answered.
    fn takes(&self, one: &Try, in_dialogue: bool) -> bool;

    /// Makes a call; `None` if no answer comes in time.
    fn call(&self, tool: &str, one: &Try, session: &str) -> Option<Outcome>;

    /// Says words; `None` if no answer comes in time.
    fn say(&self, words: &str, session: &str) -> Option<Outcome>;
}

/// A process that ends with its owner.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// `waypost serve`, asked over HTTP.
pub(crate) struct Serving {
    _process: Running,
    address: SocketAddr,
}

impl Serving {
    /// Starts it and waits until it takes requests.
    pub(crate) fn start(setup: &Setup, longest: Duration) -> Result<Self, String> {
        let child = setup.over(&["serve", "--listen", "127.0.0.1:0"]).spawn().unwrap();
        let mut process = Running(child);
        drop(process.0.stdout.take());
        let lines = lines(process.0.stderr.take().unwrap());
        let begun = Instant::now();
        let mut said = Vec::new();
        let address = loop {
            match lines.recv_timeout(longest.saturating_sub(begun.elapsed())) {
                Ok(line) => match line.strip_prefix("listening on http://") {
                    Some(address) => break address.trim().parse().unwrap(),
                    None => said.push(line),
                },
                Err(_) => return Err(format!("it does not start: {}", said.join(" / "))),
            }
        };
        let serving = Self { _process: process, address };
        while serving
            .exchange("GET", "/readyz", "", longest)
            .is_none_or(|(status, _)| status != 200)
        {
            if begun.elapsed() > longest {
                return Err("it is not ready in time".to_owned());
            }
            match lines.recv_timeout(Duration::from_millis(50)) {
                Ok(line) => said.push(line),
                Err(std::sync::mpsc::RecvTimeoutError::Timeout) => {}
                Err(_) => return Err(format!("it has ended: {}", said.join(" / "))),
            }
        }
        thread::spawn(move || lines.into_iter().for_each(drop));
        Ok(serving)
    }

    /// The names of the tools in its catalog.
    pub(crate) fn catalog(&self) -> Vec<String> {
        let (_, body) = self.exchange("GET", "/v1/catalog", "", START).expect("a catalog");
        let catalog: Json = serde_json::from_str(&body).unwrap();
        let packs = catalog["packs"].as_array().into_iter().flatten();
        packs.flat_map(|pack| names(&pack["tools"])).collect()
    }

    fn answer(&self, request: &Json) -> Option<Outcome> {
        let (status, body) = self.exchange("POST", "/v1/answer", &request.to_string(), HANGS)?;
        let body: Json = serde_json::from_str(&body).unwrap_or_default();
        Some(match status {
            200 => Outcome::of_answer(&body),
            _ => Outcome::refused(format!("{} {} {}", body["detail"], body["hint"], body["code"])),
        })
    }

    /// Asks; `None` if no whole answer comes in time.
    fn exchange(
        &self,
        method: &str,
        path: &str,
        body: &str,
        longest: Duration,
    ) -> Option<(u16, String)> {
        let mut stream = TcpStream::connect(self.address).ok()?;
        stream.set_read_timeout(Some(longest)).unwrap();
        let (host, length) = (self.address, body.len());
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\
             content-type: application/json\r\ncontent-length: {length}\r\n\r\n"
        );
        stream.write_all((head + body).as_bytes()).ok()?;
        let mut reply = Vec::new();
        stream.read_to_end(&mut reply).ok()?;
        let reply = String::from_utf8(reply).ok()?;
        let (head, body) = reply.split_once("\r\n\r\n")?;
        Some((head.split(' ').nth(1)?.parse().ok()?, body.to_owned()))
    }
}

impl Surface for Serving {
    fn name(&self) -> &'static str {
        "serve"
    }

    fn takes(&self, _: &Try, _: bool) -> bool {
        true
    }

    fn call(&self, tool: &str, one: &Try, session: &str) -> Option<Outcome> {
        let mut call = Map::from_iter([("tool".to_owned(), Json::from(tool))]);
        call.extend(one.arguments().map(|arguments| ("arguments".to_owned(), arguments.clone())));
        if one.approves {
            let asked = self.answer(&json!({ "call": call, "session": session }))?;
            if asked.mode != "clarify" {
                return Some(Outcome {
                    mode: format!("{} without a question", asked.mode),
                    ..asked
                });
            }
            call.insert("approved".to_owned(), true.into());
        }
        self.answer(&json!({ "call": call, "session": session }))
    }

    fn say(&self, words: &str, session: &str) -> Option<Outcome> {
        self.answer(&json!({ "text": words, "session": session }))
    }
}

/// `waypost mcp`, asked over its standard input and output.
pub(crate) struct Speaking {
    _process: Running,
    stdin: Mutex<ChildStdin>,
    waiting: Arc<Mutex<BTreeMap<u64, Sender<Json>>>>,
    asked: AtomicU64,
}

impl Speaking {
    /// Starts it and waits until it has greeted.
    pub(crate) fn start(setup: &Setup) -> Result<Self, String> {
        let mut command = setup.over(&["mcp"]);
        command.stderr(Stdio::null());
        let mut process = Running(command.spawn().unwrap());
        let lines = lines(process.0.stdout.take().unwrap());
        let stdin = Mutex::new(process.0.stdin.take().unwrap());
        let waiting: Arc<Mutex<BTreeMap<u64, Sender<Json>>>> = Arc::default();
        let replies = Arc::clone(&waiting);
        thread::spawn(move || {
            for line in lines {
                let message: Json = serde_json::from_str(&line).expect(&line);
                let id = message["id"].as_u64().filter(|_| message.get("method").is_none());
                if let Some(reply) = id.and_then(|id| replies.lock().unwrap().remove(&id)) {
                    let _ = reply.send(message);
                }
            }
        });
        let speaking = Self { _process: process, stdin, waiting, asked: AtomicU64::new(0) };
        let hello = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": { "name": "odd", "version": "1" },
        });
        speaking.request("initialize", &hello, START).ok_or("it does not greet")?;
        speaking.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        // The first call waits until the servers were heard.
        let described = json!({ "name": "tools_search", "arguments": { "query": "anything" } });
        speaking.request("tools/call", &described, START).ok_or("it is not ready in time")?;
        Ok(speaking)
    }

    fn request(&self, method: &str, params: &Json, longest: Duration) -> Option<Json> {
        let id = self.asked.fetch_add(1, Ordering::Relaxed);
        let (sender, reply) = channel();
        self.waiting.lock().unwrap().insert(id, sender);
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        let reply = reply.recv_timeout(longest).ok();
        if reply.is_none() {
            // A call that nobody waits for must not hold up those after it.
            let params = json!({ "requestId": id, "reason": "it takes too long" });
            let notice =
                json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params });
            self.send(&notice);
        }
        reply
    }

    fn send(&self, message: &Json) {
        let mut stdin = self.stdin.lock().unwrap();
        // A program that has ended gives no reply, which is told then.
        let _ = writeln!(stdin, "{message}").and_then(|()| stdin.flush());
    }

    fn tool(&self, name: &str, arguments: &Json) -> Option<Outcome> {
        let params = json!({ "name": name, "arguments": arguments });
        let reply = self.request("tools/call", &params, HANGS)?;
        let result = &reply["result"];
        let parts = result["content"].as_array().into_iter().flatten();
        let texts: Vec<&str> = parts.filter_map(|part| part["text"].as_str()).collect();
        let text = texts.join("\n");
        let answer = &result["structuredContent"];
        if answer["mode"].is_string() && !answer["id"].as_str().unwrap_or_default().is_empty() {
            let said = format!("{text} {}", answer["error"]);
            return Some(Outcome { text, said, ..Outcome::of_answer(answer) });
        }
        Some(Outcome::refused(format!("{text} {}", reply["error"])))
    }
}

impl Surface for Speaking {
    fn name(&self) -> &'static str {
        "mcp"
    }

    fn takes(&self, one: &Try, in_dialogue: bool) -> bool {
        one.call.is_some() || in_dialogue
    }

    fn call(&self, tool: &str, one: &Try, session: &str) -> Option<Outcome> {
        let mut call = Map::from_iter([
            ("name".to_owned(), Json::from(tool)),
            ("session".to_owned(), Json::from(session)),
        ]);
        call.extend(one.arguments().map(|arguments| ("arguments".to_owned(), arguments.clone())));
        if one.approves {
            let asked = self.tool("tools_call", &Json::Object(call.clone()))?;
            if asked.mode != "clarify" {
                return Some(Outcome {
                    mode: format!("{} without a question", asked.mode),
                    ..asked
                });
            }
            call.insert("approved".to_owned(), true.into());
        }
        self.tool("tools_call", &Json::Object(call))
    }

    fn say(&self, words: &str, session: &str) -> Option<Outcome> {
        self.tool("router_answer", &json!({ "text": words, "session": session }))
    }
}

/// The lines of a stream as they come.
fn lines(stream: impl Read + Send + 'static) -> Receiver<String> {
    let (out, lines) = channel();
    let stream = BufReader::new(stream);
    thread::spawn(move || stream.lines().map_while(Result::ok).try_for_each(|line| out.send(line)));
    lines
}

/// The argument that names a server which this program plays.
pub(crate) fn server(name: &str, file: &Path) -> String {
    let program = std::env::current_exe().unwrap();
    format!("{name}='{}' --play '{}'", program.display(), file.display())
}

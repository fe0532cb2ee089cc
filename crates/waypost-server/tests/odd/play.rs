//! The tool server of the cases: it lists, answers and asks as a file says, on standard input and output.
//!
//! Each request has a thread of its own, so that one without an answer keeps no other from having its own. What
//! is called is written into a file beside the one that says what to do.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Map, Value as Json, json};

/// Writes what a server is to do; returns the file.
pub(crate) fn write(
    folder: &Path,
    name: &str,
    pages: &Json,
    hello: &Json,
    replies: &Json,
) -> PathBuf {
    let file = folder.join(format!("{name}.json"));
    let play = json!({ "list": pages, "hello": hello, "replies": replies });
    std::fs::write(&file, play.to_string()).unwrap();
    std::fs::write(log(&file), "").unwrap();
    file
}

/// The file of the calls that a server got.
pub(crate) fn log(file: &Path) -> PathBuf {
    file.with_extension("calls")
}

/// Plays a server until its input ends.
pub(crate) fn run(file: &str) {
    let player = Arc::new(Player::new(Path::new(file)));
    for line in io::stdin().lock().lines() {
        let Ok(line) = line else { return };
        let Ok(message) = serde_json::from_str::<Json>(&line) else { continue };
        let Some(id) = message.get("id") else { continue };
        if message.get("method").is_none() {
            let asked = player.asked.lock().unwrap().remove(&id.to_string());
            if let Some(asked) = asked {
                let _ =
                    asked.send(if message.get("result").is_some() { "result" } else { "error" });
            }
            continue;
        }
        let player = Arc::clone(&player);
        thread::spawn(move || player.answer(&message));
    }
}

struct Player {
    play: Json,
    calls: Mutex<File>,
    /// The requests of the server whose answers are waited for, by their ids.
    asked: Mutex<BTreeMap<String, Sender<&'static str>>>,
}

impl Player {
    fn new(file: &Path) -> Self {
        let play = std::fs::read_to_string(file).unwrap();
        let calls = OpenOptions::new().append(true).open(log(file)).unwrap();
        Self {
            play: serde_json::from_str(&play).unwrap(),
            calls: Mutex::new(calls),
            asked: Mutex::default(),
        }
    }

    fn answer(&self, message: &Json) {
        let params = &message["params"];
        let acts = match message["method"].as_str().unwrap_or_default() {
            "initialize" => {
                self.play["hello"].as_array().cloned().unwrap_or_else(|| greeting(params))
            }
            "tools/list" => self.page(params),
            "tools/call" => self.call(params),
            "ping" => vec![json!({ "result": {} })],
            _ => vec![json!({ "error": { "code": -32601, "message": "there is no such method" } })],
        };
        self.act(&acts, message);
    }

    fn page(&self, params: &Json) -> Vec<Json> {
        let cursor = match params.get("cursor") {
            None | Some(Json::Null) => String::new(),
            Some(Json::String(cursor)) if cursor.is_empty() => "EMPTY".to_owned(),
            Some(Json::String(cursor)) => cursor.clone(),
            Some(other) => other.to_string(),
        };
        let page = self.play["list"].get(&cursor).and_then(Json::as_array).cloned();
        let refused = json!({ "error": { "code": -32602, "message": "there is no such page" } });
        page.unwrap_or_else(|| vec![refused])
    }

    fn call(&self, params: &Json) -> Vec<Json> {
        let name = params["name"].as_str().unwrap_or_default();
        let call = json!([name, params.get("arguments")]);
        writeln!(self.calls.lock().unwrap(), "{call}").unwrap();
        let acts = self.play["replies"].get(name).and_then(Json::as_array).cloned();
        let ran = json!({ "content": [{ "type": "text", "text": format!("{name} ran") }] });
        acts.unwrap_or_else(|| vec![json!({ "result": ran })])
    }

    fn act(&self, acts: &[Json], message: &Json) {
        let id = message["id"].to_string();
        let token = message["params"]["_meta"]["progressToken"].to_string();
        let filled =
            |text: &Json| text.as_str().unwrap().replace("$ID", &id).replace("$TOKEN", &token);
        let mut got = String::new();
        for act in acts {
            let (what, with) = act.as_object().and_then(|act| act.iter().next()).unwrap();
            match what.as_str() {
                "line" => say(&filled(with)),
                "repeat" => {
                    (0..with[0].as_u64().unwrap()).for_each(|_| say(&filled(&with[1])));
                }
                "ask" => {
                    let asked = self.ask(&filled(with));
                    got = asked.recv().unwrap_or("nothing").to_owned();
                }
                what => {
                    let with = with.to_string().replace("$GOT", &got);
                    say(&format!(r#"{{"jsonrpc":"2.0","id":{id},"{what}":{with}}}"#));
                }
            }
        }
    }

    /// Sends a request of the server; returns where its answer comes.
    fn ask(&self, line: &str) -> Receiver<&'static str> {
        let (sender, receiver) = channel();
        let request: Json = serde_json::from_str(line).unwrap();
        self.asked.lock().unwrap().insert(request["id"].to_string(), sender);
        say(line);
        receiver
    }
}

fn greeting(params: &Json) -> Vec<Json> {
    vec![json!({ "result": {
        "protocolVersion": params["protocolVersion"],
        "capabilities": { "tools": {} },
        "serverInfo": { "name": "odd", "version": "1" },
    } })]
}

/// Writes a line; ends the server if nobody reads any more.
fn say(line: &str) {
    let mut out = io::stdout().lock();
    if out.write_all(format!("{line}\n").as_bytes()).and_then(|()| out.flush()).is_err() {
        std::process::exit(0);
    }
}

/// The calls that servers got, by tool, as far as their files were read.
pub(crate) struct Calls {
    files: Vec<PathBuf>,
}

impl Calls {
    pub(crate) fn new(files: &[PathBuf]) -> Self {
        Self { files: files.iter().map(|file| log(file)).collect() }
    }

    /// The arguments of all calls of a tool so far.
    pub(crate) fn of(&self, tool: &str) -> Vec<Json> {
        let mut calls = Vec::new();
        for file in &self.files {
            let text = std::fs::read_to_string(file).unwrap();
            // A line that is being written is not whole yet.
            let lines = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
            let read = lines.map(|line| serde_json::from_str::<Json>(line).expect(line));
            calls.extend(read.filter(|call| call[0] == tool).map(|call| call[1].clone()));
        }
        calls
    }
}

/// The pages of a list of one page.
pub(crate) fn one_page(tools: &[Json]) -> Json {
    let acts = json!([{ "result": { "tools": tools } }]);
    Json::Object(Map::from_iter([(String::new(), acts)]))
}

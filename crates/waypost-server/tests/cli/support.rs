//! Runs the program in a home of its own and reads what comes back.

use std::cell::RefCell;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value as Json, json};
use tempfile::TempDir;
use waypost_testing::Scripted;

use crate::shared_students;

/// The program under test.
pub(crate) const WAYPOST: &str = env!("CARGO_BIN_EXE_waypost");
/// The instant of the questions: a morning of which the data end the day before.
pub(crate) const NOW: &str = "2025-11-06T09:00:00+08:00";
/// A time longer than any run takes, on a busy machine too; more is a hang.
const DEADLINE: Duration = Duration::from_secs(90);

/// An edit of a pack after which its student is never sure of a tool, whatever it has learned.
pub(crate) const UNSURE: (&str, &str) = ("  max_calls: 6\n", "  max_calls: 6\n  student: 1.0\n");

/// Words of a program's inside that no user may see.
const INTERNAL: [&str; 9] =
    ["127.0.0.1", "panicked", "reqwest", "serde", "rmcp", "sqlx", ".rs:", "Error {", "Some("];

/// A home of its own, with what else a test sets.
pub(crate) struct Home {
    folder: TempDir,
    variables: Vec<(String, String)>,
    /// True if it was lent the students that tests share.
    lent: bool,
}

/// The result of a run.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Home {
    /// A home in which the students of earlier tests need not be trained again; else it is empty.
    pub(crate) fn new() -> Self {
        let mut home = Self::untrained();
        home.lent = true;
        shared_students::lend(home.folder.path());
        home
    }

    /// A home in which nothing was trained, for tests of the training or of the cache itself.
    pub(crate) fn untrained() -> Self {
        Self { folder: TempDir::new().unwrap(), variables: Vec::new(), lent: false }
    }

    /// A home with this `waypost.toml`.
    pub(crate) fn with_config(text: &str) -> Self {
        let home = Self::new();
        home.write("waypost.toml", text);
        home
    }

    /// A home whose tools run in the sample server with a fault on, its data ending before [`NOW`].
    pub(crate) fn with_fault(fault: &str) -> Self {
        Self::with_config(&server(&[WAYPOST, "demo", "ocean", "--now", NOW, "--fault", fault]))
    }

    /// Adds a model in the slot `main`.
    pub(crate) fn model(self, server: &Scripted) -> Self {
        self.set("WAYPOST_MAIN_URL", &server.url()).set("WAYPOST_MAIN_MODEL", "scripted")
    }

    pub(crate) fn set(mut self, variable: &str, value: &str) -> Self {
        self.variables.push((variable.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// The names of what lies in the home, the students that it was lent aside.
    pub(crate) fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.retain(|name| !(self.lent && name == "cache"));
        names.sort();
        names
    }

    /// The students that packs trained and that are kept for the next start; nothing else may lie
    /// where they do.
    pub(crate) fn students(&self) -> Vec<PathBuf> {
        let inner = |folder: &Path| -> Vec<PathBuf> {
            let entries = fs::read_dir(folder).into_iter().flatten();
            entries.map(|entry| entry.unwrap().path()).collect()
        };
        let (cache, folder) = (self.path("cache"), self.path("cache/students"));
        assert!(inner(&cache).iter().all(|path| *path == folder), "{:?}", inner(&cache));
        let mut students = inner(&folder);
        students.sort();
        let is_student = |path: &PathBuf| path.extension().is_some_and(|kind| kind == "student");
        assert!(students.iter().all(is_student), "{students:?}");
        students
    }

    /// A copy of the ocean pack in this home, its `pack.yaml` edited; returns its folder.
    pub(crate) fn pack(&self, edits: &[(&str, &str)]) -> String {
        self.pack_of("ocean", edits)
    }

    /// A copy of a pack in this home, its `pack.yaml` edited, without the student of the other; returns its folder.
    pub(crate) fn pack_of(&self, name: &str, edits: &[(&str, &str)]) -> String {
        let folder = self.path("pack");
        copy(&root().join("packs").join(name), &folder);
        fs::remove_file(folder.join("student.bin")).unwrap();
        let path = folder.join("pack.yaml");
        let mut text = fs::read_to_string(&path).unwrap();
        for (from, to) in edits {
            assert!(text.contains(from), "pack.yaml has no `{from}`");
            text = text.replace(from, to);
        }
        fs::write(path, text).unwrap();
        folder.to_string_lossy().into_owned()
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(WAYPOST);
        command.args(args).env_clear().env("WAYPOST_HOME", self.folder.path());
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Run {
        self.run_with(args, b"")
    }

    /// Runs the program on this standard input.
    pub(crate) fn run_with(&self, args: &[&str], input: &[u8]) -> Run {
        finish(self.command(args), input)
    }

    /// `ask` at [`NOW`].
    pub(crate) fn ask(&self, args: &[&str]) -> Run {
        self.run(&[&["ask", "--now", NOW], args].concat())
    }

    /// The envelope that `ask --json` prints at [`NOW`].
    pub(crate) fn envelope(&self, args: &[&str]) -> Json {
        let run = self.ask(&[&["--json"], args].concat());
        run.json()
    }

    /// The decision record that `route` prints at [`NOW`].
    pub(crate) fn decision(&self, args: &[&str]) -> Json {
        self.run(&[&["route", "--now", NOW], args].concat()).json()
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        if self.lent {
            shared_students::take(self.folder.path());
        }
    }
}

impl Run {
    pub(crate) fn json(&self) -> Json {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Every line as JSON.
    pub(crate) fn records(&self) -> Vec<Json> {
        let read = |line: &str| serde_json::from_str(line).expect(line);
        self.stdout.lines().map(read).collect()
    }

    /// Fails the test unless the run ended with this status and said nothing internal.
    #[track_caller]
    pub(crate) fn ended(&self, status: i32) -> &Self {
        assert_eq!(self.status, status, "{self:?}");
        safe(&self.stdout);
        safe(&self.stderr);
        self
    }

    /// Fails the test unless standard error has all of these words.
    #[track_caller]
    pub(crate) fn told(&self, words: &[&str]) -> &Self {
        for word in words {
            assert!(self.stderr.contains(word), "`{word}` is missing: {self:?}");
        }
        self
    }
}

/// The address where `serve` listens if nobody says otherwise: no address of an upstream.
const OWN_ADDRESS: &str = "127.0.0.1:8080";

/// Fails the test if a text for people tells of the program's inside.
#[track_caller]
pub(crate) fn safe(text: &str) {
    let text = text.replace(OWN_ADDRESS, "");
    for word in INTERNAL {
        assert!(!text.contains(word), "`{word}` leaks: {text}");
    }
}

/// The configuration of a tool server for the ocean.
pub(crate) fn server(command: &[&str]) -> String {
    named_server("ocean", command)
}

/// The configuration of the server of this name.
pub(crate) fn named_server(name: &str, command: &[&str]) -> String {
    format!("[servers.{name}]\ncommand = {}\n", json!(command))
}

/// Runs a command to its end.
pub(crate) fn finish(mut command: Command, input: &[u8]) -> Run {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    // A program that leaves without reading it all is part of many tests.
    thread::spawn(move || stdin.write_all(&input));
    let (done, wait) = channel();
    thread::spawn(move || done.send(child.wait_with_output()));
    let output = wait.recv_timeout(DEADLINE).expect("the program hangs").unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    Run {
        status: output.status.code().unwrap_or(-1),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}

/// The folder of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Copies a folder with all that is in it.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, target).unwrap();
        }
    }
}

/// A client that speaks JSON-RPC over the program's streams, so that what is on the wire is seen.
pub(crate) struct McpClient {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    /// Replies that came before somebody waited for them.
    early: RefCell<Vec<Json>>,
    asked: u64,
}

impl McpClient {
    /// Starts `waypost mcp` and shakes hands, as clients until 2025-11-25 do.
    pub(crate) fn start(home: &Home, args: &[&str]) -> Self {
        let mut client = Self::start_stateless(home, args);
        let hello = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" },
        });
        let info = client.request("initialize", &hello);
        assert_eq!(info["result"]["serverInfo"]["name"], "waypost");
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        client
    }

    /// Starts `waypost mcp`, as clients since 2026-07-28 do: each request says all.
    pub(crate) fn start_stateless(home: &Home, args: &[&str]) -> Self {
        let mut command = home.command(&[&["mcp"], args].concat());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (out, lines) = channel();
        thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|l| out.send(l)));
        let stdin = child.stdin.take();
        Self { child, stdin, lines, early: RefCell::default(), asked: 0 }
    }

    /// The reply to a request.
    pub(crate) fn request(&mut self, method: &str, params: &Json) -> Json {
        let id = self.begin(method, params);
        self.reply(id)
    }

    /// The result of a tool.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Json) -> Json {
        self.request("tools/call", &json!({ "name": tool, "arguments": arguments }))
    }

    /// Sends a request and does not wait.
    pub(crate) fn begin(&mut self, method: &str, params: &Json) -> u64 {
        self.asked += 1;
        let id = self.asked;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    pub(crate) fn send(&mut self, message: &Json) {
        let stdin = self.stdin.as_mut().unwrap();
        writeln!(stdin, "{message}").unwrap();
        stdin.flush().unwrap();
    }

    /// The message with this id, in whatever order replies come; every line must be one of the protocol.
    pub(crate) fn reply(&self, id: u64) -> Json {
        let mut early = self.early.borrow_mut();
        if let Some(at) = early.iter().position(|message| message["id"] == id) {
            return early.remove(at);
        }
        loop {
            let line = self.lines.recv_timeout(DEADLINE).expect("no reply");
            let message: Json = serde_json::from_str(&line).expect(&line);
            assert_eq!(message["jsonrpc"], "2.0", "{line}");
            if message["id"] == id {
                return message;
            }
            early.push(message);
        }
    }

    /// The messages before the reply with this id, and the reply.
    pub(crate) fn all_until(&self, id: u64) -> Vec<Json> {
        let mut messages: Vec<Json> = Vec::new();
        while messages.last().is_none_or(|message| message["id"] != id) {
            let line = self.lines.recv_timeout(DEADLINE).expect("no reply");
            messages.push(serde_json::from_str(&line).expect(&line));
        }
        messages
    }

    /// The id of the next message that has one.
    pub(crate) fn next_id(&self) -> u64 {
        loop {
            let line = self.lines.recv_timeout(DEADLINE).expect("no reply");
            let message: Json = serde_json::from_str(&line).expect(&line);
            if let Some(id) = message["id"].as_u64() {
                return id;
            }
        }
    }

    /// The program that it talks to.
    #[cfg(all(feature = "png", target_os = "linux"))]
    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    /// Ends its input, waits for its end, and returns the status.
    pub(crate) fn leave(mut self) -> i32 {
        drop(self.stdin.take());
        self.child.wait().unwrap().code().unwrap_or(-1)
    }
}

impl Drop for McpClient {
    fn drop(&mut self) {
        // Only for a test that failed; otherwise it has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

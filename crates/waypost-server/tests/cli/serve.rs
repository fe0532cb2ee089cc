//! `waypost serve`: it starts, stops and refuses as it should, and versions are put in service
//! while it works.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::support::{Home, NOW, WAYPOST, safe, server};

/// A time longer than anything here takes.
const DEADLINE: Duration = Duration::from_secs(90);

/// A server that runs until it is dropped.
pub(crate) struct Serving {
    child: Child,
    pub(crate) site: Site,
    /// What was said before it took requests.
    pub(crate) said: Vec<String>,
    lines: Receiver<String>,
}

impl Serving {
    pub(crate) fn start(home: &Home, args: &[&str]) -> Self {
        let mut command = home.command(&[&["serve", "--listen", "127.0.0.1:0"], args].concat());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let output = BufReader::new(child.stderr.take().unwrap());
        let (out, lines) = channel();
        thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|l| out.send(l)));
        let mut said = Vec::new();
        let address = loop {
            let line = lines.recv_timeout(DEADLINE).expect("it says where it listens");
            let address = line.strip_prefix("listening on ");
            if let Some((_, address)) = address.and_then(|url| url.split_once("://")) {
                break address.parse().unwrap();
            }
            said.push(line);
        };
        Self { child, site: Site(address), said, lines }
    }

    /// The id of its process.
    #[cfg(target_os = "linux")]
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal, waits for the end, and returns the status and what was said.
    #[cfg(unix)]
    pub(crate) fn signal(mut self, name: &str) -> (i32, Vec<String>) {
        let id = self.child.id().to_string();
        let sent = std::process::Command::new("kill").args([name, &id]).status().unwrap();
        assert!(sent.success());
        let status = self.child.wait().unwrap().code().unwrap_or(-1);
        (status, std::iter::from_fn(|| self.lines.recv_timeout(DEADLINE).ok()).collect())
    }
}

/// The address where a server listens.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Site(SocketAddr);

impl Site {
    /// An address of this machine at which nothing listens.
    pub(crate) fn free() -> Self {
        Self(TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap())
    }

    pub(crate) fn address(self) -> SocketAddr {
        self.0
    }

    /// Asks, and returns status and body.
    pub(crate) fn ask(
        self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> (u16, String) {
        ask(self.0, method, path, headers, body)
    }

    /// Asks, and returns the head of the reply and its body.
    pub(crate) fn exchange(
        self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> (String, String) {
        exchange(self.0, method, path, headers, body)
    }

    pub(crate) fn json(self, method: &str, path: &str, body: &Json) -> Json {
        let (status, body) =
            self.ask(method, path, &[("content-type", "application/json")], &body.to_string());
        assert_eq!(status, 200, "{body}");
        serde_json::from_str(&body).unwrap()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Asks, and returns status and body.
fn ask(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> (u16, String) {
    let (head, body) = exchange(address, method, path, headers, body);
    (head.split(' ').nth(1).unwrap().parse().unwrap(), body)
}

/// One request on a connection of its own; returns the head of the reply and its body.
fn exchange(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> (String, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(DEADLINE)).unwrap();
    let mut request = format!(
        "{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-length: {}\r\n",
        body.len()
    );
    for (name, value) in headers {
        request.push_str(&format!("{name}: {value}\r\n"));
    }
    stream.write_all(format!("{request}\r\n{body}").as_bytes()).unwrap();
    let mut reply = Vec::new();
    stream.read_to_end(&mut reply).unwrap();
    let reply = String::from_utf8(reply).unwrap();
    let (head, body) = reply.split_once("\r\n\r\n").expect("a head");
    let chunked = head.to_lowercase().contains("transfer-encoding: chunked");
    (head.to_owned(), if chunked { unchunked(body) } else { body.to_owned() })
}

fn unchunked(mut body: &str) -> String {
    let mut text = String::new();
    while let Some((length, rest)) = body.split_once("\r\n") {
        let length = usize::from_str_radix(length, 16).unwrap();
        text.push_str(&rest[..length]);
        body = &rest[(length + 2).min(rest.len())..];
    }
    text
}

#[cfg(unix)]
#[test]
fn the_progress_of_tools_is_streamed() {
    let serving = Serving::start(&Home::with_fault("steps:20"), &[]);
    let body = json!({ "text": "現在台灣周遭海溫多少？", "now": NOW }).to_string();
    let headers = [("content-type", "application/json"), ("accept", "text/event-stream")];
    let (status, events) = serving.site.ask("POST", "/v1/answer", &headers, &body);
    assert_eq!(status, 200, "{events}");
    let data = events.lines().filter_map(|line| line.strip_prefix("data: "));
    let data = data.map(|line| serde_json::from_str::<Json>(line).unwrap());
    let reports: Vec<Json> = data
        .filter(|event| event["type"] == "tool" && event["data"]["status"] == "progress")
        .map(|event| event["data"].clone())
        .collect();
    // The day has no data, and the tool is called again for the day before. A result may overtake the
    // last report before it.
    assert!((8..=10).contains(&reports.len()), "{events}");
    let first = json!({ "tool": "ghrsst.bbox_mean", "status": "progress", "done": 1.0,
        "total": 5.0, "message": "step 1" });
    assert_eq!(reports[0], first);
}

#[test]
fn it_answers_and_stops_by_a_signal() {
    let home = Home::with_config(&server(&[WAYPOST, "demo", "ocean", "--now", NOW]));
    for signal in ["-TERM", "-INT"] {
        let serving = Serving::start(&home, &[]);
        let asked = json!({ "text": "海溫多少", "now": NOW, "session": "s" });
        assert_eq!(serving.site.json("POST", "/v1/answer", &asked)["mode"], "clarify");
        let (status, said) = serving.signal(signal);
        assert_eq!((status, said.last().map(String::as_str)), (0, Some("stopped")), "{said:?}");
    }
    // The session and its events are written by then.
    let events = home.run(&["events", "export", "--session", "s"]).records();
    assert!(events.iter().any(|event| event["type"] == "router_event"), "{events:?}");
}

#[cfg(unix)]
#[test]
fn it_stops_in_its_time_while_a_tool_hangs() {
    let hangs = server(&[WAYPOST, "demo", "ocean", "--now", NOW, "--fault", "delay:600000"]);
    let home = Home::with_config(&format!("{hangs}[limits]\ngrace_seconds = 1\n"));
    let serving = Serving::start(&home, &[]);
    let mut stream = TcpStream::connect(serving.site.0).unwrap();
    let body = json!({ "text": "現在台灣周遭海溫多少？", "now": NOW }).to_string();
    let head = "POST /v1/answer HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\n\
                content-type: application/json\r\n";
    write!(stream, "{head}content-length: {}\r\n\r\n{body}", body.len()).unwrap();
    let mut events = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
    assert!(events.any(|line| line.contains("\"status\":\"started\"")), "the tool is called");
    // It ends long before the tool does.
    let (status, said) = serving.signal("-TERM");
    assert_eq!((status, said.last().map(String::as_str)), (0, Some("stopped")), "{said:?}");
}

#[test]
fn an_address_that_others_reach_is_refused_and_a_port_that_is_taken_is_told() {
    let home = Home::new();
    let run = home.run(&["serve", "--listen", "0.0.0.0:0"]);
    run.ended(2).told(&["`0.0.0.0:0` can be reached from other machines", "hint: "]);
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let run = home.run(&["serve", "--listen", &address]);
    assert_eq!(run.status, 4, "{run:?}");
    run.told(&["cannot listen on", "hint: choose another port"]);
    home.run(&["serve", "--listen", "here"]).ended(2);
}

/// The number of times that a version is promoted and taken back under load.
const ROUNDS: usize = 100;
/// The interval of the rounds in which the test waits until the promoted version serves. In the
/// others the next change comes at any moment, also while the one before is being taken up.
const WAITED_FOR: usize = 10;

/// A pack of two routes, which every command reads in no time; returns its folder.
pub(crate) fn small_pack(home: &Home) -> String {
    home.write(
        "desk/pack.yaml",
        "name: desk\nsummary: A test.\nformat: 1\nlanguages: [en]\ntz: UTC\nfallback: chat\nroutes:\n  \
         - {name: help, handler: explain, summary: The user wants something explained.}\n  \
         - {name: chat, handler: explain, summary: The user talks.}\n",
    );
    let things = ["a loop", "an endpoint", "a list", "a map"];
    let lines = things.iter().flat_map(|thing| {
        [
            ("help", format!("help me with {thing}")),
            ("help", format!("explain what {thing} does")),
            ("chat", format!("thanks for the words on {thing}")),
            ("chat", format!("good morning, I like {thing}")),
        ]
    });
    let lines = lines.map(|(route, text)| {
        format!("{}\n", json!({ "text": text, "lang": "en", "route": route }))
    });
    home.write("desk/examples.jsonl", &lines.collect::<String>());
    home.path("desk").display().to_string()
}

/// Keeps a student of the pack as a version; another seed makes another bundle.
fn kept(home: &Home, pack: &str, seed: &str) -> String {
    let run = home.run(&["train", "--save", "--json", "--pack", pack, "--seed", seed]);
    run.ended(0).json()["bundle"].as_str().unwrap().to_owned()
}

#[test]
fn a_hundred_promotes_and_rollbacks_under_load_fail_no_request_and_split_no_decision() {
    let home = Home::new();
    let pack = small_pack(&home);
    let (first, second) = (kept(&home, &pack, "1"), kept(&home, &pack, "2"));
    let promote = |number: &str| {
        let args = ["promote", number, "--pack", &pack, "--force", "--because", "a try"];
        home.run(&args).ended(0);
    };
    promote("1");
    let serving = Serving::start(&home, &["--pack", &pack]);
    let site = serving.site;
    let body = json!({ "text": "please explain what an endpoint is", "now": NOW });
    let over = AtomicBool::new(false);
    let decided: Mutex<BTreeMap<String, Vec<Json>>> = Mutex::default();
    let running = || {
        let models = site.json("GET", "/v1/students", &json!({}));
        (models["running"]["bundle"].clone(), models["champion"].clone())
    };
    thread::scope(|scope| {
        let client = || {
            while !over.load(Ordering::SeqCst) {
                let decision = site.json("POST", "/v1/route", &body);
                let bundle = decision["bundle"].as_str().unwrap().to_owned();
                let mut decided = decided.lock().unwrap();
                let records = decided.entry(bundle).or_default();
                if !records.contains(&decision) {
                    records.push(decision);
                }
            }
        };
        let clients: Vec<_> = (0..4).map(|_| scope.spawn(client)).collect();
        let serves = |bundle: &str, version: u64| {
            while running() != (json!(bundle), json!(version)) {
                thread::yield_now();
            }
        };
        for round in 1..=ROUNDS {
            promote("2");
            if round % WAITED_FOR == 0 {
                serves(&second, 2);
            }
            home.run(&["rollback", "--pack", &pack]).ended(0);
            if round % WAITED_FOR == 0 {
                serves(&first, 1);
            }
        }
        over.store(true, Ordering::SeqCst);
        clients.into_iter().for_each(|client| client.join().unwrap());
    });
    let decided = decided.into_inner().unwrap();
    let bundles: Vec<&String> = decided.keys().collect();
    assert!(bundles.len() == 2 && bundles.contains(&&first), "{bundles:?}");
    assert!(decided.values().all(|records| records.len() == 1), "{decided:?}");
    let (_, figures) = site.ask("GET", "/metrics", &[], "");
    let swaps = figures.lines().find_map(|line| line.strip_prefix("waypost_bundle_swaps_total "));
    assert!(swaps.unwrap().parse::<usize>().unwrap() >= 2 * ROUNDS / WAITED_FOR, "{swaps:?}");
    let models = site.json("GET", "/v1/students", &json!({}));
    assert_eq!(models["versions"].as_array().unwrap().len(), 2);
    assert!(models["versions"][0]["sessions"].is_null(), "{models}");
    safe(&models.to_string());
}

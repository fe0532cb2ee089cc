//! Tool servers that go and come back while the program runs, what their lists leave out, and how they say that something failed.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};

use serde_json::{Value as Json, json};

use crate::odd_servers::server;
use crate::serve::Serving;
use crate::support::{Home, NOW, Run};

/// A tool server over HTTP in Python. `SPEC` is what it offers: its tools, the results of calls by tool, and how it refuses the
/// first call of a session (`ends`: status and error). It prints its port, and writes each method to `methods`.
const HTTP: &str = r#"
import json, os, sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
here = os.path.dirname(os.path.abspath(__file__))
spec = json.load(open(os.path.join(here, sys.argv[1])))
dead, begun = set(), []
class Server(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def log_message(self, *_):
        pass
    def reply(self, status, value, session=None):
        body = b"" if value is None else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        if session:
            self.send_header("mcp-session-id", session)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def do_GET(self):
        self.reply(405, None)
    do_DELETE = do_GET
    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        method, session = message.get("method"), self.headers.get("mcp-session-id")
        with open(os.path.join(here, "methods"), "a") as log:
            log.write(f"{method} {json.dumps(message.get('params', {}).get('arguments'))}\n")
        if "id" not in message:
            return self.reply(202, None)
        if method == "server/discover":
            return self.reply(400, {"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "no"}})
        if method == "initialize":
            begun.append(f"s{len(begun)}")
            result = {"protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "odd", "version": "1"}}
            return self.reply(200, {"jsonrpc": "2.0", "id": message["id"], "result": result}, begun[-1])
        if method == "tools/call" and spec.get("ends") and len(begun) == 1:
            dead.add(session)
        if session in dead:
            status, error = spec["ends"]
            return self.reply(status, error and {"jsonrpc": "2.0", "id": None, "error": error})
        result = {"tools": spec["tools"]}
        if method == "tools/call":
            name = message["params"]["name"]
            result = spec.get("results", {}).get(name, {"content": [{"type": "text", "text": name + " says hello"}]})
        self.reply(200, {"jsonrpc": "2.0", "id": message["id"], "result": result})
server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2])), Server)
print(server.server_port, flush=True)
server.serve_forever()
"#;

/// A server over HTTP that runs until it is dropped.
struct Far {
    child: Child,
    port: u16,
}

impl Far {
    fn start(home: &Home, spec: &Json, port: u16) -> Self {
        home.write("far.py", HTTP);
        home.write("far.json", &spec.to_string());
        let python = if cfg!(windows) { "python" } else { "python3" };
        let mut command = Command::new(python);
        command.arg(home.path("far.py")).args(["far.json", &port.to_string()]);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self { child, port: line.trim().parse().unwrap() }
    }

    fn url(&self) -> String {
        url(self.port)
    }
}

impl Drop for Far {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn url(port: u16) -> String {
    format!("http://127.0.0.1:{port}/mcp")
}

/// A port on which nothing listens.
fn free_port() -> u16 {
    TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port()
}

fn tool(name: &str, summary: &str, reads: bool) -> Json {
    json!({ "name": name, "description": summary, "inputSchema": { "type": "object" },
            "annotations": { "readOnlyHint": reads, "destructiveHint": false } })
}

fn tower() -> Json {
    json!({ "tools": [tool("read_tower_gauge", "Read the gauge of the tower.", true),
                      tool("paint_the_fence", "Paint the fence of the garden.", false)] })
}

fn methods(home: &Home, method: &str) -> usize {
    let all = fs::read_to_string(home.path("methods")).unwrap_or_default();
    all.lines().filter(|line| line.split(' ').next() == Some(method)).count()
}

#[test]
fn a_call_whose_session_ended_is_made_in_a_new_one() {
    for ends in [
        json!([400, { "code": -32000, "message": "Bad Request: No valid session ID provided" }]),
        json!([404, { "code": -32001, "message": "Session not found" }]),
        json!([404, null]),
        json!([401, null]),
        json!([410, null]),
    ] {
        let home = Home::new();
        let mut spec = tower();
        spec["ends"] = ends.clone();
        let far = Far::start(&home, &spec, 0);
        let run = home.run(&["ask", "--mcp", &far.url(), "read the gauge of the tower"]);
        assert!(run.ended(0).stdout.contains("read_tower_gauge says hello"), "{ends}: {run:?}");
        assert_eq!((methods(&home, "initialize"), methods(&home, "tools/call")), (2, 2), "{ends}");
    }
}

#[test]
fn a_write_whose_session_ended_is_not_made_again_by_itself() {
    let home = Home::new();
    let mut spec = tower();
    spec["ends"] = json!([404, { "code": -32001, "message": "Session not found" }]);
    let far = Far::start(&home, &spec, 0);
    let url = far.url();
    let serving = Serving::start(&home, &["--mcp", &url]);
    let say = |text: &str| {
        let request = json!({ "text": text, "now": NOW, "session": "ana" });
        serving.site.json("POST", "/v1/answer", &request)
    };
    let asked = say("paint the fence of the garden");
    assert_eq!(asked["raw"]["plan"]["reason"], "gate:approval", "{asked}");
    let failed = say("yes");
    assert_eq!(failed["error"]["code"], "UNAVAILABLE", "{failed}");
    let text = failed["text"].as_str().unwrap();
    assert!(text.contains("paint_the_fence") && text.contains("Session not found"), "{text}");
    assert_eq!(methods(&home, "tools/call"), 1);
    // Asked for and approved again, it is made in a new session.
    say("paint the fence of the garden");
    let done = say("yes");
    assert!(done["text"].as_str().unwrap().contains("paint_the_fence says hello"), "{done}");
    assert_eq!((methods(&home, "initialize"), methods(&home, "tools/call")), (2, 2));
}

#[test]
fn a_server_that_was_down_at_the_start_serves_once_it_is_back() {
    let home = Home::new();
    let near = server(
        &home,
        r#"TOOLS = [tool("read_tower_gauge", "Read the gauge of the tower."), tool("read_moat", "Read the depth of the moat.")]"#,
    );
    let port = free_port();
    let castle = format!("castle={}", url(port));
    let serving = Serving::start(&home, &["--mcp", &near, "--mcp", &castle]);
    let say = |text: &str| {
        let answer = serving.site.json("POST", "/v1/answer", &json!({ "text": text, "now": NOW }));
        answer["text"].as_str().unwrap().to_owned()
    };
    assert!(say("read the gauge of the tower").contains("read_tower_gauge says hello"));
    let pack = || {
        let (_, body) = serving.site.ask("GET", "/v1/catalog", &[], "");
        serde_json::from_str::<Json>(&body).unwrap()["packs"][0].clone()
    };
    let before = pack();
    assert_eq!(before["name"], "odd-castle");
    let spec = json!({ "tools": [
        tool("count_flags", "Count the flags of the castle.", true),
        tool("read_moat", "Read the depth of the moat.", true),
    ] });
    let _castle = Far::start(&home, &spec, port);
    assert!(say("count the flags of the castle").contains("count_flags says hello"));
    let now = pack();
    let names: Vec<&str> = now["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    // What was there keeps its name.
    assert_eq!(names, ["read_tower_gauge", "read_moat", "count_flags", "castle_read_moat"]);
    assert_eq!(now["name"], before["name"]);
    assert!(say("read the gauge of the tower").contains("read_tower_gauge says hello"));
}

#[test]
fn a_list_is_asked_for_once_for_several_reads_and_before_each_write() {
    let home = Home::new();
    let far = Far::start(&home, &tower(), 0);
    let url = far.url();
    let serving = Serving::start(&home, &["--mcp", &url]);
    let say = |text: &str| {
        let request = json!({ "text": text, "now": NOW, "session": "ana" });
        serving.site.json("POST", "/v1/answer", &request)
    };
    let first = methods(&home, "tools/list");
    for _ in 0..4 {
        say("read the gauge of the tower");
    }
    assert_eq!((methods(&home, "tools/call"), methods(&home, "tools/list")), (4, first));
    say("paint the fence of the garden");
    say("yes");
    assert_eq!((methods(&home, "tools/call"), methods(&home, "tools/list")), (5, first + 1));
}

#[test]
fn a_server_of_this_machine_has_a_name() {
    let home = Home::new();
    let far = Far::start(&home, &tower(), 0);
    let serving = Serving::start(&home, &["--mcp", &far.url()]);
    let (_, body) = serving.site.ask("GET", "/v1/catalog", &[], "");
    let catalog: Json = serde_json::from_str(&body).unwrap();
    assert_eq!(catalog["packs"][0]["name"], format!("tools-{}", far.port));
}

fn names(run: &Run) -> usize {
    run.json()["tools"].as_array().unwrap().len()
}

/// A server in Python whose pages are what `page` gives for a mark, or an error if it gives a text.
fn paging(home: &Home, page: &str) -> String {
    let tools = format!(
        r#"
TOOLS = []
{page}
write = print
def print(text, **more):
    message = json.loads(text)
    if "tools" in message.get("result", {{}}):
        given = page(params.get("cursor"))
        if isinstance(given, str):
            message = {{"jsonrpc": "2.0", "id": message["id"], "error": {{"code": -32603, "message": given}}}}
        else:
            message["result"] = given
    write(json.dumps(message), **more)
"#
    );
    server(home, &tools)
}

#[test]
fn all_pages_of_a_list_are_read_and_one_that_fails_costs_itself() {
    let home = Home::new();
    let server = paging(
        &home,
        r#"
def page(cursor):
    n = int(cursor or 0)
    more = {"nextCursor": str(n + 1)} if n < 149 else {}
    return {"tools": [tool(f"read_gauge_{n}", f"Read gauge {n}.")], **more}
"#,
    );
    let run = home.run(&["tools", "--json", "--mcp", &server]);
    assert_eq!(names(run.ended(0)), 150, "{}", run.stderr);
    assert!(!run.stderr.contains("warning"), "{}", run.stderr);
    let server = paging(
        &home,
        r#"
def page(cursor):
    if cursor:
        return "the shelf fell over"
    return {"tools": [tool("read_gauge", "Read the gauge."), tool("read_moat", "Read the moat.")], "nextCursor": "2"}
"#,
    );
    let run = home.run(&["tools", "--json", "--mcp", &server]);
    assert_eq!(names(run.ended(0)), 2, "{}", run.stderr);
    assert_eq!(run.stderr.matches("page 2 did not come").count(), 1, "{}", run.stderr);
    // The same page again and again is one list, and one warning.
    let server = paging(
        &home,
        r#"
def page(cursor):
    return {"tools": [tool("read_gauge", "Read the gauge."), tool("read_moat", "Read the moat.")], "nextCursor": "8"}
"#,
    );
    let run = home.run(&["tools", "--json", "--mcp", &server]);
    assert_eq!(names(run.ended(0)), 2, "{}", run.stderr);
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
}

#[test]
fn a_failure_is_told_as_the_tools_and_in_its_words() {
    let failed = |value: Json| {
        let mut value = value;
        value["isError"] = json!(true);
        value
    };
    let text = |words: &str| json!({ "content": [{ "type": "text", "text": words }] });
    for (result, status, wanted) in [
        (text("NOT_FOUND"), 4, "“read_tower_gauge” found nothing."),
        (
            text("NOT_FOUND: no boat is called Ana"),
            4,
            "“read_tower_gauge” found nothing. The server says: “no boat is called Ana”",
        ),
        (
            json!({ "content": [], "structuredContent": { "err": { "code": "E42", "message": "the log was rotated away" } } }),
            1,
            "“read_tower_gauge” failed. The server says: “E42: the log was rotated away”",
        ),
        (
            text(r#"{"error":{"code":"NOT_FOUND","message":"rope shed is closed"}}"#),
            4,
            "“read_tower_gauge” found nothing. The server says: “rope shed is closed”",
        ),
        (
            text(r#"{"detail":[{"msg":"the oar is too long"}]}"#),
            1,
            "“read_tower_gauge” failed. The server says: “the oar is too long”",
        ),
        (json!({ "content": [] }), 1, "“read_tower_gauge” failed."),
    ] {
        let home = Home::new();
        let mut spec = tower();
        spec["results"] = json!({ "read_tower_gauge": failed(result) });
        let far = Far::start(&home, &spec, 0);
        let run = home.run(&["ask", "--mcp", &far.url(), "read the gauge of the tower"]);
        let said = format!("{}{}", run.stdout, run.stderr);
        assert!(said.contains(wanted) && run.status == status, "{wanted}: {run:?}");
        assert!(!said.contains("place and day"), "{said}");
    }
}

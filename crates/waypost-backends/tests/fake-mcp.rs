//! A tool server for tests that speaks JSON-RPC by hand and goes wrong as its argument says.
//!
//! `fake-mcp MODE [FILE]` with the modes of `main`; FILE gets a line a start, so that tests can
//! count starts. The tool decides the rest: `echo`, `text`, `slow`, `crash`, `large`, `steps`, which
//! reports its progress, and `fail` and `give`, which repeat their argument `result`. The mode
//! `turning` hints that `give` only reads, until a tool was called once.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test's tool"
)]

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, Write};
use std::time::Duration;

use serde_json::{Value, json};

fn main() {
    if let Some(status) = waypost_backends::mcp::keeper::invoked(std::env::args_os().skip(1)) {
        std::process::exit(status.into());
    }
    let mut arguments = std::env::args().skip(1);
    let mode = arguments.next().unwrap_or_default();
    let file = arguments.next().map(|file| {
        let mut file = OpenOptions::new().create(true).append(true).open(file).unwrap();
        file.write_all(b"started\n").unwrap();
        file
    });
    eprintln!("fake-mcp: mode {mode}");
    if let Some(play) = mode.strip_prefix("play:") {
        let play = std::fs::read_to_string(play).unwrap();
        return Player(serde_json::from_str(&play).unwrap()).run();
    }
    if let Some(line) = mode.strip_prefix("stubborn:") {
        return stubborn(line, file.as_ref());
    }
    drop(file);
    match mode.as_str() {
        "exit" => std::process::exit(3),
        "silent" => wait_for_the_end(),
        "garbage" => {
            println!("Welcome to my server!");
            wait_for_the_end();
        }
        "noise" => loop {
            println!("tick");
        },
        "refuse" => serve(true),
        "greet" => {
            println!("Welcome to my server!");
            serve(false);
        }
        _ => serve(false),
    }
}

/// Plays a server of the catalog: `waypost_testing::servers`.
struct Player(Value);

impl Player {
    fn run(&self) {
        self.act("start", &Value::Null);
        for line in io::stdin().lock().lines() {
            let Ok(line) = line else { return };
            let Ok(message) = serde_json::from_str::<Value>(&line) else { continue };
            let moment = match message["method"].as_str() {
                Some("initialize") => "hello",
                Some("tools/list") => "list",
                Some("tools/call") => "call",
                _ => continue,
            };
            if !self.act(moment, &message) {
                let reply = json!({"jsonrpc": "2.0", "id": message["id"], "result": Self::usual(moment, &message)});
                say(&format!("{reply}\n"));
            }
        }
        self.act("end", &Value::Null);
    }

    /// The answer where the play says nothing.
    fn usual(moment: &str, message: &Value) -> Value {
        match moment {
            "call" => json!({"content": [{"type": "text", "text": "done"}]}),
            "list" => json!({"tools": [{"name": "act", "inputSchema": {"type": "object"}}]}),
            _ => answer(message, 1).unwrap(),
        }
    }

    /// Does what the play says; returns whether it says anything.
    fn act(&self, moment: &str, message: &Value) -> bool {
        let acts = self.0[moment].as_array();
        for act in acts.into_iter().flatten() {
            let (what, with) = act.as_object().unwrap().iter().next().unwrap();
            Self::do_one(what, with, message);
        }
        acts.is_some()
    }

    fn do_one(what: &str, with: &Value, message: &Value) {
        let id = message["id"].to_string();
        let token = message["params"]["_meta"]["progressToken"].to_string();
        let filled =
            |text: &Value| text.as_str().unwrap().replace("$ID", &id).replace("$TOKEN", &token);
        let number = with.as_u64().unwrap_or_default() as usize;
        match what {
            "result" | "error" => {
                say(&format!("{}\n", json!({"jsonrpc": "2.0", "id": message["id"], what: with})));
            }
            "line" => say(&format!("{}\n", filled(with))),
            "part" => say(&filled(with)),
            "repeat" => {
                say(&format!("{}\n", filled(&with[1])).repeat(with[0].as_u64().unwrap() as usize));
            }
            "forever" => loop {
                say(&format!("{}\n", filled(with)));
                std::thread::sleep(Duration::from_millis(20));
            },
            "bytes" => say(&format!("{{{}\n", "x".repeat(number))),
            "deep" => say(&format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{}\n",
                "[".repeat(number)
            )),
            "line_of" => {
                let bytes: Vec<u8> = serde_json::from_value(with.clone()).unwrap();
                let mut out = io::stdout().lock();
                let _ = out
                    .write_all(&bytes)
                    .and_then(|()| out.write_all(b"\n"))
                    .and_then(|()| out.flush());
            }
            "stderr" => {
                for _ in 0..with[0].as_u64().unwrap() {
                    let _ = writeln!(io::stderr(), "{}", with[1].as_str().unwrap());
                }
            }
            "stderr_bytes" => {
                let _ = write!(io::stderr(), "{}", "x".repeat(number));
            }
            "exit" => std::process::exit(number as i32),
            "hang" => loop {
                std::thread::park();
            },
            other => panic!("no act `{other}`"),
        }
    }
}

/// Writes; whoever does not listen any more is left alone.
fn say(text: &str) {
    let mut out = io::stdout().lock();
    if out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_err() {
        std::process::exit(0);
    }
}

/// Serves, and then neither ends nor lets those end that `line`, a command of a shell, has started.
fn stubborn(line: &str, held: Option<&File>) {
    let mut shell = std::process::Command::new("sh")
        .args(["-c", line])
        .stdin(std::process::Stdio::null())
        .spawn()
        .unwrap();
    shell.wait().unwrap();
    serve(false);
    while held.is_some() {
        std::thread::park();
    }
}

fn wait_for_the_end() {
    for line in io::stdin().lock().lines() {
        drop(line);
    }
}

fn serve(refuse: bool) {
    let mut called = 0;
    for line in io::stdin().lock().lines() {
        let Ok(line) = line else { return };
        let message: Value = serde_json::from_str(&line).unwrap();
        called += usize::from(message["method"] == "tools/call");
        let Some(id) = message.get("id") else { continue };
        let answer = if refuse {
            Err(json!({"code": -32603, "message": "not today"}))
        } else {
            answer(&message, called)
        };
        let mut reply = json!({"jsonrpc": "2.0", "id": id});
        match answer {
            Ok(result) => reply["result"] = result,
            Err(error) => reply["error"] = error,
        }
        println!("{reply}");
    }
}

fn answer(message: &Value, called: usize) -> Result<Value, Value> {
    let params = &message["params"];
    match message["method"].as_str().unwrap_or_default() {
        "initialize" => Ok(json!({
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "fake", "version": "1"},
        })),
        "tools/list" => Ok(json!({"tools": [
            {
                "name": "echo",
                "description": "says it again",
                "inputSchema": {"type": "object"},
                "outputSchema": {"type": "object"},
                "annotations": {"readOnlyHint": true, "idempotentHint": true},
            },
            {
                "name": "promise",
                "inputSchema": {"type": "object"},
                "outputSchema": {"type": "object", "required": ["kept"]},
            },
            { "name": "give", "inputSchema": {"type": "object"}, "annotations": hints(called) },
            {
                "name": "large",
                "inputSchema": {"type": "object"},
                "annotations": {"readOnlyHint": true},
            },
            { "name": "steps", "inputSchema": {"type": "object"} },
            { "name": "crash", "inputSchema": {"type": "object"} },
        ]})),
        "tools/call" => match params["name"].as_str().unwrap_or_default() {
            "steps" => Ok(steps(params)),
            tool => call(tool, &params["arguments"]),
        },
        _ => Err(json!({"code": -32601, "message": "no such method"})),
    }
}

/// The hints of `give`: as the mode says, and in the mode `turning` sharper once a tool was called.
fn hints(called: usize) -> Value {
    match std::env::args().nth(1).as_deref() {
        Some("reads") => json!({"readOnlyHint": true}),
        Some("idempotent") => json!({"destructiveHint": false, "idempotentHint": true}),
        Some("destroys") => json!({"destructiveHint": true}),
        Some("turning") if called == 0 => json!({"readOnlyHint": true}),
        Some("turning") => json!({"readOnlyHint": false, "destructiveHint": true}),
        _ => json!({}),
    }
}

/// Reports so many steps, each after so many milliseconds, and is done.
fn steps(params: &Value) -> Value {
    let (steps, wait) = (&params["arguments"]["steps"], &params["arguments"]["wait"]);
    for step in 1..=steps.as_u64().unwrap_or_default() {
        std::thread::sleep(Duration::from_millis(wait.as_u64().unwrap_or_default()));
        let report = json!({
            "progressToken": params["_meta"]["progressToken"],
            "progress": step, "total": steps, "message": format!("step {step}\nof work"),
        });
        println!(
            "{}",
            json!({
                "jsonrpc": "2.0", "method": "notifications/progress", "params": report,
            })
        );
    }
    json!({"content": [{"type": "text", "text": "all steps done"}]})
}

fn call(tool: &str, arguments: &Value) -> Result<Value, Value> {
    let text = |text: &str| json!({"content": [{"type": "text", "text": text}]});
    match tool {
        "echo" => Ok(json!({"content": [], "structuredContent": arguments})),
        "text" => Ok(text(&arguments.to_string())),
        "prose" => Ok(text("it is sunny")),
        "fail" | "give" | "promise" => Ok(arguments["result"].clone()),
        "environment" => Ok(json!({"content": [], "structuredContent": {
            "names": std::env::vars().map(|(name, _)| name).collect::<Vec<_>>(),
        }})),
        "pid" => Ok(json!({"content": [], "structuredContent": {"pid": std::process::id()}})),
        "slow" => {
            std::thread::sleep(Duration::from_millis(200));
            Ok(text("{}"))
        }
        "large" => {
            let megabytes = arguments["megabytes"].as_u64().unwrap_or(5) as usize;
            Ok(text(&"x".repeat(megabytes * 1024 * 1024)))
        }
        "babble" => {
            println!("this is no message");
            std::thread::sleep(Duration::from_millis(200));
            Ok(text("{}"))
        }
        "crash" => {
            eprintln!("fatal: out of cheese");
            std::process::exit(7);
        }
        _ => Err(json!({"code": -32602, "message": format!("Unknown tool: {tool}")})),
    }
}

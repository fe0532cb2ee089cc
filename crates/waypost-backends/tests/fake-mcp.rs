//! A tool server for tests that speaks JSON-RPC by hand and goes wrong as its argument says.
//!
//! `fake-mcp MODE [FILE]` with the modes of `main`; FILE gets a line a start, so that tests can
//! count starts. The tool decides the rest: `echo`, `text`, `slow`, `crash`, `large`, `list`, and
//! `fail`, which repeats its argument `result`.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test's tool"
)]

use std::fs::OpenOptions;
use std::io::{self, BufRead, Write};
use std::time::Duration;

use serde_json::{Value, json};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mode = arguments.next().unwrap_or_default();
    if let Some(file) = arguments.next() {
        let mut file = OpenOptions::new().create(true).append(true).open(file).unwrap();
        file.write_all(b"started\n").unwrap();
    }
    eprintln!("fake-mcp: mode {mode}");
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

fn wait_for_the_end() {
    for line in io::stdin().lock().lines() {
        drop(line);
    }
}

fn serve(refuse: bool) {
    for line in io::stdin().lock().lines() {
        let Ok(line) = line else { return };
        let message: Value = serde_json::from_str(&line).unwrap();
        let Some(id) = message.get("id") else { continue };
        let answer = if refuse {
            Err(json!({"code": -32603, "message": "not today"}))
        } else {
            answer(&message)
        };
        let mut reply = json!({"jsonrpc": "2.0", "id": id});
        match answer {
            Ok(result) => reply["result"] = result,
            Err(error) => reply["error"] = error,
        }
        println!("{reply}");
    }
}

fn answer(message: &Value) -> Result<Value, Value> {
    let params = &message["params"];
    match message["method"].as_str().unwrap_or_default() {
        "initialize" => Ok(json!({
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "fake", "version": "1"},
        })),
        "tools/list" => Ok(json!({"tools": [{
            "name": "echo",
            "description": "says it again",
            "inputSchema": {"type": "object"},
            "outputSchema": {"type": "object"},
        }]})),
        "tools/call" => call(params["name"].as_str().unwrap_or_default(), &params["arguments"]),
        _ => Err(json!({"code": -32601, "message": "no such method"})),
    }
}

fn call(tool: &str, arguments: &Value) -> Result<Value, Value> {
    let text = |text: &str| json!({"content": [{"type": "text", "text": text}]});
    match tool {
        "echo" => Ok(json!({"content": [], "structuredContent": arguments})),
        "text" => Ok(text(&arguments.to_string())),
        "prose" => Ok(text("it is sunny")),
        "fail" => Ok(arguments["result"].clone()),
        "environment" => Ok(json!({"content": [], "structuredContent": {
            "names": std::env::vars().map(|(name, _)| name).collect::<Vec<_>>(),
        }})),
        "pid" => Ok(json!({"content": [], "structuredContent": {"pid": std::process::id()}})),
        "slow" => {
            std::thread::sleep(Duration::from_millis(200));
            Ok(text("{}"))
        }
        "large" => Ok(text(&"x".repeat(5 * 1024 * 1024))),
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

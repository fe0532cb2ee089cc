//! Pictures of a tool server that take longer to draw than anybody waits.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Value as Json, json};

use super::{NOW, QUESTION, home};
use crate::support::{Home, McpClient, named_server};

/// A shell that gives the picture of the file `picture`, whichever tool is called.
const SERVER: &str = r#"
reply() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
while IFS= read -r line; do
    id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
    case "$line" in
    *'"initialize"'*) reply '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}';;
    *'"tools/list"'*) reply '{"tools":[{"name":"create_vulnerability_map","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]}';;
    *'"tools/call"'*) reply '{"structuredContent":{"wards_count":1},"content":[{"type":"text","text":"1"},{"type":"image","mimeType":"image/svg+xml","data":"'"$(cat PICTURE)"'"}]}';;
    esac
done
"#;
/// Longer than a server takes to begin, on a busy machine too.
const LONG: Duration = Duration::from_secs(60);
/// Shorter than the time of a drawing.
const SHORT: Duration = Duration::from_secs(3);

/// A picture within all bounds of its form: each group has as many pixels as the whole.
fn endless() -> String {
    svg(1200, &"<g opacity=\".9\"><rect width=\"1200\" height=\"1200\"/></g>".repeat(8000))
}

fn svg(side: u32, inner: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{side}\" height=\"{side}\">{inner}</svg>"
    )
}

/// A client of a program whose tool server is the shell.
fn client() -> (Home, McpClient) {
    let (home, pack) = home();
    let picture = home.path("picture").to_string_lossy().into_owned();
    home.write("server.sh", &SERVER.replace("PICTURE", &format!("'{picture}'")));
    let server = home.path("server.sh").to_string_lossy().into_owned();
    home.write("waypost.toml", &named_server("wards", &["/bin/sh", &server]));
    let client = McpClient::start(&home, &["--pack", &pack]);
    (home, client)
}

/// Has the server give another picture from now on.
fn gives(home: &Home, svg: &str) {
    home.write("picture", &BASE64.encode(svg));
}

/// Asks for a picture and does not wait.
fn asks(client: &mut McpClient) -> u64 {
    let arguments = json!({ "query": QUESTION, "query_time": NOW });
    client.begin("tools/call", &json!({ "name": "router.answer", "arguments": arguments }))
}

/// The kind of the picture of an answer.
fn kind(reply: &Json) -> &str {
    reply["result"]["content"][1]["mimeType"].as_str().unwrap_or_else(|| panic!("{reply}"))
}

/// The folders in `/proc` of those that draw for a client.
fn drawing(client: &McpClient) -> Vec<String> {
    let parent = format!("\nPPid:\t{}\n", client.process());
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap() {
        let folder = entry.unwrap().path().to_string_lossy().into_owned();
        // It may have ended meanwhile.
        let read = |name: &str| fs::read_to_string(format!("{folder}/{name}")).unwrap_or_default();
        if read("cmdline").contains("draw-pictures") && read("status").contains(&parent) {
            found.push(folder);
        }
    }
    found
}

/// Waits until so many draw.
#[track_caller]
fn wait_for(client: &McpClient, count: usize, longest: Duration) -> Vec<String> {
    let begun = Instant::now();
    loop {
        let found = drawing(client);
        if found.len() == count {
            return found;
        }
        assert!(begun.elapsed() < longest, "{count} should draw, and these do: {found:?}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// The largest address space of a process, in bytes.
fn most_memory(folder: &str) -> String {
    let limits = fs::read_to_string(format!("{folder}/limits")).unwrap();
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"));
    line.and_then(|line| line.split_whitespace().next()).unwrap().to_owned()
}

#[test]
fn pictures_that_never_end_are_given_up_and_the_next_one_is_drawn() {
    let (home, mut client) = client();
    gives(&home, &endless());
    let hostile = [asks(&mut client), asks(&mut client)];
    for folder in wait_for(&client, hostile.len(), LONG) {
        assert!(fs::read(format!("{folder}/environ")).unwrap().is_empty());
        let begun = Instant::now();
        while most_memory(&folder) != (1_u64 << 32).to_string() {
            assert!(begun.elapsed() < SHORT, "{}", most_memory(&folder));
            thread::sleep(Duration::from_millis(20));
        }
    }
    for id in hostile {
        assert_eq!(kind(&client.reply(id)), "image/svg+xml");
    }
    wait_for(&client, 0, SHORT);
    gives(&home, &svg(9, "<rect width=\"9\" height=\"9\"/>"));
    let id = asks(&mut client);
    assert_eq!(kind(&client.reply(id)), "image/png");
    assert_eq!(client.leave(), 0);
}

#[test]
fn a_drawing_ends_with_the_request_that_wanted_it() {
    let (home, mut client) = client();
    gives(&home, &endless());
    let id = asks(&mut client);
    wait_for(&client, 1, LONG);
    client.send(&json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id },
    }));
    wait_for(&client, 0, SHORT);
    assert_eq!(client.leave(), 0);
}

#[test]
fn a_program_that_draws_ends_by_itself_where_nobody_ends_it() {
    let svg = endless();
    let length = u32::try_from(svg.len()).unwrap().to_be_bytes();
    let input = [length.as_slice(), svg.as_bytes()].concat();
    let run = Home::new().run_with(&["draw-pictures"], &input);
    assert!(run.status != 0 && run.stdout.is_empty(), "{run:?}");
}

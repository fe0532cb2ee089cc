//! Tool servers and all that they started end with their parent, however it ends.
//!
//! A test runs itself once more as the parent. Every process of the family holds a pipe open that the test
//! reads to its end: it ends when the last of them is gone, and not before.
#![cfg(target_os = "linux")]

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use tokio_util::sync::CancellationToken;
use waypost_backends::mcp::{McpServer, StdioConfig};
use waypost_core::ports::tools::ToolServer;

/// The test below, as the test runner knows it.
const NAME: &str = "children::children_end_with_their_parent";
/// The variable that tells the parent what its server starts.
const FAMILY: &str = "WAYPOST_TEST_CHILDREN";

/// Those that a server may start; none ends by itself, nor does the server.
const FAMILIES: &[(&str, &str)] = &[
    ("nobody", "true"),
    ("a grandchild behind a shell", "sleep 100000 & true"),
    ("one that takes no notice", "trap '' TERM INT HUP; sleep 100000 & true"),
    ("one of a session of its own", "setsid sleep 100000 & true"),
    ("a daemon", "setsid sh -c 'sleep 100000 & sleep 100000 & exit' & wait"),
];

/// The ways in which the parent ends: by itself, or by a signal.
const ENDS: &[Option<&str>] = &[None, Some("INT"), Some("TERM"), Some("KILL")];

/// The parent: starts its server, says so, and waits for the end of its own input.
fn live(family: &str) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut config = StdioConfig::new("fake", env!("CARGO_BIN_EXE_fake-mcp"));
    let (pipe, family) = family.split_once('\n').unwrap();
    config.args = vec![format!("stubborn:exec 9>'{pipe}'; {family}").into(), pipe.into()];
    config.keeper = Some(env!("CARGO_BIN_EXE_fake-mcp").into());
    let server = McpServer::new(config);
    runtime.block_on(server.list(&CancellationToken::new())).unwrap();
    std::io::stdout().lock().write_all(b"ready\n").unwrap();
    let _ = std::io::stdin().read(&mut [0]);
    drop(server);
}

fn ends(family: &str, end: Option<&str>, pipe: &Path) {
    // The server holds it open, and the shell hands it on to all that it starts.
    let family = format!("{}\n{family}", pipe.display());
    let mut parent = Command::new(std::env::current_exe().unwrap())
        .args([NAME, "--exact", "--nocapture"])
        .env(FAMILY, family)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut reader = BufReader::new(std::fs::File::open(pipe).unwrap());
    let mut said = BufReader::new(parent.stdout.take().unwrap()).lines();
    assert!(said.any(|line| line.unwrap().ends_with("ready")), "the parent is not ready");
    match end {
        None => drop(parent.stdin.take()),
        Some(signal) => {
            let pid = parent.id().to_string();
            assert!(Command::new("kill").args(["-s", signal, &pid]).status().unwrap().success());
        }
    }
    parent.wait().unwrap();
    let mut rest = Vec::new();
    reader.read_to_end(&mut rest).unwrap();
}

#[test]
fn children_end_with_their_parent() {
    if let Ok(family) = std::env::var(FAMILY) {
        return live(&family);
    }
    let folder = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for (index, (name, family)) in FAMILIES.iter().enumerate() {
            for (number, end) in ENDS.iter().enumerate() {
                let pipe = folder.path().join(format!("{index}-{number}"));
                assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
                scope.spawn(move || {
                    ends(family, *end, &pipe);
                    eprintln!("{name}, {end:?}: gone");
                });
            }
        }
    });
}

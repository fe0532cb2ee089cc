//! From one command to the first right answer, over servers that nobody has written a pack for: two that pip installs and one
//! of npm.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use crate::servers::{no_network, programs, repository};
use crate::support::{Home, Run};

/// The server of npm with its version.
const FILESYSTEM: &str = "@modelcontextprotocol/server-filesystem@2026.8.31";
/// The longest that a user waits for the first answer. Speed is measured by benchmarks; this is the promise.
const PATIENCE: Duration = Duration::from_secs(10);
/// A machine that is busy with other tests may try again.
const TRIES: usize = 3;

/// The program of the server that npm installs; `None`, and loudly so, where it cannot be had.
fn filesystem() -> Option<&'static Path> {
    static PROGRAM: OnceLock<Option<PathBuf>> = OnceLock::new();
    PROGRAM.get_or_init(install).as_deref()
}

#[expect(clippy::print_stderr, reason = "a test that could not be run must say so")]
fn install() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("npm-servers");
    let program = folder.join("node_modules/.bin/mcp-server-filesystem");
    let installed = folder.join("installed.txt");
    if fs::read_to_string(&installed).is_ok_and(|text| text == FILESYSTEM) {
        return Some(program);
    }
    fs::create_dir_all(&folder).unwrap();
    let npm = ["install", "--silent", "--no-audit", "--no-fund", "--prefix", "."];
    let npm = Command::new("npm").current_dir(&folder).args(npm).arg(FILESYSTEM).output();
    let Ok(npm) = npm else {
        eprintln!("NOT RUN: a server of npm is not tested, there is no `npm`");
        return None;
    };
    let said = String::from_utf8_lossy(&npm.stderr).into_owned();
    if !npm.status.success() && no_network(&said) {
        eprintln!("NOT RUN: a server of npm is not tested, npm has no network:\n{said}");
        return None;
    }
    assert!(npm.status.success(), "npm: {said}");
    fs::write(installed, FILESYSTEM).unwrap();
    Some(program)
}

/// Asks a server that no pack names, until the answer comes in time.
fn ask(home: &Home, server: &str, text: &str) -> Run {
    for _ in 0..TRIES {
        let start = Instant::now();
        let run = home.run(&["ask", "--mcp", server, text]);
        if start.elapsed() <= PATIENCE {
            return run;
        }
    }
    panic!("`{text}` took more than {PATIENCE:?}, {TRIES} times");
}

fn home() -> Home {
    Home::with_config("").set("PATH", &std::env::var("PATH").unwrap())
}

#[test]
fn a_git_server_answers_the_first_question() {
    let Some(programs) = programs() else { return };
    let home = home();
    let folder = repository(&home);
    let program = programs.join("mcp-server-git");
    let server = format!("git={} --repository {}", program.display(), folder.display());
    let run = ask(&home, &server, "git status");
    run.ended(0);
    assert!(run.stdout.contains("notes.txt"), "{run:?}");
}

#[test]
fn a_clock_server_answers_the_first_question() {
    let Some(programs) = programs() else { return };
    let server = format!("time={}", programs.join("mcp-server-time").display());
    let run = ask(&home(), &server, "convert 15:30 from Tokyo to Taipei");
    run.ended(0);
    assert!(run.stdout.contains("T14:30:00+08:00"), "{run:?}");
}

#[test]
fn a_file_server_answers_the_first_question() {
    let Some(program) = filesystem() else { return };
    let home = home();
    let folder = home.path("papers");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("minutes.txt"), "agreed to meet again\n").unwrap();
    let server = format!("files={} {}", program.display(), folder.display());
    let text = format!("read the file {}", folder.join("minutes.txt").display());
    let run = ask(&home, &server, &text);
    run.ended(0);
    assert!(run.stdout.contains("agreed to meet again"), "{run:?}");
}

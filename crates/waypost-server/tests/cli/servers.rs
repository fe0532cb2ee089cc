//! The packs for public servers, over the servers themselves: pip installs them into `target`, and
//! the program starts them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::support::{Home, Run, finish};

/// The servers with their versions.
const REQUIREMENTS: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/packs/requirements.txt");
const TIME: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/packs/time");
const GIT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/packs/git");
/// The words of pip, npm and the system for a network that is not there.
const NO_NETWORK: [&str; 8] = [
    "NewConnectionError",
    "NameResolutionError",
    "Temporary failure in name resolution",
    "Network is unreachable",
    "ConnectTimeoutError",
    "ProxyError",
    "ENOTFOUND",
    "EAI_AGAIN",
];

/// Returns whether an installer says that there is no network.
pub(crate) fn no_network(said: &str) -> bool {
    NO_NETWORK.iter().any(|words| said.contains(words))
}

/// The folder of the servers' programs; `None`, and loudly so, where they cannot be had.
pub(crate) fn programs() -> Option<&'static Path> {
    static PROGRAMS: OnceLock<Option<PathBuf>> = OnceLock::new();
    PROGRAMS.get_or_init(install).as_deref()
}

#[expect(clippy::print_stderr, reason = "a test that could not be run must say so")]
fn install() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("public-servers");
    let programs = folder.join(if cfg!(windows) { "Scripts" } else { "bin" });
    let wanted = fs::read_to_string(REQUIREMENTS).unwrap();
    let installed = folder.join("installed.txt");
    if fs::read_to_string(&installed).is_ok_and(|text| text == wanted) {
        return Some(programs);
    }
    let python = if cfg!(windows) { "python" } else { "python3" };
    let made = Command::new(python).args(["-m", "venv"]).arg(&folder).output();
    if made.is_err() {
        eprintln!("NOT RUN: the public servers are not tested, there is no `{python}`");
        return None;
    }
    let made = made.unwrap();
    assert!(made.status.success(), "venv: {}", String::from_utf8_lossy(&made.stderr));
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1"];
    let mut command = Command::new(programs.join("python"));
    let pip = command.args(pip).args(["--requirement", REQUIREMENTS]).output().unwrap();
    let said = String::from_utf8_lossy(&pip.stderr).into_owned();
    if !pip.status.success() && no_network(&said) {
        eprintln!("NOT RUN: the public servers are not tested, pip has no network:\n{said}");
        return None;
    }
    assert!(pip.status.success(), "pip: {said}");
    fs::write(installed, wanted).unwrap();
    Some(programs)
}

/// A home in which the servers of both packs are the installed ones, which find `git`.
fn home(programs: &Path) -> Home {
    let server = |name: &str| {
        let program = programs.join(format!("mcp-server-{name}"));
        format!("[servers.{name}]\ncommand = {:?}\n", [program.to_string_lossy()])
    };
    Home::with_config(&format!("{}\n{}", server("time"), server("git")))
        .set("PATH", &std::env::var("PATH").unwrap())
}

/// A repository with one commit and one file that is staged.
pub(crate) fn repository(home: &Home) -> PathBuf {
    let folder = home.path("repository");
    fs::create_dir_all(&folder).unwrap();
    git(&folder, &["init", "--quiet", "--initial-branch", "main"]);
    git(&folder, &["config", "user.name", "Ada"]);
    git(&folder, &["config", "user.email", "ada@example.com"]);
    git(&folder, &["commit", "--quiet", "--allow-empty", "--message", "First"]);
    fs::write(folder.join("notes.txt"), "one\n").unwrap();
    git(&folder, &["add", "notes.txt"]);
    folder
}

fn git(folder: &Path, args: &[&str]) -> String {
    let output = Command::new("git").current_dir(folder).args(args).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// `ask` in the folder of a repository.
fn ask(home: &Home, folder: &Path, args: &[&str]) -> Run {
    let mut command = home.command(&[&["ask", "--pack", GIT], args].concat());
    command.current_dir(folder);
    finish(command, b"")
}

#[test]
fn a_public_server_converts_a_time() {
    let Some(programs) = programs() else { return };
    let home = home(programs);
    // Neither place changes its clocks, so that the answer is the same all year.
    let text = "convert 15:30 from Tokyo to Taipei";
    let run = home.run(&["ask", "--pack", TIME, text]);
    run.ended(0);
    assert!(run.stdout.contains("15:30 in Asia/Tokyo is 14:30 in Asia/Taipei"), "{run:?}");
}

#[test]
fn a_public_server_tells_the_time_of_a_place() {
    let Some(programs) = programs() else { return };
    let run = home(programs).run(&["ask", "--pack", TIME, "what time is it in Tokyo right now?"]);
    run.ended(0);
    assert!(run.stdout.contains("in Asia/Tokyo"), "{run:?}");
}

#[test]
fn a_place_that_nobody_knows_is_asked_about() {
    let Some(programs) = programs() else { return };
    let run = home(programs).run(&["ask", "--pack", TIME, "what time is it in Atlantis"]);
    assert!(run.stdout.contains("time zone"), "{run:?}");
    assert!(!run.stdout.contains("Asia/Taipei"), "the time here is not the time there: {run:?}");
}

#[test]
fn a_public_server_shows_the_status_of_a_repository() {
    let Some(programs) = programs() else { return };
    let home = home(programs);
    let folder = repository(&home);
    let run = ask(&home, &folder, &["what's the status of my repo?"]);
    run.ended(0);
    assert!(run.stdout.contains("notes.txt"), "{run:?}");
}

#[test]
fn a_commit_waits_for_an_approval_that_shows_all_of_it_and_is_made_once() {
    let Some(programs) = programs() else { return };
    let home = home(programs);
    let folder = repository(&home);
    let commits = || git(&folder, &["log", "--format=%s"]);
    let turn = |text: &str| ask(&home, &folder, &["--session", "ada", text]);
    let asked = turn("commit with the message \"Write the first note\"");
    for shown in ["git_commit", "on the server git", "repository: .", "Write the first note"] {
        assert!(asked.stdout.contains(shown), "{shown}: {asked:?}");
    }
    assert_eq!(commits(), "First\n", "nothing is written before the user says so");
    let done = turn("yes");
    done.ended(0);
    assert_eq!(commits(), "Write the first note\nFirst\n", "{done:?}");
    turn("yes");
    assert_eq!(commits(), "Write the first note\nFirst\n", "a yes is for one call");
}

#[test]
fn a_branch_is_made_from_its_base_once_that_is_approved() {
    let Some(programs) = programs() else { return };
    let home = home(programs);
    let folder = repository(&home);
    let turn = |text: &str| ask(&home, &folder, &["--session", "ada", text]);
    let asked = turn("create a branch feature/notes from main");
    for shown in ["git_create_branch", "feature/notes", "main"] {
        assert!(asked.stdout.contains(shown), "{shown}: {asked:?}");
    }
    turn("yes").ended(0);
    let branches = git(&folder, &["branch", "--format=%(refname:short)"]);
    assert_eq!(branches, "feature/notes\nmain\n");
}

#[test]
fn what_a_server_says_of_its_own_failure_is_told_in_its_words() {
    let Some(programs) = programs() else { return };
    let home = home(programs);
    let folder = repository(&home);
    let run = ask(&home, &folder, &["show the commit abcdef1"]);
    assert_ne!(run.status, 0, "{run:?}");
    let said = format!("{}{}", run.stdout, run.stderr);
    assert!(said.contains("abcdef1"), "the server's own words: {run:?}");
}

#[test]
fn a_command_that_is_quoted_in_a_question_runs_nothing() {
    let Some(programs) = programs() else { return };
    let home = home(programs);
    let folder = repository(&home);
    let before = git(&folder, &["status", "--porcelain"]);
    for text in ["explain what `git reset --hard` does", "what does `rm -rf` do?"] {
        let run = home.command(&["route", "--pack", GIT, text]);
        let run = finish(run, b"");
        assert!(!run.stdout.contains("git_reset"), "{text}: {run:?}");
        ask(&home, &folder, &[text]);
        assert_eq!(git(&folder, &["status", "--porcelain"]), before, "{text}");
    }
}

#[test]
fn a_commit_that_is_refused_is_not_made() {
    let Some(programs) = programs() else { return };
    let home = home(programs);
    let folder = repository(&home);
    let turn = |text: &str| ask(&home, &folder, &["--session", "ada", text]);
    turn("commit with the message \"Write the first note\"");
    turn("no");
    assert_eq!(git(&folder, &["log", "--format=%s"]), "First\n");
}

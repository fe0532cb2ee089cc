//! `ask --mcp` that leaves its servers ready: the next question starts none and is answered as if it had.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::odd_servers::{none_is_left, server};
use crate::support::{Home, Run, finish};
use crate::terminal::written;

const TOOLS: &str = r#"
path = {"type": "object", "properties": {"path": {"type": "string", "description": "Path of the file"}}, "required": ["path"]}
TOOLS = [tool("list_harbors", "List all harbors of the coast."), tool("read_file", "Read the contents of a file.", inputSchema=path)]
def call(name, arguments):
    return name + " " + json.dumps(arguments)
"#;
const QUESTION: &str = "list all the harbors";
const ANSWER: &str = "list_harbors {}\n";
const READY: &str = "the servers stay ready for 10 minutes";

fn ask(home: &Home, server: &str, keep: &str, more: &[&str]) -> Run {
    home.ask(&[&["--keep", keep, "--mcp", server], more].concat())
}

/// The number of times that the server was started.
fn starts(home: &Home) -> usize {
    fs::read_to_string(home.path("pids")).unwrap_or_default().lines().count()
}

/// The files of the sockets.
fn sockets(home: &Home) -> Vec<PathBuf> {
    let entries = fs::read_dir(home.path("ready")).into_iter().flatten();
    entries.map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn a_second_question_starts_no_server_and_is_answered_the_same() {
    let home = Home::new();
    let server = server(&home, TOOLS);
    let first = ask(&home, &server, "yes", &[QUESTION]);
    assert_eq!(first.ended(0).told(&[READY]).stdout, ANSWER);
    let socket = sockets(&home).remove(0);
    let mode = |path: &PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&home.path("ready")), mode(&socket)), (0o700, 0o600));
    for more in [
        &[QUESTION][..],
        &["--json", QUESTION],
        &["--lang", "es", "lee un archivo"],
        &["--tz", "Nowhere/At", QUESTION],
    ] {
        let before = starts(&home);
        let kept = ask(&home, &server, "yes", more);
        assert_eq!(starts(&home), before, "{more:?}");
        let own = ask(&home, &server, "no", more);
        let all = |run: &Run| (run.status, run.stdout.clone(), run.stderr.clone());
        assert_eq!(all(&kept), all(&own), "{more:?}");
    }
    // A conversation goes on, whoever answers.
    for (session, [one, two]) in [("a", ["yes", "no"]), ("b", ["no", "yes"])] {
        ask(&home, &server, one, &["--session", session, "read a file"]).ended(0);
        let run = ask(&home, &server, two, &["--session", session, "todo.txt"]);
        assert_eq!(run.ended(0).stdout, "read_file {\"path\": \"todo.txt\"}\n", "{session}");
    }
    home.run(&["ask", "--stop"]).ended(0).told(&["the servers that were kept ready end"]);
    assert_eq!(sockets(&home), Vec::<PathBuf>::new());
    none_is_left(&home);
    home.run(&["ask", "--stop"]).ended(0).told(&["no servers are kept ready"]);
}

#[test]
fn a_server_that_was_edited_is_started_anew() {
    let home = Home::new();
    let command = server(&home, TOOLS);
    ask(&home, &command, "yes", &[QUESTION]).ended(0);
    server(&home, &TOOLS.replace("return name", "return 'new ' + name"));
    let run = ask(&home, &command, "yes", &[QUESTION]);
    assert_eq!(run.ended(0).stdout, format!("new {ANSWER}"));
    home.run(&["ask", "--stop"]).ended(0);
}

/// The shell opens a further descriptor of the output, which the test reads to its end.
#[test]
fn what_stays_holds_no_descriptor_of_whoever_asked() {
    let home = Home::new();
    let server = server(&home, TOOLS);
    let own = home.command(&["ask", "--keep", "yes", "--mcp", &server, QUESTION]);
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", "exec \"$@\" 3>&1", "sh"]).arg(own.get_program()).args(own.get_args());
    shell.env_clear().envs(own.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let run = finish(shell, b"");
    assert_eq!(run.ended(0).told(&[READY]).stdout, ANSWER);
    assert_eq!(sockets(&home).len(), 1);
    home.run(&["ask", "--stop"]).ended(0);
    none_is_left(&home);
}

#[test]
fn servers_of_a_question_that_was_stopped_are_not_kept() {
    let home = Home::new();
    let hangs = TOOLS.replace("return name", "open(__file__ + '.called', 'w').close()\n    import time\n    time.sleep(60)\n    return name");
    let server = server(&home, &hangs);
    let mut command = home.command(&["ask", "--keep", "yes", "--mcp", &server, QUESTION]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while !home.path("server.py.called").exists() {
        thread::sleep(Duration::from_millis(50));
    }
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && !told.contains(READY), "{output:?}");
    none_is_left(&home);
    let is_gone = |_| {
        thread::sleep(Duration::from_millis(100));
        sockets(&home).is_empty()
    };
    assert!((0..100).any(is_gone), "{:?}", sockets(&home));
}

#[test]
fn a_socket_where_nobody_answers_is_no_hindrance() {
    let home = Home::new();
    let server = server(&home, TOOLS);
    ask(&home, &server, "yes", &[QUESTION]).ended(0);
    let socket = sockets(&home).remove(0);
    home.run(&["ask", "--stop"]).ended(0);
    let mute = UnixListener::bind(&socket).unwrap();
    let run = ask(&home, &server, "yes", &[QUESTION]);
    assert_eq!(run.ended(0).stdout, ANSWER);
    assert!(!run.stderr.contains(READY), "{run:?}");
    // The file of one that ended without a word stays.
    drop(mute);
    let run = ask(&home, &server, "yes", &[QUESTION]);
    assert_eq!(run.ended(0).told(&[READY]).stdout, ANSWER);
    home.run(&["ask", "--stop"]).ended(0);
    none_is_left(&home);
}

#[test]
fn nothing_is_kept_in_a_folder_that_others_may_enter() {
    let home = Home::new();
    let server = server(&home, TOOLS);
    let folder = home.path("ready");
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, Permissions::from_mode(0o755)).unwrap();
    let run = ask(&home, &server, "yes", &[QUESTION]);
    assert_eq!(run.ended(0).stdout, ANSWER);
    assert!(!run.stderr.contains(READY), "{run:?}");
    assert_eq!(sockets(&home), Vec::<PathBuf>::new());
    none_is_left(&home);
}

#[test]
fn servers_are_kept_on_a_terminal_and_nowhere_else_unasked() {
    let home = Home::new();
    let slow = server(&home, &format!("import time\ntime.sleep(1.1)\n{TOOLS}"));
    let run = home.run(&["ask", "--mcp", &slow, QUESTION]);
    assert_eq!(run.ended(0).stdout, ANSWER);
    assert!(!run.stderr.contains("waypost chat"), "{run:?}");
    assert_eq!(sockets(&home), Vec::<PathBuf>::new());
    let own = written(&home, &["ask", "--keep", "no", "--mcp", &slow, QUESTION]);
    assert!(own.contains("`waypost chat` starts them once") && !own.contains(READY), "{own}");
    // The terminal ends with the command, whatever stays.
    let kept = written(&home, &["ask", "--mcp", &slow, QUESTION]);
    assert!(kept.contains("list_harbors {}") && kept.contains(READY), "{kept}");
    assert_eq!(sockets(&home).len(), 1);
    home.run(&["ask", "--stop"]).ended(0);
    none_is_left(&home);
}

//! `waypost chat` as somebody types it: on a pseudo terminal, read off its screen.

use std::io::{Read, Write};
use std::process::Child;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use pty_process::Size;
use pty_process::blocking::{Command, Pty, open};
use vt100::{Callbacks, Parser, Screen};

use crate::support::Home;

/// A time longer than anything here takes, on a busy machine too; more is a hang.
const DEADLINE: Duration = Duration::from_secs(60);
const ROWS: u16 = 60;
const COLUMNS: u16 = 100;

const TAB: &str = "\t";
const ENTER: &str = "\r";
const LEFT: &str = "\u{1b}[D";
const UP: &str = "\u{1b}[A";
const CTRL_C: &str = "\u{3}";
const CTRL_D: &str = "\u{4}";
const CTRL_R: &str = "\u{12}";

/// Answers what a program asks its terminal: where the cursor is.
#[derive(Default)]
struct Replies(Vec<u8>);

impl Callbacks for Replies {
    fn unhandled_csi(
        &mut self,
        screen: &mut Screen,
        mark: Option<u8>,
        _: Option<u8>,
        params: &[&[u16]],
        end: char,
    ) {
        if (mark, params, end) == (None, &[&[6][..]][..], 'n') {
            let (row, column) = screen.cursor_position();
            self.0.extend(format!("\u{1b}[{};{}R", row + 1, column + 1).bytes());
        }
    }
}

/// A terminal with the program in it.
struct Terminal {
    pty: Arc<Pty>,
    child: Child,
    screen: Arc<Mutex<Parser<Replies>>>,
    changes: Receiver<()>,
}

impl Terminal {
    /// Starts `waypost chat`.
    fn chat(home: &Home, args: &[&str]) -> Self {
        let terminal = Self::start(home, &[&["chat"], args].concat());
        terminal.sees("Ctrl-D leaves.");
        terminal.waits();
        terminal
    }

    /// Starts the program.
    fn start(home: &Home, args: &[&str]) -> Self {
        let (pty, pts) = open().unwrap();
        pty.resize(Size::new(ROWS, COLUMNS)).unwrap();
        let mut command = home.command(args);
        command.env("TERM", "xterm-256color");
        let child = Command::from(command).spawn(pts).unwrap();
        let pty = Arc::new(pty);
        let screen =
            Arc::new(Mutex::new(Parser::new_with_callbacks(ROWS, COLUMNS, 0, Replies::default())));
        let (changed, changes) = channel();
        let (reader, drawn) = (Arc::clone(&pty), Arc::clone(&screen));
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            // Reading fails when the program has ended.
            while let Ok(count @ 1..) = (&*reader).read(&mut bytes) {
                let mut drawn = drawn.lock().unwrap();
                drawn.process(&bytes[..count]);
                let replies = std::mem::take(&mut drawn.callbacks_mut().0);
                drop(drawn);
                let _ = (&*reader).write_all(&replies);
                let _ = changed.send(());
            }
        });
        Self { pty, child, screen, changes }
    }

    fn types(&self, keys: &str) {
        (&*self.pty).write_all(keys.as_bytes()).unwrap();
    }

    fn shown(&self) -> String {
        self.screen.lock().unwrap().screen().contents()
    }

    /// Waits until the screen is as wanted.
    #[track_caller]
    fn until(&self, what: &str, wanted: impl Fn(&str) -> bool) {
        let begin = Instant::now();
        while !wanted(&self.shown()) {
            let left = DEADLINE.saturating_sub(begin.elapsed());
            assert!(
                self.changes.recv_timeout(left).is_ok(),
                "{what} never came; the screen:\n{}",
                self.shown()
            );
        }
    }

    #[track_caller]
    fn sees(&self, text: &str) {
        self.until(text, |shown| shown.contains(text));
    }

    /// Waits until the last line is this, without what stands dimly behind the cursor.
    #[track_caller]
    fn line_is(&self, line: &str) {
        self.until(line, |shown| shown.trim_end().lines().last().unwrap_or_default() == line);
    }

    /// Waits for the sign of an empty line.
    #[track_caller]
    fn waits(&self) {
        self.line_is("> ".trim_end());
    }

    /// Waits for its end and returns the status.
    #[track_caller]
    fn ends(mut self) -> i32 {
        // The channel closes with the terminal, which the program held open.
        let end = loop {
            if let Err(end) = self.changes.recv_timeout(DEADLINE) {
                break end;
            }
        };
        assert_eq!(end, RecvTimeoutError::Disconnected, "it goes on:\n{}", self.shown());
        self.child.wait().unwrap().code().unwrap_or(-1)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // Only for a test that failed; otherwise it has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A home without color, so that nothing dim stands behind the cursor.
fn plain() -> Home {
    Home::new().set("NO_COLOR", "1")
}

#[test]
fn a_command_is_completed_edited_and_brought_back() {
    let terminal = Terminal::chat(&plain(), &[]);
    terminal.types(&format!("/he{TAB}"));
    terminal.line_is("> /help");
    terminal.types(ENTER);
    terminal.sees("leave; so does Ctrl-D");
    terminal.waits();
    terminal.types(&format!("/tols{LEFT}{LEFT}o"));
    terminal.line_is("> /tools");
    terminal.types(ENTER);
    terminal.sees("tools: about");
    terminal.waits();
    terminal.types(UP);
    terminal.line_is("> /tools");
    terminal.types(UP);
    terminal.line_is("> /help");
    terminal.types(CTRL_C);
    terminal.waits();
    assert!(!terminal.shown().contains("once more"), "it clears the line, no more");
    terminal.types(&format!("{CTRL_R}tool"));
    terminal.line_is("(search: tool) /tools");
    terminal.types(CTRL_C);
    terminal.waits();
    terminal.types(CTRL_D);
    assert_eq!(terminal.ends(), 0);
}

#[test]
fn a_choice_is_taken_by_number_and_completed_by_words() {
    let terminal = Terminal::chat(&plain(), &[]);
    terminal.types(&format!("海溫多少{ENTER}"));
    terminal.sees("  2. ");
    terminal.waits();
    terminal.types(&format!("2{ENTER}"));
    terminal.sees("台灣海峽海溫約");
    terminal.waits();
    terminal.types(&format!("海溫多少{ENTER}"));
    terminal.until("a second question", |shown| shown.matches("  2. ").count() == 2);
    terminal.waits();
    terminal.types(&format!("taiwan_s{TAB}"));
    terminal.line_is("> taiwan_strait");
    terminal.types(CTRL_C);
    terminal.waits();
    terminal.types(CTRL_C);
    terminal.sees("Ctrl-C once more");
    terminal.waits();
    terminal.types(CTRL_C);
    assert_eq!(terminal.ends(), 0, "twice on an empty line leaves");
}

#[test]
fn a_paste_of_several_lines_is_one_question() {
    let home = plain();
    let terminal = Terminal::chat(&home, &[]);
    terminal.types("\u{1b}[200~2025-11-05\n台灣周遭海溫\u{1b}[201~");
    terminal.sees("台灣周遭海溫");
    terminal.types(ENTER);
    terminal.sees("2025-11-05：台灣周遭海溫約");
    terminal.waits();
    terminal.types(CTRL_D);
    assert_eq!(terminal.ends(), 0);
    let kept = std::fs::read_to_string(home.path("history")).unwrap();
    assert_eq!(kept, "2025-11-05<\\n>台灣周遭海溫\n", "and one line of the history");
}

#[test]
fn a_tool_that_takes_long_is_named_and_can_be_stopped() {
    let terminal = Terminal::chat(&Home::with_fault("hang"), &[]);
    terminal.types(&format!("2025-11-05 台灣周遭海溫{ENTER}"));
    terminal.sees("ghrsst.bbox_mean");
    terminal.types(CTRL_C);
    terminal.sees("stopped");
    terminal.waits();
    assert!(!terminal.shown().contains("ghrsst.bbox_mean"), "{}", terminal.shown());
    terminal.types(CTRL_D);
    assert_eq!(terminal.ends(), 0);
}

/// Returns what a command writes to a terminal, controls and all.
pub(crate) fn written(home: &Home, args: &[&str]) -> String {
    let (pty, pts) = open().unwrap();
    pty.resize(Size::new(ROWS, COLUMNS)).unwrap();
    let mut command = home.command(args);
    command.env("TERM", "xterm-256color");
    let mut child = Command::from(command).spawn(pts).unwrap();
    let (done, wait) = channel();
    thread::spawn(move || {
        let (mut all, mut bytes) = (Vec::new(), [0; 4096]);
        // Reading fails when the program has ended.
        while let Ok(count @ 1..) = (&pty).read(&mut bytes) {
            all.extend_from_slice(&bytes[..count]);
        }
        done.send(String::from_utf8_lossy(&all).into_owned())
    });
    let text = wait.recv_timeout(DEADLINE).expect("it never ends");
    child.wait().unwrap();
    text
}

#[test]
fn why_draws_bars_and_colors_them_where_color_is_wanted() {
    let args = ["why", "tides at Keelung"];
    let colored = written(&Home::new(), &args);
    assert!(colored.contains('█') && colored.contains("\u{1b}[36m"), "{colored}");
    let plain = written(&Home::new().set("NO_COLOR", "1"), &args);
    assert!(plain.contains('█') && !plain.contains('\u{1b}'), "{plain}");
}

#[test]
fn forgetting_says_what_would_go_and_waits_for_a_yes() {
    let home = plain();
    home.envelope(&["--session", "mine", "台灣海峽今天海溫"]);
    let asks = "Remove everything that is kept of `mine` (its memory, 4 events)? [y/N]";
    for (answer, wanted) in [("n", "nothing was removed"), ("y", "removed what was kept")] {
        let terminal = Terminal::start(&home, &["forget", "mine"]);
        terminal.sees(asks);
        terminal.types(&format!("{answer}{ENTER}"));
        terminal.sees(wanted);
        assert_eq!(terminal.ends(), 0);
    }
}

/// A home with two turns that are worth a label: one was asked again, one ended with a question.
fn doubtful() -> Home {
    let home = plain();
    for (session, text) in
        [("a", "現在台灣海峽海溫多少？"), ("a", "台灣海峽海溫多少呢"), ("b", "海溫多少")]
    {
        home.envelope(&["--session", session, text]);
    }
    home
}

/// The texts that are worth a label.
fn worth(home: &Home) -> Vec<String> {
    let list = home.run(&["events", "triage", "--json"]).json();
    let texts = list.as_array().unwrap().iter();
    texts.map(|turn| turn["text"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_turn_is_labeled_with_one_key_and_the_label_is_kept_at_once() {
    let home = doubtful();
    assert_eq!(worth(&home), ["現在台灣海峽海溫多少？", "海溫多少"]);
    let terminal = Terminal::start(&home, &["events", "triage"]);
    terminal.sees("One key says what is right:");
    terminal.sees("1 of 2");
    terminal.types("y");
    terminal.sees("2 of 2");
    // It is killed, and what was said is kept.
    drop(terminal);
    assert_eq!(worth(&home), ["海溫多少"]);
}

/// A terminal on which the first of two turns was labeled, and that was taken back.
fn taken_back(home: &Home) -> Terminal {
    let terminal = Terminal::start(home, &["events", "triage"]);
    terminal.sees("1 of 2");
    terminal.types("y");
    terminal.sees("2 of 2");
    terminal.types("u");
    terminal.until("the first turn again", |shown| shown.matches("1 of 2").count() == 2);
    terminal
}

#[test]
fn what_was_said_of_a_turn_is_taken_back_and_said_anew() {
    let home = doubtful();
    let terminal = taken_back(&home);
    terminal.types("a");
    terminal.until("the second turn again", |shown| shown.matches("2 of 2").count() == 2);
    terminal.types("sq");
    assert_eq!(terminal.ends(), 0);
    assert_eq!(worth(&home), ["海溫多少"], "what was skipped is there the next time");
}

#[test]
fn what_was_taken_back_is_no_label_any_more() {
    let home = doubtful();
    let terminal = taken_back(&home);
    terminal.sees("its label is gone");
    // Further back there is nothing.
    terminal.types("uq");
    terminal.sees("labeled 0, left 2");
    assert_eq!(terminal.ends(), 0);
    assert_eq!(worth(&home), ["現在台灣海峽海溫多少？", "海溫多少"]);
    home.run(&["train", "--labels"]).ended(3).told(&["there is no label of `ocean` yet"]);
}

#[test]
fn what_somebody_else_has_said_since_is_not_taken_back() {
    let home = doubtful();
    let terminal = Terminal::start(&home, &["events", "triage"]);
    terminal.sees("1 of 2");
    terminal.types("y");
    terminal.sees("2 of 2");
    let turns = home.run(&["events", "--type", "router_event", "--json"]).records();
    let id = turns[0]["decision_id"].as_str().unwrap();
    home.run(&["feedback", id, "--wrong"]).ended(0);
    terminal.types("uq");
    terminal.sees("its label stays: somebody has said something else since");
    assert_eq!(terminal.ends(), 0);
    assert_eq!(worth(&home), ["海溫多少"]);
}

#[test]
fn a_word_that_cannot_be_meant_is_refused_and_one_that_teaches_nothing_is_no_label() {
    let home = plain();
    home.envelope(&["--session", "a", "2"]);
    assert_eq!(worth(&home), ["2"]);
    let terminal = Terminal::start(&home, &["events", "triage"]);
    terminal.sees("rephrase out_of_scope");
    // That it was not understood does not say that nothing serves it.
    terminal.types("y");
    terminal.sees("settled no route that could be right");
    terminal.until("the turn again", |shown| shown.matches("1 of 1").count() == 2);
    // Two of what?
    terminal.types("a");
    terminal.sees("looks like a follow-up");
    terminal.sees("labeled 0, left 1");
    assert_eq!(terminal.ends(), 0);
    home.run(&["train", "--labels"]).ended(3).told(&["there is no label of `ocean` yet"]);
}

//! Standard error, written by a thread of its own: nobody who logs waits for somebody who reads.
//!
//! A pipe that nobody empties is full after 64 KiB, and whoever then writes to it waits without end.
//! So lines wait here, as many as there is room for; what has no room is counted, and told when
//! there is room again.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, LazyLock};
use std::thread;
use std::time::Duration;

use tracing_subscriber::fmt::MakeWriter;
use waypost::printable;
use waypost::records::request::shorten;

/// The most texts that may wait to be written.
const WAITING: usize = 1024;
/// The longest line of the log, in characters.
const LONGEST: usize = 4_000;
/// The time that a text for people is waited for, so that it stands before what comes next.
const PATIENCE: Duration = Duration::from_secs(1);

/// The one standard error of the process; it is as global as the descriptor that it writes to.
static STANDARD: LazyLock<Lines> = LazyLock::new(|| Lines::to(io::stderr()));

/// Writes a text for people, which ends its line, and waits for a moment until it is written.
pub(crate) fn write(text: String) {
    STANDARD.push(text);
    STANDARD.settle(PATIENCE);
}

/// Writes a line of a log, cleaned and cut, and waits for nothing.
pub(crate) fn log(line: &str) {
    STANDARD.log(line);
}

/// Waits for a moment until what was logged is written; called before the process ends.
pub(crate) fn settle() {
    STANDARD.settle(PATIENCE);
}

enum Work {
    Text(String),
    /// Asks to be told when everything before this is written.
    Settle(SyncSender<()>),
}

/// Lines on their way to a writer that may not take them.
#[derive(Debug)]
struct Lines {
    sender: SyncSender<Work>,
    left_out: Arc<AtomicU64>,
    /// True if the writer took nothing while somebody waited.
    stuck: Arc<AtomicBool>,
}

impl Lines {
    /// Starts the thread that writes.
    fn to(out: impl Write + Send + 'static) -> Self {
        let (sender, receiver) = sync_channel(WAITING);
        let (left_out, stuck) = (Arc::<AtomicU64>::default(), Arc::<AtomicBool>::default());
        let (counted, moves) = (Arc::clone(&left_out), Arc::clone(&stuck));
        // Without a thread nothing is taken, and everything counts as left out.
        let _ = thread::Builder::new()
            .name("stderr".to_owned())
            .spawn(move || drain(out, &receiver, &counted, &moves));
        Self { sender, left_out, stuck }
    }

    fn push(&self, text: String) {
        if self.sender.try_send(Work::Text(text)).is_err() {
            self.left_out.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn log(&self, line: &str) {
        self.push(printable::line(&shorten(line, LONGEST)).into_owned());
    }

    /// Waits until everything is written, at most this long, and only once for a reader that has
    /// stopped.
    fn settle(&self, most: Duration) {
        let (done, told) = sync_channel(1);
        if self.stuck.load(Ordering::Relaxed) || self.sender.try_send(Work::Settle(done)).is_err() {
            return;
        }
        if told.recv_timeout(most).is_err() {
            self.stuck.store(true, Ordering::Relaxed);
        }
    }
}

/// Writes what comes, and what did not; a text that cannot be written is lost.
fn drain(mut out: impl Write, receiver: &Receiver<Work>, left_out: &AtomicU64, stuck: &AtomicBool) {
    while let Ok(work) = receiver.recv() {
        match work {
            Work::Text(text) => {
                let _ = writeln!(out, "{text}").and_then(|()| out.flush());
                stuck.store(false, Ordering::Relaxed);
                let lost = left_out.swap(0, Ordering::Relaxed);
                if lost > 0 {
                    let _ = writeln!(out, " WARN {lost} lines of the log were left out");
                }
            }
            // The one that waited may have gone on.
            Work::Settle(done) => {
                let _ = done.try_send(());
            }
        }
    }
}

/// Makes the writers of the log, each for one line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Log;

impl MakeWriter<'_> for Log {
    type Writer = Log;

    fn make_writer(&self) -> Self::Writer {
        Log
    }
}

impl Write for Log {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        log(String::from_utf8_lossy(line).trim_end_matches('\n'));
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pipe that is full until the test takes from it: it holds one text.
    struct Pipe(SyncSender<String>);

    impl Write for Pipe {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let text = String::from_utf8_lossy(bytes).into_owned();
            self.0.send(text).map_err(io::Error::other)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn pipe() -> (Lines, Receiver<String>) {
        let (full, taken) = sync_channel(1);
        (Lines::to(Pipe(full)), taken)
    }

    #[test]
    fn nobody_waits_for_a_reader_who_has_stopped_and_what_is_lost_is_told() {
        let (lines, taken) = pipe();
        let more = 50;
        // Each returns, though nobody reads.
        for n in 0..WAITING + more {
            lines.log(&format!("line {n}"));
        }
        lines.settle(Duration::ZERO);
        assert!(lines.left_out.load(Ordering::Relaxed) > 0);
        let mut read = String::new();
        while !read.contains("left out") {
            read.push_str(&taken.recv().unwrap());
        }
        assert!(read.starts_with("line 0\n"), "{read}");
        let lost = read.split(" WARN ").nth(1).and_then(|rest| rest.split(' ').next());
        let lost: usize = lost.unwrap().parse().unwrap();
        // The pipe and the thread hold a few.
        assert!((more - 5..=more).contains(&lost), "{lost}");
    }

    #[test]
    fn a_line_of_the_log_is_one_line_and_steers_nothing() {
        let (lines, taken) = pipe();
        lines.log("a\u{1b}[2J\nWARN forged");
        let mut read = String::new();
        while !read.ends_with('\n') {
            read.push_str(&taken.recv().unwrap());
        }
        assert_eq!(read, "a␛[2J␊WARN forged\n");
        lines.log(&"é".repeat(1_000_000));
        let long = taken.recv().unwrap();
        assert!(long.trim_end().chars().count() <= LONGEST + 1, "{}", long.len());
    }
}

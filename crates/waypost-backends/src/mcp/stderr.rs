//! Logs a child's standard error line by line, and keeps the latest lines.

use std::collections::VecDeque;
use std::fmt;
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::sync::watch;
use tokio::task::AbortHandle;

use super::child::LogSink;
use crate::llm::Hidden;

/// The number of lines that are kept.
const MAX_LINES: usize = 50;
/// The longest line, in bytes; the rest of a longer one is dropped.
const MAX_LINE: usize = 2000;
/// The most lines that wait to be told.
const MAX_WAITING: usize = 1_000;
/// The number of kept lines that an error tells.
const TAIL: usize = 5;
/// The most characters of these lines together, the latest: more would not fit into an error's detail.
const MAX_TAIL: usize = 400;

/// The latest lines of a child's standard error.
pub(super) struct Stderr {
    lines: Arc<Mutex<VecDeque<String>>>,
    ended: watch::Receiver<bool>,
    task: AbortHandle,
}

impl Stderr {
    /// Follows `output` until it ends or this is dropped. What is `hidden` is taken out of each line.
    pub(super) fn follow(
        output: impl AsyncRead + Unpin + Send + 'static,
        server: String,
        sink: Option<LogSink>,
        hidden: Hidden,
    ) -> Self {
        let lines = Arc::new(Mutex::new(VecDeque::new()));
        let (at_end, ended) = watch::channel(false);
        let kept = Arc::clone(&lines);
        let told = teller(server, sink, at_end);
        let task = tokio::spawn(async move {
            read_lines(output, |line| {
                let line = hidden.out_of(&line);
                // Whoever is behind may read nothing: then lines are lost, and no work waits for them.
                let _ = told.try_send(line.clone());
                keep(&kept, line);
            })
            .await;
        });
        Self { lines, ended, task: task.abort_handle() }
    }

    /// Waits until the output has ended, at most for `patience`.
    pub(super) async fn ended(&self, patience: Duration) {
        let mut ended = self.ended.clone();
        let _ = tokio::time::timeout(patience, ended.wait_for(|ended| *ended)).await;
    }

    /// The last lines, joined.
    pub(super) fn tail(&self) -> String {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let from = lines.len().saturating_sub(TAIL);
        let tail = lines.range(from..).map(String::as_str).collect::<Vec<_>>().join(" | ");
        let begin = tail.char_indices().rev().nth(MAX_TAIL - 1).map_or(0, |(at, _)| at);
        tail[begin..].to_owned()
    }
}

/// Tells lines to the log and to `sink` in a thread of its own, since either may block for ever; at the end
/// of the lines it says so.
fn teller(
    server: String,
    sink: Option<LogSink>,
    at_end: watch::Sender<bool>,
) -> SyncSender<String> {
    let (told, lines) = std::sync::mpsc::sync_channel::<String>(MAX_WAITING);
    std::thread::spawn(move || {
        for line in lines {
            tracing::debug!(target: "waypost::mcp", server, "{line}");
            if let Some(sink) = &sink {
                sink(&line);
            }
        }
        // Nobody waits for the end of most children.
        let _ = at_end.send(true);
    });
    told
}

impl Drop for Stderr {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl fmt::Debug for Stderr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stderr").finish_non_exhaustive()
    }
}

fn keep(lines: &Mutex<VecDeque<String>>, line: String) {
    let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
    if lines.len() == MAX_LINES {
        lines.pop_front();
    }
    lines.push_back(line);
}

async fn read_lines(mut output: impl AsyncRead + Unpin, mut each: impl FnMut(String)) {
    let mut buffer = [0; 4096];
    let mut line = Vec::new();
    loop {
        let bytes = match output.read(&mut buffer).await {
            Ok(0) | Err(_) => break,
            Ok(read) => &buffer[..read],
        };
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            line.extend_from_slice(&part[..part.len().min(MAX_LINE - line.len())]);
            if part.ends_with(b"\n") {
                each(printable(&line));
                line.clear();
            }
        }
    }
    if !line.is_empty() {
        each(printable(&line));
    }
}

/// Makes a line that cannot steer the terminal that it is shown on.
fn printable(line: &[u8]) -> String {
    let line = String::from_utf8_lossy(line);
    line.trim_end().chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn lines_are_bounded_and_harmless() {
        let mut output = b"one\r\n\x1b[31mtwo\n".to_vec();
        output.extend(vec![b'x'; 10_000]);
        let mut lines = Vec::new();
        read_lines(output.as_slice(), |line| lines.push(line)).await;
        assert_eq!(lines[..2], ["one", " [31mtwo"]);
        assert_eq!(lines[2].len(), MAX_LINE);
    }

    #[tokio::test]
    async fn a_log_that_nobody_reads_stops_nothing() {
        let (release, blocked) = std::sync::mpsc::channel::<()>();
        let blocked = Mutex::new(blocked);
        let sink: LogSink = Arc::new(move |_| {
            let _ = blocked.lock().unwrap().recv();
        });
        let (mut child, output) = tokio::io::duplex(64);
        let stderr = Stderr::follow(output, "s".to_owned(), Some(sink), Hidden::new([]));
        for n in 0..5_000 {
            tokio::io::AsyncWriteExt::write_all(&mut child, format!("line {n}\n").as_bytes())
                .await
                .unwrap();
        }
        drop(child);
        while !stderr.tail().ends_with("line 4999") {
            tokio::task::yield_now().await;
        }
        drop(release);
        stderr.ended(Duration::from_secs(60)).await;
    }

    #[tokio::test]
    async fn the_latest_lines_are_kept() {
        let output: String = (0..200).map(|n| format!("line {n}\n")).collect();
        let hidden = Hidden::new(["line 198".to_owned()]);
        let stderr = Stderr::follow(std::io::Cursor::new(output), "s".to_owned(), None, hidden);
        stderr.ended(Duration::from_secs(5)).await;
        assert_eq!(stderr.tail(), "line 195 | line 196 | line 197 | [key] | line 199");
    }

    #[tokio::test]
    async fn of_long_lines_the_end_is_told() {
        let output = format!("{}the reason\n", "é".repeat(900));
        let output = std::io::Cursor::new(output);
        let stderr = Stderr::follow(output, "s".to_owned(), None, Hidden::new([]));
        stderr.ended(Duration::from_secs(5)).await;
        assert_eq!(stderr.tail().chars().count(), MAX_TAIL);
        assert!(stderr.tail().ends_with("the reason"));
    }
}

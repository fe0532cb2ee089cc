//! A process that is told one line, says one, and serves until its input ends, so that it does not
//! outlive a benchmark that is killed.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, ensure};

/// A process that runs until it is dropped.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
}

impl Process {
    /// Starts a process, tells it a line, and returns it with the line that it says.
    ///
    /// # Errors
    ///
    /// If it does not start, or ends before it says anything. What it wrote to stderr is seen
    /// already.
    pub(super) fn start(command: &mut Command, told: &str) -> Result<(Self, String)> {
        let program = command.get_program().to_string_lossy().into_owned();
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let child = child.with_context(|| format!("`{program}` could not be started"))?;
        // From here on it is stopped whatever happens.
        let mut process = Self { child };
        let input = process.child.stdin.as_mut().context("the process has no input")?;
        let told = writeln!(input, "{told}");
        let mut said = String::new();
        let output = process.child.stdout.as_mut().context("the process has no output")?;
        BufReader::new(output).read_line(&mut said)?;
        ensure!(!said.is_empty(), "`{program}` ended before it said where it listens");
        told.with_context(|| format!("`{program}` does not take what it is told"))?;
        Ok((process, said))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    fn said(script: &str) -> Result<String> {
        let mut command = Command::new("sh");
        Process::start(command.args(["-c", script]), "rain").map(|(_, said)| said)
    }

    #[cfg(unix)]
    #[test]
    fn a_process_is_told_a_line_and_says_one() {
        assert_eq!(said("read line; echo \"$line\"; echo more; cat").unwrap(), "rain\n");
    }

    #[cfg(unix)]
    #[test]
    fn a_process_that_says_nothing_is_a_fault() {
        let fault = said("read line").unwrap_err().to_string();
        assert_eq!(fault, "`sh` ended before it said where it listens");
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let fault = Process::start(&mut Command::new("no-such-program"), "").unwrap_err();
        assert_eq!(fault.to_string(), "`no-such-program` could not be started");
    }
}

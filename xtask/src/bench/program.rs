//! Measures the program as its users start it: the wall time of first and second answers, and the
//! memory of a server.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use std::{env, fs};

use anyhow::{Context, Result, bail};

use super::timing::{Spread, percentiles};
use crate::{cargo, root};

/// The number of answers that are timed, of first starts and of second ones.
const RUNS: usize = 5;

/// Each pack with a question that its tools or documents answer without a model.
pub(crate) const QUESTIONS: [(&str, &str); 5] = [
    ("ocean", "現在台灣周遭海溫多少？"),
    ("malaria", "what is the test positivity rate"),
    ("platform", "how do I write a loop"),
    ("finance", "what is the price of Apple"),
    ("accelerator", "read the beam current"),
];

/// The program, built as `cargo run --release` builds it.
pub(crate) struct Program {
    file: PathBuf,
    /// A home of its own.
    home: PathBuf,
}

/// Memory of a process in MB, as its system counts it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Memory {
    /// The memory that it holds now: `VmRSS`.
    pub(crate) resident: f64,
    /// The most it ever held: `VmHWM`.
    pub(crate) peak: f64,
}

/// The times until the program answers with a pack.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Answers {
    pub(crate) pack: &'static str,
    /// With an empty home.
    pub(crate) first: Spread,
    /// In the home that a start before left.
    pub(crate) second: Spread,
}

impl Program {
    pub(crate) fn build() -> Result<Self> {
        let status = cargo()
            .args(["build", "--quiet", "--release", "--package", "waypost-server"])
            .status()
            .context("cargo could not be run")?;
        if !status.success() {
            bail!("the program could not be built: {status}");
        }
        let file = target().join("release").join(format!("waypost{}", env::consts::EXE_SUFFIX));
        Ok(Self::at(file))
    }

    /// The program that the tests were run with.
    pub(crate) fn tested() -> Result<Self> {
        let file = target().join("debug").join(format!("waypost{}", env::consts::EXE_SUFFIX));
        if !file.is_file() {
            bail!("build it first: `cargo build --workspace --features full --bins`");
        }
        Ok(Self::at(file))
    }

    /// The program in a file.
    pub(crate) fn at(file: PathBuf) -> Self {
        let home = env::temp_dir().join(format!("waypost-bench-{}", std::process::id()));
        Self { file, home }
    }

    /// The file.
    pub(crate) fn file(&self) -> &Path {
        &self.file
    }

    /// Its home.
    pub(crate) fn home(&self) -> &Path {
        &self.home
    }

    /// The program with its home as it is.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.file);
        command.env("WAYPOST_HOME", &self.home).current_dir(root());
        for name in ["WAYPOST_MAIN_URL", "WAYPOST_LIGHT_URL", "RUST_LOG"] {
            command.env_remove(name);
        }
        command
    }

    /// The program with an empty home, so that nothing of an earlier run helps.
    pub(crate) fn afresh(&self) -> Command {
        clear(&self.home);
        self.command()
    }

    /// The wall times of `waypost ask` with each pack.
    pub(crate) fn answers(&self) -> Result<Vec<Answers>> {
        let answers = |(pack, question)| -> Result<Answers> {
            let first = || timed(self.afresh(), pack, question);
            let first = (0..RUNS).map(|_| first()).collect::<Result<_>>()?;
            // The last of them left the student that the next ones find.
            let second = || timed(self.command(), pack, question);
            let second = (0..RUNS).map(|_| second()).collect::<Result<_>>()?;
            Ok(Answers { pack, first: percentiles(first), second: percentiles(second) })
        };
        QUESTIONS.into_iter().map(answers).collect()
    }
}

fn target() -> PathBuf {
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
    root().join(target)
}

impl Drop for Program {
    fn drop(&mut self) {
        clear(&self.home);
    }
}

/// The wall time of one question.
fn timed(mut command: Command, pack: &str, question: &str) -> Result<Duration> {
    let start = Instant::now();
    let output = command.args(["ask", "--pack", pack, question]).output()?;
    let elapsed = start.elapsed();
    // A question is an answer, too, and has a status of its own.
    if output.stdout.is_empty() {
        bail!("`waypost ask` failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(elapsed)
}

/// Removes a folder; one that is not there is as good.
pub(crate) fn clear(folder: &Path) {
    let _ = fs::remove_dir_all(folder);
}

pub(crate) fn memory(status: &str) -> Option<Memory> {
    let megabytes = |name: &str| -> Option<f64> {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        let kilobytes: f64 =
            line.trim_start_matches(':').split_whitespace().next()?.parse().ok()?;
        Some(kilobytes * 1024.0 / 1e6)
    };
    Some(Memory { resident: megabytes("VmRSS")?, peak: megabytes("VmHWM")? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read_from_what_the_kernel_says() {
        let found = memory("Name:\twaypost\nVmHWM:\t   20000 kB\nVmRSS:\t   10000 kB\n").unwrap();
        assert_eq!((found.resident, found.peak), (10.24, 20.48));
        assert!(memory("Name:\tother\n").is_none());
    }
}

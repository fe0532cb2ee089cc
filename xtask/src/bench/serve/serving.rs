//! The real server: `waypost serve` as its users start it, until it is dropped.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::client::Connection;
use crate::bench::program::Program;

/// A `waypost serve` that takes requests.
#[derive(Debug)]
pub(in crate::bench) struct Serving {
    child: Child,
    pub(in crate::bench) address: SocketAddr,
}

/// The server's own statistics of its work on requests: how often it was done so far, and the
/// seconds that it took.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Worked {
    count: f64,
    seconds: f64,
}

impl Worked {
    /// The mean time that the work took since `before`.
    pub(super) fn mean_since(self, before: Self) -> Duration {
        let mean = (self.seconds - before.seconds) / (self.count - before.count);
        Duration::try_from_secs_f64(mean).unwrap_or_default()
    }
}

impl Serving {
    /// Starts it with an empty home on a free port.
    pub(super) fn start(program: &Program) -> Result<Self> {
        Self::listening(program.afresh(), &["ocean"])
    }

    /// Starts it with a home in which there is only this `waypost.toml`.
    pub(super) fn configured(program: &Program, config: &str) -> Result<Self> {
        let command = program.afresh();
        fs::create_dir_all(program.home())?;
        fs::write(program.home().join("waypost.toml"), config)?;
        Self::listening(command, &["ocean"])
    }

    /// Starts it with these packs on a free port.
    pub(in crate::bench) fn listening(mut command: Command, packs: &[&str]) -> Result<Self> {
        let packs = packs.iter().flat_map(|pack| ["--pack", pack]);
        let mut child = command
            .args(["serve", "--listen", "127.0.0.1:0"])
            .args(packs)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .context("`waypost serve` could not be started")?;
        let said = child.stderr.take();
        // From here on it is stopped whatever happens.
        let mut serving = Self { child, address: SocketAddr::from(([127, 0, 0, 1], 0)) };
        let mut lines = BufReader::new(said.context("the server has no output")?).lines();
        let mut before = Vec::new();
        serving.address = loop {
            let Some(line) = lines.next().transpose()? else {
                bail!("`waypost serve` ended: {}", before.join("\n"));
            };
            match line.strip_prefix("listening on http://") {
                Some(address) => break address.parse()?,
                None => before.push(line),
            }
        };
        // Output that nobody reads would hold the server up in the end.
        thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
        Ok(serving)
    }

    /// Checks that it takes requests.
    pub(super) async fn ready(&self) -> Result<()> {
        Connection::open(self.address).await?.get("/readyz").await.map(drop)
    }

    /// Reads how often it did what `histogram` counts.
    pub(super) async fn worked(&self, histogram: &str) -> Result<Worked> {
        let text = Connection::open(self.address).await?.get("/metrics").await?;
        worked(&text, histogram).with_context(|| format!("the server has no `{histogram}`"))
    }

    /// The id of its process.
    pub(in crate::bench) fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn worked(metrics: &str, histogram: &str) -> Option<Worked> {
    let figure = |name: &str| -> Option<f64> {
        let mut found = metrics.lines().filter_map(|line| line.strip_prefix(histogram));
        found.find_map(|rest| rest.strip_prefix(name)?.trim().parse().ok())
    };
    Some(Worked { count: figure("_count")?, seconds: figure("_sum")? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_is_of_what_came_between() {
        let figures = |count: u32, seconds: f64| {
            let metrics = format!("other_count 1\nwork_sum {seconds}\nwork_count {count}\n");
            worked(&metrics, "work").unwrap()
        };
        let mean = figures(30, 0.005).mean_since(figures(10, 0.001));
        assert_eq!(mean, Duration::from_micros(200));
        assert!(worked("other_count 1\n", "work").is_none());
    }
}

//! A home, a pack of which a forecast is a change, a journal of its calls, and servers over them.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread;

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use crate::bench::program::Program;
use crate::root;

/// The instant of every question.
pub(super) const NOW: &str = "2025-11-06T09:00:00+08:00";
/// The question that is asked for approval.
pub(super) const CHANGE: &str = "基隆今天潮汐";

/// The place in the pack that makes a forecast a change.
const EDIT: (&str, &str) = (
    "  - name: tide.forecast\n    server: ocean\n",
    "  - name: tide.forecast\n    server: ocean\n    access: write\n",
);

/// The folder of a run.
pub(super) struct Scene<'a> {
    program: &'a Program,
    pack: PathBuf,
    journal: PathBuf,
}

/// A server that runs until it is dropped.
#[derive(Debug)]
pub(super) struct Serving {
    pub(super) child: Child,
    pub(super) address: SocketAddr,
}

impl<'a> Scene<'a> {
    /// A new home; `fault` is that of the tool server, and `changes` makes forecasts a change.
    pub(super) fn new(program: &'a Program, fault: Option<&str>, changes: bool) -> Result<Self> {
        drop(program.afresh());
        let home = program.home().to_owned();
        let (pack, journal) = (home.join("pack"), home.join("journal"));
        copy(&root().join("packs/ocean"), &pack)?;
        let file = pack.join("pack.yaml");
        let text = fs::read_to_string(&file)?;
        ensure!(text.contains(EDIT.0), "the pack has another form now");
        if changes {
            fs::write(&file, text.replace(EDIT.0, EDIT.1))?;
        }
        let own = program.file().display().to_string();
        let journal_path = journal.display().to_string();
        let mut command = vec![&*own, "demo", "ocean", "--now", NOW];
        if changes {
            command.extend(["--journal", &journal_path]);
        }
        command.extend(fault.iter().flat_map(|fault| ["--fault", fault]));
        let config = format!("[servers.ocean]\ncommand = {}\n", json!(command));
        fs::write(home.join("waypost.toml"), config)?;
        Ok(Self { program, pack, journal })
    }

    /// The file of the store.
    pub(super) fn store(&self) -> PathBuf {
        self.program.home().join("waypost.db")
    }

    pub(super) fn serve(&self) -> Result<Serving> {
        let mut child = self
            .program
            .command()
            .args(["serve", "--listen", "127.0.0.1:0", "--pack"])
            .arg(&self.pack)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .context("`waypost serve` could not be started")?;
        let said = child.stderr.take().context("the server has no output")?;
        let mut lines = BufReader::new(said).lines();
        let mut before = Vec::new();
        let address = loop {
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
        Ok(Serving { child, address })
    }

    /// The number of calls that have begun.
    pub(super) fn begun(&self) -> usize {
        let journal = fs::read_to_string(&self.journal).unwrap_or_default();
        journal.lines().filter(|line| line.starts_with("begin ")).count()
    }
}

impl Serving {
    /// Ends it at once: on Unix by SIGKILL, so that no destructor runs.
    pub(super) fn kill(&mut self) -> Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.kill();
    }
}

/// A request of a session.
pub(super) fn request(session: &str, text: &str, choice: Option<&Value>) -> Value {
    json!({ "text": text, "session": session, "now": NOW, "choice": choice })
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        let target = to.join(path.file_name().context("a name")?);
        if path.is_dir() {
            copy(&path, &target)?;
        } else {
            fs::copy(&path, target)?;
        }
    }
    Ok(())
}

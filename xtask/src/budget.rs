//! `cargo xtask budget`: counts what the program costs and fails if a bound is passed.
//!
//! Counts instructions by cachegrind, bytes, units, packages and lines, but never seconds, because a figure must hardly differ
//! between two runs. The instructions of a start differ by about 0.1%, because hash maps are seeded at random. CI counts with
//! the program of the tests, which is there anyway; `--release` builds and counts the one that people use. A change that needs more raises the bound in `budget.toml` in the same commit and says why.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::bench::program::Program;
use crate::bench::{flag, known};
use crate::tidy::tree::Tree;
use crate::{cargo, print, root, size};

/// The file of the bounds.
const BOUNDS: &str = "xtask/budget.toml";
/// The texts that are decided: 30 for each pack and language.
const TEXTS: &str = "spec/budget/texts.jsonl";
/// How often each text is decided in a run. If it were decided only twice, the noise of a start would move a decision by 1% or
/// more, because a start costs as much as many decisions.
const TIMES: usize = 8;
/// How far above the count `--write` sets a bound, as a share, so that a small change needs no new bound.
const SLACK: f64 = 0.03;
/// The instant of every decision.
const NOW: &str = "2025-11-06T09:00:00+08:00";

/// A figure by its name, such as `decision.ocean.en`.
type Figures = BTreeMap<String, u64>;

#[derive(Debug, Clone, Deserialize)]
struct Text {
    pack: String,
    language: String,
    text: String,
}

/// Counts everything, prints it beside its bounds, and fails if one is passed; `--write` sets the bounds anew.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    known(arguments, &["--release", "--write"], &[])?;
    let (program, profile) = match flag(arguments, "--release") {
        true => (Program::build()?, "release"),
        false => (Program::tested()?, "dev"),
    };
    let mut figures = Figures::from([
        ("rust.lines".to_owned(), size::lines(&Tree::read(&root())?)),
        ("program.packages".to_owned(), packages()?),
    ]);
    if profile == "release" {
        figures.extend(built(program.file())?);
    }
    let instructions = instructions(&program)?.into_iter();
    figures.extend(instructions.map(|(name, count)| (format!("{profile}.{name}"), count)));
    if flag(arguments, "--write") {
        return write(&figures);
    }
    compare(&figures, &bounds()?)
}

/// The size of the program, and the units that it is built from.
fn built(file: &Path) -> Result<Figures> {
    let bytes = fs::metadata(file).with_context(|| file.display().to_string())?.len();
    let build = ["build", "--release", "--package", "waypost-server", "--message-format", "json"];
    let messages = output(cargo().args(build))?;
    let is_unit = |line: &&str| {
        line.contains(r#""reason":"compiler-artifact""#)
            || line.contains(r#""reason":"build-script-executed""#)
    };
    let units = messages.lines().filter(is_unit).count() as u64;
    Ok([("program.bytes".to_owned(), bytes), ("program.units".to_owned(), units)].into())
}

/// The packages that the program of the default build is made of.
fn packages() -> Result<u64> {
    let tree = ["tree", "--package", "waypost-server", "--edges", "normal", "--prefix", "none"];
    let tree = output(cargo().args(tree))?;
    let lines = tree.lines().map(|line| line.trim_end_matches(" (*)"));
    let packages: BTreeSet<&str> = lines.filter(|line| !line.is_empty()).collect();
    Ok(packages.len() as u64)
}

/// The instructions of a start with each pack, and of a decision for each pack and language.
fn instructions(program: &Program) -> Result<Figures> {
    let texts = fs::read_to_string(root().join(TEXTS))?;
    let texts: Vec<Text> =
        texts.lines().map(serde_json::from_str).collect::<serde_json::Result<_>>()?;
    let mut groups: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for text in &texts {
        groups.entry((&text.pack, &text.language)).or_default().push(&text.text);
        groups.entry((&text.pack, "")).or_default();
    }
    let groups: Vec<((&str, &str), Vec<&str>)> = groups.into_iter().collect();
    let counted = both(&groups, |(pack, _), texts| counted(program, pack, texts))?;
    let starts: BTreeMap<&str, u64> = counted
        .iter()
        .zip(&groups)
        .filter(|(_, (_, texts))| texts.is_empty())
        .map(|(count, ((pack, _), _))| (*pack, *count))
        .collect();
    let figures = groups.iter().zip(&counted).map(|(((pack, language), texts), count)| {
        if texts.is_empty() {
            return (format!("start.{pack}"), *count);
        }
        let decisions = (TIMES * texts.len()) as u64;
        let own = count.saturating_sub(starts[pack]);
        (format!("decision.{pack}.{language}"), own / decisions)
    });
    Ok(figures.collect())
}

/// What `work` returns for each group, in order; two are worked on at a time.
fn both<'a, K: Sync, T: Sync>(
    groups: &'a [(K, T)],
    work: impl Fn(&'a K, &'a T) -> Result<u64> + Sync,
) -> Result<Vec<u64>> {
    let next = Mutex::new(groups.iter().enumerate());
    let done: Mutex<BTreeMap<usize, u64>> = Mutex::new(BTreeMap::new());
    let worker = || -> Result<()> {
        loop {
            let group = next.lock().map_err(|_| anyhow::anyhow!("a run failed"))?.next();
            let Some((at, (key, value))) = group else { return Ok(()) };
            let count = work(key, value)?;
            done.lock().map_err(|_| anyhow::anyhow!("a run failed"))?.insert(at, count);
        }
    };
    std::thread::scope(|scope| {
        let other = scope.spawn(worker);
        worker()?;
        other.join().unwrap_or_else(|_| bail!("a run panicked"))
    })?;
    let done = done.into_inner().map_err(|_| anyhow::anyhow!("a run failed"))?;
    Ok(done.into_values().collect())
}

/// The instructions of a process that decides texts and ends.
fn counted(program: &Program, pack: &str, texts: &[&str]) -> Result<u64> {
    let mut lines = String::new();
    for text in (0..TIMES).flat_map(|_| texts) {
        let request = serde_json::json!({ "text": text, "now": NOW, "tz": "Asia/Taipei" });
        lines.push_str(&format!("{request}\n"));
    }
    let mut valgrind = Command::new("valgrind")
        .args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"])
        .arg(program.file())
        .args(["route", "--jsonl", "--pack", pack])
        .env("WAYPOST_HOME", program.home())
        .current_dir(root())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .context("`valgrind` could not be started (Debian: `apt-get install valgrind`)")?;
    if let Some(mut input) = valgrind.stdin.take() {
        input.write_all(lines.as_bytes())?;
    }
    let output = valgrind.wait_with_output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    // `==1== I   refs:      836,551,373`
    let count = said.lines().find_map(|line| line.split_once("refs:"));
    let count = count.map(|(_, count)| count.replace(',', ""));
    count.and_then(|count| count.trim().parse().ok()).with_context(|| format!("no count: {said}"))
}

fn output(command: &mut Command) -> Result<String> {
    let output = command.stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        bail!("{command:?}: {}", output.status);
    }
    Ok(String::from_utf8(output.stdout)?)
}

fn path() -> PathBuf {
    root().join(BOUNDS)
}

/// The bounds by their names.
fn bounds() -> Result<Figures> {
    let text = fs::read_to_string(path())
        .with_context(|| format!("`{BOUNDS}` is not there yet: `cargo xtask budget --write`"))?;
    let table: toml::Table = toml::from_str(&text)?;
    let mut bounds = Figures::new();
    flatten("", &table, &mut bounds)?;
    Ok(bounds)
}

fn flatten(prefix: &str, table: &toml::Table, bounds: &mut Figures) -> Result<()> {
    for (name, value) in table {
        let name = format!("{prefix}{name}");
        match value {
            toml::Value::Table(inner) => flatten(&format!("{name}."), inner, bounds)?,
            toml::Value::Integer(bound) => {
                bounds.insert(name, u64::try_from(*bound)?);
            }
            _ => bail!("`{name}` of `{BOUNDS}` is no number"),
        }
    }
    Ok(())
}

fn compare(figures: &Figures, bounds: &Figures) -> Result<()> {
    let mut passed = Vec::new();
    print("| what | counted | bound |\n|---|--:|--:|");
    for (name, figure) in figures {
        let bound = bounds.get(name).copied();
        let shown = bound.map_or_else(|| "none".to_owned(), |bound| bound.to_string());
        print(&format!("| {name} | {figure} | {shown} |"));
        if bound.is_none_or(|bound| *figure > bound) {
            passed.push(name.as_str());
        }
    }
    if passed.is_empty() {
        return Ok(());
    }
    bail!(
        "over their bounds: {}. Bring them back, or raise the bounds in `{BOUNDS}` (`cargo xtask budget --write`) and say \
         why in the commit",
        passed.join(", ")
    )
}

/// Sets the bounds a little above what was counted; those of the other profile stay.
fn write(counted: &Figures) -> Result<()> {
    let mut figures = if path().exists() { bounds()? } else { Figures::new() };
    let raised = |figure: &u64| (*figure as f64 * (1.0 + SLACK)) as u64;
    figures.extend(counted.iter().map(|(name, figure)| (name.clone(), raised(figure))));
    let mut text = String::from(
        "# The bounds of `cargo xtask budget`. A change that needs more raises one in the same commit, and says why.\n\
         # Instructions are counted by cachegrind: those of a start with a pack, and of one decision on average.\n",
    );
    let mut section = String::new();
    for (name, bound) in figures {
        let (own, key) = name.rsplit_once('.').unwrap_or(("", &name));
        if own != section {
            text.push_str(&format!("\n[{own}]\n"));
            section = own.to_owned();
        }
        text.push_str(&format!("{key} = {bound}\n"));
    }
    fs::write(path(), text)?;
    print(&format!("wrote `{BOUNDS}`"));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(list: &[(&str, u64)]) -> Figures {
        list.iter().map(|(name, figure)| ((*name).to_owned(), *figure)).collect()
    }

    #[test]
    fn a_figure_over_its_bound_or_without_one_fails_and_is_named() {
        let bounds = figures(&[("program.bytes", 10), ("start.ocean", 5)]);
        assert!(compare(&figures(&[("program.bytes", 10)]), &bounds).is_ok());
        let error = compare(&figures(&[("program.bytes", 11)]), &bounds).unwrap_err();
        assert!(error.to_string().contains("program.bytes"), "{error}");
        assert!(compare(&figures(&[("start.malaria", 1)]), &bounds).is_err());
    }
}

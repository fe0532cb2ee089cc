//! `cargo xtask bench start`: what a new user notices first: how long the build takes, how large the program is, how soon
//! it answers, and what it takes to train.
//!
//! It prints the first table of `docs/PERFORMANCE.md`. Builds take minutes, so they are timed only when asked for.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::program::{Answers, Memory, Program, QUESTIONS, clear, memory};
use super::serve::serving::Serving;
use super::{flag, known, machine};
use crate::{cargo, print, root, say};

/// The pack whose training is timed: it has the most examples.
const LARGEST: &str = "malaria";

/// The texts of `spec/budget`, and how often they are decided.
const TEXTS: &str = "spec/budget/texts.jsonl";
const TIMES: usize = 100;

/// The time between two looks at the memory of a process.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// A line of the table.
struct Row {
    what: String,
    measured: String,
    goal: &'static str,
}

impl Row {
    fn new(what: impl Into<String>, measured: impl Into<String>, goal: &'static str) -> Self {
        Self { what: what.into(), measured: measured.into(), goal }
    }
}

/// Measures and prints; `--build` times README's first command in a fresh copy, `--full` the program with all features,
/// `--tests` README's second command.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    known(arguments, &["--build", "--full", "--tests"], &[])?;
    let mut rows = Vec::new();
    if flag(arguments, "--build") {
        rows.push(build()?);
    }
    let program = Program::build()?;
    rows.push(Row::new("program, default", size(program.file())?, "≤ 35 MB"));
    if flag(arguments, "--full") {
        rows.push(full()?);
    }
    rows.extend(answers(&program)?);
    rows.push(training(&program)?);
    rows.extend(requests(&program)?);
    rows.push(one_route(&program)?);
    rows.push(five_packs(&program)?);
    if flag(arguments, "--tests") {
        rows.push(tests()?);
    }
    print(&format!("Machine: {}.\n\n| what | measured | goal |\n|---|--:|--:|", machine()));
    rows.iter()
        .for_each(|row| print(&format!("| {} | {} | {} |", row.what, row.measured, row.goal)));
    Ok(())
}

/// README's first command but for its question, in a copy of what is committed, whose target folder is empty.
fn build() -> Result<Row> {
    let copy = Copy::new()?;
    let (wall, cpu) = copy.timed(&["build", "--release", "--locked"])?;
    let what = "README's first command, fresh clone, warm registry";
    Ok(Row::new(what, minutes(wall, cpu), "≤ 5 min, ≤ 8 CPU min"))
}

/// README's second command, likewise.
fn tests() -> Result<Row> {
    let copy = Copy::new()?;
    let (wall, cpu) = copy.timed(&["test", "--workspace", "--features", "full", "--locked"])?;
    Ok(Row::new("README's second command, cold", minutes(wall, cpu), "≤ 12 min"))
}

fn full() -> Result<Row> {
    let folder = root().join("target").join("full");
    let build =
        ["build", "--quiet", "--release", "--package", "waypost-server", "--features", "full"];
    let status = cargo().args(build).arg("--target-dir").arg(&folder).status()?;
    if !status.success() {
        bail!("the program with all features could not be built: {status}");
    }
    let file = folder.join("release").join(format!("waypost{}", std::env::consts::EXE_SUFFIX));
    Ok(Row::new("program, `full`", size(&file)?, "≤ 50 MB"))
}

/// A copy of what is committed, which goes when this is dropped.
struct Copy(PathBuf);

impl Copy {
    fn new() -> Result<Self> {
        let folder = std::env::temp_dir().join(format!("waypost-copy-{}", std::process::id()));
        clear(&folder);
        let clone =
            Command::new("git").args(["clone", "--quiet"]).arg(root()).arg(&folder).status()?;
        if clone.success() { Ok(Self(folder)) } else { bail!("`git clone`: {clone}") }
    }

    /// The wall time and the processor time of a cargo command.
    fn timed(&self, arguments: &[&str]) -> Result<(Duration, Duration)> {
        say(&format!("cargo {} in a fresh copy: this takes minutes", arguments.join(" ")));
        let (before, begun) = (cpu_of_children()?, Instant::now());
        let mut cargo = cargo();
        cargo.current_dir(&self.0).env("CARGO_TARGET_DIR", self.0.join("target"));
        let status = cargo.args(arguments).stdin(Stdio::null()).status()?;
        if !status.success() {
            bail!("`cargo {}`: {status}", arguments.join(" "));
        }
        Ok((begun.elapsed(), cpu_of_children()?.saturating_sub(before)))
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        clear(&self.0);
    }
}

/// First answers with an empty home, and second ones in the home that the first left.
fn answers(program: &Program) -> Result<Vec<Row>> {
    let rows = program.answers()?.into_iter().flat_map(|Answers { pack, first, second }| {
        let first_what = format!("first answer, empty home, `{pack}`");
        let second_what = format!("second answer, `{pack}`");
        [
            Row::new(first_what, seconds(first.p50), "≤ 0.5 s"),
            Row::new(second_what, seconds(second.p50), "≤ 0.15 s"),
        ]
    });
    Ok(rows.collect())
}

/// The time and the most memory of training the student of the largest pack.
fn training(program: &Program) -> Result<Row> {
    let file = program.home().with_extension("student");
    let mut command = program.afresh();
    command.args(["train", "--pack", LARGEST, "--out"]).arg(&file);
    let begun = Instant::now();
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let mut peak = 0.0f64;
    let status = loop {
        if let Some(Memory { peak: now, .. }) = status(child.id()) {
            peak = peak.max(now);
        }
        match child.try_wait()? {
            Some(status) => break status,
            None => std::thread::sleep(LOOK_EVERY),
        }
    };
    let took = begun.elapsed();
    let _ = fs::remove_file(file);
    if !status.success() {
        bail!("`waypost train`: {status}");
    }
    let what = format!("training `{LARGEST}`");
    Ok(Row::new(what, format!("{}, {peak:.0} MB", seconds(took)), "≤ 3 s, ≤ 200 MB"))
}

/// The processor time of a request in `route --jsonl`, with that of the start taken away.
fn requests(program: &Program) -> Result<Vec<Row>> {
    let texts = fs::read_to_string(root().join(TEXTS))?;
    let mut rows = Vec::new();
    let start = routed(program, "")?;
    for (language, goal) in [("en", ""), ("zh-TW", ""), ("es", "≤ 260 µs on average of the three")]
    {
        let of = format!(r#""pack": "ocean", "language": "{language}""#);
        let lines: Vec<String> =
            texts.lines().filter(|line| line.contains(&of)).map(request).collect::<Result<_>>()?;
        let input = lines.concat().repeat(TIMES);
        let each =
            routed(program, &input)?.saturating_sub(start) / (TIMES * lines.len().max(1)) as u32;
        let what = format!("CPU of a request in `route --jsonl`, `ocean`, {language}");
        rows.push(Row::new(what, format!("{} µs", each.as_micros()), goal));
    }
    Ok(rows)
}

/// A line of the texts as a request.
fn request(line: &str) -> Result<String> {
    let line: serde_json::Value = serde_json::from_str(line)?;
    let request = serde_json::json!({ "text": line["text"], "now": "2025-11-06T09:00:00+08:00" });
    Ok(format!("{request}\n"))
}

/// The processor time of a process that decides these requests.
fn routed(program: &Program, input: &str) -> Result<Duration> {
    let before = cpu_of_children()?;
    let mut child = routing(program, Stdio::null())?;
    if let Some(mut to) = child.stdin.take() {
        to.write_all(input.as_bytes())?;
    }
    child.wait()?;
    Ok(cpu_of_children()?.saturating_sub(before))
}

/// A process that decides a request a line.
fn routing(program: &Program, output: Stdio) -> Result<Child> {
    let mut command = program.command();
    command.args(["route", "--jsonl", "--pack", "ocean"]).stdin(Stdio::piped()).stdout(output);
    Ok(command.spawn()?)
}

/// The memory that a process holds after it decided once.
fn one_route(program: &Program) -> Result<Row> {
    let mut child = routing(program, Stdio::piped())?;
    let mut input = child.stdin.take().context("it has no input")?;
    let mut output = BufReader::new(child.stdout.take().context("it has no output")?);
    input
        .write_all(request(r#"{"text": "how warm is the sea around Taiwan today"}"#)?.as_bytes())?;
    output.read_line(&mut String::new())?;
    let resident = status(child.id()).map(|memory| memory.resident);
    drop(input);
    child.wait()?;
    Ok(Row::new("resident after one `route`, `ocean`", megabytes(resident), "≤ 60 MB"))
}

/// The memory of a server of five packs after each was asked once.
fn five_packs(program: &Program) -> Result<Row> {
    let server = Serving::listening(program.command(), &QUESTIONS.map(|(pack, _)| pack))?;
    for (pack, question) in QUESTIONS {
        let body = serde_json::json!({ "text": question, "pack": pack }).to_string();
        if !post(server.address, &body)? {
            bail!("the server does not decide for `{pack}`");
        }
    }
    let resident = status(server.id()).map(|memory| memory.resident);
    let what = "resident: `serve` with five packs, each asked once";
    Ok(Row::new(what, megabytes(resident), "≤ 150 MB"))
}

/// Asks for a decision; returns whether there was one.
fn post(address: SocketAddr, body: &str) -> Result<bool> {
    let mut stream = std::net::TcpStream::connect(address)?;
    write!(
        stream,
        "POST /v1/route HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\
         connection: close\r\n\r\n{body}",
        body.len()
    )?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer.starts_with("HTTP/1.1 200"))
}

/// The memory of a process.
fn status(id: u32) -> Option<Memory> {
    memory(&fs::read_to_string(format!("/proc/{id}/status")).ok()?)
}

/// The processor time of all child processes that have ended, those of theirs included.
fn cpu_of_children() -> Result<Duration> {
    let stat = fs::read_to_string("/proc/self/stat").context("this needs Linux")?;
    let fields = stat.rsplit_once(") ").context("no fields")?.1;
    let mut ticks = fields.split(' ').skip(13).take(2).map(str::parse::<u64>);
    let both = ticks.try_fold(0, |sum, ticks| Ok::<u64, std::num::ParseIntError>(sum + ticks?))?;
    Ok(Duration::from_millis(both * 10))
}

fn size(file: &Path) -> Result<String> {
    let bytes = fs::metadata(file).with_context(|| file.display().to_string())?.len();
    Ok(format!("{:.1} MB", bytes as f64 / 1e6))
}

fn megabytes(figure: Option<f64>) -> String {
    figure.map_or_else(|| "unknown".to_owned(), |megabytes| format!("{megabytes:.0} MB"))
}

fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}

fn minutes(wall: Duration, cpu: Duration) -> String {
    format!("{:.1} min, {:.1} CPU min", wall.as_secs_f64() / 60.0, cpu.as_secs_f64() / 60.0)
}

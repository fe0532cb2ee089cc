//! aurelio's semantic-router, in a Python that has it, with the vectors of the encoder that the other columns use.
//!
//! The Python runs `semantic_router.py`, which says what it is told, what it answers and which of the package's settings it
//! changes.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use anyhow::{Context, Result, anyhow, ensure};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::super::vectors::Vectors;
use super::rankers::{Order, Ranker, Ranking, head};
use super::sets::Catalog;

const SCRIPT: &str = include_str!("semantic_router.py");

/// The lines of stderr that an error tells: the end of a traceback.
const LINES: usize = 5;

/// The router in a process of its own, which ends with this value.
pub(super) struct SemanticRouter<'e> {
    name: String,
    vectors: &'e Vectors,
    peer: Mutex<Peer>,
}

/// Makes the column, where a Python is given.
///
/// # Errors
///
/// If there are no vectors to give it, or the Python does not start or does not have the package.
pub(super) fn column<'e>(
    python: Option<&str>,
    vectors: Option<&'e Vectors>,
) -> Result<Option<SemanticRouter<'e>>> {
    let Some(python) = python else { return Ok(None) };
    let vectors = vectors.context(
        "`--semantic-router` needs `--encoder FOLDER`: it ranks by the vectors of that encoder",
    )?;
    let mut peer = Peer::start(Path::new(python), SCRIPT)?;
    let version: String = peer.answer()?;
    let name = format!("semantic-router {version} with MiniLM");
    Ok(Some(SemanticRouter { name, vectors, peer: Mutex::new(peer) }))
}

impl SemanticRouter<'_> {
    fn peer(&self) -> MutexGuard<'_, Peer> {
        self.peer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ranker for SemanticRouter<'_> {
    fn name(&self) -> &str {
        &self.name
    }

    /// Replaces the catalog that was read before: the process knows one at a time.
    fn read<'a>(&'a self, catalog: &'a Catalog) -> Result<Order<'a>> {
        let utterances = utterances(catalog);
        let with_vector = |(place, text): &(usize, String)| -> Result<_> {
            Ok((*place, text.clone(), self.vectors.vector(text)?))
        };
        let known = utterances.iter().map(with_vector).collect::<Result<_>>()?;
        self.peer().tell(&Line::Catalog(known))?;
        let tools = catalog.tools.len();
        Ok(Box::new(move |text| {
            let mut peer = self.peer();
            peer.tell(&Line::Question(text, self.vectors.vector(text)?))?;
            ranking(&peer.answer::<Vec<_>>()?, tools)
        }))
    }
}

/// The texts of each route: the examples of a tool, or what is written about it where it has none.
fn utterances(catalog: &Catalog) -> Vec<(usize, String)> {
    let has_none = |place: &usize| catalog.examples.iter().all(|(other, _)| other != place);
    let written = (0..catalog.tools.len()).filter(has_none);
    let written = written.map(|place| (place, head(&catalog.tools[place])));
    written.chain(catalog.examples.iter().cloned()).collect()
}

/// The routes in the order that was answered; a route that was left out comes last.
fn ranking(answer: &[(usize, f64)], tools: usize) -> Result<Ranking> {
    let mut order: Vec<usize> = answer.iter().map(|(place, _)| *place).collect();
    let foreign = order.iter().find(|place| **place >= tools);
    ensure!(foreign.is_none(), "semantic-router answers a route that it was not given");
    let rest: Vec<usize> = (0..tools).filter(|place| !order.contains(place)).collect();
    order.extend(rest);
    Ok(Ranking { order, scope: answer.first().map_or(0.0, |(_, score)| *score) })
}

/// What the process is told.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Line<'a> {
    Catalog(Vec<(usize, String, Vec<f32>)>),
    Question(&'a str, Vec<f32>),
}

/// A process that speaks lines of JSON.
struct Peer {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// What it writes to stderr, read as it comes: a full pipe would stop it.
    said: Option<JoinHandle<String>>,
}

impl Peer {
    fn start(python: &Path, script: &str) -> Result<Self> {
        let mut command = Command::new(python);
        command.arg("-c").arg(script).stdin(Stdio::piped()).stdout(Stdio::piped());
        let child = command.stderr(Stdio::piped()).spawn();
        let mut child =
            child.with_context(|| format!("`{}` could not be started", python.display()))?;
        let input = child.stdin.take().context("a process without stdin")?;
        let output = BufReader::new(child.stdout.take().context("a process without stdout")?);
        let stderr = child.stderr.take().context("a process without stderr")?;
        let said = Some(std::thread::spawn(|| all_of(stderr)));
        Ok(Self { child, input, output, said })
    }

    fn tell(&mut self, line: &Line) -> Result<()> {
        // As one text: written piece by piece, each number of a vector would be a system call.
        let line = serde_json::to_string(line)? + "\n";
        self.input.write_all(line.as_bytes()).map_err(|_| self.fault())
    }

    fn answer<T: DeserializeOwned>(&mut self) -> Result<T> {
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        if line.is_empty() {
            return Err(self.fault());
        }
        let answer = serde_json::from_str(&line);
        answer.with_context(|| format!("semantic-router answers `{:.200}`", line.trim_end()))
    }

    /// The error of a process that ended too early, with the last that it said.
    fn fault(&mut self) -> anyhow::Error {
        // It may have closed its output alone.
        let _ = self.child.kill();
        let said = self.said.take().and_then(|said| said.join().ok()).unwrap_or_default();
        let lines: Vec<&str> = said.lines().collect();
        let last = lines[lines.len().saturating_sub(LINES)..].join("\n");
        anyhow!("semantic-router ended; the last that it said:\n{last}")
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn all_of(mut stderr: ChildStderr) -> String {
    let mut said = Vec::new();
    let _ = stderr.read_to_end(&mut said);
    String::from_utf8_lossy(&said).into_owned()
}

#[cfg(test)]
mod tests {
    use waypost::ports::tools::ToolDescription;

    use super::*;

    #[test]
    fn a_route_that_is_left_out_comes_last() {
        let ranking = ranking(&[(2, 0.9), (0, 0.4)], 4).unwrap();
        assert_eq!(ranking.order, [2, 0, 1, 3]);
        assert!((ranking.scope - 0.9).abs() < 1e-9);
        assert!(super::ranking(&[(4, 0.9)], 4).is_err());
    }

    #[test]
    fn a_tool_without_examples_is_told_by_what_is_written_about_it() {
        let tool = |name: &str| ToolDescription {
            name: name.to_owned(),
            description: "Tells more.".to_owned(),
            ..Default::default()
        };
        let examples = vec![(0, "will it rain?".to_owned()), (0, "is it warm?".to_owned())];
        let tools = vec![tool("weather"), tool("seaTides")];
        let found = utterances(&Catalog { tools, examples, questions: Vec::new() });
        let expected = [(1, "sea Tides: Tells more."), (0, "will it rain?"), (0, "is it warm?")];
        assert_eq!(found, expected.map(|(place, text)| (place, text.to_owned())));
    }

    #[test]
    fn it_needs_an_encoder() {
        let error = column(Some("python3"), None).err().map(|error| error.to_string());
        assert!(error.is_some_and(|error| error.contains("`--encoder FOLDER`")));
        assert!(column(None, None).is_ok_and(|column| column.is_none()));
    }

    #[test]
    fn a_python_that_is_not_there_is_named() {
        let error = Peer::start(Path::new("no-such-python"), SCRIPT).err().unwrap();
        assert!(error.to_string().contains("no-such-python"));
    }

    #[cfg(unix)]
    #[test]
    fn answers_are_lines_of_json() {
        let script = r#"read line; echo "[[2, 0.9]]"; echo "$line"; echo pardon"#;
        let mut peer = Peer::start(Path::new("sh"), script).unwrap();
        peer.tell(&Line::Question("rain", vec![0.5])).unwrap();
        assert_eq!(peer.answer::<Vec<(usize, f64)>>().unwrap(), [(2, 0.9)]);
        let told: serde_json::Value = peer.answer().unwrap();
        assert_eq!(told, serde_json::json!({ "question": ["rain", [0.5]] }));
        let error = peer.answer::<String>().unwrap_err();
        assert!(error.to_string().contains("`pardon`"));
    }

    #[cfg(unix)]
    #[test]
    fn a_process_that_ends_is_quoted() {
        let script = "for n in 1 2 3 4 5 6; do echo line $n >&2; done";
        let mut peer = Peer::start(Path::new("sh"), script).unwrap();
        let error = peer.answer::<String>().unwrap_err().to_string();
        assert!(error.ends_with("line 2\nline 3\nline 4\nline 5\nline 6"), "{error}");
    }
}

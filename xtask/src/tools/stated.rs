//! Learns which stretches of a text are meant for which arguments, and measures it on servers that it has not seen.
//!
//! `spec/arguments/servers` holds requests to the invented servers with the values of the arguments that they state.

use std::fs;

use anyhow::{Context as _, Result, bail};
use serde::Deserialize;
use serde_json::{Map, Value};
use waypost::arguments::learn::{Learned, guessed, is_meant, learn, likeliest, rows};
use waypost::pack::{Pack, Tool};

use super::{FOLDS, own_name, pack, servers};

/// Guesses that are at least so likely are counted.
const LIKELY: [f64; 4] = [0.3, 0.5, 0.7, 0.9];

/// A request with what it states.
#[derive(Debug, Deserialize)]
struct Stated {
    text: String,
    tool: String,
    arguments: Map<String, Value>,
}

/// A server with its requests.
struct Server {
    name: String,
    pack: Pack,
    requests: Vec<Stated>,
}

impl Server {
    /// The requests, each with its tool.
    fn asked(&self) -> impl Iterator<Item = (&Stated, &Tool)> {
        self.requests.iter().filter_map(|stated| {
            let is_its = |tool: &&Tool| own_name(tool, &self.name) == Some(&stated.tool);
            Some((stated, self.pack.tools.iter().find(is_its)?))
        })
    }
}

/// `cargo xtask tools arguments [train]`.
pub(super) fn run(arguments: &[String]) -> Result<()> {
    let servers = read()?;
    match arguments {
        [] => measure(&servers),
        [train] if train == "train" => {
            let learned = learned(&servers, |_| true);
            let path = crate::root().join("crates/waypost/catalog/arguments.bin");
            fs::write(&path, learned.write()).with_context(|| path.display().to_string())
        }
        _ => bail!("there is `tools arguments` and `tools arguments train`"),
    }
}

fn read() -> Result<Vec<Server>> {
    let folder = crate::root().join("spec/arguments/servers");
    let servers = servers()?.into_iter().enumerate();
    let servers = servers.map(|(number, server)| {
        let path = folder.join(format!("{:02}.jsonl", number + 1));
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let requests =
            text.lines().map(serde_json::from_str).collect::<std::result::Result<_, _>>();
        let requests = requests.with_context(|| path.display().to_string())?;
        Ok(Server { pack: pack(&[&server])?, name: server.server, requests })
    });
    servers.collect()
}

fn learned(servers: &[Server], counts: impl Fn(usize) -> bool) -> Learned {
    let own = servers.iter().enumerate().filter(|(number, _)| counts(*number));
    let asked = own.flat_map(|(_, server)| server.asked());
    let rows: Vec<_> =
        asked.flat_map(|(stated, tool)| rows(&stated.text, tool, &stated.arguments)).collect();
    learn(&rows)
}

/// Prints what is guessed on servers of which nothing was learned.
fn measure(servers: &[Server]) -> Result<()> {
    let (mut said, mut unsaid) = (0usize, 0usize);
    let mut right = [0usize; LIKELY.len()];
    let mut wrong = [0usize; LIKELY.len()];
    for fold in 0..FOLDS {
        let learned = learned(servers, |number| number % FOLDS != fold);
        let own = servers.iter().enumerate().filter(|(number, _)| number % FOLDS == fold);
        for (stated, tool) in own.flat_map(|(_, server)| server.asked()) {
            let guesses = learned.guess(&stated.text, tool);
            let characters: Vec<char> = stated.text.chars().collect();
            for name in guessed(&guesses) {
                let values: Vec<&str> = match stated.arguments.get(name) {
                    Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).collect(),
                    Some(value) => value.as_str().into_iter().collect(),
                    None => Vec::new(),
                };
                if values.is_empty() {
                    unsaid += 1;
                } else {
                    said += 1;
                }
                let Some(guess) = likeliest(&guesses, name) else { continue };
                let words: String = characters[guess.span.start..guess.span.end].iter().collect();
                let is_right = values.iter().any(|value| is_meant(&words, value));
                for (at, _) in LIKELY.iter().enumerate().filter(|(_, at)| guess.probability >= **at)
                {
                    if is_right {
                        right[at] += 1;
                    } else {
                        wrong[at] += 1;
                    }
                }
            }
        }
    }
    crate::print(&format!(
        "{said} arguments are said, {unsaid} are not\n\n| at least | right % | wrong of all guesses % |\n|--:|--:|--:|"
    ));
    for ((least, right), wrong) in LIKELY.iter().zip(right).zip(wrong) {
        let share = |part: usize, all: usize| 100.0 * part as f64 / all.max(1) as f64;
        let (found, wrong) = (share(right, said), share(wrong, right + wrong));
        crate::print(&format!("| {least} | {found:.1} | {wrong:.1} |"));
    }
    Ok(())
}

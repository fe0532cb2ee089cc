//! Times the encoder beside its peers, on the same texts in one run: `cargo xtask bench encoder` runs
//! it and makes tables of what it prints.
//!
//!     cargo run --release -p waypost-encoder --example beside -- MODEL [PYTHON]
//!
//! Engines take turns in short blocks, so that other work of the machine meets all of them.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use serde_json::{Value, json};
use waypost_encoder::{Encoder, EncoderOptions, Level, Precision};

/// Texts of one length, and how many an engine takes at a turn.
const TEXTS: usize = 100;
const BLOCK: usize = 10;
/// The number of times that all texts are gone through; the first round warms up.
const ROUNDS: usize = 7;
/// Lengths in tokens.
const LENGTHS: [usize; 2] = [11, 32];

/// Instructions that are not measured: none uses AVX-512 without VNNI for bytes, or none at all.
const SLOW: [&str; 2] = ["avx512", "scalar"];

/// Words of one token each for most models, out of which texts are made.
const WORDS: &str = "how warm is the sea near our coast tomorrow show me a map of tide and wind for \
    next week what was water level last year in this city can you book two seats on an early train \
    please send my brother some money from main account turn off light play old music set alarm";

type Outcome<T> = Result<T, Box<dyn Error>>;

/// A text with its tokens.
struct Text {
    text: String,
    ids: Vec<u32>,
}

/// Nanoseconds and vectors of a block of texts.
type Block = Outcome<(Vec<u64>, Vec<Vec<f32>>)>;

/// An encoder that is timed.
struct Engine {
    name: String,
    load_seconds: f64,
    own: Option<(Encoder, bool)>,
}

/// The other program, which speaks lines of JSON.
struct Peer {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Peer {
    fn start(python: &str, model: &str) -> Outcome<(Self, Value)> {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/reference/peer.py");
        let mut child = Command::new(python)
            .args([script, model])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()?;
        let input = child.stdin.take().ok_or("no input")?;
        let output = BufReader::new(child.stdout.take().ok_or("no output")?);
        let mut peer = Self { child, input, output };
        let hello = peer.line()?;
        Ok((peer, hello))
    }

    fn line(&mut self) -> Outcome<Value> {
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        Ok(serde_json::from_str(&line)?)
    }

    fn block(&mut self, engine: &str, texts: &[Text]) -> Block {
        let texts: Vec<Value> =
            texts.iter().map(|text| json!({ "text": text.text, "ids": text.ids })).collect();
        writeln!(self.input, "{}", json!({ "engine": engine, "texts": texts }))?;
        self.input.flush()?;
        let reply = self.line()?;
        let times = serde_json::from_value(reply["nanoseconds"].clone())?;
        Ok((times, serde_json::from_value(reply["vectors"].clone())?))
    }
}

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let model = arguments.first().ok_or("which model?")?;
    let (mut engines, mut peer, mut versions) = (own_engines(model)?, None, Value::Null);
    if let Some(python) = arguments.get(1) {
        let (started, hello) = Peer::start(python, model)?;
        for name in hello["engines"].as_array().into_iter().flatten() {
            let name = name.as_str().unwrap_or_default().to_owned();
            let is_first = name == "ONNX Runtime fp32";
            let load = if is_first { hello["load_seconds"].as_f64() } else { None };
            engines.push(Engine { name, load_seconds: load.unwrap_or(0.0), own: None });
        }
        versions = hello["versions"].clone();
        peer = Some(started);
    }
    print(&json!({ "versions": versions }));
    for length in LENGTHS {
        let texts = texts(&engines, length)?;
        measure(&engines, &mut peer, &texts, length)?;
    }
    if let Some(mut peer) = peer {
        drop(peer.input);
        peer.child.wait()?;
    }
    Ok(())
}

/// Each precision on all vector instructions that there are, from tokens; the best also from text.
fn own_engines(model: &str) -> Outcome<Vec<Engine>> {
    let best = Level::best();
    let mut engines = Vec::new();
    for level in Level::available().into_iter().filter(|level| !SLOW.contains(&level.name())) {
        for precision in [Precision::F32, Precision::Int8] {
            let start = Instant::now();
            let options = EncoderOptions { precision, level: Some(level) };
            let encoder = Encoder::open_with(Path::new(model), &options)?;
            let load_seconds = start.elapsed().as_secs_f64();
            let name = format!("{}, {}", precision.name(), level.name());
            engines.push(Engine { name, load_seconds, own: Some((encoder, false)) });
        }
    }
    for precision in [Precision::F32, Precision::Int8] {
        let encoder = Encoder::open(Path::new(model), precision)?;
        let name = format!("{}, {}, with tokenizing", precision.name(), best.name());
        engines.push(Engine { name, load_seconds: 0.0, own: Some((encoder, true)) });
    }
    Ok(engines)
}

/// Different texts of so many tokens.
fn texts(engines: &[Engine], length: usize) -> Outcome<Vec<Text>> {
    let own = engines.iter().find_map(|engine| engine.own.as_ref());
    let (encoder, _) = own.ok_or("there is no encoder")?;
    let words: Vec<&str> = WORDS.split_whitespace().collect();
    let mut texts = Vec::new();
    let mut random = 88_172_645_463_325_252_u64;
    while texts.len() < TEXTS {
        let mut chosen = Vec::new();
        for _ in 0..length - 2 {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            chosen.push(words[usize::try_from(random >> 33)? % words.len()]);
        }
        let text = chosen.join(" ");
        let ids = encoder.token_ids(&text)?;
        if ids.len() != length {
            return Err(format!("`{text}` has {} tokens", ids.len()).into());
        }
        texts.push(Text { text, ids });
    }
    Ok(texts)
}

fn own_block((encoder, from_text): &(Encoder, bool), texts: &[Text]) -> Block {
    let (mut times, mut vectors) = (Vec::new(), Vec::new());
    for text in texts {
        let start = Instant::now();
        let vector = if *from_text {
            encoder.encode(&text.text)?
        } else {
            encoder.encode_ids(&[&text.ids])?.remove(0)
        };
        times.push(u64::try_from(start.elapsed().as_nanos())?);
        vectors.push(vector);
    }
    Ok((times, vectors))
}

fn measure(
    engines: &[Engine],
    peer: &mut Option<Peer>,
    texts: &[Text],
    length: usize,
) -> Outcome<()> {
    let mut times: BTreeMap<usize, Vec<u64>> = BTreeMap::new();
    let mut vectors: BTreeMap<usize, Vec<Vec<f32>>> = BTreeMap::new();
    for round in 0..ROUNDS {
        for block in texts.chunks(BLOCK) {
            for (at, engine) in engines.iter().enumerate() {
                let (taken, made) = match (&engine.own, peer.as_mut()) {
                    (Some(own), _) => own_block(own, block)?,
                    (None, Some(peer)) => peer.block(&engine.name, block)?,
                    (None, None) => continue,
                };
                if round == 0 {
                    vectors.entry(at).or_default().extend(made);
                } else {
                    times.entry(at).or_default().extend(taken);
                }
            }
        }
    }
    // The yardstick of directions is ONNX Runtime where it is there, else our floats.
    let yardstick =
        engines.iter().position(|engine| engine.name == "ONNX Runtime fp32").unwrap_or(0);
    for (at, engine) in engines.iter().enumerate() {
        let taken = times.entry(at).or_default();
        taken.sort_unstable();
        let pairs = vectors[&at].iter().zip(&vectors[&yardstick]);
        let cosines: Vec<f64> = pairs.map(|(a, b)| cosine(a, b)).collect();
        let percentile = |percent: usize| taken[(taken.len() - 1) * percent / 100] as f64 / 1e3;
        print(&json!({
            "engine": engine.name,
            "own": engine.own.is_some(),
            "tokens": length,
            "p10_us": percentile(10),
            "p50_us": percentile(50),
            "p90_us": percentile(90),
            "load_seconds": engine.load_seconds,
            "least_cosine": cosines.iter().copied().fold(1.0, f64::min),
        }));
    }
    Ok(())
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let dot = |a: &[f32], b: &[f32]| {
        a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>()
    };
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

#[expect(clippy::print_stdout, reason = "the figures are what it is for")]
fn print(value: &Value) {
    println!("{value}");
}

//! `waypost encoder distill`: a static table from an encoder, for its meaning in microseconds.

use std::fs;
use std::time::Instant;

use serde_json::json;
use waypost::learning::train::distill::{Size, Vocabulary, distill};
use waypost::learning::{Cut, StaticTable};
use waypost::{Code, Error};
use waypost_backends::encoder::{LocalEncoder, TokenizerKind};

use crate::cli::encoder::EncoderDistillArgs;
use crate::config::Config;
use crate::failure::Failure;
use crate::{encoders, output};

pub(super) fn run(args: &EncoderDistillArgs, config: &Config) -> Result<u8, Failure> {
    let started = Instant::now();
    let encoder = encoders::open(config, &args.name)?;
    let vocabulary = vocabulary(&args.name, &encoder)?;
    let size = Size { dimensions: args.dimensions, ascii: args.ascii };
    let table = distill(&vocabulary, size)?;
    let bytes = table.to_bytes();
    let path = args.out.clone().unwrap_or_else(|| format!("{}.table", args.name).into());
    fs::write(&path, &bytes).map_err(|error| {
        Error::new(Code::FailedPrecondition, format!("cannot write `{}`: {error}", path.display()))
    })?;
    report(args, &table, &path.display().to_string(), bytes.len(), started)?;
    Ok(0)
}

fn report(
    args: &EncoderDistillArgs,
    table: &StaticTable,
    path: &str,
    bytes: usize,
    started: Instant,
) -> Result<(), Failure> {
    let head = table.head();
    let seconds = started.elapsed().as_secs_f64();
    if args.json {
        return output::json_pretty(&json!({
            "file": path,
            "id": table.id(),
            "pieces": head.pieces,
            "dimensions": head.dimensions,
            "bytes": bytes,
        }));
    }
    output::line(format!(
        "{path}: {} pieces of {} numbers, {:.1} MB, in {seconds:.1} s",
        head.pieces,
        head.dimensions,
        bytes as f64 / 1e6
    ))?;
    output::note("hint: name it as `table` under [student] in waypost.toml");
    Ok(())
}

/// The encoder's word pieces with its own vectors of them, the most frequent first.
fn vocabulary(name: &str, encoder: &LocalEncoder) -> Result<Vocabulary, Error> {
    let inner = encoder.inner();
    let known = inner.vocabulary();
    let cut = match known.kind {
        TokenizerKind::WordPiece { .. } => Cut::Longest,
        TokenizerKind::Unigram => Cut::Likeliest,
        TokenizerKind::Other => {
            let message = "an encoder with such a tokenizer cannot be distilled";
            let hint = "encoders with a WordPiece or a unigram tokenizer can";
            return Err(Error::new(Code::FailedPrecondition, message).with_hint(hint));
        }
    };
    let mut order: Vec<usize> = (0..known.tokens.len()).collect();
    // A WordPiece vocabulary is ordered by frequency; a unigram one says how likely a piece is.
    if cut == Cut::Likeliest {
        let score = |place: &usize| known.tokens[*place].score.unwrap_or(f64::NEG_INFINITY);
        order.sort_by(|a, b| score(b).total_cmp(&score(a)));
    }
    let mut vocabulary = Vocabulary {
        source: name.to_owned(),
        cut,
        pieces: Vec::with_capacity(order.len()),
        scores: Vec::new(),
        vectors: Vec::with_capacity(order.len() * inner.dimensions()),
    };
    for place in order {
        let token = &known.tokens[place];
        let vector = inner.word(place as u32).filter(|_| !token.special);
        let Some(vector) = vector else { continue };
        vocabulary.pieces.push(token.text.clone());
        vocabulary.vectors.extend(vector);
        if cut == Cut::Likeliest {
            vocabulary.scores.push(token.score.map_or(UNKNOWN, |score| score as f32));
        }
    }
    Ok(vocabulary)
}

/// The score of a special token of a unigram vocabulary: it is never the likeliest.
const UNKNOWN: f32 = -100.0;

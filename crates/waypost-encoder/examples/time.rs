//! Times the encoder of a folder: `cargo run --release --example time -- FOLDER [LEVEL]`.

use std::path::Path;
use std::time::Instant;

use waypost_encoder::{Encoder, Level, Options, Precision};

#[expect(clippy::print_stdout, reason = "the figures are what it is for")]
fn main() -> Result<(), waypost_encoder::Error> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let folder = arguments.first().map_or(".", String::as_str);
    let level = arguments.get(1).and_then(|name| Level::find(name));
    for precision in [Precision::F32, Precision::Int8] {
        let start = Instant::now();
        let encoder = Encoder::open_with(Path::new(folder), &Options { precision, level })?;
        println!("{} {:?} load {:?}", encoder.id(), encoder.level(), start.elapsed());
        for words in [7, 28] {
            let ids: Vec<u32> = std::iter::once(101)
                .chain((0..words + 2).map(|word| 2000 + word * 37))
                .chain([102])
                .collect();
            let mut times = Vec::new();
            for _ in 0..300 {
                let start = Instant::now();
                encoder.encode_ids(&[&ids])?;
                times.push(start.elapsed());
            }
            times.sort();
            println!("  {} tokens: p10 {:?} p50 {:?}", ids.len(), times[30], times[150]);
        }
    }
    Ok(())
}

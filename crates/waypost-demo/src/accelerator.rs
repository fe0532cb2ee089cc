//! The accelerator pack's sample server: a small electron storage ring, which is simulated.
//!
//! The ring (`machine.rs`) follows from its settings and the clock, its archive (`archive.rs`) from
//! the clock alone. `channels.rs` has the same channels and limits as the pack. Logbook and weather
//! are made up, and every result and every picture says so. One server is one ring: what is set,
//! and what it was asked to remember, lasts as long as it runs.

mod archive;
mod channels;
mod chart;
mod clock;
mod expression;
mod figures;
mod finding;
mod gathered;
mod given;
mod logbook;
mod machine;
mod memory;
mod period;
mod python;
mod reading;
mod retrieval;
mod schema;
mod shelf;
mod state;
mod weather;
mod words;
mod writing;

use serde_json::{Value, json};

pub(crate) use state::Ring;

use crate::pack::{Context, Failure, Pack, Reply, Tool};
use crate::picture::Picture;

/// The pack's line in the table of packs. Notes and what was gathered are no part of the machine,
/// and the pack has them as read.
pub(crate) const PACK: Pack = Pack {
    name: "accelerator",
    instructions: "A small electron storage ring that is simulated: its channels, archive and \
                   logbook, computations over them, notes, and made-up weather. No value tells \
                   anything about a real machine, and nothing that is set moves one.",
    tools,
    writers: &["channel_write"],
};

/// The note that pictures and results carry about their values.
const SOURCE: &str = "synthetic data, a simulated storage ring";

/// The tools, in the order of the pack.
fn tools() -> Vec<Tool> {
    vec![
        finding::tool(),
        period::tool(),
        reading::tool(),
        retrieval::tool(),
        python::tool(),
        writing::tool(),
        memory::tool(),
        logbook::tool(),
        weather::tool(),
        gathered::tool(),
    ]
}

/// Fails if the fault `not-found` is on: then there is no ring, no logbook and no weather.
fn there_are_data(context: &Context) -> Result<(), Failure> {
    if context.no_data {
        return Err(Failure { code: "NOT_FOUND", message: "there are no data".to_owned() });
    }
    Ok(())
}

/// A result with what every result of this pack says about itself.
fn finish(mut result: Value, pictures: Vec<Picture>) -> Reply {
    result["simulated"] = json!(true);
    result["synthetic"] = json!(true);
    result["note"] = json!(SOURCE);
    Reply { result, pictures }
}

#[cfg(test)]
mod tests;

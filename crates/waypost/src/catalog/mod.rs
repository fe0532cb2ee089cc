//! Ranks the tools of a pack for a text by what is written about them: which of them may be meant.

use waypost_text::text::Text;

use crate::decide::cascade::described_scores;
use crate::pack::{Pack, Tool};

/// A tool that may be meant.
#[derive(Debug, Clone, Copy)]
pub struct Found<'a> {
    /// The tool.
    pub tool: &'a Tool,
    /// How well what is written about it fits the text; comparable within one search alone.
    pub score: f64,
}

/// Finds the `most` tools whose descriptions fit a text best, best first.
pub fn search<'a>(pack: &'a Pack, text: &str, most: usize) -> Vec<Found<'a>> {
    let scores = described_scores(pack, Text::new(text).normalized());
    let mut found: Vec<Found<'_>> =
        pack.tools.iter().zip(scores).map(|(tool, score)| Found { tool, score }).collect();
    found.sort_by(|a, b| b.score.total_cmp(&a.score));
    found.truncate(most);
    found
}

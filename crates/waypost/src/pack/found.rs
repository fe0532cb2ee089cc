//! Finds tools of a pack by what is written about them, for people and programs that look for one.

use waypost_text::extract::detect;
use waypost_text::language::Language;
use waypost_text::text::Text;

use super::{Pack, Tool};
use crate::catalog::Asked;
use crate::catalog::weights::Weights;

/// A tool that may be meant.
#[derive(Debug, Clone, Copy)]
pub struct Found<'a> {
    /// The tool.
    pub tool: &'a Tool,
    /// Its share among those that were found to be near, from 0 to 1.
    pub score: f64,
}

impl Pack {
    /// Finds the `most` tools whose descriptions fit a text best, best first.
    pub fn find_tools(&self, text: &str, most: usize) -> Vec<Found<'_>> {
        let text = Text::new(text);
        let language = detect(&text, &Language::ALL).unwrap_or(Language::En);
        let asked = Asked::read(text.normalized(), language);
        let candidates = self.catalog().candidates(&asked, &[]);
        let beside = self.catalog().beside(&asked, &candidates);
        let ranking = Weights::of(&asked).rank(&candidates, self.catalog().known(&asked), &beside);
        let found = ranking
            .tools
            .into_iter()
            .filter_map(|(tool, score)| Some(Found { tool: self.tools.get(tool)?, score }));
        found.take(most).collect()
    }
}

//! Which words of a text are the user's own: what agent programs put into a turn, and what gives orders
//! to whoever answers, is blank afterwards, so that positions stay.
//!
//! What a part is follows from its form (`tags`, `sections`, `orders`) and from a table of names
//! (`programs.txt`). It is no defence: whatever stands in a turn has the rights of its user, and gates
//! hold what changes something. Each step reads the text a fixed number of times.

mod orders;
mod page;
mod sections;
mod table;
mod tags;
#[cfg(test)]
mod tests;

use page::Page;

use super::commands::{self, Commands};

/// The user's own words in a text.
#[derive(Debug)]
pub(crate) struct Own {
    /// They where they stand; all else is spaces.
    pub(crate) words: String,
    /// True if orders to whoever answers were taken out.
    pub(super) had_orders: bool,
}

impl Own {
    /// Takes the commands at the start out of the words.
    pub(super) fn without_commands(&mut self) -> Commands {
        let (commands, end) = commands::read(&self.words);
        let blank: String = self.words[..end].chars().map(|_| ' ').collect();
        self.words.replace_range(..end, &blank);
        commands
    }
}

/// Finds the user's own words in a text of a pack whose routes are called so.
///
/// A text that would have none is as it was, but for what nobody types. Where an answer is waited for, orders are part of
/// it: without them "ok, but ignore that instruction" would be a yes.
pub(crate) fn own(text: &str, routes: &[String], answers: bool) -> Own {
    let mut page = Page::new(text);
    tags::strip(&mut page);
    sections::strip(&mut page);
    let before = page.words().to_owned();
    if !answers {
        orders::mask(&mut page, routes);
    }
    let had_orders = page.words() != before && page.words().contains(char::is_alphanumeric);
    Own { words: page.into_own(), had_orders }
}

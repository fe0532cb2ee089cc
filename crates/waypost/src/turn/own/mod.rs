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

/// The user's own words, where they stand in the text; all else is spaces.
///
/// A text that would have none is as it was, but for what nobody types. `routes` are the names of the
/// pack's routes.
pub(super) fn words(text: &str, routes: &[String]) -> String {
    let mut page = Page::new(text);
    tags::strip(&mut page);
    sections::strip(&mut page);
    orders::mask(&mut page, routes);
    page.into_own()
}

//! Tells the language of each line that it is given, and counts them.
//!
//! `cargo run -p waypost-text --example tell -- en,es < texts`: a `+` marks a line in a language that is not among
//! those that are expected.

#![expect(clippy::disallowed_methods, reason = "a tool reads its arguments and texts")]

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};

use waypost_text::extract::guess;
use waypost_text::language::Language;
use waypost_text::text::Text;

fn main() -> io::Result<()> {
    let tags = std::env::args().nth(1).unwrap_or_default();
    let among: Vec<Language> = tags.split(',').filter_map(Language::from_tag).collect();
    let (mut counts, mut out) = (BTreeMap::<String, usize>::new(), io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let line = line?;
        let told = guess(&Text::new(&line), &among);
        let name = told.language.map_or("none".to_owned(), |language| language.tag().to_owned());
        let expected = told.language.is_none_or(|language| among.contains(&language));
        let mark = if told.is_sure && !expected { "+" } else { "" };
        writeln!(out, "{name}{mark}\t{line}")?;
        *counts.entry(format!("{name}{mark}")).or_default() += 1;
    }
    writeln!(io::stderr(), "{counts:?}")
}

//! A matcher of one's own: words that no list of a pack can hold become the value of an argument, with
//! the words as its evidence.
//!
//! `cargo run -p waypost-examples --bin own_matcher`
#![expect(clippy::print_stdout, reason = "it is a program that prints")]

use std::sync::Arc;

use serde_json::json;
use waypost::Result;
use waypost::pack::Tool;
use waypost::router::Router;
use waypost::understand::Turn;
use waypost::understand::matcher::{Found, Matcher};
use waypost::understand::mention::Stance;
use waypost_examples::{ask, parts};

/// The shelf marks of the library: those that begin with `h` stand in the harbor branch.
#[derive(Debug)]
struct ShelfMarks;

impl ShelfMarks {
    fn branch(word: &str) -> Option<&'static str> {
        let (letter, digits) = word.split_at_checked(1)?;
        let is_mark = digits.len() == 4 && digits.chars().all(|c| c.is_ascii_digit());
        match letter {
            "h" if is_mark => Some("harbor"),
            "c" if is_mark => Some("central"),
            _ => None,
        }
    }
}

impl Matcher for ShelfMarks {
    fn name(&self) -> &'static str {
        "shelf_mark"
    }

    fn find(&self, turn: &Turn<'_>, _: &Tool, argument: &str) -> Option<Found> {
        let text = turn.said.text.normalized();
        text.split_whitespace().filter(|_| argument == "branch").find_map(|word| {
            let word = word.trim_end_matches('?');
            let start = text.find(word)?;
            let span = turn.said.text.span(start, start + word.len());
            // "not h2041" names no branch.
            let is_said = turn.said.stance(span) == Stance::Said;
            let branch = Self::branch(word).filter(|_| is_said)?;
            Some(Found { value: json!(branch), span })
        })
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let router = Router::new(parts().await?).with_matchers(vec![Arc::new(ShelfMarks)]);
    for text in ["when does the library with H2041 open?", "when does the library open tomorrow?"] {
        let answer = ask(&router, text, text).await?;
        println!("> {text}\n{}", answer.text);
        println!("  branch: {}", answer.raw.plan["calls"][0]["evidence"]["branch"]);
    }
    Ok(())
}

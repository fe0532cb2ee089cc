//! A matcher of one's own: words that no list of a pack can hold become the value of an argument, with
//! the words as its evidence.
//!
//! `cargo run -p waypost-examples --bin own_matcher`
#![expect(clippy::print_stdout, reason = "it is a program that prints")]

use std::sync::Arc;

use serde_json::{Value, json};
use waypost::Result;
use waypost::router::Router;
use waypost::understand::matcher::Words;
use waypost_examples::{ask, parts};

/// The branch where a shelf mark such as `h2041` stands: those that begin with `h` are in the harbor.
fn branch(word: &str) -> Option<Value> {
    let (letter, digits) = word.split_at_checked(1)?;
    let is_mark = digits.len() == 4 && digits.chars().all(|c| c.is_ascii_digit());
    let branches = [("h", "harbor"), ("c", "central")];
    let (_, branch) = branches.into_iter().find(|(own, _)| is_mark && letter == *own)?;
    Some(json!(branch))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let marks = Words::new("shelf_mark", "branch", branch);
    let router = Router::new(parts().await?).with_matchers(vec![Arc::new(marks)]);
    for text in ["when does the library with H2041 open?", "when does the library open tomorrow?"] {
        let answer = ask(&router, text, text).await?;
        println!("> {text}\n{}", answer.text);
        println!("  branch: {}", answer.raw.plan["calls"][0]["evidence"]["branch"]);
    }
    Ok(())
}

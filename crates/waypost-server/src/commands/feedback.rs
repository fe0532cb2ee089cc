//! `waypost feedback`: says of a decision whether it was right, for students to learn from.

use std::sync::Arc;

use serde_json::json;
use waypost::feedback::{self, Feedback};
use waypost::ports::store::{Filter, Store};
use waypost::records::label::{Label, Verdict};
use waypost::records::request::shorten;
use waypost::{Code, Error};

use crate::cli::FeedbackArgs;
use crate::config::Config;
use crate::failure::Failure;
use crate::{assemble, output, packs};

/// The longest part of the words that is shown, in characters.
const SHOWN: usize = 60;

pub(super) async fn run(args: &FeedbackArgs, config: &Config) -> Result<u8, Failure> {
    let id = &args.decision_id;
    let store = assemble::kept(config).await?.ok_or_else(|| unknown(id))?;
    let filter = Filter { decision: Some(id.clone()), ..Filter::default() };
    let record = store.events(&filter, 1).await?.pop().ok_or_else(|| unknown(id))?;
    let pack = packs::load(args.pack.as_deref().unwrap_or(&record.pack))?;
    let store = assemble::redacting(Arc::new(store), config);
    let said = Feedback {
        decision_id: id.clone(),
        right: args.right,
        route: args.route.clone(),
        tools: args.tools.clone(),
        session: None,
        now: Some(super::now()),
        // Whoever can read the store needs no leave to speak of what is in it.
        trusted: true,
        owner: None,
    };
    let label = feedback::give(&pack, store.as_ref(), &said).await?;
    if args.json {
        output::json_line(&json!({ "label": label }))?;
        return Ok(0);
    }
    output::line(noted(id, label.as_ref()))?;
    Ok(0)
}

fn unknown(id: &str) -> Failure {
    let message = format!("there is no decision `{}`", shorten(id, SHOWN));
    Error::new(Code::NotFound, message)
        .with_hint("`waypost events --json` lists those that are kept, each with its `decision_id`")
        .into()
}

/// Says what was understood, in a sentence.
pub(super) fn noted(id: &str, label: Option<&Label>) -> String {
    let Some(label) = label else {
        return format!(
            "nothing is learned from `{id}`: its words mean something only with what was said before"
        );
    };
    let words = shorten(&label.text, SHOWN);
    match &label.verdict {
        Verdict::Wrong => format!("noted: “{words}” was decided wrongly"),
        Verdict::Right { route, tools } if tools.is_empty() => {
            format!("noted: “{words}” is {route}")
        }
        Verdict::Right { route, tools } => {
            format!("noted: “{words}” is {route} with {}", tools.join(", "))
        }
    }
}

//! `waypost feedback`: says of a decision whether it was right, for students to learn from.

use std::sync::Arc;

use serde_json::json;
use waypost::feedback::{self, Feedback};
use waypost::pack::spec::Selection;
use waypost::pack::{OUT_OF_SCOPE, Pack};
use waypost::ports::store::{Filter, Store};
use waypost::records::label::{Label, Verdict};
use waypost::records::request::shorten;
use waypost::{Code, Error};

use crate::assemble::AssemblyOptions;
use crate::cli::{FeedbackArgs, PackArgs, SourceArgs};
use crate::config::Config;
use crate::failure::Failure;
use crate::{assemble, output, packs, sources};

/// The longest part of the words that is shown, in characters.
const SHOWN: usize = 60;

pub(super) async fn run(args: &FeedbackArgs, config: &Config) -> Result<u8, Failure> {
    let id = &args.decision_id;
    let store = assemble::kept(config).await?.ok_or_else(|| unknown(id))?;
    let filter = Filter { decision: Some(id.clone()), ..Filter::default() };
    let record = store.events(&filter, 1).await?.pop().ok_or_else(|| unknown(id))?;
    let named = PackArgs { pack: args.pack.clone().unwrap_or_else(|| record.pack.clone()) };
    let source = SourceArgs { pack: named, mcp: args.mcp.clone(), env: args.env.clone() };
    let pack = sources::load(&source, config, &AssemblyOptions::default()).await;
    let pack = pack.map_err(|failure| unnamed(args, &record.pack, failure))?.pack;
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
    output::line(noted(&pack, id, label.as_ref()))?;
    Ok(0)
}

/// The failure to load a pack. One that is not of the program has to be named: a record holds no folder and no command.
fn unnamed(args: &FeedbackArgs, pack: &str, failure: Failure) -> Failure {
    if args.pack.is_some() || !args.mcp.is_empty() || packs::embedded(pack).is_some() {
        return failure;
    }
    let message = format!("the decision is of the pack `{pack}`, which is not in this program");
    Error::new(Code::NotFound, message)
        .with_hint("name its folder with --pack, or its servers with --mcp as when it was asked")
        .into()
}

fn unknown(id: &str) -> Failure {
    let message = format!("there is no decision `{}`", shorten(id, SHOWN));
    Error::new(Code::NotFound, message)
        .with_hint("`waypost events --json` lists those that are kept, each with its `decision_id`")
        .into()
}

/// Says what was understood, in a sentence, and when it counts where that is not from the next question on.
pub(super) fn noted(pack: &Pack, id: &str, label: Option<&Label>) -> String {
    let Some(label) = label else {
        return format!(
            "Not learned: `{id}` looks like a follow-up. Add it to examples.jsonl if it can stand alone."
        );
    };
    let words = shorten(&label.text, SHOWN);
    let Verdict::Right { route, tools } = &label.verdict else {
        return format!(
            "noted: “{words}” was decided wrongly; the next answer changes once what was right is said, too"
        );
    };
    let at_once =
        pack.spec.selection == Selection::Catalog && (!tools.is_empty() || route == OUT_OF_SCOPE);
    let when = if at_once { "noted" } else { "noted for the next training" };
    let with = if tools.is_empty() { String::new() } else { format!(" with {}", tools.join(", ")) };
    format!("{when}: “{words}” is {route}{with}")
}

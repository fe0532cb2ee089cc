//! `waypost forget`: removes a conversation, its memory, its events and its labels, and says what went.

use std::io::{BufRead, IsTerminal};

use waypost::Error;
use waypost::store::{Filter, Forgotten, Store};

use crate::cli::ForgetArgs;
use crate::config::Config;
use crate::failure::Failure;
use crate::{assemble, output};

pub(super) async fn run(args: &ForgetArgs, config: &Config) -> Result<u8, Failure> {
    let name = &args.session;
    let nothing = || output::line(&format!("nothing is kept of `{name}`")).map(|()| 0);
    let Some(store) = assemble::kept(config).await? else { return nothing() };
    let filter = Filter { session: Some(name.clone()), ..Filter::default() };
    let known = !store.events(&filter, 1).await?.is_empty()
        || store.session(name).await? != waypost::session::Session::default();
    if known && !args.yes && !consent(name)? {
        output::note("nothing was removed");
        return Ok(0);
    }
    let gone = store.forget(name).await?;
    match removed(&gone) {
        Some(what) => output::line(&format!("removed what was kept of `{name}`: {what}"))?,
        None => return nothing(),
    }
    Ok(0)
}

/// What went, in words; `None` where nothing did.
fn removed(gone: &Forgotten) -> Option<String> {
    let counted = |count: u64, one: &str| match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        count => Some(format!("{count} {one}s")),
    };
    let memory = gone.memory.then(|| "its memory".to_owned());
    let parts = [memory, counted(gone.events, "event"), counted(gone.labels, "label")];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// Asks whether that is meant; without somebody to ask, `--yes` has to say so.
fn consent(name: &str) -> Result<bool, Failure> {
    let stdin = std::io::stdin();
    if !stdin.is_terminal() {
        let error = Error::invalid(format!("forgetting `{name}` cannot be taken back"))
            .with_hint("say `--yes` if it is meant");
        return Err(Failure::usage(error));
    }
    output::note(&format!("Remove everything that is kept of `{name}`? [y/N]"));
    let mut answer = String::new();
    stdin.lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

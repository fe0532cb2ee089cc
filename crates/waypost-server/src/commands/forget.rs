//! `waypost forget`: removes a conversation, its memory and its events, and says what it removed.

use std::io::{BufRead, IsTerminal};

use waypost::Error;
use waypost::store::{Filter, Store};

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
    let events = match gone.events {
        1 => "1 event".to_owned(),
        count => format!("{count} events"),
    };
    match (gone.memory, gone.events) {
        (false, 0) => return nothing(),
        (true, 0) => output::line(&format!("removed the memory of `{name}`; it had no events"))?,
        (true, _) => output::line(&format!("removed the memory of `{name}` and {events}"))?,
        (false, _) => output::line(&format!("removed {events} of `{name}`; it had no memory"))?,
    }
    Ok(0)
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

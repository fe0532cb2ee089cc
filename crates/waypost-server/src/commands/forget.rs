//! `waypost forget`: removes a conversation, its memory, its events and its labels, and says what went.

use std::io::{BufRead, IsTerminal};
use std::time::Duration;

use waypost::ports::store::{Forgotten, Store};
use waypost::{Code, Error};
use waypost_backends::students::Registry;

use crate::cli::ForgetArgs;
use crate::config::Config;
use crate::failure::Failure;
use crate::{assemble, output};

/// The longest wait for a turn under way.
const PATIENCE: Duration = Duration::from_secs(30);

pub(super) async fn run(args: &ForgetArgs, config: &Config) -> Result<u8, Failure> {
    let name = &args.session;
    let nothing = || output::line(format!("nothing is kept of `{name}`"));
    let Some(store) = assemble::kept(config).await? else {
        nothing()?;
        return Ok(0);
    };
    let kept = parts(&store.kept_of(name).await?);
    if let Some(what) = kept.filter(|_| !args.yes)
        && !consent(name, &what)?
    {
        output::note("nothing was removed");
        return Ok(0);
    }
    // A turn under way would write its memory back.
    let turn = tokio::time::timeout(PATIENCE, store.turn(name)).await;
    let _turn = turn.map_err(|_| Failure::from(busy(name)))??;
    let gone = store.forget(name).await?;
    match parts(&gone) {
        Some(what) => output::line(format!("removed what was kept of `{name}`: {what}"))?,
        None => nothing()?,
    }
    tell_holding(name, config)?;
    Ok(0)
}

/// Names what stands in the way.
fn busy(name: &str) -> Error {
    Error::new(Code::ResourceExhausted, format!("`{name}` is at work on a request"))
        .with_hint("say it again when that one is answered")
}

/// Names the versions of students that learned from the session; only a new training leaves it out.
fn tell_holding(name: &str, config: &Config) -> Result<(), Failure> {
    for registry in Registry::all(&config.home)? {
        let pack = registry.pack();
        let holding = match registry.holding(name) {
            Ok(holding) => holding,
            Err(error) => {
                output::note(format!("what `{pack}` learned from it: {}", error.message()));
                continue;
            }
        };
        for version in &holding.unreadable {
            output::note(format!(
                "whether version {} of `{pack}` learned from it cannot be told: {}",
                version.number,
                version.error.message()
            ));
        }
        let versions = holding.versions.iter();
        let versions: Vec<String> =
            versions.map(|v| format!("{} (bundle {})", v.number, v.card.bundle)).collect();
        if !versions.is_empty() {
            output::line(format!(
                "versions of `{pack}` that learned from it: {}",
                versions.join(", ")
            ))?;
            output::note(format!(
                "train anew without it: `waypost train --labels --pack {pack}`, then `waypost promote`"
            ));
        }
    }
    Ok(())
}

/// Says what is kept or went, in words; `None` where nothing is or did.
fn parts(of: &Forgotten) -> Option<String> {
    let counted = |count: u64, one: &str| match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        count => Some(format!("{count} {one}s")),
    };
    let memory = of.memory.then(|| "its memory".to_owned());
    let parts = [memory, counted(of.events, "event"), counted(of.labels, "label")];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// Asks whether that is meant; without somebody to ask, `--yes` has to say so.
fn consent(name: &str, what: &str) -> Result<bool, Failure> {
    let stdin = std::io::stdin();
    if !stdin.is_terminal() {
        let error = Error::invalid(format!("forgetting `{name}` cannot be taken back"))
            .with_hint("say `--yes` if it is meant");
        return Err(Failure::usage(error));
    }
    output::note(format!("Remove everything that is kept of `{name}` ({what})? [y/N]"));
    let mut answer = String::new();
    stdin.lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

//! `waypost forget`: removes the conversations of a name, their memory, events and labels, and says what went.

use std::collections::BTreeSet;
use std::io::{BufRead, IsTerminal};
use std::time::Duration;

use waypost::ports::store::{Forgotten, Store};
use waypost::records::session;
use waypost::{Code, Error};
use waypost_backends::students::Registry;

use crate::cli::ForgetArgs;
use crate::config::Config;
use crate::failure::Failure;
use crate::keys::{Key, KeyFile};
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
    // Without the file conversations are forgotten all the same; it only names their keys.
    let keys = KeyFile::load(&config.home).unwrap_or_default().keys;
    let kept = store.kept_of(name).await?;
    let told = |(kept, of): &(String, Forgotten)| {
        parts(of).map(|what| format!("{} ({what})", title(kept, &keys)))
    };
    let there: Vec<String> = kept.iter().filter_map(told).collect();
    if !there.is_empty() && !args.yes && !consent(name, &there.join(", and of "))? {
        output::note("nothing was removed");
        return Ok(0);
    }
    // Also where nothing is kept yet: a turn under way would write its memory back.
    let mut names: BTreeSet<&str> =
        kept.iter().map(|(kept, _)| kept.as_str()).chain([name.as_str()]).collect();
    let mut gone = false;
    for kept in &names {
        let turn = tokio::time::timeout(PATIENCE, store.turn(kept)).await;
        let _turn = turn.map_err(|_| Failure::from(busy(name)))??;
        if let Some(what) = parts(&store.forget(kept).await?) {
            gone = true;
            output::line(format!("removed what was kept of {}: {what}", title(kept, &keys)))?;
        }
    }
    if !gone {
        nothing()?;
    }
    // A student may have learned from what the store has not any more.
    let of_keys: Vec<String> = keys.iter().map(|key| session::of_key(&key.id, name)).collect();
    names.extend(of_keys.iter().map(String::as_str));
    tell_holding(&names, config)?;
    Ok(0)
}

/// A conversation as it is told, by the name that it is kept by: the user's own, and the key that it belongs to.
fn title(kept: &str, keys: &[Key]) -> String {
    let (Some(id), name) = session::parts(kept) else { return format!("`{kept}`") };
    match keys.iter().find(|key| key.id == id) {
        Some(key) => format!("`{name}` of the key `{}` ({id})", key.name),
        None => format!("`{name}` of the key {id}"),
    }
}

/// Names what stands in the way.
fn busy(name: &str) -> Error {
    Error::new(Code::ResourceExhausted, format!("`{name}` is at work on a request"))
        .with_hint("say it again when that one is answered")
}

/// Names the versions of students that learned from any of these sessions; only a new training leaves them out.
fn tell_holding(names: &BTreeSet<&str>, config: &Config) -> Result<(), Failure> {
    for registry in Registry::all(&config.home)? {
        let pack = registry.pack();
        let holding = match registry.holding(names.iter().copied()) {
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
fn consent(name: &str, there: &str) -> Result<bool, Failure> {
    let stdin = std::io::stdin();
    if !stdin.is_terminal() {
        let error = Error::invalid(format!("forgetting `{name}` cannot be taken back"))
            .with_hint("say `--yes` if it is meant");
        return Err(Failure::usage(error));
    }
    output::note(format!("Remove everything that is kept of {there}? [y/N]"));
    let mut answer = String::new();
    stdin.lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

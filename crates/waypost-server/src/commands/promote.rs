//! `waypost promote`: puts a version of a pack's student in service, unless it is worse than the one
//! that serves.

use std::fs;

use serde_json::json;
use waypost::{Code, Error};
use waypost_backends::students::{By, Registry, State};

use crate::audit_log::{self, Entry};
use crate::cli::{ByArgs, PromoteArgs};
use crate::config::Config;
use crate::failure::Failure;
use crate::learning::promotion;
use crate::{environment, output, packs};

/// The status of a version that may not serve.
const NOT_PROMOTED: u8 = 1;
/// The files with the name of the machine, for where the environment does not tell it.
const HOST_FILES: [&str; 2] = ["/proc/sys/kernel/hostname", "/etc/hostname"];

pub(super) fn run(args: &PromoteArgs, config: &Config) -> Result<u8, Failure> {
    let pack = packs::load(&args.pack.pack)?;
    let registry = Registry::open(&config.home, &pack.spec.name)?;
    let number = match args.version {
        Some(number) => number,
        None => challenger(&registry).map_err(failure)?,
    };
    let before = registry.champion().ok().flatten().map(|champion| champion.number);
    let by = by(&args.by, args.force);
    let version = promotion::promote(&registry, &pack, number, &by).map_err(failure)?;
    let details = json!({ "pack": registry.pack(), "version": number, "forced": args.force });
    audit_log::append(&config.home, &Entry::of("student_promoted", &by.who, details))?;
    if args.json {
        output::json_pretty(&json!({ "pack": registry.pack(), "champion": version }))?;
        return Ok(0);
    }
    let instead = match before {
        Some(before) => format!("version {before}"),
        None => "the student that the pack itself trains".to_owned(),
    };
    output::line(format!(
        "version {number} (bundle {}) serves `{}` instead of {instead}",
        version.card.bundle,
        registry.pack()
    ))?;
    output::note("programs that run take it up by themselves; `waypost rollback` takes it back");
    Ok(0)
}

/// Gives the refusal to promote a status of its own: it is neither a wrong use nor a refused
/// request.
fn failure(error: Error) -> Failure {
    match error.code() {
        Code::NotFound => Failure::usage(error),
        Code::FailedPrecondition => Failure::with_status(error, NOT_PROMOTED),
        _ => error.into(),
    }
}

/// The newest version that never served.
fn challenger(registry: &Registry) -> Result<u64, Error> {
    let listing = registry.list()?;
    super::tell_unreadable(&listing.unreadable);
    let newest = listing.versions.iter().rev().find(|it| it.state == State::Challenger);
    newest.map(|version| version.number).ok_or_else(|| {
        let message = format!("`{}` has no challenger", registry.pack());
        let hint = format!("train one: `waypost train --labels --pack {}`", registry.pack());
        Error::new(Code::FailedPrecondition, message).with_hint(hint)
    })
}

/// Records who does it, when and why; it is done now.
pub(super) fn by(args: &ByArgs, forced: bool) -> By {
    By {
        who: args.by.clone().unwrap_or_else(user_at_host),
        at: super::now(),
        because: args.because.clone(),
        forced,
    }
}

/// `user@host`, as far as it is known.
fn user_at_host() -> String {
    let user = environment::user().unwrap_or_else(|| "somebody".to_owned());
    let named = environment::HOSTNAME.text().or_else(|| environment::COMPUTERNAME.text());
    let read = |path: &&str| {
        let name = fs::read_to_string(path).ok()?.trim().to_owned();
        (!name.is_empty()).then_some(name)
    };
    match named.or_else(|| HOST_FILES.iter().find_map(read)) {
        Some(host) => format!("{user}@{host}"),
        None => user,
    }
}

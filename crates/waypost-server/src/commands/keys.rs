//! `waypost keys`: who may ask a server, and what.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value as Json, json};
use waypost::Error;

use crate::audit_log::{self, Entry};
use crate::cli::{
    KeysAddArgs, KeysArgs, KeysCommand, KeysListArgs, KeysRevokeArgs, KeysRotateArgs,
};
use crate::config::Config;
use crate::failure::Failure;
use crate::keys::{Allowed, Key, KeyFile, NewKey, Secret, State};
use crate::output::{self, Shown};

pub(super) fn run(args: &KeysArgs, config: &Config) -> Result<u8, Failure> {
    match &args.command {
        None => list(&args.list, config),
        Some(KeysCommand::List(args)) => list(args, config),
        Some(KeysCommand::Add(args)) => add(args, config),
        Some(KeysCommand::Rotate(args)) => rotate(args, config),
        Some(KeysCommand::Revoke(args)) => revoke(args, config),
    }
}

fn list(args: &KeysListArgs, config: &Config) -> Result<u8, Failure> {
    let file = KeyFile::load(&config.home)?;
    if file.keys.is_empty() {
        output::note(
            "there are no keys: a server lets in whoever is on its machine, and nobody else",
        );
    }
    for key in &file.keys {
        match args.json {
            true => output::json_line(&shown(key))?,
            false => output::line(line(key))?,
        }
    }
    Ok(0)
}

fn add(args: &KeysAddArgs, config: &Config) -> Result<u8, Failure> {
    let now = Timestamp::now();
    let expires = match &args.expires {
        Some(text) => Some(now.checked_add(duration("expires", text)?).unwrap_or(Timestamp::MAX)),
        None => None,
    };
    let new = NewKey {
        name: args.name.clone(),
        scopes: args.scopes.iter().copied().collect(),
        packs: Allowed::options(&args.packs),
        tools: Allowed::options(&args.tools),
        models: (!args.models.is_empty()).then(|| Allowed::options(&args.models)),
        per_minute: args.per_minute,
        per_day: args.per_day,
        tokens_per_day: args.tokens_per_day,
        expires,
    };
    let (key, secret) = KeyFile::change(&config.home, |file| {
        let made = file.add(new, now)?;
        noted(config, "key_added", &made.0.id, file)?;
        Ok(made)
    })?;
    if args.json {
        let mut record = shown(&key);
        record["key"] = json!(secret.reveal());
        output::json_line(&record)?;
        return Ok(0);
    }
    reveal(&secret)
}

fn rotate(args: &KeysRotateArgs, config: &Config) -> Result<u8, Failure> {
    let overlap = duration("overlap", &args.overlap)?;
    let secret = KeyFile::change(&config.home, |file| {
        let secret = file.rotate(&args.id, overlap, Timestamp::now())?;
        noted(config, "key_rotated", &args.id, file)?;
        Ok(secret)
    })?;
    reveal(&secret)
}

fn revoke(args: &KeysRevokeArgs, config: &Config) -> Result<u8, Failure> {
    let counted = KeyFile::change(&config.home, |file| {
        let counted = file.revoke(&args.id, Timestamp::now())?;
        if counted {
            noted(config, "key_revoked", &args.id, file)?;
        }
        Ok(counted)
    })?;
    output::note(match counted {
        true => format!("`{}` lets nobody in any more", args.id),
        false => format!("`{}` was revoked before", args.id),
    });
    Ok(0)
}

/// The key alone on standard output, so that it can be piped; what to know of it beside.
fn reveal(secret: &Secret) -> Result<u8, Failure> {
    output::note("this is shown once; keep it where no one else reads it");
    output::line(Shown::from(secret.reveal()))?;
    Ok(0)
}

fn noted(config: &Config, what: &str, id: &str, file: &KeyFile) -> Result<(), Failure> {
    let name = file.keys.iter().find(|key| key.id == id).map(|key| &key.name);
    let details = json!({ "key": id, "key_name": name });
    audit_log::append(&config.home, &Entry::of_this_user(what, details))
}

/// A key without the hashes of its secrets, with the models that it may use.
fn shown(key: &Key) -> Json {
    let mut record = json!(key);
    if let Some(fields) = record.as_object_mut() {
        fields.remove("secrets");
        if !key.models().is_all() {
            fields.insert("models".to_owned(), json!(key.models()));
        }
        fields.insert("state".to_owned(), json!(state(key)));
    }
    record
}

fn line(key: &Key) -> Shown {
    let scopes: Vec<&str> = key.scopes.iter().map(|scope| scope.name()).collect();
    let mut parts = vec![key.id.clone(), state(key).to_owned(), scopes.join(",")];
    for (what, names) in [("packs", &key.packs), ("tools", &key.tools), ("models", key.models())] {
        if let Allowed::Only(names) = names {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            parts.push(match names.is_empty() {
                true => format!("no {what}"),
                false => format!("{what}={}", names.join(",")),
            });
        }
    }
    for (what, most) in [("minute", key.per_minute), ("day", key.per_day)] {
        parts.extend(most.map(|most| format!("{most}/{what}")));
    }
    parts.extend(key.tokens_per_day.map(|most| format!("{most} tokens/day")));
    parts.extend(key.expires.map(|at| format!("until {at}")));
    output::dim(&parts.join(" ")) + "  " + &key.name
}

fn state(key: &Key) -> &'static str {
    match key.state(Timestamp::now()) {
        State::Valid => "valid",
        State::Expired => "expired",
        State::Revoked => "revoked",
    }
}

/// A time such as `90d` or `24h`.
fn duration(argument: &str, text: &str) -> Result<SignedDuration, Failure> {
    let wrong = || {
        let message = format!("`--{argument}` is `{text}`, which is no time");
        Failure::usage(
            Error::invalid(message).with_hint("write a number and s, m, h or d, such as `90d`"),
        )
    };
    let (number, unit) = text.trim().split_at(text.trim().len().saturating_sub(1));
    let number: i64 = number.parse().map_err(|_| wrong())?;
    let seconds = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 60 * 60,
        "d" => 24 * 60 * 60,
        _ => return Err(wrong()),
    };
    let seconds = number.checked_mul(seconds).filter(|seconds| *seconds >= 0).ok_or_else(wrong)?;
    Ok(SignedDuration::from_secs(seconds))
}

//! Holds `deny.toml`: banned crates are looked for in the lock file, which covers every platform;
//! licenses come from the manifests that cargo has at hand, so that nothing need be installed.

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use super::tree::Tree;
use super::{Fault, spdx};
use crate::cargo;

const FILE: &str = "deny.toml";

/// The part of cargo-deny's configuration that is held here.
#[derive(Debug, Deserialize)]
struct Deny {
    bans: Bans,
    licenses: Licenses,
}

#[derive(Debug, Deserialize)]
struct Bans {
    deny: Vec<Ban>,
}

#[derive(Debug, Deserialize)]
struct Ban {
    #[serde(rename = "crate")]
    name: String,
    reason: String,
}

#[derive(Debug, Deserialize)]
struct Licenses {
    allow: Vec<String>,
}

fn deny(tree: &Tree) -> Result<Deny, Vec<Fault>> {
    let text = tree.text(FILE).ok_or_else(|| vec![Fault::new(FILE, 0, "there is no such file")])?;
    toml::from_str(text).map_err(|error| vec![Fault::new(FILE, 0, error.message())])
}

/// No banned crate is in the lock file, and none that comes from elsewhere than a registry.
pub(crate) fn bans(tree: &Tree) -> Vec<Fault> {
    let deny = match deny(tree) {
        Ok(deny) => deny,
        Err(faults) => return faults,
    };
    let mut faults = Vec::new();
    for (index, line) in tree.text("Cargo.lock").unwrap_or_default().lines().enumerate() {
        if let Some(source) = line.strip_prefix("source = ")
            && !source.starts_with("\"registry+")
        {
            let message = format!("{source} is no registry: `[sources]` of `{FILE}`");
            faults.push(Fault::new("Cargo.lock", index + 1, message));
        }
        let Some(name) = line.strip_prefix("name = ") else { continue };
        let name = name.trim_matches('"');
        if let Some(ban) = deny.bans.deny.iter().find(|ban| ban.name == name) {
            let message = format!("`{name}` is banned: {}; see `cargo tree -i {name}`", ban.reason);
            faults.push(Fault::new("Cargo.lock", index + 1, message));
        }
    }
    faults
}

/// The part of `cargo metadata` that is read.
#[derive(Debug, Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Debug, Deserialize)]
struct Package {
    name: String,
    version: String,
    license: Option<String>,
}

/// Every crate has a license that `deny.toml` allows.
pub(crate) fn licenses(tree: &Tree) -> Vec<Fault> {
    let deny = match deny(tree) {
        Ok(deny) => deny,
        Err(faults) => return faults,
    };
    match metadata() {
        Err(error) => vec![Fault::new("Cargo.lock", 0, format!("{error:#}"))],
        Ok(metadata) => metadata
            .packages
            .iter()
            .filter_map(|package| {
                Some(Fault::new(FILE, 0, refused(package, &deny.licenses.allow)?))
            })
            .collect(),
    }
}

/// Returns the reason why a crate's license will not do.
fn refused(package: &Package, allowed: &[String]) -> Option<String> {
    let Package { name, version, license } = package;
    let Some(license) = license else {
        return Some(format!("`{name}` {version} names no license"));
    };
    match spdx::allows(license, allowed) {
        Ok(true) => None,
        Ok(false) => Some(format!("`{name}` {version} is under `{license}`, not allowed here")),
        Err(error) => Some(format!("the license of `{name}` {version}: {error}")),
    }
}

/// Reads what cargo knows without a network: of all platforms, or of this one where a build has
/// fetched no more than it needed.
fn metadata() -> Result<Metadata> {
    let all = ["metadata", "--format-version", "1", "--locked", "--offline"];
    let output = cargo().args(all).output().context("cargo could not be run")?;
    let output = if output.status.success() {
        output
    } else {
        let here = ["--filter-platform", &host()?];
        cargo().args(all).args(here).output().context("cargo could not be run")?
    };
    if !output.status.success() {
        bail!("`cargo metadata`: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    serde_json::from_slice(&output.stdout).context("`cargo metadata` printed something else")
}

/// The platform that cargo builds for here.
fn host() -> Result<String> {
    let output = cargo().arg("-vV").output().context("cargo could not be run")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = text.lines().find_map(|line| line.strip_prefix("host: "));
    line.map(str::to_owned).context("cargo does not say its host")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_banned_crate_is_named_with_its_reason() {
        let deny =
            "[bans]\ndeny = [{ crate = \"bad\", reason = \"why\" }]\n[licenses]\nallow = []\n";
        let lock = "[[package]]\nname = \"good\"\n\n[[package]]\nname = \"bad\"\n";
        let faults = bans(&Tree::of(&[("deny.toml", deny), ("Cargo.lock", lock)]));
        assert_eq!(faults.len(), 1);
        assert_eq!(faults[0].line, 5);
        assert!(faults[0].message.contains("why"));
    }
}

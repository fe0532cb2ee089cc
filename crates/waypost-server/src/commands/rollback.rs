//! `waypost rollback`: puts back the version of a pack's student that served before.

use serde_json::json;
use waypost_backends::students::Registry;

use super::promote::by;
use crate::audit_log::{self, Entry};
use crate::cli::RollbackArgs;
use crate::config::Config;
use crate::failure::Failure;
use crate::{output, packs};

pub(super) fn run(args: &RollbackArgs, config: &Config) -> Result<u8, Failure> {
    let pack = packs::load(&args.pack.pack)?;
    let registry = Registry::open(&config.home, &pack.spec.name)?;
    let from = registry.champion();
    let by = by(&args.by, false);
    let to = registry.rollback(&by)?;
    let details = json!({ "pack": registry.pack(), "version": to.as_ref().map(|to| to.number) });
    audit_log::append(&config.home, &Entry::of("student_rolled_back", &by.who, details))?;
    if args.json {
        output::json_pretty(&json!({ "pack": registry.pack(), "champion": to }))?;
        return Ok(0);
    }
    let gone = from.ok().flatten().map(|version| format!(" instead of version {}", version.number));
    let gone = gone.unwrap_or_default();
    output::line(match to {
        Some(version) => format!(
            "version {} (bundle {}) serves `{}`{gone}",
            version.number,
            version.card.bundle,
            registry.pack()
        ),
        None => format!("the student that `{}` itself trains serves{gone}", registry.pack()),
    })?;
    Ok(0)
}

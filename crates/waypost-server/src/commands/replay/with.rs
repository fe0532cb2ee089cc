//! `replay --with`: what another pack or student would have decided of the latest traffic, before it
//! is put in service.

use std::path::Path;

use waypost::Error;
use waypost::feedback::replay::reconsider;
use waypost::learning::Bundle;
use waypost::pack::did_you_mean;
use waypost::records::event::Event;

use super::bench::Bench;
use super::changes::Changes;
use super::{LAST_WEEK, Recorded, unknown};
use crate::cli::{DEFAULT_PACK, ReplayArgs};
use crate::config::Config;
use crate::failure::Failure;
use crate::learning::student_file;
use crate::{output, packs};

pub(super) async fn run(args: &ReplayArgs, with: &str, config: &Config) -> Result<u8, Failure> {
    let bench = challenger(with, args.pack.as_deref(), config)?;
    let pack = Some(bench.pack.spec.name.clone());
    let since = args.decision.is_none().then_some(LAST_WEEK);
    let mut recorded = Recorded::open(args, config, pack, since).await?;
    let mut changes = Changes::new(&bench, args.limit as usize);
    while let Some(records) = recorded.next().await? {
        for record in records {
            let Event::RouterEvent(routed) = &record.event else { continue };
            match reconsider(&record, &bench.place(&bench.bundle)).await {
                Ok(replayed) => changes.add(routed, &replayed),
                Err(error) => changes.leave_out(error.message()),
            }
            recorded.advance();
        }
    }
    if let Some(id) = args.decision.as_ref().filter(|_| changes.is_empty()) {
        return Err(unknown(id));
    }
    if args.json {
        output::json_pretty(&changes)?;
    } else {
        changes.show()?;
    }
    Ok(u8::from(args.strict && changes.left_any_out()))
}

/// Opens what `--with` names: a pack (a folder, or one in this program) with its student, a student
/// in a file for the pack that it was trained on, or the number of a stored version.
fn challenger(with: &str, pack: Option<&str>, config: &Config) -> Result<Bench, Failure> {
    let path = Path::new(with);
    let is_known = packs::embedded(with).is_some();
    if path.is_dir() || is_known {
        return Bench::open(with, config);
    }
    if let Ok(number) = with.parse::<u64>() {
        return Bench::version(pack.unwrap_or(DEFAULT_PACK), number, config);
    }
    if !path.is_file() {
        let known = packs::EMBEDDED.iter().map(|pack| pack.name);
        let error = Error::invalid(format!("`{with}` is no bundle, no folder and no pack"))
            .with_hint(format!(
                "{} (or give a bundle of `train --out`, or the number of a version)",
                did_you_mean(with, known)
            ));
        return Err(Failure::usage(error));
    }
    let name = match pack {
        Some(pack) => pack.to_owned(),
        None => trained_on(path)?,
    };
    Bench::of(packs::load(&name)?, Some(path), config)
}

/// The name of the pack that a stored student was trained on.
fn trained_on(path: &Path) -> Result<String, Failure> {
    let bytes = student_file::read(path).map_err(Failure::usage)?;
    let bundle = Bundle::from_bytes(&bytes)
        .map_err(|error| Failure::usage(student_file::at(path, &error)))?;
    let origin = bundle.origin().pack.split('@').next().unwrap_or_default();
    if origin.is_empty() {
        let error = Error::invalid(format!("`{}` was trained on no pack", path.display()))
            .with_hint("name the pack that it is for with `--pack`");
        return Err(Failure::usage(error));
    }
    Ok(origin.to_owned())
}

//! Applies the verdict of `waypost_learning::promotion` to a stored version, for people and for the
//! program itself: it must fit the pack and, unless forced, have been compared with what serves now.

use waypost::pack::Pack;
use waypost::student::reload::reload;
use waypost::{Code, Error, Result};
use waypost_backends::students::{By, Registry, Version};

/// Puts a version in service. It must fit the pack and, unless somebody forces it, must have been
/// shown to be no worse than what serves.
///
/// # Errors
///
/// `FAILED_PRECONDITION` with what is worse and by how much; else as [`Registry::promote`] and
/// [`reload`].
pub(crate) fn promote(registry: &Registry, pack: &Pack, number: u64, by: &By) -> Result<Version> {
    registry.promote(number, by, |version, bytes, champion| {
        reload(pack, None, bytes)?;
        // A champion that cannot serve does not: the pack's own student does, and was compared
        // with.
        let serves = champion.filter(|champion| {
            let bytes = registry.bytes(champion);
            bytes.and_then(|bytes| reload(pack, None, &bytes)).is_ok()
        });
        if by.forced { Ok(()) } else { allowed(registry.pack(), version, serves) }
    })
}

fn allowed(pack: &str, version: &Version, champion: Option<&Version>) -> Result<()> {
    let number = version.number;
    let refused = |why: &str| {
        Error::new(
            Code::FailedPrecondition,
            format!("version {number} of `{pack}` is not promoted: {why}"),
        )
        .with_hint(format!(
            "`waypost students --pack {pack} {number}` shows the comparison; `waypost promote --pack \
             {pack} {number} --force --because TEXT` does it anyway"
        ))
    };
    let Some(compared) = &version.card.comparison else {
        return Err(refused("it was never compared with what serves"));
    };
    let now = champion.map(|champion| champion.number);
    if compared.with != now {
        let named = |with: Option<u64>| match with {
            Some(number) => format!("version {number}"),
            None => "the student that the pack itself trains".to_owned(),
        };
        let why =
            format!("it was compared with {}, and {} serves now", named(compared.with), named(now));
        return Err(refused(&why).with_hint(format!(
            "train again: `waypost train --labels --pack {pack}` compares with what serves"
        )));
    }
    compared.examined.allows().map_err(|error| refused(error.message()))
}

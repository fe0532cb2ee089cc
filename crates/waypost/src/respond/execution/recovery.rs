//! Chooses what to try after a failure: a wait with jitter, or an argument relaxed as the pack
//! declares.

use std::time::Duration;

use jiff::civil::Date;
use jiff::{ToSpan, Zoned};
use serde_json::{Map, Value as Json, json};
use waypost_core::error::Code;
use waypost_core::hash::Fnv;

use crate::pack::Tool;
use crate::pack::spec::{Relaxation, ValueWord};
use crate::understand::Turn;

/// The arguments with the first relaxation that answers `code`, and a note of it.
///
/// `used` counts how often each relaxation of the tool was taken in this turn.
pub(super) fn relax(
    turn: &Turn<'_>,
    tool: &Tool,
    code: Code,
    used: &mut [u32],
    arguments: &Map<String, Json>,
) -> Option<(String, Map<String, Json>)> {
    for (relaxation, used) in tool.spec.relax.iter().zip(used) {
        if relaxation.on != code
            || *used >= relaxation.max
            || !applies(relaxation, arguments, &turn.now)
        {
            continue;
        }
        let Some(value) = relaxed(relaxation, arguments.get(&relaxation.set), &turn.now) else {
            continue;
        };
        if arguments.get(&relaxation.set) == Some(&value) {
            continue;
        }
        *used += 1;
        let mut changed = arguments.clone();
        let to = relaxation.to.as_str().map_or_else(|| relaxation.to.to_string(), str::to_owned);
        changed.insert(relaxation.set.clone(), value);
        return Some((format!("{} {to}", relaxation.set), changed));
    }
    None
}

fn applies(relaxation: &Relaxation, arguments: &Map<String, Json>, now: &Zoned) -> bool {
    let Some(wanted) = &relaxation.only_if else { return true };
    arguments.get(&relaxation.set) == Some(&ValueWord::meant(wanted, now))
}

/// `-1d` moves a date by days; anything else is the value itself.
fn relaxed(relaxation: &Relaxation, value: Option<&Json>, now: &Zoned) -> Option<Json> {
    let shift = relaxation.to.as_str().and_then(|to| to.strip_suffix('d')?.parse::<i64>().ok());
    let Some(days) = shift else { return Some(ValueWord::meant(&relaxation.to, now)) };
    let date: Date = value?.as_str()?.parse().ok()?;
    let moved = date.checked_add(days.days()).ok()?;
    Some(json!(moved.to_string()))
}

/// A wait that differs between turns, so that many clients do not come back at the same moment:
/// half of it fixed, half by a hash of the turn. No randomness, so that a replay waits alike.
pub(super) fn jittered(wait: Duration, turn: &Turn<'_>, round: u32) -> Duration {
    let mut hash = Fnv::default();
    hash.write(turn.request.session.as_deref().unwrap_or_default().as_bytes());
    hash.write(turn.said.text.original().as_bytes());
    hash.write(&round.to_le_bytes());
    let share = (hash.value() >> 40) as f64 / f64::from(1u32 << 24);
    wait.mul_f64(0.5 + share / 2.0)
}

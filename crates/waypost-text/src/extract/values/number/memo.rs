//! The last numbers that were read: many rules begin with one, and ask for it at the same token.

use std::cell::RefCell;

use crate::extract::grammar::cursor::Cursor;
use crate::extract::lang::Tongue;

use super::words::{Count, Scope};

/// The number of readings that are kept; a power of two. Those of a few tokens around the present
/// one fit.
const SLOTS: usize = 128;

/// A number that was looked for, and what was found.
#[derive(Debug, Clone, Copy)]
struct Slot {
    key: usize,
    found: Option<(Count, usize, Tongue)>,
}

/// A bounded memory of numbers; what does not fit is read again.
#[derive(Debug, Default)]
pub(crate) struct Memo(RefCell<Vec<Option<Slot>>>);

/// Reads a number with `read`, unless it was read before.
pub(crate) fn recall(
    cursor: &mut Cursor<'_>,
    scope: Scope,
    read: fn(&mut Cursor<'_>, Scope) -> Option<Count>,
) -> Option<Count> {
    let key = cursor.at << 4 | scope.bits();
    let index = key.wrapping_mul(0x9E37_79B1) >> 7 & (SLOTS - 1);
    let memo = &cursor.sentence.numbers.0;
    let known = memo.borrow().get(index).copied().flatten().filter(|slot| slot.key == key);
    let found = match known {
        Some(slot) => slot.found,
        None => {
            let mut ahead = Cursor { tongue: Tongue::COMMON, ..*cursor };
            let found = read(&mut ahead, scope).map(|count| (count, ahead.at, ahead.tongue));
            let mut slots = memo.borrow_mut();
            slots.resize(SLOTS, None);
            slots[index] = Some(Slot { key, found });
            found
        }
    };
    let (count, end, tongue) = found?;
    cursor.at = end;
    if cursor.tongue == Tongue::COMMON {
        cursor.tongue = tongue;
    }
    Some(count)
}

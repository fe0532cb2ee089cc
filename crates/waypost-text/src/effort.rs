//! The steps that reading a text may take, and those that it took.
//!
//! Every rule is linear by itself; the budget bounds what no rule foresees. All that reads a text
//! shares the one budget of that text. Where it is used up, rules find nothing more, and the text
//! counts as unread: nobody may act on half of what was said.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

/// The steps that reading one text may take. A step looks up what stands at a token, or tries a rule there.
///
/// # Example
///
/// ```
/// use waypost_text::effort::Budget;
/// use waypost_text::text::Text;
///
/// assert!(Budget::of(64 * 1024) > Budget::of(100));
/// assert!(!Text::new("two weeks").is_unread());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Budget(u64);

impl Budget {
    /// The steps that a text may take whatever its length.
    const FLOOR: u64 = 500_000;
    /// The steps for each byte: 64 kB are read in a quarter of a second, and what people write takes 20 of them.
    const PER_BYTE: u64 = 250;

    /// A budget of so many steps.
    pub const fn steps(steps: u64) -> Self {
        Self(steps)
    }

    /// The budget of a text of so many bytes.
    pub const fn of(bytes: usize) -> Self {
        Self(Self::FLOOR + Self::PER_BYTE * bytes as u64)
    }
}

/// The steps of one text: those that are allowed, and those that were taken.
#[derive(Debug)]
pub(crate) struct Effort {
    budget: Budget,
    taken: AtomicU64,
}

impl Effort {
    pub(crate) fn new(budget: Budget) -> Self {
        Self { budget, taken: AtomicU64::new(0) }
    }

    /// The steps that were taken so far.
    pub(crate) fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }

    /// Returns whether more steps were wanted than there are.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.taken() > self.budget.0
    }
}

/// A copy of a text is read anew, with a budget of its own.
impl Clone for Effort {
    fn clone(&self) -> Self {
        Self::new(self.budget)
    }
}

/// Counts down the steps of one reading, and takes them from those of the text when it ends: in a cell, as
/// a count that threads share would cost as much as the step.
#[derive(Debug)]
pub(crate) struct Meter<'a> {
    effort: &'a Effort,
    allowed: i64,
    /// The steps that are left; less than none where more were wanted than there are.
    left: Cell<i64>,
}

impl<'a> Meter<'a> {
    /// Begins to count where the readings before ended.
    pub(crate) fn new(effort: &'a Effort) -> Self {
        let left = effort.budget.0.saturating_sub(effort.taken());
        let allowed = i64::try_from(left).unwrap_or(i64::MAX);
        Self { effort, allowed, left: Cell::new(allowed) }
    }

    /// Counts a step.
    #[inline]
    pub(crate) fn step(&self) {
        self.steps(1);
    }

    /// Counts the steps of work that is no looking up, such as reckoning a calendar.
    #[inline]
    pub(crate) fn steps(&self, steps: u32) {
        self.left.set(self.left.get().wrapping_sub(i64::from(steps)));
    }

    /// Returns whether a further step may be taken.
    #[inline]
    pub(crate) fn may_go_on(&self) -> bool {
        self.left.get() >= 0
    }
}

impl Drop for Meter<'_> {
    fn drop(&mut self) {
        let taken = self.allowed.saturating_sub(self.left.get()).unsigned_abs();
        self.effort.taken.fetch_add(taken, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use crate::effort::Budget;
    use crate::extract::{self, Context, Conventions, Kinds};
    use crate::language::Language;
    use crate::text::Text;

    /// The number of values that are found, and whether the text counts as unread.
    fn read(text: &Text) -> (usize, bool) {
        let now = "2025-11-06T09:00+08:00[Asia/Taipei]".parse().unwrap();
        let context = Context {
            now: &now,
            language: Language::En,
            gazetteers: &[],
            conventions: Conventions::STANDARD,
            wanted: Kinds::NONE,
        };
        (extract::extract(text, &context).len(), text.is_unread())
    }

    const WORDS: &str = "5 nets on Monday, 7 nets at noon and 3 km in two weeks";

    #[test]
    fn a_text_is_unread_where_its_budget_is_used_up() {
        let whole = Text::new(WORDS);
        let (found, is_unread) = read(&whole);
        assert!(found >= 5 && !is_unread, "{found}");
        let steps = whole.steps();
        assert_eq!(read(&Text::with_budget(WORDS, Budget::steps(steps))), (found, false));
        let (less, is_unread) = read(&Text::with_budget(WORDS, Budget::steps(steps / 2)));
        assert!(less < found && is_unread, "{less}");
        assert_eq!(read(&Text::with_budget(WORDS, Budget::steps(0))), (0, true));
    }

    #[test]
    fn all_readings_of_a_text_share_its_budget_and_a_copy_has_its_own() {
        let text = Text::new(WORDS);
        read(&text);
        let steps = text.steps();
        let twice = Text::with_budget(WORDS, Budget::steps(steps + steps / 2));
        assert!(!read(&twice).1);
        assert!(read(&twice).1);
        assert!(!read(&twice.clone()).1);
    }

    #[test]
    fn what_people_write_takes_a_tenth_of_its_budget() {
        for text in [WORDS, "一共 12 張蚊帳，從下週一到週五，每天早上八點半", "k"]
        {
            let text = Text::new(text);
            read(&text);
            let budget = Budget::of(text.original().len());
            assert!(Budget::steps(text.steps() * 10) < budget, "{}", text.steps());
        }
    }
}

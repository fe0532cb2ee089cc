//! An allocator that counts what a thread holds.
#![expect(unsafe_code, reason = "an allocator is unsafe by its trait; this one only counts")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

thread_local! {
    /// The bytes that this thread holds now, and the most since it was last asked.
    static HELD: Cell<(isize, isize)> = const { Cell::new((0, 0)) };
}

fn count(bytes: isize) {
    // At the end of a thread nobody counts any more.
    let _ = HELD.try_with(|held| {
        let (now, most) = held.get();
        let now = now + bytes;
        held.set((now, most.max(now)));
    });
}

fn signed(bytes: usize) -> isize {
    isize::try_from(bytes).unwrap_or(isize::MAX)
}

// SAFETY: every call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(signed(layout.size()));
        // SAFETY: the caller keeps the duties of this trait.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        count(-signed(layout.size()));
        // SAFETY: the caller keeps the duties of this trait.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(signed(size) - signed(layout.size()));
        // SAFETY: the caller keeps the duties of this trait.
        unsafe { System.realloc(memory, layout, size) }
    }
}

/// Runs `work` on this thread, and returns the most bytes that it held at once beside what it was given.
pub(crate) fn most_held<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = HELD.with(|held| {
        let (now, _) = held.get();
        held.set((now, now));
        now
    });
    let done = work();
    let (_, most) = HELD.with(Cell::get);
    (done, usize::try_from(most - before).unwrap_or(0))
}

#[test]
fn what_is_held_is_counted() {
    let (kept, held) = most_held(|| {
        drop(vec![1_u8; 1_000_000]);
        vec![1_u8; 1_000]
    });
    assert_eq!(kept.len(), 1_000);
    assert!((1_000_000..1_010_000).contains(&held), "{held}");
}

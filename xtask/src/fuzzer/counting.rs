//! Counts what a piece of work costs: steps of the grammar, memory asked for, and processor time.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static COUNTS: Cell<Counts> = const { Cell::new(Counts { bytes: 0, count: 0, live: 0, peak: 0 }) };
}

/// The memory that a thread has asked for.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    /// The bytes of all requests.
    bytes: u64,
    /// The number of requests.
    count: u64,
    /// The bytes that are in use: less than none where another thread asked for them.
    live: i64,
    /// The most that were in use at once.
    peak: i64,
}

/// The system's allocator, counted by thread.
#[derive(Debug)]
pub(crate) struct Counting;

// The only unsafe code of this program: the trait is unsafe, and every call goes on to the system's.
#[expect(unsafe_code, reason = "an allocator that counts has to be an allocator")]
// SAFETY: Each function passes its arguments on to the system's allocator, which keeps the contract,
// and counts in a cell of the thread that neither allocates nor is dropped.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        asked(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        asked(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        freed(layout.size());
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        freed(layout.size());
        asked(size);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

fn asked(size: usize) {
    let counted = COUNTS.try_with(|counts| {
        let mut own = counts.get();
        own.bytes += size as u64;
        own.count += 1;
        own.live += size as i64;
        own.peak = own.peak.max(own.live);
        counts.set(own);
    });
    // A thread that ends has nothing left to count.
    let _ = counted;
}

fn freed(size: usize) {
    let _ = COUNTS.try_with(|counts| {
        let own = counts.get();
        counts.set(Counts { live: own.live - size as i64, ..own });
    });
}

/// The cost of a piece of work.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Cost {
    /// The length of the input, in bytes.
    pub(crate) input: u64,
    /// Steps of the grammar's cursor.
    pub(crate) steps: u64,
    /// The bytes that were asked for, all requests together.
    pub(crate) bytes: u64,
    /// The number of requests for memory.
    pub(crate) requests: u64,
    /// The most bytes in use at once.
    pub(crate) peak: u64,
    /// The time of the processor, in microseconds.
    pub(crate) micros: u64,
}

/// Does `work`, which returns its steps, and counts its cost.
pub(crate) fn count(work: impl FnOnce() -> u64) -> Cost {
    let before = COUNTS.with(|counts| {
        let own = counts.get();
        counts.set(Counts { peak: own.live, ..own });
        own
    });
    let start = processor_time();
    let steps = work();
    let micros = processor_time().saturating_sub(start);
    let after = COUNTS.with(Cell::get);
    Cost {
        input: 0,
        steps,
        bytes: after.bytes - before.bytes,
        requests: after.count - before.count,
        peak: u64::try_from(after.peak - before.live).unwrap_or_default(),
        micros,
    }
}

/// The time that the processor gave to this thread, in microseconds; where the system does not tell, the
/// time that passed.
#[cfg(target_os = "linux")]
fn processor_time() -> u64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let told = told.and_then(|line| line.split(' ').next()?.parse::<u64>().ok());
    told.map_or_else(passed, |nanos| nanos / 1000)
}

#[cfg(not(target_os = "linux"))]
fn processor_time() -> u64 {
    passed()
}

/// The time since the first question, in microseconds.
fn passed() -> u64 {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed().as_micros() as u64
}

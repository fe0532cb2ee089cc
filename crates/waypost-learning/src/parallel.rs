//! Work by two threads.

use std::thread;

/// What `work` makes of `items`; of two or more `threads` each of two works on one half of them. Where `work` looks at each
/// item alone, the result is the same.
pub fn in_halves<T: Sync, R: Send>(
    items: &[T],
    threads: usize,
    work: impl Fn(&[T]) -> Vec<R> + Sync,
) -> Vec<R> {
    if threads < 2 || items.len() < 2 {
        return work(items);
    }
    let (first, second) = items.split_at(items.len() / 2);
    thread::scope(|scope| {
        let other = scope.spawn(|| work(second));
        let mut made = work(first);
        match other.join() {
            Ok(rest) => made.extend(rest),
            Err(panic) => std::panic::resume_unwind(panic),
        }
        made
    })
}

/// What two pieces of work make, of which each has a thread of its own.
pub fn both<A: Send, B>(one: impl FnOnce() -> A + Send, other: impl FnOnce() -> B) -> (A, B) {
    thread::scope(|scope| {
        let one = scope.spawn(one);
        let other = other();
        match one.join() {
            Ok(one) => (one, other),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_kept() {
        for (count, threads) in [(0, 2), (1, 2), (2, 2), (5, 1), (5, 2)] {
            let items: Vec<usize> = (0..count).collect();
            assert_eq!(in_halves(&items, threads, <[usize]>::to_vec), items);
        }
    }
}

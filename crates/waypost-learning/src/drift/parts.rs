//! Two samples of requests, counted in the same parts.
//!
//! The parts are cut from both samples together. Parts of the reference alone would fit it better
//! than anything that comes after: a route that it happens to lack, or a rare confidence that it
//! happens to hold, would set later traffic apart though nothing changed. Cut from both, a part
//! does not know which sample a request is from, so that unchanged traffic falls on either side of
//! it by chance alone, however many routes there are and however unlike a normal variable confidences are.

use std::collections::BTreeMap;

/// The number of requests of a part in the reference, and in the latest blocks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) before: usize,
    pub(super) now: usize,
}

impl Count {
    fn both(self) -> usize {
        self.before + self.now
    }

    fn join(&mut self, other: Self) {
        self.before += other.before;
        self.now += other.now;
    }
}

/// Counts by route: the most frequent first, so that routes which grew, and those which are rare,
/// stand together. Equally frequent routes stand by name, which says nothing of their sample.
pub(super) fn by_route<'a>(
    before: impl Iterator<Item = &'a str>,
    now: impl Iterator<Item = &'a str>,
) -> Vec<Count> {
    /// Parts of the same size, at most: a window of 500 has thirty requests of each.
    const PARTS: f64 = 16.0;
    let mut routes: BTreeMap<&str, Count> = BTreeMap::new();
    before.for_each(|route| routes.entry(route).or_default().before += 1);
    now.for_each(|route| routes.entry(route).or_default().now += 1);
    let mut counts: Vec<Count> = routes.into_values().collect();
    counts.sort_by_key(|count| std::cmp::Reverse(count.both()));
    cut(&counts, |_| 1.0 / PARTS)
}

/// Counts by value: the lowest first, and each part twice the size of the one below it. The student
/// is least sure of a new topic, which would be lost in parts of the same size.
pub(super) fn by_value(
    before: impl Iterator<Item = f64>,
    now: impl Iterator<Item = f64>,
) -> Vec<Count> {
    /// The share of requests in the lowest part, and in the one above it.
    const LOWEST: f64 = 1.0 / 32.0;
    let before = before.map(|value| (value, Count { before: 1, now: 0 }));
    let now = now.map(|value| (value, Count { before: 0, now: 1 }));
    let mut values: Vec<(f64, Count)> = before.chain(now).collect();
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    // Equal values stay together: their order would say which sample they are from.
    values.dedup_by(|next, kept| {
        let same = next.0.total_cmp(&kept.0).is_eq();
        if same {
            kept.1.join(next.1);
        }
        same
    });
    let counts: Vec<Count> = values.into_iter().map(|(_, count)| count).collect();
    cut(&counts, |part| LOWEST * f64::from(1u32 << part.saturating_sub(1).min(5)))
}

/// Joins neighbors into parts of at least the share of all requests that `share` gives for each.
fn cut(counts: &[Count], share: impl Fn(usize) -> f64) -> Vec<Count> {
    /// Requests of the smaller sample that each part has on average, at least: with fewer the
    /// deviation of [`unlike`] is beyond the threshold too often.
    const LEAST: f64 = 10.0;
    let mut all = Count::default();
    counts.iter().for_each(|count| all.join(*count));
    let total = all.both() as f64;
    let least = LEAST * total / all.before.min(all.now).max(1) as f64;
    let size = |part: usize| least.max(total * share(part));
    let mut parts: Vec<Count> = Vec::new();
    let mut part = Count::default();
    for count in counts {
        // A count that is a part by itself leaves the part before it alone, if that one is large
        // enough.
        if part.both() as f64 >= least && count.both() as f64 >= size(parts.len()) {
            parts.push(std::mem::take(&mut part));
        }
        part.join(*count);
        if part.both() as f64 >= size(parts.len()) {
            parts.push(std::mem::take(&mut part));
        }
    }
    match parts.last_mut() {
        Some(last) if (part.both() as f64) < least => last.join(part),
        _ => parts.push(part),
    }
    parts
}

/// Returns how unlike two samples are by these parts, as the deviation of a normal variable. Only
/// the upper side tells of a change, so that half as many alarms are raised as the threshold
/// allows; small parts, whose counts are further from normal, need that room.
///
/// # Source
///
/// Pearson's chi-square for two samples; Wilson and Hilferty 1931, "The Distribution of Chi-square".
pub(super) fn unlike(parts: &[Count]) -> f64 {
    let before = parts.iter().map(|part| part.before).sum::<usize>() as f64;
    let now = parts.iter().map(|part| part.now).sum::<usize>() as f64;
    if parts.len() < 2 || before == 0.0 || now == 0.0 {
        return 0.0;
    }
    let chi: f64 = parts
        .iter()
        .map(|part| {
            let difference = part.before as f64 * (now / before).sqrt()
                - part.now as f64 * (before / now).sqrt();
            difference * difference / part.both().max(1) as f64
        })
        .sum();
    let freedom = (parts.len() - 1) as f64;
    let spread = 2.0 / (9.0 * freedom);
    ((chi / freedom).cbrt() - (1.0 - spread)) / spread.sqrt()
}

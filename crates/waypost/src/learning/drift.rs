//! Tells when traffic is no longer what the student in service was measured on.
//!
//! Three signals of each decision are watched: how sure the student was, how far within scope the
//! text was, and which route it took. The first requests after a promotion are the reference; after each
//! block of requests the last few blocks are held against it, by two-sample tests whose bar is set
//! so that unchanged traffic raises at most the stated number of alarms. What is kept is bounded, and
//! a request costs a few additions.
//!
//! Requests are taken to be independent of each other. Where sessions ask the same thing over and over,
//! the rate of false alarms is higher than stated: watch one request a session, or state a lower one.
//!
//! # Source
//!
//! Welch 1947, "The Generalization of Student's Problem when Several Different Population Variances
//! are Involved"; Wilson and Hilferty 1931, "The Distribution of Chi-square".

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

/// What is watched, and how often it may cry wolf.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Watch {
    /// Requests that are the reference.
    pub reference: usize,
    /// Requests of a block; after each there is a test.
    pub block: usize,
    /// Blocks that are held against the reference together.
    pub blocks: usize,
    /// How many alarms unchanged traffic may raise in a hundred thousand requests.
    pub false_alarms: f64,
}

impl Default for Watch {
    fn default() -> Self {
        Self { reference: 2_000, block: 100, blocks: 5, false_alarms: 1.0 }
    }
}

/// What a decision says about traffic.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Seen<'a> {
    /// The route that the student found likeliest.
    pub route: &'a str,
    /// How sure it was, 0 to 1.
    pub confidence: f64,
    /// How likely the text is within scope, 0 to 1.
    pub in_scope: f64,
}

/// What has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Signal {
    /// How sure the student is.
    Confidence,
    /// How far within scope texts are.
    Scope,
    /// Which routes are asked for.
    Routes,
}

impl Signal {
    /// Its name in records.
    pub fn name(self) -> &'static str {
        match self {
            Signal::Confidence => "confidence",
            Signal::Scope => "scope",
            Signal::Routes => "routes",
        }
    }
}

const SIGNALS: [Signal; 3] = [Signal::Confidence, Signal::Scope, Signal::Routes];

/// Traffic is not what it was.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Alarm {
    /// What has changed most.
    pub signal: Signal,
    /// How far it is from the reference, in standard deviations.
    pub deviation: f64,
    /// How far it may be.
    pub bar: f64,
    /// Its mean in the reference; nothing for routes.
    pub before: Option<f64>,
    /// Its mean now.
    pub now: Option<f64>,
    /// Requests since the reference was complete.
    pub after: u64,
}

/// Watches the decisions of one student.
#[derive(Debug, Clone)]
pub struct Drift {
    watch: Watch,
    bar: f64,
    /// Routes of the reference as long as it fills.
    routes: BTreeMap<String, usize>,
    reference: Tally,
    /// Which part of the routes each route belongs to, once the reference is complete.
    parts: Option<Parts>,
    current: Tally,
    last: VecDeque<Tally>,
    seen: u64,
    alarmed: bool,
}

/// Routes that are counted by name; more are counted together.
const MOST_ROUTES: usize = 4_096;

impl Drift {
    /// Begins to watch; sizes of `watch` below 1 are taken as 1.
    pub fn new(mut watch: Watch) -> Self {
        for size in [&mut watch.reference, &mut watch.block, &mut watch.blocks] {
            *size = (*size).max(1);
        }
        // Every test of every signal is one chance for a false alarm (Bonferroni).
        let tests = 100_000.0 / watch.block as f64 * SIGNALS.len() as f64;
        let bar = quantile(watch.false_alarms / tests);
        Self {
            watch,
            bar,
            routes: BTreeMap::new(),
            reference: Tally::default(),
            parts: None,
            current: Tally::default(),
            last: VecDeque::new(),
            seen: 0,
            alarmed: false,
        }
    }

    /// Begins anew, as after a promotion.
    pub fn reset(&mut self) {
        *self = Self::new(self.watch.clone());
    }

    /// Whether the reference is complete.
    pub fn is_watching(&self) -> bool {
        self.parts.is_some()
    }

    /// Takes in a decision. An alarm is raised once, until [`Drift::reset`].
    pub fn observe(&mut self, seen: &Seen<'_>) -> Option<Alarm> {
        let Some(parts) = &self.parts else {
            self.learn(seen);
            return None;
        };
        self.seen += 1;
        self.current.add(seen, parts.of(seen.route), parts.count);
        if self.current.n < self.watch.block {
            return None;
        }
        self.last.push_back(std::mem::take(&mut self.current));
        if self.last.len() > self.watch.blocks {
            self.last.pop_front();
        }
        if self.alarmed || self.last.len() < self.watch.blocks {
            return None;
        }
        let alarm = self.test()?;
        self.alarmed = true;
        Some(alarm)
    }

    fn learn(&mut self, seen: &Seen<'_>) {
        let known = self.routes.len() < MOST_ROUTES || self.routes.contains_key(seen.route);
        let route = if known { seen.route } else { "" };
        *self.routes.entry(route.to_owned()).or_default() += 1;
        self.reference.add(seen, 0, 0);
        if self.reference.n >= self.watch.reference {
            let parts = Parts::new(&std::mem::take(&mut self.routes));
            self.reference.parts.clone_from(&parts.sizes);
            self.parts = Some(parts);
        }
    }

    /// The signal that is furthest beyond the bar.
    fn test(&self) -> Option<Alarm> {
        let mut now = Tally::default();
        self.last.iter().for_each(|block| now.join(block));
        let deviations = SIGNALS.map(|signal| (signal, self.deviation(signal, &now)));
        let (signal, deviation) =
            deviations.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).filter(|d| d.1 > self.bar)?;
        let mean = |tally: &Tally| match signal {
            Signal::Confidence => Some(tally.confidence.mean(tally.n)),
            Signal::Scope => Some(tally.in_scope.mean(tally.n)),
            Signal::Routes => None,
        };
        Some(Alarm {
            signal,
            deviation,
            bar: self.bar,
            before: mean(&self.reference),
            now: mean(&now),
            after: self.seen,
        })
    }

    fn deviation(&self, signal: Signal, now: &Tally) -> f64 {
        let before = &self.reference;
        match signal {
            Signal::Confidence => welch(before.confidence, before.n, now.confidence, now.n),
            Signal::Scope => welch(before.in_scope, before.n, now.in_scope, now.n),
            Signal::Routes => mix(&before.parts, &now.parts),
        }
    }
}

/// Sums of numbers and of their squares.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    total: f64,
    squares: f64,
}

impl Sum {
    fn add(&mut self, x: f64) {
        let x = if x.is_finite() { x.clamp(0.0, 1.0) } else { 0.0 };
        self.total += x;
        self.squares += x * x;
    }

    fn mean(self, n: usize) -> f64 {
        self.total / n.max(1) as f64
    }

    fn variance(self, n: usize) -> f64 {
        let mean = self.mean(n);
        (self.squares / n.max(1) as f64 - mean * mean).max(0.0)
    }
}

/// What a number of requests came to.
#[derive(Debug, Clone, Default)]
struct Tally {
    n: usize,
    confidence: Sum,
    in_scope: Sum,
    parts: Vec<usize>,
}

impl Tally {
    fn add(&mut self, seen: &Seen<'_>, part: usize, parts: usize) {
        self.n += 1;
        self.confidence.add(seen.confidence);
        self.in_scope.add(seen.in_scope);
        self.parts.resize(parts, 0);
        if let Some(count) = self.parts.get_mut(part) {
            *count += 1;
        }
    }

    fn join(&mut self, other: &Self) {
        self.n += other.n;
        for (sum, more) in
            [(&mut self.confidence, other.confidence), (&mut self.in_scope, other.in_scope)]
        {
            sum.total += more.total;
            sum.squares += more.squares;
        }
        self.parts.resize(other.parts.len(), 0);
        for (count, more) in self.parts.iter_mut().zip(&other.parts) {
            *count += more;
        }
    }
}

/// Routes in parts of about the same size, so that each has enough requests for a test.
#[derive(Debug, Clone)]
struct Parts {
    of: BTreeMap<String, usize>,
    count: usize,
    sizes: Vec<usize>,
}

/// Parts at most.
const MOST_PARTS: usize = 16;
/// The least share of the reference that a part has: ten of five hundred requests.
const LEAST_SHARE: f64 = 0.02;

impl Parts {
    fn new(routes: &BTreeMap<String, usize>) -> Self {
        let total: usize = routes.values().sum();
        let mut sorted: Vec<(&String, usize)> = routes.iter().map(|(r, n)| (r, *n)).collect();
        sorted.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
        let mut count = MOST_PARTS.min(sorted.len());
        loop {
            let mut sizes = vec![0usize; count.max(1)];
            let mut of = BTreeMap::new();
            for (route, n) in &sorted {
                // The largest first, each to the smallest part.
                let part = (0..sizes.len()).min_by_key(|part| sizes[*part]).unwrap_or(0);
                sizes[part] += n;
                of.insert((*route).clone(), part);
            }
            let least = sizes.iter().min().copied().unwrap_or(0);
            if count <= 1 || least as f64 >= LEAST_SHARE * total as f64 {
                return Self { of, count: count.max(1), sizes };
            }
            count -= 1;
        }
    }

    /// A route that the reference has not belongs to the smallest part, where it shows most.
    fn of(&self, route: &str) -> usize {
        let smallest = || (0..self.count).min_by_key(|part| self.sizes[*part]).unwrap_or(0);
        self.of.get(route).or_else(|| self.of.get("")).copied().unwrap_or_else(smallest)
    }
}

/// How far two means are apart, in standard deviations of their difference.
fn welch(a: Sum, a_n: usize, b: Sum, b_n: usize) -> f64 {
    /// Numbers that were all but the same give no deviation that could be believed.
    const LEAST_VARIANCE: f64 = 1e-4;
    let part = |sum: Sum, n: usize| sum.variance(n).max(LEAST_VARIANCE) / n.max(1) as f64;
    (a.mean(a_n) - b.mean(b_n)).abs() / (part(a, a_n) + part(b, b_n)).sqrt()
}

/// How unlike two counts by part are, as the deviation of a normal variable. Only the upper side tells
/// of a change, so that this signal raises half the alarms of the others.
fn mix(a: &[usize], b: &[usize]) -> f64 {
    let (a_n, b_n) = (a.iter().sum::<usize>() as f64, b.iter().sum::<usize>() as f64);
    if a.len() < 2 || a.len() != b.len() || a_n == 0.0 || b_n == 0.0 {
        return 0.0;
    }
    let mut chi = 0.0;
    for (a, b) in a.iter().zip(b) {
        let both = (a + b) as f64;
        if both > 0.0 {
            let difference = *a as f64 * (b_n / a_n).sqrt() - *b as f64 * (a_n / b_n).sqrt();
            chi += difference * difference / both;
        }
    }
    let freedom = (a.len() - 1) as f64;
    let spread = 2.0 / (9.0 * freedom);
    ((chi / freedom).cbrt() - (1.0 - spread)) / spread.sqrt()
}

/// The deviation of a normal variable that is exceeded, on either side, with this probability.
fn quantile(probability: f64) -> f64 {
    let (mut low, mut high) = (0.0, 40.0);
    // Halvings: far finer than any bar needs to be.
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if two_sided(middle) > probability { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// How often a normal variable is further than `x` from its mean, by a continued fraction for large
/// and a series for small `x`.
fn two_sided(x: f64) -> f64 {
    /// Terms: enough for twelve digits at the border of the two.
    const TERMS: usize = 200;
    let density = (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt();
    if x < 2.0 {
        let (mut term, mut sum) = (x, x);
        for k in 1..TERMS {
            term *= x * x / (2 * k + 1) as f64;
            sum += term;
        }
        return 1.0 - 2.0 * density * sum;
    }
    let fraction = (1..TERMS).rev().fold(x, |rest, k| x + k as f64 / rest);
    2.0 * density / fraction
}

#[cfg(test)]
mod tests {
    use super::super::random::Random;
    use super::*;

    /// Traffic made up of known parts.
    struct Traffic {
        random: Random,
        routes: usize,
        /// The share of requests of a topic that no route serves.
        foreign: f64,
        /// The share of requests for the first route beyond its own.
        first: f64,
    }

    impl Traffic {
        fn new(seed: u64, routes: usize) -> Self {
            Self { random: Random::new(seed), routes, foreign: 0.0, first: 0.0 }
        }

        fn share(&mut self) -> f64 {
            (self.random.next() >> 11) as f64 / (1u64 << 53) as f64
        }

        fn next(&mut self, drift: &mut Drift) -> Option<Alarm> {
            let (draw, other) = (self.share(), self.share());
            let foreign = self.share() < self.foreign;
            // Most are sure; a tenth are anywhere.
            let sure = if self.share() < 0.9 { 0.9 + 0.1 * draw } else { draw };
            let confidence = if foreign { 0.6 * draw } else { sure };
            let in_scope = if foreign { 0.5 * other } else { 1.0 - 0.3 * other * other };
            let place = (self.share() * self.share() * self.routes as f64) as usize;
            let place = if self.share() < self.first { 0 } else { place };
            let route = format!("r{place}");
            drift.observe(&Seen { route: &route, confidence, in_scope })
        }
    }

    #[test]
    fn deviations_are_those_of_the_tables() {
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-4, "{a} is not {b}");
        close(two_sided(1.0), 0.317_31);
        close(two_sided(1.959_964), 0.05);
        close(two_sided(3.0), 0.002_7);
        close(quantile(0.05), 1.959_96);
        close(quantile(1e-4), 3.890_59);
        // The upper 5% of chi-square with 15 degrees of freedom begins at 24.996, that of a normal
        // variable at 1.645.
        let spread: f64 = 2.0 / 135.0;
        let deviation = ((24.996f64 / 15.0).cbrt() - (1.0 - spread)) / spread.sqrt();
        assert!((deviation - 1.644_85).abs() < 0.005, "{deviation}");
    }

    #[test]
    fn s1_20_unchanged_traffic_raises_no_more_alarms_than_stated() {
        // Fifty times as many as usual, so that there is something to count.
        let watch = Watch { false_alarms: 50.0, ..Watch::default() };
        let (runs, each) = (120, 5_000);
        let mut alarms = 0;
        for seed in 0..runs {
            let mut traffic = Traffic::new(seed, [2, 8, 150][seed as usize % 3]);
            let mut drift = Drift::new(watch.clone());
            for _ in 0..each + watch.reference {
                alarms += usize::from(traffic.next(&mut drift).is_some());
            }
        }
        // 600,000 requests may raise 300; one alarm ends a run, so fewer are raised.
        assert!((3..=120).contains(&alarms), "{alarms} alarms in {runs} runs");
        let mut usual = 0;
        for seed in 0..60 {
            let mut traffic = Traffic::new(1_000 + seed, 20);
            let mut drift = Drift::new(Watch::default());
            usual += (0..12_000).filter(|_| traffic.next(&mut drift).is_some()).count();
        }
        // 600,000 requests may raise six on average; eleven or more come once in twenty times.
        assert!(usual <= 10, "{usual} alarms");
    }

    #[test]
    fn s1_20_a_new_topic_and_another_mix_are_told_within_two_thousand_requests() {
        for seed in 0..40 {
            for (foreign, first) in [(0.1, 0.0), (0.0, 0.15)] {
                let mut traffic = Traffic::new(seed, 20);
                let mut drift = Drift::new(Watch::default());
                while !drift.is_watching() {
                    traffic.next(&mut drift);
                }
                (traffic.foreign, traffic.first) = (foreign, first);
                let after = (1..=2_000).find(|_| traffic.next(&mut drift).is_some());
                assert!(after.is_some(), "seed {seed}: {foreign} foreign, {first} more of one");
            }
        }
    }

    #[test]
    fn an_alarm_is_raised_once_and_again_after_a_reset() {
        let mut drift = Drift::new(Watch { reference: 200, ..Watch::default() });
        let run = |drift: &mut Drift| {
            let calm = |drift: &mut Drift| {
                drift.observe(&Seen { route: "a", confidence: 0.9, in_scope: 0.9 })
            };
            assert!((0..200).all(|_| calm(drift).is_none()));
            let odd = Seen { route: "a", confidence: 0.2, in_scope: f64::NAN };
            (0..3_000).filter(|_| drift.observe(&odd).is_some()).count()
        };
        assert_eq!(run(&mut drift), 1);
        drift.reset();
        assert_eq!(run(&mut drift), 1);
    }
}

//! Tells when traffic is no longer like the first requests that the student in service saw.
//!
//! Three signals of each decision are watched: the student's confidence, the probability that the
//! text is within scope, and the route. The first requests after a promotion or a start are the reference;
//! after each block of requests the last few blocks are compared with it, by two-sample tests whose
//! threshold is set so that unchanged traffic raises at most the stated number of alarms. Memory is
//! bounded: only the requests that are compared are kept, and they are sorted once a block.
//!
//! Requests are taken to be independent of each other. Where sessions ask the same thing over and over,
//! the rate of false alarms is higher than stated: watch one request a session, or state a lower one.

mod parts;

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

/// The sizes of the samples, and how many false alarms are allowed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DriftOptions {
    /// Requests of the reference.
    pub reference: usize,
    /// Requests of a block; after each there is a test.
    pub block: usize,
    /// Blocks that are compared with the reference together.
    pub blocks: usize,
    /// The number of alarms that unchanged traffic may raise in a hundred thousand requests.
    pub false_alarms: f64,
}

impl Default for DriftOptions {
    fn default() -> Self {
        Self { reference: 2_000, block: 100, blocks: 5, false_alarms: 1.0 }
    }
}

/// The part of a decision that says something about traffic.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Observation<'a> {
    /// The route that the student found likeliest.
    pub route: &'a str,
    /// The student's confidence, 0 to 1.
    pub confidence: f64,
    /// The probability that the text is within scope, 0 to 1.
    pub in_scope: f64,
}

/// A signal that can change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DriftSignal {
    /// The student's confidence.
    Confidence,
    /// The probability that texts are within scope.
    Scope,
    /// The routes that are asked for.
    Routes,
}

impl DriftSignal {
    /// Its name in records.
    pub fn name(self) -> &'static str {
        match self {
            DriftSignal::Confidence => "confidence",
            DriftSignal::Scope => "scope",
            DriftSignal::Routes => "routes",
        }
    }
}

const SIGNALS: [DriftSignal; 3] =
    [DriftSignal::Confidence, DriftSignal::Scope, DriftSignal::Routes];

/// An alarm: traffic is not what it was.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Alarm {
    /// The signal that has changed most.
    pub signal: DriftSignal,
    /// Its distance from the reference, in standard deviations.
    pub deviation: f64,
    /// The distance that it may have.
    #[serde(rename = "bar")]
    pub threshold: f64,
    /// Its mean in the reference; `None` for routes.
    pub before: Option<f64>,
    /// Its mean now.
    pub now: Option<f64>,
    /// Requests since the reference was complete.
    pub after: u64,
}

/// The test behind a drift monitor: compares the decisions of one student with its first ones.
#[derive(Debug, Clone)]
pub struct Drift {
    watch: DriftOptions,
    threshold: f64,
    /// The first requests.
    reference: Vec<Request>,
    /// The requests of the last blocks, oldest first.
    last: VecDeque<Request>,
    seen: u64,
    alarmed: bool,
}

/// A request, as it is kept.
#[derive(Debug, Clone)]
struct Request {
    route: String,
    confidence: f64,
    in_scope: f64,
}

impl Request {
    /// Keeps the observation; a value that is not a number counts as 0, the least sure.
    fn new(seen: &Observation<'_>) -> Self {
        let share = |x: f64| if x.is_finite() { x.clamp(0.0, 1.0) } else { 0.0 };
        Self {
            route: seen.route.to_owned(),
            confidence: share(seen.confidence),
            in_scope: share(seen.in_scope),
        }
    }

    /// Returns the value that a signal reads; `None` for routes, which are no numbers.
    fn value(&self, signal: DriftSignal) -> Option<f64> {
        match signal {
            DriftSignal::Confidence => Some(self.confidence),
            DriftSignal::Scope => Some(self.in_scope),
            DriftSignal::Routes => None,
        }
    }
}

impl Drift {
    /// Begins to watch; sizes of `watch` below 1 are taken as 1.
    pub fn new(mut watch: DriftOptions) -> Self {
        for size in [&mut watch.reference, &mut watch.block, &mut watch.blocks] {
            *size = (*size).max(1);
        }
        // Every test of every signal is one chance for a false alarm (Bonferroni).
        let tests = 100_000.0 / watch.block as f64 * SIGNALS.len() as f64;
        let threshold = quantile(watch.false_alarms / tests);
        Self {
            watch,
            threshold,
            reference: Vec::new(),
            last: VecDeque::new(),
            seen: 0,
            alarmed: false,
        }
    }

    /// Begins anew, as after a promotion.
    pub fn reset(&mut self) {
        *self = Self::new(self.watch.clone());
    }

    /// Returns whether the reference is complete.
    pub fn is_watching(&self) -> bool {
        self.reference.len() >= self.watch.reference
    }

    /// Takes in a decision. An alarm is raised once, until [`Drift::reset`].
    pub fn observe(&mut self, seen: &Observation<'_>) -> Option<Alarm> {
        if !self.is_watching() {
            self.reference.push(Request::new(seen));
            return None;
        }
        self.seen += 1;
        if self.alarmed {
            return None;
        }
        let window = self.watch.block.saturating_mul(self.watch.blocks);
        if self.last.len() == window {
            self.last.pop_front();
        }
        self.last.push_back(Request::new(seen));
        if self.last.len() < window || !self.seen.is_multiple_of(self.watch.block as u64) {
            return None;
        }
        let alarm = self.test()?;
        self.alarmed = true;
        Some(alarm)
    }

    /// The signal that is furthest beyond the threshold.
    fn test(&self) -> Option<Alarm> {
        let deviations = SIGNALS.map(|signal| (signal, self.deviation(signal)));
        let (signal, deviation) = deviations
            .into_iter()
            .max_by(|a, b| a.1.total_cmp(&b.1))
            .filter(|d| d.1 > self.threshold)?;
        Some(Alarm {
            signal,
            deviation,
            threshold: self.threshold,
            before: mean(self.reference.iter(), signal),
            now: mean(self.last.iter(), signal),
            after: self.seen,
        })
    }

    fn deviation(&self, signal: DriftSignal) -> f64 {
        let (before, now) = (self.reference.iter(), self.last.iter());
        let value = |request: &Request| request.value(signal);
        let counts = match signal {
            DriftSignal::Confidence | DriftSignal::Scope => {
                parts::by_value(before.filter_map(value), now.filter_map(value))
            }
            DriftSignal::Routes => {
                parts::by_route(before.map(|r| r.route.as_str()), now.map(|r| r.route.as_str()))
            }
        };
        parts::unlike(&counts)
    }
}

/// Returns the mean of the values that a signal reads; `None` for routes.
fn mean<'a>(
    requests: impl ExactSizeIterator<Item = &'a Request>,
    signal: DriftSignal,
) -> Option<f64> {
    let n = requests.len().max(1) as f64;
    requests.map(|request| request.value(signal)).sum::<Option<f64>>().map(|total| total / n)
}

/// Returns the deviation that a normal variable exceeds, on either side, with this probability.
fn quantile(probability: f64) -> f64 {
    let (mut low, mut high) = (0.0, 40.0);
    // Halvings: far finer than any threshold needs to be.
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if two_sided(middle) > probability { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// Returns the probability that a normal variable is further than `x` from its mean, by a continued
/// fraction for large and a series for small `x`.
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
mod tests;

//! Trains one set of linear weights per class, all classes of one text at a time.
//!
//! L2-regularized squared hinge by dual coordinate descent. The classes are independent problems,
//! but walking the texts once for all of them keeps the rows of the weights together: a step reads
//! and writes whole rows, which the compiler turns into vector instructions.
//!
//! # Source
//!
//! Hsieh et al. 2008, "A Dual Coordinate Descent Method for Large-scale Linear SVM", algorithm 1.

use super::order::shuffle;
use crate::features::Entry;
use crate::random::Random;
use crate::version::weights::{LANES, Weights};

/// Value of the constant feature behind the bias, which is regularized like the others.
const BIAS: f32 = 1.0;

/// Weights start at, and are pulled towards, this many times the mean of the class's examples
/// instead of 0. A class with few examples keeps much of its mean: at 10 examples a route 0.1 to
/// 0.4 points on CLINC150's, BANKING77's and HWU64's validation rows, nothing lost on full sets.
const CENTROID: f32 = 4.0;

/// Sparse vectors, one after the other.
#[derive(Debug, Default)]
pub(crate) struct Matrix {
    entries: Vec<Entry>,
    ends: Vec<usize>,
}

impl Matrix {
    pub(crate) fn push(&mut self, entries: &[Entry]) {
        self.entries.extend_from_slice(entries);
        self.ends.push(self.entries.len());
    }

    /// Appends the rows of another matrix.
    pub(crate) fn append(&mut self, other: Self) {
        let before = self.entries.len();
        self.entries.extend(other.entries);
        self.ends.extend(other.ends.into_iter().map(|end| before + end));
    }

    /// Multiplies each entry by `factor` of its row and bucket; entries that become 0 go.
    pub(crate) fn scale(&mut self, factor: impl Fn(usize, u32) -> f32) {
        let (mut start, mut kept) = (0, 0);
        for (row, end) in self.ends.iter_mut().enumerate() {
            for at in start..*end {
                let Entry { bucket, value } = self.entries[at];
                let value = value * factor(row, bucket);
                if value != 0.0 {
                    self.entries[kept] = Entry { bucket, value };
                    kept += 1;
                }
            }
            start = *end;
            *end = kept;
        }
        self.entries.truncate(kept);
    }

    pub(crate) fn row(&self, index: usize) -> &[Entry] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.entries[start..self.ends[index]]
    }
}

/// The classes that a text should be given.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    /// The classes that are right.
    pub(crate) positive: Vec<u32>,
    /// The weights of the text for the classes below [`Problem::split`] and for those from it on;
    /// with 0 it is left out.
    pub(crate) weights: [f32; 2],
}

impl Target {
    /// The same with its weights times `share`.
    pub(crate) fn weighing(&self, share: f32) -> Self {
        let weights = self.weights.map(|weight| weight * share);
        Self { positive: self.positive.clone(), weights }
    }
}

/// A set of weights to train.
pub(crate) struct Problem<'a> {
    pub(crate) matrix: &'a Matrix,
    pub(crate) targets: &'a [Target],
    /// The marks of the texts, for the order of each pass.
    pub(crate) marks: &'a [u64],
    /// The rows of `matrix` and `targets` to train on.
    pub(crate) rows: &'a [u32],
    pub(crate) buckets: usize,
    pub(crate) classes: usize,
    /// The first class of the second group.
    pub(crate) split: usize,
    /// True for each of the two groups that [`fit`] trains.
    pub(crate) trained: [bool; 2],
    /// Cost of a violated margin against the length of the weights.
    pub(crate) c: f32,
    /// The factor by which a positive example costs more.
    pub(crate) positive_cost: f32,
    pub(crate) epochs: usize,
    pub(crate) seed: u64,
}

impl Problem<'_> {
    /// Returns the weights of a text for the classes of each group.
    fn weights(&self, target: &Target) -> [f32; 2] {
        [0, 1].map(|group| if self.trained[group] { target.weights[group] } else { 0.0 })
    }

    fn weight(&self, target: &Target, class: u32) -> f32 {
        self.weights(target)[usize::from(class as usize >= self.split)]
    }
}

impl Weights {
    pub(crate) fn centroids(problem: &Problem) -> Self {
        let mut weights = Self::zero(problem.buckets, problem.classes);
        let targets = problem.rows.iter().map(|row| &problem.targets[*row as usize]);
        let mut totals = vec![f32::MIN_POSITIVE; problem.classes];
        for target in targets.clone() {
            for class in &target.positive {
                totals[*class as usize] += problem.weight(target, *class);
            }
        }
        for (row, target) in problem.rows.iter().zip(targets) {
            for class in &target.positive {
                let share = problem.weight(target, *class) / totals[*class as usize];
                for entry in problem.matrix.row(*row as usize) {
                    let at = entry.bucket as usize * weights.stride + *class as usize;
                    weights.rows[at] += CENTROID * share * entry.value;
                }
            }
        }
        weights
    }

    fn row(&self, bucket: usize) -> &[f32] {
        &self.rows[bucket * self.stride..][..self.stride]
    }

    fn bias(&self) -> usize {
        self.rows.len() / self.stride - 1
    }

    /// Overwrites `out`, of one entry per class and padding, with the margins of `entries`.
    pub(crate) fn margins(&self, entries: &[Entry], out: &mut [f32]) {
        for (out, bias) in out.iter_mut().zip(self.row(self.bias())) {
            *out = bias * BIAS;
        }
        let mut pairs = entries.chunks_exact(2);
        for pair in &mut pairs {
            let (a, b) = (pair[0].value, pair[1].value);
            let rows =
                self.row(pair[0].bucket as usize).iter().zip(self.row(pair[1].bucket as usize));
            for (out, (x, y)) in out.iter_mut().zip(rows) {
                *out += a * x + b * y;
            }
        }
        for entry in pairs.remainder() {
            for (out, x) in out.iter_mut().zip(self.row(entry.bucket as usize)) {
                *out += entry.value * x;
            }
        }
    }

    /// Takes over the columns of the classes from `first` on.
    pub(crate) fn take_columns(&mut self, other: &Self, first: usize) {
        let rows = self.rows.chunks_exact_mut(self.stride);
        for (row, other) in rows.zip(other.rows.chunks_exact(other.stride)) {
            row[first..].copy_from_slice(&other[first..]);
        }
    }

    fn add(&mut self, entries: &[Entry], delta: &[f32]) {
        let bias = Entry { bucket: self.bias() as u32, value: BIAS };
        for entry in entries.iter().chain([&bias]) {
            let row = &mut self.rows[entry.bucket as usize * self.stride..][..self.stride];
            for (weight, delta) in row.iter_mut().zip(delta) {
                *weight += entry.value * delta;
            }
        }
    }

    pub(crate) fn add_few(&mut self, entries: &[Entry], delta: &[f32], changed: &[u32]) {
        let bias = Entry { bucket: self.bias() as u32, value: BIAS };
        for entry in entries.iter().chain([&bias]) {
            let row = &mut self.rows[entry.bucket as usize * self.stride..][..self.stride];
            for class in changed {
                row[*class as usize] += entry.value * delta[*class as usize];
            }
        }
    }
}

/// Trains `problem`; the same problem gives the same bits.
pub(crate) fn fit(problem: &Problem) -> Weights {
    fit_from(problem, None).0
}

/// Trains `problem` from the dual variables of a problem with more rows, where there are any: most texts keep theirs, and
/// few passes find the rest. Also returns its own.
pub(crate) fn fit_from(problem: &Problem, start: Option<&Duals>) -> (Weights, Duals) {
    let mut weights = Weights::centroids(problem);
    let mut duals = Duals::zero(problem, weights.stride);
    if problem.classes > MOST_TRAINED {
        return (weights, duals);
    }
    if let Some(start) = start {
        duals.take(start, problem, &mut weights);
    }
    let epochs = if start.is_some() { problem.epochs.min(EPOCHS_FROM) } else { problem.epochs };
    let mut step = Step::new(weights.stride);
    let mut order = problem.rows.to_vec();
    let mut rests = vec![Rest::default(); problem.targets.len()];
    let mut random = Random::new(problem.seed);
    for _ in 0..epochs {
        shuffle(&mut order, random.next(), |row| problem.marks[row as usize]);
        let mut largest = 0.0f32;
        for row in &order {
            let row = *row as usize;
            if rests[row].passes() {
                continue;
            }
            let entries = problem.matrix.row(row);
            let change = step.run(problem, row, entries, duals.of(row), &mut weights);
            rests[row].after(change);
            largest = largest.max(change);
        }
        if largest < TOLERANCE {
            break;
        }
    }
    (weights, duals)
}

/// The rest of a row whose dual variables hardly moved: it is left alone for as many passes as it did so before.
#[derive(Clone, Copy, Default)]
struct Rest {
    /// Visits in a row that changed little.
    quiet: u8,
    /// Passes that are left.
    left: u8,
}

impl Rest {
    /// Returns whether the row rests in this pass.
    fn passes(&mut self) -> bool {
        let rests = self.left > 0;
        self.left = self.left.saturating_sub(1);
        rests
    }

    fn after(&mut self, change: f32) {
        self.quiet = if change < QUIET { self.quiet.saturating_add(1) } else { 0 };
        self.left = self.quiet;
    }
}

/// A row rests whose dual variables all moved by less than this, of a whole that is 0 to some units of 1.
const QUIET: f32 = 0.02;

/// With more classes than this the mean of each class's texts serves as its weights: to tell
/// thousands of classes apart pair by pair would take hours, and a catalog of so many changes every
/// day.
pub(crate) const MOST_TRAINED: usize = 512;

/// Training ends when no dual variable moved by more than this in a pass.
const TOLERANCE: f32 = 1e-3;

/// Passes over the texts, at most, of a problem that begins where one with more texts ended.
const EPOCHS_FROM: usize = 3;

/// The dual variables of each row of a set, one a class: how much the row holds the class's weights in place. That of a
/// row that is an example of the class is kept negated, so that one subtraction serves both.
pub(crate) struct Duals {
    stride: usize,
    values: Vec<f32>,
}

impl Duals {
    fn zero(problem: &Problem, stride: usize) -> Self {
        Self { stride, values: vec![0.0; stride * problem.targets.len()] }
    }

    fn of(&mut self, row: usize) -> &mut [f32] {
        &mut self.values[row * self.stride..][..self.stride]
    }

    /// Takes over the variables of the rows of `problem`, and what they add to its weights.
    fn take(&mut self, start: &Self, problem: &Problem, weights: &mut Weights) {
        let mut delta = vec![0.0; self.stride];
        for row in problem.rows {
            let row = *row as usize;
            let values = &start.values[row * self.stride..][..self.stride];
            self.of(row).copy_from_slice(values);
            delta.iter_mut().zip(values).for_each(|(delta, value)| *delta = -value);
            weights.add(problem.matrix.row(row), &delta);
        }
    }
}

/// The memory of one coordinate step over all classes.
struct Step {
    margins: Vec<f32>,
    deltas: Vec<f32>,
    changed: Vec<u32>,
}

impl Step {
    fn new(stride: usize) -> Self {
        Self { margins: vec![0.0; stride], deltas: vec![0.0; stride], changed: Vec::new() }
    }

    fn run(
        &mut self,
        problem: &Problem,
        row: usize,
        entries: &[Entry],
        alphas: &mut [f32],
        weights: &mut Weights,
    ) -> f32 {
        let target = &problem.targets[row];
        weights.margins(entries, &mut self.margins);
        let square = BIAS * BIAS + entries.iter().map(|e| e.value * e.value).sum::<f32>();
        let groups = [0..problem.split, problem.split..problem.classes];
        self.deltas.fill(0.0);
        for (group, weight) in groups.into_iter().zip(problem.weights(target)) {
            if weight > 0.0 {
                let slack = 0.5 / (problem.c * weight);
                self.negatives(group, slack, 1.0 / (square + slack), alphas);
            }
        }
        for class in &target.positive {
            let weight = problem.weight(target, *class);
            if weight > 0.0 {
                let slack = 0.5 / (problem.c * weight * problem.positive_cost);
                self.positive(*class as usize, slack, 1.0 / (square + slack), alphas);
            }
        }
        self.apply(entries, alphas, weights)
    }

    /// Steps of the classes in `group` as if the text belonged to none of them.
    fn negatives(
        &mut self,
        group: std::ops::Range<usize>,
        slack: f32,
        inverse: f32,
        alphas: &[f32],
    ) {
        let margins = &self.margins[group.clone()];
        let deltas = &mut self.deltas[group.clone()];
        for ((delta, margin), alpha) in deltas.iter_mut().zip(margins).zip(&alphas[group]) {
            let gradient = -margin - 1.0 + slack * alpha;
            *delta = -((alpha - gradient * inverse).max(0.0) - alpha);
        }
    }

    fn positive(&mut self, class: usize, slack: f32, inverse: f32, alphas: &[f32]) {
        let alpha = -alphas[class];
        let gradient = self.margins[class] - 1.0 + slack * alpha;
        self.deltas[class] = (alpha - gradient * inverse).max(0.0) - alpha;
    }

    /// Moves the weights; returns the largest change of a dual variable.
    fn apply(&mut self, entries: &[Entry], alphas: &mut [f32], weights: &mut Weights) -> f32 {
        let mut largest = 0.0f32;
        self.changed.clear();
        for (class, (delta, alpha)) in self.deltas.iter().zip(alphas).enumerate() {
            // A negative example's variable is kept as it is and a positive one's negated, so that
            // one subtraction serves both.
            *alpha -= delta;
            largest = largest.max(delta.abs());
            if *delta != 0.0 {
                self.changed.push(class as u32);
            }
        }
        if self.changed.len() * LANES > self.deltas.len() {
            weights.add(entries, &self.deltas);
        } else {
            weights.add_few(entries, &self.deltas, &self.changed);
        }
        largest
    }
}

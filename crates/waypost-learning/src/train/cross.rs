//! Runs the fits of one training and keeps the scores of the texts that each fit did not see.
//!
//! The first fit is on everything; then come one per fold without its examples, and one per group of
//! routes without their examples, of many texts each from where the first ended. Each is a function of the set alone, so
//! threads change nothing but the time.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use super::folds::{groups, stratified};
use super::linear::{Duals, Problem, fit, fit_from};
use super::softmax;
use crate::calibrate::Temperature;
use crate::calibrate::logistic::Logistic;
use crate::calibrate::out_of_scope::{Detector, ScopeEvidence, Signals, signals};
use crate::calibrate::prediction_set::{PredictionSets, Right};
use crate::evaluate::auroc;
use crate::features::{ByLanguage, Known};
use crate::train::late_fusion;
use crate::train::{Progress, Set, TrainOptions};
use crate::version::bundle::{Calibration, largest};
use crate::version::weights::Weights;

/// The fewest routes within scope of which some can be left out: with fewer, the rest says little
/// about an out-of-scope text.
const ROUTES_TO_LEAVE_OUT: usize = 5;

/// Rows from which a fit begins where the one on everything ended: fewer are fitted as quickly from the start.
const MANY: usize = 3000;

/// Held-out margins that a fit keeps, evenly taken: they calibrate a handful of numbers, and those
/// of thousands of routes would fill the memory.
const MOST_MARGINS: usize = 8_000_000;

/// Scores of texts by fits that did not see them.
pub(crate) struct Held {
    /// Scores of the examples that were given, by the fold that left them out.
    inside: Vec<Scored>,
    /// Scores of the examples of routes that a group left out.
    outside: Vec<Scored>,
}

/// A text with its margins.
struct Scored {
    row: u32,
    /// By the words; the encoder's are added once [`Held::mix`] has run.
    margins: Vec<f32>,
    /// By the encoder; empty without one.
    vector: Vec<f32>,
    /// True once the encoder's margins are added.
    mixed: bool,
    evidence: ScopeEvidence,
}

/// The trained weights: of the words, and of the encoder's vectors where there are any.
pub(crate) struct Fits {
    pub(crate) words: Weights,
    pub(crate) vectors: Option<Weights>,
}

enum Job {
    Fold(u32),
    Group(u32),
}

enum Outcome {
    Inside(Vec<Scored>),
    Outside(Vec<Scored>),
}

/// Runs all fits of `set`.
pub(crate) fn run(
    set: &Set,
    options: &TrainOptions,
    progress: &mut dyn FnMut(Progress),
) -> (Fits, Held) {
    let plan = Plan::new(set, options);
    let jobs = plan.jobs();
    let total = jobs.len() + 1;
    let rows: Vec<u32> = (0..set.labels.len() as u32).collect();
    let (fits, duals) = plan.fit(&rows, None);
    progress(Progress { done: 1, total });
    let next = AtomicUsize::new(0);
    let mut outcomes: Vec<Option<Outcome>> = jobs.iter().map(|_| None).collect();
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for _ in 0..options.threads.clamp(1, 2) {
            let sender = sender.clone();
            let (jobs, next, plan, duals) = (&jobs, &next, &plan, &duals);
            scope.spawn(move || {
                loop {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    let Some(job) = jobs.get(place) else { return };
                    if sender.send((place, plan.run(job, duals))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        for (done, (place, outcome)) in receiver.into_iter().enumerate() {
            progress(Progress { done: done + 2, total });
            outcomes[place] = Some(outcome);
        }
    });
    let mut held = Held { inside: Vec::new(), outside: Vec::new() };
    for outcome in outcomes.into_iter().flatten() {
        match outcome {
            Outcome::Inside(scored) => held.inside.extend(scored),
            Outcome::Outside(scored) => held.outside.extend(scored),
        }
    }
    (fits, held)
}

/// The plan of which fit leaves out what.
struct Plan<'a> {
    set: &'a Set,
    options: &'a TrainOptions,
    /// The fold of each row that was given.
    folds: Vec<u32>,
    /// The group of each route; `None` for the route of out-of-scope texts.
    groups: Vec<Option<u32>>,
    group_count: usize,
}

impl<'a> Plan<'a> {
    fn new(set: &'a Set, options: &'a TrainOptions) -> Self {
        let routes = set.routes.len();
        let given = ..set.given;
        let (labels, marks) = (&set.labels[given], &set.marks[given]);
        let folds = stratified(labels, marks, routes, options.folds, options.seed);
        let inside = routes - usize::from(set.out_of_scope.is_some());
        let enough = inside >= ROUTES_TO_LEAVE_OUT && options.scope_groups >= 2;
        let group_count = if enough { options.scope_groups.min(inside) } else { 0 };
        let groups = groups(routes, group_count.max(1), options.seed)
            .into_iter()
            .enumerate()
            .map(|(route, group)| (Some(route as u32) != set.out_of_scope).then_some(group))
            .collect();
        Self { set, options, folds, groups, group_count }
    }

    fn jobs(&self) -> Vec<Job> {
        let folds = if self.set.given > 1 { self.options.folds as u32 } else { 0 };
        (0..folds).map(Job::Fold).chain((0..self.group_count as u32).map(Job::Group)).collect()
    }

    fn run(&self, job: &Job, all: &Duals) -> Outcome {
        match job {
            Job::Fold(fold) => {
                let of = |row: usize| self.set.origins[row] as usize;
                Outcome::Inside(self.leave_out(all, |row| self.folds.get(of(row)) == Some(fold)))
            }
            Job::Group(group) => {
                let of = |row: usize| self.groups[self.set.labels[row] as usize];
                Outcome::Outside(self.leave_out(all, |row| of(row) == Some(*group)))
            }
        }
    }

    fn fit(&self, rows: &[u32], all: Option<&Duals>) -> (Fits, Duals) {
        let set = self.set;
        let buckets = set.features.config.buckets();
        let mut problem = set.problem(&set.matrix, buckets, self.options);
        problem.rows = rows;
        let (words, duals) = fit_from(&problem, all);
        let vectors = set.vectors.as_ref().map(|matrix| {
            let mut problem = Problem { rows, ..set.problem(matrix, set.dimensions, self.options) };
            let mut weights = softmax::fit(&problem);
            if !set.tools.is_empty() {
                problem.trained = [false, true];
                weights.take_columns(&fit(&problem), problem.split);
            }
            weights
        });
        (Fits { words, vectors }, duals)
    }

    /// Fits without the rows that are `held` and scores those of them that were given.
    /// `all` are the dual variables of the fit on everything.
    fn leave_out(&self, all: &Duals, held: impl Fn(usize) -> bool) -> Vec<Scored> {
        let set = self.set;
        let rows: Vec<u32> =
            (0..set.labels.len()).filter(|row| !held(*row)).map(|row| row as u32).collect();
        let (fits, _) = self.fit(&rows, Some(all).filter(|_| rows.len() >= MANY));
        let mut known = Known::new();
        // What only slipped is known to nobody.
        for row in rows.iter().filter(|row| (**row as usize) < set.copies) {
            known.insert(&set.grams[*row as usize]);
        }
        let mut margins = vec![0.0; fits.words.stride];
        let held: Vec<usize> = (0..set.given).filter(|row| held(*row)).collect();
        let step = (held.len() * set.classes()).div_ceil(MOST_MARGINS).max(1);
        let (routes, classes) = (set.routes.len(), set.classes());
        let outside = set.out_of_scope.map(|at| at as usize);
        held.into_iter()
            .step_by(step)
            .map(|row| {
                fits.words.margins(set.matrix.row(row), &mut margins);
                let words = margins[..classes].to_vec();
                let vector = match (&fits.vectors, &set.vectors) {
                    (Some(weights), Some(matrix)) => {
                        weights.margins(matrix.row(row), &mut margins);
                        margins[..classes].to_vec()
                    }
                    _ => Vec::new(),
                };
                let evidence = ScopeEvidence {
                    known: known.shares(&set.grams[row]),
                    words: largest(&words[..routes], outside),
                    vector: (!vector.is_empty()).then(|| largest(&vector[..routes], outside)),
                };
                Scored { row: row as u32, margins: words, vector, mixed: false, evidence }
            })
            .collect()
    }
}

impl Held {
    /// Fits how much the encoder counts, and adds its margins to those of the words.
    pub(crate) fn mix(&mut self, set: &Set) -> ByLanguage {
        let routes = set.routes.len();
        let language = |row: u32| set.languages[row as usize].as_deref();
        let rows: Vec<late_fusion::Held> = self
            .inside
            .iter()
            .filter(|scored| !scored.vector.is_empty())
            .map(|scored| late_fusion::Held {
                language: language(scored.row),
                words: &scored.margins[..routes],
                encoder: &scored.vector[..routes],
                label: set.labels[scored.row as usize],
            })
            .collect();
        if rows.is_empty() {
            return ByLanguage::all(1.0);
        }
        let shares = late_fusion::fit(&rows);
        for scored in self.inside.iter_mut().chain(&mut self.outside) {
            let share = shares.get(language(scored.row));
            for (margin, other) in scored.margins.iter_mut().zip(&scored.vector) {
                *margin += share * other;
            }
            scored.mixed = true;
        }
        shares
    }

    /// Fits the calibration that makes the margins, as they are now, into probabilities; also
    /// returns how well scope is told.
    pub(crate) fn calibrate(&self, set: &Set, coverage: f32) -> (Calibration, Option<f64>) {
        let temperature = self.temperature(set);
        let tools = self.tool_calibrators(set);
        let (detector, auroc) = self.detector(set);
        let mut counts = vec![0; set.routes.len()];
        set.labels[..set.given].iter().for_each(|label| counts[*label as usize] += 1);
        let right: Vec<Right> =
            self.inside.iter().map(|scored| scored.right(set, temperature, &tools)).collect();
        let choices = PredictionSets::fit(&right, &counts, coverage);
        (Calibration { temperature, tools, detector, choices }, auroc)
    }

    /// The temperature that fits the held-out examples.
    fn temperature(&self, set: &Set) -> Temperature {
        let routes = set.routes.len();
        let margins: Vec<f32> =
            self.inside.iter().flat_map(|s| &s.margins[..routes]).copied().collect();
        let labels: Vec<u32> = self.inside.iter().map(|s| set.labels[s.row as usize]).collect();
        Temperature::fit(&margins, routes, &labels)
    }

    /// Confidence in the first route, and whether it is right, of each held-out example.
    pub(crate) fn confidences(&self, set: &Set, temperature: Temperature) -> Vec<(f32, bool)> {
        let confidence = |scored: &Scored| {
            let mut routes = scored.margins[..set.routes.len()].to_vec();
            temperature.apply(&mut routes);
            let best = routes.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
            best.map(|(at, p)| (*p, at as u32 == set.labels[scored.row as usize]))
        };
        self.inside.iter().filter_map(confidence).collect()
    }

    /// For each tool, the share of its held-out examples whose likeliest tool it is; 0 if it has fewer than there are `folds`, because
    /// a few say nothing of the next one.
    pub(crate) fn found(&self, set: &Set, tools: &[Logistic], folds: usize) -> Vec<f32> {
        let routes = set.routes.len();
        let mut counts = vec![(0u32, 0u32); tools.len()];
        for scored in &self.inside {
            let probability =
                |tool: usize| tools[tool].probability(&[scored.margins[routes + tool]]);
            let own = &set.targets[scored.row as usize].positive;
            for tool in own.iter().filter_map(|class| (*class as usize).checked_sub(routes)) {
                // Heads that know nothing say the same.
                let others = (0..tools.len()).filter(|other| *other != tool);
                let is_found = others.map(probability).all(|other| other < probability(tool));
                counts[tool].0 += u32::from(is_found);
                counts[tool].1 += 1;
            }
        }
        let share = |(found, all): (u32, u32)| match all as usize {
            few if few < folds => 0.0,
            _ => found as f32 / all as f32,
        };
        counts.into_iter().map(share).collect()
    }

    /// One calibrator a tool.
    fn tool_calibrators(&self, set: &Set) -> Vec<Logistic> {
        (set.routes.len()..set.classes())
            .map(|class| {
                let margins: Vec<f32> = self.inside.iter().map(|s| s.margins[class]).collect();
                let targets = self.inside.iter().map(|s| &set.targets[s.row as usize]);
                let truth: Vec<bool> =
                    targets.clone().map(|t| t.positive.contains(&(class as u32))).collect();
                let weights: Vec<f32> = targets.map(|t| t.weights[1]).collect();
                Logistic::fit(&margins, 1, &truth, &weights)
            })
            .collect()
    }

    /// Returns the out-of-scope detector, and how well it orders the held-out texts.
    fn detector(&self, set: &Set) -> (Detector, Option<f64>) {
        let (mut inside, mut outside) = (Vec::new(), Vec::new());
        for scored in &self.inside {
            let is_outside = Some(set.labels[scored.row as usize]) == set.out_of_scope;
            let signals = scored.signals(set);
            if is_outside { outside.push(signals) } else { inside.push(signals) }
        }
        for scored in &self.outside {
            outside.push(scored.signals(set));
        }
        let detector = Detector::fit(&inside, &outside);
        let scores = |side: &[Signals]| -> Vec<f32> {
            side.iter().map(|signals| detector.in_scope(signals)).collect()
        };
        let auroc = auroc(&scores(&inside), &scores(&outside));
        (detector, auroc)
    }
}

impl Scored {
    /// The probability of the right route, and of the least likely of the right tools on it.
    fn right(&self, set: &Set, temperature: Temperature, tools: &[Logistic]) -> Right {
        let routes = set.routes.len();
        let route = set.labels[self.row as usize];
        let mut probabilities = self.margins[..routes].to_vec();
        temperature.apply(&mut probabilities);
        let wanted = set.targets[self.row as usize].positive.iter().map(|class| *class as usize);
        let of_tools = wanted.filter(|class| *class >= routes);
        let least = of_tools
            .map(|class| tools[class - routes].probability(&[self.margins[class]]))
            .fold(1.0, f32::min);
        Right { route, probability: probabilities[route as usize] * least }
    }

    fn signals(&self, set: &Set) -> Signals {
        let outside = set.out_of_scope.map(|at| at as usize);
        let mixed = largest(&self.margins[..set.routes.len()], outside);
        // Before the fusion the vector takes no part.
        let vector = self.evidence.vector.filter(|_| self.mixed);
        signals(mixed, &ScopeEvidence { vector, ..self.evidence })
    }
}

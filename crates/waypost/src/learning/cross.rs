//! Runs the fits of one training and keeps the scores of what each fit did not see.
//!
//! The jobs are one fit on everything, one per fold without its examples, and one per group of
//! routes without their examples. Each job is a function of the set alone, so threads change
//! nothing but the time.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use super::bundle::within;
use super::calibrate::Temperature;
use super::evaluate::auroc;
use super::features::Known;
use super::folds::{groups, stratified};
use super::linear::{Problem, Weights, fit};
use super::logistic::Logistic;
use super::oos::{Detector, Signals, signals};
use super::train::{Options, Progress, Set};

/// Routes within scope that leaving some out needs at least: with fewer, what is left says little
/// about a text that belongs nowhere.
const ROUTES_TO_LEAVE_OUT: usize = 5;

/// Scores of texts by fits that did not see them.
pub(crate) struct Held {
    /// Of the examples that were given, by the fold that left them out.
    inside: Vec<Scored>,
    /// Of the examples of routes that a group left out.
    outside: Vec<Scored>,
}

/// A text and its margins.
struct Scored {
    row: u32,
    margins: Vec<f32>,
    known: [f32; 2],
}

enum Job {
    Everything,
    Fold(u32),
    Group(u32),
}

enum Outcome {
    Weights(Weights),
    Inside(Vec<Scored>),
    Outside(Vec<Scored>),
}

/// Runs all fits of `set`.
pub(crate) fn run(
    set: &Set,
    options: &Options,
    progress: &mut dyn FnMut(Progress),
) -> (Weights, Held) {
    let plan = Plan::new(set, options);
    let jobs = plan.jobs();
    let next = AtomicUsize::new(0);
    let mut outcomes: Vec<Option<Outcome>> = jobs.iter().map(|_| None).collect();
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for _ in 0..options.threads.clamp(1, 2) {
            let sender = sender.clone();
            let (jobs, next, plan) = (&jobs, &next, &plan);
            scope.spawn(move || {
                while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let place = jobs.iter().position(|j| std::ptr::eq(j, job));
                    if sender.send((place, plan.run(job))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        for (done, (place, outcome)) in receiver.into_iter().enumerate() {
            progress(Progress { done: done + 1, total: jobs.len() });
            if let Some(slot) = place.and_then(|place| outcomes.get_mut(place)) {
                *slot = Some(outcome);
            }
        }
    });
    let mut held = Held { inside: Vec::new(), outside: Vec::new() };
    let mut weights = None;
    for outcome in outcomes.into_iter().flatten() {
        match outcome {
            Outcome::Weights(trained) => weights = Some(trained),
            Outcome::Inside(scored) => held.inside.extend(scored),
            Outcome::Outside(scored) => held.outside.extend(scored),
        }
    }
    let weights = weights.unwrap_or_else(|| fit(&plan.problem(&[])));
    (weights, held)
}

/// Who leaves out what.
struct Plan<'a> {
    set: &'a Set,
    options: &'a Options,
    /// Of each row that was given.
    folds: Vec<u32>,
    /// Of each route; none for the route of what is out of scope.
    groups: Vec<Option<u32>>,
    group_count: usize,
}

impl<'a> Plan<'a> {
    fn new(set: &'a Set, options: &'a Options) -> Self {
        let routes = set.routes.len();
        let folds = stratified(&set.labels[..set.given], routes, options.folds, options.seed);
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

    /// The longest first, so that two threads end together.
    fn jobs(&self) -> Vec<Job> {
        let folds = if self.set.given > 1 { self.options.folds as u32 } else { 0 };
        let mut jobs = vec![Job::Everything];
        jobs.extend((0..folds).map(Job::Fold));
        jobs.extend((0..self.group_count as u32).map(Job::Group));
        jobs
    }

    fn run(&self, job: &Job) -> Outcome {
        match job {
            Job::Everything => {
                let rows: Vec<u32> = (0..self.set.labels.len() as u32).collect();
                Outcome::Weights(fit(&self.problem(&rows)))
            }
            Job::Fold(fold) => {
                Outcome::Inside(self.leave_out(|row| self.folds.get(row) == Some(fold)))
            }
            Job::Group(group) => Outcome::Outside(
                self.leave_out(|row| self.groups[self.set.labels[row] as usize] == Some(*group)),
            ),
        }
    }

    fn problem<'b>(&'b self, rows: &'b [u32]) -> Problem<'b> {
        Problem {
            matrix: &self.set.matrix,
            targets: &self.set.targets,
            rows,
            buckets: self.set.features.config.buckets(),
            classes: self.set.classes(),
            split: self.set.routes.len(),
            c: self.options.c,
            positive_cost: self.options.positive_cost,
            epochs: self.options.epochs,
            seed: self.options.seed,
        }
    }

    /// Fits without the rows that are `held` and scores those of them that were given.
    fn leave_out(&self, held: impl Fn(usize) -> bool) -> Vec<Scored> {
        let rows: Vec<u32> =
            (0..self.set.labels.len()).filter(|row| !held(*row)).map(|row| row as u32).collect();
        let weights = fit(&self.problem(&rows));
        let mut known = Known::new();
        for row in &rows {
            known.insert(&self.set.grams[*row as usize]);
        }
        let mut margins = vec![0.0; weights.stride];
        (0..self.set.given)
            .filter(|row| held(*row))
            .map(|row| {
                weights.margins(self.set.matrix.row(row), &mut margins);
                let margins = margins[..self.set.classes()].to_vec();
                let known = known.shares(&self.set.grams[row]);
                Scored { row: row as u32, margins, known }
            })
            .collect()
    }
}

impl Held {
    /// The temperature that fits the held-out examples.
    pub(crate) fn temperature(&self, set: &Set) -> Temperature {
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

    /// One calibrator a tool.
    pub(crate) fn tool_calibrators(&self, set: &Set) -> Vec<Logistic> {
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

    /// The detector of what is out of scope, and how well it orders what was held out.
    pub(crate) fn detector(&self, set: &Set) -> (Detector, Option<f64>) {
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
    fn signals(&self, set: &Set) -> Signals {
        let mut margins = self.margins[..set.routes.len()].to_vec();
        let inside = within(&mut margins, set.out_of_scope.map(|at| at as usize));
        signals(inside, self.known)
    }
}

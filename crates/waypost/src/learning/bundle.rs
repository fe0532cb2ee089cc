//! The trained student as one value: it scores a text, and goes to and from bytes.
//!
//! Weights are one byte each with a scale per class, a row of classes per bucket, so that a text
//! reads one short row for each of its n-grams. Routes come first in a row, then tools.

use serde::{Deserialize, Serialize};

use super::calibrate::Temperature;
use super::codec;
use super::features::{Config, Entry, Features, Scratch};
use super::linear::{LANES, Weights};
use super::logistic::Logistic;
use super::oos::{Detector, signals};
use crate::Result;

/// Version of the byte format, of the hashes and of the features: one that differs is refused.
pub const VERSION: u32 = 1;

/// What a bundle says about itself besides its numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// Hash of the pack that the examples came from, as the caller gave it; may be empty.
    pub pack: String,
    /// Hash of the examples.
    pub data: String,
    /// The seed of the training.
    pub seed: u64,
    /// How many examples there were, the names of routes left out.
    pub examples: usize,
}

/// What cross-validation on the training examples measured, as fractions between 0 and 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Metrics {
    /// Share of held-out examples whose first route is right.
    pub accuracy: f64,
    /// Expected calibration error of the held-out examples.
    pub ece: f64,
    /// Largest share of held-out examples that can be answered with 99% of them right.
    pub coverage_at_99: f64,
    /// How well `in_scope` tells held-out examples from those of routes left out; `None` if no
    /// route could be left out and none is labelled out of scope.
    pub auroc_oos: Option<f64>,
}

/// Everything of a bundle that is stored as JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Head {
    pub(crate) config: Config,
    pub(crate) routes: Vec<String>,
    pub(crate) tools: Vec<String>,
    pub(crate) temperature: Temperature,
    /// One a tool, over its margin.
    pub(crate) tool_calibrators: Vec<Logistic>,
    pub(crate) detector: Detector,
    pub(crate) metrics: Metrics,
    pub(crate) origin: Origin,
}

/// A trained student.
#[derive(Debug, Clone, PartialEq)]
pub struct Bundle {
    pub(crate) head: Head,
    pub(crate) features: Features,
    /// One row of [`Bundle::stride`] weights per bucket.
    pub(crate) weights: Vec<i8>,
    /// Per class: what a weight of 1 is worth.
    pub(crate) scales: Vec<f32>,
    /// Per class.
    pub(crate) biases: Vec<f32>,
    out_of_scope: Option<usize>,
    /// Every decision names its bundle; hashing a megabyte for each took longer than deciding.
    id: String,
}

/// What the student makes of one text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scores {
    /// A probability per route, in the order of [`Bundle::routes`]; they sum to 1.
    pub routes: Vec<f32>,
    /// A probability per tool, in the order of [`Bundle::tools`], each on its own.
    pub tools: Vec<f32>,
    /// The probability that the text belongs to any route at all.
    pub in_scope: f32,
}

impl Scores {
    /// The most probable route's index and probability; `None` before the first scoring.
    pub fn best(&self) -> Option<(usize, f32)> {
        let best = self.routes.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
        best.map(|(index, probability)| (index, *probability))
    }
}

impl Bundle {
    /// Joins what was trained; the weights lose at most half a step of 1/127 of their class's
    /// largest.
    pub(crate) fn new(head: Head, features: Features, trained: &Weights) -> Self {
        let classes = head.routes.len() + head.tools.len();
        let buckets = features.config.buckets();
        let mut scales = vec![0.0f32; trained.stride];
        for row in trained.rows[..buckets * trained.stride].chunks_exact(trained.stride) {
            for (scale, weight) in scales.iter_mut().zip(row) {
                *scale = scale.max(weight.abs() / 127.0);
            }
        }
        scales.iter_mut().for_each(|scale| *scale = scale.max(f32::MIN_POSITIVE));
        let weights = trained.rows[..buckets * trained.stride]
            .chunks_exact(trained.stride)
            .flat_map(|row| row.iter().zip(&scales).map(|(w, scale)| (w / scale).round() as i8))
            .collect();
        scales.truncate(classes);
        let biases = trained.rows[buckets * trained.stride..][..classes].to_vec();
        Self::assemble(head, features, weights, scales, biases)
    }

    pub(crate) fn assemble(
        head: Head,
        features: Features,
        weights: Vec<i8>,
        scales: Vec<f32>,
        biases: Vec<f32>,
    ) -> Self {
        let out_of_scope = head.routes.iter().position(|r| r == super::OUT_OF_SCOPE);
        let id = String::new();
        let mut bundle = Self { head, features, weights, scales, biases, out_of_scope, id };
        bundle.id = format!("{:016x}", codec::checksum(&bundle.to_bytes()));
        bundle
    }

    /// The routes that it tells apart, sorted by name.
    pub fn routes(&self) -> &[String] {
        &self.head.routes
    }

    /// The tools that it says yes or no to, sorted by name.
    pub fn tools(&self) -> &[String] {
        &self.head.tools
    }

    /// What cross-validation measured.
    pub fn metrics(&self) -> &Metrics {
        &self.head.metrics
    }

    /// Where it came from.
    pub fn origin(&self) -> &Origin {
        &self.head.origin
    }

    /// The features it looks at.
    pub fn features(&self) -> &Features {
        &self.features
    }

    /// Scores `text`, which is NFKC and lower case ([`crate::text::Text::normalized`]).
    pub fn score(&self, text: &str, scratch: &mut Scratch) -> Scores {
        let mut scores = Scores::default();
        self.score_into(text, scratch, &mut scores);
        scores
    }

    /// Like [`Bundle::score`], into buffers that are used again: no allocation once they are large
    /// enough.
    pub fn score_into(&self, text: &str, scratch: &mut Scratch, scores: &mut Scores) {
        self.features.extract(text, scratch);
        let mut margins = std::mem::take(&mut scratch.margins);
        self.margins(scratch.entries(), &mut margins);
        let routes = self.head.routes.len();
        let classes = routes + self.head.tools.len();
        scores.routes.clear();
        scores.routes.extend_from_slice(&margins[..routes]);
        scores.tools.clear();
        let tools = margins[routes..classes].iter().zip(&self.head.tool_calibrators);
        scores.tools.extend(tools.map(|(margin, platt)| platt.probability(&[*margin])));
        self.head.temperature.apply(&mut scores.routes);
        let known = self.features.known(scratch);
        let inside = within(&mut margins[..routes], self.out_of_scope);
        scores.in_scope = self.head.detector.in_scope(&signals(inside, known));
        scratch.margins = margins;
    }

    /// Overwrites `out` with a margin per class and padding.
    fn margins(&self, entries: &[Entry], out: &mut Vec<f32>) {
        let stride = self.stride();
        out.clear();
        out.resize(stride, 0.0);
        let row = |entry: &Entry| &self.weights[entry.bucket as usize * stride..][..stride];
        let mut quads = entries.chunks_exact(4);
        for quad in &mut quads {
            let [a, b, c, d] = [0, 1, 2, 3].map(|i| row(&quad[i]));
            let [va, vb, vc, vd] = [0, 1, 2, 3].map(|i| quad[i].value);
            for ((((out, a), b), c), d) in out.iter_mut().zip(a).zip(b).zip(c).zip(d) {
                *out += va * f32::from(*a)
                    + vb * f32::from(*b)
                    + vc * f32::from(*c)
                    + vd * f32::from(*d);
            }
        }
        for entry in quads.remainder() {
            for (out, weight) in out.iter_mut().zip(row(entry)) {
                *out += entry.value * f32::from(*weight);
            }
        }
        for ((out, scale), bias) in out.iter_mut().zip(&self.scales).zip(&self.biases) {
            *out = *out * scale + bias;
        }
    }

    pub(crate) fn stride(&self) -> usize {
        self.scales.len().next_multiple_of(LANES)
    }

    /// A short hash of the content: the same training gives the same id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The bundle as bytes, the same for the same bundle.
    pub fn to_bytes(&self) -> Vec<u8> {
        codec::encode(self)
    }

    /// The bundle in `bytes`.
    ///
    /// # Errors
    ///
    /// [`crate::Code::InvalidArgument`] for bytes that are no bundle, are damaged, or are of
    /// another version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        codec::decode(bytes)
    }
}

/// The margins of the routes without that at `out_of_scope`; their order may change.
pub(crate) fn within(margins: &mut [f32], out_of_scope: Option<usize>) -> &[f32] {
    match out_of_scope {
        Some(at) => {
            let last = margins.len() - 1;
            margins.swap(at, last);
            &margins[..last]
        }
        None => margins,
    }
}

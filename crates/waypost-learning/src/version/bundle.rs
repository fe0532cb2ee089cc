//! The trained student as one value: it scores a text, and goes to and from bytes.
//!
//! One set of weights reads the words, another, where an encoder is configured, the encoder's
//! vector; their margins are mixed. Routes come first in a row of classes, then tools.

use serde::{Deserialize, Serialize};
use waypost_core::Result;

use super::codec;
use crate::bytes::checksum;
use crate::calibrate::Temperature;
use crate::calibrate::logistic::Logistic;
use crate::calibrate::out_of_scope::{Detector, ScopeEvidence, signals};
use crate::calibrate::prediction_set::PredictionSets;
use crate::calibrate::threshold::Threshold;
use crate::features::{ByLanguage, FeatureConfig, Features, Input, Scratch};
use crate::version::weights::{PackedWeights, dense};

/// Version of the byte format, of the hashes and of the features: one that differs is refused.
pub const VERSION: u32 = 3;

/// The origin of a bundle: its data, seed and examples.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainingOrigin {
    /// Hash of the pack that the examples came from, as the caller gave it; may be empty.
    pub pack: String,
    /// Hash of the examples.
    pub data: String,
    /// The seed of the training.
    pub seed: u64,
    /// The number of examples, the names of routes left out.
    pub examples: usize,
}

/// The metrics that cross-validation on the training examples measured, as fractions between 0 and
/// 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Metrics {
    /// Share of held-out examples whose first route is right.
    pub accuracy: f64,
    /// Expected calibration error of the held-out examples.
    pub ece: f64,
    /// Largest share of held-out examples that can be answered with 99% of them right.
    pub coverage_at_99: f64,
    /// The area under the ROC curve by which `in_scope` tells held-out examples from those of
    /// routes left out; `None` if no route could be left out and none is labelled out of scope.
    pub auroc_oos: Option<f64>,
}

/// The encoder that a bundle was trained with, and how much it counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EncoderHead {
    /// As [`waypost_core::ports::encoder::Encoder::id`] gives it.
    pub id: String,
    /// Numbers of a vector.
    pub dimensions: usize,
    /// The factor of its margins before they are added to those of the words.
    pub share: ByLanguage,
}

/// The calibration that makes margins into probabilities.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Calibration {
    pub(crate) temperature: Temperature,
    /// One a tool, over its margin.
    pub(crate) tools: Vec<Logistic>,
    pub(crate) detector: Detector,
    pub(crate) choices: PredictionSets,
}

/// Everything of a bundle that is stored as JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Head {
    pub(crate) config: FeatureConfig,
    /// The static table of the features, by its id.
    pub(crate) table: Option<String>,
    /// Bytes of the table at the end of the bundle; 0 where it is the one that is compiled in.
    pub(crate) table_bytes: usize,
    pub(crate) table_length: ByLanguage,
    pub(crate) encoder: Option<EncoderHead>,
    pub(crate) routes: Vec<String>,
    pub(crate) tools: Vec<String>,
    pub(crate) calibration: Calibration,
    /// The calibration for texts without a vector, where the bundle was trained with an encoder.
    pub(crate) alone: Option<Calibration>,
    pub(crate) metrics: Metrics,
    /// The words of its examples with the number of times that each stands there, where slips are corrected.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) vocabulary: Vec<(String, u32)>,
    /// The threshold, left out where nobody set one, so that such bundles are the same as those of
    /// programs that knew none.
    #[serde(rename = "bar", default, skip_serializing_if = "Option::is_none")]
    pub(crate) threshold: Option<Threshold>,
    /// For each tool, how far it is to be believed; empty where it alone chooses tools.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) trust: Vec<f32>,
    pub(crate) origin: TrainingOrigin,
    /// Bytes of the bundle of answers at the very end; 0 where there is none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) answers_bytes: usize,
}

/// Left out where it is 0, so that bundles without answers are the same as those of programs that knew none.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_zero(bytes: &usize) -> bool {
    *bytes == 0
}

/// A trained student.
#[derive(Debug, Clone, PartialEq)]
pub struct Bundle {
    pub(crate) head: Head,
    pub(crate) features: Features,
    pub(crate) words: PackedWeights,
    pub(crate) vectors: Option<PackedWeights>,
    /// What tells the values that answers mean.
    pub(crate) answers: Option<Box<Bundle>>,
    out_of_scope: Option<usize>,
    /// Every decision names its bundle; hashing a megabyte for each took longer than deciding.
    id: String,
}

/// The probabilities that the student gives for one text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scores {
    /// A probability per route, in the order of [`Bundle::routes`]; they sum to 1.
    pub routes: Vec<f32>,
    /// A probability per tool, in the order of [`Bundle::tools`], each on its own.
    pub tools: Vec<f32>,
    /// The probability that the text belongs to any route at all.
    pub in_scope: f32,
    /// True if the encoder's vector took part.
    pub by_vector: bool,
}

impl Scores {
    /// The most probable route's index and probability; `None` before the first scoring.
    pub fn best(&self) -> Option<(usize, f32)> {
        let best = self.routes.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
        best.map(|(index, probability)| (index, *probability))
    }
}

impl Bundle {
    /// Joins the trained parts. `vectors` is there if and only if `head.encoder` is.
    pub(crate) fn new(
        head: Head,
        features: Features,
        words: PackedWeights,
        vectors: Option<PackedWeights>,
    ) -> Self {
        let mut bundle = Self::decoded(head, features, words, vectors, None, 0);
        bundle.id = bundle.computed_id();
        bundle
    }

    /// Joins the parts that were read from bytes with this checksum, whose hexadecimal digits are the id.
    pub(crate) fn decoded(
        head: Head,
        features: Features,
        words: PackedWeights,
        vectors: Option<PackedWeights>,
        answers: Option<Bundle>,
        checksum: u64,
    ) -> Self {
        let out_of_scope = head.routes.iter().position(|r| r == crate::OUT_OF_SCOPE);
        let (answers, id) = (answers.map(Box::new), format!("{checksum:016x}"));
        Self { head, features, words, vectors, answers, out_of_scope, id }
    }

    fn computed_id(&self) -> String {
        format!("{:016x}", checksum(&self.to_bytes()))
    }

    /// The same student with another one beside it that tells which values answers mean; it is another bundle.
    #[must_use]
    pub fn with_answers(mut self, answers: Option<Bundle>) -> Self {
        self.head.answers_bytes = answers.as_ref().map_or(0, |answers| answers.to_bytes().len());
        self.answers = answers.map(Box::new);
        self.id = self.computed_id();
        self
    }

    /// The student that tells which values answers mean, where one was trained.
    pub fn answers(&self) -> Option<&Bundle> {
        self.answers.as_deref()
    }

    /// The routes that it tells apart, sorted by name.
    pub fn routes(&self) -> &[String] {
        &self.head.routes
    }

    /// The tools that it says yes or no to, sorted by name.
    pub fn tools(&self) -> &[String] {
        &self.head.tools
    }

    /// The share of a tool's examples, from 0 to 1, that it found without having been shown them: so far it is to be believed of the
    /// tool beside other signs. The tool is told by its place among [`Bundle::tools`].
    pub fn trust(&self, tool: usize) -> f32 {
        self.head.trust.get(tool).copied().unwrap_or_default()
    }

    /// The metrics that cross-validation measured.
    pub fn metrics(&self) -> &Metrics {
        &self.head.metrics
    }

    /// The threshold that its confidence must reach; `None` where the pack's policy says so.
    pub fn threshold(&self) -> Option<&Threshold> {
        self.head.threshold.as_ref()
    }

    /// The same student with another threshold, or none; it is another bundle.
    #[must_use]
    pub fn with_threshold(mut self, threshold: Option<Threshold>) -> Self {
        self.head.threshold = threshold;
        self.id = self.computed_id();
        self
    }

    /// The encoder that it was trained with: scoring needs that encoder's vectors.
    pub fn encoder(&self) -> Option<&EncoderHead> {
        self.head.encoder.as_ref()
    }

    /// The origin of the bundle.
    pub fn origin(&self) -> &TrainingOrigin {
        &self.head.origin
    }

    /// The features it looks at.
    pub fn features(&self) -> &Features {
        &self.features
    }

    /// Scores a text.
    pub fn score<'a>(&self, input: impl Into<Input<'a>>, scratch: &mut Scratch) -> Scores {
        let mut scores = Scores::default();
        self.score_into(input, scratch, &mut scores);
        scores
    }

    /// Like [`Bundle::score`], into buffers that are used again: no allocation once they are large
    /// enough.
    pub fn score_into<'a>(
        &self,
        input: impl Into<Input<'a>>,
        scratch: &mut Scratch,
        scores: &mut Scores,
    ) {
        let input = input.into();
        self.features.extract(input, scratch);
        let mut margins = std::mem::take(&mut scratch.margins);
        self.words.margins(scratch.entries(), &mut margins);
        let routes = self.head.routes.len();
        let classes = routes + self.head.tools.len();
        let mut evidence = ScopeEvidence {
            known: self.features.known(scratch),
            words: largest(&margins[..routes], self.out_of_scope),
            vector: None,
        };
        if let (Some(head), Some(weights), Some(vector)) =
            (&self.head.encoder, &self.vectors, input.vector)
            && vector.len() == head.dimensions
        {
            dense(vector, &mut scratch.dense);
            weights.margins(&scratch.dense, &mut scratch.vector_margins);
            evidence.vector = Some(largest(&scratch.vector_margins[..routes], self.out_of_scope));
            let share = head.share.get(input.language);
            for (margin, other) in margins.iter_mut().zip(&scratch.vector_margins) {
                *margin += share * other;
            }
        }
        scores.by_vector = evidence.vector.is_some();
        let calibration = self.calibration(scores.by_vector);
        scores.routes.clear();
        scores.routes.extend_from_slice(&margins[..routes]);
        scores.tools.clear();
        let tools = margins[routes..classes].iter().zip(&calibration.tools);
        scores.tools.extend(tools.map(|(margin, platt)| platt.probability(&[*margin])));
        calibration.temperature.apply(&mut scores.routes);
        let mixed = largest(&margins[..routes], self.out_of_scope);
        scores.in_scope = calibration.detector.in_scope(&signals(mixed, &evidence));
        scratch.margins = margins;
    }

    fn calibration(&self, by_vector: bool) -> &Calibration {
        match &self.head.alone {
            Some(alone) if !by_vector => alone,
            _ => &self.head.calibration,
        }
    }

    /// Returns the floors of the prediction set for `scores` of this bundle.
    pub fn choices(&self, scores: &Scores) -> &PredictionSets {
        &self.calibration(scores.by_vector).choices
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
    /// [`waypost_core::Code::InvalidArgument`] for bytes that are no bundle, are damaged, or are of
    /// another version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        codec::decode(bytes)
    }
}

/// The largest of the routes' margins, that at `out_of_scope` left out.
pub(crate) fn largest(margins: &[f32], out_of_scope: Option<usize>) -> f32 {
    let inside = margins.iter().enumerate().filter(|(at, _)| Some(*at) != out_of_scope);
    inside.map(|(_, margin)| *margin).fold(f32::NEG_INFINITY, f32::max)
}

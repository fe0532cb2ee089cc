//! The student: the features of a text, training and calibration, and the metrics that measure it.
//!
//! [`train`](train::train) turns labeled texts into a [`Bundle`], one version of the student. A
//! bundle scores a text in microseconds and can be written as bytes. Nothing here decides: the
//! cascade of the crate `waypost` compares a confidence with a threshold.
//!
//! A training goes through the modules in this order:
//!
//! 1. [`data`] says which labels count ([`data::curate`]) and whether texts can teach what they say.
//! 2. [`features`] turns a text into numbers: hashed n-grams, marks of values, a static table.
//! 3. [`mod@train`] fits the heads. The same examples, options and seed give the same bytes.
//! 4. [`calibrate`] turns scores into probabilities that can be believed: a temperature, out-of-scope
//!    detection, the conformal prediction set, and the threshold from which the student decides alone.
//! 5. [`version`] is the result: the [`Bundle`] and its bytes.
//! 6. [`evaluate`] measures versions and compares two of them.
//! 7. [`promotion`] says whether a challenger may serve: only if no route got worse.
//! 8. [`drift`] tells when traffic is no longer like the first requests that a version served.
//!
//! The crate `waypost` adds what a pack needs: `student::heads` makes its examples into labeled texts,
//! and `student::examination` asks the questions of a comparison.

mod bytes;
mod parallel;
mod random;

pub mod features;

mod neighbors;

pub mod calibrate;

pub mod version;

pub mod evaluate;

pub mod train;

pub mod promotion;

pub mod data;

pub mod drift;

pub use features::ngrams::unmasked;
pub use features::static_table::StaticTable;
pub use features::wordpiece::Cut;
pub use features::{Input, Scratch};
pub use neighbors::Neighbors;
pub use parallel::{both, in_halves};
pub use train::slips::slipped;
pub use train::{Labelled, OUT_OF_SCOPE, Progress, TrainOptions, train};
pub use version::bundle::{Bundle, Scores};

#[cfg(test)]
mod tests;

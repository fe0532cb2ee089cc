//! The student: what it sees in a text, how it is trained and calibrated, and how it is measured.
//!
//! [`train`](train::train) turns labelled texts into a [`Bundle`], one version of the student; the
//! bundle scores a text in microseconds and goes to and from bytes. Nothing here decides: thresholds
//! are held against a confidence in the cascade.
//!
//! In the order of a training: [`data`] says which labels count, [`features`] turns a text into
//! numbers, [`mod@train`] fits the heads, [`calibrate`] makes scores into probabilities, [`version`]
//! keeps the result, [`evaluate`] measures and compares versions, [`promotion`] says
//! whether one may serve, and [`drift`] tells when traffic is
//! no longer what a version was measured on.

mod bytes;
mod random;

pub mod features;

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
pub use train::{Labelled, OUT_OF_SCOPE, Progress, TrainOptions, train};
pub use version::bundle::{Bundle, Scores};

#[cfg(test)]
mod tests;

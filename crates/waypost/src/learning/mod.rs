//! The student: what it sees in a text, how it is trained and calibrated, and how it is measured.
//!
//! [`train::train`] turns labelled texts into a [`bundle::Bundle`]; the bundle scores a text in
//! microseconds and goes to and from bytes. Nothing here decides: the bar that a bundle carries is held
//! against a confidence in the cascade.

pub mod bar;
pub mod bundle;
pub mod calibrate;
pub mod choices;
mod codec;
pub mod compare;
pub mod confusion;
mod cross;
pub mod curate;
pub mod distill;
pub mod drift;
pub mod evaluate;
pub mod explain;
pub mod features;
mod folds;
mod lengths;
pub mod linear;
pub mod logistic;
mod mixture;
pub mod oos;
mod order;
mod pca;
mod pieces;
mod random;
mod separators;
mod softmax;
pub mod sound;
pub mod table;
pub mod tokens;
pub mod train;

pub use bundle::{Bundle, Scores};
pub use features::{Input, Scratch};
pub use pieces::Cut;
pub use table::StaticTable;
pub use tokens::unmasked;
pub use train::{Labelled, OUT_OF_SCOPE, Options, Progress, train};

#[cfg(test)]
mod tests;

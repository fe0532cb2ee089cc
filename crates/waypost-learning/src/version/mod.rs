//! One stored training of the student: its value, its weights and its bytes.

pub mod bundle;
pub(crate) mod codec;
pub(crate) mod weights;

//! The outside as traits, with the duties of those who implement them. Implementations live
//! in `waypost-backends` and in the programs that embed the library.

pub mod clock;
pub mod encoder;
pub mod model;
pub mod retrieval;
pub mod runs;
pub mod store;
pub mod tombstones;
pub mod tools;
pub mod turns;
pub mod warmup;
pub mod writes;

//! The outside as traits: what the library expects of whoever implements them. Implementations live
//! in `waypost-backends` and in the programs that embed the library.

pub mod clock;
pub mod encoder;
pub mod model;
pub mod retrieval;
pub mod store;
pub mod tools;
pub mod warmup;

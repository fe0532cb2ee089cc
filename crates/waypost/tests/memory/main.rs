//! What packs may say and what tool servers may send takes a few megabytes at most, counted by the allocator of
//! this test: no clock, no measure of the process.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod count;
mod schemas;
mod templates;

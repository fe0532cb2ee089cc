//! The routing contract of ADR-0008, run against the engine with every set of layers and a model
//! that is anchored on history. Each case says which layers it needs; it then holds whatever others
//! are on.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on must fail")]

mod cases;
mod faults;
mod parts;

#[test]
fn s4_12_s4_14_rc01_a_prefix_decides_and_no_model_is_asked() {
    cases::hold(include_str!("../../../../spec/routing/rc01_prefixes.jsonl"));
}

#[test]
fn s4_2_s4_10_s4_15_rc02_account_data_are_the_platforms_whatever_was_said_before() {
    cases::hold(include_str!("../../../../spec/routing/rc02_signals.jsonl"));
}

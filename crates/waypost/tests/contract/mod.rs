//! The routing contract of ADR-0008, run against the engine with every set of layers and a model
//! that is anchored on history. Each case says which layers it needs; it then holds whatever others
//! are on.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on must fail")]

mod audit;
mod bounds;
mod calls;
mod cases;
mod faults;
mod frozen;
mod lessons;
mod listed;
mod monitor;
pub(crate) mod parts;
mod property;
mod recall;
mod replies;
mod schemas;
mod swap;
mod writing;

#[test]
fn s4_12_s4_14_s4_21_s4_32_rc01_a_prefix_decides_and_no_model_is_asked() {
    cases::hold(include_str!("../../../../spec/routing/rc01_prefixes.jsonl"));
}

#[test]
fn s4_2_s4_10_s4_15_s4_32_rc02_account_data_are_the_platforms_whatever_was_said_before() {
    cases::hold(include_str!("../../../../spec/routing/rc02_signals.jsonl"));
}

#[test]
fn s4_9_s4_11_s4_16_s4_21_rc03_history_resolves_references_and_nothing_else() {
    cases::hold(include_str!("../../../../spec/routing/rc03_history.jsonl"));
}

#[test]
fn s4_4_s4_17_s4_32_rc04_a_route_without_retrieval_looks_nothing_up() {
    cases::hold(include_str!("../../../../spec/routing/rc04_retrieval.jsonl"));
}

#[test]
fn s4_4_s4_18_s4_32_rc05_every_route_is_answered_from_its_slot() {
    cases::hold(include_str!("../../../../spec/routing/rc05_slots.jsonl"));
}

#[test]
fn s4_7_s4_19_rc06_the_model_sees_the_last_six_lines_at_most() {
    cases::hold(include_str!("../../../../spec/routing/rc06_bound.jsonl"));
}

#[test]
fn s4_13_a_rule_of_higher_priority_wins() {
    cases::hold(include_str!("../../../../spec/routing/s4_13_priority.jsonl"));
}

#[test]
fn s4_30_a_route_that_the_caller_declares_asks_no_layer() {
    cases::hold(include_str!("../../../../spec/routing/s4_30_declared_route.jsonl"));
}

//! Makes the turns visible: events, statistics, explanations, drift. Nothing here changes a
//! decision.

pub(crate) mod contract;
pub mod convergence;
pub(crate) mod drift_monitor;
pub(crate) mod events;
pub(crate) mod ledger;
pub(crate) mod meter;
pub(crate) mod shadow;
pub mod statistics;
pub mod why;

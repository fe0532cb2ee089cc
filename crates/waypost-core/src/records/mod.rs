//! The records that enter and leave: requests, decisions, answers, events and sessions.
//!
//! A type that derives `Serialize` here is a promise to users and to stored data; `spec/wire` holds
//! its golden file.

pub mod access;
pub mod approval;
pub mod belief;
pub mod bounds;
pub mod era;
pub mod request;

mod evidence;
mod reason;

pub mod answer;
pub mod content;
pub mod decision;
pub mod image;
pub mod slot;
pub mod usage;

pub mod event;
pub mod label;
pub mod session;

pub mod rollout;
pub mod run;
pub mod write;

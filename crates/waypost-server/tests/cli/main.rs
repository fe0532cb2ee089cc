//! The real program, run as people and programs run it: every test has a home of its own, an empty
//! environment and a deadline.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on must fail"
)]

mod first_answer;
mod support;

mod accelerator;
mod acceptance;
mod bundles;
mod chat;
mod doctor;
#[cfg(feature = "encoder")]
mod encoder;
mod eval;
mod events;
mod features;
mod feedback;
mod finance;
mod first_hour;
mod gates;
mod grafana;
#[cfg(feature = "grpc")]
mod grpc;
mod heard;
mod help;
mod hostile;
mod hostile_network;
mod hosting;
mod http_docs;
mod init;
mod init_model;
mod input;
mod languages;
mod lint;
mod malaria;
mod malaria_model;
mod mcp;
mod model;
#[cfg(unix)]
mod named_sessions;
mod ocean;
mod odd_servers;
mod packs;
#[cfg(feature = "parquet")]
mod parquet_export;
mod pictures;
mod platform;
mod points;
mod prune;
mod readiness;
mod readme;
mod reference;
mod replay;
mod replies;
mod report;
mod requirements;
#[cfg(unix)]
mod resident;
mod returning;
mod rollout;
mod route;
mod runs;
mod schemas;
mod serve;
mod servers;
mod sessions;
mod shared_students;
mod starting_servers;
mod starts;
mod store;
mod students;
#[cfg(feature = "grpc")]
mod surfaces;
#[cfg(feature = "otlp")]
mod telemetry;
#[cfg(unix)]
mod terminal;
mod tools;
mod upstream;
mod why;
// One of the golden files lists encoders.
#[cfg(feature = "encoder")]
mod wire;
mod worded;
mod writes;

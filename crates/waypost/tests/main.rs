//! The library from outside: the routing contract, the gates, and the pack `platform`.

mod agent;
mod contract;
mod gates;
mod lists;
mod noise;
mod plans;
mod platform;
mod sets;

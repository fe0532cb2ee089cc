//! The library from outside: the routing contract, the gates, and the pack `platform`.

mod contract;
mod gates;
mod noise;
mod platform;

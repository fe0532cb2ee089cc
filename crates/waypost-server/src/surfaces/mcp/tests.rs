//! The surface over streams.

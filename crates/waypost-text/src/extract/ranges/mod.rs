//! Stretches of numbers and of amounts. They are found only where somebody asks for them, as they
//! swallow the numbers within.

pub(super) mod amounts;
pub(super) mod bounds;
pub(super) mod interval;

//! Days in the calendars that people keep, and the holidays that are reckoned in them.

pub(super) mod gregorian;
pub(super) mod holiday;

pub(super) mod feast;
mod hindu;
mod lunar;
mod moon;

//! Places and other things with a name or coordinates.

pub(super) mod degrees;

pub(super) mod bbox;
pub(super) mod point;

pub(super) mod gazetteer;
pub(super) mod mentions;
mod typo;

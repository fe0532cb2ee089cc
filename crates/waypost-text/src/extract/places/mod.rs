//! Places and other things with a name or coordinates.

mod angle;
mod marks;

pub(super) mod degrees;
mod legend;

pub(super) mod point;

mod corners;
mod edges;
mod sides;

pub(super) mod bbox;

pub(super) mod gazetteer;
pub(super) mod mentions;
mod typo;

//! Names that programs give: paths, branches, keys, addresses of hosts, time zones. They are looked
//! for only where somebody has an argument for them, as many look like ordinary words.

mod run;

pub(super) mod glob;
pub(super) mod path;

pub(super) mod identifier;
pub(super) mod repository;
pub(super) mod revision;

pub(super) mod ip;
pub(super) mod zone;

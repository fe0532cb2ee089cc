//! Values that are not places or times: numbers and what is counted in them, addresses, answers.

pub(super) mod number;

pub(super) mod money;
pub(super) mod ordinal;
pub(super) mod percentage;
pub(super) mod quantity;
pub(super) mod rate;
pub(super) mod unit;

pub(super) mod email;
pub(super) mod phone;
pub(super) mod url;

pub(super) mod small;

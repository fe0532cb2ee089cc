//! Units of measure and currencies: what the tables of all languages point to.

/// A unit of measure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Measure {
    /// Its code in UCUM; a curly one where UCUM has none.
    pub(crate) code: &'static str,
    pub(crate) dimension: &'static str,
    /// The number of the first units of its dimension that make one of it; 0 where sums make no
    /// sense.
    pub(crate) factor: f64,
    /// The code without its decimal prefix, which is the code itself where there is none.
    pub(crate) base: &'static str,
    /// The number of the unit without its prefix that make one of it.
    pub(crate) multiple: f64,
}

/// A part of a currency's unit that has a name of its own.
#[derive(Debug, PartialEq)]
pub(crate) struct Coin {
    /// Its worth in the currency's unit.
    pub(crate) worth: f64,
    /// The currencies that have it, the likeliest first.
    pub(crate) codes: &'static [&'static str],
}

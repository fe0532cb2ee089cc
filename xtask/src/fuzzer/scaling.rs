//! Judges whether a cost grows faster than its input.

use super::counting::{Cost, count};
use super::recipe::Recipe;
use super::targets::Target;

/// Doubling an input may cost this many times as much: about twice, and some for tables that grow by
/// doubling.
const MOST_GROWTH: f64 = 2.5;
/// Time is not counted but measured, on a machine that does other work.
const MOST_GROWTH_OF_TIME: f64 = 3.0;
/// Below these, in the greatest input, nothing is judged: a start costs something once.
const FEW_STEPS: u64 = 20_000;
const FEW_BYTES: u64 = 1 << 20;
const FEW_REQUESTS: u64 = 20_000;
const FEW_MICROS: u64 = 12_000;

/// A measure that grew too fast, with what it came to at each size.
#[derive(Debug, Clone)]
pub(crate) struct Growth {
    pub(crate) measure: &'static str,
    pub(crate) values: [u64; 3],
}

impl Growth {
    /// The smaller of the two growths, so that one step of a table is no growth.
    pub(crate) fn ratio(&self) -> f64 {
        let [first, second, third] = self.values.map(|value| value.max(1) as f64);
        (second / first).min(third / second)
    }
}

/// The costs of an input at sizes n, 2n and 4n.
pub(crate) fn costs(target: &Target<'_>, recipe: &Recipe, sizes: [usize; 3]) -> [Cost; 3] {
    sizes.map(|size| cost(target, recipe, size))
}

/// The cost of an input of a size.
pub(crate) fn cost(target: &Target<'_>, recipe: &Recipe, size: usize) -> Cost {
    let input = recipe.make(size);
    let cost = count(|| (target.run)(&input));
    Cost { input: input.len() as u64, ..cost }
}

/// All measures of three costs with how they grew.
pub(crate) fn growths(costs: &[Cost; 3]) -> [Growth; 5] {
    let of = |measure, pick: fn(&Cost) -> u64| Growth {
        measure,
        values: [pick(&costs[0]), pick(&costs[1]), pick(&costs[2])],
    };
    [
        of("steps", |cost| cost.steps),
        of("bytes", |cost| cost.bytes),
        of("requests", |cost| cost.requests),
        of("peak", |cost| cost.peak),
        of("time", |cost| cost.micros),
    ]
}

/// The measure that grew too fast, if one did; what is `counted` is the same on every machine.
pub(crate) fn fault(costs: &[Cost; 3], counted: bool) -> Option<Growth> {
    growths(costs).into_iter().filter(|growth| !counted || growth.measure != "time").find(
        |growth| {
            let (few, most) = match growth.measure {
                "steps" => (FEW_STEPS, MOST_GROWTH),
                "requests" => (FEW_REQUESTS, MOST_GROWTH),
                "time" => (FEW_MICROS, MOST_GROWTH_OF_TIME),
                _ => (FEW_BYTES, MOST_GROWTH),
            };
            growth.values[2] >= few && growth.ratio() > most
        },
    )
}

//! The columns that wards have, what they measure, and which way each points for malaria risk.

/// A column.
#[derive(Debug)]
pub(super) struct Column {
    /// Its name in the table and in arguments.
    pub(super) name: &'static str,
    /// Its name for people.
    pub(super) label: &'static str,
    pub(super) unit: &'static str,
    /// The decimals that people read.
    pub(super) decimals: usize,
    pub(super) direction: Direction,
}

/// The direction in which a column points: the meaning of a higher value for the risk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    /// More of it, more risk.
    More,
    /// More of it, less risk.
    Less,
}

use Direction::{Less, More};

/// The columns in the order of `wards.csv`; `tpr` is computed from `tests.csv`.
///
/// The reasons: rain, green and standing water near homes are where mosquitoes breed;
/// warmth speeds the parasite up, and height takes warmth away; fields and wetlands hold puddles,
/// dense towns and well-built houses keep mosquitoes out; positive tests show malaria itself.
pub(super) const COLUMNS: [Column; 9] = [
    column("rainfall", "Rainfall", "mm a year", 0, More),
    column("temperature", "Temperature", "°C, mean of the year", 1, More),
    column("elevation", "Elevation", "m above the sea", 0, Less),
    column("ndvi", "Vegetation (NDVI)", "index from 0 to 1", 2, More),
    column("land_use", "Land use", "% of the land under crops or wetland", 0, More),
    column("population_density", "Population density", "persons per km²", 0, Less),
    column("housing_quality", "Housing quality", "% of houses with finished walls", 0, Less),
    column("distance_to_water", "Distance to water", "km", 1, Less),
    column("tpr", "Test positivity rate", "% of malaria tests", 1, More),
];

/// The number of columns.
pub(super) const COUNT: usize = COLUMNS.len();

/// The place of `tpr`.
pub(super) const TPR: usize = COUNT - 1;

/// The variables of the risk by default: one each for climate, vegetation, houses and water, and
/// the positivity that the step before computed.
pub(super) const DEFAULT_VARIABLES: [&str; 5] =
    ["rainfall", "ndvi", "housing_quality", "distance_to_water", "tpr"];

const fn column(
    name: &'static str,
    label: &'static str,
    unit: &'static str,
    decimals: usize,
    direction: Direction,
) -> Column {
    Column { name, label, unit, decimals, direction }
}

/// The place of a column by its name.
pub(super) fn place(name: &str) -> Option<usize> {
    COLUMNS.iter().position(|column| column.name == name)
}

impl Column {
    /// Returns its label with the unit of its values.
    pub(super) fn measure(&self) -> String {
        format!("{} ({})", self.label, self.unit)
    }
}

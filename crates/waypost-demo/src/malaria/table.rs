//! The wards with their columns, tests and outlines, read from the files beside this one.

use std::collections::HashMap;
use std::str::FromStr;

use super::columns::{COUNT, TPR};
use crate::pack::Failure;

const WARDS: &str = include_str!("wards.csv");
const TESTS: &str = include_str!("tests.csv");
const SHAPES: &str = include_str!("shapes.csv");

/// All wards, by name.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) wards: Vec<Ward>,
    /// The outline of each ward, at its place.
    pub(super) outlines: Vec<Outline>,
}

/// The corners of a ward on the sheet of `shapes.csv`, one after the other.
pub(super) type Outline = Vec<(f64, f64)>;

/// A ward.
#[derive(Debug)]
pub(super) struct Ward {
    /// Its place in the table.
    pub(super) place: usize,
    pub(super) name: &'static str,
    /// The local government area that it is a part of.
    pub(super) lga: &'static str,
    pub(super) population: u32,
    pub(super) urban_percent: f64,
    /// The values of the columns.
    pub(super) values: [f64; COUNT],
    pub(super) tests: Vec<Tests>,
}

/// The tests of one kind in one ward.
#[derive(Debug)]
pub(super) struct Tests {
    /// The facility level, the age group and the test method.
    pub(super) kind: [&'static str; 3],
    pub(super) tested: u32,
    pub(super) positive: u32,
}

impl Table {
    /// Reads the files.
    ///
    /// # Errors
    ///
    /// A fault of the files, which is a fault of this program.
    pub(super) fn read() -> Result<Self, Failure> {
        let mut tests = tests()?;
        let mut shapes = shapes()?;
        let mut table = Self { wards: Vec::new(), outlines: Vec::new() };
        for fields in records(WARDS) {
            let [name, lga, population, urban, columns @ ..] = fields.as_slice() else {
                return Err(broken(&fields));
            };
            let tests = tests.remove(name).unwrap_or_default();
            let rate = rate(tests.iter()).ok_or_else(|| broken(&fields))?;
            let mut values = [0.0; COUNT];
            if columns.len() != TPR {
                return Err(broken(&fields));
            }
            for (value, field) in values.iter_mut().zip(columns) {
                *value = parse(field)?;
            }
            values[TPR] = rate;
            table.outlines.push(shapes.remove(name).ok_or_else(|| broken(&fields))?);
            table.wards.push(Ward {
                place: table.wards.len(),
                name,
                lga,
                population: parse(population)?,
                urban_percent: parse(urban)?,
                values,
                tests,
            });
        }
        Ok(table)
    }

    /// The values of a column, ward by ward.
    pub(super) fn column(&self, place: usize) -> Vec<f64> {
        self.wards.iter().map(|ward| ward.values[place]).collect()
    }
}

/// The share of positive tests in percent; none without tests.
pub(super) fn rate<'a>(tests: impl Iterator<Item = &'a Tests>) -> Option<f64> {
    let (tested, positive) = sums(tests);
    (tested > 0).then(|| f64::from(positive) / f64::from(tested) * 100.0)
}

/// Returns the number of people who were tested, and of those who were positive.
pub(super) fn sums<'a>(tests: impl Iterator<Item = &'a Tests>) -> (u32, u32) {
    tests.fold((0, 0), |(tested, positive), tests| {
        (tested + tests.tested, positive + tests.positive)
    })
}

fn tests() -> Result<HashMap<&'static str, Vec<Tests>>, Failure> {
    let mut all: HashMap<_, Vec<Tests>> = HashMap::new();
    for fields in records(TESTS) {
        let [ward, level, age, method, tested, positive] = fields[..] else {
            return Err(broken(&fields));
        };
        let (tested, positive) = (parse(tested)?, parse(positive)?);
        let kind = [level, age, method];
        all.entry(ward).or_default().push(Tests { kind, tested, positive });
    }
    Ok(all)
}

fn shapes() -> Result<HashMap<&'static str, Outline>, Failure> {
    let mut all = HashMap::new();
    for line in lines(SHAPES) {
        let (ward, outline) = line.split_once(',').ok_or_else(|| broken(&[line]))?;
        let point = |text: &str| {
            let (x, y) = text.split_once(',').ok_or_else(|| broken(&[text]))?;
            Ok((parse(x)?, parse(y)?))
        };
        all.insert(ward, outline.split(' ').map(point).collect::<Result<Outline, Failure>>()?);
    }
    Ok(all)
}

/// The lines of a file without its notes and its heading.
fn lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().filter(|line| !line.starts_with('#')).skip(1)
}

fn records(text: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    lines(text).map(|line| line.split(',').collect())
}

fn parse<T: FromStr>(field: &str) -> Result<T, Failure> {
    field.parse().map_err(|_| broken(&[field]))
}

fn broken(fields: &[&str]) -> Failure {
    Failure::internal(format!("the sample data are broken at `{}`", fields.join(",")))
}

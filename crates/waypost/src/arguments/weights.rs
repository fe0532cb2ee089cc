//! The worth of each feature: a table of numbers that is part of the program.

use std::sync::LazyLock;

static BUILT_IN: LazyLock<Weights> =
    LazyLock::new(|| Weights::read(include_bytes!("../../catalog/arguments.bin")));

/// The number of worths; features share them by chance.
pub(super) const COUNT: usize = 1 << 17;

/// The worth of each feature, in steps.
#[derive(Debug, Clone, Default)]
pub(super) struct Weights {
    /// The worth of a step.
    step: f32,
    steps: Vec<i8>,
}

/// The place of a feature in the table.
pub(super) fn place(feature: u32) -> usize {
    feature as usize % COUNT
}

impl Weights {
    /// Those that are part of the program.
    pub(super) fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// Returns whether nothing was learned yet.
    pub(super) fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Those of worths, rounded to steps.
    pub(super) fn of(worths: &[f32]) -> Self {
        let highest =
            worths.iter().fold(0.0f32, |all, one| all.max(one.abs())).max(f32::MIN_POSITIVE);
        let step = highest / f32::from(i8::MAX);
        Self { step, steps: worths.iter().map(|worth| (worth / step).round() as i8).collect() }
    }

    /// Reads the file: the worth of a step, and the table. A file of another length holds nothing.
    pub(super) fn read(bytes: &[u8]) -> Self {
        let Some((step, steps)) =
            bytes.split_first_chunk::<4>().filter(|(_, steps)| steps.len() == COUNT)
        else {
            return Self::default();
        };
        let steps = steps.iter().map(|step| step.cast_signed()).collect();
        Self { step: f32::from_le_bytes(*step), steps }
    }

    /// Writes the file.
    pub(super) fn write(&self) -> Vec<u8> {
        let steps = self.steps.iter().map(|step| step.cast_unsigned());
        self.step.to_le_bytes().into_iter().chain(steps).collect()
    }

    /// The sum of the worths of features.
    pub(super) fn score(&self, features: &[u32]) -> f32 {
        let steps: i32 =
            features.iter().map(|feature| i32::from(self.steps[place(*feature)])).sum();
        self.step * steps as f32
    }
}

//! What speaks for a value as that of an argument: one table for all kinds of values.

/// The kinds of evidence, each with its name and its weight. A strength of about 1 scales it: less for words that stand apart.
const TABLE: [(Feature, &str, f64); 10] = [
    (Feature::Unit, "its unit", 3.0),
    (Feature::Role, "its role", 3.0),
    (Feature::Inside, "a word of the argument in it", 3.0),
    (Feature::Asked, "the question", 3.0),
    (Feature::Denied, "it is to be left out", 3.0),
    (Feature::Cue, "a word of the argument beside it", 2.0),
    (Feature::Place, "it says where", 2.0),
    (Feature::Part, "its place in an address", 2.0),
    (Feature::Kind, "its kind", 0.5),
    (Feature::Before, "the call before had one", 0.2),
];

/// The least sum at which words speak for an argument.
pub(in crate::decide::slots) const TOLD: f64 = 1.0;

/// A kind of evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Feature {
    /// It counts in the unit of the argument.
    Unit,
    /// The words give it the role that the argument plays.
    Role,
    /// A word of the argument is a part of it: "Louvre Museum".
    Inside,
    /// It answers the question for the argument.
    Asked,
    /// It is to be left out, and the argument says what is.
    Denied,
    /// A word of the argument stands beside it.
    Cue,
    /// It stands behind a word for where something is.
    Place,
    /// Of two places that a comma joins it is the wider or the narrower one.
    Part,
    /// It is of the very kind of the argument, and does not only stand for one.
    Kind,
    /// The call that the turn goes on with has such a value.
    Before,
}

impl Feature {
    /// Returns whether words say it; the call before decides only among those for which no words speak.
    fn is_said(self) -> bool {
        self != Feature::Before
    }

    /// Its place in the table.
    fn row(self) -> usize {
        self as usize
    }
}

/// What speaks for one value as that of one argument.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Features([f64; TABLE.len()]);

impl Features {
    /// The same with a feature of so much strength.
    pub(in crate::decide::slots) fn with(mut self, feature: Feature, strength: f64) -> Self {
        self.0[feature.row()] = strength;
        self
    }

    /// The same with a feature, where it is there.
    pub(in crate::decide::slots) fn with_if(self, feature: Feature, is_there: bool) -> Self {
        if is_there { self.with(feature, 1.0) } else { self }
    }

    fn sum(&self, counts: impl Fn(Feature) -> bool) -> f64 {
        let rows = TABLE.iter().filter(|(feature, ..)| counts(*feature));
        rows.map(|(feature, _, weight)| weight * self.0[feature.row()]).sum()
    }

    /// The sum of all.
    pub(in crate::decide::slots) fn score(&self) -> f64 {
        self.sum(|_| true)
    }

    /// The sum of what words say.
    pub(in crate::decide::slots) fn told(&self) -> f64 {
        self.sum(Feature::is_said)
    }

    /// The features that are there, each in words with what it adds.
    pub(crate) fn named(&self) -> impl Iterator<Item = (&'static str, f64)> + '_ {
        let rows =
            TABLE.iter().map(|(feature, name, weight)| (*name, weight * self.0[feature.row()]));
        rows.filter(|(_, adds)| *adds != 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_feature_has_its_row_and_the_call_before_tells_nothing() {
        for (row, (feature, ..)) in TABLE.iter().enumerate() {
            assert_eq!(feature.row(), row);
        }
        let features = Features::default().with(Feature::Cue, 0.5).with_if(Feature::Before, true);
        assert_eq!((features.told(), features.score()), (1.0, 1.2));
        let named: Vec<_> = features.named().collect();
        assert_eq!(
            named,
            [("a word of the argument beside it", 1.0), ("the call before had one", 0.2)]
        );
    }
}

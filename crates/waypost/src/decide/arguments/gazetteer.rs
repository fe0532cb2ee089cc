//! Values that are names of something: columns of the data, companies.

use super::{Match, Wanted, naming};

pub(super) fn find(wanted: &Wanted<'_>) -> Option<Match> {
    let gazetteer = wanted.annotation.gazetteer.as_ref()?;
    naming::read(wanted, &format!("gazetteer {gazetteer}"), |mention| !mention.typo)
}

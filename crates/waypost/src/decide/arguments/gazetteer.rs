//! Values that are names of something: columns of the data, companies.

use waypost_core::records::decision::By;

use super::{Match, Wanted, naming};

pub(super) fn find(wanted: &Wanted<'_>) -> Option<Match> {
    let gazetteer = wanted.annotation.gazetteer.clone()?;
    naming::read(wanted, By::Gazetteer(gazetteer), |mention| !mention.typo)
}

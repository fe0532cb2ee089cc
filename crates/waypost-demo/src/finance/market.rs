//! The latest day of a group of stocks: what tools about the whole market start from.

use std::collections::HashMap;

use super::listing::{Listing, Listings};
use super::money::{change, dollars, percent};
use super::series::{self, Bar};
use crate::pack::{Context, Failure};

/// A stock with its prices.
pub(super) struct Course<'a> {
    pub(super) listing: &'a Listing,
    pub(super) bars: Vec<Bar>,
    /// Its last day.
    pub(super) last: Bar,
    /// The change of that day in percent.
    pub(super) moved: f64,
}

/// The courses of the companies that are traded in the United States.
///
/// # Errors
///
/// Where there are no prices yet.
pub(super) fn american<'a>(
    listings: &'a Listings,
    context: &Context,
) -> Result<Vec<Course<'a>>, Failure> {
    courses(listings.american(), context.today)
}

/// The courses of some listings up to a day.
///
/// # Errors
///
/// As [`american`].
pub(super) fn courses<'a>(
    listings: impl Iterator<Item = &'a Listing>,
    until: jiff::civil::Date,
) -> Result<Vec<Course<'a>>, Failure> {
    let course = |listing: &'a Listing| {
        let bars = series::until(listing, until)?;
        let (last, before) = series::latest(&bars)?;
        Ok(Course { listing, bars, last, moved: change(before, last.close) })
    };
    listings.map(course).collect()
}

impl Course<'_> {
    /// What all shares are worth, in US dollars.
    pub(super) fn size(&self) -> f64 {
        dollars(self.listing, self.last.close * self.listing.shares)
    }
}

/// The stocks of a sector or an industry.
pub(super) struct Group<'a> {
    pub(super) name: &'static str,
    pub(super) courses: Vec<&'a Course<'a>>,
}

impl Group<'_> {
    /// The mean of a change in percent, large companies weighing more.
    pub(super) fn mean(&self, change: impl Fn(&Course<'_>) -> f64) -> f64 {
        let moved = self.courses.iter().map(|course| course.size() * change(course)).sum::<f64>();
        percent(moved, self.size()) / 100.0
    }

    /// What all of it is worth, in US dollars.
    pub(super) fn size(&self) -> f64 {
        self.courses.iter().map(|course| course.size()).sum()
    }

    /// Its largest company.
    pub(super) fn leader(&self) -> &'static str {
        let largest = self.courses.iter().max_by(|one, other| one.size().total_cmp(&other.size()));
        largest.map_or("", |course| course.listing.symbol)
    }
}

/// The stocks by a name that each has, the group that rose most first.
pub(super) fn groups<'a>(
    courses: &'a [Course<'a>],
    name: impl Fn(&Listing) -> &'static str,
) -> Vec<Group<'a>> {
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut groups: Vec<Group<'a>> = Vec::new();
    for course in courses {
        let name = name(course.listing);
        let place = *places.entry(name).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.courses.push(course),
            None => groups.push(Group { name, courses: vec![course] }),
        }
    }
    let moved = |group: &Group<'_>| group.mean(|course| course.moved);
    groups.sort_by(|one, other| moved(other).total_cmp(&moved(one)));
    groups
}

/// The mood of a share of things that rose, in percent.
pub(super) fn mood(risen: f64) -> &'static str {
    match risen {
        most if most >= 60.0 => "bullish",
        few if few <= 40.0 => "bearish",
        _ => "neutral",
    }
}

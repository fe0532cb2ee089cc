//! Tells of a token which kinds of value can begin with it, so that most rules need not be tried.

use super::sentence::Sense;
use super::term::Term;
use super::token::{Shape, Tokens};

/// The kinds of value that can begin with a token: asked once, as most tokens of a sentence begin
/// neither.
#[derive(Debug, Clone, Copy)]
pub(super) struct Begins {
    pub(super) number: bool,
    pub(super) time: bool,
    /// A time by a word that is no number.
    pub(super) name: bool,
}

impl Begins {
    pub(super) fn of(tokens: &Tokens<'_>, at: usize, senses: &[Sense]) -> Self {
        let shape = |at: usize| tokens.get(at).map(|token| token.shape);
        let digits = shape(at) == Some(Shape::Digits);
        let is_sign = |set: &str| {
            shape(at) == Some(Shape::Symbol) && tokens.text(at).chars().all(|c| set.contains(c))
        };
        let of_year = is_sign(APOSTROPHES) && shape(at + 1) == Some(Shape::Digits);
        let says = |fits: fn(Term) -> bool| senses.iter().any(|sense| fits(sense.term));
        Self {
            number: digits || is_sign(SIGNS) || says(is_of_number),
            time: digits || is_sign(SIGNS_OF_TIME) || of_year || says(may_be_of_time),
            name: says(|term| may_be_of_time(term) && !is_of_number(term)),
        }
    }
}

/// Signs that a number can begin with, where the tables have no word for them.
const SIGNS: &str = "+-−.,";

/// Signs that a time can begin with: those of numbers, and some of its own.
const SIGNS_OF_TIME: &str = "+-−.,~/(–—〜～";

/// Signs that stand before the year of '98.
const APOSTROPHES: &str = "'’";

/// Returns whether a number can begin with a word of this meaning.
fn is_of_number(term: Term) -> bool {
    matches!(
        term,
        Term::Number(_)
            | Term::SoftNumber(_)
            | Term::One
            | Term::Scale(_)
            | Term::Half
            | Term::Minus
            | Term::Odd
            | Term::Ordinal(_)
            | Term::OrdinalMark
            | Term::OrdinalScale(_)
            | Term::Parts(_)
            | Term::PartsScale(_)
    )
}

/// Returns whether a word says which coordinate, edge or corner something is.
pub(super) fn is_of_coordinate(term: Term) -> bool {
    matches!(term, Term::Hemisphere(_) | Term::Axis(_) | Term::Border(_) | Term::Corner(..))
}

/// Returns whether a time can begin with a word of this meaning; the words of other matters are
/// left out.
pub(super) fn may_be_of_time(term: Term) -> bool {
    !matches!(
        term,
        Term::Yes
            | Term::No
            | Term::Change
            | Term::Joint
            | Term::Done
            | Term::Granted
            | Term::Reference
            | Term::Same
            | Term::Former
            | Term::SamePeriod
            | Term::Noun
            | Term::OrdinalSign
            | Term::LoneOrdinalSign
            | Term::Filler
            | Term::All
            | Term::DayShift(_)
            | Term::Before(_)
            | Term::After(_)
            | Term::Hemisphere(_)
            | Term::Border(_)
            | Term::Corner(..)
            | Term::CornerWord
            | Term::By
            | Term::Axis(_)
            | Term::Coordinates
            | Term::Box
            | Term::Is
            | Term::CountedPoint
            | Term::BeforePoints
            | Term::Percent
            | Term::Measure(_)
            | Term::Sign(_)
            | Term::Counter
            | Term::At
            | Term::In
            | Term::On
            | Term::Of
            | Term::And
            | Term::Or
            | Term::Vague
            | Term::To
            | Term::The
            | Term::From
            | Term::Between
            | Term::For
            | Term::Greeting
            | Term::Plain
            | Term::Tense(_)
            | Term::TodayIs
            | Term::ItIs
            | Term::CurrencySign(_)
            | Term::SpokenAt
            | Term::SpokenDot
            | Term::Numbered
            | Term::LoneNumbered
            | Term::NumberedKind
            | Term::Street
            | Term::Topic
    )
}

/// Symbols that a value can begin with: brackets, quotation marks, signs, the point of .5.
pub(super) const OPENING: &str = "([{【〔“„「『«‘\"'`-+−#@.,";

/// Returns whether a value can begin with a word of this meaning, rather than go on with it.
pub(super) fn begins(term: Term) -> bool {
    !(joins(term) || goes_on_with_time(term) || goes_on_with_amount(term))
}

/// Small words and words of conversation.
fn joins(term: Term) -> bool {
    matches!(
        term,
        Term::Change
            | Term::Reference
            | Term::Same
            | Term::Former
            | Term::SamePeriod
            | Term::Noun
            | Term::Filler
            | Term::Is
            | Term::Of
            | Term::And
            | Term::Or
            | Term::The
            | Term::With
            | Term::PhoneWord
            | Term::Extension
            | Term::SpokenAt
            | Term::SpokenDot
            | Term::After(_)
            | Term::For
            | Term::Greeting
            | Term::Plain
            | Term::Tense(_)
            | Term::TodayIs
            | Term::ItIs
            | Term::To
            | Term::On
            | Term::In
            | Term::At
            | Term::By
            | Term::Coordinates
            | Term::Than
            | Term::But
            | Term::Link
            | Term::CountedPoint
            | Term::BeforePoints
    )
}

/// Returns whether a word of this meaning stands within a time or at its end.
pub(super) fn goes_on_with_time(term: Term) -> bool {
    matches!(
        term,
        Term::TimeSign
            | Term::Turning
            | Term::YearMark
            | Term::MonthMark
            | Term::DayMark
            | Term::Numbered
            | Term::LoneNumbered
            | Term::NumberedKind
            | Term::Street
            | Term::Topic
            | Term::Ago
            | Term::Later
            | Term::Onward
            | Term::HourMark
            | Term::HourSign
            | Term::MinuteMark
            | Term::SecondMark
            | Term::Minutes(_)
            | Term::Meridiem(_)
            | Term::GluedMeridiem(_)
            | Term::Ish
            | Term::AndHalf
            | Term::Past
            | Term::ToHour
            | Term::MinutesTo(_)
            | Term::OrderBehind(_)
            | Term::NoTime
            | Term::WithinBehind
            | Term::Fives
            | Term::DecadeMark
            | Term::Zone(_)
    )
}

/// Returns whether a word of this meaning stands within a number or an amount, or at its end.
pub(super) fn goes_on_with_amount(term: Term) -> bool {
    matches!(
        term,
        Term::Counter
            | Term::Measure(_)
            | Term::Sign(_)
            | Term::GluedSign(_)
            | Term::LoneSign(_)
            | Term::Currency(_)
            | Term::CurrencyCode(_)
            | Term::Millions(_)
            | Term::CoinSign(_)
            | Term::OrdinalSuffix
            | Term::Degree
            | Term::Percent
            | Term::PerMille
            | Term::LetterScale(_)
            | Term::MoneyScale(_)
            | Term::Odd
            | Term::Vague
            | Term::Over
            | Term::OutOf
            | Term::PartsOf
            | Term::Again
            | Term::Tenths
            | Term::Discount
            | Term::PartsEnding
            | Term::InnerNumber(_)
            | Term::Bound(_)
            | Term::BoundAfter(_)
            | Term::Compare(_)
            | Term::ComparedWith
            | Term::EqualTo
            | Term::EqualOr
            | Term::Step(_)
            | Term::NoNumber
            | Term::OrEqual
            | Term::BetweenAfter
            | Term::LoneHalf
    )
}

//! Values in the words, of the kind that the argument wants.

use serde_json::{Value as Json, json};
use waypost_core::records::decision::{By, Evidence};
use waypost_text::extract::{Kind, Reading, Value};

use super::{FilledValue, Match, Wanted};
use crate::decide::slots::deal::number::takes;
use crate::decide::slots::{convert, fit, scope};
use crate::pack::shape::Shape;

pub(in crate::decide::slots) fn find(wanted: &Wanted<'_>) -> Option<Match> {
    if !takes(wanted.tool, wanted.name)
        && let Some(dealt) = dealt(wanted)
    {
        return Some(dealt);
    }
    said(wanted).map(Match::Found)
}

/// Numbers in the words.
pub(in crate::decide::slots) fn number(wanted: &Wanted<'_>) -> Option<Match> {
    dealt(wanted).filter(|_| takes(wanted.tool, wanted.name))
}

/// The value that was dealt to the argument.
fn dealt(wanted: &Wanted<'_>) -> Option<Match> {
    wanted.dealt?.get(wanted.name).cloned()
}

/// The part of the place or the time that the whole call is about.
fn said(wanted: &Wanted<'_>) -> Option<FilledValue> {
    let kind = wanted.annotation.kind?;
    let bound = match kind {
        Kind::Point | Kind::Bbox => wanted.place,
        Kind::Date | Kind::Range => wanted.time,
        Kind::Datetime => return instant(wanted),
        _ => return None,
    }?;
    let precise = wanted.tool.shape(wanted.name).is_some_and(Shape::takes_instants);
    let value = convert::part(&bound.reading, kind, wanted.annotation.part, precise)?;
    let value = noted(wanted, &value).filter(|_| !precise).unwrap_or(value);
    // A number outside of its bounds is asked about; text of another form never gets there.
    let fits = !value.is_string() || wanted.tool.accepts(wanted.name, &value);
    fits.then(|| FilledValue::new(value, bound.evidence.clone()))
}

/// A day in the notation that the description of the argument spells out.
fn noted(wanted: &Wanted<'_>, value: &Json) -> Option<Json> {
    let day: jiff::civil::Date = value.as_str()?.parse().ok()?;
    let shape = wanted.tool.shape(wanted.name)?;
    let mut forms = fit::days(day, shape).into_iter();
    forms.find(|form| wanted.tool.accepts(wanted.name, form))
}

/// An instant: said as one, as a time of the day that was said, or as "now".
fn instant(wanted: &Wanted<'_>) -> Option<FilledValue> {
    let turn = wanted.turn;
    let day = match wanted.time.map(|bound| &bound.reading) {
        Some(Reading::Date(date)) => *date,
        _ => turn.now.date(),
    };
    let here = |value: &&Value| scope::takes(wanted.draft, value.span);
    turn.said.values.iter().filter(here).find_map(|value| {
        let instant = match &value.reading {
            Reading::Datetime(instant) => instant.clone(),
            Reading::Time(time) => {
                day.to_datetime(*time).to_zoned(turn.now.time_zone().clone()).ok()?
            }
            Reading::Date(_) if value.rule.is_now() => turn.now.clone(),
            _ => return None,
        };
        Some(FilledValue::new(json!(convert::written(&instant)), receipt(value)))
    })
}

fn receipt(value: &Value) -> Evidence {
    Evidence::span(value.text.clone(), By::Rule(value.rule))
}

//! Values in the words, of the kind that the argument wants.

use serde_json::json;
use waypost_core::records::decision::{By, Evidence};
use waypost_text::extract::{Kind, Reading, Value};

use super::convert;
use super::number::plain;
use super::{FilledValue, Match, Wanted};

pub(super) fn find(wanted: &Wanted<'_>) -> Option<Match> {
    said(wanted).map(Match::Found)
}

fn said(wanted: &Wanted<'_>) -> Option<FilledValue> {
    let kind = wanted.annotation.kind?;
    if kind == Kind::Number {
        return None;
    }
    let bound = match kind {
        Kind::Point | Kind::Bbox => wanted.place,
        Kind::Date | Kind::Range => wanted.time,
        Kind::Datetime => return instant(wanted),
        _ => return single(wanted, kind),
    }?;
    let value = convert::part(&bound.reading, kind, wanted.annotation.part)?;
    Some(FilledValue { value, evidence: bound.evidence.clone() })
}

/// An instant: said as one, as a time of the day that was said, or as "now".
fn instant(wanted: &Wanted<'_>) -> Option<FilledValue> {
    let turn = wanted.turn;
    let day = match wanted.time.map(|bound| &bound.reading) {
        Some(Reading::Date(date)) => *date,
        _ => turn.now.date(),
    };
    let clause = wanted.draft.clause;
    let here = |value: &&Value| clause.is_none_or(|clause| clause.contains(value.span));
    turn.values.iter().filter(here).find_map(|value| {
        let instant = match &value.reading {
            Reading::Datetime(instant) => instant.clone(),
            Reading::Time(time) => {
                day.to_datetime(*time).to_zoned(turn.now.time_zone().clone()).ok()?
            }
            Reading::Date(_) if value.rule.is_now() => turn.now.clone(),
            _ => return None,
        };
        let offset = jiff::tz::TimeZone::fixed(instant.offset());
        let text = instant.with_time_zone(offset).strftime("%Y-%m-%dT%H:%M:%S%:z").to_string();
        Some(FilledValue { value: json!(text), evidence: receipt(value) })
    })
}

/// The only value of a kind that is neither a place nor a time nor a plain number. Two of them are
/// not guessed at.
fn single(wanted: &Wanted<'_>, kind: Kind) -> Option<FilledValue> {
    let clause = wanted.draft.clause;
    let here = |value: &&Value| clause.is_none_or(|clause| clause.contains(value.span));
    let fits = |value: &&Value| value.kind == kind;
    let mut values = wanted.turn.values.iter().filter(fits).filter(here);
    let value = values.next()?;
    if values.next().is_some() {
        return None;
    }
    let json = match &value.reading {
        Reading::Number(number) => plain(*number),
        Reading::Quantity { value, .. } | Reading::Money { value, .. } => plain(*value),
        Reading::Ordinal(number) => json!(number),
        Reading::Boolean(yes) => json!(yes),
        Reading::Text(words) => json!(words),
        Reading::Entity { key, .. } => json!(key),
        _ => return None,
    };
    Some(FilledValue { value: json, evidence: receipt(value) })
}

fn receipt(value: &Value) -> Evidence {
    Evidence::span(value.text.clone(), By::Rule(value.rule))
}

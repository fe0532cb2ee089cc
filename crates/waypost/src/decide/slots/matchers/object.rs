//! An object, field by field: each field takes the values of its kind that the words give to it. A list of objects gets one.

use serde_json::{Map, Value as Json};
use waypost_core::records::decision::{By, Evidence};
use waypost_text::extract::{Kind, Reading, Role, Value};
use waypost_text::text::Span;

use super::{FilledValue, Match, Wanted};
use crate::decide::slots::deal::number;
use crate::decide::slots::{cues, fit, roles, scope};
use crate::pack::shape::Shape;
use crate::pack::spec::Part;
use crate::pack::suggest::{self, is_among, words_of};

/// The most fields that are filled: each is compared with each value.
const MOST_FIELDS: usize = 16;
/// The least score at which a word speaks for a field.
const TOLD: f64 = 1.0;

/// A field with what its name and description suggest.
struct Field<'a> {
    name: &'a str,
    shape: &'a Shape,
    kind: Option<Kind>,
    part: Option<Part>,
}

pub(in crate::decide::slots) fn find(wanted: &Wanted<'_>) -> Option<Match> {
    let whole = wanted.tool.shape(wanted.name)?;
    let shape = whole.items.as_deref().filter(|_| whole.types.array).unwrap_or(whole);
    if !shape.types.object || shape.types.string || shape.fields.is_empty() {
        return None;
    }
    let names: Vec<String> = shape.fields.iter().map(|(name, _)| name.clone()).collect();
    // What the tool has as an argument of its own is said for that.
    let is_own = |name: &str| wanted.tool.arguments().any(|own| own == name);
    let fields = shape.fields.iter().filter(|(name, _)| !is_own(name)).take(MOST_FIELDS);
    let fields = fields.map(|(name, shape)| {
        let suggested = suggest::suggest(name, shape, &names, "");
        Field { name, shape, kind: suggested.kind, part: suggested.part }
    });
    let fields: Vec<Field<'_>> = fields.collect();
    let values = free(wanted);
    let spans: Vec<Span> = values.iter().map(|value| value.span).collect();
    let mut object = Map::new();
    let mut used: Vec<Span> = Vec::new();
    for (name, value) in exchanged(wanted, &fields, &values).into_iter().flatten() {
        used.push(value.span);
        if let Reading::Text(words) = &value.reading {
            object.insert(name.to_owned(), Json::from(words.as_str()));
        }
    }
    for field in &fields {
        let Field { name, kind, .. } = field;
        if object.contains_key(*name) {
            continue;
        }
        // Both numbers of a position are read from the same words.
        let is_place = |value: &Value| {
            *kind == Some(Kind::Point) && matches!(value.reading, Reading::Point(_))
        };
        let open = values.iter().filter(|value| is_place(value) || !used.contains(&value.span));
        let form = |value: &Value| match field.part.filter(|_| is_place(value)) {
            Some(part) => place(&fields, value, part),
            None => form(wanted, *kind, field.shape, value),
        };
        let fitting = open.filter_map(|value| Some((*value, form(value)?)));
        let fitting: Vec<(&Value, Json)> = fitting.collect();
        let rivals = fields.iter().filter(|other| other.kind == *kind).count();
        let score = |value: &Value| told(wanted, name, value.span, &spans);
        let best = fitting.iter().max_by(|a, b| score(a.0).total_cmp(&score(b.0)));
        let Some((value, form)) = best else { continue };
        // A field takes what its own words name, or the only value of its kind.
        let only = fitting.len() == 1 && (rivals == 1 || is_place(value));
        if score(value) >= TOLD || only {
            used.push(value.span);
            object.insert((*name).to_owned(), form.clone());
        }
    }
    let complete = shape.required.iter().all(|name| object.contains_key(name));
    let object = Json::Object(object);
    let value = if whole.types.array { Json::Array(vec![object]) } else { object };
    if used.is_empty() || !complete || !wanted.tool.accepts(wanted.name, &value) {
        return None;
    }
    let start = used.iter().map(|span| span.start).min()?;
    let end = used.iter().map(|span| span.end).max()?;
    let words = wanted.turn.said.text.slice(Span { start, end });
    let evidence = Evidence::span(words, By::Words);
    Some(Match::Found(FilledValue { value, evidence, spans: used }))
}

/// Words of the names of fields for what is taken out and what is put in its place.
const OLD: &str = "old from source search find before original";
const NEW: &str = "new to target replace replacement after";

/// The two quotations of a text, for the two fields of an exchange, if the words give them these roles: "change 'a' to 'b'".
fn exchanged<'a>(
    wanted: &Wanted<'_>,
    fields: &[Field<'a>],
    values: &[&'a Value],
) -> Option<[(&'a str, &'a Value); 2]> {
    let field = |known: &str| {
        let is_it = |name: &&str| words_of(name).iter().any(|word| is_among(known, word));
        fields.iter().map(|field| field.name).find(is_it)
    };
    let (old, new) = (field(OLD)?, field(NEW)?);
    let quoted: Vec<&Value> =
        values.iter().copied().filter(|value| value.kind == Kind::Quoted).collect();
    let [first, second] = quoted[..] else { return None };
    let role = |value: &Value| roles::of_value(wanted.turn, value.span);
    // "Remove 'a' and 'b'" exchanges nothing.
    let (before, after) = match (role(first), role(second)) {
        (Some(Role::Target), _) => (second, first),
        (Some(Role::Source), _) | (_, Some(Role::Target)) => (first, second),
        _ => return None,
    };
    (old != new).then_some([(old, before), (new, after)])
}

/// The values that nothing else of the call has taken.
fn free<'a>(wanted: &'a Wanted<'_>) -> Vec<&'a Value> {
    let taken = |span: Span| wanted.used.iter().any(|used| used.overlaps(span));
    let values = scope::values(wanted.turn, wanted.draft).into_iter();
    values.filter(|value| !taken(value.span)).collect()
}

fn form(wanted: &Wanted<'_>, kind: Option<Kind>, field: &Shape, value: &Value) -> Option<Json> {
    match (kind, &value.reading) {
        (Some(Kind::Number), Reading::Number(number)) if value.kind == Kind::Number => {
            let whole = field.types.number || number.fract() == 0.0;
            whole.then(|| number::plain(*number))
        }
        (Some(Kind::Text) | None, Reading::Text(words)) if field.types.string => {
            let listed = field.listed.is_empty() || field.listed.iter().any(|one| one == words);
            listed.then(|| Json::from(words.as_str()))
        }
        (Some(kind), _) => fit::fit_to(wanted.turn, kind, field, value).next(),
        (None, _) => None,
    }
}

/// A number of a position; if nothing says which of its two is the latitude, they stand in the order of the fields.
fn place(fields: &[Field<'_>], value: &Value, part: Part) -> Option<Json> {
    let is_first = fields.iter().find_map(|field| field.part) == Some(Part::Latitude);
    let readings = std::iter::once(&value.reading).chain(&value.alternatives);
    let points = readings.filter_map(|reading| match reading {
        Reading::Point(point) => Some(point),
        _ => None,
    });
    let points: Vec<_> = points.collect();
    let point = if is_first { points.last()? } else { points.first()? };
    let number = match part {
        Part::Latitude => point.latitude,
        Part::Longitude => point.longitude,
        _ => return None,
    };
    Some(Json::from(number))
}

fn told(wanted: &Wanted<'_>, field: &str, value: Span, others: &[Span]) -> f64 {
    let words = words_of(field).into_iter().filter(|word| word.len() > 2);
    let scores = words.filter_map(|word| cues::nearness(wanted.turn, &word, value, others));
    scores.fold(0.0, f64::max)
}

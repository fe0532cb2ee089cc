//! Chooses the values in the words (or of an earlier call) that say *where* and *when* for a tool.

use jiff::civil::Date;
use serde_json::{Value as Json, json};
use waypost_core::records::decision::{By, Call, Evidence, Source};
use waypost_core::records::request::{Choice, PastCall};
use waypost_text::extract::{Kind, Moment, Reading, Relation, Value};
use waypost_text::text::Span;

use super::convert::Where;
use super::{DraftCall, Gap, convert, scope};
use crate::pack::messages::Sentence;
use crate::pack::places;
use crate::pack::shape::Shape;
use crate::pack::spec::{Annotation, Bias, EntrySpec, Part};
use crate::pack::{Pack, Tool};
use crate::understand::Turn;
use crate::understand::memory::{REFERENCE, recalled_places, recalled_times};
use crate::understand::mention::Stance;

/// A reading with its evidence.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Bound {
    pub(crate) reading: Reading,
    pub(crate) evidence: Evidence,
}

/// The places and times that a tool's calls are about.
#[derive(Debug, Default)]
pub(crate) struct Bindings {
    /// One for each call; already of the kind that the tool wants.
    pub(crate) places: Vec<Bound>,
    /// One for each call; already of the kind that the tool wants.
    pub(crate) times: Vec<Bound>,
    /// Places that were said and that this tool cannot use.
    pub(crate) unusable: Vec<Bound>,
    /// Times that were said and that this tool cannot use.
    pub(crate) unusable_times: Vec<Bound>,
    /// The values that were assumed.
    pub(crate) assumptions: Vec<Sentence>,
    /// A penalty for every value that is bent to fit or left over.
    pub(crate) cost: f64,
}

/// A value that is bent to fit: less good than one that fits, better than one left over.
const BENT: f64 = 0.4;
/// A value that was said and is left over.
const LEFT_OVER: f64 = 1.0;

/// The most values of one kind that are looked at: far more than a turn may make calls.
const MOST_VALUES: usize = 32;

/// Binds the places and times that were said, or else those of an earlier call.
pub(crate) fn bind(turn: &Turn<'_>, draft: &DraftCall, tool: &Tool) -> Bindings {
    let mut bindings = Bindings::default();
    bind_places(turn, draft, tool, &mut bindings);
    bind_times(turn, draft, tool, &mut bindings);
    bindings
}

fn bind_places(turn: &Turn<'_>, draft: &DraftCall, tool: &Tool, bindings: &mut Bindings) {
    let stated = places(turn, draft);
    let stated = if stated.is_empty() { given_places(turn, draft, tool) } else { stated };
    let stated = if stated.is_empty() { remembered(turn, draft, recalled_places) } else { stated };
    let stated: Vec<Bound> = stated.into_iter().map(|bound| in_order(turn, tool, bound)).collect();
    let Some((wanted, annotation)) = wanted_place(tool) else {
        bindings.cost += LEFT_OVER * stated.len() as f64;
        return;
    };
    for bound in stated {
        match convert::place(turn.pack, &bound, wanted, annotation) {
            Some((converted, exact)) => {
                bindings.cost += if exact { 0.0 } else { BENT };
                note_assumption(&bound, bindings);
                // A place that is named twice is one place.
                let known = |bound: &Bound| {
                    bindings.places.iter().any(|other| other.reading == bound.reading)
                };
                let new: Vec<Bound> = converted.into_iter().filter(|bound| !known(bound)).collect();
                bindings.places.extend(new);
            }
            None => {
                bindings.cost += LEFT_OVER;
                bindings.unusable.push(bound);
            }
        }
    }
}

/// Two bare numbers of which either may be the latitude, in the order in which a tool names both. A pack knows how its own users
/// write them.
fn in_order(turn: &Turn<'_>, tool: &Tool, bound: Bound) -> Bound {
    let of_place = |note: &Annotation| note.part.filter(|_| note.kind == Some(Kind::Point));
    let first = tool.annotations().find_map(|(_, note)| of_place(note));
    let is_open = matches!(bound.evidence.by, By::Rule(rule) if rule.is_ambiguous());
    if tool.is_described() || first != Some(Part::Latitude) || !is_open {
        return bound;
    }
    let value = turn.said.values.iter().find(|value| value.reading == bound.reading);
    let other = value.and_then(|value| {
        value.alternatives.iter().find(|other| matches!(other, Reading::Point(_)))
    });
    match other {
        Some(reading) => Bound { reading: reading.clone(), ..bound },
        None => bound,
    }
}

fn note_assumption(bound: &Bound, bindings: &mut Bindings) {
    if let Reading::Point(point) = bound.reading
        && matches!(bound.evidence.by, By::Rule(rule) if rule.is_ambiguous())
    {
        let sentence = Sentence::new("assumed_order")
            .with("longitude", point.longitude.to_string())
            .with("latitude", point.latitude.to_string());
        bindings.assumptions.push(sentence);
    }
}

fn bind_times(turn: &Turn<'_>, draft: &DraftCall, tool: &Tool, bindings: &mut Bindings) {
    let stated = times(turn, draft);
    let past = remembered(turn, draft, recalled_times);
    let passing = !past.is_empty() && stated.iter().all(|bound| is_passing(turn, bound));
    let stated = if stated.is_empty() || passing { past } else { stated };
    let Some((wanted, bias)) = wanted_time(tool) else {
        bindings.cost += LEFT_OVER * stated.len() as f64;
        return;
    };
    let today = turn.now.date();
    let to_the_minute = takes_instants(tool);
    for bound in stated {
        if to_the_minute {
            match convert::instants(&bound, bias, &turn.now) {
                Some(bound) if bindings.times.contains(&bound) => {}
                Some(bound) => bindings.times.push(bound),
                None => bindings.unusable_times.push(bound),
            }
            continue;
        }
        let bound = on_side(turn, bound, bias, today);
        let bound = if wanted == Kind::Range { closed(tool, bound, bias, today) } else { bound };
        match convert::time(&bound, wanted, bias, today) {
            Some((converted, exact)) => {
                bindings.cost += if exact { 0.0 } else { BENT };
                // So is a day.
                if bindings.times.iter().all(|other| other.reading != converted.reading) {
                    bindings.times.push(converted);
                }
            }
            // "Before October 3": the start may be left out.
            None if wanted == Kind::Range && is_endless(tool, &bound) => bindings.times.push(bound),
            None => {
                bindings.cost += LEFT_OVER;
                bindings.unusable_times.push(bound);
            }
        }
    }
}

/// Returns whether the tool takes a range of instants and not of days.
fn takes_instants(tool: &Tool) -> bool {
    tool.annotations().any(|(name, note)| {
        let shape = tool.shape(name);
        note.kind == Some(Kind::Range) && shape.is_some_and(Shape::takes_instants)
    })
}

/// Returns whether a "now" only opens what is said next: "now give me the maximum".
fn is_passing(turn: &Turn<'_>, bound: &Bound) -> bool {
    let now = turn.said.values.iter().find(|value| value.rule.is_now());
    matches!(bound.evidence.by, By::Rule(rule) if rule.is_now())
        && now.is_some_and(|now| now.span.start == 0)
        && turn.said.values.len() + turn.said.discourse.mentions.len() > 1
}

/// Returns whether a range is open at its start and the tool needs none.
fn is_endless(tool: &Tool, bound: &Bound) -> bool {
    let mut starts = tool.annotations().filter(|(_, note)| note.part == Some(Part::Start));
    let open = matches!(bound.reading, Reading::Range(Moment::Open, Moment::Date(_)));
    open && starts.all(|(name, _)| !tool.requires(name))
        && tool.annotations().any(|(_, note)| note.part == Some(Part::End))
}

/// A range that is open at its end ("after October 3"), where records go on until today.
fn closed(tool: &Tool, bound: Bound, bias: Option<Bias>, today: Date) -> Bound {
    let needs = tool
        .annotations()
        .any(|(name, note)| note.kind == Some(Kind::Range) && tool.requires(name));
    match &bound.reading {
        Reading::Range(start @ Moment::Date(first), Moment::Open)
            if bias == Some(Bias::Past) && !needs && *first <= today =>
        {
            let Ok(end) = today.tomorrow() else { return bound };
            Bound { reading: Reading::Range(start.clone(), Moment::Date(end)), ..bound }
        }
        _ => bound,
    }
}

/// An open date ("on November 10", "on the 28th", "on Friday") read as one on the side of today that the tool knows of, where it can
/// be. The other order of day and month is another date.
fn on_side(turn: &Turn<'_>, bound: Bound, bias: Option<Bias>, today: Date) -> Bound {
    let fits = |date: Date| match bias {
        Some(Bias::Future) => date >= today,
        Some(Bias::Past) => date <= today,
        None => true,
    };
    let Reading::Date(said) = bound.reading else { return bound };
    let is_off = !fits(said);
    let is_same = |date: Date| date.day() == said.day() || (date - said).get_days().abs() == 7;
    let words = turn.said.values.iter().find(|value| value.reading == bound.reading);
    let (true, Some(value)) = (is_off, words) else { return bound };
    let other = value
        .alternatives
        .iter()
        .find(|other| matches!(other, Reading::Date(date) if fits(*date) && is_same(*date)));
    match other {
        Some(reading) => Bound { reading: reading.clone(), ..bound },
        None => bound,
    }
}

/// The kind of place that the tool wants, with the annotation that says so.
fn wanted_place(tool: &Tool) -> Option<(Where, &Annotation)> {
    tool.annotations().find_map(|(_, annotation)| match annotation.kind {
        Some(Kind::Point) => Some((Where::Point, annotation)),
        Some(Kind::Bbox) => Some((Where::Box, annotation)),
        _ => None,
    })
}

/// Returns whether the tool wants a day or a range of days, and on which side of now. Several days
/// that are arguments of their own are shared out by their roles.
fn wanted_time(tool: &Tool) -> Option<(Kind, Option<Bias>)> {
    let days = tool.annotations().filter(|(_, note)| note.kind == Some(Kind::Date)).count();
    tool.annotations().find_map(|(name, annotation)| match annotation.kind {
        Some(Kind::Date) if days > 1 || tool.is_list(name) => None,
        Some(kind @ (Kind::Date | Kind::Range)) => Some((kind, annotation.bias)),
        _ => None,
    })
}

/// The places in the words. Coordinates outrank names: "off Hualien, 121.7E 24N" is one place.
fn places(turn: &Turn<'_>, draft: &DraftCall) -> Vec<Bound> {
    let mut places =
        stated(turn, draft, |value| is_place(&value.reading) && !is_wider_name(turn, value));
    let explicit = |bound: &Bound| matches!(bound.reading, Reading::Point(_) | Reading::Bbox(_));
    if places.iter().any(explicit) {
        places.retain(explicit);
    }
    places
}

/// Returns whether a name only tells where the place named beside it lies: Penghu in "澎湖馬公",
/// Sydney in "Bondi Beach, Sydney".
fn is_wider_name(turn: &Turn<'_>, value: &Value) -> bool {
    let Some(wide) = places::area(turn.pack, &value.reading) else { return false };
    turn.said.values.iter().filter(|other| matches!(other.reading, Reading::Entity { .. })).any(
        |other| {
            let near = beside(turn, value, other) || beside(turn, other, value);
            let Some(area) = places::area(turn.pack, &other.reading).filter(|_| near) else {
                return false;
            };
            let (extent, other_extent) = (own_extent(turn, value), own_extent(turn, other));
            // Chinese names the wider of two towns first, and most other languages name it last.
            let outer = (value.span < other.span) == turn.said.language.is_chinese();
            let wider = extent > other_extent || extent >= other_extent && outer;
            wider && value.span != other.span && places::holds(wide, places::center(area))
        },
    )
}

/// The size of the box of a named place, in square degrees; 0 for a town, which has no box.
fn own_extent(turn: &Turn<'_>, value: &Value) -> f64 {
    let Reading::Entity { gazetteer, key, .. } = &value.reading else { return 0.0 };
    turn.pack.entry(gazetteer, key).and_then(|entry| entry.area).map_or(0.0, places::extent)
}

/// Returns whether nothing but commas, spaces or 的 stand between two values.
fn beside(turn: &Turn<'_>, first: &Value, second: &Value) -> bool {
    let between = Span { start: first.span.end, end: second.span.start };
    between.start <= between.end
        && turn
            .said
            .text
            .slice(between)
            .chars()
            .all(|c| matches!(c, ' ' | ',' | '，' | '、' | '的'))
}

/// The days in the words. A day outranks "now" and the part of a day that is not named: "現在 11/5" is one day, and so
/// is "in the evening I walk there, how about tomorrow".
fn times(turn: &Turn<'_>, draft: &DraftCall) -> Vec<Bound> {
    let all = stated(turn, draft, |value| is_time(&value.reading) && !is_explained(turn, value));
    let is_vague = |bound: &&Bound| matches!(bound.evidence.by, By::Rule(rule) if rule.is_now() || rule.name() == "range.part");
    let explicit: Vec<Bound> = all.iter().filter(|bound| !is_vague(bound)).cloned().collect();
    if explicit.is_empty() { all } else { explicit }
}

/// Returns whether a date of the calendar right behind a day says which one it is: "today, April 25th".
fn is_explained(turn: &Turn<'_>, value: &Value) -> bool {
    let relative = value.rule.name() == "date.relative";
    let mut dates = turn.said.values.iter().filter(|other| other.rule.name() == "date.calendar");
    relative && dates.any(|other| beside(turn, value, other))
}

fn is_place(reading: &Reading) -> bool {
    matches!(reading, Reading::Point(_) | Reading::Bbox(_) | Reading::Entity { .. })
}

fn is_time(reading: &Reading) -> bool {
    matches!(reading, Reading::Date(_) | Reading::Datetime(_) | Reading::Range(..))
}

/// The values of the clause that the call is about, or of the whole text where the clause has none.
fn stated(turn: &Turn<'_>, draft: &DraftCall, wanted: impl Fn(&Value) -> bool) -> Vec<Bound> {
    let wanted = turn.said.values.iter().filter(|value| wanted(value));
    let mut values: Vec<&Value> = wanted.take(MOST_VALUES).collect();
    let is_of_it = |value: &Value| {
        let mut others = draft.consumed.iter().chain(&draft.conditions);
        !others.any(|other| other.overlaps(value.span))
    };
    values.retain(|value| is_of_it(value));
    values.retain(|value| {
        scope::stance(turn, value) == Stance::Said && !scope::is_misread(turn, value)
    });
    // "Keelung and Hualien, but Hualien is not needed".
    let is_dropped = |value: &Value| turn.said.discourse.is_dropped(&turn.said.text, value.span);
    let dropped: Vec<&Reading> = turn
        .said
        .values
        .iter()
        .filter(|value| is_dropped(value))
        .map(|value| &value.reading)
        .collect();
    values.retain(|value| !dropped.contains(&&value.reading));
    if let Some(clause) = draft.clause
        && values.iter().any(|value| clause.contains(value.span))
    {
        values.retain(|value| clause.contains(value.span));
    }
    let is_told = |value: &Value| draft.told.iter().any(|told| told.contains(value.span));
    if !values.iter().all(|value| is_told(value)) {
        values.retain(|value| !is_told(value));
    }
    let mut bounds: Vec<Bound> = Vec::new();
    for value in values {
        if bounds.iter().all(|bound| bound.reading != value.reading) {
            let text = Some(value.text.clone());
            let (source, by) = match value.rule {
                rule if rule == REFERENCE.into() => (Source::Memory, By::Reference),
                rule => (Source::Span, By::Rule(rule)),
            };
            let evidence = Evidence { source, text, by };
            bounds.push(Bound { reading: value.reading.clone(), evidence });
        }
    }
    bounds
}

/// A place that an answer settled by the key of a gazetteer.
fn given_places(turn: &Turn<'_>, draft: &DraftCall, tool: &Tool) -> Vec<Bound> {
    let given = draft.given.iter().map(|(name, given)| (name, &given.value, Source::Option));
    let proposed = draft.proposed.iter().map(|(name, value)| (name, value, Source::Llm));
    for (name, value, source) in given.chain(proposed) {
        {
            let kind = turn.pack.family(tool).find_map(|tool| tool.annotation(name)?.kind);
            let (Some(Kind::Point | Kind::Bbox), Some(word)) = (kind, value.as_str()) else {
                continue;
            };
            if let Some((gazetteer, key, entry)) = turn.pack.find_entry(word) {
                // A place that only a model thinks of is offered, not used.
                if source == Source::Llm && !is_meant(turn, gazetteer, key, entry) {
                    continue;
                }
                let reading = Reading::Entity {
                    gazetteer: gazetteer.to_owned(),
                    key: key.to_owned(),
                    relation: Relation::At,
                };
                let by = By::Entry { gazetteer: gazetteer.to_owned(), key: key.to_owned() };
                let evidence = Evidence { source, text: Some(word.to_owned()), by };
                return vec![Bound { reading, evidence }];
            }
        }
    }
    Vec::new()
}

/// Returns whether the words name the entry of a gazetteer, and do not deny it.
fn is_meant(turn: &Turn<'_>, gazetteer: &str, key: &str, entry: &EntrySpec) -> bool {
    let is_said = |name: &String| {
        waypost_core::text_match::find_word(turn.said.text.normalized(), &name.to_lowercase())
            .is_some()
    };
    let is_own = |value: &&Value| {
        matches!(&value.reading, Reading::Entity { gazetteer: own, key: same, .. }
            if own == gazetteer && same == key)
    };
    let mut own = turn.said.values.iter().filter(is_own);
    entry.names.iter().any(is_said) && own.all(|value| scope::stance(turn, value) == Stance::Said)
}

fn remembered(
    turn: &Turn<'_>,
    draft: &DraftCall,
    recalled: fn(&Pack, &PastCall) -> Vec<Reading>,
) -> Vec<Bound> {
    let Some(past) = &draft.memory else { return Vec::new() };
    let evidence = Evidence::new(Source::Memory, By::Memory(past.tool.clone()));
    let denied = scope::denied(turn, draft);
    let is_denied = |reading: &Reading| denied.iter().any(|value| is_same(&value.reading, reading));
    let readings = recalled(turn.pack, past).into_iter().filter(|reading| !is_denied(reading));
    readings.map(|reading| Bound { reading, evidence: evidence.clone() }).collect()
}

/// Returns whether two readings are of the same place or time, however the words put it: off Hualien is
/// near it.
fn is_same(one: &Reading, other: &Reading) -> bool {
    match (one, other) {
        (
            Reading::Entity { gazetteer, key, .. },
            Reading::Entity { gazetteer: own, key: same, .. },
        ) => (gazetteer, key) == (own, same),
        _ => one == other,
    }
}

/// The question for a day where a range of days was said: its days are the choices.
pub(crate) fn day_gap(turn: &Turn<'_>, tool: &Tool, unusable: &Bound) -> Option<Gap> {
    let (argument, annotation) =
        tool.annotations().find(|(_, annotation)| annotation.kind == Some(Kind::Date))?;
    let days = convert::days(&unusable.reading).into_iter();
    let choices = days
        .take(turn.pack.spec.policy.max_choices)
        .map(|day| Choice { label: day.to_string(), value: json!(day.to_string()) });
    Some(Gap {
        tool: tool.spec.name.clone(),
        argument: argument.to_owned(),
        sentence: Sentence::new("needs_day"),
        choices: choices.collect(),
    })
    .filter(|_| annotation.part.is_none())
}

/// Returns the place of a call as its answer shows it: in the user's words, by the name of its
/// entry, or in numbers.
pub(crate) fn label(pack: &Pack, turn: &Turn<'_>, call: &Call) -> String {
    let of_entry = call.evidence.values().find_map(|evidence| match &evidence.by {
        By::Entry { gazetteer, key } => Some((evidence, gazetteer, key)),
        _ => None,
    });
    if let Some((evidence, gazetteer, key)) = of_entry {
        return match (&evidence.text, evidence.source) {
            (Some(words), Source::Span) => words.clone(),
            _ => pack.label(gazetteer, key, turn.said.language),
        };
    }
    let Some(tool) = pack.tool(&call.tool) else { return String::new() };
    let written = |kind: Kind, part: Option<Part>| {
        let wanted = |note: &Annotation| note.kind == Some(kind) && note.part == part;
        let (name, _) = tool.annotations().find(|(_, note)| wanted(note))?;
        call.arguments.get(name).map(Json::to_string)
    };
    let longitude = written(Kind::Point, Some(Part::Longitude));
    let latitude = written(Kind::Point, Some(Part::Latitude));
    match (longitude, latitude, written(Kind::Bbox, None)) {
        (Some(longitude), Some(latitude), _) => format!("[{longitude}, {latitude}]"),
        (_, _, Some(area)) => area.replace(',', ", "),
        _ => String::new(),
    }
}

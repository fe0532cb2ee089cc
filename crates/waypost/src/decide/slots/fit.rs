//! Turns a reading of the user's words into a value that the schema of an argument takes.

use jiff::civil::Date;
use serde_json::{Value as Json, json};
use waypost_text::extract::{Kind, Reading, Value};

use super::deal::amount::is_signed;
use super::deal::number::plain;
use crate::pack::Tool;
use crate::pack::shape::Shape;
use crate::pack::suggest::words_of;
use crate::understand::Turn;

/// Returns the first form of a value that an argument of this kind takes; `None` if it takes none.
///
/// An argument that takes a list is asked for one item of it.
pub(super) fn fit(turn: &Turn<'_>, tool: &Tool, name: &str, value: &Value) -> Option<Json> {
    let kind = tool.annotation(name)?.kind?;
    let shape = item(tool, name)?;
    if kind == Kind::Path && (is_for_folders(name) && is_file(value) || is_prose(tool, name, value))
    {
        return None;
    }
    fit_to(turn, kind, shape, value).find(|form| takes(tool, name, form))
}

/// Returns whether the name of an argument says that it takes a folder.
fn is_for_folders(name: &str) -> bool {
    const FOLDERS: [&str; 9] =
        ["dir", "directory", "folder", "repo", "repository", "root", "cwd", "workspace", "project"];
    words_of(name).iter().any(|word| FOLDERS.contains(&word.as_str()))
}

/// Returns whether a quotation looks like no path, and the tool needs a text rather than this path.
fn is_prose(tool: &Tool, name: &str, value: &Value) -> bool {
    let Reading::Text(words) = &value.reading else { return false };
    let wants_text = || {
        let mut texts = tool
            .annotations()
            .filter(|(other, note)| note.kind == Some(Kind::Text) && tool.requires(other));
        texts.next().is_some()
    };
    value.kind == Kind::Quoted
        && !words.contains(['/', '\\', '.'])
        && !tool.requires(name)
        && wants_text()
}

/// Returns whether a path has the ending of a file, as its last part.
fn is_file(value: &Value) -> bool {
    let Reading::Text(path) = &value.reading else { return false };
    let last = path.rsplit(['/', '\\']).next().unwrap_or_default();
    let ending = last.rsplit_once('.').filter(|(stem, _)| !stem.is_empty());
    ending.is_some_and(|(_, ending)| {
        (1..=5).contains(&ending.len()) && ending.chars().all(|c| c.is_ascii_alphanumeric())
    }) && !last.ends_with(".git")
}

/// The shape of an argument, or of the items of its list.
pub(super) fn item<'a>(tool: &'a Tool, name: &str) -> Option<&'a Shape> {
    let shape = tool.shape(name)?;
    Some(if shape.types.array { shape.items.as_deref().unwrap_or(shape) } else { shape })
}

/// Returns whether an argument takes a value, alone or as the item of a list.
pub(super) fn takes(tool: &Tool, name: &str, form: &Json) -> bool {
    tool.accepts(name, form) || tool.is_list(name) && tool.accepts_item(name, form)
}

/// The forms of a value for an argument of a kind and shape, the likeliest first.
pub(super) fn fit_to<'a>(
    turn: &'a Turn<'_>,
    kind: Kind,
    shape: &'a Shape,
    value: &'a Value,
) -> impl Iterator<Item = Json> + 'a {
    let forms = match (&value.reading, kind) {
        (Reading::Date(day), Kind::Date) => days(*day, shape),
        (Reading::Datetime(instant), Kind::Date) => days(instant.date(), shape),
        (Reading::Time(time), Kind::Time) => times(*time, shape),
        (Reading::Datetime(instant), Kind::Time) => times(instant.time(), shape),
        (Reading::Datetime(instant), Kind::Datetime) => instants(instant, shape),
        (Reading::Date(day), Kind::Datetime) => day
            .to_zoned(turn.now.time_zone().clone())
            .map(|instant| instants(&instant, shape))
            .unwrap_or_default(),
        (Reading::Time(time), Kind::Datetime) => {
            let instant = turn.now.date().to_datetime(*time);
            let instant = instant.to_zoned(turn.now.time_zone().clone());
            instant.map(|instant| instants(&instant, shape)).unwrap_or_default()
        }
        (Reading::Duration(length), Kind::Duration) => {
            let iso = json!(length.0.to_string());
            let words = json!(value.text);
            // Without a notation the user's words are as good as any.
            let noted = shape.format.is_some() || shape.description.contains("8601");
            if noted { vec![iso] } else { vec![words, iso] }
        }
        // "The markdown files" are a pattern in words, and no path.
        (Reading::Text(words), Kind::Path) if value.kind == Kind::Glob && value.text != *words => {
            Vec::new()
        }
        (Reading::Text(words), _) if is_text(value.kind, kind) => vec![json!(words)],
        // "Patient 546382": an identifier may be nothing but digits.
        (Reading::Number(_), Kind::Identifier)
            if shape.types.string && value.text.chars().all(|c| c.is_ascii_digit()) =>
        {
            vec![json!(value.text)]
        }
        // "Wallet #12".
        (Reading::Ordinal(place), Kind::Identifier) if shape.types.string && is_signed(value) => {
            vec![json!(place.to_string())]
        }
        (Reading::Text(words), Kind::Revision)
            if value.kind == Kind::Path && is_branch_like(value) =>
        {
            vec![json!(words)]
        }
        (Reading::Number(number), Kind::Number | Kind::Percentage)
            if value.kind == kind || kind == Kind::Number =>
        {
            vec![plain(*number)]
        }
        (Reading::Ordinal(place), Kind::Ordinal) => vec![json!(place)],
        (Reading::Quantity { value, .. }, Kind::Quantity)
        | (Reading::Money { value, .. }, Kind::Money) => vec![plain(*value)],
        (Reading::Boolean(yes), Kind::Boolean) => vec![json!(yes)],
        (Reading::Entity { key, .. }, Kind::Entity) => vec![json!(key)],
        (Reading::Recurring(_), Kind::Recurring) => vec![json!(value.text)],
        _ => Vec::new(),
    };
    let string = shape.types.string || !shape.types.numeric();
    forms.into_iter().filter(move |form| string || !form.is_string())
}

/// Returns whether text of one kind may stand where another is wanted: a path in quotation marks is
/// a path, and a branch may look like any name.
fn is_text(own: Kind, wanted: Kind) -> bool {
    let name = [Kind::Identifier, Kind::Revision, Kind::Repository];
    own == wanted
        || own == Kind::Quoted
            && matches!(
                wanted,
                Kind::Path | Kind::Glob | Kind::Text | Kind::Identifier | Kind::Revision
            )
        || own == Kind::Glob && wanted == Kind::Path
        || own == Kind::Path && wanted == Kind::Glob
        || name.contains(&own) && name[..2].contains(&wanted)
}

/// Returns whether what looks like a folder may be the name of a branch: `users/ann/wip`.
fn is_branch_like(value: &Value) -> bool {
    let Reading::Text(path) = &value.reading else { return false };
    let rooted = path.starts_with(['/', '.', '~', '$']) || path.contains(['\\', ':', ' ']);
    !rooted && !path.ends_with('/') && path.contains('/') && !is_file(value)
}

/// A day as the schema wants it, in the notation that its description spells out.
pub(super) fn days(day: Date, shape: &Shape) -> Vec<Json> {
    const NOTATIONS: [(&str, &str); 5] = [
        ("dd/mm/yyyy", "%d/%m/%Y"),
        ("mm/dd/yyyy", "%m/%d/%Y"),
        ("yyyy/mm/dd", "%Y/%m/%d"),
        ("dd-mm-yyyy", "%d-%m-%Y"),
        ("mm-dd-yyyy", "%m-%d-%Y"),
    ];
    let noted = NOTATIONS.iter().filter(|(noted, _)| shape.description.contains(noted));
    let noted = noted.map(|(_, form)| json!(day.strftime(form).to_string()));
    let others = NOTATIONS.iter().map(|(_, form)| json!(day.strftime(form).to_string()));
    let others = others.filter(|_| shape.pattern.is_some());
    noted.chain([json!(day.to_string())]).chain(others).collect()
}

/// A time of the day, with seconds where they are wanted.
fn times(time: jiff::civil::Time, shape: &Shape) -> Vec<Json> {
    let short = json!(time.strftime("%H:%M").to_string());
    let long = json!(time.strftime("%H:%M:%S").to_string());
    let seconds = time.second() != 0
        || shape.description.contains("hh:mm:ss")
        || shape.format.as_deref() == Some("time");
    if seconds { vec![long, short] } else { vec![short, long] }
}

/// An instant with its offset, or without one where the description spells that out.
fn instants(instant: &jiff::Zoned, shape: &Shape) -> Vec<Json> {
    let offset = jiff::tz::TimeZone::fixed(instant.offset());
    let own = instant.with_time_zone(offset);
    let full = json!(own.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string());
    let spaced = json!(own.strftime("%Y-%m-%d %H:%M:%S").to_string());
    let local = json!(own.strftime("%Y-%m-%dT%H:%M:%S").to_string());
    match shape.description.contains("yyyy-mm-dd hh:mm") {
        true => vec![spaced, full, local],
        false => vec![full, local, spaced],
    }
}

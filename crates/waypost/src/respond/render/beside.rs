//! Results of one tool beside each other: a row for each figure, a column for each call.

use serde_json::{Map, Value as Json};
use waypost_core::records::decision::Call;

use super::plain::Plain;
use super::table;
use crate::catalog::spelled;

/// The most rows.
const ROWS: usize = 12;
/// The fewest figures that are worth a table.
const FEWEST: usize = 2;
/// The most columns that can be read.
const MOST: usize = 7;

/// The table of several results of one tool; `None` where there is too little or too much to compare.
pub(super) fn of(results: &[(&Call, &Json)], plain: &Plain<'_>) -> Option<String> {
    if !(2..=MOST).contains(&results.len()) {
        return None;
    }
    let rows: Option<Vec<&Map<String, Json>>> =
        results.iter().map(|(_, result)| result.as_object()).collect();
    let rows = rows?;
    let heads = heads(results)?;
    let figures = rows.first()?.keys().filter(|name| {
        rows.iter().all(|row| row.get(*name).is_some_and(Json::is_number))
            && rows.iter().any(|row| row.get(*name) != rows[0].get(*name))
    });
    let figures: Vec<&String> = figures.take(ROWS).collect();
    if figures.len() < FEWEST {
        return None;
    }
    let lines = figures.into_iter().map(|name| {
        let number = |row: &&Map<String, Json>| row.get(name).and_then(Json::as_f64);
        let cells =
            rows.iter().map(|row| number(row).map_or(Json::Null, |x| plain.number(x).into()));
        let mut line = Map::from_iter([(" ".to_owned(), Json::from(spelled(name)))]);
        line.extend(heads.iter().cloned().zip(cells));
        Json::Object(line)
    });
    table::of(&lines.collect::<Vec<_>>(), plain)
}

/// The name of each column: the argument in which the calls differ, where it is one, and no two have the same value.
fn heads(results: &[(&Call, &Json)]) -> Option<Vec<String>> {
    let (first, _) = results.first()?;
    let differs = |name: &&String| {
        results.iter().any(|(call, _)| call.arguments.get(*name) != first.arguments.get(*name))
    };
    let mut differing = first.arguments.keys().filter(differs);
    let (name, None) = (differing.next()?, differing.next()) else { return None };
    let mut heads: Vec<String> = Vec::new();
    for (call, _) in results {
        let head = call.arguments.get(name)?.as_str()?.to_owned();
        if heads.contains(&head) {
            return None;
        }
        heads.push(head);
    }
    Some(heads)
}

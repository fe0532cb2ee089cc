//! A list of objects as a table, in the notation of Markdown, which also reads well as it is.

use serde_json::{Map, Value as Json};
use waypost_core::records::request::shorten;

use super::plain::{MAX_ENTRIES, Plain, scalar};

/// The most columns.
const MAX_COLUMNS: usize = 8;
/// The longest cell, in characters.
const MAX_CELL: usize = 40;
/// The most rows in which names of columns are looked for.
const LOOKED_AT: usize = 100;

/// The table of a list of objects, with what is left out counted below it; `None` for another list.
pub(super) fn of(items: &[Json], plain: &Plain<'_>) -> Option<String> {
    let rows: Option<Vec<&Map<String, Json>>> =
        items.iter().take(LOOKED_AT).map(Json::as_object).collect();
    let rows = rows.filter(|rows| !rows.is_empty())?;
    let mut columns: Vec<&str> = Vec::new();
    for key in rows.iter().flat_map(|row| row.keys()) {
        if !columns.contains(&key.as_str()) && columns.len() <= LOOKED_AT {
            columns.push(key);
        }
    }
    let more = columns.len().saturating_sub(MAX_COLUMNS);
    columns.truncate(MAX_COLUMNS);
    let head = columns.iter().map(|name| cell(name)).collect();
    let mut cells: Vec<Vec<String>> = vec![head];
    cells.extend(rows.iter().take(MAX_ENTRIES).map(|row| {
        let value = |name: &&str| row.get(*name).map(|value| cell(&scalar(value)));
        columns.iter().map(|name| value(name).unwrap_or_default()).collect()
    }));
    let mut table = written(&cells);
    if items.len() > MAX_ENTRIES {
        table += &format!("{}\n", plain.more("more_entries", items.len() - MAX_ENTRIES));
    }
    if more > 0 {
        table += &format!("{}\n", plain.more("more_columns", more));
    }
    Some(table)
}

fn cell(text: &str) -> String {
    shorten(&text.replace(['\n', '\t'], " ").replace('|', "\\|"), MAX_CELL)
}

/// The rows below each other, the first of them as the head.
fn written(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let widest = |column: usize| rows.iter().map(|row| width(&row[column])).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(|column| widest(column).max(3)).collect();
    let mut table = String::new();
    for (at, row) in rows.iter().enumerate() {
        for (cell, room) in row.iter().zip(&widths) {
            table.push_str("| ");
            table.push_str(cell);
            table.push_str(&" ".repeat(room + 1 - width(cell)));
        }
        table.push_str("|\n");
        if at == 0 {
            widths.iter().for_each(|room| table += &format!("|{}", "-".repeat(room + 2)));
            table.push_str("|\n");
        }
    }
    table
}

/// The columns of a terminal that a text takes: characters of East Asia take two.
fn width(text: &str) -> usize {
    let wide = |c: char| {
        matches!(c, '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}'
            | '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe6f}' | '\u{ff00}'..='\u{ff60}'
            | '\u{ffe0}'..='\u{ffe6}' | '\u{1f300}'..='\u{1faff}' | '\u{20000}'..='\u{3fffd}')
    };
    text.chars().map(|c| 1 + usize::from(wide(c))).sum()
}

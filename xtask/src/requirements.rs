//! The table of requirements: every one has its row, and the tests of a row exist and hold its id.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use anyhow::{Context, Result};

use crate::tidy::Fault;
use crate::tidy::tree::Tree;
use crate::{only, root, say};

const FILE: &str = "docs/REQUIREMENTS.md";

/// The number of requirements of each of the systems S0 to S4.
const COUNTS: [u32; 5] = [58, 46, 42, 33, 33];

/// The mark of a requirement that no test shows yet.
const OPEN: &str = "open";

/// A requirement: `S0-39` is `(0, 39)`.
type Id = (u32, u32);

/// A row of the table.
#[derive(Debug)]
struct Row {
    line: usize,
    id: Id,
    room: String,
    tests: Vec<String>,
}

/// Lists what is open; `--write` puts the tests that exist into the table.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    only(arguments, &["--write"])?;
    let tree = Tree::read(&root())?;
    if arguments.iter().any(|argument| argument == "--write") {
        let text = tree.text(FILE).context("there is no table of requirements")?;
        fs::write(root().join(FILE), filled(text, &by_id(&tree)))
            .context("cannot write the table")?;
        return Ok(());
    }
    let (rows, faults) = rows(&tree);
    for fault in faults {
        say(&fault.to_string());
    }
    let open: Vec<&Row> = rows.iter().filter(|row| row.tests.is_empty()).collect();
    for system in 0..COUNTS.len() as u32 {
        let ids: Vec<String> =
            open.iter().filter(|row| row.id.0 == system).map(|row| shown(row.id)).collect();
        say(&format!("S{system}: {} open: {}", ids.len(), ids.join(" ")));
    }
    let found = by_id(&tree);
    for row in &rows {
        let unnamed = found.get(&row.id).into_iter().flatten();
        for name in unnamed.filter(|name| !row.tests.contains(name)) {
            say(&format!("{}: `{name}` is not in the table", shown(row.id)));
        }
    }
    say("`cargo xtask requirements --write` puts every test that exists into the table");
    Ok(())
}

/// Faults of the table.
pub(crate) fn faults(tree: &Tree) -> Vec<Fault> {
    let (rows, mut faults) = rows(tree);
    let found = by_id(tree);
    let all: BTreeSet<&String> = found.values().flatten().collect();
    let mut seen = BTreeSet::new();
    for row in &rows {
        let mut fault = |message: String| faults.push(Fault::new(FILE, row.line, message));
        if !seen.insert(row.id) {
            fault(format!("{} is here twice", shown(row.id)));
        }
        if !row.tests.is_empty() && !tree.has(&row.room) {
            fault(format!("there is no file or folder `{}`", row.room));
        }
        for name in &row.tests {
            if !all.contains(name) {
                fault(format!("there is no test or case `{name}`"));
            } else if !ids(name).contains(&row.id) {
                fault(format!("the name `{name}` does not hold {}", shown(row.id).to_lowercase()));
            }
        }
    }
    let all = (0..).zip(COUNTS).flat_map(|(system, count)| (1..=count).map(move |n| (system, n)));
    let missing: Vec<String> = all.filter(|id| !seen.contains(id)).map(shown).collect();
    if !missing.is_empty() {
        faults.push(Fault::new(FILE, 0, format!("no row for {}", missing.join(" "))));
    }
    faults
}

fn shown((system, number): Id) -> String {
    format!("S{system}-{number}")
}

/// The rows of the table, and what cannot be read as one.
fn rows(tree: &Tree) -> (Vec<Row>, Vec<Fault>) {
    let mut rows = Vec::new();
    let mut faults = Vec::new();
    let text = tree.text(FILE).unwrap_or_default();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| line.starts_with("| S")) {
        match row(index + 1, line) {
            Some(row) => rows.push(row),
            None => {
                let message = "a row is `| id | what | room | shown by |`, with `open` or names";
                faults.push(Fault::new(FILE, index + 1, message));
            }
        }
    }
    (rows, faults)
}

fn row(line: usize, text: &str) -> Option<Row> {
    let cells: Vec<&str> = text.trim_matches('|').split('|').map(str::trim).collect();
    let [id, what, room, tests] = cells[..] else { return None };
    let (system, number) = id.strip_prefix('S')?.split_once('-')?;
    let id = (system.parse().ok()?, number.parse().ok()?);
    let known = COUNTS.get(id.0 as usize).is_some_and(|count| (1..=*count).contains(&id.1));
    if !known || what.is_empty() || room.is_empty() || tests.is_empty() {
        return None;
    }
    let names = tests.split(',').map(|name| name.trim().trim_matches('`').to_owned());
    let tests = if tests == OPEN { Vec::new() } else { names.collect() };
    Some(Row { line, id, room: room.trim_matches('`').to_owned(), tests })
}

/// The table with every test that exists in its row, and `open` where there is none.
fn filled(text: &str, found: &BTreeMap<Id, BTreeSet<String>>) -> String {
    let line = |line: &str| match row(0, line) {
        Some(row) => {
            let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
            let names = found.get(&row.id).into_iter().flatten();
            let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
            let names = if names.is_empty() { OPEN.to_owned() } else { names.join(", ") };
            format!("| {} | {} | {} | {names} |\n", cells[0], cells[1], cells[2])
        }
        None => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

/// Every test and case whose name holds an id, by id.
fn by_id(tree: &Tree) -> BTreeMap<Id, BTreeSet<String>> {
    let mut found: BTreeMap<Id, BTreeSet<String>> = BTreeMap::new();
    let mut note = |name: &str| {
        for id in ids(name) {
            found.entry(id).or_default().insert(name.to_owned());
        }
    };
    for (_, text) in tree.ending(".rs") {
        // A test's signature is alone on its line; strings that look like one are indented data.
        for line in text.lines().map(str::trim_start) {
            let line = line.strip_prefix("async ").unwrap_or(line);
            if let Some((name, _)) = line.strip_prefix("fn ").and_then(|rest| rest.split_once('('))
            {
                note(name);
            }
        }
    }
    for name in tree.files.keys().filter(|name| name.starts_with("spec/")) {
        let file = name.rsplit('/').next().unwrap_or(name);
        note(file.split('.').next().unwrap_or(file));
    }
    found
}

/// The ids that a name holds: `s0_39_s0_43_one_line` has two.
fn ids(name: &str) -> Vec<Id> {
    let parts: Vec<&str> = name.split('_').collect();
    let pairs = parts.windows(2).filter_map(|pair| {
        let system: u32 = pair[0].strip_prefix('s')?.parse().ok()?;
        let number: u32 = pair[1].parse().ok()?;
        let count = COUNTS.get(system as usize)?;
        (1..=*count).contains(&number).then_some((system, number))
    });
    pairs.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_hold_ids_as_whole_words() {
        assert_eq!(ids("s0_39_s0_43_one_line"), [(0, 39), (0, 43)]);
        assert_eq!(ids("rows_s4_14"), [(4, 14)]);
        assert_eq!(ids("s0_99_s9_1_values3_4"), []);
    }

    #[test]
    fn a_row_that_names_what_is_not_there_is_a_fault() {
        let table = "| S0-1 | a | `src` | `s0_1_works` |\n| S0-2 | a | `src` | `s0_1_works` |\n\
                     | S0-3 | a | `src` | `s0_3_gone` |\n| S0-3 | a | `x` | open |\n| S0-x |\n";
        let code = "#[test]\nfn s0_1_works() {}\n    async fn s0_4_works() {}\n";
        let tree = Tree::of(&[(FILE, table), ("src/a.rs", code)]);
        let found: Vec<Fault> = faults(&tree).into_iter().filter(|fault| fault.line > 0).collect();
        let lines: Vec<usize> = found.iter().map(|fault| fault.line).collect();
        assert_eq!(lines, [5, 2, 3, 4], "{found:?}");
    }

    #[test]
    fn tests_that_exist_are_filled_in() {
        let found = by_id(&Tree::of(&[("a.rs", "fn s0_2_b() {}\nfn s0_2_a() {}\n")]));
        let table = "# T\n\n| S0-1 | a | `x` | `s0_1_gone` |\n| S0-2 | b | `y` | open |\n";
        let expected =
            "# T\n\n| S0-1 | a | `x` | open |\n| S0-2 | b | `y` | `s0_2_a`, `s0_2_b` |\n";
        assert_eq!(filled(table, &found), expected);
    }
}

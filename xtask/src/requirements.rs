//! The table of requirements: every one has its row, the tests of a row exist and hold its id, and a row says what is left.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use anyhow::{Context, Result};

use crate::tidy::Fault;
use crate::tidy::tree::Tree;
use crate::{COMMANDS, only, root, say};

const FILE: &str = "docs/REQUIREMENTS.md";

/// The number of requirements of each of the systems S0 to S4.
const COUNTS: [u32; 5] = [58, 46, 42, 33, 33];

/// The mark of a requirement that nothing shows yet.
const OPEN: &str = "open";

/// The beginning of the note of a row that is shown: how the program differs from the requirement, and why.
const BUT: &str = "but ";

/// The beginning of a command that a row may name as well as tests, because it fails without what the row asks for.
const COMMAND: &str = "cargo xtask ";

/// A requirement: `S0-39` is `(0, 39)`.
type Id = (u32, u32);

/// A row of the table.
#[derive(Debug)]
struct Row {
    line: usize,
    id: Id,
    room: String,
    tests: Vec<String>,
    commands: Vec<String>,
    /// What is missing if the row is open, else what differs, and why.
    note: Option<String>,
}

impl Row {
    fn is_open(&self) -> bool {
        self.tests.is_empty() && self.commands.is_empty()
    }
}

/// Lists what is open and what differs; `--write` puts the tests that exist into the table.
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
    let differs = |row: &Row| !row.is_open() && row.note.is_some();
    for system in 0..COUNTS.len() as u32 {
        let (open, differing) =
            (listed(&rows, system, Row::is_open), listed(&rows, system, differs));
        say(&format!("S{system} open: {open}\nS{system} but: {differing}"));
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

/// The number of the rows of a system for which this holds, and their ids.
fn listed(rows: &[Row], system: u32, holds: impl Fn(&Row) -> bool) -> String {
    let own = rows.iter().filter(|row| row.id.0 == system && holds(row));
    let ids: Vec<String> = own.map(|row| shown(row.id)).collect();
    format!("{} {}", ids.len(), ids.join(" "))
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
        if !row.is_open() && !tree.has(&row.room) {
            fault(format!("there is no file or folder `{}`", row.room));
        }
        for name in &row.tests {
            if !all.contains(name) {
                fault(format!("there is no test `{name}`"));
            } else if !ids(name).contains(&row.id) {
                fault(format!("the name `{name}` does not hold {}", shown(row.id).to_lowercase()));
            }
        }
        for command in &row.commands {
            let name = command.strip_prefix(COMMAND).and_then(|rest| rest.split(' ').next());
            if !COMMANDS.iter().any(|(known, ..)| Some(*known) == name) {
                fault(format!("there is no command `{command}`"));
            }
        }
        match &row.note {
            None if row.is_open() => {
                fault(format!("{} is open and does not say what is missing", shown(row.id)));
            }
            Some(note) if !row.is_open() && !note.starts_with(BUT) => {
                fault(format!("the note of {} does not begin with `but`", shown(row.id)));
            }
            _ => {}
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
                let message = "a row is `| id | what | room | shown by |`, with `open` or names, \
                               and a note after a semicolon";
                faults.push(Fault::new(FILE, index + 1, message));
            }
        }
    }
    (rows, faults)
}

fn row(line: usize, text: &str) -> Option<Row> {
    let [id, what, room, shown_by] = cells(text)[..] else { return None };
    let (system, number) = id.strip_prefix('S')?.split_once('-')?;
    let id = (system.parse().ok()?, number.parse().ok()?);
    let known = COUNTS.get(id.0 as usize).is_some_and(|count| (1..=*count).contains(&id.1));
    let (names, note) = match shown_by.split_once(';') {
        Some((names, note)) => (names.trim(), Some(note.trim().to_owned())),
        None => (shown_by, None),
    };
    if !known || [what, room, names].contains(&"") || note.as_deref() == Some("") {
        return None;
    }
    let names = names.split(',').map(|name| name.trim().trim_matches('`').to_owned());
    let (commands, tests) =
        names.filter(|name| name != OPEN).partition(|name| name.starts_with(COMMAND));
    Some(Row { line, id, room: room.trim_matches('`').to_owned(), tests, commands, note })
}

fn cells(row: &str) -> Vec<&str> {
    row.trim_matches('|').split('|').map(str::trim).collect()
}

/// The table with every test that exists in its row, and `open` if there is neither a test nor a command.
fn filled(text: &str, found: &BTreeMap<Id, BTreeSet<String>>) -> String {
    let line = |line: &str| {
        let Some(row) = row(0, line) else { return format!("{line}\n") };
        let tests = found.get(&row.id).into_iter().flatten();
        let names: Vec<String> =
            tests.chain(&row.commands).map(|name| format!("`{name}`")).collect();
        let names = if names.is_empty() { OPEN.to_owned() } else { names.join(", ") };
        // What an open row says is missing has come with its first test.
        let is_kept = |note: &String| names == OPEN || note.starts_with(BUT);
        let note = row.note.filter(is_kept).map(|note| format!("; {note}")).unwrap_or_default();
        let cells = cells(line);
        format!("| {} | {} | {} | {names}{note} |\n", cells[0], cells[1], cells[2])
    };
    text.lines().map(line).collect()
}

/// Every test whose name holds an id, by id.
fn by_id(tree: &Tree) -> BTreeMap<Id, BTreeSet<String>> {
    let mut found: BTreeMap<Id, BTreeSet<String>> = BTreeMap::new();
    for name in tree.ending(".rs").flat_map(|(_, text)| tests_of(text)) {
        for id in ids(name) {
            found.entry(id).or_default().insert(name.to_owned());
        }
    }
    found
}

/// The names of the functions of a file that are tests. A helper with an id in its name shows nothing by itself.
fn tests_of(text: &str) -> Vec<&str> {
    let (mut names, mut is_test) = (Vec::new(), false);
    // An attribute and a signature each begin a line; strings that look like them are indented data.
    for line in text.lines().map(str::trim_start) {
        is_test |= line.starts_with("#[test]") || line.starts_with("#[tokio::test");
        let signature = line.strip_prefix("async ").unwrap_or(line);
        let name = signature.strip_prefix("fn ").and_then(|rest| rest.split_once('('));
        if let Some((name, _)) = name
            && std::mem::take(&mut is_test)
        {
            names.push(name);
        }
    }
    names
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
                     | S0-3 | a | `src` | `s0_3_gone` |\n| S0-3 | a | `x` | open; all |\n| S0-x |\n\
                     | S0-4 | a | `src` | `s0_4_helps` |\n| S0-5 | a | `src` | `cargo xtask dance` |\n";
        let code = "#[test]\nfn s0_1_works() {}\n    fn s0_4_helps() {}\n";
        let tree = Tree::of(&[(FILE, table), ("src/a.rs", code)]);
        let found: Vec<Fault> = faults(&tree).into_iter().filter(|fault| fault.line > 0).collect();
        let lines: Vec<usize> = found.iter().map(|fault| fault.line).collect();
        assert_eq!(lines, [5, 2, 3, 4, 6, 7], "{found:?}");
    }

    #[test]
    fn an_open_row_says_what_is_missing_and_another_says_but() {
        let table = "| S0-1 | a | `src` | `s0_1_works`; but slowly |\n| S0-2 | a | `x` | open |\n\
                     | S0-3 | a | `src` | `cargo xtask check`; slowly |\n| S0-4 | a | `x` | open; |\n";
        let tree = Tree::of(&[(FILE, table), ("src/a.rs", "#[test]\nfn s0_1_works() {}\n")]);
        let found: Vec<Fault> = faults(&tree).into_iter().filter(|fault| fault.line > 0).collect();
        let lines: Vec<usize> = found.iter().map(|fault| fault.line).collect();
        assert_eq!(lines, [4, 2, 3], "{found:?}");
    }

    #[test]
    fn tests_that_exist_are_filled_in_and_notes_are_kept() {
        let code = "#[test]\nfn s0_2_b() {}\n#[tokio::test(flavor = \"multi_thread\")]\n\
                    #[expect(clippy::panic, reason = \"so\")]\nasync fn s0_2_a() {}\nfn s0_2_c() {}\n";
        let found = by_id(&Tree::of(&[("a.rs", code)]));
        let table = "# T\n\n| S0-1 | a | `x` | `s0_1_gone`; but slowly |\n| S0-2 | b | `y` | open; all |\n\
                     | S0-3 | c | `z` | `s0_3_gone`, `cargo xtask check`; but slowly |\n";
        let expected = "# T\n\n| S0-1 | a | `x` | open; but slowly |\n\
                        | S0-2 | b | `y` | `s0_2_a`, `s0_2_b` |\n\
                        | S0-3 | c | `z` | `cargo xtask check`; but slowly |\n";
        assert_eq!(filled(table, &found), expected);
        assert_eq!(filled(expected, &found), expected);
    }
}

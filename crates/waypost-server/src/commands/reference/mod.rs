//! `waypost reference`: the pages of `docs/reference`, printed from the definitions that the program
//! itself reads. A test compares them with the files, so that they cannot be stale.

mod command_line;
mod environment;
mod schema;

use std::fs;

use schemars::schema_for;
use waypost::Error;
use waypost::pack::Pack;
use waypost::records::rollout::Key;

use crate::cli::ReferenceArgs;
use crate::config::Config;
use crate::failure::Failure;
use schema::Notation;

/// The first words below each title.
const ORIGIN: &str = "This page is printed from the program's own definitions and checked by a test; \
                      do not edit it.";

pub(super) fn run(args: &ReferenceArgs) -> Result<u8, Failure> {
    let pages = [
        ("command-line.md", command_line::page()),
        ("configuration.md", configuration()),
        ("environment.md", environment::page()),
        ("pack.md", pack()),
    ];
    for (name, page) in pages {
        let path = args.folder.join(name);
        fs::write(&path, page).map_err(|error| {
            Failure::usage(Error::invalid(format!("cannot write `{}`: {error}", path.display())))
        })?;
    }
    Ok(0)
}

fn configuration() -> String {
    let intro = "Waypost needs no configuration. It reads `waypost.toml` in its home folder, or the \
                 file after `--config`. [The environment](environment.md) overrides the file, and \
                 options override both. A *table* below has entries by name.";
    let mut page = format!("# Configuration: `waypost.toml`\n\n{ORIGIN}\n\n{intro}\n");
    page.push_str(&schema::sections(schema_for!(Config).as_value(), Notation::Toml));
    page.push_str("\n## Rollout keys\n\nThese names are the keys of `[rollout]`.\n\n");
    Key::names().for_each(|name| page.push_str(&format!("- `{name}`\n")));
    page
}

fn pack() -> String {
    let intro = "These are the keys of a pack's `pack.yaml`. [The guide](../PACKS.md) shows a whole \
                 pack and says how the keys work together; `waypost schema` prints the same as a JSON \
                 Schema for editors. A *table* below has entries by name.";
    let sections = schema::sections(&Pack::schema(), Notation::Yaml);
    format!("# Keys of a pack: `pack.yaml`\n\n{ORIGIN}\n\n{intro}\n{sections}")
}

/// Writes a text into a cell of a table.
fn cell(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

//! Compares what the program prints, sends and stores with the golden files of `spec/wire`.
//!
//! The records inside are held by the tests of `waypost-core`, with their values; here it is what the
//! surfaces make of them. `WAYPOST_UPDATE_WIRE=1 cargo test -p waypost-server --features full wire` writes the files
//! anew; read `spec/wire/README.md` before committing the difference.

mod commands;
mod http;
mod mcp;
mod settled;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value as Json};

use crate::support::{Home, NOW, WAYPOST, server};
use settled::settled;

/// The variable that has the files written instead of compared, where it is set.
const UPDATE: &str = "WAYPOST_UPDATE_WIRE";

/// The pack of these tests.
const PACK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/packs/minimal");

/// A home whose tools run over data that end before [`NOW`].
fn home() -> Home {
    let home = Home::untrained();
    home.write("waypost.toml", &server(&[WAYPOST, "demo", "ocean", "--now", NOW]));
    home.set("USER", "ada").set("HOSTNAME", "here")
}

/// The golden files of a folder, by name; each holds examples by name.
#[derive(Debug, Default)]
struct Goldens(Map<String, Json>);

impl Goldens {
    /// Adds an example to a file, without what differs from run to run.
    fn add(&mut self, home: &Home, file: &str, example: &str, value: Json) {
        let examples = self.0.entry(file).or_insert_with(|| Json::Object(Map::new()));
        let value = settled(value, &home.path("").display().to_string());
        examples.as_object_mut().unwrap().insert(example.to_owned(), value);
    }

    /// Compares them byte for byte with a folder of `spec/wire`, which may hold nothing besides.
    #[track_caller]
    fn check(&self, folder: &str) {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../spec/wire").join(folder);
        let text = |value: &Json| format!("{}\n", serde_json::to_string_pretty(value).unwrap());
        if std::env::var_os(UPDATE).is_some() {
            fs::create_dir_all(&folder).unwrap();
            for (file, examples) in &self.0 {
                fs::write(folder.join(format!("{file}.json")), text(examples)).unwrap();
            }
        }
        let mut wrong = Vec::new();
        for (file, examples) in &self.0 {
            let (name, text) = (format!("{file}.json"), text(examples));
            let kept = fs::read_to_string(folder.join(&name)).unwrap_or_default();
            if kept != text {
                wrong.push(format!("{name}: the file has\n{kept}\nthe program gives\n{text}"));
            }
        }
        assert!(
            wrong.is_empty(),
            "read spec/wire/README.md, then {UPDATE}=1\n{}",
            wrong.join("\n")
        );
        let mut expected: Vec<String> = self.0.keys().map(|file| format!("{file}.json")).collect();
        expected.sort();
        assert_eq!(names(&folder), expected, "each file is the golden file of something");
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string();
    let mut names: Vec<String> = entries.map(|entry| name(entry).unwrap()).collect();
    names.sort();
    names
}

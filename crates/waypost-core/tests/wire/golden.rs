//! A golden file of `spec/wire`: the types that it shows, and an instance of each under a name.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json, json};

/// Set, the files are written anew instead of compared.
const UPDATE: &str = "WAYPOST_UPDATE_WIRE";

/// A golden file as the code has it.
#[derive(Debug)]
pub(crate) struct Golden {
    file: String,
    content: Map<String, Json>,
}

impl Golden {
    /// An empty file of this name that shows these types.
    pub(crate) fn new(file: &str, types: &[&str]) -> Self {
        let types: BTreeSet<&&str> = types.iter().collect();
        let content = Map::from_iter([("types".to_owned(), json!(types))]);
        Self { file: file.to_owned(), content }
    }

    /// Adds an instance, which must come back from its JSON as it was.
    #[track_caller]
    pub(crate) fn with<T>(mut self, name: &str, value: &T) -> Self
    where
        T: Serialize + DeserializeOwned + PartialEq + Debug,
    {
        let written = serde_json::to_value(value).unwrap();
        let text = serde_json::to_string(&written).unwrap();
        assert_eq!(&serde_json::from_str::<T>(&text).unwrap(), value, "{}: {name}", self.file);
        assert!(self.content.insert(name.to_owned(), written).is_none(), "two are called {name}");
        self
    }

    fn text(&self) -> String {
        format!("{}\n", serde_json::to_string_pretty(&self.content).unwrap())
    }
}

/// Compares files with what a folder of `spec/wire` holds, byte for byte, and holds nothing besides.
#[track_caller]
pub(crate) fn check(folder: &str, goldens: &[Golden]) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../spec/wire").join(folder);
    if std::env::var_os(UPDATE).is_some() {
        fs::create_dir_all(&folder).unwrap();
        for golden in goldens {
            fs::write(folder.join(&golden.file), golden.text()).unwrap();
        }
    }
    let mut wrong = Vec::new();
    for golden in goldens {
        let kept = fs::read_to_string(folder.join(&golden.file)).unwrap_or_default();
        if kept != golden.text() {
            wrong.push(format!(
                "{}: the file has\n{kept}\nthe code\n{}",
                golden.file,
                golden.text()
            ));
        }
    }
    assert!(wrong.is_empty(), "read spec/wire/README.md, then {UPDATE}=1\n{}", wrong.join("\n"));
    let mut expected: Vec<&str> = goldens.iter().map(|golden| golden.file.as_str()).collect();
    expected.sort_unstable();
    assert_eq!(names(&folder), expected, "each file is the golden file of something");
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string();
    let mut names: Vec<String> = entries.map(|entry| name(entry).unwrap()).collect();
    names.sort();
    names
}

/// A value as records write it: for the parts of a record whose types may become finer while their
/// words stay.
#[track_caller]
pub(crate) fn written<T: DeserializeOwned>(json: Json) -> T {
    serde_json::from_value(json).unwrap()
}

/// An object, for a field that holds one.
#[track_caller]
pub(crate) fn object(json: Json) -> Map<String, Json> {
    written(json)
}

//! Compiles the files of words in `lang` into tables that lie ready in the program.
//!
//! The code that reads them is part of the library (`src/extract/lang`), whose tests use it too. A
//! fault in a file is an error of the build, with its line and a hint.

#![allow(clippy::disallowed_methods, reason = "a build script reads and writes files")]

use std::error::Error;
use std::fs;
use std::path::Path;

use extract::grammar::piece::Beginnings;
use extract::lang::compile::{Compiled, Folder, compile};
use extract::lang::file::Fault;
use extract::lang::header::Header;
use extract::lang::inventory::Inventory;
use extract::lang::settings::{HABITS, Settings};

#[allow(dead_code, unreachable_pub, reason = "the library uses what this script does not")]
#[path = "src/extract"]
mod extract {
    pub(crate) mod grammar {
        pub(crate) mod kinds;
        pub(crate) mod phrases;
        pub(crate) mod piece;
        pub(crate) mod script;
        pub(crate) mod term;
        pub(crate) mod token;
        pub(crate) mod units;
    }

    pub(crate) mod lang {
        pub(crate) mod compile;
        pub(crate) mod file;
        pub(crate) mod header;
        pub(crate) mod inventory;
        pub(crate) mod multiples;
        pub(crate) mod pattern;
        pub(crate) mod settings;
    }
}

/// The folder of the files, from the root of the crate.
const LANG: &str = "lang";

fn main() -> Result<(), Box<dyn Error>> {
    tell("cargo::rerun-if-changed=lang");
    tell("cargo::rerun-if-changed=src/extract/lang");
    tell("cargo::rerun-if-changed=src/extract/grammar");
    match tables() {
        Ok(files) => write(&files),
        Err(faults) => {
            for (file, Fault { line, message, hint }) in faults {
                tell(&format!("cargo::error={file}:{line}: {message}; {hint}"));
            }
            Ok(())
        }
    }
}

/// Says something to Cargo.
fn tell(line: &str) {
    println!("{line}");
}

fn write(files: &[(&str, Vec<u8>)]) -> Result<(), Box<dyn Error>> {
    let folder = std::env::var("OUT_DIR")?;
    for (name, bytes) in files {
        fs::write(Path::new(&folder).join(name), bytes)?;
    }
    Ok(())
}

/// A fault with the path of its file.
type Faults = Vec<(String, Fault)>;

/// The files that the library takes in, by name.
fn tables() -> Result<Vec<(&'static str, Vec<u8>)>, Faults> {
    let inventory = inventory()?;
    let folders = folders()?;
    let compiled = compile(&folders, &inventory)?;
    let tables = tables_as_rust(&folders, &compiled).into_bytes();
    let measures = measures_as_rust(&inventory).into_bytes();
    Ok(vec![
        ("tables.rs", tables),
        ("measures.rs", measures),
        ("phrases.bin", compiled.bytes),
        ("phrases.txt", compiled.text.into_bytes()),
    ])
}

fn inventory() -> Result<Inventory, Faults> {
    let mut inventory = Inventory::default();
    for name in ["units.txt", "currencies.txt"] {
        let path = format!("{LANG}/{name}");
        inventory.add(&text(&path)?).map_err(|fault| vec![(path, fault)])?;
    }
    Ok(inventory)
}

/// The folders that `languages.txt` lists, in its order.
fn folders() -> Result<Vec<Folder>, Faults> {
    let list = text(&format!("{LANG}/languages.txt"))?;
    let lines = list.lines().map(|line| extract::lang::file::without_comment(line).trim());
    let names: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    for folder in entries(LANG)?.iter().filter(|name| !name.contains('.')) {
        if !names.contains(&folder.as_str()) {
            let fault = Fault::new(0, "the folder is no language", "name it in `languages.txt`");
            return Err(vec![(format!("{LANG}/{folder}"), fault)]);
        }
    }
    names.into_iter().map(folder).collect()
}

fn folder(name: &str) -> Result<Folder, Faults> {
    let path = format!("{LANG}/{name}");
    let settings = format!("{path}/language.txt");
    let settings = Settings::read(&text(&settings)?).map_err(|fault| vec![(settings, fault)])?;
    let mut files = Vec::new();
    for file in entries(&path)?.iter().filter_map(|file| file.strip_suffix(".txt")) {
        if file != "language" {
            files.push((file.to_owned(), text(&format!("{path}/{file}.txt"))?));
        }
    }
    Ok(Folder { path, settings, files })
}

fn text(path: &str) -> Result<String, Faults> {
    fs::read_to_string(path).map_err(|error| unreadable(path, &error))
}

fn entries(path: &str) -> Result<Vec<String>, Faults> {
    let folder = fs::read_dir(path).map_err(|error| unreadable(path, &error))?;
    let names = folder.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = names.collect();
    names.sort();
    Ok(names)
}

fn unreadable(path: &str, error: &std::io::Error) -> Faults {
    vec![(path.to_owned(), Fault::new(0, error.to_string(), "it has to be text in UTF-8"))]
}

fn tables_as_rust(folders: &[Folder], compiled: &Compiled) -> String {
    let vocabularies = folders.iter().zip(&compiled.beginnings);
    let vocabularies: Vec<String> = vocabularies
        .map(|(folder, beginnings)| vocabulary_as_rust(&folder.settings, *beginnings))
        .collect();
    let terms: Vec<String> = compiled.terms.iter().map(Header::rust).collect();
    format!(
        "pub(super) static VOCABULARIES: [Vocabulary; {}] = [\n{}\n];\n\
         pub(super) static TERMS: [Term; {}] = [\n{}\n];\n",
        vocabularies.len(),
        vocabularies.join(",\n"),
        terms.len(),
        terms.join(",\n"),
    )
}

fn vocabulary_as_rust(settings: &Settings, beginnings: Beginnings) -> String {
    let variants = |tags: &[String]| -> String {
        let tags: Vec<String> = tags.iter().map(|tag| variant(tag)).collect();
        tags.join(", ")
    };
    let habits: Vec<String> =
        HABITS.iter().map(|habit| format!("{habit}: {}, ", settings.has(habit))).collect();
    let numerals = settings.numerals.as_deref();
    let numerals =
        numerals.map(|name| format!("Numerals::{}", extract::lang::header::camel_case(name)));
    format!(
        "Vocabulary {{ name: {:?}, languages: Languages::of(&[{}]), \
         not_in: Languages::of(&[{}]), {}numerals: {}, plurals: &{:?}, \
         letters: &{:?}, beginnings: {beginnings:?} }}",
        settings.name,
        variants(&settings.languages),
        variants(&settings.not_in),
        habits.concat(),
        numerals.map_or("None".to_owned(), |numerals| format!("Some({numerals})")),
        settings.plurals,
        settings.letters,
    )
}

/// The variant of `Language` with a tag: `zh-Hant` is `ZhHant`.
fn variant(tag: &str) -> String {
    format!("Language::{}", extract::lang::header::camel_case(&tag.to_lowercase()))
}

fn measures_as_rust(inventory: &Inventory) -> String {
    let constants = inventory.measures.iter().map(|(name, measure)| {
        let name = name.to_uppercase().replace('-', "_");
        format!("pub(crate) const {name}: Measure = {measure:?};\n")
    });
    let all = inventory.measures.iter().map(|(_, measure)| format!("    &{measure:?},\n"));
    let all: String = all.collect();
    let count = inventory.measures.len();
    let list = format!("pub(crate) static ALL: [&Measure; {count}] = [\n{all}];\n");
    constants.chain([list]).collect()
}

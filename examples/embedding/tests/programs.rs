//! Every program of `src/bin` is run, and prints what the text beside it says.
//!
//! `WAYPOST_UPDATE_EXAMPLES=1 cargo test -p waypost-examples` writes the texts anew; read the
//! difference before committing it.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn every_program_prints_what_the_text_beside_it_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/bin");
    let programs = programs(&folder);
    assert!(programs.len() >= 3, "{programs:?}");
    let mut wrong = Vec::new();
    for name in &programs {
        let printed = run(name);
        let beside = folder.join(format!("{name}.txt"));
        if std::env::var_os("WAYPOST_UPDATE_EXAMPLES").is_some() {
            fs::write(&beside, &printed).unwrap();
        }
        let shown = fs::read_to_string(&beside).unwrap_or_default();
        if printed != shown {
            wrong.push(format!("{name} prints\n{printed}\nand beside it stands\n{shown}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// Every program opens with how it is run, and the index names it.
#[test]
fn every_program_says_how_it_is_run() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let index = fs::read_to_string(root.join("../README.md")).unwrap();
    for name in programs(&root.join("src/bin")) {
        let text = fs::read_to_string(root.join("src/bin").join(format!("{name}.rs"))).unwrap();
        let command = format!("`cargo run -p waypost-examples --bin {name}`");
        assert!(text.contains(&format!("//! {command}")), "{name} does not open with {command}");
        assert!(index.contains(&format!("{name}.rs")), "examples/README.md has no {name}");
    }
}

fn programs(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let sources = paths.filter(|path| path.extension().is_some_and(|end| end == "rs"));
    let name = |path: PathBuf| path.file_stem().unwrap().to_string_lossy().into_owned();
    let mut names: Vec<String> = sources.map(name).collect();
    names.sort();
    names
}

/// Runs a program that cargo built beside this test, and returns what it printed.
fn run(name: &str) -> String {
    let test = std::env::current_exe().unwrap();
    let built = test.parent().and_then(Path::parent).unwrap();
    let program = built.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    let output = Command::new(program).env_clear().output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}: {errors}");
    assert!(errors.is_empty(), "{name} complains: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

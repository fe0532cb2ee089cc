//! Puts the packs of this repository into the binary, so that it runs anywhere as one file, and a hash
//! of the code that it is built from, so that it knows which students it trained itself.

use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

/// The file of a pack with its cases: questions that are no examples, with the right answers.
const CASES: &str = "cases.jsonl";
/// The file of a pack with its trained student.
const STUDENT: &str = "student.bin";
/// The parts of a crate that are no part of the program.
const OUTSIDE: [&str; 4] = ["tests", "benches", "examples", "target"];
/// The settings that also decide what a compiler makes of the code, as cargo tells them.
const SETTINGS: [&str; 5] =
    ["TARGET", "PROFILE", "OPT_LEVEL", "CARGO_CFG_TARGET_FEATURE", "CARGO_ENCODED_RUSTFLAGS"];

fn main() -> io::Result<()> {
    packs()?;
    code()
}

/// Hashes all code of the workspace, the versions of what it depends on, and how it is compiled, into
/// `WAYPOST_CODE`: a program with another hash may train otherwise. The whole workspace and not the
/// crates that train alone, so that no list of them can be wrong; of the executable itself only its
/// 64 MB could be hashed, at each start.
fn code() -> io::Result<()> {
    let workspace = workspace();
    let mut hasher = DefaultHasher::new();
    let mut files = vec![workspace.join("Cargo.toml"), workspace.join("Cargo.lock")];
    for member in sorted(&workspace.join("crates"))? {
        let parts = sorted(&member)?.into_iter();
        files.extend(parts.filter(|part| !OUTSIDE.iter().any(|name| part.ends_with(name))));
    }
    for file in &files {
        println!("cargo:rerun-if-changed={}", file.display());
        hash(file, &workspace, &mut hasher)?;
    }
    for name in SETTINGS {
        (name, env::var_os(name)).hash(&mut hasher);
    }
    let compiler = env::var_os("RUSTC").map_or_else(|| PathBuf::from("rustc"), PathBuf::from);
    Command::new(compiler).arg("-vV").output()?.stdout.hash(&mut hasher);
    println!("cargo:rustc-env=WAYPOST_CODE={:016x}", hasher.finish());
    Ok(())
}

/// The workspace that is built now. Asked when this runs: worktrees that share a target folder share
/// this program too, and it was compiled in one of them.
fn workspace() -> PathBuf {
    Path::new(&env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("../..")
}

/// Hashes a file, or all files of a folder, with their names; that a file is missing counts too.
fn hash(path: &Path, workspace: &Path, hasher: &mut DefaultHasher) -> io::Result<()> {
    if path.is_dir() {
        return sorted(path)?.iter().try_for_each(|inner| hash(inner, workspace, hasher));
    }
    path.strip_prefix(workspace).unwrap_or(path).hash(hasher);
    let content = if path.exists() { Some(fs::read(path)?) } else { None };
    content.hash(hasher);
    Ok(())
}

fn packs() -> io::Result<()> {
    let root = workspace().join("packs");
    println!("cargo:rerun-if-changed={}", root.display());
    let mut table = String::from("&[\n");
    for pack in sorted(&root)? {
        let mut files = Vec::new();
        collect(&pack, &pack, &mut files)?;
        let name = pack.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let _ = writeln!(table, "    Embedded {{\n        name: {name:?},\n        files: &[");
        for (file, path) in files {
            println!("cargo:rerun-if-changed={path}");
            let _ = writeln!(table, "            ({file:?}, include_str!({path:?})),");
        }
        table.push_str("        ],\n");
        let cases = beside(&pack, CASES).map(|path| format!("include_str!({path:?})"));
        let _ = writeln!(table, "        cases: {},", cases.unwrap_or_else(|| "\"\"".to_owned()));
        let student = beside(&pack, STUDENT).map(|path| format!("Some(include_bytes!({path:?}))"));
        let _ = writeln!(table, "        student: {},", student.as_deref().unwrap_or("None"));
        table.push_str("    },\n");
    }
    table.push_str("]\n");
    let out = env::var_os("OUT_DIR").unwrap_or_default();
    fs::write(Path::new(&out).join("packs.rs"), table)
}

/// The path of a file of a pack, if there is such a file; cargo builds again when it changes.
fn beside(pack: &Path, file: &str) -> Option<String> {
    let path = pack.join(file).canonicalize().ok()?.to_string_lossy().into_owned();
    println!("cargo:rerun-if-changed={path}");
    Some(path)
}

fn collect(pack: &Path, folder: &Path, files: &mut Vec<(String, String)>) -> io::Result<()> {
    for path in sorted(folder)? {
        if path.is_dir() {
            collect(pack, &path, files)?;
        } else if let Ok(name) = path.strip_prefix(pack) {
            let name = name.to_string_lossy().replace('\\', "/");
            let path = path.canonicalize()?.to_string_lossy().into_owned();
            // Cases examine students, and a student is made of the pack: neither is a part of what the pack is.
            if name != CASES && name != STUDENT {
                files.push((name, path));
            }
        }
    }
    Ok(())
}

fn sorted(folder: &Path) -> io::Result<Vec<std::path::PathBuf>> {
    let mut paths: Vec<_> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    paths.sort();
    Ok(paths)
}

//! Puts the packs of this repository into the binary, so that it runs anywhere as one file.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs, io};

/// The file of a pack that says what is right of questions that are no examples.
const CASES: &str = "cases.jsonl";

fn main() -> io::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packs");
    println!("cargo:rerun-if-changed={}", root.display());
    let mut table = String::from("&[\n");
    let mut cases = String::from("&[\n");
    for pack in sorted(&root)? {
        let mut files = Vec::new();
        collect(&pack, &pack, &mut files)?;
        let name = pack.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let _ = writeln!(table, "    ({name:?}, &[");
        for (file, path) in files {
            println!("cargo:rerun-if-changed={path}");
            let _ = writeln!(table, "        ({file:?}, include_str!({path:?})),");
        }
        table.push_str("    ]),\n");
        if let Ok(path) = pack.join(CASES).canonicalize() {
            println!("cargo:rerun-if-changed={}", path.display());
            let path = path.to_string_lossy().into_owned();
            let _ = writeln!(cases, "    ({name:?}, include_str!({path:?})),");
        }
    }
    table.push_str("]\n");
    cases.push_str("]\n");
    let out = env::var_os("OUT_DIR").unwrap_or_default();
    fs::write(Path::new(&out).join("packs.rs"), table)?;
    fs::write(Path::new(&out).join("cases.rs"), cases)
}

fn collect(pack: &Path, folder: &Path, files: &mut Vec<(String, String)>) -> io::Result<()> {
    for path in sorted(folder)? {
        if path.is_dir() {
            collect(pack, &path, files)?;
        } else if let Ok(name) = path.strip_prefix(pack) {
            let name = name.to_string_lossy().replace('\\', "/");
            let path = path.canonicalize()?.to_string_lossy().into_owned();
            // Cases examine students; they are no part of what the pack is.
            if name != CASES {
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

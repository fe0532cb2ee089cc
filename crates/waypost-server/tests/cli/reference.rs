//! The pages of docs/reference are what the program prints of itself.
//!
//! After a change of an option, a key or a variable, `WAYPOST_UPDATE_REFERENCE=1 cargo test reference`
//! writes the pages anew; read the difference before committing it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::Home;

const PAGES: [&str; 4] = ["command-line.md", "configuration.md", "environment.md", "pack.md"];

fn reference() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference")
}

#[test]
fn the_reference_pages_are_what_the_program_prints() {
    let home = Home::new();
    let update = std::env::var_os("WAYPOST_UPDATE_REFERENCE").is_some();
    let scratch = tempfile::tempdir().unwrap();
    let folder = if update { reference() } else { scratch.path().to_owned() };
    home.run(&["reference", folder.to_str().unwrap()]).ended(0);
    for page in PAGES {
        let printed = fs::read_to_string(folder.join(page)).unwrap();
        let kept = fs::read_to_string(reference().join(page)).unwrap();
        assert!(printed == kept, "docs/reference/{page} is stale: set WAYPOST_UPDATE_REFERENCE=1");
    }
}

#[test]
fn every_link_of_the_documents_leads_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut wrong = Vec::new();
    for folder in ["", "docs", "docs/reference"] {
        for entry in fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "md") {
                continue;
            }
            let text = prose(&path);
            for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
                if !link.starts_with("http") && !leads(&path, link) {
                    wrong.push(format!("{}: {link}", path.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns true if there is such a file, and such a heading in it.
fn leads(from: &Path, link: &str) -> bool {
    let (file, heading) = link.split_once('#').unwrap_or((link, ""));
    let target = match file {
        "" => from.to_owned(),
        file => from.parent().unwrap().join(file),
    };
    let headings = || prose(&target).lines().any(|line| is_heading(line, heading));
    target.exists() && (heading.is_empty() || headings())
}

fn is_heading(line: &str, anchor: &str) -> bool {
    let title = line.trim_start_matches('#').trim();
    let kept = title.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ' '));
    line.starts_with('#') && kept.collect::<String>().to_lowercase().replace(' ', "-") == anchor
}

/// A document without its blocks of code.
fn prose(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    text.split("```").step_by(2).collect()
}

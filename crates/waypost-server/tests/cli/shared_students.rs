//! The students that tests share: a start in a home reads the one that an earlier home trained, instead of
//! training it again. They are kept for one build of the program.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::UNIX_EPOCH;

use crate::support::WAYPOST;

/// The folder in which a home keeps its students.
const CACHE: &str = "cache/students";

/// Puts the shared students into a home.
pub(crate) fn lend(home: &Path) {
    link_all(shared(), &home.join(CACHE));
}

/// Takes what was trained in a home.
pub(crate) fn take(home: &Path) {
    link_all(&home.join(CACHE), shared());
}

/// The folder of the shared students.
fn shared() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("students");
        let built = fs::metadata(WAYPOST).and_then(|file| file.modified()).unwrap();
        let build = built.duration_since(UNIX_EPOCH).unwrap().as_nanos().to_string();
        let folder = root.join(&build);
        fs::create_dir_all(&folder).unwrap();
        for old in fs::read_dir(&root).unwrap().flatten().filter(|old| *old.file_name() != *build) {
            // Another run may remove it as well.
            let _ = fs::remove_dir_all(old.path());
        }
        folder
    })
}

/// Links every student of one folder into another that does not have it. A student's file is replaced
/// and never written again, so that two homes can hold the same one.
fn link_all(from: &Path, to: &Path) {
    let Ok(students) = fs::read_dir(from) else { return };
    fs::create_dir_all(to).unwrap();
    for student in students.flatten().map(|entry| entry.path()) {
        let is_student = student.extension().is_some_and(|kind| kind == "student");
        let target = to.join(student.file_name().unwrap());
        if is_student && !target.exists() && fs::hard_link(&student, &target).is_err() {
            // Another test may have linked it, or the two lie on different volumes.
            let _ = fs::copy(&student, &target);
        }
    }
}

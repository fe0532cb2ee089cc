//! A store that cannot be used costs the memory, never the answer.

use std::fs;

use crate::support::{Home, Run};

const QUESTION: &str = "現在台灣周遭海溫多少？";

#[track_caller]
fn answers_with_a_warning(run: &Run) {
    run.ended(0).told(&["WARN", "nothing will be remembered"]);
    assert!(run.stdout.starts_with("2025-11-05：台灣周遭"), "{run:?}");
}

#[test]
fn a_file_in_place_of_the_home() {
    let outer = Home::new();
    outer.write("home", "not a folder");
    let home = Home::new().set("WAYPOST_HOME", &outer.path("home").to_string_lossy());
    answers_with_a_warning(&home.ask(&["--session", "s", QUESTION]));
}

#[test]
fn a_home_that_cannot_be_made() {
    // The null device holds no folders, for the superuser neither.
    let home = Home::new().set("WAYPOST_HOME", "/dev/null/home");
    answers_with_a_warning(&home.ask(&["--session", "s", QUESTION]));
}

#[cfg(unix)]
#[test]
fn a_home_that_may_not_be_written() {
    use std::os::unix::fs::PermissionsExt;
    let outer = Home::new();
    let folder = outer.path("home");
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o555)).unwrap();
    let home = Home::new().set("WAYPOST_HOME", &folder.to_string_lossy());
    let run = home.ask(&["--session", "s", QUESTION]);
    // The superuser may write anyway; then there is nothing to warn of.
    if fs::write(folder.join("probe"), "").is_ok() {
        run.ended(0);
    } else {
        answers_with_a_warning(&run);
    }
}

#[test]
fn a_store_that_is_no_database() {
    let home = Home::new();
    home.write("waypost.db", &"this is no database. ".repeat(500));
    let run = home.ask(&["--session", "s", QUESTION]);
    answers_with_a_warning(&run);
    // Whatever it is, it is the user's.
    let kept = fs::read_to_string(home.path("waypost.db")).unwrap();
    assert!(kept.starts_with("this is no database."), "{kept}");
}

#[cfg(unix)]
#[test]
fn a_disk_that_is_full() {
    let home = Home::new();
    home.ask(&["--session", "s", QUESTION]).ended(0);
    // No file may grow past one block, and growing one is an error instead of a signal.
    let mut limited = std::process::Command::new("/bin/sh");
    let script = "trap '' XFSZ; ulimit -f 1; exec \"$0\" \"$@\"";
    limited.args(["-c", script, crate::support::WAYPOST, "ask", "--now", crate::support::NOW]);
    limited.args(["--session", "s", QUESTION]);
    limited.env_clear().env("WAYPOST_HOME", home.path(""));
    let run = crate::support::finish(limited, b"");
    run.ended(0);
    assert!(run.stdout.starts_with("2025-11-05：台灣周遭"), "{run:?}");
}

#[test]
fn chat_goes_on_without_a_store() {
    let home = Home::new().set("WAYPOST_HOME", "/dev/null/home");
    let run = home.run_with(&["chat"], "海溫多少\n台灣海峽\n".as_bytes());
    run.ended(0).told(&["nothing will be remembered"]);
    assert!(run.stdout.lines().last().unwrap().contains("台灣海峽海溫約"), "{run:?}");
}

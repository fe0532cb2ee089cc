//! Every record that leaves the process against its golden file in `spec/wire`.
//!
//! Records are built with all their fields named, and enumerations listed by a match without a
//! wildcard: a field or a variant that is added does not compile here until it has its golden file.
//! `WAYPOST_UPDATE_WIRE=1 cargo test -p waypost-core --test wire` writes the files anew; read
//! `spec/wire/README.md` before committing the difference.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]
#![expect(clippy::disallowed_methods, reason = "golden files are read from their folder")]

mod golden;

mod names;

mod answers;
mod decisions;
mod events;
mod requests;
mod runs;
mod sessions;

use golden::check;

#[test]
fn every_record_is_written_and_read_as_its_golden_file() {
    let mut goldens = vec![requests::golden(), runs::golden(), sessions::golden()];
    goldens.extend(names::goldens());
    goldens.extend(decisions::goldens());
    goldens.extend(answers::goldens());
    check("records", &goldens);
}

#[test]
fn every_event_is_stored_as_its_golden_file() {
    check("events", &events::goldens());
}

//! The versions of a student survive faults, and refuse damaged files.

use std::fs;
use std::sync::OnceLock;

use tempfile::TempDir;
use waypost_learning::{Labelled, TrainOptions, train};

use super::*;

/// A bundle of the pack `p`; other words make another bundle.
pub(super) fn bundle(pack: &str, word: &str) -> Vec<u8> {
    let example = |text: String, route: &str| Labelled {
        text,
        language: None,
        route: route.to_owned(),
        tools: Vec::new(),
        weight: 1.0,
    };
    let examples: Vec<Labelled> = ["one", "two", "three"]
        .iter()
        .flat_map(|n| {
            [example(format!("{n} {word}"), "a"), example(format!("{n} of the other"), "b")]
        })
        .collect();
    let options = TrainOptions { pack: pack.to_owned(), table: None, ..TrainOptions::default() };
    train(&examples, &options, None, &mut |_| {}).unwrap().to_bytes()
}

/// Two bundles of the pack `p`, trained once.
fn bundles() -> &'static [Vec<u8>; 2] {
    static BUNDLES: OnceLock<[Vec<u8>; 2]> = OnceLock::new();
    BUNDLES.get_or_init(|| [bundle("p@1", "tide"), bundle("p@1", "moon")])
}

fn card(at: &str) -> Card {
    Card {
        bundle: String::new(),
        pack: String::new(),
        at: at.to_owned(),
        trained: Trained::default(),
        metrics: Bundle::from_bytes(&bundles()[0]).unwrap().metrics().clone(),
        threshold: None,
        comparison: None,
        sessions: Vec::new(),
    }
}

fn by(who: &str) -> By {
    By { who: who.to_owned(), at: "2025-11-06T09:00:00Z".to_owned(), ..By::default() }
}

fn home() -> (TempDir, Registry) {
    let home = TempDir::new().unwrap();
    let registry = Registry::open(home.path(), "p").unwrap();
    (home, registry)
}

fn add(registry: &Registry, at: &str) -> u64 {
    registry.add(&bundles()[0], card(at)).unwrap().number
}

fn promote(registry: &Registry, number: u64) -> Result<Version> {
    registry.promote(number, &by("ada"), |_, _, _| Ok(()))
}

fn states(registry: &Registry) -> Vec<(u64, State)> {
    let versions = registry.list().unwrap().versions;
    versions.iter().map(|version| (version.number, version.state)).collect()
}

fn numbers(registry: &Registry) -> Vec<u64> {
    registry.list().unwrap().versions.iter().map(|version| version.number).collect()
}

/// The names of the files of the pack, sorted.
fn files(registry: &Registry) -> Vec<String> {
    let entries = fs::read_dir(&registry.folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn nothing_is_there_and_nothing_is_made_by_looking() {
    let (home, registry) = home();
    assert_eq!(states(&registry), []);
    assert_eq!(registry.champion().unwrap(), None);
    assert_eq!(registry.generation().unwrap(), 0);
    assert_eq!(registry.holding(["s"]).unwrap().versions, []);
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
    let error = registry.rollback(&by("ada")).unwrap_err();
    assert_eq!(error.code(), Code::FailedPrecondition);
    let error = promote(&registry, 1).unwrap_err();
    assert_eq!((error.code(), error.message()), (Code::NotFound, "`p` has no version 1"));
    assert!(error.hint().unwrap().contains("waypost train --labels"), "{error}");
}

#[test]
fn versions_are_promoted_and_taken_back_step_by_step() {
    let (_home, registry) = home();
    let one = add(&registry, "t1");
    let two = registry.add(&bundles()[1], card("t2")).unwrap();
    assert_eq!((one, two.number), (1, 2));
    assert_ne!(two.card.bundle, registry.version(1).unwrap().card.bundle);
    assert_eq!(two.card.pack, "p@1");
    assert_eq!(states(&registry), [(1, State::Challenger), (2, State::Challenger)]);

    promote(&registry, 1).unwrap();
    let before = registry.generation().unwrap();
    let champion = promote(&registry, 2).unwrap();
    assert!(registry.generation().unwrap() > before);
    assert_eq!(registry.champion().unwrap().as_ref(), Some(&champion));
    assert_eq!(registry.bytes(&champion).unwrap(), bundles()[1]);
    assert_eq!(champion.promoted[0].by, "ada");
    assert_eq!(states(&registry), [(1, State::Retired), (2, State::Champion)]);
    let again = promote(&registry, 2).unwrap_err();
    assert_eq!(again.code(), Code::FailedPrecondition);

    assert_eq!(registry.rollback(&by("eve")).unwrap().unwrap().number, 1);
    assert_eq!(states(&registry), [(1, State::Champion), (2, State::Retired)]);
    assert_eq!(registry.rollback(&by("eve")).unwrap(), None);
    assert!(registry.rollback(&by("eve")).is_err());
    let steps: Vec<(Step, Option<u64>)> =
        registry.list().unwrap().changes.iter().map(|it| (it.step, it.version)).collect();
    use Step::{Promote, Rollback};
    assert_eq!(
        steps,
        [(Promote, Some(1)), (Promote, Some(2)), (Rollback, Some(1)), (Rollback, None)]
    );
}

#[test]
fn eight_rollbacks_put_back_what_served_before_and_the_ninth_the_packs_own() {
    let (_home, registry) = home();
    for number in 1..=10 {
        add(&registry, "t");
        promote(&registry, number).unwrap();
    }
    let back = || registry.rollback(&by("eve")).unwrap().map(|version| version.number);
    let backs: Vec<Option<u64>> = (0..9).map(|_| back()).collect();
    let versions = (2..=9).rev().map(Some);
    assert_eq!(backs, versions.chain([None]).collect::<Vec<_>>());
}

#[test]
fn what_is_not_allowed_changes_nothing() {
    let (_home, registry) = home();
    add(&registry, "t1");
    promote(&registry, 1).unwrap();
    add(&registry, "t2");
    let before = fs::read(registry.index_path()).unwrap();
    let error = registry
        .promote(2, &by("ada"), |version, bytes, champion| {
            assert_eq!((version.number, champion.unwrap().number), (2, 1));
            assert_eq!(bytes, bundles()[0]);
            Err(Error::invalid("it is worse"))
        })
        .unwrap_err();
    assert_eq!(error.message(), "it is worse");
    assert_eq!(fs::read(registry.index_path()).unwrap(), before);
}

#[test]
fn a_bundle_of_another_pack_or_of_none_is_refused() {
    let (_home, registry) = home();
    add(&registry, "t1");
    let there = files(&registry);
    for (bytes, why) in [
        (bundle("q@1", "tide"), "the bundle belongs to `q`, not to `p`"),
        (bundle("", "tide"), "the bundle belongs to no pack, not to `p`"),
        (b"nothing of the kind".to_vec(), "damaged"),
    ] {
        let error = registry.add(&bytes, card("t")).unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument);
        assert!(error.message().contains(why), "{error}");
    }
    assert_eq!(files(&registry), there);
}

#[test]
fn a_clock_that_jumps_backwards_changes_no_order() {
    let (_home, registry) = home();
    add(&registry, "2030-01-01T00:00:00Z");
    promote(&registry, 1).unwrap();
    add(&registry, "1999-01-01T00:00:00Z");
    assert_eq!(states(&registry), [(1, State::Champion), (2, State::Challenger)]);
}

#[test]
fn an_index_that_cannot_be_read_says_why_and_is_left_alone() {
    let (_home, registry) = home();
    add(&registry, "t1");
    promote(&registry, 1).unwrap();
    let whole = fs::read_to_string(registry.index_path()).unwrap();
    let mut newer: serde_json::Value = serde_json::from_str(&whole).unwrap();
    newer["format"] = 2.into();
    newer["lines"] = "something else".into();
    let mut gap: serde_json::Value = serde_json::from_str(&whole).unwrap();
    gap["line"] = serde_json::json!([7]);
    for (text, code, why) in [
        (whole[..whole.len() / 2].to_owned(), Code::Unavailable, "is damaged"),
        (String::new(), Code::Unavailable, "is damaged"),
        (whole.replace("\"p\"", "\"q\""), Code::Unavailable, "it is that of the pack `q`"),
        (whole.replace("\"next\": 2", "\"next\": 1"), Code::Unavailable, "out of order"),
        (gap.to_string(), Code::Unavailable, "version 7 served, and there is none"),
        (newer.to_string(), Code::FailedPrecondition, "written by a newer waypost"),
    ] {
        fs::write(registry.index_path(), &text).unwrap();
        for error in [
            registry.list().unwrap_err(),
            registry.champion().unwrap_err(),
            registry.add(&bundles()[0], card("t")).unwrap_err(),
            promote(&registry, 1).unwrap_err(),
            registry.rollback(&by("ada")).unwrap_err(),
        ] {
            assert_eq!(error.code(), code, "{error}");
            assert!(error.message().contains(why), "{error}");
            assert!(error.hint().is_some(), "{error}");
        }
        assert_eq!(fs::read_to_string(registry.index_path()).unwrap(), text);
    }
    fs::write(registry.index_path(), &whole).unwrap();
    assert_eq!(registry.champion().unwrap().unwrap().number, 1);
}

#[test]
fn a_file_that_has_gone_or_is_another_is_told_and_the_others_go_on() {
    let (_home, registry) = home();
    add(&registry, "t1");
    registry.add(&bundles()[1], card("t2")).unwrap();
    promote(&registry, 1).unwrap();
    promote(&registry, 2).unwrap();
    // The bundle of one version under the name of the other.
    fs::copy(registry.bundle_path(2), registry.bundle_path(1)).unwrap();
    let error = registry.rollback(&by("ada")).unwrap_err();
    assert!(error.message().contains("is not the bundle of version 1"), "{error}");
    fs::remove_file(registry.bundle_path(1)).unwrap();
    let error = registry.rollback(&by("ada")).unwrap_err();
    assert!(error.message().contains("the bundle of version 1 of `p` cannot be read"), "{error}");
    assert!(error.hint().unwrap().contains("waypost promote --pack p"), "{error}");
    assert_eq!(registry.champion().unwrap().unwrap().number, 2);
    // A missing card does not block the way back from its version.
    fs::write(registry.bundle_path(1), &bundles()[0]).unwrap();
    fs::remove_file(registry.card_path(2)).unwrap();
    assert!(registry.champion().unwrap_err().message().contains("the card of version 2"));
    assert_eq!(registry.rollback(&by("ada")).unwrap().unwrap().number, 1);
}

#[test]
fn a_damaged_card_hides_no_other_version() {
    let (_home, registry) = home();
    let sessions = registry.hashed(["ada"]).unwrap();
    for _ in 0..3 {
        let with = Card { sessions: sessions.clone(), ..card("t") };
        registry.add(&bundles()[0], with).unwrap();
    }
    promote(&registry, 3).unwrap();
    fs::write(registry.card_path(2), "{").unwrap();
    for listing in [registry.list().unwrap(), registry.holding(["ada"]).unwrap()] {
        let numbers: Vec<u64> = listing.versions.iter().map(|version| version.number).collect();
        assert_eq!((numbers, listing.champion), (vec![1, 3], Some(3)));
        let [Unreadable { number: 2, error }] = listing.unreadable.as_slice() else {
            panic!("{:?}", listing.unreadable)
        };
        assert!(error.message().contains("the card of version 2 of `p` cannot be read"), "{error}");
    }
    assert_eq!(add(&registry, "t"), 4);
    promote(&registry, 4).unwrap();
    assert_eq!(registry.rollback(&by("ada")).unwrap().unwrap().number, 3);
}

/// The index that lists a version may be in its place although making it durable failed.
#[test]
fn only_the_files_of_a_version_in_no_index_are_removed() {
    let (_home, registry) = home();
    add(&registry, "t1");
    let there = files(&registry);
    fs::copy(registry.bundle_path(1), registry.bundle_path(2)).unwrap();
    for number in [1, 2] {
        registry.remove_unlisted(number);
    }
    assert_eq!(files(&registry), there);
    fs::write(registry.index_path(), "{").unwrap();
    registry.remove_unlisted(1);
    assert_eq!(files(&registry), there);
}

#[test]
fn the_oldest_that_no_rollback_leads_to_go() {
    let (_home, registry) = home();
    add(&registry, "first");
    promote(&registry, 1).unwrap();
    for _ in 0..MAX_VERSIONS + 2 {
        add(&registry, "t");
    }
    let numbers = numbers(&registry);
    assert_eq!(numbers.len(), MAX_VERSIONS);
    assert_eq!((numbers[0], numbers[1]), (1, 5));
    assert_eq!(*numbers.last().unwrap(), MAX_VERSIONS as u64 + 3);
    // Two files a version, the index and its lock.
    assert_eq!(files(&registry).len(), 2 * MAX_VERSIONS + 2);
    assert!(!registry.bundle_path(2).exists() && registry.bundle_path(1).exists());
}

#[test]
fn a_lock_ends_with_who_holds_it() {
    let (_home, registry) = home();
    // A dead process left a file with its number that nobody holds.
    fs::create_dir_all(&registry.folder).unwrap();
    fs::write(registry.folder.join("training.lock"), "4294967294").unwrap();
    let held = registry.training().unwrap();
    let error = registry.training().unwrap_err();
    assert_eq!(error.code(), Code::FailedPrecondition);
    let own = format!("(process {})", std::process::id());
    assert!(error.message().contains("running already") && error.message().contains(&own));
    drop(held);
    registry.training().unwrap();
    // Versions can be added while a training runs.
    let _held = registry.training().unwrap();
    add(&registry, "t");
}

#[test]
fn many_at_once_lose_no_version_and_no_number() {
    let (_home, registry) = home();
    let bytes = &bundles()[0];
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..3 {
                    let version = registry.add(bytes, card("t")).unwrap();
                    promote(&registry, version.number).unwrap();
                }
            });
        }
    });
    let numbers = numbers(&registry);
    assert_eq!(numbers, (1..=12).collect::<Vec<u64>>());
    assert_eq!(registry.list().unwrap().changes.len(), 12);
    assert_eq!(registry.generation().unwrap(), 24);
}

#[test]
fn which_versions_hold_a_session_is_known_and_the_list_tells_nothing() {
    let (home, registry) = home();
    let sessions = registry.hashed(["mira", "eve", "mira"]).unwrap();
    assert_eq!(sessions.len(), 2);
    add(&registry, "t1");
    let with = Card { sessions: sessions.clone(), ..card("t2") };
    registry.add(&bundles()[0], with).unwrap();
    let holding = |session: &str| -> Vec<u64> {
        registry.holding([session]).unwrap().versions.iter().map(|v| v.number).collect()
    };
    assert_eq!((holding("mira"), holding("eve"), holding("bob")), (vec![2], vec![2], vec![]));
    // Another home gives the same session another hash.
    let (other, elsewhere) = self::home();
    assert_eq!(Registry::all(other.path()).unwrap().len(), 0);
    assert_ne!(elsewhere.hashed(["mira", "eve"]).unwrap(), sessions);
    let packs = Registry::all(home.path()).unwrap();
    assert_eq!(packs.iter().map(Registry::pack).collect::<Vec<_>>(), ["p"]);
    assert!(!fs::read_to_string(registry.card_path(2)).unwrap().contains("mira"));
    fs::remove_file(registry.salt_path()).unwrap();
    assert_eq!(registry.holding(["mira"]).unwrap_err().code(), Code::Unavailable);
}

#[test]
fn names_that_lead_out_of_the_folder_are_refused() {
    let home = TempDir::new().unwrap();
    for name in ["", "..", "a/b", "a\\b", "a.b", &"x".repeat(101)] {
        assert_eq!(Registry::open(home.path(), name).unwrap_err().code(), Code::InvalidArgument);
    }
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_written_leaves_everything_as_it_was() {
    let (_home, registry) = home();
    add(&registry, "t1");
    promote(&registry, 1).unwrap();
    let there = files(&registry);
    // The place of the next bundle is taken by a folder, which no file can be renamed over.
    fs::create_dir(registry.bundle_path(2)).unwrap();
    let error = registry.add(&bundles()[1], card("t2")).unwrap_err();
    assert_eq!(error.code(), Code::Unavailable);
    assert!(error.message().contains("cannot write"), "{error}");
    fs::remove_dir(registry.bundle_path(2)).unwrap();
    assert_eq!(files(&registry), there);
    assert_eq!(registry.champion().unwrap().unwrap().number, 1);
    assert_eq!(add(&registry, "t2"), 2);
}

//! A stored student in the place of the one in service: only where it is whole and fits the pack.
//!
//! Nothing is put in place here. The caller is handed another student or an error, and what runs
//! goes on running until the caller changes it.

use std::collections::BTreeSet;
use std::sync::Arc;

use waypost_core::error::{Error, Result};
use waypost_learning::Bundle;

use crate::pack::{OUT_OF_SCOPE, Pack};
use crate::student::heads::{heads, tool_of_head};

/// A stored student that fits its pack.
#[derive(Debug, Clone)]
pub struct Reloaded {
    /// The student; the very one in service where the bytes hold the same.
    pub bundle: Arc<Bundle>,
    /// The reason why it may be out of date, in a sentence for people.
    pub stale: Option<String>,
}

/// Reads the student in `bytes` and checks it against the pack; `running` is the one in service.
///
/// # Errors
///
/// `INVALID_ARGUMENT` for bytes that are no bundle, are damaged or of another version, and for a
/// bundle of another pack or with other routes or tools than the pack teaches.
///
/// # Example
///
/// ```
/// # fn example(pack: &waypost::pack::Pack, bytes: &[u8]) -> waypost_core::Result<()> {
/// let reloaded = waypost::student::reload::reload(pack, None, bytes)?;
/// let again = waypost::student::reload::reload(pack, Some(&reloaded.bundle), bytes)?;
/// assert!(std::sync::Arc::ptr_eq(&reloaded.bundle, &again.bundle));
/// # Ok(())
/// # }
/// ```
pub fn reload(pack: &Pack, running: Option<&Arc<Bundle>>, bytes: &[u8]) -> Result<Reloaded> {
    let bundle = Bundle::from_bytes(bytes)?;
    fits(pack, &bundle)?;
    let stale = (bundle.origin().pack != pack.id).then(|| {
        format!("the bundle was trained on another version of the pack `{}`", pack.spec.name)
    });
    let bundle = match running {
        Some(running) if running.id() == bundle.id() => Arc::clone(running),
        _ => Arc::new(bundle),
    };
    Ok(Reloaded { bundle, stale })
}

/// Checks that a student may decide for a pack.
///
/// # Errors
///
/// `INVALID_ARGUMENT` for a student of another pack, or with other routes or tools than the pack
/// teaches.
pub fn fits(pack: &Pack, bundle: &Bundle) -> Result<()> {
    belongs(pack, bundle)?;
    same_classes(pack, bundle)
}

fn belongs(pack: &Pack, bundle: &Bundle) -> Result<()> {
    let own = pack.spec.name.as_str();
    let origin = bundle.origin().pack.as_str();
    let name = origin.split_once('@').map_or(origin, |(name, _)| name);
    match name {
        "" => Err(other(pack, "the bundle was trained on examples of no pack")),
        name if name != own => {
            let message = format!("the bundle belongs to the pack `{name}`, not to `{own}`");
            Err(other(pack, message))
        }
        _ => Ok(()),
    }
}

/// The routes and heads that the examples of the pack teach are those that the bundle knows.
fn same_classes(pack: &Pack, bundle: &Bundle) -> Result<()> {
    let own = &pack.spec.name;
    let routes: BTreeSet<&str> = pack.examples.iter().map(|example| &*example.route).collect();
    let lists: BTreeSet<&[String]> = pack.examples.iter().map(|example| &*example.tools).collect();
    let taught: BTreeSet<String> = lists.into_iter().flat_map(|tools| heads(pack, tools)).collect();
    let taught: BTreeSet<&str> = taught.iter().map(String::as_str).collect();
    // Examples may ask back: that is a class and no route of the pack.
    let is_route =
        |name: &str| name == OUT_OF_SCOPE || routes.contains(name) || pack.route(name).is_some();
    let is_head = |name: &str| tool_of_head(pack, name).is_some();
    let strange = strange(bundle.routes(), is_route, &routes)
        .map(|fault| ("route", fault))
        .or_else(|| self::strange(bundle.tools(), is_head, &taught).map(|fault| ("tool", fault)));
    let Some((kind, (name, unknown))) = strange else { return Ok(()) };
    let message = if unknown {
        format!("the bundle knows a {kind} `{name}` that the pack `{own}` does not have")
    } else {
        format!("the bundle does not know the {kind} `{name}` of the pack `{own}`")
    };
    Err(other(pack, message))
}

/// The first class that only one side knows, and whether it is the bundle's.
fn strange(
    known: &[String],
    exists: impl Fn(&str) -> bool,
    taught: &BTreeSet<&str>,
) -> Option<(String, bool)> {
    let extra = known.iter().find(|name| !exists(name)).map(|name| (name.clone(), true));
    let is_known = |name: &str| known.iter().any(|known| known == name);
    extra.or_else(|| {
        taught.iter().find(|name| !is_known(name)).map(|name| ((*name).to_owned(), false))
    })
}

fn other(pack: &Pack, message: impl Into<String>) -> Error {
    Error::invalid(message).with_hint(format!(
        "train one for this pack: `waypost train --pack {} --out FILE`",
        pack.spec.name
    ))
}

#[cfg(test)]
mod tests {
    use std::sync::OnceLock;

    use proptest::prelude::*;
    use waypost_core::Code;

    use super::*;
    use crate::pack::Files;
    use crate::student::heads::train_student;

    /// A pack of two routes, named, with as many tools as there are names.
    fn pack(name: &str, routes: &[&str]) -> Pack {
        let mut yaml = format!(
            "name: {name}\nsummary: A test.\nformat: 1\nlanguages: [en]\ntz: UTC\nfallback: {}\nroutes:\n",
            routes[0]
        );
        let mut examples = String::new();
        for route in routes {
            yaml.push_str(&format!("  - name: {route}\n    handler: explain\n    summary: It.\n"));
            for text in ["one thing", "another thing", "a third thing"] {
                let text = format!("{text} of {route}");
                let line = serde_json::json!({ "text": text, "lang": "en", "route": route });
                examples.push_str(&format!("{line}\n"));
            }
        }
        let files =
            Files::from([("pack.yaml".to_owned(), yaml), ("examples.jsonl".to_owned(), examples)]);
        Pack::load(&files).unwrap()
    }

    fn trained(pack: &Pack) -> Vec<u8> {
        train_student(pack, None, &mut |_| {}).unwrap().to_bytes()
    }

    fn refused(pack: &Pack, bytes: &[u8]) -> Error {
        let running = Arc::new(train_student(pack, None, &mut |_| {}).unwrap());
        let before = (*running).clone();
        let error = reload(pack, Some(&running), bytes).unwrap_err();
        assert_eq!(*running, before);
        assert_eq!(error.code(), Code::InvalidArgument);
        assert!(error.hint().is_some(), "{error}");
        error
    }

    #[test]
    fn what_is_stored_is_what_is_read_and_the_same_stays_in_service() {
        let pack = pack("p", &["help", "chat"]);
        let first = reload(&pack, None, &trained(&pack)).unwrap();
        assert_eq!(first.stale, None);
        let again = reload(&pack, Some(&first.bundle), &trained(&pack)).unwrap();
        assert!(Arc::ptr_eq(&first.bundle, &again.bundle));
    }

    #[test]
    fn a_bundle_of_another_pack_or_of_other_routes_is_refused() {
        let own = pack("p", &["help", "chat"]);
        let foreign = refused(&own, &trained(&pack("q", &["help", "chat"])));
        assert_eq!(foreign.message(), "the bundle belongs to the pack `q`, not to `p`");
        let more = refused(&own, &trained(&pack("p", &["help", "chat", "code"])));
        assert!(more.message().contains("knows a route `code`"), "{more}");
        let fewer = refused(&own, &trained(&pack("p", &["help"])));
        assert!(fewer.message().contains("does not know the route `chat`"), "{fewer}");
    }

    #[test]
    fn other_examples_of_the_same_routes_are_told_and_taken() {
        let own = pack("p", &["help", "chat"]);
        let mut other = pack("p", &["help", "chat"]);
        other.id = "p@another".to_owned();
        let reloaded = reload(&own, None, &trained(&other)).unwrap();
        assert!(reloaded.stale.unwrap().contains("another version of the pack `p`"));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn damage_is_an_error_or_gives_the_same_student(
            flips in prop::collection::vec((any::<prop::sample::Index>(), 0u8..8, any::<bool>()), 0..4),
            cut in prop::option::of(any::<prop::sample::Index>()),
        ) {
            static STORED: OnceLock<(Pack, Vec<u8>)> = OnceLock::new();
            let (pack, whole) = STORED.get_or_init(|| {
                let pack = pack("p", &["help", "chat"]);
                let bytes = trained(&pack);
                (pack, bytes)
            });
            let running = reload(pack, None, whole).unwrap().bundle;
            let mut bytes = whole.clone();
            for (at, bit, early) in flips {
                // Header and head are a small part of it, and where most can go wrong.
                let length = if early { 600.min(bytes.len()) } else { bytes.len() };
                bytes[at.index(length)] ^= 1 << bit;
            }
            if let Some(cut) = cut {
                bytes.truncate(cut.index(whole.len() + 1));
            }
            match reload(pack, Some(&running), &bytes) {
                Ok(reloaded) => prop_assert!(Arc::ptr_eq(&reloaded.bundle, &running)),
                Err(error) => prop_assert_eq!(error.code(), Code::InvalidArgument),
            }
        }
    }
}

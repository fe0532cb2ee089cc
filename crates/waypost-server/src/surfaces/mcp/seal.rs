//! Seals what a client carries from one call to the next: it counts unchanged, for a time, and for
//! the caller to whom it was given.

use std::time::Duration;

use rmcp::model::{RequestStateCodec, SealOptions};
use serde::Serialize;
use serde::de::DeserializeOwned;
use waypost::{Error, Result};

/// The key that seals. Processes that have the same one go on with each other's questions.
pub(crate) type SealingKey = [u8; 32];

/// The time for which a question that a client carries can be answered.
const VALID: Duration = Duration::from_secs(15 * 60);

/// A key for this process alone.
///
/// # Errors
///
/// If the system has no random numbers.
pub(crate) fn random_key() -> Result<SealingKey> {
    let mut key = SealingKey::default();
    getrandom::fill(&mut key)
        .map_err(|error| Error::internal(format!("no random numbers: {error}")))?;
    Ok(key)
}

/// A seal.
#[derive(Debug)]
pub(super) struct Seal {
    codec: RequestStateCodec,
    valid: Duration,
}

impl Seal {
    /// The seal of a key.
    pub(super) fn new(key: SealingKey) -> Self {
        // A key of this type is as long as it has to be.
        Self { codec: RequestStateCodec::new_unchecked(key), valid: VALID }
    }

    /// A value as `whose` carries it. It is not hidden: what is in it may be read.
    pub(super) fn close(&self, value: &impl Serialize, whose: &str) -> Result<String> {
        let options = SealOptions::new().associated_data(whose.as_bytes()).ttl(self.valid);
        let sealed = self.codec.seal_json_with(value, &options);
        sealed.map_err(|error| Error::internal(error.to_string()))
    }

    /// The value that `whose` was given.
    ///
    /// # Errors
    ///
    /// `INVALID_ARGUMENT` for what was changed, is too old, or was given to somebody else; nobody
    /// learns which.
    pub(super) fn open<T: DeserializeOwned>(&self, sealed: &str, whose: &str) -> Result<T> {
        self.codec.open_json_with(sealed, whose.as_bytes()).map_err(|error| {
            let message = "`requestState` is none that this server gave, or too old";
            Error::invalid(message)
                .with_hint("make the call anew, without `requestState`")
                .with_detail(error.to_string())
        })
    }

    /// A name that is the same for the same thing, and that nobody can guess without the key.
    pub(super) fn name(&self, thing: &str) -> String {
        let sealed = self.codec.seal(format!("name\n{thing}").as_bytes());
        // The last part of it is the tag.
        format!("mcp-{}", sealed.rsplit('.').next().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;

    #[test]
    fn what_is_sealed_counts_for_its_owner_as_it_is_and_in_any_process_with_the_key() {
        let (seal, same, other) = (Seal::new([7; 32]), Seal::new([7; 32]), Seal::new([8; 32]));
        let sealed = seal.close(&json!({ "a": 1 }), "key 1").unwrap();
        assert_eq!(same.open::<Json>(&sealed, "key 1").unwrap(), json!({ "a": 1 }));
        let message = "`requestState` is none that this server gave, or too old";
        let changed = sealed.replacen('.', ".A", 1);
        for (seal, sealed, whose) in [
            (&seal, sealed.as_str(), "key 2"),
            (&other, sealed.as_str(), "key 1"),
            (&seal, changed.as_str(), "key 1"),
            (&seal, "", "key 1"),
            (&seal, "rs1..", "key 1"),
        ] {
            let error = seal.open::<Json>(sealed, whose).unwrap_err();
            assert_eq!(error.message(), message, "{sealed} {whose}");
        }
    }

    #[test]
    fn what_is_sealed_counts_for_a_time() {
        let seal = Seal { valid: Duration::ZERO, ..Seal::new([7; 32]) };
        let sealed = seal.close(&json!(1), "key 1").unwrap();
        // Until the next millisecond.
        while seal.open::<Json>(&sealed, "key 1").is_ok() {}
    }

    #[test]
    fn a_name_is_that_of_a_thing_and_a_key() {
        let (seal, other) = (Seal::new([7; 32]), Seal::new([8; 32]));
        assert_eq!(seal.name("a"), seal.name("a"));
        assert_ne!(seal.name("a"), seal.name("b"));
        assert_ne!(seal.name("a"), other.name("a"));
        assert!(seal.name("a").len() < 64, "{}", seal.name("a"));
    }
}

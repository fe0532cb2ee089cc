//! A key as its caller holds it: `wp_ID_SECRET`.

use std::fmt;
use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use waypost::{Error, Result};

/// The beginning by which people and scanners of repositories know a key.
const PREFIX: &str = "wp_";
const ID_BYTES: usize = 4;
const SECRET_BYTES: usize = 32;

/// The id and the secret of a key. Only [`Secret::reveal`] shows the latter.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret {
    id: String,
    secret: String,
}

impl Secret {
    /// A new secret of a new key, or of the one with this id.
    ///
    /// # Errors
    ///
    /// If the system gives no random numbers.
    pub(crate) fn generate(id: Option<&str>) -> Result<Self> {
        let id = match id {
            Some(id) => id.to_owned(),
            None => hex(&random::<ID_BYTES>()?),
        };
        Ok(Self { id, secret: URL_SAFE_NO_PAD.encode(random::<SECRET_BYTES>()?) })
    }

    /// Reads what a caller sent; `None` for what is no key of this program.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (id, secret) = text.trim().strip_prefix(PREFIX)?.split_once('_')?;
        let is_id = id.len() == 2 * ID_BYTES && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_secret = URL_SAFE_NO_PAD.decode(secret).is_ok_and(|it| it.len() == SECRET_BYTES);
        (is_id && is_secret).then(|| Self { id: id.to_owned(), secret: secret.to_owned() })
    }

    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// The key as its caller sends it, to be shown once.
    pub(crate) fn reveal(&self) -> String {
        format!("{PREFIX}{}_{}", self.id, self.secret)
    }

    pub(super) fn sha256(&self) -> String {
        hex(&Sha256::digest(self.secret.as_bytes()))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secret({PREFIX}{}_…)", self.id)
    }
}

fn random<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)
        .map_err(|error| Error::internal(format!("no random numbers: {error}")))?;
    Ok(bytes)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_made_is_read_again_and_nothing_else_is() {
        let made = Secret::generate(None).unwrap();
        let shown = made.reveal();
        assert_eq!(Secret::parse(&shown).as_ref(), Some(&made));
        assert_eq!(Secret::parse(&format!(" {shown}\n")).as_ref(), Some(&made));
        for text in
            ["", "wp_", "sk-123", "wp_00000000_short", &shown[..shown.len() - 1], &shown[3..]]
        {
            assert_eq!(Secret::parse(text), None, "{text}");
        }
        assert!(!format!("{made:?}").contains(&made.secret));
        assert_ne!(Secret::generate(Some(made.id())).unwrap(), made);
    }
}

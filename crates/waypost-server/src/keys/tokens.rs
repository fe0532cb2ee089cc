//! Callers that another service vouches for: JSON web tokens (RFC 7519), checked against its public keys.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use jiff::Timestamp;
use jsonwebtoken::jwk::JwkSet;
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode, decode_header};
use serde_json::Value as Json;
use sha2::{Digest, Sha256};
use tokio::sync::Notify;
use tracing::{info, warn};
use waypost::{Code, Error, Result};
use waypost_backends::fetch;

use super::jwt::JwtFile;
use super::watch::Used;
use super::{Key, Refused, Scope};

/// The time between two looks at the keys, and the shortest one where a token names a key that is not known.
const LOOK_EVERY: Duration = Duration::from_secs(10 * 60);
const AGAIN: Duration = Duration::from_secs(60);
/// The largest set of keys, in bytes.
const MAX_BYTES: usize = 256 * 1024;
/// The most callers whose use is counted; beyond them the counts begin anew.
const MAX_CALLERS: usize = 10_000;
/// The algorithms that are taken: those with a public key. With others whoever checks could also make tokens.
const ALGORITHMS: [Algorithm; 9] = [
    Algorithm::RS256,
    Algorithm::RS384,
    Algorithm::RS512,
    Algorithm::PS256,
    Algorithm::PS384,
    Algorithm::PS512,
    Algorithm::ES256,
    Algorithm::ES384,
    Algorithm::EdDSA,
];

/// The tokens of one issuer.
#[derive(Debug)]
pub(crate) struct Tokens {
    rules: JwtFile,
    source: Source,
    keys: RwLock<JwkSet>,
    used: Mutex<BTreeMap<String, Arc<Used>>>,
    /// Wakes whoever reads the keys again.
    unknown: Notify,
}

#[derive(Debug)]
enum Source {
    File(PathBuf),
    Address(String),
}

impl Tokens {
    /// The tokens that a configuration believes; its keys are read again until this is dropped.
    ///
    /// # Errors
    ///
    /// If the keys cannot be read.
    pub(crate) async fn open(rules: &JwtFile, home: &Path) -> Result<Arc<Self>> {
        let source = match rules.jwks.split_once("://") {
            Some(("https", _)) => Source::Address(rules.jwks.clone()),
            Some(("http", host))
                if ["127.0.0.1", "localhost", "[::1]"].iter().any(|own| host.starts_with(own)) =>
            {
                Source::Address(rules.jwks.clone())
            }
            Some(_) => {
                return Err(Error::invalid(
                    "`[jwt] jwks` is neither a file nor an `https` address",
                ));
            }
            None => Source::File(home.join(&rules.jwks)),
        };
        let keys = RwLock::new(source.read().await?);
        let used = Mutex::default();
        let tokens =
            Arc::new(Self { rules: rules.clone(), source, keys, used, unknown: Notify::new() });
        let watching = Arc::downgrade(&tokens);
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(AGAIN).await;
                let Some(tokens) = watching.upgrade() else { return };
                let _ = tokio::time::timeout(LOOK_EVERY - AGAIN, tokens.unknown.notified()).await;
                match tokens.source.read().await {
                    Ok(keys) => *tokens.keys.write().unwrap_or_else(PoisonError::into_inner) = keys,
                    Err(error) => warn!("the public keys of before count: {}", error.message()),
                }
            }
        });
        info!("tokens of `{}` are believed", rules.issuer);
        Ok(tokens)
    }

    /// The caller that a token vouches for, counted as used once.
    ///
    /// # Errors
    ///
    /// The reason why the caller is not let in.
    pub(crate) fn admit(&self, token: &str) -> std::result::Result<Arc<Key>, Refused> {
        let header = decode_header(token).map_err(|_| Refused::Unknown)?;
        if !ALGORITHMS.contains(&header.alg) {
            return Err(Refused::Unknown);
        }
        let claims = {
            let keys = self.keys.read().unwrap_or_else(PoisonError::into_inner);
            let found = match &header.kid {
                Some(kid) => keys.find(kid),
                None if keys.keys.len() == 1 => keys.keys.first(),
                None => None,
            };
            let Some(jwk) = found else {
                self.unknown.notify_one();
                return Err(Refused::Unknown);
            };
            let key = DecodingKey::from_jwk(jwk).map_err(|_| Refused::Unknown)?;
            let mut validation = Validation::new(header.alg);
            validation.set_issuer(&[&self.rules.issuer]);
            validation.set_audience(&[&self.rules.audience]);
            validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
            validation.validate_nbf = true;
            decode::<Json>(token, &key, &validation).map_err(|_| Refused::Unknown)?.claims
        };
        let key = self.key(&claims);
        let used = {
            let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
            if used.len() >= MAX_CALLERS {
                used.clear();
            }
            Arc::clone(used.entry(key.id.clone()).or_insert_with(|| Arc::new(Used::new(&key))))
        };
        used.count().map_err(Refused::TooMuch)?;
        Ok(Arc::new(key))
    }

    /// The key that the claims of a token make of its subject.
    fn key(&self, claims: &Json) -> Key {
        let subject = claims["sub"].as_str().unwrap_or_default();
        let said: Vec<&str> = match &claims[&self.rules.scope_claim] {
            Json::String(text) => text.split_whitespace().collect(),
            Json::Array(list) => list.iter().filter_map(Json::as_str).collect(),
            _ => Vec::new(),
        };
        let all = [Scope::Ask, Scope::Trusted, Scope::Label, Scope::Admin];
        let has = |scope: &Scope| {
            said.iter().any(|said| said.strip_prefix("waypost:").unwrap_or(said) == scope.name())
        };
        let list = |claim: &str| {
            let names = claims[claim].as_array().into_iter().flatten();
            names.filter_map(Json::as_str).map(str::to_owned).collect()
        };
        Key {
            id: id(&self.rules.issuer, subject),
            name: subject.to_owned(),
            secrets: Vec::new(),
            scopes: all.into_iter().filter(has).collect(),
            packs: list("waypost_packs"),
            tools: list("waypost_tools"),
            per_minute: self.rules.per_minute,
            per_day: None,
            created: Timestamp::UNIX_EPOCH,
            expires: None,
            revoked: None,
        }
    }
}

/// The name of a subject in those of conversations: of one length, and no other issuer's.
fn id(issuer: &str, subject: &str) -> String {
    let hash = Sha256::digest(format!("{issuer}\n{subject}"));
    hash[..8].iter().fold("jwt-".to_owned(), |id, byte| format!("{id}{byte:02x}"))
}

impl Source {
    async fn read(&self) -> Result<JwkSet> {
        let unreadable = |why: &dyn std::fmt::Display| {
            Error::new(
                Code::FailedPrecondition,
                format!("cannot read the public keys of `[jwt] jwks`: {why}"),
            )
            .with_hint("give a JWK set: {\"keys\": […]}")
        };
        let text = match self {
            Source::File(path) => std::fs::read(path).map_err(|error| unreadable(&error))?,
            Source::Address(address) => fetch::bytes(address, MAX_BYTES)
                .await
                .map_err(|error| unreadable(&error.message()))?,
        };
        serde_json::from_slice(&text).map_err(|error| unreadable(&error))
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use jsonwebtoken::{EncodingKey, Header, encode};
    use serde_json::json;

    use super::*;

    /// A private key that was made for these tests, and its public one.
    const PRIVATE: &str = "MC4CAQAwBQYDK2VwBCIEIN+BeytXQ+8MdDEu8CCVi52T7Ych5bKIPcJBGT4oRO0D";
    const PUBLIC: &str = "mNk8h147tmxo8u5A37Ydpp4EHFQEWxszDhkfofHKSj4";

    async fn tokens(per_minute: u32) -> Arc<Tokens> {
        let home = tempfile::TempDir::new().unwrap();
        let jwk =
            json!({ "kty": "OKP", "crv": "Ed25519", "alg": "EdDSA", "kid": "k", "x": PUBLIC });
        std::fs::write(home.path().join("jwks.json"), json!({ "keys": [jwk] }).to_string())
            .unwrap();
        let rules = JwtFile {
            jwks: "jwks.json".to_owned(),
            issuer: "https://who".to_owned(),
            audience: "waypost".to_owned(),
            scope_claim: "scope".to_owned(),
            per_minute: std::num::NonZeroU32::new(per_minute),
        };
        Tokens::open(&rules, home.path()).await.unwrap()
    }

    fn token(algorithm: Algorithm, claims: &Json) -> String {
        let header = Header { kid: Some("k".to_owned()), ..Header::new(algorithm) };
        let key = match algorithm {
            Algorithm::HS256 => EncodingKey::from_secret(PUBLIC.as_bytes()),
            _ => EncodingKey::from_ed_der(&STANDARD.decode(PRIVATE).unwrap()),
        };
        encode(&header, claims, &key).unwrap()
    }

    fn claims() -> Json {
        let exp = Timestamp::now().as_second() + 600;
        json!({ "iss": "https://who", "aud": "waypost", "sub": "ana", "exp": exp, "scope": "waypost:ask label other" })
    }

    #[tokio::test]
    async fn a_token_lets_in_whom_its_issuer_vouches_for() {
        let tokens = tokens(0).await;
        let key = tokens.admit(&token(Algorithm::EdDSA, &claims())).unwrap();
        assert_eq!(key.name, "ana");
        assert_eq!(key.scopes, [Scope::Ask, Scope::Label].into());
        let mut other = claims();
        other["sub"] = json!("bo");
        assert_ne!(tokens.admit(&token(Algorithm::EdDSA, &other)).unwrap().id, key.id);
    }

    #[tokio::test]
    async fn a_token_that_is_expired_forged_or_for_somebody_else_lets_nobody_in() {
        let tokens = tokens(0).await;
        let with = |claim: &str, value: Json| {
            let mut claims = claims();
            claims[claim] = value;
            token(Algorithm::EdDSA, &claims)
        };
        let mut parts: Vec<String> =
            token(Algorithm::EdDSA, &claims()).split('.').map(str::to_owned).collect();
        parts[1] = with("sub", json!("eve")).split('.').nth(1).unwrap().to_owned();
        for (why, token) in [
            ("expired", with("exp", json!(1))),
            ("another issuer", with("iss", json!("https://other"))),
            ("for another", with("aud", json!("other"))),
            ("no subject", with("sub", Json::Null)),
            ("words of another", parts.join(".")),
            ("a key that everybody knows", token(Algorithm::HS256, &claims())),
            ("nothing", "..".to_owned()),
        ] {
            assert_eq!(tokens.admit(&token), Err(Refused::Unknown), "{why}");
        }
    }

    #[tokio::test]
    async fn a_subject_that_asked_as_often_as_it_may_waits() {
        let tokens = tokens(2).await;
        let token = token(Algorithm::EdDSA, &claims());
        assert!(tokens.admit(&token).is_ok() && tokens.admit(&token).is_ok());
        assert!(matches!(tokens.admit(&token), Err(Refused::TooMuch(_))));
    }
}

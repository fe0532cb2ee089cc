//! Callers that another service vouches for: JSON web tokens (RFC 7519), checked against its public keys.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use axum::http::Uri;
use jiff::Timestamp;
use jsonwebtoken::jwk::{Jwk, JwkSet, KeyAlgorithm, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode, decode_header};
use serde_json::Value as Json;
use sha2::{Digest, Sha256};
use tokio::sync::Notify;
use tracing::{info, warn};
use waypost::{Code, Error, Result};
use waypost_backends::fetch;

use super::jwt::{JwtFile, Unclaimed};
use super::watch::Used;
use super::{Allowed, Key, Refused, Scope};

mod signature;

/// The time between two looks at the keys, and the shortest one where a token names a key that is not known.
const LOOK_EVERY: Duration = Duration::from_secs(10 * 60);
const AGAIN: Duration = Duration::from_secs(60);
/// The largest set of keys, in bytes.
const MAX_BYTES: usize = 256 * 1024;
/// The most callers whose use is counted; beyond them the counts begin anew.
const MAX_CALLERS: usize = 10_000;

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
        // An error says that it is installed already: the provider is that of the whole process.
        let _ = signature::RING.install_default();
        let source = match rules.jwks.split_once("://") {
            Some(("https", _)) => Source::Address(rules.jwks.clone()),
            Some(("http", _)) if is_here(&rules.jwks) => Source::Address(rules.jwks.clone()),
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
            if !is_for(jwk, header.alg) {
                return Err(Refused::Unknown);
            }
            let key = DecodingKey::from_jwk(jwk).map_err(|_| Refused::Unknown)?;
            let mut validation = Validation::new(header.alg);
            validation.leeway = 0;
            validation.set_issuer(&[&self.rules.issuer]);
            validation.set_audience(&[&self.rules.audience]);
            validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
            validation.validate_nbf = true;
            decode::<Json>(token, &key, &validation).map_err(|_| Refused::Unknown)?.claims
        };
        let key = self.key(&claims)?;
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
    ///
    /// # Errors
    ///
    /// A claim that is not understood lets nobody in, because it may be meant to allow less than everything.
    fn key(&self, claims: &Json) -> std::result::Result<Key, Refused> {
        // Seconds may have a fraction (RFC 7519, section 2).
        let end = claims["exp"].as_f64().map(|end| end.round() as i64);
        let subject = claims["sub"].as_str().unwrap_or_default();
        let said = names(claims, &self.rules.scope_claim)?.unwrap_or_default();
        let all = [Scope::Ask, Scope::Trusted, Scope::Label, Scope::Admin];
        let has = |scope: &Scope| {
            said.iter().any(|said| said.strip_prefix("waypost:").unwrap_or(said) == scope.name())
        };
        let allowed = |claim: &str| {
            Ok(match (names(claims, claim)?, self.rules.default) {
                (Some(names), _) => Allowed::Only(names),
                (None, Unclaimed::All) => Allowed::All,
                (None, Unclaimed::None) => Allowed::Only(BTreeSet::new()),
            })
        };
        Ok(Key {
            id: id(&self.rules.issuer, subject),
            name: subject.to_owned(),
            secrets: Vec::new(),
            scopes: all.into_iter().filter(has).collect(),
            packs: allowed("waypost_packs")?,
            tools: allowed("waypost_tools")?,
            models: names(claims, "waypost_models")?.map(Allowed::Only),
            per_minute: self.rules.per_minute,
            per_day: None,
            tokens_per_day: self.rules.tokens_per_day,
            created: Timestamp::UNIX_EPOCH,
            expires: end.and_then(|end| Timestamp::from_second(end).ok()),
            revoked: None,
        })
    }
}

/// Returns whether a key is for signatures of an algorithm, as far as it says for what it is.
fn is_for(jwk: &Jwk, algorithm: Algorithm) -> bool {
    let signs =
        jwk.common.public_key_use.as_ref().is_none_or(|what| *what == PublicKeyUse::Signature);
    signs && jwk.common.key_algorithm.is_none_or(|own| own == KeyAlgorithm::from(algorithm))
}

/// Returns whether an address without TLS is one of this machine.
fn is_here(address: &str) -> bool {
    let address: Option<Uri> = address.parse().ok();
    let Some(authority) = address.as_ref().and_then(Uri::authority) else { return false };
    let is_port = |port: &str| port.parse::<u16>().is_ok();
    ["127.0.0.1", "localhost", "[::1]"].iter().any(|own| {
        let rest = authority.as_str().strip_prefix(own);
        rest.is_some_and(|rest| rest.is_empty() || rest.strip_prefix(':').is_some_and(is_port))
    })
}

/// The names in a claim: a list of texts, or a text with spaces between them (RFC 8693, section 4.2). `None` if the
/// token has no such claim.
fn names(claims: &Json, claim: &str) -> std::result::Result<Option<BTreeSet<String>>, Refused> {
    let names = match claims.get(claim) {
        None => return Ok(None),
        Some(Json::String(text)) => Some(text.split_whitespace().map(str::to_owned).collect()),
        Some(Json::Array(list)) => {
            list.iter().map(|name| name.as_str().map(str::to_owned)).collect()
        }
        Some(_) => None,
    };
    if names.is_none() {
        warn!("a token was refused: its claim `{claim}` is neither a text nor a list of texts");
    }
    names.map(Some).ok_or(Refused::Unknown)
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
    use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
    use ring::hmac;
    use ring::signature::Ed25519KeyPair;
    use serde_json::json;

    use super::*;

    /// A private key that was made for these tests, and its public one.
    const PRIVATE: &str = "MC4CAQAwBQYDK2VwBCIEIN+BeytXQ+8MdDEu8CCVi52T7Ych5bKIPcJBGT4oRO0D";
    const PUBLIC: &str = "mNk8h147tmxo8u5A37Ydpp4EHFQEWxszDhkfofHKSj4";

    async fn tokens(per_minute: u32) -> Arc<Tokens> {
        let jwk =
            json!({ "kty": "OKP", "crv": "Ed25519", "alg": "EdDSA", "kid": "k", "x": PUBLIC });
        tokens_of(json!([jwk]), per_minute).await
    }

    async fn tokens_of(keys: Json, per_minute: u32) -> Arc<Tokens> {
        let home = tempfile::TempDir::new().unwrap();
        std::fs::write(home.path().join("jwks.json"), json!({ "keys": keys }).to_string()).unwrap();
        let rules = JwtFile {
            jwks: "jwks.json".to_owned(),
            issuer: "https://who".to_owned(),
            audience: "waypost".to_owned(),
            scope_claim: "scope".to_owned(),
            default: Unclaimed::None,
            per_minute: std::num::NonZeroU32::new(per_minute),
            tokens_per_day: None,
        };
        Tokens::open(&rules, home.path()).await.unwrap()
    }

    fn token(claims: &Json) -> String {
        signed(&json!({ "alg": "EdDSA", "kid": "k" }), claims)
    }

    /// A token that is signed with the private key; where its header says `HS256`, with the public one as a secret.
    fn signed(header: &Json, claims: &Json) -> String {
        let part = |json: &Json| URL_SAFE_NO_PAD.encode(json.to_string());
        let words = format!("{}.{}", part(header), part(claims));
        let signature = if header["alg"] == "HS256" {
            let key = hmac::Key::new(hmac::HMAC_SHA256, &URL_SAFE_NO_PAD.decode(PUBLIC).unwrap());
            hmac::sign(&key, words.as_bytes()).as_ref().to_vec()
        } else {
            let key = STANDARD.decode(PRIVATE).unwrap();
            let key = Ed25519KeyPair::from_pkcs8_maybe_unchecked(&key).unwrap();
            key.sign(words.as_bytes()).as_ref().to_vec()
        };
        format!("{words}.{}", URL_SAFE_NO_PAD.encode(signature))
    }

    #[test]
    fn a_key_is_for_what_it_says() {
        let key = |more: Json| {
            let mut key = json!({ "kty": "OKP", "crv": "Ed25519", "x": PUBLIC });
            key.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
            serde_json::from_value::<Jwk>(key).unwrap()
        };
        assert!(is_for(&key(json!({})), Algorithm::EdDSA));
        assert!(is_for(&key(json!({ "alg": "EdDSA", "use": "sig" })), Algorithm::EdDSA));
        assert!(!is_for(&key(json!({ "alg": "ES256" })), Algorithm::EdDSA));
        assert!(!is_for(&key(json!({ "use": "enc" })), Algorithm::EdDSA));
    }

    fn claims() -> Json {
        let exp = Timestamp::now().as_second() + 600;
        json!({ "iss": "https://who", "aud": "waypost", "sub": "ana", "exp": exp, "scope": "waypost:ask label other" })
    }

    #[tokio::test]
    async fn a_token_lets_in_whom_its_issuer_vouches_for() {
        let tokens = tokens(0).await;
        let key = tokens.admit(&token(&claims())).unwrap();
        assert_eq!(key.name, "ana");
        assert_eq!(key.scopes, [Scope::Ask, Scope::Label].into());
        let mut other = claims();
        other["sub"] = json!("bo");
        assert_ne!(tokens.admit(&token(&other)).unwrap().id, key.id);
    }

    #[tokio::test]
    async fn a_token_that_is_expired_forged_or_for_somebody_else_lets_nobody_in() {
        let tokens = tokens(0).await;
        let with = |claim: &str, value: Json| {
            let mut claims = claims();
            claims[claim] = value;
            token(&claims)
        };
        let of = |more: Json| {
            let mut header = json!({ "alg": "EdDSA", "kid": "k" });
            header.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
            signed(&header, &claims())
        };
        let mut parts: Vec<String> = token(&claims()).split('.').map(str::to_owned).collect();
        parts[1] = with("sub", json!("eve")).split('.').nth(1).unwrap().to_owned();
        for (why, token) in [
            ("expired", with("exp", json!(1))),
            ("expired a moment ago", with("exp", json!(Timestamp::now().as_second() - 1))),
            ("an end that cannot be read", with("exp", json!("2999-01-01"))),
            ("an end that is none", with("exp", json!(true))),
            ("a beginning that cannot be read", with("nbf", json!("2999-01-01"))),
            ("a beginning that is none", with("nbf", Json::Null)),
            ("not yet", with("nbf", json!(Timestamp::now().as_second() + 60))),
            ("more than is understood", of(json!({ "crit": ["exp"], "exp": 1 }))),
            ("claims of another form", of(json!({ "crit": ["b64"], "b64": false }))),
            ("claims of another form, in silence", of(json!({ "b64": false }))),
            ("nothing to understand", of(json!({ "crit": [] }))),
            ("another issuer", with("iss", json!("https://other"))),
            ("for another", with("aud", json!("other"))),
            ("no subject", with("sub", Json::Null)),
            ("words of another", parts.join(".")),
            ("a key that everybody knows", of(json!({ "alg": "HS256" }))),
            ("no signature", of(json!({ "alg": "none" }))),
            ("an algorithm of another key", of(json!({ "alg": "ES256" }))),
            ("nothing", "..".to_owned()),
        ] {
            assert_eq!(tokens.admit(&token), Err(Refused::Unknown), "{why}");
        }
    }

    #[tokio::test]
    async fn a_key_of_another_kind_lets_nobody_in_and_is_in_no_others_way() {
        let keys = json!([
            { "kty": "AKP", "alg": "ML-DSA-44", "kid": "new", "pub": PUBLIC },
            { "kty": "oct", "kid": "secret", "k": PUBLIC },
            { "kty": "OKP", "crv": "Ed25519", "kid": "k", "x": PUBLIC },
        ]);
        let tokens = tokens_of(keys, 0).await;
        let admitted = |algorithm: &str, kid: &str| {
            tokens.admit(&signed(&json!({ "alg": algorithm, "kid": kid }), &claims()))
        };
        assert!(admitted("EdDSA", "k").is_ok());
        for (algorithm, kid) in [("EdDSA", "new"), ("EdDSA", "secret"), ("HS256", "secret")] {
            assert_eq!(admitted(algorithm, kid), Err(Refused::Unknown), "{algorithm} {kid}");
        }
    }

    #[tokio::test]
    async fn an_end_with_a_fraction_is_an_end() {
        let mut claims = claims();
        let end = claims["exp"].as_i64().unwrap();
        claims["exp"] = json!(end as f64 + 0.25);
        let key = tokens(0).await.admit(&token(&claims)).unwrap();
        assert_eq!(key.expires, Timestamp::from_second(end).ok());
    }

    #[tokio::test]
    async fn a_claim_allows_what_it_names_and_nothing_else() {
        let tokens = tokens(0).await;
        let admitted = |claim: &str, value: Json| {
            let mut claims = claims();
            claims[claim] = value;
            tokens.admit(&token(&claims))
        };
        for value in [json!("list_notes"), json!(["list_notes"]), json!(" list_notes  other ")] {
            let key = admitted("waypost_tools", value).unwrap();
            assert!(key.tools.has("list_notes") && !key.tools.has("add_note"));
        }
        let key = admitted("waypost_models", json!("small")).unwrap();
        assert!(key.models().has("small") && !key.models().has("big"));
        for value in [json!([]), json!("")] {
            let key = admitted("waypost_packs", value).unwrap();
            assert!(!key.packs.has("ocean"));
        }
        for value in [Json::Null, json!({}), json!([1]), json!(["ocean", 1]), json!(true)] {
            for claim in ["waypost_tools", "waypost_packs", "waypost_models", "scope"] {
                let refused = admitted(claim, value.clone());
                assert_eq!(refused, Err(Refused::Unknown), "{claim} {value}");
            }
        }
    }

    #[tokio::test]
    async fn a_token_that_names_no_packs_or_tools_has_those_of_the_configuration() {
        let mut own = Arc::into_inner(tokens(0).await).unwrap();
        let token = token(&claims());
        let key = own.admit(&token).unwrap();
        assert!(!key.packs.has("ocean") && !key.tools.has("tide.forecast"));
        assert!(!key.models().has("big"));
        own.rules.default = Unclaimed::All;
        let key = own.admit(&token).unwrap();
        assert!(key.packs.has("ocean") && key.tools.has("tide.forecast"));
        assert!(key.models().has("big"));
        let mut bound = claims();
        bound["waypost_packs"] = json!("ocean");
        let key = own.admit(&self::token(&bound)).unwrap();
        assert!(key.tools.has("tide.forecast") && !key.models().has("big"));
    }

    #[test]
    fn only_this_machine_is_believed_without_tls() {
        for (address, own) in [
            ("http://localhost/keys", true),
            ("http://127.0.0.1:8080/keys", true),
            ("http://[::1]:8080", true),
            ("http://localhost@evil.example/keys", false),
            ("http://localhost.evil.example/keys", false),
            ("http://127.0.0.1.evil.example", false),
            ("http://[::1].evil.example", false),
            ("http://localhost:80@evil.example", false),
        ] {
            assert_eq!(is_here(address), own, "{address}");
        }
    }

    #[tokio::test]
    async fn a_subject_that_asked_as_often_as_it_may_waits() {
        let tokens = tokens(2).await;
        let token = token(&claims());
        assert!(tokens.admit(&token).is_ok() && tokens.admit(&token).is_ok());
        assert!(matches!(tokens.admit(&token), Err(Refused::TooMuch(_))));
    }
}

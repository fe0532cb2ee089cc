//! The signatures of tokens, checked with ring, which TLS is built on anyway. `jsonwebtoken` lets a program bring its own
//! cryptography; those that it offers would be a second one beside ring.

use jsonwebtoken::crypto::{CryptoProvider, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{ErrorKind, Result};
use jsonwebtoken::signature::{Error, Verifier};
use jsonwebtoken::{Algorithm, DecodingKey, DecodingKeyKind};
use ring::error::Unspecified;
use ring::signature;

/// Checks signatures, and neither signs nor makes keys.
pub(super) static RING: CryptoProvider = CryptoProvider {
    signer_factory: |_, _| Err(ErrorKind::UnsupportedAlgorithm.into()),
    verifier_factory: verifier,
    // These are for making keys and their fingerprints, which nothing here does.
    key_utils: KeyUtils::new_unimplemented(),
};

/// The check of signatures with one key.
struct Check {
    algorithm: Algorithm,
    method: Method,
    key: DecodingKey,
}

enum Method {
    Rsa(&'static signature::RsaParameters),
    Curve(&'static dyn signature::VerificationAlgorithm),
}

/// Makes the check of signatures of an algorithm.
///
/// # Errors
///
/// If the algorithm has no public key, because with a secret whoever checks tokens could also make them, or if the key is
/// of another family. The latter matters: bytes of one kind can be taken for a key of another.
fn verifier(algorithm: &Algorithm, key: &DecodingKey) -> Result<Box<dyn JwtVerifier>> {
    let method = match algorithm {
        Algorithm::RS256 => Method::Rsa(&signature::RSA_PKCS1_2048_8192_SHA256),
        Algorithm::RS384 => Method::Rsa(&signature::RSA_PKCS1_2048_8192_SHA384),
        Algorithm::RS512 => Method::Rsa(&signature::RSA_PKCS1_2048_8192_SHA512),
        Algorithm::PS256 => Method::Rsa(&signature::RSA_PSS_2048_8192_SHA256),
        Algorithm::PS384 => Method::Rsa(&signature::RSA_PSS_2048_8192_SHA384),
        Algorithm::PS512 => Method::Rsa(&signature::RSA_PSS_2048_8192_SHA512),
        Algorithm::ES256 => Method::Curve(&signature::ECDSA_P256_SHA256_FIXED),
        Algorithm::ES384 => Method::Curve(&signature::ECDSA_P384_SHA384_FIXED),
        Algorithm::EdDSA => Method::Curve(&signature::ED25519),
        _ => return Err(ErrorKind::UnsupportedAlgorithm.into()),
    };
    if key.family() != algorithm.family() {
        return Err(ErrorKind::InvalidKeyFormat.into());
    }
    Ok(Box::new(Check { algorithm: *algorithm, method, key: key.clone() }))
}

impl Verifier<Vec<u8>> for Check {
    fn verify(&self, words: &[u8], signature: &Vec<u8>) -> std::result::Result<(), Error> {
        let checked = match (&self.method, self.key.kind()) {
            (Method::Rsa(parameters), DecodingKeyKind::RsaModulusExponent { n, e }) => {
                signature::RsaPublicKeyComponents { n, e }.verify(parameters, words, signature)
            }
            (Method::Curve(curve), DecodingKeyKind::SecretOrDer(point)) => {
                signature::UnparsedPublicKey::new(*curve, point).verify(words, signature)
            }
            _ => Err(Unspecified),
        };
        checked.map_err(|_| Error::new())
    }
}

impl JwtVerifier for Check {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
    use jsonwebtoken::AlgorithmFamily;
    use ring::rand::SystemRandom;
    use ring::signature::KeyPair as _;
    use serde_json::{Value as Json, json};

    use super::*;

    /// A private key that was made for these tests, because ring makes none of this kind.
    const RSA: &str = "\
        MIIEowIBAAKCAQEAsfwlUjTthuyVeDG9zR5zWAWYZiysRKI45X8qz5l8myGZHy3m7b3X2uKXcdWP+TpaKQTSk6AGGkWd\
        iVV7+BbY/LHGk4EOzDY+GPr3QXX5MMLAT9lUs4R+sbh8J+fvOqEsM8qi8IVNSIpHNn1GNOPSZTO6V7payehmhas7KASq\
        1AvpDHPkahkZaVK4uUSMsdk4JmeyY45Y19CDdrNwBTxYb9HlVaXgFRwaL5+MpDD3INTlvxmhnZweXhLVRBHpL+CPrwBx\
        8AUj/TzMXOd+alaUUSn8bPpx/3bfH6WeOIYyFJx4qoh0H/6ARBfVIeAfVmzTOlDNYlBYI8qljAN5nU4aAwIDAQABAoIB\
        ABo1rNNHFbFYQTHddVCcNX/BTINt/Febt0WIbVKmjL8Veq8o5chIZrMwyfzKkQnc/24/QQ6Eh/wyGImi69Sz8fPS7rtF\
        oTBjo8+u6V6bk6dhY8t+ZWbi0dC0VPLVc0OkJ1Zgdo/KZCqUqPmhB10o2BCXcPnpPeRcvk2HJ84eqH9SxiROX+UH06Eh\
        EJFrS7HRXUuIE7Lkek1WYqQac1l+13O/85mH5s40va/a3jV0gopMaJTTjw59N8xHs+ilHdPTDvcQOwx8Zc/NbvucF0kt\
        QJdvxQuRrUzgiMjGsk+ky32gOiZjob5wY9Mu/aQLbUNiK1IO3iI5B4pZJuVnZbnmPC0CgYEA18NOfr59SS04yzbqRwsL\
        WTkT4LgKuo3Plo4OT4SKd3c3dV+Ocnx0iErbxqxiTC13Rx2wN8eHNduI2+a3uAdRVnYiKDPfcFlzyQJaKhdP6ci3LAJE\
        rQhlBK4uSakrlN2NCuDUJs6uKPBd66f9g0TzuHTurV3wYKPIKGAzWEo/xb8CgYEA0y1J6Nlwp8v3Jq60IYmdbTG8y3fT\
        2ty17pbM532QaJV7WAIzYLgqndq5He7/zIHIJu8BjHpsAz+WOEIGdVdYi5rZ1mXOTsJ921Z5UpNI5j4u5zGg6zkrKNDF\
        WJL3sb+bYxcgd8sFd+P0P3ARlpY3ZxAupVgghbt9WPGWy3Sl5L0CgYEAvL2Df8nArO+bG+EI5Waa4czVP6Ge+PwuWGQh\
        zpuByOmHoOwbHrkR81uQj2Wig0LOcW5eBR1MgOdu+/YCRkBYfYrPbF2cGpqVd4PQPbuw0zAaU6wUSUzrmUGJCjSrBAke\
        ZSKxUtU/cl55ujh0wozhqjzXwN5I9TCwWel1YMlqqd8CgYBZiJgPezFCUz3kTqnclkYCp9XNxm4yGuWf1JvngdsaHFaB\
        R92UokCfUL6vrEcT4+qCZ08WykjFT85W59dpJLFL70lwlxVTWy6VMiKaGgwMYkzshKQfVsuvsGQbW6Rc3kn5RzLi11bo\
        L+O8ib1LRUEUF05Pl/+h843/id5PQJOdWQKBgFh0mDWtXe4Q6x4kTEQj5YbeEWR8IL5u+wbJAvMHKk0OMb42CwwVmJfe\
        AnN09D3QrkKxqvB4IjXDij1ZdWqfnQdywGmRf3+sI81PoBHrUKyGGGwFxaHa4iS3krArnKMD+OsyyBckYocw2P3Feb2I\
        q/B83v+JhV56+XlEE56P3Zga";

    const WORDS: &[u8] = b"header.claims";

    /// A signature of `WORDS` in each algorithm with a public key, and the key as a set of keys has it.
    fn signatures() -> Vec<(Algorithm, DecodingKey, Vec<u8>)> {
        let random = SystemRandom::new();
        let text = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
        let mut all = Vec::new();
        let mut add = |algorithm, jwk: Json, signature| {
            let jwk = serde_json::from_value(jwk).unwrap();
            all.push((algorithm, DecodingKey::from_jwk(&jwk).unwrap(), signature));
        };

        let pair = signature::RsaKeyPair::from_der(&STANDARD.decode(RSA).unwrap()).unwrap();
        let public = signature::RsaPublicKeyComponents::<Vec<u8>>::from(pair.public());
        let jwk = json!({ "kty": "RSA", "n": text(&public.n), "e": text(&public.e) });
        let encodings: [(Algorithm, &'static dyn signature::RsaEncoding); 6] = [
            (Algorithm::RS256, &signature::RSA_PKCS1_SHA256),
            (Algorithm::RS384, &signature::RSA_PKCS1_SHA384),
            (Algorithm::RS512, &signature::RSA_PKCS1_SHA512),
            (Algorithm::PS256, &signature::RSA_PSS_SHA256),
            (Algorithm::PS384, &signature::RSA_PSS_SHA384),
            (Algorithm::PS512, &signature::RSA_PSS_SHA512),
        ];
        for (algorithm, encoding) in encodings {
            let mut signature = vec![0; pair.public().modulus_len()];
            pair.sign(encoding, &random, WORDS, &mut signature).unwrap();
            add(algorithm, jwk.clone(), signature);
        }

        for (algorithm, curve, name) in [
            (Algorithm::ES256, &signature::ECDSA_P256_SHA256_FIXED_SIGNING, "P-256"),
            (Algorithm::ES384, &signature::ECDSA_P384_SHA384_FIXED_SIGNING, "P-384"),
        ] {
            let private = signature::EcdsaKeyPair::generate_pkcs8(curve, &random).unwrap();
            let pair =
                signature::EcdsaKeyPair::from_pkcs8(curve, private.as_ref(), &random).unwrap();
            let point = &pair.public_key().as_ref()[1..];
            let (x, y) = point.split_at(point.len() / 2);
            let jwk = json!({ "kty": "EC", "crv": name, "x": text(x), "y": text(y) });
            add(algorithm, jwk, pair.sign(&random, WORDS).unwrap().as_ref().to_vec());
        }

        let private = signature::Ed25519KeyPair::generate_pkcs8(&random).unwrap();
        let pair = signature::Ed25519KeyPair::from_pkcs8(private.as_ref()).unwrap();
        let x = text(pair.public_key().as_ref());
        let jwk = json!({ "kty": "OKP", "crv": "Ed25519", "x": x });
        add(Algorithm::EdDSA, jwk, pair.sign(WORDS).as_ref().to_vec());
        all
    }

    fn is_right(algorithm: Algorithm, key: &DecodingKey, words: &[u8], signature: &[u8]) -> bool {
        (RING.verifier_factory)(&algorithm, key)
            .is_ok_and(|check| check.verify(words, &signature.to_vec()).is_ok())
    }

    #[test]
    fn a_signature_counts_for_its_own_words_key_and_algorithm_alone() {
        let all = signatures();
        assert_eq!(all.len(), 9);
        for (algorithm, _, signature) in &all {
            for (other, key, _) in &all {
                let right = is_right(*other, key, WORDS, signature);
                assert_eq!(right, algorithm == other, "{algorithm:?} {other:?}");
                assert!(!is_right(*algorithm, key, b"other.words", signature), "{algorithm:?}");
            }
        }
        for (algorithm, key, signature) in &all {
            let mut bent = signature.clone();
            bent[10] ^= 1;
            for wrong in [&bent[..], &signature[1..], &[]] {
                assert!(!is_right(*algorithm, key, WORDS, wrong), "{algorithm:?}");
            }
        }
    }

    #[test]
    fn a_secret_is_no_public_key_and_no_secret_is_taken() {
        for (algorithm, key, signature) in signatures() {
            let Ok(bytes) = key.try_get_as_bytes() else { continue };
            let secret = DecodingKey::from_secret(bytes).unwrap();
            assert!(!is_right(algorithm, &secret, WORDS, &signature), "{algorithm:?}");
            for shared in AlgorithmFamily::Hmac.algorithms() {
                assert!((RING.verifier_factory)(shared, &secret).is_err(), "{shared:?}");
                assert!((RING.verifier_factory)(shared, &key).is_err(), "{shared:?}");
            }
        }
    }
}

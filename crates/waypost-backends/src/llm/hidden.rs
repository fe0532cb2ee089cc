//! Takes the secrets that a server was given out of what it says: servers repeat headers, addresses and arguments where they
//! refuse.

use std::fmt;

use reqwest::Url;

use super::Secret;

/// What stands in the place of a secret.
const KEY: &str = "[key]";
/// The parts of names of parameters and arguments whose values are secrets.
const SECRETS: [&str; 5] = ["key", "token", "secret", "sig", "password"];
/// Such names that are also parts of words that name none, such as `path` and `author`.
const SECRET_WORDS: [&str; 3] = ["auth", "authorization", "pat"];
/// The ways in which `://` is written, in JSON as well.
const BEFORE_HOSTS: [&str; 2] = ["://", ":\\/\\/"];

/// The secrets that a server was given, in the forms in which it may repeat them.
#[derive(Clone)]
pub(crate) struct Hidden(Vec<String>);

impl fmt::Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[secrets]")
    }
}

impl Hidden {
    /// The key of a server, and what its address holds.
    pub(super) fn of(key: Option<&Secret>, endpoint: &Url) -> Self {
        let key = key.map(|key| key.expose().trim().to_owned());
        let parameters = endpoint.query_pairs().filter(|(name, _)| is_secret(name));
        Self::new(key.into_iter().chain(parameters.map(|(_, value)| value.into_owned())))
    }

    /// These secrets.
    pub(crate) fn new(secrets: impl IntoIterator<Item = String>) -> Self {
        let secrets = secrets.into_iter();
        let mut forms: Vec<String> =
            secrets.flat_map(|secret| forms(&secret)).filter(|form| !form.is_empty()).collect();
        // The longest first, because one form may be a part of another.
        forms.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        forms.dedup();
        Self(forms)
    }

    /// The text without them, and without the users and passwords of addresses in it.
    pub(crate) fn out_of(&self, text: &str) -> String {
        let text = self.0.iter().fold(text.to_owned(), |text, form| text.replace(form, KEY));
        BEFORE_HOSTS.iter().fold(text, |text, before| without_users(&text, before))
    }
}

/// Returns whether the value of a parameter or an argument of this name is a secret.
pub(crate) fn is_secret(name: &str) -> bool {
    let name = name.to_lowercase();
    let mut words = name.split(|c: char| !c.is_alphanumeric());
    SECRETS.iter().any(|part| name.contains(part)) || words.any(|word| SECRET_WORDS.contains(&word))
}

/// A secret as it is, in a text of JSON, and in an address.
fn forms(secret: &str) -> [String; 4] {
    let json = serde_json::Value::from(secret).to_string();
    let json = json.trim_start_matches('"').strip_suffix('"').unwrap_or_default().to_owned();
    let in_address = |byte: u8| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    };
    let address = secret.bytes().map(in_address).collect();
    [secret.to_owned(), json.replace('/', "\\/"), json, address]
}

/// Takes the users out of `scheme://user:password@host`, where `before` is how `://` is written.
fn without_users(text: &str, before: &str) -> String {
    let mut pieces = text.split(before);
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |kept, piece| {
        let is_end = |c: char| c.is_whitespace() || c.is_control() || "/?#\"'<>\\".contains(c);
        let end = piece.find(is_end).unwrap_or(piece.len());
        match piece[..end].rfind('@') {
            Some(at) => kept + before + KEY + &piece[at..],
            None => kept + before + piece,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden(key: &str) -> Hidden {
        let endpoint = Url::parse("http://h/v1?api-version=2024-02-01&apikey=q%2Fk").unwrap();
        Hidden::of(Some(&Secret::new(key)), &endpoint)
    }

    #[test]
    fn a_secret_is_taken_out_in_every_form_in_which_a_server_repeats_it() {
        let hidden = hidden("sk/\"a+1\n");
        for (said, left) in [
            ("Bearer sk/\"a+1", "Bearer [key]"),
            (r#"{"x-api-key":"sk/\"a+1"}"#, r#"{"x-api-key":"[key]"}"#),
            (r#"{"authorization":"Bearer sk\/\"a+1"}"#, r#"{"authorization":"Bearer [key]"}"#),
            ("?key=sk%2F%22a%2B1&x", "?key=[key]&x"),
            (
                "http://h/v1?api-version=2024-02-01&apikey=q%2Fk",
                "http://h/v1?api-version=2024-02-01&apikey=[key]",
            ),
            ("sk is fine", "sk is fine"),
        ] {
            assert_eq!(hidden.out_of(said), left);
        }
        assert!(!format!("{hidden:?}").contains("sk"));
    }

    #[test]
    fn the_users_of_addresses_are_taken_out() {
        let hidden = hidden("");
        for (said, left) in [
            ("at https://me:pa@ss@far.example/v1, then", "at https://[key]@far.example/v1, then"),
            (r#"{"at":"http:\/\/me:pass@far"}"#, r#"{"at":"http:\/\/[key]@far"}"#),
            ("http://far/a@b ana@example.com http://", "http://far/a@b ana@example.com http://"),
            ("\u{3000}://é@", "\u{3000}://[key]@"),
        ] {
            assert_eq!(hidden.out_of(said), left);
        }
    }
}

//! The fields of a request that nothing reads: the head of the answer names them, so that nobody waits for what they should do.

use std::convert::Infallible;

use axum::http::{HeaderName, HeaderValue};
use axum::response::{IntoResponseParts, ResponseParts};
use waypost::records::request::shorten;

/// The header that names them, as JSON pointers with commas between.
const HEADER: HeaderName = HeaderName::from_static("waypost-ignored");
/// The most that are named, and the most characters of one.
const MOST: usize = 8;
const LONGEST: usize = 60;

/// The places of fields that were passed over.
#[derive(Debug, Default)]
pub(super) struct Ignored(Vec<String>);

impl Ignored {
    /// Adds one by its JSON pointer; more than [`MOST`] are not kept.
    pub(super) fn add(&mut self, pointer: &str) {
        if self.0.len() < MOST {
            // A header is one line of ASCII, and a client may name a field as it likes.
            self.0.push(shorten(pointer, LONGEST).escape_default().to_string());
        }
    }

    /// The same fields, of an object that stands at `place`.
    pub(super) fn within(self, place: &str) -> Self {
        Self(self.0.into_iter().map(|pointer| format!("{place}{pointer}")).collect())
    }
}

impl IntoResponseParts for Ignored {
    type Error = Infallible;

    fn into_response_parts(self, mut response: ResponseParts) -> Result<ResponseParts, Infallible> {
        if let Ok(value) = HeaderValue::from_str(&self.0.join(", "))
            && !value.is_empty()
        {
            response.headers_mut().insert(HEADER, value);
        }
        Ok(response)
    }
}

#[cfg(test)]
mod tests {
    use axum::response::IntoResponse;

    use super::*;

    fn header(pointers: &[&str]) -> Option<String> {
        let mut ignored = Ignored::default();
        pointers.iter().for_each(|pointer| ignored.add(pointer));
        let response = (ignored, ()).into_response();
        response.headers().get(HEADER).map(|value| value.to_str().unwrap().to_owned())
    }

    #[test]
    fn fields_are_named_in_one_line() {
        assert_eq!(header(&[]), None);
        assert_eq!(header(&["/metadata", "/context/b"]).unwrap(), "/metadata, /context/b");
        assert_eq!(
            header(&["/a\r\nset-cookie: x", "/花"]).unwrap(),
            "/a\\r\\nset-cookie: x, /\\u{82b1}"
        );
        let many = ["/x"; 100];
        assert_eq!(header(&many).unwrap().matches("/x").count(), MOST);
        assert!(header(&[&"x".repeat(9_000)]).unwrap().len() < 200);
    }
}

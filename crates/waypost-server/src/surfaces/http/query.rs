//! The query of a path; one that cannot be read is a problem, as a body is.

use axum::extract::{FromRequestParts, Query as Read};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;
use waypost::Error;
use waypost::pack::plain;

use super::problem::Problem;

/// The fields of a query.
#[derive(Debug)]
pub(super) struct Query<T>(pub(super) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(head: &mut Parts, state: &S) -> Result<Self, Problem> {
        match Read::from_request_parts(head, state).await {
            Ok(Read(fields)) => Ok(Self(fields)),
            Err(rejected) => {
                let text = rejected.body_text();
                let (what, advice) = plain(text.split_once(": ").map_or(&*text, |(_, what)| what));
                let error = Error::invalid(format!("the query of the address: {what}"));
                let hint = advice.unwrap_or_else(|| {
                    "`GET /openapi.json` has the parameters of every path".to_owned()
                });
                Err(Problem::from(&error.with_hint(hint)))
            }
        }
    }
}

//! `POST /v1/feedback`: what somebody says expressly of a decision.

use std::sync::{Arc, LazyLock};

use axum::Json;
use axum::extract::{Extension, Request as HttpRequest, State};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use waypost::feedback::Feedback;
use waypost::pack::{OUT_OF_SCOPE, Pack};
use waypost::records::bounds::MAX_NAME_BYTES;
use waypost::{Code, Error};

use super::endpoints::Asking;
use super::ignored::Ignored;
use super::intake::Received;
use super::problem::{Problem, hidden};
use super::{Served, intake};
use crate::keys::Scope;
use crate::surfaces::Hosted;
use crate::surfaces::caller::Caller;

/// A word on a decision, as it is sent. Nobody is asked to believe its instant.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(rename = "Feedback")]
pub(super) struct Word {
    decision_id: String,
    right: bool,
    #[serde(default)]
    route: Option<String>,
    #[serde(default)]
    tools: Vec<String>,
    #[serde(default)]
    session: Option<String>,
    #[serde(default)]
    pack: Option<String>,
}

/// The fields of a word, as a JSON Schema.
static WORD: LazyLock<Value> = LazyLock::new(|| schemars::schema_for!(Word).to_value());

/// Takes a word on a decision; the label that it came to is durable when the answer is sent.
pub(super) async fn feedback(
    State(served): State<Arc<Served>>,
    Extension(client): Asking,
    Extension(caller): Extension<Caller>,
    request: HttpRequest,
) -> Result<(Ignored, Json<Value>), Problem> {
    let (head, body) = request.into_parts();
    let received =
        intake::json::<Word>(&served, &client, &caller, &head.headers, body, &WORD).await?;
    let Received { record: word, ignored } = received;
    let told = |error: &Error| Problem::from(error);
    caller.needs(Scope::Label).map_err(|error| told(&error))?;
    let hosted = served.hosted.choose(word.pack.as_deref(), &caller);
    let hosted = hosted.map_err(|error| told(&error).at(Some("/pack".to_owned())))?;
    let router = hosted.router();
    let session = word.session.map(|name| Hosted::session(&caller, &name));
    let feedback = Arc::new(Feedback {
        decision_id: word.decision_id,
        right: word.right,
        route: word.route,
        tools: word.tools,
        session,
        now: Some(jiff::Timestamp::now().to_string()),
        trusted: false,
        owner: caller.key_id().map(str::to_owned),
    });
    let said = Arc::clone(&feedback);
    // The work is finished once it has begun, whether or not somebody still waits for it.
    let owner = caller.key_id();
    let turn = served.begin(client, owner, Arc::clone(&router), |router, _| async move {
        router.feedback(&said).await.map_err(|error| kept_back(&error))
    })?;
    let label = turn.end().await.map_err(|error| {
        let pointer = blamed(&error, &feedback, router.pack());
        Problem::from(&error).at(pointer.map(str::to_owned))
    })?;
    Ok((ignored, Json(json!({ "label": label }))))
}

/// The error as a client may see it: what the store says of a fault names its file.
fn kept_back(error: &Error) -> Error {
    match error.code() {
        Code::Unavailable => hidden(error, "the word on the decision cannot be kept", "doctor"),
        _ => error.clone(),
    }
}

/// The field that is to blame.
fn blamed(error: &Error, feedback: &Feedback, pack: &Pack) -> Option<&'static str> {
    let is_route = |name: &String| name == OUT_OF_SCOPE || pack.route(name).is_some();
    match error.code() {
        Code::NotFound => Some("/decision_id"),
        Code::InvalidArgument if feedback.decision_id.len() > MAX_NAME_BYTES => {
            Some("/decision_id")
        }
        Code::InvalidArgument if feedback.right => Some("/right"),
        Code::InvalidArgument if !feedback.route.as_ref().is_none_or(is_route) => Some("/route"),
        Code::InvalidArgument => Some("/tools"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_the_store_lies_is_told_to_nobody() {
        let full = Error::unavailable("the store is full")
            .with_hint("make room on its disk: `/srv/ada/.waypost/waypost.db`");
        let told = kept_back(&full);
        assert_eq!(told.code(), Code::Unavailable);
        assert!(!format!("{told:?}").contains("ada"), "{told:?}");
        let unknown = Error::new(Code::NotFound, "there is no decision `d`");
        assert_eq!(kept_back(&unknown), unknown);
    }
}

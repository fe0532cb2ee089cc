//! Reads the arguments of a call as the request that they make.

use serde::Deserialize;
use serde_json::{Map, Value as Json};
use waypost::pack::plain;
use waypost::records::request::{Context, DeclaredCall, Request, shorten};
use waypost::{Error, Result};

use super::offered::Offered;

/// The arguments of the tools that make a request. [`Offered::check`] has seen which of them a tool
/// takes, and of what type.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Arguments {
    text: Option<String>,
    /// The text by its name of earlier versions.
    query: Option<String>,
    now: Option<String>,
    /// The instant by its name of earlier versions.
    query_time: Option<String>,
    tz: Option<String>,
    pub(super) session: Option<String>,
    language: Option<String>,
    context: Option<Json>,
    choice: Option<Json>,
    flags: Map<String, Json>,
    /// An argument of [`Offered::Route`] alone.
    route: Option<String>,
    pub(super) debug: bool,
    /// The tool that [`Offered::Call`] calls, with its arguments.
    pub(super) name: String,
    pub(super) arguments: Map<String, Json>,
    approved: bool,
}

impl Arguments {
    /// The request that they make of `tool`; `zone` is the pack's.
    ///
    /// # Errors
    ///
    /// `INVALID_ARGUMENT` for an instant or a context that is none.
    pub(super) fn request(&self, tool: Offered, zone: &str) -> Result<Request> {
        let call = || DeclaredCall {
            tool: self.name.clone(),
            arguments: self.arguments.clone(),
            approved: self.approved,
        };
        Ok(Request {
            now: Some(self.instant(zone)?),
            tz: self.tz.clone(),
            language: self.language.clone(),
            route: self.route.clone(),
            call: (tool == Offered::Call).then(call),
            choice: self.choice.clone(),
            context: self.context()?,
            ..Request::new(self.words())
        })
    }

    /// The request of a user who took a choice of the question that these led to. The conversation
    /// knows the question; words beside a choice would say more than it does.
    ///
    /// # Errors
    ///
    /// As [`Arguments::request`].
    pub(super) fn chosen(&self, zone: &str, choice: Json) -> Result<Request> {
        let Context { flags, hints, extra, .. } = self.context()?;
        Ok(Request {
            now: Some(self.instant(zone)?),
            tz: self.tz.clone(),
            language: self.language.clone(),
            choice: Some(choice),
            context: Context { flags, hints, extra, ..Context::default() },
            ..Request::default()
        })
    }

    fn words(&self) -> String {
        let text = self.text.clone().filter(|text| !text.is_empty());
        text.or_else(|| self.query.clone()).unwrap_or_default()
    }

    fn context(&self) -> Result<Context> {
        let mut context = match &self.context {
            Some(given) => serde_json::from_value(given.clone()).map_err(|fault| unfit(&fault))?,
            None => Context::default(),
        };
        context.flags.extend(self.flags.clone());
        Ok(context)
    }

    /// The instant as it was given, if it is one; the fault names the word that was given for it.
    fn instant(&self, zone: &str) -> Result<String> {
        let (name, given) = match (&self.now, &self.query_time) {
            (Some(given), _) => ("now", given),
            (None, Some(given)) => ("query_time", given),
            (None, None) => return Ok(jiff::Timestamp::now().to_string()),
        };
        let request = Request { now: Some(given.clone()), ..Request::new("") };
        match request.instant(zone) {
            Ok(_) => Ok(given.clone()),
            Err(_) => Err(Error::invalid(format!(
                "`{name}` is `{}`, which is no instant",
                shorten(given, 40)
            ))
            .with_hint("write RFC 3339, such as `2025-11-06T09:00:00+08:00`")),
        }
    }
}

/// Reads arguments that were checked.
pub(super) fn read<T: for<'de> Deserialize<'de>>(given: Map<String, Json>) -> Result<T> {
    serde_json::from_value(Json::Object(given)).map_err(|error| Error::internal(error.to_string()))
}

/// The error of a context whose fields are of other kinds than they have to be.
fn unfit(fault: &serde_json::Error) -> Error {
    let text = fault.to_string();
    let (what, advice) = plain(text.split(" at line ").next().unwrap_or_default());
    let hint = advice.as_deref().unwrap_or("see docs/HTTP.md for the fields of a context");
    Error::invalid(format!("`context`: {what}")).with_hint(hint)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn arguments(given: &Json) -> Arguments {
        read(given.as_object().cloned().unwrap()).unwrap()
    }

    #[test]
    fn words_and_instant_are_read_by_both_of_their_names() {
        let now = "2025-11-06T09:00:00Z";
        for given in [
            json!({ "text": "hello", "now": now }),
            json!({ "query": "hello", "query_time": now }),
            json!({ "text": "", "query": "hello", "now": now, "query_time": "soon" }),
        ] {
            let request = arguments(&given).request(Offered::Answer, "UTC").unwrap();
            assert_eq!((request.text.as_str(), request.now.as_deref()), ("hello", Some(now)));
        }
        for (given, told) in [
            (json!({ "now": "soon" }), "`now` is `soon`, which is no instant"),
            (json!({ "query_time": "soon" }), "`query_time` is `soon`, which is no instant"),
        ] {
            let error = arguments(&given).request(Offered::Answer, "UTC").unwrap_err();
            assert_eq!(error.message(), told);
        }
    }

    #[test]
    fn flags_join_the_context_and_a_context_of_another_kind_is_told() {
        let given = json!({ "text": "x", "context": { "flags": { "a": 1 } }, "flags": { "b": 2 } });
        let request = arguments(&given).request(Offered::Answer, "UTC").unwrap();
        assert_eq!(json!(request.context.flags), json!({ "a": 1, "b": 2 }));
        let given = json!({ "text": "x", "context": { "options": 5 } });
        let error = arguments(&given).request(Offered::Answer, "UTC").unwrap_err();
        assert!(error.message().starts_with("`context`: "), "{error}");
    }

    #[test]
    fn a_choice_that_was_taken_keeps_the_instant_and_drops_words_and_call() {
        let given =
            json!({ "name": "note", "arguments": { "audience": "team" }, "language": "en" });
        let arguments = arguments(&given);
        let request = arguments.request(Offered::Call, "UTC").unwrap();
        assert_eq!(request.call.unwrap().tool, "note");
        let chosen = arguments.chosen("UTC", json!("yes")).unwrap();
        assert_eq!((chosen.call, chosen.choice), (None, Some(json!("yes"))));
        assert_eq!((chosen.text.as_str(), chosen.language.as_deref()), ("", Some("en")));
    }
}

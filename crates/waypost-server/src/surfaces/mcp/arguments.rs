//! Reads the arguments of a call as the request that they make.

use rmcp::model::RequestMetaObject;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use waypost::pack::plain;
use waypost::records::request::{Context, DeclaredCall, Request, shorten};
use waypost::{Error, Result};

use super::offered::Offered;
use crate::keys::Scope;
use crate::surfaces::caller::Caller;

/// The field of `_meta` that is Waypost's own.
const META: &str = "waypost";
/// The keys of a choice by which a call or a plan is approved.
const APPROVING: [&str; 2] = ["approve", "plan"];

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
    /// An argument of [`Offered::Route`] alone.
    route: Option<String>,
    pub(super) debug: bool,
    /// The tool that [`Offered::Call`] calls, with its arguments.
    pub(super) name: String,
    pub(super) arguments: Map<String, Json>,
    approved: bool,
    /// What the calling program says, which no model writes.
    #[serde(skip)]
    pub(super) platform: Platform,
}

/// The fields of a context that a model may give, as a hint.
const FIELDS: &str = "it takes `history`, `last_calls`, `options` and `answer`, which say what happened before; leave it out \
                      where you do not know";

/// What the program that calls says beside the arguments, which a model writes: the field `waypost` of `_meta`. It counts from a
/// caller who is believed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Platform {
    flags: Map<String, Json>,
    user: Option<String>,
}

impl Platform {
    /// What the `_meta` of a call says.
    ///
    /// # Errors
    ///
    /// `INVALID_ARGUMENT` for fields that are not known or of another kind; `PERMISSION_DENIED` for a caller who is not believed.
    pub(super) fn of(meta: &RequestMetaObject, caller: &Caller) -> Result<Self> {
        let own = meta.get(META).filter(|own| !own.is_null());
        let Some(mut own) = own.cloned() else { return Ok(Self::default()) };
        caller.needs(Scope::Trusted)?;
        if let Json::Object(fields) = &mut own {
            fields.retain(|_, value| !value.is_null());
        }
        serde_json::from_value(own).map_err(|fault| {
            let (what, advice) = plain(&fault.to_string());
            let hint = advice.unwrap_or_else(|| "it takes `flags` and `user`".to_owned());
            Error::invalid(format!("`_meta.{META}`: {what}")).with_hint(hint)
        })
    }
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
            user: self.platform.user.clone(),
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
            user: self.platform.user.clone(),
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
        if !context.flags.is_empty() {
            return Err(Error::invalid("`context.flags` is nothing that a model may set")
                .with_hint(
                    "the program that calls sends them in `_meta`: {\"waypost\": {\"flags\": {…}}}",
                ));
        }
        // A question with its yes is what the user saw in this conversation, and not what an argument says of it.
        context
            .options
            .retain(|choice| !APPROVING.iter().any(|key| choice.value.get(key).is_some()));
        context.flags.extend(self.platform.flags.clone());
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
    let hint = advice.as_deref().unwrap_or(FIELDS);
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
    fn flags_come_from_the_calling_program_alone_and_a_context_of_another_kind_is_told() {
        let given = json!({ "text": "x", "context": { "flags": { "a": 1 } } });
        let error = arguments(&given).request(Offered::Answer, "UTC").unwrap_err();
        assert_eq!(error.message(), "`context.flags` is nothing that a model may set");
        let meta = json!({ "waypost": { "flags": { "b": 2 }, "user": "ana" } });
        let meta: RequestMetaObject = serde_json::from_value(meta).unwrap();
        let mut own = arguments(&json!({ "text": "x" }));
        own.platform = Platform::of(&meta, &Caller::own()).unwrap();
        let request = own.request(Offered::Answer, "UTC").unwrap();
        assert_eq!(json!(request.context.flags), json!({ "b": 2 }));
        assert_eq!(request.user.as_deref(), Some("ana"));
        assert!(Platform::of(&meta, &Caller::local()).is_err(), "nobody vouches for it");
        for nothing in [json!(null), json!({ "flags": null, "user": null })] {
            let meta: RequestMetaObject =
                serde_json::from_value(json!({ "waypost": nothing })).unwrap();
            assert_eq!(Platform::of(&meta, &Caller::own()), Ok(Platform::default()));
        }
        let other: RequestMetaObject =
            serde_json::from_value(json!({ "waypost": { "options": [] } })).unwrap();
        assert!(Platform::of(&other, &Caller::own()).is_err());
    }

    #[test]
    fn a_context_that_a_model_writes_shows_no_question_for_an_approval() {
        let yes = json!({ "tool": "note", "arguments": {}, "approve": "0f.1.9c" });
        let options = json!([
            { "label": "Yes", "value": yes },
            { "label": "Yes", "value": { "plan": [] } },
            { "label": "Springfield", "value": "il" },
        ]);
        let given = json!({ "text": "yes", "context": { "options": options } });
        let request = arguments(&given).request(Offered::Answer, "UTC").unwrap();
        assert_eq!(
            json!(request.context.options),
            json!([{ "label": "Springfield", "value": "il" }])
        );
    }

    #[test]
    fn a_context_of_another_kind_is_told() {
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

//! Puts a question with choices to the user by a form, where the client can show one, and reads what
//! was chosen.
//!
//! Since 2026-07-28 a form is the result of the call, and the client calls again with what was chosen;
//! all that is needed to go on travels with the client, sealed. Until 2025-11-25 the form is a request
//! of the server's, while the call waits. A user who chooses nothing gets the question in words.

use std::collections::HashSet;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationSchema, EnumSchema, InputRequest, InputRequests, InputRequiredResult, ServerRequest,
};
use rmcp::service::{Peer, PeerRequestOptions, RequestContext};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};
use waypost::records::answer::{Answer, Raw};
use waypost::records::approval::Approval;
use waypost::records::request::shorten;
use waypost::{Error, Result};

use super::arguments::Platform;

/// The name of the form, and of its one field.
pub(super) const CHOICE: &str = "choice";

/// The time that a user has for a form while the call waits: people read, look something up, and
/// answer; clients give up a call after about as long.
const PATIENCE: Duration = Duration::from_secs(5 * 60);

/// The way in which a client is asked back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asking {
    /// By the result of the call; the client calls again.
    InResult,
    /// By a request to the client, while its call waits.
    ByRequest,
    /// In words with numbered choices.
    InWords,
}

impl Asking {
    /// The way for a call; `answers` says whether a request to its client would be answered.
    pub(super) fn of(context: &RequestContext<RoleServer>, answers: bool) -> Self {
        let declared = context.client_capabilities().and_then(|can| can.elicitation);
        // A client that names no kind of forms shows the plain one.
        let shows = declared.is_some_and(|kinds| kinds.form.is_some() || kinds.url.is_none());
        match context.protocol_version() {
            Some(version) if shows && !version.has_initialize() => Asking::InResult,
            Some(_) if shows && answers => Asking::ByRequest,
            _ => Asking::InWords,
        }
    }
}

/// A question that waits for a choice, with all that is needed to go on once there is one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Open {
    /// The tool that was called, by its listed name.
    pub(super) tool: String,
    /// Its arguments.
    pub(super) arguments: Map<String, Json>,
    pub(super) pack: String,
    /// What the program that calls said beside them.
    #[serde(default)]
    pub(super) platform: Platform,
    /// The conversation, by the client's name for it.
    pub(super) session: String,
    /// The question as an answer, for a user who chooses nothing.
    pub(super) answer: Answer,
}

/// Returns whether an answer is a question that a form can put.
pub(super) fn is_question(answer: &Answer) -> bool {
    answer.mode == "clarify" && !answer.choices.is_empty()
}

/// The answer without its record, which no client has to carry.
pub(super) fn light(answer: &Answer) -> Answer {
    let raw = Raw { plan: json!({}), tool_result: None, trace: None };
    Answer { raw, images: Vec::new(), ..answer.clone() }
}

impl Open {
    /// The question as the result of a call.
    pub(super) fn required(&self, state: String) -> Result<InputRequiredResult> {
        let form = InputRequest::Elicitation(ElicitRequest::new(self.form()?));
        let forms = InputRequests::from([(CHOICE.to_owned(), form)]);
        Ok(InputRequiredResult::new(Some(forms), Some(state)))
    }

    /// The value of what was chosen, as the client sends it; `None` if the user chose nothing.
    ///
    /// # Errors
    ///
    /// `INVALID_ARGUMENT` for what is no answer to the form, or chooses what was not offered.
    pub(super) fn read(&self, said: Json) -> Result<Option<Json>> {
        let said: ElicitResult = serde_json::from_value(said).map_err(|error| {
            let message = format!("the input response `{CHOICE}` is no answer to the form");
            Error::invalid(message)
                .with_hint("send {\"action\": \"accept\", \"content\": {\"choice\": \"…\"}}")
                .with_detail(error.to_string())
        })?;
        self.chosen(&said)
    }

    fn chosen(&self, said: &ElicitResult) -> Result<Option<Json>> {
        if said.action != ElicitationAction::Accept {
            return Ok(None);
        }
        let label = said.content.as_ref().and_then(|content| content.get(CHOICE)?.as_str());
        let label = label.unwrap_or_default();
        let mut offered = self.labels().into_iter().zip(&self.answer.choices);
        match offered.find(|(own, _)| own == label) {
            Some((_, choice)) => Ok(Some(choice.value.clone())),
            None => {
                let message =
                    format!("`{CHOICE}` is `{}`, which was not offered", shorten(label, 60));
                Err(Error::invalid(message).with_hint("choose one of the values of the form"))
            }
        }
    }

    /// The choice of a user who chooses nothing where an approval is asked for: who does not say yes in the form says no, and the
    /// question is closed.
    pub(super) fn denial(&self) -> Option<Json> {
        let mut values = self.answer.choices.iter().map(|choice| &choice.value);
        let approves = values.clone().any(|value| Approval::of(value).is_some());
        values.find(|value| approves && value["cancel"] == true).cloned()
    }

    /// The form: one field, and the labels of the choices as its values.
    fn form(&self) -> Result<ElicitRequestParams> {
        let choice = EnumSchema::builder(self.labels()).build();
        let schema = ElicitationSchema::builder().required_enum_schema(CHOICE, choice).build();
        Ok(ElicitRequestParams::FormElicitationParams {
            meta: None,
            message: self.answer.text.clone(),
            requested_schema: schema.map_err(Error::internal)?,
        })
    }

    /// The labels of the choices in their order, no two alike: a label that was there before has its
    /// number behind it.
    fn labels(&self) -> Vec<String> {
        let mut seen = HashSet::new();
        let choices = self.answer.choices.iter().enumerate();
        let labels = choices.map(|(index, choice)| match seen.insert(choice.label.as_str()) {
            true => choice.label.clone(),
            false => format!("{} ({})", choice.label, index + 1),
        });
        labels.collect()
    }
}

/// Asks the user by a request to the client, and returns the value of what was chosen; `None` if
/// nothing was, or nobody could be asked.
pub(super) async fn ask(peer: &Peer<RoleServer>, open: &Open) -> Option<Json> {
    let form = ServerRequest::ElicitRequest(ElicitRequest::new(open.form().ok()?));
    let options = PeerRequestOptions::with_timeout(PATIENCE);
    let sent = peer.send_request_with_option(form, options).await.ok()?;
    match sent.await_response().await {
        Ok(ClientResult::ElicitResult(said)) => open.chosen(&said).ok()?,
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use waypost::records::request::Choice;

    use super::*;

    fn open() -> Open {
        let choice = |label: &str, value: Json| Choice { label: label.to_owned(), value };
        Open {
            tool: "router_answer".to_owned(),
            arguments: Map::new(),
            pack: "p".to_owned(),
            platform: Platform::default(),
            session: "s".to_owned(),
            answer: Answer {
                mode: "clarify".to_owned(),
                text: "Which Springfield?".to_owned(),
                source: "router".to_owned(),
                confidence: 0.5,
                choices: vec![
                    choice("Springfield", json!({ "state": "IL" })),
                    choice("Springfield", json!({ "state": "MA" })),
                    choice("None", json!(null)),
                ],
                images: Vec::new(),
                error: None,
                raw: Raw { plan: json!({}), tool_result: None, trace: None },
                id: "1".to_owned(),
            },
        }
    }

    #[test]
    fn a_form_has_one_field_with_the_labels_no_two_alike() {
        let required = json!(open().required("state".to_owned()).unwrap());
        assert_eq!(required["resultType"], "input_required");
        assert_eq!(required["requestState"], "state");
        let form = &required["inputRequests"][CHOICE];
        assert_eq!(form["method"], "elicitation/create");
        assert_eq!(form["params"]["message"], "Which Springfield?");
        let schema = &form["params"]["requestedSchema"];
        assert_eq!(schema["required"], json!([CHOICE]));
        let field = &schema["properties"][CHOICE];
        assert_eq!(field["type"], "string");
        assert_eq!(field["enum"], json!(["Springfield", "Springfield (2)", "None"]));
    }

    #[test]
    fn what_was_chosen_is_its_value_and_nothing_else_is() {
        let accept = |label: Json| json!({ "action": "accept", "content": { CHOICE: label } });
        let open = open();
        for (said, value) in [
            (accept(json!("Springfield (2)")), Some(json!({ "state": "MA" }))),
            (accept(json!("None")), Some(json!(null))),
            (json!({ "action": "decline" }), None),
            (json!({ "action": "cancel", "content": { CHOICE: "None" } }), None),
        ] {
            assert_eq!(open.read(said.clone()).unwrap(), value, "{said}");
        }
        for said in [accept(json!("Boston")), accept(json!(5)), json!({ "action": "accept" })] {
            let error = open.read(said.clone()).unwrap_err();
            assert!(error.message().ends_with("which was not offered"), "{said}: {error}");
        }
        assert!(open.read(json!("Springfield")).is_err());
    }
}

//! Turns explicit feedback on a decision into a label, and decides who may give it.

pub mod audit;
pub(crate) mod labels;
pub mod replay;
pub mod triage;

use serde::{Deserialize, Serialize};
use waypost_core::error::{Code, Error, Result};
use waypost_core::ports::store::{Filter, Store};
use waypost_core::records::bounds::{MAX_ITEMS, name};
use waypost_core::records::decision::{Decision, GateName, LayerName, Outcome, Reason};
use waypost_core::records::event::{Event, Record, Routed};
use waypost_core::records::label::{Label, LabelKind, Verdict};
use waypost_core::records::request::shorten;
use waypost_core::records::session::Bearing;

use crate::feedback::labels::bearing;
use crate::pack::spec::HandlerName;
use crate::pack::{OUT_OF_SCOPE, Pack, did_you_mean};
use crate::understand::ingest;

/// The longest part of an unknown name that an error repeats, in characters.
const SHOWN: usize = 60;

/// A statement of somebody about a decision.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Feedback {
    /// The decision.
    pub decision_id: String,
    /// True if it was right.
    pub right: bool,
    /// The route that would have been right: a route of the pack or `out_of_scope`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub route: Option<String>,
    /// The tools that would have been right.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// The conversation that says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The instant, RFC 3339; that of the decision without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<String>,
    /// True if the caller is the platform itself. A surface sets it; it is never read from input.
    #[serde(skip)]
    pub trusted: bool,
    /// The key of the caller, where there is one; a surface sets it.
    #[serde(skip)]
    pub owner: Option<String>,
}

impl Feedback {
    /// Checks that names are no longer, and tools no more, than any name or list of a request.
    fn check(&self) -> Result<()> {
        name("decision_id", &self.decision_id)?;
        let others = [("route", &self.route), ("session", &self.session), ("now", &self.now)];
        for (what, given) in others {
            given.as_deref().map_or(Ok(()), |given| name(what, given))?;
        }
        if self.tools.len() > MAX_ITEMS {
            let message = format!("`tools` has more than {MAX_ITEMS} entries, the limit");
            return Err(Error::invalid(message).with_hint("name the tools of one decision"));
        }
        self.tools.iter().try_for_each(|tool| name("tools", tool))
    }
}

/// Makes a label of what somebody says of a decision, and keeps it.
///
/// Only the conversation of a decision may speak of it, or a trusted caller; of a decision without
/// a conversation, anybody who knows its id. A second statement of the same conversation about the
/// same decision takes the place of the first. `None` where nothing can be learned: the words of
/// that turn mean something only with what was said before.
///
/// # Errors
///
/// `NOT_FOUND` if there is no such decision of this pack, or not of that conversation;
/// `INVALID_ARGUMENT` for a route or a tool that the pack does not have, for a name that is too long,
/// or where what was right is not said; those of the store.
pub async fn give(pack: &Pack, store: &dyn Store, feedback: &Feedback) -> Result<Option<Label>> {
    feedback.check()?;
    let filter = Filter {
        decision: Some(feedback.decision_id.clone()),
        kind: Some("router_event".to_owned()),
        pack: Some(pack.spec.name.clone()),
        ..Filter::default()
    };
    // Before the words are read, so that they are not written anew if they are forgotten meanwhile.
    let era = store.era().await?;
    let record = store.events(&filter, 1).await?.pop();
    let may_speak = |record: &Record| feedback.trusted || record.session_id == feedback.session;
    let record = record.filter(may_speak).ok_or_else(|| unknown(pack, feedback))?;
    let Event::RouterEvent(routed) = &record.event else { return Err(unknown(pack, feedback)) };
    let verdict = verdict(pack, &routed.decision, feedback)?;
    if verdict != Verdict::Wrong && !stands_alone(pack, &record, routed)? {
        return Ok(None);
    }
    let label = Label {
        decision_id: record.decision_id.clone(),
        // The session whose words they are, so that they are forgotten together.
        session_id: record.session_id.clone(),
        owner: feedback.owner.clone(),
        pack: record.pack.clone(),
        at: feedback.now.clone().unwrap_or_else(|| record.at.clone()),
        kind: LabelKind::Feedback,
        text: routed.text.clone(),
        language: routed.decision.language.tag().to_owned(),
        era,
        verdict,
    };
    store.save_labels(std::slice::from_ref(&label)).await?;
    Ok(Some(label))
}

fn unknown(pack: &Pack, feedback: &Feedback) -> Error {
    let id = shorten(&feedback.decision_id, SHOWN);
    let message = format!("there is no decision `{id}` of the pack `{}`", pack.spec.name);
    Error::new(Code::NotFound, message)
        .with_hint("give the `id` of an answer of this pack, with its `session` if it had one; `waypost events` lists those that are kept")
}

/// Returns whether the words of a recorded turn say by themselves what is asked; false if its
/// request was not kept. Where nothing was said before them, "it" and "again" point to nothing.
fn stands_alone(pack: &Pack, record: &Record, routed: &Routed) -> Result<bool> {
    let Some(asked) = &routed.request else { return Ok(false) };
    let request = asked.request(&routed.text, &record.at, record.session_id.as_deref());
    let turn = ingest(pack, &request, request.context.clone())?;
    let by_rule = matches!(routed.decision.layer, LayerName::Rules | LayerName::Declared);
    let is_first = turn.is_first() && !by_rule && !turn.said.is_bare();
    Ok(is_first && turn.said.objection.is_none()
        || bearing(&turn, &routed.decision) == Bearing::Alone)
}

fn verdict(pack: &Pack, decision: &Decision, feedback: &Feedback) -> Result<Verdict> {
    let named = feedback.route.is_some() || !feedback.tools.is_empty();
    if feedback.right && named {
        let message = "what was right needs no other route and no other tools";
        return Err(Error::invalid(message).with_hint("say that it was wrong, or name neither"));
    }
    if feedback.right {
        return was_right(decision);
    }
    if !named {
        return Ok(Verdict::Wrong);
    }
    let route = match &feedback.route {
        Some(route) => route_of(pack, route)?,
        None => route_of_tools(pack)?,
    };
    let tools = tools_of(pack, &route, &feedback.tools)?;
    Ok(Verdict::Right { route, tools })
}

/// The verdict of a decision that was right: it ran, or asked for what was missing, or found that
/// nothing serves the request.
fn was_right(decision: &Decision) -> Result<Verdict> {
    let settled = match (decision.decision, &decision.reason) {
        (Outcome::Run, reason) => reason.is_none(),
        (Outcome::Clarify, Some(Reason::Gate(gate))) => *gate != GateName::Confidence,
        (Outcome::Clarify, reason) => matches!(reason, Some(Reason::Flag(_))),
        (Outcome::Refuse, reason) => *reason == Some(Reason::OutOfScope),
        (Outcome::Rephrase, _) => false,
    };
    if settled {
        return Ok(Verdict::Right { route: decision.route.clone(), tools: decision.tools() });
    }
    let message = format!("the decision `{}` settled no route that could be right", decision.id);
    Err(Error::invalid(message).with_hint("say that it was wrong, and which route was meant"))
}

fn route_of(pack: &Pack, name: &str) -> Result<String> {
    if name == OUT_OF_SCOPE || pack.route(name).is_some() {
        return Ok(name.to_owned());
    }
    let routes = pack.spec.routes.iter().map(|route| route.name.as_str());
    let hint = did_you_mean(name, routes.chain([OUT_OF_SCOPE]));
    Err(Error::invalid(missing(pack, "route", name)).with_hint(hint))
}

fn route_of_tools(pack: &Pack) -> Result<String> {
    let mut routes = pack.spec.routes.iter();
    let route = routes.find(|route| route.handler == HandlerName::Tool);
    route.map(|route| route.name.clone()).ok_or_else(|| {
        Error::invalid(format!("the pack `{}` has no tools", pack.spec.name))
            .with_hint("name a route instead")
    })
}

fn tools_of(pack: &Pack, route: &str, tools: &[String]) -> Result<Vec<String>> {
    let handler = pack.route(route).map(|route| route.handler);
    if !tools.is_empty() && handler != Some(HandlerName::Tool) {
        return Err(Error::invalid(format!("the route `{route}` runs no tools"))
            .with_hint("name the route alone"));
    }
    let mut known: Vec<String> = Vec::new();
    for tool in tools {
        if pack.tool(tool).is_none() {
            let tools = pack.tools.iter().map(|tool| tool.spec.name.as_str());
            return Err(
                Error::invalid(missing(pack, "tool", tool)).with_hint(did_you_mean(tool, tools))
            );
        }
        if !known.contains(tool) {
            known.push(tool.clone());
        }
    }
    Ok(known)
}

fn missing(pack: &Pack, what: &str, name: &str) -> String {
    format!("the pack `{}` has no {what} `{}`", pack.spec.name, shorten(name, SHOWN))
}

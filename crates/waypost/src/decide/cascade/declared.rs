//! The caller named the route, or the very call: nobody else is asked. Gates still are.
//!
//! A call whose arguments its tool cannot take is an error of the caller and no turn; one that lacks
//! something is a question, with the choices that the schema lists.

use std::borrow::Cow;

use async_trait::async_trait;
use serde_json::Value as Json;
use waypost_core::error::{Code, Error, Result};
use waypost_core::records::decision::{Evidence, LayerName, Source};
use waypost_core::records::request::{DeclaredCall, PastCall, Request, shorten};

use super::rules::settle::{believes_options, says_nothing_else};
use super::{Aim, DecisionDependencies, Layer, Proposal, Step, linear};
use crate::decide::slots::{DraftCall, Given};
use crate::pack::spec::{Access, HandlerName, RouteSpec};
use crate::pack::{Pack, Tool, did_you_mean};
use crate::understand::Turn;
use waypost_core::records::run::Run;

/// The most characters of a name, and of a value or a schema, that an error repeats.
const NAME: usize = 60;
const VALUE: usize = 200;

/// The request, with the arguments of its declared call as the tool's schema means them. The question for an approval shows
/// them so, and a client that declares the call again in its own way of writing still means that call.
pub(crate) fn as_meant<'r>(pack: &Pack, request: &'r Request) -> Cow<'r, Request> {
    let unchanged = Cow::Borrowed(request);
    let Some(call) = &request.call else { return unchanged };
    let Some(tool) = pack.tool(&call.tool) else { return unchanged };
    let mut arguments = Json::Object(call.arguments.clone());
    match (tool.as_meant(&mut arguments), arguments) {
        (true, Json::Object(arguments)) => {
            let call = DeclaredCall { arguments, ..call.clone() };
            Cow::Owned(Request { call: Some(call), ..request.clone() })
        }
        _ => unchanged,
    }
}

/// The fault of the call that a request declares, and the JSON pointer of its place in the request; `None` for a call that its
/// tool takes.
pub fn fault_of(pack: &Pack, request: &Request) -> Option<(Error, String)> {
    let request = as_meant(pack, request);
    let call = request.call.as_ref()?;
    match known(pack, &request, &call.tool) {
        Err(error) => Some((error, "/call/tool".to_owned())),
        Ok(tool) => {
            fault(tool, call).map(|(error, pointer)| (error, format!("/call/arguments{pointer}")))
        }
    }
}

#[derive(Debug)]
pub(super) struct Declared;

#[async_trait]
impl Layer for Declared {
    fn name(&self) -> LayerName {
        LayerName::Declared
    }

    async fn decide(
        &self,
        turn: &Turn<'_>,
        dependencies: &DecisionDependencies<'_>,
        _: Option<&Proposal>,
    ) -> Result<Step> {
        if let Some(run) = turn.resumed() {
            return resumed(turn, run).map(Step::Decided);
        }
        if let Some(call) = &turn.request.call {
            return called(turn, call).map(Step::Decided);
        }
        let Some(name) = &turn.request.route else {
            return Ok(match commanded(turn, dependencies) {
                Some(proposal) => Step::Decided(proposal),
                None => Step::Abstained(None),
            });
        };
        // A route is matched in either case if no name is exactly the same: `PLATFORM`.
        let mut routes = turn.pack.spec.routes.iter();
        let is_meant = |route: &&RouteSpec| route.name.eq_ignore_ascii_case(name);
        let Some(route) = turn.pack.route(name).or_else(|| routes.find(is_meant)) else {
            let routes = turn.pack.spec.routes.iter().map(|route| route.name.as_str());
            let message = format!("the pack `{}` has no route `{name}`", turn.pack.spec.name);
            return Err(Error::invalid(message).with_hint(did_you_mean(name, routes)));
        };
        let aim = Aim::Route(route.name.clone());
        Ok(Step::Decided(Proposal::sure(LayerName::Declared, aim, "the caller named the route")))
    }
}

/// The calls of a run that goes on, with the evidence of then. What it changed already is not among them; what it was about to
/// change is held to the gates as if it had never been approved.
fn resumed(turn: &Turn<'_>, run: &Run) -> Result<Proposal> {
    let mut calls = Vec::new();
    for call in &run.calls {
        let tool = known(turn.pack, turn.request, &call.tool)?;
        let is_done = run.output(&call.tool, &call.arguments).is_some();
        if is_done && turn.access(&tool.spec.name) != Access::Read {
            continue;
        }
        let given = call.arguments.iter().map(|(name, value)| {
            let evidence = call.evidence.get(name).cloned();
            let evidence = evidence.unwrap_or_else(|| Evidence::new(Source::Caller, "run"));
            (name.clone(), Given { value: value.clone(), evidence })
        });
        calls.push(DraftCall {
            tool: call.tool.clone(),
            given: given.collect(),
            exact: true,
            ..DraftCall::default()
        });
    }
    let aim = Aim::Route(tool_route(turn.pack)?.name.clone());
    let proposal =
        Proposal::sure(LayerName::Declared, aim, "the user goes on with an earlier request");
    Ok(Proposal { calls, planned: true, ..proposal })
}

/// The route that runs tools.
fn tool_route(pack: &Pack) -> Result<&RouteSpec> {
    let mut routes = pack.spec.routes.iter();
    routes.find(|route| route.handler == HandlerName::Tool).ok_or_else(|| {
        let message = format!("the pack `{}` has no route that runs tools", pack.spec.name);
        Error::new(Code::FailedPrecondition, message).with_hint("add one with `handler: tool`")
    })
}

/// The decision of commands: to switch something and ask for nothing, to talk to one tool alone, or to select every tool. The
/// gates hold for all that as for anything.
fn commanded(turn: &Turn<'_>, dependencies: &DecisionDependencies<'_>) -> Option<Proposal> {
    let says = turn.said.text.original().contains(char::is_alphanumeric);
    if !turn.said.commands.is_empty() && !says {
        return Some(Proposal::sure(
            LayerName::Declared,
            Aim::Switched,
            "the text is commands alone",
        ));
    }
    let answers = turn.active_tool().is_some() || !turn.context.options.is_empty();
    if answers || !says {
        return None;
    }
    let mut routes = turn.pack.spec.routes.iter();
    let route = routes.find(|route| route.handler == HandlerName::Tool)?;
    let aim = Aim::Route(route.name.clone());
    if let Some(tool) = turn.talks_to() {
        let proposal =
            Proposal::sure(LayerName::Declared, aim, "the user talks to this tool alone");
        let call = DraftCall { tool: tool.spec.name.clone(), exact: true, ..DraftCall::default() };
        return Some(Proposal { calls: vec![call], ..proposal });
    }
    if turn.selects_all() {
        let read = linear::read(turn, dependencies.bundle);
        let rationale = "the user selects every tool; what may run is for the gates";
        return Some(Proposal {
            calls: read,
            ..Proposal::sure(LayerName::Declared, aim, rationale)
        });
    }
    None
}

/// The proposal of a declared call, with the caller as the evidence of every argument.
fn called(turn: &Turn<'_>, call: &DeclaredCall) -> Result<Proposal> {
    if turn.request.choice.is_some() {
        return Err(Error::invalid("the request has a `call` and a `choice`").with_hint(
            "send the choice alone to answer a question, and the call alone to make one",
        ));
    }
    let tool = known(turn.pack, turn.request, &call.tool)?;
    if let Some((error, _)) = fault(tool, call) {
        return Err(error);
    }
    let route = tool_route(turn.pack)?;
    let receipt = Evidence::new(Source::Caller, "request");
    let given = call.arguments.iter().map(|(name, value)| {
        (name.clone(), Given { value: value.clone(), evidence: receipt.clone() })
    });
    let own = DraftCall {
        tool: call.tool.clone(),
        given: given.collect(),
        exact: true,
        ..DraftCall::default()
    };
    let approved = call.approved && turn.access(&call.tool) != Access::Read;
    if approved && !was_shown(turn, call) {
        // Asked now, the next of the same would answer it: a yes never opens the question that it is for.
        let rationale = "a yes to a question that is not open";
        return Ok(Proposal::sure(LayerName::Declared, Aim::Unclear("nothing_asked"), rationale));
    }
    let aim = Aim::Route(route.name.clone());
    let proposal = Proposal::sure(LayerName::Declared, aim, "the caller declared the call");
    let past =
        || PastCall { tool: call.tool.clone(), arguments: call.arguments.clone(), text: None };
    // Words beside the call that say anything but yes are not the yes that the caller tells of.
    let approved = (approved && says_nothing_else(turn)).then(past);
    Ok(Proposal { calls: vec![own], approved, ..proposal })
}

/// Returns whether the open question showed this very call.
fn was_shown(turn: &Turn<'_>, call: &DeclaredCall) -> bool {
    believes_options(turn) && turn.shown(&call.tool, &call.arguments).is_some()
}

/// The tool of a name. One that the caller may not use is told of as little as one that is not there.
fn known<'a>(pack: &'a Pack, request: &Request, name: &str) -> Result<&'a Tool> {
    let is_theirs = |tool: &&Tool| request.may_use(&tool.spec.name);
    pack.tool(name).filter(is_theirs).ok_or_else(|| {
        let names = pack.tools.iter().filter(is_theirs).map(|tool| tool.spec.name.as_str());
        let message =
            format!("the pack `{}` has no tool `{}`", pack.spec.name, shorten(name, NAME));
        Error::invalid(message).with_hint(did_you_mean(&shorten(name, NAME), names))
    })
}

/// The first reason for which a tool does not take the arguments of a call, with its JSON pointer in them; that one is missing
/// is a gate's to say.
fn fault(tool: &Tool, call: &DeclaredCall) -> Option<(Error, String)> {
    let name = &tool.spec.name;
    let unknown = |given: &&String| !tool.arguments().any(|known| known == given.as_str());
    if !tool.is_open()
        && let Some(unknown) = call.arguments.keys().find(unknown)
    {
        let pointer = format!("/{}", unknown.replace('~', "~0").replace('/', "~1"));
        let unknown = shorten(unknown, NAME);
        let hint = did_you_mean(&unknown, tool.arguments());
        let message = format!("`{name}` has no argument `{unknown}`");
        return Some((Error::invalid(message).with_hint(hint), pointer));
    }
    let faults = tool.faults(&Json::Object(call.arguments.clone()));
    let fault = faults.into_iter().find(|fault| !fault.missing)?;
    let argument = shorten(&fault.argument, NAME);
    let error = match call.arguments.get(&fault.argument) {
        Some(value) => {
            let value = shorten(&value.to_string(), VALUE);
            Error::invalid(format!("`{name}` does not take `{value}` as `{argument}`"))
        }
        None => Error::invalid(format!("`{name}` does not take these arguments together")),
    };
    let schema = tool.property(&fault.argument).unwrap_or(&tool.spec.schema);
    let hint = format!("its schema: {}", shorten(&schema.to_string(), VALUE));
    Some((error.with_hint(hint).with_detail(fault.detail), fault.pointer))
}

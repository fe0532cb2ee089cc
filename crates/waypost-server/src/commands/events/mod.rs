//! `waypost events`: what was written down of earlier turns, as a list, as figures, as a comparison
//! or as a whole.

mod compare;
mod export;
mod stats;
#[cfg_attr(not(feature = "parquet"), path = "table/without.rs")]
mod table;
mod triage;
pub(super) mod when;

use waypost::Error;
use waypost::pack::did_you_mean;
use waypost::ports::store::{Filter, Store};
use waypost::records::event::{
    AgentRun, Event, ModelCall, Outline, PlanRun, Record, Routed, Status,
};
use waypost::records::request::shorten;
use waypost_backends::stores::SqliteStore;

use crate::assemble;
use crate::cli::{EventsArgs, EventsCommand, EventsFilterArgs, EventsListArgs, EventsOfArgs};
use crate::config::Config;
use crate::failure::Failure;
use crate::output::{self, Shown};

/// The number of events in memory at once.
const PAGE: usize = 200;
/// The most characters of a text or of values that a line shows.
const SHOWN: usize = 60;

pub(super) async fn run(args: &EventsArgs, config: &Config) -> Result<u8, Failure> {
    match &args.command {
        None => list(&args.list, config).await,
        Some(EventsCommand::List(args)) => list(args, config).await,
        Some(EventsCommand::Stats(args)) => stats::run(args, config).await,
        Some(EventsCommand::Compare(args)) => compare::run(args, config).await,
        Some(EventsCommand::Triage(args)) => triage::run(args, config).await,
        Some(EventsCommand::Export(args)) => export::run(args, config).await,
    }
}

/// Prints the latest events, oldest first.
async fn list(args: &EventsListArgs, config: &Config) -> Result<u8, Failure> {
    let filter = filter(&args.filter)?;
    let Some(store) = assemble::kept(config).await? else { return nothing(config) };
    for record in store.events(&filter, args.limit as usize).await? {
        if args.json {
            output::json_line(&record)?;
        } else {
            output::line(line(&record))?;
        }
    }
    Ok(0)
}

/// Says that there is nothing, where nothing was ever kept.
fn nothing(config: &Config) -> Result<u8, Failure> {
    output::note(format!("there are no events in `{}`", config.home.display()));
    Ok(0)
}

/// Hands every event that `filter` takes to `visit`, oldest first, a page at a time.
async fn each(
    store: &SqliteStore,
    filter: &Filter,
    mut visit: impl FnMut(&Record) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let (mut from, mut unreadable) = (Some(0), 0);
    while let Some(at) = from {
        let page = store.page(filter, at, PAGE).await?;
        page.records.iter().try_for_each(&mut visit)?;
        unreadable += page.unreadable;
        from = page.next;
    }
    if unreadable > 0 {
        output::note(format!("left out {unreadable} events of another version of waypost"));
    }
    Ok(())
}

fn filter(args: &EventsFilterArgs) -> Result<Filter, Failure> {
    if let Some(kind) = args.kind.as_deref().filter(|kind| !Event::TYPES.contains(kind)) {
        let error = Error::invalid(format!("there is no type of event `{kind}`"))
            .with_hint(did_you_mean(kind, Event::TYPES.into_iter()));
        return Err(Failure::usage(error));
    }
    let of = filter_of(&args.of)?;
    Ok(Filter { called: args.session.clone(), kind: args.kind.clone(), ..of })
}

fn filter_of(args: &EventsOfArgs) -> Result<Filter, Failure> {
    let since = args.since.as_deref().map(|since| when::since(since, jiff::Timestamp::now()));
    let since = since.transpose().map_err(Failure::usage)?;
    Ok(Filter { pack: args.pack.clone(), since, ..Filter::default() })
}

/// An event for people: when, whose, what.
fn line(record: &Record) -> Shown {
    let session = record.session_id.as_deref().unwrap_or("-");
    let head = format!("{} {} {}", record.at, shorten(session, SHOWN), record.event.name());
    output::dim(&head) + "  " + what(&record.event)
}

fn what(event: &Event) -> String {
    let json = |value: &dyn Fn() -> serde_json::Result<String>| {
        shorten(&value().unwrap_or_default(), SHOWN)
    };
    match event {
        Event::RouterEvent(routed) => routed_line(routed),
        Event::ChoiceEvent { tool, args, matched_by, .. } => {
            format!("{tool} {} by {matched_by}", json(&|| serde_json::to_string(args)))
        }
        Event::ChoiceOutcome { shown, position, argument, .. } => {
            let about = argument.as_deref().map(|name| format!(" of `{name}`")).unwrap_or_default();
            match position {
                Some(position) => format!("took choice {position} of {shown}{about}"),
                None => format!("took none of {shown} choices{about}"),
            }
        }
        Event::ShadowEvent(shadowed) if shadowed.differs.is_empty() => {
            format!("{} would have decided the same", shadowed.key)
        }
        Event::ShadowEvent(shadowed) => {
            format!("{} would have changed {}", shadowed.key, shadowed.differs.join(", "))
        }
        Event::AuditEvent(audited) if audited.agrees => {
            format!("a model agrees on {}", audited.standing.route)
        }
        Event::AuditEvent(audited) => {
            format!(
                "{} by the student, {} by a model",
                audited.standing.route, audited.teacher.route
            )
        }
        Event::DriftEvent(drifted) => format!(
            "{} is {:.1} standard deviations from what it was, {:.1} are usual",
            drifted.signal, drifted.deviation, drifted.threshold
        ),
        Event::ModelEvent(call) => called_line(call),
        Event::AgentEvent(run) => agent_line(run),
        Event::PlanEvent(run) => plan_line(run),
        Event::ToolEvent { tool, status, tool_latency_ms, tries, errors, .. } => {
            let outcome = if *status == Status::Success { "success" } else { "error" };
            let failed: Vec<String> = errors.iter().map(ToString::to_string).collect();
            let failed = if failed.is_empty() {
                failed.join("")
            } else {
                format!(" ({})", failed.join(", "))
            };
            format!("{tool} {outcome} in {tool_latency_ms:.1} ms, tries: {tries}{failed}")
        }
        Event::WriteEvent { tool, approved_by, end, .. } => {
            format!("{tool} {} of decision {approved_by}, told late", end.name())
        }
        Event::AnswerEvent { mode, t_total_ms, code } => {
            let code = code.map(|code| format!(" ({code})")).unwrap_or_default();
            format!("{mode}{code} in {t_total_ms:.1} ms")
        }
        Event::ContractEvent { rule, detail } => format!("{}: {detail}", rule.name()),
        Event::Dropped { what, why } => format!("{what}: {why}"),
        Event::Degraded { what, detail, .. } => format!("{what}: {}", shorten(detail, SHOWN)),
    }
}

fn agent_line(run: &AgentRun) -> String {
    let AgentRun { strategy, turns, calls, refused, tokens, cost, stopped } = run;
    let strategy = serde_json::to_value(strategy).unwrap_or_default();
    let strategy = strategy.as_str().unwrap_or_default().to_owned();
    let mut line = format!("{strategy}: {turns} turns, {calls} calls, {tokens} tokens");
    if *cost > 0.0 {
        line += &format!(", cost {cost:.4}");
    }
    if !refused.is_empty() {
        line += &format!(", refused {}", refused.join(" "));
    }
    if let Some(stopped) = stopped {
        line += &format!(", stopped: {stopped}");
    }
    line
}

fn plan_line(run: &PlanRun) -> String {
    let mut line = run.happened.join(", ");
    if let Some(stopped) = &run.stopped {
        line += &format!(", stopped: {stopped}");
    }
    line
}

fn called_line(call: &ModelCall) -> String {
    let ModelCall { slot, model, purpose, route, usage, tools, model_latency_ms, code } = call;
    let code = code.map(|code| format!(" ({code})")).unwrap_or_default();
    let tokens = usage.map(|usage| {
        format!(", {} tokens in ({} cached), {} out", usage.prompt, usage.cached, usage.reply)
    });
    let tools = tools.map(|told| format!(", about {} of {} tokens for tools", told.sent, told.all));
    format!(
        "{} {route} by {} {}{code} in {model_latency_ms:.1} ms{}{}",
        purpose.name(),
        slot.name(),
        shorten(model, SHOWN),
        tokens.unwrap_or_default(),
        tools.unwrap_or_default()
    )
}

fn routed_line(routed: &Routed) -> String {
    let tools: Vec<&str> = routed.decision.calls.iter().map(|call| call.tool.as_str()).collect();
    let tools = if tools.is_empty() { String::new() } else { format!(" {}", tools.join(", ")) };
    let closed = routed.gating.get("closed").and_then(serde_json::Value::as_str);
    let closed = closed.map(|gate| format!(" ({gate})")).unwrap_or_default();
    format!(
        "“{}” → {} {}{tools}{closed} by {} {:.2} in {:.1} ms",
        shorten(&routed.text, SHOWN),
        routed.action.name(),
        routed.intent,
        routed.layer.name(),
        routed.confidence,
        routed.classification_latency_ms,
    )
}

/// A decision on one line.
pub(in crate::commands) fn outline_line(outline: &Outline) -> String {
    let calls: Vec<String> = outline
        .calls
        .iter()
        .map(|call| {
            let tool = call["tool"].as_str().unwrap_or_default();
            format!(" {tool}{}", shorten(&call["arguments"].to_string(), SHOWN))
        })
        .collect();
    let reason = outline.reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
    format!(
        "{} {}{reason} by {} {:.2}{}",
        outline.decision.name(),
        outline.route,
        outline.layer.name(),
        outline.confidence,
        calls.join("")
    )
}

//! Finds thresholds that can never be met or never matter, and changes of a call that can never be
//! made.

use serde_json::Value;

use waypost_text::extract::Kind;

use super::{Finding, Level, Linted};
use crate::pack::Tool;
use crate::pack::spec::{ToolSpec, ValueWord};

const NEVER: &str = "threshold-never-matters";

pub(super) fn check(linted: &Linted<'_>) -> Vec<Finding> {
    let mut findings = thresholds(linted);
    findings.extend(own_thresholds(linted));
    for (index, tool) in linted.pack.spec.tools.iter().enumerate() {
        findings.extend(relaxations(linted, index, tool));
        findings.extend(defaults(linted, index, tool));
        findings.extend(names(linted, index, tool));
    }
    findings
}

fn thresholds(linted: &Linted<'_>) -> Vec<Finding> {
    let policy = &linted.pack.spec.policy;
    let mut findings = Vec::new();
    let mut found = |level, at: &str, message: String, why, hint: &str| {
        findings.push(linted.at(level, NEVER, at, message).because(why, hint));
    };
    if policy.ask >= policy.run {
        let message = format!("`ask` {} is not below `run` {}", policy.ask, policy.run);
        let why = "between the two a question is asked; so none ever is";
        found(Level::Error, "/policy/ask", message, why, "set `ask` below `run`");
    }
    if policy.student < policy.run {
        let message = format!("`student` {} is below `run` {}", policy.student, policy.run);
        if linted.has_teacher {
            let why = "between the two neither runs anything nor is the teacher asked: the user is";
            let hint = "set `student` to `run` or above";
            found(Level::Warning, "/policy/student", message, why, hint);
        } else {
            let why = "without a teacher the threshold of `run` alone decides";
            let hint = "leave it out, or configure a model for what lies between";
            found(Level::Warning, "/policy/student", message, why, hint);
        }
    }
    if policy.student >= 1.0 {
        let message = format!("`student` is {}, which no calibrated student is", policy.student);
        let why = "the student never decides";
        found(Level::Warning, "/policy/student", message, why, "set it to what a decision needs");
    }
    if policy.run >= 1.0 {
        let message = format!("`run` is {}, which no calibrated student is", policy.run);
        let why = "nothing runs but what a rule or the caller decided";
        found(Level::Error, "/policy/run", message, why, "set it to what a decision needs");
    }
    findings
}

/// The thresholds of routes and tools of their own.
fn own_thresholds(linted: &Linted<'_>) -> Vec<Finding> {
    let spec = &linted.pack.spec;
    let routes = spec.routes.iter().enumerate();
    let routes = routes.map(|(i, r)| (format!("/routes/{i}/run"), "route", &r.name, r.run));
    let tools = spec.tools.iter().enumerate();
    let tools = tools.map(|(i, t)| (format!("/tools/{i}/run"), "tool", &t.name, t.run));
    let mut findings = Vec::new();
    for (at, kind, name, run) in routes.chain(tools) {
        let Some(run) = run.filter(|run| *run < spec.policy.ask) else { continue };
        let message =
            format!("the {kind} `{name}` runs from {run}, below `ask` {}", spec.policy.ask);
        let why =
            "where others are asked about or refused, this one runs: it draws what is unclear";
        let hint = "set its `run` to `ask` or above";
        findings.push(linted.at(Level::Warning, NEVER, &at, message).because(why, hint));
    }
    findings
}

/// Relaxations that never apply: none is allowed, the argument cannot have the value, or an earlier
/// one always applies instead.
fn relaxations(linted: &Linted<'_>, index: usize, tool: &ToolSpec) -> Vec<Finding> {
    let Some(own) = linted.pack.tool(&tool.name) else { return Vec::new() };
    let mut findings = Vec::new();
    for (step, relax) in tool.relax.iter().enumerate() {
        let at = format!("/tools/{index}/relax/{step}");
        // A move such as `-1d` is no value.
        let is_move =
            |value: &Value| value.as_str().is_some_and(|text| text.starts_with(['-', '+']));
        let takes =
            |value: &Value| is_move(value) || refused(linted, own, &relax.set, value).is_none();
        let why_not = if relax.max == 0 {
            Some("`max` is 0".to_owned())
        } else if !takes(&relax.to) {
            Some(format!("the schema of `{}` does not take {}", relax.set, relax.to))
        } else if let Some(only) = relax.only_if.as_ref().filter(|only| !takes(only)) {
            Some(format!("`{}` is never {only}", relax.set))
        } else {
            let earlier = tool.relax[..step].iter().find(|before| {
                let wider = before.only_if.is_none() || before.only_if == relax.only_if;
                before.on == relax.on && before.set == relax.set && before.to == relax.to && wider
            });
            earlier.map(|_| "an earlier one does the same".to_owned())
        };
        if let Some(why_not) = why_not {
            let message = format!("a relaxation of `{}` can never apply: {why_not}", tool.name);
            let why = "what was meant as a second try fails as the first did";
            findings.push(
                linted
                    .at(Level::Error, "relaxation-never-applies", &at, message)
                    .because(why, "remove it, or give what the argument can be"),
            );
        }
    }
    findings
}

/// The day that stands for all, to find out whether an argument takes one.
const A_DAY: &str = "2025-11-06";

/// Returns why an argument can never have a value that the pack gives it; `None` if it can.
fn refused(linted: &Linted<'_>, tool: &Tool, name: &str, value: &Value) -> Option<String> {
    let kind = tool.annotation(name).and_then(|note| note.kind);
    let word = ValueWord::of(value);
    let sent = match word {
        Some(ValueWord::Today) if kind == Some(Kind::Time) => {
            return Some("`today` is a day and no time of day".to_owned());
        }
        Some(ValueWord::Today) => Value::from(A_DAY),
        Some(ValueWord::RequestZone) => Value::from(linted.pack.spec.tz.as_str()),
        None => value.clone(),
    };
    if !tool.accepts(name, &sent) {
        return Some(format!("the schema does not take {sent}"));
    }
    // A schema may list words that its server understands, such as `latest`.
    let is_listed = tool.listed(name).contains(value);
    let is_time = matches!(kind, Some(Kind::Date | Kind::Time | Kind::Datetime | Kind::Range));
    let says_none = |text: &str| !text.chars().any(char::is_numeric);
    let is_no_time = word.is_none() && is_time && value.as_str().is_some_and(says_none);
    (is_no_time && !is_listed).then(|| {
        format!("{value} is no date or time, and of such words only `today` stands for one")
    })
}

/// Defaults that the schema refuses or that nothing leads to.
fn defaults(linted: &Linted<'_>, index: usize, tool: &ToolSpec) -> Vec<Finding> {
    let Some(own) = linted.pack.tool(&tool.name) else { return Vec::new() };
    let flags = || linted.pack.spec.tools.iter().flat_map(|tool| &tool.sets);
    let mut findings = Vec::new();
    for (name, note) in &tool.arguments {
        let at = format!("/tools/{index}/arguments/{name}");
        let refused = |value: &Value| refused(linted, own, name, value);
        let mut found = |key: &str, what: String| {
            let message = format!("`{key}` of `{name}` of `{}` can never apply: {what}", tool.name);
            let why = "the pack means to know the argument, and it is asked for or sent in vain";
            findings.push(
                linted
                    .at(Level::Error, "default-never-applies", &format!("{at}/{key}"), message)
                    .because(why, "give a value that the argument can have, or remove it"),
            );
        };
        for (key, value) in [("default", &note.default), ("skip", &note.skip)] {
            if let Some(why) = value.as_ref().and_then(refused) {
                found(key, why);
            }
        }
        for shown in &note.default_if {
            if let Some(why) = shown.value.as_ref().and_then(refused) {
                found("default_if", why);
            } else if !flags()
                .any(|set| set.flag == shown.flag && set.keeps.is_some() == shown.value.is_none())
            {
                found("default_if", format!("no tool sets the flag `{}`", shown.flag));
            }
        }
    }
    findings
}

/// Names of a gazetteer that fill an argument and that its schema refuses.
fn names(linted: &Linted<'_>, index: usize, tool: &ToolSpec) -> Vec<Finding> {
    let Some(own) = linted.pack.tool(&tool.name) else { return Vec::new() };
    let mut findings = Vec::new();
    for (name, note) in &tool.arguments {
        // A name that becomes a position is no value itself.
        let Some(gazetteer) = note.gazetteer.as_deref().filter(|_| note.kind.is_none()) else {
            continue;
        };
        let value = |key: &str| match own.is_list(name) {
            true => Value::from(vec![key]),
            false => Value::from(key),
        };
        let keys = linted.pack.entries().filter(|(of, ..)| *of == gazetteer).map(|(_, key, _)| key);
        let refused: Vec<&str> = keys.filter(|key| !own.accepts(name, &value(key))).collect();
        let Some(first) = refused.first() else { continue };
        let message = format!(
            "{} of `{gazetteer}`, such as `{first}`, are no values of `{name}` of `{}`",
            refused.len(),
            tool.name
        );
        let why = "who names one is told that it is wrong";
        let at = format!("/tools/{index}/arguments/{name}/gazetteer");
        findings.push(
            linted
                .at(Level::Error, "name-refused", &at, message)
                .because(why, "let the schema take the keys, or name others"),
        );
    }
    findings
}

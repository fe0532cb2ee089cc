//! What is known of a random conversation from outside, and what should not have been done in it.
//!
//! It judges by what was said, sent and shown, by the pack as it is written and by what its servers list; nothing here asks
//! the code under test.

use std::collections::BTreeSet;

use serde_json::{Map, Value as Json, json};
use waypost::pack::spec::{Injected, ToolSpec};
use waypost::ports::tools::Access;
use waypost::records::answer::Answer;
use waypost::records::request::{Choice, DeclaredCall, Request};

use super::acts::Act;
use super::catalogs::{Mood, Variant};
use super::generator::CONSENTS;

/// The time in which a yes counts, in seconds.
pub(crate) const VALID: i64 = 3_600;
/// The approvals of other conversations that are kept.
const OTHERS: usize = 6;

/// Who asks, when, and of which program.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Place {
    pub(crate) variant: usize,
    /// The second has a model.
    pub(crate) program: usize,
    pub(crate) owner: &'static str,
    pub(crate) user: &'static str,
    pub(crate) trusted: bool,
    pub(crate) now: i64,
    pub(crate) mood: Mood,
}

impl Place {
    /// Returns whether a yes here is by the one, and about the thing, of a question there.
    fn is_of(&self, asked: &Self) -> bool {
        let user = |place: &Self| place.trusted.then_some(place.user);
        self.variant == asked.variant
            && self.owner == asked.owner
            && user(self) == user(asked)
            && (-60..=VALID).contains(&(self.now - asked.now))
    }
}

/// A question for an approval that was shown.
#[derive(Debug, Clone)]
pub(crate) struct Shown {
    pub(crate) yes: Json,
    place: Place,
    under_condition: bool,
}

impl Shown {
    fn is_about(&self, tool: &str, arguments: &Map<String, Json>) -> bool {
        self.yes["tool"] == tool && self.yes["arguments"].as_object() == Some(arguments)
    }
}

/// The latest question.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    /// The tool that it is about, and those of its choices.
    pub(crate) tools: Vec<String>,
    pub(crate) argument: Option<String>,
    pub(crate) choices: Vec<Choice>,
    /// True if a model was asked in the turn that asks.
    under_condition: bool,
}

/// A call as it went over the wire.
#[derive(Debug, Clone)]
pub(crate) struct Sent {
    pub(crate) server: String,
    pub(crate) tool: String,
    pub(crate) arguments: Map<String, Json>,
}

/// A turn.
pub(crate) struct Scene<'a> {
    pub(crate) request: &'a Request,
    pub(crate) act: &'a Act,
    pub(crate) place: &'a Place,
    pub(crate) variant: &'a Variant,
}

/// What is kept of all conversations of a catalog.
#[derive(Debug, Default)]
pub(crate) struct Books {
    /// The approvals that were spent, and the names of requests that wrote.
    spent: BTreeSet<String>,
    names: BTreeSet<String>,
    /// Approvals that other conversations were shown.
    pub(crate) others: Vec<Shown>,
    pub(crate) tally: Tally,
}

/// Counts of what ran.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Tally {
    pub(crate) reads: u64,
    pub(crate) by_yes: u64,
    /// On the word of a platform, of calls that the request had whole, or that waited.
    pub(crate) vouched: u64,
}

impl Tally {
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            reads: self.reads + other.reads,
            by_yes: self.by_yes + other.by_yes,
            vouched: self.vouched + other.vouched,
        }
    }
}

/// What is known of a conversation.
#[derive(Debug, Default)]
pub(crate) struct Known {
    pub(crate) shown: Vec<Shown>,
    pub(crate) asked: Option<Asked>,
}

impl Known {
    /// Returns the reason why a call should not have been made.
    pub(crate) fn fault(
        &mut self,
        scene: &Scene<'_>,
        sent: &Sent,
        books: &mut Books,
    ) -> Option<String> {
        let Scene { request, place, variant, .. } = scene;
        let mut tools = variant.trained.pack.spec.tools.iter();
        let is_it = |tool: &&ToolSpec| {
            tool.server == sent.server && tool.remote_name() == sent.tool.as_str()
        };
        let Some(spec) = tools.find(is_it) else {
            return Some(format!("{sent:?} is no call of the pack"));
        };
        let Some(access) = variant.known(spec, place.mood) else {
            return Some(format!("{sent:?} ran, which is not listed"));
        };
        let arguments = match said(scene, spec, sent) {
            Ok(arguments) => arguments,
            Err(fault) => return Some(fault),
        };
        if access == Access::Read {
            books.tally.reads += 1;
            return None;
        }
        if access == Access::Destructive && !request.trusted {
            return Some(format!("{sent:?} destroyed for a stranger"));
        }
        if let Some(name) = request.once.clone()
            && !books.names.insert(name)
        {
            return Some(format!("{sent:?} ran a second time by the name of its request"));
        }
        if let Err(why) = self.is_approved(scene, (&spec.name, &arguments), books) {
            return Some(format!("{sent:?} ran {why}"));
        }
        None
    }

    /// Spends what approves a call, or returns why nothing does.
    fn is_approved(
        &self,
        scene: &Scene<'_>,
        (tool, arguments): (&str, &Map<String, Json>),
        books: &mut Books,
    ) -> Result<(), String> {
        let waiting = self.on_screen(scene.request, books);
        let answered = match scene.act {
            Act::Clicks(yes) => self.clicked(scene.request, yes, books),
            Act::Says(words) if CONSENTS.contains(words) => waiting.clone(),
            Act::Declares(declared) if declared.approved => waiting.clone(),
            _ => None,
        };
        let counts = |shown: &Shown| -> Result<(), String> {
            if !shown.is_about(tool, arguments) {
                return Err(format!("after another was shown: {}", shown.yes));
            }
            if !scene.place.is_of(&shown.place) {
                return Err(format!("after it was shown at {:?}", shown.place));
            }
            match books.spent.contains(&approval(shown)) {
                true => Err("a second time with one yes".to_owned()),
                false => Ok(()),
            }
        };
        let none = || "without a yes to what was shown".to_owned();
        let by_yes = answered.as_ref().ok_or_else(none).and_then(counts);
        if let (Ok(()), Some(shown)) = (&by_yes, &answered) {
            books.spent.insert(approval(shown));
            books.tally.by_yes += 1;
            return Ok(());
        }
        let flag = scene.request.context.flags.get("approval") == Some(&json!(true));
        if !(flag && scene.request.trusted) {
            return by_yes;
        }
        // The word of a platform is about the call that waits, or about the one that its own request declares.
        let waits = waiting.filter(|shown| counts(shown).is_ok());
        let declares =
            |declared: &DeclaredCall| declared.tool == tool && declared.arguments == *arguments;
        match (waits.filter(|shown| !shown.under_condition), scene.act) {
            (Some(shown), _) => drop(books.spent.insert(approval(&shown))),
            (None, Act::Declares(declared)) if declares(declared) => {}
            _ => return Err("on the word of a platform, which names no such call".to_owned()),
        }
        books.tally.vouched += 1;
        Ok(())
    }

    /// The question for an approval that the user sees: the last one, or what a platform that is believed says.
    fn on_screen(&self, request: &Request, books: &Books) -> Option<Shown> {
        let given = &request.context.options;
        if given.is_empty() {
            return self.shown.last().cloned();
        }
        let mut known = self.shown.iter().chain(&books.others).filter(|_| request.trusted);
        known.find(|shown| given.iter().any(|choice| choice.value == shown.yes)).cloned()
    }

    /// The question that a click answers.
    fn clicked(&self, request: &Request, yes: &Json, books: &Books) -> Option<Shown> {
        if request.context.options.is_empty() {
            return self.shown.iter().rfind(|shown| shown.yes == *yes).cloned();
        }
        self.on_screen(request, books).filter(|shown| shown.yes == *yes)
    }

    /// Notes what an answer shows, and returns what is missing in it.
    pub(crate) fn see(&mut self, scene: &Scene<'_>, answer: &Answer) -> Option<String> {
        let question = &answer.raw.plan["question"];
        let goes_on = matches!(scene.act, Act::Says(_) | Act::Answers);
        let before = self.asked.as_ref().is_some_and(|asked| asked.under_condition && goes_on);
        let condition = match scene.act {
            Act::Asks { condition, tools } => condition.map(|condition| (condition, tools)),
            _ => None,
        };
        let under_condition = condition.is_some() || before;
        let choices: Vec<Choice> =
            serde_json::from_value(question["choices"].clone()).unwrap_or_default();
        let argument = question["argument"].as_str().map(str::to_owned);
        if !choices.is_empty() || argument.is_some() {
            let own = question["tool"].as_str();
            let offered = choices.iter().filter_map(|choice| choice.value["tool"].as_str());
            let tools = own.into_iter().chain(offered).map(str::to_owned).collect();
            self.asked = Some(Asked { tools, argument, choices, under_condition });
        }
        let yes = answer.choices.iter().find(|choice| choice.value["approve"].is_string())?;
        // A question that is still open is the one of before.
        if self.shown.iter().any(|shown| shown.yes == yes.value) {
            return None;
        }
        let yes = yes.value.clone();
        let missing = missing(scene.variant, &yes, answer).or_else(|| {
            let (condition, tools) = condition?;
            let is_its = tools.iter().any(|tool| yes["tool"] == **tool);
            let is_missing = is_its && !answer.text.contains(condition);
            is_missing.then(|| format!("`{condition}` is not shown: {}", answer.text))
        });
        self.shown.push(Shown { yes, place: scene.place.clone(), under_condition });
        missing
    }
}

impl Books {
    /// Keeps an approval that a conversation was shown.
    pub(crate) fn keep(&mut self, known: &Known) {
        self.others.extend(known.shown.last().cloned());
        let many = self.others.len().saturating_sub(OTHERS);
        self.others.drain(..many);
    }
}

fn approval(shown: &Shown) -> String {
    shown.yes["approve"].to_string()
}

/// The arguments of a call without those that Waypost fills, each of which must be whose it is.
fn said(scene: &Scene<'_>, spec: &ToolSpec, sent: &Sent) -> Result<Map<String, Json>, String> {
    let Scene { request, place, .. } = scene;
    let mut arguments = sent.arguments.clone();
    for (name, note) in &spec.arguments {
        let Some(what) = note.inject else { continue };
        let user = place.trusted && what == Injected::User;
        let whose = match user {
            true => format!("@{}@{}", place.owner, place.user),
            false => request.session.clone().unwrap_or_default(),
        };
        let filled = arguments.remove(name);
        if filled != Some(json!(whose)) {
            return Err(format!("`{name}` of {sent:?} is not `{whose}`"));
        }
    }
    Ok(arguments)
}

/// What a question for an approval does not show of its call, where it speaks English.
fn missing(variant: &Variant, yes: &Json, answer: &Answer) -> Option<String> {
    if answer.raw.plan["language"] != "en" {
        return None;
    }
    let mut tools = variant.trained.pack.spec.tools.iter();
    let Some(spec) = tools.find(|tool| yes["tool"] == *tool.name) else {
        return Some(format!("{yes} is of no tool"));
    };
    let summary = spec.summary.trim_end_matches('.');
    let head = format!("- {summary} ({}, on the server {})", spec.name, spec.server);
    let is_plain = |value: &&Json| {
        let plain = |text: &str| text.chars().all(|c| c.is_ascii_lowercase()) && !text.is_empty();
        value.as_str().is_none_or(|text| plain(text) && !["true", "false", "null"].contains(&text))
            && !value.is_array()
            && !value.is_object()
    };
    let arguments = yes["arguments"].as_object().into_iter().flatten();
    let lines = arguments.filter(|(_, value)| is_plain(value)).map(|(name, value)| {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        format!("- {}: {value} (", name.replace('_', " "))
    });
    let mut lines = std::iter::once(head).chain(lines);
    let missing = lines.find(|line| !answer.text.contains(line.as_str()))?;
    Some(format!("`{missing}` is not shown: {}", answer.text))
}

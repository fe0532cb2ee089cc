//! What needs no learning: answers to what was just asked, follow-ups that mean nothing alone, and
//! texts without content. Everything here is exact; what is not goes to the next layer.

use async_trait::async_trait;
use serde_json::{Map, Value as Json};

use super::{Aim, Draft, Equipment, Layer, Step};
use crate::arguments::DraftCall;
use crate::decision::LayerName;
use crate::error::Result;
use crate::extract::{self, Kind, Reading, Value};
use crate::matching::find_word;
use crate::pack::Pack;
use crate::pack::spec::HandlerName;
use crate::request::{Choice, PastCall};
use crate::text::Text;
use crate::turn::Turn;

pub(super) struct Rules;

/// A rule: a sure proposal, or nothing.
type Rule = fn(&Turn<'_>) -> Option<Draft>;

/// In this order: what was clicked, what answers the question, what follows the last call, and
/// only then what says nothing at all ("2" is an answer before it is noise).
fn rules() -> &'static [Rule] {
    &[clicked, chosen, consented, answered, followed, repeated, empty]
}

#[async_trait]
impl Layer for Rules {
    fn name(&self) -> LayerName {
        LayerName::Rules
    }

    async fn decide(&self, turn: &Turn<'_>, _: &Equipment<'_>, _: Option<&Draft>) -> Result<Step> {
        let decided = rules().iter().find_map(|rule| rule(turn));
        Ok(decided.map_or(Step::Abstained(None), Step::Decided))
    }
}

/// The value of a choice that was clicked.
fn clicked(turn: &Turn<'_>) -> Option<Draft> {
    let value = turn.request.choice.as_ref()?;
    settle(turn, value, "the choice that was clicked")
}

/// A choice that was named: by its number, its place in the order, or its words.
fn chosen(turn: &Turn<'_>) -> Option<Draft> {
    let options = &turn.context.options;
    let choice = by_number(turn, options).or_else(|| by_words(turn, options))?;
    settle(turn, &choice.value, &format!("the choice `{}`", choice.label))
}

/// "2", "#2", "the second one", "第二個": counted over what the user sees.
fn by_number<'a>(turn: &Turn<'_>, options: &'a [Choice]) -> Option<&'a Choice> {
    let place = match turn.values.as_slice() {
        [value] => match value.reading {
            Reading::Ordinal(place) => Some(place),
            Reading::Number(number) if number.fract() == 0.0 => Some(number as i64),
            _ => None,
        },
        _ => None,
    }?;
    if !extract::is_elliptical(&turn.text, &turn.values, turn.language) {
        return None;
    }
    let index = match place {
        -1 => options.len().checked_sub(1)?,
        place => usize::try_from(place).ok()?.checked_sub(1)?,
    };
    options.get(index)
}

/// The choice that is named: exactly, or as the only one in hardly more words than it. What is said
/// against it is no choice of it ("not Taiwan", 不好), and what changes something wants an exact word.
fn by_words<'a>(turn: &Turn<'_>, options: &'a [Choice]) -> Option<&'a Choice> {
    /// Room for a polite word or a particle around the name: "let's take …, please".
    const ROOM: usize = 24;
    let text = turn.text.normalized().trim_matches(|c: char| !c.is_alphanumeric());
    if let Some(exact) = options.iter().find(|choice| names(choice).any(|name| name == text)) {
        return Some(exact);
    }
    if extract::negates(&turn.text, turn.language) {
        return None;
    }
    let hits = options.iter().filter(|choice| !is_consent(choice)).filter_map(|choice| {
        let fits = |name: &String| {
            text.chars().count() <= name.chars().count() + ROOM && find_word(text, name).is_some()
        };
        let longest = names(choice).filter(fits).map(|name| name.chars().count()).max()?;
        Some((longest, choice))
    });
    // "SST series" names that and not "SST".
    let hits: Vec<(usize, &Choice)> = hits.collect();
    let longest = hits.iter().map(|(length, _)| *length).max()?;
    let mut best = hits.into_iter().filter(|(length, _)| *length == longest);
    let (_, hit) = best.next()?;
    // Two choices named are no choice.
    best.next().is_none().then_some(hit)
}

fn names(choice: &Choice) -> impl Iterator<Item = String> {
    let names = [Some(choice.label.as_str()), choice.value.as_str()];
    names.into_iter().flatten().map(|name| Text::new(name).normalized().to_owned())
}

/// Whether the choice approves or stops something.
fn is_consent(choice: &Choice) -> bool {
    ["approve", "cancel"].iter().any(|key| choice.value.get(key).is_some())
}

/// The meaning of a choice's value: a call, some arguments, a route, a tool, or the value of the
/// argument that was asked for.
fn settle(turn: &Turn<'_>, value: &Json, rationale: &str) -> Option<Draft> {
    if let Some(object) = value.as_object()
        && let Some(draft) = settle_object(turn, object, rationale)
    {
        return Some(draft);
    }
    match (&turn.context.active_argument, value.as_str()) {
        (Some(argument), _) => {
            settle_arguments(turn, Map::from_iter([(argument.clone(), value.clone())]), rationale)
        }
        (None, Some(name)) if turn.pack.route(name).is_some() => Some(route(name, rationale)),
        (None, Some(name)) => {
            call(turn.pack, DraftCall { tool: name.to_owned(), ..DraftCall::default() }, rationale)
        }
        _ => None,
    }
}

fn route(name: &str, rationale: &str) -> Draft {
    Draft::sure(LayerName::Rules, Aim::Route(name.to_owned()), rationale)
}

fn settle_object(turn: &Turn<'_>, object: &Map<String, Json>, rationale: &str) -> Option<Draft> {
    let yes = |key: &str| object.get(key) == Some(&Json::Bool(true));
    if yes("cancel") {
        return Some(Draft::sure(LayerName::Rules, Aim::Unclear("e_CANCELLED"), rationale));
    }
    if let Some(name) = object.get("route").and_then(Json::as_str) {
        return turn.pack.route(name).map(|_| route(name, rationale));
    }
    if let Some(tool) = object.get("tool").and_then(Json::as_str) {
        let given = object.get("arguments").and_then(Json::as_object).cloned().unwrap_or_default();
        let draft = DraftCall { tool: tool.to_owned(), given, exact: true, ..DraftCall::default() };
        let mut draft = call(turn.pack, draft, rationale)?;
        // Approval counts for a question that was shown, not for whatever a caller sends, and for
        // the very call that it showed.
        if yes("approve") && was_shown(turn, object) {
            draft.approved = draft.calls.first().map(|call| PastCall {
                tool: call.tool.clone(),
                arguments: call.given.clone(),
                text: None,
            });
        }
        return Some(draft);
    }
    let tool = turn.pack.tool(turn.context.active_tool.as_deref()?)?;
    let known = object.keys().all(|key| tool.arguments().any(|name| name == key));
    known.then(|| settle_arguments(turn, object.clone(), rationale)).flatten()
}

fn was_shown(turn: &Turn<'_>, object: &Map<String, Json>) -> bool {
    let believed = turn.request.trusted || turn.context.remembered;
    believed && turn.context.options.iter().any(|choice| choice.value.as_object() == Some(object))
}

/// Arguments of the tool that was asked about; the name of a place may suit another of its family.
fn settle_arguments(turn: &Turn<'_>, given: Map<String, Json>, rationale: &str) -> Option<Draft> {
    let tool = turn.pack.tool(turn.context.active_tool.as_deref()?)?;
    let names_place =
        given.values().filter_map(Json::as_str).any(|word| turn.pack.find_entry(word).is_some());
    let draft = DraftCall {
        tool: tool.spec.name.clone(),
        given,
        memory: memory_of(turn, &tool.spec.name),
        exact: !names_place,
        ..DraftCall::default()
    };
    call(turn.pack, draft, rationale)
}

/// Yes or no to a question whether something shall be done: the bare word, in any language.
fn consented(turn: &Turn<'_>) -> Option<Draft> {
    let yes = match turn.values.as_slice() {
        [value] => match value.reading {
            Reading::Boolean(yes) => yes,
            _ => return None,
        },
        _ => return None,
    };
    if !extract::residue(&turn.text, &turn.values, turn.language).is_empty() {
        return None;
    }
    let key = if yes { "approve" } else { "cancel" };
    let choice = turn.context.options.iter().find(|choice| choice.value.get(key).is_some())?;
    settle(turn, &choice.value, &format!("the choice `{}`", choice.label))
}

/// A bare value of the kind that was asked for.
fn answered(turn: &Turn<'_>) -> Option<Draft> {
    let tool = turn.pack.tool(turn.context.active_tool.as_deref()?)?;
    let argument = turn.context.active_argument.as_deref()?;
    let kind = tool.spec.arguments.get(argument)?.kind?;
    let fits = turn.values.iter().any(|value| fits(&value.reading, kind));
    if !fits || !extract::is_elliptical(&turn.text, &turn.values, turn.language) {
        return None;
    }
    let draft = DraftCall {
        tool: tool.spec.name.clone(),
        memory: memory_of(turn, &tool.spec.name),
        ..DraftCall::default()
    };
    call(turn.pack, draft, "an answer to what was asked")
}

fn fits(reading: &Reading, kind: Kind) -> bool {
    match kind {
        Kind::Point | Kind::Bbox => {
            matches!(reading, Reading::Point(_) | Reading::Bbox(_) | Reading::Entity { .. })
        }
        Kind::Date | Kind::Range => matches!(reading, Reading::Date(_) | Reading::Range(..)),
        Kind::Number => {
            matches!(reading, Reading::Number(_) | Reading::Quantity { .. } | Reading::Money { .. })
        }
        _ => false,
    }
}

/// "那昨天呢", "what about Kaohsiung?", "the maximum": the last call with what was stated changed.
fn followed(turn: &Turn<'_>) -> Option<Draft> {
    let past = turn.context.last_calls.last()?;
    let mut values: Vec<Value> = turn.values.clone();
    let typed = values
        .iter()
        .any(|value| [Kind::Point, Kind::Date].into_iter().any(|kind| fits(&value.reading, kind)));
    let named = named_values(turn, past);
    if !typed && named.is_empty() {
        return None;
    }
    values.extend(named);
    values.sort_by_key(|value| value.span);
    if !extract::is_elliptical(&turn.text, &values, turn.language) {
        return None;
    }
    follow(turn, past, "follows the last call with what was stated changed")
}

/// The words that name a value of an enumeration of the tool that was called.
fn named_values(turn: &Turn<'_>, past: &PastCall) -> Vec<Value> {
    let text = turn.text.normalized();
    let annotations =
        turn.pack.tool(&past.tool).into_iter().flat_map(|tool| tool.spec.arguments.values());
    let words = annotations
        .flat_map(|annotation| annotation.values.values().flat_map(|naming| &naming.words));
    let named = words.filter_map(|word| {
        let word = word.to_lowercase();
        let at = find_word(text, &word)?;
        let span = turn.text.span(at, at + word.len());
        let text = turn.text.slice(span).to_owned();
        let reading = Reading::Text(text.clone());
        Some(Value {
            kind: Kind::Quoted,
            span,
            text,
            rule: "words".into(),
            reading,
            alternatives: Vec::new(),
        })
    });
    let mut named: Vec<Value> = named.collect();
    // The longest stays: "只要距平" and not "距平" within it.
    named.sort_by_key(|value| std::cmp::Reverse(value.span.len()));
    let mut kept: Vec<Value> = Vec::new();
    for value in named {
        if kept.iter().all(|other| !other.span.overlaps(value.span)) {
            kept.push(value);
        }
    }
    kept
}

/// "再查一次", "again": the last call as it was.
fn repeated(turn: &Turn<'_>) -> Option<Draft> {
    let past = turn.context.last_calls.last()?;
    let rest = extract::residue(&turn.text, &turn.values, turn.language);
    let bare = turn.values.is_empty() && rest.chars().count() <= 2;
    if !bare || !extract::has_reference(&turn.text, turn.language) {
        return None;
    }
    follow(turn, past, "repeats the last call")
}

fn follow(turn: &Turn<'_>, past: &PastCall, rationale: &str) -> Option<Draft> {
    // What the session remembers are the calls of one turn; a caller may send those of several.
    let all = turn.context.remembered || extract::means_all(&turn.text, turn.language);
    let followed =
        if all { turn.context.last_calls.as_slice() } else { std::slice::from_ref(past) };
    let mut draft: Option<Draft> = None;
    for past in followed {
        let next = DraftCall {
            tool: past.tool.clone(),
            memory: Some(past.clone()),
            ..DraftCall::default()
        };
        match &mut draft {
            Some(draft) => draft.calls.push(next),
            None => draft = call(turn.pack, next, rationale),
        }
    }
    draft
}

/// What is known of the call that was asked about, or the last call of the tool or of its family.
fn memory_of(turn: &Turn<'_>, tool: &str) -> Option<PastCall> {
    let tool = turn.pack.tool(tool)?;
    if !turn.context.active_arguments.is_empty() {
        let arguments = turn.context.active_arguments.clone();
        return Some(PastCall { tool: tool.spec.name.clone(), arguments, text: None });
    }
    let family: Vec<&str> = turn.pack.family(tool).map(|tool| tool.spec.name.as_str()).collect();
    let past = turn.context.last_calls.iter().rev();
    past.into_iter().find(|past| family.contains(&past.tool.as_str())).cloned()
}

fn call(pack: &Pack, draft: DraftCall, rationale: &str) -> Option<Draft> {
    pack.tool(&draft.tool)?;
    let route = pack.spec.routes.iter().find(|route| route.handler == HandlerName::Tool)?;
    let mut sure = Draft::sure(LayerName::Rules, Aim::Route(route.name.clone()), rationale);
    sure.calls.push(draft);
    Some(sure)
}

/// Fewer than two letters or digits, or one character over and over. Source: R0.2.
fn empty(turn: &Turn<'_>) -> Option<Draft> {
    let mut letters = turn.text.normalized().chars().filter(|c| c.is_alphanumeric());
    let first = letters.next();
    let name = match first {
        None => "empty",
        Some(first) if letters.all(|c| c == first) => "rephrase",
        Some(_) => return None,
    };
    Some(Draft::sure(LayerName::Rules, Aim::Unclear(name), "the text says nothing"))
}

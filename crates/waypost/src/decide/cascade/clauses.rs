//! The clauses of a text that may ask for several things, each with what the student reads in it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use waypost_core::records::decision::Unserved;
use waypost_core::text_match::is_han;
use waypost_learning::{Bundle, Input, Scores, Scratch};
use waypost_text::extract::{Kind, Mark, Operator, Value};
use waypost_text::text::Span;

use super::linear::{IN_SCOPE, best};
use crate::decide::slots::{self, DraftCall};
use crate::pack::spec::{Access, HandlerName, RouteSpec, Selection};
use crate::pack::{OUT_OF_SCOPE, Tool};
use crate::student::heads::{NEEDED, confidence, likeliest, tool_of_head};
use crate::understand::Turn;
use crate::understand::act::Act;

/// From this probability in the whole text a clause may ask for something of its own.
pub(super) const BORNE_OUT: f32 = 0.25;
/// The fewest wishes that are a list even if the whole text is unsure of them. Two may be the parts of any sentence.
pub(super) const LIST: usize = 3;
/// The most things that a list is about.
const MOST_THINGS: usize = 16;
/// The probability that the whole text must give both heads of a list of two.
const LISTED: f32 = 0.4;
/// Acts that ask for nothing, so a clause that does one of them is never reported as unserved.
pub(super) const CHAT: [Act; 3] = [Act::Greet, Act::Thank, Act::SmallTalk];

/// A clause, read as if it were all that was said.
#[derive(Debug)]
pub(super) struct Clause {
    /// Its place in the text.
    pub(super) span: Span,
    /// The student's reading.
    pub(super) scores: Scores,
    /// The stronger of the separators before and after it.
    joint: Joint,
}

/// The separator between two clauses, from the weakest sign of two requests to the strongest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Joint {
    /// A comma or a slash may stand anywhere.
    Comma,
    /// The end of a sentence or of a line.
    Stop,
    /// A word such as "and", or the number of an item.
    Word,
}

impl Joint {
    fn of(sign: &str) -> Joint {
        let is_stop = |c| matches!(c, '.' | ';' | '?' | '!' | '。' | '；' | '？' | '！' | '\n');
        match sign.chars().any(char::is_alphanumeric) {
            true => Joint::Word,
            false if sign.contains(is_stop) => Joint::Stop,
            false => Joint::Comma,
        }
    }
}

impl Clause {
    fn is_joined(&self) -> bool {
        self.joint == Joint::Word
    }

    /// Returns whether it can be a request by itself. If only commas separate it, it cannot.
    fn is_apart(&self) -> bool {
        self.joint >= Joint::Stop
    }
}

/// Reads the clauses of a text one by one; empty where no word or sign joins two.
pub(super) fn read(turn: &Turn<'_>, bundle: &Bundle) -> Vec<Clause> {
    let mut scratch = Scratch::default();
    let clause = |(span, joint): (Span, Joint)| {
        let masked = turn.said.masked_part(span);
        let input = Input { language: Some(turn.said.language.tag()), ..Input::from(&masked) };
        let scores = bundle.score(input, &mut scratch);
        Clause { span, scores, joint }
    };
    spans(turn).into_iter().map(clause).collect()
}

/// The places of the clauses, each with what stands beside it; empty where no word or sign joins two.
pub(super) fn spans(turn: &Turn<'_>) -> Vec<(Span, Joint)> {
    let mut joints = turn.said.joints().to_vec();
    // What is to be written may hold anything: "with the message Fix this and add that".
    let contents = &turn.said.discourse.contents;
    joints.retain(|joint| !contents.iter().any(|content| content.overlaps(*joint)));
    let length = turn.said.text.normalized().len();
    let whole = Span { start: 0, end: turn.said.text.span(length, length).end };
    let part = turn.said.core.unwrap_or(whole);
    joints.retain(|joint| part.contains(*joint));
    if joints.is_empty() {
        return Vec::new();
    }
    let starts = std::iter::once(part.start).chain(joints.iter().map(|joint| joint.end));
    let ends = joints.iter().map(|joint| joint.start).chain([part.end]);
    let joint = |joint: &Span| Joint::of(turn.said.text.slice(*joint));
    let before = std::iter::once(Joint::Comma).chain(joints.iter().map(joint));
    let behind = joints.iter().map(joint).chain([Joint::Comma]);
    starts
        .zip(ends)
        .zip(before.zip(behind))
        .map(|((start, end), (before, behind))| (Span { start, end }, before.max(behind)))
        .filter(|(span, _)| turn.said.text.slice(*span).chars().any(char::is_alphanumeric))
        .filter(|(span, _)| !turn.said.leaves_out(*span))
        .collect()
}

/// The clauses that ask for a tool each, where neighbours ask for different ones, by their heads.
///
/// If the clauses `are_whole`, none is merged with its neighbour. Tools of a family answer one kind of question: where no word
/// joins them, two clauses for two of them are one question ("8:30 in Denver, what is it in Rome").
pub(super) fn asked(
    turn: &Turn<'_>,
    bundle: &Bundle,
    clauses: &[Clause],
    are_whole: bool,
) -> Vec<(usize, Option<Span>)> {
    let family = |head: usize| {
        let tool = turn.pack.tool(bundle.tools().get(head)?)?;
        tool.spec.family.as_deref()
    };
    let akin = |one: usize, other: usize| family(one).is_some() && family(one) == family(other);
    let mut asked: Vec<(usize, Option<Span>)> = Vec::new();
    for clause in clauses {
        let span = clause.span;
        let runs = runs(turn, bundle, &clause.scores);
        let head = best(&clause.scores.tools)
            .filter(|(_, p)| f64::from(p * runs) >= turn.pack.spec.policy.select);
        match (head, asked.last_mut()) {
            // A clause of its own place or day belongs to the question that it stands beside.
            (Some((head, _)), Some((last, Some(before))))
                if !are_whole && (*last == head || !clause.is_joined() && akin(*last, head)) =>
            {
                before.end = span.end;
            }
            (Some((head, _)), _) => asked.push((head, Some(span))),
            (None, Some((_, Some(before)))) => before.end = span.end,
            (None, _) => {}
        }
    }
    asked
}

/// Returns whether every clause names both a thing and a time: "the tide in Keelung today; the tide in Hualien tomorrow". Such
/// clauses are separate calls, even of one tool. If one clause lacks either, it may share what another one names.
pub(super) fn are_whole(turn: &Turn<'_>, clauses: &[Clause]) -> bool {
    if clauses.len() < 2 {
        return false;
    }
    let things = things(turn);
    let times = turn.said.values.iter().filter(|value| slots::is_when(value));
    let times: Vec<Span> = times.map(|time| time.span).collect();
    let names =
        |clause: &Clause, named: &[Span]| named.iter().any(|named| clause.span.contains(*named));
    may_list(turn) && clauses.iter().all(|clause| names(clause, &things) && names(clause, &times))
}

/// The heads that are asked for, each with the words for it.
type Wishes = Vec<(usize, Option<Span>)>;

/// A list of wishes for one thing: "Tesla: price, news and targets".
#[derive(Debug)]
pub(super) struct List {
    /// The heads of the wishes, each with the words for it.
    pub(super) wishes: Wishes,
    /// The probability of the least sure one.
    pub(super) confidence: f64,
    /// The probability of each head.
    pub(super) surest: BTreeMap<usize, f64>,
    /// The parts that ask for something else.
    pub(super) unserved: Vec<Unserved>,
}

/// A part of a text that may be a list, and what it asks for.
struct Part<'a> {
    clause: &'a Clause,
    /// The likeliest head and its probability; `None` if the part only names a thing or a day.
    wish: Option<(usize, f64)>,
    /// The route that it surely asks for.
    route: Option<&'a str>,
}

/// Reads a text as a list of wishes. A part such as "RSI" is no question that the student knows, so it is read together with the
/// name of the thing. If several parts name things, each is a question of its own and this is no list.
pub(super) fn list(
    turn: &Turn<'_>,
    bundle: &Bundle,
    whole: &Scores,
    clauses: &[Clause],
) -> Option<List> {
    let one_each = turn.pack.spec.selection == Selection::Student;
    let is_asked = f64::from(runs(turn, bundle, whole)) >= f64::from(BORNE_OUT);
    if clauses.len() < 2 || !one_each || !is_asked || !may_list(turn) {
        return None;
    }
    let things = things(turn);
    // Any sentence may have two parts.
    if things.is_empty() && clauses.len() < LIST {
        return None;
    }
    let parts = parts(turn, bundle, clauses, &things)?;
    let (wishes, surest) = wishes(&parts);
    let select = turn.pack.spec.policy.select;
    let sure = surest.values().filter(|sure| **sure >= select).count();
    // With two wishes, the whole text or the parts must be sure.
    let is_borne_out = !things.is_empty()
        && surest.iter().all(|(head, sure)| whole.tools[*head] >= LISTED || *sure >= IN_SCOPE);
    let changes = |head: &usize| whole.tools[*head] < BORNE_OUT && writes(turn, bundle, *head);
    let holds = sure >= 2 && (surest.len() >= LIST || is_borne_out);
    let holds = holds && !surest.keys().any(changes);
    holds.then(|| List {
        unserved: not_listed(turn, &parts),
        confidence: surest.values().copied().fold(1.0, f64::min),
        surest,
        wishes,
    })
}

/// Reads each part beside the things; `None` if several parts ask about things of their own.
fn parts<'a>(
    turn: &'a Turn<'_>,
    bundle: &'a Bundle,
    clauses: &'a [Clause],
    things: &[Span],
) -> Option<Vec<Part<'a>>> {
    let says = |clause: &Clause| turn.said.says_beside(things, clause.span);
    let is_about =
        |clause: &Clause| things.iter().any(|thing| clause.span.contains(*thing)) && says(clause);
    if clauses.iter().filter(|clause| is_about(clause)).count() > 1 {
        return None;
    }
    let masked: Vec<String> = things.iter().map(|thing| turn.said.masked_part(*thing)).collect();
    let thing = masked.join(" ");
    let mut scratch = Scratch::default();
    let part = |clause: &'a Clause| {
        if !says(clause) {
            return Part { clause, wish: None, route: None };
        }
        let words = format!("{} {thing}", turn.said.masked_part(clause.span));
        let input = Input { language: Some(turn.said.language.tag()), ..Input::from(&words) };
        let scores = match things.is_empty() || is_about(clause) {
            true => Cow::Borrowed(&clause.scores),
            false => Cow::Owned(bundle.score(input, &mut scratch)),
        };
        let runs = runs(turn, bundle, &scores);
        let (route, _) = likeliest(turn.pack, bundle, &scores);
        Part {
            clause,
            wish: best(&scores.tools).map(|(head, own)| (head, f64::from(own * runs))),
            route: Some(route).filter(|_| confidence(turn.pack, bundle, &scores) >= IN_SCOPE),
        }
    };
    Some(clauses.iter().map(part).collect())
}

/// The wishes of the parts with the words for each, and the highest probability of each head.
fn wishes(parts: &[Part<'_>]) -> (Wishes, BTreeMap<usize, f64>) {
    let mut wishes: Wishes = Vec::new();
    let mut surest: BTreeMap<usize, f64> = BTreeMap::new();
    let mut ahead: Option<usize> = None;
    for Part { clause: Clause { span, .. }, wish, .. } in parts {
        match (wish, wishes.last_mut()) {
            (Some((_, sure)), _) if *sure < f64::from(NEEDED) => {}
            (Some((head, sure)), last) => {
                let start = ahead.take().unwrap_or(span.start);
                match last {
                    Some((before, Some(words))) if before == head => words.end = span.end,
                    _ => wishes.push((*head, Some(Span { start, end: span.end }))),
                }
                let surest = surest.entry(*head).or_default();
                *surest = surest.max(*sure);
            }
            // A name or a day alone belongs to the wish before it, or to the first one if none is before it.
            (None, Some((_, Some(words)))) => words.end = span.end,
            (None, _) => ahead = ahead.or(Some(span.start)),
        }
    }
    (wishes, surest)
}

/// The parts of a list that ask for something else. Skips parts before the first and after the last wish unless a word joins
/// them, because they are mostly greetings, and words between slashes, because they are one item.
fn not_listed(turn: &Turn<'_>, parts: &[Part<'_>]) -> Vec<Unserved> {
    let at_slash = |span: Span| {
        let before = Span { start: span.start.saturating_sub(1), end: span.start };
        let behind = Span { start: span.end, end: span.end + 1 };
        [before, behind].into_iter().any(|side| turn.said.text.slice(side) == "/")
    };
    let is_unclear = |part: &Part<'_>| part.wish.is_some_and(|(_, sure)| sure < f64::from(NEEDED));
    let is_wish = |part: &Part<'_>| part.wish.is_some() && !is_unclear(part);
    let first = parts.iter().position(is_wish).unwrap_or_default();
    let last = parts.iter().rposition(is_wish).unwrap_or_default();
    let left = parts.iter().enumerate().filter_map(|(at, part)| {
        let route = part.route.filter(|_| is_unclear(part))?;
        let span = part.clause.span;
        let asks = (first..last).contains(&at) || route != OUT_OF_SCOPE;
        let is_left = (part.clause.is_joined() || asks) && !at_slash(span) && !is_bare(turn, span);
        is_left.then(|| unserved(turn, span, route))
    });
    left.collect()
}

/// Returns whether a text may be read as a list: no condition, correction or exclusion says that some of it is not wanted.
pub(super) fn may_list(turn: &Turn<'_>) -> bool {
    let says = |operator| turn.said.discourse.says(operator);
    let is_plain = !says(Operator::Correction) && !says(Operator::Except);
    is_plain && turn.own_conditions().is_empty() && !turn.only_supposes()
}

/// Returns whether the tool of a head may change something. The whole text must ask for that.
pub(super) fn writes(turn: &Turn<'_>, bundle: &Bundle, head: usize) -> bool {
    let tool = tool_of_head(turn.pack, &bundle.tools()[head]);
    tool.is_none_or(|tool| turn.access(&tool.spec.name) != Access::Read)
}

/// Where the words name what they are about: things of the pack of one kind, the first that is named, and places.
pub(super) fn things(turn: &Turn<'_>) -> Vec<Span> {
    let is_thing = |own: &str| turn.pack.spec.gazetteers.iter().any(|one| one.name == own);
    let names = turn.said.discourse.mentions.iter();
    let mut kinds = names.clone().flat_map(|name| &name.entries).map(|(own, _)| own);
    let first = kinds.find(|own| is_thing(own));
    // A benchmark beside a company is another thing.
    let names = names.filter(|name| name.entries.iter().any(|(own, _)| Some(own) == first));
    let is_place = |value: &&Value| matches!(value.kind, Kind::Entity | Kind::Point | Kind::Bbox);
    let places = turn.said.values.iter().filter(is_place).map(|value| value.span);
    names.map(|name| name.span).chain(places).take(MOST_THINGS).collect()
}

/// The route of tools that the words are likeliest for.
pub(super) fn route_of_tools<'a>(
    turn: &'a Turn<'_>,
    bundle: &Bundle,
    scores: &Scores,
) -> Option<&'a RouteSpec> {
    let routes = bundle.routes().iter().zip(&scores.routes);
    let routes = routes.filter_map(|(name, own)| Some((turn.pack.route(name)?, own)));
    let of_tools = routes.filter(|(route, _)| route.handler == HandlerName::Tool);
    of_tools.max_by(|a, b| a.1.total_cmp(b.1)).map(|(route, _)| route)
}

/// The probability that words ask for any tool. That of a head counts only where they do.
pub(crate) fn runs(turn: &Turn<'_>, bundle: &Bundle, scores: &Scores) -> f32 {
    let runs = |route: &String| {
        turn.pack.route(route).is_some_and(|route| route.handler == HandlerName::Tool)
    };
    bundle
        .routes()
        .iter()
        .zip(&scores.routes)
        .filter(|(route, _)| runs(route))
        .map(|(_, p)| p)
        .sum()
}

/// Finds the clauses that surely ask for something that `served`, the route of the turn, and its calls do not do: an
/// explanation, a program, another tool, or nothing that is served here. An explanation is of the whole text, so that only a
/// tool can be left beside it.
pub(super) fn beside(
    turn: &Turn<'_>,
    bundle: &Bundle,
    clauses: &[Clause],
    served: &str,
    calls: &[DraftCall],
) -> Vec<Unserved> {
    let is_called = |clause: &Clause| {
        let head = best(&clause.scores.tools).and_then(|(head, _)| bundle.tools().get(head));
        let tool = head.and_then(|head| tool_of_head(turn.pack, head));
        let akin = |call: &DraftCall, tool: &Tool| {
            turn.pack.family(tool).any(|other| other.spec.name == call.tool)
        };
        tool.is_none_or(|tool| calls.iter().any(|call| akin(call, tool)))
    };
    let names = turn.said.discourse.mentions.iter().map(|name| name.span);
    let names: Vec<Span> = names.collect();
    let chats = |clause: &Clause| turn.acts_of(clause.span).any(&CHAT) > 0.5;
    let asks = |clause: &Clause| turn.said.says_beside(&names, clause.span) && !chats(clause);
    let denies = |clause: &Clause| turn.said.discourse.has(Operator::Not, clause.span);
    let runs = turn.pack.route(served).is_some_and(|route| route.handler == HandlerName::Tool);
    let left = sure(turn, bundle, clauses).filter_map(|clause| {
        let (route, _) = likeliest(turn.pack, bundle, &clause.scores);
        let reason = match turn.pack.route(route).map(|route| route.handler) {
            Some(HandlerName::Explain | HandlerName::Code)
                if runs && asks(clause) && route != served =>
            {
                route
            }
            Some(HandlerName::Tool)
                if clause.is_apart() && asks(clause) && !denies(clause) && !is_called(clause) =>
            {
                route
            }
            // What merely tells something asks for nothing: "I go fishing, how is the tide?"
            None if runs && clause.is_joined() => OUT_OF_SCOPE,
            _ => return None,
        };
        Some(unserved(turn, clause.span, reason))
    });
    left.collect()
}

/// A part of the text that nothing serves.
pub(super) fn unserved(turn: &Turn<'_>, span: Span, reason: &str) -> Unserved {
    let text = turn.said.text.slice(span).trim().to_owned();
    Unserved { text, reason: reason.to_owned() }
}

/// The clauses that name a place or a time and only tell something, in a text of which another clause surely asks for a
/// tool: "Sunday's tide then, I have to work today". What the asking ones name counts before what is told.
pub(super) fn told(turn: &Turn<'_>, bundle: &Bundle, clauses: &[Clause]) -> Vec<Span> {
    let is_asking = |clause: &Clause| {
        f64::from(runs(turn, bundle, &clause.scores)) >= turn.pack.spec.policy.select
    };
    if !clauses.iter().any(|clause| is_asking(clause) && !is_bare(turn, clause.span)) {
        return Vec::new();
    }
    // What a word joins to a question goes on with it: "and what was it around Guam?"
    let tells = |clause: &&Clause| {
        !clause.is_joined()
            && runs(turn, bundle, &clause.scores) < BORNE_OUT
            && !is_bare(turn, clause.span)
            && tells_where_or_when(turn, clause.span)
    };
    clauses.iter().filter(tells).map(|clause| clause.span).collect()
}

fn tells_where_or_when(turn: &Turn<'_>, span: Span) -> bool {
    let mut within = turn.said.values.iter().filter(|value| span.contains(value.span));
    let names = turn.said.discourse.mentions.iter().any(|mention| span.contains(mention.span));
    !names
        && within.any(|value| {
            matches!(value.kind, Kind::Entity | Kind::Point | Kind::Date | Kind::Range)
        })
}

/// The one clause that surely asks for a tool, in a text of which a word joins that to another clause
/// that surely asks for nothing that runs.
pub(super) fn served_half<'a>(
    turn: &'a Turn<'_>,
    bundle: &'a Bundle,
    clauses: &'a [Clause],
) -> Option<&'a Clause> {
    let handler = |clause: &Clause| {
        let (route, _) = likeliest(turn.pack, bundle, &clause.scores);
        turn.pack.route(route).map(|route| route.handler)
    };
    let joined = || sure(turn, bundle, clauses).filter(|clause| clause.is_joined());
    joined().find(|clause| matches!(handler(clause), None | Some(HandlerName::Explain)))?;
    let mut served = joined().filter(|clause| handler(clause) == Some(HandlerName::Tool));
    served.next().filter(|_| served.next().is_none())
}

/// The clauses that ask for something surely.
fn sure<'a>(
    turn: &'a Turn<'_>,
    bundle: &'a Bundle,
    clauses: &'a [Clause],
) -> impl Iterator<Item = &'a Clause> {
    clauses.iter().filter(|clause| {
        confidence(turn.pack, bundle, &clause.scores) >= IN_SCOPE && !is_bare(turn, clause.span)
    })
}

/// Returns whether a clause is hardly more than values: a place or a day asks for nothing alone. Nor does a word such as
/// "only" beside what it chooses or leaves out ("only the anomaly").
fn is_bare(turn: &Turn<'_>, span: Span) -> bool {
    /// Fewer letters outside of values are the rest of another question.
    const LEAST_LETTERS: usize = 3;
    let mut known: Vec<Span> = turn.said.values.iter().map(|value| value.span).collect();
    let chooses = |mark: &&Mark| {
        span.contains(mark.span) && matches!(mark.operator, Operator::Only | Operator::Not)
    };
    let choosing: Vec<Span> =
        turn.said.discourse.marks.iter().filter(chooses).map(|mark| mark.span).collect();
    if !choosing.is_empty() {
        let named = turn.said.discourse.mentions.iter().chain(&turn.said.discourse.parts);
        known.extend(choosing.into_iter().chain(named.map(|name| name.span)));
    }
    known.retain(|known| span.contains(*known));
    let characters = (span.start..).zip(turn.said.text.slice(span).chars());
    let left: String = characters
        .filter(|(at, _)| !known.iter().any(|known| (known.start..known.end).contains(at)))
        .map(|(_, c)| c)
        .collect();
    letters(&left) < LEAST_LETTERS
}

/// The letters of a text; a character of Chinese says as much as two.
fn letters(text: &str) -> usize {
    let letters = text.chars().filter(|c| c.is_alphabetic());
    letters.map(|letter| if is_han(letter) { 2 } else { 1 }).sum()
}

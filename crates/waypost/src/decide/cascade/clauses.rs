//! The clauses of a text that may ask for several things, each with what the student reads in it.

use waypost_core::records::decision::Unserved;
use waypost_core::text_match::is_han;
use waypost_learning::{Bundle, Input, Scores, Scratch};
use waypost_text::extract::{Kind, Mark, Operator, Value};
use waypost_text::text::Span;

use super::linear::{IN_SCOPE, best};
use crate::pack::OUT_OF_SCOPE;
use crate::pack::spec::HandlerName;
use crate::student::heads::{confidence, likeliest};
use crate::understand::Turn;

/// From this probability in the whole text a clause may ask for something of its own.
pub(super) const BORNE_OUT: f32 = 0.25;
/// The probability that the whole text must give each head of a list.
const LISTED: f32 = 0.4;
/// The probability that the part of a list which speaks for a head most must give it.
const SPOKEN_FOR: f32 = 0.25;

/// A clause, read as if it were all that was said.
#[derive(Debug)]
pub(super) struct Clause {
    /// Its place in the text.
    pub(super) span: Span,
    /// The student's reading.
    pub(super) scores: Scores,
    /// True if a word such as "and" joins it to another clause; a comma alone may stand anywhere.
    is_joined: bool,
}

/// Reads the clauses of a text one by one; empty where no word or sign joins two.
pub(super) fn read(turn: &Turn<'_>, bundle: &Bundle) -> Vec<Clause> {
    let mut scratch = Scratch::default();
    let clause = |(span, is_joined): (Span, bool)| {
        let masked = turn.said.masked_part(span);
        let input = Input { language: Some(turn.said.language.tag()), ..Input::from(&masked) };
        let scores = bundle.score(input, &mut scratch);
        Clause { span, scores, is_joined }
    };
    spans(turn).into_iter().map(clause).collect()
}

/// The places of the clauses, each with whether a word joins it to another; empty where no word or sign joins two.
pub(super) fn spans(turn: &Turn<'_>) -> Vec<(Span, bool)> {
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
    let is_word = |joint: &Span| turn.said.text.slice(*joint).chars().any(char::is_alphabetic);
    let before = std::iter::once(false).chain(joints.iter().map(is_word));
    let behind = joints.iter().map(is_word).chain([false]);
    starts
        .zip(ends)
        .zip(before.zip(behind))
        .map(|((start, end), (before, behind))| (Span { start, end }, before || behind))
        .filter(|(span, _)| turn.said.text.slice(*span).chars().any(char::is_alphanumeric))
        .filter(|(span, _)| !turn.said.leaves_out(*span))
        .collect()
}

/// The clauses that ask for a tool each, where neighbours ask for different ones, by their heads.
///
/// Tools of a family answer one kind of question: where no word joins them, two clauses for two of
/// them are one question ("8:30 in Denver, what is it in Rome").
pub(super) fn asked(
    turn: &Turn<'_>,
    bundle: &Bundle,
    clauses: &[Clause],
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
                if *last == head || !clause.is_joined && akin(*last, head) =>
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

/// The wishes of a list for one thing, by their heads: "Tesla: price, news and targets". Its parts are too short to be sure of
/// anything alone; the whole text is sure of each head, and each has a part that speaks for it most. Only where the thing is
/// named once: with a name in every part each is a question of its own.
pub(super) fn listed(
    turn: &Turn<'_>,
    scores: &Scores,
    clauses: &[Clause],
) -> Vec<(usize, Option<Span>)> {
    let is_thing = |vocabulary: &String| {
        turn.pack.spec.gazetteers.iter().any(|gazetteer| gazetteer.name == *vocabulary)
    };
    let names = turn.said.discourse.mentions.iter();
    let names = names.filter(|name| name.entries.iter().any(|(own, _)| is_thing(own)));
    let is_place = |value: &&Value| matches!(value.kind, Kind::Entity | Kind::Point | Kind::Bbox);
    let places = turn.said.values.iter().filter(is_place).map(|value| value.span);
    let things: Vec<Span> = names.map(|name| name.span).chain(places).collect();
    let named = |clause: &&Clause| things.iter().any(|thing| clause.span.contains(*thing));
    if clauses.len() < 2 || clauses.iter().filter(named).count() != 1 {
        return Vec::new();
    }
    let sure = (0..scores.tools.len()).filter(|head| scores.tools[*head] >= LISTED);
    let most = |head: &usize| {
        let by = |a: &usize, b: &usize| {
            clauses[*a].scores.tools[*head].total_cmp(&clauses[*b].scores.tools[*head])
        };
        // One that only tells when or says please speaks for none.
        let speaks = |clause: &usize| clauses[*clause].scores.tools[*head] >= SPOKEN_FOR;
        (0..clauses.len()).max_by(by).filter(speaks)
    };
    let mut placed: Vec<(usize, usize)> =
        sure.filter_map(|head| Some((most(&head)?, head))).collect();
    placed.sort_unstable();
    let differ = placed.windows(2).all(|pair| pair[0].0 != pair[1].0);
    let placed = placed.into_iter().filter(|_| differ);
    placed.map(|(clause, head)| (head, Some(clauses[clause].span))).collect()
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

/// Finds the clauses that surely ask for something that `served`, the route of the turn, does not
/// do: an explanation, a program, or nothing that is served here.
pub(super) fn beside(
    turn: &Turn<'_>,
    bundle: &Bundle,
    clauses: &[Clause],
    served: &str,
) -> Vec<Unserved> {
    let unserved = sure(turn, bundle, clauses).filter_map(|clause| {
        let (route, _) = likeliest(turn.pack, bundle, &clause.scores);
        let reason = match turn.pack.route(route).map(|route| route.handler) {
            Some(HandlerName::Explain | HandlerName::Code) if route != served => route,
            // What merely tells something asks for nothing: "I go fishing, how is the tide?"
            None if clause.is_joined => OUT_OF_SCOPE,
            _ => return None,
        };
        let text = turn.said.text.slice(clause.span).trim().to_owned();
        Some(Unserved { text, reason: reason.to_owned() })
    });
    unserved.collect()
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
        !clause.is_joined
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
    let joined = || sure(turn, bundle, clauses).filter(|clause| clause.is_joined);
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

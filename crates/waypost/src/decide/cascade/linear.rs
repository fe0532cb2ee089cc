//! The student: a linear classifier over the masked words, calibrated.

use std::collections::BTreeSet;

use async_trait::async_trait;
use waypost_core::error::{Code, Error, Result};
use waypost_core::records::decision::{Alternative, LayerName, round};
use waypost_core::records::request::PastCall;
use waypost_learning::{Bundle, Input, Scores, Scratch, unmasked};
use waypost_text::extract::{Moment, Operator, Reading, Value};
use waypost_text::text::Span;

use super::clauses::{self, BORNE_OUT, Clause, List};
use super::rules::{follow, steer, unasked};
use super::{
    Aim, DecisionDependencies, Layer, Proposal, Step, catalog, each_tool, foreign, sections,
    unknown,
};
use crate::decide::slots::{DraftCall, leaves_values};
use crate::pack::spec::{HandlerName, RouteSpec, Selection};
use crate::pack::{CLARIFY, OUT_OF_SCOPE, Pack, Tool};
use crate::student::heads::{confidence, likeliest, standing, tool_of_head};
use crate::understand::Turn;
use crate::understand::act::Act;

#[derive(Debug)]
pub(super) struct Linear;

/// The most other possibilities that are reported.
const ALTERNATIVES: usize = 4;
/// A text that is surer to change the last request than this does so, however strange it is by itself.
const GOES_ON: f64 = 0.7;
/// The sentence for a text that leaves open what is wanted.
pub(crate) const VAGUE: &str = "vague";
/// Possibilities below this probability are noise.
const WORTH_NAMING: f32 = 0.02;

#[async_trait]
impl Layer for Linear {
    fn name(&self) -> LayerName {
        LayerName::Linear
    }

    fn threshold(
        &self,
        turn: &Turn<'_>,
        dependencies: &DecisionDependencies<'_>,
        proposal: &Proposal,
    ) -> Option<f64> {
        Some(threshold(turn, dependencies, proposal))
    }

    async fn decide(
        &self,
        turn: &Turn<'_>,
        dependencies: &DecisionDependencies<'_>,
        _: Option<&Proposal>,
    ) -> Result<Step> {
        let step = match sections::propose(turn, dependencies).await? {
            Some(proposal) => Step::Decided(proposal),
            None => whole(turn, dependencies).await?,
        };
        Ok(steer::unless_asked(turn, step))
    }
}

/// Decides a text as one.
pub(super) async fn whole(
    turn: &Turn<'_>,
    dependencies: &DecisionDependencies<'_>,
) -> Result<Step> {
    if turn.pack.spec.selection == Selection::Catalog {
        let (senses, fault) = heard(
            catalog::Senses::of_student(dependencies.bundle).with(turn, dependencies.encoder).await,
        )?;
        let proposal = Proposal { fault, ..catalog::propose(turn, &senses) };
        let confident = proposal.confidence >= threshold(turn, dependencies, &proposal);
        return Ok(settled(turn, dependencies, proposal, confident));
    }
    if let Some(proposal) = unknown::rephrase(turn) {
        return Ok(Step::Decided(proposal));
    }
    if turn.said.is_foreign && turn.active_tool().is_none() {
        return Ok(foreign::decide(turn, dependencies));
    }
    let (scores, fault) = scored(turn, dependencies).await?;
    let clauses = clauses::read(turn, dependencies.bundle);
    let mut proposal = propose(turn, dependencies.bundle, &scores, &clauses);
    proposal.fault = fault;
    // A route may run on less than this; whether it does is for the gates, after the teacher.
    let confident = proposal.confidence >= threshold(turn, dependencies, &proposal);
    Ok(match settled(turn, dependencies, proposal, confident) {
        // What points back reads like nothing by itself; a model that sees what was said before may know it.
        Step::Decided(proposal) if proposal.aim == Aim::OutOfScope && turn.said.points_back() => {
            Step::Abstained(Some(proposal))
        }
        step => step,
    })
}

/// The student's scores of a turn, and the fault of the encoder that should have taken part.
pub(super) async fn scored(
    turn: &Turn<'_>,
    dependencies: &DecisionDependencies<'_>,
) -> Result<(Scores, Option<Error>)> {
    let (vector, fault) = heard(vector(turn.said.masked(), dependencies).await)?;
    let input = Input { vector: vector.as_deref(), ..turn.said.input() };
    let mut scores = dependencies.bundle.score(input, &mut Scratch::default());
    with_story(turn, dependencies.bundle, &mut scores);
    each_tool::leave_out(turn, dependencies.bundle, &mut scores);
    Ok((scores, fault))
}

/// The proposal, unless the text rather changes the last request.
fn settled(
    turn: &Turn<'_>,
    dependencies: &DecisionDependencies<'_>,
    mut proposal: Proposal,
    confident: bool,
) -> Step {
    let lead = if confident { lead(&proposal) } else { 0.0 };
    if let Some(changed) = follow::changed(turn, dependencies.arguments, lead, lead <= GOES_ON) {
        return Step::Decided(Proposal { layer: LayerName::Linear, ..changed });
    }
    if proposal.aim == Aim::OutOfScope && is_courtesy(turn) {
        proposal.aim = Aim::Route(turn.pack.spec.fallback.clone());
        proposal.rationale = "the user greets or thanks".to_owned();
    }
    if confident { Step::Decided(proposal) } else { Step::Abstained(Some(proposal)) }
}

/// How sure a text must be to change the last request, where the student is sure of something else. The last request with
/// a change needs no tool's own words; a tool's own words are another request.
fn lead(proposal: &Proposal) -> f64 {
    match &proposal.aim {
        // What goes on with the last request reads like nothing by itself.
        Aim::OutOfScope => proposal.confidence.min(GOES_ON),
        _ if proposal.calls.is_empty() => proposal.confidence,
        _ => 1.0,
    }
}

/// Has the whole of a text say as much about the route as the part of it that asks, where that names nothing: "should I
/// stop taking them?" is about the tablets of the story before it.
fn with_story(turn: &Turn<'_>, bundle: &Bundle, scores: &mut Scores) {
    let Some(core) = turn.said.core.filter(|_| turn.said.objection.is_none()) else { return };
    if turn.said.names_within(core) {
        return;
    }
    let end = turn.said.text.original().chars().count();
    let whole = turn.said.masked_part(Span { start: 0, end });
    let input = Input { language: Some(turn.said.language.tag()), ..Input::from(&whole) };
    let all = bundle.score(input, &mut Scratch::default());
    for (share, other) in scores.routes.iter_mut().zip(all.routes) {
        *share = f32::midpoint(*share, other);
    }
}

/// Returns whether a text greets or thanks and names nothing: such words belong to every assistant.
fn is_courtesy(turn: &Turn<'_>) -> bool {
    let names = !turn.said.values.is_empty() || !turn.said.discourse.mentions.is_empty();
    !names && turn.acts().any(&[Act::Greet, Act::Thank]) >= follow::SURE
}

/// The encoder's vector of a masked text, where the student was trained with vectors; without one the
/// words decide alone.
pub(crate) async fn vector(
    masked: &str,
    dependencies: &DecisionDependencies<'_>,
) -> Result<Option<Vec<f32>>> {
    let Some(wanted) = dependencies.bundle.encoder() else { return Ok(None) };
    match dependencies.encoder.filter(|encoder| encoder.id() == wanted.id) {
        Some(encoder) => encoder.encode(&unmasked(masked)).await.map(Some),
        None => {
            let message = "the encoder that the student was trained with is not there";
            Err(Error::new(Code::FailedPrecondition, message).with_detail(wanted.id.clone()))
        }
    }
}

/// What an encoder said, or nothing and the fault: words decide alone then.
fn heard<T: Default>(said: Result<T>) -> Result<(T, Option<Error>)> {
    match said {
        Ok(said) => Ok((said, None)),
        Err(error) if error.code() == Code::Cancelled => Err(error),
        Err(error) => Ok((T::default(), Some(error))),
    }
}

/// The confidence that a proposal needs to lead out of an open step.
pub(super) const IN_SCOPE: f64 = 0.9;

/// Returns the confidence that the student needs. Inside a step, an answer in unknown words reads
/// like nothing that is served: there the threshold is higher, unless the answer was understood.
pub(super) fn threshold(
    turn: &Turn<'_>,
    dependencies: &DecisionDependencies<'_>,
    proposal: &Proposal,
) -> f64 {
    let route = match &proposal.aim {
        Aim::Route(name) => turn.pack.route(name),
        _ => None,
    };
    let tools = proposal.calls.iter().map(|call| call.tool.as_str());
    // A version was promoted with its own.
    let found = dependencies.bundle.threshold().map(|threshold| threshold.at);
    let found = found.or(dependencies.belief.threshold.filter(|_| dependencies.model.is_some()));
    let student = standing(turn.pack, found, route, tools, &|tool| turn.access(tool));
    let Some((tool, _)) = turn.asked() else { return student };
    let own = proposal.calls.iter().find(|call| call.tool == tool.spec.name);
    match own {
        Some(call) if dependencies.arguments.adds(turn, call) => student,
        // The question is still open, and nobody here can say more: this is no decision.
        Some(_) => f64::INFINITY,
        // Words that are asked for may be about anything.
        None if proposal.aim == Aim::OutOfScope && unasked::takes_words(turn) => f64::INFINITY,
        // A model can tell a strange answer from a strange question: if there is one, it is asked.
        None if proposal.aim == Aim::OutOfScope && dependencies.model.is_some() => f64::INFINITY,
        None => student.max(IN_SCOPE),
    }
}

/// The calls that the words ask for, where something else chose the route.
pub(super) fn read(turn: &Turn<'_>, bundle: &Bundle) -> Vec<DraftCall> {
    let input = turn.said.input();
    let mut scores = bundle.score(input, &mut Scratch::default());
    each_tool::leave_out(turn, bundle, &mut scores);
    let mut proposal = Proposal::sure(LayerName::Linear, Aim::OutOfScope, "");
    let clauses = clauses::read(turn, bundle);
    let list = clauses::list(turn, bundle, &scores, &clauses);
    choose_tools(turn, bundle, &scores, &clauses, list, &mut proposal);
    proposal.calls
}

/// What the student's scores propose; of a text of several clauses, what each of them asks for.
pub(super) fn propose(
    turn: &Turn<'_>,
    bundle: &Bundle,
    scores: &Scores,
    clauses: &[Clause],
) -> Proposal {
    let best = scores.best().map_or(0, |(best, _)| best);
    let name = bundle.routes().get(best).map_or(OUT_OF_SCOPE, String::as_str);
    let mut proposal = Proposal {
        confidence: confidence(turn.pack, bundle, scores),
        alternatives: alternatives(turn.pack, bundle, scores),
        floor: f64::from(bundle.choices(scores).floor(best)),
        ..Proposal::sure(LayerName::Linear, Aim::OutOfScope, "")
    };
    let route = turn.pack.route(name);
    let is_of_tools = route.is_some_and(|route| route.handler == HandlerName::Tool);
    let list = clauses::list(turn, bundle, scores, clauses)
        .filter(|_| is_of_tools || proposal.confidence < IN_SCOPE);
    let route = match &list {
        Some(list) if !is_of_tools => {
            proposal.confidence = list.confidence;
            clauses::route_of_tools(turn, bundle, scores)
        }
        Some(list) => {
            proposal.confidence = proposal.confidence.max(list.confidence);
            route
        }
        None => route,
    };
    // Beside a half that runs a tool, the other neither refuses nor takes the turn, nor makes it less sure.
    let half = clauses::served_half(turn, bundle, clauses).filter(|half| {
        match route.map(|route| route.handler) {
            _ if list.is_some() => false,
            None | Some(HandlerName::Explain) => true,
            Some(HandlerName::Tool) => {
                proposal.confidence < confidence(turn.pack, bundle, &half.scores)
            }
            Some(_) => false,
        }
    });
    if let Some(half) = half {
        return of_clause(turn, bundle, half, clauses, proposal);
    }
    let Some(route) = route else {
        proposal.rationale = "it reads like nothing that is served here".to_owned();
        if name == CLARIFY {
            proposal.aim = Aim::Unclear(VAGUE);
            proposal.rationale = "it leaves open what is wanted".to_owned();
        }
        return proposal;
    };
    let name = route.name.as_str();
    proposal.aim = Aim::Route(name.to_owned());
    proposal.rationale = format!("it reads like `{name}`");
    if route.handler == HandlerName::Tool {
        let left = list.as_ref().map(|list| list.unserved.clone());
        choose_tools(turn, bundle, scores, clauses, list, &mut proposal);
        if asks_of_another_time(turn, &proposal.calls) {
            proposal.aim = Aim::OutOfScope;
            proposal.calls.clear();
            proposal.rationale = "what it asks for is known of the present alone".to_owned();
            return proposal;
        }
        let beside = || clauses::beside(turn, bundle, clauses, name, &proposal.calls);
        proposal.unserved = left.unwrap_or_else(beside);
    } else if route.handler == HandlerName::Explain {
        proposal.unserved = clauses::beside(turn, bundle, clauses, name, &[]);
    }
    proposal
}

/// Returns whether all that is asked for is known of the present alone, and the words name another time.
fn asks_of_another_time(turn: &Turn<'_>, calls: &[DraftCall]) -> bool {
    let only_now =
        |call: &DraftCall| turn.pack.tool(&call.tool).is_some_and(|tool| tool.spec.only_now);
    if calls.is_empty() || !calls.iter().all(only_now) {
        return false;
    }
    let today = turn.now.date();
    let is_now = |value: &Value| match &value.reading {
        Reading::Date(day) => Some(*day == today),
        Reading::Datetime(instant) => Some(instant.date() == today),
        Reading::Range(start, end) => {
            let day = |moment: &Moment| match moment {
                Moment::Date(day) => Some(*day),
                Moment::Instant(instant) => Some(instant.date()),
                Moment::Open => None,
            };
            Some(
                day(start).is_some_and(|start| start == today)
                    && day(end).is_some_and(|end| end <= today.tomorrow().unwrap_or(today)),
            )
        }
        _ => None,
    };
    let mut times = turn.said.values.iter().filter_map(is_now).peekable();
    times.peek().is_some() && times.all(|now| !now)
}

/// The proposal of the one clause that is served.
fn of_clause(
    turn: &Turn<'_>,
    bundle: &Bundle,
    clause: &Clause,
    clauses: &[Clause],
    mut proposal: Proposal,
) -> Proposal {
    let (route, _) = likeliest(turn.pack, bundle, &clause.scores);
    proposal.confidence = confidence(turn.pack, bundle, &clause.scores);
    choose_tools(turn, bundle, &clause.scores, &[], None, &mut proposal);
    proposal.calls.iter_mut().for_each(|call| call.clause = Some(clause.span));
    proposal.unserved = clauses::beside(turn, bundle, clauses, route, &proposal.calls);
    Proposal { aim: Aim::Route(route.to_owned()), ..proposal }
}

/// Chooses the tools that the words ask for.
fn choose_tools(
    turn: &Turn<'_>,
    bundle: &Bundle,
    scores: &Scores,
    clauses: &[Clause],
    list: Option<List>,
    proposal: &mut Proposal,
) {
    let asked = match turn.pack.spec.selection {
        Selection::PerTool => each_tool::asked(turn, bundle, scores, clauses),
        Selection::Student | Selection::Catalog => {
            list.map_or_else(|| one_each(turn, bundle, scores, clauses), |list| list.wishes)
        }
    };
    if asked.is_empty() {
        return;
    }
    let names: Vec<&str> = asked.iter().map(|(head, _)| bundle.tools()[*head].as_str()).collect();
    proposal.rationale = format!("it reads like a question for {}", names.join(" and "));
    proposal.calls = calls(turn, bundle, scores, clauses, &asked);
}

/// The calls of the tools of some heads, each with the words that ask for it.
pub(super) fn calls(
    turn: &Turn<'_>,
    bundle: &Bundle,
    scores: &Scores,
    clauses: &[Clause],
    asked: &[(usize, Option<Span>)],
) -> Vec<DraftCall> {
    let told = told(turn, bundle, clauses);
    let calls = asked.iter().filter_map(|(head, clause)| {
        let tool = tool_of_head(turn.pack, &bundle.tools()[*head])?;
        let memory = memory(turn, tool);
        let call = DraftCall {
            tool: tool.spec.name.clone(),
            clause: *clause,
            told: told.clone(),
            memory,
            ..DraftCall::default()
        };
        let exact = !has_rival(turn, bundle, scores, tool) && !leaves_values(turn, &call, tool);
        Some(DraftCall { exact, ..call })
    });
    calls.collect()
}

/// The head of the one tool that the words ask for, or of one for each of several clauses.
pub(super) fn one_each(
    turn: &Turn<'_>,
    bundle: &Bundle,
    scores: &Scores,
    clauses: &[Clause],
) -> Vec<(usize, Option<Span>)> {
    let Some((top, _)) = best(&scores.tools) else { return Vec::new() };
    let are_whole = clauses::are_whole(turn, clauses);
    let mut asked = clauses::asked(turn, bundle, clauses, are_whole);
    // A clause of a place or a day alone leans to some tool too; the whole text must support it, unless that asks for many.
    let heads: BTreeSet<usize> = asked.iter().map(|(head, _)| *head).collect();
    let is_list = heads.len() >= clauses::LIST && clauses::may_list(turn);
    let reads = |head: usize| !clauses::writes(turn, bundle, head);
    asked.retain(|(head, _)| {
        is_list && reads(*head) || *head == top || scores.tools[*head] >= BORNE_OUT
    });
    // The clause that stood between two clauses of one question is gone: they are one again.
    asked.dedup_by(|next, before| {
        let same = next.0 == before.0 && !are_whole;
        if let (true, Some(own), Some(more)) = (same, before.1.as_mut(), next.1) {
            own.end = more.end;
        }
        same
    });
    if asked.len() < 2 {
        // What was told before a question may be meant by its "there" and "that day".
        asked = vec![(
            top,
            turn.said.core.filter(|core| !turn.said.part_points_back(turn.pack, *core)),
        )];
    }
    asked
}

/// The parts of a text that only tell something: those around its question, and clauses that ask for nothing.
fn told(turn: &Turn<'_>, bundle: &Bundle, clauses: &[Clause]) -> Vec<Span> {
    let mut told = clauses::told(turn, bundle, clauses);
    if let Some(core) = turn.said.core {
        let end = turn.said.text.original().chars().count();
        told.extend([Span { start: 0, end: core.start }, Span { start: core.end, end }]);
    }
    told
}

/// Returns whether another tool of the family may be meant as well: always one without a head of
/// its own, and one with a head where the words support it.
fn has_rival(turn: &Turn<'_>, bundle: &Bundle, scores: &Scores, tool: &Tool) -> bool {
    let mut others = turn.pack.family(tool).filter(|other| other.spec.name != tool.spec.name);
    others.any(|other| {
        let head = bundle.tools().iter().position(|head| *head == other.spec.name);
        head.filter(|_| other.spec.own_head).is_none_or(|head| scores.tools[head] >= BORNE_OUT)
    })
}

pub(super) fn best(probabilities: &[f32]) -> Option<(usize, f32)> {
    probabilities.iter().copied().enumerate().max_by(|a, b| a.1.total_cmp(&b.1))
}

/// The earlier call that the words go on with, for a tool.
pub(super) fn memory(turn: &Turn<'_>, tool: &Tool) -> Option<PastCall> {
    under_way(turn, tool).or_else(|| reference(turn, tool))
}

/// Returns the known arguments of the call that was asked about, if the words go on with it.
fn under_way(turn: &Turn<'_>, tool: &Tool) -> Option<PastCall> {
    let active = turn.active_tool().filter(|active| active.spec.name == tool.spec.name)?;
    let arguments = turn.context.active_arguments.clone();
    Some(PastCall { tool: active.spec.name.clone(), arguments, text: None })
}

/// The last call, if the text has a word such as "there" or corrects that call.
fn reference(turn: &Turn<'_>, tool: &Tool) -> Option<PastCall> {
    let past = turn.context.last_calls.last()?;
    let corrects = turn.said.discourse.says(Operator::Correction) && past.tool == tool.spec.name;
    let points = turn.said.has_reference();
    let changes = past.tool == tool.spec.name
        || turn.pack.family(tool).any(|other| other.spec.name == past.tool);
    (points || corrects || changes && follow::surely_changes(turn)).then(|| past.clone())
}

fn alternatives(pack: &Pack, bundle: &Bundle, scores: &Scores) -> Vec<Alternative> {
    let mut all: Vec<Alternative> = Vec::new();
    let routes = bundle.routes().iter().zip(&scores.routes);
    // A tool is never likelier than its route.
    for (route, probability) in routes.filter(|(_, probability)| **probability >= WORTH_NAMING) {
        match pack.route(route) {
            Some(spec) if spec.handler == HandlerName::Tool => {
                all.extend(tool_alternatives(pack, bundle, scores, spec, *probability));
            }
            _ => all.push(Alternative {
                route: route.clone(),
                tool: None,
                confidence: round(f64::from(*probability)),
            }),
        }
    }
    all.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    all.retain(|alternative| alternative.confidence >= f64::from(WORTH_NAMING));
    all.into_iter().skip(1).take(ALTERNATIVES).collect()
}

fn tool_alternatives<'a>(
    pack: &'a Pack,
    bundle: &'a Bundle,
    scores: &'a Scores,
    route: &'a RouteSpec,
    probability: f32,
) -> impl Iterator<Item = Alternative> + 'a {
    bundle.tools().iter().zip(&scores.tools).filter_map(move |(head, of_tool)| {
        let confidence = round(f64::from(probability * of_tool));
        let tool = Some(head).filter(|_| confidence >= f64::from(WORTH_NAMING))?;
        let tool = Some(tool_of_head(pack, tool)?.spec.name.clone());
        Some(Alternative { route: route.name.clone(), tool, confidence })
    })
}

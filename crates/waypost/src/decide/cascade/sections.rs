//! A text of several questions: each sentence, line or item is decided as if it alone were said, after the one before it as in a
//! conversation, and what they ask for runs together. One that means nothing alone is read with its neighbor. If that does not
//! help either, the text is read as a whole.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value as Json;
use waypost_core::error::Result;
use waypost_core::records::decision::{By, Call, LayerName, Source, Unserved};
use waypost_core::records::request::PastCall;
use waypost_core::text_match::is_han;
use waypost_text::extract::Operator;
use waypost_text::text::Span;

use super::clauses::{self, CHAT, unserved};
use super::rules::Rules;
use super::{Aim, DecisionDependencies, Layer, Proposal, Step, linear};
use crate::decide::slots::{self, DraftCall};
use crate::pack::spec::{Access, HandlerName, RouteSpec};
use crate::pack::{OUT_OF_SCOPE, Pack, Tool};
use crate::understand::{Section, Turn};

/// What a section does in its text.
enum Role {
    /// It asks for tools, and says all that they need.
    Asks(Box<Asked>),
    /// It asks for something that no tool does: its route, or that it is out of scope.
    AsksElse(String),
    /// It greets, thanks or chats.
    Chats,
    /// It says what is not wanted.
    Denies,
    /// It means something only with the rest of the text.
    Depends,
}

/// A section that asks for tools.
struct Asked {
    section: Arc<Section>,
    proposal: Proposal,
    /// The calls of the section before it; `None` for the first one.
    before: Option<Vec<PastCall>>,
    /// Its calls, filled from its words alone.
    calls: Vec<Call>,
}

impl Asked {
    /// Its calls, which the next section may go on with.
    fn done(&self) -> Vec<PastCall> {
        let done = self.calls.iter().cloned();
        done.map(|Call { tool, arguments, .. }| PastCall { tool, arguments, text: None }).collect()
    }

    fn tools(&self) -> BTreeSet<&str> {
        self.calls.iter().map(|call| call.tool.as_str()).collect()
    }

    /// Returns whether it only says more of what the section before asks for: other arguments of the same tools ("Household size is
    /// 5"), or not the thing that they are about ("plot both").
    fn adds_to(&self, last: &Asked, pack: &Pack) -> bool {
        let same = |all: fn(&Call, &Call) -> bool| {
            self.calls.iter().all(|call| {
                let mut others = last.calls.iter().filter(|other| other.tool == call.tool);
                others.all(|other| all(call, other))
            })
        };
        let is_apart = |call: &Call, other: &Call| {
            said(call).all(|(name, _)| said(other).all(|(known, _)| known != name))
        };
        let agrees = |call: &Call, other: &Call| {
            said(call).all(|(name, value)| other.arguments.get(name).is_none_or(|own| own == value))
        };
        self.tools().is_subset(&last.tools())
            && (same(is_apart) || self.lacks_thing(last, pack) && same(agrees))
    }

    /// Returns whether it only names the tools of the next section, which says what they need.
    fn leads_to(&self, next: &Asked) -> bool {
        let is_silent = |call: &Call| call.evidence.values().all(|own| own.source != Source::Span);
        self.tools().is_subset(&next.tools()) && self.calls.iter().all(is_silent)
    }

    /// Returns whether its tools take a thing that it does not name and that the section before names.
    fn lacks_thing(&self, last: &Asked, pack: &Pack) -> bool {
        let is_thing = |name: &str| pack.spec.gazetteers.iter().any(|own| own.name == name);
        self.calls.iter().any(|call| {
            let notes = pack.tool(&call.tool).into_iter().flat_map(Tool::annotations);
            let mut things =
                notes.filter(|(_, note)| note.gazetteer.as_deref().is_some_and(is_thing));
            things.any(|(name, _)| {
                !call.arguments.contains_key(name)
                    && last.calls.iter().any(|other| other.arguments.contains_key(name))
            })
        })
    }
}

/// A text that is read section by section.
struct Reading<'r, 'a> {
    turn: &'r Turn<'a>,
    dependencies: &'r DecisionDependencies<'r>,
    asked: Vec<Asked>,
    unserved: Vec<Unserved>,
}

/// Decides the sections of a text one by one; `None` if the text is no row of questions of which at least one asks for a tool.
pub(super) async fn propose(
    turn: &Turn<'_>,
    dependencies: &DecisionDependencies<'_>,
) -> Result<Option<Proposal>> {
    let runs = |route: &RouteSpec| route.handler == HandlerName::Tool;
    let is_new = turn.said.objection.is_none() && turn.is_unprompted();
    if turn.said.is_foreign || !is_new || turn.only_supposes() {
        return Ok(None);
    }
    let spans = turn.sections();
    let is_one = spans.is_empty() || spans.iter().any(|span| corrects(turn, *span));
    if is_one || !turn.pack.spec.routes.iter().any(runs) {
        return Ok(None);
    }
    let mut reading = Reading { turn, dependencies, asked: Vec::new(), unserved: Vec::new() };
    if reading.read(&spans).await? && !reading.is_list().await? {
        return Ok(reading.joined());
    }
    Ok(None)
}

impl Reading<'_, '_> {
    /// Reads the sections; `false` if one of them means something only with the whole text.
    async fn read(&mut self, spans: &[Span]) -> Result<bool> {
        let turn = self.turn;
        // A section that means nothing alone: the head of the next one, or the close of all of them.
        let (mut head, mut close): (Option<Span>, Option<Span>) = (None, None);
        let mut heads: Vec<Span> = Vec::new();
        let mut denied = 0;
        for span in spans.iter().copied().filter(|span| !turn.said.leaves_out(*span)) {
            self.dependencies.goes_on()?;
            let before = self.asked.last().map(Asked::done);
            let is_first = self.asked.is_empty() && self.unserved.is_empty();
            let before = if is_first { None } else { before.or_else(|| Some(Vec::new())) };
            let places = head.into_iter().chain([span]).collect();
            match self.role(places, before.as_deref()).await? {
                Role::Asks(own) if is_told(turn, spans, span) => {
                    let Aim::Route(route) = &own.proposal.aim else { return Ok(false) };
                    self.unserved.push(unserved(turn, span, route));
                }
                Role::Asks(own) => {
                    let adds = self.asked.last().is_some_and(|last| {
                        head.is_none() && (own.adds_to(last, turn.pack) || last.leads_to(&own))
                    });
                    let both = if adds { self.with_last(span).await? } else { None };
                    close = both.as_ref().map(|_| span);
                    match both {
                        Some(both) => self.replace_last(both),
                        None => self.asked.push(*own),
                    }
                    heads.extend(head.take());
                }
                _ if head.is_some() => return Ok(false),
                Role::AsksElse(reason) => {
                    close = None;
                    self.unserved.push(unserved(turn, span, &reason));
                }
                Role::Chats => {}
                // What is not wanted may be a detail of what is.
                Role::Denies => {
                    denied += 1;
                    let last = self.asked.last().map_or(0, |last| last.calls.len());
                    if let Some(both) = self.with_last(span).await?
                        && both.calls.len() <= last
                    {
                        self.replace_last(both);
                    }
                }
                Role::Depends if is_story(turn, span) => {}
                Role::Depends if asks(turn, span) => return Ok(false),
                Role::Depends if self.asked.is_empty() || !heads.is_empty() => head = Some(span),
                Role::Depends => match self.with_last(span).await? {
                    Some(both) if self.says_more(&both) => {
                        self.replace_last(both);
                        close = Some(span);
                    }
                    Some(_) if !turn.said.names_within(span) => {}
                    _ => return Ok(false),
                },
            }
        }
        let is_row = self.asked.len() + self.unserved.len() + denied > 1;
        if self.asked.is_empty() || !is_row || self.is_about_told(spans) {
            return Ok(false);
        }
        // What follows the last question after a head closes the text.
        if let Some(span) = head {
            match self.with_last(span).await? {
                Some(both) if self.says_more(&both) => self.replace_last(both),
                _ => return Ok(false),
            }
            close = Some(span);
        }
        // Each of several heads is of its own question.
        let only = if heads.len() == 1 { heads.pop() } else { None };
        for span in only.into_iter().chain(close) {
            self.share(span).await?;
        }
        Ok(true)
    }

    /// Reads a section together with the one before it that asks; `None` if both do not ask for the same tools with all that was said
    /// of them.
    async fn with_last(&self, span: Span) -> Result<Option<Asked>> {
        let Some(last) = self.asked.last() else { return Ok(None) };
        let places: Vec<Span> = last.section.places.iter().copied().chain([span]).collect();
        let before = last.before.clone();
        Ok(match self.role(places, before.as_deref()).await? {
            Role::Asks(both) if both.tools() == last.tools() && keeps(&last.calls, &both.calls) => {
                Some(*both)
            }
            _ => None,
        })
    }

    /// Returns whether the last section says more together with the next one.
    fn says_more(&self, both: &Asked) -> bool {
        let values = |calls: &[Call]| -> Vec<Vec<(String, Json)>> {
            let own =
                |call| said(call).map(|(name, value)| (name.clone(), value.clone())).collect();
            calls.iter().map(own).collect()
        };
        self.asked.last().is_some_and(|last| values(&last.calls) != values(&both.calls))
    }

    /// Returns whether a question names nothing, and a section that is no question may tell what it is about: "I own Tesla. What are
    /// the news?"
    fn is_about_told(&self, spans: &[Span]) -> bool {
        let turn = self.turn;
        let names_nothing = |span: &Span| asks(turn, *span) && !turn.said.names_within(*span);
        let may_tell = |span: &Span| !asks(turn, *span) && !orders(turn, *span);
        let told = spans.iter().filter(|span| may_tell(span));
        let mut told = told.filter(|span| self.asked.iter().any(|own| own.section.holds(**span)));
        told.any(|told| spans.iter().any(|span| span.start > told.start && names_nothing(span)))
    }

    fn replace_last(&mut self, both: Asked) {
        if let Some(last) = self.asked.last_mut() {
            *last = both;
        }
    }

    /// Returns whether the whole text is a list of wishes about one thing, to which other sections point: "Apple's price; did it beat
    /// the index?"
    async fn is_list(&self) -> Result<bool> {
        let (turn, bundle) = (self.turn, self.dependencies.bundle);
        let things = clauses::things(turn);
        let names = |own: &&Asked| things.iter().any(|thing| own.section.holds(*thing));
        let points = self.asked.iter().any(|own| own.section.goes_on && !names(&own));
        if !points || self.asked.iter().filter(names).count() != 1 {
            return Ok(false);
        }
        let (whole, _) = linear::scored(turn, self.dependencies).await?;
        let clauses = clauses::read(turn, bundle);
        Ok(clauses::list(turn, bundle, &whole, &clauses).is_some())
    }

    /// Reads a section that opens or closes the text with each question that it only adds to: "only the anomaly".
    async fn share(&mut self, span: Span) -> Result<()> {
        let tools: Vec<String> = self
            .asked
            .iter()
            .filter(|own| own.section.holds(span))
            .flat_map(|own| &own.calls)
            .map(|call| call.tool.clone())
            .collect();
        for at in 0..self.asked.len() {
            let own = &self.asked[at];
            if own.section.holds(span) || !own.calls.iter().any(|call| tools.contains(&call.tool)) {
                continue;
            }
            let mut places: Vec<Span> = own.section.places.iter().copied().chain([span]).collect();
            places.sort_unstable();
            let role = self.role(places, own.before.as_deref()).await?;
            let last = &self.asked[at].calls;
            if let Role::Asks(more) = role
                && last.len() == more.calls.len()
                && keeps(last, &more.calls)
            {
                self.asked[at] = *more;
            }
        }
        Ok(())
    }

    /// What parts of the text do if they are read alone, after `before` was called.
    async fn role(&self, places: Vec<Span>, before: Option<&[PastCall]>) -> Result<Role> {
        let turn = self.turn;
        let section = Arc::new(turn.section(places, before));
        let own = turn.of_section(&section);
        if own.said.is_unread() {
            return Ok(Role::Depends);
        }
        let chats = || own.does(&CHAT);
        // Beside a question, what is no question may only tell something.
        let is_question = is_question(own.said.text.original());
        let may_tell = turn.said.text.original().contains(['?', '？']) && !is_question;
        let Some(mut proposal) = alone(&own, self.dependencies, may_tell).await? else {
            return Ok(if chats() { Role::Chats } else { Role::Depends });
        };
        let handler = match &proposal.aim {
            Aim::Route(name) => turn.pack.route(name).map(|route| route.handler),
            Aim::OutOfScope => None,
            _ => return Ok(Role::Depends),
        };
        Ok(match (handler, &proposal.aim) {
            (Some(HandlerName::Tool), _) if denies(&own) => Role::Denies,
            (Some(HandlerName::Tool), Aim::Route(route)) => {
                for call in &mut proposal.calls {
                    let before = before.unwrap_or_default().iter().rev();
                    let mut same = before.filter(|past| section.goes_on && past.tool == call.tool);
                    call.memory = call.memory.take().or_else(|| same.next().cloned());
                    call.section = Some(Arc::clone(&section));
                }
                let before = before.map(<[PastCall]>::to_vec);
                match filled(turn, route, &proposal) {
                    Some(calls) => Role::Asks(Box::new(Asked { section, before, proposal, calls })),
                    None => Role::Depends,
                }
            }
            _ if chats() => Role::Chats,
            (Some(HandlerName::Explain), Aim::Route(name))
                if proposal.confidence >= linear::IN_SCOPE =>
            {
                Role::AsksElse(name.clone())
            }
            (None, _)
                if proposal.confidence >= linear::IN_SCOPE
                    && (is_question || !own.said.objects().is_empty()) =>
            {
                Role::AsksElse(OUT_OF_SCOPE.to_owned())
            }
            _ => Role::Depends,
        })
    }

    /// What the sections ask for, as one proposal; `None` if they are not sure enough together.
    fn joined(self) -> Option<Proposal> {
        let Aim::Route(route) = self.asked.first()?.proposal.aim.clone() else { return None };
        let count = self.asked.len();
        let mut all = Proposal::sure(LayerName::Linear, Aim::Route(route.clone()), "");
        all.unserved = self.unserved;
        for own in self.asked.into_iter().map(|own| own.proposal) {
            all.confidence = all.confidence.min(own.confidence);
            all.fault = all.fault.or(own.fault);
            all.calls.extend(own.calls);
            all.unserved.extend(own.unserved);
        }
        let names: Vec<&str> = all.calls.iter().map(|call| call.tool.as_str()).collect();
        all.rationale = format!("{count} of its sentences ask for tools: {}", names.join(" and "));
        is_sure(self.turn, &route, all.confidence, &all.calls).then_some(all)
    }
}

/// Returns whether each clause that names something says no: "I don't need the tide in Keelung".
fn denies(own: &Turn<'_>) -> bool {
    let said = &own.said;
    let marks = said.discourse.marks.iter().filter(|mark| mark.operator == Operator::Not);
    let denials: Vec<Span> =
        marks.map(|mark| mark.span).filter(|no| !is_choice(own, *no)).collect();
    if denials.is_empty() {
        return false;
    }
    let values = said.values.iter().map(|value| value.span);
    let named: Vec<Span> =
        values.chain(said.discourse.mentions.iter().map(|name| name.span)).collect();
    let is_kept = |span: &Span| !said.left_out.is_empty() && !said.leaves_out(*span);
    let whole = Span { start: 0, end: said.text.original().chars().count() };
    let mut clauses: Vec<Span> =
        clauses::spans(own).into_iter().map(|(clause, _)| clause).collect();
    if clauses.is_empty() {
        clauses.push(whole);
    }
    let names = |clause: &Span| named.iter().any(|name| clause.contains(*name));
    let says_no = |clause: &Span| denials.iter().any(|no| clause.contains(*no));
    let mut naming = clauses.iter().filter(|clause| named.is_empty() || names(clause));
    naming.all(says_no) && !named.iter().any(is_kept)
}

/// Returns whether a "no" stands between a word and the same word, as in 知不知道: that asks.
fn is_choice(own: &Turn<'_>, no: Span) -> bool {
    let letter = |at: usize| own.said.text.slice(Span { start: at, end: at + 1 });
    let before = no.start.checked_sub(1).map(letter).filter(|word| word.contains(is_han));
    before.is_some_and(|word| [no.end - 1, no.end].into_iter().any(|at| letter(at) == word))
}

/// The values of a call that were said, but for words that it takes as they are.
fn said(call: &Call) -> impl Iterator<Item = (&String, &Json)> {
    call.arguments.iter().filter(|(name, _)| {
        let evidence = call.evidence.get(*name);
        evidence.is_some_and(|own| own.source == Source::Span && own.by != By::Text)
    })
}

/// Returns whether words end with a question mark.
fn is_question(words: &str) -> bool {
    words.trim_end().ends_with(['?', '？'])
}

fn asks(turn: &Turn<'_>, section: Span) -> bool {
    is_question(turn.said.text.slice(section))
}

/// Returns whether a section that reads like a request is outside the question of the text and asks for nothing in the words of a
/// request: it may only tell something. "The tide in Keelung was great yesterday. What will it be in Hualien tomorrow?"
///
/// If the next section goes on with it, it was a question, too: "Tide in Keelung tomorrow. And on Saturday?"
fn is_told(turn: &Turn<'_>, sections: &[Span], section: Span) -> bool {
    let next = sections.iter().find(|next| next.start > section.start);
    let goes_on = |next: &Span| {
        let next = turn.section(vec![*next], Some(&[]));
        next.goes_on || turn.of_section(&next).said.is_bare()
    };
    turn.said.core.is_some_and(|core| !core.overlaps(section))
        && !orders(turn, section)
        && !next.is_some_and(goes_on)
}

/// Returns whether a section has a word that asks for something: "show me", 幫我查.
fn orders(turn: &Turn<'_>, section: Span) -> bool {
    turn.said.objects().iter().any(|object| section.contains(object.span))
}

/// Returns whether a section begins with a word that takes back or leaves out what was said before it.
fn corrects(turn: &Turn<'_>, section: Span) -> bool {
    let said = &turn.said;
    let mut marks = said.discourse.marks.iter().filter(|mark| {
        matches!(mark.operator, Operator::Correction | Operator::Except)
            && section.contains(mark.span)
    });
    marks.any(|mark| {
        let before = Span { start: section.start, end: mark.span.start };
        !said.text.slice(before).contains(char::is_alphanumeric)
    })
}

/// Returns whether a section only tells what led to the question, and names nothing that the question may be about.
fn is_story(turn: &Turn<'_>, section: Span) -> bool {
    turn.said.core.is_some_and(|core| !core.overlaps(section)) && !turn.said.names_within(section)
}

/// Returns whether each call is still among some calls, with all that was said of it.
fn keeps(calls: &[Call], more: &[Call]) -> bool {
    let has = |call: &Call, other: &Call| {
        other.tool == call.tool
            && said(call).all(|(name, value)| other.arguments.get(name) == Some(value))
    };
    calls.iter().all(|call| more.iter().any(|other| has(call, other)))
}

/// What rules and student make of a part alone. If a model decides what the student is unsure of, that needs the whole text.
async fn alone(
    own: &Turn<'_>,
    dependencies: &DecisionDependencies<'_>,
    may_tell: bool,
) -> Result<Option<Proposal>> {
    let rules = own.permits.enabled.layer(Rules.name().name());
    if rules && let Step::Decided(proposal) = Rules.decide(own, dependencies, None).await? {
        return Ok(Some(proposal));
    }
    Ok(match linear::whole(own, dependencies).await? {
        Step::Decided(proposal) => Some(proposal),
        Step::Abstained(weak) => weak.filter(|_| dependencies.model.is_none() && !may_tell),
        Step::Failed(_) => None,
    })
}

/// The calls of a proposal that only reads, is sure of its tools and says all that they need; `None` for another one.
fn filled(turn: &Turn<'_>, route: &str, proposal: &Proposal) -> Option<Vec<Call>> {
    if proposal.calls.is_empty() || !is_sure(turn, route, proposal.confidence, &proposal.calls) {
        return None;
    }
    let mut calls = Vec::new();
    // What is said elsewhere may bound a change, so the whole text must ask for it.
    if proposal.calls.iter().any(|call| turn.access(&call.tool) != Access::Read) {
        return None;
    }
    for draft in &proposal.calls {
        let filled = slots::fill(turn, draft).filter(|filled| filled.gaps.is_empty())?;
        calls.extend(filled.calls);
    }
    Some(calls)
}

/// Returns whether the gates would let calls of this confidence run.
fn is_sure(turn: &Turn<'_>, route: &str, confidence: f64, calls: &[DraftCall]) -> bool {
    let tools = calls.iter().map(|call| call.tool.as_str());
    let route = turn.pack.route(route);
    route.is_some_and(|route| {
        confidence >= turn.pack.runs_from(route, tools, &|tool| turn.access(tool))
    })
}

#[cfg(test)]
mod tests {
    use waypost_core::records::request::{Context, Request};

    use crate::decide::providers::tests::pack;
    use crate::understand::ingest;

    fn asked(words: &str) -> Request {
        Request { now: Some("2025-11-06T09:00:00Z".to_owned()), ..Request::new(words) }
    }

    #[test]
    fn a_text_is_cut_at_stops_breaks_and_marks_of_items_and_not_in_a_value() {
        let pack = pack();
        for (words, sections) in [
            ("tide in Keelung. And in Hualien?", &["tide in Keelung.", "And in Hualien?"][..]),
            ("1) price 2) news", &["price", "news"]),
            ("- price\n- news\n", &["- price", "news"]),
            ("¿dónde llueve más? ponlo en un mapa", &["¿dónde llueve más?", "ponlo en un mapa"]),
            ("明天基隆的潮汐；後天呢？", &["明天基隆的潮汐", "後天呢？"]),
            ("see example.com at 25.4 N", &[]),
            ("price, news and RSI", &[]),
            ("...\n!!\n", &[]),
        ] {
            let request = asked(words);
            let turn = ingest(&pack, &request, Context::default()).unwrap();
            let found: Vec<&str> =
                turn.sections().into_iter().map(|span| turn.said.text.slice(span)).collect();
            assert_eq!(found, sections, "{words}");
        }
        let lines = "price\n".repeat(20);
        let request = asked(&lines);
        assert!(ingest(&pack, &request, Context::default()).unwrap().sections().is_empty());
    }
}

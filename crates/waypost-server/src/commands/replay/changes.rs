//! Counts what another pack or student would change: by route, with the surest examples.

use std::collections::BTreeMap;

use serde::Serialize;
use waypost::feedback::replay::Replayed;
use waypost::records::decision::{Decision, Outcome};
use waypost::records::event::{Outline, Routed};
use waypost::records::request::shorten;

use super::super::events::outline_line;
use super::SHOWN;
use super::bench::Bench;
use crate::failure::Failure;
use crate::output::{self, Shown};

/// The place of a turn for which a model would have to be asked anew.
const ASKS: &str = "(asks a model)";
/// The number of pairs of routes that are shown, the most frequent; `--json` prints all.
const PAIRS: usize = 20;

/// The changes that another pack or student would make.
#[derive(Debug, Serialize)]
pub(super) struct Changes {
    /// The pack that decided again.
    pack: String,
    /// The student that did.
    bundle: String,
    /// The number of turns that were decided again.
    turns: u64,
    /// The number of them that would lead to the same route, calls and outcome.
    same: u64,
    /// The number of them that would not.
    changed: u64,
    /// The number of them for which a model would have to be asked anew, so that nobody knows.
    unknown: u64,
    /// The calls of the model for decisions.
    llm: Share,
    /// The turns that a model decided, and the new student would decide.
    taken_over: TakenOver,
    /// The routes from and to which turns would move, the most frequent first.
    routes: Vec<Pair>,
    /// Changes in which the new decision is surest.
    examples: Vec<Example>,
    /// The number of turns that could not be decided again, by the reason.
    left_out: BTreeMap<String, u64>,
    #[serde(skip)]
    limit: usize,
}

/// Calls of a model, then and now.
#[derive(Debug, Default, Serialize)]
struct Share {
    before: u64,
    after: u64,
    /// The calls per turn, then and now.
    share_before: f64,
    share_after: f64,
}

/// The turns that the new student takes over from a model.
#[derive(Debug, Default, Serialize)]
struct TakenOver {
    turns: u64,
    /// The number of them in which it decides as the model did.
    agree: u64,
}

/// Turns that led to one route and would lead to another.
#[derive(Debug, Serialize)]
struct Pair {
    from: String,
    to: String,
    count: u64,
}

/// A turn that would be decided otherwise.
#[derive(Debug, Serialize)]
struct Example {
    decision_id: String,
    text: String,
    from: String,
    to: String,
    /// The fields in which they differ: `decision`, `route`, `calls`, `reason`.
    differs: Vec<String>,
    before: Outline,
    after: Outline,
}

impl Changes {
    pub(super) fn new(bench: &Bench, limit: usize) -> Self {
        Self {
            pack: bench.pack.id.clone(),
            bundle: bench.bundle.id().to_owned(),
            turns: 0,
            same: 0,
            changed: 0,
            unknown: 0,
            llm: Share::default(),
            taken_over: TakenOver::default(),
            routes: Vec::new(),
            examples: Vec::new(),
            left_out: BTreeMap::new(),
            limit,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.turns == 0 && self.left_out.is_empty()
    }

    /// Returns whether a turn could not be decided again.
    pub(super) fn left_any_out(&self) -> bool {
        !self.left_out.is_empty()
    }

    pub(super) fn leave_out(&mut self, why: &str) {
        *self.left_out.entry(why.to_owned()).or_default() += 1;
    }

    pub(super) fn add(&mut self, routed: &Routed, replayed: &Replayed) {
        let (then, now) = (&*routed.decision, &replayed.decision);
        self.turns += 1;
        self.llm.before += u64::from(then.llm_calls);
        self.llm.after += u64::from(now.llm_calls);
        let share = |calls: u64| calls as f64 / self.turns as f64;
        self.llm.share_before = share(self.llm.before);
        self.llm.share_after = share(self.llm.after);
        if replayed.asks {
            self.unknown += 1;
            self.count(place(then), ASKS.to_owned());
            return;
        }
        let (before, after) = (Outline::of(then), Outline::of(now));
        let differs = before.differences(&after);
        if then.llm_calls > 0 && now.llm_calls == 0 {
            self.taken_over.turns += 1;
            self.taken_over.agree += u64::from(differs.is_empty());
        }
        if differs.is_empty() {
            self.same += 1;
            return;
        }
        self.changed += 1;
        let (from, to) = (place(then), place(now));
        self.count(from.clone(), to.clone());
        let (decision_id, text) = (then.id.clone(), routed.text.clone());
        self.show_later(Example { decision_id, text, from, to, differs, before, after });
    }

    fn count(&mut self, from: String, to: String) {
        match self.routes.iter_mut().find(|pair| pair.from == from && pair.to == to) {
            Some(pair) => pair.count += 1,
            None => self.routes.push(Pair { from, to, count: 1 }),
        }
        self.routes.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.from.cmp(&b.from)));
    }

    /// Keeps an example if it is one of the surest.
    fn show_later(&mut self, example: Example) {
        let sure = example.after.confidence;
        let at = self.examples.partition_point(|other| other.after.confidence >= sure);
        self.examples.insert(at, example);
        self.examples.truncate(self.limit);
    }

    pub(super) fn show(&self) -> Result<(), Failure> {
        let percent = |part: u64| percent(part as f64 / self.turns.max(1) as f64);
        output::line(format!(
            "{} turns with {} and the student {}",
            self.turns, self.pack, self.bundle
        ))?;
        for (name, count) in [
            ("decided the same", self.same),
            ("decided otherwise", self.changed),
            ("not known: asks a model", self.unknown),
        ] {
            output::line(format!("  {name:<24} {count:>6}  {}", percent(count)))?;
        }
        output::line(format!(
            "  model calls              {} → {} ({} → {} a hundred turns)",
            self.llm.before,
            self.llm.after,
            hundredth(self.llm.share_before),
            hundredth(self.llm.share_after)
        ))?;
        if self.taken_over.turns > 0 {
            let TakenOver { turns, agree } = self.taken_over;
            output::line(format!(
                "  taken over from a model  {turns}, {agree} of them decided as it did"
            ))?;
        }
        self.show_routes()?;
        self.show_examples()?;
        for (why, count) in &self.left_out {
            output::line(format!("left out {count}: {why}"))?;
        }
        Ok(())
    }

    fn show_routes(&self) -> Result<(), Failure> {
        if self.routes.is_empty() {
            return Ok(());
        }
        output::line("")?;
        output::line(output::bold("from → to"))?;
        let width = |name: fn(&Pair) -> &String| {
            self.routes.iter().take(PAIRS).map(|pair| name(pair).chars().count()).max()
        };
        let (from, to) = (width(|pair| &pair.from), width(|pair| &pair.to));
        for pair in self.routes.iter().take(PAIRS) {
            output::line(format!(
                "  {:<from$} → {:<to$} {:>6}",
                pair.from,
                pair.to,
                pair.count,
                from = from.unwrap_or_default(),
                to = to.unwrap_or_default()
            ))?;
        }
        if self.routes.len() > PAIRS {
            output::line(format!(
                "  and {} more pairs; `--json` prints all",
                self.routes.len() - PAIRS
            ))?;
        }
        Ok(())
    }

    fn show_examples(&self) -> Result<(), Failure> {
        if !self.examples.is_empty() {
            output::line("")?;
            output::line(output::bold("examples, the surest first"))?;
        }
        for example in &self.examples {
            let text = shorten(&example.text, SHOWN);
            output::line(Shown::from(format!("  “{text}” ")) + output::dim(&example.decision_id))?;
            output::line(format!("    then {}", outline_line(&example.before)))?;
            output::line(format!("    now  {}", outline_line(&example.after)))?;
        }
        Ok(())
    }
}

/// Says where a decision leads: its route, its tools, and what happens where nothing runs.
fn place(decision: &Decision) -> String {
    let tools: Vec<&str> = decision.calls.iter().map(|call| call.tool.as_str()).collect();
    let tools = if tools.is_empty() { String::new() } else { format!(" {}", tools.join(", ")) };
    match decision.decision {
        Outcome::Run => format!("{}{tools}", decision.route),
        Outcome::Refuse => decision.route.clone(),
        asks => format!("{}{tools} ({})", decision.route, asks.name()),
    }
}

fn percent(share: f64) -> String {
    format!("{:.1}%", share * 100.0)
}

fn hundredth(share: f64) -> String {
    format!("{:.1}", share * 100.0)
}

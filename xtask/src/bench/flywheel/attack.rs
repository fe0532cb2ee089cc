//! One of a hundred sessions lies: it asks as people ask for one route and corrects the answer to
//! another, or says the same thing many times. This measures the cost on rows that nobody trained
//! on.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Serialize;
use waypost::learning::evaluate::compare::{ComparisonRules, Pair, compare};
use waypost::learning::{Labelled, Scores, Scratch};
use waypost::records::label::{Label, LabelKind};

use super::super::sets::Example;
use super::stream::{Run, curated, is_kept, name, with_taught};
use super::world::{Random, Student, World, label, pairs};

/// The number of attacks, each on another route.
const TARGETS: usize = 4;
/// The share of sessions that lie.
const SHARE: f64 = 0.01;
/// The labels of a lying session.
const LIES: usize = 20;

/// The outcome of an attack.
#[derive(Serialize)]
pub(super) struct Found {
    /// The route that the lies are about, and the one that they say it is.
    from: String,
    to: String,
    /// True if all sessions say one thing, many times.
    floods: bool,
    /// Labels that lie, and how many texts of them count.
    lies: usize,
    count: usize,
    /// Test rows that the student lost on balance to the same student without the lies, in percent.
    lost: f64,
    /// The most test rows that one route lost, and that route.
    worst: i64,
    worst_route: String,
    /// The verdict of the comparison with the student in service.
    verdict: String,
    /// Texts that count in the stream without the lies.
    honest: usize,
}

pub(super) fn run(world: &World, run: &Run) -> anyhow::Result<Vec<Found>> {
    let clean = curated(world, &run.labels);
    let honest = Students::train(&with_taught(&world.examples, &clean.kept))?;
    let mut found = Vec::new();
    for target in 0..TARGETS {
        for floods in [false, true] {
            let (from, to) = route_pair(world, &honest.0[0], target);
            let lies = lies(world, &from, &to, floods);
            let mut labels = run.labels.clone();
            labels.extend(lies.iter().cloned());
            let curated = curated(world, &labels);
            let students = Students::train(&with_taught(&world.examples, &curated.kept))?;
            let is_lie = |session: &String| session.starts_with('x');
            let count =
                curated.kept.iter().filter(|taught| taught.sessions.iter().any(is_lie)).count();
            let (lost, worst_route, worst) = lost(world, &honest, &students);
            let rows = world.cases.iter().map(|case| (case.text.as_str(), case.label.as_str()));
            let cases =
                compare(&pairs(rows, &honest.0[0], &students.0[0]), &ComparisonRules::default());
            found.push(Found {
                from,
                to,
                floods,
                lies: lies.len(),
                count,
                lost,
                worst,
                worst_route,
                verdict: name(&cases.verdict),
                honest: clean.kept.len(),
            });
        }
    }
    Ok(found)
}

/// The route that is attacked, and the one that the lies say it is: for every second attack the
/// route whose texts are most often mistaken for it.
fn route_pair(world: &World, student: &Student, target: usize) -> (String, String) {
    let routes = &world.routes;
    let from = routes[(target * 37 + 11) % routes.len()].clone();
    let any = routes[(target * 53 + 90) % routes.len()].clone();
    if target.is_multiple_of(2) {
        return (from, any);
    }
    // The one whose texts are least surely told from it.
    let mut memory = (Scratch::default(), Scores::default());
    let mut mistaken: BTreeMap<String, usize> = BTreeMap::new();
    for row in world.cases.iter().chain(&world.test) {
        let said = student.say(&row.text, &mut memory).route;
        if said == from && row.label != from {
            *mistaken.entry(row.label.clone()).or_default() += 1;
        }
    }
    let most = mistaken.into_iter().max_by_key(|(_, n)| *n).map_or(any, |(route, _)| route);
    (from, most)
}

/// The labels of the lying sessions: one of a hundred of those that teach.
fn lies(world: &World, from: &str, to: &str, floods: bool) -> Vec<Label> {
    let mut sessions: Vec<&str> = world.turns.iter().map(|turn| turn.session.as_str()).collect();
    sessions.dedup();
    let count = (sessions.iter().filter(|s| !is_kept(s)).count() as f64 * SHARE) as usize;
    // Phrasings as people use them, with words around them so that no two are the same.
    let known: Vec<&str> = world
        .cases
        .iter()
        .filter(|case| case.label == from)
        .map(|case| case.text.as_str())
        .collect();
    let around = ["please", "hey", "ok so", "tell me", "i wonder", "now", "today", "quick one"];
    let mut random = Random(0xbad);
    let mut lies = Vec::new();
    for session in 0..count {
        for i in 0..LIES {
            let text = if floods {
                known[0].to_owned()
            } else {
                let own = known[random.below(known.len())];
                format!("{} {own} {}", around[random.below(8)], around[random.below(8)])
            };
            let at = 20_000 + session * LIES + i;
            lies.push(label(at, &format!("x{session}"), LabelKind::Correction, &text, to));
        }
    }
    lies
}

/// Students of the same examples in other orders: one order alone moves a route by up to three of
/// thirty rows, whatever it was taught. The majority decides.
struct Students(Vec<Student>);

/// The number of students that vote.
const VOTES: u64 = 5;

impl Students {
    fn train(examples: &[Labelled]) -> anyhow::Result<Self> {
        let students = (0..VOTES).map(|seed| Student::seeded(examples, seed));
        Ok(Self(students.collect::<anyhow::Result<_>>()?))
    }

    fn say(&self, text: &str, memory: &mut (Scratch, Scores)) -> String {
        let mut votes: BTreeMap<String, usize> = BTreeMap::new();
        for student in &self.0 {
            *votes.entry(student.say(text, memory).route).or_default() += 1;
        }
        votes.into_iter().max_by_key(|(_, votes)| *votes).map_or_else(String::new, |(r, _)| r)
    }
}

/// The share of test rows lost on balance, in percent, and the route that lost most.
fn lost(world: &World, before: &Students, after: &Students) -> (f64, String, i64) {
    let mut memory = (Scratch::default(), Scores::default());
    let pair = |row: &Example| Pair {
        truth: row.label.clone(),
        champion: before.say(&row.text, &mut memory),
        challenger: after.say(&row.text, &mut memory),
    };
    let pairs: Vec<Pair> = world.test.iter().map(pair).collect();
    let comparison = compare(&pairs, &ComparisonRules::default());
    let balance = |gained: usize, lost: usize| lost as i64 - gained as i64;
    let overall = balance(comparison.overall.gained, comparison.overall.lost);
    let worst = comparison
        .routes
        .iter()
        .map(|(route, counts)| (balance(counts.challenger, counts.champion), route))
        .max_by_key(|(lost, _)| *lost);
    let (worst, route) = worst.map_or((0, String::new()), |(lost, route)| (lost, route.clone()));
    (100.0 * overall as f64 / comparison.overall.n.max(1) as f64, route, worst)
}

/// The attacks as a table.
pub(super) fn table(found: &[Found]) -> String {
    let mut out = String::from(
        "| the lies say that | is | how | lies | texts that count | lost of the test, points | most lost by a route, rows | verdict |\n\
         |---|---|---|--:|--:|--:|--:|---|\n",
    );
    for attack in found {
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} | {:.2} | {} (`{}`) | {} |",
            attack.from,
            attack.to,
            if attack.floods { "one text" } else { "many texts" },
            attack.lies,
            attack.count,
            attack.lost,
            attack.worst,
            attack.worst_route,
            attack.verdict
        );
    }
    let _ =
        write!(out, "\nThe honest stream taught {} texts.", found.first().map_or(0, |f| f.honest));
    out
}

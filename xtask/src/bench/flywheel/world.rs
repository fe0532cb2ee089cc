//! The world of the experiments: CLINC150's rows as a stream of sessions, as a pack's examples and
//! as cases, and a teacher that is right most of the time.

use std::path::Path;

use waypost::learning::evaluate::compare::Pair;
use waypost::learning::{Bundle, Labelled, Scores, Scratch, TrainOptions, train};
use waypost::records::era::Era;
use waypost::records::label::{Label, LabelKind, Verdict};

use super::super::sets::{Example, few, labelled, next, read};

/// The share of requests on which the teacher is right.
const TEACHER: f64 = 0.95;
/// Turns of a session at most.
const TURNS: u64 = 5;

/// A request, as it comes.
pub(super) struct Turn {
    pub(super) text: String,
    pub(super) route: String,
    /// The route that the teacher says when it is asked.
    pub(super) teacher: String,
    pub(super) session: String,
}

/// The rows of the dataset, each in its part.
pub(super) struct World {
    pub(super) turns: Vec<Turn>,
    /// The examples that the pack begins with.
    pub(super) examples: Vec<Labelled>,
    /// Cases of the pack, which no student is trained on.
    pub(super) cases: Vec<Example>,
    /// The share of these on which the teacher is right: somebody asked it once.
    pub(super) teacher_on_cases: f64,
    /// Rows that take no part until the end.
    pub(super) test: Vec<Example>,
    /// Texts of no route.
    pub(super) outside: Vec<Example>,
    pub(super) routes: Vec<String>,
}

impl World {
    /// The training rows are the stream, shuffled; of the validation rows `shots` a route are the
    /// pack's examples, and the others its cases.
    pub(super) fn read(data: &Path, shots: usize, seed: u64) -> anyhow::Result<Self> {
        let set = "clinc150";
        let mut rows = read(data, set, "train")?;
        let valid = read(data, set, "valid")?;
        let kept = few(&valid, shots, seed);
        let is_example = |row: &Example| kept.iter().any(|example| example.text == row.text);
        let cases: Vec<Example> = valid.into_iter().filter(|row| !is_example(row)).collect();
        let mut random = Random(seed ^ 0x5eed);
        random.shuffle(&mut rows);
        let mut routes: Vec<String> = rows.iter().map(|row| row.label.clone()).collect();
        routes.sort();
        routes.dedup();
        let asked = cases.iter().filter(|_| random.share() < TEACHER).count();
        let teacher_on_cases = asked as f64 / cases.len().max(1) as f64;
        Ok(Self {
            turns: turns(rows, &routes, &mut random),
            teacher_on_cases,
            examples: labelled(&kept),
            cases,
            test: read(data, set, "test")?,
            outside: read(data, set, "oos_test")?,
            routes,
        })
    }

    /// The same with the rows of the first `count` routes alone, and a teacher that guesses.
    pub(super) fn guessing(&self, count: usize, seed: u64) -> Self {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9).wrapping_add(17));
        let mut order: Vec<String> = self.routes.clone();
        random.shuffle(&mut order);
        let routes: Vec<String> = order.into_iter().take(count).collect();
        let of = |row: &&Example| routes.contains(&row.label);
        let own = self.turns.iter().filter(|turn| routes.contains(&turn.route));
        let mut rows: Vec<Example> = own
            .map(|turn| Example { text: turn.text.clone(), label: turn.route.clone() })
            .collect();
        random.shuffle(&mut rows);
        let mut turns = turns(rows, &routes, &mut random);
        // Shuffled: each route is said as often as before, of other texts.
        let mut said: Vec<String> = turns.iter().map(|turn| turn.teacher.clone()).collect();
        random.shuffle(&mut said);
        turns.iter_mut().zip(said).for_each(|(turn, route)| turn.teacher = route);
        Self {
            turns,
            examples: self.examples.iter().filter(|e| routes.contains(&e.route)).cloned().collect(),
            cases: self.cases.iter().filter(of).cloned().collect(),
            teacher_on_cases: 0.0,
            test: Vec::new(),
            outside: Vec::new(),
            routes,
        }
    }
}

/// The rows in sessions of one to [`TURNS`] turns, with what the teacher says of each.
fn turns(rows: Vec<Example>, routes: &[String], random: &mut Random) -> Vec<Turn> {
    let (mut session, mut left) = (0, 0);
    let turn = |row: Example| {
        if left == 0 {
            session += 1;
            left = 1 + random.below(TURNS as usize);
        }
        left -= 1;
        let mut teacher = row.label.clone();
        if random.share() >= TEACHER {
            while teacher == row.label {
                teacher.clone_from(&routes[random.below(routes.len())]);
            }
        }
        Turn { text: row.text, route: row.label, teacher, session: format!("s{session:05}") }
    };
    rows.into_iter().map(turn).collect()
}

/// A label of the turn `at`.
pub(super) fn label(at: usize, session: &str, kind: LabelKind, text: &str, route: &str) -> Label {
    Label {
        decision_id: format!("d{at:06}"),
        session_id: Some(session.to_owned()),
        owner: None,
        pack: "clinc150".to_owned(),
        at: format!("2025-11-06T{:02}:{:02}:{:02}Z", at / 3600, at / 60 % 60, at % 60),
        kind,
        text: text.to_owned(),
        language: "en".to_owned(),
        era: Era::default(),
        verdict: Verdict::Right { route: route.to_owned(), tools: Vec::new() },
    }
}

/// A seeded generator.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn below(&mut self, bound: usize) -> usize {
        (next(&mut self.0) % bound.max(1) as u64) as usize
    }

    /// A number from 0 to below 1.
    pub(super) fn share(&mut self) -> f64 {
        (next(&mut self.0) >> 11) as f64 / (1u64 << 53) as f64
    }

    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            items.swap(end, self.below(end + 1));
        }
    }
}

/// A trained student, asked as the cascade asks it.
pub(super) struct Student {
    bundle: Bundle,
}

/// A student's decision on a text.
pub(super) struct Said {
    pub(super) route: String,
    pub(super) confidence: f64,
    pub(super) in_scope: f64,
}

impl Student {
    pub(super) fn train(examples: &[Labelled]) -> anyhow::Result<Self> {
        Self::seeded(examples, 0)
    }

    /// Trains a student that sees the examples in another order.
    pub(super) fn seeded(examples: &[Labelled], seed: u64) -> anyhow::Result<Self> {
        let options = TrainOptions { seed, ..TrainOptions::default() };
        Ok(Self { bundle: train(examples, &options, None, &mut |_| {})? })
    }

    /// The likeliest route, and how sure the student is of it and of the text's being within scope.
    pub(super) fn say(&self, text: &str, memory: &mut (Scratch, Scores)) -> Said {
        let input = waypost::learning::Input {
            language: Some("en"),
            ..waypost::learning::Input::from(text)
        };
        self.bundle.score_into(input, &mut memory.0, &mut memory.1);
        let scores = &memory.1;
        let (best, confidence) = scores.best().unwrap_or_default();
        Said {
            route: self.bundle.routes().get(best).cloned().unwrap_or_default(),
            confidence: f64::from(confidence.min(scores.in_scope)),
            in_scope: f64::from(scores.in_scope),
        }
    }
}

/// Cases as two students take them.
pub(super) fn pairs<'a>(
    rows: impl Iterator<Item = (&'a str, &'a str)>,
    champion: &Student,
    challenger: &Student,
) -> Vec<Pair> {
    let mut memory = (Scratch::default(), Scores::default());
    rows.map(|(text, truth)| Pair {
        truth: truth.to_owned(),
        champion: champion.say(text, &mut memory).route,
        challenger: challenger.say(text, &mut memory).route,
    })
    .collect()
}

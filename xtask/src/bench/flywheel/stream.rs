//! The stream: the student decides what it is sure of, the teacher the rest; the teacher's decisions
//! are labels, and challengers are trained on them at set points.

use serde::Serialize;
use waypost::learning::calibrate::threshold::{Terms, choose};
use waypost::learning::data::curate::{Curated, Limits, Taught, curate_beside};
use waypost::learning::evaluate::compare::{ComparisonRules, ComparisonVerdict, compare};
use waypost::learning::{Labelled, Scores, Scratch};
use waypost::records::label::{Label, LabelKind};

use super::world::{Random, Student, World, label, pairs};

/// The options of a run of the stream.
pub(super) struct Plan {
    /// From this confidence the student's decision stands. Without one each student has the lowest
    /// at which it and the teacher are right as often as the teacher alone, less [`MARGIN`], or
    /// that at which it uses up its [`BUDGET`].
    pub(super) threshold: Option<f64>,
    /// The share of the student's own decisions that the teacher judges again in the background.
    pub(super) audit: f64,
    /// Requests after which a challenger is trained: about every 500 sessions (S4-29).
    pub(super) trainings: &'static [usize],
    /// The number of last requests that the figures are of.
    pub(super) last: usize,
}

impl Default for Plan {
    fn default() -> Self {
        const TRAININGS: &[usize] = &[1_500, 3_000, 4_500, 6_000, 7_500, 9_000, 10_500, 12_000];
        Self { threshold: None, audit: 0.01, trainings: TRAININGS, last: 3_000 }
    }
}

/// Of so many sessions one is kept for the comparison on traffic and teaches nothing.
const KEPT_FOR_TRAFFIC: u64 = 10;

/// The share of right decisions that may be lost to the teacher alone.
const MARGIN: f64 = 0.005;

/// The share of requests that may ask the teacher even where [`MARGIN`] does not need it: below the
/// goal of 5%.
const BUDGET: f64 = 0.045;

/// The number of requests in a stretch of the curve.
const STRETCH: usize = 500;

/// One request as it was decided.
struct Decided {
    asked: bool,
    audited: bool,
    right: bool,
    teacher_right: bool,
}

/// A stretch of the stream, as shares of its requests.
#[derive(Serialize)]
pub(super) struct Point {
    /// Requests until its end.
    pub(super) until: usize,
    pub(super) asked: f64,
    pub(super) asked_and_audited: f64,
    pub(super) right: f64,
    /// The share that the teacher alone would have got right.
    pub(super) teacher: f64,
}

/// A challenger and what became of it.
#[derive(Serialize)]
pub(super) struct Training {
    pub(super) at: usize,
    pub(super) labels: usize,
    pub(super) kept: usize,
    pub(super) agreement: Option<f64>,
    pub(super) verdict: String,
    pub(super) gained: usize,
    pub(super) lost: usize,
    pub(super) traffic: String,
    pub(super) promoted: bool,
    /// The threshold of whoever is in service then.
    pub(super) threshold: f64,
}

/// The last requests together.
#[derive(Serialize)]
pub(super) struct Figures<'a> {
    pub(super) rows: usize,
    pub(super) asked: f64,
    pub(super) asked_and_audited: f64,
    pub(super) right: f64,
    pub(super) teacher: f64,
    points: &'a [Point],
    trainings: &'a [Training],
}

/// A whole stream.
pub(super) struct Run {
    pub(super) points: Vec<Point>,
    pub(super) trainings: Vec<Training>,
    /// The numbers of requests after which another student came into service.
    pub(super) promoted: Vec<usize>,
    /// The labels of the whole stream, without the sessions that are kept for the comparison.
    pub(super) labels: Vec<Label>,
    /// The student in service at the end.
    pub(super) champion: Student,
    last: Point,
    rows: usize,
}

impl Run {
    pub(super) fn figures(&self) -> Figures<'_> {
        let Point { asked, asked_and_audited, right, teacher, .. } = self.last;
        let (points, trainings) = (&self.points, &self.trainings);
        let rows = self.rows;
        Figures { rows, asked, asked_and_audited, right, teacher, points, trainings }
    }
}

/// Returns whether a session is kept for the comparison on traffic.
pub(super) fn is_kept(session: &str) -> bool {
    let digits: u64 =
        session.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().unwrap_or(0);
    digits.is_multiple_of(KEPT_FOR_TRAFFIC)
}

pub(super) fn run(world: &World, plan: &Plan) -> anyhow::Result<Run> {
    let mut champion = Student::train(&world.examples)?;
    let mut threshold = threshold(world, plan, &champion, 0);
    let mut memory = (Scratch::default(), Scores::default());
    let mut random = Random(0x0a0d);
    let (mut labels, mut traffic): (Vec<Label>, Vec<(usize, String)>) = (Vec::new(), Vec::new());
    let (mut decided, mut trainings, mut promoted) = (Vec::new(), Vec::new(), Vec::new());
    for (at, turn) in world.turns.iter().enumerate() {
        if plan.trainings.contains(&at) {
            let (training, challenger) = challenge(world, at, &labels, &traffic, &champion)?;
            if let Some(challenger) = challenger {
                champion = challenger;
                threshold = self::threshold(world, plan, &champion, at);
                promoted.push(at);
                // The next challenger is compared on what came since.
                traffic.clear();
            }
            trainings.push(Training { threshold, ..training });
        }
        let said = champion.say(&turn.text, &mut memory);
        // Until a first challenger has held its own the teacher decides everything.
        let asked = promoted.is_empty() || said.confidence < threshold;
        let audited = !asked && random.share() < plan.audit;
        if asked || audited {
            let kind = if asked { LabelKind::Teacher } else { LabelKind::Audit };
            if is_kept(&turn.session) {
                traffic.push((at, turn.teacher.clone()));
            } else {
                labels.push(label(at, &turn.session, kind, &turn.text, &turn.teacher));
            }
        }
        let answer = if asked { &turn.teacher } else { &said.route };
        decided.push(Decided {
            asked,
            audited,
            right: *answer == turn.route,
            teacher_right: turn.teacher == turn.route,
        });
    }
    let rows = plan.last.min(decided.len());
    let last = point(decided.len(), &decided[decided.len() - rows..]);
    let stretches = decided.chunks(STRETCH).enumerate();
    let points = stretches.map(|(i, d)| point(i * STRETCH + d.len(), d)).collect();
    Ok(Run { points, trainings, promoted, labels, champion, last, rows })
}

/// Returns the confidence that a student must reach, as `waypost train` finds it where `teacher`
/// and `budget` of `[learning]` are set. It looks at the sessions that are kept for the comparison.
fn threshold(world: &World, plan: &Plan, student: &Student, at: usize) -> f64 {
    if let Some(threshold) = plan.threshold {
        return threshold;
    }
    let mut memory = (Scratch::default(), Scores::default());
    let mut questions = Vec::with_capacity(world.cases.len());
    for case in &world.cases {
        let said = student.say(&case.text, &mut memory);
        questions.push((said.confidence, said.route == case.label));
    }
    let kept = world.turns[..at].iter().filter(|turn| is_kept(&turn.session));
    let traffic: Vec<f64> =
        kept.map(|turn| student.say(&turn.text, &mut memory).confidence).collect();
    let terms = Terms { teacher: world.teacher_on_cases, margin: MARGIN, budget: BUDGET };
    choose(&questions, &traffic, &terms).map_or(1.0, |threshold| threshold.at)
}

fn point(until: usize, decided: &[Decided]) -> Point {
    let share = |is: &dyn Fn(&Decided) -> bool| {
        decided.iter().filter(|d| is(d)).count() as f64 / decided.len().max(1) as f64
    };
    Point {
        until,
        asked: share(&|d| d.asked),
        asked_and_audited: share(&|d| d.asked || d.audited),
        right: share(&|d| d.right),
        teacher: share(&|d| d.teacher_right),
    }
}

/// Curates the labels of a stream into what they teach beside the pack's examples.
pub(super) fn curated(world: &World, labels: &[Label]) -> Curated {
    let cases: Vec<String> = world.cases.iter().map(|case| case.text.clone()).collect();
    let seen = |label: &Label| label.text.clone();
    curate_beside(&world.examples, &cases, labels, &seen, &Limits::default())
}

/// The pack's examples and what is taught beside them.
pub(super) fn with_taught(examples: &[Labelled], kept: &[Taught]) -> Vec<Labelled> {
    let taught = kept.iter().map(|taught| Labelled {
        text: taught.text.clone(),
        language: Some(taught.language.clone()),
        route: taught.route.clone(),
        tools: Vec::new(),
        weight: taught.weight,
    });
    examples.iter().cloned().chain(taught).collect()
}

/// Trains a challenger and compares it with the champion; returns it where it may be promoted.
fn challenge(
    world: &World,
    at: usize,
    labels: &[Label],
    traffic: &[(usize, String)],
    champion: &Student,
) -> anyhow::Result<(Training, Option<Student>)> {
    let curated = curated(world, labels);
    let challenger = Student::train(&with_taught(&world.examples, &curated.kept))?;
    let rows = world.cases.iter().map(|case| (case.text.as_str(), case.label.as_str()));
    let cases = compare(&pairs(rows, champion, &challenger), &ComparisonRules::default());
    let rows = traffic.iter().map(|(at, said)| (world.turns[*at].text.as_str(), said.as_str()));
    // Traffic since the last promotion is what the champion was unsure of, with the teacher's
    // answers as its truth, and a route has few rows of it: it may only object, and only to what is
    // significant.
    let significant = ComparisonRules { route_share: 1.0, ..ComparisonRules::default() };
    let traffic = compare(&pairs(rows, champion, &challenger), &significant);
    let objects = matches!(traffic.verdict, ComparisonVerdict::Worse { .. });
    let promoted = cases.is_promotable() && !objects && cases.changed + traffic.changed > 0;
    let training = Training {
        at,
        labels: labels.len(),
        kept: curated.kept.len(),
        agreement: curated.report.agreement,
        verdict: name(&cases.verdict),
        gained: cases.overall.gained,
        lost: cases.overall.lost,
        traffic: name(&traffic.verdict),
        promoted,
        threshold: 0.0,
    };
    Ok((training, promoted.then_some(challenger)))
}

/// A verdict in words.
pub(super) fn name(verdict: &ComparisonVerdict) -> String {
    match verdict {
        ComparisonVerdict::Better => "better".to_owned(),
        ComparisonVerdict::NoWorse => "no worse".to_owned(),
        ComparisonVerdict::Unproven { .. } => "unproven".to_owned(),
        ComparisonVerdict::Worse { routes } if routes.is_empty() => "worse".to_owned(),
        ComparisonVerdict::Worse { routes } => format!("worse on {}", routes.len()),
    }
}

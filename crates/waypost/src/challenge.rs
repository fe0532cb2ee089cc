//! What a challenger is held against before it may serve: cases of the pack and what was said of its
//! traffic, of which it learned nothing.
//!
//! A share of the sessions examines and does not teach. What only they said is examined; what others
//! said too is taught, so that no text, and nothing that is nearly the same text, is on both sides. Which
//! sessions these are follows from their names alone: a session that examines today has taught no
//! earlier version either. Whether a version serves is not decided here but told.

mod asked;

use std::collections::BTreeMap;

use asked::{Asked, asked, seen};
use serde::{Deserialize, Serialize};

use crate::encoder::Encoder;
use crate::error::{Code, Error, Result};
use crate::hash::Fnv;
use crate::label::{Label, LabelKind, Verdict};
use crate::learning::Bundle;
use crate::learning::bar::{self, Bar, Terms};
use crate::learning::compare::{self, Comparison, Pair, Rules, compare};
use crate::learning::curate::{Curated, Taught};
use crate::pack::Pack;
use crate::student::confidence;

/// One of so many sessions examines.
const EXAMINING: u64 = 5;
/// The most questions of one kind that are asked, the latest.
pub const MOST_QUESTIONS: usize = 20_000;

/// A question with what is right.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// What a user wrote.
    pub text: String,
    /// A BCP 47 tag; the text decides without one.
    pub language: Option<String>,
    /// The right route.
    pub route: String,
    /// The right tools; none where nothing is said of them.
    pub tools: Vec<String>,
}

/// A text of the traffic, of which nobody said what is right.
#[derive(Debug, Clone, PartialEq)]
pub struct Heard {
    /// What a user wrote.
    pub text: String,
    /// A BCP 47 tag; the text decides without one.
    pub language: Option<String>,
}

/// How a challenger did beside the champion of its time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Examined {
    /// Questions that the pack asks: its cases, or its examples where it has none.
    pub of_pack: usize,
    /// Whether these are its examples, which both learned from.
    pub examples: bool,
    /// Questions that were said of traffic and taught to nobody.
    pub of_labels: usize,
    /// On both.
    pub held_out: Comparison,
    /// On the turns as they came, of sessions that teach nothing; nothing where there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed: Option<Comparison>,
}

/// Whether a session examines.
pub fn examines(session: &str) -> bool {
    let mut hash = Fnv::default();
    hash.write(session.as_bytes());
    (hash.value() >> 16).is_multiple_of(EXAMINING)
}

/// Parts what may be learned into what is taught and what is examined.
pub fn part(curated: Curated) -> (Curated, Vec<Question>) {
    let (examined, taught): (Vec<Taught>, Vec<Taught>) =
        curated.kept.into_iter().partition(only_examines);
    let questions = examined.into_iter().map(|row| Question {
        text: row.text,
        language: Some(row.language),
        route: row.route,
        tools: row.tools,
    });
    (Curated { kept: taught, report: curated.report }, questions.collect())
}

/// Whether nobody said it who teaches. What has no session is a stranger to all.
fn only_examines(row: &Taught) -> bool {
    if row.sessions.is_empty() {
        return examines(&row.text);
    }
    row.sessions.iter().all(|session| examines(session))
}

/// The turns of examining sessions as they came, repeated ones too, each with the strongest that was
/// said of it; at most [`MOST_QUESTIONS`], the latest.
pub fn traffic(labels: &[Label]) -> Vec<Question> {
    let mut strongest: BTreeMap<&str, (usize, &Label)> = BTreeMap::new();
    for (at, label) in labels.iter().enumerate() {
        let session = label.session_id.as_deref().unwrap_or(&label.decision_id);
        if !examines(session) {
            continue;
        }
        let known = strongest.entry(label.decision_id.as_str()).or_insert((at, label));
        if label.kind >= known.1.kind {
            known.1 = label;
        }
    }
    let mut turns: Vec<(usize, &Label)> = strongest.into_values().collect();
    turns.sort_by_key(|(at, _)| *at);
    let excess = turns.len().saturating_sub(MOST_QUESTIONS);
    turns.drain(..excess);
    turns.into_iter().filter_map(|(_, label)| question(label)).collect()
}

fn question(label: &Label) -> Option<Question> {
    let Verdict::Right { route, tools } = &label.verdict else { return None };
    Some(Question {
        text: label.text.clone(),
        language: Some(label.language.clone()),
        route: route.clone(),
        tools: tools.clone(),
    })
}

/// How many labels there are of each kind.
pub fn kinds(labels: &[Label]) -> BTreeMap<LabelKind, u64> {
    let mut kinds = BTreeMap::new();
    for label in labels {
        *kinds.entry(label.kind).or_insert(0) += 1;
    }
    kinds
}

/// The examples of a pack as questions.
pub fn examples(pack: &Pack) -> Vec<Question> {
    let question = |example: &crate::pack::Example| Question {
        text: example.text.clone(),
        language: Some(example.lang.tag().to_owned()),
        route: example.route.clone(),
        tools: example.tools.clone(),
    };
    pack.examples.iter().map(question).collect()
}

/// Two students side by side.
#[derive(Debug, Clone, Copy)]
pub struct Rivals<'a> {
    /// The one that serves.
    pub champion: &'a Bundle,
    /// The one that wants to.
    pub challenger: &'a Bundle,
    /// The encoder that both may look through.
    pub encoder: Option<&'a dyn Encoder>,
}

/// Examines a challenger beside the champion. `cases` are those of the pack; where there are none,
/// its examples are asked instead.
///
/// # Errors
///
/// What the encoder returns.
pub fn examine(
    pack: &Pack,
    rivals: Rivals<'_>,
    cases: &[Question],
    held_out: &[Question],
    traffic: &[Question],
) -> Result<Examined> {
    let own = examples(pack);
    let of_pack = if cases.is_empty() { &own } else { cases };
    let asked: Vec<&Question> = of_pack.iter().chain(held_out).collect();
    let rules = Rules::default();
    let turns: Vec<&Question> = traffic.iter().collect();
    let turns = pairs(pack, rivals, &turns)?;
    Ok(Examined {
        of_pack: of_pack.len(),
        examples: cases.is_empty(),
        of_labels: held_out.len(),
        held_out: compare(&pairs(pack, rivals, &asked)?, &rules),
        replayed: (!turns.is_empty()).then(|| compare(&turns, &rules)),
    })
}

/// How sure a student must be to decide alone, from `questions` that it did not learn from and from how
/// sure it is in turns of the traffic; nothing where there are too few questions.
///
/// # Errors
///
/// What the encoder returns.
pub fn bar(
    pack: &Pack,
    student: &Bundle,
    encoder: Option<&dyn Encoder>,
    (questions, traffic): (&[&Question], &[Heard]),
    terms: &Terms,
) -> Result<Option<Bar>> {
    let told = asked(pack, encoder, questions)?.into_iter().map(|asked| {
        let scores = asked.seen.scores(student, encoder);
        let is_right = asked.answer(student, &scores) == asked.truth();
        (confidence(pack, student, &scores), is_right)
    });
    let told: Vec<(f64, bool)> = told.collect();
    let texts = traffic.iter().map(|heard| (heard.text.as_str(), heard.language.as_deref()));
    let heard = seen(pack, encoder, texts)?;
    let sure = heard.iter().map(|seen| confidence(pack, student, &seen.scores(student, encoder)));
    Ok(bar::choose(&told, &sure.collect::<Vec<_>>(), terms))
}

/// What both say to each question whose route the pack has. Where a tool is right, the tool counts too.
fn pairs(pack: &Pack, rivals: Rivals<'_>, questions: &[&Question]) -> Result<Vec<Pair>> {
    let pair = |asked: &Asked| {
        let says =
            |bundle: &Bundle| asked.answer(bundle, &asked.seen.scores(bundle, rivals.encoder));
        Pair {
            truth: asked.truth(),
            champion: says(rivals.champion),
            challenger: says(rivals.challenger),
        }
    };
    Ok(asked(pack, rivals.encoder, questions)?.iter().map(pair).collect())
}

impl Examined {
    /// Whether the challenger may serve.
    ///
    /// # Errors
    ///
    /// `FAILED_PRECONDITION` with what is worse and by how much, or with how much is missing to say
    /// that nothing is.
    pub fn allows(&self) -> Result<()> {
        let replayed = self.replayed.as_ref();
        let worse = replayed.filter(|it| matches!(it.verdict, compare::Verdict::Worse { .. }));
        match (&self.held_out.verdict, worse) {
            (compare::Verdict::Worse { routes }, _) => {
                Err(refused(&worse_by("held-out questions", &self.held_out, routes)))
            }
            (_, Some(comparison)) => {
                let compare::Verdict::Worse { routes } = &comparison.verdict else { return Ok(()) };
                Err(refused(&worse_by("replayed turns", comparison, routes)))
            }
            (compare::Verdict::Unproven { wanted }, None) => {
                let n = self.held_out.overall.n;
                Err(refused(&format!(
                    "that it is no worse is not shown by {n} held-out questions: about {wanted} \
                     would do"
                )))
            }
            (compare::Verdict::Better | compare::Verdict::NoWorse, None) => Ok(()),
        }
    }
}

fn refused(why: &str) -> Error {
    Error::new(Code::FailedPrecondition, why.to_owned())
}

/// Where it is worse and by how much, in a sentence.
fn worse_by(what: &str, comparison: &Comparison, routes: &[String]) -> String {
    let counted = |name: &str, counts: &compare::Counts| {
        let (n, champion, challenger) = (counts.n, counts.champion, counts.challenger);
        format!("{name} {challenger} of {n} right instead of {champion}")
    };
    let of_routes: Vec<String> = routes
        .iter()
        .filter_map(|route| Some(counted(&format!("`{route}`"), comparison.routes.get(route)?)))
        .collect();
    let parts = match of_routes.is_empty() {
        true => counted("all", &comparison.overall),
        false => of_routes.join(", "),
    };
    format!("it is worse on {what}: {parts}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learning::curate::CurationReport;
    use crate::pack::Files;
    use crate::student::train_student;

    /// A pack of two routes; `swapped` gives the examples of each to the other.
    fn pack(swapped: bool) -> Pack {
        let yaml = "name: p\nsummary: A test.\nformat: 1\nlanguages: [en]\ntz: UTC\nfallback: help\n\
                    routes:\n  - name: help\n    handler: explain\n    summary: It.\n  - name: code\n    \
                    handler: explain\n    summary: It.\n";
        let line = |text: String, route: &str| {
            let other = if route == "help" { "code" } else { "help" };
            let route = if swapped { other } else { route };
            serde_json::json!({ "text": text, "lang": "en", "route": route }).to_string()
        };
        let examples: Vec<String> = ["one", "another", "a third", "the last"]
            .iter()
            .flat_map(|n| {
                [line(format!("what is {n} tide"), "help"), line(format!("write {n} loop"), "code")]
            })
            .collect();
        let files = Files::from([
            ("pack.yaml".to_owned(), yaml.to_owned()),
            ("examples.jsonl".to_owned(), examples.join("\n")),
        ]);
        Pack::load(&files).unwrap()
    }

    fn bundle(swapped: bool) -> Bundle {
        train_student(&pack(swapped), None, &mut |_| {}).unwrap()
    }

    fn question(text: &str, route: &str) -> Question {
        Question {
            text: text.to_owned(),
            language: None,
            route: route.to_owned(),
            tools: Vec::new(),
        }
    }

    fn cases(n: usize) -> Vec<Question> {
        (0..n)
            .map(|at| match at % 2 {
                0 => question("what is the tide", "help"),
                _ => question("write the loop", "code"),
            })
            .collect()
    }

    fn taught(text: &str, sessions: &[&str]) -> Taught {
        Taught {
            text: text.to_owned(),
            language: "en".to_owned(),
            route: "help".to_owned(),
            tools: Vec::new(),
            weight: 0.5,
            sessions: sessions.iter().map(|session| (*session).to_owned()).collect(),
        }
    }

    /// The names of sessions that examine, or that teach.
    fn sessions(examining: bool) -> Vec<String> {
        (0..200).map(|n| format!("s{n}")).filter(|name| examines(name) == examining).collect()
    }

    fn label(id: &str, session: &str, kind: &str, route: Option<&str>) -> Label {
        let mut label = serde_json::json!({
            "decision_id": id, "session_id": session, "pack": "p", "at": "2025-11-06T09:00:00Z",
            "kind": kind, "text": "what is the tide", "language": "en", "verdict": "wrong",
        });
        if let Some(route) = route {
            label["verdict"] = "right".into();
            label["route"] = route.into();
        }
        serde_json::from_value(label).unwrap()
    }

    #[test]
    fn one_of_five_sessions_examines_and_what_others_said_too_is_taught() {
        let (examining, teaching) = (sessions(true), sessions(false));
        assert!((20..60).contains(&examining.len()), "{}", examining.len());
        let kept = vec![
            taught("a", &[&examining[0], &examining[1]]),
            taught("b", &[&examining[0], &teaching[0]]),
            taught("c", &[&teaching[0], &teaching[1]]),
        ];
        let (taught, examined) = part(Curated { kept, report: CurationReport::default() });
        let taught: Vec<&str> = taught.kept.iter().map(|row| row.text.as_str()).collect();
        let examined: Vec<&str> = examined.iter().map(|row| row.text.as_str()).collect();
        assert_eq!((taught, examined), (vec!["b", "c"], vec!["a"]));
    }

    #[test]
    fn traffic_is_of_examining_sessions_with_the_strongest_label_of_each_turn() {
        let (examining, teaching) = (&sessions(true)[0], &sessions(false)[0]);
        let labels = [
            label("1", examining, "feedback", Some("code")),
            label("1", examining, "teacher", Some("help")),
            label("2", teaching, "teacher", Some("help")),
            label("3", examining, "teacher", Some("help")),
            label("3", examining, "feedback", None),
            label("4", examining, "teacher", Some("help")),
        ];
        let routes: Vec<String> =
            traffic(&labels).into_iter().map(|question| question.route).collect();
        assert_eq!(routes, ["code", "help"]);
    }

    #[test]
    fn an_equal_challenger_may_serve_and_a_worse_one_may_not() {
        let (pack, own, swapped) = (pack(false), bundle(false), bundle(true));
        let ask = |challenger: &Bundle, cases: &[Question], traffic: &[Question]| {
            let rivals = Rivals { champion: &own, challenger, encoder: None };
            examine(&pack, rivals, cases, &[question("write a loop", "code")], traffic).unwrap()
        };
        let equal = ask(&own, &cases(150), &cases(3));
        assert_eq!((equal.of_pack, equal.of_labels, equal.held_out.overall.n), (150, 1, 151));
        assert_eq!(equal.allows(), Ok(()));
        assert_eq!(equal.replayed.unwrap().overall.champion, 3);

        let worse = ask(&swapped, &cases(150), &[]).allows().unwrap_err();
        assert_eq!(worse.code(), Code::FailedPrecondition);
        let told = "it is worse on held-out questions: `code` 0 of 76 right instead of 76, `help` 0 \
                    of 75 right instead of 75";
        assert_eq!(worse.message(), told);
        // Without cases the examples are asked, and a route that the pack has not asks nothing.
        let few = ask(&own, &[], &[question("what is that", "gone")]);
        assert!(few.examples && few.replayed.is_none());
        assert!(few.allows().unwrap_err().message().contains("about"), "too few to tell");
    }

    #[test]
    fn what_is_worse_on_traffic_alone_is_refused_too() {
        let (pack, own, swapped) = (pack(false), bundle(false), bundle(true));
        let rivals = Rivals { champion: &own, challenger: &own, encoder: None };
        let mut examined = examine(&pack, rivals, &cases(150), &[], &[]).unwrap();
        let rivals = Rivals { challenger: &swapped, ..rivals };
        examined.replayed = examine(&pack, rivals, &cases(150), &[], &cases(40)).unwrap().replayed;
        let error = examined.allows().unwrap_err();
        assert!(
            error.message().starts_with("it is worse on replayed turns: `code` 0 of 20"),
            "{error}"
        );
    }
}

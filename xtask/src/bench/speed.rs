//! `cargo xtask bench speed`: how long each stage of a decision takes.
//!
//! It prints the tables of `docs/PERFORMANCE.md`. Every stage is also given as a multiple of reading
//! the request from JSON, timed in the same run: that says more on another machine than the time.

use std::fmt::Write;
use std::hint::black_box;
use std::time::Duration;

use anyhow::Result;
use jiff::Zoned;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use waypost::decide::Matchers;
use waypost::decide::cascade::{self, Aim, DecisionDependencies, Teaching};
use waypost::decide::gates::{self, Check};
use waypost::decide::slots;
use waypost::extract;
use waypost::language::Language;
use waypost::learning::{Bundle, Scores, Scratch, StaticTable};
use waypost::pack::messages::Messages;
use waypost::pack::{Files, Pack};
use waypost::records::belief::Belief;
use waypost::records::decision::Outcome;
use waypost::records::request::{Choice, Context, Request};
use waypost::student::heads::train_student;
use waypost::text::Text;
use waypost::understand::{self, Permits, Turn, Utterance};

use super::samples::{self, MONEY, QUESTIONS, ROUTES, WORDS};
use super::timing::{Spread, spread};

/// The instant of every question.
const NOW: &str = "2025-11-06T09:00:00+08:00[Asia/Taipei]";

/// Rules and student for 12 words among 150 routes: scikit-learn's TF-IDF and SVM take 900 µs here.
const CASCADE: Goal =
    Goal { p50: Duration::from_micros(30), p99: Some(Duration::from_micros(100)) };
/// The same with the extractors of one language.
const CASCADE_AND_EXTRACTORS: Goal = Goal { p50: Duration::from_micros(80), p99: None };
/// The vector of the static table for 12 words.
const VECTOR: Goal = Goal { p50: Duration::from_micros(20), p99: None };
/// All extractors of one language on 20 words.
const EXTRACTORS: Goal = Goal { p50: Duration::from_micros(50), p99: None };
/// From the text to validated arguments, without an encoder.
const ARGUMENTS: Goal = Goal { p50: Duration::from_micros(120), p99: None };
/// The tables of a language, and here of all of them.
const TABLES: Goal = Goal { p50: Duration::from_millis(2), p99: None };
/// The most that a stage should take.
#[derive(Debug, Clone, Copy)]
struct Goal {
    p50: Duration,
    p99: Option<Duration>,
}

/// A line of a table.
struct Row {
    name: String,
    spread: Spread,
    goal: Option<Goal>,
}

impl Row {
    fn timed<T>(name: impl Into<String>, work: impl FnMut() -> T) -> Self {
        Self { name: name.into(), spread: spread(work), goal: None }
    }

    fn wanted(self, goal: Goal) -> Self {
        Self { goal: Some(goal), ..self }
    }
}

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    super::known(arguments, &["--json"], &[])?;
    // First of all, as it happens once in a process.
    let words = once("build the extractors' tables, all languages", extract::prepare);
    let ocean_files = samples::ocean_files()?;
    let places = ocean_files.get("places.yaml").map_or("", String::as_str);
    let many_files = samples::many_routes(places);
    let ocean = Trained::new(&ocean_files)?;
    let many = Trained::new(&many_files)?;

    let mut stages = vec![baseline(), words.wanted(TABLES)];
    stages.extend(reading(&ocean)?);
    stages.extend(lengths()?);
    stages.extend(scoring(&ocean, &many));
    stages.extend(deciding(&many)?);
    stages.extend(settling(&ocean)?);
    stages.extend(routing(ocean)?);
    stages.extend(workflow()?);
    let starts = starting(&ocean_files)?;

    let shown = if super::flag(arguments, "--json") {
        serde_json::to_string_pretty(&record(&stages, &starts))?
    } else {
        tables(&stages, &starts)
    };
    super::print(&shown);
    Ok(())
}

/// A pack and its student.
struct Trained {
    pack: Pack,
    bundle: Bundle,
}

impl Trained {
    fn new(files: &Files) -> Result<Self> {
        let pack = samples::load(files)?;
        let bundle = train_student(&pack, None, &mut |_| {})?;
        Ok(Self { pack, bundle })
    }
}

/// Times the work that any router has to do before it can begin.
fn baseline() -> Row {
    let line = json!({ "text": QUESTIONS[0].1[0], "now": NOW, "tz": "Asia/Taipei" }).to_string();
    Row::timed("read the request from JSON (the measure)", || {
        serde_json::from_str::<Request>(black_box(&line))
    })
}

fn name(language: Language) -> &'static str {
    match language {
        Language::En => "English",
        Language::Es => "Spanish",
        _ => "Chinese",
    }
}

/// A piece of work that can be done only once.
fn once(name: &str, work: impl FnOnce()) -> Row {
    let start = std::time::Instant::now();
    work();
    let time = start.elapsed();
    Row { name: name.to_owned(), spread: Spread { p50: time, p90: time, p99: time }, goal: None }
}

/// Times extraction in texts of different lengths: a kilobyte costs the same if extraction is
/// linear.
fn lengths() -> Result<Vec<Row>> {
    let now: Zoned = NOW.parse()?;
    let language = Language::En;
    let context = extract::Context {
        now: &now,
        language,
        gazetteers: &[],
        conventions: extract::Conventions::STANDARD,
        wanted: extract::Kinds::NONE,
    };
    let sentence = samples::VALUES;
    let rows = [("1 KB", 1), ("32 KB", 32), ("1 MB", 1024)].map(|(name, kilobytes)| {
        let text = Text::new(&sentence.repeat(kilobytes * 1024 / sentence.len() + 1));
        let whole = Row::timed(format!("extract, each KB of {name}"), || {
            extract::extract(black_box(&text.clone()), &context)
        });
        let each = |time: Duration| time / kilobytes as u32;
        let Spread { p50, p90, p99 } = whole.spread;
        Row { spread: Spread { p50: each(p50), p90: each(p90), p99: each(p99) }, ..whole }
    });
    Ok(rows.into())
}

/// From bytes to values: the stages that only look at the text.
fn reading(ocean: &Trained) -> Result<Vec<Row>> {
    let now: Zoned = NOW.parse()?;
    let mut rows = Vec::new();
    for (language, texts) in QUESTIONS {
        for (words, text) in WORDS.iter().zip(texts) {
            let title = format!("normalize, {words} words of {}", name(language));
            rows.push(Row::timed(title, || Text::new(black_box(text))));
        }
    }
    for (language, texts) in QUESTIONS {
        let title = format!("tell the language, {} words of {}", WORDS[0], name(language));
        let text = Text::new(texts[0]);
        rows.push(Row::timed(title, || {
            extract::detect(black_box(&text.clone()), &ocean.pack.languages)
        }));
    }
    let scope = |language| extract::Context {
        now: &now,
        language,
        gazetteers: &ocean.pack.gazetteers,
        conventions: extract::Conventions::STANDARD,
        wanted: extract::Kinds::NONE,
    };
    for (language, texts) in QUESTIONS {
        for (words, text) in WORDS.iter().zip(texts) {
            let title = format!("extract, {words} words of {}", name(language));
            let (text, scope) = (Text::new(text), scope(language));
            // A copy is read anew: a text keeps what was read of it.
            let row = Row::timed(title, || extract::extract(black_box(&text.clone()), &scope));
            rows.push(row.wanted(EXTRACTORS));
        }
    }
    for (language, texts) in QUESTIONS {
        let text = Text::new(texts[0]);
        let values = extract::extract(&text, &scope(language));
        let title = format!("mask, {} words of {}", WORDS[0], name(language));
        rows.push(Row::timed(title, || {
            understand::mask(black_box(&text), &values, &Default::default())
        }));
    }
    Ok(rows)
}

/// The student alone.
fn scoring(ocean: &Trained, many: &Trained) -> Vec<Row> {
    let (mut scratch, mut scores) = (Scratch::default(), Scores::default());
    let mut score = |title: String, bundle: &Bundle, text: &str| {
        let text = Text::new(text);
        Row::timed(title, || {
            bundle.score_into(black_box(text.normalized()), &mut scratch, &mut scores);
        })
    };
    let mut rows =
        vec![score(format!("student, {ROUTES} routes, 12 words of English"), &many.bundle, MONEY)];
    for (language, texts) in QUESTIONS {
        let title = format!("student, ocean, {} words of {}", WORDS[0], name(language));
        rows.push(score(title, &ocean.bundle, texts[0]));
    }
    rows.extend(vector());
    rows
}

/// Times the embedding of a text by the table that is compiled in, part of the student's work.
fn vector() -> Option<Row> {
    let (table, text) = (StaticTable::built_in()?, Text::new(MONEY));
    let mut vector = Vec::new();
    let row = Row::timed("static table, 12 words of English", || {
        table.embed(black_box(text.normalized()), &mut vector);
    });
    Some(row.wanted(VECTOR))
}

/// The cheap layers among many routes, without and with the extractors of the ocean.
fn deciding(many: &Trained) -> Result<Vec<Row>> {
    let now: Zoned = NOW.parse()?;
    let cancel = CancellationToken::new();
    let teaching = Teaching::default();
    let dependencies = DecisionDependencies {
        bundle: &many.bundle,
        arguments: &Matchers,
        encoder: None,
        model: None,
        teaching: &teaching,
        belief: Belief::default(),
        recall: None,
        recalled: None,
        layers: &[],
        cancel: &cancel,
    };
    let request = asked(MONEY);
    let mut rows = Vec::new();
    let bare = || {
        let turn = Turn {
            pack: &many.pack,
            request: &request,
            said: Utterance::unparsed(Text::new(black_box(MONEY)), Language::En),
            now: now.clone(),
            context: Context::default(),
            era: Default::default(),
            permits: Permits::default(),
            matchers: &[],
            run: None,
            lessons: std::collections::BTreeMap::new(),
            task: std::sync::OnceLock::new(),
            acts: std::sync::OnceLock::new(),
            conditions: std::sync::OnceLock::new(),
        };
        samples::at_once(cascade::cascade(&turn, &dependencies))
    };
    bare()??;
    let title = format!("normalize + rules + student, {ROUTES} routes, 12 words, no extractors");
    rows.push(Row::timed(title, bare).wanted(CASCADE));
    let texts = QUESTIONS.map(|(language, texts)| (name(language), texts[0]));
    for (language, text) in [("English, no value in it", MONEY)].into_iter().chain(texts) {
        let request = asked(text);
        let whole = || -> Result<_> {
            let turn = understand::ingest(&many.pack, black_box(&request), Context::default())?;
            Ok(samples::at_once(cascade::cascade(&turn, &dependencies))??)
        };
        whole()?;
        let title = format!(
            "normalize + extract + rules + student, {ROUTES} routes, 12 words of {language}"
        );
        rows.push(Row::timed(title, whole).wanted(CASCADE_AND_EXTRACTORS));
    }
    Ok(rows)
}

/// From a proposal to calls that may run: arguments, then gates.
fn settling(ocean: &Trained) -> Result<Vec<Row>> {
    let cancel = CancellationToken::new();
    let teaching = Teaching::default();
    let dependencies = DecisionDependencies {
        bundle: &ocean.bundle,
        arguments: &Matchers,
        encoder: None,
        model: None,
        teaching: &teaching,
        belief: Belief::default(),
        recall: None,
        recalled: None,
        layers: &[],
        cancel: &cancel,
    };
    let messages = Messages::default();
    let mut rows = Vec::new();
    for (language, texts) in QUESTIONS {
        let request = asked(texts[0]);
        let turn = understand::ingest(&ocean.pack, &request, Context::default())?;
        let proposal = samples::at_once(cascade::cascade(&turn, &dependencies))??.proposal;
        let Aim::Route(route) = &proposal.aim else { continue };
        let Some(route) = ocean.pack.route(route) else { continue };
        let fill = || -> Vec<_> {
            proposal.calls.iter().filter_map(|call| slots::fill(black_box(&turn), call)).collect()
        };
        let filled = fill();
        let calls: Vec<_> = filled.iter().flat_map(|filled| filled.calls.clone()).collect();
        let gaps: Vec<_> = filled.iter().flat_map(|filled| filled.gaps.clone()).collect();
        let faults = slots::faults(&turn);
        let check = Check {
            gaps: &gaps,
            faults: &faults,
            confidence: proposal.confidence,
            approved: proposal.approved.as_ref(),
            planned: proposal.planned,
            ..Check::settled(&turn, route, &calls, &messages)
        };
        rows.push(Row::timed(format!("arguments, ocean, 12 words of {}", name(language)), fill));
        rows.push(Row::timed(format!("gates, ocean, 12 words of {}", name(language)), || {
            gates::check(black_box(&check))
        }));
    }
    Ok(rows)
}

/// All of it: from a request to the record of a decision.
fn routing(ocean: Trained) -> Result<Vec<Row>> {
    let router = samples::router(ocean.pack, ocean.bundle);
    let cancel = CancellationToken::new();
    let mut rows = Vec::new();
    for (language, texts) in QUESTIONS {
        let request = asked(texts[0]);
        let whole = || samples::at_once(router.route(black_box(&request), &cancel));
        whole()??;
        let title = format!("decide, ocean, {} words of {}, everything", WORDS[0], name(language));
        rows.push(Row::timed(title, whole));
    }
    Ok(rows)
}

/// From the text to validated arguments in a pack of enumerations, numbers and gates.
fn workflow() -> Result<Vec<Row>> {
    /// Open questions and whole requests, as people answer and ask.
    const TEXTS: [(&str, Option<&str>); 4] = [
        ("the second one please", Some("facility_level")),
        ("not primary, secondary", Some("facility_level")),
        ("positivity rate for children under five at primary clinics with rapid tests", None),
        ("plan 200k nets, 5 people per household, urban threshold 30%", None),
    ];
    let malaria = Trained::new(&samples::pack_files("malaria")?)?;
    let router = samples::router(malaria.pack, malaria.bundle);
    let cancel = CancellationToken::new();
    let mut rows = Vec::new();
    for (text, step) in TEXTS {
        let mut request = asked(text);
        request.trusted = true;
        for flag in ["tpr_complete", "risk_complete"] {
            request.context.flags.insert(flag.to_owned(), json!(true));
        }
        if let Some(argument) = step {
            request.context.active_tool = Some("run_tpr_step".to_owned());
            request.context.active_argument = Some(argument.to_owned());
            request.context.options = ["primary", "secondary", "tertiary", "all"]
                .map(|value| Choice { label: value.to_owned(), value: json!(value) })
                .to_vec();
        }
        let whole = || samples::at_once(router.route(black_box(&request), &cancel));
        anyhow::ensure!(whole()??.decision == Outcome::Run, "`{text}` should run");
        let title = format!("text to validated arguments, malaria: {text}");
        rows.push(Row::timed(title, whole).wanted(ARGUMENTS));
    }
    Ok(rows)
}

/// Times the work that a process does once.
fn starting(files: &Files) -> Result<Vec<Row>> {
    let pack = samples::load(files)?;
    let load = Row::timed("load and check the pack `ocean`", || samples::load(black_box(files)));
    let train =
        Row::timed("train its student", || train_student(black_box(&pack), None, &mut |_| {}));
    Ok(vec![load, train])
}

fn asked(text: &str) -> Request {
    let now = "2025-11-06T09:00:00+08:00".to_owned();
    Request { now: Some(now), ..Request::new(text) }
}

fn tables(stages: &[Row], starts: &[Row]) -> String {
    let mut out = format!("Machine: {}.\n\n", super::machine());
    // Writing to a string cannot fail.
    let _ = writeln!(out, "| stage | p50 µs | p90 µs | p99 µs | × the measure | goal |");
    let _ = writeln!(out, "|---|---|---|---|---|---|");
    let measure = stages.first().map_or(1.0, |row| micros(row.spread.p50)).max(f64::MIN_POSITIVE);
    for Row { name, spread, goal } in stages {
        let [p50, p90, p99] = [spread.p50, spread.p90, spread.p99].map(micros);
        let times = p50 / measure;
        let goal = goal.map(|goal| reached(goal, *spread)).unwrap_or_default();
        let _ = writeln!(out, "| {name} | {p50:.2} | {p90:.2} | {p99:.2} | {times:.1} | {goal} |");
    }
    let _ = writeln!(out, "\n| once, at the start | p50 ms | p90 ms |\n|---|---|---|");
    for Row { name, spread, .. } in starts {
        let [p50, p90] = [spread.p50, spread.p90].map(|time| micros(time) / 1e3);
        let _ = writeln!(out, "| {name} | {p50:.1} | {p90:.1} |");
    }
    out.truncate(out.trim_end().len());
    out
}

/// The goal, and whether it is reached.
fn reached(goal: Goal, spread: Spread) -> String {
    let met = spread.p50 <= goal.p50 && goal.p99.is_none_or(|p99| spread.p99 <= p99);
    let tail = goal.p99.map(|p99| format!(", p99 ≤ {} µs", p99.as_micros())).unwrap_or_default();
    let bar = match (goal.p50.as_secs(), goal.p50.as_millis()) {
        (0, 0..100) => format!("{} µs", goal.p50.as_micros()),
        (0, millis) => format!("{millis} ms"),
        (seconds, _) => format!("{seconds} s"),
    };
    format!("p50 ≤ {bar}{tail}: {}", if met { "reached" } else { "missed" })
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

fn record(stages: &[Row], starts: &[Row]) -> Value {
    let spread = |spread: &Spread| {
        json!({
            "p50_us": micros(spread.p50),
            "p90_us": micros(spread.p90),
            "p99_us": micros(spread.p99),
        })
    };
    let rows = |rows: &[Row]| -> Value {
        rows.iter().map(|row| (row.name.clone(), spread(&row.spread))).collect()
    };
    json!({
        "machine": super::machine(),
        "stages": rows(stages),
        "start": rows(starts),
    })
}

//! What people ask assistants of all kinds: requests of everyday and working life, by which a student learns what its
//! pack is not for.
//!
//! A pack shows what lies near its world and outside of it; nobody can list what lies far. Of the requests here those
//! teach that a student without them would not take for the pack's own: a pack about payroll is asked about payroll.

use std::sync::LazyLock;

use serde::Deserialize;
use waypost_core::Result;
use waypost_learning::{Labelled, OUT_OF_SCOPE, Scratch, TrainOptions, train};
use waypost_text::language::Language;

/// The requests of a language, one JSON object a line.
const FILES: [(Language, &str); 5] = [
    (Language::En, include_str!("../../background/en.jsonl")),
    (Language::Es, include_str!("../../background/es.jsonl")),
    (Language::Vi, include_str!("../../background/vi.jsonl")),
    (Language::ZhHans, include_str!("../../background/zh-Hans.jsonl")),
    (Language::ZhHant, include_str!("../../background/zh-Hant.jsonl")),
];

static REQUESTS: LazyLock<Vec<(Language, Vec<BackgroundRequest>)>> = LazyLock::new(|| {
    let read = |lines: &str| lines.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    FILES.iter().map(|(language, lines)| (*language, read(lines))).collect()
});

/// A request to some assistant.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BackgroundRequest {
    /// The words; braces stand around each name and value.
    pub text: String,
    /// What it aims at.
    pub aim: String,
    /// What it is about, in English.
    pub topic: String,
}

/// The share of a pack's examples that these may be.
const MOST: f64 = 0.5;
/// The weight of one beside an example of the pack.
const WEIGHT: f32 = 0.5;
/// A request that a student without it takes for its pack's own with so high a probability is left out.
const OWN: f32 = 0.5;

/// The requests in these languages, as they were typed.
pub fn requests(languages: &[Language]) -> impl Iterator<Item = (Language, String)> + '_ {
    let own = REQUESTS.iter().filter(|(language, _)| languages.contains(language));
    own.flat_map(|(language, requests)| {
        requests.iter().map(|request| (*language, request.text.replace(['{', '}'], "")))
    })
}

/// The requests, read by `masked`, that teach a pack of these examples what it is not for; none where the examples show
/// nothing that is out of scope.
///
/// # Errors
///
/// As [`train`].
pub fn beside(
    examples: &[Labelled],
    languages: &[Language],
    masked: impl Fn(&str, Language) -> String,
) -> Result<Vec<Labelled>> {
    if !examples.iter().any(|example| example.route == OUT_OF_SCOPE) {
        return Ok(Vec::new());
    }
    let most = (examples.len() as f64 * MOST) as usize;
    let rows = requests(languages).map(|(language, text)| Labelled {
        text: masked(&text, language),
        language: Some(language.tag().to_owned()),
        route: OUT_OF_SCOPE.to_owned(),
        tools: Vec::new(),
        weight: WEIGHT,
    });
    let mut rows: Vec<Labelled> = rows.collect();
    let step = rows.len().div_ceil(most.max(1)).max(1);
    rows = rows.into_iter().step_by(step).collect();
    let (one, other): (Vec<_>, Vec<_>) = rows.into_iter().enumerate().partition(|(at, _)| at % 2 == 0);
    let [one, other] = [one, other].map(|half| half.into_iter().map(|(_, row)| row).collect::<Vec<_>>());
    let mut kept = foreign(examples, &other, &one)?;
    kept.extend(foreign(examples, &one, &other)?);
    Ok(kept)
}

/// Those of `asked` that a student of the examples and of `others` does not take for its pack's own.
fn foreign(examples: &[Labelled], others: &[Labelled], asked: &[Labelled]) -> Result<Vec<Labelled>> {
    let known: Vec<Labelled> = examples.iter().chain(others).cloned().collect();
    // Only the likeliest class is used: calibration gets as little time as it can.
    let options = TrainOptions { folds: 2, scope_groups: 0, spelling: false, ..TrainOptions::default() };
    let bundle = train(&known, &options, None, &mut |_| {})?;
    let outside = bundle.routes().iter().position(|route| route == OUT_OF_SCOPE);
    let mut scratch = Scratch::default();
    let mut is_own = |row: &&Labelled| {
        let scores = bundle.score(&row.text, &mut scratch);
        outside.is_some_and(|outside| scores.routes[outside] < 1.0 - OWN)
    };
    Ok(asked.iter().filter(|row| !is_own(row)).cloned().collect())
}

//! Measures the stages of a decision, one by one: `cargo bench -p waypost --bench decide`.
//!
//! It serves work on one stage. The figures of `docs/PERFORMANCE.md`, on packs and against the
//! goals, come from `cargo xtask bench speed`.

use std::hint::black_box;

use divan::Bencher;
use jiff::Zoned;
use waypost::extract::{self, Gazetteer};
use waypost::language::Language;
use waypost::learning::{Bundle, Labelled, Scores, Scratch, TrainOptions, train};
use waypost::text::Text;
use waypost::understand::mask;

fn main() {
    divan::main();
}

const ROUTES: usize = 150;

/// Twelve words, as users write them.
const MONEY: &str = "could you please tell me how much money is left this month";

/// Twelve words with a place and a time, in three languages.
const SEA: [(Language, &str); 3] = [
    (Language::En, "what was the average sea surface temperature around eastern Taiwan last week"),
    (Language::ZhHant, "請問上週台灣東部外海的平均海表溫度大概是多少"),
    (Language::Es, "cuál fue la temperatura media del mar cerca de Taiwán esta semana"),
];

/// A made-up word, the same for the same number.
fn word(number: usize) -> String {
    let syllables = ["ba", "ke", "li", "mo", "nu", "ra", "se", "ti", "vo", "zu", "cha", "pre"];
    let parts = [number % 12, number / 12 % 12, number / 144 % 12];
    parts.iter().map(|part| syllables[*part]).collect()
}

/// 150 routes of ten examples each: words of their own among those of the text.
#[expect(clippy::expect_used, reason = "a benchmark that cannot be set up has to stop")]
fn bundle() -> Bundle {
    let common: Vec<&str> = MONEY.split(' ').collect();
    let mut examples = Vec::new();
    for route in 0..ROUTES {
        for i in 0..10 {
            let (a, b) = (word(route * 7 + i % 5), word(route * 5 + i % 3));
            let (c, d) = (common[(route + i) % 12], common[(route * 3 + i) % 12]);
            examples.push(Labelled {
                text: format!("{c} {a} {d} {b} {i}"),
                language: None,
                route: format!("route_{route}"),
                tools: Vec::new(),
                weight: 1.0,
            });
        }
    }
    let options = TrainOptions { epochs: 3, folds: 2, scope_groups: 0, ..TrainOptions::default() };
    train(&examples, &options, None, &mut |_| {}).expect("the examples are sound")
}

/// The instant of every question.
#[expect(clippy::expect_used, reason = "a benchmark that cannot be set up has to stop")]
fn now() -> Zoned {
    "2025-11-06T09:00:00+08:00[Asia/Taipei]".parse().expect("the instant is sound")
}

/// Two places that are asked for, among 600 that are not.
fn places() -> [Gazetteer; 1] {
    let asked = [
        ("taiwan".to_owned(), vec!["Taiwan".to_owned(), "Taiwán".to_owned()]),
        ("east".to_owned(), vec!["eastern Taiwan".to_owned(), "台灣東部".to_owned()]),
    ];
    let others = (0..600).map(|i| (format!("place_{i}"), vec![word(i), word(i + 600)]));
    [Gazetteer::new("place", asked.into_iter().chain(others))]
}

#[divan::bench(args = SEA.map(|sea| sea.1))]
fn a_normalize(text: &str) -> Text {
    Text::new(black_box(text))
}

#[divan::bench(args = 0..SEA.len())]
fn b_extract(bencher: Bencher, at: usize) {
    let (now, gazetteers, (language, text)) = (now(), places(), SEA[at]);
    let scope = extract::Context {
        now: &now,
        language,
        gazetteers: &gazetteers,
        conventions: extract::Conventions::STANDARD,
        wanted: extract::Kinds::NONE,
    };
    let text = Text::new(text);
    bencher.bench_local(|| extract::extract(black_box(&text.clone()), &scope));
}

#[divan::bench(args = 0..SEA.len())]
fn c_mask(bencher: Bencher, at: usize) {
    let (now, gazetteers, (language, text)) = (now(), places(), SEA[at]);
    let scope = extract::Context {
        now: &now,
        language,
        gazetteers: &gazetteers,
        conventions: extract::Conventions::STANDARD,
        wanted: extract::Kinds::NONE,
    };
    let text = Text::new(text);
    let values = extract::extract(&text, &scope);
    bencher.bench_local(|| mask(black_box(&text), &values, &Default::default()));
}

#[divan::bench(sample_count = 2000, sample_size = 10)]
fn d_features_of_12_words(bencher: Bencher) {
    let bundle = bundle();
    let mut scratch = Scratch::default();
    bencher.bench_local(|| bundle.features().extract(black_box(MONEY), &mut scratch));
}

#[divan::bench(sample_count = 2000, sample_size = 10)]
fn e_student_of_150_routes(bencher: Bencher) {
    let bundle = bundle();
    let (mut scratch, mut scores) = (Scratch::default(), Scores::default());
    bencher.bench_local(|| bundle.score_into(black_box(MONEY), &mut scratch, &mut scores));
}

/// The training that `waypost train` does for a pack: 700 short examples, four routes, four tools.
#[divan::bench(sample_count = 10, sample_size = 1)]
fn f_train_a_pack(bencher: Bencher) {
    let row = |i: usize| Labelled {
        text: format!("{} {} {} {}", word(i % 4 + 20), word(i), word(i / 3 + 100), word(i % 40)),
        language: None,
        route: format!("route_{}", i % 4),
        tools: vec![format!("tool_{}", i % 4)],
        weight: 1.0,
    };
    let examples: Vec<Labelled> = (0..700).map(row).collect();
    bencher.bench_local(|| train(&examples, &TrainOptions::default(), None, &mut |_| {}));
}

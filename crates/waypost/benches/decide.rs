//! How long the student takes to score one text: `cargo bench -p waypost --bench decide`.

use std::hint::black_box;

use divan::Bencher;
use waypost::learning::{Bundle, Labelled, Options, Scores, Scratch, train};

fn main() {
    divan::main();
}

const ROUTES: usize = 150;

/// Twelve words, as users write them.
const TEXT: &str = "could you please tell me how much money is left this month";

/// A word that nobody says, the same for the same number.
fn word(number: usize) -> String {
    let syllables = ["ba", "ke", "li", "mo", "nu", "ra", "se", "ti", "vo", "zu", "cha", "pre"];
    let parts = [number % 12, number / 12 % 12, number / 144 % 12];
    parts.iter().map(|part| syllables[*part]).collect()
}

/// 150 routes of ten examples each: words of their own among those of the text.
#[expect(clippy::expect_used, reason = "a benchmark that cannot be set up has to stop")]
fn bundle() -> Bundle {
    let common: Vec<&str> = TEXT.split(' ').collect();
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
    let options = Options { epochs: 3, folds: 2, scope_groups: 0, ..Options::default() };
    train(&examples, &options, &mut |_| {}).expect("the examples are sound")
}

#[divan::bench(sample_count = 2000, sample_size = 10)]
fn score_12_words_among_150_routes(bencher: Bencher) {
    let bundle = bundle();
    let (mut scratch, mut scores) = (Scratch::default(), Scores::default());
    bencher.bench_local(|| bundle.score_into(black_box(TEXT), &mut scratch, &mut scores));
}

#[divan::bench(sample_count = 2000, sample_size = 10)]
fn extract_12_words(bencher: Bencher) {
    let bundle = bundle();
    let mut scratch = Scratch::default();
    bencher.bench_local(|| bundle.features().extract(black_box(TEXT), &mut scratch));
}

/// What `waypost train` does for a pack: 700 short examples, four routes, four tools.
#[divan::bench(sample_count = 10, sample_size = 1)]
fn train_a_pack(bencher: Bencher) {
    let row = |i: usize| Labelled {
        text: format!("{} {} {} {}", word(i % 4 + 20), word(i), word(i / 3 + 100), word(i % 40)),
        language: None,
        route: format!("route_{}", i % 4),
        tools: vec![format!("tool_{}", i % 4)],
        weight: 1.0,
    };
    let examples: Vec<Labelled> = (0..700).map(row).collect();
    bencher.bench_local(|| train(&examples, &Options::default(), &mut |_| {}));
}

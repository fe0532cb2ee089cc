//! The cost of the extractors: `cargo bench -p waypost-text`.
//!
//! A text keeps what was read of it, so each run takes a copy, which is read anew.
//! For work on the rules. The figures of `docs/PERFORMANCE.md` come from `cargo xtask bench speed`.

use std::hint::black_box;

use divan::Bencher;
use jiff::Zoned;
use waypost_text::extract::{Context, Conventions, Gazetteer, Kinds, extract, mentions, operators};
use waypost_text::language::Language;
use waypost_text::text::Text;

fn main() {
    divan::main();
}

/// Twenty words (thirty characters of Chinese) with a day, a time, numbers, units and money.
const TEXTS: [(&str, Language, &str); 5] = [
    (
        "en",
        Language::En,
        "please book two tables next Friday at half past seven in the evening for 12 people under 300 dollars in Boston",
    ),
    ("zh-Hant", Language::ZhHant, "請幫我訂下週五晚上七點半兩張桌子十二個人預算三千元以內在台北"),
    ("zh-Hans", Language::ZhHans, "请帮我订下周五晚上七点半两张桌子十二个人预算三千元以内在北京"),
    (
        "vi",
        Language::Vi,
        "làm ơn đặt hai bàn vào thứ sáu tuần tới lúc bảy giờ rưỡi tối cho 12 người dưới ba triệu đồng",
    ),
    (
        "es",
        Language::Es,
        "por favor reserva dos mesas el próximo viernes a las siete y media de la tarde para 12 personas por 300 euros",
    ),
];

#[expect(clippy::expect_used, reason = "a benchmark that cannot be set up has to stop")]
fn now() -> Zoned {
    "2025-11-06T09:00:00+08:00[Asia/Taipei]".parse().expect("the instant is sound")
}

#[divan::bench(args = TEXTS.map(|text| text.0))]
fn twenty_words(bencher: Bencher, name: &str) {
    let Some((_, language, text)) = TEXTS.into_iter().find(|text| text.0 == name) else { return };
    let (now, text) = (now(), Text::new(text));
    let context = Context {
        now: &now,
        language,
        gazetteers: &[],
        conventions: Conventions::STANDARD,
        wanted: Kinds::NONE,
    };
    bencher.bench_local(|| extract(black_box(&text.clone()), &context));
}

/// The same sentence over and over: what a kilobyte costs must not grow with the length.
#[divan::bench(args = [1, 10, 100, 1000], sample_count = 5)]
fn kilobytes(bencher: Bencher, kilobytes: usize) {
    let (now, text) = (now(), TEXTS[0].2);
    let text = Text::new(&format!("{text}. ").repeat(kilobytes * 1024 / text.len() + 1));
    let context = Context {
        now: &now,
        language: Language::En,
        gazetteers: &[],
        conventions: Conventions::STANDARD,
        wanted: Kinds::NONE,
    };
    bencher.bench_local(|| extract(black_box(&text.clone()), &context));
}

/// Twelve words with two misspelled names, as people type to an assistant.
const TURN: &str = "can you please show me the rainfal and the elevaton by ward";

/// Names alone, among 150: mistakes are looked for in the words that nobody knows.
#[divan::bench]
fn names_of_150(bencher: Bencher) {
    let named = ["rainfall", "elevation", "housing quality", "distance to water", "temperature"];
    let names = (0..150).map(|at| {
        let letter = char::from(b'a' + (at % 26) as u8);
        (format!("key {at}"), [format!("{letter}{} {}", at / 26, named[at % named.len()])])
    });
    let gazetteers = [
        Gazetteer::new("made_up", names),
        Gazetteer::new("column", named.map(|name| (name, [name]))),
    ];
    let text = Text::new(TURN);
    bencher.bench_local(|| mentions(black_box(&text.clone()), Language::En, &gazetteers));
}

/// Finds the words of the same turn that deny, join, correct or navigate.
#[divan::bench]
fn operators_of_a_turn(bencher: Bencher) {
    let text = Text::new(TURN);
    bencher.bench_local(|| operators(black_box(&text.clone()), Language::En));
}

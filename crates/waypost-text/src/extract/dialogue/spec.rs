//! Runs the cases of `spec/dialogue` and the properties of what words do in a conversation.
//!
//! A case is `text => …`; `@check` names what it checks: `operators` (`not=no; or=/`), `act` (a
//! name or nothing), `objects` (`no`, `rejects`, or the words that say what was meant), `selects`
//! (`yes` or `no`; options stand in brackets, which are left out of the text), `mentions`
//! (`key=words`, `key~words` for a misspelled one, keys of several entries joined with `+`),
//! `reference` (the words that point back) or `bounds` (`[0..59] mo`: a bracket where the end
//! belongs to it, and the unit). `@language` holds for the lines below it.

use proptest::prelude::*;

use crate::extract::{Gazetteer, act, bounds, mentions, objection, operators, references, selects};
use crate::language::Language;
use crate::text::{Span, Text};

const FILES: [(&str, &str); 5] = [
    ("en", include_str!("../../../../../spec/dialogue/en.txt")),
    ("zh", include_str!("../../../../../spec/dialogue/zh.txt")),
    ("es", include_str!("../../../../../spec/dialogue/es.txt")),
    ("vi", include_str!("../../../../../spec/dialogue/vi.txt")),
    ("fr", include_str!("../../../../../spec/dialogue/fr.txt")),
];

fn gazetteers() -> Vec<Gazetteer> {
    let columns = [
        ("rainfall", vec!["rainfall", "lluvia", "lượng mưa", "降雨量", "降雨"]),
        ("temperature", vec!["temperature", "temperatura", "nhiệt độ", "氣溫", "气温"]),
        ("elevation", vec!["elevation", "altitude", "elevación", "độ cao", "海拔"]),
        ("land_use", vec!["land_use", "uso del suelo", "sử dụng đất", "土地利用"]),
        ("housing_quality", vec!["housing_quality", "calidad de vivienda", "住房品質"]),
        ("population_density", vec!["population_density", "mật độ dân số", "人口密度"]),
        ("distance_to_water", vec!["distance-to-water"]),
        ("net", vec!["net", "mosquitero", "蚊帳"]),
    ];
    let levels = [
        ("primary", vec!["primary", "primary facility", "primaria", "sơ cấp", "初級", "初级"]),
        ("secondary", vec!["secondary", "secundaria", "次級", "次级"]),
        ("tertiary", vec!["tertiary", "terciaria"]),
        ("all", vec!["all", "all facilities"]),
    ];
    let ages = [("u5", vec!["u5", "under five"]), ("o5", vec!["o5"]), ("all", vec!["all"])];
    vec![
        Gazetteer::new("column", columns),
        Gazetteer::new("level", levels),
        Gazetteer::new("age", ages),
    ]
}

fn shown_operators(text: &Text, language: Language) -> String {
    let marks = operators(text, language);
    let shown = marks.iter().map(|mark| {
        format!("{}={}", format!("{:?}", mark.operator).to_lowercase(), text.slice(mark.span))
    });
    shown.collect::<Vec<_>>().join("; ")
}

fn shown_mentions(text: &Text, language: Language) -> String {
    let found = mentions(text, language, &gazetteers());
    let shown = found.iter().map(|mention| {
        let keys: Vec<&str> = mention.entries.iter().map(|(_, key)| key.as_str()).collect();
        format!("{}{}{}", keys.join("+"), if mention.typo { '~' } else { '=' }, mention.text)
    });
    shown.collect::<Vec<_>>().join("; ")
}

/// The text without brackets, and where they were.
fn bracketed(line: &str) -> (Text, Vec<Span>) {
    let (mut text, mut spans, mut start) = (String::new(), Vec::new(), 0);
    for c in line.chars() {
        let at = text.chars().count();
        match c {
            '[' => start = at,
            ']' => spans.push(Span { start, end: at }),
            c => text.push(c),
        }
    }
    (Text::new(&text), spans)
}

fn shown_references(text: &Text, language: Language) -> String {
    let found = references(text, &[], language);
    found.into_iter().map(|span| text.slice(span)).collect::<Vec<_>>().join("; ")
}

fn shown_bounds(text: &Text, language: Language) -> String {
    let shown = bounds(text, language).into_iter().map(|found| {
        let ends = found.interval;
        let low = ends.low.map(|low| format!("{}{low}", if ends.low_included { '[' } else { '(' }));
        let high =
            ends.high.map(|high| format!("{high}{}", if ends.high_included { ']' } else { ')' }));
        let unit = found.unit.map(|unit| format!(" {unit}"));
        [low, Some("..".to_owned()), high, unit].into_iter().flatten().collect::<String>()
    });
    shown.collect::<Vec<_>>().join("; ")
}

fn shown_objection(text: &Text, language: Language) -> String {
    let Some(objection) = objection(text, language) else { return "no".to_owned() };
    let wish: Vec<&str> = objection.wish.iter().map(|span| text.slice(*span)).collect();
    if wish.is_empty() { "rejects".to_owned() } else { wish.join("; ") }
}

/// Runs a check on the text of a case and writes down what it finds.
fn shown(check: &str, words: &str, language: Language) -> String {
    let text = Text::new(words);
    match check {
        "operators" => shown_operators(&text, language),
        "act" => {
            act(&text, language).map_or(String::new(), |act| format!("{act:?}").to_lowercase())
        }
        "selects" => {
            let (text, spans) = bracketed(words);
            if selects(&text, &spans, language) { "yes".to_owned() } else { "no".to_owned() }
        }
        "objects" => shown_objection(&text, language),
        "mentions" => shown_mentions(&text, language),
        "reference" => shown_references(&text, language),
        "bounds" => shown_bounds(&text, language),
        other => panic!("`{other}` cannot be checked"),
    }
}

#[test]
fn words_do_what_is_specified() {
    let mut differences = Vec::new();
    let mut count = 0;
    for (name, file) in FILES {
        let (mut language, mut check) = (Language::En, "operators");
        for line in file.lines().map(str::trim).filter(|line| !line.is_empty()) {
            if let Some(tag) = line.strip_prefix("@language ") {
                language = Language::from_tag(tag).expect("`@language` has a known tag");
                continue;
            }
            if let Some(named) = line.strip_prefix("@check ") {
                check = named;
                continue;
            }
            if line.starts_with("# ") {
                continue;
            }
            count += 1;
            let (text, expected) = line.split_once("=>").expect("a case has `=>`");
            let found = shown(check, text.trim(), language);
            if found != expected.trim() {
                differences.push(format!(
                    "{name} {check}: {} => {found}\n    wanted {}",
                    text.trim(),
                    expected.trim()
                ));
            }
        }
    }
    assert!(
        differences.is_empty(),
        "{} of {count} cases differ:\n{}",
        differences.len(),
        differences.join("\n")
    );
}

/// The pieces that the texts of the properties are made of.
const PIECES: &[&str] = &[
    " ",
    " ",
    " ",
    "not",
    "no",
    "or",
    "and",
    "/",
    ",",
    "、",
    "both",
    "all",
    "go back",
    "skip",
    "u",
    "5",
    "o5",
    "-",
    "_",
    "land",
    "use",
    "rainfal",
    "primary",
    "primry",
    "不",
    "要",
    "是",
    "特別",
    "初級",
    "或",
    "cancel",
    "¿",
    "que",
    "đừng",
    "e\u{301}",
    "Ａ",
    "㎞",
    "'s",
    "don't",
    "s",
    ".",
    "?",
    "👎",
    "same",
    "as before",
    "level",
    "thing",
    "under ",
    "and up",
    "+",
    "歲",
    "以上",
    "years",
    "all good",
    "I asked",
    "wrong",
    "i want",
    "don't want the",
    "我要的是",
    "答非所問",
    "嗎",
    "sino",
];

fn texts() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(PIECES);
    let pieces = prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat());
    prop_oneof![pieces, any::<String>()]
}

/// Returns whether stretches lie in the text one behind the other, and none is empty.
fn are_apart(spans: impl Iterator<Item = Span>, length: usize) -> bool {
    let mut end = 0;
    spans.into_iter().all(|span| {
        let is_apart = span.start >= end && span.start < span.end && span.end <= length;
        end = span.end;
        is_apart
    })
}

proptest! {
    #[test]
    fn marks_and_mentions_are_words_of_the_text_and_apart(
        words in texts(),
        language in prop::sample::select(Language::ALL.to_vec()),
    ) {
        let text = Text::new(&words);
        let length = words.chars().count();
        let marks = operators(&text, language);
        prop_assert!(are_apart(marks.iter().map(|mark| mark.span), length));
        let found = mentions(&text, language, &gazetteers());
        prop_assert!(are_apart(found.iter().map(|mention| mention.span), length));
        for mention in &found {
            prop_assert_eq!(&mention.text, text.slice(mention.span));
            prop_assert!(!mention.entries.is_empty());
        }
        let bands = bounds(&text, language);
        prop_assert!(are_apart(bands.iter().map(|band| band.span), length));
        for band in &bands {
            prop_assert!(band.interval.low.is_some() || band.interval.high.is_some());
        }
        if let Some(objection) = objection(&text, language) {
            prop_assert!(are_apart(objection.wish.into_iter(), length));
        }
        // An act that is told is marked too.
        if let Some(act) = act(&text, language) {
            prop_assert!(marks.iter().any(|mark| mark.operator == act));
        }
        // A text of names alone selects.
        let whole = [Span { start: 0, end: length }];
        prop_assert!(selects(&text, &whole, language));
    }
}

/// Long enough, in bytes, that anything quadratic would be felt.
const LONG: usize = 100_000;

#[test]
fn a_long_turn_of_anything_ends() {
    for piece in [
        "not ",
        "no,",
        "/",
        "、",
        "特",
        "primry ",
        "land ",
        "u5",
        "skip ",
        "à không ",
        "back ",
        "skip a ",
        "the same ",
        "all good ",
        "under 5 ",
        "0-",
        "滿",
        "I asked not the ",
        "我要的是，",
    ] {
        let text = Text::new(&piece.repeat(LONG / piece.len()));
        for language in [Language::En, Language::Vi] {
            operators(&text, language);
            act(&text, language);
            let spans: Vec<Span> =
                (0..LONG / 10).map(|at| Span { start: at, end: at + 3 }).collect();
            selects(&text, &spans, language);
            mentions(&text, language, &gazetteers());
            references(&text, &[], language);
            bounds(&text, language);
            objection(&text, language);
        }
    }
}

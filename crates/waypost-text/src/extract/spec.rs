//! Runs the cases of `spec/extract` and the properties that hold for every text.
//!
//! A case is `text => kind=value; kind=value`. A value may go on with `|` and its alternatives, or
//! with ` @rule`; what a case leaves out is not compared. `@now`, `@language`, `@wanted` (kinds that
//! are looked for only where they are wanted) and `@only` (one kind alone) hold for the lines below
//! them.

use jiff::Zoned;
use proptest::prelude::*;

use crate::language::Language;
use crate::text::Text;

use super::kind::Kind;
use super::value::{Moment, Reading, Value};
use super::{
    Context, Conventions, Gazetteer, Kinds, extract, has_reference, is_elliptical, residue,
    unknown_places, unread,
};

const FILES: [(&str, &str); 14] = [
    ("en", include_str!("../../../../spec/extract/en.txt")),
    ("zh", include_str!("../../../../spec/extract/zh.txt")),
    ("es", include_str!("../../../../spec/extract/es.txt")),
    ("vi", include_str!("../../../../spec/extract/vi.txt")),
    ("fr", include_str!("../../../../spec/extract/fr.txt")),
    ("id", include_str!("../../../../spec/extract/id.txt")),
    ("ja", include_str!("../../../../spec/extract/ja.txt")),
    ("de", include_str!("../../../../spec/extract/de.txt")),
    ("pt", include_str!("../../../../spec/extract/pt.txt")),
    ("mixed", include_str!("../../../../spec/extract/mixed.txt")),
    ("places", include_str!("../../../../spec/extract/places.txt")),
    ("negative", include_str!("../../../../spec/extract/negative.txt")),
    ("names", include_str!("../../../../spec/extract/names.txt")),
    ("zones", include_str!("../../../../spec/extract/zones.txt")),
];

const INTERVALS: &str = include_str!("../../../../spec/extract/interval.txt");

const UNREAD: &str = include_str!("../../../../spec/extract/unread.txt");

const FOLLOWUPS: &str = include_str!("../../../../spec/extract/followup.txt");

fn places() -> Vec<Gazetteer> {
    let places = [
        ("hualien", vec!["Hualien", "花蓮", "花莲"]),
        ("taiwan", vec!["Taiwan", "台灣", "臺灣", "台湾", "Taiwán", "Đài Loan"]),
        ("kaohsiung", vec!["Kaohsiung", "高雄"]),
        ("lima", vec!["Lima"]),
        ("malaga", vec!["Málaga"]),
        ("da_nang", vec!["Đà Nẵng", "Da Nang"]),
        ("new_york", vec!["New York"]),
        ("new_york_bight", vec!["New York Bight"]),
        ("green_island", vec!["綠島", "绿岛", "Green Island"]),
    ];
    let companies = [("TSLA", vec!["Tesla", "特斯拉"]), ("2330.TW", vec!["TSMC", "台積電"])];
    vec![Gazetteer::new("place", places), Gazetteer::new("company", companies)]
}

struct Setting {
    now: Zoned,
    language: Language,
    /// The kinds that are looked for only where somebody wants them.
    wanted: Kinds,
    /// The kind that is looked for alone.
    only: Option<Kind>,
}

fn kind(name: &str) -> Kind {
    let found = Kind::ALL.into_iter().find(|kind| kind.name() == name);
    found.expect("`@wanted` and `@only` have names of kinds")
}

impl Setting {
    fn new() -> Self {
        let now = "2025-11-06T09:00+08:00[Asia/Taipei]".parse().expect("a valid instant");
        Self { now, language: Language::En, wanted: Kinds::NONE, only: None }
    }

    /// Takes a line that sets something; `false` for a case.
    fn set(&mut self, line: &str) -> bool {
        if let Some(now) = line.strip_prefix("@now ") {
            self.now = now.parse().expect("`@now` has an RFC 9557 instant");
        } else if let Some(tag) = line.strip_prefix("@language ") {
            self.language = Language::from_tag(tag).expect("`@language` has a known tag");
        } else if let Some(names) = line.strip_prefix("@wanted ") {
            (self.wanted, self.only) = (names.split(' ').map(kind).collect(), None);
        } else if let Some(name) = line.strip_prefix("@only ") {
            self.only = Some(kind(name));
        } else {
            return false;
        }
        true
    }
}

fn cases(file: &str) -> impl Iterator<Item = &str> {
    file.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("# "))
}

fn moment(moment: &Moment) -> String {
    match moment {
        Moment::Date(date) => date.to_string(),
        Moment::Instant(instant) => instant.strftime("%Y-%m-%dT%H:%M%:z").to_string(),
        Moment::Open => "…".to_owned(),
    }
}

fn show(reading: &Reading) -> String {
    match reading {
        Reading::Range(start, end) => format!("{}..{}", moment(start), moment(end)),
        Reading::Datetime(instant) => moment(&Moment::Instant(instant.clone())),
        Reading::Point(point) => format!("{},{}", point.longitude, point.latitude),
        Reading::Bbox([west, south, east, north]) => format!("{west},{south},{east},{north}"),
        Reading::Entity { key, relation, .. } => format!("{key}/{relation:?}").to_lowercase(),
        Reading::Fault(fault) => format!("!{}", fault.name()),
        other => match super::canonical(other) {
            serde_json::Value::String(text) => text,
            other => other.to_string(),
        },
    }
}

/// A value as a case writes it, with as much detail as the expectation has.
fn describe(value: &Value, expected: &str) -> String {
    let mut line = format!("{}={}", value.kind.name(), show(&value.reading));
    if expected.contains('|') || expected.is_empty() {
        for other in &value.alternatives {
            line = format!("{line}|{}", show(other));
        }
    }
    if expected.contains(" @") {
        line = format!("{line} @{}", value.rule);
    }
    line
}

#[test]
fn values_are_found_as_specified() {
    let gazetteers = places();
    let mut differences = Vec::new();
    let mut count = 0;
    for (name, file) in FILES {
        let mut setting = Setting::new();
        for line in cases(file) {
            if setting.set(line) {
                continue;
            }
            count += 1;
            let (text, expected) = line.split_once("=>").unwrap_or((line, ""));
            let context = Context {
                now: &setting.now,
                language: setting.language,
                gazetteers: &gazetteers,
                conventions: Conventions::STANDARD,
                wanted: setting.wanted,
            };
            let source = Text::new(text.trim());
            let values = match setting.only {
                Some(kind) => super::of_kind(&source, &context, kind),
                None => extract(&source, &context),
            };
            let wanted: Vec<&str> =
                expected.split(';').map(str::trim).filter(|part| !part.is_empty()).collect();
            let found: Vec<String> = values
                .iter()
                .enumerate()
                .map(|(at, value)| describe(value, wanted.get(at).copied().unwrap_or("")))
                .collect();
            if found != wanted {
                differences.push(format!(
                    "{name}: {} => {}\n    wanted {}",
                    text.trim(),
                    found.join("; "),
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

/// The stretches that look like values beside those that were read: `kind=words`.
#[test]
fn what_could_not_be_read_is_found_as_specified() {
    let gazetteers = places();
    let mut setting = Setting::new();
    let mut differences = Vec::new();
    for line in cases(UNREAD) {
        if setting.set(line) {
            continue;
        }
        let (source, expected) = line.split_once("=>").unwrap_or((line, ""));
        let context = Context {
            now: &setting.now,
            language: setting.language,
            gazetteers: &gazetteers,
            conventions: Conventions::STANDARD,
            wanted: setting.wanted,
        };
        let text = Text::new(source.trim());
        let values = extract(&text, &context);
        let mut found = unread(&text, &values, setting.language);
        found.extend(unknown_places(&text, &values, setting.language));
        let shown = found.iter().map(|one| format!("{}={}", one.kind.name(), text.slice(one.span)));
        let shown = shown.collect::<Vec<_>>().join("; ");
        if shown != expected.trim() {
            differences.push(format!("{} => {shown}\n    wanted {expected}", source.trim()));
        }
    }
    assert!(differences.is_empty(), "{} differ:\n{}", differences.len(), differences.join("\n"));
}

/// Every phrase that takes a number takes any: a number out of all bounds is no value, and no harm.
#[test]
fn no_number_is_too_great_for_any_phrase() {
    const GREAT: [&str; 9] = [
        "99",
        "9999",
        "19998",
        "2000000",
        "2147483648",
        "7304485999",
        "9223372036854775808",
        "1e308",
        "999999999999999999999999999999",
    ];
    let gazetteers = places();
    for (_, file) in FILES {
        let mut setting = Setting::new();
        for line in cases(file).filter(|line| !line.starts_with('#')) {
            if setting.set(line) {
                continue;
            }
            let text = line.split_once("=>").map_or(line, |(text, _)| text);
            let Some(start) = text.find(|c: char| c.is_ascii_digit()) else { continue };
            let rest = text[start..].trim_start_matches(|c: char| c.is_ascii_digit());
            for number in GREAT {
                let text = Text::new(&format!("{}{number}{rest}", &text[..start]));
                let context = Context {
                    now: &setting.now,
                    language: setting.language,
                    gazetteers: &gazetteers,
                    conventions: Conventions::STANDARD,
                    wanted: setting.wanted,
                };
                for value in extract(&text, &context) {
                    assert!(value.span.start < value.span.end, "{value:?}");
                }
            }
        }
    }
}

/// Cases are `text => [3..10)`: with a bracket where an end belongs to it, without one if it is
/// open.
#[test]
fn stretches_are_found_as_specified() {
    let mut setting = Setting::new();
    let mut differences = Vec::new();
    for line in cases(INTERVALS) {
        if setting.set(line) {
            continue;
        }
        let (text, expected) = line.split_once(" =>").expect("a case has `=>`");
        let found: Vec<String> =
            of_kind(text, setting.language, Kind::Interval).iter().map(ends).collect();
        if found.join("; ") != expected.trim() {
            differences.push(format!("{text} => {}\n    wanted{expected}", found.join("; ")));
        }
    }
    assert!(differences.is_empty(), "differences:\n{}", differences.join("\n"));
}

fn ends(value: &Value) -> String {
    let Reading::Interval(ends) = &value.reading else { return format!("{:?}", value.reading) };
    let low = ends.low.map(|low| format!("{}{low}", if ends.low_included { '[' } else { '(' }));
    let high =
        ends.high.map(|high| format!("{high}{}", if ends.high_included { ']' } else { ')' }));
    format!("{}..{}", low.unwrap_or_default(), high.unwrap_or_default())
}

/// A caller that asks for numbers or places alone gets all of them.
#[test]
fn what_is_asked_for_alone_is_found_within_other_values() {
    let shown = |text, kind| -> Vec<String> {
        of_kind(text, Language::En, kind).iter().map(|value| show(&value.reading)).collect()
    };
    assert_eq!(shown("3/8 of $20", Kind::Number), ["0.375", "20"]);
    let next = of_kind("the next page", Language::En, Kind::Ordinal);
    assert!(matches!(next[..], [Value { reading: Reading::Step(1), .. }]));
    assert_eq!(shown("on May 4, 6 nets", Kind::Date).len(), 1);
}

/// Cases are `text => elliptical`, `text => rest: …` and may go on with `, reference`.
#[test]
fn followups_are_told_from_questions() {
    let gazetteers = places();
    let mut setting = Setting::new();
    let mut differences = Vec::new();
    for line in cases(FOLLOWUPS) {
        if setting.set(line) {
            continue;
        }
        let (text, expected) = line.split_once("=>").expect("a case has `=>`");
        let text = Text::new(text.trim());
        let language = setting.language;
        let context = Context {
            now: &setting.now,
            language,
            gazetteers: &gazetteers,
            conventions: Conventions::STANDARD,
            wanted: Kinds::NONE,
        };
        let values = extract(&text, &context);
        let mut found = if is_elliptical(&text, &values, language) {
            "elliptical".to_owned()
        } else {
            format!("rest: {}", residue(&text, &values, language))
        };
        if has_reference(&text, language) {
            found.push_str(", reference");
        }
        if found.trim() != expected.trim() {
            differences.push(format!("{} => {found}\n    wanted {expected}", text.original()));
        }
    }
    assert!(differences.is_empty(), "differences:\n{}", differences.join("\n"));
}

fn of_kind(text: &str, language: Language, kind: Kind) -> Vec<Value> {
    let now = Setting::new().now;
    let conventions = Conventions::STANDARD;
    let context =
        Context { now: &now, language, gazetteers: &[], conventions, wanted: Kinds::NONE };
    super::of_kind(&Text::new(text), &context, kind)
}

fn values(text: &str, language: Language) -> Vec<Value> {
    let setting = Setting::new();
    let gazetteers = places();
    extract(
        &Text::new(text),
        &Context {
            now: &setting.now,
            language,
            gazetteers: &gazetteers,
            conventions: Conventions::STANDARD,
            wanted: Kinds::NONE,
        },
    )
}

/// The pieces that the texts of the properties are made of.
const PIECES: &[&str] = &[
    "2025",
    "-",
    "/",
    ".",
    ",",
    "11",
    "6",
    "30",
    "1",
    " ",
    " ",
    " ",
    "(",
    ")",
    "[",
    "]",
    "e",
    "n",
    "°",
    "'",
    "\"",
    "“",
    "”",
    "from",
    "to",
    "between",
    "and",
    "last",
    "next",
    "days",
    "ago",
    "week",
    "nov",
    "friday",
    "at",
    "pm",
    ":",
    "年",
    "月",
    "日",
    "上",
    "週三",
    "三",
    "十",
    "萬",
    "天",
    "前",
    "從",
    "到",
    "東經",
    "北緯",
    "度",
    "花蓮",
    "外海",
    "附近",
    "的",
    "hace",
    "de",
    "a",
    "el",
    "lunes",
    "pasado",
    "entre",
    "y",
    "%",
    "k",
    "million",
    "99999999",
    "-0",
    "hualien",
    "near",
    "lat",
    "lon",
    "=",
    "bbox",
    "now",
    "０",
    "㎞",
    "e\u{301}",
    "1e9",
    "thứ",
    "half",
    "fifths",
    "hundred",
    "dozen",
    "minus",
    "point",
    "more than",
    "or equal",
    "<",
    ">",
    "分之",
    "點",
    "多",
    "億",
    "第",
    "大於",
    "成",
    "折",
    "millonésimo",
    "con",
    "^",
    "e5",
    "M",
    "½",
];

/// Texts of pieces that rules care about: more of them reach deep into the rules than random ones.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(PIECES);
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

fn languages() -> impl Strategy<Value = Language> {
    prop::sample::select(Language::ALL.to_vec())
}

proptest! {
    #[test]
    fn spans_are_words_of_the_text_and_apart(text in prop_oneof![pieces(), any::<String>()], language in languages()) {
        let found = values(&text, language);
        let characters: Vec<char> = text.chars().collect();
        let mut end = 0;
        for value in &found {
            prop_assert!(value.span.start >= end && value.span.start < value.span.end);
            prop_assert!(value.span.end <= characters.len());
            let words: String = characters[value.span.start..value.span.end].iter().collect();
            prop_assert_eq!(&words, &value.text);
            end = value.span.end;
        }
        let text = Text::new(&text);
        let places = unknown_places(&text, &found, language);
        for one in unread(&text, &found, language).into_iter().chain(places) {
            prop_assert!(one.span.start < one.span.end && one.span.end <= characters.len());
        }
        is_elliptical(&text, &found, language);
        has_reference(&text, language);
        super::detect(&text, &Language::ALL);
        for kind in [Kind::Interval, Kind::Number, Kind::Ordinal, Kind::Percentage] {
            of_kind(text.original(), language, kind);
        }
    }
}

/// Long enough, in bytes, that anything quadratic would be felt.
const LONG: usize = 100_000;

#[test]
fn a_long_text_of_anything_ends() {
    for piece in [
        "(121.5,25.0) 昨天 ",
        "「",
        "1,",
        "from ",
        "上",
        "三",
        "\"a",
        "- ",
        "last 3 days to ",
        "花蓮外海",
        "a/b.py ",
        "a-b",
        "search for ",
        "tell that ",
        "please",
        "`a/",
    ] {
        let text = piece.repeat(LONG / piece.len());
        values(&text, Language::Es);
        let (now, source) = (Setting::new().now, Text::new(&text));
        let (language, conventions) = (Language::Es, Conventions::STANDARD);
        let wanted = Kinds::ALL;
        extract(&source, &Context { now: &now, language, gazetteers: &[], conventions, wanted });
        super::objects(&source, language);
    }
}

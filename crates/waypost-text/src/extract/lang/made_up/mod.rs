//! A language that nobody speaks, to show what adding one takes: files of words, and nothing else.

use super::compile::{Compiled, Folder, compile};
use super::inventory::Inventory;
use super::settings::Settings;
use super::{Languages, Vocabulary};
use crate::extract::grammar::lexicon::{Lexicon, Tables};
use crate::extract::grammar::phrases::{Phrases, Table};
use crate::extract::grammar::sentence::Sentence;
use crate::extract::{Context, Conventions, Kinds, canonical, extractors, values_of};
use crate::language::Language;
use crate::text::Text;

/// Compiles Zarn from its files, as the build script compiles the languages that people speak.
fn zarn() -> Lexicon {
    let settings = Settings::read(include_str!("language.txt")).expect("the settings are sound");
    let vocabulary = Vocabulary {
        name: "zarn",
        languages: Languages::of(&[Language::En]),
        everywhere: settings.has("everywhere"),
        decimal_comma: settings.has("decimal_comma"),
        day_first: settings.has("day_first"),
        bare_magnitude: settings.has("bare_magnitude"),
        ..Vocabulary::PLAIN
    };
    let files = vec![("words".to_owned(), include_str!("words.txt").to_owned())];
    let folder = Folder { path: "made_up".to_owned(), settings, files };
    let Compiled { terms, bytes, text, beginnings } =
        compile(&[folder], &Inventory::default()).expect("the words are sound");
    let vocabulary = Vocabulary { beginnings: beginnings[0], ..vocabulary };
    let phrases = Phrases::new(Vec::leak(bytes), String::leak(text));
    let vocabularies = Vec::leak(vec![vocabulary]);
    let tables = Tables { vocabularies, terms: Vec::leak(terms), phrases };
    Lexicon::new(Box::leak(Box::new(tables)), Table::Values)
}

#[test]
fn a_language_is_its_files() {
    let lexicon = zarn();
    let now = "2025-11-06T09:00+08:00[Asia/Taipei]".parse().expect("a valid instant");
    let context = Context {
        now: &now,
        language: Language::En,
        gazetteers: &[],
        conventions: Conventions::STANDARD,
        wanted: Kinds::NONE,
    };
    let tried: Vec<_> = extractors().iter().collect();
    for (text, expected) in [
        ("molu", r#"date "2025-11-05" zarn.date.relative"#),
        ("tro droz zur", r#"date "2025-11-03" zarn.date.distance"#),
        ("pax vrita", r#"date "2025-10-31" zarn.date.weekday"#),
        ("5 u glimon 2024", r#"date "2024-11-05" zarn.date.calendar"#),
        ("6/11/2025", r#"date "2025-11-06" date.slashed"#),
        ("nef ke 3 tarvu", r#"datetime "2025-11-07T15:00:00+08:00" zarn.datetime"#),
        ("pax wex", r#"range {"start":"2025-10-27","end":"2025-11-03"} zarn.range.period"#),
        (
            "ap 1 os 5 u glimon",
            r#"range {"start":"2025-11-01","end":"2025-11-06"} zarn.range.between"#,
        ),
        ("bidek tro mul", "number 23000 zarn.number"),
        ("1.234,5", "number 1234.5 number"),
        ("yesterday", ""),
        ("moluz", ""),
    ] {
        let source = Text::new(text);
        let sentence = Sentence::read(&source, Language::En, lexicon);
        let found: Vec<String> = values_of(&sentence, &context, &tried, false)
            .iter()
            .map(|v| format!("{} {} {}", v.kind.name(), canonical(&v.reading), v.rule))
            .collect();
        assert_eq!(found.join("; "), expected, "{text}");
    }
}

/// The faults of two files of words.
fn faults(first: &str, second: &str) -> Vec<String> {
    let settings = Settings::read("values: first second\n").expect("the settings are sound");
    let file = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    let files = vec![file("first", first), file("second", second)];
    let folder = Folder { path: "xx".to_owned(), settings, files };
    let faults = compile(&[folder], &Inventory::default()).expect_err("the words are faulty");
    let shown =
        faults.iter().map(|(file, fault)| format!("{file}:{}: {}", fault.line, fault.message));
    shown.collect()
}

#[test]
fn faults_say_where_they_are() {
    for (first, second, expected) in [
        (
            "[yes] yes",
            "\n[wekday 5] fri",
            "xx/second.txt:2: `[wekday 5]` means nothing: `wekday` is no Term",
        ),
        (
            "[yes] yes",
            "[yes]\nyeah\nyes",
            "xx/second.txt:3: `yes` already means `[yes]` in another file",
        ),
        ("[yes] (yes", "[no] no", "xx/first.txt:1: `(` is never closed"),
    ] {
        assert_eq!(faults(first, second), [expected]);
    }
    let settings = Settings::read("values: first\n").expect("the settings are sound");
    let files = vec![("other".to_owned(), String::new())];
    let folder = Folder { path: "xx".to_owned(), settings, files };
    let faults = compile(&[folder], &Inventory::default()).expect_err("a file is missing");
    let files: Vec<&str> = faults.iter().map(|(file, _)| file.as_str()).collect();
    assert_eq!(files, ["xx/other.txt", "xx/language.txt"]);
}

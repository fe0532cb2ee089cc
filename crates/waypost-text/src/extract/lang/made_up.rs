//! A language that nobody speaks, to show what adding one takes: tables, and nothing else.

use crate::extract::grammar::lexicon::Lexicon;
use crate::extract::grammar::sentence::Sentence;
use crate::extract::grammar::term::{Part, Term, Unit};
use crate::extract::lang::{Group, Vocabulary};
use crate::extract::{Context, Conventions, canonical, extractors, values_of};
use crate::language::Language;
use crate::text::Text;

/// Zarn, which writes the day first and the decimals behind a comma.
static ZARN: Vocabulary = Vocabulary {
    name: "zarn",
    languages: &[Language::En],
    decimal_comma: true,
    day_first: true,
    words: &[CALENDAR, NUMBERS],
    ..Vocabulary::PLAIN
};

const CALENDAR: &[Group] = &[
    (Term::Day(-1), &["molu"]),
    (Term::Day(1), &["nef"]),
    (Term::Weekday(5), &["vrita"]),
    (Term::Month(11), &["glimon"]),
    (Term::Unit(Unit::Day), &["dro", "droz"]),
    (Term::Unit(Unit::Week), &["wex"]),
    (Term::Which(-1), &["pax"]),
    (Term::Ago, &["zur"]),
    (Term::Of, &["u"]),
    (Term::AtHour, &["ke"]),
    (Term::Part(Part::Afternoon), &["tarvu"]),
    (Term::From, &["ap"]),
    (Term::To, &["os"]),
];

const NUMBERS: &[Group] = &[
    (Term::Number(2.0), &["bi"]),
    (Term::Number(3.0), &["tro"]),
    (Term::Number(20.0), &["bidek"]),
    (Term::Scale(1000.0), &["mul"]),
];

#[test]
fn a_language_is_its_tables() {
    let lexicon = Lexicon::new(&[&ZARN]);
    let now = "2025-11-06T09:00+08:00[Asia/Taipei]".parse().expect("a valid instant");
    let context = Context {
        now: &now,
        language: Language::En,
        gazetteers: &[],
        conventions: Conventions::STANDARD,
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
        let sentence = Sentence::read(&source, Language::En, &lexicon);
        let found: Vec<String> = values_of(&sentence, &context, &tried, false)
            .iter()
            .map(|v| format!("{} {} {}", v.kind.name(), canonical(&v.reading), v.rule))
            .collect();
        assert_eq!(found.join("; "), expected, "{text}");
    }
}

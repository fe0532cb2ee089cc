//! Properties of all values: what is written in the usual forms is read back as it was.

use jiff::civil::{Date, Time};
use jiff::{Span, ToSpan};
use proptest::prelude::*;

use crate::language::Language;
use crate::text::Text;

use super::value::{Moment, Point, Reading};
use super::{Context, Conventions, Kind, Kinds, Value, extract, objects, of_kind, role};

fn values(text: &str, language: Language, now: &jiff::Zoned) -> Vec<Value> {
    let conventions = Conventions::STANDARD;
    extract(
        &Text::new(text),
        &Context { now, language, gazetteers: &[], conventions, wanted: Kinds::NONE },
    )
}

fn now() -> jiff::Zoned {
    "2025-11-06T09:00+08:00[Asia/Taipei]".parse().expect("a valid instant")
}

/// The only value of a text, which it has to cover.
fn only(text: &str, language: Language) -> Reading {
    let found = values(text, language, &now());
    assert_eq!(found.len(), 1, "`{text}` gave {found:?}");
    assert_eq!(found[0].text, text);
    found[0].reading.clone()
}

fn dates() -> impl Strategy<Value = Date> {
    (1950_i16..2060, 1_i8..=12, 1_i8..=28)
        .prop_map(|(year, month, day)| Date::new(year, month, day).expect("a day of every month"))
}

fn times() -> impl Strategy<Value = Time> {
    (0_i8..24, 0_i8..60, 0_i8..60)
        .prop_map(|(hour, minute, second)| Time::constant(hour, minute, second, 0))
}

fn languages() -> impl Strategy<Value = Language> {
    prop::sample::select(Language::ALL.to_vec())
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

const MESES: [&str; 12] = [
    "enero",
    "febrero",
    "marzo",
    "abril",
    "mayo",
    "junio",
    "julio",
    "agosto",
    "septiembre",
    "octubre",
    "noviembre",
    "diciembre",
];

const MOIS: [&str; 12] = [
    "janvier",
    "février",
    "mars",
    "avril",
    "mai",
    "juin",
    "juillet",
    "août",
    "septembre",
    "octobre",
    "novembre",
    "décembre",
];

/// A day as each language writes it out.
fn written(date: Date, language: Language) -> String {
    let (year, month, day) = (date.year(), date.month(), date.day());
    let at = month as usize - 1;
    match language {
        Language::En => format!("{} {day}, {year}", MONTHS[at]),
        Language::Es => format!("{day} de {} de {year}", MESES[at]),
        Language::Vi => format!("ngày {day} tháng {month} năm {year}"),
        Language::ZhHant | Language::ZhHans => format!("{year}年{month}月{day}日"),
        Language::Fr => format!("{day} {} {year}", MOIS[at]),
        // Words for the months of the others are tried in their cases.
        Language::Pt | Language::De | Language::Ja | Language::Id => date.to_string(),
    }
}

proptest! {
    #[test]
    fn a_day_is_read_as_it_was_written(date in dates(), language in languages()) {
        prop_assert_eq!(only(&date.to_string(), language), Reading::Date(date));
        prop_assert_eq!(only(&date.strftime("%Y%m%d").to_string(), language), Reading::Date(date));
        let text = written(date, language);
        let found = values(&text, language, &now());
        prop_assert_eq!(found.first().map(|value| &value.reading), Some(&Reading::Date(date)), "{}", text);
    }

    #[test]
    fn a_time_is_read_as_it_was_written(time in times(), language in languages()) {
        prop_assert_eq!(only(&time.strftime("%H:%M:%S").to_string(), language), Reading::Time(time));
        let hour = time.strftime("%I:%M:%S %p").to_string();
        prop_assert_eq!(only(&hour, language), Reading::Time(time));
    }

    #[test]
    fn an_instant_is_read_as_it_was_written(date in dates(), time in times(), language in languages()) {
        let instant = date.to_datetime(time).to_zoned(jiff::tz::TimeZone::UTC).expect("UTC has no gaps");
        let text = instant.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
        prop_assert_eq!(only(&text, language), Reading::Datetime(instant));
    }

    #[test]
    fn a_range_is_read_as_it_was_written(start in dates(), days in 1_i64..400, language in languages()) {
        let last = start.checked_add(days.days()).expect("a day within range");
        let end = last.tomorrow().expect("a day within range");
        let expected = Reading::Range(Moment::Date(start), Moment::Date(end));
        prop_assert_eq!(only(&format!("{start}~{last}"), language), expected);
    }

    #[test]
    fn a_number_is_read_as_it_was_written(whole in 0_u32..1_000_000, cents in 1_u32..100) {
        let value = format!("{whole}.{cents:02}").parse::<f64>().expect("a decimal");
        prop_assert_eq!(only(&format!("{whole}.{cents:02}"), Language::En), Reading::Number(value));
        prop_assert_eq!(only(&format!("{whole},{cents:02}"), Language::Es), Reading::Number(value));
        prop_assert_eq!(only(&format!("-{whole}.{cents:02}"), Language::ZhHant), Reading::Number(-value));
        let share = only(&format!("{whole}.{cents:02}%"), Language::Vi);
        prop_assert!(matches!(share, Reading::Number(_)));
    }

    #[test]
    fn a_length_is_read_as_it_was_written(days in 1_i32..100, hours in 1_i32..24) {
        let span: Span = days.days().hours(hours);
        let expected = Reading::Duration(span.fieldwise());
        prop_assert_eq!(only(&format!("{days} days {hours} hours"), Language::En), expected.clone());
        prop_assert_eq!(only(&format!("{days} días y {hours} horas"), Language::Es), expected.clone());
        prop_assert_eq!(only(&format!("{days}天{hours}小時"), Language::ZhHant), expected.clone());
        prop_assert_eq!(only(&format!("{days} ngày {hours} giờ"), Language::Vi), expected);
    }

    #[test]
    fn a_position_is_read_as_it_was_written(longitude in -17_900..17_900_i32, latitude in -8_900..8_900_i32) {
        let (longitude, latitude) = (f64::from(longitude) / 100.0, f64::from(latitude) / 100.0);
        let text = format!("lon={longitude} lat={latitude}");
        prop_assert_eq!(only(&text, Language::En), Reading::Point(Point { longitude, latitude }));
    }

    #[test]
    fn whatever_is_relative_moves_with_the_clock(days in -20_000_i64..20_000, at in 0..RELATIVE.len()) {
        let (language, text) = RELATIVE[at];
        let day = |now: &jiff::Zoned| match values(text, language, now).first().map(|v| v.reading.clone()) {
            Some(Reading::Date(date)) => (date, date),
            Some(Reading::Range(Moment::Date(start), Moment::Date(end))) => (start, end),
            Some(Reading::Datetime(instant)) => (instant.date(), instant.date()),
            Some(Reading::Range(Moment::Instant(start), Moment::Instant(end))) => (start.date(), end.date()),
            other => panic!("`{text}` gave {other:?}"),
        };
        let later = now().checked_add(days.days()).expect("a day within range");
        let (start, end) = day(&now());
        let shifted = |date: Date| date.checked_add(days.days()).expect("a day within range");
        prop_assert_eq!((shifted(start), shifted(end)), day(&later), "{}", text);
    }
}

/// Pieces of names that programs give, and of requests.
const PIECES: &[&str] = &[
    "src/",
    "main.rs",
    "*",
    "**",
    "{a,b}",
    "[0-9]",
    "~/",
    "C:\\",
    "HEAD",
    "~2",
    "@{",
    "}",
    "a1b2c3d",
    "v1.2",
    "owner/name",
    "ABC-123",
    "my-new-branch",
    "snake_case",
    "10.0.0.1",
    "::",
    "/24",
    "..",
    "Asia/Tokyo",
    "utc",
    "+8",
    "東京",
    "tokyo",
    "search for",
    "named",
    "saying",
    "from",
    "to",
    "把",
    "改成",
    "的",
    "tìm",
    "busca",
    ":",
    ".",
    ",",
    "\"",
    "`",
    "「",
    "」",
    " ",
    " ",
    " ",
    "請",
    "please",
    "説",
    "tell",
    "that",
    "and",
    "rename",
    "in",
    "the",
    "file",
    "e\u{301}",
    "㎞",
    "，",
    "？",
];

fn requests() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(PIECES);
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn names_and_objects_are_words_of_the_text_and_apart(
        text in prop_oneof![requests(), any::<String>()],
        language in languages(),
    ) {
        let (now, source) = (now(), Text::new(&text));
        let conventions = Conventions::STANDARD;
        let context = Context { now: &now, language, gazetteers: &[], conventions, wanted: Kinds::ALL };
        let characters: Vec<char> = text.chars().collect();
        let check = |values: &[Value]| {
            let mut end = 0;
            for value in values {
                prop_assert!(value.span.start >= end && value.span.start < value.span.end);
                prop_assert!(value.span.end <= characters.len());
                let words: String = characters[value.span.start..value.span.end].iter().collect();
                prop_assert_eq!(&words, &value.text);
                end = value.span.end;
            }
            Ok(())
        };
        let found = extract(&source, &context);
        check(&found)?;
        for kind in Kind::ALL {
            check(&of_kind(&source, &context, kind))?;
        }
        for value in &found {
            role(&source, value.span, language);
        }
        for object in objects(&source, language) {
            prop_assert!(object.breaks.iter().all(|span| object.span.contains(*span)));
        }
    }

    #[test]
    fn what_nobody_wants_is_not_found(text in requests(), language in languages()) {
        let found = values(&text, language, &now());
        prop_assert!(!found.iter().any(|value| value.kind.is_opt_in()), "{:?}", found);
    }
}

/// Words that count days from today, in every language.
const RELATIVE: [(Language, &str); 20] = [
    (Language::En, "today"),
    (Language::En, "the day before yesterday"),
    (Language::En, "in 10 days"),
    (Language::En, "two weeks ago"),
    (Language::En, "the last 3 days"),
    (Language::En, "tomorrow at 2pm"),
    (Language::En, "tomorrow afternoon"),
    (Language::ZhHant, "前天"),
    (Language::ZhHant, "未來三天"),
    (Language::ZhHant, "明天下午三點"),
    (Language::ZhHans, "后天"),
    (Language::ZhHans, "五天前"),
    (Language::Es, "anteayer"),
    (Language::Es, "hace 10 días"),
    (Language::Es, "los últimos 7 días"),
    (Language::Es, "mañana a las 3 de la tarde"),
    (Language::Vi, "hôm qua"),
    (Language::Vi, "3 ngày trước"),
    (Language::Vi, "hom kia"),
    (Language::Vi, "tối nay"),
];

//! Values that the words deny or take back fill nothing.

use serde_json::{Value as Json, json};
use waypost_core::records::request::PastCall;

use super::super::{DraftCall, fill};
use super::sea;

/// The west edges and the days of the calls that a text makes, beside those of an earlier call.
fn calls(text: &str, past: Option<&Json>) -> (Vec<String>, Vec<String>) {
    sea().with(text, |turn| {
        let memory = past.map(|arguments| PastCall {
            tool: "tool".to_owned(),
            arguments: arguments.as_object().cloned().unwrap_or_default(),
            text: None,
        });
        let draft = DraftCall { tool: "tool".to_owned(), memory, ..DraftCall::default() };
        let filled = fill(turn, &draft).unwrap_or_default();
        let calls = filled.calls.iter().map(|call| {
            let west =
                call.arguments.get("bbox").map_or("-".to_owned(), |bbox| bbox[0].to_string());
            let day = call.arguments.get("date").and_then(Json::as_str).unwrap_or("-").to_owned();
            (west, day)
        });
        calls.unzip()
    })
}

/// Fails with all that came out otherwise.
#[track_caller]
fn none(wrong: &[String]) {
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const TODAY: &str = "2025-11-06";

#[test]
fn a_place_that_is_denied_is_not_looked_up() {
    let mut wrong = Vec::new();
    for (text, west) in [
        ("no not Hualien, Keelung", "20.0"),
        ("not Hualien but Keelung", "20.0"),
        ("Keelung, not Hualien", "20.0"),
        ("not off Hualien, off Keelung please", "20.0"),
        ("I don't want Hualien, give me Keelung", "20.0"),
        ("the sea temperature isn't for Hualien, it's for Keelung", "20.0"),
        ("Keelung instead of Hualien", "20.0"),
        ("Hualien, sorry, Keelung", "20.0"),
        ("neither Hualien nor Lima, Keelung", "20.0"),
        ("不是花蓮，是基隆", "20.0"),
        ("我不要花蓮的，要基隆的海溫", "20.0"),
        ("不是花莲，是基隆", "20.0"),
        ("不要花莲，改成基隆", "20.0"),
        ("không phải Huế, Đà Nẵng", "40.0"),
        ("khong phai Hue, Da Nang", "40.0"),
        ("đừng lấy Huế, lấy Đà Nẵng", "40.0"),
        ("no Lima, sino Arequipa", "60.0"),
        ("no quiero Lima, quiero Arequipa", "60.0"),
        ("Arequipa, no Lima", "60.0"),
        ("sin Lima, solo Arequipa", "60.0"),
        ("not Hualien, only Keelung", "20.0"),
    ] {
        let past = json!({ "bbox": [10.0, 0.0, 11.0, 2.0], "date": "2025-11-05" });
        for past in [None, Some(&past)] {
            let found = calls(text, past).0;
            if found != [west] {
                wrong.push(format!("{text}: {found:?} beside {past:?}"));
            }
        }
    }
    none(&wrong);
}

#[test]
fn a_day_that_is_denied_is_not_looked_up() {
    let mut wrong = Vec::new();
    for (text, day) in [
        ("Hualien not today, yesterday", "2025-11-05"),
        ("Hualien, not for today but yesterday", "2025-11-05"),
        ("Hualien yesterday, not today", "2025-11-05"),
        ("Hualien today, no wait, yesterday", "2025-11-05"),
        ("花蓮海溫，不是今天，是昨天", "2025-11-05"),
        ("花莲海温 不要今天，昨天", "2025-11-05"),
        ("Huế không phải hôm nay, hôm qua", "2025-11-05"),
        ("Lima no hoy, sino ayer", "2025-11-05"),
        ("Hualien, not yesterday", TODAY),
    ] {
        let found = calls(text, None).1;
        if found != [day] {
            wrong.push(format!("{text}: {found:?}"));
        }
    }
    none(&wrong);
}

#[test]
fn a_denial_of_something_else_denies_no_place_and_no_day() {
    let mut wrong = Vec::new();
    for text in [
        "is it not warm today off Hualien",
        "why isn't the sea off Hualien warmer today",
        "I don't know the sea temperature today, Hualien",
        "no idea how warm Hualien is today",
        "花蓮今天是不是很暖",
        "hoy en Hualien no hace calor",
        "hôm nay Hualien không ấm",
    ] {
        let found = calls(text, None);
        if found != (vec!["10.0".to_owned()], vec![TODAY.to_owned()]) {
            wrong.push(format!("{text}: {found:?}"));
        }
    }
    none(&wrong);
}

#[test]
fn a_default_and_an_earlier_call_say_nothing_that_is_denied() {
    sea().asks("Hualien, not today", "date", &json!([]));
    sea().asks("花蓮，不要今天", "date", &json!([]));
    sea().asks("Lima, no hoy", "date", &json!([]));
    sea().asks("Huế, không phải hôm nay", "date", &json!([]));
    let past = json!({ "bbox": [10.0, 0.0, 11.0, 2.0], "date": "2025-11-05" });
    assert_eq!(calls("not Hualien", Some(&past)).0, ["-"]);
    assert_eq!(calls("不是花蓮", Some(&past)).0, ["-"]);
    assert_eq!(calls("and the day before?", Some(&past)).0, ["10.0"]);
}

#[test]
fn a_number_that_is_denied_is_none() {
    let mut wrong = Vec::new();
    for (text, depth) in [
        ("Hualien, don't use depth 5, use 7", 7),
        ("Hualien, depth not 5 but 7", 7),
        ("花蓮 水深不是5，是7", 7),
        ("Lima, profundidad no 5 sino 7", 7),
        ("Huế, độ sâu không phải 5, 7", 7),
    ] {
        let filled = sea().fill(text);
        let found = filled.calls[0].arguments.get("depth");
        if found != Some(&json!(depth)) {
            wrong.push(format!("{text}: {found:?}"));
        }
    }
    none(&wrong);
}

//! What looks like a value and could not be read is asked about, and no default stands for it.

use serde_json::json;

use super::{Tried, sea, tool};

impl Tried {
    /// The sentence, the words in it and the argument of the first question; nothing where none is asked.
    fn question(&self, text: &str) -> Option<(&'static str, String, String)> {
        let gap = self.fill(text).gaps.into_iter().next()?;
        let words = gap.sentence.with.get("text").cloned().unwrap_or_default();
        Some((gap.sentence.name, words, gap.argument))
    }
}

#[track_caller]
fn asks(tried: &Tried, text: &str, sentence: &'static str, words: &str, argument: &str) {
    let wanted = Some((sentence, words.to_owned(), argument.to_owned()));
    assert_eq!(tried.question(text), wanted, "{text}");
    let filled = tried.fill(text);
    assert!(filled.calls.iter().all(|call| !call.arguments.contains_key(argument)), "{text}");
}

#[test]
fn a_date_that_is_none_is_asked_about_and_today_does_not_stand_for_it() {
    for (text, words) in [
        ("sst Hualien 9999999-01-01", "9999999-01-01"),
        ("sst Hualien 2025-1-1-1", "2025-1-1-1"),
        ("sst Hualien on 2025-11-1O", "2025-11-1O"),
        ("sst Hualien the 45th of november", "45th of november"),
        ("sst Hualien on 45 November 2025", "45 November 2025"),
        ("花蓮 9999999/01/01 海溫", "9999999/01/01"),
        ("花蓮2025年13月海溫", "2025年13月"),
        ("花莲2025年13月海温", "2025年13月"),
        ("Lima el 45 de noviembre", "45 de noviembre"),
        ("Huế ngày 45 tháng 11", "45 tháng 11"),
        ("Huế tháng 13 năm 2025", "13"),
    ] {
        asks(&sea(), text, "unread_date", words, "date");
    }
}

#[test]
fn a_number_that_cannot_be_reckoned_with_is_asked_about() {
    asks(
        &sea(),
        "Hualien depth 12345678901234567890",
        "unread_number",
        "12345678901234567890",
        "depth",
    );
    let nets = tool(json!({ "total_nets": { "type": "integer" } }), &["total_nets"]);
    for (text, words) in [
        ("plan for 12345678901234567890 nets", "12345678901234567890"),
        ("plan for 1O0 nets", "1O0"),
        ("plan for 1e999 nets", "1e999"),
        ("12345678901234567890 張蚊帳", "12345678901234567890"),
    ] {
        asks(&nets, text, "unread_number", words, "total_nets");
    }
    asks(&sea(), "sea at 1.2.3.4.5 degrees", "unread_number", "1.2.3.4.5", "bbox");
}

#[test]
fn a_place_that_nobody_knows_is_asked_about() {
    for (text, words) in [
        ("sea temperature near Gotham today", "Gotham"),
        ("sea temperature off Port Nowhere today", "Port Nowhere"),
        ("temperatura del mar cerca de Macondo hoy", "Macondo"),
        ("nhiệt độ biển gần Narnia hôm nay", "Narnia"),
    ] {
        asks(&sea(), text, "unread_place", words, "bbox");
    }
}

#[test]
fn what_is_something_else_is_no_question() {
    for text in [
        "sst Hualien yesterday, order 10-15-22",
        "sst Hualien with version 1.2.3",
        "sst Hualien, host 192.168.100.200",
        "sst Hualien ABC-123-X",
        "sst Hualien /data/2025/13/45/report.csv",
        "sst Hualien, call +886 2 1234 5678",
        "sst Hualien 16:9",
        "sst Hualien ISBN 978-3-16-148410-0",
        "sst Hualien invoice 12345678901234567890",
        "sst Hualien, season 2024-25",
        "sst Hualien, 50 buoys in november",
        "花蓮海溫 訂單 4711-2233-01",
    ] {
        assert_eq!(sea().question(text), None, "{text}");
    }
    // Text is text, whatever it looks like.
    let note = tool(
        json!({ "title": { "type": "string" }, "day": { "type": "string", "format": "date" } }),
        &["title"],
    );
    note.gives("title \"9999999-01-01\"", &json!({ "title": "9999999-01-01" }));
    assert_eq!(note.question("title \"9999999-01-01\""), None);
    let order = tool(json!({ "order_id": { "type": "string" } }), &["order_id"]);
    order.gives("order 12345678901234567890", &json!({ "order_id": "12345678901234567890" }));
}

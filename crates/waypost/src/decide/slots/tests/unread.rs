//! A stretch that looks like a value and could not be read is asked about, and no default stands for it.

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

/// Checks the first question about each text, by the words in it, and that no call has its argument.
#[track_caller]
fn ask(tried: &Tried, sentence: &'static str, argument: &str, cases: &[(&str, &str)]) {
    let mut wrong = Vec::new();
    for (text, words) in cases {
        let found = tried.question(text);
        let filled = tried.fill(text);
        let open = filled.calls.iter().all(|call| !call.arguments.contains_key(argument));
        if !open || found != Some((sentence, (*words).to_owned(), argument.to_owned())) {
            wrong.push(format!("{text}: {found:?} {:?}", filled.calls));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_date_that_is_none_is_asked_about_and_today_does_not_stand_for_it() {
    let cases = [
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
    ];
    ask(&sea(), "unread_date", "date", &cases);
}

#[test]
fn a_number_that_cannot_be_reckoned_with_is_asked_about() {
    let depth = [("Hualien depth 123456789012345678901234", "123456789012345678901234")];
    ask(&sea(), "unread_number", "depth", &depth);
    let nets = tool(json!({ "total_nets": { "type": "integer" } }), &["total_nets"]);
    let cases = [
        ("plan for 123456789012345678901234 nets", "123456789012345678901234"),
        ("plan for 1O0 nets", "1O0"),
        ("plan for 1e999 nets", "1e999"),
        ("plan for hundreds of nets", "hundreds of"),
        ("plan for a few thousand nets", "a few thousand"),
        ("123456789012345678901234 張蚊帳", "123456789012345678901234"),
    ];
    ask(&nets, "unread_number", "total_nets", &cases);
    ask(&sea(), "unread_place", "bbox", &[("sea at 1.2.3.4.5 degrees", "1.2.3.4.5")]);
}

#[test]
fn a_place_that_nobody_knows_is_asked_about() {
    let cases = [
        ("sea temperature near Gotham today", "Gotham"),
        ("sea temperature off Port Nowhere today", "Port Nowhere"),
        ("temperatura del mar cerca de Macondo hoy", "Macondo"),
        ("nhiệt độ biển gần Narnia hôm nay", "Narnia"),
    ];
    ask(&sea(), "unread_place", "bbox", &cases);
}

#[test]
fn what_is_something_else_is_no_question() {
    let mut wrong = Vec::new();
    for text in [
        "sst Hualien yesterday, order 10-15-22",
        "sst Hualien with version 1.2.3",
        "sst Hualien, host 192.168.100.200",
        "sst Hualien ABC-123-X",
        "sst Hualien /data/2025/13/45/report.csv",
        "sst Hualien, call +886 2 1234 5678",
        "sst Hualien 16:9",
        "sst Hualien ISBN 978-3-16-148410-0",
        "sst Hualien invoice 123456789012345678901234",
        "sst Hualien, season 2024-25",
        "sst Hualien, 50 buoys",
        "花蓮海溫 訂單 4711-2233-01",
    ] {
        if let Some(found) = sea().question(text) {
            wrong.push(format!("{text}: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Text is text, whatever it looks like.
    let note = tool(
        json!({ "title": { "type": "string" }, "day": { "type": "string", "format": "date" } }),
        &["title"],
    );
    note.gives("title \"9999999-01-01\"", &json!({ "title": "9999999-01-01" }));
    assert_eq!(note.question("title \"9999999-01-01\""), None);
    let order = tool(json!({ "order_id": { "type": "string" } }), &["order_id"]);
    order.gives(
        "order 123456789012345678901234",
        &json!({ "order_id": "123456789012345678901234" }),
    );
}

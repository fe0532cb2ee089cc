//! Answers in the language of the question, one line a call, with the day that was used.

use crate::odd_servers;
use crate::support::{Home, server};

#[track_caller]
fn says(text: &str, words: &[&str]) {
    let run = Home::new().ask(&[text]);
    run.ended(0);
    for word in words {
        assert!(run.stdout.contains(word), "`{word}` is missing: {}", run.stdout);
    }
    assert_eq!(run.stdout.lines().count(), 1, "{}", run.stdout);
}

#[test]
fn s0_37_sea_temperature_in_four_languages() {
    says(
        "現在台灣周遭海溫多少？",
        &["2025-11-05：台灣周遭海溫約 ", " °C，距平 ", "（原請求 2025-11-06）"],
    );
    says(
        "现在台湾周边海温多少？",
        &["2025-11-05：", "海温约 ", " °C，距平 ", "（原请求 2025-11-06）"],
    );
    says("SST around Taiwan now?", &["2025-11-05: SST ≈ ", "anomaly ", "Asked for 2025-11-06"]);
    says(
        "¿Temperatura del mar en Hawái hoy?",
        &["2025-11-05: temperatura del mar ≈ ", "anomalía ", "Se pidió 2025-11-06"],
    );
}

#[test]
fn tides_in_four_languages() {
    says("基隆今天的潮汐", &["2025-11-06：基隆", "滿潮 ", "乾潮 "]);
    says("基隆今天的潮汐时间", &["2025-11-06：", "满潮 ", "干潮 "]);
    says("tides at Keelung today", &["2025-11-06 (Keelung): ", "high water ", "low water "]);
    says("mareas en Keelung hoy", &["2025-11-06 (", "pleamar ", "bajamar "]);
}

#[test]
fn two_questions_get_two_lines() {
    let run = Home::new().ask(&["--debug", "基隆今天的潮汐與海溫"]);
    run.ended(0).told(&["call tide.forecast", "call ghrsst.bbox_mean"]);
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert!(lines[0].contains("滿潮"), "{lines:?}");
    assert!(lines[1].contains("海溫約"), "{lines:?}");
}

#[test]
fn what_is_not_served_is_refused_in_the_users_language() {
    for (text, words) in [
        ("明天會下雨嗎", "目前僅提供"),
        ("明天会下雨吗", "目前仅提供"),
        ("will it rain tomorrow", "Only sea surface temperature"),
        ("¿va a llover mañana?", "Aquí solo hay"),
    ] {
        let run = Home::new().ask(&[text]);
        run.ended(3);
        assert!(run.stdout.contains(words), "{text}: {run:?}");
    }
}

#[test]
fn s0_37_the_sign_of_an_anomaly_is_shown() {
    let answer = Home::new().envelope(&["SST near Hawaii now"]);
    let anomaly = answer["raw"]["tool_result"]["sst_anomaly"].as_f64().unwrap();
    let shown = format!("{anomaly:+.2} °C");
    assert!(answer["text"].as_str().unwrap().contains(&shown), "{answer}");
}

#[test]
fn color_is_for_terminals() {
    let run = Home::new().ask(&["--debug", "海溫多少"]);
    assert!(!run.stdout.contains('\u{1b}') && !run.stderr.contains('\u{1b}'), "{run:?}");
}

/// A server that has neither value for any day.
const NEITHER: &str = r#"
def call(name, arguments):
    return json.dumps({"date": arguments["date"], "sst": None, "sst_anomaly": None})
TOOLS = [tool("ghrsst.bbox_mean", "The mean of an area.")]
"#;

#[test]
fn s0_37_a_day_without_either_value_is_said_in_four_languages() {
    let home = Home::new();
    odd_servers::server(&home, NEITHER);
    let python = if cfg!(windows) { "python" } else { "python3" };
    let file = home.path("server.py").to_string_lossy().into_owned();
    home.write("waypost.toml", &server(&[python, &file]));
    for (text, line) in [
        ("昨天台灣周遭海溫", "2025-11-05：台灣周遭海溫沒有 GHRSST 資料。"),
        ("昨天台湾周边海温", "2025-11-05：台湾周边海温没有 GHRSST 数据。"),
        ("SST around Taiwan yesterday", "2025-11-05: no GHRSST data (around Taiwan)."),
        ("temperatura del mar en Hawái ayer", "2025-11-05: sin datos GHRSST (Hawái)."),
    ] {
        let run = home.ask(&[text]);
        assert_eq!(run.ended(0).stdout.trim_end(), line, "{text}");
    }
}

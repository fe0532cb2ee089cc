//! The accelerator pack from the outside, without any model: sets of capabilities, plans, commands, limits and approvals.

use serde_json::Value as Json;

use crate::support::Home;

const PACK: [&str; 4] = ["--pack", "accelerator", "--now", "2026-03-18T10:00:00+08:00"];
const ALWAYS: [&str; 2] = ["respond", "clarify"];

fn decided(home: &Home, text: &str) -> Json {
    home.run(&[&["route"], &PACK[..], &[text]].concat()).ended(0).json()
}

fn names<'a>(decision: &'a Json, list: &str) -> Vec<&'a str> {
    let list = decision[list].as_array().unwrap().iter();
    list.filter_map(|item| item.as_str().or_else(|| item["tool"].as_str())).collect()
}

#[test]
fn s3_1_s3_2_s3_9_s3_27_capabilities_are_chosen_each_by_itself_after_the_always_active_ones() {
    let home = Home::new();
    for (text, wanted) in [
        ("What's the weather like?", &["current_weather"][..]),
        ("How's the weather today?", &["current_weather"]),
        ("今天會下雨嗎", &["current_weather"]),
        ("What's the beam current right now?", &["channel_finding", "channel_read"]),
        (
            "plot the beam current over the last 2 hours",
            &["channel_finding", "time_range_parsing", "archiver_retrieval", "python"],
        ),
        ("讀一下 QF1 現在的電流", &["channel_finding", "channel_read"]),
        ("dòng chùm bây giờ bao nhiêu", &["channel_finding", "channel_read"]),
    ] {
        let decision = decided(&home, text);
        assert_eq!(names(&decision, "calls"), wanted, "{decision}");
        let selected = [&ALWAYS[..], wanted].concat();
        assert_eq!(names(&decision, "selected"), selected, "{decision}");
    }
    let talk = decided(&home, "Which tools do you have?");
    assert_eq!((&talk["route"], names(&talk, "calls").len()), (&"respond".into(), 0));
}

#[test]
fn s3_27_check_weather_is_one_step_and_the_answer_in_four_languages() {
    let home = Home::new();
    for text in ["Check weather", "查天氣", "Mira el tiempo", "Xem thời tiết", "Kiểm tra thời tiết"]
    {
        let decision = decided(&home, text);
        assert_eq!(decision["decision"], "run", "{text}: {decision}");
        assert_eq!(names(&decision, "calls"), ["current_weather"], "{text}: {decision}");
        let selected = [ALWAYS[0], ALWAYS[1], "current_weather"];
        assert_eq!(names(&decision, "selected"), selected, "{text}: {decision}");
        let steps = decision["steps"].as_array().unwrap().iter();
        let steps: Vec<&str> = steps.filter_map(|step| step["capability"].as_str()).collect();
        assert_eq!(steps, ["current_weather", "respond"], "{text}: {decision}");
    }
}

#[test]
fn s3_10_a_command_selects_every_capability_that_no_gate_holds_back() {
    let home = Home::new();
    let decision = decided(&home, "/task:off /caps:off What's the current beam status?");
    assert_eq!(decision["layer"], "declared", "{decision}");
    let selected = names(&decision, "selected");
    assert_eq!(selected.len(), ALWAYS.len() + 9, "{decision}");
    assert!(!selected.contains(&"channel_write"), "{decision}");
    assert_eq!(
        (&decision["switches"]["caps"], &decision["switches"]["task"]),
        (&"off".into(), &"off".into())
    );
    let switched = decided(&home, "/planning:on");
    assert_eq!((&switched["decision"], names(&switched, "calls").len()), (&"run".into(), 0));
    let turn_only = decided(&home, "/beam:diagnostic hello");
    assert_eq!(turn_only["options"]["beam"], "diagnostic", "{turn_only}");
}

#[test]
fn a_write_is_shown_and_runs_after_a_yes_within_its_limits() {
    let home = Home::new();
    let ask = |text: &str| {
        let run = home.run(&[&["ask", "--session", "ana"], &PACK[..], &[text]].concat());
        run.stdout
    };
    let decision = decided(&home, "set QF1 to 85 A");
    assert_eq!(decision["reason"], "gate:approval", "{decision}");
    assert_eq!(decision["calls"][1]["arguments"]["value"], 85, "{decision}");
    assert_eq!(decided(&home, "set QF1 to 5000 A")["reason"], "gate:limits");
    assert_eq!(decided(&home, "move U1 to 2.5 cm")["calls"][1]["arguments"]["value"], 25);
    assert!(ask("set QF1 to 85 A").contains("MAG:QF1:CURRENT"));
    let done = ask("yes");
    assert!(done.contains("MAG:QF1:CURRENT set to 85"), "{done}");
    assert!(ask("set QF1 to 90 A").contains("Yes"));
    let left = ask("no");
    assert!(!left.contains("set to"), "{left}");
}

#[test]
fn two_writes_are_asked_about_one_after_the_other_and_both_are_made() {
    let home = Home::new();
    let ask = |text: &str| {
        let arguments = [&["ask", "--json", "--session", "two"], &PACK[..], &[text]].concat();
        home.run(&arguments).ended(0).json()
    };
    let first = ask("set QF1 to 80 and QF2 to 83");
    assert!(first["text"].as_str().unwrap().contains("MAG:QF1:CURRENT"), "{first}");
    let second = ask("yes");
    let text = second["text"].as_str().unwrap();
    assert!(text.contains("MAG:QF1:CURRENT set to 80"), "{text}");
    assert!(text.contains("MAG:QF2:CURRENT"), "{text}");
    let third = ask("yes");
    let text = third["text"].as_str().unwrap();
    assert!(text.contains("MAG:QF2:CURRENT set to 83"), "{text}");
}

#[test]
fn a_condition_is_tested_in_every_language_of_the_pack_and_its_number_is_never_the_value() {
    let home = Home::new();
    for (session, texts, holds, fails, yes) in [
        (
            "c0",
            [
                "if the loss monitor reads above 5, set QF1 to 121 A",
                "set QF1 to 121 A unless the loss monitor reads above 5",
            ],
            "- tested: the condition",
            "Nothing was changed",
            "yes",
        ),
        (
            "c1",
            ["如果束流損失高於 5，就把 QF1 設成 121 A", "把 QF1 設成 121 A，除非束流損失高於 5"],
            "- 已檢查：條件",
            "沒有做任何變更",
            "好",
        ),
        (
            "c2",
            [
                "nếu tổn hao chùm trên 5 thì đặt QF1 thành 121 A",
                "đặt QF1 thành 121 A trừ khi tổn hao chùm trên 5",
            ],
            "- đã kiểm tra: điều kiện",
            "Không có gì bị thay đổi",
            "có",
        ),
        (
            "c3",
            [
                "si la pérdida de haz es mayor que 5, pon QF1 en 121 A",
                "pon QF1 en 121 A a menos que la pérdida de haz sea mayor que 5",
            ],
            "- comprobada: la condición",
            "No se ha cambiado nada",
            "sí",
        ),
    ] {
        let ask = |session: &str, text: &str| {
            let run = home.run(&[&["ask", "--session", session], &PACK[..], &[text]].concat());
            format!("{}{}", run.stdout, run.stderr)
        };
        let shown = ask(&format!("{session}-not"), texts[1]);
        assert!(shown.contains(fails) && shown.contains("RING:BEAM:LOSS"), "{shown}");
        let shown = ask(session, texts[0]);
        assert!(shown.contains(holds) && shown.contains("RING:BEAM:LOSS"), "{shown}");
        assert!(shown.contains(": 121 (") || shown.contains("：121（"), "{shown}");
        let done = ask(session, yes);
        assert!(done.contains("MAG:QF1:CURRENT") && done.contains("121"), "{done}");
        assert!(!done.contains("QF1:CURRENT = 5"), "{done}");
    }
}

#[test]
fn a_question_about_a_change_and_an_amount_that_nobody_counted_change_nothing() {
    let home = Home::new();
    for text in [
        "what would happen if I set QF2 to 125 A?",
        "¿qué pasa si pongo QF2 a 125 A?",
        "What happens to QF2 if I set it to 125 A?",
    ] {
        let decision = decided(&home, text);
        assert_eq!(decision["calls"].as_array().map(Vec::len), Some(0), "{text}: {decision}");
        let supposes = "it asks what a change would do, and asks for none";
        assert_eq!(decision["rationale"], supposes, "{text}: {decision}");
    }
    let meant =
        decided(&home, "if the loss monitor reads above 5, set QF1 to 121 A and tell me why");
    assert_eq!(meant["reason"], "gate:approval", "{meant}");
    for text in ["set QF1 to hundreds of A", "set QF1 to a few thousand A", "把 QF1 設成好幾百安培"]
    {
        let decision = decided(&home, text);
        assert_eq!(decision["reason"], "gate:completeness", "{text}: {decision}");
    }
}

#[test]
fn a_plan_is_shown_as_text_and_as_a_picture() {
    let home = Home::new();
    let file = home.path("plan.svg");
    let svg = file.to_string_lossy().into_owned();
    let text = "plot the beam current over the last 2 hours";
    let run = home.run(&[&["plan"], &PACK[..], &["--svg", &svg, text]].concat());
    let shown = &run.ended(0).stdout;
    assert!(shown.contains("2. archiver_retrieval"), "{shown}");
    assert!(std::fs::read_to_string(&file).unwrap().contains("archiver_retrieval"));
    let none = home.run(&["plan", "--pack", "ocean", "tides at Keelung"]);
    none.ended(2).told(&["makes no plans"]);
}

#[test]
fn by_so_much_is_not_to_so_much_in_every_language_of_the_pack() {
    let home = Home::new();
    for (text, argument, amount) in [
        ("lower QF1 by 5 A", "decrease", 5.0),
        ("raise QF1 by 5 A", "increase", 5.0),
        ("QF1 再加 2 A", "increase", 2.0),
        ("sube QF1 5 A más", "increase", 5.0),
        ("tăng QF1 thêm 3 A", "increase", 3.0),
        ("increase U1 gap by 0.5 cm", "increase", 5.0),
        ("lower QF1 to 80", "value", 80.0),
        ("QF1 降到 80", "value", 80.0),
        ("baja QF1 a 80 A", "value", 80.0),
        ("giảm QF1 xuống còn 80 A", "value", 80.0),
    ] {
        let decision = decided(&home, text);
        let calls = decision["calls"].as_array().unwrap().iter();
        let mut writes = calls.filter(|call| call["tool"] == "channel_write");
        let said = writes.next().map(|call| call["arguments"].clone()).unwrap_or_default();
        let numbers: Vec<(&str, f64)> = ["value", "increase", "decrease"]
            .into_iter()
            .filter_map(|name| Some((name, said[name].as_f64()?)))
            .collect();
        assert_eq!(numbers, [(argument, amount)], "{text}: {decision}");
    }
    assert_eq!(decided(&home, "raise QF1 by 500 A")["reason"], "gate:limits");
    let ask =
        |text: &str| home.run(&[&["ask", "--session", "eva"], &PACK[..], &[text]].concat()).stdout;
    assert!(ask("lower QF1 by 5 A").contains("lower by: 5"));
    let done = ask("yes");
    let set = |text: &str| {
        let after = text.split("set to ").nth(1)?.split(' ').next()?.parse::<f64>().ok()?;
        let before = text.split("it was ").nth(1)?.split(')').next()?.parse::<f64>().ok()?;
        Some(before - after)
    };
    assert_eq!(set(&done), Some(5.0), "{done}");
}

#[test]
fn a_task_says_what_its_words_mean_and_the_period_of_before_is_the_same() {
    let home = Home::new();
    let ask = |text: &str| {
        let args = [&["ask", "--json", "--session", "tom"], &PACK[..], &[text]].concat();
        home.run(&args).ended(0).json()["raw"]["plan"].clone()
    };
    let plan = ask("plot the beam current over the last 2 hours");
    let task = "plot the beam current over the 2026-03-18 08:00 – 2026-03-18 10:00";
    assert_eq!(
        (&plan["task"]["text"], &plan["steps"][0]["objective"]),
        (&task.into(), &task.into())
    );
    for text in [
        "and the cavity temperature for the same time range",
        "同一段時間的冷卻水流量",
        "y la temperatura del túnel en el mismo periodo",
        "áp suất khu 3 trong cùng khoảng thời gian",
    ] {
        let plan = ask(text);
        let calls = plan["calls"].as_array().unwrap();
        let fetched = calls.iter().find(|call| call["tool"] == "archiver_retrieval");
        let start = fetched.map(|call| &call["arguments"]["start"]);
        assert_eq!(start, Some(&"2026-03-18T08:00:00+08:00".into()), "{text}: {plan}");
        assert_eq!(plan["task"]["depends_on_history"], true, "{text}: {plan}");
    }
    let plan = ask("/task:off plot the beam current over the last 2 hours");
    assert_eq!(plan["task"]["text"], "plot the beam current over the last 2 hours");
}

#[test]
fn s3_11_s3_13_s3_30_s3_31_the_page_of_plans_says_what_each_switch_costs_and_what_helps() {
    let page = include_str!("../../../../docs/PLANS.md");
    // A phrase may go on in the next line.
    let page = page.split_whitespace().collect::<Vec<&str>>().join(" ");
    for command in waypost::understand::commands() {
        let name = command.split([':', '|']).next().unwrap();
        assert!(page.contains(&format!("`{name}")), "{name} is not on the page");
    }
    for wanted in [
        "the choice is faster and nothing is missed",
        "later stages see more schemas, so prompts grow longer",
        "plans take longer to make",
        "breaks more easily",
        "too many options",
        "to try things out, in packs of few tools, and where throughput counts most",
        "More at once are faster",
        "*Nothing was selected*",
        "that `always_active` has the routes that every task needs",
        "that each tool has a `guide`",
        "examples that are like the texts",
        "*A judgement failed*",
        "*A loop*",
    ] {
        assert!(page.contains(wanted), "{wanted}");
    }
}

//! The finance pack from the outside, without any model: several symbols side by side, what was said before, pictures, and
//! what its tools cost in a prompt.

use serde_json::{Value as Json, json};
use waypost_testing::Script;

use crate::serve::{Serving, Site};
use crate::support::{Home, McpClient, NOW};

const PACK: [&str; 4] = ["--pack", "finance", "--now", "2025-11-06T09:00:00+08:00"];

fn asked(home: &Home, text: &str) -> String {
    asked_with(home, &[], text)
}

fn decided(home: &Home, text: &str) -> Json {
    let run = home.run(&[&["route"], &PACK[..], &[text]].concat());
    run.ended(0).json()
}

fn calls(decision: &Json) -> Vec<(String, String)> {
    let text = |value: &Json| value.as_str().unwrap_or_default().to_owned();
    let calls = decision["calls"].as_array().unwrap().iter();
    calls.map(|call| (text(&call["tool"]), text(&call["arguments"]["symbol"]))).collect()
}

fn call(tool: &str, symbol: &str) -> (String, String) {
    (tool.to_owned(), symbol.to_owned())
}

#[test]
fn s2_13_s2_14_s2_15_s2_23_complexity_and_strategy_follow_the_calls() {
    let home = Home::new();
    for (text, number, complexity, strategy) in [
        ("price of Apple", 1, "simple", "direct"),
        ("price of Apple, Tesla, Nvidia and Intel", 4, "medium", "iterative"),
        ("price of Apple, Tesla, Nvidia, Intel, Netflix and Amazon", 6, "complex", "parallel"),
    ] {
        let decision = decided(&home, text);
        assert_eq!(calls(&decision).len(), number, "{decision}");
        assert_eq!(decision["complexity"], complexity, "{decision}");
        assert_eq!(decision["strategy"], strategy, "{decision}");
    }
}

/// The events of an answer, as they are streamed.
fn streamed(site: Site, text: &str) -> Vec<Json> {
    let body = json!({ "text": text, "now": NOW }).to_string();
    let headers = [("content-type", "application/json"), ("accept", "text/event-stream")];
    let (status, events) = site.ask("POST", "/v1/answer", &headers, &body);
    assert_eq!(status, 200, "{events}");
    let data = events.lines().filter_map(|line| line.strip_prefix("data: "));
    data.map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The data of the events of this type.
fn of<'a>(events: &'a [Json], kind: &str) -> Vec<&'a Json> {
    events.iter().filter(|event| event["type"] == kind).map(|event| &event["data"]).collect()
}

#[test]
fn s2_21_iterative_and_parallel_turns_stream_their_phases_and_results() {
    let words = "All of them rose today.";
    let script = Script::new().reply(words).reply(words).start();
    let home = Home::new().model(&script);
    let serving = Serving::start(&home, &["--pack", "finance"]);
    for (text, strategy, phases, calls) in [
        (
            "price of Apple, Tesla and Nvidia",
            "iterative",
            ["Making 3 calls, 3 at a time", "Looking at the results, turn 2 of 4"],
            3,
        ),
        (
            "price of Apple, Tesla, Nvidia, Intel, Netflix and Amazon",
            "parallel",
            ["Making 6 calls, 4 at a time", "Looking at the results, turn 2 of 6"],
            6,
        ),
    ] {
        let events = streamed(serving.site, text);
        let told = of(&events, "reasoning");
        assert_eq!(told[1]["metadata"]["strategy"], strategy, "{events:?}");
        let later: Vec<&str> =
            told[2..].iter().map(|phase| phase["content"].as_str().unwrap()).collect();
        assert_eq!(later, phases, "{events:?}");
        let tools = of(&events, "tool");
        let done = tools.iter().filter(|tool| tool["status"] == "success").count();
        assert_eq!((done, tools.len()), (calls, 2 * calls), "{events:?}");
        // What is streamed is the answer: the model's words, then the results.
        let sent: Vec<&str> =
            of(&events, "token").iter().map(|token| token["text"].as_str().unwrap()).collect();
        assert!(sent.len() > 1 && sent[0].starts_with("All"), "{events:?}");
        assert_eq!(sent.concat(), of(&events, "answer")[0]["text"].as_str().unwrap());
        assert_eq!(sent.concat().matches("(Sample data.)").count(), calls, "{events:?}");
        assert_eq!(events.last().unwrap()["type"], "done");
    }
    script.finish();
}

#[test]
fn s2_24_three_tools_that_are_selected_are_named_with_complexity_and_strategy() {
    let home = Home::new();
    let serving = Serving::start(&home, &["--pack", "finance"]);
    let events = streamed(serving.site, "Apple price, Apple news and Apple income statement");
    let decided = &events[1]["data"];
    assert_eq!(
        (&decided["phase"], &decided["action"]),
        (&json!("tool_routing"), &json!("decision"))
    );
    let tools = ["getStockPrice", "getStockNews", "getIncomeStatement"];
    assert_eq!(decided["content"], format!("Selected 3 tools: {}", tools.join(", ")));
    let metadata = &decided["metadata"];
    assert_eq!(metadata["selected_tools"], json!(tools), "{decided}");
    assert_eq!(metadata["complexity"], "medium", "{decided}");
    assert_eq!(metadata["strategy"], "iterative", "{decided}");
}

#[test]
fn each_symbol_is_a_call_in_every_language() {
    let home = Home::new();
    for (text, tool, symbols) in [
        ("price of Apple and Tesla", "getStockPrice", ["AAPL", "TSLA"]),
        ("gia co phieu apple va tesla", "getStockPrice", ["AAPL", "TSLA"]),
        ("輝達跟台積電的股價", "getStockPrice", ["NVDA", "TSM"]),
        ("微软和亚马逊的市盈率", "getFinancialRatios", ["MSFT", "AMZN"]),
    ] {
        let decision = decided(&home, text);
        assert_eq!(calls(&decision), symbols.map(|symbol| call(tool, symbol)), "{decision}");
    }
}

#[test]
fn tickers_with_suffixes_are_symbols_and_words_that_look_like_tickers_are_not() {
    let home = Home::new();
    for (text, symbol) in [
        ("BRK-B price", "BRK-B"),
        ("0700.HK price", "0700.HK"),
        ("600519.SS stock price", "600519.SS"),
    ] {
        let decision = decided(&home, text);
        assert_eq!(calls(&decision), [call("getStockPrice", symbol)], "{decision}");
    }
    for text in ["call my IT department", "who is the CEO of a bakery near me", "give me A"] {
        let decision = decided(&home, text);
        assert_ne!(decision["decision"], "run", "{text}: {decision}");
    }
}

#[test]
fn a_stretch_of_time_is_a_timeframe_or_a_number_of_periods() {
    let home = Home::new();
    let decision = decided(&home, "Apple income statement for the last 8 quarters");
    let arguments = &decision["calls"][0]["arguments"];
    assert_eq!((&arguments["period"], &arguments["limit"]), (&"quarter".into(), &8.into()));
    let decision =
        decided(&home, "Tesla relative strength against the market over the past six months");
    assert_eq!(decision["calls"][0]["arguments"]["timeframe"], "6M", "{decision}");
}

#[test]
fn what_was_asked_about_goes_on() {
    let home = Home::new();
    for (session, first, then) in [
        ("en", "price of Tesla", "its P/E ratio"),
        ("vi", "giá cổ phiếu Tesla", "P/E của công ty này"),
    ] {
        let more = ["--session", session];
        asked_with(&home, &more, first);
        let answer = asked_with(&home, &more, then);
        assert!(answer.contains("Tesla (TSLA)") && answer.contains("P/E"), "{answer}");
    }
}

fn asked_with(home: &Home, more: &[&str], text: &str) -> String {
    let run = home.ask(&[&["--pack", "finance"], more, &[text]].concat());
    run.ended(0);
    run.stdout
}

#[test]
fn answers_have_figures_side_by_side_and_pictures() {
    let home = Home::new();
    let answer = asked(&home, "price of Apple and Tesla");
    assert!(answer.contains("(AAPL)") && answer.contains("(TSLA)"), "{answer}");
    assert!(answer.contains("Sample data"), "the data say that they are synthetic: {answer}");
    let answer = asked(&home, "how has Nvidia done over the past months");
    assert!(answer.contains(".svg"), "{answer}");
}

#[test]
fn memories_are_of_whoever_told_them_and_no_plan_says_who() {
    // One process, and so one tool server, for all three.
    let mut client = McpClient::start(&Home::new(), &["--pack", "finance"]);
    let mut ask = |session: &str, query: &str| {
        let arguments = json!({ "query": query, "query_time": NOW, "session": session });
        let answer =
            client.call("router.answer", &arguments)["result"]["structuredContent"].clone();
        let calls = &answer["raw"]["plan"]["calls"];
        assert_eq!(calls[0]["tool"], "memoryUserEdits", "{answer}");
        assert!(!answer["raw"]["plan"].to_string().contains("user_id"), "{answer}");
        answer["text"].as_str().unwrap().to_owned()
    };
    let (tell, look) = ("remember that I like index funds", "what do you remember about me");
    assert!(ask("ana", tell).contains("index funds"));
    let of_ben = ask("ben", look);
    assert!(of_ben.contains("Memories (3)") && !of_ben.contains("index funds"), "{of_ben}");
    assert!(ask("ana", look).contains("index funds"));
    assert_eq!(client.leave(), 0);
}

#[test]
fn s2_27_s2_34_summaries_and_five_schemas_cost_forty_five_percent_less_than_all_schemas() {
    let catalog = Home::new().run(&["tools", "--json", "--pack", "finance"]).json();
    assert_eq!(catalog["tools"].as_array().unwrap().len(), 38);
    let (summaries, schemas) = (
        catalog["tokens"]["summary"].as_u64().unwrap(),
        catalog["tokens"]["schema"].as_u64().unwrap(),
    );
    let two_levels = summaries + schemas * 5 / 38;
    assert!(two_levels * 100 <= schemas * 55, "{two_levels} of {schemas}");
}

#[test]
fn a_name_of_a_coin_and_of_a_fund_is_what_the_user_looks_at() {
    let home = Home::new();
    for (hints, tool) in [
        (json!([]), "getCryptoPrice"),
        (json!(["coin"]), "getCryptoPrice"),
        (json!(["company"]), "getStockPrice"),
        (json!(["galaxy"]), "getCryptoPrice"),
    ] {
        let record = json!({ "text": "ETH price", "now": NOW, "context": { "hints": hints } });
        let run = home
            .run_with(&["route", "--pack", "finance", "--jsonl"], format!("{record}\n").as_bytes());
        let decision = run.ended(0).records().remove(0);
        assert_eq!(calls(&decision), [call(tool, "ETH")], "{hints}: {decision}");
    }
}

#[test]
fn each_tool_of_a_family_is_called_for_the_names_that_it_takes() {
    let home = Home::new();
    for (text, expected) in [
        (
            "price of bitcoin and Coinbase",
            vec![call("getCryptoPrice", "BTC"), call("getStockPrice", "COIN")],
        ),
        (
            "giá của Apple và Ethereum",
            vec![call("getStockPrice", "AAPL"), call("getCryptoPrice", "ETH")],
        ),
        (
            "price of Apple and Tesla",
            vec![call("getStockPrice", "AAPL"), call("getStockPrice", "TSLA")],
        ),
    ] {
        assert_eq!(calls(&decided(&home, text)), expected, "{text}");
    }
}

#[test]
fn a_ticker_in_capitals_is_a_symbol_though_it_is_a_word_otherwise() {
    let home = Home::new();
    for (text, symbols) in [
        ("where's resistance on MU looking back 90 days", vec!["MU"]),
        ("stock price of GM and Ford", vec!["GM", "F"]),
    ] {
        let decision = decided(&home, text);
        let called: Vec<String> = calls(&decision).into_iter().map(|(_, symbol)| symbol).collect();
        assert_eq!(called, symbols, "{decision}");
    }
    let decision = decided(&home, "price of it now");
    assert_ne!(decision["calls"][0]["arguments"]["symbol"], "IT", "{decision}");
}

#[test]
fn the_ends_of_a_stretch_are_the_least_and_the_most() {
    let home = Home::new();
    for (text, expected) in [
        (
            "ETFs trading between 20 and 40 bucks, volume above 1 million",
            json!({ "price_more_than": 20, "price_lower_than": 40, "volume_more_than": 1_000_000 }),
        ),
        (
            "tìm cổ phiếu công nghệ vốn hóa từ 1 đến 20 tỷ đô",
            json!({ "market_cap_more_than": 1_000_000_000, "market_cap_lower_than": 20_000_000_000_u64 }),
        ),
        (
            "tech stocks with a market cap over $50 billion",
            json!({ "market_cap_more_than": 50_000_000_000_u64 }),
        ),
        ("股價低於30美元的科技股", json!({ "price_lower_than": 30 })),
    ] {
        let decision = decided(&home, text);
        let arguments = decision["calls"][0]["arguments"].as_object().unwrap();
        let bounds = arguments.iter().filter(|(name, _)| name.ends_with("_than"));
        let bounds: serde_json::Map<String, Json> =
            bounds.map(|(name, value)| (name.clone(), value.clone())).collect();
        assert_eq!(Json::Object(bounds), expected, "{text}: {decision}");
    }
}

#[test]
fn cases_by_others_stay_as_right_as_they_are() {
    let cases = concat!(env!("CARGO_MANIFEST_DIR"), "/../../packs/finance/cases.jsonl");
    let floors = ["--min-accuracy", "88", "--max-asked", "5", "--tools"];
    let run = Home::new().run(&[&["eval", "--pack", "finance"], &floors[..], &[cases]].concat());
    run.ended(0);
    // Tools that do the same are one row.
    assert!(run.stdout.contains("| getMarketMovers |"), "{}", run.stdout);
    assert!(!run.stdout.contains("| getTopGainers |"), "{}", run.stdout);
}

#[test]
fn s2_22_language_and_symbols_are_known_before_anything_is_routed() {
    let home = Home::new();
    let seen = |more: &[&str], text: &str| {
        let run = home.run(&[&["why", "--json"], &PACK[..], more, &[text]].concat());
        run.ended(0).json()
    };
    for (text, language, symbol) in [
        ("price of Apple", "en", "AAPL"),
        ("giá cổ phiếu Tesla", "vi", "TSLA"),
        ("蘋果的股價", "zh-Hant", "AAPL"),
    ] {
        let why = seen(&[], text);
        assert_eq!(why["decision"]["language"], language, "{why}");
        assert_eq!(why["mentions"][0]["names"], json!([["company", symbol]]), "{why}");
        // What is routed has the kind of the name in its place.
        assert!(why["masked"].as_str().unwrap().contains("‹company›"), "{why}");
    }
    let (apple, tesla) = (seen(&[], "price of Apple"), seen(&[], "price of Tesla"));
    assert_eq!(apple["student"]["tools"], tesla["student"]["tools"], "{tesla}");
    // Where the route is said no layer is asked, and both are known all the same.
    let declared = seen(&["--route", "explain"], "price of Apple");
    assert_eq!(declared["mentions"], apple["mentions"], "{declared}");
    assert_eq!(declared["decision"]["language"], "en", "{declared}");
    let states = declared["layers"].as_array().unwrap().iter().map(|layer| &layer["state"]);
    assert_eq!(states.filter(|state| *state == "decided").count(), 1, "{declared}");
}

#[test]
fn s2_39_a_choice_below_one_half_runs_nothing_and_is_asked_about() {
    let home = Home::new();
    let (mut ran, mut asked, mut offered) = (0, 0, 0);
    for text in [
        "ETH outlook",
        "how are the moves of Tesla",
        "Apple shareholders",
        "Netflix activity",
        "Apple trend",
        "Tesla calls",
        "Apple performance",
        "Apple momentum",
        "Intel growth",
        "price of Apple",
    ] {
        let decision = decided(&home, text);
        if decision["confidence"].as_f64().unwrap() >= 0.5 {
            assert_eq!(decision["decision"], "run", "{text}: {decision}");
            ran += 1;
            continue;
        }
        assert_ne!(decision["decision"], "run", "{text}: {decision}");
        assert_eq!(decision["reason"], "gate:confidence", "{text}: {decision}");
        assert!(decision["question"]["text"].is_string(), "{text}: {decision}");
        asked += 1;
        let choices = decision["question"]["choices"].as_array();
        offered += usize::from(choices.is_some_and(|choices| choices.len() > 1));
    }
    assert!(ran > 0 && asked > 0 && offered > 0, "{ran} ran, {asked} asked, {offered} offered");
}

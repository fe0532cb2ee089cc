//! The finance tools as a caller sees them: arguments in, result and pictures or failure out.

mod recall;

use serde_json::{Map, Value, json};

use super::listing::{Kind, Listing, Listings};
use super::{PACK, schema as parts, series, tools};
use crate::pack::{Context, Failure, Reply, Tool};
use crate::picture::fault_of;
use crate::{schema, server};

/// The largest picture that is still quick to look at, in bytes.
const LARGEST: usize = 200 * 1024;

fn at(moment: &str) -> Context {
    let now: jiff::Zoned = moment.parse().expect("a moment");
    Context {
        today: now.date(),
        now,
        no_data: false,
        memory: std::sync::Arc::default(),
        ring: std::sync::Arc::default(),
    }
}

fn context() -> Context {
    at("2025-11-06T09:00:00[Asia/Taipei]")
}

/// The arguments with a user and a conversation, where the tool takes them and none is named.
fn filled(tool: &Tool, arguments: &Value) -> Map<String, Value> {
    let mut filled = arguments.as_object().expect("an object").clone();
    for (name, value) in [("user_id", "ana"), ("session_id", "today")] {
        if tool.input["properties"].get(name).is_some() {
            filled.entry(name).or_insert_with(|| json!(value));
        }
    }
    filled
}

/// Calls a tool; a result must fit the tool's output schema, a picture must be one.
fn reply_in(name: &str, arguments: &Value, context: &Context) -> Result<Reply, Failure> {
    let tools = tools();
    let tool = tools.iter().find(|tool| tool.name == name).expect("a tool");
    let reply = server::call(tool, &filled(tool, arguments), context)?;
    let fits = schema::check(&tool.output, &reply.result, "result");
    assert_eq!(fits, Ok(()), "{name} {arguments}: {}", reply.result);
    assert_eq!(reply.result["synthetic"], true);
    let moment = reply.result["timestamp"].as_str().expect("a moment");
    assert!(moment.starts_with(&context.now.date().to_string()), "{moment}");
    for picture in &reply.pictures {
        assert_eq!(fault_of(&picture.svg), None);
        assert!(picture.svg.len() < LARGEST && picture.svg.contains("Source: synthetic data"));
    }
    Ok(reply)
}

fn call(name: &str, arguments: impl std::borrow::Borrow<Value>) -> Value {
    reply_in(name, arguments.borrow(), &context()).expect("a result").result
}

fn refused(name: &str, arguments: impl std::borrow::Borrow<Value>, code: &str, message: &str) {
    let failure = reply_in(name, arguments.borrow(), &context()).expect_err("should be refused");
    assert_eq!(failure.code, code, "{}", failure.message);
    assert!(failure.message.contains(message), "{}", failure.message);
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("a number, not {value}"))
}

fn texts(value: &Value, key: &str) -> Vec<String> {
    let entries = value.as_array().expect("a list").iter();
    entries.map(|entry| entry[key].as_str().expect("a text").to_owned()).collect()
}

/// A call of each tool, with its required arguments and some others.
fn calls() -> Vec<(&'static str, Value)> {
    let apple = || json!({"symbol": "AAPL"});
    vec![
        ("getBalanceSheet", json!({"symbol": "TSLA", "period": "quarter", "limit": 8})),
        ("getCashFlow", apple()),
        ("getIncomeStatement", json!({"symbol": "2330.TW", "limit": 1})),
        ("getFinancialRatios", json!({"symbol": "BRK-B", "period": "ttm"})),
        ("getGrowthMetrics", json!({"symbol": "NVDA", "lookback_years": 3})),
        ("getPriceTargets", apple()),
        ("getStockPerformance", apple()),
        ("getStockPrice", apple()),
        ("detectChartPatterns", json!({"symbol": "AMD", "timeframe": "1Y"})),
        ("getRelativeStrength", json!({"symbol": "TSM", "benchmark": "^TWII", "timeframe": "6M"})),
        ("getSupportResistance", apple()),
        ("getTechnicalIndicators", apple()),
        ("assessRisk", json!({"symbol": "TSLA", "lookback_days": 252})),
        ("getSentiment", apple()),
        ("getVolumeProfile", json!({"symbol": "VIC.VN", "timeframe": "1W"})),
        ("suggestStopLoss", json!({"symbol": "NVDA", "entry_price": 190.5})),
        ("getCompanyEvents", json!({"symbol": "KO", "event_types": ["dividends", "splits"]})),
        ("getEarningsCalendar", apple()),
        ("getStockNews", json!({"symbol": "AAPL", "limit": 3, "page": 1})),
        ("getMarketNews", json!({})),
        ("getMarketBreadth", json!({})),
        ("getMarketIndices", json!({})),
        ("getMarketMovers", json!({"mover_type": "actives"})),
        ("getMostActives", json!({})),
        ("getTopGainers", json!({})),
        ("getTopLosers", json!({})),
        ("getSectorPerformance", json!({"date": "2025-11-02"})),
        ("getStockHeatmap", json!({"group_by": "industry"})),
        ("getCryptoPrice", json!({"symbol": "SHIB-USD"})),
        ("getCryptoTechnicals", json!({"symbol": "BTCUSDT", "timeframe": "15min"})),
        ("stockScreener", json!({"sector": "Technology", "market_cap_more_than": 1e11})),
        ("getRecentConversations", json!({"n": 2, "sort_order": "asc"})),
        ("memoryUserEdits", json!({"command": "view"})),
        ("searchArchivalMemory", json!({"query": "dividends"})),
        ("searchConversationHistory", json!({"query": "bitcoin"})),
        ("searchRecallMemory", json!({"query": "NVDA", "timeframe": "last_hour"})),
        ("think", json!({"thought": "AAPL is a stock"})),
        ("webSearch", json!({"query": "fair value gap", "max_results": 2})),
    ]
}

#[test]
fn every_tool_answers_and_says_the_same_again() {
    let names: Vec<_> = tools().iter().map(|tool| tool.name).collect();
    let mut called: Vec<_> = calls().iter().map(|(name, _)| *name).collect();
    let mut listed = names.clone();
    called.sort_unstable();
    listed.sort_unstable();
    assert_eq!((PACK.name, called.len()), ("finance", 38));
    assert_eq!(called, listed);
    assert!(PACK.writers.iter().all(|writer| names.contains(writer)));
    for (name, arguments) in calls() {
        let first = reply_in(name, &arguments, &context()).expect("a result");
        assert_eq!(Ok(first), reply_in(name, &arguments, &context()), "{name}");
    }
}

#[test]
fn every_listing_has_what_its_tools_need() {
    let listings = Listings::read(&context()).expect("the listings");
    // A coin may have the ticker of a fund.
    let name = |listing: &Listing| (listing.kind == Kind::Coin, listing.symbol);
    let mut symbols: Vec<_> = listings.iter().map(name).collect();
    symbols.sort_unstable();
    assert!(symbols.windows(2).all(|two| two[0] != two[1]), "a symbol comes twice");
    assert!(symbols.len() > 800);
    for listing in listings.of(Kind::Stock) {
        assert!(parts::SECTORS.contains(&listing.sector), "{}", listing.symbol);
        assert!(listing.shares > 0.0 && listing.anchor > 0.0 && listing.country.len() == 2);
        let symbol = json!({"symbol": listing.symbol});
        for tool in ["getCompanyEvents", "suggestStopLoss"] {
            let result = call(tool, symbol.clone());
            assert_eq!(result["symbol"], listing.symbol);
        }
    }
    for coin in listings.of(Kind::Coin) {
        let symbol = json!({"symbol": format!("{}USDT", coin.symbol)});
        assert_eq!(call("getCryptoPrice", symbol)["symbol"], coin.symbol);
    }
}

#[test]
fn prices_stay_near_what_the_listing_says() {
    let listings = Listings::read(&context()).expect("the listings");
    for listing in listings.iter().filter(|listing| listing.beta >= 0.0) {
        for bar in series::daily(listing, &context()).expect("prices") {
            let ratio = bar.close / listing.anchor;
            let symbol = listing.symbol;
            assert!((0.08..12.0).contains(&ratio), "{symbol} {} on {}", bar.close, bar.day);
            assert!(bar.low <= bar.open.min(bar.close) && bar.high >= bar.open.max(bar.close));
            assert!(bar.low > 0.0 && bar.volume > 0.0, "{symbol} on {}", bar.day);
        }
    }
}

#[test]
fn a_day_is_the_same_whenever_it_is_looked_at() {
    let listings = Listings::read(&context()).expect("the listings");
    let apple = listings.stock("aapl").expect("Apple");
    let today = series::daily(apple, &context()).expect("prices");
    let later = series::daily(apple, &at("2026-02-03T09:00:00[UTC]")).expect("prices");
    assert_eq!(today[..], later[..today.len()]);
    assert_eq!(today.last().map(|bar| bar.day.to_string()).as_deref(), Some("2025-11-06"));
    let sunday = series::daily(apple, &at("2025-11-09T09:00:00[UTC]")).expect("prices");
    assert_eq!(sunday.last().map(|bar| bar.day.to_string()).as_deref(), Some("2025-11-07"));
    let early = series::daily(apple, &at("2020-02-01T09:00:00[UTC]")).expect_err("too early");
    assert!(early.code == "NOT_FOUND" && early.message.contains("2020-01-02"), "{early:?}");
}

#[test]
fn a_price_lies_in_its_ranges() {
    let price = call("getStockPrice", json!({"symbol": "aapl"}));
    assert_eq!((&price["symbol"], &price["name"]), (&json!("AAPL"), &json!("Apple")));
    assert_eq!(price["currency"], "USD");
    let of = |key: &str| number(&price[key]);
    assert!(of("year_low") <= of("day_low") && of("day_low") <= of("price"));
    assert!(of("price") <= of("day_high") && of("day_high") <= of("year_high"));
    let before = of("price") - of("change");
    assert!((of("change") / before * 100.0 - of("change_percent")).abs() < 0.02);
    assert_eq!(call("getStockPrice", json!({"symbol": "BRK.B"}))["symbol"], "BRK-B");
    assert_eq!(call("getStockPrice", json!({"symbol": "VIC.VN"}))["currency"], "VND");
    assert_eq!(call("getStockPrice", json!({"symbol": "2330.tw"}))["currency"], "TWD");
}

#[test]
fn unknown_symbols_are_refused_with_a_hint() {
    for (name, arguments) in calls() {
        let Some(symbol) = arguments.get("symbol") else { continue };
        let mut wrong = arguments.clone();
        wrong["symbol"] = json!("ZZZZQ");
        refused(name, wrong, "NOT_FOUND", "`ZZZZQ` is known here; give");
        assert!(symbol.is_string());
    }
    let price = |symbol: &str, hint: &str| {
        refused("getStockPrice", json!({"symbol": symbol}), "NOT_FOUND", hint);
    };
    price("SOL", "ask `getCryptoPrice`");
    price("FPT", "did you mean `FPT.VN`");
    price("GOOGLE", "such as");
    price("NVIDIA", "did you mean `NVDA`");
    refused("getCryptoPrice", json!({"symbol": "AAPL"}), "NOT_FOUND", "ask `getStockPrice`");
    refused("getIncomeStatement", json!({"symbol": "SPY"}), "NOT_FOUND", "is no company");
    let benchmark = json!({"symbol": "AAPL", "benchmark": "NOPE"});
    refused("getRelativeStrength", benchmark, "NOT_FOUND", "`NOPE`");
}

#[test]
fn wrong_arguments_are_refused() {
    let invalid = "INVALID_ARGUMENT";
    refused("getStockPrice", json!({}), invalid, "lacks `symbol`");
    refused("getStockPrice", json!({"symbol": "AAPL", "user_id": "1"}), invalid, "user_id");
    refused("getBalanceSheet", json!({"symbol": "AAPL", "period": "month"}), invalid, "one of");
    refused("assessRisk", json!({"symbol": "AAPL", "lookback_days": 10}), invalid, "below 30");
    refused("getStockNews", json!({"symbol": "AAPL", "limit": 51}), invalid, "above 50");
    refused("getSectorPerformance", json!({"date": "06/11/2025"}), invalid, "YYYY-MM-DD");
    refused("getSectorPerformance", json!({"date": "2026-01-01"}), "NOT_FOUND", "no trading yet");
    refused("getSectorPerformance", json!({"date": "2001-01-01"}), "NOT_FOUND", "begin on");
    let indicators = json!({"symbol": "AAPL", "indicators": ["VWAP"]});
    refused("getTechnicalIndicators", indicators, invalid, "indicators[0]");
    refused("stockScreener", json!({"sector": "Tech"}), invalid, "Technology");
    let stop = json!({"symbol": "AAPL", "entry_price": 0});
    refused("suggestStopLoss", stop, invalid, "not above 0");
}

#[test]
fn accounts_add_up() {
    let years = call("getIncomeStatement", json!({"symbol": "MSFT"}));
    assert_eq!(years["statements"].as_array().map(Vec::len), Some(4));
    assert_eq!(years["statements"][0]["label"], "FY2024");
    assert_eq!(years["statements"][0]["period_end"], "2024-12-31");
    let ask = json!({"symbol": "MSFT", "period": "quarter", "limit": 8});
    let quarters = call("getIncomeStatement", ask);
    let of_2024 = quarters["statements"].as_array().expect("a list").iter();
    let of_2024 = of_2024.filter(|one| one["label"].as_str().is_some_and(|l| l.ends_with("2024")));
    let sum: f64 = of_2024.map(|one| number(&one["revenue"])).sum();
    assert!((sum - number(&years["revenue"])).abs() < 5_000.0, "{sum} {}", years["revenue"]);
    for statement in quarters["statements"].as_array().expect("a list") {
        let of = |key: &str| number(&statement[key]);
        assert!(of("revenue") > of("gross_profit"));
        assert!(of("gross_profit") > of("operating_income"));
    }
    let sheet = call("getBalanceSheet", json!({"symbol": "MSFT"}));
    let of = |key: &str| number(&sheet[key]);
    assert!((of("total_assets") - of("total_liabilities") - of("total_equity")).abs() <= 1_000.0);
    assert!(of("total_debt") < of("total_liabilities") && of("cash") < of("total_assets"));
    let cash = call("getCashFlow", json!({"symbol": "MSFT"}));
    let of = |key: &str| number(&cash[key]);
    let free = of("operating_cash_flow") + of("capital_expenditure");
    assert!((free - of("free_cash_flow")).abs() <= 1_000.0 && of("capital_expenditure") < 0.0);
    let ratios = call("getFinancialRatios", json!({"symbol": "MSFT"}));
    let margin = number(&ratios["profitability_ratios"]["net_margin"]);
    assert!((margin - number(&years["profit_margins"]["net"])).abs() < 0.01);
    let growth = call("getGrowthMetrics", json!({"symbol": "MSFT"}));
    assert_eq!(growth["revenue_growth"]["yoy"], years["revenue_growth"]);
    assert_eq!(growth["years"].as_array().map(Vec::len), Some(5));
}

#[test]
fn a_price_by_losses_is_no_ratio() {
    let listings = Listings::read(&context()).expect("the listings");
    let ratios =
        |listing: &super::Listing| call("getFinancialRatios", json!({"symbol": listing.symbol}));
    let all: Vec<Value> = listings.of(Kind::Stock).map(ratios).collect();
    let losing = |one: &&Value| number(&one["profitability_ratios"]["net_margin"]) < 0.0;
    assert!(all.iter().filter(losing).count() > 3);
    for one in all.iter().filter(losing) {
        assert_eq!(one["valuation_ratios"]["pe"], Value::Null);
        assert_eq!(one["dividend_metrics"]["payout"], Value::Null);
    }
    let earning = all.iter().filter(|one| !losing(one));
    for one in earning {
        assert!(number(&one["valuation_ratios"]["pe"]) > 0.0, "{one}");
    }
}

#[test]
fn reports_come_in_turn() {
    let calendar = call("getEarningsCalendar", json!({"symbol": "AAPL", "limit": 6}));
    let history = calendar["earnings_history"].as_array().expect("a list");
    assert_eq!(history.len(), 6);
    assert!(calendar["next_earnings_date"].as_str() > Some("2025-11-06"));
    let days = texts(&calendar["earnings_history"], "date");
    assert!(days.windows(2).all(|two| two[0] > two[1]) && days[0].as_str() <= "2025-11-06");
    for report in history {
        let beat = number(&report["eps_actual"]) > number(&report["eps_estimate"]);
        assert_eq!(report["beat"], beat);
    }
    let events = call("getCompanyEvents", json!({"symbol": "AAPL", "event_types": ["earnings"]}));
    assert_eq!(events["summary"]["next_event_date"], calendar["next_earnings_date"]);
    let paid = call("getCompanyEvents", json!({"symbol": "KO", "event_types": ["dividends"]}));
    assert_eq!(paid["summary"]["dividend_count"], 4);
    let none = call("getCompanyEvents", json!({"symbol": "TSLA", "event_types": ["dividends"]}));
    assert_eq!((&none["event_count"], &none["events"]), (&json!(0), &json!([])));
}

#[test]
fn indicators_come_in_the_order_asked_for() {
    let names = ["BB", "RSI", "STOCH", "MACD", "ATR", "SMA_200", "EMA_20"];
    for timeframe in ["1D", "5D", "1M", "1Y"] {
        let ask = json!({"symbol": "NVDA", "timeframe": timeframe, "indicators": names});
        let result = call("getTechnicalIndicators", ask);
        assert_eq!(texts(&result["indicators"], "name"), names);
        let [bands, rsi, stochastic, macd, atr, ..] =
            &result["indicators"].as_array().expect("a list")[..]
        else {
            panic!("seven indicators")
        };
        assert!(number(&bands["lower"]) < number(&bands["value"]));
        assert!(number(&bands["value"]) < number(&bands["upper"]));
        assert!((0.0..=100.0).contains(&number(&rsi["value"])));
        assert_eq!(stochastic["value"], stochastic["k"]);
        let histogram = number(&macd["value"]) - number(&macd["signal_line"]);
        assert!((histogram - number(&macd["histogram"])).abs() < 0.01);
        assert!(number(&atr["value"]) > 0.0);
    }
    let usual = call("getTechnicalIndicators", json!({"symbol": "NVDA"}));
    let expected = ["RSI", "MACD", "SMA_20", "SMA_50", "EMA_12", "EMA_26"];
    assert_eq!(texts(&usual["indicators"], "name"), expected);
    for timeframe in ["1min", "4hour", "daily", "weekly"] {
        let coin = call("getCryptoTechnicals", json!({"symbol": "ETH", "timeframe": timeframe}));
        assert_eq!(coin["indicators"].as_array().map(Vec::len), Some(5));
        let price = call("getCryptoPrice", json!({"symbol": "ETHUSD"}));
        assert_eq!(coin["current_price"], price["price"]);
    }
}

#[test]
fn levels_lie_on_their_sides_of_the_price() {
    let listings = Listings::read(&context()).expect("the listings");
    for listing in listings.of(Kind::Stock).take(60) {
        let result = call("getSupportResistance", json!({"symbol": listing.symbol}));
        let price = number(&result["current_price"]);
        let prices = |key: &str| -> Vec<f64> {
            result[key]
                .as_array()
                .expect("a list")
                .iter()
                .map(|one| number(&one["price"]))
                .collect()
        };
        let (support, resistance) = (prices("support_levels"), prices("resistance_levels"));
        assert!(support.iter().all(|level| *level <= price) && !support.is_empty());
        assert!(resistance.iter().all(|level| *level >= price) && !resistance.is_empty());
        assert!(support.windows(2).all(|two| two[0] > two[1]));
        assert!(resistance.windows(2).all(|two| two[0] < two[1]));
        assert_eq!(result["nearest_support"]["price"], json!(support[0]));
    }
}

#[test]
fn a_stop_lies_below_the_entry_and_further_for_the_bold() {
    let stop = |tolerance: &str| {
        call("suggestStopLoss", json!({"symbol": "AAPL", "risk_tolerance": tolerance}))
    };
    let [near, middle, far] = ["conservative", "moderate", "aggressive"].map(stop);
    let level = |result: &Value| number(&result["recommended_stop"]);
    assert!(number(&near["entry_price"]) > level(&near));
    assert!(level(&near) > level(&middle) && level(&middle) > level(&far));
    let risk = number(&far["entry_price"]) - level(&far);
    assert!((risk - number(&far["risk_amount"])).abs() < 0.02);
}

#[test]
fn patterns_are_of_the_kinds_asked_for() {
    let listings = Listings::read(&context()).expect("the listings");
    let mut kinds = Vec::new();
    for listing in listings.of(Kind::Stock).take(150) {
        let ask = json!({"symbol": listing.symbol, "timeframe": "1Y"});
        let result = call("detectChartPatterns", ask);
        let found = result["patterns_detected"].as_array().expect("a list");
        assert!(found.len() <= 3 && result["pattern_count"] == found.len());
        for pattern in found {
            assert!((50.0..=95.0).contains(&number(&pattern["confidence"])), "{pattern}");
            assert!(pattern["start"].as_str() < pattern["end"].as_str(), "{pattern}");
            assert!(number(&pattern["price_target"]) >= 0.0);
            kinds.push(pattern["type"].as_str().expect("a kind").to_owned());
        }
        let ask = json!({"symbol": listing.symbol, "pattern_types": ["double_top"]});
        let tops = texts(&call("detectChartPatterns", ask)["patterns_detected"], "type");
        assert!(tops.iter().all(|kind| kind == "double_top"));
    }
    kinds.sort_unstable();
    kinds.dedup();
    assert!(kinds.len() >= 6, "only {kinds:?}");
}

#[test]
fn risk_is_computed_from_prices() {
    let market = call("assessRisk", json!({"symbol": "SPY", "lookback_days": 252}));
    assert!((number(&market["beta"]) - 1.0).abs() < 1e-9);
    let bold = call("assessRisk", json!({"symbol": "TSLA", "lookback_days": 252}));
    let calm = call("assessRisk", json!({"symbol": "JNJ", "lookback_days": 252}));
    assert!(number(&bold["beta"]) > number(&calm["beta"]) + 0.5, "{bold} {calm}");
    assert!(number(&bold["volatility"]) > number(&calm["volatility"]));
    for one in [market, bold, calm] {
        assert!(number(&one["max_drawdown"]) <= 0.0 && number(&one["var_95"]) <= 0.0);
    }
}

#[test]
fn the_market_is_told_the_same_by_all_its_tools() {
    let gainers = call("getTopGainers", json!({}));
    assert_eq!(gainers, call("getMarketMovers", json!({})));
    let losers = call("getMarketMovers", json!({"mover_type": "losers"}));
    assert_eq!(losers, call("getTopLosers", json!({})));
    let changes = |movers: &Value| -> Vec<f64> {
        let stocks = movers["stocks"].as_array().expect("a list").iter();
        stocks.map(|stock| number(&stock["change_percent"])).collect()
    };
    let (up, down) = (changes(&gainers), changes(&losers));
    assert!(up.len() == 20 && up.windows(2).all(|two| two[0] >= two[1]));
    assert!(down.len() == 20 && down.windows(2).all(|two| two[0] <= two[1]));
    let first = gainers["stocks"][0]["symbol"].clone();
    let price = call("getStockPrice", json!({"symbol": first}));
    assert_eq!(price["change_percent"], gainers["stocks"][0]["change_percent"]);
    let breadth = call("getMarketBreadth", json!({}));
    let of = |key: &str| number(&breadth[key]);
    assert!(of("advancers") + of("decliners") + of("unchanged") > 150.0);
    let sectors = call("getSectorPerformance", json!({}));
    assert_eq!((&sectors["sector_count"], &sectors["date"]), (&json!(11), &json!("2025-11-06")));
    assert_eq!(call("getSectorPerformance", json!({"date": "2025-11-02"}))["date"], "2025-10-31");
    let map = call("getStockHeatmap", json!({}));
    assert_eq!(texts(&map["cells"], "group"), texts(&sectors["sectors"], "sector"));
    let indices = call("getMarketIndices", json!({}));
    assert_eq!(
        texts(&indices["indices"], "name")[..3],
        ["S&P 500", "Nasdaq Composite", "Dow Jones"]
    );
    assert_eq!(indices["index_count"], 10);
}

#[test]
fn a_stock_against_itself_is_even() {
    let ask = json!({"symbol": "AAPL", "benchmark": "AAPL", "timeframe": "1Y"});
    let even = call("getRelativeStrength", ask);
    assert_eq!(
        (number(&even["relative_performance"]), number(&even["strength_score"])),
        (0.0, 50.0)
    );
    assert_eq!((&even["is_outperforming"], &even["trend"]), (&json!(false), &json!("steady")));
    let performance = call("getStockPerformance", json!({"symbol": "AAPL"}));
    assert_eq!(even["stock_return"], performance["timeframes"]["1Y"]);
}

#[test]
fn the_volume_of_all_steps_is_the_whole() {
    let profile = call("getVolumeProfile", json!({"symbol": "AAPL", "timeframe": "6M"}));
    let steps = profile["volume_profile"].as_array().expect("a list");
    let shares: f64 = steps.iter().map(|step| number(&step["share"])).sum();
    assert!(steps.len() == 12 && (shares - 100.0).abs() < 0.1);
    let of = |key: &str| number(&profile[key]);
    assert!(of("value_area_low") < of("poc") && of("poc") < of("value_area_high"));
}

#[test]
fn the_screener_keeps_to_every_criterion() {
    let criteria = json!({
        "sector": "Technology",
        "market_cap_more_than": 50_000_000_000_u64,
        "price_lower_than": 400,
        "beta_more_than": 1,
        "dividend_more_than": 0.5,
        "volume_more_than": 1_000_000,
        "country": "US",
        "exchange": "NASDAQ",
    });
    let found = call("stockScreener", criteria.clone());
    let stocks = found["stocks"].as_array().expect("a list");
    assert!(!stocks.is_empty() && found["criteria"] == criteria);
    for stock in stocks {
        let of = |key: &str| number(&stock[key]);
        assert!(stock["sector"] == "Technology" && stock["country"] == "US");
        assert!(of("market_cap") > 5e10 && of("price") < 400.0 && of("beta") > 1.0);
        assert!(of("dividend_yield") > 0.5 && of("volume") > 1e6);
    }
    let symbols = |criteria: Value| -> Vec<String> {
        let found = call("stockScreener", criteria);
        let symbols = found["symbols"].as_array().expect("a list").iter();
        symbols.map(|symbol| symbol.as_str().expect("a ticker").to_owned()).collect()
    };
    assert_eq!(symbols(json!({})).len(), 10);
    assert_eq!(symbols(json!({"limit": 3})).len(), 3);
    assert!(symbols(json!({"is_etf": true, "limit": 100})).contains(&"SPY".to_owned()));
    assert!(
        symbols(json!({"country": "Vietnam", "limit": 5})).iter().all(|one| one.ends_with(".VN"))
    );
    assert!(symbols(json!({"industry": "Pharmaceuticals"})).contains(&"LLY".to_owned()));
    assert!(symbols(json!({"industry": "semiconductors"})).contains(&"NVDA".to_owned()));
    assert!(symbols(json!({"exchange": "twse", "limit": 1})).contains(&"2330.TW".to_owned()));
    assert!(symbols(json!({"exchange": "LSE"})).is_empty());
}

#[test]
fn news_comes_by_pages() {
    let titles = |arguments: Value| texts(&call("getMarketNews", arguments)["articles"], "title");
    let all = titles(json!({"limit": 10}));
    let pages = [titles(json!({"limit": 5})), titles(json!({"limit": 5, "page": 1}))].concat();
    assert_eq!(all, pages);
    let news = call("getStockNews", json!({"symbol": "AAPL"}));
    assert_eq!((&news["article_count"], &news["limit"]), (&json!(20), &json!(20)));
    let far = call("getStockNews", json!({"symbol": "AAPL", "page": 1e15}));
    assert_eq!(far["article_count"], 0);
    let web = call("webSearch", json!({"query": "<b>&"}));
    let urls = texts(&web["results"], "url");
    assert!(urls.iter().all(|url| url.starts_with("https://example.com/")));
}

#[test]
fn pictures_go_with_what_people_look_at() {
    let titles = |name: &str, arguments: Value| -> Vec<String> {
        let reply = reply_in(name, &arguments, &context()).expect("a result");
        reply.pictures.into_iter().map(|picture| picture.title).collect()
    };
    let apple = || json!({"symbol": "AAPL"});
    assert_eq!(titles("getStockPerformance", apple()), ["Apple (AAPL), six months"]);
    assert_eq!(titles("getRelativeStrength", apple()), ["AAPL against SPY, 3M"]);
    assert_eq!(titles("getSectorPerformance", json!({})), ["Sectors on 2025-11-06"]);
    assert_eq!(titles("getStockHeatmap", json!({})), ["Heat map of sectors"]);
    assert_eq!(titles("getTechnicalIndicators", apple()), ["Apple (AAPL), 3M"]);
    assert!(titles("getStockPrice", apple()).is_empty());
}

#[test]
fn the_fault_not_found_leaves_no_market() {
    let context = Context { no_data: true, ..context() };
    for (name, arguments) in calls() {
        let failed = reply_in(name, &arguments, &context).err().map(|failure| failure.code);
        let own = matches!(name, "think" | "webSearch" | "memoryUserEdits")
            || name.starts_with("search")
            || name == "getRecentConversations";
        assert_eq!(failed, (!own).then_some("NOT_FOUND"), "{name}");
    }
}

//! `getIncomeStatement`, `getBalanceSheet` and `getCashFlow`: a company's accounts by period.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::accounts::{self, Accounts};
use super::listing::Listings;
use super::money::{amount, change, percent, quoted, two};
use super::{about, finish, read, schema};
use crate::pack::{Context, Failure, Reply, Tool};

/// The most periods of one answer.
const MOST: i64 = 40;

#[derive(Debug, Deserialize)]
struct Arguments {
    symbol: String,
    #[serde(default)]
    period: Period,
    #[serde(default = "four")]
    limit: usize,
}

/// The lengths of time that accounts cover.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Period {
    #[default]
    Annual,
    Quarter,
}

fn four() -> usize {
    4
}

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool {
            name: "getBalanceSheet",
            description: "What a company owns and owes: assets, liabilities, equity, debt and \
                          cash, by year or quarter.",
            input: input(),
            output: balance_output(),
            call: balance_sheet,
        },
        Tool {
            name: "getCashFlow",
            description: "A company's cash from operations, investing and financing, its capital \
                          expenditure and free cash flow, by year or quarter.",
            input: input(),
            output: cash_output(),
            call: cash_flow,
        },
        Tool {
            name: "getIncomeStatement",
            description: "A company's revenue, profits, earnings per share and margins, by year \
                          or quarter.",
            input: input(),
            output: income_output(),
            call: income_statement,
        },
    ]
}

fn input() -> Value {
    let properties = json!({
        "symbol": schema::symbol(),
        "period": schema::one_of(&["quarter", "annual"], "annual", "The length of a period."),
        "limit": schema::integer(4, 1, MOST, "The number of periods."),
    });
    schema::input(properties, &["symbol"])
}

/// A result with a list of periods under a name, and the numbers of the newest one.
fn output(list: &str, entry: &[&str], newest: Value) -> Value {
    let mut properties = json!({
        "period": schema::word(&["annual", "quarter"]),
    });
    let mut numbers = json!({"period_end": schema::text(""), "label": schema::text("")});
    for name in entry {
        numbers[*name] = schema::number("");
    }
    properties[list] = schema::list(numbers);
    if let (Value::Object(all), Value::Object(newest)) = (&mut properties, newest) {
        all.extend(newest);
    }
    schema::priced(properties)
}

fn income_output() -> Value {
    let entry = ["revenue", "gross_profit", "operating_income", "net_income", "eps"];
    let newest = json!({
        "revenue": schema::number("Of the newest period, as everything below."),
        "revenue_growth": schema::maybe("Percent on the same period of the year before."),
        "net_income": schema::number(""),
        "eps": schema::number("Earnings per share."),
        "profit_margins": schema::numbers(&["gross", "operating", "net"]),
    });
    output("statements", &entry, newest)
}

fn balance_output() -> Value {
    let entry = ["total_assets", "total_liabilities", "total_equity", "total_debt", "cash"];
    let newest = json!({
        "total_assets": schema::number("At the end of the newest period, as everything below."),
        "total_liabilities": schema::number(""),
        "total_equity": schema::number(""),
        "total_debt": schema::number(""),
        "cash": schema::number(""),
        "debt_to_equity": schema::number("Debt by equity."),
        "current_ratio": schema::number(""),
        "quick_ratio": schema::number(""),
        "book_value_per_share": schema::number(""),
    });
    output("balance_sheets", &entry, newest)
}

fn cash_output() -> Value {
    let names = [
        "operating_cash_flow",
        "investing_cash_flow",
        "financing_cash_flow",
        "capital_expenditure",
        "free_cash_flow",
    ];
    let mut newest: Map<String, Value> =
        names.iter().map(|name| ((*name).to_owned(), schema::number(""))).collect();
    newest.insert("fcf_margin".to_owned(), schema::number("Free cash flow in percent of revenue."));
    output("cash_flows", &names, Value::Object(newest))
}

/// The periods of a company, the newest first.
struct Periods {
    all: Vec<Accounts>,
    /// How many of them are listed.
    limit: usize,
    /// The beginning of the result about them.
    result: Map<String, Value>,
}

impl Periods {
    fn read(arguments: &Map<String, Value>, context: &Context) -> Result<Self, Failure> {
        let Arguments { symbol, period, limit } = read(arguments)?;
        let listings = Listings::read(context)?;
        let listing = listings.stock(&symbol)?;
        let (mut all, name) = match period {
            Period::Annual => (accounts::years(listing, context.today)?, "annual"),
            Period::Quarter => (accounts::quarters(listing, context.today)?, "quarter"),
        };
        all.reverse();
        let mut result = about(listing);
        result.insert("currency".to_owned(), json!(listing.currency()));
        result.insert("period".to_owned(), json!(name));
        Ok(Self { all, limit, result })
    }

    /// The newest period.
    fn newest(&self) -> Result<&Accounts, Failure> {
        self.all.first().ok_or_else(|| Failure::internal("there are no accounts"))
    }

    /// The same period of the year before the newest.
    fn before(&self, last: &Accounts) -> Option<&Accounts> {
        self.all.iter().find(|one| one.year + 1 == last.year && one.quarter == last.quarter)
    }

    /// The result: a list of the periods with their numbers, and those of the newest one.
    fn listed(
        mut self,
        list: &str,
        numbers: impl Fn(&Accounts) -> Value,
        newest: Value,
        context: &Context,
    ) -> Reply {
        let shown = self.all.iter().take(self.limit);
        let entries = shown.map(|period| entry(period, numbers(period))).collect();
        self.result.insert(list.to_owned(), entries);
        if let Value::Object(newest) = newest {
            self.result.extend(newest);
        }
        finish(self.result, Vec::new(), context)
    }
}

/// An entry about a period: when it ended, and its numbers.
fn entry(period: &Accounts, numbers: Value) -> Value {
    let mut entry = json!({"period_end": period.end().to_string(), "label": period.label()});
    if let (Value::Object(entry), Value::Object(numbers)) = (&mut entry, numbers) {
        entry.extend(numbers);
    }
    entry
}

fn income_statement(arguments: &Map<String, Value>, context: &Context) -> Result<Reply, Failure> {
    let periods = Periods::read(arguments, context)?;
    let numbers = |period: &Accounts| {
        json!({
            "revenue": amount(period.revenue),
            "gross_profit": amount(period.gross_profit),
            "operating_income": amount(period.operating_income),
            "net_income": amount(period.net_income),
            "eps": two(period.eps()),
        })
    };
    let last = periods.newest()?;
    let before = periods.before(last);
    let margin = |part: f64| two(percent(part, last.revenue));
    let top = json!({
        "revenue": amount(last.revenue),
        "revenue_growth": before.map(|before| two(change(before.revenue, last.revenue))),
        "net_income": amount(last.net_income),
        "eps": two(last.eps()),
        "profit_margins": {
            "gross": margin(last.gross_profit),
            "operating": margin(last.operating_income),
            "net": margin(last.net_income),
        },
    });
    Ok(periods.listed("statements", numbers, top, context))
}

fn balance_sheet(arguments: &Map<String, Value>, context: &Context) -> Result<Reply, Failure> {
    let periods = Periods::read(arguments, context)?;
    let numbers = |period: &Accounts| {
        let sheet = period.sheet;
        json!({
            "total_assets": amount(sheet.assets),
            "total_liabilities": amount(sheet.liabilities),
            "total_equity": amount(sheet.equity()),
            "total_debt": amount(sheet.debt),
            "cash": amount(sheet.cash),
        })
    };
    let last = periods.newest()?;
    let sheet = last.sheet;
    let mut top = numbers(last);
    top["debt_to_equity"] = two(sheet.debt / sheet.equity());
    top["current_ratio"] = two(sheet.current_assets / sheet.current_liabilities);
    top["quick_ratio"] = two((sheet.current_assets - sheet.inventory) / sheet.current_liabilities);
    top["book_value_per_share"] = json!(quoted(sheet.equity() / last.shares));
    Ok(periods.listed("balance_sheets", numbers, top, context))
}

fn cash_flow(arguments: &Map<String, Value>, context: &Context) -> Result<Reply, Failure> {
    let periods = Periods::read(arguments, context)?;
    let numbers = |period: &Accounts| {
        json!({
            "operating_cash_flow": amount(period.operating_cash_flow()),
            "investing_cash_flow": amount(period.capital_expenditure * -1.15),
            "financing_cash_flow": amount(-period.dividends - period.buybacks),
            "capital_expenditure": amount(-period.capital_expenditure),
            "free_cash_flow": amount(period.free_cash_flow()),
        })
    };
    let last = periods.newest()?;
    let mut top = numbers(last);
    top["fcf_margin"] = two(percent(last.free_cash_flow(), last.revenue));
    Ok(periods.listed("cash_flows", numbers, top, context))
}

//! The synthetic accounts of a company: quarters that follow from its size, its sector and chance.
//!
//! A quarter's revenue grows by a rate of the company's own, swings with the season and with
//! chance; everything else is a share of it. Years are the sums of their quarters, so statements,
//! ratios and growth tell the same story. The fiscal year is that of the calendar.

use jiff::ToSpan;
use jiff::civil::Date;

use super::listing::{Kind, Listing, not_found};
use crate::pack::Failure;
use crate::random::{between, normal, uniform};

/// The first quarter with accounts: that of 2014, so that ten years can be looked back on.
const FIRST: i32 = 2014 * 4;

/// The quarter that the sizes of the listing were about right for, the third of 2025.
const ANCHOR: i32 = 2025 * 4 + 2;

/// One quarter or one year.
#[derive(Debug, Clone, Copy)]
pub(super) struct Accounts {
    /// The year.
    pub(super) year: i32,
    /// The quarter from 1 to 4; none of a whole year.
    pub(super) quarter: Option<i32>,
    pub(super) revenue: f64,
    pub(super) gross_profit: f64,
    pub(super) operating_income: f64,
    pub(super) net_income: f64,
    pub(super) depreciation: f64,
    pub(super) capital_expenditure: f64,
    pub(super) dividends: f64,
    pub(super) buybacks: f64,
    pub(super) working_capital_change: f64,
    pub(super) shares: f64,
    /// What the company had and owed at the end.
    pub(super) sheet: Sheet,
}

/// The balance sheet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sheet {
    pub(super) assets: f64,
    pub(super) current_assets: f64,
    pub(super) cash: f64,
    pub(super) inventory: f64,
    pub(super) liabilities: f64,
    pub(super) current_liabilities: f64,
    pub(super) debt: f64,
}

/// The traits of a sector: what its companies are like.
struct Traits {
    /// Net income by revenue.
    margin: f64,
    /// Price by earnings.
    multiple: f64,
    /// Gross profit by revenue.
    gross: f64,
    /// Assets by a year's revenue.
    assets: f64,
    /// Liabilities by assets.
    leverage: f64,
}

fn traits(sector: &str) -> Traits {
    let (margin, multiple, gross, assets, leverage) = match sector {
        "Technology" => (0.22, 32.0, 0.58, 1.5, 0.5),
        "Healthcare" => (0.14, 22.0, 0.6, 1.6, 0.55),
        "Financial Services" => (0.25, 14.0, 0.65, 8.0, 0.86),
        "Consumer Cyclical" => (0.08, 26.0, 0.36, 1.1, 0.6),
        "Industrials" => (0.1, 22.0, 0.32, 1.3, 0.62),
        "Energy" => (0.09, 13.0, 0.34, 1.2, 0.45),
        "Utilities" => (0.13, 19.0, 0.42, 3.6, 0.68),
        "Real Estate" => (0.2, 30.0, 0.6, 5.5, 0.58),
        "Basic Materials" => (0.11, 17.0, 0.3, 1.7, 0.45),
        "Communication Services" => (0.18, 22.0, 0.55, 1.7, 0.52),
        _ => (0.1, 22.0, 0.4, 1.0, 0.6),
    };
    Traits { margin, multiple, gross, assets, leverage }
}

/// The quarters that were reported on by a day, the oldest first.
///
/// # Errors
///
/// `NOT_FOUND` for what is no company, and for days before the accounts.
pub(super) fn quarters(listing: &Listing, today: Date) -> Result<Vec<Accounts>, Failure> {
    if listing.kind != Kind::Stock {
        return Err(not_found(format!(
            "`{}` ({}) is no company and has no accounts; ask about a stock such as `AAPL`",
            listing.symbol, listing.name
        )));
    }
    let last = last_reported(listing, today);
    let quarters: Vec<Accounts> = (FIRST..=last).map(|index| quarter(listing, index)).collect();
    if quarters.len() < 8 {
        return Err(not_found(format!("there are no accounts before {today}")));
    }
    Ok(quarters)
}

/// The years that were reported on by a day, the oldest first.
///
/// # Errors
///
/// As [`quarters`].
pub(super) fn years(listing: &Listing, today: Date) -> Result<Vec<Accounts>, Failure> {
    let quarters = quarters(listing, today)?;
    let whole = quarters.chunks_exact(4).filter_map(sum);
    Ok(whole.map(|year| Accounts { quarter: None, ..year }).collect())
}

/// The newest quarter and the three before it, as one.
///
/// # Errors
///
/// As [`quarters`].
pub(super) fn trailing(listing: &Listing, today: Date) -> Result<Accounts, Failure> {
    let quarters = quarters(listing, today)?;
    sum(&quarters[quarters.len() - 4..]).ok_or_else(|| Failure::internal("there are no quarters"))
}

/// The day when a quarter is reported on: some four to six weeks after its end, on a working day.
pub(super) fn reported_on(listing: &Listing, index: i32) -> Date {
    let wait = between(22.0, 40.0, &[listing.word("report")]) as i32;
    let day = end_of(index).saturating_add(wait.days());
    match day.weekday() {
        jiff::civil::Weekday::Saturday => day.saturating_sub(1.day()),
        jiff::civil::Weekday::Sunday => day.saturating_add(1.day()),
        _ => day,
    }
}

/// The newest quarter that was reported on by a day.
pub(super) fn last_reported(listing: &Listing, today: Date) -> i32 {
    let now = i32::from(today.year()) * 4 + i32::from(today.month() - 1) / 3;
    (now - 2..now).rev().find(|index| reported_on(listing, *index) <= today).unwrap_or(now - 2)
}

/// The words for a quarter, such as `Q3 2025`.
pub(super) fn label(index: i32) -> String {
    format!("Q{} {}", index.rem_euclid(4) + 1, index.div_euclid(4))
}

/// The last day of a quarter.
pub(super) fn end_of(index: i32) -> Date {
    let next = index + 1;
    let (year, month) = (next.div_euclid(4), next.rem_euclid(4) * 3 + 1);
    let first = Date::new(year as i16, month as i8, 1);
    first.map_or(Date::MAX, |first| first.saturating_sub(1.day()))
}

fn quarter(listing: &Listing, index: i32) -> Accounts {
    let traits = traits(listing.sector);
    let own = |purpose: &str, low: f64, high: f64| between(low, high, &[listing.word(purpose)]);
    let chance = |purpose: &str| normal(&[listing.word(purpose), index.unsigned_abs().into()]);

    let multiple = traits.multiple * own("multiple", 0.6, 1.6);
    // One company in eight has a bad margin, and one in sixteen makes losses.
    let luck = uniform(&[listing.word("luck")]);
    let factor = if luck < 0.0625 {
        -0.6
    } else if luck < 0.125 {
        0.25
    } else {
        1.0
    };
    let margin = traits.margin * own("margin", 0.7, 1.4);
    let yearly = listing.shares * listing.anchor / multiple / margin;
    let growth = own("growth", -0.02, 0.22);
    let years = f64::from(index - ANCHOR) / 4.0;
    let season = own("season", 0.0, 0.12) * f64::from([-1, 0, 0, 1][index.rem_euclid(4) as usize]);
    let revenue =
        yearly / 4.0 * (1.0 + growth).powf(years) * (1.0 + season) * (0.03 * chance("sales")).exp();

    let gross = (traits.gross * own("gross", 0.8, 1.25)).max(margin * 1.4).min(0.92);
    let net_income = revenue * (margin * factor + 0.012 * chance("profit"));
    let operating_income = net_income * 1.24 + revenue * 0.004;
    let dividends = listing.dividend_yield / 400.0 * listing.shares * listing.anchor;
    let dividends = dividends * (1.0 + growth * 0.6).powf(years);
    Accounts {
        year: index.div_euclid(4),
        quarter: Some(index.rem_euclid(4) + 1),
        revenue,
        gross_profit: (revenue * (gross + 0.008 * chance("gross"))).max(operating_income * 1.1),
        operating_income,
        net_income,
        depreciation: revenue * own("depreciation", 0.03, 0.08),
        capital_expenditure: revenue * own("capital", 0.03, 0.11) * (0.15 * chance("build")).exp(),
        dividends,
        buybacks: (net_income * own("buybacks", 0.0, 0.6)).max(0.0),
        working_capital_change: revenue * 0.02 * chance("working"),
        shares: listing.shares,
        sheet: sheet(listing, &traits, revenue, chance("sheet")),
    }
}

fn sheet(listing: &Listing, traits: &Traits, revenue: f64, chance: f64) -> Sheet {
    let own = |purpose: &str, low: f64, high: f64| between(low, high, &[listing.word(purpose)]);
    let assets = revenue * 4.0 * traits.assets * own("assets", 0.75, 1.3) * (0.01 * chance).exp();
    let liabilities = assets * (traits.leverage * own("leverage", 0.75, 1.2)).clamp(0.1, 0.93);
    let current_liabilities = liabilities * own("current", 0.3, 0.5);
    let current_assets = (current_liabilities * own("liquidity", 0.9, 2.2)).min(assets * 0.8);
    Sheet {
        assets,
        current_assets,
        cash: current_assets * own("cash", 0.2, 0.55),
        inventory: current_assets * own("inventory", 0.05, 0.25),
        liabilities,
        current_liabilities,
        debt: liabilities * own("debt", 0.25, 0.6),
    }
}

/// Some quarters as one: flows are added, stocks are those of the last one.
fn sum(quarters: &[Accounts]) -> Option<Accounts> {
    let last = *quarters.last()?;
    let total = |pick: fn(&Accounts) -> f64| quarters.iter().map(pick).sum::<f64>();
    Some(Accounts {
        revenue: total(|one| one.revenue),
        gross_profit: total(|one| one.gross_profit),
        operating_income: total(|one| one.operating_income),
        net_income: total(|one| one.net_income),
        depreciation: total(|one| one.depreciation),
        capital_expenditure: total(|one| one.capital_expenditure),
        dividends: total(|one| one.dividends),
        buybacks: total(|one| one.buybacks),
        working_capital_change: total(|one| one.working_capital_change),
        ..last
    })
}

impl Accounts {
    /// The last day that they cover.
    pub(super) fn end(&self) -> Date {
        end_of(self.year * 4 + self.quarter.unwrap_or(4) - 1)
    }

    /// Their words, such as `FY2024` or `Q3 2025`.
    pub(super) fn label(&self) -> String {
        match self.quarter {
            Some(quarter) => format!("Q{quarter} {}", self.year),
            None => format!("FY{}", self.year),
        }
    }

    pub(super) fn eps(&self) -> f64 {
        self.net_income / self.shares
    }

    pub(super) fn operating_cash_flow(&self) -> f64 {
        self.net_income + self.depreciation + self.working_capital_change
    }

    pub(super) fn free_cash_flow(&self) -> f64 {
        self.operating_cash_flow() - self.capital_expenditure
    }
}

impl Sheet {
    pub(super) fn equity(&self) -> f64 {
        self.assets - self.liabilities
    }
}

//! `getCompanyEvents`: a company's reports, dividends, splits and conferences, past and to come.

use jiff::ToSpan;
use jiff::civil::Date;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::listing::{Listing, Listings};
use super::money::quoted;
use super::{about, accounts, earnings, finish, read, schema};
use crate::pack::{Context, Failure, Reply, Tool};
use crate::random::{hash, pick, uniform};

const TYPES: [&str; 4] = ["earnings", "dividends", "splits", "conferences"];

/// How far ahead events are known, in days.
const AHEAD: i32 = 120;

/// The meetings that companies go to.
const CONFERENCES: [&str; 5] = [
    "Investor Day",
    "Technology and Growth Conference",
    "Global Investor Conference",
    "Annual Shareholder Meeting",
    "Industry Leaders Forum",
];

#[derive(Debug, Deserialize)]
struct Arguments {
    symbol: String,
    #[serde(default = "all")]
    event_types: Vec<String>,
    #[serde(default = "year")]
    lookback_days: i32,
}

fn all() -> Vec<String> {
    vec!["all".to_owned()]
}

fn year() -> i32 {
    365
}

pub(super) fn tool() -> Tool {
    let mut choices = TYPES.to_vec();
    choices.push("all");
    let input = json!({
        "symbol": schema::symbol(),
        "event_types": schema::some_of(&choices, &["all"], "The kinds of events."),
        "lookback_days": schema::integer(365, 1, 3650, "Days to look back."),
    });
    let event = json!({
        "type": schema::word(&TYPES),
        "date": schema::text(""),
        "title": schema::text(""),
        "detail": schema::text(""),
    });
    let output = json!({
        "lookback_days": schema::count(""),
        "events": schema::list(event),
        "event_count": schema::count(""),
        "summary": schema::object(json!({
            "dividend_count": schema::count("Dividends among the events that have been."),
            "dividend_total": schema::number("Their sum for each share."),
            "next_event_date": {"type": ["string", "null"]},
        })),
    });
    Tool {
        name: "getCompanyEvents",
        description: "Events of one company, past and to come: earnings reports, dividends, \
                      splits and conferences, the newest first.",
        input: schema::input(input, &["symbol"]),
        output: schema::priced(output),
        call: company_events,
    }
}

fn company_events(arguments: &Map<String, Value>, context: &Context) -> Result<Reply, Failure> {
    let Arguments { symbol, event_types, lookback_days } = read(arguments)?;
    let listings = Listings::read(context)?;
    let listing = listings.stock(&symbol)?;
    let today = context.today;
    let from = today.saturating_sub(lookback_days.days());
    let until = today.saturating_add(AHEAD.days());
    let wanted = |kind: &str| event_types.iter().any(|one| one == "all" || one == kind);
    let mut events = reports(listing, today, until)?;
    events.extend(dividends(listing, from, until));
    events.extend(splits(listing, from, until));
    events.extend(conferences(listing, from, until));
    events.retain(|event| wanted(event.kind) && event.day >= from && event.day <= until);
    events.sort_by(|one, other| (other.day, other.kind).cmp(&(one.day, one.kind)));
    let paid: Vec<f64> =
        events.iter().filter(|event| event.day <= today).filter_map(|event| event.paid).collect();
    let next = events.iter().rev().find(|event| event.day > today);
    let mut result = about(listing);
    result.insert("currency".to_owned(), json!(listing.currency()));
    result.insert("lookback_days".to_owned(), json!(lookback_days));
    result.insert("event_count".to_owned(), json!(events.len()));
    result.insert(
        "summary".to_owned(),
        json!({
            "dividend_count": paid.len(),
            "dividend_total": quoted(paid.iter().sum()),
            "next_event_date": next.map(|event| event.day.to_string()),
        }),
    );
    result.insert("events".to_owned(), events.iter().map(Event::shown).collect());
    Ok(finish(result, Vec::new(), context))
}

/// Something that happens to a company on a day.
struct Event {
    kind: &'static str,
    day: Date,
    title: String,
    detail: String,
    /// What it pays for each share.
    paid: Option<f64>,
}

impl Event {
    fn shown(&self) -> Value {
        json!({
            "type": self.kind,
            "date": self.day.to_string(),
            "title": self.title,
            "detail": self.detail,
        })
    }
}

/// The reports that have been, and the next ones.
fn reports(listing: &Listing, today: Date, until: Date) -> Result<Vec<Event>, Failure> {
    let event = |day: Date, title: String, detail: String| Event {
        kind: "earnings",
        day,
        title,
        detail,
        paid: None,
    };
    let quarters = accounts::quarters(listing, today)?;
    let past = quarters.iter().map(|quarter| {
        let report = earnings::report(listing, quarter);
        let earned = format!("EPS {:.2}, expected {:.2}", report.actual, report.estimate);
        event(report.day, format!("{} earnings", report.label), earned)
    });
    let mut events: Vec<Event> = past.collect();
    let next = accounts::last_reported(listing, today) + 1;
    for index in next..next + 2 {
        let day = accounts::reported_on(listing, index);
        if day <= until {
            let title = format!("{} earnings", accounts::label(index));
            events.push(event(day, title, "expected day of the report".to_owned()));
        }
    }
    Ok(events)
}

/// The quarters whose days may lie in a stretch.
fn quarters(from: Date, until: Date) -> std::ops::RangeInclusive<i32> {
    let quarter = |day: Date| i32::from(day.year()) * 4 + i32::from(day.month() - 1) / 3;
    quarter(from)..=quarter(until)
}

/// A working day in a quarter, so many days before its end.
fn before_end(index: i32, days: i32) -> Date {
    let day = accounts::end_of(index).saturating_sub(days.days());
    match day.weekday() {
        jiff::civil::Weekday::Saturday => day.saturating_sub(1.day()),
        jiff::civil::Weekday::Sunday => day.saturating_sub(2.days()),
        _ => day,
    }
}

fn dividends(listing: &Listing, from: Date, until: Date) -> Vec<Event> {
    if listing.dividend_yield <= 0.0 {
        return Vec::new();
    }
    let wait = (hash(&[listing.word("dividend day")]) % 60) as i32;
    let event = |index: i32| {
        // A dividend stays the same for a year and is raised a little for the next one.
        let years = f64::from(index.div_euclid(4) - 2025);
        let yearly = listing.anchor * listing.dividend_yield / 100.0 * 1.04_f64.powf(years);
        let paid = quoted(yearly / 4.0);
        let pay_day = before_end(index, wait).saturating_add(14.days());
        let currency = listing.currency();
        Event {
            kind: "dividends",
            day: before_end(index, wait),
            title: "Ex-dividend day".to_owned(),
            detail: format!("{paid} {currency} for each share, paid on {pay_day}"),
            paid: Some(paid),
        }
    };
    quarters(from, until).map(event).collect()
}

/// A split about once in six years.
fn splits(listing: &Listing, from: Date, until: Date) -> Vec<Event> {
    let happens =
        |index: &i32| uniform(&[listing.word("split"), index.unsigned_abs().into()]) < 1.0 / 24.0;
    let event = |index: i32| {
        let words = [listing.word("split ratio"), index.unsigned_abs().into()];
        let ratio = pick(&[2, 3, 4, 5], &words);
        Event {
            kind: "splits",
            day: before_end(index, 40),
            title: "Stock split".to_owned(),
            detail: format!("{ratio} for 1; all prices here are those after it"),
            paid: None,
        }
    };
    quarters(from, until).filter(happens).map(event).collect()
}

/// A conference in every second quarter.
fn conferences(listing: &Listing, from: Date, until: Date) -> Vec<Event> {
    let parity = (listing.key % 2) as i32;
    let event = |index: i32| {
        let words = [listing.word("conference"), index.unsigned_abs().into()];
        Event {
            kind: "conferences",
            day: before_end(index, 10 + (hash(&words) % 60) as i32),
            title: pick(&CONFERENCES, &words).to_owned(),
            detail: format!("{} presents", listing.name),
            paid: None,
        }
    };
    quarters(from, until).filter(|index| index.rem_euclid(2) == parity).map(event).collect()
}

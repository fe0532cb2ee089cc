//! `cargo xtask bench serve`: how many decisions and answers a second `waypost serve` hands out,
//! and how late they are at half of that.
//!
//! The server is compared with a peer that has the same HTTP and waits as long as the work on a
//! request takes, so that the difference between them is what the server adds. The load comes from
//! the same machine and takes its part of the cores from both. `--semantic-router PYTHON` puts
//! another router under the same load; `--soak [REQUESTS]` is a long load of its own.

mod asked;
mod client;
mod endpoint;
mod load;
mod peer;
mod process;
mod semantic_router;
pub(super) mod serving;
mod soak;

use std::fmt::Write;
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use asked::Asked;
use endpoint::Endpoint;
use load::{CONNECTIONS, Latency};
use peer::Peer;
use semantic_router::SemanticRouter;
use serving::Serving;

use super::program::Program;

/// The number of rounds in which the two take turns, after one to warm up; odd, so that one round
/// is the median.
const ROUNDS: usize = 7;
/// The length of a turn.
const TURN: Duration = Duration::from_secs(2);
/// The length of the open loop.
const OPEN: Duration = Duration::from_secs(10);

/// The least share of the peer's requests a second.
const SHARE: f64 = 0.7;
/// The most that an answer in a hundred may be later than.
const P99: Duration = Duration::from_millis(3);

/// The results of the server and the peer in one round, one after the other.
#[derive(Debug, Clone, Copy)]
struct Round {
    /// The work in this process, the mean of the questions.
    work: Duration,
    /// Requests per second of `waypost serve`.
    server: f64,
    /// Requests per second of the peer.
    peer: f64,
}

impl Round {
    fn share(&self) -> f64 {
        self.server / self.peer
    }
}

/// The results at one endpoint.
#[derive(Debug)]
struct Figures {
    endpoint: Endpoint,
    rounds: Vec<Round>,
    /// The work within the server while it is loaded, as it counts it itself.
    worked: Duration,
    /// Requests per second of the open loop.
    rate: f64,
    server: Latency,
    peer: Latency,
}

impl Figures {
    fn share(&self) -> f64 {
        median(self.rounds.iter().map(Round::share))
    }
}

/// The results of another router that decides the questions of [`Endpoint::Route`].
#[derive(Debug)]
struct Beside {
    name: String,
    /// Requests per second of the closed loop; the open loop has half of them.
    rate: f64,
    latency: Latency,
}

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    if super::flag(arguments, peer::FLAG) {
        return peer::serve();
    }
    if super::flag(arguments, soak::FLAG) {
        return soak::run(arguments);
    }
    super::known(arguments, &["--json"], &["--semantic-router"])?;
    let python = super::option(arguments, "--semantic-router");
    let program = Program::build()?;
    let asked = Asked::ocean()?;
    let beside = python.map(|python| SemanticRouter::start(python, &asked)).transpose()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let serving = Serving::start(&program)?;
    let peer = Peer::start(&asked.replies())?;
    let (figures, beside) = runtime.block_on(async {
        serving.ready().await?;
        let mut figures = Vec::new();
        for endpoint in Endpoint::ALL {
            figures.push(measure(endpoint, &asked, &serving, &peer).await?);
        }
        let beside = match &beside {
            Some(beside) => {
                Some(measure_beside(beside).await.with_context(|| beside.name.clone())?)
            }
            None => None,
        };
        anyhow::Ok((figures, beside))
    })?;
    let shown = if super::flag(arguments, "--json") {
        serde_json::to_string_pretty(&record(&figures, beside.as_ref()))?
    } else {
        tables(&figures, beside.as_ref())
    };
    super::print(&shown);
    Ok(())
}

async fn measure(
    endpoint: Endpoint,
    asked: &Asked,
    serving: &Serving,
    peer: &Peer,
) -> Result<Figures> {
    round(endpoint, asked, serving, peer).await?;
    let before = serving.worked(endpoint.histogram()).await?;
    let mut rounds = Vec::new();
    for _ in 0..ROUNDS {
        rounds.push(round(endpoint, asked, serving, peer).await?);
    }
    let worked = serving.worked(endpoint.histogram()).await?.mean_since(before);
    let rate = median(rounds.iter().map(|round| round.server)) / 2.0;
    let exchanges = asked.exchanges(endpoint, asked.times(endpoint)?).into();
    let server = load::open(serving.address, &exchanges, rate, OPEN).await.context(REAL)?;
    let peer = load::open(peer.address, &exchanges, rate, OPEN).await.context("the peer")?;
    Ok(Figures { endpoint, rounds, worked, rate, server, peer })
}

const REAL: &str = "`waypost serve`";

/// The work is timed anew each time, as the speed of a machine changes.
async fn round(endpoint: Endpoint, asked: &Asked, serving: &Serving, peer: &Peer) -> Result<Round> {
    let times = asked.times(endpoint)?;
    let work = times.iter().sum::<Duration>() / times.len() as u32;
    let exchanges = asked.exchanges(endpoint, times).into();
    let server = load::closed(serving.address, &exchanges, TURN).await.context(REAL)?;
    let peer = load::closed(peer.address, &exchanges, TURN).await.context("the peer")?;
    Ok(Round { work, server, peer })
}

/// As many turns as the server has, and an open loop at half of its own rate.
async fn measure_beside(beside: &SemanticRouter) -> Result<Beside> {
    let exchanges = semantic_router::exchanges().into();
    load::closed(beside.address, &exchanges, TURN).await?;
    let mut rates = Vec::new();
    for _ in 0..ROUNDS {
        rates.push(load::closed(beside.address, &exchanges, TURN).await?);
    }
    let rate = median(rates.into_iter());
    let latency = load::open(beside.address, &exchanges, rate / 2.0, OPEN).await?;
    Ok(Beside { name: beside.name.clone(), rate, latency })
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

/// The tables of each endpoint; another router stands with the decisions.
fn tables(figures: &[Figures], beside: Option<&Beside>) -> String {
    let mut out = format!("Machine: {}.\n", super::machine());
    for figures in figures {
        let beside = beside.filter(|_| figures.endpoint == Endpoint::Route);
        out.push_str(&rounds_table(figures));
        out.push_str(&server_table(figures, beside));
    }
    out.truncate(out.trim_end().len());
    out
}

fn rounds_table(figures: &Figures) -> String {
    let (path, work) = (figures.endpoint.path(), figures.endpoint.work());
    let mut out = format!(
        "\n`{path}`:\n\n\
         | round | {work} in process, p50 µs | {REAL}, requests/s | the peer, requests/s | share |\n\
         |--:|--:|--:|--:|--:|\n"
    );
    for (number, round) in figures.rounds.iter().enumerate() {
        let (number, work) = (number + 1, micros(round.work));
        let Round { server, peer, .. } = round;
        let share = round.share();
        // Writing to a string cannot fail.
        let _ = writeln!(out, "| {number} | {work:.1} | {server:.0} | {peer:.0} | {share:.2} |");
    }
    out
}

fn server_table(figures: &Figures, beside: Option<&Beside>) -> String {
    let (path, work) = (figures.endpoint.path(), figures.endpoint.work());
    let share = figures.share();
    let (is_enough, in_time) = (share >= SHARE, figures.server.spread.p99 <= P99);
    let mut out = format!(
        "\n| the server, `{path}` | measured | goal |\n|---|---|---|\n\
         | share of the peer's requests, {CONNECTIONS} connections, median | {share:.2} | ≥ {SHARE}: {} |\n\
         | the {work} in the server at full load, mean | {:.1} µs |  |\n\
         | half load, {:.0} requests/s: {REAL} | {} | p99 ≤ {} ms: {} |\n\
         | the same load: the peer | {} |  |\n",
        verdict(is_enough),
        micros(figures.worked),
        figures.rate,
        late(&figures.server),
        P99.as_millis(),
        verdict(in_time),
        late(&figures.peer),
    );
    if let Some(Beside { name, rate, latency }) = beside {
        let _ = writeln!(
            out,
            "| {name}, {CONNECTIONS} connections, median | {rate:.0} requests/s |  |\n\
             | {name}, half of that, {:.0} requests/s | {} |  |",
            rate / 2.0,
            late(latency),
        );
    }
    out
}

/// The word that stands behind a goal.
fn verdict(met: bool) -> &'static str {
    if met { "reached" } else { "missed" }
}

fn late(latency: &Latency) -> String {
    let [p50, p90, p99, max] = figures_of(latency);
    format!("p50 {p50:.2} ms, p90 {p90:.2} ms, p99 {p99:.2} ms, max {max:.1} ms")
}

/// p50, p90, p99 and the maximum, in milliseconds.
fn figures_of(latency: &Latency) -> [f64; 4] {
    let spread = latency.spread;
    [spread.p50, spread.p90, spread.p99, latency.max].map(|time| micros(time) / 1e3)
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

fn record(figures: &[Figures], beside: Option<&Beside>) -> Value {
    let latency = |latency: &Latency| {
        let [p50, p90, p99, max] = figures_of(latency);
        json!({ "p50_ms": p50, "p90_ms": p90, "p99_ms": p99, "max_ms": max })
    };
    let round = |round: &Round| {
        json!({
            "work_us": micros(round.work),
            "server_per_second": round.server,
            "peer_per_second": round.peer,
            "share": round.share(),
        })
    };
    let endpoint = |figures: &Figures| {
        json!({
            "path": figures.endpoint.path(),
            "rounds": figures.rounds.iter().map(round).collect::<Vec<_>>(),
            "share": figures.share(),
            "work_in_server_us": micros(figures.worked),
            "half_load_per_second": figures.rate,
            "server": latency(&figures.server),
            "peer": latency(&figures.peer),
        })
    };
    let mut record = json!({
        "machine": super::machine(),
        "connections": CONNECTIONS,
        "endpoints": figures.iter().map(endpoint).collect::<Vec<_>>(),
    });
    if let Some(Beside { name, rate, latency: late }) = beside {
        record["beside"] = json!({ "name": name, "per_second": rate, "half_load": latency(late) });
    }
    record
}

#[cfg(test)]
mod tests {
    use super::*;

    fn latency(p99: u64) -> Latency {
        let spread = crate::bench::timing::percentiles(vec![Duration::from_millis(p99)]);
        Latency { spread, max: spread.p99 }
    }

    fn figures(endpoint: Endpoint) -> Figures {
        let round = |server, peer| Round { work: Duration::ZERO, server, peer };
        Figures {
            endpoint,
            // The quiet round of the one is the loud one of the other; the fastest of each would
            // say 0.5.
            rounds: vec![round(500.0, 1000.0), round(300.0, 400.0), round(90.0, 100.0)],
            worked: Duration::ZERO,
            rate: 150.0,
            server: latency(6),
            peer: latency(1),
        }
    }

    #[test]
    fn the_share_is_the_median_of_the_rounds_and_is_held_against_the_goal() {
        let figures = figures(Endpoint::Route);
        assert_eq!(figures.share(), 0.75);
        let table = tables(&[figures], None);
        assert!(table.contains("| 0.75 | ≥ 0.7: reached |"), "{table}");
        assert!(table.contains("p99 ≤ 3 ms: missed |"), "{table}");
    }

    #[test]
    fn each_endpoint_has_its_tables_and_another_router_stands_with_the_decisions() {
        let beside = Beside { name: "other 1.0".to_owned(), rate: 80.0, latency: latency(20) };
        let table = tables(&Endpoint::ALL.map(figures), Some(&beside));
        let (route, answer) = table.split_once("`/v1/answer`:").unwrap();
        assert!(route.contains("| round | decision in process, p50 µs |"), "{route}");
        assert!(route.contains("| other 1.0, 16 connections, median | 80 requests/s |"), "{route}");
        assert!(route.contains("| other 1.0, half of that, 40 requests/s | p50 20.00"), "{route}");
        assert!(answer.contains("| round | answer in process, p50 µs |"), "{answer}");
        assert!(!answer.contains("other 1.0"), "{answer}");
    }

    #[test]
    fn the_record_has_both_endpoints() {
        let record = record(&Endpoint::ALL.map(figures), None);
        assert_eq!(record["endpoints"][1]["path"], "/v1/answer");
        assert_eq!(record["endpoints"][0]["share"], 0.75);
        assert!(record.get("beside").is_none());
    }
}

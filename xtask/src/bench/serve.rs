//! `cargo xtask bench serve`: how many decisions a second `waypost serve` hands out, and how late
//! they are at half of that.
//!
//! The server is compared with a peer that has the same HTTP and waits as long as a decision takes,
//! so that the difference between them is what the server adds. The load comes from the same
//! machine and takes its part of the cores from both.

mod asked;
mod client;
mod load;
mod peer;
mod serving;

use std::fmt::Write;
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use asked::Asked;
use load::{CONNECTIONS, Latency};
use peer::Peer;
use serving::Serving;

use super::program::Program;

/// The path of all requests.
const PATH: &str = "/v1/route";

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
    /// The decision in this process, the mean of the questions.
    decide: Duration,
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

#[derive(Debug)]
struct Figures {
    rounds: Vec<Round>,
    /// The decision within the server while it is loaded, as it counts it itself.
    decided: Duration,
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

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    if super::flag(arguments, peer::FLAG) {
        return peer::serve();
    }
    super::known(arguments, &["--json"], &[])?;
    let program = Program::build()?;
    let asked = Asked::ocean()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let serving = Serving::start(&program)?;
    let peer = Peer::start(&asked.answers().collect())?;
    let figures = runtime.block_on(measure(&asked, &serving, &peer))?;
    let shown = if super::flag(arguments, "--json") {
        serde_json::to_string_pretty(&record(&figures))?
    } else {
        tables(&figures)
    };
    super::print(&shown);
    Ok(())
}

async fn measure(asked: &Asked, serving: &Serving, peer: &Peer) -> Result<Figures> {
    serving.ready().await?;
    round(asked, serving, peer).await?;
    let before = serving.decided().await?;
    let mut rounds = Vec::new();
    for _ in 0..ROUNDS {
        rounds.push(round(asked, serving, peer).await?);
    }
    let decided = serving.decided().await?.mean_since(before);
    let rate = median(rounds.iter().map(|round| round.server)) / 2.0;
    let exchanges = asked.exchanges(&asked.decide()).into();
    let server = load::open(serving.address, &exchanges, rate, OPEN).await.context(REAL)?;
    let peer = load::open(peer.address, &exchanges, rate, OPEN).await.context("the peer")?;
    Ok(Figures { rounds, decided, rate, server, peer })
}

const REAL: &str = "`waypost serve`";

/// The decision is timed anew each time, as the speed of a machine changes.
async fn round(asked: &Asked, serving: &Serving, peer: &Peer) -> Result<Round> {
    let times = asked.decide();
    let exchanges = asked.exchanges(&times).into();
    let server = load::closed(serving.address, &exchanges, TURN).await.context(REAL)?;
    let peer = load::closed(peer.address, &exchanges, TURN).await.context("the peer")?;
    let decide = times.iter().sum::<Duration>() / times.len() as u32;
    Ok(Round { decide, server, peer })
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

fn tables(figures: &Figures) -> String {
    let mut out = format!("Machine: {}.\n\n", super::machine());
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "| round | decision in process, p50 µs | {REAL}, requests/s | the peer, requests/s | share |\n\
         |--:|--:|--:|--:|--:|"
    );
    for (number, round) in figures.rounds.iter().enumerate() {
        let (number, decide) = (number + 1, micros(round.decide));
        let Round { server, peer, .. } = round;
        let share = round.share();
        let _ = writeln!(out, "| {number} | {decide:.1} | {server:.0} | {peer:.0} | {share:.2} |");
    }
    let share = figures.share();
    let (is_enough, in_time) = (share >= SHARE, figures.server.spread.p99 <= P99);
    let verdict = |met: bool| if met { "reached" } else { "missed" };
    let _ = writeln!(
        out,
        "\n| the server | measured | goal |\n|---|---|---|\n\
         | share of the peer's requests, {CONNECTIONS} connections, median | {share:.2} | ≥ {SHARE}: {} |\n\
         | the decision in the server at full load, mean | {:.1} µs |  |\n\
         | half load, {:.0} requests/s: {REAL} | {} | p99 ≤ {} ms: {} |\n\
         | the same load: the peer | {} |  |",
        verdict(is_enough),
        micros(figures.decided),
        figures.rate,
        late(&figures.server),
        P99.as_millis(),
        verdict(in_time),
        late(&figures.peer),
    );
    out.truncate(out.trim_end().len());
    out
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

fn record(figures: &Figures) -> Value {
    let latency = |latency: &Latency| {
        let [p50, p90, p99, max] = figures_of(latency);
        json!({ "p50_ms": p50, "p90_ms": p90, "p99_ms": p99, "max_ms": max })
    };
    let round = |round: &Round| {
        json!({
            "decide_us": micros(round.decide),
            "server_per_second": round.server,
            "peer_per_second": round.peer,
            "share": round.share(),
        })
    };
    json!({
        "machine": super::machine(),
        "connections": CONNECTIONS,
        "rounds": figures.rounds.iter().map(round).collect::<Vec<_>>(),
        "share": figures.share(),
        "decide_in_server_us": micros(figures.decided),
        "half_load_per_second": figures.rate,
        "server": latency(&figures.server),
        "peer": latency(&figures.peer),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_is_the_median_of_the_rounds_and_is_held_against_the_goal() {
        let round = |server, peer| Round { decide: Duration::ZERO, server, peer };
        let latency = |p99| {
            let spread = crate::bench::timing::percentiles(vec![Duration::from_millis(p99)]);
            Latency { spread, max: spread.p99 }
        };
        // The quiet round of the one is the loud one of the other; the fastest of each would say 0.5.
        let figures = Figures {
            rounds: vec![round(500.0, 1000.0), round(300.0, 400.0), round(90.0, 100.0)],
            decided: Duration::ZERO,
            rate: 150.0,
            server: latency(6),
            peer: latency(1),
        };
        assert_eq!(figures.share(), 0.75);
        let table = tables(&figures);
        assert!(table.contains("| 0.75 | ≥ 0.7: reached |"), "{table}");
        assert!(table.contains("p99 ≤ 3 ms: missed |"), "{table}");
    }
}

//! The load: as many requests as connections can do one after the other, or as many as arrive at
//! instants that were fixed before.
//!
//! It runs on one thread, so that most of two cores is the server's, and one more that only sleeps
//! and counts arrivals.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::client::{Connection, Exchange};
use crate::bench::timing::{Spread, percentiles};

/// The number of connections that ask at the same time.
pub(super) const CONNECTIONS: usize = 16;
/// The time that a load may take beyond its own, or a request at all, before it is given up.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);
/// From the start of a load to its first arrival: until then all clients wait for it.
const LEAD: Duration = Duration::from_millis(50);

/// The latency of answers, counted from the instants for which their requests were intended.
#[derive(Debug, Clone, Copy)]
pub(super) struct Latency {
    pub(super) spread: Spread,
    pub(super) max: Duration,
}

/// Requests per second of a closed loop: every connection asks again when it is answered.
pub(super) async fn closed(
    address: SocketAddr,
    exchanges: &Arc<[Exchange]>,
    time: Duration,
) -> Result<f64> {
    let mut clients = JoinSet::new();
    let connections = connected(address).await?;
    let started = Instant::now();
    for (number, mut connection) in connections.into_iter().enumerate() {
        let exchanges = Arc::clone(exchanges);
        clients.spawn(async move {
            let mut answered = 0;
            for exchange in exchanges.iter().cycle().skip(number) {
                if started.elapsed() >= time {
                    break;
                }
                connection.exchange(exchange).await?;
                answered += 1;
            }
            Ok(answered)
        });
    }
    let answered: Vec<usize> = ended(clients, time).await?;
    Ok(answered.iter().sum::<usize>() as f64 / started.elapsed().as_secs_f64())
}

/// Measures the latency of an open loop: `rate` requests a second arrive, whether those before are
/// answered or not. One that finds no connection free waits for one, and that counts.
pub(super) async fn open(
    address: SocketAddr,
    exchanges: &Arc<[Exchange]>,
    rate: f64,
    time: Duration,
) -> Result<Latency> {
    let count = (rate * time.as_secs_f64()) as usize;
    let mut clients = JoinSet::new();
    let connections = connected(address).await?;
    let (arrived, next) = (Arc::new(Semaphore::new(0)), Arc::new(AtomicUsize::new(0)));
    let started = Instant::now() + LEAD;
    for mut connection in connections {
        let (exchanges, arrived, next) =
            (Arc::clone(exchanges), Arc::clone(&arrived), Arc::clone(&next));
        clients.spawn(async move {
            let mut ends = Vec::new();
            loop {
                // A client that takes a number waits in line for it, so that numbers arrive in
                // their order.
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= count {
                    return Ok(ends);
                }
                arrived.acquire().await?.forget();
                connection.exchange(&exchanges[number % exchanges.len()]).await?;
                ends.push((number, started.elapsed()));
            }
        });
    }
    // The timers of the runtime know whole milliseconds, in which many requests arrive.
    thread::spawn(move || {
        for number in 0..count {
            let at = started + arrival(number, rate);
            thread::sleep(at.saturating_duration_since(Instant::now()));
            arrived.add_permits(1);
        }
    });
    let ends: Vec<Vec<(usize, Duration)>> = ended(clients, time).await?;
    let late = lateness(&ends.concat(), rate);
    let max = late.iter().max().copied().unwrap_or_default();
    Ok(Latency { spread: percentiles(late), max })
}

async fn connected(address: SocketAddr) -> Result<Vec<Connection>> {
    let mut connections = Vec::new();
    for _ in 0..CONNECTIONS {
        connections.push(Connection::open(address).await?);
    }
    Ok(connections)
}

/// Waits for what every client found; the first fault of any is the fault of all.
async fn ended<T: 'static>(mut clients: JoinSet<Result<T>>, time: Duration) -> Result<Vec<T>> {
    let all = async {
        let mut found = Vec::new();
        while let Some(client) = clients.join_next().await {
            found.push(client??);
        }
        Ok(found)
    };
    tokio::time::timeout(time + PATIENCE, all).await.context("the server does not answer")?
}

/// Returns the instant at which a request is intended to arrive, counted from the start.
fn arrival(number: usize, rate: f64) -> Duration {
    Duration::from_secs_f64(number as f64 / rate)
}

/// Returns the times from intended arrivals to answers; `ends` counts from the start.
fn lateness(ends: &[(usize, Duration)], rate: f64) -> Vec<Duration> {
    ends.iter().map(|(number, end)| end.saturating_sub(arrival(*number, rate))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stall_counts_for_everyone_who_came_while_it_lasted() {
        // A request every 10 ms; each takes 1 ms, but nothing is answered from 20 ms to 60 ms.
        let ends = [1, 11, 60, 61, 62, 63, 64, 71].map(Duration::from_millis);
        let ends: Vec<(usize, Duration)> = ends.into_iter().enumerate().collect();
        let late: Vec<u128> = lateness(&ends, 100.0).iter().map(Duration::as_millis).collect();
        assert_eq!(late, [1, 1, 40, 31, 22, 13, 4, 1]);
    }
}

//! A long mixed load: decisions, answers in many sessions, feedback. Memory, files and the store are
//! looked at after a tenth of it and at its end.

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::client::Client;
use super::scene::{NOW, Scene, Serving, request};
use crate::bench::program::Program;

/// The number of clients at once.
const CLIENTS: usize = 16;
/// The number of sessions that they take turns in.
const SESSIONS: usize = 1_000;

/// The texts, one after the other.
const TEXTS: [&str; 8] = [
    "sea temperature off Hualien yesterday",
    "what is an anomaly",
    "基隆今天潮汐",
    "那昨天呢",
    "hello",
    "sst at 121.5, 25.0 on 2025-11-01",
    "thủy triều ở Cơ Long hôm nay",
    "no",
];

/// The memory, files and store of a process.
#[derive(Debug, Clone, Copy)]
struct Held {
    resident_mb: f64,
    files: usize,
    store_mb: f64,
}

pub(super) fn run(program: &Program, requests: usize, fault: Option<&str>) -> Result<String> {
    let scene = Scene::new(program, fault, false)?;
    let server = scene.serve()?;
    let started = Instant::now();
    let warm = load(&server, 0, requests / 10)?;
    let early = held(&scene, &server)?;
    let rest = load(&server, requests / 10, requests)?;
    let late = held(&scene, &server)?;
    let rate = requests as f64 / started.elapsed().as_secs_f64();
    let failed = warm + rest;
    let fault = fault.map(|fault| format!(", tool fault `{fault}`")).unwrap_or_default();
    Ok(format!(
        "| soak{fault} | {requests} | {failed} not answered; memory {:.0} MB after a tenth, {:.0} MB at \
         the end; {} and {} open files; store {:.0} and {:.0} MB; {rate:.0} requests a second |",
        early.resident_mb, late.resident_mb, early.files, late.files, early.store_mb, late.store_mb,
    ))
}

/// Sends the requests of these numbers, and returns how many were not answered.
fn load(server: &Serving, from: usize, to: usize) -> Result<usize> {
    let (next, failed) = (AtomicUsize::new(from), AtomicUsize::new(0));
    thread::scope(|scope| {
        for _ in 0..CLIENTS {
            scope.spawn(|| {
                let mut client = Client::new(server.address);
                let mut last = Value::Null;
                loop {
                    let n = next.fetch_add(1, Ordering::Relaxed);
                    if n >= to {
                        return;
                    }
                    if !ask(&mut client, n, &mut last) {
                        failed.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    Ok(failed.into_inner())
}

/// Makes one request; `last` is the id of the decision before. Returns whether it was answered.
fn ask(client: &mut Client, n: usize, last: &mut Value) -> bool {
    let text = TEXTS[n % TEXTS.len()];
    let answered = match n % 10 {
        0..4 => client.post("/v1/route", &json!({ "text": text, "now": NOW })),
        4..9 => {
            let session = format!("soak-{}", n * 7919 % SESSIONS);
            client.post("/v1/answer", &request(&session, text, None))
        }
        _ => client.post("/v1/feedback", &json!({ "decision_id": last, "right": true })),
    };
    let Ok((status, body)) = answered else { return false };
    if let Some(id) = body.get("id") {
        *last = id.clone();
    }
    status < 500
}

fn held(scene: &Scene<'_>, server: &Serving) -> Result<Held> {
    let process = format!("/proc/{}", server.child.id());
    let status = fs::read_to_string(format!("{process}/status"))?;
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let resident = resident.and_then(|rest| rest.split_whitespace().next()).context("VmRSS")?;
    let files = fs::read_dir(format!("{process}/fd"))?.count();
    ensure!(files > 0, "the server has no files");
    let size = |path: &str| fs::metadata(path).map_or(0, |data| data.len());
    let store = scene.store().display().to_string();
    let bytes = size(&store) + size(&format!("{store}-wal"));
    Ok(Held { resident_mb: resident.parse::<f64>()? / 1024.0, files, store_mb: bytes as f64 / 1e6 })
}

//! `cargo xtask bench serve --soak [REQUESTS]`: shows whether a server that goes on for long grows.
//! Nine of ten requests only decide, and one is an answer in one of many sessions. The store keeps
//! so few turns that most of them have to go again.
//!
//! The memory, files and store of the server are looked at after each twentieth of the requests,
//! while it is asked nothing. `bench reliability` has a load that also calls tools.

use std::borrow::Cow;
use std::fs;
use std::iter;
use std::net::SocketAddr;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use tokio::task::JoinSet;

use super::asked::{Asked, body};
use super::client::{Connection, Exchange, Wanted, post};
use super::endpoint::Endpoint;
use super::load::{CONNECTIONS, PATIENCE};
use super::serving::Serving;
use super::verdict;
use crate::bench::program::Program;
use crate::bench::{machine, print};

/// The argument that makes the benchmark this.
pub(super) const FLAG: &str = "--soak";

/// The number of requests where no other is given.
const REQUESTS: usize = 1_000_000;
/// The number of requests of which one is an answer.
const ANSWERED_OF: usize = 10;
/// The number of sessions that take turns. A session always asks the same, so that none comes to
/// have all that a tool needs.
const SESSIONS: usize = 10_000;
/// The numbers of events and of conversations that the store keeps: fewer than come in half of [`REQUESTS`], as every answer
/// leaves an event at least.
const KEEP_EVENTS: usize = 50_000;
const KEEP_SESSIONS: usize = 2_000;

/// The number of parts after which the server is looked at.
const PARTS: usize = 20;
/// The part after which memory should be flat: by then caches are full and every session has asked.
const WARM: usize = 4;
/// The most that memory at the end may be, as a multiple of that after [`WARM`] parts.
const MEMORY: f64 = 1.1;
/// The part after which the store should be flat, where [`KEEP_EVENTS`] were written by then.
const FULL: usize = 10;
/// The most that the store at the end may be, as a multiple of that after [`FULL`] parts. What is
/// written ahead is cut back only now and then, so that two looks at it differ.
const STORE: f64 = 1.5;

/// The prefix of the files of the store.
const FILES: &str = "waypost.db";
/// The beginning of every answer. The rest depends on what the session asked before.
const REPLY: &str = r#"{"mode":"#;

const MIB: f64 = 1024.0 * 1024.0;

/// What a server holds.
#[derive(Debug, Clone, Copy)]
struct Held {
    /// The memory that it has now, in MiB.
    resident: f64,
    /// The most memory that it ever had, in MiB.
    peak: f64,
    /// The number of its open files and connections.
    files: usize,
    /// The size of the store's files, in MiB.
    store: f64,
}

/// The state after a part of the requests.
#[derive(Debug, Clone, Copy)]
struct Row {
    /// The number of requests so far.
    requests: usize,
    /// Requests per second of this part.
    rate: f64,
    held: Held,
    /// The number of failures so far.
    failures: usize,
}

/// Requests that were not answered as they should have been, and why the first was not.
#[derive(Debug, Default)]
struct Failures {
    count: usize,
    first: Option<String>,
}

impl Failures {
    fn add(&mut self, other: Self) {
        self.count += other.count;
        self.first = self.first.take().or(other.first);
    }
}

/// The requests by their number.
#[derive(Debug)]
struct Mix {
    decisions: Vec<Exchange>,
    texts: Vec<&'static str>,
}

impl Mix {
    fn exchange(&self, number: usize) -> Cow<'_, Exchange> {
        if number % ANSWERED_OF == ANSWERED_OF - 1 {
            Cow::Owned(self.answer(number / ANSWERED_OF))
        } else {
            Cow::Borrowed(&self.decisions[number % self.decisions.len()])
        }
    }

    fn answer(&self, number: usize) -> Exchange {
        let session = number % SESSIONS;
        let text = self.texts[session % self.texts.len()];
        let body = body(text, Some(&format!("soak-{session}")));
        Exchange {
            sent: post(Endpoint::Answer.path(), &[], &body),
            wanted: Wanted::beginning(REPLY, None),
        }
    }
}

pub(super) fn run(arguments: &[String]) -> Result<()> {
    let requests = requests(arguments)?;
    if !cfg!(target_os = "linux") {
        bail!("`{FLAG}` needs Linux: what the server holds is read from /proc");
    }
    let program = Program::build()?;
    let asked = Asked::ocean()?;
    let decisions = asked.exchanges(Endpoint::Route, iter::repeat(Duration::ZERO));
    let mix = Arc::new(Mix { decisions, texts: Endpoint::Answer.texts() });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let kept = format!("[store]\nmax_events = {KEEP_EVENTS}\nmax_sessions = {KEEP_SESSIONS}\n");
    let serving = Serving::configured(&program, &kept)?;
    runtime.block_on(serving.ready())?;
    print(&format!("Machine: {}.\n\n{HEAD}", machine()));
    let mut connections: Vec<Option<Connection>> = Vec::new();
    connections.resize_with(CONNECTIONS, || None);
    let (mut rows, mut failures) = (Vec::new(), Failures::default());
    for part in 0..PARTS {
        let numbers = requests * part / PARTS..requests * (part + 1) / PARTS;
        let (count, end, started) = (numbers.len(), numbers.end, Instant::now());
        failures.add(runtime.block_on(send(serving.address, &mix, numbers, &mut connections))?);
        let rate = count as f64 / started.elapsed().as_secs_f64();
        let held = held(serving.id(), program.home())?;
        let row = Row { requests: end, rate, held, failures: failures.count };
        print(&line(&row));
        rows.push(row);
    }
    let (table, is_missed) = verdicts(&rows)?;
    print(&format!("\n{table}"));
    if let Some(first) = failures.first {
        print(&format!("\nThe first failure: {first}"));
    }
    ensure!(!is_missed, "the server misses a goal of the soak");
    Ok(())
}

/// The number of requests that is asked for.
fn requests(arguments: &[String]) -> Result<usize> {
    let requests = match arguments {
        [_] => REQUESTS,
        [flag, number] if flag == FLAG => {
            number.parse::<usize>().with_context(|| format!("`{FLAG} {number}`"))?
        }
        _ => bail!("`{FLAG}` takes a number of requests and nothing else"),
    };
    ensure!(requests >= PARTS, "`{FLAG}` needs at least {PARTS} requests");
    Ok(requests)
}

/// Sends the requests of these numbers over connections that are kept.
async fn send(
    address: SocketAddr,
    mix: &Arc<Mix>,
    numbers: Range<usize>,
    connections: &mut Vec<Option<Connection>>,
) -> Result<Failures> {
    let (next, end) = (Arc::new(AtomicUsize::new(numbers.start)), numbers.end);
    let mut clients = JoinSet::new();
    for mut connection in connections.drain(..) {
        let (mix, next) = (Arc::clone(mix), Arc::clone(&next));
        clients.spawn(async move {
            let mut failures = Failures::default();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= end {
                    return (connection, failures);
                }
                let asked = ask(&mut connection, address, &mix.exchange(number)).await;
                if let Err(fault) = asked {
                    failures.add(Failures { count: 1, first: Some(format!("{fault:#}")) });
                }
            }
        });
    }
    let mut failures = Failures::default();
    while let Some(client) = clients.join_next().await {
        let (connection, of_client) = client?;
        connections.push(connection);
        failures.add(of_client);
    }
    Ok(failures)
}

/// Makes one request. A connection that failed is closed, and the next request opens another.
async fn ask(
    connection: &mut Option<Connection>,
    address: SocketAddr,
    exchange: &Exchange,
) -> Result<()> {
    let kept = connection.take();
    let asked = async {
        let mut open = match kept {
            Some(open) => open,
            None => Connection::open(address).await?,
        };
        open.exchange(exchange).await?;
        anyhow::Ok(open)
    };
    let answered = tokio::time::timeout(PATIENCE, asked).await;
    *connection = Some(answered.context("the server does not answer")??);
    Ok(())
}

/// Looks at what a process and the store in its home hold.
fn held(process: u32, home: &Path) -> Result<Held> {
    let folder = format!("/proc/{process}");
    let status = fs::read_to_string(format!("{folder}/status"))?;
    let (resident, peak) = memory(&status).context("the server has ended")?;
    let files = fs::read_dir(format!("{folder}/fd"))?.count();
    let mut bytes = 0;
    for entry in fs::read_dir(home)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(FILES) {
            // One that has just been removed has no size any more.
            bytes += entry.metadata().map_or(0, |data| data.len());
        }
    }
    Ok(Held { resident, peak, files, store: bytes as f64 / MIB })
}

/// The memory that a process has and the most that it ever had, in MiB, as the kernel says it;
/// `None` where it has ended.
fn memory(status: &str) -> Option<(f64, f64)> {
    let mebibytes = |name: &str| -> Option<f64> {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        let kibibytes: f64 = line.strip_suffix("kB")?.trim().parse().ok()?;
        Some(kibibytes / 1024.0)
    };
    Some((mebibytes("VmRSS:")?, mebibytes("VmHWM:")?))
}

const HEAD: &str = "\
    | requests | requests/s | resident MiB | peak MiB | open files | store MiB | failures |\n\
    |--:|--:|--:|--:|--:|--:|--:|";

fn line(row: &Row) -> String {
    let Row { requests, rate, held, failures } = row;
    let Held { resident, peak, files, store } = held;
    let memory = format!("{resident:.1} | {peak:.1}");
    format!("| {requests} | {rate:.0} | {memory} | {files} | {store:.1} | {failures} |")
}

/// The table that holds the rows, one a part, against the goals, and whether one is missed.
fn verdicts(rows: &[Row]) -> Result<(String, bool)> {
    let after = |part: usize| rows.get(part - 1).context("a part is missing");
    let (warm, full, last) = (after(WARM)?, after(FULL)?, after(PARTS)?);
    let memory = last.held.resident / warm.held.resident;
    let store = last.held.store / full.held.store;
    let was_full = full.requests / ANSWERED_OF >= KEEP_EVENTS;
    let store_verdict = if was_full { verdict(store <= STORE) } else { "too few requests to tell" };
    let is_missed = memory > MEMORY || was_full && store > STORE || last.failures > 0;
    let table = format!(
        "| the soak | measured | goal |\n|---|---|---|\n\
         | memory at the end / after {WARM} of {PARTS} parts | {memory:.2} | ≤ {MEMORY}: {} |\n\
         | store at the end / after {FULL} parts | {store:.2} | ≤ {STORE}: {store_verdict} |\n\
         | failures | {} | 0: {} |",
        verdict(memory <= MEMORY),
        last.failures,
        verdict(last.failures == 0),
    );
    Ok((table, is_missed))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn a_number_of_requests_may_be_given() {
        assert_eq!(requests(&words("--soak")).unwrap(), REQUESTS);
        assert_eq!(requests(&words("--soak 2000")).unwrap(), 2000);
        for (line, why) in [
            ("--soak many", "`--soak many`"),
            ("--soak 5", "at least 20"),
            ("--soak 2000 --json", "nothing else"),
            ("--json --soak", "nothing else"),
        ] {
            let fault = requests(&words(line)).unwrap_err().to_string();
            assert!(fault.contains(why), "{fault}");
        }
    }

    #[test]
    fn one_request_of_ten_is_an_answer_and_sessions_take_turns() {
        let decisions = vec![Exchange { sent: b"decide".to_vec(), wanted: Wanted::exactly("") }];
        let mix = Mix { decisions, texts: Endpoint::Answer.texts() };
        let sent = |number| String::from_utf8(mix.exchange(number).sent.clone()).unwrap();
        let answers = (0..100).filter(|number| sent(*number) != "decide").count();
        assert_eq!(answers, 10);
        assert!(sent(9).starts_with("POST /v1/answer HTTP/1.1\r\n"), "{}", sent(9));
        assert!(sent(9).ends_with(r#""session":"soak-0"}"#), "{}", sent(9));
        assert!(sent(19).ends_with(r#""session":"soak-1"}"#), "{}", sent(19));
        // A session that comes again asks the same.
        assert_eq!(sent(SESSIONS * ANSWERED_OF + 9), sent(9));
    }

    #[test]
    fn memory_is_read_from_what_the_kernel_says() {
        let status = "Name:\twaypost\nVmHWM:\t  204800 kB\nVmRSS:\t  102400 kB\nRssAnon:\t 1 kB\n";
        assert_eq!(memory(status), Some((100.0, 200.0)));
        assert_eq!(memory("Name:\twaypost\nState:\tZ (zombie)\n"), None);
    }

    fn rows(requests: usize, change: impl Fn(usize, &mut Row)) -> Vec<Row> {
        let held = Held { resident: 100.0, peak: 120.0, files: 40, store: 8.0 };
        let row = |part: usize| {
            let requests = requests * part / PARTS;
            let mut row = Row { requests, rate: 4000.0, held, failures: 0 };
            change(part, &mut row);
            row
        };
        (1..=PARTS).map(row).collect()
    }

    #[test]
    fn s2_36_what_grows_after_it_is_warm_misses_its_goal() {
        let check = |rows: &[Row], wanted: [&str; 3]| {
            let (table, is_missed) = verdicts(rows).unwrap();
            assert_eq!(is_missed, table.contains("missed"), "{table}");
            for wanted in wanted {
                assert!(table.contains(wanted), "{wanted}: {table}");
            }
        };
        // What is held before it is warm does not count.
        let grown = rows(REQUESTS, |part, row| {
            if part < WARM {
                row.held.resident = 10.0;
            }
            if part < FULL {
                row.held.store = 1.0;
            }
        });
        let reached =
            ["| 1.00 | ≤ 1.1: reached |", "| 1.00 | ≤ 1.5: reached |", "| 0 | 0: reached |"];
        check(&grown, reached);
        let growing = rows(REQUESTS, |part, row| {
            row.held.resident += part as f64;
            row.held.store *= part as f64;
            row.failures = part / PARTS;
        });
        let missed = ["| 1.15 | ≤ 1.1: missed |", "| 2.00 | ≤ 1.5: missed |", "| 1 | 0: missed |"];
        check(&growing, missed);
    }

    #[test]
    fn a_store_that_was_never_full_is_not_judged() {
        let (table, is_missed) = verdicts(&rows(100_000, |_, _| {})).unwrap();
        assert!(!is_missed);
        assert!(table.contains("| 1.00 | ≤ 1.5: too few requests to tell |"), "{table}");
    }

    #[test]
    fn a_row_has_what_the_server_holds() {
        let rows = rows(REQUESTS, |_, _| {});
        assert_eq!(line(&rows[0]), "| 50000 | 4000 | 100.0 | 120.0 | 40 | 8.0 | 0 |");
        assert!(verdicts(&rows[1..]).is_err());
    }
}

//! Connections that say nothing, by the thousand: they cost little, the oldest give way, and nobody
//! is kept out.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Instant;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::{DEADLINE, JSON, connect, question, start};
use crate::serve::Site;
use crate::support::Home;

/// The connections that are held at once, where the system lets a process have as many files.
const MANY: usize = 10_000;
/// The fewest that show something: more than the server keeps.
const FEWEST: usize = 1_200;
/// The files that are left to the tests beside this one.
const OTHERS: usize = 1_000;
/// The connections that are made between two looks at the server: fewer than any system has wait to
/// be taken, lest it has them try again a second later.
const BATCH: usize = 100;
/// The connections that the server keeps by default, and those beyond for questions about itself.
const KEPT: usize = 1_024 + 32;
/// The most memory by which the server may grow, in KiB.
#[cfg(target_os = "linux")]
const MAX_GROWTH_KIB: u64 = 64 * 1024;

/// The connections that this process can hold. Its limit is raised as far as it has to be; a server
/// that it starts then has the same one.
fn possible() -> usize {
    let limit = getrlimit(Resource::Nofile);
    let wanted = (MANY + OTHERS) as u64;
    let most = limit.maximum.map_or(wanted, |most| most.min(wanted));
    let files = limit.current.unwrap_or(wanted).max(most);
    if limit.current.is_some_and(|current| current < most) {
        setrlimit(Resource::Nofile, Rlimit { current: Some(most), ..limit }).unwrap();
    }
    usize::try_from(files).unwrap().saturating_sub(OTHERS).min(MANY)
}

/// The memory of a process that is not on a disk, in KiB.
#[cfg(target_os = "linux")]
fn resident_kib(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

/// Fails the test unless others are served. Who comes while every place is just being given up is
/// told to come again, and does.
fn others_are_served(site: Site) {
    assert_eq!(site.ask("GET", "/healthz", &[], "").0, 200);
    let begin = Instant::now();
    loop {
        let (status, body) = site.ask("POST", "/v1/route", &[JSON], &question());
        if status == 200 {
            return;
        }
        assert!(status == 503 && begin.elapsed() < DEADLINE, "{status}: {body}");
    }
}

/// Returns whether a connection is still open, on which nothing was said.
fn is_open(stream: &TcpStream) -> bool {
    stream.set_nonblocking(true).unwrap();
    let nothing = stream.peek(&mut [0]);
    stream.set_nonblocking(false).unwrap();
    nothing.is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
}

#[test]
fn ten_thousand_idle_connections_cost_little_and_keep_nobody_out() {
    let count = possible();
    assert!(count >= FEWEST, "the system lets this process have too few files for {FEWEST}");
    let home = Home::untrained();
    let serving = start(&home, &[]);
    let site = serving.site;
    // What is made once, for the first request, is there before the first look.
    others_are_served(site);
    #[cfg(target_os = "linux")]
    let before = resident_kib(serving.pid());
    let mut idle = Vec::with_capacity(count);
    while idle.len() < count {
        let batch = BATCH.min(count - idle.len());
        idle.extend((0..batch).map(|_| connect(site)));
        // Connections are taken in their order: once these are answered, all before them were
        // taken.
        others_are_served(site);
    }
    #[cfg(target_os = "linux")]
    {
        let grown = resident_kib(serving.pid()).saturating_sub(before);
        assert!(grown < MAX_GROWTH_KIB, "{grown} KiB for {count} connections");
    }
    assert!(!is_open(&idle[0]), "the oldest has given way");
    let open = idle.iter().filter(|stream| is_open(stream)).count();
    assert!((1..=KEPT).contains(&open), "{open} of {count} are open");
    let mut newest = idle.iter().rfind(|stream| is_open(stream)).unwrap();
    newest.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
    let mut first = [0; 12];
    newest.read_exact(&mut first).unwrap();
    assert_eq!(&first, b"HTTP/1.1 200");
}

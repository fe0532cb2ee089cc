//! A server is killed while a write is under way: the write is not made again, and the next turn tells
//! of it.

use std::thread;
use std::time::Duration;

use anyhow::{Result, ensure};

use super::client::Client;
use super::scene::{CHANGE, Scene, request};
use crate::bench::program::Program;

/// The length of a write. The kills come at all times of it, and shortly after.
const WRITE_MS: u64 = 30;
const LATEST_MS: u64 = 40;

/// The counts of a run.
#[derive(Debug, Default)]
struct Counts {
    /// The writes that had begun when the server was killed.
    begun: usize,
    /// Those of which the answer came all the same, just before.
    answered: usize,
    /// Those of which the next turn told.
    told: usize,
}

pub(super) fn run(program: &Program, kills: usize) -> Result<String> {
    let scene = Scene::new(program, Some(&format!("delay:{WRITE_MS}")), true)?;
    let mut counts = Counts::default();
    let mut server = scene.serve()?;
    for kill in 0..kills {
        let session = format!("kill-{kill}");
        let mut client = Client::new(server.address);
        client.post("/v1/answer", &request(&session, CHANGE, None))?;
        let before = scene.begun();
        let yes = request(&session, "yes", None);
        let saying = thread::spawn(move || client.post("/v1/answer", &yes));
        while scene.begun() == before && !saying.is_finished() {
            thread::yield_now();
        }
        thread::sleep(Duration::from_millis(kill as u64 * 7 % LATEST_MS));
        server.kill()?;
        let answered = saying.join().is_ok_and(|answer| answer.is_ok());
        server = scene.serve()?;
        let (_, next) =
            Client::new(server.address).post("/v1/answer", &request(&session, "yes", None))?;
        let made = scene.begun() - before;
        ensure!(made <= 1, "kill {kill}: the write was made {made} times");
        let told = next["text"].as_str().is_some_and(|text| text.starts_with("Since your last"));
        ensure!(made == 0 || answered || told, "kill {kill}: nobody was told: {next}");
        counts.begun += made;
        counts.answered += usize::from(answered);
        counts.told += usize::from(told);
    }
    let Counts { begun, answered, told } = counts;
    Ok(format!(
        "| kills in the middle of a write | {kills} | {begun} had begun, none was made twice; \
         {told} told at the next turn, {answered} answered before |"
    ))
}

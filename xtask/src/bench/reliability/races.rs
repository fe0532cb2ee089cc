//! Many say yes at once, in words and by clicks, to two servers on one store: one call is made.

use std::thread;

use anyhow::{Result, ensure};
use serde_json::Value;

use super::client::Client;
use super::scene::{CHANGE, Scene, Serving, request};
use crate::bench::program::Program;

/// The number of those who say yes at once.
const VOICES: usize = 8;

pub(super) fn run(program: &Program, races: usize) -> Result<String> {
    let scene = Scene::new(program, Some("delay:3"), true)?;
    let servers = [scene.serve()?, scene.serve()?];
    let mut once = 0;
    for race in 0..races {
        let session = format!("race-{race}");
        let before = scene.begun();
        let asked =
            Client::new(servers[0].address).post("/v1/answer", &request(&session, CHANGE, None))?;
        ensure!(asked.1["raw"]["plan"]["reason"] == "gate:approval", "it does not ask: {asked:?}");
        let ran = all(&servers, &session, &asked.1["choices"][0]["value"])?;
        let made = scene.begun() - before;
        ensure!(made == 1 && ran == 1, "race {race}: {made} calls were made, {ran} answers say so");
        once += 1;
    }
    Ok(format!(
        "| races of {VOICES} approvals on two servers | {races} | {once} with one call each |"
    ))
}

/// The number of answers that say that it was done.
fn all(servers: &[Serving; 2], session: &str, yes: &Value) -> Result<usize> {
    thread::scope(|scope| {
        let voice = |n: usize| {
            let address = servers[n % 2].address;
            let (text, choice) = if n % 4 < 2 { ("yes", None) } else { ("", Some(yes)) };
            let body = request(session, text, choice);
            scope.spawn(move || Client::new(address).post("/v1/answer", &body))
        };
        let voices: Vec<_> = (0..VOICES).map(voice).collect();
        let mut ran = 0;
        for voice in voices {
            let (_, answer) = voice.join().map_err(|_| anyhow::anyhow!("a client broke off"))??;
            ran += usize::from(answer["mode"] == "tool");
        }
        Ok(ran)
    })
}

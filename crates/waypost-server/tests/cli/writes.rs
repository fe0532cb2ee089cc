//! A call that was approved once is made once, by however many programs it is approved at once, and
//! one that was cut short is told when somebody comes back.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

use serde_json::{Value as Json, json};

use crate::serve::Serving;
use crate::support::{Home, NOW, WAYPOST, server};

/// An edit after which forecasts change something, so that they need consent.
const WRITES: (&str, &str) = (
    "  - name: tide.forecast\n    server: ocean\n",
    "  - name: tide.forecast\n    server: ocean\n    access: write\n",
);

/// A home and a pack of which forecasts change something; the server notes each call.
struct Scene {
    home: Home,
    pack: String,
}

impl Scene {
    /// The server's calls last as `fault` says.
    fn new(fault: &str) -> Self {
        let home = Home::new();
        let journal = home.path("journal").display().to_string();
        let command = [WAYPOST, "demo", "ocean", "--now", NOW, "--fault", fault];
        home.write("waypost.toml", &server(&[&command[..], &["--journal", &journal]].concat()));
        let pack = home.pack(&[WRITES]);
        Self { home, pack }
    }

    /// The calls that have begun.
    fn begun(&self) -> usize {
        let journal = fs::read_to_string(self.home.path("journal")).unwrap_or_default();
        journal.lines().filter(|line| line.starts_with("begin")).count()
    }

    fn args<'a>(&'a self, session: &'a str, text: &'a str) -> [&'a str; 9] {
        ["ask", "--json", "--now", NOW, "--pack", &self.pack, "--session", session, text]
    }

    fn say(&self, session: &str, text: &str) -> Json {
        self.home.run(&self.args(session, text)).json()
    }

    /// Asks for a forecast, which waits for a yes.
    fn asked(&self, session: &str) -> Json {
        let asked = self.say(session, "基隆今天潮汐");
        assert_eq!(asked["raw"]["plan"]["reason"], "gate:approval", "{asked}");
        asked
    }
}

#[test]
fn two_programs_and_many_clicks_make_one_call() {
    let scene = Scene::new("delay:30");
    let args = ["--pack", &scene.pack];
    let (one, other) = (Serving::start(&scene.home, &args), Serving::start(&scene.home, &args));
    for race in 0..6 {
        let session = format!("s{race}");
        let ask = |text: &str, choice: Option<&Json>| json!({ "text": text, "session": session, "now": NOW, "choice": choice });
        let asked = one.site.json("POST", "/v1/answer", &ask("基隆今天潮汐", None));
        let yes = asked["choices"][0]["value"].clone();
        let before = scene.begun();
        let ran: Vec<bool> = std::thread::scope(|scope| {
            let said = |n: usize| {
                let site = if n.is_multiple_of(2) { one.site } else { other.site };
                let body = if n % 4 < 2 { ask("yes", None) } else { ask("", Some(&yes)) };
                scope.spawn(move || {
                    let answer = site.json("POST", "/v1/answer", &body);
                    answer["mode"] == "tool"
                })
            };
            let all: Vec<_> = (0..8).map(said).collect();
            all.into_iter().map(|one| one.join().unwrap()).collect()
        });
        assert_eq!(scene.begun() - before, 1, "race {race}: {ran:?}");
        assert_eq!(ran.iter().filter(|ran| **ran).count(), 1, "race {race}");
    }
}

/// Starts a program that answers "yes" and waits until its call has begun.
fn begin_and_kill(scene: &Scene, session: &str, before: usize) {
    let mut command = scene.home.command(&scene.args(session, "yes"));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child: Child = command.spawn().unwrap();
    let stderr = BufReader::new(child.stderr.take().unwrap());
    while scene.begun() == before {
        assert!(child.try_wait().unwrap().is_none(), "it ended before its call began");
        std::thread::yield_now();
    }
    // On Unix this is SIGKILL: no destructor runs.
    child.kill().unwrap();
    child.wait().unwrap();
    // The end of its tool server, which has the same stderr.
    assert_eq!(
        stderr.lines().map_while(Result::ok).filter(|line| line.contains("panicked")).count(),
        0
    );
}

#[test]
fn a_program_that_is_killed_in_the_middle_of_a_write_tells_it_at_the_next_turn() {
    let scene = Scene::new("delay:2000");
    for kill in 0..3 {
        let session = format!("s{kill}");
        scene.asked(&session);
        let before = scene.begun();
        begin_and_kill(&scene, &session, before);
        let next = scene.say(&session, "yes");
        let text = next["text"].as_str().unwrap();
        assert!(text.starts_with("Since your last answer: tide.forecast ("), "{text}");
        assert!(text.contains("it is not certain whether it was done"), "{text}");
        assert_eq!(scene.begun(), before + 1, "nothing is repeated");
        let events = scene.home.run(&["events", "--session", &session]);
        assert!(events.stdout.contains("write_event  tide.forecast unknown"), "{events:?}");
    }
}

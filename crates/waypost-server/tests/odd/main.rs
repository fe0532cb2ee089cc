//! The odd servers of `spec/odd` behind the real program: no tool is lost, no result is lost, nothing hangs.
//!
//! `cargo test --test odd` runs all kinds of cases, `cargo test --test odd -- results` one of them. The cases of
//! a kind share a server, and each way of asking has one process for all of them. With `--play FILE` this
//! program is such a server itself, which is why it brings its own `main`. With `WAYPOST_UPDATE_ODD=1` it takes out of
//! `known.txt` what is right now.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot go on must fail, and this one prints its own table"
)]

mod case;
mod judge;
mod play;
mod program;

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::thread;
use std::time::Instant;

use serde_json::{Map, Value as Json};
use tempfile::TempDir;

use case::{Case, KINDS, Try, cases, forget, known};
use judge::Outcome;
use play::Calls;
use program::{START, Serving, Setup, Speaking, Surface};

/// The cases of a kind that are tried at once.
const AT_ONCE: usize = 4;
/// Those that are known to fail, which mostly wait.
const WAITING_AT_ONCE: usize = 16;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, file] = args.as_slice()
        && flag == "--play"
    {
        play::run(file);
        return ExitCode::SUCCESS;
    }
    let kinds: Vec<&str> = KINDS.into_iter().filter(|kind| is_wanted(kind, &args)).collect();
    if args.iter().any(|arg| arg == "--list") {
        kinds.iter().for_each(|kind| println!("{kind}: test"));
        return ExitCode::SUCCESS;
    }
    let begun = Instant::now();
    let known = known();
    let found: Vec<Found> = thread::scope(|scope| {
        let known = &known;
        let runs: Vec<_> = kinds.iter().map(|kind| scope.spawn(move || run(kind, known))).collect();
        runs.into_iter().map(|run| run.join().expect("a kind of cases")).collect()
    });
    let is_right = report(&kinds, &found, &known);
    println!("{} s", begun.elapsed().as_secs());
    if is_right { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Returns whether the arguments of the test command ask for a kind.
fn is_wanted(kind: &str, args: &[String]) -> bool {
    const WITH_VALUE: [&str; 6] =
        ["--test-threads", "--skip", "--logfile", "--color", "--format", "--shuffle-seed"];
    let mut filters = Vec::new();
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        if WITH_VALUE.contains(&arg.as_str()) {
            let value = rest.next();
            if arg == "--skip" && value.is_some_and(|skipped| kind.contains(skipped.as_str())) {
                return false;
            }
        } else if arg == "--ignored" {
            return false;
        } else if !arg.starts_with('-') {
            filters.push(arg);
        }
    }
    filters.is_empty() || filters.iter().any(|filter| kind.contains(filter.as_str()))
}

/// What was found: the faults of each case by its id.
#[derive(Default)]
struct Found {
    ids: Vec<String>,
    tries: usize,
    faults: BTreeMap<String, Vec<String>>,
    seconds: u64,
}

impl Found {
    fn add(&mut self, id: &str, surface: &str, what: &str) {
        self.faults.entry(id.to_owned()).or_default().push(format!("{surface}: {what}"));
    }

    fn merge(&mut self, other: Self) {
        self.tries += other.tries;
        for (id, faults) in other.faults {
            self.faults.entry(id).or_default().extend(faults);
        }
    }
}

/// Prints the table and what is not as `known.txt` says; returns whether all is.
fn report(kinds: &[&str], found: &[Found], known: &BTreeMap<String, String>) -> bool {
    println!("{:<12}{:>6}{:>7}{:>7}{:>7}{:>6}", "kind", "cases", "tries", "right", "known", "s");
    let (mut notes, mut stale) = (Vec::new(), Vec::new());
    for (kind, found) in kinds.iter().zip(found) {
        let wrong = found.faults.len();
        println!(
            "{kind:<12}{:>6}{:>7}{:>7}{:>7}{:>6}",
            found.ids.len(),
            found.tries,
            found.ids.len() - wrong,
            found.faults.keys().filter(|id| known.contains_key(*id)).count(),
            found.seconds,
        );
        for (id, faults) in found.faults.iter().filter(|(id, _)| !known.contains_key(*id)) {
            notes.push(format!("wrong: {id}\n  {}", faults.join("\n  ")));
        }
        let prefix = format!("{kind}.");
        let right =
            known.keys().filter(|id| id.starts_with(&prefix) && !found.faults.contains_key(*id));
        stale.extend(right.cloned());
    }
    let is_of_kind = |id: &&String| KINDS.iter().any(|kind| id.starts_with(&format!("{kind}.")));
    stale.extend(known.keys().filter(|id| !is_of_kind(id)).cloned());
    if std::env::var_os("WAYPOST_UPDATE_ODD").is_some() {
        forget(&stale);
        stale.clear();
    }
    notes.extend(
        stale.iter().map(|id| format!("known.txt: `{id}` is right now, or no case; take it out")),
    );
    notes.iter().for_each(|note| println!("{note}"));
    notes.is_empty()
}

/// Runs the cases of a kind: those that share a program, and those with one of their own.
fn run(kind: &str, known: &BTreeMap<String, String>) -> Found {
    let begun = Instant::now();
    let all = cases(kind);
    // A server that is known to fail at its start may hold up the start of all others.
    let is_alone = |case: &Case| case.alone || case.list.is_some() && known.contains_key(&case.id);
    let (alone, shared): (Vec<Case>, Vec<Case>) = all.iter().cloned().partition(is_alone);
    let mut found =
        Found { ids: all.iter().map(|case| case.id.clone()).collect(), ..Found::default() };
    let alone = Mutex::new(VecDeque::from(alone));
    let singles = Mutex::new(Found::default());
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(case) = next(&alone) {
                    let result = run_group(std::slice::from_ref(&case), known, true);
                    singles.lock().unwrap().merge(result);
                }
            });
        }
        found.merge(run_group(&shared, known, false));
    });
    found.merge(singles.into_inner().unwrap());
    found.seconds = begun.elapsed().as_secs();
    found
}

/// Takes the next case that waits.
fn next<T>(queue: &Mutex<VecDeque<T>>) -> Option<T> {
    queue.lock().unwrap().pop_front()
}

/// The longest start of a server that has a program of its own: a greeting that hangs shows by then.
const LONE_START: std::time::Duration = std::time::Duration::from_secs(15);

/// Runs cases over one program in each way of asking.
fn run_group(cases: &[Case], known: &BTreeMap<String, String>, is_alone: bool) -> Found {
    let mut found = Found::default();
    let folder = TempDir::new().unwrap();
    let (setup, calls) = setup(folder.path(), "serve", cases);
    let serving = match Serving::start(&setup, if is_alone { LONE_START } else { START }) {
        Ok(serving) => serving,
        Err(error) => {
            cases.iter().for_each(|case| found.add(&case.id, "serve", &error));
            return found;
        }
    };
    check_names(cases, &serving.catalog(), "serve", &mut found);
    found.merge(try_all(&serving, &calls, cases, known));
    drop(serving);
    let (setup, calls) = self::setup(folder.path(), "mcp", cases);
    match Speaking::start(&setup) {
        Ok(speaking) => found.merge(try_all(&speaking, &calls, cases, known)),
        Err(error) => cases.iter().for_each(|case| found.add(&case.id, "mcp", &error)),
    }
    if !is_alone {
        decide(&setup, cases, &mut found);
        ask_one(&setup, cases, known, &mut found);
        match setup.init() {
            Ok(names) => check_names(cases, &names, "init", &mut found),
            Err(error) => cases.iter().for_each(|case| found.add(&case.id, "init", &error)),
        }
    }
    found
}

/// Writes what the servers of these cases do; returns how a program is started over them, and their calls.
fn setup(folder: &Path, name: &str, cases: &[Case]) -> (Setup, Calls) {
    let folder = folder.join(name);
    std::fs::create_dir_all(&folder).unwrap();
    let mut files: Vec<(String, PathBuf)> = Vec::new();
    let mut tools = Vec::new();
    let mut replies = Map::new();
    for (index, case) in cases.iter().enumerate() {
        if let Some(reply) = &case.reply {
            replies.extend(case.names().into_iter().map(|name| (name, Json::from(reply.clone()))));
        }
        match &case.list {
            Some(list) => {
                let name = format!("odd{index}");
                let hello = case.hello.clone().map_or(Json::Null, Json::from);
                let pages = Json::Object(list.clone());
                files
                    .push((name.clone(), play::write(&folder, &name, &pages, &hello, &Json::Null)));
            }
            None => tools.extend(case.tools.iter().cloned()),
        }
    }
    if !tools.is_empty() {
        let (pages, replies) = (play::one_page(&tools), Json::Object(replies));
        files.push(("odd".to_owned(), play::write(&folder, "odd", &pages, &Json::Null, &replies)));
    }
    let mcp = files.iter().map(|(name, file)| program::server(name, file)).collect();
    let files: Vec<PathBuf> = files.into_iter().map(|(_, file)| file).collect();
    (Setup { home: folder.join("home"), mcp }, Calls::new(&files))
}

fn check_names(cases: &[Case], names: &[String], surface: &str, found: &mut Found) {
    for case in cases {
        for name in case.kept().iter().filter(|name| !names.contains(name)) {
            found.add(&case.id, surface, &format!("the tool `{name}` is lost"));
        }
    }
}

/// Tries all cases, some at once; those that are known to fail come last, because they may take long.
fn try_all(
    surface: &dyn Surface,
    calls: &Calls,
    cases: &[Case],
    known: &BTreeMap<String, String>,
) -> Found {
    let (waiting, rest): (Vec<&Case>, Vec<&Case>) =
        cases.iter().partition(|case| known.contains_key(&case.id));
    let found = Mutex::new(Found::default());
    for (cases, at_once) in [(rest, AT_ONCE), (waiting, WAITING_AT_ONCE)] {
        let cases = Mutex::new(VecDeque::from(cases));
        thread::scope(|scope| {
            for _ in 0..at_once {
                scope.spawn(|| {
                    while let Some(case) = next(&cases) {
                        let is_known = known.contains_key(&case.id);
                        let result = try_case(surface, calls, case, is_known);
                        found.lock().unwrap().merge(result);
                    }
                });
            }
        });
    }
    found.into_inner().unwrap()
}

/// Makes the tries of a case in their order. One that hangs is made once more, because the machine may have been
/// busy, unless it is known; after it no other is made.
fn try_case(surface: &dyn Surface, calls: &Calls, case: &Case, is_known: bool) -> Found {
    let mut found = Found::default();
    let in_dialogue = case.tries.iter().any(|one| one.asks.is_some());
    let mut session = 0;
    for (index, one) in case.tries.iter().enumerate() {
        if !surface.takes(one, in_dialogue) {
            continue;
        }
        let goes_on = index > 0 && case.tries[index - 1].asks.is_some();
        session += usize::from(!goes_on);
        found.tries += 1;
        let tool = case.tool(one);
        let session = format!("{}.{session}", case.id);
        let attempt = || match (&one.say, &one.call) {
            (Some(words), _) => surface.say(words, &session),
            (None, Some(_)) => surface.call(&tool, one, &session),
            (None, None) => panic!("`{}` has a try of nothing", case.id),
        };
        let mut before = calls.of(&tool).len();
        let mut outcome = attempt();
        if outcome.is_none() && !is_known {
            before = calls.of(&tool).len();
            outcome = attempt();
        }
        let Some(outcome) = outcome else {
            found.add(&case.id, surface.name(), &format!("{} hangs", one.label()));
            break;
        };
        let sent = calls.of(&tool).split_off(before);
        if let Some(fault) = judge::fault(one, &outcome, &sent) {
            let said: String = outcome.said.chars().take(160).collect();
            found.add(&case.id, surface.name(), &format!("{}: {fault} ({said})", one.label()));
        }
    }
    found
}

/// Decides all words that begin a conversation in one process.
fn decide(setup: &Setup, cases: &[Case], found: &mut Found) {
    let mut tried: Vec<(&Case, &Try, &String)> = Vec::new();
    for case in cases {
        let mut goes_on = false;
        for one in &case.tries {
            let words = one.say.as_ref().filter(|_| !goes_on && !one.either);
            tried.extend(words.map(|words| (case, one, words)));
            goes_on = one.asks.is_some();
        }
    }
    if tried.is_empty() {
        return;
    }
    found.tries += tried.len();
    let texts: Vec<String> = tried.iter().map(|(_, _, words)| (*words).clone()).collect();
    let records = setup.route(&texts).unwrap_or_default();
    for (index, (case, one, words)) in tried.into_iter().enumerate() {
        let record = records.get(index).unwrap_or(&Json::Null);
        let calls = record["calls"].as_array().cloned().unwrap_or_default();
        let outcome = match record["decision"].as_str() {
            Some("run") => Outcome { mode: "tool".to_owned(), ..Outcome::default() },
            Some(mode) => Outcome {
                mode: mode.to_owned(),
                text: record["question"]["text"].as_str().unwrap_or_default().to_owned(),
                ..Outcome::default()
            },
            None => Outcome { mode: "no decision".to_owned(), ..Outcome::default() },
        };
        let tool = case.tool(one);
        let ran = calls.iter().filter(|call| call["tool"] == *tool && outcome.mode == "tool");
        let sent: Vec<Json> = ran.map(|call| call["arguments"].clone()).collect();
        // What is shown and how it ends is not known before it runs.
        let one = Try { shown: Vec::new(), hidden: Vec::new(), fails: None, ..one.clone() };
        if let Some(fault) = judge::fault(&one, &outcome, &sent) {
            found.add(&case.id, "route", &format!("{words}: {fault} ({})", outcome.text));
        }
    }
}

/// Asks one thing as people do: the words of the first case that is right.
fn ask_one(setup: &Setup, cases: &[Case], known: &BTreeMap<String, String>, found: &mut Found) {
    let runs = |one: &&Try| one.say.is_some() && one.sent.is_some() && one.fails.is_none();
    let mut right = cases.iter().filter(|case| !known.contains_key(&case.id));
    let first = right.find_map(|case| Some((case, case.tries.iter().find(runs)?)));
    let Some((case, one)) = first else { return };
    found.tries += 1;
    let outcome = setup.ask(one.say.as_ref().unwrap()).map(|answer| Outcome::of_answer(&answer));
    match outcome {
        Ok(outcome) if outcome.mode == "tool" => {}
        Ok(outcome) => found.add(&case.id, "ask", &format!("{}: {}", one.label(), outcome.said)),
        Err(error) => found.add(&case.id, "ask", &error),
    }
}

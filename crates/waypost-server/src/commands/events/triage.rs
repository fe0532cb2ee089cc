//! `waypost events triage`: the logged turns that are worth a label, and on a terminal a key for each
//! to give it one.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal};
use std::sync::Arc;

use crossterm::event::{Event, KeyCode, KeyEventKind, KeyModifiers, read};
use crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use waypost::Code;
use waypost::feedback::triage::{Candidate, Triage};
use waypost::feedback::{self, Feedback};
use waypost::pack::spec::HandlerName;
use waypost::pack::{OUT_OF_SCOPE, Pack};
use waypost::ports::store::{Filter, Store};
use waypost::records::label::Label;
use waypost::records::request::shorten;
use waypost_backends::stores::SqliteStore;

use super::{PAGE, SHOWN, each, nothing, when};
use crate::cli::EventsTriageArgs;
use crate::commands::feedback::noted;
use crate::config::Config;
use crate::failure::Failure;
use crate::output::{self, Shown};
use crate::{assemble, packs};

/// The most characters of a text that are shown to somebody who labels it.
const READ: usize = 1_000;
/// The keys of routes; the letters that are missing have another meaning.
const KEYS: &str = "abcdefghijklmoprtvwxzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

pub(super) async fn run(args: &EventsTriageArgs, config: &Config) -> Result<u8, Failure> {
    let pack = packs::load(&args.pack.pack)?;
    let since = args.since.as_deref().map(|since| when::since(since, jiff::Timestamp::now()));
    let filter = Filter {
        pack: Some(pack.spec.name.clone()),
        since: since.transpose().map_err(Failure::usage)?,
        ..Filter::default()
    };
    let Some(store) = assemble::kept(config).await? else { return nothing(config) };
    let candidates = candidates(&store, &filter, &pack, args.limit as usize).await?;
    if args.json {
        output::json_pretty(&candidates)?;
        return Ok(0);
    }
    if candidates.is_empty() {
        output::note("no turn is worth a label: nothing was unsure, disputed or asked again");
        return Ok(0);
    }
    if io::stdin().is_terminal() && output::is_terminal() {
        let store = assemble::redacting(Arc::new(store), config);
        label(store.as_ref(), &pack, &candidates).await?;
    } else {
        candidates.iter().try_for_each(|candidate| output::line(line(candidate)))?;
    }
    Ok(0)
}

async fn candidates(
    store: &SqliteStore,
    filter: &Filter,
    pack: &Pack,
    limit: usize,
) -> Result<Vec<Candidate>, Failure> {
    let mut triage = Triage::default();
    each(store, filter, |record| {
        triage.add(record);
        Ok(())
    })
    .await?;
    let mut from = Some(0);
    while let Some(at) = from {
        let page = store.labels(&pack.spec.name, at, PAGE).await?;
        page.labels.iter().for_each(|label| triage.label(label));
        from = page.next;
    }
    Ok(triage.list(limit))
}

/// A turn on two lines.
fn line(candidate: &Candidate) -> Shown {
    let text = shorten(&candidate.text, SHOWN);
    let said = format!("{:.2}  “{text}”  {}", candidate.score, decided(candidate));
    let why = Shown::from(format!("      {}  ", why(candidate)));
    Shown::below_each_other([said.into(), why + output::dim(&candidate.decision_id)])
}

fn decided(candidate: &Candidate) -> String {
    let Candidate { decision, route, tools, layer, confidence, .. } = candidate;
    let tools = if tools.is_empty() { String::new() } else { format!(" {}", tools.join(", ")) };
    format!("{} {route}{tools} by {} {confidence:.2}", decision.name(), layer.name())
}

fn why(candidate: &Candidate) -> String {
    let mut words: Vec<String> = candidate.why.iter().map(|why| why.words().to_owned()).collect();
    words.extend(candidate.instead.as_ref().map(|instead| format!("it says {instead}")));
    if candidate.count > 1 {
        words.push(format!("stands for {}", candidate.count));
    }
    words.join(", ")
}

/// The route and the tools that a key stands for.
struct Target {
    key: char,
    route: String,
    tools: Vec<String>,
}

/// Returns every route of the pack, a route with tools once for each of them.
fn targets(pack: &Pack) -> Vec<Target> {
    let mut places: Vec<(String, Vec<String>)> = Vec::new();
    for route in &pack.spec.routes {
        match route.handler {
            HandlerName::Tool => places.extend(
                pack.tools.iter().map(|tool| (route.name.clone(), vec![tool.spec.name.clone()])),
            ),
            _ => places.push((route.name.clone(), Vec::new())),
        }
    }
    places.push((OUT_OF_SCOPE.to_owned(), Vec::new()));
    let with_key = places.into_iter().zip(KEYS.chars());
    with_key.map(|((route, tools), key)| Target { key, route, tools }).collect()
}

/// The answer of somebody to a turn that is shown.
enum Said {
    Word(Feedback),
    Skip,
    Undo,
    Help,
    Quit,
}

async fn label(store: &dyn Store, pack: &Pack, candidates: &[Candidate]) -> Result<(), Failure> {
    let targets = targets(pack);
    help(&targets)?;
    // The labels that were given here and stand, by the place of their turn: nothing else can be
    // taken back.
    let (mut at, mut given) = (0, BTreeMap::new());
    while let Some(candidate) = candidates.get(at) {
        show(candidate, at + 1, candidates.len())?;
        let (said, echo) = ask(&targets, candidate)?;
        output::line(echo)?;
        match said {
            Said::Word(word) => match feedback::give(pack, store, &word).await {
                Ok(Some(label)) => {
                    given.insert(at, label);
                    at += 1;
                }
                Ok(None) => {
                    output::line(noted(pack, &word.decision_id, None))?;
                    at += 1;
                }
                // The turn is shown once more, for another word.
                Err(error) if error.code() == Code::InvalidArgument => {
                    output::line(Failure::from(error).shown())?;
                }
                Err(error) => return Err(error.into()),
            },
            Said::Skip => at += 1,
            Said::Undo => {
                at = at.saturating_sub(1);
                if let Some(label) = given.remove(&at) {
                    output::line(undo(store, &label).await?)?;
                }
            }
            Said::Help => help(&targets)?,
            Said::Quit => break,
        }
    }
    let left = candidates.len() - given.len();
    output::line("")?;
    output::line(format!("labeled {}, left {left}", given.len()))
}

/// Takes back what was said of a turn, and says what became of it.
async fn undo(store: &dyn Store, label: &Label) -> Result<&'static str, Failure> {
    Ok(match store.take_back(label).await? {
        true => "its label is gone",
        false => "its label stays: somebody has said something else since",
    })
}

fn help(targets: &[Target]) -> Result<(), Failure> {
    output::line(output::bold("One key says what is right:"))?;
    for target in targets {
        let tools = target.tools.join(", ");
        let key = output::mark(&target.key.to_string());
        output::line("  " + key + format!("  {} {tools}", target.route))?;
    }
    output::line(
        "  y  it was right   n  it was wrong   s  skip   u  back, without its label   ?  these keys   q  quit",
    )
}

fn show(candidate: &Candidate, number: usize, of: usize) -> Result<(), Failure> {
    let head = format!("{number} of {of}  {:.2}: {}", candidate.score, why(candidate));
    output::line("")?;
    output::line(output::dim(&head))?;
    output::line(Shown::text(&format!("“{}”", shorten(&candidate.text, READ))))?;
    output::line(format!("  {}", decided(candidate)))?;
    output::piece("? ")
}

/// Waits for a key that means something; returns what it means, and what is written behind the mark.
fn ask(targets: &[Target], candidate: &Candidate) -> Result<(Said, String), Failure> {
    loop {
        let (key, control) = key()?;
        if control {
            match key {
                'c' | 'd' => return Ok((Said::Quit, String::new())),
                _ => continue,
            }
        }
        let said = match key {
            'y' => (Said::Word(Feedback { right: true, ..word(candidate) }), "right".to_owned()),
            'n' => (Said::Word(word(candidate)), "wrong".to_owned()),
            's' => (Said::Skip, "skipped".to_owned()),
            'u' => (Said::Undo, "back".to_owned()),
            'q' => (Said::Quit, String::new()),
            '?' => (Said::Help, String::new()),
            other => {
                let Some(target) = targets.iter().find(|target| target.key == other) else {
                    continue;
                };
                let (route, tools) = (target.route.clone(), target.tools.clone());
                let echo = format!("{route} {}", tools.join(", "));
                (Said::Word(Feedback { route: Some(route), tools, ..word(candidate) }), echo)
            }
        };
        return Ok(said);
    }
}

/// Reads one key, without waiting for the end of a line, and whether Control was held.
fn key() -> Result<(char, bool), Failure> {
    let _raw = Raw::enter()?;
    loop {
        let Event::Key(event) = read()? else { continue };
        if event.kind != KeyEventKind::Press {
            continue;
        }
        if let KeyCode::Char(c) = event.code {
            return Ok((c, event.modifiers.contains(KeyModifiers::CONTROL)));
        }
    }
}

/// A terminal that hands every key on at once, until it is dropped.
struct Raw;

impl Raw {
    fn enter() -> io::Result<Self> {
        enable_raw_mode().map(|()| Self)
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        // A terminal that has gone needs no mode.
        let _ = disable_raw_mode();
    }
}

/// Makes the feedback on a turn. Whoever can read the store needs no leave to speak of what is in
/// it.
fn word(candidate: &Candidate) -> Feedback {
    Feedback {
        decision_id: candidate.decision_id.clone(),
        now: Some(crate::commands::now()),
        trusted: true,
        ..Feedback::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_has_a_key_that_means_nothing_else() {
        for name in ["ocean", "malaria", "platform"] {
            let pack = packs::load(name).unwrap();
            let targets = targets(&pack);
            let routes = pack.spec.routes.iter().filter(|r| r.handler != HandlerName::Tool).count();
            let tools = if routes == pack.spec.routes.len() { 0 } else { pack.tools.len() };
            assert_eq!(targets.len(), routes + tools + 1, "{name}");
        }
        let keys: std::collections::BTreeSet<char> = KEYS.chars().collect();
        assert_eq!(keys.len(), KEYS.len());
        assert!("ynsuq?".chars().all(|key| !keys.contains(&key)));
    }
}

//! The sessions that README, docs/EXAMPLES.md and docs/LEARNING.md show are run, and print what these say.
//!
//! After a change of what is printed, `WAYPOST_UPDATE_README=1 cargo test readme` writes the new
//! output into them; read the difference before committing it.

use std::fs;
use std::path::PathBuf;

use crate::support::{Home, NOW};

/// The commands that take the instant of a question.
const ASKS: [&str; 3] = ["ask", "parse", "why"];

/// One command of a session and what the document says it prints.
#[derive(Debug)]
struct Shown {
    command: String,
    output: String,
}

#[test]
fn readme_shows_what_is_printed() {
    check("README.md", 6);
}

#[test]
fn the_examples_show_what_is_printed() {
    check("docs/EXAMPLES.md", 7);
}

#[test]
fn the_document_on_learning_shows_what_is_printed() {
    check("docs/LEARNING.md", 8);
}

/// Runs every session of a document, of at least so many commands, in its order and in one home.
#[track_caller]
fn check(document: &str, least: usize) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(document);
    let text = fs::read_to_string(&path).unwrap();
    let home = Home::new();
    let mut varies = Varies::new(&text);
    let (mut updated, mut from, mut wrong, mut count) = (text.clone(), 0, Vec::new(), 0);
    for shown in sessions(&text).flat_map(commands) {
        let Shown { command, output } = &shown;
        count += 1;
        if command.contains("feedback") || command.contains("triage") {
            varies.meet(&home);
        }
        let printed = varies.settled(&run(&home, &varies.meant(command)));
        let block = |output: &str| format!("$ {command}\n{output}\n");
        // The same command may stand in several places.
        let place = updated[from..].find(&block(output)).expect("a command stands in its document");
        from += place;
        updated.replace_range(from..from + block(output).len(), &block(&printed));
        from += block(&printed).len();
        if printed != *output {
            wrong.push(format!("$ {command}\n{printed}\n{document}:\n{output}"));
        }
    }
    if std::env::var_os("WAYPOST_UPDATE_README").is_some() {
        fs::write(&path, updated).unwrap();
        return;
    }
    assert!(count >= least, "{document} shows only {count} commands");
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// The ids that change with every run or every change of a pack, as a document shows them.
struct Varies {
    /// The id of the student that the document shows, and of the one that was made here.
    shown: Option<String>,
    made: Option<String>,
    /// The ids of decisions that the document gives feedback on, and those of the decisions here, in their order.
    told: Vec<String>,
    decided: Vec<String>,
}

impl Varies {
    fn new(document: &str) -> Self {
        let is_id = |id: &&str| id.chars().all(|c| c.is_ascii_hexdigit());
        let behind = document.split("waypost feedback ").skip(1);
        let mut told: Vec<String> = Vec::new();
        for id in behind.filter_map(|rest| rest.get(..16)).filter(is_id) {
            if !told.iter().any(|known| known == id) {
                told.push(id.to_owned());
            }
        }
        Self { shown: bundle(document), made: None, told, decided: Vec::new() }
    }

    /// Looks up what was decided so far.
    fn meet(&mut self, home: &Home) {
        for line in home.run(&["events", "--json"]).stdout.lines() {
            let event: serde_json::Value = serde_json::from_str(line).unwrap();
            let id = event["decision_id"].as_str().unwrap().to_owned();
            if !self.decided.contains(&id) {
                self.decided.push(id);
            }
        }
    }

    /// A command about the decisions that were made here.
    fn meant(&self, command: &str) -> String {
        let pairs = self.told.iter().zip(&self.decided);
        pairs.fold(command.to_owned(), |command, (told, decided)| command.replace(told, decided))
    }

    fn settled(&mut self, printed: &str) -> String {
        self.made = self.made.take().or_else(|| bundle(printed));
        let lines: Vec<String> = printed.lines().map(settled).collect();
        let pairs = self.told.iter().zip(&self.decided);
        let printed =
            pairs.fold(lines.join("\n"), |printed, (told, decided)| printed.replace(decided, told));
        match (&self.shown, &self.made) {
            (Some(shown), Some(made)) => printed.replace(made, shown),
            _ => printed,
        }
    }
}

/// The first id of a student in a text.
fn bundle(text: &str) -> Option<String> {
    let is_id = |id: &&str| id.chars().all(|c| c.is_ascii_hexdigit());
    let behind = text.split("bundle ").skip(1).filter_map(|rest| rest.get(..16));
    behind.filter(is_id).map(str::to_owned).next()
}

/// A line without the time that something took, and at the instant of the questions.
fn settled(line: &str) -> String {
    let mut words: Vec<&str> = line.split(' ').collect();
    for at in 1..words.len() {
        match words[at].as_bytes() {
            [b's', b','] => words[at - 1] = "…",
            [_, _, b':', _, _, b'Z'] => (words[at - 1], words[at]) = ("2025-11-06", "01:00Z"),
            _ => {}
        }
    }
    words.join(" ")
}

fn sessions(readme: &str) -> impl Iterator<Item = &str> {
    readme.split("```console\n").skip(1).map(|block| block.split("```").next().unwrap())
}

fn commands(session: &str) -> Vec<Shown> {
    let mut commands: Vec<Shown> = Vec::new();
    for line in session.lines() {
        match (line.strip_prefix("$ "), commands.last_mut()) {
            (Some(command), _) => {
                commands.push(Shown { command: command.to_owned(), output: String::new() });
            }
            (None, Some(shown)) => shown.output = format!("{}\n{line}", shown.output),
            (None, None) => panic!("a session begins with a command: {line}"),
        }
    }
    for shown in &mut commands {
        shown.output = shown.output.trim_matches('\n').to_owned();
    }
    commands
}

fn run(home: &Home, command: &str) -> String {
    let mut words = words(command).into_iter();
    assert_eq!(words.next().as_deref(), Some("waypost"), "{command}");
    let name = words.next().unwrap();
    let rest: Vec<String> = words.collect();
    let mut args = vec![name.as_str()];
    if ASKS.contains(&name.as_str()) {
        args.extend(["--now", NOW]);
    }
    args.extend(rest.iter().map(String::as_str));
    let run = home.run(&args);
    // A question or a refusal is shown as any answer; other commands must work.
    assert!(run.status == 0 || name == "ask", "{command}: {}", run.stderr);
    run.stdout.trim_end().to_owned()
}

/// Splits a command as a shell does; the documents use single quotes alone.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (index, part) in command.split('\'').enumerate() {
        if index % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

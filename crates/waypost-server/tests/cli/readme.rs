//! The sessions that README shows are run, and print what it says.
//!
//! After a change of what is printed, `WAYPOST_UPDATE_README=1 cargo test readme` writes the new
//! output into README; read the difference before committing it.

use std::fs;
use std::path::PathBuf;

use crate::support::{Home, NOW};

/// One command of a session and what README says it prints.
#[derive(Debug)]
struct Shown {
    command: String,
    output: String,
}

#[test]
fn readme_shows_what_is_printed() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let readme = fs::read_to_string(&path).unwrap();
    let home = Home::new();
    let (mut updated, mut wrong, mut count) = (readme.clone(), Vec::new(), 0);
    for session in sessions(&readme) {
        for shown in commands(session) {
            count += 1;
            let printed = run(&home, &shown.command);
            if printed != shown.output {
                let block = |output: &str| format!("$ {}\n{output}\n", shown.command);
                updated = updated.replace(&block(&shown.output), &block(&printed));
                wrong.push(format!("$ {}\n{printed}\nREADME:\n{}", shown.command, shown.output));
            }
        }
    }
    if std::env::var_os("WAYPOST_UPDATE_README").is_some() {
        fs::write(&path, updated).unwrap();
        return;
    }
    assert!(count >= 8, "README shows only {count} commands");
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
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
    let mut args = vec![name.as_str(), "--now", NOW];
    args.extend(rest.iter().map(String::as_str));
    home.run(&args).stdout.trim_end().to_owned()
}

/// Splits a command as a shell does; README uses single quotes alone.
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

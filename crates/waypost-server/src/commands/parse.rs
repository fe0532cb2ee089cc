//! `waypost parse`: the extractors alone, for people and for programs.

use std::io::BufRead;

use serde::Deserialize;
use serde_json::{Value as Json, json};
use waypost::extract::{self, Kind, Value};
use waypost::language::Language;
use waypost::pack::{Pack, did_you_mean};
use waypost::records::request::Request;
use waypost::text::Text;
use waypost::{Error, Result as Outcome};

use crate::cli::ParseArgs;
use crate::failure::{Failure, USAGE};
use crate::output::{self, Shown};
use crate::packs;

/// One line of `--jsonl`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Line {
    text: String,
    language: Option<String>,
    now: Option<String>,
    tz: Option<String>,
    kind: Option<String>,
}

pub(super) fn run(args: &ParseArgs) -> Result<u8, Failure> {
    let pack = packs::load(&args.pack.pack)?;
    if args.jsonl {
        return lines(args, &pack);
    }
    let line = with_defaults(args, Line { text: super::text(&args.text)?, ..Line::default() });
    let values = values(&pack, &line).map_err(Failure::usage)?;
    if args.json {
        output::json_pretty(&record(&values))?;
    } else {
        show(&line.text, &values)?;
    }
    Ok(0)
}

fn lines(args: &ParseArgs, pack: &Pack) -> Result<u8, Failure> {
    let mut status = 0;
    for (index, line) in std::io::stdin().lock().split(b'\n').enumerate() {
        let line = line?;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let parsed = std::str::from_utf8(&line)
            .map_err(|error| {
                Error::invalid(format!("byte {} of the line is not UTF-8", error.valid_up_to()))
            })
            .and_then(|line| super::record(line, "a record"))
            .and_then(|line| values(pack, &with_defaults(args, line)));
        match parsed {
            Ok(values) => output::json_line(&record(&values))?,
            Err(error) => {
                status = USAGE;
                let fault = json!({ "code": error.code(), "message": error.message() });
                output::json_line(&json!({ "error": fault, "line": index + 1 }))?;
            }
        }
    }
    Ok(status)
}

fn with_defaults(args: &ParseArgs, line: Line) -> Line {
    Line {
        language: line.language.or_else(|| args.lang.clone()),
        now: line.now.or_else(|| args.now.clone()).or_else(|| Some(super::now())),
        tz: line.tz.or_else(|| args.tz.clone()),
        kind: line.kind.or_else(|| args.kind.clone()),
        ..line
    }
}

fn values(pack: &Pack, line: &Line) -> Outcome<Vec<Value>> {
    let request = Request { now: line.now.clone(), tz: line.tz.clone(), ..Request::new("") };
    let now = request.instant(&pack.spec.tz)?;
    let text = Text::new(&line.text);
    let hint = line.language.as_deref().and_then(Language::from_tag);
    let language = hint.or_else(|| extract::detect(&text, &Language::ALL)).unwrap_or(Language::En);
    let context = extract::Context {
        now: &now,
        language,
        gazetteers: &pack.gazetteers,
        conventions: extract::Conventions::STANDARD,
        wanted: pack.wanted,
    };
    let Some(name) = &line.kind else { return Ok(extract::extract(&text, &context)) };
    Ok(extract::of_kind(&text, &context, kind(name)?))
}

/// The kind that a name means.
fn kind(name: &str) -> Outcome<Kind> {
    Kind::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(|| {
        let names = Kind::ALL.iter().map(|kind| kind.name());
        Error::invalid(format!("`{name}` is no kind of value")).with_hint(did_you_mean(name, names))
    })
}

fn record(values: &[Value]) -> Json {
    json!({ "values": values.iter().map(extract::record).collect::<Vec<_>>() })
}

/// The text with its spans marked, and under it what each of them is and which rule says so.
fn show(text: &str, values: &[Value]) -> Result<(), Failure> {
    let characters: Vec<char> = text.chars().collect();
    let mut marked = Shown::default();
    let mut at = 0;
    for value in values {
        marked = marked + between(&characters[at..value.span.start]);
        let words: String = characters[value.span.start..value.span.end].iter().collect();
        marked = marked + output::mark(&words);
        at = value.span.end;
    }
    output::line(marked + between(&characters[at..]))?;
    for value in values {
        let record = extract::record(value);
        let shown = match (&record["value"], &record["fault"]) {
            (Json::Null, fault) => format!("impossible: {}", fault.as_str().unwrap_or_default()),
            (value, _) => value.to_string(),
        };
        let kind = output::bold(&format!("{:<9}", value.kind.name()));
        let rule = output::dim(&value.rule.to_string());
        let others = others(&record["alternatives"]);
        let said = format!(" {}  {shown}", value.text);
        output::line("  " + kind + said + others + "  " + rule)?;
    }
    if values.is_empty() {
        output::note("no dates, numbers, coordinates or names in this text");
    }
    Ok(())
}

/// The words between two values, which may be lines of a text.
fn between(characters: &[char]) -> Shown {
    Shown::text(&characters.iter().collect::<String>())
}

/// The other readings, as many as one looks at.
fn others(alternatives: &Json) -> Shown {
    const SHOWN: usize = 2;
    let Some(all) = alternatives.as_array() else { return Shown::default() };
    let shown: Vec<String> = all.iter().take(SHOWN).map(Json::to_string).collect();
    let more =
        if all.len() > SHOWN { format!(", {} more", all.len() - SHOWN) } else { String::new() };
    output::dim(&format!("  (or {}{more})", shown.join(", ")))
}

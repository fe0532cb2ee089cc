//! Suggests, from the schema alone, which kind of value fills an argument. A pack's annotation
//! overrules it. Suggestions are made once, when a tool is loaded.
//!
//! The rules are an ordered table: what the schema states (a format, a pattern, examples) comes
//! before what the name of the argument tells, and the name before the description.

use serde_json::Value as Json;
use waypost_core::schema::{Check, Schema};
use waypost_text::extract::Kind;

use super::prose;
use super::shape::Shape;
use super::spec::Part;

mod unit;

pub(crate) use unit::is_year;

/// The kind of value that a schema suggests for an argument.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Suggested {
    /// The kind; `None` where nothing tells.
    pub(crate) kind: Option<Kind>,
    /// The part of that value.
    pub(crate) part: Option<Part>,
    /// The unit of its number, as UCUM writes it; a number without a unit counts as one of these.
    pub(crate) unit: Option<&'static str>,
    /// The values that stand only in the description.
    pub(crate) listed: Vec<String>,
    /// True if the argument is a thought or a query: what the user wrote as a whole may fill it.
    pub(crate) thought: bool,
    /// The rule that suggested it.
    pub(crate) rule: &'static str,
}

/// The facts that a rule looks at.
pub(super) struct Facts<'a> {
    /// The words of the argument's name, in lower case: `repoPath` is `repo`, `path`.
    words: Vec<String>,
    shape: &'a Shape,
    /// The names of all arguments of the tool.
    names: &'a [String],
    /// The name and the summary of the tool, in lower case.
    about: &'a str,
}

type Rule = fn(&Facts<'_>) -> Option<Suggested>;

/// The rules, surest first.
fn rules() -> &'static [(&'static str, Rule)] {
    &[
        ("listed", by_list),
        ("boolean", by_boolean),
        ("format", by_format),
        ("pattern", by_pattern),
        ("examples", by_examples),
        ("part", by_part),
        ("number", by_number),
        ("prose", by_prose),
        ("notation", by_notation),
        ("name", by_name),
        ("description", by_description),
    ]
}

/// Suggests the kind of an argument's value, or of the items of its list.
///
/// `names` are all arguments of the tool: a `start` is the beginning of a range only beside an `end`. `about` is the tool's own
/// name and summary in lower case: the `source` of what moves files is a path.
pub(crate) fn suggest(name: &str, shape: &Shape, names: &[String], about: &str) -> Suggested {
    let shape = match &shape.items {
        Some(items) if shape.types.array && !is_box(name, shape) => {
            let described = Shape {
                description: format!("{} {}", items.description, shape.description),
                prose: format!("{} {}", items.prose, shape.prose),
                ..(**items).clone()
            };
            return first(&Facts { words: words_of(name), shape: &described, names, about });
        }
        _ => shape,
    };
    first(&Facts { words: words_of(name), shape, names, about })
}

fn first(facts: &Facts<'_>) -> Suggested {
    let found = rules().iter().find_map(|(rule, suggest)| {
        let suggested = suggest(facts)?;
        Some(Suggested { rule, ..suggested })
    });
    found.unwrap_or_default()
}

fn kind(kind: Kind) -> Option<Suggested> {
    Some(Suggested { kind: Some(kind), ..Suggested::default() })
}

impl Facts<'_> {
    /// The word of the name that says what it is: the last, but for words that every name may have.
    fn head(&self) -> &str {
        let telling = |word: &&String| {
            !GENERAL.contains(&word.as_str()) && !word.chars().all(|c| c.is_ascii_digit())
        };
        // `date_of_birth` is a date.
        let before = self.words.iter().position(|word| JOINTS.contains(&word.as_str()));
        let words = match before {
            Some(at) if at > 0 => &self.words[..at],
            Some(0) if self.words.len() > 1 => &self.words[1..],
            _ => &self.words[..],
        };
        let last = words.iter().rev().find(telling).or(words.last());
        last.map_or("", String::as_str)
    }

    fn says(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.shape.description.contains(word))
    }

    /// Returns whether it takes text, or does not say what it takes.
    fn is_text(&self) -> bool {
        let types = self.shape.types;
        types.string || !(types.numeric() || types.boolean || types.array || types.object)
    }
}

/// Words of names that say nothing of the value.
const GENERAL: [&str; 14] = [
    "name", "names", "value", "values", "str", "string", "input", "param", "arg", "data", "list",
    "info", "num", "array",
];

/// Words that join a name: `date_of_birth`, `distance_to_water`.
const JOINTS: [&str; 8] = ["of", "to", "from", "by", "for", "in", "with", "per"];

/// The words of a name: `repoPath`, `repo_path` and `repo-path` are `repo path`.
pub(crate) fn words_of(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut last: Option<char> = None;
    for c in name.chars() {
        let turns = last.is_some_and(|last| {
            last.is_lowercase() && c.is_uppercase() || last.is_ascii_digit() != c.is_ascii_digit()
        });
        if !c.is_alphanumeric() {
            last = None;
            continue;
        }
        if last.is_none() || turns {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.extend(c.to_lowercase());
        }
        last = Some(c);
    }
    joined(words)
}

/// Returns whether a word is among words with spaces between them.
pub(crate) fn is_among(words: &str, word: &str) -> bool {
    words.split_ascii_whitespace().any(|own| own == word)
}

/// Words that are often written apart.
fn joined(words: Vec<String>) -> Vec<String> {
    let mut joined: Vec<String> = Vec::with_capacity(words.len());
    for word in words {
        let pair = joined.last().map(|last| format!("{last}{word}"));
        match pair.filter(|pair| COMPOUNDS.contains(&pair.as_str())) {
            Some(pair) => {
                joined.pop();
                joined.push(pair);
            }
            None => joined.push(word),
        }
    }
    joined
}

const COMPOUNDS: [&str; 5] = ["timezone", "datetime", "timestamp", "filename", "filepath"];

/// A list of numbers that is a box on the Earth.
fn is_box(name: &str, shape: &Shape) -> bool {
    let named = words_of(name).iter().any(|word| word == "bbox" || word == "boundingbox");
    let four = shape.counts == (4, Some(4));
    let numbers = shape.items.as_ref().is_some_and(|items| items.types.numeric());
    numbers && named && (four || shape.counts == (0, None))
}

/// Listed values are found by their names, whatever kind of thing they are.
fn by_list(facts: &Facts<'_>) -> Option<Suggested> {
    (!facts.shape.listed.is_empty()).then(Suggested::default)
}

fn by_boolean(facts: &Facts<'_>) -> Option<Suggested> {
    let types = facts.shape.types;
    (types.boolean && !types.string && !types.numeric()).then_some(())?;
    kind(Kind::Boolean)
}

fn by_format(facts: &Facts<'_>) -> Option<Suggested> {
    kind(match facts.shape.format.as_deref()? {
        "date" => Kind::Date,
        "date-time" => Kind::Datetime,
        "time" => Kind::Time,
        "duration" => Kind::Duration,
        "uri" | "url" | "uri-reference" | "iri" => Kind::Url,
        "email" | "idn-email" => Kind::Email,
        "ipv4" | "ipv6" => Kind::Ip,
        "uuid" => Kind::Identifier,
        "path" | "file-path" => Kind::Path,
        _ => return None,
    })
}

/// The looks of a value of each kind, for patterns and examples.
const LOOKS: [(&str, Kind); 13] = [
    ("2025-11-06", Kind::Date),
    ("2025-11-06T17:30:00Z", Kind::Datetime),
    ("2025-11-06T17:30:00+00:00", Kind::Datetime),
    ("2025-11-06T17:30:00", Kind::Datetime),
    ("2025-11-06 17:30:00", Kind::Datetime),
    ("17:30", Kind::Time),
    ("17:30:00", Kind::Time),
    ("PT90M", Kind::Duration),
    ("https://example.org/a", Kind::Url),
    ("ada@example.org", Kind::Email),
    ("Asia/Tokyo", Kind::Zone),
    ("a1b2c3d4e5f60718293a4b5c6d7e8f9012345678", Kind::Revision),
    ("ABC-123", Kind::Identifier),
];

/// Texts that a pattern of one kind does not take.
const ANYTHING: [&str; 2] = ["lorem ipsum", "x"];

/// The only kind of which values have the pattern.
fn by_pattern(facts: &Facts<'_>) -> Option<Suggested> {
    let pattern = facts.shape.pattern.as_ref()?;
    let schema = serde_json::json!({ "type": "string", "pattern": pattern });
    let schema = Schema::compile(&schema).ok()?;
    let takes = |text: &str| schema.check(&Json::from(text)) == Check::Fits;
    if ANYTHING.into_iter().any(takes) {
        return None;
    }
    let mut kinds = LOOKS.iter().filter(|(look, _)| takes(look)).map(|(_, kind)| *kind);
    let found = kinds.next()?;
    kinds.all(|other| other == found).then_some(())?;
    kind(found)
}

/// The kind that all examples look like.
fn by_examples(facts: &Facts<'_>) -> Option<Suggested> {
    let texts: Vec<&str> = facts.shape.examples.iter().filter_map(Json::as_str).collect();
    let first = looks_like(texts.first()?)?;
    texts.iter().all(|text| looks_like(text) == Some(first)).then_some(())?;
    kind(first)
}

/// The kind of which an example is, told by its characters.
fn looks_like(text: &str) -> Option<Kind> {
    if jiff::civil::Date::strptime("%Y-%m-%d", text).is_ok() {
        return Some(Kind::Date);
    }
    if text.contains(['T', ' ']) && text.parse::<jiff::civil::DateTime>().is_ok() {
        return Some(Kind::Datetime);
    }
    let is_time = ["%H:%M", "%H:%M:%S"];
    if is_time.iter().any(|form| jiff::civil::Time::strptime(form, text).is_ok()) {
        return Some(Kind::Time);
    }
    if text.contains("://") {
        return Some(Kind::Url);
    }
    if text.contains(' ') {
        return None;
    }
    if text.contains('@') && text.contains('.') {
        return Some(Kind::Email);
    }
    if text.contains('*') {
        return Some(Kind::Glob);
    }
    if jiff::tz::TimeZone::get(text).is_ok() {
        return Some(Kind::Zone);
    }
    let path = text.starts_with(['/', '~', '.']) || text.contains("./");
    let file = text.rsplit_once('.').is_some_and(|(stem, end)| {
        !stem.is_empty()
            && (1..=4).contains(&end.len())
            && end.chars().all(char::is_alphanumeric)
            && !end.chars().all(|c| c.is_ascii_digit())
    });
    (path || file).then_some(Kind::Path)
}

/// Parts of a value that are arguments of their own: `lat`, `start_date` beside `end_date`.
fn by_part(facts: &Facts<'_>) -> Option<Suggested> {
    let types = facts.shape.types;
    let part =
        |kind, part| Some(Suggested { kind: Some(kind), part: Some(part), ..Suggested::default() });
    let [only] = facts.words.as_slice() else { return by_edge(facts) };
    match only.as_str() {
        "latitude" | "lat" if types.numeric() => part(Kind::Point, Part::Latitude),
        "longitude" | "lon" | "lng" | "long" if types.numeric() => {
            part(Kind::Point, Part::Longitude)
        }
        "bbox" | "boundingbox" if types.array => kind(Kind::Bbox),
        _ => by_edge(facts),
    }
}

/// The first or the last day of a range, where the tool has both.
fn by_edge(facts: &Facts<'_>) -> Option<Suggested> {
    let starts = |word: &str| ["start", "begin", "from"].contains(&word);
    let ends = |word: &str| ["end", "until", "to"].contains(&word);
    let is_date = facts.is_text()
        && (facts.words.iter().any(|word| word == "date" || word == "day")
            || facts.says(&["yyyy-mm-dd"]) && !facts.says(&["hh"]));
    if !is_date {
        return None;
    }
    let edge = |words: &[String]| {
        let edge = |is: fn(&str) -> bool| words.iter().any(|word| is(word));
        (
            edge(|word| ["start", "begin", "from"].contains(&word)),
            edge(|word| ["end", "until", "to"].contains(&word)),
        )
    };
    let own =
        (facts.words.iter().any(|word| starts(word)), facts.words.iter().any(|word| ends(word)));
    let others = facts.names.iter().map(|name| edge(&words_of(name)));
    let part = match own {
        (true, false) if others.clone().any(|(_, end)| end) => Part::Start,
        (false, true) if others.clone().any(|(start, _)| start) => Part::End,
        _ => return None,
    };
    Some(Suggested { kind: Some(Kind::Range), part: Some(part), ..Suggested::default() })
}

/// Numbers, with the unit that the name or the description says.
fn by_number(facts: &Facts<'_>) -> Option<Suggested> {
    let types = facts.shape.types;
    if !types.numeric() || types.string {
        return None;
    }
    Some(Suggested { kind: Some(Kind::Number), unit: unit::unit(facts), ..Suggested::default() })
}

/// Values that stand only in the description.
fn by_prose(facts: &Facts<'_>) -> Option<Suggested> {
    if !facts.shape.types.string {
        return None;
    }
    let listed = prose::listed(&facts.shape.prose);
    (listed.len() >= 2).then(|| Suggested { listed, ..Suggested::default() })
}

/// A notation that the description spells out.
fn by_notation(facts: &Facts<'_>) -> Option<Suggested> {
    if !facts.is_text() {
        return None;
    }
    let day = facts.says(&["yyyy-mm-dd", "yyyy/mm/dd", "mm/dd/yyyy", "dd/mm/yyyy", "%y-%m-%d"]);
    let time = facts.says(&["hh:mm", "%h:%m", "24-hour"]);
    match (day, time) {
        (true, false) => kind(Kind::Date),
        (false, true) => kind(Kind::Time),
        (true, true) => kind(Kind::Datetime),
        _ if facts.says(&["iana"]) => kind(Kind::Zone),
        _ => None,
    }
}

/// Kinds by the word of a name that says what it is.
const NAMES: [(Kind, &str); 14] = [
    (Kind::Zone, "timezone tz zone"),
    (Kind::Datetime, "datetime timestamp"),
    (Kind::Date, "date day birthday deadline"),
    (Kind::Time, "time"),
    (Kind::Duration, "duration timeout interval"),
    (
        Kind::Path,
        "path paths file files filename filenames filepath directory directories dir folder folders \
        destination",
    ),
    (Kind::Glob, "glob globs"),
    (Kind::Url, "url urls uri link links website webpage href"),
    (Kind::Email, "email emails mail recipients cc bcc"),
    (Kind::Ip, "ip ipaddress"),
    (Kind::Phone, "phone telephone mobile"),
    (Kind::Revision, "branch revision rev ref commit sha tag hash"),
    (Kind::Identifier, "id ids uuid guid key keys slug identifier sku isbn ticker number"),
    (
        Kind::Text,
        "message text content contents body comment note notes description summary subject prompt \
        caption query q search keyword keywords question thought thoughts sentence statement \
        utterance paragraph title task reason instructions",
    ),
];

/// The kind of value that a word names: the path of `<revision>:<path>`.
pub(crate) fn kind_of_word(word: &str) -> Option<Kind> {
    NAMES.iter().find(|(_, words)| is_among(words, word)).map(|(kind, _)| *kind)
}

/// Words of a name that its description must bear out, as they name other things as well.
fn by_name(facts: &Facts<'_>) -> Option<Suggested> {
    if !facts.is_text() {
        return None;
    }
    let head = facts.head();
    let repository = ["repo", "repository", "repositories"].contains(&head);
    if repository && facts.says(&["owner/", "org/", "user/"]) {
        return kind(Kind::Repository);
    }
    if repository && facts.says(&["path", "directory", "folder"]) {
        return kind(Kind::Path);
    }
    // The code of a thing, and not one that runs.
    if facts.words == ["code"] && !facts.says(&["program", "python", "script", "source", "run"]) {
        return kind(Kind::Identifier);
    }
    let of_files = ["file", "folder", "director"].iter().any(|word| facts.about.contains(word));
    if of_files && ["source", "src", "destination", "dest"].contains(&head) {
        return kind(Kind::Path);
    }
    if of_files && head == "pattern" && !facts.says(&["regex", "regular expression"]) {
        return kind(Kind::Glob);
    }
    let (found, _) = NAMES.iter().find(|(_, words)| is_among(words, head))?;
    let phone = ["phone", "telephone", "mobile"];
    let found = match found {
        // `phone_number`, `case_number`.
        Kind::Identifier if facts.words.iter().any(|word| phone.contains(&word.as_str())) => {
            Kind::Phone
        }
        // A destination is a file beside a source of files.
        Kind::Path if head == "destination" && !facts.says(&["path", "file", "folder"]) => {
            return None;
        }
        Kind::Date if facts.says(&["time", "iso 8601"]) && !facts.says(&["date"]) => Kind::Datetime,
        Kind::Time if facts.says(&["date", "iso 8601", "iso8601", "rfc 3339", "timestamp"]) => {
            Kind::Datetime
        }
        other => *other,
    };
    Some(Suggested {
        kind: Some(found),
        thought: found == Kind::Text && is_thought(facts),
        ..Suggested::default()
    })
}

/// Returns whether a text is what the user wants to know or thinks, rather than what is written
/// somewhere.
fn is_thought(facts: &Facts<'_>) -> bool {
    let names = ["query", "q", "question", "thought", "thoughts", "prompt", "search"];
    let named = names.contains(&facts.head());
    named
        || facts.says(&[
            "question",
            "natural language",
            "user's request",
            "user query",
            "thinking step",
        ])
}

/// Kinds by what the description says outright.
fn by_description(facts: &Facts<'_>) -> Option<Suggested> {
    if !facts.is_text() {
        return None;
    }
    const SAID: [(Kind, &[&str]); 7] = [
        (Kind::Zone, &["timezone", "time zone"]),
        (Kind::Url, &["url of", "the url", "a url", "uri of"]),
        (Kind::Email, &["email address", "e-mail address"]),
        (Kind::Path, &["path to", "path of", "file path", "absolute path", "relative path"]),
        (Kind::Glob, &["glob pattern"]),
        (Kind::Revision, &["branch name", "commit hash", "commit or branch", "branch or commit"]),
        (
            Kind::Text,
            &["search query", "text to", "message to", "free text", "sentence to", "question to"],
        ),
    ];
    let (found, _) = SAID.iter().find(|(_, words)| facts.says(words))?;
    Some(Suggested {
        kind: Some(*found),
        thought: *found == Kind::Text && is_thought(facts),
        ..Suggested::default()
    })
}

#[cfg(test)]
mod tests;

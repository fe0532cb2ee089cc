//! Decides the examples that a pack begins with, before anybody has asked anything: a few for each tool, with the siblings that it must
//! not be taken for, and everyday requests that none of them serves.

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use waypost_text::language::Language;

use super::phrases::Phrases;
use super::{Draft, DraftTool};
use crate::catalog::spelled;
use crate::everyday;
use crate::pack::spec::Access;
use crate::pack::{Example, OUT_OF_SCOPE};

/// The one route of such a pack.
const ROUTE: &str = "tool";
/// The most examples of a tool in a language.
const MOST: usize = 8;
/// The most listed values that have an example of their own.
const LISTED: usize = 3;
/// The most siblings that an example says it is not for.
const SIBLINGS: usize = 2;
/// How much of what is written about two tools is the same where they are siblings.
const ALIKE: f64 = 0.25;
/// The bounds of the number of requests that no tool serves.
const OUTSIDE: std::ops::RangeInclusive<usize> = 20..=80;
/// The words that a request may share with the tools and still be none of theirs.
const SHARED_WORDS: usize = 1;

/// The examples of a draft.
pub(super) fn all(draft: &Draft) -> Vec<Example> {
    let mut examples = of_tools(draft, &draft.tools);
    examples.extend(outside(draft));
    examples
}

/// The examples of some tools of a draft; no text stands for two of them.
pub(super) fn of_tools(draft: &Draft, tools: &[DraftTool]) -> Vec<Example> {
    let phrases = Phrases::read();
    let mut said = BTreeSet::new();
    let mut examples = Vec::new();
    for tool in tools {
        let not = siblings(tool, &draft.tools);
        for language in &draft.languages {
            let texts = texts(&phrases, tool, *language).into_iter();
            let texts: Vec<String> =
                texts.filter(|text| said.insert(text.to_lowercase())).take(MOST).collect();
            examples.extend(
                texts
                    .into_iter()
                    .map(|text| Example { not: not.clone(), ..example(text, *language, tool) }),
            );
        }
    }
    examples
}

/// The words of each tool on itself, as its one example.
pub(super) fn own_words(draft: &Draft) -> Vec<Example> {
    let tools = draft.tools.iter();
    tools.map(|tool| example(tool.summary.clone(), Language::En, tool)).collect()
}

/// An example of a tool.
pub(super) fn example(text: String, lang: Language, tool: &DraftTool) -> Example {
    Example {
        text,
        lang,
        route: ROUTE.to_owned(),
        tools: vec![tool.name.clone()],
        arguments: Map::new(),
        not: Vec::new(),
    }
}

/// The lines of `examples.jsonl`.
pub(super) fn lines(examples: &[Example]) -> String {
    let line = |example: &Example| {
        let mut line = serde_json::to_value(example).unwrap_or_default();
        if let Some(map) = line.as_object_mut() {
            let is_empty = |value: &Value| {
                value.as_array().is_some_and(Vec::is_empty)
                    || value.as_object().is_some_and(Map::is_empty)
            };
            map.retain(|_, value| !is_empty(value));
        }
        format!("{line}\n")
    };
    examples.iter().map(line).collect()
}

/// Texts that ask for a tool, the plainest first.
fn texts(phrases: &Phrases, tool: &DraftTool, language: Language) -> Vec<String> {
    let named = phrases.named(&tool.remote, &tool.server);
    if language == Language::En {
        return english(phrases, tool);
    }
    let Some((verb, object)) = phrases.translated(&named, tool.access == Access::Read, language)
    else {
        return Vec::new();
    };
    let forms: &[&str] = match language {
        Language::ZhHant => &["{v}{o}", "請{v}{o}", "幫我{v}{o}", "我想{v}{o}", "可以{v}{o}嗎"],
        Language::ZhHans => &["{v}{o}", "请{v}{o}", "帮我{v}{o}", "我想{v}{o}", "可以{v}{o}吗"],
        Language::Es => &["{v} {o}", "quiero {v} {o}", "por favor, {v} {o}", "¿puedes {v} {o}?"],
        Language::Vi => &["{v} {o}", "hãy {v} {o}", "giúp tôi {v} {o}", "tôi muốn {v} {o}"],
        _ => &[],
    };
    forms.iter().map(|form| form.replace("{v}", &verb).replace("{o}", &object)).collect()
}

/// The name of a tool as a wish.
fn plain(phrases: &Phrases, tool: &DraftTool) -> String {
    let named = phrases.named(&tool.remote, &tool.server);
    match &named.verb {
        Some(verb) => format!("{verb} {}", named.object),
        None if tool.access == Access::Read => format!("show the {}", named.object),
        None => named.object,
    }
}

fn english(phrases: &Phrases, tool: &DraftTool) -> Vec<String> {
    let plain = plain(phrases, tool);
    let wish = phrases.wish(&tool.description).unwrap_or_else(|| plain.clone());
    let mut texts = vec![wish.clone(), plain.clone()];
    texts.extend(wants(tool).into_iter().map(|value| format!("{plain} {value}")));
    texts.extend(phrases.others(&wish));
    texts.extend([
        format!("can you {wish}?"),
        format!("please {plain}"),
        format!("I want to {wish}"),
    ]);
    texts
}

/// Values as people would say them: the listed ones of an argument, or one for all that is required.
fn wants(tool: &DraftTool) -> Vec<String> {
    let listed = tool.arguments.properties.values().find_map(|schema| {
        let listed = schema.get("enum")?.as_array()?.iter().filter_map(Value::as_str);
        let listed: Vec<String> =
            listed.take(LISTED).map(|value| value.replace('_', " ")).collect();
        (listed.len() > 1).then_some(listed)
    });
    let open: Vec<String> = open(tool).iter().filter_map(|name| sample(tool, name)).collect();
    let all = (!open.is_empty()).then(|| open.join(" "));
    all.into_iter().chain(listed.into_iter().flatten()).collect()
}

/// The arguments that somebody has to say.
fn open(tool: &DraftTool) -> Vec<String> {
    let names = tool.arguments.required.iter();
    names.filter(|name| !tool.defaults.contains_key(*name)).cloned().collect()
}

/// A value for an argument, by what its schema lists, the words of its name, or its type; `None` for what nobody types.
fn sample(tool: &DraftTool, argument: &str) -> Option<String> {
    const SAMPLES: [(&[&str], &str); 11] = [
        (&["url", "uri", "link"], "https://example.com"),
        (&["path", "file", "files", "filename", "source"], "notes.txt"),
        (&["directory", "folder", "destination"], "./docs"),
        (&["branch", "ref", "revision", "target"], "main"),
        (&["date", "day", "when", "time", "start"], "tomorrow"),
        (&["email", "mail", "recipient"], "ada@example.com"),
        (&["timezone", "zone"], "Asia/Tokyo"),
        (&["longitude", "lon"], "121.75"),
        (&["latitude", "lat"], "25.15"),
        (&["name", "title"], "\"demo\""),
        (&["query", "text", "message", "content", "description", "body"], "\"the weekly report\""),
    ];
    let schema = tool.arguments.properties.get(argument);
    let listed = schema.and_then(|schema| schema.get("enum")?.as_array()?.first()?.as_str());
    if let Some(listed) = listed {
        return Some(listed.replace('_', " "));
    }
    let words = spelled(argument);
    let has = |known: &[&str]| words.split_whitespace().any(|word| known.contains(&word));
    if let Some((_, value)) = SAMPLES.iter().find(|(known, _)| has(known)) {
        return Some((*value).to_owned());
    }
    match schema.and_then(|schema| schema.get("type")?.as_str()) {
        Some("integer" | "number") => Some("5".to_owned()),
        Some("string") => Some("\"demo\"".to_owned()),
        _ => None,
    }
}

/// The words of a tool that tell it from others.
fn words(tool: &DraftTool) -> BTreeSet<String> {
    let text = format!("{} {}", spelled(&tool.remote), tool.summary.to_lowercase());
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 2);
    words.map(|word| word.trim_end_matches('s').to_owned()).collect()
}

/// The tools of the same server that a tool is most easily taken for.
pub(super) fn siblings(tool: &DraftTool, all: &[DraftTool]) -> Vec<String> {
    let others = all.iter().filter(|other| other.server == tool.server);
    let alike = by_likeness(tool, others).into_iter().filter(|(share, _)| *share >= ALIKE);
    alike.take(SIBLINGS).map(|(_, other)| other.name.clone()).collect()
}

/// The tools of all servers that are most like a tool, however little.
pub(super) fn nearest<'a>(
    tool: &DraftTool,
    all: &'a [DraftTool],
    most: usize,
) -> Vec<&'a DraftTool> {
    by_likeness(tool, all.iter()).into_iter().take(most).map(|(_, other)| other).collect()
}

/// Other tools, each with how much of what is written about it and a tool is the same, the most first.
fn by_likeness<'a>(
    tool: &DraftTool,
    all: impl Iterator<Item = &'a DraftTool>,
) -> Vec<(f64, &'a DraftTool)> {
    let own = words(tool);
    let others = all.filter(|other| other.name != tool.name);
    let mut alike: Vec<(f64, &DraftTool)> = others
        .map(|other| {
            let theirs = words(other);
            let (both, any) = (own.intersection(&theirs).count(), own.union(&theirs).count());
            (both as f64 / any.max(1) as f64, other)
        })
        .collect();
    alike.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.name.cmp(&b.1.name)));
    alike
}

/// Everyday requests whose words are not those of the tools, evenly from all that there are.
fn outside(draft: &Draft) -> Vec<Example> {
    let known: BTreeSet<String> = draft.tools.iter().flat_map(words).collect();
    let wanted = (2 * draft.tools.len()).clamp(*OUTSIDE.start(), *OUTSIDE.end());
    let is_foreign = |text: &str| {
        let text = text.to_lowercase();
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 3);
        words.filter(|word| known.contains(word.trim_end_matches('s'))).count() <= SHARED_WORDS
    };
    let mut examples = Vec::new();
    for language in &draft.languages {
        let own = std::slice::from_ref(language);
        let requests: Vec<&str> =
            everyday::requests(own).map(|(_, text)| text).filter(|text| is_foreign(text)).collect();
        let step = (requests.len() / wanted).max(1);
        examples.extend(requests.into_iter().step_by(step).take(wanted).map(|text| Example {
            text: text.to_owned(),
            lang: *language,
            route: OUT_OF_SCOPE.to_owned(),
            tools: Vec::new(),
            arguments: Map::new(),
            not: Vec::new(),
        }));
    }
    examples
}

/// A question for each of the tools that need the least said: those that only read, before those that change something. One
/// of the examples in `said` is better than one that is made of names.
pub(super) fn questions(draft: &Draft, said: &[Example], most: usize) -> Vec<String> {
    let phrases = Phrases::read();
    let mut tools: Vec<&DraftTool> = draft.tools.iter().collect();
    tools.sort_by_key(|tool| (tool.access, open(tool).len()));
    let mut questions: Vec<String> = Vec::new();
    for tool in tools {
        let wish = phrases.wish(&tool.description).unwrap_or_else(|| plain(&phrases, tool));
        let open: Vec<String> = open(tool).iter().filter_map(|name| sample(tool, name)).collect();
        let said = said.iter().find(|example| example.tools == [tool.name.as_str()]);
        let made = || [vec![wish], open].concat().join(" ");
        let question = said.map_or_else(made, |example| example.text.clone());
        if !questions.contains(&question) {
            questions.push(question);
        }
        if questions.len() == most {
            break;
        }
    }
    questions
}

//! The tools over the server's memory: past conversations, stored facts, and edits of the facts. Each
//! takes the user whose memory it is.

use jiff::Zoned;
use jiff::civil::Date;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::memory::{CONVERSATIONS, Conversation, Fact, hits, parts};
use super::{finish, read, schema};
use crate::pack::{Context, Failure, Reply, Tool};

const CATEGORIES: [&str; 6] = ["preference", "fact", "goal", "skill", "context", "other"];

const COMMANDS: [&str; 4] = ["view", "add", "remove", "replace"];

/// The stretches of time of `searchRecallMemory`, with their hours.
const TIMEFRAMES: [(&str, i64); 5] = [
    ("last_hour", 1),
    ("last_day", 24),
    ("last_week", 7 * 24),
    ("last_month", 31 * 24),
    ("all", i64::MAX),
];

/// What everybody may know: it is found beside the facts about the user.
const KNOWLEDGE: [&str; 4] = [
    "A P/E ratio is the price of a share by the earnings of a year for each share",
    "An RSI above 70 is called overbought, one below 30 oversold",
    "A stop loss sells when the price falls to it",
    "A dividend yield is the dividends of a year in percent of the price",
];

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool {
            name: "getRecentConversations",
            description: "The user's latest conversations, or those of some days.",
            input: recent_input(),
            output: recent_output(),
            call: recent_conversations,
        },
        Tool {
            name: "memoryUserEdits",
            description: "Shows, adds, removes or replaces what is remembered about the user.",
            input: edits_input(),
            output: edits_output(),
            call: memory_user_edits,
        },
        Tool {
            name: "searchArchivalMemory",
            description: "Searches the facts that are stored about the user, and some general \
                          ones.",
            input: archival_input(),
            output: archival_output(),
            call: search_archival_memory,
        },
        Tool {
            name: "searchConversationHistory",
            description: "Searches all past conversations for a topic.",
            input: history_input(),
            output: found_output(json!({"query": schema::text("")})),
            call: search_conversation_history,
        },
        Tool {
            name: "searchRecallMemory",
            description: "Searches the conversations of the last hour, day, week or month for a \
                          topic.",
            input: recall_input(),
            output: found_output(json!({
                "status": schema::word(&["success"]),
                "query": schema::text(""),
                "timeframe_applied": schema::text(""),
            })),
            call: search_recall_memory,
        },
    ]
}

fn day(description: &str) -> Value {
    json!({"type": "string", "format": "date", "description": description})
}

fn query() -> Value {
    json!({"type": "string", "minLength": 1, "description": "The topic, in a few words."})
}

/// Arguments of a tool over a user's memory: these, of which some must be there, and the user.
fn input(mut properties: Value, required: &[&str]) -> Value {
    properties["user_id"] = schema::text("The user whose memory it is.");
    schema::input(properties, &[required, &["user_id"]].concat())
}

fn recent_input() -> Value {
    let properties = json!({
        "n": schema::integer(5, 1, 20, "The most conversations."),
        "sort_order": schema::one_of(&["asc", "desc"], "desc", "desc: the newest first."),
        "before": day("The last day."),
        "after": day("The first day."),
    });
    input(properties, &[])
}

fn recent_output() -> Value {
    let conversation = json!({
        "id": schema::text(""),
        "title": schema::text(""),
        "summary": schema::text(""),
        "date": schema::text(""),
    });
    schema::output(json!({
        "conversations": schema::list(conversation),
        "total_returned": schema::count(""),
        "has_more": {"type": "boolean"},
    }))
}

fn edits_input() -> Value {
    let properties = json!({
        "command": schema::word(&COMMANDS),
        "content": schema::text("To add: a fact of at most 200 characters."),
        "line_number": {
            "type": "integer",
            "description": "To remove or replace: the line, from 1.",
        },
        "replacement": schema::text("To replace: the new text of the line."),
        "category": schema::one_of(&CATEGORIES, "other", "What the fact is about."),
    });
    input(properties, &["command"])
}

fn edits_output() -> Value {
    let edit = || json!({"line": schema::count("From 1."), "text": schema::text("")});
    let mut listed = edit();
    listed["category"] = schema::word(&CATEGORIES);
    let mut changed = schema::object(edit());
    changed["type"] = json!(["object", "null"]);
    schema::output(json!({
        "status": schema::word(&["success"]),
        "command": schema::word(&COMMANDS),
        "edits": schema::list(listed),
        "total_count": schema::count(""),
        "changed": changed,
        "message": schema::text(""),
    }))
}

fn archival_input() -> Value {
    let properties = json!({
        "query": query(),
        "limit": schema::integer(3, 1, 10, "The most facts."),
        "include_global": {
            "type": "boolean",
            "default": true,
            "description": "Whether to look in general knowledge too.",
        },
    });
    input(properties, &["query"])
}

fn archival_output() -> Value {
    let fact = json!({
        "text": schema::text(""),
        "category": schema::text(""),
        "source": schema::word(&["user", "global"]),
    });
    schema::output(json!({
        "status": schema::word(&["success"]),
        "query": schema::text(""),
        "results": schema::list(fact),
        "total_found": schema::count(""),
        "sources": {"type": "array", "items": {"type": "string"}},
    }))
}

fn history_input() -> Value {
    let mut range = schema::input(json!({"after": day(""), "before": day("")}), &[]);
    range["description"] = json!("The first and the last day.");
    let properties = json!({
        "query": query(),
        "max_results": schema::integer(5, 1, 10, "The most results."),
        "date_range": range,
    });
    input(properties, &["query"])
}

fn recall_input() -> Value {
    let names = TIMEFRAMES.map(|(name, _)| name);
    let properties = json!({
        "query": query(),
        "timeframe": schema::one_of(&names, "last_week", "How far to look back."),
        "limit": schema::integer(5, 1, 20, "The most results."),
        "session_id": schema::text("The conversation that is going on."),
    });
    input(properties, &["query", "session_id"])
}

/// A result of found conversations, with some more fields.
fn found_output(more: Value) -> Value {
    let found = json!({
        "date": schema::text(""),
        "title": schema::text(""),
        "snippet": schema::text(""),
    });
    let mut properties = more;
    properties["results"] = schema::list(found);
    properties["total_found"] = schema::count("");
    schema::output(properties)
}

#[derive(Debug, Deserialize)]
struct Recent {
    #[serde(default = "five")]
    n: usize,
    #[serde(default)]
    sort_order: Order,
    #[serde(flatten)]
    days: Days,
}

/// The order of conversations in time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Order {
    Asc,
    #[default]
    Desc,
}

/// A stretch of days; both ends belong to it.
#[derive(Debug, Default, Deserialize)]
struct Days {
    after: Option<String>,
    before: Option<String>,
}

#[derive(Debug, Deserialize)]
struct History {
    query: String,
    #[serde(default = "five")]
    max_results: usize,
    #[serde(default)]
    date_range: Days,
}

#[derive(Debug, Deserialize)]
struct Recall {
    query: String,
    timeframe: Option<String>,
    #[serde(default = "five")]
    limit: usize,
}

#[derive(Debug, Deserialize)]
struct Archive {
    user_id: String,
    query: String,
    #[serde(default = "three")]
    limit: usize,
    #[serde(default = "yes")]
    include_global: bool,
}

#[derive(Debug, Deserialize)]
struct Edit {
    user_id: String,
    command: Command,
    content: Option<String>,
    line_number: Option<f64>,
    replacement: Option<String>,
    category: Option<String>,
}

/// What is done to the facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Command {
    View,
    Add,
    Remove,
    Replace,
}

fn five() -> usize {
    5
}

fn three() -> usize {
    3
}

fn yes() -> bool {
    true
}

impl Days {
    /// The stretch with its days read.
    fn read(&self) -> Result<(Option<Date>, Option<Date>), Failure> {
        let day = |name: &str, text: &Option<String>| {
            let parsed = text.as_ref().map(|text| {
                text.parse::<Date>().map_err(|_| {
                    Failure::invalid(format!("`{name}` must be a day `YYYY-MM-DD`, not `{text}`"))
                })
            });
            parsed.transpose()
        };
        Ok((day("after", &self.after)?, day("before", &self.before)?))
    }

    /// The conversations of the stretch, the newest first.
    fn conversations(&self, now: &Zoned) -> Result<Vec<(Date, Conversation)>, Failure> {
        let (after, before) = self.read()?;
        let dated = CONVERSATIONS.map(|one| (one.moment(now).date(), one));
        let is_in = move |(day, _): &(Date, Conversation)| {
            after.is_none_or(|after| *day >= after) && before.is_none_or(|before| *day <= before)
        };
        Ok(dated.into_iter().filter(is_in).collect())
    }
}

fn recent_conversations(
    arguments: &Map<String, Value>,
    context: &Context,
) -> Result<Reply, Failure> {
    let Recent { n, sort_order, days } = read(arguments)?;
    let mut all = days.conversations(&context.now)?;
    if sort_order == Order::Asc {
        all.reverse();
    }
    let has_more = all.len() > n;
    all.truncate(n);
    let entry = |(day, one): &(Date, Conversation)| {
        json!({
            "id": one.id,
            "title": one.title,
            "summary": one.summary,
            "date": day.to_string(),
        })
    };
    let result = json!({
        "conversations": all.iter().map(entry).collect::<Vec<_>>(),
        "total_returned": all.len(),
        "has_more": has_more,
    });
    Ok(finish(result, Vec::new(), context))
}

fn search_conversation_history(
    arguments: &Map<String, Value>,
    context: &Context,
) -> Result<Reply, Failure> {
    let History { query, max_results, date_range } = read(arguments)?;
    let found = found(&query, date_range.conversations(&context.now)?);
    let result = json!({
        "query": query,
        "results": found.iter().take(max_results).collect::<Vec<_>>(),
        "total_found": found.len(),
    });
    Ok(finish(result, Vec::new(), context))
}

fn search_recall_memory(
    arguments: &Map<String, Value>,
    context: &Context,
) -> Result<Reply, Failure> {
    let Recall { query, timeframe, limit } = read(arguments)?;
    let timeframe = timeframe.unwrap_or_else(|| "last_week".to_owned());
    let hours = TIMEFRAMES.iter().find(|(name, _)| *name == timeframe);
    let hours = hours.map_or(i64::MAX, |(_, hours)| *hours);
    let mut recent = Days::default().conversations(&context.now)?;
    recent.retain(|(_, one)| one.is_within(hours));
    let found = found(&query, recent);
    let result = json!({
        "status": "success",
        "query": query,
        "timeframe_applied": timeframe,
        "results": found.iter().take(limit).collect::<Vec<_>>(),
        "total_found": found.len(),
    });
    Ok(finish(result, Vec::new(), context))
}

/// The conversations that speak of a query, those with most of its words first.
fn found(query: &str, all: Vec<(Date, Conversation)>) -> Vec<Value> {
    let parts = parts(query);
    let mut found: Vec<(usize, Date, Conversation)> = all
        .into_iter()
        .map(|(day, one)| (one.speaks_of(&parts), day, one))
        .filter(|(hits, ..)| *hits > 0)
        .collect();
    found.sort_by_key(|(hits, ..)| std::cmp::Reverse(*hits));
    let entry = |(_, day, one): &(usize, Date, Conversation)| json!({"date": day.to_string(), "title": one.title, "snippet": one.summary});
    found.iter().map(entry).collect()
}

fn search_archival_memory(
    arguments: &Map<String, Value>,
    context: &Context,
) -> Result<Reply, Failure> {
    let Archive { user_id, query, limit, include_global } = read(arguments)?;
    let parts = parts(&query);
    let facts = context.memory.facts(&user_id).into_iter();
    let own = facts.map(|fact| (fact.text, fact.category, "user"));
    let global = KNOWLEDGE.iter().filter(|_| include_global);
    let global = global.map(|text| ((*text).to_owned(), "fact".to_owned(), "global"));
    let mut found: Vec<(usize, Value, &str)> = own
        .chain(global)
        .map(|(text, category, source)| {
            let hits = hits(&parts, &format!("{text} {category}"));
            (hits, json!({"text": text, "category": category, "source": source}), source)
        })
        .filter(|(hits, ..)| *hits > 0)
        .collect();
    found.sort_by_key(|(hits, ..)| std::cmp::Reverse(*hits));
    let total = found.len();
    found.truncate(limit);
    let mut sources: Vec<&str> = found.iter().map(|(_, _, source)| *source).collect();
    sources.sort_unstable();
    sources.dedup();
    let result = json!({
        "status": "success",
        "query": query,
        "results": found.iter().map(|(_, fact, _)| fact).collect::<Vec<_>>(),
        "total_found": total,
        "sources": sources,
    });
    Ok(finish(result, Vec::new(), context))
}

fn memory_user_edits(arguments: &Map<String, Value>, context: &Context) -> Result<Reply, Failure> {
    let edit: Edit = read(arguments)?;
    let (changed, message) = edit.run(context)?;
    let facts = context.memory.facts(&edit.user_id);
    let entry = |(fact, line): (&Fact, usize)| json!({"line": line, "text": fact.text, "category": fact.category});
    let result = json!({
        "status": "success",
        "command": COMMANDS[edit.command as usize],
        "edits": facts.iter().zip(1..).map(entry).collect::<Vec<_>>(),
        "total_count": facts.len(),
        "changed": changed,
        "message": message.unwrap_or_else(|| format!("{} facts are remembered", facts.len())),
    });
    Ok(finish(result, Vec::new(), context))
}

impl Edit {
    /// Does what is asked; returns the line that it is about, with its text before if it had one,
    /// and a sentence about it.
    fn run(&self, context: &Context) -> Result<(Option<Value>, Option<String>), Failure> {
        let (memory, user) = (&context.memory, &self.user_id);
        let changed = |line: i64, text: &str| Some(json!({"line": line, "text": text}));
        match self.command {
            Command::View => Ok((None, None)),
            Command::Add => {
                let text = self.needs("content", self.content.as_deref())?.trim();
                let category = self.category.as_deref().unwrap_or("other");
                let line = memory.add(user, text, category)? as i64;
                Ok((changed(line, text), Some(format!("remembered as line {line}"))))
            }
            Command::Remove => {
                let line = self.line()?;
                let fact = memory.remove(user, line)?;
                Ok((changed(line, &fact.text), Some(format!("line {line} is forgotten"))))
            }
            Command::Replace => {
                let line = self.line()?;
                let text = self.needs("replacement", self.replacement.as_deref())?.trim();
                let before = memory.replace(user, line, text, self.category.as_deref())?;
                let message = format!("line {line} is now: {text}");
                Ok((changed(line, &before.text), Some(message)))
            }
        }
    }

    fn line(&self) -> Result<i64, Failure> {
        Ok(self.needs("line_number", self.line_number)? as i64)
    }

    /// An argument that the command needs.
    fn needs<T>(&self, name: &str, value: Option<T>) -> Result<T, Failure> {
        let command = COMMANDS[self.command as usize];
        value.ok_or_else(|| Failure::invalid(format!("`{command}` needs `{name}`")))
    }
}

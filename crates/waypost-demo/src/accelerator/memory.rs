//! `memory`: keeps a note for a user, or shows and searches the notes that were kept.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::figures::plain;
use super::words::{self, Text, cut};
use super::{finish, schema};
use crate::pack::{Context, Failure, Reply, Tool, read};

/// The most characters of a note, and of them those that the task may take.
const LONGEST_NOTE: usize = 600;
const LONGEST_TASK: usize = 300;

/// The most values that a note holds.
const MOST_VALUES: usize = 12;

/// The user of a caller who does not say who it is.
const NOBODY: &str = "anonymous";

/// Words that ask to keep something, folded.
const SAVE: &str = "save|remember|note|note down|keep|store|memorize|jot|記|记|存|保存|nho|luu|ghi|\
    guard*|recuerd*|recordar|anot*|apunt*|memoriz*|registra";

/// Words that ask for what was kept, where they stand before those of [`SAVE`].
const ASK: &str = "what|which|show|list|search|find|顯示|显示|列出|查|找|cho xem|liet ke|tim|que notas|\
    muestra*|lista|busca|ensename";

/// Words that make a question of a part of a task, wherever they stand in it.
const QUESTION: &str = "did i|do i|have i|哪|什麼|什么|嗎|吗|gi|nao|cuales";

/// Words that make a wish of what is written as a question.
const POLITE: &str = "can you|could you|would you|please|puedes|podrias|幫我|帮我";

/// Chinese words that have one of [`SAVE`] in them and ask to keep nothing.
const NOUNS: &str =
    "筆記|笔记|記錄|记录|紀錄|日誌|日志|儲存電流|储存电流|存储电流|存過|存过|記得|记得";

/// The marks behind which another wish may begin, and the words.
const BREAKS: [char; 10] = ['.', '?', '!', ',', ';', '。', '？', '！', '，', '；'];
const HALVES: &str = " and | then | y | luego | rồi | roi |然後|然后|再|並|并";

pub(super) fn tool() -> Tool {
    Tool {
        name: "memory",
        description: "Keeps a note for the user where the task says so, with the values that are \
                      given; else shows the user's notes, those that speak of the task first.",
        input: schema::input(json!({
            "task": schema::task(),
            "user_id": schema::text("Whose notes."),
            "data": schema::data("Values that the note is about."),
        })),
        output: schema::output(
            json!({
                "saved": {"type": ["string", "null"], "description": "The note that was kept."},
                "notes": schema::list(json!({"type": "string"})),
                "count": schema::count("All notes of the user."),
            }),
            json!({}),
        ),
        call: memory,
    }
}

#[derive(Debug, Deserialize)]
struct Arguments {
    #[serde(default)]
    task: String,
    user_id: Option<String>,
    #[serde(default)]
    data: Vec<Value>,
}

fn memory(arguments: &Map<String, Value>, context: &Context) -> Result<Reply, Failure> {
    let Arguments { task, user_id, data } = read(arguments)?;
    let user = user_id.as_deref().unwrap_or(NOBODY);
    let server = &context.ring;
    let saved = wish(&task).map(|wish| note(&wish, &data));
    if let Some(note) = &saved {
        server.notes.add(user, note.clone());
    }
    let notes = server.notes.lines(user);
    let count = notes.len();
    let notes = if saved.is_some() { notes } else { found(&task, notes) };
    Ok(finish(json!({"saved": saved, "notes": notes, "count": count}), Vec::new()))
}

/// The part of a task that asks to keep something, to its end; a question about notes does not.
pub(super) fn wish(task: &str) -> Option<String> {
    let task = cut(task, LONGEST_TASK);
    let mut at = 0;
    for part in task.split_inclusive(BREAKS) {
        let second = HALVES.split('|').find_map(|half| Some(part.split_once(half)?.1));
        let first = [Some(part), second].into_iter().flatten().find(|part| keeps(part));
        if let Some(part_of) = first {
            return Some(task[at + part.len() - part_of.len()..].trim().to_owned());
        }
        at += part.len();
    }
    None
}

/// Returns whether a part of a task asks to keep something. Where it asks for something else before, it is
/// about what was kept: "what did I ask you to remember".
fn keeps(part: &str) -> bool {
    let mut part = part.to_owned();
    for noun in NOUNS.split('|') {
        part = part.replace(noun, " ");
    }
    let text = Text::new(&part);
    let is_question = part.trim_end().ends_with(['?', '？']) && !text.says(POLITE);
    !is_question
        && !text.says(QUESTION)
        && text.first(SAVE).is_some_and(|save| text.first(ASK).is_none_or(|ask| save < ask))
}

/// A note: what the task says, and the values in short.
fn note(wish: &str, data: &[Value]) -> String {
    let values: Vec<String> = data.iter().filter_map(short).take(MOST_VALUES).collect();
    let note =
        if values.is_empty() { wish.to_owned() } else { format!("{wish} ({})", values.join("; ")) };
    cut(&note, LONGEST_NOTE)
}

/// A value or a series in short; none of what is neither.
fn short(item: &Value) -> Option<String> {
    let text = |key: &str| item.get(key).and_then(Value::as_str);
    let number = |key: &str| item.get(key).and_then(Value::as_f64).map(plain);
    let name = text("address").or(text("name"))?;
    let unit = text("unit").map(|unit| format!(" {unit}")).unwrap_or_default();
    if let Some(value) = number("value").or(text("value").map(str::to_owned)) {
        return Some(format!("{name} = {value}{}", unit.trim_end()));
    }
    let (least, most, mean) = (number("least")?, number("most")?, number("mean")?);
    Some(format!("{name}: {least} to {most}{}, mean {mean}", unit.trim_end()))
}

/// Notes that speak of a task, those with most of its words first; all where it names no topic, or
/// no note has one of its words, the newest first.
fn found(task: &str, mut notes: Vec<String>) -> Vec<String> {
    notes.reverse();
    let parts = words::parts(task);
    let hits = |note: &String| words::hits(&parts, note);
    if notes.iter().all(|note| hits(note) == 0) {
        return notes;
    }
    notes.retain(|note| hits(note) > 0);
    notes.sort_by_key(|note| std::cmp::Reverse(hits(note)));
    notes
}

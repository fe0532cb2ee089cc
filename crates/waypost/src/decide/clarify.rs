//! Never asks the same question twice: where the question of a turn is open already, the user is
//! told how to answer it instead, and the time after that it is let go.

use waypost_core::records::approval::Approval;
use waypost_core::records::decision::Outcome;
use waypost_core::records::request::Choice;
use waypost_text::extract::{Kind, Operator};

use crate::decide::gates::Closed;
use crate::pack::messages::{Ask, Sentence};
use crate::understand::Turn;

/// The questions that show a call.
const APPROVALS: [&str; 3] = ["approve", "approve_destructive", "plan"];

/// Returns the question, unless it has just been asked.
pub(crate) fn once(turn: &Turn<'_>, closed: Closed) -> Closed {
    if closed.fork || !is_open(turn, &closed.ask) || wants_it_again(turn) {
        return closed;
    }
    if turn.context.repeated {
        return Closed { outcome: Outcome::Rephrase, ask: set_aside(), ..closed };
    }
    Closed { outcome: Outcome::Clarify, ask: explained(turn, closed.ask), ..closed }
}

/// Returns whether this question is already open: about the same argument, with the same choices.
fn is_open(turn: &Turn<'_>, ask: &Ask) -> bool {
    let context = &turn.context;
    let asked = context.active_tool.is_some() || !context.options.is_empty();
    let same_choices = context.options.len() == ask.choices.len()
        && context.options.iter().zip(&ask.choices).all(|(one, other)| is_same(one, other));
    asked
        && context.active_tool == ask.tool
        && context.active_argument == ask.argument
        && same_choices
}

/// Returns whether two choices stand for the same. Two questions about one call differ in what a yes to each spends.
fn is_same(one: &Choice, other: &Choice) -> bool {
    let seal = |choice: &Choice| Approval::of(&choice.value).map(|approval| approval.seal);
    match (seal(one), seal(other)) {
        (None, None) => one.value == other.value,
        (one, other) => one == other,
    }
}

/// Returns whether the turn asks for the question again: the same request, or "repeat that".
fn wants_it_again(turn: &Turn<'_>) -> bool {
    // A program that declares the call again is told the same again.
    if turn.request.call.is_some() {
        return true;
    }
    let same_words = || turn.context.asked.as_deref() == Some(turn.said.text.original());
    let again = || turn.said.act() == Some(Operator::Repeat);
    turn.request.choice.is_none() && (same_words() || again())
}

/// The same choices, with how to choose among them.
fn explained(turn: &Turn<'_>, ask: Ask) -> Ask {
    // What is to be approved is shown each time that a yes would run it.
    if APPROVALS.contains(&ask.sentence.name) {
        let sentence = ask.sentence.with("again", "yes");
        return Ask { sentence, again: true, ..ask };
    }
    let name = if ask.choices.is_empty() { "answer_again" } else { "choose_again" };
    let tool = ask.tool.as_deref().and_then(|tool| turn.pack.tool(tool));
    let note = ask.argument.as_deref().and_then(|name| tool?.annotation(name));
    let mut sentence = Sentence::new(name);
    if let Some((kind, example)) = note.and_then(|note| form(note.kind?)) {
        sentence = sentence.with("kind", kind).with("example", example);
    }
    if note.is_some_and(|note| note.skip.is_some()) {
        sentence = sentence.with("skip", "yes");
    }
    Ask { sentence, again: true, ..ask }
}

/// The name of a kind of value among the messages, and a value that people may type; `None` for one that needs neither.
fn form(kind: Kind) -> Option<(&'static str, &'static str)> {
    let form = match kind {
        Kind::Path | Kind::Glob => ("kind_path", "docs/"),
        Kind::Revision => ("kind_revision", "main"),
        Kind::Zone => ("kind_zone", "Europe/Berlin"),
        Kind::Date | Kind::Datetime | Kind::Range => ("kind_date", "2025-11-05"),
        Kind::Time => ("kind_time", "09:30"),
        Kind::Number | Kind::Ordinal | Kind::Percentage | Kind::Quantity => ("kind_number", "5"),
        Kind::Point | Kind::Bbox => ("kind_place", "121.7E, 24.0N"),
        Kind::Url => ("kind_url", "https://example.com"),
        _ => return None,
    };
    Some(form)
}

/// No question: the open one is closed.
fn set_aside() -> Ask {
    Ask::plain(Sentence::new("set_aside"))
}

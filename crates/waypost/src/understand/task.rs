//! The task of a turn: what is asked for, so that it can be read later and without the conversation. Times that count from now
//! become the instants that they mean, and words that point back become what they point at. Source: S3-3, R3.1 `ExtractedTask`.

use jiff::Zoned;
use waypost_core::records::decision::{Task, TaskBy};
use waypost_text::effort::Budget;
use waypost_text::extract::{self, Moment, Reading, Value};
use waypost_text::text::{Span, Text};

use super::Turn;
use super::memory::REFERENCE;

/// The most words of a question that may name nothing by itself.
const FEW_WORDS: usize = 5;

impl Turn<'_> {
    /// The task, as a model wrote it or else by the words.
    pub(crate) fn task(&self) -> &Task {
        self.task.get_or_init(|| by_words(self))
    }

    /// The task of a part of the text. What a model wrote has no parts.
    pub(crate) fn task_of(&self, part: Option<Span>) -> String {
        let task = self.task();
        match part.filter(|_| task.by == TaskBy::Words) {
            Some(part) => settled(self, part),
            None => task.text.clone(),
        }
    }

    /// Returns whether the task is taken out of the conversation; a user may switch that off.
    pub(crate) fn extracts_task(&self) -> bool {
        self.pack.spec.plans.is_some() && self.switch("task").as_deref() != Some("off")
    }

    /// Returns whether a text of an earlier turn points back to what was said before that.
    pub(crate) fn leans(&self, text: &str) -> bool {
        let text = Text::with_budget(text, Budget::of(text.len()));
        let mut languages = self.pack.languages.iter().chain([&self.said.language]);
        languages.any(|language| extract::points_back(&text, &[], *language))
    }

    /// Returns whether a question is a few words that every conversation has: "why?", "tell me more".
    pub(crate) fn names_nothing(&self, question: &str) -> bool {
        let mut words = crate::pack::words(question);
        let is_common = |word: &str| extract::is_word(word, self.said.language);
        words.by_ref().take(FEW_WORDS).all(is_common) && words.next().is_none()
    }
}

/// The task by the words alone.
pub(crate) fn by_words(turn: &Turn<'_>) -> Task {
    // An answer to a question is no task of its own: the request that led to the question is.
    let answers =
        turn.active_tool().is_some() && (turn.request.choice.is_some() || turn.said.is_bare());
    if let Some(asked) = turn.context.asked.as_ref().filter(|_| answers) {
        let (text, by) = (asked.clone(), TaskBy::Words);
        return Task { text, depends_on_history: true, by };
    }
    let end = turn.said.text.original().chars().count();
    let from_history = turn.extracts_task()
        && (turn.said.points_back()
            || turn.said.values.iter().any(|value| value.rule.name() == REFERENCE));
    Task {
        text: settled(turn, Span { start: 0, end }),
        depends_on_history: from_history,
        by: TaskBy::Words,
    }
}

/// A part of the text with what its times mean.
fn settled(turn: &Turn<'_>, part: Span) -> String {
    if !turn.extracts_task() {
        return turn.said.text.slice(part).trim().to_owned();
    }
    let mut text = String::new();
    let mut at = part.start;
    for value in turn.said.values.iter().filter(|value| part.contains(value.span)) {
        let Some(means) = absolute(value).filter(|_| value.span.start >= at) else { continue };
        text.push_str(turn.said.text.slice(Span { start: at, end: value.span.start }));
        text.push_str(&means);
        at = value.span.end;
    }
    text.push_str(turn.said.text.slice(Span { start: at, end: part.end }));
    text.trim().to_owned()
}

/// The meaning of a time, in a form that every language reads; `None` for what is no time, or for "now", which stays so.
fn absolute(value: &Value) -> Option<String> {
    if value.rule.is_now() {
        return None;
    }
    match &value.reading {
        Reading::Date(day) => Some(day.to_string()),
        Reading::Datetime(instant) => Some(minute(instant)),
        Reading::Range(start, end) => {
            let (start, end) = (first(start)?, last(end)?);
            Some(if start == end { start } else { format!("{start} – {end}") })
        }
        _ => None,
    }
}

fn first(moment: &Moment) -> Option<String> {
    match moment {
        Moment::Date(day) => Some(day.to_string()),
        Moment::Instant(instant) => Some(minute(instant)),
        Moment::Open => None,
    }
}

/// The end of a range, which is not part of it where it is a day.
fn last(moment: &Moment) -> Option<String> {
    match moment {
        Moment::Date(day) => day.yesterday().ok().map(|day| day.to_string()),
        Moment::Instant(_) | Moment::Open => first(moment),
    }
}

/// An instant on the user's clock, to the minute.
fn minute(instant: &Zoned) -> String {
    instant.strftime("%Y-%m-%d %H:%M").to_string()
}

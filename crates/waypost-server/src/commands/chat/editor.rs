//! The line somebody types on a terminal: editing, history, completion and hints.

use std::borrow::Cow;
use std::fs::OpenOptions;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use reedline::{
    Color, ColumnarMenu, Completer, CompletionResult, DefaultHinter, EditCommand, Emacs,
    FileBackedHistory, Highlighter, Hinter, History, KeyCode, KeyModifiers, MenuBuilder, Prompt,
    PromptEditMode, PromptHistorySearch, PromptHistorySearchStatus, Reedline, ReedlineEvent,
    ReedlineMenu, Signal, Span, StyledText, Suggestion, default_emacs_keybindings,
};
use serde_json::Value as Json;
use tracing::warn;
use waypost::printable;
use waypost::records::request::Choice;

use super::input::Line;
use super::words;
use crate::output;

/// The number of lines that are remembered.
const HISTORY: usize = 1_000;
/// The name by which the key finds the menu of completions.
const MENU: &str = "completions";

/// The choices that may be typed, as completer and hinter see them. All three live in the one
/// thread that reads lines.
type Shown = Arc<Mutex<Vec<Choice>>>;

/// Edits one line after another.
pub(super) struct Editor {
    reedline: Reedline,
    choices: Shown,
    /// True if something was typed: Ctrl-C does not say what it gave up.
    typed: Arc<AtomicBool>,
}

impl Editor {
    /// An editor that remembers its lines in `history`; without such a file, until it ends.
    pub(super) fn open(history: &Path) -> Self {
        let choices = Shown::default();
        let typed = Arc::<AtomicBool>::default();
        let hints = Hints {
            choices: Arc::clone(&choices),
            history: DefaultHinter::default(),
            current: None,
        };
        let mut reedline = Reedline::create()
            .with_ansi_colors(output::color())
            .use_bracketed_paste(true)
            .with_quick_completions(true)
            .with_partial_completions(true)
            .with_completer(Box::new(Completions { choices: Arc::clone(&choices) }))
            .with_menu(ReedlineMenu::EngineCompleter(Box::new(
                ColumnarMenu::default().with_name(MENU),
            )))
            .with_highlighter(Box::new(Seen(Arc::clone(&typed))))
            .with_hinter(Box::new(hints))
            .with_edit_mode(Box::new(Emacs::new(keys())))
            // As in a shell, a line that begins with a space is not remembered.
            .with_history_exclusion_prefix(Some(" ".to_owned()));
        match remembered(history) {
            Ok(history) => reedline = reedline.with_history(Box::new(history)),
            Err(error) => warn!("lines are not remembered: `{}`: {error}", history.display()),
        }
        Self { reedline, choices, typed }
    }

    /// The next line.
    pub(super) fn line(&mut self, choices: Vec<Choice>) -> Result<Line, reedline::ReedlineError> {
        self.typed.store(false, Ordering::Relaxed);
        let choices = choices.into_iter().map(printed).collect();
        *self.choices.lock().unwrap_or_else(PoisonError::into_inner) = choices;
        let signal = self.reedline.read_line(&Sign)?;
        Ok(match signal {
            Signal::Success(line) => {
                // Now, so that a program that is killed later loses none; one that cannot be
                // written is lost.
                let _ = self.reedline.sync_history();
                Line::Text(line)
            }
            Signal::CtrlD => Line::End,
            _ => Line::Interrupt { typed: self.typed.load(Ordering::Relaxed) },
        })
    }
}

/// A choice as it can be drawn: reedline draws what it is given.
fn printed(choice: Choice) -> Choice {
    let clean = |text: &str| printable::line(text).into_owned();
    let value = match choice.value {
        Json::String(value) => Json::String(clean(&value)),
        value => value,
    };
    Choice { label: clean(&choice.label), value }
}

/// The keys of Emacs, Tab for completions, and Alt-Enter for a new line.
fn keys() -> reedline::Keybindings {
    let mut keys = default_emacs_keybindings();
    let complete = vec![ReedlineEvent::Menu(MENU.to_owned()), ReedlineEvent::MenuNext];
    keys.add_binding(KeyModifiers::NONE, KeyCode::Tab, ReedlineEvent::UntilFound(complete));
    keys.add_binding(KeyModifiers::SHIFT, KeyCode::BackTab, ReedlineEvent::MenuPrevious);
    let new_line = ReedlineEvent::Edit(vec![EditCommand::InsertNewline]);
    keys.add_binding(KeyModifiers::ALT, KeyCode::Enter, new_line);
    keys
}

/// The lines of earlier runs, in a file that only this user may read.
fn remembered(path: &Path) -> io::Result<FileBackedHistory> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    #[cfg(unix)]
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    drop(file);
    FileBackedHistory::with_file(HISTORY, path.to_owned()).map_err(io::Error::other)
}

/// The sign that a line is waited for.
struct Sign;

impl Prompt for Sign {
    fn render_prompt_left(&self) -> Cow<'_, str> {
        Cow::Borrowed("")
    }

    fn render_prompt_right(&self) -> Cow<'_, str> {
        Cow::Borrowed("")
    }

    fn render_prompt_indicator(&self, _: PromptEditMode) -> Cow<'_, str> {
        Cow::Borrowed(super::input::SIGN)
    }

    fn render_prompt_multiline_indicator(&self) -> Cow<'_, str> {
        Cow::Borrowed("  ")
    }

    fn render_prompt_history_search_indicator(&self, search: PromptHistorySearch) -> Cow<'_, str> {
        let found = match search.status {
            PromptHistorySearchStatus::Passing => "search",
            PromptHistorySearchStatus::Failing => "not found",
        };
        Cow::Owned(format!("({found}: {}) ", search.term))
    }
}

/// Notes that something was typed, whenever the line is drawn. What was pasted may steer the terminal:
/// it is drawn as something else that is as long, since the cursor is placed by bytes.
struct Seen(Arc<AtomicBool>);

impl Highlighter for Seen {
    fn highlight(&self, line: &str, _: usize) -> StyledText {
        if !line.is_empty() {
            self.0.store(true, Ordering::Relaxed);
        }
        let mut text = StyledText::new();
        text.push((Default::default(), drawn(line)));
        text
    }
}

/// A line in which each character that cannot be printed is replaced by one of as many bytes.
fn drawn(line: &str) -> String {
    let one = |c: char| {
        let alone = c.to_string();
        match c.len_utf8() {
            _ if printable::lines(&alone) == alone => c,
            1 => '?',
            2 => '·',
            3 => char::REPLACEMENT_CHARACTER,
            _ => '🛇',
        }
    };
    // A joiner is printed behind what it joins: such a line stays as it is.
    if printable::lines(line) == line { line.to_owned() } else { line.chars().map(one).collect() }
}

/// The completions that Tab offers.
struct Completions {
    choices: Shown,
}

impl Completer for Completions {
    fn complete(&mut self, line: &str, cursor: usize) -> CompletionResult {
        let choices = self.choices.lock().unwrap_or_else(PoisonError::into_inner);
        let offers = words::offers(line, cursor, &choices);
        let suggestions = offers.into_iter().map(|offer| Suggestion {
            value: offer.word,
            description: (!offer.help.is_empty()).then_some(offer.help),
            span: Span { start: offer.start, end: cursor },
            ..Suggestion::default()
        });
        CompletionResult::fresh(suggestions.collect::<Vec<_>>())
    }
}

/// The hint that stands dimly behind the cursor: a command or a choice, else an earlier line that
/// began like this.
struct Hints {
    choices: Shown,
    history: DefaultHinter,
    current: Option<String>,
}

impl Hinter for Hints {
    fn handle(
        &mut self,
        line: &str,
        cursor: usize,
        history: &dyn History,
        color: bool,
        folder: &str,
    ) -> String {
        // Without color it could not be told from what was typed.
        if !color {
            return String::new();
        }
        let choices = self.choices.lock().unwrap_or_else(PoisonError::into_inner);
        self.current = words::hint(line, &choices);
        match &self.current {
            Some(hint) => Color::DarkGray.paint(hint).to_string(),
            None => {
                let hint = self.history.handle(line, cursor, history, color, folder);
                let earlier = self.history.complete_hint();
                if printable::lines(&earlier) == earlier { hint } else { String::new() }
            }
        }
    }

    fn complete_hint(&self) -> String {
        self.current.clone().unwrap_or_else(|| self.history.complete_hint())
    }

    fn next_hint_token(&self) -> String {
        match &self.current {
            Some(hint) => hint.split_inclusive(' ').next().unwrap_or_default().to_owned(),
            None => self.history.next_hint_token(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pasted_line_is_drawn_as_long_as_it_is_and_steers_nothing() {
        let pasted = "a\u{1b}[2J\u{9b}1m\u{202e}b\u{e0041}\nc";
        let shown = drawn(pasted);
        assert_eq!(shown, "a?[2J·1m\u{fffd}b🛇\nc");
        assert_eq!(shown.len(), pasted.len());
        assert_eq!(drawn("👩‍👩‍👧 花"), "👩‍👩‍👧 花");
    }

    #[test]
    fn remembered_lines_are_bounded_and_private() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("home/history");
        let mut history = remembered(&path).unwrap();
        for index in 0..HISTORY + 50 {
            let item = reedline::HistoryItem::from_command_line(format!("line {index}"));
            history.save(item).unwrap();
        }
        drop(history);
        let mut history = remembered(&path).unwrap();
        let item = reedline::HistoryItem::from_command_line("two\nlines");
        history.save(item).unwrap();
        drop(history);
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().count(), HISTORY);
        assert!(text.starts_with("line 51\n"), "{}", &text[..40]);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }
}

//! Takes a model's reasoning out of its reply, in whatever notation it is set apart: no trace decides anything, and no user
//! reads one.
//!
//! A block at the beginning is reasoning, and so is every later one of a reply that began with one. What a reply quotes in
//! code stays, because it is about the tags. Some chat templates open the block themselves, so that a reply has only the end
//! of it; whether a model's server does that is learned from its replies ([`Habit`]), and until then nothing is shown of a
//! reply before it has ended.

mod json;
mod notation;
mod thought;
mod unread;

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use waypost_core::markdown::InCode;

use self::json::InJson;
use self::notation::{Kind, Mark, Read};
use self::thought::{Next, Thought};
use self::unread::Unread;

/// The most blanks before the first word that are kept, in bytes.
const MOST_BLANKS: usize = 1_000;
/// The most bytes that are held back; a longer answer is cut by whoever reads it.
const MOST_HELD: usize = 64 * 1024;
/// The longest line that opens a block of code, in bytes.
const FENCE_LINE: usize = 100;
/// The mark of a block of code.
const FENCE: &str = "```";

/// How a model's replies begin, as far as they were seen.
#[derive(Debug, Default)]
pub(super) struct Habit(AtomicU8);

/// Nothing is known.
const UNKNOWN: u8 = 0;
/// A reply without any reasoning was seen, and none with it.
const PLAIN: u8 = 1;
/// A reply with reasoning was seen.
const REASONS: u8 = 2;
/// A reply whose template had opened the block was seen.
const OPENED: u8 = 3;

impl Habit {
    fn now(&self) -> u8 {
        self.0.load(Ordering::Relaxed)
    }

    fn learn(&self, seen: u8) {
        if seen == PLAIN {
            let _ = self.0.compare_exchange(UNKNOWN, PLAIN, Ordering::Relaxed, Ordering::Relaxed);
        } else {
            self.0.fetch_max(seen, Ordering::Relaxed);
        }
    }
}

/// The reader of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reader {
    /// A person: tags that are quoted in code stay.
    Person,
    /// An agent, which looks for calls of tools: nothing of a trace may be left, quoted or not.
    Agent,
    /// A program that asked for JSON: the same, and what the model writes says nothing of how it writes to people.
    Program,
}

/// Removes the reasoning from a whole reply; `is_cut` if it ends before the model was done.
pub(super) fn strip(text: &str, habit: &Arc<Habit>, reader: Reader, is_cut: bool) -> String {
    let mut filter = Filter::new(habit, reader);
    filter.holds = true;
    filter.raw.push(text);
    filter.finish(is_cut)
}

/// Removes the reasoning from a reply that comes in pieces.
#[derive(Debug)]
pub(super) struct Filter {
    habit: Arc<Habit>,
    reader: Reader,
    state: State,
    raw: Unread,
    /// What was read and not shown yet.
    said: String,
    code: InCode,
    /// True if the line up to here is blank.
    at_line_start: bool,
    /// True while an end of a block may still show that all before it is reasoning.
    holds: bool,
    /// True if the reply has reasoning.
    traced: bool,
    /// A block of code with nothing but reasoning in it, which is the answer if nothing follows.
    fenced: Option<String>,
}

#[derive(Debug)]
enum State {
    /// Nothing was said yet; a mark may come.
    Before,
    /// The model reasons.
    Thinking(Thought),
    /// The name of a channel or a role is told, which says what comes.
    Header,
    /// The model speaks.
    Speaking,
    /// The model writes JSON, in whose texts no mark is one.
    Json(InJson),
}

impl Filter {
    pub(super) fn new(habit: &Arc<Habit>, reader: Reader) -> Self {
        Self {
            habit: Arc::clone(habit),
            reader,
            state: State::Before,
            raw: Unread::default(),
            said: String::new(),
            code: InCode::default(),
            at_line_start: true,
            holds: habit.now() != PLAIN,
            traced: false,
            fenced: None,
        }
    }

    /// Takes the next piece and returns what can be shown of everything taken so far.
    pub(super) fn push(&mut self, piece: &str) -> String {
        self.raw.push(piece);
        while self.step(false) {}
        if self.holds && self.said.len() > MOST_HELD {
            if self.habit.now() == OPENED {
                self.said.clear();
            } else {
                self.holds = false;
            }
        }
        if self.holds { String::new() } else { std::mem::take(&mut self.said) }
    }

    /// Returns what is still held back when the reply ends; `is_cut` if it ends before the model was done.
    pub(super) fn finish(&mut self, is_cut: bool) -> String {
        while self.step(true) {}
        if let State::Thinking(thought) = std::mem::replace(&mut self.state, State::Before) {
            self.said.push_str(thought.left(is_cut).trim_start());
        } else {
            self.said.push_str(&self.raw.take_all());
        }
        if let Some(fenced) = self.fenced.take().filter(|_| !is_cut && self.said.trim().is_empty())
        {
            self.said = fenced;
        }
        // Where the template opens the block, a reply that was cut before the end of it is reasoning alone.
        if self.holds && is_cut && self.habit.now() == OPENED {
            self.said.clear();
        }
        if self.traced {
            self.habit.learn(REASONS);
        } else if self.reader != Reader::Program && !is_cut && !self.said.trim().is_empty() {
            self.habit.learn(PLAIN);
        }
        std::mem::take(&mut self.said)
    }

    /// Reads on in what was not read yet; false if that must wait for more. `is_last` if nothing more comes.
    fn step(&mut self, is_last: bool) -> bool {
        match &mut self.state {
            State::Before => self.begin(is_last),
            State::Thinking(thought) => {
                let next = thought.read(&mut self.raw, is_last);
                self.after_thought(next)
            }
            State::Header => self.header(is_last),
            State::Speaking => self.speak(is_last),
            State::Json(json) => {
                let (end, is_over) = json.read(self.raw.rest());
                self.said.push_str(&self.raw.take(end));
                self.at_line_start = false;
                if is_over {
                    self.state = State::Speaking;
                }
                is_over
            }
        }
    }

    /// Goes on as the reasoning says; false if that must wait.
    fn after_thought(&mut self, next: Next) -> bool {
        match next {
            Next::Waits => return false,
            Next::On => {}
            Next::Header => self.state = State::Header,
            Next::Over => {
                self.note_trace();
                self.state = State::Before;
            }
            Next::Fenced(text) => {
                self.note_trace();
                self.fenced = Some(text).filter(|_| self.reader == Reader::Person);
                self.state = State::Before;
            }
            Next::Returned(words) => {
                self.say(&words);
                self.state = State::Speaking;
            }
        }
        true
    }

    /// Notes that this reply has reasoning, and that what comes now is the answer.
    fn note_trace(&mut self) {
        self.traced = true;
        self.holds = false;
    }

    /// Reads the beginning of a reply, or what follows a block.
    fn begin(&mut self, is_last: bool) -> bool {
        let rest = self.raw.rest();
        let start = rest.trim_start();
        let blanks = rest.len() - start.len();
        if start.is_empty() {
            // Nothing but blanks, for ever, is looked through with each piece.
            if self.traced || blanks > MOST_BLANKS {
                self.raw.skip(blanks);
            }
            return false;
        }
        if start.starts_with('`') {
            return self.begin_fence(blanks, is_last);
        }
        match notation::read(start) {
            Read::Partial if !is_last => return false,
            Read::Whole(mark) if self.is_passed_over(&mark) => self.pass_over(blanks, &mark),
            _ => {
                self.state = match InJson::begins(start) {
                    true => State::Json(InJson::default()),
                    false => State::Speaking,
                };
                if self.traced {
                    self.raw.skip(blanks);
                }
            }
        }
        true
    }

    /// Returns whether a mark before the first word is no part of the answer.
    fn is_passed_over(&self, mark: &Mark) -> bool {
        match mark.kind {
            Kind::Trace { .. } | Kind::Control => true,
            Kind::Answer => self.traced || self.reader != Reader::Person,
            Kind::Other => false,
        }
    }

    /// Passes over a mark, and goes on with what it begins.
    fn pass_over(&mut self, at: usize, mark: &Mark) {
        self.raw.skip(at + mark.length);
        let leads = mark.has("channel") || mark.has("start");
        match mark.kind {
            Kind::Trace { .. } if mark.ends => self.end_of_opened(),
            Kind::Trace { .. } => self.think(Thought::of(mark)),
            Kind::Control if leads && !mark.ends => self.state = State::Header,
            Kind::Control | Kind::Answer | Kind::Other => {}
        }
    }

    /// Reads a block of code before the first word: one with nothing but reasoning in it is passed over.
    fn begin_fence(&mut self, blanks: usize, is_last: bool) -> bool {
        let rest = self.raw.rest();
        let start = &rest[blanks..];
        let is_fence = start.starts_with(FENCE) || FENCE.starts_with(start) && !is_last;
        let Some(line) = start.find('\n').filter(|_| is_fence) else {
            if is_fence && !is_last && start.len() < FENCE_LINE {
                return false;
            }
            self.state = State::Speaking;
            return true;
        };
        if notation::names_trace(start[FENCE.len()..line].trim()) {
            self.raw.skip(blanks + line + 1);
            self.think(Thought::of_fence());
            return true;
        }
        let inner = start[line..].trim_start();
        let at = rest.len() - inner.len();
        match notation::read(inner) {
            Read::Partial if !is_last && at < MOST_BLANKS => return false,
            Read::Whole(mark) if mark.surely_begins_trace() => {
                let quoted = self.raw.take(at + mark.length);
                // A program reads no code: there the block is reasoning, whatever else is in the fence.
                let quoted = (self.reader == Reader::Person).then_some(quoted);
                self.think(Thought::quoted(&mark, quoted));
            }
            _ => self.state = State::Speaking,
        }
        true
    }

    fn think(&mut self, thought: Thought) {
        if !thought.may_be_words() {
            self.note_trace();
        }
        self.state = State::Thinking(thought);
    }

    /// All before the end of a block that nothing opened is reasoning.
    fn end_of_opened(&mut self) {
        if !self.traced {
            self.habit.learn(OPENED);
        }
        self.said.clear();
        self.code = InCode::default();
        self.note_trace();
        self.state = State::Before;
    }

    /// Reads the name of a channel or a role up to its end.
    fn header(&mut self, is_last: bool) -> bool {
        let rest = self.raw.rest();
        let is_end =
            |(at, c): &(usize, char)| *c == '\n' || notation::may_begin(*c) || *at > FENCE_LINE;
        let Some((at, c)) = rest.char_indices().find(is_end).filter(|(at, _)| *at <= FENCE_LINE)
        else {
            let goes_on = is_last || rest.len() > FENCE_LINE;
            if goes_on {
                self.state = State::Before;
            }
            return goes_on;
        };
        let mark = match notation::read(&rest[at..]) {
            Read::Partial if !is_last => return false,
            Read::Whole(mark) => Some(mark),
            _ => None,
        };
        let name = rest[..at].trim().to_lowercase();
        self.raw.skip(at + mark.as_ref().map_or(c.len_utf8(), |mark| mark.length));
        let goes_on = mark.is_some_and(|mark| mark.has("channel") && !mark.ends);
        if goes_on {
            return true;
        }
        if name.is_empty() || name == "assistant" || name.contains("final") {
            self.state = State::Before;
        } else {
            self.think(Thought::of_channel());
        }
        true
    }

    /// Says words up to the next mark.
    fn speak(&mut self, is_last: bool) -> bool {
        let reads_json = self.reader != Reader::Person;
        let is_next = |c: char| notation::may_begin(c) || reads_json && c == '{';
        let Some(at) = self.raw.rest().find(is_next) else {
            let words = self.raw.take_all();
            self.say(&words);
            return false;
        };
        let words = self.raw.take(at);
        self.say(&words);
        if self.raw.rest().starts_with('{') {
            self.state = State::Json(InJson::default());
            return true;
        }
        match notation::read(self.raw.rest()) {
            Read::Partial if !is_last => false,
            Read::Whole(mark) => self.speak_mark(&mark, is_last),
            Read::Partial | Read::No => {
                let length = self.raw.rest().chars().next().map_or(0, char::len_utf8);
                let first = self.raw.take(length);
                self.say(&first);
                true
            }
        }
    }

    /// Takes a mark between words; false if that must wait for what follows it.
    fn speak_mark(&mut self, mark: &Mark, is_last: bool) -> bool {
        let is_quoted = self.reader == Reader::Person && self.is_in_code();
        let reasons = self.traced || self.reader != Reader::Person;
        let after = &self.raw.rest()[mark.length..];
        let is_passed_over = match mark.kind {
            _ if is_quoted => false,
            Kind::Trace { sure: true } if !mark.ends => reasons || self.at_line_start,
            Kind::Trace { sure: false } if !mark.ends => reasons && self.at_line_start,
            Kind::Trace { sure: true } if reasons => true,
            Kind::Trace { .. } if after.trim_start_matches([' ', '\t']).is_empty() && !is_last => {
                return false;
            }
            Kind::Trace { sure } => sure && !self.speaks_of_it(after),
            Kind::Answer | Kind::Control => reasons,
            Kind::Other => false,
        };
        if is_passed_over && !reasons && !mark.ends {
            let words = self.raw.take(mark.length);
            self.think(Thought::between_words(mark, words));
        } else if is_passed_over {
            self.pass_over(0, mark);
        } else {
            let words = self.raw.take(mark.length);
            self.say(&words);
        }
        true
    }

    /// Returns whether the end of a block that nothing opened is a word of its sentence: it stands between words, and the
    /// sentence goes on behind it.
    fn speaks_of_it(&self, after: &str) -> bool {
        let opens = |c: char| matches!(c, ' ' | '\t' | '"' | '\'' | '(' | '“' | '«' | '「' | '/');
        let is_apart = self.said.ends_with(opens);
        let ends = |c: char| matches!(c, '.' | '!' | '?' | '。' | '！' | '？' | ':');
        let ended = self.said.trim_end().ends_with(ends);
        let next = after.trim_start_matches([' ', '\t']).chars().next();
        let goes_on = next.is_some_and(|c| !c.is_uppercase() && !matches!(c, '\n' | '{' | '['));
        is_apart && goes_on && !ended
    }

    /// Returns whether the next character is within code.
    fn is_in_code(&self) -> bool {
        let mut code = self.code.clone();
        code.read('<');
        code.is_open()
    }

    /// Adds words to what is said.
    fn say(&mut self, words: &str) {
        for c in words.chars() {
            self.code.read(c);
            self.at_line_start = c == '\n' || self.at_line_start && c.is_whitespace();
        }
        if !words.trim().is_empty() {
            self.fenced = None;
        }
        self.said.push_str(words);
    }
}

#[cfg(test)]
mod tests;

//! A block of reasoning, up to its end. Nothing of it is kept, unless it may turn out to be something else.

use super::notation::{self, Kind, Mark, Read};
use super::unread::Unread;
use super::{FENCE, MOST_HELD};

/// How a block ends.
#[derive(Debug, Clone, PartialEq, Eq)]
enum End {
    /// With a mark of reasoning, or the one of its own name.
    Mark(String),
    /// With the end of the block of code.
    Fence,
    /// With the next channel.
    Channel,
}

/// A block of reasoning that is open.
#[derive(Debug)]
pub(super) struct Thought {
    end: End,
    /// The blocks that are open within one another.
    depth: usize,
    /// What follows the last end within this block: the answer, if nothing closes the block itself.
    after: String,
    /// True if something within it ended.
    had_end: bool,
    /// True if it is the first thing in a block of code.
    in_fence: bool,
    /// The text from the beginning of the block, which stays if it turns out to be words of the answer.
    quoted: Option<String>,
}

/// What comes next.
#[derive(Debug)]
pub(super) enum Next {
    /// Nothing, before there is more of the reply.
    Waits,
    /// More of the block.
    On,
    /// The answer.
    Over,
    /// The answer, to which this belongs, because it was no block of reasoning.
    Returned(String),
    /// The answer; the block of code had nothing but reasoning in it, which is this.
    Fenced(String),
    /// The name of the next channel.
    Header,
}

impl Thought {
    fn new(end: End) -> Self {
        let after = String::new();
        Self { end, depth: 1, after, had_end: false, in_fence: false, quoted: None }
    }

    /// The block that a mark begins.
    pub(super) fn of(mark: &Mark) -> Self {
        Self::new(End::Mark(mark.name.clone()))
    }

    /// A block of code that is called reasoning.
    pub(super) fn of_fence() -> Self {
        Self::new(End::Fence)
    }

    /// What a channel holds that is not the answer's.
    pub(super) fn of_channel() -> Self {
        Self::new(End::Channel)
    }

    /// The block that a mark at the beginning of a block of code begins; `quoted` is the text up to here, if it is to stay
    /// where the code is about something else.
    pub(super) fn quoted(mark: &Mark, quoted: Option<String>) -> Self {
        Self { in_fence: true, quoted, ..Self::of(mark) }
    }

    /// A block between words, which stays if it never ends, because then the words were about the mark.
    pub(super) fn between_words(mark: &Mark, text: String) -> Self {
        Self { quoted: Some(text), ..Self::of(mark) }
    }

    /// Returns whether this may turn out to be words of the answer.
    pub(super) fn may_be_words(&self) -> bool {
        self.quoted.is_some()
    }

    /// Returns what belongs to the answer where the reply ends within the block; `is_cut` if it ends too early.
    pub(super) fn left(self, is_cut: bool) -> String {
        match self.quoted {
            Some(quoted) if !is_cut => quoted,
            _ => self.after,
        }
    }

    /// Reads on in what was not read yet.
    pub(super) fn read(&mut self, raw: &mut Unread, is_last: bool) -> Next {
        if self.depth == 0 {
            return self.leave_fence(raw, is_last);
        }
        if self.end == End::Fence {
            return read_fence(raw, is_last);
        }
        let Some(at) = raw.rest().find(notation::may_begin) else {
            let all = raw.rest().len();
            self.pass(raw, all);
            return Next::Waits;
        };
        match notation::read(&raw.rest()[at..]) {
            Read::Partial if !is_last => {
                self.pass(raw, at);
                Next::Waits
            }
            Read::Whole(mark) => {
                self.pass(raw, at);
                self.take(raw, &mark)
            }
            Read::Partial | Read::No => {
                let first = raw.rest()[at..].chars().next().map_or(0, char::len_utf8);
                self.pass(raw, at + first);
                Next::On
            }
        }
    }

    /// Takes a mark that the rest of the reply begins with.
    fn take(&mut self, raw: &mut Unread, mark: &Mark) -> Next {
        let is_control = mark.kind == Kind::Control;
        let (belongs, ends) = match &self.end {
            End::Mark(name) => {
                (matches!(mark.kind, Kind::Trace { .. }) || mark.name == *name, mark.ends)
            }
            End::Channel
                if is_control && !mark.ends && (mark.has("channel") || mark.has("start")) =>
            {
                raw.skip(mark.length);
                return Next::Header;
            }
            End::Channel => (is_control && mark.ends, true),
            End::Fence => (false, false),
        };
        self.pass(raw, mark.length);
        if !belongs {
            return Next::On;
        }
        if !ends {
            self.depth += 1;
            return Next::On;
        }
        self.depth -= 1;
        self.after.clear();
        self.had_end = true;
        match self.depth {
            0 if !self.in_fence => Next::Over,
            _ => Next::On,
        }
    }

    /// Behind a block in a block of code: if that ends here it held nothing else.
    fn leave_fence(&mut self, raw: &mut Unread, is_last: bool) -> Next {
        let rest = raw.rest();
        let start = rest.trim_start();
        let blanks = rest.len() - start.len();
        let has_ended = start.starts_with(FENCE);
        if FENCE.starts_with(start) && !has_ended && !is_last {
            return Next::Waits;
        }
        let is_alone = has_ended || FENCE.starts_with(start);
        if is_alone {
            let end = (blanks + FENCE.len()).min(rest.len());
            let end = raw.take(end);
            return Next::Fenced(self.quoted.take().unwrap_or_default() + &end);
        }
        self.quoted.take().map_or(Next::Over, Next::Returned)
    }

    /// Reads over the first bytes.
    fn pass(&mut self, raw: &mut Unread, bytes: usize) {
        let read = raw.take(bytes);
        if self.had_end && self.after.len() < MOST_HELD {
            self.after.push_str(&read);
        }
        if let Some(quoted) = &mut self.quoted {
            quoted.push_str(&read);
        }
        // An answer of such a length is none.
        let _ = self.quoted.take_if(|quoted| quoted.len() > MOST_HELD);
    }
}

/// Reads up to the end of a block of code.
fn read_fence(raw: &mut Unread, is_last: bool) -> Next {
    let rest = raw.rest();
    if let Some(at) = rest.find(FENCE) {
        raw.skip(at + FENCE.len());
        return Next::Over;
    }
    // The last characters may be the first of the fence.
    let ticks = rest.len() - rest.trim_end_matches('`').len();
    let read = rest.len() - if is_last { 0 } else { ticks };
    raw.skip(read);
    Next::Waits
}

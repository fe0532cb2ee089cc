//! A place in a sentence from which a rule reads on.
//!
//! Rules read through `&mut Cursor` and return `None` when the words do not fit; whoever tries a
//! rule does so with [`Cursor::attempt`], which then stays where it was.

use jiff::civil::Date;

use super::Context;
use super::sentence::Sentence;
use super::term::{Term, Tongue};
use super::token::Shape;

/// Where a rule is reading, and in which language it has read words so far.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor<'a> {
    pub(super) sentence: &'a Sentence<'a>,
    pub(super) context: &'a Context<'a>,
    pub(super) at: usize,
    /// The language of the first word that was read.
    pub(super) tongue: Tongue,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(sentence: &'a Sentence<'a>, context: &'a Context<'a>, at: usize) -> Self {
        Self { sentence, context, at, tongue: Tongue::Common }
    }

    /// The day of the request, where the user is.
    pub(super) fn today(&self) -> Date {
        self.context.now.date()
    }

    /// Runs a rule and steps back if it does not fit.
    pub(super) fn attempt<T>(&mut self, rule: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let mut ahead = *self;
        let found = rule(&mut ahead)?;
        *self = ahead;
        Some(found)
    }

    /// Runs the first rule that fits.
    pub(super) fn first_of<T>(&mut self, rules: &[fn(&mut Cursor<'_>) -> Option<T>]) -> Option<T> {
        rules.iter().find_map(|rule| self.attempt(rule))
    }

    /// Reads the longest phrase with a meaning that `pick` accepts.
    pub(super) fn take<T>(&mut self, pick: impl Fn(Term) -> Option<T>) -> Option<T> {
        for sense in self.sentence.senses(self.at) {
            if let Some(found) = pick(sense.term) {
                self.at = sense.end;
                if self.tongue == Tongue::Common {
                    self.tongue = sense.tongue;
                }
                return Some(found);
            }
        }
        None
    }

    /// Reads a phrase that can mean `term`.
    pub(super) fn eat(&mut self, term: Term) -> Option<()> {
        self.take(|found| (found == term).then_some(()))
    }

    /// Whether a phrase that can mean `term` comes next.
    pub(super) fn sees(mut self, term: Term) -> bool {
        self.eat(term).is_some()
    }

    /// Reads one of the symbols in `set`.
    pub(super) fn symbol(&mut self, set: &str) -> Option<char> {
        let symbol = self.peek_symbol()?;
        set.contains(symbol).then(|| {
            self.at += 1;
            symbol
        })
    }

    /// The first character of the next token; a space at the end.
    pub(super) fn character(&self) -> char {
        self.sentence.tokens.text(self.at).chars().next().unwrap_or(' ')
    }

    /// The symbol that comes next, if one does.
    pub(super) fn peek_symbol(&self) -> Option<char> {
        match self.shape()? {
            Shape::Symbol => self.sentence.tokens.text(self.at).chars().next(),
            _ => None,
        }
    }

    /// Reads one of the symbols in `set` with no space before it.
    pub(super) fn glued_symbol(&mut self, set: &str) -> Option<char> {
        if self.is_glued() { self.symbol(set) } else { None }
    }

    /// Reads a run of digits as it stands.
    pub(super) fn digits(&mut self) -> Option<&'a str> {
        (self.shape()? == Shape::Digits).then(|| {
            self.at += 1;
            self.sentence.tokens.text(self.at - 1)
        })
    }

    /// Reads a run of digits with no space before it.
    pub(super) fn glued_digits(&mut self) -> Option<&'a str> {
        if self.is_glued() { self.digits() } else { None }
    }

    /// What the next token is made of; `None` at the end.
    pub(super) fn shape(&self) -> Option<Shape> {
        self.sentence.shape(self.at)
    }

    /// Whether no space stands before the next token.
    pub(super) fn is_glued(&self) -> bool {
        self.sentence.tokens.glued(self.at)
    }

    /// The language of a phrase with a meaning that `fits`, right before the next token.
    pub(super) fn follows(&self, fits: impl Fn(Term) -> bool) -> Option<Tongue> {
        /// The longest phrase that is looked for behind the cursor, in tokens.
        const REACH: usize = 4;
        (self.at.saturating_sub(REACH)..self.at).rev().find_map(|start| {
            let mut senses = self.sentence.senses(start).iter();
            senses.find(|sense| sense.end == self.at && fits(sense.term)).map(|sense| sense.tongue)
        })
    }

    /// The cursor one token back.
    pub(super) fn back(mut self) -> Option<Self> {
        self.at = self.at.checked_sub(1)?;
        Some(self)
    }

    /// Whether a number may begin here: not inside a word (`co2`) nor amid `10-15-22`.
    pub(super) fn is_fresh(self) -> bool {
        if !self.is_glued() {
            return true;
        }
        let Some(before) = self.back() else { return true };
        match before.shape() {
            Some(Shape::Word | Shape::Digits) => false,
            Some(Shape::Symbol) => !before.ends_digits_with("-/⁄.:"),
            _ => true,
        }
    }

    /// Whether the next token is one of `set` written right behind digits.
    fn ends_digits_with(self, set: &str) -> bool {
        self.peek_symbol().is_some_and(|symbol| set.contains(symbol))
            && self.is_glued()
            && self.back().is_some_and(|before| before.shape() == Some(Shape::Digits))
    }

    /// Whether a number ended here, where a letter may follow (`14:30z`).
    pub(super) fn is_closed_but_letters(mut self, set: &str) -> bool {
        self.glued_symbol(set).is_none() || self.glued_digits().is_none()
    }

    /// Whether a number ended here: no letter, and none of `set` with another digit, follows.
    pub(super) fn is_closed(mut self, set: &str) -> bool {
        if !self.is_glued() {
            return true;
        }
        match self.shape() {
            Some(Shape::Word | Shape::Digits) => false,
            Some(Shape::Symbol) => self.symbol(set).is_none() || self.glued_digits().is_none(),
            _ => true,
        }
    }
}

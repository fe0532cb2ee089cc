//! A place in a sentence from which a rule reads on.
//!
//! Rules read through `&mut Cursor` and return `None` when the words do not fit; whoever tries a
//! rule does so with [`Cursor::attempt`], which then stays where it was.

use jiff::civil::Date;

use crate::extract::Context;
use crate::extract::lang::{Tongue, Vocabulary};

use super::lexicon::Lexicon;
use super::sentence::Sentence;
use super::term::{Tense, Term};
use super::token::Shape;

/// The longest phrase that is looked for behind the cursor, in tokens.
const REACH: usize = 4;

/// The place where a rule is reading, and the language in which it has read words so far.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cursor<'a> {
    pub(crate) sentence: &'a Sentence<'a>,
    pub(crate) context: &'a Context<'a>,
    pub(crate) at: usize,
    /// The language of the first word that was read.
    pub(crate) tongue: Tongue,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(sentence: &'a Sentence<'a>, context: &'a Context<'a>, at: usize) -> Self {
        Self { sentence, context, at, tongue: Tongue::COMMON }
    }

    /// The day of the request, where the user is.
    pub(crate) fn today(&self) -> Date {
        self.context.now.date()
    }

    /// The vocabulary of the main language of the text, which says how it writes numbers and dates.
    pub(crate) fn habits(&self) -> &'static Vocabulary {
        self.sentence.habits
    }

    /// Runs a rule and steps back if it does not fit.
    pub(crate) fn attempt<T>(&mut self, rule: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        self.step()?;
        let mut ahead = *self;
        let found = rule(&mut ahead)?;
        *self = ahead;
        Some(found)
    }

    /// Counts a step; `None` where the text may take no more of them.
    pub(crate) fn step(&self) -> Option<()> {
        self.sentence.meter.step();
        self.sentence.meter.may_go_on().then_some(())
    }

    /// Runs the first rule that fits.
    pub(crate) fn first_of<T>(&mut self, rules: &[fn(&mut Cursor<'_>) -> Option<T>]) -> Option<T> {
        rules.iter().find_map(|rule| self.attempt(rule))
    }

    /// Reads the longest phrase with a meaning that `pick` accepts.
    pub(crate) fn take<T>(&mut self, pick: impl Fn(Term) -> Option<T>) -> Option<T> {
        if !self.sentence.meter.may_go_on() {
            return None;
        }
        for sense in self.sentence.senses(self.at) {
            if let Some(found) = pick(sense.term) {
                self.at = sense.end;
                if self.tongue == Tongue::COMMON {
                    self.tongue = sense.tongue;
                }
                return Some(found);
            }
        }
        None
    }

    /// Reads a phrase that can mean `term`.
    pub(crate) fn eat(&mut self, term: Term) -> Option<()> {
        if !self.sentence.may_mean(self.at, term) {
            return None;
        }
        self.take(|found| (found == term).then_some(()))
    }

    /// Returns whether a phrase that can mean `term` comes next.
    pub(crate) fn sees(mut self, term: Term) -> bool {
        self.eat(term).is_some()
    }

    /// Returns whether a phrase with a meaning that `fits` comes next.
    pub(crate) fn sees_any(&self, fits: impl Fn(Term) -> bool) -> bool {
        self.sentence.senses(self.at).iter().any(|sense| fits(sense.term))
    }

    /// Returns whether a phrase that begins so many tokens on can mean a term of the same variant: a look
    /// at what was found already, to ask before a rule is tried.
    pub(crate) fn may_mean(&self, ahead: usize, term: Term) -> bool {
        self.sentence.may_mean(self.at + ahead, term)
    }

    /// Returns whether the next token lies within a phrase that began before it.
    pub(crate) fn is_within(&self, fits: impl Fn(Term) -> bool) -> bool {
        self.sentence.is_covered(self.at)
            && (self.at.saturating_sub(REACH)..self.at).any(|start| {
                let mut senses = self.sentence.senses(start).iter();
                senses.any(|sense| sense.end > self.at && fits(sense.term))
            })
    }

    /// Reads one of the symbols in `set`.
    pub(crate) fn symbol(&mut self, set: &str) -> Option<char> {
        let symbol = self.peek_symbol()?;
        set.contains(symbol).then(|| {
            self.at += 1;
            symbol
        })
    }

    /// The first character of the next token; a space at the end.
    pub(crate) fn character(&self) -> char {
        self.sentence.tokens.text(self.at).chars().next().unwrap_or(' ')
    }

    /// The symbol that comes next, if one does.
    pub(crate) fn peek_symbol(&self) -> Option<char> {
        match self.shape()? {
            Shape::Symbol => self.sentence.tokens.text(self.at).chars().next(),
            _ => None,
        }
    }

    /// Reads one of the symbols in `set` with no space before it.
    pub(crate) fn glued_symbol(&mut self, set: &str) -> Option<char> {
        if self.is_glued() { self.symbol(set) } else { None }
    }

    /// Reads a run of digits as it stands.
    pub(crate) fn digits(&mut self) -> Option<&'a str> {
        (self.shape()? == Shape::Digits).then(|| {
            self.at += 1;
            self.sentence.tokens.text(self.at - 1)
        })
    }

    /// Reads a run of digits with no space before it.
    pub(crate) fn glued_digits(&mut self) -> Option<&'a str> {
        if self.is_glued() { self.digits() } else { None }
    }

    /// Reads a word and gives it without accents.
    pub(crate) fn word(&mut self) -> Option<&'a str> {
        (self.shape()? == Shape::Word).then(|| {
            self.at += 1;
            self.sentence.tokens.folded(self.at - 1)
        })
    }

    /// The number of bytes between the next token and the one before it.
    pub(crate) fn gap(&self) -> usize {
        let before = self.at.checked_sub(1).and_then(|before| self.sentence.token(before));
        match (before, self.sentence.token(self.at)) {
            (Some(before), Some(next)) => next.start.saturating_sub(before.end),
            _ => 0,
        }
    }

    /// The next token as the user typed it; empty at the end.
    pub(crate) fn typed(&self) -> &'a str {
        let text = self.sentence.text;
        let token = self.sentence.token(self.at);
        token.map_or("", |token| text.slice(text.span(token.start, token.end)))
    }

    /// Returns whether the user typed the next token in capitals: the M of 3M is no metre.
    pub(crate) fn is_upper_case(&self) -> bool {
        let typed = self.typed();
        !typed.is_empty() && typed.chars().all(char::is_uppercase)
    }

    /// Returns whether nothing but one figure is left of the text: digits, their separators, a
    /// magnitude.
    pub(crate) fn is_last_figure(mut self) -> bool {
        /// The longest figure that anyone writes, in tokens.
        const LONGEST: usize = 16;
        for _ in 0..LONGEST {
            match self.shape() {
                None => return true,
                Some(Shape::Digits) => self.at += 1,
                Some(Shape::Symbol) if self.symbol(".,/⁄").is_some() => {}
                Some(Shape::Word) if self.is_glued() => self.at += 1,
                _ => return false,
            }
        }
        false
    }

    /// Returns whether an ordinary word comes next, as behind an adjective: "a second opinion". A small word, one that
    /// a time may go on with and a name in capitals are none.
    pub(crate) fn sees_noun(mut self) -> bool {
        // a second-hand boat
        self.glued_symbol("-");
        let is_name = self.typed().starts_with(char::is_uppercase);
        self.shape() == Some(Shape::Word)
            && !is_name
            && !self.sentence.may_tell_time(self.at)
            && !self.may_mean(0, Term::Tense(Tense::Open))
            && !Lexicon::is_small(self.sentence.tokens.folded(self.at), self.context.language)
    }

    /// The shape of the next token; `None` at the end.
    pub(crate) fn shape(&self) -> Option<Shape> {
        self.sentence.shape(self.at)
    }

    /// Returns whether no space stands before the next token.
    pub(crate) fn is_glued(&self) -> bool {
        self.sentence.tokens.glued(self.at)
    }

    /// The language of a phrase with a meaning that `fits`, right before the next token.
    pub(crate) fn follows(&self, fits: impl Fn(Term) -> bool) -> Option<Tongue> {
        let mut before = self.sentence.senses_before(self.at);
        before.find(|sense| fits(sense.term)).map(|sense| sense.tongue)
    }

    /// Returns the place of the next token in a list of at least three words with a meaning that `fits`: the mar of
    /// "feb, mar and apr" is no sea.
    pub(crate) fn place_in_list(&self, fits: impl Fn(Term) -> bool) -> Option<usize> {
        const LEAST: usize = 3;
        let says = |at: usize, fits: &dyn Fn(Term) -> bool| {
            let mut senses = self.sentence.senses(at).iter();
            senses.any(|sense| sense.end == at + 1 && fits(sense.term))
        };
        // One character of Chinese is more often another word: 水、土、木.
        let is_one = |at: usize| self.sentence.shape(at) == Some(Shape::Word) && says(at, &fits);
        let is_comma = |at: usize| matches!(self.sentence.tokens.text(at), "," | "、");
        let is_and = |at: usize| says(at, &|term| term == Term::And);
        let joins = |at: usize| is_comma(at) || is_and(at);
        // Of "a, b, and c" two tokens join the last.
        let behind = |at: usize| {
            let step = if is_comma(at + 1) && is_and(at + 2) { 3 } else { 2 };
            (joins(at + 1) && is_one(at + step)).then_some(at + step)
        };
        let before = |at: usize| {
            let joined = at >= 2 && joins(at - 1);
            let step = if joined && is_and(at - 1) && is_comma(at - 2) { 3 } else { 2 };
            at.checked_sub(step).filter(|at| joined && is_one(*at))
        };
        let count = |step: &dyn Fn(usize) -> Option<usize>| {
            std::iter::successors(step(self.at), |at| step(*at)).take(LEAST).count()
        };
        let place = count(&before);
        (is_one(self.at) && place + 1 + count(&behind) >= LEAST).then_some(place)
    }

    /// The cursor one token back.
    pub(crate) fn back(mut self) -> Option<Self> {
        self.at = self.at.checked_sub(1)?;
        Some(self)
    }

    /// Returns whether a number may begin here: not inside a word (`co2`) nor amid `10-15-22`.
    pub(crate) fn is_fresh(self) -> bool {
        if !self.is_glued() {
            return true;
        }
        let Some(before) = self.back() else { return true };
        if self.shape() == Some(Shape::Han) && before.ends_latin_name() {
            return true;
        }
        match before.shape() {
            Some(Shape::Word | Shape::Digits) => false,
            Some(Shape::Symbol) => !before.ends_digits_with("-/⁄.:"),
            _ => true,
        }
    }

    /// Returns whether the next token ends a name in Latin letters, as SST and the 1 of QF1 do: no name
    /// goes on in another script, so that 十月 of `QF1十月` begins anew.
    fn ends_latin_name(self) -> bool {
        let is_latin = |word: &str| word.starts_with(|c: char| c.is_ascii_alphabetic());
        match self.shape() {
            Some(Shape::Word) => is_latin(self.sentence.tokens.text(self.at)),
            Some(Shape::Digits) if self.is_glued() => {
                self.back().is_some_and(|before| before.shape() == Some(Shape::Word))
            }
            _ => false,
        }
    }

    /// Returns whether the next token is one of `set` written right behind digits.
    fn ends_digits_with(self, set: &str) -> bool {
        self.peek_symbol().is_some_and(|symbol| set.contains(symbol))
            && self.is_glued()
            && self.back().is_some_and(|before| before.shape() == Some(Shape::Digits))
    }

    /// Returns whether a number ended here, where a letter may follow (`14:30z`).
    pub(crate) fn is_closed_but_letters(mut self, set: &str) -> bool {
        self.glued_symbol(set).is_none() || self.glued_digits().is_none()
    }

    /// Returns whether a number ended here: no letter, and none of `set` with another digit,
    /// follows.
    pub(crate) fn is_closed(mut self, set: &str) -> bool {
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

//! A text with its tokens and everything that the tables know about them.

use std::borrow::Cow;
use std::sync::OnceLock;

use crate::effort::Meter;
use crate::extract::lang::{Tongue, Vocabulary};
use crate::extract::temporal::Memo;
use crate::extract::values::number;
use crate::language::Language;
use crate::text::{Spans, Text};

use super::begins::{
    Begins, OPENING, begins, goes_on_with_amount, goes_on_with_time, is_of_coordinate,
    may_be_of_time,
};
use super::lexicon::Lexicon;
use super::own::{drop_strange_article, drop_times, keep_own};
use super::phrases::{Table, TokenId};
use super::term::Term;
use super::token::{Cut, Shape, Token, Tokens};

/// One meaning of a stretch of tokens.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sense {
    /// The token after the last.
    pub(crate) end: usize,
    pub(crate) tongue: Tongue,
    pub(crate) term: Term,
}

/// The meanings that phrases at a token can have, as a set of the variants of terms: most questions
/// are answered without looking at any phrase.
#[derive(Debug, Clone, Copy, Default)]
struct Variants([u64; VARIANTS.div_ceil(64)]);

/// At least as many as `Term` has variants.
const VARIANTS: usize = 256;

impl Variants {
    fn of(senses: &[Sense]) -> Self {
        let mut all = Self::default();
        for sense in senses {
            let place = sense.term.place();
            all.0[place / 64] |= 1 << (place % 64);
        }
        all
    }

    fn has(&self, term: Term) -> bool {
        let place = term.place();
        self.0[place / 64] & (1 << (place % 64)) != 0
    }
}

/// A text ready for the rules.
#[derive(Debug)]
pub(crate) struct Sentence<'a> {
    pub(crate) text: &'a Text,
    pub(crate) tokens: Tokens<'a>,
    /// The vocabulary of the main language of the text, which says how it writes numbers and dates.
    pub(crate) habits: &'static Vocabulary,
    /// The numbers that were read in it lately.
    pub(crate) numbers: number::Memo,
    /// The times that were read in it so far.
    pub(crate) times: Memo,
    reading: Cow<'a, Reading>,
    /// The steps that the rules take.
    pub(crate) meter: Meter<'a>,
}

/// The senses that a table gives to the tokens of a text in a language.
#[derive(Debug, Clone)]
struct Reading {
    /// For each token, whether a number or a time may begin with it.
    begins: Vec<Begins>,
    /// For each token, the variants of the terms that begin there.
    variants: Vec<Variants>,
    /// For each token, whether a phrase that began before it goes on there.
    covered: Vec<bool>,
    /// By token, and the longest of a token first.
    senses: Vec<Sense>,
    /// For each token, and one past the last: where its senses begin.
    first: Vec<usize>,
    /// The senses that end before a token, as places in `senses`, the latest beginning first.
    ending: Vec<u32>,
    /// For each token, and one past the last: where in `ending` what ends before it begins.
    last: Vec<u32>,
    /// The token behind the last that is more than a sign.
    said: usize,
    /// The token behind the last with which a word for a coordinate begins.
    coordinates: usize,
    /// The token behind the last with which the name of a corner begins.
    corners: usize,
}

impl<'a> Sentence<'a> {
    /// Reads `text` with the words of `language` and of those that are mixed in everywhere.
    pub(crate) fn new(text: &'a Text, language: Language) -> Self {
        Self::read(text, language, Lexicon::VALUES)
    }

    /// Reads `text` for what its words do in a conversation.
    pub(crate) fn of_conversation(text: &'a Text, language: Language) -> Self {
        Self::read(text, language, Lexicon::CONVERSATION)
    }

    /// Reads `text` with the words of a lexicon. A text keeps what the program's own tables say of
    /// it, so that it is read once however many rules and arguments ask.
    pub(crate) fn read(text: &'a Text, language: Language, lexicon: Lexicon) -> Self {
        let readings = text.readings();
        let cut = readings.cut.get_or_init(|| Cut::of(text.normalized()));
        let tokens = Tokens::of_cut(text.normalized(), cut);
        let reading = match readings.place(language, lexicon) {
            Some(place) => Cow::Borrowed(
                place
                    .get_or_init(|| {
                        let ids = readings.ids.get_or_init(|| lexicon.ids(&tokens));
                        Box::new(Reading::of(&tokens, ids, language, lexicon))
                    })
                    .as_ref(),
            ),
            None => {
                let ids = lexicon.ids(&tokens);
                Cow::Owned(Reading::of(&tokens, &ids, language, lexicon))
            }
        };
        let habits = lexicon.habits(language);
        let (numbers, times) = (number::Memo::default(), Memo::default());
        let meter = Meter::new(text.effort());
        Self { text, tokens, habits, numbers, times, reading, meter }
    }

    /// The meanings of what begins at a token, the longest first.
    pub(crate) fn senses(&self, index: usize) -> &[Sense] {
        self.meter.step();
        match (self.reading.first.get(index), self.reading.first.get(index + 1)) {
            (Some(&from), Some(&to)) => &self.reading.senses[from..to],
            _ => &[],
        }
    }

    /// Returns whether a phrase at a token can mean a term of the same variant.
    pub(crate) fn may_mean(&self, index: usize, term: Term) -> bool {
        self.reading.variants.get(index).is_some_and(|variants| variants.has(term))
    }

    /// Returns whether a phrase that began before a token goes on there.
    pub(crate) fn is_covered(&self, index: usize) -> bool {
        self.reading.covered.get(index).copied().unwrap_or_default()
    }

    /// The meanings of what ends right before a token, the latest beginning first.
    pub(crate) fn senses_before(&self, index: usize) -> impl Iterator<Item = &Sense> {
        let from = self.reading.last.get(index).copied().unwrap_or_default() as usize;
        let to = self.reading.last.get(index + 1).copied().unwrap_or_default() as usize;
        self.reading
            .ending
            .get(from..to)
            .unwrap_or_default()
            .iter()
            .map(|at| &self.reading.senses[*at as usize])
    }

    /// Returns whether a value other than a name can begin at a token.
    ///
    /// Most tokens of a sentence cannot begin one, and asking once saves trying every rule there.
    pub(crate) fn may_begin(&self, index: usize) -> bool {
        let begins = || self.senses(index).iter().any(|sense| begins(sense.term));
        match self.shape(index) {
            Some(Shape::Digits) => true,
            Some(Shape::Symbol) => {
                self.tokens.text(index).chars().all(|symbol| OPENING.contains(symbol)) || begins()
            }
            Some(Shape::Word) => begins(),
            Some(Shape::Han) => begins() && !self.is_joined(index),
            None => false,
        }
    }

    /// Returns whether a character is a later one of a word that goes on: of 然後日落 no 後日 is read.
    fn is_joined(&self, index: usize) -> bool {
        let joins = |sense: &Sense| sense.end > index && sense.term == Term::Joint;
        index.checked_sub(1).is_some_and(|before| self.senses(before).iter().any(joins))
    }

    /// Returns whether a token belongs to a number or a time of several tokens.
    pub(crate) fn counts_or_tells_time(&self, index: usize) -> bool {
        /// The longest of them that are looked for, in tokens.
        const REACH: usize = 6;
        (index.saturating_sub(REACH)..=index).any(|start| {
            let over = self.senses(start).iter().filter(|sense| sense.end > index);
            over.filter(|sense| may_be_of_time(sense.term)).any(|sense| {
                let is_counted = |next: &Sense| {
                    let unit = matches!(next.term, Term::Unit(_));
                    unit || goes_on_with_time(next.term) || goes_on_with_amount(next.term)
                };
                let is_number = matches!(sense.term, Term::Number(_));
                sense.end - start > 1 || is_number && self.senses(sense.end).iter().any(is_counted)
            })
        })
    }

    /// Returns whether a number can begin at a token.
    pub(crate) fn may_count(&self, index: usize) -> bool {
        self.reading.begins.get(index).is_some_and(|begins| begins.number)
    }

    /// Returns whether a time can begin at a token.
    pub(crate) fn may_tell_time(&self, index: usize) -> bool {
        self.reading.begins.get(index).is_some_and(|begins| begins.time)
    }

    /// Returns whether a time can begin at a token with a word that is no number.
    pub(crate) fn may_name_time(&self, index: usize) -> bool {
        self.reading.begins.get(index).is_some_and(|begins| begins.name)
    }

    /// Returns whether any token from `index` on is more than a sign.
    pub(crate) fn says_behind(&self, index: usize) -> bool {
        index < self.reading.said
    }

    /// Returns whether a word for a coordinate begins at `index` or behind it.
    pub(crate) fn names_coordinates_behind(&self, index: usize) -> bool {
        index < self.reading.coordinates
    }

    /// Returns whether the name of a corner begins at `index` or behind it.
    pub(crate) fn names_corners_behind(&self, index: usize) -> bool {
        index < self.reading.corners
    }

    pub(crate) fn token(&self, index: usize) -> Option<Token> {
        self.tokens.get(index)
    }

    pub(crate) fn shape(&self, index: usize) -> Option<Shape> {
        self.tokens.get(index).map(|token| token.shape)
    }
}

/// All that was read of a text so far: a place for each language and each of the program's own tables.
#[derive(Debug, Default)]
pub(crate) struct Readings {
    cut: OnceLock<Cut>,
    ids: OnceLock<Vec<TokenId>>,
    places: [[OnceLock<Box<Reading>>; Table::ALL.len()]; Language::ALL.len()],
    /// The words that name nothing themselves, which is asked of word after word.
    leads: [OnceLock<Box<Spans>>; Language::ALL.len()],
}

impl Readings {
    /// The words of a text that name nothing themselves, found once.
    pub(crate) fn leads(&self, language: Language, find: impl FnOnce() -> Spans) -> &Spans {
        self.leads[language as usize].get_or_init(|| Box::new(find()))
    }

    /// The place of a reading; `None` for tables that are not the program's own.
    fn place(&self, language: Language, lexicon: Lexicon) -> Option<&OnceLock<Box<Reading>>> {
        let table = lexicon.own_table()?;
        self.places.get(language as usize)?.get(table as usize)
    }
}

/// A copy of a text is read anew: its words may be changed.
impl Clone for Readings {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Reading {
    fn of(tokens: &Tokens<'_>, ids: &[TokenId], language: Language, lexicon: Lexicon) -> Self {
        let habits = lexicon.habits(language);
        let spoken = lexicon.vocabularies().iter().filter(|own| own.is_spoken(language));
        let numerals: Vec<_> =
            spoken.filter_map(|own| Some((Tongue::new(own), own.numerals?))).collect();
        let mut senses: Vec<Sense> = Vec::with_capacity(tokens.len());
        let mut first = Vec::with_capacity(tokens.len() + 1);
        // The end of the word of its own that reaches furthest.
        let mut plain = 0;
        for index in 0..tokens.len() {
            let begin = senses.len();
            first.push(begin);
            for (length, meanings) in lexicon.phrases(habits, &ids[index..]) {
                let end = index + length;
                let spoken = meanings.filter(|meaning| meaning.tongue().is_spoken(language));
                let spelled = spoken.filter(|meaning| {
                    let any = !habits.spells_accents && !meaning.keeps_accents();
                    any || meaning.fits(tokens, index, end)
                });
                let read = spelled.map(|meaning| Sense {
                    end,
                    tongue: meaning.tongue(),
                    term: meaning.term(),
                });
                // The thu of "doanh thu" is no Thursday.
                senses.extend(read.filter(|sense| {
                    let is_strange = habits.spells_accents && sense.tongue.name != habits.name;
                    !is_strange
                        || !matches!(sense.term, Term::ShortWeekday(_) | Term::ShortMonth(_))
                }));
            }
            for &(tongue, numeral) in &numerals {
                if let Some((term, end)) = numeral.read(tokens, index) {
                    senses.push(Sense { end, tongue, term });
                }
            }
            if senses.len() == begin {
                let made = lexicon.compound(tokens.folded(index), language);
                senses.extend(made.map(|(tongue, term)| Sense { end: index + 1, tongue, term }));
            }
            if habits.apart {
                keep_own(&mut senses, begin, habits, index, tokens, language);
            } else {
                let is_own_word = || Lexicon::is_small(tokens.folded(index), language);
                let behind = &ids[index + 1..];
                drop_strange_article(&mut senses, begin, habits, behind, lexicon, is_own_word);
            }
            let words = senses[begin..].iter().filter(|sense| sense.term == Term::Plain);
            plain = words.map(|sense| sense.end).fold(plain, usize::max);
            if index < plain {
                drop_times(&mut senses, begin, plain);
            }
            senses[begin..].sort_by_key(|sense| std::cmp::Reverse(sense.end));
        }
        first.push(senses.len());
        let begins = (0..tokens.len())
            .map(|at| Begins::of(tokens, at, &senses[first[at]..first[at + 1]]))
            .collect();
        let variants =
            first.windows(2).map(|ends| Variants::of(&senses[ends[0]..ends[1]])).collect();
        let covered = covered(&senses, &first);
        let (ending, last) = by_end(&senses, tokens.len());
        let is_said = |at: &usize| tokens.get(*at).is_some_and(|own| own.shape != Shape::Symbol);
        let said = (0..tokens.len()).rev().find(is_said).map_or(0, |last| last + 1);
        let behind_last = |fits: fn(Term) -> bool| {
            let last = senses.iter().rposition(|sense| fits(sense.term));
            last.map_or(0, |last| first.partition_point(|from| *from <= last))
        };
        let coordinates = behind_last(is_of_coordinate);
        let corners = behind_last(|term| matches!(term, Term::Corner(..)));
        Self { begins, variants, covered, senses, first, ending, last, said, coordinates, corners }
    }
}

/// For each token whether a phrase that began before it goes on there; the longest of a token is
/// its first.
fn covered(senses: &[Sense], first: &[usize]) -> Vec<bool> {
    let mut end = 0;
    let tokens = first.windows(2).enumerate().map(|(at, ends)| {
        let is_covered = end > at;
        end = end.max(senses[ends[0]..ends[1]].first().map_or(0, |sense| sense.end));
        is_covered
    });
    tokens.collect()
}

/// The senses by the token that they end before, and where those of each token begin.
fn by_end(senses: &[Sense], tokens: usize) -> (Vec<u32>, Vec<u32>) {
    let mut last = vec![0; tokens + 2];
    for sense in senses {
        last[sense.end + 1] += 1;
    }
    for at in 1..last.len() {
        last[at] += last[at - 1];
    }
    let mut free = last.clone();
    let mut ending = vec![0; senses.len()];
    for (at, sense) in senses.iter().enumerate().rev() {
        ending[free[sense.end] as usize] = at as u32;
        free[sense.end] += 1;
    }
    (ending, last)
}

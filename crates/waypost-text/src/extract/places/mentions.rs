//! Names in a text, whatever their spelling: with hyphens, in the plural, with a mistake.
//!
//! Unlike `extract`, which reads names among values, this looks for names alone and takes them
//! more loosely.

use crate::extract::grammar::lexicon::Lexicon;
use crate::extract::grammar::phrases::TokenId;
use crate::extract::grammar::term::Term;
use crate::extract::grammar::token::{Shape, Tokens};
use crate::extract::lang::{TABLES, Vocabulary};
use crate::language::Language;
use crate::text::{Span, Text};

use super::gazetteer::Gazetteer;

/// A stretch of a text that names something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// Its place in the text.
    pub span: Span,
    /// The words as they were typed.
    pub text: String,
    /// The entries that bear the name, each as its gazetteer and its key there.
    pub entries: Vec<(String, String)>,
    /// True if it was misspelled.
    pub typo: bool,
}

/// Finds every stretch that names an entry, in the order of the text; none overlap, and the longest
/// wins.
///
/// Case, accents and width do not matter, nor whether words are parted by a space, a hyphen or an
/// underscore, nor the ending of a plural. Latin names are whole words, Chinese ones may stand
/// anywhere. What is left is searched for names with a mistake or, if long, with two: only in words
/// that no table knows, and only if one key alone is the nearest.
///
/// # Example
///
/// ```
/// use waypost_text::extract::{Gazetteer, mentions};
/// use waypost_text::{language::Language, text::Text};
///
/// let columns = [Gazetteer::new("column", [("land_use", ["land_use"]), ("rain", ["rainfall"])])];
/// let found = mentions(&Text::new("Land use and rainfal"), Language::En, &columns);
/// let keys: Vec<&str> = found.iter().map(|mention| mention.entries[0].1.as_str()).collect();
/// assert_eq!(keys, ["land_use", "rain"]);
/// assert_eq!([found[0].typo, found[1].typo], [false, true]);
/// ```
pub fn mentions(text: &Text, language: Language, gazetteers: &[Gazetteer]) -> Vec<Mention> {
    // Each is replaced by one byte, so that places stay what they were.
    let loose = text.normalized().replace(['_', '-'], " ");
    let tokens = Tokens::new(&loose);
    let ids = Lexicon::CONVERSATION.ids(&tokens);
    let spoken = TABLES.vocabularies.iter().filter(|own| own.is_spoken(language));
    let plurals: Vec<Plural> = spoken.flat_map(|own| own.plurals).collect();
    let singulars =
        (0..tokens.len()).map(|at| singulars(tokens.folded(at), &plurals).collect()).collect();
    let taken = vec![false; tokens.len()];
    let mut page =
        Page { text, tokens: &tokens, ids, language, plurals, singulars, gazetteers, taken };
    let named = (0..tokens.len()).filter_map(|at| page.named(at)).collect();
    let mut found = page.keep(named);
    let misspelled = (0..tokens.len()).filter_map(|at| page.misspelled(at)).collect();
    found.extend(page.keep(misspelled));
    found.sort_unstable_by_key(|candidate| candidate.start);
    found.into_iter().map(|candidate| page.mention(candidate)).collect()
}

/// An ending of the plural, with what the singular has in its place.
type Plural = &'static (&'static str, &'static str);

/// A text with its tokens, and where to look names up.
struct Page<'a> {
    text: &'a Text,
    tokens: &'a Tokens<'a>,
    /// The numbers of the tokens, by which words of a conversation are looked up.
    ids: Vec<TokenId>,
    language: Language,
    plurals: Vec<Plural>,
    /// For each token, the words that it may be the plural of: each is looked up in every gazetteer.
    singulars: Vec<Vec<String>>,
    gazetteers: &'a [Gazetteer],
    /// For each token, whether it is part of a mention.
    taken: Vec<bool>,
}

/// Tokens that name entries, each entry by the places of its gazetteer and of itself in that.
struct Candidate {
    start: usize,
    end: usize,
    entries: Vec<(usize, usize)>,
    mistakes: usize,
}

impl Page<'_> {
    /// The longest name that begins at a token.
    fn named(&self, start: usize) -> Option<Candidate> {
        if self.is_inner(start) {
            return None;
        }
        let mut longest = Candidate { start, end: 0, entries: Vec::new(), mistakes: 0 };
        for (at, gazetteer) in self.gazetteers.iter().enumerate() {
            gazetteer.visit_loosely(self.tokens, start, &self.singulars, |end, entries| {
                let Some(end) = self.whole(end).filter(|end| *end >= longest.end) else { return };
                if end > longest.end {
                    longest.entries.clear();
                    longest.end = end;
                }
                for &entry in entries {
                    if !longest.entries.contains(&(at, entry)) {
                        longest.entries.push((at, entry));
                    }
                }
            });
        }
        (longest.end > 0 && !self.is_polite(start, longest.end)).then_some(longest)
    }

    /// Returns whether a longer phrase of politeness covers the tokens: "all good" names no group.
    fn is_polite(&self, start: usize, end: usize) -> bool {
        /// The longest phrase of politeness, in tokens.
        const REACH: usize = 6;
        let spells = |own: &Vocabulary| own.is_spoken(self.language) && own.spells_accents;
        let spells_accents = TABLES.vocabularies.iter().any(spells);
        let habits = Lexicon::CONVERSATION.habits(self.language);
        (start.saturating_sub(REACH)..=start).any(|from| {
            Lexicon::CONVERSATION.phrases(habits, &self.ids[from..]).any(
                |(length, mut meanings)| {
                    let to = from + length;
                    let is_longer = to >= end && length > end - start;
                    is_longer
                        && meanings.any(|meaning| {
                            matches!(meaning.term(), Term::Filler | Term::Greeting)
                                && meaning.tongue().is_spoken(self.language)
                                && (!spells_accents || meaning.fits(self.tokens, from, to))
                        })
                },
            )
        })
    }

    /// The one name that an unknown word is nearest to.
    fn misspelled(&self, at: usize) -> Option<Candidate> {
        let word = self.tokens.folded(at);
        let is_word = self.tokens.get(at)?.shape == Shape::Word;
        if !is_word
            || self.taken[at]
            || self.is_inner(at)
            || Lexicon::knows(word, Some(self.language))
        {
            return None;
        }
        let mut best: Option<Candidate> = None;
        let mut look = |word: &str| {
            for (which, gazetteer) in self.gazetteers.iter().enumerate() {
                gazetteer.visit_near(word, self.tokens, at, |mistakes, stretch, entry| {
                    let (start, end) = (stretch.start, stretch.end);
                    let Some(end) = self.whole(end).filter(|_| !self.is_inner(start)) else {
                        return;
                    };
                    let rank = |length: usize, mistakes: usize| (length, usize::MAX - mistakes);
                    let own = rank(end - start, mistakes);
                    let entries = vec![(which, entry)];
                    match &mut best {
                        Some(best) if rank(best.end - best.start, best.mistakes) > own => {}
                        Some(best) if rank(best.end - best.start, best.mistakes) == own => {
                            best.entries.extend(entries);
                        }
                        _ => best = Some(Candidate { start, end, entries, mistakes }),
                    }
                });
            }
        };
        look(word);
        self.singulars[at].iter().for_each(|singular| look(singular));
        let mut best = best?;
        best.entries.sort_unstable();
        best.entries.dedup();
        let key = |&(which, entry): &(usize, usize)| self.gazetteers[which].key(entry);
        let first = best.entries.first().map(key);
        best.entries.iter().all(|entry| Some(key(entry)) == first).then_some(best)
    }

    /// Keeps what does not overlap, the longest first, and marks its tokens.
    fn keep(&mut self, mut candidates: Vec<Candidate>) -> Vec<Candidate> {
        let length = |candidate: &Candidate| {
            let end = self.tokens.get(candidate.end - 1).map_or(0, |token| token.end);
            self.tokens.get(candidate.start).map_or(0, |token| end - token.start)
        };
        candidates.sort_by_cached_key(|candidate| {
            (std::cmp::Reverse(length(candidate)), candidate.start)
        });
        candidates.retain(|candidate| {
            let tokens = &mut self.taken[candidate.start..candidate.end];
            let is_free = !tokens.contains(&true);
            if is_free {
                tokens.fill(true);
            }
            is_free
        });
        candidates
    }

    fn mention(&self, candidate: Candidate) -> Mention {
        let first = self.tokens.get(candidate.start).map_or(0, |token| token.start);
        let end = self.tokens.get(candidate.end - 1).map_or(first, |token| token.end);
        let span = self.text.span(first, end);
        let entry = |(which, entry): (usize, usize)| {
            let gazetteer = &self.gazetteers[which];
            (gazetteer.name().to_owned(), gazetteer.key(entry).to_owned())
        };
        Mention {
            span,
            text: self.text.slice(span).to_owned(),
            entries: candidate.entries.into_iter().map(entry).collect(),
            typo: candidate.mistakes > 0,
        }
    }

    /// Returns whether a token goes on with a word or number before it: the 5 of u5.
    fn is_inner(&self, at: usize) -> bool {
        self.tokens.glued(at) && at > 0 && self.is_spelled(at) && self.is_spelled(at - 1)
    }

    fn is_spelled(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| matches!(token.shape, Shape::Word | Shape::Digits))
    }

    /// Returns the end, as a whole word, of a name that ends before a token; a plural of u5 is u5s.
    fn whole(&self, end: usize) -> Option<usize> {
        if !self.is_inner(end) {
            return Some(end);
        }
        let is_plural = self.plurals.iter().any(|(ending, _)| *ending == self.tokens.folded(end));
        (is_plural && !self.is_inner(end + 1)).then_some(end + 1)
    }
}

/// The words that a word may be the plural of.
fn singulars(word: &str, plurals: &[Plural]) -> impl Iterator<Item = String> {
    plurals.iter().filter_map(move |(ending, singular)| {
        let stem = word.strip_suffix(ending).filter(|stem| !stem.is_empty())?;
        Some(format!("{stem}{singular}"))
    })
}

//! Names of things, and what the words around a name say of it: 花蓮外海 is not 花蓮.

use std::ops::Range;

use crate::extract::Found;
use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::rule::rule;
use crate::extract::grammar::term::{Relation, Term};
use crate::extract::grammar::token::Tokens;
use crate::extract::grammar::trie::Trie;
use crate::extract::kind::Kind;
use crate::extract::value::Reading;
use crate::text::Text;

use super::typo::{Place, Words};

/// Named things of one sort: places, companies, columns.
///
/// Names match whatever their case and accents, Latin ones as whole words, Chinese ones anywhere.
#[derive(Debug)]
pub struct Gazetteer {
    name: String,
    keys: Vec<String>,
    names: Trie<usize>,
    /// Names of several words with spaces in place of hyphens and underscores, and as one word.
    parted: Trie<usize>,
    /// The words that misspelled ones may have been meant for.
    words: Words,
    /// The words of each name, with the entry that bears it.
    spelled: Vec<(Vec<Box<str>>, usize)>,
}

impl Gazetteer {
    /// Builds a gazetteer from entries of a key and all names of it.
    ///
    /// # Example
    ///
    /// ```
    /// use waypost_text::extract::Gazetteer;
    /// let places = Gazetteer::new("place", [("hualien", ["Hualien", "花蓮"])]);
    /// assert_eq!(places.name(), "place");
    /// ```
    pub fn new<K, N>(name: &str, entries: impl IntoIterator<Item = (K, N)>) -> Self
    where
        K: Into<String>,
        N: IntoIterator<Item: AsRef<str>>,
    {
        let mut gazetteer = Self {
            name: name.to_owned(),
            keys: Vec::new(),
            names: Trie::new(),
            parted: Trie::new(),
            words: Words::default(),
            spelled: Vec::new(),
        };
        for (key, names) in entries {
            let index = gazetteer.keys.len();
            gazetteer.keys.push(key.into());
            for name in names {
                gazetteer.add(Text::new(name.as_ref()).normalized(), index);
            }
        }
        gazetteer
    }

    fn add(&mut self, name: &str, entry: usize) {
        self.names.insert(name, entry);
        let loose = name.replace(['_', '-'], " ");
        if loose != name {
            self.parted.insert(&loose, entry);
        }
        let tokens = Tokens::new(&loose);
        let words: Vec<Box<str>> = (0..tokens.len()).map(|at| tokens.folded(at).into()).collect();
        let is_latin = |word: &str| word.bytes().all(|byte| byte.is_ascii_lowercase());
        if words.len() > 1 && words.iter().all(|word| is_latin(word)) {
            // "landuse" is land use.
            let joined = words.concat();
            self.parted.insert(&joined, entry);
            self.note(vec![joined.into()], entry);
        }
        self.note(words, entry);
    }

    /// Notes the words of a name, which may be misspelled.
    fn note(&mut self, words: Vec<Box<str>>, entry: usize) {
        let name = self.spelled.len();
        for (before, word) in words.iter().enumerate() {
            self.words.note(word, Place { name, before });
        }
        self.spelled.push((words, entry));
    }

    /// The sort of its entries: `place`, `company`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The key of an entry.
    pub(crate) fn key(&self, entry: usize) -> &str {
        &self.keys[entry]
    }

    /// Visits the names that begin at a token of a text without hyphens and underscores, with the
    /// token after them and the entries that bear them; the last word may be a plural of `singulars`, which
    /// has those of each token.
    pub(crate) fn visit_loosely(
        &self,
        tokens: &Tokens<'_>,
        from: usize,
        singulars: &[Vec<String>],
        mut found: impl FnMut(usize, &[usize]),
    ) {
        for names in [&self.names, &self.parted] {
            names.visit_inflected(tokens, from, singulars, &mut found);
        }
    }

    /// Visits the names with a word that the one at a token may have been meant for, if their other
    /// words stand around it: the number of mistakes, the tokens of the name and its entry.
    pub(crate) fn visit_near(
        &self,
        word: &str,
        tokens: &Tokens<'_>,
        at: usize,
        mut found: impl FnMut(usize, Range<usize>, usize),
    ) {
        self.words.near(word, |mistakes, places| {
            for place in places {
                let (words, entry) = &self.spelled[place.name];
                let Some(start) = at.checked_sub(place.before) else { continue };
                let mut words_around =
                    words.iter().enumerate().filter(|(offset, _)| *offset != place.before);
                if words_around.all(|(offset, word)| tokens.folded(start + offset) == &**word) {
                    found(mistakes, start..start + words.len(), *entry);
                }
            }
        });
    }
}

/// Finds a name of any gazetteer, with a relation word before or behind it.
pub(crate) fn entity(cursor: &mut Cursor<'_>) -> Option<Found> {
    if cursor.context.gazetteers.is_empty() {
        return None;
    }
    let before = cursor.attempt(relation_before);
    let named = named(cursor)?;
    let after = cursor.attempt(relation_after);
    let relation = strongest(before, after);
    let mut readings = named.into_iter().map(|(gazetteer, key)| Reading::Entity {
        gazetteer: gazetteer.name.clone(),
        key: key.clone(),
        relation,
    });
    let first = readings.next()?;
    Some(Found::new(Kind::Entity, first, rule(cursor.tongue, "entity")).or(readings))
}

/// Reads the longest name; several things may bear it.
fn named<'a>(cursor: &mut Cursor<'a>) -> Option<Vec<(&'a Gazetteer, &'a String)>> {
    let tokens = &cursor.sentence.tokens;
    let mut longest = 0;
    let mut named = Vec::new();
    for gazetteer in cursor.context.gazetteers {
        gazetteer.names.visit(tokens, cursor.at, |end, indexes| {
            if end < longest {
                return;
            }
            if end > longest {
                named.clear();
                longest = end;
            }
            named.extend(indexes.iter().map(|&index| (gazetteer, &gazetteer.keys[index])));
        });
    }
    cursor.at = longest;
    (!named.is_empty()).then_some(named)
}

fn relation_before(cursor: &mut Cursor<'_>) -> Option<Relation> {
    let relation = cursor.take(|term| match term {
        Term::Before(relation) => Some(relation),
        _ => None,
    })?;
    cursor.attempt(|cursor| cursor.eat(Term::Of));
    cursor.attempt(|cursor| cursor.eat(Term::The));
    Some(relation)
}

/// Reads relation words behind a name; there may be several (外海附近).
fn relation_after(cursor: &mut Cursor<'_>) -> Option<Relation> {
    let word = |cursor: &mut Cursor<'_>| {
        cursor.take(|term| match term {
            Term::After(relation) => Some(relation),
            _ => None,
        })
    };
    let possessive = |cursor: &mut Cursor<'_>| cursor.eat(Term::Of);
    cursor.attempt(possessive);
    let mut relation = word(cursor)?;
    while let Some(more) = cursor.attempt(word) {
        relation = strongest(Some(relation), Some(more));
    }
    Some(relation)
}

/// The sea before a place says more than its surroundings.
fn strongest(one: Option<Relation>, two: Option<Relation>) -> Relation {
    let said = [one, two];
    [Relation::Offshore, Relation::Around]
        .into_iter()
        .find(|relation| said.contains(&Some(*relation)))
        .unwrap_or(Relation::At)
}

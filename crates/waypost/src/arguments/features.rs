//! The signs that a stretch of a text is the value of an argument: how it is written, what stands around it, and how both go
//! with the argument's name and description.
//!
//! A feature is a number that its parts are mixed into. Weights are looked up by it, so nothing has to know all features.

use std::collections::BTreeSet;

use waypost_text::extract::Kind;

use super::pieces::{Piece, Pieces, Sort, Stretch};
use super::words::{Sense, kind, sense};
use crate::catalog::lexicon::{Concept, Lexicon};
use crate::catalog::stem::stem;
use crate::pack::suggest::words_of;
use crate::pack::{Tool, is_usual};

/// The words of a description that are compared with those of a text.
const MOST_WORDS: usize = 8;
/// The characters of a tool's description that are looked at.
const MOST_DESCRIBED: usize = 200;
/// The words that are left out between a noun and its name.
const MOST_LINKS: usize = 2;

/// The tie between a word and an argument, the loosest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Nearness {
    None,
    /// It is a word of its description.
    Described,
    /// It means the same as a word of its name.
    Meant,
    /// It is a word of its name.
    Named,
}

/// An argument as far as words can be compared with it.
pub(super) struct Argument {
    required: bool,
    /// The groups whose weights count for it: all arguments, those of its kind, and those with the same last word.
    classes: [u32; 3],
    names: BTreeSet<String>,
    concepts: BTreeSet<Concept>,
    described: BTreeSet<String>,
}

impl Argument {
    fn of(tool: &Tool, name: &str) -> Self {
        let words = words_of(name);
        let described =
            tool.shape(name).map(|shape| shape.description.as_str()).unwrap_or_default();
        let described: Vec<String> = described
            .split(|c: char| !c.is_ascii_alphabetic())
            .filter(|word| word.len() >= 3)
            .take(MOST_WORDS)
            .map(str::to_lowercase)
            .collect();
        let head = words.last().map_or("", String::as_str);
        let by_name = kind(head).or_else(|| words.iter().rev().find_map(|word| kind(word)));
        let by_description = || described.iter().find_map(|word| kind(word)).map(|kind| 32 + kind);
        let class = by_name.or_else(by_description).unwrap_or(64);
        let names: BTreeSet<String> =
            words.iter().filter(|word| word.len() > 2).map(|word| stem(word)).collect();
        let lexicon = Lexicon::built_in();
        let concepts = words.iter().filter(|word| word.len() > 2);
        let concepts = concepts.flat_map(|word| lexicon.of(word)).collect();
        let described = described.iter().map(|word| stem(word));
        let described = described.filter(|word| word.len() > 3).collect();
        Self {
            required: tool.requires(name),
            classes: [0, mix(1, class), mix(2, text_number(head))],
            names,
            concepts,
            described,
        }
    }

    fn nearness(&self, word: &Meaning) -> Nearness {
        if self.names.contains(&word.stem) {
            return Nearness::Named;
        }
        if word.concepts.iter().any(|concept| self.concepts.contains(concept)) {
            return Nearness::Meant;
        }
        if self.described.contains(&word.stem) { Nearness::Described } else { Nearness::None }
    }
}

/// A word, or a few, with what it means.
struct Meaning {
    stem: String,
    concepts: Vec<Concept>,
}

impl Meaning {
    fn of(words: &str) -> Self {
        Self { stem: stem(words), concepts: Lexicon::built_in().of(words) }
    }
}

/// A text before a tool: what is the same for all of its arguments.
pub(super) struct Scene {
    pub(super) pieces: Pieces,
    /// The words that stand before and behind each piece, and the piece itself, as they may name an argument.
    before: Vec<Vec<Meaning>>,
    behind: Vec<Vec<Meaning>>,
    own: Vec<Meaning>,
    senses: Vec<Sense>,
    /// The words of the tool's name, those of its description, and those of the values that it lists.
    named: BTreeSet<String>,
    described: BTreeSet<String>,
    listed: BTreeSet<String>,
    usual: Vec<bool>,
    pub(super) arguments: Vec<(String, Argument)>,
    /// All arguments of the tool: what stands beside the word for another one is a value of that.
    all: Vec<(String, Argument)>,
}

/// Returns whether an argument takes a stretch of text as it stands.
pub(crate) fn is_open(tool: &Tool, name: &str) -> bool {
    let kinds =
        [Kind::Identifier, Kind::Revision, Kind::Repository, Kind::Path, Kind::Text, Kind::Glob];
    let note = tool.annotation(name);
    let is_plain = note.is_none_or(|note| {
        note.gazetteer.is_none() && note.kind.is_none_or(|kind| kinds.contains(&kind))
    });
    let Some(shape) = tool.shape(name) else { return false };
    // A statement for a database is written, not said.
    let is_written = shape.description.contains("sql");
    let shape = shape.items.as_deref().filter(|_| shape.types.array).unwrap_or(shape);
    let takes_text = shape.types.string && (shape.takes_any || !shape.types.numeric());
    let is_listed = !shape.listed.is_empty() || !tool.listed(name).is_empty();
    is_plain && takes_text && !is_written && !is_listed && !tool.is_annotated(name)
}

impl Scene {
    pub(super) fn of(text: &str, tool: &Tool) -> Self {
        let pieces = Pieces::of(text);
        let list = &pieces.pieces;
        let argument = |name: &str| (name.to_owned(), Argument::of(tool, name));
        let open = tool.arguments().filter(|name| is_open(tool, name));
        let stems = |text: &str| -> BTreeSet<String> {
            words_of(text).iter().map(|word| stem(word)).collect()
        };
        let summary: String = tool.spec.summary.chars().take(MOST_DESCRIBED).collect();
        let listed = tool.arguments().flat_map(|name| tool.listed(name));
        let listed = listed.filter_map(|value| value.as_str()).flat_map(words_of).collect();
        let usual = |piece: &Piece| {
            is_usual(&piece.lower) || !Lexicon::built_in().of(&piece.lower).is_empty()
        };
        Self {
            before: (0..list.len()).map(|at| before(list, at)).collect(),
            behind: (0..list.len()).map(|at| behind(list, at)).collect(),
            own: list.iter().map(|piece| Meaning::of(&piece.lower)).collect(),
            senses: list.iter().map(|piece| sense(Some(&piece.lower))).collect(),
            named: stems(&tool.spec.name),
            described: stems(&summary).into_iter().filter(|word| word.len() > 2).collect(),
            listed,
            usual: list.iter().map(usual).collect(),
            arguments: open.map(argument).collect(),
            all: tool.arguments().map(argument).collect(),
            pieces,
        }
    }

    fn lower(&self, at: Option<usize>) -> Option<&str> {
        self.pieces.pieces.get(at?).map(|piece| piece.lower.as_str())
    }

    fn sense(&self, at: Option<usize>) -> Sense {
        at.and_then(|at| self.senses.get(at)).copied().unwrap_or(Sense::Edge)
    }

    /// The features of each stretch that say nothing of an argument.
    pub(super) fn looks(&self) -> Vec<Look> {
        self.pieces.stretches.iter().map(|stretch| self.look(*stretch)).collect()
    }

    fn look(&self, stretch: Stretch) -> Look {
        let list = &self.pieces.pieces;
        let outer = usize::from(stretch.is_quoted);
        let (first, last) = (stretch.first, stretch.last);
        let left = first.checked_sub(1 + outer);
        let left2 = first.checked_sub(2 + outer);
        let right = Some(last + 1 + outer).filter(|at| *at < list.len());
        let within = &list[first..=last];
        let shape = if stretch.is_quoted { 1 } else { shape(within, first == 0) };
        let marks = within.iter().filter(|piece| {
            piece.sort == Sort::Mark && ",，、;；.。?？!！:：".contains(piece.text.as_str())
        });
        let tool_before = match &self.before[first] {
            words if is_among(words, &self.named) => 2,
            words if is_among(words, &self.described) => 1,
            _ => 0,
        };
        let digits = |piece: &Piece| piece.text.contains(|c: char| c.is_ascii_digit());
        let end = list.len() - 1;
        Look {
            stretch,
            shape,
            length: length(within),
            left: word_number(self.lower(left)),
            right: word_number(self.lower(right)),
            senses: [self.sense(left2), self.sense(left), self.sense(right)].map(Sense::number),
            edges: [&list[first].lower, &list[last].lower].map(|word| text_number(word)),
            edge_senses: [self.senses[first], self.senses[last]].map(Sense::number),
            tool_before,
            opens_tool: u32::from(self.named.contains(&self.own[first].stem)),
            marks: marks.count().min(2) as u32,
            digits: u32::from(within.iter().any(digits)),
            lists: u32::from(within.iter().any(|piece| self.listed.contains(&piece.lower))),
            usual: u32::from(first == last && shape >= PLAIN && self.usual[first]),
            before: (first - outer).min(3) as u32,
            behind: (end - last).min(3) as u32,
        }
    }

    /// The features of a stretch as the value of an argument.
    pub(super) fn features(&self, argument: usize, look: &Look) -> Vec<u32> {
        let (name, own) = &self.arguments[argument];
        let Look { stretch, shape, length, left, right, .. } = *look;
        let Look { tool_before, usual, marks, digits, .. } = *look;
        let [second, first, next] = look.senses;
        let near = |words: &[Meaning]| {
            words.iter().map(|word| own.nearness(word)).max().unwrap_or(Nearness::None)
        };
        let others = self.all.iter().filter(|(other, _)| other != name);
        let of_other = |words: &[Meaning]| {
            let mut others = others.clone();
            others
                .any(|(_, other)| words.iter().any(|word| other.nearness(word) >= Nearness::Meant))
        };
        let side = |words: &[Meaning]| {
            let near = near(words);
            (near as u32, u32::from(near < Nearness::Meant && of_other(words)))
        };
        let (named, other) = side(&self.before[stretch.first]);
        let (names, other_behind) = side(&self.behind[stretch.last]);
        let at = |place: usize| own.nearness(&self.own[place]) as u32;
        let required = u32::from(own.required);
        let mut found: Vec<u32> = Vec::with_capacity(64);
        let mut number = 0;
        let mut add = |class: u32, parts: &[u32]| {
            number += 1;
            found.push(parts.iter().fold(mix(class, number), |all, part| mix(all, *part)));
        };
        for class in own.classes {
            add(class, &[shape, length, required]);
            add(class, &[left]);
            add(class, &[right]);
            add(class, &[second, first]);
            add(class, &[first, shape]);
            add(class, &[named, other, shape]);
            add(class, &[names, other_behind, shape]);
            add(class, &[look.edges[0]]);
            add(class, &[at(stretch.first), at(stretch.last)]);
            add(class, &[tool_before, shape]);
            add(class, &[look.before, shape]);
            add(class, &[look.behind, shape]);
        }
        for class in &own.classes[..2] {
            let class = *class;
            add(class, &[look.edges[1]]);
            add(class, &look.edge_senses);
            add(class, &[shape, usual, required]);
            add(class, &[marks, length]);
            add(class, &[digits, shape]);
            add(class, &[look.opens_tool]);
            add(class, &[first, next]);
            add(class, &[look.lists]);
            add(class, &[required, first]);
        }
        add(0, &[named, left, second]);
        add(0, &[named, names, other, other_behind, shape]);
        add(0, &[shape, right]);
        add(0, &[shape, next, first]);
        add(0, &[left, right]);
        add(0, &[named, first, shape, usual]);
        found
    }

    /// The features of saying nothing of an argument.
    pub(super) fn unsaid(&self, argument: usize) -> Vec<u32> {
        let (_, own) = &self.arguments[argument];
        let is_named = self.own.iter().any(|word| own.nearness(word) >= Nearness::Meant);
        let required = u32::from(own.required);
        let quotations = self.pieces.quotations.min(2) as u32;
        let open = self.arguments.len().min(3) as u32;
        let of_class = own.classes.iter().flat_map(|class| {
            let parts: [(u32, [u32; 2]); 4] = [
                (1001, [required, 0]),
                (1002, [u32::from(is_named), 0]),
                (1003, [quotations, required]),
                (1004, [open, required]),
            ];
            parts.map(|(number, parts)| {
                parts.iter().fold(mix(*class, number), |all, part| mix(all, *part))
            })
        });
        of_class.collect()
    }
}

/// Returns whether one of these words is among others.
fn is_among(words: &[Meaning], known: &BTreeSet<String>) -> bool {
    words.iter().any(|word| known.contains(&word.stem))
}

/// The form of a stretch, and the words around it.
pub(super) struct Look {
    pub(super) stretch: Stretch,
    shape: u32,
    length: u32,
    left: u32,
    right: u32,
    /// The senses of the second word before it, of the one before it and of the one behind it.
    senses: [u32; 3],
    edges: [u32; 2],
    edge_senses: [u32; 2],
    tool_before: u32,
    opens_tool: u32,
    marks: u32,
    digits: u32,
    lists: u32,
    usual: u32,
    before: u32,
    behind: u32,
}

/// From this number on, a stretch of one piece is written as any word may be.
const PLAIN: u32 = 16;

/// A number for the way in which a stretch is written.
fn shape(pieces: &[Piece], opens: bool) -> u32 {
    if let [piece] = pieces
        && piece.sort == Sort::Word
    {
        return shape_of_word(&piece.text, opens);
    }
    let words: Vec<&str> = pieces
        .iter()
        .filter(|piece| piece.sort == Sort::Word)
        .map(|piece| piece.text.as_str())
        .collect();
    let has_han = pieces.iter().any(|piece| piece.sort == Sort::Han);
    if words.is_empty() {
        return 20;
    }
    if has_han {
        return 21;
    }
    if words.last().is_some_and(|word| is_file(word)) {
        return 22;
    }
    let is_high = |word: &&&str| word.starts_with(|c: char| c.is_uppercase() || c.is_numeric());
    let within = ["of", "the", "de", "la", "and", "&", "y"];
    if words.iter().all(|word| is_high(&word) || within.contains(word)) {
        return if opens { 23 } else { 24 };
    }
    if words.first().is_some_and(|word| is_high(&word)) { 25 } else { 26 }
}

fn shape_of_word(word: &str, opens: bool) -> u32 {
    let has = |sign: char| word.contains(sign);
    let is_upper = |c: char| c.is_uppercase();
    match word {
        _ if word.contains("://") || word.starts_with("www.") => 2,
        _ if has('@') && has('.') && !word.starts_with('@') => 3,
        _ if word.starts_with('#') => 4,
        _ if word.starts_with('@') => 5,
        _ if word.chars().all(|c| c.is_ascii_digit() || ".,:%$".contains(c)) => 6,
        _ if is_file(word) && !word.starts_with(|c: char| c.is_ascii_digit()) => 7,
        _ if has('/') => 8,
        _ if word.contains(|c: char| c.is_ascii_digit()) => 9,
        _ if has('_') || has('-') => 10,
        _ if word.chars().count() > 1
            && !word.contains(char::is_lowercase)
            && word.contains(is_upper) =>
        {
            11
        }
        _ if word.starts_with(is_upper) && opens => PLAIN + 1,
        _ if word.starts_with(is_upper) => PLAIN + 2,
        _ => PLAIN,
    }
}

/// Returns whether a word ends as the names of files do.
fn is_file(word: &str) -> bool {
    word.rsplit_once('.').is_some_and(|(_, ending)| {
        (1..=5).contains(&ending.len()) && ending.chars().all(|c| c.is_ascii_alphanumeric())
    })
}

/// The length of a stretch in steps: two Chinese characters are a word.
fn length(pieces: &[Piece]) -> u32 {
    let count = |sort: Sort| pieces.iter().filter(|piece| piece.sort == sort).count();
    match count(Sort::Word) + count(Sort::Han).div_ceil(2) {
        few @ 0..=3 => few as u32,
        4..=5 => 5,
        6..=8 => 8,
        _ => 9,
    }
}

/// The words that stand before a piece and may name it, links left out: one or two, or up to four Chinese characters.
fn before(pieces: &[Piece], at: usize) -> Vec<Meaning> {
    let mut end = at;
    for _ in 0..MOST_LINKS {
        let links = |last: usize| sense(Some(&pieces[last].lower)).links();
        end = end.checked_sub(1).filter(|last| links(*last)).unwrap_or(end);
    }
    let sort = |at: usize| pieces[at].sort;
    let Some(last) = end.checked_sub(1).filter(|last| sort(*last) != Sort::Mark) else {
        return Vec::new();
    };
    let most = if sort(last) == Sort::Han { 4 } else { 2 };
    let starts = (1..=most).map_while(|count| end.checked_sub(count));
    let starts = starts.take_while(|start| sort(*start) == sort(last));
    starts.map(|start| Meaning::of(&joined(&pieces[start..end]))).collect()
}

/// The words that stand behind a piece and may name it.
fn behind(pieces: &[Piece], at: usize) -> Vec<Meaning> {
    let closes =
        |piece: &&Piece| piece.sort == Sort::Mark && "\"”」』’'`)）".contains(piece.text.as_str());
    let start = at + 1 + pieces[at + 1..].iter().take_while(closes).count();
    let sort = |at: usize| pieces.get(at).map(|piece| piece.sort);
    let Some(own) = sort(start).filter(|sort| *sort != Sort::Mark) else { return Vec::new() };
    let most = if own == Sort::Han { 4 } else { 2 };
    let ends = (1..=most).map(|count| start + count);
    let ends = ends.take_while(|end| sort(end - 1) == Some(own));
    ends.map(|end| Meaning::of(&joined(&pieces[start..end]))).collect()
}

fn joined(pieces: &[Piece]) -> String {
    let between =
        if pieces.first().is_some_and(|piece| piece.sort == Sort::Han) { "" } else { " " };
    let words: Vec<&str> = pieces.iter().map(|piece| piece.lower.as_str()).collect();
    words.join(between)
}

fn word_number(word: Option<&str>) -> u32 {
    word.map_or(0, text_number)
}

/// A number for a text (FNV-1a).
fn text_number(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |all, byte| (all ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// Mixes a number into another one.
fn mix(all: u32, part: u32) -> u32 {
    let mixed = all ^ part.wrapping_mul(0x9e37_79b1).rotate_left(7);
    let mixed = (mixed ^ (mixed >> 15)).wrapping_mul(0x85eb_ca6b);
    mixed ^ (mixed >> 13)
}

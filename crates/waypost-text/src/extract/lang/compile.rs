//! Compiles the files of words of all languages into the tables that the program reads.
//!
//! Only the build script and tests do so; the program holds the result ready made. The meanings of
//! a phrase stand in the order of languages, of files and of lines, except for phrases whose
//! accents must be typed, which come behind the others of their language.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use super::file::{Fault, Group, read};
use super::header::Words;
use super::inventory::Inventory;
use super::multiples::compose;
use super::settings::{Listed, Settings};
use crate::extract::grammar::phrases::{
    self, Entry, KEEPS_ACCENTS, NEAR, Node, PARTS, Place, Table, TokenId, Tongues, UNKNOWN,
};
use crate::extract::grammar::piece::{Beginnings, Piece, pair};
use crate::extract::grammar::term::Term;
use crate::extract::grammar::token::Tokens;

/// The folder of a language.
pub(crate) struct Folder {
    /// Its path, for the messages of faults.
    pub(crate) path: String,
    pub(crate) settings: Settings,
    /// The names of its files of words without their ending, and what stands in them.
    pub(crate) files: Vec<(String, String)>,
}

/// The tables of all languages, ready to be written.
#[derive(Debug)]
pub(crate) struct Compiled {
    /// The meanings that entries name by their places.
    pub(crate) terms: Vec<Term>,
    /// The trie, for [`phrases::Phrases::new`], with its text.
    pub(crate) bytes: Vec<u8>,
    pub(crate) text: String,
    /// The letters that number words begin with, by language.
    pub(crate) beginnings: Vec<Beginnings>,
}

/// Compiles the folders of languages, in the order in which their meanings are tried.
///
/// # Errors
///
/// Every fault of every file, with the path of the file.
pub(crate) fn compile(
    folders: &[Folder],
    inventory: &Inventory,
) -> Result<Compiled, Vec<(String, Fault)>> {
    let mut gathered = Gathered::default();
    for (language, folder) in folders.iter().enumerate() {
        gathered.folder(language as u8, folder, inventory);
    }
    let nodes: usize = gathered.phrases.iter().map(|phrase| phrase.tokens.len()).sum();
    let is_full = gathered.terms.len().max(gathered.ids()) >= usize::from(UNKNOWN)
        || nodes >= MOST_PLACES
        || folders.len() > Tongues::BITS as usize;
    if is_full {
        let fault = Fault::new(0, "there are too many words for the tables", "widen their numbers");
        gathered.faults.push((String::new(), fault));
    }
    if !gathered.faults.is_empty() {
        return Err(gathered.faults);
    }
    Ok(Layout::of(gathered))
}

/// A phrase with one meaning.
struct Phrase {
    tokens: Vec<String>,
    spelling: String,
    /// Its entry, but for the place of the spelling.
    entry: Entry,
    /// True if its language is read beside others.
    near: bool,
}

/// A phrase with one meaning: its language, its term, how it is written, whether it keeps accents.
type Twin = (u8, u16, String, bool);

/// All files that were read so far.
#[derive(Default)]
struct Gathered {
    terms: Vec<Term>,
    /// The place of each header among the terms.
    headers: HashMap<String, u16>,
    phrases: Vec<Phrase>,
    /// The tables that a phrase already stands in with a meaning.
    seen: HashMap<Twin, u8>,
    /// The languages of each token.
    spoken: BTreeMap<String, Tongues>,
    /// The languages of each small word.
    small: BTreeMap<String, Tongues>,
    /// By language.
    beginnings: Vec<Beginnings>,
    /// True while a folder is read whose words stand apart.
    apart: bool,
    faults: Vec<(String, Fault)>,
}

impl Gathered {
    fn folder(&mut self, language: u8, folder: &Folder, inventory: &Inventory) {
        let Folder { path, settings, files } = folder;
        self.beginnings.push(Beginnings::default());
        self.apart = settings.has("apart");
        let is_listed = |name: &String| {
            settings.common.contains(name)
                || settings.small.contains(name)
                || settings.files.iter().any(|listed| listed.file == *name)
        };
        for (name, _) in files.iter().filter(|(name, _)| !is_listed(name)) {
            let fault = Fault::new(0, "no table reads the file", "name it in `language.txt`");
            self.faults.push((format!("{path}/{name}.txt"), fault));
        }
        let text =
            |name: &String| files.iter().find(|(known, _)| known == name).map(|(_, text)| text);
        let mut read_files = Vec::new();
        for listed in &settings.files {
            let Some(text) = text(&listed.file) else {
                self.missing(path, &listed.file);
                continue;
            };
            let file = format!("{path}/{}.txt", listed.file);
            let (groups, faults) = read(text);
            self.faults.extend(faults.into_iter().map(|fault| (file.clone(), fault)));
            let groups = compose(groups, inventory).unwrap_or_else(|fault| {
                self.faults.push((file.clone(), fault));
                Vec::new()
            });
            read_files.push((listed, file, groups));
        }
        for (stage, keeps_accents) in
            [(0, false), (0, true), (1, false), (1, true), (2, false), (2, true)]
        {
            for (listed, file, groups) in
                read_files.iter().filter(|(listed, ..)| stage_of(listed) == stage)
            {
                for group in groups.iter().filter(|group| group.keeps_accents == keeps_accents) {
                    self.group(language, listed.tables, file, group, inventory);
                }
            }
        }
        for (names, is_small) in [(&settings.common, false), (&settings.small, true)] {
            for name in names {
                let Some(text) = text(name) else {
                    self.missing(path, name);
                    continue;
                };
                self.common(language, &format!("{path}/{name}.txt"), text, is_small);
            }
        }
    }

    /// The number of all tokens, at most.
    fn ids(&self) -> usize {
        let of_phrases = self.phrases.iter().flat_map(|phrase| &phrase.tokens);
        let all = of_phrases.chain(self.spoken.keys()).chain(self.small.keys());
        all.collect::<BTreeSet<_>>().len()
    }

    /// Notes common words, which mean nothing, or small ones, by which a text is told.
    fn common(&mut self, language: u8, file: &str, text: &str, is_small: bool) {
        let known = if is_small { &mut self.small } else { &mut self.spoken };
        for (at, line) in text.lines().enumerate() {
            for word in super::file::without_comment(line).split_whitespace() {
                let tokens = Tokens::new(word);
                if tokens.len() != 1 || tokens.folded(0) != word {
                    let message = format!("`{word}` is no word without accents");
                    let fault = Fault::new(at + 1, message, "write it as the tables are searched");
                    self.faults.push((file.to_owned(), fault));
                }
                *known.entry(word.to_owned()).or_default() |= 1 << language;
            }
        }
    }

    fn missing(&mut self, path: &str, name: &str) {
        let fault = Fault::new(
            0,
            format!("there is no file `{name}.txt`"),
            "write it, or take its name out",
        );
        self.faults.push((format!("{path}/language.txt"), fault));
    }

    fn group(
        &mut self,
        language: u8,
        tables: u8,
        file: &str,
        group: &Group,
        inventory: &Inventory,
    ) {
        let term = match self.term(&group.header, inventory) {
            Ok(term) => term,
            Err(message) => {
                let hint = "the variants of `Term` in grammar/term.rs are the meanings";
                let message = format!("`[{}]` means nothing: {message}", group.header);
                self.faults.push((file.to_owned(), Fault::new(group.line, message, hint)));
                return;
            }
        };
        for (line, spelling) in &group.phrases {
            let twin = (language, term, spelling.clone(), group.keeps_accents);
            let before = self.seen.entry(twin).or_default();
            let new = tables & !*before;
            *before |= tables;
            if new == 0 {
                let message =
                    format!("`{spelling}` already means `[{}]` in another file", group.header);
                self.faults
                    .push((file.to_owned(), Fault::new(*line, message, "take one of them out")));
                continue;
            }
            let entry = Entry {
                term,
                language,
                tables: new,
                keeps_accents: group.keeps_accents,
                spelling: 0,
            };
            self.phrase(spelling, entry);
        }
    }

    fn phrase(&mut self, spelling: &str, entry: Entry) {
        let cut = Tokens::new(spelling);
        let tokens: Vec<String> = (0..cut.len()).map(|at| cut.folded(at).to_owned()).collect();
        if entry.tables & (Table::Values.bit() | Table::Conversation.bit()) != 0 {
            for token in &tokens {
                *self.spoken.entry(token.clone()).or_default() |= 1 << entry.language;
            }
        }
        if entry.tables & Table::Values.bit() != 0 {
            self.note(spelling, entry);
        }
        let near = !self.apart;
        self.phrases.push(Phrase { tokens, spelling: spelling.to_owned(), entry, near });
    }

    /// Notes the first letters of a phrase that numbers in one word may be made of.
    fn note(&mut self, phrase: &str, entry: Entry) {
        let piece = Piece::of(self.terms[usize::from(entry.term)]);
        let own = self.beginnings.get_mut(usize::from(entry.language));
        if let (Some((first, second)), Some(_), Some(own)) = (pair(phrase), piece, own) {
            own.0[first] |= 1 << second;
        }
    }

    /// The place of the term that a header means.
    fn term(&mut self, header: &str, inventory: &Inventory) -> Result<u16, String> {
        if let Some(place) = self.headers.get(header) {
            return Ok(*place);
        }
        let place = self.terms.len() as u16;
        self.terms.push(Words::whole(header, inventory)?);
        self.headers.insert(header.to_owned(), place);
        Ok(place)
    }
}

/// Files of values and conversation come before those of corrections and of references.
fn stage_of(listed: &Listed) -> u8 {
    let first = Table::Values.bit() | Table::Conversation.bit();
    match listed.tables {
        tables if tables & first != 0 => 0,
        tables if tables & Table::Corrections.bit() != 0 => 1,
        _ => 2,
    }
}

/// A node while the trie grows.
#[derive(Default)]
struct Growing {
    children: BTreeMap<TokenId, usize>,
    entries: Vec<Entry>,
    tables: u8,
}

/// The parts of the trie, in the order of `Phrases`.
struct Layout {
    ids: HashMap<String, TokenId>,
    tokens: Vec<String>,
    spellings: Vec<String>,
    nodes: Vec<Growing>,
}

impl Layout {
    fn of(gathered: Gathered) -> Compiled {
        let tokens = numbered(&gathered);
        let ids = tokens.iter().zip(0..).map(|(token, id)| (token.clone(), id)).collect();
        let mut layout =
            Layout { ids, tokens, spellings: Vec::new(), nodes: vec![Growing::default()] };
        let mut places: HashMap<String, Place> = HashMap::new();
        for Phrase { tokens, spelling, mut entry, near } in gathered.phrases {
            entry.spelling = *places.entry(spelling).or_insert_with_key(|spelling| {
                layout.spellings.push(spelling.clone());
                layout.spellings.len() as Place - 1
            });
            layout.add(&tokens, entry, near);
        }
        let sets = |of: &BTreeMap<String, Tongues>| -> (usize, Vec<u8>) {
            let set = |token: &String| of.get(token).copied().unwrap_or_default();
            (
                layout.tokens.len(),
                layout.tokens.iter().flat_map(|own| set(own).to_le_bytes()).collect(),
            )
        };
        let (spoken, small) = (sets(&gathered.spoken), sets(&gathered.small));
        let (nodes, entries) = layout.walked();
        let parts = [
            layout.slots(),
            (layout.tokens.len(), ends(&layout.tokens, 0)),
            spoken,
            small,
            (layout.spellings.len(), ends(&layout.spellings, layout.tokens.concat().len())),
            nodes,
            entries,
        ];
        Compiled {
            terms: gathered.terms,
            bytes: joined(&parts),
            text: layout.tokens.concat() + &layout.spellings.concat(),
            beginnings: gathered.beginnings,
        }
    }

    fn add(&mut self, tokens: &[String], entry: Entry, near: bool) {
        let mut at = 0;
        let tables = entry.tables | if near { NEAR } else { 0 };
        self.nodes[at].tables |= tables;
        for token in tokens {
            let id = self.ids[token];
            let free = self.nodes.len();
            let next = *self.nodes[at].children.entry(id).or_insert(free);
            if next == free {
                self.nodes.push(Growing::default());
            }
            at = next;
            self.nodes[at].tables |= tables;
        }
        self.nodes[at].entries.push(entry);
    }

    /// The nodes, each level behind the one above it, and their entries.
    fn walked(&self) -> ((usize, Vec<u8>), (usize, Vec<u8>)) {
        let (mut nodes, mut entries): (Vec<Node>, Vec<Entry>) = (Vec::new(), Vec::new());
        let mut queue = VecDeque::from([(UNKNOWN, 0)]);
        let (mut children, mut count) = (1 as Place, 0);
        while let Some((token, at)) = queue.pop_front() {
            let node = &self.nodes[at];
            nodes.push(Node {
                token,
                children,
                entries: entries.len() as Place,
                tables: node.tables,
            });
            entries.extend(node.entries.iter().copied());
            children += node.children.len() as Place;
            queue.extend(node.children.iter().map(|(token, child)| (*token, *child)));
            count += 1;
        }
        debug_assert_eq!(count, self.nodes.len());
        nodes.push(Node { token: UNKNOWN, children, entries: entries.len() as Place, tables: 0 });
        let laid = nodes.iter().flat_map(node_bytes).collect();
        let meant = entries.iter().flat_map(|entry| entry_bytes(*entry)).collect();
        ((nodes.len(), laid), (entries.len(), meant))
    }

    /// A hash table that is at most half full.
    fn slots(&self) -> (usize, Vec<u8>) {
        let mut slots = vec![0u16; (self.tokens.len() * 2).next_power_of_two()];
        let mask = slots.len() - 1;
        for (token, number) in self.tokens.iter().zip(1..) {
            let mut at = phrases::hash(token) as usize & mask;
            while slots[at] != 0 {
                at = (at + 1) & mask;
            }
            slots[at] = number;
        }
        (slots.len(), slots.iter().flat_map(|slot| slot.to_le_bytes()).collect())
    }
}

/// All tokens, first those that phrases begin with: their numbers are their places below the root.
fn numbered(gathered: &Gathered) -> Vec<String> {
    let first: BTreeSet<&String> =
        gathered.phrases.iter().filter_map(|phrase| phrase.tokens.first()).collect();
    let inner = gathered.phrases.iter().flat_map(|phrase| &phrase.tokens);
    let inner: BTreeSet<&String> =
        inner.chain(gathered.spoken.keys()).chain(gathered.small.keys()).collect();
    let rest = inner.into_iter().filter(|token| !first.contains(token));
    first.iter().copied().chain(rest).cloned().collect()
}

/// Returns the end of each of some texts if they stand behind each other from `start` on.
fn ends(texts: &[String], start: usize) -> Vec<u8> {
    let mut end = start;
    let next = texts.iter().map(|text| {
        end += text.len();
        end as u32
    });
    next.flat_map(u32::to_le_bytes).collect()
}

/// Lays out the parts of a trie for [`phrases::Phrases::new`].
fn joined(parts: &[(usize, Vec<u8>); PARTS]) -> Vec<u8> {
    let head = parts.iter().flat_map(|(length, _)| (*length as u32).to_le_bytes());
    let body = parts.iter().flat_map(|(_, bytes)| bytes.iter().copied());
    head.chain(body).collect()
}

/// The most places that there may be: they are written in three bytes.
const MOST_PLACES: usize = (1 << 24) - 1;

/// A place as it is written.
fn place_bytes(place: Place) -> [u8; 3] {
    let [a, b, c, _] = place.to_le_bytes();
    [a, b, c]
}

fn entry_bytes(entry: Entry) -> [u8; 7] {
    let [t0, t1] = entry.term.to_le_bytes();
    let [s0, s1, s2] = place_bytes(entry.spelling);
    let accents = if entry.keeps_accents { KEEPS_ACCENTS } else { 0 };
    [t0, t1, entry.language, entry.tables | accents, s0, s1, s2]
}

fn node_bytes(node: &Node) -> [u8; 9] {
    let [t0, t1] = node.token.to_le_bytes();
    let [c0, c1, c2] = place_bytes(node.children);
    let [e0, e1, e2] = place_bytes(node.entries);
    [t0, t1, c0, c1, c2, e0, e1, e2, node.tables]
}

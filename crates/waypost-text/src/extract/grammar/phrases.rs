//! The phrases of all languages as one trie by tokens, ready as it lies in the program.
//!
//! The build script lays it out (`lang/compile.rs`), so that nothing is built when the program
//! starts. A token of a text is looked up once; from then on phrases are walked by its number. A
//! phrase may stand in several tables, and one walk serves whichever is asked for.

/// A set of phrases that is read on its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Table {
    /// Words that values are made of.
    Values,
    /// Words by what they do in a conversation.
    Conversation,
    /// The same, and words that say how the turn before was understood.
    Corrections,
    /// Words that point back to what was said before.
    References,
    /// Names of cities and countries, by their time zones.
    Zones,
    /// Words that say what a value is for, and where the object of a request begins.
    Roles,
}

impl Table {
    /// All of them.
    pub(crate) const ALL: [Table; 6] = [
        Table::Values,
        Table::Conversation,
        Table::Corrections,
        Table::References,
        Table::Zones,
        Table::Roles,
    ];

    /// Its place in sets of tables.
    pub(crate) const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// The number of a token that phrases are made of.
pub(crate) type TokenId = u16;

/// A token that no phrase has.
pub(crate) const UNKNOWN: TokenId = TokenId::MAX;

/// A place in the trie or among its phrases, which are too many for two bytes.
pub(crate) type Place = u32;

/// A set of languages, by their places in the list of folders.
pub(crate) type Tongues = u16;

/// A meaning of a phrase, by its places in other tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) term: u16,
    /// The language that it belongs to, by its place.
    pub(crate) language: u8,
    /// The tables that it stands in, as a set of [`Table::bit`].
    pub(crate) tables: u8,
    pub(crate) keeps_accents: bool,
    /// The phrase as it is written.
    pub(crate) spelling: Place,
}

/// Says in the byte of the tables of a node that a language is below it whose words are read beside those of others.
pub(crate) const NEAR: u8 = 1 << 6;

/// Says in the byte of the tables that the accents of a phrase may not be left out.
pub(crate) const KEEPS_ACCENTS: u8 = 1 << 7;

impl Entry {
    fn of(bytes: [u8; 7]) -> Self {
        let [t0, t1, language, tables, s0, s1, s2] = bytes;
        Self {
            term: u16::from_le_bytes([t0, t1]),
            language,
            tables: tables & !KEEPS_ACCENTS,
            keeps_accents: tables & KEEPS_ACCENTS != 0,
            spelling: Place::from_le_bytes([s0, s1, s2, 0]),
        }
    }
}

/// A place in the trie. What belongs to it ends where that of the next node begins.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node {
    /// The token that leads to it.
    pub(crate) token: TokenId,
    /// Its first child; children stand in the order of their tokens.
    pub(crate) children: Place,
    pub(crate) entries: Place,
    /// The tables with an entry here or below.
    pub(crate) tables: u8,
}

impl Node {
    fn of(bytes: [u8; 9]) -> Self {
        let [t0, t1, c0, c1, c2, e0, e1, e2, tables] = bytes;
        Self {
            token: u16::from_le_bytes([t0, t1]),
            children: Place::from_le_bytes([c0, c1, c2, 0]),
            entries: Place::from_le_bytes([e0, e1, e2, 0]),
            tables,
        }
    }
}

/// The trie. All its parts are slices of what the build script wrote.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Phrases {
    /// All tokens, then all phrases as they are written, without anything between.
    text: &'static str,
    /// A hash table of the numbers of tokens, from 1; 0 is free.
    slots: &'static [[u8; 2]],
    /// The end of each token in the text.
    tokens: &'static [[u8; 4]],
    /// The languages that have a token in their common words, values or conversation.
    spoken: &'static [[u8; 2]],
    /// The languages that have a token among their small words.
    small: &'static [[u8; 2]],
    /// The end of each phrase in the text.
    spellings: &'static [[u8; 4]],
    /// The first is the root; a last one only ends what belongs to the one before. The children of
    /// the root are the tokens from number 0 on.
    nodes: &'static [[u8; 9]],
    entries: &'static [[u8; 7]],
}

/// The numbers at the head of the bytes: the length of each part.
pub(crate) const PARTS: usize = 7;

impl Phrases {
    /// Finds the parts in the bytes that `lang/compile.rs` wrote.
    pub(crate) const fn new(bytes: &'static [u8], text: &'static str) -> Self {
        let (head, rest) = bytes.split_at(PARTS * 4);
        let (slots, rest) = part::<2>(head, 0, rest);
        let (tokens, rest) = part::<4>(head, 1, rest);
        let (spoken, rest) = part::<2>(head, 2, rest);
        let (small, rest) = part::<2>(head, 3, rest);
        let (spellings, rest) = part::<4>(head, 4, rest);
        let (nodes, rest) = part::<9>(head, 5, rest);
        let (entries, _) = part::<7>(head, 6, rest);
        Self { text, slots, tokens, spoken, small, spellings, nodes, entries }
    }

    /// The number of a token without accents.
    pub(crate) fn id(&self, token: &str) -> TokenId {
        let mask = self.slots.len() - 1;
        let mut at = hash(token) as usize & mask;
        loop {
            let Some(id) = u16::from_le_bytes(self.slots[at]).checked_sub(1) else {
                return UNKNOWN;
            };
            if self.slice(self.tokens, Place::from(id), 0) == token {
                return id;
            }
            at = (at + 1) & mask;
        }
    }

    /// All tokens, in the order of their numbers.
    pub(crate) fn tokens(&self) -> impl Iterator<Item = &'static str> {
        (0..self.tokens.len())
            .filter_map(move |id| Some(self.slice(self.tokens, u32::try_from(id).ok()?, 0)))
    }

    /// The languages that have a token in their common words, values or conversation, as a set.
    pub(crate) fn spoken(&self, token: TokenId) -> Tongues {
        self.spoken.get(usize::from(token)).map_or(0, |set| Tongues::from_le_bytes(*set))
    }

    /// The languages that have a token among their small words, as a set.
    pub(crate) fn small(&self, token: TokenId) -> Tongues {
        self.small.get(usize::from(token)).map_or(0, |set| Tongues::from_le_bytes(*set))
    }

    /// A phrase as it is written.
    pub(crate) fn spelling(&self, entry: Entry) -> &'static str {
        let tokens_end = self.tokens.last().map_or(0, |end| u32::from_le_bytes(*end));
        self.slice(self.spellings, entry.spelling, tokens_end)
    }

    /// Returns the text between two ends; the first begins at `start`.
    fn slice(&self, ends: &[[u8; 4]], at: Place, start: u32) -> &'static str {
        let at = at as usize;
        let start = at.checked_sub(1).map_or(start, |before| u32::from_le_bytes(ends[before]));
        &self.text[start as usize..u32::from_le_bytes(ends[at]) as usize]
    }

    /// The meanings in a table of a phrase that is one token.
    pub(crate) fn word(self, table: Table, token: TokenId) -> Entries {
        let node = self.child(0, table.bit(), token);
        node.map_or(Entries { rest: [].iter(), table }, |node| self.entries(node, table))
    }

    /// The phrases of a table that begin with the first token, shorter ones first: how many tokens
    /// each has, and what it means. With `near`, phrases that only languages have whose words stand apart are left
    /// out.
    pub(crate) fn walk(
        self,
        table: Table,
        near: bool,
        tokens: &[TokenId],
    ) -> impl Iterator<Item = (usize, Entries)> + '_ {
        let mut node = 0;
        let wanted = table.bit() | if near { NEAR } else { 0 };
        let steps = tokens.iter().map_while(move |token| {
            node = self.child(node, wanted, *token)?;
            Some(node)
        });
        steps.enumerate().map(move |(at, node)| (at + 1, self.entries(node, table)))
    }

    /// The node that a token leads to, if a phrase of what is wanted goes on there.
    fn child(self, node: usize, wanted: u8, token: TokenId) -> Option<usize> {
        let from = Node::of(self.nodes[node]).children as usize;
        let to = Node::of(self.nodes[node + 1]).children as usize;
        let child = if node == 0 {
            Some(from + usize::from(token)).filter(|child| *child < to)?
        } else {
            let of = |bytes: &[u8; 9]| Node::of(*bytes).token;
            from + self.nodes[from..to].binary_search_by_key(&token, of).ok()?
        };
        let goes_on = Node::of(self.nodes[child]).tables & wanted == wanted;
        goes_on.then_some(child)
    }

    fn entries(self, node: usize, table: Table) -> Entries {
        let from = Node::of(self.nodes[node]).entries as usize;
        let to = Node::of(self.nodes[node + 1]).entries as usize;
        Entries { rest: self.entries[from..to].iter(), table }
    }
}

/// The meanings of a phrase in one table.
#[derive(Debug, Clone)]
pub(crate) struct Entries {
    rest: std::slice::Iter<'static, [u8; 7]>,
    table: Table,
}

impl Iterator for Entries {
    type Item = Entry;

    fn next(&mut self) -> Option<Entry> {
        let table = self.table.bit();
        self.rest.by_ref().map(|bytes| Entry::of(*bytes)).find(|entry| entry.tables & table != 0)
    }
}

const fn part<const SIZE: usize>(
    head: &[u8],
    at: usize,
    rest: &'static [u8],
) -> (&'static [[u8; SIZE]], &'static [u8]) {
    let length = [head[at * 4], head[at * 4 + 1], head[at * 4 + 2], head[at * 4 + 3]];
    let (own, rest) = rest.split_at(u32::from_le_bytes(length) as usize * SIZE);
    (own.as_chunks::<SIZE>().0, rest)
}

/// FNV-1a: tokens are a few bytes long.
pub(crate) fn hash(token: &str) -> u32 {
    token.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

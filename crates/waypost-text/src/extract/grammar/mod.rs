//! The grammar that every extractor is written in, from single characters up to what a rule sees.
//!
//! A text is cut into tokens (`token`, `script`); the lexicon says what they mean (`term`,
//! `spelling`, `compound`, `own`, `trie`); a sentence holds both; a rule reads it through a cursor and
//! gives what it found a name (`rule`); of findings that overlap `resolve` keeps one.

mod begins;
pub(super) mod script;
pub(super) mod token;

pub(super) mod compound;
pub(super) mod kinds;
pub(super) mod lexicon;
pub(super) mod own;
pub(super) mod phrases;
pub(super) mod piece;
pub(super) mod spelling;
pub(super) mod term;
pub(super) mod trie;
pub(super) mod units;

pub(super) mod cursor;
pub(super) mod resolve;
pub(super) mod rule;
pub(super) mod sentence;

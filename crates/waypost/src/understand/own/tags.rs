//! Blocks of tags: which are context, and which hold the request.
//!
//! A block is what a program put there by its form, not by a list alone: a pair of tags whose name is
//! known, or is made of several words as no tag of HTML is, and which fills whole lines. What the user
//! announces with a colon, quotes or fences is the user's.

use std::collections::HashMap;
use std::ops::Range;

use super::page::{Page, Sure, lines};
use super::table::{Holds, TABLE, is_note, tag};

/// The longest tag, in bytes, with its attributes: what is longer is no tag.
const LONGEST: usize = 512;

/// A tag of a text.
#[derive(Debug)]
struct Tag {
    /// As the table has it.
    name: String,
    bytes: Range<usize>,
    closes: bool,
    /// What the table says.
    holds: Option<Holds>,
    /// Its name is made of several words, as no name of an element of HTML is.
    several: bool,
    /// Nothing but tags stands before it in its line.
    leads: bool,
}

/// Two tags and what is between them; the second may be missing.
#[derive(Debug)]
struct Block {
    bytes: Range<usize>,
    inside: Range<usize>,
    /// The tag that opens it.
    open: usize,
    /// The tag that closes it.
    close: Option<usize>,
}

/// Takes the context out, and where a block holds the request, all beside it.
pub(super) fn strip(page: &mut Page<'_>) {
    let text = page.words().to_owned();
    let tags = tags(&text);
    if tags.is_empty() {
        return;
    }
    let fences = fences(&text);
    let blocks = blocks(&text, &tags);
    let mut out: Vec<(Range<usize>, Sure)> = Vec::new();
    let (mut request, mut asked): (Option<&Block>, Option<&Block>) = (None, None);
    // Blocks that only a program writes: they tell that a tag of one word is a program's too.
    let mut listed: Vec<Range<usize>> = Vec::new();
    // The end of the last block that is kept: what is inside is the user's markup.
    let mut kept = 0;
    for block in &blocks {
        let covered = out.last().is_some_and(|(last, _)| block.bytes.start < last.end);
        let holds = tags[block.open].holds;
        let is_request = matches!(holds, Some(Holds::Request | Holds::Asked));
        if covered || (is_request && !fills(&text, &tags, block)) {
            continue;
        }
        let markup = block.bytes.start < kept || fenced(&fences, block.bytes.start, &out);
        if is_request {
            let says = text[block.inside.clone()].contains(char::is_alphanumeric);
            if markup || announced(&text, block.bytes.start) {
                kept = kept.max(block.bytes.end);
            } else if says {
                let found = if holds == Some(Holds::Request) { &mut request } else { &mut asked };
                *found = Some(block);
            }
            continue;
        }
        match context(&text, &tags, block) {
            Some(sure) if sure == Sure::Known || !markup => {
                listed.extend(holds.map(|_| block.bytes.clone()));
                out.push((block.bytes.clone(), sure));
            }
            _ => kept = kept.max(if block.close.is_some() { block.bytes.end } else { 0 }),
        }
    }
    let beside = |block: &&Block| {
        let apart =
            |part: &Range<usize>| part.end <= block.bytes.start || part.start >= block.bytes.end;
        listed.iter().any(apart)
    };
    if let Some(request) = request.or_else(|| asked.filter(beside)) {
        let inside = request.inside.clone();
        out.retain(|(part, _)| inside.contains(&part.start) && part.end <= inside.end);
        out.insert(0, (0..inside.start, Sure::Known));
        out.push((inside.end..text.len(), Sure::Known));
    }
    page.take(&out);
}

/// Returns whether a block is context, and how surely.
fn context(text: &str, tags: &[Tag], block: &Block) -> Option<Sure> {
    let open = &tags[block.open];
    match open.holds {
        Some(Holds::Context) => Some(Sure::Known),
        _ if block.close.is_none() || announced(text, open.bytes.start) => None,
        holds => {
            let named = holds.is_some() || open.several;
            (named && fills(text, tags, block)).then_some(Sure::Beside)
        }
    }
}

/// Returns whether a pair of tags fills whole lines, but for other tags.
fn fills(text: &str, tags: &[Tag], block: &Block) -> bool {
    let Some(close) = block.close else { return false };
    let rest = text[tags[close].bytes.end..].trim_start_matches([' ', '\t', '\r']);
    tags[block.open].leads && (rest.is_empty() || rest.starts_with(['\n', '<']))
}

/// Returns whether the line above announces what follows: "what does this do:". A program's own line
/// announces nothing.
fn announced(text: &str, at: usize) -> bool {
    let above = text[..at].trim_end();
    let line = || above.rsplit('\n').next().unwrap_or_default();
    above.ends_with([':', '：']) && !is_note(line().trim_start())
}

/// Returns whether a place lies in a fence that the user opened: not one of a block that is out.
fn fenced(fences: &[Range<usize>], at: usize, out: &[(Range<usize>, Sure)]) -> bool {
    let after = fences.partition_point(|fence| fence.start <= at);
    let Some(fence) = fences[..after].last().filter(|fence| at < fence.end) else { return false };
    let before = out.partition_point(|(part, _)| part.start <= fence.start);
    out[..before].last().is_none_or(|(part, _)| fence.start >= part.end)
}

/// Pairs tags, in the order in which they open. One that nothing closes reaches to the last closing tag
/// of its name, else, if nobody types it, to the end.
fn blocks(text: &str, tags: &[Tag]) -> Vec<Block> {
    let mut closes: Vec<Option<usize>> = vec![None; tags.len()];
    let mut last: HashMap<&str, usize> = HashMap::new();
    let mut open: Vec<usize> = Vec::new();
    let mut opened: HashMap<&str, usize> = HashMap::new();
    for (at, tag) in tags.iter().enumerate() {
        if !tag.closes {
            open.push(at);
            *opened.entry(&tag.name).or_default() += 1;
            continue;
        }
        last.insert(&tag.name, at);
        if opened.get(tag.name.as_str()).is_none_or(|count| *count == 0) {
            continue;
        }
        while let Some(top) = open.pop() {
            *opened.entry(&tags[top].name).or_default() -= 1;
            if tags[top].name == tag.name {
                closes[top] = Some(at);
                break;
            }
        }
    }
    let block = |(at, tag): (usize, &Tag)| {
        let later = last.get(tag.name.as_str()).copied();
        let later = later.filter(|close| *close > at && tag.holds == Some(Holds::Context));
        let close = closes[at].or(later);
        let (inside, end) = match close {
            Some(close) => (tags[close].bytes.start, tags[close].bytes.end),
            None => (text.len(), text.len()),
        };
        let reaches = close.is_some() || tag.holds == Some(Holds::Context);
        let says = text[tag.bytes.end..inside].contains(|c: char| !c.is_whitespace());
        (!tag.closes && reaches && (says || close.is_some())).then_some(Block {
            bytes: tag.bytes.start..end,
            inside: tag.bytes.end..inside,
            open: at,
            close,
        })
    };
    tags.iter().enumerate().filter_map(block).collect()
}

/// The tags of a text that may open or close a block.
fn tags(text: &str) -> Vec<Tag> {
    let mut tags: Vec<Tag> = Vec::new();
    let (mut line, mut seen) = (0, 0);
    for (at, _) in text.match_indices('<') {
        // Each stretch is looked at once: a text of nothing but tags costs no more than another.
        line = text[seen..at].rfind('\n').map_or(line, |found| seen + found + 1);
        seen = at;
        let Some((name, end, closes)) = named(text, at) else { continue };
        let last = tags.last().filter(|last| last.bytes.end >= line && (last.leads || last.closes));
        let from = last.map_or(line, |last| last.bytes.end);
        let leads = text[from.min(at)..at].trim_end().is_empty();
        if !closes && mentioned(text, at..end, leads) {
            continue;
        }
        let several = several_words(name);
        let name = tag(name);
        let holds = TABLE.tags.get(&name).copied();
        tags.push(Tag { name, bytes: at..end, closes, holds, several, leads });
    }
    tags
}

/// The name of the tag at `at`, where it ends, and whether it closes.
fn named(text: &str, at: usize) -> Option<(&str, usize, bool)> {
    let rest = &text[at + 1..];
    let closes = rest.starts_with('/');
    let rest = &rest[usize::from(closes)..];
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let near = || rest.bytes().take(LONGEST);
    let name = &rest[..near().position(|byte| !is_name(char::from(byte)))?];
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let end =
        near().take_while(|byte| !matches!(byte, b'\n' | b'<')).position(|byte| byte == b'>')?;
    let attributes = rest.get(name.len()..end)?;
    let alone = attributes.is_empty() || attributes.starts_with(' ');
    let is_tag = alone && !attributes.ends_with('/');
    let start = at + 1 + usize::from(closes);
    is_tag.then_some((name, start + end + 1, closes))
}

/// Returns whether a tag is only spoken of: it stands in quotes, or in the middle of a sentence.
fn mentioned(text: &str, tag: Range<usize>, leads: bool) -> bool {
    let quotes = ['`', '"', '\'', '“', '‘', '「', '『', '«', '(', '（'];
    let goes_on = text[tag.end..].starts_with([' ', ',', '?', '.', '，', '。', '？', ')', '）']);
    text[..tag.start].ends_with(quotes) || (goes_on && !leads)
}

/// Returns whether a name is made of several words.
fn several_words(name: &str) -> bool {
    let inner = name.trim_matches(['-', '_', '.']);
    let mut letters = inner.chars().zip(inner.chars().skip(1));
    inner.contains(['-', '_']) || letters.any(|(a, b)| a.is_lowercase() && b.is_uppercase())
}

/// The parts of a text between two lines of a fence; one that is not closed is none.
pub(super) fn fences(text: &str) -> Vec<Range<usize>> {
    let is_fence = |line: &str| line.trim_start().starts_with("```");
    let marks: Vec<usize> =
        lines(text).filter(|(_, line)| is_fence(line)).map(|(bytes, _)| bytes.start).collect();
    marks.chunks_exact(2).map(|pair| pair[0]..pair[1]).collect()
}

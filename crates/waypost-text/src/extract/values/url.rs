//! Addresses of pages: `https://example.org/path?x=1`, www.example.org, example.co.uk/about.
//!
//! A linear scan over the tokens. Without a scheme a host counts only if it ends in a domain that
//! exists and is no ending of files or word of a sentence whose space is missing.

use crate::extract::Found;
use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::rule::rule;
use crate::extract::grammar::term::Term;
use crate::extract::grammar::token::Shape;
use crate::extract::kind::Kind;
use crate::extract::value::Reading;

const SCHEMES: &[&str] = &["http", "https", "ftp", "ftps", "sftp", "ws", "wss"];

/// Top domains of organisations, and the countries whose names are often seen without www.
const TOP_DOMAINS: &[&str] = &[
    "academy",
    "ac",
    "ae",
    "aero",
    "agency",
    "ai",
    "app",
    "ar",
    "art",
    "asia",
    "au",
    "aws",
    "be",
    "bg",
    "bid",
    "biz",
    "blog",
    "br",
    "ca",
    "cafe",
    "care",
    "cat",
    "cc",
    "center",
    "ch",
    "chat",
    "city",
    "cl",
    "cloud",
    "club",
    "cn",
    "co",
    "codes",
    "com",
    "community",
    "company",
    "coop",
    "cr",
    "cu",
    "cz",
    "design",
    "dev",
    "digital",
    "dk",
    "ec",
    "edu",
    "ee",
    "eg",
    "email",
    "energy",
    "eu",
    "events",
    "expert",
    "fi",
    "finance",
    "fm",
    "fr",
    "fun",
    "fyi",
    "games",
    "ge",
    "gg",
    "gl",
    "global",
    "google",
    "gov",
    "gr",
    "group",
    "gt",
    "guru",
    "health",
    "hk",
    "hn",
    "host",
    "hr",
    "hu",
    "id",
    "ie",
    "il",
    "info",
    "int",
    "io",
    "ir",
    "jobs",
    "jp",
    "ke",
    "kr",
    "kz",
    "li",
    "life",
    "link",
    "live",
    "llc",
    "lt",
    "lu",
    "lv",
    "ly",
    "market",
    "media",
    "mil",
    "mobi",
    "ms",
    "museum",
    "mx",
    "name",
    "net",
    "network",
    "news",
    "ng",
    "ni",
    "nl",
    "nu",
    "nz",
    "one",
    "online",
    "org",
    "pa",
    "page",
    "pe",
    "ph",
    "pk",
    "pm",
    "pr",
    "press",
    "pro",
    "pt",
    "pub",
    "qa",
    "ro",
    "ru",
    "sa",
    "sale",
    "school",
    "science",
    "sg",
    "shop",
    "si",
    "site",
    "sk",
    "social",
    "software",
    "solutions",
    "space",
    "store",
    "studio",
    "sv",
    "systems",
    "tech",
    "tel",
    "th",
    "today",
    "tools",
    "top",
    "tr",
    "travel",
    "tv",
    "tw",
    "ua",
    "uk",
    "uno",
    "uy",
    "ve",
    "vip",
    "vn",
    "watch",
    "web",
    "website",
    "wiki",
    "win",
    "work",
    "works",
    "world",
    "ws",
    "wtf",
    "xin",
    "xyz",
    "za",
    "zone",
];

/// Top domains that are words or endings of files as well: they need a path or a third label.
const DOUBTFUL: &[&str] = &[
    "am", "as", "at", "by", "de", "do", "es", "in", "is", "it", "la", "me", "my", "no", "pl", "se",
    "so", "to", "us", "md", "py", "rs", "sh", "st", "ps", "cc",
];

/// A host has no more tokens than this, and what follows it no more than the second.
const LONGEST_HOST: usize = 64;
const LONGEST_PATH: usize = 1000;

/// Finds the address of a page.
pub(crate) fn url(cursor: &mut Cursor<'_>) -> Option<Found> {
    let start = *cursor;
    let written = cursor.attempt(with_scheme).or_else(|| cursor.attempt(without_scheme));
    written?;
    let first = start.sentence.token(start.at)?;
    let last = start.sentence.token(cursor.at.checked_sub(1)?)?;
    let text = start.sentence.text;
    let address = text.slice(text.span(first.start, last.end)).to_owned();
    Some(Found::new(Kind::Url, Reading::Text(address), rule(cursor.tongue, "url")))
}

/// Returns whether a top domain is known.
pub(crate) fn is_top_domain(name: &str) -> bool {
    TOP_DOMAINS.contains(&name) || DOUBTFUL.contains(&name)
}

/// Returns whether a top domain is known, and no word and no ending of files.
pub(crate) fn is_certain_domain(name: &str) -> bool {
    TOP_DOMAINS.contains(&name) && !DOUBTFUL.contains(&name)
}

/// A host as it is written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Host<'a> {
    pub(crate) labels: usize,
    /// The last label if it is a word.
    pub(crate) top: Option<&'a str>,
    /// True if all labels before the last are numbers.
    in_digits: bool,
}

/// Reads labels of letters, digits and hyphens with dots between them.
pub(crate) fn host<'a>(cursor: &mut Cursor<'a>) -> Option<Host<'a>> {
    let start = cursor.at;
    let mut host = Host { labels: 0, top: None, in_digits: true };
    while cursor.at - start < LONGEST_HOST {
        let label = cursor.attempt(label)?;
        if host.labels > 0 && host.top.is_some() {
            host.in_digits = false;
        }
        host.labels += 1;
        host.top = label;
        let goes_on = cursor.attempt(|cursor| {
            cursor.glued_symbol(".")?;
            let part = matches!(cursor.shape(), Some(Shape::Word | Shape::Digits));
            (cursor.is_glued() && part).then_some(())
        });
        if goes_on.is_none() {
            return Some(host);
        }
        if label.is_none() {
            let digits = cursor.sentence.shape(start) == Some(Shape::Digits);
            host.in_digits &= digits && cursor.at == start + 2;
        }
    }
    None
}

/// Reads a label; gives its word if it is nothing else.
fn label<'a>(cursor: &mut Cursor<'a>) -> Option<Option<&'a str>> {
    let start = cursor.at;
    while cursor.at - start < LONGEST_HOST && (cursor.at == start || cursor.is_glued()) {
        match cursor.shape() {
            Some(Shape::Word) if !cursor.sentence.tokens.text(cursor.at).contains('_') => {}
            Some(Shape::Digits) => {}
            Some(Shape::Symbol) if cursor.at > start && cursor.peek_symbol() == Some('-') => {}
            _ => break,
        }
        cursor.at += 1;
    }
    let word = cursor.sentence.tokens.text(start);
    let is_word = cursor.at == start + 1 && cursor.sentence.shape(start) == Some(Shape::Word);
    (cursor.at > start).then_some(is_word.then_some(word))
}

fn with_scheme(cursor: &mut Cursor<'_>) -> Option<()> {
    let scheme = cursor.sentence.tokens.text(cursor.at);
    if !SCHEMES.contains(&scheme) {
        return None;
    }
    cursor.at += 1;
    cursor.glued_symbol(":")?;
    cursor.glued_symbol("/")?;
    cursor.glued_symbol("/")?;
    if !cursor.is_glued() {
        return None;
    }
    let address = cursor.attempt(ip);
    if address.is_none() {
        let from = cursor.at;
        let host = host(cursor)?;
        let top = host.top?;
        let one_word = host.labels == 1 && cursor.at == from + 1;
        if !one_word && (host.labels < 2 || top.len() < 2) {
            return None;
        }
    }
    rest(cursor);
    Some(())
}

/// Reads the four numbers of a host.
fn ip(cursor: &mut Cursor<'_>) -> Option<()> {
    cursor.digits()?;
    for _ in 0..3 {
        cursor.glued_symbol(".")?;
        cursor.glued_digits()?;
    }
    Some(())
}

fn without_scheme(cursor: &mut Cursor<'_>) -> Option<()> {
    let start = *cursor;
    if !begins_run(start, "._-@/\\%+=&#") {
        return None;
    }
    let host = host(cursor)?;
    let top = host.top?;
    let first = start.sentence.tokens.text(start.at);
    let is_local = first == "localhost" && host.labels == 1;
    if !is_local && (host.labels < 2 || !is_top_domain(top)) {
        return None;
    }
    let hour = start.sentence.shape(start.at) == Some(Shape::Digits)
        && first.parse::<u8>().is_ok_and(|hour| hour <= 24);
    let is_time = host.labels == 2
        && hour
        && cursor.at == start.at + 3
        && cursor.back()?.sees_any(|term| matches!(term, Term::Meridiem(_)));
    let sign = cursor.peek_symbol().filter(|_| cursor.is_glued());
    // "What is in README.md?" ends a question.
    let next = Cursor { at: cursor.at + 1, ..*cursor };
    let has_path = sign == Some('/') || sign == Some('?') && is_in_word(next);
    let doubtful = DOUBTFUL.contains(&top) && host.labels < 3 && !host.is_named(start) && !has_path;
    if is_time || doubtful || sign == Some('@') {
        return None;
    }
    rest(cursor);
    (!is_in_word(*cursor)).then_some(())
}

impl Host<'_> {
    /// Returns whether the host begins with letters and digits mixed, as no word of a sentence
    /// does.
    fn is_named(self, start: Cursor<'_>) -> bool {
        let mixed = Cursor { at: start.at + 1, ..start };
        let digits = start.sentence.shape(start.at) == Some(Shape::Digits);
        digits || mixed.is_glued() && mixed.shape() == Some(Shape::Digits)
    }
}

fn is_in_word(end: Cursor<'_>) -> bool {
    end.is_glued() && matches!(end.shape(), Some(Shape::Word | Shape::Digits))
}

/// Returns whether the token begins a run of letters, digits and these signs.
pub(crate) fn begins_run(cursor: Cursor<'_>, signs: &str) -> bool {
    if !matches!(cursor.shape(), Some(Shape::Word | Shape::Digits)) {
        return false;
    }
    let Some(before) = cursor.back().filter(|_| cursor.is_glued()) else { return true };
    match before.shape() {
        Some(Shape::Word | Shape::Digits) => false,
        Some(Shape::Symbol) => !before.peek_symbol().is_some_and(|c| signs.contains(c)),
        _ => true,
    }
}

/// Reads a port, a path, a query and a fragment, without the punctuation of the sentence.
fn rest(cursor: &mut Cursor<'_>) {
    cursor.attempt(|cursor| {
        cursor.glued_symbol(":")?;
        cursor.glued_digits().filter(|digits| digits.len() <= 5).map(drop)
    });
    if !cursor.is_glued() || !cursor.peek_symbol().is_some_and(|c| "/?#".contains(c)) {
        return;
    }
    let start = cursor.at;
    while cursor.at - start < LONGEST_PATH && cursor.is_glued() {
        match cursor.shape() {
            None | Some(Shape::Han) => break,
            Some(Shape::Symbol) if cursor.peek_symbol().is_none_or(is_stop) => break,
            _ => cursor.at += 1,
        }
    }
    while cursor.at > start {
        let last = Cursor { at: cursor.at - 1, ..*cursor };
        if !last.peek_symbol().is_some_and(|c| ".,;:!?)]}'\"".contains(c)) {
            break;
        }
        cursor.at -= 1;
    }
}

/// Signs that no address has: brackets and the punctuation of Chinese.
fn is_stop(c: char) -> bool {
    "<>\"“”‘’「」『』（），。；、！？：".contains(c)
}

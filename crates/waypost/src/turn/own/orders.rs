//! Instructions to whoever answers: the marks of chat templates, lines that pretend that somebody else
//! speaks, and decisions written by hand. None of them decides anything; the words beside them do.

use std::ops::Range;

use super::page::{Page, Sure, lines};
use super::table::{Speaker, TABLE, begins};

/// The longest decision by hand, in bytes; what is longer is material.
const LONGEST: usize = 8 * 1024;

/// How many openings of objects are followed: what a user writes by hand has few.
const MOST: usize = 64;

/// Takes out what pretends to be no question of the user; `routes` are the names of the pack's.
pub(super) fn mask(page: &mut Page<'_>, routes: &[String]) {
    let templates = templates(page.words());
    page.take(&templates);
    let spoken = spoken(page.words());
    page.take(&spoken);
    let verdicts = verdicts(page.words());
    page.take(&verdicts);
    let settings = settings(page.words());
    page.take(&settings);
    let told = told(page.words(), routes);
    page.take(&told);
}

/// The marks of chat templates, and what is not behind one of the user's.
fn templates(text: &str) -> Vec<(Range<usize>, Sure)> {
    let mut out: Vec<(Range<usize>, Sure)> = Vec::new();
    let mut speaker = None;
    let mut from = 0;
    for (at, _) in text.match_indices(['<', '[']) {
        if at < from {
            continue;
        }
        let rest = &text[at..];
        let known = begins(rest, TABLE.templates.iter().map(|(mark, _)| mark));
        let Some(mark) = known else { continue };
        if speaker == Some(Speaker::Orders) {
            out.push((from..at, Sure::Beside));
        }
        from = at + mark.len();
        out.push((at..from, Sure::Beside));
        speaker = TABLE.templates.iter().find(|(known, _)| known == mark).and_then(|known| known.1);
    }
    if speaker == Some(Speaker::Orders) {
        out.push((from..text.len(), Sure::Beside));
    }
    out
}

/// The lines that pretend that somebody speaks. Where somebody else spoke before, the user's last line
/// is the request.
fn spoken(text: &str) -> Vec<(Range<usize>, Sure)> {
    let mut out: Vec<(Range<usize>, Sure)> = Vec::new();
    let mut first: Option<usize> = None;
    // A mark alone in its line covers what follows, up to a line without words.
    let mut covers = false;
    let mut announced = false;
    for (bytes, line) in lines(text) {
        let said = line.trim();
        match speaker(said) {
            // What a line announces is material, up to a line without words.
            _ if announced => {
                announced = !said.is_empty();
                continue;
            }
            Some((Speaker::User, mark)) => {
                let start = bytes.start + line.len() - line.trim_start().len();
                let from = first.take().unwrap_or(start);
                while out.last().is_some_and(|(part, _)| part.end > from) {
                    out.pop();
                }
                out.push((from..start + mark, Sure::Beside));
                covers = false;
                continue;
            }
            Some((Speaker::Orders, mark)) => {
                first.get_or_insert(bytes.start);
                covers = !said[mark..].contains(char::is_alphanumeric);
                out.push((bytes, Sure::Beside));
                continue;
            }
            None => {}
        }
        covers &= !said.is_empty();
        if covers {
            out.push((bytes, Sure::Beside));
        } else if !said.is_empty() {
            announced = said.ends_with([':', '：']);
        }
    }
    out
}

/// Who a line says is speaking, and the bytes that say so: "system:", "[SYSTEM]", "### User:".
fn speaker(line: &str) -> Option<(Speaker, usize)> {
    /// The longest name of a speaker with its marks, in bytes.
    const NAME: usize = 64;
    let bare = line.trim_start_matches(['#', '*', '>', ' ']);
    let start = line.len() - bare.len();
    let bracket = bare.starts_with('[') || bare.starts_with('【');
    let closers: &[char] = if bracket { &[']', '】'] } else { &[':', '：'] };
    let (end, close) = bare.char_indices().take(NAME).find(|(_, c)| closers.contains(c))?;
    let name = bare[..end].trim_matches(['[', '【', '/', '*', ' ']).to_lowercase();
    let speaker = *TABLE.speakers.get(&name)?;
    let after = &bare[end + close.len_utf8()..];
    let more = after.len() - after.trim_start_matches([':', '：', '*']).len();
    Some((speaker, start + end + close.len_utf8() + more))
}

/// Decisions of this router that somebody wrote as JSON. One in the middle of a sentence is spoken of.
fn verdicts(text: &str) -> Vec<(Range<usize>, Sure)> {
    let mut out: Vec<(Range<usize>, Sure)> = Vec::new();
    let mut from = 0;
    for _ in 0..MOST {
        let Some(at) = text[from..].find('{').map(|at| from + at) else { break };
        let Some(end) = object(&text[at..]).map(|len| at + len) else {
            from = at + 1;
            continue;
        };
        from = end;
        let is_verdict = serde_json::from_str(&text[at..end]).is_ok_and(|object| decides(&object));
        if is_verdict && !in_sentence(text, at..end) {
            out.push((at..end, Sure::Beside));
        }
    }
    out
}

/// The length of the object that a text begins with.
fn object(text: &str) -> Option<usize> {
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate().take(LONGEST) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'{' => depth += 1,
            b'}' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// Returns whether an object has the keys of a decision and no others.
fn decides(object: &serde_json::Map<String, serde_json::Value>) -> bool {
    let named = object.keys().any(|key| is_verdict(key));
    let known = |key: &String| is_verdict(key) || is_beside(key);
    let call = object.contains_key("name") && object.contains_key("arguments");
    (named || call) && object.keys().all(known)
}

fn is_verdict(key: &str) -> bool {
    TABLE.verdict.contains(&key.to_lowercase())
}

fn is_beside(key: &str) -> bool {
    TABLE.beside.contains(&key.to_lowercase())
}

/// Returns whether words stand on both sides of a part in its line.
fn in_sentence(text: &str, part: Range<usize>) -> bool {
    let word = |c: char| c.is_alphanumeric();
    let before = text[..part.start].chars().rev().take_while(|c| *c != '\n').take(LONGEST);
    let after = text[part.end..].chars().take_while(|c| *c != '\n').take(LONGEST);
    before.into_iter().any(word) && after.into_iter().any(word)
}

/// Lines that are nothing but settings of a decision: "route: code", "route=explain confidence=1".
fn settings(text: &str) -> Vec<(Range<usize>, Sure)> {
    let is_setting = |line: &str| {
        let mut keys = line.split([':', '=', '：']).map(|part| part.trim().rsplit(' ').next());
        let sets = line.contains([':', '=', '：']);
        // Behind the last sign stands a value, and before each other one a key.
        let count = line.matches([':', '=', '：']).count();
        let known = |key: Option<&str>| key.is_some_and(|key| is_verdict(key) || is_beside(key));
        let first = line.split([':', '=', '：']).next().is_some_and(|key| is_verdict(key.trim()));
        let value =
            line.rsplit([':', '=', '：']).next().is_some_and(|value| !value.trim().contains(' '));
        sets && first && value && keys.by_ref().take(count).all(known)
    };
    lines(text)
        .filter(|(_, line)| is_setting(line))
        .map(|(bytes, _)| (bytes, Sure::Beside))
        .collect()
}

/// Words that dismiss what the assistant was told ("ignore all previous instructions"), or that name
/// one of the pack's routes as a route ("use the code route"). What stands behind them in the sentence
/// may be the request, and stays.
fn told(text: &str, routes: &[String]) -> Vec<(Range<usize>, Sure)> {
    let mut out: Vec<(Range<usize>, Sure)> = Vec::new();
    let mut from = 0;
    for (at, _) in text.char_indices() {
        if at < from || !begins_word(text, at) {
            continue;
        }
        let dismissed =
            || word(&text[at..], &TABLE.dismiss).and_then(|verb| dismissal(text, at + verb));
        let chosen =
            || word(&text[at..], &TABLE.choose).and_then(|verb| choice(text, at + verb, routes));
        let Some(end) = dismissed().or_else(chosen) else { continue };
        from = end;
        out.push((at..end, Sure::Beside));
    }
    out
}

/// The most characters between a verb and what it is about.
const APART: usize = 40;

/// The places where words begin behind a verb, in its clause.
fn words_behind(text: &str, verb: usize) -> impl Iterator<Item = usize> {
    let clause = text[verb..].char_indices().take(APART).take_while(|(_, c)| !is_stop(*c));
    clause.map(move |(away, _)| verb + away).filter(|at| begins_word(text, *at))
}

/// Where the words end that a verb dismisses, with those that say which.
fn dismissal(text: &str, verb: usize) -> Option<usize> {
    let noun = |at: usize| Some(at + word(&text[at..], &TABLE.dismissed)?);
    let mut end = words_behind(text, verb).find_map(noun)?;
    while let Some(more) = next(text, end, &TABLE.of_before) {
        end = more;
    }
    Some(end)
}

/// Where the words end by which a verb chooses a route: its name beside the word for a route.
fn choice(text: &str, verb: usize, routes: &[String]) -> Option<usize> {
    let pair = |at: usize| {
        let (first, second) = match word(&text[at..], &TABLE.route) {
            Some(first) => (first, routes),
            None => (word(&text[at..], routes)?, TABLE.route.as_slice()),
        };
        next(text, at + first, second)
    };
    words_behind(text, verb).find_map(pair)
}

/// Where one of some phrases ends that stands next.
fn next(text: &str, from: usize, phrases: &[String]) -> Option<usize> {
    let rest = text[from..].trim_start_matches(' ');
    let at = text.len() - rest.len();
    Some(at + word(rest, phrases)?)
}

/// Returns whether a word may begin at `at`; in Chinese one may begin anywhere.
fn begins_word(text: &str, at: usize) -> bool {
    let joins = |c: char| c.is_alphanumeric() && !is_han(c);
    !text[..at].ends_with(joins) && text[at..].starts_with(char::is_alphanumeric)
}

/// The bytes of the longest of some phrases that a text begins with as a word.
fn word(text: &str, phrases: &[String]) -> Option<usize> {
    let fits = |phrase: &&String| {
        let mut letters = text.chars().flat_map(char::to_lowercase);
        phrase.chars().all(|letter| letters.next() == Some(letter))
    };
    let len = |phrase: &String| text.chars().take(phrase.chars().count()).map(char::len_utf8).sum();
    let ends = |len: &usize| {
        let joins = |c: char| c.is_alphanumeric() && !is_han(c);
        text[..*len].ends_with(is_han) || !text[*len..].starts_with(joins)
    };
    phrases.iter().filter(fits).map(len).filter(ends).max()
}

fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9fff}')
}

/// Returns whether a character ends a clause.
fn is_stop(c: char) -> bool {
    ".!?;:,\n。！？；：，、".contains(c)
}

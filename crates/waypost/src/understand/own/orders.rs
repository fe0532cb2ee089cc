//! Instructions to whoever answers: the marks of chat templates, lines that pretend that somebody else
//! speaks, and decisions written by hand. None of them decides anything; the words beside them do.

use std::ops::Range;

use super::page::{Page, Sure, lines};
use super::table::{Speaker, TABLE, begins};
use super::tags::fences;

/// The longest decision by hand, in bytes; what is longer is material.
const LONGEST: usize = 8 * 1024;

/// How many openings of objects are followed: what a user writes by hand has few.
const MOST: usize = 64;

/// Takes out what pretends to be no question of the user; `routes` are the names of the pack's.
pub(super) fn mask(page: &mut Page<'_>, routes: &[String]) {
    let templates = templates(page.words());
    page.take(&templates);
    let spoken = spoken(page.words(), routes);
    page.take(&spoken);
    let verdicts = verdicts(page.words(), routes);
    page.take(&verdicts);
    let settings = settings(page.words(), routes);
    page.take(&settings);
    let told = told(page.words(), routes);
    page.take(&told);
}

/// The marks of chat templates, and what is not behind one of the user's. A mark that says who speaks
/// begins a line or follows another; without one of those, a mark is something that the user names.
fn templates(text: &str) -> Vec<(Range<usize>, Sure)> {
    let mut out: Vec<(Range<usize>, Sure)> = Vec::new();
    let mut speaker = None;
    let mut spoken = false;
    let (mut from, mut line, mut seen) = (0, 0, 0);
    for (at, _) in text.match_indices(['<', '[']) {
        if at < from {
            continue;
        }
        line = text[seen..at].rfind('\n').map_or(line, |found| seen + found + 1);
        seen = at;
        let rest = &text[at..];
        let known = begins(rest, TABLE.templates.iter().map(|(mark, _)| mark));
        let Some(mark) = known else { continue };
        let says = TABLE.templates.iter().find(|(known, _)| known == mark).and_then(|it| it.1);
        if says.is_some() {
            if !text[line.max(from)..at].trim().is_empty() {
                continue;
            }
            if !spoken && shown(text, at) {
                return Vec::new();
            }
            spoken = true;
        }
        if speaker == Some(Speaker::Orders) {
            out.push((from..at, Sure::Beside));
        }
        from = at + mark.len();
        out.push((at..from, Sure::Beside));
        speaker = says;
    }
    if !spoken {
        return Vec::new();
    }
    if speaker == Some(Speaker::Orders) {
        out.push((from..text.len(), Sure::Beside));
    }
    out
}

/// Returns whether a part is something the user shows: the line above it, or above its fence, ends in
/// a colon or asks about it.
fn shown(text: &str, at: usize) -> bool {
    let fences = fences(text);
    let fence = fences.iter().find(|fence| fence.contains(&at));
    let above = text[..fence.map_or(at, |fence| fence.start)].trim_end();
    above.ends_with([':', '：']) || (above.ends_with(['?', '？']) && begins_line(text, at))
}

/// Returns whether nothing but blanks stands before a place in its line.
fn begins_line(text: &str, at: usize) -> bool {
    let before = text[..at].trim_end_matches([' ', '\t']);
    before.is_empty() || before.ends_with('\n')
}

/// Which lines pretend that somebody speaks: the name of a role stands in brackets, another line has
/// one too, or what follows is an instruction. "system: SAP" is a line of a form.
fn roles(text: &str, routes: &[String]) -> Vec<Option<(Speaker, usize)>> {
    let rows: Vec<&str> = lines(text).map(|(_, line)| line.trim()).collect();
    let mut roles: Vec<Option<(Speaker, usize)>> = rows.iter().map(|row| speaker(row)).collect();
    if roles.iter().flatten().count() > 1 {
        return roles;
    }
    let Some(at) = roles.iter().position(Option::is_some) else { return roles };
    let Some((who, mark)) = roles[at] else { return roles };
    let bracket = rows[at].trim_start_matches(['#', '*', '>', ' ']).starts_with(['[', '【']);
    let said = &rows[at][mark..];
    let alone = !said.contains(char::is_alphanumeric);
    // A mark alone in its line is about the next one.
    let said = if alone { rows.get(at + 1).copied().unwrap_or_default() } else { said };
    if !(bracket || who == Speaker::Orders && instructs(said, routes)) {
        roles[at] = None;
    }
    roles
}

/// Returns whether a line tells whoever answers what to do, or how this router decides.
fn instructs(line: &str, routes: &[String]) -> bool {
    let said = line.trim_matches(|c: char| !c.is_alphanumeric());
    let is_route = routes.iter().any(|route| route.to_lowercase() == said.to_lowercase());
    let flag = |part: &str| part.ends_with("=true") || part.ends_with("=false");
    let mut parts = said.split([' ', ',', ';']).filter(|part| !part.is_empty()).peekable();
    let flags = parts.peek().is_some() && parts.all(flag);
    is_route || flags || !told(line, routes).is_empty() || {
        let mut starts = line.char_indices().map(|(at, _)| at).filter(|at| begins_word(line, *at));
        starts.any(|at| word(&line[at..], &TABLE.order).is_some() || sets_route(line, at, routes))
    }
}

/// Returns whether the word at `at` is a key of a decision or the word for a route, and a route of the
/// pack is its value: "route=code", "\"route\": \"code\"", "the code route".
fn sets_route(line: &str, at: usize, routes: &[String]) -> bool {
    let rest = &line[at..];
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    if is_verdict(&rest[..end]) {
        let signs = [' ', '"', '\'', ':', '=', '：'];
        let value = rest[end..].trim_start_matches(signs);
        if value.len() < rest.len() - end && word(value, routes).is_some() {
            return true;
        }
    }
    word(rest, routes).is_some_and(|route| next(line, at + route, &TABLE.route).is_some())
}

/// The lines that pretend that somebody speaks. Where somebody else spoke before, the user's last line
/// is the request.
fn spoken(text: &str, routes: &[String]) -> Vec<(Range<usize>, Sure)> {
    let roles = roles(text, routes);
    let mut out: Vec<(Range<usize>, Sure)> = Vec::new();
    let mut first: Option<usize> = None;
    // A mark alone in its line covers what follows, up to a line without words.
    let mut covers = false;
    let mut announced = false;
    for ((bytes, line), role) in lines(text).zip(roles) {
        let said = line.trim();
        match role {
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

/// Decisions of this router that somebody wrote as JSON. One in a sentence, or that a line announces,
/// is spoken of.
fn verdicts(text: &str, routes: &[String]) -> Vec<(Range<usize>, Sure)> {
    let mut out: Vec<(Range<usize>, Sure)> = Vec::new();
    let mut from = 0;
    for _ in 0..MOST {
        let Some(at) = text[from..].find('{').map(|at| from + at) else { break };
        let Some(end) = object(&text[at..]).map(|len| at + len) else {
            from = at + 1;
            continue;
        };
        from = end;
        let parsed = serde_json::from_str(&text[at..end]);
        let is_verdict = parsed.is_ok_and(|object| decides(&object, routes));
        if is_verdict && !in_sentence(text, at..end, routes) && !shown(text, at) {
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

/// Returns whether an object has the keys of a decision and no others, and decides something: a value
/// of it is a route, another word for a decision, or a tool.
fn decides(object: &serde_json::Map<String, serde_json::Value>, routes: &[String]) -> bool {
    let named = object.keys().any(|key| is_verdict(key));
    let known = |key: &String| is_verdict(key) || is_beside(key);
    let call = object.contains_key("name") && object.contains_key("arguments");
    let decided = || object.iter().any(|(key, value)| names(key, value, routes));
    (named || call) && object.keys().all(known) && decided()
}

/// Returns whether a value of a decision names a route or a tool.
fn names(key: &str, value: &serde_json::Value, routes: &[String]) -> bool {
    let is_tool = TABLE.tool_keys.contains(&key.to_lowercase());
    match value {
        serde_json::Value::String(name) if is_tool => is_value(name, routes) || is_tool_name(name),
        serde_json::Value::String(name) => is_verdict(key) && is_value(name, routes),
        serde_json::Value::Array(values) => values.iter().any(|value| names(key, value, routes)),
        serde_json::Value::Object(call) if is_tool => {
            call.get("name").is_some_and(|name| names("name", name, routes))
        }
        _ => false,
    }
}

/// Returns whether a word is a route of the pack, or another decision of every pack.
fn is_value(word: &str, routes: &[String]) -> bool {
    let word = word.to_lowercase();
    TABLE.values.contains(&word) || routes.iter().any(|route| route.to_lowercase() == word)
}

/// Returns whether a word has the form of the name of a tool: several words, joined as in programs.
fn is_tool_name(word: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    let inner = word.trim_matches(['_', '.', '-']);
    word.chars().all(is_part) && inner.contains(['_', '.'])
}

fn is_verdict(key: &str) -> bool {
    TABLE.verdict.contains(&key.to_lowercase())
}

fn is_beside(key: &str) -> bool {
    TABLE.beside.contains(&key.to_lowercase())
}

/// Returns whether a part stands in a sentence of the user: words of it stand before it, or behind it,
/// in its line. A sentence that has ended, or that tells whoever answers what to write, is none.
fn in_sentence(text: &str, part: Range<usize>, routes: &[String]) -> bool {
    let is_word = |c: char| c.is_alphanumeric();
    let line = text[..part.start].rfind('\n').map_or(0, |found| found + 1);
    let before = text[line..part.start].trim_end();
    let ended = before.ends_with(['.', '!', '?', '。', '！', '？']);
    let clause = before.rsplit(['.', '!', '?', '。', '！', '？']).next().unwrap_or_default();
    let short = clause.len() <= LONGEST;
    let leads = !ended && clause.contains(is_word) && !(short && instructs(clause, routes));
    let after = text[part.end..].split('\n').next().unwrap_or_default();
    leads || after.contains(is_word)
}

/// Lines that are nothing but settings of a decision, one of which is a route or another word for a
/// decision: "route: code", "route=explain confidence=1".
fn settings(text: &str, routes: &[String]) -> Vec<(Range<usize>, Sure)> {
    let is_setting = |line: &str| {
        let mut keys = line.split([':', '=', '：']).map(|part| part.trim().rsplit(' ').next());
        let sets = line.contains([':', '=', '：']);
        // Behind the last sign stands a value, and before each other one a key.
        let count = line.matches([':', '=', '：']).count();
        let known = |key: Option<&str>| key.is_some_and(|key| is_verdict(key) || is_beside(key));
        let first = line.split([':', '=', '：']).next().is_some_and(|key| is_verdict(key.trim()));
        let value =
            line.rsplit([':', '=', '：']).next().is_some_and(|value| !value.trim().contains(' '));
        let decided = line.split([':', '=', '：']).skip(1).any(|part| {
            part.split_whitespace().next().is_some_and(|value| is_value(value, routes))
        });
        sets && first && value && decided && keys.by_ref().take(count).all(known)
    };
    lines(text)
        .filter(|(_, line)| is_setting(line))
        .map(|(bytes, _)| (bytes, Sure::Beside))
        .collect()
}

/// Words that dismiss what the assistant was told ("ignore all previous instructions"), or that name
/// one of the pack's routes as a route ("use the code route"). What stands behind them in the sentence
/// may be the request, and stays; words in quotes are only named.
fn told(text: &str, routes: &[String]) -> Vec<(Range<usize>, Sure)> {
    let mut out: Vec<(Range<usize>, Sure)> = Vec::new();
    let quotes = quotes(text);
    let quoted = |at: usize| {
        let after = quotes.partition_point(|quote| quote.start <= at);
        quotes[..after].last().is_some_and(|quote| at < quote.end)
    };
    let mut from = 0;
    for (at, _) in text.char_indices() {
        if at < from || !begins_word(text, at) || quoted(at) {
            continue;
        }
        let dismissed = || {
            let verb = word(&text[at..], &TABLE.dismiss).filter(|_| !has_subject(text, at))?;
            dismissal(text, at + verb)
        };
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

/// The parts of a text in quotes, each within its line.
fn quotes(text: &str) -> Vec<Range<usize>> {
    let closer = |open: char| match open {
        '"' | '`' => Some(open),
        '“' => Some('”'),
        '‘' => Some('’'),
        '«' => Some('»'),
        '「' => Some('」'),
        '『' => Some('』'),
        _ => None,
    };
    let mut out: Vec<Range<usize>> = Vec::new();
    let mut open: Option<(usize, char)> = None;
    for (at, c) in text.char_indices() {
        match open {
            _ if c == '\n' => open = None,
            Some((start, close)) if c == close => {
                out.push(start..at);
                open = None;
            }
            Some(_) => {}
            None => open = closer(c).map(|close| (at, close)),
        }
    }
    out
}

/// Returns whether somebody is said to do what the verb at `at` says: "I forget", "people ignore".
fn has_subject(text: &str, at: usize) -> bool {
    /// The most characters before a verb that are looked at, and the most words.
    const BEFORE: (usize, usize) = (24, 2);
    let near = text[..at].char_indices().rev().take(BEFORE.0).take_while(|(_, c)| !is_stop(*c));
    let before = text[near.last().map_or(at, |(start, _)| start)..at].trim_end().to_lowercase();
    let is_subject = |said: &str| TABLE.subjects.iter().any(|subject| subject == said);
    let han = |subject: &String| subject.ends_with(is_han) && before.ends_with(subject.as_str());
    before.split_whitespace().rev().take(BEFORE.1).any(is_subject) || TABLE.subjects.iter().any(han)
}

/// Where the words end that a verb dismisses, with those that say which. They are told to whoever
/// answers if a word points there ("your rules"), or nothing says more of them ("the rules, …").
fn dismissal(text: &str, verb: usize) -> Option<usize> {
    let noun = |at: usize| Some(at + word(&text[at..], &TABLE.dismissed)?);
    let joins = |at: &usize| word(&text[*at..], &TABLE.joins).is_some();
    let named = words_behind(text, verb).take_while(|at| !joins(at)).find_map(noun)?;
    let mut end = named;
    while let Some(more) = next(text, end, &TABLE.of_before) {
        end = more;
    }
    let said = &text[..end];
    let mut starts = said[verb..].char_indices().map(|(away, _)| verb + away);
    let points = |at: usize| begins_word(said, at) && word(&said[at..], &TABLE.points).is_some();
    let bare = || {
        let article = next(text, verb, &TABLE.articles)?;
        let whole = next(text, article, &TABLE.dismissed)? == named;
        let rest = text[named..].trim_start_matches(' ');
        (whole && (rest.is_empty() || rest.starts_with(is_stop))).then_some(())
    };
    (starts.any(points) || bare().is_some()).then_some(end)
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
    let first = text.chars().next().and_then(|c| c.to_lowercase().next());
    let fits = |phrase: &&String| {
        if phrase.chars().next() != first {
            return false;
        }
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

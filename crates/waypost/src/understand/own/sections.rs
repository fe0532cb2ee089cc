//! Context without tags: sections below headings, stretches between marks, paragraphs and brackets.

use std::ops::Range;

use super::page::{Page, Sure, lines};
use super::table::{TABLE, begins, is_note};

/// Takes out what headings and marks of agent programs announce.
pub(super) fn strip(page: &mut Page<'_>) {
    let marked = marked(page.words());
    page.take(&marked);
    let headed = headed(page.words());
    page.take(&headed);
    let listed = listings(page.words());
    page.take(&listed);
}

/// Stretches, paragraphs and brackets, in the order of the text.
fn marked(text: &str) -> Vec<(Range<usize>, Sure)> {
    let mut out: Vec<(Range<usize>, Sure)> = Vec::new();
    // What the open part waits for: the beginning of its last line, or a line without words.
    let mut open: Option<Until> = None;
    for (bytes, line) in lines(text) {
        let said = line.trim_start();
        let extend = |out: &mut Vec<(Range<usize>, Sure)>| {
            if let Some((last, _)) = out.last_mut() {
                last.end = bytes.end;
            }
        };
        match open {
            Some(Until::Line(ends)) => {
                extend(&mut out);
                if begins(said, ends.iter()).is_some() {
                    open = None;
                }
                continue;
            }
            Some(Until::Blank) if !said.is_empty() && !is_note(said) => {
                extend(&mut out);
                continue;
            }
            _ => open = None,
        }
        let opens =
            || TABLE.stretches.iter().find(|(from, _)| begins(said, [from].into_iter()).is_some());
        if let Some((_, ends)) = opens() {
            open = Some(Until::Line(ends));
        } else if is_note(said) {
            open = Some(Until::Blank);
        }
        match open {
            Some(_) => out.push((bytes, Sure::Known)),
            None => brackets(&bytes, line, &mut out),
        }
    }
    out
}

/// Where a part without tags ends.
#[derive(Debug, Clone, Copy)]
enum Until<'a> {
    /// At a line that begins so, else at the end of the text.
    Line(&'a [String]),
    /// At a line without words.
    Blank,
}

/// The brackets of a line that a program put there.
fn brackets(line: &Range<usize>, text: &str, out: &mut Vec<(Range<usize>, Sure)>) {
    for (at, open) in text.match_indices(['[', '(']) {
        let close = if open == "[" { ']' } else { ')' };
        let rest = &text[at..];
        if begins(rest, TABLE.brackets.iter()).is_some() {
            let end = rest.find(close).map_or(rest.len(), |end| end + 1);
            out.push((line.start + at..line.start + at + end, Sure::Known));
        }
    }
}

/// What stands above the heading of a request, and below a heading of context.
fn headed(text: &str) -> Vec<(Range<usize>, Sure)> {
    let mut asks = None;
    let mut tells = None;
    let mut task = None;
    for (bytes, line) in lines(text) {
        let heading = line.trim_start_matches('#');
        if heading.len() == line.len() {
            continue;
        }
        let heading = heading.trim_start();
        let alone = heading.trim_end().ends_with(':');
        if begins(heading, TABLE.asks.iter()).is_some() && alone {
            asks = Some(bytes.end);
        } else if begins(heading, TABLE.tells.iter()).is_some() && tells.is_none() {
            tells = Some(bytes);
        } else if begins(heading, TABLE.task.iter()).is_some() && alone && task.is_none() {
            task = text[..bytes.start].trim().is_empty().then_some(bytes.start);
        }
    }
    if let Some(request) = asks {
        return vec![(0..request, Sure::Known)];
    }
    let below = tells.map(|heading| (told(text, heading), Sure::Known));
    let task = task.and_then(|start| Some((start..behind_blocks(text)?, Sure::Known)));
    below.or(task).into_iter().collect()
}

/// The section of a heading: a block below it is out already and ends it, else it goes to the end.
fn told(text: &str, heading: Range<usize>) -> Range<usize> {
    /// The blanks of a block that is out: a line of them is longer than an indentation.
    const OUT: usize = 12;
    let below = &text[heading.end..];
    let blank = below.len() - below.trim_start().len();
    if below[..blank].len() > OUT { heading } else { heading.start..text.len() }
}

/// Where the last line that a block left blank ends.
fn behind_blocks(text: &str) -> Option<usize> {
    let blank = |line: &str| line.len() > 1 && line.trim().is_empty();
    let last = lines(text).filter(|(_, line)| blank(line)).last()?.0.end;
    text[last..].contains(char::is_alphanumeric).then_some(last)
}

/// Files that a program lists: a path and a fence below it, or a fence that names a path. A file
/// that the line above announces or asks about is the user's.
fn listings(text: &str) -> Vec<(Range<usize>, Sure)> {
    let mut out: Vec<(Range<usize>, Sure)> = Vec::new();
    let mut above: Option<(Range<usize>, &str)> = None;
    let mut announced = false;
    let mut open: Option<Option<Range<usize>>> = None;
    for (bytes, line) in lines(text) {
        let fence = line.trim_start().strip_prefix("```");
        match (open.take(), fence) {
            (Some(start), Some(_)) => {
                out.extend(start.map(|start| (start.start..bytes.end, Sure::Beside)));
                above = None;
            }
            (Some(start), None) => open = Some(start),
            (None, Some(info)) => {
                let titled = above.take().filter(|(_, title)| is_path(title));
                let start = titled.map(|(title, _)| title.start..bytes.end);
                let start = start.or_else(|| is_path(info).then(|| bytes.clone()));
                open = Some(start.filter(|_| !announced));
            }
            (None, None) if line.trim().is_empty() => above = None,
            (None, None) => {
                let title = is_path(line);
                let announces = line.trim_end().ends_with([':', '：', '?', '？']);
                announced = if title { announced } else { announces };
                above = title.then(|| (bytes.clone(), line));
            }
        }
    }
    out
}

/// Returns whether a line is nothing but the path of a file.
fn is_path(line: &str) -> bool {
    let line = line.trim();
    let name = line.rsplit(['/', '\\']).next().unwrap_or_default();
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let is_extension =
        (1..=8).contains(&extension.len()) && extension.chars().all(|c| c.is_ascii_alphanumeric());
    is_extension && line.len() > extension.len() + 1 && !line.contains(char::is_whitespace)
}

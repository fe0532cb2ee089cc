//! The stretches of a text that may stand in an argument as they are: quotations, the objects of
//! verbs, names by their capitals, and words beside those of an argument.

use waypost_core::text_match::{find_word, is_han};
use waypost_text::extract::{Kind, Object, ObjectClass, Operator, Reading, Role};
use waypost_text::text::{Span, Spans};

use super::matchers::Wanted;
use super::{cues, roles, scope};
use crate::pack::suggest::words_of;
use crate::understand::Turn;
use crate::understand::mention::Stance;

/// A stretch of the text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Phrase {
    pub(super) span: Span,
    pub(super) words: String,
}

impl Phrase {
    pub(super) fn new(span: Span, words: &str) -> Self {
        Self { span, words: words.to_owned() }
    }
}

/// The most stretches of one sort that are looked at.
const MOST: usize = 16;

/// Returns whether a stretch is about this call, meant, and not taken by another argument.
pub(super) fn is_free(wanted: &Wanted<'_>, span: Span) -> bool {
    scope::is_here(wanted.draft, span)
        && wanted.turn.said.stance(span) == Stance::Said
        && !wanted.used.iter().any(|used| used.overlaps(span))
}

/// The words in quotation marks.
pub(super) fn quoted(wanted: &Wanted<'_>) -> Vec<Phrase> {
    let quoted = wanted.turn.said.values.iter().filter(|value| value.kind == Kind::Quoted);
    let free = quoted.filter(|value| is_free(wanted, value.span));
    let phrases = free.filter_map(|value| match &value.reading {
        Reading::Text(words) => Some(Phrase::new(value.span, words)),
        _ => None,
    });
    phrases.take(MOST).collect()
}

/// Stretches that may fill an argument.
#[derive(Debug)]
pub(super) enum Chosen {
    /// Nothing.
    None,
    /// This one.
    One(Phrase),
    /// One of these, and the words do not say which, or not for which argument.
    Unsure(Vec<Phrase>),
}

/// Chooses among stretches: by the roles that the words give them, by the words of the argument that stand near, or because there
/// is no other argument for them. `rivals` are the arguments that might take them, this one among them.
pub(super) fn choose(wanted: &Wanted<'_>, mut phrases: Vec<Phrase>, rivals: &[&str]) -> Chosen {
    let role = roles::of_argument(wanted.tool, wanted.name, rivals);
    let object = rivals
        .iter()
        .find(|name| roles::of_argument(wanted.tool, name, rivals) == Some(Role::Object));
    let agreement = |phrase: &Phrase| {
        let own = roles::of_value(wanted.turn, phrase.span);
        let of_other = own == Some(Role::Object) && object.is_some_and(|name| *name != wanted.name);
        if of_other { None } else { roles::agreement(own, role) }
    };
    phrases.retain(|phrase| agreement(phrase).is_some());
    let spans: Vec<Span> = phrases.iter().map(|phrase| phrase.span).collect();
    let score = |phrase: &Phrase| {
        let near = cues::nearest(wanted.turn, wanted.tool, wanted.name, phrase.span, &spans);
        near + agreement(phrase).unwrap_or(0.0)
    };
    let best = phrases.iter().map(score).fold(0.0, f64::max);
    let told: Vec<Phrase> =
        phrases.iter().filter(|phrase| best >= TOLD && score(phrase) >= best).cloned().collect();
    let alone = rivals.iter().all(|rival| {
        *rival == wanted.name || !wanted.tool.requires(rival) && wanted.tool.requires(wanted.name)
    });
    match (&told[..], &phrases[..], alone) {
        ([only], _, _) | ([], [only], true) => Chosen::One(only.clone()),
        ([], [], _) => Chosen::None,
        // Two are left for two, or one for two: nobody guesses, and only what is needed is asked for.
        _ if wanted.tool.requires(wanted.name) => Chosen::Unsure(phrases),
        _ => Chosen::None,
    }
}

/// The least score at which words speak for an argument.
const TOLD: f64 = 1.0;

/// The whole text as the answer to the question for this very argument.
pub(super) fn answer(wanted: &Wanted<'_>, most_words: usize) -> Option<Phrase> {
    let turn = wanted.turn;
    // "Not app12" is no name, and a sentence may say "not".
    let is_name = !matches!(wanted.annotation.kind, None | Some(Kind::Text | Kind::Quoted));
    let says = |operator| turn.said.discourse.says(operator);
    let is_other = says(Operator::Question) || is_name && says(Operator::Not);
    if !turn.asks_for(wanted.tool, wanted.name) || is_other {
        return None;
    }
    let end = turn.said.text.original().chars().count();
    let all = Span { start: introduced(wanted).unwrap_or(0), end };
    let words = turn.said.text.slice(all).trim().trim_end_matches(['.', '!', '。', '！', ',']);
    let few = words.split_whitespace().count() <= most_words;
    let is_said = few && words.chars().any(char::is_alphanumeric);
    (is_said && is_free(wanted, all)).then(|| Phrase::new(all, words))
}

/// Where an answer begins that is introduced: at "rope" in "the subject is rope" and, for a name, in "call it rope".
fn introduced(wanted: &Wanted<'_>) -> Option<usize> {
    let turn = wanted.turn;
    let words = words(turn);
    let lower = |word: &Word<'_>| word.text.to_lowercase();
    let is_own = |word: &Word<'_>| wanted.tool.cues(wanted.name).contains(&lower(word));
    // A message may begin with "it is" itself.
    let is_name = wanted.annotation.kind != Some(Kind::Text);
    let opens = |word: &&Word<'_>| {
        let known = || OPENING.contains(&lower(word).as_str());
        leads(turn, word) || is_own(word) || is_name && known()
    };
    let links = |word: &Word<'_>| COPULAS.contains(&lower(word).as_str());
    let opening = words.iter().take(6).take_while(|word| opens(word) || links(word));
    let at = opening.count().checked_sub(1)?;
    let (last, next) = (&words[at], words.get(at + 1)?);
    let between = turn.said.text.slice(Span { start: last.span.end, end: next.span.start });
    let marked = is_own(last) && between.contains([':', '=']);
    let called = is_name && CALLING.contains(&lower(last).as_str())
        || is_name && at > 0 && lower(last) == "it";
    let is_told = links(last) && (is_name || words[..at].iter().any(is_own));
    (marked || called || is_told).then_some(next.span.start)
}

/// Words that stand between a name and what it is.
const COPULAS: [&str; 12] =
    ["is", "are", "be", "it's", "es", "son", "est", "ist", "é", "là", "adalah", "llama"];
/// Words that may stand before those, or before a name.
const OPENING: [&str; 12] =
    ["it", "that", "this", "should", "name", "one", "with", "id", "se", "call", "called", "named"];
/// Words right before a name.
const CALLING: [&str; 3] = ["called", "named", "id"];

/// A word of the text with its place.
pub(super) struct Word<'a> {
    pub(super) span: Span,
    pub(super) text: &'a str,
    /// True if punctuation stands behind it.
    pub(super) ends: bool,
}

/// The pieces of a text that end with a space, or where Han begins or ends: "main" of 從main新建.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let spaced = text.split_inclusive(char::is_whitespace);
    spaced.flat_map(|piece| {
        let mut last: Option<bool> = None;
        let cuts: Vec<usize> = piece
            .char_indices()
            .filter(|(_, c)| c.is_alphanumeric())
            .filter_map(|(at, c)| {
                let turns = last.is_some_and(|last| last != is_han(c));
                last = Some(is_han(c));
                turns.then_some(at)
            })
            .collect();
        let starts = std::iter::once(0).chain(cuts.clone());
        let ends = cuts.into_iter().chain([piece.len()]);
        let pieces: Vec<&str> =
            starts.zip(ends).filter_map(|(start, end)| piece.get(start..end)).collect();
        pieces
    })
}

/// The words of a text between spaces, punctuation around them left out.
pub(super) fn words<'a>(turn: &'a Turn<'_>) -> Vec<Word<'a>> {
    let mut words = Vec::new();
    let mut at = 0;
    for piece in pieces(turn.said.text.original()) {
        let length = piece.chars().count();
        let is_mark = |c: char| {
            c.is_whitespace()
                || !c.is_alphanumeric() && !matches!(c, '_' | '-' | '/' | '.' | '\'' | '’')
                || is_edge(c)
        };
        let bare = piece.trim_start_matches(is_mark);
        let start = at + piece.chars().count() - bare.chars().count();
        let bare = bare.trim_end_matches(is_mark).trim_end_matches("'s").trim_end_matches("’s");
        if !bare.is_empty() {
            let end = start + bare.chars().count();
            let ends = piece.trim_end().ends_with([',', ';', '.', '?', '!', ':']);
            words.push(Word { span: Span { start, end }, text: bare, ends });
        }
        at += length;
        if words.len() >= MOST_WORDS {
            break;
        }
    }
    words
}

/// The runs of letters, digits and the signs that codes have in them, each with its place.
pub(super) fn codes<'a>(turn: &'a Turn<'_>) -> Vec<(Span, &'a str)> {
    let is_part = |c: char| {
        c.is_alphanumeric() && !is_han(c) || matches!(c, '_' | '-' | ':' | '.' | '/' | '@' | '#')
    };
    let is_sign = |c: char| !c.is_alphanumeric();
    let mut at = 0;
    let runs = turn.said.text.original().split_inclusive(|c| !is_part(c)).map(move |piece| {
        let start = at;
        at += piece.chars().count();
        let run = piece.trim_end_matches(|c| !is_part(c));
        let bare = run.trim_start_matches(is_sign);
        let start = start + run.chars().count() - bare.chars().count();
        let bare = bare.trim_end_matches(is_sign);
        (Span { start, end: start + bare.chars().count() }, bare)
    });
    runs.filter(|(span, _)| span.start < span.end).take(MOST_WORDS).collect()
}

/// A word that a comma or an "and" joins to the items of a list.
pub(super) struct Joined<'a> {
    pub(super) span: Span,
    pub(super) text: &'a str,
    /// True if nothing goes on behind it.
    pub(super) is_last: bool,
}

/// The words that are joined to items, one after the other, and are no values.
pub(super) fn joined<'a>(turn: &'a Turn<'_>, items: &[Span]) -> Vec<Joined<'a>> {
    let words = words(turn);
    let mut spans = items.to_vec();
    let mut joined: Vec<Joined<'a>> = Vec::new();
    while joined.len() < MOST {
        let free = |word: &&Word<'a>| {
            !spans.iter().any(|span| span.overlaps(word.span)) && !is_value(turn, word.span)
        };
        let touches = |word: &&Word<'a>| {
            spans.iter().any(|span| {
                let (one, two) = (word.span.min(*span), word.span.max(*span));
                one.end <= two.start && is_joined(turn, Span { start: one.end, end: two.start })
            })
        };
        let names = |word: &&Word<'a>| word.text.chars().any(char::is_alphabetic);
        let Some(at) = words
            .iter()
            .position(|word| names(&word) && free(&word) && touches(&word) && !leads(turn, word))
        else {
            break;
        };
        let Word { span, text, ends } = words[at];
        let is_last = ends || words.get(at + 1).is_none();
        joined.push(Joined { span, text, is_last });
        spans.push(span);
    }
    joined
}

/// The words of a list that stands right behind a word of the argument: "merge the branches main and dev". Empty where it does
/// not end where the sentence or another value begins.
pub(super) fn enumerated(wanted: &Wanted<'_>) -> Vec<Phrase> {
    let turn = wanted.turn;
    let words = words(turn);
    let text = turn.said.text.normalized();
    let joins = |word: &Word<'_>| {
        let mut marks = turn.said.discourse.marks.iter();
        marks.any(|mark| mark.operator == Operator::And && mark.span.contains(word.span))
    };
    for cue in wanted.tool.cues(wanted.name).iter() {
        let Some(at) = find_word(text, cue) else { continue };
        let cue = turn.said.text.span(at, at + cue.len());
        let behind = words.iter().skip_while(|word| word.span.start < cue.end);
        let behind: Vec<&Word<'_>> = behind.filter(|word| !joins(word)).take(MOST).collect();
        let mut items: Vec<Phrase> = Vec::new();
        let mut is_last = false;
        for (at, word) in behind.iter().enumerate() {
            if is_value(turn, word.span) || leads(turn, word) || !is_free(wanted, word.span) {
                break;
            }
            items.push(Phrase::new(word.span, word.text));
            let next = behind.get(at + 1).filter(|_| !ends_sentence(turn, word));
            is_last = next.is_none();
            let Some(next) = next else { break };
            if !is_joined(turn, Span { start: word.span.end, end: next.span.start }) {
                let ends = is_value(turn, next.span) || leads(turn, next);
                if !ends {
                    items.clear();
                }
                break;
            }
        }
        // "With the tag shy": one word alone must be no other part of the sentence.
        let alone = |item: &Phrase| is_last && !turn.said.has_word(&item.words);
        if items.len() > 1 || items.first().is_some_and(alone) {
            return items;
        }
    }
    Vec::new()
}

/// Returns whether nothing but commas and an "and" stands between two things.
pub(super) fn is_joined(turn: &Turn<'_>, gap: Span) -> bool {
    let mut marks = turn.said.discourse.marks.iter();
    let mark = marks.find(|mark| mark.operator == Operator::And && gap.contains(mark.span));
    let is_sign = |c: char| {
        c.is_whitespace()
            || matches!(c, ',' | ';' | '，' | '、' | '；' | '"' | '\'' | '’' | '“' | '”')
    };
    let bare = |gap: Span| turn.said.text.slice(gap).chars().all(is_sign);
    match mark {
        Some(mark) => {
            bare(Span { start: gap.start, end: mark.span.start })
                && bare(Span { start: mark.span.end, end: gap.end })
        }
        None => gap.start < gap.end && bare(gap) && !turn.said.text.slice(gap).trim().is_empty(),
    }
}

/// Marks that belong to a word only in its middle.
fn is_edge(c: char) -> bool {
    matches!(c, '.' | '\'' | '’' | '/' | '-')
}

/// The most words of a text that are looked at for names.
const MOST_WORDS: usize = 200;

/// Names by their capitals: runs of words that begin with one, and one further behind a comma
/// ("Boston, MA"). The word that opens a sentence has a capital anyway: it is a name only beside
/// another and where no language has it.
pub(super) fn capitalized(wanted: &Wanted<'_>) -> Vec<Phrase> {
    let turn = wanted.turn;
    let words = words(turn);
    let values = turn.said.values.iter().filter(|value| value.kind != Kind::Zone);
    let values = Spans::of(values.map(|value| value.span));
    let is_name = |word: &Word<'_>| {
        let begins = word.text.chars().next().is_some_and(char::is_uppercase);
        let own = word.text == "I" || word.text.starts_with("I'") || word.text.starts_with("I’");
        begins && !own && !values.overlap(word.span) && !is_aside(turn, word) && is_plain(word)
    };
    let mut phrases: Vec<Phrase> = Vec::new();
    let mut at = 0;
    while at < words.len() && phrases.len() < MOST {
        if !is_name(&words[at]) {
            at += 1;
            continue;
        }
        let end = run_end(turn, &words, at, &is_name);
        let end = if numbered(wanted, &words, end) { end + 1 } else { end };
        let opens = at == 0 || ends_sentence(turn, &words[at - 1]);
        let known = || turn.said.has_word(words[at].text);
        let opens = opens || end == at + 1 && words[at - 1].ends && known();
        let alone = end == at + 1 || known();
        let title = end == at + 1 && is_title(&words[at]);
        let start = if opens && alone || title { at + 1 } else { at };
        if start < end {
            let span = Span { start: words[start].span.start, end: words[end - 1].span.end };
            if is_free(wanted, span) {
                phrases.push(Phrase::new(span, turn.said.text.slice(span)));
            }
        }
        at = end;
    }
    phrases
}

/// Returns whether a number that nothing has taken goes on with a name: "Windows 10".
fn numbered(wanted: &Wanted<'_>, words: &[Word<'_>], at: usize) -> bool {
    let (Some(last), Some(word)) =
        (at.checked_sub(1).and_then(|last| words.get(last)), words.get(at))
    else {
        return false;
    };
    let mut values = wanted.turn.said.values.iter();
    let number = values.any(|value| value.span == word.span && value.kind == Kind::Number);
    let digits = word.text.chars().all(|c| c.is_ascii_digit());
    number && digits && !last.ends && is_free(wanted, word.span)
}

/// Returns whether a word is a short form in brackets, "(CAGR)", or a part of a code: "/FI".
fn is_aside(turn: &Turn<'_>, word: &Word<'_>) -> bool {
    let before = word.span.start.checked_sub(1);
    let before = before.map(|at| turn.said.text.slice(Span { start: at, end: at + 1 }));
    before.is_some_and(|sign| sign.contains(['(', '/', '\\', '-', '<', '{', '$', '%']))
}

/// Words within a name: "Treaty of Lisbon".
const WITHIN: [&str; 6] = ["of", "de", "del", "du", "von", "van"];

/// The end of the name that begins at a word.
fn run_end(
    turn: &Turn<'_>,
    words: &[Word<'_>],
    start: usize,
    is_name: &impl Fn(&Word<'_>) -> bool,
) -> usize {
    let (mut end, mut commas) = (start + 1, 0);
    while end < words.len() && !ends_sentence(turn, &words[end - 1]) {
        let next = &words[end];
        let comma = usize::from(words[end - 1].ends);
        let within = WITHIN.contains(&next.text)
            && comma == 0
            && words.get(end + 1).is_some_and(is_name)
            && !next.ends;
        // Behind a comma another part of the sentence may begin: "in Riga, Latvia, Can you".
        let more = words.get(end + 1).filter(|_| !next.ends).is_some_and(is_name);
        // One that ends the sentence begins no other part: "in Sydney, Australia?"
        let ends = next.ends || words.get(end + 1).is_none();
        let is_name_alone = ends && !leads(turn, next);
        let known = || turn.said.has_word(next.text) && !more && !is_name_alone;
        let goes_on = is_name(next) && commas + comma <= 1 && (comma == 0 || !known());
        match (goes_on, within) {
            (true, _) => end += 1,
            (false, true) => end += 2,
            _ => break,
        }
        commas += comma;
    }
    end
}

/// Returns whether a word is the short form of a title, which a name follows.
fn is_title(word: &Word<'_>) -> bool {
    ["Mr", "Mrs", "Ms", "Dr", "St", "Prof"].contains(&word.text)
}

/// Returns whether a sentence ends behind a word; a comma ends none.
fn ends_sentence(turn: &Turn<'_>, word: &Word<'_>) -> bool {
    if is_title(word) {
        return false;
    }
    let behind = Span { start: word.span.end, end: word.span.end + 1 };
    turn.said.text.slice(behind).contains(['.', '?', '!', ';', ':'])
}

/// The objects of a request of some classes: "cats" in "search for cats". An object ends before a
/// value that another argument has taken: "notes in src/".
pub(super) fn objects(wanted: &Wanted<'_>, classes: &[ObjectClass]) -> Vec<Phrase> {
    let turn = wanted.turn;
    let objects = turn.said.objects().iter();
    let wished = objects.filter(|object| classes.contains(&object.class));
    let free = wished.filter_map(|object| {
        let span = without_taken(wanted, object)?;
        let words = turn.said.text.slice(span).trim();
        let says = words.chars().any(char::is_alphanumeric);
        (says && is_free(wanted, span)).then(|| Phrase::new(span, words))
    });
    free.take(MOST).collect()
}

/// An object without what other arguments have taken of it.
fn without_taken(wanted: &Wanted<'_>, object: &Object) -> Option<Span> {
    let taken = wanted.used.iter().filter(|used| used.overlaps(object.span));
    let Some(first) = taken.map(|used| used.start).min() else { return Some(object.span) };
    let cut = object.breaks.iter().rev().find(|cut| cut.end <= first)?;
    (cut.start > object.span.start).then_some(Span { start: object.span.start, end: cut.start })
}

/// The word that the verb of a request is about where nothing else stands between them: "checkout
/// main". A word of the tool itself ("show status") is none.
pub(super) fn acted_on(wanted: &Wanted<'_>) -> Vec<Phrase> {
    let turn = wanted.turn;
    let spec = &wanted.tool.spec;
    let own = format!("{} {}", spec.name, spec.summary).to_lowercase();
    let objects = turn.said.objects().iter();
    let acts = objects.filter(|object| object.class == ObjectClass::Act);
    let words = words(turn);
    let last = acts.filter_map(|object| {
        let word = words.iter().rfind(|word| object.span.contains(word.span))?;
        let word = Some(word).filter(|word| !leads(turn, word))?;
        let role = roles::of_value(turn, word.span);
        let telling = find_word(&own.replace(['_', '-'], " "), &word.text.to_lowercase()).is_none();
        let mut cues = wanted.tool.cues(wanted.name).iter();
        let named = cues.any(|cue| *cue == word.text.to_lowercase());
        let is_object = role == Some(Role::Object) && telling && !named;
        let fits = is_object && !is_value(turn, word.span);
        (fits && is_free(wanted, word.span)).then(|| Phrase::new(word.span, word.text))
    });
    last.take(MOST).collect()
}

/// The word, or the name, right beside a word of the argument: "branch main", "the main branch", "city: Berlin", "language = French".
pub(super) fn beside(wanted: &Wanted<'_>) -> Vec<Phrase> {
    let turn = wanted.turn;
    let words = words(turn);
    let text = turn.said.text.normalized();
    let names = capitalized(wanted);
    let own = words_of(wanted.name);
    let mut phrases: Vec<Phrase> = Vec::new();
    for cue in wanted.tool.cues(wanted.name).iter() {
        let Some(at) = find_word(text, cue) else { continue };
        let cue = turn.said.text.span(at, at + cue.len());
        let Some(index) = words.iter().position(|word| word.span.overlaps(cue)) else { continue };
        let ends = words[index].ends && ends_sentence(turn, &words[index]);
        let ends =
            ends && !turn.said.text.slice(Span { start: cue.end, end: cue.end + 1 }).contains(':');
        let behind = if ends { &[] } else { &words[index + 1..] };
        let mut behind = behind.iter().take(MOST_LINKS);
        // "The user with ID 7": what is named by two words stands behind both.
        let is_own = |word: &Word<'_>| own.contains(&word.text.to_lowercase());
        let links = |word: &Word<'_>| LINKS.contains(&word.text) || leads(turn, word);
        let next = behind.find(|word| !links(word) && !is_own(word));
        let next = next.filter(|word| is_name_like(turn, word, cue));
        let before = index.checked_sub(1).map(|before| &words[before]);
        // A word that a role is passed on over is an article: "the branch".
        let before = before.filter(|word| {
            let role = roles::of_value(turn, word.span).is_some();
            let named = role && roles::of_value(turn, cue).is_none();
            (named || is_foreign(turn, word, cue)) && !leads(turn, word)
        });
        let before = before.filter(|_| wanted.annotation.kind.is_some());
        let beside = next.or(before).filter(|word| !is_value(turn, word.span));
        if let Some(word) = beside.filter(|word| is_free(wanted, word.span)) {
            let whole =
                names.iter().find(|name| name.span.overlaps(word.span) && !name.span.overlaps(cue));
            phrases.push(whole.cloned().unwrap_or_else(|| Phrase::new(word.span, word.text)));
        }
    }
    phrases.dedup();
    phrases.truncate(MOST);
    phrases
}

/// The words that stand in a role, where they are names in one word: "main" in "from main", the Y of "based on the branch Y".
pub(super) fn in_role(wanted: &Wanted<'_>, role: Role) -> Vec<Phrase> {
    let turn = wanted.turn;
    let words = words(turn);
    let in_role = words.iter().enumerate().filter(|(index, word)| {
        let one = !word.text.chars().any(is_han) && word.text.chars().any(char::is_alphabetic);
        // A sentence that goes on has a noun behind an adjective: "from the very first commit".
        let next = words.get(index + 1);
        let ends = word.ends
            || is_written(word)
            || next.is_none_or(|next| leads(turn, next) || next.text.chars().any(is_han));
        one && ends && !is_value(turn, word.span) && !leads(turn, word)
    });
    let told = in_role.map(|(_, word)| word);
    let told = told.filter(|word| roles::of_value(turn, word.span) == Some(role));
    let free = told.filter(|word| is_free(wanted, word.span));
    free.map(|word| Phrase::new(word.span, word.text)).take(MOST).collect()
}

/// Returns whether a word is a value of some kind, or has one in it. A number within a word is part of it: the 12 of hotfix-12.
pub(super) fn is_value(turn: &Turn<'_>, word: Span) -> bool {
    let values = turn.said.values.iter().filter(|value| value.span.overlaps(word));
    let mut others = values.filter(|value| {
        let inner = word.contains(value.span) && value.span != word;
        !(inner && matches!(value.kind, Kind::Number | Kind::Ordinal | Kind::Date))
    });
    others.next().is_some()
}

/// Returns whether a word only leads to a name: an article, a preposition, "here".
fn leads(turn: &Turn<'_>, word: &Word<'_>) -> bool {
    turn.said.leads(word.span)
}

/// Returns whether a word in Latin letters stands right beside a word in Han: it is the name of
/// something, as "release" in 和 release 分支比較.
fn is_foreign(turn: &Turn<'_>, word: &Word<'_>, cue: Span) -> bool {
    let between = Span { start: word.span.end.min(cue.start), end: cue.start };
    let han = turn.said.text.slice(cue).chars().all(is_han);
    let close = turn.said.text.slice(between).trim().is_empty();
    han && close && word.text.is_ascii()
}

/// The most words between a noun and the name that it has, the name among them.
const MOST_LINKS: usize = 3;

/// Words between a noun and the name that it has.
const LINKS: [&str; 7] = ["is", "=", "named", "called", "name", "of", "es"];

/// Returns whether a word looks like a name rather than the next word of a sentence: by a capital, a
/// digit or a sign in it, because a colon or an equals sign leads to it, or because the words before
/// it give it a role.
fn is_name_like(turn: &Turn<'_>, word: &Word<'_>, cue: Span) -> bool {
    let between = turn.said.text.slice(Span { start: cue.end, end: word.span.start });
    let led = between.contains([':', '=']);
    let role = roles::of_value(turn, word.span);
    let given = matches!(role, Some(Role::Object | Role::Name | Role::Source | Role::Target));
    let han = word.text.chars().any(is_han);
    // "The answer to the question": a word of the language is none by its place alone.
    let written = is_written(word);
    let foreign = turn.said.text.slice(cue).chars().all(is_han) && between.trim().is_empty();
    let known = turn.said.has_word(word.text) && !written;
    let fits = led || (given || written || foreign) && !known;
    fits && is_plain(word) && word.text != "I" && !han
}

/// Returns whether a word has no marks but those that names and codes have.
fn is_plain(word: &Word<'_>) -> bool {
    !word.text.contains(['*', '\\', '<', '>', '{', '}', '|', '`'])
}

/// Returns whether a word is written as names are and other words are not.
fn is_written(word: &Word<'_>) -> bool {
    word.text.contains(|c: char| c.is_uppercase() || c.is_ascii_digit())
        || word.text.contains(['_', '-', '/'])
}

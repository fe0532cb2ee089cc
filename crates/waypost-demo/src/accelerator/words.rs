//! The words of a task: folded to plain letters, compared with the words of what is searched.
//!
//! People write Vietnamese and Spanish without accents too, so accents do not count. Channels and
//! entries have English words only; `terms.tsv` says which English word those of other languages
//! stand for.

/// English words, each with what stands for it in other languages.
const TERMS: &str = include_str!("terms.tsv");

/// Words that say nothing about a topic, folded.
const COMMON: &str = "a an and about all any are as at by can did do does for from get give had \
    has have how i in is it its last latest let list look many me my now of off on or our out \
    please pls recent say said see show some tell that the their there these they this to us was \
    we were what when where which who why will with write wrote written you your today yesterday \
    week month day days time channel channels address addresses pv pvs find search logbook log \
    logs entry entries operator operators operations machine ring cac cho co cua da duoc gi hay \
    hien hom kenh la lai luc mot nao nay nhat ky toi tim trong va ve voi xem bao nhieu al algo \
    busca con cual cuales de del dime donde el en es esta este fue ha hoy las lo los muestra \
    para por que quien se su sus un una y bitacora canal canales registro ayer paso pasado \
    pasada semana mes qua tuan thang nam note notes noted notas speak";

/// The letters that accents are put on, with all that they become.
const ACCENTS: [(char, &str); 8] = [
    ('a', "àáạảãâầấậẩẫăằắặẳẵä"),
    ('d', "đ"),
    ('e', "èéẹẻẽêềếệểễë"),
    ('i', "ìíịỉĩï"),
    ('n', "ñ"),
    ('o', "òóọỏõôồốộổỗơờớợởỡö"),
    ('u', "ùúụủũưừứựửữü"),
    ('y', "ỳýỵỷỹ"),
];

/// The combining accents, which stand behind their letter.
const COMBINING: std::ops::RangeInclusive<char> = '\u{300}'..='\u{36f}';

/// A text in small letters without accents.
pub(super) fn folded(text: &str) -> String {
    let plain = |letter: char| {
        let accented = ACCENTS.iter().find(|(_, letters)| letters.contains(letter));
        accented.map_or(letter, |(plain, _)| *plain)
    };
    let letters = text.chars().flat_map(char::to_lowercase);
    letters.map(plain).filter(|letter| !COMBINING.contains(letter)).collect()
}

/// Returns whether a character is written without spaces around its word.
pub(super) fn is_chinese(character: char) -> bool {
    ('\u{2e80}'..='\u{9fff}').contains(&character)
}

/// The first characters of a text that somebody else wrote.
pub(super) fn cut(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}

/// A text that is asked for words: its own, folded, with one space before, between and behind them.
#[derive(Debug)]
pub(super) struct Text {
    spaced: String,
}

impl Text {
    pub(super) fn new(text: &str) -> Self {
        let folded = folded(text);
        let words: Vec<&str> = split(&folded).collect();
        Self { spaced: format!(" {} ", words.join(" ")) }
    }

    /// Returns whether it has one of these words or phrases, which are folded and have bars between them.
    /// One that ends in a star is the beginning of a word; Chinese ones may stand anywhere.
    pub(super) fn says(&self, words: &str) -> bool {
        self.first(words).is_some()
    }

    /// The place of the first of these words, to be compared with the places of others.
    pub(super) fn first(&self, words: &str) -> Option<usize> {
        words.split('|').filter_map(|word| self.place(word)).min()
    }

    fn place(&self, word: &str) -> Option<usize> {
        if word.chars().any(is_chinese) {
            return self.spaced.find(word);
        }
        match word.strip_suffix('*') {
            Some(beginning) => self.spaced.find(&format!(" {beginning}")),
            None => self.spaced.find(&format!(" {word} ")),
        }
    }
}

fn split(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// The parts that a task is searched by: its words in Latin letters that say something, and the
/// English words for what it says in another language.
pub(super) fn parts(task: &str) -> Vec<String> {
    let text = Text::new(task);
    let mut parts: Vec<String> = Vec::new();
    for word in text.spaced.split_whitespace() {
        // Chinese ones are left out: what they mean is in the terms.
        let runs = word.split(is_chinese).filter(|run| !run.is_empty());
        parts.extend(runs.map(str::to_owned));
    }
    parts.retain(|part| !COMMON.split_whitespace().any(|common| common == part));
    let meant = terms().filter(|(_, foreign)| text.says(foreign));
    parts.extend(meant.map(|(english, _)| english.to_owned()));
    parts.sort_unstable();
    parts.dedup();
    parts
}

/// The terms: an English word, and what stands for it.
fn terms() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = TERMS.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once('\t'))
}

/// The number of parts that an English text has as words of its own; the end of a plural does not count.
pub(super) fn hits(parts: &[String], text: &str) -> usize {
    let text = folded(text);
    let words: Vec<&str> = split(&text).collect();
    let is_in = |part: &&String| {
        let stem = part.strip_suffix('s').filter(|stem| stem.len() > 3).unwrap_or(part);
        // A short part would begin any number of words.
        words.iter().any(|word| if stem.len() < 3 { *word == stem } else { word.starts_with(stem) })
    };
    parts.iter().filter(is_in).count()
}

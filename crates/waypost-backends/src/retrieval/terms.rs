//! Cuts text into the terms that are indexed and searched: words in scripts that write them apart,
//! pairs of characters in Chinese.
//!
//! Terms are letters and digits alone, so a query made of them cannot carry search syntax.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Words that show that something is asked rather than name it. English and Spanish, folded as terms are.
const QUESTION_WORDS: &str = "a about and any are be can could del did do does el en es esta este for from \
    how i in is it its la las lo los may me mi my of on or para please por que se shall should si some su \
    tell the there this to un una use used what when where which who why will with would y you your \
    como con cual cuando de donde esto hay puedo puede quien ser son tiene between at as by if into not";

/// The same in Chinese: a question is cut at these, so that no pair reaches over them.
const QUESTION_CHARACTERS: &str = "的了嗎吗呢吧啊是在有和與与及或請请問问我你您們们把被要會会能可以就都也還还\
    這这那哪個个些什麼么怎為为何誰谁幾几多少如於于對对從从到給给讓让";

/// The terms of a text that is indexed, in order.
pub(super) fn of_text(text: &str) -> Vec<String> {
    let mut terms = Vec::new();
    for run in runs(text) {
        match run {
            Run::Word(word) => terms.push(stem(word)),
            Run::Han(characters) => {
                // Single characters are for questions of one character.
                terms.extend(characters.iter().map(char::to_string));
                terms.extend(characters.windows(2).map(|pair| pair.iter().collect::<String>()));
            }
        }
    }
    terms
}

/// What such a question is about.
const HELP: [&str; 2] = ["help", "ayuda"];
/// The fewest words of a question that is asked in question words alone.
const WHOLE_QUESTION: usize = 4;

/// The terms that a question is about, each once.
pub(super) fn of_question(question: &str) -> Vec<String> {
    let mut terms = Vec::new();
    for run in runs(question) {
        match run {
            Run::Word(word) => {
                if !QUESTION_WORDS.split(' ').any(|question_word| question_word == word) {
                    terms.push(stem(word));
                }
            }
            Run::Han(characters) => {
                for part in characters.split(|c| QUESTION_CHARACTERS.contains(*c)) {
                    match part {
                        [] => {}
                        [single] => terms.push(single.to_string()),
                        part => terms.extend(part.windows(2).map(|pair| pair.iter().collect())),
                    }
                }
            }
        }
    }
    // "What can you do?" asks for help in these words alone; fewer of them are no question.
    if terms.is_empty() && question.split_whitespace().count() >= WHOLE_QUESTION {
        terms = HELP.map(str::to_owned).to_vec();
    }
    let mut seen = std::collections::HashSet::new();
    terms.retain(|term: &String| seen.insert(term.clone()));
    terms
}

#[derive(Debug)]
enum Run {
    Word(String),
    Han(Vec<char>),
}

/// Stretches of letters and digits, in lower case without accents, Chinese apart from the rest.
fn runs(text: &str) -> Vec<Run> {
    let mut runs = Vec::new();
    // Decomposed, an accent is a character of its own and can be left out.
    for c in text.nfkd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase) {
        let c = if c == 'đ' { 'd' } else { c };
        match (runs.last_mut(), c) {
            (Some(Some(Run::Han(run))), c) if is_han(c) => run.push(c),
            (_, c) if is_han(c) => runs.push(Some(Run::Han(vec![c]))),
            (Some(Some(Run::Word(word))), c) if c.is_alphanumeric() => word.push(c),
            (_, c) if c.is_alphanumeric() => runs.push(Some(Run::Word(c.to_string()))),
            _ => runs.push(None),
        }
    }
    runs.into_iter().flatten().collect()
}

/// Brings singular and plural of English and Spanish together; no more, since a passage that is
/// found by accident is worse than one that another word of the question finds anyway.
fn stem(mut word: String) -> String {
    let plural = word.ends_with('s') && !["ss", "us", "is"].iter().any(|end| word.ends_with(end));
    if plural && word.chars().count() >= 4 {
        word.pop();
    }
    word
}

fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{323AF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_into_terms() {
        let check = |text: &str, terms: &str| assert_eq!(of_text(text).join(" "), terms);
        check("The Tides, 121.5E!", "the tide 121 5e");
        check("Ｐｒｅｄｉｃｃｉón de mareas", "prediccion de marea");
        check("潮汐表 ABC", "潮 汐 表 潮汐 汐表 abc");
        check("thủy triều Đà Nẵng", "thuy trieu da nang");
        check("", "");
    }

    #[test]
    fn questions_are_cut_into_what_they_are_about() {
        let check = |text: &str, terms: &str| assert_eq!(of_question(text).join(" "), terms);
        check("What is a tide?", "tide");
        check("¿Cómo se usan las mareas?", "usan marea");
        check("請問潮汐怎麼預報?", "潮汐 預報");
        check("什麼是浪高", "浪高");
        check("潮?", "潮");
        check("tide tide TIDES", "tide");
        check("how do I?", "");
        check("What can you do?", "help ayuda");
        check("\" OR * NEAR(a b) text:x", "near b text x");
    }
}

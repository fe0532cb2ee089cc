//! Finds the part of a long text that asks, where the rest only tells: an old man's story ends in a question.

use crate::text::{Span, Text};

/// The fewest letters that tell something beside the question; Chinese ones say more each.
const LEAST_TOLD: usize = 24;
/// What a Chinese character counts.
const HAN: usize = 3;

/// The part of a text from its first question on to its last, by their question marks; `None` where nothing of
/// length is told around it.
///
/// # Example
///
/// ```
/// use waypost_text::extract::question;
/// use waypost_text::text::Text;
///
/// let text = Text::new("We married there in 1970, and it rained. How warm is the sea? Many thanks.");
/// assert_eq!(text.slice(question(&text).unwrap()), " How warm is the sea?");
/// assert!(question(&Text::new("How warm is the sea?")).is_none());
/// ```
pub fn question(text: &Text) -> Option<Span> {
    let mut asked: Option<Span> = None;
    let mut told = 0;
    for (sentence, asks) in sentences(text) {
        if !asks {
            told += weight(text.slice(sentence));
        } else if let Some(asked) = &mut asked {
            asked.end = sentence.end;
        } else {
            asked = Some(sentence);
        }
    }
    asked.filter(|_| told >= LEAST_TOLD)
}

/// The sentences of a text in order, each with whether it ends in a question mark.
fn sentences(text: &Text) -> Vec<(Span, bool)> {
    let characters: Vec<char> = text.original().chars().collect();
    let mut found = Vec::new();
    let mut start = 0;
    for (at, sign) in characters.iter().enumerate() {
        let next = characters.get(at + 1);
        let pauses = next.is_none_or(|next| next.is_whitespace() || "\"')»”’".contains(*next));
        let ends = match sign {
            '。' | '？' | '！' | '\n' => true,
            // That of != and of an address ends nothing.
            '?' | '!' => pauses,
            // Nor does that of 25.4, or of an initial.
            '.' => pauses && at > start + 3,
            _ => false,
        };
        if ends {
            found.push((Span { start, end: at + 1 }, matches!(sign, '?' | '？')));
            start = at + 1;
        }
    }
    if start < characters.len() {
        found.push((Span { start, end: characters.len() }, false));
    }
    found
}

fn weight(words: &str) -> usize {
    let letters = words.chars().filter(|c| c.is_alphabetic());
    letters.map(|c| if c.len_utf8() >= 3 { HAN } else { 1 }).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_found_among_what_is_told() {
        for (words, asks) in [
            (
                "您好，我以前在基隆跑船。請問今天基隆海溫幾度？謝謝您。",
                Some("請問今天基隆海溫幾度？"),
            ),
            (
                "Hello. What is the tide at 25.4N? And the moon? It is for my grandson, who fishes.",
                Some(" What is the tide at 25.4N? And the moon?"),
            ),
            ("Thanks! how warm is it?", None),
            ("I would like to know how warm it is. Thank you very much for your help.", None),
        ] {
            let text = Text::new(words);
            assert_eq!(question(&text).map(|span| text.slice(span)), asks, "{words}");
        }
    }
}

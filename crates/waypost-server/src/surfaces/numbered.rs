//! The words of an answer for clients without forms: the choices of a question stand under it, with numbers to answer by.

use waypost::records::answer::Answer;

/// The words, then a line for each choice.
pub(super) fn text(answer: &Answer) -> String {
    let mut lines = vec![answer.text.clone()];
    let choices = answer.choices.iter().enumerate();
    lines.extend(choices.map(|(index, choice)| format!("{}. {}", index + 1, choice.label)));
    lines.join("\n")
}

//! Cuts Markdown documents into passages: paragraphs that stand together under their headings.

use waypost_core::ports::retrieval::{Document, Passage};

/// The longest passage, in characters: as much as a reader takes in at a glance, which leaves room
/// for several of them in a small model's prompt. A code block is longer where it must be.
const MAX_CHARACTERS: usize = 900;

/// The passages of a document, in order, with a score of 0.
pub(super) fn cut(document: &Document) -> Vec<Passage> {
    let mut cutter =
        Cutter { document, headings: Vec::new(), text: String::new(), cut: Vec::new() };
    for block in blocks(&document.text) {
        match block {
            Block::Heading(level, title) => cutter.heading(level, title),
            Block::Paragraph(text) => split_long(&text).iter().for_each(|part| cutter.add(part)),
            Block::Code(text) => cutter.add(&text),
        }
    }
    cutter.end();
    cutter.cut
}

enum Block {
    Heading(usize, String),
    Paragraph(String),
    Code(String),
}

struct Cutter<'a> {
    document: &'a Document,
    /// The headings above, each with its level.
    headings: Vec<(usize, String)>,
    text: String,
    cut: Vec<Passage>,
}

impl Cutter<'_> {
    fn heading(&mut self, level: usize, title: String) {
        self.end();
        self.headings.retain(|(above, _)| *above < level);
        self.headings.push((level, title));
    }

    fn add(&mut self, block: &str) {
        let together = self.text.chars().count() + block.chars().count();
        if together > MAX_CHARACTERS {
            self.end();
        }
        if !self.text.is_empty() {
            self.text.push_str("\n\n");
        }
        self.text.push_str(block);
    }

    fn end(&mut self) {
        let text = std::mem::take(&mut self.text);
        if text.is_empty() {
            return;
        }
        self.cut.push(Passage {
            document: self.document.name.clone(),
            headings: self.headings.iter().map(|(_, title)| title.clone()).collect(),
            language: self.document.language,
            text,
            score: 0.0,
        });
    }
}

fn blocks(markdown: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut paragraph: Vec<&str> = Vec::new();
    let mut lines = markdown.lines();
    while let Some(line) = lines.next() {
        let heading = heading(line);
        if heading.is_some() || line.trim().is_empty() || fence(line).is_some() {
            end_paragraph(&mut paragraph, &mut blocks);
        }
        if let Some((level, title)) = heading {
            blocks.push(Block::Heading(level, title.to_owned()));
        } else if let Some(fence) = fence(line) {
            let mut code = vec![line];
            // A fence that is never closed lasts to the end.
            for line in lines.by_ref() {
                code.push(line);
                if line.trim().starts_with(fence) {
                    break;
                }
            }
            blocks.push(Block::Code(code.join("\n")));
        } else if !line.trim().is_empty() {
            paragraph.push(line.trim_end());
        }
    }
    end_paragraph(&mut paragraph, &mut blocks);
    blocks
}

fn end_paragraph(paragraph: &mut Vec<&str>, blocks: &mut Vec<Block>) {
    if !paragraph.is_empty() {
        blocks.push(Block::Paragraph(paragraph.join("\n")));
        paragraph.clear();
    }
}

fn heading(line: &str) -> Option<(usize, &str)> {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    let title = line.get(level..)?.strip_prefix(' ')?.trim().trim_end_matches('#').trim_end();
    ((1..=6).contains(&level) && !title.is_empty()).then_some((level, title))
}

fn fence(line: &str) -> Option<&'static str> {
    ["```", "~~~"].into_iter().find(|fence| line.trim_start().starts_with(fence))
}

/// A paragraph in parts that are short enough, cut after a sentence, else after a space.
fn split_long(paragraph: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut rest = paragraph;
    while let Some((limit, _)) = rest.char_indices().nth(MAX_CHARACTERS) {
        let head = &rest[..limit];
        let after = |found: Option<(usize, &str)>| found.map(|(at, end)| at + end.len());
        let sentence = after(head.rmatch_indices(['。', '!', '?', '！', '？', '\n']).next())
            .max(after(head.rmatch_indices(". ").next()))
            .filter(|end| *end > limit / 2);
        let end = sentence.or(after(head.rmatch_indices(' ').next())).unwrap_or(limit);
        parts.push(rest[..end].trim().to_owned());
        rest = rest[end..].trim_start();
    }
    parts.push(rest.to_owned());
    parts.retain(|part| !part.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use waypost_text::language::Language;

    use super::*;

    fn check(text: &str, expected: &[(&str, &str)]) {
        let document =
            Document { name: "d".to_owned(), language: Language::En, text: text.to_owned() };
        let passages: Vec<(String, String)> =
            cut(&document).into_iter().map(|p| (p.headings.join(" > "), p.text)).collect();
        let expected: Vec<(String, String)> =
            expected.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        assert_eq!(passages, expected);
    }

    #[test]
    fn paragraphs_stand_under_their_headings() {
        check(
            "before\n\n# Tides\n\none\ntwo\n\nthree\n## High ##\nfour\n### Spring\nfive\n## Low\n#hash\n",
            &[
                ("", "before"),
                ("Tides", "one\ntwo\n\nthree"),
                ("Tides > High", "four"),
                ("Tides > High > Spring", "five"),
                ("Tides > Low", "#hash"),
            ],
        );
        check("", &[]);
        check("# Only a heading", &[]);
    }

    #[test]
    fn code_is_kept_whole() {
        let code = format!("```sh\n# no heading\n\n{}\n```", "x ".repeat(900).trim_end());
        check(
            &format!("# A\nintro\n\n{code}\nafter"),
            &[("A", "intro"), ("A", &code), ("A", "after")],
        );
        check("~~~\nopen\n# to the end", &[("", "~~~\nopen\n# to the end")]);
    }

    #[test]
    fn long_paragraphs_are_cut_at_sentences() {
        for sentence in ["The tide comes in twice a day. ", "潮汐每天兩次。", "nospaces", "漲"]
        {
            let text = sentence.repeat(300);
            let document =
                Document { name: "d".to_owned(), language: Language::En, text: text.clone() };
            let passages = cut(&document);
            assert!(passages.iter().all(|p| p.text.chars().count() <= MAX_CHARACTERS));
            let joined: String = passages.iter().map(|p| p.text.as_str()).collect();
            assert_eq!(joined.replace(' ', ""), text.replace(' ', ""));
            if sentence.ends_with(['。', ' ']) {
                assert!(passages.iter().all(|p| p.text.ends_with(['.', '。'])));
            }
        }
    }
}

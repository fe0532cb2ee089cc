//! The sections of a text: its sentences, lines and items, each read as if it were all that was said.

use std::sync::OnceLock;

use waypost_core::records::request::{Context, PastCall};
use waypost_text::effort::Budget;
use waypost_text::text::{Span, Spans, Text};

use super::{Turn, Utterance, utterance_of};

/// If a text has as many joints, some may not have been looked for, so it is read as a whole.
const MOST_JOINTS: usize = 12;

/// A sentence, a line or an item of a text, or several that are read together.
#[derive(Debug, Clone)]
pub struct Section {
    /// Its places in the text, in order.
    pub(crate) places: Vec<Span>,
    /// The words, read alone.
    said: Utterance,
    /// True if it goes on with the section before: "and in Hualien?"
    pub(crate) goes_on: bool,
    /// The calls that were made before it, as it would know them if it were said after the section before.
    last_calls: Vec<PastCall>,
}

/// The words are those of its places, so they need not be compared.
impl PartialEq for Section {
    fn eq(&self, other: &Self) -> bool {
        self.places == other.places && self.last_calls == other.last_calls
    }
}

impl Section {
    /// Returns whether a stretch of the text is a part of it.
    pub(crate) fn holds(&self, span: Span) -> bool {
        self.places.iter().any(|place| place.contains(span))
    }

    /// The place in the whole text of a stretch of its words, or of the first part of it if it reaches beyond one of its places.
    pub(crate) fn place(&self, span: Span) -> Option<Span> {
        let mut start = 0;
        self.places.iter().find_map(|place| {
            let own = Span { start, end: start + place.len() };
            start = own.end + 1;
            let moved = |at: usize| at - own.start + place.start;
            let part = Span { start: span.start.max(own.start), end: span.end.min(own.end) };
            (part.start < part.end).then(|| Span { start: moved(part.start), end: moved(part.end) })
        })
    }
}

impl<'a> Turn<'a> {
    /// Reads parts of the text alone, a line each. The first part of a text knows what was called in the conversation. A later one
    /// knows `before`, the calls of the part before it, if it goes on with that, and nothing otherwise.
    pub(crate) fn section(&self, places: Vec<Span>, before: Option<&[PastCall]>) -> Section {
        let words: Vec<&str> = places.iter().map(|place| self.said.text.slice(*place)).collect();
        let words = words.join("\n");
        let text = Text::with_budget(&words, Budget::of(words.len()));
        let mut context = self.context.clone();
        context.language = Some(self.said.language);
        if let Some(before) = before {
            context.last_calls = before.to_vec();
        }
        let said = utterance_of(self.pack, self.request, &context, text, &self.now);
        let goes_on = said.joints().first().is_some_and(|joint| joint.start == 0)
            || said.has_reference()
            || said.points_back();
        if before.is_some() && !goes_on {
            context.last_calls.clear();
        }
        Section { places, said, goes_on, last_calls: context.last_calls }
    }

    /// The turn as it would be if only a section were said.
    pub(crate) fn of_section(&self, section: &Section) -> Turn<'a> {
        let last_calls = section.last_calls.clone();
        Turn {
            said: section.said.clone(),
            // The calls of one section are changed together, as those of one turn are.
            context: Context { last_calls, remembered: true, ..self.context.clone() },
            task: OnceLock::new(),
            acts: OnceLock::new(),
            conditions: OnceLock::new(),
            ..self.clone()
        }
    }

    /// The places of the sentences, lines and items; none if there is only one. Each keeps its stop and the word that joins it to
    /// the one before: "And in Hualien?"
    pub(crate) fn sections(&self) -> Vec<Span> {
        let said = &self.said;
        let joints = said.joints();
        if joints.len() >= MOST_JOINTS {
            return Vec::new();
        }
        let ends = |c: char| matches!(c, '.' | '?' | '!' | '。' | '？' | '！');
        let cuts = |joint: &&Span| {
            let sign = said.text.slice(**joint);
            let is_mark = |c: char| ends(c) || matches!(c, ';' | '；' | '\n');
            // "2)" marks an item.
            let is_item = sign.starts_with(|c: char| c.is_ascii_digit());
            let mut contents = said.discourse.contents.iter();
            (sign.contains(is_mark) || is_item) && !contents.any(|own| own.overlaps(**joint))
        };
        let mut cuts: Vec<Span> = joints.iter().filter(cuts).copied().collect();
        cuts.extend(self.breaks());
        // The point of a name ends nothing: "Apple Inc."
        let names = said.discourse.mentions.iter().map(|name| name.span);
        let names = Spans::of(names);
        cuts.retain(|cut| !names.overlap(*cut));
        cuts.sort_unstable();
        let whole = said.text.original().chars().count();
        let mut spans = Vec::new();
        let mut start = 0;
        for joint in cuts {
            let sign = said.text.slice(joint);
            // The word before the stop is a part of the section: "¿dónde llueve más?"
            let word = sign.chars().take_while(|c| c.is_alphabetic()).count();
            let marks = || sign.chars().skip(word);
            let kept = if marks().next().is_some_and(ends) { word + 1 } else { 0 };
            spans.push(Span { start, end: joint.start + kept });
            start = joint.start + word + marks().take_while(|c| !c.is_alphabetic()).count();
        }
        spans.push(Span { start, end: whole });
        spans.iter_mut().for_each(|span| *span = trimmed(&said.text, *span));
        spans.retain(|span| said.text.slice(*span).contains(char::is_alphanumeric));
        if (2..=MOST_JOINTS).contains(&spans.len()) { spans } else { Vec::new() }
    }

    /// The breaks of a line at which the text may be wrapped: they are no joints, and what is on both sides says whether they cut.
    fn breaks(&self) -> Vec<Span> {
        let said = &self.said;
        if !said.text.original().contains('\n') {
            return Vec::new();
        }
        let values = said.values.iter().map(|value| value.span);
        let joints = said.joints().iter().copied();
        let taken = Spans::of(values.chain(joints).chain(said.discourse.contents.iter().copied()));
        let letters = said.text.original().chars().enumerate();
        let breaks = letters.filter(|(_, c)| *c == '\n');
        let breaks = breaks.map(|(at, _)| Span { start: at, end: at + 1 });
        breaks.filter(|at| !taken.overlap(*at)).take(MOST_JOINTS + 1).collect()
    }
}

/// A stretch without the spaces around it.
fn trimmed(text: &Text, span: Span) -> Span {
    let words = text.slice(span);
    let spaces = words.chars().take_while(|c| c.is_whitespace()).count();
    let start = span.start + spaces;
    Span { start, end: start + words.trim().chars().count() }
}

//! Reads the acts of a turn: of its whole text, and of the parts that name something.

use waypost_text::extract::{Reading, Value};
use waypost_text::text::{Span, folded};

use super::{Act, Acts, MASK, Situation};
use crate::understand::{Turn, pointing};

impl Turn<'_> {
    /// What the text does with what was asked, shown or done before.
    pub(crate) fn acts(&self) -> &Acts {
        let whole = || Span { start: 0, end: self.said.text.original().chars().count() };
        self.acts.get_or_init(|| self.acts_of(whole()))
    }

    /// How probable it is that the text agrees to something, had there been something to agree to.
    pub(crate) fn agrees_to_nothing(&self) -> f32 {
        let whole = Span { start: 0, end: self.said.text.original().chars().count() };
        let asked = Situation { asks: true, follows: false };
        super::acts(&self.masked_for_acts(whole), self.said.language, asked).share(Act::Affirm)
    }

    /// Returns whether the text is likelier one of these acts than anything else.
    pub(crate) fn does(&self, acts: &[Act]) -> bool {
        self.acts().any(acts) > 0.5
    }

    /// Returns whether the text, or a part of it that holds one of the spans, is likelier one of these acts than
    /// anything else: "the last one, and hurry up".
    pub(crate) fn does_at(&self, spans: &[Span], acts: &[Act]) -> bool {
        let holds = |part: &Span| spans.iter().any(|span| part.contains(*span));
        self.does(acts)
            || self
                .parts()
                .iter()
                .filter(|part| holds(part))
                .any(|part| self.acts_of(*part).any(acts) > 0.5)
    }

    /// The probability of the likeliest part that names or counts something to be one of these acts.
    pub(crate) fn share_in_parts(&self, acts: &[Act]) -> f32 {
        let values = self.said.values.iter().map(|value| value.span);
        let named = self.said.discourse.mentions.iter().map(|mention| mention.span);
        let spans: Vec<Span> = values.chain(named).collect();
        let holds = |part: &&Span| spans.iter().any(|span| part.contains(*span));
        let parts = self.parts();
        parts.iter().filter(holds).map(|part| self.acts_of(*part).any(acts)).fold(0.0, f32::max)
    }

    /// What a part of the text does with what was asked, shown or done before.
    pub(crate) fn acts_of(&self, part: Span) -> Acts {
        super::acts(&self.masked_for_acts(part), self.said.language, self.situation())
    }

    /// What the text can be about.
    fn situation(&self) -> Situation {
        let context = &self.context;
        Situation {
            asks: !context.options.is_empty() || context.active_tool.is_some(),
            follows: !context.last_calls.is_empty() || context.active_tool.is_some(),
        }
    }

    /// The parts between pauses; none where there is no pause.
    fn parts(&self) -> Vec<Span> {
        /// A text with more pauses is no answer.
        const MOST: usize = 8;
        let text = self.said.text.original();
        let pauses = text.chars().enumerate().filter(|(_, c)| ",.;!?，。；！？、\n".contains(*c));
        let pauses: Vec<usize> = pauses.map(|(at, _)| at).take(MOST).collect();
        let starts = std::iter::once(0).chain(pauses.iter().map(|at| at + 1));
        let ends = pauses.iter().copied().chain([text.chars().count()]);
        let parts = starts.zip(ends).map(|(start, end)| Span { start, end });
        if pauses.is_empty() { Vec::new() } else { parts.collect() }
    }

    /// A part of the text with a mask for each name and value; places in a list are none.
    fn masked_for_acts(&self, part: Span) -> String {
        let options = &self.context.options;
        let is_place = |value: &Value| match value.reading {
            Reading::Boolean(_) | Reading::Ordinal(_) => true,
            Reading::Number(number) => number >= 1.0 && number <= options.len() as f64,
            _ => false,
        };
        // "Now" opens many sentences, and names no time in them.
        let says = |value: &&Value| !is_place(value) && !value.rule.is_now();
        let values = self.said.values.iter().filter(says).map(|value| value.span);
        let named = self.said.discourse.mentions.iter().chain(&self.said.discourse.parts);
        let named = named.map(|mention| mention.span);
        let options = pointing::by_name(self, options).into_iter().map(|(span, _)| span);
        let spans = values.chain(named).chain(options).filter(|span| part.contains(*span));
        let mut spans: Vec<Span> = spans.collect();
        spans.sort_unstable();
        let whole = self.said.text.bytes(part);
        let (mut masked, mut end) = (String::new(), whole.start);
        for span in spans {
            let bytes = self.said.text.bytes(span);
            if bytes.start >= end {
                masked.push_str(&self.said.text.normalized()[end..bytes.start]);
                masked.push(' ');
                masked.push_str(MASK);
                masked.push(' ');
                end = bytes.end;
            }
        }
        masked.push_str(&self.said.text.normalized()[end..whole.end.max(end)]);
        folded(masked.trim())
    }
}

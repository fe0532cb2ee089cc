//! A request that is ready to be decided: what was said, in which conversation, and what may be done.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use jiff::Zoned;
use serde_json::{Map, Value as Json};
use waypost_core::records::access::Access;
use waypost_core::records::approval::Approval;
use waypost_core::records::decision::Task;
use waypost_core::records::era::Era;
use waypost_core::records::request::{Context, Request};
use waypost_core::records::rollout::Enabled;
use waypost_core::records::run::Run;
use waypost_text::extract::{self, Mark, Operator};
use waypost_text::text::Span;

use super::Utterance;
use super::act::Acts;
use super::mask::each_piece;
use super::matcher::Matcher;
use crate::pack::{Pack, Tool};

/// A request that is ready to be decided.
#[derive(Debug, Clone)]
pub struct Turn<'a> {
    /// The pack that serves it.
    pub pack: &'a Pack,
    /// As it came in.
    pub request: &'a Request,
    /// What was said.
    pub said: Utterance,
    /// The instant of the question in the user's zone.
    pub now: Zoned,
    /// The conversation, as the caller or the session knows it.
    pub context: Context,
    /// The era in which it began.
    pub era: Era,
    /// What may be done.
    pub permits: Permits,
    /// The matchers of an embedder; none, until the router says.
    pub matchers: &'a [Arc<dyn Matcher>],
    /// The run of an earlier turn that this one is about; none, until the router says.
    pub run: Option<EarlierRun>,
    /// What people said before of decisions like this one, by tool, in the unit of a score; nothing, until the router says.
    pub lessons: BTreeMap<String, f64>,
    /// The task, told when it is first asked for.
    pub task: OnceLock<Task>,
    /// What the text does in the conversation, told when it is first asked for.
    pub acts: OnceLock<Acts>,
    /// The conditions in the text, found when they are first asked for.
    pub conditions: OnceLock<Vec<Span>>,
}

/// A tool that said that it is the wrong one for what is asked. Source: S3-24.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrongTool {
    /// Its name.
    pub name: String,
    /// What its server said, if it said anything.
    pub words: Option<String>,
}

/// The parts and tools that may take part in a turn; all, until the router says otherwise.
#[derive(Debug, Clone, Default)]
pub struct Permits {
    /// The layers, matchers and handlers that are on.
    pub enabled: Enabled,
    /// The tools that said in this turn that they are the wrong ones.
    pub failed: Vec<WrongTool>,
    /// The tools that their servers do not offer now.
    pub gone: BTreeSet<String>,
}

/// The run of an earlier turn that a turn is about.
#[derive(Debug, Clone)]
pub enum EarlierRun {
    /// It goes on: the turn makes its calls.
    Resumed(Run),
    /// It goes on if the turn answers the question that it came to.
    Waiting(Run),
    /// The user gave it up.
    Abandoned(Run),
    /// There is none to go on with or to give up.
    Missing,
}

impl Turn<'_> {
    /// The conditions in these words under which something is asked for. What is to be written may hold any: "note: call Bob if it
    /// rains". No words are about a settled call.
    pub(crate) fn own_conditions(&self) -> &[Span] {
        self.conditions.get_or_init(|| {
            if self.is_settled() {
                return Vec::new();
            }
            let mut found =
                extract::conditions(&self.said.text, &self.said.values, self.said.language);
            let contents = &self.said.discourse.contents;
            found.retain(|own| !contents.iter().any(|content| content.overlaps(*own)));
            found
        })
    }

    /// Returns whether nothing stands beside the conditions but one clause that begins with a question: "what would happen
    /// if …", 如果…會怎麼樣.
    pub(crate) fn only_supposes(&self) -> bool {
        /// The most characters before the question: the 會 of 會怎麼樣.
        const LEAD: usize = 2;
        let conditions = self.own_conditions();
        let is_cut = |(at, c): (usize, char)| {
            let within = conditions.iter().any(|own| (own.start..own.end).contains(&at));
            within || ".?!;,。？！；，¿¡\n".contains(c)
        };
        let mut clauses: Vec<Span> = Vec::new();
        for (at, c) in self.said.text.original().chars().enumerate() {
            match clauses.last_mut() {
                _ if is_cut((at, c)) => {}
                Some(last) if last.end == at => last.end = at + 1,
                _ => clauses.push(Span { start: at, end: at + 1 }),
            }
        }
        clauses.retain(|clause| self.said.text.slice(*clause).contains(char::is_alphanumeric));
        let mut questions = self.said.discourse.marks.iter();
        let asks = |mark: &Mark| mark.operator == Operator::Question;
        let leads = |mark: &Mark, clause: Span| {
            let lead = Span { start: clause.start, end: mark.span.start };
            clause.contains(mark.span) && self.said.text.slice(lead).trim().chars().count() <= LEAD
        };
        match clauses[..] {
            // 如果…會怎麼樣 has no pause, and all of it is read as the condition.
            [] => !conditions.is_empty() && questions.any(asks),
            [clause] => {
                !conditions.is_empty() && questions.any(|mark| asks(mark) && leads(mark, clause))
            }
            _ => false,
        }
    }

    /// All conditions under which a call is asked for, as they were said: in these words, or in those that led to the open question.
    pub(crate) fn all_conditions(&self) -> Vec<String> {
        let own = self.own_conditions().iter().map(|span| self.said.text.slice(*span).to_owned());
        let before = &self.context.conditions;
        let said = if before.is_empty() { self.shown_conditions() } else { before.clone() };
        said.into_iter().chain(own).collect()
    }

    /// The conditions that the open question for an approval showed, as its yes has them.
    fn shown_conditions(&self) -> Vec<String> {
        let options = self.context.options.iter().map(|choice| &choice.value);
        let mut asked = options.filter(|value| Approval::of(value).is_some());
        let shown = asked.find_map(|value| value.get("conditions")?.as_array());
        shown.into_iter().flatten().filter_map(|own| own.as_str().map(str::to_owned)).collect()
    }

    /// The approval that the open question asks for, where it showed this very call.
    pub(crate) fn shown(&self, tool: &str, arguments: &Map<String, Json>) -> Option<Approval> {
        let shows = |value: &Json| {
            value.get("tool").and_then(Json::as_str) == Some(tool)
                && value.get("arguments").and_then(Json::as_object) == Some(arguments)
        };
        let mut options = self.context.options.iter().filter(|choice| shows(&choice.value));
        options.find_map(|choice| Approval::of(&choice.value))
    }

    /// The run that goes on in this turn.
    pub(crate) fn resumed(&self) -> Option<&Run> {
        match &self.run {
            Some(EarlierRun::Resumed(run)) => Some(run),
            _ => None,
        }
    }

    /// Returns whether the calls are settled before any word is read: the caller declared one, or a run goes on.
    pub(crate) fn is_settled(&self) -> bool {
        self.request.call.is_some() || self.resumed().is_some()
    }

    /// The access of a tool to the world: as the pack says, else as its server was heard to hint. Until its
    /// server was asked it is decided as one that reads; no call is made before that, and then one of which
    /// nobody says what it does is taken to destroy.
    pub fn access(&self, tool: &str) -> Access {
        let said = self.pack.tool(tool).and_then(|tool| tool.spec.access);
        said.or_else(|| self.context.access.get(tool).copied()).unwrap_or(Access::Read)
    }

    /// The masked text without the words of the language: values, names, and words that the pack's examples have in several
    /// languages, which are names too ("SST"). The second is true if anything is named.
    pub(crate) fn shared(&self) -> (String, bool) {
        let mut shared = String::new();
        let mut names = !self.said.discourse.mentions.is_empty();
        let whole = 0..self.said.text.normalized().len();
        each_piece(&self.said.text, &self.said.values, &self.said.discourse, whole, |piece| {
            if piece.mask.is_some() {
                piece.write(&self.said.text, &mut shared);
                return;
            }
            let words = &self.said.text.normalized()[piece.bytes];
            for word in crate::pack::words(words) {
                if self.pack.shares(word) && !extract::is_word(word, self.said.language) {
                    shared.push(' ');
                    shared.push_str(word);
                    names = true;
                }
            }
        });
        (shared, names)
    }

    /// Returns whether a word outside of values and names is in no example of the pack.
    pub(crate) fn has_unknown_words(&self) -> bool {
        let masked = self.said.masked();
        let mut words = crate::pack::words(masked);
        words.any(|word| !self.pack.knows(word))
    }

    /// Returns whether the words say by themselves what is asked: nothing that was said, asked or
    /// shown before, and nothing that the caller adds, may mean a part of it.
    pub(crate) fn stands_alone(&self) -> bool {
        let points = self.said.objection.is_some()
            || self.said.discourse.says(Operator::Correction)
            || self.said.has_reference()
            || self.said.leans();
        let given = self.context.extra.is_some() || !self.context.hints.is_empty();
        self.is_unprompted() && !given && !points
    }

    /// Returns whether nothing was said, asked or shown before, and the caller adds nothing: no word can mean any of it.
    pub(crate) fn is_first(&self) -> bool {
        let context = &self.context;
        let given = context.extra.is_some() || !context.hints.is_empty();
        self.is_unprompted()
            && !given
            && context.history.is_empty()
            && context.last_calls.is_empty()
            && context.answer.is_none()
    }

    /// Returns whether the text answers nothing that was asked before, and nobody but its words says what is asked.
    pub(crate) fn is_unprompted(&self) -> bool {
        let context = &self.context;
        let open = !context.options.is_empty()
            || context.active_tool.is_some()
            || context.active_argument.is_some()
            || context.asked.is_some()
            || !context.active_arguments.is_empty()
            || !context.waiting.is_empty();
        let is_chosen =
            self.request.choice.is_some() || self.request.route.is_some() || self.is_settled();
        !(open || is_chosen)
    }

    /// Returns whether a flag of the workflow is set.
    pub fn flag(&self, name: &str) -> bool {
        self.context.flags.get(name).is_some_and(|value| *value == Json::Bool(true))
    }

    /// The value of a switch: as the commands of this text set it, or else those before.
    pub(crate) fn switch(&self, name: &str) -> Option<String> {
        let own = self.said.commands.switches().remove(name);
        own.or_else(|| self.context.switches.get(name).cloned())
    }

    /// Returns whether every tool is selected, whatever the words ask for.
    pub(crate) fn selects_all(&self) -> bool {
        self.switch("caps").as_deref() == Some("off")
    }

    /// The tool that the user talks to alone.
    pub(crate) fn direct_chat(&self) -> Option<&Tool> {
        let name = self.context.switches.get("chat")?;
        self.pack.tool(name).filter(|tool| tool.spec.direct_chat)
    }

    /// The tool that the words of this turn are for alone: behind `/chat:NAME` already its, and behind `/exit` nobody's.
    pub(crate) fn talks_to(&self) -> Option<&Tool> {
        if self.said.commands.value_of("exit").is_some() {
            return None;
        }
        let entered = self.said.commands.value_of("chat").flatten();
        let entered = entered.and_then(|name| self.pack.tool(name));
        entered.filter(|tool| tool.spec.direct_chat).or_else(|| self.direct_chat())
    }
}

//! Ingest: from a request to a turn whose words are normalized, whose instant is known and whose
//! values are found. Nothing later reads the raw text again; the other fields stay in [`Turn::request`].

pub mod act;
mod asked;
pub(crate) mod commands;
mod left_out;
mod mask;
pub mod matcher;
pub mod memory;
pub mod mention;
pub(crate) mod own;
pub(crate) mod pointing;
pub(crate) mod task;
pub(crate) mod views;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use jiff::Zoned;
use serde_json::{Map, Value as Json};
use waypost_core::error::{Code, Error, Result};
use waypost_core::records::access::Access;
use waypost_core::records::approval::Approval;
use waypost_core::records::decision::Task;
use waypost_core::records::era::Era;
use waypost_core::records::request::{Context, MAX_TEXT_BYTES, Request};
use waypost_core::records::rollout::Enabled;
use waypost_core::records::run::Run;
use waypost_text::effort::Budget;
use waypost_text::extract::{self, Kind, Objection, Operator, Reading, Unread, Value};
use waypost_text::language::Language;
use waypost_text::text::{Span, Text};

use crate::pack::spec::Selection;
use crate::pack::{Pack, Tool};
use crate::turn::act::Acts;
use crate::turn::commands::Commands;
pub(crate) use crate::turn::mask::Masked;
pub use crate::turn::mask::mask;
use crate::turn::mask::{each_piece, mask_bytes};
use crate::turn::matcher::Matcher;
use crate::turn::mention::{Discourse, Stance};

/// The most parts of a wish that are read: each is masked with all values of the text.
const MOST_WISHES: usize = 16;

/// The commands that a pack may read at the start of a text, each with what it takes.
pub fn commands() -> impl Iterator<Item = String> {
    commands::usage()
}

/// A request that is ready to be decided.
#[derive(Debug, Clone)]
pub struct Turn<'a> {
    /// The pack that serves it.
    pub pack: &'a Pack,
    /// As it came in.
    pub request: &'a Request,
    /// The commands at the start of the text, where the pack reads some.
    pub commands: Commands,
    /// The user's own words.
    pub text: Text,
    /// True if orders to whoever answers stood beside them; they count for nothing.
    pub had_orders: bool,
    /// The language that they are written in.
    pub language: Language,
    /// True if the pack does not have their language: its examples say nothing about such words.
    pub is_foreign: bool,
    /// The instant of the question in the user's zone.
    pub now: Zoned,
    /// The conversation, as the caller or the session knows it.
    pub context: Context,
    /// The era in which it began.
    pub era: Era,
    /// The values that the extractors found.
    pub values: Vec<Value>,
    /// The stretches that look like values and that no extractor could read.
    pub unread: Vec<Unread>,
    /// The pack's values that the words name, and how each is meant.
    pub discourse: Discourse,
    /// The objection to how the turn before was understood, in any language of the pack.
    pub objection: Option<Objection>,
    /// The part that asks, where the rest only tells what led to it.
    pub core: Option<Span>,
    /// The parts that leave something out of what the rest asks for, in the order of the text.
    pub left_out: Vec<Span>,
    /// The layers, matchers and handlers that are on in this turn; all, until the router says.
    pub enabled: Enabled,
    /// The matchers of an embedder; none, until the router says.
    pub matchers: &'a [Arc<dyn Matcher>],
    /// The run of an earlier turn that this one is about; none, until the router says.
    pub run: Option<EarlierRun>,
    /// The tools that said in this turn that they are the wrong ones.
    pub failed: Vec<String>,
    /// The tools that their servers do not offer now; none, until the router says.
    pub gone: BTreeSet<String>,
    /// What people said before of decisions like this one, by tool, in the unit of a score; nothing, until the router says.
    pub lessons: BTreeMap<String, f64>,
    /// The task, told when it is first asked for.
    pub task: OnceLock<Task>,
    /// What the text does in the conversation, told when it is first asked for.
    pub acts: OnceLock<Acts>,
    /// The conditions in the text, found when they are first asked for.
    pub conditions: OnceLock<Vec<Span>>,
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
            let mut found = extract::conditions(&self.text, &self.values, self.language);
            let contents = &self.discourse.contents;
            found.retain(|own| !contents.iter().any(|content| content.overlaps(*own)));
            found
        })
    }

    /// All conditions under which a call is asked for, as they were said: in these words, or in those that led to the open question.
    pub(crate) fn all_conditions(&self) -> Vec<String> {
        let own = self.own_conditions().iter().map(|span| self.text.slice(*span).to_owned());
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

    /// Returns whether reading the text was given up, so that its values are not all that it says.
    pub fn is_unread(&self) -> bool {
        self.text.is_unread()
    }

    /// The normalized text with every value replaced by its kind.
    ///
    /// The student sees this, so that an example with one place and day serves for all. Of an
    /// objection it sees only the wish: it would take the words that the user denies for the
    /// question.
    pub fn masked(&self) -> String {
        let parts = self.asking().into_iter();
        let masked: Vec<String> = parts.map(|part| self.masked_bytes(part)).collect();
        masked.join(" ")
    }

    /// The words of a part of the text, or of all that asks, without its values: what is compared with what is written about
    /// tools. Names stay, since a tool may list them.
    pub(crate) fn wording(&self, part: Option<Span>) -> String {
        let parts = match part {
            Some(part) => vec![self.text.bytes(part)],
            None => self.asking(),
        };
        let nothing = self.discourse.contents_alone();
        let masked = parts.into_iter().flat_map(|part| self.without_left_out(part));
        let masked: Vec<String> =
            masked.map(|part| mask_bytes(&self.text, &self.values, &nothing, part)).collect();
        masked.join(" ")
    }

    /// Returns whether a part of the text holds a value or a name.
    pub(crate) fn names_within(&self, part: Span) -> bool {
        let names = self.discourse.mentions.iter().chain(&self.discourse.parts);
        let mut named =
            self.values.iter().map(|value| value.span).chain(names.map(|name| name.span));
        named.any(|span| part.contains(span))
    }

    /// The same without the words of the language: values, names, and words that the pack's examples have in several
    /// languages, which are names too ("SST"). The second is true if anything is named.
    pub(crate) fn shared(&self) -> (String, bool) {
        let mut shared = String::new();
        let mut names = !self.discourse.mentions.is_empty();
        let whole = 0..self.text.normalized().len();
        each_piece(&self.text, &self.values, &self.discourse, whole, |piece| {
            if piece.mask.is_some() {
                piece.write(&self.text, &mut shared);
                return;
            }
            let words = &self.text.normalized()[piece.bytes];
            for word in crate::pack::words(words) {
                if self.pack.shares(word) && !extract::is_word(word, self.language) {
                    shared.push(' ');
                    shared.push_str(word);
                    names = true;
                }
            }
        });
        (shared, names)
    }

    /// The bytes of the normalized text that ask: all, or the wish of an objection. A wish that is
    /// nothing but a value, or points back, asks for nothing without the words around it.
    fn asking(&self) -> Vec<Range<usize>> {
        let wish = self.objection.iter().flat_map(|objection| &objection.wish);
        let parts: Vec<Range<usize>> = wish.map(|span| self.text.bytes(*span)).collect();
        let says = parts.iter().any(|part| self.has_words(part.clone()));
        if says && !self.wish_points_back() {
            return parts;
        }
        let whole = 0..self.text.normalized().len();
        let part = self.core.filter(|_| self.objection.is_none()).map(|core| self.text.bytes(core));
        self.without_left_out(part.unwrap_or(whole))
    }

    /// Returns whether the wish of an objection is nothing but values and names.
    pub(crate) fn wishes_a_value(&self) -> bool {
        let wish = self.objection.iter().flat_map(|objection| &objection.wish);
        let mut parts = wish.map(|span| self.text.bytes(*span)).peekable();
        parts.peek().is_some() && parts.all(|part| !self.has_words(part))
    }

    /// Returns whether a word stands in a part of the text outside of values and names.
    pub(crate) fn has_words(&self, part: Range<usize>) -> bool {
        let mut found = false;
        each_piece(&self.text, &self.values, &self.discourse, part, |piece| {
            let bytes = piece.bytes.clone();
            let says = self.text.normalized()[bytes].contains(char::is_alphabetic);
            found |= piece.mask.is_none() && says;
        });
        found
    }

    fn masked_bytes(&self, part: Range<usize>) -> String {
        mask_bytes(&self.text, &self.values, &self.discourse, part)
    }

    /// The same for a part of the text.
    pub(crate) fn masked_part(&self, part: Span) -> String {
        let parts = self.without_left_out(self.text.bytes(part)).into_iter();
        parts.map(|part| self.masked_bytes(part)).collect::<Vec<_>>().join(" ")
    }

    /// Returns how the words at `span` are meant.
    pub fn stance(&self, span: Span) -> Stance {
        self.discourse.stance(&self.text, span)
    }

    /// Returns whether a word outside of values and names is in no example of the pack.
    pub(crate) fn has_unknown_words(&self) -> bool {
        let masked = self.masked();
        let mut words = crate::pack::words(&masked);
        words.any(|word| !self.pack.knows(word))
    }

    /// Returns whether a word points back to what was said before, in any language of the pack: its
    /// users mix them ("rephrase lo anterior").
    pub(crate) fn points_back(&self) -> bool {
        let mut languages = self.pack.languages.iter().chain([&self.language]);
        languages.any(|language| extract::points_back(&self.text, &self.values, *language))
    }

    /// Returns whether the wish of an objection points back itself: "I didn't ask why, is there one
    /// now?"
    pub(crate) fn wish_points_back(&self) -> bool {
        let mut wish = self.objection.iter().flat_map(|objection| &objection.wish);
        wish.any(|part| self.part_points_back(*part))
    }

    /// Returns whether a word of a part, outside of its values, points back to what was said before that.
    pub(crate) fn part_points_back(&self, part: Span) -> bool {
        let text = Text::with_budget(self.text.slice(part), Budget::of(part.len()));
        let text = if self.is_foreign { text } else { self.pack.corrected(text, self.language) };
        let within = self.values.iter().filter(|value| part.contains(value.span));
        let moved =
            |span: Span| Span { start: span.start - part.start, end: span.end - part.start };
        let values: Vec<Value> =
            within.map(|value| Value { span: moved(value.span), ..value.clone() }).collect();
        let mut languages = self.pack.languages.iter().chain([&self.language]);
        languages.any(|language| extract::points_back(&text, &values, *language))
    }

    /// Returns whether the words say by themselves what is asked: nothing that was said, asked or
    /// shown before, and nothing that the caller adds, may mean a part of it.
    pub(crate) fn stands_alone(&self) -> bool {
        let context = &self.context;
        let open = !context.options.is_empty()
            || context.active_tool.is_some()
            || context.active_argument.is_some()
            || context.asked.is_some()
            || !context.active_arguments.is_empty()
            || !context.waiting.is_empty();
        let given = context.extra.is_some()
            || !context.hints.is_empty()
            || self.request.choice.is_some()
            || self.request.route.is_some()
            || self.is_settled();
        let points = self.objection.is_some()
            || self.discourse.says(Operator::Correction)
            || extract::has_reference(&self.text, self.language)
            || self.points_back();
        !(open || given || points)
    }

    /// Returns whether the words are nothing but values, names and words that ask for the last
    /// answer with them: "and yesterday?", "Keelung".
    pub(crate) fn is_bare(&self) -> bool {
        let mut values = self.values.clone();
        values.extend(self.discourse.mentions.iter().map(|mention| self.as_value(mention.span)));
        values.sort_by_key(|value| value.span);
        extract::is_elliptical(&self.text, &values, self.language)
    }

    /// A name as a value, for code that looks at the words around values.
    pub(crate) fn as_value(&self, span: Span) -> Value {
        let text = self.text.slice(span).to_owned();
        let reading = Reading::Text(text.clone());
        let rule = "words".into();
        Value { kind: Kind::Quoted, span, text, rule, reading, alternatives: Vec::new() }
    }

    /// Returns whether a flag of the workflow is set.
    pub fn flag(&self, name: &str) -> bool {
        self.context.flags.get(name).is_some_and(|value| *value == Json::Bool(true))
    }

    /// The value of a switch: as the commands of this text set it, or else those before.
    pub(crate) fn switch(&self, name: &str) -> Option<String> {
        let own = self.commands.switches().remove(name);
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
        if self.commands.value_of("exit").is_some() {
            return None;
        }
        let entered = self.commands.value_of("chat").flatten();
        let entered = entered.and_then(|name| self.pack.tool(name));
        entered.filter(|tool| tool.spec.direct_chat).or_else(|| self.direct_chat())
    }
}

/// Makes a turn of a request.
///
/// # Errors
///
/// `INVALID_ARGUMENT` if the instant or the zone is broken, or the text is longer than
/// [`MAX_TEXT_BYTES`].
pub fn ingest<'a>(pack: &'a Pack, request: &'a Request, context: Context) -> Result<Turn<'a>> {
    ingest_within(pack, request, context, Budget::of(request.text.len()))
}

/// Makes a turn of a request as [`ingest`] does, whose text may take so many steps to read.
///
/// # Errors
///
/// As [`ingest`].
pub(crate) fn ingest_within<'a>(
    pack: &'a Pack,
    request: &'a Request,
    mut context: Context,
    budget: Budget,
) -> Result<Turn<'a>> {
    if request.text.len() > MAX_TEXT_BYTES {
        let message =
            format!("the text has {} bytes, the limit is {MAX_TEXT_BYTES}", request.text.len());
        return Err(Error::new(Code::InvalidArgument, message)
            .with_hint("ask a shorter question, or give long material as a file"));
    }
    let now = request.instant(&pack.spec.tz)?;
    let routes: Vec<String> = pack.spec.routes.iter().map(|route| route.name.clone()).collect();
    let open = [context.options.is_empty(), context.waiting.is_empty()];
    let answers = context.active_tool.is_some() || open.contains(&false);
    let mut own = own::own(&request.text, &routes, answers);
    let commands = match pack.spec.commands {
        true => own.without_commands(),
        false => {
            // Nobody switches anything of a pack that reads no commands.
            context.switches.clear();
            Commands::default()
        }
    };
    let text = Text::with_budget(&own.words, budget);
    let (language, is_foreign) = language_of(pack, request, &context, &text);
    // The words of another language are none that slipped.
    let text = if is_foreign { text } else { pack.corrected(text, language) };
    let asked = context.active_argument.as_deref();
    let (mut values, mut discourse) = read(pack, &text, language, asked, &now);
    hinted(&mut values, &mut discourse, &context.hints);
    for value in memory::referred(pack, &text, &values, language, &context.last_calls) {
        values.retain(|other| !other.span.overlaps(value.span));
        values.push(value);
        values.sort_by_key(|value| value.span);
    }
    let objection = objection(pack, &text, language);
    let core = core(&text, language, &values, &discourse);
    let left_out = left_out::find(&text, language, &values, &discourse);
    // Nobody asks for what no argument wants.
    let unread =
        if pack.tools.is_empty() { Vec::new() } else { extract::unread(&text, &values, language) };
    Ok(Turn {
        pack,
        request,
        commands,
        text,
        had_orders: own.had_orders,
        language,
        is_foreign,
        now,
        context,
        era: Era::default(),
        values,
        unread,
        discourse,
        objection,
        core,
        left_out,
        enabled: Enabled::default(),
        matchers: &[],
        run: None,
        failed: Vec::new(),
        gone: BTreeSet::new(),
        lessons: BTreeMap::new(),
        task: OnceLock::new(),
        acts: OnceLock::new(),
        conditions: OnceLock::new(),
    })
}

/// Leaves each name the things that the user looks at, where one of those bears it: in a tab of coins `SOL` is the coin.
fn hinted(values: &mut [Value], discourse: &mut Discourse, hints: &[String]) {
    for mention in &mut discourse.mentions {
        if mention.entries.iter().any(|(name, _)| hints.contains(name)) {
            mention.entries.retain(|(name, _)| hints.contains(name));
        }
    }
    let is_hinted = |reading: &Reading| matches!(reading, Reading::Entity { gazetteer, .. } if hints.contains(gazetteer));
    for value in values {
        let Some(at) = value.alternatives.iter().position(is_hinted) else { continue };
        if !is_hinted(&value.reading) {
            value.reading = value.alternatives.remove(at);
        }
        value.alternatives.retain(is_hinted);
    }
}

/// Finds the objection in a text to how the turn before was understood. A user who mixes languages
/// may object in another one of the pack; English and Chinese words are read in any text.
fn objection(pack: &Pack, text: &Text, language: Language) -> Option<Objection> {
    let is_read = |other: Language| other == Language::En || other.is_chinese();
    let others = pack.languages.iter().copied();
    let others = others.filter(|other| *other != language && !is_read(*other));
    let mut languages = [language].into_iter().chain(others);
    let mut found = languages.find_map(|language| extract::objection(text, language))?;
    found.wish.truncate(MOST_WISHES);
    Some(found)
}

/// The part of a text that asks: the question of a story, or what stands beside something that was done. One that names
/// nothing and is short, or points to what was told, may only ask for help with that.
fn core(text: &Text, language: Language, values: &[Value], discourse: &Discourse) -> Option<Span> {
    /// The fewest letters by which a question says itself what it is about; Chinese ones count for three.
    const LEAST: usize = 48;
    /// The same beside what was done: there a step is named in a word or two.
    const LEAST_STEP: usize = 12;
    let question = extract::question(text).map(|core| (core, LEAST));
    let (core, least) =
        question.or_else(|| Some((extract::beside_done(text, language)?, LEAST_STEP)))?;
    let says = |value: &&Value| value.kind != Kind::Boolean && !value.rule.is_now();
    let values = values.iter().filter(says).map(|value| value.span);
    let mut named = values.chain(discourse.mentions.iter().map(|mention| mention.span));
    let words = Text::new(text.slice(core));
    let long =
        || words.original().chars().map(|c| c.len_utf8().clamp(1, 3)).sum::<usize>() >= least;
    let alone = || long() && !extract::points_back(&words, &[], language);
    (named.any(|span| core.contains(span)) || alone()).then_some(core)
}

/// Finds the values in a text, and the names of the pack's own values.
pub(crate) fn read(
    pack: &Pack,
    text: &Text,
    language: Language,
    asked: Option<&str>,
    now: &Zoned,
) -> (Vec<Value>, Discourse) {
    let scope = extract::Context {
        now,
        language,
        gazetteers: &pack.gazetteers,
        conventions: extract::Conventions::STANDARD,
        wanted: pack.wanted,
    };
    let mut values = extract::extract(text, &scope);
    let discourse = Discourse::read(pack, text, language, asked, &mut values);
    let discourse = match pack.spec.selection {
        Selection::PerTool => discourse.with_tenses(&values, now),
        Selection::Student | Selection::Catalog => discourse,
    };
    (values, discourse)
}

/// The language of what was said before, as far as the caller has sent it: "2" is written in none.
fn language_before(pack: &Pack, context: &Context) -> Option<Language> {
    let topics = context.history.iter().rev().map(|topic| &topic.topic);
    let said = context.asked.iter().chain(&context.answer).chain(topics);
    let mut languages = said.filter_map(|said| {
        let text = Text::with_budget(said, Budget::of(said.len()));
        extract::guess(&text, &pack.languages).language
    });
    languages.find(|language| pack.speaks(*language))
}

/// The language that the words are written in, and whether they surely are in one that the pack does not have. The
/// caller's hint decides what they leave open.
fn language_of(pack: &Pack, request: &Request, context: &Context, text: &Text) -> (Language, bool) {
    let hint = request.language_hint();
    let guess = extract::guess(text, &pack.languages);
    let going_on = context
        .language
        .filter(|before| !guess.is_sure && !pack.speaks(*before) && extract::may_be(text, *before));
    if let Some(before) = going_on.filter(|_| hint.is_none()) {
        return (before, true);
    }
    let is_foreign = guess.is_sure && !guess.language.is_some_and(|found| pack.speaks(found));
    let language = match (guess.language, hint) {
        // Many short Chinese texts are the same in both scripts; then the caller knows better.
        (Some(found), Some(hint)) if found.is_chinese() && hint.is_chinese() => hint,
        // Nothing spoke for another language; the words of the pack's examples may.
        (Some(Language::En), None) => {
            pack.likely_language(text.normalized()).unwrap_or(Language::En)
        }
        (Some(found), _) => found,
        (None, Some(hint)) => hint,
        (None, None) => {
            let before = context.language.or_else(|| language_before(pack, context));
            before.or_else(|| pack.languages.first().copied()).unwrap_or(Language::En)
        }
    };
    (language, is_foreign)
}

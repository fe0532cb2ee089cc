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
mod sections;
pub(crate) mod task;
pub(crate) mod told;
mod turn;
mod utterance;
pub(crate) mod views;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use jiff::Zoned;
use waypost_core::error::{Code, Error, Result};
use waypost_core::records::era::Era;
use waypost_core::records::request::{Context, MAX_TEXT_BYTES, Request};
use waypost_text::effort::Budget;
use waypost_text::extract::{self, Reading, Value};
use waypost_text::language::Language;
use waypost_text::text::Text;

use self::commands::Commands;
pub(crate) use self::mask::Masked;
pub use self::mask::mask;
use self::mention::Discourse;
pub use self::sections::Section;
pub use self::turn::{EarlierRun, Permits, Turn, WrongTool};
pub use self::utterance::Utterance;
use crate::pack::Pack;
use crate::pack::spec::Selection;

/// The commands that a pack may read at the start of a text, each with what it takes.
pub fn commands() -> impl Iterator<Item = String> {
    commands::usage()
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
    let mut said = utterance_of(pack, request, &context, text, &now);
    (said.commands, said.had_orders) = (commands, own.had_orders);
    Ok(Turn {
        pack,
        request,
        said,
        now,
        context,
        era: Era::default(),
        permits: Permits::default(),
        matchers: &[],
        run: None,
        lessons: BTreeMap::new(),
        task: OnceLock::new(),
        acts: OnceLock::new(),
        conditions: OnceLock::new(),
    })
}

/// Reads the user's own words in a conversation.
fn utterance_of(
    pack: &Pack,
    request: &Request,
    context: &Context,
    text: Text,
    now: &Zoned,
) -> Utterance {
    let (language, is_foreign) = language_of(pack, request, context, &text);
    // The words of another language are none that slipped.
    let text = if is_foreign { text } else { pack.corrected(text, language) };
    let asked = context.active_argument.as_deref();
    let (mut values, mut discourse) = read(pack, &text, language, asked, now);
    hinted(&mut values, &mut discourse, &context.hints);
    for value in memory::referred(pack, &text, &values, language, &context.last_calls) {
        values.retain(|other| !other.span.overlaps(value.span));
        values.push(value);
        values.sort_by_key(|value| value.span);
    }
    Utterance::of(pack, text, language, is_foreign, values, discourse)
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
    // What counts the items of a list is no value.
    let items = extract::items(text);
    values.retain(|value| !items.iter().any(|mark| mark.contains(value.span)));
    let discourse = Discourse::read(pack, text, language, asked, &mut values);
    let discourse = match pack.spec.selection {
        Selection::PerTool => discourse.with_tenses(&values, now),
        Selection::Student | Selection::Catalog => discourse,
    };
    (values, discourse)
}

/// The language of a text of which nothing is expected, among those that the program speaks.
pub(crate) fn language(text: &Text) -> Option<Language> {
    extract::detect(text, &Language::ALL)
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

//! Ranks the functions of a request for what was said, by what is written about them.

use std::sync::LazyLock;

use serde_json::Value as Json;
use waypost_text::language::Language;

use super::conversation::Said;
use super::{Keep, Untouched};
use crate::catalog::weights::{Beside, Ranking, Weights};
use crate::catalog::{Asked, Catalog, Written, phrasings};

/// A message counts this share of the one after it.
const FADES: f64 = 0.5;

/// A text of whose telling words the tools know a smaller share has met them by chance: "on" is a word of several languages.
const LEAST_KNOWN: f32 = 0.1;

/// The languages whose words the catalog knows.
static KNOWN: LazyLock<Vec<Language>> = LazyLock::new(|| {
    let phrasings = phrasings();
    let is_known =
        |language: &Language| phrasings.iter().any(|one| !one.words(*language).is_empty());
    Language::ALL.into_iter().filter(is_known).collect()
});

/// The rankings of the parts of a message, each with the probability that any tool serves it.
type Parts = Vec<(Ranking, f64)>;

/// Ranks the tools for the messages of a user, the last one first.
pub(super) fn messages(said: &[Said], tools: &[Json]) -> Vec<Result<Parts, Untouched>> {
    let written: Vec<Written> = tools.iter().map(written).collect();
    let catalog = Catalog::read(&written, &[]);
    let all: Vec<usize> = (0..tools.len()).collect();
    said.iter().map(|message| parts(&catalog, message, &all)).collect()
}

fn parts(catalog: &Catalog, message: &Said, all: &[usize]) -> Result<Parts, Untouched> {
    let language = message.language.filter(|language| KNOWN.contains(language));
    let language = language.ok_or(Untouched::Language)?;
    let parts = message.parts.iter().map(|part| {
        let asked = Asked::read(part, language);
        let known = catalog.known(&asked);
        let candidates = catalog.candidates(&asked, all);
        let ranking = Weights::built_in().rank(&candidates, known, &Beside::default());
        let in_scope = if known < LEAST_KNOWN { 0.0 } else { ranking.in_scope };
        (ranking, in_scope)
    });
    Ok(parts.collect())
}

/// The rank of a tool in a conversation.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Rank {
    /// The highest probability that a part of the conversation gives it.
    pub(super) share: f64,
    /// True if a part of the conversation may need it.
    pub(super) needed: bool,
}

/// Says which of so many tools the messages may need.
///
/// For each part of a message, the likeliest tools are needed until the probability of the rest is at most `keep.missed`.
/// Parts that ask for nothing, and earlier messages, count less.
///
/// # Errors
///
/// The reason why nothing may be left out, if the last message is not understood.
pub(super) fn ranks(
    messages: &[Result<Parts, Untouched>],
    tools: usize,
    keep: &Keep,
) -> Result<Vec<Rank>, Untouched> {
    let mut ranks = vec![Rank::default(); tools];
    let mut counts = 1.0;
    for (place, message) in messages.iter().enumerate() {
        match understood(message, keep) {
            Ok((parts, best)) => parts.iter().for_each(|(ranking, in_scope)| {
                add(&mut ranks, ranking, counts * in_scope / best, keep);
            }),
            // Only the last message must be understood: the others were answered.
            Err(why) if place == 0 => return Err(why),
            Err(_) => {}
        }
        counts *= FADES;
    }
    Ok(ranks)
}

/// The parts of a message, and the highest probability that any tool serves one of them.
fn understood<'a>(
    message: &'a Result<Parts, Untouched>,
    keep: &Keep,
) -> Result<(&'a Parts, f64), Untouched> {
    let parts = message.as_ref().map_err(|why| *why)?;
    let best = parts.iter().map(|(_, in_scope)| *in_scope).fold(0.0, f64::max);
    let is_understood = best > 0.0 && best >= keep.in_scope;
    is_understood.then_some((parts, best)).ok_or(Untouched::NothingFits)
}

fn add(ranks: &mut [Rank], ranking: &Ranking, counts: f64, keep: &Keep) {
    let sharp = |share: f64| share.powf(keep.sharpness);
    let all: f64 = ranking.tools.iter().map(|(_, share)| sharp(*share)).sum();
    let mut rest = counts;
    for (tool, share) in &ranking.tools {
        let (rank, share) = (&mut ranks[*tool], counts * sharp(*share) / all);
        rank.needed |= rest > keep.missed;
        rank.share = rank.share.max(share);
        rest -= share;
    }
}

/// What is written about a tool.
fn written(tool: &Json) -> Written {
    let function = &tool["function"];
    let text = |value: &Json| value.as_str().unwrap_or_default().to_owned();
    let properties = function["parameters"]["properties"].as_object().into_iter().flatten();
    let arguments = properties.map(|(name, schema)| {
        let listed = schema["enum"].as_array().into_iter().flatten();
        let listed = listed.filter_map(|value| value.as_str().map(str::to_owned));
        (name.clone(), text(&schema["description"]), listed.collect())
    });
    Written {
        name: text(&function["name"]),
        description: text(&function["description"]),
        arguments: arguments.collect(),
        ..Written::default()
    }
}

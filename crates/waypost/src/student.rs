//! The student of a pack: its examples as the classifier sees them, trained.
//!
//! Tools of one family share a head: the words tell what kind of question it is, the values tell
//! which tool of the family can answer it.

use jiff::civil::date;

use crate::encoder::Encoder;
use crate::error::{Error, Result};
use crate::learning::{Bundle, Input, Labelled, Options, Progress, Scratch, sound, train};
use crate::pack::{Example, Pack, Tool};
use crate::text::Text;
use crate::turn::{Turn, mask, read};

/// Trains the student of a pack from its examples; the same pack gives the same student.
///
/// # Errors
///
/// `INVALID_ARGUMENT` if the examples contradict each other, a route has only one, or there are none.
pub fn train_student(
    pack: &Pack,
    encoder: Option<&dyn Encoder>,
    progress: &mut dyn FnMut(Progress),
) -> Result<Bundle> {
    let examples = labelled(pack)?;
    sound::check(&examples)?;
    let options = Options { pack: pack.id.clone(), ..Options::default() };
    train(&examples, &options, encoder, progress)
}

/// The examples of a pack, masked as a turn is.
///
/// # Errors
///
/// `INTERNAL` if the pack's zone has gone since it was loaded.
pub fn labelled(pack: &Pack) -> Result<Vec<Labelled>> {
    // Which day it is does not matter: relative days are masked whatever they mean.
    let zone = crate::request::zone(&pack.spec.tz)?;
    let now = date(2025, 1, 15)
        .at(9, 0, 0, 0)
        .to_zoned(zone)
        .map_err(|error| Error::internal(error.to_string()))?;
    Ok(pack.examples.iter().map(|example| label(pack, example, &now)).collect())
}

fn label(pack: &Pack, example: &Example, now: &jiff::Zoned) -> Labelled {
    let text = Text::new(&example.text);
    let (values, discourse) = read(pack, &text, example.lang, None, now);
    let mut tools: Vec<String> =
        example.tools.iter().filter_map(|tool| head_of(pack, tool)).collect();
    tools.sort();
    tools.dedup();
    Labelled {
        text: mask(&text, &values, &discourse.mentions),
        language: Some(example.lang.tag().to_owned()),
        route: example.route.clone(),
        tools,
        weight: 1.0,
    }
}

/// The head that a tool's examples train: its own, or its family's where only values tell the tools
/// of the family apart.
pub(crate) fn head_of(pack: &Pack, tool: &str) -> Option<String> {
    Some(head(pack.tool(tool)?).to_owned())
}

fn head(tool: &Tool) -> &str {
    match &tool.spec.family {
        Some(family) if !tool.spec.own_head => family,
        _ => &tool.spec.name,
    }
}

/// The first tool of a head.
pub(crate) fn tool_of_head<'a>(pack: &'a Pack, name: &str) -> Option<&'a Tool> {
    pack.tools.iter().find(|tool| head(tool) == name)
}

/// The tool that the words ask for most, whatever the route, and how likely it is.
pub(crate) fn likeliest_tool<'a>(turn: &'a Turn<'_>, bundle: &Bundle) -> Option<(&'a Tool, f64)> {
    let masked = turn.masked();
    let input = Input { language: Some(turn.language.tag()), ..Input::from(&masked) };
    let scores = bundle.score(input, &mut Scratch::default());
    let heads = bundle.tools().iter().zip(&scores.tools);
    let (head, probability) = heads.max_by(|a, b| a.1.total_cmp(b.1))?;
    Some((tool_of_head(turn.pack, head)?, f64::from(*probability)))
}

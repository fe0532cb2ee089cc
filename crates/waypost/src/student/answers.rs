//! What an answer in the user's own words means, where a value of a list was asked for: "the ones with a baby on the way".
//!
//! It is learned from the pack's examples of answers. The words that the pack gives for a value are examples too.

use std::collections::BTreeSet;

use waypost_core::Result;
use waypost_learning::{Bundle, Labelled, OUT_OF_SCOPE, Scratch, TrainOptions, train};
use waypost_text::effort::Budget;
use waypost_text::text::{Text, folded};

use crate::pack::spec::{FreeText, Naming};
use crate::pack::{Example, Pack, Tool};

/// The weight of a word that the pack gives for a value, beside an example of an answer.
const OF_WORD: f32 = 0.5;
/// For each request there are so many answers.
const REQUESTS: usize = 2;
/// Stands between an argument and its value in the name of a class.
const IS: char = '=';

/// What an answer means.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Meaning {
    /// The likeliest value.
    pub(crate) value: String,
    /// Its probability.
    pub(crate) share: f32,
}

/// Trains what tells the answers of a pack apart; `None` for a pack without examples of them.
///
/// # Errors
///
/// As [`train`].
pub(super) fn learn(pack: &Pack) -> Result<Option<Bundle>> {
    if pack.answers.is_empty() {
        return Ok(None);
    }
    let told = pack.answers.iter().map(|answer| {
        let text = pack.text(&answer.text, answer.lang, Budget::of(answer.text.len()));
        let route = answer.value.as_ref().map(|value| class(&answer.argument, value));
        row(seen(&text, &answer.argument), route.unwrap_or_else(|| OUT_OF_SCOPE.to_owned()), 1.0)
    });
    let rows: Vec<Labelled> = told.chain(words(pack)).chain(requests(pack)).collect();
    // The words of a turn are those that were meant already.
    let options =
        TrainOptions { names_as_examples: false, spelling: false, ..TrainOptions::default() };
    train(&rows, &options, None, &mut |_| {}).map(Some)
}

/// The words that the pack gives for the values of the arguments that it has answers for, each once.
fn words(pack: &Pack) -> Vec<Labelled> {
    let arguments = asked(pack);
    let mut words: BTreeSet<(String, String)> = BTreeSet::new();
    for (argument, note) in pack.tools.iter().flat_map(Tool::annotations) {
        for (value, naming) in note.values.iter().filter(|_| arguments.contains(argument)) {
            let class = class(argument, value);
            words.extend(
                names(naming).map(|name| (seen(&Text::new(name), argument), class.clone())),
            );
        }
    }
    words.into_iter().map(|(text, class)| row(text, class, OF_WORD)).collect()
}

/// Examples of requests, which answer nothing: those of routes without tools, and of tools that have
/// other arguments too. They stand behind one argument after the other.
fn requests(pack: &Pack) -> impl Iterator<Item = Labelled> {
    let asked = asked(pack);
    let is_answered = |tool: &String| {
        let Some(tool) = pack.tool(tool) else { return false };
        // Nobody is asked for what nobody says.
        let said = tool.annotations().filter(|(_, note)| note.text != Some(FreeText::Never));
        said.map(|(name, _)| name).all(|name| asked.contains(name))
    };
    let others: Vec<&Example> =
        pack.examples.iter().filter(|example| !example.tools.iter().any(is_answered)).collect();
    // As many as there are answers would outweigh the few that say what one value is.
    let step = (REQUESTS * others.len()).div_ceil(pack.answers.len()).max(1);
    let arguments: Vec<&str> = asked.into_iter().collect();
    let behind: Vec<&str> = arguments.iter().copied().cycle().take(others.len()).collect();
    others.into_iter().step_by(step).zip(behind).map(|(example, argument)| {
        let text = pack.text(&example.text, example.lang, Budget::of(example.text.len()));
        row(seen(&text, argument), OUT_OF_SCOPE.to_owned(), OF_WORD)
    })
}

fn names(naming: &Naming) -> impl Iterator<Item = &String> {
    naming.words.iter().chain(naming.label.values())
}

/// The arguments that the pack has answers for.
fn asked(pack: &Pack) -> BTreeSet<&str> {
    pack.answers.iter().map(|answer| answer.argument.as_str()).collect()
}

fn class(argument: &str, value: &str) -> String {
    format!("{argument}{IS}{value}")
}

fn row(text: String, route: String, weight: f32) -> Labelled {
    Labelled { text, language: None, route, tools: Vec::new(), weight }
}

/// A text as it is learned and read, behind the mark of the argument that was asked for: normalized, without accents,
/// which many leave out. "Both" answers several questions.
fn seen(text: &Text, argument: &str) -> String {
    format!("‹{argument}› {}", folded(text.normalized()))
}

/// The meaning of a text as an answer to the question for an argument; `None` where nobody learned it.
pub(crate) fn read(bundle: &Bundle, text: &Text, argument: &str) -> Option<Meaning> {
    let bundle = bundle.answers()?;
    let scores = bundle.score(seen(text, argument).as_str(), &mut Scratch::default());
    let mut meaning: Option<(String, f32)> = None;
    let (mut none, mut sum) = (0.0, 0.0);
    for (class, share) in bundle.routes().iter().zip(scores.routes) {
        if class == OUT_OF_SCOPE {
            none = share;
        } else if let Some((of, value)) = class.split_once(IS)
            && of == argument
        {
            sum += share;
            if meaning.as_ref().is_none_or(|(_, best)| share > *best) {
                meaning = Some((value.to_owned(), share));
            }
        }
    }
    let (value, share) = meaning?;
    // What another argument would be is out of the question.
    let all = (sum + none).max(f32::MIN_POSITIVE);
    Some(Meaning { value, share: share / all })
}

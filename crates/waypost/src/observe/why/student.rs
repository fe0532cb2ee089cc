//! Shows the student's view of a turn: how likely every route and tool is, which pieces of the text
//! say so, and which examples are like it.

use serde::Serialize;
use waypost_core::error::Result;
use waypost_core::records::decision::round;
use waypost_learning::evaluate::explain::{Class, nearest_each};
use waypost_learning::{Bundle, Input, Labelled, Scratch};

use crate::decide::cascade::{DecisionDependencies, vector};
use crate::pack::Pack;
use crate::student::heads::labelled;
use crate::understand::{Masked, Turn};

/// The number of examples that are shown.
const NEAREST: usize = 5;
/// The most pieces that are shown for a class, and the most against it.
const PIECES: usize = 6;
/// The number of routes and of tools that are shown.
const LIKELY: usize = 10;
/// The least that a piece must add to be shown: less is the noise of shared buckets.
const TELLING: f32 = 0.005;

/// The student's view of a turn.
#[derive(Debug, Clone, Serialize)]
pub struct Learned {
    /// The routes, likeliest first; their probabilities sum to 1.
    pub routes: Vec<Likely>,
    /// The heads of the tools, likeliest first, each on its own: given that a tool is asked for.
    pub tools: Vec<Likely>,
    /// The probability that the text belongs to any route.
    pub in_scope: f64,
    /// The examples that are most like it.
    pub nearest: Vec<Nearest>,
    /// The pieces for and against the likeliest route, and the likeliest tool where it has tools.
    pub classes: Vec<ClassView>,
}

/// A class and how likely it is.
#[derive(Debug, Clone, Serialize)]
pub struct Likely {
    /// The route, or the tool or family of tools.
    pub name: String,
    /// Its calibrated probability.
    pub probability: f64,
}

/// An example that is like the text.
#[derive(Debug, Clone, Serialize)]
pub struct Nearest {
    /// Its text.
    pub text: String,
    /// Its text as the student sees it.
    pub masked: String,
    /// Cosine of the features, 0 to 1.
    pub similarity: f64,
    /// Its route.
    pub route: String,
    /// The heads of its tools.
    pub tools: Vec<String>,
}

/// The pieces that speak for and against a class.
#[derive(Debug, Clone, Serialize)]
pub struct ClassView {
    /// `route` or `tool`.
    pub kind: &'static str,
    /// The class.
    pub name: String,
    /// The pieces of the text that speak for it, the strongest first.
    #[serde(rename = "for")]
    pub in_favor: Vec<Piece>,
    /// The pieces that speak against it, the strongest first.
    pub against: Vec<Piece>,
}

/// A piece of the text, as the user wrote it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Piece {
    /// The words; `…` stands for a word between them that does not count.
    pub text: String,
    /// The form in which the student sees them, where that is a value's kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seen_as: Option<String>,
    /// The amount that it adds to the margin of the class, which lies about -1 to 1.
    pub margin: f64,
}

/// Scores a turn; also returns what the student sees of it.
pub(super) async fn learned(
    turn: &Turn<'_>,
    dependencies: &DecisionDependencies<'_>,
) -> Result<(Learned, String)> {
    let bundle = dependencies.bundle;
    let masked = Masked::of(turn);
    // Without its vector a text is scored by its words, as the layer does.
    let vector = vector(&masked.text, dependencies).await.unwrap_or_default();
    let language = Some(turn.said.language.tag());
    let input = Input { text: &masked.text, language, vector: vector.as_deref() };
    let scores = bundle.score(input, &mut Scratch::default());
    let routes = likely(bundle.routes(), &scores.routes);
    let tools = likely(bundle.tools(), &scores.tools);
    let examples = labelled(turn.pack)?;
    let nearest = nearest_of(turn.pack, bundle, &examples, &[&masked.text], NEAREST);
    let nearest = nearest.into_iter().next().unwrap_or_default();
    let index = |names: &[String], best: Option<&Likely>| {
        names.iter().position(|name| best.is_some_and(|best| best.name == *name))
    };
    let mut classes = Vec::new();
    if let Some(route) = index(bundle.routes(), routes.first()) {
        let name = &bundle.routes()[route];
        classes.push(class(turn, bundle, &masked, ("route", name), Class::Route(route)));
        let serves = examples.iter().any(|e| e.route == *name && !e.tools.is_empty());
        if let Some(tool) = index(bundle.tools(), tools.first()).filter(|_| serves) {
            let name = &bundle.tools()[tool];
            classes.push(class(turn, bundle, &masked, ("tool", name), Class::Tool(tool)));
        }
    }
    let in_scope = round(f64::from(scores.in_scope));
    Ok((Learned { routes, tools, in_scope, nearest, classes }, masked.text))
}

/// The `most` examples of a pack that are most like each of `masked`, which are what the student
/// sees of tens of texts at most.
///
/// # Errors
///
/// As [`labelled`].
pub(crate) fn nearest_examples(
    pack: &Pack,
    bundle: &Bundle,
    masked: &[&str],
    most: usize,
) -> Result<Vec<Vec<Nearest>>> {
    Ok(nearest_of(pack, bundle, &labelled(pack)?, masked, most))
}

fn nearest_of(
    pack: &Pack,
    bundle: &Bundle,
    examples: &[Labelled],
    masked: &[&str],
    most: usize,
) -> Vec<Vec<Nearest>> {
    let texts = examples.iter().map(|example| example.text.as_str());
    let shown = |(index, similarity): (usize, f32)| Nearest {
        text: pack.examples[index].text.clone(),
        masked: examples[index].text.clone(),
        similarity: round(f64::from(similarity)),
        route: examples[index].route.clone(),
        tools: examples[index].tools.clone(),
    };
    let found = nearest_each(bundle.features(), masked, texts, most);
    found.into_iter().map(|alike| alike.into_iter().map(shown).collect()).collect()
}

fn likely(names: &[String], probabilities: &[f32]) -> Vec<Likely> {
    let mut all: Vec<Likely> = names
        .iter()
        .zip(probabilities)
        .map(|(name, p)| Likely { name: name.clone(), probability: round(f64::from(*p)) })
        .collect();
    all.sort_by(|a, b| b.probability.total_cmp(&a.probability));
    all.truncate(LIKELY);
    all
}

fn class(
    turn: &Turn<'_>,
    bundle: &Bundle,
    masked: &Masked,
    (kind, name): (&'static str, &str),
    class: Class,
) -> ClassView {
    let mut pieces = bundle.contributions(&masked.text, class);
    pieces.retain(|piece| piece.margin.abs() >= TELLING);
    pieces.sort_by(|a, b| b.margin.abs().total_cmp(&a.margin.abs()));
    let shown = |piece: &waypost_learning::evaluate::explain::Contribution| {
        let words =
            turn.said.text.slice(masked.origin(&turn.said.text, piece.bytes.clone())).trim();
        let seen = masked.text.get(piece.bytes.clone()).unwrap_or_default().trim();
        Piece {
            text: if piece.gap { ends(words) } else { words.to_owned() },
            seen_as: seen
                .contains('‹')
                .then(|| if piece.gap { ends(seen) } else { seen.to_owned() }),
            margin: round(f64::from(piece.margin)),
        }
    };
    let side = |wanted: bool| {
        let own = pieces.iter().filter(|piece| (piece.margin > 0.0) == wanted);
        own.take(PIECES).map(shown).collect()
    };
    ClassView { kind, name: name.to_owned(), in_favor: side(true), against: side(false) }
}

/// The first word and the last of a piece.
fn ends(words: &str) -> String {
    let mut parts = words.split_whitespace();
    match (parts.next(), parts.next_back()) {
        (Some(first), Some(last)) => format!("{first} … {last}"),
        _ => words.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_with_a_gap_shows_its_ends() {
        assert_eq!(ends("how very warm"), "how … warm");
        assert_eq!(ends("一"), "一");
    }
}

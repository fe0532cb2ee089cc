//! Ranks functions for what was said, by the words of their names, descriptions and parameters.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;
use waypost_learning::StaticTable;
use waypost_text::text::Text;

/// The score from which a tool says anything like what was said.
pub(super) const FLOOR: f64 = 0.15;
/// The longest part of a description that is read, in characters.
const CHARACTERS: usize = 2000;
/// Shorter words say nothing.
const SHORTEST: usize = 3;
/// The share that the tool's name counts beside all its words: it was chosen to tell it from others.
const NAME: f64 = 0.5;

/// The score of each tool for the weighted texts, of which there is one at least.
pub(super) fn scores(said: &[(String, f64)], tools: &[Json]) -> Vec<f64> {
    let described: Vec<Described> = tools.iter().map(Described::new).collect();
    let mut scores = vec![0.0; tools.len()];
    let all: f64 = said.iter().map(|(_, weight)| weight).sum();
    for (text, weight) in said {
        let own = of_text(text, &described);
        scores.iter_mut().zip(own).for_each(|(score, own)| *score += own * weight / all);
    }
    scores
}

/// What a tool says of itself.
struct Described {
    name: BTreeSet<String>,
    words: BTreeSet<String>,
    text: String,
}

impl Described {
    fn new(tool: &Json) -> Self {
        let function = &tool["function"];
        let name = spelled(function["name"].as_str().unwrap_or_default());
        let description = function["description"].as_str().unwrap_or_default();
        let parameters = function["parameters"]["properties"].as_object();
        let parameters = parameters.into_iter().flat_map(|map| map.keys());
        let parameters: Vec<String> = parameters.map(|parameter| spelled(parameter)).collect();
        let description: String = description.chars().take(CHARACTERS).collect();
        let text = Text::new(&format!("{name} {description}")).normalized().to_owned();
        let mut words = words(&text);
        words.extend(self::words(&parameters.join(" ").to_lowercase()));
        Self { name: self::words(&name.to_lowercase()), words, text }
    }
}

/// The scores for one text: the share of its telling words that a tool has, and how alike both are.
fn of_text(text: &str, tools: &[Described]) -> Vec<f64> {
    let asked = words(text);
    let mut rarity: BTreeMap<&str, f64> = BTreeMap::new();
    for word in &asked {
        let count = tools.iter().filter(|tool| tool.words.contains(word)).count();
        if count > 0 {
            rarity.insert(word, (1.0 + tools.len() as f64 / count as f64).ln());
        }
    }
    let all: f64 = rarity.values().sum::<f64>().max(f64::MIN_POSITIVE);
    let share = |words: &BTreeSet<String>| -> f64 {
        let held = rarity.iter().filter(|(word, _)| words.contains(**word));
        held.map(|(_, rarity)| rarity).sum::<f64>() / all
    };
    let similar = similar(text, tools);
    let own = tools.iter().zip(similar);
    own.map(|(tool, similar)| share(&tool.words) + NAME * share(&tool.name) + similar).collect()
}

/// The cosine of each description with a text; 0 where the program has no static table.
fn similar(text: &str, tools: &[Described]) -> Vec<f64> {
    let Some(table) = StaticTable::built_in() else { return vec![0.0; tools.len()] };
    let (mut own, mut other) = (Vec::new(), Vec::new());
    table.embed(text, &mut own);
    let mut cosine = |tool: &Described| -> f64 {
        table.embed(&tool.text, &mut other);
        own.iter().zip(&other).map(|(a, b)| f64::from(a * b)).sum::<f64>().max(0.0)
    };
    tools.iter().map(&mut cosine).collect()
}

/// An identifier as words: `getUserInfo` and `get_user_info` are "get user info".
fn spelled(name: &str) -> String {
    let mut words = String::with_capacity(name.len() + 4);
    let mut before = ' ';
    for c in name.chars() {
        if c.is_uppercase() && before.is_lowercase() {
            words.push(' ');
        }
        words.push(if c.is_alphanumeric() { c } else { ' ' });
        before = c;
    }
    words
}

/// The words of a text, without the ending of a plural.
fn words(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    let telling = words.filter(|word| word.chars().count() >= SHORTEST);
    telling.map(|word| word.trim_end_matches('s').to_owned()).collect()
}

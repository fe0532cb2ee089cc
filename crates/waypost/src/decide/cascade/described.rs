//! Chooses a tool by what the tools say of themselves, for a pack that has no examples of what
//! people say: a server's tools as it lists them (`Pack::listed`).
//!
//! It knows no route but the first that runs tools, and so refuses nothing: whether a text is
//! anything for these tools is not to be learned from their descriptions.

use std::collections::{BTreeMap, BTreeSet};

use async_trait::async_trait;
use waypost_core::error::Result;
use waypost_core::records::decision::{Alternative, LayerName, round};
use waypost_learning::StaticTable;
use waypost_text::text::Text;

use super::{Aim, DecisionDependencies, Draft, Layer, Step};
use crate::decide::arguments::DraftCall;
use crate::pack::spec::HandlerName;
use crate::pack::{Pack, Tool};
use crate::turn::Turn;

/// The layer: give it to `Router::with_layers`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Described;

/// The distance between two tools from which one is surer than the other. With it the student's usual
/// threshold leaves 4 of 45 questions open, two of the three that would name the wrong tool among
/// them: the rows of BFCL `multiple` that are there for development.
const TEMPERATURE: f64 = 0.12;
/// The most other tools that are named.
const ALTERNATIVES: usize = 4;
/// Shorter words say nothing.
const SHORTEST: usize = 3;

#[async_trait]
impl Layer for Described {
    fn name(&self) -> LayerName {
        LayerName::Rules
    }

    async fn decide(
        &self,
        turn: &Turn<'_>,
        _: &DecisionDependencies<'_>,
        _: Option<&Draft>,
    ) -> Result<Step> {
        let routes = &turn.pack.spec.routes;
        let route = routes.iter().find(|route| route.handler == HandlerName::Tool);
        let mut ranked = ranked(turn);
        let (Some(route), false) = (route, ranked.is_empty()) else {
            return Ok(Step::Abstained(None));
        };
        let (tool, confidence) = ranked.remove(0);
        let name = tool.spec.name.clone();
        let others = ranked.iter().take(ALTERNATIVES).map(|(tool, probability)| Alternative {
            route: route.name.clone(),
            tool: Some(tool.spec.name.clone()),
            confidence: round(*probability),
        });
        let rationale = format!("the words are nearest to what `{name}` says of itself");
        let draft = Draft::sure(LayerName::Rules, Aim::Route(route.name.clone()), rationale);
        Ok(Step::Decided(Draft {
            calls: vec![DraftCall { tool: name, ..DraftCall::default() }],
            confidence,
            alternatives: others.collect(),
            ..draft
        }))
    }
}

/// The tools of the pack with the probability that each is meant, likeliest first.
fn ranked<'a>(turn: &'a Turn<'_>) -> Vec<(&'a Tool, f64)> {
    let tools = &turn.pack.tools;
    let scores = scores(turn.pack, turn.text.normalized());
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> =
        scores.iter().map(|score| ((score - most) / TEMPERATURE).exp()).collect();
    let sum: f64 = weights.iter().sum();
    let mut ranked: Vec<(&Tool, f64)> =
        tools.iter().zip(weights).map(|(tool, weight)| (tool, weight / sum)).collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
    ranked
}

/// How well the description of each tool of a pack fits a normalized text.
pub(crate) fn scores(pack: &Pack, asked: &str) -> Vec<f64> {
    let tools: Vec<(&Tool, String)> =
        pack.tools.iter().map(|tool| (tool, description(tool))).collect();
    let (shared, similar) = (shared(asked, &tools), similar(asked, &tools));
    shared.iter().zip(&similar).map(|(a, b)| a + b).collect()
}

/// The words of a tool on itself, normalized: its name, its summary, and its arguments' names.
fn description(tool: &Tool) -> String {
    let names = std::iter::once(tool.spec.name.as_str()).chain(tool.arguments());
    let mut all: Vec<String> = names.map(spelled).collect();
    all.insert(1, tool.spec.summary.clone());
    Text::new(&all.join(" ")).normalized().to_owned()
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

/// The share of the asked words that each description has, rare ones counting more.
fn shared(asked: &str, tools: &[(&Tool, String)]) -> Vec<f64> {
    let asked = words(asked);
    let known: Vec<BTreeSet<String>> = tools.iter().map(|(_, text)| words(text)).collect();
    let mut rarity: BTreeMap<&str, f64> = BTreeMap::new();
    for word in &asked {
        let count = known.iter().filter(|known| known.contains(word)).count();
        if count > 0 {
            rarity.insert(word, (1.0 + tools.len() as f64 / count as f64).ln());
        }
    }
    let all: f64 = rarity.values().sum();
    let share = |known: &BTreeSet<String>| -> f64 {
        let held = rarity.iter().filter(|(word, _)| known.contains(**word));
        held.map(|(_, rarity)| rarity).sum::<f64>() / all.max(f64::MIN_POSITIVE)
    };
    known.iter().map(share).collect()
}

/// The words of a text, without the ending of a plural.
fn words(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    let telling = words.filter(|word| word.chars().count() >= SHORTEST);
    telling.map(|word| word.trim_end_matches('s').to_owned()).collect()
}

/// The cosine of each description with what is asked; 0 where the program has no static table.
fn similar(asked: &str, tools: &[(&Tool, String)]) -> Vec<f64> {
    let Some(table) = StaticTable::built_in() else { return vec![0.0; tools.len()] };
    let (mut own, mut other) = (Vec::new(), Vec::new());
    table.embed(asked, &mut own);
    let mut cosine = |text: &str| -> f64 {
        table.embed(text, &mut other);
        own.iter().zip(&other).map(|(a, b)| f64::from(a * b)).sum()
    };
    tools.iter().map(|(_, text)| cosine(text)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use waypost_core::ports::tools::{Hints, ToolDescription};
    use waypost_core::records::request::{Context, Request};

    use super::*;
    use crate::pack::spec::Access;
    use crate::turn::ingest;

    fn listed(tools: &[(&str, &str)]) -> Pack {
        let tools = tools.iter().map(|(name, description)| {
            let tool = ToolDescription {
                name: (*name).to_owned(),
                description: (*description).to_owned(),
                input_schema: json!({ "type": "object" }),
                output_schema: None,
                hints: Hints::default(),
            };
            (tool, Access::Read)
        });
        Pack::listed("made-up", &tools.collect::<Vec<_>>()).expect("a pack without faults")
    }

    #[test]
    fn the_tool_whose_words_are_nearest_is_likeliest() {
        let pack = listed(&[
            ("weather.forecast", "The weather of a city on a day."),
            ("stock_price", "The latest price of a share."),
            ("sendMail", "Sends a mail to somebody."),
        ]);
        for (text, wanted) in [
            ("what will the weather be like in Hanoi", "weather.forecast"),
            ("how much is a share of that company", "stock_price"),
            ("send Ada a mail", "sendMail"),
        ] {
            let mut request = Request::new(text);
            request.now = Some("2025-11-06T09:00:00Z".to_owned());
            let turn = ingest(&pack, &request, Context::default()).expect("a turn");
            let ranked = ranked(&turn);
            assert_eq!(ranked[0].0.spec.name, wanted, "{text}");
            assert!(ranked[0].1 > pack.spec.policy.run, "{text}: {}", ranked[0].1);
            let sum: f64 = ranked.iter().map(|(_, probability)| probability).sum();
            assert!((sum - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn a_tool_that_is_alone_is_meant() {
        let pack = listed(&[("ping", "")]);
        let mut request = Request::new("zzz");
        request.now = Some("2025-11-06T09:00:00Z".to_owned());
        let turn = ingest(&pack, &request, Context::default()).expect("a turn");
        assert!((ranked(&turn)[0].1 - 1.0).abs() < 1e-9);
    }

    #[test]
    fn an_identifier_is_spelled_as_words() {
        assert_eq!(spelled("getUserInfo"), "get User Info");
        assert_eq!(spelled("uber.ride_v2"), "uber ride v2");
        assert_eq!(spelled("HTTPGet"), "HTTPGet");
    }
}

//! The student: a linear classifier over the masked words, calibrated.

use std::collections::BTreeMap;

use async_trait::async_trait;

use super::{Aim, Draft, Equipment, Layer, Step};
use crate::arguments::DraftCall;
use crate::decision::{Alternative, LayerName};
use crate::error::Result;
use crate::learning::{Bundle, Scores, Scratch};
use crate::pack::spec::{HandlerName, RouteSpec};
use crate::pack::{OUT_OF_SCOPE, Pack};
use crate::student::tool_of_head;
use crate::turn::Turn;

pub(super) struct Linear;

/// How many other possibilities are reported.
const ALTERNATIVES: usize = 4;
/// Below this they are noise.
const WORTH_NAMING: f32 = 0.02;

#[async_trait]
impl Layer for Linear {
    fn name(&self) -> LayerName {
        LayerName::Linear
    }

    async fn decide(
        &self,
        turn: &Turn<'_>,
        equipment: &Equipment<'_>,
        _: Option<&Draft>,
    ) -> Result<Step> {
        let masked = turn.masked();
        let mut scratch = Scratch::default();
        let scores = equipment.bundle.score(&masked, &mut scratch);
        let draft = propose(turn, equipment.bundle, &scores, &masked);
        let bar = match &draft.aim {
            Aim::Route(name) => turn.pack.route(name).and_then(|route| route.run),
            _ => None,
        };
        let confident = draft.confidence >= bar.unwrap_or(turn.pack.spec.policy.student);
        Ok(if confident { Step::Decided(draft) } else { Step::Abstained(Some(draft)) })
    }
}

fn propose(turn: &Turn<'_>, bundle: &Bundle, scores: &Scores, masked: &str) -> Draft {
    let (best, probability) = scores.best().unwrap_or((0, 0.0));
    let name = bundle.routes().get(best).map_or(OUT_OF_SCOPE, String::as_str);
    let mut draft = Draft {
        aim: Aim::OutOfScope,
        calls: Vec::new(),
        confidence: f64::from(probability),
        layer: LayerName::Linear,
        rationale: String::new(),
        alternatives: alternatives(turn.pack, bundle, scores),
    };
    let Some(route) = turn.pack.route(name) else {
        draft.rationale = "it reads like nothing that is served here".to_owned();
        return draft;
    };
    draft.aim = Aim::Route(name.to_owned());
    draft.rationale = format!("it reads like `{name}`");
    // What no route was ever trained on is no surer than it is in scope.
    draft.confidence = draft.confidence.min(f64::from(scores.in_scope).max(FLOOR));
    if route.handler == HandlerName::Tool {
        choose_tools(turn, bundle, scores, masked, &mut draft);
    }
    draft
}

/// The scope detector is a second opinion on odd texts; it may cast doubt, not reject by itself.
const FLOOR: f64 = 0.45;

fn choose_tools(
    turn: &Turn<'_>,
    bundle: &Bundle,
    scores: &Scores,
    masked: &str,
    draft: &mut Draft,
) {
    let mut heads: Vec<(usize, f32)> = scores.tools.iter().copied().enumerate().collect();
    heads.sort_by(|a, b| b.1.total_cmp(&a.1));
    let select = turn.pack.spec.policy.select as f32;
    let Some(&(_, top)) = heads.first() else { return };
    let mut chosen: Vec<usize> =
        heads.iter().filter(|(_, p)| *p >= select).map(|(head, _)| *head).collect();
    if chosen.is_empty() {
        chosen.push(heads[0].0);
    }
    if chosen.len() > 1 {
        order_by_mention(bundle, masked, &mut chosen);
    }
    draft.confidence = draft.confidence.min(f64::from(top));
    let names: Vec<&str> = chosen.iter().filter_map(|head| bundle.tools().get(*head)).map(String::as_str).collect();
    draft.rationale = format!("it reads like a question for {}", names.join(" and "));
    draft.calls = names
        .into_iter()
        .filter_map(|head| tool_of_head(turn.pack, head))
        .map(|tool| DraftCall { tool: tool.spec.name.clone(), ..DraftCall::default() })
        .collect();
}

/// Sorts tools by where in the words they come up: the first whose head fires on a growing
/// beginning of the text comes first.
fn order_by_mention(bundle: &Bundle, masked: &str, chosen: &mut [usize]) {
    /// Enough beginnings to tell two clauses apart, few enough to stay cheap.
    const CUTS: usize = 12;
    let length = masked.chars().count();
    let mut scratch = Scratch::default();
    let mut peak: BTreeMap<usize, usize> = BTreeMap::new();
    for cut in 1..=CUTS {
        let end = masked.char_indices().nth(length * cut / CUTS).map_or(masked.len(), |(at, _)| at);
        let scores = bundle.score(&masked[..end], &mut scratch);
        for head in chosen.iter() {
            if scores.tools[*head] >= 0.5 {
                peak.entry(*head).or_insert(cut);
            }
        }
    }
    chosen.sort_by_key(|head| peak.get(head).copied().unwrap_or(CUTS + 1));
}

fn alternatives(pack: &Pack, bundle: &Bundle, scores: &Scores) -> Vec<Alternative> {
    let mut all: Vec<Alternative> = Vec::new();
    for (route, probability) in bundle.routes().iter().zip(&scores.routes) {
        match pack.route(route) {
            Some(spec) if spec.handler == HandlerName::Tool => {
                all.extend(tool_alternatives(pack, bundle, scores, spec, *probability));
            }
            _ => all.push(Alternative {
                route: route.clone(),
                tool: None,
                confidence: f64::from(*probability),
            }),
        }
    }
    all.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    all.retain(|alternative| alternative.confidence >= f64::from(WORTH_NAMING));
    all.into_iter().skip(1).take(ALTERNATIVES).collect()
}

fn tool_alternatives<'a>(
    pack: &'a Pack,
    bundle: &'a Bundle,
    scores: &'a Scores,
    route: &'a RouteSpec,
    probability: f32,
) -> impl Iterator<Item = Alternative> + 'a {
    bundle.tools().iter().zip(&scores.tools).filter_map(move |(head, of_tool)| {
        let tool = tool_of_head(pack, head)?;
        Some(Alternative {
            route: route.name.clone(),
            tool: Some(tool.spec.name.clone()),
            confidence: f64::from(probability * of_tool),
        })
    })
}

//! Says which values a schema allows, where a value is outside of it.

use serde_json::Value as Json;

use super::Check;
use crate::pack::Tool;
use crate::pack::messages::{Sentence, readable};

/// Says what is wrong with a value that the schema of its argument refuses, and what it may be.
pub(super) fn sentence(proposal: &Check<'_>, tool: &Tool, name: &str, value: &Json) -> Sentence {
    let language = proposal.turn.said.language;
    let about = |sentence: &'static str| {
        Sentence::new(sentence)
            .with("what", proposal.pack().argument_label(tool, name, language))
            .with("value", shown(proposal, value))
    };
    let Some(number) = value.as_f64() else { return about("invalid_value") };
    let bound = |key: &str| tool.property(name)?.get(key)?.as_f64();
    // Draft 4 says beside a bound whether it is itself allowed; later drafts have a bound of its own for that.
    let edge = |key: &str, beside: &str| match tool.property(name)?.get(key)? {
        Json::Bool(true) => bound(beside),
        own => own.as_f64(),
    };
    let (least, most) = (bound("minimum"), bound("maximum"));
    let said = |bound: f64| readable(bound, language);
    let outside = |bound: Option<f64>, outside: fn(&f64, &f64) -> bool| {
        bound.filter(|bound| outside(&number, bound))
    };
    if let (Some(least), Some(most)) = (least, most)
        && !(least..=most).contains(&number)
    {
        return about("must_be_between").with("least", said(least)).with("most", said(most));
    }
    if let Some(least) = outside(least, f64::lt) {
        return about("must_be_at_least").with("least", said(least));
    }
    if let Some(most) = outside(most, f64::gt) {
        return about("must_be_at_most").with("most", said(most));
    }
    if let Some(least) = outside(edge("exclusiveMinimum", "minimum"), f64::le) {
        return about("must_be_above").with("least", said(least));
    }
    if let Some(most) = outside(edge("exclusiveMaximum", "maximum"), f64::ge) {
        return about("must_be_below").with("most", said(most));
    }
    if number.fract() != 0.0 {
        return about("must_be_whole");
    }
    about("invalid_value")
}

/// A value as people read it.
pub(super) fn shown(proposal: &Check<'_>, value: &Json) -> String {
    match value {
        Json::Number(number) => number.as_f64().map_or_else(
            || number.to_string(),
            |number| readable(number, proposal.turn.said.language),
        ),
        Json::String(text) => text.clone(),
        Json::Array(items) => {
            items.iter().map(|item| shown(proposal, item)).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

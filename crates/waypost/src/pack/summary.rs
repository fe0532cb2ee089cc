//! The first level of a tool: what a model and people are told of every tool, made once from what the pack says.
//!
//! It is read from the tool's summary, the rest of its server's words, its schema and the pack's examples, and costs at most
//! [`MOST_TOKENS`]. It decides nothing, and tells nothing that the pack does not say. Source: S2-5, S2-8, S2-9, S2-10.

use std::collections::{BTreeMap, HashSet};

use serde::Serialize;
use serde_json::Value;

use super::sentence::{one_sentence, sentence, shortened};
use super::{Example, Pack, Tool};
use crate::tokens;

/// The most tokens of a tool at the first level, as [`tokens::count`] estimates them: some of the longest take a seventh
/// more by a tokenizer, and 60 is the limit (`cargo xtask bench tokens`).
pub(crate) const MOST_TOKENS: usize = 52;
/// The most tokens of its sentence where there is more to say.
const OF_SENTENCE: usize = 32;
/// The most capabilities. Source: S2-5.
const CAPABILITIES: usize = 5;
/// The most tokens of a capability, of a typical use, and of what it is not for.
const OF_PART: usize = 14;
/// The most lines of a description that are read: the rest are sections on arguments.
const LINES: usize = 40;
/// The most listed values, and arguments, that are named.
const NAMED: usize = 4;
/// Fewer words hardly say what a request is about.
const FEW_WORDS: usize = 4;
/// The most siblings that are named.
const SIBLINGS: usize = 2;

/// A tool at the first level.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Its name.
    pub name: String,
    /// The group that the pack puts it into; else its server.
    pub category: String,
    /// What it does, in one sentence.
    pub one_liner: String,
    /// What else it does and what it takes, five at most.
    pub capabilities: Vec<String>,
    /// A request that it serves, where the pack has one that says more than its sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub typical_use: Option<String>,
    /// What it returns, in the words of its description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub returns: Option<String>,
    /// What it is not for: in its server's words, or the tools that it is easily taken for.
    pub not_for: Vec<String>,
}

impl Summary {
    /// It in one line without its name, as a model reads it. The sentence comes first; parts for which no tokens are left
    /// are left out.
    pub fn line(&self) -> String {
        let mut left = MOST_TOKENS.saturating_sub(tokens::count(&self.name) + 1);
        let mut take = |text: String| {
            let cost = tokens::count(&text) + 1;
            let fits = cost <= left;
            left = left.saturating_sub(if fits { cost } else { 0 });
            fits.then_some(text)
        };
        let sentence = take(shortened(&self.one_liner, left_for(&self.name)).to_owned());
        // What tells it from its siblings is worth more than what else it can do.
        let not = self.not_for.iter().filter_map(|text| {
            // "For the price now use getStockPrice" says by itself what it is not for.
            take(if text.starts_with("For ") { text.clone() } else { format!("Not: {text}") })
        });
        let not: Vec<String> = not.collect();
        // Several arguments say more of a tool than a request does.
        let takes = self.capabilities.iter().find(|text| is_several(text)).cloned();
        let takes = takes.and_then(&mut take);
        let of_use = self.typical_use.as_ref().and_then(|text| take(format!("E.g. \"{text}\"")));
        let more = self.capabilities.iter().filter(|text| !is_several(text)).cloned();
        let can: Vec<String> = more.filter_map(&mut take).chain(takes).collect();
        let can = (!can.is_empty()).then(|| can.join("; "));
        let returns = self.returns.clone().and_then(take);
        let parts = sentence.into_iter().chain(can).chain(returns).chain(of_use).chain(not);
        parts.collect::<Vec<_>>().join(" | ")
    }

    /// The tokens of its name and its line.
    pub fn tokens(&self) -> usize {
        tokens::count(&self.name) + tokens::count(&self.line()) + 1
    }
}

/// Returns whether a capability says that a tool takes several arguments.
fn is_several(capability: &str) -> bool {
    capability.starts_with("takes ") && capability.contains(',')
}

/// The tokens that a line has for the sentence behind a name.
fn left_for(name: &str) -> usize {
    MOST_TOKENS.saturating_sub(tokens::count(name) + 2)
}

/// The tools of a pack at the first level, in its order.
pub(super) fn summaries(pack: &Pack) -> Vec<Summary> {
    let mut examples: BTreeMap<&str, Vec<&Example>> = BTreeMap::new();
    for example in &pack.examples {
        if let [tool] = example.tools.as_slice() {
            examples.entry(tool).or_default().push(example);
        }
    }
    let names = pack.tools.iter().map(|tool| tool.spec.remote_name());
    let names: HashSet<&str> = names.filter(|name| is_identifier(name)).collect();
    let of_tool = |tool: &Tool| {
        let examples = examples.get(tool.spec.name.as_str()).map_or(&[][..], Vec::as_slice);
        summary(pack, tool, examples, &names)
    };
    pack.tools.iter().map(of_tool).collect()
}

fn summary(pack: &Pack, tool: &Tool, examples: &[&Example], names: &HashSet<&str>) -> Summary {
    let spec = &tool.spec;
    let one_liner = one_sentence(&spec.summary, spec.remote_name());
    let (mut capabilities, mut not_for) =
        told(&tool.description(), &one_liner, spec.remote_name(), names);
    if not_for.is_empty() {
        not_for = siblings(examples);
    }
    let returns = capabilities.iter().position(|said| said.starts_with("Returns "));
    let returns = returns.map(|at| capabilities.remove(at));
    capabilities.truncate(CAPABILITIES - 2);
    capabilities.extend(choices(tool));
    capabilities.extend(takes(tool));
    capabilities.truncate(CAPABILITIES);
    let room =
        if capabilities.is_empty() && not_for.is_empty() { MOST_TOKENS } else { OF_SENTENCE };
    Summary {
        name: spec.name.clone(),
        category: spec.category.as_ref().unwrap_or(&spec.server).clone(),
        one_liner: shortened(&one_liner, room).to_owned(),
        capabilities,
        typical_use: typical(pack, &one_liner, examples),
        returns,
        not_for,
    }
}

/// What a description says behind its first sentence, up to its first section: what the tool can do besides, and what it is
/// not for, which is what it denies or sends to another tool.
fn told(
    description: &str,
    one_liner: &str,
    own: &str,
    names: &HashSet<&str>,
) -> (Vec<String>, Vec<String>) {
    let (mut more, mut not_for) = (Vec::new(), Vec::new());
    for line in
        description.lines().take(LINES).map(str::trim).take_while(|line| !line.ends_with(':'))
    {
        let mut rest = line.trim_start_matches(['#', '*', '-', '>', '•', ' ']);
        while !rest.is_empty() {
            let said = sentence(rest);
            rest = rest[said.len()..].trim_start();
            let said = said.trim().trim_end_matches(['.', '。', '!', '！']);
            let is_first = one_liner.starts_with(said) || said.starts_with(one_liner);
            if is_first || said.chars().any(char::is_control) {
                continue;
            }
            let sends = identifiers(said).any(|word| word != own && names.contains(word));
            let part = shortened(said, OF_PART).to_owned();
            if sends || denies(said) { not_for.push(part) } else { more.push(part) }
        }
    }
    not_for.truncate(SIBLINGS);
    (more, not_for)
}

/// Returns whether a sentence says what is not.
fn denies(said: &str) -> bool {
    const DENIALS: [&str; 8] =
        ["not", "never", "cannot", "instead", "nor", "without", "unless", "only"];
    let lower = said.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric() && c != '\'');
    words.any(|word| word.ends_with("n't") || DENIALS.contains(&word))
        || ["不", "別", "别", "勿"].iter().any(|sign| said.contains(sign))
}

/// Returns whether a name is no word of everyday language, so that it stands for its tool wherever it is written.
fn is_identifier(name: &str) -> bool {
    name.chars().skip(1).any(|c| matches!(c, '_' | '-' | '.') || c.is_uppercase())
}

fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    text.split(move |c| !is_part(c)).map(|word| word.trim_end_matches('.'))
}

/// The tools that examples say they are not for, the most often named first.
fn siblings(examples: &[&Example]) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for name in examples.iter().flat_map(|example| &example.not) {
        *counts.entry(name).or_default() += 1;
    }
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(name, count)| (std::cmp::Reverse(*count), *name));
    counts.into_iter().take(SIBLINGS).map(|(name, _)| name.to_owned()).collect()
}

/// The values of the first argument that lists some.
fn choices(tool: &Tool) -> Option<String> {
    let mut lists = tool.arguments().map(|name| (name, tool.listed(name)));
    let (name, listed) = lists.find(|(_, listed)| listed.len() > 1)?;
    let values: Vec<String> = listed.iter().take(NAMED).map(shown).collect();
    let more = if listed.len() > NAMED { ", …" } else { "" };
    Some(shortened(&format!("{name}: {}{more}", values.join(", ")), OF_PART).to_owned())
}

fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The arguments that it takes, those that it requires first.
fn takes(tool: &Tool) -> Option<String> {
    let (required, optional): (Vec<&str>, Vec<&str>) =
        tool.arguments().partition(|name| tool.requires(name));
    let all = [required, optional].concat();
    let named = all[..all.len().min(NAMED)].join(", ");
    (!all.is_empty()).then(|| shortened(&format!("takes {named}"), OF_PART).to_owned())
}

/// A request in the pack's first language that says more than the sentence: the shortest of some words, as people type.
fn typical(pack: &Pack, one_liner: &str, examples: &[&Example]) -> Option<String> {
    let sentence = one_liner.to_lowercase();
    let language = pack.languages.first();
    let says_more = |text: &&str| {
        let text = text.trim_end_matches('.').to_lowercase();
        !sentence.contains(&text) && !text.contains(sentence.trim_end_matches('.'))
    };
    let own = examples.iter().filter(|example| Some(&example.lang) == language);
    let texts = own.map(|example| example.text.as_str()).filter(says_more);
    let texts = texts.filter(|text| tokens::count(text) <= OF_PART && !text.contains('\n'));
    let is_short = |text: &str| text.split_whitespace().count() < FEW_WORDS;
    texts.min_by_key(|text| (is_short(text), text.chars().count(), *text)).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use waypost_core::ports::tools::{Hints, ToolDescription};

    use super::*;
    use crate::pack::spec::Access;

    fn pack(tools: &[(&str, &str, Value)]) -> Pack {
        let tool = |(name, description, schema): &(&str, &str, Value)| {
            let tool = ToolDescription {
                name: (*name).to_owned(),
                description: (*description).to_owned(),
                input_schema: schema.clone(),
                output_schema: None,
                hints: Hints::default(),
            };
            (tool, Access::Read)
        };
        Pack::listed("yard", &tools.iter().map(tool).collect::<Vec<_>>()).unwrap()
    }

    fn berths() -> Value {
        json!({
            "type": "object",
            "properties": {
                "day": { "type": "string" },
                "quay": { "type": "string", "enum": ["north", "south"] },
            },
            "required": ["day"],
        })
    }

    #[test]
    fn s2_5_s2_8_a_summary_is_made_of_what_is_written_about_a_tool() {
        let description = "Lists the berths of a day. Counts free ones, too.\n- Sorts by length\n\
                           For one ship use find_ship. It does not book.\nArgs:\n  day: A day.";
        let pack =
            pack(&[("berths", description, berths()), ("find_ship", "Finds it.", json!({}))]);
        let summary = &pack.summaries()[0];
        assert_eq!(summary.one_liner, "Lists the berths of a day.");
        assert_eq!(
            summary.capabilities,
            ["Counts free ones, too", "Sorts by length", "quay: north, south", "takes day, quay"]
        );
        assert_eq!(summary.not_for, ["For one ship use find_ship", "It does not book"]);
        assert_eq!(summary.typical_use, None);
        assert_eq!(summary.category, "yard");
    }

    #[test]
    fn s2_10_a_line_has_the_most_telling_parts_within_its_tokens() {
        let long = "Lists the berths of a day and everything that is moored at them at any hour. "
            .repeat(9);
        let description = format!("{long} Not for booking.");
        let pack = pack(&[("berths", &description, berths())]);
        let summary = &pack.summaries()[0];
        let line = summary.line();
        assert!(summary.tokens() <= MOST_TOKENS, "{line}");
        assert!(
            line.starts_with("Lists the berths") && line.ends_with("| Not: Not for booking"),
            "{line}"
        );
    }

    #[test]
    fn a_word_without_end_is_cut() {
        let pack = pack(&[("berths", &"x".repeat(5_000), json!({}))]);
        assert!(pack.summaries()[0].tokens() <= MOST_TOKENS);
    }
}

//! The prompts of a pack as they are for some text, to see whether a server takes them.

use serde_json::Value as Json;
use waypost_core::error::Result;
use waypost_core::ports::model::{Prompt, Reply};
use waypost_core::records::request::Request;
use waypost_core::schema::{Check, Schema};

use super::shots::Teaching;
use super::{choices, prompt};
use crate::decide::cascade::interpret;
use crate::decide::cascade::json::meant_object;
use crate::pack::Pack;
use crate::understand::ingest;

/// An instant of the prompts: the same ones each time.
const NOW: &str = "2025-11-06T09:00:00Z";

/// The prompt that asks what the first example of a pack asks for, and the one that asks for the arguments of the tool that
/// needs most; both hold a schema.
///
/// # Errors
///
/// Those of a request.
pub fn probes(pack: &Pack) -> Result<Vec<Prompt>> {
    let text = pack.examples.first().map_or("?", |example| example.text.as_str());
    let request = Request { now: Some(NOW.to_owned()), ..Request::new(text) };
    let turn = ingest(pack, &request, request.context.clone())?;
    let likely = choices::within_budget(choices::all(pack), std::iter::empty());
    let teaching = Teaching::default();
    let mut probes =
        vec![prompt::prompt(&turn, &likely, &teaching.shots(pack, turn.said.masked()))];
    let needs =
        |tool: &&crate::pack::Tool| tool.arguments().filter(|name| tool.requires(name)).count();
    if let Some(tool) = pack.tools.iter().max_by_key(needs) {
        let wanted: Vec<&str> = tool.arguments().filter(|name| tool.requires(name)).collect();
        if !wanted.is_empty() {
            probes.push(interpret::prompt(&turn, tool, &wanted));
        }
    }
    Ok(probes)
}

/// Returns what is wrong with the reply to a prompt, in words that name the property; `None` if it is as the prompt's schema
/// says.
pub fn reply_fault(prompt: &Prompt, reply: &Reply) -> Option<String> {
    let (_, schema) = prompt.schema.as_ref()?;
    let read = |object| serde_json::from_str::<Json>(object).ok();
    let Some(value) = meant_object(&reply.text).and_then(read) else {
        let cut = if reply.truncated {
            "it was cut before its JSON was whole"
        } else {
            "it holds no JSON object"
        };
        return Some(cut.to_owned());
    };
    let Check::Misfits(misfits) = Schema::compile(schema).ok()?.check(&value) else { return None };
    let misfit = misfits.first()?;
    Some(match misfit.path.trim_start_matches('/') {
        "" => misfit.detail.clone(),
        path => format!("`{path}`: {}", misfit.detail),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use waypost_core::ports::model::{Message, Speaker};

    use super::*;

    #[test]
    fn the_property_that_is_wrong_is_named() {
        let schema = json!({
            "type": "object",
            "properties": { "decision": { "type": "string", "enum": ["tide", "sst"] } },
            "required": ["decision"],
            "additionalProperties": false,
        });
        let prompt = Prompt {
            messages: vec![Message { role: Speaker::User, content: "tides".to_owned() }],
            schema: Some(("decision".to_owned(), schema)),
            tool_tokens: 0,
            max_tokens: 9,
            temperature: 0.0,
            timeout: std::time::Duration::from_secs(1),
        };
        let fault = |text: &str| {
            reply_fault(&prompt, &Reply { text: text.to_owned(), usage: None, truncated: false })
        };
        assert_eq!(fault(r#"{"decision":"tide"}"#), None);
        for (text, named) in [
            (r#"{"choice":"tide"}"#, "choice"),
            (r#"{"decision":"wind"}"#, "`decision`: "),
            (r#"{"decision":7}"#, "`decision`: "),
            (r#"{"decision":"sst","why":"x"}"#, "why"),
            ("tide", "no JSON object"),
        ] {
            let fault = fault(text).unwrap_or_default();
            assert!(fault.contains(named), "{text}: {fault}");
        }
    }
}

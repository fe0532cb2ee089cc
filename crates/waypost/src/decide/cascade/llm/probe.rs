//! The prompts of a pack as they are for some text, to see whether a server takes them.

use waypost_core::error::Result;
use waypost_core::ports::model::Prompt;
use waypost_core::records::request::Request;

use super::shots::Teaching;
use super::{choices, prompt};
use crate::decide::cascade::interpret;
use crate::pack::Pack;
use crate::turn::ingest;

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
    let likely = choices::likely(choices::all(pack), std::iter::empty());
    let teaching = Teaching::default();
    let mut probes = vec![prompt::prompt(&turn, &likely, &teaching.shots(pack, &turn.masked()))];
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

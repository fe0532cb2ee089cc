//! Measures decisions on real servers, whose lists and words are others'.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use serde::Deserialize;
use serde_json::Value;
use waypost::catalog::weights::Beside;
use waypost::decide::cascade::candidates;
use waypost::pack::spec::Access;
use waypost::pack::{Pack, Tool};
use waypost::ports::encoder::Encoder;
use waypost::records::decision::Outcome;
use waypost::records::request::{Context, Request};
use waypost::understand::ingest;

use super::{Asked, NOW, drafted, own_name, senses};
use crate::bench::vectors::Vectors;

/// Arguments that an installation knows, and nobody says.
const CONSTANTS: [&str; 2] = ["repo_path", "vault"];

/// A request to a real server with what is right for it.
#[derive(Debug, Deserialize)]
struct Labelled {
    #[serde(flatten)]
    asked: Asked,
    #[serde(default)]
    arguments: serde_json::Map<String, Value>,
}

/// What came of the requests to a server.
#[derive(Default)]
struct Outcomes {
    served: usize,
    first: usize,
    among_three: usize,
    called: usize,
    arguments: usize,
    ran: usize,
    ran_wrong: usize,
    wrote: usize,
    outside: usize,
}

/// Decides the requests of `spec/servers/real/NAME.labelled.jsonl` on the lists of `NAME.tools.json` in a folder: what a
/// server's `tools/list` answered, or `waypost tools --json` printed. The lists are others' words and are not kept here.
pub(super) fn run(folder: &Path, encoder: Option<&Arc<Vectors>>) -> Result<()> {
    let labels = crate::root().join("spec/servers/real");
    let mut names: Vec<String> = fs::read_dir(&labels)
        .with_context(|| labels.display().to_string())?
        .filter_map(|entry| {
            Some(entry.ok()?.file_name().to_str()?.strip_suffix(".labelled.jsonl")?.to_owned())
        })
        .collect();
    names.sort();
    let mut listed = Vec::new();
    for name in &names {
        let path = folder.join(format!("{name}.tools.json"));
        let list = fs::read_to_string(&path)
            .with_context(|| format!("`{}`: see spec/servers/real/README.md", path.display()))?;
        let list: Value = serde_json::from_str(&list)?;
        let tools = list["tools"].as_array().cloned().unwrap_or_default();
        let lines = fs::read_to_string(labels.join(format!("{name}.labelled.jsonl")))?;
        let requests: Vec<Labelled> =
            lines.lines().map(serde_json::from_str).collect::<std::result::Result<_, _>>()?;
        listed.push((name.clone(), tools, requests));
    }
    crate::print(
        "| server | tools | requests | right first % | among three % | called % | its arguments % | ran | ran wrong | wrote | outside |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    );
    for (name, tools, requests) in &listed {
        let pack = drafted(&[(name, tools)])?;
        line(name, tools.len(), &outcomes(pack, name, requests, encoder)?);
    }
    let all: Vec<(&str, &[Value])> =
        listed.iter().map(|(name, tools, _)| (name.as_str(), tools.as_slice())).collect();
    let mut together = Outcomes::default();
    for (name, _, requests) in &listed {
        together.add(&outcomes(drafted(&all)?, name, requests, encoder)?);
    }
    line("all of them", all.iter().map(|(_, tools)| tools.len()).sum(), &together);
    Ok(())
}

impl Outcomes {
    fn add(&mut self, other: &Outcomes) {
        self.served += other.served;
        self.first += other.first;
        self.among_three += other.among_three;
        self.called += other.called;
        self.arguments += other.arguments;
        self.ran += other.ran;
        self.ran_wrong += other.ran_wrong;
        self.wrote += other.wrote;
        self.outside += other.outside;
    }
}

fn line(name: &str, tools: usize, own: &Outcomes) {
    let share = |part: usize| 100.0 * part as f64 / own.served.max(1) as f64;
    crate::print(&format!(
        "| {name} | {tools} | {} | {:.1} | {:.1} | {:.1} | {:.1} | {} | {} | {} | {} |",
        own.served + own.outside,
        share(own.first),
        share(own.among_three),
        share(own.called),
        100.0 * own.arguments as f64 / own.called.max(1) as f64,
        own.ran,
        own.ran_wrong,
        own.wrote,
        own.outside,
    ));
}

fn outcomes(
    pack: Pack,
    server: &str,
    requests: &[Labelled],
    encoder: Option<&Arc<Vectors>>,
) -> Result<Outcomes> {
    if let Some(encoder) = encoder {
        pack.understand(encoder.as_ref())?;
    }
    let access: BTreeMap<String, Access> = pack
        .tools
        .iter()
        .map(|tool| (tool.spec.name.clone(), tool.spec.access.unwrap_or(Access::Read)))
        .collect();
    let bundle = waypost::student::heads::train_student(&pack, None, &mut |_| {})?;
    let own = encoder.map(|one| Arc::clone(one) as Arc<dyn Encoder>);
    let router = crate::bench::samples::router_with(pack, bundle, own);
    let mut all = Outcomes::default();
    for Labelled { asked, arguments } in requests {
        let mut request = Request::new(asked.text.as_str());
        request.now = Some(NOW.to_owned());
        let cancel = tokio_util::sync::CancellationToken::new();
        let decision = crate::bench::samples::at_once(router.route(&request, &cancel))??;
        let accepted = |tool: &Tool| {
            own_name(tool, server)
                .is_some_and(|name| asked.tool.as_ref() == Some(name) || asked.also.contains(name))
        };
        let turn = ingest(router.pack(), &request, Context::default())?;
        let senses = senses(&turn, None, encoder.map(AsRef::as_ref))?;
        let (candidates, known) = candidates(&turn, None, &senses, 10);
        let ranking = senses.weights().rank(&candidates, known, &Beside::default());
        let ranked = ranking.tools.iter().map(|(tool, _)| &router.pack().tools[*tool]);
        let ranked: Vec<&Tool> = ranked.collect();
        let call = decision.calls.first();
        let called = call.and_then(|call| router.pack().tool(&call.tool));
        let is_right = called.is_some_and(accepted);
        if asked.tool.is_none() {
            all.outside += 1;
        } else {
            all.served += 1;
            all.first += usize::from(ranked.first().is_some_and(|tool| accepted(tool)));
            all.among_three += usize::from(ranked.iter().take(3).any(|tool| accepted(tool)));
            let is_asked = called.and_then(|tool| own_name(tool, server)) == asked.tool.as_ref();
            let same = call.is_some_and(|call| {
                is_asked
                    && arguments.iter().all(|(name, value)| {
                        CONSTANTS.contains(&name.as_str())
                            || call.arguments.get(name) == Some(value)
                    })
            });
            all.called += usize::from(is_asked);
            all.arguments += usize::from(same);
        }
        if decision.decision == Outcome::Run && call.is_some() {
            all.ran += 1;
            all.ran_wrong += usize::from(!is_right);
            let writes = call.is_some_and(|call| access.get(&call.tool) != Some(&Access::Read));
            all.wrote += usize::from(writes);
        }
    }
    Ok(all)
}

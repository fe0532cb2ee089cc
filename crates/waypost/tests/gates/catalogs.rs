//! Small packs at random, each as it is and as it may be when the program starts again: a tool has another name, server,
//! summary, schema or access, or the pack is another one with the same names. And what the servers of such a pack list, which
//! need not be true.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};
use waypost::pack::spec::ToolSpec;
use waypost::ports::tools::{Access, Hints, ToolDescription};

use super::generator::Random;
use super::parts::{Trained, edited, loaded};

/// A pack that a conversation may be with.
#[derive(Debug)]
pub(crate) struct Variant {
    pub(crate) trained: Trained,
    /// What the tools do of which the pack says nothing; the others read, if they are not here.
    truths: BTreeMap<String, Access>,
}

/// A pack in all its variants, the first as it is.
#[derive(Debug)]
pub(crate) struct Catalog {
    pub(crate) name: String,
    pub(crate) variants: Vec<Variant>,
}

/// What the servers say of their tools in a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mood {
    /// What is true.
    Honest,
    /// All of them only read.
    Reads,
    /// All of them destroy.
    Destroys,
    /// They are there, and no more.
    Silent,
    /// Only those that read are there.
    Hides,
    /// There is no list.
    Unlisted,
}

const MOODS: [Mood; 6] =
    [Mood::Honest, Mood::Reads, Mood::Destroys, Mood::Silent, Mood::Hides, Mood::Unlisted];

impl Mood {
    pub(crate) fn any(random: &mut Random) -> Self {
        if random.percent(60) { Mood::Honest } else { random.pick(&MOODS) }
    }
}

impl Variant {
    /// What a server lists; `None` if it has no list.
    pub(crate) fn listed(&self, server: &str, mood: Mood) -> Option<Vec<ToolDescription>> {
        if mood == Mood::Unlisted {
            return None;
        }
        let own = self.trained.pack.spec.tools.iter().filter(|tool| tool.server == server);
        let there = own.filter(|tool| self.known(tool, mood).is_some());
        let listed = there.map(|tool| ToolDescription {
            name: tool.remote_name().to_owned(),
            hints: match mood {
                Mood::Silent => Hints::default(),
                Mood::Reads => hints(Access::Read),
                Mood::Destroys => hints(Access::Destructive),
                _ => hints(self.does(tool)),
            },
            ..ToolDescription::default()
        });
        Some(listed.collect())
    }

    /// The access that can be known of a tool in a turn: as the pack says it, else as its server does. `None` for one that is not
    /// listed, which nobody may call.
    pub(crate) fn known(&self, tool: &ToolSpec, mood: Mood) -> Option<Access> {
        if mood == Mood::Hides && self.does(tool) != Access::Read {
            return None;
        }
        let heard = match mood {
            Mood::Honest | Mood::Hides => self.does(tool),
            Mood::Reads => Access::Read,
            Mood::Silent => Access::Write,
            Mood::Destroys | Mood::Unlisted => Access::Destructive,
        };
        Some(tool.access.unwrap_or(heard))
    }

    fn does(&self, tool: &ToolSpec) -> Access {
        let truth = self.truths.get(&tool.name).copied();
        truth.or(tool.access).unwrap_or(Access::Read)
    }
}

fn hints(access: Access) -> Hints {
    match access {
        Access::Read => Hints { read_only: Some(true), ..Hints::default() },
        Access::Write => Hints { destructive: Some(false), ..Hints::default() },
        Access::Destructive => Hints { destructive: Some(true), ..Hints::default() },
    }
}

/// The pack of the other tests, and how it may have changed.
pub(crate) fn workflow(trained: &Trained) -> Catalog {
    let edits = [
        ("name: workflow", "name: works"),
        ("Leaves a note for somebody.", "Leaves a note for everybody."),
        ("command: [land]", "command: [sea]"),
        ("audience: { enum: [team, public] }", "audience: { enum: [public, team] }"),
        (
            "    summary: Publishes an article.\n    access: write",
            "    summary: Publishes an article.\n    access: destructive",
        ),
        (
            "  - name: purge\n    server: land",
            "  - name: purge\n    server: land\n    remote: wipe",
        ),
    ];
    let changed = edits.iter().map(|(from, to)| {
        trained.serving(edited(|text| {
            assert!(text.contains(from), "{from}");
            text.replace(from, to)
        }))
    });
    let all = std::iter::once(trained.clone()).chain(changed);
    let variants = all.map(|trained| Variant { trained, truths: BTreeMap::new() });
    Catalog { name: "workflow".to_owned(), variants: variants.collect() }
}

/// What the tools are about: what is asked for, and what a summary says.
const THINGS: [(&str, &str); 12] = [
    ("dredge the harbor", "Dredges the harbor."),
    ("polish the lantern", "Polishes the lantern."),
    ("prune the orchard", "Prunes the orchard."),
    ("rent the cellar", "Rents the cellar."),
    ("tune the violin", "Tunes the violin."),
    ("mow the meadow", "Mows the meadow."),
    ("paint the beacon", "Paints the beacon."),
    ("archive the ledger", "Archives the ledger."),
    ("ship the parcel", "Ships the parcel."),
    ("repair the turbine", "Repairs the turbine."),
    ("weld the bridge", "Welds the bridge."),
    ("bake the bread", "Bakes the bread."),
];

#[derive(Debug, Clone)]
struct Tool {
    thing: usize,
    name: String,
    server: &'static str,
    remote: Option<String>,
    access: Option<Access>,
    truth: Access,
    summary: String,
    properties: Map<String, Json>,
    required: Vec<String>,
    injected: Option<&'static str>,
}

/// The argument that is injected.
const KEEPER: &str = "keeper";

impl Tool {
    fn any(random: &mut Random, number: usize, thing: usize) -> Self {
        let (asked, summary) = THINGS[thing];
        let mut arguments = vec![
            ("memo", json!({ "type": "string" })),
            ("label", json!({ "type": "string" })),
            ("weight", json!({ "type": "integer", "minimum": 1, "maximum": 100 })),
            ("batch", json!({ "type": "integer" })),
            ("urgent", json!({ "type": "boolean" })),
            ("shade", json!({ "enum": ["crimson", "indigo"] })),
            ("size", json!({ "enum": ["tiny", "giant"] })),
        ];
        let (mut properties, mut required) = (Map::new(), Vec::new());
        for _ in 0..random.below(5) {
            let (name, schema) = arguments.swap_remove(random.below(arguments.len()));
            properties.insert(name.to_owned(), schema);
            if random.percent(40) {
                required.push(name.to_owned());
            }
        }
        let (access, truth) = match random.below(20) {
            // One at least waits for a yes.
            _ if number == 0 => (Some(Access::Write), Access::Write),
            0..6 => (Some(Access::Read), Access::Read),
            6..13 => (Some(Access::Write), Access::Write),
            13..17 => (Some(Access::Destructive), Access::Destructive),
            _ => (None, random.pick(&[Access::Read, Access::Write, Access::Destructive])),
        };
        let name = asked.replace(" the ", "_");
        Self {
            thing,
            server: random.pick(&["north", "south"]),
            remote: random.percent(25).then(|| format!("far_{name}")),
            name,
            access,
            truth,
            summary: summary.to_owned(),
            properties,
            required,
            injected: random.percent(25).then(|| random.pick(&["user", "session"])),
        }
    }

    fn spec(&self) -> Json {
        let (mut properties, mut required) = (self.properties.clone(), self.required.clone());
        let mut spec = json!({
            "name": self.name, "server": self.server, "summary": self.summary,
        });
        if let Some(what) = self.injected {
            properties.insert(KEEPER.to_owned(), json!({ "type": "string" }));
            required.push(KEEPER.to_owned());
            spec["arguments"] = json!({ KEEPER: { "inject": what } });
        }
        if let Some(remote) = &self.remote {
            spec["remote"] = json!(remote);
        }
        if let Some(access) = self.access {
            spec["access"] = json!(access);
        }
        spec["schema"] = json!({
            "type": "object",
            "additionalProperties": false,
            "properties": properties,
            "required": required,
        });
        spec
    }

    /// What people say when they want it: alone, and with the names of its arguments.
    fn examples(&self) -> String {
        let asked = THINGS[self.thing].0;
        let names: Vec<&str> = self.properties.keys().map(String::as_str).collect();
        let whole = format!("{asked} {}", names.join(" ")).trim().to_owned();
        let texts = [asked.to_owned(), format!("please {asked}"), whole];
        let line = |text: &String| {
            let line = json!({ "text": text, "lang": "en", "route": "tool", "tools": [self.name] });
            format!("{line}\n")
        };
        texts.iter().map(line).collect()
    }
}

fn variant(trained: &Trained, name: &str, tools: &[Tool]) -> Variant {
    let specs: Vec<Json> = tools.iter().map(Tool::spec).collect();
    // JSON is YAML.
    let pack = json!({
        "name": name,
        "summary": "Looks after a small town.",
        "format": 1,
        "languages": ["en"],
        "tz": "Etc/UTC",
        "routes": [
            { "name": "tool", "handler": "tool", "summary": "The user wants something done." },
            { "name": "explain", "handler": "explain", "summary": "The user asks or talks." },
        ],
        "fallback": "explain",
        "selection": "catalog",
        "servers": [
            { "name": "north", "command": ["north"] },
            { "name": "south", "command": ["south"] },
        ],
        "tools": specs,
    });
    let examples: String = tools.iter().map(Tool::examples).collect();
    let truths = tools.iter().map(|tool| (tool.name.clone(), tool.truth)).collect();
    // Their tools are chosen by what is written about them, so that any student serves.
    Variant { trained: trained.serving(loaded(pack.to_string(), examples)), truths }
}

/// The ways in which a pack may have changed.
const CHANGES: usize = 8;
/// How many of them a catalog tries.
const TRIED: usize = 4;

/// A pack of two to eight tools, and how it may have changed; the same for the same seed.
pub(crate) fn any(trained: &Trained, seed: u64) -> Catalog {
    let mut random = Random::new(seed);
    let mut things: Vec<usize> = (0..THINGS.len()).collect();
    let count = 2 + random.below(7);
    let tools = (0..count).map(|number| {
        let thing = things.swap_remove(random.below(things.len()));
        Tool::any(&mut random, number, thing)
    });
    let tools: Vec<Tool> = tools.collect();
    let mut variants = vec![variant(trained, "town", &tools)];
    let mut changes: Vec<usize> = (0..CHANGES).collect();
    for _ in 0..TRIED {
        let change = changes.swap_remove(random.below(changes.len()));
        let mut changed = tools.clone();
        let place = if random.percent(50) { 0 } else { random.below(tools.len()) };
        let name = if change == 0 { "village" } else { "town" };
        apply(&mut changed[place], change);
        variants.push(variant(trained, name, &changed));
    }
    Catalog { name: format!("catalog {seed}"), variants }
}

/// Changes a tool; what is left is another pack with the same names.
fn apply(tool: &mut Tool, change: usize) {
    match change {
        1 => {
            let known = tool.name.clone();
            tool.remote.get_or_insert(known);
            tool.name += "_again";
        }
        2 => tool.server = if tool.server == "north" { "south" } else { "north" },
        3 => tool.summary += " It does so twice.",
        4 => drop(tool.properties.insert("spare".to_owned(), json!({ "type": "boolean" }))),
        5 => {
            tool.access = Some(match tool.access {
                Some(Access::Write) => Access::Destructive,
                Some(_) => Access::Write,
                None => tool.truth.max(Access::Write),
            });
        }
        6 => tool.remote = Some(format!("other_{}", tool.name)),
        7 => tool.injected = if tool.injected == Some("user") { None } else { Some("user") },
        _ => {}
    }
}

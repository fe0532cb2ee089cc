//! Checks a pack before it is used: first its shape, then everything that the shape cannot express.

mod advice;
mod argument;
mod plan;
mod same;
mod server;
mod signal;
mod talk;
mod workflow;

use serde_json::Value;
use waypost_core::records::request::shorten;
use waypost_core::records::rollout::Key;
use waypost_core::schema::{FlatSchema, PassedOver, Schema, adopt};
use waypost_text::language::Language;

use super::source::{Fault, Source};
use super::spec::{GazetteerSpec, PackSpec, ToolSpec};
pub use advice::{did_you_mean, nearest, plain};
pub use server::{ServerFault, server_faults};

/// The version of `pack.yaml` that this program reads.
pub(crate) const FORMAT: u32 = 1;
/// The longest name of a pack.
const MAX_NAME: usize = 64;
/// The most tokens of an answer that a model writes: about the bytes that are read of one.
const MAX_TOKENS: u64 = 16_384;

/// The JSON Schema of a type, for checking and for editors.
pub(crate) fn schema_of<T: schemars::JsonSchema>() -> Value {
    schemars::SchemaGenerator::default().into_root_schema_for::<T>().to_value()
}

/// All faults of a file's shape: unknown keys, missing keys, wrong types.
pub(crate) fn shape<T: schemars::JsonSchema>(source: &Source) -> Vec<Fault> {
    let schema = schema_of::<T>();
    let Ok(validator) = jsonschema::draft202012::new(&schema) else {
        return vec![source.fault("", "the schema of this file cannot be compiled")];
    };
    let mut faults = Vec::new();
    for error in validator.iter_errors(&source.value) {
        explain(source, &schema, &error, &mut faults);
    }
    faults
}

fn explain(
    source: &Source,
    schema: &Value,
    error: &jsonschema::ValidationError<'_>,
    faults: &mut Vec<Fault>,
) {
    use jsonschema::error::ValidationErrorKind as Kind;
    let pointer = error.instance_path().as_str().to_owned();
    match error.kind() {
        Kind::AdditionalProperties { unexpected } => {
            let at = error.schema_path().as_str().trim_end_matches("/additionalProperties");
            let known = known_keys(schema, at);
            for key in unexpected {
                let place = format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"));
                let fault = source.fault(&place, format!("unknown key `{key}`"));
                faults.push(fault.hint(did_you_mean(key, known.iter().map(String::as_str))));
            }
        }
        Kind::Required { property } => {
            let key = property.as_str().unwrap_or_default();
            faults.push(source.fault(&pointer, format!("the key `{key}` is missing")));
        }
        _ => {
            let path = error.schema_path().as_str();
            let lists = ["/enum", "/oneOf", "/anyOf"].iter().any(|end| path.ends_with(end));
            let known = if lists { advice::values(schema, node(schema, path)) } else { Vec::new() };
            faults.push(match error.instance().as_str().filter(|_| !known.is_empty()) {
                Some(word) => source
                    .fault(&pointer, format!("unknown value `{word}`"))
                    .hint(did_you_mean(word, known.iter().copied())),
                None => source.fault(&pointer, error.to_string()),
            });
        }
    }
}

/// The keys that an object may have.
fn known_keys(schema: &Value, pointer: &str) -> Vec<String> {
    let properties = node(schema, pointer).get("properties").and_then(Value::as_object);
    properties.map(|map| map.keys().cloned().collect()).unwrap_or_default()
}

/// The node of a schema that a path through its `$ref`s leads to.
fn node<'a>(schema: &'a Value, pointer: &str) -> &'a Value {
    let mut at = schema;
    for part in pointer.split('/').skip(1) {
        if part == "$ref" {
            at = advice::referenced(schema, at);
            continue;
        }
        at = match at {
            Value::Array(items) => part.parse().ok().and_then(|i: usize| items.get(i)),
            other => other.get(part.replace("~1", "/").replace("~0", "~")),
        }
        .unwrap_or(&Value::Null);
    }
    at
}

/// The fault of a name that cannot stand in an address, in a file's name and in that of a conversation.
fn name_fault(source: &Source, name: &str) -> Option<Fault> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if !name.is_empty() && name.len() <= MAX_NAME && name.chars().all(is_plain) {
        return None;
    }
    let message = format!("`{}` is no name of a pack", shorten(name, MAX_NAME));
    let hint = format!("use letters, digits, `-` and `_`, at most {MAX_NAME} of them");
    Some(source.fault("/name", message).hint(hint))
}

/// All faults that the shape of `pack.yaml` cannot show.
pub(crate) fn meaning(source: &Source, spec: &PackSpec) -> Vec<Fault> {
    let mut faults = Vec::new();
    if spec.format != FORMAT {
        let message = format!("this program reads format {FORMAT}, the pack has {}", spec.format);
        faults.push(source.fault("/format", message));
    }
    faults.extend(name_fault(source, &spec.name));
    for (index, tag) in spec.languages.iter().enumerate() {
        if Language::from_tag(tag).is_none() {
            let fault =
                source.fault(&format!("/languages/{index}"), format!("unknown language `{tag}`"));
            faults.push(fault.hint("use en, zh-TW, zh-CN, vi, es, fr, pt, de, ja or id"));
        }
    }
    if let Err(error) = waypost_core::records::request::zone(&spec.tz) {
        faults.push(source.fault("/tz", error.message()).hint("use an IANA name"));
    }
    let routes: Vec<&str> = spec.routes.iter().map(|route| route.name.as_str()).collect();
    if !routes.contains(&spec.fallback.as_str()) {
        let fault = source.fault("/fallback", format!("there is no route `{}`", spec.fallback));
        faults.push(fault.hint(did_you_mean(&spec.fallback, routes.iter().copied())));
    }
    for name in spec.rollout.keys().filter(|name| Key::find(name).is_none()) {
        let fault = source.fault(&format!("/rollout/{name}"), Key::unknown(name));
        faults.push(fault.hint(did_you_mean(name, Key::names())));
    }
    unique(source, "/routes", routes.iter().copied(), &mut faults);
    unique(source, "/tools", spec.tools.iter().map(|tool| tool.name.as_str()), &mut faults);
    server::check(source, spec, &mut faults);
    for (index, tool) in spec.tools.iter().enumerate() {
        check_tool(source, spec, index, tool, &mut faults);
    }
    check_policy(source, spec, &mut faults);
    check_writing(source, spec, &mut faults);
    signal::check(source, spec, &mut faults);
    workflow::check(source, spec, &mut faults);
    same::check(source, spec, &mut faults);
    plan::check(source, spec, &mut faults);
    talk::check(source, spec, &mut faults);
    faults
}

/// Checks the thresholds and bounds of the policy: a pack cannot switch them off.
fn check_policy(source: &Source, spec: &PackSpec, faults: &mut Vec<Fault>) {
    let policy = &spec.policy;
    let numbers = [
        ("run", policy.run, 0.0, 1.0),
        ("write", policy.write, 0.0, 1.0),
        ("ask", policy.ask, 0.0, policy.run),
        ("student", policy.student, 0.0, 1.0),
        ("select", policy.select, 0.0, 1.0),
        ("max_calls", policy.max_calls as f64, 1.0, 50.0),
        ("max_choices", policy.max_choices as f64, 1.0, 10.0),
        ("max_tries", f64::from(policy.max_tries), 1.0, 10.0),
        ("backoff_ms", policy.backoff_ms as f64, 0.0, 60_000.0),
        ("backoff_factor", policy.backoff_factor, 1.0, 10.0),
        ("turn_timeout_ms", policy.turn_timeout_ms as f64, 1.0, 3_600_000.0),
        ("longest_turn_ms", policy.longest_turn_ms as f64, 1.0, 86_400_000.0),
        ("llm_timeout_ms", policy.llm_timeout_ms as f64, 1.0, 3_600_000.0),
        ("recall_entries", policy.recall_entries as f64, 0.0, 100_000.0),
        ("recall_ttl_s", policy.recall_ttl_s as f64, 1.0, 31_536_000.0),
        ("max_concurrent_classifications", policy.max_concurrent_classifications as f64, 1.0, 50.0),
        ("llm_max_tokens", f64::from(policy.llm_max_tokens), 1.0, 4096.0),
    ];
    for (name, value, least, most) in numbers {
        if !(least..=most).contains(&value) {
            let message = format!("`{name}` is {value}, which is outside {least}..={most}");
            faults.push(source.fault(&format!("/policy/{name}"), message));
        }
    }
    let routes = spec.routes.iter().map(|route| route.run).enumerate();
    let routes = routes.map(|(index, run)| (format!("/routes/{index}/run"), run));
    let tools = spec.tools.iter().map(|tool| tool.run).enumerate();
    let tools = tools.map(|(index, run)| (format!("/tools/{index}/run"), run));
    for (at, run) in routes.chain(tools) {
        if run.is_some_and(|run| !(0.0..=1.0).contains(&run)) {
            faults.push(source.fault(&at, "`run` is a probability, from 0 to 1"));
        }
    }
}

/// Checks how much a model may write for a route, and for how long: no longer than the turn lasts.
fn check_writing(source: &Source, spec: &PackSpec, faults: &mut Vec<Fault>) {
    let turn = spec.policy.turn_timeout_ms;
    for (index, route) in spec.routes.iter().enumerate() {
        let tokens = ("max_tokens", route.max_tokens.map(u64::from), MAX_TOKENS, "such as 700");
        let wait = ("timeout_ms", route.timeout_ms, turn, "and at most `turn_timeout_ms`");
        for (name, value, most, hint) in [tokens, wait] {
            let Some(value) = value.filter(|value| !(1..=most).contains(value)) else { continue };
            let message = format!("`{name}` is {value}, which is outside 1..={most}");
            let fault = source.fault(&format!("/routes/{index}/{name}"), message);
            faults.push(fault.hint(format!("give a whole number from 1, {hint}")));
        }
    }
}

fn unique<'a>(
    source: &Source,
    pointer: &str,
    names: impl Iterator<Item = &'a str>,
    faults: &mut Vec<Fault>,
) {
    let mut seen = Vec::new();
    for (index, name) in names.enumerate() {
        if seen.contains(&name) {
            let at = format!("{pointer}/{index}/name");
            faults.push(source.fault(&at, format!("`{name}` is here twice")));
        }
        seen.push(name);
    }
}

fn check_tool(
    source: &Source,
    spec: &PackSpec,
    index: usize,
    tool: &ToolSpec,
    faults: &mut Vec<Fault>,
) {
    let at = format!("/tools/{index}");
    if !spec.servers.iter().any(|server| server.name == tool.server) {
        let names = spec.servers.iter().map(|server| server.name.as_str());
        let fault =
            source.fault(&format!("{at}/server"), format!("there is no server `{}`", tool.server));
        faults.push(fault.hint(did_you_mean(&tool.server, names)));
    }
    check_schema(source, &format!("{at}/schema"), &tool.schema, faults);
    argument::check_templates(source, &format!("{at}/answer"), &tool.answer, faults);
    let flat = FlatSchema::read(&tool.schema);
    let known = || flat.properties.keys().map(String::as_str);
    for name in tool.arguments.keys() {
        if !known().any(|key| key == name) {
            let fault = source.fault(
                &format!("{at}/arguments/{name}"),
                format!("the schema of `{}` has no argument `{name}`", tool.name),
            );
            faults.push(fault.hint(did_you_mean(name, known())));
        }
    }
    argument::check(source, spec, index, (tool, &flat), faults);
    argument::check_loss(source, index, (tool, &flat), faults);
    for (step, relaxation) in tool.relax.iter().enumerate() {
        if !known().any(|key| key == relaxation.set) {
            let fault = source.fault(
                &format!("{at}/relax/{step}/set"),
                format!("the schema of `{}` has no argument `{}`", tool.name, relaxation.set),
            );
            faults.push(fault.hint(did_you_mean(&relaxation.set, known())));
        }
    }
}

/// Checks that the schema of a tool can be used. Nothing is passed over here, as it is of what a server lists: a pack has an
/// author, who reads where each fault is.
fn check_schema(source: &Source, at: &str, schema: &Value, faults: &mut Vec<Fault>) {
    let Err(error) = Schema::compile(schema) else { return };
    let Some(passed_over) = adopt(schema).ok().map(|own| own.passed_over) else {
        faults.push(source.fault(at, format!("not a JSON Schema that can be used: {error}")));
        return;
    };
    for PassedOver { place, keyword, why } in passed_over {
        let message = format!("not a JSON Schema that can be used: `{keyword}`: {why}");
        let fault = source.fault(&format!("{at}{place}"), message);
        faults.push(fault.hint(format!("mend `{keyword}`, or leave it out")));
    }
}

/// All faults of a gazetteer's entries: where a place is given, it is on the Earth.
pub(crate) fn entries(
    source: &Source,
    spec: &GazetteerSpec,
    file: &super::spec::EntriesSpec,
) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (key, entry) in &file.entries {
        let at = format!("/entries/{key}");
        if entry.names.iter().all(|name| name.trim().is_empty()) {
            faults.push(source.fault(&at, format!("`{key}` of `{}` has no name", spec.name)));
        }
        if let Some([longitude, latitude]) = entry.point
            && !on_earth(longitude, latitude)
        {
            let fault = source
                .fault(&format!("{at}/point"), format!("the point of `{key}` is not on the Earth"));
            faults.push(fault.hint("give [longitude, latitude] in degrees"));
        }
        for (name, area) in [("box", entry.area), ("sea", entry.sea)] {
            let Some([west, south, east, north]) = area else { continue };
            let placed = on_earth(west, south) && on_earth(east, north);
            if !placed || south >= north || (west - east).abs() < f64::EPSILON {
                let fault = source.fault(
                    &format!("{at}/{name}"),
                    format!("the {name} of `{key}` is not a box on the Earth"),
                );
                faults.push(fault.hint("give [west, south, east, north] in degrees"));
            }
        }
    }
    faults
}

fn on_earth(longitude: f64, latitude: f64) -> bool {
    (-180.0..=180.0).contains(&longitude) && (-90.0..=90.0).contains(&latitude)
}

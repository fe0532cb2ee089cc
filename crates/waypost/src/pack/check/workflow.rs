//! Checks the workflow of a pack: every flag can be set, every choice leads to a tool, and labels are in languages.

use waypost_core::schema::FlatSchema;

use super::super::source::{Fault, Source};
use super::super::spec::{GateSpec, PackSpec, Requirement, ToolSpec};
use super::argument::check_texts;
use super::did_you_mean;

/// All faults of flags and gates.
pub(super) fn check(source: &Source, spec: &PackSpec, faults: &mut Vec<Fault>) {
    for (index, route) in spec.routes.iter().enumerate() {
        check_texts(source, &format!("/routes/{index}/label"), &route.label, faults);
    }
    for (index, tool) in spec.tools.iter().enumerate() {
        check_texts(source, &format!("/tools/{index}/label"), &tool.label, faults);
        for (step, requirement) in tool.requires.iter().enumerate() {
            let at = format!("/tools/{index}/requires/{step}");
            check_flag(source, spec, &at, &requirement.flag, faults);
            check_condition(source, tool, &at, requirement, faults);
        }
    }
    for (index, gate) in spec.gates.iter().enumerate() {
        let at = format!("/gates/{index}");
        check_flag(source, spec, &format!("{at}/flag"), &gate.flag, faults);
        for (step, flag) in gate.after.iter().enumerate() {
            check_flag(source, spec, &format!("{at}/after/{step}"), flag, faults);
        }
        check_choices(source, spec, &at, gate, faults);
    }
}

/// A flag that no tool sets would never open.
fn check_flag(source: &Source, spec: &PackSpec, at: &str, flag: &str, faults: &mut Vec<Fault>) {
    // What only keeps a value opens nothing.
    let sets = || spec.tools.iter().flat_map(|tool| &tool.sets).filter(|set| set.keeps.is_none());
    let known = || sets().map(|set| set.flag.as_str());
    if !known().any(|known| known == flag) {
        let fault = source.fault(at, format!("no tool sets the flag `{flag}`"));
        faults.push(fault.hint(did_you_mean(flag, known())));
    }
}

fn check_condition(
    source: &Source,
    tool: &ToolSpec,
    at: &str,
    requirement: &Requirement,
    faults: &mut Vec<Fault>,
) {
    let condition = &requirement.condition;
    if let Some(view) = condition.view.as_ref().filter(|view| !tool.views.contains_key(*view)) {
        let fault =
            source.fault(&format!("{at}/view"), format!("`{}` has no view `{view}`", tool.name));
        faults.push(fault.hint(did_you_mean(view, tool.views.keys().map(String::as_str))));
    }
    for (key, name) in [("with", &condition.with), ("without", &condition.without)] {
        if let Some(name) = name {
            check_argument(source, tool, &format!("{at}/{key}"), name, faults);
        }
    }
}

/// A name that the schema of a tool does not have.
pub(super) fn check_argument(
    source: &Source,
    tool: &ToolSpec,
    at: &str,
    name: &str,
    faults: &mut Vec<Fault>,
) {
    let flat = FlatSchema::read(&tool.schema);
    let known = || flat.properties.keys().map(String::as_str);
    if !known().any(|known| known == name) {
        let fault =
            source.fault(at, format!("the schema of `{}` has no argument `{name}`", tool.name));
        faults.push(fault.hint(did_you_mean(name, known())));
    }
}

fn check_choices(
    source: &Source,
    spec: &PackSpec,
    at: &str,
    gate: &GateSpec,
    faults: &mut Vec<Fault>,
) {
    check_texts(source, &format!("{at}/ask"), &gate.ask, faults);
    check_texts(source, &format!("{at}/label"), &gate.label, faults);
    for (index, choice) in gate.choices.iter().enumerate() {
        let at = format!("{at}/choices/{index}");
        check_texts(source, &format!("{at}/label"), &choice.label, faults);
        let Some(tool) = spec.tools.iter().find(|tool| tool.name == choice.call.tool) else {
            let names = spec.tools.iter().map(|tool| tool.name.as_str());
            let message = format!("there is no tool `{}`", choice.call.tool);
            let fault = source.fault(&format!("{at}/call/tool"), message);
            faults.push(fault.hint(did_you_mean(&choice.call.tool, names)));
            continue;
        };
        for name in choice.call.arguments.keys() {
            check_argument(source, tool, &format!("{at}/call/arguments/{name}"), name, faults);
        }
    }
}

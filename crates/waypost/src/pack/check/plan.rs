//! Checks what tools need of each other, set and read: everything is provided, by one tool, and names of arguments are right.

use super::super::examples::CLARIFY;
use super::super::source::{Fault, Source};
use super::super::spec::{Access, Orchestration, PackSpec, PlanSpec, StepsSource, ToolSpec};
use super::did_you_mean;
use super::workflow::check_argument;

/// All faults of needs, limits, plans and commands.
pub(super) fn check(source: &Source, spec: &PackSpec, faults: &mut Vec<Fault>) {
    for (index, name) in spec.always_active.iter().enumerate() {
        let routes = || spec.routes.iter().map(|route| route.name.as_str()).chain([CLARIFY]);
        if !routes().any(|route| route == name) {
            let message = format!("there is no route `{name}` that could always be active");
            let fault = source.fault(&format!("/always_active/{index}"), message);
            faults.push(fault.hint(did_you_mean(name, routes())));
        }
    }
    for (index, tool) in spec.tools.iter().enumerate() {
        let at = format!("/tools/{index}");
        for (place, need) in tool.needs.iter().enumerate() {
            check_need(source, spec, &format!("{at}/needs/{place}"), need, faults);
        }
        for (place, name) in tool.after.iter().enumerate() {
            if providers(spec, name).next().is_none() {
                faults.push(unprovided(source, spec, &format!("{at}/after/{place}"), name));
            }
        }
        for (argument, note) in &tool.arguments {
            for (place, from) in note.from.iter().enumerate() {
                let at = format!("{at}/arguments/{argument}/from/{place}");
                if providers(spec, from).next().is_none() {
                    faults.push(unprovided(source, spec, &at, from));
                }
            }
        }
        check_limits(source, tool, &at, faults);
        check_reads(source, tool, &at, faults);
        if tool.direct_chat && !spec.commands {
            let message = "nobody can talk to it alone, since the pack reads no commands";
            let fault = source.fault(&format!("{at}/direct_chat"), message);
            faults.push(fault.hint("add `commands: true`"));
        }
    }
    if let Some(plans) = &spec.plans {
        check_plans(source, plans, faults);
    }
}

fn providers<'a>(spec: &'a PackSpec, need: &'a str) -> impl Iterator<Item = &'a ToolSpec> {
    spec.tools.iter().filter(move |tool| tool.provides.iter().any(|own| own == need))
}

fn unprovided(source: &Source, spec: &PackSpec, at: &str, need: &str) -> Fault {
    let known = spec.tools.iter().flat_map(|tool| tool.provides.iter().map(String::as_str));
    let fault = source.fault(at, format!("no tool provides `{need}`"));
    fault.hint(did_you_mean(need, known))
}

/// Two tools that provide the same would be chosen between by nothing but their order.
fn check_need(source: &Source, spec: &PackSpec, at: &str, need: &str, faults: &mut Vec<Fault>) {
    let names: Vec<&str> = providers(spec, need).map(|tool| tool.name.as_str()).collect();
    match names.as_slice() {
        [] => faults.push(unprovided(source, spec, at, need)),
        [_] => {}
        several => {
            let message = format!("`{need}` is provided by {}", several.join(" and "));
            faults.push(source.fault(at, message).hint("let one tool provide it"));
        }
    }
}

fn check_limits(source: &Source, tool: &ToolSpec, at: &str, faults: &mut Vec<Fault>) {
    let Some(limits) = &tool.limits else { return };
    check_argument(source, tool, &format!("{at}/limits/of"), &limits.of, faults);
    for (list, names) in [("values", &limits.values), ("changes", &limits.changes)] {
        for (place, name) in names.iter().enumerate() {
            check_argument(source, tool, &format!("{at}/limits/{list}/{place}"), name, faults);
        }
    }
    if tool.arguments.get(&limits.of).is_none_or(|note| note.gazetteer.is_none()) {
        let message =
            format!("`{}` takes no entry of a gazetteer, which has the limits", limits.of);
        faults.push(source.fault(&format!("{at}/limits/of"), message));
    }
}

/// What reads for a condition is called before anybody said yes: the pack must say that it only reads.
fn check_reads(source: &Source, tool: &ToolSpec, at: &str, faults: &mut Vec<Fault>) {
    let Some(reads) = &tool.reads else { return };
    check_argument(source, tool, &format!("{at}/reads/of"), &reads.of, faults);
    if tool.arguments.get(&reads.of).is_none_or(|note| note.gazetteer.is_none()) {
        let message = format!("`{}` takes no entry of a gazetteer, which can be read", reads.of);
        faults.push(source.fault(&format!("{at}/reads/of"), message));
    }
    if !reads.at.starts_with('/') {
        let message = format!("`{}` is no JSON pointer", reads.at);
        let fault = source.fault(&format!("{at}/reads/at"), message);
        faults.push(fault.hint("write the place of the number as `/value`"));
    }
    if tool.access != Some(Access::Read) {
        let message = format!(
            "`{}` reads for conditions, but the pack does not say that it only reads",
            tool.name
        );
        faults.push(source.fault(&format!("{at}/reads"), message).hint("add `access: read`"));
    }
}

fn check_plans(source: &Source, plans: &PlanSpec, faults: &mut Vec<Fault>) {
    let numbers = [
        ("max_steps", f64::from(plans.max_steps), 1.0, 1000.0),
        ("max_time_s", plans.max_time_s as f64, 1.0, 86_400.0),
        ("max_step_retries", f64::from(plans.max_step_retries), 0.0, 10.0),
        ("backoff_ms", plans.backoff_ms as f64, 0.0, 60_000.0),
        ("backoff_factor", plans.backoff_factor, 1.0, 10.0),
        ("max_plans", f64::from(plans.max_plans), 1.0, 10.0),
        ("max_reclassifications", f64::from(plans.max_reclassifications), 0.0, 10.0),
    ];
    for (name, value, least, most) in numbers {
        if !(least..=most).contains(&value) {
            let message = format!("`{name}` is {value}, which is outside {least}..={most}");
            faults.push(source.fault(&format!("/plans/{name}"), message));
        }
    }
    if plans.orchestration == Orchestration::React && plans.steps == StepsSource::Model {
        let message = "with `react` there is no plan that a model could write";
        let fault = source.fault("/plans/steps", message);
        faults.push(fault.hint("leave `steps` out, or use `orchestration: plan_first`"));
    }
}

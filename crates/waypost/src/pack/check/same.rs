//! Checks the tools that are declared to do the same: the call that stands for them is one that can be made.

use super::super::source::{Fault, Source};
use super::super::spec::{PackSpec, ToolSpec};
use super::did_you_mean;
use super::workflow::check_argument;

/// All faults of such declarations.
pub(super) fn check(source: &Source, spec: &PackSpec, faults: &mut Vec<Fault>) {
    for (index, tool) in spec.tools.iter().enumerate() {
        let Some(same) = &tool.same_as else { continue };
        let at = format!("/tools/{index}/same_as");
        let others = || spec.tools.iter().filter(|other| other.name != tool.name);
        let Some(other) = others().find(|other| other.name == same.tool) else {
            let message = format!("there is no other tool `{}`", same.tool);
            let fault = source.fault(&format!("{at}/tool"), message);
            let names = others().map(|other| other.name.as_str());
            faults.push(fault.hint(did_you_mean(&same.tool, names)));
            continue;
        };
        faults.extend(chained(source, &at, other));
        for name in same.arguments.keys() {
            check_argument(source, other, &format!("{at}/arguments/{name}"), name, faults);
        }
    }
}

/// One call stands for all that do the same.
fn chained(source: &Source, at: &str, other: &ToolSpec) -> Option<Fault> {
    let same = other.same_as.as_ref()?;
    let message = format!("`{}` is itself the same as `{}`", other.name, same.tool);
    let hint = format!("write `same_as: {{ tool: {} }}`", same.tool);
    Some(source.fault(&format!("{at}/tool"), message).hint(hint))
}

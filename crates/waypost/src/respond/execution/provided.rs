//! The results of this turn, for the tools that need them.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use crate::pack::Tool;

/// The most items of a list that is put together from several results.
const MOST_ITEMS: usize = 1000;

/// Results by the names of what they provide, in the order in which they came.
#[derive(Debug, Clone, Default)]
pub struct Provided(BTreeMap<String, Vec<Json>>);

impl Provided {
    /// Takes the result of a tool for those that need it.
    pub(crate) fn take(&mut self, tool: &Tool, result: &Json) {
        for name in &tool.spec.provides {
            self.0.entry(name.clone()).or_default().push(result.clone());
        }
    }

    /// Drops what was provided under some names.
    pub(crate) fn forget(&mut self, names: &[String]) {
        self.0.retain(|name, _| !names.contains(name));
    }

    /// Returns whether something was provided under a name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// The value of an argument from the results that are provided under these names: the value of the same name of the first
    /// result that has one, or the items of all where they are lists.
    pub(super) fn value(&self, argument: &str, from: &[String]) -> Option<Json> {
        let results = from.iter().flat_map(|name| self.0.get(name).into_iter().flatten());
        let mut values = results.filter_map(|result| result.get(argument));
        let first = values.next()?.clone();
        let Json::Array(mut items) = first else { return Some(first) };
        items.extend(values.filter_map(Json::as_array).flatten().cloned());
        items.truncate(MOST_ITEMS);
        Some(Json::Array(items))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lists_of_several_results_are_put_together_and_other_values_are_the_first() {
        let mut provided = Provided::default();
        provided.0.insert("a".to_owned(), vec![json!({ "data": [1], "start": "x" })]);
        provided.0.insert("b".to_owned(), vec![json!({ "data": [2, 3], "start": "y" }), json!({})]);
        let from = ["b".to_owned(), "a".to_owned(), "c".to_owned()];
        assert_eq!(provided.value("data", &from), Some(json!([2, 3, 1])));
        assert_eq!(provided.value("start", &from), Some(json!("y")));
        assert_eq!(provided.value("end", &from), None);
        provided.forget(&["b".to_owned()]);
        assert_eq!(provided.value("data", &from), Some(json!([1])));
    }
}

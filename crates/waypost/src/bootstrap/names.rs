//! Decides the names of tools of several servers: a name that two of them use becomes `SERVER_NAME`.

use std::collections::{BTreeMap, BTreeSet};

/// The names of the tools of each server, in their order; no two are the same.
pub(super) fn unique(servers: &[(&str, Vec<&str>)]) -> Vec<Vec<String>> {
    let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
    for name in servers.iter().flat_map(|(_, names)| names) {
        *uses.entry(name).or_default() += 1;
    }
    // A name that only one server uses is its own, whatever the others are called.
    let mut taken: BTreeSet<String> =
        uses.iter().filter(|(_, uses)| **uses == 1).map(|(name, _)| (*name).to_owned()).collect();
    let named = servers.iter().map(|(server, names)| {
        let own = names.iter().map(|name| {
            if uses.get(name) == Some(&1) {
                return (*name).to_owned();
            }
            free(&format!("{}_{name}", identifier(server)), &mut taken)
        });
        own.collect()
    });
    named.collect()
}

/// The name, or with the first number behind it that makes it free.
pub(super) fn free(name: &str, taken: &mut BTreeSet<String>) -> String {
    let numbered = (2..).map(|number| format!("{name}_{number}"));
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    let name = names.find(|name| !taken.contains(name)).unwrap_or_default();
    taken.insert(name.clone());
    name
}

/// A name as a part of an identifier.
pub(super) fn identifier(name: &str) -> String {
    let is_part = |c: char| c.is_alphanumeric() || c == '-';
    name.chars().map(|c| if is_part(c) { c } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_two_servers_have_says_whose_it_is() {
        let servers = [("a.b", vec!["search", "read"]), ("c", vec!["search", "a_b_search"])];
        assert_eq!(
            unique(&servers),
            [vec!["a_b_search_2", "read"], vec!["c_search", "a_b_search"]]
        );
        assert_eq!(unique(&[("a", vec!["x"])]), [vec!["x"]]);
    }
}

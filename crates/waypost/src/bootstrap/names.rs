//! Decides the names of tools of several servers: a name that two of them use becomes `SERVER_NAME`.

use std::collections::{BTreeMap, BTreeSet};

use crate::pack::Pack;
use crate::pack::spec::ServerSpec;

/// What decides the names of a pack and its tools beside the lists of its servers, so that they are the same whichever servers
/// are up.
#[derive(Debug, Clone, Default)]
pub struct Naming {
    /// All servers that were asked for, whether or not they answered. If it is empty, those that are listed.
    servers: Vec<String>,
    /// The names that tools have already, by their server and its own name for them.
    kept: BTreeMap<(String, String), String>,
}

impl Naming {
    /// The naming of the tools of these servers, none of which has a name yet.
    pub fn of(servers: &[ServerSpec]) -> Self {
        let servers = servers.iter().map(|server| server.name.clone()).collect();
        Self { servers, kept: BTreeMap::new() }
    }

    /// The same naming, in which the tools of a pack keep their names.
    #[must_use]
    pub fn keeping(mut self, pack: &Pack) -> Self {
        let own = pack.tools.iter().map(|tool| &tool.spec);
        self.kept.extend(
            own.map(|tool| {
                ((tool.server.clone(), tool.remote_name().to_owned()), tool.name.clone())
            }),
        );
        self
    }

    /// The servers that were asked for, or else those that are listed.
    pub(super) fn servers<'a>(&'a self, listed: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
        match self.servers.is_empty() {
            true => listed.collect(),
            false => self.servers.iter().map(String::as_str).collect(),
        }
    }

    fn kept(&self, server: &str, tool: &str) -> Option<&String> {
        self.kept.get(&(server.to_owned(), tool.to_owned()))
    }
}

/// The names of the tools of each server, in their order; no two are the same.
pub(super) fn unique(servers: &[(&str, Vec<&str>)], naming: &Naming) -> Vec<Vec<String>> {
    let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
    for name in servers.iter().flat_map(|(_, names)| names) {
        *uses.entry(name).or_default() += 1;
    }
    let all = naming.servers(servers.iter().map(|(server, _)| *server));
    let kept: BTreeSet<String> = naming.kept.values().cloned().collect();
    let is_own = |name: &str| uses.get(name) == Some(&1) && !kept.contains(name);
    // A name that only one server uses is its own, whatever the others are called.
    let own = uses.keys().filter(|name| is_own(name)).map(|name| (*name).to_owned());
    let mut taken: BTreeSet<String> = own.chain(kept.iter().cloned()).collect();
    let named = servers.iter().map(|(server, names)| {
        let own = names.iter().map(|name| match naming.kept(server, name) {
            Some(kept) => kept.clone(),
            None if is_own(name) => (*name).to_owned(),
            None => free(&format!("{}{name}", prefix(server, &all)), &mut taken),
        });
        own.collect()
    });
    named.collect()
}

/// The beginning of the names of a server's tools. Of two servers `a` and `a_b`, `a_b_c` would be a tool of either, depending on
/// which of them is up; so they have a longer one.
fn prefix(server: &str, all: &[&str]) -> String {
    let own = format!("{}_", identifier(server));
    let overlaps = all.iter().filter(|other| **other != server).any(|other| {
        let other = format!("{}_", identifier(other));
        own.starts_with(&other) || other.starts_with(&own)
    });
    if overlaps { format!("{own}_") } else { own }
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
        let naming = Naming::default();
        assert_eq!(
            unique(&servers, &naming),
            [vec!["a_b_search_2", "read"], vec!["c_search", "a_b_search"]]
        );
        assert_eq!(unique(&[("a", vec!["x"])], &naming), [vec!["x"]]);
    }

    #[test]
    fn no_name_is_of_one_server_or_another_by_who_is_up() {
        let naming =
            Naming { servers: ["a", "a_b", "z"].map(str::to_owned).into(), kept: BTreeMap::new() };
        let (a, b, z) = (("a", vec!["b_c", "x"]), ("a_b", vec!["c"]), ("z", vec!["b_c", "c"]));
        let all = unique(&[a, b.clone(), z.clone()], &naming);
        assert_eq!(all, [vec!["a__b_c", "x"], vec!["a_b__c"], vec!["z_b_c", "z_c"]]);
        // Without the first server the others have the names of before.
        let without = unique(&[b, z], &naming);
        assert_eq!(without, [vec!["a_b__c"], vec!["b_c", "z_c"]]);
    }

    #[test]
    fn a_tool_keeps_its_name_when_another_server_comes_with_the_same() {
        let kept = [(("a".to_owned(), "search".to_owned()), "search".to_owned())];
        let naming = Naming { servers: Vec::new(), kept: kept.into() };
        let servers = [("c", vec!["search", "read"]), ("a", vec!["search", "find"])];
        assert_eq!(unique(&servers, &naming), [vec!["c_search", "read"], vec!["search", "find"]]);
    }
}

//! Reads a list of tools: a tool that is not described as it should be is left out, not the list. A list that is cut short
//! is told once, with what is missing of it.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Map, Value};
use waypost_core::ports::tools::{Hints, ToolDescription};

use super::cut::size;
use super::line;

/// The most tools of a list: twenty times as many as the largest catalog that was seen.
const MAX_TOOLS: usize = 10_000;
/// The most pages of a list that are asked for: a page for each tool.
const MAX_PAGES: usize = MAX_TOOLS;
/// The most pages in a row without a tool: such a list leads nowhere.
const MAX_EMPTY: usize = 100;
/// The largest list, in bytes of JSON.
const MAX_BYTES: usize = 16 * 1024 * 1024;
/// The longest mark of a page, in bytes.
const MAX_CURSOR: usize = 4 * 1024;
/// The longest warning of what is missing, in characters.
const MAX_TOLD: usize = 300;
/// The time for which a list counts where its server does not say that it changed.
const COUNTS: Duration = Duration::from_secs(60);

/// A list under way: its tools, and the room that is left for them.
#[derive(Debug, Default)]
pub(super) struct Listing {
    tools: Vec<ToolDescription>,
    /// The hashes of the tools as they were listed, so that a page that comes again adds none twice.
    known: HashSet<u64>,
    bytes: usize,
    pages: usize,
    /// The pages without a tool, since the last one with some.
    empty: usize,
    /// The hashes of the marks that led on.
    marks: HashSet<u64>,
    /// The tools for which there was no room.
    left_out: usize,
    /// The reason why it ended before its last page.
    fault: Option<String>,
    /// True if the next page may come if it is asked for again.
    is_broken_off: bool,
    /// True if it is in doubt whether there is a next page.
    is_doubtful: bool,
}

/// A list that has ended.
#[derive(Debug, PartialEq)]
pub(super) struct Listed {
    pub(super) tools: Vec<ToolDescription>,
    /// What is missing of it, to be told; nothing if it is whole.
    pub(super) missing: Option<String>,
    /// True if more of it may come if it is asked for again.
    pub(super) is_broken_off: bool,
}

impl Listing {
    /// Takes a page; returns the mark of the next one. Beyond its room the tools are counted and not kept, so that what is
    /// missing can be told.
    pub(super) fn take(&mut self, answer: &Value) -> Option<String> {
        self.pages += 1;
        let tools = answer.get("tools").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        self.empty = if tools.is_empty() { self.empty + 1 } else { 0 };
        tools.iter().for_each(|tool| self.take_tool(tool));
        let next = answer.get("nextCursor").and_then(Value::as_str)?;
        let is_new = self.marks.insert(hash(&next));
        // Many servers write an empty mark where they have none, and for some it is one like any other.
        self.is_doubtful = next.is_empty();
        if self.is_doubtful && !is_new {
            return None;
        }
        let fault = match () {
            () if next.len() > MAX_CURSOR => "the mark of its next page is too long",
            () if !is_new => "its pages lead in a circle",
            () if self.empty >= MAX_EMPTY => "its pages are empty",
            () if self.pages >= MAX_PAGES => "it has too many pages",
            () => return Some(next.to_owned()),
        };
        self.fault = Some(fault.to_owned());
        None
    }

    fn take_tool(&mut self, tool: &Value) {
        if !self.known.insert(hash(&tool.to_string())) {
            return;
        }
        let bytes = self.bytes.saturating_add(size(tool));
        if self.left_out > 0 || self.tools.len() == MAX_TOOLS || bytes > MAX_BYTES {
            self.left_out += 1;
            return;
        }
        self.bytes = bytes;
        self.tools.extend(description(tool));
    }

    /// Returns whether no page was taken.
    pub(super) fn is_empty(&self) -> bool {
        self.pages == 0
    }

    /// Notes that the next page did not come.
    pub(super) fn broke_off(&mut self, why: &str) {
        if self.is_doubtful {
            return;
        }
        self.fault = Some(format!("page {} did not come: {why}", self.pages + 1));
        self.is_broken_off = true;
    }

    /// The list as far as it was read.
    pub(super) fn end(self) -> Listed {
        let left_out = match self.left_out {
            0 => None,
            left_out => {
                let most = self.tools.len();
                Some(format!(
                    "{left_out} of its tools are left out, since {most} are the most that are read"
                ))
            }
        };
        let missing: Vec<String> = left_out.into_iter().chain(self.fault).collect();
        let missing = (!missing.is_empty()).then(|| missing.join("; "));
        Listed { tools: self.tools, missing, is_broken_off: self.is_broken_off }
    }
}

/// A hash that holds for this list.
fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// The latest list of a conversation.
#[derive(Debug, Default)]
pub(super) struct ListCache(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    latest: Option<Latest>,
    /// What was said last of a list that is not whole.
    told: Option<String>,
}

#[derive(Debug)]
struct Latest {
    at: Instant,
    /// The count of changes before it was asked for.
    changes: u64,
    tools: Arc<Vec<ToolDescription>>,
}

impl ListCache {
    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a list that was asked for when its server had counted so many changes. One that is not whole is told once, for
    /// as long as the same is missing; one that was broken off is asked for again by whoever needs it next.
    pub(super) fn keep(
        &self,
        server: &str,
        listed: Listed,
        changes: u64,
    ) -> Arc<Vec<ToolDescription>> {
        let tools = Arc::new(listed.tools);
        let mut kept = self.lock();
        let latest = || Latest { at: Instant::now(), changes, tools: Arc::clone(&tools) };
        kept.latest = (!listed.is_broken_off).then(latest);
        if kept.told != listed.missing {
            if let Some(missing) = &listed.missing {
                let missing = line(missing, MAX_TOLD);
                tracing::warn!("the list of tools of `{server}` is not whole: {missing}");
            }
            kept.told = listed.missing;
        }
        tools
    }

    /// Returns whether the latest list came whole.
    pub(super) fn is_whole(&self) -> bool {
        self.lock().latest.is_some()
    }

    /// The list, if it is not old and its server has not said since that it changed.
    pub(super) fn lately(&self, changes: u64) -> Option<Arc<Vec<ToolDescription>>> {
        let kept = self.lock();
        let latest = kept.latest.as_ref()?;
        let counts = latest.changes == changes && latest.at.elapsed() < COUNTS;
        counts.then(|| Arc::clone(&latest.tools))
    }
}
/// A tool as the router sees it; `None` if it has no name.
fn description(tool: &Value) -> Option<ToolDescription> {
    let object = |key: &str| tool.get(key).filter(|value| value.is_object()).cloned();
    Some(ToolDescription {
        name: tool.get("name")?.as_str()?.to_owned(),
        description: tool.get("description").and_then(Value::as_str).unwrap_or_default().to_owned(),
        input_schema: object("inputSchema").unwrap_or_else(|| Value::Object(Map::new())),
        output_schema: object("outputSchema"),
        hints: hints(tool.get("annotations")),
    })
}

/// The hints of a tool; one of a wrong type is as if it were missing.
fn hints(annotations: Option<&Value>) -> Hints {
    let hint = |name: &str| annotations?.get(name)?.as_bool();
    Hints {
        read_only: hint("readOnlyHint"),
        destructive: hint("destructiveHint"),
        idempotent: hint("idempotentHint"),
        open_world: hint("openWorldHint"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use waypost_core::ports::tools::Access;

    use super::*;

    #[test]
    fn a_tool_that_is_described_oddly_spoils_no_list() {
        let mut listing = Listing::default();
        let next = listing.take(&json!({ "nextCursor": "2", "tools": [
            { "name": "a", "inputSchema": { "type": "object" },
              "annotations": { "readOnlyHint": true, "idempotentHint": "yes", "title": "A" } },
            { "name": 7, "inputSchema": {} },
            "b",
            { "name": "c", "description": 5, "outputSchema": [], "annotations": [true] },
        ] }));
        let tools = listing.end().tools;
        let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!((names, next.as_deref()), (vec!["a", "c"], Some("2")));
        assert_eq!(tools[0].hints.read_only, Some(true));
        assert_eq!(tools[0].hints.idempotent, None);
        assert_eq!(tools[1].hints.access(), Access::Write);
        assert_eq!((&tools[1].output_schema, &tools[1].input_schema), (&None, &json!({})));
        let mut nothing = Listing::default();
        assert_eq!((nothing.take(&json!("no list")), nothing.end().tools), (None, Vec::new()));
    }

    fn names(count: usize) -> Vec<Value> {
        (0..count).map(|n| json!({ "name": format!("t{n}") })).collect()
    }

    #[test]
    fn a_list_ends() {
        let mut circle = Listing::default();
        let page = json!({ "nextCursor": "again", "tools": [{ "name": "a" }] });
        assert_eq!(circle.take(&page).as_deref(), Some("again"));
        assert_eq!(circle.take(&page), None);
        let circle = circle.end();
        assert_eq!(circle.tools.len(), 1, "the same page adds nothing");
        assert_eq!(circle.missing.as_deref(), Some("its pages lead in a circle"));
        let mut two = Listing::default();
        for (next, goes_on) in [("1", true), ("2", true), ("1", false)] {
            let page = json!({ "nextCursor": next, "tools": [{ "name": next }] });
            assert_eq!(two.take(&page).is_some(), goes_on, "{next}");
        }
        let mut empty = Listing::default();
        let pages = (0..).take_while(|n| {
            empty.take(&json!({ "nextCursor": n.to_string(), "tools": [] })).is_some()
        });
        assert_eq!(pages.count(), MAX_EMPTY - 1);
        // An empty mark is asked with once, and what comes of it is no fault of the list.
        for answers in [true, false] {
            let mut usual = Listing::default();
            let page = json!({ "nextCursor": "", "tools": [{ "name": "a" }] });
            assert_eq!(usual.take(&page).as_deref(), Some(""));
            if answers {
                assert_eq!(usual.take(&page), None);
            } else {
                usual.broke_off("no such page");
            }
            let usual = usual.end();
            assert_eq!((usual.tools.len(), usual.missing, usual.is_broken_off), (1, None, false));
        }
    }

    #[test]
    fn what_has_no_room_is_counted() {
        let mut long = Listing::default();
        assert!(long.take(&json!({ "nextCursor": "1", "tools": names(6_000) })).is_some());
        let more: Vec<Value> = names(12_345).split_off(6_000);
        assert!(long.take(&json!({ "tools": more })).is_none());
        let long = long.end();
        assert_eq!(long.tools.len(), MAX_TOOLS);
        assert!(long.missing.unwrap().starts_with("2345 of its tools are left out"));
        let mut large = Listing::default();
        let tool = |name: &str| json!({ "name": name, "description": "x".repeat(MAX_BYTES / 2) });
        large.take(&json!({ "tools": [tool("a"), tool("b"), tool("c"), { "name": "d" }] }));
        let large = large.end();
        assert_eq!(large.tools.len(), 1);
        assert!(large.missing.unwrap().starts_with("3 of its tools"));
    }

    #[test]
    fn a_tool_a_page_is_a_list_too() {
        let mut listing = Listing::default();
        for (n, tool) in names(150).into_iter().enumerate() {
            let next = (n < 149).then(|| n.to_string());
            let page = json!({ "nextCursor": next, "tools": [tool] });
            assert_eq!(listing.take(&page), next);
        }
        let listed = listing.end();
        assert_eq!((listed.tools.len(), listed.missing), (150, None));
    }

    #[test]
    fn a_list_counts_until_its_server_says_that_it_changed() {
        let cache = ListCache::default();
        let listed = |tools: usize, page_fails: bool| {
            let mut listing = Listing::default();
            listing.take(&json!({ "nextCursor": "1", "tools": names(tools) }));
            if page_fails {
                listing.broke_off("no");
            }
            listing.end()
        };
        assert!(cache.lately(0).is_none());
        cache.keep("s", listed(2, false), 0);
        assert_eq!(cache.lately(0).unwrap().len(), 2);
        assert!(cache.lately(1).is_none());
        let half = cache.keep("s", listed(3, true), 1);
        assert_eq!(half.len(), 3, "what came is kept");
        assert!(cache.lately(1).is_none(), "the rest is asked for again");
    }
}

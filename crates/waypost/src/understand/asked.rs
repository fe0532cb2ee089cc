//! What was just asked for: the tool, and the arguments that an answer may be for.

use waypost_text::extract::Kind;

use super::Turn;
use crate::pack::Tool;

impl Turn<'_> {
    /// The tool that was just asked about.
    pub fn active_tool(&self) -> Option<&Tool> {
        self.pack.tool(self.context.active_tool.as_deref()?)
    }

    /// The argument that was just asked for, with its tool.
    pub fn asked(&self) -> Option<(&Tool, &str)> {
        let tool = self.active_tool()?;
        let name = self.context.active_argument.as_deref()?;
        tool.arguments().any(|known| known == name).then_some((tool, name))
    }

    /// Returns whether the open question asks for an argument of a tool, or for one of several of which it is one.
    pub(crate) fn asks_for(&self, tool: &Tool, argument: &str) -> bool {
        let is_active = self.context.active_tool.as_deref() == Some(tool.spec.name.as_str());
        is_active && self.asked_names().is_some_and(|(_, names)| names.contains(&argument))
    }

    /// The argument for words that was just asked for, with its tool. A path or a branch may be called anything.
    pub(crate) fn asked_for_words(&self) -> Option<(&Tool, &str)> {
        const NAMES: [Kind; 7] = [
            Kind::Quoted,
            Kind::Text,
            Kind::Path,
            Kind::Glob,
            Kind::Revision,
            Kind::Repository,
            Kind::Identifier,
        ];
        let (tool, names) = self.asked_names()?;
        let takes_words = |name: &&str| {
            let kind = tool.annotation(name).and_then(|note| note.kind);
            tool.is_free_text(name) && kind.is_none_or(|kind| NAMES.contains(&kind))
        };
        Some((tool, names.into_iter().find(takes_words)?))
    }

    /// The tool that was just asked about, with all arguments that an answer may be for: the one that was asked for first, and
    /// those that would do instead of it.
    pub(crate) fn asked_names(&self) -> Option<(&Tool, Vec<&str>)> {
        let (tool, asked) = self.asked()?;
        if tool.requires(asked) {
            return Some((tool, vec![asked]));
        }
        let lists = tool.wants(&self.context.active_arguments).into_iter();
        let sets = lists.map(|sets| sets.into_iter().flatten().collect::<Vec<String>>());
        let instead = sets.filter(|names| names.iter().any(|name| name == asked)).flatten();
        let instead: Vec<String> = instead.filter(|name| name != asked).collect();
        let others = tool.arguments().filter(|name| instead.iter().any(|own| own == name));
        Some((tool, std::iter::once(asked).chain(others).collect()))
    }
}

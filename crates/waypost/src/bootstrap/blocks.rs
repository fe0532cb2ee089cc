//! Cuts the tools of a `pack.yaml` into their keys without reading it as YAML, so that what people wrote stays as it is, with their
//! comments. A file that is laid out in another way than `init` does has no blocks.

/// A `pack.yaml` with its list of tools apart.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Page {
    /// All before the first tool.
    pub(super) before: String,
    /// The tools.
    pub(super) blocks: Vec<Block>,
    /// All behind the last tool.
    pub(super) after: String,
}

/// A tool of the list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Block {
    /// Comments and empty lines before it.
    pub(super) lead: String,
    /// Its keys.
    pub(super) keys: Vec<Key>,
    /// The column of its dash.
    pub(super) indent: usize,
}

/// A key of a tool.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Key {
    /// Comments and empty lines before it.
    pub(super) lead: String,
    /// Its name.
    pub(super) name: String,
    /// Its lines, the dash of a first one left out.
    pub(super) text: String,
}

impl Page {
    /// Cuts a text; `None` if it has no list of tools that can be cut.
    pub(super) fn read(text: &str) -> Option<Self> {
        let start = text.split_inclusive('\n').scan(0, |at, line| {
            let here = *at;
            *at += line.len();
            Some((here, line))
        });
        let mut lines =
            start.skip_while(|(_, line)| line.trim_end() != "tools:").skip(1).peekable();
        let begin = lines.peek()?.0;
        let mut page =
            Self { before: text[..begin].to_owned(), blocks: Vec::new(), after: String::new() };
        let (mut pending, mut pending_at) = (String::new(), begin);
        for (at, line) in lines {
            let indent = line.len() - line.trim_start_matches(' ').len();
            let content = line.trim();
            let dash = page.blocks.last().map(|block| block.indent);
            let is_deep = dash.is_some_and(|dash| indent > dash + 2);
            if content.is_empty() || content.starts_with('#') && !is_deep {
                if pending.is_empty() {
                    pending_at = at;
                }
                pending.push_str(line);
                continue;
            }
            let is_item =
                line[indent..].starts_with("- ") && dash.is_none_or(|dash| dash == indent);
            if !is_item && indent == 0 {
                page.after = text[if pending.is_empty() { at } else { pending_at }..].to_owned();
                return (!page.blocks.is_empty()).then_some(page);
            }
            let lead = std::mem::take(&mut pending);
            if is_item {
                let inner = format!("{}  {}", &line[..indent], &line[indent + 2..]);
                let key = Key { name: name(&inner)?, text: inner, lead: String::new() };
                page.blocks.push(Block { lead, keys: vec![key], indent });
                continue;
            }
            let block = page.blocks.last_mut()?;
            if indent == block.indent + 2 {
                block.keys.push(Key { lead, name: name(line)?, text: line.to_owned() });
            } else if is_deep {
                let key = block.keys.last_mut()?;
                key.text.push_str(&lead);
                key.text.push_str(line);
            } else {
                return None;
            }
        }
        page.after = pending;
        (!page.blocks.is_empty()).then_some(page)
    }

    /// The text.
    pub(super) fn write(&self) -> String {
        let blocks: String = self.blocks.iter().map(Block::write).collect();
        format!("{}{blocks}{}", self.before, self.after)
    }
}

impl Block {
    /// The text of a key's value where it is one word or text.
    pub(super) fn value(&self, name: &str) -> Option<String> {
        let key = self.keys.iter().find(|key| key.name == name)?;
        let value = key.text.trim().split_once(':')?.1.trim();
        if value.starts_with('"') {
            return serde_json::from_str(value).ok();
        }
        let value = value.split(" #").next().unwrap_or_default().trim();
        Some(value.trim_matches('\'').to_owned())
    }

    pub(super) fn write(&self) -> String {
        let mut text = self.lead.clone();
        for (number, key) in self.keys.iter().enumerate() {
            text.push_str(&key.lead);
            if number > 0 {
                text.push_str(&key.text);
                continue;
            }
            let dash = " ".repeat(self.indent);
            text.push_str(&format!(
                "{dash}- {}",
                key.text.get(self.indent + 2..).unwrap_or_default()
            ));
        }
        text
    }
}

/// The name of the key that a line begins with.
fn name(line: &str) -> Option<String> {
    let (name, _) = line.trim().split_once(':')?;
    Some(name.trim_matches(['"', '\'']).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "name: x\ntools:\n  # first\n  - name: a\n    server: s\n\n    # why\n    summary: |-\n      one\n      # two\n\n      three\n\n  - name: \"b c\"\n    schema:\n      type: object\n\n# end\npolicy:\n  run: 1\n";

    #[test]
    fn a_page_is_cut_and_put_together_again() {
        let page = Page::read(TEXT).unwrap();
        assert_eq!(page.write(), TEXT);
        let names: Vec<Option<String>> =
            page.blocks.iter().map(|block| block.value("name")).collect();
        assert_eq!(names, [Some("a".to_owned()), Some("b c".to_owned())]);
        assert_eq!(page.blocks[0].keys[2].lead, "\n    # why\n");
        assert_eq!(
            page.blocks[0].keys[2].text,
            "    summary: |-\n      one\n      # two\n\n      three\n"
        );
        assert_eq!(page.after, "\n# end\npolicy:\n  run: 1\n");
    }

    #[test]
    fn what_is_laid_out_otherwise_has_no_blocks() {
        for text in
            ["name: x\n", "tools: [{ name: a }]\n", "tools:\n", "tools:\n  - &a\n    name: x\n"]
        {
            assert_eq!(Page::read(text), None, "{text}");
        }
        let flat = "tools:\n- name: a\n  server: s\n";
        assert_eq!(Page::read(flat).unwrap().write(), flat);
    }
}

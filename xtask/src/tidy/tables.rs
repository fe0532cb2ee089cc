//! Folders with a table: what is in the folder is in the table, or is a helper with a reason.

use super::Fault;
use super::layers::declared;
use super::source::shipped;
use super::tree::Tree;

/// A folder whose `mod.rs` lists its members in one ordered table.
struct Table {
    folder: &'static str,
    /// The function or constant that holds the table.
    name: &'static str,
    /// Files that are no members, each with what it is for.
    helpers: &'static [(&'static str, &'static str)],
}

/// Every folder with a table.
const TABLES: &[Table] = &[
    Table {
        folder: "crates/waypost/src/decide/cascade",
        name: "layers",
        helpers: &[
            ("catalog", "asks what is written about the tools, for the layers that choose"),
            ("clauses", "reads each part of a text alone, for every layer"),
            ("each_tool", "judges each tool by itself, for the layer of the student"),
            (
                "foreign",
                "what the student does with a text in a language that the pack does not have",
            ),
            ("sections", "decides the sentences of a text one by one"),
            ("unknown", "finds texts of which the student knows no word"),
            ("counted", "counts how often a layer asks its model"),
            ("interpret", "the arguments of one tool, read by a model"),
            ("json", "JSON in a model's reply"),
            ("own", "holds the layers of an embedder to their duties"),
        ],
    },
    Table {
        folder: "crates/waypost/src/decide/gates",
        name: "gates",
        helpers: &[
            ("bounds", "says what a schema allows, for the gate of values"),
            ("exact", "shows a call to the last value, for the gate of approval"),
            ("fork", "the choices that lead on, for the gate of the workflow"),
        ],
    },
    Table {
        folder: "crates/waypost/src/respond/handlers",
        name: "handlers",
        helpers: &[
            (
                "agent",
                "runs decided calls and has a model reason over results, for the handler of tools",
            ),
            (
                "earlier",
                "what was asked before, for a model that writes and the search for its passages",
            ),
            ("plan", "runs decided calls as the steps of a plan, for the handler of tools"),
            ("prepare", "what is looked up before any handler begins"),
            ("written", "has a model write, for every handler that asks one"),
        ],
    },
    Table { folder: "crates/waypost/src/lint", name: "checks", helpers: &[] },
    Table { folder: "crates/waypost/src/decide/slots/matchers", name: "matchers", helpers: &[] },
    Table {
        folder: "crates/waypost-text/src/extract",
        name: "extractors",
        helpers: &[
            ("conventions", "what words leave to habit"),
            ("unit_code", "how the unit of an amount is written"),
            ("detect", "the language of a text"),
            ("dialogue", "what words do in a conversation"),
            ("kind", "the kinds of value"),
            ("grammar", "tokens, meanings, sentences: what extractors are written in"),
            ("lang", "the words of each language, and what reads their files"),
            ("ranges", "stretches of numbers, found only where somebody asks for them"),
            ("record", "values as records"),
            ("request", "how the words of a request say what its parts are for"),
            ("unread", "what looks like a value and was not read"),
            ("value", "what extractors find"),
        ],
    },
];

/// Every file in a table's folder is in the table.
pub(crate) fn tables(tree: &Tree) -> Vec<Fault> {
    TABLES.iter().flat_map(|table| check(tree, table)).collect()
}

fn check(tree: &Tree, table: &Table) -> Vec<Fault> {
    let file = format!("{}/mod.rs", table.folder);
    let Some(text) = tree.text(&file) else {
        return vec![Fault::new(&file, 0, "a folder with a table must have this file")];
    };
    let code = shipped(text);
    let Some(listed) = body(&code, table.name) else {
        return vec![Fault::new(&file, 0, format!("there is no table `{}`", table.name))];
    };
    let modules = declared(text);
    let helper = |module: &str| table.helpers.iter().any(|(name, _)| *name == module);
    let is_listed = |module: &str| {
        let path = format!("{module}::");
        let starts = |at: usize| {
            !listed[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':')
        };
        listed.match_indices(&path).any(|(at, _)| starts(at))
    };
    let mut faults = Vec::new();
    for (line, module) in &modules {
        let message = match (is_listed(module), helper(module)) {
            (false, false) => format!(
                "`{module}` is not in the table `{}`; a helper is named in tidy, with its reason",
                table.name
            ),
            (true, true) => format!("`{module}` is in the table: it is no helper (TABLES in tidy)"),
            _ => continue,
        };
        faults.push(Fault::new(&file, *line, message));
    }
    for (name, _) in table.helpers {
        if !modules.iter().any(|(_, module)| module == name) {
            faults.push(Fault::new(
                &file,
                0,
                format!("the helper `{name}` is gone (TABLES in tidy)"),
            ));
        }
    }
    faults
}

/// Returns the text in the braces of `fn name` or behind the `=` of `const name` or `static name`.
fn body<'a>(code: &'a str, name: &str) -> Option<&'a str> {
    if let Some(start) = code.find(&format!("fn {name}(")) {
        let open = start + code[start..].find('{')?;
        let mut depth = 0;
        for (at, c) in code[open..].char_indices() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Some(&code[open..=open + at]);
            }
        }
        return None;
    }
    let start =
        ["const", "static"].iter().find_map(|keyword| code.find(&format!("{keyword} {name}:")))?;
    let value = start + code[start..].find('=')?;
    let end = value + code[value..].find(';')?;
    Some(&code[value..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_outside_its_table_is_found() {
        let text = "mod a;\nmod b;\nmod h;\n#[cfg(test)]\nmod spec;\n\
                    fn table() -> X { &[a::A, x::b::B] }\nfn other() { b::c() }\n";
        let table = Table { folder: "f", name: "table", helpers: &[("h", ""), ("gone", "")] };
        let faults = check(&Tree::of(&[("f/mod.rs", text)]), &table);
        let lines: Vec<usize> = faults.iter().map(|fault| fault.line).collect();
        assert_eq!(lines, [2, 0], "{faults:?}");
    }
}

//! What agent programs are known to put into a user's turn: `programs.txt`, read once.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// The facts of `programs.txt`, in lower case.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// Tags by their names as [`tag`] writes them.
    pub(super) tags: HashMap<String, Holds>,
    pub(super) asks: Vec<String>,
    pub(super) tells: Vec<String>,
    pub(super) task: Vec<String>,
    /// How a stretch begins, and the beginnings of its last line.
    pub(super) stretches: Vec<(String, Vec<String>)>,
    pub(super) notes: Vec<String>,
    pub(super) brackets: Vec<String>,
    /// The names of those who speak, and whether they are the user.
    pub(super) speakers: HashMap<String, Speaker>,
    pub(super) templates: Vec<(String, Option<Speaker>)>,
    /// What an order to whoever answers says.
    pub(super) order: Vec<String>,
    /// Values of a decision that are no routes, and the keys whose value is a tool.
    pub(super) values: HashSet<String>,
    pub(super) tool_keys: HashSet<String>,
    pub(super) verdict: HashSet<String>,
    pub(super) beside: HashSet<String>,
    /// Verbs that dismiss, what they dismiss, and words behind that which say which.
    pub(super) dismiss: Vec<String>,
    pub(super) dismissed: Vec<String>,
    pub(super) of_before: Vec<String>,
    /// Words that point to what whoever answers was told; articles, which do so alone.
    pub(super) points: Vec<String>,
    pub(super) articles: Vec<String>,
    /// Words that end what a verb is about, and those who dismiss something themselves.
    pub(super) joins: Vec<String>,
    pub(super) subjects: Vec<String>,
    /// Verbs that choose, and words for a route.
    pub(super) choose: Vec<String>,
    pub(super) route: Vec<String>,
}

/// What stands in a block of a tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    /// What the user wrote.
    Request,
    /// What the user wrote, if a program put other blocks beside it: anybody may call a tag so.
    Asked,
    /// What nobody types.
    Context,
    /// Context, where it fills whole lines beside other words.
    Block,
}

/// Whose words a mark announces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Speaker {
    /// Somebody whose words are no request: the system, an assistant.
    Orders,
    /// The user.
    User,
}

/// The facts.
pub(super) static TABLE: LazyLock<Table> = LazyLock::new(|| read(include_str!("programs.txt")));

/// The name of a tag as the table has it.
pub(super) fn tag(name: &str) -> String {
    let letters = name.chars().filter(|c| !matches!(c, '-' | '_' | '.'));
    letters.flat_map(char::to_lowercase).collect()
}

/// Returns whether a text, in lower case or not, begins with one of the phrases of the table.
pub(super) fn begins<'a>(
    text: &str,
    mut phrases: impl Iterator<Item = &'a String>,
) -> Option<&'a String> {
    phrases.find(|phrase| {
        let mut letters = text.chars().flat_map(char::to_lowercase);
        phrase.chars().all(|letter| letters.next() == Some(letter))
    })
}

/// Returns whether a line, without the blanks before it, opens a paragraph of a program: in the whole
/// form in which programs write it, for a user may begin a sentence with the same words.
pub(super) fn is_note(line: &str) -> bool {
    TABLE.notes.iter().any(|note| {
        let (from, end) = note.split_once(" … ").unwrap_or((note, ""));
        let opens = begins(line, [&from.to_owned()].into_iter()).is_some();
        opens && line.trim_end().to_lowercase().ends_with(end)
    })
}

fn read(text: &str) -> Table {
    let mut table = Table::default();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let mut cells = line.split(" | ").map(str::trim);
        let Some(kind) = cells.next().filter(|kind| !kind.is_empty()) else { continue };
        let mut tags = |holds| table.tags.extend(cells.clone().map(|name| (tag(name), holds)));
        match kind {
            "request" => tags(Holds::Request),
            "asked" => tags(Holds::Asked),
            "context" => tags(Holds::Context),
            "block" => tags(Holds::Block),
            _ => phrases(&mut table, kind, cells.map(str::to_owned).collect()),
        }
    }
    table
}

fn phrases(table: &mut Table, kind: &str, mut cells: Vec<String>) {
    let template = |speaker| cells.iter().map(move |cell| (cell.clone(), speaker));
    match kind {
        "asks" => table.asks.append(&mut cells),
        "tells" => table.tells.append(&mut cells),
        "task" => table.task.append(&mut cells),
        "note" => table.notes.append(&mut cells),
        "bracket" => table.brackets.append(&mut cells),
        "dismiss" => table.dismiss.append(&mut cells),
        "dismissed" => table.dismissed.append(&mut cells),
        "of before" => table.of_before.append(&mut cells),
        "order" => table.order.append(&mut cells),
        "points" => table.points.append(&mut cells),
        "article" => table.articles.append(&mut cells),
        "joins" => table.joins.append(&mut cells),
        "subject" => table.subjects.append(&mut cells),
        "value" => table.values.extend(cells),
        "tool key" => table.tool_keys.extend(cells),
        "choose" => table.choose.append(&mut cells),
        "route" => table.route.append(&mut cells),
        "verdict" => table.verdict.extend(cells),
        "beside" => table.beside.extend(cells),
        "orders" => table.speakers.extend(cells.into_iter().map(|name| (name, Speaker::Orders))),
        "user" => table.speakers.extend(cells.into_iter().map(|name| (name, Speaker::User))),
        "template orders" => table.templates.extend(template(Some(Speaker::Orders))),
        "template user" => table.templates.extend(template(Some(Speaker::User))),
        "template end" => table.templates.extend(template(None)),
        "stretch" => {
            let last = cells.get(1).map(|ends| ends.split(" ; ").map(str::to_owned).collect());
            table
                .stretches
                .extend(cells.into_iter().next().map(|from| (from, last.unwrap_or_default())));
        }
        _ => debug_assert!(false, "programs.txt has no lines of the kind `{kind}`"),
    }
}

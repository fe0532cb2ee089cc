//! The words that stand beside a value and say which argument it is for: those of the pack, or those of the argument's name and
//! description. They are found once, when a tool is loaded.

use waypost_text::extract::Kind;

/// Shorter words of a name say nothing: "of", "n".
const TELLING: usize = 3;
/// The most words of a description that count.
const MOST_WORDS: usize = 6;
/// The most other arguments that an argument is compared with.
const MOST_OTHERS: usize = 16;

/// The facts of an argument that its cues are made of.
pub(super) struct Named<'a> {
    /// Its name.
    pub(super) name: &'a str,
    /// The words of its name.
    pub(super) words: &'a [String],
    /// The kind of its values.
    pub(super) kind: Option<Kind>,
    /// Its description, in lower case.
    pub(super) description: &'a str,
    /// The words that the pack gives for it.
    pub(super) own: &'a [String],
}

/// The words for an argument among all of its tool: those of the pack, or of its name; those of its description where the name
/// is a letter.
pub(super) fn cues(argument: &Named<'_>, all: &[Named<'_>]) -> Vec<String> {
    if !argument.own.is_empty() {
        return argument.own.iter().map(|word| word.to_lowercase()).collect();
    }
    let telling = argument.words.iter().filter(|word| word.len() >= TELLING || *word == "id");
    let mut words: Vec<String> = telling.cloned().collect();
    // `initial_value` and `final_value` are told apart by the words that they do not share.
    let own: Vec<String> =
        words.iter().filter(|word| !is_shared(argument, all, word)).cloned().collect();
    if !own.is_empty() {
        words = own;
    }
    if words.is_empty() {
        words = described(argument, all);
    }
    if argument.kind == Some(Kind::Number) {
        words.extend(counted(argument, all));
    }
    let plurals: Vec<String> = words.iter().map(|word| other_number(word)).collect();
    words.extend(plurals);
    words
}

fn others<'a>(
    argument: &Named<'a>,
    all: &'a [Named<'a>],
) -> impl Iterator<Item = &'a Named<'a>> + 'a {
    let own = argument.name;
    all.iter().filter(move |other| other.name != own)
}

/// Returns whether the name of another argument of the same kind of value has a word, too.
fn is_shared(argument: &Named<'_>, all: &[Named<'_>], word: &str) -> bool {
    let alike = others(argument, all).filter(|other| other.kind == argument.kind);
    alike.take(MOST_OTHERS).any(|other| other.words.iter().any(|other| other == word))
}

/// The words of a description that tell one argument from the others of the tool.
fn described(argument: &Named<'_>, all: &[Named<'_>]) -> Vec<String> {
    let words = |description: &str| -> Vec<String> {
        let words = description.split(|c: char| !c.is_alphanumeric());
        words.filter(|word| word.len() > TELLING).map(str::to_owned).collect()
    };
    let others = others(argument, all).take(MOST_OTHERS);
    let others: Vec<String> = others.flat_map(|other| words(other.description)).collect();
    let mut own = words(argument.description);
    own.retain(|word| !others.contains(word));
    own.truncate(MOST_WORDS);
    own
}

/// The words for what a number counts, by its description: "lines" of "the number of lines to show", "last" and "lines" of "the
/// last N lines". Those that another number of the tool has are none.
fn counted(argument: &Named<'_>, all: &[Named<'_>]) -> Vec<String> {
    let found = |description: &str| -> Vec<String> {
        let words: Vec<&str> = description
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .collect();
        let behind = words.windows(3).filter(|three| three[0] == "number" && three[1] == "of");
        let around = words.windows(3).filter(|three| three[1] == "n");
        let around = around.flat_map(|three| [three[0], three[2]]);
        let counted = behind.map(|three| three[2]).chain(around);
        counted.filter(|word| word.len() > TELLING).map(str::to_owned).collect()
    };
    let numbers = others(argument, all).filter(|other| other.kind == argument.kind);
    let taken: Vec<String> = numbers
        .take(MOST_OTHERS)
        .flat_map(|other| found(other.description).into_iter().chain(other.words.to_vec()))
        .collect();
    found(argument.description).into_iter().filter(|word| !taken.contains(word)).collect()
}

/// An English word in its other number: "side" and "sides".
fn other_number(word: &str) -> String {
    match word.strip_suffix('s') {
        Some(one) if one.len() >= TELLING => one.to_owned(),
        _ => format!("{word}s"),
    }
}

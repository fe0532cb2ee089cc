//! Reads the `language.txt` of a folder: how the language is written, and which tables read which
//! files of words.
//!
//! ```text
//! name: es
//! languages: es
//! decimal_comma: yes
//! plural: es
//! values: calendar numbers
//! ```

use super::file::{Fault, without_comment};
use crate::extract::grammar::phrases::Table;

/// The habits of a language that `yes` turns on: fields of `Vocabulary`.
pub(crate) const HABITS: [&str; 14] = [
    "everywhere",
    "apart",
    "decimal_comma",
    "day_first",
    "bare_magnitude",
    "joins_tens",
    "ones_first",
    "ordinal_point",
    "places_days",
    "says_hours",
    "counts_weeks",
    "shortens",
    "spells_accents",
    "capital_nouns",
];

/// The numerals that code reads.
pub(crate) const NUMERALS: [&str; 2] = ["han", "kanji"];

/// The tables by their names. The order of their files is that in which meanings are tried.
const TABLES: [(&str, Table); 6] = [
    ("values", Table::Values),
    ("conversation", Table::Conversation),
    ("corrections", Table::Corrections),
    ("references", Table::References),
    ("zones", Table::Zones),
    ("roles", Table::Roles),
];

/// A file of words and the tables that read it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Listed {
    pub(crate) file: String,
    /// As a set of [`Table::bit`].
    pub(crate) tables: u8,
}

/// The `language.txt` of a folder.
#[derive(Debug, Default)]
pub(crate) struct Settings {
    pub(crate) name: String,
    /// The tags of the languages whose texts are read with its words.
    pub(crate) languages: Vec<String>,
    /// Those of [`HABITS`] that it has.
    pub(crate) habits: Vec<String>,
    /// One of [`NUMERALS`].
    pub(crate) numerals: Option<String>,
    /// Endings of the plural, with what the singular has in their place.
    pub(crate) plurals: Vec<(String, String)>,
    /// Its files of words, in the order in which their meanings are tried.
    pub(crate) files: Vec<Listed>,
    /// Its files of common words, which mean nothing.
    pub(crate) common: Vec<String>,
    /// Its files of small words, by which its texts are told.
    pub(crate) small: Vec<String>,
    /// Letters by which its texts are told, with what each of them counts.
    pub(crate) letters: Vec<(String, usize)>,
    /// The tags of languages in whose texts its words do not count, though they do everywhere else.
    pub(crate) not_in: Vec<String>,
}

impl Settings {
    /// Reads the settings of a language.
    ///
    /// # Errors
    ///
    /// The first [`Fault`] of the text.
    pub(crate) fn read(text: &str) -> Result<Self, Fault> {
        let mut settings = Self::default();
        for (at, line) in text.lines().enumerate() {
            let line = without_comment(line).trim();
            if line.is_empty() {
                continue;
            }
            let Some((key, value)) = line.split_once(':') else {
                return Err(Fault::new(at + 1, "there is no `:`", "write `key: value`"));
            };
            let set = settings.set(key.trim(), value.trim());
            set.map_err(|hint| Fault::new(at + 1, format!("`{line}` says nothing"), hint))?;
        }
        // Corrections are read with the words of a conversation as well.
        for listed in &mut settings.files {
            if listed.tables & Table::Conversation.bit() != 0 {
                listed.tables |= Table::Corrections.bit();
            }
        }
        Ok(settings)
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let words = || value.split_whitespace().map(str::to_owned);
        match key {
            "name" => value.clone_into(&mut self.name),
            "languages" => self.languages = words().collect(),
            "numerals" if NUMERALS.contains(&value) => self.numerals = Some(value.to_owned()),
            "numerals" => {
                return Err(format!("numerals that can be read: {}", NUMERALS.join(", ")));
            }
            "plural" => match words().collect::<Vec<_>>().as_slice() {
                [ending] => self.plurals.push((ending.clone(), String::new())),
                [ending, singular] => self.plurals.push((ending.clone(), singular.clone())),
                _ => return Err("write `plural: ending`, or `plural: ending singular`".to_owned()),
            },
            "common" => self.common = words().collect(),
            "small" => self.small = words().collect(),
            "not_in" => self.not_in = words().collect(),
            "letters" => match words().collect::<Vec<_>>().as_slice() {
                [count, letters] => {
                    let hint = |_| "write `letters: 2 çœ`, the number first".to_owned();
                    self.letters.push((letters.clone(), count.parse().map_err(hint)?));
                }
                _ => return Err("write `letters: 2 çœ`, without spaces between them".to_owned()),
            },
            _ if HABITS.contains(&key) => match value {
                "yes" => self.habits.push(key.to_owned()),
                _ => return Err("write `yes`, or take the line out".to_owned()),
            },
            _ => {
                let known = TABLES.iter().find(|(name, _)| *name == key);
                let (_, table) = known.ok_or_else(keys)?;
                words().for_each(|file| self.list(file, *table));
            }
        }
        Ok(())
    }

    fn list(&mut self, file: String, table: Table) {
        match self.files.iter_mut().find(|listed| listed.file == file) {
            Some(listed) => listed.tables |= table.bit(),
            None => self.files.push(Listed { file, tables: table.bit() }),
        }
    }

    /// Returns whether the language has one of [`HABITS`].
    pub(crate) fn has(&self, habit: &str) -> bool {
        self.habits.iter().any(|known| known == habit)
    }
}

fn keys() -> String {
    let tables = TABLES.map(|(name, _)| name).join(", ");
    format!(
        "the keys are name, languages, numerals, plural, common, small, letters, not_in, {tables}, \
         and with `yes` {}",
        HABITS.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read() {
        let text = "name: xx # made up\nlanguages: en es\nday_first: yes\nplural: ies y\nplural: s\n\
                    values: a b\nconversation: b c\n";
        let settings = Settings::read(text).expect("the settings are sound");
        assert_eq!(settings.languages, ["en", "es"]);
        assert!(settings.has("day_first") && !settings.has("decimal_comma"));
        assert_eq!(settings.plurals, [("ies".into(), "y".into()), ("s".into(), String::new())]);
        let files: Vec<(&str, u8)> =
            settings.files.iter().map(|listed| (listed.file.as_str(), listed.tables)).collect();
        assert_eq!(files, [("a", 1), ("b", 1 | 2 | 4), ("c", 2 | 4)]);
    }

    #[test]
    fn what_says_nothing_is_refused() {
        for (text, line) in [
            ("name en", 1),
            ("name: en\nday_last: yes", 2),
            ("day_first: no", 1),
            ("\nnumerals: roman", 2),
            ("plural: a b c", 1),
        ] {
            let fault = Settings::read(text).expect_err(text);
            assert_eq!(fault.line, line, "{text}: {}", fault.message);
        }
    }
}

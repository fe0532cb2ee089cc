//! Chinese names in which a character stands for another that sounds like it: 花連 for 花蓮.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::sound::syllable;

/// The characters of a name that is looked for; those of one alone are too many.
const LENGTHS: std::ops::RangeInclusive<usize> = 2..=6;
/// The most characters of a text that are looked at.
const MOST: usize = 4096;
/// The sound of a character that has none, and that no name has.
const SILENT: u16 = u16::MAX;

/// Names by their sound, and what is no name.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Homophones {
    names: FxHashMap<Box<[u16]>, Vec<Box<str>>>,
    /// Two characters that stand side by side in words which are no names.
    pairs: FxHashSet<[char; 2]>,
}

impl Homophones {
    /// Notes a word, as part of a name or of anything else.
    pub(crate) fn note(&mut self, word: &str, is_name: bool) {
        if word.is_ascii() {
            return;
        }
        let characters: Vec<char> = word.chars().collect();
        if !is_name {
            self.pairs.extend(characters.windows(2).map(|pair| [pair[0], pair[1]]));
        } else if LENGTHS.contains(&characters.len())
            && let Some(sounds) = sounds(&characters)
        {
            let names = self.names.entry(sounds).or_default();
            if !names.iter().any(|name| **name == *word) {
                names.push(word.into());
            }
        }
    }

    /// The bytes of each character that stands for another in a name, with the one that was meant, in the order of the
    /// text.
    pub(crate) fn slips(&self, text: &str) -> Vec<(Range<usize>, &str)> {
        if self.names.is_empty() || text.is_ascii() {
            return Vec::new();
        }
        let characters: Vec<(usize, char)> = text.char_indices().take(MOST).collect();
        let sound = |(_, c): &(usize, char)| syllable(*c).unwrap_or(SILENT);
        let sounds: Vec<u16> = characters.iter().map(sound).collect();
        let mut slips = Vec::new();
        let mut at = 0;
        while at < characters.len() {
            if sounds[at] == SILENT {
                at += 1;
                continue;
            }
            let found = LENGTHS.rev().find_map(|length| {
                let window = characters.get(at..at + length)?;
                let sounds = &sounds[at..at + length];
                let name = self.meant(window, sounds)?;
                (!self.is_overlong(window, sounds, name)).then_some((window, name))
            });
            let Some((window, name)) = found else {
                at += 1;
                continue;
            };
            for (&(start, typed), (from, meant)) in window.iter().zip(name.char_indices()) {
                if typed != meant {
                    let end = from + meant.len_utf8();
                    slips.push((start..start + typed.len_utf8(), &name[from..end]));
                }
            }
            at += window.len();
        }
        slips
    }

    /// The name that a stretch of these sounds is, or is meant to be: it sounds like it, and at least one character is
    /// right.
    fn meant(&self, window: &[(usize, char)], sounds: &[u16]) -> Option<&str> {
        let names = self.names.get(sounds)?;
        let typed: Vec<char> = window.iter().map(|(_, character)| *character).collect();
        let right = |name: &str| name.chars().zip(&typed).filter(|(a, b)| a == *b).count();
        // Of the same name in both scripts the nearer one; of two the first.
        let best = names.iter().rev().max_by_key(|name| right(name))?;
        let is_usual = typed.windows(2).all(|pair| self.pairs.contains(&[pair[0], pair[1]]));
        let is_exact = right(best) == typed.len();
        (is_exact || right(best) > 0 && !is_usual).then_some(best)
    }

    /// Returns whether the end of a name is there by its sound alone, and what comes before it is a name too: the 是 of
    /// 高雄是 asks, and is hardly the 市 of 高雄市.
    fn is_overlong(&self, window: &[(usize, char)], sounds: &[u16], name: &str) -> bool {
        let pairs = window.iter().map(|(_, typed)| *typed).zip(name.chars()).enumerate();
        let right = pairs.filter(|(_, (typed, meant))| typed == meant);
        let Some((last_right, _)) = right.last() else { return false };
        let mut shorter = name.char_indices().enumerate().skip(last_right + 1);
        shorter.any(|(length, (end, _))| {
            let names = self.names.get(&sounds[..length]);
            names.is_some_and(|names| names.iter().any(|shorter| **shorter == name[..end]))
        })
    }
}

/// The syllables of characters; `None` where one has none.
fn sounds(characters: &[char]) -> Option<Box<[u16]>> {
    characters.iter().map(|character| syllable(*character)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_by_its_sound_where_the_words_are_none_of_their_own() {
        let mut homophones = Homophones::default();
        for name in ["花蓮", "花莲", "基隆", "澎湖", "孕婦", "高美濕地", "高雄", "高雄市"]
        {
            homophones.note(name, true);
        }
        homophones.note("花臉的演員", false);
        let read = |text: &str| {
            let mut read = text.to_owned();
            for (bytes, meant) in homophones.slips(text).into_iter().rev() {
                read.replace_range(bytes, meant);
            }
            read
        };
        for (typed, meant) in [
            ("花連外海", "花蓮外海"),
            ("花连外海", "花蓮外海"),
            ("請問基龍港滿潮", "請問基隆港滿潮"),
            ("上禮拜澎胡的海溫", "上禮拜澎湖的海溫"),
            ("高美失地", "高美濕地"),
            // What is right stays, and what is another word, and what only sounds alike.
            ("花蓮和花莲", "花蓮和花莲"),
            ("花臉", "花臉"),
            ("話連", "話連"),
            ("sst 25", "sst 25"),
            // A shorter name goes before one whose end only sounds so.
            ("高雄是幾點滿潮", "高雄是幾點滿潮"),
            ("高雄十號", "高雄十號"),
            ("高熊是幾點滿潮", "高雄是幾點滿潮"),
            ("高雄市十號", "高雄市十號"),
        ] {
            assert_eq!(read(typed), meant, "{typed}");
        }
    }
}

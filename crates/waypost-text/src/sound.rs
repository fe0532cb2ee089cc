//! How Chinese characters sound, for names that were typed by their sound: 花連 for 花蓮.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

/// A line for each syllable, with the characters that are read so.
const TABLE: &str = include_str!("../data/sounds.txt");

static SYLLABLES: LazyLock<FxHashMap<char, u16>> = LazyLock::new(|| {
    let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
    let read = |(number, line): (usize, &'static str)| {
        let characters = line.split_once(' ').map_or("", |(_, characters)| characters);
        characters.chars().map(move |c| (c, number as u16))
    };
    lines.enumerate().flat_map(read).collect()
});

/// The number of the syllable that a character is read as, whatever its tone; `None` for rare ones and all that is no
/// Chinese character.
pub(crate) fn syllable(character: char) -> Option<u16> {
    if character < '\u{4e00}' { None } else { SYLLABLES.get(&character).copied() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_of_both_scripts_sound_alike() {
        for (one, other) in [('蓮', '連'), ('莲', '连'), ('隆', '龍'), ('湖', '胡'), ('妇', '付')]
        {
            assert_eq!(syllable(one), syllable(other), "{one} {other}");
            assert!(syllable(one).is_some(), "{one}");
        }
        assert_ne!(syllable('蓮'), syllable('湖'));
        assert_eq!(syllable('a'), None);
    }
}

//! Decides which words are the same word: `issues` and `issue`, `deleting`, `deletes` and `delete`.
//!
//! A light stemmer for Latin letters. It serves descriptions, which are mostly English, and the requests that are
//! compared with them, so what it makes of a word only has to be the same on both sides.

use waypost_text::text::folded;

/// Words of fewer letters are left as they are.
const SHORTEST: usize = 4;

/// The stem of a word in lower case.
pub(crate) fn stem(word: &str) -> String {
    let folded = folded(word);
    if !folded.is_ascii() {
        return folded;
    }
    let mut stem = without_plural(&folded).to_owned();
    for ending in ["ing", "ed"] {
        if let Some(rest) = stem.strip_suffix(ending).filter(|rest| has_vowel(rest)) {
            stem = undoubled(rest).to_owned();
            break;
        }
    }
    // `translate` and `translation`, `create` and `creation`.
    if let Some(rest) = stem.strip_suffix("ion").filter(|rest| rest.ends_with(['t', 's'])) {
        stem = rest.to_owned();
    }
    if stem.len() >= SHORTEST {
        // `modify`, `modified`; `nota`, `notas`, `mostrar`, `muestra`.
        if let Some(rest) = stem.strip_suffix(['e', 'a', 'o', 'y', 'i']) {
            stem = rest.to_owned();
        }
    }
    stem
}

fn without_plural(word: &str) -> &str {
    if word.len() < SHORTEST {
        return word;
    }
    if let Some(rest) = word.strip_suffix("'s") {
        return rest;
    }
    if let Some(rest) = word.strip_suffix("ies") {
        return if rest.len() > 1 { &word[..rest.len() + 1] } else { word };
    }
    let hissing = ["sses", "shes", "ches", "xes", "zes"];
    if hissing.iter().any(|ending| word.ends_with(ending)) {
        return &word[..word.len() - 2];
    }
    match word.strip_suffix('s') {
        Some(rest) if !rest.ends_with(['s', 'u', 'i']) => rest,
        _ => word,
    }
}

/// Returns whether a word without its ending is still one: `bring` and `red` are not `br` and `r`.
fn has_vowel(rest: &str) -> bool {
    rest.len() >= 3 && rest.contains(['a', 'e', 'i', 'o', 'u', 'y'])
}

/// `runn` of `running` is `run`.
fn undoubled(rest: &str) -> &str {
    let bytes = rest.as_bytes();
    let [.., before, last] = bytes else { return rest };
    let doubled = before == last && !matches!(last, b'l' | b's' | b'z' | b'e' | b'o');
    if doubled { &rest[..rest.len() - 1] } else { rest }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_have_one_stem() {
        for forms in [
            &["issue", "issues"][..],
            &["delete", "deletes", "deleting", "deleted", "deletion"],
            &["query", "queries"],
            &["run", "runs", "running"],
            &["translate", "translation", "translating"],
            &["branch", "branches"],
            &["modify", "modifies", "modified"],
            &["copy", "copies", "copied"],
            &["nota", "notas"],
        ] {
            let stems: Vec<String> = forms.iter().map(|form| stem(form)).collect();
            assert!(stems.iter().all(|stem| *stem == stems[0]), "{stems:?}");
        }
    }

    #[test]
    fn other_words_stay_apart() {
        for (one, other) in
            [("status", "state"), ("bring", "brew"), ("add", "ad"), ("pass", "past")]
        {
            assert_ne!(stem(one), stem(other), "{one} {other}");
        }
    }
}

//! Checks small talk: every entry has something to say, and none hides the entries after it.

use super::super::source::{Fault, Source};
use super::super::spec::PackSpec;
use super::argument::check_texts;
use super::unique;

/// All faults of small talk and of words that mean the same.
pub(super) fn check(source: &Source, spec: &PackSpec, faults: &mut Vec<Fault>) {
    unique(source, "/talk", spec.talk.iter().map(|talk| talk.name.as_str()), faults);
    for (index, talk) in spec.talk.iter().enumerate() {
        let at = format!("/talk/{index}");
        check_texts(source, &format!("{at}/say"), &talk.say, faults);
        if talk.say.is_empty() {
            let fault = source.fault(&format!("{at}/say"), "there is nothing to say");
            faults.push(fault.hint("write a sentence by language"));
        }
        let is_last = index + 1 == spec.talk.len();
        if talk.words.is_empty() && !is_last && !talk.say.values().all(|text| text.contains('{')) {
            let message =
                format!("`{}` has no words, so that nothing after it is ever said", talk.name);
            faults.push(source.fault(&at, message).hint("give it `words`, or put it last"));
        }
    }
    let empty = spec.synonyms.iter().filter(|(_, words)| words.is_empty());
    for (name, _) in empty {
        faults.push(source.fault(&format!("/synonyms/{name}"), "there are no words in it"));
    }
}

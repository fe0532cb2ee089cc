//! Checks that prefixes and signals lead somewhere, and one way only.

use waypost_text::extract::Kind;
use waypost_text::language::Language;

use super::super::signal::{Prefix, squeeze};
use super::super::source::{Fault, Source};
use super::super::spec::{PackSpec, SignalSpec, Words};
use super::{did_you_mean, unique};

/// The widest span of a signal, in words: words further apart belong to other sentences.
const WIDEST: usize = 64;
/// The most groups of words that must stand together.
const MOST_GROUPS: usize = 8;

/// All faults of prefixes and signals.
pub(super) fn check(source: &Source, spec: &PackSpec, faults: &mut Vec<Fault>) {
    prefixes(source, spec, faults);
    unique(source, "/signals", spec.signals.iter().map(|signal| signal.name.as_str()), faults);
    for (index, signal) in spec.signals.iter().enumerate() {
        let at = format!("/signals/{index}");
        routed(source, spec, &at, &signal.route, faults);
        shape(source, &at, signal, faults);
    }
}

fn prefixes(source: &Source, spec: &PackSpec, faults: &mut Vec<Fault>) {
    let texts: Vec<String> = spec.prefixes.iter().map(|prefix| squeeze(&prefix.text)).collect();
    for (index, prefix) in spec.prefixes.iter().enumerate() {
        let at = format!("/prefixes/{index}");
        routed(source, spec, &at, &prefix.route, faults);
        if !texts[index].contains(char::is_alphanumeric) {
            let fault = source.fault(&format!("{at}/text"), "the prefix has no words");
            faults.push(fault.hint("give the words that the platform puts before its prompts"));
            continue;
        }
        let own = Prefix::new(prefix);
        let longer = spec.prefixes.iter().zip(&texts).enumerate();
        for (_, (other, _)) in longer.filter(|(other, (spec, text))| {
            *other != index && spec.route != prefix.route && own.place(text) == Some(0)
        }) {
            let message = format!(
                "the prefix begins `{}` as well, whose route is `{}`",
                other.text, other.route
            );
            let fault = source.fault(&format!("{at}/text"), message);
            faults.push(fault.hint("make it longer, or give both the same route"));
        }
    }
}

fn routed(source: &Source, spec: &PackSpec, at: &str, route: &str, faults: &mut Vec<Fault>) {
    let routes = || spec.routes.iter().map(|route| route.name.as_str());
    if !routes().any(|known| known == route) {
        let fault = source.fault(&format!("{at}/route"), format!("there is no route `{route}`"));
        faults.push(fault.hint(did_you_mean(route, routes())));
    }
}

fn shape(source: &Source, at: &str, signal: &SignalSpec, faults: &mut Vec<Fault>) {
    let mut fault = |place: &str, message: String, hint: &str| {
        faults.push(source.fault(&format!("{at}/{place}"), message).hint(hint));
    };
    if signal.words.is_empty() {
        let message = format!("the signal `{}` has no words", signal.name);
        fault("words", message, "give at least one group: a value alone says no route");
    }
    if signal.words.len() > MOST_GROUPS {
        let message = format!("{} groups of words, the limit is {MOST_GROUPS}", signal.words.len());
        fault("words", message, "words that can stand for each other are one group");
    }
    let own =
        signal.words.iter().enumerate().map(|(group, words)| (format!("words/{group}"), words));
    for (place, words) in own.chain([("unless".to_owned(), &signal.unless)]) {
        if place != "unless" && words.values().all(Vec::is_empty) {
            fault(&place, "the group has no words".to_owned(), "remove it, or give it words");
        }
        for (tag, message) in wrong(words) {
            fault(
                &format!("{place}/{tag}"),
                message,
                "use en, zh-TW, zh-CN, vi, es, fr, pt, de, ja or id",
            );
        }
    }
    if let Some(index) = signal.kinds.iter().position(|kind| *kind == Kind::Interval) {
        let message = "values of the kind `interval` are only found for arguments".to_owned();
        fault(&format!("kinds/{index}"), message, "use `range` or `number`");
    }
    if !(signal.confidence > 0.0 && signal.confidence <= 1.0) {
        let message = format!("`confidence` is {}, which is no probability", signal.confidence);
        fault("confidence", message, "leave it out, or give a number above 0 and up to 1");
    }
    for (name, words) in [("within", signal.within), ("beside", signal.beside)] {
        if words > WIDEST {
            let message = format!("`{name}` is {words}, which is outside 0..={WIDEST}");
            fault(name, message, "it counts words");
        }
    }
}

/// The unknown tags of languages, and the empty words.
fn wrong(words: &Words) -> impl Iterator<Item = (String, String)> {
    words.iter().flat_map(|(tag, words)| {
        let unknown = Language::from_tag(tag).is_none();
        let unknown = unknown.then(|| (tag.clone(), format!("unknown language `{tag}`")));
        let empty = words.iter().enumerate().filter(|(_, word)| squeeze(word).is_empty());
        let empty = empty.map(move |(at, _)| (format!("{tag}/{at}"), "the word is empty".into()));
        unknown.into_iter().chain(empty)
    })
}

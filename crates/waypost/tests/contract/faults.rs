//! The faults that prefixes and signals of a pack may have, each with its place and a hint.

use std::collections::BTreeMap;

use waypost::pack::Pack;

/// The faults of the help desk with one edit.
fn faults(from: &str, to: &str) -> Vec<String> {
    let text = include_str!("helpdesk/pack.yaml");
    assert!(text.contains(from), "pack.yaml has no `{from}`");
    let files = BTreeMap::from([
        ("pack.yaml".to_owned(), text.replacen(from, to, 1)),
        ("examples.jsonl".to_owned(), include_str!("helpdesk/examples.jsonl").to_owned()),
    ]);
    let faults = Pack::load(&files).err().unwrap_or_default();
    faults.iter().map(ToString::to_string).collect()
}

#[test]
fn every_fault_of_a_prefix_or_a_signal_is_told_where_it_stands() {
    let prefix = "text: You are a direct and concise assistant, route: platform";
    for (from, to, place, message) in [
        (prefix, "text: Be brief, route: platfrom", "31:23", "there is no route `platfrom`"),
        (prefix, "text: Be brief, route: platfrom", "31", "did you mean `platform`?"),
        (prefix, "text: ' . ', route: platform", "31:7", "the prefix has no words"),
        (
            "text: You are a code reviewer",
            "text: you  ARE a direct and",
            "32:7",
            "the prefix begins `You are a direct and concise assistant` as well",
        ),
        ("kinds: [percentage]", "kinds: [interval]", "37:13", "only found for arguments"),
        ("    confidence: 0.9", "    confidence: 1.5", "66:5", "which is no probability"),
        ("    within: 5", "    within: 500", "56:5", "which is outside 0..=64"),
        ("name: billing", "name: account_figures", "57:5", "`account_figures` is here twice"),
        ("es: [uso, usado", "it: [uso, usado", "40:9", "unknown language `it`"),
        ("en: [billing, invoice", "en: ['', invoice", "60:14", "the word is empty"),
    ] {
        let found = faults(from, to);
        let hit = found.iter().any(|fault| fault.contains(place) && fault.contains(message));
        assert!(hit, "{place} {message} is not among {found:#?}");
    }
}

#[test]
fn how_much_and_how_long_a_model_may_write_is_bounded() {
    let route = "    retrieval: true\n";
    for (line, message, hint) in [
        ("max_tokens: 0", "`max_tokens` is 0, which is outside 1..=16384", "such as 700"),
        ("max_tokens: 20000", "`max_tokens` is 20000, which is outside 1..=16384", "such as 700"),
        ("timeout_ms: 0", "`timeout_ms` is 0, which is outside 1..=60000", "`turn_timeout_ms`"),
        ("timeout_ms: 90000", "`timeout_ms` is 90000, which", "at most `turn_timeout_ms`"),
    ] {
        let found = faults(route, &format!("{route}    {line}\n"));
        assert!(found.len() == 1 && found[0].contains("pack.yaml:13:"), "{line}: {found:#?}");
        assert!(found[0].contains(message) && found[0].contains(hint), "{line}: {found:#?}");
    }
    for line in ["max_tokens: 1", "max_tokens: 16384", "timeout_ms: 60000"] {
        let found = faults(route, &format!("{route}    {line}\n"));
        assert_eq!(found, Vec::<String>::new(), "{line}");
    }
}

#[test]
fn prefixes_of_one_route_may_begin_alike() {
    let found = faults(
        "{ text: You are a code reviewer, route: code_generation }",
        "{ text: You are a direct, route: platform }",
    );
    assert_eq!(found, Vec::<String>::new());
}

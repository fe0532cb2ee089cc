//! Tools that are declared to do the same.

use serde_json::{Map, json};
use waypost::pack::Pack;

use super::parts::files;

const RIVALS: &str = "  - name: rivals\n";

fn declared(same: &str) -> Result<Pack, Vec<String>> {
    let files = files(&[(RIVALS, &format!("{RIVALS}    same_as: {same}\n"))]);
    Pack::load(&files).map_err(|faults| faults.iter().map(ToString::to_string).collect())
}

#[test]
fn one_call_stands_for_all_that_do_the_same() {
    let pack = declared("{ tool: quote, arguments: { symbol: ACME } }").expect("a valid pack");
    let call = |arguments: serde_json::Value| arguments.as_object().cloned().unwrap_or_default();
    let acme = call(json!({ "symbol": "ACME" }));
    assert_eq!(pack.canonical("rivals", &Map::new()), ("quote", acme.clone()));
    let bolt = call(json!({ "symbol": "BOLT" }));
    assert_eq!(pack.canonical("rivals", &bolt), ("quote", bolt), "what a call says itself stays");
    assert_eq!(pack.canonical("quote", &acme), ("quote", acme));
}

#[test]
fn a_call_that_cannot_stand_for_another_is_a_fault_with_its_place() {
    for (same, message, hint) in [
        ("{ tool: qoute }", "there is no other tool `qoute`", "did you mean `quote`?"),
        ("{ tool: rivals }", "there is no other tool `rivals`", ""),
        ("{ tool: quote, arguments: { symbl: X } }", "has no argument `symbl`", "`symbol`"),
    ] {
        let found = declared(same).err().unwrap_or_default();
        let hit = found.iter().any(|fault| {
            fault.contains("pack.yaml:") && fault.contains(message) && fault.contains(hint)
        });
        assert!(hit, "{same}: {found:#?}");
    }
    let both = files(&[
        (RIVALS, &format!("{RIVALS}    same_as: {{ tool: quote }}\n")),
        ("  - name: quote\n", "  - name: quote\n    same_as: { tool: notes }\n"),
    ]);
    let faults = Pack::load(&both).err().unwrap_or_default();
    let told = faults
        .iter()
        .any(|fault| fault.to_string().contains("`quote` is itself the same as `notes`"));
    assert!(told, "{faults:#?}");
}

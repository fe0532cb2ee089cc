//! The words of a decision, for clients that hand a model the text of a result alone.

use serde_json::Value as Json;
use waypost::records::decision::Decision;

/// A line for each part of a decision: what happens next, by which calls, how sure and why; then the
/// question that is asked first, with its choices numbered.
pub(super) fn told(decision: &Decision) -> String {
    let mut lines = vec![
        format!("decision: {}", decision.decision.name()),
        format!("route: {}", decision.route),
    ];
    lines.extend(decision.calls.iter().map(|call| {
        let arguments = Json::Object(call.arguments.clone());
        format!("call: {} {arguments}", call.tool)
    }));
    lines.push(format!("confidence: {:.2}", decision.confidence));
    lines.push(format!("rationale: {}", decision.rationale));
    if let Some(question) = &decision.question {
        lines.push(format!("question: {}", question.text));
        let choices = question.choices.iter().enumerate();
        lines.extend(choices.map(|(index, choice)| format!("{}. {}", index + 1, choice.label)));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn decision(parts: &Json) -> Decision {
        let mut whole = json!({
            "id": "1", "pack": "p", "bundle": "b", "decision": "run", "route": "tool",
            "calls": [], "confidence": 0.93, "layer": "linear", "alternatives": [],
            "selected": [], "rationale": "near “tides today”", "retrieval": false,
            "model_slot": null, "complexity": "simple", "strategy": "direct", "llm_calls": 0,
            "degraded": [], "language": "en",
        });
        for (name, value) in parts.as_object().unwrap() {
            whole[name] = value.clone();
        }
        serde_json::from_value(whole).unwrap()
    }

    #[test]
    fn a_decision_tells_its_calls_with_their_arguments() {
        let tide = json!({ "place": "Keelung", "days": 2 });
        let calls = [
            json!({ "tool": "tide.forecast", "arguments": tide, "evidence": {} }),
            json!({ "tool": "help", "arguments": {}, "evidence": {} }),
        ];
        let told = told(&decision(&json!({ "calls": calls })));
        let expected = "decision: run\nroute: tool\n\
                        call: tide.forecast {\"place\":\"Keelung\",\"days\":2}\ncall: help {}\n\
                        confidence: 0.93\nrationale: near “tides today”";
        assert_eq!(told, expected);
    }

    #[test]
    fn a_question_stands_last_with_its_choices_numbered() {
        let choices =
            [json!({ "label": "North", "value": "n" }), json!({ "label": "South", "value": "s" })];
        let question = json!({ "text": "Where?", "choices": choices });
        let told = told(&decision(&json!({ "decision": "clarify", "question": question })));
        assert!(told.starts_with("decision: clarify\n"), "{told}");
        assert!(told.ends_with("\nquestion: Where?\n1. North\n2. South"), "{told}");
    }
}

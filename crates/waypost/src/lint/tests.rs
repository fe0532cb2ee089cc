//! Tests packs with one fault each: what is found, and where.

use super::*;

/// The lines of a pack in which nothing is found, without its routes.
const HEAD: &str =
    "name: p\nsummary: A test.\nformat: 1\nlanguages: [en]\ntz: UTC\nfallback: explain\n";
const ROUTES: &str = "\
routes:
  - name: tool
    handler: tool
    summary: The user wants a timer set or a light switched.
  - name: explain
    handler: explain
    summary: The user asks what something is.
servers:
  - { name: s, demo: ocean }
";
const TOOLS: &str = "\
tools:
  - name: timer
    server: s
    summary: Sets a timer for a length of time.
    schema: { type: object, properties: { minutes: { type: integer, maximum: 90 } } }
  - name: light
    server: s
    summary: Switches the lamps of a room on and off.
    schema: { type: object, properties: { room: { enum: [hall, attic] } } }
";

/// `route tool? | openings | endings`: each opening with each ending is an example.
fn spell(lines: &[(&str, &str, &[&str], &[&str])]) -> String {
    let mut text = String::new();
    for (route, tool, openings, endings) in lines {
        for opening in *openings {
            for ending in *endings {
                let tools: Vec<&str> =
                    Some(*tool).filter(|tool| !tool.is_empty()).into_iter().collect();
                let line = serde_json::json!({
                    "text": format!("{opening} {ending}"), "lang": "en", "route": route, "tools": tools,
                });
                text.push_str(&format!("{line}\n"));
            }
        }
    }
    text
}

fn examples() -> String {
    spell(&[
        (
            "tool",
            "timer",
            &["set the timer", "start a timer", "count down"],
            &["now", "please", "for me", "again"],
        ),
        (
            "tool",
            "light",
            &["light up", "switch the lamps of", "brighten"],
            &["the hall", "our attic", "that room", "my place"],
        ),
        (
            "explain",
            "",
            &["what is", "why is there", "tell me about"],
            &["yeast", "gluten in bread", "a sour dough", "baking soda"],
        ),
        (
            "out_of_scope",
            "",
            &["who won", "tickets to", "the coach of"],
            &["the cup", "a football match", "that hockey league", "the final"],
        ),
    ])
}

fn found_in(yaml: &str, examples: &str, more: &[(&str, &str)]) -> Vec<Finding> {
    let own = [("pack.yaml", yaml), ("examples.jsonl", examples)];
    let files: Files = own
        .iter()
        .chain(more)
        .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
        .collect();
    let pack = Pack::load(&files).map_err(|faults| format!("{faults:?}")).unwrap();
    lint(&files, &pack, false, &mut |_, _| {}).unwrap()
}

/// Findings as `level check line`.
fn outline(findings: &[Finding]) -> Vec<String> {
    let short = |f: &Finding| format!("{} {} {}:{}", f.level.name(), f.check, f.file, f.line);
    findings.iter().map(short).collect()
}

#[track_caller]
fn check(head: &str, tools: &str, found: &[(&str, &str)]) {
    let yaml = format!("{HEAD}{head}{ROUTES}{tools}");
    let findings = found_in(&yaml, &examples(), &[]);
    let line = |text: &str| yaml.lines().position(|line| line.contains(text)).unwrap() + 1;
    let wanted: Vec<String> =
        found.iter().map(|(what, at)| format!("{what} pack.yaml:{}", line(at))).collect();
    assert_eq!(outline(&findings), wanted, "{findings:#?}");
    assert!(findings.iter().all(|f| !f.why.is_empty() && !f.hint.is_empty()), "{findings:#?}");
}

#[test]
fn a_good_pack_has_no_findings() {
    check("", TOOLS, &[]);
}

#[test]
fn bars_that_never_matter_are_found() {
    check(
        "policy: {\n  run: 0.6,\n  ask: 0.6 }\n",
        TOOLS,
        &[("error threshold-never-matters", "ask:")],
    );
    check("policy:\n  student: 0.5\n", TOOLS, &[("warning threshold-never-matters", "student:")]);
    let eager = TOOLS.replace(
        "    server: s\n    summary: Sets",
        "    run: 0.2\n    server: s\n    summary: Sets",
    );
    check("", &eager, &[("warning threshold-never-matters", "run: 0.2")]);
}

#[test]
fn what_can_never_apply_is_found() {
    let with = |extra: &str| {
        TOOLS.replace("maximum: 90 } } }\n", &format!("maximum: 90 }} }} }}\n{extra}"))
    };
    let relax = with("    relax:\n      - { on: NOT_FOUND, set: minutes, to: 500 }\n");
    check("", &relax, &[("error relaxation-never-applies", "to: 500")]);
    let twice = with(
        "    relax:\n      - { on: NOT_FOUND, set: minutes, to: 5 }\n      - { on: NOT_FOUND, set: minutes, to: 5, max: 2 }\n",
    );
    check("", &twice, &[("error relaxation-never-applies", "max: 2")]);
    let default = with("    arguments:\n      minutes: { default: 500 }\n");
    check("", &default, &[("error default-never-applies", "default: 500")]);
    let flag = with("    arguments:\n      minutes: { default_if: [{ flag: done, value: 5 }] }\n");
    check("", &flag, &[("error default-never-applies", "default_if")]);
}

#[test]
fn a_default_that_is_no_date_or_that_its_argument_cannot_have_is_found_at_its_line() {
    // A tool with a day, a time of day, a zone and a list of rooms, one of which is annotated.
    let with = |schema: &str, note: &str| {
        let yaml = TOOLS.replace(
            "maximum: 90 } } }\n",
            &format!("maximum: 90 }}, {schema} }} }}\n    arguments:\n      {note}\n"),
        );
        assert_ne!(yaml, TOOLS);
        yaml
    };
    for (schema, note) in [
        ("day: { type: string }", "day: { kind: date, default: now }"),
        ("day: { type: string, format: date }", "day: { default: yesterday }"),
        ("at: { type: string }", "at: { kind: time, skip: noon }"),
        ("at: { type: string }", "at: { kind: time, default: today }"),
        ("day: { type: integer }", "day: { default: today }"),
        ("zone: { type: boolean }", "zone: { default: request_zone }"),
        ("room: { type: string, enum: [hall, attic] }", "room: { default: cellar }"),
        ("room: { type: array, items: { enum: [hall, attic] } }", "room: { default: [cellar] }"),
    ] {
        check("", &with(schema, note), &[("error default-never-applies", note)]);
    }
    for (schema, note) in [
        ("day: { type: string }", "day: { kind: date, default: today }"),
        ("day: { type: string }", "day: { kind: date, default: 2025-01-01 }"),
        ("day: { type: string, enum: [latest, first] }", "day: { kind: date, default: latest }"),
        ("zone: { type: string }", "zone: { default: request_zone }"),
        ("room: { type: string, enum: [hall, attic] }", "room: { default: hall }"),
        ("note: { type: string }", "note: { default: now }"),
    ] {
        check("", &with(schema, note), &[]);
    }
    // An argument that the tool does not have is a fault of the pack itself.
    let yaml =
        format!("{HEAD}{ROUTES}{}", with("day: { type: string }", "dya: { default: today }"));
    let files = [("pack.yaml", yaml.clone()), ("examples.jsonl", examples())];
    let files: Files = files.map(|(name, text)| (name.to_owned(), text)).into();
    let faults = Pack::load(&files).unwrap_err();
    let line = yaml.lines().position(|line| line.contains("dya:")).unwrap() as u64 + 1;
    assert_eq!((faults.len(), faults[0].line), (1, line), "{faults:?}");
    assert!(faults[0].to_string().contains("did you mean `day`?"), "{faults:?}");
}

#[test]
fn names_that_the_schema_refuses_are_found() {
    let tools = TOOLS.replace(
        "enum: [hall, attic] } } }\n",
        "enum: [hall, attic] } } }\n    arguments:\n      room: { gazetteer: room }\n",
    );
    let yaml =
        format!("{HEAD}gazetteers:\n  - {{ name: room, file: rooms.yaml }}\n{ROUTES}{tools}");
    let rooms = |key: &str| {
        format!("entries:\n  hall: {{ names: [the hall] }}\n  {key}: {{ names: [our cave] }}\n")
    };
    let found = |key: &str| outline(&found_in(&yaml, &examples(), &[("rooms.yaml", &rooms(key))]));
    assert_eq!(found("attic"), Vec::<String>::new());
    let line = yaml.lines().position(|line| line.contains("gazetteer: room")).unwrap() + 1;
    assert_eq!(found("cave"), [format!("error name-refused pack.yaml:{line}")]);
}

#[test]
fn a_gate_that_opens_only_for_whoever_is_through_is_found() {
    let circle = TOOLS
        .replace("    summary: Sets", "    sets: [ticking]\n    requires: [lit]\n    summary: Sets")
        .replace(
            "    summary: Switches",
            "    sets: [lit]\n    requires: [ticking]\n    summary: Switches",
        );
    check(
        "",
        &circle,
        &[
            ("error gate-never-opens", "requires: [lit]"),
            ("error gate-never-opens", "requires: [ticking]"),
        ],
    );
    let around = circle.replace("requires: [ticking]", "requires: [{ flag: ticking, with: room }]");
    check("", &around, &[]);
}

#[test]
fn summaries_that_do_not_help_to_choose_are_found() {
    let long =
        TOOLS.replace("Sets a timer for", &format!("Sets a timer {} for", "really ".repeat(60)));
    check("", &long, &[("warning summary", "really")]);
    let cut = TOOLS.replace("on and off.", "on and...");
    check("", &cut, &[("warning summary", "on and...")]);
    let alike = TOOLS.replace(
        "Switches the lamps of a room on and off.",
        "Sets one timer for a length of time.",
    );
    check("", &alike, &[("warning summary", "Sets one timer")]);
}

#[test]
fn an_answer_that_names_what_is_never_there_is_found() {
    let schema = "    schema: { type: object, properties: { room";
    let closed = schema.replace("object,", "object, additionalProperties: false,");
    let with = |answer: &str| {
        TOOLS.replace(schema, &format!("    answer: {{ en: '{answer}' }}\n{closed}"))
    };
    check("", &with("Open from {{ result.opens }} in {{ arguments.room }} at {{ place }}."), &[]);
    check(
        "",
        &with("Open from {{ opens }} to {{ result.closes }}."),
        &[("error template-hole", "opens")],
    );
    check("", &with("Lit: {{ arguments.hall }}."), &[("error template-hole", "arguments.hall")]);
}

#[test]
fn sentences_that_miss_a_language_are_found() {
    let yaml = format!("{HEAD}messages:\n  out_of_scope: {{ es: No. }}\n{ROUTES}{TOOLS}");
    let findings = found_in(&yaml, &examples(), &[]);
    assert_eq!(outline(&findings), ["warning missing-language pack.yaml:8"], "{findings:#?}");
    let both = yaml
        .replace("languages: [en]", "languages: [zh-TW, zh-CN]")
        .replace("es: No", "zh-TW: 沒有");
    let findings = found_in(&both, &examples(), &[]);
    let outline = outline(&findings);
    // The other script can be read; that no example is in the languages is another matter.
    assert!(outline.iter().all(|line| line.contains("language-without-examples")), "{outline:?}");
    assert_eq!(outline.len(), 2);
}

#[test]
fn documents_that_nobody_looks_up_are_found() {
    let yaml = format!("{HEAD}{ROUTES}{TOOLS}");
    let document = [("docs/yeast.en.md", "# Yeast\n\nYeast raises dough.\n")];
    let findings = found_in(&yaml, &examples(), &document);
    assert_eq!(outline(&findings), ["error documents pack.yaml:7"], "{findings:#?}");
    let looked_up =
        yaml.replace("    handler: explain\n", "    handler: explain\n    retrieval: true\n");
    assert_eq!(found_in(&looked_up, &examples(), &document), []);
    assert_eq!(
        outline(&found_in(&looked_up, &examples(), &[])),
        ["warning documents pack.yaml:13"]
    );
}

#[test]
fn examples_that_teach_too_little_are_found() {
    let yaml = format!("{HEAD}{ROUTES}{TOOLS}");
    let few: String = examples()
        .lines()
        .filter(|line| !line.contains("light") || line.contains("hall"))
        .filter(|line| {
            !line.contains("coach") && !line.contains("brighten") && !line.contains("lamps")
        })
        .map(|line| format!("{line}\n"))
        .collect();
    let outline = outline(&found_in(&yaml, &few, &[]));
    let light = yaml.lines().position(|line| line.contains("name: light")).unwrap() + 1;
    assert!(outline.contains(&format!("warning few-examples pack.yaml:{light}")), "{outline:?}");
    assert!(
        outline.contains(&"warning no-negatives examples.jsonl:0".to_owned())
            || few.matches("out_of_scope").count() >= 10,
        "{outline:?}"
    );
}

#[test]
fn texts_that_differ_in_their_values_alone_are_one() {
    let yaml = format!("{HEAD}{ROUTES}{TOOLS}");
    let two = |route: &str, other: &str| {
        let line = |text: &str, route: &str| {
            let tools: &[&str] = match route {
                "tool" => &["timer"],
                _ => &[],
            };
            format!(
                "{}\n",
                serde_json::json!({ "text": text, "lang": "en", "route": route, "tools": tools })
            )
        };
        format!("{}{}{}", examples(), line("eggs at 14:30", route), line("eggs at 16:45", other))
    };
    assert_eq!(found_in(&yaml, &two("tool", "tool"), &[]), []);
    let findings = found_in(&yaml, &two("tool", "explain"), &[]);
    assert_eq!(outline(&findings), ["warning same-text examples.jsonl:49"]);
    let lines: Vec<u64> = findings[0].texts.iter().map(|at| at.line).collect();
    assert_eq!(lines, [49, 50], "{findings:?}");
    assert!(findings[0].message.contains("(line 50)"), "{findings:?}");
}

#[test]
fn routes_that_students_confuse_are_found_with_the_texts() {
    let yaml = format!("{HEAD}{ROUTES}{TOOLS}");
    // The same words under two routes, told apart by words that no other example has.
    let mut mixed = examples();
    for (index, odd) in
        ["aa", "bb", "cc", "dd", "ee", "ff", "gg", "hh", "ii", "jj", "kk", "ll"].iter().enumerate()
    {
        let (route, tools): (&str, &[&str]) =
            if index % 2 == 0 { ("tool", &["timer"]) } else { ("explain", &[]) };
        let line = serde_json::json!({ "text": format!("the eggs {odd}"), "lang": "en", "route": route, "tools": tools });
        mixed.push_str(&format!("{line}\n"));
    }
    let findings = found_in(&yaml, &mixed, &[]);
    let confused: Vec<&Finding> = findings.iter().filter(|f| f.check == "confusable").collect();
    assert!(!confused.is_empty(), "{findings:#?}");
    assert!(
        confused.iter().all(|f| f.message.contains("the eggs") && f.line >= 49),
        "{confused:#?}"
    );
}

#[test]
fn a_route_with_a_handful_of_examples_is_no_error_of_the_student() {
    let yaml = format!("{HEAD}{ROUTES}{TOOLS}");
    let kept: Vec<String> = examples()
        .lines()
        .filter(|line| !line.contains("out_of_scope"))
        .map(str::to_owned)
        .collect();
    let odd = ["what is silk", "why is there rain", "tell me about rome", "what is jazz"];
    let odd = odd.map(|text| {
        serde_json::json!({ "text": text, "lang": "en", "route": "out_of_scope" }).to_string()
    });
    let few = [&kept[..], &odd[..]].concat().join("\n");
    let findings = found_in(&yaml, &few, &[]);
    let confused: Vec<&Finding> = findings.iter().filter(|f| f.check == "confusable").collect();
    assert!(!confused.is_empty(), "{findings:#?}");
    assert!(confused.iter().all(|f| f.level == Level::Warning), "{confused:#?}");
}

#[test]
fn a_signal_that_is_right_as_often_as_it_says_is_no_error() {
    let level = |confidence: f64| {
        let signal = format!(
            "signals:\n  - {{ name: what, route: explain, words: [{{ en: [is, lamps] }}], confidence: {confidence} }}\n"
        );
        let findings = found_in(&format!("{HEAD}{signal}{ROUTES}{TOOLS}"), &examples(), &[]);
        let astray: Vec<&Finding> = findings.iter().filter(|f| f.check == "astray").collect();
        assert!(!astray[0].texts.is_empty(), "{astray:?}");
        astray[0].level
    };
    assert_eq!(level(1.0), Level::Error);
    assert_eq!(level(0.05), Level::Warning);
}

#[test]
fn rules_that_decide_nothing_are_found() {
    let rules = "\
prefixes:
  - { text: You are a cook, route: explain }
  - { text: You are a cook who bakes, route: explain }
signals:
  - { name: bread, route: explain, words: [{ en: [gluten, dough] }] }
  - { name: gluten, route: explain, words: [{ en: [gluten] }] }
  - { name: nobody, route: explain, words: [{ en: [xyzzy] }] }
  - { name: lamps, route: explain, words: [{ en: [lamps] }] }
";
    check(
        rules,
        TOOLS,
        &[
            ("error astray", "name: lamps"),
            ("warning unreachable", "who bakes"),
            ("warning unreachable", "name: gluten"),
            ("warning unreachable", "name: nobody"),
        ],
    );
    let yaml = format!("{HEAD}{rules}{ROUTES}{TOOLS}");
    let case = "{\"text\": \"xyzzy?\", \"expect\": {\"route\": \"explain\"}}\n";
    let outline = outline(&found_in(&yaml, &examples(), &[("cases.jsonl", case)]));
    assert_eq!(
        outline.iter().filter(|line| line.contains("unreachable")).count(),
        2,
        "{outline:?}"
    );
}

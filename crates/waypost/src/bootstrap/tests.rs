//! Packs of servers from the first list to the second.

use serde_json::json;
use waypost_core::ports::tools::Hints;

use super::*;

fn tool(name: &str, description: &str, required: &[&str]) -> ToolDescription {
    let properties: serde_json::Map<String, Value> =
        required.iter().map(|name| ((*name).to_owned(), json!({ "type": "string" }))).collect();
    ToolDescription {
        name: name.to_owned(),
        description: description.to_owned(),
        input_schema: json!({ "type": "object", "properties": properties, "required": required }),
        output_schema: None,
        hints: Hints { read_only: Some(true), ..Hints::default() },
    }
}

fn server(name: &str, tools: Vec<ToolDescription>) -> ListedServer {
    let spec = ServerSpec {
        name: name.to_owned(),
        command: vec![name.to_owned()],
        ..ServerSpec::default()
    };
    ListedServer { spec, tools }
}

fn git() -> ListedServer {
    server(
        "git",
        vec![
            tool("git_log", "Shows the commit logs", &["repo_path"]),
            tool(
                "git_create_branch",
                "Creates a new branch: # \"from\" another\n\n- one\n- two",
                &["repo_path", "branch_name"],
            ),
        ],
    )
}

fn loaded(files: &Files) -> Pack {
    Pack::load(files).unwrap_or_else(|faults| {
        panic!(
            "{}\n{}",
            faults.iter().map(ToString::to_string).collect::<String>(),
            files["pack.yaml"]
        )
    })
}

#[test]
fn a_draft_is_a_pack_that_loads() {
    let constant =
        Constant { tool: "*".to_owned(), argument: "repo_path".to_owned(), value: "/r".to_owned() };
    let languages = [Language::En, Language::ZhHant];
    let draft =
        draft(&[git(), server("svn", vec![tool("git_log", "", &[])])], &languages, &[constant]);
    let files = draft.files().unwrap();
    let pack = loaded(&files);
    let names: Vec<&str> = pack.tools.iter().map(|tool| tool.spec.name.as_str()).collect();
    assert_eq!(names, ["git_git_log", "git_create_branch", "svn_git_log"]);
    assert_eq!(pack.tools[0].spec.remote_name(), "git_log");
    assert_eq!(pack.tools[0].annotation("repo_path").unwrap().default, Some(json!("/r")));
    assert_eq!(
        pack.tools[1].spec.description.as_deref(),
        Some("Creates a new branch: # \"from\" another\n\n- one\n- two")
    );
    assert!(
        pack.tools
            .iter()
            .all(|tool| tool.accepted().is_some() && tool.spec.access == Some(Access::Read))
    );
    // Nobody has said anything yet, so nothing is made up.
    assert_eq!(pack.examples.len(), 3, "{}", files["examples.jsonl"]);
    let questions = draft.questions(&[]);
    assert_eq!(questions.len(), 3);
    assert_eq!(questions[0], ("git_git_log".to_owned(), "show the commit logs".to_owned()));
    assert_eq!(draft.pack().unwrap().1.examples, pack.examples);
}

#[test]
fn a_tool_that_cannot_be_used_spoils_no_pack() {
    let mut odd = tool("odd", "", &[]);
    odd.input_schema = json!({ "const": "x".repeat(1 << 20) });
    let draft = draft(&[server("s", vec![odd, tool("a", "", &[]), tool("a", "", &[])])], &[], &[]);
    assert_eq!((draft.tools.len(), draft.left_out.len()), (1, 2));
    loaded(&draft.files().unwrap());
}

#[test]
fn a_slip_in_a_schema_is_passed_over_and_what_was_accepted_is_what_was_listed() {
    let mut odd = tool("odd", "Reads a value", &["value"]);
    odd.input_schema["title"] = json!(5);
    odd.input_schema["properties"]["note"] = json!({ "type": "string", "description": null });
    let draft = draft(&[server("s", vec![odd.clone()])], &[], &[]);
    let expected =
        ["`odd` of `s`: `description` at `/properties/note`", "`odd` of `s`: `title` at the top"];
    let mut told = draft.passed_over.clone();
    told.sort();
    assert_eq!(told.len(), expected.len(), "{told:?}");
    assert!(told.iter().zip(expected).all(|(told, words)| told.starts_with(words)), "{told:?}");
    let pack = loaded(&draft.files().unwrap());
    assert_eq!(pack.tools[0].arguments().collect::<Vec<_>>(), ["value", "note"]);
    assert_eq!(pack.tools[0].accepted(), Some(fingerprint(&odd).as_str()));
    let many = (0..9).map(|n| (format!("a{n}"), json!({ "title": n }))).collect();
    odd.input_schema["properties"] = Value::Object(many);
    let draft = super::draft(&[server("s", vec![odd])], &[], &[]);
    assert_eq!(draft.passed_over.len(), MOST_TOLD + 1);
    assert!(draft.passed_over[MOST_TOLD].ends_with("and 5 more"), "{:?}", draft.passed_over);
}

#[test]
fn an_update_keeps_what_people_wrote() {
    let before = draft(&[git()], &[], &[]);
    let mut files = before.files().unwrap();
    let page = files["pack.yaml"]
        .replace("summary: Shows the commit logs", "summary: What was done # mine");
    assert_ne!(page, files["pack.yaml"]);
    files.insert("pack.yaml".to_owned(), page);
    let mine =
        "{\"text\":\"who did what\",\"lang\":\"en\",\"route\":\"tool\",\"tools\":[\"git_log\"]}\n";
    files.get_mut("examples.jsonl").unwrap().push_str(mine);
    let same = update(&files, &before).unwrap();
    assert_eq!(same.kept, ["git_log.summary"]);
    assert_eq!((same.added.len(), same.changed.len(), same.gone.len()), (0, 0, 0));
    assert_eq!(same.files["pack.yaml"], files["pack.yaml"]);

    let now = server(
        "git",
        vec![
            tool("git_log", "Shows all commit logs", &["repo_path", "since"]),
            tool("git_show", "Shows a commit", &[]),
        ],
    );
    let now =
        update(&files, &draft(&[now, server("fs", vec![tool("read", "Reads", &[])])], &[], &[]))
            .unwrap();
    assert_eq!(now.added, ["git_show", "read"]);
    assert_eq!(
        (now.changed, now.gone),
        (vec!["git_log".to_owned()], vec!["git_create_branch".to_owned()])
    );
    let pack = loaded(&now.files);
    assert_eq!(pack.tools[0].spec.summary, "What was done");
    assert!(pack.tools[0].requires("since"));
    assert!(pack.examples.iter().any(|example| example.text == "who did what"));
    assert!(pack.tool("git_create_branch").is_none());
    // The second time nothing is left to do.
    let again = update(&now.files, &before).unwrap();
    assert_eq!(again.gone, ["git_show"]);
}

#[test]
fn an_update_knows_tools_by_the_names_that_people_gave_them() {
    let log = tool("git_log", "Shows the commit logs", &[]);
    let mut files = draft(&[server("git", vec![log.clone()])], &[], &[]).files().unwrap();
    let page =
        files["pack.yaml"].replace("- name: git_log\n", "- name: history\n    remote: git_log\n");
    assert_ne!(page, files["pack.yaml"]);
    files.insert("pack.yaml".to_owned(), page);
    let said = files["examples.jsonl"].replace("[\"git_log\"]", "[\"history\"]");
    files.insert("examples.jsonl".to_owned(), said);
    let show = tool("git_log_show", "Shows the commit logs of a day", &[]);
    let now = update(&files, &draft(&[server("git", vec![log, show])], &[], &[])).unwrap();
    assert_eq!(now.added, ["git_log_show"]);
    let pack = loaded(&now.files);
    assert!(pack.examples.iter().any(|example| example.tools == ["git_log_show"]));
    let names: Vec<&str> = now.draft.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["history", "git_log_show"]);
}

#[test]
fn an_update_lowers_no_access() {
    let hinted = |read_only, description: &str| {
        let hints =
            Hints { read_only: Some(read_only), destructive: Some(!read_only), ..Hints::default() };
        let own = ToolDescription { hints, ..tool("git_gc", description, &[]) };
        draft(&[server("git", vec![own])], &[], &[])
    };
    let files = hinted(false, "Cleans up").files().unwrap();
    let access = |files: &Files| loaded(files).tools[0].spec.access;
    assert_eq!(access(&files), Some(Access::Destructive));
    // The same words with other hints are no more what was accepted.
    let lower = update(&files, &hinted(true, "Cleans up")).unwrap();
    assert_eq!((&lower.changed, &lower.not_lowered), (&vec!["git_gc".to_owned()], &lower.changed));
    assert_eq!(access(&lower.files), Some(Access::Destructive));
    let again = update(&lower.files, &hinted(true, "Cleans up well")).unwrap();
    assert_eq!(access(&again.files), Some(Access::Destructive));
    // It rises by itself, and people lower it.
    let files = hinted(true, "Cleans up").files().unwrap();
    let higher = update(&files, &hinted(false, "Cleans up")).unwrap();
    assert!(higher.not_lowered.is_empty());
    assert_eq!(access(&higher.files), Some(Access::Destructive));
}

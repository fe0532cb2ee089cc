//! The first hour with servers of one's own: what is asked is settled by the first natural answer, and what is not used is said.

use crate::odd_servers::server;
use crate::support::Home;

/// Nine tools that want a name each, in the words of public servers; each answers with its name and its arguments.
const TOOLS: &str = r#"
def needs(name, description, **properties):
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return tool(name, description, inputSchema=schema)
def text(description):
    return {"type": "string", "description": description}
def call(name, arguments):
    return name + " " + json.dumps(arguments)
TOOLS = [
    needs("read_file", "Read the contents of a file.", path=text("Path of the file")),
    needs("list_directory", "List the files of a directory.", path=text("Path of the directory")),
    needs("show_branch", "Show the commits of a branch.", branch=text("Name of the branch")),
    needs("current_time", "Get the current time in a time zone.", timezone=text("IANA time zone, such as Asia/Tokyo")),
    needs("get_invoice", "Get an invoice.", invoice_id=text("ID of the invoice")),
    needs("find_book", "Find a book.", title=text("Title of the book")),
    needs("get_customer", "Get a customer.", customer=text("Name of the customer")),
    needs("log_message", "Log a message.", message=text("The message to log")),
    needs("list_notes", "List notes.", author=text("Who wrote them")),
]
"#;

#[test]
fn an_open_question_is_settled_by_the_first_natural_answer() {
    let home = Home::new();
    let server = server(&home, TOOLS);
    for (question, answer, called) in [
        ("read a file", "todo.txt", r#"read_file {"path": "todo.txt"}"#),
        ("read a file", "/srv/notes.md", r#"read_file {"path": "/srv/notes.md"}"#),
        ("list a directory", "reports/2025", r#"list_directory {"path": "reports/2025"}"#),
        ("list the directory please", "in reports", r#"list_directory {"path": "reports"}"#),
        ("list a directory", "the reports directory", r#"list_directory {"path": "reports"}"#),
        ("list a directory", "\"reports\"", r#"list_directory {"path": "reports"}"#),
        ("show a branch", "feature/login", r#"show_branch {"branch": "feature/login"}"#),
        ("show the commits of a branch", "main", r#"show_branch {"branch": "main"}"#),
        ("show a branch", "the \"hotfix\" one", r#"show_branch {"branch": "hotfix"}"#),
        ("get an invoice", "it's 82-N0pq", r#"get_invoice {"invoice_id": "82-N0pq"}"#),
        (
            "get an invoice",
            "invoice id is 82-N0pq please",
            r#"get_invoice {"invoice_id": "82-N0pq"}"#,
        ),
        ("get an invoice", "GB 123456789", r#"get_invoice {"invoice_id": "GB 123456789"}"#),
        ("find a book", "The Jungle Book", r#"find_book {"title": "The Jungle Book"}"#),
        ("find a book", "it's called The Jungle Book", r#"find_book {"title": "The Jungle Book"}"#),
        ("show a branch", "call it release-2", r#"show_branch {"branch": "release-2"}"#),
        ("what time is it", "Berlin", r#"current_time {"timezone": "Europe/Berlin"}"#),
        ("current time", "Europe/Berlin", r#"current_time {"timezone": "Europe/Berlin"}"#),
    ] {
        let input = format!("{question}\n{answer}\n");
        let run = home.run_with(&["chat", "--mcp", &server], input.as_bytes());
        let said: Vec<&str> = run.ended(0).stdout.lines().collect();
        assert!(said[0].starts_with("What should "), "{question}: {said:?}");
        assert_eq!(said[1..], [called], "{question}, {answer}");
    }
}

#[test]
fn an_answer_that_names_nothing_is_asked_about_again() {
    let home = Home::new();
    let server = server(&home, TOOLS);
    for (question, answer) in [
        ("show a branch", "the second one"),
        ("show a branch", "not main"),
        ("show a branch", "main or dev"),
        ("get an invoice", "not 82-N0pq"),
        ("get an invoice", "82-N0pq or 82-N0pr"),
        ("read a file", "it"),
        ("read a file", "*.txt"),
    ] {
        let input = format!("{question}\n{answer}\n");
        let run = home.run_with(&["chat", "--mcp", &server], input.as_bytes());
        let said: Vec<&str> = run.ended(0).stdout.lines().collect();
        assert!(said[0].starts_with("What should "), "{question}: {said:?}");
        assert!(!run.stdout.contains('{'), "{question}, {answer}: {said:?}");
    }
}

#[test]
fn what_a_read_leaves_out_of_the_question_is_said() {
    let home = Home::new();
    let server = server(&home, TOOLS);
    let run = home.run(&["ask", "--mcp", &server, "list notes of Ana since yesterday"]);
    let said = &run.ended(0).stdout;
    assert!(said.contains(r#"list_notes {"author": "Ana"}"#), "{said}");
    assert!(said.contains("(not used: “since yesterday”)"), "{said}");
}

/// Tools around commits, which share most of their words.
const COMMITS: &str = r#"
def needs(name, description, optional=(), **properties):
    schema = {"type": "object", "properties": properties, "required": [p for p in properties if p not in optional]}
    return tool(name, description, inputSchema=schema, annotations={"readOnlyHint": name.split("_")[1] not in ("commit", "add")})
def text(description):
    return {"type": "string", "description": description}
def call(name, arguments):
    return name + " " + json.dumps(arguments)
TOOLS = [
    needs("vc_status", "Shows the state of the working tree"),
    needs("vc_log", "Shows the history of commits", ("max_count",), max_count={"type": "integer", "description": "How many", "default": 10}),
    needs("vc_show", "Shows what is in one commit", revision=text("The revision to show, such as HEAD~1")),
    needs("vc_commit", "Records the staged changes as a commit", message=text("The commit message")),
    needs("vc_add", "Stages files for the next commit", files={"type": "array", "items": {"type": "string"}, "description": "Paths of files"}),
    needs("vc_diff", "Shows the differences between branches or commits", target=text("The branch or commit to compare with")),
]
"#;

/// A pack that init made of those tools, and what it printed.
fn initiated(home: &Home) -> (String, String) {
    let folder = home.path("tools").to_string_lossy().into_owned();
    let run = home.run(&["init", "--mcp", &server(home, COMMITS), &folder]);
    (folder, run.ended(0).stdout.clone())
}

#[test]
fn init_is_no_worse_than_no_pack() {
    let home = Home::new();
    let (folder, _) = initiated(&home);
    let server = server(&home, COMMITS);
    for (question, called) in [
        ("show me the last 2 commits", r#"vc_log {"max_count": 2}"#),
        ("what is in commit HEAD~1", r#"vc_show {"revision": "HEAD~1"}"#),
        ("status", "vc_status {}"),
    ] {
        for source in [["--pack", &folder], ["--mcp", &server]] {
            let run = home.run(&["ask", source[0], source[1], question]);
            assert_eq!(run.ended(0).stdout.trim(), called, "{source:?}: {question}");
        }
    }
}

#[test]
fn the_questions_that_init_prints_work() {
    let home = Home::new();
    let (folder, told) = initiated(&home);
    let tried = told.lines().filter_map(|line| line.trim().strip_prefix("waypost ask --pack "));
    let questions: Vec<&str> =
        tried.filter_map(|line| line.split_once(" '")?.1.strip_suffix('\'')).collect();
    assert_eq!(questions.len(), 3, "{told}");
    for question in questions {
        let run = home.run(&["ask", "--pack", &folder, question]);
        assert!(run.ended(0).stdout.starts_with("vc_"), "{question}: {run:?}");
    }
}

#[test]
fn an_example_of_the_very_same_words_always_wins() {
    let home = Home::new();
    let (folder, _) = initiated(&home);
    let file = std::path::Path::new(&folder).join("examples.jsonl");
    let mut examples = std::fs::read_to_string(&file).unwrap();
    for line in [
        r#"{"text":"what is the story of this commit","lang":"en","route":"tool","tools":["vc_status"]}"#,
        r#"{"text":"show the log of the dishwasher","lang":"en","route":"out_of_scope","tools":[]}"#,
    ] {
        examples.push_str(line);
        examples.push('\n');
    }
    std::fs::write(&file, examples).unwrap();
    let ask = |question: &str| home.run(&["ask", "--pack", &folder, question]).stdout;
    assert_eq!(ask("What is the story of this commit?").trim(), "vc_status {}");
    assert!(!ask("show the log of the dishwasher").contains("vc_"));
}

#[test]
fn where_it_is_open_which_tool_is_meant_that_is_asked_first() {
    let home = Home::new();
    let server = server(&home, COMMITS);
    let run = home.run(&["ask", "--json", "--mcp", &server, "delete todo.txt"]);
    // No tool deletes files: none runs or is put up as if it did, and no argument of one is asked for.
    let mode = run.json()["mode"].clone();
    assert!(mode == "refuse" || mode == "clarify", "{run:?}");
    assert!(
        !run.stdout.contains("What should") && !run.stdout.contains("may not be used"),
        "{run:?}"
    );
}

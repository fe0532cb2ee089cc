//! The first hour with servers of one's own: what is asked is settled by the first natural answer, and what is not used is said.

use crate::odd_servers::server;
use crate::support::Home;

/// Five tools that want a name each, in the words of public servers; each answers with its name and its arguments.
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

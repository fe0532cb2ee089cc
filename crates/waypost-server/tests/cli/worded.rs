//! What users are asked and told, in words that they can act on.

use std::fs;
use std::path::Path;

use crate::odd_servers::server;
use crate::support::{Home, finish};

/// Tools as servers write them; some say nothing of what they do.
const TOOLS: &str = r#"
def call(name, arguments):
    return name + " " + json.dumps(arguments)
def needs(name, description, properties, **more):
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return tool(name, description, inputSchema=schema, **more)
text, day = {"type": "string"}, {"type": "string", "format": "date"}
TOOLS = [
    tool("list_tables", "List the tables.", annotations={}),
    tool("drop_tables", "Drop the tables.", annotations={"destructiveHint": True}),
    needs("place_order", "Places an order.", {"orderId": text}, annotations={}),
    needs("git_status", "Show the status of a repository.", {"repo_path": text}),
    needs("list_notes", "List notes.", {"author": {"type": "string", "description": "Who wrote them."}}),
    needs("read_file", "Read the contents of a file.", {"path": text}),
    needs("get_appointments", "List the appointments of a day.", {"day": day}),
    tool("forecast", "Weather forecast for a city on a day.", {"city": text, "date": day}),
]
"#;

#[test]
fn a_tool_without_hints_is_asked_about_until_the_user_says_that_it_reads() {
    let home = Home::new();
    let own = server(&home, TOOLS);
    let question = ["ask", "--mcp", &own, "list the tables"];
    let asked = home.run(&question);
    let may = "It may change something. Shall exactly this be done?";
    assert!(asked.ended(0).stdout.contains(may), "{asked:?}");
    assert!(asked.stderr.contains("waypost tools reads"), "{asked:?}");
    home.run(&["tools", "reads", "--mcp", &own, "list_tables"]).ended(0);
    assert_eq!(home.run(&question).ended(0).stdout, "list_tables {}\n");
    // It was said of this tool as its server describes it, and of no other.
    let order = home.run(&["ask", "--mcp", &own, "place order A-123"]);
    assert!(order.ended(0).stdout.contains(may), "{order:?}");
    let other = TOOLS.replace("List the tables.", "List the tables, and empty them.");
    server(&home, &other);
    let asked = home.run(&question);
    assert!(asked.ended(0).stdout.contains(may), "{asked:?}");
    // What a server says of its tool is not overruled.
    home.run(&["tools", "reads", "--mcp", &own, "drop_tables"])
        .ended(2)
        .told(&["drop_tables", "access"]);
    home.run(&["tools", "reads", "--pack", "ocean", "list_tables"])
        .ended(2)
        .told(&["access: read"]);
}

#[test]
fn what_only_reads_in_one_folder_is_asked_about_in_another() {
    let home = Home::new();
    server(&home, TOOLS);
    let folders = ["one", "two"].map(|name| {
        home.write(&format!("{name}/s.py"), &fs::read_to_string(home.path("server.py")).unwrap());
        home.path(name)
    });
    let run = |folder: &Path, args: &[&str]| {
        let mut command = home.command(args);
        command.current_dir(folder);
        finish(command, b"")
    };
    let own = format!("odd={} s.py", if cfg!(windows) { "python" } else { "python3" });
    let question = ["ask", "--mcp", &own, "list the tables"];
    run(&folders[0], &["tools", "reads", "--mcp", &own, "list_tables"]).ended(0);
    assert_eq!(run(&folders[0], &question).ended(0).stdout, "list_tables {}\n");
    let asked = run(&folders[1], &question);
    assert!(asked.ended(0).stdout.contains("It may change something."), "{asked:?}");
}

#[test]
fn a_question_and_an_approval_have_names_for_people() {
    let home = Home::new();
    let own = server(&home, TOOLS);
    for (question, said) in [
        ("place an order", "What should order id be?"),
        (
            "place order A-123",
            "- Places an order (place_order, on the server odd)\n- order id: A-123",
        ),
        ("status of the repository", "Which repository? Give its folder."),
        ("list notes", "What should author be? (Who wrote them)"),
    ] {
        let run = home.run(&["ask", "--mcp", &own, question]);
        assert!(run.ended(0).stdout.contains(said), "{question}: {run:?}");
    }
    let run = home.run_with(&["chat", "--mcp", &own], b"read a file\n*.txt\n");
    let again = "I could not read that as a path. Type one such as docs/, or “cancel” to stop.";
    assert!(run.ended(0).stdout.contains(again), "{run:?}");
}

#[test]
fn a_date_with_a_slip_is_read_or_asked_about() {
    let home = Home::new();
    let own = server(&home, TOOLS);
    for (question, slip) in [
        ("weather forecast for Berlin on mondy", "mondy"),
        ("weather forecast for Berlin wensday", "wensday"),
        ("list the appointments on sundy", "sundy"),
        ("list the appointments on mondy", "mondy"),
    ] {
        let run = home.run(&["ask", "--mcp", &own, question]);
        let said = &run.ended(0).stdout;
        let is_read = said.contains("\"date\": ") || said.contains("\"day\": ");
        assert!(is_read || said.contains(&format!("“{slip}”")), "{question}: {said}");
    }
}

#[test]
fn a_value_that_a_result_lacks_is_named_below_the_sentence() {
    let home = Home::new();
    let own = home.pack_of(
        "ocean",
        &[("en: '{{ result.date }}", "en: 'From {{ result.opens }}: {{ result.date }}")],
    );
    let run = home.run(&["ask", "--pack", &own, "high tide in Keelung tomorrow"]);
    let said = &run.ended(0).stdout;
    assert!(
        said.contains("From ?:") && said.contains("Not in the result: ") && said.contains("opens"),
        "{said}"
    );
}

//! `waypost eval --report`: one page that loads nothing, breaks on no text and leaves nothing behind.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::{Value as Json, json};

use crate::support::{Home, Run, finish};

const PACK: &str = "examples/packs/minimal";

fn minimal() -> String {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join(PACK).display().to_string()
}

fn report(home: &Home, cases: &[Json], args: &[&str]) -> (Run, String) {
    let lines: Vec<String> = cases.iter().map(Json::to_string).collect();
    home.write("cases.jsonl", &lines.join("\n"));
    let path = |name: &str| home.path(name).display().to_string();
    let (out, cases) = (path("report.html"), path("cases.jsonl"));
    let run = home.run(&[&["eval", "--report", &out], args, &[&cases]].concat());
    let page = fs::read_to_string(&out).unwrap_or_default();
    (run, page)
}

/// A report on the smallest pack, with a case of each kind that can go wrong.
fn of_the_pack(home: &Home) -> String {
    let cases = [
        json!({ "text": "high tide in Keelung tomorrow?", "expect": { "decision": "run" } }),
        json!({ "text": "<script>alert('x')</script>", "expect": { "route": "<b>none</b>" } }),
        json!({ "text": "why does the moon make tides", "expect": { "tools": ["\"><img src=x>"] } }),
        json!({
            "text": "high tide in Kaohsiung today",
            "expect": { "arguments": { "<i>": "</td>\u{202e}" } },
        }),
    ];
    let (run, page) = report(home, &cases, &["--pack", &minimal()]);
    run.ended(0).told(&["written to"]);
    page
}

#[test]
fn a_report_is_one_page_that_loads_nothing() {
    let home = Home::new();
    let page = of_the_pack(&home);
    assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"), "{page}");
    for outside in ["http:", "https:", "src=", "url(", "@import", "<link", "<iframe"] {
        let found = page.replace("&quot;&gt;&lt;img src=x&gt;", "").contains(outside);
        assert!(!found, "`{outside}` is in the page");
    }
    assert!(page.contains("default-src 'none'"));
    assert!(page.contains("The worst errors") && page.contains("By language"));
    // A wrong decision stands beside the examples that may have taught it.
    assert!(page.contains("alike, learned as"), "{page}");
    assert!(page.len() < 200_000, "{}", page.len());
    let left: Vec<String> = home.files();
    assert!(!left.iter().any(|name| name.ends_with(".part")), "{left:?}");
}

#[test]
fn no_text_of_a_case_is_markup() {
    let page = of_the_pack(&Home::new());
    assert_eq!(page.matches("<script").count(), 1, "only the page's own");
    assert!(page.contains("&lt;script&gt;alert('x')&lt;/script&gt;"));
    for broken in ["<b>none", "<img", "<i></i></th>", "\u{202e}"] {
        assert!(!page.contains(broken), "`{broken}` is in the page");
    }
}

/// A student of plain labels and cases of it, one of which belongs nowhere.
fn of_plain_labels(home: &Home, labels: usize, args: &[&str]) -> (Run, String) {
    let line = |text: &str, label: &str| json!({ "text": text, "label": label });
    let name = |label: usize| format!("kind{label:03}");
    let mut lines = Vec::new();
    for label in 0..labels {
        let own = name(label);
        for end in ["now", "please", "for me", "again", "today"] {
            lines.push(line(&format!("do the {own} thing {end}"), &own).to_string());
        }
    }
    home.write("train.jsonl", &lines.join("\n"));
    let path = |name: &str| home.path(name).display().to_string();
    let (examples, bundle) = (path("train.jsonl"), path("student.bundle"));
    home.run(&["train", "--examples", &examples, "--out", &bundle]).ended(0);
    let mut cases: Vec<Json> = (0..labels)
        .map(|label| line(&format!("the {} thing", name(label)), &name(label)))
        .collect();
    cases.push(line("the kind000 thing for you", &name(1)));
    cases.push(line("xyzzy plugh", "oos"));
    report(home, &cases, &[&["--student", &bundle], args].concat())
}

#[test]
fn plain_labels_have_a_matrix_and_what_belongs_nowhere() {
    let home = Home::new();
    let examples = home.path("train.jsonl").display().to_string();
    let (run, page) = of_plain_labels(&home, 3, &["--examples", &examples]);
    run.ended(0);
    assert!(page.contains("class=\"matrix\""));
    assert!(page.contains("What belongs nowhere") && page.contains("Histogram of scope"));
    assert!(page.contains("do the kind000 thing"), "the nearest examples: {page}");
    // Nothing is asked and no tool is called where there are labels alone.
    assert!(!page.contains("asked needlessly") && !page.contains("By tool"));
    // Every picture says in words what it shows.
    let pictures = page.matches("<svg").count();
    assert!(pictures >= 4 && page.matches("<desc>").count() == pictures, "{pictures}");
}

#[test]
fn many_routes_are_told_by_the_pairs_that_are_confused() {
    let (run, page) = of_plain_labels(&Home::new(), 45, &[]);
    run.ended(0);
    assert!(page.contains("more than 40 routes") && !page.contains("class=\"matrix\""));
    assert!(page.contains("Most confused pairs") && page.contains("--examples"));
}

#[test]
fn a_place_that_cannot_be_written_is_told_before_anything_is_decided() {
    let home = Home::new();
    let cases = [json!({ "text": "hi", "expect": { "route": "nowhere" } })];
    home.write("cases.jsonl", &cases[0].to_string());
    let cases = home.path("cases.jsonl").display().to_string();
    for place in [home.path("no/such/folder/out.html"), home.path(".")] {
        let place = place.display().to_string();
        let run = home.run(&["eval", "--pack", &minimal(), "--report", &place, &cases]);
        run.ended(2).told(&["cannot write", "hint: name a file"]);
        assert_eq!(run.stdout, "", "{run:?}");
    }
    assert_eq!(home.files(), ["cases.jsonl"]);
}

#[test]
fn examples_of_plain_labels_do_not_belong_to_a_pack() {
    let home = Home::new();
    let (run, page) = report(
        &home,
        &[json!({ "text": "hi", "expect": { "route": "explain" } })],
        &["--pack", &minimal(), "--examples", "train.jsonl"],
    );
    run.ended(2).told(&["`--examples` is for a student", "hint:"]);
    assert_eq!(page, "");
}

/// The first of these programs that this machine has.
fn program(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .flat_map(|folder| names.iter().map(move |name| folder.join(name)))
        .find(|candidate| candidate.is_file())
}

/// A browser of this machine, if there is one, about to open the report of a home.
fn browser(home: &Home, args: &[&str]) -> Option<Command> {
    let mut command = Command::new(program(&["chromium", "chromium-browser", "google-chrome"])?);
    command.args(["--headless", "--no-sandbox", "--disable-gpu"]).args(args);
    command.arg(format!("--user-data-dir={}", home.path("profile").display()));
    command.arg(format!("file://{}", home.path("report.html").display()));
    command.stderr(Stdio::null());
    Some(command)
}

#[test]
fn a_browser_shows_the_page_and_its_tables_can_be_sorted() {
    let home = Home::new();
    let Some(command) = browser(&home, &["--dump-dom"]) else {
        println!("skipped: there is no chromium on this machine");
        return;
    };
    of_the_pack(&home);
    let shown = finish(command, b"");
    // The page's own script put the buttons there: its policy lets it run.
    let button = "<button type=\"button\" title=\"sort by this column\">cases</button>";
    assert!(shown.stdout.contains(button), "{}", shown.stdout);
    assert_eq!(shown.stdout.matches("<script").count(), 1);
    assert!(!shown.stdout.contains("<img"));
}

/// A table of routes that takes more than a sheet, printed and read back as text, a sheet an item.
#[test]
fn on_paper_tables_have_their_heads_on_every_sheet_and_nothing_wants_a_hand() {
    let home = Home::new();
    let print = format!("--print-to-pdf={}", home.path("report.pdf").display());
    let browser = browser(&home, &["--no-pdf-header-footer", &print]);
    let (Some(browser), Some(pdftotext)) = (browser, program(&["pdftotext"])) else {
        println!("skipped: there is no chromium or no pdftotext on this machine");
        return;
    };
    of_plain_labels(&home, 60, &[]).0.ended(0);
    finish(browser, b"");
    let mut reader = Command::new(pdftotext);
    reader.arg("-layout").arg(home.path("report.pdf")).arg("-");
    let text = finish(reader, b"").stdout;
    let sheets: Vec<&str> = text.split('\u{c}').collect();
    // Its precision and its recall.
    let row = |line: &str| line.trim_start().starts_with("kind") && line.matches('%').count() == 2;
    let of_routes: Vec<&&str> = sheets.iter().filter(|sheet| sheet.lines().any(row)).collect();
    assert!(of_routes.len() > 1, "{text}");
    for sheet in of_routes {
        assert!(sheet.contains("mean confidence"), "{sheet}");
    }
    for control in ["The same in numbers", "\u{2195}", "Worst errors\n"] {
        assert!(!text.contains(control), "`{control}` is on paper: {text}");
    }
}

//! Pictures of answers: files for people, data for programs, images for MCP clients.

#[cfg(all(feature = "png", target_os = "linux"))]
mod hostile;

use std::path::Path;

use serde_json::json;

use crate::support::{Home, McpClient, NOW};

/// A pack of one tool that draws two maps.
const PACK: &str = "\
name: wards
summary: Draws maps of malaria risk, and talks about them.
format: 1
languages: [en]
tz: Africa/Lagos
routes:
  - { name: tool, handler: tool, summary: The user wants a map drawn. }
  - { name: explain, handler: explain, summary: The user asks what something means. }
fallback: explain
servers:
  - { name: wards, demo: malaria }
tools:
  - name: create_vulnerability_map
    server: wards
    summary: A map of the wards' malaria risk.
    schema:
      type: object
      additionalProperties: false
      properties:
        method: { type: string, enum: [composite, pca, both] }
    arguments:
      method: { default: both }
    answer: { en: \"The risk of {{ result.wards_count }} wards.\" }
prompts:
  role: You draw maps.
";

fn home() -> (Home, String) {
    let home = Home::new();
    home.write("pack/pack.yaml", PACK);
    let verbs = ["draw", "show me", "make", "give me", "plot", "I want"];
    let maps = ["the risk map", "a map of the risk", "a vulnerability map", "the wards on a map"];
    let asks = ["what is", "explain", "tell me about", "what does", "why is there", "who needs"];
    let things = ["malaria", "a ward", "principal component", "an index mean"];
    let mut examples = String::new();
    for (verb, ask) in verbs.iter().zip(asks) {
        for (map, thing) in maps.iter().zip(things) {
            let tool = json!({
                "text": format!("{verb} {map}"), "lang": "en", "route": "tool",
                "tools": ["create_vulnerability_map"],
            });
            let talk =
                json!({ "text": format!("{ask} {thing}"), "lang": "en", "route": "explain" });
            examples += &format!("{tool}\n{talk}\n");
        }
    }
    home.write("pack/examples.jsonl", &examples);
    let pack = home.path("pack").to_string_lossy().into_owned();
    (home, pack)
}

const QUESTION: &str = "draw the risk map";

#[test]
fn a_person_gets_files_and_where_they_are() {
    let (home, pack) = home();
    let run = home.ask(&["--pack", &pack, QUESTION]);
    run.ended(0);
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines[0], "The risk of 40 wards.");
    assert_eq!(lines.len(), 3, "{run:?}");
    for (line, method) in lines[1..].iter().zip(["composite", "pca"]) {
        let (title, path) = line.split_once(": ").expect("a path");
        assert_eq!(title, format!("Malaria vulnerability, {method}"));
        assert_eq!(Path::new(path).parent(), Some(home.path("pictures").as_path()));
        let svg = std::fs::read_to_string(path).unwrap();
        assert!(svg.starts_with("<svg ") && svg.contains("synthetic data"));
    }
    // The same pictures are the same files.
    home.ask(&["--pack", &pack, QUESTION]).ended(0);
    assert_eq!(std::fs::read_dir(home.path("pictures")).unwrap().count(), 2);
}

#[test]
fn a_conversation_says_where_its_pictures_are() {
    let (home, pack) = home();
    let run = home.run_with(&["chat", "--pack", &pack], QUESTION.as_bytes());
    run.ended(0);
    let last = run.stdout.lines().last().unwrap();
    let (title, path) = last.split_once(": ").expect("a path");
    assert_eq!(title, "Malaria vulnerability, pca");
    assert!(Path::new(path).exists(), "{run:?}");
}

#[test]
fn a_program_gets_the_data_and_no_files() {
    let (home, pack) = home();
    let answer = home.envelope(&["--pack", &pack, QUESTION]);
    let images = answer["images"].as_array().expect("images");
    assert_eq!(images.len(), 2, "{answer}");
    assert_eq!(images[0]["mime"], "image/svg+xml");
    assert_eq!(images[1]["title"], "Malaria vulnerability, pca");
    // `<svg ` in base64.
    assert!(images[0]["data"].as_str().unwrap().starts_with("PHN2Zy"));
    assert!(!home.path("pictures").exists());
    let plain = home.envelope(&["海溫多少"]);
    assert!(plain.get("images").is_none(), "{plain}");
}

#[test]
fn an_mcp_client_gets_images_beside_the_envelope() {
    let (home, pack) = home();
    let mut client = McpClient::start(&home, &["--pack", &pack]);
    let arguments = json!({ "query": QUESTION, "query_time": NOW });
    let reply = client.call("router.answer", &arguments);
    let content = reply["result"]["content"].as_array().unwrap();
    assert_eq!(content[0]["text"], "The risk of 40 wards.");
    let kinds: Vec<_> = content.iter().map(|block| block["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["text", "image", "image", "text"]);
    assert_eq!(content[2]["_meta"]["title"], "Malaria vulnerability, pca");
    let kind = if cfg!(feature = "png") { "image/png" } else { "image/svg+xml" };
    assert_eq!([&content[1]["mimeType"], &content[2]["mimeType"]], [kind, kind]);
    assert!(reply["result"]["structuredContent"].get("images").is_none());
    assert_eq!(client.leave(), 0);
}

#[test]
fn a_folder_that_cannot_be_written_costs_the_pictures_only() {
    let (home, pack) = home();
    home.write("pictures", "in the way");
    let run = home.ask(&["--pack", &pack, QUESTION]);
    run.ended(0).told(&["the picture `Malaria vulnerability, pca` is not kept: "]);
    assert_eq!(run.stdout, "The risk of 40 wards.\n");
}

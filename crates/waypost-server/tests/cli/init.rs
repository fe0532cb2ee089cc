//! `--mcp` and `waypost init`: the tools of servers that nobody has written a pack for.

use std::fs;

use serde_json::{Value as Json, json};

use crate::support::{Home, NOW, WAYPOST};

/// The command of the sample server of a pack, as `--mcp` takes it.
fn demo(name: &str) -> String {
    format!("'{WAYPOST}' demo {name} --now {NOW}")
}

/// A home, and the folder of a pack that init wrote there.
fn made(home: &Home, servers: &[&str]) -> String {
    let folder = home.path("tools").to_string_lossy().into_owned();
    let mut args = vec!["init"];
    servers.iter().for_each(|server| args.extend(["--mcp", server]));
    args.push(&folder);
    home.run(&args).ended(0);
    folder
}

fn names(catalog: &Json) -> Vec<String> {
    let tools = catalog["tools"].as_array().unwrap().iter();
    tools.map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

fn edit(folder: &str, file: &str, edit: impl Fn(String) -> String) {
    let path = std::path::Path::new(folder).join(file);
    let text = fs::read_to_string(&path).unwrap();
    let edited = edit(text.clone());
    assert_ne!(text, edited, "{file} was not edited");
    fs::write(path, edited).unwrap();
}

#[test]
fn a_server_needs_no_files() {
    let home = Home::new();
    let ocean = demo("ocean");
    let catalog = home.run(&["tools", "--json", "--mcp", &ocean]).ended(0).json();
    assert!(names(&catalog).contains(&"tide.forecast".to_owned()), "{catalog}");
    let run = home.run(&["ask", "--mcp", &ocean, "tide forecast for 25.15, 121.75 on 2025-11-05"]);
    run.ended(0);
    assert!(!run.stdout.trim().is_empty());
    home.run(&["lint", "--mcp", &ocean]);
    let doctor = home.run(&["doctor", "--mcp", &ocean]);
    assert!(doctor.stdout.contains("server ocean"), "{doctor:?}");
    let both = home.run(&["ask", "--mcp", &ocean, "--pack", "ocean", "x"]);
    both.ended(2).told(&["--pack", "--mcp"]);
}

#[test]
fn tools_of_one_name_say_whose_they_are() {
    let home = Home::new();
    let (a, b) = (format!("a={}", demo("ocean")), format!("b={}", demo("ocean")));
    let folder = made(&home, &[&a, &b]);
    let catalog = home.run(&["tools", "--json", "--pack", &folder]).ended(0).json();
    let names = names(&catalog);
    assert!(names.contains(&"a_tide.forecast".to_owned()), "{names:?}");
    assert!(names.contains(&"b_tide.forecast".to_owned()), "{names:?}");
    // They are called by the name that their server knows.
    edit(&folder, "pack.yaml", |text| text.replace("selection: catalog", "selection: student"));
    edit(&folder, "pack.yaml", |text| text.replacen("name: a_tide.forecast", "name: only", 1));
    let doctor = home.run(&["doctor", "--pack", &folder]);
    assert!(!doctor.stdout.contains("name its tools in the pack"), "{doctor:?}");
}

#[test]
fn a_dead_server_leaves_the_others() {
    let home = Home::new();
    let run =
        home.run(&["tools", "--json", "--mcp", &demo("ocean"), "--mcp", "dead=/no/such/program"]);
    run.ended(0).told(&["warning: without `dead`"]);
    let none = home.run(&["ask", "--mcp", "dead=/no/such/program", "hello"]);
    none.ended(4).told(&["hint: "]);
    home.run(&["ask", "--mcp", "a 'b", "hello"]).ended(2).told(&["not closed"]);
}

#[test]
fn init_writes_a_pack_that_loads_and_updates_keep_edits() {
    let home = Home::new();
    let folder = made(&home, &[&demo("ocean")]);
    let run = home.run(&["init", "--mcp", &demo("ocean"), &folder]);
    run.ended(2).told(&["not empty", "--update"]);
    home.run(&["route", "--pack", &folder, "tide forecast at Keelung"]).ended(0);
    edit(&folder, "pack.yaml", |text| {
        let (before, after) = text.rsplit_once("    summary: ").unwrap();
        let (_, after) = after.split_once('\n').unwrap();
        format!("{before}    summary: My own words # mine\n{after}")
    });
    let update = home.run(&["init", "--update", &folder]);
    update.ended(0);
    assert!(update.stdout.contains("kept as edited: "), "{update:?}");
    let page = fs::read_to_string(format!("{folder}/pack.yaml")).unwrap();
    assert!(page.contains("summary: My own words # mine"), "{page}");
    let again =
        home.run(&["init", "--update", "--mcp", &format!("b={}", demo("malaria")), &folder]);
    assert!(again.ended(0).stdout.contains("new: "), "{again:?}");
}

#[test]
fn what_a_server_says_otherwise_is_in_quarantine_until_it_is_accepted() {
    let home = Home::new();
    let folder = made(&home, &[&demo("ocean")]);
    edit(&folder, "tools.lock.json", |text| {
        let mut lock: Json = serde_json::from_str(&text).unwrap();
        lock["tools"]["tide.forecast"]["accepted"] = json!("0");
        lock.to_string()
    });
    let doctor = home.run(&["doctor", "--pack", &folder]);
    assert!(
        doctor.stdout.contains("in quarantine") && doctor.stdout.contains("tide.forecast"),
        "{doctor:?}"
    );
    let run = home.run(&["tools", "accept", "--json", "--pack", &folder]);
    assert_eq!(run.ended(0).json(), json!({ "accepted": ["tide.forecast"] }));
    let run = home.run(&["tools", "accept", "--pack", &folder]);
    assert!(run.ended(0).stdout.contains("nothing changed"), "{run:?}");
    home.run(&["tools", "accept", "--pack", "ocean"]).ended(2).told(&["only a pack in a folder"]);
    home.run(&["tools", "accept", "--pack", &folder, "tide.forcast"])
        .ended(2)
        .told(&["tide.forecast"]);
}

#[test]
fn the_file_of_another_client_is_taken_without_its_secrets() {
    let home = Home::new();
    let file = format!(
        "{{ // mine\n \"mcpServers\": {{ \"sea\": {{ \"command\": {WAYPOST:?}, \"args\": [\"demo\", \"ocean\"], \"env\": {{ \"API_KEY\": \"sk-1\", }} }}, }}, }}"
    );
    home.write("client.json", &file);
    let (file, folder) = (home.path("client.json"), home.path("sea"));
    let run = home.run(&["init", "--config", &file.to_string_lossy(), &folder.to_string_lossy()]);
    run.ended(0).told(&["set the environment variable `API_KEY`"]);
    let page = fs::read_to_string(folder.join("pack.yaml")).unwrap();
    assert!(page.contains("API_KEY") && !page.contains("sk-1"), "{page}");
}

//! `waypost encoder`: taken in from a folder and from a hub, all or nothing, listed, used, removed.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;
use waypost_testing::ModelHub;

use crate::support::Home;

const FILES: [&str; 5] =
    ["config.json", "tokenizer.json", "model.safetensors", "modules.json", "1_Pooling/config.json"];

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../waypost-encoder/fixtures").join(name)
}

fn add(home: &Home, folder: &Path, more: &[&str]) -> crate::support::Run {
    home.run(&[&["encoder", "add", folder.to_str().unwrap()], more].concat())
}

/// Returns the names of what lies in the folder of encoders.
fn kept(home: &Home) -> Vec<String> {
    let Ok(entries) = fs::read_dir(home.path("encoders")) else { return Vec::new() };
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Copies the small encoder into the home, with a file changed.
fn damaged(home: &Home, file: &str, change: impl Fn(Vec<u8>) -> Vec<u8>) -> PathBuf {
    for name in FILES {
        let bytes = fs::read(fixture("bert").join(name)).unwrap();
        let bytes = if name == file { change(bytes) } else { bytes };
        let target = home.path("damaged").join(name);
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        fs::write(target, bytes).unwrap();
    }
    home.path("damaged")
}

/// A change to the bytes of a file.
type Damage<'a> = &'a dyn Fn(Vec<u8>) -> Vec<u8>;

#[test]
fn a_folder_is_taken_in_listed_used_and_removed() {
    let home = Home::new();
    let added = add(&home, &fixture("bert"), &[]);
    added.ended(0).told(&["WAYPOST_ENCODER=bert"]);
    assert!(added.stdout.starts_with("added bert: bert, 48 dimensions"), "{}", added.stdout);
    add(&home, &fixture("xlm-roberta"), &["--name", "many-languages"]).ended(0);
    let home = home.set("WAYPOST_ENCODER", "bert");
    let listed = home.run(&["encoder", "list", "--json"]).json();
    assert_eq!(listed[0]["name"], "bert");
    assert_eq!((&listed[0]["used"], &listed[1]["used"]), (&json!(true), &json!(false)));
    assert_eq!(
        (&listed[1]["name"], &listed[1]["kind"]),
        (&json!("many-languages"), &json!("xlm-roberta"))
    );
    let text = home.run(&["encoder", "list"]).stdout;
    assert!(text.lines().next().unwrap().ends_with("(in use)"), "{text}");
    home.decision(&["tides at Keelung tomorrow"]);
    home.run(&["encoder", "remove", "many-languages"]).ended(0);
    assert_eq!(kept(&home), ["bert"]);
}

#[test]
fn a_damaged_folder_leaves_nothing_behind() {
    let cut = |bytes: Vec<u8>| bytes[..bytes.len() / 2].to_vec();
    let other = |bytes: Vec<u8>| {
        String::from_utf8(bytes)
            .unwrap()
            .replace("\"hidden_size\": 48", "\"hidden_size\": 24")
            .into()
    };
    let cases: [(&str, Damage, &str); 3] = [
        ("model.safetensors", &cut, "is cut off"),
        ("tokenizer.json", &cut, "`tokenizer.json` is not what it should be"),
        ("config.json", &other, "and [32, 24] is expected"),
    ];
    for (file, change, message) in cases {
        let home = Home::new();
        let folder = damaged(&home, file, change);
        add(&home, &folder, &[]).ended(3).told(&[message, "hint: "]);
        assert_eq!(kept(&home), Vec::<String>::new());
    }
    let home = Home::new();
    add(&home, Path::new("./nowhere"), &[]).ended(2).told(&["there is no folder `./nowhere`"]);
}

#[test]
fn a_name_that_is_taken_or_none_is_refused() {
    let home = Home::new();
    add(&home, &fixture("bert"), &[]).ended(0);
    add(&home, &fixture("bert"), &[])
        .ended(3)
        .told(&["there is an encoder `bert` already", "--name"]);
    add(&home, &fixture("bert"), &["--name", "../x"]).ended(2).told(&["cannot be the name"]);
    home.run(&["encoder", "remove", "bret"]).ended(4).told(&["no encoder `bret`", "`bert`"]);
}

#[test]
fn a_configured_encoder_that_is_not_there_is_told_at_the_start() {
    let home = Home::with_config("[encoder]\nname = \"minilm\"\nprecision = \"int8\"\n");
    let run = home.ask(&["tides at Keelung tomorrow"]);
    run.ended(4).told(&["there is no encoder `minilm`", "waypost encoder add"]);
    let home = Home::with_config("[encoder]\nprecision = \"int4\"\n");
    home.ask(&["tides"]).ended(2).told(&["unknown precision `int4`, known: f32, int8"]);
}

fn hub(name: &str) -> ModelHub {
    FILES.iter().fold(ModelHub::new(name), |hub, file| {
        hub.file(file, &fs::read(fixture("bert").join(file)).unwrap(), None)
    })
}

fn with_hub(url: &str) -> Home {
    Home::with_config(&format!("[encoder]\nhub = \"{url}\"\n"))
}

#[test]
fn a_model_is_downloaded_and_a_broken_download_goes_on() {
    let broken = hub("owner/small").breaking_after(20_000).start();
    let home = with_hub(&broken.url());
    home.run(&["encoder", "add", "owner/small"])
        .ended(4)
        .told(&["broke off 5 times", "run the command again"]);
    assert_eq!(home.run(&["encoder", "list", "--json"]).json(), json!([]));
    let whole = hub("owner/small").start();
    home.write("waypost.toml", &format!("[encoder]\nhub = \"{}\"\n", whole.url()));
    let added = home.run(&["encoder", "add", "owner/small"]);
    added.ended(0);
    assert!(added.stdout.starts_with("added small: bert, 48 dimensions"), "{}", added.stdout);
    let asked = whole.requests();
    assert!(asked.iter().any(|path| path.ends_with("model.safetensors 100000-")), "{asked:?}");
    assert_eq!(kept(&home), ["small"]);
}

#[test]
fn a_name_without_an_owner_is_of_the_usual_one() {
    let server = hub("sentence-transformers/small").start();
    with_hub(&server.url()).run(&["encoder", "add", "small"]).ended(0);
}

#[test]
fn what_the_hub_does_not_have_is_said() {
    let files = ModelHub::new("owner/other").file("config.json", b"{}", None).start();
    let home = with_hub(&files.url());
    let run = home.run(&["encoder", "add", "owner/other"]);
    run.ended(3).told(&["`owner/other` has no file `tokenizer.json`", "give the folder's path"]);
    home.run(&["encoder", "add", "owner/none"]).ended(4).told(&["no model `owner/none`"]);
    drop(files);
    home.run(&["encoder", "add", "owner/other"]).told(&["cannot be reached", "hint: "]);
}

#[test]
fn a_table_is_distilled_used_and_carried_by_the_bundles_that_need_it() {
    let home = Home::with_config("[student]\ntable = \"small.table\"\n");
    for name in ["bert", "xlm-roberta"] {
        add(&home, &fixture(name), &[]).ended(0);
        let out = home.path("small.table").display().to_string();
        let args = ["encoder", "distill", name, "--dimensions", "16", "--out", &out, "--json"];
        let made = home.run(&args).ended(0).json();
        assert_eq!(made["dimensions"], 16, "{made}");
        assert!(made["pieces"].as_u64().unwrap() > 10, "{made}");
        home.decision(&["tides at Keelung tomorrow"]);
    }
    // A bundle is whole by itself, wherever it is used.
    let bundle = home.path("ocean.bundle").display().to_string();
    home.run(&["train", "--out", &bundle]).ended(0);
    let elsewhere = Home::new();
    elsewhere.decision(&["--student", &bundle, "tides at Keelung tomorrow"]);

    fs::write(home.path("small.table"), "nothing of the kind").unwrap();
    let run = home.run(&["route", "tides at Keelung tomorrow"]);
    run.ended(2).told(&["small.table: the static table is damaged", "hint: "]);
    let run = home.run(&["encoder", "distill", "brt"]);
    run.ended(4).told(&["there is no encoder `brt`", "`bert`"]);
}

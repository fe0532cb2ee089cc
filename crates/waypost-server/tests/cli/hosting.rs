//! `waypost serve` where others reach it: several packs, keys, and packs that change while it runs.

use std::fs;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use crate::serve::{Serving, Site};
use crate::support::{Home, NOW, copy, root};

const JSON: (&str, &str) = ("content-type", "application/json");
/// A time longer than reading a pack again takes.
const SOON: Duration = Duration::from_secs(60);

fn catalog(site: Site, headers: &[(&str, &str)]) -> Vec<Json> {
    let (status, body) = site.ask("GET", "/v1/catalog", headers, "");
    assert_eq!(status, 200, "{body}");
    serde_json::from_str::<Json>(&body).unwrap()["packs"].as_array().unwrap().clone()
}

/// Makes a key, and returns the header that sends it.
fn key(home: &Home, args: &[&str]) -> String {
    let run = home.run(&[&["keys", "add"], args].concat());
    run.ended(0);
    format!("Bearer {}", run.stdout.trim())
}

#[test]
fn packs_are_asked_by_name_and_know_nothing_of_each_other() {
    let home = Home::new();
    let serving = Serving::start(&home, &["--pack", "ocean", "--pack", "malaria"]);
    let site = serving.site;
    let names: Vec<Json> = catalog(site, &[]).iter().map(|pack| pack["name"].clone()).collect();
    assert_eq!(names, ["ocean", "malaria"]);
    // The question of one pack is not open in the other, though the conversation has one name.
    let asked = |text: &str, pack: &str| json!({ "text": text, "now": NOW, "session": "ana", "pack": pack });
    let question = site.json("POST", "/v1/answer", &asked("tide", "ocean"));
    assert_eq!(question["mode"], "clarify");
    let other = site.json("POST", "/v1/answer", &asked("Keelung", "malaria"));
    assert_ne!(other["source"], "tide.forecast", "{other}");
    let answer = site.json("POST", "/v1/answer", &asked("Keelung", "ocean"));
    assert_eq!(answer["source"], "tide.forecast", "{answer}");
    let unknown = asked("x", "malariaa").to_string();
    let (status, problem) = site.ask("POST", "/v1/route", &[JSON], &unknown);
    assert_eq!(status, 404);
    assert!(
        problem.contains("did you mean `malaria`?") && problem.contains("\"/pack\""),
        "{problem}"
    );
    drop(serving);
    for (name, says) in [("malaria/ana", "nothing is kept"), ("ana", "removed what was kept")] {
        let run = home.run(&["forget", name, "--yes"]);
        assert!(run.ended(0).stdout.contains(says), "{name}: {run:?}");
    }
}

#[test]
fn a_pack_that_changed_serves_and_one_with_faults_changes_nothing() {
    let home = Home::new();
    let folder = home.pack(&[]);
    let admin = key(&home, &["admin", "--scope", "ask", "--scope", "admin"]);
    let serving = Serving::start(&home, &["--pack", &folder]);
    let (site, headers) = (serving.site, [("authorization", admin.as_str())]);
    let id = || catalog(site, &headers)[0]["id"].clone();
    let first = id();
    let file = format!("{folder}/pack.yaml");
    let whole = fs::read_to_string(&file).unwrap();
    let summary = whole.lines().find(|line| line.starts_with("summary:")).unwrap();
    fs::write(&file, whole.replacen(summary, "summary: Something else.", 1)).unwrap();
    let begin = Instant::now();
    while id() == first {
        assert!(begin.elapsed() < SOON, "the change is not taken up");
        sleep(Duration::from_millis(100));
    }
    let second = id();
    fs::write(&file, format!("{whole}\nno_such_key: 1\nanother: 2\n")).unwrap();
    let (status, done) = site.ask("POST", "/v1/reload", &headers, "");
    let done: Json = serde_json::from_str(&done).unwrap();
    assert_eq!((status, &done["packs"][0]["taken"]), (200, &json!(false)), "{done}");
    let faults = done["packs"][0]["faults"].as_str().unwrap();
    assert!(faults.contains("no_such_key") && faults.contains("pack.yaml:"), "{faults}");
    assert_eq!(id(), second, "the pack of before goes on");
    let asked = json!({ "text": "tide at Keelung", "now": NOW }).to_string();
    let (status, _) = site.ask("POST", "/v1/route", &[JSON, headers[0]], &asked);
    assert_eq!(status, 200);
}

#[test]
fn keys_are_made_shown_once_rotated_and_revoked_and_a_running_server_knows() {
    let home = Home::new();
    let first = key(&home, &["page", "--pack", "ocean"]);
    let id = first.split('_').nth(1).unwrap().to_owned();
    let listed = home.run(&["keys"]);
    assert!(listed.stdout.contains(&id) && !listed.stdout.contains(&first["Bearer ".len()..]));
    assert!(listed.stdout.contains("packs=ocean no models"), "{}", listed.stdout);
    let serving = Serving::start(&home, &[]);
    let site = serving.site;
    let asked = json!({ "text": "tide at Keelung", "now": NOW }).to_string();
    let status =
        |key: &str| site.ask("POST", "/v1/route", &[JSON, ("authorization", key)], &asked).0;
    let soon = |key: &str, wanted: u16| {
        let begin = Instant::now();
        while status(key) != wanted {
            assert!(begin.elapsed() < SOON, "{key} is not {wanted}");
            sleep(Duration::from_millis(100));
        }
    };
    assert_eq!((status(&first), status("Bearer x")), (200, 401));
    let rotated = home.run(&["keys", "rotate", &id]);
    let second = format!("Bearer {}", rotated.ended(0).stdout.trim());
    soon(&second, 200);
    assert_eq!(status(&first), 401);
    home.run(&["keys", "revoke", &id]).ended(0);
    soon(&second, 401);
    let audit = fs::read_to_string(home.path("audit.jsonl")).unwrap();
    let done: Vec<Json> = audit.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let what: Vec<&Json> = done.iter().map(|line| &line["what"]).collect();
    assert_eq!(what, ["key_added", "key_rotated", "key_revoked"]);
    home.run(&["keys", "rotate", &id]).ended(3).told(&["does not count any more"]);
}

#[test]
fn other_machines_are_served_with_keys_alone() {
    let home = Home::new();
    let refused = home.run(&["serve", "--listen", "0.0.0.0:0"]);
    refused.ended(2).told(&["can be reached from other machines", "waypost keys add"]);
    home.run(&["keys", "add", ""]).ended(2).told(&["a key needs a name"]);
    home.run(&["keys", "add", "x", "--expires", "soon"]).ended(2).told(&["`--expires` is `soon`"]);
    home.run(&["serve", "--tls-cert", "a.pem"]).ended(2).told(&["--tls-key"]);
    let twice = ["serve", "--listen", "127.0.0.1:0", "--pack", "ocean", "--pack", "ocean"];
    home.run(&twice).ended(2).told(&["two packs have the name `ocean`"]);
}

#[test]
fn a_configuration_with_faults_changes_nothing_and_is_told_once() {
    let home = Home::with_config("[learning]\ndrift = false\n");
    let admin = key(&home, &["admin", "--scope", "ask", "--scope", "admin"]);
    let serving = Serving::start(&home, &[]);
    let headers = [("authorization", admin.as_str())];
    let id = || catalog(serving.site, &headers)[0]["id"].clone();
    let first = id();
    home.write("waypost.toml", "[nothing]\n");
    let refused = || {
        let (_, metrics) = serving.site.ask("GET", "/metrics", &headers, "");
        let line = "waypost_reloads_total{taken=\"false\"} ";
        let count = metrics.lines().find_map(|found| found.strip_prefix(line)?.parse().ok());
        count.unwrap_or(0.0)
    };
    let begin = Instant::now();
    while refused() < 1.0 {
        assert!(begin.elapsed() < SOON, "nobody looks");
        sleep(Duration::from_millis(100));
    }
    // Longer than the time between two looks.
    sleep(Duration::from_secs(3));
    assert_eq!((refused(), id()), (1.0, first));
}

/// A copy of the smallest pack under another name, edited; returns its folder.
fn small(home: &Home, name: &str, edits: &[(&str, &str)]) -> String {
    let folder = home.path(name);
    copy(&root().join("examples/packs/minimal"), &folder);
    let named = format!("name: {name}");
    edit(&folder.join("pack.yaml"), &[&[("name: minimal", named.as_str())], edits].concat());
    folder.to_string_lossy().into_owned()
}

fn edit(file: &std::path::Path, edits: &[(&str, &str)]) {
    let mut text = fs::read_to_string(file).unwrap();
    for (from, to) in edits {
        assert!(text.contains(from), "{} has no `{from}`", file.display());
        text = text.replacen(from, to, 1);
    }
    fs::write(file, text).unwrap();
}

fn asked(site: Site, pack: Option<&str>) -> (u16, Json) {
    let body = json!({ "text": "tides at Keelung", "now": NOW, "pack": pack });
    let (status, body) = site.ask("POST", "/v1/route", &[JSON], &body.to_string());
    (status, serde_json::from_str(&body).unwrap())
}

#[test]
fn a_pack_that_is_bad_at_the_start_is_told_with_its_line_and_the_others_serve() {
    let home = Home::new();
    let good = small(&home, "good", &[]);
    let zone = ("tz: Asia/Taipei", "tz: Asia/Taipeh");
    let old = small(&home, "old", &[zone]);
    let serving = Serving::start(&home, &["--pack", &good, "--pack", &old]);
    let (site, said) = (serving.site, serving.said.join("\n"));
    assert!(said.contains("the pack `old` is not in service"), "{said}");
    assert!(said.contains("pack.yaml:6") && said.contains("Asia/Taipeh"), "{said}");
    assert_eq!(asked(site, None).0, 200);
    let (status, problem) = asked(site, Some("old"));
    assert_eq!((status, &problem["code"]), (503, &json!("UNAVAILABLE")), "{problem}");
    assert!(problem["detail"].as_str().unwrap().contains("`old` has faults"), "{problem}");
    let (status, ready) = site.ask("GET", "/readyz", &[], "");
    assert_eq!(status, 200);
    assert!(ready.starts_with("ready") && ready.contains("old"), "{ready}");
    let packs = catalog(site, &[]);
    assert_eq!((&packs[0]["name"], &packs[1]["name"]), (&json!("good"), &json!("old")));
    assert_eq!((&packs[0]["in_service"], &packs[1]["in_service"]), (&Json::Null, &json!(false)));
    assert!(packs[1]["faults"].as_str().unwrap().contains("pack.yaml:6"), "{}", packs[1]);
    // It serves once it is mended, without a restart.
    edit(&home.path("old/pack.yaml"), &[(zone.1, zone.0)]);
    let begin = Instant::now();
    while asked(site, Some("old")).0 != 200 {
        assert!(begin.elapsed() < SOON, "the change is not taken up");
        sleep(Duration::from_millis(100));
    }
    assert_eq!(site.ask("GET", "/readyz", &[], ""), (200, "ready\n".to_owned()));
    assert_eq!(catalog(site, &[])[1]["tools"][0]["name"], "tide.forecast");
}

#[test]
fn no_other_pack_takes_the_place_of_the_first_and_without_any_the_server_does_not_start() {
    let home = Home::new();
    let good = small(&home, "good", &[]);
    let torn = small(&home, "torn", &[("fallback: explain", "fallback: [explain")]);
    let odd = small(&home, "odd", &[]);
    edit(&home.path("odd/examples.jsonl"), &[("\"text\"", "\"txt\"")]);
    let missing = home.path("missing").to_string_lossy().into_owned();
    let args = ["--pack", &torn, "--pack", &good, "--pack", &missing, "--pack", &odd];
    let serving = Serving::start(&home, &args);
    let said = serving.said.join("\n");
    for told in ["pack.yaml:", "there is no pack", "examples.jsonl:1"] {
        assert!(said.contains(told), "{told}: {said}");
    }
    let (status, problem) = asked(serving.site, None);
    assert_eq!(status, 503, "{problem}");
    assert!(problem["hint"].as_str().unwrap().contains("name another pack"), "{problem}");
    assert_eq!(asked(serving.site, Some("good")).0, 200);
    assert_eq!(asked(serving.site, Some("nothing")).0, 404);
    let (_, ready) = serving.site.ask("GET", "/readyz", &[], "");
    assert!(ready.contains("torn, missing, odd"), "{ready}");
    drop(serving);
    let all_bad = ["serve", "--listen", "127.0.0.1:0", "--pack", &torn, "--pack", &odd];
    home.run(&all_bad).ended(2).told(&["the pack `", "torn` has 1 fault", "pack.yaml:"]);
}

#[test]
fn whoever_has_no_key_learns_of_bad_packs_by_their_number_alone() {
    let home = Home::new();
    let good = small(&home, "good", &[]);
    let secret = small(&home, "secret", &[("tz: Asia/Taipei", "tz: Nowhere")]);
    let admin = key(&home, &["admin", "--scope", "ask", "--scope", "admin"]);
    let asks = key(&home, &["asks", "--scope", "ask"]);
    let other = key(&home, &["other", "--scope", "ask", "--pack", "good"]);
    let serving = Serving::start(&home, &["--pack", &good, "--pack", &secret]);
    let (_, ready) = serving.site.ask("GET", "/readyz", &[], "");
    assert!(ready.contains("not in service: 1") && !ready.contains("secret"), "{ready}");
    let of = |key: &str| catalog(serving.site, &[("authorization", key)]);
    assert!(of(&admin)[1]["faults"].as_str().unwrap().contains("Nowhere"));
    assert_eq!((&of(&asks)[1]["name"], &of(&asks)[1]["faults"]), (&json!("secret"), &Json::Null));
    assert_eq!(of(&other).len(), 1);
    let (_, done) = serving.site.ask("POST", "/v1/reload", &[("authorization", &admin)], "");
    let done: Json = serde_json::from_str(&done).unwrap();
    assert_eq!(
        (&done["packs"][1]["taken"], &done["packs"][1]["now"]),
        (&json!(false), &Json::Null)
    );
}

#[test]
fn s3_28_a_capability_that_is_added_while_the_server_runs_serves_with_its_examples() {
    const TOOL: &str = "
  - name: ghrsst.point_value
    server: ocean
    summary: The temperature of the sea at one point on a day.
    schema:
      type: object
      required: [longitude, latitude]
      properties:
        longitude: { type: number, minimum: -180, maximum: 180 }
        latitude: { type: number, minimum: -90, maximum: 90 }
    arguments:
      longitude: { kind: point, part: longitude, suggest: [keelung, kaohsiung] }
      latitude: { kind: point, part: latitude }
";
    let home = Home::new();
    let folder = small(&home, "good", &[]);
    let serving = Serving::start(&home, &["--pack", &folder]);
    let warm = || {
        let body = json!({ "text": "how warm is the sea at Keelung", "now": NOW });
        let record = serving.site.json("POST", "/v1/route", &body);
        (record["decision"] == "run").then(|| record["calls"][0]["tool"].clone())
    };
    assert_ne!(warm(), Some(json!("ghrsst.point_value")));
    let file = home.path("good/examples.jsonl");
    let mut examples = fs::read_to_string(&file).unwrap();
    for text in [
        "how warm is the water at Keelung",
        "sea temperature at Kaohsiung today",
        "is the sea warm at Kaohsiung",
        "water temperature Keelung Harbor",
        "how cold is the sea near Keelung",
        "temperature of the sea at 121.7E 25.1N",
    ] {
        let line =
            json!({ "text": text, "lang": "en", "route": "tool", "tools": ["ghrsst.point_value"] });
        examples.push_str(&format!("{line}\n"));
    }
    fs::write(&file, examples).unwrap();
    edit(&home.path("good/pack.yaml"), &[("\npolicy:", &format!("{TOOL}\npolicy:"))]);
    let begin = Instant::now();
    while warm() != Some(json!("ghrsst.point_value")) {
        assert!(begin.elapsed() < SOON, "the new capability does not serve");
        sleep(Duration::from_millis(100));
    }
}

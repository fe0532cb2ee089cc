//! Tool servers that end or hang at their start: their last words are shown and the wait has a sign of life and an end; and
//! what of the environment they get.

use std::fs;
use std::thread;

use serde_json::{Value as Json, json};

use crate::odd_servers::server;
use crate::serve::Serving;
use crate::support::{Home, Run, named_server, root};

const HARBORS: &str = r#"TOOLS = [tool("list_harbors", "List all harbors of the coast."), tool("get_forecast", "Get the weather forecast for tomorrow.")]"#;

/// Runs each command that starts the servers of `--mcp`, all at once.
fn by_each_command(home: &Home, server: &str) -> Vec<Run> {
    let folder = home.path("pack").to_string_lossy().into_owned();
    let commands: [&[&str]; 5] =
        [&["ask", "hello"], &["chat"], &["init", &folder], &["doctor"], &["tools"]];
    thread::scope(|scope| {
        let runs = commands
            .map(|args| scope.spawn(move || home.run(&[args, &["--mcp", server]].concat())));
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    })
}

#[test]
fn a_server_that_ends_at_its_start_is_told_with_its_last_words_at_every_log_level() {
    let home = Home::new().set("RUST_LOG", "off");
    let ends = r#"
print("line " * 900 + "\n\x1b[31mcannot reach the index through the proxy", file=sys.stderr)
sys.exit(3)
"#;
    for run in by_each_command(&home, &server(&home, ends)) {
        run.told(&[
            "`odd` ended before it was ready",
            "the index through the proxy (exit status: 3)",
        ]);
        assert!(!run.stderr.contains("does not speak MCP"), "{run:?}");
        assert!(!run.stderr.contains('\u{1b}') && run.stderr.len() < 2_000, "{run:?}");
    }
}

#[test]
fn a_server_of_a_pack_that_ends_at_its_start_is_told_by_the_doctor() {
    let python = if cfg!(windows) { "python" } else { "python3" };
    let ends = [python, "-c", "import sys; sys.exit('cannot reach the index')"];
    let home = Home::with_config(&named_server("ocean", &ends));
    let report = home.run(&["doctor", "--json"]).json();
    let findings = report["checks"].as_array().unwrap().iter();
    let said = findings.filter(|finding| finding["what"] == "server ocean");
    let said: Vec<&str> = said.map(|finding| finding["says"].as_str().unwrap()).collect();
    assert_eq!(
        said,
        [
            "the tool server `ocean` ended before it was ready\ndetails: cannot reach the index (exit status: 1)"
        ]
    );
}

#[test]
fn the_last_words_of_a_server_hold_no_secret() {
    let home = Home::new()
        .set("MY_PASS", "hunter-2000")
        .set("HTTPS_PROXY", "http://user-of-us:open%20sesame@proxy.example:3128");
    let ends = r#"
import base64
print(*sys.argv[1:], os.environ["MY_PASS"], os.environ["HTTPS_PROXY"], file=sys.stderr)
print("as user-of-us", "open sesame", base64.b64encode(b"user-of-us:open sesame").decode(), file=sys.stderr)
sys.exit(3)
"#;
    let server = server(&home, ends)
        + " --api-key sk-12345678 https://h/mcp?token=tk-12345678 --pat pt-12345678 --path /usr/share"
        + " --header 'Authorization: Bearer br-12345678'";
    let run = home.run(&["tools", "--mcp", &server, "--env", "MY_PASS"]);
    run.told(&[
        "--api-key [key] https://h/mcp?token=[key] --pat [key] --path /usr/share",
        "[key] http://[key]@proxy.example:3128 | as [key] [key] [key] (exit status: 3)",
    ]);
    for secret in ["hunter", "sesame", "sk-1", "tk-1", "pt-1", "br-1", "user-of-us"] {
        assert!(!run.stderr.contains(secret), "{run:?}");
    }
}

#[test]
fn a_server_that_hangs_at_its_start_is_waited_for_aloud_and_not_long() {
    let home = Home::with_config("[limits]\ntool_server_seconds = 4\n");
    let hangs = r#"
print("still fetching the package", file=sys.stderr, flush=True)
sys.stdin.read()
"#;
    for run in by_each_command(&home, &server(&home, hangs)) {
        run.told(&[
            "waiting for the tool server `odd`, 4 s at most",
            "`odd` was not ready within 4 s",
            "tool_server_seconds",
            "details: still fetching the package",
        ]);
    }
}

#[test]
fn a_server_of_a_pack_that_hangs_at_its_start_is_waited_for_once() {
    let python = if cfg!(windows) { "python" } else { "python3" };
    let hangs = [python, "-c", "import sys; sys.stdin.read()"];
    let limits = "[limits]\ntool_server_seconds = 3\n";
    let home = Home::with_config(&(limits.to_owned() + &named_server("ocean", &hangs)));
    let run = home.run(&["ask", "--pack", "ocean", "tides at Keelung tomorrow"]);
    assert_eq!(run.stderr.matches("waiting for the tool server `ocean`").count(), 1, "{run:?}");
}

#[test]
fn a_server_that_hangs_when_it_is_to_list_its_tools_is_waited_for_aloud_and_not_long() {
    let home = Home::with_config("[limits]\ntool_server_seconds = 4\n");
    let hangs = r#"
class Hanging(list):
    def __getitem__(self, _):
        print("still reading the catalog", file=sys.stderr, flush=True)
        sys.stdin.read()
TOOLS = Hanging()
"#;
    let run = home.run(&["tools", "--mcp", &server(&home, hangs)]);
    run.told(&[
        "waiting for the tools of `odd`, 4 s at most",
        "the tool server `odd` did not list its tools within 4 s",
        "tool_server_seconds",
        "details: still reading the catalog",
    ]);
}

#[test]
fn servers_get_the_proxy_and_certificates_of_the_network_and_what_is_named() {
    let network = [
        ("HTTP_PROXY", "http://p:1"),
        ("https_proxy", "http://p:2"),
        ("NO_PROXY", "localhost"),
        ("ALL_PROXY", "http://p:3"),
        ("SSL_CERT_FILE", "/ca.pem"),
        ("SSL_CERT_DIR", "/ca"),
        ("REQUESTS_CA_BUNDLE", "/ca.pem"),
        ("CURL_CA_BUNDLE", "/ca.pem"),
        ("NODE_EXTRA_CA_CERTS", "/ca.pem"),
        ("PIP_CERT", "/ca.pem"),
    ];
    let own = [("MY_INDEX", "https://index.example"), ("MY_OTHER", "x")];
    let home =
        network.iter().chain(&own).fold(Home::new(), |home, (name, value)| home.set(name, value));
    let writes = format!(
        "open(os.path.join(os.path.dirname(os.path.abspath(__file__)), \"got\"), \"w\").write(json.dumps(dict(os.environ)))\n{HARBORS}"
    );
    let server = server(&home, &writes);
    home.run(&["tools", "--mcp", &server, "--env", "MY_INDEX"]).ended(0);
    let got: Json = serde_json::from_str(&fs::read_to_string(home.path("got")).unwrap()).unwrap();
    for (name, value) in network.iter().chain(&own[..1]) {
        assert_eq!(got[*name], *value, "{name}");
    }
    assert_eq!(got.get("MY_OTHER"), None);
    // What `init` writes names the variable, and not its value.
    let folder = home.path("pack").to_string_lossy().into_owned();
    home.run(&["init", "--mcp", &server, "--env", "MY_INDEX", &folder]).ended(0);
    let pack = fs::read_to_string(home.path("pack/pack.yaml")).unwrap();
    assert!(pack.contains("env: MY_INDEX") && !pack.contains("index.example"), "{pack}");
    let refused = home.run(&["tools", "--mcp", &server, "--env", "MY_INDEX=sk-1"]);
    refused.ended(2).told(&["`--env` takes the name of a variable", "write `--env MY_INDEX`"]);
    assert!(!refused.stderr.contains("sk-1"), "{refused:?}");
}

#[test]
fn servers_are_served_beside_packs() {
    let home = Home::new();
    let minimal = root().join("examples/packs/minimal").to_string_lossy().into_owned();
    let server = server(&home, HARBORS);
    let serving = Serving::start(&home, &["--pack", &minimal, "--mcp", &server]);
    let (_, body) = serving.site.ask("GET", "/v1/catalog", &[], "");
    let catalog: Json = serde_json::from_str(&body).unwrap();
    let names: Vec<&Json> =
        catalog["packs"].as_array().unwrap().iter().map(|pack| &pack["name"]).collect();
    assert_eq!(names, ["minimal", "odd"], "{catalog}");
    let asked = json!({ "text": "list all the harbors of the coast", "pack": "odd" }).to_string();
    let headers = [("content-type", "application/json")];
    let (status, answer) = serving.site.ask("POST", "/v1/answer", &headers, &asked);
    assert!(status == 200 && answer.contains("list_harbors says hello"), "{status}: {answer}");
}

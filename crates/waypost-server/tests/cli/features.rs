//! A program that was built without a feature names the build that has it. In a build with all features only the version is told.

use crate::support::Home;

#[test]
fn the_version_tells_which_features_are_built_in() {
    let run = Home::new().run(&["--version"]);
    run.ended(0);
    let mut lines = run.stdout.lines();
    assert_eq!(lines.next(), Some(concat!("waypost ", env!("CARGO_PKG_VERSION"))));
    let features = lines.next().and_then(|line| line.strip_prefix("features: ")).unwrap();
    let left_out = lines.next().unwrap_or_default();
    let built: Vec<&str> = features.split(", ").collect();
    for (name, is_built) in [
        ("grpc", cfg!(feature = "grpc")),
        ("otlp", cfg!(feature = "otlp")),
        ("parquet", cfg!(feature = "parquet")),
        ("png", cfg!(feature = "png")),
        ("jwt", cfg!(feature = "jwt")),
        ("elasticsearch", cfg!(feature = "elasticsearch")),
        ("encoder", cfg!(feature = "encoder")),
    ] {
        assert_eq!(built.contains(&name), is_built, "{name}: {}", run.stdout);
        assert_eq!(left_out.contains(name), !is_built, "{name}: {}", run.stdout);
    }
    let short = Home::new().run(&["-V"]);
    assert_eq!(short.stdout, format!("waypost {}\n", env!("CARGO_PKG_VERSION")));
}

/// Fails the test unless a command with this `waypost.toml` names the feature and the command that builds it.
#[cfg(not(feature = "full"))]
#[track_caller]
fn names_the_build(config: &str, args: &[&str], thing: &str, feature: &str) {
    let run = Home::with_config(config).run(args);
    run.ended(2).told(&[
        &format!("{thing} needs the feature `{feature}`, which this program was built without"),
        &format!("cargo build --release --features {feature}"),
    ]);
}

#[cfg(not(feature = "otlp"))]
#[test]
fn a_collector_names_the_build_that_can_speak_to_it() {
    let config = "[telemetry]\notlp = \"http://127.0.0.1:4318\"\n";
    names_the_build(config, &["events"], "`[telemetry]`", "otlp");
    // A key that there is not is still told as such.
    let typo = Home::with_config("[telemetry]\notpl = \"http://127.0.0.1:4318\"\n");
    typo.run(&["events"]).ended(2).told(&["unknown field `otpl`"]);
}

#[cfg(not(feature = "jwt"))]
#[test]
fn tokens_name_the_build_that_checks_them() {
    let config = "[jwt]\njwks = \"keys.json\"\nissuer = \"i\"\naudience = \"a\"\n";
    names_the_build(config, &["serve"], "`[jwt]`", "jwt");
}

#[cfg(not(feature = "elasticsearch"))]
#[test]
fn a_search_server_names_the_build_that_asks_it() {
    let config = "[retrieval]\nurl = \"http://127.0.0.1:9200\"\nindex = \"docs\"\n";
    names_the_build(config, &["ask", "tides"], "`[retrieval]`", "elasticsearch");
}

#[cfg(not(feature = "encoder"))]
#[test]
fn an_encoder_names_the_build_that_has_them() {
    let config = "[encoder]\nname = \"minilm\"\n";
    names_the_build(config, &["ask", "tides"], "a sentence encoder", "encoder");
    names_the_build("", &["encoder", "list"], "a sentence encoder", "encoder");
    let home = Home::new().set("WAYPOST_ENCODER", "minilm");
    home.run(&["ask", "tides"]).ended(2).told(&["needs the feature `encoder`"]);
    let help = Home::new().run(&["encoder", "--help"]);
    help.ended(0);
    assert!(help.stdout.contains("distill"), "{help:?}");
}

#[cfg(not(feature = "parquet"))]
#[test]
fn a_table_names_the_build_that_writes_it() {
    let args = ["events", "export", "--format", "parquet", "--out", "/dev/null"];
    names_the_build("", &args, "`--format parquet`", "parquet");
}

#[cfg(not(feature = "grpc"))]
#[test]
fn a_call_of_grpc_ends_with_a_status_that_names_the_build() {
    use crate::serve::{Serving, small_pack};

    let home = Home::new();
    let pack = small_pack(&home);
    let serving = Serving::start(&home, &["--pack", &pack]);
    let headers = [("content-type", "application/grpc")];
    let (head, _) = serving.site.exchange("POST", "/waypost.v1.Assistant/Answer", &headers, "");
    let head = head.to_ascii_lowercase();
    assert!(head.starts_with("http/1.1 200") && head.contains("grpc-status: 12"), "{head}");
    assert!(head.contains("needs the feature `grpc`"), "{head}");
    assert!(head.contains("waypost-hint: build it with `cargo build"), "{head}");
}

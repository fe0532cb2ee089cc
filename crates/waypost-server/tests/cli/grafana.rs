//! The dashboard for Grafana: it can be imported, says what each panel shows, and asks only for
//! metrics that a server has.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use serde_json::{Value as Json, json};

use crate::serve::Serving;
use crate::support::{Home, NOW, WAYPOST, server};

/// The beginning of the name of every metric.
const PREFIX: &str = "waypost_";

#[test]
fn s1_20_every_metric_of_the_dashboard_is_one_that_a_server_has() {
    let home = Home::with_config(&server(&[WAYPOST, "demo", "ocean", "--now", NOW]));
    let serving = Serving::start(&home, &[]);
    let asked = json!({ "text": "tides at Keelung tomorrow", "now": NOW });
    serving.site.json("POST", "/v1/answer", &asked);
    let (status, metrics) = serving.site.ask("GET", "/metrics", &[], "");
    assert_eq!(status, 200, "{metrics}");
    let known = announced(&metrics);
    let mut wrong = Vec::new();
    for (place, query) in queries(&dashboard()) {
        let names = names(&query);
        if names.is_empty() {
            wrong.push(format!("{place}: no metric in `{query}`"));
        }
        let unknown = names.into_iter().filter(|name| !known.contains(*name));
        wrong.extend(unknown.map(|name| format!("{place}: there is no `{name}`")));
    }
    assert!(wrong.is_empty(), "{}\n{metrics}", wrong.join("\n"));
}

#[test]
fn s1_20_the_dashboard_can_be_imported_and_says_what_each_panel_shows() {
    let dashboard = dashboard();
    assert_eq!(dashboard["title"], "Waypost");
    let source = &dashboard["__inputs"][0];
    assert_eq!(source["type"], "datasource");
    assert_eq!(source["pluginId"], "prometheus");
    // The import puts the chosen source in the place of this name.
    let uid = json!(format!("${{{}}}", source["name"].as_str().unwrap()));
    let mut ids = BTreeSet::new();
    for panel in panels(&dashboard) {
        let id = panel["id"].as_u64().unwrap_or_else(|| panic!("no id: {panel}"));
        assert!(ids.insert(id), "two panels have the id {id}");
        assert!(!text(panel, "title").is_empty(), "panel {id} has no title");
        if panel["type"] == "row" {
            continue;
        }
        assert!(text(panel, "description").ends_with('.'), "panel {id} has no description");
        assert!(!targets(panel).is_empty(), "panel {id} shows nothing");
        for target in targets(panel) {
            assert_eq!(target["datasource"]["uid"], uid, "panel {id}");
        }
    }
    assert!(ids.len() > 1, "{dashboard}");
    let queries = queries(&dashboard);
    for part in [
        "sum by (decision) (rate(waypost_turns_total",
        "waypost_decision_duration_seconds_bucket",
        "waypost_turn_duration_seconds_bucket",
    ] {
        assert!(queries.iter().any(|(_, query)| query.contains(part)), "`{part}` is not asked for");
    }
}

#[test]
fn a_metric_that_does_not_exist_is_told_from_one_that_does() {
    let known = announced(
        "# HELP waypost_a_total Of `a`.\n# TYPE waypost_a_total counter\nwaypost_a_total 1\n\
         # TYPE waypost_b_seconds histogram\nwaypost_c_total 1\n",
    );
    let query = "sum by (le) (rate(waypost_b_seconds_bucket{x=~\"$x\"}[5m])) / waypost_b_seconds + \
                 waypost_a_total - waypost_a_total_sum or waypost_c_total";
    let unknown: Vec<&str> =
        names(query).into_iter().filter(|name| !known.contains(*name)).collect();
    assert_eq!(unknown, ["waypost_a_total_sum", "waypost_b_seconds", "waypost_c_total"]);
}

fn dashboard() -> Json {
    let path =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/grafana/waypost.json");
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// The panels, those within folded rows too.
fn panels(of: &Json) -> Vec<&Json> {
    let own = of["panels"].as_array().into_iter().flatten();
    own.flat_map(|panel| std::iter::once(panel).chain(panels(panel))).collect()
}

fn targets(panel: &Json) -> Vec<&Json> {
    panel["targets"].as_array().into_iter().flatten().collect()
}

fn text<'a>(value: &'a Json, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_default()
}

/// The queries of the panels and of the variables, each with the title or the name of its owner.
fn queries(dashboard: &Json) -> Vec<(String, String)> {
    let of_panels = panels(dashboard).into_iter().flat_map(|panel| {
        let place = text(panel, "title").to_owned();
        targets(panel)
            .into_iter()
            .map(move |target| (place.clone(), text(target, "expr").to_owned()))
    });
    let variables = dashboard["templating"]["list"].as_array().into_iter().flatten();
    let asked = variables.filter(|variable| variable["type"] == "query");
    let of_variables = asked.map(|variable| {
        (text(variable, "name").to_owned(), text(&variable["query"], "query").to_owned())
    });
    of_panels.chain(of_variables).collect()
}

/// The names of metrics in a query.
fn names(query: &str) -> BTreeSet<&str> {
    let words = query.split(|c: char| !c.is_ascii_alphanumeric() && !"_:".contains(c));
    words.filter(|word| word.starts_with(PREFIX)).collect()
}

/// The names that a query may use: those of the families that `# TYPE` lines announce, and of a
/// histogram those of its parts, as its own name has no samples.
fn announced(metrics: &str) -> BTreeSet<String> {
    let types = metrics.lines().filter_map(|line| line.strip_prefix("# TYPE "));
    let families = types.map(|line| line.split_once(' ').expect(line));
    let names = families.flat_map(|(name, kind)| match kind {
        "histogram" => ["_bucket", "_sum", "_count"].map(|part| format!("{name}{part}")).to_vec(),
        _ => vec![name.to_owned()],
    });
    names.collect()
}

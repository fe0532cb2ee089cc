//! The malaria tools as a caller sees them. The figures were worked out from the three files by
//! other means than the code's.

use serde_json::{Value, json};

use super::table::Table;
use super::{PACK, tools};
use crate::pack::{Context, Failure, Reply};
use crate::picture::fault_of;
use crate::{schema, server};

/// The largest picture that is still quick to look at, in bytes.
const LARGEST: usize = 200 * 1024;

fn context() -> Context {
    let now: jiff::Zoned = "2025-11-06T10:30:00[Africa/Lagos]".parse().expect("a moment");
    Context {
        today: now.date(),
        now,
        no_data: false,
        memory: Default::default(),
        ring: Default::default(),
    }
}

/// Calls a tool; a result must fit the tool's output schema, a picture must be one.
fn reply(name: &str, arguments: &Value) -> Result<Reply, Failure> {
    let tools = tools();
    let tool = tools.iter().find(|tool| tool.name == name).expect("a tool");
    let reply = server::call(tool, arguments.as_object().expect("an object"), &context())?;
    schema::check(&tool.output, &reply.result, "result").expect("should fit the output schema");
    assert_eq!(reply.result["synthetic"], true);
    for picture in &reply.pictures {
        assert_eq!(fault_of(&picture.svg), None);
        assert!(picture.svg.contains("viewBox=") && picture.svg.len() < LARGEST);
        assert!(picture.svg.contains("Source: synthetic data"));
    }
    Ok(reply)
}

fn call(name: &str, arguments: &Value) -> Value {
    reply(name, arguments).expect("a result").result
}

fn refused(name: &str, arguments: &Value, message: &str) {
    let failure = reply(name, arguments).expect_err("should be refused");
    assert_eq!(failure.code, "INVALID_ARGUMENT", "{}", failure.message);
    assert!(failure.message.contains(message), "{}", failure.message);
}

/// `ward value` of every entry of a list.
fn listed(list: &Value, key: &str) -> Vec<String> {
    let entry =
        |entry: &Value| format!("{} {}", entry["ward"].as_str().expect("a ward"), entry[key]);
    list.as_array().expect("a list").iter().map(entry).collect()
}

#[test]
fn the_pack_names_its_tools() {
    let names: Vec<_> = tools().iter().map(|tool| tool.name).collect();
    assert_eq!(PACK.name, "malaria");
    let expected = [
        "run_tpr_step",
        "run_malaria_risk_analysis",
        "run_itn_planning",
        "create_vulnerability_map",
        "create_variable_distribution",
        "analyze_data",
    ];
    assert_eq!(names, expected);
}

#[test]
fn the_table_is_whole() {
    let table = Table::read().expect("a table");
    let mut lgas: Vec<_> = table.wards.iter().map(|ward| ward.lga).collect();
    lgas.sort_unstable();
    lgas.dedup();
    assert_eq!((table.wards.len(), lgas.len()), (40, 6));
    for (ward, outline) in table.wards.iter().zip(&table.outlines) {
        assert_eq!(ward.tests.len(), 18, "{}", ward.name);
        assert!(ward.tests.iter().all(|tests| tests.positive <= tests.tested));
        assert!(outline.len() >= 3 && ward.population > 0);
        assert!((0.0..=100.0).contains(&ward.urban_percent));
    }
    let ordered = table.wards.windows(2).all(|two| two[0].name < two[1].name);
    assert!(ordered, "wards are in the order of their names");
}

#[test]
fn positivity_of_everything_and_what_is_asked_next() {
    let result = call("run_tpr_step", &json!({}));
    assert_eq!(result["status"], "in_progress");
    assert_eq!((&result["selection"], &result["next"]), (&json!({}), &json!("facility_level")));
    assert_eq!((&result["tested"], &result["positive"]), (&json!(28067), &json!(8455)));
    assert_eq!(result["tpr_percent"], 30.1);
    let next = |arguments: Value| call("run_tpr_step", &arguments)["next"].clone();
    assert_eq!(next(json!({"facility_level": "all"})), "age_group");
    assert_eq!(next(json!({"age_group": "u5"})), "facility_level");
    assert_eq!(next(json!({"facility_level": "primary", "age_group": "u5"})), "test_method");
}

#[test]
fn positivity_of_a_selection_with_its_map() {
    let chosen = json!({"facility_level": "primary", "age_group": "u5", "test_method": "rdt"});
    let Reply { result, pictures } = reply("run_tpr_step", &chosen).expect("a result");
    assert_eq!((&result["status"], &result["next"]), (&json!("complete"), &Value::Null));
    assert_eq!(result["selection"], chosen);
    assert_eq!((&result["tested"], &result["positive"]), (&json!(6365), &json!(2698)));
    assert_eq!(result["tpr_percent"], 42.4);
    let highest = ["Sovanti 63.2", "Wisanti 60.2", "Virako 59.8", "Jelabo 55.8", "Ibrenta 55.4"];
    assert_eq!(listed(&result["highest"], "tpr_percent"), highest);
    assert_eq!(pictures.len(), 1);
    assert_eq!(pictures[0].title, "Test positivity rate, primary, u5, rdt");
    assert_eq!(pictures[0].svg.matches("<polygon").count(), 40);
    assert!(pictures[0].svg.contains("<title>Sovanti, Ashuri: 63.2</title>"));
}

#[test]
fn wards_without_such_tests_are_left_out_and_gray() {
    let chosen = json!({"facility_level": "tertiary", "age_group": "pw", "test_method": "both"});
    let Reply { result, pictures } = reply("run_tpr_step", &chosen).expect("a result");
    assert_eq!((&result["tested"], &result["positive"]), (&json!(405), &json!(65)));
    assert_eq!((&result["wards_count"], &result["tpr_percent"]), (&json!(7), &json!(16.0)));
    assert_eq!(pictures[0].svg.matches(": no tests</title>").count(), 33);
}

#[test]
fn everything_said_is_everything_unsaid() {
    let all = json!({"facility_level": "all", "age_group": "all", "test_method": "both"});
    let said = call("run_tpr_step", &all);
    assert_eq!((&said["status"], &said["tpr_percent"]), (&json!("complete"), &json!(30.1)));
}

#[test]
fn composite_risk_is_the_mean_of_normalized_columns() {
    let result = call("run_malaria_risk_analysis", &json!({}));
    assert_eq!(result["method"], "composite");
    let default = ["rainfall", "ndvi", "housing_quality", "distance_to_water", "tpr"];
    assert_eq!(result["variables"], json!(default));
    // Virako: rainfall (1348-879)/(1413-879) = 0.878, ndvi 1, and so on; the mean is 0.810.
    let highest =
        ["Virako 0.81", "Tembuvi 0.793", "Wolasha 0.776", "Sovanti 0.775", "Ibrenta 0.765"];
    assert_eq!(listed(&result["highest"], "score"), highest);
    let lowest = listed(&result["lowest"], "score");
    assert_eq!(lowest[..2], ["Embalo 0.154", "Nakemba Market 0.157"]);
    // Less rain and more height are both less risk.
    let two = json!({"variables": ["rainfall", "elevation"]});
    let result = call("run_malaria_risk_analysis", &two);
    assert_eq!(listed(&result["highest"], "score")[..2], ["Virako 0.939", "Sovanti 0.936"]);
    assert_eq!(listed(&result["lowest"], "score")[..2], ["Embalo 0.0", "Dokari 0.045"]);
    assert!(result.get("explained_percent").is_none());
}

#[test]
fn pca_agrees_with_another_way_to_find_eigenvalues() {
    let result = call("run_malaria_risk_analysis", &json!({"method": "pca"}));
    assert_eq!(result["explained_percent"], 56.9);
    let loadings = json!({
        "rainfall": 0.503, "ndvi": 0.532, "housing_quality": 0.283, "distance_to_water": 0.219,
        "tpr": 0.579,
    });
    assert_eq!(result["loadings"], loadings);
    let highest =
        ["Virako 1.0", "Sovanti 0.965", "Wisanti 0.937", "Wolasha 0.876", "Tembuvi 0.838"];
    assert_eq!(listed(&result["highest"], "score"), highest);
}

#[test]
fn both_methods_stand_side_by_side() {
    let result = call("run_malaria_risk_analysis", &json!({"method": "both"}));
    let (first, second) = (&result["highest"][0], &result["highest"][1]);
    let shown = |entry: &Value| {
        ["ward", "score", "composite", "pca"].map(|key| entry[key].to_string()).join(" ")
    };
    assert_eq!(shown(first), "\"Virako\" 0.905 0.81 1.0");
    assert_eq!(shown(second), "\"Sovanti\" 0.87 0.775 0.965");
}

#[test]
fn nets_go_to_rural_wards_by_risk_until_they_are_used_up() {
    let Reply { result, pictures } = reply("run_itn_planning", &json!({})).expect("a result");
    let plan = json!([
        // 6,488 people are 1,298 households of 5 with 3 nets each.
        {"ward": "Virako", "lga": "Ashuri", "nets": 3894, "population": 6488,
         "population_covered": 6488},
        {"ward": "Tembuvi", "lga": "Orlanti", "nets": 5688, "population": 9480,
         "population_covered": 9480},
        // 418 nets are left of 5,607: 9,342 * 418 / 5,607 people.
        {"ward": "Wolasha", "lga": "Orlanti", "nets": 418, "population": 9342,
         "population_covered": 696},
    ]);
    assert_eq!(result["plan"], plan);
    assert_eq!((&result["allocated"], &result["remaining"]), (&json!(10000), &json!(0)));
    let people = (&result["population_covered"], &result["population_eligible"]);
    assert_eq!(people, (&json!(16664), &json!(229_638)));
    assert_eq!((&result["wards_served"], &result["wards_eligible"]), (&json!(3), &json!(28)));
    assert_eq!(result["coverage_percent"], 7.3);
    assert_eq!(pictures.len(), 1);
    assert_eq!(pictures[0].svg.matches(": no nets</title>").count(), 37);
}

#[test]
fn more_nets_than_needed_remain() {
    let arguments = json!({"total_nets": 200_000, "avg_household_size": 4.5});
    let result = call("run_itn_planning", &arguments);
    assert_eq!((&result["allocated"], &result["remaining"]), (&json!(153_126), &json!(46_874)));
    assert_eq!(result["coverage_percent"], 100.0);
    assert_eq!(result["plan"].as_array().map(Vec::len), Some(10));
    let none = call("run_itn_planning", &json!({"total_nets": 200_000, "urban_threshold": 0}));
    assert_eq!((&none["wards_eligible"], &none["remaining"]), (&json!(0), &json!(200_000)));
    let towns = call("run_itn_planning", &json!({"total_nets": 50_000.0, "urban_threshold": 100}));
    assert_eq!((&towns["wards_served"], &towns["coverage_percent"]), (&json!(10), &json!(17.3)));
    let zero = call("run_itn_planning", &json!({"total_nets": 0}));
    assert_eq!((&zero["allocated"], &zero["wards_served"]), (&json!(0), &json!(0)));
    let pca = call("run_itn_planning", &json!({"method": "pca"}));
    assert_eq!(listed(&pca["plan"], "nets"), ["Virako 3894", "Sovanti 3693", "Wisanti 2413"]);
}

#[test]
fn vulnerability_is_one_map_or_two() {
    let one = reply("create_vulnerability_map", &json!({})).expect("a result");
    assert_eq!((&one.result["min"], &one.result["max"]), (&json!(0.154), &json!(0.81)));
    assert_eq!(one.pictures.len(), 1);
    assert!(one.pictures[0].svg.contains("<title>Virako, Ashuri: 0.81</title>"));
    let two = reply("create_vulnerability_map", &json!({"method": "both"})).expect("a result");
    let titles: Vec<_> = two.pictures.iter().map(|picture| picture.title.as_str()).collect();
    assert_eq!(titles, ["Malaria vulnerability, composite", "Malaria vulnerability, pca"]);
    assert!(two.pictures[1].svg.contains("<title>Sovanti, Ashuri: 0.96"));
}

#[test]
fn a_variable_has_its_map() {
    let arguments = json!({"map_variable": "rainfall"});
    let Reply { result, pictures } =
        reply("create_variable_distribution", &arguments).expect("a result");
    assert_eq!((&result["min"], &result["max"]), (&json!(879.0), &json!(1413.0)));
    assert_eq!((&result["median"], &result["mean"]), (&json!(1139.5), &json!(1136.25)));
    assert_eq!(listed(&result["highest"], "value")[0], "Wisanti 1413.0");
    assert_eq!(result["unit"], "mm a year");
    assert_eq!(pictures[0].title, "Rainfall by ward");
    assert!(pictures[0].svg.contains("<title>Wisanti, Tovuka: 1,413</title>"));
    let tpr = call("create_variable_distribution", &json!({"map_variable": "tpr"}));
    assert_eq!(listed(&tpr["highest"], "value")[0], "Virako 46.6");
}

#[test]
fn data_are_ranked_and_summed_up() {
    let result = call("analyze_data", &json!({"variable": "ndvi", "N": 3}));
    assert_eq!(
        listed(&result["ranking"], "value"),
        ["Virako 0.63", "Wisanti 0.61", "Sovanti 0.58"]
    );
    let four = ["min", "median", "mean", "max"].map(|key| result[key].clone());
    assert_eq!(four, [json!(0.19), json!(0.445), json!(0.423), json!(0.63)]);
    let plain = call("analyze_data", &json!({}));
    assert_eq!(plain["variable"], "tpr", "what was measured, not what was never analyzed");
    let result = call("analyze_data", &json!({"N": 10}));
    assert_eq!((&result["variable"], &result["N"]), (&json!("composite_score"), &json!(10)));
    assert_eq!(listed(&result["ranking"], "value")[0], "Virako 0.81");
    assert_eq!(result["ranking"].as_array().map(Vec::len), Some(10));
    let all = call("analyze_data", &json!({"N": 200.0}));
    assert_eq!(all["ranking"].as_array().map(Vec::len), Some(40));
}

#[test]
fn every_chart_is_a_picture_and_a_table_is_none() {
    let draw = |variable: Option<&str>, chart: &str| {
        let mut arguments = json!({"N": 200, "chart": chart});
        if let Some(variable) = variable {
            arguments["variable"] = json!(variable);
        }
        reply("analyze_data", &arguments).expect("a result").pictures
    };
    for chart in ["bar", "histogram", "line", "scatter", "box", "pie", "heatmap"] {
        for variable in [None, Some("tpr"), Some("elevation")] {
            assert_eq!(draw(variable, chart).len(), 1, "{chart} of {variable:?}");
        }
    }
    assert!(draw(Some("tpr"), "table").is_empty());
    assert!(draw(Some("tpr"), "bar")[0].svg.contains("<title>Virako: 46.6</title>"));
    assert_eq!(draw(None, "scatter")[0].svg.matches("<circle").count(), 40);
    assert_eq!(draw(None, "heatmap")[0].svg.matches("<rect x=").count(), 360);
    // 879 to 945.75 mm: the eighth part of the stretch.
    assert!(draw(Some("rainfall"), "histogram")[0].svg.contains("<title>879 to 946: "));
}

#[test]
fn wrong_arguments_are_refused() {
    refused("run_tpr_step", &json!({"facility_level": "clinic"}), "one of `\"primary\"`");
    refused("run_tpr_step", &json!({"ward": "Virako"}), "key `ward`");
    let risk = "run_malaria_risk_analysis";
    refused(risk, &json!({"variables": ["salinity"]}), "variables[0]");
    refused(risk, &json!({"variables": []}), "0 items");
    refused(risk, &json!({"variables": ["tpr", "tpr"]}), "repeat");
    refused("run_itn_planning", &json!({"total_nets": -1}), "below 0");
    refused("run_itn_planning", &json!({"total_nets": 1.5}), "must be integer");
    refused("run_itn_planning", &json!({"avg_household_size": 0}), "not above 0");
    refused("run_itn_planning", &json!({"urban_threshold": 101}), "above 100");
    refused("create_vulnerability_map", &json!({"method": "median"}), "one of `\"composite\"`");
    refused("create_variable_distribution", &json!({}), "lacks `map_variable`");
    refused("analyze_data", &json!({"N": 201}), "above 200");
    refused("analyze_data", &json!({"chart": "radar"}), "one of `\"bar\"`");
}

#[test]
fn the_fault_not_found_leaves_no_wards() {
    let context = Context { no_data: true, ..context() };
    for tool in tools() {
        let arguments = match tool.name {
            "create_variable_distribution" => json!({"map_variable": "tpr"}),
            _ => json!({}),
        };
        let called = server::call(&tool, arguments.as_object().expect("an object"), &context);
        assert_eq!(called.expect_err("no data").code, "NOT_FOUND", "{}", tool.name);
    }
}

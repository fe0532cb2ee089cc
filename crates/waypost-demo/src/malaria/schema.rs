//! The JSON Schemas of the malaria tools. Every object is closed.

use serde_json::{Map, Value, json};

use super::columns::{COLUMNS, DEFAULT_VARIABLES};

pub(super) fn tpr_input() -> Value {
    let properties = json!({
        "facility_level": choice(
            &["primary", "secondary", "tertiary", "all"],
            "Where people were tested: health posts and centers, general hospitals, or teaching \
             and specialist hospitals.",
        ),
        "age_group": choice(
            &["u5", "o5", "pw", "all"],
            "Who was tested: children under five, people of five and older, or pregnant women.",
        ),
        "test_method": choice(
            &["rdt", "microscopy", "both"],
            "How: rapid diagnostic test or blood smear under the microscope.",
        ),
    });
    closed(properties, &[])
}

pub(super) fn tpr_output() -> Value {
    let properties = json!({
        "status": {"type": "string", "enum": ["in_progress", "complete"]},
        "selection": {
            "type": "object",
            "description": "What was given.",
        },
        "next": {
            "type": ["string", "null"],
            "enum": ["facility_level", "age_group", "test_method", null],
            "description": "The first argument that was not given.",
        },
        "tested": count("Tests."),
        "positive": count("Positive tests."),
        "tpr_percent": percent("Positive out of all tests."),
        "wards_count": count("Wards with such tests."),
        "highest": ranking("tpr_percent", "Test positivity in percent."),
    });
    synthetic(properties)
}

pub(super) fn risk_input() -> Value {
    let properties = json!({
        "method": method(),
        "variables": variables(),
    });
    closed(properties, &[])
}

fn variables() -> Value {
    json!({
        "type": "array",
        "items": column(),
        "minItems": 1,
        "maxItems": COLUMNS.len(),
        "uniqueItems": true,
        "description": format!(
            "What the risk is computed from. Absent: {}.",
            DEFAULT_VARIABLES.join(", ")
        ),
    })
}

pub(super) fn risk_output() -> Value {
    let properties = json!({
        "status": complete(),
        "method": method(),
        "variables": {"type": "array", "items": column(), "minItems": 1},
        "wards_count": count("Wards that were ranked."),
        "highest": risks("The wards of highest risk, the highest first."),
        "lowest": risks("The wards of lowest risk, the lowest first."),
    });
    let pca = json!({
        "explained_percent": percent("The share of the variance that the component holds."),
        "loadings": {"type": "object", "description": "How much each variable counts in it."},
    });
    with_optional(synthetic(properties), pca)
}

pub(super) fn itn_input() -> Value {
    let properties = json!({
        "total_nets": {
            "type": "integer",
            "minimum": 0,
            "maximum": 9_007_199_254_740_991_u64,
            "description": "Nets at hand. Absent: 10,000.",
        },
        "avg_household_size": {
            "type": "number",
            "exclusiveMinimum": 0,
            "description": "Persons in a household. Absent: 5.",
        },
        "urban_threshold": {
            "type": "number",
            "minimum": 0,
            "maximum": 100,
            "description": "Wards that are more urban than this percentage get none. Absent: 30.",
        },
        "method": method(),
        "variables": variables(),
    });
    closed(properties, &[])
}

pub(super) fn itn_output() -> Value {
    let entry = json!({
        "ward": text("Its name."),
        "lga": text("Its local government area."),
        "nets": count("Nets that it gets."),
        "population": count("People who live there."),
        "population_covered": count("People whose need is met."),
    });
    let properties = json!({
        "status": complete(),
        "method": method(),
        "variables": {"type": "array", "items": column(), "minItems": 1},
        "total_nets": count("Nets at hand."),
        "allocated": count("Nets that were given out."),
        "remaining": count("Nets that were not needed."),
        "wards_eligible": count("Wards up to the urban threshold."),
        "wards_served": count("Wards that get nets."),
        "population_eligible": count("People in eligible wards."),
        "population_covered": count("People whose need is met."),
        "coverage_percent": percent("Covered out of eligible people."),
        "plan": {
            "type": "array",
            "items": all_required(entry),
            "maxItems": 10,
            "description": "The first wards served, by risk.",
        },
        "avg_household_size": {"type": "number"},
        "urban_threshold": {"type": "number"},
    });
    synthetic(properties)
}

pub(super) fn vulnerability_input() -> Value {
    closed(json!({"method": method(), "variables": variables()}), &[])
}

pub(super) fn vulnerability_output() -> Value {
    let properties = json!({
        "status": complete(),
        "method": method(),
        "variables": {"type": "array", "items": column(), "minItems": 1},
        "wards_count": count("Wards on the map."),
        "min": number("The least score."),
        "max": number("The greatest score."),
        "highest": risks("The wards of highest risk."),
    });
    synthetic(properties)
}

pub(super) fn distribution_input() -> Value {
    closed(json!({"map_variable": column()}), &["map_variable"])
}

pub(super) fn distribution_output() -> Value {
    let properties = json!({
        "status": complete(),
        "map_variable": column(),
        "unit": text("What its values are in."),
        "wards_count": count("Wards on the map."),
        "min": number("The least value."),
        "median": number("The middle value."),
        "mean": number("The mean over the wards."),
        "max": number("The greatest value."),
        "highest": ranking("value", "The value."),
    });
    synthetic(properties)
}

pub(super) fn analyze_input() -> Value {
    let properties = json!({
        "N": {
            "type": "integer",
            "minimum": 1,
            "maximum": 200,
            "description": "How many wards to rank. Absent: 10.",
        },
        "variable": column(),
        "chart": chart(),
        "method": method(),
        "variables": variables(),
    });
    closed(properties, &[])
}

pub(super) fn analyze_output() -> Value {
    let mut variables = names();
    variables.extend(["composite_score", "pca_score", "mean_score"]);
    let properties = json!({
        "status": complete(),
        "variable": {"type": "string", "enum": variables},
        "N": count("Wards asked for."),
        "chart": chart(),
        "wards_count": count("All wards."),
        "ranking": ranking("value", "The value."),
        "min": number("The least value."),
        "median": number("The middle value."),
        "mean": number("The mean over the wards."),
        "max": number("The greatest value."),
    });
    let scored = json!({"variables": {"type": "array", "items": column(), "minItems": 1}});
    with_optional(synthetic(properties), scored)
}

fn names() -> Vec<&'static str> {
    COLUMNS.iter().map(|column| column.name).collect()
}

fn column() -> Value {
    json!({"type": "string", "enum": names(), "description": "A column of the wards."})
}

fn method() -> Value {
    choice(&["composite", "pca", "both"], "How risk is scored. Absent: composite.")
}

fn chart() -> Value {
    let charts = ["bar", "histogram", "line", "scatter", "box", "pie", "heatmap", "table"];
    choice(&charts, "How to show it. Absent: table, which has no picture.")
}

fn complete() -> Value {
    json!({"type": "string", "const": "complete"})
}

fn choice(values: &[&str], description: &str) -> Value {
    json!({"type": "string", "enum": values, "description": description})
}

fn count(description: &str) -> Value {
    json!({"type": "integer", "minimum": 0, "description": description})
}

fn number(description: &str) -> Value {
    json!({"type": "number", "description": description})
}

fn percent(description: &str) -> Value {
    json!({"type": "number", "minimum": 0, "maximum": 100, "description": description})
}

fn text(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

/// Wards with a value each, the highest first.
fn ranking(key: &str, description: &str) -> Value {
    let entry = json!({
        "ward": text("Its name."),
        "lga": text("Its local government area."),
        key: number(description),
    });
    json!({"type": "array", "items": all_required(entry)})
}

/// Wards with their scores; with both methods those of each too.
fn risks(description: &str) -> Value {
    let entry = json!({
        "ward": text("Its name."),
        "lga": text("Its local government area."),
        "score": number("The risk from 0 to 1."),
    });
    let each = json!({
        "composite": number("The composite score, with both methods."),
        "pca": number("The score by the principal component, with both methods."),
    });
    let items = with_optional(all_required(entry), each);
    json!({"type": "array", "items": items, "description": description})
}

fn synthetic(mut properties: Value) -> Value {
    properties["synthetic"] = json!({"const": true});
    properties["note"] = text("Where the numbers come from.");
    all_required(properties)
}

fn all_required(properties: Value) -> Value {
    let names: Vec<String> =
        properties.as_object().map(|all| all.keys().cloned().collect()).unwrap_or_default();
    let mut schema = closed(properties, &[]);
    schema["required"] = json!(names);
    schema
}

fn with_optional(mut schema: Value, more: Value) -> Value {
    if let (Some(properties), Value::Object(more)) = (schema["properties"].as_object_mut(), more) {
        properties.extend(more);
    }
    schema
}

fn closed(properties: Value, required: &[&str]) -> Value {
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), properties);
    schema.insert("required".to_owned(), json!(required));
    schema.insert("additionalProperties".to_owned(), json!(false));
    Value::Object(schema)
}

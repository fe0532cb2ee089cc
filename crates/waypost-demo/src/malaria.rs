//! The malaria pack's sample server: test positivity, risk analysis, bed-net planning, maps, data.
//!
//! Everything is computed from three files beside this one, the wards of the invented state of
//! Zalimbo (`wards.csv`), their malaria tests (`tests.csv`) and their outlines (`shapes.csv`). All
//! of it is synthetic, and every result and every picture says so. The server keeps no state: the
//! router makes sure that risk comes after test positivity.

mod analyze;
mod columns;
mod itn;
mod maps;
mod pca;
mod risk;
mod schema;
mod statistics;
mod table;
mod tpr;

use serde_json::{Map, Value, json};

use crate::pack::{Context, Failure, Pack, Reply, Tool};
use crate::picture::{self, Area, Caption, Picture};
use columns::Column;
use table::Table;

/// The pack's line in the table of packs.
pub(crate) const PACK: Pack = Pack {
    name: "malaria",
    instructions: "Malaria planning over 40 synthetic wards of an invented state: test positivity \
                   rate, risk ranking, bed-net (ITN) planning, maps and statistics. No number here \
                   was ever observed: use them to try things out.",
    tools,
    writers: &[],
};

/// The note that pictures and results carry about their numbers.
const SOURCE: &str = "synthetic data, wards of the invented state of Zalimbo";

/// The number of wards that a summary names at either end.
const NAMED: usize = 5;

fn tools() -> Vec<Tool> {
    vec![
        Tool {
            name: "run_tpr_step",
            description: "Malaria test positivity rate (TPR, percent) in total and by ward, for \
                          the facility level, age group and test method that are given; what is \
                          not given covers everything. With all three given the step is complete \
                          and comes with a map.",
            input: schema::tpr_input(),
            output: schema::tpr_output(),
            call: tpr::run_tpr_step,
        },
        Tool {
            name: "run_malaria_risk_analysis",
            description: "Ranks wards by malaria risk: `composite` is the mean of normalized \
                          variables, `pca` their first principal component, `both` the two side \
                          by side.",
            input: schema::risk_input(),
            output: schema::risk_output(),
            call: risk::run_malaria_risk_analysis,
        },
        Tool {
            name: "run_itn_planning",
            description: "Shares insecticide-treated bed nets out among rural wards, the wards of \
                          highest risk first, one net for two persons of each household; with a \
                          map.",
            input: schema::itn_input(),
            output: schema::itn_output(),
            call: itn::run_itn_planning,
        },
        Tool {
            name: "create_vulnerability_map",
            description: "A map of the wards' malaria risk.",
            input: schema::vulnerability_input(),
            output: schema::vulnerability_output(),
            call: maps::create_vulnerability_map,
        },
        Tool {
            name: "create_variable_distribution",
            description: "A map of one variable over the wards, such as rainfall or tpr.",
            input: schema::distribution_input(),
            output: schema::distribution_output(),
            call: maps::create_variable_distribution,
        },
        Tool {
            name: "analyze_data",
            description: "The wards ranked by a variable (by their risk if none is given), \
                          its least, median, mean and greatest value, and a chart of it.",
            input: schema::analyze_input(),
            output: schema::analyze_output(),
            call: analyze::analyze_data,
        },
    ]
}

/// The table, unless the fault `not-found` is on.
fn table(context: &Context) -> Result<Table, Failure> {
    if context.no_data {
        return Err(Failure { code: "NOT_FOUND", message: "there are no wards".to_owned() });
    }
    Table::read()
}

/// Wards with their values, the highest first; equal ones by name, as the table has them.
fn ranked(values: &[Option<f64>]) -> Vec<(usize, f64)> {
    let mut ranked: Vec<(usize, f64)> =
        values.iter().enumerate().filter_map(|(ward, value)| Some((ward, (*value)?))).collect();
    ranked.sort_by(|one, other| other.1.total_cmp(&one.1));
    ranked
}

/// A ward of a ranking as results have it, its value under `key`.
fn named(table: &Table, ward: usize, key: &str, value: f64) -> Map<String, Value> {
    let ward = &table.wards[ward];
    let mut named = Map::new();
    named.insert("ward".to_owned(), json!(ward.name));
    named.insert("lga".to_owned(), json!(ward.lga));
    named.insert(key.to_owned(), json!(value));
    named
}

/// A map of the wards' values.
fn map(table: &Table, caption: Caption, missing: &str, values: &[Option<f64>]) -> Picture {
    let area = |(ward, value): (&'_ table::Ward, &Option<f64>)| Area {
        name: ward.name,
        group: ward.lga,
        outline: &table.outlines[ward.place],
        value: *value,
    };
    let areas = table.wards.iter().zip(values).map(area).collect();
    picture::Map { caption, missing, areas }.draw()
}

/// The caption of a picture of a column.
fn caption(title: String, column: &Column) -> Caption {
    Caption { title, measure: column.measure(), source: SOURCE, decimals: column.decimals }
}

/// A result with what every result of this pack says about itself.
fn reply(mut result: Value, pictures: Vec<Picture>) -> Reply {
    result["synthetic"] = json!(true);
    result["note"] = json!(SOURCE);
    Reply { result, pictures }
}

#[cfg(test)]
mod tests;

//! Maps: of the risk, and of one variable.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::columns::{COLUMNS, place};
use super::risk::{DECIMALS, Method, Risk, Scored};
use super::{NAMED, SOURCE, caption, map, named, ranked, reply, statistics, table};
use crate::number::round;
use crate::pack::{Context, Failure, Reply, read};
use crate::picture::Caption;

#[derive(Debug, Deserialize)]
struct Distribution {
    map_variable: String,
}

/// The risk on a map; two maps with both methods.
pub(super) fn create_vulnerability_map(
    arguments: &Map<String, Value>,
    context: &Context,
) -> Result<Reply, Failure> {
    let by: Scored = read(arguments)?;
    let table = table(context)?;
    let risk = Risk::scored(&table, &by)?;
    let [min, .., max] = statistics::five_numbers(&risk.scores());
    let ranking = risk.ranking();
    let entry = |(ward, score): &(usize, f64)| risk.entry(&table, *ward, *score);
    let result = json!({
        "status": "complete",
        "method": by.method.name(),
        "variables": by.names(),
        "wards_count": ranking.len(),
        "min": round(min, DECIMALS),
        "max": round(max, DECIMALS),
        "highest": ranking.iter().take(NAMED).map(entry).collect::<Vec<_>>(),
    });
    let picture = |(method, scores): (Method, &[f64])| {
        let caption = Caption {
            title: format!("Malaria vulnerability, {}", method.name()),
            measure: "Risk score from 0 (low) to 1 (high)".to_owned(),
            source: SOURCE,
            decimals: 2,
        };
        let values: Vec<_> = scores.iter().copied().map(Some).collect();
        map(&table, caption, "no score", &values)
    };
    Ok(reply(result, risk.by_method().into_iter().map(picture).collect()))
}

/// One variable on a map.
pub(super) fn create_variable_distribution(
    arguments: &Map<String, Value>,
    context: &Context,
) -> Result<Reply, Failure> {
    let Distribution { map_variable } = read(arguments)?;
    let column = place(&map_variable)
        .ok_or_else(|| Failure::invalid(format!("there is no column `{map_variable}`")))?;
    let table = table(context)?;
    let values = table.column(column);
    let [min, _, median, _, max] = statistics::five_numbers(&values);
    let mean = statistics::mean(&values);
    let values: Vec<_> = values.into_iter().map(Some).collect();
    let column = &COLUMNS[column];
    let shown = |value: f64| round(value, column.decimals as i32);
    let ranking = ranked(&values);
    let highest = ranking.iter().take(NAMED);
    let result = json!({
        "status": "complete",
        "map_variable": map_variable,
        "unit": column.unit,
        "wards_count": ranking.len(),
        "min": shown(min),
        "median": round(median, 2),
        "mean": round(mean, 2),
        "max": shown(max),
        "highest": highest
            .map(|(ward, value)| named(&table, *ward, "value", shown(*value)))
            .collect::<Vec<_>>(),
    });
    let caption = caption(format!("{} by ward", column.label), column);
    Ok(reply(result, vec![map(&table, caption, "no value", &values)]))
}

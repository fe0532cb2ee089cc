//! Bed-net planning: who gets how many insecticide-treated nets.
//!
//! A ward has `ceil(population / household size)` households. Each gets a net for every two of its
//! members, `ceil(household size / 2)`, and a ward never more nets than it has people. Wards that
//! are more urban than the threshold get none. The others are served in the order of their risk
//! until the nets are used up; the last one served may get a part of its need, which then covers
//! the same part of its people.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::risk::{Risk, Scored};
use super::table::{Table, Ward};
use super::{SOURCE, map, named, reply, table};
use crate::number::round;
use crate::pack::{Context, Failure, Reply, read};
use crate::picture::Caption;

/// The number of wards of the plan that a result names.
const SHOWN: usize = 10;

#[derive(Debug, Deserialize)]
#[serde(default)]
struct Arguments {
    total_nets: u64,
    avg_household_size: f64,
    urban_threshold: f64,
    #[serde(flatten)]
    by: Scored,
}

impl Default for Arguments {
    fn default() -> Self {
        let by = Scored::default();
        Self { total_nets: 10_000, avg_household_size: 5.0, urban_threshold: 30.0, by }
    }
}

/// The nets that a ward gets, and the people that they cover.
#[derive(Debug, Clone, Copy)]
struct Share {
    ward: usize,
    nets: u64,
    covered: u64,
}

pub(super) fn run_itn_planning(
    given: &Map<String, Value>,
    context: &Context,
) -> Result<Reply, Failure> {
    let given = whole(given);
    let arguments: Arguments = read(&given)?;
    if arguments.avg_household_size <= 0.0 {
        return Err(Failure::invalid("`avg_household_size` must be greater than 0"));
    }
    let table = table(context)?;
    let risk = Risk::scored(&table, &arguments.by)?;
    let eligible: Vec<&Ward> = risk
        .ranking()
        .into_iter()
        .map(|(ward, _)| &table.wards[ward])
        .filter(|ward| ward.urban_percent <= arguments.urban_threshold)
        .collect();
    let shares = shares(&eligible, &arguments);
    let allocated: u64 = shares.iter().map(|share| share.nets).sum();
    let covered: u64 = shares.iter().map(|share| share.covered).sum();
    let population: u64 = eligible.iter().map(|ward| u64::from(ward.population)).sum();
    let coverage = if population > 0 { covered as f64 / population as f64 * 100.0 } else { 0.0 };
    let result = json!({
        "status": "complete",
        "method": arguments.by.method.name(),
        "variables": arguments.by.names(),
        "total_nets": arguments.total_nets,
        "allocated": allocated,
        "remaining": arguments.total_nets - allocated,
        "wards_eligible": eligible.len(),
        "wards_served": shares.len(),
        "population_eligible": population,
        "population_covered": covered,
        "coverage_percent": round(coverage, 1),
        "plan": shares.iter().take(SHOWN).map(|share| entry(&table, *share)).collect::<Vec<_>>(),
        "avg_household_size": arguments.avg_household_size,
        "urban_threshold": arguments.urban_threshold,
    });
    let picture = map(&table, caption(&arguments), "no nets", &nets(&table, &shares));
    Ok(reply(result, vec![picture]))
}

/// Makes `total_nets` an integer: JSON Schema takes `5.0` for one, serde does not.
fn whole(given: &Map<String, Value>) -> Map<String, Value> {
    let mut given = given.clone();
    if let Some(nets) = given.get_mut("total_nets")
        && let Some(number) = nets.as_f64().filter(|_| !nets.is_u64())
    {
        *nets = json!(number as u64);
    }
    given
}

/// Serves the wards in their order until the nets are used up.
fn shares(eligible: &[&Ward], arguments: &Arguments) -> Vec<Share> {
    let mut left = arguments.total_nets;
    let mut shares = Vec::new();
    for ward in eligible {
        let need = need(ward.population, arguments.avg_household_size);
        let nets = need.min(left);
        if nets == 0 {
            break;
        }
        left -= nets;
        let covered = u64::from(ward.population) * nets / need;
        shares.push(Share { ward: ward.place, nets, covered });
    }
    shares
}

/// The nets that a ward needs; at least one, since every ward has people.
fn need(population: u32, household: f64) -> u64 {
    let households = (f64::from(population) / household).ceil();
    let nets = households * (household / 2.0).ceil();
    nets.min(f64::from(population)).max(1.0) as u64
}

fn entry(table: &Table, share: Share) -> Map<String, Value> {
    let mut entry = named(table, share.ward, "nets", 0.0);
    entry.insert("nets".to_owned(), json!(share.nets));
    entry.insert("population".to_owned(), json!(table.wards[share.ward].population));
    entry.insert("population_covered".to_owned(), json!(share.covered));
    entry
}

/// The nets of every ward, if it gets any.
fn nets(table: &Table, shares: &[Share]) -> Vec<Option<f64>> {
    let mut nets = vec![None; table.wards.len()];
    for share in shares {
        nets[share.ward] = Some(share.nets as f64);
    }
    nets
}

fn caption(arguments: &Arguments) -> Caption {
    Caption {
        title: format!("Bed nets by ward, {} risk", arguments.by.method.name()),
        measure: format!(
            "Nets, out of {}; wards up to {} % urban",
            crate::number::shown(arguments.total_nets as f64, 0),
            arguments.urban_threshold
        ),
        source: SOURCE,
        decimals: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::need;

    #[test]
    fn households_get_a_net_for_every_two_of_their_members() {
        let cases = [
            // 1,000 households of 5 get 3 each.
            (5_000, 5.0, 3_000),
            // 1,001 households.
            (5_001, 5.0, 3_003),
            // 1,112 households of 4.5 get 3 each.
            (5_000, 4.5, 3_336),
            (5_000, 2.0, 2_500),
            (5_000, 1.0, 5_000),
            (5_000, 1e-300, 5_000),
            (5_000, 1e300, 5_000),
        ];
        for (population, household, expected) in cases {
            assert_eq!(need(population, household), expected, "{population} by {household}");
        }
    }
}

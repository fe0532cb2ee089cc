//! Malaria risk: a score from 0 to 1 for every ward, by one method or by both.
//!
//! Each variable is normalized to 0..1 over the wards and turned so that 1 is the riskier end
//! (`columns.rs`). `composite` is the mean of these. `pca` is the first principal component
//! (`pca.rs`), itself normalized to 0..1. `both` has the two beside each other and ranks by their
//! mean.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::columns::{COLUMNS, DEFAULT_VARIABLES, Direction, place};
use super::table::Table;
use super::{NAMED, named, pca, ranked, reply, statistics, table};
use crate::number::round;
use crate::pack::{Context, Failure, Reply, read};

/// The method by which the score is computed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Method {
    /// The mean of the normalized variables.
    #[default]
    Composite,
    /// The first principal component.
    Pca,
    /// The mean of the two.
    Both,
}

/// How the risk is scored.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Scored {
    pub(super) method: Method,
    /// The columns that go into it; the default ones where none are given.
    variables: Option<Vec<String>>,
}

/// The scores of all wards.
#[derive(Debug)]
pub(super) struct Risk {
    method: Method,
    composite: Vec<f64>,
    pca: Vec<f64>,
    /// The share of the variables' variance that the component explains, in percent.
    explained: f64,
    loadings: Vec<f64>,
}

/// The decimals of scores in results.
pub(super) const DECIMALS: i32 = 3;

pub(super) fn run_malaria_risk_analysis(
    arguments: &Map<String, Value>,
    context: &Context,
) -> Result<Reply, Failure> {
    let arguments: Scored = read(arguments)?;
    let table = table(context)?;
    let names = arguments.names();
    let risk = Risk::scored(&table, &arguments)?;
    let ranking = risk.ranking();
    let entry = |(ward, score): &(usize, f64)| risk.entry(&table, *ward, *score);
    let mut result = json!({
        "status": "complete",
        "method": arguments.method.name(),
        "variables": names,
        "wards_count": ranking.len(),
        "highest": ranking.iter().take(NAMED).map(entry).collect::<Vec<_>>(),
        "lowest": ranking.iter().rev().take(NAMED).map(entry).collect::<Vec<_>>(),
    });
    if arguments.method != Method::Composite {
        result["explained_percent"] = json!(round(risk.explained, 1));
        let loadings = names.iter().zip(&risk.loadings);
        result["loadings"] = loadings
            .map(|(name, loading)| ((*name).to_owned(), json!(round(*loading, DECIMALS))))
            .collect::<Map<_, _>>()
            .into();
    }
    Ok(reply(result, Vec::new()))
}

fn places(names: &[&str]) -> Result<Vec<usize>, Failure> {
    let place = |name: &&str| {
        place(name).ok_or_else(|| Failure::invalid(format!("there is no column `{name}`")))
    };
    names.iter().map(place).collect()
}

impl Risk {
    /// Returns the risk, scored as somebody wants it.
    pub(super) fn scored(table: &Table, by: &Scored) -> Result<Self, Failure> {
        Ok(Self::of(table, by.method, &places(&by.names())?))
    }

    fn of(table: &Table, method: Method, variables: &[usize]) -> Self {
        let directed: Vec<Vec<f64>> =
            variables.iter().map(|variable| directed(table, *variable)).collect();
        let mean = |ward: usize| {
            let sum: f64 = directed.iter().map(|column| column[ward]).sum();
            sum / directed.len().max(1) as f64
        };
        let component = pca::first_component(&directed);
        Self {
            method,
            composite: (0..table.wards.len()).map(mean).collect(),
            pca: statistics::normalized(&component.scores),
            explained: component.explained * 100.0,
            loadings: component.loadings,
        }
    }

    /// Returns the scores of the chosen method, ward by ward.
    pub(super) fn scores(&self) -> Vec<f64> {
        let both = self.composite.iter().zip(&self.pca);
        match self.method {
            Method::Composite => self.composite.clone(),
            Method::Pca => self.pca.clone(),
            Method::Both => both.map(|(composite, pca)| f64::midpoint(*composite, *pca)).collect(),
        }
    }

    /// The scores of each method that was asked for, with its name.
    pub(super) fn by_method(&self) -> Vec<(Method, &[f64])> {
        let all = [(Method::Composite, &self.composite[..]), (Method::Pca, &self.pca)];
        let asked = |method| self.method == Method::Both || self.method == method;
        all.into_iter().filter(|(method, _)| asked(*method)).collect()
    }

    /// Wards with their scores, the highest first.
    pub(super) fn ranking(&self) -> Vec<(usize, f64)> {
        ranked(&self.scores().into_iter().map(Some).collect::<Vec<_>>())
    }

    /// A ward of the ranking; with both methods also what each of them says.
    pub(super) fn entry(&self, table: &Table, ward: usize, score: f64) -> Map<String, Value> {
        let mut entry = named(table, ward, "score", round(score, DECIMALS));
        if self.method == Method::Both {
            entry.insert("composite".to_owned(), json!(round(self.composite[ward], DECIMALS)));
            entry.insert("pca".to_owned(), json!(round(self.pca[ward], DECIMALS)));
        }
        entry
    }
}

impl Scored {
    /// The columns that go into it.
    pub(super) fn names(&self) -> Vec<&str> {
        match &self.variables {
            Some(given) => given.iter().map(String::as_str).collect(),
            None => DEFAULT_VARIABLES.to_vec(),
        }
    }
}

impl Method {
    /// Its name in arguments and results.
    pub(super) fn name(self) -> &'static str {
        match self {
            Method::Composite => "composite",
            Method::Pca => "pca",
            Method::Both => "both",
        }
    }
}

/// A column from 0 to 1, where 1 is the riskier end.
fn directed(table: &Table, variable: usize) -> Vec<f64> {
    let values = statistics::normalized(&table.column(variable));
    match COLUMNS[variable].direction {
        Direction::More => values,
        Direction::Less => values.into_iter().map(|value| 1.0 - value).collect(),
    }
}

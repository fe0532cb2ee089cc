//! Rankings, statistics and charts of one variable.
//!
//! The statistics are over all wards, the ranking is the first N. Of the charts, `bar` and
//! `heatmap` show the ranking; `histogram`, `line`, `scatter`, `box` and `pie` show all wards.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::columns::{COLUMNS, COUNT, TPR, place};
use super::risk::{Method, Risk, Scored};
use super::table::Table;
use super::{SOURCE, named, ranked, reply, statistics, table};
use crate::number::{round, shown};
use crate::pack::{Context, Failure, Reply, read};
use crate::picture::{
    BINS, Bars, Boxes, Caption, Classes, Heatmap, Histogram, Line, Picture, Pie, Scatter,
};

#[derive(Debug, Deserialize)]
struct Arguments {
    #[serde(rename = "N")]
    n: Option<f64>,
    variable: Option<String>,
    #[serde(default)]
    chart: Chart,
    #[serde(flatten)]
    by: Scored,
}

/// The chart that shows the data.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Chart {
    Bar,
    Histogram,
    Line,
    Scatter,
    Box,
    Pie,
    Heatmap,
    #[default]
    Table,
}

/// The number of wards that are ranked by default.
const DEFAULT_N: f64 = 10.0;

/// The column that is looked at where neither a ranking nor a column was asked for.
const MEASURED: &str = "tpr";

/// The variable that is looked at: its values, and the ranking by them.
struct View {
    table: Table,
    /// The column; none for the risk.
    column: Option<usize>,
    label: &'static str,
    measure: String,
    decimals: usize,
    values: Vec<f64>,
    /// All wards, the highest first.
    ranking: Vec<(usize, f64)>,
}

pub(super) fn analyze_data(
    arguments: &Map<String, Value>,
    context: &Context,
) -> Result<Reply, Failure> {
    let arguments: Arguments = read(arguments)?;
    // The schema bounds it, and takes `10.0` for an integer.
    let n = arguments.n.unwrap_or(DEFAULT_N) as usize;
    // Without a variable, a ranking (`n`) is of the risk; all else is of the measured positivity,
    // so that it tells nothing of an analysis that nobody has made yet.
    let measured = arguments.n.is_none().then_some(MEASURED);
    let variable = arguments.variable.as_deref().or(measured);
    let view = View::new(table(context)?, variable, &arguments.by)?;
    let [min, _, median, _, max] = statistics::five_numbers(&view.values);
    let exact = |value: f64| round(value, view.decimals.max(2) as i32 + 1);
    let entry = |(ward, value): &(usize, f64)| named(&view.table, *ward, "value", exact(*value));
    let (score, _) = score(arguments.by.method);
    let mut result = json!({
        "status": "complete",
        "variable": view.column.map_or(score, |column| COLUMNS[column].name),
        "N": n,
        "chart": arguments.chart.name(),
        "wards_count": view.values.len(),
        "ranking": view.ranking.iter().take(n).map(entry).collect::<Vec<_>>(),
        "min": exact(min),
        "median": exact(median),
        "mean": exact(statistics::mean(&view.values)),
        "max": exact(max),
    });
    if view.column.is_none() {
        result["variables"] = json!(arguments.by.names());
    }
    let picture = match arguments.chart {
        Chart::Table => None,
        Chart::Bar => Some(view.bars(n)),
        Chart::Histogram => Some(view.histogram()),
        Chart::Line => Some(view.line()),
        Chart::Scatter => Some(view.scatter()?),
        Chart::Box => Some(view.boxes()),
        Chart::Pie => Some(view.pie()),
        Chart::Heatmap => Some(view.heatmap(n)),
    };
    Ok(reply(result, picture.into_iter().collect()))
}

impl Chart {
    fn name(self) -> &'static str {
        match self {
            Chart::Bar => "bar",
            Chart::Histogram => "histogram",
            Chart::Line => "line",
            Chart::Scatter => "scatter",
            Chart::Box => "box",
            Chart::Pie => "pie",
            Chart::Heatmap => "heatmap",
            Chart::Table => "table",
        }
    }
}

/// The name and the title of the risk, which is a variable where no column is named.
fn score(method: Method) -> (&'static str, &'static str) {
    match method {
        Method::Composite => ("composite_score", "Composite risk"),
        Method::Pca => ("pca_score", "PCA risk"),
        Method::Both => ("mean_score", "Mean of composite and PCA risk"),
    }
}

impl View {
    fn new(table: Table, variable: Option<&str>, by: &Scored) -> Result<Self, Failure> {
        let column = match variable {
            None => None,
            Some(name) => Some(
                place(name)
                    .ok_or_else(|| Failure::invalid(format!("there is no column `{name}`")))?,
            ),
        };
        let (label, measure, decimals, values) = match column {
            Some(place) => {
                let column = &COLUMNS[place];
                (column.label, column.measure(), column.decimals, table.column(place))
            }
            None => {
                let scores = Risk::scored(&table, by)?.scores();
                let (_, title) = score(by.method);
                (title, format!("{title} score from 0 (low) to 1 (high)"), 2, scores)
            }
        };
        let ranking = ranked(&values.iter().copied().map(Some).collect::<Vec<_>>());
        Ok(Self { table, column, label, measure, decimals, values, ranking })
    }

    fn caption(&self, title: &str) -> Caption {
        Caption {
            title: format!("{}: {title}", self.label),
            measure: self.measure.clone(),
            source: SOURCE,
            decimals: self.decimals,
        }
    }

    fn name(&self, ward: usize) -> &'static str {
        self.table.wards[ward].name
    }

    fn bars(&self, n: usize) -> Picture {
        let ranking = self.ranking.iter().take(n);
        let bars: Vec<_> = ranking.map(|(ward, value)| (self.name(*ward), *value)).collect();
        let caption = self.caption(&format!("the {} highest wards", bars.len()));
        Bars { caption, bars }.draw()
    }

    fn histogram(&self) -> Picture {
        let [low, .., high] = statistics::five_numbers(&self.values);
        let mut counts = [0; BINS];
        for share in statistics::normalized(&self.values) {
            counts[((share * BINS as f64) as usize).min(BINS - 1)] += 1;
        }
        let caption = self.caption("number of wards by value");
        Histogram { caption, stretch: (low, high), counts }.draw()
    }

    fn line(&self) -> Picture {
        let points = self.ranking.iter().map(|(ward, value)| (self.name(*ward), *value)).collect();
        Line { caption: self.caption("wards from the highest to the lowest"), points }.draw()
    }

    /// Draws the values against test positivity, and that itself against the composite risk.
    fn scatter(&self) -> Result<Picture, Failure> {
        let (label, against) = if self.column == Some(TPR) {
            let scores = Risk::scored(&self.table, &Scored::default())?.scores();
            ("Composite risk".to_owned(), scores)
        } else {
            (COLUMNS[TPR].measure(), self.table.column(TPR))
        };
        let points = self.values.iter().zip(&against).zip(&self.table.wards);
        let points = points.map(|((x, y), ward)| (ward.name, *x, *y)).collect();
        let axes = (self.measure.clone(), label);
        Ok(Scatter { caption: self.caption("ward by ward"), axes, points }.draw())
    }

    fn boxes(&self) -> Picture {
        let mut lgas: Vec<&str> = self.table.wards.iter().map(|ward| ward.lga).collect();
        lgas.sort_unstable();
        lgas.dedup();
        let five = |lga: &'static str| {
            let within = self.table.wards.iter().filter(|ward| ward.lga == lga);
            let values: Vec<f64> = within.map(|ward| self.values[ward.place]).collect();
            (lga, statistics::five_numbers(&values))
        };
        let caption = self.caption("spread within local government areas");
        Boxes { caption, groups: lgas.into_iter().map(five).collect() }.draw()
    }

    fn pie(&self) -> Picture {
        let mut parts = Vec::new();
        if let Some(classes) = Classes::over(self.values.iter().copied()) {
            parts =
                (0..classes.len()).map(|class| (classes.name(class, self.decimals), 0)).collect();
            for value in &self.values {
                parts[classes.of(*value)].1 += 1;
            }
        }
        Pie { caption: self.caption("number of wards by class"), parts }.draw()
    }

    fn heatmap(&self, n: usize) -> Picture {
        let shares: Vec<Vec<f64>> =
            (0..COUNT).map(|place| statistics::normalized(&self.table.column(place))).collect();
        let cell = |ward: usize, place: usize| {
            let column = &COLUMNS[place];
            let value = self.table.wards[ward].values[place];
            let words = format!("{} {}", shown(value, column.decimals), column.unit);
            (shares[place][ward], words)
        };
        let row = |(ward, _): &(usize, f64)| {
            (self.name(*ward), (0..COUNT).map(|place| cell(*ward, place)).collect())
        };
        let rows: Vec<_> = self.ranking.iter().take(n).map(row).collect();
        let mut caption = self.caption(&format!("all columns of the {} highest wards", rows.len()));
        caption.measure =
            "Each column from its least (light) to its greatest value (dark)".to_owned();
        let columns = COLUMNS.iter().map(|column| column.label).collect();
        Heatmap { caption, columns, rows }.draw()
    }
}

//! `python`: computes with what other tools gave, draws it, and writes a script.
//!
//! No Python is run here, and nothing that a task says is: the figures are this server's own, and
//! the script is text. It reads channels and never writes them.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::figures::{Curve, Figures, correlation, line, plain, significant};
use super::given::{Given, Single};
use super::words::{Text, cut};
use super::{channels, chart, expression, finding, finish, schema};
use crate::pack::{Context, Failure, Reply, Tool, read};
use crate::picture::Picture;

/// The most characters of a task that are read.
const LONGEST_TASK: usize = 4000;

/// The most series and groups of values that the sentence tells.
const MOST_TOLD: usize = 6;

/// The fewest numbers of a task that are values to compute with.
const FEWEST_NUMBERS: usize = 3;

/// Words that ask for a histogram, for any picture, for a script, and for figures of numbers; all
/// folded.
const HISTOGRAM: &str = "histogram*|直方|分布|phan bo|tan suat|bieu do cot|distribucion";
const PLOT: &str = "plot*|draw*|graph*|chart*|bar|bars|畫|画|圖|图|ve|do thi|grafic*|dibuj*";
const SCRIPT: &str =
    "script*|code|program|程式|程序|腳本|脚本|代碼|代码|kich ban|ma nguon|codigo|programa";
const AVERAGE: &str = "mean|average|sum|median|deviation|std|rms|statistics|平均|標準差|标准差|總和|总和|\
    trung binh|do lech|tong|media|promedio|desviacion|suma";

/// The script, with the list of channels to be put in.
const SCRIPT_TEXT: &str = r#"# Reads channels, keeps the values in a file, and prints their figures.
# It only reads: a channel is set with `channel_write`, which asks first. It was not run here.
import csv
import statistics
import time

from epics import caget  # or the reader of your control system

CHANNELS = [{channels}]
SECONDS_BETWEEN = 1.0
TIMES = 60

rows = []
with open("values.csv", "w", newline="") as file:
    table = csv.writer(file)
    table.writerow(["time", *CHANNELS])
    for _ in range(TIMES):
        rows.append([caget(name) for name in CHANNELS])
        table.writerow([time.time(), *rows[-1]])
        time.sleep(SECONDS_BETWEEN)

for name, values in zip(CHANNELS, zip(*rows)):
    print(name, statistics.fmean(values), min(values), max(values), statistics.stdev(values))
"#;

pub(super) fn tool() -> Tool {
    let statistic = json!({
        "name": schema::text("A series, or values of one unit together."),
        "unit": schema::text(""),
        "count": schema::count(""),
        "mean": schema::number(""),
        "least": schema::number(""),
        "most": schema::number(""),
        "deviation": schema::number("The standard deviation of a sample."),
        "slope_per_hour": schema::maybe("What a series rises in an hour."),
    });
    Tool {
        name: "python",
        description: "Computes statistics of what other tools gave (or a bare expression), draws \
                      it, and writes a Python script. No Python is run: the server computes by \
                      itself, and the script only reads channels.",
        input: schema::input(json!({
            "task": schema::task(),
            "data": schema::data("Values and series to work on."),
        })),
        output: schema::output(
            json!({
                "summary": schema::text("One sentence with the figures."),
                "statistics": schema::list(schema::object(statistic, json!({}))),
                "correlation": schema::maybe("Of two series with as many points."),
                "value": schema::maybe("Of an expression in the task."),
                "data": schema::facts(),
                "script": schema::text("A Python script, which was not run."),
                "script_wanted": schema::flag("Whether the task asks for a script."),
            }),
            json!({}),
        ),
        call: python,
    }
}

#[derive(Debug, Deserialize)]
struct Arguments {
    #[serde(default)]
    task: String,
    #[serde(default)]
    data: Vec<Value>,
}

fn python(arguments: &Map<String, Value>, _context: &Context) -> Result<Reply, Failure> {
    let Arguments { task, data } = read(arguments)?;
    let task = cut(&task, LONGEST_TASK);
    let text = Text::new(&task);
    let given = Given::read(&data);
    let mut work = Work::default();
    if given.is_empty() {
        work.task(&task, &text);
    } else {
        work.curves(&given.curves);
        work.singles(&given);
    }
    let script_wanted = text.says(SCRIPT);
    let result = json!({
        "summary": work.summary(script_wanted),
        "statistics": work.statistics,
        "correlation": work.correlation,
        "value": work.value,
        "data": work.facts,
        "script": script(&given, &task),
        "script_wanted": script_wanted,
    });
    Ok(finish(result, pictures(&given, &text)))
}

/// The computed values.
#[derive(Debug, Default)]
struct Work {
    /// The parts of the sentence.
    told: Vec<String>,
    statistics: Vec<Value>,
    facts: Vec<Value>,
    correlation: Option<f64>,
    value: Option<f64>,
}

impl Work {
    /// Computes what the task itself holds: an expression, or numbers to take figures of.
    fn task(&mut self, task: &str, text: &Text) {
        if let Some(computed) = expression::find(task) {
            let value = significant(computed.value);
            self.told.push(format!("{} = {}", computed.text, plain(value)));
            self.fact(&computed.text, value, "");
            self.value = Some(value);
            return;
        }
        let numbers = expression::numbers(task);
        if numbers.len() >= FEWEST_NUMBERS && text.says(AVERAGE) {
            let points: Vec<(f64, f64)> = numbers.iter().map(|value| (0.0, *value)).collect();
            self.figures("the numbers", "", &points);
        }
    }

    /// Computes the figures of each series, and of two what they have to do with each other.
    fn curves(&mut self, curves: &[Curve]) {
        for curve in curves {
            self.figures(&curve.name, &curve.unit, &curve.points);
        }
        let [one, other] = curves else { return };
        if one.points.len() != other.points.len() {
            return;
        }
        let pairs = one.points.iter().zip(&other.points);
        let pairs: Vec<(f64, f64)> = pairs.map(|((_, x), (_, y))| (*x, *y)).collect();
        let Some(found) = correlation(&pairs) else { return };
        let found = significant(found);
        self.correlation = Some(found);
        self.told.push(format!("correlation {}", plain(found)));
        self.fact(&format!("correlation of {} and {}", one.name, other.name), found, "");
        if let Some((slope, offset)) = line(&pairs) {
            let (slope, offset) = (plain(slope), plain(offset));
            self.told.push(format!("{} ≈ {slope} × {} + {offset}", other.name, one.name));
        }
    }

    /// Computes with single values: those of a unit together, and each against a series of its own.
    fn singles(&mut self, given: &Given) {
        for (unit, group) in groups(&given.singles) {
            if let [single] = group[..] {
                self.told.push(format!("{} is {}", single.name, amount(single.value, unit)));
                self.fact(&single.name, single.value, unit);
            } else {
                let name = amounts(group.len(), unit);
                let points: Vec<(f64, f64)> =
                    group.iter().map(|single| (0.0, single.value)).collect();
                self.figures(&name, unit, &points);
                let squares: f64 = group.iter().map(|single| single.value.powi(2)).sum();
                let rms = significant((squares / group.len() as f64).sqrt());
                self.told.push(format!("root mean square {}", amount(rms, unit)));
                self.fact(&format!("root mean square of {name}"), rms, unit);
            }
            if let [one, other] = group[..] {
                self.compared(&one.name, one.value, &other.name, other.value, unit);
            }
        }
        for single in &given.singles {
            let curve = given.curves.iter().find(|curve| curve.name == single.name);
            if let Some(figures) = curve.and_then(|curve| Figures::of(&curve.points)) {
                self.compared(&single.name, single.value, "its mean", figures.mean, &single.unit);
            }
        }
    }

    /// Tells how far a value is from another one, in percent of that.
    fn compared(&mut self, name: &str, value: f64, other: &str, base: f64, unit: &str) {
        let difference = significant(value - base);
        let mut told = format!("{name} − {other} = {}", amount(difference, unit));
        self.fact(&format!("{name} − {other}"), difference, unit);
        if base != 0.0 {
            let percent = significant(100.0 * (value - base) / base);
            told.push_str(&format!(" ({} %)", plain(percent)));
            self.fact(&format!("{name} against {other}"), percent, "%");
        }
        self.told.push(told);
    }

    fn figures(&mut self, name: &str, unit: &str, points: &[(f64, f64)]) {
        let Some(figures) = Figures::of(points) else { return };
        let [mean, least, most, deviation] =
            [figures.mean, figures.least, figures.most, figures.deviation].map(significant);
        let slope = figures.slope.map(significant);
        let mut told = format!(
            "{name}: mean {}, from {} to {}, deviation {}",
            amount(mean, unit),
            plain(least),
            amount(most, unit),
            plain(deviation)
        );
        if let Some(slope) = slope {
            told.push_str(&format!(", slope {} per hour", plain(slope)));
        }
        told.push_str(&format!(", {} points", figures.count));
        self.told.push(told);
        for (what, value) in [("mean", mean), ("least", least), ("most", most)] {
            self.fact(&format!("{what} of {name}"), value, unit);
        }
        self.statistics.push(json!({
            "name": name,
            "unit": unit,
            "count": figures.count,
            "mean": mean,
            "least": least,
            "most": most,
            "deviation": deviation,
            "slope_per_hour": slope,
        }));
    }

    fn fact(&mut self, name: &str, value: f64, unit: &str) {
        // JSON has no infinity, which huge values may add up to.
        if value.is_finite() {
            self.facts.push(json!({"name": name, "value": value, "unit": unit}));
        }
    }

    /// The sentence about it all.
    fn summary(&self, script_wanted: bool) -> String {
        let more = self.told.len().saturating_sub(MOST_TOLD);
        let told = self.told.iter().take(MOST_TOLD).map(String::as_str).collect::<Vec<_>>();
        let more = if more > 0 { format!("; {more} more in `statistics`") } else { String::new() };
        match (told.is_empty(), script_wanted) {
            (false, _) => format!("{}{more} (computed without running Python).", told.join("; ")),
            (true, true) => "The script is in `script`; it only reads, and was not run.".to_owned(),
            (true, false) => {
                "There are no values to compute with; read channels or their archive first, or \
                 give an expression such as 2.5 * (3 + 4)."
                    .to_owned()
            }
        }
    }
}

/// The name of so many values of a unit.
fn amounts(count: usize, unit: &str) -> String {
    if unit.is_empty() { format!("{count} values") } else { format!("{count} values in {unit}") }
}

/// A value with its unit, for people.
fn amount(value: f64, unit: &str) -> String {
    let value = plain(value);
    if unit.is_empty() { value } else { format!("{value} {unit}") }
}

/// Values by their units, in the order in which these come.
fn groups(singles: &[Single]) -> Vec<(&str, Vec<&Single>)> {
    let mut groups: Vec<(&str, Vec<&Single>)> = Vec::new();
    for single in singles {
        match groups.iter().position(|(unit, _)| *unit == single.unit) {
            Some(place) => groups[place].1.push(single),
            None => groups.push((single.unit.as_str(), vec![single])),
        }
    }
    groups
}

/// The pictures of what was given: series always, single values where the task asks for one.
fn pictures(given: &Given, text: &Text) -> Vec<Picture> {
    if !given.curves.is_empty() {
        return match given.curves.first() {
            Some(curve) if text.says(HISTOGRAM) => vec![chart::histogram(curve)],
            _ => chart::lines(&given.curves, "by step"),
        };
    }
    if !text.says(PLOT) && !text.says(HISTOGRAM) {
        return Vec::new();
    }
    let groups = groups(&given.singles).into_iter().filter(|(_, group)| group.len() > 1);
    let picture = |(unit, group): (&str, Vec<&Single>)| {
        let bars: Vec<(&str, f64)> =
            group.iter().map(|single| (single.name.as_str(), single.value)).collect();
        chart::bars(&bars, unit)
    };
    groups.map(picture).collect()
}

/// The script for the channels of the data, else for those that the task names. Only addresses of
/// the table get in, so that nobody's text becomes code.
fn script(given: &Given, task: &str) -> String {
    let mut addresses: Vec<&str> =
        given.names().filter_map(channels::find).map(|channel| channel.address.as_str()).collect();
    addresses.dedup();
    if addresses.is_empty() {
        addresses = finding::by_words(task).into_iter().map(|one| one.address.as_str()).collect();
    }
    if addresses.is_empty() {
        addresses.push("RING:BEAM:CURRENT");
    }
    let quoted: Vec<String> = addresses.iter().map(|address| format!("\"{address}\"")).collect();
    SCRIPT_TEXT.replace("{channels}", &quoted.join(", "))
}

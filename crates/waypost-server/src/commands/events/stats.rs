//! `waypost events stats`: the figures of the turns.

use waypost::observe::convergence::Week;
use waypost::observe::statistics::{Count, Figures, Percentiles, Statistics};

use super::{each, filter_of, nothing};
use crate::cli::EventsStatsArgs;
use crate::config::Config;
use crate::failure::Failure;
use crate::{assemble, output};

/// The number of names of a count that are shown, the most frequent ones.
const NAMES: usize = 8;
/// The number of weeks that are shown, the latest.
const WEEKS: usize = 12;
/// The heights of a bar, from nothing to all.
const BARS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

pub(super) async fn run(args: &EventsStatsArgs, config: &Config) -> Result<u8, Failure> {
    let filter = filter_of(&args.of)?;
    let mut statistics = Statistics::default();
    match assemble::kept(config).await? {
        Some(store) => {
            each(&store, &filter, |record| {
                statistics.add(record);
                Ok(())
            })
            .await?;
        }
        None if !args.json => return nothing(config),
        None => {}
    }
    let figures = statistics.figures();
    if args.json {
        output::json_pretty(&figures)?;
    } else {
        rows(&figures).iter().try_for_each(|(name, value)| {
            output::line(output::dim(&format!("{name:<24}")) + " " + value)
        })?;
    }
    Ok(0)
}

fn rows(figures: &Figures) -> Vec<(&'static str, String)> {
    let period = match (&figures.first, &figures.last) {
        (Some(first), Some(last)) => format!("{}, from {first} to {last}", figures.turns),
        _ => figures.turns.to_string(),
    };
    let choices = &figures.choices;
    let tools = &figures.tools;
    let per_turn =
        figures.llm_calls_per_turn.map(|calls| format!(", {calls:.2} a turn")).unwrap_or_default();
    let errors = if tools.errors.is_empty() {
        String::new()
    } else {
        format!("; failed tries: {}", counts(&tools.errors))
    };
    let number = |number: Option<u64>| number.map_or("-".to_owned(), |number| number.to_string());
    vec![
        ("turns", period),
        ("layers", shares(&figures.layers, figures.turns)),
        ("actions", shares(&figures.actions, figures.turns)),
        ("routes", shares(&figures.routes, figures.turns)),
        ("clarify rate", percent(figures.clarify_rate)),
        (
            "clarifications per task",
            format!("{} (median)", number(figures.clarifications_per_task)),
        ),
        ("repeated questions", figures.repeated_questions.to_string()),
        (
            "choices taken",
            format!("{} of {}, {}", choices.taken, choices.shown, percent(choices.acceptance_rate)),
        ),
        ("matched by", counts(&figures.matched_by)),
        ("gates and refusals", counts(&figures.gates)),
        ("model calls", format!("{}{per_turn}", figures.llm_calls)),
        ("decided by a model", model_share(figures)),
        ("by week", by_week(&figures.weeks)),
        (
            "audited",
            format!(
                "{}, a model agreed with {} ({})",
                figures.audits.asked,
                figures.audits.agreed,
                percent(figures.audits.agreement)
            ),
        ),
        ("drift", counts(&figures.drift)),
        ("tool calls", format!("{}, {} failed{errors}", tools.calls, tools.failed)),
        ("classification", latency(figures.classification_latency_ms)),
        ("tool", latency(figures.tool_latency_ms)),
        ("total", latency(figures.total_latency_ms)),
        ("contract broken", counts(&figures.contract)),
        ("dropped", counts(&figures.dropped)),
        ("degraded", counts(&figures.degraded)),
    ]
}

fn model_share(figures: &Figures) -> String {
    let stage = figures.stage.map(|stage| format!(", stage `{}`", stage.name));
    format!("{}{}", percent(figures.model_share), stage.unwrap_or_default())
}

/// The share of each of the latest weeks, as a picture and in figures.
fn by_week(weeks: &[Week]) -> String {
    let latest = &weeks[weeks.len().saturating_sub(WEEKS)..];
    let (Some(first), Some(last)) = (latest.first(), latest.last()) else { return "-".to_owned() };
    let bar = |week: &Week| BARS[(week.share * (BARS.len() - 1) as f64).ceil() as usize];
    let bars: String = latest.iter().map(bar).collect();
    let [begin, end] = [first, last].map(|week| percent(Some(week.share)));
    format!("{bars}  {begin} in the week of {} to {end} in that of {}", first.from, last.from)
}

fn percent(share: Option<f64>) -> String {
    share.map_or("-".to_owned(), |share| format!("{:.1}%", share * 100.0))
}

fn latency(percentiles: Option<Percentiles>) -> String {
    percentiles.map_or("-".to_owned(), |p| {
        format!("p50 {} p95 {} p99 {} of {}", ms(p.p50), ms(p.p95), ms(p.p99), p.count)
    })
}

fn ms(milliseconds: f64) -> String {
    if milliseconds < 10.0 {
        format!("{milliseconds:.2} ms")
    } else {
        format!("{milliseconds:.0} ms")
    }
}

fn shares(counts: &Count, of: u64) -> String {
    let share = |count: u64| percent((of > 0).then(|| count as f64 / of as f64));
    named(counts, |count| format!("{count} ({})", share(count)))
}

fn counts(counts: &Count) -> String {
    named(counts, |count| count.to_string())
}

/// The most frequent first.
fn named(counts: &Count, show: impl Fn(u64) -> String) -> String {
    let mut sorted: Vec<(&String, &u64)> = counts.iter().collect();
    sorted.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let mut shown: Vec<String> = sorted
        .iter()
        .take(NAMES)
        .map(|(name, count)| format!("{name} {}", show(**count)))
        .collect();
    if sorted.len() > NAMES {
        shown.push(format!("{} more", sorted.len() - NAMES));
    }
    if shown.is_empty() { "-".to_owned() } else { shown.join(", ") }
}

//! `waypost events stats`: the figures of the turns.

use waypost::observe::convergence::Week;
use waypost::observe::statistics::{Count, Figures, Percentiles, RouteUsage, Statistics};
use waypost::ports::model::Usage;
use waypost::records::event::ToolTokens;

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
    let mut figures = statistics.figures();
    price(&mut figures.usage, config);
    if args.json {
        output::json_pretty(&figures)?;
    } else {
        rows(&figures).iter().try_for_each(|(name, value)| {
            output::line(output::dim(&format!("{name:<24}")) + " " + value)
        })?;
    }
    Ok(0)
}

/// Fills in what calls cost, where the price of their model is known.
fn price(usage: &mut [RouteUsage], config: &Config) {
    for calls in usage {
        let price = config.price(calls.slot, &calls.model);
        calls.cost = price.map(|price| price.of(calls.tokens));
    }
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
        ("tokens", all_tokens(&figures.usage)),
        ("tokens by route, slot", tokens_by_route(&figures.usage)),
        ("tokens for tools", tokens_for_tools(&figures.usage)),
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

/// The tokens of all calls together.
fn all_tokens(usage: &[RouteUsage]) -> String {
    if usage.is_empty() {
        return "-".to_owned();
    }
    let mut all = Usage::default();
    usage.iter().for_each(|calls| all += calls.tokens);
    let costs = usage.iter().filter_map(|calls| calls.cost);
    let uncounted = match usage.iter().map(|calls| calls.uncounted).sum::<u64>() {
        0 => String::new(),
        calls => format!("; not known of {calls} calls"),
    };
    tokens(all, costs.reduce(|sum, cost| sum + cost)) + &uncounted
}

/// The tokens of each route from each slot, those with the most first.
fn tokens_by_route(usage: &[RouteUsage]) -> String {
    let mut sorted: Vec<&RouteUsage> = usage.iter().collect();
    sorted.sort_by_key(|calls| {
        std::cmp::Reverse(calls.tokens.prompt.saturating_add(calls.tokens.reply))
    });
    let of_route = |calls: &&RouteUsage| {
        let RouteUsage { slot, model, route, cost, .. } = calls;
        format!("{route} by {} {model} {}", slot.name(), tokens(calls.tokens, *cost))
    };
    let mut shown: Vec<String> = sorted.iter().take(NAMES).map(of_route).collect();
    if sorted.len() > NAMES {
        shown.push(format!("{} more", sorted.len() - NAMES));
    }
    if shown.is_empty() { "-".to_owned() } else { shown.join("; ") }
}

/// The tokens by which models were told of tools, and what all schemas would have taken.
fn tokens_for_tools(usage: &[RouteUsage]) -> String {
    let mut told = ToolTokens::default();
    usage.iter().for_each(|calls| told += calls.tools);
    match told.all {
        0 => "-".to_owned(),
        all => format!("about {} sent, {all} with all schemas", told.sent),
    }
}

/// Tokens in and out, and their cost where it is known.
fn tokens(tokens: Usage, cost: Option<f64>) -> String {
    let cached = (tokens.prompt > 0).then(|| tokens.cached as f64 / tokens.prompt as f64);
    let cost = cost.map(|cost| format!(", cost {cost:.4}")).unwrap_or_default();
    format!("{} in ({} cached), {} out{cost}", tokens.prompt, percent(cached), tokens.reply)
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

#[cfg(test)]
mod tests {
    use waypost::ports::model::Slot;

    use super::*;

    fn calls(route: &str, tokens: (u64, u64, u64), cost: Option<f64>) -> RouteUsage {
        let (prompt, cached, reply) = tokens;
        RouteUsage {
            slot: Slot::Main,
            model: "m".to_owned(),
            route: route.to_owned(),
            calls: 2,
            uncounted: 1,
            tokens: Usage { prompt, cached, reply },
            tools: ToolTokens { sent: 40, all: 900 },
            cost,
        }
    }

    #[test]
    fn tokens_are_shown_with_their_cost_where_it_is_known() {
        let usage = [calls("chat", (60, 30, 5), None), calls("explain", (140, 70, 20), Some(0.5))];
        assert_eq!(
            all_tokens(&usage),
            "200 in (50.0% cached), 25 out, cost 0.5000; not known of 2 calls"
        );
        assert_eq!(
            tokens_by_route(&usage),
            "explain by main m 140 in (50.0% cached), 20 out, cost 0.5000; \
             chat by main m 60 in (50.0% cached), 5 out"
        );
        assert_eq!(tokens_for_tools(&usage), "about 80 sent, 1800 with all schemas");
        assert_eq!(tokens_for_tools(&[]), "-");
        assert_eq!((all_tokens(&[]), tokens_by_route(&[])), ("-".to_owned(), "-".to_owned()));
        assert_eq!(tokens(Usage::default(), None), "0 in (- cached), 0 out");
    }

    #[test]
    fn a_model_that_the_slot_had_before_has_no_cost() {
        let file = "[models.main]\nurl = \"http://h\"\nmodel = \"m\"\n\
                    price = { prompt = 1, reply = 1 }\n";
        let config: Config = toml::from_str(file).unwrap();
        let before = RouteUsage { model: "n".to_owned(), ..calls("chat", (1, 0, 1), None) };
        let mut usage = [calls("chat", (1_000_000, 0, 0), None), before];
        price(&mut usage, &config);
        assert_eq!((usage[0].cost, usage[1].cost), (Some(1.0), None));
    }
}

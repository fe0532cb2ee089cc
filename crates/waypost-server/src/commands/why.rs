//! `waypost why`: everything that lies behind a decision, for people who look rather than read.

use serde_json::Value as Json;
use tokio_util::sync::CancellationToken;
use unicode_width::UnicodeWidthStr;
use waypost::observe::why::{
    ArgumentView, CallView, ClassView, Flip, FlipsTo, GateState, LayerState, LayerView, Learned,
    Likely, Piece, Speaks, Why,
};
use waypost::records::decision::{Decision, Reason, Source};

use super::chat::clean;
use crate::assemble::{self, AssemblyOptions};
use crate::cli::WhyArgs;
use crate::config::Config;
use crate::failure::Failure;
use crate::output::{self, Shown, Style};
use crate::sources;

/// The width of a bar, in characters.
const BAR: usize = 24;
/// The probability below which routes and tools are noise; the first two are always shown.
const WORTH_SHOWING: f64 = 0.01;
/// The margin at which a piece fills its bar.
const FULL_MARGIN: f64 = 0.5;
/// The longest value that is shown whole, in characters.
const LONGEST: usize = 60;

pub(super) async fn run(args: &WhyArgs, config: &Config) -> Result<u8, Failure> {
    let request = super::request(&args.request, super::text(&args.text)?);
    let options =
        AssemblyOptions { bundle: args.request.student.file.clone(), ..AssemblyOptions::default() };
    let sourced = sources::load(&args.request.source, config, &options).await?;
    let options = AssemblyOptions { live: sourced.live, ..options };
    let router = assemble::router(sourced.pack, config, &options).await?;
    let why = router.why(&request, &CancellationToken::new()).await?;
    if args.json {
        output::json_pretty(&why)?;
    } else {
        for line in lines(&why) {
            output::line(line)?;
        }
    }
    Ok(0)
}

fn lines(why: &Why) -> Vec<Shown> {
    let mut lines = outcome(&why.decision);
    lines.push(labeled("threshold", flip(why)));
    lines.push(Shown::default());
    lines.push(title("layers"));
    lines.extend(why.layers.iter().map(layer));
    lines.push(title("what the student makes of it"));
    lines.push(format!("  sees {}", shortened(&spaced(&why.masked))).into());
    lines.extend(learned(&why.student));
    if !why.values.is_empty() || !why.mentions.is_empty() {
        lines.push(title("what the words say"));
        lines.extend(why.values.iter().map(value));
        for named in &why.mentions {
            let names: Vec<String> =
                named.names.iter().map(|(list, key)| format!("{list} {key}")).collect();
            let typo = if named.typo { ", nearly" } else { "" };
            let names = names.join(", ");
            let text = padded(&named.text, 16);
            lines.push(format!("  {text}  {names}  {}{typo}", named.stance).into());
        }
    }
    lines.extend(why.calls.iter().flat_map(call));
    lines.push(title("gates"));
    lines.extend(gates(why));
    lines
}

fn gates(why: &Why) -> Vec<Shown> {
    let named = |state: GateState| {
        let own = why.gates.iter().filter(|gate| gate.state == state);
        own.map(|gate| match &gate.reason {
            Some(reason) => format!("{} ({reason})", gate.gate),
            None => gate.gate.to_owned(),
        })
        .collect::<Vec<_>>()
        .join(", ")
    };
    let states = [
        (GateState::Open, "open"),
        (GateState::Closed, "closed"),
        (GateState::NotAsked, "not asked"),
    ];
    let lines = states.map(|(state, name)| (state, name, named(state)));
    let said = lines.into_iter().filter(|(_, _, gates)| !gates.is_empty());
    said.map(|(state, name, gates)| {
        let line = format!("  {name:<9} {gates}");
        if state == GateState::Closed { output::bold(&line) } else { line.into() }
    })
    .collect()
}

fn outcome(decision: &Decision) -> Vec<Shown> {
    let mut what = decision.route.clone();
    for call in &decision.calls {
        what.push_str(&format!(" {}", call.tool));
    }
    let reason = decision.reason.as_ref().map(Reason::to_string);
    let reason = reason.filter(|reason| *reason != decision.route);
    let reason = reason.map(|reason| format!(" ({reason})")).unwrap_or_default();
    let (sure, layer) = (figure(decision.confidence), decision.layer.name());
    let said = format!("{}{reason}: {what}, {sure} by {layer}", decision.decision.name());
    let mut lines = vec![labeled("decision", output::bold(&said))];
    lines.push(labeled("because", &decision.rationale));
    if let Some(question) = &decision.question {
        lines.push(labeled("asks", &question.text));
    }
    lines
}

fn labeled(name: &str, text: impl Into<Shown>) -> Shown {
    Shown::from(format!("{name:<12} ")) + text
}

fn title(text: &str) -> Shown {
    output::bold(text)
}

fn layer(view: &LayerView) -> Shown {
    let state = format!("{:<14}", view.state.name());
    let state = match view.state {
        LayerState::Decided => output::bold(&state),
        LayerState::Off | LayerState::Absent | LayerState::NotAsked => output::dim(&state),
        LayerState::Abstained | LayerState::Failed => state.into(),
    };
    let mut line = Shown::from(format!("  {:<9} ", view.layer.name())) + state;
    if let Some(confidence) = view.confidence {
        let threshold = view.threshold;
        let threshold =
            threshold.map(|at| format!(" (threshold {})", figure(at))).unwrap_or_default();
        line = line + format!(" {}{threshold}", figure(confidence));
    }
    if let Some(proposal) = &view.proposal {
        line = line + format!("  {proposal}");
    }
    if let Some(rationale) = &view.rationale {
        line = line + output::dim(&format!("  {rationale}"));
    }
    line.trimmed()
}

fn learned(student: &Learned) -> Vec<Shown> {
    let mut lines = likely("route", &student.routes);
    lines.extend(likely("tool", &student.tools));
    lines.push(threshold_line("in scope", "", student.in_scope));
    lines.push("  like these examples".into());
    for near in &student.nearest {
        let label = match near.tools.as_slice() {
            [] => near.route.clone(),
            tools => format!("{}: {}", near.route, tools.join(", ")),
        };
        let text = shortened(&near.text);
        let near = format!("    {}  {text}  ", figure(near.similarity));
        lines.push(Shown::from(near) + output::dim(&label));
    }
    lines.extend(student.classes.iter().flat_map(class));
    lines
}

fn likely(kind: &str, all: &[Likely]) -> Vec<Shown> {
    let shown = all
        .iter()
        .enumerate()
        .filter(|(index, likely)| *index < 2 || likely.probability >= WORTH_SHOWING);
    shown.map(|(_, likely)| threshold_line(kind, &likely.name, likely.probability)).collect()
}

fn threshold_line(kind: &str, name: &str, share: f64) -> Shown {
    let line = format!("  {kind:<8} {}  {}", figure(share), padded(name, 18));
    Shown::from(line.trim_end()) + bar(share)
}

/// A bar where people look; nothing where a program or a file reads.
fn bar(share: f64) -> Shown {
    if !output::is_terminal() {
        return Shown::default();
    }
    /// Eighths of a character, so that short bars differ too.
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (share.clamp(0.0, 1.0) * (BAR * 8) as f64).round() as usize;
    let bar = format!("{}{}", "█".repeat(eighths / 8), PARTS[eighths % 8]);
    " " + output::styled(bar, Style::CYAN)
}

fn class(view: &ClassView) -> Vec<Shown> {
    let side = |words: &str, pieces: &[Piece]| {
        let shown: Vec<Shown> = pieces.iter().map(piece).collect();
        let shown = if shown.is_empty() { vec!["    nothing".into()] } else { shown };
        let head = format!("  {words} {} `{}`", view.kind, view.name);
        std::iter::once(head.into()).chain(shown).collect::<Vec<_>>()
    };
    let mut lines = side("for the", &view.in_favor);
    lines.extend(side("against the", &view.against));
    lines
}

fn piece(piece: &Piece) -> Shown {
    let seen = piece.seen_as.as_deref().map(|seen| output::dim(&format!(" as {}", spaced(seen))));
    let share = piece.margin.abs() / FULL_MARGIN;
    Shown::from(format!("    {:+.2}", piece.margin))
        + bar(share)
        + "  "
        + shortened(&piece.text)
        + seen.unwrap_or_default()
}

fn value(record: &Json) -> Shown {
    let text = |key: &str| record[key].as_str().unwrap_or_default();
    let shown = match &record["value"] {
        Json::Null => format!("impossible: {}", text("fault")),
        value => shortened(&value.to_string()),
    };
    let line = format!("  {}  {} {shown}  ", padded(text("text"), 16), text("kind"));
    Shown::from(line) + output::dim(text("rule"))
}

fn call(view: &CallView) -> Vec<Shown> {
    let mut lines = vec![title(&format!("arguments of {}", view.tool))];
    lines.extend(view.arguments.iter().flat_map(argument));
    lines
}

fn argument(view: &ArgumentView) -> Vec<Shown> {
    let name = padded(&view.name, 16);
    let Some(value) = &view.value else {
        let open = if view.required { "open, and required" } else { "open" };
        let line = Shown::from(format!("  {name}  ")) + output::dim(open);
        return std::iter::once(line).chain(lost(view)).collect();
    };
    let receipt = match &view.evidence {
        Some(evidence) => match &evidence.text {
            Some(text) => format!("“{}”, {}", shortened(text), evidence.by),
            None if evidence.source == Source::Default => "the pack's default".to_owned(),
            None => format!("{} {}", source(evidence.source), evidence.by),
        },
        None => "no receipt".to_owned(),
    };
    let value = shortened(&value.to_string());
    let receipt = format!("{receipt}{}", weighed(&view.features));
    let line = Shown::from(format!("  {name}  {value}  ")) + output::dim(&receipt);
    std::iter::once(line).chain(lost(view)).collect()
}

/// What speaks for a value, behind its receipt.
fn weighed(features: &[Speaks]) -> String {
    let each = features.iter().map(|one| format!("{} {:+.2}", one.feature, one.adds));
    let each: Vec<String> = each.collect();
    if each.is_empty() { String::new() } else { format!("; {}", each.join(", ")) }
}

/// Where a value without words comes from.
fn source(source: Source) -> &'static str {
    match source {
        Source::Span => "the words,",
        Source::Memory => "an earlier call,",
        Source::Default => "the pack's default,",
        Source::Option => "a choice that was shown,",
        Source::Llm => "a model,",
        Source::Caller => "the caller,",
    }
}

fn lost(view: &ArgumentView) -> Vec<Shown> {
    let line = |lost: &waypost::observe::why::Lost| {
        let values: Vec<String> =
            lost.values.iter().map(|value| shortened(&value.to_string())).collect();
        let text = lost.text.as_deref().map(|text| format!(" “{}”", shortened(text)));
        let text = text.unwrap_or_default();
        let weighed = weighed(&lost.features);
        let values = values.join(" or ");
        let offered = format!("not {values}, offered by {}{text}{weighed}", lost.matcher);
        Shown::from(format!("  {}  ", padded("", 16))) + output::dim(&offered)
    };
    view.lost.iter().map(line).collect()
}

/// The smallest change that would have led elsewhere, in a sentence.
fn flip(why: &Why) -> String {
    let Some(flip) = why.flips.first() else {
        return format!(
            "none: {} decided, and no confidence would have changed it",
            why.decision.layer.name()
        );
    };
    let (confidence, against) = (figure(flip.confidence), figure(flip.against));
    let change = figure(enough(flip));
    let side = if is_less(flip) { "less" } else { "more" };
    match &flip.to {
        FlipsTo::Route(name) | FlipsTo::Tool(name) => format!(
            "{confidence} against {against} for `{name}`: {change} {side} would have made it `{name}`"
        ),
        to => format!("{confidence} against the threshold {against}: {change} {side} {}", end(to)),
    }
}

fn end(to: &FlipsTo) -> String {
    match to {
        FlipsTo::Teacher => "would have asked the teacher".to_owned(),
        FlipsTo::Student => "would have been enough for the student".to_owned(),
        FlipsTo::Run => "would have run it".to_owned(),
        FlipsTo::Ask => "would have asked what is meant".to_owned(),
        FlipsTo::Rephrase => "would have asked for other words".to_owned(),
        FlipsTo::Route(name) | FlipsTo::Tool(name) => format!("would have made it `{name}`"),
    }
}

fn is_less(flip: &Flip) -> bool {
    flip.change <= 0.0
}

/// The change in hundredths that is surely enough: what stands at a threshold has passed it.
fn enough(flip: &Flip) -> f64 {
    let hundredths = flip.change.abs() * 100.0;
    // A hair is what rounding to six digits may have taken.
    let hair = 1e-3;
    let less = (hundredths + hair).floor() + 1.0;
    let steps = if is_less(flip) { less } else { (hundredths - hair).ceil() };
    steps / 100.0
}

/// A share with as many digits as tell it from 0 and 1.
fn figure(share: f64) -> String {
    format!("{share:.2}")
}

/// Text on at least so many columns.
fn padded(text: &str, width: usize) -> String {
    let text = clean(text);
    let columns = text.width();
    format!("{text}{}", " ".repeat(width.saturating_sub(columns)))
}

/// A text of one line, cut where it is long.
fn shortened(text: &str) -> String {
    waypost::records::request::shorten(&clean(text), LONGEST)
}

/// Returns the text as the student sees it, without the doubled spaces around the kinds.
fn spaced(masked: &str) -> String {
    masked.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_told_so_that_it_is_enough() {
        let told = |confidence: f64, threshold: f64| {
            let change = threshold - confidence;
            enough(&Flip { confidence, against: threshold, change, to: FlipsTo::Run })
        };
        assert!((told(0.71, 0.7) - 0.02).abs() < 1e-9);
        assert!((told(0.715, 0.7) - 0.02).abs() < 1e-9);
        assert!((told(0.7, 0.7) - 0.01).abs() < 1e-9);
        assert!((told(0.6, 0.7) - 0.1).abs() < 1e-9);
        assert!((told(0.605, 0.7) - 0.1).abs() < 1e-9);
    }
}

//! The pictures: reliability, risk and coverage, scope. Each has its numbers in a table below it.

use maud::{Markup, html};
use waypost::learning::evaluate::coverage::{Point, at_threshold, risk_coverage};
use waypost::learning::evaluate::reliability::{
    Bin, calibration_error, calibration_error_by_chance, reliability,
};
use waypost::learning::evaluate::scope::{BINS, Scope};

use super::chart::{Plot, ceiling};
use super::tables::{Head, numbers, table};
use super::words::{between, count, percent, several, share};

/// A threshold of the pack: from this confidence something happens.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Threshold {
    pub(super) name: String,
    pub(super) at: f64,
}

/// The seed of the draws that say what chance would do: they are the same in every report.
pub(super) const SEED: u64 = 1;
/// The most points of a drawn line.
const POINTS: usize = 240;
/// The radius of the dot of the fullest bin, and of the emptiest.
const DOTS: (f64, f64) = (9.0, 2.5);

/// Returns the section that shows how often each confidence was right.
pub(super) fn reliability_section(rows: &[(f32, bool)], thresholds: &[Threshold]) -> Markup {
    let bins: Vec<Bin> = reliability(rows).into_iter().filter(|bin| bin.right.of > 0).collect();
    let (error, chance) = (calibration_error(rows), calibration_error_by_chance(rows, SEED));
    let verdict = if error <= chance { "no more than chance" } else { "more than chance" };
    let about = format!(
        "Calibration error {}; confidences that were all true would show up to {} on as many \
         cases, so this is {verdict}.",
        percent(error),
        percent(chance)
    );
    let plot = Plot { x_max: 1.0, y_max: 1.0 };
    let most = bins.iter().map(|bin| bin.right.of).max().unwrap_or(1) as f64;
    let line: Vec<(f64, f64)> = bins.iter().map(|b| (b.confidence, b.right.value())).collect();
    let drawn = html! {
        (plot.line(&[(0.0, 0.0), (1.0, 1.0)], "ideal"))
        @for bin in &bins {
            @let height = 0.16 * bin.right.of as f64 / most;
            @let title = format!("{} between {:.2} and {:.2}", cases(bin), bin.from, bin.to);
            (plot.bar((bin.from + 0.004, bin.to - 0.004), (0.0, height), "count", &title))
        }
        @for (row, threshold) in thresholds.iter().enumerate() { (upright(plot, row, threshold)) }
        (plot.line(&line, "curve"))
        @for bin in &bins {
            @let x = bin.confidence;
            @let size = DOTS.1 + (DOTS.0 - DOTS.1) * (bin.right.of as f64 / most).sqrt();
            @let title = format!("said {}, right {} of {}", percent(x), share(bin.right), cases(bin));
            (plot.line(&[(x, bin.right.low), (x, bin.right.high)], "doubt"))
            (plot.dot((x, bin.right.value()), size, "dot", &title))
        }
    };
    let row = |bin: &Bin| {
        vec![
            format!("{:.2}–{:.2}", bin.from, bin.to),
            count(bin.right.of),
            percent(bin.confidence),
            share(bin.right),
            between(bin.right.low, bin.right.high),
        ]
    };
    let heads = ["confidence", "cases", "said", "right", "95% interval"];
    let names = ("how sure it said it was", "how often the route was right");
    let picture = plot.picture(("Reliability diagram", &about), names, &drawn);
    let explained = "On the dashed line, what is said with 80% is right in 80 of 100. A dot is larger \
                     where more cases lie; its line is the 95% interval, the gray bars count cases.";
    section(
        "reliability",
        "Do confidences mean what they say?",
        &about,
        explained,
        &html! { figure { (picture) } (numbers(&heads, bins.iter().map(row))) },
    )
}

fn cases(bin: &Bin) -> String {
    several(bin.right.of, "case")
}

/// One of the pack's thresholds, with its name on a row of its own.
fn upright(plot: Plot, row: usize, threshold: &Threshold) -> Markup {
    let at = threshold.at;
    // Dots lie down here only for a student that is worse than a coin.
    let height = plot.y_max * (0.2 + 0.06 * row as f64);
    let (anchor, beside) = if at > 0.5 { ("end", -0.012) } else { ("start", 0.012) };
    let words = format!("{} {at:.2}", threshold.name);
    html! {
        (plot.line(&[(at, 0.0), (at, plot.y_max)], "bar"))
        (plot.label((at + beside, height), anchor, "said", &words))
    }
}

/// Returns the section that shows how much can be decided at which risk.
pub(super) fn coverage_section(rows: &[(f32, bool)], thresholds: &[Threshold]) -> Markup {
    let points = risk_coverage(rows);
    let y_max = ceiling(points.iter().map(|point| steady(*point)).fold(0.0, f64::max) * 1.1);
    let plot = Plot { x_max: 1.0, y_max };
    let line: Vec<(f64, f64)> = thinned(&points).map(|p| (p.coverage(), p.risk())).collect();
    let marks: Vec<(&str, Point)> =
        thresholds.iter().map(|known| (&*known.name, at_threshold(rows, known.at))).collect();
    let drawn = html! {
        (plot.area(&line, "under"))
        @if y_max > 0.01 {
            (plot.line(&[(0.0, 0.01), (1.0, 0.01)], "ideal"))
            (plot.label((0.01, 0.01 + 0.015 * y_max), "start", "", "1% wrong"))
        }
        (plot.line(&line, "curve"))
        @for (row, (name, point)) in marks.iter().enumerate() {
            @let (x, y) = (point.coverage(), point.risk());
            @let above = (y + y_max * (0.04 + 0.055 * row as f64)).min(0.97 * y_max);
            (plot.dot((x, y), 6.0, "mark", &passed(name, point)))
            (plot.label((x, above), "end", "said", &format!("{name} {:.2}", point.threshold)))
        }
    };
    let about = match marks.first() {
        Some((name, point)) => passed(name, point),
        None => "Deciding only the surest cases leaves fewer mistakes.".to_owned(),
    };
    let row = |share: usize| {
        let wanted = share * rows.len();
        let point = points.iter().find(|point| point.taken * 10 >= wanted)?;
        let cells = [percent(point.coverage()), format!("{:.3}", point.threshold)];
        Some(
            [&cells[..], &[count(point.taken), count(point.wrong), percent(point.risk())]].concat(),
        )
    };
    let heads = ["decided", "from confidence", "cases", "wrong", "share wrong"];
    let explained = "From left to right more is decided, the surest cases first; the height is the \
                     share of wrong routes among what is decided. The lower, the better.";
    let names = ("share of the cases that is decided", "share of these that is wrong");
    let picture = plot.picture(("Risk-coverage curve", &about), names, &drawn);
    section(
        "coverage",
        "How much can be decided at which risk?",
        &about,
        explained,
        &html! { figure { (picture) } (numbers(&heads, (1..=10).filter_map(row))) },
    )
}

/// The risk of a point that rests on more than a few cases: the first few are all or nothing.
fn steady(point: Point) -> f64 {
    if point.taken * 50 >= point.of { point.risk() } else { 0.0 }
}

fn passed(name: &str, point: &Point) -> String {
    format!(
        "At the bar “{name}” ({:.2}) {} of the cases pass, and {} of these have the wrong route.",
        point.threshold,
        percent(point.coverage()),
        percent(point.risk())
    )
}

/// Returns so few points that a line through them cannot be told from one through all.
fn thinned(points: &[Point]) -> impl Iterator<Item = &Point> {
    let step = points.len().div_ceil(POINTS).max(1);
    let last = points.len().saturating_sub(1);
    let kept = move |index: &usize| index.is_multiple_of(step) || *index == last;
    points.iter().enumerate().filter(move |(index, _)| kept(index)).map(|(_, point)| point)
}

/// Returns the section that shows how well texts that belong nowhere are told from the others.
pub(super) fn scope_section(scope: &Scope) -> Markup {
    let about = format!(
        "{} belong to a route and {} to none. Of one of either kind, the one that belongs to a route \
         has the higher probability {} of the time (AUROC).",
        several(scope.inside, "text"),
        count(scope.outside),
        percent(scope.auroc)
    );
    let shares: Vec<(f64, f64)> = scope
        .bins
        .iter()
        .map(|(a, b)| (*a as f64 / scope.inside as f64, *b as f64 / scope.outside as f64))
        .collect();
    let top = ceiling(shares.iter().map(|(a, b)| a.max(*b)).fold(0.0, f64::max));
    let plot = Plot { x_max: 1.0, y_max: top };
    let width = 1.0 / BINS as f64;
    let title = |kind: &str, share: f64, from: f64| {
        format!("{} of the texts {kind}: {from:.2} to {:.2}", percent(share), from + width)
    };
    let drawn = html! {
        @for (index, (inside, outside)) in shares.iter().enumerate() {
            @let from = index as f64 * width;
            @let within = (from + 0.08 * width, from + 0.92 * width);
            (plot.bar(within, (0.0, *inside), "inside", &title("of a route", *inside, from)))
            (plot.bar(within, (0.0, *outside), "outside", &title("of none", *outside, from)))
        }
    };
    let names = ("probability of belonging to a route", "share of the texts");
    let histogram = plot.picture(("Histogram of scope", &about), names, &drawn);
    let square = Plot { x_max: 1.0, y_max: 1.0 };
    let drawn = html! {
        (square.line(&[(0.0, 0.0), (1.0, 1.0)], "ideal"))
        (square.area(&scope.curve, "under"))
        (square.line(&scope.curve, "curve"))
    };
    let names = ("texts of a route that are turned away", "texts of none that are caught");
    let curve = square.picture(("Receiver operating characteristic", &about), names, &drawn);
    let heads = ["probability", "of a route", "of none"];
    let row = |(index, (inside, outside)): (usize, &(usize, usize))| {
        let from = index as f64 * width;
        vec![format!("{from:.2}–{:.2}", from + width), count(*inside), count(*outside)]
    };
    let two = html! {
        div class="pair" {
            figure {
                (histogram)
                ul class="key" {
                    li { i {} "belongs to a route (filled)" }
                    li class="out" { i {} "belongs to none (outlined)" }
                }
            }
            figure { (curve) }
        }
        (numbers(&heads, scope.bins.iter().enumerate().map(row)))
    };
    section("scope", "What belongs nowhere", &about, "", &two)
}

/// A section of the page: its name for links, its title, what it says and how it is read.
pub(super) fn section(
    id: &str,
    title: &str,
    about: &str,
    explained: &str,
    inner: &Markup,
) -> Markup {
    html! {
        section id=(id) {
            h2 { (title) }
            @if !about.is_empty() { p class="" { (about) } }
            @if !explained.is_empty() { p class="note" { (explained) } }
            (inner)
        }
    }
}

/// A plain table in a section of its own.
pub(super) fn table_section(
    id: &str,
    (title, about): (&str, &str),
    heads: &[Head<'_>],
    rows: &[Vec<Markup>],
) -> Markup {
    section(id, title, about, "", &table(heads, rows))
}

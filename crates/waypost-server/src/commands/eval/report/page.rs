//! The page: its head, the figures in large, and the sections in the order of reading.

use maud::{Markup, PreEscaped, html};
use waypost::learning::evaluate::coverage::coverage_interval;
use waypost::learning::evaluate::matrix::{confused, matrix};
use waypost::learning::evaluate::reliability::calibration_error_by_chance;
use waypost::learning::evaluate::scope::scope;
use waypost::learning::evaluate::slices::{by_route, slices};
use waypost::learning::evaluate::{Report, Share, judged};
use waypost::printable;

use super::super::case::Case;
use super::super::tally::{Judged, Tally};
use super::errors::errors_section;
use super::figures::{
    SEED, coverage_section, reliability_section, scope_section, section, table_section,
};
use super::words::{between, count, percent, several};
use super::{Kind, Subject, tables};
use crate::cli::EvalArgs;
use crate::failure::Failure;

/// The most routes of a matrix; of more, only the most confused pairs are shown.
const MOST_ROUTES: usize = 40;
/// The most pairs of confused routes.
const PAIRS: usize = 30;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// The policy of the page: nothing is loaded from anywhere, and no script runs but the page's own.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; \
                      script-src 'nonce-waypost'; base-uri 'none'; form-action 'none'";

/// The whole page.
pub(super) fn page(
    args: &EvalArgs,
    cases: &[Case],
    tally: &Tally,
    measured: &Report,
    subject: &Subject,
) -> Result<String, Failure> {
    let sections = sections(args, cases, tally, subject)?;
    let title = format!("{}: {} · waypost eval", subject.name, several(tally.n(), "case"));
    let page = html! {
        (PreEscaped("<!doctype html>\n"))
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    (heading(args, tally, subject))
                    nav aria-label="Sections" {
                        @for (id, name, _) in &sections { a href={ "#" (id) } { (name) } }
                    }
                }
                main {
                    (tiles(cases, tally, measured))
                    @for (_, _, section) in &sections { (section) }
                }
                (footer())
                script nonce="waypost" { (PreEscaped(SCRIPT)) }
            }
        }
        "\n"
    };
    Ok(printable::page(&page.into_string()).into_owned())
}

fn heading(args: &EvalArgs, tally: &Tally, subject: &Subject) -> Markup {
    let kind = match subject.kind {
        Kind::Pack(_) => "pack",
        Kind::Student(_) => "student",
    };
    let file = args.cases.file_name().unwrap_or_default().to_string_lossy();
    let facts = [
        (kind, subject.name.clone()),
        ("bundle", subject.bundle.clone()),
        ("cases", format!("{} of {file}", count(tally.n()))),
        ("run at", crate::commands::now()),
        ("by", format!("waypost {}", env!("CARGO_PKG_VERSION"))),
    ];
    html! {
        h1 { small { "waypost eval" } (subject.name.split('@').next().unwrap_or_default()) }
        dl class="facts" {
            @for (name, value) in facts { div { dt { (name) } dd class="mono" { (value) } } }
        }
    }
}

/// The figures in large.
fn tiles(cases: &[Case], tally: &Tally, measured: &Report) -> Markup {
    let rows = judged(&tally.rows);
    let plain = cases.iter().all(|case| case.expect.is_none());
    let of = if plain { rows.len() } else { tally.n() };
    let mut tiles = vec![tile("right", "", Share::new(tally.right, of))];
    if !plain {
        tiles.push(tile("asked needlessly", "bad", Share::new(tally.asked, of)));
        tiles.push(tile("ran something wrong", "bad", Share::new(tally.wrong_run, of)));
    }
    if !rows.is_empty() {
        let chance = calibration_error_by_chance(&rows, SEED);
        let note = format!("all true, chance alone would show up to {}", percent(chance));
        let range = self::range(measured.ece, (0.0, chance));
        tiles.push(figure("calibration error", "", measured.ece, &range, &note));
        let (low, high) = coverage_interval(&rows, 0.99, SEED);
        let note = format!("95%: {} (bootstrap)", between(low, high));
        let covered = measured.coverage_at_99;
        let range = self::range(covered, (low, high));
        tiles.push(figure("decided at 99% right", "", covered, &range, &note));
    }
    html! { div class="tiles" { @for tile in tiles { (tile) } } }
}

fn tile(name: &str, class: &str, share: Share) -> Markup {
    let note = format!(
        "{} of {} · 95%: {}",
        count(share.part),
        count(share.of),
        between(share.low, share.high)
    );
    figure(name, class, share.value(), &range(share.value(), (share.low, share.high)), &note)
}

fn figure(name: &str, class: &str, value: f64, range: &Markup, note: &str) -> Markup {
    let class = format!("tile {class}");
    html! {
        div class=(class.trim_end()) {
            h3 { (name) }
            div class="big" { (percent(value)) }
            (range)
            p class="note" { (note) }
        }
    }
}

/// Draws where a share and its interval lie between nothing and all.
fn range(value: f64, (low, high): (f64, f64)) -> Markup {
    let interval = format!("left:{:.2}%;width:{:.2}%", 100.0 * low, 100.0 * (high - low));
    let point = format!("left:{:.2}%", 100.0 * value);
    html! { div class="range" aria-hidden="true" { i style=(interval) {} b style=(point) {} } }
}

type Section = (&'static str, &'static str, Markup);

/// Returns the sections that there are, each with its name for links and its name for people.
fn sections(
    args: &EvalArgs,
    cases: &[Case],
    tally: &Tally,
    subject: &Subject,
) -> Result<Vec<Section>, Failure> {
    let mut sections = Vec::new();
    let rows = judged(&tally.rows);
    if rows.is_empty() {
        let about =
            "No case names its route, so there is nothing to say of routes and confidences.";
        let none = section("routes", "Routes", about, "", &html! {});
        sections.push(("routes", "Routes", none));
    } else {
        sections.push(("confusion", "Confusion", confusion(tally)));
        let two = html! {
            div class="pair" {
                (reliability_section(&rows, &subject.thresholds))
                (coverage_section(&rows, &subject.thresholds))
            }
        };
        sections.push(("reliability", "Confidence", two));
        let plain = cases.iter().all(|case| case.expect.is_none());
        sections.push(("routes", "Routes", routes(tally, plain)));
    }
    sections.extend(parts(tally));
    let side = |inside: bool| -> Vec<f32> {
        let own = tally.rows.iter().filter(|row| row.label.is_some() == inside);
        own.map(|row| row.in_scope).collect()
    };
    if let Some(scope) = scope(&side(true), &side(false)) {
        sections.push(("scope", "Scope", scope_section(&scope)));
    }
    sections.push(("errors", "Worst errors", errors_section(args, cases, tally, subject)?));
    Ok(sections)
}

/// Languages and layers where they are known, tools and arguments where cases expect any.
fn parts(tally: &Tally) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    let seen = tally.seen();
    let sliced = |of: fn(&Judged) -> Option<&'static str>| {
        let found = slices(&seen, |index| of(&tally.judged[index]));
        found.iter().map(tables::slice_row).collect::<Vec<_>>()
    };
    let languages = sliced(|judged| judged.language);
    if !languages.is_empty() {
        let words = ("By language", "The language that each case was taken for.");
        let heads = tables::slice_heads("language");
        let table = table_section("languages", words, &heads, &languages);
        sections.push(("languages", "Languages", table));
    }
    let layers = sliced(|judged| judged.layer);
    if !layers.is_empty() {
        let words = ("By layer", "Who decided, and how well.");
        let table = table_section("layers", words, &tables::slice_heads("layer"), &layers);
        sections.push(("layers", "Layers", table));
    }
    if !tally.by_tool.is_empty() {
        let rows: Vec<_> = tally.by_tool.iter().map(tables::tool_row).collect();
        let about = share_of("call exactly the expected tools", tally.tools);
        let table = table_section("tools", ("By tool", &about), &tables::TOOL_HEADS, &rows);
        sections.push(("tools", "Tools", table));
    }
    if !tally.by_argument.is_empty() {
        let rows: Vec<_> = tally.by_argument.iter().map(tables::argument_row).collect();
        let about = share_of("have every expected argument right", tally.arguments);
        let words = ("By argument", &*about);
        let table = table_section("arguments", words, &tables::ARGUMENT_HEADS, &rows);
        sections.push(("arguments", "Arguments", table));
    }
    sections
}

fn share_of(what: &str, (right, of): (usize, usize)) -> String {
    let share = Share::new(right, of);
    let cases = several(of, "case");
    format!("Of {cases} that expect any, {} {what}.", percent(share.value()))
}

/// Routes against routes, or where they are too many the pairs that are confused most.
fn confusion(tally: &Tally) -> Markup {
    let matrix = matrix(&tally.rows, MOST_ROUTES);
    let (title, about) = if matrix.is_some() {
        let about = "A row for each right route, a column for each that was given: what lies off \
                     the diagonal is confused. Colors are shares of the row.";
        ("Which route is taken for which", about.to_owned())
    } else {
        let about = format!(
            "There are more than {MOST_ROUTES} routes, too many for a matrix: these are the pairs \
             that are confused most often."
        );
        ("Which routes are confused", about)
    };
    let split = html! {
        div class="split" {
            @if let Some(matrix) = &matrix { (tables::matrix(matrix)) }
            div { (pairs(tally)) }
        }
    };
    section("confusion", title, &about, "", &split)
}

fn pairs(tally: &Tally) -> Markup {
    let pairs = confused(&tally.rows);
    let shown: Vec<_> = pairs.iter().take(PAIRS).map(tables::pair_row).collect();
    let left_out = pairs.len() - shown.len();
    html! {
        @if pairs.is_empty() {
            p { "No route was taken for another." }
        } @else {
            h3 { "Most confused pairs" }
            (tables::table(&tables::PAIR_HEADS, &shown))
        }
        @if left_out > 0 {
            p class="note" { (several(left_out, "pair")) " with fewer cases are left out." }
        }
    }
}

fn routes(tally: &Tally, plain: bool) -> Markup {
    let mut routes = by_route(&tally.seen());
    // The routes that need attention first; those without cases last.
    routes.sort_by(|a, b| a.recall.value().total_cmp(&b.recall.value()));
    routes.sort_by_key(|route| route.recall.of == 0);
    let all = if plain { "" } else { " All right: with tools and arguments." };
    let about = format!(
        "Precision: of the cases given to a route, those that belong to it. Recall: of those that \
         belong to it, the ones given to it.{all} The weakest routes stand first."
    );
    let rows: Vec<_> = routes.iter().map(|route| tables::route_row(route, plain)).collect();
    table_section("routes", ("By route", &about), &tables::route_heads(plain), &rows)
}

fn footer() -> Markup {
    let text = "Intervals are those of Wilson, 95%, if nothing else is said. The calibration error is \
                the expected one over 15 bins of equal width; what chance alone would show comes from \
                200 draws in which every confidence is true. “Decided at 99% right” is the \
                largest share of the cases, the surest first, of which 99% have the right route. \
                Confidences are judged by the route, errors by everything that a case expects.";
    html! { footer { p { (text) } } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_leaves_its_place() {
        let nasty = "<script>alert('x')</script> \" & \u{202e}\u{0}";
        let markup = html! { td title=(nasty) { (nasty) } }.into_string();
        let body = printable::page(&markup);
        assert_eq!(body.matches('<').count(), 2, "{body}");
        assert_eq!(body.matches('"').count(), 2, "{body}");
        assert!(!body.contains('\u{202e}') && !body.contains('\u{0}'));
        assert!(body.contains("&lt;script&gt;") && body.contains("U+202E"), "{body}");
    }
}

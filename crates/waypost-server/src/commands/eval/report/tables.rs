//! The tables: routes against routes, and the figures of each route, language, layer, tool, argument.

use maud::{Markup, html};
use waypost::learning::evaluate::Share;
use waypost::learning::evaluate::matrix::{Confused, Matrix};
use waypost::learning::evaluate::slices::{RouteSlice, Slice};
use waypost::records::request::shorten;

use super::super::tally::{ArgumentTally, ToolTally};
use super::words::{between, count, percent, several, share};

/// The most rows of a table; the number of those left out is said.
pub(super) const ROWS: usize = 300;
/// The most routes whose names and shares fit into the cells of a matrix.
const WIDE: usize = 12;
/// The longest name that is shown whole, in characters.
const LONGEST: usize = 80;

/// The head of a column: words stand on its left side, numbers on its right.
#[derive(Debug, Clone, Copy)]
pub(super) enum Head<'a> {
    Words(&'a str),
    Number(&'a str),
}

/// Numbers behind a picture, folded away.
pub(super) fn numbers(heads: &[&str], rows: impl Iterator<Item = Vec<String>>) -> Markup {
    let cells = |row: Vec<String>| row.iter().map(|cell| number(cell, cell)).collect();
    let rows: Vec<Vec<Markup>> = rows.map(cells).collect();
    let heads: Vec<Head<'_>> = heads.iter().map(|head| Head::Number(head)).collect();
    html! { details { summary { "The same in numbers" } (table(&heads, &rows)) } }
}

/// A table that scrolls by itself where it is wider than the page.
pub(super) fn table(heads: &[Head<'_>], rows: &[Vec<Markup>]) -> Markup {
    let left_out = rows.len().saturating_sub(ROWS);
    html! {
        div class="scroll" tabindex="0" {
            table class="sortable" {
                thead {
                    tr {
                        @for head in heads {
                            @match head {
                                Head::Words(name) => th scope="col" { (name) },
                                Head::Number(name) => th scope="col" class="num" { (name) },
                            }
                        }
                    }
                }
                tbody {
                    @for row in rows.iter().take(ROWS) { tr { @for cell in row { (cell) } } }
                }
            }
        }
        @if left_out > 0 {
            p class="note" { (several(left_out, "row")) " more are left out." }
        }
    }
}

/// A cell with a number, sorted by `value`.
pub(super) fn number(text: &str, value: &str) -> Markup {
    html! { td class="num" data-v=(value) { (text) } }
}

fn counted(n: usize) -> Markup {
    number(&count(n), &n.to_string())
}

/// A share with a bar, its interval when it is pointed at; sorted below all where there is none.
fn meter(part: Share) -> Markup {
    if part.of == 0 {
        return number("–", "-1");
    }
    let (value, interval) = (part.value(), between(part.low, part.high));
    let title = format!("{} of {}; 95% interval {interval}", count(part.part), count(part.of));
    html! {
        td class="num" data-v=(format_args!("{value:.5}")) title=(title) {
            span class="meter" { i style=(format_args!("width:{:.1}%", 100.0 * value)) {} }
            (share(part))
        }
    }
}

fn mean(confidence: f64, n: usize) -> Markup {
    if n == 0 {
        number("–", "-1")
    } else {
        number(&format!("{confidence:.2}"), &format!("{confidence:.5}"))
    }
}

/// A cell with words.
fn words(text: &str) -> Markup {
    html! { td class="words" { bdi { (shorten(text, LONGEST)) } } }
}

/// The head of a row.
pub(super) fn name(text: &str) -> Markup {
    html! { th scope="row" { bdi { (shorten(text, LONGEST)) } } }
}

/// The heads of a table of routes; where there are `plain` labels alone, being right is the recall
/// and nothing is asked.
pub(super) fn route_heads(plain: bool) -> Vec<Head<'static>> {
    let mut heads = vec![Head::Words("route")];
    heads.extend(["cases", "precision", "recall"].map(Head::Number));
    if !plain {
        heads.extend(["all right", "asked"].map(Head::Number));
    }
    heads.push(Head::Number("mean confidence"));
    heads
}

pub(super) fn route_row(route: &RouteSlice, plain: bool) -> Vec<Markup> {
    let slice = &route.slice;
    let mut row = vec![name(&slice.name), counted(slice.right.of)];
    row.extend([meter(route.precision), meter(route.recall)]);
    if !plain {
        row.extend([meter(slice.right), meter(slice.asked)]);
    }
    row.push(mean(slice.confidence, slice.right.of));
    row
}

/// The heads of a table of slices; the first names what they are of.
pub(super) fn slice_heads(of: &str) -> [Head<'_>; 5] {
    let [cases, right, asked, mean] = ["cases", "all right", "asked", "mean confidence"];
    [
        Head::Words(of),
        Head::Number(cases),
        Head::Number(right),
        Head::Number(asked),
        Head::Number(mean),
    ]
}

pub(super) fn slice_row(slice: &Slice) -> Vec<Markup> {
    vec![
        name(&slice.name),
        counted(slice.right.of),
        meter(slice.right),
        meter(slice.asked),
        mean(slice.confidence, slice.right.of),
    ]
}

pub(super) const TOOL_HEADS: [Head<'_>; 5] = [
    Head::Words("tool"),
    Head::Number("expected"),
    Head::Number("called then"),
    Head::Number("called needlessly"),
    Head::Words("most often instead"),
];

pub(super) fn tool_row((tool, tally): (&String, &ToolTally)) -> Vec<Markup> {
    let most = tally.instead.iter().max_by_key(|(_, n)| **n);
    let instead = most.map_or("–".to_owned(), |(tools, n)| format!("{tools} ({n})"));
    vec![
        name(tool),
        counted(tally.n),
        meter(Share::new(tally.found, tally.n)),
        counted(tally.needless),
        words(&instead),
    ]
}

pub(super) const ARGUMENT_HEADS: [Head<'_>; 5] = [
    Head::Words("argument"),
    Head::Number("expected"),
    Head::Number("right"),
    Head::Number("missing"),
    Head::Number("another value"),
];

pub(super) fn argument_row((argument, tally): (&String, &ArgumentTally)) -> Vec<Markup> {
    vec![
        name(argument),
        counted(tally.n),
        meter(Share::new(tally.right, tally.n)),
        counted(tally.missing),
        counted(tally.n - tally.right - tally.missing),
    ]
}

pub(super) const PAIR_HEADS: [Head<'_>; 4] = [
    Head::Words("right route"),
    Head::Words("taken for"),
    Head::Number("cases"),
    Head::Number("of its cases"),
];

pub(super) fn pair_row(pair: &Confused) -> Vec<Markup> {
    vec![
        name(&pair.label),
        words(&pair.predicted),
        counted(pair.n),
        meter(Share::new(pair.n, pair.of)),
    ]
}

/// Routes against routes: the right ones in rows, the given ones in columns.
pub(super) fn matrix(matrix: &Matrix) -> Markup {
    let wide = matrix.routes.len() <= WIDE;
    let class = if wide { "" } else { "turned" };
    let rows = || matrix.routes.iter().zip(&matrix.counts).enumerate();
    html! {
        div class="scroll" tabindex="0" {
            table class="matrix" {
                thead {
                    tr {
                        th scope="col" { "right ↓  given →" }
                        @for route in &matrix.routes {
                            th scope="col" class=(class) title=(route) { span { (shown(route)) } }
                        }
                    }
                }
                tbody {
                    @for (right, (route, counts)) in rows() {
                        @let of = counts.iter().sum();
                        tr {
                            th scope="row" title=(route) { (shown(route)) }
                            @for (given, (name, n)) in matrix.routes.iter().zip(counts).enumerate() {
                                @let title = format!("{route} given as {name}: {}", several(*n, "case"));
                                (cell(Share::new(*n, of), right == given, wide, &title))
                            }
                        }
                    }
                }
            }
        }
    }
}

fn shown(route: &str) -> Markup {
    html! { bdi { (shorten(route, LONGEST / 2)) } }
}

/// A cell of the matrix: its count, its share of the row, and as much color as that share.
fn cell(part: Share, right: bool, wide: bool, title: &str) -> Markup {
    if part.part == 0 {
        return html! { td class="zero" title=(title) { "·" } };
    }
    // Roots, so that the few mistakes of a good student are seen at all.
    let heat = format!("--v:{:.0}%", 100.0 * part.value().sqrt());
    let class = if right { "ok" } else { "no" };
    let of_row = percent(part.value());
    html! {
        td class=(class) style=(heat) title={ (title) " (" (of_row) " of the row)" } {
            (count(part.part))
            @if wide { small { (of_row) } }
        }
    }
}

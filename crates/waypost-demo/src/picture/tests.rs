//! Pictures are well-formed SVG, readable without colors, and say what they show.

use super::classes::COLORS;
use super::svg::escape;
use super::{
    Area, Bars, Boxes, Candle, Candles, Caption, Classes, Heatmap, Histogram, Line, Lines, Map,
    Picture, Pie,
};

/// Returns the first fault that a browser would refuse: tags that do not match, attributes without
/// quotes, bare `&`.
pub(crate) fn fault_of(svg: &str) -> Option<String> {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = svg;
    while let Some(start) = rest.find('<') {
        if let Some(fault) = fault_of_text(&rest[..start]) {
            return Some(fault);
        }
        let Some(length) = rest[start..].find('>') else {
            return Some(format!("no end: {}", &rest[start..]));
        };
        let tag = &rest[start + 1..start + length];
        rest = &rest[start + length + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            if open.pop() != Some(name) {
                return Some(format!("`{name}` ends, but did not begin last"));
            }
            continue;
        }
        let (body, closed) = tag.strip_suffix('/').map_or((tag, false), |body| (body, true));
        let (name, attributes) = body.split_once(' ').unwrap_or((body, ""));
        let parts: Vec<&str> = attributes.split('"').collect();
        let named = parts.iter().step_by(2).filter(|part| !part.trim().is_empty());
        if parts.len().is_multiple_of(2) || !named.clone().all(|part| part.ends_with('=')) {
            return Some(format!("attributes of `{tag}`"));
        }
        if let Some(fault) = parts.iter().skip(1).step_by(2).find_map(|part| fault_of_text(part)) {
            return Some(fault);
        }
        if !closed {
            open.push(name);
        }
    }
    open.last().map(|name| format!("`{name}` does not end"))
}

fn fault_of_text(text: &str) -> Option<String> {
    let known = ["amp;", "lt;", "gt;", "quot;", "apos;"];
    let bare = |after: &&str| !known.iter().any(|entity| after.starts_with(entity));
    let control = |c: char| c.is_control() && c != '\n';
    text.split('&')
        .skip(1)
        .find(bare)
        .map(str::to_owned)
        .or_else(|| text.contains(control).then(|| format!("a control character in {text:?}")))
}

fn caption() -> Caption {
    let title = "A <b> & \"c\"".to_owned();
    Caption { title, measure: "it's".to_owned(), source: "synthetic data", decimals: 1 }
}

fn shows(picture: &Picture, expected: &[&str]) {
    assert_eq!(fault_of(&picture.svg), None);
    assert_eq!(picture.title, caption().title);
    assert!(
        picture.svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 760 ")
    );
    assert!(picture.svg.contains("A &lt;b&gt; &amp; &quot;c&quot;</text>"));
    assert!(picture.svg.contains("Source: synthetic data</text>"));
    for words in expected {
        assert!(picture.svg.contains(words), "no {words} in {}", picture.svg);
    }
}

#[test]
fn faults_of_svg_are_found() {
    for (svg, fault) in [
        ("<a><b></a></b>", "`a` ends"),
        ("<a>", "does not end"),
        ("<a b=c\"d\"/>", "attributes"),
        ("<a>R&D</a>", "D"),
        ("<a>\u{7}</a>", "control"),
        ("<a b=\"&lt;\"><c/>x</a><d", "no end"),
    ] {
        let found = fault_of(svg).unwrap_or_default();
        assert!(found.contains(fault), "{svg}: {found}");
    }
}

#[test]
fn texts_cannot_break_out() {
    assert_eq!(
        escape("</text><script>'&\"\u{1b}"),
        "&lt;/text&gt;&lt;script&gt;&apos;&amp;&quot; "
    );
    assert_eq!(escape("蚊帳 màn"), "蚊帳 màn");
}

#[test]
fn classes_get_darker_one_by_one() {
    let luminance = |color: &&str| -> u32 {
        let part = |at: usize| u32::from_str_radix(&color[at..at + 2], 16).expect("a color");
        part(1) * 299 + part(3) * 587 + part(5) * 114
    };
    let shades: Vec<u32> = COLORS.iter().map(luminance).collect();
    assert!(shades.windows(2).all(|two| two[0] > two[1] + 30_000), "{shades:?}");
}

#[test]
fn classes_are_of_equal_width() {
    let classes = Classes::over([10.0, 20.0, 14.9].into_iter()).expect("classes");
    assert_eq!([10.0, 11.9, 12.0, 19.9, 20.0].map(|value| classes.of(value)), [0, 0, 1, 4, 4]);
    assert_eq!(classes.name(4, 0), "18 to 20");
    let one = Classes::over([3.0].into_iter()).expect("classes");
    assert_eq!((one.len(), one.of(3.0), one.name(0, 1)), (1, 0, "3.0".to_owned()));
    assert!(Classes::over(std::iter::empty()).is_none());
}

#[test]
fn a_map_names_its_areas_and_draws_borders_between_groups_only() {
    let square = |x: f64| [(x, 0.0), (x + 10.0, 0.0), (x + 10.0, 10.0), (x, 10.0)];
    let outlines = [square(0.0), square(10.0), square(20.0)];
    let area = |index: usize, group| Area {
        name: ["A&B", "C", "D"][index],
        group,
        outline: &outlines[index],
        value: [Some(1.0), Some(2.0), None][index],
    };
    let areas = vec![area(0, "West"), area(1, "West"), area(2, "East")];
    let picture = Map { caption: caption(), missing: "none here", areas }.draw();
    let expected = ["<title>A&amp;B, West: 1.0</title>", "<title>D, East: none here</title>"];
    shows(&picture, &expected);
    // Ten edges in all: one of them is within the west.
    assert_eq!(picture.svg.matches("<line").count(), 9);
    assert_eq!(picture.svg.matches("<polygon").count(), 3);
}

#[test]
fn charts_show_their_values() {
    let bars = Bars { caption: caption(), bars: vec![("x", -1.0), ("<y>", 1234.0)] }.draw();
    shows(&bars, &["<title>x: −1.0</title>", ">1,234.0</text>", "&lt;y&gt;"]);
    let groups = vec![("g", [1.0, 2.0, 3.0, 4.0, 5.0])];
    let boxes = Boxes { caption: caption(), groups }.draw();
    shows(&boxes, &["<title>g: 1.0 | 2.0 | 3.0 | 4.0 | 5.0</title>"]);
    let counts = [1, 0, 0, 0, 0, 0, 0, 7];
    let histogram = Histogram { caption: caption(), stretch: (0.0, 16.0), counts }.draw();
    shows(&histogram, &["<title>14.0 to 16.0: 7</title>"]);
    let line = Line { caption: caption(), points: vec![("a", 5.0)] }.draw();
    shows(&line, &["<title>a: 5.0</title>"]);
    let rows = vec![("r", vec![(1.0, "7 km".to_owned())])];
    let heatmap = Heatmap { caption: caption(), columns: vec!["c"], rows }.draw();
    shows(&heatmap, &["<title>r, c: 7 km</title>", COLORS[4]]);
    let pie = Pie { caption: caption(), parts: vec![("low".to_owned(), 3)] }.draw();
    shows(&pie, &["<circle", "<title>low: 3</title>"]);
    let parts = vec![("low".to_owned(), 1), ("high".to_owned(), 3)];
    // A quarter ends on the right, where the other part begins.
    shows(&Pie { caption: caption(), parts }.draw(), &["A160,160 0 0 1 400,240", "0 1 1 240,80"]);
}

#[test]
fn candles_show_their_four_prices_and_rises_are_hollow() {
    let candle = |name: &str, open: f64, close: f64| Candle {
        name: name.to_owned(),
        open,
        high: 9.0,
        low: 1.0,
        close,
    };
    let candles = vec![candle("d1", 2.0, 8.0), candle("d2", 8.0, 2.0), candle("d3", 5.0, 5.0)];
    let picture = Candles { caption: caption(), candles }.draw();
    shows(&picture, &["<title>d1: open 2.0, high 9.0, low 1.0, close 8.0</title>", ">d3</text>"]);
    // The sheet has a white rectangle too.
    assert_eq!(picture.svg.matches("fill=\"#ffffff\"").count(), 2);
}

#[test]
fn lines_end_together_and_are_named_with_their_last_value() {
    let lines = vec![("a".to_owned(), vec![1.0, 2.0, 3.0]), ("b".to_owned(), vec![2.5])];
    let picture = Lines { caption: caption(), lines }.draw();
    shows(&picture, &["a: 3.0</text>", "b: 2.5</text>", "<title>b: 2.5</title>"]);
    assert_eq!(picture.svg.matches("cx=\"720\"").count(), 2);
}

#[test]
fn nothing_to_show_is_still_a_picture() {
    shows(&Candles { caption: caption(), candles: Vec::new() }.draw(), &[]);
    shows(&Lines { caption: caption(), lines: Vec::new() }.draw(), &[]);
    let empty = vec![("a".to_owned(), Vec::new())];
    shows(&Lines { caption: caption(), lines: empty }.draw(), &[]);
    shows(&Bars { caption: caption(), bars: Vec::new() }.draw(), &[]);
    shows(&Line { caption: caption(), points: Vec::new() }.draw(), &[]);
    shows(&Pie { caption: caption(), parts: Vec::new() }.draw(), &[]);
    shows(&Map { caption: caption(), missing: "", areas: Vec::new() }.draw(), &[]);
    let infinite = Bars { caption: caption(), bars: vec![("x", f64::INFINITY)] };
    assert_eq!(fault_of(&infinite.draw().svg), None);
}

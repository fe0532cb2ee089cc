//! A map of areas, each in the color of its value's class.

use std::collections::BTreeMap;

use super::classes::{Classes, MISSING};
use super::sheet::{self, INK, LABEL, TOP};
use super::svg::{Anchor, Point, Style};
use super::{Caption, Picture};
use crate::number::shown;

/// The height of a map's sheet; outlines are on a sheet of 560 by 430.
const HEIGHT: f64 = 540.0;
/// The corner where the outlines' own sheet begins.
const CORNER: Point = (10.0, TOP);
/// The corner where the legend begins.
const LEGEND: Point = (596.0, 120.0);

/// The content of a map.
#[derive(Debug)]
pub(crate) struct Map<'a> {
    pub(crate) caption: Caption,
    /// The meaning of an area without a value.
    pub(crate) missing: &'a str,
    pub(crate) areas: Vec<Area<'a>>,
}

/// One area.
#[derive(Debug)]
pub(crate) struct Area<'a> {
    pub(crate) name: &'a str,
    /// The group that it is a part of.
    pub(crate) group: &'a str,
    pub(crate) outline: &'a [Point],
    pub(crate) value: Option<f64>,
}

impl Map<'_> {
    pub(crate) fn draw(&self) -> Picture {
        let mut svg = sheet::begin(&self.caption, HEIGHT);
        let classes = Classes::over(self.areas.iter().filter_map(|area| area.value));
        for area in &self.areas {
            let color = match (classes, area.value) {
                (Some(classes), Some(value)) => classes.color(value),
                _ => MISSING,
            };
            svg.polygon(&placed(area.outline), color, &self.tooltip(area));
        }
        for (from, to) in borders(&self.areas) {
            svg.line(on_sheet(from), on_sheet(to), INK, 1.6);
        }
        for (group, center) in centers(&self.areas) {
            let style = Style { size: 14.0, bold: true, anchor: Anchor::Middle, ..LABEL };
            // A white shadow, so that the name can be read on dark areas too.
            for shift in [(-1.0, 0.0), (1.0, 0.0), (0.0, -1.0), (0.0, 1.0)] {
                let at = (center.0 + shift.0, center.1 + shift.1);
                svg.text(at, Style { fill: "#ffffff", ..style }, group);
            }
            svg.text(center, style, group);
        }
        let mut entries =
            classes.map_or_else(Vec::new, |classes| classes.legend(self.caption.decimals));
        if self.areas.iter().any(|area| area.value.is_none()) {
            entries.push((MISSING, self.missing.to_owned()));
        }
        sheet::legend(&mut svg, LEGEND, &entries);
        sheet::end(svg, &self.caption)
    }

    fn tooltip(&self, area: &Area<'_>) -> String {
        let value = area.value.map(|value| shown(value, self.caption.decimals));
        let value = value.unwrap_or_else(|| self.missing.to_owned());
        format!("{}, {}: {value}", area.name, area.group)
    }
}

fn on_sheet(point: Point) -> Point {
    (point.0 + CORNER.0, point.1 + CORNER.1)
}

fn placed(outline: &[Point]) -> Vec<Point> {
    outline.iter().copied().map(on_sheet).collect()
}

/// The edges between areas of different groups, and those with nothing on the other side.
fn borders(areas: &[Area<'_>]) -> Vec<(Point, Point)> {
    /// Points as whole tenths, which can be compared.
    type Key = (i64, i64);
    let key = |point: Point| -> Key {
        ((point.0 * 10.0).round() as i64, (point.1 * 10.0).round() as i64)
    };
    let mut edges: BTreeMap<(Key, Key), (Point, Point, Vec<&str>)> = BTreeMap::new();
    for area in areas {
        let next = area.outline.iter().cycle().skip(1);
        for (from, to) in area.outline.iter().copied().zip(next.copied()) {
            let ends = (key(from).min(key(to)), key(from).max(key(to)));
            edges.entry(ends).or_insert((from, to, Vec::new())).2.push(area.group);
        }
    }
    let is_border = |groups: &[&str]| groups.len() == 1 || groups[0] != groups[1];
    let borders = edges.into_values().filter(|(_, _, groups)| is_border(groups));
    borders.map(|(from, to, _)| (from, to)).collect()
}

/// Returns the place of each group's name: the middle of its areas' corners.
fn centers<'a>(areas: &[Area<'a>]) -> BTreeMap<&'a str, Point> {
    let mut corners: BTreeMap<&str, Vec<Point>> = BTreeMap::new();
    for area in areas {
        corners.entry(area.group).or_default().extend(area.outline);
    }
    let middle = |corners: Vec<Point>| {
        let count = corners.len().max(1) as f64;
        let sum = corners.iter().fold((0.0, 0.0), |sum, point| (sum.0 + point.0, sum.1 + point.1));
        on_sheet((sum.0 / count, sum.1 / count))
    };
    corners.into_iter().map(|(group, corners)| (group, middle(corners))).collect()
}

//! The sheet that all pictures are drawn on: title above, legend beside, source below.

use super::svg::{Anchor, Point, Style, Svg};
use super::{Caption, Picture};

/// The width of every sheet, in units of the sheet.
pub(super) const WIDTH: f64 = 760.0;
/// The top edge of drawings, below the title.
pub(super) const TOP: f64 = 64.0;
/// The height left below a drawing for the source and the numbers of an axis.
pub(super) const BELOW: f64 = 72.0;

/// The color of words and strong lines.
pub(super) const INK: &str = "#222222";
/// The color of what stands in the background.
pub(super) const FAINT: &str = "#666666";
/// The color of thin lines behind values.
pub(super) const RULE: &str = "#dddddd";
/// The color of marks in pictures that need only one; dark enough on white for everybody.
pub(super) const MARK: &str = "#2f6690";

/// Words in the size of labels.
pub(super) const LABEL: Style =
    Style { size: 12.0, fill: INK, anchor: Anchor::Start, bold: false, turn: 0.0 };

/// Begins a sheet that is `height` high.
pub(super) fn begin(caption: &Caption, height: f64) -> Svg {
    let mut svg = Svg::new(WIDTH, height, &format!("{}. {}", caption.title, caption.source));
    svg.text((24.0, 32.0), Style { size: 18.0, bold: true, ..LABEL }, &caption.title);
    svg.text((24.0, 50.0), Style { fill: FAINT, ..LABEL }, &caption.measure);
    let source = Style { size: 11.0, fill: FAINT, ..LABEL };
    svg.text((24.0, height - 12.0), source, &format!("Source: {}", caption.source));
    svg
}

/// Ends a sheet.
pub(super) fn end(svg: Svg, caption: &Caption) -> Picture {
    Picture { title: caption.title.clone(), svg: svg.finish() }
}

/// Colors with what they mean, one below the other.
pub(super) fn legend(svg: &mut Svg, at: Point, entries: &[(&str, String)]) {
    for (row, (color, words)) in entries.iter().enumerate() {
        let y = at.1 + 22.0 * row as f64;
        svg.rectangle((at.0, y), (16.0, 16.0), color, "");
        svg.text((at.0 + 24.0, y + 12.5), LABEL, words);
    }
}

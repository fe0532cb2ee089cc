//! Writes SVG: a few shapes, escaped texts, numbers with one decimal.

use std::fmt::Write;

/// A drawing under way.
#[derive(Debug)]
pub(super) struct Svg {
    width: f64,
    height: f64,
    label: String,
    body: String,
}

/// The style of a text at its point.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    /// In units of the sheet.
    pub(super) size: f64,
    /// The color.
    pub(super) fill: &'static str,
    /// The part of it that stands at the point.
    pub(super) anchor: Anchor,
    /// True if it is bold.
    pub(super) bold: bool,
    /// Degrees that it is turned around its point, clockwise.
    pub(super) turn: f64,
}

/// The part of a text that stands at its point.
#[derive(Debug, Clone, Copy)]
pub(super) enum Anchor {
    /// Its beginning.
    Start,
    /// Its middle.
    Middle,
    /// Its end.
    End,
}

/// A point of the sheet.
pub(super) type Point = (f64, f64);

impl Svg {
    pub(super) fn new(width: f64, height: f64, label: &str) -> Self {
        Self { width, height, label: label.to_owned(), body: String::new() }
    }

    pub(super) fn rectangle(&mut self, at: Point, size: Point, fill: &str, tooltip: &str) {
        let shape = format!(
            "rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{fill}\"",
            number(at.0),
            number(at.1),
            number(size.0.max(0.0)),
            number(size.1.max(0.0))
        );
        self.shape(&shape, tooltip);
    }

    pub(super) fn polygon(&mut self, outline: &[Point], fill: &str, tooltip: &str) {
        let shape = format!(
            "polygon points=\"{}\" fill=\"{fill}\" stroke=\"#ffffff\" stroke-width=\"0.8\"",
            points(outline)
        );
        self.shape(&shape, tooltip);
    }

    pub(super) fn circle(&mut self, at: Point, radius: f64, fill: &str, tooltip: &str) {
        let (x, y, r) = (number(at.0), number(at.1), number(radius));
        let shape = format!("circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\" fill=\"{fill}\"");
        self.shape(&shape, tooltip);
    }

    /// A slice of a circle, by the parts of a whole turn where it begins and ends.
    pub(super) fn slice(&mut self, center: Point, radius: f64, turn: Point, fill: &str, tip: &str) {
        if turn.1 - turn.0 > 0.9999 {
            // An arc that ends where it begins would be none.
            return self.circle(center, radius, fill, tip);
        }
        let on = |part: f64| {
            let angle = (part - 0.25) * std::f64::consts::TAU;
            (center.0 + radius * angle.cos(), center.1 + radius * angle.sin())
        };
        let (from, to) = (on(turn.0), on(turn.1));
        let large = u8::from(turn.1 - turn.0 > 0.5);
        let r = number(radius);
        let shape = format!(
            "path d=\"M{} L{} A{r},{r} 0 {large} 1 {} Z\" fill=\"{fill}\" stroke=\"#ffffff\"",
            points(&[center]),
            points(&[from]),
            points(&[to])
        );
        self.shape(&shape, tip);
    }

    pub(super) fn line(&mut self, from: Point, to: Point, stroke: &str, width: f64) {
        let _ = writeln!(
            self.body,
            "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"{stroke}\" stroke-width=\"{}\" \
             stroke-linecap=\"round\"/>",
            number(from.0),
            number(from.1),
            number(to.0),
            number(to.1),
            number(width)
        );
    }

    pub(super) fn polyline(&mut self, through: &[Point], stroke: &str) {
        let _ = writeln!(
            self.body,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{stroke}\" stroke-width=\"2\"/>",
            points(through)
        );
    }

    pub(super) fn text(&mut self, at: Point, style: Style, text: &str) {
        let (x, y) = (number(at.0), number(at.1));
        let anchor = match style.anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let weight = if style.bold { " font-weight=\"bold\"" } else { "" };
        let turn = if style.turn == 0.0 {
            String::new()
        } else {
            format!(" transform=\"rotate({} {x} {y})\"", number(style.turn))
        };
        let _ = writeln!(
            self.body,
            "<text x=\"{x}\" y=\"{y}\" font-size=\"{}\" fill=\"{}\" text-anchor=\"{anchor}\"\
             {weight}{turn}>{}</text>",
            number(style.size),
            style.fill,
            escape(text)
        );
    }

    pub(super) fn finish(self) -> String {
        let (width, height) = (number(self.width), number(self.height));
        let label = escape(&self.label);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
             role=\"img\" aria-label=\"{label}\" font-family=\"sans-serif\">\n\
             <title>{label}</title>\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n{}</svg>\n",
            self.body
        )
    }

    /// An element by its name and attributes, with what is shown when one points at it.
    fn shape(&mut self, shape: &str, tooltip: &str) {
        let name = shape.split(' ').next().unwrap_or_default();
        let _ = if tooltip.is_empty() {
            writeln!(self.body, "<{shape}/>")
        } else {
            writeln!(self.body, "<{shape}><title>{}</title></{name}>", escape(tooltip))
        };
    }
}

fn points(all: &[Point]) -> String {
    let all = all.iter().map(|(x, y)| format!("{},{}", number(*x), number(*y)));
    all.collect::<Vec<_>>().join(" ")
}

/// Writes a number with one decimal: a tenth of a unit of the sheet is less than anybody sees.
fn number(value: f64) -> String {
    if value.is_finite() { crate::number::round(value, 1).to_string() } else { "0".to_owned() }
}

/// A text that stands for itself in XML, which has no place for control characters.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            // Noncharacters, which XML forbids as well.
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            other if other.is_control() => escaped.push(' '),
            other => escaped.push(other),
        }
    }
    escaped
}

//! A plot in SVG: two axes from 0, and what is drawn between them. It knows nothing of what it shows.

use maud::{Markup, html};

/// The size of a plot in its own units; the page scales it.
const WIDTH: f64 = 440.0;
const HEIGHT: f64 = 340.0;
/// The margins for the labels on each side.
const LEFT: f64 = 58.0;
const RIGHT: f64 = 22.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 46.0;
/// Steps of an axis.
const STEPS: usize = 5;

/// A plot of two shares.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plot {
    /// The largest value of each axis.
    pub(super) x_max: f64,
    pub(super) y_max: f64,
}

impl Plot {
    fn x(self, x: f64) -> f64 {
        LEFT + (x / self.x_max).clamp(0.0, 1.0) * (WIDTH - LEFT - RIGHT)
    }

    fn y(self, y: f64) -> f64 {
        HEIGHT - BOTTOM - (y / self.y_max).clamp(0.0, 1.0) * (HEIGHT - TOP - BOTTOM)
    }

    /// A line through points.
    pub(super) fn line(self, points: &[(f64, f64)], class: &str) -> Markup {
        html! { path class=(class) d=(self.through(points)) {} }
    }

    /// The area under a line through points.
    pub(super) fn area(self, points: &[(f64, f64)], class: &str) -> Markup {
        let (Some(first), Some(last)) = (points.first(), points.last()) else {
            return html! {};
        };
        let floor = |x: f64| format!("L{:.1} {:.1}", self.x(x), self.y(0.0));
        html! {
            path class=(class) d={ (self.through(points)) (floor(last.0)) (floor(first.0)) "Z" } {}
        }
    }

    fn through(self, points: &[(f64, f64)]) -> String {
        let step = |(index, (x, y)): (usize, &(f64, f64))| {
            let letter = if index == 0 { 'M' } else { 'L' };
            format!("{letter}{:.1} {:.1}", self.x(*x), self.y(*y))
        };
        points.iter().enumerate().map(step).collect()
    }

    /// A dot that says what it is when it is pointed at.
    pub(super) fn dot(self, (x, y): (f64, f64), radius: f64, class: &str, title: &str) -> Markup {
        html! {
            circle class=(class) cx=(tenths(self.x(x))) cy=(tenths(self.y(y))) r=(tenths(radius)) {
                title { (title) }
            }
        }
    }

    /// A rectangle between two corners.
    pub(super) fn bar(self, x: (f64, f64), y: (f64, f64), class: &str, title: &str) -> Markup {
        let (left, right) = (self.x(x.0), self.x(x.1));
        let (top, bottom) = (self.y(y.1), self.y(y.0));
        let (width, height) = ((right - left).max(0.5), (bottom - top).max(0.0));
        html! {
            rect class=(class) x=(tenths(left)) y=(tenths(top))
                width=(tenths(width)) height=(tenths(height)) { title { (title) } }
        }
    }

    /// A few words beside a point.
    pub(super) fn label(self, (x, y): (f64, f64), anchor: &str, class: &str, text: &str) -> Markup {
        text_at(self.x(x), self.y(y), anchor, class, text)
    }

    /// The whole picture: axes, then what is drawn on them. `about` says in words what it shows.
    pub(super) fn picture(
        self,
        (title, about): (&str, &str),
        (x_name, y_name): (&str, &str),
        drawn: &Markup,
    ) -> Markup {
        let below = HEIGHT - BOTTOM + 17.0;
        let center = (f64::midpoint(LEFT, WIDTH - RIGHT), f64::midpoint(TOP, HEIGHT - BOTTOM));
        html! {
            svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" class="plot" {
                title { (title) }
                desc { (about) }
                @for share in (0..=STEPS).map(|step| step as f64 / STEPS as f64) {
                    @let (x, y) = (share * self.x_max, share * self.y_max);
                    (self.line(&[(0.0, y), (self.x_max, y)], "grid"))
                    (text_at(LEFT - 6.0, self.y(y) + 4.0, "end", "tick", &tick(y, self.y_max)))
                    (text_at(self.x(x), below, "middle", "tick", &tick(x, self.x_max)))
                }
                (self.line(&[(0.0, 0.0), (self.x_max, 0.0)], "axis"))
                (drawn)
                (text_at(center.0, HEIGHT - 8.0, "middle", "name", x_name))
                text class="name" text-anchor="middle"
                    transform={ "translate(12 " (tenths(center.1)) ") rotate(-90)" } { (y_name) }
            }
        }
    }
}

fn text_at(x: f64, y: f64, anchor: &str, class: &str, text: &str) -> Markup {
    html! { text class=(class) x=(tenths(x)) y=(tenths(y)) text-anchor=(anchor) { (text) } }
}

/// A place or a size with one digit: less than anybody sees.
fn tenths(size: f64) -> String {
    format!("{size:.1}")
}

/// A share of an axis in percent, with as many digits as its steps need.
fn tick(value: f64, max: f64) -> String {
    let digits = usize::from(max < 0.05) + usize::from(max < 0.005);
    format!("{:.digits$}%", 100.0 * value)
}

/// The next round share at or above `value`, of which five steps are round too.
pub(super) fn ceiling(value: f64) -> f64 {
    const ROUND: [f64; 14] =
        [0.001, 0.0025, 0.005, 0.01, 0.015, 0.02, 0.03, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 1.0];
    ROUND.into_iter().find(|round| *round >= value).unwrap_or(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_beyond_an_axis_stay_in_the_picture() {
        let plot = Plot { x_max: 1.0, y_max: 0.1 };
        let line = plot.line(&[(-1.0, 0.0), (2.0, 9.0)], "a");
        assert_eq!(line.0, "<path class=\"a\" d=\"M58.0 294.0L418.0 14.0\"></path>");
        assert_eq!(plot.area(&[], "a").0, "");
    }

    #[test]
    fn axes_end_at_round_shares() {
        assert!((ceiling(0.013) - 0.015).abs() < 1e-12 && (ceiling(0.0) - 0.001).abs() < 1e-12);
        assert!((ceiling(7.0) - 1.0).abs() < 1e-12);
        assert_eq!(tick(0.005, 0.025), "0.5%");
        assert_eq!(tick(0.2, 1.0), "20%");
    }
}

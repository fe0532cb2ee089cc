//! Draws the stream as SVG: above how many requests ask the teacher, below how many come out right.
//!
//! It follows the colors that the reader's system prefers, and says in words what it shows.

use std::fmt::Write;

use super::stream::Point;

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 560.0;
/// Left and right edge of both panels.
const LEFT: f64 = 64.0;
const RIGHT: f64 = 700.0;

const STYLE: &str = "\
  svg { background: #fff; font: 13px system-ui, sans-serif; }
  text { fill: #333; }
  .head { font-size: 16px; font-weight: 600; fill: #111; }
  .axis, .tick { stroke: #999; fill: none; }
  .grid { stroke: #e3e3e3; fill: none; }
  .change { stroke: #9a9a9a; stroke-dasharray: 2 4; fill: none; }
  .goal { stroke: #b3541e; stroke-dasharray: 6 4; fill: none; }
  .goal-text { fill: #b3541e; }
  .asked { stroke: #1f5fbf; stroke-width: 2.5; fill: none; }
  .area { fill: #1f5fbf; opacity: 0.12; }
  .asked-text { fill: #1f5fbf; }
  .right { stroke: #1b7f4b; stroke-width: 2.5; fill: none; }
  .right-text { fill: #1b7f4b; }
  .teacher { stroke: #7a4fb0; stroke-width: 2; stroke-dasharray: 7 4; fill: none; }
  .teacher-text { fill: #7a4fb0; }
  @media (prefers-color-scheme: dark) {
    svg { background: #14171a; }
    text { fill: #c9d1d9; }
    .head { fill: #f0f3f6; }
    .axis, .tick { stroke: #6b737c; }
    .grid { stroke: #2a3036; }
    .change { stroke: #6b737c; }
    .goal { stroke: #e8935a; } .goal-text { fill: #e8935a; }
    .asked { stroke: #6ea8ff; } .area { fill: #6ea8ff; } .asked-text { fill: #6ea8ff; }
    .right { stroke: #4fd08b; } .right-text { fill: #4fd08b; }
    .teacher { stroke: #c09bf0; } .teacher-text { fill: #c09bf0; }
  }
";

/// A panel: where it stands, and the shares at its lower and upper edge.
struct Panel {
    top: f64,
    bottom: f64,
    low: f64,
    high: f64,
    /// Requests at the right edge.
    requests: f64,
}

impl Panel {
    fn x(&self, requests: f64) -> f64 {
        LEFT + (RIGHT - LEFT) * requests / self.requests.max(1.0)
    }

    fn y(&self, share: f64) -> f64 {
        let share = share.clamp(self.low, self.high);
        self.bottom - (self.bottom - self.top) * (share - self.low) / (self.high - self.low)
    }

    /// The grid with its numbers.
    fn frame(&self, title: &str, ticks: &[f64], out: &mut String) {
        text(out, LEFT, self.top - 10.0, "", "start", title);
        for tick in ticks {
            let y = self.y(*tick);
            line(out, "grid", (LEFT, y), (RIGHT, y));
            text(out, LEFT - 8.0, y + 4.0, "", "end", &format!("{:.0}%", 100.0 * tick));
        }
        line(out, "axis", (LEFT, self.top), (LEFT, self.bottom));
        line(out, "axis", (LEFT, self.bottom), (RIGHT, self.bottom));
    }

    /// A curve through the stretches, each at its middle.
    fn places(&self, points: &[Point], share: impl Fn(&Point) -> f64) -> Vec<(f64, f64)> {
        let mut before = 0;
        let place = |point: &Point| {
            let middle = 0.5 * (before + point.until) as f64;
            before = point.until;
            (self.x(middle), self.y(share(point)))
        };
        points.iter().map(place).collect()
    }
}

/// The curve of a stream; `promoted` says after how many requests another student came into service.
pub(super) fn draw(points: &[Point], promoted: &[usize]) -> String {
    let requests = points.last().map_or(1, |point| point.until) as f64;
    let above = Panel { top: 70.0, bottom: 290.0, low: 0.0, high: 1.0, requests };
    let below = Panel { top: 360.0, bottom: 500.0, low: 0.86, high: 1.0, requests };
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
         aria-labelledby=\"title desc\">\n<title id=\"title\">A student that learns from its teacher</title>\n\
         <desc id=\"desc\">{}</desc>\n<style>\n{STYLE}</style>\n",
        words(points)
    );
    text(
        &mut out,
        LEFT,
        30.0,
        "head",
        "start",
        "A student that learns from its teacher: CLINC150 as a stream",
    );
    above.frame("requests that ask the teacher", &[0.0, 0.25, 0.5, 0.75, 1.0], &mut out);
    below.frame("requests that come out right", &[0.86, 0.9, 0.95, 1.0], &mut out);
    for at in promoted {
        let x = above.x(*at as f64);
        line(&mut out, "change", (x, above.top), (x, above.bottom));
        line(&mut out, "change", (x, below.top), (x, below.bottom));
    }
    let goal = above.y(0.05);
    line(&mut out, "goal", (LEFT, goal), (RIGHT, goal));
    let asked = above.places(points, |point| point.asked);
    area(&mut out, &asked, above.bottom);
    curve(&mut out, "asked", &asked);
    let teacher = below.places(points, |point| point.teacher);
    curve(&mut out, "teacher", &teacher);
    let right = below.places(points, |point| point.right);
    curve(&mut out, "right", &right);
    ends(&mut out, [(&asked, goal), (&right, last(&teacher))]);
    for at in (0..=requests as usize).step_by(2_500) {
        let x = below.x(at as f64);
        line(&mut out, "tick", (x, below.bottom), (x, below.bottom + 5.0));
        text(&mut out, x, below.bottom + 20.0, "", "middle", &thousands(at));
    }
    text(
        &mut out,
        0.5 * (LEFT + RIGHT),
        below.bottom + 42.0,
        "",
        "middle",
        "requests; a dotted line is a student that came into service",
    );
    out.push_str("</svg>\n");
    out
}

/// Names beside the ends of the curves, far enough apart to be read.
fn ends(out: &mut String, [(asked, goal), (right, teacher)]: [(&[(f64, f64)], f64); 2]) {
    let x = RIGHT + 10.0;
    let own = last(asked);
    let (asked, goal) = apart(own, goal);
    text(out, x, asked + 4.0, "asked-text", "start", "asks the teacher");
    text(out, x, goal + 4.0, "goal-text", "start", "goal: 5%");
    let (right, teacher) = apart(last(right), teacher);
    text(out, x, right + 4.0, "right-text", "start", "Waypost");
    text(out, x, teacher + 4.0, "teacher-text", "start", "the teacher alone");
}

fn last(places: &[(f64, f64)]) -> f64 {
    places.last().map_or(0.0, |place| place.1)
}

/// Two heights with a line of text between them.
fn apart(a: f64, b: f64) -> (f64, f64) {
    const LINE: f64 = 17.0;
    let middle = 0.5 * (a + b);
    match (a - b).abs() < LINE {
        true if a <= b => (middle - 0.5 * LINE, middle + 0.5 * LINE),
        true => (middle + 0.5 * LINE, middle - 0.5 * LINE),
        false => (a, b),
    }
}

/// Describes the drawing for those who do not see it.
fn words(points: &[Point]) -> String {
    let share =
        |point: Option<&Point>, of: fn(&Point) -> f64| point.map_or(0.0, |point| 100.0 * of(point));
    let (first, end) = (points.first(), points.last());
    format!(
        "The share of requests that ask the teacher falls from {:.0}% to {:.1}%. Of the requests \
         {:.1}% come out right in the end, {:.1}% with the teacher alone.",
        share(first, |p| p.asked),
        share(end, |p| p.asked),
        share(end, |p| p.right),
        share(end, |p| p.teacher)
    )
}

fn thousands(n: usize) -> String {
    if n < 1_000 { n.to_string() } else { format!("{},{:03}", n / 1_000, n % 1_000) }
}

fn text(out: &mut String, x: f64, y: f64, class: &str, anchor: &str, words: &str) {
    let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
    let _ = writeln!(
        out,
        "<text x=\"{x:.1}\" y=\"{y:.1}\"{class} text-anchor=\"{anchor}\">{words}</text>"
    );
}

fn line(out: &mut String, class: &str, from: (f64, f64), to: (f64, f64)) {
    let _ = writeln!(
        out,
        "<line class=\"{class}\" x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\"/>",
        from.0, from.1, to.0, to.1
    );
}

fn curve(out: &mut String, class: &str, places: &[(f64, f64)]) {
    let _ = writeln!(out, "<polyline class=\"{class}\" points=\"{}\"/>", joined(places));
}

fn area(out: &mut String, places: &[(f64, f64)], bottom: f64) {
    let (Some(first), Some(end)) = (places.first(), places.last()) else { return };
    let _ = writeln!(
        out,
        "<polygon class=\"area\" points=\"{:.1},{bottom:.1} {} {:.1},{bottom:.1}\"/>",
        first.0,
        joined(places),
        end.0
    );
}

fn joined(places: &[(f64, f64)]) -> String {
    let places: Vec<String> = places.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    places.join(" ")
}

//! A plan as a picture: a column a level, a box a step, and a line for what one step takes of another.

use std::fmt::Write as _;

use waypost::records::decision::PlannedStep;
use waypost::records::request::shorten;

use super::shown;

const BOX_WIDTH: usize = 190;
const BOX_HEIGHT: usize = 54;
const GAP_X: usize = 70;
const GAP_Y: usize = 22;
const MARGIN: usize = 20;
/// The room above the boxes for the user's words.
const HEAD: usize = 34;
/// The longest line in a box, and of the words above, in characters.
const IN_BOX: usize = 28;
const IN_HEAD: usize = 90;

/// The corner of a step's box.
struct Place<'a> {
    step: &'a PlannedStep,
    x: usize,
    y: usize,
}

/// Draws a plan for the words that it is of.
pub(super) fn draw(text: &str, steps: &[PlannedStep]) -> String {
    let places = places(steps);
    let width = places.iter().map(|place| place.x + BOX_WIDTH).max().unwrap_or(0) + MARGIN;
    let height = places.iter().map(|place| place.y + BOX_HEIGHT).max().unwrap_or(0) + MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n\
         <text x=\"{MARGIN}\" y=\"24\" font-weight=\"bold\" fill=\"#222222\">{}</text>\n",
        escaped(&shorten(text.trim(), IN_HEAD))
    );
    for place in &places {
        let takes = |other: &&Place<'_>| {
            place.step.inputs.values().any(|key| *key == other.step.context_key)
        };
        for other in places.iter().filter(takes) {
            edge(&mut svg, other, place);
        }
    }
    places.iter().for_each(|place| node(&mut svg, place));
    svg + "</svg>\n"
}

fn places(steps: &[PlannedStep]) -> Vec<Place<'_>> {
    let mut rows: Vec<usize> = Vec::new();
    let mut places = Vec::new();
    for step in steps {
        rows.resize(rows.len().max(step.level + 1), 0);
        let x = MARGIN + step.level * (BOX_WIDTH + GAP_X);
        let y = HEAD + MARGIN / 2 + rows[step.level] * (BOX_HEIGHT + GAP_Y);
        rows[step.level] += 1;
        places.push(Place { step, x, y });
    }
    places
}

fn edge(svg: &mut String, from: &Place<'_>, to: &Place<'_>) {
    let (x1, y1) = (from.x + BOX_WIDTH, from.y + BOX_HEIGHT / 2);
    let (x2, y2) = (to.x, to.y + BOX_HEIGHT / 2);
    let middle = usize::midpoint(x1, x2);
    let _ = writeln!(
        svg,
        "<path d=\"M {x1} {y1} C {middle} {y1}, {middle} {y2}, {x2} {y2}\" fill=\"none\" stroke=\"#8899aa\" stroke-width=\"1.5\"/>"
    );
}

fn node(svg: &mut String, place: &Place<'_>) {
    let Place { step, x, y } = place;
    let values = step.parameters.iter().filter(|(name, _)| *name != "task");
    let values: Vec<String> =
        values.map(|(name, value)| format!("{name}={}", shown(value))).collect();
    let _ = writeln!(
        svg,
        "<rect x=\"{x}\" y=\"{y}\" width=\"{BOX_WIDTH}\" height=\"{BOX_HEIGHT}\" rx=\"6\" fill=\"#eef3f8\" stroke=\"#445566\"/>"
    );
    let (text_x, name_y, value_y) = (x + 10, y + 22, y + 41);
    let _ = writeln!(
        svg,
        "<text x=\"{text_x}\" y=\"{name_y}\" fill=\"#112233\">{}</text>",
        escaped(&shorten(&step.context_key, IN_BOX))
    );
    let _ = writeln!(
        svg,
        "<text x=\"{text_x}\" y=\"{value_y}\" font-size=\"11\" fill=\"#556677\">{}</text>",
        escaped(&shorten(&values.join(" "), IN_BOX))
    );
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn steps_of_one_level_stand_below_each_other_and_lines_lead_to_those_that_take_something() {
        let step = |key: &str, level: usize, inputs: serde_json::Value| -> PlannedStep {
            serde_json::from_value(json!({
                "context_key": key, "capability": key, "objective": "", "success_criteria": "",
                "expected_output": [], "parameters": { "task": "<a & b>" }, "inputs": inputs,
                "level": level,
            }))
            .unwrap()
        };
        let steps = [
            step("find", 0, json!({})),
            step("time", 0, json!({})),
            step("get", 1, json!({ "addresses": "find", "range": "time" })),
        ];
        let svg = draw("plot <it>", &steps);
        assert!(svg.contains("plot &lt;it&gt;") && !svg.contains("<it>"));
        assert_eq!(svg.matches("<path").count(), 2);
        let at = |place: &Place<'_>| (place.x, place.y);
        let places = places(&steps);
        assert_eq!((at(&places[0]).0, at(&places[2]).1), (at(&places[1]).0, at(&places[0]).1));
        assert!(at(&places[1]).1 >= at(&places[0]).1 + BOX_HEIGHT);
    }
}

//! `current_weather`: the weather outdoors at a place now, made up from the place and the hour.

use std::f64::consts::TAU;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::words::{cut, is_chinese};
use super::{clock, finish, schema, there_are_data};
use crate::number::round;
use crate::pack::{Context, Failure, Reply, Tool, read};
use crate::random::{key, uniform};

/// The place of a task that names none.
const SITE: &str = "the site";

/// The most characters of a place, and the most words that a task gives for one.
const LONGEST_PLACE: usize = 200;
const MOST_WORDS: usize = 3;

/// Words that stand before a place.
const BEFORE: [&str; 5] = ["in", "at", "en", "ở", "tại"];

/// The skies, from the driest air to the wettest.
const CONDITIONS: [&str; 5] = ["clear", "partly cloudy", "cloudy", "light rain", "rain"];

pub(super) fn tool() -> Tool {
    Tool {
        name: "current_weather",
        description: "The weather outdoors at a place now. It is made up: no forecast, and no \
                      weather of the past.",
        input: schema::input(json!({
            "task": schema::task(),
            "location": {
                "type": "string",
                "maxLength": LONGEST_PLACE,
                "description": "Place; without one it is the site of the machine.",
            },
        })),
        output: schema::output(
            json!({
                "location": schema::text(""),
                "temperature": schema::number("°C."),
                "conditions": schema::text("In a few words."),
                "humidity": schema::number("Percent."),
                "wind": schema::number("km/h."),
                "data": schema::facts(),
            }),
            json!({}),
        ),
        call: current_weather,
    }
}

#[derive(Debug, Deserialize)]
struct Arguments {
    #[serde(default)]
    task: String,
    location: Option<String>,
}

fn current_weather(arguments: &Map<String, Value>, context: &Context) -> Result<Reply, Failure> {
    let Arguments { task, location } = read(arguments)?;
    there_are_data(context)?;
    let given = location.filter(|location| !location.trim().is_empty());
    let place = given.or_else(|| place(&task)).unwrap_or_else(|| SITE.to_owned());
    let place = cut(place.trim(), LONGEST_PLACE);
    let hour = clock::now(context).div_euclid(3600);
    let by = |which: u64| uniform(&[key(&place.to_lowercase()), hour.cast_unsigned(), which]);
    // A climate of the place, a wave of the day, and chance.
    let climate = 8.0 + 18.0 * uniform(&[key(&place.to_lowercase()), 1]);
    let of_day = clock::of_day(clock::now(context)) as f64 / 3600.0;
    let temperature = climate + 4.0 * (TAU * (of_day - 9.0) / 24.0).sin() + 3.0 * by(2);
    let wetness = by(3);
    let sky = ((wetness * CONDITIONS.len() as f64) as usize).min(CONDITIONS.len() - 1);
    let (temperature, humidity, wind) =
        (round(temperature, 1), round(35.0 + 60.0 * wetness, 0), round(30.0 * by(4), 0));
    let facts =
        [("temperature", temperature, "Cel"), ("humidity", humidity, "%"), ("wind", wind, "km/h")];
    let fact = |(name, value, unit): (&str, f64, &str)| json!({"name": format!("{name} at {place}"), "value": value, "unit": unit});
    let result = json!({
        "location": place,
        "temperature": temperature,
        "conditions": CONDITIONS[sky],
        "humidity": humidity,
        "wind": wind,
        "data": facts.map(fact),
    });
    Ok(finish(result, Vec::new()))
}

/// The place that a task names: the words behind one of [`BEFORE`] that are written like a name.
fn place(task: &str) -> Option<String> {
    let words: Vec<&str> = task.split_whitespace().collect();
    for (index, word) in words.iter().enumerate() {
        if !BEFORE.contains(&bare(word).to_lowercase().as_str()) {
            continue;
        }
        let mut name: Vec<&str> = Vec::new();
        for next in words[index + 1..].iter().take(MOST_WORDS) {
            if !is_name(bare(next)) {
                break;
            }
            name.push(bare(next));
            // A comma or a stop ends it.
            if next.ends_with(|c: char| !c.is_alphanumeric()) {
                break;
            }
        }
        if !name.is_empty() {
            return Some(name.join(" "));
        }
    }
    None
}

/// A word without the marks around it.
fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

/// Returns whether a word is written like a name: with a capital, or in characters.
fn is_name(word: &str) -> bool {
    word.chars().next().is_some_and(|first| first.is_uppercase() || is_chinese(first))
}

//! The parts that the JSON Schemas of the finance tools are made of. Every object is closed.

use serde_json::{Map, Value, json};

/// The sectors.
pub(super) const SECTORS: [&str; 11] = [
    "Technology",
    "Healthcare",
    "Financial Services",
    "Consumer Cyclical",
    "Industrials",
    "Energy",
    "Utilities",
    "Real Estate",
    "Basic Materials",
    "Communication Services",
    "Consumer Defensive",
];

/// The signals of indicators.
pub(super) const SIGNALS: [&str; 3] = ["buy", "sell", "neutral"];

/// The moods of a market, and the directions of a pattern.
pub(super) const MOODS: [&str; 3] = ["bullish", "neutral", "bearish"];

/// The directions of a trend.
pub(super) const TRENDS: [&str; 3] = ["rising", "steady", "falling"];

/// Arguments: an object of these, of which some must be there.
pub(super) fn input(properties: Value, required: &[&str]) -> Value {
    closed(properties, required)
}

/// Arguments of a tool that takes none.
pub(super) fn none() -> Value {
    closed(json!({}), &[])
}

/// The argument `symbol` of a stock.
pub(super) fn symbol() -> Value {
    json!({
        "type": "string",
        "minLength": 1,
        "pattern": r"^[A-Z0-9]{1,10}([.\-][A-Z]{1,4})?$",
        "description": "Ticker of a stock or fund, such as AAPL, BRK-B, 0700.HK or VNM.VN.",
    })
}

/// The argument `symbol` of a coin.
pub(super) fn coin() -> Value {
    json!({
        "type": "string",
        "minLength": 1,
        "pattern": "^[A-Z0-9]{2,15}(-?USDT?)?$",
        "description": "Symbol of a coin: BTC, BTC-USD and BTCUSDT are the same.",
    })
}

/// A whole number with a default and bounds.
pub(super) fn integer(default: i64, least: i64, most: i64, description: &str) -> Value {
    json!({
        "type": "integer",
        "default": default,
        "minimum": least,
        "maximum": most,
        "description": description,
    })
}

/// One of some texts, with a default.
pub(super) fn one_of(values: &[&str], default: &str, description: &str) -> Value {
    json!({"type": "string", "enum": values, "default": default, "description": description})
}

/// Some of some texts, with a default.
pub(super) fn some_of(values: &[&str], default: &[&str], description: &str) -> Value {
    json!({
        "type": "array",
        "items": {"type": "string", "enum": values},
        "minItems": 1,
        "uniqueItems": true,
        "default": default,
        "description": description,
    })
}

/// A text of a result that is one of some.
pub(super) fn word(values: &[&str]) -> Value {
    json!({"type": "string", "enum": values})
}

pub(super) fn text(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

pub(super) fn number(description: &str) -> Value {
    json!({"type": "number", "description": description})
}

pub(super) fn count(description: &str) -> Value {
    json!({"type": "integer", "minimum": 0, "description": description})
}

/// A number that may not exist.
pub(super) fn maybe(description: &str) -> Value {
    json!({"type": ["number", "null"], "description": description})
}

/// A list of objects that have all of these.
pub(super) fn list(properties: Value) -> Value {
    json!({"type": "array", "items": object(properties)})
}

/// An object that has all of these.
pub(super) fn object(properties: Value) -> Value {
    let names: Vec<String> =
        properties.as_object().map(|all| all.keys().cloned().collect()).unwrap_or_default();
    let mut schema = closed(properties, &[]);
    schema["required"] = json!(names);
    schema
}

/// An object with numbers under these names.
pub(super) fn numbers(names: &[&str]) -> Value {
    object(Value::Object(names.iter().map(|name| ((*name).to_owned(), number(""))).collect()))
}

/// An object with numbers under these names, each of which may not exist.
pub(super) fn perhaps(names: &[&str]) -> Value {
    object(Value::Object(names.iter().map(|name| ((*name).to_owned(), maybe(""))).collect()))
}

/// A result: an object that has all of these and says that it is synthetic.
pub(super) fn output(properties: Value) -> Value {
    let mut properties = properties;
    properties["synthetic"] = json!({"const": true});
    properties["timestamp"] = text("The moment of the request.");
    object(properties)
}

/// A result about one listing.
pub(super) fn about(properties: Value) -> Value {
    let mut all = Map::new();
    all.insert("symbol".to_owned(), text("Its ticker."));
    all.insert("name".to_owned(), text("Its name."));
    if let Value::Object(properties) = properties {
        all.extend(properties);
    }
    output(Value::Object(all))
}

/// A result about one listing with prices in its currency.
pub(super) fn priced(properties: Value) -> Value {
    let mut all = Map::new();
    all.insert("currency".to_owned(), text("The currency of prices and amounts."));
    if let Value::Object(properties) = properties {
        all.extend(properties);
    }
    about(Value::Object(all))
}

fn closed(properties: Value, required: &[&str]) -> Value {
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), properties);
    schema.insert("required".to_owned(), json!(required));
    schema.insert("additionalProperties".to_owned(), json!(false));
    Value::Object(schema)
}

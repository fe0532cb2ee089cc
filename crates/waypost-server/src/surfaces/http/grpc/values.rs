//! Values of JSON as protobuf has them, and back.
//!
//! A number of protobuf is a double: one without a fraction comes in as an integer, and an integer that a double
//! has not goes out as a string.

use prost_types::value::Kind;
use prost_types::{ListValue, Struct, Value};
use serde_json::{Map, Number, Value as Json};
use waypost::{Error, Result};

/// The largest integer up to which a double has all of them.
const MAX_EXACT: u64 = 1 << 53;
/// The levels of lists and objects that go out as such. Clients read at most 100 messages within each other by
/// default, and an object within an object is three of them.
const MAX_LEVELS: usize = 30;

/// An object of JSON; what lies deeper than [`MAX_LEVELS`] is a string of JSON.
pub(super) fn of_object(object: &Map<String, Json>) -> Struct {
    object_within(object, MAX_LEVELS)
}

/// A value of JSON, under the same limit.
pub(super) fn of_json(value: &Json) -> Value {
    value_within(value, MAX_LEVELS)
}

fn object_within(object: &Map<String, Json>, levels: usize) -> Struct {
    let fields = object.iter().map(|(name, value)| (name.clone(), value_within(value, levels)));
    Struct { fields: fields.collect() }
}

fn value_within(value: &Json, levels: usize) -> Value {
    let kind = match value {
        Json::Null => Kind::NullValue(0),
        Json::Bool(is) => Kind::BoolValue(*is),
        Json::Number(number) => of_number(number),
        Json::String(text) => Kind::StringValue(text.clone()),
        deeper if levels == 0 => Kind::StringValue(deeper.to_string()),
        Json::Array(items) => {
            let values = items.iter().map(|item| value_within(item, levels - 1)).collect();
            Kind::ListValue(ListValue { values })
        }
        Json::Object(object) => Kind::StructValue(object_within(object, levels - 1)),
    };
    Value { kind: Some(kind) }
}

fn of_number(number: &Number) -> Kind {
    let magnitude = number.as_i64().map(i64::unsigned_abs).or_else(|| number.as_u64());
    match number.as_f64() {
        Some(double) if magnitude.is_none_or(|magnitude| magnitude <= MAX_EXACT) => {
            Kind::NumberValue(double)
        }
        _ => Kind::StringValue(number.to_string()),
    }
}

/// The object of JSON.
///
/// # Errors
///
/// `INVALID_ARGUMENT` for a number that is not finite, which JSON has not.
pub(super) fn into_object(fields: Struct) -> Result<Map<String, Json>> {
    fields.fields.into_iter().map(|(name, value)| Ok((name, into_json(value)?))).collect()
}

/// The value of JSON; one of no kind is null.
///
/// # Errors
///
/// As [`into_object`].
pub(super) fn into_json(value: Value) -> Result<Json> {
    Ok(match value.kind {
        None | Some(Kind::NullValue(_)) => Json::Null,
        Some(Kind::BoolValue(is)) => Json::Bool(is),
        Some(Kind::NumberValue(double)) => into_number(double)?,
        Some(Kind::StringValue(text)) => Json::String(text),
        Some(Kind::ListValue(list)) => {
            Json::Array(list.values.into_iter().map(into_json).collect::<Result<_>>()?)
        }
        Some(Kind::StructValue(fields)) => Json::Object(into_object(fields)?),
    })
}

fn into_number(double: f64) -> Result<Json> {
    if double.fract() == 0.0 && double.abs() <= MAX_EXACT as f64 {
        return Ok(Json::from(double as i64));
    }
    Number::from_f64(double).map(Json::Number).ok_or_else(|| {
        Error::invalid(format!("a number is `{double}`, which JSON has not"))
            .with_hint("send finite numbers")
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn number(double: f64) -> Value {
        Value { kind: Some(Kind::NumberValue(double)) }
    }

    #[test]
    fn what_goes_out_comes_back() {
        for value in [
            json!(null),
            json!(true),
            json!(0),
            json!(-7),
            json!(9_007_199_254_740_992_u64),
            json!(2.5),
            json!(1e300),
            json!("Hualien 花蓮"),
            json!([]),
            json!({}),
            json!([[1, [2.5, null]], [], { "a": [{ "b": { "c": [false, -1] } }] }]),
        ] {
            assert_eq!(into_json(of_json(&value)).unwrap(), value);
        }
        let object = json!({ "bbox": [121, 23.5, 122, 24], "tool": null, "deep": { "n": 3 } });
        let object = object.as_object().unwrap();
        assert_eq!(&into_object(of_object(object)).unwrap(), object);
    }

    #[test]
    fn a_number_without_a_fraction_comes_in_as_an_integer() {
        for (double, read) in [(5.0, "5"), (-0.0, "0"), (5.5, "5.5"), (-1e15, "-1000000000000000")]
        {
            assert_eq!(into_json(number(double)).unwrap().to_string(), read);
        }
        assert!(into_json(number(1e300)).unwrap().is_f64());
        for none in [f64::NAN, f64::INFINITY] {
            let error = into_json(number(none)).unwrap_err();
            assert_eq!(error.code(), waypost::Code::InvalidArgument);
        }
    }

    #[test]
    fn an_integer_that_a_double_has_not_goes_out_as_a_string() {
        for (value, kind) in [
            (json!(u64::MAX), Kind::StringValue("18446744073709551615".to_owned())),
            (json!(i64::MIN), Kind::StringValue("-9223372036854775808".to_owned())),
            (json!(1_u64 << 53), Kind::NumberValue(9_007_199_254_740_992.0)),
        ] {
            assert_eq!(of_json(&value).kind, Some(kind), "{value}");
        }
    }

    #[test]
    fn what_lies_too_deep_is_a_string_of_json() {
        let nested = |levels: usize| (0..levels).fold(json!("end"), |inner, _| json!([inner]));
        assert_eq!(into_json(of_json(&nested(MAX_LEVELS))).unwrap(), nested(MAX_LEVELS));
        let mut read = into_json(of_json(&nested(MAX_LEVELS + 2))).unwrap();
        for _ in 0..MAX_LEVELS {
            read = read[0].take();
        }
        assert_eq!(read, json!("[[\"end\"]]"));
    }

    #[test]
    fn a_value_of_no_kind_is_null() {
        assert_eq!(into_json(Value { kind: None }).unwrap(), Json::Null);
    }
}

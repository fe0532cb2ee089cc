//! The filters, conditions and functions of templates: those that cannot make much of little, and the
//! others behind a bound on what comes out.

use std::fmt::{self, Write};

use minijinja::value::Rest;
use minijinja::{Environment, Error, ErrorKind, State, Value, filters, functions, tests};

/// The longest text that a filter makes, in bytes.
const MOST_TEXT: usize = 1024 * 1024;
/// The most decimals of a number.
const MOST_DECIMALS: usize = 20;
/// The most groups, or items of a group.
const MOST_GROUPS: usize = 1_000;
/// The most items of a range.
const MOST_RANGE: i64 = 10_000;
/// The most pieces that a text is cut into: each takes the room of a value, however short it is.
const MOST_PIECES: usize = 10_000;
/// The widest column that a format may ask for, in digits.
const WIDTH_DIGITS: usize = 2;

/// The reason why a filter must not be called with these arguments, the value first.
type Bound = fn(&[Value]) -> Option<&'static str>;

/// The filters that can make much of little.
const BOUNDED: [&str; 9] =
    ["replace", "join", "format", "batch", "slice", "indent", "split", "lines", "list"];

/// The filters whose result is about as large as what they are given.
const PLAIN: [&str; 41] = [
    "fixed",
    "signed",
    "clock",
    "times",
    "safe",
    "escape",
    "e",
    "lower",
    "upper",
    "title",
    "capitalize",
    "length",
    "count",
    "dictsort",
    "items",
    "reverse",
    "trim",
    "default",
    "d",
    "round",
    "abs",
    "int",
    "float",
    "attr",
    "first",
    "last",
    "min",
    "max",
    "sort",
    "string",
    "bool",
    "sum",
    "select",
    "reject",
    "selectattr",
    "rejectattr",
    "map",
    "groupby",
    "unique",
    "zip",
    "chain",
];

/// Returns whether there is a filter of that name.
pub(super) fn has(name: &str) -> bool {
    PLAIN.contains(&name) || BOUNDED.contains(&name)
}

/// The names of all filters.
#[cfg(test)]
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    PLAIN.into_iter().chain(BOUNDED)
}

/// Gives an engine all that templates may call.
pub(super) fn install(engine: &mut Environment<'static>) {
    plain(engine);
    bounded(engine, "replace", Value::from_function(filters::replace), replaced);
    bounded(engine, "join", Value::from_function(filters::join), joined);
    bounded(engine, "format", Value::from_function(filters::format), formatted);
    bounded(engine, "batch", Value::from_function(filters::batch), grouped);
    bounded(engine, "slice", Value::from_function(filters::slice), grouped);
    bounded(engine, "indent", Value::from_function(filters::indent), indented);
    bounded(engine, "split", Value::from_function(filters::split), split);
    bounded(engine, "lines", Value::from_function(filters::lines), split);
    bounded(engine, "list", Value::from_function(filters::list), listed);
    engine.add_function("range", range);
    conditions(engine);
}

fn plain(engine: &mut Environment<'static>) {
    engine.add_filter("fixed", fixed);
    engine.add_filter("signed", signed);
    engine.add_filter("clock", clock);
    engine.add_filter("times", times);
    engine.add_filter("safe", filters::safe);
    engine.add_filter("escape", filters::escape);
    engine.add_filter("e", filters::escape);
    engine.add_filter("lower", filters::lower);
    engine.add_filter("upper", filters::upper);
    engine.add_filter("title", filters::title);
    engine.add_filter("capitalize", filters::capitalize);
    engine.add_filter("length", filters::length);
    engine.add_filter("count", filters::length);
    engine.add_filter("dictsort", filters::dictsort);
    engine.add_filter("items", filters::items);
    engine.add_filter("reverse", filters::reverse);
    engine.add_filter("trim", filters::trim);
    engine.add_filter("default", filters::default);
    engine.add_filter("d", filters::default);
    engine.add_filter("round", filters::round);
    engine.add_filter("abs", filters::abs);
    engine.add_filter("int", filters::int);
    engine.add_filter("float", filters::float);
    engine.add_filter("attr", filters::attr);
    engine.add_filter("first", filters::first);
    engine.add_filter("last", filters::last);
    engine.add_filter("min", filters::min);
    engine.add_filter("max", filters::max);
    engine.add_filter("sort", filters::sort);
    engine.add_filter("string", filters::string);
    engine.add_filter("bool", filters::bool);
    engine.add_filter("sum", filters::sum);
    engine.add_filter("select", filters::select);
    engine.add_filter("reject", filters::reject);
    engine.add_filter("selectattr", filters::selectattr);
    engine.add_filter("rejectattr", filters::rejectattr);
    engine.add_filter("map", filters::map);
    engine.add_filter("groupby", filters::groupby);
    engine.add_filter("unique", filters::unique);
    engine.add_filter("zip", filters::zip);
    engine.add_filter("chain", filters::chain);
}

/// The conditions behind `is`.
fn conditions(engine: &mut Environment<'static>) {
    engine.add_test("undefined", tests::is_undefined);
    engine.add_test("defined", tests::is_defined);
    engine.add_test("none", tests::is_none);
    engine.add_test("boolean", tests::is_boolean);
    engine.add_test("odd", tests::is_odd);
    engine.add_test("even", tests::is_even);
    engine.add_test("divisibleby", tests::is_divisibleby);
    engine.add_test("number", tests::is_number);
    engine.add_test("integer", tests::is_integer);
    engine.add_test("int", tests::is_integer);
    engine.add_test("float", tests::is_float);
    engine.add_test("string", tests::is_string);
    engine.add_test("sequence", tests::is_sequence);
    engine.add_test("iterable", tests::is_iterable);
    engine.add_test("mapping", tests::is_mapping);
    engine.add_test("startingwith", tests::is_startingwith);
    engine.add_test("endingwith", tests::is_endingwith);
    engine.add_test("lower", tests::is_lower);
    engine.add_test("upper", tests::is_upper);
    engine.add_test("sameas", tests::is_sameas);
    engine.add_test("in", tests::is_in);
    engine.add_test("true", tests::is_true);
    engine.add_test("false", tests::is_false);
    ["eq", "equalto", "=="].into_iter().for_each(|name| engine.add_test(name, tests::is_eq));
    ["ne", "!="].into_iter().for_each(|name| engine.add_test(name, tests::is_ne));
    ["lt", "lessthan", "<"].into_iter().for_each(|name| engine.add_test(name, tests::is_lt));
    ["le", "<="].into_iter().for_each(|name| engine.add_test(name, tests::is_le));
    ["gt", "greaterthan", ">"].into_iter().for_each(|name| engine.add_test(name, tests::is_gt));
    ["ge", ">="].into_iter().for_each(|name| engine.add_test(name, tests::is_ge));
}

/// Adds a filter of the engine that is asked only within its bound.
fn bounded(engine: &mut Environment<'static>, name: &'static str, filter: Value, bound: Bound) {
    engine.add_filter(name, move |state: &mut State<'_, '_>, arguments: Rest<Value>| {
        match bound(&arguments) {
            Some(why) => Err(refused(&format!("{name}: {why}"))),
            None => filter.call(state, &arguments),
        }
    });
}

fn refused(why: &str) -> Error {
    Error::new(ErrorKind::InvalidOperation, why.to_owned())
}

fn replaced(arguments: &[Value]) -> Option<&'static str> {
    let [text, from, to] = arguments else { return None };
    let times = match (text.as_str(), from.as_str()) {
        (Some(text), Some(from)) => text.matches(from).count(),
        _ => size(text) + 1,
    };
    longer(size(text).saturating_add(times.saturating_mul(size(to))))
}

fn joined(arguments: &[Value]) -> Option<&'static str> {
    let items = arguments.first()?;
    let between: usize = arguments.iter().skip(1).map(size).sum();
    longer(size(items).saturating_add(items.len().unwrap_or(0).saturating_mul(between)))
}

/// The values may stand in a text as often as it has signs, and as wide as these say.
fn formatted(arguments: &[Value]) -> Option<&'static str> {
    let text = arguments.first()?.as_str()?;
    let digits = text.split(|c: char| !c.is_ascii_digit()).map(str::len).max();
    if text.contains('*') || digits > Some(WIDTH_DIGITS) {
        return Some("a column is too wide");
    }
    let values: usize = arguments.iter().skip(1).map(size).sum();
    longer(text.len().saturating_add(text.matches('%').count().saturating_mul(values + 100)))
}

/// A text is cut at white space, at its lines, or at what is given.
fn split(arguments: &[Value]) -> Option<&'static str> {
    let text = arguments.first()?.as_str()?;
    let pieces = match arguments.get(1).and_then(Value::as_str) {
        Some("") => text.len(),
        Some(at) => text.matches(at).take(MOST_PIECES).count(),
        None => text.matches(char::is_whitespace).take(MOST_PIECES).count(),
    };
    many(pieces)
}

/// A text is listed character by character.
fn listed(arguments: &[Value]) -> Option<&'static str> {
    many(arguments.first()?.as_str()?.len())
}

fn many(pieces: usize) -> Option<&'static str> {
    (pieces >= MOST_PIECES).then_some("there would be too many pieces")
}

fn grouped(arguments: &[Value]) -> Option<&'static str> {
    let count = arguments.get(1).filter(|count| count.is_number())?;
    let few = usize::try_from(count.clone()).is_ok_and(|count| count <= MOST_GROUPS);
    (!few).then_some("there would be too many items")
}

fn indented(arguments: &[Value]) -> Option<&'static str> {
    let text = arguments.first()?;
    let width = match arguments.get(1) {
        None => 4,
        Some(width) if width.is_number() => usize::try_from(width.clone()).unwrap_or(usize::MAX),
        Some(_) => return Some("write `indent(width)`"),
    };
    let lines = text.as_str().map_or(1, |text| 1 + text.matches('\n').count());
    longer(size(text).saturating_add(lines.saturating_mul(width)))
}

fn longer(than: usize) -> Option<&'static str> {
    (than > MOST_TEXT).then_some("the text would be too long")
}

/// The size of a value as a text, in bytes, as far as the bound and a little more.
fn size(value: &Value) -> usize {
    if let Some(text) = value.as_str() {
        return text.len();
    }
    let mut count = Count(0);
    // It ends early where the text is long.
    let _ = write!(count, "{value}");
    count.0
}

/// A writer that only counts, and stops behind the bound.
struct Count(usize);

impl Write for Count {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 += text.len();
        if self.0 > MOST_TEXT { Err(fmt::Error) } else { Ok(()) }
    }
}

/// Whole numbers in order, as many as a list of an answer may have.
fn range(lower: i64, upper: Option<i64>, step: Option<i64>) -> Result<Value, Error> {
    let (start, end) = upper.map_or((0, lower), |upper| (lower, upper));
    let step = step.unwrap_or(1);
    // Far below what would overflow anywhere.
    let small = |number: i64| match i32::try_from(number).map(isize::try_from) {
        Ok(Ok(number)) => Ok(number),
        _ => Err(refused("range: a number is too large")),
    };
    let (first, last, each) = (small(start)?, small(end)?, small(step)?);
    if (end - start).checked_div(step).unwrap_or(0) > MOST_RANGE {
        return Err(refused("range: there would be too many items"));
    }
    functions::range(first, Some(last), Some(each))
}

/// A number with so many decimals.
fn fixed(value: f64, decimals: usize) -> Result<String, Error> {
    let decimals = few(decimals)?;
    Ok(format!("{value:.decimals$}"))
}

/// A number with its sign, also where it is positive. Source: S0-37.
fn signed(value: f64, decimals: usize) -> Result<String, Error> {
    let decimals = few(decimals)?;
    Ok(format!("{value:+.decimals$}"))
}

/// Returns the number of decimals where it is one that a reader can use.
fn few(decimals: usize) -> Result<usize, Error> {
    match decimals {
        0..=MOST_DECIMALS => Ok(decimals),
        _ => Err(refused("a number has no more than 20 decimals")),
    }
}

/// Two numbers multiplied; the operator would repeat a text.
fn times(value: f64, factor: f64) -> f64 {
    value * factor
}

/// The hour and minute of an ISO 8601 instant as it is written, or a dash for none.
fn clock(value: &Value) -> String {
    let time = value.as_str().and_then(|text| text.split_once('T')).map(|(_, time)| time);
    time.and_then(|time| time.get(..5)).unwrap_or("–").to_owned()
}

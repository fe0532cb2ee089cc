//! Reads JSON as other languages write it: `NaN` and `Infinity` for numbers, half of a pair of surrogates, and control
//! characters or bytes of another encoding within a text.

use std::fmt::Write as _;

use serde_json::Value;

/// The numbers of other languages that JSON has not: nobody knows what they are.
const NO_NUMBERS: [&str; 3] = ["-Infinity", "Infinity", "NaN"];

/// Reads a document; `None` if it is no JSON even then.
pub(super) fn read(text: &[u8]) -> Option<Value> {
    serde_json::from_slice(text).or_else(|_| serde_json::from_str(&mended(text))).ok()
}

/// The document with what JSON does not have replaced.
fn mended(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_ref();
    while let Some(at) = rest.find('"') {
        between(&rest[..at], &mut out);
        out.push('"');
        rest = string(&rest[at + 1..], &mut out);
    }
    between(rest, &mut out);
    out
}

/// Adds what stands between two texts.
fn between(part: &str, out: &mut String) {
    if NO_NUMBERS.iter().any(|word| part.contains(word)) {
        out.push_str(
            &NO_NUMBERS.iter().fold(part.to_owned(), |all, word| all.replace(word, "null")),
        );
    } else {
        out.push_str(part);
    }
}

/// Adds a text with its last quotation mark; returns what follows it.
fn string<'a>(text: &'a str, out: &mut String) -> &'a str {
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            '"' => {
                out.push(c);
                return rest;
            }
            '\\' => rest = escape(rest, out),
            '\0'..='\u{1f}' => drop(write!(out, "\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    rest
}

/// Adds what a backslash stands before; returns what follows it.
fn escape<'a>(rest: &'a str, out: &mut String) -> &'a str {
    let Some(unit) = unit(rest) else {
        let is_known = rest.starts_with(['"', '\\', '/', 'b', 'f', 'n', 'r', 't']);
        out.push_str(if is_known { "\\" } else { "\\\\" });
        // The sign is no quotation mark any more that ends the text.
        let length = if is_known { 1 } else { 0 };
        out.push_str(&rest[..length]);
        return &rest[length..];
    };
    let (own, after) = rest.split_at(UNIT);
    let low = || after.strip_prefix('\\').and_then(self::unit).filter(|low| is_low(*low));
    match unit {
        0xD800..=0xDBFF if low().is_some() => {
            let (pair, after) = rest.split_at(2 * UNIT + 1);
            out.push('\\');
            out.push_str(pair);
            after
        }
        0xD800..=0xDFFF => {
            out.push(char::REPLACEMENT_CHARACTER);
            after
        }
        _ => {
            out.push('\\');
            out.push_str(own);
            after
        }
    }
}

/// The length of `u0041`.
const UNIT: usize = 5;

/// The number of an escape such as `u0041` at the beginning of a text.
fn unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix('u')?.get(..UNIT - 1)?;
    let plain = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    plain.then(|| u16::from_str_radix(digits, 16).ok()).flatten()
}

fn is_low(unit: u16) -> bool {
    matches!(unit, 0xDC00..=0xDFFF)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_other_languages_write_is_read() {
        for (text, value) in [
            (
                &br#"{"a":NaN,"b":[Infinity,-Infinity],"c":"NaN"}"#[..],
                json!({ "a": null, "b": [null, null], "c": "NaN" }),
            ),
            (br#"["low \ud83d"]"#, json!(["low \u{fffd}"])),
            (
                br#"["\ude00 \ud83d\u0041 \ud83d\ud83d\ude00 NaN"]"#,
                json!(["\u{fffd} \u{fffd}A \u{fffd}\u{1f600} NaN"]),
            ),
            (b"[\"a\tb\"]", json!(["a\tb"])),
            (b"[\"caf\xe9\"]", json!(["caf\u{fffd}"])),
            (br#"["a\'b \x41 C:\dir \u12"]"#, json!(["a\\'b \\x41 C:\\dir \\u12"])),
            (br#"["a\"NaN\\",NaN]"#, json!(["a\"NaN\\", null])),
        ] {
            assert_eq!(read(text), Some(value), "{}", String::from_utf8_lossy(text));
        }
    }

    #[test]
    fn what_is_no_json_stays_none() {
        for text in ["", "[", "[\"a", "[\"a\\", "{ not json }", "[NaNa]", "[1 2]", "\u{1}"] {
            assert_eq!(read(text.as_bytes()), None, "{text}");
        }
    }
}

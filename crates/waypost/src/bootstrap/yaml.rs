//! Writes values as YAML for people: short ones on a line, text without quotation marks where it needs none.

use serde_json::Value;

/// The longest value on one line.
const WIDTH: usize = 88;
/// Words that are no text in some reading of YAML.
const RESERVED: [&str; 11] =
    ["true", "false", "null", "yes", "no", "on", "off", "y", "n", "nan", "inf"];

/// A key with its value, indented by so many spaces.
pub(super) fn entry(key: &str, value: &Value, indent: usize) -> String {
    let mut out = format!("{}{}:", " ".repeat(indent), text(key));
    behind(value, indent, &mut out);
    out
}

/// Writes what stands behind a key or a dash.
fn behind(value: &Value, indent: usize, out: &mut String) {
    if let Some(block) = block(value, indent + 2) {
        out.push_str(&block);
        return;
    }
    let line = flow(value);
    let fits = indent + line.len() <= WIDTH;
    match value {
        Value::Object(map) if !fits && !map.is_empty() => {
            out.push('\n');
            for (key, value) in map {
                out.push_str(&entry(key, value, indent + 2));
            }
        }
        Value::Array(items) if !fits && !items.is_empty() => {
            out.push('\n');
            for item in items {
                out.push_str(&" ".repeat(indent + 2));
                out.push('-');
                // A map below its dash reads badly; what is long inside a list is rare.
                out.push(' ');
                out.push_str(&flow(item));
                out.push('\n');
            }
        }
        _ => {
            out.push(' ');
            out.push_str(&line);
            out.push('\n');
        }
    }
}

/// A text of several lines as it is.
fn block(value: &Value, indent: usize) -> Option<String> {
    let text = value.as_str().filter(|text| text.contains('\n'))?;
    let is_plain = |c: char| {
        c == '\n'
            || !c.is_control() && !matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{feff}')
    };
    let ends_well = !text.ends_with(char::is_whitespace) && !text.starts_with(char::is_whitespace);
    if !ends_well || !text.chars().all(is_plain) {
        return None;
    }
    let mut block = " |-\n".to_owned();
    for line in text.lines() {
        if !line.trim().is_empty() {
            block.push_str(&" ".repeat(indent));
            block.push_str(line);
        }
        block.push('\n');
    }
    Some(block)
}

/// A value on one line.
fn flow(value: &Value) -> String {
    match value {
        Value::String(words) => text(words),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(flow).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(map) if map.is_empty() => "{}".to_owned(),
        Value::Object(map) => {
            let entries: Vec<String> =
                map.iter().map(|(key, value)| format!("{}: {}", text(key), flow(value))).collect();
            format!("{{ {} }}", entries.join(", "))
        }
        other => other.to_string(),
    }
}

/// A text, in quotation marks where it would be read as something else.
pub(super) fn text(words: &str) -> String {
    let begins = words.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '/'));
    let is_plain = |c: char| c.is_ascii_alphanumeric() || " _/.-()".contains(c);
    let reserved = RESERVED.contains(&words.to_lowercase().as_str());
    if begins && !reserved && !words.ends_with(' ') && words.chars().all(is_plain) {
        return words.to_owned();
    }
    // JSON is YAML, but for signs that are control characters only here.
    let mut quoted = String::with_capacity(words.len() + 2);
    for c in Value::from(words).to_string().chars() {
        match c {
            '\u{7f}'..='\u{9f}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{feff}'
            | '\u{fffe}'
            | '\u{ffff}' => {
                quoted.push_str(&format!("\\u{:04x}", c as u32));
            }
            other => quoted.push(other),
        }
    }
    quoted
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::pack::yaml_value;

    #[test]
    fn what_is_written_is_read_again() {
        let long = "word ".repeat(40);
        let value = json!({
            "plain": "Reads a file", "quoted": "a: b # c", "no": "no", "number": "1.5", "date": "2024-01-15",
            "lines": "one\n  two: x\n\n# three", "odd": " lead\n\ttab\u{85}\u{2028}\u{7f}", "tail": "x\n", "dash": "- a",
            "deep": { "properties": { "a b": { "type": ["string", "null"], "default": null, "description": long } } },
            "list": [1, -2.5, true, { "const": "x" }, [], {}, long], "empty": {}, "nothing": [], "han": "讀取", "": "",
            "brace": "{a}", "star": "*x", "percent": "%x", "quote": "it's \"so\"", "tilde": "~",
        });
        let map = value.as_object().unwrap();
        let text: String = map.iter().map(|(key, value)| entry(key, value, 0)).collect();
        assert_eq!(yaml_value(&text), Some(value), "{text}");
        assert!(
            text.contains("plain: Reads a file\n") && text.contains("lines: |-\n  one\n"),
            "{text}"
        );
    }
}

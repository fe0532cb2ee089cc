//! Reads JSON as editors write it: with comments and commas before closing brackets.

use serde_json::Value;

/// The value of a text.
///
/// # Errors
///
/// That of the JSON parser, with the line in the text as it was given.
pub(super) fn read(text: &str) -> serde_json::Result<Value> {
    serde_json::from_str(&plain(text))
}

/// The text with spaces instead of comments and of commas that nothing follows.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.trim_start_matches('\u{feff}').chars().peekable();
    // Where the last comma stands, while only space and comments follow it.
    let mut comma = None;
    let mut in_text = false;
    while let Some(c) = letters.next() {
        if in_text {
            plain.push(c);
            if c == '\\' {
                plain.extend(letters.next());
            }
            in_text = c != '"';
            continue;
        }
        match (c, letters.peek()) {
            ('/', Some('/')) => {
                while letters.peek().is_some_and(|c| *c != '\n') {
                    letters.next();
                }
            }
            ('/', Some('*')) => {
                letters.next();
                let mut last = ' ';
                for c in letters.by_ref() {
                    if c == '\n' {
                        plain.push(c);
                    }
                    if last == '*' && c == '/' {
                        break;
                    }
                    last = c;
                }
            }
            (c, _) => {
                match c {
                    ',' => comma = Some(plain.len()),
                    ']' | '}' => {
                        if let Some(at) = comma.take() {
                            plain.replace_range(at..=at, " ");
                        }
                    }
                    c if c.is_whitespace() => {}
                    _ => comma = None,
                }
                in_text = c == '"';
                plain.push(c);
            }
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn comments_and_last_commas_are_left_out() {
        let text =
            "// one\n{ \"a\": [1, 2, /* , ] */ ], // , }\n \"u\": \"http://x/*y*/,]\\\"\", }\n";
        assert_eq!(read(text).unwrap(), json!({ "a": [1, 2], "u": "http://x/*y*/,]\"" }));
        assert!(read("{ /* ").is_err() && read("[1,,]").is_err());
        assert_eq!(read("/* \n\n */ {x").unwrap_err().line(), 3);
    }
}

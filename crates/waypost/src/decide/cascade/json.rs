//! JSON in a model's reply.

/// The first whole JSON object in a text, whatever prose stands around it.
pub(super) fn first_object(text: &str) -> Option<&str> {
    let start = text.find('{')?;
    let (mut depth, mut quoted, mut escaped) = (0usize, false, false);
    for (offset, c) in text[start..].char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            '{' if !quoted => depth += 1,
            '}' if !quoted => {
                depth -= 1;
                if depth == 0 {
                    return Some(&text[start..=start + offset]);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_object_is_found_between_prose() {
        assert_eq!(first_object(r#"Sure! {"a": "}"} Done."#), Some(r#"{"a": "}"}"#));
        assert_eq!(first_object(r#"{"a": {"b": 1}} {"c": 2}"#), Some(r#"{"a": {"b": 1}}"#));
        assert_eq!(first_object(r#"{"a": 1"#), None);
        assert_eq!(first_object("no"), None);
    }
}

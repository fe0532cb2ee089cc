//! Markup that cannot be broken by a text: what comes from a case or a pack is escaped by its type.

use std::fmt::Write as _;

/// Escaped markup. The only ways to make one are an element, an escaped text, and a constant of
/// this program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Markup(String);

impl Markup {
    /// Markup that stands in this program's own source.
    pub(super) fn constant(source: &'static str) -> Self {
        Self(source.to_owned())
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Markup {
    fn from(text: &str) -> Self {
        let mut escaped = Self::default();
        escape(text, &mut escaped.0);
        escaped
    }
}

impl From<String> for Markup {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

impl FromIterator<Markup> for Markup {
    fn from_iter<I: IntoIterator<Item = Markup>>(parts: I) -> Self {
        let mut all = Self::default();
        parts.into_iter().for_each(|part| all.0.push_str(&part.0));
        all
    }
}

impl From<Vec<Markup>> for Markup {
    fn from(parts: Vec<Markup>) -> Self {
        parts.into_iter().collect()
    }
}

impl<const N: usize> From<[Markup; N]> for Markup {
    fn from(parts: [Markup; N]) -> Self {
        parts.into_iter().collect()
    }
}

/// An element. Names of elements and attributes are this program's own; values are escaped.
pub(super) fn el(
    name: &'static str,
    attributes: &[(&'static str, &str)],
    inner: impl Into<Markup>,
) -> Markup {
    let mut element = open(name, attributes);
    element.0.push('>');
    element.0.push_str(&inner.into().0);
    element.0.push_str("</");
    element.0.push_str(name);
    element.0.push('>');
    element
}

/// An element of SVG without anything in it.
pub(super) fn leaf(name: &'static str, attributes: &[(&'static str, &str)]) -> Markup {
    let mut element = open(name, attributes);
    element.0.push_str("/>");
    element
}

/// An element of HTML that never has anything in it.
pub(super) fn void(name: &'static str, attributes: &[(&'static str, &str)]) -> Markup {
    let mut element = open(name, attributes);
    element.0.push('>');
    element
}

fn open(name: &'static str, attributes: &[(&'static str, &str)]) -> Markup {
    let mut element = Markup(format!("<{name}"));
    for (key, value) in attributes {
        element.0.push(' ');
        element.0.push_str(key);
        element.0.push_str("=\"");
        escape(value, &mut element.0);
        element.0.push('"');
    }
    element
}

/// Appends `text` so that it is read as text between tags and between quotes. What steers a
/// terminal or turns the direction of writing around is shown by its number instead.
fn escape(text: &str, to: &mut String) {
    for c in text.chars() {
        match c {
            '&' => to.push_str("&amp;"),
            '<' => to.push_str("&lt;"),
            '>' => to.push_str("&gt;"),
            '"' => to.push_str("&quot;"),
            '\'' => to.push_str("&#39;"),
            '\n' | '\t' => to.push(c),
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => shown(c, to),
            c if c.is_control() => shown(c, to),
            c => to.push(c),
        }
    }
}

fn shown(c: char, to: &mut String) {
    let _ = write!(to, "\u{27e8}U+{:04X}\u{27e9}", u32::from(c));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_leaves_its_place() {
        let nasty = "<script>alert('x')</script> \" & \u{202e}\u{0}";
        let made = el("td", &[("title", nasty)], nasty);
        let body = made.as_str();
        assert_eq!(body.matches('<').count(), 2, "{body}");
        assert_eq!(body.matches('"').count(), 2, "{body}");
        assert!(!body.contains('\'') && !body.contains('\u{202e}') && !body.contains('\u{0}'));
        assert!(body.contains("&lt;script&gt;") && body.contains("U+202E"), "{body}");
    }

    #[test]
    fn elements_nest() {
        let list = el("ul", &[], [el("li", &[], "a"), el("li", &[], "b")]);
        assert_eq!(list.as_str(), "<ul><li>a</li><li>b</li></ul>");
        assert_eq!(leaf("path", &[("d", "M0 0")]).as_str(), "<path d=\"M0 0\"/>");
    }
}

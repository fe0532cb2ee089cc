//! What every target checks: nothing panics, and spans are words of the text that lie apart.

use std::sync::LazyLock;

use jiff::Zoned;
use waypost_text::extract::{self, Context, Conventions, Gazetteer, Kind, Kinds, Value};
use waypost_text::language::Language;
use waypost_text::text::Text;

static NOW: LazyLock<Zoned> =
    LazyLock::new(|| "2025-11-06T09:00+08:00[Asia/Taipei]".parse().expect("a valid instant"));

static PLACES: LazyLock<[Gazetteer; 1]> = LazyLock::new(|| {
    [Gazetteer::new("place", [("hualien", vec!["Hualien", "花蓮"]), ("lima", vec!["Lima"])])]
});

/// Reads `text` in `language` with all extractors, and with those of one kind.
pub fn check(text: &str, language: Language) {
    let context = Context {
        now: &NOW,
        language,
        gazetteers: &*PLACES,
        conventions: Conventions::STANDARD,
        wanted: Kinds::ALL,
    };
    let source = Text::new(text);
    let values = extract::extract(&source, &context);
    spans(text, &values);
    // One kind a text, so that each text is quick; over many texts all kinds have their turn.
    let kind = Kind::ALL[text.len() % Kind::ALL.len()];
    spans(text, &extract::of_kind(&source, &context, kind));
    extract::detect(&source, &Language::ALL);
    extract::is_elliptical(&source, &values, language);
    extract::has_reference(&source, language);
    for value in &values {
        extract::record(value);
    }
}

fn spans(text: &str, values: &[Value]) {
    let characters: Vec<char> = text.chars().collect();
    let mut end = 0;
    for value in values {
        assert!(value.span.start >= end && value.span.start < value.span.end, "{value:?}");
        assert!(value.span.end <= characters.len(), "{value:?}");
        let words: String = characters[value.span.start..value.span.end].iter().collect();
        assert_eq!(words, value.text);
        end = value.span.end;
    }
}

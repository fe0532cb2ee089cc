//! Inputs that have a structure: requests as JSON, schemas of tools, packs, templates.

use super::random::Random;
use super::recipe::Recipe;
use super::terms::Terms;

/// The kind of input that a target reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// The words of a user.
    Text,
    /// A request in JSON.
    Request,
    /// The schema of a tool's arguments.
    Schema,
    /// A `pack.yaml`.
    Pack,
    /// A template of an answer.
    Template,
}

/// Recipes as `lead`, unit, `close`, `tail`; `@` is a term.
type Row = (&'static str, &'static str, &'static str, &'static str);

const REQUESTS: &[Row] = &[
    ("{\"text\": \"", "@ ", "", "\"}"),
    (
        "{\"text\": \"a\", \"context\": {\"options\": [",
        "{\"label\": \"@\", \"value\": {i}},",
        "",
        "{\"label\": \"a\", \"value\": 1}]}}",
    ),
    (
        "{\"text\": \"a\", \"context\": {\"history\": [",
        "{\"route\": \"@\", \"topic\": \"@\"},",
        "",
        "{\"route\": \"a\"}]}}",
    ),
    ("{\"text\": \"a\", \"context\": {\"flags\": {", "\"k{i}\": true,", "", "\"a\": 1}}}"),
    ("{\"text\": \"a\", \"choice\": ", "[", "]", "}"),
    ("{\"text\": \"a\", \"choice\": ", "{\"a\":", "}", "}"),
    ("", "[", "", ""),
    ("{", "\"text\": \"@\",", "", "\"now\": \"2025\"}"),
    ("{\"text\": \"", "\\u0301\\ud83d\\ude00", "", "\"}"),
    (
        "{\"text\": \"a\", \"context\": {\"last_calls\": [",
        "{\"tool\": \"@\", \"arguments\": {\"a\": [{i}]}},",
        "",
        "{\"tool\": \"a\"}]}}",
    ),
];

const SCHEMAS: &[Row] = &[
    (
        "{\"type\": \"object\", \"properties\": {",
        "\"@{i}\": {\"type\": \"string\", \"description\": \"@\"},",
        "",
        "\"z\": {}}}",
    ),
    ("{\"type\": \"object\", \"properties\": {\"a\": {\"enum\": [", "\"@ {i}\",", "", "\"z\"]}}}"),
    (
        "{\"type\": \"object\", \"properties\": {\"a\": {\"type\": \"string\", \"description\": \"",
        "@ ",
        "",
        "\"}}}",
    ),
    (
        "{\"type\": \"object\", \"properties\": {\"a\": ",
        "{\"type\": \"array\", \"items\": ",
        "}",
        "}}",
    ),
    (
        "{\"type\": \"object\", \"required\": [",
        "\"k{i}\",",
        "",
        "\"z\"], \"properties\": {\"z\": {}}}",
    ),
    (
        "{\"type\": \"object\", \"properties\": {\"a\": {\"type\": \"string\", \"pattern\": \"",
        "(a|@)?",
        "",
        "\"}}}",
    ),
];

const PACKS: &[Row] = &[
    ("name: a\nroutes:\n", "  - { name: r{i}, handler: code, summary: A route. }\n", "", ""),
    ("name: a\nlanguages: [", "en, ", "", "en]\n"),
    ("", "- ", "", "a"),
    ("", "[", "]", ""),
    ("", "k{i}: &a{i} [@, *a{i}]\n", "", ""),
    ("a: ", "{a: ", "}", ""),
    ("", "k{i}: |\n  @\n", "", ""),
    ("a: \"", "\\u0041@", "", "\""),
    ("", "#@", "", ""),
    ("name: a\nformat: 1\nsummary: ", "@ ", "", "\n"),
];

const TEMPLATES: &[Row] = &[
    ("", "{{ arguments.date }} @", "", ""),
    ("", "{% if a %}", "{% endif %}", ""),
    ("", "{% for a in b %}@", "{% endfor %}", ""),
    ("{{ ", "a | fixed(2) | ", "", "upper }}"),
    ("{{ ", "(1 + ", ")", " }}"),
    ("{{ ", "a ~ ", "", "b }}"),
    ("", "{# @ #}", "", ""),
    ("{{ '", "@|", "", "' }}"),
    ("", "{{ {i} }}{%", "", ""),
];

impl Shape {
    /// A recipe of this shape, at random.
    pub(crate) fn recipe(self, terms: &Terms, random: &mut Random) -> Recipe {
        let rows = match self {
            Shape::Text => return Recipe::text(terms, random),
            Shape::Request => REQUESTS,
            Shape::Schema => SCHEMAS,
            Shape::Pack => PACKS,
            Shape::Template => TEMPLATES,
        };
        let (lead, unit, close, tail) = rows[random.below(rows.len())];
        let term = &terms.0[random.below(terms.0.len())];
        // A sign that would end a string is no term of one.
        let plain: String = term.chars().filter(|c| !"\"\\{}[]".contains(*c)).collect();
        let filled = |text: &str| text.replace('@', &plain);
        let unit = filled(unit);
        Recipe {
            lead: filled(lead),
            units: vec![unit],
            close: close.to_owned(),
            tail: tail.to_owned(),
        }
    }
}

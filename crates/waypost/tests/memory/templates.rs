//! Templates that make much of little, and results that do it through harmless ones.

use serde_json::{Value, json};
use waypost::respond::render::Renderer;

use crate::count::most_held;

/// The most bytes that a template may take, with a result of the largest size.
const MOST: usize = 12 * 1024 * 1024;

/// Templates that burn, each for the result that helps it.
#[expect(clippy::too_many_lines, reason = "it is a table")]
fn attacks() -> Vec<(&'static str, Value)> {
    let long = "x".repeat(200_000);
    let many: Vec<u32> = (0..20_000).collect();
    vec![
        ("{{ 'x' * 1000000000 }}", json!({})),
        ("{{ result.text * result.n }}", json!({ "text": "x", "n": 1_000_000_000 })),
        ("{{ ([1] * 1000000000) | length }}", json!({})),
        ("{{ 2 ** 10000000 }}", json!({})),
        ("{{ '%1000000000d' | format(1) }}", json!({})),
        ("{{ '%.1000000000f' | format(1) }}", json!({})),
        ("{{ '%*d' | format(1000000000, 1) }}", json!({})),
        (
            "{{ result.form | format(result.text) }}",
            json!({ "form": "%(a)s".repeat(10_000), "text": long }),
        ),
        ("{{ 1.5 | fixed(1000000000) }}", json!({})),
        ("{{ 1.5 | signed(1000000000) }}", json!({})),
        (
            "{{ result.n | fixed(result.digits) }}",
            json!({ "n": 1e308, "digits": 4_000_000_000_u64 }),
        ),
        ("{{ 1.5 | round(1000000000) }}{{ 1.5 | round(-1000000000) }}", json!({})),
        ("{{ result.text | replace('x', result.text) }}", json!({ "text": "x".repeat(100_000) })),
        ("{{ result.text | replace('', result.text) }}", json!({ "text": "x".repeat(100_000) })),
        (
            "{{ result.text | replace('x', 'xxxxxxxxxx') | replace('x', 'xxxxxxxxxx') }}",
            json!({ "text": long }),
        ),
        (
            "{{ result.many | join(result.text) }}",
            json!({ "many": many, "text": "x".repeat(50_000) }),
        ),
        ("{{ range(10000) | batch(1000000000, 'x') | list }}", json!({})),
        ("{{ range(10) | slice(1000000000) | list }}", json!({})),
        ("{{ 'a\nb' | indent(1000000000) }}", json!({})),
        ("{{ 'a' | indent(width=1000000000) }}", json!({})),
        ("{{ range(1000000000) | list }}", json!({})),
        ("{{ range(-9223372036854775807, 9223372036854775807) | list }}", json!({})),
        ("{{ range(0, -9223372036854775807, -1) | list }}", json!({})),
        ("{% for i in range(10000) %}{{ result.text }}{% endfor %}", json!({ "text": long })),
        (
            "{% set a = result.text %}{% set a = a ~ a %}{% set a = a ~ a %}{% set a = a ~ a %}{% set a = a ~ a %}{% set a = a ~ a %}{% set a = a ~ a %}{% set a = a ~ a %}{{ a }}",
            json!({ "text": long }),
        ),
        (
            "{% set a = result.text %}{% set a = a ~ a %}{% set a = a ~ a %}{% set a = a ~ a %}{% set a = a ~ a %}{{ a | length }}",
            json!({ "text": "x".repeat(100_000) }),
        ),
        (
            "{% set a = [1, 1] %}{% set a = [a, a] %}{% set a = [a, a] %}{% set a = [a, a] %}{% set a = [a, a] %}{% set a = [a, a] %}{{ a | string | length }}",
            json!({}),
        ),
        (
            "{% set n = namespace(a='x') %}{% for i in range(100) %}{% set n.a = n.a ~ n.a %}{% endfor %}{{ n.a }}",
            json!({}),
        ),
        ("{% macro m(x) %}{{ m(x ~ x) }}{% endmacro %}{{ m('x') }}", json!({})),
        (
            "{% set x %}{% for i in range(10000) %}{{ result.text }}{% endfor %}{% endset %}",
            json!({ "text": long }),
        ),
        (
            "{% for x in result.many recursive %}{{ loop(result.many) }}{% endfor %}",
            json!({ "many": many }),
        ),
        (
            "{% filter upper %}{% for i in range(10000) %}{{ result.text }}{% endfor %}{% endfilter %}",
            json!({ "text": long }),
        ),
        ("{% include 'x' %}{% import 'x' as y %}", json!({})),
        ("{{ debug() }}{{ dict(a=1) }}", json!({})),
        ("{{ result | pprint }}", json!({ "text": long })),
        ("{{ result.many | map('format', 1) | list }}", json!({ "many": ["%1000000000d"] })),
        (
            "{{ result.many | map('replace', 'x', result.text) | join }}",
            json!({ "many": ["x".repeat(1_000)], "text": "y".repeat(100_000) }),
        ),
        ("{{ 'abc'[0:2:-1] }}{{ 'abc'[::-9223372036854775808] }}", json!({})),
        ("{{ 'abc'[-9223372036854775808:9223372036854775807] }}", json!({})),
        (
            "{{ result.n | int(base=99) }}{{ '-170141183460469231731687303715884105728' | int | abs }}",
            json!({ "n": "zz" }),
        ),
        (
            "{{ result.many | sum }}",
            json!({ "many": [170_141_183_460_469_231_731_687.0_f64, 1e308, 1e308] }),
        ),
        ("{{ result.text | split('') | list }}", json!({ "text": long })),
        ("{{ result }}", json!({ "text": long, "many": many })),
        ("{{ result.text }}", json!({ "text": "x".repeat(4_000_000) })),
    ]
}

#[test]
fn a_template_neither_panics_nor_takes_memory_and_says_who_it_is() {
    let renderer = Renderer::default();
    let mut largest = (0, "");
    for (template, result) in attacks() {
        let (said, held) = most_held(|| renderer.fill("forecast", template, &result));
        assert!(held < MOST, "{template}: {held} bytes");
        largest = largest.max((held, template));
        match said {
            Ok(line) => assert!(line.len() <= 64 * 1024, "{template}: {} bytes", line.len()),
            Err(error) => {
                let said = format!("{error:?}");
                assert!(said.contains("forecast"), "{template}: {said}");
            }
        }
    }
    assert!(largest.0 > 100_000, "nothing was counted");
}

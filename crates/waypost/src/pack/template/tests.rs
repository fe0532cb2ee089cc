//! Tests of what templates say, and of what they must not be able to do.

use minijinja::context;

use super::*;

fn render(template: &str) -> String {
    let engine = Engine::default();
    let parsed = engine.parse(template);
    parsed.and_then(|template| template.render(context! {})).unwrap_or_else(|error| error)
}

#[test]
fn numbers_and_times_are_written_as_answers_want_them() {
    assert_eq!(render("{{ 26.449 | fixed(1) }}"), "26.4");
    assert_eq!(render("{{ 0.2134 | signed(2) }} {{ -1 | signed(1) }}"), "+0.21 -1.0");
    assert_eq!(render("{{ '2025-11-06T06:04:10+08:00' | clock }}"), "06:04");
    assert_eq!(render("{{ none | clock }}"), "–");
    assert_eq!(render("{{ 2.5 | times(4) | int }}"), "10");
}

#[test]
fn every_filter_that_is_advised_is_there() {
    for name in FILTERS {
        assert_eq!(unknown_filters(&format!("{{{{ x | {name} }}}}")), Vec::<String>::new());
    }
}

#[test]
fn every_filter_that_is_listed_is_installed() {
    for name in filters::names() {
        let said = render(&format!("{{{{ x | {name} }}}}"));
        assert!(!said.contains("unknown filter"), "{name}: {said}");
    }
    assert!(render("{{ x | pprint }}").contains("unknown filter"));
}

#[test]
fn a_filter_that_there_is_not_is_found_in_code_alone() {
    let text = "a | b {{ x | fixd(1) | upper }}{% if y|lenght > 1 %}|{{ 'z | no' | joinn(\" | \") }}{% endif %}";
    assert_eq!(unknown_filters(text), ["fixd", "joinn", "lenght"]);
    assert_eq!(unknown_filters("{{ open | fixd"), ["fixd"]);
}

#[test]
fn a_template_that_cannot_be_parsed_is_told_in_words() {
    let told = fault("{% if x %}a").unwrap();
    assert!(told.starts_with("not a template: ") && !told.contains("<string>"), "{told}");
    assert_eq!(fault("{{ x }}"), None);
}

#[test]
fn a_template_that_never_ends_runs_out_of_fuel() {
    let long = "{% for i in range(9999) %}{% for j in range(9999) %}{% endfor %}{% endfor %}";
    assert!(render(long).contains("fuel"), "{}", render(long));
}

#[test]
fn what_could_grow_is_no_template() {
    for (text, why) in [
        ("{{ 'x' * 1000000000 }}", "times"),
        ("{% macro m(x) %}{{ m(x) }}{% endmacro %}{{ m(1) }}", "statement `macro`"),
        ("{% set x %}{% for i in range(9999) %}long{% endfor %}{% endset %}", "`=`"),
        ("{% for x in y recursive %}{{ loop(x) }}{% endfor %}", "call itself"),
        ("{% filter upper %}x{% endfilter %}", "statement `filter`"),
        ("{% include 'x' %}", "statement `include`"),
        ("{% for i in range(99) %}{% set a = a ~ a %}{% endfor %}", "loop"),
        ("{{ 'abc'[0:2:-1] }}", "step"),
        (&"{% set a = a ~ a %}".repeat(5), "16 times"),
        (&"{% set a = [a, a] %}".repeat(5), "16 times"),
        (&"{% set a = a, a %}".repeat(5), "16 times"),
        (&"{% set a = {'x': a, 'y': a} %}".repeat(5), "16 times"),
        (&"{%- set a = a ~ '%}' ~ a -%}".repeat(5), "16 times"),
        (&"{% set b = x.a ~ {'k': 1}[x.b] ~ x.c %}".repeat(5), "16 times"),
        (&"x".repeat(20_000), "longer"),
    ] {
        let told = fault(text).unwrap_or_default();
        assert!(told.contains(why), "{text}: {told}");
    }
    for text in [
        "{% set name = result.variable | replace('_', ' ') %}{{ name }}",
        "{{ a ~ ', ' ~ b }} {# {% macro %} #}",
        &"{% set name = {'a': 'A', 'b': 'B', 'c': 3}[result.key] | default(2) or 'all' %}"
            .repeat(9),
        "{{ '*' }}{{ \"~\" | join('+') }}{% for w in x[:10] %}{{ w }}{% endfor %}",
    ] {
        assert_eq!(fault(text), None, "{text}");
    }
}

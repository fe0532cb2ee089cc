//! Known bad challengers are refused, equal ones pass, and too few cases clear nobody.

use super::*;
use crate::random::Random;

fn pair(truth: &str, champion: bool, challenger: bool) -> Pair {
    let say = |right: bool| if right { truth } else { "other" }.to_owned();
    Pair { truth: truth.to_owned(), champion: say(champion), challenger: say(challenger) }
}

/// `n` cases of a route that both get right, then so many gained and lost ones.
fn route(name: &str, n: usize, gained: usize, lost: usize) -> Vec<Pair> {
    let mut pairs = vec![pair(name, false, true); gained];
    pairs.extend(vec![pair(name, true, false); lost]);
    pairs.resize(n, pair(name, true, true));
    pairs
}

fn verdict(routes: &[Vec<Pair>]) -> ComparisonVerdict {
    compare(&routes.concat(), &ComparisonRules::default()).verdict
}

#[test]
fn binomial_tails_are_those_of_the_tables() {
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-6, "{a} is not {b}");
    close(at_least(5, 5, 0.5), 1.0 / 32.0);
    close(at_least(8, 10, 0.5), 56.0 / 1024.0);
    close(at_least(3, 10, 0.5), 968.0 / 1024.0);
    close(at_least(60, 100, 0.5), 0.028_443_97);
    close(at_least(0, 0, 0.5), 1.0);
    close(upper_bound(0, 100, 0.05), 1.0 - 0.05f64.powf(0.01));
    close(lower_bound(100, 100, 0.05), 0.05f64.powf(0.01));
    // Clopper and Pearson's interval of 10 in 100 at 95%.
    assert!((upper_bound(10, 100, 0.025) - 0.1762).abs() < 1e-4);
    assert!((lower_bound(10, 100, 0.025) - 0.0490).abs() < 1e-4);
}

#[test]
fn a_route_that_gets_worse_is_named_whatever_the_others_gain() {
    let others: Vec<Pair> = (0..20).flat_map(|i| route(&format!("r{i}"), 30, 5, 0)).collect();
    let refused = verdict(&[others.clone(), route("bad", 30, 0, 8)]);
    assert_eq!(refused, ComparisonVerdict::Worse { routes: vec!["bad".to_owned()] });
    assert_eq!(verdict(&[others]), ComparisonVerdict::Better);
}

#[test]
fn a_small_route_that_is_lost_is_refused_without_significance() {
    let many = route("many", 500, 3, 3);
    // Two of two cases: p is 0.25, and the route is gone.
    let refused = verdict(&[many.clone(), route("few", 2, 0, 2)]);
    assert_eq!(refused, ComparisonVerdict::Worse { routes: vec!["few".to_owned()] });
    assert_eq!(verdict(&[many, route("few", 2, 0, 1)]), ComparisonVerdict::NoWorse);
}

#[test]
fn few_cases_clear_nobody_and_say_how_many_would() {
    let ComparisonVerdict::Unproven { wanted } = verdict(&[route("a", 20, 0, 0)]) else {
        panic!("twenty cases proved something");
    };
    assert!((80..=160).contains(&wanted), "{wanted}");
    assert_eq!(verdict(&[route("a", wanted, 0, 0)]), ComparisonVerdict::NoWorse);
    assert!(matches!(verdict(&[]), ComparisonVerdict::Unproven { .. }));
}

#[test]
fn a_loss_of_many_routes_that_none_shows_is_worse_overall() {
    let routes: Vec<Vec<Pair>> = (0..50).map(|i| route(&format!("r{i}"), 20, 0, 1)).collect();
    assert_eq!(verdict(&routes), ComparisonVerdict::Worse { routes: Vec::new() });
}

#[test]
fn a_champion_that_takes_other_cases_for_a_route_can_be_beaten_on_it() {
    let said = |truth: &str, champion: &str, challenger: &str, n: usize| {
        let [truth, champion, challenger] = [truth, champion, challenger].map(str::to_owned);
        vec![Pair { truth, champion, challenger }; n]
    };
    let usual = [route("greedy", 40, 0, 0), route("robbed", 40, 0, 0), route("other", 900, 0, 0)];
    let back = said("robbed", "greedy", "robbed", 10);
    let given_up = said("greedy", "greedy", "robbed", 10);
    let fair = [usual.concat(), back, given_up.clone()];
    assert_eq!(verdict(&fair), ComparisonVerdict::NoWorse);
    let ComparisonVerdict::Worse { routes } = verdict(&[usual.concat(), given_up]) else {
        panic!("ten cases were given up for nothing");
    };
    // One loses its own cases, the other takes those of another route.
    assert_eq!(routes, ["greedy", "robbed"]);
}

/// Pairs of cases of `routes` routes that a challenger gets right as often as the champion does,
/// where both are wrong in one of twenty and differ in one of thirty, but for `harm` of the first
/// route.
fn drawn(routes: usize, n: usize, harm: f64, seed: u64) -> Vec<Pair> {
    let mut random = Random::new(seed);
    let mut draw = move |share: f64| random.next() as f64 / u64::MAX as f64 <= share;
    let mut pairs = Vec::new();
    for at in 0..routes * n {
        let name = format!("r{}", at % routes);
        let differs = draw(1.0 / 30.0);
        let champion = draw(if differs { 0.5 } else { 0.95 });
        let harmed = at % routes == 0 && draw(harm);
        let challenger = (if differs { !champion } else { champion }) && !harmed;
        pairs.push(pair(&name, champion, challenger));
    }
    pairs
}

#[test]
fn s4_28_equal_challengers_usually_pass_and_bad_ones_usually_do_not() {
    let passes = |routes: usize, n: usize, harm: f64| {
        let seeds = 0..100u64;
        seeds
            .filter(|seed| {
                let pairs = drawn(routes, n, harm, seed * 7919 + 1);
                compare(&pairs, &ComparisonRules::default()).is_promotable()
            })
            .count()
    };
    for (routes, n) in [(5, 100), (20, 30), (150, 17)] {
        let equal = passes(routes, n, 0.0);
        assert!(equal >= 70, "{equal} of 100 with {routes} routes of {n} cases");
        // A route that loses four of ten of its cases.
        let bad = passes(routes, n, 0.4);
        assert!(bad <= 10, "{bad} of 100 with {routes} routes of {n} cases");
    }
}

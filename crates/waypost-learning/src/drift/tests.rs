//! The promises of the alarm, on traffic made up of known parts.

use super::super::random::Random;
use super::*;

/// Traffic made up of known parts.
struct Traffic {
    random: Random,
    routes: usize,
    /// True if the second route is asked for half as often as the first, the third a third as
    /// often, and so on.
    zipf: bool,
    /// The share of requests of a topic that no route serves.
    foreign: f64,
    /// The share of requests for the first route beyond its own.
    first: f64,
}

impl Traffic {
    fn new(seed: u64, routes: usize) -> Self {
        Self { random: Random::new(seed), routes, zipf: false, foreign: 0.0, first: 0.0 }
    }

    fn next(&mut self, drift: &mut Drift) -> Option<Alarm> {
        let (draw, other) = (self.random.share(), self.random.share());
        let foreign = self.random.share() < self.foreign;
        // Most are sure; a tenth are anywhere.
        let sure = if self.random.share() < 0.9 { 0.9 + 0.1 * draw } else { draw };
        let confidence = if foreign { 0.6 * draw } else { sure };
        let in_scope = if foreign { 0.5 * other } else { 1.0 - 0.3 * other * other };
        let place = self.place();
        let place = if self.random.share() < self.first { 0 } else { place };
        let route = format!("r{place}");
        drift.observe(&Observation { route: &route, confidence, in_scope })
    }

    fn place(&mut self) -> usize {
        let routes = self.routes as f64;
        if self.zipf {
            return (routes + 1.0).powf(self.random.share()) as usize - 1;
        }
        (self.random.share() * self.random.share() * routes) as usize
    }

    /// Returns whether an alarm is raised within so many requests after a reference of its own.
    fn alarms(mut self, after: usize) -> bool {
        let watch = DriftOptions::default();
        let requests = watch.reference + after;
        let mut drift = Drift::new(watch);
        (0..requests).any(|_| self.next(&mut drift).is_some())
    }
}

#[test]
fn deviations_are_those_of_the_tables() {
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-4, "{a} is not {b}");
    close(two_sided(1.0), 0.317_31);
    close(two_sided(1.959_964), 0.05);
    close(two_sided(3.0), 0.002_7);
    close(quantile(0.05), 1.959_96);
    close(quantile(1e-4), 3.890_59);
    // The upper 5% of chi-square with 15 degrees of freedom begins at 24.996, that of a normal
    // variable at 1.645.
    let spread: f64 = 2.0 / 135.0;
    let deviation = ((24.996f64 / 15.0).cbrt() - (1.0 - spread)) / spread.sqrt();
    assert!((deviation - 1.644_85).abs() < 0.005, "{deviation}");
}

#[test]
fn s1_20_unchanged_traffic_raises_no_more_alarms_than_stated() {
    // Fifty times as many as usual, so that there is something to count.
    let watch = DriftOptions { false_alarms: 50.0, ..DriftOptions::default() };
    let (runs, each) = (120, 5_000);
    let mut alarms = 0;
    for seed in 0..runs {
        let mut traffic = Traffic::new(seed, [2, 8, 150][seed as usize % 3]);
        let mut drift = Drift::new(watch.clone());
        for _ in 0..each + watch.reference {
            alarms += usize::from(traffic.next(&mut drift).is_some());
        }
    }
    // 600,000 requests may raise 300; one alarm ends a run, so fewer are raised.
    assert!((3..=120).contains(&alarms), "{alarms} alarms in {runs} runs");
    let usual = (0..60).filter(|seed| Traffic::new(1_000 + seed, 20).alarms(10_000)).count();
    // 600,000 requests may raise six on average; eleven or more come once in twenty times.
    assert!(usual <= 10, "{usual} alarms");
}

#[test]
fn routes_that_are_too_rare_for_the_reference_raise_no_alarm() {
    let traffic = |seed| Traffic { zipf: true, ..Traffic::new(seed, 1_000) };
    // 60,000 requests may raise 0.6 on average. The reference of 2,000 lacks half of the routes.
    let alarms = (0..12).filter(|seed| traffic(*seed).alarms(5_000)).count();
    assert!(alarms <= 2, "{alarms} alarms in 12 runs");
}

#[test]
fn confidences_that_are_seldom_low_raise_no_more_alarms_than_stated() {
    let seldom_low = |random: &mut Random| {
        let low = random.share() < 0.005;
        if low { 0.3 * random.share() } else { 0.95 + 0.05 * random.share() }
    };
    let alarms = |seed: &u64| {
        let mut random = Random::new(*seed);
        let mut drift = Drift::new(DriftOptions::default());
        (0..12_000).any(|_| {
            let (confidence, in_scope) = (seldom_low(&mut random), seldom_low(&mut random));
            drift.observe(&Observation { route: "a", confidence, in_scope }).is_some()
        })
    };
    // 240,000 requests may raise 2.4 on average. The reference has ten low ones of each kind.
    let alarms = (0..24).filter(alarms).count();
    assert!(alarms <= 5, "{alarms} alarms in 24 runs");
}

#[test]
fn s1_20_a_new_topic_and_another_mix_are_told_within_two_thousand_requests() {
    for seed in 0..40 {
        for (foreign, first) in [(0.1, 0.0), (0.0, 0.15)] {
            let mut traffic = Traffic::new(seed, 20);
            let mut drift = Drift::new(DriftOptions::default());
            while !drift.is_watching() {
                traffic.next(&mut drift);
            }
            (traffic.foreign, traffic.first) = (foreign, first);
            let after = (1..=2_000).find(|_| traffic.next(&mut drift).is_some());
            assert!(after.is_some(), "seed {seed}: {foreign} foreign, {first} more of one");
        }
    }
}

#[test]
fn an_alarm_is_raised_once_and_again_after_a_reset() {
    let mut drift = Drift::new(DriftOptions { reference: 200, ..DriftOptions::default() });
    let run = |drift: &mut Drift| {
        let calm = |drift: &mut Drift| {
            drift.observe(&Observation { route: "a", confidence: 0.9, in_scope: 0.9 })
        };
        assert!((0..200).all(|_| calm(drift).is_none()));
        let odd = Observation { route: "a", confidence: 0.2, in_scope: f64::NAN };
        (0..3_000).filter(|_| drift.observe(&odd).is_some()).count()
    };
    assert_eq!(run(&mut drift), 1);
    drift.reset();
    assert_eq!(run(&mut drift), 1);
}

#[test]
fn routes_that_the_reference_never_saw_are_told() {
    let mut drift = Drift::new(DriftOptions::default());
    let mut random = Random::new(7);
    let mut ask = |drift: &mut Drift, fresh: f64| {
        let (kind, count) = if random.share() < fresh { ("fresh", 50) } else { ("known", 20) };
        let route = format!("{kind}{}", random.below(count));
        drift.observe(&Observation { route: &route, confidence: 0.9, in_scope: 0.9 })
    };
    while !drift.is_watching() {
        ask(&mut drift, 0.0);
    }
    // Each of them is asked for about once in the five hundred requests that are compared.
    let alarm = (0..2_000).find_map(|_| ask(&mut drift, 0.1));
    assert_eq!(alarm.map(|alarm| (alarm.signal, alarm.before)), Some((DriftSignal::Routes, None)));
}

#[test]
fn equal_values_are_one_part_and_a_part_has_enough_of_the_smaller_sample() {
    let sure = |n: usize| std::iter::repeat_n(0.9, n);
    let some = |unsure: usize, n: usize| std::iter::repeat_n(0.2, unsure).chain(sure(n - unsure));
    let count = |before, now| parts::Count { before, now };
    assert_eq!(parts::by_value(sure(2_000), sure(500)), [count(2_000, 500)]);
    assert_eq!(parts::by_value(some(10, 2_000), some(3, 500)), [count(2_000, 500)]);
    let lower = parts::by_value(some(10, 2_000), some(60, 500));
    assert_eq!(lower, [count(10, 60), count(1_990, 440)]);
    assert!(parts::unlike(&lower) > 5.0);
    assert!(parts::unlike(&[count(2_000, 500)]).abs() < f64::EPSILON);
}

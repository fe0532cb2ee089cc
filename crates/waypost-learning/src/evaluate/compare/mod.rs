//! Decides whether a newly trained student may take the place of the one in service, on cases that
//! both were asked and neither was trained on.
//!
//! Three things must hold. Overall the challenger is no worse: significantly worse is refused, and
//! a bound at 95% confidence on its loss keeps few cases from clearing it for want of evidence. No
//! route is significantly worse, by exact one-sided tests of the cases where just one of the two is
//! right, all routes together at 5% (Holm). And no route loses more cases than a margin, whatever
//! the test says: with ten cases of a route hardly anything is significant.
//!
//! A student is right about a route in a case if it gives the case that route exactly when the case
//! belongs to it. A champion that takes half its neighbor's cases for a route would otherwise be
//! unbeatable on it. A route is refused by the margin only if the losses by this count and by the
//! route's own cases both exceed it.
//!
//! # Source
//!
//! McNemar 1947, "Note on the sampling error of the difference between correlated proportions"; Holm
//! 1979, "A Simple Sequentially Rejective Multiple Test Procedure"; Clopper and Pearson 1934, "The Use
//! of Confidence or Fiducial Limits Illustrated in the Case of the Binomial".

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// One case as both took it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pair {
    /// The right route.
    pub truth: String,
    /// The route that the student in service gives.
    pub champion: String,
    /// The route that the other gives.
    pub challenger: String,
}

/// The rules that a challenger must keep to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ComparisonRules {
    /// The probability with which an equal challenger may be called worse.
    pub significance: f64,
    /// Cases that any route may lose on balance.
    pub route_cases: usize,
    /// Cases that it may lose beyond these, as a share of its cases.
    pub route_share: f64,
    /// The most that may have been lost overall, as a share of all cases.
    pub overall: f64,
}

impl Default for ComparisonRules {
    fn default() -> Self {
        Self { significance: 0.05, route_cases: 1, route_share: 0.15, overall: 0.03 }
    }
}

/// Cases, and how many of them each student gets right.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Counts {
    /// Cases.
    pub n: usize,
    /// The number that the champion gets right.
    pub champion: usize,
    /// The number that the challenger gets right.
    pub challenger: usize,
    /// Cases that only the challenger is right in; of a route, that only it is right about the route
    /// in, be they of it or wrongly taken for it.
    pub gained: usize,
    /// The same for the champion.
    pub lost: usize,
    /// The probability that an equal challenger loses as many or more of the cases where just one
    /// is right.
    pub p_worse: f64,
    /// The probability that an equal challenger gains as many or more of them.
    pub p_better: f64,
}

/// The verdict of the cases on a challenger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ComparisonVerdict {
    /// It is right significantly more often, and no route is worse.
    Better,
    /// It is as good as the champion, as far as the rules ask.
    NoWorse,
    /// Nothing shows that it is worse, and the cases are too few to show that it is not.
    Unproven {
        /// The number of cases that would do, roughly.
        wanted: usize,
    },
    /// It is worse overall, or on routes.
    Worse {
        /// The routes that are worse; empty where it is worse overall only.
        routes: Vec<String>,
    },
}

/// A challenger beside the champion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// All cases.
    pub overall: Counts,
    /// The most that the challenger may have lost, as a share of all cases, at the confidence of the
    /// rules; below 0 where it surely gained.
    pub most_lost: f64,
    /// Cases by their right route.
    pub routes: BTreeMap<String, Counts>,
    /// Cases to which the two give different routes, right or wrong.
    pub changed: usize,
    /// The verdict that follows.
    pub verdict: ComparisonVerdict,
}

impl Comparison {
    /// Returns whether the challenger may take the champion's place.
    pub fn is_promotable(&self) -> bool {
        matches!(self.verdict, ComparisonVerdict::Better | ComparisonVerdict::NoWorse)
    }
}

/// Compares a challenger with the champion on `pairs`.
///
/// # Example
///
/// ```
/// use waypost_learning::evaluate::compare::{Pair, ComparisonRules, ComparisonVerdict, compare};
///
/// let pair = |challenger: &str| Pair {
///     truth: "tool".to_owned(),
///     champion: "tool".to_owned(),
///     challenger: challenger.to_owned(),
/// };
/// let mut pairs = vec![pair("tool"); 20];
/// assert!(matches!(compare(&pairs, &ComparisonRules::default()).verdict, ComparisonVerdict::Unproven { .. }));
/// pairs.resize(200, pair("tool"));
/// assert_eq!(compare(&pairs, &ComparisonRules::default()).verdict, ComparisonVerdict::NoWorse);
/// pairs.resize(260, pair("explain"));
/// let worse = compare(&pairs, &ComparisonRules::default());
/// assert_eq!(worse.verdict, ComparisonVerdict::Worse { routes: vec!["tool".to_owned()] });
/// ```
pub fn compare(pairs: &[Pair], rules: &ComparisonRules) -> Comparison {
    let mut overall = Counts::default();
    let mut routes: BTreeMap<String, Counts> = BTreeMap::new();
    for pair in pairs {
        let right = [pair.champion == pair.truth, pair.challenger == pair.truth];
        overall.add(right);
        overall.weigh(right);
        routes.entry(pair.truth.clone()).or_default().add(right);
    }
    for pair in pairs {
        let mut named = vec![&pair.truth, &pair.champion, &pair.challenger];
        named.sort_unstable();
        named.dedup();
        for route in named {
            // All that is known of a route without cases of its own is how many cases other routes
            // lose to it.
            let Some(counts) = routes.get_mut(route) else { continue };
            let is_right = |said: &String| (said == route) == (pair.truth == *route);
            counts.weigh([is_right(&pair.champion), is_right(&pair.challenger)]);
        }
    }
    overall.test();
    routes.values_mut().for_each(Counts::test);
    let most_lost = most_lost(&overall, rules.significance);
    let worse = worse_routes(&routes, rules);
    let verdict = if !worse.is_empty() || overall.p_worse <= rules.significance {
        ComparisonVerdict::Worse { routes: worse }
    } else if most_lost > rules.overall {
        ComparisonVerdict::Unproven { wanted: wanted(&overall, rules) }
    } else if overall.p_better <= rules.significance {
        ComparisonVerdict::Better
    } else {
        ComparisonVerdict::NoWorse
    };
    let changed = pairs.iter().filter(|pair| pair.champion != pair.challenger).count();
    Comparison { overall, most_lost, routes, changed, verdict }
}

impl Counts {
    /// Counts cases, each given by whether champion and challenger are right.
    pub fn of(cases: impl Iterator<Item = [bool; 2]>) -> Self {
        let mut counts = Self::default();
        for right in cases {
            counts.add(right);
            counts.weigh(right);
        }
        counts.test();
        counts
    }

    /// Counts a case by whether champion and challenger are right.
    fn add(&mut self, [champion, challenger]: [bool; 2]) {
        self.n += 1;
        self.champion += usize::from(champion);
        self.challenger += usize::from(challenger);
    }

    fn weigh(&mut self, [champion, challenger]: [bool; 2]) {
        self.gained += usize::from(challenger && !champion);
        self.lost += usize::from(champion && !challenger);
    }

    fn test(&mut self) {
        let one_sided = self.gained + self.lost;
        self.p_worse = at_least(self.lost, one_sided, 0.5);
        self.p_better = at_least(self.gained, one_sided, 0.5);
    }

    fn balance(&self) -> usize {
        self.lost.saturating_sub(self.gained)
    }
}

/// Returns the routes that are significantly worse, and those that lose more than the margin.
fn worse_routes(routes: &BTreeMap<String, Counts>, rules: &ComparisonRules) -> Vec<String> {
    let mut tested: Vec<(&String, f64)> = routes
        .iter()
        .filter(|(_, counts)| counts.gained + counts.lost > 0)
        .map(|(route, counts)| (route, counts.p_worse))
        .collect();
    tested.sort_by(|a, b| a.1.total_cmp(&b.1));
    let left = tested.len();
    let significant = tested
        .iter()
        .enumerate()
        .take_while(|(at, (_, p))| *p <= rules.significance / (left - at) as f64)
        .map(|(_, (route, _))| (*route).clone());
    let mut worse: Vec<String> = significant.collect();
    for (route, counts) in routes {
        let margin = rules.route_cases + (rules.route_share * counts.n as f64) as usize;
        let own = counts.champion.saturating_sub(counts.challenger);
        if own.min(counts.balance()) > margin && !worse.contains(route) {
            worse.push(route.clone());
        }
    }
    worse.sort();
    worse
}

/// The upper bound of the share that was lost less the lower bound of the share that was gained, each
/// exact and at half the significance.
fn most_lost(counts: &Counts, significance: f64) -> f64 {
    if counts.n == 0 {
        return 1.0;
    }
    let half = 0.5 * significance;
    // With nothing lost and nothing gained one side is all there is to bound.
    let upper = if counts.lost == 0 && counts.gained == 0 { significance } else { half };
    upper_bound(counts.lost, counts.n, upper) - lower_bound(counts.gained, counts.n, half)
}

/// Returns about how many cases with these shares of lost and gained ones would clear the
/// challenger.
fn wanted(counts: &Counts, rules: &ComparisonRules) -> usize {
    let scaled = |factor: usize| {
        let counts = Counts {
            n: counts.n.max(1) * factor,
            gained: counts.gained * factor,
            lost: counts.lost.min(counts.gained) * factor,
            ..Counts::default()
        };
        (most_lost(&counts, rules.significance) <= rules.overall).then_some(counts.n)
    };
    // Doubling ends at a thousand times the cases, more than anybody has.
    (1..=10).find_map(|power| scaled(1 << power)).unwrap_or(counts.n.max(1) << 10)
}

/// The largest share at which as few as `k` of `n` have the probability `tail`.
fn upper_bound(k: usize, n: usize, tail: f64) -> f64 {
    if k >= n {
        return 1.0;
    }
    bisect(|share| 1.0 - at_least(k + 1, n, share) > tail)
}

/// The smallest share at which as many as `k` of `n` have the probability `tail`.
fn lower_bound(k: usize, n: usize, tail: f64) -> f64 {
    if k == 0 {
        return 0.0;
    }
    bisect(|share| at_least(k, n, share) < tail)
}

/// Returns the number between 0 and 1 at which `is_below` stops to hold.
fn bisect(is_below: impl Fn(f64) -> bool) -> f64 {
    /// Halvings: a millionth is finer than any share of cases.
    const HALVINGS: usize = 24;
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if is_below(middle) { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// The probability of `k` or more successes of `n`, each of probability `share`.
pub(crate) fn at_least(k: usize, n: usize, share: f64) -> f64 {
    if k == 0 {
        return 1.0;
    }
    if share <= 0.0 || k > n {
        return 0.0;
    }
    if share >= 1.0 {
        return 1.0;
    }
    // The terms fall on both sides of the mean: the shorter tail is summed, from its largest term.
    let mean = n as f64 * share;
    if (k as f64) < mean {
        return (1.0 - tail(n - k + 1, n, 1.0 - share)).clamp(0.0, 1.0);
    }
    tail(k, n, share)
}

/// The sum of the terms from `k`, which is not below the mean, up.
fn tail(k: usize, n: usize, share: f64) -> f64 {
    let log_term = log_choose(n, k) + k as f64 * share.ln() + (n - k) as f64 * (1.0 - share).ln();
    let mut term = log_term.exp();
    let mut sum = 0.0;
    for i in k..=n {
        sum += term;
        let next = term * (n - i) as f64 / (i + 1) as f64 * share / (1.0 - share);
        if next < sum * f64::EPSILON {
            break;
        }
        term = next;
    }
    sum.min(1.0)
}

fn log_choose(n: usize, k: usize) -> f64 {
    log_factorial(n) - log_factorial(k) - log_factorial(n - k)
}

/// The logarithm of a factorial: summed for small numbers, by Stirling's series for others.
fn log_factorial(n: usize) -> f64 {
    if n < 32 {
        return (2..=n).map(|i| (i as f64).ln()).sum();
    }
    let x = n as f64 + 1.0;
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI).ln() + 1.0 / (12.0 * x)
        - 1.0 / (360.0 * x.powi(3))
}

#[cfg(test)]
mod tests;

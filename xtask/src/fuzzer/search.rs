//! The search by hand: random recipes, the worst growth of each target, and the smallest input of a fault.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use super::counting::Cost;
use super::random::Random;
use super::recipe::Recipe;
use super::scaling::{Growth, cost, costs, fault, growths};
use super::targets::{Target, World};
use super::terms::Terms;
use super::{root, say};

/// The sizes of small inputs, in bytes.
const SMALL: [usize; 3] = [1 << 10, 2 << 10, 4 << 10];
/// The greatest text that is taken is 64 KiB.
const LARGE: [usize; 3] = [16 << 10, 32 << 10, 64 << 10];
/// Large inputs that take longer than this, in microseconds, are compared with smaller ones.
const SLOW_MICROS: u64 = 100_000;
/// The longest input of the search for panics, in bytes.
const LONGEST_OF_PANICS: usize = 160;
/// The time between two lines of progress.
const BETWEEN_LINES: Duration = Duration::from_secs(20);

/// What is asked for on the command line.
struct Options {
    minutes: f64,
    seed: u64,
    only: Option<String>,
    recipe: Option<Recipe>,
    size: Option<usize>,
    most_faults: usize,
    panics: Option<u64>,
}

impl Options {
    fn of(arguments: &[String]) -> Result<Self> {
        let mut options = Self {
            minutes: 1.0,
            seed: 1,
            only: None,
            recipe: None,
            size: None,
            most_faults: 20,
            panics: None,
        };
        let mut rest = arguments.iter();
        while let Some(name) = rest.next() {
            let value = rest.next().with_context(|| format!("`{name}` wants a value"))?;
            match name.as_str() {
                "--minutes" => options.minutes = value.parse()?,
                "--seed" => options.seed = value.parse()?,
                "--only" => options.only = Some(value.clone()),
                "--repeat" => options.recipe = Some(Recipe::parse(value)?),
                "--size" => options.size = Some(value.parse()?),
                "--panics" => options.panics = Some(value.parse()?),
                "--faults" => options.most_faults = value.parse()?,
                _ => bail!(
                    "`{name}` is unknown: there is --minutes, --seed, --only, --repeat, --size, --faults, --panics"
                ),
            }
        }
        Ok(options)
    }
}

/// Runs the search; returns whether no fault was found.
///
/// # Errors
///
/// For arguments that are unknown, and files of the repository that cannot be read.
pub(crate) fn run(arguments: &[String]) -> Result<bool> {
    let options = Options::of(arguments)?;
    let terms = Terms::of(&root())?;
    let world = World::new(&["ocean", "malaria", "platform", "listed"])?;
    let mut targets = world.targets();
    if let Some(only) = &options.only {
        targets.retain(|target| target.name.contains(only.as_str()));
    }
    say(&format!("{} terms, {} targets, seed {}", terms.0.len(), targets.len(), options.seed));
    if let Some(recipe) = &options.recipe {
        return Ok(repeat(&targets, recipe, options.size));
    }
    if let Some(count) = options.panics {
        return Ok(panics(&targets, &terms, count, options.seed));
    }
    Ok(search(&targets, &terms, &options))
}

/// Tries random recipes until the time is over.
fn search(targets: &[Target<'_>], terms: &Terms, options: &Options) -> bool {
    let mut random = Random::new(options.seed);
    let end = Instant::now() + Duration::from_secs_f64(options.minutes * 60.0);
    let mut worst: BTreeMap<&str, Worst> = BTreeMap::new();
    let (mut tried, mut faults) = (0_u64, 0);
    let mut next = Instant::now() + BETWEEN_LINES;
    while Instant::now() < end && faults < options.most_faults {
        let target = &targets[random.below(targets.len())];
        let recipe = target.shape.recipe(terms, &mut random);
        let own = worst.entry(target.name.as_str()).or_default();
        tried += 1;
        // Small inputs show what is counted, and a large one what is only felt.
        let sizes = if random.below(2) == 0 { SMALL } else { LARGE };
        let is_slow = sizes == SMALL || {
            let cost = cost(target, &recipe, LARGE[2]);
            own.note_time(&recipe, cost);
            cost.micros > SLOW_MICROS
        };
        if is_slow {
            let found = costs(target, &recipe, sizes);
            own.note_growth(&found);
            if fault(&found, false).is_some()
                && let Some(growth) = again(target, &recipe, sizes)
            {
                faults += 1;
                report(target, recipe, sizes, &growth);
            }
        }
        if Instant::now() > next {
            say(&format!("{tried} inputs, {faults} faults"));
            next = Instant::now() + BETWEEN_LINES;
        }
    }
    for (name, worst) in &worst {
        say(&format!("{name:18} {worst}"));
    }
    say(&format!("{tried} inputs, {faults} faults"));
    faults == 0
}

/// Says what grew too fast, the smallest input of it that was found, and how to repeat it.
fn report(target: &Target<'_>, recipe: Recipe, sizes: [usize; 3], growth: &Growth) {
    let Growth { measure, values } = growth;
    say(&format!("FAULT {}: {measure} {values:?} at {sizes:?} bytes", target.name));
    let line = smallest(target, recipe, sizes).line().replace('\'', "'\\''");
    say(&format!(
        "  cargo xtask fuzz --only {} --repeat '{line}' --size {}",
        target.name, sizes[2]
    ));
}

/// Gives each target so many short inputs; returns whether none panicked.
fn panics(targets: &[Target<'_>], terms: &Terms, count: u64, seed: u64) -> bool {
    let mut fine = true;
    for target in targets {
        let (mut random, start) = (Random::new(seed), Instant::now());
        for _ in 0..count {
            let recipe = target.shape.recipe(terms, &mut random);
            let input = recipe.make(1 + random.below(LONGEST_OF_PANICS));
            let run = std::panic::AssertUnwindSafe(|| (target.run)(&input));
            if std::panic::catch_unwind(run).is_err() {
                fine = false;
                say(&format!("PANIC {}: {input:?}", target.name));
            }
        }
        let rate = count as f64 / start.elapsed().as_secs_f64();
        say(&format!("{:18} {count} inputs, {rate:.0} a second", target.name));
    }
    fine
}

/// Measures a suspicious input again, three times; the least growth of one measure counts.
fn again(target: &Target<'_>, recipe: &Recipe, sizes: [usize; 3]) -> Option<Growth> {
    let mut last = None;
    for _ in 0..3 {
        last = Some(fault(&costs(target, recipe, sizes), false)?);
    }
    last
}

/// The recipe with as little left as grows too fast still.
fn smallest(target: &Target<'_>, recipe: Recipe, sizes: [usize; 3]) -> Recipe {
    let mut best = recipe;
    let end = Instant::now() + Duration::from_secs(20);
    loop {
        let fewer = best
            .smaller()
            .into_iter()
            .find(|smaller| Instant::now() < end && again(target, smaller, sizes).is_some());
        match fewer {
            Some(smaller) => best = smaller,
            None => return best,
        }
    }
}

fn repeat(targets: &[Target<'_>], recipe: &Recipe, size: Option<usize>) -> bool {
    let last = size.unwrap_or(LARGE[2]);
    let sizes = [last / 4, last / 2, last];
    let mut fine = true;
    for target in targets {
        let found = costs(target, recipe, sizes);
        let judged = fault(&found, false);
        fine &= judged.is_none();
        say(&format!("{}{}", target.name, if judged.is_some() { ": FAULT" } else { "" }));
        for growth in growths(&found) {
            say(&format!("  {:9} {:?} × {:.2}", growth.measure, growth.values, growth.ratio()));
        }
    }
    fine
}

/// The worst that a target did.
#[derive(Debug, Default)]
struct Worst {
    /// The most time of a large input, and that input.
    micros: u64,
    slowest: String,
    /// The most steps for each byte.
    steps_per_byte: u64,
    /// The fastest growth of what is counted.
    ratio: f64,
}

impl Worst {
    fn note_time(&mut self, recipe: &Recipe, cost: Cost) {
        if cost.micros > self.micros {
            (self.micros, self.slowest) = (cost.micros, recipe.line());
        }
    }

    fn note_growth(&mut self, costs: &[Cost; 3]) {
        let steps = costs[2].steps / costs[2].input.max(1);
        self.steps_per_byte = self.steps_per_byte.max(steps);
        let counted = growths(costs)
            .into_iter()
            .filter(|growth| growth.measure != "time" && growth.values[2] > 1 << 20);
        self.ratio = counted.map(|growth| growth.ratio()).fold(self.ratio, f64::max);
    }
}

impl std::fmt::Display for Worst {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { micros, steps_per_byte, ratio, slowest } = self;
        let shown: String = slowest.chars().take(160).collect();
        let millis = *micros as f64 / 1000.0;
        write!(
            f,
            "× {ratio:.2}, {steps_per_byte} steps a byte, {millis:.1} ms for 64 KiB of {shown}"
        )
    }
}

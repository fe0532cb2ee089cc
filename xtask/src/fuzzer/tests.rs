//! The part of the search that runs with the tests: what is counted, for texts that were slow once and
//! for random ones, the same on every machine.

use super::random::Random;
use super::recipe::Recipe;
use super::root;
use super::scaling::{costs, fault};
use super::structures::Shape;
use super::targets::{Target, World};
use super::terms::Terms;

/// The sizes that are compared, in bytes.
const SIZES: [usize; 3] = [1 << 10, 2 << 10, 4 << 10];

/// No text may cost more steps for each of its bytes, all its extractors together.
const MOST_STEPS: u64 = 1_500;

/// The inputs that took seconds once: words of numbers, magnitudes, quotation marks, hyphens, groups of digits.
const SLOW_ONCE: [&str; 40] = [
    "zero ",
    "cero ",
    "k ",
    "doz ",
    "dz ",
    "打",
    "百",
    "千",
    "零",
    "hundred ",
    "萬",
    "cr ",
    "mln ",
    "dozen ",
    "billion ",
    "zero-",
    "hundred and ",
    "không ",
    "mil ",
    "\"",
    "'",
    "“",
    "「",
    "`",
    "-",
    "- ",
    "—",
    "\"-",
    "$",
    "@",
    "123 ",
    "1,234,234",
    "12,34",
    "about ",
    "又一個月又一年",
    "十勝節",
    "not ,",
    "no, ",
    "<system-reminder>",
    "1 ",
];

fn targets(world: &World) -> Vec<Target<'_>> {
    let all = world.targets();
    all.into_iter().filter(|target| matches!(target.shape, Shape::Text | Shape::Request)).collect()
}

/// The faults of an input in words, one a measure that grew too fast.
fn faults(target: &Target<'_>, recipe: &Recipe) -> Option<String> {
    let found = costs(target, recipe, SIZES);
    let name = &target.name;
    if let Some(growth) = fault(&found, true) {
        return Some(format!("{name}: {} {:?} of {recipe}", growth.measure, growth.values));
    }
    let most = found[2].steps / found[2].input;
    (most > MOST_STEPS).then(|| format!("{name}: {most} steps a byte of {recipe}"))
}

#[test]
fn what_was_slow_once_costs_no_more_than_its_length() {
    let world = World::new(&["ocean"]).unwrap();
    let mut found = Vec::new();
    for unit in SLOW_ONCE {
        let recipe = Recipe::repeated(unit);
        for target in targets(&world).iter().filter(|target| !target.name.starts_with("kinds")) {
            found.extend(faults(target, &recipe));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn random_inputs_cost_no_more_than_their_length() {
    /// Enough for half a minute.
    const INPUTS: usize = 300;
    let terms = Terms::of(&root()).unwrap();
    let world = World::new(&["ocean", "listed"]).unwrap();
    let targets = targets(&world);
    let mut random = Random::new(20_251_106);
    let mut found = Vec::new();
    for _ in 0..INPUTS {
        let target = &targets[random.below(targets.len())];
        let recipe = target.shape.recipe(&terms, &mut random);
        found.extend(faults(target, &recipe));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn a_cost_that_grows_with_the_square_is_found() {
    let squared = |text: &str| (text.len() * text.len()) as u64;
    let target = Target { name: "made up".to_owned(), shape: Shape::Text, run: Box::new(squared) };
    assert!(faults(&target, &Recipe::repeated("a")).unwrap().starts_with("made up: steps"));
    let copied = |text: &str| {
        let copies: Vec<String> = text.chars().map(|_| text.to_owned()).collect();
        drop(copies);
        0
    };
    let target = Target { name: "copies".to_owned(), shape: Shape::Text, run: Box::new(copied) };
    assert!(faults(&target, &Recipe::repeated("a")).unwrap().starts_with("copies: bytes"));
    let linear = |text: &str| 100 * text.len() as u64;
    let target = Target { name: "linear".to_owned(), shape: Shape::Text, run: Box::new(linear) };
    assert_eq!(faults(&target, &Recipe::repeated("a")), None);
}

#[test]
fn a_recipe_is_read_back_and_grows_with_its_size() {
    let recipe = Recipe {
        lead: "from ".to_owned(),
        units: vec!["word{i} ".to_owned(), "(".to_owned()],
        close: ")".to_owned(),
        tail: "!".to_owned(),
    };
    assert_eq!(Recipe::parse(&recipe.line()).unwrap(), recipe);
    assert_eq!(recipe.make(1), "from word0 )!");
    let [one, two] = [1000, 2000].map(|size| recipe.make(size).len());
    assert!((900..1100).contains(&one) && (1800..2200).contains(&two), "{one} {two}");
}

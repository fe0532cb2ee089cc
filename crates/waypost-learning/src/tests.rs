//! Behaviour of training and of bundles, on small sets made up here.

use async_trait::async_trait;
use proptest::prelude::*;
use waypost_core::ports::encoder::Encoder;
use waypost_core::{Code, Result};

use super::{Bundle, Input, Labelled, OUT_OF_SCOPE, Scratch, TrainOptions, train};

fn example(text: &str, route: &str, tools: &[&str]) -> Labelled {
    Labelled {
        text: text.to_owned(),
        language: None,
        route: route.to_owned(),
        tools: tools.iter().map(|t| (*t).to_owned()).collect(),
        weight: 1.0,
    }
}

/// Each opening with each ending: 24 texts.
fn spell(route: &str, tools: &[&str], openings: [&str; 6], endings: [&str; 4]) -> Vec<Labelled> {
    let pairs = openings.iter().flat_map(|a| endings.iter().map(move |b| format!("{a} {b}")));
    pairs.map(|text| example(&text, route, tools)).collect()
}

fn kitchen() -> Vec<Labelled> {
    let mut examples = spell(
        "tool",
        &["timer"],
        ["set a timer", "start a timer", "wake me", "remind me", "count down", "time the eggs"],
        ["for ‹duration›", "at ‹time›", "in ‹duration› please", "until ‹time›"],
    );
    examples.extend(spell(
        "tool",
        &["scale", "recipe"],
        ["double the recipe", "scale it up", "make it", "halve it", "cook this", "adjust it"],
        ["for ‹number› people", "for ‹number› guests", "by ‹number›", "to ‹number› portions"],
    ));
    examples.extend(spell(
        "explain",
        &[],
        ["what is", "why do we use", "tell me about", "explain", "how come there is", "what does"],
        ["baking soda", "gluten in bread", "the smoke point", "yeast mean"],
    ));
    examples.extend(spell(
        "converse",
        &[],
        ["hello", "thanks a lot", "good morning", "you are great", "nice one", "cheers"],
        ["friend", "my dear", "chef", "to you"],
    ));
    examples
}

fn trained(examples: &[Labelled], options: &TrainOptions) -> Bundle {
    train(examples, options, None, &mut |_| {}).unwrap()
}

fn first<'a>(bundle: &'a Bundle, text: &str) -> &'a str {
    let scores = bundle.score(text, &mut Scratch::default());
    &bundle.routes()[scores.best().unwrap().0]
}

#[test]
fn it_learns_routes_and_tools() {
    let bundle = trained(&kitchen(), &TrainOptions::default());
    assert_eq!(bundle.routes(), ["converse", "explain", "tool"]);
    assert_eq!(bundle.tools(), ["recipe", "scale", "timer"]);
    assert_eq!(first(&bundle, "please set the timer for ‹duration›"), "tool");
    assert_eq!(first(&bundle, "what is yeast"), "explain");
    let scores = bundle.score("double it for ‹number› people", &mut Scratch::default());
    assert!(scores.tools[0] > 0.5 && scores.tools[1] > 0.5 && scores.tools[2] < 0.5, "{scores:?}");
    assert!((scores.routes.iter().sum::<f32>() - 1.0).abs() < 1e-5);
    assert!(bundle.metrics().accuracy > 0.9, "{:?}", bundle.metrics());
}

#[test]
fn the_same_seed_gives_the_same_bytes_on_one_thread_and_on_two() {
    let one = trained(&kitchen(), &TrainOptions { threads: 1, ..TrainOptions::default() });
    let two = trained(&kitchen(), &TrainOptions { threads: 2, ..TrainOptions::default() });
    assert_eq!(one.to_bytes(), two.to_bytes());
    let other = trained(&kitchen(), &TrainOptions { seed: 1, ..TrainOptions::default() });
    assert_ne!(one.id(), other.id());
}

#[test]
fn progress_reaches_its_total() {
    let mut seen = Vec::new();
    train(&kitchen(), &TrainOptions::default(), None, &mut |p| seen.push(p)).unwrap();
    assert_eq!(seen.len(), seen[0].total);
    assert!(seen.iter().enumerate().all(|(i, p)| p.done == i + 1));
}

#[test]
fn one_route_is_a_constant() {
    let bundle = trained(&[example("a text", "only", &[])], &TrainOptions::default());
    let scores = bundle.score("another", &mut Scratch::default());
    assert_eq!(scores.routes, [1.0]);
    assert!((0.0..=1.0).contains(&scores.in_scope));
}

#[test]
fn texts_without_words_score_without_a_fault() {
    let bundle = trained(&kitchen(), &TrainOptions::default());
    for text in ["", "?!", "海溫", "‹", &"a".repeat(10_000)] {
        let scores = bundle.score(text, &mut Scratch::default());
        let all = scores.routes.iter().chain(&scores.tools).chain([&scores.in_scope]);
        assert!(all.clone().all(|p| (0.0..=1.0).contains(p)), "`{text}`: {scores:?}");
    }
}

#[test]
fn labelled_out_of_scope_texts_are_told_apart() {
    let mut examples = kitchen();
    examples.extend(spell(
        OUT_OF_SCOPE,
        &[],
        ["the score of", "who won", "tickets to", "the coach of", "fans at", "watch"],
        ["the football match", "the final", "the hockey league", "the cup"],
    ));
    let bundle = trained(&examples, &TrainOptions::default());
    let mut scratch = Scratch::default();
    let outside = bundle.score("who is the coach of the hockey final", &mut scratch);
    let inside = bundle.score("set a timer for ‹duration›", &mut scratch);
    assert!(outside.in_scope < 0.5 && inside.in_scope > 0.5, "{outside:?} {inside:?}");
}

#[test]
fn weights_decide_between_opposite_examples() {
    let opposite = |strong: &str| {
        let weigh = |route: &str| if route == strong { 1.0 } else { 0.05 };
        let mut examples = Vec::new();
        for i in 0..20 {
            for (route, text) in [("yes", "go on then"), ("no", "go on now")] {
                let text = format!("{text} {}", "x".repeat(i + 1));
                examples.push(Labelled { weight: weigh(route), ..example(&text, route, &[]) });
            }
        }
        trained(&examples, &TrainOptions::default())
    };
    assert_eq!(first(&opposite("yes"), "go on"), "yes");
    assert_eq!(first(&opposite("no"), "go on"), "no");
}

#[test]
fn a_text_with_two_routes_teaches_nothing() {
    let plain = kitchen();
    let text = "neither of the two knows this one";
    let mut torn = plain.clone();
    torn.insert(1, example(text, "tool", &["timer"]));
    torn.push(example(&format!(" {text}"), "explain", &[]));
    let [plain, torn] = [plain, torn].map(|rows| trained(&rows, &TrainOptions::default()));
    assert_eq!(torn.to_bytes(), plain.to_bytes());
    let nothing = [example("same", "a", &[]), example(" same", "b", &[])];
    let error = train(&nothing, &TrainOptions::default(), None, &mut |_| {}).unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
    assert_eq!(error.message(), "every example has two routes");
}

#[test]
fn what_cannot_be_trained_on_is_refused() {
    let good = example("text", "a", &[]);
    let refused = [
        train(&[], &TrainOptions::default(), None, &mut |_| {}),
        train(
            &[Labelled { weight: f32::NAN, ..good.clone() }],
            &TrainOptions::default(),
            None,
            &mut |_| {},
        ),
        train(&[good], &TrainOptions { c: f32::NAN, ..TrainOptions::default() }, None, &mut |_| {}),
    ];
    for result in refused {
        assert_eq!(result.unwrap_err().code(), Code::InvalidArgument);
    }
}

#[test]
fn bytes_lead_back_to_the_same_bundle() {
    let bundle = trained(&kitchen(), &TrainOptions::default());
    let read = Bundle::from_bytes(&bundle.to_bytes()).unwrap();
    assert_eq!(read, bundle);
    assert_eq!(read.id(), bundle.id());
    let (mut a, mut b) = (Scratch::default(), Scratch::default());
    let text = "start a timer for ‹duration›";
    assert_eq!(read.score(text, &mut a), bundle.score(text, &mut b));
}

#[test]
fn the_student_of_answers_goes_with_the_bundle_and_holds_none_itself() {
    let alone = trained(&kitchen(), &TrainOptions::default());
    let answers = trained(
        &[example("the small one", "size=s", &[]), example("the tall one", "size=l", &[])],
        &TrainOptions::default(),
    );
    let bundle = alone.clone().with_answers(Some(answers.clone()));
    let read = Bundle::from_bytes(&bundle.to_bytes()).unwrap();
    assert_eq!((&read, read.answers()), (&bundle, Some(&answers)));
    assert_ne!(bundle.id(), alone.id());
    assert_eq!(bundle.with_answers(None), alone);
    let nested = alone.with_answers(Some(read));
    let error = Bundle::from_bytes(&nested.to_bytes()).unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
}

#[test]
fn a_bundle_of_another_version_says_so() {
    let mut bytes = trained(&kitchen(), &TrainOptions::default()).to_bytes();
    bytes[8] = 99;
    let error = Bundle::from_bytes(&bytes).unwrap_err();
    assert!(error.message().contains("version `99`"), "{error}");
}

/// The bytes of a small bundle, so that damage often hits the header and the head.
fn small_bytes() -> Vec<u8> {
    use super::features::FeatureConfig;
    let features = FeatureConfig { word_bits: 4, character_bits: 4, ..FeatureConfig::default() };
    let examples = [example("one", "a", &["t"]), example("two", "b", &[])];
    trained(&examples, &TrainOptions { features, ..TrainOptions::default() }).to_bytes()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_bytes_are_an_error(
        flips in prop::collection::vec((any::<prop::sample::Index>(), 1u8..), 1..4),
        cut in any::<prop::sample::Index>(),
    ) {
        thread_local!(static BYTES: Vec<u8> = small_bytes());
        let whole = BYTES.with(Clone::clone);
        let mut bytes = whole.clone();
        for (at, flip) in flips {
            let at = if flip % 2 == 0 { at.index(bytes.len()) } else { at.index(400) };
            bytes[at] ^= flip;
        }
        prop_assume!(bytes != whole);
        let error = Bundle::from_bytes(&bytes).unwrap_err();
        prop_assert_eq!(error.code(), Code::InvalidArgument);
        prop_assert!(Bundle::from_bytes(&whole[..cut.index(whole.len())]).is_err());
    }

    #[test]
    fn a_head_that_was_forged_never_panics(at in any::<prop::sample::Index>(), digit in b'0'..=b'9') {
        thread_local!(static BYTES: Vec<u8> = small_bytes());
        let mut bytes = BYTES.with(Clone::clone);
        let length = u32::from_le_bytes([bytes[12], bytes[13], bytes[14], bytes[15]]) as usize;
        bytes[24 + at.index(length)] = digit;
        let sum = crate::bytes::checksum(&bytes[24..]).to_le_bytes();
        bytes[16..24].copy_from_slice(&sum);
        if let Ok(bundle) = Bundle::from_bytes(&bytes) {
            bundle.score("one two", &mut Scratch::default());
        }
    }
}

/// An encoder that knows which words mean the same.
#[derive(Debug)]
struct Meanings;

const MEANINGS: [[&str; 9]; 3] = [
    ["timer", "alarm", "countdown", "clock", "stopwatch", "reminder", "snooze", "bell", "wake"],
    ["recipe", "portions", "dish", "oven", "broth", "dough", "spice", "pan", "meal"],
    ["hello", "thanks", "cheers", "bye", "welcome", "morning", "farewell", "sorry", "greetings"],
];

#[async_trait]
impl Encoder for Meanings {
    fn id(&self) -> &str {
        "meanings"
    }

    fn dimensions(&self) -> usize {
        MEANINGS.len()
    }

    async fn encode(&self, text: &str) -> Result<Vec<f32>> {
        let holds = |words: &[&str; 9]| words.contains(&text);
        let vector: Vec<f32> =
            MEANINGS.iter().map(|words| if holds(words) { 1.0 } else { 0.05 }).collect();
        let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
        Ok(vector.into_iter().map(|x| x / length).collect())
    }

    fn encode_all(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let one = |text: &&str| futures_util::FutureExt::now_or_never(self.encode(text));
        texts.iter().map(|text| one(text).unwrap_or_else(|| Ok(Vec::new()))).collect()
    }
}

#[test]
fn s4_26_a_linear_classifier_over_the_encoders_vectors_knows_words_that_no_example_has() {
    let routes = ["clock", "kitchen", "talk"];
    let mut examples = Vec::new();
    for (route, words) in routes.iter().zip(MEANINGS) {
        // Every word stands in one example alone: a held-out example is never known by its words.
        examples.extend(words[..8].iter().map(|word| example(word, route, &[])));
    }
    let options = TrainOptions { table: None, ..TrainOptions::default() };
    let bundle = train(&examples, &options, Some(&Meanings), &mut |_| {}).unwrap();
    for (route, words) in routes.iter().zip(MEANINGS) {
        let text = words[8];
        let vector = Meanings.encode_all(&[text]).unwrap().remove(0);
        let input = Input { text, language: None, vector: Some(&vector) };
        let scores = bundle.score(input, &mut Scratch::default());
        assert_eq!(bundle.routes()[scores.best().unwrap().0], **route, "{text}: {scores:?}");
        assert!(scores.by_vector);
    }
}

#[test]
fn an_adviser_is_believed_of_the_tools_whose_held_out_examples_it_finds() {
    let mut examples = kitchen();
    examples.push(example("plate it nicely", "tool", &["plate"]));
    let options = TrainOptions { table: None, advises: true, ..TrainOptions::default() };
    let bundle = trained(&examples, &options);
    let trust = |name: &str| bundle.trust(bundle.tools().iter().position(|t| t == name).unwrap());
    assert!(trust("timer") > 0.8, "{}", trust("timer"));
    assert_eq!(trust("plate"), 0.0, "one example is too few");
    let alone = trained(&examples, &TrainOptions { advises: false, ..options });
    assert!(alone.to_bytes().len() < bundle.to_bytes().len(), "whoever chooses alone has none");
}

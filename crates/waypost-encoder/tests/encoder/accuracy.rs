//! Vectors are those of the reference, on every level, alone and in a batch.

use waypost_encoder::{Encoder, Level, Precision};

use crate::support::{Case, MODELS, cases, cosine, fixture, open};

/// Tokens are the reference's, without the padding and the cut that the file asks for.
#[test]
fn tokens_are_those_of_the_reference() {
    for name in MODELS {
        let encoder = open(name, Precision::F32, Level::best());
        for case in cases(name) {
            assert_eq!(encoder.token_ids(&case.text).unwrap(), case.ids, "{name} {:?}", case.text);
        }
    }
}

/// Single floats, or on tiles pairs of halves, which are three times as coarse.
#[test]
fn floats_are_within_a_few_millionths_of_the_reference_on_every_level() {
    for name in MODELS {
        for level in Level::available() {
            let encoder = open(name, Precision::F32, level);
            for Case { text, vector, .. } in cases(name) {
                let found = encoder.encode(&text).unwrap();
                assert_eq!(found.len(), encoder.dimensions());
                let pairs = found.iter().zip(&vector);
                let error = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
                let most = if level.name() == "amx" { 1e-5 } else { 3e-6 };
                assert!(error < most, "{name} {level:?} {text:?} is off by {error}");
            }
        }
    }
}

/// Levels that multiply in pairs have seven bits for an activation, the others eight. The models
/// are random and narrow, which is harder than one that was trained: errors do not average out.
#[test]
fn integers_keep_the_direction_on_every_level() {
    for name in MODELS {
        for level in Level::available() {
            let encoder = open(name, Precision::Int8, level);
            let seven = !matches!(level.name(), "amx" | "avx512-vnni" | "scalar");
            let least = if seven { 0.998 } else { 0.9985 };
            for Case { text, vector, .. } in cases(name) {
                let cosine = cosine(&encoder.encode(&text).unwrap(), &vector);
                assert!(cosine > least, "{name} {level:?} {text:?}: {cosine}");
            }
        }
    }
}

/// The texts beside a text and their order change nothing in its vector, not by a bit.
#[test]
fn a_text_has_the_same_vector_alone_and_in_a_batch() {
    for name in MODELS {
        for precision in [Precision::F32, Precision::Int8] {
            let encoder = Encoder::open(&fixture(name), precision).unwrap();
            let cases = cases(name);
            let texts: Vec<&str> =
                cases.iter().cycle().take(cases.len() * 5).map(|case| case.text.as_str()).collect();
            let together = encoder.encode_batch(&texts).unwrap();
            assert_eq!(together.len(), texts.len());
            for (text, vector) in texts.iter().zip(together) {
                assert_eq!(encoder.encode(text).unwrap(), vector, "{name} {text:?}");
            }
        }
    }
    let encoder = Encoder::open(&fixture("bert"), Precision::F32).unwrap();
    assert_eq!(encoder.encode_batch(&[]).unwrap(), Vec::<Vec<f32>>::new());
}

#[test]
fn several_threads_share_an_encoder() {
    let encoder = Encoder::open(&fixture("bert"), Precision::F32).unwrap();
    let cases = cases("bert");
    let expected: Vec<Vec<f32>> =
        cases.iter().map(|case| encoder.encode(&case.text).unwrap()).collect();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for (case, vector) in cases.iter().zip(&expected) {
                    assert_eq!(&encoder.encode(&case.text).unwrap(), vector);
                }
            });
        }
    });
}

/// Texts of any length are taken: more than the model's tokens are cut, the last one kept.
#[test]
fn a_long_text_is_cut_and_keeps_its_end() {
    let encoder = Encoder::open(&fixture("bert"), Precision::F32).unwrap();
    let long = "tide ".repeat(50_000);
    let ids = encoder.token_ids(&long).unwrap();
    assert_eq!((ids.len(), encoder.longest()), (32, 32));
    assert_eq!((ids[0], ids[31]), (2, 3));
    assert_eq!(encoder.encode(&long).unwrap(), encoder.encode(&"tide ".repeat(40)).unwrap());
    // A character that the bound would cut through.
    encoder.encode(&"溫".repeat(30_000)).unwrap();
}

#[test]
fn the_id_names_the_folder_the_precision_and_the_weights() {
    let id =
        |name: &str, precision| Encoder::open(&fixture(name), precision).unwrap().id().to_owned();
    let (floats, bytes) = (id("bert", Precision::F32), id("bert", Precision::Int8));
    assert!(floats.starts_with("bert-f32@"), "{floats}");
    assert!(bytes.starts_with("bert-int8@"), "{bytes}");
    assert_eq!(floats.split('@').nth(1), bytes.split('@').nth(1));
    assert_ne!(floats.split('@').nth(1), id("bert-bf16", Precision::F32).split('@').nth(1));
}

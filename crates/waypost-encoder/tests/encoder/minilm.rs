//! all-MiniLM-L6-v2 itself, where `WAYPOST_TEST_MINILM` names its folder; without it there is nothing
//! to test here, since 90 MB are not in the repository.

use std::path::PathBuf;

use waypost_encoder::{Encoder, EncoderOptions, Level, Precision};

use crate::support::cosine;

fn folder() -> Option<PathBuf> {
    std::env::var_os("WAYPOST_TEST_MINILM").map(PathBuf::from)
}

/// Vectors of texts of like meaning are near, others are not; and integers agree with floats.
#[test]
fn minilm_knows_what_sentences_are_about() {
    let Some(folder) = folder() else { return };
    let texts = [
        "how warm is the sea near Hualien",
        "water temperature off the coast of Hualien",
        "transfer money to my savings account",
    ];
    let exact = Encoder::open(&folder, Precision::F32).unwrap().encode_batch(&texts).unwrap();
    assert!(cosine(&exact[0], &exact[1]) > 0.7 && cosine(&exact[0], &exact[2]) < 0.2);
    for level in Level::available() {
        for (precision, least) in [(Precision::F32, 0.999_999), (Precision::Int8, 0.985)] {
            let options = EncoderOptions { precision, level: Some(level) };
            let found =
                Encoder::open_with(&folder, &options).unwrap().encode_batch(&texts).unwrap();
            for (found, exact) in found.iter().zip(&exact) {
                let cosine = cosine(found, exact);
                assert!(cosine > least, "{level:?} {precision:?}: {cosine}");
            }
        }
    }
}

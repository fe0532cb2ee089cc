//! The vocabulary that a table of single tokens is made from.

use waypost_encoder::{Encoder, Precision, TokenizerKind};

use crate::support::{cases, fixture};

#[test]
fn wordpiece_tokens_come_in_order_with_what_cuts_them() {
    let encoder = Encoder::open(&fixture("bert"), Precision::F32).unwrap();
    let vocabulary = encoder.vocabulary();
    let kind = TokenizerKind::WordPiece {
        continuation: "##".to_owned(),
        longest_word: 100,
        lowercase: true,
        strip_accents: true,
    };
    assert_eq!((vocabulary.kind, vocabulary.unknown), (kind, Some(1)));
    let texts: Vec<&str> = vocabulary.tokens.iter().map(|token| token.text.as_str()).collect();
    assert_eq!(texts[..6], ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the"]);
    assert!(vocabulary.tokens[4].special && !vocabulary.tokens[5].special);
    assert_eq!(encoder.token_ids("the").unwrap(), [2, 5, 3]);
}

#[test]
fn unigram_tokens_have_their_scores() {
    let encoder = Encoder::open(&fixture("xlm-roberta"), Precision::F32).unwrap();
    let vocabulary = encoder.vocabulary();
    assert_eq!((vocabulary.kind, vocabulary.unknown), (TokenizerKind::Unigram, Some(3)));
    let token = &vocabulary.tokens[4];
    assert_eq!((token.text.as_str(), token.special), ("▁the", false));
    // -6 + 0.9 × 4 - 0.0137 × 4, as the script writes it.
    assert!((token.score.unwrap() + 2.4548).abs() < 1e-9, "{token:?}");
    assert_eq!(vocabulary.tokens.last().unwrap().text, "<mask>");
}

#[test]
fn ids_may_be_given_and_are_checked() {
    let encoder = Encoder::open(&fixture("bert"), Precision::F32).unwrap();
    let case = &cases("bert")[0];
    assert_eq!(encoder.encode_ids(&[&case.ids]).unwrap()[0], encoder.encode(&case.text).unwrap());
    let error = encoder.encode_ids(&[&[2, 9_999, 3]]).unwrap_err();
    assert!(error.message().starts_with("the token 9999 is not among the "), "{error}");
    assert!(encoder.encode_ids(&[&[]]).is_err(), "no token, no direction");
    let row = encoder.word(5).unwrap();
    assert_eq!((row.len(), encoder.word(u32::MAX)), (48, None));
}

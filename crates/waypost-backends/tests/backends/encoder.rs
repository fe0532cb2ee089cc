//! An encoder as the router and training use it: concurrent callers, callers who leave, many texts.

use std::path::PathBuf;
use std::sync::Arc;

use waypost_backends::encoder::LocalEncoder;
use waypost_core::Code;
use waypost_core::ports::encoder::Encoder;
use waypost_encoder::Precision;

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../waypost-encoder/fixtures")).join(name)
}

fn open() -> LocalEncoder {
    LocalEncoder::open(&fixture("bert"), Precision::F32).unwrap()
}

fn texts(count: usize) -> Vec<String> {
    (0..count).map(|at| format!("the tide near the harbor in {at} degrees")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_callers_get_their_own_vectors() {
    let encoder = Arc::new(open());
    let tasks = texts(100).into_iter().map(|text| {
        let encoder = Arc::clone(&encoder);
        tokio::spawn(async move { (encoder.encode(&text).await.unwrap(), text) })
    });
    for task in tasks.collect::<Vec<_>>() {
        let (vector, text) = task.await.unwrap();
        assert_eq!(vector, encoder.inner().encode(&text).unwrap(), "{text}");
    }
    assert!(encoder.id().starts_with("bert-f32@"));
    assert_eq!(encoder.dimensions(), 48);
}

#[tokio::test]
async fn a_caller_who_leaves_stops_nobody_else() {
    let encoder = open();
    for text in texts(20) {
        let mut leaving = Box::pin(encoder.encode(&text));
        // Polled once, so that the text is in the queue when the caller goes; on a free machine
        // its vector may be there already.
        let _ = futures_util::poll!(&mut leaving);
        drop(leaving);
    }
    assert_eq!(encoder.encode("tides").await.unwrap().len(), 48);
}

#[test]
fn all_texts_come_back_in_their_order() {
    let encoder = open();
    let texts = texts(333);
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let vectors = encoder.encode_all(&texts).unwrap();
    assert_eq!(vectors.len(), texts.len());
    for (vector, text) in vectors.iter().zip(&texts) {
        assert_eq!(vector, &encoder.inner().encode(text).unwrap());
    }
    assert_eq!(encoder.encode_all(&[]).unwrap(), Vec::<Vec<f32>>::new());
}

#[test]
fn a_folder_that_does_not_serve_is_named_with_a_hint() {
    let folder = tempfile::tempdir().unwrap();
    let error = LocalEncoder::open(folder.path(), Precision::F32).map(|_| ()).unwrap_err();
    assert_eq!(error.code(), Code::NotFound);
    let message = error.message();
    assert!(message.ends_with("there is no file `config.json` in the folder"), "{message}");
    assert!(message.contains(&folder.path().display().to_string()), "{message}");
    assert!(error.hint().is_some_and(|hint| hint.contains("model.safetensors")));
}

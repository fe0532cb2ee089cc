//! Every damage of a folder is an error that names it, with a hint; none is a panic.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use waypost_encoder::{Encoder, Error, Kind, Precision};

use crate::support::copy;

fn fault(folder: &Path) -> Error {
    let error = Encoder::open(folder, Precision::F32).map(|_| ()).unwrap_err();
    assert!(!error.message().ends_with('.'), "{error}");
    error
}

fn check(folder: &Path, kind: Kind, message: &str, hint: &str) {
    let error = fault(folder);
    assert_eq!((error.kind(), error.message()), (kind, message));
    let advice = error.advice().unwrap_or_default();
    assert!(advice.contains(hint), "{advice}");
}

fn edit(file: &Path, change: impl FnOnce(&mut Value)) {
    let mut value: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    change(&mut value);
    fs::write(file, value.to_string()).unwrap();
}

/// Changes the header of the tensors and leaves the numbers.
fn edit_header(folder: &Path, change: impl FnOnce(&mut Value)) {
    let file = folder.join("model.safetensors");
    let bytes = fs::read(&file).unwrap();
    let size = usize::try_from(u64::from_le_bytes(bytes[..8].try_into().unwrap())).unwrap();
    let mut header: Value = serde_json::from_slice(&bytes[8..8 + size]).unwrap();
    change(&mut header);
    let header = header.to_string();
    let mut changed = (header.len() as u64).to_le_bytes().to_vec();
    changed.extend_from_slice(header.as_bytes());
    changed.extend_from_slice(&bytes[8 + size..]);
    fs::write(file, changed).unwrap();
}

const DENSE: &str = "encoder.layer.1.attention.output.dense.weight";

#[test]
fn a_folder_that_is_not_there() {
    let error = fault(Path::new("nowhere/at/all"));
    assert_eq!((error.kind(), error.message()), (Kind::NotFound, "`nowhere/at/all` is no folder"));
}

#[test]
fn a_file_that_is_missing() {
    for file in ["config.json", "tokenizer.json", "model.safetensors"] {
        let folder = copy("bert");
        fs::remove_file(folder.path().join(file)).unwrap();
        let message = format!("there is no file `{file}` in the folder");
        check(folder.path(), Kind::NotFound, &message, "");
        assert!(fault(folder.path()).advice().is_some());
    }
    let folder = copy("bert");
    fs::rename(folder.path().join("model.safetensors"), folder.path().join("pytorch_model.bin"))
        .unwrap();
    let message = "there is no file `model.safetensors` in the folder";
    check(folder.path(), Kind::NotFound, message, "safe_serialization=True");
}

#[test]
fn a_tensor_that_is_missing() {
    let folder = copy("bert");
    edit_header(folder.path(), |header| {
        header.as_object_mut().unwrap().remove(DENSE);
    });
    let message = format!("`model.safetensors` has no tensor `{DENSE}`");
    check(folder.path(), Kind::NotFound, &message, "config.json speaks of it");
}

#[test]
fn a_tensor_of_another_shape() {
    let folder = copy("bert");
    edit_header(folder.path(), |header| header[DENSE]["shape"] = json!([48, 47]));
    let message = format!("the tensor `{DENSE}` has the shape [48, 47], and [48, 48] is expected");
    check(folder.path(), Kind::Invalid, &message, "different models");
    // The same numbers of another model: the configuration speaks of a wider one.
    let folder = copy("bert");
    edit(&folder.path().join("config.json"), |config| config["intermediate_size"] = json!(96));
    let message = "the tensor `encoder.layer.0.intermediate.dense.weight` has the shape [80, 48], \
                   and [96, 48] is expected";
    check(folder.path(), Kind::Invalid, message, "different models");
}

#[test]
fn a_tensor_whose_bytes_do_not_fit_its_shape() {
    let folder = copy("bert");
    edit_header(folder.path(), |header| header[DENSE]["dtype"] = json!("F16"));
    let message = format!("the tensor `{DENSE}` has 9216 bytes for [48, 48]");
    check(folder.path(), Kind::Invalid, &message, "again");
    let folder = copy("bert");
    edit_header(folder.path(), |header| header[DENSE]["dtype"] = json!("I64"));
    let message = format!("the tensor `{DENSE}` holds numbers of type `I64`");
    check(folder.path(), Kind::Unsupported, &message, "BF16");
    let folder = copy("bert");
    edit_header(folder.path(), |header| header[DENSE]["data_offsets"] = json!([9000, 8000]));
    let message = format!("`model.safetensors` says that `{DENSE}` ends before it begins");
    check(folder.path(), Kind::Invalid, &message, "again");
}

/// Cut anywhere: in the length, in the header, in the numbers.
#[test]
fn a_file_of_tensors_that_is_cut_off() {
    let folder = copy("bert");
    let file = folder.path().join("model.safetensors");
    let whole = fs::read(&file).unwrap();
    for length in [0, 3, 8, 500, whole.len() / 2, whole.len() - 1] {
        fs::write(&file, &whole[..length]).unwrap();
        let error = fault(folder.path());
        assert!(error.message().contains("is cut off"), "{length}: {error}");
        assert_eq!((error.kind(), error.advice()), (Kind::Invalid, Some("download it again")));
    }
}

#[test]
fn a_header_that_asks_for_all_memory() {
    let folder = copy("bert");
    fs::write(folder.path().join("model.safetensors"), u64::MAX.to_le_bytes()).unwrap();
    let message = "`model.safetensors` begins with a header of 18446744073709551615 bytes";
    check(folder.path(), Kind::Invalid, message, "is it a safetensors file?");
    let folder = copy("bert");
    edit_header(folder.path(), |header| {
        header[DENSE]["shape"] = json!([u64::MAX, u64::MAX]);
        header[DENSE]["data_offsets"] = json!([0, u64::MAX]);
    });
    assert!(fault(folder.path()).message().contains("is cut off"));
}

#[test]
fn numbers_that_are_none() {
    for name in ["bert", "xlm-roberta"] {
        let folder = copy(name);
        let file = folder.path().join("model.safetensors");
        let mut bytes = fs::read(&file).unwrap();
        let end = bytes.len();
        bytes[end - 4..].fill(0xff);
        fs::write(&file, bytes).unwrap();
        let error = fault(folder.path());
        assert!(error.message().contains("output.LayerNorm.bias` holds `NaN` at "), "{error}");
    }
}

#[test]
fn a_model_that_is_not_known() {
    let cases = [
        ("model_type", json!("mpnet"), "`config.json` is of a model `mpnet`", "xlm-roberta"),
        ("hidden_act", json!("relu"), "`config.json` says hidden_act = `relu`", "known: gelu"),
        (
            "position_embedding_type",
            json!("relative_key"),
            "`config.json` says position_embedding_type = `relative_key`",
            "known: absolute",
        ),
    ];
    for (key, value, message, hint) in cases {
        let folder = copy("bert");
        edit(&folder.path().join("config.json"), |config| config[key] = value);
        check(folder.path(), Kind::Unsupported, message, hint);
    }
}

#[test]
fn sizes_that_cannot_be() {
    let cases = [
        ("num_attention_heads", json!(5), "`config.json` divides hidden_size = 48 among 5 heads"),
        (
            "num_hidden_layers",
            json!(0),
            "`config.json` says num_hidden_layers = 0, outside 1..=256",
        ),
        (
            "hidden_size",
            json!(1_u64 << 40),
            "`config.json` says hidden_size = 1099511627776, outside 1..=8192",
        ),
        ("layer_norm_eps", json!(-1.0), "`config.json` says layer_norm_eps = -1"),
    ];
    for (key, value, message) in cases {
        let folder = copy("bert");
        edit(&folder.path().join("config.json"), |config| config[key] = value);
        check(folder.path(), Kind::Invalid, message, "");
    }
    let folder = copy("xlm-roberta");
    edit(&folder.path().join("config.json"), |config| config["pad_token_id"] = json!(usize::MAX));
    assert!(fault(folder.path()).message().starts_with("`config.json` has 34 positions"));
}

#[test]
fn a_vocabulary_larger_than_the_embedding() {
    let folder = copy("bert");
    edit(&folder.path().join("tokenizer.json"), |tokenizer| {
        tokenizer["model"]["vocab"]["extra"] = json!(100_000);
    });
    let error = fault(folder.path());
    let message = "`tokenizer.json` has 100001 tokens, and the model has rows for ";
    assert!(error.message().starts_with(message), "{error}");
    assert_eq!((error.kind(), error.advice().is_some()), (Kind::Invalid, true));
}

#[test]
fn pooling_that_is_not_known() {
    let folder = copy("bert");
    let file = folder.path().join("1_Pooling/config.json");
    fs::write(file, r#"{"pooling_mode_max_tokens": true}"#).unwrap();
    let message = "`1_Pooling/config.json` pools in a way that is not known";
    check(folder.path(), Kind::Unsupported, message, "pooling_mode_cls_token");
    let folder = copy("bert");
    edit(&folder.path().join("modules.json"), |modules| modules[2]["type"] = json!("models.Dense"));
    let message = "`modules.json` has a module `Dense`";
    check(folder.path(), Kind::Unsupported, message, "Normalize");
    let folder = copy("bert");
    edit(&folder.path().join("modules.json"), |modules| modules[1]["path"] = json!("../../etc"));
    assert_eq!(fault(folder.path()).kind(), Kind::Unsupported);
}

#[test]
fn without_its_modules_a_folder_pools_by_the_mean() {
    let (bare, whole) = (copy("bert"), copy("bert"));
    fs::remove_file(bare.path().join("1_Pooling/config.json")).unwrap();
    let message = "there is no file `1_Pooling/config.json` in the folder";
    check(bare.path(), Kind::NotFound, message, "modules.json speaks of it");
    fs::remove_file(bare.path().join("modules.json")).unwrap();
    let vector =
        |folder: &Path| Encoder::open(folder, Precision::F32).unwrap().encode("tides").unwrap();
    assert_eq!(vector(bare.path()), vector(whole.path()));
}

/// Each JSON file with each of some bytes broken: an error or an encoder, never a panic.
#[test]
fn broken_json_never_panics() {
    for name in ["bert", "xlm-roberta"] {
        for file in ["config.json", "tokenizer.json", "modules.json", "1_Pooling/config.json"] {
            let folder = copy(name);
            let path = folder.path().join(file);
            let whole = fs::read(&path).unwrap();
            for at in (0..whole.len()).step_by(whole.len() / 60 + 1) {
                for byte in [b'0', b'"', b'}', 0xff] {
                    let mut broken = whole.clone();
                    broken[at] = byte;
                    fs::write(&path, &broken).unwrap();
                    if let Ok(encoder) = Encoder::open(folder.path(), Precision::F32) {
                        let _ = encoder.encode("Sea temperature, 12.5 degrees?");
                    }
                }
            }
            for length in (0..whole.len()).step_by(whole.len() / 20 + 1) {
                fs::write(&path, &whole[..length]).unwrap();
                assert!(Encoder::open(folder.path(), Precision::F32).is_err(), "{file} {length}");
            }
        }
    }
}

/// The header's bytes broken one at a time, then the file opened as it is.
#[test]
fn a_broken_header_never_panics() {
    let folder = copy("bert-bf16");
    let path = folder.path().join("model.safetensors");
    let whole = fs::read(&path).unwrap();
    for at in (0..2_500).step_by(7) {
        for byte in [0x00, b'9', b'[', 0xff] {
            let mut broken = whole.clone();
            broken[at] = byte;
            fs::write(&path, &broken).unwrap();
            if let Ok(encoder) = Encoder::open(folder.path(), Precision::F32) {
                let _ = encoder.encode("tides");
            }
        }
    }
}

//! Files of an encoder's folder, read with a bound.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

use serde::de::DeserializeOwned;

use crate::error::{Error, Kind, Result};

/// The longest JSON file that is read: a tokenizer of 250,000 tokens has 17 MB.
const MAX_JSON_BYTES: u64 = 64 << 20;

/// Tells why a file could not be read.
pub(crate) fn unreadable(name: &str, error: &std::io::Error) -> Error {
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => {
            Error::new(Kind::NotFound, format!("there is no file `{name}` in the folder"))
        }
        _ => Error::new(Kind::Unreadable, format!("cannot read `{name}`: {error}")),
    }
}

/// Reads a small file; `None` where there is none.
pub(crate) fn optional(folder: &Path, name: &str) -> Result<Option<Vec<u8>>> {
    let file = match File::open(folder.join(name)) {
        Ok(file) => file,
        Err(error) => {
            let error = unreadable(name, &error);
            return if error.kind() == Kind::NotFound { Ok(None) } else { Err(error) };
        }
    };
    let mut bytes = Vec::new();
    file.take(MAX_JSON_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| unreadable(name, &error))?;
    if bytes.len() as u64 > MAX_JSON_BYTES {
        let message = format!("`{name}` is longer than {} MiB", MAX_JSON_BYTES >> 20);
        return Err(Error::invalid(message).hint("is this the file of an encoder?"));
    }
    Ok(Some(bytes))
}

/// Reads a small file that has to be there.
pub(crate) fn required(folder: &Path, name: &str) -> Result<Vec<u8>> {
    if !folder.is_dir() {
        let message = format!("`{}` is no folder", folder.display());
        let hint = "give the folder that holds config.json, tokenizer.json and model.safetensors";
        return Err(Error::new(Kind::NotFound, message).hint(hint));
    }
    optional(folder, name)?.ok_or_else(|| {
        let message = format!("there is no file `{name}` in the folder");
        let hint = match name {
            "tokenizer.json" => {
                "it is written by `save_pretrained` of a fast tokenizer; vocab.txt or \
                 sentencepiece.bpe.model alone do not serve"
            }
            _ => "an encoder is config.json, tokenizer.json and model.safetensors",
        };
        Error::new(Kind::NotFound, message).hint(hint)
    })
}

/// Reads a value from a JSON file.
pub(crate) fn json<T: DeserializeOwned>(name: &str, bytes: &[u8]) -> Result<T> {
    serde_json::from_slice(bytes).map_err(|error| {
        let message = format!("`{name}` is not what it should be: {error}");
        Error::invalid(message).hint("download the folder again")
    })
}

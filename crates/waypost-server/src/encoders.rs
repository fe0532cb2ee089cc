//! The encoders in the home, `encoders/NAME`: lists and opens them, and installs one whole or not
//! at all.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use waypost::pack::did_you_mean;
use waypost::ports::encoder::Encoder;
use waypost::{Code, Error, Result};
use waypost_backends::encoder::{FILES, LocalEncoder, Precision};

use crate::config::{self, Config};

/// The longest name of an encoder.
const MAX_NAME: usize = 96;
/// The most encoders that are listed.
const MAX_LISTED: usize = 1000;
/// The prefix of a folder that is not whole yet.
const PART: &str = ".part-";

/// The encoder that the configuration names, if it names one.
pub(crate) fn configured(config: &Config) -> Result<Option<Arc<dyn Encoder>>> {
    match &config.encoder.name {
        None => Ok(None),
        Some(name) => Ok(Some(Arc::new(open(config, name)?))),
    }
}

/// The encoder of this name, in the precision of the configuration.
pub(crate) fn open(config: &Config, name: &str) -> Result<LocalEncoder> {
    let precision = match config.encoder.precision {
        config::Precision::F32 => Precision::F32,
        config::Precision::Int8 => Precision::Int8,
    };
    LocalEncoder::open(&find(config, name)?, precision)
}

/// The folder of an encoder that there is.
pub(crate) fn find(config: &Config, name: &str) -> Result<PathBuf> {
    let folder = place(config, name)?;
    if folder.is_dir() {
        return Ok(folder);
    }
    let known = names(config)?;
    let hint = match known.is_empty() {
        true => "`waypost encoder add NAME` downloads one, `waypost encoder add PATH` copies one",
        false => &did_you_mean(name, known.iter().map(String::as_str)),
    };
    Err(Error::new(Code::NotFound, format!("there is no encoder `{name}`")).with_hint(hint))
}

/// The names of all encoders, in order.
pub(crate) fn names(config: &Config) -> Result<Vec<String>> {
    let folder = config.home.join("encoders");
    let entries = match fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(unusable(&folder, &error)),
    };
    let names = entries.take(MAX_LISTED).filter_map(|entry| {
        let entry = entry.ok().filter(|entry| entry.path().is_dir())?;
        entry.file_name().into_string().ok().filter(|name| valid(name))
    });
    let mut names: Vec<String> = names.collect();
    names.sort();
    Ok(names)
}

/// Returns the folder where an encoder of this name is, or would be.
pub(crate) fn place(config: &Config, name: &str) -> Result<PathBuf> {
    if !valid(name) {
        let message = format!("`{name}` cannot be the name of an encoder");
        let hint = "letters, digits, `.`, `_` and `-`, not with a `.` first";
        return Err(Error::invalid(message).with_hint(hint));
    }
    Ok(config.home.join("encoders").join(name))
}

fn valid(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    !name.is_empty() && name.len() <= MAX_NAME && !name.starts_with('.') && name.chars().all(fits)
}

/// An empty place beside the final one, to be filled and then [`install`]ed; refused where the name
/// is taken.
pub(crate) fn stage(config: &Config, name: &str) -> Result<PathBuf> {
    let target = place(config, name)?;
    if target.exists() {
        let message = format!("there is an encoder `{name}` already");
        let hint = format!("`waypost encoder remove {name}` first, or give another `--name`");
        return Err(Error::new(Code::FailedPrecondition, message).with_hint(hint));
    }
    let staged = target.with_file_name(format!("{PART}{name}"));
    fs::create_dir_all(staged.join("1_Pooling")).map_err(|error| unusable(&staged, &error))?;
    Ok(staged)
}

/// Empties what was staged.
pub(crate) fn discard(staged: &Path) -> Result<()> {
    fs::remove_dir_all(staged).map_err(|error| unusable(staged, &error))
}

/// Copies the files of an encoder.
pub(crate) fn copy(from: &Path, staged: &Path) -> Result<()> {
    for (name, required) in FILES {
        let (source, target) = (from.join(name), staged.join(name));
        if required || source.exists() {
            fs::copy(&source, &target).map_err(|error| unusable(&source, &error))?;
        }
    }
    Ok(())
}

/// Opens what was staged, encodes a sentence with it, and only then gives it its name.
pub(crate) fn install(config: &Config, staged: &Path, name: &str) -> Result<LocalEncoder> {
    try_out(staged)?;
    let target = place(config, name)?;
    fs::rename(staged, &target).map_err(|error| unusable(&target, &error))?;
    open(config, name)
}

/// Opens the encoder of a folder and encodes a sentence with it.
pub(crate) fn try_out(folder: &Path) -> Result<()> {
    let encoder = LocalEncoder::open(folder, Precision::F32)?;
    encoder.encode_all(&["how warm is the sea tomorrow"])?;
    Ok(())
}

/// The bytes of an encoder's files.
pub(crate) fn size(folder: &Path) -> u64 {
    let length = |(name, _): &(&str, bool)| fs::metadata(folder.join(name)).map_or(0, |m| m.len());
    FILES.iter().map(length).sum()
}

fn unusable(path: &Path, error: &std::io::Error) -> Error {
    Error::new(Code::FailedPrecondition, format!("cannot use `{}`: {error}", path.display()))
}

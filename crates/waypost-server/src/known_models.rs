//! What was learned of the models that are configured: the form in which each takes a schema, and how often it was right on
//! a pack. It lies in `models.json` of the home, by the server's address and the model's name there.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use serde::{Deserialize, Serialize};
use tracing::warn;
use waypost::Error;
use waypost::decide::cascade::Worths;
use waypost::learning::calibrate::threshold::Threshold;
use waypost::records::belief::Belief;
use waypost_backends::llm::ResponseFormat;

use crate::config::ModelFile;
use crate::failure::Failure;
use crate::files;

/// The largest file that is read, in bytes.
const MAX_BYTES: u64 = 1024 * 1024;
/// The share of right choices that must be certain of a model that decides: the lower end of its interval.
const RELIABLE: f64 = 0.5;

/// How a pack fared with a model and without, on the cases that the cheap layers left open.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Measured {
    /// The model's choices and readings.
    pub(crate) worths: Worths,
    /// How sure the student must be to decide without this model; `None` where the pack has too few cases to tell.
    pub(crate) threshold: Option<Threshold>,
    /// Cases that were right, and that ran something wrong, with the model.
    pub(crate) with: Fared,
    /// The same without a model.
    pub(crate) without: Fared,
}

/// How many cases ended well, and how many badly.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Fared {
    pub(crate) right: u32,
    /// Those that ran something that was not asked for.
    pub(crate) ran_wrong: u32,
}

impl Measured {
    /// How far the model is believed, and from where on the student decides without it.
    pub(crate) fn belief(&self) -> Belief {
        self.worths.belief(self.threshold.map(|threshold| threshold.at))
    }

    /// Returns whether the pack is better served with the model: more is right, and no more runs wrong. One that may be
    /// wrong more often than right does not count as better: it gained by chance, or by repeating what stood before it.
    pub(crate) fn helps(&self) -> bool {
        let is_known = self.worths.choosing.interval().low >= RELIABLE;
        is_known
            && self.with.right > self.without.right
            && self.with.ran_wrong <= self.without.ran_wrong
    }
}

/// What is known of one model.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Known {
    /// The form in which its server last took a schema, where it was not the strictest.
    format: Option<ResponseFormat>,
    /// What was measured, by the names of packs.
    packs: BTreeMap<String, Measured>,
}

/// What is known of models, by [`name`].
#[derive(Debug, Default, Serialize, Deserialize)]
struct Models(BTreeMap<String, Known>);

/// What was measured of a model on a pack; `None` where nothing was. A file that cannot be read is as good as none.
pub(crate) fn measured(home: &Path, model: &ModelFile, pack: &str) -> Option<Measured> {
    read(home).0.get(&name(model))?.packs.get(pack).copied()
}

/// The form in which a model's server last took a schema; `None` where the strictest is to be tried.
pub(crate) fn format(home: &Path, model: &ModelFile) -> Option<ResponseFormat> {
    read(home).0.get(&name(model))?.format
}

/// Keeps what was measured.
///
/// # Errors
///
/// A file that cannot be written.
pub(crate) fn keep(
    home: &Path,
    model: &ModelFile,
    pack: &str,
    measured: Measured,
) -> Result<(), Failure> {
    change(home, model, |known| {
        known.packs.insert(pack.to_owned(), measured);
    })
}

/// Keeps the form in which a model's server takes a schema. `None` has the strictest tried again.
///
/// # Errors
///
/// A file that cannot be written.
pub(crate) fn keep_format(
    home: &Path,
    model: &ModelFile,
    format: Option<ResponseFormat>,
) -> Result<(), Failure> {
    change(home, model, |known| known.format = format)
}

/// Changes what is known, one writer at a time. A file that cannot be read is not written over: it may be of a newer version.
fn change(home: &Path, model: &ModelFile, change: impl FnOnce(&mut Known)) -> Result<(), Failure> {
    files::make_home(home).map_err(|error| files::unwritable(home, &error))?;
    let lock = home.join("models.lock");
    let held = files::open_private(&lock).and_then(|file| file.lock().map(|()| file));
    let _held = held.map_err(|error| files::unwritable(&lock, &error))?;
    let mut models = readable(home).map_err(|why| damaged(home, &why))?;
    change(models.0.entry(name(model)).or_default());
    let text = serde_json::to_vec_pretty(&models).unwrap_or_default();
    files::replace(&path(home), text)
}

fn damaged(home: &Path, why: &str) -> Failure {
    let message = format!("`{}` cannot be read: {why}", path(home).display());
    let hint =
        "remove it: what was measured of models is measured again by `waypost doctor --models`";
    Failure::usage(Error::invalid(message).with_hint(hint))
}

fn path(home: &Path) -> PathBuf {
    home.join("models.json")
}

fn name(model: &ModelFile) -> String {
    format!("{} {}", model.address(), model.model_name())
}

fn read(home: &Path) -> Models {
    readable(home).unwrap_or_else(|why| {
        warn!("`{}` cannot be read and counts for nothing: {why}", path(home).display());
        Models::default()
    })
}

fn readable(home: &Path) -> Result<Models, String> {
    let path = path(home);
    match fs::metadata(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Models::default()),
        Err(error) => return Err(error.to_string()),
        Ok(file) if file.len() > MAX_BYTES => return Err("it is too large".to_owned()),
        Ok(_) => {}
    }
    let text = fs::read(&path).map_err(|error| error.to_string())?;
    serde_json::from_slice(&text).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use waypost::decide::cascade::Worth;

    use super::*;

    fn model(name: &str) -> ModelFile {
        toml::from_str(&format!("url = \"http://h\"\nmodel = \"{name}\"\n")).unwrap()
    }

    #[test]
    fn each_model_is_known_on_each_pack() {
        let home = tempfile::tempdir().unwrap();
        let right = |right, ran_wrong| Fared { right, ran_wrong };
        let worth = |right, asked| Worths { choosing: Worth { asked, right }, ..Worths::default() };
        let good = Measured {
            worths: worth(30, 40),
            with: right(9, 1),
            without: right(8, 1),
            ..Measured::default()
        };
        let guess = Measured { with: right(9, 2), ..good };
        keep(home.path(), &model("a"), "ocean", good).unwrap();
        keep(home.path(), &model("b"), "ocean", guess).unwrap();
        let known = |name: &str, pack: &str| measured(home.path(), &model(name), pack);
        assert_eq!(known("a", "ocean"), Some(good));
        assert_eq!(known("b", "ocean"), Some(guess));
        assert_eq!((known("a", "malaria"), known("c", "ocean")), (None, None));
        assert!(good.helps());
        assert!(!guess.helps(), "it runs more that is wrong");
        let same = Measured { with: good.without, ..good };
        assert!(!same.helps(), "nothing is gained");
        let lucky = Measured { worths: worth(20, 40), ..good };
        assert!(!lucky.helps(), "it may be wrong more often than right");
        keep_format(home.path(), &model("a"), Some(ResponseFormat::Text)).unwrap();
        assert_eq!(format(home.path(), &model("a")), Some(ResponseFormat::Text));
        assert_eq!((known("a", "ocean"), format(home.path(), &model("b"))), (Some(good), None));
        fs::write(path(home.path()), "{").unwrap();
        assert_eq!(known("a", "ocean"), None);
        assert!(keep(home.path(), &model("a"), "ocean", good).is_err(), "it is not written over");
    }
}

//! Configuration: a file, then the environment over it, then flags over both. Every fault names the
//! place it was written at.

use std::collections::BTreeMap;
use std::env;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use waypost::learning::calibrate::threshold::Terms;
use waypost::pack::did_you_mean;
use waypost::ports::model::Slot;
use waypost::records::decision::LayerName;
use waypost::records::rollout::{Key, Setting, Share};
use waypost::{Error, Result};
use waypost_backends::encoder::Precision;
use waypost_backends::llm::{ModelConfig, ResponseFormat, Secret};
use waypost_backends::retrieval::{ElasticConfig, Fields, Flavor};
use waypost_backends::stores::Retention;

use crate::failure::Failure;

/// The name of the file in the home.
pub(crate) const FILE: &str = "waypost.toml";

/// The environment variables that say where the configuration is or go over it.
const VARIABLES: [&str; 8] = [
    "WAYPOST_HOME",
    "WAYPOST_MAIN_URL",
    "WAYPOST_MAIN_MODEL",
    "WAYPOST_MAIN_KEY",
    "WAYPOST_LIGHT_URL",
    "WAYPOST_LIGHT_MODEL",
    "WAYPOST_LIGHT_KEY",
    "WAYPOST_ENCODER",
];

/// Those of them that are set; their values may be secret.
pub(crate) fn variables_set() -> Vec<&'static str> {
    let is_set = |name: &&str| env::var_os(name).is_some_and(|value| !value.is_empty());
    VARIABLES.into_iter().filter(is_set).collect()
}

/// `waypost.toml` as it is written.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Config {
    /// The model slots.
    pub(crate) models: BTreeMap<Slot, ModelFile>,
    /// The layers of the cascade.
    pub(crate) cascade: Cascade,
    /// How far layers, matchers and handlers are rolled out.
    rollout: BTreeMap<RolloutKey, Setting>,
    /// Whether a process that serves wakes its models when it starts; it does unless told not to.
    pub(crate) warm: Option<bool>,
    /// Where documents are searched besides those of the pack's own.
    pub(crate) retrieval: Option<RetrievalFile>,
    /// The student.
    pub(crate) student: StudentFile,
    /// The sentence encoder.
    pub(crate) encoder: EncoderFile,
    /// What is learned while a process serves.
    pub(crate) learning: LearningFile,
    /// What is kept of conversations, and for how long.
    pub(crate) store: StoreFile,
    /// Tool servers instead of those that a pack names.
    pub(crate) servers: BTreeMap<String, ServerFile>,
    /// Where state lives; `$WAYPOST_HOME` without it.
    #[serde(skip)]
    pub(crate) home: PathBuf,
}

/// A search server.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RetrievalFile {
    url: String,
    index: String,
    /// The environment variable that holds the value of the header `Authorization`.
    #[serde(default)]
    key_env: Option<String>,
    #[serde(default)]
    flavor: Flavor,
    #[serde(default)]
    fields: Fields,
}

impl RetrievalFile {
    /// What the client needs.
    pub(crate) fn client(&self) -> ElasticConfig {
        let key = self.key_env.as_deref().and_then(|name| env::var(name).ok());
        ElasticConfig {
            url: self.url.clone(),
            index: self.index.clone(),
            key: key.filter(|key| !key.is_empty()).map(Secret::new),
            flavor: self.flavor,
            fields: self.fields.clone(),
        }
    }
}

/// A model slot.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ModelFile {
    url: String,
    model: String,
    /// The environment variable that holds the key.
    #[serde(default)]
    key_env: Option<String>,
    #[serde(default)]
    response_format: ResponseFormat,
    #[serde(skip)]
    key: Option<String>,
}

/// The student.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct StudentFile {
    /// A stored bundle instead of a training at the start; a path beside the file where it is relative.
    pub(crate) bundle: Option<PathBuf>,
    /// A static table (`encoder distill`) instead of the one that is compiled in; likewise.
    pub(crate) table: Option<PathBuf>,
}

/// Learning from the traffic by itself.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct LearningFile {
    /// Whether a process that serves trains by itself.
    pub(crate) automatic: bool,
    /// After so many sessions with labels that the last version did not know. Source: S4-29.
    #[serde(deserialize_with = "at_least_one")]
    pub(crate) every_sessions: u64,
    /// Whether what is no worse is put in service, too.
    pub(crate) promote: bool,
    /// Which share of what the student decides is put before a model in the background; none
    /// without it.
    pub(crate) audit: Option<Share>,
    /// Whether is told that traffic has changed.
    pub(crate) drift: bool,
    /// How often the model is right; with it, training finds how sure the student must be, and without
    /// it the pack's policy says so.
    pub(crate) teacher: Option<Share>,
    /// The share of turns that may ask the model even where fewer would do.
    pub(crate) budget: Option<Share>,
}

impl LearningFile {
    /// What student and model together must come to, where it is known how good the model is.
    pub(crate) fn terms(&self) -> Option<Terms> {
        /// What may be lost to the model alone.
        const MARGIN: f64 = 0.005;
        let budget = self.budget.map_or(0.0, Share::fraction);
        self.teacher.map(|teacher| Terms { teacher: teacher.fraction(), margin: MARGIN, budget })
    }
}

impl Default for LearningFile {
    fn default() -> Self {
        Self {
            automatic: false,
            every_sessions: 500,
            promote: false,
            audit: None,
            drift: true,
            teacher: None,
            budget: None,
        }
    }
}

fn at_least_one<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<u64, D::Error> {
    match u64::deserialize(from)? {
        0 => Err(D::Error::custom("`every_sessions` must be at least 1")),
        sessions => Ok(sessions),
    }
}

/// What is kept of conversations.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct StoreFile {
    /// Events, labels and conversations that nobody went on with are deleted after so many days;
    /// never without it.
    #[serde(deserialize_with = "days")]
    keep_days: Option<NonZeroU32>,
    /// Whether e-mail addresses, phone, card and account numbers and the like are taken out of
    /// events and labels before they are kept.
    pub(crate) redact: bool,
}

fn days<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<Option<NonZeroU32>, D::Error> {
    let days = NonZeroU32::new(u32::deserialize(from)?);
    days.map(Some).ok_or_else(|| D::Error::custom("`keep_days` must be at least 1"))
}

impl StoreFile {
    /// How much is kept.
    pub(crate) fn retention(&self) -> Retention {
        const DAY: Duration = Duration::from_secs(24 * 60 * 60);
        let age = self.keep_days.map(|days| DAY * days.get());
        Retention { age, ..Retention::default() }
    }
}

/// Which layers are on.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Cascade {
    pub(crate) layers: Vec<LayerName>,
}

impl Default for Cascade {
    fn default() -> Self {
        use LayerName::{Declared, Linear, Llm, Recall, Rules};
        Self { layers: vec![Declared, Rules, Recall, Linear, Llm] }
    }
}

/// Which sentence encoder is used, and where others come from.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct EncoderFile {
    /// A folder in `encoders` of the home; none without it.
    pub(crate) name: Option<String>,
    /// How its weights are kept: `f32` or `int8`.
    #[serde(deserialize_with = "precision")]
    pub(crate) precision: Precision,
    /// The base address that `encoder add NAME` downloads from.
    pub(crate) hub: String,
}

impl Default for EncoderFile {
    fn default() -> Self {
        let hub = "https://huggingface.co".to_owned();
        Self { name: None, precision: Precision::default(), hub }
    }
}

fn precision<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<Precision, D::Error> {
    let name = String::deserialize(from)?;
    let unknown = || D::Error::custom(format!("unknown precision `{name}`, known: f32, int8"));
    Precision::find(&name).ok_or_else(unknown)
}

/// A key of `[rollout]`; one that there is not is told with the nearest that there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
struct RolloutKey(Key);

impl TryFrom<String> for RolloutKey {
    type Error = String;

    fn try_from(name: String) -> std::result::Result<Self, String> {
        let unknown = || format!("{}; {}", Key::unknown(&name), did_you_mean(&name, Key::names()));
        Key::find(&name).map(RolloutKey).ok_or_else(unknown)
    }
}

/// A tool server.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ServerFile {
    /// The program and its arguments.
    pub(crate) command: Vec<String>,
}

impl Config {
    /// Reads the file (the one given, or `waypost.toml` in the home if it is there) and lays the
    /// environment over it.
    pub(crate) fn load(file: Option<&Path>) -> std::result::Result<Config, Failure> {
        let home = home().map_err(Failure::usage)?;
        let path = file.map_or_else(|| home.join(FILE), Path::to_owned);
        let mut config = match std::fs::read_to_string(&path) {
            Ok(text) => parse(&path, &text).map_err(Failure::usage)?,
            // A home that is no folder holds no configuration; the store tells what is wrong with it.
            Err(error) if file.is_none() && is_absent(&error) => Config::default(),
            Err(error) => {
                let message = format!("cannot read `{}`: {error}", path.display());
                return Err(Failure::usage(Error::invalid(message)));
            }
        };
        config.home = home;
        if let Some(name) = env::var("WAYPOST_ENCODER").ok().filter(|name| !name.is_empty()) {
            config.encoder.name = Some(name);
        }
        let folder = path.parent().unwrap_or(Path::new(""));
        config.student.bundle = config.student.bundle.map(|bundle| folder.join(bundle));
        config.student.table = config.student.table.map(|table| folder.join(table));
        for (slot, name) in [(Slot::Main, "MAIN"), (Slot::Light, "LIGHT")] {
            config
                .overlay(slot, name, &|variable| env::var(variable).ok())
                .map_err(Failure::usage)?;
        }
        Ok(config)
    }

    /// How far everything is rolled out; a layer that `[cascade]` leaves out is off, unless
    /// `[rollout]` names it.
    pub(crate) fn rollout(&self) -> BTreeMap<Key, Setting> {
        let listed: Vec<String> =
            self.cascade.layers.iter().map(|layer| format!("layer.{}", layer.name())).collect();
        let left_out = Key::names()
            .filter(|name| name.starts_with("layer.") && !listed.iter().any(|key| key == name))
            .filter_map(Key::find);
        let mut settings: BTreeMap<Key, Setting> =
            left_out.map(|key| (key, Setting::Off)).collect();
        settings.extend(self.rollout.iter().map(|(key, setting)| (key.0, *setting)));
        settings
    }

    fn overlay(
        &mut self,
        slot: Slot,
        name: &str,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<()> {
        let read = |part: &str| {
            variable(&format!("WAYPOST_{name}_{part}")).filter(|value| !value.is_empty())
        };
        match (read("URL"), read("MODEL"), self.models.get_mut(&slot)) {
            (url, model, Some(file)) => {
                file.url = url.unwrap_or_else(|| file.url.clone());
                file.model = model.unwrap_or_else(|| file.model.clone());
            }
            (Some(url), Some(model), None) => {
                let response_format = ResponseFormat::default();
                let file = ModelFile { url, model, key_env: None, response_format, key: None };
                self.models.insert(slot, file);
            }
            (None, None, None) => return Ok(()),
            _ => {
                let message =
                    format!("the model slot `{}` is half configured", name.to_lowercase());
                let hint = format!("set both `WAYPOST_{name}_URL` and `WAYPOST_{name}_MODEL`");
                return Err(Error::invalid(message).with_hint(hint));
            }
        }
        if let Some(file) = self.models.get_mut(&slot) {
            let named = file.key_env.as_deref().and_then(variable);
            file.key = read("KEY").or(named);
        }
        Ok(())
    }
}

fn is_absent(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
}

impl ModelFile {
    /// The name that the server knows.
    pub(crate) fn model_name(&self) -> &str {
        &self.model
    }

    /// What the client needs.
    pub(crate) fn client(&self) -> ModelConfig {
        let mut config = ModelConfig::new(&self.url, &self.model);
        config.key = self.key.clone().map(Secret::new);
        config.response_format = self.response_format;
        config
    }
}

fn parse(path: &Path, text: &str) -> Result<Config> {
    toml::from_str(text).map_err(|error| {
        let place = error.span().map_or((1, 1), |span| position(text, span.start));
        let at = format!("{}:{}:{}", path.display(), place.0, place.1);
        Error::invalid(format!("{at}: {}", error.message())).with_hint(
            "known tables: [models.main], [models.light], [cascade], [rollout], [student], \
             [encoder], [learning], [retrieval], [store], [servers.NAME]; and the key `warm`",
        )
    })
}

/// Line and column of a byte, from 1.
fn position(text: &str, byte: usize) -> (usize, usize) {
    let before = text.get(..byte).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (line, column)
}

/// `$WAYPOST_HOME`, or the place where the platform keeps data of programs.
fn home() -> Result<PathBuf> {
    let variable = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
    variable("WAYPOST_HOME")
        .map(PathBuf::from)
        .or_else(|| variable("XDG_DATA_HOME").map(|data| PathBuf::from(data).join("waypost")))
        .or_else(|| variable("LOCALAPPDATA").map(|data| PathBuf::from(data).join("waypost")))
        .or_else(|| variable("HOME").map(|home| PathBuf::from(home).join(".local/share/waypost")))
        .ok_or_else(|| {
            Error::invalid("there is no folder for state").with_hint("set `WAYPOST_HOME`")
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_of_the_file_names_its_place() {
        let text = "[models.main]\nurl = \"http://localhost\"\nmodle = \"x\"\n";
        let error = parse(Path::new("waypost.toml"), text).map(|_| ()).unwrap_err();
        assert!(error.message().starts_with("waypost.toml:3:1: unknown field `modle`"), "{error}");
    }

    #[test]
    fn the_environment_goes_over_the_file() {
        let text = "[models.main]\nurl = \"http://a\"\nmodel = \"m\"\nkey_env = \"K\"\n";
        let mut config = parse(Path::new("f"), text).unwrap();
        let variables = |name: &str| match name {
            "WAYPOST_MAIN_URL" => Some("http://b".to_owned()),
            "K" => Some("sk-hush".to_owned()),
            _ => None,
        };
        config.overlay(Slot::Main, "MAIN", &variables).unwrap();
        let client = config.models[&Slot::Main].client();
        assert_eq!((client.url.as_str(), client.model.as_str()), ("http://b", "m"));
        assert!(!format!("{client:?}").contains("sk-hush"));
    }

    #[test]
    fn rollout_keys_and_settings_are_checked_where_they_stand() {
        let read = |line: &str| parse(Path::new("w.toml"), &format!("[rollout]\n{line}\n"));
        let fault = |line: &str| read(line).map(|_| ()).unwrap_err().message().to_owned();
        let typo = fault("\"layer.linaer\" = \"on\"");
        assert!(typo.starts_with("w.toml:2:"), "{typo}");
        assert!(typo.ends_with("`layer.linaer`; did you mean `layer.linear`?"), "{typo}");
        assert!(fault("\"gate.consent\" = \"off\"").contains("gates are always on"));
        assert!(fault("\"layer.llm\" = \"maybe\"").contains("`shadow`"));
        assert!(fault("\"layer.llm\" = { share = \"200%\" }").contains("is no share"));
        let config =
            read("\"layer.llm\" = { share = \"10%\" }\n\"matcher.words\" = \"off\"").unwrap();
        let names: Vec<&str> = config.rollout().into_keys().map(Key::name).collect();
        assert_eq!(names, ["layer.llm", "matcher.words"]);
    }

    #[test]
    fn a_layer_that_the_cascade_leaves_out_is_off_unless_it_is_rolled_out() {
        let text = "[cascade]\nlayers = [\"declared\", \"linear\"]\n[rollout]\n\"layer.llm\" = \"shadow\"\n";
        let config = parse(Path::new("f"), text).unwrap();
        let settings: Vec<(&str, Setting)> =
            config.rollout().into_iter().map(|(key, setting)| (key.name(), setting)).collect();
        assert_eq!(
            settings,
            [
                ("layer.rules", Setting::Off),
                ("layer.recall", Setting::Off),
                ("layer.llm", Setting::Shadow)
            ]
        );
    }

    #[test]
    fn half_a_slot_is_a_fault() {
        let variables = |name: &str| (name == "WAYPOST_MAIN_URL").then(|| "http://b".to_owned());
        let error = Config::default().overlay(Slot::Main, "MAIN", &variables).unwrap_err();
        assert_eq!(error.message(), "the model slot `main` is half configured");
    }
}

//! Configuration: a file, then the environment over it, then flags over both. Every fault names the
//! place it was written at.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::Duration;

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use tracing::warn;
use waypost::learning::calibrate::threshold::Terms;
use waypost::pack::{Pack, did_you_mean, nearest, plain};
use waypost::ports::model::Slot;
use waypost::records::decision::LayerName;
use waypost::records::rollout::{Key, Setting, Share};
use waypost::{Error, Result};
use waypost_backends::llm::{ModelConfig, ResponseFormat, Secret};
use waypost_backends::retrieval::{ElasticConfig, Fields, Flavor};
use waypost_backends::stores::Retention;

use crate::environment::{self, SlotVariables, Variable};
use crate::failure::Failure;
use crate::features;
use crate::keys::JwtFile;

mod encoder;
mod limits;
mod price;
mod server;
mod telemetry;

use encoder::EncoderFile;
#[cfg(feature = "encoder")]
pub(crate) use encoder::Precision;
use limits::LimitsFile;
pub(crate) use price::Price;
pub(crate) use server::ServerFile;
use telemetry::TelemetryFile;

/// The name of the file in the home.
pub(crate) const FILE: &str = "waypost.toml";

/// The keys of `waypost.toml`. Without the file everything has its default; an unknown key is an
/// error.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Config {
    /// The language models, by slot. `main` decides and writes; `light` writes where a route asks for
    /// it, and falls back to `main`.
    pub(crate) models: BTreeMap<Slot, ModelFile>,
    /// The layers that decide.
    pub(crate) cascade: Cascade,
    /// How far a layer, matcher or handler is rolled out: `"off"`, `"shadow"`, `"on"` or
    /// `{ share = "10%" }`. See [ROLLOUT.md](../ROLLOUT.md).
    rollout: BTreeMap<RolloutKey, Setting>,
    /// Wakes the models when `mcp`, `serve` or `chat` starts; `true` if it is not given.
    pub(crate) warm: Option<bool>,
    /// A search server, asked beside the pack's own documents.
    pub(crate) retrieval: Option<RetrievalFile>,
    /// The student, where it is not trained from the pack when the program starts.
    pub(crate) student: StudentFile,
    /// The sentence encoder.
    pub(crate) encoder: EncoderFile,
    /// Learning from traffic while a program serves. See [LEARNING.md](../LEARNING.md).
    pub(crate) learning: LearningFile,
    /// What is kept of conversations, and for how long.
    pub(crate) store: StoreFile,
    /// The limits of `waypost serve` and `waypost mcp`, for clients that ask too much, or too slowly; and of tool servers.
    pub(crate) limits: LimitsFile,
    /// A collector of OpenTelemetry.
    pub(crate) telemetry: Option<TelemetryFile>,
    /// Tokens of another service that let callers of `waypost serve` in, beside keys. See [SERVING.md](../SERVING.md#keys).
    pub(crate) jwt: Option<JwtFile>,
    /// Tool servers, by the names that the pack gives them; each replaces the pack's own.
    #[serde(deserialize_with = "server::checked")]
    pub(crate) servers: BTreeMap<String, ServerFile>,
    /// Where state lives; `$WAYPOST_HOME` without it.
    #[serde(skip)]
    pub(crate) home: PathBuf,
}

/// A search server: Elasticsearch or OpenSearch.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RetrievalFile {
    /// The address, such as `http://127.0.0.1:9200`.
    url: String,
    /// The name of the index.
    index: String,
    /// The environment variable that holds the value of the header `Authorization`.
    #[serde(default)]
    key_env: Option<String>,
    /// The kind of server.
    #[serde(default)]
    flavor: Flavor,
    /// The names of the index's fields.
    #[serde(default)]
    fields: Fields,
}

impl RetrievalFile {
    /// What the client needs.
    pub(crate) fn client(&self) -> ElasticConfig {
        let key = self.key_env.as_deref().and_then(environment::named);
        ElasticConfig {
            url: self.url.clone(),
            index: self.index.clone(),
            key: key.filter(|key| !key.is_empty()).map(Secret::new),
            flavor: self.flavor,
            fields: self.fields.clone(),
        }
    }
}

/// A language model behind an OpenAI-compatible address.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ModelFile {
    /// The address, such as `http://127.0.0.1:11434/v1`; `/v1` is added where it is missing.
    url: String,
    /// The name by which that server knows the model, such as `gemma3:4b`.
    model: String,
    /// The environment variable that holds the key. The key itself never stands in the file.
    #[serde(default)]
    key_env: Option<String>,
    /// The form in which JSON is asked for.
    #[serde(default)]
    response_format: ResponseFormat,
    /// The price of its tokens; without it no cost is counted.
    #[serde(default)]
    price: Option<Price>,
    #[serde(skip)]
    key: Option<String>,
}

/// The student, where it is not trained from the pack when the program starts.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct StudentFile {
    /// A file of `waypost train --out`. A relative path starts at the configuration's folder.
    pub(crate) bundle: Option<PathBuf>,
    /// A file of `waypost encoder distill`, instead of the static table in the program.
    pub(crate) table: Option<PathBuf>,
}

/// Learning from traffic while `chat`, `mcp` or `serve` runs.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct LearningFile {
    /// Trains while a program serves.
    pub(crate) automatic: bool,
    /// How many new sessions with labels start a training. Source: S4-29.
    #[serde(deserialize_with = "at_least_one")]
    pub(crate) every_sessions: u64,
    /// Promotes a version that is no worse than the one that serves.
    pub(crate) promote: bool,
    /// The share of the student's decisions that a model is asked about afterwards, such as `"1%"`.
    pub(crate) audit: Option<Share>,
    /// Tells when traffic is no longer what it was.
    pub(crate) drift: bool,
    /// How often the model is right, such as `"95%"`. Training then finds how sure the student must
    /// be; otherwise the pack's policy says so.
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
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct StoreFile {
    /// After how many days events, labels and idle conversations are deleted; never, if it is not
    /// given.
    #[serde(deserialize_with = "days")]
    keep_days: Option<NonZeroU32>,
    /// Takes e-mail and IP addresses, phone, card, account and other long numbers out of events and
    /// labels before they are kept, and out of what the models are sent.
    pub(crate) redact: bool,
    /// How many conversations are remembered; the one that was idle for longest goes first.
    #[serde(deserialize_with = "some")]
    max_sessions: u64,
    /// How many events are kept, the latest.
    #[serde(deserialize_with = "some")]
    max_events: u64,
    /// How many labels are kept, the latest.
    #[serde(deserialize_with = "some")]
    max_labels: u64,
    /// The most bytes that are remembered of one conversation; what is needed least is left out.
    #[serde(deserialize_with = "enough")]
    session_bytes: usize,
    /// The most bytes of one event; a larger one is cut.
    #[serde(deserialize_with = "enough")]
    event_bytes: usize,
}

impl Default for StoreFile {
    fn default() -> Self {
        let kept = Retention::default();
        Self {
            keep_days: None,
            redact: false,
            max_sessions: kept.max_sessions,
            max_events: kept.max_events,
            max_labels: kept.max_labels,
            session_bytes: kept.session_bytes,
            event_bytes: kept.event_bytes,
        }
    }
}

fn some<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<u64, D::Error> {
    match u64::deserialize(from)? {
        0 => Err(D::Error::custom("a store keeps at least 1")),
        some => Ok(some),
    }
}

/// The fewest bytes in which an event or a memory says anything.
const LEAST_BYTES: usize = 4096;

fn enough<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<usize, D::Error> {
    let bytes = usize::deserialize(from)?;
    let few =
        || D::Error::custom(format!("{bytes} bytes are too few, {LEAST_BYTES} are the least"));
    (bytes >= LEAST_BYTES).then_some(bytes).ok_or_else(few)
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
        Retention {
            max_events: self.max_events,
            max_labels: self.max_labels,
            max_sessions: self.max_sessions,
            session_bytes: self.session_bytes,
            event_bytes: self.event_bytes,
            age,
        }
    }
}

/// The layers that decide.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Cascade {
    /// The layers that are on. Their order is fixed.
    pub(crate) layers: Vec<LayerName>,
}

impl Default for Cascade {
    fn default() -> Self {
        use LayerName::{Declared, Linear, Llm, Recall, Rules};
        Self { layers: vec![Declared, Rules, Recall, Linear, Llm] }
    }
}

/// A key of `[rollout]`; one that there is not is told with the nearest that there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String")]
struct RolloutKey(Key);

impl TryFrom<String> for RolloutKey {
    type Error = String;

    fn try_from(name: String) -> std::result::Result<Self, String> {
        let unknown = || format!("{}; {}", Key::unknown(&name), did_you_mean(&name, Key::names()));
        Key::find(&name).map(RolloutKey).ok_or_else(unknown)
    }
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
        if let Some(name) = environment::ENCODER.text() {
            config.encoder.name = Some(name);
        }
        config.require_features().map_err(Failure::usage)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        config.student.bundle = config.student.bundle.map(|bundle| folder.join(bundle));
        config.student.table = config.student.table.map(|table| folder.join(table));
        for (slot, names) in [(Slot::Main, environment::MAIN), (Slot::Light, environment::LIGHT)] {
            config.overlay(slot, names, &environment::named).map_err(Failure::usage)?;
        }
        environment::strangers(&config.variables()).iter().for_each(|said| warn!("{said}"));
        Ok(config)
    }

    /// Refuses keys that need a feature that this program was built without.
    fn require_features(&self) -> Result<()> {
        for (is_given, feature) in [
            (self.encoder.name.is_some(), features::ENCODER),
            (self.retrieval.is_some(), features::ELASTICSEARCH),
            (self.telemetry.is_some(), features::OTLP),
            (self.jwt.is_some(), features::JWT),
        ] {
            if is_given {
                feature.require()?;
            }
        }
        Ok(())
    }

    /// The variables that the file names, which hold keys.
    pub(crate) fn variables(&self) -> Vec<&str> {
        let models = self.models.values().filter_map(|file| file.key_env.as_deref());
        let retrieval = self.retrieval.iter().filter_map(|file| file.key_env.as_deref());
        let servers = self.servers.values().flat_map(ServerFile::variables);
        models.chain(retrieval).chain(servers).collect()
    }

    /// Returns a sentence for each server that is named almost as one of the pack, which then runs with
    /// the pack's own command. Names that are like none belong to other packs.
    pub(crate) fn misnamed_servers(&self, pack: &Pack) -> Vec<String> {
        let names = || pack.spec.servers.iter().map(|server| server.name.as_str());
        let strangers = self.servers.keys().filter(|name| !names().any(|known| known == *name));
        let near = strangers.filter_map(|name| {
            let open = names().filter(|known| !self.servers.contains_key(*known));
            let best = nearest(name, open)?;
            let pack = &pack.spec.name;
            Some(format!(
                "the pack `{pack}` has no server for `[servers.{name}]`; did you mean `{best}`?"
            ))
        });
        near.collect()
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
        names: SlotVariables,
        named: &dyn Fn(&str) -> Option<String>,
    ) -> Result<()> {
        let read = |variable: Variable| named(variable.name).filter(|value| !value.is_empty());
        match (read(names.url), read(names.model), self.models.get_mut(&slot)) {
            (url, model, Some(file)) => {
                file.url = url.unwrap_or_else(|| file.url.clone());
                file.model = model.unwrap_or_else(|| file.model.clone());
            }
            (Some(url), Some(model), None) => {
                let response_format = ResponseFormat::default();
                let (key_env, price, key) = (None, None, None);
                let file = ModelFile { url, model, key_env, response_format, price, key };
                self.models.insert(slot, file);
            }
            (None, None, None) => return Ok(()),
            _ => {
                let message = format!("the model slot `{}` is half configured", slot.name());
                let hint = format!("set both `{}` and `{}`", names.url.name, names.model.name);
                return Err(Error::invalid(message).with_hint(hint));
            }
        }
        if let Some(file) = self.models.get_mut(&slot) {
            let key = file.key_env.as_deref().and_then(named);
            file.key = read(names.key).or(key);
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

    /// The address of its server.
    pub(crate) fn address(&self) -> &str {
        &self.url
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
        let (says, advice) = plain(error.message());
        Error::invalid(format!("{at}: {says}")).with_hint(advice.as_deref().unwrap_or(
            "known tables: [models.main], [models.light], [cascade], [rollout], [student], \
             [encoder], [learning], [retrieval], [store], [limits], [servers.NAME]; and the key \
             `warm`",
        ))
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
pub(crate) fn home() -> Result<PathBuf> {
    let data = |folder: OsString| PathBuf::from(folder).join("waypost");
    let home = environment::WAYPOST_HOME.value().map(PathBuf::from);
    home.or_else(|| environment::XDG_DATA_HOME.value().map(data))
        .or_else(|| environment::LOCALAPPDATA.value().map(data))
        .or_else(|| {
            let home = environment::HOME.value()?;
            Some(PathBuf::from(home).join(".local/share/waypost"))
        })
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
    fn an_unknown_key_is_told_with_the_nearest() {
        for (text, hint) in [
            ("[models.main]\nurl = \"http://h\"\nmodle = \"x\"\n", "did you mean `model`?"),
            ("[server.git]\ncommand = []\n", "did you mean `servers`?"),
            ("[cascade]\nlayers = [\"liner\"]\n", "did you mean `linear`?"),
            ("[models.mian]\nurl = \"u\"\nmodel = \"m\"\n", "did you mean `main`?"),
        ] {
            let error = parse(Path::new("waypost.toml"), text).map(|_| ()).unwrap_err();
            assert_eq!(error.hint(), Some(hint), "{error}");
            assert!(!error.message().contains("expected"), "{error}");
        }
    }

    #[test]
    fn a_server_that_is_named_almost_as_the_packs_is_told() {
        let pack = &crate::packs::load("ocean").unwrap();
        let told = |text: &str| parse(Path::new("f"), text).unwrap().misnamed_servers(pack);
        assert_eq!(
            told("[servers.oceon]\ncommand = [\"a\"]\n"),
            ["the pack `ocean` has no server for `[servers.oceon]`; did you mean `ocean`?"]
        );
        // Another pack's, or one that the pack has as well.
        assert!(told("[servers.github]\ncommand = [\"a\"]\n").is_empty());
        let both = "[servers.ocean]\ncommand = [\"a\"]\n[servers.oceon]\ncommand = [\"a\"]\n";
        assert!(told(both).is_empty());
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
        config.overlay(Slot::Main, environment::MAIN, &variables).unwrap();
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
        let mut config = Config::default();
        let error = config.overlay(Slot::Main, environment::MAIN, &variables).unwrap_err();
        assert_eq!(error.message(), "the model slot `main` is half configured");
    }
}

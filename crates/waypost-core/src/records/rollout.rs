//! The rollout of layers, matchers and handlers: each is off, in shadow, on for a share of the
//! conversations, or on.
//!
//! A share is decided by a hash of the conversation's name, so that one conversation is always on
//! the same side and a share that grows keeps the conversations that it had. Gates have no keys:
//! they are never rolled out.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserializer, MapAccess, Unexpected, Visitor};
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::hash::Fnv;

/// Everything that can be rolled out, as it is written in a configuration. The names behind the dot
/// are those of the tables `layers`, `matchers` and `handlers` of the library.
const KEYS: &[&str] = &[
    "layer.declared",
    "layer.rules",
    "layer.recall",
    "layer.linear",
    "layer.llm",
    "matcher.option",
    "matcher.typed",
    "matcher.number",
    "matcher.operator",
    "matcher.gazetteer",
    "matcher.words",
    "matcher.stretch",
    "matcher.flag",
    "matcher.object",
    "matcher.fuzzy",
    "matcher.reference",
    "matcher.llm",
    "matcher.unit",
    "matcher.example",
    "matcher.repository",
    "matcher.name",
    "matcher.folder",
    "matcher.labelled",
    "matcher.text",
    "matcher.likely",
    "matcher.memory",
    "matcher.own",
    "matcher.default",
    "matcher.whole",
    "matcher.offered",
    "handler.tool",
    "handler.explain",
    "handler.code",
    "handler.converse",
    "handler.account",
];

/// The most keys that may be in shadow at once: each costs one more decision a turn.
pub const MAX_SHADOWED: usize = 4;

/// The finest share: a ten-thousandth, so that `0.01%` can be said.
const BUCKETS: u64 = 10_000;

/// Something that can be rolled out, such as `layer.linear`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(usize);

impl Key {
    /// The key of this name; `None` where there is no such key.
    pub fn find(name: &str) -> Option<Key> {
        KEYS.iter().position(|key| *key == name).map(Key)
    }

    /// The name in configurations and events.
    pub fn name(self) -> &'static str {
        KEYS.get(self.0).copied().unwrap_or_default()
    }

    /// Every name that there is.
    pub fn names() -> impl Iterator<Item = &'static str> {
        KEYS.iter().copied()
    }

    /// The message about a name that is no key.
    pub fn unknown(name: &str) -> String {
        if name.starts_with("gate.") {
            return format!("`{name}` cannot be rolled out: gates are always on");
        }
        format!("there is no rollout key `{name}`")
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The setting of a key, as it is written: `"off"`, `"shadow"`, `"on"` or `{share: "10%"}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(with = "SettingShape")]
pub enum Setting {
    /// For nobody.
    Off,
    /// For nobody, but what it would have decided is written down.
    Shadow,
    /// For everybody.
    On,
    /// For a share of the conversations.
    Share(Share),
}

/// The shapes of a setting, for the schema of packs.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
enum SettingShape {
    /// `off`, `shadow` or `on`.
    Word(Word),
    /// YAML reads a bare `on` or `off` as this.
    Switch(bool),
    /// A share of the conversations.
    Share(ShareShape),
}

#[derive(JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(dead_code, reason = "only its schema is used")]
enum Word {
    Off,
    Shadow,
    On,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ShareShape {
    /// A part of the conversations, from `0%` to `100%` with up to two decimals.
    share: Share,
}

impl<'de> Deserialize<'de> for Setting {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        from.deserialize_any(Written)
    }
}

/// Reads a setting; a derived reader of several shapes would not say what is wrong with one.
struct Written;

impl<'de> Visitor<'de> for Written {
    type Value = Setting;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("`off`, `shadow`, `on` or a share such as `{ share = \"10%\" }`")
    }

    fn visit_bool<E: de::Error>(self, on: bool) -> std::result::Result<Setting, E> {
        Ok(if on { Setting::On } else { Setting::Off })
    }

    fn visit_str<E: de::Error>(self, word: &str) -> std::result::Result<Setting, E> {
        match word {
            "off" => Ok(Setting::Off),
            "shadow" => Ok(Setting::Shadow),
            "on" => Ok(Setting::On),
            _ => Err(E::invalid_value(Unexpected::Str(word), &self)),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> std::result::Result<Setting, A::Error> {
        let shape = ShareShape::deserialize(MapAccessDeserializer::new(map))?;
        Ok(Setting::Share(shape.share))
    }
}

/// A part of all conversations, in hundredths of a percent.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
pub struct Share(u16);

impl Share {
    /// Returns whether a unit, by its name, belongs to this share; each purpose shuffles anew.
    pub fn takes(self, purpose: &str, unit: &str) -> bool {
        bucket(purpose, unit) < u64::from(self.0)
    }

    /// From 0 to 1.
    pub fn fraction(self) -> f64 {
        f64::from(self.0) / 10_000.0
    }

    /// Returns whether the share is empty.
    pub fn is_none(self) -> bool {
        self.0 == 0
    }
}

impl TryFrom<String> for Share {
    type Error = String;

    fn try_from(text: String) -> std::result::Result<Self, String> {
        let percent = text.strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
        let buckets = percent.map(|percent| percent * 100.0);
        let whole = |buckets: &f64| (buckets - buckets.round()).abs() < 1e-6;
        match buckets.filter(|buckets| (0.0..=10_000.0).contains(buckets)).filter(whole) {
            Some(buckets) => Ok(Share(buckets.round() as u16)),
            None => Err(format!(
                "`{text}` is no share: write a percentage from `0%` to `100%` with at most two \
                 decimals, such as `10%`"
            )),
        }
    }
}

impl From<Share> for String {
    fn from(share: Share) -> String {
        format!("{}%", f64::from(share.0) / 100.0)
    }
}

/// The state of a key for one conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It is not there.
    Off,
    /// It decides nothing; what it would have decided is written down.
    Shadow,
    /// It is there.
    On,
}

/// The settings of a pack under those of a configuration; what neither names is on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rollout {
    settings: BTreeMap<Key, Setting>,
}

impl Rollout {
    /// The pack's settings with the configuration's over them.
    ///
    /// # Errors
    ///
    /// `INVALID_ARGUMENT` if the pack names an unknown key (a loaded pack does not), or more
    /// than [`MAX_SHADOWED`] keys are in shadow.
    pub fn new(pack: &BTreeMap<String, Setting>, own: &BTreeMap<Key, Setting>) -> Result<Rollout> {
        let mut settings = BTreeMap::new();
        for (name, setting) in pack {
            let key = Key::find(name).ok_or_else(|| Error::invalid(Key::unknown(name)))?;
            settings.insert(key, *setting);
        }
        settings.extend(own.iter().map(|(key, setting)| (*key, *setting)));
        let shadowed = settings.values().filter(|setting| **setting == Setting::Shadow).count();
        if shadowed > MAX_SHADOWED {
            let message = format!("{shadowed} keys are in shadow, the limit is {MAX_SHADOWED}");
            return Err(Error::invalid(message)
                .with_hint("each costs one more decision a turn; set some of them to `off`"));
        }
        Ok(Rollout { settings })
    }

    /// Returns whether everything is on for everybody.
    pub fn is_plain(&self) -> bool {
        self.settings.is_empty()
    }

    /// The setting of a key.
    pub fn setting(&self, key: Key) -> Setting {
        self.settings.get(&key).copied().unwrap_or(Setting::On)
    }

    /// The state of a key for a conversation, named by its session or, without one, by its request.
    pub fn state(&self, key: Key, session: &str) -> State {
        match self.setting(key) {
            Setting::Off => State::Off,
            Setting::Shadow => State::Shadow,
            Setting::On => State::On,
            Setting::Share(share) if share.takes(key.name(), session) => State::On,
            Setting::Share(_) => State::Off,
        }
    }

    /// The keys that are on for a conversation.
    pub fn enabled(&self, session: &str) -> Enabled {
        let off = self.settings.keys().filter(|key| self.state(**key, session) != State::On);
        Enabled(off.fold(0, |off, key| off | bit(*key)))
    }

    /// The keys in shadow, each with the keys that would be on if it were on as well.
    pub fn shadows(&self, session: &str) -> Vec<(Key, Enabled)> {
        let enabled = self.enabled(session);
        let shadowed =
            self.settings.keys().filter(|key| self.state(**key, session) == State::Shadow);
        shadowed.map(|key| (*key, Enabled(enabled.0 & !bit(*key)))).collect()
    }
}

/// The ten-thousandth that a unit falls into; each purpose shuffles anew, so that not always the
/// same people try everything.
fn bucket(purpose: &str, unit: &str) -> u64 {
    let mut hash = Fnv::default();
    hash.write(purpose.as_bytes());
    hash.write(&[0]);
    hash.write(unit.as_bytes());
    // FNV leaves the last bytes of short names in the low bits; this spreads them.
    // Source: the finalizer of MurmurHash3, Appleby.
    let mut value = hash.value();
    value = (value ^ (value >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    value = (value ^ (value >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    (value ^ (value >> 33)) % BUCKETS
}

fn bit(key: Key) -> u64 {
    1 << key.0
}

/// The keys that are on in one turn; all of them, unless something says otherwise.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Enabled(u64);

// One bit for each key.
const _: () = assert!(KEYS.len() <= 64);

impl Enabled {
    /// Returns whether the layer of this name is asked.
    pub fn layer(self, name: &str) -> bool {
        self.has("layer", name)
    }

    /// Returns whether the matcher of this name is asked.
    pub fn matcher(self, name: &str) -> bool {
        self.has("matcher", name)
    }

    /// Returns whether the handler of this name does its work.
    pub fn handler(self, name: &str) -> bool {
        self.has("handler", name)
    }

    /// The names of the keys that are off.
    pub fn off(self) -> impl Iterator<Item = &'static str> {
        KEYS.iter()
            .enumerate()
            .filter(move |(at, _)| self.0 & bit(Key(*at)) != 0)
            .map(|(_, key)| *key)
    }

    /// Turns everything on but these; a name that is no key of this program is left out.
    pub fn without<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let keys = names.into_iter().filter_map(Key::find);
        Enabled(keys.fold(0, |off, key| off | bit(key)))
    }

    /// The keys as a number, the same with recall on or off: it changes no other layer's decision.
    pub fn without_recall(self) -> u64 {
        self.0 & !Key::find("layer.recall").map_or(0, bit)
    }

    fn has(self, kind: &str, name: &str) -> bool {
        let is = |key: &str| key.split_once('.') == Some((kind, name));
        self.0 == 0
            || !KEYS.iter().enumerate().any(|(at, key)| self.0 & bit(Key(at)) != 0 && is(key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(text: &str) -> std::result::Result<Setting, String> {
        Share::try_from(text.to_owned()).map(Setting::Share)
    }

    fn rollout(settings: &[(&str, Setting)]) -> Rollout {
        let own = settings.iter().map(|(name, setting)| (Key::find(name).unwrap(), *setting));
        Rollout::new(&BTreeMap::new(), &own.collect()).unwrap()
    }

    fn on(rollout: &Rollout, key: &str) -> Vec<usize> {
        let key = Key::find(key).unwrap();
        let on = |n: &usize| rollout.state(key, &format!("session-{n}")) == State::On;
        (0..10_000).filter(on).collect()
    }

    #[test]
    fn s2_26_a_tenth_is_a_tenth() {
        for key in ["layer.llm", "matcher.words", "handler.code"] {
            let tenth = on(&rollout(&[(key, share("10%").unwrap())]), key).len();
            assert!((900..=1100).contains(&tenth), "{key}: {tenth} of 10,000");
        }
    }

    #[test]
    fn a_share_that_grows_keeps_whom_it_had_and_its_ends_are_none_and_all() {
        let of = |text| on(&rollout(&[("layer.llm", share(text).unwrap())]), "layer.llm");
        let (tenth, half) = (of("10%"), of("50%"));
        assert!(tenth.iter().all(|n| half.binary_search(n).is_ok()));
        assert_eq!((of("0%").len(), of("100%").len()), (0, 10_000));
        assert_eq!(tenth, of("10%"), "the same conversation is always on the same side");
    }

    #[test]
    fn keys_shuffle_apart() {
        let tenth = share("10%").unwrap();
        let both = rollout(&[("layer.llm", tenth), ("layer.linear", tenth)]);
        let linear = on(&both, "layer.linear");
        let shared = on(&both, "layer.llm").iter().filter(|n| linear.contains(n)).count();
        assert!((50..=150).contains(&shared), "about a hundredth has both, not {shared}");
    }

    #[test]
    fn a_share_is_a_percentage() {
        for text in ["10", "x%", "-1%", "101%", "NaN%", "0.001%", "", "%", "inf%"] {
            assert!(share(text).is_err(), "{text}");
        }
        for text in ["0%", "0.01%", "10%", "12.5%", "100%"] {
            let setting = share(text).unwrap();
            let written = serde_json::to_value(setting).unwrap();
            assert_eq!(written, serde_json::json!({ "share": text }));
            assert_eq!(serde_json::from_value::<Setting>(written).unwrap(), setting);
        }
    }

    #[test]
    fn a_setting_is_a_word_a_share_or_what_yaml_makes_of_on_and_off() {
        let read = |text: &str| serde_json::from_str::<Setting>(text);
        assert_eq!(read("\"shadow\"").unwrap(), Setting::Shadow);
        assert_eq!((read("false").unwrap(), read("true").unwrap()), (Setting::Off, Setting::On));
        for text in ["\"maybe\"", "1", "null", "{}", "{\"share\": \"1%\", \"of\": 2}", "[\"on\"]"] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_configuration_goes_over_the_pack() {
        let pack = BTreeMap::from([
            ("layer.linear".to_owned(), Setting::Off),
            ("matcher.words".to_owned(), Setting::Shadow),
        ]);
        let own = BTreeMap::from([(Key::find("layer.linear").unwrap(), Setting::On)]);
        let rollout = Rollout::new(&pack, &own).unwrap();
        let enabled = rollout.enabled("s");
        assert!(enabled.layer("linear") && !enabled.matcher("words") && enabled.handler("tool"));
        let shadows = rollout.shadows("s");
        assert_eq!(shadows.len(), 1);
        assert!(shadows[0].0.name() == "matcher.words" && shadows[0].1.matcher("words"));
        let gate = BTreeMap::from([("gate.risk".to_owned(), Setting::Off)]);
        let error = Rollout::new(&gate, &BTreeMap::new()).unwrap_err();
        assert_eq!(error.message(), "`gate.risk` cannot be rolled out: gates are always on");
    }

    #[test]
    fn only_so_many_are_in_shadow_at_once() {
        let shadowed: BTreeMap<Key, Setting> = Key::names()
            .take(MAX_SHADOWED + 1)
            .filter_map(|name| Some((Key::find(name)?, Setting::Shadow)))
            .collect();
        let error = Rollout::new(&BTreeMap::new(), &shadowed).unwrap_err();
        assert_eq!(error.message(), "5 keys are in shadow, the limit is 4");
    }
}

//! Packs: routes, tools, places, examples and sentences as data, checked as a whole when loaded.
//!
//! A pack is given as files in memory; the caller knows where they came from. Loading either
//! returns a pack whose every reference holds, or all faults of all files at once.

pub mod messages;
pub(crate) mod places;
pub(crate) mod template;

mod answers;
mod check;
mod cues;
mod examples;
mod listed;
mod lock;
pub(crate) mod prose;
mod sentence;
pub(crate) mod shape;
mod signal;
mod source;
pub mod spec;
mod spelling;
pub(crate) mod suggest;
mod summary;
mod symbols;
mod tool;
mod vocabulary;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use rustc_hash::FxHashMap;
use serde_json::{Map, Value};

pub use answers::AnswerExample;
use answers::Answers;
pub use check::{ServerFault, did_you_mean, nearest, plain, server_faults};
use examples::Loaded;
pub use examples::{CLARIFY, Example, OUT_OF_SCOPE};
pub use lock::{FILE as LOCK_FILE, Lock, LockedTool, digest, fingerprint, is_changed};
use sentence::fits;
pub(crate) use sentence::{is_in, one_sentence, sentence};
pub use signal::{Prefix, Signal};
pub(crate) use signal::{UNLESS, squeeze};
pub use source::Fault;
pub(crate) use source::Source;
use spec::{Access, Band, EntriesSpec, EntrySpec, GateSpec, PackSpec, RouteSpec, Selection};
pub(crate) use spelling::usual as is_usual;
pub use summary::Summary;
pub use tool::{ArgumentFault, Tool};
pub(crate) use vocabulary::words;
use waypost_core::ports::encoder::Encoder;
use waypost_core::ports::retrieval::Document;
use waypost_core::records::request::Choice;
use waypost_learning::both;
use waypost_text::extract::{Gazetteer, Kind, Kinds};
use waypost_text::language::Language;
use waypost_text::spelling::Speller;

use crate::catalog::{Catalog, Written};
use vocabulary::{Entries, Tongues};

/// The files of a pack by their name in it, such as `docs/tides.en.md`.
pub type Files = BTreeMap<String, String>;

/// A pack whose every reference holds.
#[derive(Debug)]
pub struct Pack {
    /// `NAME@HASH` of its files.
    pub id: String,
    /// The contents of `pack.yaml`.
    pub spec: PackSpec,
    /// The languages of its users.
    pub languages: Vec<Language>,
    /// Its tools with their compiled schemas, in the order of the file.
    pub tools: Vec<Tool>,
    /// The examples that its student learns from.
    pub examples: Vec<Example>,
    /// The examples of answers by which it learns what they mean.
    pub answers: Vec<AnswerExample>,
    /// The documents that `explain` quotes from.
    pub documents: Vec<Document>,
    /// The kinds of value that its tools have arguments for.
    pub wanted: Kinds,
    /// Named things, for the extractors.
    pub gazetteers: Vec<Gazetteer>,
    /// The words for the values of its arguments, by the name of the argument or gazetteer.
    pub vocabularies: Vec<Gazetteer>,
    /// Those of arguments whose values are named in passing.
    pub(crate) in_passing: BTreeSet<String>,
    /// The words of its small talk, by the name of the entry.
    pub(crate) talk: Gazetteer,
    /// Its words that mean the same, by the name of their group.
    pub(crate) synonyms: Gazetteer,
    /// Values that are bands of numbers: the vocabulary, the value, its band.
    pub(crate) bands: Vec<(String, String, Band)>,
    /// The bytes of its trained student, if one is beside it; not part of its id.
    pub student: Option<Cow<'static, [u8]>>,
    /// Texts that the platform puts before its prompts.
    pub prefixes: Vec<Prefix>,
    /// Signs in the words that decide a route.
    pub signals: Vec<Signal>,
    entries: Entries,
    known: FxHashMap<String, Tongues>,
    speller: Speller,
    /// Keys that name a value as they are written.
    pub(crate) symbols: symbols::Symbols,
    catalog: OnceLock<Catalog>,
    summaries: OnceLock<Vec<Summary>>,
    /// The tokens of all tools in a prompt; counted once a pack.
    tool_tokens: OnceLock<usize>,
}

impl Pack {
    /// Loads a pack from its files.
    ///
    /// # Errors
    ///
    /// Every fault of every file at once, in the order of files and lines.
    pub fn load(files: &Files) -> Result<Pack, Vec<Fault>> {
        let text = files.get("pack.yaml").ok_or_else(|| {
            vec![
                Fault::whole("pack.yaml", "the pack has no such file")
                    .hint("a pack is a folder with a `pack.yaml`"),
            ]
        })?;
        let (mut loaded, source) =
            both(|| examples::read(files), || Source::parse("pack.yaml", text));
        let source = source.map_err(|fault| vec![fault])?;
        let mut faults = check::shape::<PackSpec>(&source);
        let spec = match serde_json::from_value::<PackSpec>(source.value.clone()) {
            Ok(spec) => spec,
            Err(error) if faults.is_empty() => {
                return Err(vec![source.fault("", plain(&error.to_string()).0)]);
            }
            Err(_) => {
                // The meaning of the other files depends on this one; their syntax does not.
                faults.extend(unreadable(files));
                return Err(faults);
            }
        };
        faults.extend(check::meaning(&source, &spec));
        let entries = load_entries(files, &source, &spec, &mut faults);
        loaded.check(&spec);
        faults.append(&mut loaded.faults);
        let documents = load_documents(files, &mut faults);
        if !faults.is_empty() {
            return Err(faults);
        }
        Self::assemble(files, spec, entries, loaded, documents)
    }

    fn assemble(
        files: &Files,
        spec: PackSpec,
        entries: Entries,
        loaded: Loaded,
        documents: Vec<Document>,
    ) -> Result<Pack, Vec<Fault>> {
        let lock = match files.get(lock::FILE) {
            Some(text) => Lock::read(text).map_err(|error| {
                let hint = error.hint().unwrap_or_default().to_owned();
                vec![Fault::whole(lock::FILE, error.message()).hint(hint)]
            })?,
            None => Lock::default(),
        };
        let mut tools = Vec::with_capacity(spec.tools.len());
        for tool in &spec.tools {
            let accepted = lock.accepted(&tool.name).map(str::to_owned);
            let tool =
                Tool::new(tool.clone()).map_err(|error| vec![Fault::whole("pack.yaml", error)])?;
            tools.push(tool.with_keys(&entries).held_to(accepted));
        }
        let mut faults = Vec::new();
        let Answers { examples: answers, normalized } = answers::load(files, &tools, &mut faults);
        if !faults.is_empty() {
            return Err(faults);
        }
        let nameless = spec.gazetteers.iter().filter(|one| !one.own_names);
        let nameless: Vec<String> = nameless.map(|one| one.name.clone()).collect();
        let languages: Vec<Language> =
            spec.languages.iter().filter_map(|tag| Language::from_tag(tag)).collect();
        let texts = || loaded.normalized.iter().chain(&normalized);
        let (speller, (gazetteers, vocabularies, known)) = both(
            || spelling::speller(&languages, texts(), &tools, &entries),
            || {
                let vocabularies = vocabulary::vocabularies(&tools, &entries, &nameless);
                let known = vocabulary::known(&loaded.examples, &loaded.normalized);
                (vocabulary::gazetteers(&entries), vocabularies, known)
            },
        );
        Ok(Pack {
            speller,
            id: format!("{}@{}", spec.name, hash(files)),
            languages,
            talk: Gazetteer::new("talk", spec.talk.iter().map(|talk| (&talk.name, &talk.words))),
            synonyms: Gazetteer::new("synonyms", &spec.synonyms),
            student: None,
            prefixes: spec.prefixes.iter().map(Prefix::new).collect(),
            signals: spec.signals.iter().map(Signal::new).collect(),
            spec,
            vocabularies,
            in_passing: vocabulary::in_passing(&tools),
            symbols: symbols::Symbols::new(&entries, &nameless, &tools, &loaded.examples),
            wanted: wanted(&tools),
            bands: vocabulary::bands(&tools),
            known,
            tools,
            examples: loaded.examples,
            answers,
            documents,
            gazetteers,
            entries,
            summaries: OnceLock::new(),
            tool_tokens: OnceLock::new(),
            catalog: OnceLock::new(),
        })
    }

    /// Its tools by what is written about them, read when it is first asked for; in the order of the tools.
    pub fn catalog(&self) -> &Catalog {
        self.catalog.get_or_init(|| {
            let mut written = self.written();
            for (tool, written) in self.tools.iter().zip(&mut written) {
                let own = self.examples.iter().filter(|one| one.tools.contains(&tool.spec.name));
                written.examples = own.map(|one| (one.text.to_lowercase(), one.lang)).collect();
            }
            let outside = self.examples.iter().filter(|one| one.route == OUT_OF_SCOPE);
            let outside: Vec<_> = outside.map(|one| (one.text.to_lowercase(), one.lang)).collect();
            Catalog::read(&written, &outside)
        })
    }

    fn written(&self) -> Vec<Written> {
        self.tools.iter().map(Tool::written).collect()
    }

    /// Has an encoder read its tools if their descriptions choose; see [`Catalog::understand`].
    ///
    /// # Errors
    ///
    /// Those of the encoder.
    pub fn understand(&self, encoder: &dyn Encoder) -> waypost_core::Result<()> {
        if self.spec.selection != Selection::Catalog {
            return Ok(());
        }
        self.catalog().understand(encoder, &self.written())
    }

    /// The JSON Schema of `pack.yaml`, for editors.
    pub fn schema() -> Value {
        check::schema_of::<PackSpec>()
    }

    /// Its tools at the first level, in their order; read once.
    pub fn summaries(&self) -> &[Summary] {
        self.summaries.get_or_init(|| summary::summaries(self))
    }

    /// The tool of that name at the first level.
    pub fn summary(&self, tool: &str) -> Option<&Summary> {
        let place = self.tools.iter().position(|own| own.spec.name == tool)?;
        self.summaries().get(place)
    }

    /// The tokens of all its tools with their full schemas: what a model that chose among them by itself
    /// would be told.
    pub fn tool_tokens(&self) -> usize {
        *self.tool_tokens.get_or_init(|| self.tools.iter().map(Tool::schema_tokens).sum())
    }

    /// The tool of that name.
    pub fn tool(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.spec.name == name)
    }

    /// The tools that answer the same kind of question as `tool`, itself among them.
    pub fn family<'a>(&'a self, tool: &'a Tool) -> impl Iterator<Item = &'a Tool> {
        self.tools.iter().filter(move |other| {
            other.spec.name == tool.spec.name
                || (tool.spec.family.is_some() && other.spec.family == tool.spec.family)
        })
    }

    /// The tool and the arguments that stand for those of a call and of all that are declared to do the same.
    pub fn canonical<'a>(
        &'a self,
        tool: &'a str,
        arguments: &Map<String, Value>,
    ) -> (&'a str, Map<String, Value>) {
        let Some(same) = self.tool(tool).and_then(|tool| tool.spec.same_as.as_ref()) else {
            return (tool, arguments.clone());
        };
        let mut all = same.arguments.clone();
        all.extend(arguments.clone());
        (&same.tool, all)
    }

    /// The route of that name.
    pub fn route(&self, name: &str) -> Option<&RouteSpec> {
        self.spec.routes.iter().find(|route| route.name == name)
    }

    /// Returns whether the keys of a gazetteer are codes and no words: which of them is named says nothing of what is asked.
    pub(crate) fn has_codes(&self, gazetteer: &str) -> bool {
        self.spec.gazetteers.iter().any(|one| one.name == gazetteer && !one.own_names)
    }

    /// The access of a tool as the pack says it; a reading one where it does not. For thresholds alone: no gate asks here.
    pub(crate) fn access(&self, tool: &str) -> Access {
        self.tool(tool).and_then(|tool| tool.spec.access).unwrap_or(Access::Read)
    }

    /// Returns the confidence from which a route runs: its own threshold, or the highest that its
    /// tools want instead. One that changes something, as `access` says, wants that of the policy for
    /// writes at least, unless it has its own.
    pub(crate) fn runs_from<'a>(
        &self,
        route: &RouteSpec,
        tools: impl Iterator<Item = &'a str>,
        access: &dyn Fn(&str) -> Access,
    ) -> f64 {
        let of_route = route.run.unwrap_or(self.spec.policy.run);
        let of_tools = tools.filter_map(|tool| self.tool(tool));
        let of_tool = |tool: &Tool| match tool.spec.run {
            Some(own) => own,
            None if access(&tool.spec.name) != Access::Read => of_route.max(self.spec.policy.write),
            None => of_route,
        };
        let highest = of_tools.map(of_tool).reduce(f64::max);
        highest.unwrap_or(of_route)
    }

    /// Returns the highest confidence that those of the tools which change something want before
    /// they are put before the user; `None` if none of them does.
    pub(crate) fn write_from<'a>(
        &self,
        tools: impl Iterator<Item = &'a str>,
        access: &dyn Fn(&str) -> Access,
    ) -> Option<f64> {
        let writes = tools.filter_map(|tool| self.tool(tool));
        let writes = writes.filter(|tool| access(&tool.spec.name) != Access::Read);
        let own = writes.map(|tool| tool.spec.run.unwrap_or(self.spec.policy.write));
        own.reduce(f64::max)
    }

    /// Returns whether a word stands in any example.
    pub(crate) fn knows(&self, word: &str) -> bool {
        self.known.contains_key(word)
    }

    /// Returns whether its users write a language, or Chinese in its other script.
    pub(crate) fn speaks(&self, language: Language) -> bool {
        let is_same =
            |own: &Language| *own == language || own.is_chinese() && language.is_chinese();
        self.languages.iter().any(is_same)
    }

    /// Returns whether a word stands in examples of several languages, so that it is of none of them.
    pub(crate) fn shares(&self, word: &str) -> bool {
        let tongues = self.known.get(word);
        tongues.is_some_and(|tongues| {
            Language::ALL.iter().filter(|own| tongues.has(**own)).count() > 1
        })
    }

    /// Returns the language whose examples have the most words of a text; `None` for a tie.
    ///
    /// For short texts that no small word gives away: "hola", "planifica 50.000 mosquiteros".
    pub(crate) fn likely_language(&self, text: &str) -> Option<Language> {
        let mut counts = [0_usize; Language::ALL.len()];
        for tongues in words(text).filter_map(|word| self.known.get(word)) {
            for (count, language) in counts.iter_mut().zip(Language::ALL) {
                *count += usize::from(tongues.has(language));
            }
        }
        // English wins wherever one of its own words stands: other languages borrow from it.
        let english = Language::ALL.iter().position(|language| *language == Language::En);
        if english.is_some_and(|english| counts[english] > 0) {
            return None;
        }
        let most = counts.iter().copied().max().filter(|most| *most > 0)?;
        if 2 * most < words(text).count() {
            return None;
        }
        let mut likeliest = counts.iter().zip(Language::ALL).filter(|(count, _)| **count == most);
        let (_, language) = likeliest.next()?;
        likeliest.next().is_none().then_some(language)
    }

    /// The gate of a flag of the workflow.
    pub fn gate(&self, flag: &str) -> Option<&GateSpec> {
        self.spec.gates.iter().find(|gate| gate.flag == flag)
    }

    /// Returns the label of a value of an argument in a language.
    pub fn value_label(
        &self,
        tool: &Tool,
        argument: &str,
        value: &Value,
        language: Language,
    ) -> String {
        let Some(value) = value.as_str() else { return value.to_string() };
        let readable = || value.replace('_', " ");
        let Some(note) = tool.annotation(argument) else { return readable() };
        if let Some(gazetteer) = &note.gazetteer {
            return self.label(gazetteer, value, language);
        }
        let label = note.values.get(value).and_then(|naming| localized(&naming.label, language));
        label.map_or_else(readable, str::to_owned)
    }

    /// Choices for values of an argument, labeled in a language.
    pub(crate) fn value_choices(
        &self,
        tool: &Tool,
        argument: &str,
        values: &[Value],
        language: Language,
    ) -> Vec<Choice> {
        let choices = values.iter().map(|value| Choice {
            label: self.value_label(tool, argument, value, language),
            value: value.clone(),
        });
        choices.collect()
    }

    /// Returns the label of a flag of the workflow in a language.
    pub fn flag_label(&self, flag: &str, language: Language) -> String {
        let label = self.gate(flag).and_then(|gate| localized(&gate.label, language));
        label.map_or_else(|| flag.replace('_', " "), str::to_owned)
    }

    /// Returns the label of an argument in a language: the pack's, else the title of its schema, else its name in words.
    pub fn argument_label(&self, tool: &Tool, argument: &str, language: Language) -> String {
        let label = tool.annotation(argument).and_then(|note| localized(&note.label, language));
        label.map_or_else(|| tool.argument_name(argument), str::to_owned)
    }

    /// The entry of a gazetteer.
    pub fn entry(&self, gazetteer: &str, key: &str) -> Option<&EntrySpec> {
        self.entries.get(gazetteer)?.get(key)
    }

    /// The entry of any gazetteer that has `key` or a name that reads so.
    pub fn find_entry<'a>(&'a self, word: &str) -> Option<(&'a str, &'a str, &'a EntrySpec)> {
        let by_key = |(gazetteer, entries): (&'a String, &'a BTreeMap<String, EntrySpec>)| {
            let (key, entry) = entries.get_key_value(word)?;
            Some((gazetteer.as_str(), key.as_str(), entry))
        };
        // Thousands of names are read only for a word that is not a key.
        self.entries.iter().find_map(by_key).or_else(|| {
            let wanted = word.to_lowercase();
            self.entries.iter().find_map(|(gazetteer, entries)| {
                let hit = entries.iter().find(|(key, entry)| {
                    **key == wanted || entry.names.iter().any(|name| name.to_lowercase() == wanted)
                })?;
                Some((gazetteer.as_str(), hit.0.as_str(), hit.1))
            })
        })
    }

    /// Every entry of every gazetteer.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&str, &str, &EntrySpec)> {
        self.entries.iter().flat_map(|(gazetteer, entries)| {
            entries.iter().map(|(key, entry)| (gazetteer.as_str(), key.as_str(), entry))
        })
    }

    /// Returns the label of an entry in a language: its first name in that script.
    pub fn label(&self, gazetteer: &str, key: &str, language: Language) -> String {
        let Some(entry) = self.entry(gazetteer, key) else { return key.to_owned() };
        entry
            .names
            .iter()
            .find(|name| fits(name, language))
            .or_else(|| entry.names.first())
            .map_or_else(|| key.to_owned(), Clone::clone)
    }

    /// Choices for entries, labeled in a language.
    pub fn entry_choices(&self, keys: &[String], language: Language) -> Vec<Choice> {
        keys.iter()
            .filter_map(|key| {
                let (gazetteer, key, _) = self.find_entry(key)?;
                Some(Choice { label: self.label(gazetteer, key, language), value: key.into() })
            })
            .collect()
    }

    /// A sentence of the pack's own, in the language or in English.
    pub fn message(&self, name: &str, language: Language) -> Option<&str> {
        localized(self.spec.messages.get(name)?, language)
    }
}

/// The value that a YAML text is read as, for tests of what writes YAML.
#[cfg(test)]
pub(crate) fn yaml_value(text: &str) -> Option<Value> {
    Source::parse("test.yaml", text).ok().map(|source| source.value)
}

/// The text for a language among texts by tag: that language, its sibling script, or English.
pub(crate) fn localized(texts: &BTreeMap<String, String>, language: Language) -> Option<&str> {
    let wanted = |language: Language| {
        texts.iter().find(|(tag, _)| Language::from_tag(tag) == Some(language))
    };
    let sibling = match language {
        Language::ZhHans => Language::ZhHant,
        Language::ZhHant => Language::ZhHans,
        other => other,
    };
    [language, sibling, Language::En].into_iter().find_map(wanted).map(|(_, text)| text.as_str())
}

/// The files beside `pack.yaml` that cannot even be parsed.
fn unreadable(files: &Files) -> Vec<Fault> {
    let yaml = files.iter().filter(|(name, _)| *name != "pack.yaml" && name.ends_with(".yaml"));
    let mut faults: Vec<Fault> =
        yaml.filter_map(|(name, text)| Source::parse(name, text).err()).collect();
    faults.extend(examples::unreadable(files));
    faults
}

fn load_entries(
    files: &Files,
    source: &Source,
    spec: &PackSpec,
    faults: &mut Vec<Fault>,
) -> Entries {
    let mut entries = BTreeMap::new();
    for (index, gazetteer) in spec.gazetteers.iter().enumerate() {
        let Some(text) = files.get(&gazetteer.file) else {
            let at = format!("/gazetteers/{index}/file");
            let fault = source.fault(&at, format!("the pack has no file `{}`", gazetteer.file));
            faults
                .push(fault.hint(did_you_mean(&gazetteer.file, files.keys().map(String::as_str))));
            continue;
        };
        match Source::parse(&gazetteer.file, text) {
            Err(fault) => faults.push(fault),
            Ok(file) => {
                faults.extend(check::shape::<EntriesSpec>(&file));
                if let Ok(read) = serde_json::from_value::<EntriesSpec>(file.value.clone()) {
                    faults.extend(check::entries(&file, gazetteer, &read));
                    entries.insert(gazetteer.name.clone(), read.entries);
                }
            }
        }
    }
    entries
}

/// Documents are `docs/NAME.LANGUAGE.md`.
fn load_documents(files: &Files, faults: &mut Vec<Fault>) -> Vec<Document> {
    let mut documents = Vec::new();
    for (name, text) in files.iter().filter(|(name, _)| name.starts_with("docs/")) {
        let tag =
            name.strip_suffix(".md").and_then(|stem| stem.rsplit_once('.')).map(|(_, tag)| tag);
        match tag.and_then(Language::from_tag) {
            Some(language) => {
                documents.push(Document { name: name.clone(), language, text: text.clone() });
            }
            None => faults.push(
                Fault::whole(name, "the file name does not say the language")
                    .hint("name documents `docs/NAME.LANGUAGE.md`, such as `docs/tides.en.md`"),
            ),
        }
    }
    documents
}

/// A hash of names and contents: the same files give the same hash on every machine.
fn hash(files: &Files) -> String {
    let mut hash = waypost_core::hash::Fnv::default();
    // Cases test a pack, a lock says what of it may run: neither changes what is learned.
    let is_part = |name: &str| name != "cases.jsonl" && name != lock::FILE;
    for (name, text) in files.iter().filter(|(name, _)| is_part(name)) {
        for part in [name.as_bytes(), &[0], text.as_bytes(), &[0]] {
            hash.write(part);
        }
    }
    hash.hex()
}

/// The kinds of value that the arguments of some tools take; a path may be written as a pattern.
fn wanted(tools: &[Tool]) -> Kinds {
    let kinds: Kinds = tools.iter().flat_map(Tool::kinds).collect();
    if kinds.has(Kind::Path) { kinds.with(Kind::Glob) } else { kinds }
}

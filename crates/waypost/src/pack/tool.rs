//! A tool with its compiled schema, which answers questions about its arguments.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};
use waypost_core::records::decision::Call;
use waypost_core::schema::{self, Check, FlatSchema, Misfit, Schema};
use waypost_text::extract::Kind;
use waypost_text::language::Language;

use super::cues;
use super::is_in;
use super::sentence::{one_line, one_sentence, spelled_out};
use super::shape::{Shape, Types};
use super::spec::{Annotation, FreeText, Injected, Naming, ToolSpec};
use super::suggest::{self, Suggested};
use super::vocabulary::Entries;
use crate::catalog::Written;
use crate::tokens;

/// The longest title and the longest summary of an argument that a question shows, in characters.
const LONGEST_TITLE: usize = 40;
const LONGEST_SUMMARY: usize = 100;

/// A tool with its compiled schema.
#[derive(Debug)]
pub struct Tool {
    /// The tool as the pack declares it.
    pub spec: ToolSpec,
    schema: Schema,
    /// The arguments that its schema names, however it nests them.
    flat: FlatSchema,
    /// The schema that looks at every argument alone, where the own one names some in alternatives or parts.
    alone: Option<Schema>,
    arguments: BTreeMap<String, Argument>,
    /// The argument that takes the key by which its server knows a call that is made again. It is no
    /// argument of a call otherwise: nobody says it, sees it or is asked for it.
    idempotency_key: Option<String>,
    /// The arguments that are filled when the call is made. They are no arguments of a call otherwise.
    injected: Vec<(String, Injected)>,
    /// The arguments that results of other tools fill when the call is made, with what provides each.
    provided: Vec<(String, Vec<String>)>,
    /// The fingerprint of what its server said of it when it was accepted.
    accepted: Option<String>,
    /// True if its access was made up for a server that hints at none.
    is_unhinted: bool,
}

/// An argument as the schema and the pack have it together.
#[derive(Debug)]
struct Argument {
    shape: Shape,
    suggested: Suggested,
    /// The annotation of the pack, with the kind that the schema suggests where the pack says none.
    annotation: Annotation,
    /// The values that it lists, or else those in the prose of its description.
    listed: Vec<Value>,
    /// The values that only the pack has words for, where the schema takes any: `HEAD` for "the last
    /// commit".
    named: Vec<String>,
    /// The keys of its gazetteer that its schema takes, where that takes any.
    keys: BTreeSet<String>,
    /// The words of its name.
    words: Vec<String>,
    /// The words that stand beside its values.
    cues: Vec<String>,
}

impl Argument {
    fn new(
        name: &str,
        shape: Shape,
        (names, about): (&[String], &str),
        own: Option<&Annotation>,
    ) -> Self {
        let own = own.cloned().unwrap_or_default();
        // Words name no value of what nobody says.
        let shape = match own.text {
            Some(FreeText::Never) => {
                let types = Types { array: shape.types.array, ..Types::default() };
                Shape {
                    types,
                    description: shape.description,
                    prose: shape.prose,
                    ..Shape::default()
                }
            }
            _ => shape,
        };
        let suggested = match own.text {
            Some(FreeText::Never) => Suggested::default(),
            _ => suggest::suggest(name, &shape, names, about),
        };
        let mut annotation =
            if own.kind.is_none() && own.gazetteer.is_none() && own.values.is_empty() {
                Annotation { kind: suggested.kind, part: own.part.or(suggested.part), ..own }
            } else {
                own
            };
        let of_items = shape.items.as_ref().map_or(&[][..], |items| &items.listed);
        let of_schema = if shape.listed.is_empty() { of_items } else { &shape.listed };
        let of_prose = suggested.listed.iter().map(|value| Value::from(value.as_str()));
        let listed = if of_schema.is_empty() { of_prose.collect() } else { of_schema.to_vec() };
        for (value, title) in &shape.titles {
            let Some(value) = value.as_str() else { continue };
            let words = Naming { words: vec![title.clone()], own_name: true, ..Naming::default() };
            annotation.values.entry(value.to_owned()).or_insert(words);
        }
        let named = match listed.is_empty() {
            true => annotation.values.keys().cloned().collect(),
            false => Vec::new(),
        };
        let (words, cues) = (suggest::words_of(name), Vec::new());
        Self { shape, suggested, annotation, listed, named, keys: BTreeSet::new(), words, cues }
    }
}

/// A reason why arguments are not valid for a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArgumentFault {
    /// The argument, or nothing if the fault is of all of them.
    pub argument: String,
    /// The JSON pointer of the part of the arguments that does not fit; empty for all of them.
    pub pointer: String,
    /// True if the only fault is that a required argument is missing.
    pub missing: bool,
    /// The validator's words, for logs.
    pub detail: String,
}

impl Tool {
    /// A tool of which the schema compiles.
    pub(crate) fn new(mut spec: ToolSpec) -> Result<Self, String> {
        let idempotency_key = key(&spec);
        let injected = injected(&spec);
        let provided = provided(&spec);
        let unsaid = provided.iter().map(|(name, _)| name).filter(|name| is_unsaid(&spec, name));
        let unsaid: Vec<String> = unsaid.cloned().collect();
        let filled = injected.iter().map(|(name, _)| name).chain(&idempotency_key).chain(&unsaid);
        filled.for_each(|name| leave_out(&mut spec, name));
        let schema = Schema::compile(&spec.schema)?;
        let flat = FlatSchema::read(&spec.schema);
        let is_nested = FlatSchema::is_nested(&spec.schema);
        let alone =
            is_nested.then(|| Schema::compile(&flat.each_alone(&spec.schema)).ok()).flatten();
        let arguments = arguments_of(&spec, &flat);
        let accepted = None;
        Ok(Self {
            spec,
            schema,
            flat,
            alone,
            arguments,
            idempotency_key,
            injected,
            provided,
            accepted,
            is_unhinted: false,
        })
    }

    /// The tool, whose arguments take the keys of their gazetteers.
    pub(super) fn with_keys(mut self, entries: &Entries) -> Self {
        for argument in self.arguments.values_mut().filter(|own| own.listed.is_empty()) {
            let gazetteer = argument.annotation.gazetteer.as_ref();
            let entries = gazetteer.and_then(|name| entries.get(name)).into_iter().flatten();
            argument.keys = entries.map(|(key, _)| key.clone()).collect();
        }
        self
    }

    /// The tool, held to what its server said of it when it was accepted.
    pub(super) fn held_to(mut self, accepted: Option<String>) -> Self {
        self.accepted = accepted;
        self
    }

    /// Holds the tool to what its server says of it now, because a person looked at that.
    pub fn hold_to(&mut self, fingerprint: String) {
        self.accepted = Some(fingerprint);
    }

    /// Marks a tool whose server hints at no access, so that the one it has is only the careful guess.
    pub fn mark_unhinted(&mut self) {
        self.is_unhinted = true;
    }

    /// Returns whether its access was made up for a server that hints at none.
    pub fn is_unhinted(&self) -> bool {
        self.is_unhinted
    }

    /// The fingerprint of what its server said of it when it was accepted; `None` where the pack has no lock
    /// on it.
    pub fn accepted(&self) -> Option<&str> {
        self.accepted.as_deref()
    }

    /// The tokens of its second level: its name, its server's words on it and its schema as they are sent.
    pub fn schema_tokens(&self) -> usize {
        let parts = [&*self.spec.name, &self.description(), &self.spec.schema.to_string()];
        parts.into_iter().map(|part| tokens::count(part) + 1).sum()
    }

    /// What is written about it in full: its summary, and the description where there is one. That of a server begins with the
    /// summary.
    pub fn description(&self) -> Cow<'_, str> {
        let summary = &self.spec.summary;
        match &self.spec.description {
            None => Cow::Borrowed(summary),
            Some(full) if one_sentence(full, self.spec.remote_name()) == *summary => {
                Cow::Borrowed(full)
            }
            Some(more) => Cow::Owned(format!("{summary} {more}")),
        }
    }

    /// Changes `arguments` to what they mean by the schema, and returns whether anything was changed. Arguments that
    /// are valid as they are keep each `null`.
    pub fn as_meant(&self, arguments: &mut Value) -> bool {
        let given = arguments.clone();
        let changed = schema::as_meant(&self.spec.schema, arguments);
        if !changed || !self.faults(&given).is_empty() {
            return changed;
        }
        *arguments = given;
        schema::numbers_as_meant(&self.spec.schema, arguments)
    }

    /// Returns the faults of `arguments`; empty if they are valid for the tool.
    pub fn faults(&self, arguments: &Value) -> Vec<ArgumentFault> {
        let faults = self.misfits(arguments).into_iter().map(|misfit| {
            let path = misfit.path.trim_start_matches('/');
            ArgumentFault {
                argument: path.split('/').next().unwrap_or_default().to_owned(),
                missing: !misfit.wants.is_empty() && path.is_empty(),
                detail: misfit.detail,
                pointer: misfit.path,
            }
        });
        faults.collect()
    }

    /// The arguments that `arguments` lack: of each list of sets, one set must be there.
    pub(crate) fn wants(&self, arguments: &Map<String, Value>) -> Vec<Vec<Vec<String>>> {
        let misfits = self.misfits(&Value::Object(arguments.clone())).into_iter();
        let lacking = misfits.filter(|misfit| misfit.path.is_empty() && !misfit.wants.is_empty());
        lacking.map(|misfit| misfit.wants).collect()
    }

    /// The reasons why `arguments` are not valid. Where no alternative takes them together, an argument that none would take
    /// comes first. Where there are none and that does not do, any of them may.
    fn misfits(&self, arguments: &Value) -> Vec<Misfit> {
        let mut whole = misfits(&self.schema, arguments);
        if arguments.as_object().is_some_and(Map::is_empty) {
            let any: Vec<Vec<String>> =
                self.arguments().map(|name| vec![name.to_owned()]).collect();
            let unsaid = whole.iter_mut().filter(|misfit| misfit.wants.is_empty());
            unsaid.for_each(|misfit| misfit.wants.clone_from(&any));
        }
        let together = whole.iter().any(|misfit| misfit.path.is_empty());
        let alone = self.alone.as_ref().filter(|_| together);
        let mut all = alone.map(|alone| misfits(alone, arguments)).unwrap_or_default();
        all.extend(whole);
        all
    }

    /// The reasons why an argument, taken alone, does not take a value.
    fn misfits_of(&self, argument: &str, value: Value) -> Vec<Misfit> {
        let given = Value::Object([(argument.to_owned(), value)].into_iter().collect());
        misfits(self.alone.as_ref().unwrap_or(&self.schema), &given)
    }

    /// What is written about it.
    pub(super) fn written(&self) -> Written {
        let argument = |name: &str| {
            let text = self.property(name).and_then(|schema| schema.get("description"));
            let text = text.and_then(Value::as_str).unwrap_or_default().to_owned();
            let listed = self.listed(name).iter().filter_map(Value::as_str).map(str::to_owned);
            (name.to_owned(), text, listed.collect())
        };
        Written {
            name: self.spec.name.clone(),
            server: self.spec.server.clone(),
            description: self.description().into_owned(),
            arguments: self.arguments().map(argument).collect(),
            examples: Vec::new(),
        }
    }

    /// The names of its arguments, in the order of the schema.
    pub fn arguments(&self) -> impl Iterator<Item = &str> {
        self.flat.properties.keys().map(String::as_str)
    }

    /// Returns whether it takes arguments that its schema does not name.
    pub(crate) fn is_open(&self) -> bool {
        self.flat.is_open
    }

    /// Returns whether the schema requires the argument, or it names what has limits: what nobody knows is not set.
    pub fn requires(&self, argument: &str) -> bool {
        if self.spec.limits.as_ref().is_some_and(|limits| limits.of == argument) {
            return true;
        }
        self.flat.required.iter().any(|name| name == argument)
    }

    /// The argument that takes the key by which its server knows a call that is made again.
    pub fn idempotency_key(&self) -> Option<&str> {
        self.idempotency_key.as_deref()
    }

    /// The arguments that are filled when the call is made, and what fills each.
    pub fn injected(&self) -> &[(String, Injected)] {
        &self.injected
    }

    /// The arguments that results of other tools fill when the call is made, with what provides each.
    pub fn provided(&self) -> &[(String, Vec<String>)] {
        &self.provided
    }

    /// Returns whether the pack says of any argument which values people say for it.
    pub(crate) fn is_described(&self) -> bool {
        let mut notes = self.spec.arguments.values();
        notes.any(|note| note.kind.is_some() || note.gazetteer.is_some() || !note.values.is_empty())
    }

    /// Returns whether the pack says anything of the argument itself.
    pub(crate) fn is_annotated(&self, argument: &str) -> bool {
        self.spec.arguments.contains_key(argument)
    }

    /// The annotation of an argument: the pack's, with the kind that the schema suggests where the
    /// pack says none.
    pub fn annotation(&self, argument: &str) -> Option<&Annotation> {
        let known = self.arguments.get(argument).map(|argument| &argument.annotation);
        known.or_else(|| self.spec.arguments.get(argument))
    }

    /// The annotations of all arguments that its schema has.
    pub fn annotations(&self) -> impl Iterator<Item = (&str, &Annotation)> {
        self.arguments().filter_map(|name| Some((name, self.annotation(name)?)))
    }

    /// The kinds of value that its arguments take.
    pub(super) fn kinds(&self) -> impl Iterator<Item = Kind> {
        self.arguments.values().filter_map(|argument| argument.annotation.kind)
    }

    /// The words of the name of an argument: `repoPath` is `repo`, `path`.
    pub(crate) fn words(&self, argument: &str) -> &[String] {
        self.arguments.get(argument).map_or(&[], |own| own.words.as_slice())
    }

    /// The words that stand beside values of an argument, in lower case.
    pub(crate) fn cues(&self, argument: &str) -> &[String] {
        self.arguments.get(argument).map_or(&[], |own| own.cues.as_slice())
    }

    /// The schema of an argument, read.
    pub(crate) fn shape(&self, argument: &str) -> Option<&Shape> {
        Some(&self.arguments.get(argument)?.shape)
    }

    /// The value that the schema suggests for an argument.
    pub(crate) fn suggested(&self, argument: &str) -> Option<&Suggested> {
        Some(&self.arguments.get(argument)?.suggested)
    }

    /// The schema of an argument.
    pub fn property(&self, argument: &str) -> Option<&Value> {
        self.flat.properties.get(argument)
    }

    /// The name of an argument for people: the title of its schema, or else its own in words.
    pub(crate) fn argument_name(&self, argument: &str) -> String {
        self.argument_title(argument).unwrap_or_else(|| spelled_out(argument))
    }

    /// The title of an argument in its schema; `None` where it has none, or one that only writes its name in other letters.
    fn argument_title(&self, argument: &str) -> Option<String> {
        let title = self.property(argument)?.get("title")?.as_str().map(one_line)?;
        let is_name = suggest::words_of(&title) == self.words(argument);
        (!is_name && (1..=LONGEST_TITLE).contains(&title.chars().count())).then_some(title)
    }

    /// The first sentence about an argument in its schema, without its stop, if it is in the language, is short, and says more
    /// than the argument's name.
    pub(crate) fn argument_summary(&self, argument: &str, language: Language) -> Option<String> {
        let text = self.property(argument)?.get("description")?.as_str()?;
        let summary = one_sentence(text, argument);
        let summary = summary.trim_end_matches(['.', '。']).to_owned();
        let named = self.words(argument);
        let says_more = suggest::words_of(&summary).iter().any(|word| {
            !named.contains(word) && !["the", "a", "an", "of"].contains(&word.as_str())
        });
        let is_short = summary.chars().count() <= LONGEST_SUMMARY;
        (is_short && says_more && is_in(&summary, language)).then_some(summary)
    }

    /// Returns whether the argument takes a list.
    pub fn is_list(&self, argument: &str) -> bool {
        self.shape(argument).is_some_and(|shape| shape.types.array)
    }

    /// Returns whether the argument takes the user's own words: a string without listed values, a
    /// format or a pattern.
    pub fn is_free_text(&self, argument: &str) -> bool {
        self.shape(argument).is_some_and(|shape| {
            shape.types.string && shape.format.is_none() && shape.pattern.is_none()
        }) && self.listed(argument).is_empty()
    }

    /// Returns whether the argument takes a number.
    pub fn is_number(&self, argument: &str) -> bool {
        self.shape(argument).is_some_and(|shape| shape.types.numeric())
    }

    /// The values that the schema lists for an argument, or for the items of its list, in the order
    /// in which they are shown; those in the prose of its description where the schema lists none.
    pub fn listed(&self, argument: &str) -> &[Value] {
        self.arguments.get(argument).map_or(&[], |argument| argument.listed.as_slice())
    }

    /// Returns whether the schema lists this value for the argument, or the pack has words for it where
    /// the schema takes any.
    pub fn lists(&self, argument: &str, value: &str) -> bool {
        self.listed(argument).iter().any(|listed| listed == value)
            || self.named(argument).any(|named| named == value)
            || self.arguments.get(argument).is_some_and(|own| own.keys.contains(value))
    }

    /// The only value that the argument takes.
    pub(crate) fn only(&self, argument: &str) -> Option<&Value> {
        match self.shape(argument)?.listed.as_slice() {
            [only] if !self.is_list(argument) => Some(only),
            _ => None,
        }
    }

    /// The values that only the pack has words for, where the schema takes any.
    pub(crate) fn named(&self, argument: &str) -> impl Iterator<Item = &str> {
        let named = self.arguments.get(argument).map(|argument| argument.named.as_slice());
        named.unwrap_or_default().iter().map(String::as_str)
    }

    /// Returns whether the argument, taken alone, accepts this value.
    pub fn accepts(&self, argument: &str, value: &Value) -> bool {
        let is_own = |misfit: &Misfit| misfit.path.split('/').nth(1) == Some(argument);
        !self.misfits_of(argument, value.clone()).iter().any(is_own)
    }

    /// Returns whether a list that the argument takes may hold this item, whatever else it holds.
    pub(crate) fn accepts_item(&self, argument: &str, item: &Value) -> bool {
        let list = Value::Array(vec![item.clone()]);
        let within = format!("/{argument}/");
        self.is_list(argument)
            && !self
                .misfits_of(argument, list)
                .iter()
                .any(|misfit| misfit.path.starts_with(&within))
    }

    /// The value that an alias stands for, or the value itself.
    pub fn canonical(&self, argument: &str, value: &Value) -> Value {
        let aliases = self.annotation(argument).map(|annotation| &annotation.aliases);
        let named = value.as_str().and_then(|word| aliases?.get(word));
        named.map_or_else(|| value.clone(), |canonical| canonical.as_str().into())
    }

    /// The first argument that a call does not have, in the order of the schema.
    pub fn first_open<'a>(&'a self, call: Option<&Call>) -> Option<&'a str> {
        self.arguments().find(|name| call.is_none_or(|call| !call.arguments.contains_key(*name)))
    }
}

/// The argument that takes the key of a call.
fn key(spec: &ToolSpec) -> Option<String> {
    let mut annotated = spec.arguments.iter();
    annotated.find(|(_, it)| it.idempotency_key).map(|(name, _)| name.clone())
}

/// The arguments that are filled when the call is made.
fn injected(spec: &ToolSpec) -> Vec<(String, Injected)> {
    let annotated = spec.arguments.iter();
    annotated.filter_map(|(name, note)| Some((name.clone(), note.inject?))).collect()
}

/// The arguments that results of other tools fill.
fn provided(spec: &ToolSpec) -> Vec<(String, Vec<String>)> {
    let annotated = spec.arguments.iter().filter(|(_, note)| !note.from.is_empty());
    annotated.map(|(name, note)| (name.clone(), note.from.clone())).collect()
}

/// Returns whether no words fill an argument.
fn is_unsaid(spec: &ToolSpec, name: &str) -> bool {
    let note = spec.arguments.get(name);
    note.is_some_and(|note| note.kind.is_none() && note.gazetteer.is_none())
}

/// Takes an argument that Waypost fills out of a tool.
fn leave_out(spec: &mut ToolSpec, name: &str) {
    spec.arguments.remove(name);
    FlatSchema::without(&mut spec.schema, name);
}

/// The reasons why values are not valid. What cannot be checked is not valid.
fn misfits(schema: &Schema, arguments: &Value) -> Vec<Misfit> {
    match schema.check(arguments) {
        Check::Fits => Vec::new(),
        Check::Misfits(misfits) => misfits,
        Check::Unchecked => vec![Misfit {
            path: String::new(),
            wants: Vec::new(),
            detail: "the arguments are too large for a schema like this".to_owned(),
        }],
    }
}

/// The arguments of a tool, each with what its schema says and suggests.
fn arguments_of(spec: &ToolSpec, flat: &FlatSchema) -> BTreeMap<String, Argument> {
    let names: Vec<String> = flat.properties.keys().cloned().collect();
    let about = format!("{} {}", spec.name, spec.summary).to_lowercase();
    let arguments = flat.properties.iter().map(|(name, schema)| {
        let shape = Shape::read(&spec.schema, schema);
        (name.clone(), Argument::new(name, shape, (&names, &about), spec.arguments.get(name)))
    });
    let mut arguments: BTreeMap<String, Argument> = arguments.collect();
    let named = |name: &String| {
        let (name, own) = arguments.get_key_value(name)?;
        Some(cues::Named {
            name,
            words: &own.words,
            kind: own.annotation.kind,
            description: &own.shape.description,
            own: &own.annotation.cues,
        })
    };
    let all: Vec<cues::Named<'_>> = names.iter().filter_map(named).collect();
    let found: Vec<Vec<String>> = all.iter().map(|one| cues::cues(one, &all)).collect();
    for (name, cues) in names.iter().zip(found) {
        if let Some(own) = arguments.get_mut(name) {
            own.cues = cues;
        }
    }
    arguments
}

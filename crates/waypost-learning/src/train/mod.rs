//! Turns labelled texts into a bundle: features, heads, calibration and scope, in that order.
//!
//! Every probability is fitted on scores that cross-validation held out; the weights that are
//! shipped are fitted on everything. The same examples, options and seed give the same bytes,
//! however many threads there are.

mod block_weights;
mod cross;
pub mod distill;
pub(crate) mod folds;
mod late_fusion;
pub mod linear;
pub(crate) mod order;
mod pca;
pub mod slips;
mod softmax;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use waypost_core::ports::encoder::Encoder;
use waypost_core::{Error, Result};

use super::features::{ByLanguage, Entry, FeatureConfig, Features, Grams, Input, Scratch};
use crate::bytes::checksum;
use crate::features::ngrams::unmasked;
use crate::features::static_table::StaticTable;
use crate::features::vocabulary;
use crate::parallel::in_halves;
use crate::train::linear::{MOST_TRAINED, Matrix, Problem, Target};
use crate::train::order::mark;
use crate::version::bundle::{Bundle, EncoderHead, Head, Metrics, TrainingOrigin};
use crate::version::weights::{PackedWeights, dense};
use cross::{Fits, Held};

/// The route whose examples belong to no route: an ordinary class that also trains the detector.
pub const OUT_OF_SCOPE: &str = "out_of_scope";

/// A text with its right route and tools.
#[derive(Debug, Clone, PartialEq)]
pub struct Labelled {
    /// Normalized: NFKC and lower case.
    pub text: String,
    /// A BCP 47 tag: the weight of vectors is fitted for each language.
    pub language: Option<String>,
    /// The one right route.
    pub route: String,
    /// The right tools. An empty list says that no tool is right, on a route of which any example
    /// has one.
    pub tools: Vec<String>,
    /// The weight of the example: 1 for a person's label, less for weaker ones. Above 0.
    pub weight: f32,
}

/// The options of a training. The defaults serve every pack: none of them depends on the data.
#[derive(Debug, Clone)]
pub struct TrainOptions {
    /// Decides the order of the texts and the folds.
    pub seed: u64,
    /// Cost of a violated margin against the length of the weights.
    pub c: f32,
    /// The factor by which an example costs more for the class that it belongs to than for the
    /// others.
    pub positive_cost: f32,
    /// Passes over the texts, at most.
    pub epochs: usize,
    /// Parts of the cross-validation, at least 2.
    pub folds: usize,
    /// Groups of routes, each left out once to learn what out of scope looks like; fewer than 2
    /// leaves none out.
    pub scope_groups: usize,
    /// The share of prediction sets that must hold the right meaning.
    pub coverage: f32,
    /// True if the words of a route's name are an example of it; names of one word are not.
    pub names_as_examples: bool,
    /// The weight of such an example.
    pub name_weight: f32,
    /// The share of letters that slip in a copy of each example, which teaches too; 0, the default, makes no copies: they
    /// cost a third of a point of accuracy on texts without slips, and twice the time. Where an encoder
    /// takes part there are none: it reads slips its own way.
    pub slips: f64,
    /// The weight of such a copy beside that of its example.
    pub slip_weight: f32,
    /// Other words for examples: the text of one, and a text that asks the same. Such a copy teaches too, and is held out
    /// with its example.
    pub retold: Vec<(String, String)>,
    /// The weight of such a copy beside that of its example.
    pub retold_weight: f32,
    /// True if the student reads words that slipped as the ones of its examples that were meant; a caller who has done
    /// so says false.
    pub spelling: bool,
    /// Sizes and weights of the features; that of the table is taken from the table.
    pub features: FeatureConfig,
    /// The static table beside the n-grams, if any.
    pub table: Option<Arc<StaticTable>>,
    /// True if the tools are chosen by other signs, too: then it is measured how far the student is to be believed of each.
    pub advises: bool,
    /// Hash of the pack, kept in the bundle.
    pub pack: String,
    /// Threads, 1 or 2; the result is the same.
    pub threads: usize,
}

impl Default for TrainOptions {
    fn default() -> Self {
        Self {
            seed: 0,
            c: 0.5,
            positive_cost: 8.0,
            epochs: 10,
            folds: 5,
            scope_groups: 3,
            coverage: 0.95,
            names_as_examples: true,
            name_weight: 0.5,
            slips: 0.0,
            slip_weight: 0.25,
            retold: Vec::new(),
            retold_weight: 0.5,
            spelling: true,
            features: FeatureConfig::default(),
            table: StaticTable::built_in(),
            advises: false,
            pack: String::new(),
            threads: 2,
        }
    }
}

/// The progress of a training.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Fits that are done.
    pub done: usize,
    /// Fits in all.
    pub total: usize,
}

/// Trains a student on `examples`; `progress` is called after each fit, on this thread. With an
/// `encoder` the student also looks at its vectors, and needs them when it scores. A text that is given
/// several routes teaches nothing; `data::validation::contradictions` lists such texts.
///
/// # Errors
///
/// The encoder's error for any of the texts; [`waypost_core::Code::InvalidArgument`] if there are
/// no examples, if a weight is not above 0 and finite, if an option is out of range, or if every
/// text is given two routes.
pub fn train(
    examples: &[Labelled],
    options: &TrainOptions,
    encoder: Option<&dyn Encoder>,
    progress: &mut dyn FnMut(Progress),
) -> Result<Bundle> {
    check(examples, options)?;
    let examples = merge(examples);
    if examples.is_empty() {
        return Err(Error::invalid("every example has two routes")
            .with_hint("keep one route for each text"));
    }
    let mut set = Set::new(&examples, options, encoder)?;
    if set.features.table.is_some() && set.classes() <= MOST_TRAINED {
        let lengths = block_weights::choose(&set, options);
        set.weigh_table(lengths);
    }
    let (fits, held) = cross::run(&set, options, progress);
    Ok(finish(set, &fits, held, options, &examples, encoder))
}

fn finish(
    mut set: Set,
    fits: &Fits,
    mut held: Held,
    options: &TrainOptions,
    examples: &[Labelled],
    encoder: Option<&dyn Encoder>,
) -> Bundle {
    // Fitted before the encoder's margins are added: this calibration holds when the encoder is
    // away.
    let alone = encoder.is_some().then(|| held.calibrate(&set, options.coverage).0);
    let share = held.mix(&set);
    let (calibration, auroc_oos) = held.calibrate(&set, options.coverage);
    let trust = match options.advises {
        true => held.found(&set, &calibration.tools, options.folds.max(1)),
        false => Vec::new(),
    };
    let rows = held.confidences(&set, calibration.temperature);
    let right = rows.iter().filter(|(_, right)| *right).count();
    let metrics = Metrics {
        accuracy: right as f64 / rows.len().max(1) as f64,
        ece: super::evaluate::calibration_error(&rows),
        coverage_at_99: super::evaluate::coverage(&rows, 0.99),
        auroc_oos,
    };
    let origin = TrainingOrigin {
        pack: options.pack.clone(),
        data: data_hash(examples),
        seed: options.seed,
        examples: set.given,
    };
    let classes = set.classes();
    let words = PackedWeights::new(&fits.words, set.features.config.buckets(), classes);
    let vectors = fits.vectors.as_ref().map(|w| PackedWeights::new(w, set.dimensions, classes));
    let encoder = encoder.map(|encoder| EncoderHead {
        id: encoder.id().to_owned(),
        dimensions: set.dimensions,
        share,
    });
    let vocabulary = if options.spelling {
        vocabulary::of(examples.iter().map(|e| &*e.text))
    } else {
        Vec::new()
    };
    set.features.speller = vocabulary::speller(&vocabulary);
    let head = Head {
        vocabulary,
        config: set.features.config,
        table: set.features.table.as_ref().map(|table| table.id().to_owned()),
        table_bytes: set.features.table.as_ref().map_or(0, |table| table.carried().len()),
        table_length: set.features.table_length.clone(),
        encoder,
        routes: set.routes,
        tools: set.tools,
        calibration,
        alone,
        metrics,
        threshold: None,
        trust,
        origin,
        answers_bytes: 0,
    };
    Bundle::new(head, set.features, words, vectors)
}

/// The copies of examples in other words, each with the row of its example and its weight; an example that teaches
/// nothing has none.
fn retold(examples: &[Labelled], options: &TrainOptions) -> Vec<(usize, String, f32)> {
    let rows: BTreeMap<&str, usize> =
        examples.iter().enumerate().map(|(row, example)| (example.text.as_str(), row)).collect();
    let copies = options.retold.iter();
    let copies = copies.filter_map(|(of, text)| {
        Some((*rows.get(of.as_str())?, text.clone(), options.retold_weight))
    });
    copies.collect()
}

/// The copies of texts in which letters slipped, each with its row and its weight; none beside an encoder.
fn slipped(
    texts: &[String],
    options: &TrainOptions,
    has_encoder: bool,
) -> Vec<(usize, String, f32)> {
    let rate = if has_encoder { 0.0 } else { options.slips };
    let copies = texts.iter().enumerate().filter_map(|(row, text)| {
        Some((row, slips::slipped(text, rate, options.seed)?, options.slip_weight))
    });
    copies.collect()
}

/// The examples as training sees them: those given, then the routes' names.
pub(crate) struct Set {
    pub(crate) routes: Vec<String>,
    pub(crate) tools: Vec<String>,
    pub(crate) features: Features,
    pub(crate) matrix: Matrix,
    /// The encoder's vectors, where there are any.
    pub(crate) vectors: Option<Matrix>,
    /// Numbers of such a vector.
    pub(crate) dimensions: usize,
    /// The language of each row, where it is known.
    pub(crate) languages: Vec<Option<String>>,
    pub(crate) targets: Vec<Target>,
    /// The mark of each row, for the orders in which rows are walked and parted.
    pub(crate) marks: Vec<u64>,
    pub(crate) grams: Vec<Grams>,
    /// The route of each row.
    pub(crate) labels: Vec<u32>,
    /// The number of rows that were given; names follow, and copies.
    pub(crate) given: usize,
    /// The first of the copies, in other words or with slips.
    pub(crate) copies: usize,
    /// The row that each was made of: itself, but for copies.
    pub(crate) origins: Vec<u32>,
    /// The index of the route [`OUT_OF_SCOPE`].
    pub(crate) out_of_scope: Option<u32>,
}

impl Set {
    fn new(
        examples: &[Labelled],
        options: &TrainOptions,
        encoder: Option<&dyn Encoder>,
    ) -> Result<Self> {
        let routes: BTreeSet<&str> = examples.iter().map(|e| e.route.as_str()).collect();
        let tools: BTreeSet<&str> =
            examples.iter().flat_map(|e| &e.tools).map(String::as_str).collect();
        let routes: Vec<String> = routes.into_iter().map(str::to_owned).collect();
        let tools: Vec<String> = tools.into_iter().map(str::to_owned).collect();
        // A tool's head says which tool, given that one is asked for; the route decides whether one
        // is asked for. Texts of routes without tools would only make every head less sure.
        let serving: BTreeSet<&str> =
            examples.iter().filter(|e| !e.tools.is_empty()).map(|e| e.route.as_str()).collect();
        let place = |names: &[String], name: &String| names.binary_search(name).unwrap_or(0) as u32;

        let mut texts: Vec<String> = examples.iter().map(|e| e.text.clone()).collect();
        let mut labels: Vec<u32> = examples.iter().map(|e| place(&routes, &e.route)).collect();
        let mut targets: Vec<Target> = examples
            .iter()
            .zip(&labels)
            .map(|(example, label)| {
                let tools = example.tools.iter().map(|t| place(&tools, t) + routes.len() as u32);
                let positive = std::iter::once(*label).chain(tools).collect();
                let of_tools = serving.contains(example.route.as_str());
                let weights = [example.weight, if of_tools { example.weight } else { 0.0 }];
                Target { positive, weights }
            })
            .collect();
        for (label, words) in names(&routes, examples, options) {
            texts.push(words);
            labels.push(label);
            // A name says nothing about tools.
            targets.push(Target { positive: vec![label], weights: [options.name_weight, 0.0] });
        }
        let mut languages: Vec<Option<String>> =
            examples.iter().map(|e| e.language.clone()).collect();
        languages.resize(texts.len(), None);
        let copies = texts.len();
        let mut origins: Vec<u32> = (0..copies as u32).collect();
        let retold = retold(examples, options);
        let fitted = copies + retold.len();
        let slipped = slipped(&texts[..examples.len()], options, encoder.is_some());
        for (row, copy, weight) in retold.into_iter().chain(slipped) {
            texts.push(copy);
            labels.push(labels[row]);
            languages.push(languages[row].clone());
            targets.push(targets[row].weighing(weight));
            origins.push(row as u32);
        }
        let table = options.table.clone();
        let dimensions = table.as_ref().map_or(0, |table| table.dimensions());
        let config = FeatureConfig { table: dimensions, ..options.features };
        let features =
            Features::fit(config, table, block_weights::usual(), &texts[..fitted], options.threads);
        let (matrix, grams) = rows(&features, &texts, &languages, options.threads);
        let marks = texts.iter().map(|text| mark(text)).collect();
        let vectors = encoder.map(|encoder| encoded(encoder, &texts)).transpose()?;
        let dimensions = encoder.map_or(0, Encoder::dimensions);
        let out_of_scope = routes.iter().position(|r| r == OUT_OF_SCOPE).map(|i| i as u32);
        Ok(Self {
            routes,
            tools,
            features,
            matrix,
            vectors,
            dimensions,
            languages,
            targets,
            marks,
            grams,
            labels,
            given: examples.len(),
            copies,
            origins,
            out_of_scope,
        })
    }

    /// Gives the static table's block of each row the weight `lengths` of its language.
    fn weigh_table(&mut self, lengths: ByLanguage) {
        let scales: Vec<f32> =
            (0..self.languages.len()).map(|row| self.scale(row, &lengths)).collect();
        let start = self.features.config.table_start() as u32;
        self.matrix.scale(|row, bucket| if bucket < start { 1.0 } else { scales[row] });
        self.features.table_length = lengths;
    }

    /// The factor by which `lengths` change the static table's block of a row.
    fn scale(&self, row: usize, lengths: &ByLanguage) -> f32 {
        let language = self.languages[row].as_deref();
        let usual = self.features.table_length.get(language);
        lengths.get(language) / usual.max(f32::MIN_POSITIVE)
    }

    /// A matrix of some rows, in which the static table's block has another weight; the other rows are empty.
    pub(crate) fn with_table_length(&self, rows: &BTreeSet<usize>, length: f32) -> Matrix {
        let (start, lengths) = (self.features.config.table_start() as u32, ByLanguage::all(length));
        let mut matrix = Matrix::default();
        let mut entries: Vec<Entry> = Vec::new();
        for row in 0..self.languages.len() {
            entries.clear();
            if rows.contains(&row) {
                let scale = self.scale(row, &lengths);
                let scaled = |entry: &Entry| Entry {
                    value: if entry.bucket < start { entry.value } else { scale * entry.value },
                    ..*entry
                };
                let scaled = self.matrix.row(row).iter().map(scaled);
                entries.extend(scaled.filter(|entry| entry.value != 0.0));
            }
            matrix.push(&entries);
        }
        matrix
    }

    /// The problem of telling the classes apart by `matrix`, on no rows yet.
    pub(crate) fn problem<'a>(
        &'a self,
        matrix: &'a Matrix,
        buckets: usize,
        options: &TrainOptions,
    ) -> Problem<'a> {
        Problem {
            matrix,
            targets: &self.targets,
            marks: &self.marks,
            rows: &[],
            buckets,
            classes: self.classes(),
            split: self.routes.len(),
            trained: [true, true],
            c: options.c,
            positive_cost: options.positive_cost,
            epochs: options.epochs,
            seed: options.seed,
        }
    }

    pub(crate) fn classes(&self) -> usize {
        self.routes.len() + self.tools.len()
    }
}

/// The vectors of `texts` as rows, and their places in the filter of what is known.
fn rows(
    features: &Features,
    texts: &[String],
    languages: &[Option<String>],
    threads: usize,
) -> (Matrix, Vec<Grams>) {
    let mut given = Vec::with_capacity(texts.len());
    for (text, language) in texts.iter().zip(languages) {
        given.push(Input { text, language: language.as_deref(), vector: None });
    }
    let mut matrix = Matrix::default();
    let mut grams = Vec::with_capacity(texts.len());
    for (entries, own) in in_halves(&given, threads, |texts| vec![extracted(features, texts)]) {
        matrix.append(entries);
        grams.extend(own);
    }
    (matrix, grams)
}

/// The vectors of `texts` as rows, and their places in the filter of what is known.
fn extracted(features: &Features, texts: &[Input]) -> (Matrix, Vec<Grams>) {
    let mut scratch = Scratch::default();
    let (mut matrix, mut grams) = (Matrix::default(), Vec::with_capacity(texts.len()));
    for text in texts {
        features.extract(*text, &mut scratch);
        matrix.push(scratch.entries());
        grams.push(scratch.grams.clone());
    }
    (matrix, grams)
}

/// The vectors of `texts` as rows of entries.
fn encoded(encoder: &dyn Encoder, texts: &[String]) -> Result<Matrix> {
    let plain: Vec<String> = texts.iter().map(|text| unmasked(text)).collect();
    let texts: Vec<&str> = plain.iter().map(String::as_str).collect();
    let mut matrix = Matrix::default();
    let mut entries = Vec::new();
    for vector in encoder.encode_all(&texts)? {
        if vector.len() != encoder.dimensions() || !vector.iter().all(|x| x.is_finite()) {
            let detail = format!("`{}` gave a vector that is none", encoder.id());
            return Err(Error::internal(detail));
        }
        dense(&vector, &mut entries);
        matrix.push(&entries);
    }
    Ok(matrix)
}

/// The routes whose names are examples of them, each with the words of its name.
fn names(routes: &[String], examples: &[Labelled], options: &TrainOptions) -> Vec<(u32, String)> {
    if !options.names_as_examples {
        return Vec::new();
    }
    let taken: BTreeSet<&str> = examples.iter().map(|e| e.text.as_str()).collect();
    let named = routes.iter().enumerate().filter(|(_, name)| *name != OUT_OF_SCOPE);
    let named = named.filter_map(|(label, name)| Some((label as u32, name_words(name)?)));
    named.filter(|(_, words)| !taken.contains(words.as_str())).collect()
}

/// The words of a route's name, `None` if it has only one: `card_arrival`, `AddToPlaylist`.
fn name_words(name: &str) -> Option<String> {
    let mut words = String::new();
    let mut last_is_lower = false;
    for c in name.chars() {
        if c.is_alphanumeric() {
            if c.is_uppercase() && last_is_lower {
                words.push(' ');
            }
            words.extend(c.to_lowercase());
        } else {
            words.push(' ');
        }
        last_is_lower = c.is_lowercase();
    }
    let words: Vec<&str> = words.split_whitespace().collect();
    (words.len() >= 2).then(|| words.join(" "))
}

fn check(examples: &[Labelled], options: &TrainOptions) -> Result<()> {
    if examples.is_empty() {
        return Err(Error::invalid("there are no examples to train on")
            .with_hint("give at least a few examples of each route"));
    }
    if let Some(bad) = examples.iter().find(|e| !(e.weight > 0.0 && e.weight.is_finite())) {
        let message = format!("the weight `{}` of `{}` is not above 0", bad.weight, bad.text);
        return Err(Error::invalid(message));
    }
    let numbers = [options.c, options.positive_cost, options.name_weight];
    if numbers.iter().any(|n| !(*n > 0.0 && n.is_finite())) {
        return Err(Error::invalid("`c`, `positive_cost` and `name_weight` must be above 0"));
    }
    if !(0.5..1.0).contains(&options.coverage) {
        return Err(Error::invalid("`coverage` must be at least 0.5 and below 1"));
    }
    if options.folds < 2 || !options.features.is_valid() {
        return Err(Error::invalid("`folds` must be at least 2 and the feature sizes in range"));
    }
    Ok(())
}

/// One example a text: of repeated ones the tools are joined and the largest weight counts. A text that
/// is given several routes is left out: nobody can say which of them it should teach.
fn merge(examples: &[Labelled]) -> Vec<Labelled> {
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let mut merged: Vec<Option<Labelled>> = Vec::with_capacity(examples.len());
    for example in examples {
        let text = example.text.trim();
        let Some(place) = places.get(text) else {
            places.insert(text, merged.len());
            merged.push(Some(Labelled { text: text.to_owned(), ..example.clone() }));
            continue;
        };
        let Some(first) = &mut merged[*place] else { continue };
        if first.route != example.route {
            merged[*place] = None;
            continue;
        }
        first.weight = first.weight.max(example.weight);
        let new = example.tools.iter().filter(|t| !first.tools.contains(t)).cloned();
        let new: Vec<String> = new.collect();
        first.tools.extend(new);
    }
    merged.into_iter().flatten().collect()
}

fn data_hash(examples: &[Labelled]) -> String {
    let mut bytes = Vec::new();
    for example in examples {
        let tools = example.tools.join("\u{1f}");
        for part in [&example.text, &example.route, &tools] {
            bytes.extend(part.as_bytes());
            bytes.push(0x1e);
        }
        bytes.extend(example.weight.to_le_bytes());
    }
    format!("{:016x}", checksum(&bytes))
}
